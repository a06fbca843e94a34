/* What an app goes on by, in a snapshot: times, systems, queries, handles, events, log, resources;
 * what differs between the app that saved and the one that loads; misuse. */
#include "persist/snapshot_app_fixture.h"

#define WITH_BLOB(name) cmocka_unit_test_setup_teardown(name, blob_open, blob_close)

static int blob_open(void **state) {
    static stoa_blob blob;
    text_count = 0;
    *state = &blob;
    return 0;
}

static int blob_close(void **state) {
    stoa_blob_free(*state);
    assert_int_equal(text_count, 0);
    return 0;
}

/* SNP-01 SYS-08: frame by frame, whatever the order of registration. */
static void loaded_run_goes_on(void **state) {
    stoa_blob *blob = *state;
    run a;
    run b;
    run_open(&a, false);
    run_fill(&a);
    run_step(&a, 11);
    run_save(&a, blob);
    run_open(&b, true);
    assert_int_equal(run_load(&b, blob), STOA_OK);
    assert_true(stoa_hash(b.world) == stoa_hash(a.world));
    assert_true(stoa_app_frame(b.app) == 11);
    stoa_app_state before;
    stoa_app_state after;
    assert_int_equal(stoa_app_state_get(a.app, &before), STOA_OK);
    assert_int_equal(stoa_app_state_get(b.app, &after), STOA_OK);
    assert_true(before.ahead > 0 && after.ahead == before.ahead);
    assert_true(after.elapsed == before.elapsed && after.steps == before.steps);
    for (int i = 0; i < 30; i++) {
        run_step(&a, 1);
        /* What the startup of this program does is its own. */
        if (i == 0) {
            stoa_resource_mut(b.world, Seen)->starts--;
        }
        run_step(&b, 1);
        assert_true(stoa_hash(b.world) == stoa_hash(a.world));
    }
    assert_int_equal(stoa_resource(b.world, Seen)->starts, 1);
    run_close(&a);
    run_close(&b);
}

/* SNP-01: an app that ran before goes on as a fresh one would. */
static void loading_app_forgets_what_it_did(void **state) {
    stoa_blob *blob = *state;
    run a;
    run b;
    run_open(&a, false);
    run_fill(&a);
    run_step(&a, 7);
    run_save(&a, blob);
    run_open(&b, false);
    run_fill(&b);
    run_step(&b, 40);
    run_send(&b);
    stoa_entity e;
    while (!stoa_entity_is_null(e = stoa_entity_next(b.world, STOA_NULL))) {
        stoa_destroy(b.world, e);
    }
    assert_int_equal(run_load(&b, blob), STOA_OK);
    stoa_blob again = {0};
    run_save(&b, &again);
    assert_int_equal(again.size, blob->size);
    assert_memory_equal(again.data, blob->data, again.size);
    for (int i = 0; i < 10; i++) {
        run_step(&a, 1);
        run_step(&b, 1);
        assert_true(stoa_hash(b.world) == stoa_hash(a.world));
    }
    stoa_blob_free(&again);
    run_close(&a);
    run_close(&b);
}

/* SNP-01 EVT-01: each reader finds what it had still to read. */
static void unread_events_come_back(void **state) {
    stoa_blob *blob = *state;
    run a;
    run b;
    run_open(&a, false);
    run_fill(&a);
    run_send(&a);
    assert_int_equal(stoa_event_limit_id(a.world, stoa_id(a.world, Bang), 3), STOA_OK);
    stoa_event_send(a.world, Bang, {3});
    stoa_event_send(a.world, Bang, {4});
    run_save(&a, blob);
    run_open(&b, true);
    assert_int_equal(run_load(&b, blob), STOA_OK);
    assert_int_equal(stoa_reader_count(b.bangs[0]), 3);
    assert_int_equal(stoa_reader_lost(b.bangs[0]), 1);
    assert_int_equal(stoa_reader_count(b.bangs[1]), 3);
    assert_int_equal(stoa_reader_lost(b.bangs[1]), 0);
    stoa_event event;
    for (int i = 2; i < 5; i++) {
        assert_true(stoa_event_read(b.bangs[0], &event));
        assert_int_equal(((const Bang *)event.data)->loud, i);
        assert_true(stoa_entity_is_null(event.target));
    }
    assert_false(stoa_event_read(b.bangs[0], &event));
    assert_true(stoa_event_read(b.knocks, &event));
    assert_true(stoa_alive(b.world, event.target));
    assert_true(stoa_event_read(b.texts, &event));
    assert_string_equal(((const Text *)event.data)->text, "unread");
    run_close(&a);
    run_close(&b);
}

/* What notices told. */
typedef struct told {
    char text[1024];
} told;

static void notice_add(const stoa_notice *notice, void *user) {
    told *t = user;
    size_t length = strlen(t->text);
    snprintf(t->text + length, sizeof t->text - length, "%s: %s\n", notice->component,
             notice->text);
}

/* SNP-01: readers that are not there are told of, more of them have nothing to read. */
static void events_without_their_readers_are_told(void **state) {
    stoa_blob *blob = *state;
    run a;
    run b;
    told t = {""};
    run_open(&a, false);
    run_fill(&a);
    run_send(&a);
    run_save(&a, blob);
    run_open(&b, false);
    stoa_reader_free(b.knocks);
    stoa_reader_free(b.bangs[1]);
    stoa_reader_free(b.texts);
    stoa_reader *first = stoa_reader_new(b.world, Text);
    stoa_reader *second = stoa_reader_new(b.world, Text);
    const stoa_snapshot_load_desc load = {.app = b.app, .notice = notice_add, .user = &t};
    assert_int_equal(stoa_snapshot_load_memory(b.world, &load, blob->data, blob->size), STOA_OK);
    assert_string_equal(t.text, "Knock: left out events that nobody reads: Knock\n");
    assert_int_equal(stoa_reader_count(b.bangs[0]), 2);
    assert_int_equal(stoa_reader_count(first), 1);
    assert_int_equal(stoa_reader_count(second), 0);
    run_close(&a);
    run_close(&b);
}

/* SNP-01 */
static void systems_that_differ_are_told(void **state) {
    stoa_blob *blob = *state;
    run a;
    run b;
    told t = {""};
    run_open(&a, false);
    run_fill(&a);
    run_step(&a, 3);
    assert_int_equal(stoa_system_enable_name(a.app, "touch", false), STOA_OK);
    run_save(&a, blob);
    run_open(&b, false);
    assert_int_equal(stoa_system_remove(b.app, stoa_system_find(b.app, "breed")), STOA_OK);
    stoa_system fresh = stoa_system_new(
        b.app,
        &(stoa_system_desc){.name = "fresh", .run = begin_run, .resources = {STOA_WRITE(Seen)}});
    run_step(&b, 2);
    const stoa_snapshot_load_desc load = {.app = b.app, .notice = notice_add, .user = &t};
    assert_int_equal(stoa_snapshot_load_memory(b.world, &load, blob->data, blob->size), STOA_OK);
    assert_string_equal(t.text,
                        "breed: system 'breed' was saved, and the app has none of that name\n"
                        "fresh: system 'fresh' was not saved: it begins as if it had never run\n");
    stoa_system_info info;
    assert_int_equal(stoa_system_info_get(b.app, fresh, &info), STOA_OK);
    assert_true(info.runs == 0 && info.enabled);
    assert_int_equal(stoa_system_info_get(b.app, stoa_system_find(b.app, "touch"), &info), STOA_OK);
    assert_true(info.runs > 0 && !info.enabled);
    run_step(&b, 3);
    run_close(&a);
    run_close(&b);
}

/* SNP-01: with ticks, resources are as old as they were; so is what the log knows. */
static void ticks_of_resources_and_the_log_come_back(void **state) {
    stoa_blob *blob = *state;
    run a;
    run b;
    run_open(&a, false);
    stoa_resource_set(a.world, Settings, {1, 1});
    stoa_component settings = stoa_id(a.world, Settings);
    uint32_t then = stoa_tick(a.world);
    stoa_entity e = stoa_create_with(a.world, STOA_VALUE(Position, {1, 1}), STOA_ZERO(Velocity));
    stoa_entity gone = stoa_create(a.world);
    stoa_tick_advance(a.world);
    uint32_t middle = stoa_tick(a.world);
    stoa_remove(a.world, e, Velocity);
    stoa_tick_advance(a.world);
    stoa_destroy(a.world, gone);
    stoa_resource_mut(a.world, Seen)->starts = 2;
    const stoa_snapshot_save_desc save = {.ticks = true};
    assert_int_equal(stoa_snapshot_save_memory(a.world, &save, blob), STOA_OK);

    run_open(&b, true);
    assert_int_equal(stoa_log_keep(b.world, 1), STOA_OK);
    assert_int_equal(stoa_snapshot_load_memory(b.world, NULL, blob->data, blob->size), STOA_OK);
    settings = stoa_id(b.world, Settings);
    assert_false(stoa_resource_changed_id(b.world, settings, then));
    assert_int_equal(stoa_resource_tick(b.world, settings), then);
    assert_true(stoa_resource_changed_id(b.world, stoa_id(b.world, Seen), middle));
    stoa_log log = stoa_destroyed_since(b.world, middle);
    assert_true(stoa_log_next(&log) && stoa_entity_eq(log.entity, gone) && !log.lost);
    log = stoa_removed_since(b.world, Velocity, then);
    assert_false(stoa_log_next(&log));
    /* There was room for one entry only. */
    assert_true(log.lost);
    run_close(&a);
    run_close(&b);
}

/* SNP-01: a query that nobody declares begins anew, as the ticks it went by are gone. */
static void undeclared_queries_begin_anew(void **state) {
    stoa_blob *blob = *state;
    run a;
    run b;
    run_open(&a, false);
    run_fill(&a);
    run_step(&a, 2);
    run_save(&a, blob);
    run_open(&b, false);
    stoa_query *own = stoa_query_new(
        b.world, &(stoa_query_desc){.terms = {STOA_READ(Position), STOA_CHANGED(Position)}});
    for (int i = 0; i < 100; i++) {
        stoa_tick_advance(b.world);
    }
    for (stoa_iter it = stoa_query_iter(own); stoa_iter_next(&it);) {
    }
    assert_int_equal(run_load(&b, blob), STOA_OK);
    int32_t count = 0;
    for (stoa_iter it = stoa_query_iter(own); stoa_iter_next(&it);) {
        count += it.count;
    }
    assert_true(count > 0);
    run_close(&a);
    run_close(&b);
}

/* SNP-01: who has no app skips the section, and who asks for one that is not there keeps its own.
 */
static void app_is_optional_on_both_sides(void **state) {
    stoa_blob *blob = *state;
    run a;
    run b;
    run_open(&a, false);
    run_fill(&a);
    run_send(&a);
    run_step(&a, 5);
    run_save(&a, blob);
    run_open(&b, false);
    run_step(&b, 2);
    assert_int_equal(stoa_snapshot_load_memory(b.world, NULL, blob->data, blob->size), STOA_OK);
    assert_true(stoa_app_frame(b.app) == 2);
    assert_int_equal(stoa_reader_count(b.knocks), 0);
    assert_true(stoa_hash(b.world) == stoa_hash(a.world));
    run_close(&b);

    blob->size = 0;
    assert_int_equal(stoa_snapshot_save_memory(a.world, NULL, blob), STOA_OK);
    run_open(&b, false);
    run_step(&b, 2);
    assert_int_equal(run_load(&b, blob), STOA_OK);
    assert_true(stoa_app_frame(b.app) == 2);
    run_step(&b, 2);
    run_close(&a);
    run_close(&b);
}

typedef struct inside {
    run *r;
    stoa_blob *blob;
    stoa_status saved;
} inside;

static stoa_status save_run(stoa_job *job, stoa_iter *it) {
    (void)it;
    inside *i = job->user;
    i->saved = stoa_snapshot_save_memory(job->world, &(stoa_snapshot_save_desc){.app = i->r->app},
                                         i->blob);
    return STOA_OK;
}

/* GEN-05 */
static void wrong_apps_are_refused(void **state) {
    stoa_blob *blob = *state;
    run a;
    run b;
    run_open(&a, false);
    run_open(&b, false);
    run_fill(&a);
    run_save(&a, blob);
    const stoa_snapshot_save_desc save = {.app = b.app};
    const stoa_snapshot_load_desc load = {.app = a.app};
    stoa_blob none = {0};
    support_assert_misuse(&a.s, stoa_snapshot_save_memory(a.world, &save, &none), STOA_INVALID);
    support_assert_message("another world");
    support_assert_misuse(&b.s, stoa_snapshot_load_memory(b.world, &load, blob->data, blob->size),
                          STOA_INVALID);
    inside i = {.r = &a, .blob = &none};
    stoa_system_new(
        a.app, &(stoa_system_desc){
                   .name = "save", .run = save_run, .rule = STOA_THREAD_EXCLUSIVE, .user = &i});
    run_step(&a, 1);
    assert_int_equal(i.saved, STOA_LOCKED);
    assert_int_equal(none.size, 0);
    a.s.asserts_seen = a.s.asserts;
    run_close(&a);
    run_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_BLOB(loaded_run_goes_on),
        WITH_BLOB(loading_app_forgets_what_it_did),
        WITH_BLOB(unread_events_come_back),
        WITH_BLOB(events_without_their_readers_are_told),
        WITH_BLOB(systems_that_differ_are_told),
        WITH_BLOB(ticks_of_resources_and_the_log_come_back),
        WITH_BLOB(undeclared_queries_begin_anew),
        WITH_BLOB(app_is_optional_on_both_sides),
        WITH_BLOB(wrong_apps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

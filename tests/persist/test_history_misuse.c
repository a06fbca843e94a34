/* History: what is refused, with the world as it was. */
#include "history_fixture.h"

typedef struct fixture {
    support_world s;
    stoa_world *w;
    stoa_history *h;
} fixture;

static void fixture_open(fixture *f) {
    support_world_open(&f->s);
    f->w = f->s.world;
    f->h = stoa_history_new(f->w, NULL);
    assert_non_null(f->h);
    stoa_create_with(f->w, STOA_VALUE(Health, {1}));
    assert_int_equal(stoa_history_save(f->h), 0);
}

static void fixture_close(fixture *f) {
    stoa_history_free(f->h);
    support_world_close(&f->s);
    assert_int_equal(owned_alive, 0);
}

/* Both are refused with that status, and nothing has changed. */
static void both_are_refused(fixture *f, stoa_status status) {
    uint64_t hash = stoa_hash(f->w);
    assert_int_equal(stoa_history_save(f->h), -1);
    support_assert_misuse(&f->s, stoa_last_error().status, status);
    support_assert_misuse(&f->s, stoa_history_restore(f->h, 0), status);
    assert_true(stoa_hash(f->w) == hash);
    assert_int_equal(stoa_history_count(f->h), 1);
}

/* SNP-08 GEN-03 */
static void null_arguments_are_refused(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    assert_null(stoa_history_new(NULL, NULL));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_history_save(NULL), -1);
    assert_int_equal(stoa_history_restore(NULL, 0), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_history_clear(NULL, 0), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_history_first(NULL), -1);
    assert_int_equal(stoa_history_last(NULL), -1);
    assert_int_equal(stoa_history_count(NULL), 0);
    assert_int_equal(stoa_history_bytes(NULL), 0);
    stoa_history_free(NULL);
    assert_null(stoa_frames_new(NULL, 1));
    assert_int_equal(stoa_frames_save(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_frames_restore(NULL, 0, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_frames_clear(NULL, 0), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_frames_next(NULL), 0);
    stoa_frames_free(NULL);
    support_assert_quiet(&f.s);
    fixture_close(&f);
}

/* SNP-08 */
static void rings_of_no_size_are_refused(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    static const int32_t counts[] = {-1, INT32_MIN, STOA_FRAMES_MAX + 1, INT32_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        assert_null(stoa_history_new(f.w, &(stoa_history_desc){.frames = counts[i]}));
        support_assert_misuse(&f.s, stoa_last_error().status, STOA_INVALID);
    }
    support_assert_misuse(&f.s, stoa_history_clear(f.h, -5), STOA_INVALID);
    fixture_close(&f);
}

/* SNP-08 */
static void frames_that_are_not_kept_are_not_found(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    static const int64_t numbers[] = {-1, 1, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        assert_int_equal(stoa_history_restore(f.h, numbers[i]), STOA_NOT_FOUND);
        support_assert_message("from 0 to 0");
    }
    stoa_history_clear(f.h, 0);
    assert_int_equal(stoa_history_restore(f.h, 0), STOA_NOT_FOUND);
    support_assert_message("none is kept");
    fixture_close(&f);
}

/* SNP-08 SNP-11 */
static void recorded_commands_are_in_the_way(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_commands *c = stoa_commands_new(f.w);
    stoa_entity e = stoa_commands_create(c);
    both_are_refused(&f, STOA_INVALID);
    support_assert_message("commands are recorded");
    stoa_commands_flush(c);
    stoa_commands_destroy(stoa_deferred(f.w), e);
    both_are_refused(&f, STOA_INVALID);
    stoa_commands_flush(stoa_deferred(f.w));
    assert_int_equal(stoa_history_restore(f.h, 0), STOA_OK);
    fixture_close(&f);
}

/* SNP-08 */
static void iterations_and_forks_are_in_the_way(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_query *q = stoa_query_new(f.w, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    stoa_iter it = stoa_query_iter(q);
    assert_true(stoa_iter_next(&it));
    both_are_refused(&f, STOA_ITERATING);
    stoa_iter_end(&it);
    stoa_commands *c = stoa_commands_new(f.w);
    assert_int_equal(stoa_commands_fork(f.w, &c, 1), STOA_OK);
    both_are_refused(&f, STOA_FORKED);
    assert_int_equal(stoa_commands_join(f.w), STOA_OK);
    assert_int_equal(stoa_history_restore(f.h, 0), STOA_OK);
    fixture_close(&f);
}

static fixture *hooked;

static void hook_tries(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)value;
    (void)user;
    assert_int_equal(stoa_history_save(hooked->h), -1);
    support_assert_misuse(&hooked->s, stoa_last_error().status, STOA_LOCKED);
    support_assert_misuse(&hooked->s, stoa_history_restore(hooked->h, 0), STOA_LOCKED);
}

static void listener_tries(stoa_world *world, const stoa_event *event, void *user) {
    (void)event;
    hook_tries(world, STOA_NULL, NULL, user);
}

/* SNP-08 */
static void hooks_and_listeners_cannot_save_or_restore(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    hooked = &f;
    stoa_hook_type(f.w, STOA_ON_ADD, STOA_TYPE_OF(Health), hook_tries, NULL);
    stoa_create_with(f.w, STOA_VALUE(Health, {2}));
    stoa_listener_type(f.w, STOA_TYPE_OF(Position), listener_tries, NULL);
    stoa_event_send(f.w, Position, {0, 0, 0});
    assert_int_equal(stoa_history_restore(f.h, 0), STOA_OK);
    fixture_close(&f);
}

/* SNP-08: a sealed world can be saved, since that changes nothing. */
static void sealed_worlds_are_not_restored(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_world_seal(f.w, true);
    assert_int_equal(stoa_history_save(f.h), 1);
    support_assert_misuse(&f.s, stoa_history_restore(f.h, 0), STOA_ACCESS);
    stoa_world_seal(f.w, false);
    assert_int_equal(stoa_history_restore(f.h, 0), STOA_OK);
    fixture_close(&f);
}

/* SNP-03 SNP-08 */
static void components_that_cannot_be_kept_are_named(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    Stuck value;
    owner_make(&value, 1);
    stoa_entity e = stoa_create_with(f.w, STOA_VALUE_FROM(Stuck, &value));
    assert_int_equal(stoa_history_save(f.h), -1);
    assert_int_equal(stoa_last_error().status, STOA_NOT_COPYABLE);
    support_assert_message("Stuck");
    assert_int_equal(stoa_history_count(f.h), 1);
    stoa_destroy(f.w, e);
    assert_int_equal(stoa_history_save(f.h), 1);
    /* Nor a resource, nor what is queued. */
    owner_make(&value, 2);
    stoa_resource_set_id(f.w, stoa_id(f.w, Stuck), &value, sizeof value);
    assert_int_equal(stoa_history_save(f.h), -1);
    support_assert_message("Stuck");
    stoa_resource_remove_id(f.w, stoa_id(f.w, Stuck));
    stoa_reader *reader = stoa_reader_new(f.w, Stuck);
    owner_make(&value, 3);
    stoa_event_send_id(f.w, STOA_NULL, stoa_id(f.w, Stuck), &value, sizeof value);
    assert_int_equal(stoa_history_save(f.h), -1);
    stoa_reader_free(reader);
    assert_int_equal(stoa_history_save(f.h), 2);
    fixture_close(&f);
}

static bool copy_calls(void *to, const void *from, int32_t count, void *user) {
    (void)count;
    assert_true(stoa_entity_is_null(stoa_create(user)));
    assert_int_equal(stoa_last_error().status, STOA_ITERATING);
    memcpy(to, from, sizeof(int64_t));
    return true;
}

/* SNP-08: hooks of values see a world that cannot change. */
static void copy_hooks_cannot_change_the_world(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_component id = stoa_component_register(
        f.w, &(stoa_component_desc){.name = "Caller",
                                    .size = sizeof(int64_t),
                                    .hooks = {.copy = copy_calls, .user = f.w}});
    stoa_entity e = stoa_create(f.w);
    assert_int_equal(stoa_set_id(f.w, e, id, &(int64_t){7}, sizeof(int64_t)), STOA_OK);
    assert_int_equal(stoa_history_save(f.h), 1);
    stoa_destroy(f.w, e);
    assert_int_equal(stoa_history_restore(f.h, 1), STOA_OK);
    int64_t got;
    memcpy(&got, stoa_get_id(f.w, e, id), sizeof got);
    assert_int_equal(got, 7);
    f.s.asserts_seen = atomic_load(&f.s.asserts);
    fixture_close(&f);
}

/* SNP-08: frames of content that was replaced are not mixed with it. */
static void frames_of_replaced_content_are_refused(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_create_with(f.w, STOA_ZERO(Position));
    stoa_create_with(f.w, STOA_ZERO(Wide));
    assert_int_equal(stoa_history_save(f.h), 1);
    stoa_query_destroy(stoa_query_new(f.w, &(stoa_query_desc){.terms = {STOA_READ(Position)}}));
    for (stoa_entity e = STOA_NULL; e = stoa_entity_next(f.w, e), !stoa_entity_is_null(e);) {
        stoa_destroy(f.w, e);
    }
    uint32_t generations[] = {STOA_SLOT_DEAD | 1, 1, 1};
    stoa_slots slots = {.generations = generations, .count = 3};
    stoa_rebuild *rebuild = stoa_rebuild_new(f.w, &slots);
    assert_non_null(rebuild);
    stoa_component wide = stoa_id(f.w, Wide);
    assert_int_equal(stoa_rebuild_archetype(rebuild, &wide, 1, &(stoa_entity){1, 1}, 1), STOA_OK);
    int32_t count;
    memset(stoa_rebuild_column(rebuild, wide, 0, &count), 0, sizeof(Wide));
    assert_int_equal(stoa_rebuild_end(rebuild), STOA_OK);
    uint64_t hash = stoa_hash(f.w);
    support_assert_misuse(&f.s, stoa_history_restore(f.h, 1), STOA_INVALID);
    support_assert_message("replaced");
    assert_true(stoa_hash(f.w) == hash);
    /* It can go on from what it is now. */
    assert_int_equal(stoa_history_save(f.h), 2);
    stoa_create(f.w);
    assert_int_equal(stoa_history_restore(f.h, 2), STOA_OK);
    assert_true(stoa_hash(f.w) == hash);
    fixture_close(&f);
}

static stoa_history *stepped;

static stoa_status system_tries(stoa_job *job, stoa_iter *it) {
    (void)it;
    assert_int_equal(stoa_history_save(stepped), -1);
    assert_int_equal(stoa_last_error().status, STOA_LOCKED);
    assert_int_equal(stoa_history_restore(stepped, 0), STOA_LOCKED);
    stoa_blob blob = {0};
    assert_int_equal(stoa_app_state_save(job->user, &blob), STOA_LOCKED);
    assert_int_equal(stoa_app_state_load(job->user, &blob, sizeof blob), STOA_LOCKED);
    assert_true(stoa_app_stepping(job->user));
    return STOA_OK;
}

/* SNP-08 */
static void steps_are_in_the_way(void **state) {
    (void)state;
    support_world s;
    support_world_open(&s);
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = s.world, .threads = 1});
    stepped = stoa_history_new(s.world, &(stoa_history_desc){.app = app});
    assert_int_equal(stoa_history_save(stepped), 0);
    assert_true(stoa_system_new(app, &(stoa_system_desc){.name = "tries",
                                                         .run = system_tries,
                                                         .user = app,
                                                         .rule = STOA_THREAD_EXCLUSIVE})
                    .id != 0);
    assert_int_equal(stoa_app_step(app, 1), STOA_OK);
    assert_int_equal(stoa_history_restore(stepped, 0), STOA_OK);
    s.asserts_seen = atomic_load(&s.asserts);
    stoa_history_free(stepped);
    stoa_app_free(app);
    support_world_close(&s);
}

/* SNP-08 */
static void apps_of_other_worlds_are_refused(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_app *app = stoa_app_new(NULL);
    assert_null(stoa_history_new(f.w, &(stoa_history_desc){.app = app}));
    support_assert_misuse(&f.s, stoa_last_error().status, STOA_INVALID);
    stoa_app_free(app);
    fixture_close(&f);
}

/* SNP-08 */
static void freed_apps_take_the_frames_along(void **state) {
    (void)state;
    support_heap heap = {0};
    stoa_allocator allocator = support_allocator(&heap);
    stoa_app *app = stoa_app_new(
        &(stoa_app_desc){.world_as = &(stoa_world_desc){.allocator = &allocator}, .threads = 1});
    stoa_history *h = stoa_history_new(stoa_app_world(app), &(stoa_history_desc){.app = app});
    assert_int_equal(stoa_history_save(h), 0);
    assert_int_equal(stoa_app_free(app), STOA_OK);
    assert_int_equal(stoa_history_save(h), -1);
    assert_int_equal(stoa_last_error().status, STOA_FREED);
    assert_int_equal(stoa_history_restore(h, 0), STOA_FREED);
    assert_int_equal(stoa_history_count(h), 0);
    stoa_history_free(h);
    assert_int_equal(heap.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_arguments_are_refused),
        cmocka_unit_test(rings_of_no_size_are_refused),
        cmocka_unit_test(frames_that_are_not_kept_are_not_found),
        cmocka_unit_test(recorded_commands_are_in_the_way),
        cmocka_unit_test(iterations_and_forks_are_in_the_way),
        cmocka_unit_test(hooks_and_listeners_cannot_save_or_restore),
        cmocka_unit_test(sealed_worlds_are_not_restored),
        cmocka_unit_test(components_that_cannot_be_kept_are_named),
        cmocka_unit_test(copy_hooks_cannot_change_the_world),
        cmocka_unit_test(frames_of_replaced_content_are_refused),
        cmocka_unit_test(steps_are_in_the_way),
        cmocka_unit_test(apps_of_other_worlds_are_refused),
        cmocka_unit_test(freed_apps_take_the_frames_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

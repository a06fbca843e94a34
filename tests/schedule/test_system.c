/* Systems as an app keeps them: how they are made, found, asked, switched and taken away. */
#include "schedule/app_fixture.h"

STOA_COMPONENT(Place, { int32_t x; });
STOA_COMPONENT(Speed, { int32_t x; });
STOA_COMPONENT(Health, { int32_t left; });
STOA_COMPONENT(Gravity, { int32_t pull; });
STOA_COMPONENT(Score, { int32_t points; });
STOA_TAG(Frozen);

static stoa_status nothing(stoa_job *job, stoa_iter *it) {
    (void)job;
    (void)it;
    return STOA_OK;
}

static void count_up(void *user) {
    ++*(int *)user;
}

/* Tries to add a system; the app must stay as it is, and the user pointer the caller's. */
static void assert_refused(app_fixture *f, stoa_system_desc desc, stoa_status status,
                           const char *part) {
    int freed = 0, errors = f->s.errors;
    stoa_system last = {0};
    for (stoa_system at = {0}; (at = stoa_system_next(f->app, at)).id != 0;) {
        last = at;
    }
    desc.user = &freed;
    desc.user_free = count_up;
    assert_int_equal(stoa_system_new(f->app, &desc).id, 0);
    if (stoa_last_error().status != status) {
        support_print_error();
    }
    assert_int_equal(stoa_last_error().status, status);
    support_assert_message(part);
    assert_true(f->s.errors > errors);
    assert_int_equal(freed, 0);
    assert_int_equal(stoa_system_next(f->app, last).id, 0);
}

/* SYS-02 GEN-03 */
static void wrong_systems_are_refused(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 1});
    app_add(&f, (stoa_system_desc){.name = "there", .run = nothing});
    const stoa_system_desc good = {.name = "s", .each = nothing, .terms = {STOA_READ(Place)}};
    stoa_system_desc d = good;
    d.name = NULL;
    assert_refused(&f, d, STOA_NULL_ARGUMENT, "name");
    d.name = "";
    assert_refused(&f, d, STOA_INVALID, "name");
    d.name = "there";
    assert_refused(&f, d, STOA_CONFLICT, "'there'");
    d = good;
    d.run = nothing;
    assert_refused(&f, d, STOA_INVALID, "'s' must have one of");
    d.run = d.each = NULL;
    assert_refused(&f, d, STOA_INVALID, "'s' must have one of");
    d = good;
    d.terms[0].access = STOA_ACCESS_END;
    assert_refused(&f, d, STOA_INVALID, "no terms");
    d = good;
    d.each = NULL;
    d.run = nothing;
    d.rule = STOA_THREAD_EXCLUSIVE;
    assert_refused(&f, d, STOA_INVALID, "exclusive");
    d = good;
    d.stage = STOA_STAGE_OWN;
    assert_refused(&f, d, STOA_NOT_FOUND, "no stage 8");
    d.stage = UINT32_MAX;
    assert_refused(&f, d, STOA_NOT_FOUND, "stage");
    d = good;
    d.rule = (stoa_thread_rule)4;
    assert_refused(&f, d, STOA_INVALID, "rule of 4");
    d.rule = (stoa_thread_rule)-1;
    assert_refused(&f, d, STOA_INVALID, "rule of -1");
    d = good;
    d.grain = -1;
    assert_refused(&f, d, STOA_INVALID, "-1 rows");
    app_step(&f);
    app_close(&f);
}

/* SYS-02 GEN-03: terms, access and resources, queries of another world. */
static void wrong_declarations_are_refused(void **state) {
    (void)state;
    app_fixture f;
    support_world other;
    support_world_open(&other);
    app_open(&f, (stoa_app_desc){.threads = 1});
    const stoa_system_desc good = {.name = "s", .each = nothing, .terms = {STOA_READ(Place)}};
    stoa_system_desc d = good;
    d.terms[1] = STOA_WRITE(Place);
    assert_refused(&f, d, STOA_CONTRADICTION, "Place");
    d.terms[1] = (stoa_term){.id = 4711, .access = STOA_ACCESS_READ};
    assert_refused(&f, d, STOA_UNKNOWN, "4711");
    d.terms[1] = (stoa_term){.type = STOA_TYPE_OF(Speed), .access = (stoa_access)99};
    assert_refused(&f, d, STOA_INVALID, "");
    d = good;
    d.access[0] = STOA_WITHOUT(Speed);
    assert_refused(&f, d, STOA_INVALID, "'s': extra access");
    d.access[0] = STOA_READ(Speed);
    d.access[1] = STOA_CHANGED(Health);
    assert_refused(&f, d, STOA_INVALID, "'s': extra access");
    d = good;
    d.access[0] = (stoa_term){.id = 4711, .access = STOA_ACCESS_READ};
    assert_refused(&f, d, STOA_UNKNOWN, "4711");
    d = good;
    d.resources[0] = STOA_OPTIONAL(Gravity);
    assert_refused(&f, d, STOA_INVALID, "'s': extra access");
    d.resources[0] = (stoa_term){.id = 4711, .access = STOA_ACCESS_WRITE};
    assert_refused(&f, d, STOA_UNKNOWN, "4711");
    d = good;
    stoa_query *foreign =
        stoa_query_new(other.world, &(stoa_query_desc){.terms = {STOA_READ(Place)}});
    d.queries[0] = stoa_query_new(f.world, &(stoa_query_desc){.terms = {STOA_READ(Place)}});
    d.queries[1] = foreign;
    assert_refused(&f, d, STOA_INVALID, "query 1 is of another world");
    d.queries[1] = NULL;
    app_add(&f, d);
    app_step(&f);
    app_close(&f);
    support_world_close(&other);
}

/* GEN-05 GEN-03 */
static void null_arguments_are_refused(void **state) {
    (void)state;
    app_fixture f;
    stoa_system_info info;
    stoa_system_use use;
    app_open(&f, (stoa_app_desc){.threads = 1});
    stoa_system made = app_add(&f, (stoa_system_desc){.name = "s", .run = nothing});
    assert_int_equal(stoa_system_new(NULL, &(stoa_system_desc){.name = "s"}).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_system_new(f.app, NULL).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_system_describe(f.app, NULL, NULL).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_system_remove(NULL, made), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_system_find(NULL, "s").id, 0);
    assert_int_equal(stoa_system_find(f.app, NULL).id, 0);
    assert_int_equal(stoa_system_enable(NULL, made, true), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_system_enable_name(NULL, "s", true), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_system_enable_name(f.app, NULL, true), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_system_next(NULL, made).id, 0);
    assert_int_equal(stoa_system_info_get(NULL, made, &info), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_system_info_get(f.app, made, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_system_access(NULL, made, 0, &use), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_system_access(f.app, made, 0, NULL), STOA_NULL_ARGUMENT);
    app_close(&f);
}

/* SYS-03 */
static void systems_are_found_and_listed_in_order(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 1});
    assert_int_equal(stoa_system_next(f.app, (stoa_system){0}).id, 0);
    char name[8] = "first";
    stoa_system a = app_add(&f, (stoa_system_desc){.name = name, .run = nothing});
    strcpy(name, "second");
    stoa_system b =
        app_add(&f, (stoa_system_desc){.name = name, .run = nothing, .stage = STOA_STARTUP});
    strcpy(name, "third");
    stoa_system c = app_add(&f, (stoa_system_desc){.name = name, .run = nothing});
    strcpy(name, "gone");
    assert_int_equal(stoa_system_find(f.app, "first").id, a.id);
    assert_int_equal(stoa_system_find(f.app, "second").id, b.id);
    assert_int_equal(stoa_system_find(f.app, "third").id, c.id);
    assert_int_equal(stoa_system_find(f.app, "gone").id, 0);
    assert_int_equal(stoa_system_next(f.app, (stoa_system){0}).id, a.id);
    assert_int_equal(stoa_system_next(f.app, a).id, b.id);
    assert_int_equal(stoa_system_next(f.app, b).id, c.id);
    assert_int_equal(stoa_system_next(f.app, c).id, 0);
    assert_int_equal(stoa_system_remove(f.app, b), STOA_OK);
    assert_int_equal(stoa_system_next(f.app, a).id, c.id);
    assert_int_equal(stoa_system_next(f.app, b).id, c.id);
    stoa_system d = app_add(&f, (stoa_system_desc){.name = "second", .run = nothing});
    assert_true(d.id != a.id && d.id != b.id && d.id != c.id);
    assert_int_equal(stoa_system_next(f.app, c).id, d.id);
    support_assert_quiet(&f.s);
    app_close(&f);
}

/* SYS-03 */
static void info_tells_what_is_known(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 1});
    stoa_system made = app_add(&f, (stoa_system_desc){.name = "look",
                                                      .run = nothing,
                                                      .stage = STOA_RENDER,
                                                      .rule = STOA_THREAD_MAIN,
                                                      .script = true,
                                                      .access = {STOA_READ(Place)},
                                                      .disabled = true});
    stoa_system_info info;
    assert_int_equal(stoa_system_info_get(f.app, made, &info), STOA_OK);
    assert_string_equal(info.name, "look");
    assert_int_equal(info.stage, STOA_RENDER);
    assert_int_equal(info.rule, STOA_THREAD_MAIN);
    assert_true(info.script);
    assert_false(info.enabled);
    assert_int_equal(info.runs, 0);
    assert_int_equal(info.access_count, 1);
    app_step(&f);
    assert_int_equal(stoa_system_enable(f.app, made, true), STOA_OK);
    app_step(&f);
    app_step(&f);
    assert_int_equal(stoa_system_info_get(f.app, made, &info), STOA_OK);
    assert_true(info.enabled);
    assert_int_equal(info.runs, 2);
    assert_true(stoa_tick_newer(stoa_tick(f.world), info.last_run));
    assert_int_equal(stoa_system_info_get(f.app, (stoa_system){made.id + 1}, &info),
                     STOA_NOT_FOUND);
    assert_int_equal(stoa_system_info_get(f.app, (stoa_system){0}, &info), STOA_NOT_FOUND);
    app_close(&f);
}

static void assert_use(app_fixture *f, stoa_system system, int32_t index, stoa_component id,
                       bool resource, bool write) {
    stoa_system_use use = {0};
    assert_int_equal(stoa_system_access(f->app, system, index, &use), STOA_OK);
    assert_int_equal(use.id, id);
    assert_int_equal(use.resource, resource);
    assert_int_equal(use.write, write);
}

/* SYS-02 SYS-03: terms, extra access and declared queries together, each thing once; a write is
 * not told as a read too. */
static void access_is_listed_in_order_of_ids(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 1});
    stoa_component place = stoa_id(f.world, Place), speed = stoa_id(f.world, Speed),
                   health = stoa_id(f.world, Health), gravity = stoa_id(f.world, Gravity),
                   score = stoa_id(f.world, Score);
    stoa_query *query = stoa_query_new(
        f.world, &(stoa_query_desc){.terms = {STOA_WRITE(Place), STOA_WITHOUT(Frozen)}});
    stoa_system made = app_add(
        &f,
        (stoa_system_desc){.name = "s",
                           .each = nothing,
                           .terms = {STOA_READ(Speed), STOA_READ(Place), STOA_FILTER(Frozen)},
                           .access = {STOA_READ(Health), STOA_WRITE(Gravity)},
                           .resources = {STOA_WRITE(Score), STOA_READ(Health), STOA_READ(Score)},
                           .queries = {query}});
    assert_use(&f, made, 0, place, false, true);
    assert_use(&f, made, 1, speed, false, false);
    assert_use(&f, made, 2, health, false, false);
    assert_use(&f, made, 3, gravity, false, true);
    assert_use(&f, made, 4, health, true, false);
    assert_use(&f, made, 5, score, true, true);
    stoa_system_info info;
    stoa_system_info_get(f.app, made, &info);
    assert_int_equal(info.access_count, 6);
    stoa_system_use use = {.id = 77};
    support_assert_misuse(&f.s, stoa_system_access(f.app, made, 6, &use), STOA_INVALID);
    support_assert_misuse(&f.s, stoa_system_access(f.app, made, -1, &use), STOA_INVALID);
    support_assert_misuse(&f.s, stoa_system_access(f.app, made, INT32_MIN, &use), STOA_INVALID);
    assert_int_equal(use.id, 77);
    assert_int_equal(stoa_system_access(f.app, (stoa_system){9}, 0, &use), STOA_NOT_FOUND);
    app_close(&f);
}

static stoa_status count_run(stoa_job *job, stoa_iter *it) {
    (void)it;
    ++*(int *)job->user;
    return STOA_OK;
}

/* SYS-03 */
static void systems_are_switched_by_handle_and_name(void **state) {
    (void)state;
    app_fixture f;
    int runs = 0;
    app_open(&f, (stoa_app_desc){.threads = 1});
    stoa_system made = app_add(
        &f, (stoa_system_desc){.name = "s", .run = count_run, .user = &runs, .disabled = true});
    app_step(&f);
    assert_int_equal(runs, 0);
    assert_int_equal(stoa_system_enable(f.app, made, true), STOA_OK);
    app_step(&f);
    assert_int_equal(runs, 1);
    assert_int_equal(stoa_system_enable_name(f.app, "s", false), STOA_OK);
    app_step(&f);
    assert_int_equal(runs, 1);
    assert_int_equal(stoa_system_enable_name(f.app, "s", true), STOA_OK);
    assert_int_equal(stoa_system_enable_name(f.app, "s", true), STOA_OK);
    app_step(&f);
    assert_int_equal(runs, 2);
    assert_int_equal(stoa_system_enable_name(f.app, "t", true), STOA_NOT_FOUND);
    support_assert_message("'t'");
    assert_int_equal(stoa_system_enable(f.app, (stoa_system){made.id + 1}, true), STOA_NOT_FOUND);
    assert_int_equal(f.s.errors, 2);
    app_close(&f);
}

typedef struct switcher {
    stoa_app *app;
    int runs;
} switcher;

static stoa_status switch_off(stoa_job *job, stoa_iter *it) {
    (void)it;
    switcher *s = job->user;
    stoa_status status = stoa_system_enable_name(s->app, "second", false);
    return status == STOA_OK ? stoa_system_enable_name(s->app, "third", true) : status;
}

static stoa_status switched_run(stoa_job *job, stoa_iter *it) {
    (void)it;
    switcher *s = job->user;
    s->runs += strcmp(job->system, "second") == 0 ? 1 : 100;
    return STOA_OK;
}

/* SYS-03: switching inside a step takes effect from the next frame on. */
static void switching_in_a_frame_is_for_the_next(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 1});
    switcher s = {f.app, 0};
    app_add(&f, (stoa_system_desc){
                    .name = "first", .run = switch_off, .rule = STOA_THREAD_MAIN, .user = &s});
    app_add(&f, (stoa_system_desc){
                    .name = "second", .run = switched_run, .after = {"first"}, .user = &s});
    app_add(&f, (stoa_system_desc){.name = "third",
                                   .run = switched_run,
                                   .after = {"first"},
                                   .user = &s,
                                   .disabled = true});
    app_step(&f);
    assert_int_equal(s.runs, 1);
    app_step(&f);
    assert_int_equal(s.runs, 101);
    app_close(&f);
}

/* SYS-03 GEN-06: once, when the system is gone, by removal or with the app. */
static void user_is_freed_once(void **state) {
    (void)state;
    app_fixture f;
    int first = 0, second = 0;
    app_open(&f, (stoa_app_desc){.threads = 1});
    stoa_system_desc desc = {.name = "a", .run = nothing, .user = &first, .user_free = count_up};
    stoa_system a = app_add(&f, desc);
    desc.name = "b";
    desc.user = &second;
    app_add(&f, desc);
    app_step(&f);
    assert_int_equal(first, 0);
    assert_int_equal(stoa_system_remove(f.app, a), STOA_OK);
    assert_int_equal(first, 1);
    assert_int_equal(stoa_system_remove(f.app, a), STOA_NOT_FOUND);
    assert_int_equal(first, 1);
    assert_int_equal(stoa_system_find(f.app, "a").id, 0);
    app_step(&f);
    assert_int_equal(second, 0);
    assert_int_equal(stoa_app_free(f.app), STOA_OK);
    assert_int_equal(first, 1);
    assert_int_equal(second, 1);
    support_world_close(&f.s);
}

/* SYS-03: what names the one that is gone is told by the next plan. */
static void removed_system_is_gone_from_the_plan(void **state) {
    (void)state;
    app_fixture f;
    int runs = 0;
    app_open(&f, (stoa_app_desc){.threads = 1});
    stoa_system a = app_add(&f, (stoa_system_desc){.name = "a", .run = count_run, .user = &runs});
    app_add(&f, (stoa_system_desc){.name = "b", .run = count_run, .user = &runs, .after = {"a"}});
    app_step(&f);
    assert_int_equal(runs, 2);
    assert_int_equal(stoa_system_remove(f.app, a), STOA_OK);
    assert_int_equal(stoa_app_step(f.app, 0), STOA_NOT_FOUND);
    support_assert_message("'a'");
    assert_int_equal(runs, 2);
    assert_int_equal(stoa_app_frame(f.app), 1);
    app_add(&f, (stoa_system_desc){.name = "c", .run = count_run, .user = &runs, .labels = {"a"}});
    app_step(&f);
    assert_int_equal(runs, 4);
    assert_int_equal(stoa_schedule_batches(f.app, STOA_UPDATE), 2);
    app_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_systems_are_refused),
        cmocka_unit_test(wrong_declarations_are_refused),
        cmocka_unit_test(null_arguments_are_refused),
        cmocka_unit_test(systems_are_found_and_listed_in_order),
        cmocka_unit_test(info_tells_what_is_known),
        cmocka_unit_test(access_is_listed_in_order_of_ids),
        cmocka_unit_test(systems_are_switched_by_handle_and_name),
        cmocka_unit_test(switching_in_a_frame_is_for_the_next),
        cmocka_unit_test(user_is_freed_once),
        cmocka_unit_test(removed_system_is_gone_from_the_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

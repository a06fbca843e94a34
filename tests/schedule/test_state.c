/* The state of an app: what comes back of time and systems, what a blob must be. */
#include "app_fixture.h"

static stoa_status nothing(stoa_job *job, stoa_iter *it) {
    (void)job;
    (void)it;
    return STOA_OK;
}

/* What systems were told in the last frame. */
typedef struct seen {
    double elapsed;
    uint64_t frame;
    uint64_t random;
    uint32_t last_run;
    int starts;
} seen;

static stoa_status look(stoa_job *job, stoa_iter *it) {
    (void)it;
    seen *s = job->user;
    s->elapsed = stoa_resource(job->world, stoa_time)->elapsed;
    s->frame = job->frame;
    s->random = stoa_random_below(&job->random, UINT32_MAX);
    s->last_run = job->last_run;
    return STOA_OK;
}

static stoa_status start(stoa_job *job, stoa_iter *it) {
    (void)it;
    ((seen *)job->user)->starts++;
    return STOA_OK;
}

/* SNP-08 */
static void loaded_state_plays_the_same_frame_again(void **state) {
    (void)state;
    app_fixture f;
    seen s = {0}, then;
    stoa_blob blob = {0};
    app_open(&f, (stoa_app_desc){.fixed_step = 0.1, .seed = 3});
    app_add(&f, (stoa_system_desc){.name = "start",
                                   .stage = STOA_STARTUP,
                                   .run = start,
                                   .user = &s,
                                   .resources = {STOA_READ(stoa_time)}});
    stoa_system looks = app_add(
        &f, (stoa_system_desc){
                .name = "look", .run = look, .user = &s, .resources = {STOA_READ(stoa_time)}});
    stoa_history *h = stoa_history_new(f.world, &(stoa_history_desc){.app = f.app});
    assert_int_equal(stoa_history_save(h), 0);
    for (int32_t i = 0; i < 3; i++) {
        app_step(&f);
    }
    assert_int_equal(stoa_history_save(h), 1);
    app_step(&f);
    then = s;
    app_step(&f);
    assert_true(s.random != then.random);
    stoa_history_restore(h, 1);
    assert_int_equal(stoa_app_frame(f.app), 3);
    stoa_system_info info;
    assert_int_equal(stoa_system_info_get(f.app, looks, &info), STOA_OK);
    app_step(&f);
    assert_true(s.elapsed == then.elapsed && s.frame == then.frame && s.random == then.random);
    assert_int_equal(s.last_run, then.last_run);
    assert_int_equal(s.starts, 1);
    /* At the very beginning what runs once has not run. */
    stoa_history_restore(h, 0);
    app_step(&f);
    assert_int_equal(s.starts, 2);
    stoa_history_free(h);
    stoa_blob_free(&blob);
    app_close(&f);
}

/* SNP-08 */
static void enabled_systems_are_part_of_the_state(void **state) {
    (void)state;
    app_fixture f;
    seen s = {0};
    stoa_blob blob = {0};
    app_open(&f, (stoa_app_desc){.seed = 3});
    stoa_system a = app_add(&f, (stoa_system_desc){.name = "a", .run = nothing});
    stoa_system b =
        app_add(&f, (stoa_system_desc){
                        .name = "b", .run = look, .user = &s, .resources = {STOA_READ(stoa_time)}});
    app_step(&f);
    assert_int_equal(stoa_app_state_save(f.app, &blob), STOA_OK);
    stoa_system_enable(f.app, b, false);
    assert_int_equal(stoa_system_remove(f.app, a), STOA_OK);
    stoa_system late = app_add(&f, (stoa_system_desc){.name = "late", .run = nothing});
    app_step(&f);
    app_step(&f);
    assert_int_equal(stoa_app_state_load(f.app, blob.data, blob.size), STOA_OK);
    stoa_system_info info;
    assert_int_equal(stoa_system_info_get(f.app, b, &info), STOA_OK);
    assert_true(info.enabled);
    assert_int_equal(info.runs, 1);
    assert_int_equal(stoa_system_info_get(f.app, late, &info), STOA_OK);
    assert_true(info.enabled);
    assert_int_equal(info.runs, 0);
    s.frame = 0;
    app_step(&f);
    assert_int_equal(s.frame, 1);
    stoa_blob_free(&blob);
    app_close(&f);
}

/* SNP-01: the parts of the state, one by one. */
static void states_are_told_and_set(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.seed = 3});
    stoa_system a = app_add(&f, (stoa_system_desc){.name = "a", .run = nothing});
    app_step(&f);
    stoa_app_state app;
    stoa_system_state one;
    assert_int_equal(stoa_app_state_get(f.app, &app), STOA_OK);
    assert_true(app.frame == 1 && app.seed == 3 && app.elapsed == 0.25);
    app.frame = 9;
    assert_int_equal(stoa_app_state_set(f.app, &app), STOA_OK);
    assert_true(stoa_app_frame(f.app) == 9);
    app.ahead = -1;
    support_assert_misuse(&f.s, stoa_app_state_set(f.app, &app), STOA_INVALID);
    assert_int_equal(stoa_system_state_get(f.app, a, &one), STOA_OK);
    assert_true(one.ran && one.enabled && one.runs == 1);
    one.enabled = false;
    assert_int_equal(stoa_system_state_set(f.app, a, &one), STOA_OK);
    app_step(&f);
    assert_int_equal(stoa_system_state_get(f.app, a, &one), STOA_OK);
    assert_true(one.runs == 1);
    assert_int_equal(stoa_system_state_set(f.app, a, NULL), STOA_OK);
    assert_int_equal(stoa_system_state_get(f.app, a, &one), STOA_OK);
    assert_true(!one.ran && !one.enabled && one.runs == 0);
    support_assert_misuse(&f.s, stoa_system_state_get(f.app, a, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_system_state_set(f.app, (stoa_system){77}, NULL), STOA_NOT_FOUND);
    assert_int_equal(stoa_app_state_get(NULL, &app), STOA_NULL_ARGUMENT);

    /* A habit is kept until there is a job that has it. */
    assert_null(stoa_system_query(f.app, a, 0));
    stoa_system b = app_add(&f, (stoa_system_desc){.name = "b", .run = nothing});
    assert_int_equal(stoa_system_habits(f.app, b), 0);
    f.s.asserts_seen = f.s.asserts;
    support_assert_misuse(&f.s, stoa_system_habit_set(f.app, b, 0, (stoa_handle_habit){2, 3}),
                          STOA_INVALID);
    f.s.heap.fail_at = 1;
    assert_int_equal(stoa_system_habits_reserve(f.app, b, 4), STOA_NO_MEMORY);
    f.s.heap.fail_at = 0;
    assert_int_equal(stoa_system_habits_reserve(f.app, b, 4), STOA_OK);
    assert_int_equal(stoa_system_habit_set(f.app, b, 0, (stoa_handle_habit){2, 3}), STOA_OK);
    assert_int_equal(stoa_system_habit_set(f.app, b, 3, (stoa_handle_habit){1, 1}), STOA_OK);
    app_step(&f);
    assert_int_equal(stoa_system_habits(f.app, b), 4);
    assert_int_equal(stoa_system_habit(f.app, b, 0).last, 0);
    assert_int_equal(stoa_system_habit(f.app, b, 0).most, 3);
    assert_int_equal(stoa_system_habit(f.app, b, 3).last, 1);
    assert_int_equal(stoa_system_habit(f.app, b, 4).last, 0);
    app_close(&f);
}

/* SNP-08 */
static void what_is_no_state_is_refused(void **state) {
    (void)state;
    app_fixture f;
    stoa_blob blob = {0};
    app_open(&f, (stoa_app_desc){.seed = 3});
    app_add(&f, (stoa_system_desc){.name = "a", .run = nothing});
    app_step(&f);
    assert_int_equal(stoa_app_state_save(NULL, &blob), STOA_NULL_ARGUMENT);
    support_assert_misuse(&f.s, stoa_app_state_save(f.app, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_app_state_load(NULL, &blob, 1), STOA_NULL_ARGUMENT);
    support_assert_misuse(&f.s, stoa_app_state_load(f.app, NULL, 0), STOA_INVALID);
    assert_int_equal(stoa_app_state_save(f.app, &blob), STOA_OK);
    for (size_t size = 0; size < blob.size; size++) {
        support_assert_misuse(&f.s, stoa_app_state_load(f.app, blob.data, size), STOA_INVALID);
    }
    assert_int_equal(stoa_app_frame(f.app), 1);
    assert_false(stoa_app_stepping(f.app) || stoa_app_stepping(NULL));
    stoa_blob_free(&blob);
    app_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loaded_state_plays_the_same_frame_again),
        cmocka_unit_test(enabled_systems_are_part_of_the_state),
        cmocka_unit_test(states_are_told_and_set),
        cmocka_unit_test(what_is_no_state_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Fixed steps and the time that systems are told. */
#include "schedule/app_fixture.h"

/* One run, as a system saw it. */
typedef struct moment {
    char who;
    double delta;
    stoa_time time;
} moment;

typedef struct diary {
    moment moments[128];
    int count;
} diary;

static stoa_status note(stoa_job *job, stoa_iter *it) {
    (void)it;
    diary *d = job->user;
    assert_true(d->count < 128);
    d->moments[d->count++] =
        (moment){job->system[0], job->delta, *stoa_resource(job->world, stoa_time)};
    return STOA_OK;
}

static void noter(app_fixture *f, diary *d, const char *name, stoa_stage stage) {
    app_add(f, (stoa_system_desc){.name = name,
                                  .run = note,
                                  .stage = stage,
                                  .resources = {STOA_READ(stoa_time)},
                                  .user = d});
}

/* Who ran, in order; the diary is empty afterwards. */
static void assert_ran(diary *d, const char *expected) {
    char text[129] = "";
    for (int i = 0; i < d->count; i++) {
        text[i] = d->moments[i].who;
        text[i + 1] = '\0';
    }
    assert_string_equal(text, expected);
    d->count = 0;
}

static void assert_moment(const moment *m, double delta, double elapsed, double ahead,
                          uint64_t frame, uint64_t steps) {
    assert_true(m->delta == delta);
    assert_true(m->time.delta == delta);
    assert_true(m->time.elapsed == elapsed);
    assert_true(m->time.ahead == ahead);
    assert_int_equal(m->time.frame, frame);
    assert_int_equal(m->time.steps, steps);
}

/* SYS-11: without fixed steps, every stage sees the frame's time. */
static void frame_tells_its_time(void **state) {
    (void)state;
    app_fixture f;
    diary d = {.count = 0};
    app_open(&f, (stoa_app_desc){.threads = 1});
    assert_true(stoa_resource(f.world, stoa_time)->step == 0);
    noter(&f, &d, "s", STOA_STARTUP);
    noter(&f, &d, "u", STOA_UPDATE);
    noter(&f, &d, "c", STOA_CLEANUP);
    stoa_stage own =
        stoa_stage_new(f.app, &(stoa_stage_desc){.name = "Own", .after = "Update", .fixed = true});
    noter(&f, &d, "o", own);
    assert_int_equal(stoa_app_step(f.app, 0.5), STOA_OK);
    for (int i = 0; i < d.count; i++) {
        assert_moment(&d.moments[i], 0.5, 0.5, 0, 0, 0);
        assert_true(d.moments[i].time.step == 0);
    }
    assert_ran(&d, "suoc");
    assert_int_equal(stoa_app_step(f.app, 0.25), STOA_OK);
    assert_moment(&d.moments[0], 0.25, 0.75, 0, 1, 0);
    assert_ran(&d, "uoc");
    app_close(&f);
}

/* SYS-11: none in a short frame, several in a long one; what is left is carried over. */
static void fixed_steps_run_as_often_as_they_are_due(void **state) {
    (void)state;
    app_fixture f;
    diary d = {.count = 0};
    app_open(&f, (stoa_app_desc){.threads = 1, .fixed_step = 0.25});
    noter(&f, &d, "s", STOA_STARTUP);
    noter(&f, &d, "a", STOA_PRE_UPDATE);
    noter(&f, &d, "u", STOA_UPDATE);
    noter(&f, &d, "z", STOA_POST_UPDATE);
    noter(&f, &d, "r", STOA_RENDER);
    assert_int_equal(stoa_app_step(f.app, 0.125), STOA_OK);
    assert_moment(&d.moments[0], 0.125, 0.125, 0.125, 0, 0);
    assert_true(d.moments[0].time.step == 0.25);
    assert_ran(&d, "sr");
    assert_int_equal(stoa_app_step(f.app, 0.125), STOA_OK);
    assert_moment(&d.moments[0], 0.25, 0.25, 0, 1, 0);
    assert_moment(&d.moments[3], 0.125, 0.25, 0, 1, 1);
    assert_ran(&d, "auzr");
    assert_int_equal(stoa_app_step(f.app, 0.875), STOA_OK);
    for (int i = 0; i < 9; i++) {
        uint64_t before = 1 + (uint64_t)i / 3;
        assert_moment(&d.moments[i], 0.25, 0.25 * (double)(before + 1), 0.125, 2, before);
    }
    assert_moment(&d.moments[9], 0.875, 1.125, 0.125, 2, 4);
    assert_ran(&d, "auzauzauzr");
    assert_int_equal(stoa_app_step(f.app, 0), STOA_OK);
    assert_moment(&d.moments[0], 0, 1.125, 0.125, 3, 4);
    assert_ran(&d, "r");
    app_close(&f);
}

/* SYS-11: steps of a frame are bounded; what is beyond is lost, but not the part of a step. */
static void catching_up_has_a_bound(void **state) {
    (void)state;
    app_fixture f;
    diary d = {.count = 0};
    app_open(&f, (stoa_app_desc){.threads = 1, .fixed_step = 0.5, .step_max = 3});
    noter(&f, &d, "u", STOA_UPDATE);
    assert_int_equal(stoa_app_step(f.app, 1.5), STOA_OK);
    assert_ran(&d, "uuu");
    assert_int_equal(stoa_app_step(f.app, 100.125), STOA_OK);
    assert_true(d.moments[2].time.ahead == 0.125);
    assert_moment(&d.moments[2], 0.5, 3.0, 0.125, 1, 5);
    assert_ran(&d, "uuu");
    assert_int_equal(stoa_app_step(f.app, 0.375), STOA_OK);
    assert_moment(&d.moments[0], 0.5, 3.5, 0, 2, 6);
    assert_ran(&d, "u");
    assert_int_equal(stoa_app_step(f.app, 1e300), STOA_OK);
    assert_ran(&d, "uuu");
    assert_int_equal(stoa_app_step(f.app, 0.5), STOA_OK);
    assert_true(d.count >= 1 && d.count <= 2);
    app_close(&f);
}

/* SYS-11 */
static void eight_steps_are_the_most_by_default(void **state) {
    (void)state;
    app_fixture f;
    diary d = {.count = 0};
    app_open(&f, (stoa_app_desc){.threads = 1, .fixed_step = 0.25});
    noter(&f, &d, "u", STOA_UPDATE);
    assert_int_equal(stoa_app_step(f.app, 2), STOA_OK);
    assert_ran(&d, "uuuuuuuu");
    assert_int_equal(stoa_app_step(f.app, 2.25), STOA_OK);
    assert_ran(&d, "uuuuuuuu");
    assert_int_equal(stoa_app_step(f.app, 0), STOA_OK);
    assert_ran(&d, "");
    app_close(&f);
}

/* SYS-11: a step that is no binary fraction, over many frames: none is lost, and `ahead` is always
 * less than a step. */
static void accumulator_loses_nothing(void **state) {
    (void)state;
    app_fixture f;
    diary d = {.count = 0};
    app_open(&f, (stoa_app_desc){.threads = 1, .fixed_step = 1.0 / 60});
    noter(&f, &d, "u", STOA_UPDATE);
    support_random random = {9};
    double sum = 0;
    for (int i = 0; i < 2000; i++) {
        double delta = (double)support_random_below(&random, 1000) / 10000;
        sum += delta;
        assert_int_equal(stoa_app_step(f.app, delta), STOA_OK);
        const stoa_time *time = stoa_resource(f.world, stoa_time);
        assert_true(time->ahead >= 0 && time->ahead < 1.0 / 60);
        double covered = (double)time->steps / 60 + time->ahead;
        assert_true(covered > sum - 1e-6 && covered < sum + 1e-6);
        d.count = 0;
    }
    app_close(&f);
}

/* SYS-10 SYS-11: fixed stages that stand side by side are repeated together, own ones too. */
static void own_fixed_stages_join_their_neighbours(void **state) {
    (void)state;
    app_fixture f;
    diary d = {.count = 0};
    app_open(&f, (stoa_app_desc){.threads = 1, .fixed_step = 0.25});
    stoa_stage physics = stoa_stage_new(
        f.app, &(stoa_stage_desc){.name = "Physics", .after = "Update", .fixed = true});
    noter(&f, &d, "p", physics);
    noter(&f, &d, "u", STOA_UPDATE);
    noter(&f, &d, "z", STOA_POST_UPDATE);
    noter(&f, &d, "c", STOA_CLEANUP);
    assert_int_equal(stoa_app_step(f.app, 0.5), STOA_OK);
    assert_moment(&d.moments[1], 0.25, 0.25, 0, 0, 0);
    assert_moment(&d.moments[4], 0.25, 0.5, 0, 0, 1);
    assert_ran(&d, "upzupzc");
    app_close(&f);
}

/* SYS-10 SYS-11: a stage that is not fixed parts them into groups; each group has all the steps
 * that are due, with the same numbers. */
static void groups_of_fixed_stages_each_have_their_steps(void **state) {
    (void)state;
    app_fixture f;
    diary d = {.count = 0};
    app_open(&f, (stoa_app_desc){.threads = 1, .fixed_step = 0.25});
    stoa_stage own = stoa_stage_new(f.app, &(stoa_stage_desc){.name = "Own", .before = "Update"});
    stoa_stage late = stoa_stage_new(
        f.app, &(stoa_stage_desc){.name = "Late", .after = "Cleanup", .fixed = true});
    noter(&f, &d, "a", STOA_PRE_UPDATE);
    noter(&f, &d, "o", own);
    noter(&f, &d, "u", STOA_UPDATE);
    noter(&f, &d, "z", STOA_POST_UPDATE);
    noter(&f, &d, "r", STOA_RENDER);
    noter(&f, &d, "l", late);
    assert_int_equal(stoa_app_step(f.app, 0.5), STOA_OK);
    assert_moment(&d.moments[0], 0.25, 0.25, 0, 0, 0);
    assert_moment(&d.moments[1], 0.25, 0.5, 0, 0, 1);
    assert_moment(&d.moments[2], 0.5, 0.5, 0, 0, 2);
    assert_moment(&d.moments[3], 0.25, 0.25, 0, 0, 0);
    assert_moment(&d.moments[6], 0.25, 0.5, 0, 0, 1);
    assert_moment(&d.moments[7], 0.5, 0.5, 0, 0, 2);
    assert_moment(&d.moments[9], 0.25, 0.5, 0, 0, 1);
    assert_ran(&d, "aaouzuzrll");
    /* A stage without systems parts them as well. */
    assert_int_equal(stoa_system_enable_name(f.app, "o", false), STOA_OK);
    assert_int_equal(stoa_app_step(f.app, 0.5), STOA_OK);
    assert_ran(&d, "aauzuzrll");
    app_close(&f);
}

static stoa_status time_remove(stoa_job *job, stoa_iter *it) {
    (void)it;
    return stoa_resource_remove(job->world, stoa_time);
}

/* SYS-11: the time comes back if it is taken away, and keeps what the app knows. */
static void time_that_is_removed_comes_back(void **state) {
    (void)state;
    app_fixture f;
    diary d = {.count = 0};
    app_open(&f, (stoa_app_desc){.threads = 1});
    noter(&f, &d, "u", STOA_UPDATE);
    app_add(&f, (stoa_system_desc){.name = "x",
                                   .run = time_remove,
                                   .rule = STOA_THREAD_EXCLUSIVE,
                                   .stage = STOA_CLEANUP});
    assert_int_equal(stoa_resource_remove(f.world, stoa_time), STOA_OK);
    assert_int_equal(stoa_app_step(f.app, 0.5), STOA_OK);
    assert_false(stoa_resource_has(f.world, stoa_time));
    assert_int_equal(stoa_app_step(f.app, 0.5), STOA_OK);
    assert_moment(&d.moments[1], 0.5, 1.0, 0, 1, 0);
    /* What others write into it does not last. */
    assert_int_equal(stoa_resource_set(f.world, stoa_time, {.elapsed = 99, .frame = 99}), STOA_OK);
    assert_int_equal(stoa_app_step(f.app, 0.5), STOA_OK);
    assert_moment(&d.moments[2], 0.5, 1.5, 0, 2, 0);
    assert_ran(&d, "uuu");
    app_close(&f);
}

/* SYS-11: a world that has the time already keeps the resource where it is. */
static void time_of_a_given_world_is_taken_over(void **state) {
    support_world *s = *state;
    assert_int_equal(stoa_resource_set(s->world, stoa_time, {.elapsed = 5}), STOA_OK);
    const stoa_time *time = stoa_resource(s->world, stoa_time);
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = s->world, .threads = 1});
    assert_int_equal(stoa_app_step(app, 2), STOA_OK);
    assert_ptr_equal(stoa_resource(s->world, stoa_time), time);
    assert_true(time->elapsed == 2);
    uint32_t tick = stoa_tick(s->world);
    stoa_tick_advance(s->world);
    assert_int_equal(stoa_app_step(app, 2), STOA_OK);
    assert_true(stoa_resource_changed(s->world, stoa_time, tick));
    assert_int_equal(stoa_app_free(app), STOA_OK);
}

static stoa_status fail_second(stoa_job *job, stoa_iter *it) {
    (void)it;
    return stoa_resource(job->world, stoa_time)->steps == 1 ? STOA_FAILED : STOA_OK;
}

/* SYS-11: a failure ends the frame's steps; time goes on as if they had been made. */
static void failing_step_ends_the_frame(void **state) {
    (void)state;
    app_fixture f;
    diary d = {.count = 0};
    app_open(&f, (stoa_app_desc){.threads = 1, .fixed_step = 0.25});
    noter(&f, &d, "a", STOA_PRE_UPDATE);
    app_add(&f, (stoa_system_desc){
                    .name = "fail", .run = fail_second, .resources = {STOA_READ(stoa_time)}});
    noter(&f, &d, "z", STOA_POST_UPDATE);
    noter(&f, &d, "r", STOA_RENDER);
    assert_int_equal(stoa_app_step(f.app, 1), STOA_FAILED);
    assert_ran(&d, "aza");
    assert_int_equal(stoa_app_frame(f.app), 1);
    assert_int_equal(stoa_app_step(f.app, 0.25), STOA_OK);
    assert_moment(&d.moments[0], 0.25, 1.25, 0, 1, 4);
    assert_ran(&d, "azr");
    app_close(&f);
}

static stoa_status world_end(stoa_job *job, stoa_iter *it) {
    (void)it;
    stoa_world_free(job->world);
    assert_int_equal(stoa_last_error().status, STOA_LOCKED);
    return STOA_OK;
}

/* SYS-02 GEN-05 */
static void system_cannot_free_its_world(void **state) {
    (void)state;
    app_fixture f = {0};
    app_open(&f, (stoa_app_desc){0});
    app_add(&f, (stoa_system_desc){.name = "any", .run = world_end});
    app_add(&f,
            (stoa_system_desc){.name = "alone", .run = world_end, .rule = STOA_THREAD_EXCLUSIVE});
    app_step(&f);
    f.s.asserts_seen = f.s.asserts;
    app_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_tells_its_time),
        cmocka_unit_test(fixed_steps_run_as_often_as_they_are_due),
        cmocka_unit_test(catching_up_has_a_bound),
        cmocka_unit_test(eight_steps_are_the_most_by_default),
        cmocka_unit_test(accumulator_loses_nothing),
        cmocka_unit_test(own_fixed_stages_join_their_neighbours),
        cmocka_unit_test(groups_of_fixed_stages_each_have_their_steps),
        cmocka_unit_test(time_that_is_removed_comes_back),
        cmocka_unit_test_setup_teardown(time_of_a_given_world_is_taken_over, support_setup,
                                        support_teardown),
        cmocka_unit_test(failing_step_ends_the_frame),
        cmocka_unit_test(system_cannot_free_its_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

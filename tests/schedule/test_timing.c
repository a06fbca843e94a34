/* Timings: what is kept, what is told, and that none cost nothing. */
#include "schedule/timing_fixture.h"

#define NANO 1e-9
#define assert_seconds(value, nanoseconds)                                                         \
    assert_true((value) > (nanoseconds)*NANO - 1e-12 && (value) < (nanoseconds)*NANO + 1e-12)

static void assert_none(stoa_timing timing) {
    assert_int_equal(timing.count, 0);
    assert_true(timing.last == 0 && timing.mean == 0 && timing.most == 0);
}

static stoa_status failing_run(stoa_job *job, stoa_iter *it) {
    (void)it;
    return stoa_job_fail(job, "no luck");
}

/* SYS-13 */
static void timings_that_are_off_cost_nothing(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    stoa_system system = fixture_alone(&f, "one", nothing_run, STOA_UPDATE);
    fixture_step(&f, 3);
    size_t before = f.s.heap.allocations;
    fixture_step(&f, 10);
    assert_int_equal(f.s.heap.allocations, before);
    assert_null(f.app->timings);
    assert_null(stoa__timings_batch_begin(f.app, 0, 5));
    assert_none(stoa_timing_system(f.app, system));
    assert_none(stoa_timing_stage(f.app, STOA_UPDATE));
    assert_none(stoa_timing_batch(f.app, STOA_UPDATE, 0));
    assert_none(stoa_timing_thread(f.app, 0));
    assert_int_equal(stoa_timing_keep(f.app, 0), STOA_OK);
    assert_int_equal(f.s.heap.allocations, before);
    fixture_close(&f);
}

/* SYS-13 */
static void system_time_is_the_sum_of_its_jobs(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    assert_int_equal(stoa_timing_keep(f.app, 8), STOA_OK);
    fixture_frame(&f, (stoa__span[]){{100, 150, 5, 0}, {100, 200, 5, 1}, {150, 157, 6, 0}}, 3);
    fixture_frame(&f, (stoa__span[]){{300, 350, 5, 1}, {350, 351, 6, 1}}, 2);
    fixture_frame(&f, (stoa__span[]){{500, 503, 6, 0}}, 1);
    stoa_timing five = stoa_timing_system(f.app, (stoa_system){5});
    assert_int_equal(five.count, 2);
    assert_seconds(five.last, 0);
    assert_seconds(five.mean, 100);
    assert_seconds(five.most, 150);
    stoa_timing six = stoa_timing_system(f.app, (stoa_system){6});
    assert_int_equal(six.count, 3);
    assert_seconds(six.last, 3);
    assert_seconds(six.mean, 11.0 / 3);
    assert_seconds(six.most, 7);
    stoa_timing main_thread = stoa_timing_thread(f.app, 0);
    assert_int_equal(main_thread.count, 2);
    assert_seconds(main_thread.last, 3);
    assert_seconds(main_thread.mean, 30);
    assert_seconds(main_thread.most, 57);
    stoa_timing worker = stoa_timing_thread(f.app, 1);
    assert_int_equal(worker.count, 2);
    assert_seconds(worker.last, 0);
    assert_seconds(worker.mean, 75.5);
    assert_seconds(worker.most, 100);
    fixture_close(&f);
}

/* SYS-13 */
static void ring_keeps_the_newest_frames(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    assert_int_equal(stoa_timing_keep(f.app, 3), STOA_OK);
    for (uint64_t i = 1; i <= 10; i++) {
        fixture_frame(&f, (stoa__span[]){{0, 1000 - i * 10, 5, 0}}, 1);
        stoa_timing timing = stoa_timing_system(f.app, (stoa_system){5});
        uint64_t kept = i < 3 ? i : 3;
        assert_int_equal(timing.count, kept);
        assert_seconds(timing.last, (double)(1000 - i * 10));
        assert_seconds(timing.most, (double)(1000 - (i - kept + 1) * 10));
        assert_seconds(timing.mean, (double)(1000 - i * 10) + (double)(kept - 1) * 5);
    }
    assert_int_equal(f.app->timings->count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(stoa__timed_at(f.app->timings, i)->number, 7 + i);
    }
    fixture_close(&f);
}

/* SYS-13 */
static void ring_of_one_frame_keeps_the_last(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    stoa_system system = fixture_system(&f, "one", nothing_run, STOA_UPDATE);
    assert_int_equal(stoa_timing_keep(f.app, 1), STOA_OK);
    for (int i = 0; i < 4; i++) {
        fixture_step(&f, 1);
        stoa_timing timing = stoa_timing_system(f.app, system);
        assert_int_equal(timing.count, 1);
        assert_true(timing.last == timing.most && timing.last == timing.mean);
    }
    fixture_close(&f);
}

/* SYS-13 */
static void another_number_of_frames_starts_anew(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    stoa_system system = fixture_system(&f, "one", nothing_run, STOA_UPDATE);
    fixture_step(&f, 2);
    size_t bytes = f.s.heap.bytes;
    assert_int_equal(stoa_timing_keep(f.app, 4), STOA_OK);
    fixture_step(&f, 2);
    assert_int_equal(stoa_timing_keep(f.app, 4), STOA_OK);
    assert_int_equal(stoa_timing_system(f.app, system).count, 2);
    assert_int_equal(stoa_timing_keep(f.app, 5), STOA_OK);
    assert_none(stoa_timing_system(f.app, system));
    fixture_step(&f, 1);
    assert_int_equal(stoa_timing_system(f.app, system).count, 1);
    assert_int_equal(stoa_timing_keep(f.app, 0), STOA_OK);
    assert_int_equal(f.s.heap.bytes, bytes);
    assert_none(stoa_timing_system(f.app, system));
    assert_int_equal(stoa_timing_keep(f.app, 100000), STOA_OK);
    fixture_close(&f);
}

/* SYS-13 */
static void impossible_numbers_of_frames_are_refused(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    assert_int_equal(stoa_timing_keep(f.app, 2), STOA_OK);
    fixture_step(&f, 2);
    support_assert_misuse(&f.s, stoa_timing_keep(f.app, -1), STOA_INVALID);
    support_assert_message("-1");
    support_assert_misuse(&f.s, stoa_timing_keep(f.app, 100001), STOA_INVALID);
    support_assert_misuse(&f.s, stoa_timing_keep(f.app, INT32_MIN), STOA_INVALID);
    assert_int_equal(f.app->timings->count, 2);
    assert_int_equal(stoa_timing_keep(NULL, 1), STOA_NULL_ARGUMENT);
    fixture_close(&f);
}

/* SYS-13 */
static void questions_about_nothing_are_answered_with_zeros(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    fixture_system(&f, "one", nothing_run, STOA_UPDATE);
    assert_int_equal(stoa_timing_keep(f.app, 2), STOA_OK);
    fixture_step(&f, 2);
    assert_none(stoa_timing_system(NULL, (stoa_system){1}));
    assert_none(stoa_timing_stage(NULL, STOA_UPDATE));
    assert_none(stoa_timing_batch(NULL, STOA_UPDATE, 0));
    assert_none(stoa_timing_thread(NULL, 0));
    assert_none(stoa_timing_system(f.app, (stoa_system){0}));
    assert_none(stoa_timing_system(f.app, (stoa_system){99}));
    assert_none(stoa_timing_stage(f.app, 99));
    assert_none(stoa_timing_batch(f.app, STOA_UPDATE, 1));
    assert_none(stoa_timing_batch(f.app, STOA_UPDATE, -1));
    assert_none(stoa_timing_thread(f.app, 1));
    assert_none(stoa_timing_thread(f.app, -1));
    support_assert_quiet(&f.s);
    fixture_close(&f);
}

static stoa_status keep_run(stoa_job *job, stoa_iter *it) {
    (void)it;
    timing_fixture *f = job->user;
    assert_int_equal(stoa_timing_keep(f->app, 7), STOA_LOCKED);
    assert_int_equal(stoa_timing_keep(f->app, 0), STOA_LOCKED);
    /* The frame under way is not told of, and with room for two one is still kept. */
    uint32_t kept = job->frame < 1 ? (uint32_t)job->frame : 1;
    assert_int_equal(f->app->timings->count, kept);
    assert_int_equal(stoa_timing_stage(f->app, STOA_UPDATE).count, kept);
    return STOA_OK;
}

/* SYS-13 */
static void timings_stay_while_the_app_steps(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    stoa_system_desc desc = {
        .name = "keep", .run = keep_run, .rule = STOA_THREAD_EXCLUSIVE, .user = &f};
    assert_int_not_equal(stoa_system_new(f.app, &desc).id, 0);
    assert_int_equal(stoa_timing_keep(f.app, 2), STOA_OK);
    fixture_step(&f, 5);
    assert_int_equal(f.app->timings->capacity, 2);
    assert_int_equal(f.app->timings->count, 2);
    fixture_close(&f);
}

/* SYS-11 SYS-13 */
static void stage_of_fixed_steps_is_the_sum_of_its_runs(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1, .fixed_step = 0.125});
    stoa_system update = fixture_system(&f, "update", nothing_run, STOA_UPDATE);
    stoa_system render = fixture_system(&f, "render", nothing_run, STOA_RENDER);
    assert_int_equal(stoa_timing_keep(f.app, 4), STOA_OK);
    assert_int_equal(stoa_app_step(f.app, 0.375), STOA_OK);
    const stoa__timed_frame *frame = stoa__timed_at(f.app->timings, 0);
    uint64_t stages = 0, batches = 0, spans = 0, update_runs = 0;
    for (uint32_t i = 0; i < frame->stage_count; i++) {
        const stoa__timed_stage *stage = &frame->stages[i];
        stages += stage->stage == STOA_UPDATE ? stage->end - stage->start : 0;
        update_runs += stage->stage == STOA_UPDATE;
    }
    for (uint32_t i = 0; i < frame->batch_count; i++) {
        const stoa__timed_batch *batch = &frame->batches[i];
        batches += batch->stage == STOA_UPDATE ? batch->end - batch->start : 0;
    }
    for (uint32_t i = 0; i < frame->span_count; i++) {
        const stoa__span *span = &frame->spans[i];
        spans += span->system == update.id ? span->end - span->start : 0;
    }
    assert_int_equal(update_runs, 3);
    assert_int_equal(frame->batch_count, 4);
    assert_int_equal(frame->span_count, 4);
    assert_true(stages >= batches && batches >= spans);
    assert_int_equal(stoa_timing_stage(f.app, STOA_UPDATE).count, 1);
    assert_seconds(stoa_timing_stage(f.app, STOA_UPDATE).last, (double)stages);
    assert_seconds(stoa_timing_batch(f.app, STOA_UPDATE, 0).last, (double)batches);
    assert_seconds(stoa_timing_system(f.app, update).last, (double)spans);
    assert_int_equal(stoa_app_step(f.app, 0), STOA_OK);
    assert_int_equal(stoa_timing_stage(f.app, STOA_UPDATE).count, 1);
    assert_seconds(stoa_timing_stage(f.app, STOA_UPDATE).last, 0);
    assert_int_equal(stoa_timing_system(f.app, render).count, 2);
    fixture_close(&f);
}

static bool odd_frames(const stoa_world *world, void *user) {
    (void)user;
    return stoa_resource(world, stoa_time)->frame % 2 == 1;
}

/* SYS-13 */
static void systems_that_do_not_run_are_not_timed(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    stoa_system_desc desc = {
        .name = "odd", .run = nothing_run, .condition = odd_frames, .stage = STOA_RENDER};
    stoa_system odd = stoa_system_new(f.app, &desc);
    stoa_system off = fixture_system(&f, "off", nothing_run, STOA_UPDATE);
    stoa_system on = fixture_system(&f, "on", nothing_run, STOA_UPDATE);
    stoa_system once = fixture_system(&f, "once", nothing_run, STOA_STARTUP);
    assert_int_equal(stoa_system_enable(f.app, off, false), STOA_OK);
    assert_int_equal(stoa_timing_keep(f.app, 10), STOA_OK);
    fixture_step(&f, 4);
    assert_int_equal(stoa_timing_system(f.app, odd).count, 2);
    assert_int_equal(stoa_timing_batch(f.app, STOA_RENDER, 0).count, 2);
    assert_int_equal(stoa_timing_stage(f.app, STOA_RENDER).count, 4);
    assert_none(stoa_timing_system(f.app, off));
    assert_int_equal(stoa_timing_system(f.app, on).count, 4);
    assert_int_equal(stoa_timing_system(f.app, once).count, 1);
    assert_int_equal(stoa_timing_stage(f.app, STOA_STARTUP).count, 1);
    assert_int_equal(stoa_system_remove(f.app, on), STOA_OK);
    fixture_step(&f, 1);
    assert_int_equal(stoa_timing_system(f.app, on).count, 4);
    assert_true(stoa_timing_system(f.app, on).last == 0);
    fixture_close(&f);
}

/* SYS-13 */
static void frame_that_fails_is_kept_as_far_as_it_came(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    stoa_system failing = fixture_system(&f, "failing", failing_run, STOA_UPDATE);
    stoa_system beside = fixture_system(&f, "beside", nothing_run, STOA_UPDATE);
    stoa_system after = fixture_system(&f, "after", nothing_run, STOA_POST_UPDATE);
    assert_int_equal(stoa_timing_keep(f.app, 10), STOA_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_not_equal(stoa_app_step(f.app, 1), STOA_OK);
    }
    assert_int_equal(f.app->timings->count, 2);
    assert_int_equal(stoa_timing_system(f.app, failing).count, 2);
    assert_int_equal(stoa_timing_system(f.app, beside).count, 2);
    assert_int_equal(stoa_timing_stage(f.app, STOA_UPDATE).count, 2);
    assert_int_equal(stoa_timing_batch(f.app, STOA_UPDATE, 0).count, 2);
    assert_none(stoa_timing_system(f.app, after));
    assert_none(stoa_timing_stage(f.app, STOA_POST_UPDATE));
    for (uint32_t i = 0; i < 2; i++) {
        const stoa__timed_frame *frame = stoa__timed_at(f.app->timings, i);
        assert_true(frame->end >= frame->start);
        assert_true(frame->stages[frame->stage_count - 1].end <= frame->end);
        assert_true(frame->batches[0].end >= frame->batches[0].start);
    }
    fixture_close(&f);
}

/* SYS-13 */
static void job_that_never_started_is_not_timed(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    assert_int_equal(stoa_timing_keep(f.app, 1), STOA_OK);
    fixture_frame(&f, (stoa__span[]){{100, 150, 5, 0}, {100, 200, 5, 0}}, 2);
    stoa__timings_frame_begin(f.app);
    stoa__timings_stage_begin(f.app, STOA_UPDATE);
    stoa__span *spans = stoa__timings_batch_begin(f.app, 0, 2);
    assert_non_null(spans);
    spans[1] = (stoa__span){200, 230, 5, 0};
    stoa__timings_batch_end(f.app);
    stoa__timings_stage_end(f.app);
    stoa__timings_frame_end(f.app);
    assert_seconds(stoa_timing_system(f.app, (stoa_system){5}).last, 30);
    assert_seconds(stoa_timing_thread(f.app, 0).last, 30);
    assert_none(stoa_timing_system(f.app, (stoa_system){0}));
    fixture_frame(&f, (stoa__span[]){{0, 0, 0, 0}}, 1);
    assert_none(stoa_timing_thread(f.app, 0));
    fixture_close(&f);
}

/* SYS-13 */
static void warm_frames_allocate_nothing(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1, .fixed_step = 0.125});
    fixture_alone(&f, "update", nothing_run, STOA_UPDATE);
    fixture_alone(&f, "render", nothing_run, STOA_RENDER);
    assert_int_equal(stoa_timing_keep(f.app, 3), STOA_OK);
    fixture_step(&f, 4);
    size_t before = f.s.heap.allocations;
    fixture_step(&f, 20);
    assert_int_equal(f.s.heap.allocations, before);
    fixture_close(&f);
}

/* SYS-13 GEN-03 */
static void frame_without_memory_is_run_untimed(void **state) {
    timing_fixture f;
    uint32_t lost = 1, stages = 0, batches = 0;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    stoa_system early = fixture_alone(&f, "early", nothing_run, STOA_PRE_UPDATE);
    stoa_system render = fixture_alone(&f, "render", nothing_run, STOA_RENDER);
    fixture_step(&f, 2);
    for (size_t k = 1; lost > 0; k++) {
        assert_int_equal(stoa_timing_keep(f.app, 1), STOA_OK);
        f.s.heap.fail_at = k;
        fixture_step(&f, 1);
        f.s.heap.fail_at = 0;
        const stoa__timed_frame *frame = stoa__timed_at(f.app->timings, 0);
        lost = frame->lost;
        assert_in_range(lost, 0, 1);
        stages += stoa_timing_stage(f.app, STOA_PRE_UPDATE).count == 0;
        bool untimed = stoa_timing_batch(f.app, STOA_PRE_UPDATE, 0).count == 0;
        batches += untimed;
        assert_int_equal(stoa_timing_system(f.app, early).count, !untimed);
        /* What follows is tried again. */
        assert_int_equal(stoa_timing_system(f.app, render).count, 1);
        assert_int_equal(stoa_timing_keep(f.app, 0), STOA_OK);
    }
    assert_int_equal(stages, 1);
    assert_int_equal(batches, 2);
    assert_int_equal(stoa_timing_keep(f.app, 2), STOA_OK);
    f.s.heap.fail_at = 1;
    f.s.heap.fail_forever = true;
    fixture_step(&f, 3);
    f.s.heap.fail_at = 0;
    assert_int_equal(f.app->timings->count, 2);
    assert_true(stoa__timed_at(f.app->timings, 1)->lost > 2);
    assert_none(stoa_timing_system(f.app, early));
    fixture_step(&f, 1);
    assert_int_equal(stoa__timed_at(f.app->timings, 1)->lost, 0);
    assert_int_equal(stoa_timing_system(f.app, early).count, 1);
    fixture_close(&f);
}

/* SYS-13 GEN-03 */
static void ring_without_memory_leaves_the_old_one(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    stoa_system update = fixture_system(&f, "update", nothing_run, STOA_UPDATE);
    assert_int_equal(stoa_timing_keep(f.app, 3), STOA_OK);
    fixture_step(&f, 3);
    size_t bytes = f.s.heap.bytes;
    for (size_t k = 1; k <= 2; k++) {
        f.s.heap.fail_at = k;
        assert_int_equal(stoa_timing_keep(f.app, 9), STOA_NO_MEMORY);
        support_assert_message("timings");
        assert_int_equal(f.s.heap.bytes, bytes);
        assert_int_equal(stoa_timing_system(f.app, update).count, 3);
    }
    assert_int_equal(stoa_timing_keep(f.app, 9), STOA_OK);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timings_that_are_off_cost_nothing),
        cmocka_unit_test(system_time_is_the_sum_of_its_jobs),
        cmocka_unit_test(ring_keeps_the_newest_frames),
        cmocka_unit_test(ring_of_one_frame_keeps_the_last),
        cmocka_unit_test(another_number_of_frames_starts_anew),
        cmocka_unit_test(impossible_numbers_of_frames_are_refused),
        cmocka_unit_test(questions_about_nothing_are_answered_with_zeros),
        cmocka_unit_test(timings_stay_while_the_app_steps),
        cmocka_unit_test(stage_of_fixed_steps_is_the_sum_of_its_runs),
        cmocka_unit_test(systems_that_do_not_run_are_not_timed),
        cmocka_unit_test(frame_that_fails_is_kept_as_far_as_it_came),
        cmocka_unit_test(job_that_never_started_is_not_timed),
        cmocka_unit_test(warm_frames_allocate_nothing),
        cmocka_unit_test(frame_without_memory_is_run_untimed),
        cmocka_unit_test(ring_without_memory_leaves_the_old_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

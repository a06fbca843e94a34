/* An app on a counted world, for the tests of timings. */
#ifndef STOA_TESTS_TIMING_FIXTURE_H
#define STOA_TESTS_TIMING_FIXTURE_H

#include "schedule/timed.h"
#include "support/support.h"

typedef struct timing_fixture {
    support_world s; /* first: the state of a test is either */
    stoa_app *app;
} timing_fixture;

static inline void fixture_open(timing_fixture *f, const stoa_app_desc *as) {
    support_world_open(&f->s);
    stoa_app_desc desc = *as;
    desc.world = f->s.world;
    f->app = stoa_app_new(&desc);
    assert_non_null(f->app);
}

static inline void fixture_close(timing_fixture *f) {
    assert_int_equal(stoa_app_free(f->app), STOA_OK);
    support_world_close(&f->s);
}

/* A system that runs once a frame. */
static inline stoa_system fixture_system(timing_fixture *f, const char *name, stoa_system_fn run,
                                         stoa_stage stage) {
    stoa_system system =
        stoa_system_new(f->app, &(stoa_system_desc){.name = name, .run = run, .stage = stage});
    assert_int_not_equal(system.id, 0);
    return system;
}

/* A system that runs once a frame and alone, for which the world needs no memory. */
static inline stoa_system fixture_alone(timing_fixture *f, const char *name, stoa_system_fn run,
                                        stoa_stage stage) {
    stoa_system_desc desc = {
        .name = name, .run = run, .stage = stage, .rule = STOA_THREAD_EXCLUSIVE};
    stoa_system system = stoa_system_new(f->app, &desc);
    assert_int_not_equal(system.id, 0);
    return system;
}

static inline void fixture_step(timing_fixture *f, int frames) {
    for (int i = 0; i < frames; i++) {
        assert_int_equal(stoa_app_step(f->app, 0.25), STOA_OK);
    }
}

/* Takes a frame of one stage and batch down, with the jobs that are given. */
static inline void fixture_frame(timing_fixture *f, const stoa__span *spans, uint32_t count) {
    stoa__timings_frame_begin(f->app);
    stoa__timings_stage_begin(f->app, STOA_UPDATE);
    stoa__span *taken = stoa__timings_batch_begin(f->app, 0, count);
    assert_non_null(taken);
    memcpy(taken, spans, count * sizeof *spans);
    stoa__timings_batch_end(f->app);
    stoa__timings_stage_end(f->app);
    stoa__timings_frame_end(f->app);
    f->app->frame++;
}

static inline stoa_status nothing_run(stoa_job *job, stoa_iter *it) {
    (void)job;
    (void)it;
    return STOA_OK;
}

#endif

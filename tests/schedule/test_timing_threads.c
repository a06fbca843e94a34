/* Timings of an app on several threads: taken down by all of them, asked for by all of them. */
#include "schedule/timing_fixture.h"
#include "schedule/trace_reader.h"

#define ROWS 4096
#define FRAMES 50
#define EVENTS 4096

STOA_COMPONENT(Count, { uint64_t value; });

typedef struct asked {
    stoa_app *app;
    stoa_system system;
} asked;

static stoa_status count_each(stoa_job *job, stoa_iter *it) {
    const asked *a = job->user;
    Count *count = stoa_field_mut(it, Count, 0);
    stoa_timing timing = stoa_timing_system(a->app, a->system);
    uint64_t kept = job->frame < 3 ? job->frame : 3;
    if (timing.count != (int32_t)kept || stoa_timing_trace(a->app, NULL, 0) <= 0) {
        return stoa_job_fail(job, "%d frames told", timing.count);
    }
    for (int32_t i = 0; i < it->count; i++) {
        count[i].value++;
    }
    return STOA_OK;
}

/* SYS-13 */
static void threads_take_timings_and_ask_for_them(void **state) {
    timing_fixture f;
    static stoa_entity made[ROWS];
    static trace_event events[EVENTS];
    static char text[EVENTS * 256];
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 4});
    assert_int_equal(stoa_create_bulk(f.s.world, ROWS, made, STOA_ZERO(Count)), STOA_OK);
    asked a = {f.app, {0}};
    stoa_system_desc desc = {.name = "count",
                             .each = count_each,
                             .terms = {STOA_WRITE(Count)},
                             .grain = 128,
                             .user = &a};
    a.system = stoa_system_new(f.app, &desc);
    assert_int_equal(stoa_timing_keep(f.app, 4), STOA_OK);
    for (int frame = 0; frame < FRAMES; frame++) {
        fixture_step(&f, 1);
        double threads = 0;
        for (int32_t i = 0; i < stoa_app_threads(f.app); i++) {
            threads += stoa_timing_thread(f.app, i).last;
        }
        double system = stoa_timing_system(f.app, a.system).last;
        assert_true(threads > system - 1e-9 && threads < system + 1e-9);
        assert_int_equal(stoa__timed_at(f.app->timings, f.app->timings->count - 1)->span_count,
                         ROWS / 128);
    }
    assert_true(stoa_timing_trace(f.app, text, sizeof text) < (int64_t)sizeof text);
    int32_t count = reader_read(text, events, EVENTS);
    reader_check(events, count);
    for (int32_t i = 0; i < count; i++) {
        assert_in_range(events[i].thread, 0, 3);
    }
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(stoa_get(f.s.world, made[i], Count)->value, FRAMES);
    }
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_take_timings_and_ask_for_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

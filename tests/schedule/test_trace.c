/* Traces: structure, names, lengths. */
#include "schedule/timing_fixture.h"
#include "schedule/trace_reader.h"

#include <stdlib.h>

#define EVENTS 512

typedef struct told {
    char *text;
    size_t size;
    trace_event *events;
    int32_t count;
} told;

/* Writes the trace and reads it. */
static told trace_read(const stoa_app *app) {
    told t;
    int64_t length = stoa_timing_trace(app, NULL, 0);
    assert_true(length > 0);
    t.size = (size_t)length + 1;
    t.text = test_malloc(t.size);
    t.events = test_malloc(EVENTS * sizeof *t.events);
    memset(t.text, '#', t.size);
    assert_int_equal(stoa_timing_trace(app, t.text, t.size), length);
    assert_int_equal(strlen(t.text), length);
    t.count = reader_read(t.text, t.events, EVENTS);
    reader_check(t.events, t.count);
    return t;
}

static void trace_free(told *t) {
    test_free(t->text);
    test_free(t->events);
}

/* How many spans there are of a category and, unless NULL, a name. */
static int32_t trace_count(const told *t, const char *category, const char *name) {
    int32_t count = 0;
    for (int32_t i = 0; i < t->count; i++) {
        count += strcmp(t->events[i].category, category) == 0 &&
                 (name == NULL || strcmp(t->events[i].name, name) == 0);
    }
    return count;
}

static const trace_event *trace_find(const told *t, const char *category, const char *name) {
    for (int32_t i = 0; i < t->count; i++) {
        if (strcmp(t->events[i].category, category) == 0 && strcmp(t->events[i].name, name) == 0) {
            return &t->events[i];
        }
    }
    fail_msg("no %s '%s' in %s", category, name, t->text);
    return NULL;
}

/* SYS-13 */
static void trace_tells_frames_stages_batches_and_systems(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    fixture_system(&f, "move", nothing_run, STOA_UPDATE);
    fixture_system(&f, "draw", nothing_run, STOA_RENDER);
    fixture_alone(&f, "alone", nothing_run, STOA_UPDATE);
    assert_int_equal(stoa_timing_keep(f.app, 3), STOA_OK);
    fixture_step(&f, 5);
    told t = trace_read(f.app);
    assert_int_equal(trace_count(&t, "frame", NULL), 3);
    assert_int_equal(trace_count(&t, "stage", "Update"), 3);
    assert_int_equal(trace_count(&t, "stage", "Render"), 3);
    assert_int_equal(trace_count(&t, "stage", "Startup"), 0);
    assert_int_equal(trace_count(&t, "batch", NULL), 9);
    assert_int_equal(trace_count(&t, "batch", "Update 0"), 3);
    assert_int_equal(trace_count(&t, "batch", "Update 1"), 3);
    assert_int_equal(trace_count(&t, "batch", "Render 0"), 3);
    assert_int_equal(trace_count(&t, "system", NULL), 9);
    assert_int_equal(trace_count(&t, "system", "move"), 3);
    assert_int_equal(trace_count(&t, "system", "draw"), 3);
    assert_int_equal(trace_count(&t, "system", "alone"), 3);
    assert_int_equal(trace_find(&t, "frame", "frame 2")->start, 0);
    assert_int_equal(trace_find(&t, "frame", "frame 4")->frame, 4);
    assert_int_equal(trace_find(&t, "frame", "frame 4")->lost, 0);
    assert_int_equal(trace_find(&t, "batch", "Render 0")->jobs, 1);
    trace_free(&t);
    fixture_close(&f);
}

/* SYS-13 */
static void trace_tells_times_exactly(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 3});
    assert_int_equal(stoa_timing_keep(f.app, 1), STOA_OK);
    stoa__timings_frame_begin(f.app);
    stoa__timings_stage_begin(f.app, STOA_UPDATE);
    stoa__span *spans = stoa__timings_batch_begin(f.app, 7, 4);
    stoa__timed_frame *frame = &f.app->timings->frames[0];
    spans[0] = (stoa__span){1000000007, 1001002010, 1, 0};
    spans[1] = (stoa__span){1000000007, 1000000007, 1, 2};
    /* The third never started. */
    spans[3] = (stoa__span){1000000010, 1000012355, 9, 2};
    stoa__timings_batch_end(f.app);
    stoa__timings_stage_end(f.app);
    stoa__timings_frame_end(f.app);
    frame->start = 999999999;
    frame->stages[0].start = frame->batches[0].start = 1000000000;
    frame->end = frame->stages[0].end = frame->batches[0].end = 1002000000;
    told t = trace_read(f.app);
    assert_int_equal(trace_find(&t, "frame", "frame 0")->length, 2000001);
    assert_int_equal(trace_find(&t, "stage", "Update")->start, 1);
    assert_int_equal(trace_find(&t, "batch", "Update 7")->jobs, 4);
    assert_non_null(strstr(t.text, "\"ts\":0.008,\"dur\":1002.003,"));
    assert_int_equal(trace_count(&t, "system", NULL), 3);
    assert_int_equal(trace_count(&t, "system", "system 1"), 2);
    const trace_event *second = trace_find(&t, "system", "system 1") + 1;
    assert_int_equal(second->job, 1);
    assert_int_equal(second->length, 0);
    const trace_event *other = trace_find(&t, "system", "system 9");
    assert_int_equal(other->thread, 2);
    assert_int_equal(other->job, 0);
    assert_int_equal(other->start, 11);
    assert_int_equal(other->length, 12345);
    trace_free(&t);
    fixture_close(&f);
}

/* SYS-13 */
static void trace_names_every_thread(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 3});
    for (int kept = 0; kept < 2; kept++) {
        told t = trace_read(f.app);
        assert_int_equal(t.count, 4);
        static const char *const names[] = {"main", "worker 1", "worker 2"};
        int32_t found = 0;
        for (int32_t i = 0; i < t.count; i++) {
            if (strcmp(t.events[i].name, "thread_name") == 0) {
                assert_int_equal(t.events[i].thread, found);
                assert_string_equal(t.events[i].called, names[found++]);
            } else {
                assert_string_equal(t.events[i].name, "process_name");
            }
        }
        assert_int_equal(found, 3);
        trace_free(&t);
        assert_int_equal(stoa_timing_keep(f.app, 2), STOA_OK);
    }
    fixture_close(&f);
}

/* SYS-13 */
static void trace_has_each_run_of_a_fixed_step(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1, .fixed_step = 0.125});
    fixture_system(&f, "move", nothing_run, STOA_UPDATE);
    fixture_system(&f, "draw", nothing_run, STOA_RENDER);
    assert_int_equal(stoa_timing_keep(f.app, 2), STOA_OK);
    assert_int_equal(stoa_app_step(f.app, 0.5), STOA_OK);
    told t = trace_read(f.app);
    assert_int_equal(trace_count(&t, "stage", "Update"), 4);
    assert_int_equal(trace_count(&t, "batch", "Update 0"), 4);
    assert_int_equal(trace_count(&t, "system", "move"), 4);
    assert_int_equal(trace_count(&t, "system", "draw"), 1);
    assert_int_equal(trace_count(&t, "frame", NULL), 1);
    trace_free(&t);
    fixture_close(&f);
}

/* SYS-13 */
static void trace_escapes_names(void **state) {
    static const struct {
        const char *name;
        const char *told;
    } cases[] = {
        {"quote \" and \\ and /", NULL},
        {"tab\tline\nreturn\rbell\x07"
         "escape\x1B",
         NULL},
        {"del \x7F", NULL},
        {"h\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xED\x9F\xBF \xEE\x80\x80 \xF4\x8F\xBF\xBF",
         NULL},
        {"lone \x80.", "lone \xEF\xBF\xBD."},
        {"cut \xC3", "cut \xEF\xBF\xBD"},
        {"cut \xE2\x82", "cut \xEF\xBF\xBD\xEF\xBF\xBD"},
        {"cut \xF0\x9F\x98z", "cut \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz"},
        {"long \xC0\xAF", "long \xEF\xBF\xBD\xEF\xBF\xBD"},
        {"long \xE0\x80\xAF", "long \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"long \xF0\x8F\xBF\xBF", "long \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"half \xED\xA0\x80", "half \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"far \xF4\x90\x80\x80", "far \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"none \xFF\xFE", "none \xEF\xBF\xBD\xEF\xBF\xBD"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        timing_fixture f;
        const char *name = cases[i].name, *expected = cases[i].told;
        expected = expected != NULL ? expected : name;
        fixture_open(&f, &(stoa_app_desc){.threads = 1});
        stoa_stage stage =
            stoa_stage_new(f.app, &(stoa_stage_desc){.name = name, .after = "Update"});
        assert_int_not_equal(stage, UINT32_MAX);
        fixture_system(&f, name, nothing_run, stage);
        assert_int_equal(stoa_timing_keep(f.app, 1), STOA_OK);
        fixture_step(&f, 1);
        told t = trace_read(f.app);
        char batch[TEXT_MAX];
        snprintf(batch, sizeof batch, "%s 0", expected);
        trace_find(&t, "stage", expected);
        trace_find(&t, "batch", batch);
        trace_find(&t, "system", expected);
        trace_free(&t);
        fixture_close(&f);
    }
}

/* SYS-13 */
static void system_with_a_long_name_is_told_whole(void **state) {
    timing_fixture f;
    char name[201];
    (void)state;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    fixture_system(&f, name, nothing_run, STOA_UPDATE);
    assert_int_equal(stoa_timing_keep(f.app, 1), STOA_OK);
    fixture_step(&f, 1);
    told t = trace_read(f.app);
    trace_find(&t, "system", name);
    trace_free(&t);
    fixture_close(&f);
}

/* SYS-13 */
static void removed_system_is_told_by_number(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    stoa_system gone = fixture_system(&f, "gone", nothing_run, STOA_UPDATE);
    fixture_system(&f, "here", nothing_run, STOA_UPDATE);
    assert_int_equal(stoa_timing_keep(f.app, 4), STOA_OK);
    fixture_step(&f, 1);
    assert_int_equal(stoa_system_remove(f.app, gone), STOA_OK);
    fixture_step(&f, 1);
    char name[32];
    snprintf(name, sizeof name, "system %u", gone.id);
    told t = trace_read(f.app);
    assert_int_equal(trace_count(&t, "system", name), 1);
    assert_int_equal(trace_count(&t, "system", "gone"), 0);
    assert_int_equal(trace_count(&t, "system", "here"), 2);
    trace_free(&t);
    fixture_close(&f);
}

/* SYS-13 */
static void small_buffer_holds_the_beginning(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    fixture_system(&f, "move", nothing_run, STOA_UPDATE);
    assert_int_equal(stoa_timing_keep(f.app, 1), STOA_OK);
    fixture_step(&f, 1);
    told t = trace_read(f.app);
    size_t before = f.s.heap.allocations;
    for (size_t size = 1; size <= t.size + 2; size++) {
        char *cut = test_malloc(size);
        memset(cut, '#', size);
        assert_int_equal(stoa_timing_trace(f.app, cut, size), (int64_t)t.size - 1);
        size_t fits = size < t.size ? size - 1 : t.size - 1;
        assert_int_equal(strlen(cut), fits);
        assert_memory_equal(cut, t.text, fits);
        test_free(cut);
    }
    char untouched = '#';
    assert_int_equal(stoa_timing_trace(f.app, &untouched, 0), (int64_t)t.size - 1);
    assert_int_equal(untouched, '#');
    assert_int_equal(f.s.heap.allocations, before);
    trace_free(&t);
    fixture_close(&f);
}

/* SYS-13 */
static void trace_of_nothing_is_refused(void **state) {
    timing_fixture f;
    char buffer[8];
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    assert_int_equal(stoa_timing_trace(NULL, buffer, sizeof buffer), -1);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_timing_trace(f.app, NULL, 8), -1);
    support_assert_misuse(&f.s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    support_assert_message("buffer");
    fixture_close(&f);
}

/* SYS-13 */
static void trace_tells_what_was_lost(void **state) {
    timing_fixture f;
    (void)state;
    fixture_open(&f, &(stoa_app_desc){.threads = 1});
    fixture_alone(&f, "move", nothing_run, STOA_UPDATE);
    fixture_step(&f, 2);
    assert_int_equal(stoa_timing_keep(f.app, 1), STOA_OK);
    f.s.heap.fail_at = 1;
    f.s.heap.fail_forever = true;
    fixture_step(&f, 1);
    f.s.heap.fail_at = 0;
    told t = trace_read(f.app);
    assert_true(trace_find(&t, "frame", "frame 2")->lost > 1);
    assert_int_equal(trace_count(&t, "stage", NULL), 0);
    assert_int_equal(trace_count(&t, "batch", NULL), 0);
    assert_int_equal(trace_count(&t, "system", NULL), 0);
    trace_free(&t);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_tells_frames_stages_batches_and_systems),
        cmocka_unit_test(trace_tells_times_exactly),
        cmocka_unit_test(trace_names_every_thread),
        cmocka_unit_test(trace_has_each_run_of_a_fixed_step),
        cmocka_unit_test(trace_escapes_names),
        cmocka_unit_test(system_with_a_long_name_is_told_whole),
        cmocka_unit_test(removed_system_is_told_by_number),
        cmocka_unit_test(small_buffer_holds_the_beginning),
        cmocka_unit_test(trace_of_nothing_is_refused),
        cmocka_unit_test(trace_tells_what_was_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

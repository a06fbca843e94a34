/* The plan as text. */
#include "schedule/plan_fixture.h"

static const char *printed(plan_fixture *f, stoa_schedule_format format) {
    static char text[65536];
    int64_t length = stoa_schedule_print(f->app, format, text, sizeof text);
    assert_in_range(length, 0, sizeof text - 1);
    assert_int_equal(strlen(text), length);
    return text;
}

#define assert_text(f, text) assert_string_equal(printed((f), STOA_SCHEDULE_TEXT), (text))

/* SYS-12 */
static void text_tells_batches_access_and_reasons(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "input", .resources = {STOA_WRITE(Score)});
    plan_add(f, "think", .access = {STOA_READ(Position), STOA_WRITE(Target)});
    plan_add(f, "move", .access = {STOA_WRITE(Position), STOA_WRITE(Velocity)},
             .resources = {STOA_READ(Clock), STOA_READ(Score)});
    plan_add(f, "fall", .access = {STOA_READ(Target), STOA_WRITE(Velocity)});
    plan_add(f, "show", .stage = STOA_RENDER, .access = {STOA_READ(Position)});
    assert_text(f, "Update\n"
                   "  [Batch 0]\n"
                   "    - input (resources: writes Score)\n"
                   "    - think (reads Position; writes Target)\n"
                   "  [Batch 1]\n"
                   "    - move (writes Position, Velocity; resources: reads Clock, Score) after "
                   "input: it reads resource Score, which input writes\n"
                   "  [Batch 2]\n"
                   "    - fall (reads Target; writes Velocity) after move: both write Velocity\n"
                   "Render\n"
                   "  [Batch 0]\n"
                   "    - show (reads Position)\n");
}

/* SYS-12 */
static void every_reason_is_told(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .access = {STOA_READ(Position)});
    plan_add(f, "b", .access = {STOA_WRITE(Position)});
    plan_add(f, "c", .access = {STOA_READ(Position)});
    plan_add(f, "d", .after = {"c"}, .resources = {STOA_WRITE(Clock)});
    plan_add(f, "e", .resources = {STOA_WRITE(Clock), STOA_WRITE(Score)});
    plan_add(f, "x", .rule = STOA_THREAD_EXCLUSIVE);
    plan_add(f, "g");
    assert_text(f, "Update\n"
                   "  [Batch 0]\n"
                   "    - a (reads Position)\n"
                   "  [Batch 1]\n"
                   "    - b (writes Position) after a: it writes Position, which a reads\n"
                   "  [Batch 2]\n"
                   "    - c (reads Position) after b: it reads Position, which b writes\n"
                   "  [Batch 3]\n"
                   "    - d (resources: writes Clock) after c: by rule\n"
                   "  [Batch 4]\n"
                   "    - e (resources: writes Clock, Score) after d: both write resource Clock\n"
                   "  [Batch 5]\n"
                   "    - x (alone) after e: it runs alone\n"
                   "  [Batch 6]\n"
                   "    - g after x: x runs alone\n");
}

/* SYS-12 */
static void marks_are_told(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "main", .rule = STOA_THREAD_MAIN, .access = {STOA_READ(Health)});
    plan_add(f, "lua", .rule = STOA_THREAD_MAIN, .script = true,
             .resources = {STOA_READ(Clock), STOA_WRITE(Score)});
    plan_add(f, "one", .rule = STOA_THREAD_ANY_ONE, .script = true);
    plan_add(f, "boss", .rule = STOA_THREAD_EXCLUSIVE, .script = true,
             .access = {STOA_WRITE(Health)});
    assert_text(f, "Update\n"
                   "  [Batch 0]\n"
                   "    - main (main thread; reads Health)\n"
                   "    - lua (main thread, script; resources: reads Clock; writes Score)\n"
                   "    - one (script)\n"
                   "  [Batch 1]\n"
                   "    - boss (alone, script; writes Health) after main: it runs alone\n");
}

/* SYS-12 */
static void disabled_systems_come_at_the_end_of_their_stage(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .disabled = true, .access = {STOA_WRITE(Health)});
    plan_add(f, "b", .after = {"a"});
    plan_add(f, "c", .disabled = true);
    plan_add(f, "d", .disabled = true, .stage = STOA_CLEANUP);
    assert_text(f, "Update\n"
                   "  [Batch 0]\n"
                   "    - b\n"
                   "  [Disabled]\n"
                   "    - a (writes Health)\n"
                   "    - c\n"
                   "Cleanup\n"
                   "  [Disabled]\n"
                   "    - d\n");
}

/* SYS-12 */
static void app_without_systems_prints_nothing(void **state) {
    plan_fixture *f = *state;
    assert_text(f, "");
}

/* SYS-10 SYS-12 */
static void own_stages_are_printed_in_order(void **state) {
    plan_fixture *f = *state;
    stoa_stage last =
        stoa_stage_new(f->app, &(stoa_stage_desc){.name = "Physics", .before = "PostUpdate"});
    plan_add(f, "a", .stage = last);
    plan_add(f, "b");
    assert_text(f, "Update\n  [Batch 0]\n    - b\nPhysics\n  [Batch 0]\n    - a\n");
}

/* SYS-12 */
static void text_that_does_not_fit_is_cut_and_measured(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .access = {STOA_WRITE(Health)}, .labels = {"x"});
    plan_add(f, "b\"<&>", .access = {STOA_WRITE(Health)}, .after = {"x"});
    plan_add(f, "c", .access = {STOA_READ(Health)}, .disabled = true);
    for (int format = STOA_SCHEDULE_TEXT; format <= STOA_SCHEDULE_SVG; format++) {
        const char *whole = printed(f, (stoa_schedule_format)format);
        size_t length = strlen(whole);
        assert_int_equal(stoa_schedule_print(f->app, (stoa_schedule_format)format, NULL, 0),
                         length);
        char *part = malloc(length + 2);
        assert_non_null(part);
        for (size_t size = 1; size <= length + 1; size++) {
            memset(part, 'x', length + 2);
            assert_int_equal(stoa_schedule_print(f->app, (stoa_schedule_format)format, part, size),
                             length);
            assert_memory_equal(part, whole, size - 1);
            assert_int_equal(part[size - 1], '\0');
            assert_int_equal(part[size], 'x');
        }
        free(part);
    }
}

/* SYS-12 */
static void printing_needs_no_memory(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .access = {STOA_WRITE(Health)});
    plan_add(f, "b", .access = {STOA_WRITE(Health)});
    assert_int_equal(stoa_schedule_plan(f->app), STOA_OK);
    size_t allocations = f->s.heap.allocations;
    for (int format = STOA_SCHEDULE_TEXT; format <= STOA_SCHEDULE_SVG; format++) {
        printed(f, (stoa_schedule_format)format);
    }
    assert_int_equal(f->s.heap.allocations, allocations);
}

/* GEN-05 */
static void bad_arguments_are_refused(void **state) {
    plan_fixture *f = *state;
    char text[8];
    assert_int_equal(stoa_schedule_print(f->app, STOA_SCHEDULE_TEXT, NULL, 8), -1);
    support_assert_misuse(&f->s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_schedule_print(f->app, (stoa_schedule_format)9, text, sizeof text), -1);
    support_assert_misuse(&f->s, stoa_last_error().status, STOA_INVALID);
    support_assert_message("format 9");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, plan_setup, plan_teardown)
    const struct CMUnitTest tests[] = {
        TEST(text_tells_batches_access_and_reasons),
        TEST(every_reason_is_told),
        TEST(marks_are_told),
        TEST(disabled_systems_come_at_the_end_of_their_stage),
        TEST(app_without_systems_prints_nothing),
        TEST(own_stages_are_printed_in_order),
        TEST(text_that_does_not_fit_is_cut_and_measured),
        TEST(printing_needs_no_memory),
        TEST(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Plans that cannot be made: cycles, unknown names, contradictions, lack of memory. The plan that
 * was there stays. */
#include "schedule/plan_fixture.h"

/* SYS-05 */
static void cycle_of_two_is_named(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .after = {"b"});
    plan_add(f, "b", .after = {"a"});
    plan_assert_fails(f, STOA_CONTRADICTION, "systems wait for each other: a -> b -> a");
}

/* SYS-05 */
static void cycle_of_one_rule_each_way_is_named(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .after = {"b"}, .before = {"b"});
    plan_add(f, "b");
    plan_assert_fails(f, STOA_CONTRADICTION, "systems wait for each other: a -> b -> a");
}

/* SYS-05 */
static void cycle_of_three_is_named_in_order(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "free");
    plan_add(f, "a", .before = {"c"});
    plan_add(f, "b", .before = {"a"});
    plan_add(f, "c", .before = {"b"});
    plan_assert_fails(f, STOA_CONTRADICTION, "systems wait for each other: a -> c -> b -> a");
}

/* SYS-05 */
static void cycle_is_told_by_its_shortest_way(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .before = {"b", "d"});
    plan_add(f, "b", .before = {"c"});
    plan_add(f, "c", .before = {"d"});
    plan_add(f, "d", .before = {"a"});
    plan_assert_fails(f, STOA_CONTRADICTION, "systems wait for each other: a -> d -> a");
}

/* SYS-05 */
static void cycle_through_labels_is_named(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .labels = {"early"}, .after = {"late"});
    plan_add(f, "b", .labels = {"late"}, .after = {"early"});
    plan_assert_fails(f, STOA_CONTRADICTION, "systems wait for each other: a -> b -> a");
}

/* SYS-05 */
static void two_of_a_label_that_follow_it_wait_for_each_other(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .labels = {"all"}, .after = {"all"});
    plan_add(f, "b", .labels = {"all"}, .after = {"all"});
    plan_assert_fails(f, STOA_CONTRADICTION, "systems wait for each other: a -> b -> a");
}

/* SYS-05 */
static void cycle_through_a_disabled_system_is_named(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .before = {"b"});
    plan_add(f, "b", .before = {"c"}, .disabled = true);
    plan_add(f, "c", .before = {"a"});
    plan_assert_fails(f, STOA_CONTRADICTION, "systems wait for each other: a -> b -> c -> a");
}

/* SYS-05 */
static void cycle_too_long_to_tell_is_cut(void **state) {
    plan_fixture *f = *state;
    for (int i = 0; i < 200; i++) {
        char name[24];
        char next[24];
        snprintf(name, sizeof name, "system%d", i);
        snprintf(next, sizeof next, "system%d", (i + 1) % 200);
        plan_add(f, name, .before = {next});
    }
    plan_assert_fails(f, STOA_CONTRADICTION, "systems wait for each other: system0 -> system1 -> ");
    const char *message = stoa_last_error().message;
    assert_string_equal(message + strlen(message) - 3, "...");
}

/* SYS-05 */
static void system_cannot_wait_for_itself(void **state) {
    plan_fixture *f = *state;
    stoa_system a = plan_add(f, "a", .after = {"a"});
    plan_assert_fails(f, STOA_CONTRADICTION, "system 'a' is to run after itself");
    assert_int_equal(stoa_system_remove(f->app, a), STOA_OK);
    plan_add(f, "b", .before = {"b"}, .labels = {"b"});
    plan_assert_fails(f, STOA_CONTRADICTION, "system 'b' is to run before itself");
}

/* SYS-05 */
static void unknown_name_is_named(void **state) {
    plan_fixture *f = *state;
    stoa_system a = plan_add(f, "a", .after = {"b", "ghost"});
    plan_add(f, "b");
    plan_assert_fails(f, STOA_NOT_FOUND, "system 'a' is to run after 'ghost'");
    assert_int_equal(stoa_system_remove(f->app, a), STOA_OK);
    plan_add(f, "c", .before = {""}, .disabled = true);
    plan_assert_fails(f, STOA_NOT_FOUND, "system 'c' is to run before ''");
}

/* SYS-03 SYS-05 */
static void removed_system_leaves_its_name_unknown(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .after = {"b"});
    stoa_system b = plan_add(f, "b");
    plan_assert_batches(f, STOA_UPDATE, "b | a");
    assert_int_equal(stoa_system_remove(f->app, b), STOA_OK);
    plan_assert_fails(f, STOA_NOT_FOUND, "'b'");
    plan_add(f, "b");
    plan_assert_batches(f, STOA_UPDATE, "b | a");
}

/* SYS-02 SYS-05 SYS-10 */
static void rule_against_the_stages_is_a_contradiction(void **state) {
    plan_fixture *f = *state;
    stoa_system draw = plan_add(f, "draw", .stage = STOA_RENDER, .before = {"move"});
    plan_add(f, "move");
    plan_assert_fails(f, STOA_CONTRADICTION,
                      "system 'draw' of stage 'Render' is to run before 'move', but that is of "
                      "stage 'Update'");
    assert_int_equal(stoa_system_remove(f->app, draw), STOA_OK);
    plan_add(f, "load", .stage = STOA_STARTUP, .labels = {"early"}, .after = {"move"});
    plan_assert_fails(f, STOA_CONTRADICTION,
                      "system 'load' of stage 'Startup' is to run after 'move'");
}

/* SYS-02 SYS-05 SYS-10 */
static void label_across_stages_is_checked_for_each(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .stage = STOA_PRE_UPDATE, .labels = {"all"});
    plan_add(f, "b", .after = {"all"});
    plan_assert_batches(f, STOA_UPDATE, "b");
    plan_add(f, "c", .stage = STOA_CLEANUP, .labels = {"all"}, .disabled = true);
    plan_assert_fails(f, STOA_CONTRADICTION, "'b' of stage 'Update' is to run after 'c'");
}

/* GEN-03 SYS-05 */
static void failed_plan_leaves_the_old_one(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .terms = {STOA_WRITE(Position)});
    plan_add(f, "b", .terms = {STOA_WRITE(Position)});
    assert_int_equal(stoa_schedule_plan(f->app), STOA_OK);
    stoa_system c = plan_add(f, "c", .after = {"ghost"});
    const stoa__planned *systems = f->app->plan.systems;
    plan_assert_fails(f, STOA_NOT_FOUND, "ghost");
    assert_ptr_equal(f->app->plan.systems, systems);
    assert_int_equal(f->app->plan.system_count, 2);
    assert_string_equal(plan_reason(f, "b").other->name, "a");
    assert_false(f->app->planned);
    assert_int_equal(stoa_system_remove(f->app, c), STOA_OK);
    plan_assert_batches(f, STOA_UPDATE, "a | b");
}

static void many_add(plan_fixture *f) {
    plan_add(f, "a", .terms = {STOA_WRITE(Position)}, .labels = {"first"});
    plan_add(f, "b", .terms = {STOA_WRITE(Position)}, .after = {"first"});
    plan_add(f, "c", .stage = STOA_RENDER, .terms = {STOA_READ(Position)});
    plan_add(f, "d", .stage = STOA_STARTUP, .terms = {STOA_READ(Position)}, .before = {"a"});
}

/* GEN-04 SYS-05 */
static void lack_of_memory_leaves_the_old_plan(void **state) {
    plan_fixture *f = *state;
    many_add(f);
    plan_assert_batches(f, STOA_UPDATE, "a | b");
    plan_add(f, "e", .before = {"a"});
    size_t k = 0;
    stoa_status status = STOA_NO_MEMORY;
    while (status != STOA_OK) {
        size_t bytes = f->s.heap.bytes;
        const stoa__planned *systems = f->app->plan.systems;
        f->s.heap.fail_at = ++k;
        status = stoa_schedule_plan(f->app);
        if (status != STOA_OK) {
            assert_int_equal(status, STOA_NO_MEMORY);
            assert_int_equal(f->s.heap.bytes, bytes);
            assert_ptr_equal(f->app->plan.systems, systems);
            assert_int_equal(f->app->plan.system_count, 4);
            assert_false(f->app->planned);
        }
    }
    f->s.heap.fail_at = 0;
    assert_true(k > 5);
    plan_assert_batches(f, STOA_UPDATE, "e | a | b");
}

/* GEN-03 */
static void failure_is_told_to_the_handlers(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .after = {"ghost"});
    int errors = f->s.errors;
    assert_int_equal(stoa_schedule_plan(f->app), STOA_NOT_FOUND);
    assert_int_equal(f->s.errors, errors + 1);
    assert_int_equal(stoa_app_step(f->app, 0.1), STOA_NOT_FOUND);
    assert_int_equal(stoa_app_frame(f->app), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, plan_setup, plan_teardown)
    const struct CMUnitTest tests[] = {
        TEST(cycle_of_two_is_named),
        TEST(cycle_of_one_rule_each_way_is_named),
        TEST(cycle_of_three_is_named_in_order),
        TEST(cycle_is_told_by_its_shortest_way),
        TEST(cycle_through_labels_is_named),
        TEST(two_of_a_label_that_follow_it_wait_for_each_other),
        TEST(cycle_through_a_disabled_system_is_named),
        TEST(cycle_too_long_to_tell_is_cut),
        TEST(system_cannot_wait_for_itself),
        TEST(unknown_name_is_named),
        TEST(removed_system_leaves_its_name_unknown),
        TEST(rule_against_the_stages_is_a_contradiction),
        TEST(label_across_stages_is_checked_for_each),
        TEST(failed_plan_leaves_the_old_one),
        TEST(lack_of_memory_leaves_the_old_plan),
        TEST(failure_is_told_to_the_handlers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

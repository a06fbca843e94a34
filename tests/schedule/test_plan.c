/* Batches: who runs beside whom, who waits, and why. */
#include "schedule/plan_fixture.h"

/* SYS-05 */
static void systems_without_conflict_share_a_batch(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .terms = {STOA_WRITE(Position)});
    plan_add(f, "b", .terms = {STOA_WRITE(Velocity)});
    plan_add(f, "c", .terms = {STOA_READ(Health)});
    plan_add(f, "d", .terms = {STOA_READ(Health)});
    plan_assert_batches(f, STOA_UPDATE, "a b c d");
}

/* SYS-04 SYS-05 */
static void conflicting_systems_keep_the_order_of_registration(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "c", .terms = {STOA_WRITE(Position)});
    plan_add(f, "b", .terms = {STOA_READ(Position)});
    plan_add(f, "a", .terms = {STOA_WRITE(Position)});
    plan_assert_batches(f, STOA_UPDATE, "c | b | a");
}

/* SYS-05 */
static void system_takes_the_earliest_batch_it_can(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .terms = {STOA_WRITE(Position)});
    plan_add(f, "b", .terms = {STOA_READ(Position), STOA_WRITE(Velocity)});
    plan_add(f, "c", .terms = {STOA_READ(Velocity)});
    plan_add(f, "d", .terms = {STOA_READ(Position)});
    plan_add(f, "e", .terms = {STOA_READ(Health)});
    plan_assert_batches(f, STOA_UPDATE, "a e | b d | c");
}

/* SYS-02 SYS-05 */
static void rule_orders_systems_that_do_not_conflict(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .after = {"b"});
    plan_add(f, "b");
    plan_add(f, "c", .before = {"b"});
    plan_assert_batches(f, STOA_UPDATE, "c | b | a");
}

/* SYS-02 SYS-05 */
static void rule_turns_a_conflict_around(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .terms = {STOA_WRITE(Position)});
    plan_add(f, "b", .terms = {STOA_WRITE(Position)}, .before = {"a"});
    plan_assert_batches(f, STOA_UPDATE, "b | a");
}

/* SYS-02 */
static void label_stands_for_all_that_carry_it(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "last", .after = {"physics"});
    plan_add(f, "a", .labels = {"other", "physics"});
    plan_add(f, "b", .labels = {"physics"});
    plan_add(f, "first", .before = {"physics"});
    plan_assert_batches(f, STOA_UPDATE, "first | a b | last");
}

/* SYS-02 */
static void name_that_is_also_a_label_stands_for_both(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "last", .after = {"physics"});
    plan_add(f, "physics");
    plan_add(f, "b", .labels = {"physics"});
    plan_assert_batches(f, STOA_UPDATE, "physics b | last");
}

/* SYS-02 */
static void own_label_stands_for_the_others(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .labels = {"all"}, .after = {"all"});
    plan_add(f, "b", .labels = {"all"});
    plan_add(f, "c", .labels = {"all"});
    plan_assert_batches(f, STOA_UPDATE, "b c | a");
}

/* SYS-02 */
static void own_label_of_nobody_else_orders_nothing(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .labels = {"alone"}, .after = {"alone"}, .before = {"alone"});
    plan_add(f, "b");
    plan_assert_batches(f, STOA_UPDATE, "a b");
}

/* SYS-05 */
static void rules_given_twice_are_one(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .before = {"b", "b"}, .labels = {"first"});
    plan_add(f, "b", .after = {"a", "first"});
    plan_assert_batches(f, STOA_UPDATE, "a | b");
}

/* SYS-04 */
static void exclusive_system_runs_alone(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a");
    plan_add(f, "b", .terms = {STOA_READ(Health)});
    plan_add(f, "x", .rule = STOA_THREAD_EXCLUSIVE);
    plan_add(f, "y", .rule = STOA_THREAD_EXCLUSIVE);
    plan_add(f, "c");
    plan_assert_batches(f, STOA_UPDATE, "a b | x | y | c");
}

/* SYS-04 */
static void main_thread_system_shares_its_batch(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .rule = STOA_THREAD_MAIN);
    plan_add(f, "b");
    plan_assert_batches(f, STOA_UPDATE, "a b");
}

/* SYS-05: a and b conflict; c comes before a by rule; so c comes before b, whatever was registered
 * first, and their own conflict has nothing left to decide. */
static void order_that_follows_wins_over_registration(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .terms = {STOA_WRITE(Position)});
    plan_add(f, "b", .terms = {STOA_WRITE(Position), STOA_WRITE(Velocity)});
    plan_add(f, "c", .terms = {STOA_WRITE(Velocity)}, .before = {"a"});
    plan_assert_batches(f, STOA_UPDATE, "c | a | b");
}

/* SYS-03 SYS-05 */
static void disabled_system_is_left_out(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .terms = {STOA_WRITE(Position)});
    plan_add(f, "b", .terms = {STOA_WRITE(Position)}, .disabled = true);
    plan_add(f, "c", .terms = {STOA_WRITE(Position)});
    plan_assert_batches(f, STOA_UPDATE, "a | c");
    plan_switch(f, "b", true);
    plan_assert_batches(f, STOA_UPDATE, "a | b | c");
    plan_switch(f, "a", false);
    plan_assert_batches(f, STOA_UPDATE, "b | c");
}

/* SYS-05 */
static void order_passes_through_a_disabled_system(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .after = {"b"});
    plan_add(f, "b", .after = {"c"}, .disabled = true);
    plan_add(f, "c");
    plan_assert_batches(f, STOA_UPDATE, "c | a");
    stoa__reason reason = plan_reason(f, "a");
    assert_int_equal(reason.kind, STOA__REASON_ORDER);
    assert_string_equal(reason.other->name, "c");
}

/* SYS-05 */
static void conflict_of_a_disabled_system_counts_for_nothing(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .terms = {STOA_WRITE(Position)});
    plan_add(f, "b", .terms = {STOA_WRITE(Position), STOA_WRITE(Velocity)}, .disabled = true);
    plan_add(f, "c", .terms = {STOA_WRITE(Velocity)});
    plan_assert_batches(f, STOA_UPDATE, "a c");
}

/* SYS-10 SYS-05 */
static void stages_are_planned_apart(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "draw", .stage = STOA_RENDER, .terms = {STOA_READ(Position)});
    plan_add(f, "load", .stage = STOA_STARTUP, .terms = {STOA_WRITE(Position)});
    plan_add(f, "more", .stage = STOA_STARTUP, .terms = {STOA_WRITE(Position)});
    plan_add(f, "move", .terms = {STOA_WRITE(Position)});
    plan_assert_batches(f, STOA_STARTUP, "load | more");
    plan_assert_batches(f, STOA_UPDATE, "move");
    plan_assert_batches(f, STOA_RENDER, "draw");
    plan_assert_batches(f, STOA_CLEANUP, "");
}

/* SYS-02 SYS-10 */
static void rule_across_stages_agrees_with_them(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "draw", .stage = STOA_RENDER, .after = {"move", "all"});
    plan_add(f, "move", .before = {"draw"}, .labels = {"all"});
    stoa_stage own =
        stoa_stage_new(f->app, &(stoa_stage_desc){.name = "Physics", .before = "PostUpdate"});
    plan_add(f, "fall", .stage = own, .before = {"draw"}, .after = {"move"}, .labels = {"all"});
    plan_assert_batches(f, STOA_UPDATE, "move");
    plan_assert_batches(f, own, "fall");
    plan_assert_batches(f, STOA_RENDER, "draw");
}

/* SYS-12 */
static void reason_prefers_a_rule_and_the_first_registered(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .terms = {STOA_WRITE(Position)});
    plan_add(f, "b", .terms = {STOA_WRITE(Velocity)});
    plan_add(f, "c", .terms = {STOA_WRITE(Health)}, .before = {"e"});
    plan_add(f, "d", .terms = {STOA_READ(Velocity), STOA_READ(Position)});
    plan_add(f, "e", .terms = {STOA_READ(Velocity), STOA_READ(Position)}, .after = {"c"});
    plan_assert_batches(f, STOA_UPDATE, "a b c | d e");
    assert_int_equal(plan_reason(f, "a").kind, STOA__REASON_NONE);
    assert_null(plan_reason(f, "a").other);
    stoa__reason reason = plan_reason(f, "d");
    assert_int_equal(reason.kind, STOA__REASON_CONFLICT);
    assert_string_equal(reason.other->name, "a");
    assert_int_equal(reason.id, stoa_id(f->s.world, Position));
    assert_false(reason.resource);
    reason = plan_reason(f, "e");
    assert_int_equal(reason.kind, STOA__REASON_ORDER);
    assert_string_equal(reason.other->name, "c");
}

/* SYS-12 */
static void reason_is_of_the_batch_right_before(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .terms = {STOA_WRITE(Position)}, .before = {"c"});
    plan_add(f, "b", .terms = {STOA_WRITE(Position)}, .resources = {STOA_WRITE(Clock)});
    plan_add(f, "c", .resources = {STOA_READ(Clock)});
    plan_add(f, "x", .rule = STOA_THREAD_EXCLUSIVE);
    plan_assert_batches(f, STOA_UPDATE, "a | b | c | x");
    stoa__reason reason = plan_reason(f, "c");
    assert_int_equal(reason.kind, STOA__REASON_CONFLICT);
    assert_string_equal(reason.other->name, "b");
    assert_true(reason.resource);
    assert_int_equal(reason.id, stoa_id(f->s.world, Clock));
    reason = plan_reason(f, "x");
    assert_int_equal(reason.kind, STOA__REASON_ALONE);
    assert_string_equal(reason.other->name, "c");
    assert_int_equal(reason.id, 0);
}

/* SYS-03 SYS-05 */
static void plan_follows_added_and_removed_systems(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .terms = {STOA_WRITE(Position)});
    stoa_system b = plan_add(f, "b", .terms = {STOA_WRITE(Position)});
    plan_assert_batches(f, STOA_UPDATE, "a | b");
    plan_add(f, "c", .terms = {STOA_WRITE(Position)}, .before = {"a"});
    plan_assert_batches(f, STOA_UPDATE, "c | a | b");
    assert_int_equal(stoa_system_remove(f->app, b), STOA_OK);
    plan_assert_batches(f, STOA_UPDATE, "c | a");
}

/* SYS-05 */
static void app_without_systems_has_an_empty_plan(void **state) {
    plan_fixture *f = *state;
    plan_assert_batches(f, STOA_UPDATE, "");
    assert_int_equal(stoa_schedule_batches(f->app, STOA_UPDATE), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, plan_setup, plan_teardown)
    const struct CMUnitTest tests[] = {
        TEST(systems_without_conflict_share_a_batch),
        TEST(conflicting_systems_keep_the_order_of_registration),
        TEST(system_takes_the_earliest_batch_it_can),
        TEST(rule_orders_systems_that_do_not_conflict),
        TEST(rule_turns_a_conflict_around),
        TEST(label_stands_for_all_that_carry_it),
        TEST(name_that_is_also_a_label_stands_for_both),
        TEST(own_label_stands_for_the_others),
        TEST(own_label_of_nobody_else_orders_nothing),
        TEST(rules_given_twice_are_one),
        TEST(exclusive_system_runs_alone),
        TEST(main_thread_system_shares_its_batch),
        TEST(order_that_follows_wins_over_registration),
        TEST(disabled_system_is_left_out),
        TEST(order_passes_through_a_disabled_system),
        TEST(conflict_of_a_disabled_system_counts_for_nothing),
        TEST(stages_are_planned_apart),
        TEST(rule_across_stages_agrees_with_them),
        TEST(reason_prefers_a_rule_and_the_first_registered),
        TEST(reason_is_of_the_batch_right_before),
        TEST(plan_follows_added_and_removed_systems),
        TEST(app_without_systems_has_an_empty_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

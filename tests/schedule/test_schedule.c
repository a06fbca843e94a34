/* Questions about the plan: batches, systems, ambiguities; and when it is made anew. */
#include "schedule/plan_fixture.h"

/* SYS-05 */
static void plan_is_made_once(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .access = {STOA_WRITE(Position)});
    assert_int_equal(stoa_schedule_plan(f->app), STOA_OK);
    size_t allocations = f->s.heap.allocations;
    assert_int_equal(stoa_schedule_plan(f->app), STOA_OK);
    plan_assert_batches(f, STOA_UPDATE, "a");
    assert_int_equal(f->s.heap.allocations, allocations);
}

/* SYS-04 SYS-05 */
static void new_components_ask_for_a_new_plan_if_there_is_a_script(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .access = {STOA_WRITE(Position)});
    assert_int_equal(stoa_schedule_plan(f->app), STOA_OK);
    const stoa__planned *made = f->app->plan.systems;
    stoa_component_register(f->s.world, &(stoa_component_desc){.name = "One"});
    assert_int_equal(stoa_schedule_plan(f->app), STOA_OK);
    assert_ptr_equal(f->app->plan.systems, made);
    assert_int_equal(f->app->planned_components, stoa_component_count(f->s.world));
    plan_add(f, "b", .script = true);
    assert_int_equal(stoa_schedule_plan(f->app), STOA_OK);
    stoa_component_register(f->s.world, &(stoa_component_desc){.name = "Two"});
    size_t allocations = f->s.heap.allocations;
    assert_int_equal(stoa_schedule_plan(f->app), STOA_OK);
    assert_true(f->s.heap.allocations > allocations);
    assert_int_equal(f->app->planned_components, stoa_component_count(f->s.world));
}

/* SYS-05 */
static void systems_are_found_by_batch_and_place(void **state) {
    plan_fixture *f = *state;
    stoa_system a = plan_add(f, "a", .access = {STOA_WRITE(Position)});
    stoa_system b = plan_add(f, "b", .access = {STOA_WRITE(Velocity)});
    stoa_system c = plan_add(f, "c", .access = {STOA_WRITE(Position)});
    assert_int_equal(stoa_schedule_batches(f->app, STOA_UPDATE), 2);
    assert_int_equal(stoa_schedule_batches(f->app, STOA_RENDER), 0);
    assert_int_equal(stoa_schedule_system(f->app, STOA_UPDATE, 0, 0).id, a.id);
    assert_int_equal(stoa_schedule_system(f->app, STOA_UPDATE, 0, 1).id, b.id);
    assert_int_equal(stoa_schedule_system(f->app, STOA_UPDATE, 1, 0).id, c.id);
}

/* GEN-05 */
static void places_out_of_range_are_no_system(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a");
    assert_int_equal(stoa_schedule_system(f->app, STOA_UPDATE, 0, 1).id, 0);
    assert_int_equal(stoa_schedule_system(f->app, STOA_UPDATE, 0, -1).id, 0);
    assert_int_equal(stoa_schedule_system(f->app, STOA_UPDATE, 1, 0).id, 0);
    assert_int_equal(stoa_schedule_system(f->app, STOA_UPDATE, -1, 0).id, 0);
    assert_int_equal(stoa_schedule_system(f->app, STOA_UPDATE, INT32_MAX, INT32_MAX).id, 0);
    assert_int_equal(stoa_schedule_system(f->app, STOA_UPDATE, INT32_MIN, INT32_MIN).id, 0);
    support_assert_quiet(&f->s);
    assert_int_equal(stoa_schedule_system(f->app, 77, 0, 0).id, 0);
    support_assert_misuse(&f->s, stoa_last_error().status, STOA_INVALID);
    assert_int_equal(stoa_schedule_batches(f->app, 77), -1);
    support_assert_misuse(&f->s, stoa_last_error().status, STOA_INVALID);
    support_assert_message("no stage 77");
}

/* GEN-05 */
static void null_app_is_refused(void **state) {
    (void)state;
    assert_int_equal(stoa_schedule_plan(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_schedule_batches(NULL, STOA_UPDATE), -1);
    assert_int_equal(stoa_schedule_system(NULL, STOA_UPDATE, 0, 0).id, 0);
    assert_int_equal(stoa_schedule_ambiguities(NULL, NULL, 0), -1);
    assert_int_equal(stoa_schedule_print(NULL, STOA_SCHEDULE_TEXT, NULL, 0), -1);
}

/* GEN-03 */
static void questions_fail_where_there_is_no_plan(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .after = {"ghost"});
    stoa_ambiguity list[1];
    char text[8];
    assert_int_equal(stoa_schedule_batches(f->app, STOA_UPDATE), -1);
    assert_int_equal(stoa_schedule_system(f->app, STOA_UPDATE, 0, 0).id, 0);
    assert_int_equal(stoa_schedule_ambiguities(f->app, list, 1), -1);
    assert_int_equal(stoa_schedule_print(f->app, STOA_SCHEDULE_TEXT, text, sizeof text), -1);
    support_assert_message("ghost");
}

/* SYS-09 */
static void ambiguity_tells_systems_and_what_they_dispute(void **state) {
    plan_fixture *f = *state;
    stoa_system a = plan_add(f, "a", .access = {STOA_WRITE(Position), STOA_READ(Velocity)},
                             .resources = {STOA_WRITE(Clock)});
    stoa_system b = plan_add(f, "b", .access = {STOA_WRITE(Position), STOA_WRITE(Velocity)},
                             .resources = {STOA_READ(Clock)});
    stoa_ambiguity list[4];
    assert_int_equal(stoa_schedule_ambiguities(f->app, list, 4), 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(list[i].first.id, a.id);
        assert_int_equal(list[i].second.id, b.id);
        assert_int_equal(list[i].resource, i == 2);
    }
    assert_int_equal(list[0].id, stoa_id(f->s.world, Position));
    assert_int_equal(list[1].id, stoa_id(f->s.world, Velocity));
    assert_int_equal(list[2].id, stoa_id(f->s.world, Clock));
}

/* SYS-09 */
static void declared_order_leaves_no_ambiguity(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .access = {STOA_WRITE(Position)});
    plan_add(f, "b", .after = {"a"}, .disabled = true);
    plan_add(f, "c", .access = {STOA_WRITE(Position)}, .after = {"b"});
    assert_int_equal(stoa_schedule_ambiguities(f->app, NULL, 0), 0);
}

/* SYS-09 */
static void order_by_decisions_leaves_the_ambiguity(void **state) {
    plan_fixture *f = *state;
    stoa_system a = plan_add(f, "a", .access = {STOA_WRITE(Position)});
    stoa_system b = plan_add(f, "b", .access = {STOA_WRITE(Position), STOA_WRITE(Velocity)});
    stoa_system c = plan_add(f, "c", .access = {STOA_WRITE(Velocity)}, .before = {"a"});
    plan_assert_batches(f, STOA_UPDATE, "c | a | b");
    stoa_ambiguity list[3];
    assert_int_equal(stoa_schedule_ambiguities(f->app, list, 3), 2);
    assert_int_equal(list[0].first.id, a.id);
    assert_int_equal(list[0].second.id, b.id);
    assert_int_equal(list[1].first.id, c.id);
    assert_int_equal(list[1].second.id, b.id);
    assert_int_equal(list[1].id, stoa_id(f->s.world, Velocity));
}

/* SYS-09 */
static void disabled_systems_and_other_stages_are_not_ambiguous(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .access = {STOA_WRITE(Position)});
    plan_add(f, "b", .access = {STOA_WRITE(Position)}, .disabled = true);
    plan_add(f, "c", .access = {STOA_WRITE(Position)}, .stage = STOA_RENDER);
    assert_int_equal(stoa_schedule_ambiguities(f->app, NULL, 0), 0);
    plan_switch(f, "b", true);
    assert_int_equal(stoa_schedule_ambiguities(f->app, NULL, 0), 1);
}

/* SYS-09 */
static void exclusive_system_is_ambiguous_once_with_each(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .access = {STOA_WRITE(Position), STOA_WRITE(Velocity)});
    plan_add(f, "x", .rule = STOA_THREAD_EXCLUSIVE, .access = {STOA_WRITE(Position)});
    stoa_ambiguity list[2];
    assert_int_equal(stoa_schedule_ambiguities(f->app, list, 2), 1);
    assert_int_equal(list[0].id, 0);
    assert_false(list[0].resource);
}

/* SYS-09 */
static void list_is_filled_as_far_as_it_goes(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .access = {STOA_WRITE(Position), STOA_WRITE(Velocity)});
    plan_add(f, "b", .access = {STOA_WRITE(Position), STOA_WRITE(Velocity)});
    stoa_ambiguity list[2] = {{.id = 1000}, {.id = 1000}};
    assert_int_equal(stoa_schedule_ambiguities(f->app, list, 1), 2);
    assert_int_equal(list[0].id, stoa_id(f->s.world, Position));
    assert_int_equal(list[1].id, 1000);
    assert_int_equal(stoa_schedule_ambiguities(f->app, list, -5), 2);
    assert_int_equal(stoa_schedule_ambiguities(f->app, NULL, 2), -1);
    support_assert_misuse(&f->s, stoa_last_error().status, STOA_NULL_ARGUMENT);
}

/* GEN-04 SYS-09 */
static void ambiguities_without_memory_are_an_error(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .access = {STOA_WRITE(Position)});
    plan_add(f, "b", .access = {STOA_WRITE(Position)});
    assert_int_equal(stoa_schedule_plan(f->app), STOA_OK);
    size_t bytes = f->s.heap.bytes;
    f->s.heap.fail_at = 1;
    assert_int_equal(stoa_schedule_ambiguities(f->app, NULL, 0), -1);
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    assert_int_equal(f->s.heap.bytes, bytes);
    assert_int_equal(stoa_schedule_ambiguities(f->app, NULL, 0), 1);
    assert_int_equal(f->s.heap.bytes, bytes);
}

static stoa_status look_inside(stoa_job *job, stoa_iter *it) {
    (void)it;
    stoa_app *app = job->user;
    char text[256];
    if (stoa_system_enable_name(app, "b", true) != STOA_OK || stoa_schedule_plan(app) != STOA_OK ||
        stoa_schedule_batches(app, STOA_UPDATE) != 1 ||
        stoa_schedule_print(app, STOA_SCHEDULE_TEXT, text, sizeof text) <= 0) {
        return stoa_job_fail(job, "no plan");
    }
    return STOA_OK;
}

/* SYS-05 */
static void plan_stands_while_the_app_steps(void **state) {
    plan_fixture *f = *state;
    assert_int_not_equal(stoa_system_new(f->app, &(stoa_system_desc){.name = "a",
                                                                     .run = look_inside,
                                                                     .rule = STOA_THREAD_EXCLUSIVE,
                                                                     .user = f->app})
                             .id,
                         0);
    plan_add(f, "b", .disabled = true);
    assert_int_equal(stoa_app_step(f->app, 0.1), STOA_OK);
    plan_assert_batches(f, STOA_UPDATE, "a | b");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, plan_setup, plan_teardown)
    const struct CMUnitTest tests[] = {
        TEST(plan_is_made_once),
        TEST(new_components_ask_for_a_new_plan_if_there_is_a_script),
        TEST(systems_are_found_by_batch_and_place),
        TEST(places_out_of_range_are_no_system),
        cmocka_unit_test(null_app_is_refused),
        TEST(questions_fail_where_there_is_no_plan),
        TEST(ambiguity_tells_systems_and_what_they_dispute),
        TEST(declared_order_leaves_no_ambiguity),
        TEST(order_by_decisions_leaves_the_ambiguity),
        TEST(disabled_systems_and_other_stages_are_not_ambiguous),
        TEST(exclusive_system_is_ambiguous_once_with_each),
        TEST(list_is_filled_as_far_as_it_goes),
        TEST(ambiguities_without_memory_are_an_error),
        TEST(plan_stands_while_the_app_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

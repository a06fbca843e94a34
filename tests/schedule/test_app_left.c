/* Apps that lack of memory left in the middle of a frame: they are freed, and lose systems. */
#include "schedule/ticket_fixture.h"

static stoa_status spawn_many(stoa_job *job, stoa_iter *it) {
    (void)it;
    for (int i = 0; i < 3000; i++) {
        stoa_entity e = stoa_commands_create(job->commands);
        if (stoa_entity_is_null(e) || ticket_set(job->commands, e) != STOA_OK) {
            return stoa_last_error().status;
        }
    }
    return STOA_OK;
}

/* Runs a frame whose buffers cannot be joined; true if that was brought about by the k-th failure.
 */
static bool join_fail(stoa_app *app, support_heap *heap, size_t k, bool *done) {
    size_t failed = heap->failed;
    heap->fail_forever = true;
    heap->fail_at = k;
    stoa_status status = stoa_app_step(app, 0);
    *done = heap->failed == failed;
    assert_status(status, *done);
    return app->work->state == STOA__WORK_FORKED && !app->work->dropping;
}

/* GEN-04: an app goes in whatever state it was left, with its own world and no memory at all. */
static void app_left_in_the_middle_is_freed(void **state) {
    (void)state;
    int forked = 0;
    bool done = false;
    for (size_t k = 1; !done; k++) {
        support_heap heap = {0};
        stoa_allocator allocator = support_allocator(&heap);
        stoa_world_desc world = {.allocator = &allocator};
        stoa_app *app = stoa_app_new(&(stoa_app_desc){.world_as = &world, .threads = 1});
        stoa_system made =
            stoa_system_new(app, &(stoa_system_desc){.name = "spawn", .run = spawn_many});
        assert_int_not_equal(made.id, 0);
        assert_int_equal(stoa_schedule_plan(app), STOA_OK);
        forked += join_fail(app, &heap, k, &done);
        assert_int_equal(stoa_app_free(app), STOA_OK);
        assert_int_equal(heap.bytes, 0);
        tickets_assert_gone();
    }
    assert_true(forked > 0);
}

/* GEN-04 GEN-03: a world that is not the app's must be unlocked first, which may take memory. */
static void app_of_a_given_world_unlocks_it(void **state) {
    (void)state;
    int forked = 0;
    bool done = false;
    for (size_t k = 1; !done; k++) {
        app_fixture f;
        app_open(&f, (stoa_app_desc){.threads = 1});
        app_add(&f, (stoa_system_desc){.name = "spawn", .run = spawn_many});
        stoa_entity e = stoa_create(f.world);
        assert_int_equal(stoa_schedule_plan(f.app), STOA_OK);
        bool left = join_fail(f.app, &f.s.heap, k, &done);
        if (left) {
            forked++;
            stoa_system system = stoa_system_find(f.app, "spawn");
            assert_int_equal(stoa_app_free(f.app), STOA_NO_MEMORY);
            assert_int_equal(stoa_system_remove(f.app, system), STOA_NO_MEMORY);
            assert_int_equal(stoa_system_find(f.app, "spawn").id, system.id);
        }
        f.s.heap.fail_at = 0;
        assert_int_equal(stoa_app_free(f.app), STOA_OK);
        assert_true(stoa_alive(f.world, e));
        assert_true(!left || stoa_count(f.world) == 1);
        assert_int_equal(stoa_destroy(f.world, e), STOA_OK);
        support_world_close(&f.s);
        tickets_assert_gone();
    }
    assert_true(forked > 0);
}

/* GEN-04 SYS-03: commands that are still to be applied come before their system goes. */
static void removed_system_leaves_its_commands_applied(void **state) {
    (void)state;
    int left = 0;
    bool done = false;
    for (size_t k = 1; !done; k++) {
        app_fixture f;
        app_open(&f, (stoa_app_desc){.threads = 1});
        stoa_system made = app_add(&f, (stoa_system_desc){.name = "spawn", .run = spawn_many});
        assert_int_equal(stoa_schedule_plan(f.app), STOA_OK);
        size_t failed = f.s.heap.failed;
        f.s.heap.fail_at = k;
        bool good = stoa_app_step(f.app, 0) == STOA_OK;
        f.s.heap.fail_at = 0;
        done = f.s.heap.failed == failed;
        bool applies = f.app->work->state != STOA__WORK_IDLE && !f.app->work->dropping;
        left += applies;
        assert_int_equal(stoa_system_remove(f.app, made), STOA_OK);
        assert_int_equal(stoa_count(f.world), good || applies ? 3000 : 0);
        app_step(&f);
        app_close(&f);
        tickets_assert_gone();
    }
    assert_true(left > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(app_left_in_the_middle_is_freed, tickets_reset),
        cmocka_unit_test_setup(app_of_a_given_world_unlocks_it, tickets_reset),
        cmocka_unit_test_setup(removed_system_leaves_its_commands_applied, tickets_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

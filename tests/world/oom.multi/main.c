/* The tests: all scripts, worlds that are not made, and what must work without memory. */
#include "oom.h"

/* GEN-03 GEN-04 */
static void call_out_of_memory_changes_nothing(void **state) {
    (void)state;
    for (int i = 0; i < script_count; i++) {
        script_run(&scripts[i]);
    }
}

/* GEN-03 GEN-04 HOK-01 HOK-05 HOK-06 EVT-01 RES-01 CHG-05 */
static void reaction_out_of_memory_changes_nothing(void **state) {
    (void)state;
    for (int i = 0; i < script_reactions_count; i++) {
        script_run(&scripts_reactions[i]);
    }
}

/* GEN-03 GEN-04 CMD-01 CMD-02 CMD-05 ACC-09 */
static void deferred_work_out_of_memory_can_be_repeated(void **state) {
    (void)state;
    for (int i = 0; i < script_deferred_count; i++) {
        script_run(&scripts_deferred[i]);
    }
}

/* GEN-03 GEN-04 CMP-10 CMP-12 CHG-04 QRY-08 */
static void storage_kinds_out_of_memory_change_nothing(void **state) {
    (void)state;
    for (int i = 0; i < script_storage_count; i++) {
        script_run(&scripts_storage[i]);
    }
}

/* GEN-04 */
static void world_out_of_memory_is_not_made(void **state) {
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        size_t k = 1;
        for (;; k++) {
            support_heap heap = {.fail_at = k, .fail_forever = mode == 1};
            stoa_allocator allocator = support_allocator(&heap);
            stoa_error_clear();
            stoa_world *w = stoa_world_new(&(stoa_world_desc){.allocator = &allocator});
            if (w != NULL) {
                assert_int_equal(heap.failed, 0);
                stoa_world_free(w);
                assert_int_equal(heap.bytes, 0);
                break;
            }
            assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
            assert_int_equal(heap.bytes, 0);
            assert_int_equal(heap.blocks, 0);
        }
        assert_true(k > 1);
    }
}

static int32_t rows_of(stoa_query *query) {
    int32_t count = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        count += it.count;
    }
    return count;
}

/* GEN-03 GEN-04: ending things works when there is no memory at all. */
static void destroy_and_free_need_no_memory(void **state) {
    support_world *s = *state;
    oom o = {.s = {.world = s->world}};
    prepare_some(&o);
    assert_int_equal(stoa_create_bulk(s->world, 20, NULL, STOA_ZERO(Position), STOA_ZERO(Huge)),
                     STOA_OK);
    assert_int_equal(stoa_create_bulk(s->world, 50, NULL, STOA_ZERO(Label)), STOA_OK);
    stoa_query *query = stoa_query_parse(s->world, "Position");
    assert_non_null(query);
    assert_non_null(stoa_query_parse(s->world, "?Label"));
    assert_int_equal(rows_of(query), 22);
    uint64_t hash = stoa_hash(s->world);
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_int_equal(stoa_hash(s->world), hash);
    assert_int_equal(rows_of(query), 22);
    stoa_entity e = stoa_entity_next(s->world, STOA_NULL);
    while (!stoa_entity_is_null(e)) {
        assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
        e = stoa_entity_next(s->world, e);
    }
    assert_int_equal(stoa_count(s->world), 0);
    assert_int_equal(label_count, 0);
    assert_int_equal(stoa_query_free(query), STOA_OK);
    assert_int_equal(stoa_check(s->world), STOA_OK);
    stoa_world_free(s->world);
    s->world = NULL;
    assert_int_equal(s->heap.bytes, 0);
}

/* GEN-03 GEN-04: the same for what reacts, what is put off, and all kinds of storage. */
static void ending_of_reactions_needs_no_memory(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    oom o = {.s = {.world = w}};
    prepare_watched(&o);
    stoa_hook hook = stoa_on_remove(w, Heat, hook_count, &o);
    stoa_listener listener = stoa_event_listen(w, Position, listener_count, &o);
    stoa_reader *reader = stoa_reader_new(w, Label);
    stoa_commands *buffer = stoa_commands_new(w);
    Label sent = {text_make("sent")}, recorded = {text_make("recorded")},
          kept = {text_make("kept")};
    assert_int_equal(stoa_event_send_type(w, STOA_NULL, STOA_TYPE_OF(Label), &sent), STOA_OK);
    assert_int_equal(stoa_commands_set_from(buffer, o.e[0], Label, &recorded), STOA_OK);
    assert_false(stoa_entity_is_null(stoa_commands_create_with(buffer, STOA_ZERO(Note))));
    assert_int_equal(stoa_resource_set_from(w, Label, &kept), STOA_OK);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(stoa_change(w, o.e[i], STOA_ZERO(Heat), STOA_ZERO(Note),
                                     STOA_ZERO(Burning), STOA_ZERO(Shield), STOA_ZERO(Health)),
                         STOA_OK);
        assert_int_equal(stoa_commands_destroy(stoa_deferred(w), o.e[i]), STOA_OK);
    }
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_int_equal(stoa_enable(w, o.e[1], Shield, false), STOA_OK);
    assert_int_equal(stoa_destroy(w, o.e[2]), STOA_OK);
    /* Destroying by command needs no more than destroying. */
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    assert_int_equal(stoa_listener_remove(w, listener), STOA_OK);
    assert_int_equal(stoa_reader_free(reader), STOA_OK);
    assert_int_equal(stoa_commands_clear(buffer), STOA_OK);
    assert_int_equal(stoa_commands_free(buffer), STOA_OK);
    assert_int_equal(stoa_resource_remove(w, Label), STOA_OK);
    assert_int_equal(stoa_log_keep(w, 0), STOA_OK);
    assert_int_equal(label_count, 0);
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_world_free(w);
    s->world = NULL;
    assert_int_equal(s->heap.bytes, 0);
}

/* GEN-04 STO-06 */
static void reserved_entities_need_no_memory(void **state) {
    support_world *s = *state;
    assert_int_equal(stoa_reserve(s->world, 3000, STOA_ZERO(Position), STOA_ZERO(Velocity)),
                     STOA_OK);
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    for (int i = 0; i < 2000; i++) {
        stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, (float)i}),
                                         STOA_VALUE(Velocity, {2, 3}));
        assert_false(stoa_entity_is_null(e));
        assert_true(stoa_get(s->world, e, Position)->y == (float)i);
    }
    assert_int_equal(
        stoa_create_bulk(s->world, 1000, NULL, STOA_ZERO(Position), STOA_ZERO(Velocity)), STOA_OK);
    s->heap.fail_at = 0;
}

/* GEN-04 STO-06 */
static void reserved_empty_entities_need_no_memory(void **state) {
    support_world *s = *state;
    assert_int_equal(stoa_reserve_values(s->world, 3000, NULL, 0), STOA_OK);
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    for (int i = 0; i < 3000; i++) {
        assert_false(stoa_entity_is_null(stoa_create(s->world)));
    }
    s->heap.fail_at = 0;
}

/* GEN-04 CMP-04 ACC-01: a descriptor that says the same in other words is met when there is no
 * memory. */
static void question_without_memory_is_answered_right(void **state) {
    support_world *s = *state;
    stoa_component_desc desc = {.name = "Position", .fields = "{ float x; float y; }"};
    stoa_component id = stoa_component_register(s->world, &desc);
    stoa_entity e = stoa_create(s->world);
    assert_int_equal(stoa_add_id(s->world, e, id), STOA_OK);
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_true(stoa_has(s->world, e, Position));
    assert_non_null(stoa_try_get(s->world, e, Position));
    assert_non_null(stoa_get(s->world, e, Position));
    s->heap.fail_at = 0;
}

/* ENT-11 CMP-11: a copy that its hook refuses. */
static void clone_refused_by_copy_hook_changes_nothing(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}),
                                     STOA_VALUE(Label, {text_make("mine")}), STOA_ZERO(Velocity));
    uint64_t hash = stoa_hash(s->world);
    int32_t archetypes = stoa_archetype_count(s->world);
    label_copy_refused = true;
    assert_true(stoa_entity_is_null(stoa_clone(s->world, e)));
    label_copy_refused = false;
    assert_int_not_equal(stoa_last_error().status, STOA_OK);
    support_assert_message("Label");
    assert_int_equal(stoa_hash(s->world), hash);
    assert_int_equal(stoa_count(s->world), 1);
    assert_int_equal(stoa_archetype_count(s->world), archetypes);
    assert_int_equal(label_count, 1);
    stoa_entity copy = stoa_clone(s->world, e);
    assert_string_equal(stoa_get(s->world, copy, Label)->text, "mine");
    assert_ptr_not_equal(stoa_get(s->world, copy, Label)->text, stoa_get(s->world, e, Label)->text);
    assert_int_equal(label_count, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_out_of_memory_changes_nothing),
        cmocka_unit_test(reaction_out_of_memory_changes_nothing),
        cmocka_unit_test(deferred_work_out_of_memory_can_be_repeated),
        cmocka_unit_test(storage_kinds_out_of_memory_change_nothing),
        cmocka_unit_test(world_out_of_memory_is_not_made),
        cmocka_unit_test_setup_teardown(destroy_and_free_need_no_memory, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(ending_of_reactions_needs_no_memory, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(reserved_entities_need_no_memory, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(reserved_empty_entities_need_no_memory, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(question_without_memory_is_answered_right, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(clone_refused_by_copy_hook_changes_nothing, support_setup,
                                        support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

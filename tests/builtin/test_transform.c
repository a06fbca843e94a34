/* Propagation: world matrices are right whatever happened, and only what changed is worked out. */
#include "builtin/transform_fixture.h"
#include "world/world.h"

STOA_TAG(Left);
STOA_TAG(Right);
STOA_COMPONENT(Mass, { float kg; });

/* TRF-04 */
static void world_is_the_parents_world_times_local(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity sun = node_make(w, STOA_NULL, 1);
    stoa_entity planet = node_make(w, sun, 2), moon = node_make(w, planet, 3);
    assert_int_equal(stoa_propagate_transforms(w), STOA_OK);
    Mat4 expected = matrix_of(1);
    assert_true(matrix_same(&stoa_get(w, sun, WorldTransform)->matrix, &expected));
    expected = stoa_mat4_multiply(expected, matrix_of(2));
    assert_true(matrix_same(&stoa_get(w, planet, WorldTransform)->matrix, &expected));
    expected = stoa_mat4_multiply(expected, matrix_of(3));
    assert_true(matrix_same(&stoa_get(w, moon, WorldTransform)->matrix, &expected));
}

/* TRF-04 */
static void children_made_before_their_parents_come_after_them(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity moon = node_make(w, STOA_NULL, 3), planet = node_make(w, STOA_NULL, 2);
    stoa_entity sun = node_make(w, STOA_NULL, 1);
    stoa_set_parent(w, moon, planet);
    stoa_set_parent(w, planet, sun);
    propagate_right(w);
    stoa_get_mut(w, sun, LocalTransform)->matrix = matrix_of(9);
    propagate_right(w);
}

/* TRF-04 */
static void nothing_to_do_is_fine(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    assert_int_equal(stoa_propagate_transforms(w), STOA_OK);
    stoa_create(w);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(LocalTransform, {matrix_of(1)}));
    assert_int_equal(stoa_propagate_transforms(w), STOA_OK);
    stoa_add(w, e, WorldTransform);
    propagate_right(w);
    stoa_destroy(w, e);
    assert_int_equal(stoa_propagate_transforms(w), STOA_OK);
}

/* TRF-04 */
static void entity_without_both_starts_new_trees_below_it(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity top = node_make(w, STOA_NULL, 1);
    stoa_entity gap = stoa_create_with(w, STOA_VALUE(LocalTransform, {matrix_of(2)}));
    stoa_set_parent(w, gap, top);
    stoa_entity below = node_make(w, gap, 3), last = node_make(w, below, 4);
    propagate_right(w);
    Mat4 local = matrix_of(3);
    assert_true(matrix_same(&stoa_get(w, below, WorldTransform)->matrix, &local));
    stoa_add(w, gap, WorldTransform);
    propagate_right(w);
    assert_false(matrix_same(&stoa_get(w, below, WorldTransform)->matrix, &local));
    stoa_remove(w, gap, LocalTransform);
    WorldTransform kept = *stoa_get(w, gap, WorldTransform);
    propagate_right(w);
    assert_true(matrix_same(&stoa_get(w, gap, WorldTransform)->matrix, &kept.matrix));
    assert_true(matrix_same(&stoa_get(w, below, WorldTransform)->matrix, &local));
    assert_true(stoa_alive(w, last));
}

/* TRF-04 */
static void every_way_to_write_a_local_transform_is_seen(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity top = node_make(w, STOA_NULL, 1), below = node_make(w, top, 2);
    propagate_right(w);
    stoa_set(w, top, LocalTransform, {matrix_of(3)});
    propagate_right(w);
    stoa_get_mut(w, below, LocalTransform)->matrix = matrix_of(4);
    propagate_right(w);
    stoa_commands_set(stoa_deferred(w), top, LocalTransform, {matrix_of(5)});
    stoa_flush(w);
    propagate_right(w);
    stoa_query *q = stoa_query_parse(w, "LocalTransform");
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        stoa_field_mut(&it, LocalTransform, 0)->matrix = matrix_of(6);
    }
    propagate_right(w);
    stoa_query_set(q, LocalTransform, {matrix_of(7)});
    propagate_right(w);
    stoa_change(w, below, STOA_VALUE(LocalTransform, {matrix_of(8)}), STOA_VALUE(Mass, {1}));
    propagate_right(w);
}

/* TRF-04 */
static void hierarchy_changes_are_seen(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity a = node_make(w, STOA_NULL, 1), b = node_make(w, STOA_NULL, 2);
    stoa_entity c = node_make(w, a, 3), d = node_make(w, c, 4);
    propagate_right(w);
    stoa_set_parent(w, c, b);
    propagate_right(w);
    stoa_set_parent(w, a, d);
    propagate_right(w);
    stoa_remove_parent(w, c);
    propagate_right(w);
    stoa_set(w, c, Parent, {b});
    stoa_remove_parent(w, a);
    propagate_right(w);
    stoa_entity twin = stoa_clone(w, d);
    propagate_right(w);
    stoa_destroy(w, c);
    propagate_right(w);
    stoa_destroy(w, a);
    stoa_set_parent(w, twin, d);
    node_make(w, twin, 5);
    propagate_right(w);
    stoa_clear(w, twin);
    propagate_right(w);
}

/* TRF-04 */
static void swapping_one_for_another_is_seen(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity top = node_make(w, STOA_NULL, 1), a = node_make(w, top, 2), b = node_make(w, a, 3);
    propagate_right(w);
    /* As many as before, and as many with a parent. */
    stoa_destroy(w, b);
    stoa_entity c = node_make(w, top, 4);
    propagate_right(w);
    stoa_remove_parent(w, c);
    stoa_set_parent(w, top, c);
    propagate_right(w);
    stoa_remove(w, a, WorldTransform);
    b = stoa_create_with(w, STOA_VALUE(LocalTransform, {matrix_of(6)}), STOA_ZERO(WorldTransform),
                         STOA_VALUE(Parent, {c}));
    propagate_right(w);
    stoa_remove(w, b, LocalTransform);
    stoa_add(w, a, WorldTransform);
    propagate_right(w);
}

/* TRF-04 */
static void rows_may_move_between_calls(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e[300];
    stoa_entity others[300];
    for (uint32_t i = 0; i < 300; i++) {
        others[i] = stoa_create_with(w, STOA_ZERO(Mass));
        e[i] = node_make(w, i > 0 ? e[(i - 1) / 3] : STOA_NULL, i);
    }
    propagate_right(w);
    for (uint32_t i = 0; i < 300; i += 2) {
        stoa_add(w, e[i], Mass);
        stoa_destroy(w, others[i]);
    }
    stoa_get_mut(w, e[1], LocalTransform)->matrix = matrix_of(500);
    propagate_right(w);
    assert_int_equal(stoa_compact(w), STOA_OK);
    for (uint32_t i = 0; i < 300; i += 4) {
        stoa_remove(w, e[i], Mass);
    }
    stoa_get_mut(w, e[2], LocalTransform)->matrix = matrix_of(501);
    propagate_right(w);
}

/* TRF-04 */
static void world_transform_of_others_is_set_right(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity top = node_make(w, STOA_NULL, 1), below = node_make(w, top, 2);
    propagate_right(w);
    stoa_get_mut(w, top, WorldTransform)->matrix = matrix_of(77);
    propagate_right(w);
    stoa_remove(w, below, WorldTransform);
    stoa_add(w, below, WorldTransform);
    propagate_right(w);
}

/* Two trees whose entities are in chunks of their own. */
typedef struct forest {
    stoa_entity left[4], right[4];
} forest;

static forest forest_make(stoa_world *w) {
    forest f;
    for (uint32_t i = 0; i < 4; i++) {
        f.left[i] = node_make(w, i > 0 ? f.left[i - 1] : STOA_NULL, i);
        f.right[i] = node_make(w, i > 0 ? f.right[i - 1] : STOA_NULL, i + 10);
        stoa_add(w, f.left[i], Left);
        stoa_add(w, f.right[i], Right);
    }
    propagate_right(w);
    return f;
}

/* TRF-04 */
static void only_changed_trees_are_worked_out(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    forest f = forest_make(w);
    uint32_t tick = stoa_tick(w);
    stoa_tick_advance(w);
    propagate_right(w);
    for (int i = 0; i < 4; i++) {
        assert_false(stoa_changed(w, f.left[i], WorldTransform, tick));
        assert_false(stoa_changed(w, f.right[i], WorldTransform, tick));
    }
    stoa_get_mut(w, f.left[0], LocalTransform)->matrix = matrix_of(20);
    propagate_right(w);
    assert_true(stoa_changed(w, f.left[3], WorldTransform, tick));
    assert_false(stoa_changed(w, f.right[0], WorldTransform, tick));
    assert_false(stoa_changed(w, f.right[3], WorldTransform, tick));
}

/* TRF-04 */
static void trees_that_others_leave_are_not_worked_out(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    forest f = forest_make(w);
    uint32_t tick = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_entity added = node_make(w, f.left[1], 30);
    stoa_add(w, added, Left);
    propagate_right(w);
    assert_true(stoa_changed(w, added, WorldTransform, tick));
    assert_false(stoa_changed(w, f.right[1], WorldTransform, tick));
    tick = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_destroy(w, f.left[3]);
    stoa_set_parent(w, f.left[2], f.left[0]);
    propagate_right(w);
    assert_true(stoa_changed(w, f.left[2], WorldTransform, tick));
    assert_false(stoa_changed(w, f.right[0], WorldTransform, tick));
    assert_false(stoa_changed(w, f.right[3], WorldTransform, tick));
}

/* TRF-04 */
static void changes_in_one_tree_above_and_below_are_worked_out_once(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e[1000];
    for (uint32_t i = 0; i < 1000; i++) {
        e[i] = node_make(w, i > 0 ? e[(i - 1) / 3] : STOA_NULL, i);
    }
    propagate_right(w);
    support_random random = {5};
    for (uint32_t round = 0; round < 60; round++) {
        for (uint32_t i = 0; i < round; i++) {
            stoa_get_mut(w, e[support_random_below(&random, 1000)], LocalTransform)->matrix =
                matrix_of(round + i);
        }
        propagate_right(w);
    }
}

/* TRF-04 */
static void old_ticks_do_not_look_new(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity top = node_make(w, STOA_NULL, 1);
    propagate_right(w);
    stoa_get_mut(w, top, LocalTransform)->matrix = matrix_of(2);
    stoa__world_tick_step(w, 3u << 30);
    propagate_right(w);
    for (uint32_t i = 0; i < 8; i++) {
        stoa__world_tick_step(w, (1u << 29) + 5);
        stoa_settle(w);
    }
    stoa_get_mut(w, top, LocalTransform)->matrix = matrix_of(3);
    propagate_right(w);
}

static void hook_propagates(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    *(stoa_status *)user = stoa_propagate_transforms(w);
}

/* TRF-04 */
static void propagation_is_refused_while_the_world_is_in_use(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    node_make(w, STOA_NULL, 1);
    assert_int_equal(stoa_propagate_transforms(NULL), STOA_NULL_ARGUMENT);
    stoa_query *q = stoa_query_parse(w, "const LocalTransform");
    stoa_iter it = stoa_query_iter(q);
    assert_true(stoa_iter_next(&it));
    support_assert_misuse(s, stoa_propagate_transforms(w), STOA_ITERATING);
    stoa_iter_end(&it);
    assert_int_equal(stoa_commands_fork(w, NULL, 0), STOA_OK);
    support_assert_misuse(s, stoa_propagate_transforms(w), STOA_FORKED);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    stoa_status status = STOA_OK;
    stoa_on_add(w, Mass, hook_propagates, &status);
    stoa_create_with(w, STOA_ZERO(Mass));
    support_assert_misuse(s, status, STOA_LOCKED);
    assert_int_equal(stoa_world_seal(w, true), STOA_OK);
    uint64_t hash = stoa_hash(w);
    support_assert_misuse(s, stoa_propagate_transforms(w), STOA_ACCESS);
    assert_true(stoa_hash(w) == hash);
    assert_int_equal(stoa_world_seal(w, false), STOA_OK);
    propagate_right(w);
}

/* TRF-04, STO-04 */
static void order_is_part_of_what_is_checked_and_weighed(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity top = node_make(w, STOA_NULL, 1);
    for (uint32_t i = 0; i < 1000; i++) {
        node_make(w, top, i);
    }
    size_t before = stoa_stats(w).bytes_reserved;
    propagate_right(w);
    assert_true(stoa_stats(w).bytes_reserved >= before + 1001 * 16);
    assert_int_equal(stoa_check(w), STOA_OK);
}

#define world_test(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        world_test(world_is_the_parents_world_times_local),
        world_test(children_made_before_their_parents_come_after_them),
        world_test(nothing_to_do_is_fine),
        world_test(entity_without_both_starts_new_trees_below_it),
        world_test(every_way_to_write_a_local_transform_is_seen),
        world_test(hierarchy_changes_are_seen),
        world_test(swapping_one_for_another_is_seen),
        world_test(rows_may_move_between_calls),
        world_test(world_transform_of_others_is_set_right),
        world_test(only_changed_trees_are_worked_out),
        world_test(trees_that_others_leave_are_not_worked_out),
        world_test(changes_in_one_tree_above_and_below_are_worked_out_once),
        world_test(old_ticks_do_not_look_new),
        world_test(propagation_is_refused_while_the_world_is_in_use),
        world_test(order_is_part_of_what_is_checked_and_weighed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The plan of a propagation: it begins where something changed, does nothing twice, and keeps its
 * order as long as that holds. */
#include "builtin/transform.h"
#include "builtin/transform_fixture.h"
#include "stoa/extension.h"

#define NODES 800

STOA_TAG(Moved);

static stoa__transforms *kept(const stoa_world *w) {
    stoa__transforms *t = stoa_extension_find(w, "stoa.transforms");
    assert_non_null(t);
    return t;
}

static stoa__transform_plan plan_now(const stoa_world *w) {
    stoa__transform_plan p = {0};
    assert_int_equal(stoa__transforms_plan(kept(w), &p), STOA_OK);
    return p;
}

/* A forest of random shape, propagated. */
static void forest_make(stoa_world *w, stoa_entity *e, support_random *random) {
    for (uint32_t i = 0; i < NODES; i++) {
        bool top = support_random_below(random, 20) == 0 || i == 0;
        e[i] = node_make(w, top ? STOA_NULL : e[support_random_below(random, i)], i);
    }
    propagate_right(w);
}

/* Whether a place or one above it has a mark. */
static bool marked_above(const stoa__levels *order, const bool *marked, uint32_t place) {
    while (place != STOA__LEVELS_NONE && !marked[place]) {
        place = order->items[place].parent;
    }
    return place != STOA__LEVELS_NONE;
}

/* TRF-04 */
static void plan_covers_what_changed_and_nothing_twice(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    support_random random = {21};
    static stoa_entity e[NODES];
    forest_make(w, e, &random);
    for (uint32_t round = 0; round < 300; round++) {
        static bool changed[NODES], begun[NODES];
        memset(changed, 0, sizeof changed);
        memset(begun, 0, sizeof begun);
        const stoa__levels *order = &kept(w)->order;
        for (uint32_t i = 0; i < NODES; i++) {
            /* Few at first, nearly all in the end. */
            bool chosen =
                round < 250 ? support_random_below(&random, NODES) < round : i % 101 != round % 101;
            if (chosen) {
                stoa_get_mut(w, e[i], LocalTransform);
                changed[stoa__levels_find(order, e[i])] = true;
            }
        }
        stoa__transform_plan p = plan_now(w);
        assert_ptr_equal(p.order, order);
        for (uint32_t i = 0; i < p.ranges; i++) {
            stoa__range range = kept(w)->ranges[i];
            assert_true(range.begin < range.end && range.end <= NODES);
            for (uint32_t place = range.begin; place < range.end; place++) {
                assert_false(begun[place]);
                assert_true(changed[place]);
                begun[place] = true;
            }
        }
        uint64_t total = 0;
        for (uint32_t place = 0; place < NODES; place++) {
            assert_false(begun[place] && order->items[place].parent != STOA__LEVELS_NONE &&
                         marked_above(order, begun, order->items[place].parent));
            assert_int_equal(marked_above(order, begun, place),
                             marked_above(order, changed, place));
            total += marked_above(order, changed, place);
        }
        assert_int_equal(p.total, total);
        assert_int_equal(stoa_check(w), STOA_OK);
        propagate_right(w);
    }
}

/* TRF-04 */
static void order_is_kept_while_it_holds(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    support_random random = {4};
    static stoa_entity e[NODES];
    forest_make(w, e, &random);
    const stoa__levels *order = &kept(w)->order;
    stoa_get_mut(w, e[7], LocalTransform);
    stoa_create(w);
    stoa_compact(w);
    assert_ptr_equal(plan_now(w).order, order);
    stoa_set_parent(w, e[7], e[0]);
    assert_ptr_not_equal(plan_now(w).order, order);
    propagate_right(w);
    assert_ptr_equal(plan_now(w).order, order);
    stoa_remove(w, e[9], WorldTransform);
    assert_ptr_not_equal(plan_now(w).order, order);
    propagate_right(w);
    assert_ptr_equal(plan_now(w).order, order);
    assert_int_equal(plan_now(w).ranges, 0);
}

/* TRF-04 */
static void all_that_is_written_begins_with_the_tops(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    support_random random = {8};
    static stoa_entity e[NODES];
    forest_make(w, e, &random);
    for (uint32_t i = 0; i < NODES; i++) {
        stoa_get_mut(w, e[i], LocalTransform);
    }
    stoa__transform_plan p = plan_now(w);
    assert_int_equal(p.ranges, 1);
    assert_int_equal(kept(w)->ranges[0].begin, 0);
    assert_int_equal(kept(w)->ranges[0].end, p.order->items[0].first);
    assert_int_equal(p.total, NODES);
}

/* TRF-04 */
static void rows_that_changed_places_are_found(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    support_random random = {17};
    static stoa_entity e[NODES];
    for (uint32_t i = 0; i < NODES; i++) {
        e[i] = node_make(w, i > 0 ? e[(i - 1) / 10] : STOA_NULL, i);
    }
    propagate_right(w);
    const stoa__levels *order = &kept(w)->order;
    for (uint32_t place = STOA__LEVELS_BLOCK; place < NODES; place++) {
        assert_true(stoa__levels_even(order, place));
    }
    for (uint32_t round = 0; round < 60; round++) {
        /* Out of its archetype and back: the last row takes its place, and it becomes the last. */
        stoa_entity moved = e[1 + support_random_below(&random, NODES - 1)];
        stoa_add(w, moved, Moved);
        if (round % 3 != 0) {
            stoa_remove(w, moved, Moved);
        }
        stoa_get_mut(w, e[round % 5], LocalTransform)->matrix = matrix_of(round);
        assert_ptr_equal(plan_now(w).order, order);
        propagate_right(w);
    }
}

/* Writes a matrix in one of several ways that leave rows where they are. */
static void matrix_write(stoa_world *w, stoa_entity e, stoa_query *query, uint32_t way) {
    LocalTransform local = {matrix_of(way + 3)};
    switch (way % 6) {
    case 0:
        *stoa_get_mut(w, e, LocalTransform) = local;
        break;
    case 1:
        assert_int_equal(stoa_set_from(w, e, LocalTransform, &local), STOA_OK);
        break;
    case 2:
        assert_int_equal(stoa_commands_set_from(stoa_deferred(w), e, LocalTransform, &local),
                         STOA_OK);
        assert_int_equal(stoa_flush(w), STOA_OK);
        break;
    case 3:
        stoa_get_mut(w, e, WorldTransform)->matrix = local.matrix;
        break;
    case 4:
        assert_int_equal(stoa_query_set_type(query, STOA_TYPE_OF(LocalTransform), &local), STOA_OK);
        break;
    default:
        for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
            stoa_field_mut(&it, WorldTransform, 0)[it.count - 1].matrix = local.matrix;
        }
    }
}

/* TRF-04 CHG-02: then only what is noted of chunks is read. */
static void writes_are_found_while_rows_stay(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static stoa_entity e[NODES];
    for (uint32_t i = 0; i < NODES; i++) {
        e[i] = node_make(w, i > 0 ? e[(i - 1) / 4] : STOA_NULL, i);
    }
    stoa_query *query = stoa_query_new(
        w, &(stoa_query_desc){.terms = {STOA_WRITE(WorldTransform), STOA_FILTER(LocalTransform)}});
    propagate_right(w);
    uint64_t seen = kept(w)->seen;
    for (uint32_t round = 0; round < 60; round++) {
        matrix_write(w, e[round * 13 % NODES], query, round);
        assert_true(plan_now(w).total > 0);
        propagate_right(w);
        assert_int_equal(plan_now(w).total, 0);
        assert_true(kept(w)->seen == seen);
    }
}

/* TRF-04, GEN-03 */
static void entities_with_indexes_used_before_keep_their_places(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static stoa_entity e[NODES];
    for (uint32_t i = 0; i < NODES; i++) {
        e[i] = node_make(w, i > 0 ? e[0] : STOA_NULL, i);
    }
    propagate_right(w);
    for (uint32_t i = 100; i < 200; i += 7) {
        stoa_destroy(w, e[i]);
        e[i] = node_make(w, e[0], i + 1);
        propagate_right(w);
        assert_int_equal(stoa_check(w), STOA_OK);
    }
    stoa_get_mut(w, e[0], LocalTransform)->matrix = matrix_of(5);
    propagate_right(w);
}

/* TRF-04, STO-04 */
static void check_finds_a_broken_order(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    support_random random = {9};
    static stoa_entity e[NODES];
    forest_make(w, e, &random);
    stoa__transforms *t = kept(w);
    uint32_t last = t->order.count - 1, parent = t->order.items[last].parent;
    t->order.items[last].parent = last;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    t->order.items[last].parent = parent;
    stoa_entity kept_entity = t->order.items[3].entity;
    t->order.items[3].entity = t->order.items[4].entity;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    t->order.items[3].entity = kept_entity;
    assert_false(stoa__levels_even(&t->order, 0));
    t->order.even[0] |= 1;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    t->order.even[0] &= ~(uint64_t)1;
    t->marks[0] = 1;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    t->marks[0] = 0;
    assert_int_equal(stoa_check(w), STOA_OK);
}

#define world_test(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        world_test(plan_covers_what_changed_and_nothing_twice),
        world_test(order_is_kept_while_it_holds),
        world_test(all_that_is_written_begins_with_the_tops),
        world_test(rows_that_changed_places_are_found),
        world_test(writes_are_found_while_rows_stay),
        world_test(entities_with_indexes_used_before_keep_their_places),
        world_test(check_finds_a_broken_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

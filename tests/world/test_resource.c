/* Resources: one value of a type for the whole world. */
#include "world/resource_fixture.h"
#include "world/world.h"

STOA_TAG(Paused);
STOA_COMPONENT_WITH(Crate, STOA_OPTIONS(.hooks = {.drop = box_drop}), { int *number; });

/* A value that knows its own address: moving it as bytes would show. */
static int anchor_moves;

static void anchor_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        void **source = &((void **)from)[i], **target = &((void **)to)[i];
        assert_ptr_equal(*source, source);
        *target = target;
        *source = NULL;
        anchor_moves++;
    }
}

STOA_COMPONENT_WITH(Anchor, STOA_OPTIONS(.hooks = {.move = anchor_move}), { void *self; });

/* RES-01 */
static void resource_is_set_and_overwritten_in_place(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    assert_false(stoa_resource_has(w, Gravity));
    assert_null(stoa_resource_try(w, Gravity));
    assert_null(stoa_resource_try_mut(w, Gravity));
    assert_int_equal(stoa_resource_set(w, Gravity, {0, -10, 1}), STOA_OK);
    assert_true(stoa_resource_has(w, Gravity));
    const Gravity *g = stoa_resource(w, Gravity);
    assert_true(g->y == -10 && g->z == 1);
    assert_int_equal(stoa_resource_set(w, Gravity, {3, 2, 1}), STOA_OK);
    assert_ptr_equal(stoa_resource(w, Gravity), g);
    assert_true(g->x == 3 && g->y == 2 && g->z == 1);
    stoa_resource_mut(w, Gravity)->x = 7;
    stoa_resource_try_mut(w, Gravity)->y = 8;
    assert_true(stoa_resource_try(w, Gravity)->x == 7 && g->y == 8);
    assert_int_equal(stoa_count(w), 0);
}

/* RES-01 */
static void address_stays_while_others_come_and_go(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_resource_set(w, Time, {1.5});
    const Time *time = stoa_resource(w, Time);
    stoa_component ids[300];
    for (int i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "R%d", i);
        ids[i] = stoa_component_register(w, &(stoa_component_desc){.name = name, .size = 4});
        assert_int_equal(stoa_resource_set_id(w, ids[i], &i, sizeof i), STOA_OK);
    }
    for (int i = 0; i < 300; i++) {
        assert_int_equal(*(const int *)stoa_resource_id(w, ids[i]), i);
        if (i % 2 == 0) {
            assert_int_equal(stoa_resource_remove_id(w, ids[i]), STOA_OK);
        }
    }
    assert_ptr_equal(stoa_resource(w, Time), time);
    assert_true(time->now == 1.5);
    assert_int_equal(*(const int *)stoa_resource_id(w, ids[7]), 7);
    assert_false(stoa_resource_has_id(w, ids[8]));
}

/* RES-01 CMP-11 */
static void overwritten_and_removed_values_are_dropped_once(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    assert_int_equal(box_set(w, 1), STOA_OK);
    assert_int_equal(box_drops, 0);
    assert_int_equal(box_set(w, 2), STOA_OK);
    assert_int_equal(box_drops, 1);
    assert_int_equal(box_last, 1);
    assert_int_equal(*stoa_resource(w, Box)->number, 2);
    assert_int_equal(stoa_resource_remove(w, Box), STOA_OK);
    assert_int_equal(box_last, 2);
    assert_int_equal(boxes, 0);
    assert_false(stoa_resource_has(w, Box));
    assert_int_equal(stoa_resource_remove(w, Box), STOA_OK);
    assert_int_equal(box_drops, 2);
    assert_int_equal(box_set(w, 3), STOA_OK);
    assert_int_equal(*stoa_resource(w, Box)->number, 3);
    assert_int_equal(box_drops, 2);
}

/* RES-01 CMP-11 */
static void resources_are_dropped_with_the_world(void **state) {
    (void)state;
    support_world s;
    support_world_open(&s);
    assert_int_equal(box_set(s.world, 5), STOA_OK);
    Box other = box_of(6);
    assert_int_equal(stoa_resource_set_id(s.world, stoa_id(s.world, Crate), &other, sizeof other),
                     STOA_OK);
    support_world_close(&s);
    assert_int_equal(boxes, 0);
    assert_int_equal(box_last, 6);
}

/* RES-01 CMP-11 */
static void value_is_moved_in_by_its_hook(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int i = 1; i <= 3; i++) {
        Anchor anchor = {NULL};
        anchor.self = &anchor;
        assert_int_equal(stoa_resource_set_from(w, Anchor, &anchor), STOA_OK);
        assert_null(anchor.self);
        assert_ptr_equal(stoa_resource(w, Anchor)->self, stoa_resource(w, Anchor));
        assert_int_equal(anchor_moves, i);
    }
}

/* RES-01: the value is the resource itself. */
static void resource_set_to_itself_is_left_alone(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    assert_int_equal(box_set(w, 9), STOA_OK);
    assert_int_equal(stoa_resource_set_from(w, Box, stoa_resource_mut(w, Box)), STOA_OK);
    assert_int_equal(box_drops, 0);
    assert_int_equal(*stoa_resource(w, Box)->number, 9);
}

/* RES-01 */
static void type_is_component_and_resource_at_once(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Gravity, {1, 1, 1}));
    stoa_resource_set(w, Gravity, {2, 2, 2});
    assert_true(stoa_get(w, e, Gravity)->x == 1);
    assert_true(stoa_resource(w, Gravity)->x == 2);
    stoa_resource_remove(w, Gravity);
    assert_true(stoa_get(w, e, Gravity)->x == 1);
    stoa_resource_set(w, Gravity, {3, 3, 3});
    stoa_destroy(w, e);
    assert_true(stoa_resource(w, Gravity)->x == 3);
}

/* RES-01 CMP-08 */
static void tag_is_a_resource_too(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    assert_false(stoa_resource_has(w, Paused));
    assert_int_equal(stoa_resource_set(w, Paused, {0}), STOA_OK);
    assert_true(stoa_resource_has(w, Paused));
    assert_non_null(stoa_resource(w, Paused));
    assert_int_equal(stoa_resource_set_id(w, stoa_id(w, Paused), NULL, 0), STOA_OK);
    assert_ptr_equal(stoa_resource(w, Paused), stoa_resource_try_mut(w, Paused));
    assert_int_equal(stoa_resource_remove(w, Paused), STOA_OK);
    assert_false(stoa_resource_has(w, Paused));
}

/* RES-02 CHG-03 */
static void only_sets_and_mutable_gets_mark(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_component id = stoa_id(w, Time);
    uint32_t before = stoa_tick(w);
    assert_false(stoa_resource_changed(w, Time, before - 1));
    stoa_tick_advance(w);
    stoa_resource_set(w, Time, {1});
    assert_true(stoa_resource_changed(w, Time, before));
    uint32_t set = stoa_tick(w);
    assert_false(stoa_resource_changed(w, Time, set));

    stoa_tick_advance(w);
    (void)stoa_resource(w, Time);
    (void)stoa_resource_try(w, Time);
    (void)stoa_resource_id(w, id);
    (void)stoa_resource_try_id(w, id);
    (void)stoa_resource_has(w, Time);
    (void)stoa_resource_next(w, 0);
    (void)stoa_hash(w);
    assert_false(stoa_resource_changed(w, Time, set));
    assert_false(stoa_resource_changed_id(w, id, set));

    for (int way = 0; way < 6; way++) {
        uint32_t tick = stoa_tick(w);
        stoa_tick_advance(w);
        assert_false(stoa_resource_changed(w, Time, tick));
        switch (way) {
        case 0:
            (void)stoa_resource_mut(w, Time);
            break;
        case 1:
            (void)stoa_resource_try_mut(w, Time);
            break;
        case 2:
            (void)stoa_resource_mut_id(w, id);
            break;
        case 3:
            (void)stoa_resource_try_mut_id(w, id);
            break;
        case 4:
            stoa_resource_set(w, Time, {2});
            break;
        default:
            stoa_resource_set_id(w, id, stoa_resource(w, Time), sizeof(Time));
            break;
        }
        assert_true(stoa_resource_changed(w, Time, tick));
        assert_true(stoa_resource_changed_id(w, id, tick));
    }
    stoa_resource_remove(w, Time);
    assert_false(stoa_resource_changed(w, Time, set));
    assert_false(stoa_resource_changed(w, Unheard, set));
}

/* CHG-01 CHG-03: a write of long ago does not come to look new. */
static void old_write_stays_old(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_resource_set(w, Time, {1});
    for (int i = 0; i < 12; i++) {
        uint32_t since = stoa_tick(w);
        stoa__world_tick_step(w, 0x20000000u);
        assert_false(stoa_resource_changed(w, Time, since));
    }
    uint32_t since = stoa_tick(w);
    stoa_tick_advance(w);
    (void)stoa_resource_mut(w, Time);
    assert_true(stoa_resource_changed(w, Time, since));
}

/* RES-01 */
static void resources_are_enumerated_in_order_of_ids(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_component time = stoa_id(w, Time), gravity = stoa_id(w, Gravity),
                   paused = stoa_id(w, Paused);
    assert_int_equal(stoa_resource_next(w, 0), 0);
    stoa_resource_set(w, Paused, {0});
    stoa_resource_set(w, Time, {1});
    assert_int_equal(stoa_resource_next(w, 0), time);
    assert_int_equal(stoa_resource_next(w, time), paused);
    assert_int_equal(stoa_resource_next(w, gravity), paused);
    assert_int_equal(stoa_resource_next(w, paused), 0);
    assert_int_equal(stoa_resource_next(w, UINT32_MAX), 0);
    assert_int_equal(stoa_resource_next(NULL, 0), 0);
}

static void resource_touch(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    int *calls = user;
    ++*calls;
    assert_int_equal(stoa_resource_set(world, Time, {4}), STOA_OK);
    assert_int_equal(stoa_resource_remove(world, Gravity), STOA_OK);
}

/* RES-01: not structural, so neither iterations nor hooks stand in the way. */
static void resources_come_and_go_under_iteration_and_in_hooks(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    int calls = 0;
    stoa_on_add(w, Unheard, resource_touch, &calls);
    stoa_resource_set(w, Gravity, {1, 1, 1});
    stoa_create_with(w, STOA_VALUE(Unheard, {1}));
    assert_int_equal(calls, 1);
    assert_true(stoa_resource(w, Time)->now == 4);
    assert_false(stoa_resource_has(w, Gravity));
    stoa_query *query = stoa_query_parse(w, "Unheard");
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        assert_int_equal(stoa_resource_set(w, Gravity, {2, 2, 2}), STOA_OK);
        assert_int_equal(stoa_resource_remove(w, Time), STOA_OK);
    }
    assert_true(stoa_resource(w, Gravity)->x == 2);
    assert_false(stoa_resource_has(w, Time));
}

/* STO-08 */
static void resource_stands_at_its_alignment(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (uint32_t alignment = 1; alignment <= 64; alignment *= 2) {
        char name[16];
        snprintf(name, sizeof name, "A%u", alignment);
        stoa_component id = stoa_component_register(
            w, &(stoa_component_desc){.name = name, .size = alignment, .alignment = alignment});
        uint8_t value[64] = {(uint8_t)alignment};
        assert_int_equal(stoa_resource_set_id(w, id, value, alignment), STOA_OK);
        const uint8_t *found = stoa_resource_id(w, id);
        assert_int_equal((uintptr_t)found % alignment, 0);
        assert_int_equal(found[0], alignment);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(resource_is_set_and_overwritten_in_place),
        WITH_WORLD(address_stays_while_others_come_and_go),
        WITH_WORLD(overwritten_and_removed_values_are_dropped_once),
        WITH_WORLD(resources_are_dropped_with_the_world),
        WITH_WORLD(value_is_moved_in_by_its_hook),
        WITH_WORLD(resource_set_to_itself_is_left_alone),
        WITH_WORLD(type_is_component_and_resource_at_once),
        WITH_WORLD(tag_is_a_resource_too),
        WITH_WORLD(only_sets_and_mutable_gets_mark),
        WITH_WORLD(old_write_stays_old),
        WITH_WORLD(resources_are_enumerated_in_order_of_ids),
        WITH_WORLD(resources_come_and_go_under_iteration_and_in_hooks),
        WITH_WORLD(resource_stands_at_its_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Resources: one value of a type for the whole world. */
#include "support/support.h"
#include "world/world.h"

#include <stdlib.h>

STOA_COMPONENT(Time, { double now; });
STOA_COMPONENT(Gravity, { float x, y, z; });
STOA_COMPONENT(Unheard, { int32_t value; });
STOA_TAG(Paused);

static int boxes;     /* values that own memory and live */
static int box_drops; /* how many were dropped */
static int box_last;  /* the number of the one dropped last */

static void box_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        int **box = &((int **)items)[i];
        box_last = **box;
        free(*box);
        *box = NULL;
        boxes--;
        box_drops++;
    }
}

STOA_COMPONENT_WITH(Box, STOA_OPTIONS(.hooks = {.drop = box_drop}), { int *number; });
STOA_COMPONENT_WITH(Crate, STOA_OPTIONS(.hooks = {.drop = box_drop}), { int *number; });

static Box box_of(int number) {
    Box box = {malloc(sizeof(int))};
    assert_non_null(box.number);
    *box.number = number;
    boxes++;
    return box;
}

static stoa_status box_set(stoa_world *world, int number) {
    Box box = box_of(number);
    return stoa_resource_set_from(world, Box, &box);
}

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

static stoa_status status_of(const void *found) {
    return found == NULL ? stoa_last_error().status : STOA_OK;
}

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

/* RES-01 GEN-03: the message names the type. */
static void absent_resource_is_an_error(void **state) {
    support_world *s = *state;
    support_assert_misuse(s, status_of(stoa_resource(s->world, Unheard)), STOA_MISSING);
    support_assert_message("there is no resource 'Unheard'");
    support_assert_misuse(s, status_of(stoa_resource_mut(s->world, Unheard)), STOA_MISSING);
    assert_int_equal(stoa_type_find(s->world, STOA_TYPE_OF(Unheard)), 0);
    assert_int_equal(stoa_resource_remove(s->world, Unheard), STOA_OK);
    stoa_component id = stoa_id(s->world, Unheard);
    support_assert_misuse(s, status_of(stoa_resource(s->world, Unheard)), STOA_MISSING);
    support_assert_misuse(s, status_of(stoa_resource_id(s->world, id)), STOA_MISSING);
    support_assert_message("there is no resource 'Unheard'");
    support_assert_misuse(s, status_of(stoa_resource_mut_id(s->world, id)), STOA_MISSING);
    assert_null(stoa_resource_try_id(s->world, id));
    assert_null(stoa_resource_try_mut_id(s->world, id));
    assert_int_equal(stoa_resource_remove_id(s->world, id), STOA_OK);
    support_assert_quiet(s);
    assert_int_equal(s->errors, 5);
}

/* GEN-05 */
static void bad_arguments_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Gravity);
    Gravity g = {1, 2, 3};
    support_assert_misuse(s, stoa_resource_set_id(w, id, &g, 8), STOA_INVALID);
    support_assert_message("resource 'Gravity' has 12 bytes, the value 8");
    support_assert_misuse(s, stoa_resource_set_id(w, id, NULL, 12), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_resource_set_type(w, STOA_TYPE_OF(Gravity), NULL),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_resource_set_type(w, NULL, &g), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, status_of(stoa_resource_type(w, NULL)), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_resource_remove_type(w, NULL), STOA_NULL_ARGUMENT);
    const stoa_component unknown[] = {0, id + 1, UINT32_MAX};
    for (int i = 0; i < 3; i++) {
        support_assert_misuse(s, stoa_resource_set_id(w, unknown[i], &g, 12), STOA_UNKNOWN);
        support_assert_misuse(s, status_of(stoa_resource_id(w, unknown[i])), STOA_UNKNOWN);
        support_assert_misuse(s, status_of(stoa_resource_mut_id(w, unknown[i])), STOA_UNKNOWN);
        support_assert_misuse(s, stoa_resource_remove_id(w, unknown[i]), STOA_UNKNOWN);
        assert_null(stoa_resource_try_id(w, unknown[i]));
        assert_false(stoa_resource_has_id(w, unknown[i]));
        assert_false(stoa_resource_changed_id(w, unknown[i], 0));
    }
    assert_int_equal(stoa_resource_set_id(NULL, id, &g, 12), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_resource_remove_id(NULL, id), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_resource_remove(NULL, Gravity), STOA_NULL_ARGUMENT);
    assert_int_equal(status_of(stoa_resource(NULL, Gravity)), STOA_NULL_ARGUMENT);
    assert_int_equal(status_of(stoa_resource_id(NULL, id)), STOA_NULL_ARGUMENT);
    assert_null(stoa_resource_try(NULL, Gravity));
    assert_false(stoa_resource_has(NULL, Gravity));
    assert_false(stoa_resource_has(w, Gravity));
}

/* CMP-04 */
static void name_of_another_description_is_a_conflict(void **state) {
    support_world *s = *state;
    stoa_component_desc desc = {.name = "Time", .size = 4};
    stoa_component id = stoa_component_register(s->world, &desc);
    int value = 3;
    assert_int_equal(stoa_resource_set_id(s->world, id, &value, sizeof value), STOA_OK);
    assert_int_equal(status_of(stoa_resource(s->world, Time)), STOA_CONFLICT);
    assert_int_equal(stoa_resource_set(s->world, Time, {1}), STOA_CONFLICT);
    assert_int_equal(stoa_resource_remove(s->world, Time), STOA_CONFLICT);
    assert_null(stoa_resource_try(s->world, Time));
    assert_int_equal(*(const int *)stoa_resource_id(s->world, id), 3);
}

typedef struct meddler {
    support_world *s;
    stoa_component id;
    stoa_status status; /* of setting what is being dropped */
    int drops;
} meddler;

/* Tries all there is on its own resource, and makes the table grow. */
static void meddler_drop(void *items, int32_t count, void *user) {
    (void)items;
    (void)count;
    meddler *m = user;
    m->drops++;
    m->status = stoa_resource_set_id(m->s->world, m->id, &(uint64_t){7}, sizeof(uint64_t));
    assert_false(stoa_resource_has_id(m->s->world, m->id));
    assert_null(stoa_resource_try_mut_id(m->s->world, m->id));
    assert_int_equal(stoa_resource_remove_id(m->s->world, m->id), STOA_OK);
    for (int i = 0; i < 50; i++) {
        char name[16];
        snprintf(name, sizeof name, "M%d", i);
        stoa_component id = stoa_component_register(
            m->s->world, &(stoa_component_desc){.name = name, .size = sizeof i});
        stoa_resource_set_id(m->s->world, id, &i, sizeof i);
    }
}

/* GEN-05 */
static void drop_hook_cannot_set_what_is_dropped(void **state) {
    support_world *s = *state;
    meddler m = {.s = s};
    m.id = stoa_component_register(
        s->world, &(stoa_component_desc){.name = "Meddler",
                                         .size = sizeof(uint64_t),
                                         .alignment = _Alignof(uint64_t),
                                         .hooks = {.drop = meddler_drop, .user = &m}});
    uint64_t value = 1;
    assert_int_equal(stoa_resource_set_id(s->world, m.id, &value, sizeof value), STOA_OK);
    value = 2;
    assert_int_equal(stoa_resource_set_id(s->world, m.id, &value, sizeof value), STOA_OK);
    support_assert_misuse(s, m.status, STOA_LOCKED);
    assert_int_equal(m.drops, 1);
    assert_int_equal(*(const uint64_t *)stoa_resource_id(s->world, m.id), 2);
    assert_int_equal(stoa_resource_remove_id(s->world, m.id), STOA_OK);
    support_assert_misuse(s, m.status, STOA_LOCKED);
    assert_int_equal(m.drops, 2);
    assert_false(stoa_resource_has_id(s->world, m.id));
    assert_int_equal(stoa_check(s->world), STOA_OK);
}

static stoa_status late_status;

static void late_drop(void *items, int32_t count, void *user) {
    (void)items;
    (void)count;
    late_status = stoa_resource_set(((support_world *)user)->world, Gravity, {1, 1, 1});
}

/* GEN-05 */
static void world_that_is_freed_takes_no_resource(void **state) {
    (void)state;
    support_world s;
    support_world_open(&s);
    (void)stoa_id(s.world, Gravity);
    stoa_component id = stoa_component_register(
        s.world, &(stoa_component_desc){
                     .name = "Late", .size = 4, .hooks = {.drop = late_drop, .user = &s}});
    assert_int_equal(stoa_resource_set_id(s.world, id, &(int){1}, 4), STOA_OK);
    support_world_close(&s);
    assert_int_equal(late_status, STOA_FREED);
}

/* CMD-06: threads may write what is there; the table stays as it is. */
static void resources_neither_come_nor_go_while_threads_record(void **state) {
    support_world *s = *state;
    stoa_resource_set(s->world, Time, {1});
    (void)stoa_id(s->world, Gravity);
    stoa_commands *buffer = stoa_commands_new(s->world);
    assert_int_equal(stoa_commands_fork(s->world, &buffer, 1), STOA_OK);
    support_assert_misuse(s, stoa_resource_set(s->world, Gravity, {1, 1, 1}), STOA_FORKED);
    support_assert_misuse(s, stoa_resource_remove(s->world, Time), STOA_FORKED);
    assert_int_equal(stoa_resource_set(s->world, Time, {2}), STOA_OK);
    assert_int_equal(stoa_resource_remove(s->world, Gravity), STOA_OK);
    assert_int_equal(stoa_commands_join(s->world), STOA_OK);
    assert_true(stoa_resource(s->world, Time)->now == 2);
    assert_int_equal(stoa_resource_remove(s->world, Time), STOA_OK);
}

/* GEN-03 GEN-04 */
static void set_without_memory_changes_nothing(void **state) {
    support_world *s = *state;
    size_t at = 1;
    for (;; at++) {
        Box box = box_of(4);
        s->heap.fail_at = at;
        stoa_status status = stoa_resource_set_from(s->world, Box, &box);
        s->heap.fail_at = 0;
        if (status == STOA_OK) {
            break;
        }
        assert_int_equal(status, STOA_NO_MEMORY);
        assert_false(stoa_resource_has(s->world, Box));
        assert_int_equal(*box.number, 4);
        box_drop(&box, 1, NULL);
        assert_int_equal(stoa_check(s->world), STOA_OK);
    }
    assert_true(at > 2);
    size_t allocations = s->heap.allocations;
    assert_int_equal(box_set(s->world, 5), STOA_OK);
    assert_int_equal(s->heap.allocations, allocations);
    s->heap.fail_at = 1;
    assert_int_equal(stoa_resource_remove(s->world, Box), STOA_OK);
    s->heap.fail_at = 0;
    support_assert_quiet(s);
}

static int counters_setup(void **state) {
    boxes = box_drops = box_last = anchor_moves = 0;
    return support_setup(state);
}

static int counters_teardown(void **state) {
    int result = support_teardown(state);
    assert_int_equal(boxes, 0);
    return result;
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, counters_setup, counters_teardown)

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
        WITH_WORLD(absent_resource_is_an_error),
        WITH_WORLD(bad_arguments_are_refused),
        WITH_WORLD(name_of_another_description_is_a_conflict),
        WITH_WORLD(drop_hook_cannot_set_what_is_dropped),
        WITH_WORLD(world_that_is_freed_takes_no_resource),
        WITH_WORLD(resources_neither_come_nor_go_while_threads_record),
        WITH_WORLD(set_without_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

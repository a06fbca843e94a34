/* Commands: recording them, what they do when they are applied, and the handles they give out. */
#include "commands_types.h"
#include "world/commands.h"
#include "world/testing.h"

static stoa_status flush(stoa_world *w) {
    return stoa_flush(w);
}

/* CMD-01: each operation, on the world's own buffer and on another. */
static void operations_do_what_the_direct_calls_do(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[2] = {stoa_deferred(w), stoa_commands_new(w)};
    for (int i = 0; i < 2; i++) {
        stoa_commands *c = buffers[i];
        stoa_entity a = stoa_create_with(w, STOA_VALUE(Health, {1}), STOA_ZERO(Frozen));
        stoa_entity b = stoa_create_with(w, STOA_VALUE(Health, {2}));
        stoa_entity d = stoa_create(w);
        assert_int_equal(stoa_commands_set(c, a, Position, {1, 2, 3}), STOA_OK);
        assert_int_equal(stoa_commands_add(c, b, Position), STOA_OK);
        assert_int_equal(stoa_commands_remove(c, a, Frozen), STOA_OK);
        assert_int_equal(stoa_commands_destroy(c, d), STOA_OK);
        stoa_entity e = stoa_commands_create(c);
        stoa_entity f = stoa_commands_create_with(c, STOA_VALUE(Health, {7}), STOA_ZERO(Position));
        assert_int_equal(stoa_commands_change(c, b, STOA_VALUE(Shield, {5}), STOA_REMOVE(Health)),
                         STOA_OK);
        assert_int_equal(stoa_commands_enable(c, b, Shield, false), STOA_OK);
        assert_int_equal(stoa_commands_count(c), 8);
        assert_false(stoa_has(w, a, Position));
        assert_true(stoa_alive(w, d));
        assert_int_equal(stoa_commands_flush(c), STOA_OK);
        assert_true(stoa_commands_empty(c));
        assert_true(stoa_get(w, a, Position)->z == 3);
        assert_false(stoa_has(w, a, Frozen));
        assert_true(stoa_get(w, b, Position)->x == 0);
        assert_false(stoa_has(w, b, Health));
        assert_int_equal(stoa_get(w, b, Shield)->power, 5);
        assert_false(stoa_enabled(w, b, Shield));
        assert_false(stoa_alive(w, d));
        assert_true(stoa_alive(w, e));
        assert_int_equal(stoa_get(w, f, Health)->points, 7);
        assert_true(stoa_get(w, f, Position)->y == 0);
        assert_int_equal(stoa_commands_skipped(c), 0);
    }
    support_assert_quiet(s);
}

/* CMD-01 ACC-08 */
static void operations_by_id_are_those_by_type(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_component health = stoa_id(w, Health), shield = stoa_id(w, Shield),
                   frozen = stoa_id(w, Frozen);
    stoa_entity a = stoa_create(w);
    int32_t nine = 9;
    assert_int_equal(stoa_commands_set_id(c, a, health, &nine, sizeof nine), STOA_OK);
    assert_int_equal(stoa_commands_add_id(c, a, shield), STOA_OK);
    assert_int_equal(stoa_commands_set_id(c, a, frozen, NULL, 0), STOA_OK);
    assert_int_equal(stoa_commands_enable_id(c, a, shield, false), STOA_OK);
    stoa_value values[] = {{.id = health, .data = &nine}, {.type = STOA_TYPE_OF(Position)}};
    stoa_entity b = stoa_commands_create_values(c, values, 2);
    assert_int_equal(flush(w), STOA_OK);
    assert_int_equal(stoa_get(w, a, Health)->points, 9);
    assert_true(stoa_has(w, a, Frozen));
    assert_false(stoa_enabled(w, a, Shield));
    assert_int_equal(stoa_get(w, b, Health)->points, 9);
    assert_true(stoa_has(w, b, Position));
    stoa_commands_enable_id(c, a, shield, true);
    stoa_commands_remove_id(c, a, health);
    assert_int_equal(flush(w), STOA_OK);
    assert_true(stoa_enabled(w, a, Shield));
    assert_false(stoa_has(w, a, Health));
}

/* CMD-02 */
static void commands_apply_in_the_order_they_were_recorded(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity a = stoa_create(w), b = stoa_create(w);
    for (int32_t i = 0; i < 10; i++) {
        stoa_commands_set(c, a, Health, {i});
        stoa_commands_set(c, b, Health, {-i});
    }
    assert_int_equal(flush(w), STOA_OK);
    assert_int_equal(stoa_get(w, a, Health)->points, 9);
    assert_int_equal(stoa_get(w, b, Health)->points, -9);
    stoa_commands_add(c, a, Health);
    assert_int_equal(stoa_commands_change(c, b, STOA_ZERO(Health)), STOA_OK);
    assert_int_equal(flush(w), STOA_OK);
    assert_int_equal(stoa_get(w, a, Health)->points, 9);
    assert_int_equal(stoa_get(w, b, Health)->points, 0);
}

/* CMD-02 CMP-11 */
static void commands_on_the_dead_are_skipped_and_counted(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity a = stoa_create(w), b = stoa_create(w);
    stoa_commands_destroy(c, a);
    stoa_commands_set(c, a, Health, {1});
    owned_set(c, b, 1);
    owned_set(c, a, 2);
    Owned other;
    owner_make(&other, 3);
    stoa_commands_change(c, a, STOA_VALUE_FROM(Owned, &other), STOA_REMOVE(Health));
    stoa_commands_destroy(c, a);
    stoa_commands_enable(c, a, Shield, true);
    const stoa_entity forged[] = {{77, 1}, {0, 1}};
    stoa_commands_add(c, forged[0], Frozen);
    stoa_commands_add(c, forged[1], Frozen);
    assert_int_equal(owned_alive, 3);
    assert_int_equal(flush(w), STOA_OK);
    assert_int_equal(stoa_commands_skipped(c), 7);
    assert_int_equal(owned_alive, 1);
    assert_int_equal(stoa_get(w, b, Owned)->serial, 1);
    /* Nothing is registered for the dead. */
    assert_int_equal(stoa_type_find(w, STOA_TYPE_OF(Shield)), 0);
    stoa_commands_add(c, a, Frozen);
    assert_int_equal(flush(w), STOA_OK);
    assert_int_equal(stoa_commands_skipped(c), 8);
    support_assert_quiet(s);
    stoa_destroy(w, b);
    assert_int_equal(owned_alive, 0);
}

/* CMD-03 ENT-02 */
static void created_handle_is_used_at_once_and_lives_after_the_flush(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity old = stoa_create(w);
    stoa_destroy(w, old);
    stoa_entity a = stoa_commands_create(c);
    stoa_entity b = stoa_commands_create_with(c, STOA_VALUE(Health, {4}));
    assert_int_equal(a.index, old.index);
    assert_int_equal(a.generation, 2);
    assert_false(stoa_alive(w, a));
    assert_false(stoa_has(w, b, Health));
    assert_int_equal(stoa_count(w), 0);
    assert_true(stoa_entity_is_null(stoa_entity_next(w, STOA_NULL)));
    stoa_commands_set(c, a, Health, {5});
    stoa_entity direct = stoa_create(w);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(flush(w), STOA_OK);
    assert_true(stoa_alive(w, a) && stoa_alive(w, b) && stoa_alive(w, direct));
    assert_int_equal(stoa_get(w, a, Health)->points, 5);
    assert_int_equal(stoa_get(w, b, Health)->points, 4);
    assert_int_equal(stoa_count(w), 3);
    assert_false(stoa_entity_eq(direct, a) || stoa_entity_eq(direct, b));
}

/* CMD-03 CMD-04 QRY-06: the table of entities grows under an iteration, which goes on. */
static void commands_are_recorded_while_the_world_is_iterated(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    for (int32_t i = 0; i < 300; i++) {
        stoa_create_with(w, STOA_VALUE(Health, {i}));
    }
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    int32_t rows = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        const Health *h = stoa_field(&it, Health, 0);
        for (int32_t i = 0; i < it.count; i++, rows++) {
            if (h[i].points % 3 == 0) {
                stoa_commands_destroy(c, it.entities[i]);
            } else {
                stoa_commands_set(c, it.entities[i], Position, {(float)h[i].points, 0, 0});
            }
            stoa_commands_create_with(c, STOA_VALUE(Health, {1000 + h[i].points}));
        }
        support_assert_misuse(s, flush(w), STOA_ITERATING);
    }
    assert_int_equal(rows, 300);
    assert_int_equal(stoa_commands_count(c), 600);
    assert_int_equal(flush(w), STOA_OK);
    assert_int_equal(stoa_count(w), 500);
    assert_int_equal(stoa_query_count(query), 500);
}

/* CMD-05: once a frame like it was recorded and applied, no allocation. */
static void warm_buffer_allocates_nothing(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_commands_new(w);
    stoa_entity made[200];
    for (int i = 0; i < 200; i++) {
        made[i] = stoa_create_with(w, STOA_VALUE(Health, {i}));
    }
    size_t allocations = 0;
    for (int frame = 0; frame < 6; frame++) {
        if (frame == 3) {
            allocations = s->heap.allocations;
        }
        for (int i = 0; i < 200; i++) {
            stoa_commands_set(c, made[i], Position, {1, 2, 3});
            stoa_commands_set(c, made[i], Wide, {.id = i});
            owned_set(c, made[i], i);
            stoa_commands_destroy(c, made[i]);
            made[i] = stoa_commands_create_with(c, STOA_VALUE(Health, {i}));
            stoa_commands_set(c, made[i], Wide, {.id = i});
        }
        assert_int_equal(stoa_commands_flush(c), STOA_OK);
        for (int i = 0; i < 200; i++) {
            stoa_commands_remove(c, made[i], Wide);
            owned_set(c, made[i], i);
        }
        stoa_commands_clear(c);
    }
    assert_int_equal(s->heap.allocations, allocations);
    assert_int_equal(owned_alive, 0);
    /* What is kept can be given back. */
    size_t bytes = s->heap.bytes;
    stoa__commands_trim(w);
    assert_true(s->heap.bytes < bytes);
    assert_int_equal(stoa__commands_reserved(w), 0);
    stoa_commands_set(c, made[0], Health, {12});
    assert_true(stoa__commands_reserved(w) > 0);
    stoa__commands_trim(w);
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_equal(stoa_get(w, made[0], Health)->points, 12);
}

/* CMD-05 CMP-11: values that are not applied are dropped, by a clear, a free, and with the world.
 */
static void discarded_values_are_dropped_once(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        support_world s;
        support_world_open(&s);
        stoa_commands *c = way == 3 ? stoa_deferred(s.world) : stoa_commands_new(s.world);
        stoa_entity e = stoa_create(s.world);
        Owned value;
        owner_make(&value, 1);
        Hoard hoard;
        owner_make(&hoard, 2);
        owned_set(c, e, 3);
        stoa_commands_set_from(c, e, Hoard, &hoard);
        stoa_commands_create_with(c, STOA_VALUE_FROM(Owned, &value), STOA_ZERO(Hoard));
        assert_int_equal(owned_alive, 3);
        if (way == 0) {
            assert_int_equal(stoa_commands_clear(c), STOA_OK);
            assert_int_equal(owned_alive, 0);
            assert_true(stoa_commands_empty(c));
        } else if (way == 1) {
            assert_int_equal(stoa_commands_free(c), STOA_OK);
            assert_int_equal(owned_alive, 0);
        }
        assert_int_equal(stoa_check(s.world), STOA_OK);
        support_world_close(&s);
        assert_int_equal(owned_alive, 0);
    }
}

STOA_COMPONENT(Paper, { int32_t number; });
static int32_t papers_dropped;

static void paper_drop(void *items, int32_t count, void *user) {
    (void)items;
    (void)user;
    papers_dropped += count;
}

/* CMP-03 CMP-11: a type that is moved as bytes, but has to be dropped. */
static void values_without_a_move_hook_are_dropped(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_component_register(
        w, &(stoa_component_desc){.name = "Sheet", .size = 4, .hooks = {.drop = paper_drop}});
    stoa_commands *c = stoa_commands_new(w);
    stoa_entity e = stoa_create(w);
    Paper paper = {1};
    papers_dropped = 0;
    stoa_commands_add(c, e, Frozen);
    stoa_commands_set_id(c, e, id, &paper, sizeof paper);
    stoa_commands_clear(c);
    assert_int_equal(papers_dropped, 1);
    stoa_commands_set_id(c, e, id, &paper, sizeof paper);
    stoa_commands_set_id(c, e, id, &paper, sizeof paper);
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_equal(papers_dropped, 2);
    stoa_commands_add(c, e, Frozen);
    stoa_commands_set_id(c, e, id, &paper, sizeof paper);
    stoa_commands_destroy(c, e);
    stoa_commands_set_id(c, e, id, &paper, sizeof paper);
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_equal(papers_dropped, 5);
}

/* CMD-08 ENT-04 */
static void discarded_creations_never_live(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_commands_new(w);
    stoa_entity old = stoa_create(w);
    stoa_destroy(w, old);
    stoa_entity a = stoa_commands_create(c), b = stoa_commands_create_with(c, STOA_ZERO(Health));
    stoa_commands_set(stoa_deferred(w), a, Health, {1});
    assert_int_equal(stoa_commands_clear(c), STOA_OK);
    assert_int_equal(stoa_commands_count(c), 0);
    for (int i = 0; i < 5; i++) {
        stoa_entity e = stoa_create(w);
        assert_false(stoa_entity_eq(e, a) || stoa_entity_eq(e, b));
        assert_true(e.index <= 5);
    }
    assert_false(stoa_alive(w, a) || stoa_alive(w, b));
    assert_int_equal(flush(w), STOA_OK);
    assert_int_equal(stoa_commands_skipped(stoa_deferred(w)), 1);
    a = stoa_commands_create(c);
    assert_int_equal(stoa_commands_free(c), STOA_OK);
    stoa_entity next = stoa_create(w);
    assert_int_equal(next.index, a.index);
    assert_int_equal(next.generation, a.generation + 1);
}

/* CMD-08 ENT-04: the slot of a handle that was given out at the last generation is gone. */
static void discarded_creation_at_the_last_generation_retires_its_slot(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity old = stoa_create(w);
    stoa_destroy(w, old);
    stoa__testing_set_generation(w, old.index, 0x7FFFFFFF);
    stoa_entity last = stoa_commands_create(stoa_deferred(w));
    assert_int_equal(last.index, old.index);
    assert_int_equal(last.generation, 0x7FFFFFFF);
    assert_int_equal(stoa_commands_clear(stoa_deferred(w)), STOA_OK);
    assert_int_not_equal(stoa_create(w).index, old.index);
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* CMD-08 */
static void buffer_is_kept_over_frames(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_commands_new(w);
    stoa_entity e = stoa_commands_create(c);
    for (int32_t frame = 0; frame < 5; frame++) {
        stoa_commands_set(c, e, Health, {frame});
        assert_int_equal(stoa_commands_count(c), frame + 2);
        stoa_tick_advance(w);
        assert_int_equal(stoa_flush(w), STOA_OK);
        assert_false(stoa_alive(w, e));
    }
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_equal(stoa_get(w, e, Health)->points, 4);
    assert_true(stoa_commands_empty(c));
    assert_int_equal(stoa_commands_free(c), STOA_OK);
}

/* CMD-05 STO-08: values of any size and alignment. */
static void values_are_kept_at_their_alignment(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component ids[8];
    static uint8_t value[1 << 20];
    for (uint32_t i = 0; i < 8; i++) {
        char name[] = {'A', (char)('0' + i), 0};
        uint32_t alignment = i < 7 ? 1u << i : 4;
        ids[i] = stoa_component_register(
            w, &(stoa_component_desc){.name = name,
                                      .size = i < 7 ? alignment * (1 + i % 3) : sizeof value,
                                      .alignment = alignment});
        assert_true(ids[i] != 0);
    }
    stoa_commands *c = stoa_deferred(w);
    stoa_entity entities[40];
    for (uint32_t i = 0; i < 40; i++) {
        entities[i] = stoa_commands_create(c);
        for (uint32_t k = 0; k < 8; k++) {
            stoa_component_info info;
            stoa_component_info_get(w, ids[(i + k) % 8], &info);
            memset(value, (int)(i + k), info.size);
            if ((i + k) % 8 != 7 || i % 8 == 0) {
                assert_int_equal(stoa_commands_set_id(c, entities[i], info.id, value, info.size),
                                 STOA_OK);
            }
        }
    }
    assert_int_equal(flush(w), STOA_OK);
    for (uint32_t i = 0; i < 40; i++) {
        for (uint32_t k = 0; k < 8; k++) {
            stoa_component_info info;
            stoa_component_info_get(w, ids[(i + k) % 8], &info);
            const uint8_t *found = stoa_try_get_id(w, entities[i], info.id);
            assert_int_equal(found != NULL, (i + k) % 8 != 7 || i % 8 == 0);
            if (found != NULL) {
                memset(value, (int)(i + k), info.size);
                assert_memory_equal(found, value, info.size);
            }
        }
    }
}

/* CMD-05: values of more than half a megabyte, side by side in a block that was made for more. */
static void large_values_share_a_block(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    static uint8_t value[3 << 20];
    stoa_component three =
        stoa_component_register(w, &(stoa_component_desc){.name = "Three", .size = sizeof value});
    stoa_component one =
        stoa_component_register(w, &(stoa_component_desc){.name = "One", .size = sizeof value / 3});
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e[2] = {stoa_create(w), stoa_create(w)};
    stoa_commands_set_id(c, e[0], three, value, sizeof value);
    stoa_commands_clear(c);
    for (int i = 0; i < 2; i++) {
        memset(value, i + 1, sizeof value / 3);
        assert_int_equal(stoa_commands_set_id(c, e[i], one, value, sizeof value / 3), STOA_OK);
        assert_int_equal(stoa_commands_add_id(c, e[1 - i], stoa_id(w, Frozen)), STOA_OK);
    }
    assert_int_equal(flush(w), STOA_OK);
    for (int i = 0; i < 2; i++) {
        memset(value, i + 1, sizeof value / 3);
        assert_memory_equal(stoa_get_id(w, e[i], one), value, sizeof value / 3);
        assert_true(stoa_has(w, e[i], Frozen));
    }
}

/* CMP-01 CMP-04 CMP-09: hundreds of components, by descriptor, in one buffer. */
static void types_are_registered_at_the_flush(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    static stoa_type types[300];
    static char names[300][8];
    stoa_entity e = stoa_commands_create(c);
    for (int32_t i = 0; i < 600; i++) {
        stoa_type *type = &types[i % 300];
        snprintf(names[i % 300], sizeof names[0], "T%d", i % 300);
        if (i < 300) {
            *type = (stoa_type){
                .form = STOA_FORM_OPAQUE, .identifier = names[i], .size = sizeof i, .alignment = 4};
        }
        assert_int_equal(stoa_commands_set_type(c, e, type, &i), STOA_OK);
    }
    assert_int_equal(stoa_component_count(w), 0);
    assert_int_equal(flush(w), STOA_OK);
    assert_int_equal(stoa_component_count(w), 300);
    for (int32_t i = 0; i < 300; i++) {
        assert_int_equal(*(const int32_t *)stoa_get_type(w, e, &types[i]), 300 + i);
    }
}

int main(void) {
#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        WITH_WORLD(operations_do_what_the_direct_calls_do),
        WITH_WORLD(operations_by_id_are_those_by_type),
        WITH_WORLD(commands_apply_in_the_order_they_were_recorded),
        WITH_WORLD(commands_on_the_dead_are_skipped_and_counted),
        WITH_WORLD(created_handle_is_used_at_once_and_lives_after_the_flush),
        WITH_WORLD(commands_are_recorded_while_the_world_is_iterated),
        WITH_WORLD(warm_buffer_allocates_nothing),
        cmocka_unit_test(discarded_values_are_dropped_once),
        WITH_WORLD(values_without_a_move_hook_are_dropped),
        WITH_WORLD(discarded_creations_never_live),
        WITH_WORLD(discarded_creation_at_the_last_generation_retires_its_slot),
        WITH_WORLD(buffer_is_kept_over_frames),
        WITH_WORLD(values_are_kept_at_their_alignment),
        WITH_WORLD(large_values_share_a_block),
        WITH_WORLD(types_are_registered_at_the_flush),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

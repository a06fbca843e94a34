/* Sizes that a world must stand: huge components, thousands of types, wide archetypes, millions of
 * entities.
 *
 * The heavy counts are cut in builds with checks, where each step costs many times as much. */
#include <stdlib.h>

#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Map, { uint32_t cells[50000]; });
STOA_TAG(Frozen);

#ifdef STOA_DEBUG
#define MANY 1000000
#else
#define MANY 10000000
#endif

#define TYPES_MAX 4096
#define WIDE 200

/* A component that fills 200,000 bytes, told apart by a number. */
static void map_fill(Map *map, uint32_t number) {
    for (uint32_t i = 0; i < 50000; i++) {
        map->cells[i] = number * 50000 + i;
    }
}

static void map_verify(const Map *map, uint32_t number) {
    assert_non_null(map);
    assert_int_equal((uintptr_t)map % _Alignof(Map), 0);
    for (uint32_t i = 0; i < 50000; i++) {
        if (map->cells[i] != number * 50000 + i) {
            fail_msg("cell %u of map %u has changed", (unsigned)i, (unsigned)number);
        }
    }
}

/* STO-02 */
static void component_larger_than_a_chunk_is_stored_and_moved(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    Map *map = malloc(sizeof *map);
    stoa_entity e[6];
    assert_non_null(map);
    for (uint32_t i = 0; i < 6; i++) {
        map_fill(map, i);
        e[i] = stoa_create_with(w, STOA_VALUE_FROM(Map, map), STOA_VALUE(Position, {(float)i, 0}));
        assert_true(stoa_alive(w, e[i]));
    }
    assert_int_equal(stoa_add(w, e[1], Velocity), STOA_OK);
    assert_int_equal(stoa_add(w, e[2], Frozen), STOA_OK);
    assert_int_equal(stoa_destroy(w, e[0]), STOA_OK);
    assert_int_equal(stoa_remove(w, e[3], Position), STOA_OK);
    assert_int_equal(stoa_remove(w, e[5], Map), STOA_OK);
    for (uint32_t i = 1; i < 5; i++) {
        map_verify(stoa_get(w, e[i], Map), i);
    }
    assert_true(stoa_get(w, e[5], Position)->x == 5);
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_entity copy = stoa_clone(w, e[4]);
    map_verify(stoa_get(w, copy, Map), 4);
    assert_int_equal(stoa_compact(w), STOA_OK);
    map_verify(stoa_get(w, e[4], Map), 4);
    int32_t rows = 0;
    for (stoa_iter it = stoa_query_once(w, &(stoa_query_desc){.terms = {STOA_READ(Map)}});
         stoa_iter_next(&it);) {
        assert_non_null(stoa_field(&it, Map, 0));
        rows += it.count;
    }
    assert_int_equal(rows, 5);
    free(map);
}

/* STO-02 ENT-07 */
static void bulk_of_components_larger_than_a_chunk_keeps_each(void **state) {
    support_world *s = *state;
    Map *maps = malloc(10 * sizeof *maps);
    stoa_entity e[10];
    assert_non_null(maps);
    for (uint32_t i = 0; i < 10; i++) {
        map_fill(&maps[i], i);
    }
    assert_int_equal(stoa_create_bulk(s->world, 10, e, STOA_COLUMN(Map, maps), STOA_ZERO(Position)),
                     STOA_OK);
    assert_int_equal(stoa_destroy(s->world, e[3]), STOA_OK);
    for (uint32_t i = 0; i < 10; i++) {
        if (i != 3) {
            map_verify(stoa_get(s->world, e[i], Map), i);
        }
    }
    free(maps);
}

/* GEN-05: rows whose sizes add up to more than can be counted in 32 bits. */
static void rows_beyond_all_bounds_are_refused(void **state) {
    support_world *s = *state;
    stoa_value values[6];
    for (int i = 0; i < 6; i++) {
        char name[24];
        snprintf(name, sizeof name, "Giant%d", i);
        stoa_component_desc desc = {.name = name, .size = STOA_SIZE_MAX, .alignment = 64};
        values[i] = (stoa_value){.id = stoa_component_register(s->world, &desc)};
        assert_true(values[i].id != 0);
    }
    stoa_entity e = stoa_create(s->world);
    uint64_t hash = stoa_hash(s->world);
    for (int32_t count = 1; count <= 6; count++) {
        assert_true(stoa_entity_is_null(stoa_create_values(s->world, values, count)));
        stoa_status created = stoa_last_error().status;
        stoa_status changed = stoa_change_values(s->world, e, values, count);
        stoa_status bulk = stoa_create_bulk_values(s->world, 1000000, NULL, values, count);
        stoa_status reserved = stoa_reserve_values(s->world, INT32_MAX, values, count);
        assert_true(created == STOA_NO_MEMORY || created == STOA_LIMIT);
        assert_true(changed == STOA_NO_MEMORY || changed == STOA_LIMIT);
        assert_true(bulk == STOA_NO_MEMORY || bulk == STOA_LIMIT);
        assert_true(reserved == STOA_NO_MEMORY || reserved == STOA_LIMIT);
        assert_int_equal(stoa_hash(s->world), hash);
        assert_int_equal(stoa_check(s->world), STOA_OK);
    }
    support_assert_quiet(s);
}

static stoa_component type_register(stoa_world *w, uint32_t i) {
    char name[24];
    snprintf(name, sizeof name, "type.T%u", (unsigned)i);
    stoa_component_desc desc = {.name = name, .fields = i % 3 == 0 ? NULL : "{ uint32_t value; }"};
    return stoa_component_register(w, &desc);
}

/* CMP-09 CMP-05 STO-05 */
static void thousands_of_component_types_work(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    static stoa_entity e[TYPES_MAX];
    static stoa_component ids[TYPES_MAX];
    for (uint32_t i = 0; i < TYPES_MAX; i++) {
        ids[i] = type_register(w, i);
        assert_int_equal(ids[i], i + 1);
    }
    assert_int_equal(stoa_component_count(w), TYPES_MAX);
    for (uint32_t i = 0; i < TYPES_MAX; i++) {
        stoa_value values[2] = {{.id = ids[i]}, {.id = ids[(i + 1) % TYPES_MAX]}};
        e[i] = stoa_create_values(w, values, 2);
        assert_false(stoa_entity_is_null(e[i]));
        if (i % 3 != 0) {
            assert_int_equal(stoa_set_id(w, e[i], ids[i], &i, sizeof i), STOA_OK);
        }
    }
    for (uint32_t i = 0; i < TYPES_MAX; i++) {
        char name[24];
        snprintf(name, sizeof name, "type.T%u", (unsigned)i);
        assert_int_equal(type_register(w, i), ids[i]);
        assert_int_equal(stoa_component_find(w, name), ids[i]);
        assert_string_equal(stoa_component_name(w, ids[i]), name);
        assert_true(stoa_has_id(w, e[i], ids[i]));
        assert_true(stoa_has_id(w, e[i], ids[(i + 1) % TYPES_MAX]));
        assert_false(stoa_has_id(w, e[i], ids[(i + 2) % TYPES_MAX]));
        if (i % 3 != 0) {
            assert_int_equal(*(const uint32_t *)stoa_get_id(w, e[i], ids[i]), i);
        }
        if (i % 64 == 0) {
            stoa_query_desc desc = {.terms = {{.id = ids[i], .access = STOA_ACCESS_FILTER}}};
            assert_int_equal(stoa_query_once_count(w, &desc), 2);
            desc.terms[1] =
                (stoa_term){.id = ids[(i + 1) % TYPES_MAX], .access = STOA_ACCESS_WITHOUT};
            assert_int_equal(stoa_query_once_count(w, &desc), 1);
        }
    }
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* STO-01 CMP-09 ACC-06 */
static void archetype_of_two_hundred_components_works(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_value values[WIDE];
    uint32_t numbers[WIDE];
    stoa_entity e[20];
    for (uint32_t i = 0; i < WIDE; i++) {
        values[i] = (stoa_value){.id = type_register(w, i)};
        numbers[i] = i * 7 + 1;
        values[i].data = i % 3 == 0 ? NULL : &numbers[i];
    }
    for (int n = 0; n < 20; n++) {
        e[n] = stoa_create_values(w, values, WIDE);
        assert_true(stoa_alive(w, e[n]));
    }
    assert_int_equal(stoa_remove_id(w, e[4], values[100].id), STOA_OK);
    stoa_value drops[WIDE / 2];
    for (int i = 0; i < WIDE / 2; i++) {
        drops[i] = (stoa_value){.id = values[i * 2].id, .op = STOA_DROP};
    }
    assert_int_equal(stoa_change_values(w, e[5], drops, WIDE / 2), STOA_OK);
    assert_int_equal(stoa_destroy(w, e[0]), STOA_OK);
    for (uint32_t i = 0; i < WIDE; i++) {
        stoa_component id = values[i].id;
        assert_int_equal(stoa_has_id(w, e[4], id), i != 100);
        assert_int_equal(stoa_has_id(w, e[5], id), i % 2 == 1);
        if (i % 3 != 0) {
            assert_int_equal(*(const uint32_t *)stoa_get_id(w, e[19], id), numbers[i]);
        }
    }
    stoa_query_desc desc = {.name = "wide"};
    for (int i = 0; i < STOA_TERM_MAX; i++) {
        desc.terms[i] = (stoa_term){.id = values[i * 6 + 1].id, .access = STOA_ACCESS_READ};
    }
    stoa_query *query = stoa_query_new(w, &desc);
    assert_non_null(query);
    assert_int_equal(stoa_query_count(query), 19);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        const uint32_t *last = stoa_field_id(&it, values[187].id, STOA_TERM_MAX - 1);
        assert_non_null(last);
        assert_int_equal(last[0], numbers[187]);
    }
}

/* STO-01 ACC-05: one component after the other, far beyond what a bundle names. */
static void thousand_components_gather_on_one_entity(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    for (uint32_t i = 0; i < 1000; i++) {
        stoa_component id = type_register(w, i);
        stoa_status status =
            i % 3 == 0 ? stoa_add_id(w, e, id) : stoa_set_id(w, e, id, &i, sizeof i);
        assert_int_equal(status, STOA_OK);
    }
    stoa_entity copy = stoa_clone(w, e);
    assert_true(stoa_alive(w, copy));
    for (uint32_t i = 0; i < 1000; i += 2) {
        assert_int_equal(stoa_remove_id(w, e, i + 1), STOA_OK);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(stoa_has_id(w, e, i + 1), i % 2 == 1);
        assert_true(stoa_has_id(w, copy, i + 1));
        if (i % 3 != 0) {
            assert_int_equal(*(const uint32_t *)stoa_get_id(w, copy, i + 1), i);
        }
    }
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* ENT-03 ENT-04 */
static void millions_of_entities_come_and_go_twice(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity *e = malloc(MANY * sizeof *e);
    stoa_entity *old = malloc(MANY * sizeof *old);
    assert_non_null(e);
    assert_non_null(old);
    for (uint32_t round = 1; round <= 2; round++) {
        assert_int_equal(stoa_create_bulk(w, MANY / 2, e, STOA_ZERO(Position)), STOA_OK);
        for (int32_t i = MANY / 2; i < MANY; i++) {
            e[i] = stoa_create(w);
        }
        assert_int_equal(stoa_count(w), MANY);
        assert_int_equal(stoa_check(w), STOA_OK);
        for (int32_t i = 0; i < MANY; i++) {
            bool fine = e[i].generation == round && stoa_alive(w, e[i]) &&
                        stoa_has(w, e[i], Position) == (i < MANY / 2) &&
                        (round == 1 || !stoa_alive(w, old[i]));
            if (!fine) {
                fail_msg("entity %d of round %u is wrong", (int)i, (unsigned)round);
            }
        }
        for (int32_t i = 0; i < MANY; i++) {
            if (stoa_destroy(w, e[(i * INT64_C(7919)) % MANY]) != STOA_OK) {
                fail_msg("entity %d of round %u does not die", (int)i, (unsigned)round);
            }
        }
        assert_int_equal(stoa_count(w), 0);
        memcpy(old, e, MANY * sizeof *e);
    }
    assert_int_equal(stoa_stats(w).rows, 0);
    free(e);
    free(old);
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(component_larger_than_a_chunk_is_stored_and_moved),
        WITH_WORLD(bulk_of_components_larger_than_a_chunk_keeps_each),
        WITH_WORLD(rows_beyond_all_bounds_are_refused),
        WITH_WORLD(thousands_of_component_types_work),
        WITH_WORLD(archetype_of_two_hundred_components_works),
        WITH_WORLD(thousand_components_gather_on_one_entity),
        WITH_WORLD(millions_of_entities_come_and_go_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

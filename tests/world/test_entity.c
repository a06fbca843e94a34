/* The lives of entities: created one by one and in bulk, destroyed, cleared, cloned, counted,
 * walked. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Serial, { uint32_t number; });
STOA_TAG(Frozen);

/* The entity in row `row` of a chunk. */
static stoa_entity entity_at(stoa_world *w, int32_t archetype, int32_t chunk, int32_t row) {
    stoa_chunk_info info;
    assert_int_equal(stoa_chunk_info_get(w, archetype, chunk, &info), STOA_OK);
    assert_true(row < info.count);
    return info.entities[row];
}

#define assert_entity_equal(a, b) assert_int_equal(stoa_entity_pack(a), stoa_entity_pack(b))

static stoa_status status_of(stoa_entity e) {
    return stoa_entity_is_null(e) ? stoa_last_error().status : STOA_OK;
}

/* ENT-01 */
static void slot_zero_is_never_given_out(void **state) {
    support_world *s = *state;
    const stoa_entity zeroed = {0, 0};
    assert_entity_equal(STOA_NULL, zeroed);
    assert_true(stoa_entity_is_null(STOA_NULL));
    for (uint32_t generation = 0; generation < 4; generation++) {
        assert_false(stoa_alive(s->world, (stoa_entity){0, generation}));
    }
    for (uint32_t i = 1; i <= 200; i++) {
        stoa_entity e = stoa_create(s->world);
        assert_int_equal(e.index, i);
        assert_int_equal(e.generation, 1);
    }
    for (uint32_t i = 1; i <= 200; i++) {
        assert_int_equal(stoa_destroy(s->world, (stoa_entity){i, 1}), STOA_OK);
    }
    for (int i = 0; i < 300; i++) {
        assert_int_not_equal(stoa_create(s->world).index, 0);
    }
    assert_false(stoa_alive(s->world, STOA_NULL));
}

/* ENT-02 */
static void alive_needs_index_generation_and_life(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
    assert_true(stoa_alive(s->world, e));
    assert_false(stoa_alive(s->world, (stoa_entity){e.index + 1, 1}));
    assert_false(stoa_alive(s->world, (stoa_entity){UINT32_MAX, 1}));
    assert_false(stoa_alive(s->world, (stoa_entity){e.index, e.generation + 1}));
    assert_false(stoa_alive(s->world, (stoa_entity){e.index, 0}));
    assert_false(stoa_alive(NULL, e));
    assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
    assert_false(stoa_alive(s->world, e));
    for (uint32_t bit = 0; bit < 32; bit++) {
        assert_false(stoa_alive(s->world, (stoa_entity){e.index, 1u << bit}));
        assert_false(stoa_alive(s->world, (stoa_entity){e.index, (1u << bit) | 2u}));
    }
    support_assert_quiet(s);
}

/* ENT-03 */
static void recycled_slot_rejects_stale_handle(void **state) {
    support_world *s = *state;
    stoa_entity old = stoa_create_with(s->world, STOA_VALUE(Serial, {1}));
    assert_int_equal(stoa_destroy(s->world, old), STOA_OK);
    stoa_entity fresh = stoa_create_with(s->world, STOA_VALUE(Serial, {2}));
    assert_int_equal(fresh.index, old.index);
    assert_true(fresh.generation > old.generation);
    assert_false(stoa_alive(s->world, old));
    assert_false(stoa_has(s->world, old, Serial));
    assert_null(stoa_try_get(s->world, old, Serial));
    support_assert_misuse(s, stoa_destroy(s->world, old), STOA_DEAD);
    support_assert_message("entity 1v1 is dead");
    support_assert_misuse(s, stoa_set(s->world, old, Serial, {3}), STOA_DEAD);
    assert_true(stoa_alive(s->world, fresh));
    assert_int_equal(stoa_get(s->world, fresh, Serial)->number, 2);
}

/* ENT-03 ACC-05 STO-06 */
static void live_handle_holds_through_migration_and_compaction(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[600];
    for (uint32_t i = 0; i < 600; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Serial, {i}));
    }
    for (uint32_t i = 0; i < 600; i++) {
        if (i % 2 == 0) {
            assert_int_equal(stoa_set(w, e[i], Position, {(float)i, 0}), STOA_OK);
        }
        if (i % 3 == 0) {
            assert_int_equal(stoa_add(w, e[i], Frozen), STOA_OK);
        }
        if (i % 5 == 0) {
            assert_int_equal(stoa_destroy(w, e[i]), STOA_OK);
        }
    }
    assert_int_equal(stoa_compact(w), STOA_OK);
    for (uint32_t i = 0; i < 600; i++) {
        assert_int_equal(stoa_alive(w, e[i]), i % 5 != 0);
        if (i % 5 != 0) {
            assert_int_equal(stoa_get(w, e[i], Serial)->number, i);
            assert_int_equal(stoa_has(w, e[i], Position), i % 2 == 0);
            assert_int_equal(stoa_has(w, e[i], Frozen), i % 3 == 0);
        }
    }
}

/* ENT-04 ENT-03 */
static void slot_never_gives_the_same_handle_twice(void **state) {
    support_world *s = *state;
    uint32_t last[4] = {0};
    for (int round = 0; round < 500; round++) {
        stoa_entity e[3];
        for (int i = 0; i < 3; i++) {
            e[i] = stoa_create(s->world);
            assert_true(e[i].index < 4);
            assert_true(e[i].generation > last[e[i].index]);
            last[e[i].index] = e[i].generation;
        }
        for (int i = 0; i < 3; i++) {
            assert_int_equal(stoa_destroy(s->world, e[(i + round) % 3]), STOA_OK);
        }
    }
}

/* ENT-05 */
static void created_entity_has_no_component(void **state) {
    support_world *s = *state;
    stoa_component position = stoa_id(s->world, Position);
    stoa_entity e = stoa_create(s->world);
    assert_true(stoa_alive(s->world, e));
    assert_false(stoa_has_id(s->world, e, position));
    assert_int_equal(stoa_archetype_of(s->world, e), 0);
    stoa_statistics stats = stoa_stats(s->world);
    assert_int_equal(stats.entities, 1);
    assert_int_equal(stats.empty, 1);
    assert_int_equal(stats.rows, 0);
}

/* ENT-06 STO-01 */
static void bundle_goes_straight_to_its_archetype(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_ZERO(Frozen),
                                     STOA_VALUE(Velocity, {3, 4}), STOA_ZERO(Serial));
    assert_int_equal(stoa_archetype_count(w), 2);
    assert_true(stoa_get(w, e, Position)->x == 1 && stoa_get(w, e, Position)->y == 2);
    assert_true(stoa_get(w, e, Velocity)->x == 3 && stoa_get(w, e, Velocity)->y == 4);
    assert_int_equal(stoa_get(w, e, Serial)->number, 0);
    assert_true(stoa_has(w, e, Frozen));
    stoa_entity same = stoa_create_with(w, STOA_ZERO(Serial), STOA_VALUE(Velocity, {3, 4}),
                                        STOA_VALUE(Position, {1, 2}), STOA_ZERO(Frozen));
    assert_int_equal(stoa_archetype_of(w, same), stoa_archetype_of(w, e));
    assert_int_equal(stoa_archetype_count(w), 2);
    assert_true(stoa_get(w, same, Velocity)->y == 4 && stoa_get(w, same, Position)->x == 1);
}

#define MANY 5000

/* ENT-07 */
static void bulk_takes_columns_as_arrays(void **state) {
    (void)state;
    support_world s;
    support_world_open_with(&s, 16384);
    static Position positions[MANY];
    static Serial serials[MANY];
    static stoa_entity e[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        positions[i] = (Position){(float)i, -(float)i};
        serials[i].number = i * 3;
    }
    stoa_entity first = stoa_create_with(s.world, STOA_VALUE(Serial, {77}),
                                         STOA_VALUE(Position, {5, 6}), STOA_ZERO(Frozen));
    assert_int_equal(stoa_create_bulk(s.world, MANY, e, STOA_COLUMN(Position, positions),
                                      STOA_ZERO(Frozen), STOA_COLUMN(Serial, serials)),
                     STOA_OK);
    assert_int_equal(stoa_count(s.world), MANY + 1);
    int32_t archetype = stoa_archetype_of(s.world, first);
    stoa_archetype_info info;
    assert_int_equal(stoa_archetype_info_get(s.world, archetype, &info), STOA_OK);
    assert_int_equal(info.row_count, MANY + 1);
    assert_true(info.chunk_count > 2);
    for (uint32_t i = 0; i < MANY; i++) {
        int32_t row = (int32_t)i + 1;
        assert_true(stoa_get(s.world, e[i], Position)->x == (float)i);
        assert_true(stoa_get(s.world, e[i], Position)->y == -(float)i);
        assert_int_equal(stoa_get(s.world, e[i], Serial)->number, i * 3);
        assert_true(stoa_has(s.world, e[i], Frozen));
        assert_entity_equal(
            entity_at(s.world, archetype, row / info.chunk_capacity, row % info.chunk_capacity),
            e[i]);
    }
    assert_int_equal(stoa_get(s.world, first, Serial)->number, 77);
    support_world_close(&s);
}

/* ENT-07: rows that held something before are zeroed, and no handles need be asked for. */
static void bulk_zeroes_columns_without_arrays(void **state) {
    support_world *s = *state;
    stoa_entity e[100];
    for (int i = 0; i < 100; i++) {
        e[i] = stoa_create_with(s->world, STOA_VALUE(Position, {9, 9}), STOA_VALUE(Serial, {9}));
    }
    for (int i = 0; i < 100; i++) {
        assert_int_equal(stoa_destroy(s->world, e[i]), STOA_OK);
    }
    static Serial serials[150];
    for (uint32_t i = 0; i < 150; i++) {
        serials[i].number = i;
    }
    assert_int_equal(
        stoa_create_bulk(s->world, 150, NULL, STOA_ZERO(Position), STOA_COLUMN(Serial, serials)),
        STOA_OK);
    uint32_t found = 0;
    for (stoa_entity it = stoa_entity_next(s->world, STOA_NULL); !stoa_entity_is_null(it);
         it = stoa_entity_next(s->world, it)) {
        const Position *p = stoa_get(s->world, it, Position);
        assert_true(p->x == 0 && p->y == 0);
        found++;
    }
    assert_int_equal(found, 150);
}

/* ENT-07 ENT-03 STO-11: bulk is the same as creating one by one, down to the slots it reuses. */
static void bulk_gives_the_handles_that_single_calls_would(void **state) {
    support_world *s = *state;
    support_world other;
    support_world_open(&other);
    stoa_world *worlds[] = {s->world, other.world};
    for (int k = 0; k < 2; k++) {
        stoa_entity e[20];
        for (uint32_t i = 0; i < 20; i++) {
            e[i] = stoa_create_with(worlds[k], STOA_VALUE(Serial, {i}));
        }
        const int order[] = {3, 17, 4, 11, 0, 19};
        for (int i = 0; i < 6; i++) {
            assert_int_equal(stoa_destroy(worlds[k], e[order[i]]), STOA_OK);
        }
    }
    Serial serials[10];
    stoa_entity bulk[10], empty[3];
    for (uint32_t i = 0; i < 10; i++) {
        serials[i].number = 100 + i;
    }
    assert_int_equal(stoa_create_bulk_values(s->world, 3, empty, NULL, 0), STOA_OK);
    assert_int_equal(stoa_create_bulk(s->world, 10, bulk, STOA_COLUMN(Serial, serials)), STOA_OK);
    assert_int_equal(empty[0].index, 20);
    assert_int_equal(empty[0].generation, 2);
    for (int i = 0; i < 3; i++) {
        assert_entity_equal(stoa_create(other.world), empty[i]);
    }
    for (int i = 0; i < 10; i++) {
        assert_entity_equal(stoa_create_with(other.world, STOA_VALUE_FROM(Serial, &serials[i])),
                            bulk[i]);
    }
    assert_int_equal(stoa_hash(other.world), stoa_hash(s->world));
    assert_int_equal(stoa_create_bulk(s->world, 0, NULL, STOA_COLUMN(Serial, serials)), STOA_OK);
    assert_int_equal(stoa_hash(other.world), stoa_hash(s->world));
    support_world_close(&other);
}

/* ENT-08 */
static void destroyed_row_is_filled_by_the_last(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[5];
    for (uint32_t i = 0; i < 5; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Serial, {i}), STOA_VALUE(Position, {(float)i, 0}));
    }
    int32_t archetype = stoa_archetype_of(w, e[0]);
    assert_int_equal(stoa_destroy(w, e[1]), STOA_OK);
    const int order[] = {0, 4, 2, 3};
    for (int i = 0; i < 4; i++) {
        assert_entity_equal(entity_at(w, archetype, 0, i), e[order[i]]);
    }
    assert_int_equal(stoa_get(w, e[4], Serial)->number, 4);
    assert_true(stoa_get(w, e[4], Position)->x == 4);
    assert_ptr_equal(stoa_get(w, e[4], Serial),
                     (const Serial *)stoa_chunk_column(w, archetype, 0, stoa_id(w, Serial)) + 1);
    assert_int_equal(stoa_destroy(w, e[3]), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_get(w, e[2], Serial)->number, 2);
    uint64_t hash = stoa_hash(w);
    support_assert_misuse(s, stoa_destroy(w, e[1]), STOA_DEAD);
    support_assert_message("entity 2v1 is dead");
    support_assert_misuse(s, stoa_destroy(w, STOA_NULL), STOA_DEAD);
    assert_int_equal(stoa_hash(w), hash);
    assert_int_equal(stoa_count(w), 3);
}

/* ENT-08 GEN-03: whatever order rows go in, across chunks. */
static void destroying_in_any_order_keeps_the_rest(void **state) {
    (void)state;
    support_world s;
    support_world_open_with(&s, 16384);
    static stoa_entity e[3000];
    for (uint32_t i = 0; i < 3000; i++) {
        e[i] = stoa_create_with(s.world, STOA_VALUE(Serial, {i}), STOA_ZERO(Velocity));
    }
    support_random random = {3};
    s.heap.fail_at = 1;
    s.heap.fail_forever = true;
    for (uint32_t left = 3000; left > 0; left--) {
        uint32_t at = support_random_below(&random, left);
        assert_int_equal(stoa_destroy(s.world, e[at]), STOA_OK);
        e[at] = e[left - 1];
        if (left % 500 == 1) {
            assert_int_equal(stoa_check(s.world), STOA_OK);
            for (uint32_t i = 0; i + 1 < left; i++) {
                uint32_t number = stoa_get(s.world, e[i], Serial)->number;
                assert_int_equal(number + 1, e[i].index);
            }
        }
    }
    s.heap.fail_at = 0;
    assert_int_equal(stoa_count(s.world), 0);
    assert_int_equal(s.heap.failed, 0);
    support_world_close(&s);
}

/* ENT-09 GEN-03 */
static void clear_leaves_the_entity_alive_and_empty(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Serial, {1}), STOA_ZERO(Frozen));
    stoa_entity other = stoa_create_with(w, STOA_VALUE(Serial, {2}), STOA_ZERO(Frozen));
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_int_equal(stoa_clear(w, e), STOA_OK);
    s->heap.fail_at = 0;
    assert_int_equal(s->heap.failed, 0);
    assert_true(stoa_alive(w, e));
    assert_false(stoa_has(w, e, Serial));
    assert_false(stoa_has(w, e, Frozen));
    assert_int_equal(stoa_archetype_of(w, e), 0);
    assert_int_equal(stoa_get(w, other, Serial)->number, 2);
    assert_int_equal(stoa_stats(w).empty, 1);
    assert_int_equal(stoa_clear(w, e), STOA_OK);
    assert_int_equal(stoa_stats(w).empty, 1);
    assert_int_equal(stoa_set(w, e, Serial, {3}), STOA_OK);
    assert_int_equal(stoa_get(w, e, Serial)->number, 3);
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    support_assert_misuse(s, stoa_clear(w, e), STOA_DEAD);
}

/* ENT-10 */
static void count_and_walk_agree(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_int_equal(stoa_count(w), 0);
    assert_true(stoa_entity_is_null(stoa_entity_next(w, STOA_NULL)));
    stoa_entity e[300];
    for (int i = 0; i < 300; i++) {
        e[i] = i % 2 == 0 ? stoa_create(w) : stoa_create_with(w, STOA_ZERO(Position));
        assert_int_equal(stoa_count(w), i + 1);
    }
    for (int i = 0; i < 300; i += 3) {
        assert_int_equal(stoa_destroy(w, e[i]), STOA_OK);
    }
    assert_int_equal(stoa_count(w), 200);
    stoa_entity it = STOA_NULL;
    for (int i = 0; i < 300; i++) {
        if (i % 3 != 0) {
            it = stoa_entity_next(w, it);
            assert_entity_equal(it, e[i]);
        }
    }
    assert_true(stoa_entity_is_null(stoa_entity_next(w, it)));
    assert_int_equal(stoa_count(NULL), 0);
    assert_true(stoa_entity_is_null(stoa_entity_next(NULL, STOA_NULL)));
}

/* ENT-10: the walk goes on from a handle that died under it. */
static void walk_may_destroy_as_it_goes(void **state) {
    support_world *s = *state;
    for (int i = 0; i < 100; i++) {
        stoa_create_with(s->world, STOA_ZERO(Serial));
    }
    int seen = 0;
    for (stoa_entity it = stoa_entity_next(s->world, STOA_NULL); !stoa_entity_is_null(it);
         it = stoa_entity_next(s->world, it)) {
        assert_int_equal(stoa_destroy(s->world, it), STOA_OK);
        seen++;
    }
    assert_int_equal(seen, 100);
    assert_int_equal(stoa_count(s->world), 0);
    assert_true(stoa_entity_is_null(stoa_entity_next(s->world, (stoa_entity){UINT32_MAX, 1})));
}

/* ENT-11 */
static void clone_is_an_entity_of_its_own(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity first = stoa_create_with(w, STOA_VALUE(Serial, {7}), STOA_ZERO(Frozen),
                                         STOA_VALUE(Position, {1, 2}));
    for (int i = 0; i < 1000; i++) {
        stoa_entity copy = stoa_clone(w, first);
        assert_int_not_equal(copy.index, first.index);
        assert_int_equal(stoa_archetype_of(w, copy), stoa_archetype_of(w, first));
        assert_int_equal(stoa_get(w, copy, Serial)->number, 7);
        assert_true(stoa_get(w, copy, Position)->y == 2);
        stoa_get_mut(w, copy, Serial)->number = 8;
    }
    assert_int_equal(stoa_get(w, first, Serial)->number, 7);
    assert_int_equal(stoa_count(w), 1001);
    stoa_entity empty = stoa_clone(w, stoa_create(w));
    assert_true(stoa_alive(w, empty));
    assert_int_equal(stoa_archetype_of(w, empty), 0);
    assert_int_equal(stoa_destroy(w, empty), STOA_OK);
    support_assert_misuse(s, status_of(stoa_clone(w, empty)), STOA_DEAD);
    support_assert_misuse(s, status_of(stoa_clone(w, STOA_NULL)), STOA_DEAD);
    assert_int_equal(stoa_count(w), 1002);
}

/* ENT-12 ENT-13: handles as the world gives them out, through a number and a text. */
static void live_handle_packs_and_prints(void **state) {
    support_world *s = *state;
    for (int i = 0; i < 4; i++) {
        stoa_create(s->world);
    }
    stoa_entity e = stoa_create(s->world);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
        e = stoa_create(s->world);
    }
    char text[STOA_ENTITY_TEXT_SIZE];
    assert_string_equal(stoa_entity_print(e, text, sizeof text), "5v3");
    stoa_entity back = stoa_entity_unpack(stoa_entity_pack(e));
    assert_true(stoa_entity_eq(back, e));
    assert_true(stoa_alive(s->world, back));
    assert_int_equal(stoa_entity_hash(back), stoa_entity_hash(e));
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(slot_zero_is_never_given_out),
        WITH_WORLD(alive_needs_index_generation_and_life),
        WITH_WORLD(recycled_slot_rejects_stale_handle),
        WITH_WORLD(live_handle_holds_through_migration_and_compaction),
        WITH_WORLD(slot_never_gives_the_same_handle_twice),
        WITH_WORLD(created_entity_has_no_component),
        WITH_WORLD(bundle_goes_straight_to_its_archetype),
        cmocka_unit_test(bulk_takes_columns_as_arrays),
        WITH_WORLD(bulk_zeroes_columns_without_arrays),
        WITH_WORLD(bulk_gives_the_handles_that_single_calls_would),
        WITH_WORLD(destroyed_row_is_filled_by_the_last),
        cmocka_unit_test(destroying_in_any_order_keeps_the_rest),
        WITH_WORLD(clear_leaves_the_entity_alive_and_empty),
        WITH_WORLD(count_and_walk_agree),
        WITH_WORLD(walk_may_destroy_as_it_goes),
        WITH_WORLD(clone_is_an_entity_of_its_own),
        WITH_WORLD(live_handle_packs_and_prints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

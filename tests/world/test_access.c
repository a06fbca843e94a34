/* Access: reading and writing components by type, id, name and ref, and changing what an entity
 * has. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Serial, { uint32_t number; });
STOA_COMPONENT(Wide, { double values[9]; });
STOA_COMPONENT(Unheard, { int32_t value; });
STOA_TAG(Frozen);
STOA_TAG(Hot);

static stoa_status status_of(const void *found) {
    return found == NULL ? stoa_last_error().status : STOA_OK;
}

/* ACC-01 */
static void component_is_read_and_written(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}), STOA_ZERO(Frozen));
    assert_true(stoa_has(s->world, e, Position));
    assert_true(stoa_has(s->world, e, Frozen));
    assert_false(stoa_has(s->world, e, Velocity));
    assert_true(stoa_get(s->world, e, Position)->y == 2);
    assert_ptr_equal(stoa_try_get(s->world, e, Position), stoa_get(s->world, e, Position));
    stoa_get_mut(s->world, e, Position)->x = 5;
    assert_true(stoa_get(s->world, e, Position)->x == 5);
    stoa_try_get_mut(s->world, e, Position)->y = 6;
    assert_true(stoa_get(s->world, e, Position)->y == 6);
    assert_null(stoa_try_get(s->world, e, Velocity));
    assert_null(stoa_try_get_mut(s->world, e, Velocity));
    assert_non_null(stoa_get(s->world, e, Frozen));
    support_assert_quiet(s);
    assert_int_equal(s->errors, 0);
}

/* ACC-01 GEN-03: the message names the component and the entity. */
static void get_of_a_missing_component_is_an_error(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
    (void)stoa_id(s->world, Velocity);
    uint64_t hash = stoa_hash(s->world);
    support_assert_misuse(s, status_of(stoa_get(s->world, e, Velocity)), STOA_MISSING);
    support_assert_message("component 'Velocity' is not on entity 1v1");
    support_assert_misuse(s, status_of(stoa_get_mut(s->world, e, Velocity)), STOA_MISSING);
    support_assert_misuse(s, status_of(stoa_get_named(s->world, e, "Velocity")), STOA_MISSING);
    support_assert_misuse(s, status_of(stoa_get_mut_id(s->world, e, stoa_id(s->world, Velocity))),
                          STOA_MISSING);
    assert_int_equal(s->errors, 4);
    assert_int_equal(stoa_hash(s->world), hash);
}

/* ACC-01 CMP-01: looking does not register. */
static void type_the_world_never_met_is_on_no_entity(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
    assert_false(stoa_has(s->world, e, Unheard));
    assert_null(stoa_try_get(s->world, e, Unheard));
    support_assert_misuse(s, status_of(stoa_get(s->world, e, Unheard)), STOA_MISSING);
    support_assert_message("'Unheard'");
    assert_int_equal(stoa_component_count(s->world), 1);
}

static int evaluations;

static stoa_entity counted(stoa_entity e) {
    evaluations++;
    return e;
}

/* ACC-02 */
static void with_runs_its_block_once_or_not_at_all(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}), STOA_ZERO(Frozen));
    int runs = 0;
    evaluations = 0;
    stoa_with(s->world, counted(e), Position, p) {
        assert_true(p->x == 1);
        runs++;
    }
    assert_int_equal(evaluations, 1);
    stoa_with_mut(s->world, counted(e), Position, p) {
        p->x = 8;
        runs++;
    }
    assert_int_equal(evaluations, 2);
    assert_int_equal(runs, 2);
    assert_true(stoa_get(s->world, e, Position)->x == 8);
    stoa_with(s->world, e, Frozen, tag) {
        runs += tag != NULL;
    }
    assert_int_equal(runs, 3);
    stoa_with(s->world, counted(e), Velocity, v) {
        fail_msg("%f", (double)v->x);
    }
    stoa_with_mut(s->world, counted(STOA_NULL), Position, p) {
        p->x = 0;
        fail();
    }
    assert_int_equal(evaluations, 4);
    support_assert_quiet(s);
}

/* ACC-03 */
static void set_adds_then_overwrites_in_place(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create(s->world);
    assert_int_equal(stoa_set(s->world, e, Position, {1, 2}), STOA_OK);
    int32_t archetype = stoa_archetype_of(s->world, e);
    const Position *place = stoa_get(s->world, e, Position);
    size_t allocations = s->heap.allocations;
    Position value = {3, 4};
    assert_int_equal(stoa_set_from(s->world, e, Position, &value), STOA_OK);
    assert_int_equal(stoa_set(s->world, e, Position, {.y = 5}), STOA_OK);
    assert_ptr_equal(stoa_get(s->world, e, Position), place);
    assert_true(place->x == 0 && place->y == 5);
    assert_int_equal(stoa_archetype_of(s->world, e), archetype);
    assert_int_equal(s->heap.allocations, allocations);
    assert_int_equal(stoa_set(s->world, e, Frozen, {0}), STOA_OK);
    assert_int_equal(stoa_set(s->world, e, Frozen, {0}), STOA_OK);
    assert_true(stoa_has(s->world, e, Frozen));
}

/* ACC-03: zeroed even where a row held something before. */
static void add_zeroes_and_leaves_what_is_there(void **state) {
    support_world *s = *state;
    stoa_entity old = stoa_create_with(s->world, STOA_VALUE(Wide, {{1, 2, 3, 4, 5, 6, 7, 8, 9}}),
                                       STOA_VALUE(Position, {1, 2}));
    assert_int_equal(stoa_destroy(s->world, old), STOA_OK);
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {3, 4}));
    assert_int_equal(stoa_add(s->world, e, Wide), STOA_OK);
    static const Wide zero;
    assert_memory_equal(stoa_get(s->world, e, Wide), &zero, sizeof zero);
    stoa_get_mut(s->world, e, Wide)->values[8] = 3;
    assert_int_equal(stoa_add(s->world, e, Wide), STOA_OK);
    assert_true(stoa_get(s->world, e, Wide)->values[8] == 3);
    assert_true(stoa_get(s->world, e, Position)->x == 3);
    assert_int_equal(stoa_add(s->world, e, Frozen), STOA_OK);
    uint64_t hash = stoa_hash(s->world);
    assert_int_equal(stoa_add(s->world, e, Frozen), STOA_OK);
    assert_int_equal(stoa_hash(s->world), hash);
}

/* ACC-04 */
static void remove_takes_away_or_does_nothing(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}), STOA_ZERO(Frozen));
    uint64_t hash = stoa_hash(s->world);
    assert_int_equal(stoa_remove(s->world, e, Velocity), STOA_OK);
    assert_int_equal(stoa_hash(s->world), hash);
    support_assert_quiet(s);
    assert_int_equal(stoa_remove(s->world, e, Frozen), STOA_OK);
    assert_false(stoa_has(s->world, e, Frozen));
    assert_true(stoa_get(s->world, e, Position)->y == 2);
    assert_int_equal(stoa_remove(s->world, e, Position), STOA_OK);
    assert_int_equal(stoa_remove(s->world, e, Position), STOA_OK);
    assert_true(stoa_alive(s->world, e));
    assert_int_equal(stoa_archetype_of(s->world, e), 0);
    assert_int_equal(stoa_stats(s->world).rows, 0);
}

/* ACC-05 */
static void migration_keeps_the_rest_and_fixes_both_records(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[200];
    for (uint32_t i = 0; i < 200; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Serial, {i}), STOA_VALUE(Position, {(float)i, 1}),
                                STOA_VALUE(Wide, {{i, 2, 3}}));
    }
    support_random random = {11};
    bool moving[200] = {false}, frozen[200] = {false};
    for (int step = 0; step < 4000; step++) {
        uint32_t i = support_random_below(&random, 200);
        if (step % 2 == 0) {
            assert_int_equal(moving[i] ? stoa_remove(w, e[i], Velocity)
                                       : stoa_set(w, e[i], Velocity, {(float)i, 3}),
                             STOA_OK);
            moving[i] = !moving[i];
        } else {
            assert_int_equal(frozen[i] ? stoa_remove(w, e[i], Frozen) : stoa_add(w, e[i], Frozen),
                             STOA_OK);
            frozen[i] = !frozen[i];
        }
    }
    for (uint32_t i = 0; i < 200; i++) {
        assert_int_equal(stoa_get(w, e[i], Serial)->number, i);
        assert_true(stoa_get(w, e[i], Position)->x == (float)i);
        assert_true(stoa_get(w, e[i], Wide)->values[0] == i);
        assert_int_equal(stoa_has(w, e[i], Velocity), moving[i]);
        assert_int_equal(stoa_has(w, e[i], Frozen), frozen[i]);
        assert_true(!moving[i] || stoa_get(w, e[i], Velocity)->x == (float)i);
    }
    assert_int_equal(stoa_archetype_count(w), 5);
}

/* ACC-05 STO-01: the way there and back is worked out once. */
static void known_migration_needs_no_memory(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
    stoa_entity other = stoa_create_with(s->world, STOA_ZERO(Position), STOA_ZERO(Velocity));
    assert_int_equal(stoa_set(s->world, e, Velocity, {3, 4}), STOA_OK);
    assert_int_equal(stoa_remove(s->world, e, Velocity), STOA_OK);
    int32_t archetypes = stoa_archetype_count(s->world);
    size_t allocations = s->heap.allocations;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(stoa_set(s->world, e, Velocity, {3, 4}), STOA_OK);
        assert_int_equal(stoa_archetype_of(s->world, e), stoa_archetype_of(s->world, other));
        assert_int_equal(stoa_remove(s->world, e, Velocity), STOA_OK);
    }
    assert_int_equal(s->heap.allocations, allocations);
    assert_int_equal(stoa_archetype_count(s->world), archetypes);
}

/* ACC-06 */
static void change_adds_overwrites_and_removes_at_once(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Serial, {3}),
                                     STOA_ZERO(Frozen));
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Frozen), STOA_VALUE(Velocity, {5, 6}),
                                 STOA_VALUE(Position, {7, 8}), STOA_ZERO(Hot)),
                     STOA_OK);
    assert_int_equal(stoa_archetype_count(w), 3);
    assert_false(stoa_has(w, e, Frozen));
    assert_true(stoa_has(w, e, Hot));
    assert_true(stoa_get(w, e, Velocity)->y == 6 && stoa_get(w, e, Position)->x == 7);
    assert_int_equal(stoa_get(w, e, Serial)->number, 3);
    const Position *place = stoa_get(w, e, Position);
    assert_int_equal(stoa_change(w, e, STOA_ZERO(Position), STOA_REMOVE(Frozen),
                                 STOA_VALUE(Serial, {9}), STOA_ZERO(Hot)),
                     STOA_OK);
    assert_ptr_equal(stoa_get(w, e, Position), place);
    assert_true(place->x == 0 && place->y == 0);
    assert_int_equal(stoa_get(w, e, Serial)->number, 9);
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Position), STOA_REMOVE(Velocity),
                                 STOA_REMOVE(Serial), STOA_REMOVE(Hot), STOA_REMOVE(Frozen)),
                     STOA_OK);
    assert_int_equal(stoa_archetype_of(w, e), 0);
    assert_int_equal(stoa_archetype_count(w), 3);
    assert_int_equal(stoa_change(w, e, STOA_VALUE(Serial, {1}), STOA_REMOVE(Hot)), STOA_OK);
    assert_int_equal(stoa_get(w, e, Serial)->number, 1);
    assert_int_equal(stoa_change_values(w, e, NULL, 0), STOA_OK);
    support_assert_quiet(s);
}

/* ACC-07 STO-02: from the moment the first chunk has full size. */
static void rows_of_full_chunks_never_move(void **state) {
    (void)state;
    support_world s;
    support_world_open_with(&s, 16384);
    static stoa_entity e[1024];
    static const Position *places[1024];
    for (int i = 0; i < 1024; i++) {
        e[i] = stoa_create_with(s.world, STOA_VALUE(Position, {(float)i, 0}));
    }
    stoa_archetype_info info;
    assert_int_equal(stoa_archetype_info_get(s.world, 1, &info), STOA_OK);
    assert_int_equal(info.chunk_count, 1);
    assert_int_equal(info.chunk_capacity, 1024);
    for (int i = 0; i < 1024; i++) {
        places[i] = stoa_get(s.world, e[i], Position);
    }
    static stoa_entity more[9000];
    for (int i = 0; i < 4500; i++) {
        more[i] = stoa_create_with(s.world, STOA_VALUE(Position, {-1, 0}));
    }
    assert_int_equal(stoa_create_bulk(s.world, 4500, more + 4500, STOA_ZERO(Position)), STOA_OK);
    assert_int_equal(stoa_reserve(s.world, 5000, STOA_ZERO(Position)), STOA_OK);
    for (int i = 0; i < 9000; i++) {
        assert_int_equal(i % 2 == 0 ? stoa_destroy(s.world, more[i])
                                    : stoa_add(s.world, more[i], Frozen),
                         STOA_OK);
    }
    for (int i = 0; i < 1024; i++) {
        assert_ptr_equal(stoa_get(s.world, e[i], Position), places[i]);
        assert_true(places[i]->x == (float)i);
    }
    support_world_close(&s);
}

/* ACC-07 GEN-05: plain values are read before anything moves, so they may lie in the world. */
static void value_may_lie_in_the_world(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Wide, {{1, 2, 3, 4, 5, 6, 7, 8, 9}}));
    Wide expected = *stoa_get(w, a, Wide);
    for (int i = 0; i < 700; i++) {
        stoa_entity b = stoa_create(w);
        assert_int_equal(stoa_set_from(w, b, Wide, stoa_get(w, a, Wide)), STOA_OK);
        assert_memory_equal(stoa_get(w, b, Wide), &expected, sizeof expected);
        stoa_value grow[] = {STOA_VALUE_FROM(Wide, stoa_get(w, b, Wide)), STOA_ZERO(Serial)};
        assert_int_equal(stoa_change_values(w, b, grow, 2), STOA_OK);
        assert_memory_equal(stoa_get(w, b, Wide), &expected, sizeof expected);
        stoa_value again[] = {STOA_VALUE_FROM(Wide, stoa_get(w, b, Wide)), STOA_ZERO(Serial)};
        stoa_entity c = stoa_create_values(w, again, 2);
        assert_memory_equal(stoa_get(w, c, Wide), &expected, sizeof expected);
    }
    assert_memory_equal(stoa_get(w, a, Wide), &expected, sizeof expected);
}

/* ACC-07 ENT-07: the column a bulk creation is given may be one of the world's own. */
static void column_may_lie_in_the_world(void **state) {
    support_world *s = *state;
    Serial serials[16];
    for (uint32_t i = 0; i < 16; i++) {
        serials[i].number = i;
    }
    stoa_entity first[16], copies[16];
    assert_int_equal(stoa_create_bulk(s->world, 16, first, STOA_COLUMN(Serial, serials)), STOA_OK);
    for (int round = 0; round < 8; round++) {
        const Serial *column = stoa_get(s->world, first[0], Serial);
        assert_int_equal(stoa_create_bulk(s->world, 16, copies, STOA_COLUMN(Serial, column)),
                         STOA_OK);
        for (uint32_t i = 0; i < 16; i++) {
            assert_int_equal(stoa_get(s->world, copies[i], Serial)->number, i);
        }
    }
}

/* ACC-08 */
static void access_by_id_and_by_name(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Position);
    (void)stoa_id(w, Velocity);
    (void)stoa_id(w, Frozen);
    stoa_entity e = stoa_create(w);
    Position value = {1, 2};
    assert_int_equal(stoa_set_id(w, e, id, &value, sizeof value), STOA_OK);
    assert_true(stoa_has_id(w, e, id) && stoa_has_named(w, e, "Position"));
    assert_ptr_equal(stoa_get_id(w, e, id), stoa_get(w, e, Position));
    assert_ptr_equal(stoa_try_get_id(w, e, id), stoa_get(w, e, Position));
    assert_ptr_equal(stoa_get_mut_id(w, e, id), stoa_get(w, e, Position));
    assert_ptr_equal(stoa_try_get_mut_id(w, e, id), stoa_get(w, e, Position));
    assert_ptr_equal(stoa_get_named(w, e, "Position"), stoa_get(w, e, Position));
    assert_ptr_equal(stoa_get_mut_named(w, e, "Position"), stoa_get(w, e, Position));
    value.x = 9;
    assert_int_equal(stoa_set_named(w, e, "Position", &value, sizeof value), STOA_OK);
    assert_true(stoa_get(w, e, Position)->x == 9);
    assert_int_equal(stoa_add_named(w, e, "Frozen"), STOA_OK);
    assert_int_equal(stoa_add_id(w, e, stoa_id(w, Velocity)), STOA_OK);
    assert_true(stoa_has(w, e, Frozen) && stoa_has(w, e, Velocity));
    assert_int_equal(stoa_remove_named(w, e, "Frozen"), STOA_OK);
    assert_int_equal(stoa_remove_id(w, e, stoa_id(w, Velocity)), STOA_OK);
    assert_false(stoa_has(w, e, Frozen) || stoa_has(w, e, Velocity));
    support_assert_quiet(s);
    assert_false(stoa_has_named(w, e, "Nothing"));
    assert_int_equal(s->errors, 0);
}

/* ACC-08 GEN-03 */
static void access_by_a_wrong_name_or_size_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    Position value = {1, 2};
    stoa_entity e = stoa_create_with(w, STOA_VALUE_FROM(Position, &value));
    uint64_t hash = stoa_hash(w);
    assert_int_equal(stoa_add_named(w, e, "Nothing"), STOA_NOT_FOUND);
    support_assert_message("'Nothing'");
    assert_int_equal(stoa_remove_named(w, e, "Nothing"), STOA_NOT_FOUND);
    assert_int_equal(stoa_set_named(w, e, "Nothing", &value, sizeof value), STOA_NOT_FOUND);
    assert_int_equal(status_of(stoa_get_named(w, e, "Nothing")), STOA_NOT_FOUND);
    assert_int_equal(status_of(stoa_get_mut_named(w, e, "Nothing")), STOA_NOT_FOUND);
    assert_int_equal(s->errors, 5);
    support_assert_quiet(s);
    support_assert_misuse(s, stoa_set_named(w, e, "Position", &value, 4), STOA_INVALID);
    support_assert_misuse(s, stoa_set_id(w, e, stoa_id(w, Position), &value, 12), STOA_INVALID);
    support_assert_message("'Position' has 8 bytes, the value 12");
    assert_int_equal(stoa_hash(w), hash);
}

/* ACC-10 */
static void dead_handle_has_nothing_and_gets_errors(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
    stoa_entity other = stoa_create_with(s->world, STOA_VALUE(Position, {3, 4}));
    assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
    stoa_error_clear();
    assert_false(stoa_has(s->world, e, Position));
    assert_null(stoa_try_get(s->world, e, Position));
    assert_null(stoa_try_get_mut(s->world, e, Position));
    assert_false(stoa_has_named(s->world, e, "Position"));
    support_assert_quiet(s);
    assert_int_equal(stoa_last_error().status, STOA_OK);
    assert_int_equal(s->errors, 0);
    uint64_t hash = stoa_hash(s->world);
    support_assert_misuse(s, status_of(stoa_get(s->world, e, Position)), STOA_DEAD);
    support_assert_message("entity 1v1 is dead");
    support_assert_misuse(s, status_of(stoa_get_mut(s->world, e, Position)), STOA_DEAD);
    support_assert_misuse(s, status_of(stoa_get(s->world, e, Unheard)), STOA_DEAD);
    support_assert_misuse(s, stoa_set(s->world, e, Position, {5, 6}), STOA_DEAD);
    support_assert_misuse(s, stoa_add(s->world, e, Frozen), STOA_DEAD);
    support_assert_misuse(s, stoa_remove(s->world, e, Velocity), STOA_DEAD);
    support_assert_misuse(s, stoa_change(s->world, e, STOA_ZERO(Frozen)), STOA_DEAD);
    assert_int_equal(stoa_hash(s->world), hash);
    assert_true(stoa_get(s->world, other, Position)->x == 3);
}

/* ENT-14 */
static void ref_does_what_the_long_forms_do(void **state) {
    support_world *s = *state;
    stoa_ref ref = stoa_ref_of(s->world, stoa_create(s->world));
    assert_true(stoa_ref_alive(ref));
    assert_int_equal(stoa_ref_set(ref, Position, {1, 2}), STOA_OK);
    assert_int_equal(stoa_ref_add(ref, Frozen), STOA_OK);
    assert_true(stoa_ref_has(ref, Position) && stoa_ref_has(ref, Frozen));
    assert_false(stoa_ref_has(ref, Velocity));
    assert_true(stoa_ref_get(ref, Position)->y == 2);
    stoa_ref_get_mut(ref, Position)->x = 4;
    assert_true(stoa_ref_try_get(ref, Position)->x == 4);
    stoa_ref_try_get_mut(ref, Position)->x = 5;
    assert_true(stoa_get(s->world, ref.entity, Position)->x == 5);
    stoa_ref copy = stoa_ref_clone(ref);
    assert_true(stoa_ref_alive(copy));
    assert_true(stoa_ref_get(copy, Position)->x == 5);
    assert_ptr_not_equal(stoa_ref_get(copy, Position), stoa_ref_get(ref, Position));
    assert_int_equal(stoa_ref_remove(ref, Frozen), STOA_OK);
    assert_false(stoa_ref_has(ref, Frozen));
    assert_int_equal(stoa_ref_clear(copy), STOA_OK);
    assert_int_equal(stoa_archetype_of(s->world, copy.entity), 0);
    support_assert_quiet(s);
}

/* ENT-14 ACC-10: the handle is checked at each use. */
static void ref_of_a_dead_entity_is_refused(void **state) {
    support_world *s = *state;
    stoa_ref ref = stoa_ref_of(s->world, stoa_create_with(s->world, STOA_ZERO(Position)));
    assert_int_equal(stoa_ref_destroy(ref), STOA_OK);
    assert_false(stoa_ref_alive(ref));
    assert_false(stoa_ref_has(ref, Position));
    assert_null(stoa_ref_try_get(ref, Position));
    assert_null(stoa_ref_try_get_mut(ref, Position));
    support_assert_quiet(s);
    support_assert_misuse(s, status_of(stoa_ref_get(ref, Position)), STOA_DEAD);
    support_assert_misuse(s, status_of(stoa_ref_get_mut(ref, Position)), STOA_DEAD);
    support_assert_misuse(s, stoa_ref_set(ref, Position, {1, 2}), STOA_DEAD);
    support_assert_misuse(s, stoa_ref_add(ref, Position), STOA_DEAD);
    support_assert_misuse(s, stoa_ref_remove(ref, Position), STOA_DEAD);
    support_assert_misuse(s, stoa_ref_clear(ref), STOA_DEAD);
    support_assert_misuse(s, stoa_ref_destroy(ref), STOA_DEAD);
    assert_true(stoa_entity_is_null(stoa_ref_clone(ref).entity));
    support_assert_misuse(s, stoa_last_error().status, STOA_DEAD);
}

/* GEN-05 GEN-03: null pointers where something is needed. */
static void null_where_a_value_is_needed_is_refused(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(Position));
    const Position *none = NULL;
    support_assert_misuse(s, stoa_set_from(s->world, e, Position, none), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_set_type(s->world, e, NULL, &e), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_add_type(s->world, e, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_remove_type(s->world, e, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, status_of(stoa_get_type(s->world, e, NULL)), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_add_named(s->world, e, NULL), STOA_NULL_ARGUMENT);
    assert_false(stoa_has_named(s->world, e, NULL));
    support_assert_quiet(s);
    assert_int_equal(stoa_set_from(NULL, e, Position, none), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_add_id(NULL, e, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(status_of(stoa_get(NULL, e, Position)), STOA_NULL_ARGUMENT);
    assert_int_equal(status_of(stoa_get_id(NULL, e, 1)), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_add_named(NULL, e, "Position"), STOA_NULL_ARGUMENT);
    assert_false(stoa_has(NULL, e, Position));
    assert_null(stoa_try_get(NULL, e, Position));
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(component_is_read_and_written),
        WITH_WORLD(get_of_a_missing_component_is_an_error),
        WITH_WORLD(type_the_world_never_met_is_on_no_entity),
        WITH_WORLD(with_runs_its_block_once_or_not_at_all),
        WITH_WORLD(set_adds_then_overwrites_in_place),
        WITH_WORLD(add_zeroes_and_leaves_what_is_there),
        WITH_WORLD(remove_takes_away_or_does_nothing),
        WITH_WORLD(migration_keeps_the_rest_and_fixes_both_records),
        WITH_WORLD(known_migration_needs_no_memory),
        WITH_WORLD(change_adds_overwrites_and_removes_at_once),
        cmocka_unit_test(rows_of_full_chunks_never_move),
        WITH_WORLD(value_may_lie_in_the_world),
        WITH_WORLD(column_may_lie_in_the_world),
        WITH_WORLD(access_by_id_and_by_name),
        WITH_WORLD(access_by_a_wrong_name_or_size_is_refused),
        WITH_WORLD(dead_handle_has_nothing_and_gets_errors),
        WITH_WORLD(ref_does_what_the_long_forms_do),
        WITH_WORLD(ref_of_a_dead_entity_is_refused),
        WITH_WORLD(null_where_a_value_is_needed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

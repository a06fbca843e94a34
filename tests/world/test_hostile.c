/* Hostile calls: forged handles and ids, null pointers, counts, sizes and alignments that cannot
 * be.
 *
 * Each is refused with a status and leaves the world as it was; the sanitizers watch for what a
 * status cannot show. */
#include <stdlib.h>

#include "support/support.h"
#include "world/testing.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_TAG(Frozen);

#define LAST_GENERATION 0x7FFFFFFFu

static const stoa_value one_position[1] = {{.type = &Position_stoa}};

/* The status of a call that gives something or nothing. */
static stoa_status given(bool something) {
    return something ? STOA_OK : stoa_last_error().status;
}

/* Every call on one entity is refused as dead. */
static void handle_is_refused(support_world *s, stoa_entity e) {
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Position);
    Position value = {1, 2};
    assert_false(stoa_alive(w, e));
    assert_false(stoa_has(w, e, Position));
    assert_false(stoa_has_id(w, e, id));
    assert_false(stoa_has_named(w, e, "Position"));
    assert_null(stoa_try_get(w, e, Position));
    assert_null(stoa_try_get_mut_id(w, e, id));
    stoa_with(w, e, Position, p) {
        fail_msg("a dead entity has %f", (double)p->x);
    }
    support_assert_quiet(s);
    uint64_t hash = stoa_hash(w);
    support_assert_misuse(s, given(stoa_get(w, e, Position) != NULL), STOA_DEAD);
    support_assert_misuse(s, given(stoa_get_mut(w, e, Position) != NULL), STOA_DEAD);
    support_assert_misuse(s, given(stoa_get_named(w, e, "Position") != NULL), STOA_DEAD);
    support_assert_misuse(s, stoa_set_from(w, e, Position, &value), STOA_DEAD);
    support_assert_misuse(s, stoa_set_id(w, e, id, &value, sizeof value), STOA_DEAD);
    support_assert_misuse(s, stoa_add(w, e, Frozen), STOA_DEAD);
    support_assert_misuse(s, stoa_remove(w, e, Position), STOA_DEAD);
    support_assert_misuse(s, stoa_change_values(w, e, one_position, 1), STOA_DEAD);
    support_assert_misuse(s, stoa_destroy(w, e), STOA_DEAD);
    support_assert_misuse(s, stoa_clear(w, e), STOA_DEAD);
    support_assert_misuse(s, given(!stoa_entity_is_null(stoa_clone(w, e))), STOA_DEAD);
    support_assert_misuse(s, given(stoa_archetype_of(w, e) >= 0), STOA_DEAD);
    (void)stoa_entity_next(w, e);
    support_assert_quiet(s);
    assert_int_equal(stoa_hash(w), hash);
}

/* GEN-05 ENT-01 ENT-02 ENT-03 ACC-10 */
static void forged_handle_is_refused_by_every_call(void **state) {
    support_world *s = *state;
    stoa_entity alive = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
    stoa_entity empty = stoa_create(s->world);
    stoa_entity dead = stoa_create_with(s->world, STOA_VALUE(Position, {3, 4}));
    assert_int_equal(stoa_destroy(s->world, dead), STOA_OK);
    const stoa_entity forged[] = {
        STOA_NULL,
        {0, 1},
        {0, UINT32_MAX},
        {alive.index, 0},
        {alive.index, alive.generation + 1},
        {alive.index, alive.generation | 0x80000000u},
        {empty.index, empty.generation | 0x80000000u},
        {empty.index, 0x80000000u},
        dead,
        {dead.index, dead.generation + 1},
        {dead.index, dead.generation | 0x80000000u},
        {dead.index, (dead.generation + 1) | 0x80000000u},
        {dead.index, 0},
        {dead.index + 1, 1},
        {dead.index + 1, 0},
        {dead.index + 1, 0x80000000u},
        {0x7FFFFFFF, 1},
        {0x80000000u, 1},
        {UINT32_MAX, 1},
        {UINT32_MAX, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        handle_is_refused(s, forged[i]);
    }
    support_random random = {7};
    for (int i = 0; i < 300; i++) {
        uint64_t bits = (uint64_t)support_random_next(&random) << 32 | support_random_next(&random);
        stoa_entity e = stoa_entity_unpack(bits);
        if (!stoa_entity_eq(e, alive) && !stoa_entity_eq(e, empty)) {
            handle_is_refused(s, e);
        }
    }
    assert_int_equal(stoa_count(s->world), 2);
}

/* GEN-05 GEN-02 */
static void handle_of_another_world_is_refused(void **state) {
    support_world *s = *state;
    support_world other;
    support_world_open(&other);
    stoa_entity e = STOA_NULL;
    for (int i = 0; i < 5; i++) {
        e = stoa_create_with(other.world, STOA_VALUE(Position, {1, 2}));
    }
    assert_int_equal(stoa_destroy(other.world, e), STOA_OK);
    e = stoa_create(other.world);
    (void)stoa_create(s->world);
    handle_is_refused(s, e);
    support_world_close(&other);
}

/* GEN-05 CMP-05 */
static void unknown_id_is_refused_by_every_call(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    uint32_t known = stoa_id(w, Position);
    uint32_t count = (uint32_t)stoa_component_count(w);
    const uint32_t ids[] = {0,           count + 1,           count + 64,     0x7FFFFFFF,
                            0x80000000u, 0x80000000u | known, UINT32_MAX - 1, UINT32_MAX};
    uint64_t hash = stoa_hash(w);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        stoa_component id = ids[i];
        stoa_component_info info;
        int32_t value_count = 7;
        stoa_value value = {.id = id};
        stoa_query_desc desc = {.terms = {{.id = id, .access = STOA_ACCESS_READ}}};
        assert_false(stoa_has_id(w, e, id));
        assert_null(stoa_try_get_id(w, e, id));
        assert_null(stoa_try_get_mut_id(w, e, id));
        support_assert_quiet(s);
        support_assert_misuse(s, given(stoa_get_id(w, e, id) != NULL), STOA_UNKNOWN);
        support_assert_misuse(s, given(stoa_get_mut_id(w, e, id) != NULL), STOA_UNKNOWN);
        support_assert_misuse(s, stoa_set_id(w, e, id, &value, sizeof value), STOA_UNKNOWN);
        support_assert_misuse(s, stoa_add_id(w, e, id), STOA_UNKNOWN);
        support_assert_misuse(s, stoa_remove_id(w, e, id), STOA_UNKNOWN);
        support_assert_misuse(s, stoa_change_values(w, e, &value, 1), STOA_UNKNOWN);
        support_assert_misuse(s, given(!stoa_entity_is_null(stoa_create_values(w, &value, 1))),
                              STOA_UNKNOWN);
        support_assert_misuse(s, stoa_create_bulk_values(w, 3, NULL, &value, 1), STOA_UNKNOWN);
        support_assert_misuse(s, stoa_reserve_values(w, 3, &value, 1), STOA_UNKNOWN);
        support_assert_misuse(s, stoa_component_info_get(w, id, &info), STOA_UNKNOWN);
        support_assert_misuse(s, given(stoa_component_name(w, id) != NULL), STOA_UNKNOWN);
        support_assert_misuse(s, given(stoa_component_enum(w, id, &value_count) != NULL),
                              STOA_UNKNOWN);
        assert_int_equal(value_count, 0);
        support_assert_misuse(s, given(stoa_query_new(w, &desc) != NULL), STOA_UNKNOWN);
        support_assert_misuse(s, given(stoa_query_once_count(w, &desc) >= 0), STOA_UNKNOWN);
        support_assert_misuse(s, given(stoa_chunk_column(w, 1, 0, id) != NULL), STOA_UNKNOWN);
        assert_int_equal(stoa_hash(w), hash);
    }
}

/* GEN-05 ENT-07 */
static void impossible_count_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    uint64_t hash = stoa_hash(w);
    const int32_t negative[] = {-1, -1000, INT32_MIN};
    for (int i = 0; i < 3; i++) {
        int32_t n = negative[i];
        support_assert_misuse(s, stoa_create_bulk_values(w, n, NULL, one_position, 1),
                              STOA_INVALID);
        support_assert_misuse(s, stoa_create_bulk_values(w, 4, NULL, one_position, n),
                              STOA_INVALID);
        support_assert_misuse(s, stoa_reserve_values(w, n, one_position, 1), STOA_INVALID);
        support_assert_misuse(s, stoa_reserve_values(w, 4, one_position, n), STOA_INVALID);
        support_assert_misuse(
            s, given(!stoa_entity_is_null(stoa_create_values(w, one_position, n))), STOA_INVALID);
        support_assert_misuse(s, stoa_change_values(w, e, one_position, n), STOA_INVALID);
    }
    assert_int_equal(stoa_hash(w), hash);
}

/* GEN-04 GEN-05 */
static void huge_count_runs_out_of_memory_or_limits(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    uint64_t hash = stoa_hash(w);
    const int32_t huge[] = {INT32_MAX, INT32_MAX - 1, INT32_MAX / 2};
    for (int i = 0; i < 3; i++) {
        stoa_status statuses[4] = {
            stoa_create_bulk_values(w, huge[i], NULL, one_position, 1),
            stoa_create_bulk_values(w, huge[i], NULL, NULL, 0),
            stoa_reserve_values(w, huge[i], one_position, 1),
            stoa_reserve_values(w, huge[i], NULL, 0),
        };
        for (int k = 0; k < 4; k++) {
            assert_true(statuses[k] == STOA_NO_MEMORY || statuses[k] == STOA_LIMIT);
        }
        assert_int_equal(stoa_hash(w), hash);
        assert_int_equal(stoa_check(w), STOA_OK);
    }
    support_assert_quiet(s);
    assert_true(stoa_alive(w, e));
}

/* ENT-07 STO-06 */
static void zero_count_makes_nothing(void **state) {
    support_world *s = *state;
    uint64_t hash = stoa_hash(s->world);
    assert_int_equal(stoa_create_bulk_values(s->world, 0, NULL, one_position, 1), STOA_OK);
    assert_int_equal(stoa_create_bulk_values(s->world, 0, NULL, NULL, 0), STOA_OK);
    assert_int_equal(stoa_reserve_values(s->world, 0, one_position, 1), STOA_OK);
    assert_int_equal(stoa_count(s->world), 0);
    assert_int_equal(stoa_hash(s->world), hash);
    assert_int_equal(stoa_create_bulk_values(s->world, 70, NULL, NULL, 0), STOA_OK);
    assert_int_equal(stoa_count(s->world), 70);
    stoa_entity e = stoa_create_values(s->world, NULL, 0);
    assert_true(stoa_alive(s->world, e));
    assert_int_equal(stoa_change_values(s->world, e, NULL, 0), STOA_OK);
}

/* CMP-03 GEN-05 */
static void impossible_description_is_refused(void **state) {
    support_world *s = *state;
    static const struct {
        stoa_component_desc desc;
        stoa_status status;
    } cases[] = {
        {{.name = NULL, .size = 4}, STOA_INVALID},
        {{.name = "", .size = 4}, STOA_INVALID},
        {{.name = "A", .size = 4, .alignment = 3}, STOA_INVALID},
        {{.name = "A", .size = 130, .alignment = 65}, STOA_INVALID},
        {{.name = "A", .size = 128, .alignment = 128}, STOA_INVALID},
        {{.name = "A", .size = 4, .alignment = UINT32_MAX}, STOA_INVALID},
        {{.name = "A", .size = 4, .alignment = 0x80000000u}, STOA_INVALID},
        {{.name = "A", .size = 12, .alignment = 8}, STOA_INVALID},
        {{.name = "A", .size = STOA_SIZE_MAX + 1, .alignment = 1}, STOA_LIMIT},
        {{.name = "A", .size = UINT32_MAX, .alignment = 1}, STOA_LIMIT},
        {{.name = "A", .fields = "{ float x; }", .size = 8}, STOA_LAYOUT},
        {{.name = "A", .fields = "{ float x; }", .alignment = 8}, STOA_LAYOUT},
        {{.name = "A", .fields = "{ float x[1073741824]; }"}, STOA_LIMIT},
        {{.name = "A", .fields = "{ double x[4294967295]; }"}, STOA_LIMIT},
        {{.name = "A", .fields = "{ Unheard of; }"}, STOA_LAYOUT},
        {{.name = "A", .fields = "{ float x"}, STOA_SYNTAX},
        {{.name = "A", .fields = ""}, STOA_SYNTAX},
    };
    uint64_t hash = stoa_hash(s->world);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stoa_error_clear();
        assert_int_equal(stoa_component_register(s->world, &cases[i].desc), 0);
        stoa_status status = stoa_last_error().status;
        bool large =
            cases[i].status == STOA_LIMIT && (status == STOA_LAYOUT || status == STOA_SYNTAX);
        if (status != cases[i].status && !large) {
            support_print_error();
            fail_msg("case %zu: status %d, expected %d", i, (int)status, (int)cases[i].status);
        }
        assert_int_equal(stoa_component_find(s->world, "A"), 0);
        assert_int_equal(stoa_component_count(s->world), 0);
    }
    assert_int_equal(stoa_hash(s->world), hash);
}

/* CMP-03 CMP-08 */
static void alignment_without_size_makes_a_tag(void **state) {
    support_world *s = *state;
    stoa_component tag =
        stoa_component_register(s->world, &(stoa_component_desc){.name = "Tag", .alignment = 16});
    stoa_component_info info;
    assert_int_equal(stoa_component_info_get(s->world, tag, &info), STOA_OK);
    assert_int_equal(info.size, 0);
    assert_int_equal(info.alignment, 1);
    stoa_entity e = stoa_create(s->world);
    assert_int_equal(stoa_set_id(s->world, e, tag, NULL, 0), STOA_OK);
    assert_true(stoa_has_id(s->world, e, tag));
    assert_non_null(stoa_get_id(s->world, e, tag));
    assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
}

/* ACC-08 GEN-05 */
static void set_with_another_size_is_refused(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create(s->world);
    stoa_component id = stoa_id(s->world, Position);
    stoa_component tag = stoa_id(s->world, Frozen);
    uint8_t bytes[64] = {0};
    const size_t sizes[] = {0, 1, 7, 9, 64, SIZE_MAX};
    uint64_t hash = stoa_hash(s->world);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        support_assert_misuse(s, stoa_set_id(s->world, e, id, bytes, sizes[i]), STOA_INVALID);
        support_assert_message("'Position'");
        support_assert_misuse(s, stoa_set_named(s->world, e, "Position", bytes, sizes[i]),
                              STOA_INVALID);
    }
    support_assert_misuse(s, stoa_set_id(s->world, e, tag, bytes, 1), STOA_INVALID);
    support_assert_misuse(s, stoa_set_id(s->world, e, id, NULL, sizeof(Position)),
                          STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_hash(s->world), hash);
}

/* STO-09 GEN-05 */
static void view_outside_its_range_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Position);
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Position));
    int32_t archetype = stoa_archetype_of(w, e);
    const int32_t bad[] = {-1, stoa_archetype_count(w), INT32_MAX, INT32_MIN};
    stoa_archetype_info info;
    stoa_chunk_info chunk;
    for (int i = 0; i < 4; i++) {
        support_assert_misuse(s, stoa_archetype_info_get(w, bad[i], &info), STOA_INVALID);
        support_assert_misuse(s, stoa_chunk_info_get(w, bad[i], 0, &chunk), STOA_INVALID);
        support_assert_misuse(
            s, stoa_chunk_info_get(w, archetype, bad[i] == 2 ? 1 : bad[i], &chunk), STOA_INVALID);
        support_assert_misuse(s, given(stoa_chunk_column(w, bad[i], 0, id) != NULL), STOA_INVALID);
        support_assert_misuse(s, given(stoa_chunk_column(w, archetype, bad[i], id) != NULL),
                              STOA_INVALID);
    }
    stoa_component other = stoa_id(w, Velocity);
    support_assert_misuse(s, given(stoa_chunk_column(w, archetype, 0, other) != NULL),
                          STOA_MISSING);
    support_assert_message("'Velocity'");
}

/* GEN-05: chunk sizes out of range, allocators with holes. */
static void impossible_world_is_not_made(void **state) {
    (void)state;
    const uint32_t sizes[] = {1, 16383, 65537, UINT32_MAX};
    for (int i = 0; i < 4; i++) {
        assert_null(stoa_world_new(&(stoa_world_desc){.chunk_size = sizes[i]}));
        assert_int_equal(stoa_last_error().status, STOA_INVALID);
    }
    stoa_allocator hollow = {NULL, NULL, NULL, NULL, NULL};
    assert_null(stoa_world_new(&(stoa_world_desc){.allocator = &hollow}));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    stoa_world_free(NULL);
}

/* ENT-04 */
static void slot_at_its_last_generation_is_retired(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    stoa__testing_set_generation(w, e.index, LAST_GENERATION - 1);
    for (uint32_t generation = LAST_GENERATION - 1; generation <= LAST_GENERATION; generation++) {
        stoa_entity near = stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
        assert_int_equal(near.index, e.index);
        assert_int_equal(near.generation, generation);
        assert_true(stoa_alive(w, near));
        assert_true(stoa_get(w, near, Position)->y == 2);
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_int_equal(stoa_destroy(w, near), STOA_OK);
        handle_is_refused(s, near);
    }
    uint64_t hash = stoa_hash(w);
    assert_int_equal(stoa_compact(w), STOA_OK);
    assert_int_equal(stoa_hash(w), hash);
    for (int round = 0; round < 3; round++) {
        stoa_entity entities[50];
        assert_int_equal(stoa_create_bulk(w, 50, entities, STOA_ZERO(Position)), STOA_OK);
        for (int i = 0; i < 50; i++) {
            assert_int_not_equal(entities[i].index, e.index);
        }
        stoa_entity single = stoa_create(w);
        assert_int_not_equal(single.index, e.index);
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_int_equal(stoa_count(w), 51);
        for (int i = 0; i < 50; i++) {
            assert_int_equal(stoa_destroy(w, entities[i]), STOA_OK);
        }
        assert_int_equal(stoa_destroy(w, single), STOA_OK);
        assert_true(stoa_entity_is_null(stoa_entity_next(w, STOA_NULL)));
    }
    handle_is_refused(s, (stoa_entity){e.index, LAST_GENERATION});
    handle_is_refused(s, (stoa_entity){e.index, 1});
}

/* ACC-07 GEN-05: a value that lies in the world it is set in. */
static void value_inside_the_world_is_read_before_it_moves(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    for (int i = 0; i < 300; i++) {
        stoa_entity first = stoa_create_with(w, STOA_VALUE(Position, {(float)i, 1}));
        stoa_entity second = stoa_create_with(w, STOA_ZERO(Frozen));
        assert_int_equal(stoa_set_from(w, second, Position, stoa_get(w, first, Position)), STOA_OK);
        assert_true(stoa_get(w, second, Position)->x == (float)i);
        stoa_entity third =
            stoa_create_with(w, STOA_VALUE_FROM(Position, stoa_get(w, first, Position)));
        assert_true(stoa_get(w, third, Position)->x == (float)i);
        assert_int_equal(stoa_set_from(w, third, Position, stoa_get(w, third, Position)), STOA_OK);
        assert_true(stoa_get(w, third, Position)->x == (float)i);
        stoa_value changes[] = {STOA_VALUE_FROM(Position, stoa_get(w, first, Position)),
                                STOA_REMOVE(Frozen)};
        assert_int_equal(stoa_change_values(w, second, changes, 2), STOA_OK);
        assert_true(stoa_get(w, second, Position)->x == (float)i);
    }
}

/* ENT-07 GEN-05: a column that lies in the world it is added to. */
static void column_inside_the_world_is_read_before_it_moves(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    Position first[3] = {{1, 2}, {3, 4}, {5, 6}};
    stoa_entity e[3];
    assert_int_equal(stoa_create_bulk(w, 3, e, STOA_COLUMN(Position, first)), STOA_OK);
    int32_t archetype = stoa_archetype_of(w, e[0]);
    stoa_component id = stoa_id(w, Position);
    for (int32_t count = 3; count < 3000; count *= 2) {
        const Position *column = stoa_chunk_column(w, archetype, 0, id);
        assert_int_equal(stoa_create_bulk(w, count, NULL, STOA_COLUMN(Position, column)), STOA_OK);
    }
    int32_t row = 0;
    for (stoa_iter it = stoa_query_once(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
         stoa_iter_next(&it);) {
        const Position *p = stoa_field(&it, Position, 0);
        for (int32_t i = 0; i < it.count; i++, row++) {
            if (p[i].x != first[row % 3].x || p[i].y != first[row % 3].y) {
                fail_msg("row %d has another value", (int)row);
            }
        }
    }
    assert_int_equal(row, stoa_count(w));
}

/* ACC-08 GEN-05: values by id come from anywhere, such as the middle of a packet. */
static void value_off_its_alignment_is_copied(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    static uint8_t bytes[4096];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 31 + i / 256);
    }
    static const uint32_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 40, 64, 100, 256};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char name[16];
        snprintf(name, sizeof name, "Size%u", (unsigned)sizes[i] % 1000u);
        uint32_t alignment = sizes[i] & (~sizes[i] + 1);
        stoa_component_desc desc = {
            .name = name, .size = sizes[i], .alignment = alignment < 64 ? alignment : 64};
        stoa_component id = stoa_component_register(w, &desc);
        assert_true(id != 0);
        stoa_entity e = stoa_create(w);
        assert_int_equal(stoa_set_id(w, e, id, bytes + 1, sizes[i]), STOA_OK);
        assert_memory_equal(stoa_get_id(w, e, id), bytes + 1, sizes[i]);
        assert_int_equal(stoa_set_id(w, e, id, bytes + 3, sizes[i]), STOA_OK);
        assert_memory_equal(stoa_get_id(w, e, id), bytes + 3, sizes[i]);
        stoa_value value = {.id = id, .data = bytes + 5};
        stoa_entity made = stoa_create_values(w, &value, 1);
        assert_memory_equal(stoa_get_id(w, made, id), bytes + 5, sizes[i]);
        stoa_entity many[9];
        assert_int_equal(stoa_create_bulk_values(w, 9, many, &value, 1), STOA_OK);
        assert_memory_equal(stoa_get_id(w, many[8], id), bytes + 5 + 8 * sizes[i], sizes[i]);
    }
}

/* GEN-05 CMP-05 */
static void long_name_is_kept_whole(void **state) {
    support_world *s = *state;
    static char name[20001];
    memset(name, 'n', sizeof name - 1);
    stoa_component id =
        stoa_component_register(s->world, &(stoa_component_desc){.name = name, .size = 4});
    assert_true(id != 0);
    assert_string_equal(stoa_component_name(s->world, id), name);
    assert_int_equal(stoa_component_find(s->world, name), id);
    stoa_entity e = stoa_create(s->world);
    support_assert_misuse(s, given(stoa_get_id(s->world, e, id) != NULL), STOA_MISSING);
    support_assert_message("nnnn");
    stoa_query *query = stoa_query_parse(s->world, name);
    assert_non_null(query);
    stoa_query_desc named = {.terms = {{.id = id, .access = STOA_ACCESS_READ}}, .name = name};
    assert_string_equal(stoa_query_name(stoa_query_new(s->world, &named)), name);
    assert_true(strlen(stoa_query_name(query)) > 0);
    name[100] = '\0';
    assert_int_equal(stoa_component_find(s->world, name), 0);
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(forged_handle_is_refused_by_every_call),
        WITH_WORLD(handle_of_another_world_is_refused),
        WITH_WORLD(unknown_id_is_refused_by_every_call),
        WITH_WORLD(impossible_count_is_refused),
        WITH_WORLD(huge_count_runs_out_of_memory_or_limits),
        WITH_WORLD(zero_count_makes_nothing),
        WITH_WORLD(impossible_description_is_refused),
        WITH_WORLD(alignment_without_size_makes_a_tag),
        WITH_WORLD(set_with_another_size_is_refused),
        WITH_WORLD(view_outside_its_range_is_refused),
        cmocka_unit_test(impossible_world_is_not_made),
        WITH_WORLD(slot_at_its_last_generation_is_retired),
        WITH_WORLD(value_inside_the_world_is_read_before_it_moves),
        WITH_WORLD(column_inside_the_world_is_read_before_it_moves),
        WITH_WORLD(value_off_its_alignment_is_copied),
        WITH_WORLD(long_name_is_kept_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

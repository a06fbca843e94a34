/* What a world costs: small archetypes, compaction, reserving, statistics. */
#include "support/support.h"

STOA_COMPONENT(First, { float x, y, z; });
STOA_COMPONENT(Second, { float x, y, z; });
STOA_COMPONENT(Serial, { uint32_t number; });
STOA_COMPONENT(Wide, { double values[25]; });
STOA_TAG(Frozen);
STOA_TAG(Hot);

typedef struct Large {
    uint8_t bytes[100000];
} Large;
STOA_TYPE(Large);

/* STO-03: everything but the one-time registration is counted. */
static void small_archetype_costs_at_most_a_kibibyte(void **state) {
    support_world *s = *state;
    (void)stoa_id(s->world, First);
    (void)stoa_id(s->world, Second);
    stoa_create(s->world);
    size_t before = s->heap.bytes;
    stoa_create_with(s->world, STOA_VALUE(First, {1, 2, 3}), STOA_VALUE(Second, {4, 5, 6}));
    assert_in_range(s->heap.bytes - before, 1, 1024);
}

/* Registers `count` run-time components of 12 bytes and makes an entity for the entity table's
 * sake. */
static void types_register(stoa_world *w, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "Type%u", i);
        stoa_component_desc desc = {.name = name, .size = 12, .alignment = 4};
        assert_int_equal(stoa_component_register(w, &desc), i + 1);
    }
    stoa_create(w);
}

/* STO-03: tables grow in steps, so many archetypes are weighed together. */
static void many_small_archetypes_cost_a_kibibyte_each(void **state) {
    support_world *s = *state;
    types_register(s->world, 100);
    size_t before = s->heap.bytes, count = 0;
    for (uint32_t i = 1; i <= 50; i++) {
        for (uint32_t k = 1; k <= 5; k++) {
            stoa_value values[] = {{.id = i}, {.id = i + k}};
            assert_false(stoa_entity_is_null(stoa_create_values(s->world, values, 2)));
            count++;
        }
    }
    assert_int_equal(stoa_archetype_count(s->world), count + 1);
    assert_in_range((s->heap.bytes - before) / count, 1, 1024);
}

/* STO-03 CMP-09: in a world of many types it does not matter which two they are. */
static void small_archetype_is_small_whatever_its_ids(void **state) {
    support_world *s = *state;
    types_register(s->world, 2100);
    size_t before = s->heap.bytes, count = 0;
    for (uint32_t distance = 1; distance <= 2048; distance *= 2) {
        for (uint32_t i = 1; i <= 40; i++) {
            stoa_value values[] = {{.id = i}, {.id = i + distance}};
            assert_false(stoa_entity_is_null(stoa_create_values(s->world, values, 2)));
            count++;
        }
    }
    assert_int_equal(stoa_archetype_count(s->world), count + 1);
    assert_in_range((s->heap.bytes - before) / count, 1, 1024);
}

/* Reserved at most 1.1 of used, and a chunk for each archetype that has rows. */
static void world_is_compact(stoa_world *w, size_t chunk) {
    size_t allowed = 0;
    for (int32_t i = 1; i < stoa_archetype_count(w); i++) {
        stoa_archetype_info info;
        assert_int_equal(stoa_archetype_info_get(w, i, &info), STOA_OK);
        size_t own = info.chunk_count > 0 ? info.reserved / (size_t)info.chunk_count : 0;
        allowed += info.row_count == 0 ? 0 : own > chunk ? own : chunk;
        assert_true(info.chunk_count > 0 || info.reserved == 0);
    }
    stoa_statistics stats = stoa_stats(w);
    allowed += stats.chunk_used + stats.chunk_used / 10;
    if (stats.chunk_reserved > allowed) {
        fail_msg("%zu bytes reserved for %zu used, %zu allowed", stats.chunk_reserved,
                 stats.chunk_used, allowed);
    }
}

#define MANY 60000

/* STO-06 */
static void compaction_returns_unused_memory(void **state) {
    (void)state;
    static stoa_entity e[MANY];
    const uint32_t sizes[] = {16384, 65536};
    for (int round = 0; round < 2; round++) {
        support_world s;
        support_world_open_with(&s, sizes[round]);
        support_random random = {(uint64_t)round + 5};
        for (uint32_t i = 0; i < MANY; i++) {
            e[i] = stoa_create_with(s.world, STOA_VALUE(Serial, {i}), STOA_ZERO(First));
            uint32_t kind = support_random_below(&random, 8);
            if (kind == 0) {
                assert_int_equal(stoa_add(s.world, e[i], Second), STOA_OK);
            } else if (kind < 3) {
                assert_int_equal(stoa_change(s.world, e[i], STOA_ZERO(Wide), STOA_ZERO(Frozen)),
                                 STOA_OK);
            } else if (kind == 3) {
                assert_int_equal(stoa_add(s.world, e[i], Hot), STOA_OK);
            }
        }
        const uint32_t keep[] = {2, 3, 40, MANY};
        for (int k = 0; k < 4; k++) {
            for (uint32_t i = 0; i < MANY; i++) {
                if (i % keep[k] != 0 && stoa_alive(s.world, e[i])) {
                    assert_int_equal(stoa_destroy(s.world, e[i]), STOA_OK);
                }
            }
            uint64_t hash = stoa_hash(s.world);
            assert_int_equal(stoa_compact(s.world), STOA_OK);
            world_is_compact(s.world, sizes[round]);
            assert_int_equal(stoa_check(s.world), STOA_OK);
            assert_int_equal(stoa_hash(s.world), hash);
        }
        assert_int_equal(stoa_destroy(s.world, e[0]), STOA_OK);
        assert_int_equal(stoa_compact(s.world), STOA_OK);
        assert_int_equal(stoa_stats(s.world).chunk_reserved, 0);
        support_world_close(&s);
    }
}

/* A world of one archetype, as many rows as told; compacted and weighed. */
static void rows_compact(uint32_t chunk_size, uint32_t components, uint32_t size, int32_t rows) {
    support_world s;
    support_world_open_with(&s, chunk_size);
    stoa_value values[200];
    for (uint32_t i = 0; i < components; i++) {
        char name[16];
        snprintf(name, sizeof name, "Type%u", i);
        stoa_component_desc desc = {.name = name, .size = size};
        values[i] = (stoa_value){.id = stoa_component_register(s.world, &desc)};
    }
    assert_int_equal(stoa_create_bulk_values(s.world, rows, NULL, values, (int32_t)components),
                     STOA_OK);
    assert_int_equal(stoa_compact(s.world), STOA_OK);
    world_is_compact(s.world, chunk_size);
    support_world_close(&s);
}

/* STO-06 */
static void compaction_is_tight_for_small_and_large_rows(void **state) {
    (void)state;
    rows_compact(16384, 1, 4, 300000);
    rows_compact(65536, 3, 12, 100000);
    rows_compact(65536, 200, 12, 2000);
    const uint32_t sizes[] = {5000, 9000, 16384, 20000, 33000, 70000, 600000};
    for (int i = 0; i < 7; i++) {
        rows_compact(16384, 1, sizes[i], 100);
        rows_compact(65536, 1, sizes[i], 100);
    }
}

/* STO-06: rows that leave room between columns, or at the end of a block. */
static void compaction_is_tight_for_awkward_rows(void **state) {
    (void)state;
    rows_compact(16384, 1, 8200, 400);
    rows_compact(16384, 200, 12, 2000);
    rows_compact(65536, 200, 44, 1000);
    rows_compact(65536, 200, 100, 300);
}

/* STO-06: whatever goes away, only the last chunk of an archetype has room. */
static void chunks_have_no_holes(void **state) {
    (void)state;
    support_world s;
    support_world_open_with(&s, 16384);
    static stoa_entity e[8000];
    for (uint32_t i = 0; i < 8000; i++) {
        e[i] = stoa_create_with(s.world, STOA_VALUE(Serial, {i}));
    }
    support_random random = {9};
    for (uint32_t step = 0; step < 6000; step++) {
        uint32_t i = support_random_below(&random, 8000);
        if (stoa_alive(s.world, e[i])) {
            assert_int_equal(step % 3 == 0   ? stoa_add(s.world, e[i], Frozen)
                             : step % 3 == 1 ? stoa_remove(s.world, e[i], Frozen)
                                             : stoa_destroy(s.world, e[i]),
                             STOA_OK);
        }
    }
    int64_t rows = 0;
    for (int32_t a = 1; a < stoa_archetype_count(s.world); a++) {
        stoa_archetype_info info;
        assert_int_equal(stoa_archetype_info_get(s.world, a, &info), STOA_OK);
        for (int32_t c = 0; c < info.chunk_count; c++) {
            stoa_chunk_info chunk;
            assert_int_equal(stoa_chunk_info_get(s.world, a, c, &chunk), STOA_OK);
            assert_true(c == info.chunk_count - 1 || chunk.count == info.chunk_capacity);
            assert_in_range(chunk.count, 1, info.chunk_capacity);
            rows += chunk.count;
        }
    }
    assert_int_equal(rows, stoa_stats(s.world).rows);
    support_world_close(&s);
}

/* STO-06 GEN-04: what was reserved is there when nothing else is. */
static void reserved_entities_need_no_memory(void **state) {
    (void)state;
    const int32_t counts[] = {1, 10, 17, 300, 5000, 20000};
    for (int i = 0; i < 6; i++) {
        support_world s;
        support_world_open_with(&s, 16384);
        int32_t n = counts[i];
        stoa_entity first = stoa_create_with(s.world, STOA_ZERO(Serial), STOA_ZERO(First));
        stoa_create_with(s.world, STOA_ZERO(Serial), STOA_ZERO(First));
        assert_int_equal(stoa_destroy(s.world, first), STOA_OK);
        assert_int_equal(stoa_reserve(s.world, n, STOA_ZERO(Serial), STOA_ZERO(First)), STOA_OK);
        assert_int_equal(stoa_reserve_values(s.world, n * 2, NULL, 0), STOA_OK);
        size_t allocations = s.heap.allocations;
        for (int32_t k = 0; k < n; k++) {
            stoa_entity e = stoa_create_with(s.world, STOA_VALUE(Serial, {7}), STOA_ZERO(First));
            assert_false(stoa_entity_is_null(e));
            if (k % 4 == 0) {
                assert_int_equal(stoa_destroy(s.world, e), STOA_OK);
                k++;
            }
        }
        for (int32_t k = 0; k < n; k++) {
            assert_false(stoa_entity_is_null(stoa_create(s.world)));
        }
        assert_int_equal(s.heap.allocations, allocations);
        support_world_close(&s);
    }
}

/* STO-06 ENT-07 */
static void reserved_bulk_needs_no_memory(void **state) {
    support_world *s = *state;
    assert_int_equal(stoa_reserve(s->world, 10000, STOA_ZERO(Wide), STOA_ZERO(Frozen)), STOA_OK);
    size_t allocations = s->heap.allocations;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(stoa_create_bulk(s->world, 1000, NULL, STOA_ZERO(Wide), STOA_ZERO(Frozen)),
                         STOA_OK);
    }
    assert_int_equal(s->heap.allocations, allocations);
    assert_int_equal(stoa_count(s->world), 10000);
}

/* STO-06: a bundle is a set, so it does not matter in what order it is named. */
static void reserved_bundle_may_be_named_in_any_order(void **state) {
    support_world *s = *state;
    assert_int_equal(
        stoa_reserve(s->world, 100, STOA_ZERO(First), STOA_ZERO(Second), STOA_ZERO(Frozen)),
        STOA_OK);
    size_t allocations = s->heap.allocations;
    stoa_create_with(s->world, STOA_ZERO(Second), STOA_ZERO(Frozen), STOA_ZERO(First));
    stoa_create_with(s->world, STOA_ZERO(Frozen), STOA_ZERO(First), STOA_ZERO(Second));
    assert_int_equal(s->heap.allocations, allocations);
    assert_int_equal(stoa_count(s->world), 2);
}

/* STO-06: reserved room is kept until the world is compacted. */
static void reserved_room_lasts_until_compaction(void **state) {
    support_world *s = *state;
    assert_int_equal(stoa_reserve(s->world, 50000, STOA_ZERO(Serial)), STOA_OK);
    size_t reserved = stoa_stats(s->world).chunk_reserved, allocations = s->heap.allocations;
    int32_t chunks = stoa_stats(s->world).chunks;
    assert_true(reserved >= 50000 * (sizeof(stoa_entity) + sizeof(Serial)));
    for (int i = 0; i < 100; i++) {
        stoa_entity e = stoa_create_with(s->world, STOA_ZERO(Serial));
        assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
    }
    assert_int_equal(stoa_stats(s->world).chunk_reserved, reserved);
    assert_int_equal(stoa_stats(s->world).chunks, chunks);
    assert_int_equal(s->heap.allocations, allocations);
    assert_int_equal(stoa_compact(s->world), STOA_OK);
    assert_int_equal(stoa_stats(s->world).chunk_reserved, 0);
    assert_int_equal(stoa_stats(s->world).chunks, 0);
    stoa_create_with(s->world, STOA_ZERO(Serial));
    assert_true(stoa_stats(s->world).chunk_reserved <= 1024);
}

/* STO-06: the entity table is trimmed as well. */
static void compaction_trims_the_entity_table(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create(s->world);
    size_t before = s->heap.bytes;
    assert_int_equal(stoa_reserve_values(s->world, 100000, NULL, 0), STOA_OK);
    assert_true(s->heap.bytes > 100000 * 8);
    assert_int_equal(stoa_compact(s->world), STOA_OK);
    assert_true(s->heap.bytes <= before);
    assert_true(stoa_alive(s->world, e));
    assert_int_equal(stoa_create(s->world).index, e.index + 1);
}

/* STO-02: a row larger than a chunk gets chunks of its own size. */
static void component_larger_than_a_chunk_works(void **state) {
    (void)state;
    support_world s;
    support_world_open_with(&s, 16384);
    static Large value;
    stoa_entity e[10];
    for (uint8_t i = 0; i < 10; i++) {
        memset(value.bytes, i, sizeof value.bytes);
        e[i] = stoa_create_with(s.world, STOA_VALUE_FROM(Large, &value), STOA_VALUE(Serial, {i}));
    }
    stoa_archetype_info info;
    assert_int_equal(stoa_archetype_info_get(s.world, stoa_archetype_of(s.world, e[0]), &info),
                     STOA_OK);
    assert_int_equal(info.chunk_capacity, 1);
    assert_int_equal(info.chunk_count, 10);
    assert_int_equal(stoa_destroy(s.world, e[4]), STOA_OK);
    assert_int_equal(stoa_add(s.world, e[2], Frozen), STOA_OK);
    assert_int_equal(stoa_compact(s.world), STOA_OK);
    for (uint8_t i = 0; i < 10; i++) {
        if (i != 4) {
            memset(value.bytes, i, sizeof value.bytes);
            assert_memory_equal(stoa_get(s.world, e[i], Large), &value, sizeof value);
            assert_int_equal(stoa_get(s.world, e[i], Serial)->number, i);
        }
    }
    support_world_close(&s);
}

/* STO-07 */
static void statistics_tell_what_is_there(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_statistics stats = stoa_stats(w);
    assert_int_equal(stats.entities + stats.empty + stats.components + stats.chunks, 0);
    assert_int_equal(stats.archetypes, 1);
    assert_int_equal(stats.bytes_reserved, s->heap.bytes);
    assert_int_equal(stoa_create_bulk(w, 10000, NULL, STOA_ZERO(Serial)), STOA_OK);
    assert_int_equal(stoa_create_bulk(w, 7, NULL, STOA_ZERO(First), STOA_ZERO(Frozen)), STOA_OK);
    assert_int_equal(stoa_create_bulk_values(w, 5, NULL, NULL, 0), STOA_OK);
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Serial)}});
    stats = stoa_stats(w);
    assert_int_equal(stats.entities, 10012);
    assert_int_equal(stats.empty, 5);
    assert_int_equal(stats.rows, 10007);
    assert_int_equal(stats.components, 3);
    assert_int_equal(stats.archetypes, 3);
    assert_int_equal(stats.queries, 1);
    size_t rows = 10000 * 12 + 7 * 20;
    assert_in_range(stats.chunk_used, rows, rows + rows / 100);
    assert_true(stats.chunk_reserved >= stats.chunk_used);
    assert_true(stats.bytes_used >= stats.chunk_used + 10012 * 8);
    assert_int_equal(stats.bytes_reserved, s->heap.bytes);
    size_t used = 0, reserved = 0;
    int32_t chunks = 0;
    for (int32_t i = 0; i < stats.archetypes; i++) {
        stoa_archetype_info info;
        assert_int_equal(stoa_archetype_info_get(w, i, &info), STOA_OK);
        used += info.used;
        reserved += info.reserved;
        chunks += info.chunk_count;
    }
    assert_int_equal(used, stats.chunk_used);
    assert_true(reserved <= stats.chunk_reserved);
    assert_true(chunks <= stats.chunks && chunks >= 3);
    assert_int_equal(stoa_query_free(q), STOA_OK);
    assert_int_equal(stoa_stats(w).queries, 0);
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(small_archetype_costs_at_most_a_kibibyte),
        WITH_WORLD(many_small_archetypes_cost_a_kibibyte_each),
        WITH_WORLD(small_archetype_is_small_whatever_its_ids),
        cmocka_unit_test(compaction_returns_unused_memory),
        cmocka_unit_test(compaction_is_tight_for_small_and_large_rows),
        cmocka_unit_test(compaction_is_tight_for_awkward_rows),
        cmocka_unit_test(chunks_have_no_holes),
        cmocka_unit_test(reserved_entities_need_no_memory),
        WITH_WORLD(reserved_bulk_needs_no_memory),
        WITH_WORLD(reserved_bundle_may_be_named_in_any_order),
        WITH_WORLD(reserved_room_lasts_until_compaction),
        WITH_WORLD(compaction_trims_the_entity_table),
        cmocka_unit_test(component_larger_than_a_chunk_works),
        WITH_WORLD(statistics_tell_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

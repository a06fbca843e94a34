/* Archetypes on a storage of their own: sets, columns, chunks that are reserved, trimmed and moved.
 */
#include "storage/archetype.h"
#include "storage/group.h"
#include "storage_fixture.h"

/* Registers components of `size` bytes, with ids that follow each other; gives the first. */
static stoa_component types_make(fixture *f, uint32_t count, uint32_t size) {
    stoa_component first = f->storage.registry.count + 1;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(type_make(f, size), first + i);
    }
    return first;
}

/* Every row holds what row_add wrote, and every record leads to its row. */
static void rows_verify(fixture *f, const stoa__archetype *archetype) {
    for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
        const stoa_chunk *chunk = &archetype->head.chunks[c];
        for (int32_t i = 0; i < chunk->count; i++) {
            stoa_entity e = stoa_columns_entities(chunk->columns)[i];
            uint32_t place = chunk->number << STOA_PLACE_BITS | (uint32_t)i;
            assert_non_null(stoa__entities_find(&f->storage, e));
            assert_int_equal(stoa__place_of(&f->storage, e.index), place);
            row_verify(archetype, stoa__row_at(&f->storage, place), e.index);
        }
    }
}

/* STO-01 */
static void each_set_has_one_archetype_for_good(void **state) {
    fixture *f = *state;
    stoa_component first = types_make(f, 40, 4);
    assert_null(stoa__archetype_find(&f->storage, &first, 1));
    static stoa__archetype *made[40][40];
    for (uint32_t i = 0; i < 40; i++) {
        for (uint32_t k = i + 1; k < 40; k++) {
            stoa_component ids[] = {first + i, first + k};
            made[i][k] = stoa__archetype_get(&f->storage, ids, 2);
            assert_non_null(made[i][k]);
        }
    }
    for (uint32_t i = 0; i < 40; i++) {
        for (uint32_t k = i + 1; k < 40; k++) {
            stoa_component ids[] = {first + i, first + k};
            assert_ptr_equal(stoa__archetype_get(&f->storage, ids, 2), made[i][k]);
            assert_ptr_equal(stoa__archetype_find(&f->storage, ids, 2), made[i][k]);
            assert_memory_equal(made[i][k]->ids, ids, sizeof ids);
            assert_ptr_equal(f->storage.archetypes[made[i][k]->index], made[i][k]);
        }
    }
    assert_int_equal(f->storage.archetype_count, 1 + 40 * 39 / 2);
    assert_int_equal(f->storage.archetypes[0]->id_count, 0);
}

/* ACC-01: a column is found by its id, and by no other, however ids are spread. */
static void column_is_found_by_its_id_alone(void **state) {
    fixture *f = *state;
    types_make(f, 1000, 4);
    support_random random = {8};
    for (int round = 0; round < 30; round++) {
        stoa_component ids[40];
        uint32_t count = 0;
        for (stoa_component id = 1; id <= 1000 && count < 40; id++) {
            if (support_random_below(&random, round % 3 == 0 ? 5 : 40) == 0) {
                ids[count++] = id;
            }
        }
        stoa__archetype *archetype = stoa__archetype_get(&f->storage, ids, count);
        uint32_t next = 0;
        for (stoa_component id = 1; id <= 1000; id++) {
            const stoa_column *column = stoa__archetype_column(archetype, id);
            bool there = next < count && ids[next] == id;
            assert_int_equal(column != NULL, there);
            if (there) {
                assert_int_equal(column->index, archetype->lanes[next].index);
                next++;
            }
        }
        assert_null(stoa__archetype_column(archetype, 0));
    }
}

/* STO-05: each component knows its archetypes, in bitsets as wide as need be. */
static void component_knows_its_archetypes(void **state) {
    fixture *f = *state;
    stoa_component common = types_make(f, 1, 4), first = types_make(f, 300, 4);
    for (uint32_t i = 0; i < 300; i++) {
        stoa_component ids[] = {common, first + i};
        assert_non_null(
            stoa__archetype_get(&f->storage, i % 3 == 0 ? ids : ids + 1, i % 3 == 0 ? 2 : 1));
    }
    const stoa__bitset *set = &stoa__component_at(&f->storage, common)->archetypes;
    for (uint32_t i = 0; i < 300; i++) {
        assert_int_equal(stoa__bitset_test(set, i + 1), i % 3 == 0);
        const stoa__component *own = stoa__component_at(&f->storage, first + i);
        for (uint32_t k = 0; k < 400; k++) {
            assert_int_equal(stoa__bitset_test(&own->archetypes, k), k == i + 1);
        }
    }
}

/* STO-05: matching is right far beyond 64 components and 64 archetypes; the judge is a plain loop.
 */
static void queries_match_among_many_types_and_archetypes(void **state) {
    (void)state;
    enum { TYPES = 300 };
    support_world s;
    support_world_open(&s);
    for (uint32_t i = 1; i <= TYPES; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%u", i);
        stoa_component_desc desc = {.name = name, .size = 4};
        assert_int_equal(stoa_component_register(s.world, &desc), i);
    }
    support_random random = {77};
    static stoa_entity e[400];
    for (int i = 0; i < 400; i++) {
        e[i] = stoa_create(s.world);
        for (int k = 0; k < 6; k++) {
            stoa_component id = 1 + support_random_below(&random, k < 3 ? 8 : TYPES);
            assert_int_equal(stoa_add_id(s.world, e[i], id), STOA_OK);
        }
    }
    assert_true(stoa_archetype_count(s.world) > 400);
    for (int round = 0; round < 300; round++) {
        stoa_component a = 1 + support_random_below(&random, round % 2 == 0 ? 8 : TYPES);
        stoa_component b = 1 + support_random_below(&random, 8);
        stoa_component c = 1 + support_random_below(&random, TYPES);
        if (a == b || b == c || a == c) {
            continue;
        }
        int32_t expected = 0;
        for (int i = 0; i < 400; i++) {
            expected += stoa_has_id(s.world, e[i], a) && stoa_has_id(s.world, e[i], b) &&
                        !stoa_has_id(s.world, e[i], c);
        }
        stoa_query_desc desc = {.terms = {{.id = a, .access = STOA_ACCESS_READ},
                                          {.id = b, .access = STOA_ACCESS_FILTER},
                                          {.id = c, .access = STOA_ACCESS_WITHOUT}}};
        assert_int_equal(stoa_query_once_count(s.world, &desc), expected);
    }
    support_world_close(&s);
}

/* STO-02 STO-03 ACC-07: doubling up to full size, then chunk after chunk. */
static void first_chunk_doubles_and_then_chunks_are_added(void **state) {
    fixture *f = *state;
    stoa_component id = types_make(f, 1, 8);
    stoa__archetype *archetype = stoa__archetype_get(&f->storage, &id, 1);
    int32_t capacity = archetype->head.chunk_capacity;
    assert_int_equal(archetype->full_capacity, 1024);
    const uint8_t *full = NULL;
    for (int i = 0; i < 5000; i++) {
        row_add(f, archetype);
        int32_t now = archetype->head.chunk_capacity;
        assert_true(now == capacity || now == capacity * 2);
        assert_true(archetype->head.chunk_count == 1 || now == 1024);
        capacity = now;
        full = full == NULL && now == 1024 ? archetype->head.chunks[0].columns[1] : full;
        assert_true(full == NULL || archetype->head.chunks[0].columns[1] == full);
    }
    assert_int_equal(archetype->head.chunk_count, 5);
    assert_int_equal(stoa__rows_at(&f->storage, archetype->index), 5000);
    for (int32_t i = 0; i < 5; i++) {
        for (int32_t k = 0; k < i; k++) {
            assert_int_not_equal(archetype->head.chunks[i].number,
                                 archetype->head.chunks[k].number);
        }
    }
    rows_verify(f, archetype);
}

/* The chunk has its columns in the archetype, as its group has them, or not there. */
static void chunk_table_verify(const stoa__archetype *archetype, bool there) {
    uint8_t **columns = archetype->head.chunks[0].columns;
    size_t size = stoa__group_stride(archetype->lane_count) * sizeof *columns;
    assert_int_equal(columns == archetype->table + 1, there);
    if (there) {
        assert_memory_equal(stoa__group_own(columns) - 1, archetype->table, size);
    }
}

/* STO-02 ACC-07: what a walk over many small archetypes reads is together. A chunk of full size,
 * and one with more columns, have theirs in their group. */
static void columns_of_a_small_chunk_stand_in_its_archetype(void **state) {
    fixture *f = *state;
    stoa__archetype *one = archetype_sized(f, (uint32_t[]){12}, 1);
    stoa__archetype *two = archetype_sized(f, (uint32_t[]){12, 12}, 2);
    stoa__archetype *none = archetype_sized(f, (uint32_t[]){0}, 1);
    for (int i = 0; i < 2500; i++) {
        row_add(f, one);
        row_add(f, two);
        row_add(f, none);
        bool full = (uint32_t)one->head.chunk_capacity == one->full_capacity;
        chunk_table_verify(one, !full);
        chunk_table_verify(two, false);
        chunk_table_verify(none, (uint32_t)none->head.chunk_capacity != none->full_capacity);
    }
    assert_true(one->head.chunk_count > 1);
    rows_verify(f, one);
    /* And back. */
    while (stoa__archetype_rows(one) > 20) {
        stoa_entity e = *stoa__row_entity(stoa__row_last(one));
        stoa__row_remove(&f->storage, stoa__place_of(&f->storage, e.index));
        stoa__entities_release(&f->storage, e.index);
    }
    assert_int_equal(stoa__archetype_trim(&f->storage, one), STOA_OK);
    chunk_table_verify(one, true);
    rows_verify(f, one);
    assert_int_equal(stoa__archetype_relocate(&f->storage, one, 0), 1);
    chunk_table_verify(one, true);
    rows_verify(f, one);
}

/* GEN-03 CMP-09: more components than an archetype can count. */
static void set_of_too_many_tags_is_refused(void **state) {
    fixture *f = *state;
    enum { MANY = UINT16_MAX };
    static stoa_component ids[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%u", i + 1);
        ids[i] = stoa__registry_desc(&f->storage, &(stoa_component_desc){.name = name});
        assert_int_equal(ids[i], i + 1);
    }
    uint32_t archetypes = f->storage.archetype_count;
    assert_null(stoa__archetype_get(&f->storage, ids, MANY));
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    assert_int_equal(f->storage.archetype_count, archetypes);
}

/* STO-06 */
static void reserved_rows_need_no_memory(void **state) {
    fixture *f = *state;
    stoa_component id = types_make(f, 1, 24);
    stoa__archetype *archetype = stoa__archetype_get(&f->storage, &id, 1);
    assert_int_equal(stoa__entities_reserve(&f->storage, 4000), STOA_OK);
    row_add(f, archetype);
    assert_int_equal(stoa__archetype_reserve(&f->storage, archetype, 3000), STOA_OK);
    size_t allocations = f->heap.allocations;
    for (int i = 0; i < 3000; i++) {
        row_add(f, archetype);
    }
    assert_int_equal(f->heap.allocations, allocations);
    rows_verify(f, archetype);
}

/* STO-06 CMP-11: a spare chunk is kept when rows go, and with it those that came with it; the rest
 * is given back. */
static void one_spare_chunk_is_kept(void **state) {
    fixture *f = *state;
    stoa_component id = types_make(f, 1, 8);
    stoa__archetype *archetype = stoa__archetype_get(&f->storage, &id, 1);
    stoa_entity e[4096];
    for (int i = 0; i < 4096; i++) {
        e[i] = row_add(f, archetype);
    }
    assert_int_equal(archetype->head.chunk_count, 4);
    assert_int_equal(archetype->chunk_held, 5);
    for (int i = 4095; i >= 1; i--) {
        uint32_t place = stoa__place_of(&f->storage, e[i].index);
        stoa__row_fill(&f->storage, archetype, stoa__row_at(&f->storage, place));
        stoa__entities_release(&f->storage, e[i].index);
        assert_true(archetype->chunk_held <= archetype->head.chunk_count + 2);
    }
    assert_int_equal(archetype->head.chunk_count, 1);
    assert_int_equal(archetype->chunk_held, 2);
    assert_int_equal(f->storage.chunk_free_count, 3);
    assert_int_equal(stoa__archetype_trim(&f->storage, archetype), STOA_OK);
    assert_int_equal(archetype->chunk_held, 1);
    assert_true(archetype->head.chunk_capacity < 1024);
    rows_verify(f, archetype);
    for (int i = 0; i < 3000; i++) {
        row_add(f, archetype);
    }
    assert_int_equal(f->storage.chunk_free_count, 5 - archetype->chunk_held);
    rows_verify(f, archetype);
}

/* STO-06: chunks of one group move together. */
static void relocated_chunk_keeps_its_rows(void **state) {
    fixture *f = *state;
    stoa_component id = types_make(f, 3, 8);
    stoa_component ids[] = {id, id + 1, id + 2};
    stoa__archetype *archetype = stoa__archetype_get(&f->storage, ids, 3);
    for (int i = 0; i < 1500; i++) {
        row_add(f, archetype);
    }
    stoa_chunk *chunks = archetype->head.chunks;
    int32_t held = archetype->chunk_held;
    for (int32_t c = 0; c < held;) {
        uint8_t *const *before[64];
        for (int32_t i = c; i < held; i++) {
            before[i] = chunks[i].columns;
        }
        int32_t count = stoa__archetype_relocate(&f->storage, archetype, c);
        assert_in_range(count, 1, held - c);
        for (int32_t i = c; i < held; i++) {
            assert_int_equal(chunks[i].columns != before[i], i < c + count);
            assert_ptr_equal(f->storage.head.chunks[chunks[i].number].columns, chunks[i].columns);
            assert_int_equal(stoa__group_of(chunks[i].columns) == stoa__group_of(chunks[c].columns),
                             i < c + count);
        }
        c += count;
    }
    rows_verify(f, archetype);
}

/* ACC-07: the block that was outgrown can still be read until the next one is. */
static void outgrown_chunk_stays_readable(void **state) {
    fixture *f = *state;
    stoa_component id = types_make(f, 1, 24);
    stoa__archetype *archetype = stoa__archetype_get(&f->storage, &id, 1);
    stoa_entity e = row_add(f, archetype);
    int32_t capacity = archetype->head.chunk_capacity;
    while (archetype->head.chunk_count == 1 && archetype->head.chunks[0].count < capacity) {
        row_add(f, archetype);
    }
    const uint8_t *old = archetype->head.chunks[0].columns[archetype->lanes[0].index];
    row_add(f, archetype);
    assert_true(archetype->head.chunk_capacity > capacity);
    assert_int_equal(old[0], (uint8_t)e.index);
    assert_non_null(f->storage.limbo);
    stoa__archetype_limbo_free(&f->storage);
    assert_null(f->storage.limbo);
    rows_verify(f, archetype);
}

/* GEN-05 STO-02: a row that 32 bits cannot count is refused before anything is asked for. */
static void row_beyond_32_bits_is_a_limit(void **state) {
    fixture *f = *state;
    stoa_component first = types_make(f, 5, STOA_SIZE_MAX);
    stoa_component ids[] = {first, first + 1, first + 2, first + 3, first + 4};
    uint32_t count = f->storage.archetype_count;
    assert_null(stoa__archetype_get(&f->storage, ids, 5));
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    assert_null(stoa__archetype_get(&f->storage, ids, 4));
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    assert_int_equal(f->storage.archetype_count, count);
    assert_null(stoa__archetype_find(&f->storage, ids, 5));
}

/* GEN-04 GEN-03 */
static void archetype_is_made_wholly_or_not_at_all(void **state) {
    fixture *f = *state;
    stoa_component first = types_make(f, 100, 4);
    for (uint32_t i = 0; i < 70; i++) {
        stoa_component id = first + i;
        assert_non_null(stoa__archetype_get(&f->storage, &id, 1));
    }
    stoa_component ids[] = {first, first + 80, first + 90};
    size_t failed = 0;
    for (size_t k = 1;; k++) {
        f->heap.fail_at = k;
        stoa__archetype *archetype = stoa__archetype_get(&f->storage, ids, 3);
        f->heap.fail_at = 0;
        if (archetype != NULL) {
            break;
        }
        failed++;
        assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
        assert_null(stoa__archetype_find(&f->storage, ids, 3));
        assert_int_equal(f->storage.archetype_count, 71);
        assert_false(stoa__bitset_test(&stoa__component_at(&f->storage, first)->archetypes, 71));
    }
    assert_true(failed > 2);
    assert_true(stoa__bitset_test(&stoa__component_at(&f->storage, first + 90)->archetypes, 71));
}

/* GEN-04 GEN-03: rows and places are as they were when a chunk cannot be had. */
static void failed_reserve_keeps_the_rows(void **state) {
    fixture *f = *state;
    stoa_component id = types_make(f, 1, 24);
    stoa__archetype *archetype = stoa__archetype_get(&f->storage, &id, 1);
    for (int i = 0; i < 300; i++) {
        row_add(f, archetype);
    }
    for (uint32_t count = 1; count <= 8192; count *= 4) {
        for (size_t k = 1;; k++) {
            f->heap.fail_at = k;
            stoa_status status = stoa__archetype_reserve(&f->storage, archetype, count);
            f->heap.fail_at = 0;
            assert_int_equal(stoa__rows_at(&f->storage, archetype->index), 300);
            rows_verify(f, archetype);
            if (status == STOA_OK) {
                break;
            }
            assert_int_equal(status, STOA_NO_MEMORY);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_STORAGE(each_set_has_one_archetype_for_good),
        WITH_STORAGE(column_is_found_by_its_id_alone),
        WITH_STORAGE(component_knows_its_archetypes),
        cmocka_unit_test(queries_match_among_many_types_and_archetypes),
        WITH_STORAGE(first_chunk_doubles_and_then_chunks_are_added),
        WITH_STORAGE(columns_of_a_small_chunk_stand_in_its_archetype),
        WITH_STORAGE(set_of_too_many_tags_is_refused),
        WITH_STORAGE(reserved_rows_need_no_memory),
        WITH_STORAGE(one_spare_chunk_is_kept),
        WITH_STORAGE(relocated_chunk_keeps_its_rows),
        WITH_STORAGE(outgrown_chunk_stays_readable),
        WITH_STORAGE(row_beyond_32_bits_is_a_limit),
        WITH_STORAGE(archetype_is_made_wholly_or_not_at_all),
        WITH_STORAGE(failed_reserve_keeps_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

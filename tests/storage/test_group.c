/* Groups of chunks: where the columns are, that nothing overlaps, that chunks can leave one by one.
 */
#include "storage/group.h"
#include "storage/layout.h"
#include "storage/slab.h"
#include "storage/vector.h"
#include "storage_fixture.h"

static int group_setup(void **state) {
    return chunks_setup(state, 65536);
}

/* A set of up to 16 components, some of them tags. */
static stoa__archetype *archetype_random(fixture *f, support_random *random) {
    uint32_t sizes[16];
    uint32_t count = 1 + support_random_below(random, 16);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kind = support_random_below(random, 5);
        sizes[i] = kind == 0   ? 0
                   : kind == 1 ? 1 + support_random_below(random, 300)
                               : 1 + support_random_below(random, 24);
    }
    return archetype_sized(f, sizes, count);
}

/* The chunks of a group that fills one slab. */
static int32_t group_most(fixture *f, stoa__archetype *archetype) {
    stoa__layout_apply(&f->storage, archetype, archetype->full_capacity);
    return stoa__group_size(archetype, INT32_MAX, 0);
}

static void group_end(fixture *f, stoa__group *group) {
    for (int32_t i = group->count - 1; i > 0; i--) {
        stoa__group_leave(&f->storage, stoa__group_columns(group, i));
    }
    stoa__group_leave(&f->storage, stoa__group_columns(group, 0));
}

/* Bytes of one chunk after the other are past `end` and in the block; returns where they end. */
static const uint8_t *bytes_follow(const stoa__group *group, const uint8_t *end,
                                   const uint8_t *begin, uint64_t size) {
    assert_true(begin >= end);
    assert_true(begin + size <= stoa__group_block(group) + group->size);
    return begin + size;
}

/* The same columns of all chunks are on lines and side by side, each with its state on the line
 * before it; returns where the last one ends. */
static const uint8_t *lane_verify(stoa__group *group, const stoa__lane *lane, uint32_t rows,
                                  const uint8_t *end) {
    uint64_t size = (uint64_t)rows * lane->size, padded = (size + 63) / 64 * 64;
    for (int32_t i = 0; i < group->count; i++) {
        uint8_t *const *columns = stoa__group_columns(group, i);
        uint8_t *column = columns[lane->index];
        assert_int_equal((uintptr_t)column % STOA__LINE, 0);
        assert_ptr_equal(stoa_column_begin(columns, lane->index), column);
        assert_ptr_equal(stoa__state_of(columns, lane->index) + 1, column);
        assert_true(sizeof(stoa_column_state) <= STOA__LINE);
        if (i > 0) {
            const uint8_t *before = stoa__group_columns(group, i - 1)[lane->index];
            assert_int_equal(column - before, padded + STOA__LINE);
        }
        end = bytes_follow(group, end, column - STOA__LINE, STOA__LINE + size);
        /* Of the last vector of a column some bytes more are touched: those before the next
         * column's state are nobody's. */
        size_t touched = lane->size == STOA__VECTOR ? STOA__VECTOR_SPILL : 0;
        assert_true(end + touched <= stoa__group_block(group) + group->size);
        assert_true(touched + sizeof(stoa_column_state) <= STOA__LINE);
    }
    return end;
}

/* Tags of a chunk come before all columns, each with its state before it, and lead to the group. */
static const uint8_t *tags_verify(const stoa__archetype *archetype, stoa__group *group,
                                  const uint8_t *end) {
    for (int32_t i = 0; i < group->count; i++) {
        uint8_t *const *columns = stoa__group_columns(group, i);
        assert_ptr_equal(stoa__group_of(columns), group);
        end = bytes_follow(group, end, columns[-1], sizeof group);
        for (uint32_t k = 0; k < archetype->tag_count; k++) {
            const uint8_t *tag = stoa_column_begin(columns, stoa__layout_tag(k));
            const void *known = stoa__state_number(archetype, columns, archetype->data_lanes + k);
            assert_int_equal((uintptr_t)known % _Alignof(stoa_column_state), 0);
            assert_ptr_equal(known, tag - sizeof(stoa_column_state));
            end = bytes_follow(group, end, known, STOA__TAG_STRIDE);
        }
    }
    return end;
}

static void group_verify(const stoa__archetype *archetype, stoa__group *group, uint32_t rows) {
    const uint8_t *end = (const uint8_t *)(group + 1);
    assert_int_equal((uintptr_t)stoa__group_block(group) % STOA__LINE, 0);
    assert_ptr_equal(stoa__group_columns(group, 0) - 1, stoa__group_block(group));
    assert_ptr_equal(stoa__group_columns(group, group->count) - 1, group);
    end = tags_verify(archetype, group, end);
    for (int32_t i = 0; i < group->count; i++) {
        const uint8_t *entities = stoa__group_columns(group, i)[0];
        assert_int_equal((uintptr_t)entities % STOA__LINE, 0);
        assert_ptr_equal(stoa_columns_entities(stoa__group_columns(group, i)), entities);
        end = bytes_follow(group, end, entities, rows * sizeof(stoa_entity));
    }
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        end = lane_verify(group, &archetype->lanes[i], rows, end);
    }
}

/* STO-02 STO-08 STO-10 CMP-08 CHG-01: random sets, row counts and groups. */
static void columns_lie_side_by_side_and_on_lines(void **state) {
    fixture *f = *state;
    support_random random = {1};
    for (int round = 0; round < 60; round++) {
        stoa__archetype *archetype = archetype_random(f, &random);
        for (uint32_t rows = 1; rows <= 1024; rows *= 4) {
            int32_t count = 1 + (int32_t)support_random_below(&random, rows < 64 ? 64 : 5);
            stoa__group *group = stoa__group_new(&f->storage, archetype, rows, count);
            assert_non_null(group);
            assert_int_equal(group->count, count);
            group_verify(archetype, group, rows);
            group_end(f, group);
        }
    }
}

/* STO-02: the chunks that an archetype gets are of groups like these. */
static void chunks_of_an_archetype_lie_side_by_side(void **state) {
    fixture *f = *state;
    stoa__archetype *archetype = archetype_sized(f, (uint32_t[]){12, 0, 4, 16}, 4);
    for (uint32_t i = 0; i < 20 * archetype->full_capacity; i++) {
        row_add(f, archetype);
    }
    const stoa_chunk *chunks = archetype->head.chunks;
    int32_t neighbours = 0;
    for (int32_t c = 0; c < archetype->chunk_held; c++) {
        stoa__group *group = stoa__group_of(chunks[c].columns);
        group_verify(archetype, group, archetype->full_capacity);
        if (c > 0 && group == stoa__group_of(chunks[c - 1].columns)) {
            assert_ptr_equal(chunks[c].columns,
                             chunks[c - 1].columns + stoa__group_stride(group->lanes));
            neighbours++;
        }
    }
    assert_true(neighbours > archetype->chunk_held / 2);
}

/* STO-02: columns a multiple of 4 KiB apart would compete for the same cache sets. */
static void large_columns_start_on_different_lines_of_a_page(void **state) {
    fixture *f = *state;
    stoa__archetype *archetype = archetype_sized(f, (uint32_t[]){4, 4, 8, 4, 16, 4}, 6);
    for (int32_t count = 1; count <= 64; count++) {
        stoa__group *group = stoa__group_new(&f->storage, archetype, 1024, count);
        assert_non_null(group);
        uint8_t *const *columns = stoa__group_columns(group, 0);
        for (uint32_t i = 1; i <= 6; i++) {
            for (uint32_t k = 1; k < i; k++) {
                assert_int_not_equal((uintptr_t)columns[i] % 4096, (uintptr_t)columns[k] % 4096);
            }
        }
        group_end(f, group);
    }
}

/* STO-02: as many chunks are said to fit into a block as do. */
static void chunks_that_fit_are_counted(void **state) {
    fixture *f = *state;
    support_random random = {3};
    const uint32_t sizes[] = {1, 12, 100, 3000, 70000};
    for (int i = 0; i < 5; i++) {
        stoa__archetype *archetype = archetype_sized(f, &sizes[i], 1);
        uint32_t rows = archetype->full_capacity;
        for (int round = 0; round < 8; round++) {
            size_t size = 65536 + support_random_below(&random, 2u << 20);
            int32_t fits = stoa__group_fits(archetype, rows, size, 63);
            assert_in_range(fits, 0, 63);
            for (int32_t count = fits > 0 ? fits : 1; count <= fits + 1; count++) {
                stoa__group *group = stoa__group_new(&f->storage, archetype, rows, count);
                assert_non_null(group);
                assert_true(count <= fits ? group->size <= size : fits == 63 || group->size > size);
                group_end(f, group);
            }
        }
    }
}

/* STO-02: a group is one block of a slab, or one chunk, however many are wanted; that of a large
 * slab only if so many may be. */
static void groups_fit_into_slabs(void **state) {
    fixture *f = *state;
    const uint32_t sizes[] = {1, 12, 100, 3000, 70000, 3000000};
    for (int i = 0; i < 6; i++) {
        stoa__archetype *archetype = archetype_sized(f, &sizes[i], 1);
        stoa__layout_apply(&f->storage, archetype, archetype->full_capacity);
        for (int32_t want = 1; want <= 260; want += 9) {
            for (int32_t most = 0; most <= want; most += 1 + want / 3) {
                int32_t count = stoa__group_size(archetype, want, most);
                assert_in_range(count, 1, want);
                stoa__group *group =
                    stoa__group_new(&f->storage, archetype, archetype->full_capacity, count);
                assert_non_null(group);
                assert_true(count == 1 || group->size <= STOA__SLAB_BLOCK_MAX);
                assert_true(count <= most || count == 1 || group->size <= STOA__SLAB_SIZE);
                group_end(f, group);
            }
        }
    }
}

/* STO-02 STO-06: a group nearly fills a slab, or shares one: so little of slabs is wasted. */
static void large_group_fills_a_slab(void **state) {
    fixture *f = *state;
    const uint32_t sizes[] = {1, 12, 100, 3000, 70000, 600000};
    for (int i = 0; i < 6; i++) {
        stoa__archetype *archetype = archetype_sized(f, &sizes[i], 1);
        int32_t most = group_most(f, archetype);
        uint64_t chunk = stoa__layout_size(archetype, archetype->full_capacity);
        if (chunk * STOA__GROUP_MOST > STOA__SLAB_SIZE && chunk < STOA__SLAB_SIZE / 10) {
            assert_true((uint64_t)most * chunk > STOA__SLAB_SIZE / 10 * 9);
        }
        for (int32_t want = 1; want < most; want++) {
            int32_t count = stoa__group_size(archetype, want, want);
            assert_in_range(count, 1, want);
            assert_true(count == 1 || (uint64_t)count * chunk < STOA__SLAB_BLOCK_PART);
        }
    }
}

/* The chunks of the group that a chunk of an archetype is of. */
static int32_t group_count_at(const stoa__archetype *archetype, int32_t chunk) {
    return stoa__group_of(archetype->head.chunks[chunk].columns)->count;
}

/* STO-02 STO-06: many chunks at once come in groups of several slabs; one by one they do once there
 * are so many that little of it is reserved for nothing. */
static void large_archetypes_have_larger_groups(void **state) {
    fixture *f = *state;
    stoa__archetype *archetype = archetype_sized(f, (uint32_t[]){1000, 1000}, 2);
    int32_t whole = group_most(f, archetype);
    uint32_t rows = archetype->full_capacity;
    int32_t most = stoa__group_size(archetype, INT32_MAX, INT32_MAX);
    assert_in_range(most, 4 * whole, STOA__GROUP_MOST);
    assert_int_equal(stoa__archetype_reserve(&f->storage, archetype, rows * (uint32_t)most),
                     STOA_OK);
    assert_int_equal(group_count_at(archetype, 0), most);
    group_verify(archetype, stoa__group_of(archetype->head.chunks[0].columns), rows);
    assert_int_equal(stoa__archetype_trim(&f->storage, archetype), STOA_OK);
    assert_int_equal(archetype->chunk_held, 0);
    int32_t larger = 0;
    for (uint32_t i = 0; i < 20 * (uint32_t)whole * rows; i++) {
        row_add(f, archetype);
        int32_t spare = archetype->chunk_held - archetype->head.chunk_count;
        int32_t eighth = archetype->head.chunk_count / 8;
        assert_in_range(spare, 0, eighth > whole ? eighth : whole);
        larger += group_count_at(archetype, archetype->chunk_held - 1) > whole;
    }
    assert_true(larger > 0);
}

/* STO-06: a group is there as long as one of its chunks is somebody's, whichever it is. */
static void group_goes_with_its_last_chunk(void **state) {
    fixture *f = *state;
    support_random random = {5};
    stoa__archetype *archetype = archetype_sized(f, (uint32_t[]){8, 0}, 2);
    for (int round = 0; round < 20; round++) {
        size_t before = stoa__slab_held(&f->storage);
        int32_t order[STOA__GROUP_MOST];
        int32_t count = round == 0 ? STOA__GROUP_MOST
                                   : 1 + (int32_t)support_random_below(&random, STOA__GROUP_MOST);
        stoa__group *group = stoa__group_new(&f->storage, archetype, 4, count);
        assert_non_null(group);
        for (int32_t i = 0; i < count; i++) {
            int32_t at = (int32_t)support_random_below(&random, (uint32_t)i + 1);
            order[i] = i;
            order[i] = order[at];
            order[at] = i;
        }
        for (int32_t gone = 0; gone < count; gone++) {
            int32_t counted = 0;
            for (int32_t i = gone; i < count; i++) {
                uint8_t *const *columns = stoa__group_columns(group, order[i]);
                assert_ptr_equal(stoa__group_of(columns), group);
                counted += stoa__group_counts(columns);
            }
            assert_int_equal(counted, 1);
            stoa__group_leave(&f->storage, stoa__group_columns(group, order[gone]));
        }
        stoa__slab_trim(&f->storage);
        assert_int_equal(stoa__slab_held(&f->storage), before);
    }
}

/* STO-06 */
static void neighbours_are_told_from_others(void **state) {
    fixture *f = *state;
    stoa__archetype *archetype = archetype_sized(f, (uint32_t[]){4, 4}, 2);
    stoa__group *one = stoa__group_new(&f->storage, archetype, 16, 4);
    stoa__group *other = stoa__group_new(&f->storage, archetype, 16, 4);
    for (int32_t i = 0; i < 4; i++) {
        for (int32_t k = 0; k < 4; k++) {
            uint8_t *const *a = stoa__group_columns(one, i), *const *b =
                                                                 stoa__group_columns(one, k);
            bool beside = k == i + 1 || i == k + 1;
            assert_int_equal(stoa__group_beside(archetype, a, b), beside);
            b = stoa__group_columns(other, k);
            assert_false(stoa__group_beside(archetype, a, b));
        }
    }
    group_end(f, one);
    group_end(f, other);
}

/* GEN-04 GEN-03 GEN-05 */
static void group_is_made_wholly_or_not_at_all(void **state) {
    fixture *f = *state;
    stoa__archetype *huge = archetype_sized(f, (uint32_t[]){STOA_SIZE_MAX, 4}, 2);
    stoa__archetype *small = archetype_sized(f, (uint32_t[]){4}, 1);
    size_t before = f->heap.bytes;
    assert_null(stoa__group_new(&f->storage, huge, 8, 1));
    f->heap.fail_at = 1;
    f->heap.fail_forever = true;
    assert_null(stoa__group_new(&f->storage, small, 16, 2));
    f->heap.fail_at = 0;
    f->heap.fail_forever = false;
    assert_int_equal(f->heap.bytes, before);
}

#define WITH_GROUP(test) cmocka_unit_test_setup_teardown(test, group_setup, storage_teardown)

/* STO-10: what is touched after the very last vector of a group is there, whether its rows end on a
 * line or not. */
static void vectors_may_be_read_whole(void **state) {
    fixture *f = *state;
    stoa__archetype *archetype = archetype_sized(f, (uint32_t[]){4, 12}, 2);
    for (uint32_t rows = 1; rows <= 256; rows *= 2) {
        for (int32_t count = 1; count <= 4; count++) {
            stoa__group *group = stoa__group_new(&f->storage, archetype, rows, count);
            assert_non_null(group);
            group_verify(archetype, group, rows);
            group_end(f, group);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_GROUP(columns_lie_side_by_side_and_on_lines),
        WITH_GROUP(vectors_may_be_read_whole),
        WITH_GROUP(chunks_of_an_archetype_lie_side_by_side),
        WITH_GROUP(large_columns_start_on_different_lines_of_a_page),
        WITH_GROUP(chunks_that_fit_are_counted),
        WITH_GROUP(groups_fit_into_slabs),
        WITH_GROUP(large_group_fills_a_slab),
        WITH_GROUP(large_archetypes_have_larger_groups),
        WITH_GROUP(group_goes_with_its_last_chunk),
        WITH_GROUP(neighbours_are_told_from_others),
        WITH_GROUP(group_is_made_wholly_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

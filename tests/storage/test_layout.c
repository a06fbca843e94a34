/* The layout of a chunk: how many rows, how many bytes, which index a column has. */
#include "storage/layout.h"
#include "storage_fixture.h"

static int layout_setup(void **state) {
    return chunks_setup(state, 65536);
}

/* STO-02: the largest power of two that fits, at least one row, at most what a place can tell. */
static void full_chunk_has_the_most_rows_that_fit(void **state) {
    (void)state;
    const uint32_t chunks[] = {16384, 20000, 65536};
    const uint64_t row_sizes[] = {8,    9,     12,    16,    20,     32,      100,        1000,
                                  8191, 16384, 16385, 65536, 100000, 1 << 20, 4294967295u};
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 15; i++) {
            uint64_t rows = stoa__layout_full(chunks[c], row_sizes[i]);
            assert_int_equal(rows & (rows - 1), 0);
            assert_in_range(rows, 1, STOA__ROWS_MAX);
            assert_true(rows == 1 || rows * row_sizes[i] <= chunks[c]);
            assert_true(rows == STOA__ROWS_MAX || rows * 2 * row_sizes[i] > chunks[c]);
        }
    }
    assert_int_equal(stoa__layout_full(65536, 8), STOA__ROWS_MAX);
}

/* STO-02 STO-08: what a lane takes, with the line of its state; the end is padded to its line. */
static void sizes_are_whole_lines(void **state) {
    fixture *f = *state;
    support_random random = {1};
    for (int round = 0; round < 60; round++) {
        uint32_t sizes[16];
        uint32_t count = 1 + support_random_below(&random, 16);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t kind = support_random_below(&random, 5);
            sizes[i] = kind == 0   ? 0
                       : kind == 1 ? 1 + support_random_below(&random, 300)
                                   : 1 + support_random_below(&random, 24);
        }
        stoa__archetype *archetype = archetype_sized(f, sizes, count);
        for (uint32_t rows = 1; rows <= STOA__ROWS_MAX; rows *= 4) {
            stoa__layout_apply(&f->storage, archetype, rows);
            uint64_t sum = stoa__layout_entities(rows);
            assert_true(stoa__layout_entities(rows) >= rows * sizeof(stoa_entity));
            for (uint32_t i = 0; i < archetype->lane_count; i++) {
                uint64_t size = stoa__layout_lane(archetype->lanes[i].size, rows);
                assert_int_equal(size % STOA__LINE, 0);
                assert_true(size >= STOA__LINE + (uint64_t)rows * archetype->lanes[i].size);
                sum += size;
            }
            assert_int_equal(archetype->chunk_bytes % STOA__LINE, 0);
            assert_int_equal(archetype->chunk_bytes, sum);
            assert_int_equal(archetype->chunk_bytes, stoa__layout_size(archetype, rows));
            assert_int_equal(archetype->head.chunk_capacity, rows);
        }
    }
}

/* ACC-01: an index is that of the lane, or tells a tag, whatever the layout. */
static void indexes_stay_the_same(void **state) {
    fixture *f = *state;
    stoa__archetype *archetype = archetype_sized(f, (uint32_t[]){0, 12, 0, 40, 3}, 5);
    assert_int_equal(archetype->lane_count, 3);
    for (uint32_t rows = 1; rows <= 1024; rows *= 2) {
        stoa__layout_apply(&f->storage, archetype, rows);
        uint32_t lanes = 0, tags = 0;
        for (uint32_t i = 0; i < 5; i++) {
            stoa_component id = archetype->ids[i];
            uint32_t index = stoa__archetype_column(archetype, id)->index;
            if (stoa__component_at(&f->storage, id)->info.size > 0) {
                assert_int_equal(archetype->lanes[lanes].id, id);
                assert_int_equal(archetype->lanes[lanes].index, index);
                assert_int_equal(index, ++lanes);
            } else {
                assert_int_equal(index, stoa__layout_tag(tags++));
                assert_true((index & STOA_INDEX_TAG) != 0 && index != STOA__NONE);
                assert_true((index & ~STOA_INDEX_TAG) + 4 <= stoa__layout_tags(archetype, rows));
            }
        }
    }
}

/* STO-03: the first chunk is small for small rows, and never more than a full one. */
static void first_chunk_is_small(void **state) {
    fixture *f = *state;
    const uint32_t sizes[] = {1, 12, 24, 100, 500, 3000, 70000};
    for (int i = 0; i < 7; i++) {
        stoa__archetype *archetype = archetype_sized(f, &sizes[i], 1);
        uint32_t rows = stoa__layout_first(archetype);
        assert_in_range(rows, 1, archetype->full_capacity);
        assert_true(rows == 1 || stoa__layout_size(archetype, rows) <= 1024);
        assert_int_equal(archetype->head.chunk_capacity, rows);
    }
}

/* ACC-05: who has noted where columns are can tell that it is old. */
static void version_and_epoch_move_on(void **state) {
    fixture *f = *state;
    stoa__archetype *archetype = archetype_sized(f, (uint32_t[]){4}, 1);
    uint32_t version = archetype->version, epoch = f->storage.head.epoch;
    assert_int_not_equal(version, 0);
    stoa__layout_apply(&f->storage, archetype, 64);
    assert_true(archetype->version > version);
    assert_true(f->storage.head.epoch > epoch);
}

/* GEN-05: a size that does not fit 32 bits is told as such, not cut. */
static void size_beyond_32_bits_is_not_cut(void **state) {
    fixture *f = *state;
    stoa__archetype *archetype = archetype_sized(f, (uint32_t[]){STOA_SIZE_MAX, 4}, 2);
    assert_int_equal(archetype->full_capacity, 1);
    assert_true(stoa__layout_size(archetype, 1) < UINT32_MAX);
    assert_true(stoa__layout_size(archetype, 8) > UINT32_MAX);
}

#define WITH_LAYOUT(test) cmocka_unit_test_setup_teardown(test, layout_setup, storage_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_chunk_has_the_most_rows_that_fit),
        WITH_LAYOUT(sizes_are_whole_lines),
        WITH_LAYOUT(indexes_stay_the_same),
        WITH_LAYOUT(first_chunk_is_small),
        WITH_LAYOUT(version_and_epoch_move_on),
        WITH_LAYOUT(size_beyond_32_bits_is_not_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rows: copies of every size, appending and removing against a model. */
#include "storage/row.h"
#include "storage_fixture.h"

/* STO-08: not a byte less, not a byte more. */
static void copy_takes_exactly_its_bytes(void **state) {
    (void)state;
    uint8_t from[200], to[200];
    for (size_t i = 0; i < sizeof from; i++) {
        from[i] = (uint8_t)(i + 1);
    }
    for (size_t size = 1; size <= 130; size++) {
        for (size_t at = 0; at < 9; at++) {
            memset(to, 0xee, sizeof to);
            stoa__copy_bytes(to + 16 + at, from + at, size);
            assert_memory_equal(to + 16 + at, from + at, size);
            assert_int_equal(to[15 + at], 0xee);
            assert_int_equal(to[16 + at + size], 0xee);
        }
    }
    for (size_t size = 8; size <= 16; size++) {
        memset(to, 0xee, sizeof to);
        stoa__copy_small(to + 1, from + 3, size);
        assert_memory_equal(to + 1, from + 3, size);
        assert_int_equal(to[0], 0xee);
        assert_int_equal(to[1 + size], 0xee);
        memcpy(to, from, size);
        stoa__copy_small(to, to, size);
        assert_memory_equal(to, from, size);
    }
}

static int live; /* hooked values that were made and neither dropped nor lost */

static void live_drop(void *items, int32_t count, void *user) {
    assert_ptr_equal(user, &live);
    memset(items, 0xee, (size_t)count * 12);
    live -= count;
}

static void live_move(void *to, void *from, int32_t count, void *user) {
    assert_ptr_equal(user, &live);
    memcpy(to, from, (size_t)count * 12);
    memset(from, 0xee, (size_t)count * 12);
}

/* The archetype of three components of given sizes; the third has hooks if it has 12 bytes. */
static stoa__archetype *archetype_make(fixture *f, const uint32_t *sizes) {
    const stoa_hooks hooks = {.drop = live_drop, .move = live_move, .user = &live};
    stoa_component ids[3];
    for (int i = 0; i < 3; i++) {
        ids[i] =
            i == 2 && sizes[i] == 12 ? hooked_make(f, sizes[i], hooks) : type_make(f, sizes[i]);
    }
    return stoa__archetype_get(&f->storage, ids, 3);
}

/* Appends or removes rows at random and compares with an array that is swapped the same way. */
static void rows_against_model(fixture *f, stoa__archetype *archetype, uint64_t seed) {
    static stoa_entity model[4000];
    uint32_t count = 0;
    support_random random = {seed};
    for (int step = 0; step < 9000; step++) {
        uint32_t chance = step < 5000 ? 6 : 3;
        if (count == 0 || (support_random_below(&random, 8) < chance && count < 4000)) {
            model[count++] = row_add(f, archetype);
            live++;
        } else {
            uint32_t at = support_random_below(&random, count);
            uint32_t place = stoa__place_of(&f->storage, model[at].index);
            row_verify(archetype, stoa__row_at(&f->storage, place), model[at].index);
            stoa__row_drop(&f->storage, archetype, place);
            stoa__row_fill(&f->storage, archetype, stoa__row_at(&f->storage, place));
            stoa__entities_release(&f->storage, model[at].index);
            model[at] = model[--count];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        int32_t capacity = archetype->head.chunk_capacity;
        const stoa_chunk *chunk = &archetype->head.chunks[(int32_t)i / capacity];
        uint32_t place = chunk->number << STOA_PLACE_BITS | (i % (uint32_t)capacity);
        assert_int_equal(stoa__place_of(&f->storage, model[i].index), place);
        stoa__row row = stoa__row_at(&f->storage, place);
        assert_int_equal(stoa__row_entity(row)->index, model[i].index);
        row_verify(archetype, row, model[i].index);
    }
    assert_int_equal(stoa__rows_at(&f->storage, archetype->index), count);
}

/* ENT-08 CMP-11 STO-02: rows stay dense and in step, whatever their columns are. */
static void random_rows_stay_dense_and_in_step(void **state) {
    fixture *f = *state;
    const uint32_t sizes[][3] = {{8, 12, 16}, {1, 4, 40}, {0, 24, 3}, {8, 8, 12}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        stoa__archetype *archetype = archetype_make(f, sizes[i]);
        bool hooked = sizes[i][2] == 12;
        assert_int_equal(archetype->plain, !hooked);
        live = 0;
        rows_against_model(f, archetype, 100 + i);
        if (hooked) {
            assert_int_equal(live, (int)stoa__rows_at(&f->storage, archetype->index));
        }
    }
}

/* ENT-08: the last row fills its own hole: nothing moves. */
static void removing_the_last_row_moves_nothing(void **state) {
    fixture *f = *state;
    stoa__archetype *archetype = archetype_make(f, (uint32_t[]){8, 8, 8});
    assert_int_equal(stoa__entities_reserve(&f->storage, 3), STOA_OK);
    stoa__row rows[3];
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(stoa__row_append(&f->storage, archetype, &rows[i]), STOA_OK);
        *stoa__row_entity(rows[i]) = stoa__entities_take(&f->storage, rows[i].place);
        row_fill(archetype, rows[i], i + 1);
    }
    stoa__row_fill(&f->storage, archetype, rows[2]);
    assert_int_equal(stoa__place_of(&f->storage, 1), rows[0].place);
    assert_int_equal(stoa__place_of(&f->storage, 2), rows[1].place);
    row_verify(archetype, rows[1], 2);
    stoa__row_fill(&f->storage, archetype, rows[0]);
    assert_int_equal(stoa__place_of(&f->storage, 2), rows[0].place);
    row_verify(archetype, rows[0], 2);
    stoa__row_pop(&f->storage, archetype);
    assert_int_equal(stoa__rows_at(&f->storage, archetype->index), 0);
    assert_int_equal(archetype->head.chunk_count, 0);
}

/* GEN-03 GEN-04 */
static void failed_append_adds_no_row(void **state) {
    fixture *f = *state;
    stoa__archetype *archetype = archetype_make(f, (uint32_t[]){8, 8, 8});
    stoa__row row;
    f->heap.fail_at = 1;
    assert_int_equal(stoa__row_append(&f->storage, archetype, &row), STOA_NO_MEMORY);
    assert_int_equal(stoa__rows_at(&f->storage, archetype->index), 0);
    int32_t capacity = archetype->head.chunk_capacity;
    for (int32_t i = 0; i < capacity; i++) {
        assert_int_equal(stoa__row_append(&f->storage, archetype, &row), STOA_OK);
    }
    f->heap.fail_at = 1;
    assert_int_equal(stoa__row_append(&f->storage, archetype, &row), STOA_NO_MEMORY);
    assert_int_equal(stoa__rows_at(&f->storage, archetype->index), capacity);
    assert_int_equal(archetype->head.chunk_capacity, capacity);
    assert_int_equal(stoa__row_append(&f->storage, archetype, &row), STOA_OK);
    assert_int_equal(row.slot, capacity);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_takes_exactly_its_bytes),
        WITH_STORAGE(random_rows_stay_dense_and_in_step),
        WITH_STORAGE(removing_the_last_row_moves_nothing),
        WITH_STORAGE(failed_append_adds_no_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

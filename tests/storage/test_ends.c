/* Ends: runs of destructions against an array from which each is taken in turn. */
#include "storage/ends.h"
#include "storage_fixture.h"

#include "support/support.h"

#define ROWS 2500

/* Every size that is moved in a way of its own, and some that are not. */
static const uint32_t sizes[] = {1, 4, 7, 8, 12, 16, 20, 32, 72};

static stoa_entity rows[ROWS]; /* as they must stand */
static uint32_t row_count;

static uint32_t model_find(stoa_entity e) {
    uint32_t i = 0;
    while (i < row_count && !stoa_entity_eq(rows[i], e)) {
        i++;
    }
    return i;
}

static void model_verify(const fixture *f, const stoa__archetype *archetype) {
    uint32_t at = 0;
    for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
        const stoa_chunk *chunk = &archetype->head.chunks[c];
        for (uint32_t i = 0; i < (uint32_t)chunk->count; i++, at++) {
            stoa__row row = stoa__row_at(&f->storage, chunk->number << STOA_PLACE_BITS | i);
            assert_true(stoa_entity_eq(*stoa__row_entity(row), rows[at]));
            assert_int_equal(stoa__place_of(&f->storage, rows[at].index), row.place);
            row_verify(archetype, row, rows[at].index);
        }
    }
    assert_int_equal(at, row_count);
    assert_int_equal(stoa__rows_at(&f->storage, archetype->index), row_count);
}

/* ENT-08 STO-08 */
static void rows_stand_as_after_one_by_one(void **state) {
    fixture *f = *state;
    support_random random = {7};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        stoa_component ids[] = {type_make(f, 12), type_make(f, sizes[k])};
        stoa__archetype *archetype = stoa__archetype_get(&f->storage, ids, 2);
        assert_non_null(archetype);
        for (row_count = 0; row_count < ROWS; row_count++) {
            rows[row_count] = row_add(f, archetype);
        }
        while (row_count > 0) {
            stoa_entity list[300];
            uint32_t count = 1 + support_random_below(&random, 300), taken = 0;
            uint32_t first = support_random_below(&random, row_count);
            bool mixed = support_random_below(&random, 2) == 0;
            for (uint32_t i = 0; i < count; i++) {
                list[i] = rows[mixed ? support_random_below(&random, row_count)
                                     : (first + row_count - i % row_count) % row_count];
            }
            uint32_t ended = stoa__ends_run(&f->storage, archetype, stoa__handles_of(list, count));
            assert_in_range(ended, 1, count);
            for (; taken < ended; taken++) {
                uint32_t at = model_find(list[taken]);
                assert_true(at < row_count);
                rows[at] = rows[--row_count];
            }
            model_verify(f, archetype);
        }
    }
}

/* ENT-08 */
static void run_ends_at_who_is_dead_or_elsewhere(void **state) {
    fixture *f = *state;
    stoa_component ids[] = {type_make(f, 12), type_make(f, 8)};
    stoa__archetype *one = stoa__archetype_get(&f->storage, ids, 1);
    stoa__archetype *both = stoa__archetype_get(&f->storage, ids, 2);
    stoa_entity a = row_add(f, one), b = row_add(f, one), other = row_add(f, both);
    const stoa_entity list[] = {a, other, b}, twice[] = {b, b}, wild[] = {other, {99999, 1}};
    assert_int_equal(stoa__ends_run(&f->storage, one, stoa__handles_of(list, 0)), 0);
    assert_int_equal(stoa__ends_run(&f->storage, one, stoa__handles_of(list, 3)), 1);
    assert_int_equal(stoa__ends_run(&f->storage, one, stoa__handles_of(list + 1, 2)), 0);
    assert_int_equal(stoa__ends_run(&f->storage, one, stoa__handles_of(twice, 2)), 1);
    assert_int_equal(stoa__ends_run(&f->storage, both, stoa__handles_of(wild, 2)), 1);
    assert_int_equal(stoa__ends_run(&f->storage, both, stoa__handles_of(wild, 2)), 0);
}

/* CHG-02 */
static void chunk_becomes_as_new_as_the_rows_that_fill_it(void **state) {
    fixture *f = *state;
    stoa_component id = type_make(f, 12);
    stoa__archetype *archetype = stoa__archetype_get(&f->storage, &id, 1);
    assert_non_null(archetype);
    while (archetype->head.chunk_count < 3 || archetype->tail->count < 4) {
        row_add(f, archetype);
    }
    const stoa_chunk *chunks = archetype->head.chunks;
    stoa_entity list[2];
    for (int i = 0; i < 2; i++) {
        stoa__row row = stoa__row_at(&f->storage, chunks[i].number << STOA_PLACE_BITS);
        list[i] = *stoa__row_entity(row);
    }
    STOA_STORE(&stoa__state_number(archetype, chunks[2].columns, 0)->changed, 9);
    assert_int_equal(stoa__ends_run(&f->storage, archetype, stoa__handles_of(list, 2)), 2);
    for (int i = 0; i < 3; i++) {
        stoa_column_state *column = stoa__state_number(archetype, chunks[i].columns, 0);
        assert_int_equal(STOA_LOAD(&column->changed), 9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_STORAGE(rows_stand_as_after_one_by_one),
        WITH_STORAGE(run_ends_at_who_is_dead_or_elsewhere),
        WITH_STORAGE(chunk_becomes_as_new_as_the_rows_that_fill_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tables of columns: what they say after chunks came, went and changed, and who has one. */
#include "storage/columns.h"
#include "storage_fixture.h"

/* Archetypes among which a table has to pay. */
#define MANY 200

static void tables_verify(fixture *f) {
    assert_int_equal(stoa__columns_check(&f->storage), STOA_OK);
}

/* An archetype of one fresh component, with so many rows. */
static stoa__archetype *rows_make(fixture *f, stoa_component id, uint32_t rows) {
    stoa__archetype *archetype = stoa__archetype_get(&f->storage, &id, 1);
    assert_non_null(archetype);
    for (uint32_t i = 0; i < rows; i++) {
        row_add(f, archetype);
    }
    return archetype;
}

/* Fills the table of chunks with archetypes of one small chunk each. */
static stoa_component crowd_make(fixture *f, uint32_t count) {
    stoa_component first = f->storage.registry.count + 1;
    for (uint32_t i = 0; i < count; i++) {
        rows_make(f, type_make(f, 4), 1);
    }
    return first;
}

/* ACC-01 STO-01: a chunk is in the table from its first row to its end. */
static void table_follows_the_chunks(void **state) {
    fixture *f = *state;
    stoa_component id = type_make(f, 12), other = type_make(f, 4);
    stoa__archetype *archetype = rows_make(f, id, 1);
    for (uint32_t i = 0; i < 20000; i++) {
        row_add(f, archetype);
        if (i % 512 == 0) {
            tables_verify(f);
        }
    }
    for (int32_t i = 0; i < archetype->chunk_held; i++) {
        const stoa_chunk *chunk = &archetype->head.chunks[i];
        assert_ptr_equal(f->storage.head.columns[id][chunk->number],
                         chunk->columns[archetype->lanes[0].index]);
    }
    assert_null(f->storage.head.columns[other]);
    assert_true(stoa__archetype_relocate(&f->storage, archetype, 1) > 0);
    tables_verify(f);
}

/* ACC-01: with a table or without one, nobody is where it is not. */
static void table_of_a_chunk_that_goes_is_cleared(void **state) {
    fixture *f = *state;
    stoa_component id = type_make(f, 64);
    stoa__archetype *archetype = stoa__archetype_get(&f->storage, &id, 1);
    assert_int_equal(stoa__archetype_reserve(&f->storage, archetype, 3000), STOA_OK);
    assert_true(archetype->chunk_held > 3);
    tables_verify(f);
    assert_int_equal(stoa__archetype_trim(&f->storage, archetype), STOA_OK);
    assert_int_equal(archetype->chunk_held, 0);
    tables_verify(f);
    for (uint32_t i = 0; i < f->storage.head.column_capacity; i++) {
        assert_null(f->storage.head.columns[id][i]);
    }
}

/* ACC-01 STO-03: many small chunks do not take a table for each component. */
static void table_that_does_not_pay_is_not_made(void **state) {
    fixture *f = *state;
    stoa_component first = crowd_make(f, 1000);
    tables_verify(f);
    assert_true(f->storage.head.column_capacity >= 1000);
    uint32_t tables = 0;
    for (stoa_component id = first; id < first + 1000; id++) {
        tables += f->storage.head.columns[id] != NULL;
    }
    assert_int_equal(tables, f->storage.column_tables);
    assert_in_range(tables, 1, 8);
    assert_true(stoa__columns_bytes(&f->storage) < 64 * f->storage.chunk_count);
}

/* ACC-01: a component that grows gets its table, whatever else there is. */
static void table_that_comes_to_pay_is_made(void **state) {
    fixture *f = *state;
    stoa_component last = crowd_make(f, MANY) + MANY - 1;
    assert_null(f->storage.head.columns[last]);
    stoa__archetype *archetype = stoa__archetype_get(&f->storage, &last, 1);
    while (f->storage.head.columns[last] == NULL) {
        row_add(f, archetype);
        assert_true(stoa__rows_at(&f->storage, archetype->index) < 100000);
    }
    tables_verify(f);
    assert_null(f->storage.head.columns[last - 1]);
    for (uint32_t i = 0; i < 30000; i++) {
        row_add(f, archetype);
    }
    crowd_make(f, f->storage.chunk_capacity);
    tables_verify(f);
    assert_non_null(f->storage.head.columns[last]);
}

/* GEN-03 ACC-01: memory that is refused costs the table alone, and what is there stays right. */
static void lack_of_memory_costs_the_table_alone(void **state) {
    fixture *f = *state;
    for (size_t k = 1; k < 12; k++) {
        stoa_component ids[3] = {type_make(f, 4), type_make(f, 8), type_make(f, 0)};
        stoa__archetype *archetype = stoa__archetype_get(&f->storage, ids, 3);
        f->heap.fail_at = k;
        stoa_status status = stoa__archetype_reserve(&f->storage, archetype, 1);
        f->heap.fail_at = 0;
        assert_true(status == STOA_OK || status == STOA_NO_MEMORY);
        tables_verify(f);
        row_add(f, archetype);
        tables_verify(f);
    }
    /* The next number makes every table grow. */
    while (f->storage.chunk_count < f->storage.chunk_capacity) {
        crowd_make(f, 1);
    }
    stoa_component id = type_make(f, 4);
    stoa__archetype *archetype = stoa__archetype_get(&f->storage, &id, 1);
    for (size_t k = 1; k < 60; k++) {
        f->heap.fail_at = k;
        stoa_status status = stoa__archetype_reserve(&f->storage, archetype, 1);
        f->heap.fail_at = 0;
        tables_verify(f);
        if (status == STOA_OK) {
            break;
        }
    }
    assert_true(f->storage.chunk_count > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_STORAGE(table_follows_the_chunks),
        WITH_STORAGE(table_of_a_chunk_that_goes_is_cleared),
        WITH_STORAGE(table_that_does_not_pay_is_not_made),
        WITH_STORAGE(table_that_comes_to_pay_is_made),
        WITH_STORAGE(lack_of_memory_costs_the_table_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

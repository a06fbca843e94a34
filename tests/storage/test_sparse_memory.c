/* Sparse sets: pages, room, and what growing and trimming do, with memory and without. */
#include "sparse_bench.h"

/* ACC-07: a plain value may be copied from where it was before it moved. */
static void outgrown_block_is_readable_until_the_next_reserve(void **state) {
    bench *b = *state;
    set_open(b, 16, 8, 0);
    stoa_entity first = entity_make(b);
    put(b, first, 1);
    while (b->set->count < b->set->capacity) {
        put(b, entity_make(b), 1);
    }
    assert_null(b->set->limbo);
    const uint8_t *old = stoa__sparse_value(b->set, 0);
    stoa_entity e = entity_make(b);
    assert_true(stoa__sparse_reserve(&b->f.storage.heap, b->set, e.index, 1));
    assert_ptr_not_equal(old, stoa__sparse_value(b->set, 0));
    assert_memory_equal(old, stoa__sparse_value(b->set, 0), 16);
    memcpy(stoa__sparse_value(b->set, stoa__sparse_insert(b->set, e, 1)), old, 16);
    check(b);
    assert_non_null(b->set->limbo);
    put(b, entity_make(b), 1);
    assert_null(b->set->limbo);
}

/* CMP-10: an entity far out costs the page it is on, not those before. */
static void pages_are_made_where_entities_are(void **state) {
    bench *b = *state;
    set_open(b, 4, 4, 0);
    assert_int_equal(stoa__entities_reserve(&b->f.storage, 50000), STOA_OK);
    stoa_entity e = STOA_NULL;
    for (int i = 0; i < 50000; i++) {
        e = stoa__entities_take(&b->f.storage, 0);
    }
    put(b, e, 1);
    uint32_t pages = 0;
    for (uint32_t i = 0; i < b->set->page_count; i++) {
        pages += b->set->pages[i] != NULL;
    }
    assert_int_equal(pages, 1);
    assert_int_equal(stoa__sparse_find(b->set, 1), STOA__NONE);
    assert_int_equal(stoa__sparse_find(b->set, e.index - STOA__PAGE_SIZE), STOA__NONE);
    value_verify(b, e);
}

/* ENT-07: room for many is room for any of their indexes. */
static void room_for_many_needs_no_more_memory(void **state) {
    bench *b = *state;
    set_open(b, 8, 8, STOA_SWITCHABLE);
    stoa_entity e[5000];
    for (int i = 0; i < 5000; i++) {
        e[i] = entity_make(b);
    }
    assert_true(stoa__sparse_reserve(&b->f.storage.heap, b->set, e[4999].index, 0));
    assert_int_equal(b->set->capacity, 0);
    assert_true(stoa__sparse_reserve(&b->f.storage.heap, b->set, e[4999].index, 5000));
    size_t allocations = b->f.heap.allocations;
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(stoa__sparse_insert(b->set, e[4999 - i], 1), i);
        memset(stoa__sparse_value(b->set, i), (int)(e[4999 - i].index * 7), 8);
    }
    for (int i = 0; i < 5000; i++) {
        value_verify(b, e[i]);
    }
    assert_int_equal(b->f.heap.allocations, allocations);
}

/* CMP-10 */
static void coming_and_going_needs_no_memory_once_warm(void **state) {
    bench *b = *state;
    set_open(b, 12, 4, 0);
    stoa_entity e[100];
    for (int i = 0; i < 100; i++) {
        e[i] = entity_make(b);
        put(b, e[i], 1);
    }
    put(b, entity_make(b), 1);
    size_t allocations = b->f.heap.allocations;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 100; i++) {
            stoa__sparse_erase(b->set, stoa__sparse_find(b->set, e[i].index));
        }
        for (int i = 0; i < 100; i++) {
            put(b, e[i], 2);
        }
    }
    assert_int_equal(b->f.heap.allocations, allocations);
}

/* STO-06 */
static void trim_gives_back_what_is_not_needed(void **state) {
    bench *b = *state;
    stoa__heap *heap = &b->f.storage.heap;
    set_open(b, 16, 8, STOA_SWITCHABLE);
    stoa_entity e[5000];
    for (int i = 0; i < 5000; i++) {
        e[i] = entity_make(b);
        put(b, e[i], (uint32_t)i);
    }
    while (b->set->count > 10) {
        stoa__sparse_erase(b->set, b->set->count - 1);
    }
    stoa__sparse_switch(b->set, 3, false);
    stoa__sparse_trim(heap, b->set);
    check(b);
    assert_int_equal(b->set->capacity, 10);
    assert_int_equal(b->set->page_count, 1);
    assert_int_equal(b->set->off[3], 1);
    for (int i = 0; i < 10; i++) {
        value_verify(b, e[i]);
        assert_int_equal(b->set->added[i], i);
    }
    put(b, e[4000], 1);
    value_verify(b, e[4000]);
    while (b->set->count > 0) {
        stoa__sparse_erase(b->set, 0);
    }
    stoa__sparse_trim(heap, b->set);
    assert_int_equal(stoa__sparse_bytes(b->set), sizeof *b->set);
    check(b);
    put(b, e[7], 1);
    value_verify(b, e[7]);
}

/* GEN-03 GEN-04 STO-06 */
static void trim_without_memory_changes_nothing(void **state) {
    bench *b = *state;
    set_open(b, 16, 8, 0);
    stoa_entity e[3000];
    for (int i = 0; i < 3000; i++) {
        e[i] = entity_make(b);
        put(b, e[i], 1);
    }
    while (b->set->count > 10) {
        stoa__sparse_erase(b->set, b->set->count - 1);
    }
    b->f.heap.fail_at = 1;
    b->f.heap.fail_forever = true;
    stoa__sparse_trim(&b->f.storage.heap, b->set);
    b->f.heap.fail_at = 0;
    assert_true(b->f.heap.failed > 0);
    check(b);
    for (int i = 0; i < 10; i++) {
        value_verify(b, e[i]);
    }
}

/* GEN-03 GEN-04 */
static void reserve_without_memory_changes_nothing(void **state) {
    bench *b = *state;
    set_open(b, 20, 4, STOA_SWITCHABLE);
    stoa_entity e[3000];
    uint32_t failures = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        e[i] = entity_make(b);
        for (size_t at = 1;; at++) {
            uint32_t count = b->set->count;
            b->f.heap.fail_at = at;
            bool made = stoa__sparse_reserve(&b->f.storage.heap, b->set, e[i].index, 1);
            bool refused = b->f.heap.fail_at == 0;
            b->f.heap.fail_at = 0;
            assert_int_equal(made, !refused);
            assert_int_equal(b->set->count, count);
            assert_int_equal(stoa__sparse_find(b->set, e[i].index), STOA__NONE);
            if (made) {
                break;
            }
            failures++;
            check(b);
            if (count > 0) {
                value_verify(b, e[support_random_below(&(support_random){i}, count)]);
            }
        }
        put(b, e[i], 1);
    }
    assert_true(failures > 10);
    b->f.heap.fail_at = 1;
    assert_null(stoa__sparse_new(&b->f.storage.heap, &b->component));
}

/* GEN-05 */
static void room_beyond_all_memory_is_refused(void **state) {
    bench *b = *state;
    set_open(b, STOA_SIZE_MAX, 64, 0);
    assert_false(stoa__sparse_reserve(&b->f.storage.heap, b->set, 1, UINT32_MAX));
    assert_false(stoa__sparse_reserve(&b->f.storage.heap, b->set, 1, UINT32_MAX - 1));
    assert_false(stoa__sparse_reserve(&b->f.storage.heap, b->set, 1, 2));
    assert_int_equal(b->set->capacity, 0);
    stoa__sparse_free(&b->f.storage.heap, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_BENCH(outgrown_block_is_readable_until_the_next_reserve),
        WITH_BENCH(pages_are_made_where_entities_are),
        WITH_BENCH(room_for_many_needs_no_more_memory),
        WITH_BENCH(coming_and_going_needs_no_memory_once_warm),
        WITH_BENCH(trim_gives_back_what_is_not_needed),
        WITH_BENCH(trim_without_memory_changes_nothing),
        WITH_BENCH(reserve_without_memory_changes_nothing),
        WITH_BENCH(room_beyond_all_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

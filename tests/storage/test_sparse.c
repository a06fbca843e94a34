/* Sparse sets on a storage of their own: positions, pages, ticks, switches, and what growing and
 * trimming do to values. */
#include "storage/sparse.h"

#include "storage_fixture.h"

typedef struct bench {
    fixture f;
    stoa__component component; /* of the set, filled in by hand */
    stoa__sparse *set;
} bench;

static int bench_setup(void **state) {
    static bench b;
    memset(&b, 0, sizeof b);
    fixture_open(&b.f);
    *state = &b;
    return stoa__entities_init(&b.f.storage) == STOA_OK ? 0 : -1;
}

/* Makes the set, of a component that is nothing but this. */
static void set_open(bench *b, uint32_t size, uint32_t alignment, uint32_t flags) {
    b->component.name = (char *)(uintptr_t) "Thing";
    b->component.info.size = size;
    b->component.info.alignment = alignment;
    b->component.info.flags = flags | STOA_SPARSE;
    b->set = stoa__sparse_new(&b->f.storage.heap, &b->component);
    assert_non_null(b->set);
}

static void check(const bench *b) {
    stoa_status status = stoa__sparse_check(&b->f.storage, b->set);
    if (status != STOA_OK) {
        support_print_error();
    }
    assert_int_equal(status, STOA_OK);
    size_t table = b->f.storage.record_capacity * sizeof(stoa_record);
    assert_int_equal(stoa__sparse_bytes(b->set), b->f.heap.bytes - table);
}

static int bench_teardown(void **state) {
    bench *b = *state;
    if (b->set != NULL) {
        check(b);
        stoa__sparse_drop_all(b->set);
        stoa__sparse_free(&b->f.storage.heap, b->set);
    }
    fixture_close(&b->f);
    return 0;
}

static stoa_entity entity_make(bench *b) {
    assert_int_equal(stoa__entities_reserve(&b->f.storage, 1), STOA_OK);
    return stoa__entities_take(&b->f.storage, 0);
}

/* Inserts an entity; every byte of its value tells whose it is. */
static uint32_t put(bench *b, stoa_entity e, uint32_t tick) {
    assert_true(stoa__sparse_reserve(&b->f.storage.heap, b->set, e.index, 1));
    uint32_t position = stoa__sparse_insert(b->set, e, tick);
    if (b->component.info.size != 0) {
        memset(stoa__sparse_value(b->set, position), (int)(e.index * 7), b->component.info.size);
    }
    return position;
}

static void value_verify(const bench *b, stoa_entity e) {
    uint32_t position = stoa__sparse_find(b->set, e.index);
    assert_int_not_equal(position, STOA__NONE);
    assert_true(stoa_entity_eq(b->set->entities[position], e));
    const uint8_t *value = stoa__sparse_value(b->set, position);
    for (uint32_t i = 0; i < b->component.info.size; i++) {
        if (value[i] != (uint8_t)(e.index * 7)) {
            fail_msg("byte %u of the value of entity %u is wrong", i, e.index);
        }
    }
}

/* CMP-10 */
static void inserted_entities_stand_in_order(void **state) {
    bench *b = *state;
    set_open(b, 12, 4, 0);
    assert_int_equal(stoa__sparse_find(b->set, 1), STOA__NONE);
    stoa_entity e[40];
    for (uint32_t i = 0; i < 40; i++) {
        e[i] = entity_make(b);
        assert_int_equal(stoa__sparse_find(b->set, e[i].index), STOA__NONE);
        assert_int_equal(put(b, e[i], 5), i);
        assert_int_equal(stoa__sparse_find(b->set, e[i].index), i);
    }
    for (uint32_t i = 0; i < 40; i++) {
        value_verify(b, e[i]);
    }
    assert_int_equal(b->set->count, 40);
    assert_int_equal(stoa__sparse_find(b->set, e[39].index + 1), STOA__NONE);
    assert_int_equal(stoa__sparse_find(b->set, UINT32_MAX), STOA__NONE);
}

/* CMP-10 */
static void erased_position_is_filled_by_the_last(void **state) {
    bench *b = *state;
    set_open(b, 24, 8, 0);
    stoa_entity e[4];
    for (uint32_t i = 0; i < 4; i++) {
        e[i] = entity_make(b);
        put(b, e[i], i);
    }
    stoa__sparse_erase(b->set, 1);
    assert_int_equal(b->set->count, 3);
    assert_int_equal(stoa__sparse_find(b->set, e[1].index), STOA__NONE);
    assert_int_equal(stoa__sparse_find(b->set, e[3].index), 1);
    assert_int_equal(stoa__sparse_find(b->set, e[2].index), 2);
    value_verify(b, e[0]);
    value_verify(b, e[2]);
    value_verify(b, e[3]);
    stoa__sparse_erase(b->set, 2);
    assert_int_equal(stoa__sparse_find(b->set, e[2].index), STOA__NONE);
    check(b);
    stoa__sparse_erase(b->set, 0);
    stoa__sparse_erase(b->set, 0);
    assert_int_equal(b->set->count, 0);
}

/* CHG-02: the value that fills a hole takes its ticks along. */
static void ticks_go_with_their_value(void **state) {
    bench *b = *state;
    set_open(b, 4, 4, 0);
    for (uint32_t i = 0; i < 3; i++) {
        put(b, entity_make(b), 10 + i);
        STOA_STORE(&b->set->changed[i], 20 + i);
    }
    stoa__sparse_erase(b->set, 0);
    assert_int_equal(b->set->added[0], 12);
    assert_int_equal(STOA_LOAD(&b->set->changed[0]), 22);
    assert_int_equal(b->set->added[1], 11);
    assert_int_equal(STOA_LOAD(&b->set->changed[1]), 21);
    uint32_t position = put(b, entity_make(b), 30);
    assert_int_equal(b->set->added[position], 30);
    assert_int_equal(STOA_LOAD(&b->set->changed[position]), 30);
}

/* CMP-12 */
static void switches_go_with_their_value(void **state) {
    bench *b = *state;
    set_open(b, 4, 4, STOA_SWITCHABLE);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t position = put(b, entity_make(b), 1);
        assert_int_equal(b->set->off[position], 0);
        stoa__sparse_switch(b->set, position, i % 3 != 0);
        stoa__sparse_switch(b->set, position, i % 3 != 0);
    }
    assert_int_equal(b->set->off_count, 34);
    stoa__sparse_erase(b->set, 0); /* off, filled by 99, which is off */
    assert_int_equal(b->set->off_count, 33);
    assert_int_equal(b->set->off[0], 1);
    stoa__sparse_erase(b->set, 3); /* off, filled by 98, which is on */
    assert_int_equal(b->set->off_count, 32);
    assert_int_equal(b->set->off[3], 0);
    stoa__sparse_erase(b->set, 1); /* on, filled by 97 */
    assert_int_equal(b->set->off_count, 32);
    stoa__sparse_switch(b->set, 0, true);
    assert_int_equal(b->set->off_count, 31);
    check(b);
    stoa__sparse_erase(b->set, 96); /* 96, off and last */
    assert_int_equal(b->set->off_count, 30);
    uint32_t position = put(b, entity_make(b), 1);
    assert_int_equal(b->set->off[position], 0);
}

/* CMP-12 */
static void set_that_is_not_switchable_stays_on(void **state) {
    bench *b = *state;
    set_open(b, 4, 4, 0);
    uint32_t position = put(b, entity_make(b), 1);
    stoa__sparse_switch(b->set, position, false);
    assert_null(b->set->off);
    assert_int_equal(b->set->off_count, 0);
}

/* CMP-08 CMP-10 */
static void tags_have_no_values_but_can_be_pointed_at(void **state) {
    bench *b = *state;
    set_open(b, 0, 1, STOA_SWITCHABLE);
    stoa_entity e[30];
    for (uint32_t i = 0; i < 30; i++) {
        e[i] = entity_make(b);
        put(b, e[i], i);
        assert_non_null(stoa__sparse_value(b->set, i));
    }
    assert_null(b->set->values);
    stoa__sparse_erase(b->set, 4);
    assert_int_equal(stoa__sparse_find(b->set, e[29].index), 4);
    assert_int_equal(b->set->added[4], 29);
}

/* STO-08 */
static void values_stand_at_their_alignment(void **state) {
    bench *b = *state;
    for (uint32_t alignment = 1; alignment <= 64; alignment *= 2) {
        set_open(b, 3 * alignment, alignment, STOA_SWITCHABLE);
        for (uint32_t i = 0; i < 33; i++) {
            uint32_t position = put(b, entity_make(b), i);
            uintptr_t address = (uintptr_t)stoa__sparse_value(b->set, position);
            assert_int_equal(address % alignment, 0);
            assert_int_equal((uintptr_t)b->set->values % 8, 0);
            assert_int_equal((uintptr_t)b->set->entities % 8, 0);
        }
        check(b);
        stoa__sparse_free(&b->f.storage.heap, b->set);
    }
    b->set = NULL;
}

/* A value that knows its own address, so that moving it as bytes shows. */
typedef struct Anchor {
    struct Anchor *self;
    int *alive;
} Anchor;

static void anchor_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (Anchor *a = items; count > 0; a++, count--) {
        assert_ptr_equal(a->self, a);
        a->self = NULL;
        --*a->alive;
    }
}

static void anchor_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    for (Anchor *a = to, *b = from; count > 0; a++, b++, count--) {
        assert_ptr_equal(b->self, b);
        *a = (Anchor){a, b->alive};
        b->self = NULL;
    }
}

/* CMP-11: and since what a hook moved is dead, its old block is not kept to be read. */
static void hooked_values_are_moved_and_dropped_once(void **state) {
    bench *b = *state;
    b->component.info.hooks = (stoa_hooks){.drop = anchor_drop, .move = anchor_move};
    set_open(b, sizeof(Anchor), _Alignof(Anchor), 0);
    int alive = 0;
    support_random random = {7};
    for (int i = 0; i < 2000; i++) {
        stoa_entity e = entity_make(b);
        assert_true(stoa__sparse_reserve(&b->f.storage.heap, b->set, e.index, 1));
        assert_null(b->set->limbo);
        Anchor *a = stoa__sparse_value(b->set, stoa__sparse_insert(b->set, e, 1));
        *a = (Anchor){a, &alive};
        alive++;
        if (support_random_below(&random, 3) == 0) {
            uint32_t position = support_random_below(&random, b->set->count);
            anchor_drop(stoa__sparse_value(b->set, position), 1, NULL);
            stoa__sparse_erase(b->set, position);
        }
        if (i % 500 == 0) {
            stoa__sparse_trim(&b->f.storage.heap, b->set);
        }
        assert_int_equal(b->set->count, alive);
    }
    check(b);
    stoa__sparse_drop_all(b->set);
    assert_int_equal(alive, 0);
    stoa__sparse_free(&b->f.storage.heap, b->set);
    b->set = NULL;
}

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

/* CHG-01 */
static void sweep_clamps_old_ticks_only(void **state) {
    bench *b = *state;
    set_open(b, 4, 4, 0);
    const uint32_t tick = 100, ages[] = {0, 1, 49, 50, 51, 100, 200, 0x7FFFFFFF, 0xF0000000};
    for (uint32_t i = 0; i < 9; i++) {
        put(b, entity_make(b), tick - ages[i]);
    }
    STOA_STORE(&b->set->changed[8], tick);
    stoa__sparse_sweep(b->set, tick, 50);
    for (uint32_t i = 0; i < 9; i++) {
        uint32_t age = ages[i] < 50 ? ages[i] : 50;
        assert_int_equal(b->set->added[i], tick - age);
        assert_int_equal(STOA_LOAD(&b->set->changed[i]), i == 8 ? tick : tick - age);
    }
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

/* STO-04 */
static void broken_sets_are_found(void **state) {
    bench *b = *state;
    set_open(b, 4, 4, STOA_SWITCHABLE);
    stoa_entity e = entity_make(b), other = entity_make(b);
    put(b, e, 1);
    put(b, other, 1);
    const stoa__storage *storage = &b->f.storage;

    b->set->entities[0].generation++;
    assert_int_equal(stoa__sparse_check(storage, b->set), STOA_CORRUPT);
    support_assert_message("row 0 of sparse component 'Thing' is not its entity's");
    b->set->entities[0].generation--;

    *stoa__sparse_entry(b->set, e.index) = 2;
    assert_int_equal(stoa__sparse_check(storage, b->set), STOA_CORRUPT);
    *stoa__sparse_entry(b->set, e.index) = 1;

    *stoa__sparse_entry(b->set, other.index + 1) = 1;
    assert_int_equal(stoa__sparse_check(storage, b->set), STOA_CORRUPT);
    support_assert_message("has 3 rows, not 2");
    *stoa__sparse_entry(b->set, other.index + 1) = 0;

    b->set->off_count = 1;
    assert_int_equal(stoa__sparse_check(storage, b->set), STOA_CORRUPT);
    support_assert_message("0 rows switched off, not 1");
    b->set->off_count = 0;

    uint32_t capacity = b->set->capacity;
    b->set->capacity = 1;
    assert_int_equal(stoa__sparse_check(storage, b->set), STOA_CORRUPT);
    support_assert_message("2 of 1 rows");
    b->set->capacity = capacity + 1;
    assert_int_equal(stoa__sparse_check(storage, b->set), STOA_CORRUPT);
    b->set->capacity = capacity;
}

#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, bench_setup, bench_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_BENCH(inserted_entities_stand_in_order),
        WITH_BENCH(erased_position_is_filled_by_the_last),
        WITH_BENCH(ticks_go_with_their_value),
        WITH_BENCH(switches_go_with_their_value),
        WITH_BENCH(set_that_is_not_switchable_stays_on),
        WITH_BENCH(tags_have_no_values_but_can_be_pointed_at),
        WITH_BENCH(values_stand_at_their_alignment),
        WITH_BENCH(hooked_values_are_moved_and_dropped_once),
        WITH_BENCH(outgrown_block_is_readable_until_the_next_reserve),
        WITH_BENCH(sweep_clamps_old_ticks_only),
        WITH_BENCH(pages_are_made_where_entities_are),
        WITH_BENCH(room_for_many_needs_no_more_memory),
        WITH_BENCH(coming_and_going_needs_no_memory_once_warm),
        WITH_BENCH(trim_gives_back_what_is_not_needed),
        WITH_BENCH(trim_without_memory_changes_nothing),
        WITH_BENCH(reserve_without_memory_changes_nothing),
        WITH_BENCH(room_beyond_all_memory_is_refused),
        WITH_BENCH(broken_sets_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sparse sets: positions, values, ticks and switches. */
#include "sparse_bench.h"

#include "support/support.h"

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

#define CROWD 1500

/* Takes those of a list out of a set at once, and of an array one by one. */
static void crowd_leave(bench *b, stoa_entity *model, uint32_t *count, const stoa_entity *list,
                        uint32_t length) {
    uint32_t *entries[64];
    for (uint32_t i = 0; i < length; i++) {
        entries[i] = stoa__sparse_entry(b->set, list[i].index);
        uint32_t at = 0;
        while (!stoa_entity_eq(model[at], list[i])) {
            at++;
        }
        model[at] = model[--*count];
    }
    stoa__sparse_remove_many(b->set, entries, length);
    assert_int_equal(b->set->count, *count);
    for (uint32_t i = 0; i < *count; i++) {
        assert_true(stoa_entity_eq(b->set->entities[i], model[i]));
        assert_int_equal(b->set->added[i], model[i].index);
        assert_int_equal(STOA_LOAD(&b->set->changed[i]), model[i].index + 1);
        value_verify(b, model[i]);
    }
    check(b);
}

/* CMP-10 CHG-02 */
static void many_are_removed_as_one_by_one(void **state) {
    bench *b = *state;
    static const uint32_t sizes[] = {0, 1, 4, 8, 9, 12, 16, 17, 24, 72};
    static stoa_entity e[CROWD], model[CROWD];
    support_random random = {3};
    for (int i = 0; i < CROWD; i++) {
        e[i] = entity_make(b);
    }
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint32_t count = 0;
        set_open(b, sizes[k], 1, k % 4 == 3 ? STOA_SWITCHABLE : 0);
        for (; count < CROWD; count++) {
            model[count] = e[count];
            uint32_t position = put(b, e[count], e[count].index);
            STOA_STORE(&b->set->changed[position], e[count].index + 1);
        }
        while (count > 0) {
            stoa_entity list[64];
            uint32_t most = count < 64 ? count : 64;
            uint32_t length = support_random_below(&random, most + 1);
            /* The last ones, in order or backwards, or each of a stretch. */
            uint32_t order = support_random_below(&random, 3);
            uint32_t first = support_random_below(&random, count - length + 1);
            for (uint32_t i = 0; i < length; i++) {
                list[i] = model[order == 0   ? count - 1 - i
                                : order == 1 ? count - length + i
                                             : first + i];
            }
            crowd_leave(b, model, &count, list, length);
        }
        if (k + 1 < sizeof sizes / sizeof *sizes) {
            stoa__sparse_free(&b->f.storage.heap, b->set);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_BENCH(inserted_entities_stand_in_order),
        WITH_BENCH(erased_position_is_filled_by_the_last),
        WITH_BENCH(ticks_go_with_their_value),
        WITH_BENCH(many_are_removed_as_one_by_one),
        WITH_BENCH(switches_go_with_their_value),
        WITH_BENCH(set_that_is_not_switchable_stays_on),
        WITH_BENCH(tags_have_no_values_but_can_be_pointed_at),
        WITH_BENCH(values_stand_at_their_alignment),
        WITH_BENCH(hooked_values_are_moved_and_dropped_once),
        WITH_BENCH(sweep_clamps_old_ticks_only),
        WITH_BENCH(broken_sets_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

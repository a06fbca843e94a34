/* The ordered set of pairs: order, removal, joins of nodes, lack of memory, and a random test
 * against a sorted array. */
#include <stdlib.h>

#include "base/ordered.h"
#include "support/heap.h"

typedef struct fixture {
    stoa__heap heap;
    support_heap counter;
    stoa__ordered set;
} fixture;

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return -1;
    }
    support_heap_open(&f->heap, &f->counter);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    assert_true(stoa__ordered_valid(&f->set));
    stoa__ordered_fini(&f->set, &f->heap);
    assert_true(stoa__ordered_valid(&f->set));
    support_heap_close(&f->heap, &f->counter);
    free(f);
    return 0;
}

/* The pairs from a place on are those of the arithmetic row, and no more. */
static void row_expect(const stoa__ordered *set, uint64_t first, uint64_t step, uint64_t count) {
    stoa__ordered_place place = stoa__ordered_seek(set, 0, 0);
    for (uint64_t i = 0; i < count; i++) {
        assert_non_null(place.leaf);
        assert_int_equal(place.leaf->keys[place.at], first + i * step);
        assert_int_equal(place.leaf->values[place.at], (first + i * step) * 7);
        if (++place.at == place.leaf->count) {
            place = (stoa__ordered_place){place.leaf->next, 0};
        }
    }
    assert_null(place.leaf);
}

/* IDX-01 */
static void empty_set_finds_nothing(void **state) {
    fixture *f = *state;
    stoa__ordered_pair pair;
    assert_null(stoa__ordered_seek(&f->set, 0, 0).leaf);
    assert_false(stoa__ordered_below(&f->set, UINT64_MAX, UINT64_MAX, &pair));
    assert_false(stoa__ordered_remove(&f->set, &f->heap, 1, 1));
    assert_true(stoa__ordered_valid(&f->set));
}

/* IDX-01 */
static void pairs_inserted_in_any_order_stand_in_order(void **state) {
    fixture *f = *state;
    const uint64_t count = 5000;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = i * 1237 % count;
        assert_true(stoa__ordered_insert(&f->set, &f->heap, key, key * 7));
    }
    assert_int_equal(f->set.count, count);
    assert_true(stoa__ordered_valid(&f->set));
    row_expect(&f->set, 0, 1, count);
    for (uint64_t i = 0; i < count; i++) {
        if (i % 3 != 0) {
            assert_true(stoa__ordered_remove(&f->set, &f->heap, i, i * 7));
            assert_false(stoa__ordered_remove(&f->set, &f->heap, i, i * 7));
        }
    }
    assert_true(stoa__ordered_valid(&f->set));
    row_expect(&f->set, 0, 3, (count + 2) / 3);
}

/* IDX-01 */
static void pair_inserted_twice_stands_once(void **state) {
    fixture *f = *state;
    assert_true(stoa__ordered_insert(&f->set, &f->heap, 5, 35));
    assert_true(stoa__ordered_insert(&f->set, &f->heap, 5, 35));
    assert_int_equal(f->set.count, 1);
    row_expect(&f->set, 5, 1, 1);
}

/* Pairs of one key are told apart and sorted by value. */
static void values_of_one_key_are_in_order(void **state) {
    fixture *f = *state;
    for (uint64_t i = 0; i < 1000; i++) {
        assert_true(stoa__ordered_insert(&f->set, &f->heap, 4, (i * 7) % 1000));
    }
    assert_true(stoa__ordered_insert(&f->set, &f->heap, 3, 9));
    assert_true(stoa__ordered_insert(&f->set, &f->heap, 5, 0));
    stoa__ordered_place place = stoa__ordered_seek(&f->set, 4, 0);
    uint64_t next = 0;
    for (const stoa__ordered_node *leaf = place.leaf; leaf != NULL; leaf = leaf->next) {
        uint32_t run = stoa__ordered_run(leaf, place.at, 4);
        for (uint32_t i = 0; i < run; i++) {
            assert_int_equal(leaf->values[place.at + i], next++);
        }
        place.at = 0;
    }
    assert_int_equal(next, 1000);
    stoa__ordered_pair pair;
    assert_true(stoa__ordered_below(&f->set, 4, 0, &pair));
    assert_int_equal(pair.key, 3);
    assert_true(stoa__ordered_below(&f->set, 5, 0, &pair));
    assert_int_equal(pair.value, 999);
    assert_false(stoa__ordered_below(&f->set, 3, 9, &pair));
}

/* STO-06 */
static void pairs_in_order_fill_their_nodes(void **state) {
    fixture *f = *state;
    const uint64_t count = 32 * 1000;
    for (uint64_t i = 0; i < count; i++) {
        assert_true(stoa__ordered_insert(&f->set, &f->heap, i, 0));
    }
    assert_true(f->heap.used <= count * 16 * 9 / 8);
}

/* STO-06 */
static void thinned_set_gives_memory_back(void **state) {
    fixture *f = *state;
    const uint64_t count = 32 * 1000;
    for (uint64_t i = 0; i < count; i++) {
        assert_true(stoa__ordered_insert(&f->set, &f->heap, i, i * 7));
    }
    size_t full = f->heap.used;
    for (uint64_t i = 0; i < count; i++) {
        if (i % 32 != 0) {
            assert_true(stoa__ordered_remove(&f->set, &f->heap, i, i * 7));
        }
    }
    assert_true(stoa__ordered_valid(&f->set));
    row_expect(&f->set, 0, 32, 1000);
    assert_true(f->heap.used < full / 4);
    for (uint64_t i = 0; i < count; i += 32) {
        assert_true(stoa__ordered_remove(&f->set, &f->heap, i, i * 7));
    }
    assert_int_equal(f->heap.used, 0);
    assert_int_equal(f->set.height, 0);
}

/* GEN-04 */
static void insertion_without_memory_changes_nothing(void **state) {
    fixture *f = *state;
    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t key = i * 1237 % 3000;
        for (size_t k = 1;; k++) {
            f->counter.fail_at = k;
            bool done = stoa__ordered_insert(&f->set, &f->heap, key, key * 7);
            f->counter.fail_at = 0;
            if (done) {
                break;
            }
            assert_int_equal(f->set.count, i);
            assert_true(i % 64 != 0 || stoa__ordered_valid(&f->set) || i == 0);
        }
    }
    assert_true(f->counter.failed > 100);
    assert_true(stoa__ordered_valid(&f->set));
    row_expect(&f->set, 0, 1, 3000);
}

#define REFERENCE_MAX 2000

/* A sorted array that does the same. */
typedef struct reference {
    stoa__ordered_pair pairs[REFERENCE_MAX];
    uint32_t count;
} reference;

static uint32_t reference_below(const reference *r, uint64_t key, uint64_t value) {
    uint32_t at = 0;
    while (at < r->count &&
           (r->pairs[at].key < key || (r->pairs[at].key == key && r->pairs[at].value < value))) {
        at++;
    }
    return at;
}

static bool reference_has(const reference *r, uint32_t at, uint64_t key, uint64_t value) {
    return at < r->count && r->pairs[at].key == key && r->pairs[at].value == value;
}

static void step_compare(fixture *f, const reference *r, uint64_t key, uint64_t value) {
    uint32_t at = reference_below(r, key, value);
    stoa__ordered_pair pair;
    stoa__ordered_place place = stoa__ordered_seek(&f->set, key, value);
    assert_int_equal(place.leaf != NULL, at < r->count);
    if (place.leaf != NULL) {
        assert_int_equal(place.leaf->keys[place.at], r->pairs[at].key);
        assert_int_equal(place.leaf->values[place.at], r->pairs[at].value);
    }
    assert_int_equal(stoa__ordered_below(&f->set, key, value, &pair), at > 0);
    if (at > 0) {
        assert_int_equal(pair.key, r->pairs[at - 1].key);
        assert_int_equal(pair.value, r->pairs[at - 1].value);
    }
    assert_int_equal(f->set.count, r->count);
}

/* IDX-01 */
static void random_calls_agree_with_a_sorted_array(void **state) {
    fixture *f = *state;
    static reference r;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        support_random random = {seed};
        uint32_t keys = seed % 2 == 0 ? 5 : 400;
        for (uint32_t i = 0; i < 12000; i++) {
            /* It grows and shrinks in turn. */
            bool insert = support_random_below(&random, 10) < (i / 3000 % 2 == 0 ? 8u : 2u);
            uint64_t key = support_random_below(&random, keys);
            uint64_t value = support_random_below(&random, 2000 / keys + 300);
            uint32_t at = reference_below(&r, key, value);
            bool there = reference_has(&r, at, key, value);
            if (insert && r.count < REFERENCE_MAX) {
                assert_true(stoa__ordered_insert(&f->set, &f->heap, key, value));
                if (!there) {
                    memmove(r.pairs + at + 1, r.pairs + at, (r.count++ - at) * sizeof *r.pairs);
                    r.pairs[at] = (stoa__ordered_pair){key, value};
                }
            } else if (!insert) {
                assert_int_equal(stoa__ordered_remove(&f->set, &f->heap, key, value), there);
                if (there) {
                    memmove(r.pairs + at, r.pairs + at + 1, (--r.count - at) * sizeof *r.pairs);
                }
            }
            step_compare(f, &r, support_random_below(&random, keys + 1), value);
            if (i % 500 == 0 && !stoa__ordered_valid(&f->set)) {
                fail_msg("seed %llu, step %u: the tree is broken", (unsigned long long)seed, i);
            }
        }
        assert_true(stoa__ordered_valid(&f->set));
    }
    r.count = 0;
}

#define RANGE 65536u

/* IDX-01: whole stretches go and come back, so that nodes of every level are emptied and joined. */
static void stretches_that_come_and_go_leave_the_rest(void **state) {
    fixture *f = *state;
    static bool there[RANGE];
    support_random random = {11};
    uint64_t count = 0;
    memset(there, 0, sizeof there);
    for (int wave = 0; wave < 400; wave++) {
        uint32_t first = support_random_below(&random, RANGE);
        uint32_t size = support_random_below(&random, wave % 3 == 0 ? 20000 : 3000);
        uint32_t step = 1 + support_random_below(&random, wave % 4 == 0 ? 40 : 3);
        bool insert = wave < 60 || support_random_below(&random, 100) < 45;
        for (uint32_t i = 0; i < size; i += step) {
            /* Down as well as up. */
            uint32_t key = (wave % 2 == 0 ? first + i : first - i) % RANGE;
            if (insert) {
                assert_true(stoa__ordered_insert(&f->set, &f->heap, key, key * 7ull));
            } else {
                assert_int_equal(stoa__ordered_remove(&f->set, &f->heap, key, key * 7ull),
                                 there[key]);
            }
            count += (uint64_t)(insert && !there[key]);
            count -= (uint64_t)(!insert && there[key]);
            there[key] = insert;
        }
        if (!stoa__ordered_valid(&f->set) || f->set.count != count) {
            fail_msg("wave %d: the tree is broken", wave);
        }
    }
    stoa__ordered_place place = stoa__ordered_seek(&f->set, 0, 0);
    for (uint32_t key = 0; key < RANGE; key++) {
        if (there[key]) {
            assert_int_equal(place.leaf->keys[place.at], key);
            if (++place.at == place.leaf->count) {
                place = (stoa__ordered_place){place.leaf->next, 0};
            }
        }
    }
    assert_null(place.leaf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(empty_set_finds_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(pairs_inserted_in_any_order_stand_in_order, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(pair_inserted_twice_stands_once, setup, teardown),
        cmocka_unit_test_setup_teardown(values_of_one_key_are_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(pairs_in_order_fill_their_nodes, setup, teardown),
        cmocka_unit_test_setup_teardown(thinned_set_gives_memory_back, setup, teardown),
        cmocka_unit_test_setup_teardown(insertion_without_memory_changes_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(stretches_that_come_and_go_leave_the_rest, setup, teardown),
        cmocka_unit_test_setup_teardown(random_calls_agree_with_a_sorted_array, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Bits stay as they were set, and read 0 wherever they were not. */
#include "base/bitset.h"
#include "support/heap.h"

typedef struct fixture {
    support_heap counter;
    stoa__heap heap;
    stoa__bitset set;
} fixture;

static void fixture_open(fixture *f) {
    memset(f, 0, sizeof *f);
    support_heap_open(&f->heap, &f->counter);
}

static void fixture_close(fixture *f) {
    stoa__bitset_fini(&f->set, &f->heap);
    assert_null(f->set.words);
    assert_int_equal(f->set.word_count, 0);
    support_heap_close(&f->heap, &f->counter);
}

static void zeroed_set_is_empty(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    assert_false(stoa__bitset_test(&f.set, 0));
    assert_false(stoa__bitset_test(&f.set, UINT32_MAX));
    assert_int_equal(stoa__bitset_word(&f.set, 0), 0);
    assert_int_equal(stoa__bitset_word(&f.set, UINT32_MAX), 0);
    fixture_close(&f);
    assert_int_equal(f.counter.allocations, 0);
}

static void bits_match_a_plain_array_through_growth(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    enum { BITS = 5000 };
    static bool model[BITS];
    memset(model, 0, sizeof model);
    support_random random = {11};
    for (int i = 0; i < 600; i++) {
        /* The range widens, so that the set grows many times. */
        uint32_t bit = support_random_below(&random, (uint32_t)(i + 1) * BITS / 600);
        assert_true(stoa__bitset_reserve(&f.set, &f.heap, bit));
        stoa__bitset_set(&f.set, bit);
        model[bit] = true;
        if (i % 20 == 0) {
            for (uint32_t b = 0; b < BITS; b++) {
                assert_int_equal(stoa__bitset_test(&f.set, b), model[b]);
            }
        }
    }
    for (uint32_t i = 0; i < BITS / 64; i++) {
        uint64_t word = 0;
        for (uint32_t b = 0; b < 64; b++) {
            word |= (uint64_t)model[i * 64 + b] << b;
        }
        assert_true(stoa__bitset_word(&f.set, i) == word);
    }
    fixture_close(&f);
}

static void reserve_makes_room_up_to_the_bit(void **state) {
    (void)state;
    const uint32_t bits[] = {0, 1, 63, 64, 65, 127, 128, 4095, 4096};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        fixture f;
        fixture_open(&f);
        assert_true(stoa__bitset_reserve(&f.set, &f.heap, bits[i]));
        assert_int_equal(f.set.word_count, bits[i] / 64 + 1);
        stoa__bitset_set(&f.set, bits[i]);
        assert_true(stoa__bitset_test(&f.set, bits[i]));
        assert_false(stoa__bitset_test(&f.set, bits[i] + 1));
        fixture_close(&f);
    }
}

static void reserve_step_by_step_doubles(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    for (uint32_t bit = 0; bit < 64 * 1000; bit++) {
        assert_true(stoa__bitset_reserve(&f.set, &f.heap, bit));
    }
    assert_int_equal(f.set.word_count, 1024);
    assert_int_equal(f.counter.allocations, 11);
    fixture_close(&f);
}

/* GEN-04 */
static void reserve_refused_leaves_the_set(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    assert_true(stoa__bitset_reserve(&f.set, &f.heap, 10));
    stoa__bitset_set(&f.set, 10);
    f.counter.fail_at = 1;
    assert_false(stoa__bitset_reserve(&f.set, &f.heap, 100));
    assert_int_equal(f.set.word_count, 1);
    assert_true(stoa__bitset_test(&f.set, 10));
    assert_false(stoa__bitset_test(&f.set, 100));
    assert_true(stoa__bitset_reserve(&f.set, &f.heap, 100));
    assert_true(stoa__bitset_test(&f.set, 10));
    fixture_close(&f);
}

static void last_bit_asks_for_its_words_and_no_less(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    f.counter.fail_at = 1;
    f.counter.fail_forever = true;
    assert_false(stoa__bitset_reserve(&f.set, &f.heap, UINT32_MAX));
    assert_int_equal(f.counter.failed, 1);
    assert_null(f.set.words);
    fixture_close(&f);
}

static void lowest_bit_is_found(void **state) {
    (void)state;
    for (uint32_t bit = 0; bit < 64; bit++) {
        uint64_t word = (uint64_t)1 << bit;
        assert_int_equal(stoa__bit_lowest(word), bit);
        assert_int_equal(stoa__bit_lowest(UINT64_MAX << bit), bit);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeroed_set_is_empty),
        cmocka_unit_test(bits_match_a_plain_array_through_growth),
        cmocka_unit_test(reserve_makes_room_up_to_the_bit),
        cmocka_unit_test(reserve_step_by_step_doubles),
        cmocka_unit_test(reserve_refused_leaves_the_set),
        cmocka_unit_test(last_bit_asks_for_its_words_and_no_less),
        cmocka_unit_test(lowest_bit_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

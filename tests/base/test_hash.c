/* The hash mixes every bit, does not care how its input is cut, and never changes.
 *
 * All inputs are made by fixed seeds, so the bounds below are met always or never. */
#include "base/hash.h"
#include "support/support.h"

#include <stdlib.h>

static int bits_count(uint64_t word) {
    int count = 0;
    for (; word != 0; word &= word - 1) {
        count++;
    }
    return count;
}

static void bytes_fill(uint8_t *bytes, size_t size, uint64_t seed) {
    support_random random = {seed};
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)support_random_next(&random);
    }
}

static void flipped_bit_changes_half_of_the_result(void **state) {
    (void)state;
    uint8_t bytes[200];
    for (size_t size = 1; size <= sizeof bytes; size += size < 100 ? 1 : 25) {
        long changed = 0;
        long flips = 0;
        for (uint64_t seed = 0; seed < 64; seed++) {
            if (seed == 0) {
                memset(bytes, 0, size);
            } else {
                bytes_fill(bytes, size, seed);
            }
            uint64_t before = stoa__hash_bytes(bytes, size);
            for (size_t bit = 0; bit < size * 8; bit++) {
                bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
                uint64_t after = stoa__hash_bytes(bytes, size);
                bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
                assert_true(after != before);
                changed += bits_count(after ^ before);
                flips++;
            }
        }
        /* 32 on average, in hundredths. */
        assert_in_range(changed * 100 / flips, 3140, 3260);
    }
}

static void mixer_lets_every_bit_reach_every_bit(void **state) {
    (void)state;
    enum { SAMPLES = 2048 };
    static uint16_t flips[64][64];
    memset(flips, 0, sizeof flips);
    for (uint64_t sample = 0; sample < SAMPLES; sample++) {
        /* Small numbers are the usual keys. */
        uint64_t before = stoa__hash_mix(sample);
        for (int in = 0; in < 64; in++) {
            uint64_t change = before ^ stoa__hash_mix(sample ^ (uint64_t)1 << in);
            for (int out = 0; out < 64; out++) {
                flips[in][out] = (uint16_t)(flips[in][out] + (change >> out & 1));
            }
        }
    }
    for (int in = 0; in < 64; in++) {
        for (int out = 0; out < 64; out++) {
            assert_in_range(flips[in][out], SAMPLES * 44 / 100, SAMPLES * 56 / 100);
        }
    }
}

static void mixer_does_not_keep_zero(void **state) {
    (void)state;
    assert_true(stoa__hash_mix(0) != 0);
}

static void mixer_spreads_counters_over_tables(void **state) {
    (void)state;
    enum { BUCKETS = 1 << 16 };
    static uint8_t low[BUCKETS];
    static uint8_t high[BUCKETS];
    for (uint32_t shift = 0; shift <= 40; shift += 8) {
        memset(low, 0, sizeof low);
        memset(high, 0, sizeof high);
        for (uint64_t i = 0; i < BUCKETS; i++) {
            low[stoa__hash_mix(i << shift) % BUCKETS]++;
            high[stoa__hash_mix(i << shift) >> 48]++;
        }
        for (int i = 0; i < BUCKETS; i++) {
            assert_in_range(low[i], 0, 12);
            assert_in_range(high[i], 0, 12);
        }
    }
}

/* Were the upper half of a product left out, some of these would be certain to collide. */
static void flip_in_one_stripe_is_not_undone_in_the_next(void **state) {
    (void)state;
    uint8_t bytes[128];
    bytes_fill(bytes, sizeof bytes, 5);
    uint64_t before = stoa__hash_bytes(bytes, sizeof bytes);
    for (int word = 0; word < 8; word++) {
        for (int a = 0; a < 64; a++) {
            for (int b = 0; b < 64; b++) {
                uint8_t *first = &bytes[word * 8 + a / 8];
                uint8_t *second = &bytes[64 + word * 8 + b / 8];
                *first ^= (uint8_t)(1 << a % 8);
                *second ^= (uint8_t)(1 << b % 8);
                assert_true(stoa__hash_bytes(bytes, sizeof bytes) != before);
                *first ^= (uint8_t)(1 << a % 8);
                *second ^= (uint8_t)(1 << b % 8);
            }
        }
    }
}

static int hash_compare(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void assert_all_differ(uint64_t *hashes, size_t count) {
    qsort(hashes, count, sizeof *hashes, hash_compare);
    for (size_t i = 1; i < count; i++) {
        assert_true(hashes[i - 1] != hashes[i]);
    }
}

static void million_integers_do_not_collide(void **state) {
    (void)state;
    enum { COUNT = 1000000 };
    static uint64_t hashes[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        hashes[i] = stoa__hash_bytes(&i, sizeof i);
    }
    assert_all_differ(hashes, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        hashes[i] = stoa__hash_mix(i);
    }
    assert_all_differ(hashes, COUNT);
}

static void similar_texts_do_not_collide(void **state) {
    (void)state;
    enum { COUNT = 200000 };
    static uint64_t hashes[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        char text[96];
        snprintf(text, sizeof text, "%s%u%s", i % 3 == 0 ? "entity " : "", (unsigned)i,
                 i % 2 == 0 ? ".a name that, with the number before it, fills a stripe and more"
                            : "");
        hashes[i] = stoa__hash_text(text);
    }
    assert_all_differ(hashes, COUNT);
}

static void zeros_of_every_length_differ(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    static const uint8_t zeros[COUNT];
    static uint64_t hashes[COUNT];
    for (size_t size = 0; size < COUNT; size++) {
        hashes[size] = stoa__hash_bytes(zeros, size);
    }
    assert_all_differ(hashes, COUNT);
}

static void swapped_words_and_stripes_differ(void **state) {
    (void)state;
    uint8_t bytes[192];
    uint8_t swapped[192];
    bytes_fill(bytes, sizeof bytes, 8);
    for (size_t a = 0; a < 24; a++) {
        for (size_t b = 0; b < a; b++) {
            memcpy(swapped, bytes, sizeof bytes);
            memcpy(swapped + a * 8, bytes + b * 8, 8);
            memcpy(swapped + b * 8, bytes + a * 8, 8);
            assert_true(stoa__hash_bytes(swapped, sizeof swapped) !=
                        stoa__hash_bytes(bytes, sizeof bytes));
        }
    }
}

static void stream_does_not_depend_on_its_cuts(void **state) {
    (void)state;
    uint8_t bytes[400];
    bytes_fill(bytes, sizeof bytes, 21);
    support_random random = {22};
    for (size_t size = 0; size <= sizeof bytes; size++) {
        for (uint32_t widest = 1; widest <= 130; widest += 43) {
            stoa__hasher hasher;
            stoa__hasher_init(&hasher);
            for (size_t done = 0; done < size;) {
                size_t piece = support_random_below(&random, widest + 1);
                piece = piece < size - done ? piece : size - done;
                stoa__hasher_add(&hasher, bytes + done, piece);
                done += piece;
            }
            assert_true(stoa__hasher_result(&hasher) == stoa__hash_bytes(bytes, size));
        }
    }
}

static void result_can_be_taken_on_the_way(void **state) {
    (void)state;
    uint8_t bytes[150];
    bytes_fill(bytes, sizeof bytes, 31);
    stoa__hasher hasher;
    stoa__hasher_init(&hasher);
    for (size_t size = 0; size < sizeof bytes; size++) {
        assert_true(stoa__hasher_result(&hasher) == stoa__hash_bytes(bytes, size));
        stoa__hasher_add(&hasher, bytes + size, 1);
    }
}

static void result_does_not_depend_on_the_address(void **state) {
    (void)state;
    uint8_t bytes[120];
    uint8_t moved[120 + 16];
    bytes_fill(bytes, sizeof bytes, 41);
    for (size_t offset = 0; offset < 16; offset++) {
        memcpy(moved + offset, bytes, sizeof bytes);
        assert_true(stoa__hash_bytes(moved + offset, sizeof bytes) ==
                    stoa__hash_bytes(bytes, sizeof bytes));
    }
}

static void numbers_are_added_least_byte_first(void **state) {
    (void)state;
    static const uint8_t as_bytes[] = {0x44, 0x33, 0x22, 0x11, 8, 7, 6, 5, 4, 3, 2, 1};
    for (size_t before = 0; before < 128; before++) {
        static const uint8_t zeros[128];
        stoa__hasher numbers;
        stoa__hasher bytes;
        stoa__hasher_init(&numbers);
        stoa__hasher_init(&bytes);
        stoa__hasher_add(&numbers, zeros, before);
        stoa__hasher_add(&bytes, zeros, before);
        stoa__hasher_add_u32(&numbers, UINT32_C(0x11223344));
        stoa__hasher_add_u64(&numbers, UINT64_C(0x0102030405060708));
        stoa__hasher_add(&bytes, as_bytes, sizeof as_bytes);
        assert_true(stoa__hasher_result(&numbers) == stoa__hasher_result(&bytes));
    }
}

static uint64_t texts_hash(const char *first, const char *second) {
    stoa__hasher hasher;
    stoa__hasher_init(&hasher);
    stoa__hasher_add_text(&hasher, first);
    stoa__hasher_add_text(&hasher, second);
    return stoa__hasher_result(&hasher);
}

static void texts_in_a_row_are_told_apart(void **state) {
    (void)state;
    assert_true(texts_hash("ab", "c") == stoa__hash_bytes("ab\0c", 5));
    assert_true(texts_hash("ab", "c") != texts_hash("a", "bc"));
    assert_true(texts_hash("ab", "") != texts_hash("", "ab"));
}

static void null_text_is_not_the_empty_one(void **state) {
    (void)state;
    assert_true(texts_hash(NULL, "a") != texts_hash("", "a"));
    assert_true(texts_hash(NULL, "a") != texts_hash("a", NULL));
    assert_true(texts_hash(NULL, NULL) != texts_hash("", ""));
    stoa__hasher hasher;
    stoa__hasher_init(&hasher);
    uint64_t nothing = stoa__hasher_result(&hasher);
    stoa__hasher_add_text(&hasher, NULL);
    assert_true(stoa__hasher_result(&hasher) != nothing);
}

static void text_hashes_as_its_bytes(void **state) {
    (void)state;
    assert_true(stoa__hash_text("Position") == stoa__hash_bytes("Position", 8));
    assert_true(stoa__hash_text("") == stoa__hash_bytes("", 0));
    assert_true(stoa__hash_text("Position") != stoa__hash_text("position"));
}

static void adding_nothing_changes_nothing(void **state) {
    (void)state;
    stoa__hasher hasher;
    stoa__hasher_init(&hasher);
    stoa__hasher_add(&hasher, "abc", 3);
    uint64_t before = stoa__hasher_result(&hasher);
    stoa__hasher_add(&hasher, NULL, 0);
    assert_true(stoa__hasher_result(&hasher) == before);
}

/* Hashes are kept in files and compared between machines, so they may not change. */
static void results_are_the_ones_they_always_were(void **state) {
    (void)state;
    uint8_t bytes[100];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 3);
    }
    static const struct {
        size_t size;
        uint64_t hash;
    } known[] = {
        {0, UINT64_C(0x4e9a4e6e6cb799bd)},   {1, UINT64_C(0xfb4b724d3226b22c)},
        {8, UINT64_C(0x2869915704cc768e)},   {15, UINT64_C(0x1b44a6058e1b209f)},
        {40, UINT64_C(0x2a4079687271eef9)},  {63, UINT64_C(0x170eec00d9c2b3f7)},
        {64, UINT64_C(0x0943b63809e45b8e)},  {65, UINT64_C(0xcb8b1d14ae62448a)},
        {100, UINT64_C(0xcb98d7da5af6e0a8)},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t hash = stoa__hash_bytes(bytes, known[i].size);
        if (hash != known[i].hash) {
            print_error("size %zu: 0x%016llx\n", known[i].size, (unsigned long long)hash);
        }
        assert_true(hash == known[i].hash);
    }
    assert_true(stoa__hash_mix(0) == UINT64_C(0x5df40810fd97ee2e));
    assert_true(stoa__hash_mix(1) == UINT64_C(0xfac14aa1262601a1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flipped_bit_changes_half_of_the_result),
        cmocka_unit_test(mixer_lets_every_bit_reach_every_bit),
        cmocka_unit_test(mixer_does_not_keep_zero),
        cmocka_unit_test(mixer_spreads_counters_over_tables),
        cmocka_unit_test(flip_in_one_stripe_is_not_undone_in_the_next),
        cmocka_unit_test(million_integers_do_not_collide),
        cmocka_unit_test(similar_texts_do_not_collide),
        cmocka_unit_test(zeros_of_every_length_differ),
        cmocka_unit_test(swapped_words_and_stripes_differ),
        cmocka_unit_test(stream_does_not_depend_on_its_cuts),
        cmocka_unit_test(result_can_be_taken_on_the_way),
        cmocka_unit_test(result_does_not_depend_on_the_address),
        cmocka_unit_test(numbers_are_added_least_byte_first),
        cmocka_unit_test(texts_in_a_row_are_told_apart),
        cmocka_unit_test(null_text_is_not_the_empty_one),
        cmocka_unit_test(text_hashes_as_its_bytes),
        cmocka_unit_test(adding_nothing_changes_nothing),
        cmocka_unit_test(results_are_the_ones_they_always_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The hash as the checksum of what is saved: it is what docs/snapshot-format.md says, and damage
 * shows.
 *
 * All inputs are made by fixed seeds, so what is seen here is seen always. */
#include "base/fold.h"
#include "support/support.h"

#include <stdlib.h>

static void bytes_fill(uint8_t *bytes, size_t size, uint64_t seed) {
    support_random random = {seed};
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)support_random_next(&random);
    }
}

/* Zeros, ones, small numbers as data has them, and anything. */
#define CONTENTS 4

static void content_make(uint8_t *bytes, size_t size, int content) {
    memset(bytes, content == 1 ? 0xFF : 0, size);
    for (size_t i = 0; content == 2 && i < size; i += 4) {
        bytes[i] = (uint8_t)(i / 16);
    }
    if (content == 3) {
        bytes_fill(bytes, size, 3);
    }
}

static void bit_flip(uint8_t *bytes, size_t bit) {
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

/* A product of two words added up bit by bit, its halves joined. */
static uint64_t naive_fold(uint64_t a, uint64_t b) {
    uint64_t low = 0;
    uint64_t high = 0;
    for (int i = 0; i < 64; i++) {
        if ((b >> i & 1) != 0) {
            uint64_t sum = low + (a << i);
            high += (i > 0 ? a >> (64 - i) : 0) + (sum < low);
            low = sum;
        }
    }
    return low ^ high;
}

static uint64_t naive_word(const uint8_t *bytes, size_t size, size_t at) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8; i++) {
        word |= (at + i < size ? (uint64_t)bytes[at + i] : 0) << (8 * i);
    }
    return word;
}

static uint64_t naive_step(uint64_t state, uint64_t first, uint64_t second) {
    return naive_fold(state ^ first, second ^ UINT64_C(0x8c1f6a39d57be2e5));
}

/* As the format says it. */
static uint64_t naive_checksum(const uint8_t *bytes, size_t size) {
    uint64_t lane[4] = {UINT64_C(0x6a09e667f3bcc908), UINT64_C(0x3c6ef372fe94f82b),
                        UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f)};
    size_t at = 0;
    for (; at + 64 <= size; at += 64) {
        for (size_t i = 0; i < 4; i++) {
            lane[i] = naive_step(lane[i], naive_word(bytes, size, at + i * 16),
                                 naive_word(bytes, size, at + i * 16 + 8));
        }
    }
    uint64_t state = UINT64_C(0x1f83d9abfb41bd6b);
    if (at > 0) {
        state = naive_step(state, lane[0], lane[1]);
        state = naive_step(state, lane[2], lane[3]);
    }
    for (; at < size; at += 16) {
        state = naive_step(state, naive_word(bytes, size, at), naive_word(bytes, size, at + 8));
    }
    uint64_t x = (state ^ size) + UINT64_C(0x5be0cd19137e2179);
    x = (x ^ x >> 32) * UINT64_C(0xa54ff53a5f1d36f1);
    x = (x ^ x >> 29) * UINT64_C(0xbb67ae8584caa73b);
    return x ^ x >> 32;
}

/* SNP-02: on machines with and without numbers of 128 bits. */
static void fold_is_the_same_in_every_way(void **state) {
    (void)state;
    static const uint64_t edges[] = {
        0, 1, 2, UINT32_MAX, 1ull << 32, 1ull << 63, UINT64_MAX - 1, UINT64_MAX};
    enum { EDGES = sizeof edges / sizeof *edges };
    support_random random = {17};
    for (size_t i = 0; i < 20000; i++) {
        uint64_t a = i < EDGES * EDGES ? edges[i / EDGES] : support_random_next(&random);
        uint64_t b = i < EDGES * EDGES ? edges[i % EDGES] : support_random_next(&random);
        assert_true(stoa__fold(a, b) == naive_fold(a, b));
        assert_true(stoa__fold_halves(a, b) == naive_fold(a, b));
    }
}

/* SNP-02 */
static void hash_is_what_the_format_says(void **state) {
    (void)state;
    uint8_t bytes[700];
    bytes_fill(bytes, sizeof bytes, 7);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        assert_true(stoa__hash_bytes(bytes, size) == naive_checksum(bytes, size));
    }
    /* For ever: files depend on it. */
    assert_true(stoa__hash_bytes("", 0) == UINT64_C(0x4e9a4e6e6cb799bd));
    assert_true(stoa__hash_bytes("ECS", 3) == UINT64_C(0xf4fa1909712e20f7));
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

/* SNP-05: each bit, and since no two of the results agree, each two bits of what has one flipped.
 */
static void every_flipped_bit_shows(void **state) {
    (void)state;
    enum { SIZE = 601, BITS = SIZE * 8 };
    static uint64_t hashes[BITS + 1];
    uint8_t bytes[SIZE];
    for (int content = 0; content < CONTENTS; content++) {
        content_make(bytes, SIZE, content);
        hashes[BITS] = stoa__hash_bytes(bytes, SIZE);
        for (size_t bit = 0; bit < BITS; bit++) {
            bit_flip(bytes, bit);
            hashes[bit] = stoa__hash_bytes(bytes, SIZE);
            bit_flip(bytes, bit);
        }
        assert_all_differ(hashes, BITS + 1);
    }
}

/* SNP-05: words of one lane meet, in the next stripe and in later ones. */
static void flips_in_two_stripes_of_a_lane_show(void **state) {
    (void)state;
    uint8_t bytes[256];
    for (int content = 0; content < CONTENTS; content++) {
        content_make(bytes, sizeof bytes, content);
        uint64_t sound = stoa__hash_bytes(bytes, sizeof bytes);
        for (size_t first = 0; first < 512; first++) {
            bit_flip(bytes, first);
            for (size_t i = 0; i < 384; i++) {
                size_t second = 512 * (1 + i / 128) + first / 128 * 128 + i % 128;
                bit_flip(bytes, second);
                assert_true(stoa__hash_bytes(bytes, sizeof bytes) != sound);
                bit_flip(bytes, second);
            }
            bit_flip(bytes, first);
        }
    }
}

/* SNP-05: two bits, or two words, anywhere. */
static void two_flips_anywhere_show(void **state) {
    (void)state;
    enum { SIZE = 800, SAMPLES = 100000 };
    uint8_t bytes[SIZE];
    uint8_t damaged[SIZE];
    support_random random = {23};
    for (int content = 0; content < CONTENTS; content++) {
        content_make(bytes, SIZE, content);
        uint64_t sound = stoa__hash_bytes(bytes, SIZE);
        memcpy(damaged, bytes, SIZE);
        for (int sample = 0; sample < SAMPLES; sample++) {
            size_t first = support_random_below(&random, SIZE * 8);
            size_t second = support_random_below(&random, SIZE * 8 - 1);
            second += second >= first;
            bit_flip(damaged, first);
            bit_flip(damaged, second);
            assert_true(stoa__hash_bytes(damaged, SIZE) != sound);
            bit_flip(damaged, first);
            bit_flip(damaged, second);

            size_t a = support_random_below(&random, SIZE / 8) * 8;
            size_t b = support_random_below(&random, SIZE / 8) * 8;
            uint64_t change = support_random_next(&random);
            uint64_t other = sample % 2 == 0 ? change : support_random_next(&random);
            for (size_t i = 0; i < 8; i++) {
                damaged[a + i] ^= (uint8_t)(change >> (8 * i));
                damaged[b + i] ^= (uint8_t)(other >> (8 * i));
            }
            assert_true(memcmp(damaged, bytes, SIZE) == 0 ||
                        stoa__hash_bytes(damaged, SIZE) != sound);
            memcpy(damaged + a, bytes + a, 8);
            memcpy(damaged + b, bytes + b, 8);
        }
    }
}

/* SNP-05: blocks of words, steps, stripes and pages that changed places. */
static void swapped_blocks_show(void **state) {
    (void)state;
    enum { BLOCKS = 24, LARGEST = 4096 };
    static const size_t sizes[] = {8, 16, 32, 64, 128, 512, LARGEST};
    static uint8_t bytes[BLOCKS * LARGEST];
    static uint8_t block[LARGEST];
    bytes_fill(bytes, sizeof bytes, 29);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t size = sizes[s];
        uint64_t sound = stoa__hash_bytes(bytes, BLOCKS * size);
        for (size_t a = 0; a < BLOCKS; a++) {
            for (size_t b = 0; b < a; b++) {
                uint8_t *first = bytes + a * size;
                uint8_t *second = bytes + b * size;
                for (int back = 0; back < 2; back++) {
                    memcpy(block, first, size);
                    memcpy(first, second, size);
                    memcpy(second, block, size);
                    assert_true((stoa__hash_bytes(bytes, BLOCKS * size) == sound) == (back == 1));
                }
            }
        }
    }
}

/* SNP-05: what a disk that failed leaves: a run of zeros for what was there, or fewer bytes. */
static void zeroed_runs_and_short_ends_show(void **state) {
    (void)state;
    enum { SIZE = 512 };
    uint8_t bytes[SIZE];
    uint8_t damaged[SIZE];
    bytes_fill(bytes, SIZE, 31);
    uint64_t sound = stoa__hash_bytes(bytes, SIZE);
    for (size_t first = 0; first < SIZE; first += 5) {
        for (size_t end = first + 8; end <= SIZE; end += 3) {
            memcpy(damaged, bytes, SIZE);
            memset(damaged + first, 0, end - first);
            assert_true(stoa__hash_bytes(damaged, SIZE) != sound);
        }
    }
    for (size_t size = 0; size < SIZE; size++) {
        assert_true(stoa__hash_bytes(bytes, size) != sound);
    }
}

/* SNP-05: values between zeros, one place further. */
static void moved_values_show(void **state) {
    (void)state;
    enum { SIZE = 1024 };
    static uint64_t hashes[SIZE];
    uint8_t bytes[SIZE] = {0};
    for (size_t at = 0; at < SIZE; at++) {
        bytes[at] = 1;
        hashes[at] = stoa__hash_bytes(bytes, SIZE);
        bytes[at] = 0;
    }
    assert_all_differ(hashes, SIZE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fold_is_the_same_in_every_way),
        cmocka_unit_test(hash_is_what_the_format_says),
        cmocka_unit_test(every_flipped_bit_shows),
        cmocka_unit_test(flips_in_two_stripes_of_a_lane_show),
        cmocka_unit_test(two_flips_anywhere_show),
        cmocka_unit_test(swapped_blocks_show),
        cmocka_unit_test(zeroed_runs_and_short_ends_show),
        cmocka_unit_test(moved_values_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The checksum of what is saved: the same for the same bytes however they come, and another one
 * for any others. */
#include "base/checksum.h"
#include "support/support.h"

#include <stdlib.h>

/* As the format says it, word by word. */
static uint64_t naive_step(uint64_t state, uint64_t word) {
    state ^= word;
    state = state << 29 | state >> 35;
    return state * UINT64_C(0xa54ff53a5f1d36f1);
}

static uint64_t naive_checksum(const uint8_t *bytes, size_t size) {
    uint64_t lane[8] = {
        UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b),
        UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f), UINT64_C(0x1f83d9abfb41bd6b),
        UINT64_C(0x5be0cd19137e2179), UINT64_C(0xcbbb9d5dc1059ed8),
    };
    for (size_t stripe = 0; stripe <= size / 64; stripe++) {
        for (size_t i = 0; i < 8; i++) {
            uint64_t word = 0;
            for (size_t k = 0; k < 8; k++) {
                size_t at = stripe * 64 + i * 8 + k;
                word |= (at < size ? (uint64_t)bytes[at] : 0) << (8 * k);
            }
            lane[i] = naive_step(lane[i], word);
        }
    }
    uint64_t state = size;
    for (size_t i = 0; i < 8; i++) {
        state = naive_step(state, lane[i]);
    }
    state = (state ^ state >> 32) * UINT64_C(0xa54ff53a5f1d36f1);
    return state ^ state >> 29;
}

static void bytes_fill(uint8_t *bytes, size_t size, uint32_t seed) {
    support_random random = {seed};
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)support_random_next(&random);
    }
}

/* SNP-02 */
static void checksum_is_what_the_format_says(void **state) {
    (void)state;
    uint8_t bytes[1000];
    bytes_fill(bytes, sizeof bytes, 7);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        assert_true(stoa__checksum_of(bytes, size) == naive_checksum(bytes, size));
    }
    /* For ever: files depend on it. */
    assert_true(stoa__checksum_of("", 0) == UINT64_C(0x902c609919efa7d4));
    assert_true(stoa__checksum_of("ECS", 3) == UINT64_C(0xf54ab4acd28d46d1));
}

/* SNP-02 */
static void checksum_does_not_depend_on_pieces(void **state) {
    (void)state;
    enum { SIZE = 6000 };
    uint8_t *bytes = malloc(SIZE);
    uint8_t *copy = malloc(SIZE + 64);
    bytes_fill(bytes, SIZE, 11);
    for (uint32_t seed = 1; seed <= 400; seed++) {
        support_random random = {seed};
        size_t shift = support_random_below(&random, 64);
        size_t size = support_random_below(&random, SIZE);
        memset(copy, 0xEE, SIZE + 64);
        stoa__checksum checksum;
        stoa__checksum_init(&checksum);
        for (size_t at = 0; at < size;) {
            size_t part = 1 + support_random_below(&random, seed % 3 == 0 ? 5000 : 150);
            part = part < size - at ? part : size - at;
            if (support_random_below(&random, 3) == 0) {
                stoa__checksum_add(&checksum, bytes + at, part);
                memcpy(copy + shift + at, bytes + at, part);
            } else {
                stoa__checksum_copy(&checksum, copy + shift + at, bytes + at, part,
                                    support_random_below(&random, 2) == 0);
            }
            at += part;
        }
        assert_true(stoa__checksum_result(&checksum) == naive_checksum(bytes, size));
        assert_memory_equal(copy + shift, bytes, size);
        for (size_t i = 0; i < SIZE + 64; i++) {
            assert_true((i >= shift && i < shift + size) || copy[i] == 0xEE);
        }
    }
    free(bytes);
    free(copy);
}

/* SNP-05: one bit, two bits of equal place in words that meet in a lane, a byte more or less. */
static void small_damage_shows(void **state) {
    (void)state;
    uint8_t bytes[512] = {0};
    uint64_t sound = stoa__checksum_of(bytes, sizeof bytes);
    for (size_t bit = 0; bit < sizeof bytes * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(stoa__checksum_of(bytes, sizeof bytes) != sound);
        for (size_t other = bit + 512; other < sizeof bytes * 8; other += 512) {
            bytes[other / 8] ^= (uint8_t)(1u << other % 8);
            assert_true(stoa__checksum_of(bytes, sizeof bytes) != sound);
            bytes[other / 8] ^= (uint8_t)(1u << other % 8);
        }
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t size = 0; size < sizeof bytes; size++) {
        assert_true(stoa__checksum_of(bytes, size) != sound);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksum_is_what_the_format_says),
        cmocka_unit_test(checksum_does_not_depend_on_pieces),
        cmocka_unit_test(small_damage_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

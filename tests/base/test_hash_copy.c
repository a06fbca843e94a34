/* Hashing while copying: the same hash as without, and the same bytes as memcpy leaves, wherever
 * they lie and however they are cut. */
#include "base/hash.h"
#include "support/support.h"

#include <stdlib.h>

#define GUARD 0xEE

static void bytes_fill(uint8_t *bytes, size_t size, uint64_t seed) {
    support_random random = {seed};
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)support_random_next(&random);
    }
}

static void assert_only_copied(const uint8_t *copy, size_t room, size_t shift, const uint8_t *bytes,
                               size_t size) {
    assert_memory_equal(copy + shift, bytes, size);
    for (size_t i = 0; i < room; i++) {
        assert_true((i >= shift && i < shift + size) || copy[i] == GUARD);
    }
}

/* SNP-02 */
static void hash_does_not_depend_on_pieces(void **state) {
    (void)state;
    enum { SIZE = 6000, ROOM = SIZE + 64 };
    uint8_t *bytes = malloc(SIZE);
    uint8_t *copy = malloc(ROOM);
    bytes_fill(bytes, SIZE, 11);
    for (uint32_t seed = 1; seed <= 400; seed++) {
        support_random random = {seed};
        size_t shift = support_random_below(&random, 64);
        size_t size = support_random_below(&random, SIZE);
        memset(copy, GUARD, ROOM);
        stoa__hasher hasher;
        stoa__hasher_init(&hasher);
        for (size_t at = 0; at < size;) {
            size_t part = support_random_below(&random, seed % 3 == 0 ? 5000 : 150);
            part = part < size - at ? part : size - at;
            if (support_random_below(&random, 3) == 0) {
                stoa__hasher_add(&hasher, bytes + at, part);
                memcpy(copy + shift + at, bytes + at, part);
            } else {
                stoa__hasher_copy(&hasher, copy + shift + at, bytes + at, part,
                                  support_random_below(&random, 2) == 0);
            }
            at += part;
        }
        assert_true(stoa__hasher_result(&hasher) == stoa__hash_bytes(bytes, size));
        assert_only_copied(copy, ROOM, shift, bytes, size);
    }
    free(bytes);
    free(copy);
}

/* SNP-02: every alignment of both places against the stripes and against each other, of sizes on
 * both sides of those that are copied past the caches. */
static void hash_does_not_depend_on_alignment(void **state) {
    (void)state;
    enum { SIZE = 1200, ROOM = SIZE + 128 };
    static const size_t sizes[] = {0, 1, 63, 64, 65, 130, 1023, 1024, 1025, 1088, 1187};
    uint8_t *from = malloc(ROOM);
    uint8_t *copy = malloc(ROOM);
    bytes_fill(from, ROOM, 12);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t shift = 0; shift < 64; shift++) {
            for (size_t start = 0; start < 64; start += 7) {
                memset(copy, GUARD, ROOM);
                stoa__hasher hasher;
                stoa__hasher_init(&hasher);
                stoa__hasher_copy(&hasher, copy + shift, from + start, sizes[i], true);
                assert_true(stoa__hasher_result(&hasher) ==
                            stoa__hash_bytes(from + start, sizes[i]));
                assert_only_copied(copy, ROOM, shift, from + start, sizes[i]);
            }
        }
    }
    free(from);
    free(copy);
}

/* SNP-02: a stripe that is begun before the copy is filled up by it. */
static void copy_goes_on_where_the_hash_is(void **state) {
    (void)state;
    enum { SIZE = 1400 };
    static uint8_t bytes[SIZE];
    static uint8_t copy[SIZE];
    bytes_fill(bytes, SIZE, 13);
    for (size_t before = 0; before <= 130; before++) {
        for (int far = 0; far <= 1; far++) {
            size_t size = SIZE - before - before % 5;
            stoa__hasher hasher;
            stoa__hasher_init(&hasher);
            stoa__hasher_add(&hasher, bytes, before);
            stoa__hasher_copy(&hasher, copy, bytes + before, size, far != 0);
            stoa__hasher_copy(&hasher, copy, NULL, 0, far != 0);
            assert_true(stoa__hasher_result(&hasher) == stoa__hash_bytes(bytes, before + size));
            assert_memory_equal(copy, bytes + before, size);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_does_not_depend_on_pieces),
        cmocka_unit_test(hash_does_not_depend_on_alignment),
        cmocka_unit_test(copy_goes_on_where_the_hash_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

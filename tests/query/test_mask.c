/* Rows as bits, against the same question asked of one row at a time. */
#include "query/mask.h"
#include "support/support.h"

/* Distances from the tick asked for: around it, and around half the circle. */
static const uint32_t distances[] = {
    0u,          1u,          2u,          127u,        128u,        255u,        256u,
    32767u,      32768u,      65535u,      65536u,      0x7FFFFFFEu, 0x7FFFFFFFu, 0x80000000u,
    0x80000001u, 0xFFFF7FFFu, 0xFFFF8000u, 0xFFFFFF7Fu, 0xFFFFFF80u, 0xFFFFFFFEu, 0xFFFFFFFFu};

#define DISTANCES (sizeof distances / sizeof distances[0])

static uint64_t naive_newer(const uint32_t *ticks, uint32_t count, uint32_t since) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count && i < 64; i++) {
        bits |= (uint64_t)((int32_t)(ticks[i] - since) > 0) << i;
    }
    return bits;
}

/* CHG-01 QRY-08 */
static void one_tick_of_64_is_told_at_its_place(void **state) {
    (void)state;
    for (size_t d = 0; d < DISTANCES; d++) {
        for (uint32_t at = 0; at < 64; at++) {
            uint32_t ticks[64], since = 0xFFFFFFF0u;
            for (uint32_t i = 0; i < 64; i++) {
                ticks[i] = since;
            }
            ticks[at] += distances[d];
            assert_int_equal(stoa__mask_newer_64(ticks, since), naive_newer(ticks, 64, since));
        }
    }
}

/* CHG-01 QRY-08 */
static void any_ticks_are_told_as_one_by_one(void **state) {
    (void)state;
    stoa_random random = stoa_random_new(7, 1);
    for (int round = 0; round < 2000; round++) {
        uint32_t ticks[64], since = (uint32_t)stoa_random_bits(&random);
        uint32_t count = stoa_random_below(&random, 65);
        for (uint32_t i = 0; i < 64; i++) {
            ticks[i] = since + distances[stoa_random_below(&random, (uint32_t)DISTANCES)];
        }
        assert_int_equal(stoa__mask_newer(ticks, count, since), naive_newer(ticks, count, since));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_tick_of_64_is_told_at_its_place),
        cmocka_unit_test(any_ticks_are_told_as_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Integers of any size, read unaligned. */
#include "base/number.h"
#include "support/support.h"

/* CMP-06 */
static void numbers_are_read_from_any_address(void **state) {
    (void)state;
    static const uint64_t numbers[] = {0, 1, 0x7F, 0x80, 0xFFFE, UINT32_MAX, UINT64_C(1) << 63};
    uint8_t bytes[16];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (size_t at = 0; at < 8; at++) {
            uint8_t one = (uint8_t)numbers[i];
            uint16_t two = (uint16_t)numbers[i];
            uint32_t four = (uint32_t)numbers[i];
            memset(bytes, 0xEE, sizeof bytes);
            memcpy(bytes + at, &one, sizeof one);
            assert_true(stoa__number_read(bytes + at, 1) == one);
            memcpy(bytes + at, &two, sizeof two);
            assert_true(stoa__number_read(bytes + at, 2) == two);
            memcpy(bytes + at, &four, sizeof four);
            assert_true(stoa__number_read(bytes + at, 4) == four);
            memcpy(bytes + at, &numbers[i], sizeof numbers[i]);
            assert_true(stoa__number_read(bytes + at, 8) == numbers[i]);
        }
    }
}

/* CMP-06 */
static void signs_are_in_the_highest_bit_of_their_size(void **state) {
    (void)state;
    assert_true(stoa__number_signed(0x7F, 1) == 127);
    assert_true(stoa__number_signed(0x80, 1) == -128);
    assert_true(stoa__number_signed(0xFFFF, 2) == -1);
    assert_true(stoa__number_signed(0x80, 2) == 128);
    assert_true(stoa__number_signed(UINT32_MAX, 4) == -1);
    assert_true(stoa__number_signed(UINT32_MAX, 8) == UINT32_MAX);
    assert_true(stoa__number_signed(UINT64_C(1) << 63, 8) == INT64_MIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_from_any_address),
        cmocka_unit_test(signs_are_in_the_highest_bit_of_their_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

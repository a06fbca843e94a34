/* Copying past the caches: the bytes, and no others. */
#include "base/far.h"
#include "support/support.h"

#define LINES 40u

/* SNP-08 */
static void far_copy_copies_every_size_and_nothing_more(void **state) {
    (void)state;
    static _Alignas(64) uint8_t to[LINES * 64 + 64];
    static uint8_t from[LINES * 64 + 1];
    support_random random = {3};
    for (size_t i = 0; i < sizeof from; i++) {
        from[i] = (uint8_t)support_random_next(&random);
    }
    for (size_t size = 0; size <= LINES * STOA__FAR_LINE; size++) {
        memset(to, 0xEE, sizeof to);
        stoa__far_copy(to, from + size % 2, size);
        assert_memory_equal(to, from + size % 2, size);
        for (size_t i = size; i < size + 64; i++) {
            assert_int_equal(to[i], 0xEE);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_copy_copies_every_size_and_nothing_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

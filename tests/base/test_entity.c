/* Handles as values: packed, compared, hashed and printed. */
#include "support/support.h"

static const stoa_entity samples[] = {
    {0, 0},
    {0, 1},
    {1, 0},
    {1, 1},
    {17, 3},
    {3, 17},
    {1, UINT32_MAX},
    {UINT32_MAX, 1},
    {UINT32_MAX, UINT32_MAX},
    {UINT32_C(0x80000000), UINT32_C(0x7fffffff)},
};
#define SAMPLE_COUNT (sizeof samples / sizeof *samples)

/* ENT-12 */
static void packed_handle_comes_back_whole(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        stoa_entity back = stoa_entity_unpack(stoa_entity_pack(samples[i]));
        assert_int_equal(back.index, samples[i].index);
        assert_int_equal(back.generation, samples[i].generation);
    }
    support_random random = {12};
    for (int i = 0; i < 10000; i++) {
        uint64_t number = (uint64_t)support_random_next(&random) << 32;
        number |= support_random_next(&random);
        assert_true(stoa_entity_pack(stoa_entity_unpack(number)) == number);
    }
}

/* ENT-12 */
static void different_handles_pack_differently(void **state) {
    (void)state;
    for (size_t a = 0; a < SAMPLE_COUNT; a++) {
        for (size_t b = 0; b < a; b++) {
            assert_true(stoa_entity_pack(samples[a]) != stoa_entity_pack(samples[b]));
        }
    }
    assert_true(stoa_entity_pack(STOA_NULL) == 0);
    assert_true(stoa_entity_pack((stoa_entity){17, 3}) == UINT64_C(0x300000011));
}

/* ENT-13 */
static void only_the_zero_handle_is_null(void **state) {
    (void)state;
    stoa_entity zeroed;
    memset(&zeroed, 0, sizeof zeroed);
    assert_true(stoa_entity_is_null(zeroed));
    assert_true(stoa_entity_is_null(STOA_NULL));
    for (size_t i = 1; i < SAMPLE_COUNT; i++) {
        assert_false(stoa_entity_is_null(samples[i]));
    }
}

/* ENT-13 */
static void handles_are_equal_only_in_both_members(void **state) {
    (void)state;
    for (size_t a = 0; a < SAMPLE_COUNT; a++) {
        for (size_t b = 0; b < SAMPLE_COUNT; b++) {
            assert_int_equal(stoa_entity_eq(samples[a], samples[b]), a == b);
        }
    }
}

/* ENT-13 */
static void neighbouring_handles_hash_apart(void **state) {
    (void)state;
    enum { BUCKETS = 4096 };
    static uint8_t load[BUCKETS];
    memset(load, 0, sizeof load);
    for (uint32_t generation = 1; generation <= 4; generation++) {
        for (uint32_t index = 1; index <= BUCKETS / 4; index++) {
            stoa_entity e = {index, generation};
            assert_true(stoa_entity_hash(e) == stoa_entity_hash(e));
            load[stoa_entity_hash(e) % BUCKETS]++;
        }
    }
    /* One per bucket on average; chance would hardly make it ten. */
    for (int i = 0; i < BUCKETS; i++) {
        assert_in_range(load[i], 0, 9);
    }
}

/* ENT-13 */
static void hash_is_the_same_on_every_machine(void **state) {
    (void)state;
    assert_true(stoa_entity_hash((stoa_entity){17, 3}) == UINT64_C(0x72f75b9c950e9310));
    assert_true(stoa_entity_hash(STOA_NULL) == UINT64_C(0x5df40810fd97ee2e));
}

/* ENT-13 */
static void handle_prints_as_index_and_generation(void **state) {
    (void)state;
    char buffer[STOA_ENTITY_TEXT_SIZE];
    stoa_entity e = {17, 3};
    assert_ptr_equal(stoa_entity_print(e, buffer, sizeof buffer), buffer);
    assert_string_equal(buffer, "17v3");
    assert_string_equal(stoa_entity_print(STOA_NULL, buffer, sizeof buffer), "0v0");
    e = (stoa_entity){UINT32_MAX, UINT32_MAX};
    assert_string_equal(stoa_entity_print(e, buffer, sizeof buffer), "4294967295v4294967295");
}

/* ENT-13 GEN-05 */
static void print_is_cut_to_the_buffer(void **state) {
    (void)state;
    stoa_entity e = {1234, 5678};
    const char *whole = "1234v5678";
    for (size_t size = 0; size <= 12; size++) {
        char buffer[16];
        memset(buffer, '#', sizeof buffer);
        assert_ptr_equal(stoa_entity_print(e, buffer, size), buffer);
        size_t length = size == 0 ? 0 : size - 1 < strlen(whole) ? size - 1 : strlen(whole);
        assert_memory_equal(buffer, whole, length);
        if (size > 0) {
            assert_int_equal(buffer[length], '\0');
        }
        for (size_t i = size; i < sizeof buffer; i++) {
            assert_int_equal(buffer[i], '#');
        }
    }
    assert_null(stoa_entity_print(e, NULL, 0));
    assert_null(stoa_entity_print(e, NULL, 100));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_handle_comes_back_whole),
        cmocka_unit_test(different_handles_pack_differently),
        cmocka_unit_test(only_the_zero_handle_is_null),
        cmocka_unit_test(handles_are_equal_only_in_both_members),
        cmocka_unit_test(neighbouring_handles_hash_apart),
        cmocka_unit_test(hash_is_the_same_on_every_machine),
        cmocka_unit_test(handle_prints_as_index_and_generation),
        cmocka_unit_test(print_is_cut_to_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Random numbers are the same on every machine, even, and independent from stream to stream.
 *
 * All seeds are fixed, so the bounds below are met always or never. */
#include "stoa/random.h"
#include "support/support.h"

static void numbers_are_the_same_on_every_machine(void **state) {
    (void)state;
    static const struct {
        uint64_t seed;
        uint64_t stream;
        uint64_t numbers[4];
    } golden[] = {
        {0,
         0,
         {UINT64_C(0x70868335b533f422), UINT64_C(0x655204215d9c3444), UINT64_C(0xb0456bd59750fae3),
          UINT64_C(0xddb8fc7336c2fdf4)}},
        {0,
         1,
         {UINT64_C(0x0010f9a66bb99a9f), UINT64_C(0x6b033b30d3130e50), UINT64_C(0x675ae0d37e674531),
          UINT64_C(0xde3fb29add4ce5c3)}},
        {1,
         0,
         {UINT64_C(0xab57ed741816707c), UINT64_C(0x848800b46a304c57), UINT64_C(0xd3a184e21fbe162b),
          UINT64_C(0x98df8168794ecca0)}},
        {42,
         7,
         {UINT64_C(0x43ca6acdf31d428b), UINT64_C(0x96293fb107bde01a), UINT64_C(0x72e30dd5c61dcdf6),
          UINT64_C(0xc45b3237861e83c5)}},
        {UINT64_MAX,
         UINT64_MAX,
         {UINT64_C(0x7b36fabb63ed0169), UINT64_C(0xd3f6bbd71eeeedc6), UINT64_C(0xf719ca98e587f942),
          UINT64_C(0x8514491abf72ba65)}},
    };
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        stoa_random random = stoa_random_new(golden[i].seed, golden[i].stream);
        for (int k = 0; k < 4; k++) {
            assert_true(stoa_random_bits(&random) == golden[i].numbers[k]);
        }
    }
}

static void bounded_numbers_are_the_same_on_every_machine(void **state) {
    (void)state;
    static const struct {
        uint32_t count;
        uint32_t number;
    } golden[] = {
        {1, 0},
        {2, 0},
        {6, 1},
        {10, 2},
        {100, 57},
        {1000, 588},
        {1000000, 774667},
        {UINT32_C(3) << 30, 325200675},
        {UINT32_MAX, 3910332660},
        {UINT32_C(0x80000001), 1441824622},
    };
    stoa_random random = stoa_random_new(1, 2);
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        assert_int_equal(stoa_random_below(&random, golden[i].count), golden[i].number);
    }
    assert_true(random.state == UINT64_C(0xdf87e41a6d1489d2));
}

static void fractions_are_the_same_on_every_machine(void **state) {
    (void)state;
    static const double golden[] = {0x1.580a9cea9a6a0p-6, 0x1.4bcd22ac4ff0cp-2,
                                    0x1.06b63c2183220p-5, 0x1.a666ab91098f8p-3};
    stoa_random random = stoa_random_new(3, 4);
    for (int i = 0; i < 4; i++) {
        double unit = stoa_random_unit(&random);
        assert_memory_equal(&unit, &golden[i], sizeof unit);
    }
}

static void copied_generator_goes_on_alike(void **state) {
    (void)state;
    stoa_random random = stoa_random_new(5, 6);
    stoa_random_bits(&random);
    stoa_random copy = random;
    for (int i = 0; i < 100; i++) {
        assert_true(stoa_random_bits(&random) == stoa_random_bits(&copy));
    }
}

static void bounded_numbers_stay_below_and_reach_all(void **state) {
    (void)state;
    stoa_random random = stoa_random_new(7, 0);
    for (uint32_t count = 1; count <= 64; count++) {
        uint64_t seen = 0;
        for (int i = 0; i < 2000; i++) {
            uint32_t number = stoa_random_below(&random, count);
            assert_true(number < count);
            seen |= UINT64_C(1) << number;
        }
        assert_true(seen == UINT64_MAX >> (64 - count));
    }
}

/* 2^32 is no multiple of the count, and without drawing again every third number would come twice
 * as often as the others. */
static void bounded_numbers_are_even_where_the_count_does_not_divide(void **state) {
    (void)state;
    stoa_random random = stoa_random_new(8, 0);
    int hits[3] = {0};
    for (int i = 0; i < 30000; i++) {
        hits[stoa_random_below(&random, UINT32_C(3) << 30) % 3]++;
    }
    for (int i = 0; i < 3; i++) {
        assert_in_range(hits[i], 9700, 10300);
    }
}

static void count_of_none_is_0(void **state) {
    (void)state;
    stoa_random random = stoa_random_new(9, 0);
    assert_int_equal(stoa_random_below(&random, 0), 0);
}

static void fractions_are_even_and_below_1(void **state) {
    (void)state;
    stoa_random random = stoa_random_new(10, 0);
    int hits[10] = {0};
    for (int i = 0; i < 100000; i++) {
        double unit = stoa_random_unit(&random);
        assert_true(unit >= 0 && unit < 1);
        hits[(int)(unit * 10)]++;
    }
    for (int i = 0; i < 10; i++) {
        assert_in_range(hits[i], 9600, 10400);
    }
}

/* Found by going back from the number to the state that gives it. */
static const stoa_random before_largest = {UINT64_C(0xba23ead00f19e8fc)};
static const stoa_random before_smallest = {UINT64_C(0x418509bcb6050980)};

static void extremes_stay_in_range(void **state) {
    (void)state;
    stoa_random random = before_largest;
    assert_true(stoa_random_bits(&random) == UINT64_MAX);
    random = before_largest;
    assert_true(stoa_random_unit(&random) == 1 - 0x1.0p-53);
    random = before_largest;
    assert_int_equal(stoa_random_below(&random, UINT32_MAX), UINT32_MAX - 1);
    random = before_smallest;
    assert_true(stoa_random_bits(&random) == 0);
    random = before_smallest;
    assert_true(stoa_random_unit(&random) == 0);
    random = before_smallest;
    assert_int_equal(stoa_random_below(&random, 1024), 0);
}

static int bits_count(uint64_t word) {
    int count = 0;
    for (; word != 0; word &= word - 1) {
        count++;
    }
    return count;
}

/* Each bit of one number, against the same bit of another that should have nothing to do with it.
 */
static void assert_unrelated(stoa_random a, stoa_random b) {
    int different[64] = {0};
    long sum = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t change = stoa_random_bits(&a) ^ stoa_random_bits(&b);
        sum += bits_count(change);
        for (int bit = 0; bit < 64; bit++) {
            different[bit] += (int)(change >> bit & 1);
        }
    }
    assert_in_range(sum, 31400, 32600);
    for (int bit = 0; bit < 64; bit++) {
        assert_in_range(different[bit], 420, 580);
    }
}

static void neighbouring_streams_and_seeds_are_unrelated(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 16; i++) {
        assert_unrelated(stoa_random_new(i, 0), stoa_random_new(i + 1, 0));
        assert_unrelated(stoa_random_new(0, i), stoa_random_new(0, i + 1));
        assert_unrelated(stoa_random_new(i, i + 1), stoa_random_new(i + 1, i));
        assert_unrelated(stoa_random_new(i, 0), stoa_random_new(i, UINT64_C(1) << (48 + i)));
        /* One that is a few numbers ahead of the other. */
        stoa_random ahead = stoa_random_new(i, 3);
        for (uint64_t k = 0; k <= i; k++) {
            stoa_random_bits(&ahead);
        }
        assert_unrelated(stoa_random_new(i, 3), ahead);
    }
}

/* GEN-05 */
static void missing_generator_is_an_error(void **state) {
    (void)state;
    stoa_error_clear();
    assert_true(stoa_random_bits(NULL) == 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    stoa_error_clear();
    assert_int_equal(stoa_random_below(NULL, 3), 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    stoa_error_clear();
    assert_true(stoa_random_unit(NULL) == 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_the_same_on_every_machine),
        cmocka_unit_test(bounded_numbers_are_the_same_on_every_machine),
        cmocka_unit_test(fractions_are_the_same_on_every_machine),
        cmocka_unit_test(copied_generator_goes_on_alike),
        cmocka_unit_test(bounded_numbers_stay_below_and_reach_all),
        cmocka_unit_test(bounded_numbers_are_even_where_the_count_does_not_divide),
        cmocka_unit_test(count_of_none_is_0),
        cmocka_unit_test(fractions_are_even_and_below_1),
        cmocka_unit_test(extremes_stay_in_range),
        cmocka_unit_test(neighbouring_streams_and_seeds_are_unrelated),
        cmocka_unit_test(missing_generator_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

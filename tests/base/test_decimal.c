/* Floating point numbers as text: exact, shortest, the same everywhere. */
#include "base/decimal.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "support/support.h"

static const char *f32_of(float number) {
    static char buffer[64];
    stoa__writer writer = stoa__writer_new(buffer, sizeof buffer);
    stoa__writer_f32(&writer, number);
    assert_int_equal(strlen(buffer), writer.length);
    return buffer;
}

static const char *f64_of(double number) {
    static char buffer[64];
    stoa__writer writer = stoa__writer_new(buffer, sizeof buffer);
    stoa__writer_f64(&writer, number);
    assert_int_equal(strlen(buffer), writer.length);
    return buffer;
}

/* NAM-03 */
static void common_numbers_are_short(void **state) {
    (void)state;
    assert_string_equal(f32_of(1), "1");
    assert_string_equal(f32_of(2.5f), "2.5");
    assert_string_equal(f32_of(-0.1f), "-0.1");
    assert_string_equal(f32_of(16777216), "16777216");
    assert_string_equal(f32_of(100), "100");
    assert_string_equal(f32_of(0.3f), "0.3");
    assert_string_equal(f32_of(1.0f / 3), "0.33333334");
    assert_string_equal(f64_of(0.1), "0.1");
    assert_string_equal(f64_of((double)0.1f), "0.10000000149011612");
    assert_string_equal(f64_of(0.1 + 0.2), "0.30000000000000004");
    assert_string_equal(f64_of(1.0 / 3), "0.3333333333333333");
    assert_string_equal(f64_of(123456.789), "123456.789");
}

/* NAM-03 */
static void exponents_are_for_very_large_and_small_numbers(void **state) {
    (void)state;
    assert_string_equal(f64_of(1234567890123456.0), "1234567890123456");
    assert_string_equal(f64_of(1e15), "1000000000000000");
    assert_string_equal(f64_of(1e16), "1e16");
    assert_string_equal(f64_of(-1.5e300), "-1.5e300");
    assert_string_equal(f64_of(0.0001), "0.0001");
    assert_string_equal(f64_of(0.00012345), "0.00012345");
    assert_string_equal(f64_of(0.00001), "1e-5");
    assert_string_equal(f32_of(1.25e-7f), "1.25e-7");
    assert_string_equal(f64_of(9007199254740993.0), "9007199254740992");
}

/* NAM-03 */
static void limits_and_special_values_have_texts(void **state) {
    (void)state;
    assert_string_equal(f32_of(0), "0");
    assert_string_equal(f32_of(-0.0f), "-0");
    assert_string_equal(f64_of(-0.0), "-0");
    assert_string_equal(f32_of(INFINITY), "inf");
    assert_string_equal(f64_of(-INFINITY), "-inf");
    assert_string_equal(f32_of(NAN), "nan");
    assert_string_equal(f64_of(-NAN), "nan");
    assert_string_equal(f32_of(FLT_MAX), "3.4028235e38");
    assert_string_equal(f32_of(FLT_MIN), "1.1754944e-38");
    assert_string_equal(f32_of(FLT_TRUE_MIN), "1e-45");
    assert_string_equal(f64_of(DBL_MAX), "1.7976931348623157e308");
    assert_string_equal(f64_of(DBL_MIN), "2.2250738585072014e-308");
    assert_string_equal(f64_of(DBL_TRUE_MIN), "5e-324");
}

static int digits_of(const char *text) {
    int count = 0, zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text >= '1' && *text <= '9') {
            count += zeros + 1;
            zeros = 0;
        } else if (*text == '0' && count > 0) {
            zeros++;
        }
    }
    return count;
}

/* No text with one digit less, rounded as the C library does, reads back as the same. */
static void f64_verify(double number) {
    const char *text = f64_of(number);
    char shorter[64];
    double back = strtod(text, NULL);
    if (memcmp(&back, &number, sizeof back) != 0) {
        fail_msg("%a was printed as %s", number, text);
    }
    int digits = digits_of(text);
    for (int n = 1; n < digits; n++) {
        snprintf(shorter, sizeof shorter, "%.*e", n - 1, number);
        if (strtod(shorter, NULL) == number) {
            fail_msg("%a was printed as %s, not as %s", number, text, shorter);
        }
    }
}

static void f32_verify(float number) {
    const char *text = f32_of(number);
    char shorter[64];
    float back = strtof(text, NULL);
    if (memcmp(&back, &number, sizeof back) != 0) {
        fail_msg("%a was printed as %s", (double)number, text);
    }
    int digits = digits_of(text);
    for (int n = 1; n < digits; n++) {
        snprintf(shorter, sizeof shorter, "%.*e", n - 1, (double)number);
        if (strtof(shorter, NULL) == number) {
            fail_msg("%a was printed as %s, not as %s", (double)number, text, shorter);
        }
    }
}

/* NAM-03 */
static void random_numbers_read_back_and_are_shortest(void **state) {
    (void)state;
    support_random random = {20};
    for (int i = 0; i < 20000; i++) {
        uint32_t low = support_random_next(&random), high = support_random_next(&random);
        uint64_t bits = (uint64_t)high << 32 | low;
        double number;
        float single;
        memcpy(&number, &bits, sizeof number);
        memcpy(&single, &low, sizeof single);
        if (i % 3 == 0) {
            number = (double)(int32_t)low / 1000;
            single = (float)(int32_t)(high >> 12) / 8;
        } else if (i % 3 == 1) {
            /* Subnormal. */
            bits >>= 12 + high % 40;
            memcpy(&number, &bits, sizeof number);
        }
        if (isfinite(number)) {
            f64_verify(number);
        }
        if (isfinite(single)) {
            f32_verify(single);
        }
    }
    for (int exponent = -1074; exponent < 1024; exponent++) {
        f64_verify(ldexp(1, exponent));
    }
    for (int exponent = -149; exponent < 128; exponent++) {
        f32_verify(ldexpf(1, exponent));
    }
}

/* NAM-03: a comma of the locale does not show. */
static void locale_makes_no_difference(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_NUMERIC, names[i]) != NULL) {
            assert_string_equal(f64_of(2.5), "2.5");
            assert_string_equal(f32_of(0.001f), "0.001");
            assert_string_equal(f64_of(1.0 / 3), "0.3333333333333333");
            setlocale(LC_NUMERIC, "C");
            return;
        }
    }
    skip();
}

/* NAM-03 */
static void number_that_does_not_fit_is_counted(void **state) {
    (void)state;
    char buffer[6];
    stoa__writer writer = stoa__writer_new(buffer, sizeof buffer);
    stoa__writer_f64(&writer, -123.456);
    assert_string_equal(buffer, "-123.");
    assert_int_equal(writer.length, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_numbers_are_short),
        cmocka_unit_test(exponents_are_for_very_large_and_small_numbers),
        cmocka_unit_test(limits_and_special_values_have_texts),
        cmocka_unit_test(random_numbers_read_back_and_are_shortest),
        cmocka_unit_test(locale_makes_no_difference),
        cmocka_unit_test(number_that_does_not_fit_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

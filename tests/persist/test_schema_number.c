/* Every kind of number made into every other, at the ends of their ranges, held against a reference
 * that computes in long double, which holds all of them exactly. */
#include "persist/schema_fixture.h"
#include "persist/schema_reference.h"

#define VALUES_MAX 160

typedef struct values {
    uint8_t bytes[VALUES_MAX * 8];
    int32_t count;
} values;

static void values_add(values *v, kind k, long double value) {
    bool holds =
        kind_is_real(k) || (value >= lows[k] && value <= highs[k] && rintl(value) == value);
    bool narrows = k != F32 || !isfinite(value) || fabsl(value) <= (long double)FLT_MAX;
    if (holds && narrows && v->count < VALUES_MAX) {
        value_write(k, value, v->bytes + (size_t)v->count * sizes[k]);
        v->count++;
    }
}

static void values_make(values *v, kind k) {
    static const long double others[] = {
        0.5L,     1.5L,     2.5L,    -0.5L,   -1.5L,       0.1L,    -0.0L,
        254.5L,   255.5L,   127.5L,  -128.5L, 16777217.0L, 1e10L,   1e30L,
        -1e30L,   1e300L,   -1e300L, 1e-40L,  5e-324L,     3.5L,    9007199254740993.0L,
        DBL_MAX,  -DBL_MAX, DBL_MIN, FLT_MAX, -FLT_MAX,    FLT_MIN, 4294967295.5L,
        INFINITY, -INFINITY};
    v->count = 0;
    values_add(v, k, NAN);
    for (kind other = BOOL; other < KINDS; other++) {
        for (int step = -1; step <= 1; step++) {
            values_add(v, k, lows[other] + step);
            values_add(v, k, highs[other] + step);
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        values_add(v, k, others[i]);
    }
}

static bool values_equal(kind k, long double expected, const void *got) {
    long double value = value_read(k, got);
    if (isnan(expected)) {
        return isnan(value);
    }
    return value == expected && (!kind_is_real(k) || signbit(value) == signbit(expected));
}

static void pair_plan(migration *m, kind from, kind to, stoa_loss loss) {
    char old[32], now[32];
    uint8_t ignored[8], zero[8] = {0};
    snprintf(old, sizeof old, "{ %s n; }", names[from]);
    snprintf(now, sizeof now, "{ %s n; }", names[to]);
    m->loss = loss;
    assert_int_equal(migrate_fields(m, old, now, zero, ignored), STOA_OK);
}

static void clamped_check(migration *m, kind from, kind to, const values *v) {
    uint8_t got[VALUES_MAX * 8];
    assert_int_equal(migration_run(m, v->bytes, got, v->count), STOA_OK);
    for (int32_t i = 0; i < v->count; i++) {
        long double value = value_read(from, v->bytes + (size_t)i * sizes[from]), expected;
        reference(from, to, value, &expected);
        if (!values_equal(to, expected, got + (size_t)i * sizes[to])) {
            fail_msg("%s %Lg to %s: expected %Lg, got %Lg", names[from], value, names[to], expected,
                     value_read(to, got + (size_t)i * sizes[to]));
        }
    }
}

static void refused_check(migration *m, kind from, kind to, const values *v) {
    for (int32_t i = 0; i < v->count; i++) {
        const uint8_t *bytes = v->bytes + (size_t)i * sizes[from];
        long double value = value_read(from, bytes), expected;
        uint8_t got[8];
        bool exact = reference(from, to, value, &expected);
        stoa_status status = migration_run(m, bytes, got, 1);
        if (status != (exact ? STOA_OK : STOA_REFUSED)) {
            fail_msg("%s %Lg to %s: status %d", names[from], value, names[to], (int)status);
        }
        if (!exact) {
            support_assert_message("component 'T', member 'n': ");
        }
    }
}

/* SNP-06 */
static void every_pair_of_kinds_converts_as_the_reference_says(void **state) {
    migration *m = *state;
    static values v;
    if (LDBL_MANT_DIG < 64) {
        skip();
    }
    for (kind from = BOOL; from < KINDS; from++) {
        values_make(&v, from);
        assert_in_range(v.count, 2, VALUES_MAX - 1);
        for (kind to = BOOL; to < KINDS; to++) {
            pair_plan(m, from, to, STOA_LOSS_CLAMP);
            clamped_check(m, from, to, &v);
            pair_plan(m, from, to, STOA_LOSS_REFUSE);
            refused_check(m, from, to, &v);
        }
    }
}

static void message_check(migration *m, const char *old, const char *now, const void *value,
                          const char *expected) {
    uint8_t got[8];
    m->loss = STOA_LOSS_REFUSE;
    assert_int_equal(migrate_fields(m, old, now, value, got), STOA_REFUSED);
    support_assert_message(expected);
}

/* SNP-06 */
static void refusal_names_component_member_and_value(void **state) {
    migration *m = *state;
    message_check(m, "{ int hp; }", "{ uint8_t hp; }", &(int){-3},
                  "component 'T', member 'hp': -3 does not fit 8 bits without a sign");
    message_check(m, "{ uint64_t hp; }", "{ int64_t hp; }", &(uint64_t){UINT64_MAX},
                  "18446744073709551615 does not fit 64 bits");
    message_check(m, "{ double hp; }", "{ float hp; }", &(double){1e300},
                  "1e300 does not fit a float");
    message_check(m, "{ float hp; }", "{ int hp; }", &(float){0.1f}, "0.1 does not fit 32 bits");
    message_check(m, "{ int64_t hp; }", "{ double hp; }", &(int64_t){INT64_MAX},
                  "9223372036854775807 does not fit a double");
    message_check(m, "{ int hp; }", "{ bool hp; }", &(int){2}, "2 does not fit a bool");
    message_check(m, "{ float hp; }", "{ int hp; }", &(float){NAN}, "nan does not fit");
}

/* SNP-06 */
static void bool_that_is_neither_0_nor_1_counts_as_1(void **state) {
    migration *m = *state;
    uint8_t from[] = {0, 1, 2, 255, 128}, to[5];
    uint32_t wide[5];
    pair_plan(m, BOOL, BOOL, STOA_LOSS_REFUSE);
    assert_true(m->plan.copy && m->plan.settles);
    assert_int_equal(stoa__route_apply(&m->plan, from, to, 5), STOA_OK);
    assert_memory_equal(to, ((uint8_t[]){0, 1, 1, 1, 1}), 5);
    memcpy(to, from, 5);
    stoa__route_settle(&m->plan, to, 5);
    assert_memory_equal(to, ((uint8_t[]){0, 1, 1, 1, 1}), 5);
    pair_plan(m, BOOL, U32, STOA_LOSS_REFUSE);
    assert_int_equal(stoa__route_apply(&m->plan, from, wide, 5), STOA_OK);
    assert_memory_equal(wide, ((uint32_t[]){0, 1, 1, 1, 1}), sizeof wide);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, migration_open, migration_close)
    const struct CMUnitTest tests[] = {
        TEST(every_pair_of_kinds_converts_as_the_reference_says),
        TEST(refusal_names_component_member_and_value),
        TEST(bool_that_is_neither_0_nor_1_counts_as_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

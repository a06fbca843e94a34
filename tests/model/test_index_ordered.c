/* Ordered indexes: ranges, the nearest value, floats that are no numbers; and the order of entities
 * that have one value. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "index_fixture.h"

STOA_COMPONENT_WITH(Serial, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { int64_t number; });
STOA_COMPONENT_WITH(Height, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { float metres; });
STOA_COMPONENT_WITH(Wide, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { double value; });
STOA_COMPONENT_WITH(Small, STOA_OPTIONS(.flags = STOA_IMMUTABLE), {
    uint64_t large;
    int8_t tiny;
    char letter;
    bool flag;
});

static stoa_found range(stoa_index *index, int64_t low, int64_t high) {
    return stoa_index_range(index, &low, &high);
}

static stoa_entity nearest(stoa_index *index, int64_t number) {
    return stoa_index_nearest(index, &number);
}

/* IDX-01 */
static void range_goes_by_value_then_by_entity(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_ordered_on(w, Serial, number);
    static const int64_t numbers[] = {5, -3, INT64_MIN, 5, INT64_MAX, 0, -3};
    stoa_entity e[7];
    for (int i = 0; i < 7; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Serial, {numbers[i]}));
    }
    expect_found(stoa_index_range(index, NULL, NULL), e[2], e[1], e[6], e[5], e[0], e[3], e[4]);
    expect_found(range(index, -3, 5), e[1], e[6], e[5], e[0], e[3]);
    expect_found(range(index, -2, 4), e[5]);
    expect_none(range(index, 6, 100));
    expect_none(range(index, 5, -3));
    expect_found(stoa_index_range(index, STOA_KEY(int64_t, 1), NULL), e[0], e[3], e[4]);
    expect_found(stoa_index_range(index, NULL, STOA_KEY(int64_t, -4)), e[2]);
    assert_int_equal(stoa_index_count(index, STOA_KEY(int64_t, 5)), 2);
    assert_int_equal(stoa_index_count(index, STOA_KEY(int64_t, 4)), 0);
    expect_entity(stoa_index_first(index, STOA_KEY(int64_t, -3)), e[1]);
    expect_entity(stoa_index_first(index, STOA_KEY(int64_t, -2)), STOA_NULL);
}

/* IDX-01 */
static void nearest_prefers_the_lower_value_then_the_lower_entity(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_ordered_on(w, Serial, number);
    expect_entity(nearest(index, 0), STOA_NULL);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Serial, {10}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Serial, {20}));
    stoa_entity c = stoa_create_with(w, STOA_VALUE(Serial, {10}));
    expect_entity(nearest(index, 15), a);
    expect_entity(nearest(index, 16), b);
    expect_entity(nearest(index, 14), a);
    expect_entity(nearest(index, 10), a);
    expect_entity(nearest(index, INT64_MIN), a);
    expect_entity(nearest(index, INT64_MAX), b);
    stoa_destroy(w, a);
    expect_entity(nearest(index, 15), c);
    /* Differences that no int64_t holds. */
    stoa_entity d = stoa_create_with(w, STOA_VALUE(Serial, {INT64_MAX}));
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Serial, {INT64_MIN}));
    stoa_destroy(w, b);
    stoa_destroy(w, c);
    expect_entity(nearest(index, 0), d);
    expect_entity(nearest(index, -1), e);
}

/* IDX-01 */
static void nearest_of_floats_measures_floats(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_ordered_on(w, Height, metres);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Height, {-1.0f}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Height, {100.0f}));
    /* By the bits 10 is nearer to 100 than to -1. */
    expect_entity(stoa_index_nearest(index, STOA_KEY(float, 10.0f)), a);
    expect_entity(stoa_index_nearest(index, STOA_KEY(float, 60.0f)), b);
    expect_entity(stoa_index_nearest(index, STOA_KEY(float, NAN)), STOA_NULL);
    stoa_entity c = stoa_create_with(w, STOA_VALUE(Height, {NAN}));
    expect_entity(stoa_index_nearest(index, STOA_KEY(float, NAN)), c);
    expect_entity(stoa_index_nearest(index, STOA_KEY(float, INFINITY)), b);
    expect_found(stoa_index_range(index, NULL, NULL), a, b, c);
    expect_found(stoa_index_range(index, NULL, STOA_KEY(float, INFINITY)), a, b);
    expect_found(stoa_index_range(index, STOA_KEY(float, -0.0f), STOA_KEY(float, 100.0f)), b);
    stoa_destroy(w, b);
    stoa_destroy(w, a);
    expect_entity(stoa_index_nearest(index, STOA_KEY(float, 0.0f)), STOA_NULL);
}

/* IDX-01 */
static void nearest_of_huge_doubles_does_not_overflow(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_ordered_on(w, Wide, value);
    stoa_entity low = stoa_create_with(w, STOA_VALUE(Wide, {-INFINITY}));
    stoa_entity high = stoa_create_with(w, STOA_VALUE(Wide, {DBL_MAX}));
    expect_entity(stoa_index_nearest(index, STOA_KEY(double, -DBL_MAX)), high);
    expect_entity(stoa_index_nearest(index, STOA_KEY(double, -INFINITY)), low);
    expect_found(stoa_index_range(index, STOA_KEY(double, -DBL_MAX), NULL), high);
    expect_found(stoa_index_range(index, STOA_KEY(double, -INFINITY), NULL), low, high);
}

/* IDX-01 */
static void small_and_unsigned_numbers_have_their_order(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *larges = stoa_index_ordered_on(w, Small, large);
    stoa_index *tinies = stoa_index_ordered_on(w, Small, tiny);
    stoa_index *letters = stoa_index_ordered_on(w, Small, letter);
    stoa_index *flags = stoa_index_ordered_on(w, Small, flag);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Small, {UINT64_MAX, -128, 'z', true}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Small, {1, 127, 'b', true}));
    stoa_entity c = stoa_create_with(w, STOA_VALUE(Small, {0, -1, 'a', false}));
    expect_found(stoa_index_range(larges, NULL, NULL), c, b, a);
    expect_found(stoa_index_range(larges, STOA_KEY(uint64_t, 2), NULL), a);
    expect_found(stoa_index_range(tinies, NULL, NULL), a, c, b);
    expect_found(stoa_index_range(letters, STOA_KEY(char, 'b'), NULL), b, a);
    expect_found(stoa_index_range(flags, NULL, NULL), c, a, b);
}

/* However they came, entities of one value are in order of their indexes. */
static void order_check(stoa_world *w, stoa_index *index, stoa_entity *e, int count) {
    support_random random = {7};
    for (int i = 0; i < count; i++) {
        int other = (int)support_random_below(&random, (uint32_t)i + 1);
        stoa_entity swap = e[i];
        e[i] = e[other];
        e[other] = swap;
    }
    for (int i = 0; i < count; i++) {
        assert_int_equal(stoa_set(w, e[i], Serial, {1}), STOA_OK);
    }
    for (int i = 0; i < count / 2; i++) {
        assert_int_equal(stoa_set(w, e[i], Serial, {2}), STOA_OK);
        assert_int_equal(stoa_set(w, e[i], Serial, {1}), STOA_OK);
    }
    uint32_t last = 0;
    int found = 0;
    for (stoa_found f = stoa_index_find(index, STOA_KEY(int64_t, 1)); stoa_found_next(&f);) {
        assert_true(f.entity.index > last);
        last = f.entity.index;
        found++;
    }
    assert_int_equal(found, count);
    assert_int_equal(stoa_index_count(index, STOA_KEY(int64_t, 1)), count);
    assert_int_equal(stoa_index_count(index, STOA_KEY(int64_t, 2)), 0);
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* IDX-01 */
static void entities_of_one_value_are_in_order_at_any_number(void **state) {
    (void)state;
    static const int counts[] = {1, 2, 3, 4, 5, 31, 32, 33, 127, 128, 129, 130, 1000, 5000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts * 2; i++) {
        int count = counts[i / 2];
        support_world s;
        support_world_open(&s);
        stoa_index *index = i % 2 == 0 ? stoa_index_on(s.world, Serial, number)
                                       : stoa_index_ordered_on(s.world, Serial, number);
        stoa_entity *e = malloc((size_t)count * sizeof *e);
        assert_non_null(e);
        for (int k = 0; k < count; k++) {
            e[k] = stoa_create(s.world);
        }
        order_check(s.world, index, e, count);
        for (int k = 0; k < count; k++) {
            assert_int_equal(stoa_remove(s.world, e[k], Serial), STOA_OK);
            assert_int_equal(stoa_index_count(index, STOA_KEY(int64_t, 1)), count - k - 1);
        }
        free(e);
        support_world_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(range_goes_by_value_then_by_entity),
        TEST(nearest_prefers_the_lower_value_then_the_lower_entity),
        TEST(nearest_of_floats_measures_floats),
        TEST(nearest_of_huge_doubles_does_not_overflow),
        TEST(small_and_unsigned_numbers_have_their_order),
        TEST(entities_of_one_value_are_in_order_at_any_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

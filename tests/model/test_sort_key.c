/* Sorting by a number: keys of every kind, both directions, few rows and many, and what is at the
 * ends of their ranges. Each is held against a comparison of the numbers themselves. */
#include <math.h>

#include "model/sort_rows.h"

STOA_ENUM(Sort, {SORT_A, SORT_B = 3, SORT_C = 2000000000});
STOA_ENUM(Mark, {MARK_LOW = -5, MARK_NONE = 0, MARK_HIGH = 7});
STOA_COMPONENT(Keys, {
    bool flag;
    char letter;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
    Sort sort;
    Mark mark;
    stoa_entity target;
    int32_t serial;
});
STOA_COMPONENT_WITH(LooseKeys, STOA_OPTIONS(.flags = STOA_SPARSE), {
    uint16_t small;
    double f64;
});

#define MANY 5000

static stoa_entity es[MANY], list[MANY];

/* Types in others must be known first. */
static void types_register(stoa_world *w) {
    assert_true(stoa_id(w, Sort) != 0 && stoa_id(w, Mark) != 0 && stoa_id(w, Keys) != 0);
}

static int keys_open(void **state) {
    sort_open(state);
    types_register(((support_world *)*state)->world);
    return 0;
}

static int keys_compare(const char *field, const Keys *a, const Keys *b) {
#define BY(name, type)                                                                             \
    if (strcmp(field, #name) == 0) {                                                               \
        return ((type)a->name > (type)b->name) - ((type)a->name < (type)b->name);                  \
    }
    BY(flag, int)
    BY(letter, unsigned char)
    BY(i8, int)
    BY(u8, int)
    BY(i16, int)
    BY(u16, int)
    BY(i32, int64_t)
    BY(u32, int64_t)
    BY(i64, int64_t)
    BY(u64, uint64_t)
    BY(f32, double)
    BY(f64, double)
    BY(sort, int64_t)
    BY(mark, int64_t)
#undef BY
    if (a->target.index != b->target.index) {
        return a->target.index > b->target.index ? 1 : -1;
    }
    return (a->target.generation > b->target.generation) -
           (a->target.generation < b->target.generation);
}

static const char *const fields[] = {"flag", "letter", "i8",  "u8",  "i16",  "u16",  "i32",   "u32",
                                     "i64",  "u64",    "f32", "f64", "sort", "mark", "target"};

/* Bits of any kind: all of them, few of them, small ones, or ones at an end of the range. */
static uint64_t bits_make(support_random *random, uint32_t way) {
    uint64_t bits = (uint64_t)support_random_next(random) << 32 | support_random_next(random);
    switch (way) {
    case 0:
        return bits;
    case 1:
        return bits % 5;
    case 2:
        return bits % 3 == 0 ? bits % 100 : 0 - bits % 100;
    case 3:
        return (bits & 0xFF) << 24 | 0xABCD;
    case 4:
        return bits << 40;
    default:
        return bits % 2 == 0 ? (UINT64_C(1) << 63) + bits % 9 : UINT64_MAX - bits % 7;
    }
}

static Keys keys_make(support_random *random, uint32_t way, int32_t serial) {
    uint64_t b = bits_make(random, way);
    double real = way == 0   ? ((double)(int64_t)b) * 1e-3
                  : way == 1 ? (double)b
                  : way == 2 ? ldexp((double)(int64_t)b, (int)(b % 50) - 60)
                             : (double)(int32_t)(uint32_t)(b >> 20) / 64;
    Keys k = {.serial = serial};
    k.flag = (b & 1) != 0;
    k.letter = (char)(unsigned char)b;
    k.i8 = (int8_t)(uint8_t)b;
    k.u8 = (uint8_t)b;
    k.i16 = (int16_t)(uint16_t)b;
    k.u16 = (uint16_t)b;
    k.i32 = (int32_t)(uint32_t)b;
    k.u32 = (uint32_t)b;
    k.i64 = (int64_t)b;
    k.u64 = b;
    k.f32 = (float)real;
    k.f64 = real;
    k.sort = b % 3 == 0 ? SORT_A : b % 3 == 1 ? SORT_B : SORT_C;
    k.mark = b % 3 == 0 ? MARK_LOW : b % 3 == 1 ? MARK_NONE : MARK_HIGH;
    k.target = (stoa_entity){(uint32_t)(b >> 7), (uint32_t)(b & 3)};
    return k;
}

static void keys_fill(stoa_world *w, int32_t count, uint32_t way, uint64_t seed) {
    support_random random = {seed};
    for (int32_t i = 0; i < count; i++) {
        Keys k = keys_make(&random, way, i);
        es[i] = stoa_create_with(w, STOA_VALUE_FROM(Keys, &k), STOA_VALUE(Health, {i}));
    }
}

/* Serials must be in the order that rows had among equal ones before. */
static void keys_verify(stoa_world *w, int32_t count, const char *field, int sign,
                        const int32_t *ranks) {
    assert_int_equal(rows_beside(w, es[0], list), count);
    for (int32_t i = 0; i < count; i++) {
        const Keys *k = stoa_get(w, list[i], Keys);
        assert_true(stoa_entity_eq(list[i], es[k->serial]));
        assert_int_equal(stoa_get(w, list[i], Health)->points, k->serial);
        if (i > 0) {
            const Keys *before = stoa_get(w, list[i - 1], Keys);
            int order = sign * keys_compare(field, before, k);
            if (order > 0 || (order == 0 && ranks[before->serial] > ranks[k->serial])) {
                fail_msg("%s: row %d of %d is not after the one before", field, i, count);
            }
        }
    }
}

static void ranks_read(stoa_world *w, int32_t *ranks) {
    int32_t count = rows_beside(w, es[0], list);
    for (int32_t i = 0; i < count; i++) {
        ranks[stoa_get(w, list[i], Keys)->serial] = i;
    }
}

/* SRT-02 */
static void keys_of_every_kind_are_sorted_and_stable(void **state) {
    (void)state;
    static const int32_t counts[] = {2, 3, 32, 33, 200, 4095, 5000};
    static int32_t ranks[MANY];
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (uint32_t way = 0; way < 6; way++) {
            support_world s;
            support_world_open_with(&s, 16384);
            types_register(s.world);
            keys_fill(s.world, counts[c], way, way + 1);
            for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
                for (int down = 0; down < 2; down++) {
                    ranks_read(s.world, ranks);
                    assert_int_equal(stoa_sort_key(s.world, Keys, fields[f],
                                                   down ? STOA_DESCENDING : STOA_ASCENDING),
                                     STOA_OK);
                    keys_verify(s.world, counts[c], fields[f], down ? -1 : 1, ranks);
                }
            }
            support_world_close(&s);
        }
    }
}

/* Sorts real numbers and tells in which order they are then. */
static void reals_sort(stoa_world *w, const double *numbers, int32_t count, const char *field,
                       stoa_direction direction, int32_t *serials) {
    for (int32_t i = 0; i < count; i++) {
        Keys k = {.f32 = (float)numbers[i], .f64 = numbers[i], .serial = i};
        es[i] = stoa_create_with(w, STOA_VALUE_FROM(Keys, &k));
    }
    assert_int_equal(stoa_sort_key(w, Keys, field, direction), STOA_OK);
    assert_int_equal(rows_beside(w, es[0], list), count);
    for (int32_t i = 0; i < count; i++) {
        serials[i] = stoa_get(w, list[i], Keys)->serial;
    }
    for (int32_t i = 0; i < count; i++) {
        stoa_destroy(w, es[i]);
    }
}

/* SRT-02: NaN last whatever the direction and its sign, zeros equal whatever their sign. */
static void odd_floats_have_a_place(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    double nan_plus = nan(""), nan_minus = -nan("");
    const double numbers[] = {nan_plus, 0.0,   1.5,    nan_minus, -0.0,  -INFINITY, INFINITY, -1.5,
                              0.0,      1e-40, -2e-40, 3e38,      -3e38, nan_plus,  -0.0};
    static const int32_t up[] = {5, 12, 7, 10, 1, 4, 8, 14, 9, 2, 11, 6, 0, 3, 13};
    static const int32_t down[] = {6, 11, 2, 9, 1, 4, 8, 14, 10, 7, 12, 5, 0, 3, 13};
    int32_t serials[15];
    for (int k = 0; k < 2; k++) {
        const char *field = k == 0 ? "f32" : "f64";
        reals_sort(w, numbers, 15, field, STOA_ASCENDING, serials);
        assert_memory_equal(serials, up, sizeof up);
        reals_sort(w, numbers, 15, field, STOA_DESCENDING, serials);
        assert_memory_equal(serials, down, sizeof down);
    }
    static double many[MANY];
    static int32_t places[MANY];
    for (int32_t i = 0; i < 300; i++) {
        many[i] = numbers[i % 15];
    }
    for (int k = 0; k < 2; k++) {
        reals_sort(w, many, 300, k == 0 ? "f32" : "f64", STOA_DESCENDING, places);
        for (int32_t i = 0; i < 300; i++) {
            assert_int_equal(isnan(many[places[i]]) != 0, i >= 240);
            bool equal = i > 0 && (many[places[i]] == many[places[i - 1]] || i > 240);
            assert_true(i == 0 || !equal || places[i] > places[i - 1]);
        }
    }
}

/* SRT-02 */
static void ends_of_integers_are_in_order(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static const int64_t wide[] = {INT64_MAX, 0, INT64_MIN, -1, 1, INT64_MIN + 1, INT64_MAX - 1};
    static const int32_t order[] = {2, 5, 3, 1, 4, 6, 0};
    for (int32_t copies = 1; copies < 20; copies += 18) {
        for (int32_t i = 0; i < 7 * copies; i++) {
            Keys k = {.i64 = wide[i % 7], .u64 = (uint64_t)wide[i % 7] ^ UINT64_C(1) << 63};
            k.serial = i % 7;
            es[i] = stoa_create_with(w, STOA_VALUE_FROM(Keys, &k));
        }
        assert_int_equal(stoa_sort_key(w, Keys, "i64", STOA_ASCENDING), STOA_OK);
        rows_beside(w, es[0], list);
        for (int32_t i = 0; i < 7 * copies; i++) {
            assert_int_equal(stoa_get(w, list[i], Keys)->serial, order[i / copies]);
        }
        assert_int_equal(stoa_sort_key(w, Keys, "u64", STOA_DESCENDING), STOA_OK);
        rows_beside(w, es[0], list);
        for (int32_t i = 0; i < 7 * copies; i++) {
            assert_int_equal(stoa_get(w, list[i], Keys)->serial, order[6 - i / copies]);
            stoa_destroy(w, list[i]);
        }
    }
}

/* SRT-02: digits that all but one share. */
static void single_key_that_differs_finds_its_place(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int shift = 0; shift < 63; shift += 7) {
        for (int32_t i = 0; i < 100; i++) {
            Keys k = {.u64 = i == 1 ? UINT64_C(1) << shift : 0, .serial = i};
            k.u64 = i == 99 ? UINT64_C(1) << 63 : k.u64;
            es[i] = stoa_create_with(w, STOA_VALUE_FROM(Keys, &k));
        }
        assert_int_equal(stoa_sort_key(w, Keys, "u64", STOA_ASCENDING), STOA_OK);
        rows_beside(w, es[0], list);
        assert_true(stoa_entity_eq(list[98], es[1]) && stoa_entity_eq(list[99], es[99]));
        assert_true(stoa_entity_eq(list[0], es[0]) && stoa_entity_eq(list[1], es[2]));
        for (int32_t i = 0; i < 100; i++) {
            stoa_destroy(w, es[i]);
        }
    }
}

/* SRT-02 */
static void sorted_keys_move_nothing(void **state) {
    support_world *s = *state;
    keys_fill(s->world, MANY, 0, 5);
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
        assert_int_equal(stoa_sort_key(s->world, Keys, fields[f], STOA_ASCENDING), STOA_OK);
        uint64_t hash = stoa_hash(s->world);
        size_t before = s->heap.allocations;
        assert_int_equal(stoa_sort_key(s->world, Keys, fields[f], STOA_ASCENDING), STOA_OK);
        assert_true(s->heap.allocations - before <= 2);
        assert_true(stoa_hash(s->world) == hash);
    }
}

/* SRT-02 CMP-10 */
static void sets_are_sorted_by_key(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    support_random random = {4};
    for (int32_t i = 0; i < 600; i++) {
        es[i] = stoa_create(w);
        uint32_t bits = support_random_next(&random);
        stoa_set(w, es[i], LooseKeys, {(uint16_t)bits, (double)bits * 1e100 - 7});
    }
    stoa_sparse_info info;
    assert_int_equal(stoa_sort_key(w, LooseKeys, "small", STOA_DESCENDING), STOA_OK);
    stoa_sparse_info_get(w, stoa_id(w, LooseKeys), &info);
    const LooseKeys *values = info.values;
    for (int32_t i = 1; i < 600; i++) {
        assert_true(values[i - 1].small >= values[i].small);
        assert_ptr_equal(stoa_get(w, info.entities[i], LooseKeys), &values[i]);
    }
    assert_int_equal(stoa_sort_key(w, LooseKeys, "f64", STOA_ASCENDING), STOA_OK);
    for (int32_t i = 1; i < 600; i++) {
        assert_true(values[i - 1].f64 <= values[i].f64);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, keys_open, sort_close)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_every_kind_are_sorted_and_stable),
        TEST(odd_floats_have_a_place),
        TEST(ends_of_integers_are_in_order),
        TEST(single_key_that_differs_finds_its_place),
        TEST(sorted_keys_move_nothing),
        TEST(sets_are_sorted_by_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sparse vectors, values of three words that nobody watches: the short ways of putting them and of
 * taking them away do what the others do. */
#include "support/support.h"

#include "storage/sparse.h"
#include "world/world.h"

STOA_COMPONENT(Mass, { float kilograms; });
STOA_COMPONENT_WITH(Push, STOA_OPTIONS(.flags = STOA_SPARSE), { float x, y, z; });

/* Another description of the same component, as another source has it. */
static stoa_type *push_again(void) {
    static stoa_type again;
    if (again.size == 0) {
        again = Push_stoa;
        again.slot = 0;
    }
    return &again;
}

enum { ENTITIES = 3000 };

/* What a set has to hold, by position. */
typedef struct expected {
    stoa_entity entities[ENTITIES];
    Push values[ENTITIES];
    uint32_t changed[ENTITIES];
    uint32_t added[ENTITIES];
    int32_t count;
} expected;

static int32_t expected_find(const expected *x, stoa_entity e) {
    for (int32_t i = 0; i < x->count; i++) {
        if (x->entities[i].index == e.index) {
            return i;
        }
    }
    return -1;
}

static void expected_put(expected *x, stoa_entity e, Push value, uint32_t tick) {
    int32_t i = expected_find(x, e);
    if (i < 0) {
        i = x->count++;
        x->added[i] = tick;
    }
    x->entities[i] = e;
    x->values[i] = value;
    x->changed[i] = tick;
}

static void expected_take(expected *x, stoa_entity e) {
    int32_t i = expected_find(x, e);
    if (i >= 0) {
        int32_t last = --x->count;
        x->entities[i] = x->entities[last];
        x->values[i] = x->values[last];
        x->changed[i] = x->changed[last];
        x->added[i] = x->added[last];
    }
}

static void expected_assert(const expected *x, stoa_world *w) {
    stoa_sparse_info info;
    assert_int_equal(stoa_sparse_info_get(w, stoa_id(w, Push), &info), STOA_OK);
    assert_int_equal(info.count, x->count);
    for (int32_t i = 0; i < x->count; i++) {
        assert_memory_equal(&info.entities[i], &x->entities[i], sizeof(stoa_entity));
        assert_memory_equal((const Push *)info.values + i, &x->values[i], sizeof(Push));
        assert_int_equal(STOA_LOAD(&info.changed[i]), x->changed[i]);
        assert_int_equal(info.added[i], x->added[i]);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
}

static Push push_of(uint32_t number) {
    return (Push){(float)number, (float)(number + 1), (float)(number * 2)};
}

/* CMP-10 CHG-01: positions, values and ticks after any history are those of a naive set, whether
 * it grows, is trimmed or is reached by another description meanwhile. */
static void vectors_stand_where_a_naive_set_has_them(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static expected x;
    static stoa_entity e[ENTITIES];
    support_random random = {7};
    x.count = 0;
    for (int32_t i = 0; i < ENTITIES; i++) {
        e[i] = stoa_create(w);
    }
    for (uint32_t step = 0; step < 20000; step++) {
        stoa_entity one = e[support_random_below(&random, ENTITIES)];
        bool again = support_random_below(&random, 4) == 0;
        stoa_type *type = again ? push_again() : &Push_stoa;
        Push value = push_of(step);
        uint32_t phase = step / 4000;
        if (support_random_below(&random, 10) < (phase % 2 == 0 ? 8u : 2u)) {
            assert_int_equal(stoa_set_type(w, one, type, &value), STOA_OK);
            expected_put(&x, one, value, stoa_tick(w));
        } else {
            assert_int_equal(stoa_remove_type(w, one, type), STOA_OK);
            expected_take(&x, one);
        }
        if (step % 500 == 0) {
            stoa_tick_advance(w);
        }
        if (step % 1700 == 0) {
            assert_int_equal(stoa_compact(w), STOA_OK);
        }
        if (step % 1000 == 999) {
            expected_assert(&x, w);
        }
    }
}

/* CMP-10: what is left of a set after all were taken, in any order, is nothing. */
static void vectors_go_from_either_end(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static expected x;
    static stoa_entity e[ENTITIES];
    for (int32_t i = 0; i < ENTITIES; i++) {
        e[i] = stoa_create(w);
    }
    for (int32_t pass = 0; pass < 3; pass++) {
        x.count = 0;
        for (int32_t i = 0; i < ENTITIES; i++) {
            Push value = push_of((uint32_t)i);
            assert_int_equal(stoa_set_from(w, e[i], Push, &value), STOA_OK);
            expected_put(&x, e[i], value, stoa_tick(w));
        }
        expected_assert(&x, w);
        for (int32_t i = 0; i < ENTITIES; i++) {
            int32_t k = pass == 0 ? i : ENTITIES - 1 - i;
            assert_int_equal(stoa_remove(w, e[k], Push), STOA_OK);
            expected_take(&x, e[k]);
            if (i % 600 == 0) {
                expected_assert(&x, w);
            }
        }
        expected_assert(&x, w);
    }
}

/* ENT-02 ENT-03 CMP-10: a handle that is not of a live entity neither gives nor takes a vector. */
static void vectors_of_others_are_out_of_reach(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity old = stoa_create(w), other = stoa_create(w);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stoa_set(w, old, Push, {1, 2, 3}), STOA_OK);
        assert_int_equal(stoa_remove(w, old, Push), STOA_OK);
    }
    assert_int_equal(stoa_destroy(w, old), STOA_OK);
    stoa_entity young = stoa_create(w);
    assert_int_equal(young.index, old.index);
    assert_int_equal(stoa_set(w, young, Push, {4, 5, 6}), STOA_OK);
    assert_int_equal(stoa_set(w, other, Push, {7, 8, 9}), STOA_OK);
    const stoa_entity bad[] = {old,
                               {0, 0},
                               {UINT32_MAX, 1},
                               {UINT32_MAX, UINT32_MAX},
                               {young.index, young.generation | 0x80000000u},
                               {young.index + 100000, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        support_assert_misuse(s, stoa_remove(w, bad[i], Push), STOA_DEAD);
        support_assert_misuse(s, stoa_set(w, bad[i], Push, {0, 0, 0}), STOA_DEAD);
    }
    assert_true(stoa_get(w, young, Push)->y == 5);
    assert_true(stoa_get(w, other, Push)->z == 9);
    assert_int_equal(stoa_destroy(w, young), STOA_OK);
    support_assert_misuse(s, stoa_set(w, young, Push, {0, 0, 0}), STOA_DEAD);
    support_assert_misuse(s, stoa_remove(w, young, Push), STOA_DEAD);
    const stoa_entity forged = {young.index, w->storage.head.records[young.index].generation};
    support_assert_misuse(s, stoa_set(w, forged, Push, {0, 0, 0}), STOA_DEAD);
    support_assert_misuse(s, stoa_remove(w, forged, Push), STOA_DEAD);
    assert_int_equal(stoa_check(w), STOA_OK);
}

static void hook_count(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w;
    (void)e;
    (void)value;
    ++*(int *)user;
}

/* HOK-01 CHG-05 QRY-06: whoever comes late is told, and an iteration is heeded. */
static void vectors_are_told_to_whoever_comes_late(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Mass, {1}));
    int told = 0;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stoa_set(w, e, Push, {1, 2, 3}), STOA_OK);
        assert_int_equal(stoa_remove(w, e, Push), STOA_OK);
    }
    stoa_hook added = stoa_on_add(w, Push, hook_count, &told);
    stoa_hook removed = stoa_on_remove(w, Push, hook_count, &told);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stoa_set(w, e, Push, {1, 2, 3}), STOA_OK);
        assert_int_equal(stoa_remove(w, e, Push), STOA_OK);
    }
    assert_int_equal(told, 6);
    assert_int_equal(stoa_hook_remove(w, added), STOA_OK);
    assert_int_equal(stoa_hook_remove(w, removed), STOA_OK);
    assert_int_equal(stoa_set(w, e, Push, {1, 2, 3}), STOA_OK);
    assert_int_equal(stoa_remove(w, e, Push), STOA_OK);
    assert_int_equal(told, 6);

    uint32_t since = stoa_tick(w);
    stoa_tick_advance(w);
    assert_int_equal(stoa_set(w, e, Push, {1, 2, 3}), STOA_OK);
    assert_int_equal(stoa_log_keep(w, 8), STOA_OK);
    assert_int_equal(stoa_remove(w, e, Push), STOA_OK);
    stoa_log log = stoa_log_since(w, stoa_id(w, Push), since);
    assert_true(stoa_log_next(&log));
    assert_int_equal(log.entity.index, e.index);
    assert_int_equal(stoa_log_keep(w, 0), STOA_OK);

    assert_int_equal(stoa_set(w, e, Push, {1, 2, 3}), STOA_OK);
    assert_int_equal(stoa_remove(w, e, Push), STOA_OK);
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Mass)}});
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        support_assert_misuse(s, stoa_set(w, e, Push, {4, 5, 6}), STOA_ITERATING);
        assert_false(stoa_has(w, e, Push));
    }
    assert_int_equal(stoa_set(w, e, Push, {4, 5, 6}), STOA_OK);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        support_assert_misuse(s, stoa_remove(w, e, Push), STOA_ITERATING);
        assert_true(stoa_has(w, e, Push));
    }
    stoa_query_free(query);
}

/* CMP-10: a value may point into the set that it makes grow, which holds on to what it outgrew only
 * until the next addition. */
static void vectors_are_copied_within_a_set_that_grows(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity first = stoa_create(w), last = first;
    assert_int_equal(stoa_set(w, first, Push, {1, 2, 3}), STOA_OK);
    stoa__sparse *set = stoa__component_at(&w->storage, stoa_id(w, Push))->set;
    int32_t grown = 0;
    for (int32_t i = 0; i < 500; i++) {
        last = stoa_create(w);
        uint32_t capacity = set->capacity;
        assert_int_equal(stoa_set_from(w, last, Push, stoa_get(w, first, Push)), STOA_OK);
        assert_true(stoa_get(w, last, Push)->z == 3);
        grown += set->capacity != capacity;
        if (set->capacity != capacity) {
            assert_non_null(set->limbo);
            assert_int_equal(stoa_remove(w, last, Push), STOA_OK);
            assert_int_equal(stoa_set(w, last, Push, {1, 2, 3}), STOA_OK);
            assert_null(set->limbo);
        }
        assert_int_equal(stoa_check(w), STOA_OK);
    }
    assert_true(grown > 2);
    assert_int_equal(set->count, 501);
}

/* GEN-05 GEN-03: a value that is not there is refused. */
static void vectors_need_a_value(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    support_assert_misuse(s, stoa_set_type(w, e, &Push_stoa, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_set(w, e, Push, {1, 2, 3}), STOA_OK);
    assert_int_equal(stoa_remove(w, e, Push), STOA_OK);
    support_assert_misuse(s, stoa_set_type(w, e, &Push_stoa, NULL), STOA_NULL_ARGUMENT);
    assert_false(stoa_has(w, e, Push));
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(vectors_stand_where_a_naive_set_has_them),
        TEST(vectors_go_from_either_end),
        TEST(vectors_of_others_are_out_of_reach),
        TEST(vectors_are_told_to_whoever_comes_late),
        TEST(vectors_are_copied_within_a_set_that_grows),
        TEST(vectors_need_a_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

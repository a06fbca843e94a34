/* Sorting by a function: the order, what keeps it stable, what a comparison may and may not do. */
#include "model/sort_rows.h"

STOA_COMPONENT(Rank, { int32_t value, serial; });
STOA_COMPONENT_WITH(Loose, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t value; });

#define MANY 5000

static stoa_entity es[MANY], list[MANY];
static int calls;

static int rank_compare(const void *a, const void *b, void *user) {
    const Rank *x = a, *y = b;
    calls++;
    int sign = user != NULL ? *(const int *)user : 1;
    return sign * ((x->value > y->value) - (x->value < y->value));
}

static int loose_compare(const void *a, const void *b, void *user) {
    (void)user;
    return ((const Loose *)a)->value - ((const Loose *)b)->value;
}

/* Entities with ranks below `values`, in no order. */
static void ranks_make(stoa_world *w, int32_t count, uint32_t values) {
    support_random random = {77};
    for (int32_t i = 0; i < count; i++) {
        int32_t value = (int32_t)support_random_below(&random, values);
        es[i] = stoa_create_with(w, STOA_VALUE(Rank, {value, i}), STOA_VALUE(Health, {-value}));
    }
}

/* Ranks go up, or down, and equal ones are in the order they were made in. */
static void ranks_verify(stoa_world *w, int32_t count, int sign) {
    assert_int_equal(rows_beside(w, es[0], list), count);
    for (int32_t i = 0; i < count; i++) {
        const Rank *rank = stoa_get(w, list[i], Rank);
        assert_int_equal(stoa_get(w, list[i], Health)->points, -rank->value);
        assert_true(stoa_entity_eq(es[rank->serial], list[i]));
        if (i > 0) {
            const Rank *before = stoa_get(w, list[i - 1], Rank);
            assert_true(sign * before->value < sign * rank->value ||
                        (before->value == rank->value && before->serial < rank->serial));
        }
    }
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* SRT-01 */
static void rows_of_any_number_are_sorted_and_stable(void **state) {
    (void)state;
    static const int32_t counts[] = {0,  1,  2,   3,   7,    8,    9,    15,   16,   17,
                                     31, 64, 100, 511, 2047, 2048, 2049, 4096, 4097, 5000};
    static const uint32_t values[] = {1, 2, 10, 100000};
    int down = -1;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (int k = 0; k < 4; k++) {
            support_world s;
            support_world_open_with(&s, 16384);
            ranks_make(s.world, counts[i], values[k]);
            assert_int_equal(stoa_sort(s.world, Rank, rank_compare, NULL), STOA_OK);
            if (counts[i] > 0) {
                ranks_verify(s.world, counts[i], 1);
            }
            assert_int_equal(stoa_sort(s.world, Rank, rank_compare, &down), STOA_OK);
            if (counts[i] > 0) {
                ranks_verify(s.world, counts[i], -1);
            }
            support_world_close(&s);
        }
    }
}

/* SRT-01 */
static void every_archetype_that_has_it_is_sorted(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int32_t i = 0; i < 60; i++) {
        es[i] = stoa_create_with(w, STOA_VALUE(Rank, {60 - i, i}));
        if (i % 3 == 1) {
            stoa_add(w, es[i], Frozen);
        } else if (i % 3 == 2) {
            stoa_set(w, es[i], Position, {(float)i, 0, 0});
        }
    }
    stoa_entity others[3];
    stoa_create_bulk(w, 3, others, STOA_ZERO(Position));
    assert_int_equal(stoa_sort(w, Rank, rank_compare, NULL), STOA_OK);
    for (int32_t kind = 0; kind < 3; kind++) {
        assert_int_equal(rows_beside(w, es[kind], list), 20);
        for (int32_t i = 0; i < 20; i++) {
            assert_true(stoa_entity_eq(list[i], es[57 + kind - 3 * i]));
        }
    }
    rows_beside(w, others[0], list);
    assert_memory_equal(list, others, sizeof others);
    assert_true(stoa_get(w, es[5], Position)->x == 5.0f);
}

/* SRT-01 */
static void queries_see_the_new_order(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    ranks_make(w, MANY, 1000000);
    stoa_query *q =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Rank), STOA_READ(Health)}});
    assert_int_equal(stoa_query_count(q), MANY);
    assert_int_equal(stoa_sort(w, Rank, rank_compare, NULL), STOA_OK);
    int32_t before = 0, seen = 0;
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++, seen++) {
            assert_true(stoa_field(&it, Rank, 0)[i].value >= before);
            before = stoa_field(&it, Rank, 0)[i].value;
            assert_int_equal(stoa_field(&it, Health, 1)[i].points, -before);
        }
    }
    assert_int_equal(seen, MANY);
}

/* SRT-01 CHG-02 */
static void sorting_marks_nothing_as_changed(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    ranks_make(w, MANY, 1000000);
    uint32_t since = stoa_tick(w);
    stoa_tick_advance(w);
    assert_int_equal(stoa_sort(w, Rank, rank_compare, NULL), STOA_OK);
    for (int32_t i = 0; i < MANY; i++) {
        assert_false(stoa_changed(w, es[i], Rank, since) || stoa_changed(w, es[i], Health, since));
        assert_false(stoa_added(w, es[i], Rank, since));
    }
}

/* SRT-01 */
static void sorted_rows_cost_a_comparison_each(void **state) {
    support_world *s = *state;
    ranks_make(s->world, MANY, 100);
    assert_int_equal(stoa_sort(s->world, Rank, rank_compare, NULL), STOA_OK);
    const Rank *first = stoa_get(s->world, es[0], Rank);
    uint64_t hash = stoa_hash(s->world);
    size_t bytes = s->heap.allocations;
    calls = 0;
    assert_int_equal(stoa_sort(s->world, Rank, rank_compare, NULL), STOA_OK);
    assert_int_equal(calls, MANY - 1);
    assert_true(s->heap.allocations - bytes <= 2);
    assert_ptr_equal(stoa_get(s->world, es[0], Rank), first);
    assert_true(stoa_hash(s->world) == hash);
}

/* SRT-01 CMP-11 CMP-12 CHG-04 */
static void all_kinds_of_components_keep_in_step(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int32_t i = 0; i < 900; i++) {
        Owned owned;
        Hoard hoard;
        owner_make(&owned, i);
        owner_make(&hoard, i);
        es[i] = stoa_create_with(w, STOA_VALUE(Rank, {i * 7 % 900, i}), STOA_ZERO(Frozen),
                                 STOA_VALUE(Shield, {i}), STOA_VALUE(Seen, {i}),
                                 STOA_VALUE_FROM(Owned, &owned), STOA_VALUE_FROM(Hoard, &hoard),
                                 STOA_VALUE(Mood, {i}), STOA_VALUE(Wide, {.id = i}));
        stoa_enable(w, es[i], Shield, i % 4 != 0);
        stoa_enable(w, es[i], Mood, i % 3 != 0);
    }
    uint32_t since = stoa_tick(w);
    stoa_tick_advance(w);
    for (int32_t i = 0; i < 900; i += 6) {
        stoa_get_mut(w, es[i], Seen)->count = i;
    }
    assert_int_equal(stoa_sort(w, Rank, rank_compare, NULL), STOA_OK);
    for (int32_t i = 0; i < 900; i++) {
        assert_int_equal(stoa_get(w, es[i], Rank)->serial, i);
        assert_int_equal(stoa_get(w, es[i], Shield)->power, i);
        assert_int_equal(stoa_get(w, es[i], Owned)->serial, i);
        assert_int_equal(stoa_get(w, es[i], Hoard)->serial, i);
        assert_int_equal(stoa_get(w, es[i], Mood)->value, i);
        assert_int_equal(stoa_get(w, es[i], Wide)->id, i);
        assert_int_equal(stoa_enabled(w, es[i], Shield), i % 4 != 0);
        assert_int_equal(stoa_enabled(w, es[i], Mood), i % 3 != 0);
        assert_int_equal(stoa_changed(w, es[i], Seen, since), i % 6 == 0);
    }
    assert_int_equal(rows_beside(w, es[0], list), 900);
    for (int32_t i = 0; i < 900; i++) {
        assert_int_equal(stoa_get(w, list[i], Rank)->value, i);
    }
}

/* SRT-01 CMP-10 */
static void sparse_components_are_sorted_in_their_set(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int32_t i = 0; i < 300; i++) {
        es[i] = stoa_create_with(w, STOA_VALUE(Health, {i}));
        if (i % 3 == 0) {
            stoa_set(w, es[i], Loose, {-i / 6});
        }
    }
    assert_int_equal(stoa_sort(w, Loose, loose_compare, NULL), STOA_OK);
    stoa_sparse_info info;
    stoa_sparse_info_get(w, stoa_id(w, Loose), &info);
    assert_int_equal(info.count, 100);
    const Loose *values = info.values;
    for (int32_t i = 0; i < 100; i++) {
        assert_int_equal(values[i].value, -(stoa_get(w, info.entities[i], Health)->points / 6));
        assert_true(i == 0 || values[i - 1].value < values[i].value ||
                    info.entities[i - 1].index < info.entities[i].index);
        assert_true(i == 0 || values[i - 1].value <= values[i].value);
    }
    int32_t before = INT32_MIN;
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Loose)}});
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            assert_true(stoa_field_at(&it, Loose, 0, i)->value >= before);
            before = stoa_field_at(&it, Loose, 0, i)->value;
        }
    }
    rows_beside(w, es[0], list);
    assert_memory_equal(list, es, 300 * sizeof *list);
}

static int health_then_index(const stoa_sort_item *a, const stoa_sort_item *b, void *user) {
    stoa_world *w = user;
    const Health *x = stoa_try_get(w, a->entity, Health), *y = stoa_try_get(w, b->entity, Health);
    if (x->points != y->points) {
        return x->points < y->points ? -1 : 1;
    }
    return a->entity.index < b->entity.index ? 1 : -1;
}

static int index_down(const stoa_sort_item *a, const stoa_sort_item *b, void *user) {
    assert_true((a->value == NULL) == (user == NULL) && (b->value == NULL) == (user == NULL));
    return a->entity.index < b->entity.index ? 1 : -1;
}

/* SRT-01 */
static void entities_can_be_compared_by_all_they_have(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    ranks_make(w, 2500, 50);
    assert_int_equal(stoa_sort_entities(w, Rank, health_then_index, w), STOA_OK);
    rows_beside(w, es[0], list);
    for (int32_t i = 1; i < 2500; i++) {
        int32_t a = stoa_get(w, list[i - 1], Health)->points;
        int32_t b = stoa_get(w, list[i], Health)->points;
        assert_true(a < b || (a == b && list[i - 1].index > list[i].index));
    }
    assert_int_equal(stoa_sort_entities(w, Rank, index_down, w), STOA_OK);
    rows_beside(w, es[0], list);
    assert_true(stoa_entity_eq(list[0], es[2499]) && stoa_entity_eq(list[2499], es[0]));
}

/* SRT-01 CMP-08 */
static void tags_are_sorted_by_their_entities_only(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_create_bulk(w, 50, es, STOA_ZERO(Frozen), STOA_ZERO(Marked));
    support_assert_misuse(s, stoa_sort(w, Frozen, rank_compare, NULL), STOA_INVALID);
    support_assert_message("tag 'Frozen' has no values to sort by");
    support_assert_misuse(s, stoa_sort(w, Marked, rank_compare, NULL), STOA_INVALID);
    support_assert_misuse(s, stoa_sort_key(w, Frozen, "x", STOA_ASCENDING), STOA_INVALID);
    assert_int_equal(stoa_sort_entities(w, Frozen, index_down, NULL), STOA_OK);
    assert_int_equal(stoa_sort_entities(w, Marked, index_down, NULL), STOA_OK);
    rows_beside(w, es[0], list);
    stoa_sparse_info info;
    stoa_sparse_info_get(w, stoa_id(w, Marked), &info);
    for (int32_t i = 0; i < 50; i++) {
        assert_true(stoa_entity_eq(list[i], es[49 - i]));
        assert_true(stoa_entity_eq(info.entities[i], es[49 - i]));
    }
}

/* SRT-01 ENT-03 */
static void handles_hold_through_sorting(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    ranks_make(w, 400, 1000);
    for (int32_t i = 0; i < 400; i += 2) {
        stoa_destroy(w, es[i]);
    }
    assert_int_equal(stoa_sort(w, Rank, rank_compare, NULL), STOA_OK);
    for (int32_t i = 0; i < 400; i++) {
        assert_int_equal(stoa_alive(w, es[i]), i % 2);
        assert_true(i % 2 == 0 || stoa_get(w, es[i], Rank)->serial == i);
    }
    for (int32_t i = 1; i < 400; i += 2) {
        assert_int_equal(stoa_destroy(w, es[i]), STOA_OK);
    }
    assert_int_equal(stoa_count(w), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, sort_open, sort_close)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_any_number_are_sorted_and_stable),
        TEST(every_archetype_that_has_it_is_sorted),
        TEST(queries_see_the_new_order),
        TEST(sorting_marks_nothing_as_changed),
        TEST(sorted_rows_cost_a_comparison_each),
        TEST(all_kinds_of_components_keep_in_step),
        TEST(sparse_components_are_sorted_in_their_set),
        TEST(entities_can_be_compared_by_all_they_have),
        TEST(tags_are_sorted_by_their_entities_only),
        TEST(handles_hold_through_sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

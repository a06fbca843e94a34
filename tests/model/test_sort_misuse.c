/* Sorting where it must be refused, and functions that misbehave: they change the world, contradict
 * themselves, or sort while something else is under way. */
#include "model/sort_rows.h"

STOA_COMPONENT(Rank, { int32_t value, serial; });

#define MANY 3000

static stoa_entity es[MANY], list[MANY];

static int rank_compare(const void *a, const void *b, void *user) {
    (void)user;
    const Rank *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

static void ranks_make(stoa_world *w, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        es[i] = stoa_create_with(w, STOA_VALUE(Rank, {i * 7919 % 10007, i}), STOA_VALUE(Mood, {i}));
    }
}

/* SRT-01 GEN-03 GEN-05 */
static void bad_arguments_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    ranks_make(w, 20);
    uint64_t hash = stoa_hash(w);
    stoa_component rank = stoa_id(w, Rank);
    support_assert_misuse(s, stoa_sort_id(w, 0, rank_compare, NULL), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_sort_id(w, 4000, rank_compare, NULL), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_sort_id(w, rank, NULL, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_sort_type(w, NULL, rank_compare, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_sort_entities_id(w, rank, NULL, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_sort_entities_type(w, NULL, NULL, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_sort_key_id(w, 0, "value", STOA_ASCENDING), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_sort_key_type(w, NULL, "value", STOA_ASCENDING),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_sort_key_id(w, rank, "value", (stoa_direction)2), STOA_INVALID);
    support_assert_misuse(s, stoa_sort_key_id(w, rank, NULL, STOA_ASCENDING), STOA_INVALID);
    support_assert_message("'Rank' is no enum");
    assert_int_equal(stoa_sort_id(NULL, rank, rank_compare, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_sort(NULL, Rank, rank_compare, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_sort_entities_id(NULL, rank, NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_sort_key_id(NULL, rank, "value", STOA_ASCENDING), STOA_NULL_ARGUMENT);
    assert_true(stoa_hash(w) == hash);
    assert_int_equal(s->errors, 10);
}

/* SRT-01 QRY-06 CMD-06 */
static void open_world_refuses_to_be_sorted(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    ranks_make(w, 20);
    stoa_query *q =
        stoa_query_new(w, &(stoa_query_desc){.name = "walk", .terms = {STOA_READ(Rank)}});
    uint64_t hash = stoa_hash(w);
    stoa_iter it = stoa_query_iter(q);
    support_assert_misuse(s, stoa_sort(w, Rank, rank_compare, NULL), STOA_ITERATING);
    support_assert_message("'walk'");
    support_assert_misuse(s, stoa_sort_key(w, Rank, "value", STOA_ASCENDING), STOA_ITERATING);
    support_assert_misuse(s, stoa_sort_key(w, Mood, "value", STOA_DESCENDING), STOA_ITERATING);
    stoa_iter_end(&it);
    stoa_commands_fork(w, NULL, 0);
    support_assert_misuse(s, stoa_sort(w, Rank, rank_compare, NULL), STOA_FORKED);
    support_assert_misuse(s, stoa_sort_key(w, Rank, "value", STOA_ASCENDING), STOA_FORKED);
    stoa_commands_join(w);
    assert_true(stoa_hash(w) == hash);
    assert_int_equal(stoa_sort(w, Rank, rank_compare, NULL), STOA_OK);
}

/* What a comparison tries to do to the world. */
typedef struct meddler {
    support_world *s;
    stoa_query *query;
    int calls;
} meddler;

static int meddling_compare(const void *a, const void *b, void *user) {
    meddler *m = user;
    stoa_world *w = m->s->world;
    if (m->calls++ % 50 == 3) {
        support_assert_misuse(m->s, stoa_destroy(w, es[3]), STOA_ITERATING);
        support_assert_message("while it is being sorted");
        support_assert_misuse(m->s, stoa_add(w, es[4], Frozen), STOA_ITERATING);
        support_assert_misuse(m->s, stoa_remove(w, es[4], Rank), STOA_ITERATING);
        support_assert_misuse(m->s, stoa_flush(w), STOA_ITERATING);
        support_assert_misuse(m->s, stoa_compact(w), STOA_ITERATING);
        support_assert_misuse(m->s, stoa_sort(w, Rank, rank_compare, NULL), STOA_ITERATING);
        support_assert_misuse(m->s, stoa_sort_key(w, Mood, "value", STOA_ASCENDING),
                              STOA_ITERATING);
        stoa_world_free(w);
        support_assert_misuse(m->s, stoa_last_error().status, STOA_ITERATING);
        assert_int_equal(stoa_check(w), STOA_OK);
        int32_t count = 0;
        for (stoa_iter it = stoa_query_iter(m->query); stoa_iter_next(&it);) {
            count += it.count;
        }
        assert_int_equal(count, 300);
        assert_int_equal(stoa_commands_destroy(stoa_deferred(w), es[0]), STOA_OK);
    }
    return rank_compare(a, b, NULL);
}

/* SRT-01 QRY-06 */
static void comparison_cannot_change_the_world(void **state) {
    support_world *s = *state;
    ranks_make(s->world, 300);
    meddler m = {s, stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(Rank)}}), 0};
    assert_int_equal(stoa_sort(s->world, Rank, meddling_compare, &m), STOA_OK);
    assert_true(m.calls > 300);
    rows_beside(s->world, es[1], list);
    for (int32_t i = 1; i < 300; i++) {
        assert_true(stoa_get(s->world, list[i - 1], Rank)->value <=
                    stoa_get(s->world, list[i], Rank)->value);
    }
    assert_int_equal(stoa_flush(s->world), STOA_OK);
    assert_int_equal(stoa_count(s->world), 299);
}

typedef struct liar {
    support_random random;
    int way;
    long calls;
} liar;

static int lying_compare(const void *a, const void *b, void *user) {
    liar *l = user;
    l->calls++;
    switch (l->way) {
    case 0:
        return 1;
    case 1:
        return l->calls % 2 == 0 ? 1 : -1;
    case 2:
        return (int)support_random_below(&l->random, 3) - 1;
    case 3: /* goes round in circles */
        return (((const Rank *)a)->value - ((const Rank *)b)->value) % 3;
    case 4:
        return INT32_MIN;
    default:
        return support_random_below(&l->random, 2) == 0 ? INT32_MAX : 0;
    }
}

/* SRT-01 GEN-05 */
static void comparison_that_contradicts_itself_does_no_harm(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    ranks_make(w, MANY);
    for (int way = 0; way < 6; way++) {
        for (uint64_t seed = 0; seed < 5; seed++) {
            liar l = {{seed}, way, 0};
            assert_int_equal(stoa_sort(w, Rank, lying_compare, &l), STOA_OK);
            assert_true(l.calls < 40L * MANY);
            assert_int_equal(stoa_check(w), STOA_OK);
            assert_int_equal(rows_beside(w, es[0], list), MANY);
            for (int32_t i = 0; i < MANY; i++) {
                assert_int_equal(stoa_get(w, es[i], Rank)->serial, i);
                assert_int_equal(stoa_get(w, es[i], Mood)->value, i);
            }
        }
    }
}

static int writing_compare(const void *a, const void *b, void *user) {
    stoa_world *w = user;
    stoa_set(w, es[((const Rank *)a)->serial], Rank,
             {((const Rank *)b)->value + 1, ((const Rank *)a)->serial});
    return rank_compare(a, b, NULL);
}

/* SRT-01 GEN-05 */
static void values_that_change_meanwhile_do_no_harm(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    ranks_make(w, 700);
    assert_int_equal(stoa_sort(w, Rank, writing_compare, w), STOA_OK);
    for (int32_t i = 0; i < 700; i++) {
        assert_int_equal(stoa_get(w, es[i], Rank)->serial, i);
    }
}

static int sorts;
static bool sorting;

/* Sorts, by a component that other entities have too, inside of a hook. */
static void sorting_hook(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)user;
    int32_t serial = ((const Rank *)value)->serial;
    if (!sorting) {
        return;
    }
    sorts++;
    stoa_direction direction = sorts % 2 == 0 ? STOA_ASCENDING : STOA_DESCENDING;
    assert_int_equal(stoa_sort_key(w, Rank, "value", direction), STOA_OK);
    assert_int_equal(stoa_sort_key(w, Mood, "value", direction), STOA_OK);
    assert_int_equal(stoa_get(w, e, Rank)->serial, serial);
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* SRT-01 HOK-04: hooks may change the structure, so they may sort. */
static void hooks_may_sort(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    ranks_make(w, 40);
    stoa_query *q =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Rank), STOA_FILTER(Frozen)}});
    stoa_on_set(w, Rank, sorting_hook, NULL);
    stoa_on_remove(w, Rank, sorting_hook, NULL);
    Rank ranks[30];
    Mood moods[30];
    for (int32_t i = 0; i < 30; i++) {
        ranks[i] = (Rank){i * 5 % 31, 40 + i};
        moods[i] = (Mood){40 + i};
    }
    sorts = 0;
    sorting = true;
    assert_int_equal(
        stoa_create_bulk(w, 30, es + 40, STOA_COLUMN(Rank, ranks), STOA_COLUMN(Mood, moods)),
        STOA_OK);
    assert_int_equal(sorts, 30);
    assert_int_equal(stoa_set(w, es[0], Rank, {500, 0}), STOA_OK);
    stoa_add(w, es[1], Frozen);
    stoa_add(w, es[2], Frozen);
    assert_int_equal(stoa_change(w, es[3], STOA_VALUE(Rank, {600, 3}), STOA_ZERO(Frozen)), STOA_OK);
    assert_int_equal(stoa_query_destroy(q), STOA_OK);
    stoa_commands_set(stoa_deferred(w), es[5], Rank, {-7, 5});
    stoa_commands_destroy(stoa_deferred(w), es[6]);
    stoa_commands_remove(stoa_deferred(w), es[7], Rank);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_destroy(w, es[8]), STOA_OK);
    assert_int_equal(sorts, 30 + 2 + 3 + 4);
    sorting = false;
    for (int32_t i = 9; i < 70; i++) {
        assert_int_equal(stoa_get(w, es[i], Rank)->serial, i);
        assert_int_equal(stoa_get(w, es[i], Mood)->value, i);
    }
}

/* SRT-01: there is nothing to sort, and what there is has no column of it. */
static void worlds_without_rows_are_sorted(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    assert_int_equal(stoa_sort(w, Rank, rank_compare, NULL), STOA_OK);
    assert_int_equal(stoa_sort_key(w, Rank, "value", STOA_ASCENDING), STOA_OK);
    assert_int_equal(stoa_sort_key(w, Mood, "value", STOA_ASCENDING), STOA_OK);
    stoa_create(w);
    stoa_create(w);
    stoa_create_with(w, STOA_ZERO(Position));
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Rank, {1, 2}));
    assert_int_equal(stoa_sort(w, Rank, rank_compare, NULL), STOA_OK);
    stoa_destroy(w, e);
    assert_int_equal(stoa_sort(w, Rank, rank_compare, NULL), STOA_OK);
    assert_int_equal(stoa_sort_key(w, Rank, "serial", STOA_ASCENDING), STOA_OK);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, sort_open, sort_close)
    const struct CMUnitTest tests[] = {
        TEST(bad_arguments_are_refused),
        TEST(open_world_refuses_to_be_sorted),
        TEST(comparison_cannot_change_the_world),
        TEST(comparison_that_contradicts_itself_does_no_harm),
        TEST(values_that_change_meanwhile_do_no_harm),
        TEST(hooks_may_sort),
        TEST(worlds_without_rows_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

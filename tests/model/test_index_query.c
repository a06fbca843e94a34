/* Queries that start from the result of an index, and asking a query about one entity. */
#include "index_fixture.h"

typedef struct calls {
    stoa_world *world;
    found_list list;
    int32_t nulls;
    int32_t sum;
    stoa_status refused;
    stoa_status set;
} calls;

static void call_note(stoa_entity e, void *const *fields, void *user) {
    calls *c = user;
    c->list.entities[c->list.count++] = e;
    c->sum += ((const Rank *)fields[0])->team;
    c->nulls += fields[2] == NULL;
    ((Unit *)fields[1])->team += 100;
    assert_null(fields[3]);
    if (c->refused == STOA_OK) {
        c->refused = stoa_destroy(c->world, e);
    }
}

/* IDX-01 QRY-05 */
static void query_starts_from_what_was_found(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *ranks = stoa_index_on(w, Rank, team), *units = stoa_index_on(w, Unit, team);
    stoa_query *query = stoa_query_new(
        w, &(stoa_query_desc){.terms = {STOA_READ(Rank), STOA_WRITE(Unit), STOA_OPTIONAL(Other),
                                        STOA_WITHOUT(Frozen)}});
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Rank, {1, 0}), STOA_VALUE(Unit, {1, 0}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Rank, {1, 0}), STOA_VALUE(Unit, {2, 0}),
                                     STOA_VALUE(Other, {3}));
    stoa_create_with(w, STOA_VALUE(Rank, {1, 0}), STOA_VALUE(Unit, {4, 0}), STOA_ZERO(Frozen));
    stoa_create_with(w, STOA_VALUE(Rank, {1, 0}));
    stoa_create_with(w, STOA_VALUE(Rank, {2, 0}), STOA_VALUE(Unit, {5, 0}));
    expect_found(stoa_index_find(units, STOA_KEY(int32_t, 1)), a);
    calls c = {.world = w};
    uint32_t last = stoa_query_last_run(query);
    assert_int_equal(
        stoa_query_each_found(query, stoa_index_find(ranks, STOA_KEY(int32_t, 1)), call_note, &c),
        STOA_OK);
    expect_list(c.list, (const stoa_entity[]){a, b}, 2, __FILE__, __LINE__);
    assert_int_equal(c.sum, 2);
    assert_int_equal(c.nulls, 1);
    support_assert_misuse(s, c.refused, STOA_ITERATING);
    assert_int_equal(stoa_query_last_run(query), last);
    /* What was written through the fields is marked, and so the index learns of it. */
    expect_found(stoa_index_find(units, STOA_KEY(int32_t, 101)), a);
    expect_found(stoa_index_find(units, STOA_KEY(int32_t, 102)), b);
    assert_int_equal(stoa_get(w, a, Unit)->team, 101);
    /* The world is free again. */
    assert_int_equal(stoa_destroy(w, a), STOA_OK);
}

static void call_sets(stoa_entity e, void *const *fields, void *user) {
    calls *c = user;
    (void)fields;
    c->list.count++;
    c->set = stoa_set(c->world, e, Unit, {9, 9});
}

/* IDX-01 */
static void walk_that_became_stale_is_told(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *units = stoa_index_on(w, Unit, team);
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Unit)}});
    stoa_create_with(w, STOA_VALUE(Unit, {1, 0}));
    stoa_create_with(w, STOA_VALUE(Unit, {1, 0}));
    calls c = {.world = w};
    stoa_found found = stoa_index_find(units, STOA_KEY(int32_t, 1));
    support_assert_misuse(s, stoa_query_each_found(query, found, call_sets, &c), STOA_INVALID);
    assert_int_equal(c.set, STOA_OK);
    assert_int_equal(c.list.count, 1);
    support_assert_misuse(s, stoa_query_each_found(query, found, call_sets, &c), STOA_INVALID);
    assert_int_equal(c.list.count, 1);
    assert_int_equal(
        stoa_query_each_found(query, stoa_index_find(units, STOA_KEY(int32_t, 7)), call_sets, &c),
        STOA_OK);
    assert_int_equal(c.list.count, 1);
}

/* GEN-05 */
static void result_of_another_world_is_refused(void **state) {
    support_world *s = *state;
    support_world other;
    support_world_open(&other);
    stoa_index *units = stoa_index_on(other.world, Unit, team);
    stoa_create_with(other.world, STOA_VALUE(Unit, {1, 0}));
    stoa_query *query = stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(Unit)}});
    calls c = {.world = s->world};
    stoa_found found = stoa_index_find(units, STOA_KEY(int32_t, 1));
    support_assert_misuse(s, stoa_query_each_found(query, found, call_sets, &c), STOA_INVALID);
    support_world_close(&other);
}

static void call_switched(stoa_entity e, void *const *fields, void *user) {
    calls *c = user;
    (void)e;
    c->list.count++;
    c->nulls += fields[0] == NULL;
    c->sum += fields[1] == NULL;
}

/* IDX-01 CMP-12 */
static void field_that_is_switched_off_is_null(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Exact, team);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Exact, {1, 0}), STOA_ZERO(Frozen));
    stoa_create_with(w, STOA_VALUE(Exact, {1, 0}));
    stoa_query *maybe = stoa_query_new(
        w, &(stoa_query_desc){.terms = {STOA_OPTIONAL(Exact), STOA_OPTIONAL(Frozen)}});
    stoa_query *must =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Exact), STOA_OPTIONAL(Frozen)}});
    stoa_enable(w, a, Exact, false);
    calls c = {.world = w}, m = {.world = w};
    stoa_found found = stoa_index_find(index, STOA_KEY(int32_t, 1));
    assert_int_equal(stoa_query_each_found(maybe, found, call_switched, &c), STOA_OK);
    assert_int_equal(c.list.count, 2);
    assert_int_equal(c.nulls, 1);
    assert_int_equal(c.sum, 2);
    assert_int_equal(stoa_query_each_found(must, found, call_switched, &m), STOA_OK);
    assert_int_equal(m.list.count, 1);
    assert_int_equal(m.nulls, 0);
}

/* QRY-01 QRY-08 */
static void query_tells_whether_it_matches_one_entity(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_query *query =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Unit), STOA_WITHOUT(Frozen),
                                                       STOA_ANY(Other), STOA_ANY(Loose)}});
    stoa_query *news = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_CHANGED(Exact)}});
    stoa_query *fresh = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_ADDED(Exact)}});
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Unit, {1, 0}), STOA_VALUE(Exact, {1, 1}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Exact, {1, 1}));
    assert_false(stoa_query_matches(query, a));
    stoa_set(w, a, Loose, {1, 1});
    assert_true(stoa_query_matches(query, a));
    stoa_add(w, a, Frozen);
    assert_false(stoa_query_matches(query, a));
    assert_false(stoa_query_matches(query, STOA_NULL));
    assert_false(stoa_query_matches(query, (stoa_entity){999, 1}));
    assert_true(stoa_query_matches(news, a));
    assert_true(stoa_query_matches(fresh, a));
    for (stoa_iter it = stoa_query_iter(news); stoa_iter_next(&it);) {
    }
    for (stoa_iter it = stoa_query_iter(fresh); stoa_iter_next(&it);) {
    }
    assert_false(stoa_query_matches(news, a));
    stoa_get_mut(w, a, Exact)->team = 2;
    assert_true(stoa_query_matches(news, a));
    assert_false(stoa_query_matches(news, b));
    assert_false(stoa_query_matches(fresh, a));
    stoa_enable(w, a, Exact, false);
    assert_false(stoa_query_matches(news, a));
    stoa_destroy(w, a);
    assert_false(stoa_query_matches(news, a));
    support_assert_quiet(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(query_starts_from_what_was_found),          TEST(walk_that_became_stale_is_told),
        TEST(result_of_another_world_is_refused),        TEST(field_that_is_switched_off_is_null),
        TEST(query_tells_whether_it_matches_one_entity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Guards and queries: a guarded thread cannot begin to walk what it may not touch, in a debug
 * build; in a release build the same calls work. */
#include "world/guard_fixture.h"

static void row_count(stoa_entity e, void *const *fields, void *user) {
    (void)e, (void)fields;
    ++*(int *)user;
}

static void row_only_count(void *const *fields, void *user) {
    (void)fields;
    ++*(int *)user;
}

/* True if an iteration comes to one row. */
static bool iter_one(stoa_iter it) {
    int32_t count = 0;
    while (stoa_iter_next(&it)) {
        count += it.count;
    }
    return count == 1;
}

/* Everything that walks a query is refused, and leaves nothing open. */
static void walks_verify(guarded_world *g, const stoa_query_desc *desc, const char *what) {
    support_world *s = g->s;
    int rows = 0;
    guard_off();
    stoa_query *q = stoa_query_new(s->world, desc);
    assert_non_null(q);
    assert_int_equal(stoa_query_cut(q, NULL, 0), 1);
    guard_on(g);
    REFUSED(s, what, iter_one(stoa_query_iter(q)));
    REFUSED(s, what, iter_one(stoa_query_iter_since(q, stoa_tick(s->world) - 5)));
    REFUSED(s, what, iter_one(stoa_query_part(q, 0)));
    REFUSED(s, what, stoa_query_cut(q, NULL, 0) == 1);
    /* Filters go by the last run, which there was in a release build. */
    guard_off();
    stoa_tick_advance(s->world);
    stoa_get_mut(s->world, g->e, Place)->x++;
    guard_on(g);
    REFUSED(s, what, stoa_query_each(q, row_count, &rows) == STOA_OK);
    REFUSED(s, what, stoa_query_each_row(q, row_only_count, &rows) == STOA_OK);
    REFUSED(s, what, iter_one(stoa_query_once(s->world, desc)));
    assert_int_equal(rows > 0, !GUARDS);
    REFUSED(s, what, stoa_query_each_parallel(q, NULL, row_count, &rows) == STOA_OK);
    guard_off();
    assert_int_equal(stoa_check(s->world), STOA_OK);
    /* Nothing is left open, nothing forked. */
    assert_int_equal(stoa_destroy(s->world, stoa_create(s->world)), STOA_OK);
    assert_int_equal(stoa_query_free(q), STOA_OK);
}

/* SYS-14 */
static void walks_that_read_are_refused(void **state) {
    guarded_world g = guarded_open(*state, 0, 0);
    walks_verify(&g, &(stoa_query_desc){.terms = {STOA_READ(Place)}}, "reads component 'Place'");
    walks_verify(&g, &(stoa_query_desc){.terms = {STOA_OPTIONAL(Place), STOA_FILTER(Fixed)}},
                 "reads component 'Place'");
    walks_verify(&g, &(stoa_query_desc){.terms = {STOA_ANY(Place), STOA_ANY(Mood)}},
                 "reads component 'Place'");
    walks_verify(&g, &(stoa_query_desc){.terms = {STOA_READ(Mood)}}, "reads component 'Mood'");
    walks_verify(&g, &(stoa_query_desc){.terms = {STOA_READ(Seen)}}, "reads component 'Seen'");
    guarded_close(&g);
}

/* SYS-14 */
static void walks_that_write_are_refused(void **state) {
    guarded_world g = guarded_open(*state, ~0ull, 0);
    walks_verify(&g, &(stoa_query_desc){.terms = {STOA_WRITE(Place)}}, "writes component 'Place'");
    walks_verify(&g, &(stoa_query_desc){.terms = {STOA_OPTIONAL_WRITE(Place), STOA_FILTER(Fixed)}},
                 "writes component 'Place'");
    walks_verify(&g, &(stoa_query_desc){.terms = {STOA_ANY_WRITE(Mood)}},
                 "writes component 'Mood'");
    walks_verify(&g, &(stoa_query_desc){.terms = {STOA_READ(Place), STOA_WRITE(Seen)}},
                 "writes component 'Seen'");
    guarded_close(&g);
}

/* SYS-14 CHG-02: what was changed is data: it is seen when somebody writes. */
static void filters_by_change_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    guarded_world g = guarded_open(s, 0, 0);
    stoa_query_desc changed = {.terms = {STOA_CHANGED(Place)}};
    stoa_query_desc added = {.terms = {STOA_ADDED(Mood)}};
    walks_verify(&g, &changed, "reads component 'Place'");
    stoa_query *q = stoa_query_new(w, &changed), *r = stoa_query_new(w, &added);
    guard_on(&g);
    REFUSED(s, "reads component 'Place'", stoa_query_count(q) == 1);
    REFUSED(s, "reads component 'Place'", stoa_entity_eq(stoa_query_first(q), g.e));
    REFUSED(s, "reads component 'Place'", stoa_entity_eq(stoa_query_single(q), g.e));
    REFUSED(s, "reads component 'Place'", stoa_query_once_count(w, &changed) == 1);
    REFUSED(s, "reads component 'Mood'", stoa_query_count(r) == 1);
    guarded_close(&g);
}

/* SYS-14: who matches is no data, and nothing else is asked of filters and tags. */
static void asking_what_matches_is_allowed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    guarded_world g = guarded_open(s, 0, 0);
    stoa_query_desc desc = {.terms = {STOA_WRITE(Place), STOA_READ(Mood)}};
    stoa_query_desc filters = {.terms = {STOA_FILTER(Place), STOA_WITHOUT(Settings),
                                         STOA_READ(Fixed), STOA_FILTER(Mood), STOA_READ(Marked)}};
    stoa_query *q = stoa_query_new(w, &desc), *f = stoa_query_new(w, &filters);
    guard_on(&g);
    assert_int_equal(stoa_query_count(q), 1);
    assert_true(stoa_entity_eq(stoa_query_first(q), g.e));
    assert_true(stoa_entity_eq(stoa_query_single(q), g.e));
    assert_int_equal(stoa_query_once_count(w, &desc), 1);
    assert_true(iter_one(stoa_query_iter(f)));
    assert_true(iter_one(stoa_query_once(w, &filters)));
    assert_int_equal(s->errors, 0);
    guarded_close(&g);
}

/* SYS-14: a world that was guarded is walked as before, with what is declared. */
static void walks_that_are_declared_are_allowed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    guarded_world g = guarded_open(s, 0, 0);
    g.reads = 1ull << g.mood;
    g.writes = 1ull << g.place;
    stoa_query *q = stoa_query_new(
        w, &(stoa_query_desc){.terms = {STOA_WRITE(Place), STOA_READ(Mood), STOA_FILTER(Seen)}});
    guard_on(&g);
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        stoa_field_mut(&it, Place, 0)[0].x = 7;
        assert_int_equal(stoa_field_at(&it, Mood, 1, 0)->value, 2);
        /* Another term's column is not to be had. */
        assert_null(stoa_field_id(&it, g.seen, 2));
        assert_int_not_equal(stoa_destroy(w, g.e), STOA_OK);
        s->asserts_seen = s->asserts;
    }
    guard_off();
    assert_int_equal(stoa_get(w, g.e, Place)->x, 7);
    guarded_close(&g);
}

/* SYS-14: whole queries; only what is given is data. */
static void values_for_whole_queries_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    guarded_world g = guarded_open(s, ~0ull, 0);
    const Place place = {5};
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_FILTER(Place)}});
    guard_on(&g);
    REFUSED(s, "writes component 'Place'", stoa_query_set(q, Place, {5}) == STOA_OK);
    REFUSED(s, "writes component 'Place'",
            stoa_query_set_id(q, g.place, &place, sizeof place) == STOA_OK);
    guard_off();
    assert_int_equal(stoa_get(w, g.e, Place)->x, GUARDS ? 1 : 5);
    guarded_close(&g);
}

int main(void) {
#define WITH_WORLD(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        WITH_WORLD(walks_that_read_are_refused),
        WITH_WORLD(walks_that_write_are_refused),
        WITH_WORLD(filters_by_change_are_refused),
        WITH_WORLD(asking_what_matches_is_allowed),
        WITH_WORLD(walks_that_are_declared_are_allowed),
        WITH_WORLD(values_for_whole_queries_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Runs of queries over very many ticks: nothing is missed where ticks wrap, or grow old. */
#include "support/support.h"
#include "world/world.h"

STOA_COMPONENT(Plain, { float x; });
STOA_COMPONENT_WITH(Exact, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { float x; });
STOA_COMPONENT_WITH(Loose, STOA_OPTIONS(.flags = STOA_SPARSE), { float x; });

static stoa_type *const types[] = {&Plain_stoa, &Exact_stoa, &Loose_stoa};

#define QUARTER 0x40000000u

static int32_t run(stoa_query *query) {
    int32_t count = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        count += it.count;
    }
    return count;
}

static stoa_query *query_of(stoa_world *w, stoa_type *type, stoa_access access) {
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {{type, 0, access, 0}}});
    assert_non_null(query);
    return query;
}

static stoa_entity entity_of_all(stoa_world *w) {
    return stoa_create_with(w, STOA_ZERO(Plain), STOA_ZERO(Exact), STOA_ZERO(Loose));
}

static void touch(stoa_world *w, stoa_entity e, stoa_type *type) {
    assert_non_null(stoa_try_mut_type(w, e, type));
}

/* CHG-01 QRY-08: each of many runs around the wrap sees what was written before it, once. */
static void runs_across_the_wrap_miss_nothing(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        for (uint32_t before = 0; before < 6; before++) {
            stoa_world *w = stoa_world_new(&(stoa_world_desc){.first_tick = UINT32_MAX - before});
            assert_non_null(w);
            stoa_entity e = entity_of_all(w);
            stoa_query *query = query_of(w, types[t], STOA_ACCESS_CHANGED);
            assert_int_equal(run(query), 1);
            for (int i = 0; i < 10; i++) {
                assert_int_equal(run(query), 0);
                touch(w, e, types[t]);
                assert_int_equal(stoa_query_count(query), 1);
                assert_int_equal(run(query), 1);
            }
            assert_int_equal(stoa_check(w), STOA_OK);
            stoa_world_free(w);
        }
    }
}

/* CHG-01 QRY-08: a query that never ran sees everything, however late. */
static void query_that_never_ran_sees_everything_ever_after(void **state) {
    support_world *s = *state;
    entity_of_all(s->world);
    stoa_query *queries[6];
    for (size_t t = 0; t < 3; t++) {
        queries[t] = query_of(s->world, types[t], STOA_ACCESS_CHANGED);
        queries[3 + t] = query_of(s->world, types[t], STOA_ACCESS_ADDED);
    }
    for (int i = 0; i < 40; i++) {
        stoa__world_tick_step(s->world, QUARTER / 4 + 3);
        for (int q = 0; q < 6; q++) {
            assert_int_equal(stoa_query_count(queries[q]), 1);
        }
    }
    for (int q = 0; q < 6; q++) {
        assert_int_equal(run(queries[q]), 1);
        assert_int_equal(run(queries[q]), 0);
    }
}

/* CHG-01 QRY-08: what was written after a run is news, even if that run was ages ago. */
static void change_after_an_old_run_is_never_missed(void **state) {
    support_world *s = *state;
    stoa_entity e = entity_of_all(s->world);
    for (size_t t = 0; t < 3; t++) {
        for (uint32_t quarters = 1; quarters <= 9; quarters++) {
            stoa_query *query = query_of(s->world, types[t], STOA_ACCESS_CHANGED);
            assert_int_equal(run(query), 1);
            touch(s->world, e, types[t]);
            for (uint32_t i = 0; i < quarters; i++) {
                stoa__world_tick_step(s->world, QUARTER + 7);
            }
            assert_int_equal(stoa_query_count(query), 1);
            assert_int_equal(run(query), 1);
            assert_int_equal(run(query), 0);
            assert_int_equal(stoa_query_free(query), STOA_OK);
        }
    }
}

/* CHG-01: a run that is under way while everything is swept goes on as it began. */
static void iteration_under_way_outlives_a_sweep(void **state) {
    support_world *s = *state;
    for (int i = 0; i < 2500; i++) {
        stoa_entity e = entity_of_all(s->world);
        /* Rows that are apart make runs of their own, in more chunks than are looked at at a time.
         */
        stoa_create_with(s->world, STOA_ZERO(Plain), STOA_ZERO(Exact));
        assert_true(stoa_has(s->world, e, Loose));
    }
    stoa_query *query = stoa_query_new(
        s->world, &(stoa_query_desc){.terms = {STOA_CHANGED(Exact), STOA_READ(Loose)}});
    int32_t count = 0, old = 0;
    for (stoa_iter it = stoa_query_iter_since(query, stoa_tick(s->world) - 1);
         stoa_iter_next(&it);) {
        count += it.count;
        if (old++ < 8) {
            stoa__world_tick_step(s->world, QUARTER);
        }
    }
    assert_int_equal(count, 2500);
}

/* CHG-06: the last run of a query without filters does not turn into a future one. */
static void last_run_is_never_in_the_future(void **state) {
    support_world *s = *state;
    entity_of_all(s->world);
    stoa_query *query = query_of(s->world, &Plain_stoa, STOA_ACCESS_READ);
    stoa_query *ran = query_of(s->world, &Plain_stoa, STOA_ACCESS_CHANGED);
    assert_int_equal(run(ran), 1);
    for (int i = 0; i < 40; i++) {
        stoa__world_tick_step(s->world, QUARTER / 3);
        assert_true((int32_t)(stoa_tick(s->world) - stoa_query_last_run(query)) > 0);
        assert_true((int32_t)(stoa_tick(s->world) - stoa_query_last_run(ran)) > 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_across_the_wrap_miss_nothing),
        TEST(query_that_never_ran_sees_everything_ever_after),
        TEST(change_after_an_old_run_is_never_missed),
        TEST(iteration_under_way_outlives_a_sweep),
        TEST(last_run_is_never_in_the_future),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

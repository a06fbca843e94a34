/* Queries over components that can be switched off: rows are passed over by runs. */
#include "support/support.h"

STOA_COMPONENT(Plain, { uint32_t x; });
STOA_COMPONENT(Other, { uint32_t x; });
STOA_COMPONENT_WITH(Lamp, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint32_t x; });
STOA_COMPONENT_WITH(Fan, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint64_t x; });
STOA_TAG_WITH(Flag, STOA_OPTIONS(.flags = STOA_SWITCHABLE));

#define ROWS 300

#define DESC(...)                                                                                  \
    &(stoa_query_desc) {                                                                           \
        .terms = { __VA_ARGS__ }                                                                   \
    }

typedef struct span {
    int32_t first, count;
} span;

static stoa_entity es[ROWS];

/* Rows 0 to 299 of one chunk, each with its number, all of it switched on. */
static int rows_setup(void **state) {
    if (support_setup(state) != 0) {
        return -1;
    }
    static Plain plains[ROWS];
    static Lamp lamps[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) {
        plains[i].x = lamps[i].x = i;
    }
    stoa_world *w = ((support_world *)*state)->world;
    return stoa_create_bulk(w, ROWS, es, STOA_COLUMN(Plain, plains), STOA_COLUMN(Lamp, lamps),
                            STOA_ZERO(Fan), STOA_ZERO(Flag)) == STOA_OK
               ? 0
               : -1;
}

static void lamps_off(stoa_world *w, int32_t first, int32_t count) {
    for (int32_t i = first; i < first + count; i++) {
        assert_int_equal(stoa_enable(w, es[i], Lamp, false), STOA_OK);
    }
}

/* The query visits these rows, as these runs, with columns to match. */
static void query_cuts(stoa_query *query, const span *spans, int32_t count) {
    int32_t run = 0, rows = 0;
    assert_non_null(query);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it); run++) {
        assert_true(run < count);
        assert_int_equal(it.count, spans[run].count);
        assert_true(stoa_entity_eq(it.entities[0], es[spans[run].first]));
        const Plain *plains = stoa_field(&it, Plain, 0);
        for (int32_t i = 0; i < it.count; i++) {
            assert_int_equal(plains[i].x, spans[run].first + i);
            assert_int_equal(stoa_field_at(&it, Plain, 0, i)->x, spans[run].first + i);
        }
        rows += it.count;
    }
    assert_int_equal(run, count);
    assert_int_equal(stoa_query_count(query), rows);
}

#define CUTS(query, ...)                                                                           \
    query_cuts((query), (const span[]){__VA_ARGS__},                                               \
               (int32_t)(sizeof((const span[]){__VA_ARGS__}) / sizeof(span)))

/* CMP-12 */
static void chunk_with_all_on_is_one_run(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    CUTS(stoa_query_new(w, DESC(STOA_READ(Plain), STOA_READ(Lamp))), {0, ROWS});
    CUTS(stoa_query_new(w, DESC(STOA_READ(Plain), STOA_OPTIONAL(Lamp), STOA_FILTER(Flag))),
         {0, ROWS});
    CUTS(stoa_query_new(w, DESC(STOA_READ(Plain), STOA_ANY(Lamp), STOA_ANY(Other))), {0, ROWS});
    query_cuts(stoa_query_new(w, DESC(STOA_READ(Plain), STOA_WITHOUT(Lamp))), NULL, 0);
}

/* CMP-12: where runs begin and end relative to the words that rows are told by. */
static void rows_that_are_off_are_passed_over_by_runs(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_query *with = stoa_query_new(w, DESC(STOA_READ(Plain), STOA_WRITE(Lamp)));
    stoa_query *without = stoa_query_new(w, DESC(STOA_READ(Plain), STOA_WITHOUT(Lamp)));
    lamps_off(w, 0, 1);
    CUTS(with, {1, 299});
    CUTS(without, {0, 1});
    lamps_off(w, 63, 2);
    CUTS(with, {1, 62}, {65, 235});
    CUTS(without, {0, 1}, {63, 2});
    lamps_off(w, 128, 64);
    CUTS(with, {1, 62}, {65, 63}, {192, 108});
    CUTS(without, {0, 1}, {63, 2}, {128, 64});
    lamps_off(w, 299, 1);
    lamps_off(w, 255, 1);
    CUTS(with, {1, 62}, {65, 63}, {192, 63}, {256, 43});
    CUTS(without, {0, 1}, {63, 2}, {128, 64}, {255, 1}, {299, 1});
    lamps_off(w, 0, ROWS);
    query_cuts(with, NULL, 0);
    CUTS(without, {0, ROWS});
    assert_int_equal(stoa_enable(w, es[64], Lamp, true), STOA_OK);
    CUTS(with, {64, 1});
    CUTS(without, {0, 64}, {65, 235});
}

/* CMP-12: more runs than are listed at a time. */
static void every_other_row_is_a_run(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    span spans[ROWS / 2];
    for (int32_t i = 0; i < ROWS / 2; i++) {
        lamps_off(w, 2 * i, 1);
        spans[i] = (span){2 * i + 1, 1};
    }
    query_cuts(stoa_query_new(w, DESC(STOA_READ(Plain), STOA_READ(Lamp))), spans, ROWS / 2);
}

/* CMP-12 QRY-01: the row matches; the field is there or not for all rows of a run. */
static void optional_field_splits_runs_where_it_is_off(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    lamps_off(w, 10, 5);
    lamps_off(w, 64, 64);
    stoa_enable(w, es[12], Fan, false);
    stoa_query *query =
        stoa_query_new(w, DESC(STOA_READ(Plain), STOA_OPTIONAL_WRITE(Lamp), STOA_OPTIONAL(Fan)));
    CUTS(query, {0, 10}, {10, 2}, {12, 1}, {13, 2}, {15, 49}, {64, 64}, {128, 172});
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        uint32_t row = stoa_field(&it, Plain, 0)->x;
        bool off = (row >= 10 && row < 15) || (row >= 64 && row < 128);
        assert_int_equal(stoa_field(&it, Lamp, 1) == NULL, off);
        assert_int_equal(stoa_field_mut(&it, Lamp, 1) == NULL, off);
        assert_int_equal(stoa_field_at(&it, Lamp, 1, 0) == NULL, off);
        assert_int_equal(stoa_field_at_mut(&it, Lamp, 1, it.count - 1) == NULL, off);
        assert_int_equal(stoa_field(&it, Fan, 2) == NULL, row == 12);
        if (!off) {
            assert_int_equal(stoa_field(&it, Lamp, 1)->x, row);
        }
    }
    support_assert_quiet(*state);
    lamps_off(w, 0, ROWS);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        assert_null(stoa_field(&it, Lamp, 1));
    }
}

/* CMP-12 QRY-01 */
static void group_is_met_by_what_is_on(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_query *any = stoa_query_new(w, DESC(STOA_READ(Plain), STOA_ANY(Lamp), STOA_ANY(Fan)));
    stoa_query *tag = stoa_query_new(w, DESC(STOA_READ(Plain), STOA_ANY(Lamp), STOA_ANY(Flag)));
    lamps_off(w, 100, 100);
    CUTS(any, {0, 100}, {100, 100}, {200, 100});
    CUTS(tag, {0, 100}, {100, 100}, {200, 100});
    for (int i = 150; i < 250; i++) {
        stoa_enable(w, es[i], Fan, false);
        stoa_enable(w, es[i], Flag, false);
    }
    CUTS(any, {0, 100}, {100, 50}, {200, 50}, {250, 50});
    CUTS(tag, {0, 100}, {100, 50}, {200, 100});
}

/* CMP-12 CMP-08 */
static void tags_switch_as_well(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_enable(w, es[5], Flag, false);
    CUTS(stoa_query_new(w, DESC(STOA_READ(Plain), STOA_FILTER(Flag))), {0, 5}, {6, 294});
    CUTS(stoa_query_new(w, DESC(STOA_READ(Plain), STOA_WITHOUT(Flag))), {5, 1});
    CUTS(stoa_query_new(w, DESC(STOA_READ(Plain), STOA_OPTIONAL(Flag))), {0, ROWS});
}

/* CMP-12 QRY-01: an archetype that lacks the component is matched by WITHOUT as ever. */
static void absent_is_as_good_as_off(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Plain));
    stoa_entity bare = stoa_create(w);
    lamps_off(w, 7, 1);
    stoa_query *query = stoa_query_new(w, DESC(STOA_WITHOUT(Lamp)));
    assert_int_equal(stoa_query_count(query), 3);
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it) && stoa_entity_eq(it.entities[0], bare));
    assert_true(stoa_iter_next(&it) && stoa_entity_eq(it.entities[0], es[7]));
    assert_true(stoa_iter_next(&it) && stoa_entity_eq(it.entities[0], e));
    assert_false(stoa_iter_next(&it));
}

/* CMP-12: switching is no structural change: it may happen under an iteration. */
static void switching_under_iteration_is_safe(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_query *query = stoa_query_new(w, DESC(STOA_READ(Plain), STOA_OPTIONAL_WRITE(Lamp)));
    for (int i = 0; i < ROWS; i += 2) {
        stoa_enable(w, es[i], Lamp, false);
    }
    int32_t rows = 0, at = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        rows += it.count;
        for (int i = 0; i < 5; i++, at++) {
            stoa_enable(w, es[(at * 7) % ROWS], Lamp, at % 3 == 0);
        }
    }
    assert_int_equal(rows, ROWS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rows_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(chunk_with_all_on_is_one_run), TEST(rows_that_are_off_are_passed_over_by_runs),
        TEST(every_other_row_is_a_run),     TEST(optional_field_splits_runs_where_it_is_off),
        TEST(group_is_met_by_what_is_on),   TEST(tags_switch_as_well),
        TEST(absent_is_as_good_as_off),     TEST(switching_under_iteration_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

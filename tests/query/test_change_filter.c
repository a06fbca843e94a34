/* The filters `changed` and `added`: what a run sees, what counts as a run, what marks. */
#include "support/support.h"

STOA_COMPONENT(Plain, { float x, y; });
STOA_COMPONENT(Other, { float x; });
STOA_COMPONENT_WITH(Exact, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { float x, y; });
STOA_COMPONENT_WITH(Loose, STOA_OPTIONS(.flags = STOA_SPARSE), { uint32_t x; });
STOA_COMPONENT_WITH(Lamp, STOA_OPTIONS(.flags = STOA_ROW_TICKS | STOA_SWITCHABLE), { float x; });
STOA_TAG_WITH(Mark, STOA_OPTIONS(.flags = STOA_ROW_TICKS));

#define MANY 5000

static stoa_query *query_of(support_world *s, stoa_term first, stoa_term second) {
    stoa_query *query =
        stoa_query_new(s->world, &(stoa_query_desc){.terms = {first, second}, .name = "watched"});
    assert_non_null(query);
    return query;
}

/* Runs the query to its end; how many rows it saw. */
static int32_t run(stoa_query *query) {
    int32_t count = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        count += it.count;
    }
    return count;
}

static int32_t run_since(stoa_query *query, uint32_t tick) {
    int32_t count = 0;
    for (stoa_iter it = stoa_query_iter_since(query, tick); stoa_iter_next(&it);) {
        count += it.count;
    }
    return count;
}

/* QRY-08 CHG-06 */
static void new_query_sees_everything_that_exists(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Exact), STOA_ZERO(Loose));
    for (int i = 0; i < 100; i++) {
        stoa_tick_advance(s->world);
    }
    stoa_create_with(s->world, STOA_ZERO(Exact), STOA_ZERO(Loose));
    stoa_query *changed = query_of(s, STOA_CHANGED(Exact), STOA_READ(Exact));
    stoa_query *added = query_of(s, STOA_ADDED(Loose), STOA_READ(Exact));
    stoa_tick_advance(s->world);
    assert_int_equal(stoa_query_count(changed), 2);
    assert_int_equal(
        stoa_query_once_count(s->world, &(stoa_query_desc){.terms = {STOA_CHANGED(Exact)}}), 2);
    assert_true((int32_t)(stoa_tick(s->world) - stoa_query_last_run(changed)) > 100);
    assert_int_equal(run(changed), 2);
    assert_int_equal(run(changed), 0);
    assert_int_equal(run(added), 2);
    assert_int_equal(run(added), 0);
}

/* QRY-08 CHG-06: a run ends with its last rows; then the tick moves on and is remembered. */
static void only_a_whole_iteration_is_a_run(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(Exact));
    stoa_query *query = query_of(s, STOA_READ(Exact), STOA_CHANGED(Exact));
    uint32_t tick = stoa_tick(s->world);
    stoa_iter early = stoa_query_iter(query);
    assert_true(stoa_iter_next(&early));
    stoa_iter_end(&early);
    assert_int_equal(stoa_tick(s->world), tick);
    assert_int_equal(run_since(query, tick - 1), 1);
    assert_int_equal(stoa_query_count(query), 1);
    assert_true(stoa_entity_eq(stoa_query_first(query), e));
    assert_true(stoa_entity_eq(stoa_query_single(query), e));
    assert_int_equal(stoa_tick(s->world), tick);
    assert_int_not_equal(stoa_query_last_run(query), tick);
    assert_int_equal(run(query), 1);
    assert_int_equal(stoa_tick(s->world), tick + 1);
    assert_int_equal(stoa_query_last_run(query), tick);
    assert_int_equal(stoa_query_count(query), 0);
    assert_true(stoa_entity_is_null(stoa_query_first(query)));
    assert_true(stoa_entity_is_null(stoa_query_single(query)));
    assert_int_equal(stoa_last_error().status, STOA_NOT_SINGLE);
}

/* CHG-06: queries without filters leave the tick alone, and know when they ran. */
static void run_without_filters_moves_no_tick(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Plain), STOA_ZERO(Loose));
    stoa_query *queries[] = {query_of(s, STOA_READ(Plain), (stoa_term){0}),
                             query_of(s, STOA_WRITE(Plain), STOA_READ(Loose)),
                             query_of(s, (stoa_term){0}, (stoa_term){0})};
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        uint32_t before = stoa_query_last_run(queries[i]), tick = stoa_tick_advance(s->world);
        assert_true((int32_t)(tick - before) > 0);
        stoa_iter early = stoa_query_iter(queries[i]);
        assert_true(stoa_iter_next(&early));
        stoa_iter_end(&early);
        assert_int_equal(stoa_query_last_run(queries[i]), before);
        assert_int_equal(run(queries[i]), 1);
        assert_int_equal(stoa_query_last_run(queries[i]), tick);
        assert_int_equal(run_since(queries[i], tick + 5), 1);
        assert_int_equal(stoa_tick(s->world), tick);
    }
}

/* QRY-08 CHG-02 CHG-04: exact for ticks by row, for the chunk otherwise. */
static void filters_tell_rows_or_chunks(void **state) {
    support_world *s = *state;
    static stoa_entity es[MANY];
    assert_int_equal(stoa_create_bulk(s->world, MANY, es, STOA_ZERO(Plain), STOA_ZERO(Exact)),
                     STOA_OK);
    stoa_query *chunks = query_of(s, STOA_CHANGED(Plain), (stoa_term){0});
    stoa_query *rows = query_of(s, STOA_CHANGED(Exact), (stoa_term){0});
    assert_int_equal(run(chunks), MANY);
    assert_int_equal(run(rows), MANY);
    stoa_get_mut(s->world, es[77], Plain)->x = 1;
    stoa_get_mut(s->world, es[77], Exact)->x = 1;
    stoa_set(s->world, es[MANY - 1], Exact, {1, 2});
    int32_t capacity = 0;
    for (stoa_iter it = stoa_query_once(s->world, &(stoa_query_desc){.terms = {STOA_READ(Plain)}});
         stoa_iter_next(&it);) {
        capacity = it.count > capacity ? it.count : capacity;
    }
    assert_true(capacity < MANY);
    assert_int_equal(run(chunks), capacity);
    assert_int_equal(run(chunks), 0);
    int32_t seen = 0;
    for (stoa_iter it = stoa_query_iter(rows); stoa_iter_next(&it);) {
        assert_int_equal(it.count, 1);
        assert_true(stoa_entity_eq(it.entities[0], seen == 0 ? es[77] : es[MANY - 1]));
        seen++;
    }
    assert_int_equal(seen, 2);
    assert_int_equal(run(rows), 0);
}

/* QRY-08 CHG-02: chunks in which nothing changed are passed over, and no others. */
static void changes_are_found_in_any_chunk(void **state) {
    support_world *s = *state;
    enum { COUNT = 60000, FAR = 40 };
    static stoa_entity es[COUNT];
    assert_int_equal(stoa_create_bulk(s->world, COUNT, es, STOA_ZERO(Exact)), STOA_OK);
    stoa_query *changed = query_of(s, STOA_CHANGED(Exact), STOA_READ(Exact));
    stoa_query *added = query_of(s, STOA_ADDED(Exact), STOA_READ(Exact));
    assert_int_equal(run(changed), COUNT);
    assert_int_equal(run(added), COUNT);
    for (int32_t turn = 0; turn < FAR; turn++) {
        int32_t at[] = {turn * (COUNT / FAR), COUNT - 1 - turn};
        for (int32_t i = 0; i < 2; i++) {
            stoa_get_mut(s->world, es[at[i]], Exact)->x = (float)at[i];
        }
        int32_t seen = 0;
        for (stoa_iter it = stoa_query_iter(changed); stoa_iter_next(&it); seen++) {
            assert_int_equal(it.count, 1);
            assert_true(seen < 2 && stoa_entity_eq(it.entities[0], es[at[seen]]));
            assert_true(stoa_field(&it, Exact, 1)->x == (float)at[seen]);
        }
        assert_int_equal(seen, 2);
        assert_int_equal(run(added), 0);
    }
    stoa_create_with(s->world, STOA_ZERO(Exact));
    assert_int_equal(run(added), 1);
}

/* QRY-08 CHG-02: overwriting is a change and no addition; coming back is both. */
static void added_tells_additions_alone(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(Exact), STOA_ZERO(Loose), STOA_ZERO(Mark));
    stoa_query *added[] = {query_of(s, STOA_ADDED(Exact), (stoa_term){0}),
                           query_of(s, STOA_ADDED(Loose), (stoa_term){0}),
                           query_of(s, STOA_ADDED(Mark), (stoa_term){0})};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run(added[i]), 1);
    }
    stoa_set(s->world, e, Exact, {1, 1});
    stoa_set(s->world, e, Loose, {1});
    stoa_add(s->world, e, Mark);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run(added[i]), 0);
    }
    stoa_change(s->world, e, STOA_REMOVE(Exact), STOA_REMOVE(Loose), STOA_REMOVE(Mark));
    stoa_change(s->world, e, STOA_ZERO(Exact), STOA_ZERO(Loose), STOA_ZERO(Mark));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run(added[i]), 1);
    }
}

/* CHG-02 QRY-08: a row that moves, by migration or to fill a hole, takes its ticks along. */
static void moved_rows_take_their_ticks_along(void **state) {
    support_world *s = *state;
    static stoa_entity es[MANY];
    assert_int_equal(stoa_create_bulk(s->world, MANY, es, STOA_ZERO(Plain), STOA_ZERO(Exact)),
                     STOA_OK);
    stoa_query *rows = query_of(s, STOA_CHANGED(Exact), (stoa_term){0});
    stoa_query *chunks = query_of(s, STOA_CHANGED(Plain), (stoa_term){0});
    run(rows);
    run(chunks);
    stoa_get_mut(s->world, es[MANY - 1], Exact)->x = 1;
    stoa_get_mut(s->world, es[MANY - 1], Plain)->x = 1;
    stoa_destroy(s->world, es[3]);
    stoa_add(s->world, es[9], Other);
    stoa_add(s->world, es[MANY - 1], Other);
    bool found = false;
    for (stoa_iter it = stoa_query_iter(rows); stoa_iter_next(&it);) {
        assert_int_equal(it.count, 1);
        assert_true(stoa_entity_eq(it.entities[0], es[MANY - 1]));
        found = true;
    }
    assert_true(found);
    found = false;
    for (stoa_iter it = stoa_query_iter(chunks); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            found = found || stoa_entity_eq(it.entities[i], es[MANY - 1]);
        }
    }
    assert_true(found);
}

/* CHG-02: reading marks nothing, whichever way. */
static void reading_fields_marks_nothing(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Plain), STOA_ZERO(Exact), STOA_ZERO(Loose));
    stoa_query *writer = stoa_query_new(
        s->world,
        &(stoa_query_desc){.terms = {STOA_WRITE(Plain), STOA_WRITE(Exact), STOA_WRITE(Loose)}});
    uint32_t tick = stoa_tick(s->world);
    stoa_tick_advance(s->world);
    for (stoa_iter it = stoa_query_iter(writer); stoa_iter_next(&it);) {
        assert_non_null(stoa_field(&it, Plain, 0));
        assert_non_null(stoa_field(&it, Exact, 1));
        assert_non_null(stoa_field_at(&it, Plain, 0, 0));
        assert_non_null(stoa_field_at(&it, Exact, 1, 0));
        assert_non_null(stoa_field_at(&it, Loose, 2, 0));
        assert_non_null(stoa_field_at_id(&it, stoa_id(s->world, Loose), 2, 0));
    }
    assert_int_equal(run_since(query_of(s, STOA_CHANGED(Plain), (stoa_term){0}), tick), 0);
    assert_int_equal(run_since(query_of(s, STOA_CHANGED(Exact), (stoa_term){0}), tick), 0);
    assert_int_equal(run_since(query_of(s, STOA_CHANGED(Loose), (stoa_term){0}), tick), 0);
}

/* CHG-02 CHG-04: a column marks the rows of its run, one row marks itself. */
static void writing_fields_marks_what_was_handed_out(void **state) {
    support_world *s = *state;
    static stoa_entity es[300];
    assert_int_equal(stoa_create_bulk(s->world, 300, es, STOA_ZERO(Exact), STOA_ZERO(Loose),
                                      STOA_ZERO(Lamp), STOA_ZERO(Plain)),
                     STOA_OK);
    for (int i = 100; i < 300; i++) {
        assert_int_equal(stoa_enable(s->world, es[i], Lamp, false), STOA_OK);
    }
    stoa_query *writer = stoa_query_new(
        s->world, &(stoa_query_desc){.terms = {STOA_WRITE(Exact), STOA_WRITE(Loose),
                                               STOA_WRITE(Lamp), STOA_WRITE(Plain)}});
    uint32_t tick = stoa_tick(s->world);
    stoa_tick_advance(s->world);
    int32_t rows = 0;
    for (stoa_iter it = stoa_query_iter(writer); stoa_iter_next(&it); rows += it.count) {
        stoa_field_mut(&it, Exact, 0)[0].x = 1;
        stoa_field_at_mut(&it, Loose, 1, 7)->x = 1;
        stoa_field_at_mut(&it, Lamp, 2, 9)->x = 1;
        stoa_field_at_mut(&it, Plain, 3, 9)->x = 1;
    }
    assert_int_equal(rows, 100);
    assert_int_equal(run_since(query_of(s, STOA_CHANGED(Exact), (stoa_term){0}), tick), 100);
    assert_int_equal(run_since(query_of(s, STOA_CHANGED(Plain), (stoa_term){0}), tick), 300);
    stoa_iter it = stoa_query_iter_since(query_of(s, STOA_CHANGED(Loose), (stoa_term){0}), tick);
    assert_true(stoa_iter_next(&it) && it.count == 1);
    assert_int_equal(stoa_field_at(&it, Loose, 0, 0) == NULL, true);
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    assert_true(stoa_entity_eq(it.entities[0], es[7]));
    assert_false(stoa_iter_next(&it));
    it = stoa_query_iter_since(query_of(s, STOA_CHANGED(Lamp), STOA_READ(Lamp)), tick);
    assert_true(stoa_iter_next(&it) && it.count == 1);
    assert_true(stoa_entity_eq(it.entities[0], es[9]));
    assert_true(stoa_field(&it, Lamp, 1)->x > 0);
    assert_false(stoa_iter_next(&it));
}

/* QRY-08: what a run writes itself is no news to the next. */
static void own_writes_are_no_news(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Exact), STOA_ZERO(Plain));
    stoa_query *query = query_of(s, STOA_WRITE(Exact), STOA_CHANGED(Exact));
    stoa_query *watcher = query_of(s, STOA_CHANGED(Exact), (stoa_term){0});
    run(watcher);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        stoa_field_mut(&it, Exact, 0)->x = 1;
    }
    assert_int_equal(run(query), 0);
    assert_int_equal(run(watcher), 1);
}

static void each_write(stoa_entity e, void *const *fields, void *user) {
    (void)e;
    stoa_query *inner = user;
    ((Exact *)fields[0])->x += 1;
    ((Loose *)fields[1])->x += 1;
    if (inner != NULL) {
        run(inner);
        ((Exact *)fields[0])->x += 1;
        ((Loose *)fields[1])->x += 1;
    }
}

/* CHG-02 QRY-05: stoa_query_each marks what it hands out, even if the tick moves on meanwhile. */
static void each_marks_what_it_hands_out(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Exact), STOA_ZERO(Loose));
    stoa_create_with(s->world, STOA_ZERO(Exact), STOA_ZERO(Loose));
    stoa_query *writer = query_of(s, STOA_WRITE(Exact), STOA_WRITE(Loose));
    stoa_query *exact = query_of(s, STOA_CHANGED(Exact), (stoa_term){0});
    stoa_query *loose = query_of(s, STOA_CHANGED(Loose), (stoa_term){0});
    run(exact);
    run(loose);
    assert_int_equal(run(exact) + run(loose), 0);
    assert_int_equal(stoa_query_each(writer, each_write, NULL), STOA_OK);
    assert_int_equal(run(exact), 2);
    assert_int_equal(run(loose), 2);
    assert_int_equal(stoa_query_each(writer, each_write, loose), STOA_OK);
    assert_int_equal(run(loose), 1);
    assert_int_equal(stoa_query_each(writer, each_write, exact), STOA_OK);
    assert_true(run(exact) >= 1);
}

/* QRY-08 CMP-12: what is switched off is not there, changed or not. */
static void switched_off_is_neither_changed_nor_added(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(Lamp));
    stoa_query *changed = query_of(s, STOA_CHANGED(Lamp), (stoa_term){0});
    stoa_query *added = query_of(s, STOA_ADDED(Lamp), STOA_OPTIONAL(Lamp));
    assert_int_equal(stoa_enable(s->world, e, Lamp, false), STOA_OK);
    assert_int_equal(stoa_query_count(changed) + stoa_query_count(added), 0);
    assert_int_equal(stoa_enable(s->world, e, Lamp, true), STOA_OK);
    assert_int_equal(stoa_query_count(changed) + stoa_query_count(added), 2);
}

/* QRY-04 QRY-08: a filter stands beside one other term of its component, and no more. */
static void filters_stand_beside_other_terms(void **state) {
    support_world *s = *state;
    stoa_id(s->world, Plain);
    for (int access = STOA_ACCESS_READ; access <= STOA_ACCESS_ADDED; access++) {
        for (int filter = STOA_ACCESS_CHANGED; filter <= STOA_ACCESS_ADDED; filter++) {
            stoa_term a = {&Plain_stoa, 0, (stoa_access)access, 0};
            stoa_term b = {&Plain_stoa, 0, (stoa_access)filter, 0};
            bool fine = access != STOA_ACCESS_WITHOUT && access != filter;
            stoa_query *one = stoa_query_new(s->world, &(stoa_query_desc){.terms = {a, b}});
            assert_int_equal(one != NULL, fine);
            if (!fine) {
                support_assert_misuse(s, stoa_last_error().status, STOA_CONTRADICTION);
            }
            stoa_query *two = stoa_query_new(s->world, &(stoa_query_desc){.terms = {b, a}});
            assert_int_equal(two != NULL, fine);
            s->asserts_seen = s->asserts;
        }
    }
    assert_null(stoa_query_parse(s->world, "changed Plain, !Plain"));
    support_assert_misuse(s, stoa_last_error().status, STOA_CONTRADICTION);
    support_assert_message("absent");
    assert_null(stoa_query_parse(s->world, "changed Plain, const Plain, Plain"));
    support_assert_misuse(s, stoa_last_error().status, STOA_CONTRADICTION);
    support_assert_message("written");
}

/* QRY-07 QRY-08 */
static void name_tells_the_filters(void **state) {
    support_world *s = *state;
    stoa_id(s->world, Plain);
    stoa_id(s->world, Exact);
    stoa_query *query = stoa_query_parse(s->world, "changed Plain, const Plain, added Exact");
    assert_non_null(query);
    assert_string_equal(stoa_query_name(query), "changed Plain, const Plain, added Exact");
    stoa_create_with(s->world, STOA_ZERO(Plain), STOA_ZERO(Exact));
    assert_int_equal(run(query), 1);
    assert_int_equal(run(query), 0);
}

/* GEN-05 CHG-06 */
static void null_query_has_no_runs(void **state) {
    support_world *s = *state;
    assert_int_equal(stoa_query_last_run(NULL), 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    stoa_iter it = stoa_query_iter_since(NULL, 3);
    assert_false(stoa_iter_next(&it));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    support_assert_quiet(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(new_query_sees_everything_that_exists),
        TEST(only_a_whole_iteration_is_a_run),
        TEST(run_without_filters_moves_no_tick),
        TEST(filters_tell_rows_or_chunks),
        TEST(added_tells_additions_alone),
        TEST(moved_rows_take_their_ticks_along),
        TEST(reading_fields_marks_nothing),
        TEST(writing_fields_marks_what_was_handed_out),
        TEST(own_writes_are_no_news),
        TEST(each_marks_what_it_hands_out),
        TEST(switched_off_is_neither_changed_nor_added),
        TEST(filters_stand_beside_other_terms),
        TEST(name_tells_the_filters),
        TEST(null_query_has_no_runs),
        TEST(changes_are_found_in_any_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

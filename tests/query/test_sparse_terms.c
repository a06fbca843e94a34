/* Queries over sparse components: every role, both ways of walking, fields by row. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Other, { uint32_t x; });
STOA_COMPONENT_WITH(Push, STOA_OPTIONS(.flags = STOA_SPARSE), { uint32_t x; });
STOA_COMPONENT_WITH(Pull, STOA_OPTIONS(.flags = STOA_SPARSE), { uint64_t x; });
STOA_COMPONENT_WITH(Dim, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { uint32_t x; });
STOA_TAG_WITH(Hit, STOA_OPTIONS(.flags = STOA_SPARSE));

#define MANY 5000

#define DESC(...)                                                                                  \
    &(stoa_query_desc) {                                                                           \
        .terms = { __VA_ARGS__ }                                                                   \
    }

/* The query visits exactly these entities, in this order. */
static void query_visits(stoa_query *query, const stoa_entity *entities, int32_t count) {
    int32_t at = 0;
    assert_non_null(query);
    assert_int_equal(stoa_query_count(query), count);
    stoa_entity first = stoa_query_first(query);
    assert_true(count > 0 ? stoa_entity_eq(first, entities[0]) : stoa_entity_is_null(first));
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        assert_true(it.count > 0 && at + it.count <= count);
        for (int32_t i = 0; i < it.count; i++) {
            assert_true(stoa_entity_eq(it.entities[i], entities[at++]));
        }
    }
    assert_int_equal(at, count);
}

#define VISITS(query, ...)                                                                         \
    query_visits((query), (const stoa_entity[]){__VA_ARGS__},                                      \
                 (int32_t)(sizeof((const stoa_entity[]){__VA_ARGS__}) / sizeof(stoa_entity)))

/* CMP-10 QRY-01 */
static void sparse_components_take_every_role(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity none = stoa_create(w);
    stoa_entity only = stoa_create_with(w, STOA_VALUE(Push, {1}));
    stoa_entity place = stoa_create_with(w, STOA_ZERO(Position));
    stoa_entity both = stoa_create_with(w, STOA_ZERO(Position), STOA_VALUE(Push, {2}));
    stoa_entity pulled = stoa_create_with(w, STOA_ZERO(Position), STOA_VALUE(Pull, {3}));
    stoa_entity hit = stoa_create_with(w, STOA_ZERO(Other), STOA_ZERO(Hit), STOA_ZERO(Push));
    VISITS(stoa_query_new(w, DESC(STOA_READ(Push))), only, both, hit);
    VISITS(stoa_query_new(w, DESC(STOA_WRITE(Push), STOA_READ(Position))), both);
    VISITS(stoa_query_new(w, DESC(STOA_FILTER(Hit))), hit);
    VISITS(stoa_query_new(w, DESC(STOA_READ(Position), STOA_FILTER(Pull))), pulled);
    VISITS(stoa_query_new(w, DESC(STOA_READ(Position), STOA_WITHOUT(Push))), place, pulled);
    VISITS(stoa_query_new(w, DESC(STOA_WITHOUT(Push))), none, place, pulled);
    VISITS(stoa_query_new(w, DESC(STOA_OPTIONAL(Push))), none, only, place, both, pulled, hit);
    VISITS(stoa_query_new(w, DESC(STOA_READ(Position), STOA_OPTIONAL_WRITE(Push))), place, both,
           pulled);
    VISITS(stoa_query_new(w, DESC(STOA_ANY(Push), STOA_ANY(Pull))), only, both, pulled, hit);
    VISITS(stoa_query_new(w, DESC(STOA_ANY(Pull), STOA_ANY_WRITE(Other))), pulled, hit);
    VISITS(stoa_query_new(w, DESC(STOA_ANY(Pull), STOA_ANY(Hit), STOA_ANY_OF(Position, 1),
                                  STOA_ANY_OF(Push, 1))),
           pulled, hit);
    VISITS(stoa_query_new(w, DESC(STOA_READ(Push), STOA_FILTER(Hit), STOA_READ(Other))), hit);
    query_visits(stoa_query_new(w, DESC(STOA_READ(Push), STOA_FILTER(Pull))), NULL, 0);
    VISITS(stoa_query_parse(w, "const Push, !Hit, ?Pull"), only, both);
}

/* CMP-10 CMP-12 */
static void sparse_component_that_is_off_is_not_there(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity on = stoa_create_with(w, STOA_ZERO(Position), STOA_VALUE(Dim, {1}));
    stoa_entity off = stoa_create_with(w, STOA_ZERO(Position), STOA_VALUE(Dim, {2}));
    assert_int_equal(stoa_enable(w, off, Dim, false), STOA_OK);
    VISITS(stoa_query_new(w, DESC(STOA_READ(Dim))), on);
    VISITS(stoa_query_new(w, DESC(STOA_READ(Position), STOA_CHANGED(Dim))), on);
    VISITS(stoa_query_new(w, DESC(STOA_WITHOUT(Dim))), off);
    VISITS(stoa_query_new(w, DESC(STOA_ANY(Dim), STOA_ANY(Other))), on);
    stoa_query *query = stoa_query_new(w, DESC(STOA_READ(Position), STOA_OPTIONAL(Dim)));
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        assert_int_equal(it.count, 2);
        assert_int_equal(stoa_field_at(&it, Dim, 1, 0)->x, 1);
        assert_null(stoa_field_at(&it, Dim, 1, 1));
    }
    support_assert_quiet(s);
}

/* CMP-10 QRY-03: a set much smaller than the rows is walked in its own order. */
static void small_set_is_walked_in_its_order(void **state) {
    support_world *s = *state;
    static stoa_entity es[MANY];
    assert_int_equal(stoa_create_bulk(s->world, MANY, es, STOA_ZERO(Position)), STOA_OK);
    const int rows[] = {4000, 7, 8, 9, 3999, 11, 10};
    for (int i = 0; i < 7; i++) {
        stoa_set(s->world, es[rows[i]], Push, {(uint32_t)rows[i]});
    }
    stoa_query *query = stoa_query_new(s->world, DESC(STOA_WRITE(Position), STOA_WRITE(Push)));
    const int firsts[] = {4000, 7, 3999, 11, 10}, counts[] = {1, 3, 1, 1, 1};
    int32_t run = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it); run++) {
        assert_int_equal(it.count, counts[run]);
        assert_true(stoa_entity_eq(it.entities[0], es[firsts[run]]));
        for (int32_t i = 0; i < it.count; i++) {
            assert_int_equal(stoa_field_at(&it, Push, 1, i)->x, firsts[run] + i);
            assert_ptr_equal(stoa_field_at_mut(&it, Push, 1, i),
                             stoa_get(s->world, es[firsts[run] + i], Push));
            assert_ptr_equal(&stoa_field(&it, Position, 0)[i],
                             stoa_get(s->world, es[firsts[run] + i], Position));
            assert_ptr_equal(stoa_field_at(&it, Position, 0, i),
                             stoa_get(s->world, es[firsts[run] + i], Position));
        }
    }
    assert_int_equal(run, 5);
    assert_int_equal(stoa_query_count(query), 7);
}

/* CMP-10 QRY-03: a set of about as many as the rows is looked up row by row, in storage order. */
static void large_set_is_looked_up_by_row(void **state) {
    support_world *s = *state;
    static stoa_entity es[MANY];
    assert_int_equal(stoa_create_bulk(s->world, MANY, es, STOA_ZERO(Position)), STOA_OK);
    for (int i = MANY - 1; i >= 0; i--) {
        if (i % 70 != 0) {
            stoa_set(s->world, es[i], Push, {(uint32_t)i});
        }
    }
    stoa_query *query = stoa_query_new(s->world, DESC(STOA_READ(Push), STOA_READ(Position)));
    int at = 0, seen = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        at += at % 70 == 0;
        assert_true(it.count <= 69);
        for (int32_t i = 0; i < it.count; i++, at++, seen++) {
            assert_true(stoa_entity_eq(it.entities[i], es[at]));
            assert_int_equal(stoa_field_at(&it, Push, 0, i)->x, at);
        }
    }
    assert_int_equal(seen, MANY - (MANY + 69) / 70);
    assert_int_equal(stoa_query_count(query), seen);
}

/* CMP-10: entities with sparse components alone have no chunk; those that follow each other in the
 * set make one run. */
static void entities_without_columns_make_runs(void **state) {
    support_world *s = *state;
    stoa_entity es[600];
    for (uint32_t i = 0; i < 600; i++) {
        es[i] = stoa_create_with(s->world, STOA_VALUE(Push, {i}), STOA_VALUE(Pull, {i}));
    }
    stoa_add(s->world, es[100], Position);
    stoa_remove(s->world, es[200], Pull);
    stoa_query *query = stoa_query_new(s->world, DESC(STOA_WRITE(Push), STOA_READ(Pull)));
    int32_t seen = 0, runs = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it); runs++) {
        seen += it.count;
        for (int32_t i = 0; i < it.count; i++) {
            uint32_t number = stoa_field_at(&it, Push, 0, i)->x;
            assert_true(stoa_entity_eq(it.entities[i], es[number]));
            assert_int_equal(stoa_field_at(&it, Pull, 1, i)->x, number);
            stoa_field_at_mut(&it, Push, 0, i)->x = number + 1000;
        }
    }
    assert_int_equal(seen, 599);
    assert_true(runs <= 8);
    assert_int_equal(stoa_get(s->world, es[599], Push)->x, 1599);
    stoa_query *without =
        stoa_query_new(s->world, DESC(STOA_WITHOUT(Pull), STOA_OPTIONAL(Position)));
    VISITS(without, es[200]);
}

/* CMP-10 QRY-03 GEN-05 */
static void field_of_a_sparse_term_is_had_by_row(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Position), STOA_VALUE(Push, {5}), STOA_ZERO(Hit));
    stoa_query *query = stoa_query_new(
        s->world, DESC(STOA_READ(Push), STOA_WRITE(Position), STOA_OPTIONAL(Pull), STOA_READ(Hit)));
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    assert_null(stoa_field(&it, Push, 0));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    support_assert_message("stoa_field_at");
    assert_null(stoa_field_at(&it, Pull, 2, 0));
    assert_null(stoa_field_at_id(&it, stoa_id(s->world, Pull), 2, 0));
    support_assert_quiet(s);
    for (int32_t row = -1; row <= 1; row += 2) {
        assert_null(stoa_field_at(&it, Push, 0, row));
        support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
        assert_null(stoa_field_at_mut(&it, Position, 1, row));
        support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    }
    assert_null(stoa_field_at_mut(&it, Push, 0, 0));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    support_assert_message("reads");
    assert_null(stoa_field_at_type(&it, STOA_TYPE_OF(Pull), 0, 0));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    support_assert_message("another");
    assert_null(stoa_field_at(&it, Hit, 3, 0));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    support_assert_message("no data");
    assert_null(stoa_field_at(&it, Push, 4, 0));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    assert_null(stoa_field_at(&it, Push, -1, 0));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    assert_false(stoa_iter_next(&it));
    assert_null(stoa_field_at(&it, Push, 0, 0));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    assert_null(stoa_field_at_id(NULL, 1, 0, 0));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
}

/* QRY-03: a row of a column, with no sparse term and no run. */
static void field_of_one_row_is_had_from_columns_too(void **state) {
    support_world *s = *state;
    stoa_entity es[3];
    assert_int_equal(stoa_create_bulk(s->world, 3, es, STOA_ZERO(Position)), STOA_OK);
    stoa_query *query = stoa_query_new(s->world, DESC(STOA_WRITE(Position), STOA_OPTIONAL(Other)));
    uint32_t tick = stoa_tick(s->world);
    stoa_tick_advance(s->world);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        assert_ptr_equal(stoa_field_at(&it, Position, 0, 2), stoa_get(s->world, es[2], Position));
        assert_null(stoa_field_at(&it, Other, 1, 2));
        assert_false(stoa_changed(s->world, es[2], Position, tick));
        assert_ptr_equal(stoa_field_at_mut(&it, Position, 0, 1),
                         stoa_get(s->world, es[1], Position));
        assert_true(stoa_changed(s->world, es[1], Position, tick));
    }
    support_assert_quiet(s);
}

/* QRY-06 QRY-10 QRY-11 CMP-10 */
static void iteration_by_runs_holds_the_world(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(Position), STOA_ZERO(Push));
    stoa_query *query =
        stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(Push)}, .name = "pushes"});
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    support_assert_misuse(s, stoa_add(s->world, e, Other), STOA_ITERATING);
    support_assert_message("pushes");
    support_assert_misuse(s, stoa_remove(s->world, e, Push), STOA_ITERATING);
    support_assert_misuse(s, stoa_query_free(query), STOA_ITERATING);
    stoa_iter_end(&it);
    stoa_iter_end(&it);
    assert_false(stoa_iter_next(&it));
    assert_int_equal(stoa_add(s->world, e, Other), STOA_OK);
    it = stoa_query_once(s->world, DESC(STOA_READ(Push), STOA_READ(Other)));
    assert_true(stoa_iter_next(&it));
    assert_false(stoa_iter_next(&it));
    assert_false(stoa_iter_next(&it));
    it = stoa_query_once(s->world, DESC(STOA_READ(Push)));
    assert_true(stoa_iter_next(&it));
    stoa_iter_end(&it);
    assert_int_equal(stoa_stats(s->world).queries, 1);
    assert_int_equal(stoa_query_free(query), STOA_OK);
}

/* QRY-06 GEN-04: iterations nest; once warm they need no memory. */
static void nested_iterations_need_no_memory_once_warm(void **state) {
    support_world *s = *state;
    for (uint32_t i = 0; i < 30; i++) {
        stoa_create_with(s->world, STOA_ZERO(Position), STOA_VALUE(Push, {i}));
        stoa_create_with(s->world, STOA_ZERO(Position));
    }
    stoa_query *query = stoa_query_new(s->world, DESC(STOA_READ(Position), STOA_READ(Push)));
    size_t allocations = 0;
    for (int pass = 0; pass < 3; pass++) {
        int32_t pairs = 0;
        for (stoa_iter a = stoa_query_iter(query); stoa_iter_next(&a);) {
            for (stoa_iter b = stoa_query_iter(query); stoa_iter_next(&b);) {
                pairs += a.count * b.count;
            }
            assert_int_equal(stoa_check(s->world), STOA_OK);
        }
        assert_int_equal(pairs, 900);
        assert_true(pass == 0 || s->heap.allocations == allocations);
        allocations = s->heap.allocations;
        assert_int_equal(stoa_query_count(query), 30);
        assert_int_equal(s->heap.allocations, allocations);
    }
}

static void nothing_done(void *const *fields, void *user) {
    (void)fields;
    (void)user;
}

/* GEN-04 GEN-03: without memory there is no iteration, and the world is free. */
static void iteration_by_runs_out_of_memory_can_be_repeated(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(Position), STOA_ZERO(Push));
    stoa_query *query = stoa_query_new(s->world, DESC(STOA_READ(Position), STOA_READ(Push)));
    int failures = 0;
    for (size_t k = 1; failures < 10; k++) {
        s->heap.fail_at = k;
        stoa_iter it = stoa_query_iter(query);
        if (it.query != NULL) {
            s->heap.fail_at = 0;
            assert_true(stoa_iter_next(&it));
            stoa_iter_end(&it);
            break;
        }
        failures++;
        s->heap.fail_at = 0;
        assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
        assert_false(stoa_iter_next(&it));
        assert_int_equal(stoa_remove(s->world, e, Position), STOA_OK);
        assert_int_equal(stoa_add(s->world, e, Position), STOA_OK);
        assert_int_equal(stoa_check(s->world), STOA_OK);
    }
    assert_true(failures >= 2);
    stoa_iter outer = stoa_query_iter(query);
    assert_true(stoa_iter_next(&outer));
    s->heap.fail_at = 1;
    stoa_iter inner = stoa_query_iter(query);
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    assert_false(stoa_iter_next(&inner));
    assert_int_equal(stoa_query_each_row(query, nothing_done, NULL), STOA_OK);
    s->heap.fail_at = 1;
    assert_int_equal(stoa_check(s->world), STOA_OK);
    stoa_iter_end(&outer);
    assert_int_equal(stoa_query_count(query), 1);
    assert_true(stoa_entity_eq(stoa_query_first(query), e));
    s->heap.fail_at = 0;
    assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
}

/* QRY-10: what is left open goes with the world; the fixture counts the bytes. */
static void world_frees_iterations_by_runs_that_are_left(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Push));
    stoa_query *query = stoa_query_new(s->world, DESC(STOA_READ(Push)));
    stoa_iter a = stoa_query_iter(query), b = stoa_query_iter(query);
    assert_true(stoa_iter_next(&a) && stoa_iter_next(&b));
    stoa_iter_end(&b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(sparse_components_take_every_role),
        TEST(sparse_component_that_is_off_is_not_there),
        TEST(small_set_is_walked_in_its_order),
        TEST(large_set_is_looked_up_by_row),
        TEST(entities_without_columns_make_runs),
        TEST(field_of_a_sparse_term_is_had_by_row),
        TEST(field_of_one_row_is_had_from_columns_too),
        TEST(iteration_by_runs_holds_the_world),
        TEST(nested_iterations_need_no_memory_once_warm),
        TEST(iteration_by_runs_out_of_memory_can_be_repeated),
        TEST(world_frees_iterations_by_runs_that_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Queries as things that are made, asked, named, kept right, and freed. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT_WITH(Mass, STOA_OPTIONS(.name = "physics.Mass"), { double value; });
STOA_TAG(Frozen);
STOA_TAG(Alone);

#define QUERY(world, ...) stoa_query_new((world), &(stoa_query_desc){.terms = {__VA_ARGS__}})

/* The query matches exactly these entities, in this order. */
static void query_lists(stoa_query *query, const stoa_entity *entities, int32_t count) {
    int32_t at = 0;
    assert_non_null(query);
    assert_int_equal(stoa_query_count(query), count);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++, at++) {
            assert_true(at < count);
            assert_true(stoa_entity_eq(it.entities[i], entities[at]));
        }
    }
    assert_int_equal(at, count);
}

/* QRY-01 */
static void each_kind_of_term_selects_as_it_says(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity empty = stoa_create(w);
    stoa_entity p = stoa_create_with(w, STOA_ZERO(Position));
    stoa_entity v = stoa_create_with(w, STOA_ZERO(Velocity));
    stoa_entity pv = stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Velocity));
    stoa_entity pf = stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Frozen));
    query_lists(QUERY(w, STOA_READ(Position)), (stoa_entity[]){p, pv, pf}, 3);
    query_lists(QUERY(w, STOA_WRITE(Velocity)), (stoa_entity[]){v, pv}, 2);
    query_lists(QUERY(w, STOA_WITHOUT(Position)), (stoa_entity[]){empty, v}, 2);
    query_lists(QUERY(w, STOA_READ(Position), STOA_WITHOUT(Frozen)), (stoa_entity[]){p, pv}, 2);
    query_lists(QUERY(w, STOA_OPTIONAL(Frozen)), (stoa_entity[]){empty, p, v, pv, pf}, 5);
    query_lists(QUERY(w, STOA_OPTIONAL_WRITE(Position), STOA_READ(Velocity)),
                (stoa_entity[]){v, pv}, 2);
    query_lists(QUERY(w, STOA_ANY(Velocity), STOA_ANY(Frozen)), (stoa_entity[]){v, pv, pf}, 3);
    query_lists(QUERY(w, STOA_ANY_WRITE(Velocity), STOA_ANY(Frozen), STOA_FILTER(Position)),
                (stoa_entity[]){pv, pf}, 2);
    query_lists(QUERY(w, STOA_FILTER(Frozen)), (stoa_entity[]){pf}, 1);
    query_lists(QUERY(w, STOA_FILTER(Mass)), NULL, 0);
}

/* QRY-01 */
static void any_of_groups_must_each_be_met(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity pf = stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Frozen));
    stoa_entity pv = stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Velocity));
    stoa_entity va = stoa_create_with(w, STOA_ZERO(Velocity), STOA_ZERO(Alone));
    stoa_create_with(w, STOA_ZERO(Alone));
    stoa_create_with(w, STOA_ZERO(Mass));
    stoa_entity all = stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Velocity),
                                       STOA_ZERO(Frozen), STOA_ZERO(Alone));
    /* Terms of one group need not stand together. */
    query_lists(QUERY(w, STOA_ANY_OF(Position, 1), STOA_ANY_OF(Frozen, 2), STOA_ANY_OF(Velocity, 1),
                      STOA_ANY_OF(Alone, 2)),
                (stoa_entity[]){pf, va, all}, 3);
    query_lists(QUERY(w, STOA_ANY_OF(Position, 5), STOA_ANY_OF(Velocity, -5)),
                (stoa_entity[]){pv, all}, 2);
    query_lists(stoa_query_parse(w, "Position | Velocity, const Frozen | const Alone"),
                (stoa_entity[]){pf, va, all}, 3);
}

/* QRY-01 */
static void query_without_terms_matches_everything(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.name = NULL});
    query_lists(query, NULL, 0);
    stoa_entity empty = stoa_create(w);
    stoa_entity p = stoa_create_with(w, STOA_ZERO(Position));
    stoa_entity f = stoa_create_with(w, STOA_ZERO(Frozen));
    query_lists(query, (stoa_entity[]){empty, p, f}, 3);
    assert_string_equal(stoa_query_name(query), "");
}

/* QRY-02 */
static void archetype_that_appears_later_joins_its_queries(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_query *position = QUERY(w, STOA_READ(Position));
    stoa_query *warm = QUERY(w, STOA_WITHOUT(Frozen), STOA_READ(Position));
    stoa_query *either = QUERY(w, STOA_ANY(Velocity), STOA_ANY(Frozen));
    query_lists(position, NULL, 0);
    stoa_entity a = stoa_create_with(w, STOA_ZERO(Position));
    query_lists(position, &a, 1);
    query_lists(warm, &a, 1);
    query_lists(either, NULL, 0);
    stoa_entity b = stoa_create_with(w, STOA_ZERO(Frozen), STOA_ZERO(Position));
    query_lists(position, (stoa_entity[]){a, b}, 2);
    query_lists(warm, &a, 1);
    query_lists(either, &b, 1);
    assert_int_equal(stoa_add(w, a, Velocity), STOA_OK);
    query_lists(position, (stoa_entity[]){b, a}, 2);
    query_lists(warm, &a, 1);
    query_lists(either, (stoa_entity[]){b, a}, 2);
    assert_int_equal(stoa_destroy(w, b), STOA_OK);
    query_lists(either, &a, 1);
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* QRY-05 */
static void count_single_and_first_agree(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_query *query = QUERY(w, STOA_READ(Position), STOA_WITHOUT(Frozen));
    assert_int_equal(stoa_query_count(query), 0);
    stoa_error_clear();
    assert_true(stoa_entity_is_null(stoa_query_first(query)));
    assert_int_equal(stoa_last_error().status, STOA_OK);
    assert_true(stoa_entity_is_null(stoa_query_single(query)));
    assert_int_equal(stoa_last_error().status, STOA_NOT_SINGLE);
    support_assert_message("matches 0 ");
    stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Frozen));
    stoa_entity late = stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Velocity));
    assert_true(stoa_entity_eq(stoa_query_single(query), late));
    assert_true(stoa_entity_eq(stoa_query_first(query), late));
    stoa_create_with(w, STOA_ZERO(Position));
    assert_int_equal(stoa_query_count(query), 2);
    assert_true(stoa_entity_eq(stoa_query_first(query), late));
    assert_true(stoa_entity_is_null(stoa_query_single(query)));
    assert_int_equal(stoa_last_error().status, STOA_NOT_SINGLE);
    support_assert_message("const Position, !Frozen");
    support_assert_message("matches 2 ");
    assert_int_equal(stoa_destroy(w, late), STOA_OK);
    assert_false(stoa_entity_is_null(stoa_query_single(query)));
    support_assert_quiet(s);
}

/* QRY-05 */
static void entities_without_components_are_counted_and_found(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_query *query = QUERY(w, STOA_WITHOUT(Position));
    stoa_query *all = QUERY(w, STOA_OPTIONAL(Position));
    stoa_entity p = stoa_create_with(w, STOA_ZERO(Position));
    stoa_entity gone = stoa_create(w);
    stoa_entity left = stoa_create(w);
    assert_int_equal(stoa_query_count(query), 2);
    assert_true(stoa_entity_eq(stoa_query_first(query), gone));
    assert_true(stoa_entity_eq(stoa_query_first(all), gone));
    assert_int_equal(stoa_destroy(w, gone), STOA_OK);
    assert_true(stoa_entity_eq(stoa_query_single(query), left));
    assert_int_equal(stoa_clear(w, p), STOA_OK);
    query_lists(query, (stoa_entity[]){p, left}, 2);
    query_lists(all, (stoa_entity[]){p, left}, 2);
    stoa_query_desc desc = {.terms = {STOA_WITHOUT(Position)}};
    assert_int_equal(stoa_query_once_count(w, &desc), 2);
    assert_int_equal(stoa_add(w, left, Position), STOA_OK);
    assert_true(stoa_entity_eq(stoa_query_first(query), p));
}

/* What the callbacks of stoa_query_each found. */
typedef struct walk {
    support_world *support;
    int32_t calls;
    float sum;
    int32_t without;
} walk;

static void row_add(void *const *fields, void *user) {
    walk *found = user;
    const Position *p = fields[0];
    Velocity *v = fields[1];
    assert_null(fields[2]);
    assert_null(fields[3]);
    found->calls++;
    found->sum += p->x;
    found->without += v == NULL;
    if (v != NULL) {
        v->x = p->x;
    }
}

static void entity_add(stoa_entity e, void *const *fields, void *user) {
    walk *found = user;
    assert_ptr_equal(fields[0], stoa_get(found->support->world, e, Position));
    assert_ptr_equal(fields[1], stoa_try_get(found->support->world, e, Velocity));
    support_assert_misuse(found->support, stoa_destroy(found->support->world, e), STOA_ITERATING);
    row_add(fields, user);
}

/* QRY-05 QRY-06 */
static void each_calls_for_every_entity(void **state) {
    support_world *s = *state;
    for (int32_t i = 0; i < 4000; i++) {
        stoa_create_with(s->world, STOA_VALUE(Position, {(float)i, 0}));
    }
    for (int32_t i = 0; i < 1000; i++) {
        stoa_create_with(s->world, STOA_VALUE(Position, {1, 0}), STOA_ZERO(Velocity),
                         STOA_ZERO(Frozen));
    }
    stoa_query *query = QUERY(s->world, STOA_READ(Position), STOA_OPTIONAL_WRITE(Velocity),
                              STOA_OPTIONAL(Frozen), STOA_WITHOUT(Alone));
    walk found = {.support = s};
    assert_int_equal(stoa_query_each(query, entity_add, &found), STOA_OK);
    assert_int_equal(found.calls, 5000);
    assert_int_equal(found.without, 4000);
    assert_true(found.sum == 3999 * 2000 + 1000);
    found = (walk){.support = s};
    assert_int_equal(stoa_query_each_row(query, row_add, &found), STOA_OK);
    assert_int_equal(found.calls, 5000);
    for (stoa_iter it =
             stoa_query_once(s->world, &(stoa_query_desc){.terms = {STOA_READ(Velocity)}});
         stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            assert_true(stoa_field(&it, Velocity, 0)[i].x == 1);
        }
    }
    assert_false(stoa_entity_is_null(stoa_create(s->world)));
}

static void entity_count(stoa_entity e, void *const *fields, void *user) {
    walk *found = user;
    assert_true(stoa_alive(found->support->world, e));
    assert_null(fields[0]);
    found->calls++;
}

/* QRY-05 GEN-05 */
static void each_reaches_entities_without_components(void **state) {
    support_world *s = *state;
    assert_int_equal(stoa_create_bulk_values(s->world, 70, NULL, NULL, 0), STOA_OK);
    stoa_query *query = QUERY(s->world, STOA_OPTIONAL(Position));
    walk found = {.support = s};
    assert_int_equal(stoa_query_each(query, entity_count, &found), STOA_OK);
    assert_int_equal(found.calls, 70);
    support_assert_misuse(s, stoa_query_each(query, NULL, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_each_row(query, NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_each(NULL, entity_count, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_each_row(NULL, row_add, NULL), STOA_NULL_ARGUMENT);
    assert_false(stoa_entity_is_null(stoa_create(s->world)));
    support_assert_quiet(s);
}

/* QRY-07 */
static void name_is_as_given_or_made_of_the_terms(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    char given[] = "movers";
    stoa_query *named =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}, .name = given});
    given[0] = 'M';
    assert_string_equal(stoa_query_name(named), "movers");
    stoa_query *unnamed = QUERY(w, STOA_WRITE(Position), STOA_READ(Velocity), STOA_OPTIONAL(Mass),
                                STOA_FILTER(Frozen), STOA_WITHOUT(Alone));
    assert_string_equal(stoa_query_name(unnamed),
                        "Position, const Velocity, ?const physics.Mass, with Frozen, !Alone");
    stoa_query *any = QUERY(w, STOA_ANY_OF(Position, 1), STOA_ANY_WRITE(Velocity), STOA_ANY(Mass),
                            STOA_OPTIONAL_WRITE(Frozen));
    assert_string_equal(stoa_query_name(any),
                        "const Position, Velocity | const physics.Mass, ?Frozen");
    stoa_query *parsed = stoa_query_parse(w, stoa_query_name(unnamed));
    assert_string_equal(stoa_query_name(parsed), stoa_query_name(unnamed));
}

/* GEN-05 */
static void name_of_long_terms_is_cut(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_query_desc desc = {.name = NULL};
    for (int32_t i = 0; i < STOA_TERM_MAX; i++) {
        char name[32];
        snprintf(name, sizeof name, "a_rather_long_name_%d", i);
        desc.terms[i] =
            (stoa_term){.id = stoa_component_register(w, &(stoa_component_desc){.name = name}),
                        .access = STOA_ACCESS_WITHOUT};
    }
    const char *name = stoa_query_name(stoa_query_new(w, &desc));
    assert_true(strlen(name) > 40);
    assert_memory_equal(name, "!a_rather_long_name_0, !a_rather_long_name_1", 44);
}

/* QRY-09 */
static void one_off_query_leaves_nothing_behind(void **state) {
    support_world *s = *state;
    for (int32_t i = 0; i < 10; i++) {
        stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
        stoa_create_with(s->world, STOA_VALUE(Position, {3, 4}), STOA_ZERO(Frozen));
    }
    stoa_query_desc desc = {.terms = {STOA_READ(Position)}, .name = "passing"};
    size_t bytes = s->heap.bytes, blocks = s->heap.blocks;
    float sum = 0;
    for (stoa_iter it = stoa_query_once(s->world, &desc); stoa_iter_next(&it);) {
        const Position *p = stoa_field(&it, Position, 0);
        assert_int_equal(stoa_stats(s->world).queries, 1);
        for (int32_t i = 0; i < it.count; i++) {
            sum += p[i].x;
        }
    }
    assert_true(sum == 40);
    assert_int_equal(s->heap.bytes, bytes);
    stoa_iter early = stoa_query_once(s->world, &desc);
    assert_true(stoa_iter_next(&early));
    stoa_iter nested = stoa_query_once(s->world, &desc);
    stoa_iter_end(&early);
    assert_true(stoa_iter_next(&nested));
    stoa_iter_end(&nested);
    assert_int_equal(stoa_query_once_count(s->world, &desc), 20);
    assert_int_equal(s->heap.bytes, bytes);
    assert_int_equal(s->heap.blocks, blocks);
    assert_int_equal(stoa_stats(s->world).queries, 0);
    assert_false(stoa_entity_is_null(stoa_create(s->world)));
    support_assert_quiet(s);
}

/* QRY-09 GEN-04 */
static void one_off_query_out_of_memory_is_no_iteration(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Position));
    stoa_query_desc desc = {.terms = {STOA_READ(Position)}, .name = "passing"};
    size_t bytes = s->heap.bytes;
    bool made = false;
    for (size_t k = 1; !made; k++) {
        assert_true(k < 100);
        s->heap.fail_at = k;
        stoa_iter it = stoa_query_once(s->world, &desc);
        made = s->heap.fail_at != 0;
        s->heap.fail_at = 0;
        assert_int_equal(stoa_iter_next(&it), made);
        assert_int_equal(made || stoa_last_error().status == STOA_NO_MEMORY, true);
        stoa_iter_end(&it);
        assert_int_equal(s->heap.bytes, bytes);
    }
    assert_false(stoa_entity_is_null(stoa_create(s->world)));
}

static void nothing_done(void *const *fields, void *user) {
    (void)fields;
    (void)user;
}

/* QRY-02 GEN-04 */
static void first_iteration_out_of_memory_can_be_repeated(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(Position));
    stoa_query *query = QUERY(s->world, STOA_READ(Position));
    bool done = false;
    for (size_t k = 1; !done; k++) {
        assert_true(k < 100);
        s->heap.fail_at = k;
        stoa_status status = stoa_query_each_row(query, nothing_done, NULL);
        done = s->heap.fail_at != 0;
        s->heap.fail_at = 0;
        assert_int_equal(status, done ? STOA_OK : STOA_NO_MEMORY);
        assert_int_equal(stoa_query_count(query), 1);
        assert_int_equal(stoa_check(s->world), STOA_OK);
        assert_int_equal(stoa_add(s->world, e, Velocity), STOA_OK);
        assert_int_equal(stoa_remove(s->world, e, Velocity), STOA_OK);
    }
    query_lists(query, &e, 1);
}

/* QRY-10 */
static void world_frees_the_queries_that_are_left(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Position));
    for (int32_t i = 0; i < 50; i++) {
        stoa_query_desc desc = {.terms = {STOA_READ(Position)}, .name = "left"};
        assert_non_null(stoa_query_new(s->world, &desc));
    }
    stoa_query_desc desc = {.terms = {STOA_READ(Position)}};
    stoa_iter once = stoa_query_once(s->world, &desc);
    assert_true(stoa_iter_next(&once));
    stoa_iter open = stoa_query_iter(stoa_query_parse(s->world, "Position"));
    assert_true(stoa_iter_next(&open));
    assert_int_equal(stoa_stats(s->world).queries, 52);
}

/* QRY-10 */
static void queries_are_freed_in_any_order(void **state) {
    support_world *s = *state;
    stoa_query *queries[6];
    stoa_id(s->world, Position);
    size_t bytes = s->heap.bytes;
    for (int32_t i = 0; i < 6; i++) {
        queries[i] = QUERY(s->world, STOA_READ(Position));
    }
    const int32_t order[] = {2, 0, 5, 3, 1, 4};
    for (int32_t i = 0; i < 6; i++) {
        assert_int_equal(stoa_query_free(queries[order[i]]), STOA_OK);
        assert_int_equal(stoa_stats(s->world).queries, 5 - i);
        assert_int_equal(stoa_check(s->world), STOA_OK);
    }
    assert_int_equal(s->heap.bytes, bytes);
    assert_int_equal(stoa_query_free(NULL), STOA_OK);
}

/* QRY-10 */
static void query_under_iteration_is_not_freed(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(Position));
    stoa_query *query = stoa_query_new(
        s->world, &(stoa_query_desc){.terms = {STOA_READ(Position)}, .name = "walked"});
    stoa_query *other = QUERY(s->world, STOA_READ(Position));
    stoa_iter it = stoa_query_iter(query);
    support_assert_misuse(s, stoa_query_free(query), STOA_ITERATING);
    support_assert_message("walked");
    assert_int_equal(stoa_query_free(other), STOA_OK);
    assert_true(stoa_iter_next(&it));
    assert_true(stoa_entity_eq(it.entities[0], e));
    assert_false(stoa_iter_next(&it));
    assert_int_equal(stoa_query_free(query), STOA_OK);
    support_assert_quiet(s);
}

/* GEN-05 QRY-05 QRY-07 */
static void null_where_a_value_is_needed_is_refused(void **state) {
    support_world *s = *state;
    stoa_query_desc desc = {.name = NULL};
    assert_null(stoa_query_new(NULL, &desc));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_null(stoa_query_new(s->world, NULL));
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_null(stoa_query_parse(NULL, "Position"));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_null(stoa_query_parse(s->world, NULL));
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_once_count(s->world, NULL), -1);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_once_count(NULL, &desc), -1);
    stoa_error_clear();
    assert_string_equal(stoa_query_name(NULL), "");
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_count(NULL), 0);
    assert_true(stoa_entity_is_null(stoa_query_first(NULL)));
    assert_true(stoa_entity_is_null(stoa_query_single(NULL)));
    support_assert_quiet(s);
}

/* QRY-07 */
static void mistake_in_a_text_is_told_with_its_column(void **state) {
    support_world *s = *state;
    stoa_id(s->world, Position);
    const struct {
        const char *text;
        stoa_status status;
        int32_t column;
    } bad[] = {
        {"Position, const Speed", STOA_NOT_FOUND, 17},
        {"Position,, Position", STOA_SYNTAX, 10},
        {"!", STOA_SYNTAX, 2},
        {"Position Position", STOA_SYNTAX, 10},
        {"", STOA_SYNTAX, 1},
    };
    size_t bytes = s->heap.bytes;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(stoa_query_parse(s->world, bad[i].text));
        assert_int_equal(stoa_last_error().status, bad[i].status);
        assert_int_equal(stoa_last_error().column, bad[i].column);
        assert_int_equal(s->errors, (int)i + 1);
    }
    assert_int_equal(s->heap.bytes, bytes);
    support_assert_quiet(s);
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(each_kind_of_term_selects_as_it_says),
        WITH_WORLD(any_of_groups_must_each_be_met),
        WITH_WORLD(query_without_terms_matches_everything),
        WITH_WORLD(archetype_that_appears_later_joins_its_queries),
        WITH_WORLD(count_single_and_first_agree),
        WITH_WORLD(entities_without_components_are_counted_and_found),
        WITH_WORLD(each_calls_for_every_entity),
        WITH_WORLD(each_reaches_entities_without_components),
        WITH_WORLD(name_is_as_given_or_made_of_the_terms),
        WITH_WORLD(name_of_long_terms_is_cut),
        WITH_WORLD(one_off_query_leaves_nothing_behind),
        WITH_WORLD(one_off_query_out_of_memory_is_no_iteration),
        WITH_WORLD(first_iteration_out_of_memory_can_be_repeated),
        WITH_WORLD(world_frees_the_queries_that_are_left),
        WITH_WORLD(queries_are_freed_in_any_order),
        WITH_WORLD(query_under_iteration_is_not_freed),
        WITH_WORLD(null_where_a_value_is_needed_is_refused),
        WITH_WORLD(mistake_in_a_text_is_told_with_its_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

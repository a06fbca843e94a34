/* Misuse of queries and iterations: structural changes under one, fields that were not asked for,
 * contradictions.
 *
 * Each call is refused with its status, told once, and leaves the world as it was; the message
 * names the query. */
#include <stdlib.h>

#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Health, { int32_t value; });
STOA_COMPONENT(Unused, { int32_t value; });
STOA_TAG(Frozen);

static support_world *s;
static stoa_world *w;
static stoa_entity bare;   /* no components */
static stoa_entity placed; /* Position */
static stoa_entity moving; /* Position, Velocity and Frozen */
static stoa_query *movers; /* Position, const Velocity */

static int fixture_open(void **state) {
    int result = support_setup(state);
    if (result != 0) {
        return result;
    }
    s = *state;
    w = s->world;
    bare = stoa_create(w);
    placed = stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    moving = stoa_create_with(w, STOA_VALUE(Position, {3, 4}), STOA_VALUE(Velocity, {5, 6}),
                              STOA_ZERO(Frozen));
    movers =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Position), STOA_READ(Velocity)},
                                             .name = "movers"});
    assert_non_null(movers);
    return 0;
}

static stoa_status given(bool something) {
    return something ? STOA_OK : stoa_last_error().status;
}

static stoa_status made(stoa_entity e) {
    return given(!stoa_entity_is_null(e));
}

/* A structural change that is fine when nothing is iterated. */
typedef struct change {
    const char *name;
    stoa_status (*call)(void);
} change;

#define CALL(name, expression)                                                                     \
    static stoa_status name(void) {                                                                \
        return expression;                                                                         \
    }

static const Position there = {7, 8};

CALL(create, made(stoa_create(w)))
CALL(create_with, made(stoa_create_with(w, STOA_ZERO(Position))))
CALL(create_values_none, made(stoa_create_values(w, NULL, 0)))
CALL(create_bulk, stoa_create_bulk(w, 3, NULL, STOA_ZERO(Position)))
CALL(create_bulk_empty, stoa_create_bulk_values(w, 3, NULL, NULL, 0))
CALL(reserve, stoa_reserve(w, 3, STOA_ZERO(Position)))
CALL(compact, stoa_compact(w))
CALL(clone, made(stoa_clone(w, moving)))
CALL(clone_bare, made(stoa_clone(w, bare)))
CALL(set, stoa_set(w, placed, Velocity, {1, 1}))
CALL(set_unused, stoa_set(w, placed, Unused, {1}))
CALL(set_id, stoa_set_id(w, bare, stoa_id(w, Position), &there, sizeof there))
CALL(set_named, stoa_set_named(w, bare, "Velocity", &there, sizeof there))
CALL(add, stoa_add(w, placed, Frozen))
CALL(add_id, stoa_add_id(w, bare, stoa_id(w, Frozen)))
CALL(add_named, stoa_add_named(w, placed, "Unused"))
CALL(removal, stoa_remove(w, moving, Velocity))
CALL(remove_id, stoa_remove_id(w, moving, stoa_id(w, Frozen)))
CALL(remove_named, stoa_remove_named(w, placed, "Position"))
CALL(several, stoa_change(w, moving, STOA_ZERO(Health), STOA_REMOVE(Frozen)))
CALL(clear, stoa_clear(w, moving))
CALL(ref_set, stoa_ref_set(stoa_ref_of(w, bare), Health, {3}))
CALL(ref_clone, made(stoa_ref_clone(stoa_ref_of(w, placed)).entity))
CALL(destroy, stoa_destroy(w, placed))
CALL(destroy_bare, stoa_destroy(w, bare))

static const change changes[] = {
    {"create", create},
    {"create_with", create_with},
    {"create_values of nothing", create_values_none},
    {"create_bulk", create_bulk},
    {"create_bulk of nothing", create_bulk_empty},
    {"reserve", reserve},
    {"compact", compact},
    {"clone", clone},
    {"clone of an empty entity", clone_bare},
    {"set that adds", set},
    {"set of a type not met before", set_unused},
    {"set_id that adds", set_id},
    {"set_named that adds", set_named},
    {"add", add},
    {"add_id", add_id},
    {"add_named", add_named},
    {"remove", removal},
    {"remove_id", remove_id},
    {"remove_named", remove_named},
    {"change", several},
    {"clear", clear},
    {"ref_set that adds", ref_set},
    {"ref_clone", ref_clone},
    {"destroy", destroy},
    {"destroy of an empty entity", destroy_bare},
};

/* The call is refused, naming the query. */
static void change_is_refused(const change *c, const char *query_name) {
    uint64_t hash = stoa_hash(w);
    int errors = s->errors;
    stoa_status status = c->call();
    if (status != STOA_ITERATING || s->errors != errors + 1) {
        fail_msg("%s: status %d, %d errors told", c->name, (int)status, s->errors - errors);
    }
    support_assert_misuse(s, status, STOA_ITERATING);
    support_assert_message(query_name);
    if (stoa_hash(w) != hash) {
        fail_msg("%s: left a mark", c->name);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* QRY-06 GEN-03 */
static void structural_change_under_iteration_is_refused(void **state) {
    (void)state;
    assert_true(stoa_id(w, Unused) != 0 && stoa_id(w, Health) != 0);
    size_t count = sizeof changes / sizeof *changes;
    for (size_t i = 0; i < count; i++) {
        stoa_iter it = stoa_query_iter(movers);
        change_is_refused(&changes[i], "'movers'");
        assert_true(stoa_iter_next(&it));
        change_is_refused(&changes[i], "'movers'");
        assert_true(stoa_field(&it, Velocity, 1)->x == 5);
        assert_false(stoa_iter_next(&it));
    }
    for (size_t i = 0; i < count; i++) {
        if (changes[i].call() != STOA_OK) {
            support_print_error();
            fail_msg("%s: refused with nothing iterated", changes[i].name);
        }
    }
    support_assert_quiet(s);
}

/* QRY-06 QRY-11: an iteration left by break stays open until it is ended. */
static void iteration_left_by_break_is_named(void **state) {
    (void)state;
    assert_true(stoa_id(w, Health) != 0);
    stoa_query *named = stoa_query_parse(w, "Position, !Health");
    assert_non_null(named);
    stoa_iter it;
    for (it = stoa_query_iter(named); stoa_iter_next(&it);) {
        break;
    }
    change_is_refused(&changes[0], "'Position, !Health'");
    support_assert_message("stoa_iter_end");
    stoa_iter_end(&it);
    assert_int_equal(create(), STOA_OK);
    for (it = stoa_query_once(
             w, &(stoa_query_desc){.terms = {STOA_READ(Position)}, .name = "passing by"});
         stoa_iter_next(&it);) {
        break;
    }
    change_is_refused(&changes[0], "'passing by'");
    stoa_iter_end(&it);
    assert_int_equal(create(), STOA_OK);
    support_assert_quiet(s);
}

/* QRY-06 ACC-03: what moves nothing is allowed under iteration. */
static void change_in_place_under_iteration_is_allowed(void **state) {
    (void)state;
    int32_t rows = 0;
    for (stoa_iter it = stoa_query_iter(movers); stoa_iter_next(&it);) {
        assert_int_equal(stoa_set(w, placed, Position, {9, 9}), STOA_OK);
        assert_int_equal(stoa_set(w, it.entities[0], Velocity, {8, 8}), STOA_OK);
        assert_true(stoa_field(&it, Velocity, 1)->x == 8);
        assert_int_equal(stoa_add(w, moving, Frozen), STOA_OK);
        assert_int_equal(stoa_remove(w, placed, Velocity), STOA_OK);
        assert_int_equal(stoa_remove(w, placed, Unused), STOA_OK);
        stoa_get_mut(w, placed, Position)->x = 10;
        stoa_query *other = stoa_query_parse(w, "const Position");
        assert_int_equal(stoa_query_count(other), 2);
        assert_int_equal(stoa_query_free(other), STOA_OK);
        assert_int_equal(stoa_query_once_count(w, &(stoa_query_desc){.terms = {STOA_READ(Health)}}),
                         0);
        rows += it.count;
    }
    assert_int_equal(rows, 1);
    assert_true(stoa_get(w, placed, Position)->x == 10);
    assert_int_equal(create(), STOA_OK);
    support_assert_quiet(s);
}

/* QRY-06 QRY-11 */
static void nested_iteration_opens_the_world_when_all_have_ended(void **state) {
    (void)state;
    int32_t pairs = 0;
    stoa_query *all = stoa_query_parse(w, "?const Position");
    assert_non_null(all);
    for (stoa_iter outer = stoa_query_iter(all); stoa_iter_next(&outer);) {
        for (stoa_iter inner = stoa_query_iter(all); stoa_iter_next(&inner);) {
            pairs += outer.count * inner.count;
        }
        change_is_refused(&changes[0], "'?const Position'");
        stoa_iter early = stoa_query_iter(movers);
        assert_true(stoa_iter_next(&early));
        stoa_iter_end(&early);
        change_is_refused(&changes[0], "'?const Position'");
    }
    assert_int_equal(pairs, 9);
    assert_int_equal(create(), STOA_OK);
    support_assert_quiet(s);
}

/* QRY-10 */
static void query_freed_under_iteration_is_kept(void **state) {
    (void)state;
    stoa_iter it = stoa_query_iter(movers);
    assert_true(stoa_iter_next(&it));
    int32_t queries = stoa_stats(w).queries;
    support_assert_misuse(s, stoa_query_free(movers), STOA_ITERATING);
    support_assert_message("'movers'");
    assert_int_equal(stoa_stats(w).queries, queries);
    assert_true(stoa_field(&it, Velocity, 1)->y == 6);
    stoa_iter_end(&it);
    assert_int_equal(stoa_query_free(movers), STOA_OK);
    assert_int_equal(stoa_query_free(NULL), STOA_OK);
    assert_int_equal(stoa_stats(w).queries, queries - 1);
    support_assert_quiet(s);
}

/* QRY-11 */
static void ended_iteration_stays_ended(void **state) {
    (void)state;
    stoa_iter it = stoa_query_iter(movers);
    stoa_iter_end(&it);
    stoa_iter_end(&it);
    assert_false(stoa_iter_next(&it));
    assert_false(stoa_iter_next(&it));
    it = stoa_query_iter(movers);
    while (stoa_iter_next(&it)) {
    }
    stoa_iter_end(&it);
    assert_false(stoa_iter_next(&it));
    stoa_iter_end(NULL);
    support_assert_quiet(s);
    support_assert_misuse(s, given(stoa_field_type(&it, STOA_TYPE_OF(Position), 0) != NULL),
                          STOA_ACCESS);
    support_assert_misuse(s, given(stoa_field_mut_type(&it, STOA_TYPE_OF(Position), 0) != NULL),
                          STOA_ACCESS);
    support_assert_misuse(s, given(stoa_field(&it, Position, 0) != NULL), STOA_ACCESS);
    assert_int_equal(create(), STOA_OK);
}

/* QRY-10: what is left open or unfreed goes with the world; the fixture counts the bytes. */
static void world_frees_queries_and_iterations_left(void **state) {
    (void)state;
    stoa_iter it = stoa_query_iter(movers);
    assert_true(stoa_iter_next(&it));
    stoa_iter once = stoa_query_once(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
    assert_true(stoa_iter_next(&once));
    assert_non_null(stoa_query_parse(w, "Position"));
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* QRY-03 QRY-01 GEN-03 */
static void field_that_was_not_asked_for_is_refused(void **state) {
    (void)state;
    stoa_query_desc desc = {.terms = {STOA_WRITE(Position), STOA_READ(Velocity),
                                      STOA_OPTIONAL(Health), STOA_FILTER(Frozen),
                                      STOA_WITHOUT(Unused)},
                            .name = "fields"};
    stoa_iter it = stoa_query_once(w, &desc);
    assert_true(stoa_iter_next(&it));
    assert_non_null(stoa_field_mut(&it, Position, 0));
    assert_non_null(stoa_field(&it, Position, 0));
    assert_null(stoa_field(&it, Health, 2));
    support_assert_quiet(s);
    const int32_t indexes[] = {-1, 5, 31, 32, 33, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        int32_t n = indexes[i];
        support_assert_misuse(s, given(stoa_field(&it, Position, n) != NULL), STOA_ACCESS);
        support_assert_message("'fields'");
        support_assert_misuse(s, given(stoa_field_mut(&it, Position, n) != NULL), STOA_ACCESS);
        support_assert_misuse(s, given(stoa_field_id(&it, 1, n) != NULL), STOA_ACCESS);
        support_assert_misuse(s, given(stoa_field_mut_id(&it, 1, n) != NULL), STOA_ACCESS);
    }
    support_assert_misuse(s, given(stoa_field_mut(&it, Velocity, 1) != NULL), STOA_ACCESS);
    support_assert_message("reads");
    support_assert_misuse(s, given(stoa_field_mut(&it, Health, 2) != NULL), STOA_ACCESS);
    support_assert_misuse(s, given(stoa_field(&it, Frozen, 3) != NULL), STOA_ACCESS);
    support_assert_misuse(s, given(stoa_field(&it, Unused, 4) != NULL), STOA_ACCESS);
    stoa_component velocity = stoa_id(w, Velocity);
    support_assert_misuse(s, given(stoa_field_id(&it, velocity, 0) != NULL), STOA_ACCESS);
    support_assert_misuse(s, given(stoa_field_id(&it, 0, 0) != NULL), STOA_ACCESS);
    support_assert_misuse(s, given(stoa_field_id(&it, UINT32_MAX, 0) != NULL), STOA_ACCESS);
    support_assert_misuse(s, given(stoa_field_type(&it, STOA_TYPE_OF(Velocity), 0) != NULL),
                          STOA_ACCESS);
    support_assert_misuse(s, given(stoa_field_type(&it, NULL, 0) != NULL), STOA_ACCESS);
#ifdef STOA_DEBUG
    support_assert_misuse(s, given(stoa_field(&it, Velocity, 0) != NULL), STOA_ACCESS);
    support_assert_message("'fields'");
    support_assert_misuse(s, given(stoa_field_mut(&it, Health, 0) != NULL), STOA_ACCESS);
#endif
    stoa_iter_end(&it);
}

/* QRY-04 */
static void contradictory_query_is_refused(void **state) {
    (void)state;
    stoa_component position = stoa_id(w, Position);
    for (int first = STOA_ACCESS_READ; first <= STOA_ACCESS_FILTER; first++) {
        for (int second = STOA_ACCESS_READ; second <= STOA_ACCESS_FILTER; second++) {
            stoa_query_desc desc = {.terms = {STOA_READ(Velocity),
                                              {STOA_TYPE_OF(Position), 0, (stoa_access)first, 1},
                                              STOA_OPTIONAL(Health),
                                              {NULL, position, (stoa_access)second, 2}}};
            int32_t queries = stoa_stats(w).queries;
            support_assert_misuse(s, given(stoa_query_new(w, &desc) != NULL), STOA_CONTRADICTION);
            support_assert_message("'Position'");
            support_assert_misuse(s, given(stoa_query_once_count(w, &desc) >= 0),
                                  STOA_CONTRADICTION);
            stoa_iter it = stoa_query_once(w, &desc);
            assert_false(stoa_iter_next(&it));
            support_assert_misuse(s, stoa_last_error().status, STOA_CONTRADICTION);
            assert_int_equal(stoa_stats(w).queries, queries);
        }
    }
    support_assert_misuse(s, given(stoa_query_parse(w, "Position, !Position") != NULL),
                          STOA_CONTRADICTION);
    support_assert_misuse(s, given(stoa_query_parse(w, "Position | Position") != NULL),
                          STOA_CONTRADICTION);
    assert_int_equal(create(), STOA_OK);
}

/* QRY-01 GEN-05 */
static void query_that_cannot_be_is_refused(void **state) {
    (void)state;
    stoa_query_desc unknown = {.terms = {{.id = 99, .access = STOA_ACCESS_READ}}};
    support_assert_misuse(s, given(stoa_query_new(w, &unknown) != NULL), STOA_UNKNOWN);
    support_assert_message("99");
    const int accesses[] = {STOA_ACCESS_ADDED + 1, 1000, -1};
    for (int i = 0; i < 3; i++) {
        stoa_query_desc desc = {.terms = {{.id = 1, .access = (stoa_access)accesses[i]}}};
        support_assert_misuse(s, given(stoa_query_new(w, &desc) != NULL), STOA_INVALID);
        support_assert_misuse(s, given(stoa_query_once_count(w, &desc) >= 0), STOA_INVALID);
    }
    support_assert_misuse(s, given(stoa_query_new(w, NULL) != NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, given(stoa_query_parse(w, NULL) != NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, given(stoa_query_once_count(w, NULL) >= 0), STOA_NULL_ARGUMENT);
    stoa_iter it = stoa_query_once(w, NULL);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_false(stoa_iter_next(&it));
    support_assert_misuse(s, stoa_query_each(movers, NULL, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_each_row(movers, NULL, NULL), STOA_NULL_ARGUMENT);
    stoa_error_clear();
    assert_null(stoa_query_parse(w, "Position, Nobody"));
    assert_int_equal(stoa_last_error().status, STOA_NOT_FOUND);
    assert_null(stoa_query_parse(w, "Position,, Velocity"));
    assert_int_equal(stoa_last_error().status, STOA_SYNTAX);
    support_assert_quiet(s);
    assert_int_equal(stoa_stats(w).queries, 1);
}

/* QRY-01 GEN-05: groups are told apart by their numbers, whatever those are. */
static void any_group_may_have_any_number(void **state) {
    (void)state;
    stoa_query_desc desc = {.terms = {STOA_ANY_OF(Position, INT32_MIN),
                                      STOA_ANY_OF(Velocity, INT32_MAX),
                                      STOA_ANY_OF(Health, INT32_MIN)}};
    assert_int_equal(stoa_query_once_count(w, &desc), 1);
    desc.terms[1].group = INT32_MIN;
    assert_int_equal(stoa_query_once_count(w, &desc), 2);
    desc.terms[2].group = -1;
    assert_int_equal(stoa_query_once_count(w, &desc), 0);
}

/* GEN-05 QRY-05 */
static void null_query_is_refused_by_every_call(void **state) {
    (void)state;
    stoa_iter it = stoa_query_iter(NULL);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_false(stoa_iter_next(&it));
    assert_string_equal(stoa_query_name(NULL), "");
    assert_int_equal(stoa_query_count(NULL), 0);
    stoa_error_clear();
    assert_true(stoa_entity_is_null(stoa_query_single(NULL)));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    stoa_error_clear();
    assert_true(stoa_entity_is_null(stoa_query_first(NULL)));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_each(NULL, NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_each_row(NULL, NULL, NULL), STOA_NULL_ARGUMENT);
    assert_null(stoa_field_type(NULL, STOA_TYPE_OF(Position), 0));
    assert_null(stoa_field_mut_id(NULL, 1, 0));
    support_assert_quiet(s);
}

/* QRY-05 */
static void single_of_none_or_many_names_the_query(void **state) {
    (void)state;
    stoa_query *placed_ones =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}, .name = "placed"});
    stoa_query *healthy = stoa_query_parse(w, "with Velocity, !Frozen");
    int errors = s->errors;
    assert_true(stoa_entity_is_null(stoa_query_single(placed_ones)));
    assert_int_equal(stoa_last_error().status, STOA_NOT_SINGLE);
    support_assert_message("'placed'");
    assert_true(stoa_entity_is_null(stoa_query_single(healthy)));
    assert_int_equal(stoa_last_error().status, STOA_NOT_SINGLE);
    support_assert_message("'with Velocity, !Frozen'");
    assert_int_equal(s->errors, errors + 2);
    stoa_error_clear();
    assert_true(stoa_entity_is_null(stoa_query_first(healthy)));
    assert_int_equal(stoa_last_error().status, STOA_OK);
    assert_true(stoa_entity_eq(stoa_query_single(movers), moving));
    support_assert_quiet(s);
}

static void each_meddle(stoa_entity e, void *const *fields, void *user) {
    int *calls = user;
    (*calls)++;
    assert_non_null(fields[0]);
    assert_true(stoa_alive(w, e));
    change_is_refused(&changes[0], "'movers'");
    support_assert_misuse(s, stoa_query_free(movers), STOA_ITERATING);
}

/* QRY-05 QRY-06 QRY-10 */
static void structural_change_inside_each_is_refused(void **state) {
    (void)state;
    int calls = 0;
    assert_int_equal(stoa_query_each(movers, each_meddle, &calls), STOA_OK);
    assert_int_equal(calls, 1);
    assert_int_equal(create(), STOA_OK);
    support_assert_quiet(s);
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, fixture_open, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(structural_change_under_iteration_is_refused),
        WITH_WORLD(iteration_left_by_break_is_named),
        WITH_WORLD(change_in_place_under_iteration_is_allowed),
        WITH_WORLD(nested_iteration_opens_the_world_when_all_have_ended),
        WITH_WORLD(query_freed_under_iteration_is_kept),
        WITH_WORLD(ended_iteration_stays_ended),
        WITH_WORLD(world_frees_queries_and_iterations_left),
        WITH_WORLD(field_that_was_not_asked_for_is_refused),
        WITH_WORLD(contradictory_query_is_refused),
        WITH_WORLD(query_that_cannot_be_is_refused),
        WITH_WORLD(any_group_may_have_any_number),
        WITH_WORLD(null_query_is_refused_by_every_call),
        WITH_WORLD(single_of_none_or_many_names_the_query),
        WITH_WORLD(structural_change_inside_each_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

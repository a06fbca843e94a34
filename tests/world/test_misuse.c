/* Misuse of a world: every way in which a public call can be given what it must refuse.
 *
 * One table of calls, each with its one mistake. Each must return its status, tell it by a message,
 * by on_error and, if it is misuse, in a debug build by on_assert, once; and leave the world's hash
 * and invariants as they were. Calls under iteration are in query/test_query_misuse.c, those
 * without a world in test_misuse_alone.c. */
#include <stdlib.h>

#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Unused, { int32_t value; });
STOA_TAG(Frozen);
STOA_ENUM(Team, {RED, BLUE});

/* Two descriptions of one name. */
STOA_COMPONENT_WITH(Mass, STOA_OPTIONS(.name = "Weight"), { float value; });
STOA_COMPONENT_WITH(Load, STOA_OPTIONS(.name = "Weight"), { double value; });

static void nothing_drop(void *items, int32_t count, void *user) {
    (void)items;
    (void)count;
    (void)user;
}

STOA_COMPONENT_WITH(Lock, STOA_OPTIONS(.hooks = {.drop = nothing_drop}), { int32_t value; });

static stoa_world *w;
static stoa_entity dead;   /* 17v3 */
static stoa_entity live;   /* 4v1, with a Position */
static stoa_entity locked; /* 5v1, with a Lock */
static stoa_component position;
static stoa_component velocity;
static const Position value = {1, 2};

static int fixture_open(void **state) {
    int result = support_setup(state);
    if (result != 0) {
        return result;
    }
    w = ((support_world *)*state)->world;
    position = stoa_id(w, Position);
    velocity = stoa_id(w, Velocity);
    stoa_entity e = STOA_NULL;
    for (int i = 1; i <= 17; i++) {
        e = stoa_create(w);
        live = i == 4 ? e : live;
        locked = i == 5 ? e : locked;
    }
    for (int i = 0; i < 3; i++) {
        dead = e;
        assert_int_equal(stoa_destroy(w, e), STOA_OK);
        e = i < 2 ? stoa_create(w) : STOA_NULL;
    }
    assert_int_equal(stoa_set(w, live, Position, {3, 4}), STOA_OK);
    assert_int_equal(stoa_set(w, locked, Lock, {5}), STOA_OK);
    assert_true(stoa_id(w, Mass) != 0 && stoa_id(w, Frozen) != 0);
    assert_true(stoa_id(w, Team) != 0);
    return 0;
}

/* The status of a call that gives something or nothing. */
static stoa_status given(bool something) {
    return something ? STOA_OK : stoa_last_error().status;
}

static stoa_status made(stoa_entity e) {
    return given(!stoa_entity_is_null(e));
}

/* One mistake: an expression that comes to a status, what it must be, and a part of the message. */
typedef struct mistake {
    const char *name;
    stoa_status (*call)(void);
    stoa_status status;
    const char *message;
} mistake;

#define CALL(name, expression)                                                                     \
    static stoa_status name(void) {                                                                \
        return expression;                                                                         \
    }

CALL(dead_destroy, stoa_destroy(w, dead))
CALL(dead_clear, stoa_clear(w, dead))
CALL(dead_clone, made(stoa_clone(w, dead)))
CALL(dead_get, given(stoa_get(w, dead, Position) != NULL))
CALL(dead_get_mut, given(stoa_get_mut(w, dead, Position) != NULL))
CALL(dead_get_id, given(stoa_get_id(w, dead, position) != NULL))
CALL(dead_get_mut_id, given(stoa_get_mut_id(w, dead, position) != NULL))
CALL(dead_get_named, given(stoa_get_named(w, dead, "Position") != NULL))
CALL(dead_get_mut_named, given(stoa_get_mut_named(w, dead, "Position") != NULL))
CALL(dead_get_unused, given(stoa_get(w, dead, Unused) != NULL))
CALL(dead_set, stoa_set(w, dead, Position, {1, 2}))
CALL(dead_set_id, stoa_set_id(w, dead, position, &value, sizeof value))
CALL(dead_set_named, stoa_set_named(w, dead, "Position", &value, sizeof value))
CALL(dead_add, stoa_add(w, dead, Position))
CALL(dead_add_id, stoa_add_id(w, dead, position))
CALL(dead_add_named, stoa_add_named(w, dead, "Position"))
CALL(dead_remove, stoa_remove(w, dead, Position))
CALL(dead_remove_id, stoa_remove_id(w, dead, position))
CALL(dead_remove_named, stoa_remove_named(w, dead, "Position"))
CALL(dead_change, stoa_change(w, dead, STOA_ZERO(Position)))
CALL(dead_ref, stoa_ref_destroy(stoa_ref_of(w, dead)))
CALL(dead_ref_get, given(stoa_ref_get(stoa_ref_of(w, dead), Position) != NULL))
CALL(dead_ref_set, stoa_ref_set(stoa_ref_of(w, dead), Position, {1, 2}))
CALL(dead_archetype, given(stoa_archetype_of(w, dead) >= 0))

CALL(missing_get, given(stoa_get(w, live, Velocity) != NULL))
CALL(missing_get_mut, given(stoa_get_mut(w, live, Velocity) != NULL))
CALL(missing_get_id, given(stoa_get_id(w, live, velocity) != NULL))
CALL(missing_get_mut_id, given(stoa_get_mut_id(w, live, velocity) != NULL))
CALL(missing_get_named, given(stoa_get_named(w, live, "Velocity") != NULL))
CALL(missing_get_mut_named, given(stoa_get_mut_named(w, live, "Velocity") != NULL))
CALL(missing_unused, given(stoa_get(w, live, Unused) != NULL))
CALL(missing_tag, given(stoa_get(w, live, Frozen) != NULL))
CALL(missing_column, given(stoa_chunk_column(w, stoa_archetype_of(w, live), 0, velocity) != NULL))

CALL(unknown_get, given(stoa_get_id(w, live, 99) != NULL))
CALL(unknown_get_mut, given(stoa_get_mut_id(w, live, 99) != NULL))
CALL(unknown_set, stoa_set_id(w, live, 99, &value, sizeof value))
CALL(unknown_add, stoa_add_id(w, live, 99))
CALL(unknown_remove, stoa_remove_id(w, live, 99))
CALL(unknown_create, made(stoa_create_values(w, &(stoa_value){.id = 99}, 1)))
CALL(unknown_bulk, stoa_create_bulk_values(w, 2, NULL, &(stoa_value){.id = 99}, 1))
CALL(unknown_reserve, stoa_reserve_values(w, 2, &(stoa_value){.id = 99}, 1))
CALL(unknown_change, stoa_change_values(w, live, &(stoa_value){.id = 99}, 1))
CALL(unknown_name, given(stoa_component_name(w, 99) != NULL))
CALL(unknown_info, stoa_component_info_get(w, 99, &(stoa_component_info){0}))
CALL(unknown_enum, given(stoa_component_enum(w, 99, NULL) != NULL))
CALL(unknown_column, given(stoa_chunk_column(w, 1, 0, 99) != NULL))

CALL(twice_create, made(stoa_create_with(w, STOA_ZERO(Velocity), STOA_ZERO(Velocity))))
CALL(twice_mixed, made(stoa_create_with(w, STOA_ZERO(Velocity), (stoa_value){.id = velocity})))
CALL(twice_bulk, stoa_create_bulk(w, 3, NULL, STOA_ZERO(Velocity), STOA_ZERO(Velocity)))
CALL(twice_reserve, stoa_reserve(w, 3, STOA_ZERO(Velocity), STOA_ZERO(Velocity)))
CALL(twice_change,
     stoa_change(w, live, STOA_ZERO(Velocity), STOA_ZERO(Frozen), STOA_ZERO(Velocity)))
CALL(twice_change_both, stoa_change(w, live, STOA_ZERO(Velocity), STOA_REMOVE(Velocity)))
CALL(twice_change_remove, stoa_change(w, live, STOA_REMOVE(Velocity), STOA_REMOVE(Velocity)))

CALL(drop_create, made(stoa_create_with(w, STOA_REMOVE(Velocity))))
CALL(drop_bulk, stoa_create_bulk(w, 3, NULL, STOA_REMOVE(Velocity)))
CALL(drop_reserve, stoa_reserve(w, 3, STOA_REMOVE(Velocity)))
CALL(no_op_change, stoa_change_values(w, live, &(stoa_value){.id = 1, .op = (stoa_value_op)7}, 1))
CALL(negative_create, made(stoa_create_values(w, &(stoa_value){.id = 1}, -1)))
CALL(negative_bulk, stoa_create_bulk(w, -1, NULL, STOA_ZERO(Velocity)))
CALL(negative_bundle, stoa_create_bulk_values(w, 1, NULL, &(stoa_value){.id = 1}, -1))
CALL(negative_reserve, stoa_reserve(w, -1, STOA_ZERO(Velocity)))
CALL(negative_change, stoa_change_values(w, live, &(stoa_value){.id = 1}, -1))
CALL(size_set, stoa_set_id(w, live, position, &value, sizeof value - 1))
CALL(size_named, stoa_set_named(w, live, "Position", &value, sizeof value + 1))
CALL(no_archetype, stoa_archetype_info_get(w, -1, &(stoa_archetype_info){0}))
CALL(no_archetype_chunk, stoa_chunk_info_get(w, 1000, 0, &(stoa_chunk_info){0}))
CALL(no_chunk, stoa_chunk_info_get(w, 1, 1000, &(stoa_chunk_info){0}))
CALL(no_chunk_column, given(stoa_chunk_column(w, 1, 1000, position) != NULL))
CALL(no_archetype_column, given(stoa_chunk_column(w, 1000, 0, position) != NULL))

static stoa_status describe(stoa_component_desc desc) {
    return given(stoa_component_register(w, &desc) != 0);
}

CALL(nameless, describe((stoa_component_desc){.size = 4}))
CALL(misaligned, describe((stoa_component_desc){.name = "Odd", .size = 9, .alignment = 3}))
CALL(overaligned, describe((stoa_component_desc){.name = "Odd", .size = 128, .alignment = 128}))
CALL(uneven, describe((stoa_component_desc){.name = "Odd", .size = 9, .alignment = 8}))
CALL(oversized, describe((stoa_component_desc){.name = "Odd", .size = STOA_SIZE_MAX + 1}))
CALL(ill_fitting, describe((stoa_component_desc){.name = "Odd", .fields = "{ int x; }", .size = 8}))
CALL(unreadable, describe((stoa_component_desc){.name = "Odd", .fields = "{ int x"}))
CALL(conflicting, describe((stoa_component_desc){.name = "Position", .size = 12}))
CALL(conflicting_type, given(stoa_id(w, Load) != 0))
CALL(conflicting_set, stoa_set(w, live, Load, {1}))
CALL(conflicting_create, made(stoa_create_with(w, STOA_ZERO(Load))))

CALL(null_desc, given(stoa_component_register(w, NULL) != 0))
CALL(null_type, given(stoa_type_register(w, NULL) != 0))
CALL(null_get_type, given(stoa_get_type(w, live, NULL) != NULL))
CALL(null_set_type, stoa_set_type(w, live, NULL, &value))
CALL(null_set_value, stoa_set_type(w, live, STOA_TYPE_OF(Position), NULL))
CALL(null_add_type, stoa_add_type(w, live, NULL))
CALL(null_remove_type, stoa_remove_type(w, live, NULL))
CALL(null_set_id, stoa_set_id(w, live, position, NULL, sizeof value))
CALL(null_get_named, given(stoa_get_named(w, live, NULL) != NULL))
CALL(null_get_mut_named, given(stoa_get_mut_named(w, live, NULL) != NULL))
CALL(null_set_named, stoa_set_named(w, live, NULL, &value, sizeof value))
CALL(null_set_named_value, stoa_set_named(w, live, "Position", NULL, sizeof value))
CALL(null_add_named, stoa_add_named(w, live, NULL))
CALL(null_remove_named, stoa_remove_named(w, live, NULL))
CALL(null_create, made(stoa_create_values(w, NULL, 2)))
CALL(null_bulk, stoa_create_bulk_values(w, 2, NULL, NULL, 2))
CALL(null_reserve, stoa_reserve_values(w, 2, NULL, 2))
CALL(null_change, stoa_change_values(w, live, NULL, 2))
CALL(null_info, stoa_component_info_get(w, position, NULL))
CALL(null_archetype_info, stoa_archetype_info_get(w, 0, NULL))
CALL(null_chunk_info, stoa_chunk_info_get(w, 1, 0, NULL))

CALL(unheard_get, given(stoa_get_named(w, live, "Nobody") != NULL))
CALL(unheard_get_mut, given(stoa_get_mut_named(w, live, "Nobody") != NULL))
CALL(unheard_set, stoa_set_named(w, live, "Nobody", &value, sizeof value))
CALL(unheard_add, stoa_add_named(w, live, "Nobody"))
CALL(unheard_remove, stoa_remove_named(w, live, "Nobody"))
CALL(locked_clone, made(stoa_clone(w, locked)))

#define IS(call, status, message)                                                                  \
    { #call, call, status, message }
#define IS_DEAD(call) IS(call, STOA_DEAD, "entity 17v3 is dead")
#define IS_MISSING(call) IS(call, STOA_MISSING, "component 'Velocity' is not on entity 4v1")
#define IS_UNKNOWN(call) IS(call, STOA_UNKNOWN, "99")
#define IS_TWICE(call) IS(call, STOA_DUPLICATE, "'Velocity'")
#define IS_NULL(call, what) IS(call, STOA_NULL_ARGUMENT, what)

static const mistake mistakes[] = {
    IS_DEAD(dead_destroy),
    IS_DEAD(dead_clear),
    IS_DEAD(dead_clone),
    IS_DEAD(dead_get),
    IS_DEAD(dead_get_mut),
    IS_DEAD(dead_get_id),
    IS_DEAD(dead_get_mut_id),
    IS_DEAD(dead_get_named),
    IS_DEAD(dead_get_mut_named),
    IS_DEAD(dead_get_unused),
    IS_DEAD(dead_set),
    IS_DEAD(dead_set_id),
    IS_DEAD(dead_set_named),
    IS_DEAD(dead_add),
    IS_DEAD(dead_add_id),
    IS_DEAD(dead_add_named),
    IS_DEAD(dead_remove),
    IS_DEAD(dead_remove_id),
    IS_DEAD(dead_remove_named),
    IS_DEAD(dead_change),
    IS_DEAD(dead_ref),
    IS_DEAD(dead_ref_get),
    IS_DEAD(dead_ref_set),
    IS_DEAD(dead_archetype),
    IS_MISSING(missing_get),
    IS_MISSING(missing_get_mut),
    IS_MISSING(missing_get_id),
    IS_MISSING(missing_get_mut_id),
    IS_MISSING(missing_get_named),
    IS_MISSING(missing_get_mut_named),
    IS(missing_unused, STOA_MISSING, "component 'Unused' is not on entity 4v1"),
    IS(missing_tag, STOA_MISSING, "component 'Frozen' is not on entity 4v1"),
    IS(missing_column, STOA_MISSING, "'Velocity'"),
    IS_UNKNOWN(unknown_get),
    IS_UNKNOWN(unknown_get_mut),
    IS_UNKNOWN(unknown_set),
    IS_UNKNOWN(unknown_add),
    IS_UNKNOWN(unknown_remove),
    IS_UNKNOWN(unknown_create),
    IS_UNKNOWN(unknown_bulk),
    IS_UNKNOWN(unknown_reserve),
    IS_UNKNOWN(unknown_change),
    IS_UNKNOWN(unknown_name),
    IS_UNKNOWN(unknown_info),
    IS_UNKNOWN(unknown_enum),
    IS_UNKNOWN(unknown_column),
    IS_TWICE(twice_create),
    IS_TWICE(twice_mixed),
    IS_TWICE(twice_bulk),
    IS_TWICE(twice_reserve),
    IS_TWICE(twice_change),
    IS_TWICE(twice_change_both),
    IS_TWICE(twice_change_remove),
    IS(drop_create, STOA_INVALID, "value 0"),
    IS(drop_bulk, STOA_INVALID, "value 0"),
    IS(drop_reserve, STOA_INVALID, "value 0"),
    IS(no_op_change, STOA_INVALID, "value 0"),
    IS(negative_create, STOA_INVALID, "-1"),
    IS(negative_bulk, STOA_INVALID, "-1"),
    IS(negative_bundle, STOA_INVALID, "-1"),
    IS(negative_reserve, STOA_INVALID, "-1"),
    IS(negative_change, STOA_INVALID, "-1"),
    IS(size_set, STOA_INVALID, "'Position'"),
    IS(size_named, STOA_INVALID, "'Position'"),
    IS(no_archetype, STOA_INVALID, "-1"),
    IS(no_archetype_chunk, STOA_INVALID, "1000"),
    IS(no_chunk, STOA_INVALID, "1000"),
    IS(no_chunk_column, STOA_INVALID, "1000"),
    IS(no_archetype_column, STOA_INVALID, "1000"),
    IS(nameless, STOA_INVALID, "name"),
    IS(misaligned, STOA_INVALID, "'Odd'"),
    IS(overaligned, STOA_INVALID, "'Odd'"),
    IS(uneven, STOA_INVALID, "'Odd'"),
    IS(oversized, STOA_LIMIT, "'Odd'"),
    IS(ill_fitting, STOA_LAYOUT, "Odd"),
    IS(unreadable, STOA_SYNTAX, "column"),
    IS(conflicting, STOA_CONFLICT, "'Position'"),
    IS(conflicting_type, STOA_CONFLICT, "'Weight'"),
    IS(conflicting_set, STOA_CONFLICT, "'Weight'"),
    IS(conflicting_create, STOA_CONFLICT, "'Weight'"),
    IS_NULL(null_desc, "description"),
    IS_NULL(null_type, "type"),
    IS_NULL(null_get_type, "type"),
    IS_NULL(null_set_type, "type"),
    IS_NULL(null_set_value, "value"),
    IS_NULL(null_add_type, "type"),
    IS_NULL(null_remove_type, "type"),
    IS_NULL(null_set_id, "value"),
    IS_NULL(null_get_named, "name"),
    IS_NULL(null_get_mut_named, "name"),
    IS_NULL(null_set_named, "name"),
    IS_NULL(null_set_named_value, "value"),
    IS_NULL(null_add_named, "name"),
    IS_NULL(null_remove_named, "name"),
    IS_NULL(null_create, "values"),
    IS_NULL(null_bulk, "values"),
    IS_NULL(null_reserve, "values"),
    IS_NULL(null_change, "values"),
    IS_NULL(null_info, "info"),
    IS_NULL(null_archetype_info, "info"),
    IS_NULL(null_chunk_info, "info"),
    IS(unheard_get, STOA_NOT_FOUND, "'Nobody'"),
    IS(unheard_get_mut, STOA_NOT_FOUND, "'Nobody'"),
    IS(unheard_set, STOA_NOT_FOUND, "'Nobody'"),
    IS(unheard_add, STOA_NOT_FOUND, "'Nobody'"),
    IS(unheard_remove, STOA_NOT_FOUND, "'Nobody'"),
    IS(locked_clone, STOA_NOT_COPYABLE, "'Lock'"),
};

/* GEN-03 GEN-05 ENT-08 ACC-01 ACC-08 ACC-10 CMP-04 */
static void mistake_is_refused_and_told_once(void **state) {
    support_world *s = *state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const mistake *m = &mistakes[i];
        uint64_t hash = stoa_hash(w);
        int32_t components = stoa_component_count(w);
        int errors = s->errors;
        stoa_error_clear();
        stoa_status status = m->call();
        if (status != m->status || stoa_last_error().status != m->status) {
            support_print_error();
            fail_msg("%s: status %d, expected %d", m->name, (int)status, (int)m->status);
        }
        if (strstr(stoa_last_error().message, m->message) == NULL) {
            support_print_error();
            fail_msg("%s: the message does not name \"%s\"", m->name, m->message);
        }
        if (s->errors != errors + 1) {
            fail_msg("%s: on_error was called %d times", m->name, s->errors - errors);
        }
        if (support_status_is_misuse(m->status)) {
            support_assert_misuse(s, status, m->status);
        } else {
            support_assert_quiet(s);
        }
        if (stoa_hash(w) != hash || stoa_component_count(w) != components) {
            fail_msg("%s: left a mark", m->name);
        }
        assert_int_equal(stoa_check(w), STOA_OK);
    }
}

/* ACC-10 ACC-01 CMP-05: questions are answered without an error, whatever they are about. */
static void question_is_never_an_error(void **state) {
    support_world *s = *state;
    stoa_error_clear();
    assert_false(stoa_alive(w, dead));
    assert_false(stoa_has(w, dead, Position));
    assert_false(stoa_has(w, dead, Unused));
    assert_false(stoa_has_id(w, dead, position));
    assert_false(stoa_has_id(w, live, 99));
    assert_false(stoa_has_named(w, dead, "Position"));
    assert_false(stoa_has_named(w, live, "Nobody"));
    assert_false(stoa_has_named(w, live, NULL));
    assert_null(stoa_try_get(w, dead, Position));
    assert_null(stoa_try_get_mut(w, dead, Position));
    assert_null(stoa_try_get(w, live, Velocity));
    assert_null(stoa_try_get(w, live, Unused));
    assert_null(stoa_try_get_id(w, dead, position));
    assert_null(stoa_try_get_mut_id(w, live, 99));
    assert_false(stoa_ref_alive(stoa_ref_of(w, dead)));
    assert_null(stoa_ref_try_get(stoa_ref_of(w, dead), Position));
    assert_int_equal(stoa_type_find(w, STOA_TYPE_OF(Unused)), 0);
    assert_int_equal(stoa_type_find(w, NULL), 0);
    assert_int_equal(stoa_component_find(w, "Nobody"), 0);
    assert_int_equal(stoa_component_find(w, NULL), 0);
    assert_int_equal(stoa_type_find(w, STOA_TYPE_OF(Load)), 0);
    assert_false(stoa_has(w, live, Load));
    assert_null(stoa_try_get(w, live, Load));
    int32_t count = 5;
    assert_null(stoa_component_enum(w, position, &count));
    assert_int_equal(count, 0);
    assert_int_equal(stoa_last_error().status, STOA_OK);
    assert_int_equal(s->errors, 0);
    support_assert_quiet(s);
}

/* ACC-03 ACC-04: what changes nothing is no mistake. */
static void change_to_what_is_there_is_fine(void **state) {
    support_world *s = *state;
    uint64_t hash = stoa_hash(w);
    assert_int_equal(stoa_remove(w, live, Velocity), STOA_OK);
    assert_int_equal(stoa_remove(w, live, Unused), STOA_OK);
    assert_int_equal(stoa_add(w, live, Position), STOA_OK);
    assert_int_equal(stoa_change(w, live, STOA_REMOVE(Velocity)), STOA_OK);
    assert_int_equal(stoa_clear(w, stoa_create(w)), STOA_OK);
    assert_int_equal(stoa_destroy(w, stoa_entity_next(w, (stoa_entity){16, 1})), STOA_OK);
    assert_true(stoa_get(w, live, Position)->x == 3);
    assert_int_not_equal(stoa_hash(w), hash);
    support_assert_quiet(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(mistake_is_refused_and_told_once, fixture_open,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(question_is_never_an_error, fixture_open, support_teardown),
        cmocka_unit_test_setup_teardown(change_to_what_is_there_is_fine, fixture_open,
                                        support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

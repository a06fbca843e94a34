/* What hooks may do to the world and what is refused: changes of the observed entity and of others,
 * flushes, hooks without end, hooks that destroy what a call is about to tell of, and bad
 * arguments.
 */
#include "world/tale.h"
#include "world/world.h"

STOA_COMPONENT(A, { int32_t value; });
STOA_COMPONENT(B, { int32_t value; });
STOA_COMPONENT(C, { int32_t value; });
STOA_COMPONENT_WITH(S, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t value; });
STOA_COMPONENT_WITH(W, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { int32_t value; });
STOA_COMPONENT_WITH(X, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { int32_t value; });
STOA_COMPONENT_WITH(Weight, STOA_OPTIONS(.name = "same"), { int32_t value; });
STOA_COMPONENT_WITH(Mass, STOA_OPTIONS(.name = "same"), { double value; });
STOA_TAG(T);

static tale t;
static support_world *s;
static stoa_world *w;
static stoa_entity other;

static int fixture_open(void **state) {
    memset(&t, 0, sizeof t);
    int result = support_setup(state);
    s = *state;
    w = s->world;
    other = result == 0
                ? stoa_create_with(w, STOA_VALUE(A, {1}), STOA_VALUE(W, {2}), STOA_VALUE(X, {3}))
                : STOA_NULL;
    return result;
}

static void nothing_do(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)value;
    (void)user;
}

/* Every call that changes what an entity has. */
static stoa_status entity_change(stoa_entity e, int which) {
    switch (which) {
    case 0:
        return stoa_set(w, e, C, {1});
    case 1:
        return stoa_add(w, e, C);
    case 2:
        return stoa_remove(w, e, A);
    case 3:
        return stoa_change(w, e, STOA_VALUE(C, {1}), STOA_REMOVE(A));
    case 4:
        return stoa_clear(w, e);
    case 5:
        return stoa_destroy(w, e);
    case 6:
        return stoa_enable(w, e, W, false);
    case 7:
        return stoa_enable(w, e, X, false);
    case 8:
        return stoa_set(w, e, S, {1});
    case 9:
        return stoa_add(w, e, S);
    case 10:
        return stoa_remove(w, e, X);
    case 11:
        return stoa_set_named(w, e, "C", &(C){1}, sizeof(C));
    case 12:
        return stoa_add_id(w, e, stoa_id(w, T));
    case 13:
        return stoa_remove_named(w, e, "W");
    default:
        return stoa_change(w, e, STOA_ZERO(S), STOA_REMOVE(X));
    }
}

#define ENTITY_CHANGES 15

static int hostile_runs;

/* Tries to change the observed entity in every way. */
static void hostile_change(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value;
    (void)user;
    hostile_runs++;
    int32_t before = stoa_get(world, e, A)->value;
    for (int i = 0; i < ENTITY_CHANGES; i++) {
        support_assert_misuse(s, entity_change(e, i), STOA_LOCKED);
        support_assert_message("cannot change while one of its hooks");
    }
    assert_int_equal(stoa_get(world, e, A)->value, before);
    assert_true(stoa_enabled(world, e, W) && stoa_enabled(world, e, X));
    assert_false(stoa_has(world, e, C) || stoa_has(world, e, S));
}

static void types_register(void) {
    assert_true(stoa_id(w, C) != 0 && stoa_id(w, S) != 0 && stoa_id(w, T) != 0);
}

/* HOK-04 GEN-03: in hooks of every kind, on every path. */
static void observed_entity_cannot_be_changed(void **state) {
    (void)state;
    types_register();
    stoa_on_add(w, A, hostile_change, NULL);
    stoa_on_set(w, A, hostile_change, NULL);
    stoa_hook last = stoa_on_remove(w, A, hostile_change, NULL);
    hostile_runs = 0;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(A, {1}), STOA_VALUE(W, {2}), STOA_VALUE(X, {3}));
    assert_int_equal(hostile_runs, 2);
    stoa_set(w, e, A, {2});
    stoa_change(w, e, STOA_VALUE(A, {3}));
    assert_int_equal(hostile_runs, 4);
    stoa_entity clone = stoa_clone(w, e);
    assert_int_equal(hostile_runs, 6);
    stoa_remove(w, e, A);
    assert_int_equal(hostile_runs, 7);
    stoa_add(w, e, A);
    assert_int_equal(hostile_runs, 8);
    stoa_clear(w, e);
    assert_int_equal(hostile_runs, 9);
    stoa_destroy(w, clone);
    assert_int_equal(hostile_runs, 10);
    stoa_create_bulk(w, 2, NULL, STOA_ZERO(A), STOA_ZERO(W), STOA_ZERO(X));
    assert_int_equal(hostile_runs, 12);
    assert_false(stoa_alive(w, clone));
    assert_true(stoa_alive(w, e));
    stoa_query *query = stoa_query_parse(w, "A");
    assert_int_equal(stoa_query_destroy(query), STOA_OK);
    assert_int_equal(hostile_runs, 15);
    assert_int_equal(stoa_hook_remove(w, last), STOA_OK);
}

/* What is done to an entity that is locked, though the hook that runs is another's. */
static void chain_on_b(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    stoa_entity *outer = user;
    support_assert_misuse(s, stoa_destroy(world, *outer), STOA_LOCKED);
    support_assert_misuse(s, stoa_add(world, *outer, C), STOA_LOCKED);
    support_assert_misuse(s, stoa_destroy(world, e), STOA_LOCKED);
    hostile_runs++;
}

static void chain_on_a(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value;
    *(stoa_entity *)user = e;
    stoa_entity inner = stoa_create_with(world, STOA_VALUE(B, {1}));
    assert_int_equal(stoa_add(world, inner, C), STOA_OK);
    support_assert_misuse(s, stoa_destroy(world, e), STOA_LOCKED);
}

/* HOK-04: an entity stays locked while hooks of others run inside of its own. */
static void outer_entity_stays_locked_in_inner_hooks(void **state) {
    (void)state;
    types_register();
    static stoa_entity outer;
    stoa_on_add(w, A, chain_on_a, &outer);
    stoa_on_add(w, B, chain_on_b, &outer);
    hostile_runs = 0;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(A, {1}));
    assert_int_equal(hostile_runs, 1);
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    assert_int_equal(stoa_count(w), 2);
}

/* All that a hook may do: others are changed in every way, some in the same archetype. */
static void friendly_change(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value;
    if (*(bool *)user) {
        return;
    }
    *(bool *)user = true;
    for (int i = 0; i < ENTITY_CHANGES; i++) {
        stoa_entity mate =
            stoa_create_with(world, STOA_VALUE(A, {i}), STOA_VALUE(W, {2}), STOA_VALUE(X, {3}));
        assert_int_equal(entity_change(mate, i), STOA_OK);
        stoa_entity copy = stoa_clone(world, e);
        assert_true(stoa_alive(world, copy));
        assert_int_equal(stoa_destroy(world, copy), STOA_OK);
    }
    assert_int_equal(stoa_create_bulk(world, 500, NULL, STOA_ZERO(A), STOA_ZERO(W), STOA_ZERO(X)),
                     STOA_OK);
    stoa_query *query = stoa_query_parse(world, "A");
    assert_true(stoa_query_count(query) > 500);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        support_assert_misuse(s, stoa_destroy(world, other), STOA_ITERATING);
    }
    assert_int_equal(stoa_query_free(query), STOA_OK);
    assert_int_equal(stoa_check(world), STOA_OK);
}

/* HOK-04 */
static void other_entities_can_be_changed(void **state) {
    (void)state;
    types_register();
    static const stoa_hook_kind kinds[] = {STOA_ON_ADD, STOA_ON_SET, STOA_ON_REMOVE};
    for (int i = 0; i < 3; i++) {
        static bool done;
        done = false;
        stoa_hook hook = stoa_hook_type(w, kinds[i], STOA_TYPE_OF(A), friendly_change, &done);
        stoa_entity e =
            stoa_create_with(w, STOA_VALUE(A, {5}), STOA_VALUE(W, {6}), STOA_VALUE(X, {7}));
        assert_int_equal(stoa_get(w, e, A)->value, 5);
        assert_int_equal(stoa_get(w, e, X)->value, 7);
        assert_int_equal(stoa_change(w, e, STOA_REMOVE(A), STOA_VALUE(B, {8})), STOA_OK);
        assert_true(done);
        assert_int_equal(stoa_get(w, e, B)->value, 8);
        assert_int_equal(stoa_get(w, e, W)->value, 6);
        assert_false(stoa_has(w, e, A));
        assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    }
    support_assert_quiet(s);
}

/* Sets in place until the value is 0. */
static void count_down(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)user;
    int32_t now = ((const A *)value)->value;
    if (now > 0) {
        assert_int_equal(stoa_set(world, e, A, {now - 1}), STOA_OK);
        assert_int_equal(stoa_change(world, e, STOA_VALUE(W, {now})), STOA_OK);
        assert_int_equal(stoa_set(world, e, X, {now}), STOA_OK);
        stoa_get_mut(world, e, W)->value = 100;
    }
}

/* HOK-04: what is overwritten in place is no change of structure, and fires one level deeper. */
static void observed_entity_can_be_set_in_place(void **state) {
    (void)state;
    stoa_on_set(w, A, count_down, NULL);
    tale_hook(&t, w, STOA_ON_SET, STOA_TYPE_OF(A), "A");
    assert_int_equal(stoa_set(w, other, A, {3}), STOA_OK);
    tale_expect(&t, "=A1(0) =A1(0) =A1(0) =A1(0)");
    assert_int_equal(stoa_get(w, other, W)->value, 100);
    assert_int_equal(stoa_get(w, other, X)->value, 3);
}

static void commands_record(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value;
    (void)user;
    stoa_commands *c = stoa_deferred(world);
    assert_int_equal(stoa_commands_remove(c, e, B), STOA_OK);
    assert_int_equal(stoa_commands_set(c, e, C, {5}), STOA_OK);
    support_assert_misuse(s, stoa_flush(world), STOA_LOCKED);
    support_assert_misuse(s, stoa_commands_flush(c), STOA_LOCKED);
}

/* HOK-04 CMD-06: the way to change the observed entity is a command; a flush waits for the end. */
static void observed_entity_is_changed_by_commands_after_the_hook(void **state) {
    (void)state;
    stoa_on_add(w, B, commands_record, NULL);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(B, {1}));
    assert_true(stoa_has(w, e, B));
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_false(stoa_has(w, e, B));
    assert_int_equal(stoa_get(w, e, C)->value, 5);
}

static void create_refused(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    (void)user;
    assert_true(stoa_entity_is_null(stoa_create(world)));
    support_assert_misuse(s, stoa_last_error().status, STOA_ITERATING);
}

/* HOK-04 QRY-07: a hook inside of an iteration is inside of it. */
static void hook_inside_an_iteration_cannot_change_the_structure(void **state) {
    (void)state;
    stoa_on_set(w, A, create_refused, NULL);
    stoa_query *query = stoa_query_parse(w, "A");
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        assert_int_equal(stoa_set(w, it.entities[0], A, {2}), STOA_OK);
    }
    assert_int_equal(stoa_get(w, other, A)->value, 2);
}

static int free_refusals;

static void free_hostile(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value;
    (void)user;
    assert_int_not_equal(stoa_set(world, e, C, {1}), STOA_OK);
    assert_int_not_equal(stoa_destroy(world, e), STOA_OK);
    assert_true(stoa_entity_is_null(stoa_create(world)));
    assert_true(stoa_entity_is_null(stoa_create_with(world, STOA_VALUE(A, {1}))));
    assert_true(stoa_entity_is_null(stoa_clone(world, e)));
    stoa_entity mate = stoa_entity_next(world, STOA_NULL);
    assert_int_not_equal(stoa_destroy(world, mate), STOA_OK);
    assert_int_not_equal(stoa_remove(world, mate, X), STOA_OK);
    assert_int_not_equal(stoa_flush(world), STOA_OK);
    assert_int_equal(stoa_on_remove(world, B, nothing_do, NULL).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_FREED);
    assert_int_equal(stoa_observe(world, &(stoa_observer_desc){.enter = (stoa_observe_fn)0,
                                                               .leave = (stoa_observe_fn)0})
                         .id,
                     0);
    stoa_get_mut(world, e, A)->value++;
    free_refusals++;
}

/* HOK-02 GEN-05: nothing changes any more in a world that is being freed. */
static void world_that_is_being_freed_cannot_change(void **state) {
    (void)state;
    types_register();
    stoa_create_with(w, STOA_VALUE(A, {1}), STOA_VALUE(X, {3}));
    stoa_on_remove(w, A, free_hostile, NULL);
    free_refusals = 0;
    stoa_world_free(w);
    s->world = NULL;
    assert_int_equal(free_refusals, 2);
}

static int free_tries;

/* Tries to free the world from within a call that goes on with it. */
static void world_try_free(stoa_world *world) {
    stoa_world_free(world);
    support_assert_misuse(s, stoa_last_error().status, STOA_LOCKED);
    free_tries++;
}

static void hook_frees(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e, (void)value, (void)user;
    world_try_free(world);
}

static stoa_status veto_frees(stoa_world *world, stoa_entity e, const void *values, int32_t count,
                              void *user) {
    (void)e, (void)values, (void)count, (void)user;
    world_try_free(world);
    return STOA_OK;
}

static void listener_frees(stoa_world *world, const stoa_event *event, void *user) {
    (void)event, (void)user;
    world_try_free(world);
}

static stoa_status call_frees(stoa_world *world, const void *data, size_t size) {
    (void)data, (void)size;
    world_try_free(world);
    return STOA_OK;
}

/* GEN-05 HOK-04 CMD-05 */
static void world_cannot_be_freed_by_what_it_calls(void **state) {
    (void)state;
    free_tries = 0;
    stoa_on_set(w, B, hook_frees, NULL);
    stoa_veto_new(w, &(stoa_veto_desc){.type = STOA_TYPE_OF(B), .call = veto_frees});
    assert_int_equal(stoa_set(w, other, B, {1}), STOA_OK);
    assert_int_equal(free_tries, 2);
    stoa_event_listen(w, C, listener_frees, NULL);
    assert_int_equal(stoa_event_send(w, C, {1}), STOA_OK);
    assert_int_equal(free_tries, 3);
    stoa_commands *own = stoa_commands_new(w);
    assert_int_equal(stoa_commands_call(stoa_deferred(w), call_frees, NULL, 0), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_commands_call(own, call_frees, NULL, 0), STOA_OK);
    assert_int_equal(stoa_commands_flush(own), STOA_OK);
    assert_int_equal(free_tries, 5);
}

/* GEN-03 GEN-05 */
static void hook_that_cannot_be_made_is_refused(void **state) {
    (void)state;
    stoa_hook_desc good = {.kind = STOA_ON_ADD, .type = STOA_TYPE_OF(A), .call = nothing_do};
    assert_int_equal(stoa_hook_new(NULL, &good).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_hook_new(w, NULL).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    stoa_hook_desc bad = good;
    bad.call = NULL;
    assert_int_equal(stoa_hook_new(w, &bad).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    bad = good;
    for (int kind = -1; kind <= 3; kind += 4) {
        bad.kind = (stoa_hook_kind)kind;
        assert_int_equal(stoa_hook_new(w, &bad).id, 0);
        support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    }
    for (uint32_t id = 0; id <= 1000; id += 1000) {
        bad = (stoa_hook_desc){.kind = STOA_ON_ADD, .component = id, .call = nothing_do};
        assert_int_equal(stoa_hook_new(w, &bad).id, 0);
        support_assert_misuse(s, stoa_last_error().status, STOA_UNKNOWN);
    }
    assert_int_equal(stoa_hook_type(w, STOA_ON_ADD, NULL, nothing_do, NULL).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_hook_type(NULL, STOA_ON_ADD, STOA_TYPE_OF(A), nothing_do, NULL).id, 0);
    assert_int_not_equal(stoa_id(w, Weight), 0);
    assert_int_equal(stoa_on_add(w, Mass, nothing_do, NULL).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_CONFLICT);
    assert_int_equal(w->hooks.count, 0);
}

static void freed_note(void *user) {
    ++*(int *)user;
}

/* GEN-03 GEN-04 GEN-06: the user pointer stays the caller's. */
static void hook_without_memory_is_not_made(void **state) {
    (void)state;
    static int freed;
    stoa_hook_desc desc = {STOA_ON_ADD, STOA_TYPE_OF(A), 0, nothing_do, &freed, freed_note};
    s->heap.fail_at = 1;
    assert_int_equal(stoa_hook_new(w, &desc).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    assert_int_equal(freed, 0);
    assert_int_not_equal(stoa_hook_new(w, &desc).id, 0);
}

/* HOK-05 GEN-05 */
static void unknown_hook_cannot_be_removed(void **state) {
    (void)state;
    stoa_hook hook = stoa_on_add(w, A, nothing_do, NULL);
    static const uint32_t ids[] = {0, 1000, 0x7FFFFFFF, 0x80000000, 0x80000001, UINT32_MAX};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(stoa_hook_remove(w, (stoa_hook){ids[i]}), STOA_NOT_FOUND);
    }
    assert_int_equal(stoa_hook_remove(NULL, hook), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_NOT_FOUND);
    support_assert_quiet(s);
}

/* HOK-05 CMD-08: nothing may come or go while threads read what is watched. */
static void hooks_stay_while_buffers_are_filled_by_threads(void **state) {
    (void)state;
    stoa_hook hook = stoa_on_add(w, A, nothing_do, NULL);
    stoa_commands *c = stoa_commands_new(w);
    assert_int_equal(stoa_commands_fork(w, &c, 1), STOA_OK);
    assert_int_equal(stoa_on_add(w, A, nothing_do, NULL).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_FORKED);
    support_assert_misuse(s, stoa_hook_remove(w, hook), STOA_FORKED);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
}

#define test(name) cmocka_unit_test_setup_teardown(name, fixture_open, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(observed_entity_cannot_be_changed),
        test(outer_entity_stays_locked_in_inner_hooks),
        test(other_entities_can_be_changed),
        test(observed_entity_can_be_set_in_place),
        test(observed_entity_is_changed_by_commands_after_the_hook),
        test(hook_inside_an_iteration_cannot_change_the_structure),
        test(world_that_is_being_freed_cannot_change),
        test(world_cannot_be_freed_by_what_it_calls),
        test(hook_that_cannot_be_made_is_refused),
        test(hook_without_memory_is_not_made),
        test(unknown_hook_cannot_be_removed),
        test(hooks_stay_while_buffers_are_filled_by_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

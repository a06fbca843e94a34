/* Observers: entities that begin and cease to match a query, for every kind of term and change; the
 * order among hooks; adding and removing observers at any time; what is refused. */
#include "query/observe.h"
#include "world/tale.h"

STOA_COMPONENT(A, { int32_t value; });
STOA_COMPONENT(B, { int32_t value; });
STOA_COMPONENT(C, { int32_t value; });
STOA_TAG(T);
STOA_COMPONENT_WITH(S, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t value; });
STOA_COMPONENT_WITH(W, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { int32_t value; });
STOA_COMPONENT_WITH(X, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { int32_t value; });

static tale t;
static support_world *s;
static stoa_world *w;

static int fixture_open(void **state) {
    memset(&t, 0, sizeof t);
    int result = support_setup(state);
    s = *state;
    w = s->world;
    return result;
}

static int fixture_close(void **state) {
    t.quiet = true;
    return support_teardown(state);
}

#define observe(name, ...) tale_observe(&t, w, &(stoa_query_desc){.terms = {__VA_ARGS__}}, (name))

/* HOK-06 */
static void entity_enters_and_leaves_as_it_changes(void **state) {
    (void)state;
    observe("Q", STOA_READ(A), STOA_WITHOUT(B));
    stoa_entity e = stoa_create(w);
    tale_expect(&t, "");
    stoa_set(w, e, A, {1});
    tale_expect(&t, ">Q1");
    stoa_set(w, e, A, {2});
    stoa_add(w, e, C);
    stoa_get_mut(w, e, A)->value = 3;
    tale_expect(&t, "");
    stoa_add(w, e, B);
    tale_expect(&t, "<Q1");
    stoa_remove(w, e, C);
    stoa_set(w, e, B, {1});
    tale_expect(&t, "");
    stoa_remove(w, e, B);
    tale_expect(&t, ">Q1");
    stoa_change(w, e, STOA_REMOVE(A), STOA_ZERO(B));
    tale_expect(&t, "<Q1");
    stoa_change(w, e, STOA_ZERO(A), STOA_REMOVE(B), STOA_ZERO(C));
    tale_expect(&t, ">Q1");
    stoa_destroy(w, e);
    tale_expect(&t, "<Q1");
}

/* HOK-06: on every path. */
static void every_path_is_observed(void **state) {
    (void)state;
    observe("Q", STOA_READ(A));
    stoa_entity e = stoa_create_with(w, STOA_ZERO(B), STOA_ZERO(A));
    stoa_create_with(w, STOA_ZERO(B));
    stoa_clone(w, e);
    tale_expect(&t, ">Q1 >Q3");
    stoa_create_bulk(w, 2, NULL, STOA_ZERO(A), STOA_ZERO(S));
    tale_expect(&t, ">Q4 >Q5");
    stoa_clear(w, e);
    tale_expect(&t, "<Q1");
    stoa_commands *c = stoa_deferred(w);
    stoa_entity made = stoa_commands_create_with(c, STOA_ZERO(A));
    stoa_commands_set(c, e, A, {1});
    assert_int_equal(stoa_flush(w), STOA_OK);
    tale_expect(&t, ">Q6 >Q1");
    stoa_commands_remove(c, e, A);
    stoa_commands_destroy(c, made);
    assert_int_equal(stoa_flush(w), STOA_OK);
    tale_expect(&t, "<Q1 <Q6");
    stoa_query *query = stoa_query_parse(w, "B");
    assert_int_equal(stoa_query_add(query, A), STOA_OK);
    tale_expect(&t, ">Q2");
    assert_int_equal(stoa_query_remove(query, A), STOA_OK);
    tale_expect(&t, "<Q3 <Q2");
    assert_int_equal(stoa_query_set(query, A, {5}), STOA_OK);
    tale_expect(&t, ">Q3 >Q2");
    assert_int_equal(stoa_query_destroy(query), STOA_OK);
    tale_expect(&t, "<Q3 <Q2");
    stoa_world_free(w);
    s->world = NULL;
    tale_expect(&t, "<Q4 <Q5");
}

/* HOK-06: filters, optional terms and groups; sparse components and tags. */
static void every_kind_of_term_is_observed(void **state) {
    (void)state;
    observe("F", STOA_FILTER(T));
    observe("O", STOA_WRITE(A), STOA_OPTIONAL(B));
    observe("G", STOA_ANY(B), STOA_ANY(C));
    observe("S", STOA_READ(S), STOA_WITHOUT(X));
    stoa_entity e = stoa_create_with(w, STOA_ZERO(A));
    tale_expect(&t, ">O1");
    stoa_add(w, e, B);
    tale_expect(&t, ">G1");
    stoa_add(w, e, C);
    stoa_remove(w, e, B);
    tale_expect(&t, "");
    stoa_change(w, e, STOA_REMOVE(C), STOA_ZERO(B));
    tale_expect(&t, "");
    stoa_remove(w, e, B);
    tale_expect(&t, "<G1");
    stoa_add(w, e, T);
    tale_expect(&t, ">F1");
    stoa_add(w, e, S);
    tale_expect(&t, ">S1");
    stoa_add(w, e, X);
    tale_expect(&t, "<S1");
    stoa_change(w, e, STOA_REMOVE(X), STOA_REMOVE(T));
    tale_expect(&t, "<F1 >S1");
    stoa_destroy(w, e);
    tale_expect(&t, "<O1 <S1");
}

/* HOK-06: a query that asks for nothing to be there matches an entity without components. */
static void entities_without_components_are_observed(void **state) {
    (void)state;
    observe("N", STOA_WITHOUT(A));
    stoa_entity e = stoa_create(w);
    tale_expect(&t, ">N1");
    stoa_add(w, e, B);
    tale_expect(&t, "");
    stoa_add(w, e, A);
    tale_expect(&t, "<N1");
    stoa_clear(w, e);
    tale_expect(&t, ">N1");
    stoa_destroy(w, e);
    tale_expect(&t, "<N1");
    stoa_create_bulk_values(w, 2, NULL, NULL, 0);
    tale_expect(&t, ">N1 >N2");
    stoa_create_with(w, STOA_ZERO(A));
    tale_expect(&t, "");
    stoa_clone(w, stoa_entity_next(w, STOA_NULL));
    tale_expect(&t, ">N4");
    stoa_commands_create(stoa_deferred(w));
    stoa_flush(w);
    tale_expect(&t, ">N5");
}

/* HOK-06 CMP-12: switched off is as good as absent. */
static void switching_enters_and_leaves(void **state) {
    (void)state;
    observe("W", STOA_READ(W));
    observe("N", STOA_READ(A), STOA_WITHOUT(X));
    stoa_entity e = stoa_create_with(w, STOA_ZERO(A), STOA_ZERO(W), STOA_ZERO(X));
    tale_expect(&t, ">W1");
    stoa_enable(w, e, W, false);
    tale_expect(&t, "<W1");
    stoa_enable(w, e, W, false);
    stoa_set(w, e, W, {1});
    tale_expect(&t, "");
    stoa_enable(w, e, X, false);
    tale_expect(&t, ">N1");
    stoa_remove(w, e, X);
    tale_expect(&t, "");
    stoa_add(w, e, X);
    tale_expect(&t, "<N1");
    stoa_remove(w, e, W);
    tale_expect(&t, "");
    stoa_add(w, e, W);
    tale_expect(&t, ">W1");
    stoa_enable(w, e, W, false);
    stoa_enable(w, e, W, true);
    tale_expect(&t, "<W1 >W1");
    stoa_enable(w, e, W, false);
    t.size = 0;
    stoa_entity copy = stoa_clone(w, e);
    tale_expect(&t, stoa_enabled(w, copy, W) ? ">W2" : "");
    stoa_destroy(w, e);
    tale_expect(&t, "");
}

/* HOK-06 HOK-03: leaving before the hooks of the change, entering after them. */
static void observers_are_told_around_hooks(void **state) {
    (void)state;
    observe("P", STOA_READ(A));
    tale_watch(&t, w, A);
    tale_watch(&t, w, B);
    observe("Q", STOA_READ(B));
    stoa_entity e = stoa_create_with(w, STOA_VALUE(A, {1}));
    tale_expect(&t, "+A1(1) =A1(1) >P1");
    stoa_change(w, e, STOA_VALUE(B, {2}), STOA_REMOVE(A));
    tale_expect(&t, "<P1 -A1(1) +B1(2) =B1(2) >Q1");
    stoa_destroy(w, e);
    tale_expect(&t, "<Q1 -B1(2)");
    stoa_create_with(w, STOA_VALUE(A, {1}), STOA_VALUE(B, {2}));
    tale_expect(&t, "+A1(1) =A1(1) +B1(2) =B1(2) >P1 >Q1");
}

static void seen_on_leave(stoa_world *world, stoa_entity e, void *user) {
    assert_true(stoa_has(world, e, A));
    *(int32_t *)user = stoa_get(world, e, A)->value;
}

/* HOK-06: what an entity had is still there as it leaves. */
static void leaving_entity_still_has_its_components(void **state) {
    (void)state;
    static int32_t seen;
    stoa_hook hook = stoa_observe(w, &(stoa_observer_desc){.query = {.terms = {STOA_READ(A)}},
                                                           .leave = seen_on_leave,
                                                           .user = &seen});
    stoa_entity e = stoa_create_with(w, STOA_VALUE(A, {5}));
    stoa_remove(w, e, A);
    assert_int_equal(seen, 5);
    stoa_set(w, e, A, {6});
    stoa_clear(w, e);
    assert_int_equal(seen, 6);
    stoa_set(w, e, A, {7});
    stoa_destroy(w, e);
    assert_int_equal(seen, 7);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
}

/* HOK-06: those that match already are not told. */
static void entities_that_match_already_do_not_enter(void **state) {
    (void)state;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(A));
    observe("Q", STOA_READ(A));
    tale_expect(&t, "");
    stoa_add(w, e, B);
    tale_expect(&t, "");
    stoa_remove(w, e, A);
    tale_expect(&t, "<Q1");
}

/* What an observer of the tests below does. */
typedef struct plan {
    const char *name;
    stoa_hook remove[3];
    stoa_hook *adds;
} plan;

static void plan_carry_out(stoa_world *world, stoa_entity e, void *user) {
    plan *p = user;
    tale_add(&t, "%s%u", p->name, e.index);
    for (int i = 0; i < 3; i++) {
        if (p->remove[i].id != 0) {
            assert_int_equal(stoa_hook_remove(world, p->remove[i]), STOA_OK);
            assert_int_equal(stoa_hook_remove(world, p->remove[i]), STOA_NOT_FOUND);
            p->remove[i].id = 0;
        }
    }
    if (p->adds != NULL) {
        *p->adds = observe("new", STOA_READ(A));
        p->adds = NULL;
    }
}

static void plan_free(void *user) {
    tale_add(&t, "free:%s", ((plan *)user)->name);
}

static stoa_hook plan_observe(plan *p) {
    stoa_hook hook = stoa_observe(w, &(stoa_observer_desc){.query = {.terms = {STOA_READ(A)}},
                                                           .enter = plan_carry_out,
                                                           .user = p,
                                                           .user_free = plan_free});
    assert_int_not_equal(hook.id, 0);
    return hook;
}

/* HOK-05 HOK-06 GEN-06 */
static void observer_that_removes_observers_is_safe(void **state) {
    (void)state;
    static plan p[4];
    static const char *const names[] = {"a", "b", "c", "d"};
    stoa_hook hooks[4];
    for (int i = 0; i < 4; i++) {
        p[i] = (plan){.name = names[i]};
        hooks[i] = plan_observe(&p[i]);
    }
    p[1].remove[0] = hooks[0];
    p[1].remove[1] = hooks[1];
    p[1].remove[2] = hooks[2];
    stoa_create_with(w, STOA_ZERO(A));
    tale_expect(&t, "a1 b1 d1 free:a free:b free:c");
    stoa_create_with(w, STOA_ZERO(A));
    tale_expect(&t, "d2");
    assert_int_equal(stoa_hook_remove(w, hooks[3]), STOA_OK);
    tale_expect(&t, "free:d");
    assert_false(w->storage.watch_all);
    stoa_create_with(w, STOA_ZERO(A));
    tale_expect(&t, "");
    p[0].name = "e";
    plan_observe(&p[0]);
    stoa_world_free(w);
    s->world = NULL;
    tale_expect(&t, "free:e");
}

/* HOK-05 HOK-06 */
static void observer_that_is_added_by_one_is_told_from_the_next_cause_on(void **state) {
    (void)state;
    static plan p;
    stoa_hook added = {0};
    p = (plan){.name = "adder", .adds = &added};
    plan_observe(&p);
    stoa_create_with(w, STOA_ZERO(A));
    tale_expect(&t, "adder1");
    assert_int_not_equal(added.id, 0);
    stoa_create_with(w, STOA_ZERO(A));
    tale_expect(&t, "adder2 >new2");
    assert_int_equal(stoa_hook_remove(w, added), STOA_OK);
}

static void hook_removes(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value;
    stoa_hook *hook = user;
    tale_add(&t, "hook%u", e.index);
    if (hook->id != 0) {
        assert_int_equal(stoa_hook_remove(world, *hook), STOA_OK);
    }
    hook->id = 0;
}

/* HOK-05 HOK-06: a hook takes an observer away that the same change would have told. */
static void hook_that_removes_an_observer_is_safe(void **state) {
    (void)state;
    static stoa_hook victim;
    static plan p;
    p = (plan){.name = "p"};
    stoa_on_add(w, A, hook_removes, &victim);
    victim = plan_observe(&p);
    stoa_create_with(w, STOA_ZERO(A));
    tale_expect(&t, "hook1 free:p");
    assert_null(w->observers);
    assert_int_equal(stoa_stats(w).bytes_reserved, s->heap.bytes);
}

static void hostile_enter(stoa_world *world, stoa_entity e, void *user) {
    support_assert_misuse(s, stoa_destroy(world, e), STOA_LOCKED);
    support_assert_misuse(s, stoa_add(world, e, B), STOA_LOCKED);
    support_assert_misuse(s, stoa_clear(world, e), STOA_LOCKED);
    support_assert_misuse(s, stoa_enable(world, e, W, false), STOA_LOCKED);
    support_assert_misuse(s, stoa_flush(world), STOA_LOCKED);
    assert_int_equal(stoa_set(world, e, A, {1}), STOA_OK);
    stoa_entity other = stoa_create_with(world, STOA_ZERO(C));
    assert_int_equal(stoa_destroy(world, other), STOA_OK);
    ++*(int *)user;
}

/* HOK-04 HOK-06 */
static void observed_entity_cannot_be_changed(void **state) {
    (void)state;
    static int runs;
    runs = 0;
    stoa_hook hook =
        stoa_observe(w, &(stoa_observer_desc){.query = {.terms = {STOA_READ(A), STOA_READ(W)}},
                                              .enter = hostile_enter,
                                              .leave = hostile_enter,
                                              .user = &runs});
    assert_true(stoa_id(w, B) != 0);
    stoa_entity e = stoa_create_with(w, STOA_ZERO(A), STOA_ZERO(W));
    assert_int_equal(runs, 1);
    stoa_enable(w, e, W, false);
    stoa_enable(w, e, W, true);
    assert_int_equal(runs, 3);
    stoa_clone(w, e);
    stoa_clear(w, e);
    assert_int_equal(runs, 5);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
}

static void enter_again(stoa_world *world, stoa_entity e, void *user) {
    (void)e;
    if (stoa_entity_is_null(stoa_create_with(world, STOA_ZERO(A)))) {
        assert_int_equal(stoa_last_error().status, STOA_LIMIT);
        ++*(int *)user;
    }
}

/* HOK-04 HOK-06 GEN-05 */
static void observer_without_end_is_stopped(void **state) {
    (void)state;
    static int refused;
    refused = 0;
    stoa_hook hook = stoa_observe(w, &(stoa_observer_desc){.query = {.terms = {STOA_READ(A)}},
                                                           .enter = enter_again,
                                                           .user = &refused});
    assert_false(stoa_entity_is_null(stoa_create_with(w, STOA_ZERO(A))));
    assert_int_equal(refused, 1);
    assert_int_equal(stoa_count(w), STOA_HOOK_DEPTH);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
}

static void count_enter(stoa_world *world, stoa_entity e, void *user) {
    (void)world;
    (void)e;
    ++*(int *)user;
}

/* HOK-06 GEN-04: what observers cost is counted; telling needs no memory once warm. */
static void telling_needs_no_memory(void **state) {
    (void)state;
    static int count;
    count = 0;
    stoa_observe(w, &(stoa_observer_desc){.query = {.terms = {STOA_READ(A)}},
                                          .enter = count_enter,
                                          .leave = count_enter,
                                          .user = &count});
    assert_int_equal(stoa_stats(w).bytes_reserved, s->heap.bytes);
    stoa_entity e = stoa_create_with(w, STOA_ZERO(B));
    stoa_add(w, e, A);
    stoa_remove(w, e, A);
    size_t before = s->heap.allocations;
    for (int i = 0; i < 10; i++) {
        stoa_add(w, e, A);
        stoa_remove(w, e, A);
    }
    assert_int_equal(s->heap.allocations, before);
    assert_int_equal(count, 22);
}

static void freed_note(void *user) {
    ++*(int *)user;
}

/* HOK-06 GEN-03 GEN-05 */
static void observer_that_cannot_be_made_is_refused(void **state) {
    (void)state;
    int freed = 0;
    stoa_observer_desc good = {.query = {.terms = {STOA_READ(A)}},
                               .enter = count_enter,
                               .user = &freed,
                               .user_free = freed_note};
    assert_int_equal(stoa_observe(NULL, &good).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_observe(w, NULL).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    stoa_observer_desc bad = good;
    bad.enter = NULL;
    assert_int_equal(stoa_observe(w, &bad).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    bad = good;
    bad.query.terms[1] = STOA_CHANGED(B);
    assert_int_equal(stoa_observe(w, &bad).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    support_assert_message("term 1");
    bad.query.terms[1] = STOA_ADDED(B);
    assert_int_equal(stoa_observe(w, &bad).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    bad.query.terms[1] = STOA_WITHOUT(A);
    assert_int_equal(stoa_observe(w, &bad).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_CONTRADICTION);
    w->hooks.id_last = STOA__HOOK_ID_MAX;
    assert_int_equal(stoa_observe(w, &good).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    w->hooks.id_last = 7;
    s->heap.fail_at = 1;
    assert_int_equal(stoa_observe(w, &good).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    assert_int_equal(freed, 0);
    assert_null(w->observers);
    stoa_hook hook = stoa_observe(w, &good);
    assert_int_equal(stoa_hook_remove(w, (stoa_hook){hook.id ^ 4}), STOA_NOT_FOUND);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_NOT_FOUND);
    assert_int_equal(freed, 1);
}

#define test(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(entity_enters_and_leaves_as_it_changes),
        test(every_path_is_observed),
        test(every_kind_of_term_is_observed),
        test(entities_without_components_are_observed),
        test(switching_enters_and_leaves),
        test(observers_are_told_around_hooks),
        test(leaving_entity_still_has_its_components),
        test(entities_that_match_already_do_not_enter),
        test(observer_that_removes_observers_is_safe),
        test(observer_that_is_added_by_one_is_told_from_the_next_cause_on),
        test(hook_that_removes_an_observer_is_safe),
        test(observed_entity_cannot_be_changed),
        test(observer_without_end_is_stopped),
        test(telling_needs_no_memory),
        test(observer_that_cannot_be_made_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

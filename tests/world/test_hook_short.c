/* Hooks, observers and the log on the short way: columns of a size that rows are moved along
 * remembered edges for, one component at a time. */
#include "world/tale.h"

STOA_COMPONENT(P, {
    int32_t value;
    int32_t twice;
    int32_t thrice;
});
STOA_COMPONENT(V, {
    int32_t value;
    int32_t twice;
});

static tale t;

static int fixture_open(void **state) {
    memset(&t, 0, sizeof t);
    return support_setup(state);
}

static int fixture_close(void **state) {
    t.quiet = true;
    return support_teardown(state);
}

#define ENTITIES 5

/* Entities with P alone, after the edges to V and back were taken once. */
static void entities_make(stoa_world *w, stoa_entity *entities) {
    for (int32_t i = 0; i < ENTITIES; i++) {
        entities[i] = stoa_create_with(w, STOA_VALUE(P, {i, 2 * i, 3 * i}));
        assert_int_equal(stoa_set(w, entities[i], V, {i, 2 * i}), STOA_OK);
        assert_int_equal(stoa_remove(w, entities[i], V), STOA_OK);
    }
}

static void entities_check(stoa_world *w, const stoa_entity *entities) {
    for (int32_t i = 0; i < ENTITIES; i++) {
        const P *p = stoa_get(w, entities[i], P);
        assert_int_equal(p->value, i);
        assert_int_equal(p->twice, 2 * i);
        assert_int_equal(p->thrice, 3 * i);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* HOK-01: on_set after on_add, each with the value where it came to be. */
static void put_fires_on_add_then_on_set(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e[ENTITIES];
    entities_make(w, e);
    tale_watch(&t, w, V);
    assert_int_equal(stoa_set(w, e[1], V, {7, 14}), STOA_OK);
    tale_expect(&t, "+V2(7) =V2(7)");
    assert_int_equal(stoa_set(w, e[3], V, {8, 16}), STOA_OK);
    tale_expect(&t, "+V4(8) =V4(8)");
    assert_int_equal(stoa_add(w, e[0], V), STOA_OK);
    tale_expect(&t, "+V1(0)");
    assert_int_equal(stoa_set(w, e[3], V, {9, 18}), STOA_OK);
    tale_expect(&t, "=V4(9)");
    assert_int_equal(stoa_remove(w, e[3], V), STOA_OK);
    assert_int_equal(stoa_remove(w, e[3], V), STOA_OK);
    tale_expect(&t, "-V4(9)");
    assert_int_equal(stoa_get(w, e[1], V)->twice, 14);
    assert_int_equal(stoa_get(w, e[0], V)->twice, 0);
    entities_check(w, e);
}

/* HOK-01: what only one kind of hook asks for is told to that kind alone. */
static void hooks_of_one_kind_are_told_of_it_alone(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e[ENTITIES];
    entities_make(w, e);
    stoa_hook add = tale_hook(&t, w, STOA_ON_ADD, STOA_TYPE_OF(V), "V");
    assert_int_equal(stoa_set(w, e[0], V, {1, 2}), STOA_OK);
    assert_int_equal(stoa_remove(w, e[0], V), STOA_OK);
    tale_expect(&t, "+V1(1)");
    assert_int_equal(stoa_hook_remove(w, add), STOA_OK);
    stoa_hook set = tale_hook(&t, w, STOA_ON_SET, STOA_TYPE_OF(V), "V");
    assert_int_equal(stoa_set(w, e[1], V, {3, 4}), STOA_OK);
    assert_int_equal(stoa_add(w, e[2], V), STOA_OK);
    assert_int_equal(stoa_remove(w, e[1], V), STOA_OK);
    tale_expect(&t, "=V2(3)");
    assert_int_equal(stoa_hook_remove(w, set), STOA_OK);
    tale_hook(&t, w, STOA_ON_REMOVE, STOA_TYPE_OF(V), "V");
    assert_int_equal(stoa_set(w, e[0], V, {5, 6}), STOA_OK);
    assert_int_equal(stoa_remove(w, e[0], V), STOA_OK);
    assert_int_equal(stoa_remove(w, e[2], V), STOA_OK);
    tale_expect(&t, "-V1(5) -V3(0)");
    entities_check(w, e);
}

/* Changes another entity, and has so many come that the chunk is outgrown. */
static void rows_move(stoa_world *world, stoa_entity e, void *value, void *user) {
    support_world *s = user;
    const V *v = value;
    int32_t was = v->value;
    if (t.quiet) {
        return;
    }
    t.quiet = true;
    stoa_entity other = stoa_create_with(world, STOA_ZERO(P));
    assert_int_equal(stoa_set(world, other, V, {50, 100}), STOA_OK);
    for (int32_t i = 0; i < 300; i++) {
        stoa_create_with(world, STOA_ZERO(P), STOA_VALUE(V, {i, 2 * i}));
    }
    assert_int_equal(stoa_get(world, other, V)->twice, 100);
    assert_int_equal(stoa_remove(world, other, V), STOA_OK);
    support_assert_misuse(s, stoa_remove(world, e, V), STOA_LOCKED);
    assert_int_equal(stoa_get(world, e, V)->value, was);
    assert_ptr_not_equal(stoa_get(world, e, V), v);
    t.quiet = false;
}

/* HOK-04: a hook may change others; the ones after it find the value where it is then. */
static void hooks_after_one_that_moves_rows_find_the_value(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[ENTITIES];
    entities_make(w, e);
    tale_hook(&t, w, STOA_ON_ADD, STOA_TYPE_OF(V), "first");
    assert_int_not_equal(stoa_on_add(w, V, rows_move, s).id, 0);
    tale_hook(&t, w, STOA_ON_ADD, STOA_TYPE_OF(V), "last");
    tale_hook(&t, w, STOA_ON_SET, STOA_TYPE_OF(V), "set");
    assert_int_equal(stoa_set(w, e[1], V, {1, 2}), STOA_OK);
    tale_expect(&t, "+first2(1) +last2(1) =set2(1)");
    entities_check(w, e);
}

static void hook_take(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    stoa_hook *hook = user;
    if (hook->id != 0) {
        assert_int_equal(stoa_hook_remove(world, *hook), STOA_OK);
        *hook = (stoa_hook){0};
    }
}

/* HOK-05: one that was removed by the one before is not called, nor is the next change told to it.
 */
static void removed_hooks_are_not_called(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e[ENTITIES];
    entities_make(w, e);
    stoa_hook hook = {0};
    assert_int_not_equal(stoa_on_add(w, V, hook_take, &hook).id, 0);
    stoa_hook add = tale_hook(&t, w, STOA_ON_ADD, STOA_TYPE_OF(V), "V");
    stoa_hook set = tale_hook(&t, w, STOA_ON_SET, STOA_TYPE_OF(V), "V");
    assert_int_equal(stoa_set(w, e[0], V, {1, 2}), STOA_OK);
    tale_expect(&t, "+V1(1) =V1(1)");
    hook = add;
    assert_int_equal(stoa_set(w, e[1], V, {3, 4}), STOA_OK);
    tale_expect(&t, "=V2(3)");
    hook = set;
    assert_int_equal(stoa_set(w, e[2], V, {5, 6}), STOA_OK);
    tale_expect(&t, "");
    entities_check(w, e);
}

/* HOK-06: those who come after an edge was remembered are told all the same. */
static void observers_and_the_log_are_told_of_remembered_edges(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e[ENTITIES];
    entities_make(w, e);
    tale_hook(&t, w, STOA_ON_ADD, STOA_TYPE_OF(V), "V");
    assert_int_equal(stoa_set(w, e[0], V, {1, 2}), STOA_OK);
    tale_expect(&t, "+V1(1)");
    tale_observe(&t, w, &(stoa_query_desc){.terms = {STOA_READ(V)}}, "Q");
    assert_int_equal(stoa_set(w, e[1], V, {3, 4}), STOA_OK);
    tale_expect(&t, "+V2(3) >Q2");
    assert_int_equal(stoa_log_keep(w, 4), STOA_OK);
    assert_int_equal(stoa_remove(w, e[1], V), STOA_OK);
    tale_expect(&t, "<Q2");
    stoa_log log = stoa_log_since(w, stoa_id(w, V), stoa_tick(w) - 1);
    assert_true(stoa_log_next(&log));
    assert_int_equal(log.entity.index, e[1].index);
    entities_check(w, e);
}

/* HOK-02: a remembered edge is not taken by a dead entity, nor while a query is iterated. */
static void remembered_edges_refuse_what_others_refuse(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[ENTITIES];
    entities_make(w, e);
    stoa_entity dead = stoa_create_with(w, STOA_ZERO(P));
    assert_int_equal(stoa_destroy(w, dead), STOA_OK);
    support_assert_misuse(s, stoa_set(w, dead, V, {1, 2}), STOA_DEAD);
    support_assert_misuse(s, stoa_add(w, STOA_NULL, V), STOA_DEAD);
    support_assert_misuse(s, stoa_set_type(w, e[0], STOA_TYPE_OF(V), NULL), STOA_NULL_ARGUMENT);
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(P)}});
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    support_assert_misuse(s, stoa_set(w, e[0], V, {1, 2}), STOA_ITERATING);
    support_assert_misuse(s, stoa_remove(w, e[0], P), STOA_ITERATING);
    while (stoa_iter_next(&it)) {
    }
    assert_false(stoa_has(w, e[0], V));
    entities_check(w, e);
}

#define test(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(put_fires_on_add_then_on_set),
        test(hooks_of_one_kind_are_told_of_it_alone),
        test(hooks_after_one_that_moves_rows_find_the_value),
        test(removed_hooks_are_not_called),
        test(observers_and_the_log_are_told_of_remembered_edges),
        test(remembered_edges_refuse_what_others_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

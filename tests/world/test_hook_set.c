/* Hooks that are told of a value that replaces another: the short way, with nothing but hooks to
 * tell and nothing under way, and all that leads off it. */
#include "world/tale.h"

STOA_COMPONENT_WITH(Badge, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { int32_t number; });
STOA_COMPONENT(Mark, {
    int32_t number;
    int32_t twice;
});
STOA_COMPONENT_WITH(Exact, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t number; });
STOA_TAG(Flag);

static tale t;
static int drops; /* what was dropped, added up */

static void text_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        drops += ((const int32_t *)items)[i];
    }
}

STOA_COMPONENT_WITH(Text, STOA_OPTIONS(.hooks = {.drop = text_drop}), { int32_t number; });

static int fixture_open(void **state) {
    memset(&t, 0, sizeof t);
    drops = 0;
    return support_setup(state);
}

static int fixture_close(void **state) {
    t.quiet = true;
    return support_teardown(state);
}

/* HOK-01 */
static void hooks_see_each_value_that_is_set(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Badge, {1}), STOA_VALUE(Mark, {2, 4}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Badge, {5}), STOA_ZERO(Flag));
    tale_watch(&t, w, Badge);
    tale_watch(&t, w, Mark);
    tale_watch(&t, w, Flag);
    assert_int_equal(stoa_set(w, a, Badge, {7}), STOA_OK);
    assert_int_equal(stoa_set(w, b, Badge, {8}), STOA_OK);
    assert_int_equal(stoa_set(w, a, Mark, {9, 18}), STOA_OK);
    tale_expect(&t, "=Badge1(7) =Badge2(8) =Mark1(9)");
    /* Setting a tag that is there tells of a value, of no bytes. */
    assert_int_equal(stoa_set_id(w, b, stoa_id(w, Flag), NULL, 0), STOA_OK);
    tale_expect(&t, "=Flag2");
    /* Adding what is there tells of nothing. */
    assert_int_equal(stoa_add(w, a, Badge), STOA_OK);
    tale_expect(&t, "");
    /* A value may be the entity's own. */
    assert_int_equal(stoa_set_type(w, a, STOA_TYPE_OF(Mark), stoa_get(w, a, Mark)), STOA_OK);
    tale_expect(&t, "=Mark1(9)");
    assert_int_equal(stoa_get(w, a, Mark)->twice, 18);
    assert_int_equal(stoa_get(w, a, Badge)->number, 7);
}

/* HOK-01 CHG-02 */
static void value_that_hooks_are_told_of_is_marked(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Exact, {1}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Exact, {2}));
    tale_watch(&t, w, Exact);
    uint32_t tick = stoa_tick_advance(w) - 1;
    assert_int_equal(stoa_set(w, b, Exact, {3}), STOA_OK);
    tale_expect(&t, "=Exact2(3)");
    assert_false(stoa_changed_id(w, a, stoa_id(w, Exact), tick));
    assert_true(stoa_changed_id(w, b, stoa_id(w, Exact), tick));
}

/* Makes the chunk grow, so that rows move. */
static void rows_move(stoa_world *world, stoa_entity e, void *value, void *user) {
    const Badge *was = value;
    support_world *s = user;
    if (t.quiet) {
        return;
    }
    t.quiet = true;
    for (int32_t i = 0; i < 5000; i++) {
        stoa_create_with(world, STOA_VALUE(Badge, {-1}));
    }
    assert_ptr_not_equal(stoa_get(world, e, Badge), was);
    support_assert_misuse(s, stoa_set(world, e, Badge, {3}), STOA_LOCKED);
    support_assert_misuse(s, stoa_remove(world, e, Badge), STOA_LOCKED);
    t.quiet = false;
}

/* HOK-02 HOK-04 */
static void hooks_after_one_that_moves_rows_find_the_value(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Badge, {1}));
    tale_hook(&t, w, STOA_ON_SET, STOA_TYPE_OF(Badge), "first");
    assert_int_not_equal(stoa_on_set(w, Badge, rows_move, s).id, 0);
    tale_hook(&t, w, STOA_ON_SET, STOA_TYPE_OF(Badge), "last");
    assert_int_equal(stoa_set(w, e, Badge, {2}), STOA_OK);
    tale_expect(&t, "=first1(2) =last1(2)");
    assert_int_equal(stoa_hook_depth(w), 0);
}

static void hooks_take(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    stoa_hook *hooks = user;
    for (int i = 0; i < 2; i++) {
        if (hooks[i].id != 0) {
            assert_int_equal(stoa_hook_remove(world, hooks[i]), STOA_OK);
        }
    }
}

/* HOK-05 */
static void hook_that_removes_itself_and_the_next_is_called_once(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Badge, {1}));
    stoa_hook hooks[2] = {{0}, {0}};
    hooks[0] = stoa_on_set(w, Badge, hooks_take, hooks);
    hooks[1] = tale_hook(&t, w, STOA_ON_SET, STOA_TYPE_OF(Badge), "gone");
    tale_hook(&t, w, STOA_ON_SET, STOA_TYPE_OF(Badge), "stays");
    assert_int_equal(stoa_set(w, e, Badge, {2}), STOA_OK);
    tale_expect(&t, "=stays1(2)");
    assert_int_equal(stoa_set(w, e, Badge, {3}), STOA_OK);
    tale_expect(&t, "=stays1(3)");
}

static stoa_status number_ask(stoa_world *world, stoa_entity e, const void *values, int32_t count,
                              void *user) {
    (void)world;
    (void)e;
    (void)user;
    (void)count;
    const Badge *badge = values;
    return badge->number < 0 ? stoa_fail(STOA_REFUSED, "no badge is below 0") : STOA_OK;
}

/* HOK-02 GEN-03 */
static void vetoes_observers_and_iterations_lead_off_the_short_way(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Badge, {1}), STOA_VALUE(Mark, {1, 2}));
    tale_hook(&t, w, STOA_ON_SET, STOA_TYPE_OF(Badge), "Badge");
    tale_hook(&t, w, STOA_ON_SET, STOA_TYPE_OF(Mark), "Mark");
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Mark)}});
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        support_assert_misuse(s, stoa_set(w, e, Badge, {2}), STOA_ITERATING);
        assert_int_equal(stoa_set(w, e, Mark, {5, 10}), STOA_OK);
    }
    tale_expect(&t, "=Mark1(5)");
    stoa_hook veto = stoa_veto_new(
        w,
        &(stoa_veto_desc){.kind = STOA_VETO_SET, .type = STOA_TYPE_OF(Badge), .call = number_ask});
    assert_int_equal(stoa_set(w, e, Badge, {-1}), STOA_REFUSED);
    assert_int_equal(stoa_set(w, e, Badge, {2}), STOA_OK);
    assert_int_equal(stoa_hook_remove(w, veto), STOA_OK);
    tale_expect(&t, "=Badge1(2)");
    tale_observe(&t, w, &(stoa_query_desc){.terms = {STOA_READ(Badge)}}, "Q");
    assert_int_equal(stoa_set(w, e, Badge, {3}), STOA_OK);
    tale_expect(&t, "=Badge1(3)");
    assert_int_equal(stoa_world_seal(w, true), STOA_OK);
    support_assert_misuse(s, stoa_set(w, e, Badge, {4}), STOA_ACCESS);
    assert_int_equal(stoa_world_seal(w, false), STOA_OK);
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    tale_expect(&t, "<Q1");
    support_assert_misuse(s, stoa_set(w, e, Badge, {4}), STOA_DEAD);
}

/* HOK-01 */
static void value_that_is_replaced_is_dropped_once(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    tale_hook(&t, w, STOA_ON_SET, STOA_TYPE_OF(Text), "Text");
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_set(w, e, Text, {1}), STOA_OK);
    assert_int_equal(drops, 0);
    assert_int_equal(stoa_set(w, e, Text, {10}), STOA_OK);
    assert_int_equal(drops, 1);
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    assert_int_equal(drops, 11);
    tale_expect(&t, "=Text1(1) =Text1(10)");
}

#define test(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(hooks_see_each_value_that_is_set),
        test(value_that_hooks_are_told_of_is_marked),
        test(hooks_after_one_that_moves_rows_find_the_value),
        test(hook_that_removes_itself_and_the_next_is_called_once),
        test(vetoes_observers_and_iterations_lead_off_the_short_way),
        test(value_that_is_replaced_is_dropped_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Hooks inside of hooks: those without end are stopped, and those that destroy what a call is about
 * to tell of are followed. */
#include "world/tale.h"
#include "world/world.h"

STOA_COMPONENT(A, { int32_t value; });
STOA_COMPONENT(B, { int32_t value; });
STOA_COMPONENT(C, { int32_t value; });

static tale t;
static stoa_world *w;
static stoa_entity other;

static int fixture_open(void **state) {
    memset(&t, 0, sizeof t);
    int result = support_setup(state);
    w = ((support_world *)*state)->world;
    other = result == 0 ? stoa_create_with(w, STOA_VALUE(A, {1})) : STOA_NULL;
    return result;
}

static int refused_runs;

static void create_again(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    (void)user;
    stoa_entity next = stoa_create_with(world, STOA_VALUE(B, {1}));
    if (stoa_entity_is_null(next)) {
        assert_int_equal(stoa_last_error().status, STOA_LIMIT);
        refused_runs++;
        assert_int_equal(stoa_create_bulk(world, 2, NULL, STOA_ZERO(B)), STOA_LIMIT);
        assert_int_equal(stoa_set(world, other, B, {1}), STOA_LIMIT);
        /* What fires nothing goes on. */
        assert_int_equal(stoa_set(world, other, C, {1}), STOA_OK);
        assert_int_equal(stoa_remove(world, other, C), STOA_OK);
        assert_int_equal(stoa_check(world), STOA_OK);
    }
}

/* HOK-04 GEN-05 */
static void hook_without_end_is_stopped(void **state) {
    (void)state;
    stoa_on_add(w, B, create_again, NULL);
    int32_t before = stoa_count(w);
    refused_runs = 0;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(B, {1}));
    assert_true(stoa_alive(w, e));
    assert_int_equal(stoa_count(w) - before, STOA_HOOK_DEPTH);
    assert_int_equal(refused_runs, 1);
    assert_int_equal(w->hooks.depth, 0);
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
}

static void set_again(stoa_world *world, stoa_entity e, void *value, void *user) {
    int32_t now = ((const A *)value)->value;
    if (stoa_set(world, e, A, {now + 1}) != STOA_OK) {
        assert_int_equal(stoa_last_error().status, STOA_LIMIT);
        *(int32_t *)user = now;
    }
}

/* HOK-04 GEN-03: the value that was refused is not there. */
static void hook_that_sets_without_end_is_stopped(void **state) {
    (void)state;
    static int32_t last;
    stoa_on_set(w, A, set_again, &last);
    assert_int_equal(stoa_set(w, other, A, {1}), STOA_OK);
    assert_int_equal(last, STOA_HOOK_DEPTH);
    assert_int_equal(stoa_get(w, other, A)->value, STOA_HOOK_DEPTH);
}

static void destroy_next(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value;
    stoa_entity next = stoa_entity_next(world, e);
    if (!stoa_entity_is_null(next) && stoa_destroy(world, next) != STOA_OK) {
        ++*(int *)user;
        assert_int_equal(stoa_last_error().status, STOA_LIMIT);
        assert_int_equal(stoa_clear(world, next), STOA_LIMIT);
        assert_int_equal(stoa_remove(world, next, B), STOA_LIMIT);
    }
}

/* HOK-04 GEN-05: destroying needs no memory, but it does need room for its hooks. */
static void hook_that_destroys_without_end_is_stopped(void **state) {
    (void)state;
    static int refused;
    stoa_entity e[100];
    stoa_create_bulk(w, 100, e, STOA_ZERO(B));
    stoa_hook hook = stoa_on_remove(w, B, destroy_next, &refused);
    assert_int_equal(stoa_destroy(w, e[0]), STOA_OK);
    assert_int_equal(refused, 1);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(stoa_alive(w, e[i]), i >= STOA_HOOK_DEPTH);
    }
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
}

/* Destroys what it is given a list of, as soon as it is called for the first of them. */
typedef struct killer {
    stoa_entity *victims;
    int count;
} killer;

static void victims_destroy(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    killer *k = user;
    while (k->count > 0) {
        assert_int_equal(stoa_destroy(world, k->victims[--k->count]), STOA_OK);
    }
}

/* HOK-03 HOK-04: those that a hook destroys mid-bulk are not told of as added, and their handles
 * are dead after the call. */
static void entities_destroyed_mid_bulk_are_skipped(void **state) {
    (void)state;
    stoa_entity e[5] = {STOA_NULL};
    static killer k;
    k = (killer){&e[2], 2};
    stoa_on_add(w, B, victims_destroy, &k);
    tale_watch(&t, w, B);
    B values[5] = {{0}, {1}, {2}, {3}, {4}};
    assert_int_equal(stoa_create_bulk(w, 5, e, STOA_COLUMN(B, values)), STOA_OK);
    tale_expect(&t, "-B5(3) -B4(2) +B2(0) =B2(0) +B3(1) =B3(1) +B6(4) =B6(4)");
    for (int i = 0; i < 5; i++) {
        assert_int_equal(stoa_alive(w, e[i]), i < 2 || i > 3);
    }
    assert_int_equal(stoa_get(w, e[4], B)->value, 4);
}

/* HOK-02 HOK-04: the same for what is done to all that a query matches. */
static void entities_destroyed_mid_query_are_skipped(void **state) {
    (void)state;
    stoa_entity e[5];
    B values[5] = {{0}, {1}, {2}, {3}, {4}};
    stoa_create_bulk(w, 5, e, STOA_COLUMN(B, values));
    stoa_query *query = stoa_query_parse(w, "B");
    static killer k;
    k = (killer){&e[2], 2};
    stoa_on_add(w, C, victims_destroy, &k);
    tale_watch(&t, w, C);
    assert_int_equal(stoa_query_add(query, C), STOA_OK);
    assert_int_equal(stoa_query_count(query), 3);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(stoa_has(w, e[i], C), i < 2 || i > 3);
    }
    k = (killer){&e[1], 1};
    stoa_on_remove(w, C, victims_destroy, &k);
    assert_int_equal(stoa_query_destroy(query), STOA_OK);
    assert_int_equal(stoa_query_count(query), 0);
    assert_int_equal(stoa_count(w), 1);
}

#define test(name) cmocka_unit_test_setup_teardown(name, fixture_open, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(hook_without_end_is_stopped),
        test(hook_that_sets_without_end_is_stopped),
        test(hook_that_destroys_without_end_is_stopped),
        test(entities_destroyed_mid_bulk_are_skipped),
        test(entities_destroyed_mid_query_are_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Instances that are made in the caller: they are what a call would make, and stop when they must.
 */
#include "prefab_fixture.h"

STOA_COMPONENT(Quad, { int32_t a, b, c, d; });
STOA_COMPONENT(Byte, { uint8_t byte; });
STOA_COMPONENT(Wide, { int32_t numbers[25]; });

static stoa_prefab_head *head_of(stoa_prefab *p) {
    return (stoa_prefab_head *)(void *)p;
}

/* True if the next instance is made with no call, as long as there are slots and rows. */
static bool is_open(void **state, stoa_prefab *p) {
    const stoa_world_head *w = (const stoa_world_head *)(const void *)world_of(state);
    return head_of(p)->epoch == w->epoch;
}

/* Makes instances, and slots that are free, until the prefab is open if it can be. What others
 * make may shut it again: the first rows of an archetype are a new layout. */
static void prefab_warm(void **state, stoa_prefab *p) {
    for (int32_t i = 0; i < 8; i++) {
        stoa_entity e[8];
        for (int32_t k = 0; k < 8; k++) {
            e[k] = stoa_prefab_instantiate(p);
        }
        for (int32_t k = 0; k < 8; k++) {
            assert_int_equal(stoa_destroy(world_of(state), e[k]), STOA_OK);
        }
    }
}

/* Leaves free slots in a world, so that not every instance gets one that is new. */
static void slots_free(stoa_world *w) {
    stoa_entity e[1000];
    for (int32_t i = 0; i < 1000; i++) {
        e[i] = stoa_create(w);
    }
    for (int32_t i = 0; i < 1000; i++) {
        assert_int_equal(stoa_destroy(w, e[i]), STOA_OK);
    }
}

/* Makes instances in one world and the same bundle in another: the worlds must be equal. */
static void twins_compare(const stoa_value *values, int32_t count, bool open) {
    support_world with, without;
    support_world_open_with(&with, 16384);
    support_world_open_with(&without, 16384);
    stoa_world *a = with.world, *b = without.world;
    stoa_prefab *p = stoa_prefab_new(a, NULL);
    assert_int_equal(stoa_prefab_set_values(p, values, count), STOA_OK);
    slots_free(a);
    slots_free(b);
    for (int32_t i = 0; i < 3600; i++) {
        stoa_entity e = stoa_prefab_instantiate(p), f = stoa_create_values(b, values, count);
        assert_int_not_equal(e.index, 0);
        assert_true(stoa_entity_eq(e, f));
        if (i % 3 != 0) {
            assert_int_equal(stoa_destroy(a, e), STOA_OK);
            assert_int_equal(stoa_destroy(b, f), STOA_OK);
            continue;
        }
        if (i % 99 == 0) {
            assert_int_equal(stoa_tick_advance(a), stoa_tick_advance(b));
            assert_int_equal(stoa_check(a), STOA_OK);
        }
        for (int32_t k = 0; k < count; k++) {
            assert_int_equal(stoa_changed_type(a, e, values[k].type, stoa_tick(a) - 1),
                             stoa_changed_type(b, f, values[k].type, stoa_tick(b) - 1));
            assert_int_equal(stoa_added_type(a, e, values[k].type, stoa_tick(a) - 1),
                             stoa_added_type(b, f, values[k].type, stoa_tick(b) - 1));
        }
    }
    assert_int_equal(head_of(p)->epoch != 0, open);
    assert_int_equal(stoa_hash(a), stoa_hash(b));
    support_world_close(&with);
    support_world_close(&without);
}

/* PRE-02 ENT-06 */
static void instances_are_what_their_bundle_makes(void **state) {
    (void)state;
    twins_compare(STOA_VALUES(STOA_VALUE(Position, {1, 2, 3}), STOA_VALUE(Velocity, {4, 5, 6}),
                              STOA_VALUE(Health, {7})),
                  true);
    twins_compare(STOA_VALUES(STOA_VALUE(Quad, {1, 2, 3, 4}), STOA_VALUE(Byte, {5})), true);
    twins_compare(STOA_VALUES(STOA_VALUE(Byte, {5})), true);
    twins_compare(STOA_VALUES(STOA_VALUE(Health, {5}), STOA_ZERO(Frozen)), true);
    twins_compare(STOA_VALUES(STOA_VALUE(Health, {5}), STOA_VALUE(Heat, {6})), false);
    twins_compare(STOA_VALUES(STOA_VALUE(Wide, {{1, 2, 3}})), false);
    twins_compare(STOA_VALUES(STOA_VALUE(Position, {1, 2, 3}), STOA_VALUE(Velocity, {4, 5, 6}),
                              STOA_VALUE(Health, {7}), STOA_VALUE(Byte, {8}), STOA_ZERO(Frozen)),
                  true);
}

/* PRE-02 PRE-04 */
static void change_of_a_prefab_is_seen_by_the_next_instance(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *base = prefab_of(state), *p = variant_of(state, base), *other = prefab_of(state);
    stoa_prefab_set(base, Health, {1});
    stoa_prefab_set(p, Position, {1, 2, 3});
    stoa_prefab_set(other, Velocity, {4, 5, 6});
    for (int32_t i = 2; i < 6; i++) {
        for (int32_t k = 0; k < 3; k++) {
            prefab_warm(state, p);
            prefab_warm(state, other);
            prefab_warm(state, base);
        }
        assert_true(is_open(state, p) && is_open(state, other) && is_open(state, base));
        assert_int_equal(stoa_check(w), STOA_OK);
        stoa_prefab_set(base, Health, {i});
        assert_false(is_open(state, p) || is_open(state, other) || is_open(state, base));
        assert_int_equal(stoa_get(w, stoa_prefab_instantiate(p), Health)->points, i);
        assert_true(stoa_has(w, stoa_prefab_instantiate(other), Velocity));
        stoa_prefab_remove(p, Health);
        assert_false(stoa_has(w, stoa_prefab_instantiate(p), Health));
        stoa_prefab_revert(p, Health);
        assert_true(stoa_has(w, stoa_prefab_instantiate(p), Health));
    }
    prefab_warm(state, p);
    assert_int_equal(stoa_prefab_child(p, other), 1);
    stoa_prefab_instantiate(p);
    assert_int_equal(stoa_count(w), 4 * 4 + 2);
    support_assert_quiet(*state);
}

/* PRE-03 */
static void freeing_a_prefab_leaves_the_others_as_they_are(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *p[3];
    for (int32_t i = 0; i < 3; i++) {
        p[i] = prefab_of(state);
        stoa_prefab_set(p[i], Health, {i});
        prefab_warm(state, p[i]);
    }
    prefab_warm(state, p[0]);
    prefab_warm(state, p[1]);
    for (int32_t freed = 2; freed > 0; freed--) {
        for (int32_t i = 0; i <= freed; i++) {
            assert_true(is_open(state, p[i]));
        }
        assert_int_equal(stoa_prefab_free(p[freed]), STOA_OK);
        assert_int_equal(stoa_check(w), STOA_OK);
        for (int32_t i = 0; i < freed; i++) {
            prefab_warm(state, p[i]);
            assert_int_equal(stoa_get(w, stoa_prefab_instantiate(p[i]), Health)->points, i);
        }
        assert_int_equal(stoa_check(w), STOA_OK);
    }
#ifdef STOA_DEBUG
    assert_true(stoa_entity_is_null(stoa_prefab_instantiate(p[2])));
    support_assert_misuse(*state, stoa_last_error().status, STOA_FREED);
#endif
}

static void counts(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w;
    (void)e;
    *(int32_t *)user += ((const Health *)value)->points;
}

/* PRE-02 HOK-01 */
static void hook_that_comes_later_is_called(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state);
    stoa_prefab_set(p, Health, {3});
    prefab_warm(state, p);
    assert_true(is_open(state, p));
    int32_t sum = 0;
    stoa_hook hook = stoa_on_add(w, Health, counts, &sum);
    stoa_prefab_instantiate(p);
    stoa_prefab_instantiate(p);
    assert_int_equal(sum, 6);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    prefab_warm(state, p);
    assert_true(is_open(state, p));
    assert_int_equal(sum, 6);
}

/* PRE-02 GEN-05 */
static void open_prefab_makes_nothing_while_the_structure_must_not_change(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state);
    stoa_prefab_set(p, Health, {3});
    prefab_warm(state, p);
    stoa_prefab_instantiate(p);
    assert_true(is_open(state, p));
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        assert_true(stoa_entity_is_null(stoa_prefab_instantiate(p)));
        support_assert_misuse(*state, stoa_last_error().status, STOA_ITERATING);
    }
    assert_int_equal(stoa_count(w), 1);
}

/* PRE-02 SNP-08 */
static void instances_go_on_in_a_world_that_keeps_frames(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state);
    stoa_prefab_set(p, Health, {3});
    prefab_warm(state, p);
    stoa_prefab_instantiate(p);
    assert_true(is_open(state, p));
    stoa_frames *frames = stoa_frames_new(w, 4);
    assert_non_null(frames);
    assert_int_equal(stoa_frames_save(frames), STOA_OK);
    uint64_t hash = stoa_hash(w);
    for (int32_t i = 0; i < 20; i++) {
        assert_int_equal(stoa_get(w, stoa_prefab_instantiate(p), Health)->points, 3);
        assert_false(is_open(state, p));
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_frames_restore(frames, 0, NULL), STOA_OK);
    assert_int_equal(stoa_hash(w), hash);
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_frames_free(frames);
}

/* GEN-05 */
static void check_notices_a_prefab_that_is_open_by_mistake(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state), *shut = prefab_of(state);
    stoa_prefab_set(p, Health, {3});
    prefab_warm(state, p);
    uint32_t epoch = head_of(p)->epoch;
    assert_int_equal(stoa_check(w), STOA_OK);
    head_of(p)->epoch = epoch + 1;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    head_of(p)->epoch = 0;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    head_of(p)->epoch = epoch;
    head_of(shut)->epoch = epoch;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    head_of(shut)->epoch = 0;
    assert_int_equal(stoa_check(w), STOA_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_are_what_their_bundle_makes),
        PREFAB_TEST(change_of_a_prefab_is_seen_by_the_next_instance),
        PREFAB_TEST(freeing_a_prefab_leaves_the_others_as_they_are),
        PREFAB_TEST(hook_that_comes_later_is_called),
        PREFAB_TEST(open_prefab_makes_nothing_while_the_structure_must_not_change),
        PREFAB_TEST(instances_go_on_in_a_world_that_keeps_frames),
        PREFAB_TEST(check_notices_a_prefab_that_is_open_by_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The hierarchy under bad calls, great numbers, and hooks that interfere. */
#include <stdlib.h>

#include "support/support.h"

#include "stoa/hierarchy.h"

STOA_COMPONENT(Mass, { float kg; });

#define MANY 100000
#define DEEP 1000000

static void assert_entity(stoa_entity a, stoa_entity b) {
    assert_int_equal(a.index, b.index);
    assert_int_equal(a.generation, b.generation);
}

/* TRF-02 */
static void nobody_is_its_own_ancestor(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity a = stoa_create(w), b = stoa_create(w), c = stoa_create(w);
    assert_int_equal(stoa_set_parent(w, a, a), STOA_CYCLE);
    stoa_set_parent(w, b, a);
    stoa_set_parent(w, c, b);
    uint64_t hash = stoa_hash(w);
    assert_int_equal(stoa_set_parent(w, a, c), STOA_CYCLE);
    assert_int_equal(stoa_set_parent(w, a, b), STOA_CYCLE);
    assert_int_equal(stoa_set_parent(w, b, b), STOA_CYCLE);
    assert_int_equal(stoa_set(w, a, Parent, {c}), STOA_CYCLE);
    assert_int_equal(stoa_change(w, a, STOA_VALUE(Mass, {1}), STOA_VALUE(Parent, {c})), STOA_CYCLE);
    assert_false(stoa_has(w, a, Mass));
    assert_true(stoa_hash(w) == hash);
    assert_int_equal(stoa_set_parent(w, c, a), STOA_OK);
    assert_int_equal(stoa_set_parent(w, b, c), STOA_OK);
    assert_int_equal(stoa_set_parent(w, c, b), STOA_CYCLE);
}

/* TRF-02 */
static void the_dead_have_no_family(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity a = stoa_create(w), dead = stoa_create(w);
    stoa_set_parent(w, dead, a);
    stoa_destroy(w, dead);
    uint64_t hash = stoa_hash(w);
    support_assert_misuse(s, stoa_set_parent(w, dead, a), STOA_DEAD);
    support_assert_misuse(s, stoa_set_parent(w, a, dead), STOA_DEAD);
    support_assert_misuse(s, stoa_set_parent(w, a, STOA_NULL), STOA_DEAD);
    support_assert_misuse(s, stoa_set_parent(w, STOA_NULL, a), STOA_DEAD);
    support_assert_misuse(s, stoa_remove_parent(w, dead), STOA_DEAD);
    support_assert_misuse(s, stoa_destroy_recursive(w, dead), STOA_DEAD);
    support_assert_misuse(s, stoa_destroy_recursive(w, (stoa_entity){99, 7}), STOA_DEAD);
    assert_entity(stoa_parent(w, dead), STOA_NULL);
    assert_int_equal(stoa_children(w, dead).count, 0);
    assert_int_equal(stoa_children(w, STOA_NULL).count, 0);
    support_assert_quiet(s);
    assert_true(stoa_hash(w) == hash);
    assert_int_equal(stoa_children(w, a).count, 0);
}

/* TRF-02, GEN-05 */
static void no_world_is_an_error(void **state) {
    (void)state;
    stoa_entity e = {1, 1};
    assert_int_equal(stoa_set_parent(NULL, e, e), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_remove_parent(NULL, e), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_destroy_recursive(NULL, e), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_hierarchy_policy(NULL, STOA_CASCADE), STOA_NULL_ARGUMENT);
    assert_entity(stoa_parent(NULL, e), STOA_NULL);
    assert_int_equal(stoa_children(NULL, e).count, 0);
}

/* TRF-03 */
static void unknown_policy_is_an_error(void **state) {
    support_world *s = *state;
    support_assert_misuse(s, stoa_hierarchy_policy(s->world, (stoa_relation_policy)9),
                          STOA_INVALID);
}

/* TRF-02 */
static void parents_do_not_change_under_iteration(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Mass, {1})), b = stoa_create(w);
    stoa_set_parent(w, a, b);
    stoa_query *q = stoa_query_parse(w, "const Mass");
    stoa_iter it = stoa_query_iter(q);
    assert_true(stoa_iter_next(&it));
    support_assert_misuse(s, stoa_remove_parent(w, a), STOA_ITERATING);
    support_assert_misuse(s, stoa_destroy_recursive(w, b), STOA_ITERATING);
    stoa_iter_end(&it);
    assert_entity(stoa_parent(w, a), b);
}

/* TRF-02 */
static void one_parent_may_have_many_children(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity p = stoa_create(w), q = stoa_create(w);
    stoa_entity *e = malloc(MANY * sizeof *e);
    assert_non_null(e);
    for (int32_t i = 0; i < MANY; i++) {
        e[i] = stoa_create(w);
        stoa_set_parent(w, e[i], p);
    }
    assert_int_equal(stoa_children(w, p).count, MANY);
    for (int32_t i = 0; i < MANY; i += 2) {
        stoa_set_parent(w, e[i], q);
    }
    assert_int_equal(stoa_children(w, p).count, MANY / 2);
    assert_int_equal(stoa_children(w, q).count, MANY / 2);
    stoa_destroy(w, p);
    assert_entity(stoa_parent(w, e[1]), STOA_NULL);
    assert_int_equal(stoa_destroy_recursive(w, q), STOA_OK);
    assert_int_equal(stoa_count(w), MANY / 2);
    free(e);
}

/* TRF-02 */
static void chain_of_a_million_is_destroyed_from_its_end(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity top = stoa_create(w), last = top;
    for (int32_t i = 1; i < DEEP; i++) {
        last = stoa_create_with(w, STOA_VALUE(Parent, {last}));
    }
    assert_int_equal(stoa_count(w), DEEP);
    /* None of it takes memory. */
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_int_equal(stoa_destroy_recursive(w, top), STOA_OK);
    assert_int_equal(s->heap.failed, 0);
    s->heap.fail_at = 0;
    s->heap.fail_forever = false;
    assert_int_equal(stoa_count(w), 0);
}

/* TRF-03 */
static void long_chain_cascades(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_hierarchy_policy(w, STOA_CASCADE);
    stoa_entity top = stoa_create(w), last = top;
    for (int32_t i = 1; i < MANY; i++) {
        last = stoa_create_with(w, STOA_VALUE(Parent, {last}));
    }
    assert_int_equal(stoa_destroy(w, top), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
}

/* What a hook does when an entity loses its mass. */
typedef struct meddler {
    stoa_entity when;         /* the entity that it waits for */
    stoa_entity child, under; /* who is given a parent, and which; STOA_NULL: takes it away */
    stoa_entity victim;       /* who is destroyed, or STOA_NULL */
    bool grows;               /* gives a child to the parent of `when` */
} meddler;

static void meddle(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)value;
    const meddler *m = user;
    if (stoa_world_ending(w) || !stoa_entity_eq(e, m->when)) {
        return;
    }
    if (m->grows) {
        stoa_create_with(w, STOA_VALUE(Mass, {1}), STOA_VALUE(Parent, {stoa_parent(w, e)}));
    }
    if (!stoa_entity_is_null(m->victim)) {
        stoa_destroy(w, m->victim);
    }
    if (!stoa_entity_is_null(m->child)) {
        if (stoa_entity_is_null(m->under)) {
            stoa_remove_parent(w, m->child);
        } else {
            stoa_set_parent(w, m->child, m->under);
        }
    }
}

/* A chain below `outside`: e[0] to e[4]; e[2] and e[4] have a second child each. */
static void family_make(stoa_world *w, stoa_entity *outside, stoa_entity *e) {
    *outside = stoa_create_with(w, STOA_VALUE(Mass, {1}));
    for (int i = 0; i < 5; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Mass, {1}),
                                STOA_VALUE(Parent, {i > 0 ? e[i - 1] : *outside}));
    }
    e[5] = stoa_create_with(w, STOA_VALUE(Mass, {1}), STOA_VALUE(Parent, {e[2]}));
    e[6] = stoa_create_with(w, STOA_VALUE(Mass, {1}), STOA_VALUE(Parent, {e[4]}));
}

/* TRF-02 */
static void hook_that_moves_a_branch_away_saves_what_is_outside(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    meddler m = {0};
    stoa_on_remove(w, Mass, meddle, &m);
    for (int moved = 1; moved < 5; moved++) {
        for (int when = 5; when < 7; when++) {
            stoa_entity outside, e[7];
            family_make(w, &outside, e);
            stoa_entity beside = stoa_create_with(w, STOA_VALUE(Parent, {outside}));
            m = (meddler){.when = e[when], .child = e[moved], .under = beside};
            assert_int_equal(stoa_destroy_recursive(w, e[0]), STOA_OK);
            assert_false(stoa_alive(w, e[0]));
            assert_true(stoa_alive(w, outside) && stoa_alive(w, beside));
            m = (meddler){0};
            stoa_destroy_recursive(w, outside);
            assert_int_equal(stoa_count(w), 0);
        }
    }
}

/* TRF-02 */
static void hook_that_cuts_a_branch_off_saves_it(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    meddler m = {0};
    stoa_on_remove(w, Mass, meddle, &m);
    stoa_entity outside, e[7];
    family_make(w, &outside, e);
    m = (meddler){.when = e[6], .child = e[4]};
    assert_int_equal(stoa_destroy_recursive(w, e[0]), STOA_OK);
    assert_true(stoa_alive(w, e[4]));
    assert_int_equal(stoa_count(w), 2);
}

/* TRF-02 */
static void hook_that_destroys_an_ancestor_is_survived(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    meddler m = {0};
    stoa_on_remove(w, Mass, meddle, &m);
    for (int victim = 0; victim < 5; victim++) {
        stoa_entity outside, e[7];
        family_make(w, &outside, e);
        m = (meddler){.when = e[6], .victim = e[victim]};
        assert_int_equal(stoa_destroy_recursive(w, e[0]), STOA_OK);
        assert_false(stoa_alive(w, e[0]));
        assert_true(stoa_alive(w, outside));
    }
}

/* TRF-02 */
static void child_that_a_hook_adds_goes_too(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    meddler m = {0};
    stoa_on_remove(w, Mass, meddle, &m);
    stoa_entity outside, e[7];
    family_make(w, &outside, e);
    m = (meddler){.when = e[6], .grows = true};
    assert_int_equal(stoa_destroy_recursive(w, e[0]), STOA_OK);
    assert_int_equal(stoa_count(w), 1);
}

static stoa_status heavy_stays(stoa_world *w, stoa_entity e, const void *values, int32_t count,
                               void *user) {
    (void)values;
    (void)count;
    (void)user;
    return stoa_get(w, e, Mass)->kg > 5 ? stoa_fail(STOA_REFUSED, "too heavy") : STOA_OK;
}

/* TRF-02, GEN-03 */
static void veto_stops_destroy_recursive_where_it_is(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity outside, e[7];
    family_make(w, &outside, e);
    stoa_veto_new(w, &(stoa_veto_desc){.kind = STOA_VETO_REMOVE,
                                       .type = STOA_TYPE_OF(Mass),
                                       .call = heavy_stays});
    stoa_set(w, e[4], Mass, {9});
    assert_int_equal(stoa_destroy_recursive(w, e[0]), STOA_REFUSED);
    assert_true(stoa_alive(w, e[4]) && stoa_alive(w, e[0]));
    stoa_set(w, e[4], Mass, {1});
    assert_int_equal(stoa_destroy_recursive(w, e[0]), STOA_OK);
    assert_int_equal(stoa_count(w), 1);
}

static void parent_destroy(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e, (void)value;
    stoa_destroy(world, *(stoa_entity *)user);
}

/* TRF-02, HOK-04 */
static void parent_that_dies_in_a_hook_of_its_child_is_none(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity parent = stoa_create(w), child = stoa_create(w);
    stoa_set_parent(w, child, parent);
    stoa_on_add(w, Mass, parent_destroy, &parent);
    assert_int_equal(stoa_set(w, child, Mass, {1}), STOA_OK);
    assert_false(stoa_alive(w, parent));
    assert_true(stoa_entity_is_null(stoa_parent(w, child)));
    support_assert_misuse(s, stoa_set_parent(w, child, parent), STOA_DEAD);
    stoa_entity other = stoa_create(w);
    assert_int_equal(stoa_set_parent(w, child, other), STOA_OK);
    assert_entity(stoa_parent(w, child), other);
    assert_int_equal(stoa_children(w, other).count, 1);
}

#define world_test(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        world_test(nobody_is_its_own_ancestor),
        world_test(the_dead_have_no_family),
        world_test(no_world_is_an_error),
        world_test(unknown_policy_is_an_error),
        world_test(parents_do_not_change_under_iteration),
        world_test(one_parent_may_have_many_children),
        world_test(chain_of_a_million_is_destroyed_from_its_end),
        world_test(long_chain_cascades),
        world_test(hook_that_moves_a_branch_away_saves_what_is_outside),
        world_test(hook_that_cuts_a_branch_off_saves_it),
        world_test(hook_that_destroys_an_ancestor_is_survived),
        world_test(child_that_a_hook_adds_goes_too),
        world_test(veto_stops_destroy_recursive_where_it_is),
        world_test(parent_that_dies_in_a_hook_of_its_child_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

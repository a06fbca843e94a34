/* Prefabs with parents: the hierarchy is right however an instance is made. */
#include "stoa/hierarchy.h"
#include "stoa/prefab.h"
#include "support/support.h"

STOA_COMPONENT(Health, { int32_t points; });

#define assert_same(a, b) assert_true(stoa_entity_eq(a, b))

static stoa_world *world_of(void **state) {
    return ((support_world *)*state)->world;
}

/* A body with two arms, each with a hand. */
static stoa_prefab *body_new(stoa_world *w) {
    stoa_prefab *hand = stoa_prefab_new(w, NULL), *arm = stoa_prefab_new(w, NULL);
    stoa_prefab *body = stoa_prefab_new(w, NULL);
    assert_int_equal(stoa_prefab_set(body, Health, {3}), STOA_OK);
    assert_int_equal(stoa_prefab_child(arm, hand), 1);
    assert_int_equal(stoa_prefab_node_set(arm, 1, Parent, {stoa_prefab_node(0)}), STOA_OK);
    for (int32_t node = 1; node <= 2; node++) {
        assert_int_equal(stoa_prefab_child(body, arm), node);
        assert_int_equal(stoa_prefab_node_set(body, node, Parent, {stoa_prefab_node(0)}), STOA_OK);
    }
    return body;
}

static void body_check(const stoa_world *w, stoa_entity root, stoa_entity above) {
    assert_same(stoa_parent(w, root), above);
    stoa_links arms = stoa_children(w, root);
    assert_int_equal(arms.count, 2);
    for (int32_t i = 0; i < arms.count; i++) {
        stoa_links hands = stoa_children(w, arms.items[i]);
        assert_int_equal(hands.count, 1);
        assert_same(stoa_parent(w, hands.items[0]), arms.items[i]);
    }
}

/* PRE-04 TRF-05 */
static void tree_keeps_the_hierarchy_right(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *body = body_new(w);
    stoa_entity cart = stoa_create(w), e[5];
    body_check(w, stoa_prefab_instantiate(body), STOA_NULL);
    assert_int_equal(
        stoa_prefab_instantiate_tree(body, STOA_VALUES(STOA_VALUE(Parent, {cart})), e, 5), STOA_OK);
    body_check(w, e[0], cart);
    assert_same(stoa_parent(w, e[3]), e[1]);
    stoa_entity roots[20];
    Parent parents[20];
    for (int i = 0; i < 20; i++) {
        parents[i].entity = e[3];
    }
    assert_int_equal(
        stoa_prefab_instantiate_bulk(body, 20, roots, STOA_VALUES(STOA_COLUMN(Parent, parents))),
        STOA_OK);
    for (int i = 0; i < 20; i++) {
        body_check(w, roots[i], e[3]);
    }
    assert_int_equal(stoa_children(w, e[3]).count, 20);
    stoa_entity later = stoa_commands_instantiate(stoa_deferred(w), body, NULL, 0);
    assert_int_equal(stoa_flush(w), STOA_OK);
    body_check(w, later, STOA_NULL);
    assert_int_equal(stoa_destroy_recursive(w, cart), STOA_OK);
    assert_int_equal(stoa_count(w), 10);
}

/* PRE-04 TRF-02 */
static void parent_that_is_made_later_works(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *leaf = stoa_prefab_new(w, NULL), *p = stoa_prefab_new(w, NULL);
    stoa_prefab_child(p, leaf);
    stoa_prefab_child(p, leaf);
    stoa_prefab_set(p, Parent, {stoa_prefab_node(2)});
    stoa_prefab_node_set(p, 1, Parent, {stoa_prefab_node(0)});
    stoa_entity e[3];
    assert_int_equal(stoa_prefab_instantiate_tree(p, NULL, 0, e, 3), STOA_OK);
    assert_same(stoa_parent(w, e[0]), e[2]);
    assert_same(stoa_children(w, e[0]).items[0], e[1]);
    assert_int_equal(stoa_commands_instantiate_tree(stoa_deferred(w), p, NULL, 0, e, 3), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_same(stoa_parent(w, e[0]), e[2]);
}

/* PRE-04 TRF-02 GEN-03 */
static void tree_that_would_be_below_itself_is_not_made(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *leaf = stoa_prefab_new(w, NULL), *p = stoa_prefab_new(w, NULL);
    stoa_prefab_child(p, leaf);
    stoa_prefab_set(p, Parent, {stoa_prefab_node(1)});
    stoa_prefab_node_set(p, 1, Parent, {stoa_prefab_node(0)});
    assert_true(stoa_entity_is_null(stoa_prefab_instantiate(p)));
    assert_int_equal(stoa_last_error().status, STOA_CYCLE);
    assert_int_equal(stoa_count(w), 0);
    stoa_prefab_set(p, Parent, {{17, 3}});
    assert_true(stoa_entity_is_null(stoa_prefab_instantiate(p)));
    assert_int_equal(stoa_last_error().status, STOA_DEAD);
    support_world *s = *state;
    s->asserts_seen = s->asserts;
    assert_int_equal(stoa_count(w), 0);
}

/* PRE-01 ENT-11 */
static void prefab_of_a_parent_leaves_its_children_out(void **state) {
    stoa_world *w = world_of(state);
    stoa_entity root = stoa_prefab_instantiate(body_new(w));
    stoa_prefab *p = stoa_prefab_from(w, root, "body");
    assert_non_null(p);
    assert_true(stoa_prefab_has(p, Health));
    assert_int_equal(stoa_prefab_count(p), 1);
    assert_int_equal(stoa_children(w, stoa_prefab_instantiate(p)).count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tree_keeps_the_hierarchy_right, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(parent_that_is_made_later_works, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(tree_that_would_be_below_itself_is_not_made, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(prefab_of_a_parent_leaves_its_children_out, support_setup,
                                        support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

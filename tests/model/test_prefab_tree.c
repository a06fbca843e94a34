/* Instances that are trees: children, what is said of them, references among them. */
#include "prefab_fixture.h"

#include "stoa/relation.h"

#define NODES 16

/* Makes an instance and checks how many entities it is. */
static void tree_make(stoa_prefab *p, int32_t count, stoa_entity *entities) {
    assert_int_equal(stoa_prefab_entity_count(p), count);
    assert_int_equal(stoa_prefab_instantiate_tree(p, NULL, 0, entities, NODES), STOA_OK);
}

static stoa_entity link_of(void **state, stoa_entity e) {
    return stoa_get(world_of(state), e, Link)->to;
}

#define assert_same(a, b) assert_true(stoa_entity_eq(a, b))

/* PRE-04 */
static void child_is_an_instance_of_its_prefab(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *wheel = prefab_of(state), *car = prefab_of(state);
    stoa_prefab_set(wheel, Health, {10});
    stoa_prefab_set(wheel, Position, {1, 1, 1});
    stoa_prefab_set(car, Health, {100});
    int32_t front = stoa_prefab_child(car, wheel), back = stoa_prefab_child(car, wheel);
    assert_int_equal(front, 1);
    assert_int_equal(back, 2);
    assert_int_equal(stoa_prefab_node_count(car), 3);
    assert_ptr_equal(stoa_prefab_node_prefab(car, back), wheel);
    assert_null(stoa_prefab_node_prefab(car, 0));
    assert_int_equal(stoa_prefab_node_set(car, back, Health, {20}), STOA_OK);
    assert_int_equal(
        stoa_prefab_node_set_values(
            car, front, STOA_VALUES(STOA_VALUE(Velocity, {2, 2, 2}), STOA_REMOVE(Position))),
        STOA_OK);
    assert_int_equal(stoa_prefab_node_get(car, back, Health)->points, 20);
    assert_int_equal(stoa_prefab_node_get(car, front, Health)->points, 10);
    assert_true(stoa_prefab_node_has(car, back, Position));
    assert_false(stoa_prefab_node_has(car, front, Position));
    stoa_entity e[NODES];
    tree_make(car, 3, e);
    assert_int_equal(stoa_count(w), 3);
    assert_int_equal(stoa_get(w, e[0], Health)->points, 100);
    assert_int_equal(stoa_get(w, e[front], Health)->points, 10);
    assert_int_equal(stoa_get(w, e[back], Health)->points, 20);
    assert_float_equal(stoa_get(w, e[front], Velocity)->x, 2, 0);
    assert_false(stoa_has(w, e[front], Position));
    assert_true(stoa_has(w, e[back], Position));
    /* The child's prefab is what it was. */
    assert_int_equal(stoa_prefab_get(wheel, Health)->points, 10);
    assert_false(stoa_prefab_has(wheel, Velocity));
    /* And its changes are seen unless overridden. */
    stoa_prefab_set(wheel, Health, {11});
    stoa_prefab_node_revert_id(car, front, stoa_id(w, Position));
    tree_make(car, 3, e);
    assert_int_equal(stoa_get(w, e[front], Health)->points, 11);
    assert_int_equal(stoa_get(w, e[back], Health)->points, 20);
    assert_true(stoa_has(w, e[front], Position));
}

/* PRE-04 */
static void references_become_the_entities_of_the_instance(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    stoa_prefab_set(leaf, Health, {1});
    int32_t a = stoa_prefab_child(root, leaf), b = stoa_prefab_child(root, leaf);
    /* Up, to itself, and to one that is made later. */
    stoa_prefab_node_set(root, a, Link, {stoa_prefab_node(0)});
    stoa_prefab_node_set(root, b, Link, {stoa_prefab_node(b)});
    stoa_prefab_set(root, Pair, {7, {stoa_prefab_node(b), stoa_prefab_node(a)}});
    stoa_entity e[NODES], f[NODES];
    tree_make(root, 3, e);
    tree_make(root, 3, f);
    assert_same(link_of(state, e[a]), e[0]);
    assert_same(link_of(state, e[b]), e[b]);
    assert_same(stoa_get(w, e[0], Pair)->both[0], e[b]);
    assert_same(stoa_get(w, e[0], Pair)->both[1], e[a]);
    assert_int_equal(stoa_get(w, e[0], Pair)->number, 7);
    assert_same(link_of(state, f[a]), f[0]);
    assert_same(stoa_get(w, f[0], Pair)->both[0], f[b]);
    assert_int_equal(stoa_count(w), 6);
}

/* PRE-04 */
static void references_are_found_in_nested_structs_and_arrays(void **state) {
    stoa_world *w = world_of(state);
    stoa_entity other = stoa_create(w);
    assert_true(stoa_id(w, Pair) != 0 && stoa_id(w, Link) != 0);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    stoa_prefab_child(root, leaf);
    assert_int_equal(
        stoa_prefab_set(root, Web,
                        {{'a', 'b', 0},
                         {{1, {stoa_prefab_node(0), other}}, {2, {STOA_NULL, stoa_prefab_node(1)}}},
                         {stoa_prefab_node(1)}}),
        STOA_OK);
    stoa_entity e[NODES];
    tree_make(root, 2, e);
    const Web *web = stoa_get(w, e[0], Web);
    assert_same(web->pairs[0].both[0], e[0]);
    assert_same(web->pairs[0].both[1], other);
    assert_true(stoa_entity_is_null(web->pairs[1].both[0]));
    assert_same(web->pairs[1].both[1], e[1]);
    assert_same(web->last.to, e[1]);
    assert_int_equal(web->pairs[1].number, 2);
    assert_string_equal(web->name, "ab");
}

/* PRE-04 */
static void nodes_are_never_handles_of_entities(void **state) {
    stoa_world *w = world_of(state);
    for (int i = 0; i < 10; i++) {
        stoa_create(w);
    }
    for (int32_t node = 0; node < 10; node++) {
        assert_false(stoa_alive(w, stoa_prefab_node(node)));
        assert_false(stoa_entity_is_null(stoa_prefab_node(node)));
    }
}

/* PRE-04 */
static void references_of_nested_trees_go_by_their_own_numbers(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *hand = prefab_of(state), *arm = prefab_of(state), *body = prefab_of(state);
    stoa_prefab_set(hand, Health, {1});
    stoa_prefab_set(arm, Health, {2});
    stoa_prefab_set(body, Health, {3});
    int32_t hand_in_arm = stoa_prefab_child(arm, hand);
    stoa_prefab_node_set(arm, hand_in_arm, Link, {stoa_prefab_node(0)});
    stoa_prefab_set(arm, Link, {stoa_prefab_node(hand_in_arm)});
    int32_t left = stoa_prefab_child(body, arm), right = stoa_prefab_child(body, arm);
    stoa_prefab_node_set(body, right, Link, {stoa_prefab_node(0)});
    stoa_entity e[NODES];
    tree_make(body, 5, e);
    /* The body, its arms, then their hands. */
    assert_int_equal(stoa_get(w, e[0], Health)->points, 3);
    assert_int_equal(stoa_get(w, e[left], Health)->points, 2);
    assert_int_equal(stoa_get(w, e[right], Health)->points, 2);
    assert_int_equal(stoa_get(w, e[3], Health)->points, 1);
    assert_same(link_of(state, e[left]), e[3]);
    assert_same(link_of(state, e[right]), e[0]);
    assert_same(link_of(state, e[3]), e[left]);
    assert_same(link_of(state, e[4]), e[right]);
    /* A child that is given to an inner prefab later is part of it. */
    stoa_prefab_child(arm, hand);
    tree_make(body, 7, e);
    assert_same(link_of(state, e[left]), e[3]);
    assert_same(link_of(state, e[5]), e[right]);
    assert_false(stoa_has(w, e[4], Link));
}

/* PRE-04 */
static void variant_of_a_tree_overrides_and_extends_it(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *wheel = prefab_of(state), *car = prefab_of(state);
    stoa_prefab_set(wheel, Health, {10});
    int32_t first = stoa_prefab_child(car, wheel);
    stoa_prefab_node_set(car, first, Link, {stoa_prefab_node(0)});
    stoa_prefab *truck = variant_of(state, car);
    assert_int_equal(stoa_prefab_node_count(truck), 2);
    int32_t second = stoa_prefab_child(truck, wheel);
    assert_int_equal(second, 2);
    assert_int_equal(stoa_prefab_node_count(car), 2);
    stoa_prefab_node_set(truck, first, Health, {15});
    stoa_prefab_node_set(truck, second, Link, {stoa_prefab_node(first)});
    stoa_entity e[NODES];
    tree_make(truck, 3, e);
    assert_int_equal(stoa_get(w, e[first], Health)->points, 15);
    assert_same(link_of(state, e[first]), e[0]);
    assert_same(link_of(state, e[second]), e[first]);
    tree_make(car, 2, e);
    assert_int_equal(stoa_get(w, e[first], Health)->points, 10);
    /* What the base says later is seen, unless the variant says something else. */
    stoa_prefab_node_set(car, first, Health, {12});
    stoa_prefab_node_set(car, first, Velocity, {1, 1, 1});
    tree_make(truck, 3, e);
    assert_int_equal(stoa_get(w, e[first], Health)->points, 15);
    assert_true(stoa_has(w, e[first], Velocity));
    /* Numbers of variants stay, so the base cannot be given another child. */
    assert_int_equal(stoa_prefab_child(car, wheel), -1);
    assert_int_equal(stoa_last_error().status, STOA_REFUSED);
    /* A variant as a child, and a copy of a tree. */
    stoa_prefab *fleet = prefab_of(state);
    stoa_prefab_child(fleet, truck);
    stoa_prefab_child(fleet, stoa_prefab_copy(truck, NULL));
    tree_make(fleet, 7, e);
    assert_same(link_of(state, e[4]), e[3]);
    assert_same(link_of(state, e[6]), e[5]);
    assert_int_equal(stoa_get(w, e[5], Health)->points, 15);
}

/* PRE-03 PRE-04 CMP-11 */
static void values_with_hooks_are_copied_and_their_references_replaced(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    owned_set(leaf, 1);
    stoa_prefab_child(root, leaf);
    stoa_prefab_child(root, leaf);
    Owned value;
    owner_make(&value, 2)->friend = stoa_prefab_node(2);
    assert_int_equal(
        stoa_prefab_node_set_values(root, 1, STOA_VALUES(STOA_VALUE_FROM(Owned, &value))), STOA_OK);
    stoa_entity e[NODES];
    tree_make(root, 3, e);
    assert_int_equal(stoa_get(w, e[1], Owned)->number, 2);
    assert_same(stoa_get(w, e[1], Owned)->friend, e[2]);
    assert_int_equal(stoa_get(w, e[2], Owned)->number, 1);
    assert_int_equal(owners_alive, 4);
    /* The caller's values count as moved in. */
    Owned given;
    owner_make(&given, 3);
    stoa_entity made = stoa_prefab_instantiate_with(root, STOA_VALUE_FROM(Owned, &given));
    assert_int_equal(stoa_get(w, made, Owned)->number, 3);
    assert_int_equal(given.number, -1);
    assert_int_equal(owners_alive, 7);
    Unique unique;
    owner_make(&unique, 4);
    assert_true(
        stoa_entity_is_null(stoa_prefab_instantiate_with(root, STOA_VALUE_FROM(Unique, &unique))));
    assert_int_equal(stoa_last_error().status, STOA_NOT_COPYABLE);
    owner_drop(&unique, 1, NULL);
}

/* PRE-02 PRE-04 */
static void many_trees_are_made_at_once(void **state) {
    enum { MANY = 300 };
    stoa_world *w = world_of(state);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    owned_set(leaf, 1);
    stoa_prefab_set(leaf, Heat, {5});
    stoa_prefab_set(root, Health, {3});
    int32_t child = stoa_prefab_child(root, leaf);
    stoa_prefab_node_set(root, child, Link, {stoa_prefab_node(0)});
    stoa_prefab_set(root, Link, {stoa_prefab_node(child)});
    Health healths[MANY];
    Hoard hoards[MANY];
    stoa_entity roots[MANY];
    for (int32_t i = 0; i < MANY; i++) {
        healths[i].points = i;
        owner_make(&hoards[i], i + 1);
    }
    assert_int_equal(stoa_prefab_instantiate_bulk(root, MANY, roots,
                                                  STOA_VALUES(STOA_COLUMN(Health, healths),
                                                              STOA_COLUMN(Hoard, hoards),
                                                              STOA_SAME(Velocity, {4, 5, 6}))),
                     STOA_OK);
    assert_int_equal(stoa_count(w), 2 * MANY);
    assert_int_equal(owners_alive, 1 + 2 * MANY);
    for (int32_t i = 0; i < MANY; i++) {
        assert_int_equal(stoa_get(w, roots[i], Health)->points, i);
        assert_int_equal(stoa_get(w, roots[i], Hoard)->number, i + 1);
        assert_float_equal(stoa_get(w, roots[i], Velocity)->z, 6, 0);
        stoa_entity leaf_made = link_of(state, roots[i]);
        assert_same(link_of(state, leaf_made), roots[i]);
        assert_int_equal(stoa_get(w, leaf_made, Owned)->number, 1);
        assert_int_equal(stoa_get(w, leaf_made, Heat)->degrees, 5);
    }
    assert_int_equal(stoa_prefab_instantiate_bulk(root, 0, NULL, NULL, 0), STOA_OK);
    assert_int_equal(stoa_prefab_instantiate_bulk(root, 2, NULL, NULL, 0), STOA_OK);
    assert_int_equal(stoa_count(w), 2 * MANY + 4);
}

static void order_note(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w;
    (void)e;
    int32_t *list = user;
    list[++list[0]] = ((const Health *)value)->points;
}

static void link_note(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e;
    const Link *link = value;
    ++*(int32_t *)user;
    assert_true(stoa_alive(w, link->to));
}

/* PRE-02 PRE-04 HOK-01 */
static void hooks_see_parents_first_and_no_dead_references(void **state) {
    stoa_world *w = world_of(state);
    int32_t adds[NODES] = {0}, sets[NODES] = {0}, links = 0;
    stoa_on_add(w, Health, order_note, adds);
    stoa_on_set(w, Health, order_note, sets);
    stoa_on_set(w, Link, link_note, &links);
    stoa_prefab *leaf = prefab_of(state), *middle = prefab_of(state), *root = prefab_of(state);
    stoa_prefab_set(leaf, Health, {3});
    stoa_prefab_set(middle, Health, {2});
    stoa_prefab_set(root, Health, {1});
    stoa_prefab_child(middle, leaf);
    stoa_prefab_child(root, middle);
    stoa_prefab_child(root, leaf);
    /* To one made later, and to itself. */
    stoa_prefab_set(middle, Link, {stoa_prefab_node(1)});
    stoa_prefab_set(leaf, Link, {stoa_prefab_node(0)});
    stoa_prefab_set(root, Link, {stoa_prefab_node(2)});
    assert_false(stoa_entity_is_null(stoa_prefab_instantiate(root)));
    const int32_t expected[] = {4, 1, 2, 3, 3};
    assert_memory_equal(adds, expected, sizeof expected);
    assert_memory_equal(sets, expected, sizeof expected);
    assert_int_equal(links, 4);
}

static stoa_status third_refuse(stoa_world *w, stoa_entity e, const void *values, int32_t count,
                                void *user) {
    (void)w;
    (void)e;
    (void)count;
    (void)user;
    return ((const Heat *)values)->degrees == 3 ? stoa_fail(STOA_REFUSED, "too hot") : STOA_OK;
}

/* PRE-04 GEN-03 */
static void tree_of_which_one_is_refused_is_not_made(void **state) {
    stoa_world *w = world_of(state);
    stoa_veto_new(w, &(stoa_veto_desc){
                         .kind = STOA_VETO_SET, .type = STOA_TYPE_OF(Heat), .call = third_refuse});
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    owned_set(leaf, 1);
    stoa_prefab_child(root, leaf);
    stoa_prefab_child(root, leaf);
    stoa_prefab_child(root, leaf);
    stoa_prefab_set(root, Link, {stoa_prefab_node(3)});
    stoa_prefab_node_set(root, 2, Heat, {3});
    Owned given;
    owner_make(&given, 3);
    stoa_entity e[NODES] = {STOA_NULL};
    assert_int_equal(
        stoa_prefab_instantiate_tree(root, STOA_VALUES(STOA_VALUE_FROM(Owned, &given)), e, NODES),
        STOA_REFUSED);
    support_assert_message("too hot");
    assert_true(stoa_entity_is_null(e[0]));
    assert_int_equal(given.number, 3);
    assert_int_equal(stoa_prefab_instantiate_bulk(root, 3, NULL, NULL, 0), STOA_REFUSED);
    assert_int_equal(stoa_count(w), 0);
    assert_int_equal(owners_alive, 2);
    owner_drop(&given, 1, NULL);
    stoa_prefab_node_set(root, 2, Heat, {2});
    assert_int_equal(stoa_prefab_instantiate_bulk(root, 3, NULL, NULL, 0), STOA_OK);
    assert_int_equal(stoa_count(w), 12);
}

STOA_COMPONENT_WITH(Tie, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { stoa_entity to; });

/* PRE-04 REL-01 GEN-03: one that others keep from going goes after those. */
static void tree_that_is_refused_goes_though_its_entities_hold_each_other(void **state) {
    stoa_world *w = world_of(state);
    stoa_relation_new(w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Tie), .policy = STOA_REFUSE});
    stoa_veto_new(w, &(stoa_veto_desc){
                         .kind = STOA_VETO_SET, .type = STOA_TYPE_OF(Heat), .call = third_refuse});
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    for (int i = 1; i < 5; i++) {
        stoa_prefab_child(root, leaf);
        stoa_prefab_node_set(root, i, Tie, {stoa_prefab_node(i + 1)});
    }
    stoa_prefab_child(root, leaf);
    stoa_prefab_set(root, Tie, {stoa_prefab_node(1)});
    stoa_prefab_node_set(root, 5, Heat, {3});
    assert_true(stoa_entity_is_null(stoa_prefab_instantiate(root)));
    support_assert_message("too hot");
    assert_int_equal(stoa_count(w), 0);
}

static void last_destroy(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)user;
    assert_int_equal(stoa_destroy(w, ((const Link *)value)->to), STOA_OK);
}

/* PRE-04 HOK-04 */
static void entity_that_a_hook_destroys_before_its_turn_is_left_out(void **state) {
    stoa_world *w = world_of(state);
    stoa_on_set(w, Link, last_destroy, NULL);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    owned_set(leaf, 1);
    stoa_prefab_child(root, leaf);
    stoa_prefab_child(root, leaf);
    stoa_prefab_set(root, Link, {stoa_prefab_node(1)});
    stoa_entity e[NODES];
    tree_make(root, 3, e);
    assert_true(lives(state, e[0]));
    assert_false(lives(state, e[1]));
    assert_true(lives(state, e[2]));
    assert_int_equal(owners_alive, 2);
}

static void prefab_meddles(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    stoa_prefab *prefab = user;
    assert_int_equal(stoa_prefab_set(prefab, Health, {1}), STOA_LOCKED);
    assert_int_equal(stoa_prefab_free(prefab), STOA_LOCKED);
    assert_int_equal(stoa_prefab_child(prefab, prefab), -1);
    assert_int_equal(stoa_last_error().status, STOA_LOCKED);
    /* Others may be made, and instances of any. */
    stoa_prefab *other = stoa_prefab_new(w, NULL);
    assert_non_null(other);
    if (stoa_count(w) < 20) {
        assert_false(stoa_entity_is_null(stoa_prefab_instantiate(prefab)));
        assert_false(stoa_entity_is_null(stoa_prefab_instantiate(other)));
    }
}

/* PRE-04 HOK-04 */
static void prefabs_cannot_change_while_a_tree_is_made(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    owned_set(leaf, 1);
    stoa_prefab_add(leaf, Frozen);
    stoa_prefab_child(root, leaf);
    stoa_prefab_child(root, leaf);
    stoa_on_add(w, Frozen, prefab_meddles, root);
    stoa_prefab_instantiate(root);
    assert_true(stoa_count(w) >= 20);
    support_world *s = *state;
    s->asserts_seen = s->asserts;
    assert_int_equal(stoa_prefab_set(leaf, Health, {1}), STOA_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PREFAB_TEST(child_is_an_instance_of_its_prefab),
        PREFAB_TEST(references_become_the_entities_of_the_instance),
        PREFAB_TEST(references_are_found_in_nested_structs_and_arrays),
        PREFAB_TEST(nodes_are_never_handles_of_entities),
        PREFAB_TEST(references_of_nested_trees_go_by_their_own_numbers),
        PREFAB_TEST(variant_of_a_tree_overrides_and_extends_it),
        PREFAB_TEST(values_with_hooks_are_copied_and_their_references_replaced),
        PREFAB_TEST(many_trees_are_made_at_once),
        PREFAB_TEST(hooks_see_parents_first_and_no_dead_references),
        PREFAB_TEST(tree_of_which_one_is_refused_is_not_made),
        PREFAB_TEST(tree_that_is_refused_goes_though_its_entities_hold_each_other),
        PREFAB_TEST(entity_that_a_hook_destroys_before_its_turn_is_left_out),
        PREFAB_TEST(prefabs_cannot_change_while_a_tree_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

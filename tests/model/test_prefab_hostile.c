/* Misuse of prefabs, their limits, and what a hostile program could try. */
#include "prefab_fixture.h"

/* PRE-04 */
static void prefab_cannot_be_made_of_itself(void **state) {
    stoa_prefab *a = prefab_of(state), *b = prefab_of(state), *c = variant_of(state, b);
    assert_int_equal(stoa_prefab_child(a, a), -1);
    assert_int_equal(stoa_last_error().status, STOA_CYCLE);
    assert_int_equal(stoa_prefab_child(b, a), -1);
    assert_int_equal(stoa_last_error().status, STOA_REFUSED);
    /* Around a child, around a base, around both. */
    stoa_prefab *d = prefab_of(state), *e = prefab_of(state), *f = prefab_of(state);
    assert_int_equal(stoa_prefab_child(d, e), 1);
    assert_int_equal(stoa_prefab_child(e, f), 1);
    assert_int_equal(stoa_prefab_child(f, d), -1);
    assert_int_equal(stoa_last_error().status, STOA_CYCLE);
    assert_int_equal(stoa_prefab_child(c, a), 1);
    stoa_prefab *g = variant_of(state, c);
    assert_int_equal(stoa_prefab_child(a, g), -1);
    assert_int_equal(stoa_last_error().status, STOA_CYCLE);
    /* Twice by different ways is no cycle. */
    stoa_prefab *variant = variant_of(state, f);
    assert_int_equal(stoa_prefab_child(variant, f), 1);
    assert_int_equal(stoa_prefab_child(variant, d), 2);
    assert_int_equal(stoa_prefab_entity_count(variant), 5);
    assert_int_equal(stoa_prefab_entity_count(d), 3);
    assert_int_equal(stoa_prefab_entity_count(a), 1);
}

/* PRE-04 */
static void ten_thousand_variants_on_each_other_work(void **state) {
    enum { DEEP = 10000 };
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state), *lowest = p;
    stoa_prefab_set(p, Position, {1, 2, 3});
    for (int32_t i = 1; i < DEEP; i++) {
        p = variant_of(state, p);
        if (i % 100 == 0) {
            stoa_prefab_set(p, Health, {i});
        }
    }
    assert_int_equal(stoa_prefab_count(p), 2);
    assert_int_equal(stoa_prefab_get(p, Health)->points, DEEP - 100);
    stoa_entity e = stoa_prefab_instantiate(p);
    assert_float_equal(stoa_get(w, e, Position)->y, 2, 0);
    stoa_prefab_set(lowest, Position, {7, 7, 7});
    stoa_prefab_set(lowest, Velocity, {8, 8, 8});
    e = stoa_prefab_instantiate(p);
    assert_float_equal(stoa_get(w, e, Position)->y, 7, 0);
    assert_float_equal(stoa_get(w, e, Velocity)->y, 8, 0);
    assert_int_equal(stoa_get(w, e, Health)->points, DEEP - 100);
}

/* PRE-04 */
static void tree_of_ten_thousand_levels_works(void **state) {
    enum { DEEP = 10000 };
    static stoa_entity entities[DEEP];
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state);
    stoa_prefab_set(p, Link, {stoa_prefab_node(0)});
    for (int32_t i = 1; i < DEEP; i++) {
        stoa_prefab *above = prefab_of(state);
        assert_int_equal(stoa_prefab_child(above, p), 1);
        assert_int_equal(stoa_prefab_set(above, Link, {stoa_prefab_node(1)}), STOA_OK);
        p = above;
    }
    assert_int_equal(stoa_prefab_instantiate_tree(p, NULL, 0, entities, DEEP), STOA_OK);
    for (int32_t i = 0; i < DEEP - 1; i++) {
        assert_true(stoa_entity_eq(stoa_get(w, entities[i], Link)->to, entities[i + 1]));
    }
    assert_true(stoa_entity_eq(stoa_get(w, entities[DEEP - 1], Link)->to, entities[DEEP - 1]));
}

/* PRE-04 */
static void tree_that_doubles_at_each_level_meets_the_limit(void **state) {
    stoa_prefab *p = prefab_of(state);
    for (int i = 0; i < 40; i++) {
        stoa_prefab *above = prefab_of(state);
        assert_int_equal(stoa_prefab_child(above, p), 1);
        assert_int_equal(stoa_prefab_child(above, p), 2);
        p = above;
    }
    assert_int_equal(stoa_prefab_entity_count(p), -1);
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    assert_true(stoa_entity_is_null(stoa_prefab_instantiate(p)));
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    assert_int_equal(stoa_prefab_instantiate_bulk(p, 2, NULL, NULL, 0), STOA_LIMIT);
    assert_int_equal(stoa_count(world_of(state)), 0);
}

/* PRE-04 */
static void prefab_with_many_children_works(void **state) {
    enum { WIDE = 20000 };
    stoa_world *w = world_of(state);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    stoa_prefab_set(leaf, Position, {1, 2, 3});
    for (int32_t i = 1; i <= WIDE; i++) {
        assert_int_equal(stoa_prefab_child(root, leaf), i);
        assert_int_equal(stoa_prefab_node_set(root, i, Link, {stoa_prefab_node(i - 1)}), STOA_OK);
    }
    static stoa_entity entities[WIDE + 1];
    assert_int_equal(stoa_prefab_instantiate_tree(root, NULL, 0, entities, WIDE + 1), STOA_OK);
    for (int32_t i = 1; i <= WIDE; i++) {
        assert_true(stoa_entity_eq(stoa_get(w, entities[i], Link)->to, entities[i - 1]));
    }
    assert_int_equal(
        stoa_archetype_info_get(w, stoa_archetype_of(w, entities[1]), &(stoa_archetype_info){0}),
        STOA_OK);
}

/* PRE-04 */
static void reference_to_a_node_that_is_not_there_is_refused(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    assert_int_equal(stoa_prefab_set(root, Link, {stoa_prefab_node(1)}), STOA_OK);
    assert_true(stoa_entity_is_null(stoa_prefab_instantiate(root)));
    support_assert_misuse(*state, stoa_last_error().status, STOA_INVALID);
    support_assert_message("Link");
    /* A node that comes later will do. */
    stoa_prefab_child(root, leaf);
    assert_false(stoa_entity_is_null(stoa_prefab_instantiate(root)));
    const stoa_entity forged[] = {{UINT32_MAX, 0}, {(uint32_t)INT32_MAX + 1, 0}, {3, 0}};
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        stoa_prefab_set(root, Link, {forged[i]});
        assert_int_equal(stoa_prefab_count(root), -1);
        support_assert_misuse(*state, stoa_last_error().status, STOA_INVALID);
    }
    assert_int_equal(stoa_count(w), 2);
}

/* PRE-01 PRE-02 */
static void instance_of_too_many_components_is_refused(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *base = prefab_of(state), *p = variant_of(state, base);
    static stoa_value values[STOA_BUNDLE_MAX + 1];
    for (uint32_t i = 0; i <= STOA_BUNDLE_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "C%u", i);
        stoa_component id =
            stoa_component_register(w, &(stoa_component_desc){.name = name, .size = 4});
        values[i] = (stoa_value){.id = id};
    }
    assert_int_equal(stoa_prefab_set_values(base, values, STOA_BUNDLE_MAX + 1), STOA_LIMIT);
    assert_int_equal(stoa_prefab_set_values(base, values, STOA_BUNDLE_MAX), STOA_OK);
    assert_int_equal(stoa_prefab_count(p), STOA_BUNDLE_MAX);
    assert_false(stoa_entity_is_null(stoa_prefab_instantiate(p)));
    assert_true(
        stoa_entity_is_null(stoa_prefab_instantiate_values(p, &values[STOA_BUNDLE_MAX], 1)));
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    assert_int_equal(stoa_prefab_set_values(p, &values[STOA_BUNDLE_MAX], 1), STOA_OK);
    assert_true(stoa_entity_is_null(stoa_prefab_instantiate(p)));
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    assert_int_equal(stoa_prefab_remove_id(p, values[7].id), STOA_OK);
    assert_false(stoa_entity_is_null(stoa_prefab_instantiate(p)));
    assert_int_equal(stoa_prefab_instantiate_bulk(p, 3, NULL, NULL, 0), STOA_OK);
    assert_int_equal(stoa_count(w), 5);
}

/* PRE-01 */
static void null_arguments_are_errors(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_prefab *p = prefab_of(state);
    stoa_component id = stoa_id(w, Health);
    stoa_entity e;
    assert_null(stoa_prefab_new(NULL, NULL));
    assert_null(stoa_prefab_from(NULL, STOA_NULL, NULL));
    assert_null(stoa_prefab_copy(NULL, NULL));
    assert_null(stoa_prefab_find(NULL, "x"));
    assert_null(stoa_prefab_find(w, NULL));
    assert_null(stoa_prefab_next(NULL, NULL));
    assert_null(stoa_prefab_name(NULL));
    assert_null(stoa_prefab_base(NULL));
    assert_int_equal(stoa_prefab_set_values(NULL, NULL, 0), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_prefab_set_id(NULL, id, &e, 4), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_prefab_set_type(NULL, STOA_TYPE_OF(Health), &e), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_prefab_add_id(NULL, id), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_prefab_add(NULL, Health), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_prefab_remove_id(NULL, id), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_prefab_remove(NULL, Health), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_prefab_revert_id(NULL, id), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_prefab_revert(NULL, Health), STOA_NULL_ARGUMENT);
    assert_false(stoa_prefab_has(NULL, Health));
    assert_null(stoa_prefab_get(NULL, Health));
    assert_int_equal(stoa_prefab_count(NULL), -1);
    assert_int_equal(stoa_prefab_component(NULL, 0), 0);
    assert_int_equal(stoa_prefab_child(NULL, p), -1);
    assert_int_equal(stoa_prefab_child(p, NULL), -1);
    assert_int_equal(stoa_prefab_node_count(NULL), 0);
    assert_null(stoa_prefab_node_prefab(NULL, 0));
    assert_int_equal(stoa_prefab_entity_count(NULL), -1);
    assert_true(stoa_entity_is_null(stoa_prefab_instantiate(NULL)));
    assert_true(stoa_entity_is_null(stoa_prefab_instantiate_values(NULL, NULL, 0)));
    assert_int_equal(stoa_prefab_instantiate_bulk(NULL, 1, NULL, NULL, 0), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_prefab_instantiate_tree(NULL, NULL, 0, &e, 1), STOA_NULL_ARGUMENT);
    s->asserts_seen = s->asserts;
    support_assert_misuse(s, stoa_prefab_set_values(p, NULL, 1), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_prefab_set_id(p, id, NULL, 4), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_prefab_set_type(p, NULL, &e), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_prefab_set_type(p, STOA_TYPE_OF(Health), NULL),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_prefab_add_type(p, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_prefab_remove_type(p, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_prefab_revert_type(p, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_prefab_instantiate_tree(p, NULL, 0, NULL, 1), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_prefab_instantiate_bulk(p, 1, NULL, NULL, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_count(w), 0);
}

/* PRE-01 PRE-02 */
static void arguments_out_of_range_are_errors(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_prefab *p = prefab_of(state), *root = prefab_of(state);
    stoa_prefab_child(root, p);
    stoa_prefab_set(p, Health, {1});
    stoa_component id = stoa_id(w, Health);
    Health value = {1};
    stoa_entity e[2];
    support_assert_misuse(s, stoa_prefab_set_id(p, id, &value, 5), STOA_INVALID);
    support_assert_misuse(s, stoa_prefab_set_id(p, 9999, &value, 4), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_prefab_add_id(p, 9999), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_prefab_remove_id(p, 0), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_prefab_set_values(p, NULL, -1), STOA_INVALID);
    support_assert_misuse(
        s, stoa_prefab_set_values(p, &(stoa_value){.id = id, .op = STOA_PUT_SAME}, 1),
        STOA_INVALID);
    support_assert_misuse(s, stoa_prefab_node_set(p, 1, Health, {1}), STOA_INVALID);
    support_assert_misuse(s, stoa_prefab_node_set(root, -1, Health, {1}), STOA_INVALID);
    support_assert_misuse(s, stoa_prefab_node_revert_id(root, 2, id), STOA_INVALID);
    assert_false(stoa_prefab_node_has(root, 2, Health));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_int_equal(stoa_prefab_component(p, 1), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    support_assert_misuse(s, stoa_prefab_instantiate_tree(root, NULL, 0, e, 1), STOA_INVALID);
    support_assert_misuse(s, stoa_prefab_instantiate_bulk(p, -1, NULL, NULL, 0), STOA_INVALID);
    support_assert_misuse(s, stoa_prefab_instantiate_bulk(root, -1, NULL, NULL, 0), STOA_INVALID);
    support_assert_misuse(s, stoa_prefab_instantiate_bulk(p, 1, NULL, NULL, -1), STOA_INVALID);
    assert_int_equal(stoa_prefab_instantiate_bulk(root, INT32_MAX, NULL, NULL, 0), STOA_LIMIT);
    const stoa_value unknown = {.id = 9999}, same = {.id = id, .op = STOA_PUT_SAME};
    support_assert_misuse(s, stoa_prefab_instantiate_bulk(p, 1, NULL, &unknown, 1), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_prefab_instantiate_tree(root, &same, 1, e, 2), STOA_INVALID);
    support_assert_misuse(
        s,
        stoa_prefab_instantiate_tree(
            root, STOA_VALUES(STOA_VALUE(Health, {1}), STOA_VALUE(Health, {2})), e, 2),
        STOA_DUPLICATE);
    support_assert_misuse(
        s,
        stoa_prefab_instantiate_bulk(p, 1, NULL,
                                     STOA_VALUES(STOA_REMOVE(Health), STOA_VALUE(Health, {2}))),
        STOA_DUPLICATE);
    assert_int_equal(stoa_prefab_instantiate_bulk(p, INT32_MAX, NULL, NULL, 0), STOA_LIMIT);
    assert_int_equal(stoa_prefab_instantiate_bulk(p, STOA_ENTITY_MAX, NULL, NULL, 0),
                     STOA_NO_MEMORY);
    assert_int_equal(stoa_count(w), 0);
}

/* PRE-04 */
static void prefabs_of_other_worlds_are_refused(void **state) {
    support_world other;
    support_world_open(&other);
    stoa_prefab *p = prefab_of(state), *foreign = stoa_prefab_new(other.world, NULL);
    assert_int_equal(stoa_prefab_child(p, foreign), -1);
    support_assert_misuse(*state, stoa_last_error().status, STOA_INVALID);
    assert_null(stoa_prefab_new(world_of(state), &(stoa_prefab_desc){.base = foreign}));
    support_assert_misuse(*state, stoa_last_error().status, STOA_INVALID);
    assert_null(stoa_prefab_next(other.world, p));
    support_world_close(&other);
}

/* PRE-03 GEN-05 */
static void freed_prefab_is_noticed_in_a_debug_build(void **state) {
#ifdef STOA_DEBUG
    stoa_prefab *p = prefab_of(state), *root = prefab_of(state);
    stoa_prefab_set(p, Health, {1});
    stoa_prefab_instantiate(p);
    stoa_prefab_free(p);
    support_assert_misuse(*state, stoa_prefab_set(p, Health, {2}), STOA_FREED);
    support_assert_misuse(*state, stoa_prefab_free(p), STOA_FREED);
    assert_true(stoa_entity_is_null(stoa_prefab_instantiate(p)));
    support_assert_misuse(*state, stoa_last_error().status, STOA_FREED);
    assert_int_equal(stoa_prefab_child(root, p), -1);
    support_assert_misuse(*state, stoa_last_error().status, STOA_FREED);
    assert_null(stoa_prefab_new(world_of(state), &(stoa_prefab_desc){.base = p}));
    support_assert_misuse(*state, stoa_last_error().status, STOA_FREED);
    assert_false(stoa_prefab_has(p, Health));
    support_assert_misuse(*state, stoa_last_error().status, STOA_FREED);
#else
    (void)state;
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PREFAB_TEST(prefab_cannot_be_made_of_itself),
        PREFAB_TEST(ten_thousand_variants_on_each_other_work),
        PREFAB_TEST(tree_of_ten_thousand_levels_works),
        PREFAB_TEST(tree_that_doubles_at_each_level_meets_the_limit),
        PREFAB_TEST(prefab_with_many_children_works),
        PREFAB_TEST(reference_to_a_node_that_is_not_there_is_refused),
        PREFAB_TEST(instance_of_too_many_components_is_refused),
        PREFAB_TEST(null_arguments_are_errors),
        PREFAB_TEST(arguments_out_of_range_are_errors),
        PREFAB_TEST(prefabs_of_other_worlds_are_refused),
        PREFAB_TEST(freed_prefab_is_noticed_in_a_debug_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

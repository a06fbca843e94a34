/* Instances that are recorded into command buffers. */
#include "prefab_fixture.h"

#define NODES 16

/* PRE-02 CMD-03 */
static void recorded_instance_lives_after_the_flush(void **state) {
    stoa_world *w = world_of(state);
    stoa_commands *c = stoa_deferred(w);
    stoa_prefab *p = prefab_of(state);
    stoa_prefab_set(p, Health, {4});
    owned_set(p, 7);
    stoa_entity e = stoa_commands_instantiate(c, p, NULL, 0);
    stoa_entity f = stoa_commands_instantiate_with(c, p, STOA_VALUE(Health, {5}),
                                                   STOA_VALUE(Velocity, {1, 2, 3}));
    stoa_commands_add(c, e, Frozen);
    assert_false(stoa_entity_is_null(e));
    assert_false(lives(state, e));
    /* What counts is what the prefab has when it is recorded. */
    stoa_prefab_set(p, Health, {9});
    stoa_prefab_free(p);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_get(w, e, Health)->points, 4);
    assert_int_equal(stoa_get(w, e, Owned)->number, 7);
    assert_true(stoa_has(w, e, Frozen));
    assert_int_equal(stoa_get(w, f, Health)->points, 5);
    assert_float_equal(stoa_get(w, f, Velocity)->z, 3, 0);
    assert_int_equal(stoa_count(w), 2);
    assert_int_equal(owners_alive, 2);
}

/* PRE-04 CMD-03 */
static void recorded_tree_has_its_handles_at_once(void **state) {
    stoa_world *w = world_of(state);
    stoa_commands *c = stoa_commands_new(w);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    owned_set(leaf, 7);
    int32_t a = stoa_prefab_child(root, leaf), b = stoa_prefab_child(root, leaf);
    stoa_prefab_node_set(root, a, Link, {stoa_prefab_node(0)});
    stoa_prefab_node_set(root, b, Link, {stoa_prefab_node(b)});
    stoa_prefab_set(root, Pair, {1, {stoa_prefab_node(a), stoa_prefab_node(b)}});
    Owned given;
    owner_make(&given, 3);
    stoa_entity e[NODES];
    assert_int_equal(stoa_commands_instantiate_tree(
                         c, root, STOA_VALUES(STOA_VALUE_FROM(Owned, &given)), e, NODES),
                     STOA_OK);
    assert_int_equal(given.number, -1);
    stoa_entity other = stoa_commands_instantiate(c, root, NULL, 0);
    assert_int_equal(stoa_count(w), 0);
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_equal(stoa_count(w), 6);
    assert_true(stoa_entity_eq(stoa_get(w, e[a], Link)->to, e[0]));
    assert_true(stoa_entity_eq(stoa_get(w, e[b], Link)->to, e[b]));
    assert_true(stoa_entity_eq(stoa_get(w, e[0], Pair)->both[0], e[a]));
    assert_int_equal(stoa_get(w, e[0], Owned)->number, 3);
    stoa_entity child = stoa_get(w, other, Pair)->both[0];
    assert_true(stoa_entity_eq(stoa_get(w, child, Link)->to, other));
    assert_int_equal(owners_alive, 1 + 3 + 2);
}

/* PRE-02 CMD-05 CMD-08 */
static void discarded_instance_drops_its_values(void **state) {
    stoa_world *w = world_of(state);
    stoa_commands *c = stoa_commands_new(w);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    owned_set(leaf, 7);
    stoa_prefab_child(root, leaf);
    stoa_prefab_set(root, Link, {stoa_prefab_node(1)});
    stoa_commands_instantiate(c, root, NULL, 0);
    stoa_commands_instantiate(c, leaf, NULL, 0);
    assert_int_equal(owners_alive, 3);
    assert_int_equal(stoa_commands_clear(c), STOA_OK);
    assert_int_equal(owners_alive, 1);
    stoa_commands_instantiate(c, root, NULL, 0);
    assert_int_equal(owners_alive, 2);
}

/* PRE-02 CMD-04 */
static void instances_are_recorded_while_the_world_is_iterated(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    stoa_prefab_set(root, Health, {1});
    stoa_prefab_child(root, leaf);
    stoa_prefab_instantiate(root);
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        assert_false(
            stoa_entity_is_null(stoa_commands_instantiate(stoa_deferred(w), root, NULL, 0)));
        assert_true(stoa_entity_is_null(stoa_prefab_instantiate(root)));
        support_assert_misuse(*state, stoa_last_error().status, STOA_ITERATING);
        assert_true(stoa_entity_is_null(stoa_prefab_instantiate(leaf)));
        support_assert_misuse(*state, stoa_last_error().status, STOA_ITERATING);
        support_assert_misuse(*state, stoa_prefab_instantiate_bulk(root, 2, NULL, NULL, 0),
                              STOA_ITERATING);
        support_assert_misuse(*state, stoa_prefab_instantiate_bulk(leaf, 2, NULL, NULL, 0),
                              STOA_ITERATING);
    }
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_count(w), 4);
}

/* PRE-02 PRE-03 GEN-03 */
static void recording_that_fails_records_nothing(void **state) {
    stoa_world *w = world_of(state);
    stoa_commands *c = stoa_commands_new(w);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    owned_set(leaf, 7);
    stoa_prefab_child(root, leaf);
    stoa_prefab_child(root, leaf);
    stoa_commands_instantiate(c, leaf, NULL, 0);
    int32_t alive = owners_alive;
    owners_copies = 1;
    assert_true(stoa_entity_is_null(stoa_commands_instantiate(c, root, NULL, 0)));
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    owners_copies = -1;
    assert_int_equal(owners_alive, alive);
    assert_int_equal(stoa_commands_count(c), 1);
    Unique unique;
    owner_make(&unique, 3);
    assert_true(stoa_entity_is_null(
        stoa_commands_instantiate_with(c, root, STOA_VALUE_FROM(Unique, &unique))));
    assert_int_equal(stoa_last_error().status, STOA_NOT_COPYABLE);
    assert_int_equal(stoa_commands_count(c), 1);
    /* One entity alone takes what cannot be copied. */
    assert_false(stoa_entity_is_null(
        stoa_commands_instantiate_with(c, leaf, STOA_VALUE_FROM(Unique, &unique))));
    assert_int_equal(unique.number, -1);
}

/* PRE-02 CMD-06 */
static void forked_buffers_record_instances(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    owned_set(leaf, 7);
    stoa_prefab_child(root, leaf);
    stoa_prefab_node_set(root, 1, Link, {stoa_prefab_node(0)});
    stoa_commands *buffers[2] = {stoa_commands_new(w), stoa_commands_new(w)};
    for (int round = 0; round < 3; round++) {
        assert_int_equal(stoa_commands_fork(w, buffers, 2), STOA_OK);
        stoa_entity e = stoa_commands_instantiate(buffers[1], root, NULL, 0);
        /* A failure gives the handles back. */
        stoa_commands_mark mark = stoa_commands_mark_get(buffers[0]);
        stoa_commands_instantiate(buffers[0], root, NULL, 0);
        assert_int_equal(stoa_commands_rewind(buffers[0], mark), STOA_OK);
        stoa_entity f = stoa_commands_instantiate(buffers[0], root, NULL, 0);
        assert_int_equal(stoa_commands_join(w), STOA_OK);
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_int_equal(stoa_commands_flush(buffers[0]), STOA_OK);
        assert_int_equal(stoa_commands_flush(buffers[1]), STOA_OK);
        assert_true(lives(state, e));
        assert_true(lives(state, f));
        assert_int_equal(stoa_count(w), 4 * (round + 1));
    }
}

/* PRE-02 */
static void recording_refuses_what_does_not_fit(void **state) {
    support_world *s = *state;
    stoa_world *w = world_of(state);
    stoa_commands *c = stoa_deferred(w);
    stoa_prefab *p = prefab_of(state), *root = prefab_of(state);
    stoa_prefab_child(root, p);
    stoa_entity e[2];
    assert_true(stoa_entity_is_null(stoa_commands_instantiate(NULL, p, NULL, 0)));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_true(stoa_entity_is_null(stoa_commands_instantiate(c, NULL, NULL, 0)));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    s->asserts_seen = s->asserts;
    support_assert_misuse(s, stoa_commands_instantiate_tree(c, root, NULL, 0, e, 1), STOA_INVALID);
    support_assert_misuse(s, stoa_commands_instantiate_tree(c, root, NULL, 0, NULL, 2),
                          STOA_NULL_ARGUMENT);
    assert_true(stoa_entity_is_null(stoa_commands_instantiate(c, root, NULL, 1)));
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    support_world other;
    support_world_open(&other);
    assert_true(
        stoa_entity_is_null(stoa_commands_instantiate(stoa_deferred(other.world), p, NULL, 0)));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    support_world_close(&other);
    assert_int_equal(stoa_commands_count(c), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PREFAB_TEST(recorded_instance_lives_after_the_flush),
        PREFAB_TEST(recorded_tree_has_its_handles_at_once),
        PREFAB_TEST(discarded_instance_drops_its_values),
        PREFAB_TEST(instances_are_recorded_while_the_world_is_iterated),
        PREFAB_TEST(recording_that_fails_records_nothing),
        PREFAB_TEST(forked_buffers_record_instances),
        PREFAB_TEST(recording_refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

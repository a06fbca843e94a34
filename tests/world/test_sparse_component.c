/* Sparse components by handle: they move nothing, and everything that an entity goes through
 * reaches them. */
#include "support/support.h"

#include "storage/storage.h"

typedef struct count {
    int drops, copies, copies_allowed;
} count;

static count counted;

static void counted_drop(void *items, int32_t n, void *user) {
    (void)items;
    ((count *)user)->drops += n;
}

static void counted_move(void *to, void *from, int32_t n, void *user) {
    (void)user;
    memcpy(to, from, (size_t)n * 8);
    memset(from, 0xee, (size_t)n * 8);
}

static bool counted_copy(void *to, const void *from, int32_t n, void *user) {
    count *c = user;
    if (c->copies_allowed == 0) {
        return false;
    }
    c->copies_allowed--;
    c->copies += n;
    memcpy(to, from, (size_t)n * 8);
    return true;
}

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT_WITH(Poison, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t strength, left; });
STOA_TAG_WITH(Marked, STOA_OPTIONS(.flags = STOA_SPARSE));
STOA_COMPONENT_WITH(Shield, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { float power; });
STOA_COMPONENT_WITH(Owned,
                    STOA_OPTIONS(.flags = STOA_SPARSE, .hooks = {counted_drop, counted_move,
                                                                 counted_copy, &counted, NULL}),
                    { uint64_t token; });
STOA_COMPONENT_WITH(Second,
                    STOA_OPTIONS(.flags = STOA_SPARSE, .hooks = {counted_drop, counted_move,
                                                                 counted_copy, &counted, NULL}),
                    { uint64_t token; });
STOA_COMPONENT_WITH(Alone,
                    STOA_OPTIONS(.flags = STOA_SPARSE,
                                 .hooks = {.drop = counted_drop, .user = &counted}),
                    { uint64_t token; });

static int counted_setup(void **state) {
    counted = (count){.copies_allowed = 1000};
    return support_setup(state);
}

/* CMP-10: the entity stays in its archetype and row. */
static void sparse_component_comes_and_goes_without_a_move(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[3];
    for (int i = 0; i < 3; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Position, {(float)i, 0}));
    }
    int32_t archetype = stoa_archetype_of(w, e[1]), archetypes = stoa_archetype_count(w);
    const Position *before = stoa_get(w, e[1], Position);
    assert_false(stoa_has(w, e[1], Poison));
    assert_int_equal(stoa_set(w, e[1], Poison, {7, 3}), STOA_OK);
    assert_int_equal(stoa_add(w, e[1], Marked), STOA_OK);
    assert_int_equal(stoa_archetype_of(w, e[1]), archetype);
    assert_int_equal(stoa_archetype_count(w), archetypes);
    assert_ptr_equal(stoa_get(w, e[1], Position), before);
    assert_true(stoa_has(w, e[1], Poison));
    assert_true(stoa_has(w, e[1], Marked));
    assert_int_equal(stoa_get(w, e[1], Poison)->strength, 7);
    assert_int_equal(stoa_try_get(w, e[1], Poison)->left, 3);
    assert_null(stoa_try_get(w, e[0], Poison));
    assert_non_null(stoa_get(w, e[1], Marked));
    assert_int_equal(stoa_set(w, e[1], Poison, {8, 2}), STOA_OK);
    assert_int_equal(stoa_get(w, e[1], Poison)->strength, 8);
    stoa_get_mut(w, e[1], Poison)->strength = 9;
    assert_int_equal(stoa_try_get_mut(w, e[1], Poison)->strength, 9);
    assert_int_equal(stoa_add(w, e[1], Poison), STOA_OK);
    assert_int_equal(stoa_get(w, e[1], Poison)->strength, 9);
    assert_int_equal(stoa_remove(w, e[1], Poison), STOA_OK);
    assert_int_equal(stoa_remove(w, e[1], Poison), STOA_OK);
    assert_false(stoa_has(w, e[1], Poison));
    assert_int_equal(stoa_add(w, e[1], Poison), STOA_OK);
    assert_int_equal(stoa_get(w, e[1], Poison)->strength, 0);
    assert_ptr_equal(stoa_get(w, e[1], Position), before);
}

/* CMP-10 ACC-08: by id and by name as well. */
static void sparse_component_is_reached_by_id_and_name(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_component_register(
        w,
        &(stoa_component_desc){.name = "Heat", .fields = "{ int degrees; }", .flags = STOA_SPARSE});
    stoa_entity e = stoa_create(w);
    int value = 5;
    assert_false(stoa_has_named(w, e, "Heat"));
    assert_int_equal(stoa_set_named(w, e, "Heat", &value, sizeof value), STOA_OK);
    assert_true(stoa_has_id(w, e, id));
    assert_int_equal(*(const int *)stoa_get_id(w, e, id), 5);
    *(int *)stoa_get_mut_named(w, e, "Heat") = 6;
    assert_int_equal(*(const int *)stoa_get_named(w, e, "Heat"), 6);
    *(int *)stoa_try_get_mut_id(w, e, id) = 7;
    assert_int_equal(*(const int *)stoa_try_get_id(w, e, id), 7);
    assert_int_equal(stoa_remove_named(w, e, "Heat"), STOA_OK);
    assert_int_equal(stoa_add_id(w, e, id), STOA_OK);
    assert_int_equal(*(const int *)stoa_get_id(w, e, id), 0);
    stoa_component_info info;
    assert_int_equal(stoa_component_info_get(w, id, &info), STOA_OK);
    assert_int_equal(info.flags, STOA_SPARSE);
}

/* CMP-10 ENT-06 ENT-07 ACC-06: bundles, bulk and changes mix both kinds. */
static void bundles_and_changes_mix_sparse_and_columns(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Poison, {1, 2}), STOA_VALUE(Position, {3, 4}),
                                     STOA_ZERO(Marked));
    assert_int_equal(stoa_get(w, e, Poison)->left, 2);
    assert_true(stoa_get(w, e, Position)->y == 4);
    assert_true(stoa_has(w, e, Marked));
    stoa_entity lone = stoa_create_with(w, STOA_VALUE(Poison, {5, 6}));
    assert_int_equal(stoa_get(w, lone, Poison)->left, 6);
    assert_int_equal(stoa_archetype_of(w, lone), 0);
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Marked), STOA_REMOVE(Position),
                                 STOA_VALUE(Poison, {7, 8}), STOA_VALUE(Shield, {0.5f})),
                     STOA_OK);
    assert_false(stoa_has(w, e, Marked));
    assert_false(stoa_has(w, e, Position));
    assert_int_equal(stoa_get(w, e, Poison)->strength, 7);
    assert_true(stoa_get(w, e, Shield)->power == 0.5f);
    Poison poisons[100];
    Position positions[100];
    for (int i = 0; i < 100; i++) {
        poisons[i] = (Poison){i, -i};
        positions[i] = (Position){(float)i, 1};
    }
    stoa_entity many[100];
    assert_int_equal(stoa_create_bulk(w, 100, many, STOA_COLUMN(Poison, poisons),
                                      STOA_COLUMN(Position, positions), STOA_ZERO(Marked)),
                     STOA_OK);
    assert_int_equal(stoa_create_bulk(w, 100, NULL, STOA_COLUMN(Poison, poisons)), STOA_OK);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(stoa_get(w, many[i], Poison)->left, -i);
        assert_true(stoa_get(w, many[i], Position)->x == (float)i);
        assert_true(stoa_has(w, many[i], Marked));
    }
    stoa_sparse_info info;
    assert_int_equal(stoa_sparse_info_get(w, stoa_id(w, Poison), &info), STOA_OK);
    assert_int_equal(info.count, 202);
    assert_true(stoa_entity_eq(info.entities[1], lone));
    assert_int_equal(((const Poison *)info.values)[1].strength, 5);
}

/* ENT-09 CMP-11: destroy and clear reach sparse sets, and drop each value once. */
static void destroy_and_clear_reach_sparse_components(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[4];
    for (int i = 0; i < 4; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Owned, {(uint64_t)i}), STOA_ZERO(Marked));
    }
    assert_int_equal(stoa_set(w, e[3], Position, {1, 1}), STOA_OK);
    assert_int_equal(stoa_destroy(w, e[0]), STOA_OK);
    assert_int_equal(counted.drops, 1);
    assert_int_equal(stoa_clear(w, e[3]), STOA_OK);
    assert_int_equal(counted.drops, 2);
    assert_true(stoa_alive(w, e[3]));
    assert_false(stoa_has(w, e[3], Owned));
    assert_false(stoa_has(w, e[3], Marked));
    assert_int_equal(stoa_get(w, e[1], Owned)->token, 1);
    assert_int_equal(stoa_get(w, e[2], Owned)->token, 2);
    /* The slot is used again: the new tenant must not inherit. */
    stoa_entity heir = stoa_create(w);
    assert_int_equal(heir.index, e[0].index);
    assert_false(stoa_has(w, heir, Owned));
    assert_int_equal(stoa_set(w, e[1], Owned, {11}), STOA_OK);
    assert_int_equal(counted.drops, 3);
    assert_int_equal(stoa_remove(w, e[1], Owned), STOA_OK);
    assert_int_equal(counted.drops, 4);
}

/* CMP-11: freeing the world drops what is left. */
static void freed_world_drops_sparse_components(void **state) {
    (void)state;
    counted = (count){.copies_allowed = 0};
    support_world s;
    support_world_open(&s);
    for (int i = 0; i < 50; i++) {
        stoa_create_with(s.world, STOA_VALUE(Owned, {1}));
    }
    support_world_close(&s);
    assert_int_equal(counted.drops, 50);
}

/* ENT-11: the copy has copies of sparse components, switched as they are. */
static void clone_copies_sparse_components(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Owned, {4}), STOA_VALUE(Position, {1, 2}),
                                     STOA_VALUE(Shield, {9}), STOA_ZERO(Marked));
    assert_int_equal(stoa_enable(w, e, Shield, false), STOA_OK);
    stoa_entity copy = stoa_clone(w, e);
    assert_int_equal(counted.copies, 1);
    assert_int_equal(stoa_get(w, copy, Owned)->token, 4);
    assert_true(stoa_get(w, copy, Position)->y == 2);
    assert_true(stoa_get(w, copy, Shield)->power == 9);
    assert_false(stoa_enabled(w, copy, Shield));
    assert_true(stoa_has(w, copy, Marked));
    stoa_entity bare = stoa_create_with(w, STOA_VALUE(Poison, {1, 1}));
    assert_int_equal(stoa_get(w, stoa_clone(w, bare), Poison)->left, 1);
}

/* ENT-11 GEN-03: a copy hook that fails leaves everything as it was. */
static void failing_copy_hook_undoes_a_clone(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Owned, {4}), STOA_VALUE(Second, {5}),
                                     STOA_VALUE(Position, {1, 2}));
    uint64_t hash = stoa_hash(w);
    for (int allowed = 0; allowed < 2; allowed++) {
        counted.copies_allowed = allowed;
        counted.drops = 0;
        assert_true(stoa_entity_is_null(stoa_clone(w, e)));
        assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
        support_assert_message(allowed == 0 ? "'Owned'" : "'Second'");
        assert_int_equal(counted.drops, allowed);
        assert_int_equal(stoa_hash(w), hash);
        assert_int_equal(stoa_check(w), STOA_OK);
    }
    counted.copies_allowed = 2;
    assert_false(stoa_entity_is_null(stoa_clone(w, e)));
    stoa_entity alone = stoa_create_with(w, STOA_VALUE(Alone, {1}));
    assert_true(stoa_entity_is_null(stoa_clone(w, alone)));
    assert_int_equal(stoa_last_error().status, STOA_NOT_COPYABLE);
    support_assert_message("'Alone'");
}

/* CMP-10 GEN-05: values may be another entity's, or the entity's own. */
static void value_may_point_into_its_own_set(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity first = stoa_create_with(w, STOA_VALUE(Poison, {123, 456}));
    for (int i = 0; i < 300; i++) {
        stoa_entity e = stoa_create(w);
        assert_int_equal(stoa_set_from(w, e, Poison, stoa_get(w, first, Poison)), STOA_OK);
        assert_int_equal(stoa_get(w, e, Poison)->left, 456);
    }
    assert_int_equal(stoa_set_from(w, first, Poison, stoa_get(w, first, Poison)), STOA_OK);
    assert_int_equal(stoa_get(w, first, Poison)->strength, 123);
    assert_int_equal(stoa_change(w, first, STOA_VALUE_FROM(Poison, stoa_get(w, first, Poison)),
                                 STOA_ZERO(Marked)),
                     STOA_OK);
    assert_int_equal(stoa_get(w, first, Poison)->strength, 123);
    /* However full the set is, a value set to itself stays. */
    stoa_entity owner[64];
    for (uint64_t i = 0; i < 64; i++) {
        owner[i] = stoa_create_with(w, STOA_VALUE(Owned, {i}));
        assert_int_equal(stoa_set_from(w, owner[i], Owned, stoa_get(w, owner[i], Owned)), STOA_OK);
        assert_int_equal(
            stoa_change(w, owner[i], STOA_VALUE_FROM(Owned, stoa_get(w, owner[i], Owned))),
            STOA_OK);
        assert_int_equal(stoa_get(w, owner[i], Owned)->token, i);
    }
    assert_int_equal(counted.drops, 0);
}

/* CMP-10 STO-11: what is sparse counts in the hash, in its order. */
static void hash_knows_sparse_components(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity a = stoa_create(w), b = stoa_create(w);
    uint64_t none = stoa_hash(w);
    assert_int_equal(stoa_set(w, a, Poison, {1, 1}), STOA_OK);
    assert_int_equal(stoa_set(w, b, Poison, {2, 2}), STOA_OK);
    uint64_t first = stoa_hash(w);
    assert_int_not_equal(first, none);
    stoa_get_mut(w, a, Poison)->left = 2;
    assert_int_not_equal(stoa_hash(w), first);
    stoa_get_mut(w, a, Poison)->left = 1;
    assert_int_equal(stoa_hash(w), first);
    assert_int_equal(stoa_remove(w, a, Poison), STOA_OK);
    assert_int_equal(stoa_set(w, a, Poison, {1, 1}), STOA_OK);
    assert_int_not_equal(stoa_hash(w), first);
    assert_int_equal(stoa_remove(w, a, Poison), STOA_OK);
    assert_int_equal(stoa_remove(w, b, Poison), STOA_OK);
    assert_int_equal(stoa_hash(w), none);
}

/* CMP-10 QRY-06: it is a structural change, so iteration refuses it; overwriting is none. */
static void iteration_refuses_to_add_or_remove_sparse_components(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Poison, {1, 1}), STOA_ZERO(Position));
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        support_assert_misuse(s, stoa_add(w, e, Marked), STOA_ITERATING);
        support_assert_misuse(s, stoa_remove(w, e, Poison), STOA_ITERATING);
        assert_int_equal(stoa_set(w, e, Poison, {2, 2}), STOA_OK);
        assert_int_equal(stoa_remove(w, e, Marked), STOA_OK);
    }
    assert_int_equal(stoa_get(w, e, Poison)->left, 2);
    assert_false(stoa_has(w, e, Marked));
}

/* CMP-10 ACC-01 ACC-10: dead entities and missing components are told. */
static void misuse_of_sparse_components_is_told(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Poison, {1, 1})), none = stoa_create(w);
    assert_null(stoa_get(w, none, Poison));
    support_assert_misuse(s, stoa_last_error().status, STOA_MISSING);
    support_assert_message("'Poison'");
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    assert_false(stoa_has(w, e, Poison));
    assert_null(stoa_try_get(w, e, Poison));
    support_assert_quiet(s);
    support_assert_misuse(s, stoa_set(w, e, Poison, {1, 1}), STOA_DEAD);
    support_assert_misuse(s, stoa_add(w, e, Marked), STOA_DEAD);
    support_assert_misuse(s, stoa_remove(w, e, Poison), STOA_DEAD);
    stoa_sparse_info info;
    support_assert_misuse(s, stoa_sparse_info_get(w, stoa_id(w, Position), &info), STOA_INVALID);
    support_assert_misuse(s, stoa_sparse_info_get(w, 99, &info), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_sparse_info_get(w, stoa_id(w, Poison), NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_sparse_info_get(NULL, 1, &info), STOA_NULL_ARGUMENT);
}

/* CMP-10 STO-06: reserving makes creation free of memory; compacting gives back. */
static void sparse_sets_are_reserved_and_compacted(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_int_equal(stoa_reserve(w, 5000, STOA_ZERO(Poison), STOA_ZERO(Position)), STOA_OK);
    size_t allocations = s->heap.allocations;
    stoa_entity first = STOA_NULL;
    for (int i = 0; i < 5000; i++) {
        stoa_entity e = stoa_create_with(w, STOA_VALUE(Poison, {i, i}), STOA_ZERO(Position));
        first = i == 0 ? e : first;
    }
    assert_int_equal(s->heap.allocations, allocations);
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_FILTER(Position)}});
    for (stoa_entity e = stoa_entity_next(w, first); e.index != 0; e = stoa_entity_next(w, e)) {
        assert_int_equal(stoa_destroy(w, e), STOA_OK);
    }
    size_t before = s->heap.bytes;
    assert_int_equal(stoa_compact(w), STOA_OK);
    assert_true(s->heap.bytes + 5000 * sizeof(Poison) < before);
    assert_int_equal(stoa_get(w, first, Poison)->left, 0);
    assert_int_equal(stoa_query_free(q), STOA_OK);
}

static void hook_count(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)value;
    ++*(int *)user;
}

static void hooks_that_come_late_are_told_of_sparse_components(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity a = stoa_create(w), b = stoa_create(w);
    int told = 0;
    assert_int_equal(stoa_set(w, a, Poison, {1, 2}), STOA_OK);
    assert_int_equal(stoa_set(w, b, Poison, {3, 4}), STOA_OK);
    assert_int_equal(stoa_remove(w, b, Poison), STOA_OK);
    stoa_hook added = stoa_on_add(w, Poison, hook_count, &told);
    stoa_hook removed = stoa_on_remove(w, Poison, hook_count, &told);
    assert_int_equal(stoa_set(w, b, Poison, {5, 6}), STOA_OK);
    assert_int_equal(told, 1);
    assert_int_equal(stoa_remove(w, a, Poison), STOA_OK);
    assert_int_equal(told, 2);
    assert_int_equal(stoa_hook_remove(w, added), STOA_OK);
    assert_int_equal(stoa_hook_remove(w, removed), STOA_OK);
    assert_int_equal(stoa_add(w, a, Poison), STOA_OK);
    assert_int_equal(stoa_remove(w, b, Poison), STOA_OK);
    assert_int_equal(told, 2);
    assert_int_equal(stoa_get(w, a, Poison)->strength, 0);
    assert_false(stoa_has(w, b, Poison));
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, counted_setup, support_teardown)
        TEST(sparse_component_comes_and_goes_without_a_move),
        TEST(sparse_component_is_reached_by_id_and_name),
        TEST(bundles_and_changes_mix_sparse_and_columns),
        TEST(destroy_and_clear_reach_sparse_components),
        cmocka_unit_test(freed_world_drops_sparse_components),
        TEST(clone_copies_sparse_components),
        TEST(failing_copy_hook_undoes_a_clone),
        TEST(value_may_point_into_its_own_set),
        TEST(hash_knows_sparse_components),
        TEST(iteration_refuses_to_add_or_remove_sparse_components),
        TEST(misuse_of_sparse_components_is_told),
        TEST(sparse_sets_are_reserved_and_compacted),
        TEST(hooks_that_come_late_are_told_of_sparse_components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

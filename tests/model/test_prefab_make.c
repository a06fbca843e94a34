/* Instances of one entity: values, overrides, extensions, many at once, hooks. */
#include "prefab_fixture.h"

/* What hooks were called with, one after the other. */
typedef struct tale {
    char text[512];
    size_t used;
} tale;

typedef struct listener {
    tale *tale;
    char what;
} listener;

static void told(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w;
    (void)e;
    const listener *l = user;
    int32_t number = value != NULL ? ((const Health *)value)->points : 0;
    l->tale->used +=
        (size_t)snprintf(l->tale->text + l->tale->used, sizeof l->tale->text - l->tale->used,
                         "%c%d ", l->what, number);
}

/* PRE-02 */
static void instance_has_the_values_of_its_prefab(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state);
    stoa_entity none = stoa_prefab_instantiate(p);
    assert_true(lives(state, none));
    assert_int_equal(stoa_archetype_of(w, none), 0);
    stoa_prefab_set(p, Position, {1, 2, 3});
    stoa_entity one = stoa_prefab_instantiate(p);
    stoa_prefab_set(p, Health, {4});
    stoa_entity two = stoa_prefab_instantiate(p);
    stoa_prefab_set(p, Velocity, {5, 6, 7});
    stoa_entity three = stoa_prefab_instantiate(p);
    stoa_prefab_add(p, Frozen);
    stoa_prefab_set(p, Heat, {8});
    stoa_entity five = stoa_prefab_instantiate(p);
    assert_float_equal(stoa_get(w, one, Position)->z, 3, 0);
    assert_false(stoa_has(w, one, Health));
    assert_int_equal(stoa_get(w, two, Health)->points, 4);
    assert_false(stoa_has(w, two, Velocity));
    assert_float_equal(stoa_get(w, three, Velocity)->x, 5, 0);
    assert_float_equal(stoa_get(w, three, Position)->x, 1, 0);
    assert_int_equal(stoa_get(w, three, Health)->points, 4);
    assert_true(stoa_has(w, five, Frozen));
    assert_int_equal(stoa_get(w, five, Heat)->degrees, 8);
    assert_float_equal(stoa_get(w, five, Velocity)->z, 7, 0);
    /* Instances are not tied to the prefab. */
    stoa_get_mut(w, three, Health)->points = 9;
    assert_int_equal(stoa_prefab_get(p, Health)->points, 4);
    assert_int_equal(stoa_count(w), 5);
}

/* PRE-02 */
static void values_given_override_extend_and_leave_out(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state);
    stoa_prefab_set(p, Position, {1, 2, 3});
    stoa_prefab_set(p, Health, {4});
    stoa_prefab_add(p, Frozen);
    stoa_entity e =
        stoa_prefab_instantiate_with(p, STOA_VALUE(Velocity, {7, 8, 9}), STOA_VALUE(Health, {5}),
                                     STOA_REMOVE(Frozen), STOA_REMOVE(Heat));
    assert_int_equal(stoa_get(w, e, Health)->points, 5);
    assert_float_equal(stoa_get(w, e, Velocity)->y, 8, 0);
    assert_float_equal(stoa_get(w, e, Position)->y, 2, 0);
    assert_false(stoa_has(w, e, Frozen));
    e = stoa_prefab_instantiate_with(p, STOA_ZERO(Health));
    assert_int_equal(stoa_get(w, e, Health)->points, 0);
    stoa_component id = stoa_id(w, Health);
    Health health = {6};
    e = stoa_prefab_instantiate_values(p, &(stoa_value){.id = id, .data = &health}, 1);
    assert_int_equal(stoa_get(w, e, Health)->points, 6);
    assert_int_equal(stoa_prefab_get(p, Health)->points, 4);
    support_assert_quiet(*state);
}

/* PRE-02 HOK-01 HOK-02 */
static void hooks_are_called_once_with_the_final_value(void **state) {
    stoa_world *w = world_of(state);
    static tale t;
    t.used = 0;
    listener add = {&t, 'a'}, set = {&t, 's'}, heat = {&t, 'h'};
    stoa_on_add(w, Health, told, &add);
    stoa_on_set(w, Health, told, &set);
    stoa_on_set(w, Heat, told, &heat);
    stoa_prefab *base = prefab_of(state), *p = variant_of(state, base);
    stoa_prefab_set(base, Heat, {1});
    stoa_prefab_set(base, Health, {2});
    stoa_prefab_set(p, Heat, {3});
    assert_int_equal(t.used, 0);
    stoa_prefab_instantiate(p);
    stoa_prefab_instantiate_with(p, STOA_VALUE(Health, {4}));
    stoa_prefab_instantiate_with(p, STOA_ZERO(Health), STOA_REMOVE(Heat));
    assert_string_equal(t.text, "h3 a2 s2 h3 a4 s4 a0 ");
    t.used = 0;
    const Health column[2] = {{7}, {8}};
    stoa_prefab_instantiate_bulk(p, 2, NULL, STOA_VALUES(STOA_COLUMN(Health, column)));
    assert_string_equal(t.text, "h3 a7 s7 h3 a8 s8 ");
    t.used = 0;
    stoa_prefab *zeroed = prefab_of(state);
    stoa_prefab_add(zeroed, Health);
    stoa_prefab_instantiate(zeroed);
    assert_string_equal(t.text, "a0 ");
}

/* PRE-02 ENT-06 */
static void instance_is_placed_once(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *base = prefab_of(state), *p = variant_of(state, base);
    stoa_prefab_set(base, Health, {2});
    stoa_prefab_set(p, Position, {3, 3, 3});
    owned_set(p, 1);
    int32_t archetypes = stoa_archetype_count(w);
    stoa_prefab_instantiate_with(p, STOA_VALUE(Velocity, {1, 2, 3}));
    assert_int_equal(stoa_archetype_count(w), archetypes + 1);
}

/* PRE-03 CMP-11 */
static void instance_gets_copies_by_the_copy_hook(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state);
    owned_set(p, 3);
    stoa_prefab_set(p, Health, {1});
    stoa_entity a = stoa_prefab_instantiate(p), b = stoa_prefab_instantiate(p);
    assert_int_equal(owners_alive, 3);
    assert_int_equal(stoa_get(w, a, Owned)->number, 3);
    assert_ptr_equal(stoa_get(w, b, Owned)->self, stoa_get(w, b, Owned));
    Owned other;
    owner_make(&other, 4);
    stoa_entity c = stoa_prefab_instantiate_with(p, STOA_VALUE_FROM(Owned, &other));
    assert_int_equal(stoa_get(w, c, Owned)->number, 4);
    assert_int_equal(other.number, -1);
    assert_int_equal(owners_alive, 4);
    Unique unique;
    owner_make(&unique, 5);
    stoa_entity d = stoa_prefab_instantiate_with(p, STOA_VALUE_FROM(Unique, &unique));
    assert_int_equal(stoa_get(w, d, Unique)->number, 5);
    assert_int_equal(owners_alive, 6);
}

static stoa_status refuse(stoa_world *w, stoa_entity e, const void *values, int32_t count,
                          void *user) {
    (void)w;
    (void)e;
    int32_t *limit = user;
    for (int32_t i = 0; i < count; i++) {
        if (((const Health *)values)[i].points > *limit) {
            return stoa_fail(STOA_REFUSED, "too healthy");
        }
    }
    return STOA_OK;
}

/* PRE-02 PRE-03 GEN-03 */
static void refused_instance_changes_nothing(void **state) {
    stoa_world *w = world_of(state);
    int32_t limit = 0;
    stoa_veto_new(w, &(stoa_veto_desc){.kind = STOA_VETO_SET,
                                       .type = STOA_TYPE_OF(Health),
                                       .call = refuse,
                                       .user = &limit});
    stoa_prefab *p = prefab_of(state);
    stoa_prefab_set(p, Health, {1});
    owned_set(p, 3);
    uint64_t hash = stoa_hash(w);
    Hoard other;
    owner_make(&other, 4);
    assert_true(
        stoa_entity_is_null(stoa_prefab_instantiate_with(p, STOA_VALUE_FROM(Hoard, &other))));
    assert_int_equal(stoa_last_error().status, STOA_REFUSED);
    assert_int_equal(other.number, 4);
    assert_int_equal(stoa_prefab_instantiate_bulk(p, 3, NULL, NULL, 0), STOA_REFUSED);
    assert_int_equal(owners_alive, 2);
    assert_int_equal(stoa_hash(w), hash);
    limit = 1;
    assert_int_equal(stoa_prefab_instantiate_bulk(p, 3, NULL, NULL, 0), STOA_OK);
    owner_drop(&other, 1, NULL);
}

/* PRE-03 GEN-03 */
static void copy_hook_that_fails_makes_no_instance(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state);
    owned_set(p, 3);
    Hoard hoard;
    owner_make(&hoard, 4);
    stoa_prefab_set_from(p, Hoard, &hoard);
    stoa_prefab_instantiate(p);
    uint64_t hash = stoa_hash(w);
    for (int32_t allowed = 0; allowed < 2; allowed++) {
        owners_copies = allowed;
        assert_true(stoa_entity_is_null(stoa_prefab_instantiate(p)));
        assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    }
    for (int32_t allowed = 0; allowed < 6; allowed++) {
        owners_copies = allowed;
        assert_int_equal(stoa_prefab_instantiate_bulk(p, 3, NULL, NULL, 0), STOA_NO_MEMORY);
    }
    assert_int_equal(owners_alive, 4);
    assert_int_equal(stoa_hash(w), hash);
}

/* PRE-02 */
static void many_instances_are_made_at_once(void **state) {
    enum { MANY = 5000 };
    static stoa_entity entities[MANY];
    static Position positions[MANY];
    static Hoard hoards[MANY];
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state);
    stoa_prefab_set(p, Position, {1, 2, 3});
    stoa_prefab_set(p, Health, {4});
    stoa_prefab_add(p, Velocity);
    stoa_prefab_add(p, Frozen);
    stoa_prefab_set(p, Heat, {9});
    owned_set(p, 7);
    for (int32_t i = 0; i < MANY; i++) {
        positions[i] = (Position){(float)i, 0, 0};
        owner_make(&hoards[i], i + 1);
    }
    assert_int_equal(
        stoa_prefab_instantiate_bulk(p, MANY, entities,
                                     STOA_VALUES(STOA_COLUMN(Position, positions),
                                                 STOA_REMOVE(Frozen), STOA_COLUMN(Hoard, hoards))),
        STOA_OK);
    assert_int_equal(stoa_count(w), MANY);
    assert_int_equal(owners_alive, 1 + 2 * MANY);
    for (int32_t i = 0; i < MANY; i++) {
        stoa_entity e = entities[i];
        assert_float_equal(stoa_get(w, e, Position)->x, i, 0);
        assert_float_equal(stoa_get(w, e, Velocity)->x, 0, 0);
        assert_int_equal(stoa_get(w, e, Health)->points, 4);
        assert_int_equal(stoa_get(w, e, Heat)->degrees, 9);
        assert_int_equal(stoa_get(w, e, Owned)->number, 7);
        assert_int_equal(stoa_get(w, e, Hoard)->number, i + 1);
        assert_false(stoa_has(w, e, Frozen));
    }
    assert_int_equal(stoa_prefab_instantiate_bulk(p, 0, NULL, NULL, 0), STOA_OK);
    assert_int_equal(stoa_prefab_instantiate_bulk(p, 2, NULL, STOA_VALUES(STOA_SAME(Health, {5}))),
                     STOA_OK);
    assert_int_equal(stoa_count(w), MANY + 2);
    assert_int_equal(owners_alive, 1 + 2 * MANY + 2);
}

static void prefab_frees(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w;
    (void)e;
    (void)value;
    stoa_prefab **prefab = user;
    if (*prefab != NULL && stoa_prefab_free(*prefab) == STOA_OK) {
        *prefab = NULL;
    }
}

/* PRE-03 HOK-04 */
static void hook_may_free_the_prefab_of_one_instance_but_not_of_many(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state);
    stoa_prefab *kept = p;
    owned_set(p, 3);
    stoa_prefab_set(p, Health, {1});
    stoa_on_add(w, Health, prefab_frees, &kept);
    assert_int_equal(stoa_prefab_instantiate_bulk(p, 2, NULL, NULL, 0), STOA_OK);
    assert_non_null(kept);
    ((support_world *)*state)->asserts_seen = ((support_world *)*state)->asserts;
    stoa_entity e = stoa_prefab_instantiate(p);
    assert_null(kept);
    assert_int_equal(stoa_get(w, e, Owned)->number, 3);
    assert_int_equal(owners_alive, 3);
}

/* PRE-03 HOK-04: the first instance, and one of a prefab that was kept ready. */
static void hook_may_free_a_prefab_of_plain_bytes(void **state) {
    stoa_world *w = world_of(state);
    for (int32_t made = 0; made < 4; made++) {
        stoa_prefab *p = stoa_prefab_new(w, NULL);
        stoa_prefab_set(p, Health, {made});
        for (int32_t i = 0; i < made; i++) {
            stoa_prefab_instantiate(p);
        }
        stoa_prefab *kept = p;
        stoa_hook hook = stoa_on_add(w, Health, prefab_frees, &kept);
        stoa_entity e = stoa_prefab_instantiate(p);
        assert_null(kept);
        assert_int_equal(stoa_get(w, e, Health)->points, made);
        stoa_hook_remove(w, hook);
    }
}

typedef struct freeing {
    stoa_prefab *prefab;
    stoa_status status;
} freeing;

static stoa_status veto_frees(stoa_world *w, stoa_entity e, const void *values, int32_t count,
                              void *user) {
    (void)w, (void)e, (void)values, (void)count;
    freeing *f = user;
    f->status = stoa_prefab_free(f->prefab);
    return STOA_OK;
}

/* PRE-03 GEN-05 */
static void veto_cannot_change_prefabs(void **state) {
    stoa_world *w = world_of(state);
    freeing f = {prefab_of(state), STOA_OK};
    stoa_prefab_set(f.prefab, Health, {5});
    stoa_veto_new(w,
                  &(stoa_veto_desc){.type = STOA_TYPE_OF(Health), .call = veto_frees, .user = &f});
    stoa_entity e = stoa_prefab_instantiate(f.prefab);
    support_assert_misuse((support_world *)*state, f.status, STOA_LOCKED);
    assert_int_equal(stoa_get(w, e, Health)->points, 5);
}

static void instantiates(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w;
    (void)e;
    if (((const Owned *)value)->number > 0 && stoa_count(w) < 10) {
        stoa_prefab_instantiate(user);
    }
}

/* PRE-02 HOK-04 */
static void hook_may_make_instances_of_the_same_prefab(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state);
    owned_set(p, 3);
    stoa_prefab_set(p, Health, {1});
    stoa_on_set(w, Owned, instantiates, p);
    stoa_prefab_instantiate(p);
    assert_int_equal(stoa_count(w), 10);
    assert_int_equal(owners_alive, 11);
}

/* PRE-02 */
static void values_of_run_time_components_work(void **state) {
    stoa_world *w = world_of(state);
    stoa_component id = stoa_component_register(
        w, &(stoa_component_desc){.name = "Mana", .fields = "{ int32_t amount; stoa_entity of; }"});
    assert_int_not_equal(id, 0);
    struct {
        int32_t amount;
        stoa_entity of;
    } mana = {5, stoa_prefab_node(0)};
    stoa_prefab *p = prefab_of(state);
    assert_int_equal(stoa_prefab_set_id(p, id, &mana, sizeof mana), STOA_OK);
    stoa_entity e = stoa_prefab_instantiate(p);
    memcpy(&mana, stoa_get_id(w, e, id), sizeof mana);
    assert_int_equal(mana.amount, 5);
    assert_true(stoa_entity_eq(mana.of, e));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PREFAB_TEST(instance_has_the_values_of_its_prefab),
        PREFAB_TEST(values_given_override_extend_and_leave_out),
        PREFAB_TEST(hooks_are_called_once_with_the_final_value),
        PREFAB_TEST(instance_is_placed_once),
        PREFAB_TEST(instance_gets_copies_by_the_copy_hook),
        PREFAB_TEST(refused_instance_changes_nothing),
        PREFAB_TEST(copy_hook_that_fails_makes_no_instance),
        PREFAB_TEST(many_instances_are_made_at_once),
        PREFAB_TEST(hook_may_free_the_prefab_of_one_instance_but_not_of_many),
        PREFAB_TEST(hook_may_free_a_prefab_of_plain_bytes),
        PREFAB_TEST(veto_cannot_change_prefabs),
        PREFAB_TEST(hook_may_make_instances_of_the_same_prefab),
        PREFAB_TEST(values_of_run_time_components_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

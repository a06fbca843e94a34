/* Prefabs that hold values of components that get other descriptions. */
#include "prefab_fixture.h"
#include "retype_fixture.h"

#include "stoa/code.h"

STOA_COMPONENT_WITH(Gear0, STOA_OPTIONS(.name = "Gear"), {
    int32_t teeth;
    stoa_entity on;
});
STOA_COMPONENT_WITH(Gear1, STOA_OPTIONS(.name = "Gear"), {
    stoa_entity spare;
    int64_t age;
    int64_t teeth;
    stoa_entity on;
});

/* A value that owns, and another that owns more. */
typedef struct {
    owner held;
} Chest0;
typedef struct {
    int64_t more;
    owner held;
} Chest1;

static void chest_drop(void *items, int32_t count, void *user) {
    for (Chest1 *chest = items; count-- > 0; chest++) {
        owner_drop(&chest->held, 1, user);
    }
}

static void chest_move(void *to, void *from, int32_t count, void *user) {
    for (int32_t i = 0; i < count; i++) {
        ((Chest1 *)to)[i].more = ((Chest1 *)from)[i].more;
        owner_move(&((Chest1 *)to)[i].held, &((Chest1 *)from)[i].held, 1, user);
    }
}

static bool chest_copy(void *to, const void *from, int32_t count, void *user) {
    for (int32_t i = 0; i < count; i++) {
        ((Chest1 *)to)[i].more = ((const Chest1 *)from)[i].more;
        if (!owner_copy(&((Chest1 *)to)[i].held, &((const Chest1 *)from)[i].held, 1, user)) {
            chest_drop(to, i, user);
            return false;
        }
    }
    return true;
}

/* The same with other functions. */
static int other_drops;

static void other_drop(void *items, int32_t count, void *user) {
    other_drops += count;
    owner_drop(items, count, user);
}

STOA_TYPE_WITH(Chest0,
               STOA_OPTIONS(.name = "Chest",
                            .hooks = {.drop = owner_drop, .move = owner_move, .copy = owner_copy}),
               {});
STOA_TYPE_WITH(Chest1,
               STOA_OPTIONS(.name = "Chest",
                            .hooks = {.drop = chest_drop, .move = chest_move, .copy = chest_copy}),
               {});
typedef Chest0 ChestOther;
STOA_TYPE_WITH(ChestOther,
               STOA_OPTIONS(.name = "Chest",
                            .hooks = {.drop = other_drop, .move = owner_move, .copy = owner_copy}),
               {});
typedef Chest0 ChestUnique;
STOA_TYPE_WITH(ChestUnique,
               STOA_OPTIONS(.name = "Chest", .hooks = {.drop = owner_drop, .move = owner_move}),
               {});

static stoa_status chest_convert(void *user, const stoa_component_info *from,
                                 const stoa_component_info *to, const void *values, void *made,
                                 int32_t count) {
    retype_counts *counts = user;
    assert_int_equal(from->size, sizeof(Chest0));
    assert_int_equal(to->size, sizeof(Chest1));
    if (++counts->calls == counts->fail_at) {
        return stoa_fail(STOA_REFUSED, "enough converted");
    }
    for (int32_t i = 0; i < count; i++) {
        const Chest0 *chest = (const Chest0 *)values + i;
        ((Chest1 *)made)[i].more = 5;
        owner_make(&((Chest1 *)made)[i].held, chest->held.number);
    }
    return STOA_OK;
}

/* A wheel, a variant of it, and a cart with two that overrides one. */
typedef struct cart {
    stoa_prefab *wheel, *spoked, *cart, *fast;
} cart;

static void cart_make(void **state, cart *c) {
    c->wheel = prefab_of(state);
    assert_int_equal(stoa_prefab_set(c->wheel, Gear0, {8, stoa_prefab_node(0)}), STOA_OK);
    assert_int_equal(stoa_prefab_set(c->wheel, Health, {3}), STOA_OK);
    c->spoked = variant_of(state, c->wheel);
    assert_int_equal(stoa_prefab_set(c->spoked, Gear0, {9, STOA_NULL}), STOA_OK);
    c->cart = prefab_of(state);
    assert_int_equal(stoa_prefab_child(c->cart, c->wheel), 1);
    assert_int_equal(stoa_prefab_child(c->cart, c->spoked), 2);
    assert_int_equal(stoa_prefab_node_set(c->cart, 2, Gear0, {10, stoa_prefab_node(1)}), STOA_OK);
    assert_int_equal(stoa_prefab_add(c->cart, Gear0), STOA_OK);
    c->fast = variant_of(state, c->cart);
    assert_int_equal(stoa_prefab_node_set(c->fast, 1, Gear0, {11, stoa_prefab_node(2)}), STOA_OK);
}

static void gear_expect(stoa_world *world, stoa_entity e, bool after, int teeth, stoa_entity on) {
    if (after) {
        const Gear1 *gear = stoa_get(world, e, Gear1);
        assert_int_equal(gear->teeth, teeth);
        assert_true(stoa_entity_eq(gear->on, on));
        assert_true(stoa_entity_is_null(gear->spare));
    } else {
        const Gear0 *gear = stoa_get(world, e, Gear0);
        assert_int_equal(gear->teeth, teeth);
        assert_true(stoa_entity_eq(gear->on, on));
    }
}

/* Makes instances and compares them. */
static void cart_expect(void **state, const cart *c, bool after) {
    stoa_world *world = world_of(state);
    stoa_entity e[3], wheel = stoa_prefab_instantiate(c->wheel);
    gear_expect(world, wheel, after, 8, wheel);
    assert_int_equal(stoa_get(world, wheel, Health)->points, 3);
    gear_expect(world, stoa_prefab_instantiate(c->spoked), after, 9, STOA_NULL);
    assert_int_equal(stoa_prefab_instantiate_tree(c->cart, NULL, 0, e, 3), STOA_OK);
    gear_expect(world, e[0], after, 0, STOA_NULL);
    gear_expect(world, e[1], after, 8, e[1]);
    gear_expect(world, e[2], after, 10, e[1]);
    assert_int_equal(stoa_prefab_instantiate_tree(c->fast, NULL, 0, e, 3), STOA_OK);
    gear_expect(world, e[1], after, 11, e[2]);
    gear_expect(world, e[2], after, 10, e[1]);
}

/* HOT-01, PRE-01, PRE-03 */
static void values_of_bases_variants_and_nodes_take_the_new_form(void **state) {
    cart c;
    cart_make(state, &c);
    cart_expect(state, &c, false);
    assert_true(retype_to(world_of(state), STOA_TYPE_OF(Gear1)));
    cart_expect(state, &c, true);
    assert_int_equal(stoa_prefab_get(c.wheel, Gear1)->teeth, 8);
    /* Layers are what they were: what is taken back shows what is below. */
    stoa_component gear = stoa_component_find(world_of(state), "Gear");
    assert_int_equal(stoa_prefab_node_revert_id(c.fast, 1, gear), STOA_OK);
    assert_int_equal(stoa_prefab_node_get(c.fast, 1, Gear1)->teeth, 8);
    assert_int_equal(stoa_prefab_set(c.wheel, Gear1, {.teeth = 20}), STOA_OK);
    assert_int_equal(stoa_prefab_node_get(c.fast, 1, Gear1)->teeth, 20);
    assert_true(retype_to(world_of(state), STOA_TYPE_OF(Gear0)));
    assert_int_equal(stoa_prefab_get(c.wheel, Gear0)->teeth, 20);
}

/* HOT-01, PRE-01 */
static void prefabs_are_what_they_were_after_a_cancel(void **state) {
    support_world *s = *state;
    cart c;
    cart_make(state, &c);
    retype_counts counts = {0};
    stoa_retype *retype = retype_begin(s->world, STOA_TYPE_OF(Gear1), &counts);
    assert_non_null(retype);
    assert_int_equal(stoa_prefab_get(c.wheel, Gear1)->teeth, 8);
    stoa_retype_cancel(retype);
    cart_expect(state, &c, false);
    /* One that is freed half way is gone, and the others are what they were. */
    retype = retype_begin(s->world, STOA_TYPE_OF(Gear1), &counts);
    assert_int_equal(stoa_prefab_free(c.fast), STOA_OK);
    stoa_retype_cancel(retype);
    assert_int_equal(stoa_prefab_node_get(c.cart, 2, Gear0)->teeth, 10);
}

/* HOT-01, PRE-01 */
static void conversion_that_fails_leaves_prefabs(void **state) {
    support_world *s = *state;
    cart c;
    cart_make(state, &c);
    size_t bytes = s->heap.bytes;
    /* Four values are converted; the one that is zeroed needs none. */
    for (int i = 1; i <= 4; i++) {
        retype_counts counts = {.fail_at = i};
        assert_null(retype_begin(s->world, STOA_TYPE_OF(Gear1), &counts));
        assert_int_equal(stoa_last_error().status, STOA_REFUSED);
        assert_int_equal(s->heap.bytes, bytes);
    }
    retype_counts counts = {.fail_at = 5};
    stoa_retype *retype = retype_begin(s->world, STOA_TYPE_OF(Gear1), &counts);
    assert_non_null(retype);
    stoa_retype_cancel(retype);
    cart_expect(state, &c, false);
}

/* HOT-01, PRE-01 */
static void prefabs_survive_lack_of_memory(void **state) {
    cart c;
    cart_make(state, &c);
    cart_expect(state, &c, false);
    retype_short(*state, STOA_TYPE_OF(Gear1));
    cart_expect(state, &c, true);
}

static void chest_set(stoa_prefab *prefab, int32_t number) {
    Chest0 chest;
    owner_make(&chest.held, number);
    assert_int_equal(stoa_prefab_set_from(prefab, Chest0, &chest), STOA_OK);
}

/* HOT-01, PRE-01 */
static void values_that_own_memory_are_dropped_by_their_own_functions(void **state) {
    support_world *s = *state;
    stoa_prefab *prefab = prefab_of(state), *variant = variant_of(state, prefab);
    bool fresh;
    chest_set(prefab, 4);
    chest_set(variant, 6);
    for (int fail_at = 2; fail_at >= 0; fail_at--) {
        retype_counts counts = {.fail_at = fail_at};
        stoa_retype *retype = stoa_retype_new(s->world);
        assert_int_equal(stoa_retype_add(retype, STOA_TYPE_OF(Chest1), true, &fresh), STOA_OK);
        stoa_status status = stoa_retype_convert(retype, chest_convert, &counts);
        assert_int_equal(status, fail_at > 0 ? STOA_REFUSED : STOA_OK);
        if (fail_at > 0) {
            stoa_retype_cancel(retype);
            assert_int_equal(owners_alive, 2);
        } else {
            assert_int_equal(owners_alive, 4);
            assert_int_equal(stoa_retype_swap(retype), STOA_OK);
            stoa_retype_end(retype);
        }
    }
    assert_int_equal(owners_alive, 2);
    stoa_entity e = stoa_prefab_instantiate(variant);
    assert_int_equal(stoa_get(s->world, e, Chest1)->held.number, 6);
    assert_int_equal(stoa_get(s->world, e, Chest1)->more, 5);
    assert_int_equal(stoa_prefab_get(prefab, Chest1)->held.number, 4);
    assert_int_equal(owners_alive, 3);
}

/* HOT-01, PRE-01 */
static void other_functions_take_values_over(void **state) {
    support_world *s = *state;
    stoa_prefab *prefab = prefab_of(state);
    chest_set(prefab, 4);
    const Chest0 *chest = stoa_prefab_get(prefab, Chest0);
    retype_counts counts = {0};
    other_drops = 0;
    stoa_retype *retype = retype_begin(s->world, STOA_TYPE_OF(ChestOther), &counts);
    assert_non_null(retype);
    assert_int_equal(counts.calls, 0);
    stoa_retype_cancel(retype);
    stoa_prefab *copy = stoa_prefab_copy(prefab, NULL);
    assert_int_equal(stoa_prefab_free(copy), STOA_OK);
    assert_int_equal(other_drops, 0);
    assert_true(retype_to(s->world, STOA_TYPE_OF(ChestOther)));
    assert_ptr_equal(stoa_prefab_get(prefab, ChestOther), chest);
    assert_false(retype_to(s->world, STOA_TYPE_OF(ChestUnique)));
    support_assert_message("'Chest'");
    assert_int_equal(stoa_prefab_free(prefab), STOA_OK);
    assert_int_equal(other_drops, 1);
}

/* A number that is doubled when it is copied. */
static bool double_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        ((int32_t *)to)[i] = ((const int32_t *)from)[i] * 2;
    }
    return true;
}

STOA_COMPONENT_WITH(Double, STOA_OPTIONS(.hooks = {.copy = double_copy}), { int32_t n; });

/* Has a world forget one function, and strips the components that had it. */
static void function_forget(stoa_world *world, const void *function) {
    uintptr_t address;
    memcpy(&address, function, sizeof address);
    stoa_code code = {address, address + 1};
    stoa_code_remove(world, &code);
    stoa_component id = 0;
    while ((id = stoa_code_component(world, &code, id)) != 0) {
        assert_int_equal(stoa_component_strip(world, id), STOA_OK);
    }
}

/* HOT-01, PRE-01 */
static void values_go_with_the_code_that_frees_them(void **state) {
    support_world *s = *state;
    stoa_prefab *prefab = prefab_of(state);
    chest_set(prefab, 4);
    assert_int_equal(stoa_prefab_set(prefab, Health, {3}), STOA_OK);
    assert_int_equal(stoa_prefab_set(prefab, Double, {4}), STOA_OK);
    void (*drop)(void *, int32_t, void *) = owner_drop;
    function_forget(s->world, &drop);
    assert_int_equal(owners_alive, 0);
    bool (*copy)(void *, const void *, int32_t, void *) = double_copy;
    assert_int_equal(stoa_get(s->world, stoa_prefab_instantiate(prefab), Double)->n, 8);
    function_forget(s->world, &copy);
    stoa_component chest = stoa_component_find(s->world, "Chest");
    stoa_component twice = stoa_component_find(s->world, "Double");
    stoa_entity e = stoa_prefab_instantiate(prefab);
    assert_int_equal(*(const int32_t *)stoa_get_id(s->world, e, twice), 4);
    assert_null(((const Chest0 *)stoa_get_id(s->world, e, chest))->held.self);
    assert_int_equal(stoa_get(s->world, e, Health)->points, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PREFAB_TEST(values_of_bases_variants_and_nodes_take_the_new_form),
        PREFAB_TEST(prefabs_are_what_they_were_after_a_cancel),
        PREFAB_TEST(conversion_that_fails_leaves_prefabs),
        PREFAB_TEST(prefabs_survive_lack_of_memory),
        PREFAB_TEST(values_that_own_memory_are_dropped_by_their_own_functions),
        PREFAB_TEST(other_functions_take_values_over),
        PREFAB_TEST(values_go_with_the_code_that_frees_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

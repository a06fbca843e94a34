/* Prefabs out of memory: a script, with every one of its allocations refused in turn.
 *
 * The call in which that happens must fail, leave everything as it was, and succeed when repeated,
 * after which the script goes on to the same end. */
#include "prefab_fixture.h"

#define TREE 4

typedef struct context {
    support_world s;
    stoa_commands *commands;
    stoa_entity hero;
} context;

typedef bool (*step_fn)(context *c);

static stoa_prefab *named(const context *c, const char *name) {
    stoa_prefab *prefab = stoa_prefab_find(c->s.world, name);
    assert_non_null(prefab);
    return prefab;
}

static bool made(stoa_entity e) {
    return !stoa_entity_is_null(e);
}

/* Gives a prefab an Owned; a value that was not taken is dropped. */
static bool owned_give(stoa_prefab *prefab, int32_t number) {
    Owned value;
    owner_make(&value, number);
    bool fine = stoa_prefab_set_from(prefab, Owned, &value) == STOA_OK;
    if (!fine) {
        owner_drop(&value, 1, NULL);
    }
    return fine;
}

static bool base_new(context *c) {
    return stoa_prefab_new(c->s.world, &(stoa_prefab_desc){.name = "base"}) != NULL;
}

static bool base_set(context *c) {
    return stoa_prefab_set_values(named(c, "base"),
                                  STOA_VALUES(STOA_VALUE(Position, {1, 2, 3}), STOA_ZERO(Velocity),
                                              STOA_VALUE(Heat, {4}), STOA_ZERO(Frozen),
                                              STOA_VALUE(Health, {5}))) == STOA_OK;
}

static bool base_owned(context *c) {
    return owned_give(named(c, "base"), 1);
}

static bool variant_new(context *c) {
    return stoa_prefab_new(c->s.world, &(stoa_prefab_desc){.name = "variant",
                                                           .base = named(c, "base")}) != NULL;
}

static bool variant_owned(context *c) {
    return owned_give(named(c, "variant"), 2);
}

static bool tree_new(context *c) {
    return stoa_prefab_new(c->s.world, &(stoa_prefab_desc){.name = "tree"}) != NULL;
}

static bool tree_child(context *c) {
    return stoa_prefab_child(named(c, "tree"), named(c, "variant")) > 0;
}

static bool tree_links(context *c) {
    return stoa_prefab_node_set_values(
               named(c, "tree"), 1,
               STOA_VALUES(STOA_VALUE(Link, {stoa_prefab_node(0)}), STOA_REMOVE(Heat))) == STOA_OK;
}

static bool tree_pair(context *c) {
    return stoa_prefab_set(named(c, "tree"), Pair,
                           {1, {stoa_prefab_node(2), stoa_prefab_node(1)}}) == STOA_OK;
}

static bool variant_copy(context *c) {
    return stoa_prefab_copy(named(c, "tree"), "copy") != NULL;
}

static bool hero_take(context *c) {
    return stoa_prefab_from(c->s.world, c->hero, "hero") != NULL;
}

static bool counts_ask(context *c) {
    return stoa_prefab_count(named(c, "variant")) == 6 &&
           stoa_prefab_entity_count(named(c, "tree")) == TREE;
}

static bool base_make(context *c) {
    return made(stoa_prefab_instantiate(named(c, "hero")));
}

static bool variant_make(context *c) {
    Owned value;
    owner_make(&value, 3);
    bool fine = made(stoa_prefab_instantiate_with(
        named(c, "variant"), STOA_VALUE_FROM(Owned, &value), STOA_VALUE(Web, {{0}, {{0}}, {{0}}})));
    if (!fine) {
        owner_drop(&value, 1, NULL);
    }
    return fine;
}

static bool variant_bulk(context *c) {
    return stoa_prefab_instantiate_bulk(named(c, "variant"), 200, NULL, NULL, 0) == STOA_OK;
}

static bool tree_make(context *c) {
    stoa_entity e[TREE];
    Hoard value;
    owner_make(&value, 3);
    bool fine =
        stoa_prefab_instantiate_tree(named(c, "tree"), STOA_VALUES(STOA_VALUE_FROM(Hoard, &value)),
                                     e, TREE) == STOA_OK;
    if (!fine) {
        owner_drop(&value, 1, NULL);
    }
    return fine;
}

static bool tree_bulk(context *c) {
    return stoa_prefab_instantiate_bulk(named(c, "copy"), 50, NULL, NULL, 0) == STOA_OK;
}

static bool tree_record(context *c) {
    Owned value;
    owner_make(&value, 3);
    bool fine = made(stoa_commands_instantiate_with(c->commands, named(c, "tree"),
                                                    STOA_VALUE_FROM(Owned, &value)));
    if (!fine) {
        owner_drop(&value, 1, NULL);
    }
    return fine;
}

static bool variant_record(context *c) {
    return made(stoa_commands_instantiate(c->commands, named(c, "variant"), NULL, 0));
}

static const step_fn steps[] = {
    base_new,   base_set,     base_owned,     variant_new,  variant_owned, tree_new,    tree_child,
    tree_child, tree_child,   tree_links,     tree_pair,    variant_copy,  hero_take,   counts_ask,
    base_make,  variant_make, variant_bulk,   tree_make,    tree_bulk,     tree_record, base_owned,
    tree_make,  tree_record,  variant_record, variant_make,
};

#define STEPS (sizeof steps / sizeof *steps)

static uint64_t mix(uint64_t digest, uint64_t number) {
    return (digest ^ number) * UINT64_C(0x9e3779b97f4a7c15) + (digest >> 29);
}

/* A number made of all that can be seen; recording may leave slots in another order. */
static uint64_t context_digest(const context *c, bool hashed) {
    const stoa_world *w = c->s.world;
    uint64_t digest = mix((uint64_t)owners_alive, (uint64_t)stoa_count(w));
    digest = mix(digest, hashed ? stoa_hash(w) : 0);
    digest = mix(digest, (uint64_t)stoa_commands_count(c->commands));
    for (stoa_prefab *p = stoa_prefab_next(w, NULL); p != NULL; p = stoa_prefab_next(w, p)) {
        digest = mix(digest, (uint64_t)stoa_prefab_node_count(p));
        for (int32_t node = 0; node < stoa_prefab_node_count(p); node++) {
            for (int32_t id = 1; id <= stoa_component_count(w); id++) {
                const int32_t *value = stoa_prefab_node_get_id(p, node, (stoa_component)id);
                digest = mix(digest, stoa_prefab_node_has_id(p, node, (stoa_component)id));
                digest = mix(digest, value != NULL ? (uint64_t)(uint32_t)*value : 0);
            }
        }
    }
    return digest;
}

static void context_open(context *c, bool no_resize) {
    memset(c, 0, sizeof *c);
    owners_alive = 0;
    support_world_open_with(&c->s, 16384);
    c->s.heap.no_resize = no_resize;
    stoa_world *w = c->s.world;
    /* Registering types is not what is tried here. */
    stoa_type *const types[] = {STOA_TYPE_OF(Position), STOA_TYPE_OF(Velocity), STOA_TYPE_OF(Heat),
                                STOA_TYPE_OF(Frozen),   STOA_TYPE_OF(Health),   STOA_TYPE_OF(Owned),
                                STOA_TYPE_OF(Hoard),    STOA_TYPE_OF(Pair),     STOA_TYPE_OF(Link),
                                STOA_TYPE_OF(Web)};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        assert_int_not_equal(stoa_type_register(w, types[i]), 0);
    }
    c->commands = stoa_commands_new(w);
    Owned value;
    owner_make(&value, 9);
    c->hero = stoa_create_with(w, STOA_VALUE_FROM(Owned, &value), STOA_VALUE(Health, {1}),
                               STOA_VALUE(Heat, {2}));
}

static void failure_verify(context *c, size_t i, size_t k, uint64_t before) {
    if (stoa_last_error().status != STOA_NO_MEMORY || stoa_check(c->s.world) != STOA_OK) {
        support_print_error();
        fail_msg("step %zu, allocation %zu: wrong error or corrupt world", i, k);
    }
    bool recorded = steps[i] == tree_record || steps[i] == variant_record;
    if (context_digest(c, !recorded) != before) {
        fail_msg("step %zu, allocation %zu: the failing call left a mark", i, k);
    }
    support_assert_quiet(&c->s);
}

/* Runs the script with its k-th allocation refused; false if it has no k-th one. */
static bool script_fail_at(size_t k, bool forever, bool no_resize) {
    context c;
    context_open(&c, no_resize);
    c.s.heap.fail_forever = forever;
    c.s.heap.failed = 0;
    c.s.heap.fail_at = k;
    bool failed = false;
    for (size_t i = 0; i < STEPS; i++) {
        bool recorded = steps[i] == tree_record || steps[i] == variant_record;
        /* What is looked at must not be what fails. */
        size_t fail_at = c.s.heap.fail_at;
        c.s.heap.fail_at = 0;
        uint64_t before = context_digest(&c, !recorded);
        c.s.heap.fail_at = failed ? 0 : fail_at;
        bool fine = steps[i](&c);
        failed = failed || c.s.heap.failed > 0;
        if (failed) {
            c.s.heap.fail_at = 0;
        }
        if (failed && !fine) {
            failure_verify(&c, i, k, before);
            fine = steps[i](&c);
        }
        if (!fine) {
            support_print_error();
            fail_msg("step %zu, allocation %zu: fails with memory to spare", i, k);
        }
    }
    c.s.heap.fail_at = 0;
    assert_int_equal(stoa_commands_flush(c.commands), STOA_OK);
    support_world_close(&c.s);
    if (owners_alive != 0) {
        fail_msg("allocation %zu: %d values are left", k, owners_alive);
    }
    return failed;
}

/* PRE-01 PRE-02 PRE-03 PRE-04 GEN-03 GEN-04 */
static void call_out_of_memory_changes_nothing(void **state) {
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        size_t k = 1;
        while (script_fail_at(k, (mode & 1) != 0, (mode & 2) != 0)) {
            k++;
        }
        assert_true(k > 50);
    }
}

/* PRE-03 GEN-03 */
static void freeing_needs_no_memory(void **state) {
    support_world *s = *state;
    stoa_prefab *base = prefab_of(state), *p = variant_of(state, base);
    owned_set(p, 1);
    stoa_prefab_instantiate(p);
    stoa_prefab_child(p, prefab_of(state));
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_int_equal(stoa_prefab_revert(p, Owned), STOA_OK);
    assert_int_equal(stoa_prefab_free(p), STOA_OK);
    assert_int_equal(stoa_prefab_free(base), STOA_OK);
    s->heap.fail_at = 0;
    assert_int_equal(owners_alive, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_out_of_memory_changes_nothing),
        PREFAB_TEST(freeing_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The short way of adding and removing one component along an edge that was taken before: what must
 * end it, each after the way is remembered. */
#include "world/tale.h"

#include "storage/edge.h"
#include "world/world.h"

STOA_COMPONENT(P, { int32_t value, more; });
STOA_COMPONENT(V, { int32_t value, more; });
STOA_COMPONENT(Q, { int32_t value, more; });
STOA_TAG(Tag);

static tale t;

static int fixture_open(void **state) {
    memset(&t, 0, sizeof t);
    return support_setup(state);
}

static int fixture_close(void **state) {
    t.quiet = true;
    return support_teardown(state);
}

/* An entity with P, after V and the tag came and went: both ways are remembered. */
static stoa_entity entity_make(stoa_world *w) {
    stoa_entity e = stoa_create_with(w, STOA_VALUE(P, {1, 2}));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stoa_set(w, e, V, {3, 0}), STOA_OK);
        assert_int_equal(stoa_remove(w, e, V), STOA_OK);
        assert_int_equal(stoa_add(w, e, V), STOA_OK);
        assert_int_equal(stoa_get(w, e, V)->value, 0);
        assert_int_equal(stoa_remove(w, e, V), STOA_OK);
        assert_int_equal(stoa_add(w, e, Tag), STOA_OK);
        assert_int_equal(stoa_remove(w, e, Tag), STOA_OK);
    }
    const stoa__hop *hop = stoa__edge_hop_at(&w->storage, stoa_id(w, V));
    assert_true(hop->key == stoa_id(w, V) && hop->edge->quick);
    return e;
}

/* Everything that goes the short way is refused alike. */
static void refused_verify(support_world *s, stoa_entity e, stoa_entity full, stoa_status status) {
    stoa_world *w = s->world;
    support_assert_misuse(s, stoa_set(w, e, V, {4, 0}), status);
    support_assert_misuse(s, stoa_add(w, e, V), status);
    support_assert_misuse(s, stoa_add(w, e, Tag), status);
    support_assert_misuse(s, stoa_remove(w, full, V), status);
    /* What changes nothing, or in place, is fine. */
    assert_int_equal(stoa_remove(w, e, V), STOA_OK);
    assert_int_equal(stoa_add(w, full, V), STOA_OK);
    assert_int_equal(stoa_set(w, full, V, {5, 0}), STOA_OK);
    assert_false(stoa_has(w, e, V));
    assert_int_equal(stoa_get(w, full, V)->value, 5);
}

/* QRY-06 CMD-06 */
static void open_world_is_noticed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity full = stoa_create_with(w, STOA_VALUE(P, {1, 2}), STOA_VALUE(V, {1, 0}));
    stoa_entity e = entity_make(w);
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(P)}});
    stoa_iter it = stoa_query_iter(q);
    refused_verify(s, e, full, STOA_ITERATING);
    stoa_iter_end(&it);
    assert_int_equal(stoa_set(w, e, V, {6, 0}), STOA_OK);
    assert_int_equal(stoa_remove(w, e, V), STOA_OK);
    assert_int_equal(stoa_commands_fork(w, NULL, 0), STOA_OK);
    refused_verify(s, e, full, STOA_FORKED);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(stoa_set(w, e, V, {6, 0}), STOA_OK);
    assert_int_equal(stoa_get(w, e, V)->value, 6);
}

/* ENT-03: handles that were good when the way was taken. */
static void dead_handles_are_noticed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity keep = stoa_create_with(w, STOA_VALUE(P, {1, 2}));
    stoa_entity e = entity_make(w);
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    stoa_entity next = stoa_create_with(w, STOA_VALUE(P, {7, 8}));
    assert_int_equal(next.index, e.index);
    const stoa_entity bad[] = {e, STOA_NULL, {e.index, 0}, {77, 1}, {UINT32_MAX, UINT32_MAX}};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(stoa_set(w, bad[i], V, {4, 0}), STOA_DEAD);
        assert_int_equal(stoa_add(w, bad[i], V), STOA_DEAD);
        assert_int_equal(stoa_remove(w, bad[i], V), STOA_DEAD);
    }
    s->asserts_seen = s->asserts;
    assert_false(stoa_has(w, next, V) || stoa_has(w, keep, V));
}

/* HOK-05 CHG-05: hooks and the log come and go while the way is remembered. */
static void watchers_that_come_and_go_are_noticed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = entity_make(w);
    for (int round = 0; round < 2; round++) {
        tale_watch(&t, w, V);
        assert_int_equal(stoa_set(w, e, V, {4, 0}), STOA_OK);
        assert_int_equal(stoa_remove(w, e, V), STOA_OK);
        tale_expect(&t, "+V1(4) =V1(4) -V1(4)");
        for (int i = 0; i < t.teller_count; i++) {
            assert_int_equal(stoa_hook_remove(w, t.tellers[i].hook), STOA_OK);
        }
        t.teller_count = 0;
        assert_int_equal(stoa_set(w, e, V, {5, 0}), STOA_OK);
        assert_int_equal(stoa_remove(w, e, V), STOA_OK);
        tale_expect(&t, "");
        assert_int_equal(stoa_log_keep(w, 16), STOA_OK);
        uint32_t before = stoa_tick(w);
        stoa_tick_advance(w);
        assert_int_equal(stoa_set(w, e, V, {6, 0}), STOA_OK);
        assert_int_equal(stoa_remove(w, e, V), STOA_OK);
        assert_int_equal(stoa_add(w, e, Tag), STOA_OK);
        assert_int_equal(stoa_remove(w, e, Tag), STOA_OK);
        stoa_log log = stoa_removed_since(w, V, before);
        assert_true(stoa_log_next(&log));
        assert_false(stoa_log_next(&log));
        log = stoa_removed_since(w, Tag, before);
        assert_true(stoa_log_next(&log));
        assert_int_equal(stoa_log_keep(w, 0), STOA_OK);
        assert_int_equal(stoa_set(w, e, V, {7, 0}), STOA_OK);
        assert_int_equal(stoa_remove(w, e, V), STOA_OK);
    }
}

static void enter_tell(stoa_world *w, stoa_entity e, void *user) {
    (void)w;
    tale_add(&t, "%s%u", (const char *)user, e.index);
}

/* HOK-06 */
static void observers_that_come_and_go_are_noticed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = entity_make(w);
    for (int round = 0; round < 2; round++) {
        stoa_hook seen = stoa_observe(
            w, &(stoa_observer_desc){.query = {.terms = {STOA_FILTER(P), STOA_FILTER(V)}},
                                     .enter = enter_tell,
                                     .user = (void *)(uintptr_t) ">"});
        assert_int_not_equal(seen.id, 0);
        assert_int_equal(stoa_set(w, e, V, {4, 0}), STOA_OK);
        assert_int_equal(stoa_remove(w, e, V), STOA_OK);
        assert_int_equal(stoa_add(w, e, V), STOA_OK);
        assert_int_equal(stoa_remove(w, e, V), STOA_OK);
        tale_expect(&t, ">1 >1");
        assert_int_equal(stoa_hook_remove(w, seen), STOA_OK);
        assert_int_equal(stoa_set(w, e, V, {4, 0}), STOA_OK);
        assert_int_equal(stoa_remove(w, e, V), STOA_OK);
        tale_expect(&t, "");
    }
}

/* Adds V to another entity, which calls it again: one deeper each time. */
static int depth, deepest;
static stoa_status last;
static stoa_entity chain[STOA_HOOK_DEPTH + 4];

static void chain_add(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e, (void)value, (void)user;
    depth++;
    deepest = depth > deepest ? depth : deepest;
    if (depth < STOA_HOOK_DEPTH + 4) {
        last = stoa_set(w, chain[depth], V, {depth, 0});
    }
    depth--;
}

/* HOK-04: hooks that call each other by the short way find the same end. */
static void hooks_on_the_short_way_have_a_depth(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_hook hook = stoa_on_add(w, V, chain_add, NULL);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < STOA_HOOK_DEPTH + 4; i++) {
            chain[i] = stoa_create_with(w, STOA_VALUE(P, {1, 2}));
        }
        depth = deepest = 0;
        last = STOA_OK;
        assert_int_equal(stoa_set(w, chain[0], V, {0, 0}), STOA_OK);
        assert_int_equal(deepest, STOA_HOOK_DEPTH);
        for (int i = 0; i < STOA_HOOK_DEPTH + 4; i++) {
            assert_int_equal(stoa_has(w, chain[i], V), i < STOA_HOOK_DEPTH);
        }
        assert_int_equal(w->hooks.depth, 0);
        assert_int_equal(w->storage.head.open, 0);
        assert_int_equal(stoa_check(w), STOA_OK);
    }
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    s->asserts_seen = s->asserts;
}

/* STO-01: two components whose ways are remembered at one place, by turns from one archetype. */
static void ways_at_one_place_are_told_apart(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component first = stoa_id(w, V);
    for (int i = 1; i < STOA__HOPS; i++) {
        char name[16];
        snprintf(name, sizeof name, "C%d", i);
        stoa_component_register(w, &(stoa_component_desc){.name = name, .size = 8, .alignment = 4});
    }
    assert_int_equal(stoa_id(w, Q), first + STOA__HOPS);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(P, {1, 2}));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(stoa_set(w, e, V, {i, 0}), STOA_OK);
        assert_true(stoa_has(w, e, V) && !stoa_has(w, e, Q));
        assert_int_equal(stoa_remove(w, e, V), STOA_OK);
        assert_int_equal(stoa_set(w, e, Q, {i, 1}), STOA_OK);
        assert_true(stoa_has(w, e, Q) && !stoa_has(w, e, V));
        assert_int_equal(stoa_remove(w, e, Q), STOA_OK);
        assert_int_equal(stoa_add(w, e, V), STOA_OK);
        assert_int_equal(stoa_remove(w, e, V), STOA_OK);
        assert_int_equal(stoa_add(w, e, Q), STOA_OK);
        assert_true(stoa_has(w, e, Q) && !stoa_has(w, e, V));
        assert_int_equal(stoa_remove(w, e, Q), STOA_OK);
        assert_int_equal(stoa_check(w), STOA_OK);
    }
}

/* STO-01: archetypes by turns, chunks that grow meanwhile, and other components with the same
 * place in the memory of ways. */
static void ways_of_many_archetypes_are_told_apart(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component ids[100];
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "C%d", i);
        ids[i] = stoa_component_register(
            w, &(stoa_component_desc){.name = name, .fields = "{ int32_t value, more; }"});
    }
    stoa_entity e[40];
    for (int i = 0; i < 40; i++) {
        e[i] = i % 2 == 0 ? stoa_create_with(w, STOA_VALUE(P, {i, i}))
                          : stoa_create_with(w, STOA_VALUE(P, {i, i}), STOA_VALUE(Q, {i, 0}));
    }
    for (int pass = 0; pass < 6; pass++) {
        for (int i = 0; i < 40; i++) {
            for (int k = 0; k < 100; k += 9) {
                int32_t value[] = {pass * 10000 + i * 100 + k, k};
                assert_int_equal(stoa_set_id(w, e[i], ids[k], value, sizeof value), STOA_OK);
            }
            for (int k = 5; k < 97; k += STOA__HOPS) {
                int32_t value[] = {k, i};
                assert_int_equal(stoa_set_id(w, e[i], ids[k], value, sizeof value), STOA_OK);
                assert_int_equal(*(const int32_t *)stoa_get_id(w, e[i], ids[k]), k);
                assert_int_equal(stoa_remove_id(w, e[i], ids[k]), STOA_OK);
            }
            assert_int_equal(stoa_set(w, e[i], V, {i + pass, 0}), STOA_OK);
            for (int k = 0; k < 100; k += 9) {
                const int32_t *value = stoa_get_id(w, e[i], ids[k]);
                assert_int_equal(*value, pass * 10000 + i * 100 + k);
                assert_int_equal(stoa_remove_id(w, e[i], ids[k]), STOA_OK);
            }
            assert_int_equal(stoa_get(w, e[i], P)->value, i);
            assert_int_equal(stoa_get(w, e[i], V)->value, i + pass);
            assert_int_equal(stoa_remove(w, e[i], V), STOA_OK);
        }
        assert_int_equal(stoa_check(w), STOA_OK);
    }
}

int main(void) {
#define WITH_TALE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
    const struct CMUnitTest tests[] = {
        WITH_TALE(open_world_is_noticed),
        WITH_TALE(dead_handles_are_noticed),
        WITH_TALE(watchers_that_come_and_go_are_noticed),
        WITH_TALE(observers_that_come_and_go_are_noticed),
        WITH_TALE(hooks_on_the_short_way_have_a_depth),
        WITH_TALE(ways_at_one_place_are_told_apart),
        WITH_TALE(ways_of_many_archetypes_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

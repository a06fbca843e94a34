/* Observers and components that extensions keep: hooks of an entity may give it one and take it
 * away in the middle of another change, and every observer is still told of each entering and
 * leaving once, in turn. */
#include "support/support.h"

STOA_COMPONENT(A, { int32_t value; });
STOA_COMPONENT(B, { int32_t value; });
STOA_TAG(C);
STOA_COMPONENT_WITH(K, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED),
                    { int32_t value; });
STOA_COMPONENT_WITH(L, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED),
                    { int32_t value; });

#define OBSERVERS 10
#define ENTITIES 6

static stoa_world *w;
static support_random random;
static bool hooks_act;
static int inner;

/* What an observer was told, by entity. */
static struct watcher {
    stoa_query *query;
    bool in[64];
} watchers[OBSERVERS];

static void entered(stoa_world *world, stoa_entity e, void *user) {
    (void)world;
    struct watcher *watcher = user;
    assert_false(watcher->in[e.index]);
    watcher->in[e.index] = true;
}

static void left(stoa_world *world, stoa_entity e, void *user) {
    (void)world;
    struct watcher *watcher = user;
    assert_true(watcher->in[e.index]);
    watcher->in[e.index] = false;
}

/* Gives and takes what is kept, now and then. What is about to go anyway is refused. */
static void meddle(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value, (void)user;
    if (!hooks_act || stoa_lock_of(world, e) == STOA_LOCK_LOSING) {
        return;
    }
    stoa_component ids[] = {stoa_id(world, K), stoa_id(world, L)};
    stoa_component id = ids[support_random_below(&random, 2)];
    inner++;
    switch (support_random_below(&random, 4)) {
    case 0:
        stoa_add_id(world, e, id);
        break;
    case 1:
        stoa_remove_id(world, e, id);
        break;
    default:
        break;
    }
}

static void watchers_add(void) {
    const stoa_query_desc descs[OBSERVERS] = {
        {.terms = {STOA_FILTER(K)}},
        {.terms = {STOA_WITHOUT(K)}},
        {.terms = {STOA_READ(A), STOA_FILTER(K)}},
        {.terms = {STOA_READ(A), STOA_WITHOUT(K)}},
        {.terms = {STOA_WITHOUT(A), STOA_FILTER(K)}},
        {.terms = {STOA_WITHOUT(A), STOA_WITHOUT(K)}},
        {.terms = {STOA_READ(A), STOA_READ(B), STOA_WITHOUT(C), STOA_FILTER(K)}},
        {.terms = {STOA_ANY(A), STOA_ANY(K), STOA_WITHOUT(B)}},
        {.terms = {STOA_FILTER(L), STOA_WITHOUT(K), STOA_READ(B)}},
        {.terms = {STOA_ANY(K), STOA_ANY(L), STOA_WITHOUT(C)}},
    };
    for (int i = 0; i < OBSERVERS; i++) {
        memset(watchers[i].in, 0, sizeof watchers[i].in);
        watchers[i].query = stoa_query_new(w, &descs[i]);
        stoa_observer_desc desc = {
            .query = descs[i], .enter = entered, .leave = left, .user = &watchers[i]};
        assert_int_not_equal(stoa_observe(w, &desc).id, 0);
    }
    stoa_type *types[] = {STOA_TYPE_OF(A), STOA_TYPE_OF(B), STOA_TYPE_OF(C), STOA_TYPE_OF(K)};
    for (int i = 0; i < 4; i++) {
        for (int kind = STOA_ON_ADD; kind <= STOA_ON_SET; kind++) {
            stoa_hook_type(w, (stoa_hook_kind)kind, types[i], meddle, NULL);
        }
    }
}

static void watchers_check(uint32_t seed, int step) {
    for (int i = 0; i < OBSERVERS; i++) {
        for (stoa_entity e = stoa_entity_next(w, STOA_NULL); e.index != 0;
             e = stoa_entity_next(w, e)) {
            if (watchers[i].in[e.index] != stoa_query_matches(watchers[i].query, e)) {
                print_message("seed %u, step %d: observer %d, entity %u\n", seed, step, i, e.index);
                fail();
            }
        }
    }
}

/* One change of one entity, with whatever its hooks do. */
static void entity_change(stoa_entity *e) {
    if (e->index == 0) {
        switch (support_random_below(&random, 3)) {
        case 0:
            *e = stoa_create(w);
            return;
        case 1:
            *e = stoa_create_with(w, STOA_VALUE(A, {1}), STOA_ZERO(C));
            return;
        default:
            *e = stoa_create_with(w, STOA_VALUE(B, {1}), STOA_VALUE(K, {2}));
            return;
        }
    }
    stoa_entity clone;
    switch (support_random_below(&random, 10)) {
    case 0:
        stoa_set(w, *e, A, {3});
        break;
    case 1:
        stoa_remove(w, *e, A);
        break;
    case 2:
        stoa_change(w, *e, STOA_VALUE(B, {1}), STOA_REMOVE(A));
        break;
    case 3:
        stoa_change(w, *e, STOA_VALUE(A, {1}), STOA_REMOVE(C), STOA_VALUE(B, {4}));
        break;
    case 4:
        stoa_add(w, *e, C);
        break;
    case 5:
        stoa_set(w, *e, K, {5});
        break;
    case 6:
        stoa_remove(w, *e, K);
        break;
    case 7:
        clone = stoa_clone(w, *e);
        stoa_destroy(w, *e);
        *e = clone;
        break;
    case 8:
        stoa_clear(w, *e);
        break;
    default:
        stoa_destroy(w, *e);
        *e = STOA_NULL;
        break;
    }
}

/* HOK-04, HOK-06 */
static void observers_agree_with_queries_whatever_hooks_keep(void **state) {
    (void)state;
    inner = 0;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        support_world own;
        support_world_open(&own);
        w = own.world;
        random.state = seed;
        watchers_add();
        hooks_act = true;
        stoa_entity entities[ENTITIES] = {{0}};
        for (int step = 0; step < 60; step++) {
            entity_change(&entities[support_random_below(&random, ENTITIES)]);
            watchers_check(seed, step);
        }
        hooks_act = false;
        support_world_close(&own);
    }
    assert_true(inner > 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observers_agree_with_queries_whatever_hooks_keep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

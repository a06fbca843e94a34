/* Whole-query operations against the same done entity by entity: two worlds with one history,
 * compared entity by entity after every operation. */
#include "support/seeds.h"

/* Values that own something; those of both worlds are counted together. */
static int lives;

static void owner_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (uint64_t *item = items; count > 0; count--, item++) {
        assert_true(*item < 0x1000);
        lives -= *item != 0;
        *item = 0xDEAD;
    }
}

static void owner_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        ((uint64_t *)to)[i] = ((uint64_t *)from)[i];
        ((uint64_t *)from)[i] = 0xDEAD;
    }
}

static bool owner_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        ((uint64_t *)to)[i] = ((const uint64_t *)from)[i];
        lives += ((const uint64_t *)from)[i] != 0;
    }
    return true;
}

/* Types of every kind that has a path of its own. */
enum { TYPES = 13, TYPE_OWNER = 3, TYPE_EXACT = 4, TYPE_SWITCH = 5, TYPE_SPARSE = 6 };

static const stoa_component_desc type_descs[TYPES] = {
    {.name = "Vector", .size = 12},
    {.name = "Byte", .size = 1},
    {.name = "Wide", .size = 72},
    {.name = "Owner", .size = 8, .hooks = {owner_drop, owner_move, owner_copy, NULL, NULL}},
    {.name = "Exact", .size = 4, .flags = STOA_ROW_TICKS},
    {.name = "Switch", .size = 4, .flags = STOA_SWITCHABLE | STOA_ROW_TICKS},
    {.name = "Sparse", .size = 8, .flags = STOA_SPARSE},
    {.name = "TagA"},
    {.name = "TagB"},
    {.name = "TagC"},
    {.name = "TagD"},
    {.name = "TagE"},
    {.name = "TagSwitch", .flags = STOA_SWITCHABLE},
};

enum { PAIRS = 20000, QUERIES = 6, VALUE_MAX = 72 };

/* The same entity in both worlds, and when its components were written last. */
typedef struct pair {
    stoa_entity in[2];
    uint32_t changed[TYPES];
} pair;

typedef struct twins {
    support_world worlds[2]; /* whole-query operations, and one call for each entity */
    stoa_query *queries[2][QUERIES];
    pair *pairs;
    int32_t *by_index; /* entities of the second world to their pairs */
    int32_t count;
    support_random random;
} twins;

static void value_make(uint8_t *value, uint32_t number, uint32_t size) {
    for (uint32_t i = 0; i < size; i++) {
        value[i] = (uint8_t)(number + i);
    }
    if (size == 8) {
        memcpy(value, &(uint64_t){1 + number % 0xFFF}, 8);
    }
}

static void twins_open(twins *t, uint64_t seed) {
    memset(t, 0, sizeof *t);
    lives = 0;
    t->random.state = seed;
    t->pairs = test_malloc(PAIRS * sizeof *t->pairs);
    t->by_index = test_malloc((PAIRS + 1) * sizeof *t->by_index);
    for (int k = 0; k < 2; k++) {
        support_world_open_with(&t->worlds[k], k == 0 ? 16384 : 40000);
        for (stoa_component i = 0; i < TYPES; i++) {
            assert_int_equal(stoa_component_register(t->worlds[k].world, &type_descs[i]), i + 1);
        }
    }
}

static void twins_close(twins *t) {
    support_world_close(&t->worlds[0]);
    support_world_close(&t->worlds[1]);
    test_free(t->pairs);
    test_free(t->by_index);
    assert_int_equal(lives, 0);
}

/* Makes a query of some terms in both worlds. None filters by tick: chunks of the two may tell more
 * than was changed, and not the same. */
static void query_renew(twins *t, uint32_t slot) {
    static const stoa_access accesses[] = {STOA_ACCESS_READ,     STOA_ACCESS_WITHOUT,
                                           STOA_ACCESS_WITHOUT,  STOA_ACCESS_FILTER,
                                           STOA_ACCESS_OPTIONAL, STOA_ACCESS_ANY};
    stoa_query_desc desc = {.name = "twin"};
    uint32_t used = 0, count = 0;
    for (uint32_t left = support_random_below(&t->random, 4); left > 0; left--) {
        uint32_t type = support_random_below(&t->random, TYPES);
        stoa_access access = accesses[support_random_below(&t->random, 6)];
        if ((used >> type & 1) == 0) {
            desc.terms[count++] = (stoa_term){NULL, type + 1, access, 0};
            used |= 1u << type;
        }
    }
    for (int k = 0; k < 2; k++) {
        assert_int_equal(stoa_query_free(t->queries[k][slot]), STOA_OK);
        t->queries[k][slot] = stoa_query_new(t->worlds[k].world, &desc);
        assert_non_null(t->queries[k][slot]);
    }
}

/* Gives an entity a component in one of the worlds, with a value made of a number. */
static void value_give(twins *t, int k, stoa_entity e, uint32_t type, uint32_t number) {
    uint8_t value[VALUE_MAX];
    value_make(value, number, type_descs[type].size);
    lives += type == TYPE_OWNER;
    assert_int_equal(stoa_set_id(t->worlds[k].world, e, type + 1, value, type_descs[type].size),
                     STOA_OK);
}

/* Makes some entities with the same random set of components in both worlds. */
static void pairs_create(twins *t) {
    uint32_t set = support_random_next(&t->random) & support_random_next(&t->random);
    for (uint32_t n = support_random_below(&t->random, 900); n > 0 && t->count < PAIRS; n--) {
        pair *p = &t->pairs[t->count];
        memset(p, 0, sizeof *p);
        for (int k = 0; k < 2; k++) {
            p->in[k] = stoa_create(t->worlds[k].world);
            for (uint32_t i = 0; i < TYPES; i++) {
                if ((set >> i & 1) != 0) {
                    value_give(t, k, p->in[k], i, (uint32_t)t->count);
                    p->changed[i] = stoa_tick(t->worlds[k].world);
                }
            }
        }
        t->by_index[p->in[1].index] = t->count++;
    }
}

/* Switches some components off or on. */
static void pairs_switch(twins *t) {
    stoa_component id = (support_random_below(&t->random, 2) == 0 ? TYPE_SWITCH : TYPES - 1) + 1;
    bool on = support_random_below(&t->random, 3) == 0;
    for (int32_t n = 0; n < 300 && t->count > 0; n++) {
        pair *p = &t->pairs[support_random_below(&t->random, (uint32_t)t->count)];
        const stoa_world *w = t->worlds[0].world;
        if (on && stoa_has_id(w, p->in[0], id) && !stoa_enabled_id(w, p->in[0], id)) {
            p->changed[id - 1] = stoa_tick(w);
        }
        for (int k = 0; k < 2; k++) {
            if (stoa_has_id(t->worlds[k].world, p->in[k], id)) {
                assert_int_equal(stoa_enable_id(t->worlds[k].world, p->in[k], id, on), STOA_OK);
            }
        }
    }
}

/* Both worlds have the same entities with the same content, in the same order. No write is missed
 * by the ticks of the first, and those kept for each entity are exact. */
static void twins_compare(const twins *t) {
    const stoa_world *a = t->worlds[0].world, *b = t->worlds[1].world;
    assert_int_equal(stoa_count(a), t->count);
    assert_int_equal(stoa_count(b), t->count);
    for (int32_t i = 0; i < t->count; i++) {
        const pair *p = &t->pairs[i];
        assert_true(stoa_alive(a, p->in[0]) && stoa_alive(b, p->in[1]));
        for (stoa_component id = 1; id <= TYPES; id++) {
            const stoa_component_desc *desc = &type_descs[id - 1];
            bool has = stoa_has_id(b, p->in[1], id);
            assert_int_equal(stoa_has_id(a, p->in[0], id), has);
            assert_int_equal(stoa_enabled_id(a, p->in[0], id), stoa_enabled_id(b, p->in[1], id));
            if (!has) {
                continue;
            }
            uint32_t since = p->changed[id - 1];
            assert_memory_equal(stoa_get_id(a, p->in[0], id), stoa_get_id(b, p->in[1], id),
                                desc->size);
            assert_true(stoa_changed_id(a, p->in[0], id, since - 1));
            assert_false((desc->flags & (STOA_ROW_TICKS | STOA_SPARSE)) != 0 &&
                         stoa_changed_id(a, p->in[0], id, since));
        }
    }
    for (int k = 0; k < 2; k++) {
        assert_int_equal(stoa_check(t->worlds[k].world), STOA_OK);
    }
    assert_true(stoa_hash(a) == stoa_hash(b));
    for (int i = 0; i < QUERIES; i++) {
        if (t->queries[0][i] != NULL) {
            assert_int_equal(stoa_query_count(t->queries[0][i]),
                             stoa_query_count(t->queries[1][i]));
        }
    }
}

typedef enum deed { DEED_ADD, DEED_SET, DEED_REMOVE, DEED_DESTROY } deed;

/* Does it to an entity of the second world, by a call of its own. */
static void single_apply(twins *t, deed what, stoa_entity e, uint32_t type, uint32_t number) {
    stoa_world *w = t->worlds[1].world;
    pair *p = &t->pairs[t->by_index[e.index]];
    assert_true(stoa_entity_eq(p->in[1], e));
    if (what == DEED_SET || (what == DEED_ADD && !stoa_has_id(w, e, type + 1))) {
        p->changed[type] = stoa_tick(w);
    }
    switch (what) {
    case DEED_ADD:
        assert_int_equal(stoa_add_id(w, e, type + 1), STOA_OK);
        break;
    case DEED_SET:
        value_give(t, 1, e, type, number);
        break;
    case DEED_REMOVE:
        assert_int_equal(stoa_remove_id(w, e, type + 1), STOA_OK);
        break;
    default:
        assert_int_equal(stoa_destroy(w, e), STOA_OK);
        *p = t->pairs[--t->count];
        t->by_index[p->in[1].index] = (int32_t)(p - t->pairs);
        break;
    }
}

/* Does it to all that a query of the first world matches, by one call. */
static void whole_apply(deed what, stoa_query *query, uint32_t type, uint32_t number) {
    uint8_t value[VALUE_MAX];
    stoa_status status;
    switch (what) {
    case DEED_ADD:
        status = stoa_query_add_id(query, type + 1);
        break;
    case DEED_SET:
        value_make(value, number, type_descs[type].size);
        status = stoa_query_set_id(query, type + 1, value, type_descs[type].size);
        break;
    case DEED_REMOVE:
        status = stoa_query_remove_id(query, type + 1);
        break;
    default:
        status = stoa_query_destroy(query);
        break;
    }
    assert_int_equal(status, STOA_OK);
}

static void twins_change(twins *t, deed what) {
    uint32_t slot = support_random_below(&t->random, QUERIES);
    uint32_t type = support_random_below(&t->random, TYPES);
    uint32_t number = support_random_below(&t->random, 200);
    if (t->queries[0][slot] == NULL || support_random_below(&t->random, 4) == 0) {
        query_renew(t, slot);
    }
    stoa_query *query = t->queries[1][slot];
    int32_t count = 0, expected = stoa_query_count(query);
    stoa_entity *list = test_malloc(((size_t)expected + 1) * sizeof *list);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        memcpy(list + count, it.entities, (size_t)it.count * sizeof *list);
        count += it.count;
    }
    assert_int_equal(count, expected);
    if (what == DEED_DESTROY && count > 3000) {
        what = DEED_ADD;
    }
    whole_apply(what, t->queries[0][slot], type, number);
    for (int32_t i = 0; i < count; i++) {
        single_apply(t, what, list[i], type, number);
    }
    test_free(list);
}

static void twins_run(uint64_t seed, int steps) {
    twins t;
    twins_open(&t, seed);
    for (int i = 0; i < steps; i++) {
        uint32_t dice = support_random_below(&t.random, 20);
        stoa_tick_advance(t.worlds[0].world);
        stoa_tick_advance(t.worlds[1].world);
        if (dice < 5) {
            pairs_create(&t);
        } else if (dice < 7) {
            pairs_switch(&t);
        } else if (dice == 7) {
            assert_int_equal(stoa_compact(t.worlds[0].world), STOA_OK);
        } else {
            twins_change(&t, dice == 8 ? DEED_DESTROY : (deed)(dice % 3));
        }
        twins_compare(&t);
    }
    twins_close(&t);
}

/* ACC-09 CHG-02 CMP-11 */
static void operations_do_what_single_calls_would(void **state) {
    (void)state;
    for (support_seeds s = support_seeds_of(8); support_seeds_next(&s);) {
        twins_run(s.seed * 7919, 50);
    }
}

/* Told of everything, by which operations go entity by entity. */
static void hook_nothing(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world, (void)e, (void)value;
    (*(int *)user)++;
}

/* ACC-09 HOK-02: hooks are called as often as by single calls. */
static void operations_that_are_told_do_the_same(void **state) {
    (void)state;
    for (support_seeds s = support_seeds_of(3); support_seeds_next(&s);) {
        twins t;
        int calls[2] = {0, 0};
        twins_open(&t, s.seed * 104729);
        for (int k = 0; k < 2; k++) {
            for (stoa_component id = 1; id <= TYPES; id++) {
                for (int kind = STOA_ON_ADD; kind <= STOA_ON_SET; kind++) {
                    stoa_hook hook = stoa_hook_new(t.worlds[k].world,
                                                   &(stoa_hook_desc){.kind = (stoa_hook_kind)kind,
                                                                     .component = id,
                                                                     .call = hook_nothing,
                                                                     .user = &calls[k]});
                    assert_int_not_equal(hook.id, 0);
                }
            }
        }
        for (int i = 0; i < 30; i++) {
            stoa_tick_advance(t.worlds[0].world);
            stoa_tick_advance(t.worlds[1].world);
            if (i % 3 == 0) {
                pairs_create(&t);
            } else {
                twins_change(&t, (deed)(support_random_below(&t.random, 13) / 4));
            }
            twins_compare(&t);
            assert_int_equal(calls[0], calls[1]);
        }
        assert_true(calls[0] > 100);
        twins_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(operations_do_what_single_calls_would),
        support_seeds_test(operations_that_are_told_do_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Parts of random queries over random worlds against asking each entity. */
#include "query/cut_fixture.h"
#include "support/seeds.h"

#define KINDS 7
#define ENTITIES 3000

static stoa_type *const types[KINDS] = {&Plain_stoa,  &Other_stoa, &Exact_stoa, &Switch_stoa,
                                        &Sparse_stoa, &Loose_stoa, &Tag_stoa};

typedef struct game {
    support_world s;
    support_random random;
    stoa_entity made[ENTITIES];
    stoa_component ids[KINDS];
    uint32_t ticks[64]; /* some that were, to ask for */
} game;

static uint32_t below(game *g, uint32_t n) {
    return support_random_below(&g->random, n);
}

static bool switchable(uint32_t kind) {
    return (types[kind]->options.flags & STOA_SWITCHABLE) != 0;
}

/* Changes one entity in some way. */
static void entity_change(game *g) {
    static const uint8_t zeros[16];
    stoa_world *w = g->s.world;
    stoa_entity *e = &g->made[below(g, ENTITIES)];
    uint32_t kind = below(g, KINDS);
    if (!stoa_alive(w, *e)) {
        *e = stoa_create(w);
        return;
    }
    switch (below(g, 8)) {
    case 0:
        assert_int_equal(stoa_destroy(w, *e), STOA_OK);
        break;
    case 1:
        assert_int_equal(stoa_remove_id(w, *e, g->ids[kind]), STOA_OK);
        break;
    case 2:
        if (switchable(kind) && stoa_has_id(w, *e, g->ids[kind])) {
            assert_int_equal(stoa_enable_id(w, *e, g->ids[kind], below(g, 2) == 0), STOA_OK);
        }
        break;
    case 3:
        stoa_tick_advance(w);
        g->ticks[below(g, 64)] = stoa_tick(w);
        break;
    default:
        assert_int_equal(stoa_set_id(w, *e, g->ids[kind], zeros, types[kind]->size), STOA_OK);
    }
}

static bool is_on(const game *g, stoa_entity e, stoa_component id) {
    return stoa_has_id(g->s.world, e, id) && stoa_enabled_id(g->s.world, e, id);
}

/* Whether an entity is one that the terms ask for, one component at a time. */
static bool entity_matches(const game *g, stoa_entity e, const stoa_term *terms, uint32_t since) {
    const stoa_world *w = g->s.world;
    bool group_asked[3] = {false}, group_met[3] = {false};
    for (int i = 0; terms[i].access != STOA_ACCESS_END; i++) {
        const stoa_term *term = &terms[i];
        bool on = is_on(g, e, term->id), good = on;
        switch (term->access) {
        case STOA_ACCESS_WITHOUT:
            good = !on;
            break;
        case STOA_ACCESS_OPTIONAL:
        case STOA_ACCESS_OPTIONAL_WRITE:
            good = true;
            break;
        case STOA_ACCESS_ANY:
        case STOA_ACCESS_ANY_WRITE:
            group_asked[term->group] = good = true;
            group_met[term->group] |= on;
            break;
        case STOA_ACCESS_CHANGED:
            good = on && stoa_changed_id(w, e, term->id, since);
            break;
        case STOA_ACCESS_ADDED:
            good = on && stoa_added_id(w, e, term->id, since);
            break;
        default:
            break;
        }
        if (!good) {
            return false;
        }
    }
    for (int i = 0; i < 3; i++) {
        if (group_asked[i] && !group_met[i]) {
            return false;
        }
    }
    return true;
}

/* The parts visit every entity that matches once, and no other. */
static void parts_complete(game *g, stoa_query *query, const stoa_term *terms,
                           const uint32_t *since) {
    static visit_list got;
    stoa_world *w = g->s.world;
    static uint8_t seen[1 << 20];
    int32_t expected = 0, parts = stoa_query_cut(query, since, (int32_t)below(g, 500));
    uint32_t tick = since != NULL ? *since : tick_long_ago(w);
    list_parts(&got, query, parts);
    memset(seen, 0, sizeof seen);
    for (int32_t i = 0; i < got.count; i++) {
        assert_true(stoa_alive(w, got.items[i]));
        assert_int_equal(seen[got.items[i].index]++, 0);
    }
    for (stoa_entity e = stoa_entity_next(w, STOA_NULL); e.index != 0; e = stoa_entity_next(w, e)) {
        bool matches = entity_matches(g, e, terms, tick);
        assert_int_equal(seen[e.index], matches);
        expected += matches;
    }
    assert_int_equal(got.count, expected);
}

/* Random terms, each component in one role at most. */
static stoa_query *query_random(game *g, stoa_query_desc *desc) {
    int count = 0;
    *desc = (stoa_query_desc){.name = NULL};
    for (uint32_t k = 0; k < KINDS; k++) {
        if (below(g, 10) < 3) {
            stoa_access access = (stoa_access)(1 + below(g, STOA_ACCESS_ADDED));
            desc->terms[count++] = (stoa_term){NULL, g->ids[k], access, (int32_t)below(g, 3)};
        }
    }
    return count > 0 ? stoa_query_new(g->s.world, desc) : NULL;
}

static void game_play(uint64_t seed) {
    static game g;
    memset(&g, 0, sizeof g);
    g.random.state = seed;
    support_world_open_with(&g.s, 16384);
    for (uint32_t k = 0; k < KINDS; k++) {
        g.ids[k] = stoa_type_register(g.s.world, types[k]);
    }
    for (int i = 0; i < 64; i++) {
        g.ticks[i] = stoa_tick(g.s.world);
    }
    /* Some that are alike, for archetypes of several chunks. */
    stoa_value values[] = {STOA_ZERO(Plain), STOA_ZERO(Exact), STOA_ZERO(Switch)};
    int32_t many = (int32_t)below(&g, ENTITIES);
    assert_int_equal(stoa_create_bulk_values(g.s.world, many, g.made, values, 3), STOA_OK);
    stoa_query *kept[8] = {NULL};
    stoa_query_desc desc[8];
    for (int round = 0; round < 12; round++) {
        for (uint32_t n = below(&g, 3000); n > 0; n--) {
            entity_change(&g);
        }
        uint32_t at = below(&g, 8);
        assert_int_equal(stoa_query_free(kept[at]), STOA_OK);
        kept[at] = query_random(&g, &desc[at]);
        for (int i = 0; i < 8; i++) {
            if (kept[i] != NULL) {
                uint32_t since = g.ticks[below(&g, 64)];
                cut_agrees(kept[i], below(&g, 2) == 0 ? &since : NULL, (int32_t)below(&g, 2000));
                parts_complete(&g, kept[i], desc[i].terms, below(&g, 2) == 0 ? &since : NULL);
            }
        }
    }
    support_world_close(&g.s);
}

/* SYS-06 QRY-02 */
static void parts_agree_with_asking_each_entity(void **state) {
    (void)state;
    for (support_seeds s = support_seeds_of(30); support_seeds_next(&s);) {
        game_play(s.seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(parts_agree_with_asking_each_entity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

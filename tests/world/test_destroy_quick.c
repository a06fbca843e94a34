/* Destroying small rows, which goes a short way: it must come to the same as the long one, in every
 * place a row can be, with whatever ticks. A world that somebody listens in to one entity of takes
 * the long way: that is the twin. */
#include "support/seeds.h"

#include "storage/archetype.h"
#include "world/world.h"

STOA_COMPONENT(Small, { int32_t x, y; });
STOA_COMPONENT(Three, { float x, y, z; });
STOA_COMPONENT(Pair, { int64_t a, b; });
STOA_COMPONENT(Eight, { int32_t x, y; });
STOA_COMPONENT(Spot, { float x, y, z; });
STOA_COMPONENT(Spin, { float x, y, z; });
STOA_TAG(Mark);
STOA_COMPONENT(Hit, { int32_t damage; });

/* Archetypes: rows of several sizes, with a tag or without, and rows of columns of one size. */
typedef enum kind { MIXED, TAGGED, EVEN_8, EVEN_12, VECTORS, EVEN_ONE, KINDS } kind;

/* Two worlds that are treated alike. */
typedef struct twins {
    support_world s[2]; /* quick, and not */
    stoa_entity e[4000];
    int32_t count;
} twins;

static twins t;

static void hear_nothing(stoa_world *world, const stoa_event *event, void *user) {
    (void)world, (void)event, (void)user;
}

static void twins_open(void) {
    t.count = 0;
    for (int i = 0; i < 2; i++) {
        support_world_open_with(&t.s[i], 16384);
        stoa_entity watched = stoa_create(t.s[i].world);
        if (i == 1) {
            stoa_listener ear =
                stoa_listener_new(t.s[i].world, &(stoa_listener_desc){.type = STOA_TYPE_OF(Hit),
                                                                      .target = watched,
                                                                      .call = hear_nothing});
            assert_int_not_equal(ear.id, 0);
        }
    }
    stoa_id(t.s[0].world, Hit);
}

static void twins_close(void) {
    support_world_close(&t.s[0]);
    support_world_close(&t.s[1]);
}

#define BOTH(call)                                                                                 \
    do {                                                                                           \
        for (int both = 0; both < 2; both++) {                                                     \
            stoa_world *w = t.s[both].world;                                                       \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

static stoa_entity row_make(stoa_world *w, int32_t i, kind what) {
    switch (what) {
    case MIXED:
        return stoa_create_with(w, STOA_VALUE(Small, {i, 0}), STOA_VALUE(Three, {1, 2, (float)i}));
    case TAGGED:
        return stoa_create_with(w, STOA_VALUE(Small, {i, 0}), STOA_VALUE(Three, {1, 2, (float)i}),
                                STOA_VALUE(Pair, {i, -i}), STOA_ZERO(Mark));
    case EVEN_8:
        return stoa_create_with(w, STOA_VALUE(Small, {i, 0}), STOA_VALUE(Eight, {-i, i}));
    case EVEN_12:
        return stoa_create_with(w, STOA_VALUE(Three, {(float)i, 2, 3}),
                                STOA_VALUE(Spot, {4, (float)i, 6}),
                                STOA_VALUE(Spin, {7, 8, (float)i}));
    case VECTORS:
        return stoa_create_with(w, STOA_VALUE(Spot, {4, (float)i, (float)-i}),
                                STOA_VALUE(Spin, {7, (float)i, (float)(i + 1)}));
    default:
        return stoa_create_with(w, STOA_VALUE(Pair, {i, -i}));
    }
}

/* Makes entities of one archetype. */
static void pairs_make(int32_t count, kind what) {
    for (int32_t i = 0; i < count; i++) {
        stoa_entity made[2];
        for (int k = 0; k < 2; k++) {
            made[k] = row_make(t.s[k].world, i, what);
        }
        assert_true(stoa_entity_eq(made[0], made[1]));
        t.e[t.count++] = made[0];
    }
}

/* Writes to the first of some components that the entity has. */
static void row_write(stoa_world *w, stoa_entity e, bool backwards) {
    stoa_type *types[] = {STOA_TYPE_OF(Small), STOA_TYPE_OF(Spot),  STOA_TYPE_OF(Pair),
                          STOA_TYPE_OF(Three), STOA_TYPE_OF(Eight), STOA_TYPE_OF(Spin)};
    for (int i = 0; i < 6; i++) {
        int32_t *value = stoa_try_mut_type(w, e, types[backwards ? 5 - i : i]);
        if (value != NULL) {
            *value = 5;
            return;
        }
    }
    fail();
}

static void pair_destroy(int32_t at) {
    stoa_entity e = t.e[at];
    BOTH(assert_int_equal(stoa_destroy(w, e), STOA_OK));
    BOTH(assert_false(stoa_alive(w, e)));
}

/* What is known of every entity's ticks is the same in both, and so is all else. */
static void twins_compare(uint32_t ticks) {
    assert_int_equal(t.s[0].world->storage.free_first, t.s[1].world->storage.free_first);
    assert_true(stoa_hash(t.s[0].world) == stoa_hash(t.s[1].world));
    BOTH(assert_int_equal(stoa_check(w), STOA_OK));
    stoa_type *types[] = {STOA_TYPE_OF(Small), STOA_TYPE_OF(Three), STOA_TYPE_OF(Pair),
                          STOA_TYPE_OF(Mark),  STOA_TYPE_OF(Eight), STOA_TYPE_OF(Spot),
                          STOA_TYPE_OF(Spin)};
    for (int32_t i = 0; i < t.count; i++) {
        for (uint32_t since = 0; since <= ticks; since++) {
            for (int k = 0; k < 7; k++) {
                assert_int_equal(stoa_changed_type(t.s[0].world, t.e[i], types[k], since),
                                 stoa_changed_type(t.s[1].world, t.e[i], types[k], since));
                assert_int_equal(stoa_added_type(t.s[0].world, t.e[i], types[k], since),
                                 stoa_added_type(t.s[1].world, t.e[i], types[k], since));
            }
        }
    }
}

static int32_t capacity_of(stoa_entity e) {
    stoa_archetype_info info;
    stoa_world *w = t.s[0].world;
    assert_int_equal(stoa_archetype_info_get(w, stoa_archetype_of(w, e), &info), STOA_OK);
    return info.chunk_capacity;
}

/* Three chunks, the last of few rows, with ticks that differ as told, those of the last one in its
 * last column or its first; then a row goes. */
static void places_verify(kind what, bool newer_first, bool newer_last, bool backwards,
                          bool second) {
    twins_open();
    pairs_make(1, what);
    /* Chunks grow until they are full. */
    int32_t full = 0;
    while (full != capacity_of(t.e[0])) {
        full = capacity_of(t.e[0]);
        pairs_make(full - t.count + 1, what);
    }
    BOTH(stoa_tick_advance(w));
    pairs_make(2 * full + 3 - t.count, what);
    BOTH(stoa_tick_advance(w));
    if (newer_first) {
        BOTH(row_write(w, t.e[0], true));
    }
    if (newer_last) {
        BOTH(row_write(w, t.e[t.count - 1], backwards));
    }
    stoa_archetype_info info;
    assert_int_equal(
        stoa_archetype_info_get(t.s[0].world, stoa_archetype_of(t.s[0].world, t.e[0]), &info),
        STOA_OK);
    assert_int_equal(info.chunk_count, 3);
    uint64_t fill = t.s[0].world->storage.archetypes[info.id]->fill;
    assert_true(fill != 0 && STOA__FILL_EVEN(fill) == (what >= EVEN_8));
    assert_true(STOA__FILL_VECTORS(fill) == (what == VECTORS));
    assert_true(t.s[1].world->storage.archetypes[info.id]->fill == 0);
    /* First, inside, at the end of a chunk, at the start of one, and the last until none is left in
     * its chunk. Rows of the second chunk are as old as those of the last, but for what was
     * written: there one column alone can be newer, if it is the first to be filled. */
    const int32_t at[] = {full, 0, full / 2, full - 1, full, 2 * full + 1};
    for (int i = second ? 0 : 1; i < 6; i++) {
        if (i != 4 || !second) {
            pair_destroy(at[i]);
            twins_compare(4);
        }
    }
    twins_close();
}

/* ENT-08 CHG-01: the row that fills the hole takes its ticks along. */
static void filler_takes_its_ticks_along(void **state) {
    (void)state;
    for (int what = 0; what < KINDS; what++) {
        for (int way = 0; way < 16; way++) {
            places_verify((kind)what, (way & 1) != 0, (way & 2) != 0, (way & 4) != 0,
                          (way & 8) != 0);
        }
    }
}

/* ENT-08 CHG-01: a tag that was added later to rows with columns as old as all others. */
static void filler_takes_the_ticks_of_its_tags_along(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity first = STOA_NULL, late[3];
    int32_t full = 0, count = 0;
    for (; full == 0 || count < full; count++) {
        stoa_entity e = stoa_create_with(w, STOA_VALUE(Small, {count, 0}), STOA_ZERO(Mark));
        first = count == 0 ? e : first;
        full = (int32_t)w->storage.archetypes[stoa_archetype_of(w, e)]->full_capacity;
    }
    for (int i = 0; i < 3; i++) {
        late[i] = stoa_create_with(w, STOA_VALUE(Small, {-1, 0}));
    }
    uint32_t before = stoa_tick(w);
    stoa_tick_advance(w);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stoa_add(w, late[i], Mark), STOA_OK);
    }
    assert_true(w->storage.archetypes[stoa_archetype_of(w, first)]->light);
    assert_false(stoa_added(w, first, Mark, before));
    assert_false(stoa_changed(w, late[2], Small, before));
    assert_int_equal(stoa_destroy(w, first), STOA_OK);
    assert_true(stoa_added(w, late[2], Mark, before));
    assert_false(stoa_changed(w, late[2], Small, before));
}

/* ENT-08 CHG-01: in any order, with writes and creations in between. */
static void destroying_at_random_is_the_same_both_ways(void **state) {
    (void)state;
    for (support_seeds seeds = support_seeds_of(KINDS); support_seeds_next(&seeds);) {
        support_random random = {seeds.seed};
        uint32_t tick = 0;
        twins_open();
        pairs_make(600, (kind)(seeds.seed % KINDS));
        while (t.count > 0) {
            uint32_t what = support_random_below(&random, 40);
            int32_t at = (int32_t)support_random_below(&random, (uint32_t)t.count);
            if (what == 0 && tick < 6) {
                BOTH(stoa_tick_advance(w));
                tick++;
            } else if (what == 1 && t.count < 700) {
                pairs_make(20, (kind)support_random_below(&random, KINDS));
            } else if (what < 5) {
                BOTH(row_write(w, t.e[at], what == 2));
            } else {
                pair_destroy(at);
                t.e[at] = t.e[--t.count];
            }
            if (support_random_below(&random, 100) == 0) {
                twins_compare(7);
            }
        }
        twins_compare(7);
        twins_close();
    }
}

/* ENT-03 ENT-04: handles that are stale, of no entity, or of a slot that has had its last tenant.
 */
static void handles_that_are_not_alive_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity keep[3];
    for (int32_t i = 0; i < 3; i++) {
        keep[i] = stoa_create_with(w, STOA_VALUE(Small, {i, 0}));
    }
    stoa_entity e = keep[1];
    assert_true(w->storage.archetypes[stoa_archetype_of(w, e)]->light);
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    const stoa_entity bad[] = {e,
                               {0, 0},
                               {0, 1},
                               {1, 0},
                               {2, 0},
                               {900, 1},
                               {UINT32_MAX, 1},
                               {e.index, e.generation + 1},
                               {e.index, (e.generation + 1) | STOA__DEAD}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(stoa_destroy(w, bad[i]), STOA_DEAD);
        assert_int_equal(stoa_count(w), 2);
    }
    s->asserts_seen = s->asserts;
    /* The last generation but one, then the last. */
    stoa_record *record = &w->storage.head.records[e.index];
    record->generation = STOA__DEAD | (STOA__GENERATION_MAX - 1);
    stoa_entity last = stoa_create_with(w, STOA_VALUE(Small, {7, 0}));
    assert_int_equal(last.index, e.index);
    assert_int_equal(last.generation, STOA__GENERATION_MAX - 1);
    assert_int_equal(stoa_destroy(w, last), STOA_OK);
    last = stoa_create_with(w, STOA_VALUE(Small, {8, 0}));
    assert_int_equal(last.generation, STOA__GENERATION_MAX);
    assert_int_equal(stoa_destroy(w, last), STOA_OK);
    assert_int_equal(stoa_destroy(w, last), STOA_DEAD);
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_entity next = stoa_create_with(w, STOA_VALUE(Small, {9, 0}));
    assert_int_not_equal(next.index, e.index);
    assert_int_equal(stoa_get(w, keep[0], Small)->x, 0);
    assert_int_equal(stoa_get(w, keep[2], Small)->x, 2);
    s->asserts_seen = s->asserts;
}

/* ENT-08: what makes an archetype more than a plain row, after its rows were destroyed quickly. */
static int drops;

static void note_remove(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w, (void)e, (void)user;
    drops += ((const Small *)value)->x;
}

static void late_watchers_are_told_of_the_dead(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[8];
    drops = 0;
    for (int32_t i = 0; i < 8; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Small, {1 << i, 0}));
    }
    assert_int_equal(stoa_destroy(w, e[0]), STOA_OK);
    stoa_hook hook = stoa_on_remove(w, Small, note_remove, NULL);
    assert_int_equal(stoa_destroy(w, e[1]), STOA_OK);
    assert_int_equal(drops, 2);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    assert_int_equal(stoa_destroy(w, e[2]), STOA_OK);
    assert_int_equal(drops, 2);
    assert_int_equal(stoa_log_keep(w, 10), STOA_OK);
    uint32_t before = stoa_tick(w);
    stoa_tick_advance(w);
    assert_int_equal(stoa_destroy(w, e[3]), STOA_OK);
    stoa_log log = stoa_destroyed_since(w, before);
    assert_true(stoa_log_next(&log));
    assert_true(stoa_entity_eq(log.entity, e[3]));
    assert_int_equal(stoa_log_keep(w, 0), STOA_OK);
    /* While it is iterated, and while buffers are forked. */
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Small)}});
    stoa_iter it = stoa_query_iter(q);
    support_assert_misuse(s, stoa_destroy(w, e[4]), STOA_ITERATING);
    stoa_iter_end(&it);
    assert_int_equal(stoa_commands_fork(w, NULL, 0), STOA_OK);
    support_assert_misuse(s, stoa_destroy(w, e[4]), STOA_FORKED);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(stoa_destroy(w, e[4]), STOA_OK);
    assert_int_equal(stoa_count(w), 3);
}

/* True if rows of the entity's archetype are destroyed the short way. */
static bool is_quick(stoa_world *w, stoa_entity e) {
    return w->storage.archetypes[stoa_archetype_of(w, e)]->fill != 0;
}

/* ENT-08 EVT-01: the short way is taken as long as nobody listens to a single entity. */
static void listeners_to_one_entity_end_the_short_way(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Small, {1, 0}));
    stoa_entity other = stoa_create_with(w, STOA_VALUE(Small, {2, 0}));
    assert_true(is_quick(w, e));
    stoa_listener_desc desc = {
        .type = STOA_TYPE_OF(Hit), .target = other, .call = hear_nothing, .user = NULL};
    stoa_listener ears[2] = {stoa_listener_new(w, &desc), stoa_listener_new(w, &desc)};
    assert_false(is_quick(w, e));
    stoa_entity late = stoa_create_with(w, STOA_VALUE(Eight, {3, 0}));
    assert_false(is_quick(w, late));
    assert_int_equal(stoa_listener_remove(w, ears[0]), STOA_OK);
    assert_false(is_quick(w, e));
    assert_int_equal(stoa_destroy(w, other), STOA_OK);
    assert_true(is_quick(w, e));
    assert_true(is_quick(w, late));
}

int main(void) {
#define WITH_WORLD(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filler_takes_its_ticks_along),
        WITH_WORLD(filler_takes_the_ticks_of_its_tags_along),
        support_seeds_test(destroying_at_random_is_the_same_both_ways),
        WITH_WORLD(handles_that_are_not_alive_are_refused),
        WITH_WORLD(late_watchers_are_told_of_the_dead),
        WITH_WORLD(listeners_to_one_entity_end_the_short_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rows that are shifted: what a way that is remembered by the type does, held against what the same
 * change does by the id, row by row and tick by tick. */
#include "support/support.h"

#include "storage/entities.h"
#include "storage/shift.h"
#include "world/world.h"

STOA_COMPONENT(Place, { float x, y, z; });
STOA_COMPONENT(Speed, { float x, y, z; });
STOA_COMPONENT(Health, { int32_t value; });
STOA_COMPONENT(Pair, { int32_t value, more; });
STOA_COMPONENT(Four, { int32_t a, b, c, d; });
STOA_COMPONENT(Bytes, { uint8_t bytes[7]; });
STOA_TAG(Mark);

#define TYPES 7
#define ENTITIES 1300

static stoa_type *const types[TYPES] = {
    STOA_TYPE_OF(Place), STOA_TYPE_OF(Speed), STOA_TYPE_OF(Health), STOA_TYPE_OF(Pair),
    STOA_TYPE_OF(Four),  STOA_TYPE_OF(Bytes), STOA_TYPE_OF(Mark)};

/* Two worlds that are told the same: the first by types, the other by ids. */
typedef struct pair {
    support_world s[2];
    stoa_component ids[TYPES];
    stoa_entity e[ENTITIES];
    int64_t told[2];
    stoa_hook hooks[2];
    support_random random;
    uint32_t shifts; /* that went along a way that was open */
} pair;

static pair t;

static void addition_note(stoa_world *w, stoa_entity e, void *value, void *user) {
    const Speed *speed = value;
    assert_ptr_equal(speed, stoa_get(w, e, Speed));
    assert_true(stoa_has(w, e, Speed));
    *(int64_t *)user += e.index + (int64_t)speed->x;
}

static void pair_open(uint64_t seed) {
    memset(&t, 0, sizeof t);
    t.random.state = seed * 7919 + 3;
    for (int i = 0; i < 2; i++) {
        support_world_open_with(&t.s[i], 16384);
        for (int k = 0; k < TYPES; k++) {
            t.ids[k] = stoa_type_register(t.s[i].world, types[k]);
            assert_int_not_equal(t.ids[k], 0);
        }
        for (int32_t n = 0; n < ENTITIES; n++) {
            t.e[n] = stoa_create_with(t.s[i].world, STOA_VALUE(Place, {(float)n, 1, 2}));
        }
    }
}

static void pair_close(void) {
    for (int i = 0; i < 2; i++) {
        support_world_close(&t.s[i]);
    }
}

static void chunks_compare(const stoa__archetype *a, const stoa__archetype *b, int32_t c) {
    const stoa_chunk *x = &a->head.chunks[c], *y = &b->head.chunks[c];
    assert_int_equal(x->count, y->count);
    assert_memory_equal(x->columns[0], y->columns[0], (size_t)x->count * sizeof(stoa_entity));
    for (uint32_t i = 0; i < a->lane_count; i++) {
        assert_memory_equal(x->columns[a->lanes[i].index], y->columns[b->lanes[i].index],
                            (size_t)x->count * a->lanes[i].size);
    }
    for (uint32_t i = 0; i < (uint32_t)a->data_lanes + a->tag_count; i++) {
        assert_true(stoa__state_ticks(stoa__state_number(a, x->columns, i)) ==
                    stoa__state_ticks(stoa__state_number(b, y->columns, i)));
    }
}

static void pair_compare(void) {
    const stoa__storage *a = &t.s[0].world->storage, *b = &t.s[1].world->storage;
    assert_int_equal(a->archetype_count, b->archetype_count);
    for (uint32_t i = 1; i < a->archetype_count; i++) {
        const stoa__archetype *x = a->archetypes[i], *y = b->archetypes[i];
        assert_int_equal(x->id_count, y->id_count);
        assert_memory_equal(x->ids, y->ids, x->id_count * sizeof *x->ids);
        assert_int_equal(x->head.chunk_count, y->head.chunk_count);
        for (int32_t c = 0; c < x->head.chunk_count; c++) {
            chunks_compare(x, y, c);
        }
    }
    assert_int_equal(stoa_hash(t.s[0].world), stoa_hash(t.s[1].world));
    assert_int_equal(t.told[0], t.told[1]);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stoa_check(t.s[i].world), STOA_OK);
    }
}

/* True if a call for that type would find a way that is open. */
static bool way_open(int32_t k, bool drops) {
    const stoa_world *w = t.s[0].world;
    const stoa__way *way = drops ? stoa__type_drop_at(w, types[k]) : stoa__type_put_at(w, types[k]);
    return way->slot == STOA_LOAD(&types[k]->slot) && stoa__way_open(&w->storage, way);
}

/* The same change in both worlds: a value, none, or the component gone. */
static void change_make(int32_t n, int32_t k, uint32_t op) {
    int32_t words[4] = {n, (int32_t)op, k, (int32_t)support_random_below(&t.random, 1000)};
    float floats[3] = {(float)words[3], (float)n, (float)k};
    const void *value = k < 2 ? (const void *)floats : words;
    stoa_world *a = t.s[0].world, *b = t.s[1].world;
    size_t size = types[k]->size;
    t.shifts += way_open(k, op == 2);
    if (op == 0) {
        assert_int_equal(stoa_set_type(a, t.e[n], types[k], value), STOA_OK);
        assert_int_equal(stoa_set_id(b, t.e[n], t.ids[k], value, size), STOA_OK);
    } else if (op == 1) {
        assert_int_equal(stoa_add_type(a, t.e[n], types[k]), STOA_OK);
        assert_int_equal(stoa_add_id(b, t.e[n], t.ids[k]), STOA_OK);
    } else {
        assert_int_equal(stoa_remove_type(a, t.e[n], types[k]), STOA_OK);
        assert_int_equal(stoa_remove_id(b, t.e[n], t.ids[k]), STOA_OK);
    }
}

/* A hook comes or goes, or a log does, or some chunks are written. */
static void watchers_change(void) {
    uint32_t what = support_random_below(&t.random, 4);
    uint32_t from = support_random_below(&t.random, ENTITIES);
    for (int i = 0; i < 2; i++) {
        stoa_world *w = t.s[i].world;
        if (what == 0 && t.hooks[i].id == 0) {
            t.hooks[i] = stoa_on_add(w, Speed, addition_note, &t.told[i]);
        } else if (what == 0) {
            assert_int_equal(stoa_hook_remove(w, t.hooks[i]), STOA_OK);
            t.hooks[i].id = 0;
        } else if (what == 1) {
            assert_int_equal(stoa_log_keep(w, from % 2 == 0 ? 64 : 0), STOA_OK);
        } else {
            Place *place = stoa_try_get_mut(w, t.e[from], Place);
            if (place != NULL) {
                place->x += 1;
            }
        }
        stoa_tick_advance(w);
    }
}

/* A run of the same change for many entities, in order or at random, as programs do. */
static void changes_run(void) {
    static const uint8_t weights[TYPES] = {1, 8, 2, 2, 2, 1, 2};
    int32_t k = (int32_t)support_random_pick(&t.random, weights, TYPES);
    uint32_t op = support_random_below(&t.random, 3);
    bool sorted = support_random_below(&t.random, 2) == 0;
    int32_t count = (int32_t)support_random_below(&t.random, ENTITIES);
    for (int32_t n = 0; n < count; n++) {
        int32_t at = sorted ? n : (int32_t)support_random_below(&t.random, ENTITIES);
        change_make(at, k, op);
    }
}

/* CHG-02 HOK-05 STO-04 */
static void shifted_rows_are_as_moved_ones(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        pair_open(seed);
        for (int round = 0; round < 60; round++) {
            changes_run();
            watchers_change();
            pair_compare();
        }
        assert_true(t.shifts > 5000);
        pair_close();
    }
}

/* Gives all entities so many more components of one to four words. */
static void beside_add(int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "Beside%d", i);
        stoa_component_desc desc = {
            .name = name, .size = 4 * (1 + (uint32_t)i % 4), .alignment = 4};
        for (int k = 0; k < 2; k++) {
            stoa_component id = stoa_component_register(t.s[k].world, &desc);
            for (int32_t n = 0; n < ENTITIES; n++) {
                int32_t words[4] = {i, n, i + n, i - n};
                assert_int_equal(stoa_set_id(t.s[k].world, t.e[n], id, words, desc.size), STOA_OK);
            }
        }
    }
}

/* CHG-02 ACC-05: however many columns there are of each size, and across chunks of few rows. */
static void many_columns_come_along(void **state) {
    (void)state;
    static const int32_t counts[] = {1, 2, 4, 7, 9, 40, 70};
    for (int i = 0; i < 7; i++) {
        pair_open((uint64_t)i + 20);
        beside_add(counts[i]);
        for (int round = 0; round < 15; round++) {
            changes_run();
            watchers_change();
            pair_compare();
        }
        assert_true(t.shifts > 1000);
        pair_close();
    }
}

/* CMP-04 ACC-05: two descriptions of one component, as two source files have them, are used by
 * turns: what is noted of columns for one is not taken for the other. */
static void descriptions_of_a_type_take_turns(void **state) {
    (void)state;
    static stoa_type twin;
    twin = *STOA_TYPE_OF(Speed);
    STOA_STORE(&twin.slot, 0);
    pair_open(31);
    beside_add(5);
    stoa_world *a = t.s[0].world, *b = t.s[1].world;
    for (int32_t n = 0; n < 2 * ENTITIES; n++) {
        int32_t at = n < ENTITIES ? n : (n * 7) % ENTITIES;
        const float speed[3] = {(float)n, 1, 2};
        stoa_type *type = n / 3 % 2 == 0 ? &twin : types[1];
        if (n % 5 == 4) {
            assert_int_equal(stoa_remove_type(a, t.e[at], type), STOA_OK);
            assert_int_equal(stoa_remove_id(b, t.e[at], t.ids[1]), STOA_OK);
        } else {
            assert_int_equal(stoa_set_type(a, t.e[at], type, speed), STOA_OK);
            assert_int_equal(stoa_set_id(b, t.e[at], t.ids[1], speed, sizeof speed), STOA_OK);
        }
        if (n % 100 == 0) {
            pair_compare();
        }
    }
    pair_compare();
    pair_close();
}

/* GEN-03 GEN-04: no memory for the chunk that a shift begins. */
static void shifts_without_memory_change_nothing(void **state) {
    (void)state;
    int refused = 0;
    pair_open(41);
    beside_add(5);
    stoa_world *w = t.s[0].world;
    for (int32_t n = 0; n < ENTITIES; n++) {
        uint64_t before = stoa_hash(w);
        t.s[0].heap.fail_at = 1;
        t.s[0].heap.fail_forever = true;
        bool done = stoa_set(w, t.e[n], Speed, {(float)n, 1, 2}) == STOA_OK;
        t.s[0].heap.fail_at = 0;
        if (!done) {
            refused++;
            assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
            assert_true(stoa_hash(w) == before);
            assert_int_equal(stoa_check(w), STOA_OK);
            assert_int_equal(stoa_set(w, t.e[n], Speed, {(float)n, 1, 2}), STOA_OK);
        }
        assert_int_equal(
            stoa_set_id(t.s[1].world, t.e[n], t.ids[1], &(float[]){(float)n, 1, 2}, 12), STOA_OK);
    }
    assert_true(refused > 2);
    pair_compare();
    pair_close();
}

/* STO-02 STO-04: from a chunk of one row, and to one that is full. */
static void ends_of_chunks_are_noticed(void **state) {
    (void)state;
    pair_open(9);
    for (int32_t count = 1; count <= 1100; count = count * 2 + 1) {
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t op = 0; op < 3; op += 2) {
                for (int32_t n = 0; n < count; n++) {
                    change_make(n, 1, op);
                }
                pair_compare();
            }
        }
    }
    for (int32_t n = 0; n < ENTITIES; n++) {
        change_make(n, 1, 0);
    }
    pair_compare();
    assert_true(t.shifts > 1000);
    pair_close();
}

/* Writes both vectors of an entity, as far as it has them, at a tick of their own. */
static void vectors_touch(int32_t n) {
    for (int i = 0; i < 2; i++) {
        stoa_tick_advance(t.s[i].world);
        (void)stoa_try_get_mut(t.s[i].world, t.e[n], Place);
        (void)stoa_try_get_mut(t.s[i].world, t.e[n], Speed);
        stoa_tick_advance(t.s[i].world);
    }
}

/* CHG-02: the row that moves, and the one that fills its place, bring how new they are. */
static void ticks_come_along(void **state) {
    (void)state;
    pair_open(11);
    for (int32_t n = 0; n < 10; n++) {
        change_make(n, 1, 0);
    }
    vectors_touch(700);
    change_make(700, 1, 0);
    pair_compare();
    vectors_touch(ENTITIES - 20);
    change_make(30, 1, 0);
    pair_compare();
    for (int32_t n = 0; n < ENTITIES - 40; n++) {
        change_make(n, 1, 0);
    }
    for (int32_t n = 0; n < 10; n++) {
        change_make(n, 1, 2);
    }
    vectors_touch(600);
    change_make(600, 1, 2);
    pair_compare();
    vectors_touch(ENTITIES - 60);
    change_make(40, 1, 2);
    pair_compare();
    pair_close();
}

/* Gives a component to entities, or takes it away, all at the tick there is. */
static void changes_make(int32_t from, int32_t to, int32_t k, uint32_t op) {
    for (int32_t n = from; n < to; n++) {
        change_make(n, k, op);
    }
}

/* Writes one component of an entity at a tick of its own. */
static void component_touch(int32_t n, int32_t k) {
    for (int i = 0; i < 2; i++) {
        stoa_tick_advance(t.s[i].world);
        assert_non_null(stoa_get_mut_id(t.s[i].world, t.e[n], t.ids[k]));
        stoa_tick_advance(t.s[i].world);
    }
}

/* CHG-02: only the row that fills a hole is newer, in one component of those there are; `first` is
 * given to all entities, then `second`, of which -1 is none; then Speed goes or comes for a few. */
static void filler_is_newer(int32_t first, int32_t second, uint32_t op, int32_t touched) {
    pair_open(5);
    changes_make(0, ENTITIES, first, 0);
    if (second >= 0) {
        changes_make(0, ENTITIES, second, 0);
    }
    changes_make(0, 10, 1, op);
    assert_true(way_open(1, op == 2));
    component_touch(ENTITIES - 30, touched);
    changes_make(10, 14, 1, op);
    pair_compare();
    pair_close();
}

/* CHG-02: whatever the way, a chunk becomes as new as a row that comes to it from the last one. */
static void chunks_become_as_new_as_what_fills_holes(void **state) {
    (void)state;
    filler_is_newer(0, -1, 0, 0);
    filler_is_newer(1, -1, 2, 0);
    filler_is_newer(1, -1, 2, 1);
    filler_is_newer(4, -1, 0, 0);
    filler_is_newer(4, -1, 0, 4);
    filler_is_newer(4, 1, 2, 4);
    filler_is_newer(4, 1, 2, 1);
    filler_is_newer(2, 3, 0, 2);
    filler_is_newer(2, 3, 0, 3);
}

/* CHG-02: the same of a tag, which some entities got later than others, beside columns that are as
 * new and beside some that are not. */
static void tags_become_as_new_as_what_fills_holes(void **state) {
    (void)state;
    for (int touched = 0; touched < 2; touched++) {
        pair_open(6);
        changes_make(0, ENTITIES, 6, 1);
        changes_make(0, 10, 1, 0);
        assert_true(way_open(1, false));
        for (int i = 0; i < 2; i++) {
            stoa_tick_advance(t.s[i].world);
        }
        change_make(ENTITIES - 30, 6, 2);
        change_make(ENTITIES - 30, 6, 1);
        if (touched) {
            vectors_touch(ENTITIES - 40);
        }
        assert_true(way_open(1, false));
        for (int32_t n = 10; n < 14; n++) {
            change_make(n, 1, 0);
            pair_compare();
        }
        pair_close();
    }
}

/* CHG-02: the same of the tag that is taken away: others keep theirs. */
static void tags_that_others_keep_become_as_new(void **state) {
    (void)state;
    pair_open(7);
    changes_make(0, ENTITIES, 6, 1);
    changes_make(0, 10, 6, 2);
    assert_true(way_open(6, true));
    for (int i = 0; i < 2; i++) {
        stoa_tick_advance(t.s[i].world);
    }
    change_make(ENTITIES - 30, 6, 2);
    change_make(ENTITIES - 30, 6, 1);
    assert_true(way_open(6, true));
    changes_make(10, 14, 6, 2);
    pair_compare();
    pair_close();
}

/* GEN-05: a value that is in a row that moves, or fills a hole. */
static void values_of_rows_that_move_are_read_first(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[8];
    for (int i = 0; i < 8; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Place, {(float)i, (float)i + 10, (float)i + 20}));
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stoa_set(w, e[i], Speed, {1, 2, 3}), STOA_OK);
    }
    for (int i = 2; i < 5; i++) {
        int from = i == 3 ? 7 : i;
        const Place *value = stoa_get(w, e[from], Place);
        assert_int_equal(stoa_set_type(w, e[i], STOA_TYPE_OF(Speed), value), STOA_OK);
        assert_true(stoa_get(w, e[i], Speed)->y == (float)from + 10);
        assert_true(stoa_get(w, e[i], Place)->z == (float)i + 20);
    }
}

/* GEN-05: changes by the id make the target grow, and read the edge anew: what was remembered by
 * the type is older then. */
static void ways_that_are_older_than_their_edges_are_not_taken(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[ENTITIES];
    for (int32_t n = 0; n < ENTITIES; n++) {
        e[n] = stoa_create_with(w, STOA_VALUE(Place, {(float)n, 1, 2}));
    }
    stoa_component id = stoa_id(w, Speed);
    for (int32_t n = 0; n < ENTITIES; n++) {
        const Speed speed = {(float)n, 3, 4};
        assert_int_equal(n % 10 < 2 ? stoa_set_from(w, e[n], Speed, &speed)
                                    : stoa_set_id(w, e[n], id, &speed, sizeof speed),
                         STOA_OK);
    }
    for (int32_t n = 0; n < ENTITIES; n++) {
        const Place *place = stoa_get(w, e[n], Place);
        const Speed *speed = stoa_get(w, e[n], Speed);
        assert_true(place->x == (float)n && place->y == 1 && place->z == 2);
        assert_true(speed->x == (float)n && speed->y == 3 && speed->z == 4);
    }
}

/* STO-04: records that must be stamped are not written unseen. */
static void frames_end_shifting(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[16];
    for (int i = 0; i < 16; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Place, {(float)i, 0, 0}));
    }
    for (int i = 0; i < 8; i++) {
        assert_int_equal(stoa_set(w, e[i], Speed, {1, 2, 3}), STOA_OK);
    }
    stoa__way *way = stoa__type_put_at(w, STOA_TYPE_OF(Speed));
    assert_true(way->gate == stoa__gate_now(&w->storage) && way->gate != 0);
    stoa__storage *storage = &w->storage;
    assert_int_equal(stoa__entities_stamp_all(storage), STOA_OK);
    assert_true(way->gate != stoa__gate_now(storage));
    storage->stamp = 7;
    assert_int_equal(stoa_set(w, e[8], Speed, {1, 2, 3}), STOA_OK);
    assert_int_equal(stoa_set(w, e[9], Speed, {1, 2, 3}), STOA_OK);
    assert_int_equal(storage->record_stamps[0], 7);
    assert_true(way->gate != stoa__gate_now(storage));
}

/* STO-04: a way that is wrong is found by a check. */
static void wrong_ways_are_found(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[4];
    for (int i = 0; i < 4; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Place, {(float)i, 0, 0}));
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stoa_set(w, e[i], Speed, {1, 2, 3}), STOA_OK);
    }
    stoa__way *way = stoa__type_put_at(w, STOA_TYPE_OF(Speed)), good = *way;
    assert_true(way->gate == stoa__gate_now(&w->storage));
    uint32_t *const fields[] = {&way->base, &way->end_room, &way->tail_room};
    for (int i = 0; i < 3; i++) {
        *fields[i] += 64;
        assert_int_equal(stoa_check(w), STOA_CORRUPT);
        support_assert_message("a way that is remembered leads to a wrong place");
        *way = good;
        assert_int_equal(stoa_check(w), STOA_OK);
    }
    uint8_t **const columns[] = {&way->tail_columns.entities,
                                 &way->tail_columns.kept,
                                 &way->end_columns.entities,
                                 &way->end_columns.kept,
                                 &way->hole.entities,
                                 &way->hole.kept,
                                 &way->side};
    for (int i = 0; i < 7; i++) {
        *columns[i] += 64;
        assert_int_equal(stoa_check(w), STOA_CORRUPT);
        *way = good;
    }
    stoa__trio *trio = stoa__edge_trios(way->edge), right = *trio;
    uint8_t **const places[] = {&trio->hole, &trio->end, &trio->tail};
    for (int i = 0; i < 3; i++) {
        *places[i] += 64;
        assert_int_equal(stoa_check(w), STOA_CORRUPT);
        *trio = right;
    }
    way->first += 64;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    *way = good;
    way->shifted++;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    way->shifted = (uint8_t *)w;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    *way = good;
    way->tail = &(stoa_chunk){.columns = way->tail->columns, .count = 2};
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    *way = good;
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* ACC-05: chunks of the source come and are listed elsewhere between two shifts. */
static void source_may_grow_between_shifts(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    static stoa_entity e[12000];
    for (int32_t i = 0; i < 12000; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Place, {(float)i, 0, 0}));
        if (i % 500 == 499) {
            assert_int_equal(stoa_set(w, e[i / 500], Speed, {(float)i, 2, 3}), STOA_OK);
            assert_int_equal(stoa_set(w, e[i / 500 + 100], Speed, {(float)i, 2, 3}), STOA_OK);
        }
        if (i % 500 == 450) {
            assert_int_equal(stoa_check(w), STOA_OK);
        }
    }
    for (int32_t i = 0; i < 12000; i++) {
        assert_int_equal((int32_t)stoa_get(w, e[i], Place)->x, i);
        assert_int_equal(stoa_has(w, e[i], Speed), i < 24 || (i >= 100 && i < 124));
    }
}

/* ACC-05 STO-06: rows are not shifted to or from where a chunk was that went and came back. */
static void chunks_that_come_back_elsewhere_are_noticed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    static stoa_entity e[12000];
    for (int round = 0; round < 3; round++) {
        int32_t first = round == 2 ? 0 : 3;
        for (int32_t i = round == 0 ? 0 : first; i < 12000; i++) {
            e[i] = stoa_create_with(w, STOA_VALUE(Place, {(float)i, 0, 0}));
        }
        for (int32_t i = 0; i < 12000; i++) {
            assert_int_equal(stoa_set(w, e[i], Speed, {(float)-i, 2, 3}), STOA_OK);
        }
        for (int32_t i = 0; i < 12000; i += 2) {
            assert_int_equal(stoa_remove(w, e[i], Speed), STOA_OK);
        }
        assert_int_equal(stoa_check(w), STOA_OK);
        for (int32_t i = 0; i < 12000; i++) {
            const Speed *speed = stoa_try_get(w, e[i], Speed);
            assert_int_equal((int32_t)stoa_get(w, e[i], Place)->x, i);
            assert_int_equal(speed != NULL ? (int32_t)speed->x : -i, -i);
            assert_int_equal(speed != NULL, i % 2);
        }
        for (int32_t i = 12000; i-- > (round == 1 ? 0 : 3);) {
            assert_int_equal(stoa_destroy(w, e[i]), STOA_OK);
        }
        if (round > 0) {
            assert_int_equal(stoa_compact(w), STOA_OK);
        }
        assert_int_equal(stoa_create_bulk(w, 9000, NULL, STOA_ZERO(Four)), STOA_OK);
    }
}

STOA_COMPONENT(Wide0, { int32_t a, b, c, d; });
STOA_COMPONENT(Wide1, { int32_t a, b, c, d; });
STOA_COMPONENT(Wide2, { int32_t a, b, c, d; });
STOA_COMPONENT(Wide3, { int32_t a, b, c, d; });
STOA_COMPONENT(Wide4, { int32_t a, b, c, d; });
STOA_COMPONENT(Wide5, { int32_t a, b, c, d; });
STOA_COMPONENT(Wide6, { int32_t a, b, c, d; });

/* Rows so wide that a first chunk has room for one: there is none to be taken from it but its last.
 */
/* ACC-05, STO-03 */
static void chunks_of_one_row_are_left_alone(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[200];
    for (int32_t i = 0; i < 200; i++) {
        e[i] = stoa_create_with(w, STOA_ZERO(Place), STOA_VALUE(Wide0, {i, 0, 0, 0}),
                                STOA_ZERO(Wide1), STOA_ZERO(Wide2), STOA_ZERO(Wide3),
                                STOA_ZERO(Wide4), STOA_ZERO(Wide5));
        assert_int_equal(stoa_add(w, e[i], Wide6), STOA_OK);
        assert_int_equal(stoa_set(w, e[i], Speed, {(float)i, 0, 0}), STOA_OK);
        if (i % 3 == 0) {
            assert_int_equal(stoa_remove(w, e[i], Wide6), STOA_OK);
        }
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    for (int32_t i = 0; i < 200; i++) {
        assert_int_equal(stoa_get(w, e[i], Wide0)->a, i);
        assert_int_equal((int32_t)stoa_get(w, e[i], Speed)->x, i);
        assert_int_equal(stoa_has(w, e[i], Wide6), i % 3 != 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifted_rows_are_as_moved_ones),
        cmocka_unit_test(many_columns_come_along),
        cmocka_unit_test(descriptions_of_a_type_take_turns),
        cmocka_unit_test(shifts_without_memory_change_nothing),
        cmocka_unit_test(ends_of_chunks_are_noticed),
        cmocka_unit_test(ticks_come_along),
        cmocka_unit_test(chunks_become_as_new_as_what_fills_holes),
        cmocka_unit_test(tags_become_as_new_as_what_fills_holes),
        cmocka_unit_test(tags_that_others_keep_become_as_new),
        cmocka_unit_test_setup_teardown(values_of_rows_that_move_are_read_first, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(ways_that_are_older_than_their_edges_are_not_taken,
                                        support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(frames_end_shifting, support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(wrong_ways_are_found, support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(source_may_grow_between_shifts, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(chunks_that_come_back_elsewhere_are_noticed, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(chunks_of_one_row_are_left_alone, support_setup,
                                        support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

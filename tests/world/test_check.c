/* Verifying a world: each invariant is broken by hand, found, and mended.
 *
 * The private structs are written to, so that stoa_check has something to find. Every test mends
 * what it broke before the world is closed. */
#include "support/support.h"

#include "storage/edge.h"
#include "storage/entities.h"
#include "world/world.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Serial, { uint32_t number; });
STOA_TAG(Frozen);

/* Entities of the world that every test starts with: two chunks of { Serial }, some of { Serial,
 * Position }, tags, empty ones, free slots. */
#define MANY 3000

typedef struct scene {
    support_world s;
    stoa__storage *storage;
    stoa_entity serial; /* the first row of { Serial } */
    stoa_entity second; /* the row after it */
    stoa_entity both;   /* a row of { Serial, Position } */
    stoa_entity empty;
    uint32_t freed[3]; /* slots, as the free list has them */
} scene;

static int scene_open(void **state) {
    static scene c;
    support_world_open_with(&c.s, 16384);
    stoa_world *w = c.s.world;
    c.storage = &w->storage;
    stoa_entity e[3];
    for (int i = 0; i < 3; i++) {
        e[i] = stoa_create(w);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        stoa_entity made = stoa_create_with(w, STOA_VALUE(Serial, {i}));
        c.serial = i == 0 ? made : c.serial;
        c.second = i == 1 ? made : c.second;
    }
    for (int i = 0; i < 5; i++) {
        c.both = stoa_create_with(w, STOA_ZERO(Serial), STOA_ZERO(Position));
        c.empty = stoa_create(w);
    }
    assert_int_equal(stoa_add(w, c.both, Frozen), STOA_OK);
    assert_int_equal(stoa_remove(w, c.both, Frozen), STOA_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stoa_destroy(w, e[i]), STOA_OK);
        c.freed[2 - i] = e[i].index;
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    *state = &c;
    return 0;
}

static int scene_close(void **state) {
    scene *c = *state;
    support_world_close(&c->s);
    return 0;
}

static void found(scene *c, const char *message, int line) {
    int errors = c->s.errors;
    stoa_error_clear();
    if (stoa_check(c->s.world) != STOA_CORRUPT) {
        print_error("line %d: what was broken was not found\n", line);
        fail();
    }
    support_assert_message(message);
    assert_int_equal(stoa_last_error().status, STOA_CORRUPT);
    assert_int_equal(c->s.errors, errors + 1);
    support_assert_quiet(&c->s);
}

/* Writes a wrong value somewhere, expects it to be found, and puts the right one back. */
#define BREAK(c, place, wrong, message)                                                            \
    do {                                                                                           \
        __typeof__(place) right = (place);                                                         \
        (place) = (wrong);                                                                         \
        found((c), (message), __LINE__);                                                           \
        (place) = right;                                                                           \
        assert_int_equal(stoa_check((c)->s.world), STOA_OK);                                       \
    } while (0)

static stoa__archetype *archetype_of(const scene *c, stoa_entity e) {
    return stoa__row_archetype(c->storage, stoa__place_of(c->storage, e.index));
}

/* STO-04 STO-02: columns and entities of a chunk have the same rows. */
static void broken_row_count_is_invariant_1(void **state) {
    scene *c = *state;
    stoa__archetype *serial = archetype_of(c, c->serial);
    assert_true(serial->head.chunk_count >= 2);
    stoa_chunk *first = &serial->head.chunks[0];
    stoa_chunk *last = &serial->head.chunks[serial->head.chunk_count - 1];
    BREAK(c, first->count, first->count - 1, "invariant 1");
    BREAK(c, last->count, serial->head.chunk_capacity + 1, "invariant 1");
    BREAK(c, last->count, 0, "invariant 1");
    BREAK(c, last->count, -1, "invariant 1");
    BREAK(c, serial->head.chunk_capacity, serial->head.chunk_capacity * 2, "invariant 1");
    stoa__archetype *both = archetype_of(c, c->both);
    uint8_t **columns = both->head.chunks[0].columns;
    BREAK(c, both->lanes[1].index, both->lanes[0].index, "invariant 1");
    BREAK(c, columns[2], columns[2] + 8, "invariant 1");
    BREAK(c, columns[2], columns[2] + both->chunk_bytes, "invariant 1");
    BREAK(c, first->columns[1], first[1].columns[1], "invariant 1");
    BREAK(c, both->lanes[0].component, both->lanes[1].component, "invariant 1");
    BREAK(c, both->lane_count, 1, "invariant 1");
}

/* STO-04 ENT-08: the record of an entity and its row point at each other. */
static void broken_record_is_invariant_2(void **state) {
    scene *c = *state;
    stoa_record *records = c->storage->head.records;
    uint32_t index = c->serial.index, place = stoa__place_of(c->storage, index);
    stoa_entity *row = stoa__row_entity(stoa__row_at(c->storage, place));
    BREAK(c, records[index].mixed, stoa__place_of(c->storage, c->second.index) ^ index,
          "invariant 2");
    BREAK(c, records[index].mixed, stoa__place_of(c->storage, c->both.index) ^ index,
          "invariant 2");
    BREAK(c, records[index].mixed, index, "invariant 2");
    BREAK(c, records[c->empty.index].mixed, place ^ c->empty.index, "invariant 2");
    BREAK(c, records[c->freed[0]].mixed, c->freed[1], "invariant 2");
    BREAK(c, records[0].mixed, 0, "invariant 6");
    BREAK(c, row->index, c->second.index, "invariant 2");
    BREAK(c, row->generation, row->generation + 1, "invariant 2");
    BREAK(c, records[c->serial.index].generation, 5, "invariant 2");
    BREAK(c, c->storage->reserved_count, c->storage->reserved_count + 1, "invariant");
    BREAK(c, c->storage->empty_count, c->storage->empty_count - 1, "invariant 2");
    BREAK(c, c->storage->retired_count, 1, "invariant");
}

/* STO-04 ENT-04 */
static void broken_free_list_is_invariant_3(void **state) {
    scene *c = *state;
    stoa_record *records = c->storage->head.records;
    assert_int_equal(c->storage->free_first, c->freed[0]);
    BREAK(c, c->storage->free_first, c->freed[1], "invariant 3");
    BREAK(c, c->storage->free_first, c->serial.index, "invariant 3");
    BREAK(c, c->storage->free_first, UINT32_MAX, "invariant 3");
    BREAK(c, c->storage->free_first, 0, "invariant 3");
    BREAK(c, c->storage->free_count, 2, "invariant 3");
    BREAK(c, c->storage->free_count, 4, "invariant 3");
    BREAK(c, records[c->freed[1]].mixed, c->freed[0] | STOA_UNPLACED, "invariant 3");
    BREAK(c, records[c->freed[1]].mixed, c->serial.index | STOA_UNPLACED, "invariant 3");
    BREAK(c, records[c->freed[1]].mixed, STOA_UNPLACED, "invariant 3");
    BREAK(c, records[c->freed[2]].mixed, c->storage->head.record_count | STOA_UNPLACED,
          "invariant 3");
    BREAK(c, records[c->freed[0]].generation, 3, "invariant");
}

/* STO-04 STO-01: archetypes and chunks are where everybody looks for them. */
static void broken_table_is_invariant_4(void **state) {
    scene *c = *state;
    stoa__archetype *serial = archetype_of(c, c->serial), *both = archetype_of(c, c->both);
    stoa_chunk *chunk = &serial->head.chunks[0];
    stoa_chunk_ref *ref = &c->storage->head.chunks[chunk->number];
    BREAK(c, ref->archetype, &both->head, "invariant");
    BREAK(c, ref->columns, both->head.chunks[0].columns, "invariant");
    BREAK(c, chunk->number, both->head.chunks[0].number, "invariant 4");
    BREAK(c, chunk->number, 0, "invariant 4");
    BREAK(c, chunk->number, c->storage->chunk_count, "invariant 4");
    BREAK(c, serial->chunk_held, serial->head.chunk_count - 1, "invariant 4");
    BREAK(c, serial->tail, chunk, "invariant 4");
    assert_int_equal(stoa_reserve(c->s.world, 2 * MANY, STOA_ZERO(Serial)), STOA_OK);
    assert_true(serial->chunk_held > serial->head.chunk_count);
    BREAK(c, serial->head.chunks[serial->head.chunk_count].count, 1, "a spare chunk of");
    BREAK(c, c->storage->ended, NULL, "the archetype of the last destruction");
    stoa__component *component = stoa__component_at(c->storage, stoa_id(c->s.world, Serial));
    BREAK(c, component->archetypes.words[0], 0, "invariant 4");
    stoa_column *column =
        (stoa_column *)(uintptr_t)stoa__archetype_column(both, stoa_id(c->s.world, Position));
    BREAK(c, column->id, STOA__NONE, "invariant 4");
    BREAK(c, column->index, column->index - 1, "invariant 1");
    uint8_t **table = c->storage->head.columns[stoa_id(c->s.world, Position)];
    assert_non_null(table);
    BREAK(c, table[both->head.chunks[0].number], both->head.chunks[0].columns[0], "invariant 4");
    BREAK(c, table[both->head.chunks[0].number], NULL, "invariant 4");
    BREAK(c, table[0], both->head.chunks[0].columns[2], "invariant 4");
    BREAK(c, table[c->storage->chunk_capacity - 1], both->head.chunks[0].columns[2], "invariant 4");
    stoa_home *homes = (stoa_home *)(void *)(table + c->storage->head.column_capacity);
    uint32_t number = both->head.chunks[0].number;
    BREAK(c, homes[number], homes[number] + 12, "invariant 4");
    BREAK(c, homes[number], 0, "invariant 4");
    BREAK(c, homes[0], homes[number], "invariant 4");
    BREAK(c, c->storage->head.column_capacity, c->storage->head.column_capacity - 1,
          "tables of columns");
}

/* STO-04 STO-01 */
static void broken_set_is_invariant_5(void **state) {
    scene *c = *state;
    stoa__archetype *serial = archetype_of(c, c->serial), *both = archetype_of(c, c->both);
    assert_int_equal(both->id_count, 2);
    BREAK(c, both->ids[1], both->ids[0], "invariant 5");
    BREAK(c, both->ids[0], both->ids[1], "invariant 5");
    BREAK(c, both->ids[1], 4000, "invariant 5");
    BREAK(c, both->ids[0], 0, "invariant 5");
    BREAK(c, both->index, serial->index, "invariant 5");
    stoa_component low = both->ids[0];
    both->ids[0] = both->ids[1];
    both->ids[1] = low;
    found(c, "invariant 5", __LINE__);
    both->ids[1] = both->ids[0];
    both->ids[0] = low;
    BREAK(c, c->storage->archetypes[serial->index], both, "invariant 5");
}

/* STO-04 ENT-01 */
static void live_slot_zero_is_invariant_6(void **state) {
    scene *c = *state;
    BREAK(c, c->storage->head.records[0].generation, 1, "invariant 6");
    BREAK(c, c->storage->head.records[0].generation, 0, "invariant 6");
}

static stoa__edge *edge_of(stoa__archetype *archetype) {
    for (uint32_t i = 0; i <= archetype->edges.mask; i++) {
        if (archetype->edges.cells[i] != NULL) {
            return archetype->edges.cells[i];
        }
    }
    fail_msg("the archetype has no edge");
    return NULL;
}

/* STO-04 ACC-05 */
static void broken_edge_is_found(void **state) {
    scene *c = *state;
    stoa__archetype *both = archetype_of(c, c->both), *serial = archetype_of(c, c->serial);
    stoa__edge *edge = edge_of(both);
    assert_int_equal(edge->lanes, 2);
    stoa__edge_refresh(c->storage, edge);
    BREAK(c, edge->target, serial, "edge of archetype");
    BREAK(c, edge->key[0], stoa_id(c->s.world, Position) | STOA__KEY_DROP, "edge of archetype");
    BREAK(c, edge->copies[0].from, edge->copies[0].from + 1, "edge of archetype");
    BREAK(c, edge->copies[1].to, edge->copies[1].to + 1, "edge of archetype");
    BREAK(c, edge->copies[0].to_lane, edge->copies[0].to_lane ^ 1u, "edge of archetype");
    BREAK(c, edge->runs, edge->runs + 1, "edge of archetype");
    BREAK(c, edge->runs, edge->runs + ((uint64_t)1 << 32), "edge of archetype");
    BREAK(c, both->edges.count, both->edges.count + 1, "edges");
    stoa__edge *create = NULL;
    for (uint32_t i = 0; i <= c->storage->archetypes[0]->edges.mask; i++) {
        stoa__edge *candidate = c->storage->archetypes[0]->edges.cells[i];
        create = candidate != NULL && candidate->key_count == 2 ? candidate : create;
    }
    assert_non_null(create);
    stoa__edge_refresh(c->storage, create);
    BREAK(c, create->puts[1].to, create->puts[1].to + 1, "edge of archetype");
    BREAK(c, create->puts[0].size, 64, "edge of archetype");
}

/* STO-04 GEN-04: every byte is accounted for. */
static void broken_accounts_are_found(void **state) {
    scene *c = *state;
    BREAK(c, c->storage->heap.used, c->storage->heap.used + 1, "bytes");
    BREAK(c, c->storage->heap.used, c->storage->heap.used - 1, "bytes");
    BREAK(c, c->storage->slabs.direct, c->storage->slabs.direct + 64, "bytes");
    BREAK(c, c->storage->record_capacity, c->storage->record_capacity + 1, "bytes");
    assert_true(c->storage->slabs.count > 0);
    stoa__slab *slab = c->storage->slabs.items[0];
    BREAK(c, slab->free, slab->free - 1, "slab");
    BREAK(c, slab->map[0], slab->map[0] ^ 1, "slab");
    stoa__archetype *serial = archetype_of(c, c->serial);
    BREAK(c, serial->chunk_held, serial->chunk_held - 1, "");
}

/* STO-04: the numbers of chunks that are free are a list like that of free slots. */
static void broken_chunk_numbers_are_found(void **state) {
    scene *c = *state;
    stoa_world *w = c->s.world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Position));
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    assert_int_equal(stoa_compact(w), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_true(c->storage->chunk_free_count > 0);
    BREAK(c, c->storage->chunk_free_count, c->storage->chunk_free_count + 1, "chunk");
    BREAK(c, c->storage->chunk_free_first, 0, "chunk");
    BREAK(c, c->storage->chunk_free_first, archetype_of(c, c->serial)->head.chunks[0].number,
          "chunk");
    BREAK(c, c->storage->head.chunks[0].archetype, &archetype_of(c, c->serial)->head, "chunk");
}

/* STO-04 GEN-05: a place that is nowhere is told, not followed. */
static void place_outside_every_chunk_is_invariant_2(void **state) {
    scene *c = *state;
    uint32_t index = c->serial.index;
    stoa_record *record = &c->storage->head.records[index];
    uint32_t number = stoa__place_of(c->storage, index) >> STOA_PLACE_BITS;
    uint32_t past = c->storage->chunk_count << STOA_PLACE_BITS;
    uint32_t low = number << STOA_PLACE_BITS | (STOA__ROWS_MAX - 1);
    BREAK(c, record->mixed, UINT32_MAX, "invariant 2");
    BREAK(c, record->mixed, past ^ index, "invariant 2");
    BREAK(c, record->mixed, low ^ index, "invariant 2");
    stoa_entity e = stoa_create_with(c->s.world, STOA_ZERO(Position));
    uint32_t freed = stoa__place_of(c->storage, e.index);
    assert_int_equal(stoa_destroy(c->s.world, e), STOA_OK);
    assert_int_equal(stoa_compact(c->s.world), STOA_OK);
    record = &c->storage->head.records[index];
    BREAK(c, record->mixed, freed ^ index, "invariant 2");
}

/* STO-04: a check is a look. */
static void check_changes_nothing_and_needs_no_memory(void **state) {
    scene *c = *state;
    uint64_t hash = stoa_hash(c->s.world);
    size_t allocations = c->s.heap.allocations;
    c->s.heap.fail_at = 1;
    assert_int_equal(stoa_check(c->s.world), STOA_OK);
    c->s.heap.fail_at = 0;
    assert_int_equal(c->s.heap.allocations, allocations);
    assert_int_equal(stoa_hash(c->s.world), hash);
}

#define WITH_SCENE(test) cmocka_unit_test_setup_teardown(test, scene_open, scene_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_SCENE(broken_row_count_is_invariant_1),
        WITH_SCENE(broken_record_is_invariant_2),
        WITH_SCENE(broken_free_list_is_invariant_3),
        WITH_SCENE(broken_table_is_invariant_4),
        WITH_SCENE(broken_set_is_invariant_5),
        WITH_SCENE(live_slot_zero_is_invariant_6),
        WITH_SCENE(broken_edge_is_found),
        WITH_SCENE(broken_accounts_are_found),
        WITH_SCENE(broken_chunk_numbers_are_found),
        WITH_SCENE(check_changes_nothing_and_needs_no_memory),
        WITH_SCENE(place_outside_every_chunk_is_invariant_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

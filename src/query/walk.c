/* Walks: choosing the way, going from archetype to archetype, keeping walks for the next time.
 *
 * By chunks, entities without columns come first, then the archetypes in order of their ids. By a
 * set, the order is the set's. The choice goes by the number of rows alone, so equal worlds are
 * walked alike. */
#include "query/walk.h"

#include "query/matches.h"
#include "storage/archetype.h"

/* Rows whose bits are worked out before what was listed is handed out. */
#define BATCH 16384u

/* To find the row of one entity of a set takes as long as to ask so many rows whether they are in
 * it: 14 ns and 3. */
#define SET_COST 4u

/* True if the archetypes that match have more rows than `count`. */
static bool rows_exceed(const stoa__walk *walk, uint64_t count) {
    const stoa__storage *storage = &walk->world->storage;
    uint64_t rows = 0;
    if (walk->query == NULL) {
        return (uint32_t)stoa__terms_count(storage, walk->terms) > count;
    }
    for (uint32_t i = walk->terms->empty; i < walk->query->head.count && rows <= count; i++) {
        rows += stoa__head_rows(stoa__match_at(walk->query, i)->archetype);
    }
    return rows > count;
}

/* The smallest set that every match is in, if that is the shorter way, and whose term it is. */
static void set_choose(stoa__walk *walk) {
    const stoa__terms *terms = walk->terms;
    const stoa__sparse *smallest = NULL;
    for (uint32_t i = 0; i < terms->sparse_count; i++) {
        const stoa__term *term = &terms->items[terms->sparses[i]];
        const stoa__sparse *set = term->component->set;
        if ((term->tests & STOA__TEST_ON) != 0 &&
            (smallest == NULL || set->count < smallest->count)) {
            smallest = set;
            walk->driver = terms->sparses[i];
        }
    }
    bool chosen = smallest != NULL &&
                  (terms->empty || rows_exceed(walk, (uint64_t)smallest->count * SET_COST));
    walk->set = chosen ? smallest : NULL;
}

_Static_assert(offsetof(stoa_sparse_head, pages) == offsetof(stoa__sparse, pages) &&
                   offsetof(stoa_sparse_head, entities) == offsetof(stoa__sparse, entities) &&
                   offsetof(stoa_sparse_head, values) == offsetof(stoa__sparse, values) &&
                   offsetof(stoa_sparse_head, changed) == offsetof(stoa__sparse, changed) &&
                   STOA_PAGE_BITS == STOA__PAGE_BITS,
               "the fast paths read the beginning of a sparse set");

static const stoa_sparse_head *set_head(const stoa__sparse *set) {
    return (const stoa_sparse_head *)(const void *)set;
}

/* Tells the fast paths which sets every row is in. */
static void head_make(stoa__walk *walk) {
    const stoa__terms *terms = walk->terms;
    walk->head = (stoa_walk_head){.runs = walk->runs,
                                  .positions = walk->positions,
                                  .driver = set_head(walk->set),
                                  .sets = walk->sets,
                                  .writes = terms->writes};
    memset(walk->sets, 0, sizeof walk->sets);
    for (uint32_t left = terms->data & terms->sparse; left != 0; left &= left - 1) {
        uint32_t i = stoa__bit_lowest(left);
        if (stoa__access_requires(terms->items[i].access)) {
            walk->sets[i] = set_head(terms->items[i].component->set);
        }
    }
}

void stoa__walk_begin(stoa__walk *walk, const stoa_world *world, const stoa__terms *terms,
                      const stoa_query *query, uint32_t since) {
    walk->world = world;
    walk->terms = terms;
    walk->query = query;
    walk->since = since;
    walk->hits = 0;
    walk->position_next = 0;
    walk->record = 1;
    walk->next_one = query != NULL ? terms->empty : 1;
    walk->next_end = query != NULL ? query->head.count : world->storage.archetype_count;
    walk->chunk_first = 0;
    walk->chunk_end = INT32_MAX;
    walk->chunk_stop = 0;
    walk->archetype = NULL;
    walk->indexes = NULL;
    walk->chunk = 0;
    walk->live_count = 0;
    walk->live_next = 0;
    walk->run_count = 0;
    set_choose(walk);
    walk->position_end = walk->set != NULL ? walk->set->count : 0;
    walk->empties = terms->empty && walk->set == NULL ? world->storage.empty_count : 0;
    walk->number = STOA__NONE;
    walk->listed[0] = (uint8_t *)(walk->set != NULL ? walk->set->entities : walk->entities);
    if (walk->set != NULL) {
        memset(walk->known, 0, sizeof walk->known);
    }
    if (query != NULL) {
        head_make(walk);
    }
}

static uint32_t lane_index(const stoa__archetype *archetype, stoa_component id,
                           stoa__lane_kind kind) {
    const stoa__lane *lane = stoa__archetype_lane(archetype, id, kind);
    return lane != NULL ? lane->index : STOA__NONE;
}

/* Where an archetype keeps what the rows of a term are tested by. */
static stoa__spot spot_find(const stoa__archetype *archetype, const stoa__term *term) {
    stoa_component id = term->component->info.id;
    uint32_t flags = term->component->info.flags;
    const stoa_column *column = stoa__archetype_column(archetype, id);
    stoa__spot spot = {STOA__NONE, STOA__NONE, STOA__NONE, STOA__NONE};
    if (column == NULL) {
        return spot;
    }
    spot.column = column->index;
    if ((flags & STOA_SWITCHABLE) != 0) {
        spot.off = lane_index(archetype, id, STOA__LANE_OFF);
    }
    if ((flags & STOA_ROW_TICKS) != 0 && (term->tests & STOA__TEST_CHANGED) != 0) {
        spot.changed = lane_index(archetype, id, STOA__LANE_CHANGED);
    }
    if ((flags & STOA_ROW_TICKS) != 0 && (term->tests & STOA__TEST_ADDED) != 0) {
        spot.added = lane_index(archetype, id, STOA__LANE_ADDED);
    }
    return spot;
}

/* True if the archetype has a column of the group that cannot be switched off. */
static bool group_settled(const stoa__terms *terms, uint32_t from, uint32_t to,
                          const stoa__archetype *archetype) {
    for (uint32_t i = from; i < to; i++) {
        const stoa__component *component = terms->items[terms->any[i]].component;
        if ((component->info.flags & STOA_SWITCHABLE) == 0 &&
            stoa__archetype_column(archetype, component->info.id) != NULL) {
            return true;
        }
    }
    return false;
}

/* Chooses the column that is asked for as soon as a row is found: the first with data. */
static void touch_choose(stoa__walk *walk) {
    uint32_t columns = (uint32_t)walk->fields;
    uint32_t index = columns != 0 ? stoa__bit_lowest(columns) : 0;
    walk->touch = columns != 0 ? walk->indexes[index] : 0;
    walk->touch_size = columns != 0 ? walk->terms->items[index].component->info.size : 0;
}

/* Chooses the tick that tells soonest that none of a chunk's rows matches. */
static void gate_choose(stoa__walk *walk) {
    const stoa__terms *terms = walk->terms;
    walk->gate = STOA__NONE;
    walk->gate_tick = 0;
    for (uint32_t i = 0; terms->timed && i < terms->column_count; i++) {
        uint32_t index = terms->columns[i], tests = terms->items[index].tests;
        uint32_t column = walk->spots[index].column;
        if (column != STOA__NONE && (tests & (STOA__TEST_CHANGED | STOA__TEST_ADDED)) != 0) {
            walk->gate = column;
            walk->gate_tick =
                (uint32_t)((tests & STOA__TEST_CHANGED) != 0 ? offsetof(stoa_column_state, changed)
                                                             : offsetof(stoa_column_state, added));
            return;
        }
    }
}

/* The index of the ticks of rows, if nothing else tells which rows match. */
static uint32_t sole_choose(const stoa__walk *walk) {
    const stoa__terms *terms = walk->terms;
    if (terms->column_count != 1 || terms->sparse_count != 0 || terms->splits != 0 ||
        walk->groups != 0) {
        return STOA__NONE;
    }
    const stoa__spot *spot = &walk->spots[terms->columns[0]];
    switch (terms->items[terms->columns[0]].tests) {
    case STOA__TEST_CHANGED:
        return spot->changed;
    case STOA__TEST_ADDED:
        return spot->added;
    default:
        return STOA__NONE;
    }
}

void stoa__walk_enter(stoa__walk *walk, const stoa__archetype *archetype, const stoa_match *match) {
    const stoa__terms *terms = walk->terms;
    walk->archetype = archetype;
    walk->chunk = 0;
    walk->indexes = NULL;
    walk->fields = 0;
    if (match != NULL) {
        walk->indexes = stoa__match_indexes(match);
        walk->fields = match->fields;
    }
    touch_choose(walk);
    for (uint32_t left = terms->lanes; left != 0; left &= left - 1) {
        uint32_t i = stoa__bit_lowest(left);
        walk->spots[i] = spot_find(archetype, &terms->items[i]);
    }
    gate_choose(walk);
    walk->groups = 0;
    for (uint32_t from = 0, to = 0; from < terms->any_count; from = to) {
        to = stoa__terms_group(terms, from);
        if (!group_settled(terms, from, to, archetype)) {
            walk->groups |= (uint32_t)1 << from;
        }
    }
    walk->sole = sole_choose(walk);
}

/* Lists the next entities without columns that match. */
static void empties_list(stoa__walk *walk) {
    const stoa__storage *storage = &walk->world->storage;
    uint32_t count = 0;
    if (walk->archetype == NULL) {
        stoa__walk_enter(walk, storage->archetypes[0], NULL);
    }
    for (; walk->empties > 0 && count < STOA__WALK_EMPTIES; walk->record++) {
        const stoa_record *record = &storage->head.records[walk->record];
        if (!stoa__record_empty(storage->head.records, walk->record)) {
            continue;
        }
        walk->empties--;
        if (stoa__walk_row(walk, NULL, 0, walk->record)) {
            walk->entities[count++] = (stoa_entity){walk->record, record->generation};
        }
    }
    if (count > 0) {
        stoa__walk_add(walk, walk->listed, 0, 0, count);
    }
}

/* Goes on to the next archetype that has rows; false after the last. */
static bool archetype_next(stoa__walk *walk) {
    const stoa__storage *storage = &walk->world->storage;
    if (walk->query != NULL) {
        while (walk->next_one < walk->next_end) {
            const stoa_match *match = stoa__match_at(walk->query, walk->next_one++);
            int32_t first = walk->chunk_first, count = match->archetype->chunk_count;
            walk->chunk_first = 0;
            if (count > 0) {
                stoa__walk_enter(walk, (const stoa__archetype *)(const void *)match->archetype,
                                 match);
                bool last = walk->next_one == walk->next_end && walk->chunk_end < count;
                walk->chunk = first;
                walk->chunk_stop = last ? walk->chunk_end : count;
                return true;
            }
        }
        return false;
    }
    while (walk->next_one < walk->next_end) {
        uint64_t bits = stoa__terms_match(storage, walk->terms, walk->next_one / 64);
        bits &= UINT64_MAX << walk->next_one % 64;
        if (bits == 0) {
            walk->next_one = (walk->next_one / 64 + 1) * 64;
            continue;
        }
        uint32_t index = walk->next_one / 64 * 64 + stoa__bit_lowest(bits);
        walk->next_one = index + 1;
        if (storage->archetypes[index]->head.chunk_count > 0) {
            stoa__walk_enter(walk, storage->archetypes[index], NULL);
            walk->chunk_stop = storage->archetypes[index]->head.chunk_count;
            return true;
        }
    }
    return false;
}

/* True if a chunk of the archetype may have rows that match. */
STOA__INLINE bool chunk_open(const stoa_chunk *chunk, uint32_t gate, uint32_t tick,
                             uint32_t since) {
    const void *at = (const uint8_t *)stoa__state_of(chunk->columns, gate) + tick;
    return stoa_tick_newer(STOA_LOAD((const stoa_atomic *)at), since);
}

/* The next chunk of the archetype that may have rows that match, or NULL. */
static const stoa_chunk *chunk_next(stoa__walk *walk) {
    const stoa_archetype_head *head = &walk->archetype->head;
    const stoa_chunk *chunk = head->chunks + walk->chunk, *end = head->chunks + walk->chunk_stop;
    uint32_t gate = walk->gate, tick = walk->gate_tick, since = walk->since;
    walk->ahead = NULL;
    if (gate != STOA__NONE) {
        while (chunk < end && !chunk_open(chunk, gate, tick, since)) {
            chunk++;
        }
        if (end - chunk > 1) {
            walk->ahead = chunk_open(chunk + 1, gate, tick, since) ? chunk[1].columns : NULL;
        }
    }
    walk->chunk = (int32_t)(chunk - head->chunks) + 1;
    return chunk < end ? chunk : NULL;
}

/* Looks at the next chunk; returns how many of its rows were looked at. */
static uint32_t chunk_begin(stoa__walk *walk) {
    const stoa_chunk *chunk = chunk_next(walk);
    if (chunk == NULL) {
        return 0;
    }
    uint32_t count = (uint32_t)chunk->count;
    if (walk->sole != STOA__NONE) {
        stoa__walk_ticks(walk, chunk->columns, count);
    } else {
        stoa__walk_chunk(walk, chunk->columns, count);
    }
    return walk->live_next < walk->live_count ? count : 0;
}

/* Lists runs of the next chunks; false after the last. */
static bool chunks_list(stoa__walk *walk) {
    uint32_t seen = 0;
    while (walk->run_count < STOA__WALK_RUNS && seen < BATCH) {
        if (walk->live_next < walk->live_count) {
            stoa__walk_cut(walk);
        } else if (walk->chunk >= walk->chunk_stop && !archetype_next(walk)) {
            return false;
        } else {
            seen += chunk_begin(walk);
        }
    }
    return true;
}

bool stoa__walk_fill(stoa__walk *walk) {
    bool more = true;
    walk->run_count = 0;
    while (walk->run_count == 0 && more) {
        if (walk->set != NULL) {
            more = stoa__walk_set(walk);
        } else if (walk->empties > 0) {
            empties_list(walk);
        } else {
            more = chunks_list(walk);
        }
    }
    return walk->run_count > 0;
}

int32_t stoa__walk_count(const stoa_world *world, const stoa__terms *terms, uint32_t since) {
    stoa__walk walk;
    int32_t count = 0;
    stoa__walk_begin(&walk, world, terms, NULL, since);
    while (stoa__walk_fill(&walk)) {
        for (uint32_t i = 0; i < walk.run_count; i++) {
            count += walk.runs[i].count;
        }
    }
    return count;
}

stoa_entity stoa__walk_first(const stoa_world *world, const stoa__terms *terms, uint32_t since) {
    stoa__walk walk;
    stoa__walk_begin(&walk, world, terms, NULL, since);
    if (!stoa__walk_fill(&walk)) {
        return STOA_NULL;
    }
    return stoa_columns_entities(walk.runs[0].columns)[walk.runs[0].first];
}

stoa__walk *stoa__walk_take_shared(stoa_query *query) {
    stoa__walk *walk = query->walks;
    for (; walk != NULL; walk = walk->next) {
        uint32_t idle = 0;
        if (atomic_compare_exchange_strong_explicit(&walk->busy, &idle, 1, memory_order_acquire,
                                                    memory_order_relaxed)) {
            break;
        }
    }
    return walk;
}

/* One more walk, in use; NULL on lack of memory. */
static stoa__walk *walk_new(stoa_query *query) {
    stoa__walk *walk =
        stoa__heap_alloc(&query->head.world->storage.heap, sizeof *walk, _Alignof(stoa__walk));
    if (walk != NULL) {
        walk->next = query->walks;
        walk->loose = walk->part = false;
        atomic_init(&walk->busy, 1);
        query->walks = walk;
    }
    return walk;
}

stoa__walk *stoa__walk_take(stoa_query *query) {
    stoa__walk *walk = stoa__walk_take_shared(query);
    return walk != NULL ? walk : walk_new(query);
}

bool stoa__walk_reserve(stoa_query *query, int32_t count) {
    for (const stoa__walk *walk = query->walks; walk != NULL; walk = walk->next) {
        count -= STOA_LOAD(&walk->busy) == 0;
    }
    for (; count > 0; count--) {
        stoa__walk *walk = walk_new(query);
        if (walk == NULL) {
            return false;
        }
        stoa__walk_release(walk);
    }
    return true;
}

void stoa__walk_free_all(stoa_query *query) {
    while (query->walks != NULL) {
        stoa__walk *walk = query->walks;
        query->walks = walk->next;
        stoa__heap_free(&query->head.world->storage.heap, walk, sizeof *walk, _Alignof(stoa__walk));
    }
}

size_t stoa__walk_bytes(const stoa_query *query) {
    size_t bytes = 0;
    for (const stoa__walk *walk = query->walks; walk != NULL; walk = walk->next) {
        bytes += sizeof *walk;
    }
    return bytes;
}

void stoa__walk_sweep(stoa_query *query, uint32_t tick, uint32_t age) {
    for (stoa__walk *walk = query->walks; walk != NULL; walk = walk->next) {
        if (STOA_LOAD(&walk->busy) != 0 && stoa_tick_newer(tick - age - 1, walk->since)) {
            walk->since = tick - age - 1;
        }
    }
}

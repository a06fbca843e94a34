/* A walk by the positions of a sparse set that every match is in.
 *
 * Entities come in the order of the set. Each is looked up in its chunk; rows that follow each
 * other there, and in the set, make one run. The archetypes met lately are remembered with what
 * they mean to the query. */
#include "query/walk.h"

#include "query/mask.h"
#include "query/matches.h"

/* Entities looked at before what was listed is handed out: while it is still in the cache. */
#define BATCH 1024u

/* Positions whose entities' records are asked for ahead of their turn. */
#define AHEAD 16u

/* Which of the next 64 positions pass the tests of the set's own component. */
static uint64_t set_hits(const stoa__walk *walk, uint32_t position) {
    const stoa__sparse *set = walk->set;
    uint32_t tests = walk->terms->items[walk->driver].tests;
    uint32_t left = walk->position_end - position;
    uint32_t count = left < 64 ? left : 64;
    uint64_t hits = stoa__mask_first(count);
    if (set->off_count > 0) {
        hits &= ~stoa__mask_flags(set->off + position, count);
    }
    if ((tests & STOA__TEST_CHANGED) != 0) {
        uint32_t ticks[64];
        memcpy(ticks, set->changed + position, count * sizeof ticks[0]);
        hits &= stoa__mask_newer(ticks, count, walk->since);
    }
    if ((tests & STOA__TEST_ADDED) != 0) {
        hits &= stoa__mask_newer(set->added + position, count, walk->since);
    }
    return hits;
}

/* The match of an archetype, by its id, or NULL. */
static const stoa_match *match_find(const stoa_query *query, const stoa__archetype *archetype) {
    uint32_t low = query->terms.empty, high = query->head.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const stoa_match *match = stoa__match_at(query, middle);
        const stoa__archetype *found = (const stoa__archetype *)(const void *)match->archetype;
        if (found->index == archetype->index) {
            return match;
        }
        if (found->index < archetype->index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/* Works out what an archetype means to the query. */
static stoa__known archetype_know(const stoa__walk *walk, const stoa__archetype *archetype) {
    if (archetype->index == 0) {
        return (stoa__known){archetype, NULL, walk->terms->empty};
    }
    if (walk->query != NULL) {
        const stoa_match *match = match_find(walk->query, archetype);
        return (stoa__known){archetype, match, match != NULL};
    }
    uint64_t bits = stoa__terms_match(&walk->world->storage, walk->terms, archetype->index / 64);
    return (stoa__known){archetype, NULL, (bits >> archetype->index % 64 & 1) != 0};
}

/* Goes over to another archetype. */
static void archetype_meet(stoa__walk *walk, const stoa__archetype *archetype) {
    const stoa__terms *terms = walk->terms;
    stoa__known *known = &walk->known[archetype->index % STOA__WALK_KNOWN];
    if (known->archetype != archetype) {
        *known = archetype_know(walk, archetype);
    }
    walk->archetype = archetype;
    walk->matches = known->matches;
    if (known->matches) {
        stoa__walk_enter(walk, archetype, known->match);
        walk->bare = terms->column_count == 0 && terms->sparse_count == 1 && walk->groups == 0 &&
                     terms->splits == 0;
    }
}

/* Goes over to another chunk; entities without columns have none. */
static void chunk_meet(stoa__walk *walk, uint32_t number) {
    const stoa__storage *storage = &walk->world->storage;
    const stoa_chunk_ref *chunk = &storage->head.chunks[number];
    const void *archetype = number != 0 ? (const void *)chunk->archetype : storage->archetypes[0];
    walk->number = number;
    walk->columns = number != 0 ? chunk->columns : NULL;
    if (archetype != walk->archetype) {
        archetype_meet(walk, archetype);
    }
}

/* The fields of one row. */
static uint64_t row_fields(const stoa__walk *walk, uint8_t *const *columns, uint32_t row) {
    uint64_t fields = walk->fields;
    for (uint32_t left = columns != NULL ? walk->terms->splits : 0; left != 0; left &= left - 1) {
        uint32_t index = stoa__bit_lowest(left);
        const stoa__spot *spot = &walk->spots[index];
        if (spot->column != STOA__NONE && columns[spot->off][row] != 0) {
            fields &= ~((uint64_t)0x100000001u << index);
        }
    }
    return fields;
}

/* Lists one entity, or lengthens the last run by it. */
STOA__INLINE void row_list(stoa__walk *walk, uint32_t position, uint32_t row, uint64_t fields) {
    stoa_run *last = &walk->runs[walk->run_count - (walk->run_count > 0)];
    uint8_t *const *columns = walk->columns;
    if (!STOA_LIKELY(columns != NULL)) {
        columns = walk->listed;
        row = position;
        fields = 0;
    }
    if (walk->run_count > 0 && last->columns == columns && last->fields == fields &&
        walk->positions[walk->run_count - 1] + (uint32_t)last->count == position &&
        (uint32_t)(last->first + last->count) == row) {
        last->count++;
        return;
    }
    walk->positions[walk->run_count] = position;
    STOA_PREFETCH(columns[walk->touch] + (size_t)row * walk->touch_size);
    stoa__walk_add(walk, columns, fields, row, 1);
}

/* Looks at the entity at a position. */
STOA__INLINE void position_visit(stoa__walk *walk, uint32_t position) {
    const stoa_entity *entities = walk->set->entities;
    const stoa_record *records = walk->world->storage.head.records;
    uint32_t index = entities[position].index, last = walk->set->count - 1;
    uint32_t place = stoa_record_place(records, index);
    STOA_PREFETCH(&records[entities[position + AHEAD < last ? position + AHEAD : last].index]);
    uint32_t row = place & (STOA__ROWS_MAX - 1);
    if (place >> STOA_PLACE_BITS != walk->number) {
        chunk_meet(walk, place >> STOA_PLACE_BITS);
    }
    if (!walk->matches) {
        return;
    }
    if (STOA_LIKELY(walk->bare)) {
        row_list(walk, position, row, walk->fields);
    } else if (stoa__walk_row(walk, walk->columns, row, index)) {
        row_list(walk, position, row, row_fields(walk, walk->columns, row));
    }
}

bool stoa__walk_set(stoa__walk *walk) {
    uint32_t seen = 0;
    while (seen < BATCH && walk->run_count < STOA__WALK_RUNS) {
        while (walk->hits == 0) {
            if (walk->position_next >= walk->position_end) {
                return false;
            }
            walk->position = walk->position_next;
            walk->hits = set_hits(walk, walk->position);
            walk->position_next += 64;
        }
        position_visit(walk, walk->position + stoa__bit_lowest(walk->hits));
        walk->hits &= walk->hits - 1;
        seen++;
    }
    return true;
}

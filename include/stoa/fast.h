/* The fast paths that are compiled into the caller: look-up of one component, and the step from
 * chunk to chunk.
 *
 * The structs below are prefixes of the library's own: their layout is part of the binary
 * interface. Read them through the functions; everything here may be read, nothing may be written,
 * by a program. */
#ifndef STOA_FAST_H
#define STOA_FAST_H

#include "stoa/access.h"

STOA_BEGIN

/// Bits of a place that tell the row in its chunk; the rest is the chunk's number.
#define STOA_PLACE_BITS 13

/// One entry of the entity table. A dead slot has the top bit of its generation set.
typedef struct stoa_record {
    uint32_t generation; ///< as in the live handle
    uint32_t place;      ///< chunk number and row; chunk 0 holds the entities with no component
} stoa_record;

/// Where an archetype keeps a component; found at `id & mask`, or after it in a crowded table.
typedef struct stoa_column {
    uint32_t id;     ///< UINT32_MAX in an unused entry
    uint32_t offset; ///< bytes from the start of the chunk
} stoa_column;

/// One chunk of an archetype.
typedef struct stoa_chunk {
    uint8_t *data;   ///< the entities, then each column on a 64-byte boundary
    uint32_t number; ///< in the world's table of chunks
    int32_t count;   ///< rows in use
} stoa_chunk;

/// The part of an archetype that the fast paths read.
typedef struct stoa_archetype_head {
    const stoa_column *columns; ///< table of `column_mask + 1` entries
    uint32_t column_mask;       ///< one less than a power of two
    uint32_t version;           ///< moves on when offsets change
    stoa_chunk *chunks;         ///< dense; only the last is partly filled
    int32_t chunk_count;        ///< chunks that hold rows
    int32_t chunk_capacity;     ///< rows in each chunk
    uint32_t crowded;           ///< 1 if some entries of `columns` are not where their id says
} stoa_archetype_head;

/// A chunk by its number in the world.
typedef struct stoa_chunk_ref {
    uint8_t *data;                  ///< the chunk's bytes
    stoa_archetype_head *archetype; ///< whose rows it holds
} stoa_chunk_ref;

/// Descriptors whose ids the fast paths find; others are looked up by a call.
#define STOA_SLOTS 256

/// The part of a world that the fast paths read.
typedef struct stoa_world_head {
    stoa_record *records;   ///< the entity table
    uint32_t record_count;  ///< slots ever used, slot 0 included
    uint32_t open;          ///< iterations under way; the structure must not change meanwhile
    stoa_chunk_ref *chunks; ///< by chunk number
    stoa_atomic64 slots[STOA_SLOTS]; ///< at `slot % STOA_SLOTS`: a slot, and its component id << 32
} stoa_world_head;

/// An archetype that a query matches, and how its columns are found.
typedef struct stoa_match {
    stoa_archetype_head *archetype; ///< whose chunks are walked
    uint32_t version;               ///< the archetype's when its offsets were read
    uint32_t first;                 ///< where its offsets begin
    uint64_t fields;                ///< bit i: term i has a column here; bit 32 + i: and writes it
} stoa_match;

/// A cached query; belongs to its world, which frees it if nobody else does.
typedef struct stoa_query stoa_query;

/// The part of a query that the fast paths read.
typedef struct stoa_query_head {
    stoa_world *world;   ///< whose entities it matches
    stoa_match *matches; ///< in order of archetype ids
    uint32_t *offsets;   ///< of all matches
    uint32_t count;      ///< matches
    uint32_t open;       ///< iterations under way
    uint32_t light;      ///< 1 if iterations begin and end without a call
} stoa_query_head;

/// An iteration under way: read `count` and `entities` after each stoa_iter_next.
typedef struct stoa_iter {
    stoa_world *world;            ///< the world iterated
    const stoa_entity *entities;  ///< row i's entity
    int32_t count;                ///< rows in this chunk
    uint64_t fields;              ///< of the current match
    uint8_t *data;                ///< the current chunk
    const uint32_t *offsets;      ///< of the current match
    const uint32_t *offsets_base; ///< of all matches
    const stoa_chunk *chunk;      ///< the next chunk
    const stoa_chunk *chunk_end;  ///< past the last chunk of the current match
    stoa_match *match;            ///< the next match
    stoa_match *match_end;        ///< past the last match
    stoa_query *query;            ///< NULL once ended
} stoa_iter;

/// The slow half of stoa_query_iter, and the same for any query.
stoa_iter stoa_query_iter_any(stoa_query *query);

/// The slow half of an iteration's end: tells its query.
void stoa_query_close(stoa_query *query);

/// The slow half of stoa_iter_next: reads the offsets of a match anew.
void stoa_match_resolve(const stoa_query *query, stoa_match *match);

/// Starts an iteration: `for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);)`
/// Until it ends the world refuses structural changes. Leave it early with stoa_iter_end.
/// The first one of a query, and each that meets entities without components, may need memory;
/// without it there are no chunks and an error.
static inline stoa_iter stoa_query_iter(stoa_query *query) {
    stoa_query_head *head = (stoa_query_head *)(void *)query;
    if (!STOA_LIKELY(head != NULL && head->light != 0)) {
        return stoa_query_iter_any(query);
    }
    head->open++;
    ((stoa_world_head *)(void *)head->world)->open++;
    // clang-format off
    stoa_iter it = {head->world, NULL, 0, 0, NULL, NULL, head->offsets, NULL, NULL, head->matches,
                    head->matches + head->count, query};
    // clang-format on
    return it;
}

/// The end of stoa_iter_next, past the last chunk.
static inline bool stoa_iter_last(stoa_iter *it) {
    stoa_query_head *head = (stoa_query_head *)(void *)it->query;
    it->count = 0;
    it->fields = 0;
    it->query = NULL;
    if (head != NULL && head->light == 0) {
        stoa_query_close((stoa_query *)(void *)head);
    } else if (head != NULL) {
        head->open--;
        ((stoa_world_head *)(void *)head->world)->open--;
    }
    return false;
}

/// Steps to the next chunk; false, and the iteration ended, after the last.
static inline bool stoa_iter_next(stoa_iter *it) {
    const stoa_chunk *chunk = it->chunk;
    if (chunk == it->chunk_end) {
        const stoa_archetype_head *archetype;
        stoa_match *match;
        do {
            match = it->match;
            if (match == it->match_end) {
                return stoa_iter_last(it);
            }
            it->match = match + 1;
            archetype = match->archetype;
        } while (archetype->chunk_count == 0);
        if (!STOA_LIKELY(match->version == archetype->version)) {
            stoa_match_resolve(it->query, match);
        }
        it->offsets = it->offsets_base + match->first;
        it->fields = match->fields;
        chunk = archetype->chunks;
        it->chunk_end = chunk + archetype->chunk_count;
    }
    it->chunk = chunk + 1;
    it->data = chunk->data;
    it->entities = (const stoa_entity *)(const void *)chunk->data;
    it->count = chunk->count;
    return true;
}

/// The slow half of stoa_archetype_column: searches a crowded table.
const stoa_column *stoa_archetype_search(const stoa_archetype_head *archetype, stoa_component id);

/// Where an archetype keeps a component, or NULL if it has none.
static inline const stoa_column *stoa_archetype_column(const stoa_archetype_head *archetype,
                                                       stoa_component id) {
    const stoa_column *column = &archetype->columns[id & archetype->column_mask];
    if (STOA_LIKELY(column->id == id)) {
        return column;
    }
    return STOA_LIKELY(archetype->crowded == 0) ? NULL : stoa_archetype_search(archetype, id);
}

/// The column of a component for a live entity, and the entity's place; NULL if there is none.
/// `id` must be one that the world gave out, or 0.
static inline const stoa_column *stoa_fast_column(const stoa_world *world, stoa_entity e,
                                                  stoa_component id, uint32_t *place) {
    const stoa_world_head *w = (const stoa_world_head *)(const void *)world;
    if (!STOA_LIKELY(e.index < w->record_count)) {
        return NULL;
    }
    const stoa_record *record = &w->records[e.index];
    if (!STOA_LIKELY(record->generation == e.generation && (int32_t)e.generation > 0)) {
        return NULL;
    }
    *place = record->place;
    const stoa_archetype_head *archetype = w->chunks[record->place >> STOA_PLACE_BITS].archetype;
    return stoa_archetype_column(archetype, id);
}

/// The id of a described type that this world has met lately, else 0.
static inline stoa_component stoa_fast_id(const stoa_world *world, const stoa_type *type) {
    const stoa_world_head *w = (const stoa_world_head *)(const void *)world;
    uint32_t slot = STOA_LOAD(&type->slot);
    uint64_t entry = STOA_LOAD(&w->slots[slot % STOA_SLOTS]);
    return STOA_LIKELY((uint32_t)entry == slot) ? (stoa_component)(entry >> 32) : 0;
}

/// The component of a live entity, or NULL; `id` as for stoa_fast_column.
static inline void *stoa_fast_find(const stoa_world *world, stoa_entity e, stoa_component id,
                                   uint32_t size) {
    uint32_t place;
    const stoa_column *column = stoa_fast_column(world, e, id, &place);
    if (!STOA_LIKELY(column != NULL)) {
        return NULL;
    }
    const stoa_world_head *w = (const stoa_world_head *)(const void *)world;
    size_t row = place & ((1u << STOA_PLACE_BITS) - 1);
    return w->chunks[place >> STOA_PLACE_BITS].data + column->offset + row * size;
}

/// Typed twin of stoa_try_get_id; see stoa_try_get. `size` is the type's.
static inline void *stoa_fast_try(const stoa_world *world, stoa_entity e, stoa_type *type,
                                  uint32_t size) {
    stoa_component id = STOA_LIKELY(world != NULL) ? stoa_fast_id(world, type) : 0;
    return STOA_LIKELY(id != 0) ? stoa_fast_find(world, e, id, size)
                                : stoa_try_type(world, e, type);
}

/// Typed twin of stoa_has_id; see stoa_has.
static inline bool stoa_has_type(const stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = STOA_LIKELY(world != NULL) ? stoa_fast_id(world, type) : 0;
    uint32_t place;
    return STOA_LIKELY(id != 0) ? stoa_fast_column(world, e, id, &place) != NULL
                                : stoa_try_type(world, e, type) != NULL;
}

/// Makes an entity with a bundle; see stoa_create_with.
/// The values of a small bundle travel in registers: the compiler knows what is in the list.
static inline stoa_entity stoa_fast_create(stoa_world *world, const stoa_value *v, int32_t count) {
    bool typed = count > 0 && count <= STOA_CREATE_FEW;
    for (int32_t i = 0; typed && i < count; i++) {
        typed = v[i].type != NULL && v[i].op == STOA_PUT;
    }
    if (!typed) {
        return stoa_create_values(world, v, count);
    }
    if (count == 1) {
        return stoa_create_one(world, v[0].type, v[0].data);
    }
    if (count == 2) {
        return stoa_create_two(world, v[0].type, v[0].data, v[1].type, v[1].data);
    }
    return stoa_create_three(world, v[0].type, v[0].data, v[1].type, v[1].data, v[2].type,
                             v[2].data);
}

/// Typed get, const; see stoa_get. `size` is the type's.
static inline const void *stoa_fast_get(const stoa_world *world, stoa_entity e, stoa_type *type,
                                        uint32_t size) {
    const void *found = NULL;
    if (STOA_LIKELY(world != NULL)) {
        found = stoa_fast_find(world, e, stoa_fast_id(world, type), size);
    }
    return STOA_LIKELY(found != NULL) ? found : stoa_get_type(world, e, type);
}

/// Typed get for writing; see stoa_get_mut. `size` is the type's.
static inline void *stoa_fast_get_mut(stoa_world *world, stoa_entity e, stoa_type *type,
                                      uint32_t size) {
    void *found = NULL;
    if (STOA_LIKELY(world != NULL)) {
        found = stoa_fast_find(world, e, stoa_fast_id(world, type), size);
    }
    return STOA_LIKELY(found != NULL) ? found : stoa_get_mut_type(world, e, type);
}

STOA_END

#endif

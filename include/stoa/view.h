/* The storage as it stands, read only: archetypes, chunks, columns, and what they cost. */
#ifndef STOA_VIEW_H
#define STOA_VIEW_H

#include "stoa/world.h"

STOA_BEGIN

/// What a world holds and what it costs.
typedef struct stoa_statistics {
    int32_t entities;      ///< live entities
    int32_t empty;         ///< of those, entities with no component, which have no row
    int32_t components;    ///< registered component types
    int32_t archetypes;    ///< sets of components met so far, the empty one included
    int32_t chunks;        ///< chunks in use or kept ready
    int32_t queries;       ///< queries alive
    int64_t rows;          ///< entities that have a row
    size_t chunk_used;     ///< bytes of rows in use, with the padding of their columns
    size_t chunk_reserved; ///< bytes held for rows: chunks and slabs
    size_t bytes_used;     ///< chunk_used and the entity records in use
    size_t bytes_reserved; ///< every byte the world has from its allocator
} stoa_statistics;

/// What the world holds and what it costs.
stoa_statistics stoa_stats(const stoa_world *world);

/// One set of components and the rows that have it.
typedef struct stoa_archetype_info {
    int32_t id; ///< stable: from 0, in order of appearance; 0 is the empty set
    const stoa_component *components; ///< sorted; lives as long as the world
    int32_t component_count;          ///< 0 for the empty set
    int32_t chunk_count;              ///< chunks that hold rows
    int32_t row_count;                ///< entities of this archetype
    int32_t chunk_capacity;           ///< rows in each of its chunks, a power of two
    size_t used;                      ///< bytes of rows in use, padding included
    size_t reserved;                  ///< bytes of its chunks
} stoa_archetype_info;

/// One chunk: its entities, row by row.
typedef struct stoa_chunk_info {
    const stoa_entity *entities; ///< row i's entity; valid until the next structural change
    int32_t count;               ///< rows in use
} stoa_chunk_info;

/// How many archetypes there are.
int32_t stoa_archetype_count(const stoa_world *world);

/// Fills in what is known of the archetype with that id.
stoa_status stoa_archetype_info_get(const stoa_world *world, int32_t archetype,
                                    stoa_archetype_info *info);

/// The archetype an entity is in, or -1 with an error if it is dead.
int32_t stoa_archetype_of(const stoa_world *world, stoa_entity e);

/// Fills in one chunk of an archetype.
stoa_status stoa_chunk_info_get(const stoa_world *world, int32_t archetype, int32_t chunk,
                                stoa_chunk_info *info);

/// A chunk's column of a component, 64-byte aligned; NULL with an error if there is none.
/// Readable up to the next 64-byte boundary past its last row.
const void *stoa_chunk_column(const stoa_world *world, int32_t archetype, int32_t chunk,
                              stoa_component id);

/// Where in a chunk a component is switched off: 1 for such a row, else 0.
/// NULL, with no error, if there is no such row.
const uint8_t *stoa_chunk_switches(const stoa_world *world, int32_t archetype, int32_t chunk,
                                   stoa_component id);

/// When a chunk's column was written.
typedef struct stoa_chunk_times {
    uint32_t changed;            ///< the tick of the last write to any row
    uint32_t added;              ///< the tick at which a row was last added
    const uint32_t *row_changed; ///< the same for each row; NULL unless STOA_ROW_TICKS
    const uint32_t *row_added;   ///< likewise
} stoa_chunk_times;

/// Fills in when a chunk's column, or tag, was written.
stoa_status stoa_chunk_times_get(const stoa_world *world, int32_t archetype, int32_t chunk,
                                 stoa_component id, stoa_chunk_times *times);

/// A sparse component's entities and values, one after the other.
typedef struct stoa_sparse_info {
    const stoa_entity *entities; ///< in storage order; valid until the next structural change
    const void *values;          ///< entity i's value; NULL for a tag
    int32_t count;               ///< entities that have it
    const stoa_atomic *changed;  ///< the tick of entity i's last write
    const uint32_t *added;       ///< the tick at which entity i was given it
    const uint8_t *off;          ///< 1 if entity i's is switched off; NULL if none can be
} stoa_sparse_info;

/// Fills in what is stored of a sparse component.
stoa_status stoa_sparse_info_get(const stoa_world *world, stoa_component id,
                                 stoa_sparse_info *info);

STOA_END

#endif

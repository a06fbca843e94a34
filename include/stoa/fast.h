/* The fast paths that are compiled into the caller: look-up of one component, and the step from
 * chunk to chunk.
 *
 * The structs below are prefixes of the library's own: their layout is part of the binary
 * interface. Read them through the functions; everything here may be read, nothing may be written,
 * by a program. */
#ifndef STOA_FAST_H
#define STOA_FAST_H

#include "stoa/access.h"

#include <string.h>

STOA_BEGIN

/// Bits of a place that tell the row in its chunk; the rest is the chunk's number.
#define STOA_PLACE_BITS 12

/// Set in the first half of a record whose slot is free or held, and in no place and no index.
#define STOA_UNPLACED 0x80000000u

/// One entry of the entity table.
/// It is laid out as a handle is, so that one step makes a place of both if they agree, and a
/// number that is no place if the slot is dead or has another generation: see stoa_record_meet.
typedef struct stoa_record {
    uint32_t mixed; ///< of the living: place ^ index; else STOA_UNPLACED and the next free slot
    uint32_t generation; ///< as in the live handle; of the dead the next one, with the top bit set
} stoa_record;

/// Where a live entity is: chunk number and row; chunk 0 holds those with no component.
static inline uint32_t stoa_record_place(const stoa_record *records, uint32_t index) {
    return records[index].mixed ^ index;
}

/// Where an archetype keeps a component; found at `id & mask`, or after it in a crowded table.
typedef struct stoa_column {
    uint32_t id;    ///< UINT32_MAX in an unused entry
    uint32_t index; ///< which of a chunk's columns it is; see stoa_column_begin
} stoa_column;

/// Set in the index of a tag, which has no column; the rest is where it is, from columns[-1] on.
#define STOA_INDEX_TAG 0x80000000u

/// Where a column of a chunk begins, or a tag of it is.
static inline uint8_t *stoa_column_begin(uint8_t *const *columns, uint32_t index) {
    return STOA_LIKELY((int32_t)index >= 0) ? columns[index]
                                            : columns[-1] + (index & ~STOA_INDEX_TAG);
}

/// The `ticks` of a column whose component has STOA_NOTED, where rows have no ticks.
#define STOA_TICKS_NOTED (-1)

/// What a chunk knows of one of its columns; it stands right before the column's first row.
typedef struct stoa_column_state {
    uint32_t number;     ///< of the chunk
    uint32_t off;        ///< rows in which the component is switched off
    int32_t ticks;       ///< from the column to the ticks of its rows' last writes, which come
                         ///< after it; 0: has none; STOA_TICKS_NOTED less that if writes are noted
    stoa_atomic changed; ///< the tick of the last write
    stoa_atomic added;   ///< the tick of the last addition
} stoa_column_state;

/// The tick of a write.
/// A struct, so that compilers know that storing one changes no other number of the library's.
typedef struct stoa_mark {
    uint32_t tick; ///< when it was
} stoa_mark;

/// Notes a tick where other threads may note the same one. `at` is a stoa_mark or a stoa_atomic.
static inline void stoa_mark_set(void *at, uint32_t tick) {
#ifdef STOA_THREADS_CHECKED
    STOA_STORE((stoa_atomic *)at, tick);
#else
    ((volatile stoa_mark *)at)->tick = tick;
#endif
}

/// What is touched by a write to a component, wherever it is kept.
typedef struct stoa_reach {
    void *value;        ///< NULL: it is not there, or cannot be written
    uint8_t *column;    ///< that it is in; NULL if the component is sparse
    size_t row;         ///< in that column
    stoa_mark *changed; ///< of the value, if the component is sparse
} stoa_reach;

/// The component that stoa_try_type would find; no guard is asked and nothing is reported.
STOA_PURE const void *stoa_seek_type(const stoa_world *world, stoa_entity e, stoa_type *type);

/// The component that stoa_try_mut_type would find; no guard is asked, nothing marked or reported.
STOA_PURE stoa_reach stoa_reach_type(const stoa_world *world, stoa_entity e, stoa_type *type);

/// One chunk of an archetype.
typedef struct stoa_chunk {
    uint8_t **columns; ///< where they begin: [0] the entities, then each column on a 64-byte
                       ///< boundary; [-1] the tags
    uint32_t number;   ///< in the world's table of chunks
    int32_t count;     ///< rows in use
} stoa_chunk;

/// The entities of a chunk's rows, by its columns.
static inline stoa_entity *stoa_columns_entities(uint8_t *const *columns) {
    return (stoa_entity *)(void *)columns[0];
}

/// The part of an archetype that a walk reads.
typedef struct stoa_archetype_head {
    stoa_chunk *chunks;     ///< dense; only the last is partly filled
    int32_t chunk_count;    ///< chunks that hold rows
    int32_t chunk_capacity; ///< rows in each chunk
} stoa_archetype_head;

/// Pointers to the columns of a chunk that an archetype has room for: tags, entities and one more.
#define STOA_TABLE 3

/// The part of an archetype that the fast paths read.
/// Up to `table` it is one cache line: all that a walk over many small archetypes with one column
/// reads of each.
typedef struct stoa_archetype_front {
    stoa_archetype_head head;   ///< must be first
    stoa_chunk *tail;           ///< the last chunk; one that is full where there is none
    stoa_chunk first;           ///< where `head.chunks` points while there is one
    uint8_t *table[STOA_TABLE]; ///< the columns of a chunk that is not of full size, if they are so
                                ///< few; from [-1] on
    const stoa_column *columns; ///< table of `column_mask + 1` entries
    uint32_t column_mask;       ///< one less than a power of two
    uint32_t version;           ///< the epoch of the world in which columns last moved
    uint32_t crowded;           ///< 1 if some entries of `columns` are not where their id says
} stoa_archetype_front;

/// The front that begins with a head.
static inline const stoa_archetype_front *stoa_archetype_seen(const stoa_archetype_head *head) {
    return (const stoa_archetype_front *)(const void *)head;
}

/// A chunk by its number in the world.
typedef struct stoa_chunk_ref {
    uint8_t **columns;              ///< as in the chunk
    stoa_archetype_head *archetype; ///< whose rows it holds
} stoa_chunk_ref;

/// Descriptors whose ids the fast paths find; others are looked up by a call.
#define STOA_SLOTS 1024

/// Set in the id of a slot that the fast paths do not find.
/// The component is sparse or immutable, or the world is sealed.
#define STOA_SPECIAL 0x80000000u

/// Set in a world's `open` while threads fill command buffers: what they do is not counted.
#define STOA_OPEN_FORKED 0x40000000u

/// The part of a world's `open` that counts iterations; the rest tells of hooks and threads.
#define STOA_OPEN_ITERATIONS 0x00FFFFFFu
/// Set in a world's `open` while it is sealed; see stoa_world_seal.
#define STOA_OPEN_SEALED 0x08000000u
/// Set in a world's `open` while a veto is asked; see stoa_veto_new.
#define STOA_OPEN_ASKED 0x10000000u

/// The part of a world that the fast paths read.
typedef struct stoa_world_head {
    stoa_record *records;   ///< the entity table
    uint32_t record_count;  ///< slots ever used, slot 0 included
    uint32_t tick;          ///< what a write is marked with; read with the one before
    stoa_chunk_ref *chunks; ///< by chunk number
    uint8_t ***columns;     ///< by component id, then chunk number: the column, or NULL; the table
                            ///< of a component is NULL if it has none, as that of 0; after
                            ///< `column_capacity` entries there is a stoa_home for each of them
    uint32_t open;          ///< iterations under way; the structure must not change meanwhile
    uint32_t epoch;         ///< moves on whenever columns of an archetype move; from 1; read with
                            ///< `open`
    stoa_atomic guarded;    ///< 1 if a thread was ever guarded; see stoa_guard_set
    uint32_t column_capacity; ///< chunk numbers that the tables of `columns` have room for
    stoa_mark *written; ///< by chunk number: when a component with STOA_NOTED was last written
                        ///< where it is. As long as no row of the chunk came, went or moved (see
                        ///< stoa_query_version), no column of such a component is newer
    stoa_atomic64 slots[STOA_SLOTS]; ///< at `slot % STOA_SLOTS`: a slot, and its component id << 32
} stoa_world_head;

/// Stands in for the world where there is none: nothing is found in it.
extern const stoa_world_head stoa_world_none;

#ifdef STOA_DEBUG
/// True if accesses to the world must be checked, and so must not take the fast paths.
#define STOA_GUARDED(head) (STOA_LOAD(&(head)->guarded) != 0)
#else
#define STOA_GUARDED(head) false
#endif

/// An archetype that a query matches; the indexes of its columns follow, by term.
typedef struct stoa_match {
    stoa_archetype_head *archetype; ///< whose chunks are walked
    uint64_t fields; ///< bit i: term i has a column here; bit 32 + i: written with no call
} stoa_match;

/// The match that is so many bytes after one.
static inline const stoa_match *stoa_match_after(const stoa_match *match, size_t bytes) {
    return (const stoa_match *)(const void *)((const uint8_t *)match + bytes);
}

/// Matches that follow if archetypes are asked for ahead of their turn: fewer are in the caches.
#define STOA_MATCH_MANY 64

/// A cached query; belongs to its world, which frees it if nobody else does.
typedef struct stoa_query stoa_query;

/// The part of a query that the fast paths read.
typedef struct stoa_query_head {
    stoa_world *world;   ///< whose entities it matches
    stoa_match *matches; ///< in order of archetype ids
    uint32_t count;      ///< matches
    uint32_t open;       ///< iterations under way
    uint32_t light;      ///< of stoa_query_weight
    uint32_t last_run;   ///< the tick at which an iteration last came to its end
    uint32_t epoch;      ///< the world's when indexes were read
    uint32_t match_size; ///< bytes of a match with its indexes
} stoa_query_head;

/// How an iteration of a query goes.
typedef enum stoa_query_weight {
    STOA_QUERY_HEAVY, ///< by runs of rows, which calls of the library list
    STOA_QUERY_LIGHT, ///< by chunks, with no call
    STOA_QUERY_OPEN   ///< by chunks, with a call at the beginning and at the end
} stoa_query_weight;

/// Rows of one chunk, one after the other, that match.
typedef struct stoa_run {
    uint8_t *const *columns; ///< of the chunk; entities without one have a table of [0] alone
    const uint32_t *indexes; ///< of the chunk's match
    uint64_t fields;         ///< as in a match
    int32_t first;           ///< row in the chunk
    int32_t count;           ///< rows
} stoa_run;

/// Entity indexes that share a page of a sparse component's positions, as a power of two.
#define STOA_PAGE_BITS 10

/// The part of a sparse component's store that the fast paths read.
typedef struct stoa_sparse_head {
    uint32_t **pages;      ///< by entity index >> STOA_PAGE_BITS: positions + 1, or 0
    stoa_entity *entities; ///< by position
    uint8_t *values;       ///< by position
    stoa_atomic *changed;  ///< by position: the tick of the last write
} stoa_sparse_head;

/// What is known of the runs that are listed for a heavy query.
typedef struct stoa_walk_head {
    const stoa_run *runs;                ///< the first one
    const uint32_t *positions;           ///< of each run's first row in `driver`; the others follow
    const stoa_sparse_head *driver;      ///< the set that is walked, or NULL
    const stoa_sparse_head *const *sets; ///< by term: the set that all rows are in, or NULL
    uint32_t writes;                     ///< bit i: term i writes
} stoa_walk_head;

/// An iteration under way: read `count` and `entities` after each stoa_iter_next.
typedef struct stoa_iter {
    stoa_world *world;            ///< the world iterated
    const stoa_entity *entities;  ///< row i's entity
    int32_t count;                ///< rows to work on
    int32_t left;                 ///< chunks of the current match, from this one on
    uint64_t fields;              ///< of the current match
    uint8_t *const *columns;      ///< of the current chunk
    const uint32_t *indexes;      ///< of the current match
    size_t first;                 ///< the row of the chunk that `entities[0]` is
    stoa_query *query;            ///< NULL once ended
    const stoa_match *match;      ///< the next match
    uint8_t *const *soon_columns; ///< the columns of its first chunk
    int32_t soon_count;           ///< rows of that
    int32_t soon_left;            ///< its chunks; 0: it has none, or there is no next match
    const stoa_run *run;          ///< the next run, of a heavy query
    const stoa_match *match_end;  ///< past the last match
    size_t match_size;            ///< from one to the next
    const stoa_match *match_few;  ///< from here on archetypes are not asked for ahead of their turn
    const stoa_run *run_end;      ///< past the last run that is listed
    stoa_walk_head *walk;         ///< what the library keeps for a heavy query, else NULL
} stoa_iter;

/// Looks at the next match of an iteration, before the program works on the current one.
/// A processor mostly takes the end of the program's loop for another turn, and begins anew after
/// it: what would be one pointer after the other then is here already.
static inline void stoa_iter_meet(stoa_iter *it, const stoa_archetype_head *archetype) {
    const stoa_chunk *chunk = archetype->chunks;
    it->soon_left = archetype->chunk_count;
    it->soon_columns = chunk->columns;
    it->soon_count = chunk->count;
}

/// The chunk that the rows at hand are of, unless it is a heavy query.
static inline const stoa_chunk *stoa_iter_chunk(const stoa_iter *it) {
    const stoa_match *match = (const stoa_match *)(const void *)it->indexes - 1;
    return match->archetype->chunks + (match->archetype->chunk_count - it->left);
}

/// The slow half of stoa_query_iter, and the same for any query.
stoa_iter stoa_query_iter_any(stoa_query *query);

/// The slow half of an iteration's end: tells its query.
void stoa_query_close(stoa_query *query);

/// The slow half of stoa_iter_next for a heavy query: lists more runs and returns how many.
/// 0 after the last: the iteration has ended and `walk` is not to be used again.
int32_t stoa_walk_fill(stoa_query *query, stoa_walk_head *walk);

/// Starts an iteration: `for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);)`
/// Until it ends the world refuses structural changes. Leave it early with stoa_iter_end.
/// The first one of a query, and each that meets entities without components, may need memory;
/// without it there are no chunks and an error.
static inline stoa_iter stoa_query_iter(stoa_query *query) {
    stoa_query_head *head = (stoa_query_head *)(void *)query;
    if (!STOA_LIKELY(head != NULL && head->light == STOA_QUERY_LIGHT)) {
        return stoa_query_iter_any(query);
    }
    stoa_world_head *w = (stoa_world_head *)(void *)head->world;
    if (!STOA_LIKELY((w->open & STOA_OPEN_FORKED) == 0 && head->epoch == w->epoch) ||
        STOA_GUARDED(w)) {
        return stoa_query_iter_any(query);
    }
    head->open++;
    w->open++;
    size_t size = head->match_size, all = head->count * size, few = STOA_MATCH_MANY * size;
    const stoa_match *matches = head->matches;
    // clang-format off
    stoa_iter it = {head->world, NULL, 0, 0, 0, NULL, NULL, 0, query, matches, NULL, 0, 0, NULL,
                    stoa_match_after(matches, all), size,
                    all > few ? stoa_match_after(matches, all - few) : NULL, NULL, NULL};
    // clang-format on
    if (STOA_LIKELY(all != 0)) {
        stoa_iter_meet(&it, matches->archetype);
    }
    return it;
}

/// Steps to a run that is listed.
static inline bool stoa_iter_run(stoa_iter *it) {
    const stoa_run *run = it->run;
    it->run = run + 1;
    it->columns = run->columns;
    it->indexes = run->indexes;
    it->fields = run->fields;
    it->first = (size_t)run->first;
    it->entities = stoa_columns_entities(run->columns) + it->first;
    it->count = run->count;
    return true;
}

/// The end of stoa_iter_next, past the last chunk; heavy queries are always there.
static inline bool stoa_iter_last(stoa_iter *it) {
    stoa_query_head *head = (stoa_query_head *)(void *)it->query;
    if (it->walk != NULL) {
        if (!STOA_LIKELY(it->run != it->run_end)) {
            int32_t count = stoa_walk_fill(it->query, it->walk);
            if (count == 0) {
                it->count = 0;
                it->fields = 0;
                it->query = NULL;
                it->walk = NULL;
                return false;
            }
            it->run = it->walk->runs;
            it->run_end = it->run + count;
        }
        return stoa_iter_run(it);
    }
    it->count = 0;
    it->fields = 0;
    it->query = NULL;
    if (head != NULL && head->light != STOA_QUERY_LIGHT) {
        stoa_query_close((stoa_query *)(void *)head);
    } else if (head != NULL) {
        stoa_world_head *w = (stoa_world_head *)(void *)head->world;
        head->open--;
        head->last_run = w->tick;
        w->open--;
    }
    return false;
}

/// Steps to the next chunk; false, and the iteration ended, after the last.
/// It is taken to be that of another archetype: where an archetype has many a step counts least.
static inline bool stoa_iter_next(stoa_iter *it) {
    if (STOA_LIKELY(it->left <= 1)) {
        const stoa_match *match = it->match;
        do {
            it->left = it->soon_left;
            if (!STOA_LIKELY(it->left != 0) && match == it->match_end) {
                return stoa_iter_last(it);
            }
            it->columns = it->soon_columns;
            it->count = it->soon_count;
            it->fields = match->fields;
            it->indexes = (const uint32_t *)(const void *)(match + 1);
            it->soon_left = 0;
            match = stoa_match_after(match, it->match_size);
            if ((uintptr_t)match < (uintptr_t)it->match_few) {
                STOA_PREFETCH(stoa_match_after(match, 8 * it->match_size)->archetype);
                const stoa_match *later = stoa_match_after(match, 4 * it->match_size);
                STOA_PREFETCH(stoa_archetype_seen(later->archetype)->first.columns);
                stoa_iter_meet(it, match->archetype);
            } else if (STOA_LIKELY(match != it->match_end)) {
                stoa_iter_meet(it, match->archetype);
            }
            it->match = match;
        } while (!STOA_LIKELY(it->left != 0));
    } else {
        it->left--;
        const stoa_chunk *chunk = stoa_iter_chunk(it);
        it->columns = chunk->columns;
        it->count = chunk->count;
    }
    it->entities = stoa_columns_entities(it->columns);
    it->first = 0;
    return true;
}

/// Two numbers that stand side by side.
typedef struct stoa_pair {
    uint32_t first;  ///< at the lower address
    uint32_t second; ///< at the higher one
} stoa_pair;

/// Reads two numbers by one load.
/// A processor keeps only so many loads under way: the fewer a look-up has, the more look-ups wait
/// for memory at the same time.
static inline uint64_t stoa_bits_read(const void *from) {
    uint64_t bits;
    memcpy(&bits, from, sizeof bits);
    return bits;
}

/// The place of a handle whose index is in the table; STOA_UNPLACED or more if it is dead.
/// A handle is an entity as one number, see stoa_bits_read.
static inline uint64_t stoa_record_meet(const stoa_record *records, uint64_t handle) {
    return STOA_FIRST_LOW(stoa_bits_read(&records[STOA_FIRST(handle)]) ^ handle);
}

/// The handle that the next tenant of a free slot gets, by what was read of the slot's record.
static inline uint64_t stoa_record_tenant(uint64_t record, uint32_t index) {
    return (record & STOA_JOIN(0u, ~STOA_UNPLACED)) | STOA_JOIN(index, 0u);
}

/// The slot that is free after one, 0: none; by what was read of its record.
static inline uint32_t stoa_record_next(uint64_t record) {
    return STOA_FIRST(record) & ~STOA_UNPLACED;
}

/// The record of an entity that lives at a place, to be written at once.
static inline uint64_t stoa_record_home(uint64_t handle, uint32_t place) {
    return handle ^ STOA_JOIN(place, 0u);
}

/// The slow half of stoa_archetype_column: searches a crowded table.
const stoa_column *stoa_archetype_search(const stoa_archetype_head *archetype, stoa_component id);

/// The entry where a component is, if the archetype has it and is not crowded.
static inline const stoa_column *stoa_archetype_entry(const stoa_archetype_head *archetype,
                                                      stoa_component id) {
    const stoa_archetype_front *front = stoa_archetype_seen(archetype);
    return &front->columns[id & front->column_mask];
}

/// Where an archetype keeps a component, or NULL if it has none.
static inline const stoa_column *stoa_archetype_column(const stoa_archetype_head *archetype,
                                                       stoa_component id) {
    const stoa_column *column = stoa_archetype_entry(archetype, id);
    if (STOA_LIKELY(column->id == id)) {
        return column;
    }
    return STOA_LIKELY(stoa_archetype_seen(archetype)->crowded == 0)
               ? NULL
               : stoa_archetype_search(archetype, id);
}

/// True if there is a world and it has met the described type lately.
/// `id` is then its component, with STOA_SPECIAL if the fast paths cannot reach that, or 0.
static inline bool stoa_fast_met(const stoa_world *world, const stoa_type *type,
                                 stoa_component *id) {
    if (!STOA_LIKELY(world != NULL)) {
        return false;
    }
    const stoa_world_head *w = (const stoa_world_head *)(const void *)world;
    if (STOA_GUARDED(w)) {
        return false;
    }
    uint32_t slot = STOA_LOAD(&type->slot);
    uint64_t entry = STOA_LOAD(&w->slots[slot % STOA_SLOTS]);
    *id = (stoa_component)(entry >> 32);
    return STOA_LIKELY((uint32_t)entry == slot);
}

/// The id of a described type that this world has met lately, else 0; see stoa_fast_met.
static inline stoa_component stoa_fast_id(const stoa_world *world, const stoa_type *type) {
    stoa_component id;
    return stoa_fast_met(world, type, &id) ? id : 0;
}

/// Notes that a column of a chunk is written at this tick.
static inline void stoa_column_mark(uint8_t *column, uint32_t tick) {
    stoa_mark_set(&((stoa_column_state *)(void *)column)[-1].changed, tick);
}

/// The ticks of the last writes to the rows of a column, or NULL if it has none.
static inline const stoa_mark *stoa_column_ticks(const uint8_t *column) {
    int32_t ticks = ((const stoa_column_state *)(const void *)column)[-1].ticks;
    ticks = ticks < 0 ? STOA_TICKS_NOTED - ticks : ticks;
    return ticks != 0 ? (const stoa_mark *)(const void *)(column + ticks) : NULL;
}

/// Notes that a chunk is written at this tick, if the component of the column wants that.
/// `written` is the world's.
static inline void stoa_column_note(stoa_mark *written, const uint8_t *column, uint32_t tick) {
    const stoa_column_state *state = (const stoa_column_state *)(const void *)column - 1;
    if (state->ticks < 0) {
        stoa_mark_set(&written[state->number], tick);
    }
}

/// Notes that a row of a column is written where it is, if the component keeps that.
/// Whoever keeps ticks of rows alone goes the shorter way: change_write took 1.46 of its limit
/// instead of 1.31 with a branch more. `written` is the world's.
static inline void stoa_row_mark(stoa_mark *written, uint8_t *column, size_t row, uint32_t tick) {
    ptrdiff_t ticks = ((const stoa_column_state *)(const void *)column)[-1].ticks;
    if (!STOA_LIKELY(ticks <= 0)) {
        ((stoa_mark *)(void *)(column + ticks))[row].tick = tick;
    } else if (!STOA_LIKELY(ticks == 0)) {
        stoa_column_note(written, column, tick);
        if (ticks != STOA_TICKS_NOTED) {
            ((stoa_mark *)(void *)(column + (STOA_TICKS_NOTED - ticks)))[row].tick = tick;
        }
    }
}

/// True if the fast paths find whatever there is of the id.
static inline bool stoa_fast_final(stoa_component id) {
    return STOA_LIKELY((int32_t)id > 0);
}

/// Where the row of place 0 would be if all places stood side by side.
/// With it a place need not be taken apart. STOA_HOME_SET is added; 0 if the chunk has no such
/// column.
typedef uintptr_t stoa_home;

/// Tells a home from none: columns begin at even addresses.
#define STOA_HOME_SET 1u

/// What all look-ups of one component have in common, until the structure changes.
typedef struct stoa_sight {
    const stoa_record *records; ///< the entity table
    uint8_t *const *columns;    ///< where the component's column begins, by chunk number
    const stoa_home *homes;     ///< the same, as homes
    stoa_mark *written;         ///< the world's
    uint32_t limit;             ///< entity indexes end here; 0: the fast paths cannot tell
    uint32_t tick;              ///< the world's
} stoa_sight;

/// Looks ahead to a component that a type describes.
/// There is no branch, and nothing is read as atomic: in a loop a compiler does this once.
static inline stoa_sight stoa_fast_sight(const stoa_world *world, const stoa_type *type) {
    const stoa_world_head *w =
        world != NULL ? (const stoa_world_head *)(const void *)world : &stoa_world_none;
    const stoa_record *records = w->records;
    uint32_t count = w->record_count, tick = w->tick;
    uint32_t slot = stoa_peek32(&type->slot);
    uint64_t entry = stoa_peek64(&w->slots[slot % STOA_SLOTS]);
    stoa_component id = (stoa_component)(entry >> 32);
    uint8_t *const *columns = w->columns[id & ((id >> 31) - 1)];
    bool met = ((uint32_t)entry == slot) & (columns != NULL) & !STOA_GUARDED(w);
    const stoa_home *homes =
        (const stoa_home *)((uintptr_t)columns + w->column_capacity * sizeof *columns);
    stoa_sight sight = {records, columns, homes, w->written, count & (0u - met), tick};
    return sight;
}

/// The place that a handle leads to, if its index is below the limit; see stoa_record_meet.
/// A compiler need not keep the handle after it: stoa_sight_handle makes it again.
static inline uint64_t stoa_sight_meet(stoa_sight sight, uint64_t handle) {
    uint64_t place = stoa_record_meet(sight.records, handle);
    STOA_ALONE(place);
    return place;
}

/// The handle that met a place, by its index.
static inline uint64_t stoa_sight_handle(stoa_sight sight, uint64_t place, size_t index) {
    STOA_ALONE(index);
    return STOA_FIRST_LOW(place) ^ stoa_bits_read(&sight.records[index]);
}

/// Where the component in sight is at a place that was met, as a home; 0: nowhere.
static inline stoa_home stoa_sight_home(stoa_sight sight, uint64_t place) {
    return STOA_LIKELY(place < STOA_UNPLACED) ? sight.homes[place >> STOA_PLACE_BITS] : 0;
}

/// The column of the component in sight at a place that was met; NULL: there is none.
static inline uint8_t *stoa_sight_column(stoa_sight sight, uint64_t place) {
    return STOA_LIKELY(place < STOA_UNPLACED) ? sight.columns[place >> STOA_PLACE_BITS] : NULL;
}

/// The value at a place that has a home.
static inline const void *stoa_home_value(stoa_home home, uint64_t place, uint32_t size) {
    return (const void *)(home + (uintptr_t)place * size - STOA_HOME_SET);
}

/// The value at a place, by its column; column and row are marked as changed.
static inline void *stoa_sight_write(stoa_sight sight, uint8_t *column, uint64_t place,
                                     uint32_t size) {
    size_t row = place & ((1u << STOA_PLACE_BITS) - 1);
    stoa_column_mark(column, sight.tick);
    stoa_row_mark(sight.written, column, row, sight.tick);
    return column + row * size;
}

/// True if accesses to the world must be checked one by one.
static inline bool stoa_fast_guarded(const stoa_world *world) {
    return world != NULL && STOA_GUARDED((const stoa_world_head *)(const void *)world);
}

/// Typed twin of stoa_try_get_id; see stoa_try_get. `size` is the type's.
static inline const void *stoa_fast_try(const stoa_world *world, stoa_entity e, stoa_type *type,
                                        uint32_t size) {
    stoa_sight sight = stoa_fast_sight(world, type);
    uint64_t handle = stoa_bits_read(&e);
    if (STOA_LIKELY(STOA_FIRST(handle) < sight.limit)) {
        uint64_t place = stoa_sight_meet(sight, handle);
        stoa_home home = stoa_sight_home(sight, place);
        return STOA_LIKELY(home != 0) ? stoa_home_value(home, place, size) : NULL;
    }
    return STOA_LIKELY(sight.limit != 0) ? NULL
           : stoa_fast_guarded(world)    ? stoa_try_type(world, e, type)
                                         : stoa_seek_type(world, e, type);
}

/// Typed twin of stoa_try_get_mut_id; see stoa_try_get_mut. `size` is the type's.
static inline void *stoa_fast_try_mut(stoa_world *world, stoa_entity e, stoa_type *type,
                                      uint32_t size) {
    stoa_sight sight = stoa_fast_sight(world, type);
    uint64_t handle = stoa_bits_read(&e);
    if (STOA_LIKELY(STOA_FIRST(handle) < sight.limit)) {
        uint64_t place = stoa_sight_meet(sight, handle);
        uint8_t *column = stoa_sight_column(sight, place);
        return STOA_LIKELY(column != NULL) ? stoa_sight_write(sight, column, place, size) : NULL;
    }
    return STOA_LIKELY(sight.limit != 0) ? NULL : stoa_try_mut_type(world, e, type);
}

/// Typed twin of stoa_has_id; see stoa_has.
static inline bool stoa_has_type(const stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_sight sight = stoa_fast_sight(world, type);
    uint64_t handle = stoa_bits_read(&e);
    if (STOA_LIKELY(STOA_FIRST(handle) < sight.limit)) {
        return stoa_sight_home(sight, stoa_sight_meet(sight, handle)) != 0;
    }
    return STOA_LIKELY(sight.limit != 0) ? false : stoa_seek_type(world, e, type) != NULL;
}

/// Typed get, const; see stoa_get. `size` is the type's.
/// Only the last call may write memory. Who reads through the pointer without a look at it does not
/// come back from there, so a compiler need not read anew what it has seen of the world before.
static inline const void *stoa_fast_get(const stoa_world *world, stoa_entity e, stoa_type *type,
                                        uint32_t size) {
    if (stoa_fast_guarded(world)) {
        return stoa_get_type(world, e, type);
    }
    stoa_sight sight = stoa_fast_sight(world, type);
    uint64_t handle = stoa_bits_read(&e);
    size_t index = STOA_FIRST(handle);
    if (STOA_LIKELY(index < sight.limit)) {
        uint64_t place = stoa_sight_meet(sight, handle);
        stoa_home home = stoa_sight_home(sight, place);
        if (STOA_LIKELY(home != 0)) {
            return stoa_home_value(home, place, size);
        }
        handle = stoa_sight_handle(sight, place, index);
    } else if (sight.limit == 0) {
        const void *found = stoa_seek_type(world, e, type);
        if (STOA_LIKELY(found != NULL)) {
            return found;
        }
    }
    memcpy(&e, &handle, sizeof e);
    (void)stoa_get_type(world, e, type);
    return NULL;
}

/// Typed get for writing; see stoa_get_mut and stoa_fast_get. `size` is the type's.
static inline void *stoa_fast_get_mut(stoa_world *world, stoa_entity e, stoa_type *type,
                                      uint32_t size) {
    if (stoa_fast_guarded(world)) {
        return stoa_get_mut_type(world, e, type);
    }
    stoa_sight sight = stoa_fast_sight(world, type);
    uint64_t handle = stoa_bits_read(&e);
    size_t index = STOA_FIRST(handle);
    if (STOA_LIKELY(index < sight.limit)) {
        uint64_t place = stoa_sight_meet(sight, handle);
        uint8_t *column = stoa_sight_column(sight, place);
        if (STOA_LIKELY(column != NULL)) {
            return stoa_sight_write(sight, column, place, size);
        }
        handle = stoa_sight_handle(sight, place, index);
    } else if (sight.limit == 0) {
        stoa_reach reach = stoa_reach_type(world, e, type);
        if (STOA_LIKELY(reach.value != NULL)) {
            if (reach.column == NULL) {
                stoa_mark_set(reach.changed, sight.tick);
            } else {
                stoa_column_mark(reach.column, sight.tick);
                stoa_row_mark(sight.written, reach.column, reach.row, sight.tick);
            }
            return reach.value;
        }
    }
    memcpy(&e, &handle, sizeof e);
    (void)stoa_get_mut_type(world, e, type);
    return NULL;
}

STOA_END

#endif

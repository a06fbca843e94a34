/* Rows: moving components, appending to and removing from an archetype.
 *
 * The copies of a few bytes are written out, since a call to memcpy costs more than they do. What
 * happens once in a chunk's life is out of line. */
#ifndef STOA_STORAGE_ROW_H
#define STOA_STORAGE_ROW_H

#include "base/inline.h"
#include "storage/archetype.h"
#include "storage/vector.h"

#include <string.h>

/* A row: its chunk's columns, its number in the chunk, and both as a place. */
typedef struct stoa__row {
    uint8_t *const *columns;
    size_t slot;
    uint32_t place;
} stoa__row;

/* 8 to 16 bytes, without a branch: two words that may overlap. */
STOA__INLINE void stoa__copy_small(uint8_t *to, const uint8_t *from, size_t size) {
    uint64_t first, last;
    memcpy(&first, from, 8);
    memcpy(&last, from + size - 8, 8);
    memcpy(to, &first, 8);
    memcpy(to + size - 8, &last, 8);
}

/* Any number of bytes, quick for the sizes components have. */
STOA__INLINE void stoa__copy_bytes(uint8_t *to, const uint8_t *from, size_t size) {
    if (size >= 8 && size <= 16) {
        stoa__copy_small(to, from, size);
    } else if (size == 4) {
        memcpy(to, from, 4);
    } else if (size > 16 && size <= 32) {
        uint64_t words[4];
        memcpy(words, from, 16);
        memcpy(words + 2, from + size - 16, 16);
        memcpy(to, words, 16);
        memcpy(to + size - 16, words + 2, 16);
    } else {
        memcpy(to, from, size);
    }
}

/* Moves `count` components into raw memory. */
STOA__INLINE void stoa__component_move(const stoa__component *component, void *to, void *from,
                                       int32_t count) {
    if (component->info.hooks.move != NULL) {
        component->info.hooks.move(to, from, count, component->info.hooks.user);
    } else {
        memcpy(to, from, (size_t)count * component->info.size);
    }
}

/* Ends the lives of `count` components. */
STOA__INLINE void stoa__component_drop(const stoa__component *component, void *items,
                                       int32_t count) {
    if (component->info.hooks.drop != NULL) {
        component->info.hooks.drop(items, count, component->info.hooks.user);
    }
}

/* A column's ticks as one number, to compare two at once. */
STOA__INLINE uint64_t stoa__state_ticks(const stoa_column_state *state) {
    uint64_t ticks;
    memcpy(&ticks, (const uint8_t *)state + offsetof(stoa_column_state, changed), sizeof ticks);
    return ticks;
}

/* The half of stoa__state_merge for ticks that differ. */
void stoa__state_merge_any(stoa_column_state *to, const stoa_column_state *from);

/* A row came from another chunk: its column is as new as both. */
STOA__INLINE void stoa__state_merge(stoa_column_state *to, const stoa_column_state *from) {
    if (!STOA_LIKELY(stoa__state_ticks(to) == stoa__state_ticks(from))) {
        stoa__state_merge_any(to, from);
    }
}

/* True if a column is as new in two chunks. */
STOA__INLINE bool stoa__column_same(uint8_t *a, uint8_t *b) {
    return STOA_LIKELY(stoa__state_ticks(stoa__column_state(a)) ==
                       stoa__state_ticks(stoa__column_state(b)));
}

/* True if a lane is as new in two chunks, by their columns. */
STOA__INLINE bool stoa__lane_same(uint8_t *const *a, uint8_t *const *b, size_t lane) {
    return stoa__column_same(a[lane], b[lane]);
}

/* A component was written, and, if it is fresh, added. Both ticks are then set by one store, which
 * stoa__state_ticks can read again at once; nobody else looks while the structure changes. */
STOA__INLINE void stoa__state_mark(stoa_column_state *state, uint32_t tick, bool fresh) {
    if (fresh) {
        stoa__twice_write((uint8_t *)state + offsetof(stoa_column_state, changed), tick);
    } else {
        STOA_STORE(&state->changed, tick);
    }
}

/* A row of another chunk of the archetype came to this one. */
void stoa__row_states_merge(const stoa__archetype *archetype, uint8_t *const *to,
                            uint8_t *const *from);

/* True if no chunk of the archetype is older than one with these columns: merging with that would
 * change nothing. O(chunks). */
bool stoa__row_states_even(const stoa__archetype *archetype, uint8_t *const *from);

/* A row of a rich archetype is about to leave its chunk, or has come to it: counts what is off. */
void stoa__row_off_count(const stoa__archetype *archetype, uint8_t *const *columns, size_t slot,
                         bool leaves);

STOA__INLINE stoa__archetype *stoa__row_archetype(const stoa__storage *storage, uint32_t place) {
    return (stoa__archetype *)(void *)storage->head.chunks[place >> STOA_PLACE_BITS].archetype;
}

STOA__INLINE stoa__row stoa__row_at(const stoa__storage *storage, uint32_t place) {
    return (stoa__row){storage->head.chunks[place >> STOA_PLACE_BITS].columns,
                       place & (STOA__ROWS_MAX - 1), place};
}

STOA__INLINE stoa_entity *stoa__row_entity(stoa__row row) {
    return &stoa_columns_entities(row.columns)[row.slot];
}

/* The slow half of stoa__row_append: gives the tail room for a row. */
stoa_status stoa__row_room(stoa__storage *storage, stoa__archetype *archetype);

/* The slow half of removing: the last chunk has no rows left. */
void stoa__row_chunk_emptied(stoa__storage *storage, stoa__archetype *archetype);

/* Appends a raw row; the caller fills it in. On error nothing has changed. */
STOA__INLINE stoa_status stoa__row_append(stoa__storage *storage, stoa__archetype *archetype,
                                          stoa__row *row) {
    if (!STOA_LIKELY(archetype->tail->count < archetype->head.chunk_capacity)) {
        stoa_status status = stoa__row_room(storage, archetype);
        if (status != STOA_OK) {
            return status;
        }
    }
    stoa_chunk *chunk = archetype->tail;
    uint32_t slot = (uint32_t)chunk->count++;
    stoa__rows_came(storage, archetype->index, 1);
    row->columns = chunk->columns;
    row->slot = slot;
    row->place = chunk->number << STOA_PLACE_BITS | slot;
    return STOA_OK;
}

/* The last row of an archetype that has one. */
STOA__INLINE stoa__row stoa__row_last(const stoa__archetype *archetype) {
    const stoa_chunk *chunk = archetype->tail;
    uint32_t slot = (uint32_t)chunk->count - 1;
    return (stoa__row){chunk->columns, slot, chunk->number << STOA_PLACE_BITS | slot};
}

/* Takes the last row away; its components must have been moved or dropped. */
STOA__INLINE void stoa__row_pop(stoa__storage *storage, stoa__archetype *archetype) {
    stoa__rows_went(storage, archetype->index, 1);
    if (!STOA_LIKELY(--archetype->tail->count > 0)) {
        stoa__row_chunk_emptied(storage, archetype);
    }
}

/* The same of several rows of the last chunk. */
STOA__INLINE void stoa__row_pop_many(stoa__storage *storage, stoa__archetype *archetype,
                                     uint32_t count) {
    stoa__rows_went(storage, archetype->index, count);
    archetype->tail->count -= (int32_t)count;
    if (archetype->tail->count == 0) {
        stoa__row_chunk_emptied(storage, archetype);
    }
}

/* The entity of `last` now lives at `hole`. */
STOA__INLINE void stoa__row_entity_moved(stoa__storage *storage, stoa__row hole, stoa__row last) {
    stoa_entity moved = *stoa__row_entity(last);
    *stoa__row_entity(hole) = moved;
    stoa__place_set(storage->head.records, moved.index, hole.place);
    stoa__record_stamp(storage, moved.index);
}

/* The half of stoa__row_fill for columns that are not all small: moves the last row into the one at
 * `place`. */
void stoa__row_fill_any(const stoa__storage *storage, const stoa__archetype *archetype,
                        uint32_t place);

/* Copies the columns of the last row into a hole; they are all small, and both may be the same row.
 * Returns whether the ticks of columns differ, so that the states of two chunks must be merged. */
STOA__INLINE bool stoa__row_copy_small(const stoa__archetype *archetype, stoa__row hole,
                                       stoa__row last) {
    uint64_t differ = archetype->tag_count;
    for (size_t i = 1; i <= archetype->lane_count; i++) {
        size_t size = archetype->lanes[i - 1].size;
        uint8_t *to = hole.columns[i], *from = last.columns[i];
        differ |=
            stoa__state_ticks(stoa__column_state(to)) ^ stoa__state_ticks(stoa__column_state(from));
        stoa__copy_small(to + hole.slot * size, from + last.slot * size, size);
    }
    return differ != 0;
}

/* Fills a hole, whose components are moved or dropped already, with the last row. */
STOA__INLINE void stoa__row_fill(stoa__storage *storage, stoa__archetype *archetype,
                                 stoa__row hole) {
    stoa__row last = stoa__row_last(archetype);
    if (last.place != hole.place) {
        bool differ = true;
        if (STOA_LIKELY(archetype->small)) {
            differ = stoa__row_copy_small(archetype, hole, last);
        } else {
            stoa__row_fill_any(storage, archetype, hole.place);
        }
        stoa__row_entity_moved(storage, hole, last);
        if (differ && last.columns != hole.columns) {
            stoa__row_states_merge(archetype, hole.columns, last.columns);
        }
    }
    stoa__row_pop(storage, archetype);
}

/* Fills a hole in the columns of an archetype whose `fill` is even: `hole` and `last` are columns
 * of the chunks, `to` and `from` the rows. Returns STOA_OK, so that destroying an entity can end
 * with a call that needs no way back. */
stoa_status stoa__row_fill_even(uint64_t fill, uint8_t *const *hole, uint8_t *const *last,
                                size_t to, size_t from);

/* The same by the lanes of a light archetype without tags. */
stoa_status stoa__row_fill_lanes(const stoa__lane *lane, uint8_t *const *hole, uint8_t *const *last,
                                 size_t to, size_t from);

/* The same for any light archetype: `place` is that of the hole, and the row that fills it comes
 * right after the last one. */
stoa_status stoa__row_fill_light(const stoa__storage *storage, size_t place);

/* Takes a row away, components and all; nobody has it after this. Place 0 is that of entities
 * without components. */
void stoa__row_remove(stoa__storage *storage, uint32_t place);

/* A component was written in a row of its column. */
STOA__INLINE void stoa__column_written(const stoa__storage *storage, uint8_t *column, size_t row) {
    stoa_column_mark(column, storage->head.tick);
    stoa_row_mark(storage->head.written, column, row, storage->head.tick);
}

/* The same in some row. */
STOA__INLINE void stoa__column_noted(const stoa__storage *storage, uint8_t *column) {
    stoa_column_mark(column, storage->head.tick);
    stoa_column_note(storage->head.written, column, storage->head.tick);
}

/* A component of a row was written. */
STOA__INLINE void stoa__row_mark(const stoa__storage *storage, const stoa_column *column,
                                 stoa__row row) {
    stoa__column_written(storage, stoa_column_begin(row.columns, column->index), row.slot);
}

/* Swaps a row with the last of its archetype; STOA_NO_MEMORY, with nothing changed, if a move hook
 * needs room that is not there. */
stoa_status stoa__row_to_end(stoa__storage *storage, uint32_t place);

/* An item of a lane. */
STOA__INLINE uint8_t *stoa__row_item(stoa__row row, uint32_t index, size_t size) {
    return row.columns[index] + row.slot * size;
}

/* Drops the components of a row. */
void stoa__row_drop(const stoa__storage *storage, const stoa__archetype *archetype, uint32_t place);

#endif

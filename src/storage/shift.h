/* Shifting: the straight way of a row along an edge that puts or drops one component.
 *
 * An edge has it if nothing is there but plain columns of whole words, up to four, nobody has to be
 * told, and there is room. All that was asked before and holds until the epoch moves on: one
 * compare with the gate of the edge stands for it. What is rare comes last, as a call with no way
 * back. A shift takes as long as a processor needs to begin its instructions, about seven a cycle
 * on Zen 5, those that save registers included. Columns of one size stand together in the edge, so
 * that each kind is copied by code that knows it: a run. */
#ifndef STOA_STORAGE_SHIFT_H
#define STOA_STORAGE_SHIFT_H

#include "storage/edge.h"
#include "storage/vector.h"

/* Runs of copies that an edge tells apart, by their size. */
#define STOA__RUNS 4u

/* Which of them a copy of that size belongs to; STOA__RUNS if to none. Vectors come first, so that
 * the first one can be moved by whoever knows that it is one. */
STOA__INLINE uint32_t stoa__shift_run(uint32_t size) {
    return size == STOA__VECTOR      ? 0
           : size == STOA_PARCEL_MAX ? 1
           : size == 8               ? 2
           : size == 4               ? 3
                                     : STOA__RUNS;
}

/* Reads anew whether an edge is open. `straight`: it changes one component of plain columns;
 * `told`: only hooks want to know. */
void stoa__shift_regate(const stoa__storage *storage, stoa__edge *edge, bool straight, bool told);

/* True if rows may be shifted along a way now. That its edge is open is not enough: it may have
 * been read anew since the way was noted. */
STOA__INLINE bool stoa__way_open(const stoa__storage *storage, const stoa__way *way) {
    uint64_t differ = way->gate ^ stoa__gate_now(storage);
    uint64_t sparse = stoa__gate_at(STOA__GATE_SPARSE, 0);
    return (differ & ~sparse) == 0 && differ != sparse;
}

/* Merges the states of tags after a shift; STOA_OK. */
stoa_status stoa__shift_tags(const stoa__way *way);

/* Where the columns are that are kept, by their copies, and then the tags. */
STOA__INLINE stoa__trio *stoa__edge_trios(const stoa__edge *edge) {
    return (stoa__trio *)(uintptr_t)(edge + 1);
}

/* A row that leaves a chunk. */
typedef struct stoa__leaver {
    size_t slot;   /* the row there */
    size_t to;     /* the one at the end of the target */
    size_t filler; /* the last one of the source, which fills the hole unless it leaves */
} stoa__leaver;

/* Moves what is kept of a row whose entity has left already, from a column on: from a slot of the
 * chunk that the way is turned to to a row of the last one of the target. `runs` has a byte for how
 * many columns are left of each run, the lowest for the first one, then one for the tags. The row
 * is the last one of the source, `filler`, so that there is no hole. STOA_OK. */
stoa_status stoa__runs_last(const stoa__way *way, const stoa__trio *trio, uint64_t runs,
                            size_t slot, size_t row, size_t filler);

/* The same of any other row: the last one fills the hole. */
stoa_status stoa__runs_other(const stoa__way *way, const stoa__trio *trio, uint64_t runs,
                             size_t slot, size_t row, size_t filler);

/* Notes what a shift along an edge needs in one of the ways of its kind; it still has to be turned
 * to a chunk. `tally` is the way's own number. Another way along that edge, of the same component
 * by another description, is forgotten. */
void stoa__way_fill(stoa__storage *storage, stoa__way *ways, uint32_t number,
                    const stoa__edge *edge, uint32_t slot, uint32_t tally);

/* Turns a way to the chunk of an entity, which is then the one that rows leave; false if it is so
 * already, or the entity is none of the source. */
bool stoa__way_turn(const stoa__storage *storage, stoa__way *way, stoa_entity e);

/* Makes room at the end of a way for a row that is about to be shifted from the chunk that the way
 * is turned to, be the end full. False, with nothing done, if the chunks that are noted are not the
 * last ones any more, or there is no memory. */
bool stoa__way_begin(stoa__storage *storage, stoa__way *way);

/* After that shift: a chunk that has no row left is given up, and the way leads between the chunks
 * that are the last ones now, or is shut. */
void stoa__way_end(stoa__storage *storage, stoa__way *way);

/* True unless something is noted that is not so. */
bool stoa__way_right(const stoa__storage *storage, const stoa__way *way);

/* True if there is a row to take from the tail that is not its last one, and room at the end. */
STOA__INLINE bool stoa__way_roomy(const stoa__way *way) {
    return STOA_LIKELY((uint32_t)way->end->count - 1 < way->end_room) &&
           STOA_LIKELY((uint32_t)way->tail->count - 2 < way->tail_room);
}

/* Notes that a row was shifted along a way. */
STOA__INLINE void stoa__way_went(const stoa__way *way) {
    *way->shifted = 1;
}

/* From the first row of a column of vectors to another, in words: an index that instructions scale.
 */
STOA__INLINE size_t stoa__vector_at(size_t row) {
    size_t words = 3 * row;
    STOA_ALONE(words);
    return words;
}

/* What became of a row that was to be shifted. */
typedef enum stoa__shifted {
    STOA__STAYED, /* nothing was done */
    STOA__LAST,   /* it has left, and was the last one of its archetype */
    STOA__OTHER   /* it has left, and that one has filled the hole */
} stoa__shifted;

/* Shifts a row that keeps a vector along a way whose gate is open, and puts another, or leaves the
 * one that stands there behind. Other columns have to follow. STOA__STAYED if the way leads from
 * another chunk, has no room, or ticks would have to be merged.
 *
 * What is read of the way is read anew after each STOA_ALONE, which takes fewer instructions than
 * keeping it: there are nine registers that need not be saved. */
STOA__INLINE stoa__shifted stoa__vector_leave(const stoa__storage *storage, const stoa__way *way,
                                              uint64_t handle, bool puts, stoa__vector value,
                                              stoa__leaver *left) {
    if (!STOA_LIKELY(STOA_FIRST(handle) < storage->head.record_count)) {
        return STOA__STAYED;
    }
    uint64_t place = stoa_record_meet(storage->head.records, handle);
    size_t slot = place - way->first;
    if (!STOA_LIKELY(slot < STOA__ROWS_MAX)) {
        return STOA__STAYED;
    }
    size_t row = (size_t)way->end->count, count = (size_t)way->tail->count;
    if (!STOA_LIKELY((uint32_t)(row - 1) < way->end_room) ||
        !STOA_LIKELY((uint32_t)(count - 2) < way->tail_room)) {
        return STOA__STAYED;
    }
    uint8_t *hole = way->hole.kept;
    if (!stoa__column_same(hole, way->end_columns.kept) ||
        !stoa__column_same(hole, way->tail_columns.kept) ||
        (!puts && !stoa__column_same(way->side, way->tail_side))) {
        return STOA__STAYED;
    }
    STOA_ALONE(way);
    way->end->count++;
    way->tail->count--;
    size_t to = 4 * stoa__vector_at(row);
    if (puts) {
        uint8_t *side = way->side;
        stoa__state_mark(stoa__column_state(side), storage->head.tick, true);
        stoa__vector_write(side + to, value);
    }
    STOA_ALONE(way);
    stoa__vector kept = stoa__vector_read(way->hole.kept + 4 * stoa__vector_at(slot));
    stoa__vector_spill(way->end_columns.kept + to, kept);
    STOA_ALONE(way);
    memcpy(way->end_columns.entities + 8 * row, &handle, sizeof handle);
    stoa_record *records = storage->head.records;
    STOA_ALONE(handle);
    stoa__place_set(records, STOA_FIRST(handle), way->base | (uint32_t)row);
    stoa__way_went(way);
    uint64_t moved = stoa_bits_read(way->tail_columns.entities + 8 * count - 8);
    *left = (stoa__leaver){slot, row, count - 1};
    if (moved == handle) {
        return STOA__LAST;
    }
    memcpy(way->hole.entities + 8 * slot, &moved, sizeof moved);
    stoa__place_set(records, STOA_FIRST(moved), (uint32_t)(way->first + slot));
    STOA_ALONE(way);
    size_t from = 4 * stoa__vector_at(count) - STOA__VECTOR;
    to = 4 * stoa__vector_at(slot);
    stoa__vector_write(way->hole.kept + to, stoa__vector_read(way->tail_columns.kept + from));
    if (!puts) {
        stoa__vector_write(way->side + to, stoa__vector_read(way->tail_side + from));
    }
    return STOA__OTHER;
}

/* The same if no other column is there; false if it stayed. */
STOA__INLINE bool stoa__vector_shift(const stoa__storage *storage, const stoa__way *way,
                                     uint64_t handle, bool puts, stoa__vector value) {
    stoa__leaver left;
    return stoa__vector_leave(storage, way, handle, puts, value, &left) != STOA__STAYED;
}

#endif

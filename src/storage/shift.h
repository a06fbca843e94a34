/* Shifting: the straight way of a row along an edge that puts or drops one component.
 *
 * An edge has it if nothing is there but plain columns of whole words, up to four, nobody has to be
 * told, and there is room. All that was asked before and holds until the epoch moves on: one
 * compare with the gate of the edge stands for it. What is rare comes last, as a call with no way
 * back. A shift takes as long as a processor needs to begin its instructions, about seven a cycle
 * on Zen 5, those that save registers included. Columns of one size stand together in the edge, so
 * that each kind is copied by code that knows it. */
#ifndef STOA_STORAGE_SHIFT_H
#define STOA_STORAGE_SHIFT_H

#include "storage/edge.h"
#include "storage/vector.h"

/* Rows that a shift touches: the one that leaves, where it goes, and the last one of the source,
 * which fills the hole and may be the same as the first. */
typedef struct stoa__shift {
    stoa__row from;
    stoa__row to;
    stoa__row last;
} stoa__shift;

/* Bytes that go through one register. */
typedef struct stoa__sixteen {
    _Alignas(16) uint8_t bytes[16];
} stoa__sixteen;

/* Runs of copies that an edge tells apart, by their size. */
#define STOA__RUNS 4u

/* Which of them a copy of that size belongs to; STOA__RUNS if to none. */
STOA__INLINE uint32_t stoa__shift_run(uint32_t size) {
    return size % 4 == 0 && size > 0 && size <= 16 ? 4 - size / 4 : STOA__RUNS;
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

/* Merges the states of all columns that a shift touched; STOA_OK. */
stoa_status stoa__shift_merge(const stoa__edge *edge, uint8_t *const *from, uint8_t *const *to,
                              uint8_t *const *last);

/* Notes what a shift along an edge needs; one of a vector still has to be turned to a chunk.
 * `tally` is the way's own number. */
void stoa__way_fill(stoa__storage *storage, stoa__way *way, const stoa__edge *edge, uint32_t slot,
                    uint32_t tally);

/* Turns a way that shifts one vector to the chunk of an entity, which is then the one that rows
 * leave; false if it is so already, or the entity is none of the source. */
bool stoa__way_turn(const stoa__storage *storage, stoa__way *way, stoa_entity e);

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

/* The chunk of an entity that may be shifted along a way whose gate is open, or NULL. A handle is
 * an entity as one number. */
STOA__INLINE const stoa_chunk_ref *stoa__shift_chunk(const stoa__storage *storage,
                                                     const stoa__way *way, uint64_t handle) {
    if (!STOA_LIKELY(STOA_FIRST(handle) < storage->head.record_count)) {
        return NULL;
    }
    uint64_t place = stoa_record_meet(storage->head.records, handle);
    if (!STOA_LIKELY(place < STOA_UNPLACED)) {
        return NULL;
    }
    const stoa_chunk_ref *chunk = &storage->head.chunks[place >> STOA_PLACE_BITS];
    return STOA_LIKELY(chunk->archetype == &way->edge->source->head) && stoa__way_roomy(way) ? chunk
                                                                                             : NULL;
}

/* Takes a row at the end of the target and the last one from the source, and notes who is where.
 * Everything is read right where it is needed: after a write through a pointer to bytes a compiler
 * reads again anyway, which costs less than keeping it. */
STOA__INLINE stoa__shift stoa__shift_begin(const stoa__storage *storage, const stoa__way *way,
                                           const stoa_chunk_ref *chunk, uint64_t handle) {
    stoa__shift shift;
    shift.from.columns = chunk->columns;
    stoa_chunk *end = way->end, *tail = way->tail;
    uint32_t slot = (uint32_t)end->count, last = (uint32_t)tail->count - 1;
    shift.to = (stoa__row){end->columns, slot, end->number << STOA_PLACE_BITS | slot};
    shift.last = (stoa__row){tail->columns, last, 0};
    end->count = (int32_t)slot + 1;
    tail->count = (int32_t)last;
    memcpy(stoa__row_entity(shift.to), &handle, sizeof handle);
    uint64_t moved = stoa_bits_read(stoa__row_entity(shift.last));
    stoa_record *records = storage->head.records;
    shift.from.place = stoa_record_place(records, STOA_FIRST(handle));
    shift.from.slot = shift.from.place & (STOA__ROWS_MAX - 1);
    /* The record of the entity comes second: if its row is the last one both are the same. */
    stoa__place_set(records, STOA_FIRST(moved), shift.from.place);
    stoa__place_set(records, STOA_FIRST(handle), shift.to.place);
    memcpy(stoa__row_entity(shift.from), &moved, sizeof moved);
    stoa__way_went(way);
    return shift;
}

/* Copies a value of whole words to where another leaves, and that to its new place. */
STOA__INLINE void stoa__shift_value(uint8_t *to, uint8_t *hole, const uint8_t *filler,
                                    size_t size) {
    if (size == 16) {
        stoa__sixteen leaves, fills;
        memcpy(&leaves, hole, 16);
        memcpy(&fills, filler, 16);
        memcpy(to, &leaves, 16);
        memcpy(hole, &fills, 16);
        return;
    }
    uint64_t leaves = 0, fills = 0;
    uint32_t leaves_end = 0, fills_end = 0;
    size_t first = size < 8 ? size : 8, end = size - first;
    memcpy(&leaves, hole, first);
    memcpy(&leaves_end, hole + first, end);
    memcpy(&fills, filler, first);
    memcpy(&fills_end, filler + first, end);
    memcpy(to, &leaves, first);
    memcpy(to + first, &leaves_end, end);
    memcpy(hole, &fills, first);
    memcpy(hole + first, &fills_end, end);
}

/* Bytes ahead of a row at which memory is asked for that the next shifts need. */
#define STOA__SHIFT_AHEAD 256

/* Asks for what the next shifts need of a column: the rows before the last one and those after the
 * end for certain, the rows after the one that leaves if entities come in order. A processor reads
 * ahead by itself, but not in three places of each of many columns: with eight of 16 bytes a pair
 * of shifts took 108 ns without this and 81 with it, where the third cache was full. */
STOA__INLINE void stoa__shift_expect(const uint8_t *to, const uint8_t *hole,
                                     const uint8_t *filler) {
    STOA_PREFETCH((const void *)((uintptr_t)to + STOA__SHIFT_AHEAD));
    STOA_PREFETCH((const void *)((uintptr_t)filler - STOA__SHIFT_AHEAD));
    STOA_PREFETCH((const void *)((uintptr_t)hole + STOA__SHIFT_AHEAD));
}

/* Copies columns of one size; returns whether the ticks of some differ. */
STOA__INLINE uint64_t stoa__shift_lanes(const stoa__shift *shift, const stoa__copy *copy,
                                        size_t count, size_t size) {
    size_t from = shift->from.slot * size, to = shift->to.slot * size;
    size_t last = shift->last.slot * size;
    uint64_t differ = 0;
    for (const stoa__copy *end = copy + count; copy != end; copy++) {
        uint8_t *hole = shift->from.columns[copy->from], *place = shift->to.columns[copy->to];
        uint8_t *filler = shift->last.columns[copy->from];
        uint64_t ticks = stoa__state_ticks(stoa__column_state(hole));
        differ |= (ticks ^ stoa__state_ticks(stoa__column_state(place))) |
                  (ticks ^ stoa__state_ticks(stoa__column_state(filler)));
        stoa__shift_value(place + to, hole + from, filler + last, size);
        if (size == 16) {
            stoa__shift_expect(place + to, hole + from, filler + last);
        }
    }
    return differ;
}

/* Copies the columns that are kept; returns whether the ticks of some differ. */
STOA__INLINE uint64_t stoa__shift_kept(const stoa__shift *shift, const stoa__edge *edge) {
    const stoa__copy *copy = edge->copies;
    const uint8_t *runs = edge->runs;
    uint64_t differ = edge->tag_count;
    differ |= stoa__shift_lanes(shift, copy, runs[0], 16);
    copy += runs[0];
    differ |= stoa__shift_lanes(shift, copy, runs[1], 12);
    copy += runs[1];
    differ |= stoa__shift_lanes(shift, copy, runs[2], 8);
    return differ | stoa__shift_lanes(shift, copy + runs[2], runs[3], 4);
}

/* Fills the hole in a column that is left behind; returns whether the ticks differ. */
STOA__INLINE uint64_t stoa__shift_left(const stoa__shift *shift, const stoa__copy *copy,
                                       size_t size) {
    uint8_t *hole = shift->from.columns[copy->from], *filler = shift->last.columns[copy->from];
    uint64_t differ =
        stoa__state_ticks(stoa__column_state(hole)) ^ stoa__state_ticks(stoa__column_state(filler));
    hole += shift->from.slot * size;
    filler += shift->last.slot * size;
    for (size_t at = 0; at < size / 8 * 8; at += 8) {
        uint64_t word;
        memcpy(&word, filler + at, sizeof word);
        memcpy(hole + at, &word, sizeof word);
    }
    if (size % 8 != 0) {
        uint32_t word;
        memcpy(&word, filler + size - 4, sizeof word);
        memcpy(hole + size - 4, &word, sizeof word);
    }
    return differ;
}

/* From the first row of a column of vectors to another, in words: an index that instructions scale.
 */
STOA__INLINE size_t stoa__vector_at(size_t row) {
    size_t words = 3 * row;
    STOA_ALONE(words);
    return words;
}

/* Shifts a row that keeps one vector along a way whose gate is open, and puts another, or leaves
 * the one that stands there behind. False, with nothing done, if the way leads from another chunk,
 * has no room, or ticks would have to be merged.
 *
 * What is read of the way is read anew after each STOA_ALONE, which takes fewer instructions than
 * keeping it: there are nine registers that need not be saved. */
STOA__INLINE bool stoa__vector_shift(const stoa__storage *storage, const stoa__way *way,
                                     uint64_t handle, bool puts, stoa__vector value) {
    if (!STOA_LIKELY(STOA_FIRST(handle) < storage->head.record_count)) {
        return false;
    }
    uint64_t place = stoa_record_meet(storage->head.records, handle);
    size_t slot = place - way->first;
    if (!STOA_LIKELY(slot < STOA__ROWS_MAX)) {
        return false;
    }
    size_t row = (size_t)way->end->count, count = (size_t)way->tail->count;
    if (!STOA_LIKELY((uint32_t)(row - 1) < way->end_room) ||
        !STOA_LIKELY((uint32_t)(count - 2) < way->tail_room)) {
        return false;
    }
    uint8_t *hole = way->hole.kept;
    if (!stoa__column_same(hole, way->end_columns.kept) ||
        !stoa__column_same(hole, way->tail_columns.kept) ||
        (!puts && !stoa__column_same(way->side, way->tail_side))) {
        return false;
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
    if (moved == handle) {
        return true;
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
    return true;
}

#endif

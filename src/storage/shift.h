/* Shifting: the straight way of a row along an edge that puts or drops one component.
 *
 * An edge has it if nothing is there but plain columns of whole words, up to four, nobody has to be
 * told, and there is room. All that was asked before and holds until the epoch moves on: one
 * compare with the gate of the edge stands for it. No function is called, so that no register is
 * saved; what is rare comes last, as a call with no way back. Columns of one size stand together in
 * the edge, so that each kind is copied by code that knows it. */
#ifndef STOA_STORAGE_SHIFT_H
#define STOA_STORAGE_SHIFT_H

#include "storage/edge.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

/* Notes what a shift along an edge needs. */
void stoa__way_fill(const stoa__storage *storage, stoa__way *way, const stoa__edge *edge,
                    uint32_t slot);

/* True unless something is noted that is not so. */
bool stoa__way_right(const stoa__storage *storage, const stoa__way *way);

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
    const stoa__archetype *source = way->source, *target = way->edge->target;
    return STOA_LIKELY(chunk->archetype == &source->head && source->tail == way->tail &&
                       target->tail == way->end && way->end->count < target->head.chunk_capacity &&
                       way->tail->count > 1)
               ? chunk
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
    uint64_t indexes = stoa_bits_read(way->indexes);
    stoa__rows_went(storage, STOA_FIRST(indexes), 1);
    stoa__rows_came(storage, STOA_SECOND(indexes), 1);
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

/* Two words side by side, in a register of which there are enough. */
#if defined(__SSE2__)
typedef __m128i stoa__two;
#else
typedef stoa_pair stoa__two;
#endif

/* Reads two words, each by itself: a processor is slow to read more than was written just before.
 */
STOA__INLINE stoa__two stoa__two_read(const void *first, const void *second) {
    int32_t one, other;
    memcpy(&one, first, sizeof one);
    memcpy(&other, second, sizeof other);
#if defined(__SSE2__)
    return _mm_unpacklo_epi32(_mm_cvtsi32_si128(one), _mm_cvtsi32_si128(other));
#else
    return (stoa__two){(uint32_t)one, (uint32_t)other};
#endif
}

STOA__INLINE void stoa__two_write(void *to, stoa__two two) {
#if defined(__SSE2__)
    _mm_storel_epi64((__m128i *)to, two);
#else
    memcpy(to, &two, sizeof two);
#endif
}

/* True if no ticks have to be merged when a row is shifted that keeps one vector. */
STOA__INLINE bool stoa__vector_same(const stoa__way *way, uint64_t at, bool left) {
    size_t number = at >> STOA_PLACE_BITS;
    uint64_t ticks = stoa__state_ticks(stoa__column_state(way->kept_table[number]));
    uint64_t differ = (ticks ^ stoa__state_ticks(stoa__column_state(way->end_columns.kept))) |
                      (ticks ^ stoa__state_ticks(stoa__column_state(way->tail_columns.kept)));
    if (left) {
        differ |= stoa__state_ticks(stoa__column_state(way->side_table[number])) ^
                  stoa__state_ticks(stoa__column_state(way->tail_columns.side));
    }
    return STOA_LIKELY(differ == 0);
}

/* A vector in registers. */
typedef struct stoa__vector {
    uint64_t first;
    uint32_t last;
} stoa__vector;

STOA__INLINE stoa__vector stoa__vector_read(const uint8_t *from) {
    stoa__vector vector;
    memcpy(&vector.first, from, sizeof vector.first);
    memcpy(&vector.last, from + 8, sizeof vector.last);
    return vector;
}

STOA__INLINE void stoa__vector_write(uint8_t *to, stoa__vector vector) {
    memcpy(to, &vector.first, sizeof vector.first);
    memcpy(to + 8, &vector.last, sizeof vector.last);
}

/* A row that keeps one vector is shifted, with nothing to merge: what both kinds of it have in
 * common. Everything of the rows is read before any of them is written: behind stores whose place
 * is known late reads would wait. Returns the row at the end of the target; `from` and `last` are
 * the row that leaves and the last one. */
STOA__INLINE size_t stoa__vector_shift(const stoa__storage *storage, const stoa__way *way,
                                       const stoa_chunk_ref *chunk, uint64_t at, uint64_t handle,
                                       size_t *from, size_t *last) {
    stoa_chunk *end = way->end, *tail = way->tail;
    size_t row = (uint32_t)end->count, filler = (uint32_t)tail->count - 1;
    end->count = (int32_t)row + 1;
    tail->count = (int32_t)filler;
    uint32_t place = end->number << STOA_PLACE_BITS | (uint32_t)row;
    uint64_t moved = stoa_bits_read(way->tail_columns.entities + 8 * filler);
    stoa_record *records = storage->head.records;
    size_t slot = at, number = at >> STOA_PLACE_BITS;
    /* The record of the entity comes second: if its row is the last one both are the same. */
    stoa__place_set(records, STOA_FIRST(moved), (uint32_t)slot);
    stoa__place_set(records, STOA_FIRST(handle), place);
    slot &= STOA__ROWS_MAX - 1;
    uint8_t *hole = way->kept_table[number] + 12 * slot;
    stoa__vector leaves = stoa__vector_read(hole);
    stoa__vector fills = stoa__vector_read(way->tail_columns.kept + 12 * filler);
    memcpy(way->end_columns.entities + 8 * row, &handle, sizeof handle);
    stoa__vector_write(way->end_columns.kept + 12 * row, leaves);
    memcpy(chunk->columns[0] + 8 * slot, &moved, sizeof moved);
    stoa__vector_write(hole, fills);
    stoa__rows_went(storage, way->indexes[0], 1);
    stoa__rows_came(storage, way->indexes[1], 1);
    *from = slot;
    *last = filler;
    return row;
}

/* Shifts a row with a vector that is put, where no ticks have to be merged; returns where that is.
 * The caller's value is read first, since it may be in one of the rows. `known`: it is looked up
 * whether the column is marked already, which saves a store and takes a load: hook_add took 11.8 ns
 * with it instead of 12.2, add_remove 24.5 instead of 22. */
STOA__INLINE uint8_t *stoa__vector_put(const stoa__storage *storage, const stoa__way *way,
                                       const stoa_chunk_ref *chunk, uint64_t at, uint64_t handle,
                                       const uint8_t *value, bool known) {
    stoa__two given = stoa__two_read(value, value + 4);
    uint32_t given_end;
    memcpy(&given_end, value + 8, sizeof given_end);
    uint8_t *put = way->end_columns.side;
    uint64_t ticks = STOA_JOIN(storage->head.tick, storage->head.tick);
    if (!known || !STOA_LIKELY(stoa__state_ticks(stoa__column_state(put)) == ticks)) {
        const uint32_t *tick = &storage->head.tick;
        stoa__two_write((uint8_t *)stoa__column_state(put) + offsetof(stoa_column_state, changed),
                        stoa__two_read(tick, tick));
    }
    size_t from, last;
    put += 12 * stoa__vector_shift(storage, way, chunk, at, handle, &from, &last);
    stoa__two_write(put, given);
    memcpy(put + 8, &given_end, sizeof given_end);
    return put;
}

/* Shifts a row that leaves a vector behind, where no ticks have to be merged. */
STOA__INLINE void stoa__vector_take(const stoa__storage *storage, const stoa__way *way,
                                    const stoa_chunk_ref *chunk, uint64_t at, uint64_t handle) {
    uint8_t *gap = way->side_table[at >> STOA_PLACE_BITS];
    size_t from, last;
    stoa__vector_shift(storage, way, chunk, at, handle, &from, &last);
    stoa__vector_write(gap + 12 * from, stoa__vector_read(way->tail_columns.side + 12 * last));
}

#endif

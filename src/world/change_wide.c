/* Changing what an entity has by one component of a described type: along a way that is open, with
 * any number of columns of whole words beside it.
 *
 * What has to be written is in registers before a row moves, since a caller's value may be in one
 * of the rows. One thread at a time. */
#include "storage/shift.h"
#include "world/change_type.h"

/* Bytes ahead of a row at which memory is asked for. */
#define AHEAD 320
#define EXPECT(pointer, bytes) STOA_PREFETCH((const void *)((uintptr_t)(pointer) + (bytes)))

/* Rows that a shift touches: the one that leaves, where it goes, and the last one of the source,
 * which fills the hole. */
typedef struct shift {
    uint8_t *const *from;
    uint8_t *const *to;
    uint8_t *const *last;
    size_t slot;
    size_t row;
    size_t filler;
} shift;

/* Copies a value of whole words. */
STOA__INLINE void words_copy(uint8_t *to, const uint8_t *from, size_t size) {
    if (size == STOA__VECTOR) {
        stoa__vector_write(to, stoa__vector_read(from));
    } else {
        memcpy(to, from, size);
    }
}

/* Copies columns of one size; returns whether the ticks of some differ. `own`: the row that leaves
 * is the last one, so that there is no hole. */
STOA__INLINE bool lanes_shift(const shift *s, const stoa__copy *copy, size_t count, size_t size,
                              bool own) {
    size_t slot = s->slot * size, row = s->row * size, filler = s->filler * size;
    bool differ = false;
    for (const stoa__copy *end = copy + count; copy != end; copy++) {
        size_t index = copy->from;
        uint8_t *hole = s->from[index], *to = s->to[copy->to];
        if (!stoa__column_same(hole, to)) {
            differ = true;
        }
        words_copy(to + row, hole + slot, size);
        if (own) {
            continue;
        }
        uint8_t *last = s->last[index];
        if (!stoa__column_same(hole, last)) {
            differ = true;
        }
        words_copy(hole + slot, last + filler, size);
    }
    return differ;
}

/* Asks for the memory of columns of 16 bytes that the next shifts need. A processor reads ahead by
 * itself, but not in three places of each of many columns: with eight of them a pair of shifts took
 * 105 ns without this. Four rows share a line, so each shift asks for every fourth column: 52 ns,
 * where asking for all of them took 56. To ask for all of them with every fourth shift is too much
 * at once: 90 ns. */
STOA__INLINE void lanes_expect(const shift *s, const stoa__copy *copies, size_t count, bool own) {
    size_t slot = s->slot * 16, row = s->row * 16, filler = s->filler * 16;
    for (size_t i = s->row & 3; i < count; i += 4) {
        const stoa__copy *copy = &copies[i];
        size_t index = copy->from;
        uint8_t *hole = s->from[index];
        EXPECT(s->to[copy->to], row + AHEAD);
        if (own) {
            EXPECT(hole, slot - AHEAD);
        } else {
            EXPECT(hole, slot + AHEAD);
            EXPECT(s->last[index], filler - AHEAD);
        }
    }
}

/* Copies the columns that are kept. */
STOA__INLINE bool kept_shift(const shift *s, const stoa__edge *edge, bool own) {
    const stoa__copy *copy = edge->copies;
    const uint8_t *runs = edge->runs;
    bool differ = edge->tag_count != 0;
    lanes_expect(s, copy, runs[0], own);
    differ |= lanes_shift(s, copy, runs[0], 16, own);
    copy += runs[0];
    differ |= lanes_shift(s, copy, runs[1], STOA__VECTOR, own);
    if (!STOA_LIKELY((runs[2] | runs[3]) == 0)) {
        copy += runs[1];
        differ |= lanes_shift(s, copy, runs[2], 8, own);
        differ |= lanes_shift(s, copy + runs[2], runs[3], 4, own);
    }
    return differ;
}

/* Fills the hole in a column that is left behind. */
STOA__INLINE bool left_fill(const shift *s, const stoa__copy *copy) {
    size_t size = copy->size;
    uint8_t *hole = s->from[copy->from], *last = s->last[copy->from];
    bool same = stoa__column_same(hole, last);
    hole += s->slot * size;
    last += s->filler * size;
    for (size_t at = 0; at < size; at += 4) {
        uint32_t word;
        memcpy(&word, last + at, sizeof word);
        STOA_ALONE(word);
        memcpy(hole + at, &word, sizeof word);
    }
    return !same;
}

/* Writes the value that an edge puts; returns where. */
STOA__INLINE uint8_t *value_put(const stoa__storage *storage, const stoa__edge *edge,
                                const shift *s, stoa_parcel value) {
    uint8_t *column = stoa_column_begin(s->to, edge->puts->to);
    size_t size = edge->puts->size;
    uint8_t *at = column + s->row * size;
    stoa__state_mark(stoa__column_state(column), storage->head.tick, true);
    if (STOA_LIKELY(size == STOA__VECTOR)) {
        stoa__vector_write(at, stoa__vector_of(value));
    } else if (size == STOA_PARCEL_MAX) {
        stoa_parcel_unpack(at, value);
    } else if (size == 8) {
        memcpy(at, &value, 8);
    } else if (size == 4) {
        memcpy(at, &value, 4);
    }
    return at;
}

/* Shifts a row along a way that is open. NULL, with nothing done, if it cannot be gone; where the
 * value is that was put, or for a tag or a removal anything else. */
STOA__INLINE const void *row_shift(const stoa__storage *storage, const stoa__way *way,
                                   uint64_t handle, bool puts, stoa_parcel value) {
    if (!STOA_LIKELY(STOA_FIRST(handle) < storage->head.record_count)) {
        return NULL;
    }
    uint64_t place = stoa_record_meet(storage->head.records, handle);
    if (!STOA_LIKELY(place < STOA_UNPLACED)) {
        return NULL;
    }
    const stoa_chunk_ref *chunk = &storage->head.chunks[place >> STOA_PLACE_BITS];
    const stoa__edge *edge = way->edge;
    if (!STOA_LIKELY(chunk->archetype == &edge->source->head) || !stoa__way_roomy(way)) {
        return NULL;
    }
    stoa_chunk *end = way->end, *tail = way->tail;
    shift s = {.from = chunk->columns,
               .to = end->columns,
               .last = tail->columns,
               .slot = place & (STOA__ROWS_MAX - 1),
               .row = (size_t)end->count,
               .filler = (size_t)tail->count - 1};
    end->count++;
    tail->count--;
    stoa_record *records = storage->head.records;
    memcpy(s.to[0] + s.row * sizeof handle, &handle, sizeof handle);
    uint64_t moved = stoa_bits_read(s.last[0] + s.filler * sizeof moved);
    stoa__place_set(records, STOA_FIRST(handle), way->base | (uint32_t)s.row);
    stoa__way_went(way);
    const void *put = puts ? value_put(storage, edge, &s, value) : (const void *)way;
    bool differ;
    if (moved == handle) {
        differ = kept_shift(&s, edge, true);
    } else {
        memcpy(s.from[0] + s.slot * sizeof moved, &moved, sizeof moved);
        stoa__place_set(records, STOA_FIRST(moved), (uint32_t)place);
        differ = kept_shift(&s, edge, false);
        if (!puts && edge->lanes != edge->kept) {
            differ |= left_fill(&s, &edge->copies[edge->kept]);
        }
    }
    if (!STOA_LIKELY(!differ)) {
        stoa__shift_merge(edge, s.from, s.to, s.last);
    }
    return put;
}

/* Puts a component of which its hooks are told; false if that cannot be done. Nothing is under way,
 * since the way is open: no hook is running, so there is room to lock the entity. */
STOA__APART static bool put_told(stoa_world *world, stoa_entity e, const stoa__way *way,
                                 stoa_parcel value) {
    const stoa__edge *edge = way->edge;
    const void *put = row_shift(&world->storage, way, stoa_bits_read(&e), true, value);
    if (put != NULL) {
        stoa__change_tell(world, e, stoa__component_at(&world->storage, edge->single),
                          edge->puts->size != 0 ? (void *)(uintptr_t)put : NULL, true);
    }
    return put != NULL;
}

/* stoa__wide_set where the way cannot be gone: from memory. */
STOA__APART static stoa_status set_any(stoa_world *world, stoa_entity e, stoa_type *type,
                                       stoa_parcel value) {
    _Alignas(STOA_PARCEL_MAX) uint8_t bytes[STOA_PARCEL_MAX];
    stoa_parcel_unpack(bytes, value);
    return stoa__type_set_hop(world, e, type, bytes);
}

stoa_status stoa__wide_set(stoa_world *world, stoa_entity e, stoa_type *type, const stoa__way *way,
                           stoa_parcel value) {
    bool done = way->edge->watched
                    ? put_told(world, e, way, value)
                    : row_shift(&world->storage, way, stoa_bits_read(&e), true, value) != NULL;
    return STOA_LIKELY(done) ? STOA_OK : set_any(world, e, type, value);
}

bool stoa__wide_add(stoa_world *world, stoa_entity e, const stoa__way *way) {
    stoa_parcel zeros = stoa_parcel_pack(NULL, 0);
    return !way->edge->watched &&
           row_shift(&world->storage, way, stoa_bits_read(&e), true, zeros) != NULL;
}

stoa_status stoa__wide_remove(stoa_world *world, stoa_entity e, stoa_type *type,
                              const stoa__way *way) {
    stoa_parcel none = stoa_parcel_pack(NULL, 0);
    return STOA_LIKELY(row_shift(&world->storage, way, stoa_bits_read(&e), false, none) != NULL)
               ? STOA_OK
               : stoa__type_remove_hop(world, e, type);
}

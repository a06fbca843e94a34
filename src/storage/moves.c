/* Moves: rows of one archetype that take the same edge one after the other.
 *
 * What has to be found out for each row is the same for all: the edge, the columns, where the last
 * row is. It is found out once. First the entity table and the entities of rows are put right for a
 * block of them, then each column is moved in that order. So rows come to stand as if each entity
 * had been changed by a call of its own. The last row is copied even onto itself, which saves a
 * branch. O(rows), no memory needed. One thread at a time.
 *
 * Chunks know how new their columns are. A chunk that a row came from has told the chunk it went to
 * once for all rows, as long as nothing came to it meanwhile. */
#include "storage/moves.h"

/* A job: rows of `source` that go to the end of the edge's target. */
typedef struct job {
    stoa__storage *storage;
    const stoa__archetype *source;
    const stoa__edge *edge;
    stoa__row to;   /* the first one that is written */
    stoa__row last; /* of the source */
    stoa__hole holes[STOA__HOLES_MAX];
} job;

/* A row is moved from a chunk to one of the target, which learns how new it is, and is filled with
 * one of the last chunk. False if the chunk has to tell of its next row once more, since it learned
 * something itself. `*filled` is the chunk that the last one has told, or NULL. */
STOA__APART static bool move_tell(const job *j, uint8_t *const *from, uint8_t *const **filled) {
    const stoa__edge *edge = j->edge;
    uint8_t *const *to = j->to.columns, *const *last = j->last.columns;
    for (uint32_t i = 0; i < edge->kept; i++) {
        const stoa__copy *copy = &edge->copies[i];
        stoa__state_merge(stoa__state_of(to, copy->to), stoa__state_of(from, copy->from));
    }
    stoa__edge_tags(edge, to, from);
    if ((edge->single & STOA__KEY_DROP) == 0) {
        stoa__state_mark(stoa__state_of(to, edge->puts->to), j->storage->head.tick, true);
    }
    if (last == from || *filled == from) {
        return true;
    }
    stoa__row_states_merge(j->source, from, last);
    *filled = from;
    return false;
}

/* Moves the records of a block and the entities of its rows, and notes the holes; returns how many
 * there are. What changes with each is kept in locals, which is what registers there are. */
STOA__INLINE uint32_t records_move(job *j, stoa__handles handles, bool stamped) {
    const stoa__storage *storage = j->storage;
    stoa_record *records = storage->head.records;
    const stoa_chunk_ref *chunks = storage->head.chunks;
    const stoa_archetype_head *source = &j->source->head;
    uint32_t record_count = storage->head.record_count;
    uint8_t *const *filled = NULL, *const *columns = NULL, *entities = NULL;
    uint64_t places =
        STOA__PLACES_NONE; /* of the chunk of `columns`, if it has told of its ticks */
    stoa_entity *to = stoa__row_entity(j->to);
    const stoa_entity *last = stoa__row_entity(j->last) + 1;
    uint32_t to_place = j->to.place;
    const uint8_t *at = handles.first;
    stoa__hole *hole = j->holes, *end = hole + handles.count;
    for (; hole != end; hole++, at += handles.stride) {
        uint32_t index = stoa__handle_at(at)->index;
        if (!STOA_LIKELY(index < record_count)) {
            break;
        }
        uint64_t met = stoa_record_meet(records, stoa_bits_read(at));
        if (!STOA_LIKELY(met < STOA_UNPLACED)) {
            break;
        }
        uint32_t place = (uint32_t)met;
        uint64_t slot = place - places;
        if (!STOA_LIKELY(slot < STOA__ROWS_MAX)) {
            uint32_t chunk = place >> STOA_PLACE_BITS;
            if (chunks[chunk].archetype != source) {
                break;
            }
            columns = chunks[chunk].columns;
            entities = columns[0];
            slot = place - stoa__places_of(chunk);
            places = move_tell(j, columns, &filled) ? place - slot : STOA__PLACES_NONE;
        }
        *hole = (stoa__hole){columns, slot};
        memcpy(to++, at, sizeof *to);
        uint64_t moved = stoa_bits_read(--last);
        memcpy(entities + slot * sizeof moved, &moved, sizeof moved);
        stoa__place_set(records, STOA_FIRST(moved), place);
        stoa__place_set(records, index, to_place++);
        if (stamped) {
            stoa__record_stamp(storage, STOA_FIRST(moved));
            stoa__record_stamp(storage, index);
        }
    }
    return (uint32_t)(hole - j->holes);
}

/* Moves the rows of a column that is kept. The size is known, or that of the column. */
STOA__INLINE void column_move(const job *j, const stoa__copy *copy, uint32_t count, size_t size) {
    uint32_t index = copy->from;
    uint8_t *to = stoa__row_item(j->to, copy->to, size);
    const uint8_t *last = j->last.columns[index] + (j->last.slot + 1) * size;
    for (const stoa__hole *hole = j->holes, *end = hole + count; hole != end; hole++) {
        uint8_t *item = hole->columns[index] + hole->slot * size;
        stoa__copy_small(to, item, size);
        to += size;
        last -= size;
        stoa__copy_small(item, last, size);
    }
}

/* Fills the rows of a column that is left behind. */
STOA__INLINE void column_leave(const job *j, const stoa__copy *copy, uint32_t count, size_t size) {
    uint32_t index = copy->from;
    const uint8_t *last = j->last.columns[index] + (j->last.slot + 1) * size;
    for (const stoa__hole *hole = j->holes, *end = hole + count; hole != end; hole++) {
        last -= size;
        stoa__copy_small(hole->columns[index] + hole->slot * size, last, size);
    }
}

static void columns_move(const job *j, uint32_t count) {
    const stoa__copy *copy = j->edge->copies;
    const stoa__copy *kept = copy + j->edge->kept, *end = copy + j->edge->lanes;
    for (; copy != kept; copy++) {
        if (copy->size == 12) {
            column_move(j, copy, count, 12);
        } else if (copy->size == 8) {
            column_move(j, copy, count, 8);
        } else if (copy->size == 16) {
            column_move(j, copy, count, 16);
        } else {
            column_move(j, copy, count, copy->size);
        }
    }
    for (; copy != end; copy++) {
        if (copy->size == 12) {
            column_leave(j, copy, count, 12);
        } else {
            column_leave(j, copy, count, copy->size);
        }
    }
}

STOA__INLINE void column_put(uint8_t *to, const uint8_t *at, size_t stride, uint32_t count,
                             size_t size) {
    for (const uint8_t *end = to + count * size; to != end; to += size, at += stride) {
        stoa__copy_bytes(to, at, size);
    }
}

/* Writes the values that stand behind handles. */
static void values_put(const job *j, const stoa__handles *handles, uint32_t count, size_t value) {
    size_t size = j->edge->puts->size;
    const uint8_t *at = handles->first + value;
    if (size == 0) {
        return;
    }
    uint8_t *to = stoa__row_item(j->to, j->edge->puts->to, size);
    if (value == 0) {
        memset(to, 0, count * size);
    } else if (size == 12) {
        column_put(to, at, handles->stride, count, 12);
    } else if (size == 4) {
        column_put(to, at, handles->stride, count, 4);
    } else if (size == 8) {
        column_put(to, at, handles->stride, count, 8);
    } else if (size == 16) {
        column_put(to, at, handles->stride, count, 16);
    } else {
        column_put(to, at, handles->stride, count, size);
    }
}

/* Each is compiled twice, so that records are not stamped at a cost where nobody wants to know. */
STOA__APART static uint32_t records_move_stamped(job *j, stoa__handles handles) {
    return records_move(j, handles, true);
}

STOA__APART static uint32_t records_move_bare(job *j, stoa__handles handles) {
    return records_move(j, handles, false);
}

uint32_t stoa__moves_run(stoa__storage *storage, stoa__archetype *source, const stoa__edge *edge,
                         stoa__handles handles, size_t value) {
    job j;
    stoa_chunk *target = edge->target->tail;
    uint32_t room = (uint32_t)edge->target->head.chunk_capacity - (uint32_t)target->count;
    j.storage = storage;
    j.source = source;
    j.edge = edge;
    j.to = (stoa__row){target->columns, (size_t)target->count,
                       target->number << STOA_PLACE_BITS | (uint32_t)target->count};
    j.last = stoa__row_last(source);
    handles.count = handles.count < room ? handles.count : room;
    handles.count = handles.count <= j.last.slot ? handles.count : (uint32_t)j.last.slot + 1;
    handles.count = handles.count < STOA__HOLES_MAX ? handles.count : STOA__HOLES_MAX;
    uint32_t count = storage->record_stamps == NULL ? records_move_bare(&j, handles)
                                                    : records_move_stamped(&j, handles);
    if (count == 0) {
        return 0;
    }
    columns_move(&j, count);
    values_put(&j, &handles, count, value);
    stoa__rows_came(storage, edge->target->index, count);
    target->count += (int32_t)count;
    stoa__row_pop_many(storage, source, count);
    return count;
}

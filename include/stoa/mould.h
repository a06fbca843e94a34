/* Moulds without a call: the part of making an entity of one that is compiled into the caller.
 *
 * A mould that is ready knows where each of its values goes and holds their bytes; see stoa_mould.
 * All that is left to do is to take a slot and a row and to write. Each value is written as 16
 * bytes, whatever its size: the rest falls on rows that nobody has yet, for which the last rows of
 * a chunk leave no room.
 *
 * Where its columns begin is known for the last chunk, and noted anew for another. A record is read
 * by one load. The tick is read before anything is written. A free slot and how many there are left
 * are written by one store, but read one by one: who else takes slots writes one after the other,
 * and a load of both would have to wait until both are in the cache. */
#ifndef STOA_MOULD_H
#define STOA_MOULD_H

#include "stoa/create.h"

STOA_BEGIN

/// Values that are always written, so that nobody need count them.
/// A mould of fewer has the first one several times.
#define STOA_MOULD_LEAST 3

/// Writes the value of a part into a row, and marks its column.
STOA_FORCED void stoa_mould_write(const stoa_mould_part *part, size_t row, uint64_t ticks) {
    uint8_t *column = part->column;
    memcpy(column + row * part->size, part->value, sizeof part->value);
    stoa_column_fresh(column, ticks);
}

/// Gives the next row of a chunk, for which there is room, to an entity whose slot is taken.
STOA_FORCED void stoa_mould_settle(stoa_world_front *w, const stoa_mould *mould, stoa_chunk *chunk,
                                   size_t row, uint64_t handle) {
    uint32_t place = chunk->number << STOA_PLACE_BITS | (uint32_t)row;
    uint64_t home = stoa_record_home(handle, place);
    memcpy(&w->head.records[STOA_FIRST(handle)], &home, sizeof home);
    chunk->count = (int32_t)row + 1;
    *mould->rows += STOA_ROW_CAME;
}

/// A row that belongs to a new entity and is to be filled.
typedef struct stoa_cast {
    size_t row;      ///< in the mould's chunk
    uint64_t ticks;  ///< the tick twice
    uint64_t handle; ///< the entity
} stoa_cast;

/// Takes a free slot and a row of a mould that is ready; false, and nothing done, if there is none.
/// `limit` is the mould's or its bound.
STOA_FORCED bool stoa_mould_take(stoa_world_front *w, const stoa_mould *mould, int32_t limit,
                                 stoa_cast *cast) {
    stoa_chunk *chunk;
    memcpy(&chunk, &((stoa_archetype_front *)mould->target)->tail, sizeof chunk);
    cast->row = (uint32_t)chunk->count;
    uint32_t index = stoa_number_read(&w->free_first);
    if (!STOA_LIKELY(chunk == mould->chunk && (int32_t)cast->row < limit && index != 0)) {
        return false;
    }
    cast->ticks = STOA_JOIN(w->head.tick, w->head.tick);
    uint64_t record = stoa_bits_read(&w->head.records[index]);
    /* By a store of its own: see stoa_room_take. */
    *(volatile uint32_t *)&w->free_first = stoa_record_next(record);
    stoa_number_write(&w->free_count, stoa_number_read(&w->free_count) - 1);
    cast->handle = stoa_record_tenant(record, index);
    stoa_mould_settle(w, mould, chunk, cast->row, cast->handle);
    return true;
}

/// Writes the entity and the first STOA_MOULD_LEAST values of a row.
STOA_FORCED stoa_entity stoa_mould_fill(const stoa_mould *mould, const stoa_cast *cast) {
    stoa_entity e;
    uint8_t *entities = (uint8_t *)mould->entities;
    memcpy(entities + cast->row * sizeof cast->handle, &cast->handle, sizeof cast->handle);
    for (uint32_t i = 0; i < STOA_MOULD_LEAST; i++) {
        stoa_mould_write(&mould->parts[i], cast->row, cast->ticks);
    }
    memcpy(&e, &cast->handle, sizeof e);
    return e;
}

STOA_END

#endif

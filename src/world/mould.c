/* Moulds: bundles with their values, kept ready to make entities of.
 *
 * A mould knows where each value goes and holds its bytes, so that making an entity is little more
 * than writing them. It is good for one epoch of layouts, in which nobody wants to be told of such
 * entities; otherwise the bundle is created as any other. Only bundles of a few components of up to
 * 16 bytes are made ready. Each value is written as 16 bytes, whatever its size: the rest falls on
 * rows that nobody has yet, for which the last rows of a chunk leave no room. One thread at a time.
 */
#include "storage/entities.h"
#include "storage/row.h"
#include "world/values.h"

/* Values that are always written, so that nobody need count them: a mould of fewer has the first
 * one several times. */
#define VALUES_LEAST 3u
/* Bytes that are written for each value. */
#define VALUE_BYTES ((uint32_t)sizeof((stoa_mould_part){0}.value))

_Static_assert(sizeof((stoa_mould){0}.parts) >=
                   (STOA_MOULD_MAX + VALUES_LEAST - 1) * sizeof(stoa_mould_part),
               "one value and many tags have room");

/* Puts a value into a mould; false if it does not fit. */
static bool value_make(stoa_mould *mould, const stoa__put *put, const void *data,
                       int32_t capacity) {
    if (put->size > VALUE_BYTES) {
        return false;
    }
    stoa_mould_part *part = &mould->parts[mould->value_count++];
    *part = (stoa_mould_part){.to = put->to, .size = put->size};
    if (data != NULL) {
        memcpy(part->value, data, put->size);
    }
    int32_t limit = capacity - (int32_t)((VALUE_BYTES - 1) / put->size);
    mould->limit = limit < mould->limit ? limit : mould->limit;
    return true;
}

/* Makes the parts of a mould; false if the bundle is not one that can be made ready. */
static bool parts_make(stoa_mould *mould, const stoa__edge *edge, const stoa__values *bundle) {
    int32_t capacity = edge->target->head.chunk_capacity;
    mould->index = edge->target->index;
    mould->limit = capacity;
    mould->value_count = 0;
    for (uint32_t i = 0; i < bundle->count; i++) {
        if (edge->puts[i].size != 0 &&
            !value_make(mould, &edge->puts[i], mould->values[bundle->source[i]].data, capacity)) {
            return false;
        }
    }
    if (mould->value_count == 0) {
        return false;
    }
    while (mould->value_count < VALUES_LEAST) {
        mould->parts[mould->value_count++] = mould->parts[0];
    }
    mould->part_count = mould->value_count;
    for (uint32_t i = 0; i < bundle->count; i++) {
        if (edge->puts[i].size == 0) {
            mould->parts[mould->part_count++] = (stoa_mould_part){.to = edge->puts[i].to};
        }
    }
    return true;
}

/* Makes a mould ready, if its bundle is one that can be, and was created before. */
static void mould_ready(stoa_world *world, stoa_mould *mould) {
    stoa__storage *storage = &world->storage;
    stoa__values bundle;
    mould->target = mould->stamped = NULL;
    mould->tried = true;
    mould->epoch = storage->head.epoch;
    if (mould->count > STOA_MOULD_MAX ||
        stoa__values_read(world, mould->values, mould->count, STOA__VALUES_CREATE, &bundle) !=
            STOA_OK ||
        bundle.sparse_count > 0) {
        return;
    }
    stoa__edge *edge =
        stoa__edge_find(storage->archetypes[0], bundle.key, bundle.count, bundle.hash);
    mould->tried = edge != NULL;
    if (edge == NULL || !edge->plain || edge->rich || edge->watched) {
        return;
    }
    stoa__edge_ready(storage, edge, storage->archetypes[0]);
    mould->epoch = storage->head.epoch;
    if (parts_make(mould, edge, &bundle)) {
        *(storage->record_stamps == NULL ? &mould->target : &mould->stamped) = edge->target;
    }
}

/* Creates as any bundle is. The mould is made ready for the next one before that, since hooks of
 * the new entity may free it and its values. */
STOA__APART static stoa_entity create_any(stoa_world *world, stoa_mould *mould) {
    if (mould == NULL) {
        stoa__world_null(world, "mould");
        return STOA_NULL;
    }
    if (world != NULL && world->storage.head.open == 0 && mould->count > 0 &&
        (!mould->tried || mould->epoch != world->storage.head.epoch)) {
        mould_ready(world, mould);
    }
    return stoa_create_values(world, mould->values, mould->count);
}

/* Marks the column of a part, and writes the part's value into a row of it. */
STOA__INLINE void part_write(const stoa_mould_part *part, uint8_t *data, size_t slot,
                             uint64_t ticks) {
    uint8_t *column = data + part->to;
    stoa_column_fresh(column, ticks);
    memcpy(column + slot * part->size, part->value, VALUE_BYTES);
}

STOA__INLINE stoa_entity entity_of(uint64_t handle) {
    stoa_entity e;
    memcpy(&e, &handle, sizeof e);
    return e;
}

/* Writes the parts that not every mould has. Returns the handle, so that a call to this can be the
 * last thing that is done. */
STOA__APART static stoa_entity parts_write_rest(const stoa_mould *mould, uint8_t *data, size_t slot,
                                                uint64_t ticks, uint64_t handle) {
    for (uint32_t i = VALUES_LEAST; i < mould->part_count; i++) {
        if (i < mould->value_count) {
            part_write(&mould->parts[i], data, slot, ticks);
        } else {
            stoa_column_fresh(data + mould->parts[i].to, ticks);
        }
    }
    return entity_of(handle);
}

/* Fills the next row of a chunk, for which there is room, and gives it to an entity whose slot is
 * taken. */
STOA__INLINE stoa_entity row_fill(stoa__storage *storage, const stoa_mould *mould,
                                  stoa_chunk *chunk, stoa_record *record, uint32_t index,
                                  uint32_t generation) {
    size_t slot = (uint32_t)chunk->count;
    uint8_t *data = chunk->data;
    uint64_t home = STOA_JOIN(generation, chunk->number << STOA_PLACE_BITS | (uint32_t)slot);
    uint64_t handle = STOA_JOIN(index, generation);
    memcpy(record, &home, sizeof home);
    chunk->count = (int32_t)slot + 1;
    storage->rows[mould->index]++;
    uint64_t ticks = STOA_JOIN(storage->head.tick, storage->head.tick);
    memcpy(data + slot * sizeof handle, &handle, sizeof handle);
    for (uint32_t i = 0; i < VALUES_LEAST; i++) {
        part_write(&mould->parts[i], data, slot, ticks);
    }
    return STOA_LIKELY(mould->part_count <= VALUES_LEAST)
               ? entity_of(handle)
               : parts_write_rest(mould, data, slot, ticks, handle);
}

/* stoa_create_mould where no slot is free, for a mould that is ready. */
STOA__APART static stoa_entity create_beyond(stoa_world *world, stoa_mould *mould) {
    stoa__storage *storage = &world->storage;
    uint32_t index = storage->head.record_count;
    if (!STOA_LIKELY(index < storage->record_capacity)) {
        return create_any(world, mould);
    }
    storage->head.record_count = index + 1;
    return row_fill(storage, mould, ((const stoa__archetype *)mould->target)->tail,
                    &storage->head.records[index], index, 1);
}

/* stoa_create_mould where there is no target: records are stamped, or the mould is not ready. */
STOA__APART static stoa_entity create_stamped(stoa_world *world, stoa_mould *mould) {
    stoa__storage *storage = &world->storage;
    const stoa__archetype *target = mould->stamped;
    if (target == NULL || target->tail->count >= mould->limit || !stoa__entities_ready(storage)) {
        return create_any(world, mould);
    }
    stoa_entity e = stoa__entities_take(storage, 0);
    return row_fill(storage, mould, target->tail, &storage->head.records[e.index], e.index,
                    e.generation);
}

stoa_entity stoa_create_mould(stoa_world *world, stoa_mould *mould) {
    if (!STOA_LIKELY(world != NULL && mould != NULL &&
                     stoa_bits_read(&mould->open) == stoa_bits_read(&world->storage.head.open))) {
        return create_any(world, mould);
    }
    stoa__storage *storage = &world->storage;
    const stoa__archetype *target = mould->target;
    if (!STOA_LIKELY(target != NULL)) {
        return create_stamped(world, mould);
    }
    stoa_chunk *chunk = target->tail;
    if (!STOA_LIKELY(chunk->count < mould->limit)) {
        return create_any(world, mould);
    }
    uint32_t index = storage->free_first;
    if (!STOA_LIKELY(index != 0)) {
        return create_beyond(world, mould);
    }
    stoa_record *record = &storage->head.records[index];
    uint32_t generation = record->generation & ~STOA__DEAD;
    storage->free_first = record->place;
    storage->free_count--;
    return row_fill(storage, mould, chunk, record, index, generation);
}

/* Moulds: bundles with their values, kept ready to make entities of.
 *
 * A mould knows where each value goes and holds its bytes, so that making an entity is little more
 * than writing them. It is good for one epoch of layouts, in which nobody wants to be told of such
 * entities; otherwise the bundle is created as any other. Only bundles of a few components of up to
 * 16 bytes are made ready. One thread at a time. */
#include "storage/entities.h"
#include "storage/row.h"
#include "world/values.h"

/* What a value looks like in a mould; false if it does not fit. */
static bool part_make(const stoa__put *put, const uint8_t *data, stoa_mould_part *part) {
    *part = (stoa_mould_part){.to = put->to, .size = put->size};
    if (put->size != 0 && put->size != 4 && (put->size < 8 || put->size > 16)) {
        return false;
    }
    if (data != NULL && put->size == 4) {
        memcpy(&part->head, data, 4);
    } else if (data != NULL && put->size != 0) {
        memcpy(&part->head, data, 8);
        memcpy(&part->tail, data + put->size - 8, 8);
    }
    return true;
}

/* Makes a mould ready, if its bundle is one that can be, and was created before. */
static void mould_ready(stoa_world *world, stoa_mould *mould) {
    stoa__storage *storage = &world->storage;
    stoa__values bundle;
    mould->part_count = 0;
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
    for (uint32_t i = 0; i < bundle.count; i++) {
        if (!part_make(&edge->puts[i], mould->values[bundle.source[i]].data, &mould->parts[i])) {
            return;
        }
    }
    mould->target = edge->target;
    mould->part_count = bundle.count;
    mould->epoch = storage->head.epoch;
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

/* Two numbers that stand side by side in memory, written at once: what a creation waits for is
 * mostly its writes. */
STOA__INLINE void pair_write(void *to, uint32_t first, uint32_t second) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t both = (uint64_t)second << 32 | first;
#else
    const uint32_t both[2] = {first, second};
#endif
    memcpy(to, &both, 8);
}

/* Writes the value of a part into a row, and marks its column. */
STOA__INLINE void part_write(const stoa_mould_part *part, uint8_t *data, size_t slot,
                             uint64_t ticks) {
    size_t size = part->size;
    uint8_t *column = data + part->to;
    uint8_t *to = column + slot * size;
    if (!STOA_LIKELY(stoa__state_ticks(stoa__state_of(column, 0)) == ticks)) {
        stoa__state_mark(stoa__state_of(column, 0), (uint32_t)ticks, true);
    }
    if (STOA_LIKELY(size >= 8)) {
        uint64_t head = part->head, tail = part->tail;
        memcpy(to, &head, 8);
        memcpy(to + size - 8, &tail, 8);
    } else if (size != 0) {
        memcpy(to, &part->head, 4);
    }
}

/* Fills the next row of a chunk, for which there is room, and gives it to an entity whose slot is
 * taken. */
STOA__INLINE void row_fill(stoa__storage *storage, const stoa_mould *mould, stoa_chunk *chunk,
                           stoa_record *record, uint32_t index, uint32_t generation) {
    uint32_t slot = (uint32_t)chunk->count;
    uint8_t *data = chunk->data;
    pair_write(record, generation, chunk->number << STOA_PLACE_BITS | slot);
    stoa__record_stamp(storage, index);
    chunk->count = (int32_t)slot + 1;
    storage->rows[((const stoa__archetype *)mould->target)->index]++;
    pair_write(data + slot * sizeof(stoa_entity), index, generation);
    uint64_t ticks = (uint64_t)storage->head.tick << 32 | storage->head.tick;
    const stoa_mould_part *part = mould->parts, *end = part + mould->part_count;
    do {
        part_write(part, data, slot, ticks);
    } while (++part != end);
}

/* stoa_create_mould where no slot is free, for a mould that is ready. */
STOA__APART static stoa_entity create_beyond(stoa_world *world, stoa_mould *mould) {
    stoa__storage *storage = &world->storage;
    uint32_t index = storage->head.record_count;
    if (!STOA_LIKELY(index < storage->record_capacity)) {
        return create_any(world, mould);
    }
    storage->head.record_count = index + 1;
    row_fill(storage, mould, ((const stoa__archetype *)mould->target)->tail,
             &storage->head.records[index], index, 1);
    return (stoa_entity){index, 1};
}

stoa_entity stoa_create_mould(stoa_world *world, stoa_mould *mould) {
    if (!STOA_LIKELY(world != NULL && mould != NULL && mould->part_count != 0)) {
        return create_any(world, mould);
    }
    stoa__storage *storage = &world->storage;
    const stoa__archetype *target = mould->target;
    stoa_chunk *chunk = target->tail;
    if (!STOA_LIKELY(mould->epoch == storage->head.epoch && storage->head.open == 0 &&
                     chunk->count < target->head.chunk_capacity)) {
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
    row_fill(storage, mould, chunk, record, index, generation);
    return (stoa_entity){index, generation};
}

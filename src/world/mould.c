/* Moulds: bundles with their values, kept ready to make entities of.
 *
 * A mould knows where each value goes and holds its bytes, so that making an entity is little more
 * than writing them; how that is done is in stoa/mould.h. It is good for one epoch of layouts, in
 * which nobody wants to be told of such entities; otherwise the bundle is created as any other.
 * Only bundles of a few components of up to 16 bytes are made ready. One thread at a time. */
#include "stoa/mould.h"

#include "storage/entities.h"
#include "storage/row.h"
#include "world/values.h"

/* Bytes that are written for each value. */
#define VALUE_BYTES ((uint32_t)sizeof((stoa_mould_part){0}.value))

_Static_assert(sizeof((stoa_mould){0}.parts) >=
                   (STOA_MOULD_MAX + STOA_MOULD_LEAST - 1) * sizeof(stoa_mould_part),
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
    mould->bound = limit < mould->bound ? limit : mould->bound;
    return true;
}

/* Makes the parts of a mould; false if the bundle is not one that can be made ready. Values come
 * first and tags last, whatever order the bundle has: what fills a row writes a whole value for
 * each of the first parts, for which a tag has no room. */
static bool parts_make(const stoa__storage *storage, stoa_mould *mould, const stoa__edge *edge,
                       const stoa__values *bundle) {
    int32_t capacity = edge->target->head.chunk_capacity;
    mould->rows = &storage->rows[edge->target->index];
    mould->bound = capacity;
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
    while (mould->value_count < STOA_MOULD_LEAST) {
        mould->parts[mould->value_count++] = mould->parts[0];
    }
    mould->part_count = mould->value_count;
    for (uint32_t i = 0; i < bundle->count; i++) {
        if (edge->puts[i].size == 0) {
            mould->parts[mould->part_count++] = (stoa_mould_part){.to = edge->puts[i].to};
        }
    }
    mould->limit = mould->part_count == STOA_MOULD_LEAST ? mould->bound : 0;
    return true;
}

/* Makes a mould ready, if its bundle is one that can be, and was created before. */
static void mould_ready(stoa_world *world, stoa_mould *mould) {
    stoa__storage *storage = &world->storage;
    stoa__values bundle;
    mould->target = mould->stamped = mould->chunk = NULL;
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
    stoa__edge_ready(storage, edge);
    mould->epoch = storage->head.epoch;
    if (parts_make(storage, mould, edge, &bundle)) {
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

/* Notes where the columns of a chunk begin, if they are not those that are noted. */
STOA__INLINE void parts_aim(stoa_mould *mould, stoa_chunk *chunk) {
    if (STOA_LIKELY(mould->chunk == chunk)) {
        return;
    }
    mould->chunk = chunk;
    mould->entities = chunk->columns[0];
    for (uint32_t i = 0; i < mould->part_count; i++) {
        stoa_mould_part *part = &mould->parts[i];
        part->column = stoa_column_begin(chunk->columns, part->to);
    }
}

/* Fills a row with all parts of a mould. */
STOA__INLINE stoa_entity row_fill(const stoa_mould *mould, const stoa_cast *cast) {
    stoa_entity e = stoa_mould_fill(mould, cast);
    uint32_t i = STOA_MOULD_LEAST;
    for (; i < mould->value_count; i++) {
        stoa_mould_write(&mould->parts[i], cast->row, cast->ticks);
    }
    for (; i < mould->part_count; i++) {
        stoa_column_fresh(mould->parts[i].column, cast->ticks);
    }
    return e;
}

/* Fills the next row of an archetype, for which there is room, for an entity whose slot is taken.
 */
static stoa_entity row_make(stoa_world *world, stoa_mould *mould, const stoa__archetype *target,
                            uint32_t index, uint32_t generation) {
    stoa_world_front *front = (stoa_world_front *)(void *)world;
    stoa_chunk *chunk = target->tail;
    parts_aim(mould, chunk);
    const stoa_cast cast = {.row = (uint32_t)chunk->count,
                            .ticks = STOA_JOIN(front->head.tick, front->head.tick),
                            .handle = STOA_JOIN(index, generation)};
    stoa_mould_settle(front, mould, chunk, cast.row, cast.handle);
    return row_fill(mould, &cast);
}

/* stoa_create_mould where there is no target: records are stamped, or the mould is not ready. */
STOA__APART static stoa_entity create_stamped(stoa_world *world, stoa_mould *mould) {
    stoa__storage *storage = &world->storage;
    const stoa__archetype *target = mould->stamped;
    if (target == NULL || target->tail->count >= mould->bound || !stoa__entities_ready(storage)) {
        return create_any(world, mould);
    }
    stoa_entity e = stoa__entities_take(storage, 0);
    return row_make(world, mould, target, e.index, e.generation);
}

/* stoa_create_mould for a mould that is ready, where a chunk is full or no slot is free. */
STOA__APART static stoa_entity create_beyond(stoa_world *world, stoa_mould *mould) {
    stoa__storage *storage = &world->storage;
    const stoa__archetype *target = mould->target;
    uint32_t index = storage->head.record_count;
    if (target->tail->count >= mould->bound || index >= storage->record_capacity) {
        return create_any(world, mould);
    }
    storage->head.record_count = index + 1;
    return row_make(world, mould, target, index, 1);
}

stoa_entity stoa_create_mould(stoa_world *world, stoa_mould *mould) {
    if (!STOA_LIKELY(world != NULL && mould != NULL &&
                     stoa_bits_read(&mould->open) == stoa_bits_read(&world->storage.head.open))) {
        return create_any(world, mould);
    }
    if (!STOA_LIKELY(mould->target != NULL)) {
        return create_stamped(world, mould);
    }
    stoa_chunk *tail = ((const stoa__archetype *)mould->target)->tail;
    if (!STOA_LIKELY(tail->columns != NULL)) {
        return create_any(world, mould);
    }
    parts_aim(mould, tail);
    stoa_cast cast;
    return STOA_LIKELY(
               stoa_mould_take((stoa_world_front *)(void *)world, mould, mould->bound, &cast))
               ? row_fill(mould, &cast)
               : create_beyond(world, mould);
}

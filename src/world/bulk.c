/* Creating many entities of one bundle, and making room for them.
 *
 * All rows are reserved first, then filled column by column, chunk by chunk. Who is told is told
 * after all are placed, entity by entity; a hook may destroy those that are still to be told of,
 * which are then passed over. */
#include "storage/entities.h"
#include "storage/sparse.h"
#include "world/react.h"

#include <string.h>

/* Gives the rows from `slot` on of a chunk to new entities, in order. */
static void rows_settle(stoa__storage *storage, const stoa_chunk *chunk, int32_t slot,
                        int32_t count) {
    stoa_entity *entities = stoa_columns_entities(chunk->columns) + slot;
    uint32_t place = chunk->number << STOA_PLACE_BITS | (uint32_t)slot;
    stoa_record *records = storage->head.records;
    /* In locals: through the storage each step of the list would wait for the store of the one
     * before. Nor is a step waited for that would make an index of what a record says. */
    uintptr_t unplaced = (uintptr_t)records - (uintptr_t)STOA_UNPLACED * sizeof *records;
    uint32_t at = storage->free_first | STOA_UNPLACED;
    int32_t i = 0;
    for (; i < count && at != STOA_UNPLACED; i++) {
        void *own = (void *)(unplaced + (uintptr_t)at * sizeof *records);
        uint64_t record = stoa_bits_read(own);
        uint64_t handle = stoa_record_tenant(record, at & ~STOA_UNPLACED);
        uint64_t home = stoa_record_home(handle, place + (uint32_t)i);
        memcpy(own, &home, sizeof home);
        memcpy(&entities[i], &handle, sizeof handle);
        at = STOA_FIRST(record);
    }
    storage->free_first = at & ~STOA_UNPLACED;
    storage->free_count -= (uint32_t)i;
    uint32_t first = storage->head.record_count - (uint32_t)i;
    for (int32_t k = i; k < count; k++) {
        uint32_t fresh = first + (uint32_t)k;
        records[fresh] = (stoa_record){(place + (uint32_t)k) ^ fresh, 1};
        entities[k] = (stoa_entity){fresh, 1};
    }
    storage->head.record_count += (uint32_t)(count - i);
    for (int32_t k = 0; storage->record_stamps != NULL && k < count; k++) {
        stoa__record_stamp(storage, entities[k].index);
    }
}

/* Bytes that are written at once where a value is repeated: whole items of all common sizes. */
#define REPEAT_SIZE ((size_t)48)

/* Fills items with one value. */
static void items_repeat(uint8_t *to, const void *value, size_t size, size_t count) {
    if (STOA_LIKELY(REPEAT_SIZE % size == 0)) {
        uint8_t pattern[REPEAT_SIZE];
        for (size_t at = 0; at < REPEAT_SIZE; at += size) {
            stoa__copy_bytes(pattern + at, value, size);
        }
        size_t left = count * size;
        for (; left >= REPEAT_SIZE; left -= REPEAT_SIZE, to += REPEAT_SIZE) {
            memcpy(to, pattern, REPEAT_SIZE);
        }
        memcpy(to, pattern, left);
        return;
    }
    /* What is written is copied on, twice as much each time. */
    memcpy(to, value, size);
    for (size_t done = 1; done < count;) {
        size_t n = done < count - done ? done : count - done;
        memcpy(to + done * size, to, n * size);
        done += n;
    }
}

/* Bytes that are copied at once. */
#define COPY_SIZE ((size_t)32)

/* Copies items of few rows. On Zen 5 a row takes 3.8 ns with the C library's copy and 2.0 with this
 * loop; with 384 bytes of two arrays in turn, and nothing else, 16 to 24 and 25 to 32 GB/s. */
static void items_copy(uint8_t *to, const uint8_t *from, size_t size) {
    for (; size >= COPY_SIZE; size -= COPY_SIZE, to += COPY_SIZE, from += COPY_SIZE) {
        memcpy(to, from, COPY_SIZE);
    }
    if (size > 0) {
        memcpy(to, from, size);
    }
}

/* Fills `count` rows of a chunk from `slot` on with the caller's columns from `from` on. */
static void rows_write(const stoa__edge *edge, const uint16_t *source, const stoa_chunk *chunk,
                       int32_t slot, const stoa_value *columns, int32_t from, int32_t count) {
    for (uint32_t i = 0; i < edge->key_count; i++) {
        const stoa__put *put = &edge->puts[i];
        if (put->size == 0) {
            continue;
        }
        uint8_t *to = chunk->columns[put->to] + (size_t)slot * put->size;
        const void *data = columns[source[i]].data;
        if (data == NULL) {
            memset(to, 0, (size_t)count * put->size);
        } else if (columns[source[i]].op == STOA_PUT_SAME) {
            items_repeat(to, data, put->size, (size_t)count);
        } else {
            uint8_t *items = (uint8_t *)(uintptr_t)data + (size_t)from * put->size;
            if (edge->plain) {
                items_copy(to, items, (size_t)count * put->size);
            } else {
                stoa__component_move(edge->target->lanes[put->lane].component, to, items, count);
            }
        }
    }
}

/* Marks the columns of new rows, and fills in their lanes that hold no values. */
static void rows_mark(const stoa__storage *storage, const stoa__edge *edge, const stoa_chunk *chunk,
                      int32_t slot, int32_t count) {
    uint32_t tick = storage->head.tick;
    for (uint32_t i = 0; i < edge->key_count; i++) {
        stoa__state_mark(stoa__state_of(chunk->columns, edge->puts[i].to), tick, true);
    }
    for (uint32_t i = 0; i < edge->fresh_count; i++) {
        const stoa__lane *lane = &edge->target->lanes[edge->fresh[i]];
        uint8_t *items = chunk->columns[lane->index] + (size_t)slot * lane->size;
        if (lane->kind == STOA__LANE_OFF) {
            memset(items, 0, (size_t)count);
            continue;
        }
        for (int32_t k = 0; k < count; k++) {
            memcpy(items + (size_t)k * sizeof tick, &tick, sizeof tick);
        }
    }
}

static void bulk_empty(stoa__storage *storage, int32_t count, stoa_entity *entities) {
    for (int32_t i = 0; i < count; i++) {
        stoa_entity e = stoa__entities_take(storage, 0);
        if (entities != NULL) {
            entities[i] = e;
        }
    }
    storage->empty_count += (uint32_t)count;
}

/* Rows of plain values that are filled and settled together: few enough that the processor settles
 * some while it still waits for the values of others. */
#define ROWS_AT_ONCE 32

/* Fills the next `count` rows of a chunk with the caller's columns from `from` on, gives them to
 * new entities and tells those, if anybody asks. */
static void rows_append(stoa__storage *storage, const stoa__edge *edge, const uint16_t *source,
                        stoa_chunk *chunk, int32_t count, stoa_entity *entities,
                        const stoa_value *columns, int32_t from) {
    int32_t most = edge->plain ? ROWS_AT_ONCE : count;
    for (int32_t end = from + count, n; from < end; from += n) {
        int32_t slot = chunk->count;
        n = end - from < most ? end - from : most;
        rows_write(edge, source, chunk, slot, columns, from, n);
        rows_settle(storage, chunk, slot, n);
        if (entities != NULL) {
            items_copy((uint8_t *)(entities + from),
                       (uint8_t *)(stoa_columns_entities(chunk->columns) + slot),
                       (size_t)n * sizeof *entities);
        }
        chunk->count += n;
    }
}

static void bulk_rows(stoa__storage *storage, stoa__edge *edge, const uint16_t *source,
                      int32_t count, stoa_entity *entities, const stoa_value *columns) {
    stoa__archetype *target = edge->target;
    const stoa_archetype_head *head = &target->head;
    for (int32_t done = 0; done < count;) {
        if (target->tail->count >= head->chunk_capacity) {
            stoa__archetype_extend(storage, target);
        }
        stoa_chunk *chunk = target->tail;
        int32_t n = head->chunk_capacity - chunk->count;
        n = n < count - done ? n : count - done;
        rows_mark(storage, edge, chunk, chunk->count, n);
        rows_append(storage, edge, source, chunk, n, entities, columns, done);
        stoa__rows_came(storage, target->index, (uint32_t)n);
        done += n;
    }
}

/* Room for the sparse components of `count` more entities. */
static stoa_status sparse_reserve(stoa_world *world, const stoa__values *bundle, int32_t count) {
    const stoa__storage *storage = &world->storage;
    uint32_t index =
        count == 1 ? stoa__entities_next(storage) : storage->head.record_count + (uint32_t)count;
    for (uint32_t i = bundle->count; i < stoa__values_total(bundle); i++) {
        stoa__sparse *set = stoa__component_at(storage, bundle->key[i])->set;
        if (!stoa__sparse_reserve(&world->storage.heap, set, index, (uint32_t)count)) {
            return stoa__error_memory("a sparse component");
        }
    }
    return STOA_OK;
}

/* Puts the sparse components of entities that are placed. */
static void sparse_write(stoa_world *world, const stoa__values *bundle, const stoa_value *columns,
                         const stoa_entity *entities, int32_t count) {
    for (uint32_t i = bundle->count; i < stoa__values_total(bundle); i++) {
        stoa__sparse *set = stoa__component_at(&world->storage, bundle->key[i])->set;
        const stoa_value *column = &columns[bundle->source[i]];
        const uint8_t *data = column->data;
        size_t size = set->component->info.size;
        size_t stride = data == NULL || column->op == STOA_PUT_SAME ? 0 : size;
        for (int32_t k = 0; k < count; k++) {
            uint32_t position = stoa__sparse_insert(set, entities[k], world->storage.head.tick);
            if (size != 0) {
                stoa__value_write(set->component, stoa__sparse_value(set, position), data, size);
                data += stride;
            }
        }
    }
}

/* Room for `count` entities of a bundle; gives the edge that leads there, NULL for no columns. */
static stoa_status bundle_reserve(stoa_world *world, int32_t count, const stoa__values *bundle,
                                  stoa__edge **edge) {
    stoa__storage *storage = &world->storage;
    *edge = NULL;
    if (bundle->count > 0) {
        *edge = stoa__edge_get(storage, storage->archetypes[0], bundle->key, bundle->count,
                               bundle->hash);
        if (*edge == NULL) {
            return stoa_last_error().status;
        }
    }
    stoa_status status = stoa__entities_reserve(storage, (uint32_t)count);
    if (status == STOA_OK) {
        status = sparse_reserve(world, bundle, count);
    }
    if (status == STOA_OK && *edge != NULL) {
        status = stoa__archetype_reserve(storage, (*edge)->target, (uint32_t)count);
    }
    return status;
}

static stoa_status bundle_read(stoa_world *world, int32_t entity_count, const stoa_value *values,
                               int32_t count, stoa__values *bundle) {
    if (entity_count < 0) {
        stoa__error(STOA_INVALID, "a count of %d entities", entity_count);
        return STOA_INVALID;
    }
    return stoa__values_read(world, values, count, STOA__VALUES_BULK, bundle);
}

/* Creates what there is room for. */
static void bulk_create(stoa_world *world, stoa__edge *edge, const stoa__values *bundle,
                        int32_t count, stoa_entity *entities, const stoa_value *columns) {
    stoa__storage *storage = &world->storage;
    if (edge == NULL) {
        bulk_empty(storage, count, entities);
    } else {
        stoa__edge_ready(storage, edge);
        bulk_rows(storage, edge, bundle->source, count, entities, columns);
    }
    if (bundle->sparse_count > 0) {
        sparse_write(world, bundle, columns, entities, count);
    }
}

/* Tells of entities that were created; those that died meanwhile, or lost components, are not told
 * of. */
static void bulk_tell(stoa_world *world, const stoa__effect *effect, const stoa_entity *entities,
                      int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (stoa__entities_find(&world->storage, entities[i]) != NULL) {
            stoa__effect_after(world, entities[i], effect);
        }
    }
}

/* stoa_create_bulk_values where the handles are needed though the caller may not want them. */
static stoa_status bulk_listed(stoa_world *world, stoa__edge *edge, const stoa__values *bundle,
                               const stoa__effect *effect, int32_t count, stoa_entity *entities,
                               const stoa_value *columns) {
    stoa_entity *list = stoa__world_scratch(world, (size_t)count, sizeof *list);
    if (list == NULL) {
        return stoa__error_memory("a list of entities");
    }
    bulk_create(world, edge, bundle, count, list, columns);
    if (entities != NULL) {
        memcpy(entities, list, (size_t)count * sizeof *list);
    }
    if (effect->told) {
        bulk_tell(world, effect, list, count);
    }
    stoa__world_scratch_free(world, list, (size_t)count, sizeof *list);
    return STOA_OK;
}

stoa_status stoa_create_bulk_values(stoa_world *world, int32_t entity_count, stoa_entity *entities,
                                    const stoa_value *columns, int32_t count) {
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    stoa__edge *edge;
    stoa__values bundle;
    stoa__effect effect;
    status = bundle_read(world, entity_count, columns, count, &bundle);
    if (status == STOA_OK && entity_count > 0) {
        status = stoa__react_ask(world, STOA_NULL, &bundle, columns, entity_count);
    }
    if (status == STOA_OK) {
        status = bundle_reserve(world, entity_count, &bundle, &edge);
    }
    if (status == STOA_OK) {
        stoa__effect_read(world, STOA_NULL, &bundle, columns, true, &effect);
        status = stoa__effect_room(world, &effect);
    }
    if (status == STOA_OK && entity_count > 0 && (effect.told || bundle.sparse_count > 0)) {
        status = bulk_listed(world, edge, &bundle, &effect, entity_count, entities, columns);
    } else if (status == STOA_OK) {
        bulk_create(world, edge, &bundle, entity_count, entities, columns);
    }
    return status == STOA_OK ? STOA_OK : stoa__extension_unmade(world, status);
}

stoa_status stoa_reserve_values(stoa_world *world, int32_t count, const stoa_value *bundle,
                                int32_t bundle_count) {
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    stoa__edge *edge;
    stoa__values read;
    status = bundle_read(world, count, bundle, bundle_count, &read);
    if (status == STOA_OK) {
        status = bundle_reserve(world, count, &read, &edge);
    }
    if (status == STOA_OK && edge != NULL) {
        edge->target->chunk_keep = edge->target->chunk_held;
    }
    return stoa__world_report(world, status);
}

/* Reads one batch, making what leads to its archetype; nothing is wanted of that yet. */
static stoa_status batch_read(stoa_world *world, const stoa_batch *batch, stoa__values *bundle,
                              stoa__edge **edge) {
    stoa_status status =
        bundle_read(world, batch->entity_count, batch->values, batch->count, bundle);
    return status == STOA_OK ? bundle_reserve(world, 0, bundle, edge) : status;
}

/* Forgets what an earlier reservation wanted of the archetypes and sets of a batch. */
static stoa_status batch_begin(stoa_world *world, const stoa_batch *batch) {
    stoa__edge *edge;
    stoa__values bundle;
    stoa_status status = batch_read(world, batch, &bundle, &edge);
    if (status != STOA_OK) {
        return status;
    }
    if (edge != NULL) {
        edge->target->wanted = 0;
    }
    for (uint32_t i = bundle.count; i < stoa__values_total(&bundle); i++) {
        stoa__component_at(&world->storage, bundle.key[i])->set->wanted = 0;
    }
    return STOA_OK;
}

/* Makes room for one batch beside those before it. */
static stoa_status batch_reserve(stoa_world *world, const stoa_batch *batch, uint32_t total) {
    stoa__storage *storage = &world->storage;
    stoa__edge *edge;
    stoa__values bundle;
    stoa_status status = batch_read(world, batch, &bundle, &edge);
    if (status != STOA_OK) {
        return status;
    }
    if (edge != NULL) {
        edge->target->wanted += (uint32_t)batch->entity_count;
        status = stoa__archetype_reserve(storage, edge->target, edge->target->wanted);
    }
    for (uint32_t i = bundle.count; status == STOA_OK && i < stoa__values_total(&bundle); i++) {
        stoa__sparse *set = stoa__component_at(storage, bundle.key[i])->set;
        set->wanted += (uint32_t)batch->entity_count;
        /* For one alone the page of its index would do, and that is not known here. */
        if (!stoa__sparse_reserve(&storage->heap, set, storage->head.record_count + total,
                                  set->wanted > 1 ? set->wanted : 2)) {
            status = stoa__error_memory("a sparse component");
        }
    }
    return status;
}

stoa_status stoa_reserve_batches(stoa_world *world, const stoa_batch *batches, int32_t count) {
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    if (count < 0) {
        return stoa__world_report(world, stoa__error(STOA_INVALID, "a count of %d batches", count));
    }
    if (count > 0 && batches == NULL) {
        return stoa__world_null(world, "list of batches");
    }
    uint64_t total = 0;
    for (int32_t i = 0; i < count; i++) {
        total += batches[i].entity_count > 0 ? (uint64_t)batches[i].entity_count : 0;
    }
    status = total > STOA_ENTITY_MAX
                 ? stoa__error(STOA_LIMIT, "a world holds at most %d entities", STOA_ENTITY_MAX)
                 : stoa__entities_reserve(&world->storage, (uint32_t)total);
    for (int32_t i = 0; i < count && status == STOA_OK; i++) {
        status = batch_begin(world, &batches[i]);
    }
    for (int32_t i = 0; i < count && status == STOA_OK; i++) {
        status = batch_reserve(world, &batches[i], (uint32_t)total);
    }
    return stoa__world_report(world, status);
}

/* The lives of entities: creating, destroying, clearing, cloning, counting.
 *
 * A creation reserves a slot of the entity table and a row before it commits to either, so lack of
 * memory changes nothing. Entities without components have no row: their place is chunk 0.
 * Destroying and clearing need no memory. */
#include "storage/entities.h"
#include "world/values.h"

stoa_entity stoa_create(stoa_world *world) {
    if (stoa__world_may_change(world) != STOA_OK) {
        return STOA_NULL;
    }
    stoa__storage *storage = &world->storage;
    if (!STOA_LIKELY(stoa__entities_ready(storage))) {
        stoa_status status = stoa__entities_reserve(storage, 1);
        if (status != STOA_OK) {
            stoa__world_report(world, status);
            return STOA_NULL;
        }
    }
    storage->empty_count++;
    return stoa__entities_take(storage, 0);
}

/* A raw row of the archetype and a slot to go with it; nothing has changed on error. */
STOA__INLINE stoa_status entity_row(stoa__storage *storage, stoa__archetype *archetype,
                                    stoa__row *row) {
    if (!STOA_LIKELY(stoa__entities_ready(storage))) {
        stoa_status status = stoa__entities_reserve(storage, 1);
        if (status != STOA_OK) {
            return status;
        }
    }
    return stoa__row_append(storage, archetype, row);
}

/* Gives a row that is filled in to a new entity. */
STOA__INLINE stoa_entity entity_settle(stoa__storage *storage, stoa__row row) {
    stoa_entity e = stoa__entities_take(storage, row.place);
    *stoa__row_entity(row) = e;
    return e;
}

/* The bundle remembered for these values, known again by the slots of their descriptors; NULL if it
 * is another. */
STOA__INLINE stoa__bundle *bundle_recall(const stoa_world *world, const stoa_value *values,
                                         int32_t count) {
    if (!STOA_LIKELY((uint32_t)count <= STOA__BUNDLE_SHORT && values != NULL &&
                     values[0].type != NULL)) {
        return NULL;
    }
    stoa__bundle *bundle = stoa__bundle_at(world, values[0].type, count);
    if (!STOA_LIKELY(bundle->count == count)) {
        return NULL;
    }
    for (int32_t i = 0; i < count; i++) {
        const stoa_type *type = values[i].type;
        if (!STOA_LIKELY(type != NULL && values[i].op == STOA_PUT &&
                         STOA_LOAD(&type->slot) == bundle->slots[i])) {
            return NULL;
        }
    }
    return bundle;
}

/* Remembers a bundle of described types. Its offsets are read when it is next used. */
static void bundle_remember(stoa_world *world, const stoa_value *values, int32_t count,
                            stoa__edge *edge) {
    if (count > STOA__BUNDLE_SHORT || values[0].type == NULL) {
        return;
    }
    stoa__bundle *bundle = stoa__bundle_at(world, values[0].type, count);
    bundle->count = 0;
    for (int32_t i = 0; i < count; i++) {
        if (values[i].type == NULL) {
            return;
        }
        bundle->slots[i] = STOA_LOAD(&values[i].type->slot);
    }
    bundle->edge = edge;
    bundle->count = count;
    bundle->epoch = world->storage.epoch - 1;
}

/* Reads the offsets of a bundle anew. */
STOA__COLD static void bundle_refresh(stoa__storage *storage, stoa__bundle *bundle) {
    stoa__edge *edge = bundle->edge;
    bool words = edge->plain;
    stoa__edge_ready(storage, edge, storage->archetypes[0]);
    for (int32_t i = 0; i < bundle->count; i++) {
        stoa_component id = STOA_LOAD(&storage->registry.slot_ids[bundle->slots[i]]);
        uint32_t at = 0;
        while (edge->key[at] != id) {
            at++;
        }
        bundle->puts[i] = edge->puts[at];
        uint32_t size = edge->puts[at].size;
        words = words && size % 4 == 0 && size <= 16;
    }
    bundle->target = edge->target;
    bundle->words = words;
    bundle->epoch = storage->epoch;
}

/* stoa_create_values for a bundle that is not remembered, or fails. */
STOA__COLD static stoa_entity create_long(stoa_world *world, const stoa_value *values,
                                          int32_t count) {
    stoa__storage *storage = &world->storage;
    stoa__values bundle;
    stoa__row row;
    stoa_status status = stoa__values_read(world, values, count, false, &bundle);
    stoa__edge *edge = status == STOA_OK ? stoa__edge_get(storage, storage->archetypes[0],
                                                          bundle.key, bundle.count, bundle.hash)
                                         : NULL;
    if (edge == NULL) {
        stoa__world_report(world, stoa_last_error().status);
        return STOA_NULL;
    }
    status = entity_row(storage, edge->target, &row);
    if (status != STOA_OK) {
        stoa__world_report(world, status);
        return STOA_NULL;
    }
    stoa__edge_ready(storage, edge, storage->archetypes[0]);
    for (uint32_t i = 0; i < bundle.count; i++) {
        stoa__value_put(edge, &edge->puts[i], row, values[bundle.source[i]].data);
    }
    bundle_remember(world, values, count, edge);
    return entity_settle(storage, row);
}

stoa_entity stoa_create_values(stoa_world *world, const stoa_value *values, int32_t count) {
    if (!STOA_LIKELY(count != 0)) {
        return stoa_create(world);
    }
    if (stoa__world_may_change(world) != STOA_OK) {
        return STOA_NULL;
    }
    stoa__bundle *bundle = bundle_recall(world, values, count);
    if (!STOA_LIKELY(bundle != NULL)) {
        return create_long(world, values, count);
    }
    stoa__storage *storage = &world->storage;
    const stoa__edge *edge = bundle->edge;
    stoa__row row;
    stoa_status status = entity_row(storage, edge->target, &row);
    if (!STOA_LIKELY(status == STOA_OK)) {
        stoa__world_report(world, status);
        return STOA_NULL;
    }
    if (!STOA_LIKELY(bundle->epoch == storage->epoch)) {
        bundle_refresh(storage, bundle);
    }
    for (int32_t i = 0; i < count; i++) {
        stoa__value_put(edge, &bundle->puts[i], row, values[i].data);
    }
    return entity_settle(storage, row);
}

/* A component of a small bundle. */
typedef struct piece {
    stoa_type *type;
    const void *data;
} piece;

/* A bundle given in pieces that is not quick: put together for the general way. */
STOA__APART static stoa_entity create_pieces(stoa_world *world, int32_t count, piece a, piece b,
                                             piece c) {
    const stoa_value values[STOA_CREATE_FEW] = {{.type = a.type, .data = a.data},
                                                {.type = b.type, .data = b.data},
                                                {.type = c.type, .data = c.data}};
    return stoa_create_values(world, values, count);
}

/* True if the piece is the one remembered and has a value. */
STOA__INLINE bool piece_known(const stoa__bundle *bundle, int32_t i, piece p) {
    return STOA_LIKELY(p.type != NULL && p.data != NULL &&
                       STOA_LOAD(&p.type->slot) == bundle->slots[i]);
}

/* Copies the value of a bundle of words into its row. */
STOA__INLINE void piece_write(const stoa__bundle *bundle, int32_t i, stoa__row row, piece p) {
    size_t size = bundle->puts[i].size;
    uint8_t *to = row.data + bundle->puts[i].to + row.slot * size;
    stoa__value_words(to, p.data, size);
}

/* Makes an entity with a remembered bundle, without a call; anything else goes the general way.
 * `count` is a constant. */
STOA__INLINE stoa_entity create_few(stoa_world *world, int32_t count, piece a, piece b, piece c) {
    if (!STOA_LIKELY(world != NULL && a.type != NULL)) {
        return create_pieces(world, count, a, b, c);
    }
    stoa__storage *storage = &world->storage;
    const stoa__bundle *bundle = stoa__bundle_at(world, a.type, count);
    if (!STOA_LIKELY(bundle->count == count && bundle->epoch == storage->epoch && bundle->words &&
                     storage->head.open == 0 && stoa__entities_ready(storage) &&
                     piece_known(bundle, 0, a) && (count < 2 || piece_known(bundle, 1, b)) &&
                     (count < 3 || piece_known(bundle, 2, c)))) {
        return create_pieces(world, count, a, b, c);
    }
    stoa_chunk *chunk = bundle->target->tail;
    if (!STOA_LIKELY(chunk->count < bundle->target->head.chunk_capacity)) {
        return create_pieces(world, count, a, b, c);
    }
    uint32_t slot = (uint32_t)chunk->count++;
    stoa__row row = {chunk->data, slot, chunk->number << STOA_PLACE_BITS | slot};
    storage->rows[bundle->target->index]++;
    piece_write(bundle, 0, row, a);
    if (count > 1) {
        piece_write(bundle, 1, row, b);
    }
    if (count > 2) {
        piece_write(bundle, 2, row, c);
    }
    return entity_settle(storage, row);
}

stoa_entity stoa_create_one(stoa_world *world, stoa_type *type, const void *data) {
    return create_few(world, 1, (piece){type, data}, (piece){NULL, NULL}, (piece){NULL, NULL});
}

stoa_entity stoa_create_two(stoa_world *world, stoa_type *first, const void *first_data,
                            stoa_type *second, const void *second_data) {
    return create_few(world, 2, (piece){first, first_data}, (piece){second, second_data},
                      (piece){NULL, NULL});
}

stoa_entity stoa_create_three(stoa_world *world, stoa_type *first, const void *first_data,
                              stoa_type *second, const void *second_data, stoa_type *third,
                              const void *third_data) {
    return create_few(world, 3, (piece){first, first_data}, (piece){second, second_data},
                      (piece){third, third_data});
}

/* Gives the rows from `slot` on of a chunk to new entities, in order. */
static void rows_settle(stoa__storage *storage, const stoa_chunk *chunk, int32_t slot,
                        int32_t count) {
    stoa_entity *entities = (stoa_entity *)(void *)chunk->data + slot;
    uint32_t place = chunk->number << STOA_PLACE_BITS | (uint32_t)slot;
    stoa_record *records = storage->head.records;
    /* In locals: through the storage each step of the list would wait for the store of the one
     * before. */
    uint32_t index = storage->free_first;
    int32_t i = 0;
    for (; i < count && index != 0; i++) {
        stoa_record *record = &records[index];
        uint32_t next = record->place, generation = record->generation & ~STOA__DEAD;
        *record = (stoa_record){generation, place + (uint32_t)i};
        entities[i] = (stoa_entity){index, generation};
        index = next;
    }
    storage->free_first = index;
    storage->free_count -= (uint32_t)i;
    uint32_t first = storage->head.record_count - (uint32_t)i;
    for (int32_t k = i; k < count; k++) {
        records[first + (uint32_t)k] = (stoa_record){1, place + (uint32_t)k};
        entities[k] = (stoa_entity){first + (uint32_t)k, 1};
    }
    storage->head.record_count += (uint32_t)(count - i);
    storage->live_count += (uint32_t)count;
}

/* Fills `count` rows of a chunk from `slot` on with the caller's columns from `from` on. */
static void rows_write(const stoa__edge *edge, const uint16_t *source, const stoa_chunk *chunk,
                       int32_t slot, const stoa_value *columns, int32_t from, int32_t count) {
    for (uint32_t i = 0; i < edge->key_count; i++) {
        const stoa__put *put = &edge->puts[i];
        if (put->size == 0) {
            continue;
        }
        uint8_t *to = chunk->data + put->to + (size_t)slot * put->size;
        const void *data = columns[source[i]].data;
        if (data == NULL) {
            memset(to, 0, (size_t)count * put->size);
        } else {
            uint8_t *items = (uint8_t *)(uintptr_t)data;
            stoa__component_move(edge->target->lanes[put->lane].component, to,
                                 items + (size_t)from * put->size, count);
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

static void bulk_rows(stoa__storage *storage, stoa__edge *edge, const uint16_t *source,
                      int32_t count, stoa_entity *entities, const stoa_value *columns) {
    stoa__archetype *target = edge->target;
    const stoa_archetype_head *head = &target->head;
    for (int32_t done = 0; done < count;) {
        if (target->tail->count >= head->chunk_capacity) {
            stoa__archetype_extend(target);
        }
        stoa_chunk *chunk = target->tail;
        int32_t slot = chunk->count;
        int32_t n = head->chunk_capacity - slot;
        n = n < count - done ? n : count - done;
        rows_write(edge, source, chunk, slot, columns, done, n);
        rows_settle(storage, chunk, slot, n);
        if (entities != NULL) {
            memcpy(entities + done, (stoa_entity *)(void *)chunk->data + slot,
                   (size_t)n * sizeof *entities);
        }
        chunk->count += n;
        storage->rows[target->index] += (uint32_t)n;
        done += n;
    }
}

/* Room for `count` entities of a bundle; gives the edge that leads there, NULL for no components.
 */
static stoa_status bundle_reserve(stoa_world *world, int32_t count, const stoa_value *values,
                                  int32_t value_count, stoa__values *bundle, stoa__edge **edge) {
    stoa__storage *storage = &world->storage;
    *edge = NULL;
    if (count < 0) {
        return stoa__error(STOA_INVALID, "a count of %d entities", count);
    }
    stoa_status status = stoa__values_read(world, values, value_count, false, bundle);
    if (status == STOA_OK && bundle->count > 0) {
        *edge = stoa__edge_get(storage, storage->archetypes[0], bundle->key, bundle->count,
                               bundle->hash);
        status = *edge == NULL ? stoa_last_error().status : STOA_OK;
    }
    if (status == STOA_OK) {
        status = stoa__entities_reserve(storage, (uint32_t)count);
    }
    if (status == STOA_OK && *edge != NULL) {
        status = stoa__archetype_reserve(storage, (*edge)->target, (uint32_t)count);
    }
    return status;
}

stoa_status stoa_create_bulk_values(stoa_world *world, int32_t entity_count, stoa_entity *entities,
                                    const stoa_value *columns, int32_t count) {
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    stoa__edge *edge;
    stoa__values bundle;
    status = bundle_reserve(world, entity_count, columns, count, &bundle, &edge);
    if (status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    if (edge == NULL) {
        bulk_empty(&world->storage, entity_count, entities);
    } else {
        stoa__edge_ready(&world->storage, edge, world->storage.archetypes[0]);
        bulk_rows(&world->storage, edge, bundle.source, entity_count, entities, columns);
    }
    return STOA_OK;
}

stoa_status stoa_reserve_values(stoa_world *world, int32_t count, const stoa_value *bundle,
                                int32_t bundle_count) {
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    stoa__edge *edge;
    stoa__values read;
    status = bundle_reserve(world, count, bundle, bundle_count, &read, &edge);
    if (status == STOA_OK && edge != NULL) {
        edge->target->chunk_keep = edge->target->chunk_held;
    }
    return stoa__world_report(world, status);
}

/* Takes an entity's row away, components and all; it has no place after this. */
STOA__INLINE void row_remove(stoa__storage *storage, uint32_t place) {
    if (place >> STOA_PLACE_BITS == 0) {
        storage->empty_count--;
        return;
    }
    stoa__archetype *archetype = stoa__row_archetype(storage, place);
    stoa__row row = stoa__row_at(storage, place);
    if (!STOA_LIKELY(archetype->plain)) {
        stoa__row_drop(storage, archetype, place);
    }
    stoa__row_fill(storage, archetype, row);
}

stoa_status stoa_destroy(stoa_world *world, stoa_entity e) {
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    const stoa_record *record = stoa__entities_find(&world->storage, e);
    if (!STOA_LIKELY(record != NULL)) {
        return stoa__world_dead(world, e);
    }
    row_remove(&world->storage, record->place);
    stoa__entities_release(&world->storage, e.index);
    return STOA_OK;
}

stoa_status stoa_clear(stoa_world *world, stoa_entity e) {
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    stoa_record *record = stoa__entities_find(&world->storage, e);
    if (record == NULL) {
        return stoa__world_dead(world, e);
    }
    row_remove(&world->storage, record->place);
    record->place = 0;
    world->storage.empty_count++;
    return STOA_OK;
}

/* Copies the components of one row into a raw one; on failure none is left there. */
static stoa_status row_copy(const stoa__archetype *archetype, stoa__row to, stoa__row from) {
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        const stoa_component_info *info = &lane->component->info;
        uint8_t *copy = to.data + lane->offset + to.slot * lane->size;
        const uint8_t *item = from.data + lane->offset + from.slot * lane->size;
        if (info->hooks.copy == NULL) {
            memcpy(copy, item, lane->size);
        } else if (!info->hooks.copy(copy, item, 1, info->hooks.user)) {
            while (i-- > 0) {
                lane = &archetype->lanes[i];
                stoa__component_drop(lane->component, to.data + lane->offset + to.slot * lane->size,
                                     1);
            }
            return stoa__error(STOA_NO_MEMORY, "the copy hook of component '%s' failed",
                               info->name);
        }
    }
    return STOA_OK;
}

static stoa_status clone_row(stoa_world *world, uint32_t place, stoa_entity *result) {
    stoa__storage *storage = &world->storage;
    stoa__archetype *archetype = stoa__row_archetype(storage, place);
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        if (!archetype->lanes[i].component->info.copyable) {
            return stoa__error(STOA_NOT_COPYABLE, "component '%s' cannot be copied",
                               archetype->lanes[i].component->name);
        }
    }
    stoa__row row;
    stoa_status status = stoa__row_append(storage, archetype, &row);
    if (status == STOA_OK) {
        status = row_copy(archetype, row, stoa__row_at(storage, place));
        if (status != STOA_OK) {
            stoa__row_pop(storage, archetype);
        }
    }
    if (status == STOA_OK) {
        *result = stoa__entities_take(storage, row.place);
        *stoa__row_entity(row) = *result;
    }
    return status;
}

stoa_entity stoa_clone(stoa_world *world, stoa_entity e) {
    if (stoa__world_may_change(world) != STOA_OK) {
        return STOA_NULL;
    }
    stoa__storage *storage = &world->storage;
    const stoa_record *record = stoa__entities_find(storage, e);
    if (record == NULL) {
        stoa__world_dead(world, e);
        return STOA_NULL;
    }
    uint32_t place = record->place;
    if (place >> STOA_PLACE_BITS == 0) {
        return stoa_create(world);
    }
    stoa_entity result = STOA_NULL;
    stoa_status status = stoa__entities_reserve(storage, 1);
    if (status == STOA_OK) {
        status = clone_row(world, place, &result);
    }
    stoa__world_report(world, status);
    return result;
}

bool stoa_alive(const stoa_world *world, stoa_entity e) {
    return world != NULL && stoa__entities_find(&world->storage, e) != NULL;
}

int32_t stoa_count(const stoa_world *world) {
    return world != NULL ? (int32_t)world->storage.live_count : 0;
}

stoa_entity stoa_entity_next(const stoa_world *world, stoa_entity e) {
    if (world == NULL) {
        return STOA_NULL;
    }
    const stoa_world_head *head = &world->storage.head;
    for (uint64_t i = (uint64_t)e.index + 1; i < head->record_count; i++) {
        if ((head->records[i].generation & STOA__DEAD) == 0) {
            return (stoa_entity){(uint32_t)i, head->records[i].generation};
        }
    }
    return STOA_NULL;
}

/* The lives of entities: destroying, clearing, counting.
 *
 * Destroying needs no memory. It reaches every storage kind: the row, sparse sets, listeners. */
#include "storage/ends.h"
#include "storage/entities.h"
#include "storage/sparse.h"
#include "world/react.h"

/* Takes an entity out of every sparse set. */
static void sparse_leave(const stoa__storage *storage, uint32_t index) {
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        stoa__sparse_remove(c->set, index);
    }
}

/* Destroys an entity of which somebody is told, or which is more than a plain row. */
STOA__APART static stoa_status destroy_any(stoa_world *world, stoa_entity e) {
    stoa__storage *storage = &world->storage;
    if (stoa__react_watched(world, e)) {
        stoa_status status = stoa__hook_room(world);
        if (status == STOA_OK) {
            status = stoa__react_ask_losing(world, e);
        }
        if (status != STOA_OK) {
            return stoa__extension_unmade(world, status);
        }
        stoa__react_losing(world, e, &(stoa__delta){.dies = true});
        stoa__react_log(world, e, true);
    }
    stoa__event_entity_dies(world, e);
    sparse_leave(storage, e.index);
    stoa__row_remove(storage, stoa__place_of(storage, e.index));
    stoa__entities_release(storage, e.index);
    return STOA_OK;
}

/* stoa_destroy for whatever is not quick. */
STOA__APART static stoa_status destroy_checked(stoa_world *world, stoa_entity e) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    stoa_status status = stoa__world_may_touch(world, e);
    if (status != STOA_OK) {
        return status;
    }
    stoa__storage *storage = &world->storage;
    if (stoa__entities_find(storage, e) == NULL) {
        return stoa__world_dead(world, e);
    }
    uint32_t place = stoa__place_of(storage, e.index);
    stoa__archetype *archetype = stoa__row_archetype(storage, place);
    if (!archetype->simple || world->events.target_count > 0) {
        return destroy_any(world, e);
    }
    stoa__row_remove(storage, place);
    stoa__entities_release(storage, e.index);
    return STOA_OK;
}

/* Ends the row of an entity whose slot is free already, and with it the last row of its chunk. */
STOA__COLD static stoa_status row_end(stoa__storage *storage, uint32_t place) {
    stoa__row_remove(storage, place);
    return STOA_OK;
}

/* Fills a hole in a lane of vectors; false, with nothing done, if it is not as new in both chunks.
 */
STOA__INLINE bool vector_fill(uint8_t *const *hole, uint8_t *const *last, size_t lane, size_t to,
                              size_t from) {
    if (!stoa__lane_same(hole, last, lane)) {
        return false;
    }
    stoa__copy_small(hole[lane] + 12 * to, last[lane] + 12 * from, 12);
    return true;
}

/* Where entities are anywhere in memory, calls wait for it at the same time as far as their
 * instructions fit in the processor's queues, and those that need the record wait there longest. So
 * the archetype is taken to be that of the last call, which a branch confirms: nothing that is read
 * of it waits for the record. What stands together is read and written at once, and no register is
 * saved: whatever is called is the last thing done, and what the handle tells is worked out anew
 * rather than kept. */
stoa_status stoa_destroy(stoa_world *world, stoa_entity e) {
    uint64_t handle = stoa_bits_read(&e), moved;
    if (!STOA_LIKELY(world != NULL && world->storage.head.open == 0 &&
                     STOA_FIRST(handle) < world->storage.head.record_count)) {
        return destroy_checked(world, e);
    }
    stoa__storage *storage = &world->storage;
    uint64_t place = stoa_record_meet(storage->head.records, handle);
    if (!STOA_LIKELY(place < STOA_UNPLACED)) {
        return destroy_checked(world, e);
    }
    const stoa_chunk_ref *chunk = &storage->head.chunks[place >> STOA_PLACE_BITS];
    const stoa__archetype *archetype = storage->ended;
    if (!STOA_LIKELY(chunk->archetype == &archetype->head)) {
        storage->ended = archetype = (const stoa__archetype *)(const void *)chunk->archetype;
        STOA_ALONE(archetype);
    }
    uint64_t fill = archetype->fill;
    if (!STOA_LIKELY(fill != 0)) {
        return destroy_checked(world, e);
    }
    STOA_ALONE(handle);
    uint64_t freed = stoa__record_freed(handle, storage->free_first);
    if (!stoa__record_again(freed)) {
        return destroy_checked(world, e);
    }
    stoa__entities_free_set(storage, STOA_FIRST(handle), storage->free_count + 1);
    STOA_ALONE(storage);
    memcpy(&storage->head.records[STOA_FIRST(handle)], &freed, sizeof freed);

    stoa_chunk *tail = archetype->tail;
    size_t from = (size_t)(uint32_t)tail->count - 1;
    if (!STOA_LIKELY(from != 0)) {
        return row_end(storage, (uint32_t)place);
    }
    tail->count = (int32_t)from;
    stoa__rows_went(storage, STOA__FILL_INDEX(fill), 1);
    uint8_t *const *hole = chunk->columns, *const *last = tail->columns;
    memcpy(&moved, last[0] + from * sizeof moved, sizeof moved);
    if (moved == handle) {
        return STOA_OK;
    }
    size_t to = place & (STOA__ROWS_MAX - 1);
    memcpy(hole[0] + to * sizeof moved, &moved, sizeof moved);
    stoa__place_set(storage->head.records, STOA_FIRST(moved), (uint32_t)place);
    STOA_ALONE(fill);
    if (STOA_LIKELY(STOA__FILL_VECTORS(fill) && vector_fill(hole, last, 1, to, from) &&
                    vector_fill(hole, last, 2, to, from))) {
        return STOA_OK;
    }
    if (STOA__FILL_EVEN(fill)) {
        return stoa__row_fill_even(fill, hole, last, to, from);
    }
    if (STOA__FILL_TAGS(fill)) {
        return stoa__row_fill_light(storage, (uint32_t)place);
    }
    archetype = storage->archetypes[STOA__FILL_INDEX(fill)];
    return stoa__row_fill_lanes(archetype->lanes, hole, last, to, from);
}

/* Destroys the first entities of a list that nobody is told of and that are rows of one archetype;
 * returns how many, 0: the first is no such entity. */
static uint32_t list_end(stoa_world *world, stoa__handles handles) {
    stoa__storage *storage = &world->storage;
    const stoa_entity *e = stoa__handle_at(handles.first);
    if (storage->head.open != 0 || world->events.target_count > 0 ||
        stoa__entities_find(storage, *e) == NULL) {
        return 0;
    }
    stoa__archetype *archetype = stoa__row_archetype(storage, stoa__place_of(storage, e->index));
    return archetype->simple ? stoa__ends_run(storage, archetype, handles) : 0;
}

/* STOA_OK if there is a list of entities of a world; otherwise reported. */
static stoa_status list_check(const stoa_world *world, int32_t count, const stoa_entity *entities) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    if (count < 0) {
        return stoa__world_report(world, stoa__error(STOA_INVALID, "a list of %d entities", count));
    }
    return entities != NULL || count == 0 ? STOA_OK : stoa__world_null(world, "list of entities");
}

stoa_status stoa_destroy_bulk(stoa_world *world, int32_t count, const stoa_entity *entities,
                              int32_t *done) {
    int32_t at = 0;
    stoa_status status = list_check(world, count, entities);
    while (status == STOA_OK && at < count) {
        stoa__handles handles = stoa__handles_of(entities + at, (uint32_t)(count - at));
        stoa__handles_ask(world->storage.head.records, handles);
        uint32_t ended = list_end(world, handles);
        if (ended == 0) {
            status = stoa_destroy(world, entities[at]);
            ended = status == STOA_OK;
        }
        at += (int32_t)ended;
    }
    if (done != NULL) {
        *done = at;
    }
    return status;
}

/* What a live entity has, as far as queries can tell, into `ids`; returns how many there are. */
static uint32_t components_list(const stoa_world *world, stoa_entity e, stoa_component *ids) {
    uint32_t count = 0;
    for (stoa_component id = 1; id <= world->storage.registry.count; id++) {
        if (stoa__world_enabled(world, e, id)) {
            if (ids != NULL) {
                ids[count] = id;
            }
            count++;
        }
    }
    return count;
}

/* Takes everything off an entity; whoever is told has been. */
static void entity_clear(stoa_world *world, stoa_entity e) {
    stoa__storage *storage = &world->storage;
    sparse_leave(storage, e.index);
    stoa__row_remove(storage, stoa__place_of(storage, e.index));
    stoa__place_set(storage->head.records, e.index, 0);
    stoa__record_stamp(storage, e.index);
    storage->empty_count++;
}

/* stoa_clear of an entity of which somebody is told; reported. */
static stoa_status clear_told(stoa_world *world, stoa_entity e) {
    stoa_component *ids = NULL;
    uint32_t count = components_list(world, e, NULL);
    stoa_status status = stoa__hook_room(world);
    if (status == STOA_OK) {
        status = stoa__react_ask_losing(world, e);
    }
    if (status == STOA_OK && count > 0) {
        ids = stoa__world_scratch(world, count, sizeof *ids);
        status = ids != NULL ? STOA_OK : stoa__error_memory("a list of components");
    }
    if (status != STOA_OK) {
        return stoa__extension_unmade(world, status);
    }
    components_list(world, e, ids);
    stoa__delta delta = {.removed = ids, .removed_count = count};
    stoa__react_losing(world, e, &delta);
    stoa__react_log(world, e, false);
    entity_clear(world, e);
    if (world->observers != NULL) {
        stoa__hook_lock(world, e);
        world->query_ops->enter(world, e, &delta);
        stoa__hook_unlock(world);
    }
    stoa__world_scratch_free(world, ids, count, sizeof *ids);
    return STOA_OK;
}

stoa_status stoa_clear(stoa_world *world, stoa_entity e) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    stoa_status status = stoa__world_may_touch(world, e);
    if (status != STOA_OK) {
        return status;
    }
    if (stoa__entities_find(&world->storage, e) == NULL) {
        return stoa__world_dead(world, e);
    }
    if (stoa__react_watched(world, e)) {
        return clear_told(world, e);
    }
    entity_clear(world, e);
    return STOA_OK;
}

bool stoa_alive(const stoa_world *world, stoa_entity e) {
    return world != NULL && stoa__entities_find(&world->storage, e) != NULL;
}

int32_t stoa_count(const stoa_world *world) {
    return world != NULL ? (int32_t)stoa__entities_count(&world->storage) : 0;
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

/* Putting the content of a world together: archetypes, columns, sparse components.
 *
 * What is added last is open: its columns are raw until the caller has made their values, of which
 * it tells how many, so that going back knows what to drop. */
#include "storage/entities.h"
#include "world/rebuild.h"

#include <string.h>

/* The ids of an archetype, sorted, each known, with a column, and once; the thread's error is set.
 */
static stoa_status ids_sort(const stoa_rebuild *rebuild, const stoa_component *ids, int32_t count,
                            stoa_component *sorted) {
    const stoa__storage *storage = &rebuild->world->storage;
    for (int32_t i = 0; i < count; i++) {
        if (!stoa__component_known(storage, ids[i])) {
            return stoa__error(STOA_UNKNOWN, "there is no component with the id %u", ids[i]);
        }
        const stoa__component *component = stoa__component_at(storage, ids[i]);
        if (component->set != NULL) {
            return stoa__error(STOA_INVALID, "component '%s' is sparse, it has no column",
                               component->name);
        }
        int32_t at = i;
        for (; at > 0 && sorted[at - 1] > ids[i]; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = ids[i];
        if (at > 0 && sorted[at - 1] == ids[i]) {
            return stoa__error(STOA_CORRUPT, "component '%s' is named twice", component->name);
        }
    }
    return STOA_OK;
}

/* The archetype of a set that is not there yet; NULL with the thread's error set. */
static stoa__archetype *archetype_new(stoa_rebuild *rebuild, const stoa_component *ids,
                                      int32_t count) {
    stoa__storage *storage = &rebuild->world->storage;
    size_t size = (size_t)count * sizeof *ids;
    stoa_component *sorted = stoa__heap_alloc(&rebuild->heap, size, _Alignof(stoa_component));
    if (sorted == NULL) {
        stoa__error_memory("a set of components");
        return NULL;
    }
    stoa__archetype *archetype = NULL;
    if (ids_sort(rebuild, ids, count, sorted) == STOA_OK) {
        if (stoa__archetype_find(storage, sorted, (uint32_t)count) != NULL) {
            stoa__error(STOA_CORRUPT, "a set of components has two archetypes");
        } else {
            archetype = stoa__archetype_get(storage, sorted, (uint32_t)count);
        }
    }
    stoa__heap_free(&rebuild->heap, sorted, size, _Alignof(stoa_component));
    return archetype;
}

/* STOA_OK if the entities live. */
static stoa_status entities_check(const stoa_rebuild *rebuild, const stoa_entity *entities,
                                  int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (stoa__entities_find(&rebuild->world->storage, entities[i]) == NULL) {
            return stoa__error(STOA_CORRUPT, "entity %u.%u of row %d does not live",
                               entities[i].index, entities[i].generation, i);
        }
    }
    return STOA_OK;
}

/* Takes the places of rows back; the first `count` of them got one. */
static void places_clear(stoa__storage *storage, const stoa_entity *entities, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        stoa__place_set(storage->head.records, entities[i].index, 0);
    }
}

/* Marks a run of rows of a chunk, and fills in the lanes that hold no values. */
static void rows_begin(const stoa_rebuild *rebuild, const stoa__archetype *archetype,
                       const stoa_chunk *chunk, int32_t count) {
    uint32_t now = rebuild->world->storage.head.tick;
    uint32_t tick = rebuild->old ? now - STOA__TICK_AGE : now;
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++) {
        stoa__state_mark(stoa__state_number(archetype, chunk->columns, i), tick, true);
    }
    for (uint32_t i = archetype->data_lanes; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        uint8_t *items = chunk->columns[lane->index];
        if (lane->kind == STOA__LANE_OFF) {
            memset(items, 0, (size_t)count);
            continue;
        }
        for (int32_t k = 0; k < count; k++) {
            memcpy(items + (size_t)k * sizeof tick, &tick, sizeof tick);
        }
    }
}

/* Gives the entities of a chunk to be rows, as far as that can be; returns how many got one. */
static int32_t chunk_give(const stoa_rebuild *rebuild, const stoa_chunk *chunk,
                          const stoa_entity *entities, int32_t count) {
    const stoa__storage *storage = &rebuild->world->storage;
    size_t size = (size_t)count * sizeof *entities;
    if (rebuild->copy != NULL) {
        rebuild->copy(chunk->columns[0], entities, size, rebuild->copy_user);
    } else {
        memcpy(chunk->columns[0], entities, size);
    }
    uint32_t place = chunk->number << STOA_PLACE_BITS, limit = storage->head.record_count;
    stoa_record *records = storage->head.records;
    for (int32_t i = 0; i < count; i++) {
        uint64_t handle = stoa_bits_read(&entities[i]);
        uint32_t index = STOA_FIRST(handle);
        /* The record of an entity that lives and has no row is its handle. */
        if (index >= limit || stoa_bits_read(&records[index]) != handle) {
            return i;
        }
        uint64_t home = stoa_record_home(handle, place | (uint32_t)i);
        memcpy(&records[index], &home, sizeof home);
    }
    return count;
}

/* Gives the entities rows, in order; the room is there. STOA_CORRUPT, with no rows given, if one of
 * them does not live or has a row already. */
static stoa_status rows_give(const stoa_rebuild *rebuild, stoa__archetype *archetype,
                             const stoa_entity *entities, int32_t count) {
    stoa__storage *storage = &rebuild->world->storage;
    int32_t capacity = archetype->head.chunk_capacity;
    for (int32_t first = 0; first < count; first += capacity) {
        int32_t part = count - first < capacity ? count - first : capacity;
        int32_t given =
            chunk_give(rebuild, &archetype->head.chunks[first / capacity], entities + first, part);
        if (given < part) {
            stoa_entity e = entities[first + given];
            const char *why =
                stoa__entities_find(storage, e) != NULL ? "has two rows" : "does not live";
            places_clear(storage, entities, first + given);
            return stoa__error(STOA_CORRUPT, "entity %u.%u of row %d %s", e.index, e.generation,
                               first + given, why);
        }
    }
    for (int32_t first = 0; first < count; first += capacity) {
        stoa__archetype_extend(storage, archetype);
        stoa_chunk *chunk = archetype->tail;
        chunk->count = count - first < capacity ? count - first : capacity;
        rows_begin(rebuild, archetype, chunk, chunk->count);
    }
    stoa__rows_set(storage, archetype->index, (uint32_t)count);
    return STOA_OK;
}

/* Room to count the values of so many columns; what is counted now stays. */
static bool made_reserve(stoa_rebuild *rebuild, uint32_t count) {
    return stoa__heap_grow(&rebuild->heap, &rebuild->made, &rebuild->made_capacity,
                           count > 0 ? count : 1, sizeof *rebuild->made);
}

/* What is added next is open, with no values made. */
static void made_begin(stoa_rebuild *rebuild, stoa__archetype *archetype, stoa__sparse *set) {
    rebuild->archetype = archetype;
    rebuild->set = set;
    memset(rebuild->made, 0, rebuild->made_capacity * sizeof *rebuild->made);
}

static stoa_status archetype_add(stoa_rebuild *rebuild, const stoa_component *ids, int32_t id_count,
                                 const stoa_entity *entities, int32_t row_count) {
    stoa__storage *storage = &rebuild->world->storage;
    stoa_status status = stoa__rebuild_next(rebuild);
    stoa__archetype *archetype = status == STOA_OK ? archetype_new(rebuild, ids, id_count) : NULL;
    if (archetype == NULL) {
        return status == STOA_OK ? stoa_last_error().status : status;
    }
    uint32_t count = storage->archetype_count;
    if (!made_reserve(rebuild, archetype->data_lanes)) {
        status = stoa__error_memory("the columns of an archetype");
    }
    if (status == STOA_OK) {
        status = stoa__archetype_reserve(storage, archetype, (uint32_t)row_count);
    }
    if (status == STOA_OK) {
        status = rows_give(rebuild, archetype, entities, row_count);
    }
    if (status != STOA_OK) {
        stoa__archetype_hide(storage, count - 1);
        return status;
    }
    made_begin(rebuild, archetype, NULL);
    return STOA_OK;
}

stoa_status stoa_rebuild_archetype(stoa_rebuild *rebuild, const stoa_component *ids,
                                   int32_t id_count, const stoa_entity *entities,
                                   int32_t row_count) {
    if (rebuild == NULL || ids == NULL || (entities == NULL && row_count > 0)) {
        return stoa__world_null(rebuild != NULL ? rebuild->world : NULL, rebuild == NULL ? "rebuild"
                                                                         : ids == NULL
                                                                             ? "ids"
                                                                             : "entities");
    }
    if (id_count <= 0 || row_count < 0) {
        return stoa__world_report(
            rebuild->world,
            stoa__error(STOA_INVALID, "%d components and %d rows", id_count, row_count));
    }
    return stoa__world_report(rebuild->world,
                              archetype_add(rebuild, ids, id_count, entities, row_count));
}

stoa_status stoa_rebuild_copier(stoa_rebuild *rebuild, stoa_copy_function copy, void *user) {
    if (rebuild == NULL) {
        return stoa__world_null(NULL, "rebuild");
    }
    rebuild->copy = copy;
    rebuild->copy_user = user;
    return STOA_OK;
}

/* The lane with the values of a component of the archetype that is open, or STOA__NONE. */
static uint32_t lane_find(const stoa_rebuild *rebuild, stoa_component id) {
    const stoa__archetype *archetype = rebuild->set == NULL ? rebuild->archetype : NULL;
    for (uint32_t i = 0; archetype != NULL && i < archetype->data_lanes; i++) {
        if (archetype->lanes[i].id == id) {
            return i;
        }
    }
    return STOA__NONE;
}

void *stoa_rebuild_column(stoa_rebuild *rebuild, stoa_component id, int32_t first, int32_t *count) {
    if (rebuild == NULL || count == NULL) {
        stoa__world_null(rebuild != NULL ? rebuild->world : NULL,
                         rebuild == NULL ? "rebuild" : "count");
        return NULL;
    }
    uint32_t lane = lane_find(rebuild, id);
    const stoa__archetype *archetype = rebuild->archetype;
    if (lane == STOA__NONE || first < 0 || (uint32_t)first >= stoa__archetype_rows(archetype)) {
        stoa__world_report(rebuild->world,
                           stoa__error(STOA_INVALID, "component %u has no row %d here", id, first));
        return NULL;
    }
    int32_t capacity = archetype->head.chunk_capacity;
    const stoa_chunk *chunk = &archetype->head.chunks[first / capacity];
    const stoa__lane *l = &archetype->lanes[lane];
    *count = chunk->count - first % capacity;
    return chunk->columns[l->index] + (size_t)(first % capacity) * l->size;
}

static stoa_status sparse_add(stoa_rebuild *rebuild, stoa_component id, const stoa_entity *entities,
                              int32_t count) {
    stoa__storage *storage = &rebuild->world->storage;
    stoa__sparse *set =
        stoa__component_known(storage, id) ? stoa__component_at(storage, id)->set : NULL;
    if (set == NULL) {
        return stoa__error(STOA_INVALID, "component %u is not sparse", id);
    }
    if (set->count > 0) {
        return stoa__error(STOA_CORRUPT, "sparse component '%s' is given twice",
                           set->component->name);
    }
    stoa_status status = stoa__rebuild_next(rebuild);
    if (status == STOA_OK) {
        status = entities_check(rebuild, entities, count);
    }
    if (status != STOA_OK) {
        return status;
    }
    uint32_t most = 0;
    for (int32_t i = 0; i < count; i++) {
        most = entities[i].index > most ? entities[i].index : most;
    }
    if (!made_reserve(rebuild, 1) ||
        (count > 0 && !stoa__sparse_reserve(&storage->heap, set, most, (uint32_t)count))) {
        return stoa__error_memory("a sparse component");
    }
    uint32_t tick = rebuild->old ? storage->head.tick - STOA__TICK_AGE : storage->head.tick;
    made_begin(rebuild, rebuild->archetype, set);
    for (int32_t i = 0; i < count; i++) {
        if (stoa__sparse_find(set, entities[i].index) != STOA__NONE) {
            return stoa__error(STOA_CORRUPT, "entity %u.%u has component '%s' twice",
                               entities[i].index, entities[i].generation, set->component->name);
        }
        stoa__sparse_insert(set, entities[i], tick);
    }
    return STOA_OK;
}

void *stoa_rebuild_sparse(stoa_rebuild *rebuild, stoa_component id, const stoa_entity *entities,
                          int32_t count) {
    if (rebuild == NULL || (entities == NULL && count > 0)) {
        stoa__world_null(rebuild != NULL ? rebuild->world : NULL,
                         rebuild == NULL ? "rebuild" : "entities");
        return NULL;
    }
    stoa_status status = count < 0 ? stoa__error(STOA_INVALID, "a count of %d", count)
                                   : sparse_add(rebuild, id, entities, count);
    if (status != STOA_OK) {
        stoa__world_report(rebuild->world, status);
        return NULL;
    }
    /* A tag, and a set that is empty, have no values to point at. */
    return rebuild->set->values != NULL ? (void *)rebuild->set->values : (void *)rebuild->set;
}

/* The set that is open, if it is of that component. */
static stoa__sparse *set_open(const stoa_rebuild *rebuild, stoa_component id) {
    return rebuild->set != NULL && rebuild->set->component->info.id == id ? rebuild->set : NULL;
}

/* Rows or entities of what is open, if it has the component; otherwise the thread's error is set.
 */
static stoa_status open_count(const stoa_rebuild *rebuild, stoa_component id, uint32_t *count) {
    const stoa__sparse *set = set_open(rebuild, id);
    if (set != NULL) {
        *count = set->count;
        return STOA_OK;
    }
    if (rebuild->set == NULL && rebuild->archetype != NULL &&
        stoa__archetype_column(rebuild->archetype, id) != NULL) {
        *count = stoa__archetype_rows(rebuild->archetype);
        return STOA_OK;
    }
    return stoa__error(STOA_INVALID, "component %u is not part of what was added last", id);
}

stoa_status stoa_rebuild_made(stoa_rebuild *rebuild, stoa_component id, int32_t count) {
    if (rebuild == NULL) {
        return stoa__world_null(NULL, "rebuild");
    }
    uint32_t all = 0;
    stoa_status status = open_count(rebuild, id, &all);
    if (status == STOA_OK && (count < 0 || (uint32_t)count > all)) {
        status = stoa__error(STOA_INVALID, "%d of %u values", count, all);
    }
    uint32_t lane = lane_find(rebuild, id);
    if (status == STOA_OK && (lane != STOA__NONE || rebuild->set != NULL)) {
        rebuild->made[rebuild->set != NULL ? 0 : lane] = (uint32_t)count;
    }
    return stoa__world_report(rebuild->world, status);
}

static void column_switch(const stoa__archetype *archetype, const stoa__lane *lane,
                          const uint8_t *off) {
    const stoa_column *column = stoa__archetype_column(archetype, lane->id);
    for (int32_t c = 0; column != NULL && off != NULL && c < archetype->head.chunk_count; c++) {
        const stoa_chunk *chunk = &archetype->head.chunks[c];
        uint8_t *items = chunk->columns[lane->index];
        uint32_t count = 0;
        for (int32_t i = 0; i < chunk->count; i++) {
            items[i] = *off != 0;
            count += *off++ != 0;
        }
        stoa__state_of(chunk->columns, column->index)->off = count;
    }
}

stoa_status stoa_rebuild_switches(stoa_rebuild *rebuild, stoa_component id, const uint8_t *off) {
    uint32_t all = 0;
    if (rebuild == NULL) {
        return stoa__world_null(NULL, "rebuild");
    }
    stoa_status status = open_count(rebuild, id, &all);
    if (status != STOA_OK || (off == NULL && all > 0)) {
        return status != STOA_OK ? stoa__world_report(rebuild->world, status)
                                 : stoa__world_null(rebuild->world, "off");
    }
    stoa__sparse *set = set_open(rebuild, id);
    const stoa__lane *lane =
        set == NULL ? stoa__archetype_lane(rebuild->archetype, id, STOA__LANE_OFF) : NULL;
    if (lane == NULL && (set == NULL || set->off == NULL)) {
        return stoa__world_report(rebuild->world,
                                  stoa__error(STOA_INVALID, "component %u cannot be switched", id));
    }
    if (lane != NULL) {
        column_switch(rebuild->archetype, lane, off);
    }
    for (uint32_t i = 0; set != NULL && i < set->count; i++) {
        if (off[i] != 0) {
            stoa__sparse_switch(set, i, false);
        }
    }
    return STOA_OK;
}

void stoa__rebuild_row_ticks(const stoa__archetype *archetype, stoa_component id,
                             uint8_t *const *columns, int32_t slot, int32_t count,
                             const stoa_column_state *ticks) {
    uint32_t changed = STOA_LOAD(&ticks->changed), added = STOA_LOAD(&ticks->added);
    stoa__state_merge(stoa__state_of(columns, stoa__archetype_column(archetype, id)->index), ticks);
    const stoa__lane *writes = stoa__archetype_lane(archetype, id, STOA__LANE_CHANGED);
    const stoa__lane *births = stoa__archetype_lane(archetype, id, STOA__LANE_ADDED);
    if (writes == NULL || births == NULL) {
        return;
    }
    uint8_t *written = columns[writes->index], *born = columns[births->index];
    for (int32_t i = slot; i < slot + count; i++) {
        memcpy(written + (size_t)i * 4, &changed, 4);
        memcpy(born + (size_t)i * 4, &added, 4);
    }
}

stoa_status stoa_rebuild_ticks(stoa_rebuild *rebuild, stoa_component id, int32_t first,
                               int32_t count, uint32_t changed, uint32_t added) {
    if (rebuild == NULL) {
        return stoa__world_null(NULL, "rebuild");
    }
    uint32_t all = 0;
    stoa_status status = open_count(rebuild, id, &all);
    if (status == STOA_OK &&
        (!rebuild->old || first < 0 || count < 0 || (int64_t)first + count > (int64_t)all)) {
        status =
            stoa__error(STOA_INVALID,
                        rebuild->old ? "rows %d to %d of %u" : "ticks %d %d of %u need the world's",
                        first, first + count, all);
    }
    if (status != STOA_OK) {
        return stoa__world_report(rebuild->world, status);
    }
    stoa__sparse *set = set_open(rebuild, id);
    for (int32_t i = first; set != NULL && i < first + count; i++) {
        STOA_STORE(&set->changed[i], changed);
        set->added[i] = added;
    }
    stoa_column_state ticks = {.off = 0};
    STOA_STORE(&ticks.changed, changed);
    STOA_STORE(&ticks.added, added);
    int32_t capacity = set == NULL ? rebuild->archetype->head.chunk_capacity : 1;
    for (int32_t n; set == NULL && count > 0; first += n, count -= n) {
        const stoa_chunk *chunk = &rebuild->archetype->head.chunks[first / capacity];
        n = chunk->count - first % capacity;
        n = n < count ? n : count;
        stoa__rebuild_row_ticks(rebuild->archetype, id, chunk->columns, first % capacity, n,
                                &ticks);
    }
    return STOA_OK;
}

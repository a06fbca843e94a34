/* The storage as it stands, read only. */
#include "stoa/view.h"

#include "storage/archetype.h"
#include "storage/entities.h"
#include "storage/group.h"
#include "storage/row.h"
#include "storage/sparse.h"
#include "world/guard.h"
#include "world/world.h"

int32_t stoa_archetype_count(const stoa_world *world) {
    return world != NULL ? (int32_t)world->storage.archetype_count : 0;
}

/* The archetype of that id, or NULL with the failure reported. */
static const stoa__archetype *archetype_at(const stoa_world *world, int32_t id) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return NULL;
    }
    if (id < 0 || (uint32_t)id >= world->storage.archetype_count) {
        stoa__world_report(world,
                           stoa__error(STOA_INVALID, "there is no archetype with the id %d", id));
        return NULL;
    }
    return world->storage.archetypes[id];
}

/* The chunk of that number, or NULL with the failure reported. */
static const stoa_chunk *chunk_at(const stoa_world *world, int32_t id, int32_t chunk) {
    const stoa__archetype *archetype = archetype_at(world, id);
    if (archetype == NULL) {
        return NULL;
    }
    if (chunk < 0 || chunk >= archetype->head.chunk_count) {
        stoa__world_report(world,
                           stoa__error(STOA_INVALID, "archetype %d has no chunk %d", id, chunk));
        return NULL;
    }
    return &archetype->head.chunks[chunk];
}

/* Bytes that an archetype holds for its chunks. Those of a group are shared evenly by its chunks,
 * which may be of several archetypes. */
static size_t bytes_reserved(const stoa__archetype *archetype) {
    size_t bytes = 0;
    for (int32_t i = 0; i < archetype->chunk_held; i++) {
        const stoa__group *group = stoa__group_of(archetype->head.chunks[i].columns);
        bytes += group->size / group->count;
    }
    return bytes;
}

stoa_status stoa_archetype_info_get(const stoa_world *world, int32_t archetype,
                                    stoa_archetype_info *info) {
    const stoa__archetype *a = archetype_at(world, archetype);
    if (a == NULL) {
        return stoa_last_error().status;
    }
    if (info == NULL) {
        return stoa__world_null(world, "info");
    }
    uint32_t rows = a->index == 0 ? world->storage.empty_count : stoa__archetype_rows(a);
    *info = (stoa_archetype_info){
        .id = archetype,
        .components = a->ids,
        .component_count = (int32_t)a->id_count,
        .chunk_count = a->head.chunk_count,
        .row_count = (int32_t)rows,
        .chunk_capacity = a->head.chunk_capacity,
        .used = stoa__archetype_used(a),
        .reserved = bytes_reserved(a),
    };
    return STOA_OK;
}

int32_t stoa_archetype_of(const stoa_world *world, stoa_entity e) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return -1;
    }
    const stoa__storage *storage = &world->storage;
    if (stoa__entities_find(storage, e) == NULL) {
        stoa__world_dead(world, e);
        return -1;
    }
    return (int32_t)stoa__row_archetype(storage, stoa__place_of(storage, e.index))->index;
}

stoa_status stoa_chunk_info_get(const stoa_world *world, int32_t archetype, int32_t chunk,
                                stoa_chunk_info *info) {
    const stoa_chunk *c = chunk_at(world, archetype, chunk);
    if (c == NULL) {
        return stoa_last_error().status;
    }
    if (info == NULL) {
        return stoa__world_null(world, "info");
    }
    *info = (stoa_chunk_info){stoa_columns_entities(c->columns), c->count};
    return STOA_OK;
}

/* A column of a chunk, or of a tag unless `data` is asked for; NULL with the failure reported. */
static uint8_t *column_at(const stoa_world *world, int32_t archetype, int32_t chunk,
                          stoa_component id, bool data) {
    const stoa_chunk *c = chunk_at(world, archetype, chunk);
    if (c == NULL) {
        return NULL;
    }
    if (!stoa__component_known(&world->storage, id)) {
        stoa__world_unknown(world, id);
        return NULL;
    }
    const stoa_column *column = stoa__archetype_column(world->storage.archetypes[archetype], id);
    const stoa__component *component = stoa__component_at(&world->storage, id);
    if (column == NULL || (data && component->info.size == 0)) {
        stoa__world_report(world, stoa__error(STOA_MISSING, "archetype %d has no column '%s'",
                                              archetype, component->name));
        return NULL;
    }
    return stoa_column_begin(c->columns, column->index);
}

const void *stoa_chunk_column(const stoa_world *world, int32_t archetype, int32_t chunk,
                              stoa_component id) {
    const uint8_t *column = column_at(world, archetype, chunk, id, true);
    return column != NULL && stoa__guard_allows(world, id, false) ? column : NULL;
}

/* What a chunk keeps beside the values of a component for each row, or NULL. */
static const uint8_t *lane_at(const stoa_world *world, int32_t archetype, int32_t chunk,
                              stoa_component id, stoa__lane_kind kind) {
    const stoa__archetype *a = world->storage.archetypes[archetype];
    const stoa__lane *lane = stoa__archetype_lane(a, id, kind);
    return lane != NULL ? a->head.chunks[chunk].columns[lane->index] : NULL;
}

const uint8_t *stoa_chunk_switches(const stoa_world *world, int32_t archetype, int32_t chunk,
                                   stoa_component id) {
    uint8_t *column = column_at(world, archetype, chunk, id, false);
    if (column == NULL || stoa__column_state(column)->off == 0) {
        return NULL;
    }
    return lane_at(world, archetype, chunk, id, STOA__LANE_OFF);
}

stoa_status stoa_chunk_times_get(const stoa_world *world, int32_t archetype, int32_t chunk,
                                 stoa_component id, stoa_chunk_times *times) {
    uint8_t *column = column_at(world, archetype, chunk, id, false);
    if (column == NULL) {
        return stoa_last_error().status;
    }
    if (times == NULL) {
        return stoa__world_null(world, "times");
    }
    const stoa_column_state *state = stoa__column_state(column);
    const void *changed = lane_at(world, archetype, chunk, id, STOA__LANE_CHANGED);
    const void *added = lane_at(world, archetype, chunk, id, STOA__LANE_ADDED);
    *times = (stoa_chunk_times){.changed = STOA_LOAD(&state->changed),
                                .added = STOA_LOAD(&state->added),
                                .row_changed = changed,
                                .row_added = added};
    return STOA_OK;
}

stoa_status stoa_sparse_info_get(const stoa_world *world, stoa_component id,
                                 stoa_sparse_info *info) {
    if (world == NULL || info == NULL) {
        return stoa__world_null(world, world == NULL ? "world" : "info");
    }
    if (!stoa__component_known(&world->storage, id)) {
        return stoa__world_unknown(world, id);
    }
    const stoa__component *component = stoa__component_at(&world->storage, id);
    if (component->set == NULL) {
        return stoa__world_report(
            world, stoa__error(STOA_INVALID, "component '%s' is not sparse", component->name));
    }
    if (component->info.size != 0 && !stoa__guard_allows(world, id, false)) {
        return STOA_ACCESS;
    }
    *info = (stoa_sparse_info){component->set->entities,       component->set->values,
                               (int32_t)component->set->count, component->set->changed,
                               component->set->added,          component->set->off};
    return STOA_OK;
}

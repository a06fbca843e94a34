/* Putting the content of a world together: components that come when the rows are there.
 *
 * An entity that gets more components moves to the archetype that has those, too, behind its rows;
 * the last row fills the hole. What comes is zeroed, so that going back can drop it like all else,
 * and is then written in place. A row costs what a change of an entity costs. */
#include "storage/edge.h"
#include "storage/entities.h"
#include "world/rebuild.h"

#include <string.h>

/* True if an entity lives; else the thread's error is set. */
static bool entity_lives(const stoa_rebuild *rebuild, stoa_entity e) {
    bool lives = stoa__entities_find(&rebuild->world->storage, e) != NULL;
    if (!lives) {
        stoa__error(STOA_CORRUPT, "entity %u.%u does not live", e.index, e.generation);
    }
    return lives;
}

/* The edge that puts components which the source has not; NULL with the thread's error set. */
static stoa__edge *edge_find(stoa_rebuild *rebuild, stoa__archetype *source,
                             const stoa_component *ids, int32_t count) {
    stoa__storage *storage = &rebuild->world->storage;
    uint32_t hash = 0;
    for (int32_t i = 0; i < count; i++) {
        const char *why = !stoa__component_known(storage, ids[i])            ? "is not known"
                          : stoa__component_at(storage, ids[i])->set != NULL ? "is sparse"
                          : i > 0 && ids[i] <= ids[i - 1]                    ? "is not in order"
                          : stoa__archetype_column(source, ids[i]) != NULL   ? "is there already"
                                                                             : NULL;
        if (why != NULL) {
            stoa__error(STOA_CORRUPT, "component %u %s", ids[i], why);
            return NULL;
        }
        hash = stoa__edge_hash(hash, ids[i]);
    }
    return stoa__edge_get(storage, source, ids, (uint32_t)count, hash);
}

/* Moves an entity along an edge; what the edge puts is zeroed. */
static stoa_status row_move(stoa_rebuild *rebuild, stoa_entity e, stoa__archetype *source,
                            stoa__edge *edge) {
    stoa__storage *storage = &rebuild->world->storage;
    stoa__row to;
    stoa_status status = stoa__row_append(storage, edge->target, &to);
    if (status != STOA_OK) {
        return status;
    }
    stoa__edge_ready(storage, edge);
    uint32_t now = storage->head.tick, from = stoa__place_of(storage, e.index);
    storage->head.tick = rebuild->old ? now - STOA__TICK_AGE : now;
    for (uint32_t i = 0; i < edge->key_count; i++) {
        const stoa__put *put = &edge->puts[i];
        memset(stoa_column_begin(to.columns, put->to) + to.slot * put->size, 0, put->size);
    }
    stoa__edge_mark(storage, edge, to);
    storage->head.tick = now;
    *stoa__row_entity(to) = e;
    stoa__place_set(storage->head.records, e.index, to.place);
    if (from != 0) {
        stoa__edge_move(storage, edge, source, stoa__row_at(storage, from), to);
    }
    return STOA_OK;
}

static stoa_status components_add(stoa_rebuild *rebuild, stoa_entity e, const stoa_component *ids,
                                  int32_t count) {
    const stoa__storage *storage = &rebuild->world->storage;
    stoa_status status = stoa__rebuild_next(rebuild);
    if (status != STOA_OK || !entity_lives(rebuild, e)) {
        return status != STOA_OK ? status : STOA_CORRUPT;
    }
    /* Nothing is open any more: all values that there are count as made. */
    rebuild->archetype = NULL;
    rebuild->set = NULL;
    stoa__archetype *source = stoa__row_archetype(storage, stoa__place_of(storage, e.index));
    stoa__edge *edge = edge_find(rebuild, source, ids, count);
    return edge != NULL ? row_move(rebuild, e, source, edge) : stoa_last_error().status;
}

stoa_status stoa_rebuild_add(stoa_rebuild *rebuild, stoa_entity e, const stoa_component *ids,
                             int32_t count) {
    if (rebuild == NULL || ids == NULL) {
        return stoa__world_null(rebuild != NULL ? rebuild->world : NULL,
                                rebuild == NULL ? "rebuild" : "ids");
    }
    return stoa__world_report(rebuild->world,
                              count > 0 ? components_add(rebuild, e, ids, count)
                                        : stoa__error(STOA_INVALID, "%d components to add", count));
}

/* Where an entity's value of a component is. */
typedef struct value_place {
    const stoa__archetype *archetype;
    const stoa_column *column;
    stoa__row row;
} value_place;

/* Finds a value that can be written now; otherwise reported, and `place` is as it was. */
static stoa_status value_find(const stoa_rebuild *rebuild, stoa_entity e, stoa_component id,
                              value_place *place) {
    if (rebuild == NULL) {
        return stoa__world_null(NULL, "rebuild");
    }
    const stoa__storage *storage = &rebuild->world->storage;
    if (!entity_lives(rebuild, e)) {
        return stoa__world_report(rebuild->world, STOA_CORRUPT);
    }
    uint32_t at = stoa__place_of(storage, e.index);
    const stoa__archetype *archetype = stoa__row_archetype(storage, at);
    const stoa_column *column = at != 0 ? stoa__archetype_column(archetype, id) : NULL;
    if (column == NULL || rebuild->shown) {
        return stoa__world_report(rebuild->world,
                                  stoa__error(STOA_INVALID, "component %u of entity %u.%u %s", id,
                                              e.index, e.generation,
                                              rebuild->shown ? "is shown" : "has no column"));
    }
    *place = (value_place){archetype, column, stoa__row_at(storage, at)};
    return STOA_OK;
}

void *stoa_rebuild_value(stoa_rebuild *rebuild, stoa_entity e, stoa_component id) {
    value_place place = {.column = NULL};
    (void)value_find(rebuild, e, id, &place);
    if (place.column == NULL) {
        return NULL;
    }
    size_t size = stoa__component_at(&rebuild->world->storage, id)->info.size;
    return stoa_column_begin(place.row.columns, place.column->index) + place.row.slot * size;
}

stoa_status stoa_rebuild_value_ticks(stoa_rebuild *rebuild, stoa_entity e, stoa_component id,
                                     uint32_t changed, uint32_t added) {
    value_place place = {.column = NULL};
    stoa_status status = value_find(rebuild, e, id, &place);
    if (status == STOA_OK && !rebuild->old) {
        status =
            stoa__world_report(rebuild->world, stoa__error(STOA_INVALID, "ticks need the world's"));
    }
    if (status == STOA_OK) {
        stoa_column_state ticks = {.off = 0};
        STOA_STORE(&ticks.changed, changed);
        STOA_STORE(&ticks.added, added);
        stoa__rebuild_row_ticks(place.archetype, id, place.row.columns, (int32_t)place.row.slot, 1,
                                &ticks);
    }
    return status;
}

stoa_status stoa_rebuild_value_off(stoa_rebuild *rebuild, stoa_entity e, stoa_component id) {
    value_place place = {.column = NULL};
    stoa_status status = value_find(rebuild, e, id, &place);
    if (place.column == NULL) {
        return status;
    }
    const stoa__lane *lane = stoa__archetype_lane(place.archetype, id, STOA__LANE_OFF);
    if (lane == NULL) {
        return stoa__world_report(rebuild->world,
                                  stoa__error(STOA_INVALID, "component %u cannot be switched", id));
    }
    uint8_t *off = place.row.columns[lane->index] + place.row.slot;
    stoa__state_of(place.row.columns, place.column->index)->off += *off == 0;
    *off = 1;
    return STOA_OK;
}

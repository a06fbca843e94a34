/* Switching components of an entity off and on.
 *
 * Nothing moves: a byte of the row is set, and the chunk counts how many are, so that queries know
 * at once where all are on. It is no structural change, so it may be done while iterating, by one
 * thread. O(1), no
 * memory. */
#include "storage/entities.h"
#include "storage/sparse.h"
#include "world/values.h"

/* Where it is kept whether a component of an entity is off. */
typedef struct spot {
    uint8_t *off;    /* 1 if it is; NULL if the entity does not have it */
    uint32_t *count; /* how many are, of the chunk or the set */
    uint8_t *column; /* of a component that is not sparse */
    uint32_t row;    /* in the chunk, or the position in the set */
} spot;

static spot spot_find(const stoa__storage *storage, uint32_t place, uint32_t index,
                      const stoa__component *component) {
    stoa__sparse *set = component->set;
    if (set != NULL) {
        uint32_t position = stoa__sparse_find(set, index);
        if (position == STOA__NONE) {
            return (spot){.off = NULL};
        }
        return (spot){&set->off[position], &set->off_count, NULL, position};
    }
    const stoa__archetype *archetype = stoa__row_archetype(storage, place);
    const stoa_column *column = stoa__archetype_column(archetype, component->info.id);
    if (column == NULL) {
        return (spot){.off = NULL};
    }
    const stoa__lane *lane = stoa__archetype_lane(archetype, component->info.id, STOA__LANE_OFF);
    stoa__row row = stoa__row_at(storage, place);
    uint8_t *start = stoa_column_begin(row.columns, column->index);
    return (spot){row.columns[lane->index] + row.slot, &stoa__column_state(start)->off, start,
                  (uint32_t)row.slot};
}

/* Switches a component. One that is switched on counts as written: filters did not see what was
 * written to it meanwhile. */
static void spot_switch(const stoa__storage *storage, const stoa__component *component, spot at,
                        bool on) {
    *at.count += (uint32_t)!on - *at.off;
    *at.off = !on;
    if (on && component->set != NULL) {
        STOA_STORE(&component->set->changed[at.row], storage->head.tick);
    } else if (on) {
        stoa__column_written(storage, at.column, at.row);
    }
}

/* Switches a component, told to observers: for them it comes or goes. */
static stoa_status switch_told(stoa_world *world, stoa_entity e, const stoa__component *component,
                               bool on) {
    const stoa__storage *storage = &world->storage;
    const stoa_component id = component->info.id;
    stoa__delta delta = {.added = &id, .removed = &id};
    delta.added_count = on;
    delta.removed_count = !on;
    stoa_status status = stoa__hook_room(world);
    if (status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    stoa__hook_lock(world, e);
    world->query_ops->leave(world, e, &delta);
    /* Observers may have moved the row. */
    uint32_t place = stoa__place_of(storage, e.index);
    spot at = spot_find(storage, place, e.index, component);
    if (at.off != NULL) {
        spot_switch(storage, component, at, on);
    }
    world->query_ops->enter(world, e, &delta);
    stoa__hook_unlock(world);
    return STOA_OK;
}

/* Switches a component of any kind. */
STOA__APART static stoa_status component_switch(stoa_world *world, stoa_entity e, stoa_component id,
                                                bool on) {
    const stoa__storage *storage = &world->storage;
    const stoa__component *component = stoa__component_at(storage, id);
    const stoa_record *record = stoa__entities_find(storage, e);
    if (!STOA_LIKELY(record != NULL)) {
        return stoa__world_dead(world, e);
    }
    if (!STOA_LIKELY((component->info.flags & STOA_SWITCHABLE) != 0)) {
        return stoa__world_report(
            world,
            stoa__error(STOA_INVALID, "component '%s' cannot be switched off", component->name));
    }
    if (!STOA_LIKELY((storage->head.open & (STOA__OPEN_FORK | STOA__OPEN_SEAL)) == 0)) {
        if ((storage->head.open & STOA__OPEN_SEAL) != 0) {
            return stoa__world_read_only(world);
        }
        return stoa__world_report(
            world, stoa__error(STOA_FORKED, "components cannot be switched while command buffers "
                                            "are filled by threads; see stoa_commands_enable"));
    }
    spot at = spot_find(storage, stoa__place_of(storage, e.index), e.index, component);
    if (!STOA_LIKELY(at.off != NULL)) {
        return stoa__world_missing(world, e, component->name);
    }
    if (!STOA_LIKELY(world->hooks.depth == 0)) {
        stoa_status status = stoa__hook_locked(world, e);
        if (status != STOA_OK) {
            return status;
        }
    }
    if (*at.off != (uint8_t)on) {
        return STOA_OK;
    }
    if (!STOA_LIKELY(world->observers == NULL)) {
        return switch_told(world, e, component, on);
    }
    spot_switch(storage, component, at, on);
    return STOA_OK;
}

stoa_status stoa_enable_id(stoa_world *world, stoa_entity e, stoa_component id, bool on) {
    stoa_status status = stoa__world_knows(world, id);
    return STOA_LIKELY(status == STOA_OK) ? component_switch(world, e, id, on) : status;
}

/* Remembers where a component is switched in the archetype of an entity, if it can be there. */
static void switch_remember(const stoa_world *world, stoa_entity e, stoa__type_hop *hop) {
    const stoa_record *record = hop != NULL ? stoa__entities_find(&world->storage, e) : NULL;
    if (record == NULL) {
        return;
    }
    const stoa__archetype *archetype =
        stoa__row_archetype(&world->storage, stoa__place_of(&world->storage, e.index));
    const stoa_column *column = stoa__archetype_column(archetype, hop->id);
    const stoa__lane *lane = stoa__archetype_lane(archetype, hop->id, STOA__LANE_OFF);
    if (column != NULL && lane != NULL) {
        hop->switched = &archetype->head;
        hop->version = archetype->version;
        hop->off_at = lane->index;
        hop->column_at = column->index;
    }
}

/* stoa_enable_type for what is sparse, told, not there, or not remembered. */
STOA__APART static stoa_status type_switch_any(stoa_world *world, stoa_entity e, stoa_type *type,
                                               bool on) {
    stoa_component id = stoa__value_type(world, e, type);
    if (id == 0) {
        return stoa_last_error().status;
    }
    switch_remember(world, e, stoa__type_remember(world, type, id));
    return component_switch(world, e, id, on);
}

stoa_status stoa_enable_type(stoa_world *world, stoa_entity e, stoa_type *type, bool on) {
    const stoa__type_hop *hop = stoa__type_hop_find(world, type);
    const stoa_record *record =
        STOA_LIKELY(hop != NULL) ? stoa__entities_find(&world->storage, e) : NULL;
    if (!STOA_LIKELY(record != NULL && world->hooks.depth == 0 && world->observers == NULL &&
                     (world->storage.head.open & (STOA__OPEN_FORK | STOA__OPEN_SEAL)) == 0)) {
        return type_switch_any(world, e, type, on);
    }
    uint32_t place = stoa__place_of(&world->storage, e.index);
    const stoa_chunk_ref *chunk = &world->storage.head.chunks[place >> STOA_PLACE_BITS];
    if (!STOA_LIKELY(chunk->archetype == hop->switched &&
                     stoa_archetype_seen(chunk->archetype)->version == hop->version)) {
        return type_switch_any(world, e, type, on);
    }
    size_t row = place & (STOA__ROWS_MAX - 1);
    uint8_t *column = stoa_column_begin(chunk->columns, hop->column_at);
    uint8_t *off = chunk->columns[hop->off_at] + row;
    if (*off == (uint8_t)on) {
        ((stoa_column_state *)(void *)column)[-1].off += on ? UINT32_MAX : 1;
        if (on) {
            stoa__column_written(&world->storage, column, row);
        }
        *off = !on;
    }
    return STOA_OK;
}

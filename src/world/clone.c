/* Cloning entities.
 *
 * Everything is copied to where it will be before anything counts: the row at the end of its
 * archetype, sparse values behind the last of their sets. A copy hook that fails undoes that. */
#include "storage/entities.h"
#include "storage/sparse.h"
#include "world/react.h"

static stoa_status copy_failed(const stoa__component *component) {
    return stoa__error(STOA_NO_MEMORY, "the copy hook of component '%s' failed", component->name);
}

/* Copies one value into raw memory; false leaves nothing there. */
static bool value_copy(const stoa__component *component, void *to, const void *from) {
    const stoa_hooks *hooks = &component->info.hooks;
    if (hooks->copy != NULL) {
        return hooks->copy(to, from, 1, hooks->user);
    }
    memcpy(to, from, component->info.size);
    return true;
}

/* Copies the components of one row into a raw one; on failure none is left there. */
static stoa_status row_copy(const stoa__archetype *archetype, stoa__row to, stoa__row from) {
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        uint8_t *copy = stoa__row_item(to, lane->index, lane->size);
        const uint8_t *item = stoa__row_item(from, lane->index, lane->size);
        if (!value_copy(lane->component, copy, item)) {
            stoa_status status = copy_failed(lane->component);
            while (i-- > 0) {
                lane = &archetype->lanes[i];
                stoa__component_drop(lane->component, stoa__row_item(to, lane->index, lane->size),
                                     1);
            }
            return status;
        }
    }
    return STOA_OK;
}

/* The copy is new: its columns are marked, and what is off in it counts. */
static void row_copied(const stoa__storage *storage, const stoa__archetype *archetype,
                       stoa__row row) {
    uint32_t tick = storage->head.tick;
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++) {
        stoa__state_mark(stoa__state_number(archetype, row.columns, i), tick, true);
    }
    for (uint32_t i = archetype->data_lanes; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        if (lane->kind != STOA__LANE_OFF) {
            memcpy(stoa__row_item(row, lane->index, lane->size), &tick, sizeof tick);
        }
    }
    stoa__row_off_count(archetype, row.columns, row.slot, false);
}

/* Copies the row of an entity into a raw one at the end of its archetype, which is taken back on
 * failure. Entities without columns have none. */
static stoa_status clone_row(stoa__storage *storage, uint32_t place, stoa__row *row) {
    stoa__archetype *archetype = stoa__row_archetype(storage, place);
    if (archetype->index == 0) {
        *row = (stoa__row){.place = 0};
        return STOA_OK;
    }
    stoa_status status = stoa__row_append(storage, archetype, row);
    if (status == STOA_OK) {
        status = row_copy(archetype, *row, stoa__row_at(storage, place));
        if (status != STOA_OK) {
            stoa__row_pop(storage, archetype);
        }
    }
    return status;
}

/* The first sparse component from `c` on that the entity has and a clone gets, or NULL. */
static const stoa__component *sparse_from(const stoa__component *c, uint32_t index) {
    while (c != NULL && ((c->info.flags & STOA_MANAGED) != 0 ||
                         stoa__sparse_find(c->set, index) == STOA__NONE)) {
        c = c->sparse_next;
    }
    return c;
}

/* Room for the sparse components of a clone. */
static stoa_status sparse_reserve(stoa__storage *storage, uint32_t index) {
    for (const stoa__component *c = sparse_from(storage->sparse_first, index); c != NULL;
         c = sparse_from(c->sparse_next, index)) {
        if (!stoa__sparse_reserve(&storage->heap, c->set, stoa__entities_next(storage), 1)) {
            return stoa__error_memory("a sparse component");
        }
    }
    return STOA_OK;
}

/* Drops the values that were copied to the ends of sets, before `end`. */
static void sparse_undo(const stoa__storage *storage, uint32_t index, const stoa__component *end) {
    for (const stoa__component *c = sparse_from(storage->sparse_first, index); c != NULL;
         c = sparse_from(c->sparse_next, index)) {
        if (c == end) {
            return;
        }
        if (c->info.size != 0) {
            stoa__component_drop(c, stoa__sparse_value(c->set, c->set->count), 1);
        }
    }
}

/* Copies sparse values to where the next of each set goes; on failure none is left there. */
static stoa_status sparse_copy(const stoa__storage *storage, uint32_t index) {
    for (const stoa__component *c = sparse_from(storage->sparse_first, index); c != NULL;
         c = sparse_from(c->sparse_next, index)) {
        stoa__sparse *set = c->set;
        if (c->info.size != 0 &&
            !value_copy(c, stoa__sparse_value(set, set->count),
                        stoa__sparse_value(set, stoa__sparse_find(set, index)))) {
            sparse_undo(storage, index, c);
            return copy_failed(c);
        }
    }
    return STOA_OK;
}

/* The sparse values that were copied are the clone's. */
static void sparse_settle(const stoa__storage *storage, uint32_t index, stoa_entity clone) {
    for (const stoa__component *c = sparse_from(storage->sparse_first, index); c != NULL;
         c = sparse_from(c->sparse_next, index)) {
        stoa__sparse *set = c->set;
        bool off = set->off != NULL && set->off[stoa__sparse_find(set, index)] != 0;
        uint32_t position = stoa__sparse_insert(set, clone, storage->head.tick);
        if (off) {
            stoa__sparse_switch(set, position, false);
        }
    }
}

/* STOA_NOT_COPYABLE if one of the entity's components is. */
static stoa_status copyable_check(const stoa_world *world, stoa_entity e) {
    const stoa__storage *storage = &world->storage;
    for (uint32_t i = 0; i < storage->registry.count; i++) {
        const stoa__component *component = storage->registry.items[i];
        if (!component->info.copyable && (component->info.flags & STOA_MANAGED) == 0 &&
            stoa__world_value(world, e, i + 1) != NULL) {
            return stoa__error(STOA_NOT_COPYABLE, "component '%s' cannot be copied",
                               component->name);
        }
    }
    return STOA_OK;
}

static stoa_status clone_make(stoa_world *world, stoa_entity e, stoa_entity *result) {
    stoa__storage *storage = &world->storage;
    stoa__row row;
    stoa_status status = stoa__entities_reserve(storage, 1);
    if (status == STOA_OK) {
        status = sparse_reserve(storage, e.index);
    }
    if (status == STOA_OK) {
        status = clone_row(storage, stoa__place_of(storage, e.index), &row);
    }
    if (status != STOA_OK) {
        return status;
    }
    stoa__archetype *archetype = stoa__row_archetype(storage, row.place);
    status = sparse_copy(storage, e.index);
    if (status != STOA_OK) {
        if (row.place != 0) {
            stoa__row_drop(storage, archetype, row.place);
            stoa__row_pop(storage, archetype);
        }
        return status;
    }
    *result = stoa__entities_take(storage, row.place);
    if (row.place != 0) {
        row_copied(storage, archetype, row);
        *stoa__row_entity(row) = *result;
    } else {
        storage->empty_count++;
    }
    sparse_settle(storage, e.index, *result);
    return STOA_OK;
}

stoa_entity stoa_clone(stoa_world *world, stoa_entity e) {
    if (stoa__world_may_change(world) != STOA_OK) {
        return STOA_NULL;
    }
    if (stoa__entities_find(&world->storage, e) == NULL) {
        stoa__world_dead(world, e);
        return STOA_NULL;
    }
    stoa_entity result = STOA_NULL;
    bool told = stoa__react_watched(world, e);
    stoa_status status = copyable_check(world, e);
    if (status == STOA_OK && told) {
        status = stoa__hook_room(world);
    }
    if (status == STOA_OK && told) {
        status = stoa__react_ask_clone(world, e);
    }
    if (status == STOA_OK) {
        status = clone_make(world, e, &result);
    }
    if (status == STOA_OK && told) {
        stoa__react_cloned(world, result);
    }
    if (status != STOA_OK) {
        stoa__extension_unmade(world, status);
    }
    return result;
}

/* Managed components past hooks: how an extension takes back what it saved.
 *
 * A set is emptied, or filled from nothing, in one go. O(entities that have it). */
#include "storage/entities.h"
#include "storage/sparse.h"
#include "world/world.h"

#include <string.h>

/* The set of a managed component, or NULL. */
static stoa__sparse *set_of(const stoa_world *world, stoa_component id) {
    if (world == NULL || !stoa__component_known(&world->storage, id)) {
        return NULL;
    }
    const stoa__component *component = stoa__component_at(&world->storage, id);
    return (component->info.flags & STOA_MANAGED) != 0 ? component->set : NULL;
}

static void set_empty(stoa__sparse *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        *stoa__sparse_entry(set, set->entities[i].index) = 0;
    }
    set->count = 0;
    set->off_count = 0;
}

void stoa_managed_clear(stoa_world *world, stoa_component id) {
    stoa__sparse *set = set_of(world, id);
    if (set != NULL) {
        if (set->size != 0 && set->count > 0) {
            stoa__component_drop(set->component, set->values, (int32_t)set->count);
        }
        set_empty(set);
    }
}

/* Inserts the entities; the room is there. */
static stoa_status set_insert(const stoa_world *world, stoa__sparse *set,
                              const stoa_entity *entities, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (stoa__entities_find(&world->storage, entities[i]) == NULL ||
            stoa__sparse_find(set, entities[i].index) != STOA__NONE) {
            set_empty(set);
            return stoa__error(STOA_CORRUPT, "entity %u.%u cannot be given component '%s'",
                               entities[i].index, entities[i].generation, set->component->name);
        }
        stoa__sparse_insert(set, entities[i], world->storage.head.tick);
    }
    return STOA_OK;
}

stoa_status stoa_managed_fill(stoa_world *world, stoa_component id, const stoa_entity *entities,
                              const void *values, int32_t count) {
    stoa__sparse *set = set_of(world, id);
    if (set == NULL || set->count > 0 || count < 0) {
        return stoa__world_report(
            world, world == NULL
                       ? stoa__error(STOA_NULL_ARGUMENT, "the world must not be null")
                       : stoa__error(STOA_INVALID,
                                     "component %u is not a managed one that nobody has", id));
    }
    if (count == 0) {
        return STOA_OK;
    }
    if (entities == NULL || (values == NULL && set->size != 0)) {
        return stoa__world_null(world, entities == NULL ? "entities" : "values");
    }
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    uint32_t most = 0;
    for (int32_t i = 0; i < count; i++) {
        bool there = entities[i].index < world->storage.head.record_count;
        most = there && entities[i].index > most ? entities[i].index : most;
    }
    if (!stoa__sparse_reserve(&world->storage.heap, set, most, (uint32_t)count)) {
        return stoa__world_report(world, stoa__error_memory("a sparse component"));
    }
    status = set_insert(world, set, entities, count);
    if (status == STOA_OK && values != NULL && set->size != 0) {
        memcpy(set->values, values, (size_t)count * set->size);
    }
    return stoa__world_report(world, status);
}

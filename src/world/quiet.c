/* Changes by a module that knows of them already: its own hooks and vetoes are passed over.
 *
 * A module that destroys many entities, or writes a component that it keeps, does itself what its
 * hooks would do. Where nobody else would be told, what is left is what a plain change takes. One
 * thread at a time. */
#include "storage/entities.h"
#include "storage/sparse.h"
#include "world/hook.h"
#include "world/world.h"

#include <string.h>

/* True if a hook or veto of the component's removal has another user. */
static bool ring_others(const stoa__hook *last, const void *user) {
    for (const stoa__hook *hook = last; hook != NULL;
         hook = hook->ring == last ? NULL : hook->ring) {
        if (hook->user != user) {
            return true;
        }
    }
    return false;
}

static bool removal_others(const stoa__component *component, const void *user) {
    return (component->hooked & STOA__HOOKED_REMOVE) != 0 &&
           (ring_others(component->hooks[STOA_ON_REMOVE], user) ||
            ring_others(component->hooks[STOA__HOOK_VETO + STOA_VETO_REMOVE], user));
}

/* The same of a value that it is given. */
static bool setting_others(const stoa__component *component, const void *user) {
    return ring_others(component->hooks[STOA_ON_ADD], user) ||
           ring_others(component->hooks[STOA_ON_SET], user) ||
           ring_others(component->hooks[STOA__HOOK_VETO + STOA_VETO_SET], user);
}

/* True if somebody but the user would be told that an entity dies, or asked. */
static bool others_told(const stoa_world *world, stoa_entity e, const stoa__archetype *archetype,
                        const void *user) {
    const stoa__storage *storage = &world->storage;
    if (storage->watch_all || world->events.target_count > 0) {
        return true;
    }
    for (uint32_t i = 0; archetype->watched && i < archetype->id_count; i++) {
        if (removal_others(stoa__component_at(storage, archetype->ids[i]), user)) {
            return true;
        }
    }
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        if (stoa__sparse_find(c->set, e.index) != STOA__NONE && removal_others(c, user)) {
            return true;
        }
    }
    return false;
}

bool stoa_destroy_quietly(stoa_world *world, stoa_entity e, const void *user) {
    if (world == NULL || (world->storage.head.open & ~STOA__OPEN_HOOK) != 0) {
        return false;
    }
    stoa__storage *storage = &world->storage;
    const stoa_record *record = stoa__entities_find(storage, e);
    if (record == NULL || stoa_lock_of(world, e) != STOA_UNLOCKED) {
        return false;
    }
    uint32_t place = record->place;
    if (others_told(world, e, stoa__row_archetype(storage, place), user)) {
        return false;
    }
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        stoa__sparse_remove(c->set, e.index);
    }
    stoa__row_remove(storage, place);
    stoa__entities_release(storage, e.index);
    return true;
}

bool stoa_set_quietly(stoa_world *world, stoa_entity e, stoa_component id, const void *value,
                      size_t size, const void *user) {
    if (world == NULL || value == NULL || (world->storage.head.open & ~STOA__OPEN_HOOK) != 0 ||
        !stoa__component_known(&world->storage, id)) {
        return false;
    }
    stoa__storage *storage = &world->storage;
    const stoa__component *component = stoa__component_at(storage, id);
    stoa__sparse *set = component->set;
    if ((component->info.flags & STOA_MANAGED) == 0 || !set->quick || set->size != size ||
        storage->watch_all || setting_others(component, user) ||
        stoa__entities_find(storage, e) == NULL || stoa_lock_of(world, e) == STOA_LOCK_LOSING) {
        return false;
    }
    uint32_t position = stoa__sparse_find(set, e.index);
    if (position == STOA__NONE) {
        if (!stoa__sparse_reserve(&storage->heap, set, e.index, 1)) {
            return false;
        }
        position = stoa__sparse_insert(set, e, storage->head.tick);
    }
    memcpy(stoa__sparse_value(set, position), value, size);
    STOA_STORE(&set->changed[position], storage->head.tick);
    return true;
}

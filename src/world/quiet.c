/* Changes by a module that knows of them already: its own hooks and vetoes are passed over.
 *
 * A module that destroys many entities, or writes a component that it keeps, does itself what its
 * hooks would do. Where nobody else would be told, what is left is what a plain change takes. One
 * thread at a time. */
#include "storage/ends.h"
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

/* True if somebody but the user would be told that rows of an archetype go, or asked. */
static bool rows_others(const stoa__storage *storage, const stoa__archetype *archetype,
                        const void *user) {
    for (uint32_t i = 0; archetype->watched && i < archetype->id_count; i++) {
        if (removal_others(stoa__component_at(storage, archetype->ids[i]), user)) {
            return true;
        }
    }
    return false;
}

/* How many entities come before the first whose hooks are running. */
static uint32_t unlocked_count(const stoa_world *world, const stoa_entity *entities,
                               uint32_t count) {
    for (uint32_t k = 0; k < world->hooks.depth; k++) {
        stoa_entity locked = world->hooks.locked[k];
        uint32_t met = 0;
        /* It is met so rarely that looking at all of them, several at once, is quicker. */
        for (uint32_t i = 0; i < count; i++) {
            met |= entities[i].index == locked.index;
        }
        for (uint32_t i = 0; met != 0 && i < count; i++) {
            count = stoa_entity_eq(entities[i], locked) ? i : count;
        }
    }
    return count;
}

/* How many come before the first with a sparse component of whose removal others are told. */
static uint32_t sparse_count(const stoa__storage *storage, const stoa_entity *entities,
                             uint32_t count, const void *user) {
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        if (!STOA_LIKELY(!removal_others(c, user))) {
            uint32_t i = 0;
            while (i < count && stoa__sparse_find(c->set, entities[i].index) == STOA__NONE) {
                i++;
            }
            count = i;
        }
    }
    return count;
}

/* Entities that are taken out of a sparse set together. */
#define LEAVING_MAX 64

/* Where the dead are noted who are in a set, up to LEAVING_MAX of them. What there is of these is
 * asked for, since it may be anywhere. */
static uint32_t set_entries(const stoa__sparse *set, const stoa_entity *entities, uint32_t count,
                            uint32_t **entries) {
    uint32_t *const *pages = set->pages;
    const stoa_entity *owners = set->entities;
    const uint32_t *added = set->added;
    const stoa_atomic *changed = set->changed;
    const uint8_t *values = set->size != 0 ? set->values : (const uint8_t *)owners;
    size_t size = set->size;
    uint32_t page_count = set->page_count, found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = entities[i].index, page = index >> STOA__PAGE_BITS;
        uint32_t *noted = STOA_LIKELY(page < page_count) ? pages[page] : NULL;
        if (noted == NULL) {
            continue;
        }
        noted += index & (STOA__PAGE_SIZE - 1);
        size_t number = *noted;
        if (number != 0) {
            entries[found++] = noted;
            STOA_PREFETCH(owners + number - 1);
            STOA_PREFETCH(added + number - 1);
            STOA_PREFETCH(changed + number - 1);
            STOA_PREFETCH(values + (number - 1) * size);
        }
    }
    return found;
}

/* Takes the dead out of one set. */
static void set_leave(stoa__sparse *set, const stoa_entity *entities, uint32_t count,
                      stoa_owners *owners) {
    uint32_t *entries[LEAVING_MAX];
    for (uint32_t at = 0; at < count && set->count > 0; at += LEAVING_MAX) {
        uint32_t n = count - at < LEAVING_MAX ? count - at : LEAVING_MAX;
        n = set_entries(set, entities + at, n, entries);
        for (uint32_t i = 0; owners != NULL && i < n; i++) {
            owners->items[owners->count++] = set->entities[*entries[i] - 1];
        }
        stoa__sparse_remove_many(set, entries, n);
    }
}

/* Takes the dead out of all sparse sets. */
static void sparse_leave(const stoa__storage *storage, const stoa_entity *entities, uint32_t count,
                         stoa_owners *owners) {
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        bool asked = owners != NULL && owners->component == c->info.id;
        if (!asked || owners->items != NULL) {
            set_leave(c->set, entities, count, asked ? owners : NULL);
        }
    }
}

int32_t stoa_destroy_quietly_many(stoa_world *world, const stoa_entity *entities, int32_t count,
                                  const void *user, stoa_owners *owners) {
    if (owners != NULL) {
        owners->count = 0;
    }
    if (world == NULL || entities == NULL || count <= 0 ||
        (world->storage.head.open & ~STOA__OPEN_HOOK) != 0 || world->storage.watch_all ||
        world->events.target_count > 0) {
        return 0;
    }
    stoa__storage *storage = &world->storage;
    uint32_t most = unlocked_count(world, entities, (uint32_t)count), done = 0;
    most = sparse_count(storage, entities, most, user);
    while (done < most) {
        if (stoa__entities_find(storage, entities[done]) == NULL) {
            break;
        }
        stoa__archetype *archetype =
            stoa__row_archetype(storage, stoa__place_of(storage, entities[done].index));
        if (rows_others(storage, archetype, user)) {
            break;
        }
        stoa__handles handles = stoa__handles_of(&entities[done], most - done);
        stoa__handles_ask(storage->head.records, handles);
        done += stoa__ends_run(storage, archetype, handles);
    }
    sparse_leave(storage, entities, done, owners);
    return (int32_t)done;
}

bool stoa_destroy_quietly(stoa_world *world, stoa_entity e, const void *user) {
    return stoa_destroy_quietly_many(world, &e, 1, user, NULL) == 1;
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

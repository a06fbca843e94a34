/* Changing what an entity has of sparse components: putting, removing, as parts of a change.
 *
 * No row moves. A plain component that nobody watches takes the short way: it is found, or put at
 * the end of its set, with nothing else asked. O(1). One thread at a time. */
#include "world/change.h"

#include "storage/entities.h"
#include "world/guard.h"

stoa_status stoa__change_sparse_reserve(stoa_world *world, stoa_entity e,
                                        const stoa__values *change) {
    for (uint32_t i = change->count; i < stoa__values_total(change); i++) {
        if ((change->key[i] & STOA__KEY_DROP) != 0) {
            continue;
        }
        stoa__sparse *set = stoa__component_at(&world->storage, change->key[i])->set;
        if (stoa__sparse_find(set, e.index) == STOA__NONE &&
            !stoa__sparse_reserve(&world->storage.heap, set, e.index, 1)) {
            return stoa__error_memory("a sparse component");
        }
    }
    return STOA_OK;
}

/* Puts a sparse component, for which there is room. */
static void sparse_put(const stoa__storage *storage, stoa__sparse *set, stoa_entity e,
                       const void *data) {
    uint32_t position = stoa__sparse_find(set, e.index);
    if (position == STOA__NONE) {
        position = stoa__sparse_insert(set, e, storage->head.tick);
        if (set->component->info.size != 0) {
            stoa__value_write(set->component, stoa__sparse_value(set, position), data,
                              set->component->info.size);
        }
        return;
    }
    stoa__change_overwrite(set->component, stoa__sparse_value(set, position), data);
    STOA_STORE(&set->changed[position], storage->head.tick);
}

void stoa__change_sparse_apply(stoa_world *world, stoa_entity e, const stoa__values *change,
                               const stoa_value *values) {
    for (uint32_t i = change->count; i < stoa__values_total(change); i++) {
        stoa__sparse *set =
            stoa__component_at(&world->storage, change->key[i] & ~STOA__KEY_DROP)->set;
        if ((change->key[i] & STOA__KEY_DROP) != 0) {
            stoa__sparse_remove(set, e.index);
        } else {
            sparse_put(&world->storage, set, e, values[change->source[i]].data);
        }
    }
}

/* True if a sparse component can be put or removed without telling anybody. */
STOA__INLINE bool sparse_quiet(const stoa_world *world, const stoa__component *component) {
    return component->hooked == 0 && !world->storage.watch_all && world->storage.head.open == 0;
}

STOA__APART stoa_status stoa__change_sparse_put_any(stoa_world *world, stoa_entity e,
                                                    stoa__sparse *set, const void *data) {
    stoa__storage *storage = &world->storage;
    if (stoa__entities_find(storage, e) == NULL) {
        return stoa__world_dead(world, e);
    }
    bool there = stoa__sparse_find(set, e.index) != STOA__NONE;
    if (there && data == NULL) {
        return STOA_OK;
    }
    if (there && !stoa__guard_allows(world, set->component->info.id, true)) {
        return STOA_ACCESS;
    }
    if (!STOA_LIKELY(sparse_quiet(world, set->component))) {
        return stoa__change_one(world, e, set->component->info.id, data);
    }
    if (!there && !STOA_LIKELY(stoa__sparse_reserve(&storage->heap, set, e.index, 1))) {
        return stoa__world_report(world, stoa__error_memory("a sparse component"));
    }
    sparse_put(storage, set, e, data);
    return STOA_OK;
}

STOA__APART stoa_status stoa__change_sparse_take_any(stoa_world *world, stoa_entity e,
                                                     stoa__sparse *set) {
    if (stoa__entities_find(&world->storage, e) == NULL) {
        return stoa__world_dead(world, e);
    }
    if (!STOA_LIKELY(sparse_quiet(world, set->component))) {
        return stoa__sparse_find(set, e.index) == STOA__NONE
                   ? STOA_OK
                   : stoa__change_one(world, e, set->component->info.id | STOA__KEY_DROP, NULL);
    }
    stoa__sparse_remove(set, e.index);
    return STOA_OK;
}

/* Copies the value of a sparse component that is not three words. */
STOA__APART static stoa_status sparse_write(uint8_t *to, const void *data, size_t size) {
    stoa__value_copy(to, data, size);
    return STOA_OK;
}

/* The entry of an entity's position, if the set can change with nobody to tell; else NULL. */
STOA__INLINE uint32_t *sparse_swift(const stoa_world *world, stoa_entity e,
                                    const stoa__sparse *set) {
    const stoa__storage *storage = &world->storage;
    return STOA_LIKELY(set->swift && storage->head.open == 0 &&
                       stoa__entities_find(storage, e) != NULL)
               ? stoa__sparse_entry_find(set, e.index)
               : NULL;
}

stoa_status stoa__change_sparse_add(stoa_world *world, stoa_entity e, stoa__sparse *set) {
    uint32_t *entry = sparse_swift(world, e, set);
    if (!STOA_LIKELY(entry != NULL && *entry == 0 && set->count < set->room)) {
        return stoa__change_sparse_put_any(world, e, set, NULL);
    }
    size_t size = set->size;
    size_t position = stoa__sparse_insert_at(set, entry, e, world->storage.head.tick);
    memset(set->values + position * size, 0, size);
    return STOA_OK;
}

stoa_status stoa__change_sparse_set(stoa_world *world, stoa_entity e, stoa__sparse *set,
                                    const void *data) {
    uint32_t *entry = sparse_swift(world, e, set);
    if (!STOA_LIKELY(entry != NULL && *entry == 0 && set->count < set->room)) {
        return stoa__change_sparse_put_any(world, e, set, data);
    }
    size_t size = set->size;
    size_t position = stoa__sparse_insert_at(set, entry, e, world->storage.head.tick);
    uint8_t *to = set->values + position * size;
    if (!STOA_LIKELY(size == 12)) {
        return sparse_write(to, data, size);
    }
    stoa__value_words(to, data, 12);
    return STOA_OK;
}

stoa_status stoa__change_sparse_take(stoa_world *world, stoa_entity e, stoa__sparse *set) {
    uint32_t *entry = sparse_swift(world, e, set);
    if (!STOA_LIKELY(entry != NULL && *entry != 0)) {
        return stoa__change_sparse_take_any(world, e, set);
    }
    stoa__sparse_erase_quick(set, entry);
    return STOA_OK;
}

/* Extensions: what modules keep for a world.
 *
 * A world has few of them, in a list; finding one compares pointers of names before their letters.
 * They are never taken away, so what they keep stays until the world is freed. Giving a world one
 * needs memory, nothing else does. One thread at a time; finding may be done by many. */
#include "stoa/extension.h"

#include "storage/entities.h"
#include "storage/sparse.h"
#include "world/world.h"

#include <string.h>

/* The half of extension_search for a text that is not the very one. */
STOA__APART static const stoa_extension *extension_compare(const stoa_world *world,
                                                           const char *name) {
    for (uint32_t i = 0; i < world->extension_count; i++) {
        if (strcmp(world->extensions[i].name, name) == 0) {
            return &world->extensions[i];
        }
    }
    return NULL;
}

static const stoa_extension *extension_search(const stoa_world *world, const char *name) {
    for (uint32_t i = 0; i < world->extension_count; i++) {
        if (world->extensions[i].name == name) {
            return &world->extensions[i];
        }
    }
    return extension_compare(world, name);
}

stoa_status stoa_extend(stoa_world *world, const stoa_extension *extension) {
    if (world == NULL || extension == NULL || extension->name == NULL || extension->free == NULL) {
        return stoa__world_null(world, world == NULL             ? "world"
                                       : extension == NULL       ? "extension"
                                       : extension->name == NULL ? "name of the extension"
                                                                 : "free of the extension");
    }
    stoa_status status = stoa__hook_may_alter(world);
    if (status != STOA_OK) {
        return status;
    }
    if (extension_search(world, extension->name) != NULL) {
        return stoa__world_report(
            world, stoa__error(STOA_TAKEN, "the world has an extension '%s'", extension->name));
    }
    if (!stoa__heap_grow(&world->storage.heap, &world->extensions, &world->extension_capacity,
                         world->extension_count + 1, sizeof *world->extensions)) {
        return stoa__world_report(world, stoa__error_memory("an extension"));
    }
    world->extensions[world->extension_count++] = *extension;
    return STOA_OK;
}

void *stoa_extension_find(const stoa_world *world, const char *name) {
    const stoa_extension *found =
        world != NULL && name != NULL ? extension_search(world, name) : NULL;
    return found != NULL ? found->data : NULL;
}

const stoa_extension *stoa_extension_next(const stoa_world *world, const stoa_extension *previous) {
    if (world == NULL) {
        return NULL;
    }
    uint32_t at = previous != NULL ? (uint32_t)(previous - world->extensions) + 1 : 0;
    return at < world->extension_count ? &world->extensions[at] : NULL;
}

void stoa_settle(stoa_world *world) {
    if (world == NULL || (world->storage.head.open & STOA__OPEN_FORK) != 0) {
        return;
    }
    for (uint32_t i = 0; i < world->extension_count; i++) {
        if (world->extensions[i].settle != NULL) {
            world->extensions[i].settle(world, world->extensions[i].data);
        }
    }
}

void stoa_extensions_reset(stoa_world *world) {
    for (uint32_t i = 0; world != NULL && i < world->extension_count; i++) {
        if (world->extensions[i].reset != NULL) {
            world->extensions[i].reset(world, world->extensions[i].data);
        }
    }
}

void stoa_world_pin(stoa_world *world) {
    if (world != NULL) {
        world->pins++;
    }
}

void stoa_world_unpin(stoa_world *world) {
    if (world != NULL && world->pins > 0) {
        world->pins--;
    }
}

bool stoa_world_ending(const stoa_world *world) {
    return world != NULL && (world->storage.head.open & STOA__OPEN_FREE) != 0;
}

stoa_status stoa_reserve_sparse(stoa_world *world, stoa_entity e, stoa_component id) {
    return stoa_reserve_sparse_many(world, e, id, 1);
}

stoa_status stoa_reserve_sparse_many(stoa_world *world, stoa_entity e, stoa_component id,
                                     int32_t count) {
    stoa_status status = stoa__world_knows(world, id);
    if (status != STOA_OK) {
        return status;
    }
    if (stoa__entities_find(&world->storage, e) == NULL) {
        return stoa__world_dead(world, e);
    }
    stoa__sparse *set = stoa__component_at(&world->storage, id)->set;
    if (set == NULL) {
        return stoa__world_report(world,
                                  stoa__error(STOA_INVALID, "component '%s' is not sparse",
                                              stoa__component_at(&world->storage, id)->name));
    }
    if ((world->storage.head.open & (STOA__OPEN_FORK | STOA__OPEN_ITER)) != 0) {
        return stoa__world_blocked(world);
    }
    /* The page of the entity, then room for all. */
    stoa__heap *heap = &world->storage.heap;
    bool there = stoa__sparse_find(set, e.index) != STOA__NONE;
    bool ready = (there || stoa__sparse_reserve(heap, set, e.index, 1)) &&
                 (count <= 1 || stoa__sparse_reserve(heap, set, 0, (uint32_t)count));
    return ready ? STOA_OK : stoa__world_report(world, stoa__error_memory("a sparse component"));
}

stoa_status stoa_may_change(const stoa_world *world) {
    return stoa__world_may_change(world);
}

stoa_lock stoa_lock_of(const stoa_world *world, stoa_entity e) {
    stoa_lock lock = STOA_UNLOCKED;
    if (stoa_entity_is_null(e)) {
        return world != NULL && world->hooks.depth > 0 ? STOA_LOCK_HOOKS : STOA_UNLOCKED;
    }
    for (uint32_t i = 0; world != NULL && i < world->hooks.depth; i++) {
        if (stoa_entity_eq(world->hooks.locked[i], e)) {
            bool losing = (world->hooks.dying >> i & 1) != 0;
            lock = losing || lock == STOA_LOCK_LOSING ? STOA_LOCK_LOSING : STOA_LOCK_HOOKS;
        }
    }
    return lock;
}

STOA__COLD stoa_status stoa__extension_unmade(stoa_world *world, stoa_status status) {
    for (uint32_t i = 0; i < world->extension_count; i++) {
        if (world->extensions[i].unmade != NULL) {
            world->extensions[i].unmade(world, world->extensions[i].data);
        }
    }
    return stoa__world_report(world, status);
}

void stoa__extension_free_all(stoa_world *world) {
    while (world->extension_count > 0) {
        /* Not found any more, so that those which are freed later cannot ask for it. */
        const stoa_extension *extension = &world->extensions[--world->extension_count];
        extension->free(world, extension->data);
    }
    stoa__heap_grow_free(&world->storage.heap, world->extensions, world->extension_capacity,
                         sizeof *world->extensions);
}

stoa_status stoa__extension_check(const stoa_world *world) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < world->extension_count && status == STOA_OK; i++) {
        const stoa_extension *extension = &world->extensions[i];
        status = extension->check != NULL ? extension->check(world, extension->data) : STOA_OK;
    }
    return status;
}

size_t stoa__extension_bytes(const stoa_world *world) {
    return world->extension_capacity * sizeof *world->extensions;
}

size_t stoa__extension_held(const stoa_world *world) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < world->extension_count; i++) {
        const stoa_extension *extension = &world->extensions[i];
        bytes += extension->bytes != NULL ? extension->bytes(world, extension->data) : 0;
    }
    return bytes;
}

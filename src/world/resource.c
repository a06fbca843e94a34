/* Resources: one value of a type for the whole world.
 *
 * Each value has a block of its own, so its address holds until it is removed; a table by component
 * id leads to it. Look-up is O(1); setting one for the first time allocates. While a hook of the
 * type moves or drops the value the resource counts as gone and cannot be set. Reading is safe from
 * several threads that change nothing. */
#include "storage/registry.h"
#include "storage/row.h"
#include "world/guard.h"
#include "world/world.h"

/* A tag has a byte, so that there is something to point at. */
static size_t block_size(const stoa__component *component) {
    return component->info.size != 0 ? component->info.size : 1;
}

/* The entry of a resource that is there, or NULL. */
static stoa__resource *resource_find(const stoa_world *world, stoa_component id) {
    if (world == NULL || id - 1 >= world->resources.capacity) {
        return NULL;
    }
    stoa__resource *resource = &world->resources.items[id - 1];
    return resource->value != NULL && !resource->busy ? resource : NULL;
}

/* Makes the table reach to an id. */
static stoa_status table_reserve(stoa_world *world, stoa_component id) {
    stoa__resources *resources = &world->resources;
    uint32_t before = resources->capacity;
    if (!stoa__heap_grow(&world->storage.heap, &resources->items, &resources->capacity, id,
                         sizeof *resources->items)) {
        return stoa__error_memory("the table of resources");
    }
    for (uint32_t i = before; i < resources->capacity; i++) {
        resources->items[i] = (stoa__resource){0};
    }
    return STOA_OK;
}

/* Drops a value, which is busy from now on. The hook may change the table, so nobody holds an entry
 * over it. */
static void value_drop(stoa_world *world, stoa_component id) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    world->resources.items[id - 1].busy = true;
    if (component->info.size != 0) {
        stoa__component_drop(component, world->resources.items[id - 1].value, 1);
    }
}

/* Puts a value, which has been checked, where there may be one already; NULL for a tag. */
static stoa_status value_put(stoa_world *world, stoa_component id, const void *value) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    stoa_status status = table_reserve(world, id);
    if (status != STOA_OK) {
        return status;
    }
    void *block = world->resources.items[id - 1].value;
    if (block == NULL) {
        block = stoa__heap_zalloc(&world->storage.heap, block_size(component),
                                  component->info.alignment);
        if (block == NULL) {
            return stoa__error_memory("a resource");
        }
        world->resources.items[id - 1] = (stoa__resource){.value = block, .busy = true};
    } else if (block != value) {
        value_drop(world, id);
    }
    if (value != NULL && block != value) {
        stoa__component_move(component, block, (void *)(uintptr_t)value, 1);
    }
    world->resources.items[id - 1].changed = world->storage.head.tick;
    world->resources.items[id - 1].busy = false;
    return STOA_OK;
}

/* STOA_OK if a resource can come or go now; otherwise the thread's error is set. */
static stoa_status table_check(const stoa_world *world) {
    if (world->resources.closed) {
        return stoa__error(STOA_FREED, "the world is being freed");
    }
    if ((world->storage.head.open & STOA__OPEN_FORK) != 0) {
        return stoa__error(STOA_FORKED, "resources cannot come or go while command buffers are "
                                        "filled by threads");
    }
    return STOA_OK;
}

static stoa_status set_check(const stoa_world *world, stoa_component id, size_t size) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    if (size != component->info.size) {
        return stoa__error(STOA_INVALID, "resource '%s' has %u bytes, the value %zu",
                           component->name, component->info.size, size);
    }
    if (id <= world->resources.capacity && world->resources.items[id - 1].busy) {
        return stoa__error(STOA_LOCKED, "resource '%s' is being moved or dropped", component->name);
    }
    return resource_find(world, id) != NULL ? STOA_OK : table_check(world);
}

stoa_status stoa_resource_set_id(stoa_world *world, stoa_component id, const void *value,
                                 size_t size) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    if (!stoa__component_known(&world->storage, id)) {
        return stoa__world_unknown(world, id);
    }
    if (value == NULL && size != 0) {
        return stoa__world_null(world, "value");
    }
    if (!stoa__guard_allows_resource(world, id, true)) {
        return STOA_ACCESS;
    }
    if ((world->storage.head.open & STOA__OPEN_SEAL) != 0) {
        return stoa__world_read_only(world);
    }
    stoa_status status = set_check(world, id, size);
    if (status == STOA_OK) {
        status = value_put(world, id, size != 0 ? value : NULL);
    }
    return stoa__world_report(world, status);
}

/* The entry of a resource that must be there, or NULL with the failure reported. */
static stoa__resource *resource_get(const stoa_world *world, stoa_component id) {
    stoa__resource *resource = resource_find(world, id);
    if (STOA_LIKELY(resource != NULL)) {
        return resource;
    }
    if (world == NULL) {
        stoa__world_null(NULL, "world");
    } else if (!stoa__component_known(&world->storage, id)) {
        stoa__world_unknown(world, id);
    } else {
        stoa__world_report(world, stoa__error(STOA_MISSING, "there is no resource '%s'",
                                              stoa__component_at(&world->storage, id)->name));
    }
    return NULL;
}

static void *value_mark(stoa_world *world, stoa__resource *resource) {
    if (resource == NULL) {
        return NULL;
    }
    if (!STOA_LIKELY((world->storage.head.open & STOA__OPEN_SEAL) == 0)) {
        stoa__world_read_only(world);
        return NULL;
    }
    resource->changed = world->storage.head.tick;
    return resource->value;
}

/* The resource, if it is there and the calling thread may read, or write, it; else NULL. */
static stoa__resource *resource_guarded(const stoa_world *world, stoa_component id,
                                        stoa__resource *resource, bool write) {
    return resource != NULL && stoa__guard_allows_resource(world, id, write) ? resource : NULL;
}

const void *stoa_resource_id(const stoa_world *world, stoa_component id) {
    const stoa__resource *resource = resource_guarded(world, id, resource_get(world, id), false);
    return resource != NULL ? resource->value : NULL;
}

void *stoa_resource_mut_id(stoa_world *world, stoa_component id) {
    return value_mark(world, resource_guarded(world, id, resource_get(world, id), true));
}

const void *stoa_resource_try_id(const stoa_world *world, stoa_component id) {
    const stoa__resource *resource = resource_guarded(world, id, resource_find(world, id), false);
    return resource != NULL ? resource->value : NULL;
}

void *stoa_resource_try_mut_id(stoa_world *world, stoa_component id) {
    return value_mark(world, resource_guarded(world, id, resource_find(world, id), true));
}

bool stoa_resource_has_id(const stoa_world *world, stoa_component id) {
    return resource_find(world, id) != NULL;
}

stoa_component stoa_resource_find(const stoa_world *world, const char *name) {
    stoa_component id =
        world != NULL && name != NULL ? stoa__registry_find(&world->storage, name) : 0;
    return resource_find(world, id) != NULL ? id : 0;
}

static void resource_free(stoa_world *world, stoa_component id) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    value_drop(world, id);
    stoa__resource *resource = &world->resources.items[id - 1];
    stoa__heap_free(&world->storage.heap, resource->value, block_size(component),
                    component->info.alignment);
    *resource = (stoa__resource){0};
}

stoa_status stoa__resource_room(stoa_world *world, stoa_component id) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    stoa_status status = table_reserve(world, id);
    if (status != STOA_OK || world->resources.items[id - 1].value != NULL) {
        return status;
    }
    void *block =
        stoa__heap_zalloc(&world->storage.heap, block_size(component), component->info.alignment);
    if (block == NULL) {
        return stoa__error_memory("a resource");
    }
    world->resources.items[id - 1] = (stoa__resource){.value = block, .busy = true};
    return STOA_OK;
}

void stoa__resource_forget(stoa_world *world, stoa_component id) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    stoa__resource *resource = &world->resources.items[id - 1];
    if (!resource->busy) {
        resource_free(world, id);
        return;
    }
    stoa__heap_free(&world->storage.heap, resource->value, block_size(component),
                    component->info.alignment);
    *resource = (stoa__resource){0};
}

stoa_status stoa_resource_remove_id(stoa_world *world, stoa_component id) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    if (!stoa__component_known(&world->storage, id)) {
        return stoa__world_unknown(world, id);
    }
    if (resource_find(world, id) == NULL) {
        return STOA_OK;
    }
    if (!stoa__guard_allows_resource(world, id, true)) {
        return STOA_ACCESS;
    }
    if ((world->storage.head.open & STOA__OPEN_SEAL) != 0) {
        return stoa__world_read_only(world);
    }
    stoa_status status = table_check(world);
    if (status == STOA_OK) {
        resource_free(world, id);
    }
    return stoa__world_report(world, status);
}

bool stoa_resource_changed_id(const stoa_world *world, stoa_component id, uint32_t since) {
    const stoa__resource *resource = resource_guarded(world, id, resource_find(world, id), false);
    return resource != NULL && stoa_tick_newer(resource->changed, since);
}

uint32_t stoa_resource_tick(const stoa_world *world, stoa_component id) {
    const stoa__resource *resource = resource_find(world, id);
    return resource != NULL ? resource->changed : 0;
}

stoa_status stoa_resource_tick_set(stoa_world *world, stoa_component id, uint32_t tick) {
    stoa__resource *resource = resource_get(world, id);
    if (resource == NULL) {
        return stoa_last_error().status;
    }
    resource->changed = tick;
    return STOA_OK;
}

stoa_component stoa_resource_next(const stoa_world *world, stoa_component id) {
    for (uint32_t i = id; world != NULL && i < world->resources.capacity; i++) {
        if (resource_find(world, i + 1) != NULL) {
            return i + 1;
        }
    }
    return 0;
}

stoa_status stoa_resource_set_type(stoa_world *world, stoa_type *type, const void *value) {
    stoa_component id = stoa_type_register(world, type);
    if (id == 0) {
        return stoa_last_error().status;
    }
    return stoa_resource_set_id(world, id, type->size != 0 ? value : NULL, type->size);
}

/* The id of a type that must be known, or 0 with the failure reported. */
static stoa_component type_id(const stoa_world *world, stoa_type *type) {
    if (world == NULL || type == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "type");
        return 0;
    }
    stoa_component id = stoa__registry_find_type(&world->storage, type);
    if (id == 0) {
        const char *name = stoa__type_name(type);
        stoa__world_report(world,
                           stoa__registry_find(&world->storage, name) != 0
                               ? stoa__registry_conflict(name)
                               : stoa__error(STOA_MISSING, "there is no resource '%s'", name));
    }
    return id;
}

const void *stoa_resource_type(const stoa_world *world, stoa_type *type) {
    stoa_component id = type_id(world, type);
    return id != 0 ? stoa_resource_id(world, id) : NULL;
}

void *stoa_resource_mut_type(stoa_world *world, stoa_type *type) {
    stoa_component id = type_id(world, type);
    return id != 0 ? stoa_resource_mut_id(world, id) : NULL;
}

const void *stoa_resource_try_type(const stoa_world *world, stoa_type *type) {
    return stoa_resource_try_id(world, stoa_type_find(world, type));
}

void *stoa_resource_try_mut_type(stoa_world *world, stoa_type *type) {
    return stoa_resource_try_mut_id(world, stoa_type_find(world, type));
}

bool stoa_resource_has_type(const stoa_world *world, stoa_type *type) {
    return stoa_resource_has_id(world, stoa_type_find(world, type));
}

stoa_status stoa_resource_remove_type(stoa_world *world, stoa_type *type) {
    stoa_component id = stoa_type_find(world, type);
    if (id != 0) {
        return stoa_resource_remove_id(world, id);
    }
    if (world == NULL || type == NULL) {
        return stoa__world_null(world, world == NULL ? "world" : "type");
    }
    const char *name = stoa__type_name(type);
    return stoa__registry_find(&world->storage, name) == 0
               ? STOA_OK
               : stoa__world_report(world, stoa__registry_conflict(name));
}

bool stoa_resource_changed_type(const stoa_world *world, stoa_type *type, uint32_t since) {
    return stoa_resource_changed_id(world, stoa_type_find(world, type), since);
}

void stoa__resource_free_all(stoa_world *world) {
    stoa__resources *resources = &world->resources;
    resources->closed = true;
    for (uint32_t i = 0; i < resources->capacity; i++) {
        if (resources->items[i].value != NULL) {
            resource_free(world, i + 1);
        }
    }
    stoa__heap_grow_free(&world->storage.heap, resources->items, resources->capacity,
                         sizeof *resources->items);
    resources->items = NULL;
    resources->capacity = 0;
}

size_t stoa__resource_bytes(const stoa_world *world) {
    const stoa__resources *resources = &world->resources;
    size_t bytes = resources->capacity * sizeof *resources->items;
    for (uint32_t i = 0; i < resources->capacity; i++) {
        if (resources->items[i].value != NULL) {
            bytes += block_size(stoa__component_at(&world->storage, i + 1));
        }
    }
    return bytes;
}

void stoa__resource_sweep(stoa_world *world, uint32_t tick, uint32_t age) {
    for (uint32_t i = 0; i < world->resources.capacity; i++) {
        stoa__resource *resource = &world->resources.items[i];
        if (tick - resource->changed > age) {
            resource->changed = tick - age;
        }
    }
}

/* The components of a world, as the public sees them. */
#include "storage/registry.h"
#include "world/world.h"

/* The thread's error handed to the world's handlers; 0. */
static stoa_component failed(const stoa_world *world) {
    stoa__world_report(world, stoa_last_error().status);
    return 0;
}

/* True while threads may read the tables of components. */
static bool registry_locked(const stoa_world *world) {
    return (world->storage.head.open & STOA__OPEN_FORK) != 0;
}

static stoa_component locked(const stoa_world *world, const char *name) {
    stoa__error(STOA_FORKED, "component '%s' cannot be registered while command buffers are filled",
                name);
    return failed(world);
}

stoa_component stoa_component_register(stoa_world *world, const stoa_component_desc *desc) {
    if (world == NULL || desc == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "description");
        return 0;
    }
    if (registry_locked(world)) {
        return locked(world, desc->name != NULL ? desc->name : "");
    }
    stoa_component id = stoa__registry_desc(&world->storage, desc);
    return id != 0 ? id : failed(world);
}

/* Lets a component that was registered just now, or whose setup failed, set up the world. */
STOA__COLD static stoa_component component_setup(stoa_world *world, stoa__component *component) {
    if (component->setup_state == STOA__SETUP_RUNS) {
        return component->info.id;
    }
    uint32_t errors = stoa__error_count();
    component->setup_state = STOA__SETUP_RUNS;
    stoa_status status = component->setup(world);
    component->setup_state = status == STOA_OK ? STOA__SETUP_DONE : STOA__SETUP_DUE;
    if (status == STOA_OK) {
        return component->info.id;
    }
    if (stoa__error_count() == errors || stoa_last_error().status != status) {
        stoa__error(status, "component '%s' cannot set up its world", component->name);
    }
    return 0;
}

stoa_component stoa__world_type(stoa_world *world, stoa_type *type) {
    stoa_component id = stoa__registry_type(&world->storage, type);
    if (id == 0) {
        return 0;
    }
    stoa__component *component = stoa__component_at(&world->storage, id);
    return STOA_LIKELY(component->setup_state == STOA__SETUP_DONE)
               ? id
               : component_setup(world, component);
}

stoa_component stoa_type_register(stoa_world *world, stoa_type *type) {
    if (world == NULL || type == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "type");
        return 0;
    }
    if (registry_locked(world)) {
        stoa_component known = stoa__registry_find_type(&world->storage, type);
        return known != 0 ? known : locked(world, type->identifier);
    }
    stoa_component id = stoa__world_type(world, type);
    return id != 0 ? id : failed(world);
}

stoa_component stoa_type_find(const stoa_world *world, stoa_type *type) {
    return world != NULL && type != NULL ? stoa__registry_find_type(&world->storage, type) : 0;
}

stoa_component stoa_component_find(const stoa_world *world, const char *name) {
    return world != NULL && name != NULL ? stoa__registry_find(&world->storage, name) : 0;
}

/* The component, or NULL with the failure reported. */
static const stoa__component *component_at(const stoa_world *world, stoa_component id) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return NULL;
    }
    if (!stoa__component_known(&world->storage, id)) {
        stoa__world_unknown(world, id);
        return NULL;
    }
    return stoa__component_at(&world->storage, id);
}

stoa_status stoa_component_info_get(const stoa_world *world, stoa_component id,
                                    stoa_component_info *info) {
    const stoa__component *component = component_at(world, id);
    if (component == NULL) {
        return stoa_last_error().status;
    }
    if (info == NULL) {
        return stoa__world_null(world, "info");
    }
    *info = component->info;
    return STOA_OK;
}

const char *stoa_component_name(const stoa_world *world, stoa_component id) {
    const stoa__component *component = component_at(world, id);
    return component != NULL ? component->name : NULL;
}

int32_t stoa_component_count(const stoa_world *world) {
    return world != NULL ? (int32_t)world->storage.registry.count : 0;
}

const stoa_enum_value *stoa_component_enum(const stoa_world *world, stoa_component id,
                                           int32_t *count) {
    const stoa__component *component = component_at(world, id);
    bool described = component != NULL && component->is_enum;
    if (count != NULL) {
        *count = described ? component->reflection.value_count : 0;
    }
    return described ? component->reflection.values : NULL;
}

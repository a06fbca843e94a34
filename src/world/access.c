/* Reading and writing components by id, by name and by descriptor.
 *
 * A look-up is a few loads. Forms for writing mark what they hand out: the column of the chunk, and
 * the row, where the component keeps ticks for each. The others mark nothing. */
#include "storage/entities.h"
#include "storage/registry.h"
#include "storage/row.h"
#include "storage/sparse.h"
#include "world/guard.h"
#include "world/world.h"

static uint8_t **columns_none[1];

const stoa_world_head stoa_world_none = {.columns = columns_none};

static const char *name_of(const stoa_world *world, stoa_component id) {
    return stoa__component_at(&world->storage, id)->name;
}

/* Where an entity's sparse component is, or STOA__NONE. */
static uint32_t sparse_position(const stoa_world *world, stoa_entity e, const stoa__sparse *set) {
    return stoa__entities_find(&world->storage, e) != NULL ? stoa__sparse_find(set, e.index)
                                                           : STOA__NONE;
}

/* Where the component of an entity is. */
typedef struct spot {
    uint8_t *column; /* of its chunk, or NULL: it is nowhere */
    size_t row;      /* in the chunk */
} spot;

/* Where an entity's component is that is kept in archetypes. */
static spot spot_find(const stoa_world *world, stoa_entity e, stoa_component id) {
    const stoa__storage *storage = &world->storage;
    if (stoa__entities_find(storage, e) == NULL) {
        return (spot){NULL, 0};
    }
    uint32_t place = stoa__place_of(storage, e.index);
    const stoa_chunk_ref *chunk = &storage->head.chunks[place >> STOA_PLACE_BITS];
    const stoa_column *column = stoa_archetype_column(chunk->archetype, id);
    return column == NULL ? (spot){NULL, 0}
                          : (spot){stoa_column_begin(chunk->columns, column->index),
                                   place & (STOA__ROWS_MAX - 1)};
}

void *stoa__world_value(const stoa_world *world, stoa_entity e, stoa_component id) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    if (STOA_LIKELY(component->set == NULL)) {
        spot at = spot_find(world, e, id);
        return at.column != NULL ? at.column + at.row * component->info.size : NULL;
    }
    uint32_t position = sparse_position(world, e, component->set);
    return position != STOA__NONE ? stoa__sparse_value(component->set, position) : NULL;
}

/* stoa__world_value for writing. */
static void *component_find_mut(stoa_world *world, stoa_entity e, stoa_component id) {
    const stoa__storage *storage = &world->storage;
    const stoa__component *component = stoa__component_at(storage, id);
    if (component->set != NULL) {
        uint32_t position = sparse_position(world, e, component->set);
        if (position == STOA__NONE) {
            return NULL;
        }
        STOA_STORE(&component->set->changed[position], storage->head.tick);
        return stoa__sparse_value(component->set, position);
    }
    spot at = spot_find(world, e, id);
    if (at.column == NULL) {
        return NULL;
    }
    stoa__column_written(storage, at.column, at.row);
    return at.column + at.row * component->info.size;
}

/* True if a component can be written in place; otherwise reported. */
static bool component_writable(const stoa_world *world, stoa_component id) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    if (STOA_LIKELY(!component->fixed)) {
        return stoa__guard_allows(world, id, true);
    }
    if ((world->storage.head.open & STOA__OPEN_SEAL) != 0) {
        stoa__world_read_only(world);
        return false;
    }
    stoa__world_report(world, stoa__error(STOA_ACCESS,
                                          "component '%s' is immutable: it can be set, but not "
                                          "written in place",
                                          component->name));
    return false;
}

bool stoa__world_enabled(const stoa_world *world, stoa_entity e, stoa_component id) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    if (component->set != NULL) {
        uint32_t position = sparse_position(world, e, component->set);
        return position != STOA__NONE &&
               (component->set->off == NULL || component->set->off[position] == 0);
    }
    if (stoa__entities_find(&world->storage, e) == NULL) {
        return false;
    }
    uint32_t place = stoa__place_of(&world->storage, e.index);
    const stoa__archetype *archetype = stoa__row_archetype(&world->storage, place);
    if (stoa__archetype_column(archetype, id) == NULL) {
        return false;
    }
    const stoa__lane *lane = stoa__archetype_lane(archetype, id, STOA__LANE_OFF);
    stoa__row row = stoa__row_at(&world->storage, place);
    return lane == NULL || row.columns[lane->index][row.slot] == 0;
}

bool stoa_has_id(const stoa_world *world, stoa_entity e, stoa_component id) {
    return world != NULL && stoa__component_known(&world->storage, id) &&
           stoa__world_value(world, e, id) != NULL;
}

const void *stoa_try_get_id(const stoa_world *world, stoa_entity e, stoa_component id) {
    return world != NULL && stoa__component_known(&world->storage, id) &&
                   stoa__guard_allows(world, id, false)
               ? stoa__world_value(world, e, id)
               : NULL;
}

void *stoa_try_get_mut_id(stoa_world *world, stoa_entity e, stoa_component id) {
    return world != NULL && stoa__component_known(&world->storage, id) &&
                   component_writable(world, id)
               ? component_find_mut(world, e, id)
               : NULL;
}

/* Reports that an entity has no such component, or is dead. */
static void *component_absent(const stoa_world *world, stoa_entity e, const char *name) {
    if (stoa__entities_find(&world->storage, e) == NULL) {
        stoa__world_dead(world, e);
    } else {
        stoa__world_missing(world, e, name);
    }
    return NULL;
}

const void *stoa_get_id(const stoa_world *world, stoa_entity e, stoa_component id) {
    if (stoa__world_knows(world, id) != STOA_OK || !stoa__guard_allows(world, id, false)) {
        return NULL;
    }
    const void *found = stoa__world_value(world, e, id);
    return found != NULL ? found : component_absent(world, e, name_of(world, id));
}

void *stoa_get_mut_id(stoa_world *world, stoa_entity e, stoa_component id) {
    if (stoa__world_knows(world, id) != STOA_OK || !component_writable(world, id)) {
        return NULL;
    }
    void *found = component_find_mut(world, e, id);
    return found != NULL ? found : component_absent(world, e, name_of(world, id));
}

/* The id of a descriptor; 0, with the failure reported, if the world does not know it. */
static stoa_component type_known(const stoa_world *world, stoa_entity e, stoa_type *type) {
    if (world == NULL || type == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "type");
        return 0;
    }
    stoa_component id = stoa_fast_id(world, type) & ~STOA_SPECIAL;
    id = id != 0 ? id : stoa__registry_find_type(&world->storage, type);
    if (id != 0) {
        return id;
    }
    if (stoa__entities_find(&world->storage, e) != NULL &&
        stoa__registry_find(&world->storage, stoa__type_name(type)) != 0) {
        stoa__world_report(world, stoa__registry_conflict(stoa__type_name(type)));
    } else {
        component_absent(world, e, stoa__type_name(type));
    }
    return 0;
}

const void *stoa_get_type(const stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = type_known(world, e, type);
    return id != 0 ? stoa_get_id(world, e, id) : NULL;
}

void *stoa_get_mut_type(stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = type_known(world, e, type);
    return id != 0 ? stoa_get_mut_id(world, e, id) : NULL;
}

/* The id of a descriptor, or 0 quietly. */
static stoa_component type_find(const stoa_world *world, stoa_type *type) {
    if (world == NULL || type == NULL) {
        return 0;
    }
    stoa_component id = stoa_fast_id(world, type) & ~STOA_SPECIAL;
    return id != 0 ? id : stoa__registry_find_type(&world->storage, type);
}

const void *stoa_try_type(const stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = type_find(world, type);
    return id != 0 && stoa__guard_allows(world, id, false) ? stoa__world_value(world, e, id) : NULL;
}

void *stoa_try_mut_type(stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = type_find(world, type);
    return id != 0 && component_writable(world, id) ? component_find_mut(world, e, id) : NULL;
}

const void *stoa_seek_type(const stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = type_find(world, type);
    return id != 0 ? stoa__world_value(world, e, id) : NULL;
}

stoa_reach stoa_reach_type(const stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_reach none = {NULL, NULL, 0, NULL};
    stoa_component id = type_find(world, type);
    const stoa__component *component = id != 0 ? stoa__component_at(&world->storage, id) : NULL;
    if (component == NULL || component->fixed) {
        return none;
    }
    if (component->set != NULL) {
        uint32_t position = sparse_position(world, e, component->set);
        return position == STOA__NONE
                   ? none
                   : (stoa_reach){stoa__sparse_value(component->set, position), NULL, 0,
                                  (stoa_mark *)(void *)&component->set->changed[position]};
    }
    spot at = spot_find(world, e, id);
    if (at.column == NULL) {
        return none;
    }
    return (stoa_reach){at.column + at.row * component->info.size, at.column, at.row, NULL};
}

bool stoa_enabled_id(const stoa_world *world, stoa_entity e, stoa_component id) {
    return world != NULL && stoa__component_known(&world->storage, id) &&
           stoa__world_enabled(world, e, id);
}

bool stoa_enabled_type(const stoa_world *world, stoa_entity e, stoa_type *type) {
    return stoa_enabled_id(world, e, type_find(world, type));
}

/* The id of a name; 0 with the failure reported. */
static stoa_component name_id(const stoa_world *world, const char *name) {
    if (world == NULL || name == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "name");
        return 0;
    }
    stoa_component id = stoa__registry_find(&world->storage, name);
    if (id == 0) {
        stoa__world_report(world, stoa__error(STOA_NOT_FOUND, "no component is named '%s'", name));
    }
    return id;
}

bool stoa_has_named(const stoa_world *world, stoa_entity e, const char *name) {
    return world != NULL && name != NULL &&
           stoa_has_id(world, e, stoa__registry_find(&world->storage, name));
}

const void *stoa_get_named(const stoa_world *world, stoa_entity e, const char *name) {
    stoa_component id = name_id(world, name);
    return id != 0 ? stoa_get_id(world, e, id) : NULL;
}

void *stoa_get_mut_named(stoa_world *world, stoa_entity e, const char *name) {
    stoa_component id = name_id(world, name);
    return id != 0 ? stoa_get_mut_id(world, e, id) : NULL;
}

stoa_status stoa_set_named(stoa_world *world, stoa_entity e, const char *name, const void *value,
                           size_t size) {
    stoa_component id = name_id(world, name);
    return id != 0 ? stoa_set_id(world, e, id, value, size) : stoa_last_error().status;
}

stoa_status stoa_add_named(stoa_world *world, stoa_entity e, const char *name) {
    stoa_component id = name_id(world, name);
    return id != 0 ? stoa_add_id(world, e, id) : stoa_last_error().status;
}

stoa_status stoa_remove_named(stoa_world *world, stoa_entity e, const char *name) {
    stoa_component id = name_id(world, name);
    return id != 0 ? stoa_remove_id(world, e, id) : stoa_last_error().status;
}

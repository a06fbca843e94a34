/* Access by id, by name and by descriptor, and changing what an entity has.
 *
 * A change finds its edge, appends a row to the target, writes the caller's values there, then
 * moves the rest over and fills the hole. Everything that can fail comes before the first write.
 * Values are read before any row of the source moves, so they may point into the world. */
#include "storage/entities.h"
#include "world/values.h"

static const char *name_of(const stoa_world *world, stoa_component id) {
    return stoa__component_at(&world->storage, id)->name;
}

/* The component of a live entity; `id` must be known. */
static void *component_find(const stoa_world *world, stoa_entity e, stoa_component id) {
    return stoa_fast_find(world, e, id, stoa__component_at(&world->storage, id)->info.size);
}

bool stoa_has_id(const stoa_world *world, stoa_entity e, stoa_component id) {
    uint32_t place;
    return world != NULL && stoa__component_known(&world->storage, id) &&
           stoa_fast_column(world, e, id, &place) != NULL;
}

const void *stoa_try_get_id(const stoa_world *world, stoa_entity e, stoa_component id) {
    return world != NULL && stoa__component_known(&world->storage, id)
               ? component_find(world, e, id)
               : NULL;
}

void *stoa_try_get_mut_id(stoa_world *world, stoa_entity e, stoa_component id) {
    return (void *)(uintptr_t)stoa_try_get_id(world, e, id);
}

const void *stoa_get_id(const stoa_world *world, stoa_entity e, stoa_component id) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return NULL;
    }
    if (!stoa__component_known(&world->storage, id)) {
        stoa__world_unknown(world, id);
        return NULL;
    }
    const void *found = component_find(world, e, id);
    if (found == NULL) {
        if (stoa__entities_find(&world->storage, e) == NULL) {
            stoa__world_dead(world, e);
        } else {
            stoa__world_missing(world, e, name_of(world, id));
        }
    }
    return found;
}

void *stoa_get_mut_id(stoa_world *world, stoa_entity e, stoa_component id) {
    return (void *)(uintptr_t)stoa_get_id(world, e, id);
}

const void *stoa_get_type(const stoa_world *world, stoa_entity e, stoa_type *type) {
    if (world == NULL || type == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "type");
        return NULL;
    }
    stoa_component id = stoa__registry_find_type(&world->storage, type);
    if (id != 0) {
        return stoa_get_id(world, e, id);
    }
    if (stoa__entities_find(&world->storage, e) == NULL) {
        stoa__world_dead(world, e);
    } else if (stoa__registry_find(&world->storage, stoa__type_name(type)) != 0) {
        stoa__world_report(world, stoa__registry_conflict(stoa__type_name(type)));
    } else {
        stoa__world_missing(world, e, stoa__type_name(type));
    }
    return NULL;
}

void *stoa_get_mut_type(stoa_world *world, stoa_entity e, stoa_type *type) {
    return (void *)(uintptr_t)stoa_get_type(world, e, type);
}

void *stoa_try_type(const stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = stoa_type_find(world, type);
    return id != 0 ? component_find(world, e, id) : NULL;
}

/* Overwrites a component where it is. */
static void component_overwrite(const stoa__component *component, const stoa_column *column,
                                stoa__row row, const void *data) {
    size_t size = component->info.size;
    uint8_t *to = row.data + column->offset + row.slot * size;
    if (size == 0 || data == to) {
        return;
    }
    stoa__component_drop(component, to, 1);
    stoa__value_write(component, to, data, size);
}

/* Moves an entity along an edge to another archetype that has components. The caller writes the
 * values that the edge puts before: into `to`, a row appended to the target. */
static void entity_move(stoa__storage *storage, stoa_entity e, stoa__archetype *source,
                        const stoa__edge *edge, stoa__row to) {
    stoa_record *record = &storage->head.records[e.index];
    if (source->index == 0) {
        storage->empty_count--;
    } else {
        stoa__edge_move(storage, edge, source, stoa__row_at(storage, record->place), to);
    }
    *stoa__row_entity(to) = e;
    record->place = to.place;
}

/* Overwrites components where they are. */
static void entity_overwrite(const stoa__storage *storage, uint32_t place,
                             const stoa__values *change, const stoa_value *values) {
    for (uint32_t i = 0; i < change->count; i++) {
        const stoa_column *column =
            stoa__archetype_column(stoa__row_archetype(storage, place), change->key[i]);
        if (column != NULL) {
            component_overwrite(stoa__component_at(storage, change->key[i]), column,
                                stoa__row_at(storage, place), values[change->source[i]].data);
        }
    }
}

/* True if the change leaves the entity in its archetype. */
static bool change_in_place(const stoa__archetype *archetype, const stoa__values *change) {
    for (uint32_t i = 0; i < change->count; i++) {
        bool there = stoa__archetype_column(archetype, change->key[i] & ~STOA__KEY_DROP) != NULL;
        if (there == ((change->key[i] & STOA__KEY_DROP) != 0)) {
            return false;
        }
    }
    return true;
}

/* Applies a change that leads to another archetype. */
static stoa_status entity_change(stoa_world *world, stoa_entity e, stoa__archetype *source,
                                 const stoa__values *change, const stoa_value *values) {
    stoa__storage *storage = &world->storage;
    stoa__edge *edge = stoa__edge_get(storage, source, change->key, change->count, change->hash);
    if (edge == NULL) {
        return stoa_last_error().status;
    }
    if (edge->target->index == 0) {
        return stoa_clear(world, e);
    }
    stoa__row to;
    stoa_status status = stoa__row_append(storage, edge->target, &to);
    if (status != STOA_OK) {
        return status;
    }
    stoa__edge_ready(storage, edge, source);
    for (uint32_t i = 0; i < change->count; i++) {
        stoa__value_put(edge, &edge->puts[i], to, values[change->source[i]].data);
    }
    entity_move(storage, e, source, edge, to);
    return STOA_OK;
}

/* Values that are the entity's own components are left where they are: to move them in would be to
 * drop them after. */
static void own_values_omit(const stoa_world *world, stoa_entity e, stoa__values *change,
                            const stoa_value *values) {
    for (uint32_t i = change->count; i-- > 0;) {
        const void *data = values[change->source[i]].data;
        if ((change->key[i] & STOA__KEY_DROP) == 0 && data != NULL &&
            data == component_find(world, e, change->key[i])) {
            stoa__values_omit(change, i);
        }
    }
}

/* component_move for edges that are not quick. */
static stoa_status component_move_any(stoa_world *world, stoa_entity e, stoa__archetype *source,
                                      stoa__edge *edge, const void *data) {
    stoa__storage *storage = &world->storage;
    if (edge->target->index == 0) {
        return stoa_clear(world, e);
    }
    stoa__row to;
    stoa_status status = stoa__row_append(storage, edge->target, &to);
    if (status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    stoa__edge_ready(storage, edge, source);
    stoa__value_put(edge, edge->puts, to, data);
    entity_move(storage, e, source, edge, to);
    return STOA_OK;
}

/* Moves an entity along the edge of one component that is put or dropped. */
STOA__INLINE stoa_status component_move(stoa_world *world, stoa_entity e, stoa_record *record,
                                        stoa__archetype *source, uint32_t key, const void *data) {
    if (!STOA_LIKELY(world->storage.head.open == 0)) {
        return stoa__world_iterating(world);
    }
    stoa__storage *storage = &world->storage;
    stoa__edge *edge = stoa__edge_hop(storage, source, key);
    if (!STOA_LIKELY(edge != NULL)) {
        return stoa__world_report(world, stoa_last_error().status);
    }
    if (!STOA_LIKELY(edge->quick)) {
        return component_move_any(world, e, source, edge, data);
    }
    stoa__row to;
    stoa_status status = stoa__row_append(storage, edge->target, &to);
    if (!STOA_LIKELY(status == STOA_OK)) {
        return stoa__world_report(world, status);
    }
    stoa__edge_ready(storage, edge, source);
    if ((key & STOA__KEY_DROP) == 0) {
        const stoa__put *put = edge->puts;
        if (STOA_LIKELY(put->size != 0)) {
            stoa__value_copy(to.data + put->to + to.slot * put->size, data, put->size);
        }
    }
    stoa__row from = stoa__row_at(storage, record->place);
    *stoa__row_entity(to) = e;
    record->place = to.place;
    stoa__edge_move_quick(storage, edge, source, from, to);
    return STOA_OK;
}

/* Puts one component; `overwrite` tells what to do if it is there. `id` must be known. */
STOA__INLINE stoa_status component_put(stoa_world *world, stoa_entity e, stoa_component id,
                                       const void *data, bool overwrite) {
    stoa_record *record = stoa__entities_find(&world->storage, e);
    if (!STOA_LIKELY(record != NULL)) {
        return stoa__world_dead(world, e);
    }
    stoa__archetype *archetype = stoa__row_archetype(&world->storage, record->place);
    const stoa_column *column = stoa__archetype_column(archetype, id);
    if (column == NULL) {
        return component_move(world, e, record, archetype, id, data);
    }
    if (overwrite) {
        component_overwrite(stoa__component_at(&world->storage, id), column,
                            stoa__row_at(&world->storage, record->place), data);
    }
    return STOA_OK;
}

STOA__INLINE stoa_status component_take(stoa_world *world, stoa_entity e, stoa_component id) {
    stoa_record *record = stoa__entities_find(&world->storage, e);
    if (!STOA_LIKELY(record != NULL)) {
        return stoa__world_dead(world, e);
    }
    stoa__archetype *archetype = stoa__row_archetype(&world->storage, record->place);
    if (stoa__archetype_column(archetype, id) == NULL) {
        return STOA_OK;
    }
    return component_move(world, e, record, archetype, id | STOA__KEY_DROP, NULL);
}

/* STOA_OK if the world is there and knows the id; otherwise reported. */
static stoa_status id_check(const stoa_world *world, stoa_component id) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    return stoa__component_known(&world->storage, id) ? STOA_OK : stoa__world_unknown(world, id);
}

stoa_status stoa_set_id(stoa_world *world, stoa_entity e, stoa_component id, const void *value,
                        size_t size) {
    stoa_status status = id_check(world, id);
    if (status != STOA_OK) {
        return status;
    }
    const stoa__component *component = stoa__component_at(&world->storage, id);
    if (size != component->info.size) {
        return stoa__world_report(world, stoa__error(STOA_INVALID,
                                                     "component '%s' has %u bytes, the value %zu",
                                                     component->name, component->info.size, size));
    }
    if (value == NULL && size != 0) {
        return stoa__world_null(world, "value");
    }
    return component_put(world, e, id, value, true);
}

stoa_status stoa_add_id(stoa_world *world, stoa_entity e, stoa_component id) {
    stoa_status status = id_check(world, id);
    return status == STOA_OK ? component_put(world, e, id, NULL, false) : status;
}

stoa_status stoa_remove_id(stoa_world *world, stoa_entity e, stoa_component id) {
    stoa_status status = id_check(world, id);
    return status == STOA_OK ? component_take(world, e, id) : status;
}

/* The id of a descriptor that is not known yet, registered if need be; 0 with the failure reported.
 * Nothing is registered for the sake of a dead entity. */
STOA__COLD static stoa_component type_id_new(stoa_world *world, stoa_entity e, stoa_type *type) {
    if (world == NULL || type == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "type");
        return 0;
    }
    if (stoa__entities_find(&world->storage, e) == NULL) {
        stoa__world_dead(world, e);
        return 0;
    }
    stoa_component id = stoa__registry_type(&world->storage, type);
    if (id == 0) {
        stoa__world_report(world, stoa_last_error().status);
    }
    return id;
}

/* The id of a descriptor, registered if need be; 0 with the failure reported. */
STOA__INLINE stoa_component type_id(stoa_world *world, stoa_entity e, stoa_type *type) {
    if (STOA_LIKELY(world != NULL && type != NULL)) {
        stoa_component id = stoa_fast_id(world, type);
        if (STOA_LIKELY(id != 0)) {
            return id;
        }
    }
    return type_id_new(world, e, type);
}

stoa_status stoa_set_type(stoa_world *world, stoa_entity e, stoa_type *type, const void *value) {
    stoa_component id = type_id(world, e, type);
    if (!STOA_LIKELY(id != 0)) {
        return stoa_last_error().status;
    }
    if (value == NULL && type->size != 0) {
        return stoa__world_null(world, "value");
    }
    return component_put(world, e, id, value, true);
}

stoa_status stoa_add_type(stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = type_id(world, e, type);
    return id != 0 ? component_put(world, e, id, NULL, false) : stoa_last_error().status;
}

stoa_status stoa_remove_type(stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = type_id(world, e, type);
    return id != 0 ? component_take(world, e, id) : stoa_last_error().status;
}

stoa_status stoa_change_values(stoa_world *world, stoa_entity e, const stoa_value *values,
                               int32_t count) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    const stoa_record *record = stoa__entities_find(&world->storage, e);
    if (record == NULL) {
        return stoa__world_dead(world, e);
    }
    stoa__values change;
    stoa_status status = stoa__values_read(world, values, count, true, &change);
    if (status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    own_values_omit(world, e, &change, values);
    stoa__archetype *archetype = stoa__row_archetype(&world->storage, record->place);
    if (change_in_place(archetype, &change)) {
        entity_overwrite(&world->storage, record->place, &change, values);
        return STOA_OK;
    }
    if (world->storage.head.open != 0) {
        return stoa__world_iterating(world);
    }
    return stoa__world_report(world, entity_change(world, e, archetype, &change, values));
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
    return (void *)(uintptr_t)stoa_get_named(world, e, name);
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

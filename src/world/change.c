/* Changing what an entity has: putting, removing, several at once.
 *
 * A change finds its edge, appends a row to the target, writes the caller's values there, then
 * moves the rest over and fills the hole. Everything that can fail comes before the first write.
 * Values are read before any row of the source moves, so they may point into the world. Plain
 * columns that nobody watches take the short way; what is told, sparse or has lanes of its own goes
 * through change_any. */
#include "storage/entities.h"
#include "storage/sparse.h"
#include "world/react.h"

/* Overwrites a value where it is. */
static void value_overwrite(const stoa__component *component, uint8_t *to, const void *data) {
    size_t size = component->info.size;
    if (size == 0 || data == to) {
        return;
    }
    stoa__component_drop(component, to, 1);
    stoa__value_write(component, to, data, size);
}

/* Overwrites a component where it is, and marks it. */
static void component_overwrite(const stoa__storage *storage, const stoa__component *component,
                                const stoa_column *column, stoa__row row, const void *data) {
    value_overwrite(component, row.data + column->offset + row.slot * component->info.size, data);
    stoa__row_mark(storage, column, row);
}

/* Moves an entity along an edge to another archetype that has components. The caller writes the
 * values that the edge puts before: into `to`, a row appended to the target. */
static void entity_move(stoa__storage *storage, stoa_entity e, stoa__archetype *source,
                        const stoa__edge *edge, stoa__row to) {
    stoa_record *record = &storage->head.records[e.index];
    stoa__edge_mark(storage, edge, to);
    if (source->index == 0) {
        storage->empty_count--;
    } else {
        stoa__edge_move(storage, edge, source, stoa__row_at(storage, record->place), to);
    }
    *stoa__row_entity(to) = e;
    record->place = to.place;
}

/* Overwrites columns where they are. */
static void columns_overwrite(const stoa__storage *storage, uint32_t place,
                              const stoa__values *change, const stoa_value *values) {
    for (uint32_t i = 0; i < change->count; i++) {
        const stoa_column *column =
            stoa__archetype_column(stoa__row_archetype(storage, place), change->key[i]);
        if (column != NULL) {
            component_overwrite(storage, stoa__component_at(storage, change->key[i]), column,
                                stoa__row_at(storage, place), values[change->source[i]].data);
        }
    }
}

/* True if the change leaves the entity in its archetype. */
static bool columns_stay(const stoa__archetype *archetype, const stoa__values *change) {
    for (uint32_t i = 0; i < change->count; i++) {
        bool there = stoa__archetype_column(archetype, change->key[i] & ~STOA__KEY_DROP) != NULL;
        if (there == ((change->key[i] & STOA__KEY_DROP) != 0)) {
            return false;
        }
    }
    return true;
}

/* Takes the row of an entity away, whose components go with it; it has none after this. */
static void row_leave(stoa__storage *storage, stoa_record *record) {
    stoa__row_remove(storage, record->place);
    record->place = 0;
    storage->empty_count++;
}

/* Room for what a change puts into sparse sets. */
static stoa_status sparse_reserve(stoa_world *world, stoa_entity e, const stoa__values *change) {
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
    value_overwrite(set->component, stoa__sparse_value(set, position), data);
    STOA_STORE(&set->changed[position], storage->head.tick);
}

/* Applies the sparse part of a change, for which there is room. */
static void sparse_change(stoa_world *world, stoa_entity e, const stoa__values *change,
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

/* Applies the columns' part of a change that leads to another archetype. */
static stoa_status columns_change(stoa_world *world, stoa_entity e, const stoa__values *change,
                                  const stoa_value *values) {
    stoa__storage *storage = &world->storage;
    stoa_record *record = &storage->head.records[e.index];
    stoa__archetype *source = stoa__row_archetype(storage, record->place);
    stoa__edge *edge = stoa__edge_get(storage, source, change->key, change->count, change->hash);
    if (edge == NULL) {
        return stoa_last_error().status;
    }
    if (edge->target->index == 0) {
        row_leave(storage, record);
        return STOA_OK;
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

/* Makes sure that a change that is told of will not fail after it was told. A hook could still take
 * the room. */
static stoa_status change_reserve(stoa_world *world, stoa_entity e, const stoa__values *change) {
    stoa__storage *storage = &world->storage;
    stoa__archetype *source = stoa__row_archetype(storage, storage->head.records[e.index].place);
    if (!columns_stay(source, change)) {
        const stoa__edge *edge =
            stoa__edge_get(storage, source, change->key, change->count, change->hash);
        if (edge == NULL) {
            return stoa_last_error().status;
        }
        stoa_status status =
            edge->target->index != 0 ? stoa__archetype_reserve(storage, edge->target, 1) : STOA_OK;
        if (status != STOA_OK) {
            return status;
        }
    }
    return sparse_reserve(world, e, change);
}

/* Applies a change of any kind to a live entity; the thread's error is set, not reported. */
static stoa_status change_apply(stoa_world *world, stoa_entity e, const stoa__values *change,
                                const stoa_value *values) {
    const stoa__storage *storage = &world->storage;
    uint32_t place = storage->head.records[e.index].place;
    stoa_status status = sparse_reserve(world, e, change);
    if (status != STOA_OK) {
        return status;
    }
    if (columns_stay(stoa__row_archetype(storage, place), change)) {
        columns_overwrite(storage, place, change, values);
    } else {
        status = columns_change(world, e, change, values);
    }
    if (status == STOA_OK) {
        sparse_change(world, e, change, values);
    }
    return status;
}

/* True if a change adds or removes something. */
static bool effect_structural(const stoa__effect *effect) {
    for (uint32_t i = 0; i < effect->count; i++) {
        if ((effect->does[i] & (STOA__DOES_ADD | STOA__DOES_REMOVE)) != 0) {
            return true;
        }
    }
    return false;
}

/* Any change to a live entity, told to whom it concerns; reported. */
STOA__APART static stoa_status change_any(stoa_world *world, stoa_entity e,
                                          const stoa__values *change, const stoa_value *values) {
    stoa__effect effect;
    stoa__effect_read(world, e, change, values, false, &effect);
    stoa_status status = effect_structural(&effect) ? stoa__world_may_touch(world, e) : STOA_OK;
    if (status != STOA_OK) {
        return status;
    }
    status = stoa__effect_room(world, &effect);
    if (status == STOA_OK && effect.told) {
        status = change_reserve(world, e, change);
    }
    if (status == STOA_OK) {
        stoa__effect_before(world, e, &effect);
        status = change_apply(world, e, change, values);
    }
    if (status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    stoa__effect_after(world, e, &effect);
    return STOA_OK;
}

/* change_any for one component that is put or dropped. */
STOA__APART static stoa_status change_one(stoa_world *world, stoa_entity e, uint32_t key,
                                          const void *data) {
    stoa_component id = key & ~STOA__KEY_DROP;
    bool drops = (key & STOA__KEY_DROP) != 0;
    const stoa_value value = {.id = id, .data = data, .op = drops ? STOA_DROP : STOA_PUT};
    stoa__values change;
    bool sparse = stoa__component_at(&world->storage, id)->set != NULL;
    change.count = !sparse;
    change.sparse_count = sparse;
    change.key[0] = key;
    change.source[0] = 0;
    change.hash = sparse ? 0 : stoa__edge_hash(0, key);
    return change_any(world, e, &change, &value);
}

/* Moves an entity along a swift edge, into a row appended to the target. */
STOA__INLINE void row_move(stoa__storage *storage, stoa_entity e, stoa__archetype *source,
                           const stoa__edge *edge, const void *data, stoa__row to) {
    stoa_record *record = &storage->head.records[e.index];
    const stoa__put *put = edge->puts;
    if (put->to != 0) {
        if (STOA_LIKELY(put->size != 0)) {
            stoa__value_copy(to.data + put->to + to.slot * put->size, data, put->size);
        }
        stoa__state_mark(stoa__state_of(to.data, put->to), storage->head.tick, true);
    }
    stoa__row from = stoa__row_at(storage, record->place);
    *stoa__row_entity(to) = e;
    record->place = to.place;
    stoa__edge_move_quick(storage, edge, source, from, to);
}

/* Puts a component along a swift edge, told to its hooks and to nobody else. */
static stoa_status put_hooked(stoa_world *world, stoa_entity e, stoa__archetype *source,
                              stoa__edge *edge, const void *data) {
    stoa__storage *storage = &world->storage;
    stoa__row to;
    stoa_status status = stoa__hook_room(world);
    if (status == STOA_OK) {
        status = stoa__row_append(storage, edge->target, &to);
    }
    if (status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    stoa__edge_ready(storage, edge, source);
    row_move(storage, e, source, edge, data, to);
    const stoa__component *component = stoa__component_at(storage, edge->single);
    void *value = to.data + edge->puts->to + to.slot * edge->puts->size;
    bool adds = component->hooks[STOA_ON_ADD] != NULL;
    stoa__hook_lock(world, e);
    if (adds) {
        stoa__hook_fire(world, STOA_ON_ADD, e, component, value);
    }
    if (data != NULL) {
        stoa__hook_fire(world, STOA_ON_SET, e, component, adds ? NULL : value);
    }
    stoa__hook_unlock(world);
    return STOA_OK;
}

/* component_move for edges that are not quick. */
STOA__APART static stoa_status component_move_any(stoa_world *world, stoa_entity e,
                                                  stoa__archetype *source, stoa__edge *edge,
                                                  const void *data) {
    stoa__storage *storage = &world->storage;
    if (edge->watched) {
        bool short_way = edge->swift && !storage->watch_all && edge->puts->to != 0;
        return short_way ? put_hooked(world, e, source, edge, data)
                         : change_one(world, e, edge->single, data);
    }
    if (edge->target->index == 0) {
        row_leave(storage, &storage->head.records[e.index]);
        return STOA_OK;
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
STOA__INLINE stoa_status component_move(stoa_world *world, stoa_entity e, stoa__archetype *source,
                                        uint32_t key, const void *data) {
    stoa_status status = stoa__world_may_touch(world, e);
    if (!STOA_LIKELY(status == STOA_OK)) {
        return status;
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
    status = stoa__row_append(storage, edge->target, &to);
    if (!STOA_LIKELY(status == STOA_OK)) {
        return stoa__world_report(world, status);
    }
    stoa__edge_ready(storage, edge, source);
    row_move(storage, e, source, edge, data, to);
    return STOA_OK;
}

/* True if a sparse component can be put or removed without telling anybody. */
STOA__INLINE bool sparse_quiet(const stoa_world *world, const stoa__component *component) {
    return component->hooked == 0 && !world->storage.watch_all && world->storage.head.open == 0;
}

/* Puts one sparse component. */
STOA__APART static stoa_status sparse_put_one(stoa_world *world, stoa_entity e,
                                              const stoa__component *component, const void *data,
                                              bool overwrite) {
    stoa__sparse *set = component->set;
    stoa__storage *storage = &world->storage;
    if (stoa__entities_find(storage, e) == NULL) {
        return stoa__world_dead(world, e);
    }
    bool there = stoa__sparse_find(set, e.index) != STOA__NONE;
    if (there && !overwrite) {
        return STOA_OK;
    }
    if (!STOA_LIKELY(sparse_quiet(world, component))) {
        return change_one(world, e, component->info.id, data);
    }
    if (!there && !STOA_LIKELY(stoa__sparse_reserve(&storage->heap, set, e.index, 1))) {
        return stoa__world_report(world, stoa__error_memory("a sparse component"));
    }
    sparse_put(storage, set, e, data);
    return STOA_OK;
}

/* Takes one sparse component away. */
STOA__APART static stoa_status sparse_take_one(stoa_world *world, stoa_entity e,
                                               const stoa__component *component) {
    if (stoa__entities_find(&world->storage, e) == NULL) {
        return stoa__world_dead(world, e);
    }
    if (!STOA_LIKELY(sparse_quiet(world, component))) {
        return stoa__sparse_find(component->set, e.index) == STOA__NONE
                   ? STOA_OK
                   : change_one(world, e, component->info.id | STOA__KEY_DROP, NULL);
    }
    stoa__sparse_remove(component->set, e.index);
    return STOA_OK;
}

/* Puts one component; `overwrite` tells what to do if it is there. `id` must be known. */
STOA__INLINE stoa_status component_put(stoa_world *world, stoa_entity e, stoa_component id,
                                       const void *data, bool overwrite) {
    stoa__storage *storage = &world->storage;
    if (!STOA_LIKELY(storage->sparse_first == NULL) &&
        stoa__component_at(storage, id)->set != NULL) {
        return sparse_put_one(world, e, stoa__component_at(storage, id), data, overwrite);
    }
    stoa_record *record = stoa__entities_find(storage, e);
    if (!STOA_LIKELY(record != NULL)) {
        return stoa__world_dead(world, e);
    }
    stoa__archetype *archetype = stoa__row_archetype(storage, record->place);
    const stoa_column *column = stoa__archetype_column(archetype, id);
    if (column == NULL) {
        return component_move(world, e, archetype, id, data);
    }
    const stoa__component *component = stoa__component_at(storage, id);
    if (!overwrite) {
        return STOA_OK;
    }
    if (!STOA_LIKELY((component->hooked & STOA__DOES_SET) == 0)) {
        return change_one(world, e, id, data);
    }
    component_overwrite(storage, component, column, stoa__row_at(storage, record->place), data);
    return STOA_OK;
}

STOA__INLINE stoa_status component_take(stoa_world *world, stoa_entity e, stoa_component id) {
    stoa__storage *storage = &world->storage;
    if (!STOA_LIKELY(storage->sparse_first == NULL) &&
        stoa__component_at(storage, id)->set != NULL) {
        return sparse_take_one(world, e, stoa__component_at(storage, id));
    }
    stoa_record *record = stoa__entities_find(storage, e);
    if (!STOA_LIKELY(record != NULL)) {
        return stoa__world_dead(world, e);
    }
    stoa__archetype *archetype = stoa__row_archetype(storage, record->place);
    if (stoa__archetype_column(archetype, id) == NULL) {
        return STOA_OK;
    }
    return component_move(world, e, archetype, id | STOA__KEY_DROP, NULL);
}

/* What stands for the value of a tag: to set one is to give a value, of no bytes. */
static const uint8_t tag_value;

stoa_status stoa_set_id(stoa_world *world, stoa_entity e, stoa_component id, const void *value,
                        size_t size) {
    stoa_status status = stoa__world_knows(world, id);
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
    return component_put(world, e, id, value != NULL ? value : &tag_value, true);
}

stoa_status stoa_add_id(stoa_world *world, stoa_entity e, stoa_component id) {
    stoa_status status = stoa__world_knows(world, id);
    return status == STOA_OK ? component_put(world, e, id, NULL, false) : status;
}

stoa_status stoa_remove_id(stoa_world *world, stoa_entity e, stoa_component id) {
    stoa_status status = stoa__world_knows(world, id);
    return status == STOA_OK ? component_take(world, e, id) : status;
}

stoa_status stoa_set_type(stoa_world *world, stoa_entity e, stoa_type *type, const void *value) {
    stoa_component id = stoa__value_type(world, e, type);
    if (!STOA_LIKELY(id != 0)) {
        return stoa_last_error().status;
    }
    if (value == NULL && type->size != 0) {
        return stoa__world_null(world, "value");
    }
    return component_put(world, e, id, value != NULL ? value : &tag_value, true);
}

stoa_status stoa_add_type(stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = stoa__value_type(world, e, type);
    return id != 0 ? component_put(world, e, id, NULL, false) : stoa_last_error().status;
}

stoa_status stoa_remove_type(stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = stoa__value_type(world, e, type);
    return id != 0 ? component_take(world, e, id) : stoa_last_error().status;
}

/* Values that are the entity's own components are left where they are: to move them in would be to
 * drop them after. */
static void own_values_omit(const stoa_world *world, stoa_entity e, stoa__values *change,
                            const stoa_value *values) {
    for (uint32_t i = stoa__values_total(change); i-- > 0;) {
        const void *data = values[change->source[i]].data;
        if ((change->key[i] & STOA__KEY_DROP) == 0 && data != NULL &&
            data == stoa__world_value(world, e, change->key[i])) {
            stoa__values_omit(change, i);
        }
    }
}

stoa_status stoa_change_values(stoa_world *world, stoa_entity e, const stoa_value *values,
                               int32_t count) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    if (stoa__entities_find(&world->storage, e) == NULL) {
        return stoa__world_dead(world, e);
    }
    stoa__values change;
    stoa_status status = stoa__values_read(world, values, count, true, &change);
    if (status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    own_values_omit(world, e, &change, values);
    return change_any(world, e, &change, values);
}

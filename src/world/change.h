/* Changing what an entity has: what the files of it share. */
#ifndef STOA_WORLD_CHANGE_H
#define STOA_WORLD_CHANGE_H

#include "storage/edge.h"
#include "storage/sparse.h"
#include "world/values.h"

/* A change of any kind to one component of a live entity, told to whom it concerns: `key` is its
 * id, with STOA__KEY_DROP to take it away. Reported. */
stoa_status stoa__change_one(stoa_world *world, stoa_entity e, uint32_t key, const void *data);

/* Sets one component, adds it, or takes it away; `id` must be known. Reported. */
stoa_status stoa__change_set(stoa_world *world, stoa_entity e, stoa_component id, const void *data);
stoa_status stoa__change_add(stoa_world *world, stoa_entity e, stoa_component id);
stoa_status stoa__change_take(stoa_world *world, stoa_entity e, stoa_component id);

/* Sets one component that is not sparse, or adds it if there is no value. Reported. */
stoa_status stoa__change_column_put(stoa_world *world, stoa_entity e, stoa_component id,
                                    const void *data);

/* Takes one component away that is not sparse. Reported. */
stoa_status stoa__change_column_take(stoa_world *world, stoa_entity e, stoa_component id);

/* Calls the hooks of one kind, of which there are some; the value is where it was put. */
STOA__INLINE void stoa__change_fire(stoa_world *world, stoa_hook_kind kind, stoa_entity e,
                                    const stoa__component *component, void *value) {
    const stoa__hook *last = component->hooks[kind], *hook = last->ring;
    if (STOA_LIKELY(!hook->removed)) {
        hook->call(world, e, value, hook->user);
    }
    if (!STOA_LIKELY(hook == last)) {
        stoa__hook_fire(world, e, component, hook, last);
    }
}

/* Tells hooks of a component that is new, and, with a value, that it was given one. */
STOA__INLINE void stoa__change_tell(stoa_world *world, stoa_entity e,
                                    const stoa__component *component, void *value, bool given) {
    stoa__hook_lock(world, e);
    bool adds = component->hooks[STOA_ON_ADD] != NULL;
    if (adds) {
        stoa__change_fire(world, STOA_ON_ADD, e, component, value);
    }
    const stoa__hook *last = given ? component->hooks[STOA_ON_SET] : NULL;
    if (last != NULL && adds) {
        stoa__hook_fire(world, e, component, last, last);
    } else if (last != NULL) {
        stoa__change_fire(world, STOA_ON_SET, e, component, value);
    }
    stoa__hook_unlock(world);
}

/* Overwrites a value where it is. */
STOA__INLINE void stoa__change_overwrite(const stoa__component *component, uint8_t *to,
                                         const void *data) {
    size_t size = component->info.size;
    if (size == 0 || data == to) {
        return;
    }
    stoa__component_drop(component, to, 1);
    stoa__value_write(component, to, data, size);
}

/* Overwrites a component where it is, and marks it. */
STOA__INLINE void stoa__change_component(const stoa__storage *storage,
                                         const stoa__component *component,
                                         const stoa_column *column, stoa__row row,
                                         const void *data) {
    uint8_t *start = stoa_column_begin(row.columns, column->index);
    stoa__change_overwrite(component, start + row.slot * component->info.size, data);
    stoa__row_mark(storage, column, row);
}

/* Moves an entity along an edge to another archetype that has components. The caller writes the
 * values that the edge puts before: into `to`, a row appended to the target. */
STOA__INLINE void stoa__change_move(stoa__storage *storage, stoa_entity e, stoa__archetype *source,
                                    const stoa__edge *edge, stoa__row to) {
    stoa__edge_mark(storage, edge, to);
    if (source->index == 0) {
        storage->empty_count--;
    } else {
        stoa__row from = stoa__row_at(storage, stoa__place_of(storage, e.index));
        stoa__edge_move(storage, edge, source, from, to);
    }
    *stoa__row_entity(to) = e;
    stoa__place_set(storage->head.records, e.index, to.place);
    stoa__record_stamp(storage, e.index);
}

/* Takes the row of an entity away, whose components go with it; it has none after this. */
STOA__INLINE void stoa__change_leave(stoa__storage *storage, uint32_t index) {
    stoa__row_remove(storage, stoa__place_of(storage, index));
    stoa__place_set(storage->head.records, index, 0);
    stoa__record_stamp(storage, index);
    storage->empty_count++;
}

/* Room for what a change puts into sparse sets; the thread's error is set, not reported. */
stoa_status stoa__change_sparse_reserve(stoa_world *world, stoa_entity e,
                                        const stoa__values *change);

/* Applies the sparse part of a change, for which there is room. */
void stoa__change_sparse_apply(stoa_world *world, stoa_entity e, const stoa__values *change,
                               const stoa_value *values);

/* Adds one sparse component, sets it, or takes it away. Reported. */
stoa_status stoa__change_sparse_add(stoa_world *world, stoa_entity e, stoa__sparse *set);
stoa_status stoa__change_sparse_set(stoa_world *world, stoa_entity e, stoa__sparse *set,
                                    const void *data);
stoa_status stoa__change_sparse_take(stoa_world *world, stoa_entity e, stoa__sparse *set);

/* The same where it is known that the short way does not do; without data it is added. */
stoa_status stoa__change_sparse_put_any(stoa_world *world, stoa_entity e, stoa__sparse *set,
                                        const void *data);
stoa_status stoa__change_sparse_take_any(stoa_world *world, stoa_entity e, stoa__sparse *set);

#endif

/* Changing what an entity has: what the files of it share. */
#ifndef STOA_WORLD_CHANGE_H
#define STOA_WORLD_CHANGE_H

#include "storage/edge.h"
#include "storage/sparse.h"
#include "world/values.h"

/* A change of any kind to one component of a live entity, told to whom it concerns: `key` is its
 * id, with STOA__KEY_DROP to take it away. Reported. */
stoa_status stoa__change_one(stoa_world *world, stoa_entity e, uint32_t key, const void *data);

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
    stoa__change_overwrite(component, row.data + column->offset + row.slot * component->info.size,
                           data);
    stoa__row_mark(storage, column, row);
}

/* Moves an entity along an edge to another archetype that has components. The caller writes the
 * values that the edge puts before: into `to`, a row appended to the target. */
STOA__INLINE void stoa__change_move(stoa__storage *storage, stoa_entity e, stoa__archetype *source,
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
    stoa__record_stamp(storage, e.index);
}

/* Takes the row of an entity away, whose components go with it; it has none after this. */
STOA__INLINE void stoa__change_leave(stoa__storage *storage, uint32_t index) {
    stoa_record *record = &storage->head.records[index];
    stoa__row_remove(storage, record->place);
    record->place = 0;
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

#endif

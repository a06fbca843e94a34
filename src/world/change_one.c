/* Changing what an entity has by one component: putting it, removing it.
 *
 * A plain column that nobody watches, or of which only hooks are told that it was put, takes the
 * short way along an edge that is remembered. What is told otherwise or has lanes of its own goes
 * through stoa__change_one. Everything that can fail comes before the first write. A change costs a
 * copy of the row and of the one that fills its place. One thread at a time. */
#include "world/change.h"

#include "storage/entities.h"
#include "world/guard.h"
#include "world/react.h"

/* Moves an entity along a swift edge of one component, into a row appended to the target; returns
 * where the component is there, NULL for a tag or a removal. */
STOA__INLINE void *row_move(stoa__storage *storage, stoa_entity e, stoa__archetype *source,
                            const stoa__edge *edge, const void *data, stoa__row to) {
    const stoa__put *put = edge->puts;
    uint32_t put_to = put->to;
    uint8_t *value = NULL;
    if (put_to != 0) {
        size_t size = put->size;
        uint8_t *column = stoa_column_begin(to.columns, put_to);
        stoa__state_mark(stoa__column_state(column), storage->head.tick, true);
        if (STOA_LIKELY(size != 0)) {
            value = column + to.slot * size;
            stoa__value_copy(value, data, size);
        }
    }
    stoa__row from = stoa__row_at(storage, stoa__place_of(storage, e.index));
    *stoa__row_entity(to) = e;
    stoa__place_set(storage->head.records, e.index, to.place);
    stoa__record_stamp(storage, e.index);
    stoa__edge_move_quick(storage, edge, source, from, to);
    return value;
}

/* Moves an entity along a quick edge. */
STOA__APART static stoa_status move_quick(stoa_world *world, stoa_entity e, stoa__archetype *source,
                                          stoa__edge *edge, const void *data) {
    stoa__storage *storage = &world->storage;
    stoa__row to;
    stoa_status status = stoa__row_append(storage, edge->target, &to);
    if (!STOA_LIKELY(status == STOA_OK)) {
        return stoa__world_report(world, status);
    }
    stoa__edge_ready(storage, edge);
    row_move(storage, e, source, edge, data, to);
    return STOA_OK;
}

/* Puts a component along an edge that is told to its hooks only; there must be room to lock the
 * entity. */
STOA__APART static stoa_status put_hooked(stoa_world *world, stoa_entity e, stoa__archetype *source,
                                          stoa__edge *edge, const void *data) {
    stoa__storage *storage = &world->storage;
    const stoa__component *component = stoa__component_at(storage, edge->single);
    stoa__row to;
    stoa_status status = stoa__row_append(storage, edge->target, &to);
    if (!STOA_LIKELY(status == STOA_OK)) {
        return stoa__world_report(world, status);
    }
    stoa__edge_ready(storage, edge);
    void *value = row_move(storage, e, source, edge, data, to);
    stoa__change_tell(world, e, component, value, data != NULL);
    return STOA_OK;
}

/* component_move for edges that are not quick. */
STOA__APART static stoa_status component_move_any(stoa_world *world, stoa_entity e,
                                                  stoa__archetype *source, stoa__edge *edge,
                                                  const void *data) {
    stoa__storage *storage = &world->storage;
    if (edge->watched) {
        return stoa__change_one(world, e, edge->single, data);
    }
    if (edge->target->index == 0) {
        stoa__change_leave(storage, e.index);
        return STOA_OK;
    }
    stoa__row to;
    stoa_status status = stoa__row_append(storage, edge->target, &to);
    if (status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    stoa__edge_ready(storage, edge);
    stoa__value_put(edge, edge->puts, to, data);
    stoa__change_move(storage, e, source, edge, to);
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
    if (edge->quick) {
        return move_quick(world, e, source, edge, data);
    }
    return edge->hooked && world->hooks.depth < STOA_HOOK_DEPTH
               ? put_hooked(world, e, source, edge, data)
               : component_move_any(world, e, source, edge, data);
}

/* Overwrites a component of which nobody is told. */
STOA__APART static stoa_status overwrite_untold(const stoa__storage *storage,
                                                const stoa__component *component,
                                                const stoa_column *column, uint32_t place,
                                                const void *data) {
    stoa__change_component(storage, component, column, stoa__row_at(storage, place), data);
    return STOA_OK;
}

/* Overwrites a component of which only hooks are told, with nothing under way. What the first of
 * them sees is where it was put. */
STOA__APART static stoa_status overwrite_hooked(stoa_world *world, stoa_entity e,
                                                const stoa__component *component,
                                                const stoa_column *column, uint32_t place,
                                                const void *data) {
    stoa__row row = stoa__row_at(&world->storage, place);
    size_t size = component->info.size;
    uint8_t *value = stoa_column_begin(row.columns, column->index) + row.slot * size;
    stoa__change_overwrite(component, value, data);
    stoa__row_mark(&world->storage, column, row);
    stoa__hook_lock_first(world, e);
    stoa__change_fire(world, STOA_ON_SET, e, component, size != 0 ? value : NULL);
    stoa__hook_unlock_first(world);
    return STOA_OK;
}

/* Overwrites a component that is immutable or watched. */
STOA__INLINE stoa_status overwrite_told(stoa_world *world, stoa_entity e,
                                        const stoa__component *component, const stoa_column *column,
                                        uint32_t place, const void *data) {
    const stoa__storage *storage = &world->storage;
    bool hooks_only = component->hooks[STOA_ON_SET] != NULL && !storage->watch_all &&
                      (component->hooked & STOA__HOOKED_SET & STOA__HOOKED_VETO) == 0;
    return STOA_LIKELY(hooks_only && storage->head.open == 0)
               ? overwrite_hooked(world, e, component, column, place, data)
               : stoa__change_one(world, e, component->info.id, data);
}

/* Sets a component that is in a column. */
STOA__INLINE stoa_status column_overwrite(stoa_world *world, stoa_entity e, stoa_component id,
                                          const stoa_column *column, uint32_t place,
                                          const void *data) {
    const stoa__storage *storage = &world->storage;
    const stoa__component *component = stoa__component_at(storage, id);
    if (data == NULL) {
        return STOA_OK;
    }
    if (!stoa__guard_allows(world, id, true)) {
        return STOA_ACCESS;
    }
    return STOA_LIKELY((component->hooked & STOA__HOOKED_SET) == 0 && !component->fixed)
               ? overwrite_untold(storage, component, column, place, data)
               : overwrite_told(world, e, component, column, place, data);
}

/* stoa__change_column_put for a live entity whose component is not in the first column looked at.
 */
STOA__APART static stoa_status column_put_sought(stoa_world *world, stoa_entity e,
                                                 stoa_component id, const void *data) {
    stoa__storage *storage = &world->storage;
    uint32_t place = stoa__place_of(storage, e.index);
    stoa__archetype *archetype = stoa__row_archetype(storage, place);
    const stoa_column *column = stoa__archetype_column(archetype, id);
    return column != NULL ? column_overwrite(world, e, id, column, place, data)
                          : component_move(world, e, archetype, id, data);
}

stoa_status stoa__change_column_put(stoa_world *world, stoa_entity e, stoa_component id,
                                    const void *data) {
    const stoa__storage *storage = &world->storage;
    if (!STOA_LIKELY(stoa__entities_find(storage, e) != NULL)) {
        return stoa__world_dead(world, e);
    }
    uint32_t place = stoa__place_of(storage, e.index);
    const stoa__archetype *archetype = stoa__row_archetype(storage, place);
    const stoa_column *column = stoa_archetype_entry(&archetype->head, id);
    return STOA_LIKELY(column->id == id) ? column_overwrite(world, e, id, column, place, data)
                                         : column_put_sought(world, e, id, data);
}

stoa_status stoa__change_column_take(stoa_world *world, stoa_entity e, stoa_component id) {
    const stoa__storage *storage = &world->storage;
    if (!STOA_LIKELY(stoa__entities_find(storage, e) != NULL)) {
        return stoa__world_dead(world, e);
    }
    stoa__archetype *archetype = stoa__row_archetype(storage, stoa__place_of(storage, e.index));
    if (stoa__archetype_column(archetype, id) == NULL) {
        return STOA_OK;
    }
    return component_move(world, e, archetype, id | STOA__KEY_DROP, NULL);
}

/* The set of a component, NULL if it is not sparse; `id` must be known. */
STOA__INLINE stoa__sparse *id_set(const stoa_world *world, stoa_component id) {
    const stoa__storage *storage = &world->storage;
    return STOA_LIKELY(storage->sparse_first == NULL) ? NULL : stoa__component_at(storage, id)->set;
}

stoa_status stoa__change_set(stoa_world *world, stoa_entity e, stoa_component id,
                             const void *data) {
    stoa__sparse *set = id_set(world, id);
    return set != NULL ? stoa__change_sparse_set(world, e, set, data)
                       : stoa__change_column_put(world, e, id, data);
}

stoa_status stoa__change_add(stoa_world *world, stoa_entity e, stoa_component id) {
    stoa__sparse *set = id_set(world, id);
    return set != NULL ? stoa__change_sparse_add(world, e, set)
                       : stoa__change_column_put(world, e, id, NULL);
}

stoa_status stoa__change_take(stoa_world *world, stoa_entity e, stoa_component id) {
    stoa__sparse *set = id_set(world, id);
    return set != NULL ? stoa__change_sparse_take(world, e, set)
                       : stoa__change_column_take(world, e, id);
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
    return stoa__change_set(world, e, id, value != NULL ? value : &tag_value);
}

stoa_status stoa_add_id(stoa_world *world, stoa_entity e, stoa_component id) {
    stoa_status status = stoa__world_knows(world, id);
    return status == STOA_OK ? stoa__change_add(world, e, id) : status;
}

stoa_status stoa_remove_id(stoa_world *world, stoa_entity e, stoa_component id) {
    stoa_status status = stoa__world_knows(world, id);
    return status == STOA_OK ? stoa__change_take(world, e, id) : status;
}

/* Changing what an entity has: any components, several at once.
 *
 * A change finds its edge, appends a row to the target, writes the caller's values there, then
 * moves the rest over and fills the hole. Everything that can fail comes before the first write.
 * Values are read before any row of the source moves, so they may point into the world. One plain
 * component takes a shorter way, see change_one.c; change_sparse.c has the sparse ones. */
#include "world/change.h"

#include "storage/entities.h"
#include "world/guard.h"
#include "world/react.h"

/* Overwrites columns where they are. */
static void columns_overwrite(const stoa__storage *storage, uint32_t place,
                              const stoa__values *change, const stoa_value *values) {
    for (uint32_t i = 0; i < change->count; i++) {
        const stoa_column *column =
            stoa__archetype_column(stoa__row_archetype(storage, place), change->key[i]);
        if (column != NULL) {
            stoa__change_component(storage, stoa__component_at(storage, change->key[i]), column,
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

/* Applies the columns' part of a change that leads to another archetype. */
static stoa_status columns_change(stoa_world *world, stoa_entity e, const stoa__values *change,
                                  const stoa_value *values) {
    stoa__storage *storage = &world->storage;
    stoa__archetype *source = stoa__row_archetype(storage, stoa__place_of(storage, e.index));
    stoa__edge *edge = stoa__edge_get(storage, source, change->key, change->count, change->hash);
    if (edge == NULL) {
        return stoa_last_error().status;
    }
    if (edge->target->index == 0) {
        stoa__change_leave(storage, e.index);
        return STOA_OK;
    }
    stoa__row to;
    stoa_status status = stoa__row_append(storage, edge->target, &to);
    if (status != STOA_OK) {
        return status;
    }
    stoa__edge_ready(storage, edge);
    for (uint32_t i = 0; i < change->count; i++) {
        stoa__value_put(edge, &edge->puts[i], to, values[change->source[i]].data);
    }
    stoa__change_move(storage, e, source, edge, to);
    return STOA_OK;
}

/* Makes sure that a change that is told of will not fail after it was told. A hook could still take
 * the room. */
static stoa_status change_reserve(stoa_world *world, stoa_entity e, const stoa__values *change) {
    stoa__storage *storage = &world->storage;
    stoa__archetype *source = stoa__row_archetype(storage, stoa__place_of(storage, e.index));
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
    return stoa__change_sparse_reserve(world, e, change);
}

/* Applies a change of any kind to a live entity; the thread's error is set, not reported. */
static stoa_status change_apply(stoa_world *world, stoa_entity e, const stoa__values *change,
                                const stoa_value *values) {
    const stoa__storage *storage = &world->storage;
    uint32_t place = stoa__place_of(storage, e.index);
    stoa_status status = stoa__change_sparse_reserve(world, e, change);
    if (status != STOA_OK) {
        return status;
    }
    if (columns_stay(stoa__row_archetype(storage, place), change)) {
        columns_overwrite(storage, place, change, values);
    } else {
        status = columns_change(world, e, change, values);
    }
    if (status == STOA_OK) {
        stoa__change_sparse_apply(world, e, change, values);
    }
    return status;
}

/* STOA_OK if what the change does may be done now; otherwise reported. To replace an immutable
 * component counts as a change of structure. */
static stoa_status effect_may(const stoa_world *world, stoa_entity e, const stoa__effect *effect) {
    bool structural = false, kept = true;
    for (uint32_t i = 0; i < effect->count; i++) {
        const stoa__component *component = stoa__component_at(&world->storage, effect->ids[i]);
        kept = kept && (component->info.flags & STOA_MANAGED) != 0;
        structural = structural || component->fixed ||
                     (effect->does[i] & (STOA__DOES_ADD | STOA__DOES_REMOVE)) != 0;
    }
    if (!structural) {
        return STOA_OK;
    }
    stoa_status status = kept ? STOA_OK : stoa__world_may_touch(world, e);
    for (uint32_t i = 0; kept && i < effect->count && status == STOA_OK; i++) {
        status = stoa__world_may_keep(world, e, effect->ids[i]);
    }
    return status;
}

/* Any change to a live entity, told to whom it concerns; reported. */
STOA__APART static stoa_status change_any(stoa_world *world, stoa_entity e,
                                          const stoa__values *change, const stoa_value *values) {
    stoa__effect effect;
    stoa__effect_read(world, e, change, values, false, &effect);
    stoa_status status = effect_may(world, e, &effect);
    if (status != STOA_OK) {
        return status;
    }
    status = stoa__effect_room(world, &effect);
    if (status == STOA_OK) {
        status = stoa__react_ask(world, e, change, values, 1);
    }
    if (status == STOA_OK && effect.told) {
        status = change_reserve(world, e, change);
    }
    if (status == STOA_OK) {
        stoa__effect_before(world, e, &effect);
        status = change_apply(world, e, change, values);
    }
    if (status != STOA_OK) {
        return stoa__extension_unmade(world, status);
    }
    stoa__effect_after(world, e, &effect);
    return STOA_OK;
}

stoa_status stoa__change_one(stoa_world *world, stoa_entity e, uint32_t key, const void *data) {
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

/* True if the calling thread may write what a change overwrites; otherwise the failure is reported.
 */
static bool change_allowed(const stoa_world *world, stoa_entity e, const stoa__values *change) {
    bool allowed = true;
#ifdef STOA_DEBUG
    for (uint32_t i = 0; i < stoa__values_total(change) && allowed; i++) {
        uint32_t key = change->key[i];
        allowed = (key & STOA__KEY_DROP) != 0 || stoa__world_value(world, e, key) == NULL ||
                  stoa__guard_allows(world, key, true);
    }
#else
    (void)world, (void)e, (void)change;
#endif
    return allowed;
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
    stoa_status status = stoa__values_read(world, values, count, STOA__VALUES_CHANGE, &change);
    if (status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    own_values_omit(world, e, &change, values);
    if (!change_allowed(world, e, &change)) {
        return STOA_ACCESS;
    }
    return change_any(world, e, &change, values);
}

/* Changing what an entity has by one component of a described type: what is tried first, a vector
 * beside a vector.
 *
 * With gcc this file is built without the registers that a function would have to save, since that
 * takes as many instructions as a quarter of a shift. Whatever else has to be done is a call with
 * no way back. One thread at a time. */
#include "storage/shift.h"

#include "world/change_type.h"

/* The way that is remembered of a type, or NULL; neither need be there. */
STOA__INLINE const stoa__way *way_find(const stoa_world *world, const stoa_type *type, bool drops) {
    if (!STOA_LIKELY(world != NULL)) {
        return NULL;
    }
    if (!STOA_LIKELY(type != NULL)) {
        return NULL;
    }
    const stoa__way *way = drops ? stoa__type_drop_at(world, type) : stoa__type_put_at(world, type);
    return STOA_LIKELY(way->slot == STOA_LOAD(&type->slot)) ? way : NULL;
}

/* Sets a component where a way that shifts one vector could not be gone. */
STOA__APART static stoa_status vector_set_any(stoa_world *world, stoa_entity e, stoa_type *type,
                                              const void *value) {
    return stoa__way_turn(&world->storage, stoa__type_put_at(world, type), e)
               ? stoa_set_type(world, e, type, value)
               : stoa__type_set(world, e, type, value);
}

/* Sets a component along a way that shifts one vector, is open, and has one hook told; false, with
 * nothing done, if it could not be gone. */
STOA__INLINE bool vector_set_told(stoa_world *world, stoa_entity e, const stoa__way *way,
                                  stoa__vector value) {
    uint8_t *put = way->side + STOA__VECTOR * (size_t)(uint32_t)way->end->count;
    if (!STOA_LIKELY(stoa__vector_shift(&world->storage, way, stoa_bits_read(&e), true, value))) {
        return false;
    }
    const stoa__hook *hook = way->edge->hook;
    stoa__hook_lock_first(world, e);
    hook->call(world, e, put, hook->user);
    stoa__hook_unlock_first(world);
    return true;
}

/* stoa_set_type along such a way. */
STOA__APART static stoa_status type_set_told(stoa_world *world, stoa_entity e, stoa_type *type,
                                             const void *value, const stoa__way *way) {
    stoa__vector vector = stoa__vector_of(stoa_parcel_pack(value, STOA__VECTOR));
    return STOA_LIKELY(vector_set_told(world, e, way, vector))
               ? STOA_OK
               : vector_set_any(world, e, type, value);
}

stoa_status stoa_set_type(stoa_world *world, stoa_entity e, stoa_type *type, const void *value) {
    const stoa__way *way = way_find(world, type, false);
    if (!STOA_LIKELY(way != NULL && value != NULL)) {
        return stoa__type_set_hop(world, e, type, value);
    }
    uint64_t differ = way->gate ^ stoa__gate_now(&world->storage);
    if (STOA_LIKELY(differ == 0)) {
        stoa__vector vector = stoa__vector_of(stoa_parcel_pack(value, STOA__VECTOR));
        return STOA_LIKELY(
                   stoa__vector_shift(&world->storage, way, stoa_bits_read(&e), true, vector))
                   ? STOA_OK
                   : vector_set_any(world, e, type, value);
    }
    if (differ == stoa__gate_at(STOA__GATE_SPARSE, 0)) {
        return stoa__type_set_sparse(world, e, type, way, value);
    }
    return differ == stoa__gate_at(STOA__GATE_TOLD, 0) ? type_set_told(world, e, type, value, way)
                                                       : stoa__type_set(world, e, type, value);
}

/* stoa_set_parcel along a way, from memory. */
STOA__APART static stoa_status parcel_set_any(stoa_world *world, stoa_entity e, stoa_type *type,
                                              stoa_parcel value, const stoa__way *way) {
    _Alignas(STOA_PARCEL_MAX) uint8_t bytes[STOA_PARCEL_MAX];
    stoa_parcel_unpack(bytes, value);
    uint64_t differ = way->gate ^ stoa__gate_now(&world->storage);
    if (differ == stoa__gate_at(STOA__GATE_SPARSE, 0)) {
        return stoa__type_set_sparse(world, e, type, way, bytes);
    }
    return (differ & ~stoa__gate_at(STOA__GATE_TOLD, 0)) == 0
               ? vector_set_any(world, e, type, bytes)
               : stoa__type_set(world, e, type, bytes);
}

/* stoa_set_parcel where no way is remembered, or it is not the right one. */
STOA__APART static stoa_status parcel_set_hop(stoa_world *world, stoa_entity e, stoa_type *type,
                                              stoa_parcel value) {
    if (!STOA_LIKELY(type == NULL || type->size <= STOA_PARCEL_MAX)) {
        return stoa__world_report(
            world, stoa__error(STOA_INVALID, "type '%s' has %u bytes, a parcel %u at most",
                               type->identifier, type->size, STOA_PARCEL_MAX));
    }
    _Alignas(STOA_PARCEL_MAX) uint8_t bytes[STOA_PARCEL_MAX];
    stoa_parcel_unpack(bytes, value);
    return stoa__type_set_hop(world, e, type, bytes);
}

/* stoa_set_parcel along a way that shifts one vector, is open, and has one hook told. */
STOA__APART static stoa_status parcel_set_told(stoa_world *world, stoa_entity e, stoa_type *type,
                                               stoa_parcel value, const stoa__way *way) {
    return STOA_LIKELY(vector_set_told(world, e, way, stoa__vector_of(value)))
               ? STOA_OK
               : parcel_set_any(world, e, type, value, way);
}

stoa_status stoa_set_parcel(stoa_world *world, stoa_entity e, stoa_type *type, stoa_parcel value) {
    const stoa__way *way = way_find(world, type, false);
    if (!STOA_LIKELY(way != NULL)) {
        return parcel_set_hop(world, e, type, value);
    }
    uint64_t differ = way->gate ^ stoa__gate_now(&world->storage);
    if (STOA_LIKELY(differ == 0)) {
        return STOA_LIKELY(stoa__vector_shift(&world->storage, way, stoa_bits_read(&e), true,
                                              stoa__vector_of(value)))
                   ? STOA_OK
                   : parcel_set_any(world, e, type, value, way);
    }
    if (STOA_LIKELY(differ == stoa__gate_at(STOA__GATE_ANY, 0))) {
        return stoa__wide_set(world, e, type, way, value);
    }
    return differ == stoa__gate_at(STOA__GATE_TOLD, 0) ? parcel_set_told(world, e, type, value, way)
                                                       : parcel_set_any(world, e, type, value, way);
}

/* Takes a component away where a way that shifts one vector could not be gone. */
STOA__APART static stoa_status vector_remove_any(stoa_world *world, stoa_entity e,
                                                 stoa_type *type) {
    return stoa__way_turn(&world->storage, stoa__type_drop_at(world, type), e)
               ? stoa_remove_type(world, e, type)
               : stoa__type_remove(world, e, type);
}

stoa_status stoa_remove_type(stoa_world *world, stoa_entity e, stoa_type *type) {
    const stoa__way *way = way_find(world, type, true);
    if (!STOA_LIKELY(way != NULL)) {
        return stoa__type_remove_hop(world, e, type);
    }
    uint64_t differ = way->gate ^ stoa__gate_now(&world->storage);
    if (STOA_LIKELY(differ == 0)) {
        return STOA_LIKELY(stoa__vector_shift(&world->storage, way, stoa_bits_read(&e), false,
                                              (stoa__vector){0}))
                   ? STOA_OK
                   : vector_remove_any(world, e, type);
    }
    if (STOA_LIKELY(differ == stoa__gate_at(STOA__GATE_ANY, 0))) {
        return stoa__wide_remove(world, e, type, way);
    }
    return differ == stoa__gate_at(STOA__GATE_SPARSE, 0)
               ? stoa__type_remove_sparse(world, e, type, way)
               : stoa__type_remove(world, e, type);
}

/* Changing what an entity has by one component of a described type.
 *
 * How a type was put last, and taken away, is remembered: a way. If it is open and right for the
 * entity, its row is shifted along it with nothing else asked; change_vector.c has what is tried
 * first. What is not goes by the id, and is remembered then. Everything that can fail comes before
 * the first write. One thread at a time. */
#include "world/change_type.h"

#include "storage/entities.h"
#include "storage/shift.h"
#include "storage/sparse_vector.h"

/* The id of a type, which is remembered from now on; 0 with the failure reported. */
static stoa_component type_id(stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = stoa__value_type(world, e, type);
    if (id != 0) {
        stoa__type_remember(world, type, id);
    }
    return id;
}

/* stoa_set_type for types that are not remembered, and for null values. */
STOA__APART static stoa_status type_set_any(stoa_world *world, stoa_entity e, stoa_type *type,
                                            const void *value) {
    stoa_component id = type_id(world, e, type);
    return id != 0 ? stoa_set_id(world, e, id, value, type->size) : stoa_last_error().status;
}

/* stoa_add_type for types that are not remembered. */
STOA__APART static stoa_status type_add_any(stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = type_id(world, e, type);
    return id != 0 ? stoa__change_add(world, e, id) : stoa_last_error().status;
}

/* stoa_remove_type for types that are not remembered. */
STOA__APART static stoa_status type_remove_any(stoa_world *world, stoa_entity e, stoa_type *type) {
    stoa_component id = type_id(world, e, type);
    return id != 0 ? stoa__change_take(world, e, id) : stoa_last_error().status;
}

/* Remembers the edge that was taken last for a key, to be found by the type; if rows cannot be
 * shifted along it there is nothing to be remembered. */
static void way_note(stoa_world *world, const stoa_type *type, uint32_t key) {
    stoa__storage *storage = &world->storage;
    const stoa__hop *hop = stoa__edge_hop_at(storage, key);
    if (hop->key == key && stoa__gate_now(storage) == stoa__gate_of(hop->edge->epoch)) {
        bool drops = (key & STOA__KEY_DROP) != 0;
        stoa__way *ways = drops ? world->drops : world->puts;
        stoa__way *way = drops ? stoa__type_drop_at(world, type) : stoa__type_put_at(world, type);
        uint32_t number = (uint32_t)(way - ways), tally = drops ? STOA__WAYS + number : number;
        if (hop->edge->open) {
            stoa__way_fill(storage, ways, number, hop->edge, STOA_LOAD(&type->slot), tally);
        } else {
            way->slot = STOA__NONE;
        }
    }
}

/* Remembers the set of a sparse component; one of vectors that nobody watches once it has pages. */
static void way_note_sparse(const stoa_world *world, const stoa__type_hop *hop, stoa__way *way) {
    const stoa__sparse *set = hop->set;
    bool vector = set->swift && set->size == STOA__VECTOR;
    if (world->storage.head.open == 0 && (!vector || set->table != NULL)) {
        *way = (stoa__way){.gate = stoa__gate_at(STOA__GATE_SPARSE, world->storage.head.epoch),
                           .set = hop->set,
                           .pages = vector ? set->table : NULL,
                           .slot = hop->slot};
    }
}

/* stoa__change_column_put for a type that is remembered. */
STOA__APART static stoa_status column_set(stoa_world *world, stoa_entity e, const stoa_type *type,
                                          stoa_component id, const void *data) {
    const stoa_record *record = stoa__entities_find(&world->storage, e);
    uint32_t place = record != NULL ? stoa__place_of(&world->storage, e.index) : 0;
    const stoa__archetype *archetype = stoa__row_archetype(&world->storage, place);
    bool moves = stoa_archetype_entry(&archetype->head, id)->id != id;
    stoa_status status = stoa__change_column_put(world, e, id, data);
    if (moves) {
        way_note(world, type, id);
    }
    return status;
}

/* stoa__change_column_take for a type that is remembered. */
STOA__APART static stoa_status column_remove(stoa_world *world, stoa_entity e,
                                             const stoa_type *type, stoa_component id) {
    stoa_status status = stoa__change_column_take(world, e, id);
    way_note(world, type, id | STOA__KEY_DROP);
    return status;
}

/* stoa_set_type where no way is remembered, or it is not the right one. */
stoa_status stoa__type_set_hop(stoa_world *world, stoa_entity e, stoa_type *type,
                               const void *value) {
    const stoa__type_hop *hop = stoa__type_hop_find(world, type);
    if (!STOA_LIKELY(hop != NULL && value != NULL)) {
        return type_set_any(world, e, type, value);
    }
    if (hop->set == NULL) {
        return column_set(world, e, type, hop->id, value);
    }
    way_note_sparse(world, hop, stoa__type_put_at(world, type));
    return stoa__change_sparse_set(world, e, hop->set, value);
}

/* stoa_set_type where a way is remembered, but it is not one vector that is shifted with nobody
 * told. */
stoa_status stoa__type_set(stoa_world *world, stoa_entity e, stoa_type *type, const void *value) {
    const stoa__way *way = stoa__type_put_at(world, type);
    return STOA_LIKELY(stoa__way_open(&world->storage, way))
               ? stoa__wide_set(world, e, type, way, stoa_parcel_pack(value, way->edge->puts->size))
               : stoa__type_set_hop(world, e, type, value);
}

/* Sets a sparse component along a way that is open. Pages that are others by now have the way noted
 * anew. */
stoa_status stoa__type_set_sparse(stoa_world *world, stoa_entity e, stoa_type *type,
                                  const stoa__way *way, const void *value) {
    if (!STOA_LIKELY(way->pages != NULL)) {
        return stoa__change_sparse_set(world, e, way->set, value);
    }
    if (!STOA_LIKELY(way->set->table == way->pages)) {
        return stoa__type_set_hop(world, e, type, value);
    }
    return STOA_LIKELY(stoa__sparse_vector_put(&world->storage, way->set, way->pages,
                                               stoa_bits_read(&e), value))
               ? STOA_OK
               : stoa__change_sparse_put_any(world, e, way->set, value);
}

stoa_status stoa_add_type(stoa_world *world, stoa_entity e, stoa_type *type) {
    const stoa__type_hop *hop = stoa__type_hop_find(world, type);
    if (!STOA_LIKELY(hop != NULL)) {
        return type_add_any(world, e, type);
    }
    if (hop->set != NULL) {
        return stoa__change_sparse_add(world, e, hop->set);
    }
    stoa__way *way = stoa__type_put_at(world, type);
    if (STOA_LIKELY(way->slot == hop->slot && stoa__way_open(&world->storage, way) &&
                    stoa__wide_add(world, e, way))) {
        return STOA_OK;
    }
    return column_set(world, e, type, hop->id, NULL);
}

/* stoa_remove_type where no way is remembered, or it is not the right one. */
stoa_status stoa__type_remove_hop(stoa_world *world, stoa_entity e, stoa_type *type) {
    const stoa__type_hop *hop = stoa__type_hop_find(world, type);
    if (!STOA_LIKELY(hop != NULL)) {
        return type_remove_any(world, e, type);
    }
    if (hop->set == NULL) {
        return column_remove(world, e, type, hop->id);
    }
    way_note_sparse(world, hop, stoa__type_drop_at(world, type));
    return stoa__change_sparse_take(world, e, hop->set);
}

/* stoa_remove_type where a way is remembered, but it is not one vector that is shifted. */
stoa_status stoa__type_remove(stoa_world *world, stoa_entity e, stoa_type *type) {
    const stoa__way *way = stoa__type_drop_at(world, type);
    return STOA_LIKELY(stoa__way_open(&world->storage, way))
               ? stoa__wide_remove(world, e, type, way)
               : stoa__type_remove_hop(world, e, type);
}

/* Takes a sparse component away along a way that is open; see stoa__type_set_sparse. */
stoa_status stoa__type_remove_sparse(stoa_world *world, stoa_entity e, stoa_type *type,
                                     const stoa__way *way) {
    if (!STOA_LIKELY(way->pages != NULL)) {
        return stoa__change_sparse_take(world, e, way->set);
    }
    if (!STOA_LIKELY(way->set->table == way->pages)) {
        return stoa__type_remove_hop(world, e, type);
    }
    return STOA_LIKELY(stoa__sparse_vector_take(way->set, way->pages, stoa_bits_read(&e)))
               ? STOA_OK
               : stoa__change_sparse_take_any(world, e, way->set);
}

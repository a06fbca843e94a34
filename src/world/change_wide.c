/* Changing what an entity has by one component of a described type: along a way that is open, with
 * any number of columns of whole words beside it.
 *
 * Where a vector is kept, and another one is put or left behind, those lead: they are moved as if
 * nothing else were there, and the rest follows. What has to be written is in registers before a
 * row moves, since a caller's value may be in one of the rows. Like change_vector.c it is built
 * without the registers that would have to be saved. One thread at a time. */
#include "storage/shift.h"
#include "world/change_type.h"

/* Writes the value that a way puts; returns where. */
STOA__INLINE uint8_t *value_put(const stoa__storage *storage, const stoa__way *way, size_t row,
                                stoa_parcel value) {
    size_t size = way->put_size;
    uint8_t *column = way->side, *at = column + size * row;
    stoa__state_mark(stoa__column_state(column), storage->head.tick, true);
    if (STOA_LIKELY(size == STOA__VECTOR)) {
        stoa__vector_write(at, stoa__vector_of(value));
    } else if (size == STOA_PARCEL_MAX) {
        stoa_parcel_unpack(at, value);
    } else if (size == 8) {
        memcpy(at, &value, 8);
    } else if (size == 4) {
        memcpy(at, &value, 4);
    }
    return at;
}

/* Fills the hole in the column that is left behind, if there is one. */
STOA__INLINE void side_fill(const stoa__way *way, const stoa__leaver *row) {
    const stoa__edge *edge = way->edge;
    size_t size = edge->lanes > edge->kept ? edge->copies[edge->kept].size : 0;
    uint8_t *hole = way->side + row->slot * size;
    const uint8_t *filler = way->tail_side + row->filler * size;
    for (size_t i = 0; i < size; i += 4) {
        uint32_t word;
        memcpy(&word, filler + i, sizeof word);
        STOA_ALONE(word);
        memcpy(hole + i, &word, sizeof word);
    }
}

/* Moves the entity of a row along a way that is open, and the columns that are not kept, if there
 * is room and their ticks need not be merged. */
STOA__INLINE stoa__shifted row_leave(const stoa__storage *storage, const stoa__way *way,
                                     uint64_t handle, size_t slot, bool puts, stoa_parcel value,
                                     stoa__leaver *left) {
    size_t row = (size_t)(uint32_t)way->end->count++;
    size_t filler = (size_t)(uint32_t)--way->tail->count;
    *left = (stoa__leaver){slot, row, filler};
    STOA_ALONE(handle);
    memcpy(way->end_columns.entities + row * sizeof handle, &handle, sizeof handle);
    stoa__place_set(storage->head.records, STOA_FIRST(handle), way->base | (uint32_t)row);
    stoa__way_went(way);
    if (puts) {
        value_put(storage, way, row, value);
    }
    STOA_ALONE(way);
    uint64_t moved = stoa_bits_read(way->tail_columns.entities + filler * sizeof moved);
    if (moved == handle) {
        return STOA__LAST;
    }
    memcpy(way->hole.entities + slot * sizeof moved, &moved, sizeof moved);
    stoa__place_set(storage->head.records, STOA_FIRST(moved), (uint32_t)(way->first + slot));
    if (!puts) {
        side_fill(way, left);
    }
    return STOA__OTHER;
}

/* True if a column is left behind. */
STOA__INLINE bool side_left(const stoa__way *way, bool puts) {
    return !puts && way->edge->lanes > way->edge->kept;
}

/* Has the columns that are kept follow, from one on. */
STOA__INLINE stoa_status columns_follow(const stoa__way *way, uint32_t from, stoa__leaver row,
                                        stoa__shifted shifted) {
    const stoa__edge *edge = way->edge;
    const stoa__trio *trio = stoa__edge_trios(edge) + from;
    uint64_t runs = edge->runs - from;
    return shifted == STOA__LAST ? stoa__runs_last(way, trio, runs, row.slot, row.to, row.filler)
                                 : stoa__runs_other(way, trio, runs, row.slot, row.to, row.filler);
}

/* Shifts a row where a chunk becomes full or empty, or is no longer full, or the ticks of the
 * column that is left behind have to be merged; false, with nothing done, if it could not be. */
STOA__APART static bool row_cross(stoa_world *world, uint64_t handle, stoa__way *way, bool puts,
                                  stoa_parcel value) {
    stoa__storage *storage = &world->storage;
    size_t slot = stoa_record_meet(storage->head.records, handle) - way->first;
    if (slot >= STOA__ROWS_MAX || !stoa__way_begin(storage, way)) {
        return false;
    }
    if (side_left(way, puts)) {
        stoa__state_merge(stoa__column_state(way->side), stoa__column_state(way->tail_side));
    }
    stoa__leaver row;
    stoa__shifted shifted = row_leave(storage, way, handle, slot, puts, value, &row);
    (void)columns_follow(way, 0, row, shifted);
    stoa__way_end(storage, way);
    return true;
}

/* Shifts a row along a way, which is turned to where the row is; false, with nothing done, if it
 * could not be gone. */
STOA__APART static bool row_shift(stoa_world *world, stoa_entity e, stoa__way *way, bool puts,
                                  stoa_parcel value) {
    const stoa__storage *storage = &world->storage;
    uint64_t handle = stoa_bits_read(&e);
    if (!STOA_LIKELY(STOA_FIRST(handle) < storage->head.record_count)) {
        return false;
    }
    size_t slot = stoa_record_meet(storage->head.records, handle) - way->first;
    if (!STOA_LIKELY(slot < STOA__ROWS_MAX)) {
        return stoa__way_turn(storage, way, e) && row_shift(world, e, way, puts, value);
    }
    if (!stoa__way_roomy(way) ||
        (side_left(way, puts) && !stoa__column_same(way->side, way->tail_side))) {
        return row_cross(world, handle, way, puts, value);
    }
    STOA_ALONE(way);
    stoa__leaver row;
    stoa__shifted shifted = row_leave(storage, way, handle, slot, puts, value, &row);
    return columns_follow(way, 0, row, shifted) == STOA_OK;
}

/* stoa__wide_set where the way cannot be gone: from memory. */
STOA__APART static stoa_status set_any(stoa_world *world, stoa_entity e, stoa_type *type,
                                       stoa_parcel value) {
    _Alignas(STOA_PARCEL_MAX) uint8_t bytes[STOA_PARCEL_MAX];
    stoa_parcel_unpack(bytes, value);
    return stoa__type_set_hop(world, e, type, bytes);
}

/* stoa__wide_set where no vector leads, or it stayed. Where hooks are told nothing is under way,
 * since the way is open: no hook is running, so there is room to lock the entity. */
STOA__APART static stoa_status set_wide(stoa_world *world, stoa_entity e, stoa_type *type,
                                        stoa_parcel value) {
    stoa__way *way = stoa__type_put_at(world, type);
    const stoa__edge *edge = way->edge;
    if (!row_shift(world, e, way, true, value)) {
        return set_any(world, e, type, value);
    }
    if (edge->watched) {
        uint8_t *put = way->side + way->put_size * (size_t)(uint32_t)(way->end->count - 1);
        stoa__change_tell(world, e, stoa__component_at(&world->storage, edge->single),
                          edge->puts->size != 0 ? put : NULL, true);
    }
    return STOA_OK;
}

stoa_status stoa__wide_set(stoa_world *world, stoa_entity e, stoa_type *type, const stoa__way *way,
                           stoa_parcel value) {
    if (!STOA_LIKELY(way->edge->follow)) {
        return set_wide(world, e, type, value);
    }
    stoa__leaver row;
    stoa__shifted shifted = stoa__vector_leave(&world->storage, way, stoa_bits_read(&e), true,
                                               stoa__vector_of(value), &row);
    return STOA_LIKELY(shifted != STOA__STAYED) ? columns_follow(way, 1, row, shifted)
                                                : set_wide(world, e, type, value);
}

bool stoa__wide_add(stoa_world *world, stoa_entity e, stoa__way *way) {
    return !way->edge->watched && row_shift(world, e, way, true, stoa_parcel_pack(NULL, 0));
}

/* stoa__wide_remove where no vector leads, or it stayed. */
STOA__APART static stoa_status remove_wide(stoa_world *world, stoa_entity e, stoa_type *type) {
    return row_shift(world, e, stoa__type_drop_at(world, type), false, stoa_parcel_pack(NULL, 0))
               ? STOA_OK
               : stoa__type_remove_hop(world, e, type);
}

stoa_status stoa__wide_remove(stoa_world *world, stoa_entity e, stoa_type *type,
                              const stoa__way *way) {
    if (!STOA_LIKELY(way->edge->follow)) {
        return remove_wide(world, e, type);
    }
    stoa__leaver row;
    stoa__shifted shifted = stoa__vector_leave(&world->storage, way, stoa_bits_read(&e), false,
                                               (stoa__vector){0}, &row);
    return STOA_LIKELY(shifted != STOA__STAYED) ? columns_follow(way, 1, row, shifted)
                                                : remove_wide(world, e, type);
}

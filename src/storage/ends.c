/* Ends: destroying entities of one archetype one after the other.
 *
 * What has to be found out for each entity is the same for all of them: how rows are moved, where
 * the last one is. It is found out once. First the entity table and the entities of rows are put
 * right for a block of them, and what comes to stand where is noted; then each column is moved in
 * that order. So rows come to stand as if each entity had been destroyed by a call of its own. A
 * row that is the last one itself is not copied: often half of them are. O(entities), no memory
 * needed. One thread at a time. */
#include "storage/ends.h"

#include "storage/entities.h"

/* Moves the rows of one column of a known size, or of `size` bytes where that is not. */
STOA__INLINE void column_fill(const stoa__hole *hole, const stoa__hole *end, const uint8_t *last,
                              uint32_t offset, size_t size) {
    for (last += offset; hole != end; hole++) {
        stoa__copy_bytes(hole->data + offset + hole->slot * size, last, size);
        last -= size;
    }
}

static void columns_fill(const stoa__archetype *archetype, const stoa__hole *hole, uint32_t count,
                         stoa__row last) {
    const stoa__lane *lane = archetype->lanes;
    const stoa__hole *end = hole + count;
    for (uint32_t n = archetype->lane_count; n > 0; n--, lane++) {
        switch (lane->size) {
        case 4:
            column_fill(hole, end, last.data + last.slot * 4, lane->offset, 4);
            break;
        case 8:
            column_fill(hole, end, last.data + last.slot * 8, lane->offset, 8);
            break;
        case 12:
            column_fill(hole, end, last.data + last.slot * 12, lane->offset, 12);
            break;
        case 16:
            column_fill(hole, end, last.data + last.slot * 16, lane->offset, 16);
            break;
        default:
            column_fill(hole, end, last.data + last.slot * lane->size, lane->offset, lane->size);
        }
    }
}

/* Notes that records were written: those of the dead, and of who has moved. What was the last row
 * when it moved still has its entity. */
static void records_stamp(const stoa__storage *storage, stoa__handles handles, uint32_t count,
                          stoa__row last) {
    const stoa_entity *moved = stoa__row_entity(last) + 1;
    for (uint32_t i = 0; i < count; i++, handles.first += handles.stride) {
        stoa__record_stamp(storage, stoa__handle_at(handles.first)->index);
        stoa__record_stamp(storage, (--moved)->index);
    }
}

/* Rows that were ended: some that were the last ones themselves, then some that the last ones are
 * to fill. */
typedef struct block {
    uint32_t ended;
    uint32_t filled;
    stoa__hole holes[STOA__HOLES_MAX];
} block;

/* Ends up to a block of rows of a plain archetype, except for their columns. What changes with each
 * is kept in locals, which is what registers there are. */
static void block_end(stoa__storage *storage, const stoa__archetype *archetype,
                      stoa__handles handles, block *b) {
    stoa_record *records = storage->head.records;
    const stoa_chunk_ref *chunks = storage->head.chunks;
    uint32_t record_count = storage->head.record_count, free_first = storage->free_first;
    stoa__row row = stoa__row_last(archetype);
    const stoa_entity *rows = (const stoa_entity *)(const void *)row.data;
    const uint8_t *at = handles.first, *end = at + handles.count * handles.stride;
    ptrdiff_t last = (ptrdiff_t)row.slot;
    /* The chunk of rows at hand; it knows how new the last one is. */
    uint8_t *data = row.data;
    uint64_t places = stoa__places_of(row.place >> STOA_PLACE_BITS);
    stoa__hole *hole = b->holes;
    for (; at != end; at += handles.stride, last--) {
        uint32_t index = stoa__handle_at(at)->index;
        uint32_t generation = stoa__handle_at(at)->generation;
        if (!STOA_LIKELY(index < record_count)) {
            break;
        }
        stoa_record *record = &records[index];
        uint32_t next = generation + 1; /* none after the last one, or if it is dead */
        if (!STOA_LIKELY(record->generation == generation && (int32_t)next > 1)) {
            break;
        }
        uint32_t place = record->place;
        uint64_t slot = place - places;
        if (!STOA_LIKELY(slot < STOA__ROWS_MAX)) {
            uint32_t chunk = place >> STOA_PLACE_BITS;
            if (chunks[chunk].archetype != &archetype->head) {
                break;
            }
            data = chunks[chunk].data;
            places = stoa__places_of(chunk);
            slot = place - places;
            if (data != row.data) {
                stoa__row_states_merge(archetype, data, row.data);
            }
        }
        if (STOA_LIKELY(slot != (uint64_t)last || data != row.data)) {
            *hole++ = (stoa__hole){data, slot};
            uint64_t moved = stoa_bits_read(&rows[last]);
            memcpy(data + slot * sizeof moved, &moved, sizeof moved);
            records[STOA_FIRST(moved)].place = place;
        } else if (hole != b->holes) {
            break;
        }
        record->generation = next | STOA__DEAD;
        record->place = free_first;
        free_first = index;
    }
    b->ended = (uint32_t)((ptrdiff_t)row.slot - last);
    b->filled = (uint32_t)(hole - b->holes);
    storage->free_first = free_first;
    storage->free_count += b->ended;
}

/* Ends rows of a plain archetype, at most until a chunk is empty. */
static uint32_t plain_end(stoa__storage *storage, stoa__archetype *archetype,
                          stoa__handles handles) {
    block b;
    stoa__row last = stoa__row_last(archetype);
    handles.count = handles.count <= last.slot ? handles.count : (uint32_t)last.slot + 1;
    handles.count = handles.count < STOA__HOLES_MAX ? handles.count : STOA__HOLES_MAX;
    block_end(storage, archetype, handles, &b);
    if (b.ended == 0) {
        return 0;
    }
    if (storage->record_stamps != NULL) {
        records_stamp(storage, handles, b.ended, last);
    }
    if (b.filled > 0) {
        last.slot -= b.ended - b.filled;
        columns_fill(archetype, b.holes, b.filled, last);
    }
    stoa__row_pop_many(storage, archetype, b.ended);
    return b.ended;
}

/* Ends entities of any archetype, that of those without components too. */
static uint32_t any_end(stoa__storage *storage, const stoa__archetype *archetype,
                        stoa__handles handles) {
    for (uint32_t i = 0; i < handles.count; i++, handles.first += handles.stride) {
        stoa_entity e;
        memcpy(&e, handles.first, sizeof e);
        const stoa_record *record = stoa__entities_find(storage, e);
        if (record == NULL || stoa__row_archetype(storage, record->place) != archetype) {
            return i;
        }
        stoa__row_remove(storage, record->place);
        stoa__entities_release(storage, e.index);
    }
    return handles.count;
}

uint32_t stoa__ends_run(stoa__storage *storage, stoa__archetype *archetype, stoa__handles handles) {
    if (!archetype->plain || archetype->rich || archetype->index == 0) {
        return any_end(storage, archetype, handles);
    }
    uint32_t ended = plain_end(storage, archetype, handles);
    if (ended > 0 || handles.count == 0) {
        return ended;
    }
    /* The last generation of a slot is rare. */
    handles.count = 1;
    return any_end(storage, archetype, handles);
}

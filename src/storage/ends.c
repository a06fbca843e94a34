/* Ends: destroying entities of one archetype one after the other.
 *
 * What has to be found out for each entity is the same for all of them: how rows are moved, where
 * the last one is. It is found out once. First the entity table and the entities of rows are put
 * right for a block of them, and what comes to stand where is noted; then each column is moved in
 * that order. So rows come to stand as if each entity had been destroyed by a call of its own. As
 * long as a block ends the last rows themselves, which is often half of them, nothing is copied.
 * Rows that are anywhere are asked for first. Rows of two short columns are a matter of
 * ends_pair.c. O(entities), no memory needed. One thread at a time. */
#include "storage/ends.h"

#include "storage/entities.h"

/* Rows that are filled, in one chunk after the other. The last row of a block has the highest
 * number; it is the first to be moved. */
typedef struct run {
    uint8_t *const *columns;
    uint64_t places; /* of the chunk begin here */
    uint32_t low;    /* the number of the last one */
} run;

/* A block of rows at the end of an archetype. Those from `top` on were ended themselves; of the
 * others each, down to `low`, fills another row of the archetype, or itself. */
typedef struct block {
    stoa__storage *storage;
    const stoa__archetype *archetype;
    stoa__row first; /* number 0 */
    uint32_t top;
    uint32_t low;
    uint32_t run_last; /* the number of the last run */
    run runs[STOA__HOLES_MAX + 1];
    uint32_t slots[STOA__HOLES_MAX]; /* of the rows that are filled, by who fills them */
} block;

/* A large row may not be copied onto itself. */
STOA__INLINE void item_copy(uint8_t *to, const uint8_t *from, size_t size) {
    if (size <= 32 || to != from) {
        stoa__copy_bytes(to, from, size);
    }
}

/* Moves the rows of one column of a known size, or of `size` bytes where that is not. */
STOA__INLINE void column_fill(const block *b, uint32_t index, size_t size) {
    const uint8_t *from = b->first.columns[index] + (b->first.slot + b->top) * size;
    const uint32_t *slot = b->slots + b->top, *end = b->slots + b->low;
    for (const run *r = b->runs; slot != end; r++) {
        uint8_t *column = r->columns[index];
        const uint32_t *low = b->slots + r->low;
        for (; slot - low >= 4; slot -= 4, from -= 4 * size) {
            item_copy(column + slot[-1] * size, from - size, size);
            item_copy(column + slot[-2] * size, from - 2 * size, size);
            item_copy(column + slot[-3] * size, from - 3 * size, size);
            item_copy(column + slot[-4] * size, from - 4 * size, size);
        }
        for (; slot != low; slot--, from -= size) {
            item_copy(column + slot[-1] * size, from - size, size);
        }
    }
}

static void columns_fill(const stoa__archetype *archetype, const block *b) {
    const stoa__lane *lane = archetype->lanes;
    for (uint32_t n = archetype->lane_count; n > 0; n--, lane++) {
        switch (lane->size) {
        case 4:
            column_fill(b, lane->index, 4);
            break;
        case 8:
            column_fill(b, lane->index, 8);
            break;
        case 12:
            column_fill(b, lane->index, 12);
            break;
        case 16:
            column_fill(b, lane->index, 16);
            break;
        default:
            column_fill(b, lane->index, lane->size);
        }
    }
}

void stoa__ends_stamp(const stoa__storage *storage, stoa__handles handles, uint32_t count,
                      stoa__row last) {
    const stoa_entity *moved = stoa__row_entity(last) + 1;
    for (uint32_t i = 0; i < count; i++, handles.first += handles.stride) {
        stoa__record_stamp(storage, stoa__handle_at(handles.first)->index);
        stoa__record_stamp(storage, (--moved)->index);
    }
}

/* Begins a run of rows in the chunk of an entity, which comes to be as new as that of the last
 * rows. False if the entity is none of the archetype, or its slot cannot be freed that simply. */
STOA__APART static bool run_begin(block *b, const stoa_entity *e, uint32_t low) {
    const stoa__storage *storage = b->storage;
    const stoa__archetype *archetype = b->archetype;
    const stoa_record *record = stoa__entities_find(storage, *e);
    b->runs[b->run_last].low = low;
    if (record == NULL || e->generation == STOA__GENERATION_MAX ||
        stoa__row_archetype(storage, stoa__place_of(storage, e->index)) != archetype) {
        return false;
    }
    stoa__row row = stoa__row_at(storage, stoa__place_of(storage, e->index));
    b->runs[++b->run_last] = (run){row.columns, row.place - row.slot, 0};
    if (row.columns != b->first.columns) {
        stoa__row_states_merge(archetype, row.columns, b->first.columns);
    }
    return true;
}

/* Ends up to a block of rows of a plain archetype, except for their columns. What changes with each
 * is kept in locals, which is what registers there are. */
STOA__INLINE void block_end(block *b, stoa__handles handles) {
    stoa_record *records = b->storage->head.records;
    uint32_t record_count = b->storage->head.record_count, free_first = b->storage->free_first;
    const stoa_entity *rows = stoa__row_entity(b->first);
    const uint8_t *at = handles.first;
    size_t i = handles.count;
    /* Its chunk knows how new the last row is. */
    b->runs[0] = (run){b->first.columns, stoa__places_of(b->first.place >> STOA_PLACE_BITS), 0};
    b->run_last = 0;
    b->top = handles.count;
    do {
        uint8_t *entities = b->runs[b->run_last].columns[0];
        uint64_t places = b->runs[b->run_last].places;
        for (; i > 0; at += handles.stride, i--) {
            uint32_t index = stoa__handle_at(at)->index;
            uint32_t generation = stoa__handle_at(at)->generation;
            if (!STOA_LIKELY(index < record_count)) {
                break;
            }
            stoa_record *record = &records[index];
            /* None after the last one, or if it is dead. */
            uint32_t dead = generation + 1 + STOA__DEAD;
            if (!STOA_LIKELY(record->generation == generation && dead > (STOA__DEAD | 1))) {
                break;
            }
            uint32_t place = record->mixed ^ index;
            uint64_t slot = place - places;
            if (!STOA_LIKELY(slot < STOA__ROWS_MAX)) {
                break;
            }
            uint64_t moved = stoa_bits_read(&rows[i - 1]);
            if (STOA_LIKELY(STOA_FIRST(moved) != index || i != b->top)) {
                memcpy(entities + slot * sizeof moved, &moved, sizeof moved);
                stoa__place_set(records, STOA_FIRST(moved), place);
                b->slots[i - 1] = (uint32_t)slot;
            } else {
                b->top--;
            }
            record->generation = dead;
            record->mixed = free_first | STOA_UNPLACED;
            free_first = index;
        }
    } while (i > 0 && run_begin(b, stoa__handle_at(at), (uint32_t)i));
    b->runs[b->run_last].low = b->low = (uint32_t)i;
    b->storage->free_first = free_first;
    b->storage->free_count += handles.count - b->low;
}

/* Asks for the rows of entities, if they are anywhere: then the first ones are not in one chunk. */
static void rows_ask(const stoa__storage *storage, const stoa__archetype *archetype,
                     stoa__handles handles) {
    const uint8_t *at = handles.first;
    uint32_t chunk = 0, turns = 0;
    for (uint32_t i = 0; i < handles.count; i++, at += handles.stride) {
        const stoa_entity *e = stoa__handle_at(at);
        if (stoa__entities_find(storage, *e) == NULL) {
            return;
        }
        uint32_t place = stoa__place_of(storage, e->index);
        if (stoa__row_archetype(storage, place) != archetype) {
            return;
        }
        turns += place >> STOA_PLACE_BITS != chunk;
        chunk = place >> STOA_PLACE_BITS;
        if (i == 8 && turns < 4) {
            return;
        }
        stoa__row row = stoa__row_at(storage, place);
        STOA_PREFETCH(stoa__row_entity(row));
        for (uint32_t k = 0; k < archetype->lane_count; k++) {
            const stoa__lane *lane = &archetype->lanes[k];
            STOA_PREFETCH(stoa__row_item(row, lane->index, lane->size));
        }
    }
}

/* Ends rows of a plain archetype, at most until a chunk is empty. */
static uint32_t plain_end(stoa__storage *storage, stoa__archetype *archetype,
                          stoa__handles handles) {
    block b;
    stoa__row last = stoa__row_last(archetype);
    handles.count = handles.count <= last.slot ? handles.count : (uint32_t)last.slot + 1;
    handles.count = handles.count < STOA__HOLES_MAX ? handles.count : STOA__HOLES_MAX;
    b.storage = storage;
    b.archetype = archetype;
    b.first =
        (stoa__row){last.columns, last.slot + 1 - handles.count, last.place + 1 - handles.count};
    rows_ask(storage, archetype, handles);
    block_end(&b, handles);
    uint32_t ended = handles.count - b.low;
    if (ended == 0) {
        return 0;
    }
    if (storage->record_stamps != NULL) {
        stoa__ends_stamp(storage, handles, ended, last);
    }
    columns_fill(archetype, &b);
    stoa__row_pop_many(storage, archetype, ended);
    return ended;
}

/* Ends entities of any archetype, that of those without components too. */
static uint32_t any_end(stoa__storage *storage, const stoa__archetype *archetype,
                        stoa__handles handles) {
    for (uint32_t i = 0; i < handles.count; i++, handles.first += handles.stride) {
        stoa_entity e;
        memcpy(&e, handles.first, sizeof e);
        const stoa_record *record = stoa__entities_find(storage, e);
        uint32_t place = record != NULL ? stoa__place_of(storage, e.index) : 0;
        if (record == NULL || stoa__row_archetype(storage, place) != archetype) {
            return i;
        }
        stoa__row_remove(storage, place);
        stoa__entities_release(storage, e.index);
    }
    return handles.count;
}

uint32_t stoa__ends_run(stoa__storage *storage, stoa__archetype *archetype, stoa__handles handles) {
    if (!archetype->plain || archetype->rich || archetype->head.chunk_count == 0) {
        return any_end(storage, archetype, handles);
    }
    bool two = archetype->small && archetype->lane_count == 2;
    uint32_t ended = two ? stoa__ends_pair(storage, archetype, handles) : 0;
    ended = ended > 0 ? ended : plain_end(storage, archetype, handles);
    if (ended > 0 || handles.count == 0) {
        return ended;
    }
    /* The last generation of a slot is rare. */
    handles.count = 1;
    return any_end(storage, archetype, handles);
}

/* Ends: destroying entities of one archetype one after the other.
 *
 * What has to be found out for each entity is the same for all of them: how rows are moved, where
 * the last one is. It is found out once. First the entity table and the entities of rows are put
 * right for a block of them, and what comes to stand where is noted; then each column is moved in
 * that order. So rows come to stand as if each entity had been destroyed by a call of its own, and
 * loops are short enough for registers. O(entities), no memory needed. One thread at a time. */
#include "storage/ends.h"

#include "storage/entities.h"

/* Rows that are moved together. */
#define BLOCK_ROWS 64

/* A row that is filled, and the row of the last chunk that fills it. */
typedef struct filling {
    uint8_t *data;
    uint32_t to;
    uint32_t from;
} filling;

/* Rows to be moved within an archetype. */
typedef struct fillings {
    uint32_t count;
    filling items[BLOCK_ROWS];
} fillings;

/* Moves the rows of one column of a known size, or of `size` bytes where that is 0. */
STOA__INLINE void column_fill(const fillings *f, const uint8_t *last, uint32_t offset,
                              size_t size) {
    const uint8_t *from = last + offset;
    for (const filling *at = f->items, *end = at + f->count; at != end; at++) {
        uint8_t *to = at->data + offset;
        stoa__copy_bytes(to + at->to * size, from + at->from * size, size);
    }
}

static void columns_fill(const stoa__archetype *archetype, const fillings *f, const uint8_t *last) {
    const stoa__lane *lane = archetype->lanes;
    for (uint32_t n = archetype->lane_count; n > 0; n--, lane++) {
        switch (lane->size) {
        case 4:
            column_fill(f, last, lane->offset, 4);
            break;
        case 8:
            column_fill(f, last, lane->offset, 8);
            break;
        case 12:
            column_fill(f, last, lane->offset, 12);
            break;
        case 16:
            column_fill(f, last, lane->offset, 16);
            break;
        default:
            column_fill(f, last, lane->offset, lane->size);
        }
    }
}

/* How many handles come before the first of no slot at all. Their records are asked for, since they
 * may be anywhere. */
static uint32_t handles_look(const stoa_world_head *head, const stoa_entity *entities,
                             uint32_t count) {
    uint32_t i = 0;
    for (; i < count && entities[i].index < head->record_count; i++) {
        STOA_PREFETCH(&head->records[entities[i].index]);
    }
    return i;
}

/* Notes that records were written: those of the dead, and of who has moved. What was the last row
 * when it moved still has its entity. */
static void records_stamp(const stoa__storage *storage, const stoa_entity *entities, uint32_t count,
                          const fillings *f, const uint8_t *last) {
    for (uint32_t i = 0; i < count; i++) {
        stoa__record_stamp(storage, entities[i].index);
    }
    for (uint32_t i = 0; i < f->count; i++) {
        stoa__record_stamp(storage,
                           ((const stoa_entity *)(const void *)last)[f->items[i].from].index);
    }
}

/* Ends up to a block of rows of a plain archetype, except for their columns; returns how many.
 * Handles were looked at. What changes with each is kept in locals, which is what registers there
 * are. */
static uint32_t block_end(stoa__storage *storage, const stoa__archetype *archetype,
                          const stoa_entity *entities, uint32_t count, fillings *f) {
    stoa_record *records = storage->head.records;
    const stoa_chunk_ref *chunks = storage->head.chunks;
    uint32_t free_first = storage->free_first;
    stoa__row last = stoa__row_last(archetype);
    const stoa_entity *at = entities, *end = entities + count;
    const uint8_t *told = last.data; /* a chunk that knows how new the last one is */
    filling *filled = f->items;
    for (; at != end; at++) {
        stoa_entity e = *at;
        stoa_record *record = &records[e.index];
        if (!STOA_LIKELY(record->generation == e.generation &&
                         e.generation - 1 < STOA__GENERATION_MAX - 1)) {
            break;
        }
        uint32_t place = record->place;
        const stoa_chunk_ref *chunk = &chunks[place >> STOA_PLACE_BITS];
        if (!STOA_LIKELY(chunk->archetype == &archetype->head)) {
            break;
        }
        if (place != last.place) {
            uint8_t *data = chunk->data;
            if (!STOA_LIKELY(told == data)) {
                if (last.data != data) {
                    stoa__row_states_merge(archetype, data, last.data);
                }
                told = data;
            }
            uint32_t to = place & (STOA__ROWS_MAX - 1), from = last.place & (STOA__ROWS_MAX - 1);
            *filled++ = (filling){data, to, from};
            const stoa_entity *moved = (const stoa_entity *)(const void *)last.data + from;
            uint32_t index = moved->index;
            memcpy(data + to * sizeof e, moved, sizeof e);
            records[index].place = place;
        }
        *record = (stoa_record){(e.generation + 1) | STOA__DEAD, free_first};
        free_first = e.index;
        last.place--;
    }
    uint32_t ended = (uint32_t)(at - entities);
    f->count = (uint32_t)(filled - f->items);
    storage->free_first = free_first;
    storage->free_count += ended;
    return ended;
}

/* Ends rows of a plain archetype, at most until a chunk is empty. */
static uint32_t plain_end(stoa__storage *storage, stoa__archetype *archetype,
                          const stoa_entity *entities, uint32_t count) {
    fillings f;
    const uint8_t *last = archetype->tail->data;
    uint32_t rows = (uint32_t)archetype->tail->count, ended = 0;
    count = count < rows ? count : rows;
    for (uint32_t n = BLOCK_ROWS; n == BLOCK_ROWS && ended < count; ended += n) {
        const stoa_entity *at = entities + ended;
        uint32_t most = count - ended < BLOCK_ROWS ? count - ended : BLOCK_ROWS;
        n = handles_look(&storage->head, at, most);
        n = block_end(storage, archetype, at, n, &f);
        if (n == 0) {
            break;
        }
        columns_fill(archetype, &f, last);
        if (storage->record_stamps != NULL) {
            records_stamp(storage, at, n, &f, last);
        }
        stoa__row_pop_many(storage, archetype, n);
    }
    return ended;
}

/* Ends entities of any archetype, that of those without components too. */
static uint32_t any_end(stoa__storage *storage, const stoa__archetype *archetype,
                        const stoa_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const stoa_record *record = stoa__entities_find(storage, entities[i]);
        if (record == NULL || stoa__row_archetype(storage, record->place) != archetype) {
            return i;
        }
        stoa__row_remove(storage, record->place);
        stoa__entities_release(storage, entities[i].index);
    }
    return count;
}

uint32_t stoa__ends_run(stoa__storage *storage, stoa__archetype *archetype,
                        const stoa_entity *entities, uint32_t count) {
    if (!archetype->plain || archetype->rich || archetype->index == 0) {
        return any_end(storage, archetype, entities, count);
    }
    uint32_t ended = plain_end(storage, archetype, entities, count);
    /* The last generation of a slot is rare. */
    return ended > 0 || count == 0 ? ended : any_end(storage, archetype, entities, 1);
}

/* The chunks of archetypes.
 *
 * Rows fill chunk after chunk; only the last one in use is partly filled. The first chunk starts
 * small and doubles until it has full size; from then on chunks are added and never move. One spare
 * chunk is kept when rows go away. Every chunk has a number in the world, by which entities find
 * it. Adding one is O(columns), growing the first O(its bytes). One thread at a time. */
#include "storage/archetype.h"

#include "storage/columns.h"
#include "storage/layout.h"
#include "storage/row.h"
#include "storage/slab.h"

#include <string.h>

/* The tail of an archetype without rows: it has no room, so nothing is ever written here. */
static const stoa_chunk chunk_none = {NULL, 0, INT32_MAX};

void stoa__archetype_tail(stoa__archetype *archetype) {
    int32_t count = archetype->head.chunk_count;
    archetype->tail =
        count > 0 ? &archetype->head.chunks[count - 1] : (stoa_chunk *)(uintptr_t)&chunk_none;
}

/* A number for a new chunk, or STOA__NONE with the thread's error set. */
static uint32_t number_take(stoa__storage *storage) {
    uint32_t number = storage->chunk_free_first;
    if (number != 0) {
        storage->chunk_free_first = (uint32_t)(uintptr_t)storage->head.chunks[number].data;
        storage->chunk_free_count--;
        return number;
    }
    if (storage->chunk_count == STOA__CHUNKS_MAX) {
        stoa__error(STOA_LIMIT, "a world has at most %u chunks", STOA__CHUNKS_MAX);
        return STOA__NONE;
    }
    if (!stoa__heap_grow(&storage->heap, &storage->head.chunks, &storage->chunk_capacity,
                         storage->chunk_count + 1, sizeof *storage->head.chunks)) {
        stoa__error_memory("the table of chunks");
        return STOA__NONE;
    }
    stoa__columns_extend(storage);
    return storage->chunk_count++;
}

static void number_give(stoa__storage *storage, uint32_t number) {
    storage->head.chunks[number] =
        (stoa_chunk_ref){(uint8_t *)(uintptr_t)storage->chunk_free_first, NULL};
    storage->chunk_free_first = number;
    storage->chunk_free_count++;
}

/* Makes room in the array of chunks for one more. */
static bool chunks_reserve(stoa__storage *storage, stoa__archetype *archetype) {
    if (archetype->chunk_held == 0) {
        return true;
    }
    stoa_chunk *chunks = archetype->chunk_slots > 0 ? archetype->head.chunks : NULL;
    bool inside = chunks == NULL;
    if (!stoa__heap_grow(&storage->heap, &chunks, &archetype->chunk_slots,
                         (uint32_t)archetype->chunk_held + 1, sizeof(stoa_chunk))) {
        return false;
    }
    if (inside) {
        chunks[0] = archetype->first;
    }
    archetype->head.chunks = chunks;
    stoa__archetype_tail(archetype);
    return true;
}

/* Adds one spare chunk of the current layout. */
static stoa_status chunk_add(stoa__storage *storage, stoa__archetype *archetype) {
    if (!chunks_reserve(storage, archetype)) {
        return stoa__error_memory("the chunks of an archetype");
    }
    uint8_t *data = stoa__slab_alloc(storage, archetype->block_size);
    if (data == NULL) {
        return stoa__error_memory("a chunk");
    }
    uint32_t number = number_take(storage);
    if (number == STOA__NONE) {
        stoa__slab_free(storage, data, archetype->block_size);
        return stoa_last_error().status;
    }
    storage->head.chunks[number] = (stoa_chunk_ref){data, &archetype->head};
    archetype->head.chunks[archetype->chunk_held++] = (stoa_chunk){data, number, 0};
    stoa__archetype_tail(archetype);
    stoa__columns_fill(storage, archetype, number);
    return STOA_OK;
}

/* Tells the states of a chunk where the ticks of rows are. */
static void states_lead(const stoa__archetype *archetype, uint8_t *data) {
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++) {
        stoa__state_number(archetype, data, i)->ticks = 0;
    }
    for (uint32_t i = archetype->data_lanes; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        if (lane->kind == STOA__LANE_CHANGED) {
            uint32_t offset = stoa__archetype_column(archetype, lane->id)->offset;
            stoa__state_of(data, offset)->ticks = (int32_t)(lane->offset - offset);
        }
    }
}

/* States of a chunk that is taken into use: nothing is off, and all is as old as can be. */
static void states_reset(const stoa__storage *storage, const stoa__archetype *archetype,
                         uint8_t *data) {
    uint32_t old = storage->head.tick - STOA__TICK_AGE;
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++) {
        stoa_column_state *state = stoa__state_number(archetype, data, i);
        state->off = 0;
        STOA_STORE(&state->changed, old);
        STOA_STORE(&state->added, old);
    }
    states_lead(archetype, data);
}

void stoa__archetype_extend(const stoa__storage *storage, stoa__archetype *archetype) {
    stoa_chunk *chunk = &archetype->head.chunks[archetype->head.chunk_count++];
    chunk->count = 0;
    states_reset(storage, archetype, chunk->data);
    stoa__archetype_tail(archetype);
}

static void chunk_drop_last(stoa__storage *storage, stoa__archetype *archetype) {
    stoa_chunk *chunk = &archetype->head.chunks[--archetype->chunk_held];
    stoa__slab_free(storage, chunk->data, archetype->block_size);
    stoa__columns_clear(storage, archetype, chunk->number);
    number_give(storage, chunk->number);
}

/* Gives the only chunk another number of rows: a block of its own layout, the rows moved over. The
 * old block stays in limbo until the next one is outgrown. */
static stoa_status chunk_resize(stoa__storage *storage, stoa__archetype *archetype, uint32_t rows) {
    uint64_t size = stoa__layout_size(archetype, rows);
    uint8_t *data = size > UINT32_MAX ? NULL : stoa__slab_alloc(storage, (size_t)size);
    if (data == NULL) {
        return stoa__error_memory("a chunk of another size");
    }
    stoa_chunk *chunk = &archetype->head.chunks[0];
    uint64_t end = stoa__layout_begin(rows);
    memcpy(data, chunk->data, (size_t)chunk->count * sizeof(stoa_entity));
    for (uint32_t i = 0; i < archetype->lane_count && chunk->count > 0; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        uint64_t start = stoa__layout_lane(&end, lane->size, rows);
        stoa__component_move(lane->component, data + start, chunk->data + lane->offset,
                             chunk->count);
        if (lane->kind == STOA__LANE_DATA) {
            memcpy(stoa__state_of(data, (uint32_t)start), stoa__state_of(chunk->data, lane->offset),
                   sizeof(stoa_column_state));
        }
    }
    uint32_t tags_from = archetype->tags_at;
    stoa__archetype_limbo_free(storage);
    storage->limbo = chunk->data;
    storage->limbo_size = archetype->block_size;
    stoa__layout_apply(storage, archetype, rows);
    memcpy(data + archetype->tags_at, chunk->data + tags_from,
           (size_t)archetype->tag_count * STOA__TAG_STRIDE);
    states_lead(archetype, data);
    chunk->data = data;
    storage->head.chunks[chunk->number].data = data;
    stoa__columns_fill(storage, archetype, chunk->number);
    return STOA_OK;
}

void stoa__archetype_limbo_free(stoa__storage *storage) {
    if (storage->limbo != NULL) {
        stoa__slab_free(storage, storage->limbo, storage->limbo_size);
        storage->limbo = NULL;
        storage->limbo_size = 0;
    }
}

/* The rows a first chunk should have to hold `need`: the next power of two, at most full size. */
static uint32_t rows_for(const stoa__archetype *archetype, uint64_t need) {
    uint32_t rows = stoa__layout_first(archetype);
    while (rows < need && rows < archetype->full_capacity) {
        rows *= 2;
    }
    return rows;
}

stoa_status stoa__archetype_reserve(stoa__storage *storage, stoa__archetype *archetype,
                                    uint32_t count) {
    uint64_t need = (uint64_t)stoa__archetype_rows(storage, archetype) + count;
    uint32_t rows = rows_for(archetype, need);
    stoa_status status = STOA_OK;
    if (archetype->chunk_held == 0) {
        if (rows != (uint32_t)archetype->head.chunk_capacity) {
            stoa__layout_apply(storage, archetype, rows);
        }
    } else if (archetype->chunk_held == 1 && rows > (uint32_t)archetype->head.chunk_capacity) {
        status = chunk_resize(storage, archetype, rows);
    }
    while (status == STOA_OK &&
           (uint64_t)archetype->chunk_held * (uint64_t)archetype->head.chunk_capacity < need) {
        status = chunk_add(storage, archetype);
    }
    if (status != STOA_OK) {
        stoa__archetype_release(storage, archetype);
    }
    return status;
}

void stoa__archetype_release(stoa__storage *storage, stoa__archetype *archetype) {
    stoa__archetype_tail(archetype);
    int32_t keep = archetype->head.chunk_count + 1;
    keep = keep < archetype->chunk_keep ? archetype->chunk_keep : keep;
    while (archetype->chunk_held > keep) {
        chunk_drop_last(storage, archetype);
    }
}

stoa_status stoa__archetype_trim(stoa__storage *storage, stoa__archetype *archetype) {
    archetype->chunk_keep = 0;
    while (archetype->chunk_held > archetype->head.chunk_count) {
        chunk_drop_last(storage, archetype);
    }
    if (archetype->chunk_held != 1) {
        return STOA_OK;
    }
    uint32_t rows = rows_for(archetype, stoa__archetype_rows(storage, archetype));
    return rows < (uint32_t)archetype->head.chunk_capacity ? chunk_resize(storage, archetype, rows)
                                                           : STOA_OK;
}

stoa_status stoa__archetype_relocate(stoa__storage *storage, stoa__archetype *archetype,
                                     int32_t i) {
    uint8_t *data = stoa__slab_alloc(storage, archetype->block_size);
    if (data == NULL) {
        return stoa__error_memory("a chunk to move to");
    }
    stoa_chunk *chunk = &archetype->head.chunks[i];
    memcpy(data, chunk->data, (size_t)chunk->count * sizeof(stoa_entity));
    for (uint32_t k = 0; k < archetype->lane_count && chunk->count > 0; k++) {
        const stoa__lane *lane = &archetype->lanes[k];
        stoa__component_move(lane->component, data + lane->offset, chunk->data + lane->offset,
                             chunk->count);
    }
    for (uint32_t k = 0; k < archetype->data_lanes + archetype->tag_count; k++) {
        memcpy(stoa__state_number(archetype, data, k),
               stoa__state_number(archetype, chunk->data, k), sizeof(stoa_column_state));
    }
    stoa__slab_free(storage, chunk->data, archetype->block_size);
    chunk->data = data;
    storage->head.chunks[chunk->number].data = data;
    stoa__columns_fill(storage, archetype, chunk->number);
    return STOA_OK;
}

void stoa__archetype_chunks_free(stoa__storage *storage, stoa__archetype *archetype) {
    while (archetype->chunk_held > 0) {
        chunk_drop_last(storage, archetype);
    }
    if (archetype->chunk_slots > 0) {
        stoa__heap_grow_free(&storage->heap, archetype->head.chunks, archetype->chunk_slots,
                             sizeof(stoa_chunk));
    }
}

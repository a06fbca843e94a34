/* The chunks of archetypes.
 *
 * Rows fill chunk after chunk; only the last one in use is partly filled. The first chunk starts
 * small and doubles until it has full size; from then on chunks are added and never move. They come
 * in groups, in which columns of neighbouring chunks lie side by side: the more chunks there are,
 * the larger is the next group, up to one that fills a slab, which may be a large one. When rows go
 * away one spare chunk is kept at least, and groups of which none is used go. Every chunk has a
 * number in the world, by which entities find it. As long as the epoch is the same, the array of
 * chunks is where it is, and a place in it has the same columns, if it has any. Adding one is
 * O(columns), growing the first O(its bytes). One thread at a time. */
#include "storage/archetype.h"

#include "storage/columns.h"
#include "storage/group.h"
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

/* Makes room for the numbers of `count` new chunks. */
static stoa_status numbers_reserve(stoa__storage *storage, int32_t count) {
    uint32_t fresh = (uint32_t)count > storage->chunk_free_count
                         ? (uint32_t)count - storage->chunk_free_count
                         : 0;
    if (fresh > STOA__CHUNKS_MAX - storage->chunk_count) {
        return stoa__error(STOA_LIMIT, "a world has at most %u chunks", STOA__CHUNKS_MAX);
    }
    if (!stoa__heap_grow(&storage->heap, &storage->head.written, &storage->written_capacity,
                         storage->chunk_count + fresh, sizeof *storage->head.written) ||
        !stoa__heap_grow(&storage->heap, &storage->head.chunks, &storage->chunk_capacity,
                         storage->chunk_count + fresh, sizeof *storage->head.chunks)) {
        return stoa__error_memory("the table of chunks");
    }
    stoa__columns_extend(storage);
    return STOA_OK;
}

/* A number for a new chunk, for which there is room. */
static uint32_t number_take(stoa__storage *storage) {
    uint32_t number = storage->chunk_free_first;
    if (number == 0) {
        return storage->chunk_count++;
    }
    storage->chunk_free_first = (uint32_t)(uintptr_t)storage->head.chunks[number].columns;
    storage->chunk_free_count--;
    return number;
}

static void number_give(stoa__storage *storage, uint32_t number) {
    storage->head.chunks[number] =
        (stoa_chunk_ref){(uint8_t **)(uintptr_t)storage->chunk_free_first, NULL};
    storage->chunk_free_first = number;
    storage->chunk_free_count++;
}

stoa_status stoa__archetype_chunks_reserve(stoa__storage *storage, stoa__archetype *archetype,
                                           int32_t count) {
    uint32_t need = (uint32_t)(archetype->chunk_held + count);
    if (need <= 1 || need <= archetype->chunk_slots) {
        return STOA_OK;
    }
    bool inside = archetype->chunk_slots == 0;
    stoa_chunk *chunks = inside ? NULL : archetype->head.chunks;
    if (!stoa__heap_grow(&storage->heap, &chunks, &archetype->chunk_slots, need,
                         sizeof(stoa_chunk))) {
        return stoa__error_memory("the chunks of an archetype");
    }
    if (inside) {
        chunks[0] = archetype->first;
    }
    archetype->head.chunks = chunks;
    stoa__archetype_tail(archetype);
    storage->head.epoch++;
    return STOA_OK;
}

/* The chunks of a group that should have `want`, or as many as fill the largest gap in slabs, if
 * they are `least`. */
static int32_t group_fit(stoa__storage *storage, const stoa__archetype *archetype, int32_t want,
                         int32_t least) {
    uint32_t rows = (uint32_t)archetype->head.chunk_capacity;
    size_t gap = stoa__slab_gap(storage, archetype->chunk_bytes);
    int32_t fits = stoa__group_fits(archetype, rows, gap, want);
    return fits >= least ? fits : want;
}

/* How many chunks the next group of an archetype has, which needs `need` more: half as many as
 * there are, so that little is reserved for nothing, and if that is more than fill a slab, an
 * eighth as many. Large groups do not fill small gaps. */
static int32_t group_next(stoa__storage *storage, const stoa__archetype *archetype, int64_t need) {
    if ((uint32_t)archetype->head.chunk_capacity < archetype->full_capacity) {
        return 1;
    }
    int32_t half = (archetype->chunk_held + 1) / 2, eighth = archetype->chunk_held / 8;
    int32_t left = need < STOA__GROUP_MOST ? (int32_t)need : STOA__GROUP_MOST;
    int32_t count =
        stoa__group_size(archetype, half > left ? half : left, eighth > left ? eighth : left);
    return group_fit(storage, archetype, count, count / 4 + 1);
}

/* Where a chunk is to have its columns. One that is not of full size stands alone, and its
 * archetype is one of many: if they are few it has them there, where a walk looks anyway. */
static uint8_t **columns_home(stoa__archetype *archetype, uint8_t **columns) {
    uint32_t count = stoa__group_stride(archetype->lane_count);
    if ((uint32_t)archetype->head.chunk_capacity == archetype->full_capacity ||
        count > STOA_TABLE) {
        return columns;
    }
    memcpy(archetype->table, columns - 1, count * sizeof *columns);
    return archetype->table + 1;
}

/* Adds a group of spare chunks of the current layout. */
static stoa_status group_add(stoa__storage *storage, stoa__archetype *archetype, int32_t count) {
    stoa_status status = stoa__archetype_chunks_reserve(storage, archetype, count);
    if (status == STOA_OK) {
        status = numbers_reserve(storage, count);
    }
    if (status != STOA_OK) {
        return status;
    }
    stoa__group *group =
        stoa__group_new(storage, archetype, (uint32_t)archetype->head.chunk_capacity, count);
    if (group == NULL) {
        return stoa__error_memory("a chunk");
    }
    for (int32_t i = 0; i < count; i++) {
        uint8_t **columns = columns_home(archetype, stoa__group_columns(group, i));
        uint32_t number = number_take(storage);
        storage->head.chunks[number] = (stoa_chunk_ref){columns, &archetype->head};
        archetype->head.chunks[archetype->chunk_held++] = (stoa_chunk){columns, number, 0};
        stoa__columns_fill(storage, archetype, number);
    }
    stoa__archetype_tail(archetype);
    return STOA_OK;
}

void stoa__archetype_renumber(const stoa__archetype *archetype, const stoa_chunk *chunk) {
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++) {
        stoa__state_number(archetype, chunk->columns, i)->number = chunk->number;
    }
}

/* Tells the states of a chunk its number, whether writes are noted, and where the ticks of rows
 * are. */
static void states_lead(const stoa__archetype *archetype, const stoa_chunk *chunk) {
    uint8_t *const *columns = chunk->columns;
    stoa__archetype_renumber(archetype, chunk);
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++) {
        bool noted = i < archetype->data_lanes &&
                     (archetype->lanes[i].component->info.flags & STOA_NOTED) != 0;
        stoa__state_number(archetype, columns, i)->ticks = noted ? STOA_TICKS_NOTED : 0;
    }
    for (uint32_t i = archetype->data_lanes; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        if (lane->kind == STOA__LANE_CHANGED) {
            uint8_t *column =
                stoa_column_begin(columns, stoa__archetype_column(archetype, lane->id)->index);
            stoa_column_state *state = stoa__column_state(column);
            int32_t ticks = (int32_t)(columns[lane->index] - column);
            state->ticks = state->ticks < 0 ? STOA_TICKS_NOTED - ticks : ticks;
        }
    }
}

/* States of a chunk that is taken into use: nothing is off, and all is as old as can be. */
static void states_reset(const stoa__storage *storage, const stoa__archetype *archetype,
                         const stoa_chunk *chunk) {
    uint32_t old = storage->head.tick - STOA__TICK_AGE;
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++) {
        stoa_column_state *state = stoa__state_number(archetype, chunk->columns, i);
        state->off = 0;
        STOA_STORE(&state->changed, old);
        STOA_STORE(&state->added, old);
    }
    storage->head.written[chunk->number].tick = old;
    states_lead(archetype, chunk);
}

void stoa__archetype_extend(const stoa__storage *storage, stoa__archetype *archetype) {
    stoa_chunk *chunk = &archetype->head.chunks[archetype->head.chunk_count++];
    chunk->count = 0;
    states_reset(storage, archetype, chunk);
    stoa__archetype_tail(archetype);
}

static void chunk_drop_last(stoa__storage *storage, stoa__archetype *archetype) {
    stoa_chunk *chunk = &archetype->head.chunks[--archetype->chunk_held];
    stoa__columns_clear(storage, archetype, chunk->number);
    number_give(storage, chunk->number);
    stoa__group_leave(storage, chunk->columns);
    storage->head.epoch++;
}

/* Moves all that a chunk holds to other columns, which may have room for another number of rows. */
static void chunk_move(stoa__storage *storage, stoa__archetype *archetype, stoa_chunk *chunk,
                       uint8_t **columns) {
    uint8_t **from = chunk->columns;
    memcpy(columns[0], from[0], (size_t)chunk->count * sizeof(stoa_entity));
    for (uint32_t i = 0; i < archetype->lane_count && chunk->count > 0; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        stoa__component_move(lane->component, columns[lane->index], from[lane->index],
                             chunk->count);
    }
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++) {
        memcpy(stoa__state_number(archetype, columns, i), stoa__state_number(archetype, from, i),
               sizeof(stoa_column_state));
    }
    chunk->columns = columns_home(archetype, columns);
    states_lead(archetype, chunk);
    storage->head.chunks[chunk->number].columns = chunk->columns;
    stoa__columns_fill(storage, archetype, chunk->number);
}

/* Gives the only chunk another number of rows: a group of its own layout, the rows moved over. The
 * old one stays in limbo until the next one is outgrown. */
static stoa_status chunk_resize(stoa__storage *storage, stoa__archetype *archetype, uint32_t rows) {
    stoa__group *group = stoa__group_new(storage, archetype, rows, 1);
    if (group == NULL) {
        return stoa__error_memory("a chunk of another size");
    }
    stoa__archetype_limbo_free(storage);
    storage->limbo = stoa__group_of(archetype->head.chunks[0].columns);
    stoa__layout_apply(storage, archetype, rows);
    chunk_move(storage, archetype, archetype->head.chunks, stoa__group_columns(group, 0));
    return STOA_OK;
}

void stoa__archetype_limbo_free(stoa__storage *storage) {
    if (storage->limbo != NULL) {
        stoa__group_leave(storage, stoa__group_columns(storage->limbo, 0));
        storage->limbo = NULL;
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
    uint64_t need = (uint64_t)stoa__archetype_rows(archetype) + count;
    uint32_t rows = rows_for(archetype, need);
    stoa_status status = STOA_OK;
    if (archetype->chunk_held == 0) {
        if (rows != (uint32_t)archetype->head.chunk_capacity) {
            stoa__layout_apply(storage, archetype, rows);
        }
    } else if (archetype->chunk_held == 1 && rows > (uint32_t)archetype->head.chunk_capacity) {
        status = chunk_resize(storage, archetype, rows);
    }
    int64_t capacity = archetype->head.chunk_capacity;
    int64_t chunks = ((int64_t)need + capacity - 1) / capacity;
    while (status == STOA_OK && archetype->chunk_held < chunks) {
        int64_t left = chunks - archetype->chunk_held;
        status = group_add(storage, archetype, group_next(storage, archetype, left));
    }
    if (status != STOA_OK) {
        stoa__archetype_release(storage, archetype);
    }
    return status;
}

/* Where the chunks begin that are of one group with the last one. */
static int32_t group_first(const stoa__archetype *archetype) {
    const stoa_chunk *chunks = archetype->head.chunks;
    int32_t first = archetype->chunk_held - 1;
    while (first > 0 &&
           stoa__group_beside(archetype, chunks[first - 1].columns, chunks[first].columns)) {
        first--;
    }
    return first;
}

/* Gives groups back that are spare as a whole, as long as `keep` chunks are left. */
static void groups_release(stoa__storage *storage, stoa__archetype *archetype, int32_t keep) {
    while (archetype->chunk_held > keep) {
        int32_t first = group_first(archetype);
        if (first < keep) {
            return;
        }
        while (archetype->chunk_held > first) {
            chunk_drop_last(storage, archetype);
        }
    }
}

void stoa__archetype_release(stoa__storage *storage, stoa__archetype *archetype) {
    stoa__archetype_tail(archetype);
    int32_t keep = archetype->head.chunk_count + 1;
    groups_release(storage, archetype, keep < archetype->chunk_keep ? archetype->chunk_keep : keep);
}

stoa_status stoa__archetype_trim(stoa__storage *storage, stoa__archetype *archetype) {
    archetype->chunk_keep = 0;
    groups_release(storage, archetype, archetype->head.chunk_count);
    if (archetype->chunk_held > archetype->head.chunk_count) {
        /* The last group is used in part: what is goes to one that is no larger. */
        int32_t first = group_first(archetype);
        while (archetype->chunk_held > archetype->head.chunk_count) {
            chunk_drop_last(storage, archetype);
        }
        for (int32_t moved; first < archetype->chunk_held; first += moved) {
            moved = stoa__archetype_relocate(storage, archetype, first);
            if (moved == 0) {
                return stoa_last_error().status;
            }
        }
    }
    if (archetype->chunk_held != 1) {
        return STOA_OK;
    }
    uint32_t rows = rows_for(archetype, stoa__archetype_rows(archetype));
    return rows < (uint32_t)archetype->head.chunk_capacity ? chunk_resize(storage, archetype, rows)
                                                           : STOA_OK;
}

int32_t stoa__archetype_relocate(stoa__storage *storage, stoa__archetype *archetype, int32_t i) {
    stoa_chunk *chunks = archetype->head.chunks + i;
    int32_t count = 1;
    while (i + count < archetype->chunk_held &&
           stoa__group_beside(archetype, chunks[count - 1].columns, chunks[count].columns)) {
        count++;
    }
    count = group_fit(storage, archetype, stoa__group_size(archetype, count, count), 1);
    stoa__group *group =
        stoa__group_new(storage, archetype, (uint32_t)archetype->head.chunk_capacity, count);
    if (group == NULL) {
        stoa__error_memory("chunks to move to");
        return 0;
    }
    for (int32_t k = 0; k < count; k++) {
        uint8_t **columns = stoa__group_own(chunks[k].columns);
        chunk_move(storage, archetype, &chunks[k], stoa__group_columns(group, k));
        stoa__group_leave(storage, columns);
    }
    storage->head.epoch++;
    return count;
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

/* Groups of chunks.
 *
 * A processor that reads a column ahead begins anew at each column: so the same columns of
 * neighbouring chunks lie side by side. A group is one block. It begins with the columns of its
 * chunks, as pointers; then come what is known of it, the tags of its chunks, the entities of all
 * chunks, one after the other, then each lane of all chunks. The tags of a chunk begin with the way
 * back to the group, so that chunks can change hands one by one. A group goes when the last of its
 * chunks does.
 *
 * A chunk that stands alone is a group of one. Making a group is O(chunks * lanes). One thread at a
 * time. */
#include "storage/group.h"

#include "storage/layout.h"
#include "storage/slab.h"
#include "storage/vector.h"

#include <string.h>

/* Bytes up to the first entities: the columns of all chunks, and their tags. */
static uint64_t front_size(const stoa__archetype *archetype, uint32_t rows, int32_t count) {
    uint64_t chunk = stoa__group_stride(archetype->lane_count) * sizeof(uint8_t *) +
                     stoa__layout_tags(archetype, rows);
    uint64_t size = sizeof(stoa__group) + (uint64_t)count * chunk;
    return (size + STOA__LINE - 1) / STOA__LINE * STOA__LINE;
}

/* Bytes after each lane of all chunks. A lane of one chunk is a line longer than its rows: if that
 * happens an odd number of times from one lane to the next, no two of 64 lanes of whole pages begin
 * at the same line of a page, where they would compete for the same cache sets. */
static uint64_t lane_gap(int32_t count) {
    return count % 2 == 0 ? STOA__LINE : 0;
}

/* Bytes after the last lane: whoever reads the very last vector touches what comes after it. */
static uint64_t end_gap(const stoa__archetype *archetype, uint32_t rows, int32_t count) {
    if (archetype->lane_count == 0) {
        return 0;
    }
    uint32_t size = archetype->lanes[archetype->lane_count - 1].size;
    uint64_t left = stoa__layout_lane(size, rows) - STOA__LINE - (uint64_t)rows * size;
    return lane_gap(count) + left < STOA__VECTOR_SPILL ? STOA__LINE : 0;
}

static uint64_t group_size(const stoa__archetype *archetype, uint32_t rows, int32_t count) {
    return front_size(archetype, rows, count) +
           (uint64_t)count * stoa__layout_size(archetype, rows) +
           archetype->lane_count * lane_gap(count) + end_gap(archetype, rows, count);
}

int32_t stoa__group_fits(const stoa__archetype *archetype, uint32_t rows, size_t size,
                         int32_t most) {
    uint64_t guess = size / stoa__layout_size(archetype, rows);
    int32_t count = guess < (uint64_t)most ? (int32_t)guess : most;
    while (count > 0 && group_size(archetype, rows, count) > size) {
        count--;
    }
    return count;
}

/* Chunks of a group that nearly fills a slab of so many bytes, or 0 if none does. */
static int32_t whole_fits(const stoa__archetype *archetype, size_t size) {
    uint32_t rows = (uint32_t)archetype->head.chunk_capacity;
    int32_t count = stoa__group_fits(archetype, rows, size, STOA__GROUP_MOST);
    return count > 0 && group_size(archetype, rows, count) > (uint64_t)size / 16 * 15 ? count : 0;
}

int32_t stoa__group_size(const stoa__archetype *archetype, int32_t want, int32_t most) {
    for (size_t size = STOA__SLAB_BLOCK_MAX; size >= STOA__SLAB_SIZE; size /= 2) {
        int32_t whole = whole_fits(archetype, size);
        if (whole > 0 && (size == STOA__SLAB_SIZE ? want : most) >= whole) {
            return whole;
        }
    }
    int32_t part = stoa__group_fits(archetype, (uint32_t)archetype->head.chunk_capacity,
                                    STOA__SLAB_BLOCK_PART, STOA__GROUP_MOST);
    part = want < part ? want : part;
    return part > 0 ? part : 1;
}

uint8_t **stoa__group_columns(const stoa__group *group, int32_t i) {
    uint8_t **columns = (uint8_t **)(void *)stoa__group_block(group);
    return columns + (size_t)i * stoa__group_stride(group->lanes) + 1;
}

uint8_t **stoa__group_own(uint8_t **columns) {
    stoa__group *group = stoa__group_of(columns);
    return group->count == 1 ? stoa__group_columns(group, 0) : columns;
}

/* Places one kind of column of all chunks, `size` bytes each of which the last belong to it. */
static uint8_t *columns_place(stoa__group *group, int32_t index, uint8_t *at, uint64_t size,
                              uint64_t skip) {
    for (int32_t i = 0; i < group->count; i++, at += size) {
        stoa__group_columns(group, i)[index] = at + skip;
    }
    return at;
}

stoa__group *stoa__group_new(stoa__storage *storage, const stoa__archetype *archetype,
                             uint32_t rows, int32_t count) {
    uint64_t size = group_size(archetype, rows, count);
    uint8_t *block = size <= UINT32_MAX ? stoa__slab_alloc(storage, (size_t)size) : NULL;
    if (block == NULL) {
        return NULL;
    }
    size_t columns = (size_t)count * stoa__group_stride(archetype->lane_count) * sizeof(uint8_t *);
    stoa__group *group = (stoa__group *)(void *)(block + columns);
    *group = (stoa__group){
        .size = (uint32_t)size, .count = (uint16_t)count, .lanes = archetype->lane_count};
    for (int32_t i = 0; i < count; i++) {
        group->live[i / 64] |= (uint64_t)1 << i % 64;
    }
    uint8_t *at = (uint8_t *)(group + 1);
    columns_place(group, -1, at, stoa__layout_tags(archetype, rows), 0);
    at = block + front_size(archetype, rows, count);
    at = columns_place(group, 0, at, stoa__layout_entities(rows), 0);
    for (int32_t k = 0; k < archetype->lane_count; k++) {
        uint64_t lane = stoa__layout_lane(archetype->lanes[k].size, rows);
        at = columns_place(group, k + 1, at, lane, STOA__LINE) + lane_gap(count);
    }
    for (int32_t i = 0; i < count; i++) {
        memcpy(stoa__group_columns(group, i)[-1], &group, sizeof group);
    }
    return group;
}

bool stoa__group_beside(const stoa__archetype *archetype, uint8_t *const *a, uint8_t *const *b) {
    uintptr_t stride = stoa__group_stride(archetype->lane_count) * sizeof *a, x = (uintptr_t)a,
              y = (uintptr_t)b;
    return (x < y ? y - x : x - y) == stride;
}

/* Which of a group's chunks has these columns. Those of one that stands alone may be a copy. */
static uint32_t chunk_number(stoa__group *group, uint8_t *const *columns) {
    return group->count == 1 ? 0
                             : (uint32_t)(columns - stoa__group_columns(group, 0)) /
                                   stoa__group_stride(group->lanes);
}

/* The first chunk of a group that is somebody's, or STOA__GROUP_MOST. */
static uint32_t live_lowest(const stoa__group *group) {
    uint32_t word = 0;
    while (word < STOA__GROUP_WORDS && group->live[word] == 0) {
        word++;
    }
    return word * 64 + (word < STOA__GROUP_WORDS ? stoa__bit_lowest(group->live[word]) : 0);
}

void stoa__group_leave(stoa__storage *storage, uint8_t *const *columns) {
    stoa__group *group = stoa__group_of(columns);
    uint32_t number = chunk_number(group, columns);
    group->live[number / 64] &= ~((uint64_t)1 << number % 64);
    if (live_lowest(group) == STOA__GROUP_MOST) {
        stoa__slab_free(storage, stoa__group_block(group), group->size);
    }
}

bool stoa__group_counts(uint8_t *const *columns) {
    stoa__group *group = stoa__group_of(columns);
    return live_lowest(group) == chunk_number(group, columns);
}

/* The layout of a chunk.
 *
 * Entities, and each lane, begin at a multiple of 64 bytes. The line before a lane holds the
 * column's state. That keeps states out of the line that a column's last row ends in, which vector
 * loops may read. Tags stand together, each with its state before it and some
 * bytes for a pointer to it to point at. A few have room in every chunk of full size, so that
 * adding a tag does not change the layout. Where all this lies is the group's affair. */
#include "storage/layout.h"

#define FIRST_BYTES 256u
/* Bytes for tags in a chunk of full size, at least. */
#define TAGS_FULL 296u

static uint64_t line_up(uint64_t offset) {
    return (offset + STOA__LINE - 1) / STOA__LINE * STOA__LINE;
}

uint32_t stoa__layout_full(uint32_t chunk_size, uint64_t row_size) {
    uint32_t rows = 1;
    while (rows < STOA__ROWS_MAX && 2 * row_size * rows <= chunk_size) {
        rows *= 2;
    }
    return rows;
}

uint32_t stoa__layout_first(const stoa__archetype *archetype) {
    uint32_t rows = stoa__layout_full(FIRST_BYTES, archetype->row_size);
    rows = rows > 16 ? 16 : rows;
    return rows < archetype->full_capacity ? rows : archetype->full_capacity;
}

uint64_t stoa__layout_entities(uint32_t rows) {
    return line_up((uint64_t)rows * sizeof(stoa_entity));
}

uint64_t stoa__layout_lane(uint32_t size, uint32_t rows) {
    return STOA__LINE + line_up((uint64_t)rows * size);
}

uint64_t stoa__layout_tags(const stoa__archetype *archetype, uint32_t rows) {
    uint64_t tags = sizeof(void *) + (uint64_t)archetype->tag_count * STOA__TAG_STRIDE;
    tags = (tags + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
    return rows == archetype->full_capacity && tags < TAGS_FULL ? TAGS_FULL : tags;
}

uint64_t stoa__layout_size(const stoa__archetype *archetype, uint32_t rows) {
    uint64_t size = stoa__layout_entities(rows);
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        size += stoa__layout_lane(archetype->lanes[i].size, rows);
    }
    return size;
}

void stoa__layout_apply(stoa__storage *storage, stoa__archetype *archetype, uint32_t rows) {
    archetype->chunk_bytes = (uint32_t)stoa__layout_size(archetype, rows);
    archetype->head.chunk_capacity = (int32_t)rows;
    archetype->version = ++storage->head.epoch;
    archetype->fill = stoa__layout_fill(storage, archetype);
}

/* The high half of the word that tells how a hole is filled. */
static uint32_t fill_even(const stoa__archetype *archetype) {
    const stoa__lane *lanes = archetype->lanes;
    uint32_t count = archetype->lane_count;
    if (archetype->tag_count > 0) {
        return 0;
    }
    for (uint32_t i = 1; i < count; i++) {
        if (lanes[i].size != lanes[0].size || count > 7) {
            return 1;
        }
    }
    return 1u << 31 | count << 28 | lanes[0].size << 23;
}

uint64_t stoa__layout_fill(const stoa__storage *storage, const stoa__archetype *archetype) {
    if (!archetype->light || storage->record_stamps != NULL || storage->aimed) {
        return 0;
    }
    return (uint64_t)fill_even(archetype) << 32 | archetype->index;
}

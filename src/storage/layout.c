/* The layout of a chunk.
 *
 * Entities first, then each lane at a multiple of 64 bytes. The line before a lane holds the
 * column's state. That also keeps columns from being a multiple of 4 KiB apart, where they would
 * compete for the same cache sets, and keeps states out of the line that a column's last row ends
 * in, which vector loops may read. Tags stand at the end, each with its state before it and some
 * bytes for a pointer to it to point at. A few have room in every chunk, more in one of full size,
 * so that adding a tag does not change the layout. */
#include "storage/layout.h"

#define FIRST_BYTES 256u
/* Bytes for tags in a chunk of full size, and in a smaller one, at least. */
#define TAGS_FULL 256u
#define TAGS_SMALL 64u

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

uint64_t stoa__layout_lane(uint64_t *end, uint32_t size, uint32_t rows) {
    uint64_t bytes = (uint64_t)rows * size;
    uint64_t start = line_up(*end) + STOA__LINE;
    *end = start + bytes;
    return start;
}

uint64_t stoa__layout_size(const stoa__archetype *archetype, uint32_t rows) {
    uint64_t end = stoa__layout_begin(rows);
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        stoa__layout_lane(&end, archetype->lanes[i].size, rows);
    }
    uint64_t tags = line_up((uint64_t)archetype->tag_count * STOA__TAG_STRIDE);
    uint64_t least = rows == archetype->full_capacity ? TAGS_FULL : TAGS_SMALL;
    return line_up(end) + (tags > least ? tags : least);
}

/* Notes the offset of a component the archetype has. */
static void column_place(stoa__archetype *archetype, stoa_component id, uint32_t offset) {
    stoa_column *column = (stoa_column *)(uintptr_t)stoa_archetype_column(&archetype->head, id);
    column->offset = offset;
}

void stoa__layout_apply(stoa__storage *storage, stoa__archetype *archetype, uint32_t rows) {
    uint64_t end = stoa__layout_begin(rows);
    archetype->block_size = (uint32_t)stoa__layout_size(archetype, rows);
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        stoa__lane *lane = &archetype->lanes[i];
        lane->offset = (uint32_t)stoa__layout_lane(&end, lane->size, rows);
        if (lane->kind == STOA__LANE_DATA) {
            column_place(archetype, lane->id, lane->offset);
        }
    }
    archetype->tags_at = (uint32_t)line_up(end);
    uint32_t tags = 0;
    for (uint32_t i = 0; i < archetype->id_count; i++) {
        if (stoa__component_at(storage, archetype->ids[i])->info.size == 0) {
            column_place(archetype, archetype->ids[i], stoa__layout_tag(archetype, tags++));
        }
    }
    archetype->head.chunk_capacity = (int32_t)rows;
    archetype->head.version = ++storage->head.epoch;
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
    uint32_t first = lanes[0].offset, step = count > 1 ? lanes[1].offset - first : 0;
    return 1u << 31 | count << 28 | lanes[0].size << 23 | step / STOA__LINE << 11 |
           first / STOA__LINE;
}

uint64_t stoa__layout_fill(const stoa__storage *storage, const stoa__archetype *archetype) {
    if (!archetype->light || storage->record_stamps != NULL || storage->aimed) {
        return 0;
    }
    return (uint64_t)fill_even(archetype) << 32 | archetype->index;
}

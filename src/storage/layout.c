/* The layout of a chunk.
 *
 * Entities first, then each column at a multiple of 64 bytes, in order of component ids. Columns of
 * a page and more start one cache line further each, since columns a multiple of 4 KiB apart
 * compete for the same cache sets. Tags share one line at the end, so that a pointer to a tag
 * points at something. The block ends on a line, so every column may be read to the line its last
 * row ends in. */
#include "storage/layout.h"

#define PAGE 4096u
#define FIRST_BYTES 512u

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
    uint64_t start = line_up(*end) + (bytes >= PAGE ? STOA__LINE : 0);
    *end = start + bytes;
    return start;
}

uint64_t stoa__layout_size(const stoa__archetype *archetype, uint32_t rows) {
    uint64_t end = stoa__layout_begin(rows);
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        stoa__layout_lane(&end, archetype->lanes[i].size, rows);
    }
    return line_up(end) + (archetype->tags ? STOA__LINE : 0);
}

/* Notes the offset of a component the archetype has. */
static void column_place(stoa__archetype *archetype, stoa_component id, uint32_t offset) {
    stoa_column *column = (stoa_column *)(uintptr_t)stoa_archetype_column(&archetype->head, id);
    column->offset = offset;
}

void stoa__layout_apply(stoa__storage *storage, stoa__archetype *archetype, uint32_t rows) {
    uint64_t end = stoa__layout_begin(rows);
    archetype->block_size = (uint32_t)stoa__layout_size(archetype, rows);
    for (uint32_t i = 0; i < archetype->id_count; i++) {
        column_place(archetype, archetype->ids[i], archetype->block_size - STOA__LINE);
    }
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        stoa__lane *lane = &archetype->lanes[i];
        lane->offset = (uint32_t)stoa__layout_lane(&end, lane->size, rows);
        column_place(archetype, lane->component->info.id, lane->offset);
    }
    archetype->head.chunk_capacity = (int32_t)rows;
    archetype->head.version++;
    storage->epoch++;
}

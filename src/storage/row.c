/* Rows: what is not inlined.
 *
 * Removing swaps: the last row of the archetype takes the place of the one that goes, so rows stay dense. */
#include "storage/row.h"

STOA__COLD stoa_status stoa__row_append_chunk(stoa__storage *storage, stoa__archetype *archetype,
                                   stoa__row *row) {
    stoa_status status = stoa__archetype_reserve(storage, archetype, 1);
    if (status != STOA_OK) {
        return status;
    }
    stoa_archetype_head *head = &archetype->head;
    if (head->chunk_count == 0 ||
        head->chunks[head->chunk_count - 1].count == head->chunk_capacity) {
        head->chunks[head->chunk_count++].count = 0;
    }
    stoa_chunk *chunk = &head->chunks[head->chunk_count - 1];
    row->data = chunk->data;
    row->slot = (size_t)chunk->count++;
    row->place = chunk->number << STOA_PLACE_BITS | (uint32_t)row->slot;
    return STOA_OK;
}

STOA__COLD void stoa__row_chunk_emptied(stoa__storage *storage, stoa__archetype *archetype) {
    archetype->head.chunk_count--;
    stoa__archetype_release(storage, archetype);
}

void stoa__row_fill_any(const stoa__archetype *archetype, const stoa__row *hole,
                        const stoa__row *last) {
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        uint8_t *to = hole->data + lane->offset + hole->slot * lane->size;
        uint8_t *from = last->data + lane->offset + last->slot * lane->size;
        if (archetype->plain) {
            stoa__copy_bytes(to, from, lane->size);
        } else {
            stoa__component_move(lane->component, to, from, 1);
        }
    }
}

void stoa__row_drop(const stoa__archetype *archetype, const stoa__row *row) {
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        stoa__component_drop(lane->component, row->data + lane->offset + row->slot * lane->size, 1);
    }
}

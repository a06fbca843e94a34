/* Rows: what is not inlined.
 *
 * Removing swaps: the last row of the archetype takes the place of the one that goes, so rows stay dense. */
#include "storage/row.h"

stoa_status stoa__row_append_chunk(stoa__storage *storage, stoa__archetype *archetype,
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

void stoa__row_chunk_emptied(stoa__storage *storage, stoa__archetype *archetype) {
    archetype->head.chunk_count--;
    stoa__archetype_release(storage, archetype);
}

void stoa__row_fill(stoa__storage *storage, stoa__archetype *archetype, stoa__row hole) {
    stoa__row last = stoa__row_last(archetype);
    if (last.place != hole.place) {
        const stoa__lane *lanes = archetype->lanes;
        uint32_t count = archetype->lane_count;
        if (archetype->small) {
            for (uint32_t i = 0; i < count; i++) {
                size_t size = lanes[i].size;
                stoa__copy_small(hole.data + lanes[i].offset + hole.slot * size,
                                 last.data + lanes[i].offset + last.slot * size, size);
            }
        } else if (archetype->plain) {
            for (uint32_t i = 0; i < count; i++) {
                size_t size = lanes[i].size;
                stoa__copy_bytes(hole.data + lanes[i].offset + hole.slot * size,
                                 last.data + lanes[i].offset + last.slot * size, size);
            }
        } else {
            for (uint32_t i = 0; i < count; i++) {
                size_t size = lanes[i].size;
                stoa__component_move(lanes[i].component,
                                     hole.data + lanes[i].offset + hole.slot * size,
                                     last.data + lanes[i].offset + last.slot * size, 1);
            }
        }
        stoa__row_entity_moved(storage, &hole, &last);
    }
    stoa__row_pop(storage, archetype);
}

void stoa__row_drop(const stoa__archetype *archetype, stoa__row row) {
    if (archetype->plain) {
        return;
    }
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        stoa__component_drop(lane->component, row.data + lane->offset + row.slot * lane->size, 1);
    }
}

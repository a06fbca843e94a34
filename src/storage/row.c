/* Rows: what is not inlined.
 *
 * Removing swaps: the last row of the archetype takes the place of the one that goes, so rows stay
 * dense. */
#include "storage/row.h"

STOA__COLD stoa_status stoa__row_room(stoa__storage *storage, stoa__archetype *archetype) {
    stoa_status status = stoa__archetype_reserve(storage, archetype, 1);
    if (status == STOA_OK && archetype->tail->count >= archetype->head.chunk_capacity) {
        stoa__archetype_extend(archetype);
    }
    return status;
}

STOA__COLD void stoa__row_chunk_emptied(stoa__storage *storage, stoa__archetype *archetype) {
    archetype->head.chunk_count--;
    stoa__archetype_release(storage, archetype);
}

void stoa__row_fill_any(const stoa__storage *storage, const stoa__archetype *archetype,
                        uint32_t place) {
    stoa__row hole = stoa__row_at(storage, place);
    stoa__row last = stoa__row_last(archetype);
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        uint8_t *to = hole.data + lane->offset + hole.slot * lane->size;
        uint8_t *from = last.data + lane->offset + last.slot * lane->size;
        if (archetype->plain) {
            stoa__copy_bytes(to, from, lane->size);
        } else {
            stoa__component_move(lane->component, to, from, 1);
        }
    }
}

void stoa__row_drop(const stoa__storage *storage, const stoa__archetype *archetype,
                    uint32_t place) {
    stoa__row row = stoa__row_at(storage, place);
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        stoa__component_drop(lane->component, row.data + lane->offset + row.slot * lane->size, 1);
    }
}

/* Rows: what is not inlined.
 *
 * Removing swaps: the last row of the archetype takes the place of the one that goes, so rows stay
 * dense. */
#include "storage/row.h"

#include "stoa/change.h"

STOA__COLD stoa_status stoa__row_room(stoa__storage *storage, stoa__archetype *archetype) {
    stoa_status status = stoa__archetype_reserve(storage, archetype, 1);
    if (status == STOA_OK && archetype->tail->count >= archetype->head.chunk_capacity) {
        stoa__archetype_extend(storage, archetype);
    }
    return status;
}

STOA__COLD void stoa__row_chunk_emptied(stoa__storage *storage, stoa__archetype *archetype) {
    archetype->head.chunk_count--;
    stoa__archetype_release(storage, archetype);
}

void stoa__state_merge_any(stoa_column_state *to, const stoa_column_state *from) {
    uint32_t changed = STOA_LOAD(&from->changed), added = STOA_LOAD(&from->added);
    if (stoa_tick_newer(changed, STOA_LOAD(&to->changed))) {
        STOA_STORE(&to->changed, changed);
    }
    if (stoa_tick_newer(added, STOA_LOAD(&to->added))) {
        STOA_STORE(&to->added, added);
    }
}

void stoa__row_states_merge(const stoa__archetype *archetype, uint8_t *const *to,
                            uint8_t *const *from) {
    for (uint32_t i = 1; i <= archetype->data_lanes; i++) {
        stoa__state_merge(stoa__column_state(to[i]), stoa__column_state(from[i]));
    }
    for (uint32_t i = 0; i < archetype->tag_count; i++) {
        uint32_t index = stoa__layout_tag(i);
        stoa__state_merge(stoa__state_of(to, index), stoa__state_of(from, index));
    }
}

/* True if a state is as new as another, or newer. */
static bool state_covers(const stoa_column_state *state, const stoa_column_state *other) {
    return stoa__state_ticks(state) == stoa__state_ticks(other) ||
           (!stoa_tick_newer(STOA_LOAD(&other->changed), STOA_LOAD(&state->changed)) &&
            !stoa_tick_newer(STOA_LOAD(&other->added), STOA_LOAD(&state->added)));
}

bool stoa__row_states_even(const stoa__archetype *archetype, uint8_t *const *from) {
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++) {
        const stoa_column_state *other = stoa__state_number(archetype, from, i);
        for (int32_t k = 0; k < archetype->head.chunk_count; k++) {
            uint8_t *const *columns = archetype->head.chunks[k].columns;
            if (!STOA_LIKELY(state_covers(stoa__state_number(archetype, columns, i), other))) {
                return false;
            }
        }
    }
    return true;
}

void stoa__row_off_count(const stoa__archetype *archetype, uint8_t *const *columns, size_t slot,
                         bool leaves) {
    for (uint32_t i = archetype->data_lanes; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        if (lane->kind == STOA__LANE_OFF && columns[lane->index][slot] != 0) {
            uint32_t index = stoa__archetype_column(archetype, lane->id)->index;
            stoa__state_of(columns, index)->off += leaves ? UINT32_MAX : 1;
        }
    }
}

void stoa__row_fill_any(const stoa__storage *storage, const stoa__archetype *archetype,
                        uint32_t place) {
    stoa__row hole = stoa__row_at(storage, place);
    stoa__row last = stoa__row_last(archetype);
    if (archetype->rich && last.columns != hole.columns) {
        stoa__row_off_count(archetype, last.columns, last.slot, true);
    }
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        uint8_t *to = stoa__row_item(hole, lane->index, lane->size);
        uint8_t *from = stoa__row_item(last, lane->index, lane->size);
        if (archetype->plain) {
            stoa__copy_bytes(to, from, lane->size);
        } else {
            stoa__component_move(lane->component, to, from, 1);
        }
    }
    if (archetype->rich && last.columns != hole.columns) {
        stoa__row_off_count(archetype, hole.columns, hole.slot, false);
    }
}

/* Copies an item of 8 to 16 bytes, one word after the other. */
STOA__INLINE void item_copy(uint8_t *to, const uint8_t *from, size_t size) {
    uint64_t word;
    memcpy(&word, from, 8);
    memcpy(to, &word, 8);
    memcpy(&word, from + size - 8, 8);
    memcpy(to + size - 8, &word, 8);
}

/* Copies the columns of an even archetype. */
STOA__INLINE stoa_status even_copy(uint64_t fill, uint8_t *const *hole, uint8_t *const *last,
                                   size_t to, size_t from) {
    size_t size = STOA__FILL_SIZE(fill), lanes = STOA__FILL_LANES(fill);
    to *= size;
    from *= size;
    do {
        item_copy(hole[lanes] + to, last[lanes] + from, size);
    } while (--lanes > 0);
    return STOA_OK;
}

/* stoa__row_fill_even where the ticks of columns differ. */
STOA__APART static stoa_status even_merge(uint64_t fill, uint8_t *const *hole, uint8_t *const *last,
                                          size_t to, size_t from) {
    for (size_t lane = STOA__FILL_LANES(fill); lane > 0; lane--) {
        stoa__state_merge(stoa__column_state(hole[lane]), stoa__column_state(last[lane]));
    }
    return even_copy(fill, hole, last, to, from);
}

/* stoa__row_fill_even for any number of columns. */
STOA__APART static stoa_status even_fill(uint64_t fill, uint8_t *const *hole, uint8_t *const *last,
                                         size_t to, size_t from) {
    for (size_t lane = STOA__FILL_LANES(fill); lane > 0; lane--) {
        if (!stoa__lane_same(hole, last, lane)) {
            return even_merge(fill, hole, last, to, from);
        }
    }
    return even_copy(fill, hole, last, to, from);
}

/* Two columns go without loops, 7.0 ns for a destruction instead of 7.7; and so that no register is
 * saved, others by a call with no way back. */
stoa_status stoa__row_fill_even(uint64_t fill, uint8_t *const *hole, uint8_t *const *last,
                                size_t to, size_t from) {
    if (!STOA_LIKELY(STOA__FILL_LANES(fill) == 2)) {
        return even_fill(fill, hole, last, to, from);
    }
    if (!stoa__lane_same(hole, last, 1) || !stoa__lane_same(hole, last, 2)) {
        return even_merge(fill, hole, last, to, from);
    }
    size_t size = STOA__FILL_SIZE(fill);
    to *= size;
    from *= size;
    item_copy(hole[1] + to, last[1] + from, size);
    item_copy(hole[2] + to, last[2] + from, size);
    return STOA_OK;
}

/* The rest of stoa__row_fill_lanes, from a lane on whose ticks differ. */
STOA__APART static stoa_status lanes_merge(const stoa__lane *lane, uint8_t *const *hole,
                                           uint8_t *const *last, size_t to, size_t from) {
    for (bool more = true; more; lane++) {
        uint8_t *into = hole[lane->index], *of = last[lane->index];
        stoa__state_merge(stoa__column_state(into), stoa__column_state(of));
        stoa__copy_small(into + to * lane->size, of + from * lane->size, lane->size);
        more = lane->last == 0;
    }
    return STOA_OK;
}

stoa_status stoa__row_fill_lanes(const stoa__lane *lane, uint8_t *const *hole, uint8_t *const *last,
                                 size_t to, size_t from) {
    for (;; lane++) {
        uint8_t *into = hole[lane->index], *of = last[lane->index];
        if (!STOA_LIKELY(stoa__state_ticks(stoa__column_state(into)) ==
                         stoa__state_ticks(stoa__column_state(of)))) {
            return lanes_merge(lane, hole, last, to, from);
        }
        item_copy(into + to * lane->size, of + from * lane->size, lane->size);
        if (lane->last != 0) {
            return STOA_OK;
        }
    }
}

stoa_status stoa__row_fill_light(const stoa__storage *storage, size_t place) {
    stoa__row hole = stoa__row_at(storage, (uint32_t)place);
    const stoa__archetype *archetype = stoa__row_archetype(storage, hole.place);
    const stoa_chunk *tail = archetype->tail;
    stoa__row last = {.columns = tail->columns, .slot = (uint32_t)tail->count};
    if (stoa__row_copy_small(archetype, hole, last) && hole.columns != last.columns) {
        stoa__row_states_merge(archetype, hole.columns, last.columns);
    }
    return STOA_OK;
}

void stoa__row_drop(const stoa__storage *storage, const stoa__archetype *archetype,
                    uint32_t place) {
    stoa__row row = stoa__row_at(storage, place);
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        stoa__component_drop(lane->component, stoa__row_item(row, lane->index, lane->size), 1);
    }
}

void stoa__row_remove(stoa__storage *storage, uint32_t place) {
    if (place >> STOA_PLACE_BITS == 0) {
        storage->empty_count--;
        return;
    }
    stoa__archetype *archetype = stoa__row_archetype(storage, place);
    stoa__row row = stoa__row_at(storage, place);
    if (!archetype->plain) {
        stoa__row_drop(storage, archetype, place);
    }
    if (archetype->rich) {
        stoa__row_off_count(archetype, row.columns, row.slot, true);
    }
    stoa__row_fill(storage, archetype, row);
}

/* Swaps plain bytes. */
static void bytes_swap(uint8_t *a, uint8_t *b, size_t size) {
    uint8_t piece[64];
    while (size > 0) {
        size_t n = size < sizeof piece ? size : sizeof piece;
        memcpy(piece, a, n);
        memcpy(a, b, n);
        memcpy(b, piece, n);
        a += n;
        b += n;
        size -= n;
    }
}

/* Bytes that swapping a row needs to put an item aside: the largest that a hook moves. */
static size_t aside_size(const stoa__archetype *archetype) {
    size_t size = 0;
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        if (lane->component->info.hooks.move != NULL && lane->size > size) {
            size = lane->size;
        }
    }
    return size;
}

static void rows_swap(const stoa__archetype *archetype, stoa__row a, stoa__row b, void *aside) {
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        uint8_t *x = stoa__row_item(a, lane->index, lane->size);
        uint8_t *y = stoa__row_item(b, lane->index, lane->size);
        if (lane->component->info.hooks.move == NULL) {
            bytes_swap(x, y, lane->size);
        } else {
            stoa__component_move(lane->component, aside, x, 1);
            stoa__component_move(lane->component, x, y, 1);
            stoa__component_move(lane->component, y, aside, 1);
        }
    }
}

stoa_status stoa__row_to_end(stoa__storage *storage, uint32_t place) {
    stoa__archetype *archetype = stoa__row_archetype(storage, place);
    if (archetype->index == 0 || stoa__row_last(archetype).place == place) {
        return STOA_OK;
    }
    size_t size = aside_size(archetype);
    void *aside = size > 0 ? stoa__heap_alloc(&storage->heap, size, STOA__LINE) : NULL;
    if (size > 0 && aside == NULL) {
        return stoa__error_memory("a component put aside");
    }
    stoa__row row = stoa__row_at(storage, place), last = stoa__row_last(archetype);
    stoa__row_off_count(archetype, row.columns, row.slot, true);
    stoa__row_off_count(archetype, last.columns, last.slot, true);
    rows_swap(archetype, row, last, aside);
    stoa__row_off_count(archetype, row.columns, row.slot, false);
    stoa__row_off_count(archetype, last.columns, last.slot, false);
    if (row.columns != last.columns) {
        stoa__row_states_merge(archetype, row.columns, last.columns);
        stoa__row_states_merge(archetype, last.columns, row.columns);
    }
    stoa_entity e = *stoa__row_entity(row), other = *stoa__row_entity(last);
    *stoa__row_entity(row) = other;
    *stoa__row_entity(last) = e;
    stoa__place_set(storage->head.records, e.index, last.place);
    stoa__place_set(storage->head.records, other.index, row.place);
    stoa__record_stamp(storage, e.index);
    stoa__record_stamp(storage, other.index);
    stoa__rows_moved(storage, archetype->index);
    stoa__heap_free(&storage->heap, aside, size, STOA__LINE);
    return STOA_OK;
}

/* One row of a walk: whether it passes the tests, for walks that meet rows one by one.
 *
 * What an archetype keeps its tests by was found when it was entered. Reads only. */
#include "query/walk.h"

#include "stoa/change.h"

/* The tick of a row, or that of the chunk where rows have none of their own. */
static uint32_t row_tick(uint8_t *const *columns, uint32_t lane, uint32_t row, uint32_t chunk) {
    return lane != STOA__NONE ? ((const uint32_t *)(const void *)columns[lane])[row] : chunk;
}

/* True if one row passes the tests of a column. */
static bool column_row(const stoa__walk *walk, uint32_t index, uint8_t *const *columns,
                       uint32_t row) {
    const stoa__spot *spot = &walk->spots[index];
    uint32_t tests = walk->terms->items[index].tests, since = walk->since;
    if (spot->column == STOA__NONE) {
        return true;
    }
    const stoa_column_state *state = stoa__walk_state(columns, spot);
    if ((tests & STOA__TEST_CHANGED) != 0 &&
        !stoa_tick_newer(row_tick(columns, spot->changed, row, STOA_LOAD(&state->changed)),
                         since)) {
        return false;
    }
    if ((tests & STOA__TEST_ADDED) != 0 &&
        !stoa_tick_newer(row_tick(columns, spot->added, row, STOA_LOAD(&state->added)), since)) {
        return false;
    }
    if ((tests & (STOA__TEST_ON | STOA__TEST_OFF)) == 0) {
        return true;
    }
    bool off = state->off > 0 && columns[spot->off][row] != 0;
    return off == ((tests & STOA__TEST_OFF) != 0);
}

/* True if one row has a component of the group, switched on. */
static bool group_row(const stoa__walk *walk, uint32_t from, uint8_t *const *columns, uint32_t row,
                      uint32_t index) {
    const stoa__terms *terms = walk->terms;
    for (uint32_t i = from, end = stoa__terms_group(terms, from); i < end; i++) {
        const stoa__sparse *set = terms->items[terms->any[i]].component->set;
        const stoa__spot *spot = stoa__walk_any(walk, terms->any[i]);
        if (set != NULL ? stoa__walk_on(set, index)
                        : spot != NULL && columns != NULL && columns[spot->off][row] == 0) {
            return true;
        }
    }
    return false;
}

bool stoa__walk_row(const stoa__walk *walk, uint8_t *const *columns, uint32_t row, uint32_t index) {
    const stoa__terms *terms = walk->terms;
    for (uint32_t i = 0; columns != NULL && i < terms->column_count; i++) {
        if (!column_row(walk, terms->columns[i], columns, row)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < terms->sparse_count; i++) {
        const stoa__term *term = &terms->items[terms->sparses[i]];
        if (term->component->set != walk->set && !stoa__walk_sparse(term, index, walk->since)) {
            return false;
        }
    }
    for (uint32_t left = walk->groups; left != 0; left &= left - 1) {
        if (!group_row(walk, stoa__bit_lowest(left), columns, row, index)) {
            return false;
        }
    }
    return true;
}

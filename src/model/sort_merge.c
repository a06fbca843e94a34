/* Sorting by a function: a merge sort of pointers to rows.
 *
 * Short runs are sorted by insertion, then merged two by two; runs that are in order already are
 * taken as they are. Every step goes on by one whatever the function says, so one that contradicts
 * itself gives some order of the same rows. The function is called with values where they are,
 * never with copies: they may point at themselves. Always an earlier row first, so that equal ones
 * keep their order. Memory: 36 bytes for each row. */
#include "base/error.h"
#include "base/inline.h"
#include "model/sort.h"

#include <string.h>

/* Rows of a run that is sorted by insertion. */
#define RUN_ROWS 8u
/* Rows that are sorted, while they are in a near cache, before others are touched: runs times a
 * power of four, so that they end up in the array they came from. */
#define BLOCK_ROWS 2048u

/* A row, and where its value is, so that nothing need be looked up to compare. */
typedef struct item {
    const uint8_t *value;
    uint32_t row;
} item;

/* What is sorted and how. */
typedef struct merge {
    const stoa__sort_rows *rows;
    const stoa__sort_by *by;
} merge;

STOA__INLINE item item_of(const stoa__sort_rows *rows, uint32_t row) {
    const uint8_t *values = rows->blocks[row >> rows->shift].values;
    return (item){values != NULL ? values + (size_t)(row & rows->mask) * rows->size : NULL, row};
}

static stoa_sort_item entity_of(const stoa__sort_rows *rows, item i) {
    return (stoa_sort_item){rows->blocks[i.row >> rows->shift].entities[i.row & rows->mask],
                            i.value};
}

/* True if `b`, which stands after `a`, must come before it; `entities` is known to the compiler. */
STOA__INLINE bool items_wrong(const merge *m, bool entities, item a, item b) {
    if (entities) {
        stoa_sort_item x = entity_of(m->rows, a), y = entity_of(m->rows, b);
        return m->by->entities(&x, &y, m->by->user) > 0;
    }
    return m->by->values(a.value, b.value, m->by->user) > 0;
}

STOA__INLINE void run_sort(const merge *m, bool entities, item *run, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        item one = run[i];
        uint32_t at = i;
        for (; at > 0 && items_wrong(m, entities, run[at - 1], one); at--) {
            run[at] = run[at - 1];
        }
        run[at] = one;
    }
}

/* Merges two runs of equal length from both ends at once, so that two comparisons are under way at
 * a time. True if both met: they need not, if the function contradicts itself. */
STOA__INLINE bool halves_merge(const merge *m, bool entities, const item *from, size_t half,
                               item *to) {
    const item *a = from, *b = from + half, *a_end = b, *b_end = b + half;
    item *to_end = to + 2 * half;
    for (size_t i = 0; i < half; i++) {
        size_t wrong = items_wrong(m, entities, *a, *b);
        size_t wrong_last = items_wrong(m, entities, a_end[-1], b_end[-1]);
        /* Without a branch: which way it goes is anybody's guess. */
        STOA_ALONE(wrong);
        STOA_ALONE(wrong_last);
        *to++ = a[(size_t)(b - a) & (0 - wrong)];
        b_end -= 1 - wrong_last;
        a_end -= wrong_last;
        *--to_end = a_end[(size_t)(b_end - a_end) & (wrong_last - 1)];
        a += 1 - wrong;
        b += wrong;
    }
    return a == a_end;
}

/* Merges two runs that stand one after the other; there need be no second one. */
STOA__INLINE void runs_merge(const merge *m, bool entities, const item *from, size_t left,
                             size_t count, item *to) {
    if (left >= count || !items_wrong(m, entities, from[left - 1], from[left])) {
        memcpy(to, from, count * sizeof *to);
        return;
    }
    if (left * 2 == count && halves_merge(m, entities, from, left, to)) {
        return;
    }
    const item *a = from, *a_end = from + left, *b = a_end, *b_end = from + count;
    while (a < a_end && b < b_end) {
        *to++ = items_wrong(m, entities, *a, *b) ? *b++ : *a++;
    }
    memcpy(to, a, (size_t)(a_end - a) * sizeof *to);
    memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *to);
}

/* Merges runs of `width` until they are `end` long; returns which of the two arrays they are in. */
STOA__INLINE item *runs_grow(const merge *m, bool entities, item *items, item *spare, size_t count,
                             size_t width, size_t end) {
    for (; width < end; width *= 2) {
        for (size_t i = 0; i < count; i += 2 * width) {
            size_t both = count - i < 2 * width ? count - i : 2 * width;
            runs_merge(m, entities, items + i, width, both, spare + i);
        }
        item *merged = spare;
        spare = items;
        items = merged;
    }
    return items;
}

/* Sorts all rows; returns which of the two arrays they are in. */
STOA__INLINE const item *items_sort(const merge *m, bool entities, item *items, item *spare) {
    size_t count = m->rows->count;
    for (size_t block = 0; block < count; block += BLOCK_ROWS) {
        size_t n = count - block < BLOCK_ROWS ? count - block : BLOCK_ROWS;
        for (size_t i = block; i < block + n; i++) {
            items[i] = item_of(m->rows, (uint32_t)i);
        }
        for (size_t i = 0; i < n; i += RUN_ROWS) {
            run_sort(m, entities, items + block + i,
                     n - i < RUN_ROWS ? (uint32_t)(n - i) : RUN_ROWS);
        }
        runs_grow(m, entities, items + block, spare + block, n, RUN_ROWS, BLOCK_ROWS);
    }
    return runs_grow(m, entities, items, spare, count, BLOCK_ROWS, count);
}

STOA__INLINE bool rows_sorted(const merge *m, bool entities) {
    item before = item_of(m->rows, 0);
    for (uint32_t i = 1; i < m->rows->count; i++) {
        item next = item_of(m->rows, i);
        if (items_wrong(m, entities, before, next)) {
            return false;
        }
        before = next;
    }
    return true;
}

stoa_status stoa__sort_by_function(stoa__heap *heap, const stoa__sort_rows *rows,
                                   const stoa__sort_by *by, int32_t **order) {
    merge m = {rows, by};
    bool entities = by->entities != NULL;
    *order = NULL;
    if (entities ? rows_sorted(&m, true) : rows_sorted(&m, false)) {
        return STOA_OK;
    }
    size_t count = rows->count, order_size = count * sizeof **order;
    size_t items_size = 2 * count * sizeof(item);
    item *items = stoa__heap_alloc(heap, items_size, _Alignof(item));
    int32_t *result = items != NULL ? stoa__heap_alloc(heap, order_size, _Alignof(int32_t)) : NULL;
    if (result != NULL) {
        const item *sorted = entities ? items_sort(&m, true, items, items + count)
                                      : items_sort(&m, false, items, items + count);
        for (size_t i = 0; i < count; i++) {
            result[i] = (int32_t)sorted[i].row;
        }
    }
    stoa__heap_free(heap, items, items_size, _Alignof(item));
    *order = result;
    return result != NULL ? STOA_OK : stoa__error_memory("the order of a sort");
}

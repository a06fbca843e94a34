/* Finding runs, and keeping them.
 *
 * A row is found by its entity's record, and mostly it is the one after that of the place before:
 * so the entities of rows are compared with those of places as far as they agree. What was found
 * holds as long as the version of a query of the same rows does. Looking for all runs is O(places);
 * it is paid for by as much work that was done without. One thread at a time changes what is kept,
 * several may read it. */
#include "builtin/runs.h"

#include "base/error.h"
#include "base/inline.h"

/* A list of runs that have fewer places each, on average, takes more memory than it is worth. */
#define PLACES_FEW 8u

/* Runs that are kept, however few places they have. */
#define RUNS_ALWAYS 64u

stoa__transform_layout stoa__finder_layout(stoa__finder *finder,
                                           const stoa_archetype_head *archetype) {
    if (finder->layout.archetype != archetype) {
        finder->layout = (stoa__transform_layout){
            archetype, stoa_archetype_column(archetype, finder->local)->index,
            stoa_archetype_column(archetype, finder->global)->index};
    }
    return finder->layout;
}

STOA__APART static void view_open(stoa__finder *finder, stoa__chunk_view *view, uint32_t number) {
    const stoa_chunk_ref *chunk = &finder->world->chunks[number];
    const stoa_archetype_head *archetype = chunk->archetype;
    const stoa_chunk *chunks = archetype->chunks, *last = &chunks[archetype->chunk_count - 1];
    bool known = view->archetype == archetype && view->index != STOA__VIEW_UNKNOWN;
    uint32_t index = known ? view->index + 1 : 0;
    bool in_turn = index < (uint32_t)archetype->chunk_count && chunks[index].number == number;
    stoa__transform_layout at = stoa__finder_layout(finder, archetype);
    view->archetype = archetype;
    view->number = number;
    view->index = in_turn ? index : STOA__VIEW_UNKNOWN;
    view->count = (uint32_t)(last->number == number ? last->count : archetype->chunk_capacity);
    view->entities = stoa_columns_entities(chunk->columns);
    view->locals = (const Mat4 *)(const void *)chunk->columns[at.local];
    view->worlds = (Mat4 *)(void *)chunk->columns[at.global];
}

/* The chunk after the one at hand, or NULL if that is not known. */
static const stoa_chunk *view_next(const stoa__chunk_view *view) {
    bool known = view->archetype != NULL && view->index != STOA__VIEW_UNKNOWN &&
                 view->index + 1 < (uint32_t)view->archetype->chunk_count;
    return known ? &view->archetype->chunks[view->index + 1] : NULL;
}

/* The row of a place, in the chunk that `view` becomes. */
static uint32_t row_find(stoa__finder *finder, stoa__chunk_view *view, uint32_t place) {
    stoa_entity e = finder->order->items[place].entity;
    const stoa_chunk *next = view_next(view);
    if (next != NULL && stoa_entity_eq(*stoa_columns_entities(next->columns), e)) {
        view_open(finder, view, next->number);
        return 0;
    }
    uint32_t at = stoa_record_place(finder->world->records, e.index);
    if (view->archetype == NULL || at >> STOA_PLACE_BITS != view->number) {
        view_open(finder, view, at >> STOA_PLACE_BITS);
    }
    return at & STOA__ROW_MASK;
}

/* How many rows are those of the places from one on, which are all in its block. Mostly that is
 * all of them, or only the first. */
STOA__INLINE uint32_t block_same(const stoa__levels *order, uint32_t place, const stoa_entity *rows,
                                 uint32_t count) {
    const stoa__level_item *items = order->items + place;
    uint64_t first = stoa_entity_pack(items[0].entity), differ = 0;
    uint32_t i = 0;
    if (!stoa__levels_even(order, place)) {
        while (i < count && stoa_entity_pack(rows[i]) == stoa_entity_pack(items[i].entity)) {
            i++;
        }
        return i;
    }
    if (count > 1 && stoa_entity_pack(rows[1]) == first + 1) {
        for (; i < count; i++) {
            differ |= stoa_bits_read(&rows[i]) ^ (first + i);
        }
        i = differ == 0 ? count : 0;
    }
    while (i < count && stoa_entity_pack(rows[i]) == first + i) {
        i++;
    }
    return i;
}

/* The part of some places from one on that is in its block. */
STOA__INLINE uint32_t block_part(uint32_t place, uint32_t count) {
    uint32_t left = STOA__LEVELS_BLOCK - place % STOA__LEVELS_BLOCK;
    return count < left ? count : left;
}

/* How many places from one on have rows that stand side by side in the chunk at hand. */
static uint32_t rows_count(const stoa__levels *order, const stoa__chunk_view *view, uint32_t row,
                           uint32_t place, uint32_t most) {
    uint32_t count = 0, part = 1, same = 1, left = view->count - row;
    for (most = most < left ? most : left; count < most && same == part; count += same) {
        part = block_part(place + count, most - count);
        same = block_same(order, place + count, view->entities + row + count, part);
    }
    return count;
}

stoa__run stoa__finder_next(stoa__finder *finder, uint32_t begin, uint32_t end) {
    const stoa__level_item *items = finder->order->items;
    if (finder->known == 0) {
        finder->row = row_find(finder, &finder->own, begin);
        finder->known = rows_count(finder->order, &finder->own, finder->row, begin, end - begin);
    }
    uint32_t parent = items[begin].parent, until = items[0].first - begin;
    stoa__run run = {.local = finder->own.locals + finder->row,
                     .world = finder->own.worlds + finder->row,
                     .column = (uint8_t *)finder->own.worlds,
                     .place = begin};
    if (parent != STOA__LEVELS_NONE) {
        uint32_t above = row_find(finder, &finder->above, parent);
        uint32_t last = items[begin + finder->known - 1].parent;
        uint32_t parents =
            rows_count(finder->order, &finder->above, above, parent, last - parent + 1);
        run.from = finder->above.worlds + above;
        run.parents = items + parent;
        until = items[parent + parents].first - begin;
    }
    run.count = finder->known < until ? finder->known : until;
    finder->row += run.count;
    finder->known -= run.count;
    return run;
}

void stoa__runs_fini(stoa__runs *runs, stoa__heap *heap) {
    stoa__heap_grow_free(heap, runs->items, runs->capacity, sizeof *runs->items);
    stoa__heap_grow_free(heap, runs->blocks, runs->block_capacity, sizeof *runs->blocks);
    *runs = (stoa__runs){0};
}

/* Lists the runs of all places; none if they are short or there is no memory. */
static void runs_list(stoa__runs *runs, stoa__heap *heap, stoa__finder *finder) {
    uint32_t count = 0, block = 0, places = finder->order->count;
    uint32_t most = places / PLACES_FEW + RUNS_ALWAYS;
    if (!stoa__heap_grow(heap, &runs->blocks, &runs->block_capacity,
                         (places >> STOA__RUNS_BLOCK) + 1, sizeof *runs->blocks)) {
        return;
    }
    for (uint32_t place = 0; place < places; count++) {
        if (count == most ||
            !stoa__heap_grow(heap, &runs->items, &runs->capacity, count + 1, sizeof *runs->items)) {
            return;
        }
        runs->items[count] = stoa__finder_next(finder, place, places);
        place += runs->items[count].count;
        while ((uint64_t)block << STOA__RUNS_BLOCK < place) {
            runs->blocks[block++] = count;
        }
    }
    runs->count = count;
}

void stoa__runs_renew(stoa__runs *runs, stoa__heap *heap, stoa__finder finder, uint64_t version,
                      uint64_t order, uint64_t places) {
    if (runs->version != version || runs->order != order) {
        stoa__runs_forget(runs);
        runs->version = version;
        runs->order = order;
    }
    if (runs->count == 0 && runs->worked >= finder.order->count) {
        runs_list(runs, heap, &finder);
        runs->worked = 0;
    }
    runs->worked += places;
}

void stoa__runs_forget(stoa__runs *runs) {
    runs->count = 0;
    runs->worked = 0;
}

stoa__run stoa__run_part(const stoa__run *run, const stoa__levels *order, uint32_t begin,
                         uint32_t end) {
    stoa__run part = *run;
    uint32_t skip = begin - run->place;
    part.local += skip;
    part.world += skip;
    part.place = begin;
    part.count -= skip;
    part.count = part.count < end - begin ? part.count : end - begin;
    if (run->from != NULL) {
        part.parents = order->items + order->items[begin].parent;
        part.from += part.parents - run->parents;
    }
    return part;
}

stoa_status stoa__runs_check(const stoa__runs *runs, stoa__finder finder) {
    uint32_t place = 0, block = 0;
    for (uint32_t i = 0; i < runs->count; i++) {
        const stoa__run *run = &runs->items[i];
        stoa__run found = {.count = 0};
        for (uint32_t past = 0; run->place == place && past < run->count; past += found.count) {
            found = stoa__finder_next(&finder, place + past, place + run->count);
            stoa__run part = stoa__run_part(run, finder.order, place + past, place + run->count);
            if (found.local != part.local || found.world != part.world ||
                found.column != part.column || found.from != part.from ||
                found.parents != part.parents || found.count != part.count) {
                return stoa__error(STOA_CORRUPT, "transforms: the rows from place %u on are wrong",
                                   place + past);
            }
        }
        place += run->place == place ? run->count : 0;
        for (; (uint64_t)block << STOA__RUNS_BLOCK < place; block++) {
            if (runs->blocks[block] != i) {
                return stoa__error(STOA_CORRUPT, "transforms: the run of place %u is not found",
                                   block << STOA__RUNS_BLOCK);
            }
        }
    }
    return runs->count == 0 || place == finder.order->count
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "transforms: runs end at place %u", place);
}

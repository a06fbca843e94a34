/* Cutting a query into parts, and iterating one of them.
 *
 * Where the cuts are depends on the rows alone, so that equal worlds are cut alike on any number of
 * threads. Cutting is O(parts + chunks) and is done by one thread, with memory that is kept for the
 * next time; it is O(matches) if no row came or went since. Parts are iterated by any threads: they
 * read the query and write nothing but what fields mark. */
#include "query/cut.h"

#include "query/iter.h"
#include "query/matches.h"
#include "storage/archetype.h"

/* Parts of a large query, about. More than any machine has threads, few enough to be cheap. */
#define PARTS 128u
/* Parts that have walks, at most, about: each holds some kilobytes. */
#define WALKS_MAX 1024u
/* Rows of a part at least, unless it is asked for otherwise: below that a thread is not worth it.
 */
#define ROWS_MIN 256u
/* Cuts inside of a chunk are at multiples of this, so that threads do not share cache lines of any
 * column of 4 bytes or more. */
#define ROWS_STEP 16u

static uint32_t rows_round(uint32_t rows) {
    return (rows + ROWS_STEP - 1) / ROWS_STEP * ROWS_STEP;
}

/* The rows of a part: as asked for, or so that there are about PARTS of them. */
static uint32_t rows_choose(uint32_t asked, uint32_t total) {
    uint32_t rows = asked != 0 ? asked : total / PARTS + (total % PARTS != 0);
    rows = asked == 0 && rows < ROWS_MIN ? ROWS_MIN : rows;
    return rows_round(rows);
}

/* True if the runs and parts that are listed are those that a cut would list: each match has as
 * many rows as it had, in chunks that are where they were. O(matches). */
static bool cut_stands(const stoa_query *query, uint32_t rows) {
    const stoa__cut *cut = query->cut;
    const stoa__storage *storage = &query->head.world->storage;
    if (cut->match_count != query->head.count || cut->rows != rows ||
        cut->epoch != storage->head.epoch || cut->chunk_changes != storage->chunk_changes ||
        cut->query_matches != query->head.matches) {
        return false;
    }
    for (uint32_t i = 0; i < cut->match_count; i++) {
        const stoa__cut_match *match = &cut->matches[i];
        if (match->archetype != stoa__match_at(query, i)->archetype ||
            match->rows != stoa__head_rows(match->archetype)) {
            return false;
        }
    }
    return true;
}

/* Notes what the runs and parts were made of. Without memory the next cut is made anew. */
static void cut_note(stoa_query *query, uint32_t rows) {
    stoa__cut *cut = query->cut;
    stoa__storage *storage = &query->head.world->storage;
    if (!stoa__heap_grow(&storage->heap, &cut->matches, &cut->match_capacity, query->head.count,
                         sizeof *cut->matches)) {
        return;
    }
    for (uint32_t i = 0; i < query->head.count; i++) {
        const stoa_archetype_head *head = stoa__match_at(query, i)->archetype;
        cut->matches[i] = (stoa__cut_match){head, stoa__head_rows(head)};
    }
    cut->match_count = query->head.count;
    cut->rows = rows;
    cut->epoch = storage->head.epoch;
    cut->chunk_changes = storage->chunk_changes;
    cut->query_matches = query->head.matches;
}

static uint32_t rows_count(const stoa_query *query) {
    uint32_t count = 0;
    for (uint32_t i = query->terms.empty; i < query->head.count; i++) {
        count += stoa__head_rows(stoa__match_at(query, i)->archetype);
    }
    return count;
}

static stoa_status runs_reserve(stoa_query *query, uint32_t runs, uint32_t parts) {
    stoa__heap *heap = &query->head.world->storage.heap;
    stoa__cut *cut = query->cut;
    return stoa__heap_grow(heap, &cut->runs, &cut->run_capacity, runs, sizeof *cut->runs) &&
                   stoa__heap_grow(heap, &cut->parts, &cut->part_capacity, parts,
                                   sizeof *cut->parts)
               ? STOA_OK
               : stoa__error_memory("the parts of a query");
}

/* Lists a run. One that stands there from the last cut is not written again: in a frame like the
 * one before, the threads that iterate it have it in their caches. */
static void run_put(stoa__cut *cut, const stoa_run *run) {
    uint32_t i = cut->run_count++;
    stoa_run *at = &cut->runs[i];
    if (i < cut->run_known && at->columns == run->columns && at->first == run->first &&
        at->count == run->count && at->indexes == run->indexes && at->fields == run->fields) {
        return;
    }
    *at = *run;
    cut->run_known = i < cut->run_known ? cut->run_known : i + 1;
}

/* Lists a part that is runs, in the same way. */
static void part_put(stoa__cut *cut, const stoa__part *part) {
    uint32_t i = cut->part_count++;
    stoa__part *at = &cut->parts[i];
    if (i >= cut->part_known || at->first != part->first || at->count != part->count) {
        *at = *part;
        cut->part_known = i < cut->part_known ? cut->part_known : i + 1;
    }
}

/* The part that is being cut. */
typedef struct cutting {
    stoa__cut *cut;
    const stoa_match *match;
    stoa__part part;
    uint32_t rows; /* that a part is to have */
    uint32_t room; /* rows that this one still takes; 0: it is done */
} cutting;

/* Lists some rows of a chunk as a run of the part. */
static inline void rows_put(cutting *c, const stoa_chunk *chunk, uint32_t first, uint32_t count) {
    if (c->room == 0) {
        if (c->part.count > 0) {
            part_put(c->cut, &c->part);
        }
        c->part = (stoa__part){.first = c->cut->run_count};
        c->room = c->rows;
    }
    run_put(c->cut, &(stoa_run){chunk->columns, stoa__match_indexes(c->match), c->match->fields,
                                (int32_t)first, (int32_t)count});
    c->part.count++;
    c->room -= count < c->room ? count : c->room;
}

/* Lists the rows of a chunk that has more than a part. */
static void chunk_cut(cutting *c, const stoa_chunk *chunk) {
    uint32_t left = (uint32_t)chunk->count;
    for (uint32_t first = 0; left > 0;) {
        uint32_t take = rows_round(first + (c->room != 0 ? c->room : c->rows)) - first;
        take = left < take ? left : take;
        rows_put(c, chunk, first, take);
        first += take;
        left -= take;
    }
}

/* Lists the rows of a match. A chunk that has no more of them than a part is left whole, since a
 * column is quickest from its beginning to its end. There must be memory. */
static void match_cut(cutting *c) {
    const stoa_archetype_head *archetype = c->match->archetype;
    for (int32_t k = 0; k < archetype->chunk_count; k++) {
        const stoa_chunk *chunk = &archetype->chunks[k];
        if (STOA_LIKELY((uint32_t)chunk->count <= c->rows)) {
            rows_put(c, chunk, 0, (uint32_t)chunk->count);
        } else {
            chunk_cut(c, chunk);
        }
    }
}

/* Cuts a query whose rows need no test into runs. */
static stoa_status runs_cut(stoa_query *query, uint32_t rows) {
    cutting c = {.cut = query->cut, .rows = rows};
    for (uint32_t i = 0; i < query->head.count; i++) {
        c.match = stoa__match_at(query, i);
        const stoa_archetype_head *archetype = c.match->archetype;
        uint32_t chunks = (uint32_t)archetype->chunk_count;
        uint32_t most = chunks * ((uint32_t)archetype->chunk_capacity / rows + 2);
        if (most > c.cut->run_capacity - c.cut->run_count ||
            most >= c.cut->part_capacity - c.cut->part_count) {
            stoa_status status =
                runs_reserve(query, c.cut->run_count + most, c.cut->part_count + most + 1);
            if (status != STOA_OK) {
                return status;
            }
        }
        match_cut(&c);
    }
    if (c.part.count > 0) {
        part_put(c.cut, &c.part);
    }
    return STOA_OK;
}

/* The walk of a part by its number, kept for the same part of later cuts; NULL on lack of memory.
 * Walks that wait for threads are left to those. */
static stoa__walk *walk_at(stoa_query *query, uint32_t number) {
    stoa__cut *cut = query->cut;
    if (number < cut->walk_count) {
        return cut->walks[number];
    }
    stoa__heap *heap = &query->head.world->storage.heap;
    if (!stoa__heap_grow(heap, &cut->walks, &cut->walk_capacity, number + 1, sizeof *cut->walks) ||
        !stoa__walk_reserve(query, (int32_t)query->shared_walks + 1)) {
        return NULL;
    }
    stoa__walk *walk = stoa__walk_take(query);
    walk->part = true;
    walk->since = cut->since;
    cut->walks[cut->walk_count++] = walk;
    return walk;
}

/* One more part, with a walk of its own; NULL on lack of memory. */
static stoa__part *walk_add(stoa_query *query, uint32_t first, uint32_t count) {
    stoa__cut *cut = query->cut;
    stoa_status status = runs_reserve(query, 0, cut->part_count + 1);
    stoa__walk *walk = status == STOA_OK ? walk_at(query, cut->part_count) : NULL;
    if (walk == NULL) {
        stoa__error_memory("the parts of a query");
        return NULL;
    }
    stoa__part *part = &cut->parts[cut->part_count++];
    *part = (stoa__part){.walk = walk, .first = first, .count = count};
    return part;
}

/* Cuts a walk by a set into ranges of its positions, in words of bits. */
static stoa_status set_cut(stoa_query *query, uint32_t rows, uint32_t count) {
    rows = (rows + 63) / 64 * 64;
    for (uint32_t from = 0; from < count;) {
        uint32_t take = count - from > rows ? rows : count - from;
        if (walk_add(query, from, take) == NULL) {
            return STOA_NO_MEMORY;
        }
        from += take;
    }
    return STOA_OK;
}

/* Cuts a walk by chunks into ranges of chunks, entities without columns first. */
static stoa_status chunks_cut(stoa_query *query, uint32_t rows) {
    stoa__part *part = NULL;
    uint32_t room = 0;
    if (query->terms.empty && query->head.world->storage.empty_count > 0) {
        part = walk_add(query, 0, 0);
        if (part == NULL) {
            return STOA_NO_MEMORY;
        }
        part->empties = true;
    }
    for (uint32_t i = query->terms.empty; i < query->head.count; i++) {
        const stoa_archetype_head *archetype = stoa__match_at(query, i)->archetype;
        for (int32_t k = 0; k < archetype->chunk_count; k++) {
            uint32_t count = (uint32_t)archetype->chunks[k].count;
            if (room == 0) {
                part = walk_add(query, i, 0);
                if (part == NULL) {
                    return STOA_NO_MEMORY;
                }
                part->chunk_first = k;
                room = rows;
            }
            part->count = i + 1 - part->first;
            part->chunk_end = k + 1;
            room -= count < room ? count : room;
        }
    }
    return STOA_OK;
}

/* Cuts a query whose rows must be tested, or that matches entities without columns. */
static stoa_status walks_cut(stoa_query *query, uint32_t rows) {
    stoa__walk *walk = walk_at(query, 0);
    if (walk == NULL) {
        return stoa__error_memory("the parts of a query");
    }
    stoa__walk_begin(walk, query->head.world, &query->terms, query, query->cut->since);
    const stoa__sparse *set = walk->set;
    uint32_t total = set != NULL ? set->count : rows_count(query);
    uint32_t least = rows_round(total / WALKS_MAX), chosen = rows_choose(rows, total);
    chosen = chosen < least ? least : chosen;
    return set != NULL ? set_cut(query, chosen, total) : chunks_cut(query, chosen);
}

/* There are no parts any more. */
static void cut_void(stoa__cut *cut) {
    cut->part_count = cut->run_count = 0;
    cut->match_count = STOA__NONE;
}

/* Cuts a query; the parts of the last cut are gone, or stay if they are the same. */
static stoa_status query_cut(stoa_query *query, uint32_t rows) {
    if (stoa__query_barred(query)) {
        return stoa__query_bar(query);
    }
    stoa_status status = query->listed ? STOA_OK : stoa__matches_list(query);
    if (status != STOA_OK) {
        return status;
    }
    stoa__matches_resolve(query);
    if (cut_stands(query, rows)) {
        return STOA_OK;
    }
    cut_void(query->cut);
    if (query->terms.heavy || query->terms.empty) {
        return walks_cut(query, rows);
    }
    status = runs_cut(query, rows_choose(rows, rows_count(query)));
    if (status == STOA_OK) {
        cut_note(query, rows);
    }
    return status;
}

/* Makes what a query needs for cuts. */
static stoa_status cut_make(stoa_query *query) {
    stoa__heap *heap = &query->head.world->storage.heap;
    query->cut = stoa__heap_zalloc(heap, sizeof *query->cut, _Alignof(stoa__cut));
    if (query->cut == NULL) {
        return stoa__error_memory("the parts of a query");
    }
    query->cut->match_count = STOA__NONE;
    query->cut->head.sets = query->cut->sets;
    query->cut->head.writes = query->terms.writes;
    /* Made now: threads may ask for it. */
    (void)stoa_query_name(query);
    return STOA_OK;
}

int32_t stoa_query_cut(stoa_query *query, const uint32_t *since, int32_t rows) {
    if (query == NULL) {
        stoa__world_null(NULL, "query");
        return -1;
    }
    stoa_world *world = query->head.world;
    if (rows < 0) {
        stoa__world_report(world, stoa__error(STOA_INVALID, "parts of %d rows", rows));
        return -1;
    }
    if (!stoa__terms_allowed(world, &query->terms, true)) {
        return -1;
    }
    stoa_status status = query->cut != NULL ? STOA_OK : cut_make(query);
    if (status == STOA_OK) {
        query->cut->since = since != NULL ? *since : world->storage.head.tick - STOA__QUERY_AGE;
        status = query_cut(query, (uint32_t)rows);
    }
    if (status != STOA_OK) {
        if (query->cut != NULL) {
            cut_void(query->cut);
        }
        stoa__world_report(world, status);
        return -1;
    }
    return (int32_t)query->cut->part_count;
}

/* Begins the walk of a part. */
static stoa_walk_head *part_begin(const stoa_query *query, const stoa__part *part) {
    stoa__walk *walk = part->walk;
    stoa__walk_begin(walk, query->head.world, &query->terms, query, query->cut->since);
    if (walk->set != NULL) {
        walk->position_next = part->first;
        walk->position_end = part->first + part->count;
        return &walk->head;
    }
    walk->empties = part->empties ? walk->empties : 0;
    walk->next_one = part->first;
    walk->next_end = part->first + part->count;
    walk->chunk_first = part->chunk_first;
    walk->chunk_end = part->chunk_end;
    return &walk->head;
}

stoa_iter stoa_query_part(stoa_query *query, int32_t part) {
    if (query == NULL) {
        stoa__world_null(NULL, "query");
        return (stoa_iter){.query = NULL};
    }
    if (query->cut == NULL || part < 0 || (uint32_t)part >= query->cut->part_count) {
        stoa__world_report(query->head.world, stoa__error(STOA_INVALID, "query '%s' has no part %d",
                                                          stoa_query_name(query), part));
        return (stoa_iter){.query = NULL};
    }
    if (!stoa__terms_allowed(query->head.world, &query->terms, true)) {
        return (stoa_iter){.query = NULL};
    }
    const stoa__part *found = &query->cut->parts[part];
    STOA_PREFETCH(found + 2);
    stoa_iter it = {.world = query->head.world, .query = query};
    if (found->walk != NULL) {
        it.walk = part_begin(query, found);
    } else {
        it.walk = &query->cut->head;
        it.run = query->cut->runs + found->first;
        it.run_end = it.run + found->count;
    }
    return it;
}

void stoa__cut_free(stoa_query *query) {
    stoa__heap *heap = &query->head.world->storage.heap;
    stoa__cut *cut = query->cut;
    if (cut != NULL) {
        stoa__heap_grow_free(heap, cut->runs, cut->run_capacity, sizeof *cut->runs);
        stoa__heap_grow_free(heap, cut->parts, cut->part_capacity, sizeof *cut->parts);
        stoa__heap_grow_free(heap, cut->walks, cut->walk_capacity, sizeof *cut->walks);
        stoa__heap_grow_free(heap, cut->matches, cut->match_capacity, sizeof *cut->matches);
        stoa__heap_free(heap, cut, sizeof *cut, _Alignof(stoa__cut));
        query->cut = NULL;
    }
}

size_t stoa__cut_bytes(const stoa_query *query) {
    const stoa__cut *cut = query->cut;
    return cut == NULL ? 0
                       : sizeof *cut + cut->run_capacity * sizeof *cut->runs +
                             cut->part_capacity * sizeof *cut->parts +
                             cut->walk_capacity * sizeof *cut->walks +
                             cut->match_capacity * sizeof *cut->matches;
}

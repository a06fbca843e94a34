/* Finding out which transforms changed, and where to begin.
 *
 * The ticks of the chunks tell whether the order of the last call still holds: who comes to have
 * both transforms is marked as added, and where nobody came, nobody went if there are as many as
 * before. (Hooks on the transforms would tell, too, but every entity that is made would pay.) If it
 * does not hold another one is built, and those who have another parent than in the old one, or
 * were not in it, count as changed. The ticks of single rows then tell which local transforms were
 * written; a world transform that somebody else wrote counts, too.
 *
 * From the marked places the ranges are made to begin with, the highest ones: what is below another
 * is met on the way. O(chunks and changes), or O(entities) for another order. One thread. */
#include "builtin/transform.h"

#include "base/bitset.h"
#include "base/error.h"
#include "base/inline.h"

#include <string.h>

/* Chunks with news that are remembered; if there are more all chunks are asked again. */
#define FEW_CHUNKS 32

/* Chunks whose states are asked for together, so that they are waited for together. */
#define EXPECT_CHUNKS 128

/* Entities that are looked up together: so they wait for memory at the same time. */
#define FOUND_COUNT 64

/* Rows whose ticks are looked at together. */
#define TICKS_COUNT 32

/* Ticks on a line of the cache. */
#define LINE_TICKS 16

/* A chunk of which some rows have to be worked out. */
typedef struct written_rows {
    const stoa_entity *entities;
    const uint8_t *locals; /* the column */
    uint32_t count;
    bool all; /* of its rows */
} written_rows;

/* What the ticks tell. */
typedef struct news {
    uint32_t rows;                /* that have both transforms */
    bool order;                   /* somebody came, or has another parent */
    uint32_t chunks;              /* with rows to be worked out */
    uint32_t written;             /* rows of these chunks */
    written_rows few[FEW_CHUNKS]; /* the first of these */
} news;

static const stoa_column_state *state_of(const uint8_t *column) {
    return (const stoa_column_state *)(const void *)column - 1;
}

/* The ticks of the rows' local transforms. */
static const uint32_t *ticks_of(const written_rows *rows) {
    return (const uint32_t *)(const void *)stoa_column_ticks(rows->locals);
}

/* The states of the two columns of a chunk. */
typedef struct chunk_states {
    const stoa_column_state *local, *world;
} chunk_states;

STOA__INLINE chunk_states states_of(const stoa_chunk *chunk, const uint32_t *indexes) {
    return (chunk_states){
        state_of(chunk->columns[indexes[STOA__LEVELS_LOCAL]]),
        state_of(chunk->columns[indexes[STOA__LEVELS_WORLD]]),
    };
}

/* True if something in a chunk is newer than a tick; also for a tick that is half of all numbers
 * away, so whoever is told looks closer. Four numbers, one branch: the states of each chunk are
 * lines of memory of their own, and the processor goes on to the next while it waits for them. */
STOA__INLINE bool states_newer(chunk_states s, uint32_t since) {
    uint32_t local = (since - STOA_LOAD(&s.local->changed)) | (since - STOA_LOAD(&s.local->added));
    uint32_t world = (since - STOA_LOAD(&s.world->changed)) | (since - STOA_LOAD(&s.world->added));
    return (int32_t)(local | world) < 0;
}

/* The rows of a chunk of which some have to be worked out; false if none has. */
static bool written_find(const stoa_chunk *chunk, const uint32_t *indexes, uint32_t since,
                         written_rows *rows) {
    chunk_states s = states_of(chunk, indexes);
    bool all = stoa_tick_newer(STOA_LOAD(&s.world->changed), since);
    bool some = stoa_tick_newer(STOA_LOAD(&s.local->changed), since);
    *rows = (written_rows){.entities = stoa_columns_entities(chunk->columns),
                           .locals = (const uint8_t *)(s.local + 1),
                           .count = (uint32_t)chunk->count,
                           .all = all};
    return all | some;
}

/* Whether somebody came to a chunk who has a transform only since then. */
static bool added_find(const stoa_chunk *chunk, const uint32_t *indexes, uint32_t since) {
    chunk_states s = states_of(chunk, indexes);
    return stoa_tick_newer(STOA_LOAD(&s.local->added), since) ||
           stoa_tick_newer(STOA_LOAD(&s.world->added), since);
}

/* How many of some rows were written. */
STOA__APART static uint32_t ticks_count(const uint32_t *ticks, uint32_t count, uint32_t since) {
    uint32_t newer = 0;
    for (uint32_t i = 0; i < count; i++) {
        newer += stoa_tick_newer(ticks[i], since);
    }
    return newer;
}

/* True if some rows may have been written, as states_newer has it. */
STOA__INLINE bool ticks_newer(const uint32_t *ticks, uint32_t count, uint32_t since) {
    uint32_t newer = 0;
    for (uint32_t i = 0; i < count; i++) {
        newer |= since - ticks[i];
    }
    return (int32_t)newer < 0;
}

static bool rows_written(const written_rows *rows, uint32_t since) {
    return rows->all || ticks_count(ticks_of(rows), rows->count, since) == rows->count;
}

/* Notes what is new in a chunk, and asks for what will be needed of it. */
STOA__APART static void chunk_note(const stoa_chunk *chunk, const uint32_t *indexes, uint32_t since,
                                   news *told) {
    written_rows rows;
    told->order |= added_find(chunk, indexes, since);
    if (!written_find(chunk, indexes, since, &rows)) {
        return;
    }
    const uint32_t *ticks = ticks_of(&rows);
    for (uint32_t row = 0; row < rows.count && told->chunks < FEW_CHUNKS; row += LINE_TICKS) {
        STOA_PREFETCH(&ticks[row]);
    }
    if (told->chunks < FEW_CHUNKS) {
        told->few[told->chunks] = rows;
    }
    told->chunks++;
    told->written += rows.count;
}

/* True if a chunk was written since then while its rows stayed, as states_newer has it. */
STOA__INLINE bool chunk_newer(const stoa_world_head *w, const stoa_chunk *chunk, uint32_t since) {
    return (int32_t)(since - stoa_peek32(&w->written[chunk->number])) < 0;
}

/* Asks for the states of chunks, and before that for where they are; returns past the last one. */
STOA__APART static const stoa_chunk *states_expect(const stoa_chunk *chunk, const stoa_chunk *end,
                                                   const uint32_t *indexes) {
    end = end - chunk > EXPECT_CHUNKS ? chunk + EXPECT_CHUNKS : end;
    for (const stoa_chunk *c = chunk; c < end; c++) {
        STOA_PREFETCH(c->columns + indexes[STOA__LEVELS_LOCAL]);
    }
    for (const stoa_chunk *c = chunk; c < end; c++) {
        chunk_states soon = states_of(c, indexes);
        STOA__EXPECT(soon.local);
        STOA__EXPECT(soon.world);
    }
    return end;
}

/* Reads the states of all chunks; returns how many rows there are. */
STOA__APART static uint32_t states_read(const stoa__transforms *t, news *told) {
    uint32_t since = t->since, rows = 0;
    ptrdiff_t expected = 0; /* chunks from this one on whose states were asked for */
    for (stoa_iter it = stoa_query_iter(t->query); stoa_iter_next(&it);) {
        const stoa_chunk *chunk = stoa_iter_chunk(&it);
        const stoa_match *match = (const stoa_match *)(const void *)it.indexes - 1;
        if (expected == 0 || chunk == match->archetype->chunks) {
            expected = states_expect(chunk, chunk + it.left, it.indexes) - chunk;
        }
        expected--;
        rows += (uint32_t)it.count;
        if (states_newer(states_of(chunk, it.indexes), since)) {
            chunk_note(chunk, it.indexes, since, told);
        }
    }
    return rows;
}

/* The same where no row came, went or moved: one tick tells of all columns of a chunk, and chunks
 * have theirs side by side. */
STOA__APART static uint32_t marks_read(const stoa__transforms *t, news *told) {
    uint32_t since = t->since, rows = 0;
    for (stoa_iter it = stoa_query_iter(t->query); stoa_iter_next(&it);) {
        const stoa_chunk *chunk = stoa_iter_chunk(&it);
        rows += (uint32_t)it.count;
        if (chunk_newer((const stoa_world_head *)(const void *)it.world, chunk, since)) {
            chunk_note(chunk, it.indexes, since, told);
        }
    }
    return rows;
}

/* Finds out which chunks are new. */
static void news_read(const stoa__transforms *t, news *told) {
    told->order = t->moved;
    told->chunks = told->written = 0;
    bool still = t->seen == stoa_query_version(t->query);
    uint32_t rows = still ? marks_read(t, told) : states_read(t, told);
    told->rows = rows;
    told->order |= rows != t->order.count;
}

static void place_mark(stoa__transforms *t, stoa__transform_plan *p, uint32_t place) {
    uint64_t bit = (uint64_t)1 << (place & 63);
    p->first = p->marked == 0 || place < p->first ? place : p->first;
    p->last = place > p->last ? place : p->last;
    p->marked += (t->marks[place >> 6] & bit) == 0;
    t->marks[place >> 6] |= bit;
}

/* Marks the entities that are new in an order or have another parent in it. */
STOA__APART static void moved_mark(stoa__transforms *t, stoa__transform_plan *p) {
    const stoa__levels *old = &t->order, *now = p->order;
    for (uint32_t place = 0; place < now->count; place++) {
        uint32_t before = stoa__levels_find(old, now->items[place].entity);
        if (before == STOA__LEVELS_NONE ||
            !stoa_entity_eq(stoa__levels_at(old, old->items[before].parent),
                            stoa__levels_at(now, now->items[place].parent))) {
            place_mark(t, p, place);
        }
    }
}

/* Entities to be marked. */
typedef struct found_rows {
    const stoa_entity *entities[FOUND_COUNT];
    uint32_t count;
} found_rows;

/* Marks what was found. Each step needs what the one before asked for. */
static void found_mark(stoa__transforms *t, stoa__transform_plan *p, found_rows *found) {
    const stoa__levels *order = p->order;
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t index = found->entities[i]->index;
        STOA_PREFETCH(&order->places[index < order->place_capacity ? index : 0]);
    }
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t index = found->entities[i]->index;
        uint32_t place = order->places[index < order->place_capacity ? index : 0];
        STOA_PREFETCH(&order->items[place < order->count ? place : 0]);
    }
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t place = stoa__levels_find(order, *found->entities[i]);
        if (place != STOA__LEVELS_NONE) {
            place_mark(t, p, place);
        }
    }
    found->count = 0;
}

/* Marks those of some rows that were written; at most TICKS_COUNT. */
static void few_mark(stoa__transforms *t, stoa__transform_plan *p, const written_rows *rows,
                     stoa__range few, found_rows *found) {
    const uint32_t *ticks = ticks_of(rows);
    if (found->count + TICKS_COUNT > FOUND_COUNT) {
        found_mark(t, p, found);
    }
    for (uint32_t row = few.begin; row < few.end; row++) {
        if (rows->all || stoa_tick_newer(ticks[row], t->since)) {
            STOA_PREFETCH(&rows->entities[row]);
            found->entities[found->count++] = &rows->entities[row];
        }
    }
}

static void rows_mark(stoa__transforms *t, stoa__transform_plan *p, const written_rows *rows,
                      found_rows *found) {
    const uint32_t *ticks = ticks_of(rows);
    uint32_t row = 0;
    for (; rows->count - row >= TICKS_COUNT; row += TICKS_COUNT) {
        if (rows->all || ticks_newer(ticks + row, TICKS_COUNT, t->since)) {
            few_mark(t, p, rows, (stoa__range){row, row + TICKS_COUNT}, found);
        }
    }
    few_mark(t, p, rows, (stoa__range){row, rows->count}, found);
}

/* The half of written_mark for more chunks than are remembered. */
STOA__APART static void many_mark(stoa__transforms *t, stoa__transform_plan *p, found_rows *found) {
    for (stoa_iter it = stoa_query_iter(t->query); stoa_iter_next(&it);) {
        written_rows rows;
        if (written_find(stoa_iter_chunk(&it), it.indexes, t->since, &rows)) {
            rows_mark(t, p, &rows, found);
        }
    }
}

/* Marks the entities whose transforms were written. */
static void written_mark(stoa__transforms *t, stoa__transform_plan *p, const news *told) {
    found_rows found;
    found.count = 0;
    if (told->chunks > FEW_CHUNKS) {
        many_mark(t, p, &found);
    }
    for (uint32_t i = 0; i < told->chunks && told->chunks <= FEW_CHUNKS; i++) {
        rows_mark(t, p, &told->few[i], &found);
    }
    found_mark(t, p, &found);
}

/* True if the transforms of all entities were written, each chunk having some that were. */
STOA__APART static bool written_all(const stoa__transforms *t, const news *told) {
    bool all = true;
    for (uint32_t i = 0; i < told->chunks && told->chunks <= FEW_CHUNKS && all; i++) {
        all = rows_written(&told->few[i], t->since);
    }
    if (told->chunks > FEW_CHUNKS) {
        stoa_iter it = stoa_query_iter(t->query);
        while (all && stoa_iter_next(&it)) {
            written_rows rows;
            all = written_find(stoa_iter_chunk(&it), it.indexes, t->since, &rows) &&
                  rows_written(&rows, t->since);
        }
        stoa_iter_end(&it);
    }
    return all;
}

/* Marks the places that start a tree, which is to mark everything. */
STOA__APART static void roots_mark(stoa__transforms *t, stoa__transform_plan *p) {
    uint32_t roots = p->order->count > 0 ? p->order->items[0].first : 0;
    for (uint32_t place = 0; place < roots; place++) {
        place_mark(t, p, place);
    }
}

static void marks_clear(stoa__transforms *t, const stoa__transform_plan *p) {
    if (p->marked > 0) {
        size_t words = (p->last >> 6) - (p->first >> 6) + 1;
        memset(t->marks + (p->first >> 6), 0, words * sizeof *t->marks);
    }
}

static bool marks_reserve(stoa__transforms *t, uint32_t places) {
    uint32_t before = t->mark_capacity;
    bool ok =
        stoa__heap_grow(&t->heap, &t->marks, &t->mark_capacity, places / 64 + 1, sizeof *t->marks);
    if (t->mark_capacity > before) {
        memset(t->marks + before, 0, (t->mark_capacity - before) * sizeof *t->marks);
    }
    return ok;
}

/* The first place from `place` on that is marked, or not marked; `end` if there is none. */
static uint32_t mark_next(const stoa__transforms *t, uint32_t place, uint32_t end, bool marked) {
    while (place < end) {
        uint64_t word = marked ? t->marks[place >> 6] : ~t->marks[place >> 6];
        word &= ~(uint64_t)0 << (place & 63);
        if (word != 0) {
            place = (place & ~63u) + stoa__bit_lowest(word);
            break;
        }
        place = (place & ~63u) + 64;
    }
    return place < end ? place : end;
}

/* Makes the ranges to begin with out of the marks. Each range leads to one on the next level; the
 * queue of those is in order of places, as the marks are, so both are merged: a mark that is in a
 * range of the queue is below another. No more ranges wait there than were begun. */
static void ranges_make(stoa__transforms *t, stoa__transform_plan *p) {
    const stoa__level_item *items = p->order->items;
    uint32_t end = p->marked > 0 ? p->last + 1 : 0, head = 0, tail = 0, waiting = 0;
    uint32_t mark = mark_next(t, p->first, end, true);
    while (waiting > 0 || mark < end) {
        stoa__range range;
        if (waiting > 0 && (mark == end || t->below[head].begin <= mark)) {
            range = t->below[head];
            head = head + 1 < t->below_capacity ? head + 1 : 0;
            waiting--;
        } else {
            /* Not so far that one is below another. */
            uint32_t most = waiting > 0 && t->below[head].begin < items[mark].first
                                ? t->below[head].begin
                                : items[mark].first;
            range = (stoa__range){mark, mark_next(t, mark, most < end ? most : end, false)};
            t->ranges[p->ranges++] = range;
        }
        p->total += range.end - range.begin;
        mark = mark_next(t, mark > range.end ? mark : range.end, end, true);
        if (items[range.begin].first < items[range.end].first) {
            t->below[tail] = (stoa__range){items[range.begin].first, items[range.end].first};
            STOA_PREFETCH(&items[t->below[tail].begin]);
            STOA_PREFETCH(&items[t->below[tail].end]);
            tail = tail + 1 < t->below_capacity ? tail + 1 : 0;
            waiting++;
        }
    }
}

stoa_status stoa__transforms_plan(stoa__transforms *t, stoa__transform_plan *p) {
    news told;
    news_read(t, &told);
    p->order = told.order ? &t->next : &t->order;
    bool ok = marks_reserve(t, told.rows) &&
              (!told.order || stoa__levels_build(&t->next, &t->scratch, &t->heap, t->query));
    if (!ok) {
        return stoa__error_memory("the order of transforms");
    }
    bool all = told.written == told.rows && written_all(t, &told);
    if (t->order.count == 0 || all) {
        roots_mark(t, p);
    } else {
        if (told.order) {
            moved_mark(t, p);
        }
        written_mark(t, p, &told);
    }
    ok = stoa__heap_grow(&t->heap, &t->ranges, &t->range_capacity, p->marked, sizeof *t->ranges) &&
         stoa__heap_grow(&t->heap, &t->below, &t->below_capacity, p->marked, sizeof *t->below);
    if (ok) {
        ranges_make(t, p);
    }
    marks_clear(t, p);
    return ok ? STOA_OK : stoa__error_memory("the transforms that changed");
}

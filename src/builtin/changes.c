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

#include <string.h>

/* Chunks with news that are remembered; if there are more all chunks are asked again. */
#define FEW_CHUNKS 32

/* Chunks ahead of its turn at which memory of one is asked for. */
#define EXPECT_CHUNKS 16

/* Entities that are looked up together: so they wait for memory at the same time. */
#define FOUND_COUNT 32

/* Rows whose ticks are looked at together. */
#define TICKS_COUNT 16

/* A chunk of which some rows have to be worked out. */
typedef struct written_rows {
    const stoa_entity *entities;
    const uint8_t *locals; /* the column */
    uint32_t count;
    bool all; /* of its rows */
} written_rows;

/* What the ticks tell. */
typedef struct news {
    uint32_t rows;                    /* that have both transforms */
    bool order;                       /* somebody came, or has another parent */
    uint32_t chunks;                  /* with rows to be worked out */
    written_rows few[FEW_CHUNKS + 1]; /* the first of these, and one that is not */
} news;

static const stoa_column_state *state_of(const uint8_t *column) {
    return (const stoa_column_state *)(const void *)column - 1;
}

/* The ticks of the rows' local transforms. */
static const uint32_t *ticks_of(const written_rows *rows) {
    return (const uint32_t *)(const void *)(rows->locals + state_of(rows->locals)->ticks);
}

/* The rows of a chunk of which some have to be worked out; false if none has. */
static bool written_find(const stoa_iter *it, uint32_t since, written_rows *rows) {
    const uint8_t *locals = it->data + it->offsets[STOA__LEVELS_LOCAL];
    const uint8_t *worlds = it->data + it->offsets[STOA__LEVELS_WORLD];
    bool all = stoa_tick_newer(STOA_LOAD(&state_of(worlds)->changed), since);
    bool some = stoa_tick_newer(STOA_LOAD(&state_of(locals)->changed), since);
    *rows = (written_rows){it->entities, locals, (uint32_t)it->count, all};
    return all | some;
}

/* Whether somebody came to a chunk who has a transform only since then. */
static bool added_find(const stoa_iter *it, uint32_t since) {
    const uint8_t *locals = it->data + it->offsets[STOA__LEVELS_LOCAL];
    const uint8_t *worlds = it->data + it->offsets[STOA__LEVELS_WORLD];
    bool local = stoa_tick_newer(STOA_LOAD(&state_of(locals)->added), since);
    bool world = stoa_tick_newer(STOA_LOAD(&state_of(worlds)->added), since);
    return local | world;
}

/* How many of some rows were written. */
static uint32_t ticks_count(const uint32_t *ticks, uint32_t count, uint32_t since) {
    uint32_t newer = 0;
    for (uint32_t i = 0; i < count; i++) {
        newer += stoa_tick_newer(ticks[i], since);
    }
    return newer;
}

static uint32_t written_count(const written_rows *rows, uint32_t since) {
    return rows->all ? rows->count : ticks_count(ticks_of(rows), rows->count, since);
}

/* Asks for what is needed of a chunk that comes later. */
static void state_expect(const stoa_iter *it) {
    if (it->chunk_end - it->chunk > EXPECT_CHUNKS) {
        const uint8_t *data = it->chunk[EXPECT_CHUNKS].data;
        STOA_PREFETCH(data + it->offsets[STOA__LEVELS_LOCAL] - sizeof(stoa_column_state));
        STOA_PREFETCH(data + it->offsets[STOA__LEVELS_WORLD] - sizeof(stoa_column_state));
    }
}

/* Reads the states of all chunks, each of which is a line of memory of its own. There is no branch
 * that waits for one, so that the processor goes on to the next. */
static void news_read(const stoa__transforms *t, news *told) {
    uint32_t since = t->since, rows = 0, chunks = 0;
    bool order = t->moved;
    for (stoa_iter it = stoa_query_iter(t->query); stoa_iter_next(&it);) {
        written_rows *next = &told->few[chunks < FEW_CHUNKS ? chunks : FEW_CHUNKS];
        state_expect(&it);
        rows += (uint32_t)it.count;
        order |= added_find(&it, since);
        chunks += written_find(&it, since, next);
    }
    told->rows = rows;
    told->chunks = chunks;
    told->order = order || rows != t->order.count;
}

static void place_mark(stoa__transforms *t, stoa__transform_plan *p, uint32_t place) {
    uint64_t bit = (uint64_t)1 << (place & 63);
    p->first = p->marked == 0 || place < p->first ? place : p->first;
    p->last = place > p->last ? place : p->last;
    p->marked += (t->marks[place >> 6] & bit) == 0;
    t->marks[place >> 6] |= bit;
}

/* Marks the entities that are new in an order or have another parent in it. */
static void moved_mark(stoa__transforms *t, stoa__transform_plan *p) {
    const stoa__levels *old = &t->order, *now = p->order;
    for (uint32_t place = 0; place < now->count; place++) {
        uint32_t before = stoa__levels_find(old, now->entities[place]);
        if (before == STOA__LEVELS_NONE ||
            !stoa_entity_eq(stoa__levels_at(old, old->parents[before]),
                            stoa__levels_at(now, now->parents[place]))) {
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
        STOA_PREFETCH(&order->entities[place < order->count ? place : 0]);
        STOA_PREFETCH(&order->firsts[place < order->count ? place : 0]);
    }
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t place = stoa__levels_find(order, *found->entities[i]);
        if (place != STOA__LEVELS_NONE) {
            place_mark(t, p, place);
        }
    }
    found->count = 0;
}

static void rows_mark(stoa__transforms *t, stoa__transform_plan *p, const written_rows *rows,
                      found_rows *found) {
    const uint32_t *ticks = ticks_of(rows);
    for (uint32_t begin = 0, end; begin < rows->count; begin = end) {
        end = rows->count - begin < TICKS_COUNT ? rows->count : begin + TICKS_COUNT;
        if (!rows->all && ticks_count(ticks + begin, end - begin, t->since) == 0) {
            continue;
        }
        if (found->count + TICKS_COUNT > FOUND_COUNT) {
            found_mark(t, p, found);
        }
        STOA_PREFETCH(&rows->entities[begin]);
        STOA_PREFETCH(&rows->entities[end - 1]);
        for (uint32_t row = begin; row < end; row++) {
            found->entities[found->count] = &rows->entities[row];
            found->count += rows->all || stoa_tick_newer(ticks[row], t->since);
        }
    }
}

/* Marks the entities whose transforms were written. */
static void written_mark(stoa__transforms *t, stoa__transform_plan *p, const news *told) {
    found_rows found;
    found.count = 0;
    if (told->chunks <= FEW_CHUNKS) {
        for (uint32_t i = 0; i < told->chunks; i++) {
            rows_mark(t, p, &told->few[i], &found);
        }
    } else {
        for (stoa_iter it = stoa_query_iter(t->query); stoa_iter_next(&it);) {
            written_rows rows;
            if (written_find(&it, t->since, &rows)) {
                rows_mark(t, p, &rows, &found);
            }
        }
    }
    found_mark(t, p, &found);
}

/* True if the transforms of all entities were written. */
static bool written_all(const stoa__transforms *t, const news *told) {
    uint32_t count = 0;
    if (told->chunks <= FEW_CHUNKS) {
        for (uint32_t i = 0; i < told->chunks; i++) {
            count += written_count(&told->few[i], t->since);
        }
    } else {
        for (stoa_iter it = stoa_query_iter(t->query); stoa_iter_next(&it);) {
            written_rows rows;
            count += written_find(&it, t->since, &rows) ? written_count(&rows, t->since) : 0;
        }
    }
    return count == told->rows;
}

/* Marks the places that start a tree, which is to mark everything. */
static void roots_mark(stoa__transforms *t, stoa__transform_plan *p) {
    uint32_t roots = p->order->count > 0 ? p->order->firsts[0] : 0;
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
    const uint32_t *firsts = p->order->firsts;
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
            uint32_t most = waiting > 0 && t->below[head].begin < firsts[mark]
                                ? t->below[head].begin
                                : firsts[mark];
            range = (stoa__range){mark, mark_next(t, mark, most < end ? most : end, false)};
            t->ranges[p->ranges++] = range;
        }
        p->total += range.end - range.begin;
        mark = mark_next(t, mark > range.end ? mark : range.end, end, true);
        if (firsts[range.begin] < firsts[range.end]) {
            t->below[tail] = (stoa__range){firsts[range.begin], firsts[range.end]};
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
    if (t->order.count == 0 || written_all(t, &told)) {
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

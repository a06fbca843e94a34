/* Working out transforms, on one lane or several.
 *
 * Below a range of places is one range on each level, so a lane goes down from range to range, each
 * in one sweep, however deep it is. A range that is wide is cut in two, and one half is left for
 * whoever has nothing to do. A world matrix depends on its parent's and on nothing that happens at
 * the same time, so it does not matter which lane works it out, or when. Nothing is allocated;
 * lanes that find nothing sleep until there is something, or all is done. */
#include "builtin/spread.h"

#include "builtin/mat4.h"

#define ROW_MASK ((1u << STOA_PLACE_BITS) - 1)

/* Ranges that are begun at a time: often each is but one leaf. */
#define BEGIN_COUNT 64

/* Rows ahead of its turn at which memory of one is asked for: with it everything takes a tenth less
 * where caches are cold. */
#define AHEAD_ROWS 16

/* Rows of the next chunk that are asked for when one is begun. */
#define EXPECT_ROWS 4

/* Places for which all memory is asked for ahead, at most: as much as caches hold. */
#define EXPECT_PLACES 2048

/* Entities on a line of the cache. */
#define LINE_ENTITIES 8

/* No index of a chunk. */
#define UNKNOWN UINT32_MAX

/* The columns of the chunk that was last used. */
typedef struct chunk_view {
    const stoa_archetype_head *archetype; /* whose chunk it is, NULL: none */
    uint32_t number;                      /* in the world */
    uint32_t index;                       /* in the archetype, UNKNOWN if it came out of turn */
    uint32_t count;                       /* rows */
    const stoa_entity *entities;
    const Mat4 *locals;
    Mat4 *worlds;
} chunk_view;

/* What one lane has at hand. */
typedef struct lane {
    stoa__spread *spread;
    chunk_view own;   /* of those that are worked out */
    chunk_view above; /* of their parents */
    chunk_view soon;  /* of those that are asked for */
} lane;

/* Asks for the first rows of the chunk that will be next, if places are in the order of rows. */
static void next_expect(const chunk_view *view, const uint8_t *data) {
    const uint8_t *now = (const uint8_t *)view->entities;
    const uint8_t *locals = data + ((const uint8_t *)view->locals - now);
    const uint8_t *worlds = data + ((const uint8_t *)view->worlds - now);
    STOA_PREFETCH(data);
    for (size_t i = 0; i < EXPECT_ROWS; i++) {
        STOA_PREFETCH(locals + i * sizeof(Mat4));
        STOA_PREFETCH(worlds + i * sizeof(Mat4));
    }
}

STOA__APART static void chunk_open(const stoa__spread *spread, chunk_view *view, uint32_t number) {
    const stoa_chunk_ref *chunk = &spread->world->chunks[number];
    const stoa_archetype_head *archetype = chunk->archetype;
    const stoa_chunk *chunks = archetype->chunks, *last = &chunks[archetype->chunk_count - 1];
    uint32_t index = view->archetype == archetype && view->index != UNKNOWN ? view->index + 1 : 0;
    bool in_turn = index < (uint32_t)archetype->chunk_count && chunks[index].number == number;
    *view = (chunk_view){
        .archetype = archetype,
        .number = number,
        .index = in_turn ? index : UNKNOWN,
        .count = (uint32_t)(last->number == number ? last->count : archetype->chunk_capacity),
        .entities = (const stoa_entity *)(const void *)chunk->data,
        .locals =
            (const Mat4 *)(const void *)(chunk->data +
                                         stoa_archetype_column(archetype, spread->local)->offset),
        .worlds = (Mat4 *)(void *)(chunk->data +
                                   stoa_archetype_column(archetype, spread->global)->offset),
    };
    if (in_turn && &chunks[index] != last) {
        next_expect(view, chunks[index + 1].data);
    }
}

/* The chunk after the one at hand, if it begins with an entity; else NULL. */
static const stoa_chunk *next_begins(const chunk_view *view, stoa_entity e) {
    if (view->archetype == NULL || view->index == UNKNOWN ||
        view->index + 1 >= (uint32_t)view->archetype->chunk_count) {
        return NULL;
    }
    const stoa_chunk *next = &view->archetype->chunks[view->index + 1];
    const stoa_entity *first = (const stoa_entity *)(const void *)next->data;
    return stoa_entity_eq(*first, e) ? next : NULL;
}

/* The row of a place, in the chunk that `view` becomes. */
static uint32_t row_find(const stoa__spread *spread, chunk_view *view, uint32_t place) {
    stoa_entity e = spread->order->entities[place];
    const stoa_chunk *next = next_begins(view, e);
    if (next != NULL) {
        chunk_open(spread, view, next->number);
        return 0;
    }
    uint32_t at = spread->world->records[e.index].place;
    if (view->archetype == NULL || at >> STOA_PLACE_BITS != view->number) {
        chunk_open(spread, view, at >> STOA_PLACE_BITS);
    }
    return at & ROW_MASK;
}

/* How many places from one on have rows that stand side by side in the chunk at hand. */
static uint32_t run_count(const stoa__spread *spread, const chunk_view *view, uint32_t row,
                          uint32_t place, uint32_t most) {
    const stoa_entity *entities = spread->order->entities + place;
    most = most < view->count - row ? most : view->count - row;
    uint32_t count = 1;
    while (count < most && stoa_entity_eq(entities[count], view->entities[row + count])) {
        count++;
    }
    return count;
}

/* Works out places with parents as long as their rows stand side by side, as those of the parents
 * do; returns how many. `from` is the world matrix of the first parent. */
static uint32_t rows_multiply(const chunk_view *view, uint32_t row, const Mat4 *from,
                              const uint32_t *parents, const stoa_entity *entities,
                              uint32_t count) {
    const stoa_entity *rows = view->entities + row;
    const Mat4 *local = view->locals + row;
    Mat4 *world = view->worlds + row;
    uint32_t first = parents[0], i = 0;
    do {
        uint32_t ahead = i + AHEAD_ROWS < count ? i + AHEAD_ROWS : i;
        STOA_PREFETCH(&local[ahead]);
        STOA_PREFETCH(&world[ahead]);
        stoa__matrix above = stoa__matrix_load(&from[parents[i] - first]);
        stoa__matrix_store(&world[i], stoa__matrix_product(above, stoa__matrix_load(&local[i])));
        i++;
    } while (i < count && stoa_entity_pack(entities[i]) == stoa_entity_pack(rows[i]));
    return i;
}

/* Works out a range whose parents are done. Where rows are in the order of places, which they are
 * if the entities were made in it, many are one loop. */
static void range_settle(lane *l, uint32_t begin, uint32_t end) {
    const stoa__spread *spread = l->spread;
    const uint32_t *parents = spread->order->parents, *firsts = spread->order->firsts;
    while (begin < end) {
        uint32_t row = row_find(spread, &l->own, begin), parent = parents[begin], count = 1;
        stoa_column_mark((uint8_t *)l->own.worlds, spread->tick);
        if (parent == STOA__LEVELS_NONE) {
            l->own.worlds[row] = l->own.locals[row];
        } else {
            uint32_t left = l->own.count - row;
            uint32_t above = row_find(spread, &l->above, parent);
            count = end - begin < left ? end - begin : left;
            uint32_t run = run_count(spread, &l->above, above, parent,
                                     parents[begin + count - 1] - parent + 1);
            uint32_t until = firsts[parent + run] - begin;
            count = count < until ? count : until;
            count = rows_multiply(&l->own, row, l->above.worlds + above, parents + begin,
                                  spread->order->entities + begin, count);
        }
        begin += count;
    }
}

/* Leaves a range for another lane; false if there is no room, or no other lane. */
static bool ready_leave(stoa__spread *spread, uint32_t begin, uint32_t end) {
    bool left = false;
    if (spread->lanes > 1) {
        stoa__mutex_lock(&spread->mutex);
        left = spread->ready_count < STOA__SPREAD_READY;
        if (left) {
            spread->ready[spread->ready_count++] = (stoa__range){begin, end};
            if (spread->waiting > 0) {
                stoa__condition_wake(&spread->condition);
            }
        }
        stoa__mutex_unlock(&spread->mutex);
    }
    return left;
}

/* Leaves the second half of a range to another lane, and of what remains, while that is wide. */
static stoa__range range_share(stoa__spread *spread, stoa__range range) {
    while (range.end - range.begin > 2 * STOA__SPREAD_GRAIN) {
        uint32_t middle = range.begin + (range.end - range.begin) / 2;
        if (!ready_leave(spread, middle, range.end)) {
            break;
        }
        range.end = middle;
    }
    return range;
}

/* Asks for the rows of a range, if they stand side by side; those of its first chunk. */
static void range_expect(lane *l, stoa__range range) {
    const stoa__spread *spread = l->spread;
    uint32_t at = spread->world->records[spread->order->entities[range.begin].index].place;
    uint32_t row = at & ROW_MASK, width = range.end - range.begin;
    if (l->soon.archetype == NULL || at >> STOA_PLACE_BITS != l->soon.number) {
        chunk_open(spread, &l->soon, at >> STOA_PLACE_BITS);
    }
    uint32_t end = width < l->soon.count - row ? row + width : l->soon.count;
    for (uint32_t i = row; i < end; i += LINE_ENTITIES) {
        STOA_PREFETCH(&l->soon.entities[i]);
    }
    for (; row < end; row++) {
        STOA_PREFETCH(&l->soon.locals[row]);
        STOA_PREFETCH(&l->soon.worlds[row]);
    }
}

/* Asks for all that ranges need, if that is little: so they wait for memory at the same time, and
 * not one after the other. Each step needs what the one before asked for. */
static void ranges_expect(lane *l, const stoa__range *ranges, uint32_t count) {
    const stoa__levels *order = l->spread->order;
    uint64_t width = 0;
    for (uint32_t i = 0; i < count; i++) {
        width += ranges[i].end - ranges[i].begin;
    }
    if (count == 1 || width > EXPECT_PLACES) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t place = ranges[i].begin; place < ranges[i].end; place += LINE_ENTITIES) {
            STOA_PREFETCH(&order->entities[place]);
            STOA_PREFETCH(&order->parents[place]);
        }
        STOA_PREFETCH(&order->firsts[ranges[i].begin]);
        STOA_PREFETCH(&order->firsts[ranges[i].end]);
    }
    for (uint32_t i = 0; i < count; i++) {
        STOA_PREFETCH(&l->spread->world->records[order->entities[ranges[i].begin].index]);
    }
    for (uint32_t i = 0; i < count; i++) {
        range_expect(l, ranges[i]);
    }
}

/* Works out ranges and all that is below them, a level of all of them at a time. */
static void ranges_descend(lane *l, stoa__range *ranges, uint32_t count) {
    const uint32_t *firsts = l->spread->order->firsts;
    while (count > 0) {
        uint32_t left = 0;
        ranges_expect(l, ranges, count);
        for (uint32_t i = 0; i < count; i++) {
            stoa__range range = range_share(l->spread, ranges[i]);
            range_settle(l, range.begin, range.end);
            ranges[left] = (stoa__range){firsts[range.begin], firsts[range.end]};
            left += ranges[left].begin < ranges[left].end;
        }
        count = left;
    }
}

/* Takes what there is to do: one range that was left, or some to be begun, but not so many that
 * others are left with nothing; returns how many. */
static uint32_t ranges_take(stoa__spread *spread, stoa__range *taken) {
    uint32_t count = 0;
    if (spread->ready_count > 0) {
        taken[count++] = spread->ready[--spread->ready_count];
    } else {
        uint32_t left = spread->count - spread->next;
        uint32_t most = spread->lanes > 1 ? left / (4 * spread->lanes) + 1 : left;
        most = most < BEGIN_COUNT ? most : BEGIN_COUNT;
        for (; count < most && spread->next < spread->count; count++) {
            taken[count] = spread->ranges[spread->next++];
        }
    }
    spread->busy += count > 0;
    return count;
}

/* Takes what there is to do, as soon as there is something; 0 once all is done. */
static uint32_t ranges_await(stoa__spread *spread, stoa__range *taken, bool worked) {
    stoa__mutex_lock(&spread->mutex);
    spread->busy -= worked;
    uint32_t count = ranges_take(spread, taken);
    while (count == 0 && spread->busy > 0) {
        spread->waiting++;
        stoa__condition_wait(&spread->condition, &spread->mutex);
        spread->waiting--;
        count = ranges_take(spread, taken);
    }
    if (count == 0 && spread->waiting > 0) {
        /* Who is woken does the same, so the end gets round to all. */
        stoa__condition_wake(&spread->condition);
    }
    stoa__mutex_unlock(&spread->mutex);
    return count;
}

static void lane_work(int32_t number, void *data) {
    (void)number;
    stoa__range taken[BEGIN_COUNT] = {{0, 0}};
    lane l = {.spread = data};
    uint32_t count = ranges_await(l.spread, taken, false);
    while (count > 0) {
        ranges_descend(&l, taken, count);
        count = ranges_await(l.spread, taken, true);
    }
}

stoa_status stoa__spread_run(stoa__spread *spread, stoa_pool *pool, int32_t lanes) {
    stoa_status status = STOA_OK;
    spread->lanes = (uint32_t)lanes;
    stoa__mutex_init(&spread->mutex);
    stoa__condition_init(&spread->condition);
    if (lanes > 1) {
        status = stoa_pool_run(pool, lanes, lane_work, spread);
    } else {
        lane_work(0, spread);
    }
    stoa__condition_fini(&spread->condition);
    stoa__mutex_fini(&spread->mutex);
    return status;
}

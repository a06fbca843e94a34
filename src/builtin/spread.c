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

/* Ranges that are listed at a time, with those below them. */
#define LIST_COUNT 256

/* Rows ahead of its turn at which memory of one is asked for: with it everything takes a tenth less
 * where caches are cold. */
#define AHEAD_ROWS 16

/* Rows of a range that are asked for before its turn. */
#define FIRST_ROWS 8

/* Places for which memory is asked for ahead, at most: as much as caches hold. */
#define EXPECT_PLACES 2048

/* Entities on a line of the cache. */
#define LINE_ENTITIES 8

/* Parents ahead of its turn at which memory of one is asked for. */
#define AHEAD_PARENTS 4

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

/* Where an archetype keeps the two transforms: indexes of its chunks' columns. */
typedef struct layout {
    const stoa_archetype_head *archetype; /* NULL: none */
    uint32_t local, global;
} layout;

/* What one lane has at hand. */
typedef struct lane {
    stoa__spread *spread;
    layout layout;    /* of the archetype that was last met */
    chunk_view own;   /* of those that are worked out */
    chunk_view above; /* of their parents */
} lane;

static layout layout_of(lane *l, const stoa_archetype_head *archetype) {
    if (l->layout.archetype != archetype) {
        l->layout = (layout){archetype, stoa_archetype_column(archetype, l->spread->local)->index,
                             stoa_archetype_column(archetype, l->spread->global)->index};
    }
    return l->layout;
}

STOA__APART static void chunk_open(lane *l, chunk_view *view, uint32_t number) {
    const stoa_chunk_ref *chunk = &l->spread->world->chunks[number];
    const stoa_archetype_head *archetype = chunk->archetype;
    const stoa_chunk *chunks = archetype->chunks, *last = &chunks[archetype->chunk_count - 1];
    uint32_t index = view->archetype == archetype && view->index != UNKNOWN ? view->index + 1 : 0;
    bool in_turn = index < (uint32_t)archetype->chunk_count && chunks[index].number == number;
    layout at = layout_of(l, archetype);
    view->archetype = archetype;
    view->number = number;
    view->index = in_turn ? index : UNKNOWN;
    view->count = (uint32_t)(last->number == number ? last->count : archetype->chunk_capacity);
    view->entities = stoa_columns_entities(chunk->columns);
    view->locals = (const Mat4 *)(const void *)chunk->columns[at.local];
    view->worlds = (Mat4 *)(void *)chunk->columns[at.global];
}

/* The chunk after the one at hand, or NULL if that is not known. */
static const stoa_chunk *chunk_next(const chunk_view *view) {
    bool known = view->archetype != NULL && view->index != UNKNOWN &&
                 view->index + 1 < (uint32_t)view->archetype->chunk_count;
    return known ? &view->archetype->chunks[view->index + 1] : NULL;
}

/* The row of a place, in the chunk that `view` becomes. */
static uint32_t row_find(lane *l, chunk_view *view, uint32_t place) {
    stoa_entity e = l->spread->order->items[place].entity;
    const stoa_chunk *next = chunk_next(view);
    if (next != NULL && stoa_entity_eq(*stoa_columns_entities(next->columns), e)) {
        chunk_open(l, view, next->number);
        return 0;
    }
    uint32_t at = l->spread->world->records[e.index].place;
    if (view->archetype == NULL || at >> STOA_PLACE_BITS != view->number) {
        chunk_open(l, view, at >> STOA_PLACE_BITS);
    }
    return at & ROW_MASK;
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
static uint32_t run_count(const stoa__spread *spread, const chunk_view *view, uint32_t row,
                          uint32_t place, uint32_t most) {
    uint32_t count = 0, part = 1, same = 1, left = view->count - row;
    for (most = most < left ? most : left; count < most && same == part; count += same) {
        part = block_part(place + count, most - count);
        same = block_same(spread->order, place + count, view->entities + row + count, part);
    }
    return count;
}

/* Rows that are worked out, one after the other, and matrices that are asked for meanwhile. */
typedef struct row_run {
    const Mat4 *local;
    Mat4 *world;
    const Mat4 *next_local, *next_world;
    uint32_t count;
    uint32_t ahead; /* parents */
} row_run;

/* Works out rows whose parents' rows stand side by side, too. `from` is the world matrix of the
 * first parent, `parents` tell at which places the children of each begin; `place` is that of the
 * first row. Returns how many parents have no more children. The matrix of a row is read before the
 * one before it is written: columns can lie so that the two have the same address but for pages,
 * which a processor takes for one address at first. */
STOA__APART static uint32_t rows_multiply(row_run run, const Mat4 *from,
                                          const stoa__level_item *parents, uint32_t place) {
    const Mat4 *last = run.local + run.count - 1;
    uint32_t parent = 0;
    stoa__matrix mine = stoa__matrix_load(run.local);
    for (uint32_t i = 0; i < run.count; parent++) {
        uint32_t until = parents[parent + 1].first - place;
        stoa__factor above = stoa__factor_load(from + parent);
        STOA_PREFETCH(from + parent + run.ahead);
        until = until < run.count ? until : run.count;
        for (; i < until; i++) {
            stoa__matrix own = mine;
            STOA_PREFETCH(run.next_local++);
            STOA_PREFETCH(run.next_world++);
            run.local += run.local < last;
            mine = stoa__matrix_load(run.local);
            stoa__matrix_store(run.world++, stoa__matrix_product(above, own));
        }
    }
    return parents[parent].first > place + run.count ? parent - 1 : parent;
}

/* Asks for what is needed of the chunk that comes next to find its rows, which begin at a place;
 * NULL if it is not known. */
static const stoa_chunk *next_expect(const lane *l, uint32_t place) {
    const stoa__levels *order = l->spread->order;
    const stoa_chunk *next = chunk_next(&l->own);
    if (next != NULL) {
        const stoa_entity *entities = stoa_columns_entities(next->columns);
        uint32_t last = order->count - place < l->own.count ? order->count : place + l->own.count;
        for (uint32_t i = 0; i < l->own.count; i += LINE_ENTITIES) {
            STOA_PREFETCH(entities + i);
        }
        STOA_PREFETCH(&order->items[place]);
        STOA_PREFETCH(&order->items[last - 1]);
    }
    return next;
}

/* Works out rows of the lane's own chunk, after which `left` are known to follow. Those ahead are
 * asked for; at the end of the chunk, if there are `more`, the first ones of the next. */
static void run_settle(lane *l, uint32_t row, uint32_t above, stoa__range places, uint32_t left,
                       bool more) {
    const Mat4 *from = l->above.worlds + above;
    const stoa__level_item *items = l->spread->order->items;
    const stoa__level_item *parents = items + items[places.begin].parent;
    uint32_t count = places.end - places.begin;
    uint32_t now = count + left > AHEAD_ROWS ? count + left - AHEAD_ROWS : 0;
    bool last = row + count == l->own.count;
    const stoa_chunk *next = more && last ? next_expect(l, places.end) : NULL;
    row_run run = {.local = l->own.locals + row,
                   .world = l->own.worlds + row,
                   .next_local = l->own.locals + row + AHEAD_ROWS,
                   .next_world = l->own.worlds + row + AHEAD_ROWS,
                   .count = now < count ? now : count,
                   .ahead = more ? AHEAD_PARENTS : 0};
    if (now > 0) {
        uint32_t passed = rows_multiply(run, from, parents, places.begin);
        from += passed;
        parents += passed;
    }
    if (now >= count) {
        return;
    }
    run.next_local = run.local += now;
    run.next_world = run.world += now;
    run.count = count - now;
    if (next != NULL) {
        layout at = layout_of(l, l->own.archetype);
        run.next_local = (const Mat4 *)(const void *)next->columns[at.local];
        run.next_world = (const Mat4 *)(const void *)next->columns[at.global];
    }
    rows_multiply(run, from, parents, places.begin + now);
}

/* Works out a range whose parents are done. Where rows are in the order of places, which they are
 * if the entities were made in it, many are one loop. */
static void range_settle(lane *l, uint32_t begin, uint32_t end) {
    const stoa__spread *spread = l->spread;
    const stoa__level_item *items = spread->order->items;
    uint32_t row = 0, known = 0, count; /* rows that stand side by side from the first one on */
    for (; begin < end; begin += count, row += count, known -= count) {
        if (known == 0) {
            row = row_find(l, &l->own, begin);
            known = run_count(spread, &l->own, row, begin, end - begin);
            stoa_column_mark((uint8_t *)l->own.worlds, spread->tick);
        }
        uint32_t parent = items[begin].parent;
        if (parent == STOA__LEVELS_NONE) {
            count = known < items[0].first - begin ? known : items[0].first - begin;
            memcpy(l->own.worlds + row, l->own.locals + row, count * sizeof(Mat4));
        } else {
            uint32_t above = row_find(l, &l->above, parent);
            uint32_t run = run_count(spread, &l->above, above, parent,
                                     items[begin + known - 1].parent - parent + 1);
            uint32_t until = items[parent + run].first - begin;
            count = known < until ? known : until;
            run_settle(l, row, above, (stoa__range){begin, begin + count}, known - count,
                       begin + count < end);
        }
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

/* The row of a place and the columns it is in, for which no chunk is opened; its entity is asked
 * for. */
static uint32_t place_columns(lane *l, uint32_t place, const Mat4 **locals, const Mat4 **worlds) {
    uint32_t at = l->spread->world->records[l->spread->order->items[place].entity.index].place;
    const stoa_chunk_ref *chunk = &l->spread->world->chunks[at >> STOA_PLACE_BITS];
    uint8_t *const *columns = chunk->columns;
    layout where = layout_of(l, chunk->archetype);
    *locals = (const Mat4 *)(const void *)columns[where.local];
    *worlds = (const Mat4 *)(const void *)columns[where.global];
    STOA_PREFETCH(stoa_columns_entities(columns) + (at & ROW_MASK));
    return at & ROW_MASK;
}

/* Asks for the first rows of a range, if they stand side by side. Processors ask for those that
 * follow by themselves. */
static void range_expect(lane *l, stoa__range range) {
    const Mat4 *locals, *worlds;
    uint32_t row = place_columns(l, range.begin, &locals, &worlds);
    uint32_t width = range.end - range.begin;
    uint32_t end = row + (width < FIRST_ROWS ? width : FIRST_ROWS);
    for (; row < end; row++) {
        STOA_PREFETCH(&locals[row]);
        STOA_PREFETCH(&worlds[row]);
    }
}

/* Asks for the row of a parent. */
static void parent_expect(lane *l, uint32_t parent) {
    const Mat4 *locals, *worlds;
    if (parent != STOA__LEVELS_NONE) {
        uint32_t row = place_columns(l, parent, &locals, &worlds);
        STOA_PREFETCH(&worlds[row]);
    }
}

/* Asks for the record of an entity. */
static void record_expect(const stoa__spread *spread, uint32_t place) {
    if (place != STOA__LEVELS_NONE) {
        STOA_PREFETCH(&spread->world->records[spread->order->items[place].entity.index]);
    }
}

/* Asks for what ranges need first, if they are small: so they wait for memory at the same time, and
 * not one after the other. Each step needs what the one before asked for. The parents of the first
 * few are in no other range. */
static void ranges_expect(lane *l, const stoa__range *ranges, uint32_t count, uint32_t few) {
    const stoa__spread *spread = l->spread;
    const stoa__level_item *items = spread->order->items;
    for (uint32_t i = 0; i < count; i++) {
        record_expect(spread, ranges[i].begin);
        STOA_PREFETCH(&items[ranges[i].end - 1]);
    }
    for (uint32_t i = 0; i < few; i++) {
        record_expect(spread, items[ranges[i].begin].parent);
    }
    for (uint32_t i = 0; i < count; i++) {
        range_expect(l, ranges[i]);
    }
    for (uint32_t i = 0; i < few; i++) {
        parent_expect(l, items[ranges[i].begin].parent);
    }
}

/* What is on the next level below a range. */
static stoa__range range_below(const stoa__levels *order, stoa__range range) {
    return (stoa__range){order->items[range.begin].first, order->items[range.end].first};
}

/* Ranges whose parents are done or come before them. */
typedef struct range_list {
    stoa__range items[LIST_COUNT];
    uint32_t count;
    uint32_t followed; /* the first of them whose children are in the list, too */
    uint64_t width;    /* places of all */
} range_list;

/* Lists what is below the ranges, as long as there is room and it is little. */
static void list_follow(const stoa__spread *spread, range_list *list) {
    const stoa__levels *order = spread->order;
    uint32_t most = spread->lanes > 1 ? 2 * STOA__SPREAD_GRAIN : EXPECT_PLACES;
    for (; list->followed < list->count && list->count < LIST_COUNT; list->followed++) {
        stoa__range below = range_below(order, list->items[list->followed]);
        uint32_t width = below.end - below.begin;
        if (list->width + width > most) {
            break;
        }
        STOA_PREFETCH(&order->items[below.begin]);
        STOA_PREFETCH(&order->items[below.end]);
        list->items[list->count] = below;
        list->count += width > 0;
        list->width += width;
    }
}

/* Makes a list of what is below those whose children are not in it. */
static void list_descend(const stoa__spread *spread, range_list *list) {
    uint32_t count = 0;
    for (uint32_t i = list->followed; i < list->count; i++) {
        stoa__range below = range_below(spread->order, list->items[i]);
        list->items[count] = below;
        count += below.begin < below.end;
    }
    list->count = count;
    list->followed = 0;
}

/* Works out ranges and all that is below them, a level after the other. */
static void list_settle(lane *l, range_list *list) {
    while (list->count > 0) {
        uint32_t few = list->count;
        list->width = 0;
        for (uint32_t i = 0; i < few; i++) {
            list->items[i] = range_share(l->spread, list->items[i]);
            list->width += list->items[i].end - list->items[i].begin;
        }
        list_follow(l->spread, list);
        if (list->width <= EXPECT_PLACES) {
            ranges_expect(l, list->items, list->count, few);
        }
        for (uint32_t i = 0; i < list->count; i++) {
            range_settle(l, list->items[i].begin, list->items[i].end);
        }
        list_descend(l->spread, list);
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
    range_list list;
    lane l = {.spread = data};
    list.followed = 0;
    list.count = ranges_await(l.spread, list.items, false);
    while (list.count > 0) {
        list_settle(&l, &list);
        list.count = ranges_await(l.spread, list.items, true);
    }
}

/* All of the work on the lane that calls. */
static void alone_work(stoa__spread *spread) {
    range_list list;
    lane l = {.spread = spread};
    list.followed = 0;
    while ((list.count = ranges_take(spread, list.items)) > 0) {
        list_settle(&l, &list);
    }
}

stoa_status stoa__spread_run(stoa__spread *spread, stoa_pool *pool, int32_t lanes) {
    stoa__range ready[STOA__SPREAD_READY];
    spread->lanes = (uint32_t)lanes;
    spread->ready = ready;
    if (lanes <= 1) {
        alone_work(spread);
        return STOA_OK;
    }
    stoa__mutex_init(&spread->mutex);
    stoa__condition_init(&spread->condition);
    stoa_status status = stoa_pool_run(pool, lanes, lane_work, spread);
    stoa__condition_fini(&spread->condition);
    stoa__mutex_fini(&spread->mutex);
    return status;
}

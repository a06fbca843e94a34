/* Working out transforms, on one lane or several.
 *
 * Below a range of places is one range on each level, so a lane goes down from range to range, each
 * in one sweep, however deep it is. A range that is wide is cut in two, and one half is left for
 * whoever has nothing to do. A world matrix depends on its parent's and on nothing that happens at
 * the same time, so it does not matter which lane works it out, or when. Nothing is allocated;
 * lanes that find nothing sleep until there is something, or all is done. */
#include "builtin/spread.h"

#include "builtin/mat4.h"

/* Ranges that are begun at a time: often each is but one leaf. */
#define BEGIN_COUNT 64

/* Ranges that are listed at a time, with those below them. */
#define LIST_COUNT 256

/* Runs that are listed before they are worked out: what it takes to find the rows of one is then
 * not waited for between two of them, where the processor would begin anew to read matrices ahead.
 */
#define RUN_COUNT 64

/* Rows of short runs that are asked for before their turn: so many find room in the second cache.
 */
#define AHEAD_ROWS 1024

/* Rows of a run that is not short: processors ask for what follows by themselves, and to ask for
 * all of a large tree as well made that take a quarter more. */
#define LONG_ROWS 128

/* From one row of a short run that is asked for to the next: processors bring those in between. */
#define STRIDE_ROWS 4

/* Rows of a range that are asked for before its turn. */
#define FIRST_ROWS 8

/* Places for which memory is asked for ahead, at most: as much as caches hold. */
#define EXPECT_PLACES 2048

/* What one lane has at hand. */
typedef struct lane {
    stoa__spread *spread;
    stoa__finder finder;
    uint32_t count;
    stoa__run runs[RUN_COUNT]; /* to be worked out, parents before their children */
} lane;

/* Works out a run. The matrix of a row is read before the one before it is written: columns can lie
 * so that the two have the same address but for pages, which a processor takes for one address at
 * first. */
STOA__APART static void run_multiply(stoa__run run) {
    const Mat4 *last = run.local + run.count - 1;
    stoa__matrix mine = stoa__matrix_load(run.local);
    for (uint32_t i = 0; i < run.count; run.from++, run.parents++) {
        uint32_t until = run.parents[1].first - run.place;
        stoa__factor above = stoa__factor_load(run.from);
        until = until < run.count ? until : run.count;
        for (; i < until; i++) {
            stoa__matrix own = mine;
            run.local += run.local < last;
            mine = stoa__matrix_load(run.local);
            stoa__matrix_store(run.world++, stoa__matrix_product(above, own));
        }
    }
}

/* Rows of a run that are asked for before its turn. */
static uint32_t run_short(const stoa__run *run) {
    return run->count < LONG_ROWS ? run->count : 0;
}

/* Asks for a run if it is short, and returns how many rows that is. */
static uint32_t run_expect(const stoa__run *run) {
    uint32_t rows = run_short(run);
    if (rows > 0 && run->from != NULL) {
        STOA__EXPECT(run->from);
    }
    for (uint32_t i = 0; i < rows; i += STRIDE_ROWS) {
        STOA__EXPECT(&run->local[i]);
    }
    for (uint32_t i = 0; i < rows; i += STRIDE_ROWS) {
        STOA__EXPECT(&run->world[i]);
    }
    return rows;
}

/* Works out what is listed. */
static void runs_settle(lane *l) {
    uint32_t asked = 0, rows = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const stoa__run *run = &l->runs[i];
        while (asked < l->count && rows < AHEAD_ROWS) {
            rows += run_expect(&l->runs[asked++]);
        }
        rows -= run_short(run);
        stoa_column_mark(run->column, l->spread->world->tick);
        if (run->from == NULL) {
            memcpy(run->world, run->local, run->count * sizeof(Mat4));
        } else {
            run_multiply(*run);
        }
    }
    l->count = 0;
}

static void run_list(lane *l, stoa__run run) {
    if (l->count == RUN_COUNT) {
        runs_settle(l);
    }
    l->runs[l->count++] = run;
}

/* Lists the runs of a range whose parents are done, or listed. */
static void range_settle(lane *l, uint32_t begin, uint32_t end) {
    const stoa__runs *known = l->spread->runs;
    if (known->count > 0) {
        for (const stoa__run *run = stoa__runs_find(known, begin); begin < end; run++) {
            run_list(l, stoa__run_part(run, l->spread->order, begin, end));
            begin = run->place + run->count;
        }
        return;
    }
    for (l->finder.known = 0; begin < end;) {
        stoa__run run = stoa__finder_next(&l->finder, begin, end);
        run_list(l, run);
        begin += run.count;
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
    uint32_t at =
        stoa_record_place(l->spread->world->records, l->spread->order->items[place].entity.index);
    const stoa_chunk_ref *chunk = &l->spread->world->chunks[at >> STOA_PLACE_BITS];
    uint8_t *const *columns = chunk->columns;
    stoa__transform_layout where = stoa__finder_layout(&l->finder, chunk->archetype);
    *locals = (const Mat4 *)(const void *)columns[where.local];
    *worlds = (const Mat4 *)(const void *)columns[where.global];
    STOA_PREFETCH(stoa_columns_entities(columns) + (at & STOA__ROW_MASK));
    return at & STOA__ROW_MASK;
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

/* The same where the runs of all places are known. */
static void runs_expect(const stoa__spread *spread, const stoa__range *ranges, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        STOA_PREFETCH(&spread->runs->blocks[ranges[i].begin >> STOA__RUNS_BLOCK]);
        STOA_PREFETCH(&spread->order->items[ranges[i].begin]);
    }
    for (uint32_t i = 0; i < count; i++) {
        const stoa__run *run = stoa__runs_near(spread->runs, ranges[i].begin);
        STOA_PREFETCH(run);
        STOA_PREFETCH(run + 1);
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
        if (list->width <= EXPECT_PLACES && l->spread->runs->count == 0) {
            ranges_expect(l, list->items, list->count, few);
        } else if (list->width <= EXPECT_PLACES) {
            runs_expect(l->spread, list->items, list->count);
        }
        for (uint32_t i = 0; i < list->count; i++) {
            range_settle(l, list->items[i].begin, list->items[i].end);
        }
        runs_settle(l);
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

static void lane_init(lane *l, stoa__spread *spread) {
    l->spread = spread;
    l->finder = stoa__spread_finder(spread);
    l->count = 0;
}

static void lane_work(int32_t number, void *data) {
    (void)number;
    range_list list;
    lane l;
    lane_init(&l, data);
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
    lane l;
    lane_init(&l, spread);
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

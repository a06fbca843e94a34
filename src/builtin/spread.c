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

/* Places for which all memory is asked for ahead, at most: as much as caches hold. */
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
    const uint8_t *next; /* the chunk that will be next if rows are in order; else the same */
} chunk_view;

/* What one lane has at hand. */
typedef struct lane {
    stoa__spread *spread;
    chunk_view own;   /* of those that are worked out */
    chunk_view above; /* of their parents */
    chunk_view soon;  /* of those that are asked for */
} lane;

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
        .next = in_turn && &chunks[index] != last ? chunks[index + 1].data : chunk->data,
    };
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

/* How many rows are those of the places from one on, which are all in its block. */
STOA__INLINE uint32_t block_same(const stoa__levels *order, uint32_t place, const stoa_entity *rows,
                                 uint32_t count) {
    const stoa_entity *entities = order->entities + place;
    uint64_t first = stoa_entity_pack(entities[0]);
    uint32_t i = 0;
    if (stoa__levels_even(order, place)) {
        while (i < count && stoa_entity_pack(rows[i]) == first + i) {
            i++;
        }
    } else {
        while (i < count && stoa_entity_pack(rows[i]) == stoa_entity_pack(entities[i])) {
            i++;
        }
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

/* Works out rows of the lane's own chunk as long as they are those of the places from one on, as
 * the first is; returns how many. `from` is the world matrix of the first parent, `firsts` tell
 * where the children of each begin; the parents stand side by side. If there are more places after
 * these the next chunk is asked for. The matrix of a row is read before the one before it is
 * written: columns lie so that the two have the same address but for pages, which a processor takes
 * for one address at first. */
STOA__APART static uint32_t rows_multiply(const lane *l, uint32_t row, const Mat4 *from,
                                          const uint32_t *firsts, uint32_t place, uint32_t count,
                                          bool more) {
    const stoa__levels *order = l->spread->order;
    const stoa_entity *entities = l->own.entities + row;
    const Mat4 *local = l->own.locals + row;
    Mat4 *world = l->own.worlds + row;
    const uint8_t *now = (const uint8_t *)l->own.entities, *next = more ? l->own.next : now;
    const uint8_t *next_local = next + ((const uint8_t *)(more ? l->own.locals : local) - now);
    const stoa_entity *next_entity = (const stoa_entity *)(const void *)next + row;
    ptrdiff_t apart = (const uint8_t *)world - (const uint8_t *)local;
    uint32_t turn = count > AHEAD_ROWS ? count - AHEAD_ROWS : 0, i = 0;
    const uint8_t *ahead = (const uint8_t *)(local + AHEAD_ROWS);
    stoa__matrix mine = stoa__matrix_load(local);
    for (; i < count; from++, firsts++) {
        uint32_t until = firsts[1] - place < count ? firsts[1] - place : count;
        stoa__factor above = stoa__factor_load(from);
        STOA_PREFETCH(more ? from + AHEAD_PARENTS : from);
        while (i < until) {
            uint32_t part = block_part(place + i, until - i);
            uint32_t same = i + block_same(order, place + i, entities + i, part);
            part += i;
            for (; i < same; i++) {
                stoa__matrix own = mine;
                ahead = i == turn ? next_local : ahead;
                STOA_PREFETCH(ahead);
                STOA_PREFETCH(ahead + apart);
                STOA_PREFETCH(next_entity + i);
                ahead += sizeof(Mat4);
                mine = stoa__matrix_load(&local[i + 1 < count ? i + 1 : i]);
                stoa__matrix_store(&world[i], stoa__matrix_product(above, own));
            }
            if (same < part) {
                return i;
            }
        }
    }
    return i;
}

/* Works out a range whose parents are done. Where rows are in the order of places, which they are
 * if the entities were made in it, many are one loop. */
static void range_settle(lane *l, uint32_t begin, uint32_t end) {
    const stoa__spread *spread = l->spread;
    const uint32_t *parents = spread->order->parents, *firsts = spread->order->firsts;
    uint32_t roots = firsts[0];
    while (begin < end) {
        uint32_t row = row_find(spread, &l->own, begin), parent = parents[begin], count;
        stoa_column_mark((uint8_t *)l->own.worlds, spread->tick);
        if (parent == STOA__LEVELS_NONE) {
            count = run_count(spread, &l->own, row, begin, (end < roots ? end : roots) - begin);
            memcpy(l->own.worlds + row, l->own.locals + row, count * sizeof(Mat4));
        } else {
            uint32_t left = l->own.count - row;
            uint32_t above = row_find(spread, &l->above, parent);
            count = end - begin < left ? end - begin : left;
            uint32_t run = run_count(spread, &l->above, above, parent,
                                     parents[begin + count - 1] - parent + 1);
            uint32_t until = firsts[parent + run] - begin;
            count = count < until ? count : until;
            count = rows_multiply(l, row, l->above.worlds + above, firsts + parent, begin, count,
                                  begin + count < end);
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
        uint32_t begin = ranges[i].begin, end = ranges[i].end;
        STOA_PREFETCH(&order->entities[begin]);
        for (uint32_t place = begin | (STOA__LEVELS_BLOCK - 1); place + 1 < end;
             place += STOA__LEVELS_BLOCK) {
            STOA_PREFETCH(&order->entities[place + 1]);
        }
        STOA_PREFETCH(&order->parents[begin]);
        STOA_PREFETCH(&order->parents[end - 1]);
        STOA_PREFETCH(&order->firsts[begin]);
        STOA_PREFETCH(&order->firsts[end]);
    }
    for (uint32_t i = 0; i < count; i++) {
        STOA_PREFETCH(&l->spread->world->records[order->entities[ranges[i].begin].index]);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = l->spread->world->records[order->entities[ranges[i].begin].index].place;
        STOA_PREFETCH(&l->spread->world->chunks[at >> STOA_PLACE_BITS]);
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

/* The limits of change tracking: each row has the tick of its last write, each block of rows the
 * newest of those, so that finding what changed passes over blocks in which nothing did. */
#include "limit.h"
#include "sides.h"

#include <stdbool.h>
#include <stdlib.h>

/* Rows that share a newest tick. */
#define BLOCK_BITS 10
#define BLOCK_ROWS (1 << BLOCK_BITS)
/* Rows whose ticks become the bits of one word. */
#define GROUP_ROWS 64
/* Rows found before their values are read, more or less. */
#define LIST_ROWS 1024
/* Rows of a group that are listed without asking whether there are so many. */
#define LIST_FEW 3

typedef struct tracked {
    limit_world world;
    limit_entity *made;   /* in order of creation, which is that of rows */
    limit_entity *random; /* in random order */
    uint32_t *ticks;      /* by row, up to a whole block */
    uint32_t *newest;     /* by block */
    bench_size size;
    uint32_t tick;
    uint32_t since;
    int32_t turn;
    int32_t refused;
    double sum;
} tracked;

/* Writes a value and notes it; returns how many entities were dead. */
LIMIT_JOB static int32_t values_write(tracked *t, const limit_entity *restrict entities,
                                      int32_t n) {
    const limit_record *records = t->world.index.records;
    Position *restrict values = t->world.table.positions;
    uint32_t *restrict ticks = t->ticks;
    uint32_t *restrict newest = t->newest;
    uint32_t tick = t->tick;
    int32_t refused = 0;
    for (int32_t i = 0; i < n; i++) {
        uint64_t handle = limit_bits(&entities[i]);
        uint64_t record = limit_bits(&records[(uint32_t)handle]);
        if ((uint32_t)record != handle >> 32) {
            refused++;
            continue;
        }
        values[record >> 32].x += 1.0f;
        ticks[record >> 32] = tick;
        newest[record >> (32 + BLOCK_BITS)] = tick;
    }
    return refused;
}

static inline bool tick_newer(uint32_t tick, uint32_t since) {
    return (int32_t)(tick - since) > 0;
}

/* A bit for each of 32 rows that is newer; gcc makes vectors of the loop. */
static inline uint32_t ticks_compare(const uint32_t *ticks, uint32_t since) {
    uint32_t bits = 0;
    for (int32_t i = 0; i < 32; i++) {
        bits |= tick_newer(ticks[i], since) ? 1u << i : 0;
    }
    return bits;
}

/* Appends the rows of a group. With one row in a hundred newer, whether there is another is a
 * question the processor guesses wrong: the first few are written, needed or not. */
static inline int32_t group_list(uint64_t bits, uint32_t first, uint32_t *list) {
    int32_t count = __builtin_popcountll(bits);
    for (int32_t i = 0; i < LIST_FEW || i < count; i++) {
        list[i] = first + (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63);
        bits &= bits - 1;
    }
    return count;
}

static inline double rows_sum(const Position *values, const uint32_t *rows, int32_t count,
                              double sum) {
    for (int32_t i = 0; i < count; i++) {
        sum += (double)values[rows[i]].x;
    }
    return sum;
}

/* Rows are listed before their values are read, which is then not held up by wrong guesses: 14 ns
 * against 30. Where a whole group is newer there is nothing to list. */
LIMIT_JOB static double changed_sum(const tracked *t, uint32_t since) {
    const Position *values = t->world.table.positions;
    uint32_t list[LIST_ROWS + GROUP_ROWS + LIST_FEW];
    int32_t count = 0;
    double sum = 0;
    for (uint32_t first = 0; first < t->world.table.count; first += BLOCK_ROWS) {
        if (!tick_newer(t->newest[first / BLOCK_ROWS], since)) {
            continue;
        }
        for (uint32_t row = first; row < first + BLOCK_ROWS; row += GROUP_ROWS) {
            uint64_t bits = ticks_compare(t->ticks + row, since) |
                            (uint64_t)ticks_compare(t->ticks + row + 32, since) << 32;
            if (bits == UINT64_MAX) {
                for (uint32_t i = 0; i < GROUP_ROWS; i++) {
                    sum += (double)values[row + i].x;
                }
                continue;
            }
            count += group_list(bits, row, list + count);
            if (count >= LIST_ROWS) {
                sum = rows_sum(values, list, count, sum);
                count = 0;
            }
        }
    }
    return rows_sum(values, list, count, sum);
}

static void *tracked_open(bench_size size) {
    tracked *t = bench_alloc(1, sizeof *t);
    *t = (tracked){.size = size, .world = limit_world_new(size.n), .tick = 1};
    size_t n = (size_t)size.n;
    size_t blocks = n / BLOCK_ROWS + 1;
    t->made = bench_alloc(n, sizeof *t->made);
    t->random = bench_alloc(n, sizeof *t->random);
    t->ticks = bench_alloc(blocks * BLOCK_ROWS, sizeof *t->ticks);
    t->newest = bench_alloc(blocks, sizeof *t->newest);
    limit_world_create(&t->world, size.n, t->made);
    uint32_t *order = bench_order(size.n);
    for (int32_t i = 0; i < size.n; i++) {
        t->random[i] = t->made[order[i]];
        t->ticks[i] = t->tick;
        t->newest[i >> BLOCK_BITS] = t->tick;
    }
    free(order);
    return t;
}

/* The entities whose turn it is, each time others. */
static const limit_entity *turn_take(tracked *t, const limit_entity *entities) {
    int32_t turns = t->size.n / DATA_CHANGES;
    const limit_entity *mine = entities + (size_t)(t->turn % turns) * DATA_CHANGES;
    t->turn++;
    t->since = t->tick++;
    return mine;
}

static void tracked_run_write(void *side) {
    tracked *t = side;
    t->refused = 0;
    for (int32_t pass = 0; pass < t->size.passes; pass++) {
        t->refused += values_write(t, turn_take(t, t->random), DATA_CHANGES);
    }
}

static void tracked_before_scattered(void *side) {
    tracked *t = side;
    (void)values_write(t, turn_take(t, t->random), DATA_CHANGES);
}

static void tracked_before_clustered(void *side) {
    tracked *t = side;
    (void)values_write(t, turn_take(t, t->made), DATA_CHANGES);
}

static void tracked_run_find(void *side) {
    tracked *t = side;
    t->sum = changed_sum(t, t->since);
}

/* Weighs all values, and which of them the last pass wrote. */
static double tracked_after_write(void *side) {
    const tracked *t = side;
    double sum = limit_world_weigh(&t->world, t->size.n, t->made) + t->refused;
    for (int32_t i = 0; i < t->size.n; i++) {
        sum += tick_newer(t->ticks[i], t->since) ? i % 7 + 1 : 0;
    }
    return sum;
}

static double tracked_after_find(void *side) {
    return ((const tracked *)side)->sum;
}

static void tracked_close(void *side) {
    tracked *t = side;
    limit_world_free(&t->world);
    free(t->made);
    free(t->random);
    free(t->ticks);
    free(t->newest);
    free(t);
}

const bench_side limit_side_change_write = {tracked_open, NULL, tracked_run_write,
                                            tracked_after_write, tracked_close};
const bench_side limit_side_change_find_scattered = {
    tracked_open, tracked_before_scattered, tracked_run_find, tracked_after_find, tracked_close};
const bench_side limit_side_change_find_clustered = {
    tracked_open, tracked_before_clustered, tracked_run_find, tracked_after_find, tracked_close};

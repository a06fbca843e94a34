/* The limits of sorting entities by a number they have.
 *
 * By a function: pointers to the rows are merged, eight at first by insertion. By key: pairs of a
 * key and a row are dealt out by digits of 11 bits, all of which are counted in one pass. Then rows
 * are gathered into a second table, which takes the place of the first, and records learn of it.
 * All memory is there beforehand. */
#include "limit.h"
#include "sides.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define RUN_ROWS 8
#define DIGITS 3
#define DIGIT_BITS 11
#define DIGIT_MASK ((1u << DIGIT_BITS) - 1)

typedef int (*compare_fn)(const void *a, const void *b, void *user);

typedef struct sorting {
    limit_world world;
    limit_table spare;
    uint8_t *spare_memory; /* the second table, and what is put in order */
    size_t spare_size;
    limit_entity *entities;
    const Position **order;
    const Position **order_spare;
    uint64_t *pairs;
    uint64_t *pairs_spare;
    bench_size size;
    uint64_t seed;
} sorting;

static void run_sort(const Position **run, int32_t count, compare_fn compare, void *user) {
    for (int32_t i = 1; i < count; i++) {
        const Position *item = run[i];
        int32_t at = i;
        for (; at > 0 && compare(run[at - 1], item, user) > 0; at--) {
            run[at] = run[at - 1];
        }
        run[at] = item;
    }
}

/* Merges two runs of equal length from both ends, two comparisons at a time. */
static void halves_merge(const Position **from, int32_t half, const Position **to,
                         compare_fn compare, void *user) {
    const Position **a = from, **b = from + half, **a_end = b, **b_end = b + half;
    const Position **to_end = to + 2 * (ptrdiff_t)half;
    for (int32_t i = 0; i < half; i++) {
        size_t second = compare(*a, *b, user) > 0;
        size_t first = compare(a_end[-1], b_end[-1], user) > 0;
        /* Keeps the compiler from making branches of it, which nobody could foretell. */
        __asm__("" : "+r"(second), "+r"(first));
        *to++ = a[(size_t)(b - a) & (0 - second)];
        a_end -= first;
        b_end -= 1 - first;
        *--to_end = a_end[(size_t)(b_end - a_end) & (first - 1)];
        a += 1 - second;
        b += second;
    }
}

static void runs_merge(const Position **from, int32_t left, int32_t count, const Position **to,
                       compare_fn compare, void *user) {
    if (left * 2 == count) {
        halves_merge(from, left, to, compare, user);
        return;
    }
    const Position **a = from, **a_end = from + left, **b = a_end, **b_end = from + count;
    while (a < a_end && b < b_end) {
        *to++ = compare(*a, *b, user) > 0 ? *b++ : *a++;
    }
    memcpy(to, a, (size_t)(a_end - a) * sizeof *to);
    memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *to);
}

/* Puts pointers to all rows in order. */
LIMIT_JOB static void rows_sort(sorting *s, compare_fn compare, void *user) {
    const Position **order = s->order, **spare = s->order_spare;
    int32_t n = s->size.n;
    for (int32_t i = 0; i < n; i++) {
        order[i] = &s->world.table.positions[i];
    }
    for (int32_t i = 0; i < n; i += RUN_ROWS) {
        run_sort(order + i, n - i < RUN_ROWS ? n - i : RUN_ROWS, compare, user);
    }
    for (int32_t width = RUN_ROWS; width < n; width *= 2) {
        for (int32_t i = 0; i < n; i += 2 * width) {
            int32_t both = n - i < 2 * width ? n - i : 2 * width;
            runs_merge(order + i, width < both ? width : both, both, spare + i, compare, user);
        }
        const Position **sorted = spare;
        spare = order;
        order = sorted;
    }
    s->order = order;
    s->order_spare = spare;
}

static inline uint32_t key_of(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits ^ ((bits >> 31) != 0 ? UINT32_MAX : 0x80000000u);
}

/* Puts pairs of all keys and rows in order. */
LIMIT_JOB static void keys_sort(sorting *s) {
    static uint32_t starts[DIGITS][1u << DIGIT_BITS];
    uint64_t *pairs = s->pairs, *spare = s->pairs_spare;
    const Position *positions = s->world.table.positions;
    int32_t n = s->size.n;
    memset(starts, 0, sizeof starts);
    for (int32_t i = 0; i < n; i++) {
        uint32_t key = key_of(positions[i].z);
        pairs[i] = (uint64_t)key << 32 | (uint32_t)i;
        starts[0][key & DIGIT_MASK]++;
        starts[1][key >> DIGIT_BITS & DIGIT_MASK]++;
        starts[2][key >> 2 * DIGIT_BITS]++;
    }
    for (int32_t d = 0; d < DIGITS; d++) {
        int32_t shift = 32 + d * DIGIT_BITS;
        uint32_t sum = 0;
        for (uint32_t k = 0; k <= DIGIT_MASK; k++) {
            uint32_t count = starts[d][k];
            starts[d][k] = sum;
            sum += count;
        }
        for (int32_t i = 0; i < n; i++) {
            uint64_t pair = pairs[i];
            spare[starts[d][pair >> shift & DIGIT_MASK]++] = pair;
        }
        uint64_t *sorted = spare;
        spare = pairs;
        pairs = sorted;
    }
    s->pairs = pairs;
    s->pairs_spare = spare;
}

static inline void row_take(const limit_table *to, const limit_table *from, limit_record *records,
                            uint32_t row, uint32_t was) {
    uint32_t slot = from->entities[was];
    to->entities[row] = slot;
    to->positions[row] = from->positions[was];
    to->velocities[row] = from->velocities[was];
    records[slot].place = row;
}

static void tables_swap(sorting *s) {
    limit_table sorted = s->spare;
    sorted.count = s->world.table.count;
    s->spare = s->world.table;
    s->world.table = sorted;
}

LIMIT_JOB static void rows_gather(sorting *s) {
    limit_table to = s->spare, from = s->world.table;
    for (uint32_t row = 0; row < from.count; row++) {
        uint32_t was = (uint32_t)(s->order[row] - from.positions);
        row_take(&to, &from, s->world.index.records, row, was);
    }
    tables_swap(s);
}

LIMIT_JOB static void pairs_gather(sorting *s) {
    limit_table to = s->spare, from = s->world.table;
    for (uint32_t row = 0; row < from.count; row++) {
        row_take(&to, &from, s->world.index.records, row, (uint32_t)s->pairs[row]);
    }
    tables_swap(s);
}

static void *sorting_open(bench_size size) {
    sorting *s = bench_alloc(1, sizeof *s);
    size_t n = (size_t)size.n, used = 0;
    *s = (sorting){.size = size, .world = limit_world_new(size.n), .seed = DATA_SORT_SEED};
    s->entities = bench_alloc(n, sizeof *s->entities);
    limit_world_create(&s->world, size.n, s->entities);
    s->spare_size = n * (sizeof(uint32_t) + sizeof(Position) + sizeof(Velocity) +
                         2 * (sizeof *s->order + sizeof *s->pairs)) +
                    (size_t)7 * 128;
    s->spare_memory = bench_map(s->spare_size);
    s->spare.entities = limit_carve(s->spare_memory, &used, n, sizeof(uint32_t));
    s->spare.positions = limit_carve(s->spare_memory, &used, n, sizeof(Position));
    s->spare.velocities = limit_carve(s->spare_memory, &used, n, sizeof(Velocity));
    s->order = limit_carve(s->spare_memory, &used, n, sizeof *s->order);
    s->order_spare = limit_carve(s->spare_memory, &used, n, sizeof *s->order_spare);
    s->pairs = limit_carve(s->spare_memory, &used, n, sizeof *s->pairs);
    s->pairs_spare = limit_carve(s->spare_memory, &used, n, sizeof *s->pairs_spare);
    return s;
}

static void sorting_before(void *side) {
    sorting *s = side;
    data_sort_mix(s->world.table.positions, s->size.n, &s->seed);
}

static void sorting_run_function(void *side) {
    sorting *s = side;
    rows_sort(s, data_sort_compare, NULL);
    rows_gather(s);
}

static void sorting_run_key(void *side) {
    sorting *s = side;
    keys_sort(s);
    pairs_gather(s);
}

static double sorting_after(void *side) {
    const sorting *s = side;
    const limit_table *table = &s->world.table;
    double sum = limit_world_weigh(&s->world, s->size.n, s->entities);
    for (int32_t row = 0; row < s->size.n; row++) {
        sum += data_sort_weigh(row, table->entities[row], table->positions[row],
                               table->velocities[row]);
    }
    return sum;
}

static void sorting_close(void *side) {
    sorting *s = side;
    limit_world_free(&s->world);
    bench_unmap(s->spare_memory, s->spare_size);
    free(s->entities);
    free(s);
}

const bench_side limit_side_sort = {sorting_open, sorting_before, sorting_run_function,
                                    sorting_after, sorting_close};
const bench_side limit_side_sort_key = {sorting_open, sorting_before, sorting_run_key,
                                        sorting_after, sorting_close};

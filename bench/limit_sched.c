/* The limit of calling many systems: functions and what they work on in a table, and a loop. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>

typedef struct tiny {
    void (*call)(void *user);
    void *user;
} tiny;

typedef struct calls {
    tiny *table;
    uint64_t *counters;
    bench_size size;
} calls;

static void counter_count(void *user) {
    uint64_t *counter = user;
    ++*counter;
}

LIMIT_JOB static void table_call(const tiny *table, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        table[i].call(table[i].user);
    }
}

static void *calls_open(bench_size size) {
    calls *c = bench_alloc(1, sizeof *c);
    *c = (calls){.size = size};
    c->table = bench_alloc((size_t)size.n, sizeof *c->table);
    c->counters = bench_alloc((size_t)size.n, sizeof *c->counters);
    for (int32_t i = 0; i < size.n; i++) {
        c->table[i] = (tiny){counter_count, &c->counters[i]};
    }
    return c;
}

static void calls_run(void *side) {
    const calls *c = side;
    for (int32_t pass = 0; pass < c->size.passes; pass++) {
        table_call(c->table, c->size.n);
    }
}

static double calls_after(void *side) {
    const calls *c = side;
    double sum = 0;
    for (int32_t i = 0; i < c->size.n; i++) {
        sum += (double)c->counters[i] * (i % 7 + 1);
    }
    return sum;
}

static void calls_close(void *side) {
    calls *c = side;
    free(c->table);
    free(c->counters);
    free(c);
}

const bench_side limit_side_sched_overhead = {calls_open, NULL, calls_run, calls_after,
                                              calls_close};
const bench_side limit_side_sched_overhead_2t = {calls_open, NULL, calls_run, calls_after,
                                                 calls_close};

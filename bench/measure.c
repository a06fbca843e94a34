/* Timing: the two sides take turns, and each is given its best repetition.
 *
 * Whatever else the machine does only ever adds time, so the least is the nearest to the truth; and
 * since the sides take turns, a slow minute hits both. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdio.h>
#include <time.h>

static double clock_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int64_t clock_nanoseconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* One repetition; keeps the least time in `best` and returns the result of the job. */
static double side_repeat(const bench_side *side, void *state, int64_t *best) {
    if (side->before != NULL) {
        side->before(state);
    }
    int64_t start = clock_nanoseconds();
    side->run(state);
    int64_t time = clock_nanoseconds() - start;
    if (time < *best) {
        *best = time;
    }
    return side->after(state);
}

static void results_compare(const bench_row *row, double limit, double stoa) {
    if (limit != stoa) {
        char message[160];
        (void)snprintf(message, sizeof message,
                       "%s, n = %d: the limit came to %.17g, stoa to %.17g", row->name,
                       (int)row->size.n, limit, stoa);
        bench_fail(message);
    }
}

bench_result bench_measure(const bench_row *row, bench_effort effort) {
    if (row->stoa_figure != NULL) {
        return (bench_result){row->stoa_figure(row->size.n), row->limit_figure(row->size.n)};
    }
    void *limit = row->limit->open(row->size);
    void *stoa = row->stoa->open(row->size);
    int64_t limit_best = INT64_MAX;
    int64_t stoa_best = INT64_MAX;
    double end = clock_seconds() + effort.seconds;
    for (int32_t round = 0; round < effort.rounds || clock_seconds() < end; round++) {
        double expected = side_repeat(row->limit, limit, &limit_best);
        double found = side_repeat(row->stoa, stoa, &stoa_best);
        results_compare(row, expected, found);
    }
    row->limit->close(limit);
    row->stoa->close(stoa);
    double operations = (double)row->operations * row->size.passes;
    return (bench_result){(double)stoa_best / operations, (double)limit_best / operations};
}

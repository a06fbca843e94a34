/* The frame of the benchmark: what a row is, how it is timed, and where its memory comes from.
 *
 * A row pits two sides against each other in one process: the limit, which is the job hand-written
 * on plain arrays, and stoa. Both leave a result that is compared after every repetition: a row
 * whose sides disagree ends the program. */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdint.h>

/* How much work a row is. */
typedef struct bench_size {
    int32_t n;      /* entities, or archetypes for the rows on queries */
    int32_t passes; /* how often a repetition does the job over */
} bench_size;

/* One side of a row. Only `run` is timed. */
typedef struct bench_side {
    void *(*open)(bench_size size); /* makes what all repetitions share */
    void (*before)(void *side);     /* makes ready for a repetition; may be NULL */
    void (*run)(void *side);        /* the job */
    double (*after)(void *side);    /* its result, for comparison */
    void (*close)(void *side);
} bench_side;

/* A row is two sides, or two figures that are no times. */
typedef struct bench_row {
    const char *name;
    bench_size size;
    int32_t operations; /* in one pass */
    double target;      /* the most that stoa may take, as a multiple of the limit; 0: none */
    const bench_side *limit;
    const bench_side *stoa;
    double (*limit_figure)(int32_t n);
    double (*stoa_figure)(int32_t n);
    double most;     /* the most that stoa may take, in nanoseconds per operation; 0: none */
    double over;     /* the most that stoa may take beyond the limit, in nanoseconds; 0: none */
    int32_t threads; /* that the sides use; 0: one */
} bench_row;

/* How long to go on with a row. */
typedef struct bench_effort {
    int32_t rounds; /* repetitions of each side, at the least */
    double seconds; /* and until this much time has passed */
} bench_effort;

/* Nanoseconds per operation, the least of all repetitions. */
typedef struct bench_result {
    double stoa;
    double limit;
} bench_result;

extern const bench_row bench_rows[];
extern const int32_t bench_row_count;

bench_result bench_measure(const bench_row *row, bench_effort effort);

/* Lets this thread, and those it starts, run on every core there is; returns how many. */
int32_t bench_cores_widen(void);

/* Back to the cores that the program was started on. */
void bench_cores_narrow(void);

/* Zeroed memory that is resident, on huge pages where it is large; given back by free(). */
void *bench_alloc(size_t count, size_t size);

/* Memory fresh from the system, advised as huge pages and not yet resident. */
void *bench_map(size_t size);
void bench_unmap(void *block, size_t size);

/* The numbers below n in an order that is random and always the same; given back by free(). */
uint32_t *bench_order(int32_t n);

/* Ends the program with a message; so does everything above that fails. */
_Noreturn void bench_fail(const char *what);

#endif

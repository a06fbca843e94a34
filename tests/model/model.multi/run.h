/* A run: a trace done to a world and to the reference side by side, compared on the way.
 *
 * The first difference is noted and ends the run; nothing here fails the test itself, so that a run
 * can be repeated. */
#ifndef MODEL_RUN_H
#define MODEL_RUN_H

#include "generate.h"

/* A run under way. */
typedef struct run {
    support_world s;
    reference ref;
    stoa_component ids[TYPE_COUNT];
    stoa_query *queries[TRACE_QUERIES];
    op query_ops[TRACE_QUERIES]; /* what each kept query was made with */
    uint8_t padding;             /* what the bytes between fields are */
    uint32_t walk;               /* number of the walk under way */
    bool failed;
    char message[400];
} run;

typedef struct run_options {
    reference_fault fault; /* to be found */
    int32_t full_every;    /* operations between two full comparisons */
    bool second_world;     /* run it again in a world of another shape, for the same hash */
} run_options;

typedef struct run_result {
    bool failed;
    int32_t op;       /* index of the operation at which it failed */
    int64_t op_count; /* operations done */
    char message[440];
} run_result;

/* Makes a trace of a seed while running it; `ops` has room for `count`. On failure, even a crash,
 * the trace ends with the operation that failed. */
void run_generate(trace *t, uint32_t seed, int32_t count, const run_options *options,
                  run_result *result);

/* Runs a trace again. */
void run_replay(const trace *t, const run_options *options, run_result *result);

/* Notes what is wrong unless something was noted before; returns `holds`. */
bool run_check(run *r, bool holds, const char *format, ...) STOA_PRINTF(3, 4);

/* A call came to `expected`: its status, the thread's last error and the assert handler say so. */
bool run_expect(run *r, stoa_status got, stoa_status expected, const char *call);

/* STOA_OK if a call gave something, else the last error. */
stoa_status run_given(bool given);

/* Does one operation to both sides, in calls.c. */
void run_call(run *r, const op *o);

/* Refused calls, in refuse.c. */
void run_refuse(run *r, const op *o);

/* Queries, in walk.c. */
void run_query(run *r, const op *o);

/* Compares one entity, and then everything, in compare.c. */
void run_compare_being(run *r, being *b);
void run_compare(run *r);

/* Values of an op for a call: fills in `values`, returns how many. In calls.c. */
int run_values(run *r, const op *o, stoa_value values[TYPE_COUNT + 1]);

/* Ends the values of an op that the world did not take. In calls.c. */
void run_values_drop(const op *o);

#endif

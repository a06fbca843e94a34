/* Random tests by traces: steps that a seed makes, run as a whole and made fewer if that fails.
 *
 * A trace is an array of steps, records of one size, of which any part is a trace as well. A run
 * tells what went wrong as a text; it can be repeated at will, and must not depend on anything but
 * the steps, the seed and what `make` noted of it.
 *
 * Shrinking leaves out blocks of steps, from half the trace down to single ones, as long as the
 * rest still fails, in whatever way. In the end no single step can be left out: a run for each step
 * that stays, and few more for those that go.
 *
 * A test describes its traces and has them run:
 *
 *     static step steps[STEPS_MAX];
 *     support_traces_run(&(support_traces){
 *         SUPPORT_STEPS(steps), .seeds = 300, .make = make, .run = run, .print = print}); */
#ifndef STOA_TESTS_SUPPORT_TRACE_H
#define STOA_TESTS_SUPPORT_TRACE_H

#include "support/seeds.h"

typedef struct support_traces support_traces;

/* Some steps, under way. */
typedef struct support_trace {
    const support_traces *of;
    void *steps;
    uint32_t count;
    uint64_t seed; /* that they were made of */
} support_trace;

/* What the traces of a test are. */
struct support_traces {
    void *steps; /* room for the longest; see SUPPORT_STEPS */
    size_t step_size;
    uint64_t seeds; /* how many, see support_seeds_of */
    /* Makes the trace of `t->seed`: writes steps, and their count. */
    void (*make)(support_trace *t);
    /* Runs a trace: NULL if all is well, else what went wrong, valid until the next run. */
    const char *(*run)(const support_trace *t);
    /* Prints a step, without the line's end. */
    void (*print)(FILE *out, const void *step);
    /* Prints what else there is to know of a trace, after a run of it; NULL: nothing. */
    void (*tell)(FILE *out, const support_trace *t);
    void *user;
};

/* Where the steps are, by an array for them. */
#define SUPPORT_STEPS(array) .steps = (array), .step_size = sizeof *(array)

/* Runs the trace of every seed. The first that fails is shrunk and printed with its seed, and the
 * test fails. */
void support_traces_run(const support_traces *of);

/* The same, but prints to `out` and returns false. */
bool support_traces_hold(const support_traces *of, FILE *out);

/* Takes from a failing trace all steps that can go, in the same array. */
void support_trace_shrink(support_trace *t);

/* Puts another step in a step's place if the trace then still fails; false if it does not, or if
 * the other is the same. */
bool support_trace_replace(support_trace *t, uint32_t i, const void *step);

#endif

/* Shrinking: the shortest trace that still fails, by leaving out operations and parts of them. */
#ifndef MODEL_SHRINK_H
#define MODEL_SHRINK_H

#include "run.h"

/* Takes from a failing trace all that can go, and tells how what is left fails. The ops stay in the
 * same array. Apart, each run is in a process of its own, so that a crash is a failure like any
 * other. */
void shrink(trace *t, const run_options *options, bool apart, run_result *result);

/* Generates and runs seeds first to last in a process of its own, up to the first that fails. That
 * one's trace is given, in `t->ops` to be freed. */
void shrink_seeds_apart(uint32_t first, uint32_t last, int32_t op_count, const run_options *options,
                        trace *t, run_result *result);

#endif

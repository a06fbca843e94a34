/* Shrinking, and runs in processes of their own.
 *
 * Operations are left out; then sets, counts and terms of what is left are made smaller. Each step
 * is kept if the rest still fails, in whatever way. */
#include "shrink.h"

#include <stdlib.h>

#include "support/apart.h"
#include "support/trace.h"

/* Traces of fewer operations are compared in full after each, so that the shortest one is found. */
#define SHORT 250

/* What a process apart is given and tells; the operations that it makes follow. */
typedef struct report {
    const run_options *options;
    const trace *replayed;
    uint32_t first, last; /* seeds */
    int32_t op_count;
    run_result result;
    trace trace;
    _Alignas(16) op ops[];
} report;

static void replay_apart(void *user) {
    report *shared = user;
    run_replay(shared->replayed, shared->options, &shared->result);
}

static void report_run(report *shared, void (*call)(void *), bool quiet, run_result *result) {
    if (!support_run_apart(call, shared, quiet, shared->result.message,
                           sizeof shared->result.message)) {
        shared->result.failed = true;
    }
    *result = shared->result;
}

static void run_apart(const trace *t, const run_options *options, run_result *result) {
    report *shared = support_shared_new(sizeof *shared);
    *shared = (report){.options = options, .replayed = t};
    report_run(shared, replay_apart, true, result);
    support_shared_free(shared, sizeof *shared);
}

/* What the runs of a trace that shrinks have in common. */
typedef struct shrinking {
    const trace *whole;
    const run_options *options;
    bool apart;
    run_result result;
} shrinking;

static const char *shorter_run(const support_trace *t) {
    shrinking *s = t->of->user;
    trace shorter = *s->whole;
    shorter.ops = t->steps;
    shorter.count = (int32_t)t->count;
    run_options options = *s->options;
    options.full_every = t->count < SHORT ? 1 : options.full_every;
    (s->apart ? run_apart : run_replay)(&shorter, &options, &s->result);
    return s->result.failed ? s->result.message : NULL;
}

static void type_simplify(support_trace *t, uint32_t i, int type) {
    const op *now = (const op *)t->steps + i;
    op changed = *now;
    if ((now->put | now->zero | now->drop) != 1u << type) {
        changed.put &= ~(1u << type);
        changed.zero &= ~(1u << type);
        changed.drop &= ~(1u << type);
        (void)support_trace_replace(t, i, &changed);
    }
    changed = *now;
    changed.access[type] = STOA_ACCESS_END;
    (void)support_trace_replace(t, i, &changed);
    changed = *now;
    changed.changed &= ~TYPE_BIT(type);
    (void)support_trace_replace(t, i, &changed);
    changed = *now;
    changed.added &= ~TYPE_BIT(type);
    (void)support_trace_replace(t, i, &changed);
}

static void op_simplify(support_trace *t, uint32_t i) {
    const op *now = (const op *)t->steps + i;
    for (int type = 0; type < TYPE_COUNT; type++) {
        type_simplify(t, i, type);
    }
    op changed = *now;
    changed.action = ACTION_NONE;
    (void)support_trace_replace(t, i, &changed);
    for (int32_t count = 1; count < now->count; count *= 2) {
        changed = *now;
        changed.count = count;
        if (support_trace_replace(t, i, &changed)) {
            break;
        }
    }
}

void shrink(trace *t, const run_options *options, bool apart, run_result *result) {
    shrinking s = {.whole = t, .options = options, .apart = apart};
    const support_traces of = {.step_size = sizeof(op), .run = shorter_run, .user = &s};
    support_trace shorter = {.of = &of, .steps = t->ops, .count = (uint32_t)t->count};
    support_trace_shrink(&shorter);
    for (uint32_t i = 0; i < shorter.count; i++) {
        op_simplify(&shorter, i);
    }
    support_trace_shrink(&shorter);
    t->count = (int32_t)shorter.count;
    (void)shorter_run(&shorter);
    *result = s.result;
}

static void seeds_apart(void *user) {
    report *shared = user;
    int64_t done = 0;
    for (uint32_t seed = shared->first; seed <= shared->last && !shared->result.failed; seed++) {
        run_generate(&shared->trace, seed, shared->op_count, shared->options, &shared->result);
        done += shared->result.op_count;
    }
    shared->result.op_count = done;
}

void shrink_seeds_apart(uint32_t first, uint32_t last, int32_t op_count, const run_options *options,
                        trace *t, run_result *result) {
    size_t size = sizeof(report) + (size_t)op_count * sizeof(op);
    report *shared = support_shared_new(size);
    *shared = (report){.options = options,
                       .first = first,
                       .last = last,
                       .op_count = op_count,
                       .trace.ops = shared->ops};
    report_run(shared, seeds_apart, false, result);
    *t = shared->trace;
    t->ops = malloc((size_t)(t->count + 1) * sizeof(op));
    if (t->ops == NULL) {
        fail_msg("no memory for a trace");
    }
    memcpy(t->ops, shared->ops, (size_t)t->count * sizeof(op));
    support_shared_free(shared, size);
}

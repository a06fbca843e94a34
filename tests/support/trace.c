/* Traces of random steps: running, shrinking by leaving out, printing. */
#include "support/trace.h"

#include <stdlib.h>

static char *step_at(const support_trace *t, uint32_t i) {
    return (char *)t->steps + (size_t)i * t->of->step_size;
}

static bool trace_fails(const support_trace *t) {
    return t->of->run(t) != NULL;
}

/* Leaves out `length` steps from `first` on, if the rest fails. */
static bool block_remove(support_trace *t, uint32_t first, uint32_t length, void *spare) {
    size_t size = (size_t)length * t->of->step_size;
    size_t rest = (size_t)(t->count - first - length) * t->of->step_size;
    memcpy(spare, step_at(t, first), size);
    memmove(step_at(t, first), step_at(t, first + length), rest);
    t->count -= length;
    if (trace_fails(t)) {
        return true;
    }
    t->count += length;
    memmove(step_at(t, first + length), step_at(t, first), rest);
    memcpy(step_at(t, first), spare, size);
    return false;
}

/* From the end, since steps need those before them. */
static bool blocks_remove(support_trace *t, uint32_t length, void *spare) {
    bool shorter = false;
    for (uint32_t end = t->count; end >= length; end -= length) {
        shorter |= block_remove(t, end - length, length, spare);
    }
    return shorter;
}

void support_trace_shrink(support_trace *t) {
    char *spare = malloc((size_t)(t->count + 1) * t->of->step_size);
    assert_non_null(spare);
    for (uint32_t length = t->count / 2; length > 1; length /= 2) {
        (void)blocks_remove(t, length, spare);
    }
    while (blocks_remove(t, 1, spare)) {
    }
    free(spare);
}

bool support_trace_replace(support_trace *t, uint32_t i, const void *step) {
    size_t size = t->of->step_size;
    char *at = step_at(t, i), *old = malloc(size);
    assert_non_null(old);
    memcpy(old, at, size);
    bool replaced = memcmp(at, step, size) != 0;
    if (replaced) {
        memcpy(at, step, size);
        replaced = trace_fails(t);
    }
    if (!replaced) {
        memcpy(at, old, size);
    }
    free(old);
    return replaced;
}

static void trace_explain(support_trace *t, const char *wrong, FILE *out) {
    fprintf(out, "seed %llu fails in %u steps: %s\n", (unsigned long long)t->seed, t->count, wrong);
    support_seeds_stop();
    support_trace_shrink(t);
    wrong = t->of->run(t);
    fprintf(out, "shrunk to %u: %s\n", t->count, wrong != NULL ? wrong : "it fails no more");
    for (uint32_t i = 0; i < t->count; i++) {
        fprintf(out, "  ");
        t->of->print(out, step_at(t, i));
        fprintf(out, "\n");
    }
    if (t->of->tell != NULL) {
        t->of->tell(out, t);
    }
}

bool support_traces_hold(const support_traces *of, FILE *out) {
    support_trace t = {.of = of, .steps = of->steps};
    const char *wrong = NULL;
    support_seeds seeds = support_seeds_of(of->seeds);
    while (wrong == NULL && support_seeds_next(&seeds)) {
        t.seed = seeds.seed;
        of->make(&t);
        wrong = of->run(&t);
    }
    if (wrong != NULL) {
        trace_explain(&t, wrong, out);
    }
    return wrong == NULL;
}

void support_traces_run(const support_traces *of) {
    if (!support_traces_hold(of, stderr)) {
        fail_msg("a trace fails, see above");
    }
}

/* The limit of being told of a component that is new: the row moves, then a function is called that
 * is known at run time only. */
#include "limit_pair.h"
#include "sides.h"

#include <stdlib.h>

typedef struct watched {
    limit_pair pair;
    limit_hook hook;
    limit_entity *entities;
    int64_t told;
    int32_t n;
    int32_t refused;
} watched;

LIMIT_JOB static void additions_count(limit_entity e, Velocity *value, void *user) {
    (void)e;
    (void)value;
    ++*(int64_t *)user;
}

/* Returns how many entities were dead. */
LIMIT_JOB static int32_t velocities_add(watched *w) {
    limit_pair pair = w->pair;
    const limit_hook *hook = &w->hook;
    const limit_entity *entities = w->entities;
    int32_t n = w->n;
    int32_t refused = 0;
    for (int32_t i = 0; i < n; i++) {
        refused += !limit_pair_set(&pair, entities[i], data_velocity(i), hook);
    }
    w->pair = pair;
    return refused;
}

static void *watched_open(bench_size size) {
    watched *w = bench_alloc(1, sizeof *w);
    *w = (watched){.n = size.n, .hook = {additions_count, &w->told}};
    w->entities = bench_alloc((size_t)size.n, sizeof *w->entities);
    w->pair = limit_pair_new(size.n, w->entities);
    return w;
}

static void watched_before(void *side) {
    watched *w = side;
    limit_pair_strip(&w->pair, w->n, w->entities);
}

static void watched_run(void *side) {
    watched *w = side;
    w->refused = velocities_add(w);
}

static double watched_after(void *side) {
    const watched *w = side;
    return limit_pair_weigh(&w->pair, w->n, w->entities) + (double)w->told + w->refused;
}

static void watched_close(void *side) {
    watched *w = side;
    limit_pair_free(&w->pair);
    free(w->entities);
    free(w);
}

const bench_side limit_side_hook_add = {watched_open, watched_before, watched_run, watched_after,
                                        watched_close};

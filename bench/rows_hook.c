/* stoa's side of being told of a component that is new. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

typedef struct watched {
    stoa_world *world;
    stoa_entity *entities;
    int64_t told;
    int32_t n;
    int32_t refused;
} watched;

static void additions_count(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)value;
    ++*(int64_t *)user;
}

static void *watched_open(bench_size size) {
    watched *w = bench_alloc(1, sizeof *w);
    *w = (watched){.n = size.n, .world = bench_world_new()};
    w->entities = bench_alloc((size_t)size.n, sizeof *w->entities);
    bench_world_place(w->world, size.n, w->entities);
    if (stoa_on_add(w->world, Velocity, additions_count, &w->told).id == 0) {
        bench_fail(stoa_last_error().message);
    }
    return w;
}

static void watched_before(void *side) {
    watched *w = side;
    for (int32_t i = 0; i < w->n; i++) {
        (void)stoa_remove(w->world, w->entities[i], Velocity);
    }
}

static void watched_run(void *side) {
    watched *w = side;
    stoa_world *world = w->world;
    const stoa_entity *entities = w->entities;
    int32_t n = w->n, refused = 0;
    for (int32_t i = 0; i < n; i++) {
        Velocity v = data_velocity(i);
        refused += stoa_set(world, entities[i], Velocity, {v.x, v.y, v.z}) != STOA_OK;
    }
    w->refused = refused;
}

static double watched_after(void *side) {
    const watched *w = side;
    return bench_world_weigh_both(w->world, w->n, w->entities) + (double)w->told + w->refused;
}

static void watched_close(void *side) {
    watched *w = side;
    stoa_world_free(w->world);
    free(w->entities);
    free(w);
}

const bench_side stoa_side_hook_add = {watched_open, watched_before, watched_run, watched_after,
                                       watched_close};

/* stoa's side of changes that are recorded first and applied afterwards. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

typedef struct deferred {
    stoa_world *world;
    stoa_entity *entities;
    int32_t n;
    int32_t refused;
} deferred;

static deferred *deferred_new(bench_size size) {
    deferred *d = bench_alloc(1, sizeof *d);
    *d = (deferred){.n = size.n, .world = bench_world_new()};
    d->entities = bench_alloc((size_t)size.n, sizeof *d->entities);
    return d;
}

static void *deferred_open_add(bench_size size) {
    deferred *d = deferred_new(size);
    bench_world_place(d->world, size.n, d->entities);
    return d;
}

static void *deferred_open_destroy(bench_size size) {
    return deferred_new(size);
}

static void deferred_before_add(void *side) {
    deferred *d = side;
    for (int32_t i = 0; i < d->n; i++) {
        (void)stoa_remove(d->world, d->entities[i], Velocity);
    }
}

static void deferred_before_destroy(void *side) {
    deferred *d = side;
    bench_world_create(d->world, d->n, d->entities);
}

static void deferred_run_add(void *side) {
    deferred *d = side;
    stoa_commands *commands = stoa_deferred(d->world);
    d->refused = 0;
    for (int32_t i = 0; i < d->n; i++) {
        Velocity v = data_velocity(i);
        d->refused += stoa_commands_set_from(commands, d->entities[i], Velocity, &v) != STOA_OK;
    }
    d->refused += stoa_flush(d->world) != STOA_OK;
}

static void deferred_run_destroy(void *side) {
    deferred *d = side;
    stoa_commands *commands = stoa_deferred(d->world);
    d->refused = 0;
    for (int32_t i = 0; i < d->n; i++) {
        d->refused += stoa_commands_destroy(commands, d->entities[i]) != STOA_OK;
    }
    d->refused += stoa_flush(d->world) != STOA_OK;
}

static double deferred_after_add(void *side) {
    const deferred *d = side;
    return bench_world_weigh_both(d->world, d->n, d->entities) + d->refused;
}

static double deferred_after_destroy(void *side) {
    const deferred *d = side;
    return bench_world_weigh(d->world, d->n, d->entities) + d->refused;
}

static void deferred_close(void *side) {
    deferred *d = side;
    stoa_world_free(d->world);
    free(d->entities);
    free(d);
}

const bench_side stoa_side_deferred_add = {deferred_open_add, deferred_before_add, deferred_run_add,
                                           deferred_after_add, deferred_close};
const bench_side stoa_side_deferred_destroy = {deferred_open_destroy, deferred_before_destroy,
                                               deferred_run_destroy, deferred_after_destroy,
                                               deferred_close};

/* The limits of changes that are recorded first and applied afterwards: a queue that is an array,
 * filled by one loop and emptied in order by another. */
#include "limit_pair.h"
#include "sides.h"

#include <stdlib.h>

/* What is to be added to whom. Two arrays: of one array of both gcc makes five loops, 2.3 ns. */
typedef struct additions {
    limit_entity *entities;
    Velocity *values;
    int32_t count;
} additions;

typedef struct adder {
    limit_pair pair;
    limit_entity *entities;
    additions queue;
    int32_t n;
    int32_t refused;
} adder;

LIMIT_JOB static void additions_record(additions *queue, int32_t n, const limit_entity *entities) {
    additions local = *queue;
    for (int32_t i = 0; i < n; i++) {
        local.entities[local.count] = entities[i];
        local.values[local.count] = data_velocity(i);
        local.count++;
    }
    queue->count = local.count;
}

/* Returns how many entities were dead. */
LIMIT_JOB static int32_t additions_apply(additions *queue, limit_pair *pair) {
    additions local = *queue;
    limit_pair moved = *pair;
    int32_t refused = 0;
    for (int32_t i = 0; i < local.count; i++) {
        refused += !limit_pair_set(&moved, local.entities[i], local.values[i], NULL);
    }
    *pair = moved;
    queue->count = 0;
    return refused;
}

static void *adder_open(bench_size size) {
    adder *a = bench_alloc(1, sizeof *a);
    *a = (adder){.n = size.n};
    a->entities = bench_alloc((size_t)size.n, sizeof *a->entities);
    a->queue.entities = bench_alloc((size_t)size.n, sizeof *a->queue.entities);
    a->queue.values = bench_alloc((size_t)size.n, sizeof *a->queue.values);
    a->pair = limit_pair_new(size.n, a->entities);
    return a;
}

static void adder_before(void *side) {
    adder *a = side;
    limit_pair_strip(&a->pair, a->n, a->entities);
}

static void adder_run(void *side) {
    adder *a = side;
    additions_record(&a->queue, a->n, a->entities);
    a->refused = additions_apply(&a->queue, &a->pair);
}

static double adder_after(void *side) {
    const adder *a = side;
    return limit_pair_weigh(&a->pair, a->n, a->entities) + a->refused;
}

static void adder_close(void *side) {
    adder *a = side;
    limit_pair_free(&a->pair);
    free(a->entities);
    free(a->queue.entities);
    free(a->queue.values);
    free(a);
}

const bench_side limit_side_deferred_add = {adder_open, adder_before, adder_run, adder_after,
                                            adder_close};

typedef struct ender {
    limit_world world;
    limit_entity *entities;
    limit_entity *queue;
    int32_t queue_count;
    int32_t n;
    int32_t refused;
} ender;

LIMIT_JOB static void ends_record(ender *d, int32_t n, const limit_entity *entities) {
    limit_entity *queue = d->queue;
    int32_t count = d->queue_count;
    for (int32_t i = 0; i < n; i++) {
        queue[count++] = entities[i];
    }
    d->queue_count = count;
}

static void *ender_open(bench_size size) {
    ender *d = bench_alloc(1, sizeof *d);
    *d = (ender){.n = size.n, .world = limit_world_new(size.n)};
    d->entities = bench_alloc((size_t)size.n, sizeof *d->entities);
    d->queue = bench_alloc((size_t)size.n, sizeof *d->queue);
    return d;
}

static void ender_before(void *side) {
    ender *d = side;
    limit_world_create(&d->world, d->n, d->entities);
}

static void ender_run(void *side) {
    ender *d = side;
    ends_record(d, d->n, d->entities);
    d->refused = limit_world_destroy(&d->world, d->queue_count, d->queue);
    d->queue_count = 0;
}

static double ender_after(void *side) {
    const ender *d = side;
    return limit_world_weigh(&d->world, d->n, d->entities) + d->refused;
}

static void ender_close(void *side) {
    ender *d = side;
    limit_world_free(&d->world);
    free(d->entities);
    free(d->queue);
    free(d);
}

const bench_side limit_side_deferred_destroy = {ender_open, ender_before, ender_run, ender_after,
                                                ender_close};

/* The limits of saving and loading a world: its bytes are copied to one block, and back.
 *
 * A world of arrays: the generations of slots, the handles of rows, positions and velocities. One
 * memcpy for each, with no checksum and no schema. All memory is there beforehand. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>
#include <string.h>

typedef struct arrays {
    uint32_t *generations;
    limit_entity *entities;
    Position *positions;
    Velocity *velocities;
    uint8_t *block;
    size_t n;
} arrays;

LIMIT_JOB static void arrays_save(const arrays *a) {
    uint8_t *to = a->block;
    memcpy(to, a->generations, a->n * sizeof *a->generations);
    to += a->n * sizeof *a->generations;
    memcpy(to, a->entities, a->n * sizeof *a->entities);
    to += a->n * sizeof *a->entities;
    memcpy(to, a->positions, a->n * sizeof *a->positions);
    to += a->n * sizeof *a->positions;
    memcpy(to, a->velocities, a->n * sizeof *a->velocities);
}

LIMIT_JOB static void arrays_load(arrays *a) {
    const uint8_t *from = a->block;
    memcpy(a->generations, from, a->n * sizeof *a->generations);
    from += a->n * sizeof *a->generations;
    memcpy(a->entities, from, a->n * sizeof *a->entities);
    from += a->n * sizeof *a->entities;
    memcpy(a->positions, from, a->n * sizeof *a->positions);
    from += a->n * sizeof *a->positions;
    memcpy(a->velocities, from, a->n * sizeof *a->velocities);
}

static void arrays_clear(arrays *a) {
    memset(a->generations, 0, a->n * sizeof *a->generations);
    memset(a->entities, 0, a->n * sizeof *a->entities);
    memset(a->positions, 0, a->n * sizeof *a->positions);
    memset(a->velocities, 0, a->n * sizeof *a->velocities);
}

static void *arrays_open(bench_size size) {
    arrays *a = bench_alloc(1, sizeof *a);
    a->n = (size_t)size.n;
    a->generations = bench_alloc(a->n, sizeof *a->generations);
    a->entities = bench_alloc(a->n, sizeof *a->entities);
    a->positions = bench_alloc(a->n, sizeof *a->positions);
    a->velocities = bench_alloc(a->n, sizeof *a->velocities);
    a->block = bench_alloc(a->n, sizeof *a->generations + sizeof *a->entities +
                                     sizeof *a->positions + sizeof *a->velocities);
    for (int32_t i = 0; i < size.n; i++) {
        a->generations[i] = 1;
        a->entities[i] = (limit_entity){(uint32_t)i, 1};
        a->positions[i] = data_position(i);
        a->velocities[i] = data_velocity(i);
    }
    arrays_save(a);
    return a;
}

static void arrays_before_save(void *side) {
    arrays *a = side;
    memset(a->block, 0, a->n);
}

static void arrays_before_load(void *side) {
    arrays_clear(side);
}

static void arrays_run_save(void *side) {
    arrays_save(side);
}

static void arrays_run_load(void *side) {
    arrays_load(side);
}

static double arrays_weigh(const arrays *a) {
    double sum = 0;
    for (size_t i = 0; i < a->n; i++) {
        sum += data_weigh((int32_t)i, a->positions[i]);
        sum += (double)a->velocities[i].y + (double)a->entities[i].generation;
    }
    return sum;
}

/* What was saved is loaded, so that both jobs come to the same. */
static double arrays_after_save(void *side) {
    arrays_clear(side);
    arrays_load(side);
    return arrays_weigh(side);
}

static double arrays_after_load(void *side) {
    return arrays_weigh(side);
}

static void arrays_close(void *side) {
    arrays *a = side;
    free(a->generations);
    free(a->entities);
    free(a->positions);
    free(a->velocities);
    free(a->block);
    free(a);
}

const bench_side limit_side_snapshot_save = {arrays_open, arrays_before_save, arrays_run_save,
                                             arrays_after_save, arrays_close};
const bench_side limit_side_snapshot_load = {arrays_open, arrays_before_load, arrays_run_load,
                                             arrays_after_load, arrays_close};

/* stoa's side of sorting entities by a number they have: by a function, and by its key. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

typedef struct sorting {
    stoa_world *world;
    stoa_query *query;
    stoa_entity *entities;
    bench_size size;
    uint64_t seed;
} sorting;

static void *sorting_open(bench_size size) {
    sorting *s = bench_alloc(1, sizeof *s);
    *s = (sorting){.size = size, .world = bench_world_new(), .seed = DATA_SORT_SEED};
    s->entities = bench_alloc((size_t)size.n, sizeof *s->entities);
    bench_world_create(s->world, size.n, s->entities);
    s->query = stoa_query_new(
        s->world, &(stoa_query_desc){.terms = {STOA_WRITE(Position), STOA_READ(Velocity)}});
    if (s->query == NULL) {
        bench_fail(stoa_last_error().message);
    }
    return s;
}

/* Gives each row another depth, whatever its entity. */
static void sorting_before(void *side) {
    sorting *s = side;
    for (stoa_iter it = stoa_query_iter(s->query); stoa_iter_next(&it);) {
        data_sort_mix(stoa_field_mut(&it, Position, 0), it.count, &s->seed);
    }
}

static void sorting_run_function(void *side) {
    sorting *s = side;
    if (stoa_sort(s->world, Position, data_sort_compare, NULL) != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
}

static void sorting_run_key(void *side) {
    sorting *s = side;
    if (stoa_sort_key(s->world, Position, "z", STOA_ASCENDING) != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
}

static double sorting_after(void *side) {
    const sorting *s = side;
    double sum = bench_world_weigh(s->world, s->size.n, s->entities);
    int32_t row = 0;
    for (stoa_iter it = stoa_query_iter(s->query); stoa_iter_next(&it);) {
        const Position *positions = stoa_field(&it, Position, 0);
        const Velocity *velocities = stoa_field(&it, Velocity, 1);
        for (int32_t i = 0; i < it.count; i++, row++) {
            sum += data_sort_weigh(row, it.entities[i].index, positions[i], velocities[i]);
        }
    }
    return sum;
}

static void sorting_close(void *side) {
    sorting *s = side;
    stoa_world_free(s->world);
    free(s->entities);
    free(s);
}

const bench_side stoa_side_sort = {sorting_open, sorting_before, sorting_run_function,
                                   sorting_after, sorting_close};
const bench_side stoa_side_sort_key = {sorting_open, sorting_before, sorting_run_key, sorting_after,
                                       sorting_close};

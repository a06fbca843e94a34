/* stoa's side of looking an entity's component up by handle. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

typedef struct lookup {
    stoa_world *world;
    stoa_entity *entities; /* in random order */
    bench_size size;
    double sum;
} lookup;

static double positions_sum(const stoa_world *world, int32_t n, const stoa_entity *entities) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += (double)stoa_get(world, entities[i], Position)->x;
    }
    return sum;
}

static int32_t owners_count(const stoa_world *world, int32_t n, const stoa_entity *entities) {
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        count += stoa_has(world, entities[i], Velocity);
    }
    return count;
}

static void *lookup_open(bench_size size) {
    lookup *l = bench_alloc(1, sizeof *l);
    *l = (lookup){.size = size, .world = bench_world_new()};
    l->entities = bench_alloc((size_t)size.n, sizeof *l->entities);
    stoa_entity *made = bench_alloc((size_t)size.n, sizeof *made);
    bench_world_create(l->world, size.n, made);
    uint32_t *order = bench_order(size.n);
    for (int32_t i = 0; i < size.n; i++) {
        l->entities[i] = made[order[i]];
    }
    free(order);
    free(made);
    return l;
}

static void lookup_run_get(void *side) {
    lookup *l = side;
    l->sum = 0;
    for (int32_t pass = 0; pass < l->size.passes; pass++) {
        l->sum += positions_sum(l->world, l->size.n, l->entities);
    }
}

static void lookup_run_has(void *side) {
    lookup *l = side;
    l->sum = 0;
    for (int32_t pass = 0; pass < l->size.passes; pass++) {
        l->sum += owners_count(l->world, l->size.n, l->entities);
    }
}

static double lookup_after(void *side) {
    return ((const lookup *)side)->sum;
}

static void lookup_close(void *side) {
    lookup *l = side;
    stoa_world_free(l->world);
    free(l->entities);
    free(l);
}

const bench_side stoa_side_get_rand = {lookup_open, NULL, lookup_run_get, lookup_after,
                                       lookup_close};
const bench_side stoa_side_has_rand = {lookup_open, NULL, lookup_run_has, lookup_after,
                                       lookup_close};

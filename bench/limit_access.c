/* The limits of looking an entity's component up by handle. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>

typedef struct lookup {
    limit_world world;
    limit_entity *entities; /* in random order */
    uint64_t *masks;        /* of each table, one bit per component */
    bench_size size;
    double sum;
} lookup;

enum { COMPONENT_POSITION, COMPONENT_VELOCITY };

LIMIT_JOB static double positions_sum(const limit_world *world, int32_t n,
                                      const limit_entity *restrict entities) {
    const limit_record *records = world->index.records;
    const Position *positions = world->table.positions;
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        uint64_t handle = limit_bits(&entities[i]);
        uint64_t record = limit_bits(&records[(uint32_t)handle]);
        if ((uint32_t)record == handle >> 32) {
            sum += (double)positions[record >> 32].x;
        }
    }
    return sum;
}

LIMIT_JOB static int32_t owners_count(const limit_index *index, const uint64_t *restrict masks,
                                      uint32_t component, int32_t n,
                                      const limit_entity *restrict entities) {
    const limit_record *records = index->records;
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        uint64_t handle = limit_bits(&entities[i]);
        uint64_t record = limit_bits(&records[(uint32_t)handle]);
        uint64_t has = masks[record >> (32 + LIMIT_ROW_BITS)] >> component & 1;
        count += (int32_t)((uint32_t)record == handle >> 32 && has != 0);
    }
    return count;
}

static void *lookup_open(bench_size size) {
    lookup *l = bench_alloc(1, sizeof *l);
    *l = (lookup){.size = size, .world = limit_world_new(size.n)};
    limit_entity *made = bench_alloc((size_t)size.n, sizeof *made);
    limit_world_create(&l->world, size.n, made);
    uint32_t *order = bench_order(size.n);
    l->entities = bench_alloc((size_t)size.n, sizeof *l->entities);
    for (int32_t i = 0; i < size.n; i++) {
        l->entities[i] = made[order[i]];
    }
    free(order);
    free(made);
    l->masks = bench_alloc(16, sizeof *l->masks);
    l->masks[0] = 1u << COMPONENT_POSITION | 1u << COMPONENT_VELOCITY;
    return l;
}

static void lookup_run_get(void *side) {
    lookup *l = side;
    l->sum = 0;
    for (int32_t pass = 0; pass < l->size.passes; pass++) {
        l->sum += positions_sum(&l->world, l->size.n, l->entities);
    }
}

static void lookup_run_has(void *side) {
    lookup *l = side;
    l->sum = 0;
    for (int32_t pass = 0; pass < l->size.passes; pass++) {
        l->sum +=
            owners_count(&l->world.index, l->masks, COMPONENT_VELOCITY, l->size.n, l->entities);
    }
}

static double lookup_after(void *side) {
    return ((const lookup *)side)->sum;
}

static void lookup_close(void *side) {
    lookup *l = side;
    limit_world_free(&l->world);
    free(l->entities);
    free(l->masks);
    free(l);
}

const bench_side limit_side_get_rand = {lookup_open, NULL, lookup_run_get, lookup_after,
                                        lookup_close};
const bench_side limit_side_has_rand = {lookup_open, NULL, lookup_run_has, lookup_after,
                                        lookup_close};

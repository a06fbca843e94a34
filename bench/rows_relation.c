/* stoa's side of destroying trees by their roots: a relation whose sources die with their target.
 */
#include "components.h"
#include "sides.h"

#include "stoa/relation.h"

#include <stdlib.h>

STOA_COMPONENT_WITH(Under, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { stoa_entity target; });
STOA_COMPONENT_WITH(Over, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED), {
    const stoa_entity *items;
    int32_t count;
});

typedef struct forest {
    stoa_world *world;
    stoa_entity *entities;
    int32_t n;
    int32_t refused;
} forest;

static stoa_world *world_new(void) {
    stoa_world *world = bench_world_new();
    const stoa_relation_desc desc = {.type = STOA_TYPE_OF(Under),
                                     .reverse = STOA_TYPE_OF(Over),
                                     .policy = STOA_CASCADE,
                                     .acyclic = true};
    if (stoa_relation_new(world, &desc).id == 0) {
        bench_fail(stoa_last_error().message);
    }
    return world;
}

static void *forest_open(bench_size size) {
    forest *f = bench_alloc(1, sizeof *f);
    *f = (forest){.n = size.n, .world = world_new()};
    f->entities = bench_alloc((size_t)size.n, sizeof *f->entities);
    return f;
}

/* In a new world, as the limit has new slots. */
static void forest_before(void *side) {
    forest *f = side;
    stoa_world_free(f->world);
    f->world = world_new();
    for (int32_t i = 0; i < f->n; i++) {
        int32_t over = data_tree_over(i, f->n);
        Position p = data_position(i);
        Under under = {over >= 0 ? f->entities[over] : STOA_NULL};
        f->entities[i] = stoa_create_with(f->world, STOA_VALUE_FROM(Position, &p),
                                          STOA_VALUE_FROM(Under, &under));
    }
}

static void forest_run(void *side) {
    forest *f = side;
    f->refused = 0;
    for (int32_t i = 0; i < data_tree_roots(f->n); i++) {
        f->refused += stoa_destroy(f->world, f->entities[i]) != STOA_OK;
    }
}

static double forest_after(void *side) {
    const forest *f = side;
    double sum = f->refused;
    for (int32_t i = 0; i < f->n; i++) {
        sum += stoa_alive(f->world, f->entities[i]) ? 1 : 0;
    }
    return sum;
}

static void forest_close(void *side) {
    forest *f = side;
    stoa_world_free(f->world);
    free(f->entities);
    free(f);
}

const bench_side stoa_side_relation_cascade = {forest_open, forest_before, forest_run, forest_after,
                                               forest_close};

/* stoa's side of sparse components: adding and removing one, and walking it beside a column. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

STOA_COMPONENT_WITH(Push, STOA_OPTIONS(.flags = STOA_SPARSE), { float x, y, z; });

typedef struct sparse {
    stoa_world *world;
    stoa_query *query;
    stoa_entity *entities;
    bench_size size;
    int32_t refused;
} sparse;

static Push push_of(int32_t i) {
    Velocity v = data_velocity(i);
    return (Push){v.x, v.y, v.z};
}

static int32_t pushes_add(const sparse *s) {
    int32_t refused = 0;
    for (int32_t i = 0; i < s->size.n; i++) {
        Push value = push_of(i);
        refused += stoa_set_from(s->world, s->entities[i], Push, &value) != STOA_OK;
    }
    return refused;
}

static int32_t pushes_remove(const sparse *s) {
    int32_t refused = 0;
    for (int32_t i = 0; i < s->size.n; i++) {
        refused += stoa_remove(s->world, s->entities[i], Push) != STOA_OK;
    }
    return refused;
}

static void query_push(stoa_query *query) {
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        Position *positions = stoa_field_mut(&it, Position, 0);
        for (int32_t i = 0; i < it.count; i++) {
            const Push *value = stoa_field_at(&it, Push, 1, i);
            positions[i].x += value->x;
            positions[i].y += value->y;
            positions[i].z += value->z;
        }
    }
}

static sparse *sparse_new(bench_size size) {
    sparse *s = bench_alloc(1, sizeof *s);
    *s = (sparse){.size = size, .world = bench_world_new()};
    s->entities = bench_alloc((size_t)size.n, sizeof *s->entities);
    bench_world_place(s->world, size.n, s->entities);
    return s;
}

static void *sparse_open(bench_size size) {
    return sparse_new(size);
}

static void *sparse_open_share(bench_size size, int32_t percent) {
    sparse *s = sparse_new(size);
    uint8_t *chosen = data_share(size.n, percent);
    for (int32_t i = 0; i < size.n; i++) {
        if (chosen[i] != 0) {
            Push value = push_of(i);
            (void)stoa_set_from(s->world, s->entities[i], Push, &value);
        }
    }
    free(chosen);
    s->query = stoa_query_new(s->world,
                              &(stoa_query_desc){.terms = {STOA_WRITE(Position), STOA_READ(Push)}});
    if (s->query == NULL) {
        bench_fail(stoa_last_error().message);
    }
    return s;
}

static void *sparse_open_1(bench_size size) {
    return sparse_open_share(size, 1);
}

static void *sparse_open_10(bench_size size) {
    return sparse_open_share(size, 10);
}

static void *sparse_open_100(bench_size size) {
    return sparse_open_share(size, 100);
}

static void sparse_run_change(void *side) {
    sparse *s = side;
    s->refused = 0;
    for (int32_t pass = 0; pass < s->size.passes; pass++) {
        s->refused += pushes_add(s) + pushes_remove(s);
    }
}

static void sparse_run_walk(void *side) {
    const sparse *s = side;
    for (int32_t pass = 0; pass < s->size.passes; pass++) {
        query_push(s->query);
    }
}

/* Weighs what an addition leaves, and counts what the removal after it leaves. */
static double sparse_after_change(void *side) {
    const sparse *s = side;
    double sum = s->refused;
    sum += pushes_add(s);
    for (int32_t i = 0; i < s->size.n; i++) {
        const Push *value = stoa_get(s->world, s->entities[i], Push);
        sum += data_weigh(i, (Position){value->x, value->y, value->z});
    }
    sum += pushes_remove(s);
    for (int32_t i = 0; i < s->size.n; i++) {
        sum += stoa_has(s->world, s->entities[i], Push);
    }
    return sum;
}

static double sparse_after_walk(void *side) {
    const sparse *s = side;
    return bench_world_weigh(s->world, s->size.n, s->entities);
}

static void sparse_close(void *side) {
    sparse *s = side;
    stoa_world_free(s->world);
    free(s->entities);
    free(s);
}

const bench_side stoa_side_add_remove_sparse = {sparse_open, NULL, sparse_run_change,
                                                sparse_after_change, sparse_close};
const bench_side stoa_side_sparse_iter_1 = {sparse_open_1, NULL, sparse_run_walk, sparse_after_walk,
                                            sparse_close};
const bench_side stoa_side_sparse_iter_10 = {sparse_open_10, NULL, sparse_run_walk,
                                             sparse_after_walk, sparse_close};
const bench_side stoa_side_sparse_iter_100 = {sparse_open_100, NULL, sparse_run_walk,
                                              sparse_after_walk, sparse_close};

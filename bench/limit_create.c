/* The limits of creating and destroying entities. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>

/* Entities without components. The free slots are a stack of their own: a list through the records
 * makes each take wait for the one before it, 2.0 ns against 1.1. Where rows are written too that
 * wait is hidden, and the list is no slower. */
typedef struct pool {
    limit_record *records;
    uint32_t *free;
    limit_entity *entities;
    int32_t n;
    uint32_t count; /* slots ever used, slot 0 included */
    uint32_t free_count;
} pool;

LIMIT_JOB static void pool_create(pool *from, int32_t n, limit_entity *restrict entities) {
    pool local = *from;
    for (int32_t i = 0; i < n; i++) {
        uint32_t slot = local.free_count > 0 ? local.free[--local.free_count] : local.count++;
        uint32_t generation = local.records[slot].generation + 1;
        local.records[slot] = (limit_record){generation, 0};
        entities[i] = (limit_entity){slot, generation};
    }
    from->count = local.count;
    from->free_count = local.free_count;
}

static void *pool_open(bench_size size) {
    pool *made = bench_alloc(1, sizeof *made);
    size_t n = (size_t)size.n;
    *made = (pool){.n = size.n, .count = 1};
    made->records = bench_alloc(n + 1, sizeof *made->records);
    made->free = bench_alloc(n, sizeof *made->free);
    made->entities = bench_alloc(n, sizeof *made->entities);
    pool_create(made, made->n, made->entities);
    return made;
}

/* Last made, first ended: the next take finds the slots in order. */
static void pool_before(void *side) {
    pool *p = side;
    for (int32_t i = p->n - 1; i >= 0; i--) {
        limit_entity e = p->entities[i];
        p->records[e.index].generation = e.generation + 1;
        p->free[p->free_count++] = e.index;
    }
}

static void pool_run(void *side) {
    pool *p = side;
    pool_create(p, p->n, p->entities);
}

static double pool_after(void *side) {
    const pool *p = side;
    double sum = 0;
    for (int32_t i = 0; i < p->n; i++) {
        limit_entity e = p->entities[i];
        sum += p->records[e.index].generation == e.generation ? (double)e.index : 0;
    }
    return sum;
}

static void pool_close(void *side) {
    pool *p = side;
    free(p->records);
    free(p->free);
    free(p->entities);
    free(p);
}

const bench_side limit_side_create_empty = {pool_open, pool_before, pool_run, pool_after,
                                            pool_close};

/* Entities with position and velocity. */
typedef struct crowd {
    limit_world world;
    limit_entity *entities;
    limit_entity *victims; /* in the order they are to be ended */
    data_crowd data;
    int32_t n;
    int32_t refused;
} crowd;

/* One loop over everything: the wait for the free list hides behind the copies, 2.7 ns against 3.9
 * with memcpy. */
LIMIT_JOB static void crowd_create_bulk(limit_world *world, int32_t n,
                                        limit_entity *restrict entities,
                                        const Position *restrict positions,
                                        const Velocity *restrict velocities) {
    limit_index index = world->index;
    limit_table table = world->table;
    for (int32_t i = 0; i < n; i++) {
        uint32_t row = table.count++;
        entities[i] = limit_index_take(&index, row);
        table.entities[row] = entities[i].index;
        table.positions[row] = positions[i];
        table.velocities[row] = velocities[i];
    }
    world->index = index;
    world->table = table;
}

static crowd *crowd_new(bench_size size) {
    crowd *c = bench_alloc(1, sizeof *c);
    *c = (crowd){.n = size.n};
    c->entities = bench_alloc((size_t)size.n, sizeof *c->entities);
    c->victims = bench_alloc((size_t)size.n, sizeof *c->victims);
    c->data = data_crowd_new(size.n);
    return c;
}

static void *crowd_open(bench_size size) {
    return crowd_new(size);
}

static void *crowd_open_full(bench_size size) {
    crowd *c = crowd_new(size);
    c->world = limit_world_new(size.n);
    limit_world_create(&c->world, c->n, c->entities);
    return c;
}

static void crowd_empty(void *side) {
    crowd *c = side;
    for (int32_t i = 0; i < c->n; i++) {
        c->victims[i] = c->entities[c->n - 1 - i];
    }
    (void)limit_world_destroy(&c->world, c->n, c->victims);
}

static void crowd_renew(void *side) {
    crowd *c = side;
    c->world = limit_world_new(c->n);
}

static void crowd_renew_fwd(void *side) {
    crowd *c = side;
    crowd_renew(c);
    limit_world_create(&c->world, c->n, c->entities);
    for (int32_t i = 0; i < c->n; i++) {
        c->victims[i] = c->entities[i];
    }
}

static void crowd_renew_rand(void *side) {
    crowd *c = side;
    crowd_renew(c);
    limit_world_create(&c->world, c->n, c->entities);
    for (int32_t i = 0; i < c->n; i++) {
        c->victims[i] = c->entities[c->data.order[i]];
    }
}

static void crowd_run_create(void *side) {
    crowd *c = side;
    limit_world_create(&c->world, c->n, c->entities);
}

static void crowd_run_bulk(void *side) {
    crowd *c = side;
    crowd_create_bulk(&c->world, c->n, c->entities, c->data.positions, c->data.velocities);
}

static void crowd_run_destroy(void *side) {
    crowd *c = side;
    c->refused = limit_world_destroy(&c->world, c->n, c->victims);
}

static void crowd_run_destroy_list(void *side) {
    crowd *c = side;
    c->refused = limit_world_destroy_list(&c->world, c->n, c->victims);
}

static double crowd_weigh(void *side) {
    const crowd *c = side;
    return limit_world_weigh(&c->world, c->n, c->entities);
}

static double crowd_weigh_and_free(void *side) {
    crowd *c = side;
    double sum = crowd_weigh(c) + c->refused;
    limit_world_free(&c->world);
    return sum;
}

static void crowd_close(void *side) {
    crowd *c = side;
    free(c->entities);
    free(c->victims);
    data_crowd_free(&c->data);
    free(c);
}

static void crowd_close_full(void *side) {
    limit_world_free(&((crowd *)side)->world);
    crowd_close(side);
}

const bench_side limit_side_create_pv = {crowd_open_full, crowd_empty, crowd_run_create,
                                         crowd_weigh, crowd_close_full};
const bench_side limit_side_create_pv_cold = {crowd_open, crowd_renew, crowd_run_create,
                                              crowd_weigh_and_free, crowd_close};
const bench_side limit_side_create_pv_bulk = {crowd_open_full, crowd_empty, crowd_run_bulk,
                                              crowd_weigh, crowd_close_full};
const bench_side limit_side_create_pv_bulk_cold = {crowd_open, crowd_renew, crowd_run_bulk,
                                                   crowd_weigh_and_free, crowd_close};
const bench_side limit_side_destroy_fwd = {crowd_open, crowd_renew_fwd, crowd_run_destroy,
                                           crowd_weigh_and_free, crowd_close};
const bench_side limit_side_destroy_bulk_rand = {
    crowd_open, crowd_renew_rand, crowd_run_destroy_list, crowd_weigh_and_free, crowd_close};
const bench_side limit_side_destroy_bulk = {crowd_open, crowd_renew_fwd, crowd_run_destroy,
                                            crowd_weigh_and_free, crowd_close};
const bench_side limit_side_destroy_rand = {crowd_open, crowd_renew_rand, crowd_run_destroy,
                                            crowd_weigh_and_free, crowd_close};

double limit_memory(int32_t n) {
    (void)n;
    return (double)(sizeof(limit_record) + sizeof(uint32_t) + sizeof(Position) + sizeof(Velocity));
}

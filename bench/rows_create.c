/* stoa's side of creating and destroying entities, and of what they cost in memory. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

stoa_world *bench_world_new(void) {
    stoa_world *world = stoa_world_new(NULL);
    if (world == NULL) {
        bench_fail(stoa_last_error().message);
    }
    return world;
}

void bench_world_create(stoa_world *world, int32_t n, stoa_entity *entities) {
    for (int32_t i = 0; i < n; i++) {
        Position p = data_position(i);
        Velocity v = data_velocity(i);
        entities[i] =
            stoa_create_with(world, STOA_VALUE_FROM(Position, &p), STOA_VALUE_FROM(Velocity, &v));
    }
}

void bench_world_place(stoa_world *world, int32_t n, stoa_entity *entities) {
    for (int32_t i = 0; i < n; i++) {
        Position p = data_position(i);
        entities[i] = stoa_create_with(world, STOA_VALUE_FROM(Position, &p));
    }
}

double bench_world_weigh(stoa_world *world, int32_t n, const stoa_entity *entities) {
    double sum = stoa_count(world);
    for (int32_t i = 0; i < n; i++) {
        stoa_with(world, entities[i], Position, p) {
            sum += data_weigh(i, *p);
        }
    }
    return sum;
}

double bench_world_weigh_both(stoa_world *world, int32_t n, const stoa_entity *entities) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        stoa_with(world, entities[i], Position, p) {
            sum += data_weigh(i, *p);
            stoa_with(world, entities[i], Velocity, v) {
                sum += 1 + data_weigh(i, (Position){v->x, v->y, v->z});
            }
        }
    }
    return sum;
}

typedef struct crowd {
    stoa_world *world;
    stoa_entity *entities;
    stoa_entity *victims; /* in the order they are to be ended */
    data_crowd data;
    int32_t n;
    int32_t refused;
} crowd;

/* As in the limits, loops work on what is in registers. */
static void world_create_empty(stoa_world *world, int32_t n, stoa_entity *entities) {
    for (int32_t i = 0; i < n; i++) {
        entities[i] = stoa_create(world);
    }
}

static int32_t world_destroy(stoa_world *world, int32_t n, const stoa_entity *entities) {
    int32_t refused = 0;
    for (int32_t i = 0; i < n; i++) {
        refused += stoa_destroy(world, entities[i]) != STOA_OK;
    }
    return refused;
}

static void crowd_destroy_bulk(void *side) {
    crowd *c = side;
    int32_t done = 0;
    c->refused = stoa_destroy_bulk(c->world, c->n, c->victims, &done) != STOA_OK;
    c->refused += c->n - done;
}

static void crowd_create_empty(void *side) {
    crowd *c = side;
    world_create_empty(c->world, c->n, c->entities);
}

static void crowd_create(void *side) {
    crowd *c = side;
    bench_world_create(c->world, c->n, c->entities);
}

static void crowd_create_bulk(void *side) {
    crowd *c = side;
    (void)stoa_create_bulk(c->world, c->n, c->entities, STOA_COLUMN(Position, c->data.positions),
                           STOA_COLUMN(Velocity, c->data.velocities));
}

static void crowd_destroy(void *side) {
    crowd *c = side;
    c->refused = world_destroy(c->world, c->n, c->victims);
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

static void *crowd_open_empty(bench_size size) {
    crowd *c = crowd_new(size);
    c->world = bench_world_new();
    crowd_create_empty(c);
    return c;
}

static void *crowd_open_full(bench_size size) {
    crowd *c = crowd_new(size);
    c->world = bench_world_new();
    crowd_create(c);
    return c;
}

/* Last made, first ended, as the limit does. */
static void crowd_empty(void *side) {
    crowd *c = side;
    for (int32_t i = 0; i < c->n; i++) {
        c->victims[i] = c->entities[c->n - 1 - i];
    }
    crowd_destroy(c);
}

static void crowd_renew(void *side) {
    ((crowd *)side)->world = bench_world_new();
}

static void crowd_renew_fwd(void *side) {
    crowd *c = side;
    crowd_renew(c);
    crowd_create(c);
    for (int32_t i = 0; i < c->n; i++) {
        c->victims[i] = c->entities[i];
    }
}

static void crowd_renew_rand(void *side) {
    crowd *c = side;
    crowd_renew(c);
    crowd_create(c);
    for (int32_t i = 0; i < c->n; i++) {
        c->victims[i] = c->entities[c->data.order[i]];
    }
}

static double crowd_sum_slots(void *side) {
    const crowd *c = side;
    double sum = 0;
    for (int32_t i = 0; i < c->n; i++) {
        sum += stoa_alive(c->world, c->entities[i]) ? (double)c->entities[i].index : 0;
    }
    return sum;
}

static double crowd_weigh(void *side) {
    const crowd *c = side;
    return bench_world_weigh(c->world, c->n, c->entities) + c->refused;
}

static double crowd_weigh_and_free(void *side) {
    crowd *c = side;
    double sum = crowd_weigh(c);
    stoa_world_free(c->world);
    c->world = NULL;
    return sum;
}

static void crowd_close(void *side) {
    crowd *c = side;
    stoa_world_free(c->world);
    free(c->entities);
    free(c->victims);
    data_crowd_free(&c->data);
    free(c);
}

const bench_side stoa_side_create_empty = {crowd_open_empty, crowd_empty, crowd_create_empty,
                                           crowd_sum_slots, crowd_close};
const bench_side stoa_side_create_pv = {crowd_open_full, crowd_empty, crowd_create, crowd_weigh,
                                        crowd_close};
const bench_side stoa_side_create_pv_cold = {crowd_open, crowd_renew, crowd_create,
                                             crowd_weigh_and_free, crowd_close};
const bench_side stoa_side_create_pv_bulk = {crowd_open_full, crowd_empty, crowd_create_bulk,
                                             crowd_weigh, crowd_close};
const bench_side stoa_side_create_pv_bulk_cold = {crowd_open, crowd_renew, crowd_create_bulk,
                                                  crowd_weigh_and_free, crowd_close};
const bench_side stoa_side_destroy_fwd = {crowd_open, crowd_renew_fwd, crowd_destroy,
                                          crowd_weigh_and_free, crowd_close};
const bench_side stoa_side_destroy_bulk_rand = {crowd_open, crowd_renew_rand, crowd_destroy_bulk,
                                                crowd_weigh_and_free, crowd_close};
const bench_side stoa_side_destroy_bulk = {crowd_open, crowd_renew_fwd, crowd_destroy_bulk,
                                           crowd_weigh_and_free, crowd_close};
const bench_side stoa_side_destroy_rand = {crowd_open, crowd_renew_rand, crowd_destroy,
                                           crowd_weigh_and_free, crowd_close};

/* The default allocator, with the bytes counted that it has given out. */
typedef struct meter {
    stoa_allocator base;
    size_t bytes;
} meter;

static void *meter_alloc(size_t size, size_t alignment, void *user) {
    meter *m = user;
    void *block = m->base.alloc(size, alignment, m->base.user);
    m->bytes += block != NULL ? size : 0;
    return block;
}

static void meter_free(void *block, size_t size, size_t alignment, void *user) {
    meter *m = user;
    m->bytes -= block != NULL ? size : 0;
    m->base.free(block, size, alignment, m->base.user);
}

static void *meter_resize(void *block, size_t old_size, size_t size, size_t alignment, void *user) {
    meter *m = user;
    if (m->base.resize == NULL) {
        return NULL;
    }
    void *grown = m->base.resize(block, old_size, size, alignment, m->base.user);
    m->bytes += grown != NULL ? size - old_size : 0;
    return grown;
}

double stoa_memory(int32_t n) {
    meter m = {.base = stoa_allocator_default()};
    stoa_allocator counting = {meter_alloc, meter_free, meter_resize, &m, NULL};
    crowd *c = crowd_new((bench_size){n, 1});
    c->world = stoa_world_new(&(stoa_world_desc){.allocator = &counting});
    if (c->world == NULL) {
        bench_fail(stoa_last_error().message);
    }
    crowd_create(c);
    double bytes = (double)m.bytes;
    if (stoa_count(c->world) != n) {
        bench_fail("memory: not every entity was made");
    }
    crowd_close(c);
    return bytes / n;
}

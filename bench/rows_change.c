/* stoa's side of adding a component and taking it away. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

#define BLOCKS(x) x(Block0) x(Block1) x(Block2) x(Block3) x(Block4) x(Block5) x(Block6) x(Block7)
#define DECLARE_BLOCK(name) STOA_COMPONENT(name, { float x, y, z, w; });
#define LIST(name) STOA_TYPE_OF(name),

BLOCKS(DECLARE_BLOCK)

#define BLOCK_COLUMNS 8

static stoa_type *const blocks[BLOCK_COLUMNS] = {BLOCKS(LIST)};

typedef struct change {
    stoa_world *world;
    stoa_entity *entities;
    bench_size size;
    int32_t columns; /* of blocks beside the position */
    int32_t refused;
} change;

static void *change_new(bench_size size, int32_t columns) {
    change *c = bench_alloc(1, sizeof *c);
    *c = (change){.size = size, .columns = columns, .world = bench_world_new()};
    c->entities = bench_alloc((size_t)size.n, sizeof *c->entities);
    for (int32_t i = 0; i < size.n; i++) {
        Position p = data_position(i);
        Block values[BLOCK_COLUMNS];
        stoa_value bundle[1 + BLOCK_COLUMNS] = {STOA_VALUE_FROM(Position, &p)};
        for (int32_t k = 0; k < columns; k++) {
            values[k] = data_block(i, k);
            bundle[1 + k] = (stoa_value){.type = blocks[k], .data = &values[k]};
        }
        c->entities[i] = stoa_create_values(c->world, bundle, 1 + columns);
    }
    return c;
}

static void *change_open_narrow(bench_size size) {
    return change_new(size, 0);
}

static void *change_open_wide(bench_size size) {
    return change_new(size, BLOCK_COLUMNS);
}

static int32_t velocities_add(const change *c) {
    stoa_world *world = c->world;
    const stoa_entity *entities = c->entities;
    int32_t n = c->size.n, refused = 0;
    for (int32_t i = 0; i < n; i++) {
        Velocity v = data_velocity(i);
        refused += stoa_set(world, entities[i], Velocity, {v.x, v.y, v.z}) != STOA_OK;
    }
    return refused;
}

static int32_t velocities_remove(const change *c) {
    stoa_world *world = c->world;
    const stoa_entity *entities = c->entities;
    int32_t n = c->size.n, refused = 0;
    for (int32_t i = 0; i < n; i++) {
        refused += stoa_remove(world, entities[i], Velocity) != STOA_OK;
    }
    return refused;
}

static void change_run(void *side) {
    change *c = side;
    c->refused = 0;
    for (int32_t pass = 0; pass < c->size.passes; pass++) {
        c->refused += velocities_add(c) + velocities_remove(c);
    }
}

static double blocks_weigh(const change *c, int32_t i) {
    double sum = 0;
    for (int32_t k = 0; k < c->columns; k++) {
        stoa_component id = stoa_type_find(c->world, blocks[k]);
        const Block *b = stoa_get_id(c->world, c->entities[i], id);
        sum += (double)k * data_weigh(i, (Position){b->x, b->y, b->z + b->w});
    }
    return sum;
}

/* Weighs what an addition leaves, and what the removal after it leaves. */
static double change_after(void *side) {
    change *c = side;
    double sum = c->refused;
    sum += velocities_add(c);
    for (int32_t i = 0; i < c->size.n; i++) {
        const Velocity *v = stoa_get(c->world, c->entities[i], Velocity);
        sum += data_weigh(i, (Position){v->x, v->y, v->z});
    }
    sum += velocities_remove(c);
    for (int32_t i = 0; i < c->size.n; i++) {
        sum += data_weigh(i, *stoa_get(c->world, c->entities[i], Position));
        sum += blocks_weigh(c, i);
    }
    return sum;
}

static void change_close(void *side) {
    change *c = side;
    stoa_world_free(c->world);
    free(c->entities);
    free(c);
}

const bench_side stoa_side_add_remove = {change_open_narrow, NULL, change_run, change_after,
                                         change_close};
const bench_side stoa_side_add_remove_wide = {change_open_wide, NULL, change_run, change_after,
                                              change_close};

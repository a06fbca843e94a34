/* The components of stoa's sides. */
#ifndef BENCH_COMPONENTS_H
#define BENCH_COMPONENTS_H

#include "bench.h"
#include "data.h"
#include "stoa.h"

STOA_TYPE(Position, { float x, y, z; });
STOA_TYPE(Velocity, { float x, y, z; });

/* A world on the default allocator. */
stoa_world *bench_world_new(void);

/* An app on so many threads, with a world of its own on the default allocator. */
stoa_app *bench_app_new(int32_t threads);

/* One frame. */
void bench_app_step(stoa_app *app);

/* Makes n entities one by one, entity i with the values of number i. */
void bench_world_create(stoa_world *world, int32_t n, stoa_entity *entities);

/* Makes n entities one by one, entity i with the position of number i and nothing else. */
void bench_world_place(stoa_world *world, int32_t n, stoa_entity *entities);

/* Weighs all positions, entity by entity, and counts the rows: what the limit's twin does. */
double bench_world_weigh(stoa_world *world, int32_t n, const stoa_entity *entities);

/* Weighs all positions and velocities, entity by entity, and counts the entities with both. */
double bench_world_weigh_both(stoa_world *world, int32_t n, const stoa_entity *entities);

#endif

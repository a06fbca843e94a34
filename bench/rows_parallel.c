/* stoa's side of work on two threads, and the same app on one. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

typedef struct crew {
    stoa_app *app;
    stoa_entity *entities;
    bench_size size;
} crew;

static crew *crew_new(bench_size size, int32_t threads) {
    crew *c = bench_alloc(1, sizeof *c);
    *c = (crew){.size = size, .app = bench_app_new(threads)};
    c->entities = bench_alloc((size_t)size.n, sizeof *c->entities);
    return c;
}

static void system_check(stoa_system system) {
    if (system.id == 0) {
        bench_fail(stoa_last_error().message);
    }
}

static void crew_run(void *side) {
    const crew *c = side;
    for (int32_t pass = 0; pass < c->size.passes; pass++) {
        bench_app_step(c->app);
    }
}

static void crew_close(void *side) {
    crew *c = side;
    (void)stoa_app_free(c->app);
    free(c->entities);
    free(c);
}

STOA_SYSTEM(grind, .terms = {STOA_WRITE(Position), STOA_READ(Velocity)}) {
    data_grind(stoa_field_mut(it, Position, 0), stoa_field(it, Velocity, 1), it->count);
    return STOA_OK;
}

STOA_SYSTEM(move, .terms = {STOA_WRITE(Position), STOA_READ(Velocity)}) {
    data_move_long(stoa_field_mut(it, Position, 0), stoa_field(it, Velocity, 1), it->count);
    return STOA_OK;
}

static void *crew_open_grind(bench_size size) {
    crew *c = crew_new(size, 2);
    bench_world_create(stoa_app_world(c->app), size.n, c->entities);
    system_check(stoa_system_add(c->app, grind, NULL));
    return c;
}

static void *crew_open_grind_1(bench_size size) {
    crew *c = crew_new(size, 1);
    bench_world_create(stoa_app_world(c->app), size.n, c->entities);
    system_check(stoa_system_add(c->app, grind, NULL));
    return c;
}

static void *crew_open_move(bench_size size) {
    crew *c = crew_new(size, 2);
    bench_world_create(stoa_app_world(c->app), size.n, c->entities);
    system_check(stoa_system_add(c->app, move, NULL));
    return c;
}

static double crew_after(void *side) {
    const crew *c = side;
    return bench_world_weigh(stoa_app_world(c->app), c->size.n, c->entities);
}

const bench_side stoa_side_parallel_2t = {crew_open_grind, NULL, crew_run, crew_after, crew_close};
const bench_side limit_side_parallel_speedup = {crew_open_grind_1, NULL, crew_run, crew_after,
                                                crew_close};
const bench_side stoa_side_parallel_speedup = {crew_open_grind, NULL, crew_run, crew_after,
                                               crew_close};
const bench_side stoa_side_parallel_light = {crew_open_move, NULL, crew_run, crew_after,
                                             crew_close};

/* A nest makes a child every eighth frame, and a child lives for eight: as many are born as die. */
#define CYCLE 8

STOA_COMPONENT(Nest, { int32_t left; });
STOA_COMPONENT(Child, {
    stoa_entity nest;
    int32_t left;
});

STOA_SYSTEM(spawn, .terms = {STOA_WRITE(Nest), STOA_READ(Position)}) {
    Nest *nests = stoa_field_mut(it, Nest, 0);
    const Position *positions = stoa_field(it, Position, 1);
    for (int32_t i = 0; i < it->count; i++) {
        if (--nests[i].left > 0) {
            continue;
        }
        nests[i].left = CYCLE;
        stoa_entity made =
            stoa_commands_create_with(job->commands, STOA_VALUE(Child, {it->entities[i], CYCLE}),
                                      STOA_VALUE_FROM(Position, &positions[i]));
        if (stoa_entity_is_null(made)) {
            return STOA_NO_MEMORY;
        }
    }
    return STOA_OK;
}

STOA_SYSTEM(perish, .terms = {STOA_WRITE(Child)}) {
    Child *children = stoa_field_mut(it, Child, 0);
    for (int32_t i = 0; i < it->count; i++) {
        if (--children[i].left == 0 &&
            stoa_commands_destroy(job->commands, it->entities[i]) != STOA_OK) {
            return STOA_NO_MEMORY;
        }
    }
    return STOA_OK;
}

static crew *nests_new(bench_size size, int32_t threads) {
    crew *c = crew_new(size, threads);
    for (int32_t i = 0; i < size.n; i++) {
        Position p = data_position(i);
        Nest nest = {1 + i % CYCLE};
        c->entities[i] = stoa_create_with(stoa_app_world(c->app), STOA_VALUE_FROM(Position, &p),
                                          STOA_VALUE_FROM(Nest, &nest));
    }
    system_check(stoa_system_add(c->app, spawn, NULL));
    system_check(stoa_system_add(c->app, perish, NULL));
    return c;
}

static void *nests_open(bench_size size) {
    return nests_new(size, 2);
}

static void *nests_open_1(bench_size size) {
    return nests_new(size, 1);
}

/* As much of the hash as a double holds. */
static double nests_after(void *side) {
    const crew *c = side;
    return (double)(stoa_hash(stoa_app_world(c->app)) >> 11);
}

const bench_side limit_side_parallel_spawn = {nests_open_1, NULL, crew_run, nests_after,
                                              crew_close};
const bench_side stoa_side_parallel_spawn = {nests_open, NULL, crew_run, nests_after, crew_close};

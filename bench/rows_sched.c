/* stoa's side of frames in which systems have little to do: what the app itself takes. */
#include "components.h"
#include "sides.h"

#include <stdio.h>
#include <stdlib.h>

stoa_app *bench_app_new(int32_t threads) {
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.threads = threads});
    if (app == NULL) {
        bench_fail(stoa_last_error().message);
    }
    return app;
}

void bench_app_step(stoa_app *app) {
    if (stoa_app_step(app, 1.0 / 64) != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
}

typedef struct calls {
    stoa_app *app;
    uint64_t *counters;
    bench_size size;
} calls;

static void system_new(stoa_app *app, const stoa_system_desc *desc) {
    if (stoa_system_new(app, desc).id == 0) {
        bench_fail(stoa_last_error().message);
    }
}

static stoa_status counter_count(stoa_job *job, stoa_iter *it) {
    (void)it;
    uint64_t *counter = job->user;
    ++*counter;
    return STOA_OK;
}

static calls *calls_new(bench_size size, int32_t threads) {
    calls *c = bench_alloc(1, sizeof *c);
    *c = (calls){.size = size, .app = bench_app_new(threads)};
    c->counters = bench_alloc((size_t)size.n, sizeof *c->counters);
    for (int32_t i = 0; i < size.n; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "count %d", (int)i);
        system_new(c->app, &(stoa_system_desc){
                               .name = name, .run = counter_count, .user = &c->counters[i]});
    }
    return c;
}

static void *calls_open(bench_size size) {
    return calls_new(size, 1);
}

static void *calls_open_2(bench_size size) {
    return calls_new(size, 2);
}

static void calls_run(void *side) {
    const calls *c = side;
    for (int32_t pass = 0; pass < c->size.passes; pass++) {
        bench_app_step(c->app);
    }
}

static double calls_after(void *side) {
    const calls *c = side;
    double sum = 0;
    for (int32_t i = 0; i < c->size.n; i++) {
        sum += (double)c->counters[i] * (i % 7 + 1);
    }
    return sum;
}

static void calls_close(void *side) {
    calls *c = side;
    (void)stoa_app_free(c->app);
    free(c->counters);
    free(c);
}

const bench_side stoa_side_sched_overhead = {calls_open, NULL, calls_run, calls_after, calls_close};
const bench_side stoa_side_sched_overhead_2t = {calls_open_2, NULL, calls_run, calls_after,
                                                calls_close};

/* Ten systems, or ten loops, of two kinds by turns. Each works on what the one before has written,
 * so no two are of one batch. */
#define SMALL_COUNT 10

typedef struct small {
    stoa_app *app;     /* NULL: loops without one */
    stoa_world *world; /* the app's, if there is one */
    stoa_query *move;
    stoa_query *slow;
    stoa_entity *entities;
    bench_size size;
} small;

static void chunk_move(stoa_iter *it) {
    data_move(stoa_field_mut(it, Position, 0), stoa_field(it, Velocity, 1), it->count);
}

static void chunk_slow(stoa_iter *it) {
    data_slow(stoa_field_mut(it, Velocity, 0), it->count);
}

static stoa_status small_move(stoa_job *job, stoa_iter *it) {
    (void)job;
    chunk_move(it);
    return STOA_OK;
}

static stoa_status small_slow(stoa_job *job, stoa_iter *it) {
    (void)job;
    chunk_slow(it);
    return STOA_OK;
}

static stoa_query *query_new(stoa_world *world, const stoa_query_desc *desc) {
    stoa_query *query = stoa_query_new(world, desc);
    if (query == NULL) {
        bench_fail(stoa_last_error().message);
    }
    return query;
}

static small *small_new(bench_size size, stoa_app *app, stoa_world *world) {
    small *s = bench_alloc(1, sizeof *s);
    *s = (small){.size = size, .app = app, .world = world};
    s->entities = bench_alloc((size_t)size.n, sizeof *s->entities);
    bench_world_create(world, size.n, s->entities);
    return s;
}

static void *small_open(bench_size size) {
    stoa_app *app = bench_app_new(1);
    for (int32_t i = 0; i < SMALL_COUNT; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s %d", i % 2 == 0 ? "move" : "slow", (int)i);
        if (i % 2 == 0) {
            system_new(app,
                       &(stoa_system_desc){.name = name,
                                           .each = small_move,
                                           .terms = {STOA_WRITE(Position), STOA_READ(Velocity)}});
        } else {
            system_new(app, &(stoa_system_desc){
                                .name = name, .each = small_slow, .terms = {STOA_WRITE(Velocity)}});
        }
    }
    return small_new(size, app, stoa_app_world(app));
}

static void *small_open_loops(bench_size size) {
    small *s = small_new(size, NULL, bench_world_new());
    s->move = query_new(s->world,
                        &(stoa_query_desc){.terms = {STOA_WRITE(Position), STOA_READ(Velocity)}});
    s->slow = query_new(s->world, &(stoa_query_desc){.terms = {STOA_WRITE(Velocity)}});
    return s;
}

static void small_run(void *side) {
    const small *s = side;
    for (int32_t pass = 0; pass < s->size.passes; pass++) {
        bench_app_step(s->app);
    }
}

static void small_run_loops(void *side) {
    const small *s = side;
    for (int32_t pass = 0; pass < s->size.passes; pass++) {
        for (int32_t i = 0; i < SMALL_COUNT; i += 2) {
            for (stoa_iter it = stoa_query_iter(s->move); stoa_iter_next(&it);) {
                chunk_move(&it);
            }
            for (stoa_iter it = stoa_query_iter(s->slow); stoa_iter_next(&it);) {
                chunk_slow(&it);
            }
        }
    }
}

static double small_after(void *side) {
    const small *s = side;
    return bench_world_weigh_both(s->world, s->size.n, s->entities);
}

static void small_close(void *side) {
    small *s = side;
    if (s->app != NULL) {
        (void)stoa_app_free(s->app);
    } else {
        stoa_world_free(s->world);
    }
    free(s->entities);
    free(s);
}

const bench_side limit_side_frame_small = {small_open_loops, NULL, small_run_loops, small_after,
                                           small_close};
const bench_side stoa_side_frame_small = {small_open, NULL, small_run, small_after, small_close};

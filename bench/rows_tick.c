/* stoa's side of change tracking, with ticks for each row. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

STOA_COMPONENT_WITH(Tracked, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { float x, y, z; });

typedef struct tracked {
    stoa_world *world;
    stoa_query *query;
    stoa_entity *made;   /* in order of creation, which is that of rows */
    stoa_entity *random; /* in random order */
    bench_size size;
    uint32_t since;
    int32_t turn;
    double sum;
} tracked;

static void values_write(stoa_world *world, const stoa_entity *entities, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        stoa_get_mut(world, entities[i], Tracked)->x += 1.0f;
    }
}

static double changed_sum(stoa_query *query, uint32_t since) {
    double sum = 0;
    for (stoa_iter it = stoa_query_iter_since(query, since); stoa_iter_next(&it);) {
        const Tracked *values = stoa_field(&it, Tracked, 1);
        for (int32_t i = 0; i < it.count; i++) {
            sum += (double)values[i].x;
        }
    }
    return sum;
}

static void *tracked_open(bench_size size) {
    tracked *t = bench_alloc(1, sizeof *t);
    *t = (tracked){.size = size, .world = bench_world_new()};
    t->made = bench_alloc((size_t)size.n, sizeof *t->made);
    t->random = bench_alloc((size_t)size.n, sizeof *t->random);
    uint32_t *order = bench_order(size.n);
    for (int32_t i = 0; i < size.n; i++) {
        Position p = data_position(i);
        Velocity v = data_velocity(i);
        t->made[i] = stoa_create_with(t->world, STOA_VALUE(Tracked, {p.x, p.y, p.z}),
                                      STOA_VALUE_FROM(Velocity, &v));
    }
    for (int32_t i = 0; i < size.n; i++) {
        t->random[i] = t->made[order[i]];
    }
    free(order);
    t->query = stoa_query_new(
        t->world, &(stoa_query_desc){.terms = {STOA_CHANGED(Tracked), STOA_READ(Tracked)}});
    if (t->query == NULL) {
        bench_fail(stoa_last_error().message);
    }
    return t;
}

/* The entities whose turn it is, each time others. */
static const stoa_entity *turn_take(tracked *t, const stoa_entity *entities) {
    int32_t turns = t->size.n / DATA_CHANGES;
    const stoa_entity *mine = entities + (size_t)(t->turn % turns) * DATA_CHANGES;
    t->turn++;
    t->since = stoa_tick(t->world);
    (void)stoa_tick_advance(t->world);
    return mine;
}

static void tracked_run_write(void *side) {
    tracked *t = side;
    for (int32_t pass = 0; pass < t->size.passes; pass++) {
        values_write(t->world, turn_take(t, t->random), DATA_CHANGES);
    }
}

static void tracked_before_scattered(void *side) {
    tracked *t = side;
    values_write(t->world, turn_take(t, t->random), DATA_CHANGES);
}

static void tracked_before_clustered(void *side) {
    tracked *t = side;
    values_write(t->world, turn_take(t, t->made), DATA_CHANGES);
}

static void tracked_run_find(void *side) {
    tracked *t = side;
    t->sum = changed_sum(t->query, t->since);
}

/* Weighs all values, and which of them the last pass wrote. */
static double tracked_after_write(void *side) {
    const tracked *t = side;
    double sum = stoa_count(t->world);
    for (int32_t i = 0; i < t->size.n; i++) {
        const Tracked *value = stoa_get(t->world, t->made[i], Tracked);
        sum += data_weigh(i, (Position){value->x, value->y, value->z});
    }
    for (int32_t i = 0; i < t->size.n; i++) {
        sum += stoa_changed(t->world, t->made[i], Tracked, t->since) ? i % 7 + 1 : 0;
    }
    return sum;
}

static double tracked_after_find(void *side) {
    return ((const tracked *)side)->sum;
}

static void tracked_close(void *side) {
    tracked *t = side;
    stoa_world_free(t->world);
    free(t->made);
    free(t->random);
    free(t);
}

const bench_side stoa_side_change_write = {tracked_open, NULL, tracked_run_write,
                                           tracked_after_write, tracked_close};
const bench_side stoa_side_change_find_scattered = {
    tracked_open, tracked_before_scattered, tracked_run_find, tracked_after_find, tracked_close};
const bench_side stoa_side_change_find_clustered = {
    tracked_open, tracked_before_clustered, tracked_run_find, tracked_after_find, tracked_close};

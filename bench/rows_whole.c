/* stoa's side of giving a component to everything that a query matches. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

STOA_COMPONENT(Extra, { float x, y, z; });
STOA_TAG(Marked);

typedef struct whole {
    stoa_world *world;
    stoa_query *query;
    stoa_query *extras;
    stoa_query *marks;
    stoa_entity *entities;
    int32_t n;
    int32_t refused;
} whole;

static stoa_query *query_new(stoa_world *world, const stoa_query_desc *desc) {
    stoa_query *query = stoa_query_new(world, desc);
    if (query == NULL) {
        bench_fail(stoa_last_error().message);
    }
    return query;
}

static void *whole_open(bench_size size) {
    whole *w = bench_alloc(1, sizeof *w);
    *w = (whole){.n = size.n, .world = bench_world_new()};
    w->entities = bench_alloc((size_t)size.n, sizeof *w->entities);
    bench_world_create(w->world, size.n, w->entities);
    w->query = query_new(
        w->world, &(stoa_query_desc){.terms = {STOA_FILTER(Position), STOA_FILTER(Velocity)}});
    w->extras = query_new(w->world, &(stoa_query_desc){.terms = {STOA_FILTER(Extra)}});
    w->marks = query_new(w->world, &(stoa_query_desc){.terms = {STOA_FILTER(Marked)}});
    return w;
}

static void whole_before_value(void *side) {
    whole *w = side;
    w->refused = stoa_query_remove(w->extras, Extra) != STOA_OK;
}

static void whole_before_tag(void *side) {
    whole *w = side;
    w->refused = stoa_query_remove(w->marks, Marked) != STOA_OK;
}

static void whole_run_value(void *side) {
    whole *w = side;
    Velocity v = data_velocity(DATA_WHOLE);
    w->refused += stoa_query_set(w->query, Extra, {v.x, v.y, v.z}) != STOA_OK;
}

static void whole_run_tag(void *side) {
    whole *w = side;
    w->refused += stoa_query_add(w->query, Marked) != STOA_OK;
}

static double whole_after_value(void *side) {
    const whole *w = side;
    double sum = stoa_query_count(w->extras) + w->refused;
    for (int32_t i = 0; i < w->n; i++) {
        const Extra *extra = stoa_get(w->world, w->entities[i], Extra);
        sum += data_weigh(i, *stoa_get(w->world, w->entities[i], Position));
        sum += data_weigh(i, (Position){extra->x, extra->y, extra->z});
    }
    return sum;
}

static double whole_after_tag(void *side) {
    const whole *w = side;
    double sum = w->refused;
    for (int32_t i = 0; i < w->n; i++) {
        sum += data_weigh(i, *stoa_get(w->world, w->entities[i], Position));
        sum += stoa_has(w->world, w->entities[i], Marked);
    }
    return sum;
}

static void whole_close(void *side) {
    whole *w = side;
    stoa_world_free(w->world);
    free(w->entities);
    free(w);
}

const bench_side stoa_side_query_add = {whole_open, whole_before_value, whole_run_value,
                                        whole_after_value, whole_close};
const bench_side stoa_side_query_add_tag = {whole_open, whole_before_tag, whole_run_tag,
                                            whole_after_tag, whole_close};

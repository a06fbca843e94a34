/* stoa's side of switching a component off and on again. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

STOA_COMPONENT_WITH(Lamp, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { float x, y, z; });

typedef struct switches {
    stoa_world *world;
    stoa_entity *entities;
    bench_size size;
    int32_t refused;
} switches;

static int32_t rows_switch(const switches *s, bool on) {
    int32_t refused = 0;
    for (int32_t i = 0; i < s->size.n; i++) {
        refused += stoa_enable(s->world, s->entities[i], Lamp, on) != STOA_OK;
    }
    return refused;
}

static void *switches_open(bench_size size) {
    switches *s = bench_alloc(1, sizeof *s);
    *s = (switches){.size = size, .world = bench_world_new()};
    s->entities = bench_alloc((size_t)size.n, sizeof *s->entities);
    for (int32_t i = 0; i < size.n; i++) {
        Position p = data_position(i);
        s->entities[i] = stoa_create_with(s->world, STOA_VALUE_FROM(Position, &p), STOA_ZERO(Lamp));
    }
    return s;
}

static void switches_run(void *side) {
    switches *s = side;
    s->refused = 0;
    for (int32_t pass = 0; pass < s->size.passes; pass++) {
        s->refused += rows_switch(s, false) + rows_switch(s, true);
    }
}

static double flags_weigh(const switches *s) {
    double sum = 0;
    for (int32_t i = 0; i < s->size.n; i++) {
        sum += stoa_enabled(s->world, s->entities[i], Lamp) ? 0 : i % 7 + 1;
    }
    return sum;
}

/* Weighs what is off after a job, and after one half of it. */
static double switches_after(void *side) {
    const switches *s = side;
    double sum = s->refused + flags_weigh(s);
    sum += rows_switch(s, false);
    sum += flags_weigh(s);
    sum += rows_switch(s, true);
    return sum;
}

static void switches_close(void *side) {
    switches *s = side;
    stoa_world_free(s->world);
    free(s->entities);
    free(s);
}

const bench_side stoa_side_enable_toggle = {switches_open, NULL, switches_run, switches_after,
                                            switches_close};

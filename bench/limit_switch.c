/* The limit of switching a component off and on again: one flag for each row, found by handle. The
 * handle must live and its table have the component. Flags are bytes: with bits, each switch waits
 * for the one before it, whose word is the same, 3.1 ns for 2.3. */
#include "limit.h"
#include "sides.h"

#include <stdbool.h>
#include <stdlib.h>

enum { COMPONENT_VELOCITY = 1 };

typedef struct switches {
    limit_world world;
    limit_entity *entities;
    uint8_t *off;    /* by row: 1 where it is off */
    uint64_t *masks; /* of each table, one bit per component */
    bench_size size;
    int32_t refused;
} switches;

/* Returns how many were refused. */
static inline int32_t rows_switch(const switches *s, bool on) {
    const limit_record *records = s->world.index.records;
    const limit_entity *entities = s->entities;
    const uint64_t *masks = s->masks;
    uint8_t *restrict off = s->off;
    int32_t n = s->size.n;
    int32_t refused = 0;
    for (int32_t i = 0; i < n; i++) {
        limit_record record = records[entities[i].index];
        uint64_t has = masks[record.place >> LIMIT_ROW_BITS] >> COMPONENT_VELOCITY & 1;
        if (record.generation != entities[i].generation || has == 0) {
            refused++;
            continue;
        }
        off[record.place & LIMIT_ROW_MASK] = !on;
    }
    return refused;
}

LIMIT_JOB static int32_t rows_off(const switches *s) {
    return rows_switch(s, false);
}

LIMIT_JOB static int32_t rows_on(const switches *s) {
    return rows_switch(s, true);
}

static void *switches_open(bench_size size) {
    switches *s = bench_alloc(1, sizeof *s);
    *s = (switches){.size = size, .world = limit_world_new(size.n)};
    s->entities = bench_alloc((size_t)size.n, sizeof *s->entities);
    s->off = bench_alloc((size_t)size.n, sizeof *s->off);
    s->masks = bench_alloc(16, sizeof *s->masks);
    s->masks[0] = 1u << COMPONENT_VELOCITY;
    limit_world_create(&s->world, size.n, s->entities);
    return s;
}

static void switches_run(void *side) {
    switches *s = side;
    s->refused = 0;
    for (int32_t pass = 0; pass < s->size.passes; pass++) {
        s->refused += rows_off(s) + rows_on(s);
    }
}

static double flags_weigh(const switches *s) {
    double sum = 0;
    for (int32_t i = 0; i < s->size.n; i++) {
        uint32_t row = s->world.index.records[s->entities[i].index].place;
        sum += (double)s->off[row] * (i % 7 + 1);
    }
    return sum;
}

/* Weighs what is off after a job, and after one half of it. */
static double switches_after(void *side) {
    const switches *s = side;
    double sum = s->refused + flags_weigh(s);
    sum += rows_off(s);
    sum += flags_weigh(s);
    sum += rows_on(s);
    return sum;
}

static void switches_close(void *side) {
    switches *s = side;
    limit_world_free(&s->world);
    free(s->entities);
    free(s->off);
    free(s->masks);
    free(s);
}

const bench_side limit_side_enable_toggle = {switches_open, NULL, switches_run, switches_after,
                                             switches_close};

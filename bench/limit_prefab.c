/* The limits of making instances of a prefab: its three values, appended to their arrays. */
#include "limit.h"
#include "prefab.h"
#include "sides.h"

#include <stdlib.h>

typedef struct spawner {
    limit_index index;
    uint32_t *rows; /* row to slot */
    Position *positions;
    Velocity *velocities;
    Health *healths;
    uint32_t count;
    prefab_values values;
    limit_entity *entities;
    uint8_t *memory;
    size_t memory_size;
    int32_t n;
} spawner;

LIMIT_JOB static void spawner_make(spawner *s, int32_t n, limit_entity *restrict entities) {
    limit_index index = s->index;
    spawner local = *s;
    for (int32_t i = 0; i < n; i++) {
        uint32_t row = local.count++;
        entities[i] = limit_index_take(&index, row);
        local.rows[row] = entities[i].index;
        local.positions[row] = local.values.position;
        local.velocities[row] = local.values.velocity;
        local.healths[row] = local.values.health;
    }
    s->index = index;
    s->count = local.count;
}

static void spawner_run(void *side) {
    spawner *s = side;
    spawner_make(s, s->n, s->entities);
}

static void *spawner_open(bench_size size) {
    spawner *s = bench_alloc(1, sizeof *s);
    size_t n = (size_t)size.n, used = 0;
    *s = (spawner){.n = size.n, .index.count = 1, .values = prefab_values_new()};
    s->memory_size = (n + 1) * (sizeof(limit_record) + sizeof(uint32_t) + sizeof(Position) +
                                sizeof(Velocity) + sizeof(Health) + sizeof(limit_entity)) +
                     (size_t)6 * 128;
    s->memory = bench_map(s->memory_size);
    s->index.records = limit_carve(s->memory, &used, n + 1, sizeof *s->index.records);
    s->rows = limit_carve(s->memory, &used, n, sizeof *s->rows);
    s->positions = limit_carve(s->memory, &used, n, sizeof *s->positions);
    s->velocities = limit_carve(s->memory, &used, n, sizeof *s->velocities);
    s->healths = limit_carve(s->memory, &used, n, sizeof *s->healths);
    s->entities = limit_carve(s->memory, &used, n, sizeof *s->entities);
    spawner_run(s);
    return s;
}

/* Last made, first ended: no row has to be filled. */
static void spawner_empty(void *side) {
    spawner *s = side;
    for (int32_t i = s->n - 1; i >= 0; i--) {
        limit_index_give(&s->index, s->entities[i]);
    }
    s->count = 0;
}

static double spawner_weigh(void *side) {
    const spawner *s = side;
    double sum = s->count;
    for (int32_t i = 0; i < s->n; i++) {
        limit_record record = s->index.records[s->entities[i].index];
        if (record.generation == s->entities[i].generation) {
            sum += prefab_weigh(i, s->positions[record.place], s->velocities[record.place],
                                s->healths[record.place]);
        }
    }
    return sum;
}

static void spawner_close(void *side) {
    spawner *s = side;
    bench_unmap(s->memory, s->memory_size);
    free(s);
}

const bench_side limit_side_prefab = {spawner_open, spawner_empty, spawner_run, spawner_weigh,
                                      spawner_close};

/* stoa's side of making instances of a prefab, one by one and all at once. */
#include "components.h"
#include "prefab.h"
#include "sides.h"
#include "stoa/prefab.h"

#include <stdlib.h>

STOA_TYPE(Health, {
    int32_t points;
    int32_t most;
});

typedef struct spawner {
    stoa_world *world;
    stoa_prefab *prefab;
    stoa_entity *entities;
    int32_t n;
} spawner;

static void spawner_run(void *side) {
    spawner *s = side;
    for (int32_t i = 0; i < s->n; i++) {
        s->entities[i] = stoa_prefab_instantiate(s->prefab);
    }
}

static void spawner_run_bulk(void *side) {
    spawner *s = side;
    (void)stoa_prefab_instantiate_bulk(s->prefab, s->n, s->entities, NULL, 0);
}

static void *spawner_open(bench_size size) {
    spawner *s = bench_alloc(1, sizeof *s);
    const prefab_values values = prefab_values_new();
    *s = (spawner){.n = size.n, .world = bench_world_new()};
    s->entities = bench_alloc((size_t)size.n, sizeof *s->entities);
    s->prefab = stoa_prefab_new(s->world, NULL);
    if (s->prefab == NULL ||
        stoa_prefab_set_values(s->prefab, STOA_VALUES(STOA_VALUE_FROM(Position, &values.position),
                                                      STOA_VALUE_FROM(Velocity, &values.velocity),
                                                      STOA_VALUE_FROM(Health, &values.health))) !=
            STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
    spawner_run(s);
    return s;
}

/* Last made, first ended, as the limit does. */
static void spawner_empty(void *side) {
    spawner *s = side;
    for (int32_t i = s->n - 1; i >= 0; i--) {
        (void)stoa_destroy(s->world, s->entities[i]);
    }
}

static double spawner_weigh(void *side) {
    const spawner *s = side;
    double sum = stoa_count(s->world);
    for (int32_t i = 0; i < s->n; i++) {
        stoa_entity e = s->entities[i];
        if (stoa_alive(s->world, e)) {
            sum += prefab_weigh(i, *stoa_get(s->world, e, Position),
                                *stoa_get(s->world, e, Velocity), *stoa_get(s->world, e, Health));
        }
    }
    return sum;
}

static void spawner_close(void *side) {
    spawner *s = side;
    stoa_world_free(s->world);
    free(s->entities);
    free(s);
}

const bench_side stoa_side_prefab = {spawner_open, spawner_empty, spawner_run, spawner_weigh,
                                     spawner_close};
const bench_side stoa_side_prefab_bulk = {spawner_open, spawner_empty, spawner_run_bulk,
                                          spawner_weigh, spawner_close};

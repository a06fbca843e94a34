/* stoa's side of saving a world to memory, and of loading it. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

typedef struct snapshots {
    stoa_world *world; /* that is saved, or loaded into */
    stoa_query *query;
    stoa_entity *entities;
    stoa_blob blob;
    int32_t n;
} snapshots;

static void snapshots_save(snapshots *s) {
    s->blob.size = 0;
    if (stoa_snapshot_save_memory(s->world, NULL, &s->blob) != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
}

static void snapshots_load(snapshots *s) {
    if (stoa_snapshot_load_memory(s->world, NULL, s->blob.data, s->blob.size) != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
}

static void snapshots_empty(snapshots *s) {
    if (stoa_query_destroy(s->query) != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
}

static void *snapshots_open(bench_size size) {
    snapshots *s = bench_alloc(1, sizeof *s);
    *s = (snapshots){.n = size.n, .world = bench_world_new()};
    s->entities = bench_alloc((size_t)size.n, sizeof *s->entities);
    bench_world_create(s->world, size.n, s->entities);
    s->query = stoa_query_new(
        s->world, &(stoa_query_desc){.terms = {STOA_FILTER(Position), STOA_FILTER(Velocity)}});
    if (s->query == NULL) {
        bench_fail(stoa_last_error().message);
    }
    snapshots_save(s);
    return s;
}

static void snapshots_before_load(void *side) {
    snapshots_empty(side);
}

static void snapshots_run_save(void *side) {
    snapshots_save(side);
}

static void snapshots_run_load(void *side) {
    snapshots_load(side);
}

static double snapshots_weigh(const snapshots *s) {
    double sum = 0;
    for (int32_t i = 0; i < s->n; i++) {
        sum += data_weigh(i, *stoa_get(s->world, s->entities[i], Position));
        sum += (double)stoa_get(s->world, s->entities[i], Velocity)->y +
               (double)s->entities[i].generation;
    }
    return sum;
}

static double snapshots_after_save(void *side) {
    snapshots_empty(side);
    snapshots_load(side);
    return snapshots_weigh(side);
}

static double snapshots_after_load(void *side) {
    return snapshots_weigh(side);
}

static void snapshots_close(void *side) {
    snapshots *s = side;
    stoa_blob_free(&s->blob);
    stoa_world_free(s->world);
    free(s->entities);
    free(s);
}

const bench_side stoa_side_snapshot_save = {snapshots_open, NULL, snapshots_run_save,
                                            snapshots_after_save, snapshots_close};
const bench_side stoa_side_snapshot_load = {snapshots_open, snapshots_before_load,
                                            snapshots_run_load, snapshots_after_load,
                                            snapshots_close};

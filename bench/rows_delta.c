/* stoa's side of deltas between two snapshots, one entity in a hundred changed. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>
#include <string.h>

STOA_COMPONENT(DeltaMiddle, { double x, y, z, turn; });
STOA_COMPONENT(DeltaSpeed, { float x, y, z, turn; });
STOA_COMPONENT(DeltaLife, { uint32_t age, food, kind, seed; });
_Static_assert(sizeof(DeltaMiddle) + sizeof(DeltaSpeed) + sizeof(DeltaLife) == DATA_BODY_SIZE,
               "as it says");

typedef struct deltas {
    stoa_blob base;
    stoa_blob target;
    stoa_blob delta;
    stoa_blob result;
    int32_t refused;
} deltas;

static void need(stoa_status status) {
    if (status != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
}

static void *delta_open(bench_size size) {
    deltas *d = bench_alloc(1, sizeof *d);
    stoa_world *w = bench_world_new();
    stoa_entity *entities = bench_alloc((size_t)size.n, sizeof *entities);
    for (int32_t i = 0; i < size.n; i++) {
        uint32_t n = (uint32_t)i;
        entities[i] = stoa_create_with(w, STOA_VALUE(DeltaMiddle, {i, 1, 2, 3}),
                                       STOA_VALUE(DeltaSpeed, {1, 2, (float)i, 0}),
                                       STOA_VALUE(DeltaLife, {n % 100, n % 7, n % 3, n * 7919}));
    }
    need(stoa_snapshot_save_memory(w, NULL, &d->base));
    for (int32_t i = 0; i < size.n; i += 100) {
        need(stoa_set(w, entities[i], DeltaSpeed, {3, 4, 5, (float)i}));
    }
    need(stoa_snapshot_save_memory(w, NULL, &d->target));
    need(stoa_delta_make(d->base.data, d->base.size, d->target.data, d->target.size, &d->delta));
    free(entities);
    stoa_world_free(w);
    return d;
}

static void make_run(void *side) {
    deltas *d = side;
    d->delta.size = 0;
    d->refused = stoa_delta_make(d->base.data, d->base.size, d->target.data, d->target.size,
                                 &d->delta) != STOA_OK;
}

static void apply_run(void *side) {
    deltas *d = side;
    d->result.size = 0;
    d->refused = stoa_delta_apply(d->base.data, d->base.size, d->delta.data, d->delta.size, 0,
                                  &d->result) != STOA_OK;
}

static double apply_after(void *side) {
    const deltas *d = side;
    return d->refused == 0 && d->result.size == d->target.size &&
           memcmp(d->result.data, d->target.data, d->target.size) == 0;
}

static double make_after(void *side) {
    deltas *d = side;
    int32_t refused = d->refused;
    apply_run(d);
    d->refused += refused;
    return apply_after(d);
}

static void delta_close(void *side) {
    deltas *d = side;
    stoa_blob_free(&d->base);
    stoa_blob_free(&d->target);
    stoa_blob_free(&d->delta);
    stoa_blob_free(&d->result);
    free(d);
}

const bench_side stoa_side_delta_make = {delta_open, NULL, make_run, make_after, delta_close};
const bench_side stoa_side_delta_apply = {delta_open, NULL, apply_run, apply_after, delta_close};

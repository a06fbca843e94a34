/* stoa's side of finding entities by a value, and of giving them other values. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

/* Immutable, as components that are looked up by value should be. */
STOA_TYPE_WITH(Badge, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { uint32_t number; });

typedef struct found {
    stoa_world *world;
    stoa_index *index;
    stoa_entity *entities;
    uint32_t *order; /* random */
    uint64_t sum;
    int32_t round; /* how often the values were changed */
    int32_t refused;
    bench_size size;
} found;

static void *found_open(bench_size size) {
    found *f = bench_alloc(1, sizeof *f);
    *f = (found){.size = size, .world = bench_world_new(), .order = bench_order(size.n)};
    f->entities = bench_alloc((size_t)size.n, sizeof *f->entities);
    f->index = stoa_index_on(f->world, Badge, number);
    for (int32_t i = 0; i < size.n; i++) {
        Badge badge = data_badge(i, 0, size.n);
        f->entities[i] = stoa_create_one(f->world, STOA_TYPE_OF(Badge), &badge);
    }
    if (f->index == NULL) {
        bench_fail(stoa_last_error().message);
    }
    return f;
}

/* Adds up the entities of some values, one value after the other. */
static uint64_t values_sum(stoa_index *index, int32_t n, const uint32_t *order) {
    uint64_t sum = 0;
    for (int32_t i = 0; i < n; i++) {
        uint32_t number = order[i] % data_badges(n);
        for (stoa_found walk = stoa_index_find(index, &number); stoa_found_next(&walk);) {
            sum = data_found(sum, number, walk.entity.index);
        }
    }
    return sum;
}

static void found_run(void *side) {
    found *f = side;
    f->sum = 0;
    for (int32_t pass = 0; pass < f->size.passes; pass++) {
        f->sum += values_sum(f->index, f->size.n, f->order);
    }
}

static void found_update(void *side) {
    found *f = side;
    f->refused = 0;
    for (int32_t pass = 0; pass < f->size.passes; pass++) {
        f->round++;
        for (int32_t i = 0; i < f->size.n; i++) {
            int32_t who = (int32_t)f->order[i];
            Badge badge = data_badge(who, f->round, f->size.n);
            f->refused += stoa_set_from(f->world, f->entities[who], Badge, &badge) != STOA_OK;
        }
    }
}

static double found_after(void *side) {
    const found *f = side;
    return (double)f->sum;
}

/* Weighs the entities of all values. */
static double found_after_update(void *side) {
    const found *f = side;
    uint64_t sum = 0;
    for (uint32_t number = 0; number < data_badges(f->size.n); number++) {
        for (stoa_found walk = stoa_index_find(f->index, &number); stoa_found_next(&walk);) {
            sum = data_found(sum, number, walk.entity.index);
        }
    }
    return (double)sum + f->refused;
}

static void found_close(void *side) {
    found *f = side;
    stoa_world_free(f->world);
    free(f->entities);
    free(f->order);
    free(f);
}

const bench_side stoa_side_index_find = {found_open, NULL, found_run, found_after, found_close};
const bench_side stoa_side_index_update = {found_open, NULL, found_update, found_after_update,
                                           found_close};

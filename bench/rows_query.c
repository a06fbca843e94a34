/* stoa's side of making a query over 1,024 archetypes, the subsets of ten components. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

#define PARTS(x)                                                                                   \
    x(Part0) x(Part1) x(Part2) x(Part3) x(Part4) x(Part5) x(Part6) x(Part7) x(Part8) x(Part9)
#define DECLARE_PART(name) STOA_COMPONENT(name, { int32_t value; });
#define LIST(name) STOA_TYPE_OF(name),

PARTS(DECLARE_PART)

#define PART_COUNT 10

static stoa_type *const parts[PART_COUNT] = {PARTS(LIST)};

typedef struct queries {
    stoa_world *world;
    stoa_query_desc desc;
    bench_size size;
    int64_t total;
} queries;

static void archetype_fill(stoa_world *world, int32_t archetype) {
    int32_t values[PART_COUNT];
    stoa_value bundle[PART_COUNT];
    int32_t count = 0;
    for (int32_t c = 0; c < PART_COUNT; c++) {
        if ((archetype >> c & 1) != 0) {
            values[c] = data_archetype_value(archetype, c);
            bundle[count++] = (stoa_value){.type = parts[c], .data = &values[c]};
        }
    }
    for (int32_t i = 0; i < data_archetype_count(archetype); i++) {
        (void)stoa_create_values(world, bundle, count);
    }
}

static void *queries_open(bench_size size) {
    queries *q = bench_alloc(1, sizeof *q);
    *q = (queries){.size = size, .world = bench_world_new()};
    for (int32_t archetype = 0; archetype < size.n; archetype++) {
        archetype_fill(q->world, archetype);
    }
    q->desc.terms[0] = STOA_READ(Part2);
    q->desc.terms[1] = STOA_READ(Part7);
    if (stoa_archetype_count(q->world) != size.n) {
        bench_fail("query rows: not the archetypes that were wanted");
    }
    return q;
}

static void queries_run_build(void *side) {
    queries *q = side;
    int64_t total = 0;
    for (int32_t pass = 0; pass < q->size.passes; pass++) {
        stoa_query *query = stoa_query_new(q->world, &q->desc);
        total += stoa_query_count(query);
        (void)stoa_query_free(query);
    }
    q->total = total;
}

static void queries_run_walk(void *side) {
    queries *q = side;
    int64_t total = 0;
    for (int32_t pass = 0; pass < q->size.passes; pass++) {
        stoa_query *query = stoa_query_new(q->world, &q->desc);
        for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
            total += stoa_field(&it, Part2, 0)->value;
            total += stoa_field(&it, Part7, 1)->value;
        }
        (void)stoa_query_free(query);
    }
    q->total = total;
}

static double queries_after(void *side) {
    return (double)((const queries *)side)->total;
}

static void queries_close(void *side) {
    queries *q = side;
    stoa_world_free(q->world);
    free(q);
}

const bench_side stoa_side_query_build = {queries_open, NULL, queries_run_build, queries_after,
                                          queries_close};
const bench_side stoa_side_query_walk = {queries_open, NULL, queries_run_walk, queries_after,
                                         queries_close};

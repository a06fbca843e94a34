/* stoa's side of finding an entity by its name. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

typedef struct search {
    stoa_world *world;
    char (*wanted)[DATA_NAME_SIZE]; /* in random order */
    bench_size size;
    double sum;
} search;

static double names_find(const stoa_world *world, int32_t n, char (*wanted)[DATA_NAME_SIZE]) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += (double)stoa_find(world, wanted[i]).index * (i % 7 + 1);
    }
    return sum;
}

static void *search_open(bench_size size) {
    search *s = bench_alloc(1, sizeof *s);
    *s = (search){.size = size, .world = bench_world_new(), .wanted = data_names(size.n)};
    for (int32_t i = 0; i < size.n; i++) {
        char text[DATA_NAME_SIZE];
        data_name(i, text);
        if (stoa_entity_is_null(stoa_require(s->world, text))) {
            bench_fail(stoa_last_error().message);
        }
    }
    return s;
}

static void search_run(void *side) {
    search *s = side;
    s->sum = 0;
    for (int32_t pass = 0; pass < s->size.passes; pass++) {
        s->sum += names_find(s->world, s->size.n, s->wanted);
    }
}

static double search_after(void *side) {
    return ((const search *)side)->sum;
}

static void search_close(void *side) {
    search *s = side;
    stoa_world_free(s->world);
    free(s->wanted);
    free(s);
}

const bench_side stoa_side_name_lookup = {search_open, NULL, search_run, search_after,
                                          search_close};

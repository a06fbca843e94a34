/* stoa's side of history: saving what a share of the chunks has become, and going back. */
#include "components.h"
#include "history.h"
#include "sides.h"

#include <stdlib.h>

STOA_COMPONENT(Body, { float value[16]; });

typedef struct kept {
    stoa_world *world;
    stoa_history *history;
    stoa_query *query;
    int32_t turn;
    int32_t of; /* one chunk of so many is written in a turn */
} kept;

static void *kept_open(bench_size size, int32_t of) {
    kept *k = bench_alloc(1, sizeof *k);
    *k = (kept){.world = bench_world_new(), .of = of};
    for (int32_t i = 0; i < size.n; i++) {
        history_body body = history_body_make(i);
        if (stoa_entity_is_null(stoa_create_with(k->world, STOA_VALUE_FROM(Body, (Body *)&body)))) {
            bench_fail(stoa_last_error().message);
        }
    }
    k->query = stoa_query_new(k->world, &(stoa_query_desc){.terms = {STOA_WRITE(Body)}});
    k->history = stoa_history_new(k->world, &(stoa_history_desc){.frames = HISTORY_FRAMES});
    if (k->query == NULL || k->history == NULL) {
        bench_fail(stoa_last_error().message);
    }
    return k;
}

static void *kept_open_1(bench_size size) {
    return kept_open(size, 100);
}

static void *kept_open_10(bench_size size) {
    return kept_open(size, 10);
}

static void *kept_open_100(bench_size size) {
    return kept_open(size, 1);
}

/* Writes the chunks whose turn it is. */
static void kept_before(void *side) {
    kept *k = side;
    int32_t chunk = 0;
    (void)stoa_tick_advance(k->world);
    for (stoa_iter it = stoa_query_iter(k->query); stoa_iter_next(&it); chunk++) {
        if (history_turn(chunk, k->turn, k->of)) {
            Body *bodies = stoa_field_mut(&it, Body, 0);
            for (int32_t i = 0; i < it.count; i++) {
                bodies[i].value[i % 16] += 1.0f;
            }
        }
    }
    (void)stoa_tick_advance(k->world);
    k->turn++;
}

static void kept_save(void *side) {
    kept *k = side;
    if (stoa_history_save(k->history) < 0) {
        bench_fail(stoa_last_error().message);
    }
}

/* What there is to go back to, and to go back from. */
static void kept_before_restore(void *side) {
    kept *k = side;
    kept_save(k);
    kept_before(k);
}

static void kept_restore(void *side) {
    kept *k = side;
    if (stoa_history_restore(k->history, stoa_history_last(k->history)) != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
}

static double kept_weigh(void *side) {
    kept *k = side;
    double sum = 0;
    for (stoa_iter it = stoa_query_iter(k->query); stoa_iter_next(&it);) {
        const Body *bodies = stoa_field(&it, Body, 0);
        for (int32_t i = 0; i < it.count; i++) {
            sum += (double)bodies[i].value[i % 16] * (i % 7 + 1);
        }
    }
    return sum;
}

/* What was saved must be what comes back. */
static double kept_after_save(void *side) {
    kept_before(side);
    kept_restore(side);
    return kept_weigh(side);
}

static void kept_close(void *side) {
    kept *k = side;
    stoa_history_free(k->history);
    stoa_world_free(k->world);
    free(k);
}

const bench_side stoa_side_history_save_1 = {kept_open_1, kept_before, kept_save, kept_after_save,
                                             kept_close};
const bench_side stoa_side_history_save_10 = {kept_open_10, kept_before, kept_save, kept_after_save,
                                              kept_close};
const bench_side stoa_side_history_save_100 = {kept_open_100, kept_before, kept_save,
                                               kept_after_save, kept_close};
const bench_side stoa_side_history_restore = {kept_open_100, kept_before_restore, kept_restore,
                                              kept_weigh, kept_close};

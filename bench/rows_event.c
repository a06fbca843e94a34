/* stoa's side of events: one reader, which reads when all are sent. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

STOA_TYPE(Hit, {
    uint32_t from, to;
    int32_t amount;
    uint32_t kind;
});

typedef struct events {
    stoa_world *world;
    stoa_reader *reader;
    bench_size size;
    int32_t refused;
    int64_t sum;
} events;

static void *events_open(bench_size size) {
    events *e = bench_alloc(1, sizeof *e);
    *e = (events){.size = size, .world = bench_world_new()};
    e->reader = stoa_reader_new(e->world, Hit);
    if (e->reader == NULL || stoa_event_limit(e->world, Hit, size.n) != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
    return e;
}

static int32_t hits_send(stoa_world *world, int32_t n) {
    int32_t refused = 0;
    for (int32_t i = 0; i < n; i++) {
        Hit hit = data_hit(i);
        refused += stoa_event_send_type(world, STOA_NULL, STOA_TYPE_OF(Hit), &hit) != STOA_OK;
    }
    return refused;
}

static int64_t hits_read(stoa_reader *reader) {
    int64_t sum = 0;
    for (stoa_event event; stoa_event_read(reader, &event);) {
        sum += data_hit_weigh(event.data);
    }
    return sum;
}

static void events_run(void *side) {
    events *e = side;
    e->sum = 0;
    e->refused = 0;
    for (int32_t pass = 0; pass < e->size.passes; pass++) {
        e->refused += hits_send(e->world, e->size.n);
        e->sum += hits_read(e->reader);
    }
}

static double events_after(void *side) {
    const events *e = side;
    return (double)e->sum + (double)stoa_reader_lost(e->reader) + e->refused;
}

static void events_close(void *side) {
    events *e = side;
    stoa_world_free(e->world);
    free(e);
}

const bench_side stoa_side_event_send_read = {events_open, NULL, events_run, events_after,
                                              events_close};

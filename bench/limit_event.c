/* The limit of events: a ring of values with one writer and one reader, each at its own pace. What
 * is too much for the ring drops the oldest and is counted, since that can be seen from outside. */
#include "limit.h"
#include "sides.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct ring {
    Hit *items;
    uint64_t sent;
    uint64_t read;
    uint64_t dropped;
    uint64_t mask;
} ring;

typedef struct events {
    ring queue;
    bench_size size;
    int64_t sum;
} events;

static inline void ring_send(ring *r, Hit hit) {
    if (r->sent - r->read > r->mask) {
        r->read++;
        r->dropped++;
    }
    r->items[r->sent++ & r->mask] = hit;
}

static inline const Hit *ring_read(ring *r) {
    return r->read != r->sent ? &r->items[r->read++ & r->mask] : NULL;
}

LIMIT_JOB static void hits_send(ring *queue, int32_t n) {
    ring local = *queue;
    for (int32_t i = 0; i < n; i++) {
        ring_send(&local, data_hit(i));
    }
    *queue = local;
}

LIMIT_JOB static int64_t hits_read(ring *queue) {
    ring local = *queue;
    int64_t sum = 0;
    for (const Hit *hit = ring_read(&local); hit != NULL; hit = ring_read(&local)) {
        sum += data_hit_weigh(hit);
    }
    *queue = local;
    return sum;
}

static void *events_open(bench_size size) {
    events *e = bench_alloc(1, sizeof *e);
    *e = (events){.size = size};
    uint64_t capacity = 1;
    while (capacity < (uint64_t)size.n) {
        capacity *= 2;
    }
    e->queue.items = bench_alloc(capacity, sizeof *e->queue.items);
    e->queue.mask = capacity - 1;
    return e;
}

static void events_run(void *side) {
    events *e = side;
    e->sum = 0;
    for (int32_t pass = 0; pass < e->size.passes; pass++) {
        hits_send(&e->queue, e->size.n);
        e->sum += hits_read(&e->queue);
    }
}

static double events_after(void *side) {
    const events *e = side;
    return (double)e->sum + (double)e->queue.dropped;
}

static void events_close(void *side) {
    events *e = side;
    free(e->queue.items);
    free(e);
}

const bench_side limit_side_event_send_read = {events_open, NULL, events_run, events_after,
                                               events_close};

/* The limits of work on two threads: one half each.
 *
 * The second thread is there from the beginning and looks at a counter until it is handed its half;
 * the first looks at another until that is done. In between repetitions it sleeps, so that it takes
 * no core from the other side; to wake it is not timed. */
#define _POSIX_C_SOURCE 200809L
#include "limit.h"
#include "sides.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef void (*halves_job)(Position *positions, const Velocity *velocities, int32_t n);

typedef enum halves_order {
    HALVES_WAKE, /* nothing: that it is done tells that the thread is awake */
    HALVES_WORK,
    HALVES_SLEEP,
    HALVES_END
} halves_order;

typedef struct halves {
    data_crowd crowd;
    halves_job job;
    bench_size size;
    int32_t middle;
    halves_order order;
    pthread_t thread;
    sem_t bell;
    _Alignas(64) atomic_uint given; /* orders */
    _Alignas(64) atomic_uint done;
} halves;

static inline void core_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void count_await(atomic_uint *count, unsigned wanted) {
    while (atomic_load_explicit(count, memory_order_acquire) != wanted) {
        core_pause();
    }
}

static void halves_give(halves *h, halves_order order) {
    h->order = order;
    atomic_fetch_add_explicit(&h->given, 1, memory_order_release);
}

static void halves_await(halves *h) {
    count_await(&h->done, atomic_load_explicit(&h->given, memory_order_relaxed));
}

static void bell_await(halves *h) {
    while (sem_wait(&h->bell) != 0) {
        /* A signal came. */
    }
}

static void *second_main(void *data) {
    halves *h = data;
    int32_t first = h->middle;
    for (unsigned turn = 1;; turn++) {
        count_await(&h->given, turn);
        halves_order order = h->order;
        if (order == HALVES_WORK) {
            h->job(h->crowd.positions + first, h->crowd.velocities + first, h->size.n - first);
        }
        atomic_store_explicit(&h->done, turn, memory_order_release);
        if (order == HALVES_END) {
            return NULL;
        }
        if (order == HALVES_SLEEP) {
            bell_await(h);
        }
    }
}

static halves *halves_new(bench_size size, halves_job job) {
    halves *h = aligned_alloc(_Alignof(halves), sizeof *h);
    if (h == NULL) {
        bench_fail("out of memory");
    }
    /* The threads share no cache line of what they write. */
    *h = (halves){.size = size, .job = job, .middle = size.n / 32 * 16};
    h->crowd = data_crowd_new(size.n);
    atomic_init(&h->given, 0);
    atomic_init(&h->done, 0);
    if (sem_init(&h->bell, 0, 0) != 0 || pthread_create(&h->thread, NULL, second_main, h) != 0) {
        bench_fail("no second thread");
    }
    halves_give(h, HALVES_SLEEP);
    halves_await(h);
    return h;
}

static void *halves_open_grind(bench_size size) {
    return halves_new(size, data_grind);
}

static void *halves_open_move(bench_size size) {
    return halves_new(size, data_move_long);
}

static void halves_before(void *side) {
    halves *h = side;
    (void)sem_post(&h->bell);
    halves_give(h, HALVES_WAKE);
    halves_await(h);
}

static void halves_run(void *side) {
    halves *h = side;
    for (int32_t pass = 0; pass < h->size.passes; pass++) {
        halves_give(h, HALVES_WORK);
        h->job(h->crowd.positions, h->crowd.velocities, h->middle);
        halves_await(h);
    }
}

static double halves_after(void *side) {
    halves *h = side;
    halves_give(h, HALVES_SLEEP);
    halves_await(h);
    double sum = h->size.n;
    for (int32_t i = 0; i < h->size.n; i++) {
        sum += data_weigh(i, h->crowd.positions[i]);
    }
    return sum;
}

static void halves_close(void *side) {
    halves *h = side;
    (void)sem_post(&h->bell);
    halves_give(h, HALVES_END);
    (void)pthread_join(h->thread, NULL);
    (void)sem_destroy(&h->bell);
    data_crowd_free(&h->crowd);
    free(h);
}

const bench_side limit_side_parallel_2t = {halves_open_grind, halves_before, halves_run,
                                           halves_after, halves_close};
const bench_side limit_side_parallel_light = {halves_open_move, halves_before, halves_run,
                                              halves_after, halves_close};

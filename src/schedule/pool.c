/* The pool: threads that sleep until there is a lane to work.
 *
 * Worker i works lane i + 1 and no other. Its state says whose turn it is: at REST it belongs to
 * the starter, who may make it CALLED. From there either the worker makes it WORKING and, when the
 * lane is done, REST again, or the starter takes the call back and works the lane itself. So each
 * lane is worked once for each start, and nobody waits for a thread that has not woken up yet.
 *
 * Nobody misses a wake-up: who goes to sleep says so first and looks at the state after that, who
 * changes the state does so first and looks for sleepers after that, and all of it is sequentially
 * consistent. The mutexes keep a wake-up from falling between the look and the sleep; they are
 * locked only if somebody sleeps. Starting is O(lanes) and allocates nothing. One thread starts and
 * waits; others that try are refused. */
#include "schedule/pool.h"

#include "base/error.h"
#include "base/heap.h"
#include "os/clock.h"
#include "os/thread.h"

/* What two threads write to at the same time is kept that far apart. */
#define LINE 64

/* How long to look before going to sleep, in nanoseconds: since more was last known to come, and at
 * most; and how often between looks at the clock. */
#define SPIN_TIME 50000
#define SPIN_MOST 250000
#define SPIN_LOOKS 32

typedef enum worker_state {
    WORKER_REST,    /* nothing to do */
    WORKER_CALLED,  /* its lane is to be worked, by whoever comes first */
    WORKER_WORKING, /* its lane is being worked by the worker */
    WORKER_LEAVING  /* its thread is to end */
} worker_state;

/* A thread that sleeps until it is woken. */
typedef struct pool_sleeper {
    stoa_atomic asleep; /* 1: must be woken */
    stoa__mutex mutex;
    stoa__condition condition;
} pool_sleeper;

typedef struct pool_worker {
    _Alignas(LINE) stoa_atomic state; /* worker_state */
    int32_t lane;
    stoa_pool *pool;
    pool_sleeper sleeper;
    stoa__thread thread;
} pool_worker;

typedef enum pool_phase {
    POOL_IDLE,
    POOL_STARTED, /* between start and wait */
    POOL_WAITING  /* in wait */
} pool_phase;

struct stoa_pool {
    stoa__heap heap;
    stoa_pool_hooks hooks; /* of an engine; no `start`: own threads */
    int32_t threads;
    int32_t worker_count; /* own threads that run */
    bool spins;           /* each thread has a core, so waiting takes none from work */

    /* What is being worked; lanes read it. */
    stoa_pool_fn work;
    void *data;
    int32_t lanes;
    stoa_atomic phase;  /* pool_phase */
    stoa_atomic expect; /* 1: more is to come soon */
    _Atomic(uintptr_t) starter;

    pool_sleeper sleeper; /* the starter in wait */
    pool_worker workers[];
};

static void sleeper_init(pool_sleeper *sleeper) {
    atomic_init(&sleeper->asleep, 0);
    stoa__mutex_init(&sleeper->mutex);
    stoa__condition_init(&sleeper->condition);
}

static void sleeper_fini(pool_sleeper *sleeper) {
    stoa__condition_fini(&sleeper->condition);
    stoa__mutex_fini(&sleeper->mutex);
}

/* Sleeps unless a worker's state is not `state` any more; may return for no reason. */
static void sleeper_sleep(pool_sleeper *sleeper, stoa_atomic *watched, uint32_t state) {
    stoa__mutex_lock(&sleeper->mutex);
    atomic_store(&sleeper->asleep, 1);
    if (atomic_load(watched) == state) {
        stoa__condition_wait(&sleeper->condition, &sleeper->mutex);
    }
    atomic_store(&sleeper->asleep, 0);
    stoa__mutex_unlock(&sleeper->mutex);
}

/* Wakes who sleeps; call it after the state was changed. One that is woken already and has not come
 * round to look is not woken again. */
static void sleeper_wake(pool_sleeper *sleeper) {
    if (atomic_load(&sleeper->asleep) != 0 && atomic_exchange(&sleeper->asleep, 0) != 0) {
        stoa__mutex_lock(&sleeper->mutex);
        stoa__condition_wake(&sleeper->condition);
        stoa__mutex_unlock(&sleeper->mutex);
    }
}

/* Returns when a state is not `state` any more, or a while after: true if it changed. */
static bool state_spin(stoa_pool *pool, stoa_atomic *watched, uint32_t state) {
    uint64_t now = stoa__clock_now(), end = now + SPIN_TIME, most = now + SPIN_MOST;
    do {
        for (int i = 0; i < SPIN_LOOKS; i++) {
            if (atomic_load_explicit(watched, memory_order_acquire) != state) {
                return true;
            }
            stoa__thread_pause();
        }
        now = stoa__clock_now();
        if (atomic_load_explicit(&pool->expect, memory_order_relaxed) != 0) {
            end = now + SPIN_TIME < most ? now + SPIN_TIME : most;
        }
    } while (now < end);
    return false;
}

/* Returns what a state has become that is not `state` any more. */
static uint32_t state_await(stoa_pool *pool, pool_sleeper *sleeper, stoa_atomic *watched,
                            uint32_t state) {
    uint32_t now;
    while ((now = atomic_load_explicit(watched, memory_order_acquire)) == state) {
        if (!pool->spins || !state_spin(pool, watched, state)) {
            sleeper_sleep(sleeper, watched, state);
        }
    }
    return now;
}

/* True if the lane of a worker was to be worked by whoever comes first, and the caller is. */
static bool worker_take(pool_worker *worker, worker_state state) {
    uint32_t expected = WORKER_CALLED;
    return atomic_compare_exchange_strong(&worker->state, &expected, state);
}

static void worker_main(void *data) {
    pool_worker *self = data;
    stoa_pool *pool = self->pool;
    while (state_await(pool, &self->sleeper, &self->state, WORKER_REST) != WORKER_LEAVING) {
        if (worker_take(self, WORKER_WORKING)) {
            pool->work(self->lane, pool->data);
            atomic_store(&self->state, WORKER_REST);
            sleeper_wake(&pool->sleeper);
        }
    }
}

static size_t pool_size(int32_t threads) {
    return sizeof(stoa_pool) + (size_t)(threads - 1) * sizeof(pool_worker);
}

/* Ends the threads that run, all at once. */
static void workers_end(stoa_pool *pool) {
    for (int32_t i = 0; i < pool->worker_count; i++) {
        atomic_store(&pool->workers[i].state, WORKER_LEAVING);
        sleeper_wake(&pool->workers[i].sleeper);
    }
    for (int32_t i = 0; i < pool->worker_count; i++) {
        stoa__thread_join(&pool->workers[i].thread);
        sleeper_fini(&pool->workers[i].sleeper);
    }
}

static void pool_destroy(stoa_pool *pool) {
    workers_end(pool);
    sleeper_fini(&pool->sleeper);
    stoa__heap heap = pool->heap;
    stoa__heap_free(&heap, pool, pool_size(pool->threads), LINE);
}

static stoa_status workers_start(stoa_pool *pool) {
    for (int32_t i = 0; i < pool->threads - 1; i++) {
        pool_worker *made = &pool->workers[i];
        atomic_init(&made->state, WORKER_REST);
        made->lane = i + 1;
        made->pool = pool;
        sleeper_init(&made->sleeper);
        if (!stoa__thread_start(&made->thread, worker_main, made)) {
            sleeper_fini(&made->sleeper);
            return stoa__error(STOA_LIMIT, "the system refused to start thread %d of a pool of %d",
                               i + 2, pool->threads);
        }
        pool->worker_count++;
    }
    return STOA_OK;
}

static stoa_status desc_check(const stoa_pool_desc *desc) {
    if (desc->threads < 0 || desc->threads > STOA_THREAD_MAX) {
        return stoa__error(STOA_INVALID, "a pool has from 1 to %d threads, not %d", STOA_THREAD_MAX,
                           desc->threads);
    }
    const stoa_pool_hooks *hooks = desc->hooks;
    if (hooks != NULL && (hooks->start == NULL || hooks->wait == NULL)) {
        return stoa__error(STOA_NULL_ARGUMENT, "the hooks of a pool need start and wait");
    }
    const stoa_allocator *allocator = desc->allocator;
    if (allocator != NULL && (allocator->alloc == NULL || allocator->free == NULL)) {
        return stoa__error(STOA_NULL_ARGUMENT, "an allocator needs alloc and free");
    }
    return STOA_OK;
}

stoa_pool *stoa_pool_new(const stoa_pool_desc *desc) {
    static const stoa_pool_desc defaults = {0};
    desc = desc != NULL ? desc : &defaults;
    if (desc_check(desc) != STOA_OK) {
        return NULL;
    }
    int32_t cores = stoa__thread_cores();
    int32_t threads = desc->threads > 0         ? desc->threads
                      : cores < STOA_THREAD_MAX ? cores
                                                : STOA_THREAD_MAX;
    stoa_allocator allocator =
        desc->allocator != NULL ? *desc->allocator : stoa_allocator_default();
    stoa__heap heap;
    stoa__heap_init(&heap, &allocator);
    stoa_pool *pool = stoa__heap_zalloc(&heap, pool_size(threads), LINE);
    if (pool == NULL) {
        stoa__error_memory("a pool of threads");
        return NULL;
    }
    pool->heap = heap;
    pool->threads = threads;
    pool->spins = threads <= cores;
    atomic_init(&pool->phase, POOL_IDLE);
    atomic_init(&pool->expect, 0);
    atomic_init(&pool->starter, 0);
    sleeper_init(&pool->sleeper);
    if (desc->hooks != NULL) {
        pool->hooks = *desc->hooks;
    } else if (workers_start(pool) != STOA_OK) {
        pool_destroy(pool);
        return NULL;
    }
    return pool;
}

void stoa_pool_free(stoa_pool *pool) {
    if (pool == NULL) {
        return;
    }
    if (atomic_load(&pool->phase) != POOL_IDLE) {
        stoa__error(STOA_LOCKED, "a pool cannot be freed while it is at work");
        return;
    }
    stoa_pool_hooks hooks = pool->hooks;
    stoa_allocator allocator = pool->heap.hooks;
    pool_destroy(pool);
    if (hooks.user_free != NULL) {
        hooks.user_free(hooks.user);
    }
    if (allocator.user_free != NULL) {
        allocator.user_free(allocator.user);
    }
}

void stoa__pool_expect(stoa_pool *pool, bool soon) {
    atomic_store_explicit(&pool->expect, soon, memory_order_relaxed);
}

int32_t stoa_pool_threads(const stoa_pool *pool) {
    return pool != NULL ? pool->threads : 0;
}

stoa_status stoa_pool_run(stoa_pool *pool, int32_t lanes, stoa_pool_fn work, void *data) {
    stoa_status status = stoa_pool_start(pool, lanes, work, data);
    if (status == STOA_OK) {
        work(0, data);
        stoa_pool_wait(pool);
    }
    return status;
}

stoa_status stoa_pool_start(stoa_pool *pool, int32_t lanes, stoa_pool_fn work, void *data) {
    if (pool == NULL || work == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                           pool == NULL ? "pool" : "function of the lanes");
    }
    if (lanes < 1 || lanes > pool->threads) {
        return stoa__error(STOA_INVALID, "a pool of %d threads cannot work %d lanes", pool->threads,
                           lanes);
    }
    uint32_t expected = POOL_IDLE;
    if (!atomic_compare_exchange_strong(&pool->phase, &expected, POOL_STARTED)) {
        return stoa__error(STOA_LOCKED, "the pool of threads is at work");
    }
    atomic_store(&pool->starter, stoa__thread_self());
    pool->work = work;
    pool->data = data;
    pool->lanes = lanes;
    if (pool->hooks.start != NULL) {
        if (lanes > 1) {
            pool->hooks.start(work, data, lanes, pool->hooks.user);
        }
        return STOA_OK;
    }
    for (int32_t i = 0; i < lanes - 1; i++) {
        atomic_store(&pool->workers[i].state, WORKER_CALLED);
        sleeper_wake(&pool->workers[i].sleeper);
    }
    return STOA_OK;
}

/* Works the lanes that no worker has begun, the last first: it was called last. A worker may begin
 * any of the others meanwhile. */
static void lanes_finish(stoa_pool *pool) {
    for (int32_t i = pool->lanes - 1; i-- > 0;) {
        pool_worker *late = &pool->workers[i];
        if (worker_take(late, WORKER_REST)) {
            pool->work(late->lane, pool->data);
        }
    }
    for (int32_t i = 0; i < pool->lanes - 1; i++) {
        state_await(pool, &pool->sleeper, &pool->workers[i].state, WORKER_WORKING);
    }
}

void stoa_pool_wait(stoa_pool *pool) {
    if (pool == NULL) {
        stoa__error(STOA_NULL_ARGUMENT, "the pool must not be null");
        return;
    }
    uint32_t expected = POOL_STARTED;
    if (atomic_load(&pool->starter) != stoa__thread_self() ||
        !atomic_compare_exchange_strong(&pool->phase, &expected, POOL_WAITING)) {
        stoa__error(STOA_INVALID, "a pool is waited for once, by the thread that started it");
        return;
    }
    if (pool->hooks.wait == NULL) {
        lanes_finish(pool);
    } else if (pool->lanes > 1) {
        pool->hooks.wait(pool->hooks.user);
    }
    atomic_store(&pool->phase, POOL_IDLE);
}

/* Threads that work is handed to: the library's own, or those of an engine.
 *
 * A pool serves one app or query at a time; several apps may share one if they take turns. Workers
 * sleep while there is nothing to do. */
#ifndef STOA_POOL_H
#define STOA_POOL_H

#include "stoa/allocator.h"
#include "stoa/status.h"

STOA_BEGIN

/// The most threads of a pool, the caller's included.
#define STOA_THREAD_MAX 256

/// A pool of threads.
typedef struct stoa_pool stoa_pool;

/// Work that several threads join: `lane` is 0 for the caller, 1 and up for the others.
typedef void (*stoa_pool_fn)(int32_t lane, void *data);

/// An engine's own job system.
/// `start` calls `work(lane, data)` for each lane from 1 to `lane_count` - 1, on any threads, and
/// may return at once; `wait` returns when all have returned. The caller works as lane 0 between
/// the two. A lane that starts late finds nothing to do. With one lane neither is called.
typedef struct stoa_pool_hooks {
    void (*start)(stoa_pool_fn work, void *data, int32_t lane_count, void *user); ///< must be there
    void (*wait)(void *user);                                                     ///< must be there
    void *user;                    ///< handed to every call
    void (*user_free)(void *user); ///< called once when the pool is freed; may be NULL
} stoa_pool_hooks;

/// How to make a pool; zero is the default of each member.
typedef struct stoa_pool_desc {
    int32_t threads;                 ///< the caller's included; 0: as many as the machine has cores
    const stoa_pool_hooks *hooks;    ///< an engine's job system instead of own threads; copied
    const stoa_allocator *allocator; ///< NULL: stoa_allocator_default; copied
} stoa_pool_desc;

/// Makes a pool; NULL on error, also if a thread cannot be started. `desc` may be NULL.
stoa_pool *stoa_pool_new(const stoa_pool_desc *desc);

/// Ends the threads and frees the pool; NULL is fine. Refused, with an error, while it is at work.
void stoa_pool_free(stoa_pool *pool);

/// How many threads work, the caller's included.
int32_t stoa_pool_threads(const stoa_pool *pool);

/// Calls `work` once for each lane, side by side, and waits for all of them.
/// The caller works as lane 0. A lane that no thread has begun by the time the caller is done is
/// worked by the caller. From 1 to stoa_pool_threads lanes; refused while the pool is at work.
stoa_status stoa_pool_run(stoa_pool *pool, int32_t lanes, stoa_pool_fn work, void *data);

/// The first half of stoa_pool_run: lets the other lanes begin; the caller is to work as lane 0.
stoa_status stoa_pool_start(stoa_pool *pool, int32_t lanes, stoa_pool_fn work, void *data);

/// The second half: returns when the other lanes have. For the thread that started them.
void stoa_pool_wait(stoa_pool *pool);

STOA_END

#endif

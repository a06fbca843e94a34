/* Threads, mutexes and conditions: POSIX threads under the names of this library.
 *
 * Nothing here allocates. The one variable belongs to the thread that sets it. Any thread. */
#if defined(__linux__)
#define _GNU_SOURCE
#else
#define _POSIX_C_SOURCE 200809L
#if defined(__APPLE__)
#define _DARWIN_C_SOURCE
#endif
#endif

#include "os/thread.h"

#include <sched.h>
#include <unistd.h>

/* Starts that are still tried, plus one; 0: no end to them. */
static _Thread_local int32_t tries;

static bool start_is_refused(void) {
    if (tries > 1) {
        tries--;
        return false;
    }
    return tries == 1;
}

static void *thread_main(void *data) {
    const stoa__thread *thread = data;
    thread->call(thread->data);
    return NULL;
}

bool stoa__thread_start(stoa__thread *thread, void (*call)(void *data), void *data) {
    thread->call = call;
    thread->data = data;
    return !start_is_refused() && pthread_create(&thread->handle, NULL, thread_main, thread) == 0;
}

void stoa__thread_join(stoa__thread *thread) {
    pthread_join(thread->handle, NULL);
}

int32_t stoa__thread_cores(void) {
#if defined(__linux__)
    /* A system with more cores than the set has room for is an error, and counted below. */
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return CPU_COUNT(&set);
    }
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 && online < INT32_MAX ? (int32_t)online : 1;
}

uintptr_t stoa__thread_self(void) {
    static _Thread_local char here;
    return (uintptr_t)&here;
}

void stoa__thread_yield(void) {
    sched_yield();
}

void stoa__thread_refuse_after(int32_t count) {
    tries = count >= 0 && count < INT32_MAX ? count + 1 : 0;
}

void stoa__mutex_init(stoa__mutex *mutex) {
    *mutex = (stoa__mutex){PTHREAD_MUTEX_INITIALIZER};
}

void stoa__mutex_fini(stoa__mutex *mutex) {
    pthread_mutex_destroy(&mutex->handle);
}

void stoa__mutex_lock(stoa__mutex *mutex) {
    pthread_mutex_lock(&mutex->handle);
}

void stoa__mutex_unlock(stoa__mutex *mutex) {
    pthread_mutex_unlock(&mutex->handle);
}

void stoa__condition_init(stoa__condition *condition) {
    *condition = (stoa__condition){PTHREAD_COND_INITIALIZER};
}

void stoa__condition_fini(stoa__condition *condition) {
    pthread_cond_destroy(&condition->handle);
}

void stoa__condition_wait(stoa__condition *condition, stoa__mutex *mutex) {
    pthread_cond_wait(&condition->handle, &mutex->handle);
}

void stoa__condition_wake(stoa__condition *condition) {
    pthread_cond_signal(&condition->handle);
}

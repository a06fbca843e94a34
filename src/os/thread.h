/* Threads of the operating system, and what they wait for each other with.
 *
 * A thread, a mutex or a condition must stay where it is while it is in use. Starting a thread may
 * be refused; the rest cannot fail if it is used as it is meant to be. */
#ifndef STOA_OS_THREAD_H
#define STOA_OS_THREAD_H

#include <pthread.h>

#include "stoa/compiler.h"

typedef struct stoa__thread {
    pthread_t handle;
    void (*call)(void *data);
    void *data;
} stoa__thread;

/* Starts a thread that calls a function and ends; false, and no thread, if the system refuses. */
bool stoa__thread_start(stoa__thread *thread, void (*call)(void *data), void *data);

/* Returns when the thread has ended. Once for each thread. */
void stoa__thread_join(stoa__thread *thread);

/* How many cores this process may run on; at least 1. */
int32_t stoa__thread_cores(void);

/* A number that no other living thread has; never 0. */
uintptr_t stoa__thread_self(void);

/* Lets another thread have the core. */
void stoa__thread_yield(void);

/* Tells the processor that this is a loop that waits. */
static inline void stoa__thread_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

/* A door for tests: of the starts by the calling thread that follow, the first `count` are tried
 * and all later ones are refused; a negative count refuses none. */
void stoa__thread_refuse_after(int32_t count);

typedef struct stoa__mutex {
    pthread_mutex_t handle;
} stoa__mutex;

void stoa__mutex_init(stoa__mutex *mutex);
void stoa__mutex_fini(stoa__mutex *mutex);
void stoa__mutex_lock(stoa__mutex *mutex);
void stoa__mutex_unlock(stoa__mutex *mutex);

typedef struct stoa__condition {
    pthread_cond_t handle;
} stoa__condition;

void stoa__condition_init(stoa__condition *condition);
void stoa__condition_fini(stoa__condition *condition);

/* Opens the mutex, sleeps until woken, locks it again. May wake for no reason. */
void stoa__condition_wait(stoa__condition *condition, stoa__mutex *mutex);

/* Wakes one thread that sleeps, if there is one. */
void stoa__condition_wake(stoa__condition *condition);

#endif

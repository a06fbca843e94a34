/* The monotonic clock, and sleeping by it.
 *
 * A signal does not end a sleep: what is left of it is slept after the handler. No state, so any
 * thread. */
#if defined(__linux__)
#define _GNU_SOURCE
#else
#define _POSIX_C_SOURCE 200809L
#endif

#include "os/clock.h"

#include <time.h>

#define SECOND UINT64_C(1000000000)

static struct timespec time_of(uint64_t nanoseconds) {
    struct timespec time = {0};
    time.tv_sec = (time_t)(nanoseconds / SECOND);
    time.tv_nsec = (long)(nanoseconds % SECOND);
    return time;
}

uint64_t stoa__clock_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

void stoa__clock_sleep_until(uint64_t when) {
    for (uint64_t now = stoa__clock_now(); now < when; now = stoa__clock_now()) {
#if defined(__linux__)
        const struct timespec end = time_of(when);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
#else
        const struct timespec left = time_of(when - now);
        nanosleep(&left, NULL);
#endif
    }
}

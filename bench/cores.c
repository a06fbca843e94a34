/* The cores that the program may run on.
 *
 * Rows with one thread are to stay where the program was put: a thread that is moved begins with
 * cold caches. Rows with more need as many cores as the system gives. */
#define _GNU_SOURCE
#include "bench.h"

#include <sched.h>
#include <stdbool.h>
#include <string.h>

/* Those at the start, once they have been left. */
static cpu_set_t cores_before;
static bool cores_wide;

int32_t bench_cores_widen(void) {
    cpu_set_t all;
    if (!cores_wide && sched_getaffinity(0, sizeof cores_before, &cores_before) != 0) {
        return 1;
    }
    /* The system leaves out what there is not. */
    memset(&all, 0xff, sizeof all);
    cores_wide = sched_setaffinity(0, sizeof all, &all) == 0 || cores_wide;
    return sched_getaffinity(0, sizeof all, &all) == 0 ? CPU_COUNT(&all) : 1;
}

void bench_cores_narrow(void) {
    if (cores_wide) {
        (void)sched_setaffinity(0, sizeof cores_before, &cores_before);
        cores_wide = false;
    }
}

/* Seeds of random tests, of the environment or in order. */
#include "support/seeds.h"

#include <stdlib.h>
#include <time.h>

static bool seed_is_running;
static uint64_t seed_running;

uint64_t support_environment(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

support_seeds support_seeds_of(uint64_t count) {
    uint64_t first = support_environment("STOA_SEED", 1);
    count = getenv("STOA_SEED") != NULL ? 1 : support_environment("STOA_ROUNDS", count);
    return (support_seeds){.seed = first - 1, .last = first - 1 + count};
}

bool support_seeds_next(support_seeds *seeds) {
    seed_is_running = seeds->seed != seeds->last;
    seeds->seed += seed_is_running;
    seed_running = seeds->seed;
    return seed_is_running;
}

uint32_t support_seeds_soak(uint32_t count, uint32_t batch,
                            void (*run)(uint32_t first, uint32_t last)) {
    if (getenv("STOA_SEED") != NULL) {
        uint32_t only = (uint32_t)support_environment("STOA_SEED", 0);
        run(only, only);
        return 1;
    }
    uint32_t next = 0;
    for (; next < count; next += batch) {
        run(next, next + batch - 1);
    }
    time_t seconds = (time_t)support_environment("STOA_SOAK_SECONDS", 0), start = time(NULL);
    while (seconds > 0 && time(NULL) - start < seconds) {
        run(next, next);
        next++;
    }
    if (seconds > 0) {
        print_message("%u seeds\n", (unsigned)next);
    }
    return next;
}

void support_seeds_stop(void) {
    seed_is_running = false;
}

int support_seed_show(void **state) {
    (void)state;
    if (seed_is_running) {
        print_error("seed %llu was running\n", (unsigned long long)seed_running);
    }
    seed_is_running = false;
    return 0;
}

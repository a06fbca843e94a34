/* The seeds of a random test, fixed unless the environment says otherwise.
 *
 * STOA_SEED=n runs that seed alone, STOA_ROUNDS=n so many seeds. A test that ends within a seed, as
 * a failing check does, has it printed by support_seed_show, its teardown. */
#ifndef STOA_TESTS_SUPPORT_SEEDS_H
#define STOA_TESTS_SUPPORT_SEEDS_H

#include "support/support.h"

/* The number that a variable of the environment holds; without one, another. */
uint64_t support_environment(const char *name, uint64_t otherwise);

/* Seeds one after the other:
 *
 *     for (support_seeds s = support_seeds_of(300); support_seeds_next(&s);) { ... s.seed ... } */
typedef struct support_seeds {
    uint64_t seed; /* the present one */
    uint64_t last;
} support_seeds;

/* From 1 on, so many as `count`. */
support_seeds support_seeds_of(uint64_t count);

/* Goes to the next seed; false if there is none. */
bool support_seeds_next(support_seeds *seeds);

/* Runs seeds 0 to `count` - 1 in batches of `batch`, and further ones, one by one, as long as the
 * STOA_SOAK_SECONDS of the environment last. Returns how many there were. */
uint32_t support_seeds_soak(uint32_t count, uint32_t batch,
                            void (*run)(uint32_t first, uint32_t last));

/* The present seed need not be shown any more. */
void support_seeds_stop(void);

/* A cmocka teardown: prints the seed that was running when the test ended, if one was. */
int support_seed_show(void **state);
#define support_seeds_test(name) cmocka_unit_test_teardown(name, support_seed_show)

#endif

/* Random numbers: a counter with an odd step, its value mixed.
 *
 * The state goes through all 2^64 values before one comes again, and the mixer maps each to a
 * number of its own: so no seed is a bad one. Streams start at mixed places of the same round.
 * O(1). A generator is used by one thread at a time. */
#include "stoa/random.h"

#include "base/error.h"
#include "base/hash.h"

/* The first 64 bits after the point of the square root of 29; it is odd. */
#define STEP UINT64_C(0x629a292a367cd507)

stoa_random stoa_random_new(uint64_t seed, uint64_t stream) {
    stoa_random random = {stoa__hash_mix(stoa__hash_mix(seed) ^ stream)};
    return random;
}

uint64_t stoa_random_bits(stoa_random *random) {
    if (random == NULL) {
        stoa__error(STOA_NULL_ARGUMENT, "the generator must not be null");
        return 0;
    }
    random->state += STEP;
    return stoa__hash_mix(random->state);
}

uint32_t stoa_random_below(stoa_random *random, uint32_t count) {
    uint64_t product = (stoa_random_bits(random) >> 32) * count;
    if ((uint32_t)product < count && random != NULL) {
        /* 2^32 numbers do not divide evenly among `count`: as many as are left over are drawn
         * again. */
        uint32_t left_over = (0 - count) % count;
        while ((uint32_t)product < left_over) {
            product = (stoa_random_bits(random) >> 32) * count;
        }
    }
    return (uint32_t)(product >> 32);
}

double stoa_random_unit(stoa_random *random) {
    return (double)(stoa_random_bits(random) >> 11) * 0x1.0p-53;
}

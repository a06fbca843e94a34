/* Random numbers that are the same on every machine for the same seed. Not for secrets. */
#ifndef STOA_RANDOM_H
#define STOA_RANDOM_H

#include "stoa/compiler.h"

STOA_BEGIN

/// A generator; any state is a good one. Copy it to go back to where it was.
typedef struct stoa_random {
    uint64_t state; ///< moves on with every number
} stoa_random;

/// A generator whose numbers depend on the seed and on a stream's number, such as an entity's.
stoa_random stoa_random_new(uint64_t seed, uint64_t stream);

/// The next 64 random bits.
uint64_t stoa_random_bits(stoa_random *random);

/// A number from 0 to `count` - 1, each as likely; 0 if `count` is 0.
uint32_t stoa_random_below(stoa_random *random, uint32_t count);

/// A number from 0 up to, but not including, 1.
double stoa_random_unit(stoa_random *random);

STOA_END

#endif

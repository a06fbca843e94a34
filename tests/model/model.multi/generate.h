/* Makes the operations of a trace one by one, from a seed and from what the reference holds by
 * then. */
#ifndef MODEL_GENERATE_H
#define MODEL_GENERATE_H

#include "reference.h"
#include "support/support.h"

typedef struct generator {
    support_random random;
    uint32_t types;   /* the set of components this seed uses */
    int32_t target;   /* live entities around which it stays */
    int32_t bulk_max; /* largest bulk */
    uint32_t kept;    /* query slots in use */
} generator;

/* Settles what kind of world a seed makes: few or many components, small or large. */
void generator_init(generator *g, uint32_t seed);

/* The next operation. */
void generator_next(generator *g, const reference *r, int32_t number, op *o);

#endif

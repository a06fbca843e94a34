/* Makes the operations of a trace one by one, from a seed and from what the reference holds by
 * then. */
#ifndef MODEL_GENERATE_H
#define MODEL_GENERATE_H

#include "reference.h"
#include "support/support.h"

/* What a seed may do without, so that the short ways of the world are taken too. */
typedef enum generator_family {
    FAMILY_HOOKS = 1,
    FAMILY_OBSERVERS = 2,
    FAMILY_LOG = 4,
    FAMILY_COMMANDS = 8,
    FAMILY_EVENTS = 16,
    FAMILY_ACTIONS = 32, /* hooks that act */
    FAMILY_WHOLE = 64
} generator_family;

typedef struct generator {
    support_random random;
    uint32_t types;   /* the set of components this seed uses */
    int32_t target;   /* live entities around which it stays */
    int32_t bulk_max; /* largest bulk */
    uint32_t kept;    /* query slots in use */
    uint32_t skipped; /* families of operations that this seed does without, of generator_family */
} generator;

/* Settles what kind of world a seed makes: few or many components, small or large. */
void generator_init(generator *g, uint32_t seed);

/* The next operation. */
void generator_next(generator *g, const reference *r, int32_t number, op *o);

#endif

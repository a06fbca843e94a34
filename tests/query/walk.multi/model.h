/* A model of queries over every kind of component in every role.
 *
 * It keeps what each entity should have, what is off, and when it was added and written. It
 * knows nothing of chunks, so for components without ticks of their own the world's word is taken
 * for what it may report beyond that. */
#ifndef STOA_TESTS_WALK_MODEL_H
#define STOA_TESTS_WALK_MODEL_H

#include "support/support.h"

#define KINDS 9
#define SLOTS 6000
#define QUERIES 6

extern stoa_type *const model_types[KINDS];

typedef struct model_entity {
    stoa_entity e; /* null: dead */
    bool has[KINDS];
    bool off[KINDS];
    uint32_t changed[KINDS];
    uint32_t added[KINDS];
} model_entity;

typedef struct model {
    stoa_world *w;
    support_random random;
    stoa_component ids[KINDS];
    int sparse_chance; /* of 100: how often an entity gets a sparse component */
    uint32_t top;      /* slots that may be in use */
    model_entity slots[SLOTS];
} model;

/* A query and what the model knows of it. */
typedef struct model_query {
    stoa_query *query;
    int32_t count;
    int32_t kinds[STOA_TERM_MAX];
    stoa_term terms[STOA_TERM_MAX];
    bool ran;
    bool timed;
    uint32_t last_run;
} model_query;

/* Opens a world and fills it: `many` entities of a few bundles, as many of any. */
void model_open(model *m, support_world *s, uint64_t seed, int sparse_chance, int32_t many);

/* A number below n; true so often of 100. */
uint32_t model_below(model *m, uint32_t n);
bool model_chance(model *m, uint32_t percent);

/* True if components of the kind have a flag of stoa_type_flag. */
bool model_flag(int32_t kind, uint32_t flag);

/* Changes the world at random, and the model with it. */
void model_shake(model *m, int32_t steps);

/* Makes a query with random terms. */
void model_query_make(model *m, model_query *q);

/* Asks and iterates the query in several ways, all of which must agree with the model. */
void model_query_check(model *m, model_query *q);

#endif

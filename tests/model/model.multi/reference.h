/* The reference: what a world holds, in the simplest way that can be right.
 *
 * One struct per entity ever made, with a set of components and the bytes of each. No archetypes,
 * no chunks. */
#ifndef MODEL_REFERENCE_H
#define MODEL_REFERENCE_H

#include "trace.h"

/* One entity, living or dead. */
typedef struct being {
    stoa_entity handle;
    bool alive;
    uint32_t has;       /* set of its components */
    int32_t live_place; /* in the list of the living */
    int32_t maker;      /* number of the op that made it */
    int32_t maker_item; /* which of that op's it is */
    uint32_t seen;      /* the last walk that met it */
    uint8_t values[TYPE_VALUES_SIZE];
} being;

/* Ways in which the reference can be told to be wrong, to prove that it would be noticed. */
typedef enum reference_fault {
    FAULT_NONE,
    FAULT_REMOVE_KEEPS, /* a component removed stays */
    FAULT_CLEAR_KEEPS,  /* a cleared entity keeps one component */
    FAULT_CHANGE_KEEPS, /* a change that adds does not take away */
    FAULT_CLONE_LOSES,  /* a clone lacks a tag */
    FAULT_BULK_SHIFTS,  /* the last of a bulk has the value of the one before */
    FAULT_ANY_IS_ALL,   /* an any-of group asks for all */
    FAULT_WALK_FORGETS, /* what a walk writes is not kept */
    FAULT_COUNT
} reference_fault;

typedef struct reference {
    being *items; /* in order of creation */
    int32_t count;
    int32_t capacity;
    int32_t *live; /* indexes of the living, in no order */
    int32_t live_count;
    int32_t *owners;       /* by slot: the last being in it, -1: none */
    uint32_t *generations; /* by slot: the last one issued */
    uint32_t slot_capacity;
    int32_t *made_first; /* by op number: the first being it made, -1: none */
    int32_t *made_count;
    int32_t op_capacity;
    int32_t held[TYPE_COUNT]; /* how many live entities have each type */
    reference_fault fault;
} reference;

void reference_init(reference *r, int32_t op_capacity);
void reference_fini(reference *r);

/* Takes in a new entity; NULL if its handle cannot be right. */
being *reference_add(reference *r, int32_t op_number, stoa_entity handle);

/* The being that an op works on, NULL if it was never made. */
being *reference_of(const reference *r, const op *o);

/* The living being of a handle, or NULL. */
being *reference_find(const reference *r, stoa_entity handle);

void reference_destroy(reference *r, being *b);

/* Gives a component with a value, or takes one away. `value` NULL: zeroed. */
void reference_put(reference *r, being *b, int type, const void *value);
void reference_drop(reference *r, being *b, int type);

/* The bytes of a being's component. */
uint8_t *reference_value(being *b, int type);

/* What a query asks of an entity's set of components. */
typedef struct query_shape {
    uint32_t required;
    uint32_t excluded;
    uint32_t any[3]; /* by group; no types: no such group */
} query_shape;

/* The shape of an op's terms. */
query_shape reference_shape(const op *query);

/* True if a query of that shape has the being. */
bool reference_matches(const reference *r, const query_shape *shape, const being *b);

#endif

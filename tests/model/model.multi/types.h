/* The components of the model test: every size class, tags, and two that own something.
 *
 * A type is known by its number here, whatever id a world gives it. Two of them have hooks and keep
 * a register of their instances, in which each must be made, moved, copied and dropped once. */
#ifndef MODEL_TYPES_H
#define MODEL_TYPES_H

#include "stoa.h"

enum {
    TYPE_BYTE,   /* 1 byte */
    TYPE_SCORE,  /* 4 bytes */
    TYPE_RATIO,  /* 8 bytes, described at run time */
    TYPE_PLACE,  /* 12 bytes */
    TYPE_WIDE,   /* 16 bytes, described at run time */
    TYPE_PADDED, /* 24 bytes, of which 11 are padding */
    TYPE_LINE,   /* 64 bytes on a 64-byte boundary, opaque, described at run time */
    TYPE_LARGE,  /* 200 bytes, described at run time */
    TYPE_FROZEN, /* tag */
    TYPE_MARKED, /* tag, described at run time */
    TYPE_OWNED,  /* drop, move and copy */
    TYPE_LEASE,  /* drop only: moved as bytes, never copied */
    TYPE_COUNT
};

/* All types, as a set. */
#define TYPE_ALL ((1u << TYPE_COUNT) - 1)
/* Bytes that hold one value of each. */
#define TYPE_VALUES_SIZE 384

/* What the test knows of a type. */
typedef struct model_type {
    const char *name;
    uint32_t size;
    uint32_t alignment;
    uint32_t offset;       /* among the values of one entity of the reference */
    stoa_type *descriptor; /* NULL: described at run time */
} model_type;

/* The instances of the types that own something; one register at a time. */
typedef struct model_lives {
    void **places;   /* where instance i is, for TYPE_OWNED */
    uint8_t *states; /* 1: lives */
    uint32_t count;  /* instances ever made, the reserved number 0 included */
    uint32_t capacity;
    int32_t live[2];   /* of TYPE_OWNED and TYPE_LEASE, the zeroed ones included */
    int32_t frees;     /* calls of user_free */
    bool copy_refused; /* the next copy fails */
    const char *fault; /* the first thing that was wrong, or NULL */
} model_lives;

extern const model_type model_types[TYPE_COUNT];
extern model_lives model_lives_now;

/* Forgets every instance. */
void model_lives_reset(void);

/* The number the next instance will get. */
uint32_t model_lives_next(void);

/* Tells that a zeroed value of a type was made. */
void model_lives_zeroed(int type);

/* Instances of a type that live. */
int32_t model_lives_count(int type);

/* Registers a type in a world; 0 on error. */
stoa_component model_type_register(stoa_world *world, int type);

/* Makes the value that belongs to `seed`; `padding` goes where no field is. */
void model_value_make(int type, uint32_t seed, uint8_t padding, void *bytes);

/* Changes a value in place to what belongs to `seed`, as a program does through a column. */
void model_value_write(int type, uint32_t seed, void *bytes);

/* Ends a value that no world took. */
void model_value_drop(int type, void *bytes);

/* True if all fields are the same. */
bool model_value_equal(int type, const void *a, const void *b);

/* The instance a copy of a value would be, in place; for the types that own something. */
void model_value_rename(int type, void *bytes, uint32_t instance);

#endif

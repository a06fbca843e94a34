/* The components of the model test: every size class and kind of storage, tags, and three that own
 * something.
 *
 * A type is known by its number here, whatever id a world gives it. Those that own something keep a
 * register of their instances, in which each must be made, moved, copied and dropped once. */
#ifndef MODEL_TYPES_H
#define MODEL_TYPES_H

#include "stoa.h"

enum {
    TYPE_BYTE,    /* 1 byte */
    TYPE_SCORE,   /* 4 bytes */
    TYPE_RATIO,   /* 8 bytes, described at run time */
    TYPE_PLACE,   /* 12 bytes */
    TYPE_WIDE,    /* 16 bytes, described at run time */
    TYPE_PADDED,  /* 24 bytes, of which 11 are padding */
    TYPE_LINE,    /* 64 bytes on a 64-byte boundary, opaque, described at run time */
    TYPE_LARGE,   /* 200 bytes, described at run time */
    TYPE_FROZEN,  /* tag */
    TYPE_MARKED,  /* tag, described at run time */
    TYPE_OWNED,   /* drop, move and copy */
    TYPE_LEASE,   /* drop only: moved as bytes, never copied */
    TYPE_SHIELD,  /* 8 bytes, switchable */
    TYPE_ASLEEP,  /* tag, switchable, described at run time */
    TYPE_HEALTH,  /* 4 bytes, ticks for each row */
    TYPE_STAMP,   /* 16 bytes, ticks for each row, switchable, described at run time */
    TYPE_SCENT,   /* tag, ticks for each row, described at run time */
    TYPE_HEAT,    /* 4 bytes, sparse */
    TYPE_BURNING, /* tag, sparse, described at run time */
    TYPE_CURSE,   /* 12 bytes, sparse, switchable */
    TYPE_LOOT,    /* drop, move and copy, sparse, described at run time */
    TYPE_COUNT
};

/* Sets of types. */
#define TYPE_BIT(type) (1u << (type))
#define TYPE_ALL ((1u << TYPE_COUNT) - 1)
#define TYPE_SPARSES                                                                               \
    (TYPE_BIT(TYPE_HEAT) | TYPE_BIT(TYPE_BURNING) | TYPE_BIT(TYPE_CURSE) | TYPE_BIT(TYPE_LOOT))
#define TYPE_SWITCHES                                                                              \
    (TYPE_BIT(TYPE_SHIELD) | TYPE_BIT(TYPE_ASLEEP) | TYPE_BIT(TYPE_STAMP) | TYPE_BIT(TYPE_CURSE))
/* Those whose change filters are exact. */
#define TYPE_EXACTS                                                                                \
    (TYPE_SPARSES | TYPE_BIT(TYPE_HEALTH) | TYPE_BIT(TYPE_STAMP) | TYPE_BIT(TYPE_SCENT))
/* Bytes that hold one value of each. */
#define TYPE_VALUES_SIZE 432
/* Types that own something. */
#define TYPE_OWNERS 3

/* What the test knows of a type. */
typedef struct model_type {
    const char *name;
    uint32_t size;
    uint32_t alignment;
    uint32_t offset;       /* among the values of one entity of the reference */
    stoa_type *descriptor; /* NULL: described at run time */
    int owner;             /* which of those that own something, from 1; 0: owns nothing */
} model_type;

/* The instances of the types that own something; one register at a time. */
typedef struct model_lives {
    void **places;   /* where instance i is, for types that are moved by a hook */
    uint8_t *states; /* 1: lives */
    uint32_t count;  /* instances ever made, the reserved number 0 included */
    uint32_t capacity;
    int32_t live[TYPE_OWNERS];   /* instances of each */
    int32_t zeroed[TYPE_OWNERS]; /* values of each that are zeroed and own nothing */
    int32_t frees;               /* calls of user_free */
    bool copy_refused;           /* the next copy fails */
    const char *fault;           /* the first thing that was wrong, or NULL */
} model_lives;

extern const model_type model_types[TYPE_COUNT];
extern model_lives model_lives_now;

/* Forgets every instance. */
void model_lives_reset(void);

/* The number the next instance will get. */
uint32_t model_lives_next(void);

/* Tells that zeroed values of a type were made, or for a negative count were not. */
void model_lives_zeroed(int type, int32_t count);

/* Instances of a type that live, and its zeroed values; for types that own something. */
int32_t model_lives_count(int type);
int32_t model_lives_zeros(int type);

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

/* The instance of a value; 0 if it is zeroed or of a type that owns nothing. */
uint32_t model_value_instance(int type, const void *bytes);

/* Gives a value another instance; for the types that own something. */
void model_value_rename(int type, void *bytes, uint32_t instance);

/* A number made of what a value says, whichever instance it is and whatever its padding. */
uint32_t model_value_digest(int type, const void *bytes);

#endif

/* Sorting, as its files see it: rows to be put in order, and the ways to do so. */
#ifndef STOA_MODEL_SORT_H
#define STOA_MODEL_SORT_H

#include "base/heap.h"
#include "stoa/component.h"
#include "stoa/sort.h"

/* A part of the rows: up to `mask` + 1 of them, one after the other. */
typedef struct stoa__sort_block {
    const uint8_t *values; /* NULL for a tag */
    const stoa_entity *entities;
} stoa__sort_block;

/* The rows of one archetype, or the positions of a sparse set: row i is in block i >> shift. */
typedef struct stoa__sort_rows {
    const stoa__sort_block *blocks;
    uint32_t count;
    uint32_t size; /* of a value */
    uint32_t shift;
    uint32_t mask;
} stoa__sort_rows;

/* How the bytes of a key are read. */
#define STOA__SORT_KINDS(X)                                                                        \
    X(BOOL)                                                                                        \
    X(I8) X(I16) X(I32) X(I64) X(U8) X(U16) X(U32) X(U64) X(F32) X(F64) X(ENTITY)

typedef enum stoa__sort_kind {
#define STOA__SORT_CODE(kind) STOA__SORT_##kind,
    STOA__SORT_KINDS(STOA__SORT_CODE)
#undef STOA__SORT_CODE
} stoa__sort_kind;

/* A number in a component. */
typedef struct stoa__sort_key {
    stoa__sort_kind kind;
    uint32_t offset;
    bool descending;
} stoa__sort_key;

/* A comparison: one of the two functions. */
typedef struct stoa__sort_by {
    stoa_compare_fn values;
    stoa_compare_entities_fn entities;
    void *user;
} stoa__sort_by;

/* Finds the key that a path names. STOA_SYNTAX, STOA_NOT_FOUND and STOA_INVALID are set with the
 * column of the mistake, not reported. */
stoa_status stoa__sort_field_find(const stoa_world *world, stoa_component id, const char *path,
                                  stoa__sort_key *key);

/* Both give the order of the rows, from the heap, or NULL if they are sorted already;
 * STOA_NO_MEMORY is set, not reported. */
stoa_status stoa__sort_by_key(stoa__heap *heap, const stoa__sort_rows *rows,
                              const stoa__sort_key *key, int32_t **order);
stoa_status stoa__sort_by_function(stoa__heap *heap, const stoa__sort_rows *rows,
                                   const stoa__sort_by *by, int32_t **order);

#endif

/* Entity handles: an index into the world's entity table and the generation it was issued with. */
#ifndef STOA_ENTITY_H
#define STOA_ENTITY_H

#include "stoa/compiler.h"

STOA_BEGIN

/// A handle to an entity; never refers to another one, however long it is kept.
typedef struct stoa_entity {
    uint32_t index;      ///< slot in the world's entity table, 0 for none
    uint32_t generation; ///< how the slot's tenants are told apart, from 1
} stoa_entity;

#ifdef __cplusplus
/// The handle of no entity; a zeroed handle is the same.
#define STOA_NULL (stoa_entity{0, 0})
#else
/// The handle of no entity; a zeroed handle is the same.
#define STOA_NULL ((stoa_entity){0, 0})
#endif

/// True for the handle of no entity.
static inline bool stoa_entity_is_null(stoa_entity e) {
    return e.index == 0 && e.generation == 0;
}

/// True if both are the same handle.
static inline bool stoa_entity_eq(stoa_entity a, stoa_entity b) {
    return a.index == b.index && a.generation == b.generation;
}

/// The handle as one number, without loss.
static inline uint64_t stoa_entity_pack(stoa_entity e) {
    return (uint64_t)e.generation << 32 | e.index;
}

/// The handle that stoa_entity_pack made a number of.
static inline stoa_entity stoa_entity_unpack(uint64_t number) {
    stoa_entity e = {(uint32_t)number, (uint32_t)(number >> 32)};
    return e;
}

/// A well mixed number for hash tables; the same on every machine.
uint64_t stoa_entity_hash(stoa_entity e);

/// Bytes that hold any printed handle with its final zero.
#define STOA_ENTITY_TEXT_SIZE 24

/// Writes a handle as `17v3` and returns `buffer`; cut to fit if `size` is too small.
char *stoa_entity_print(stoa_entity e, char *buffer, size_t size);

STOA_END

#endif

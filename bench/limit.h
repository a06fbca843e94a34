/* The limit: what an expert writes who needs this one job and nothing else.
 *
 * Entities are handles with a generation. Records sit in one flat array, the free list running
 * through the dead ones. Components sit in one array each per set of components, rows without
 * holes. No growth, no errors, no types at run time: sizes are known beforehand. A job on many
 * entities does one after the other and none looks ahead at the next, since a program that works on
 * one entity does not know which comes after. */
#ifndef BENCH_LIMIT_H
#define BENCH_LIMIT_H

#include "bench.h"
#include "data.h"

#include <string.h>

/* Keeps a job a function of its own: neither inlined nor known by its caller to have no effect. */
#if defined(__clang__)
#define LIMIT_JOB __attribute__((noinline))
#else
#define LIMIT_JOB __attribute__((noipa))
#endif

typedef struct limit_entity {
    uint32_t index;
    uint32_t generation; /* odd */
} limit_entity;

/* `place` is the table and row of a live entity, the next free slot of a dead one. */
typedef struct limit_record {
    uint32_t generation; /* odd while alive */
    uint32_t place;
} limit_record;

#define LIMIT_ROW_BITS 28
#define LIMIT_ROW_MASK ((1u << LIMIT_ROW_BITS) - 1)

/* The entities; slot 0 is no entity and ends the free list. */
typedef struct limit_index {
    limit_record *records;
    uint32_t count; /* slots ever used, slot 0 included */
    uint32_t free;
} limit_index;

/* Entities with a position, and with a velocity or without. */
typedef struct limit_table {
    uint32_t *entities; /* row to slot */
    Position *positions;
    Velocity *velocities;
    uint32_t count;
} limit_table;

/* Entities of one table, and the one block that holds it all. */
typedef struct limit_world {
    limit_index index;
    limit_table table;
    uint8_t *memory;
    size_t memory_size;
} limit_world;

/* A handle or a record by one load, on a little-endian machine: the fewer loads, the more look-ups
 * wait for memory at the same time. */
static inline uint64_t limit_bits(const void *from) {
    uint64_t bits;
    memcpy(&bits, from, sizeof bits);
    return bits;
}

static inline limit_entity limit_index_take(limit_index *index, uint32_t place) {
    uint32_t slot = index->free;
    if (slot == 0) {
        slot = index->count++;
    } else {
        index->free = index->records[slot].place;
    }
    limit_record *record = &index->records[slot];
    uint32_t generation = record->generation + 1;
    *record = (limit_record){generation, place};
    return (limit_entity){slot, generation};
}

static inline void limit_index_give(limit_index *index, limit_entity e) {
    index->records[e.index] = (limit_record){e.generation + 1, index->free};
    index->free = e.index;
}

/* Cuts an array out of a block. Each begins a cache line later than need be, so that equal rows of
 * columns of equal length do not fall into the same cache sets. */
void *limit_carve(uint8_t *memory, size_t *used, size_t count, size_t size);

limit_world limit_world_new(int32_t capacity);
void limit_world_free(limit_world *world);

/* Makes n entities one by one, entity i with the values of number i. */
void limit_world_create(limit_world *world, int32_t n, limit_entity *entities);

/* Ends entities one by one and returns how many were dead already. */
int32_t limit_world_destroy(limit_world *world, int32_t n, const limit_entity *entities);

/* The same where the list is known: what the next ones need is asked for ahead of their turn. */
int32_t limit_world_destroy_list(limit_world *world, int32_t n, const limit_entity *entities);

/* Weighs all positions, entity by entity, and counts the rows. */
double limit_world_weigh(const limit_world *world, int32_t n, const limit_entity *entities);

#endif

/* Two sets of arrays, for limits that move rows from one to the other: entities with a position,
 * and those that have a velocity beside it. A job holds a copy of the pair in locals and writes it
 * back at its end. */
#ifndef BENCH_LIMIT_PAIR_H
#define BENCH_LIMIT_PAIR_H

#include "limit.h"

#include <stdbool.h>

#define LIMIT_WITH (1u << LIMIT_ROW_BITS)

typedef struct limit_pair {
    limit_index index;
    limit_table without;
    limit_table with;
    uint8_t *memory;
    size_t memory_size;
} limit_pair;

/* Whom to tell of a velocity that is new. */
typedef struct limit_hook {
    void (*call)(limit_entity e, Velocity *value, void *user);
    void *user;
} limit_hook;

/* n entities with positions, entity i with that of number i. */
limit_pair limit_pair_new(int32_t n, limit_entity *entities);
void limit_pair_free(limit_pair *pair);

/* Takes the velocity from each that has one. */
void limit_pair_strip(limit_pair *pair, int32_t n, const limit_entity *entities);

/* Weighs all velocities and all positions, entity by entity, and counts the rows that have both. */
double limit_pair_weigh(const limit_pair *pair, int32_t n, const limit_entity *entities);

/* Adds a velocity or overwrites it; false if the entity is dead. */
static inline bool limit_pair_set(limit_pair *pair, limit_entity e, Velocity v,
                                  const limit_hook *hook) {
    limit_record *records = pair->index.records;
    limit_table *from = &pair->without;
    limit_table *to = &pair->with;
    limit_record record = records[e.index];
    if (record.generation != e.generation) {
        return false;
    }
    if ((record.place & LIMIT_WITH) != 0) {
        to->velocities[record.place & LIMIT_ROW_MASK] = v;
        return true;
    }
    uint32_t row = record.place;
    uint32_t last = --from->count;
    uint32_t target = to->count++;
    to->entities[target] = e.index;
    to->positions[target] = from->positions[row];
    to->velocities[target] = v;
    records[e.index].place = target | LIMIT_WITH;
    if (row != last) {
        uint32_t moved = from->entities[last];
        from->entities[row] = moved;
        from->positions[row] = from->positions[last];
        records[moved].place = row;
    }
    if (hook != NULL) {
        hook->call(e, &to->velocities[target], hook->user);
    }
    return true;
}

#endif

/* The limit's entities and their one table: making, filling and emptying it.
 *
 * What the loops change is held in locals: through a pointer it would be read anew after every
 * store. */
#include "limit.h"

#include <stdbool.h>

void *limit_carve(uint8_t *memory, size_t *used, size_t count, size_t size) {
    size_t start = *used;
    *used = ((start + count * size + 63) & ~(size_t)63) + 64;
    return memory + start;
}

limit_world limit_world_new(int32_t capacity) {
    limit_world world = {.index = {.count = 1}};
    size_t n = (size_t)capacity;
    size_t row = sizeof(limit_record) + sizeof(uint32_t) + sizeof(Position) + sizeof(Velocity);
    world.memory_size = (n + 1) * row + (size_t)4 * 128;
    world.memory = bench_map(world.memory_size);
    size_t used = 0;
    world.index.records = limit_carve(world.memory, &used, n + 1, sizeof(limit_record));
    world.table.entities = limit_carve(world.memory, &used, n, sizeof(uint32_t));
    world.table.positions = limit_carve(world.memory, &used, n, sizeof(Position));
    world.table.velocities = limit_carve(world.memory, &used, n, sizeof(Velocity));
    return world;
}

void limit_world_free(limit_world *world) {
    bench_unmap(world->memory, world->memory_size);
}

LIMIT_JOB void limit_world_create(limit_world *world, int32_t n, limit_entity *restrict entities) {
    limit_index index = world->index;
    limit_table table = world->table;
    for (int32_t i = 0; i < n; i++) {
        uint32_t row = table.count++;
        entities[i] = limit_index_take(&index, row);
        table.entities[row] = entities[i].index;
        table.positions[row] = data_position(i);
        table.velocities[row] = data_velocity(i);
    }
    world->index = index;
    world->table = table;
}

/* Ends an entity; false if it was dead already. */
static inline bool entity_end(limit_index *index, limit_table *table, limit_entity e) {
    limit_record record = index->records[e.index];
    if (record.generation != e.generation) {
        return false;
    }
    uint32_t row = record.place;
    uint32_t last = --table->count;
    if (row != last) {
        uint32_t moved = table->entities[last];
        table->entities[row] = moved;
        table->positions[row] = table->positions[last];
        table->velocities[row] = table->velocities[last];
        index->records[moved].place = row;
    }
    limit_index_give(index, e);
    return true;
}

LIMIT_JOB int32_t limit_world_destroy(limit_world *world, int32_t n,
                                      const limit_entity *restrict entities) {
    limit_index index = world->index;
    limit_table table = world->table;
    int32_t refused = 0;
    for (int32_t i = 0; i < n; i++) {
        refused += !entity_end(&index, &table, entities[i]);
    }
    world->index = index;
    world->table = table;
    return refused;
}

/* How far ahead: 32 takes 6.8 ns, 16 takes 8.1, 8 takes 10, and 48 takes 7.1. */
#define LIST_AHEAD 32

LIMIT_JOB int32_t limit_world_destroy_list(limit_world *world, int32_t n,
                                           const limit_entity *restrict entities) {
    limit_index index = world->index;
    limit_table table = world->table;
    int32_t refused = 0;
    for (int32_t i = 0; i < n; i++) {
        if (i + 2 * LIST_AHEAD < n) {
            __builtin_prefetch(&index.records[entities[i + 2 * LIST_AHEAD].index]);
        }
        if (i + LIST_AHEAD < n) {
            uint32_t soon = index.records[entities[i + LIST_AHEAD].index].place;
            __builtin_prefetch(&table.entities[soon]);
            __builtin_prefetch(&table.positions[soon]);
            __builtin_prefetch(&table.velocities[soon]);
        }
        if (table.count > LIST_AHEAD) {
            __builtin_prefetch(&index.records[table.entities[table.count - LIST_AHEAD]]);
        }
        refused += !entity_end(&index, &table, entities[i]);
    }
    world->index = index;
    world->table = table;
    return refused;
}

double limit_world_weigh(const limit_world *world, int32_t n, const limit_entity *entities) {
    double sum = world->table.count;
    for (int32_t i = 0; i < n; i++) {
        limit_record record = world->index.records[entities[i].index];
        if (record.generation == entities[i].generation) {
            sum += data_weigh(i, world->table.positions[record.place]);
        }
    }
    return sum;
}

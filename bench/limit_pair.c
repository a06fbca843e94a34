/* The two sets of arrays that rows move between: making them, and undoing and weighing what a job
 * did to them. Nothing here is timed. */
#include "limit_pair.h"

static void table_carve(limit_table *table, uint8_t *memory, size_t *used, size_t n) {
    table->entities = limit_carve(memory, used, n, sizeof(uint32_t));
    table->positions = limit_carve(memory, used, n, sizeof(Position));
    table->velocities = limit_carve(memory, used, n, sizeof(Velocity));
}

limit_pair limit_pair_new(int32_t n, limit_entity *entities) {
    limit_pair pair = {.index = {.count = 1}};
    size_t rows = (size_t)n;
    size_t row = sizeof(uint32_t) + sizeof(Position) + sizeof(Velocity);
    pair.memory_size = (rows + 1) * (sizeof(limit_record) + 2 * row) + (size_t)7 * 128;
    pair.memory = bench_map(pair.memory_size);
    size_t used = 0;
    pair.index.records = limit_carve(pair.memory, &used, rows + 1, sizeof(limit_record));
    table_carve(&pair.without, pair.memory, &used, rows);
    table_carve(&pair.with, pair.memory, &used, rows);
    for (int32_t i = 0; i < n; i++) {
        uint32_t place = pair.without.count++;
        entities[i] = limit_index_take(&pair.index, place);
        pair.without.entities[place] = entities[i].index;
        pair.without.positions[place] = data_position(i);
    }
    return pair;
}

void limit_pair_free(limit_pair *pair) {
    bench_unmap(pair->memory, pair->memory_size);
}

static void velocity_remove(limit_pair *pair, limit_entity e) {
    limit_record *records = pair->index.records;
    limit_table *from = &pair->with;
    limit_table *to = &pair->without;
    uint32_t row = records[e.index].place & LIMIT_ROW_MASK;
    uint32_t last = --from->count;
    uint32_t target = to->count++;
    to->entities[target] = e.index;
    to->positions[target] = from->positions[row];
    records[e.index].place = target;
    if (row != last) {
        uint32_t moved = from->entities[last];
        from->entities[row] = moved;
        from->positions[row] = from->positions[last];
        from->velocities[row] = from->velocities[last];
        records[moved].place = row | LIMIT_WITH;
    }
}

void limit_pair_strip(limit_pair *pair, int32_t n, const limit_entity *entities) {
    for (int32_t i = 0; i < n; i++) {
        if ((pair->index.records[entities[i].index].place & LIMIT_WITH) != 0) {
            velocity_remove(pair, entities[i]);
        }
    }
}

double limit_pair_weigh(const limit_pair *pair, int32_t n, const limit_entity *entities) {
    double sum = pair->with.count;
    for (int32_t i = 0; i < n; i++) {
        uint32_t place = pair->index.records[entities[i].index].place;
        bool with = (place & LIMIT_WITH) != 0;
        uint32_t row = place & LIMIT_ROW_MASK;
        sum += data_weigh(i, with ? pair->with.positions[row] : pair->without.positions[row]);
        if (with) {
            Velocity v = pair->with.velocities[row];
            sum += data_weigh(i, (Position){v.x, v.y, v.z});
        }
    }
    return sum;
}

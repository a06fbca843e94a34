/* What the rows on prefabs make entities of. */
#ifndef BENCH_PREFAB_H
#define BENCH_PREFAB_H

#include "data.h"

typedef struct Health {
    int32_t points;
    int32_t most;
} Health;

/* The values that every entity starts with. */
typedef struct prefab_values {
    Position position;
    Velocity velocity;
    Health health;
} prefab_values;

static inline prefab_values prefab_values_new(void) {
    return (prefab_values){{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}, {80, 100}};
}

static inline double prefab_weigh(int32_t i, Position p, Velocity v, Health h) {
    return data_weigh(i, p) + data_weigh(i, (Position){v.x, v.y, v.z}) + h.points + h.most;
}

#endif

/* The data of a crowd, and the loops over long columns, which are functions that both sides call:
 * where a loop of five instructions lies in the program decides up to half of its speed, and would
 * be measured in place of what is different between the sides. */
#include "data.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GRIND_STEPS 100

#define ONE_FOR_BOTH __attribute__((noinline, aligned(64)))

ONE_FOR_BOTH void data_shift_long(Position *positions, int32_t n) {
    data_shift(positions, n);
}

ONE_FOR_BOTH void data_move_long(Position *positions, const Velocity *velocities, int32_t n) {
    data_move(positions, velocities, n);
}

ONE_FOR_BOTH void data_grind(Position *positions, const Velocity *velocities, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        float x = positions[i].x;
        for (int32_t step = 0; step < GRIND_STEPS; step++) {
            x = sqrtf(x * velocities[i].z + 1.0f);
        }
        positions[i].y += x;
    }
}

data_crowd data_crowd_new(int32_t n) {
    data_crowd crowd;
    crowd.positions = bench_alloc((size_t)n, sizeof *crowd.positions);
    crowd.velocities = bench_alloc((size_t)n, sizeof *crowd.velocities);
    crowd.order = bench_order(n);
    for (int32_t i = 0; i < n; i++) {
        crowd.positions[i] = data_position(i);
        crowd.velocities[i] = data_velocity(i);
    }
    return crowd;
}

void data_crowd_free(data_crowd *crowd) {
    free(crowd->positions);
    free(crowd->velocities);
    free(crowd->order);
}

uint8_t *data_share(int32_t n, int32_t percent) {
    uint8_t *chosen = bench_alloc((size_t)n, sizeof *chosen);
    uint32_t *order = bench_order(n);
    int32_t count = (int32_t)((int64_t)n * percent / 100);
    for (int32_t i = 0; i < count; i++) {
        chosen[order[i]] = 1;
    }
    free(order);
    return chosen;
}

void data_name(int32_t i, char text[DATA_NAME_SIZE]) {
    static const char *const kinds[] = {"unit", "tower", "gate", "wall.segment"};
    (void)snprintf(text, DATA_NAME_SIZE, "%s_%d", kinds[i % 4], (int)i);
}

char (*data_names(int32_t n))[DATA_NAME_SIZE] {
    char(*names)[DATA_NAME_SIZE] = bench_alloc((size_t)n, DATA_NAME_SIZE);
    uint32_t *order = bench_order(n);
    for (int32_t i = 0; i < n; i++) {
        data_name((int32_t)order[i], names[i]);
    }
    free(order);
    return names;
}

void data_sort_mix(Position *positions, int32_t n, uint64_t *seed) {
    uint64_t state = *seed;
    for (int32_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        positions[i].z = (float)(state >> 32) * (1000.0f / 4294967296.0f);
    }
    *seed = state;
}

int data_sort_compare(const void *a, const void *b, void *user) {
    (void)user;
    float x = ((const Position *)a)->z, y = ((const Position *)b)->z;
    return (x > y) - (x < y);
}

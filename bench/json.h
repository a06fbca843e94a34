/* The texts of the rows on JSON: a world in one line, an object for each entity.
 *
 * Numbers are such as simulations have: some short, some with all their digits. */
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include <stddef.h>

#include "data.h"

static inline Position json_position(int32_t i) {
    return (Position){(float)i * 0.37f, (float)(i % 1000) / 8, 1.0f / (float)(i + 1)};
}

static inline Velocity json_velocity(int32_t i) {
    return (Velocity){(float)(i % 17) - 8, (float)i * 1e-3f, 0};
}

/* Bytes that one entity takes at most. */
#define JSON_ENTITY_SIZE 256

/* Adds up the numbers of all components in a text. */
double json_weigh(const char *text, size_t size);

/* Writes the text of n entities as the limit does; given back by free(). */
char *json_text(int32_t n, size_t *size);

/* What a position and a velocity add to the sum. */
static inline double json_sum(const Position *p, const Velocity *v) {
    return (double)p->x + (double)p->y + (double)p->z + (double)v->x + (double)v->y + (double)v->z;
}

#endif

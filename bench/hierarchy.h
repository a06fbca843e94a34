/* The tree of the rows on transforms: entity 0 at the top, ten children each, level by level. */
#ifndef BENCH_HIERARCHY_H
#define BENCH_HIERARCHY_H

#include <stdint.h>

#define HIERARCHY_FAN 10

/* The subtrees of one level, from the first of it on, of which a hundredth changes at a time. */
#define HIERARCHY_SUBTREES 1000
#define HIERARCHY_SUBTREE_FIRST 111
#define HIERARCHY_CHANGES (HIERARCHY_SUBTREES / 100)

/* Column by column. */
typedef struct hierarchy_matrix {
    float m[16];
} hierarchy_matrix;

static inline int32_t hierarchy_parent(int32_t i) {
    return (i - 1) / HIERARCHY_FAN;
}

/* Where entity i is in turn `turn`: a quarter turn about one axis or another, and a way to go. */
static inline hierarchy_matrix hierarchy_local(int32_t i, int32_t turn) {
    float x = (float)((i + turn) % 5), y = (float)(i % 7), z = (float)(turn % 3);
    hierarchy_matrix about_z = {{0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, x, y, z, 1}};
    hierarchy_matrix about_x = {{1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, x, y, z, 1}};
    return i % 2 != 0 ? about_z : about_x;
}

/* Weighs entity i's part of a result, so that swapped entities do not go unnoticed. */
static inline double hierarchy_weigh(int32_t i, const hierarchy_matrix *world) {
    const float *m = world->m;
    return ((double)m[0] + 2 * (double)m[6] + (double)m[12] + 3 * (double)m[13] + (double)m[14]) *
           (double)(i % 7 + 1);
}

#endif

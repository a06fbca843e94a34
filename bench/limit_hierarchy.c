/* The limit of the rows on transforms: matrices in arrays, ordered level by level by hand. */
#include "hierarchy.h"
#include "limit.h"
#include "sides.h"

#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

typedef float column __attribute__((vector_size(16)));

typedef struct tree {
    hierarchy_matrix *locals, *worlds;
    uint32_t *parents;
    uint8_t *memory;
    size_t memory_size;
    bench_size size;
    int32_t turn;
} tree;

static inline column column_load(const float *from) {
    column read;
    memcpy(&read, from, sizeof read);
    return read;
}

static inline void multiply(hierarchy_matrix *out, const hierarchy_matrix *a,
                            const hierarchy_matrix *b) {
    column a0 = column_load(a->m), a1 = column_load(a->m + 4);
    column a2 = column_load(a->m + 8), a3 = column_load(a->m + 12);
    for (int i = 0; i < 16; i += 4) {
        const float *by = b->m + i;
        column sum = a0 * by[0];
        sum = sum + a1 * by[1];
        sum = sum + a2 * by[2];
        sum = sum + a3 * by[3];
        memcpy(out->m + i, &sum, sizeof sum);
    }
}

LIMIT_JOB static void tree_work(const tree *t) {
    hierarchy_matrix *worlds = t->worlds;
    const hierarchy_matrix *locals = t->locals;
    const uint32_t *parents = t->parents;
    worlds[0] = locals[0];
    for (int32_t i = 1; i < t->size.n; i++) {
        multiply(&worlds[i], &worlds[parents[i]], &locals[i]);
    }
}

static void *tree_open(bench_size size) {
    tree *t = bench_alloc(1, sizeof *t);
    size_t n = (size_t)size.n, used = 0;
    *t = (tree){.size = size};
    t->memory_size = n * (2 * sizeof(hierarchy_matrix) + sizeof(uint32_t)) + (size_t)3 * 128;
    t->memory = bench_map(t->memory_size);
    t->locals = limit_carve(t->memory, &used, n, sizeof *t->locals);
    t->worlds = limit_carve(t->memory, &used, n, sizeof *t->worlds);
    t->parents = limit_carve(t->memory, &used, n, sizeof *t->parents);
    for (int32_t i = 1; i < size.n; i++) {
        t->parents[i] = (uint32_t)hierarchy_parent(i);
    }
    return t;
}

static void tree_before(void *side) {
    tree *t = side;
    t->turn++;
    for (int32_t i = 0; i < t->size.n; i++) {
        t->locals[i] = hierarchy_local(i, t->turn);
    }
}

static void tree_run(void *side) {
    tree_work(side);
}

static double tree_after(void *side) {
    const tree *t = side;
    double sum = 0;
    for (int32_t i = 0; i < t->size.n; i++) {
        sum += hierarchy_weigh(i, &t->worlds[i]);
    }
    return sum;
}

static void tree_close(void *side) {
    tree *t = side;
    bench_unmap(t->memory, t->memory_size);
    free(t);
}

const bench_side limit_side_hierarchy = {tree_open, tree_before, tree_run, tree_after, tree_close};

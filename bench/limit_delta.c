/* The limits of deltas, between two blocks of the size of two snapshots, one value in a hundred
 * changed in place.
 *
 * Made: both are compared once, and the runs that differ are written down. Applied: the base is
 * copied and the runs are put over it. No hashes, nothing that moved, nothing checked. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>
#include <string.h>

typedef struct diff {
    uint8_t *base;
    uint8_t *target;
    uint8_t *made; /* runs: place, size, bytes */
    uint8_t *result;
    size_t size;
    size_t made_size;
} diff;

#define BLOCK 512u

LIMIT_JOB static size_t diff_make(const uint8_t *restrict base, const uint8_t *restrict target,
                                  size_t size, uint8_t *restrict made) {
    size_t used = 0;
    for (size_t at = 0; at < size; at += BLOCK) {
        if (memcmp(base + at, target + at, BLOCK) == 0) {
            continue;
        }
        for (size_t i = at; i < at + BLOCK; i += 16) {
            if (memcmp(base + i, target + i, 16) != 0) {
                uint32_t head[2] = {(uint32_t)i, 16};
                memcpy(made + used, head, sizeof head);
                memcpy(made + used + sizeof head, target + i, 16);
                used += sizeof head + 16;
            }
        }
    }
    return used;
}

LIMIT_JOB static void diff_apply(const uint8_t *restrict base, size_t size,
                                 const uint8_t *restrict made, size_t made_size,
                                 uint8_t *restrict result) {
    memcpy(result, base, size);
    for (size_t at = 0; at < made_size;) {
        uint32_t head[2];
        memcpy(head, made + at, sizeof head);
        memcpy(result + head[0], made + at + sizeof head, head[1]);
        at += sizeof head + head[1];
    }
}

static void *delta_open(bench_size size) {
    diff *d = bench_alloc(1, sizeof *d);
    d->size = ((size_t)size.n * (DATA_BODY_SIZE + 8 + 4) + BLOCK - 1) / BLOCK * BLOCK;
    d->base = bench_alloc(d->size, 1);
    d->target = bench_alloc(d->size, 1);
    d->made = bench_alloc(d->size, 1);
    d->result = bench_alloc(d->size, 1);
    for (size_t i = 0; i < d->size; i++) {
        d->base[i] = (uint8_t)(i * 7 + i / 251);
    }
    memcpy(d->target, d->base, d->size);
    for (size_t i = 0; i < (size_t)size.n; i += 100) {
        for (size_t k = 0; k < 16; k++) {
            d->target[i * 16 + k] ^= 0x55;
        }
    }
    d->made_size = diff_make(d->base, d->target, d->size, d->made);
    return d;
}

static void make_run(void *side) {
    diff *d = side;
    d->made_size = diff_make(d->base, d->target, d->size, d->made);
}

static double make_after(void *side) {
    diff *d = side;
    diff_apply(d->base, d->size, d->made, d->made_size, d->result);
    return memcmp(d->result, d->target, d->size) == 0;
}

static void apply_run(void *side) {
    diff *d = side;
    diff_apply(d->base, d->size, d->made, d->made_size, d->result);
}

static double apply_after(void *side) {
    diff *d = side;
    return memcmp(d->result, d->target, d->size) == 0;
}

static void delta_close(void *side) {
    diff *d = side;
    free(d->base);
    free(d->target);
    free(d->made);
    free(d->result);
    free(d);
}

const bench_side limit_side_delta_make = {delta_open, NULL, make_run, make_after, delta_close};
const bench_side limit_side_delta_apply = {delta_open, NULL, apply_run, apply_after, delta_close};

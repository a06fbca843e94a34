/* The limits of history: blocks of bodies with a tick each; a frame is a list of copies, and a
 * block that was not written since shares that of the frame before. */
#include "history.h"
#include "limit.h"
#include "sides.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES (HISTORY_BLOCK * sizeof(history_body))

typedef struct kept {
    history_body *bodies;
    history_body *copies; /* as many blocks as all frames, and the one being made, may have */
    uint32_t *ticks;      /* of each block's last write */
    uint32_t *frames;     /* of each frame: the copy of each block */
    uint32_t *uses;       /* of each copy */
    uint32_t *spare;      /* copies that no frame has */
    uint32_t spare_count;
    uint32_t saved; /* frames */
    uint32_t tick;
    uint32_t saved_tick;
    int32_t n;
    int32_t block_count;
    int32_t turn;
    int32_t of;
} kept;

static uint32_t *frame_of(const kept *k, uint32_t number) {
    return k->frames + (size_t)(number % (HISTORY_FRAMES + 1)) * (size_t)k->block_count;
}

static void *kept_open(bench_size size, int32_t of) {
    kept *k = bench_alloc(1, sizeof *k);
    *k = (kept){.n = size.n, .of = of, .tick = 1};
    k->block_count = (size.n + HISTORY_BLOCK - 1) / HISTORY_BLOCK;
    size_t blocks = (size_t)k->block_count, copies = blocks * (HISTORY_FRAMES + 1);
    k->bodies = bench_alloc(blocks, BLOCK_BYTES);
    k->copies = bench_alloc(copies, BLOCK_BYTES);
    k->ticks = bench_alloc(blocks, sizeof *k->ticks);
    k->frames = bench_alloc(copies, sizeof *k->frames);
    k->uses = bench_alloc(copies, sizeof *k->uses);
    k->spare = bench_alloc(copies, sizeof *k->spare);
    for (size_t i = 0; i < copies; i++) {
        k->spare[k->spare_count++] = (uint32_t)(copies - 1 - i);
    }
    for (int32_t i = 0; i < size.n; i++) {
        k->bodies[i] = history_body_make(i);
    }
    for (size_t i = 0; i < blocks; i++) {
        k->ticks[i] = 1;
    }
    return k;
}

static void *kept_open_1(bench_size size) {
    return kept_open(size, 100);
}

static void *kept_open_10(bench_size size) {
    return kept_open(size, 10);
}

static void *kept_open_100(bench_size size) {
    return kept_open(size, 1);
}

static int32_t block_length(const kept *k, int32_t b) {
    int32_t left = k->n - b * HISTORY_BLOCK;
    return left < HISTORY_BLOCK ? left : HISTORY_BLOCK;
}

static void kept_before(void *side) {
    kept *k = side;
    k->tick++;
    for (int32_t b = 0; b < k->block_count; b++) {
        if (history_turn(b, k->turn, k->of)) {
            history_body *bodies = k->bodies + (size_t)b * HISTORY_BLOCK;
            k->ticks[b] = k->tick;
            for (int32_t i = 0; i < block_length(k, b); i++) {
                bodies[i].value[i % 16] += 1.0f;
            }
        }
    }
    k->turn++;
}

static void frame_drop(kept *k, uint32_t number) {
    const uint32_t *frame = frame_of(k, number);
    for (int32_t b = 0; b < k->block_count; b++) {
        if (--k->uses[frame[b]] == 0) {
            k->spare[k->spare_count++] = frame[b];
        }
    }
}

LIMIT_JOB static void frame_save(kept *k) {
    uint32_t *frame = frame_of(k, k->saved);
    const uint32_t *before = k->saved > 0 ? frame_of(k, k->saved - 1) : NULL;
    for (int32_t b = 0; b < k->block_count; b++) {
        if (before != NULL && k->ticks[b] <= k->saved_tick) {
            frame[b] = before[b];
        } else {
            frame[b] = k->spare[--k->spare_count];
            memcpy(k->copies + (size_t)frame[b] * HISTORY_BLOCK,
                   k->bodies + (size_t)b * HISTORY_BLOCK,
                   (size_t)block_length(k, b) * sizeof(history_body));
        }
        k->uses[frame[b]]++;
    }
    if (k->saved >= HISTORY_FRAMES) {
        frame_drop(k, k->saved - HISTORY_FRAMES);
    }
    k->saved++;
    k->saved_tick = k->tick;
}

LIMIT_JOB static void frame_restore(kept *k) {
    const uint32_t *frame = frame_of(k, k->saved - 1);
    for (int32_t b = 0; b < k->block_count; b++) {
        if (k->ticks[b] > k->saved_tick) {
            memcpy(k->bodies + (size_t)b * HISTORY_BLOCK,
                   k->copies + (size_t)frame[b] * HISTORY_BLOCK,
                   (size_t)block_length(k, b) * sizeof(history_body));
            k->ticks[b] = k->saved_tick;
        }
    }
    k->tick = k->saved_tick;
}

static void kept_save(void *side) {
    frame_save(side);
}

static void kept_before_restore(void *side) {
    kept_save(side);
    kept_before(side);
}

static void kept_restore(void *side) {
    frame_restore(side);
}

static double kept_weigh(void *side) {
    const kept *k = side;
    double sum = 0;
    for (int32_t i = 0; i < k->n; i++) {
        int32_t row = i % HISTORY_BLOCK;
        sum += (double)k->bodies[i].value[row % 16] * (row % 7 + 1);
    }
    return sum;
}

static double kept_after_save(void *side) {
    kept_before(side);
    kept_restore(side);
    return kept_weigh(side);
}

static void kept_close(void *side) {
    kept *k = side;
    free(k->bodies);
    free(k->copies);
    free(k->ticks);
    free(k->frames);
    free(k->uses);
    free(k->spare);
    free(k);
}

const bench_side limit_side_history_save_1 = {kept_open_1, kept_before, kept_save, kept_after_save,
                                              kept_close};
const bench_side limit_side_history_save_10 = {kept_open_10, kept_before, kept_save,
                                               kept_after_save, kept_close};
const bench_side limit_side_history_save_100 = {kept_open_100, kept_before, kept_save,
                                                kept_after_save, kept_close};
const bench_side limit_side_history_restore = {kept_open_100, kept_before_restore, kept_restore,
                                               kept_weigh, kept_close};

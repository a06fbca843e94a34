/* What both sides of the history rows go by: bodies of 64 bytes, in blocks of which a share is
 * written before each save. */
#ifndef BENCH_HISTORY_H
#define BENCH_HISTORY_H

#include <stdint.h>

/* Frames that are kept. */
#define HISTORY_FRAMES 8
/* Bodies that are written and copied together: the rows of a chunk. */
#define HISTORY_BLOCK 512

typedef struct history_body {
    float value[16];
} history_body;

static inline history_body history_body_make(int32_t i) {
    history_body body;
    for (int32_t k = 0; k < 16; k++) {
        body.value[k] = (float)(i % 1000 + k);
    }
    return body;
}

/* Whether block `b` of so many is written in a turn, of which one in `of` is. */
static inline int history_turn(int32_t b, int32_t turn, int32_t of) {
    return (b + turn) % of == 0;
}

#endif

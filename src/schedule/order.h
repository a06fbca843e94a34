/* The order of the systems of one stage: which must come before which, and by what. */
#ifndef STOA_SCHEDULE_ORDER_H
#define STOA_SCHEDULE_ORDER_H

#include "schedule/app.h"

/* Systems are known by their place among those of the stage, in order of registration, disabled
 * ones included. A matrix has one row of bits for each system. */
typedef struct stoa__order {
    stoa__system **systems;
    uint32_t count;
    uint32_t words; /* of one row */

    uint64_t *rules;    /* row i: those that a rule puts after i */
    uint64_t *declared; /* row i: those that come before i by rules, directly or not */
    uint64_t *before;   /* row i: those that come before i, by rules and conflicts */
    uint64_t *after;    /* row i: those that come after i; `before` turned */
    uint64_t *left;     /* one row, and one number for each system, for whoever works on it */
    uint32_t *line;
    uint32_t *from;

    void *block; /* all of the above */
    size_t block_size;
} stoa__order;

/* Finds the order of a stage's systems. On an error, with the thread's error set, `order` is empty.
 * No pair of enabled systems that conflict is left without one. */
stoa_status stoa__order_init(stoa__order *order, stoa_app *app, stoa_stage stage);
void stoa__order_fini(stoa__order *order, stoa__heap *heap);

static inline uint64_t *stoa__order_row(const stoa__order *order, uint64_t *matrix, uint32_t i) {
    return matrix + (size_t)i * order->words;
}

static inline bool stoa__order_test(const stoa__order *order, const uint64_t *matrix, uint32_t row,
                                    uint32_t i) {
    return (matrix[(size_t)row * order->words + (i >> 6)] >> (i & 63) & 1) != 0;
}

/* True if a text is a system's name or one of its labels. */
bool stoa__system_called(const stoa__system *system, const char *text);

/* True if a rule of one of them says that `a` comes before `b`. */
bool stoa__system_precedes(const stoa__system *a, const stoa__system *b);

#endif

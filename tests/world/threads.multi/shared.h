/* Components that two translation units share by including this: each gets descriptors of its own.
 */
#ifndef THREADS_SHARED_H
#define THREADS_SHARED_H

#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Health, {
    int32_t value;
    uint8_t kind;
});
STOA_TAG(Frozen);

/* What one unit knows and does, for the other to compare. */
typedef struct unit {
    stoa_type *position; /* its own descriptor */
    stoa_component (*id)(stoa_world *w, int which);
    stoa_entity (*create)(stoa_world *w, float x);
    float (*read_x)(const stoa_world *w, stoa_entity e);
    bool (*has_frozen)(const stoa_world *w, stoa_entity e);
    int32_t (*count_moving)(stoa_world *w);
    stoa_status (*clash)(stoa_world *w, stoa_entity e);
} unit;

extern const unit unit_first;
extern const unit unit_second;

/* Creates worlds round after round on two threads; returns how much went wrong. In rounds.c. */
int rounds_run(int round_count);

/* Fails on one thread and looks at the other's last error; returns how much went wrong. In
 * rounds.c. */
int errors_run(void);

#endif

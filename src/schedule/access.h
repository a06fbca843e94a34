/* What systems declare, compared: who reads, who writes, and what two of them conflict about. */
#ifndef STOA_SCHEDULE_ACCESS_H
#define STOA_SCHEDULE_ACCESS_H

#include "schedule/app.h"

/* One thing that two systems conflict about. Zeroed it stands before the first. */
typedef struct stoa__dispute {
    stoa_component id; /* 0 if one of them is exclusive */
    bool resource;
    bool alone; /* one of them is exclusive */
} stoa__dispute;

/* Moves on to the next thing in dispute: components by id, then resources by id. False after the
 * last. If one is exclusive that is the only thing, with the id 0. */
bool stoa__access_dispute(const stoa_world *world, const stoa__access *a, const stoa__access *b,
                          stoa__dispute *at);

/* The lowest id in a set that is above `id`, 0 after the last. */
stoa_component stoa__access_next(const stoa__bitset *set, stoa_component id);

#endif

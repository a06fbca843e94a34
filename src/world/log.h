/* The log of removed components and destroyed entities: a ring. */
#ifndef STOA_WORLD_LOG_H
#define STOA_WORLD_LOG_H

#include "stoa/change.h"
#include "stoa/resume.h"
#include "storage/storage.h"

typedef struct stoa__log {
    stoa_log_entry *entries; /* entry number n is at n % capacity */
    uint32_t capacity;       /* 0: no log is kept */
    uint64_t first;          /* number of the first entry since the capacity was set */
    uint64_t next;           /* number of the next entry, from 0; never goes back */
    uint32_t lost_tick;      /* the newest tick of an entry that gave way, or was not kept */
    bool lost;               /* there is such an entry */
} stoa__log;

/* Notes that a component was removed, or, for id 0, that the entity was destroyed. A no-op when no
 * log is kept. */
void stoa__log_add(stoa_world *world, stoa_entity e, stoa_component id);

/* Clamps ticks older than `age`. */
void stoa__log_sweep(stoa_world *world, uint32_t tick, uint32_t age);

/* Forgets all entries, as a world does whose tick is another one: what was there is lost. */
void stoa__log_restart(stoa_world *world);

void stoa__log_free(stoa_world *world);
size_t stoa__log_bytes(const stoa_world *world);

#endif

/* The resources of a world. */
#ifndef STOA_WORLD_RESOURCE_H
#define STOA_WORLD_RESOURCE_H

#include "stoa/resource.h"
#include "storage/storage.h"

typedef struct stoa__resource {
    void *value;      /* a block of its own, of a tag too; NULL: there is none of this type */
    uint32_t changed; /* the tick of the last write */
    bool busy;        /* its value is being moved in or dropped, by hooks that may call the world */
} stoa__resource;

typedef struct stoa__resources {
    stoa__resource *items; /* by component id - 1 */
    uint32_t capacity;
    bool closed; /* being freed: nothing can be put in */
} stoa__resources;

/* Drops and frees all resources, in order of ids. None can be set after it. */
void stoa__resource_free_all(stoa_world *world);

size_t stoa__resource_bytes(const stoa_world *world);

/* A block for a resource that is not there: it counts as busy until stoa__resource_forget, or until
 * its value is filled in and `busy` cleared. The thread's error is set. */
stoa_status stoa__resource_room(stoa_world *world, stoa_component id);

/* Drops a value, if there is one that is not busy, and frees its block. */
void stoa__resource_forget(stoa_world *world, stoa_component id);

/* Clamps ticks older than `age`. */
void stoa__resource_sweep(stoa_world *world, uint32_t tick, uint32_t age);

#endif

/* Checks of what a guarded thread touches; nothing in a release build. */
#ifndef STOA_WORLD_GUARD_H
#define STOA_WORLD_GUARD_H

#include "stoa/guard.h"
#include "world/world.h"

#ifdef STOA_DEBUG
/* False, with the failure reported, if a guard of the calling thread does not allow it. */
bool stoa__guard_check(const stoa_world *world, stoa_component id, bool resource, bool write);

/* The name of the system that guards the calling thread's access to a world, or NULL. */
const char *stoa__guard_name(const stoa_world *world);
#endif

/* True if the calling thread may read, or write, a component; otherwise the failure is reported. */
STOA__INLINE bool stoa__guard_allows(const stoa_world *world, stoa_component id, bool write) {
#ifdef STOA_DEBUG
    return stoa__guard_check(world, id, false, write);
#else
    (void)world, (void)id, (void)write;
    return true;
#endif
}

/* The same for a resource. */
STOA__INLINE bool stoa__guard_allows_resource(const stoa_world *world, stoa_component id,
                                              bool write) {
#ifdef STOA_DEBUG
    return stoa__guard_check(world, id, true, write);
#else
    (void)world, (void)id, (void)write;
    return true;
#endif
}

#endif

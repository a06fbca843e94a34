/* Guards of threads.
 *
 * A world that was ever guarded takes the fast paths of the header no more, in a debug build: so
 * every access comes by a function of the library, which asks here. */
#include "world/guard.h"

#include "storage/registry.h"

#ifdef STOA_DEBUG

static _Thread_local const stoa_guard *guard_now;

const stoa_guard *stoa_guard_set(const stoa_guard *guard) {
    const stoa_guard *before = guard_now;
    if (guard != NULL && guard->world != NULL) {
        stoa_world_head *head = (stoa_world_head *)(uintptr_t)guard->world;
        STOA_STORE(&head->guarded, 1);
    }
    guard_now = guard;
    return before;
}

const char *stoa__guard_name(const stoa_world *world) {
    const stoa_guard *guard = guard_now;
    return guard == NULL || guard->world != world ? NULL : guard->name != NULL ? guard->name : "";
}

bool stoa__guard_check(const stoa_world *world, stoa_component id, bool resource, bool write) {
    const stoa_guard *guard = guard_now;
    if (guard == NULL || guard->world != world || guard->allows(guard, id, resource, write)) {
        return true;
    }
    stoa__world_report(world,
                       stoa__error(STOA_ACCESS, "system '%s' %s %s '%s', which it does not declare",
                                   guard->name != NULL ? guard->name : "",
                                   write ? "writes" : "reads", resource ? "resource" : "component",
                                   stoa__component_at(&world->storage, id)->name));
    return false;
}

#else

const stoa_guard *stoa_guard_set(const stoa_guard *guard) {
    (void)guard;
    return NULL;
}

#endif

/* Guards: what a thread may touch of a world, for finding out about systems that touch what they
 * did not declare. An app guards its systems; a scheduler of one's own can do the same.
 *
 * Guards have an effect in a debug build of the library only. */
#ifndef STOA_GUARD_H
#define STOA_GUARD_H

#include "stoa/component.h"

STOA_BEGIN

/// What a thread may touch. It must stay where it is while it is in force.
typedef struct stoa_guard {
    const stoa_world *world; ///< other worlds are not guarded
    const char *name;        ///< the system that is guarded, for the error
    /// True if the component, or the resource of that type, may be read, or written.
    bool (*allows)(const struct stoa_guard *guard, stoa_component id, bool resource, bool write);
    const void *user; ///< for `allows`
} stoa_guard;

/// Puts a guard in force on the calling thread, or none for NULL; returns the one that was.
/// Whatever reads or writes a component's or resource's data and is not allowed to fails with
/// STOA_ACCESS, and so does recording a command into a buffer that is not forked while others are.
/// Asking whether something is there is always allowed; changes of structure are not asked about,
/// since there are none while threads work.
const stoa_guard *stoa_guard_set(const stoa_guard *guard);

STOA_END

#endif

/* What becomes of saved values whose components are not what they were when they were saved.
 *
 * Snapshots, JSON and modules share these choices. Members are matched by name, then by the aliases
 * of stoa_persist; see docs/versions.md. */
#ifndef STOA_SCHEMA_H
#define STOA_SCHEMA_H

#include "stoa/compiler.h"

STOA_BEGIN

/// What to do with a value that its member cannot hold any more.
typedef enum stoa_loss {
    STOA_LOSS_REFUSE, ///< the whole load fails, naming component, member and value
    STOA_LOSS_CLAMP   ///< the nearest value that can be held
} stoa_loss;

/// What to do with a component that the world does not know.
typedef enum stoa_unknown {
    STOA_UNKNOWN_REFUSE, ///< the whole load fails, naming it
    STOA_UNKNOWN_DROP,   ///< entities lose it
    STOA_UNKNOWN_KEEP    ///< it is registered as it was saved
} stoa_unknown;

/// How many components one load keeps at most by STOA_UNKNOWN_KEEP; STOA_LIMIT for more.
#define STOA_UNKNOWN_MAX 4096

/// What a notice tells of.
typedef enum stoa_notice_kind {
    STOA_NOTICE_RENAMED,   ///< a component or member was saved under a former name
    STOA_NOTICE_ADDED,     ///< a member was not saved: it has its default
    STOA_NOTICE_REMOVED,   ///< a member was saved that there is no more
    STOA_NOTICE_CONVERTED, ///< a member has another type or length now, or a component is kept
                           ///< another way: sparse, or as a column
    STOA_NOTICE_LOST,      ///< values of a member were clamped, or what was off is on
    STOA_NOTICE_DROPPED,   ///< an unknown component was left out
    STOA_NOTICE_KEPT       ///< an unknown component was registered
} stoa_notice_kind;

/// Something that differs between what was saved and what the program has.
typedef struct stoa_notice {
    stoa_notice_kind kind; ///< what of it
    const char *component; ///< its name; as it was saved for those dropped or kept
    const char *member;    ///< `at.x`, or NULL if it is about the component; cut if very long
    const char *text;      ///< a sentence that says it all, without the final stop
} stoa_notice;

/// Called for each difference as it is found; must not call into the world.
/// The texts are valid during the call only.
typedef void (*stoa_notice_fn)(const stoa_notice *notice, void *user);

STOA_END

#endif

/* Names of entities: unique texts, and finding an entity by its name.
 *
 * A name is the component `Name`. Whichever call gives it - those below, stoa_set, a bundle, bulk
 * creation, a command - the world checks that it is unique and keeps a copy of the text. It is
 * immutable and sparse, goes with its entity, and is not copied to clones. */
#ifndef STOA_NAME_H
#define STOA_NAME_H

#include "stoa/commands.h"
#include "stoa/typed.h"

STOA_BEGIN

/// The longest name, in bytes without the final zero.
#define STOA_NAME_LENGTH (1u << 20)

/// Prepares a world for names; called by each world that registers `Name`, not for direct use.
stoa_status stoa_name_setup(stoa_world *world);

STOA_END

/// The name of an entity: UTF-8, not empty, unique in its world.
/// The text that it is given with is copied, and the component then points at the copy. That is
/// valid until the name is changed or taken away.
STOA_COMPONENT_WITH(Name,
                    STOA_OPTIONS(0, {0, 0, 0, 0, 0}, STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED,
                                 stoa_name_setup, 0),
                    { const char *text; });

STOA_BEGIN

/// Gives an entity a name, or another one; NULL takes it away.
/// STOA_TAKEN if another entity has it, STOA_INVALID if it is empty or no UTF-8, STOA_LIMIT if it
/// is too long. The name that it has already is no change. Refused while the world is iterated.
stoa_status stoa_name_set(stoa_world *world, stoa_entity e, const char *name);

/// The name of an entity; NULL, with no error, if it has none or is dead.
/// Valid until the name is changed or taken away.
const char *stoa_name(const stoa_world *world, stoa_entity e);

/// The entity of that name; STOA_NULL, with no error, if there is none.
/// Any number of threads may ask a world that none changes.
stoa_entity stoa_find(const stoa_world *world, const char *name);

/// The entity of that name, which is made if there is none; STOA_NULL on error.
stoa_entity stoa_require(stoa_world *world, const char *name);

/// Records that an entity is given a name, of which a copy is kept, or loses it for NULL.
/// If it is taken by then, or the entity is dead, the command is counted as refused. The text and a
/// handle must fit in STOA_CALL_MAX bytes.
stoa_status stoa_commands_name_set(stoa_commands *commands, stoa_entity e, const char *name);

STOA_END

#endif

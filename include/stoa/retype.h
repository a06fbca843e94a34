/* Giving components other descriptions while the world lives, as when their code is replaced.
 *
 * All is built beside what is there; then both change places, which cannot fail and can be taken
 * back. Entities, rows, ids and ticks stay as they are. For modules and tools; see module.h. */
#ifndef STOA_RETYPE_H
#define STOA_RETYPE_H

#include "stoa/component.h"

STOA_BEGIN

/// Descriptions that components of a world are about to get.
typedef struct stoa_retype stoa_retype;

/// Makes `count` values in raw memory of such in another form; on an error none is made.
/// The old ones stay as they are, and are dropped later, if they have a `drop`.
typedef stoa_status (*stoa_convert_fn)(void *user, const stoa_component_info *from,
                                       const stoa_component_info *to, const void *values,
                                       void *made, int32_t count);

/// What an extension is told of a change of descriptions; see `retype` of stoa_extension.
typedef enum stoa_retype_step {
    STOA_RETYPE_MAKE, ///< makes all that the change needs beside what is there; or refuses
    STOA_RETYPE_SWAP, ///< exchanges both sides; comes again if the change is taken back
    STOA_RETYPE_END   ///< frees the side that is not in force; comes once after each MAKE
} stoa_retype_step;

/// How the description of one component changes.
typedef struct stoa_retype_change {
    bool layout; ///< values are of another form; otherwise they stay, and functions may differ
    stoa_component_info before; ///< as it is in force until the swap
    stoa_component_info after;  ///< as it will be
} stoa_retype_change;

/// Is shown values that entities are about to get, side by side; an error ends the showing.
typedef stoa_status (*stoa_retype_fn)(void *user, const stoa_entity *entities, const void *values,
                                      int32_t count);

/// Begins; NULL on error. Refused while anything runs, or commands are recorded.
/// Until it ends or is cancelled only queries, hooks and what else is named here may be made.
stoa_retype *stoa_retype_new(stoa_world *world);

/// Takes a type in: registers it if its name is new, plans a change if its description differs.
/// A change is STOA_CONFLICT unless the component is the caller's `own`. `*fresh` tells that there
/// was something to do: structs that have it inside must be taken in again then.
stoa_status stoa_retype_add(stoa_retype *retype, stoa_type *type, bool own, bool *fresh);

/// How many components get another layout, so that their values must be converted.
int32_t stoa_retype_count(const stoa_retype *retype);

/// One of those, by number; 0 past the last.
stoa_component stoa_retype_at(const stoa_retype *retype, int32_t index);

/// Has the world tell the descriptions to come, or those it has, for a look; values stay.
void stoa_retype_show(stoa_retype *retype, bool after);

/// Makes all values that have another form; columns, sparse, resources, queued events.
/// Then those of extensions, which may refuse. `convert` must not touch the world. On an error
/// nothing was made.
stoa_status stoa_retype_convert(stoa_retype *retype, stoa_convert_fn convert, void *user);

/// How a component changes; false if its description stays. For extensions.
bool stoa_retype_change_get(const stoa_retype *retype, stoa_component id,
                            stoa_retype_change *change);

/// Shows the values that entities get of a component of another layout. For STOA_RETYPE_MAKE.
/// In the order of archetypes and rows, or that of a sparse component.
stoa_status stoa_retype_each(const stoa_retype *retype, stoa_component id, stoa_retype_fn call,
                             void *user);

/// Makes values in another form that an extension keeps, in raw memory. For STOA_RETYPE_MAKE.
/// On an error none is made. Dropping either side is up to the caller.
stoa_status stoa_retype_make(stoa_retype *retype, stoa_component id, const void *values, void *made,
                             int32_t count);

/// Puts the new descriptions and values in force. Cannot fail once they are converted.
stoa_status stoa_retype_swap(stoa_retype *retype);

/// Ends it: what is in force stays, the other side is dropped and freed. NULL is fine.
void stoa_retype_end(stoa_retype *retype);

/// Takes everything back, also after a swap, and forgets types that were new. NULL is fine.
/// Nothing may have been done with the new types, or be left of it, but for values of a swap.
void stoa_retype_cancel(stoa_retype *retype);

STOA_END

#endif

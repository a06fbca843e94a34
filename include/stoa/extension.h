/* Extensions: modules that keep something of their own for a world, such as an index of names.
 *
 * The library's own names, indexes and relations are such modules; a program can write others. */
#ifndef STOA_EXTENSION_H
#define STOA_EXTENSION_H

#include "stoa/code.h"
#include "stoa/retype.h"
#include "stoa/stream.h"
#include "stoa/world.h"

STOA_BEGIN

/// What a module keeps for a world. Functions may be NULL, but for `free`.
typedef struct stoa_extension {
    const char *name; ///< unique in the world; must outlive it
    void *data;       ///< what the module keeps
    /// Called once, when the world is freed, after the last hook. Entities and values are gone.
    void (*free)(stoa_world *world, void *data);
    /// Part of stoa_check: STOA_OK, or STOA_CORRUPT set by stoa_fail.
    stoa_status (*check)(const stoa_world *world, const void *data);
    /// Catches up with values that were written in place; see stoa_settle.
    void (*settle)(stoa_world *world, void *data);
    /// Told of a change that vetoes were asked about and that is not made after all.
    void (*unmade)(stoa_world *world, void *data);
    /// Bytes that it holds; part of what stoa_stats tells.
    size_t (*bytes)(const stoa_world *world, const void *data);
    /// Told that every entity is gone or about to be replaced, with no hook called: forgets all
    /// that it knows of them, and takes its managed components away. Cannot fail.
    void (*reset)(stoa_world *world, void *data);
    /// Writes what it keeps, its managed components included, for snapshots and history: bytes that
    /// depend on the content only, least byte first in numbers.
    stoa_status (*save)(const stoa_world *world, const void *data, const stoa_sink *sink);
    /// Takes back what `save` wrote, after a reset, once the entities are there; with no bytes it
    /// makes do with what the entities have. Bytes from a file may be anything: STOA_CORRUPT. After
    /// an error it is as after a reset.
    stoa_status (*load)(stoa_world *world, void *data, const void *bytes, size_t size);
    /// A number that is another one whenever what `save` writes may be; needed beside `save`.
    uint64_t (*version)(const stoa_world *world, const void *data);
    /// What it saves can be worked out anew, or means nothing elsewhere: kept by history, and left
    /// out of snapshots.
    bool memory;
    /// Told step by step that components get another layout or other functions, if it keeps values,
    /// functions or places of members. Only the first step can fail, by an error set by stoa_fail:
    /// the change is refused then. What was exchanged once may have to be exchanged back.
    stoa_status (*retype)(stoa_world *world, void *data, stoa_retype *retype,
                          stoa_retype_step step);
    /// Told that the code between two addresses is about to go: forgets all functions in it.
    void (*forget)(stoa_world *world, void *data, const struct stoa_code *code);
} stoa_extension;

/// Gives a world an extension, for good; a second one of that name is STOA_TAKEN.
/// On an error `data` stays the caller's.
stoa_status stoa_extend(stoa_world *world, const stoa_extension *extension);

/// The data of the extension of that name; NULL, with no error, if there is none.
/// Quickest with the very pointer that the extension was given with.
void *stoa_extension_find(const stoa_world *world, const char *name);

/// The extension that was given after another, the first for NULL; NULL at the end. For tools.
/// Valid until the next one is given.
const stoa_extension *stoa_extension_next(const stoa_world *world, const stoa_extension *previous);

/// Lets every extension catch up with values written in place, by mutable pointer or column.
/// An app calls it before each batch. Nothing is done while threads fill command buffers.
void stoa_settle(stoa_world *world);

/// Tells every extension that the entities are gone or replaced; see `reset`.
/// For code that puts the content of a world in place past its hooks.
void stoa_extensions_reset(stoa_world *world);

/// Keeps a world from being freed until stoa_world_unpin; for code that runs others' functions.
/// Pins are counted. stoa_world_free is STOA_LOCKED meanwhile.
void stoa_world_pin(stoa_world *world);

/// Ends what stoa_world_pin began.
void stoa_world_unpin(stoa_world *world);

/// True while the world is being freed: hooks that clean up after an entity need not then.
bool stoa_world_ending(const stoa_world *world);

/// Makes sure that an entity can be given a sparse component without needing memory.
stoa_status stoa_reserve_sparse(stoa_world *world, stoa_entity e, stoa_component id);

/// stoa_reserve_sparse for one of several, of which it is the `count`th.
stoa_status stoa_reserve_sparse_many(stoa_world *world, stoa_entity e, stoa_component id,
                                     int32_t count);

/// Destroys an entity of which only hooks and vetoes of `user` would be told.
/// They are not. False, with nothing changed, if others would be, or it cannot be destroyed now:
/// use stoa_destroy.
bool stoa_destroy_quietly(stoa_world *world, stoa_entity e, const void *user);

/// Asks who of the entities that are destroyed together had a sparse component.
typedef struct stoa_owners {
    stoa_component component; ///< who had this one
    stoa_entity *items;       ///< room for all that are destroyed; NULL: it is known that none had
    int32_t count;            ///< how many are there
} stoa_owners;

/// stoa_destroy_quietly for entities one after the other, up to the first that it refuses.
/// Returns how many are gone. What has to be found out is found out once, so many in one call take
/// a fraction of the time. `owners` is filled in; NULL if nothing is asked.
int32_t stoa_destroy_quietly_many(stoa_world *world, const stoa_entity *entities, int32_t count,
                                  const void *user, stoa_owners *owners);

/// Sets a managed component of which only hooks and vetoes of `user` would be told.
/// They are not. False, with nothing changed, if others would be, or it cannot be set now: use
/// stoa_set_id.
bool stoa_set_quietly(stoa_world *world, stoa_entity e, stoa_component id, const void *value,
                      size_t size, const void *user);

/// Takes a managed component from all entities, past hooks and observers; for `reset`.
void stoa_managed_clear(stoa_world *world, stoa_component id);

/// Gives a managed component that nobody has to entities, in this order; for `load`.
/// Past hooks, vetoes and observers. `values` stand one after the other. STOA_CORRUPT, with nothing
/// given, if one is dead or named twice.
stoa_status stoa_managed_fill(stoa_world *world, stoa_component id, const stoa_entity *entities,
                              const void *values, int32_t count);

/// STOA_OK if the structure of the world can change now; otherwise reported.
/// It cannot while it is iterated, and while threads fill command buffers.
stoa_status stoa_may_change(const stoa_world *world);

/// What of an entity can change now.
typedef enum stoa_lock {
    STOA_UNLOCKED,   ///< everything
    STOA_LOCK_HOOKS, ///< managed components only: its hooks or observers are running
    STOA_LOCK_LOSING ///< nothing: it is being destroyed or cleared
} stoa_lock;

/// What of an entity the hooks that are running leave to change.
/// Of STOA_NULL: STOA_LOCK_HOOKS if any run.
stoa_lock stoa_lock_of(const stoa_world *world, stoa_entity e);

/// True while hooks are told that an entity loses a component, alone or with all it has.
/// A value that it is given meanwhile goes with it. O(hooks that run one inside the other).
bool stoa_losing_id(const stoa_world *world, stoa_entity e, stoa_component id);

STOA_END

#endif

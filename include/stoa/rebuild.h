/* Putting the content of a world together from parts: what loading a snapshot is made of.
 *
 * Handles, the order of archetypes and of rows, and the free list come out as they are given. Hooks
 * and observers are not told, vetoes are not asked. Extensions forget what they knew. */
#ifndef STOA_REBUILD_H
#define STOA_REBUILD_H

#include "stoa/world.h"

STOA_BEGIN

/// The content of a world that is being put together.
typedef struct stoa_rebuild stoa_rebuild;

/// Set in the generation of a slot where nobody lives.
#define STOA_SLOT_DEAD 0x80000000u

/// The table of entities, for stoa_rebuild_new and stoa_slots_get.
typedef struct stoa_slots {
    const uint32_t *generations; ///< by index, slot 0 included; with STOA_SLOT_DEAD if nobody lives
    uint32_t count;              ///< of slots
    const uint32_t *free;        ///< indexes of dead slots in the order that they will be taken
    uint32_t free_count;         ///< of those; other dead slots are never used again
} stoa_slots;

/// Fills in the world's table of entities, into arrays of the caller's with room for all.
/// With NULL arrays it tells the counts only. Slots that command buffers hold are STOA_INVALID.
stoa_status stoa_slots_get(const stoa_world *world, uint32_t *generations, uint32_t *free,
                           stoa_slots *slots);

/// Begins; NULL on error. The world must have no live entity and no recorded command.
/// Until it ends or is cancelled nothing else may be done with the world but registering types.
stoa_rebuild *stoa_rebuild_new(stoa_world *world, const stoa_slots *slots);

/// Adds the next archetype, with rows for these entities in this order, which have none yet.
/// `ids` in any order, none of them sparse; at least one. Its columns are raw: fill in all of them.
stoa_status stoa_rebuild_archetype(stoa_rebuild *rebuild, const stoa_component *ids,
                                   int32_t id_count, const stoa_entity *entities,
                                   int32_t row_count);

/// Copies bytes to a place that does not overlap with theirs, as memcpy does.
typedef void (*stoa_copy_function)(void *to, const void *from, size_t size, void *user);

/// Has the handles of rows copied by a function, in their order; NULL copies them plainly.
/// So whoever loads can look at them in the same pass. Not all are copied if the call fails.
stoa_status stoa_rebuild_copier(stoa_rebuild *rebuild, stoa_copy_function copy, void *user);

/// Raw memory for a column of the archetype added last, from row `first` on; NULL on error.
/// `*count` tells for how many rows it goes on.
void *stoa_rebuild_column(stoa_rebuild *rebuild, stoa_component id, int32_t first, int32_t *count);

/// Adds entities to a sparse component, in this order; returns raw memory for all their values.
/// NULL on error; for a tag it points at something. Once for each component.
void *stoa_rebuild_sparse(stoa_rebuild *rebuild, stoa_component id, const stoa_entity *entities,
                          int32_t count);

/// Tells that so many values of a column, or of a sparse component, are made from the first on.
/// Cancelling drops those. Only needed for types that have a `drop`.
stoa_status stoa_rebuild_made(stoa_rebuild *rebuild, stoa_component id, int32_t count);

/// Tells for each row, or each entity of a sparse component, whether the component is switched off.
stoa_status stoa_rebuild_switches(stoa_rebuild *rebuild, stoa_component id, const uint8_t *off);

/// Sets the world's tick, before anything is added; everything is then as old as can be.
/// At the end queries count as never run, and the log starts anew: see stoa/resume.h.
/// Without this everything counts as added at the tick that the world has.
stoa_status stoa_rebuild_tick(stoa_rebuild *rebuild, uint32_t tick);

/// Sets when rows were written and added, after stoa_rebuild_tick.
/// For a column of the archetype added last, or the sparse component. A chunk is as new as the
/// newest of its rows.
stoa_status stoa_rebuild_ticks(stoa_rebuild *rebuild, stoa_component id, int32_t first,
                               int32_t count, uint32_t changed, uint32_t added);

/// Gives an entity more components, zeroed, once all archetypes and sparse components are added.
/// It moves behind the rows of the archetype that has them, too. `ids` in ascending order, none of
/// them sparse. STOA_CORRUPT if it has one of them, or does not live.
stoa_status stoa_rebuild_add(stoa_rebuild *rebuild, stoa_entity e, const stoa_component *ids,
                             int32_t count);

/// Where a value of an entity is that stoa_rebuild_add gave, to be written; NULL on error.
/// Valid until the next call of that. What is not a value any more must be zeroed again.
void *stoa_rebuild_value(stoa_rebuild *rebuild, stoa_entity e, stoa_component id);

/// Sets when such a value was written and added, after the last stoa_rebuild_add.
stoa_status stoa_rebuild_value_ticks(stoa_rebuild *rebuild, stoa_entity e, stoa_component id,
                                     uint32_t changed, uint32_t added);

/// Switches such a component off.
stoa_status stoa_rebuild_value_off(stoa_rebuild *rebuild, stoa_entity e, stoa_component id);

/// Shows what was given: the world can be read, and extensions can load what they saved.
/// Nothing can be added any more. It can still be cancelled, so entities must neither come nor go.
/// STOA_INVALID if values are missing.
stoa_status stoa_rebuild_show(stoa_rebuild *rebuild);

/// Ends it: the world holds what was given. Live slots that got no row have no components.
/// STOA_CORRUPT, with all cancelled, if what was given does not fit together.
stoa_status stoa_rebuild_end(stoa_rebuild *rebuild);

/// Takes everything back: the world is as it was before. NULL is fine. Needs no memory.
void stoa_rebuild_cancel(stoa_rebuild *rebuild);

STOA_END

#endif

/* Change tracking: the world's tick, what changed since one, and what is gone.
 *
 * Ticks are compared modulo 2^32: a tick that a program keeps is right for 2^31 ticks. Those that
 * the world keeps are right for any age. */
#ifndef STOA_CHANGE_H
#define STOA_CHANGE_H

#include "stoa/access.h"

STOA_BEGIN

/// The world's tick: what a write is marked with now.
uint32_t stoa_tick(const stoa_world *world);

/// Moves the world's tick on by one and returns it.
/// Writes from now on are newer than the tick before.
uint32_t stoa_tick_advance(stoa_world *world);

/// True if tick `a` is newer than tick `b`, modulo 2^32.
static inline bool stoa_tick_newer(uint32_t a, uint32_t b) {
    return (int32_t)(a - b) > 0;
}

/// True if the entity's component may have been written after the tick; false if it has none.
/// Exact for sparse components and those with STOA_ROW_TICKS; for others it speaks for the chunk
/// that the entity is in.
bool stoa_changed_id(const stoa_world *world, stoa_entity e, stoa_component id, uint32_t since);

/// True if the entity may have been given the component after the tick; see stoa_changed_id.
bool stoa_added_id(const stoa_world *world, stoa_entity e, stoa_component id, uint32_t since);

/// Typed twin of stoa_changed_id; called by stoa_changed.
bool stoa_changed_type(const stoa_world *world, stoa_entity e, stoa_type *type, uint32_t since);

/// Typed twin of stoa_added_id; called by stoa_added.
bool stoa_added_type(const stoa_world *world, stoa_entity e, stoa_type *type, uint32_t since);

/// Keeps a log of removed components and destroyed entities, of so many entries; 0 ends it.
/// The oldest entry gives way to the newest. A destroyed entity takes one entry, and one for each
/// component it had. Other capacities start an empty log.
stoa_status stoa_log_keep(stoa_world *world, int32_t capacity);

/// A walk through the log: read `entity` and `tick` after each stoa_log_next.
typedef struct stoa_log {
    const stoa_world *world;  ///< whose log it is
    stoa_entity entity;       ///< what lost the component, or was destroyed
    uint32_t tick;            ///< when
    bool lost;                ///< entries newer than the tick asked for may be missing
    stoa_component component; ///< which entries are walked: 0 for destroyed entities
    uint64_t next;            ///< the number of the next entry
} stoa_log;

/// Walks what was logged after a tick: who lost a component or, for id 0, was destroyed.
/// `for (stoa_log log = stoa_log_since(w, id, tick); stoa_log_next(&log);)`
/// With no log kept it is empty, and `lost`.
stoa_log stoa_log_since(const stoa_world *world, stoa_component id, uint32_t since);

/// stoa_log_since for a described type; see stoa_removed_since.
stoa_log stoa_log_since_type(const stoa_world *world, stoa_type *type, uint32_t since);

/// Steps to the next entry; false after the last.
bool stoa_log_next(stoa_log *log);

STOA_END

#endif

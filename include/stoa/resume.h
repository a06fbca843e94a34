/* What a world goes on by beside what it holds: for whoever saves a run and goes on with it later.
 *
 * Nothing of it shows in a world, but what comes next depends on it: which handles jobs give out,
 * what counts as changed, what was removed, what is still to be read. A snapshot that is saved with
 * an app has all of it. One thread at a time. */
#ifndef STOA_RESUME_H
#define STOA_RESUME_H

#include "stoa/commands.h"
#include "stoa/event.h"
#include "stoa/query.h"

STOA_BEGIN

/// How many handles a buffer gives out between fork and join; the next fork goes by it.
typedef struct stoa_handle_habit {
    uint32_t last; ///< the last time
    uint32_t most; ///< lately, at most; fades with time
} stoa_handle_habit;

/// Tells how many handles a buffer gives out; zeros for a null buffer.
stoa_handle_habit stoa_commands_habit(const stoa_commands *commands);

/// Makes a fork go by other numbers. Refused while the buffer is forked.
stoa_status stoa_commands_habit_set(stoa_commands *commands, stoa_handle_habit habit);

/// When a query ran last.
typedef struct stoa_query_run {
    uint32_t tick; ///< of the last run
    bool ran;      ///< its filters for what changed have had a run to go by
} stoa_query_run;

/// Tells when a query ran last.
stoa_status stoa_query_run_get(const stoa_query *query, stoa_query_run *run);

/// Makes a query go on from a run at another time. Refused while it is iterated.
stoa_status stoa_query_run_set(stoa_query *query, stoa_query_run run);

/// The tick of the last write to a resource; 0, with no error, if there is none.
uint32_t stoa_resource_tick(const stoa_world *world, stoa_component id);

/// Sets that tick; STOA_MISSING if there is no such resource.
stoa_status stoa_resource_tick_set(stoa_world *world, stoa_component id, uint32_t tick);

/// An entry of the log that stoa_log_keep keeps.
typedef struct stoa_log_entry {
    stoa_entity entity;       ///< what lost the component, or was destroyed
    stoa_component component; ///< which; 0: it was destroyed
    uint32_t tick;            ///< when
} stoa_log_entry;

/// What a log holds, for stoa_log_get and stoa_log_set.
typedef struct stoa_log_content {
    const stoa_log_entry *entries; ///< from the oldest on
    int32_t count;                 ///< of them
    bool lost;                     ///< older entries are missing
    uint32_t lost_tick;            ///< the tick of the newest of those, if so
    int32_t capacity;              ///< what the log has room for; 0: none is kept. Not to be set
} stoa_log_content;

/// Tells what the log holds, and fills in as many entries, the oldest first, as there is room for.
/// `entries` may be NULL if `capacity` is 0. The content leads to `entries`.
stoa_status stoa_log_get(const stoa_world *world, stoa_log_entry *entries, int32_t capacity,
                         stoa_log_content *content);

/// Makes the log hold this, as far as it has room for; a no-op if none is kept. Needs no memory.
/// Ticks must not go back, nor be newer than the world's.
stoa_status stoa_log_set(stoa_world *world, const stoa_log_content *content);

/// The queue of a type of event that somebody reads.
typedef struct stoa_event_queue {
    int32_t count;        ///< events that some reader has still to read
    int32_t reader_count; ///< of the type
} stoa_event_queue;

/// Tells of the queue of a type of event; zeros if nobody reads it.
stoa_event_queue stoa_event_queue_get(const stoa_world *world, stoa_component id);

/// Fills in an event that is queued, by its place, the oldest first; false past the last.
bool stoa_event_queue_at(const stoa_world *world, stoa_component id, int32_t index,
                         stoa_event *event);

/// How far a reader has come.
typedef struct stoa_reader_state {
    int32_t unread; ///< events that it has still to read
    int64_t lost;   ///< events that went before it came to them
} stoa_reader_state;

/// Tells how far a reader of a type has come, by its place in the order they were made.
/// Zeros past the last.
stoa_reader_state stoa_event_reader_at(const stoa_world *world, stoa_component id, int32_t index);

/// Makes room for so many events in the queue of a type that somebody reads.
stoa_status stoa_event_queue_reserve(stoa_world *world, stoa_component id, int32_t count);

/// Makes a queue hold these events, for which room was made; what it held is dropped.
/// Values are moved in, from `values` on, one after the other; NULL for a tag. Readers get these
/// states, in the order they were made; those beyond `reader_count` have read everything. Beyond
/// the limit of the type the oldest events are lost. Not inside of hooks. Needs no memory.
stoa_status stoa_event_queue_set(stoa_world *world, stoa_component id, const stoa_entity *targets,
                                 void *values, int32_t count, const stoa_reader_state *readers,
                                 int32_t reader_count);

STOA_END

#endif

/* Commands: changes recorded now and applied later, in order.
 *
 * A buffer may be filled while its world is iterated. Values are moved into it and dropped if it is
 * discarded. Buffers belong to their world, which frees those left. One thread at a time, but see
 * stoa_commands_fork. */
#ifndef STOA_COMMANDS_H
#define STOA_COMMANDS_H

#include "stoa/access.h"

STOA_BEGIN

/// A list of changes to one world, not yet applied.
typedef struct stoa_commands stoa_commands;

/// The world's own buffer; NULL only for a null world. It cannot be freed.
stoa_commands *stoa_deferred(stoa_world *world);

/// Applies the world's own buffer; see stoa_commands_flush.
stoa_status stoa_flush(stoa_world *world);

/// Makes a buffer for a world; NULL on error.
stoa_commands *stoa_commands_new(stoa_world *world);

/// Discards what is recorded and frees a buffer; NULL is fine.
stoa_status stoa_commands_free(stoa_commands *commands);

/// The world that a buffer is for; NULL with an error for a null buffer.
stoa_world *stoa_commands_world(const stoa_commands *commands);

/// Records that an entity is made; returns its final handle, which lives after the flush.
/// STOA_NULL on error.
stoa_entity stoa_commands_create(stoa_commands *commands);

/// stoa_commands_create with a bundle; see stoa_commands_create_with.
stoa_entity stoa_commands_create_values(stoa_commands *commands, const stoa_value *values,
                                        int32_t count);

/// Records that an entity is destroyed.
stoa_status stoa_commands_destroy(stoa_commands *commands, stoa_entity e);

/// Records that a component is set; `size` must be the component's. The value is moved in.
stoa_status stoa_commands_set_id(stoa_commands *commands, stoa_entity e, stoa_component id,
                                 const void *value, size_t size);

/// Records that a component is added, zeroed, where it is not there.
stoa_status stoa_commands_add_id(stoa_commands *commands, stoa_entity e, stoa_component id);

/// Records that a component is taken away.
stoa_status stoa_commands_remove_id(stoa_commands *commands, stoa_entity e, stoa_component id);

/// Records that a component is switched on or off, where it is there.
stoa_status stoa_commands_enable_id(stoa_commands *commands, stoa_entity e, stoa_component id,
                                    bool on);

/// Records a change of several components; see stoa_commands_change.
stoa_status stoa_commands_change_values(stoa_commands *commands, stoa_entity e,
                                        const stoa_value *values, int32_t count);

/// Typed twin of stoa_commands_set_id; the type is registered at the flush if need be.
stoa_status stoa_commands_set_type(stoa_commands *commands, stoa_entity e, stoa_type *type,
                                   const void *value);

/// Typed twin of stoa_commands_add_id.
stoa_status stoa_commands_add_type(stoa_commands *commands, stoa_entity e, stoa_type *type);

/// Typed twin of stoa_commands_remove_id.
stoa_status stoa_commands_remove_type(stoa_commands *commands, stoa_entity e, stoa_type *type);

/// Typed twin of stoa_commands_enable_id.
stoa_status stoa_commands_enable_type(stoa_commands *commands, stoa_entity e, stoa_type *type,
                                      bool on);

/// Records that an event is sent to an entity, or to the world for STOA_NULL.
/// The value is moved in; see stoa_event_send_id. It is skipped if the entity is dead by then.
stoa_status stoa_commands_send_id(stoa_commands *commands, stoa_entity target, stoa_component id,
                                  const void *value, size_t size);

/// Typed twin of stoa_commands_send_id; called by stoa_commands_send and stoa_commands_send_to.
stoa_status stoa_commands_send_type(stoa_commands *commands, stoa_entity target, stoa_type *type,
                                    const void *value);

/// The most bytes of data that a recorded call takes.
#define STOA_CALL_MAX (1u << 18)

/// What a recorded call does when its turn comes; anything but STOA_OK is counted as refused.
/// STOA_NO_MEMORY stops the flush, so that it can be repeated.
/// It may change the world as any code outside of iterations and hooks may, but not free it.
/// `data` is a copy of what was recorded.
typedef stoa_status (*stoa_command_fn)(stoa_world *world, const void *data, size_t size);

/// Records a call of a function with a copy of `size` bytes of plain data.
stoa_status stoa_commands_call(stoa_commands *commands, stoa_command_fn call, const void *data,
                               size_t size);

/// How far a buffer was filled at some time; see stoa_commands_mark_get.
typedef struct stoa_commands_mark {
    const stoa_commands *buffer; ///< whose mark it is
    void *block;                 ///< of the buffer's memory
    void *at;                    ///< in that block
    int32_t count;               ///< of commands
    uint32_t creations;          ///< of those
    uint32_t handles;            ///< given out by a forked buffer
    uint32_t beyond;             ///< of those, past the entity table
    uint32_t epoch; ///< of the buffer: it is another one once anything was applied or cleared
} stoa_commands_mark;

/// Notes how far a buffer is filled, for stoa_commands_rewind.
stoa_commands_mark stoa_commands_mark_get(const stoa_commands *commands);

/// Takes back what was recorded since a mark, for modules that record several commands or none.
/// The values are dropped. Handles that were given out meanwhile must not be used: they may be
/// given out again, and marks that were taken after this one are void. STOA_INVALID if the buffer
/// was flushed, cleared, forked or joined since, or is another one. Needs no memory.
stoa_status stoa_commands_rewind(stoa_commands *commands, stoa_commands_mark mark);

/// How many commands the buffers of a world hold, its own included, that are not yet applied.
int64_t stoa_commands_pending(const stoa_world *world);

/// How many commands are recorded and not yet applied.
int32_t stoa_commands_count(const stoa_commands *commands);

/// True if nothing is recorded.
bool stoa_commands_empty(const stoa_commands *commands);

/// Drops what is recorded; handles that were given out for creations never live.
stoa_status stoa_commands_clear(stoa_commands *commands);

/// Applies what is recorded, in order, and empties the buffer.
/// A command on an entity that is dead by then is skipped and counted, and so is one that a veto
/// refuses, or a call that fails. Refused while the world is iterated and inside of hooks. On an
/// error what was applied stays, the rest stays recorded, and the call can be repeated. Consecutive
/// commands on one entity move it once.
stoa_status stoa_commands_flush(stoa_commands *commands);

/// Flushes buffers in order, those from number `*done` on, which moves on with each.
/// Stops at the first that fails.
stoa_status stoa_commands_flush_all(stoa_commands *const *buffers, int32_t count, int32_t *done);

/// How many commands were skipped since the buffer was made, their entities being dead.
int64_t stoa_commands_skipped(const stoa_commands *commands);

/// How many commands were refused by a veto, or were calls that failed, since the buffer was made.
int64_t stoa_commands_refused(const stoa_commands *commands);

/// Prepares buffers of a world to be filled by one thread each, at the same time.
/// Handles for creations are dealt out so that they depend on the order of `buffers` and on what
/// each records, never on timing. Until stoa_commands_join the structure of the world cannot
/// change. The world's allocator must be one that threads may share.
stoa_status stoa_commands_fork(stoa_world *world, stoa_commands *const *buffers, int32_t count);

/// Ends what stoa_commands_fork began, when the threads are done; then flush each buffer in order.
stoa_status stoa_commands_join(stoa_world *world);

STOA_END

#endif

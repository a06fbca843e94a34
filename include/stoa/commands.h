/* Commands: changes recorded now and applied later, in order.
 *
 * A buffer may be filled while its world is iterated. Values are moved into it and dropped if it is
 * discarded. Buffers belong to their world, which frees those left. One thread at a time, but see
 * stoa_commands_fork. */
#ifndef STOA_COMMANDS_H
#define STOA_COMMANDS_H

#include "stoa/access.h"
#include "stoa/allocator.h"

#include <string.h>

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

/// Bytes that stand before the value of a command; its size is a multiple of 8.
#define STOA_COMMAND_HEADER 16u

/// Types that a buffer finds at once, a power of two.
#define STOA_LEADS 32u

/// A type whose values are recorded as bytes, with no call.
typedef struct stoa_lead {
    const stoa_type *type; ///< NULL: none
    uint64_t does;         ///< what follows the entity in a command that sets one
} stoa_lead;

/// The part of a command buffer that the fast paths use; not to be read by a program.
typedef struct stoa_commands_head {
    stoa_arena arena;       ///< where commands stand
    int32_t count;          ///< commands that are not applied
    uint32_t reserved;      ///< 0
    const stoa_lead *leads; ///< STOA_LEADS of them, found by the address of the type
    uint64_t destroys;      ///< what follows the entity in a command that destroys it
} stoa_commands_head;

/// Where a type is among those that a buffer finds at once.
static inline uint32_t stoa_lead_index(const stoa_type *type) {
    uintptr_t at = (uintptr_t)type;
    return (uint32_t)(at >> 4 ^ at >> 9) & (STOA_LEADS - 1);
}

/// True for a handle that is not STOA_NULL, by one look.
static inline bool stoa_entity_some(stoa_entity e) {
    uint64_t bits;
    memcpy(&bits, &e, sizeof bits);
    return bits != 0;
}

/// Appends a command without its value, if there is room: where the value goes, else NULL.
/// In a debug build there is none, so that the library looks at who records.
static inline uint8_t *stoa_command_append(stoa_commands_head *head, stoa_entity e, uint64_t does,
                                           uint32_t size) {
#ifdef STOA_DEBUG
    (void)head;
    (void)e;
    (void)does;
    (void)size;
    return NULL;
#else
    size_t extent = (STOA_COMMAND_HEADER + (size_t)size + 7) & ~(size_t)7;
    uint8_t *at = head->arena.next;
    if (!STOA_LIKELY((uintptr_t)head->arena.end - (uintptr_t)at >= extent &&
                     head->count < INT32_MAX)) {
        return NULL;
    }
    head->arena.next = at + extent;
    head->count++;
    memcpy(at, &e, sizeof e);
    memcpy(at + sizeof e, &does, sizeof does);
    return at + STOA_COMMAND_HEADER;
#endif
}

/// The slow half of stoa_commands_destroy, and the same for any buffer.
stoa_status stoa_commands_destroy_any(stoa_commands *commands, stoa_entity e);

/// Records that an entity is destroyed.
static inline stoa_status stoa_commands_destroy(stoa_commands *commands, stoa_entity e) {
    stoa_commands_head *head = (stoa_commands_head *)(void *)commands;
    if (STOA_LIKELY(head != NULL && stoa_entity_some(e)) &&
        STOA_LIKELY(stoa_command_append(head, e, head->destroys, 0) != NULL)) {
        return STOA_OK;
    }
    return stoa_commands_destroy_any(commands, e);
}

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

/// Copies the bytes of a value.
/// Values are mostly written a moment ago, member by member: reading a small one in larger pieces
/// than it was written would wait for the writes to reach the cache.
static inline void stoa_value_copy(uint8_t *to, const void *value, uint32_t size) {
    const uint8_t *from = (const uint8_t *)value;
    uint32_t at = 0;
    for (; size <= 32 && at + 4 <= size; at += 4) {
        uint32_t word;
        memcpy(&word, from + at, sizeof word);
        STOA_ALONE(word);
        memcpy(to + at, &word, sizeof word);
    }
    memcpy(to + at, from + at, size - at);
}

/// stoa_commands_set_type for a type whose size is known.
static inline stoa_status stoa_commands_set_sized(stoa_commands *commands, stoa_entity e,
                                                  stoa_type *type, const void *value,
                                                  uint32_t size) {
    stoa_commands_head *head = (stoa_commands_head *)(void *)commands;
    if (STOA_LIKELY(head != NULL && type != NULL && value != NULL && stoa_entity_some(e))) {
        const stoa_lead *lead = &head->leads[stoa_lead_index(type)];
        uint8_t *to =
            STOA_LIKELY(lead->type == type) ? stoa_command_append(head, e, lead->does, size) : NULL;
        if (STOA_LIKELY(to != NULL)) {
            stoa_value_copy(to, value, size);
            return STOA_OK;
        }
    }
    return stoa_commands_set_type(commands, e, type, value);
}

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

/// Threads that help to apply commands.
typedef struct stoa_flush_crew {
    /// Calls `work(lane, data)` once for each lane below `lanes`, on any threads, and returns when
    /// all have returned.
    void (*run)(void (*work)(int32_t lane, void *data), void *data, int32_t lanes, void *user);
    void *user;    ///< handed to `run`
    int32_t lanes; ///< at most this many are of use
    int32_t least; ///< creations that are worth sharing; 0: as many as usually are
} stoa_flush_crew;

/// stoa_commands_flush_all with the help of threads; what comes out is the same.
/// They fill in rows where buffers, one after the other, hold nothing but creations of one bundle
/// that nobody is told of; all else is done by the caller. `crew` may be NULL.
stoa_status stoa_commands_flush_crew(stoa_commands *const *buffers, int32_t count, int32_t *done,
                                     const stoa_flush_crew *crew);

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

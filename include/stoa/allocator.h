/* The allocator hooks: every byte a world holds goes through the ones it was given. */
#ifndef STOA_ALLOCATOR_H
#define STOA_ALLOCATOR_H

#include "stoa/compiler.h"

STOA_BEGIN

/// Where a world gets its memory; called from the thread that uses the world.
/// `alignment` is a power of two, up to 2 MiB; sizes are those the block was made with.
typedef struct stoa_allocator {
    /// Gives `size` bytes, or NULL when there are none.
    void *(*alloc)(size_t size, size_t alignment, void *user);
    /// Takes a block back.
    void (*free)(void *block, size_t size, size_t alignment, void *user);
    /// Grows or shrinks a block, keeping its bytes; NULL leaves it. May itself be NULL.
    void *(*resize)(void *block, size_t old_size, size_t size, size_t alignment, void *user);
    /// Handed to every call.
    void *user;
    /// Called once, after the last free; may be NULL.
    void (*user_free)(void *user);
} stoa_allocator;

/// The allocator of a world that is given none: libc, and huge pages for large blocks.
stoa_allocator stoa_allocator_default(void);

/// Memory that is taken piece by piece and given back all at once.
typedef struct stoa_arena {
    uint8_t *next;                  ///< where the next piece goes
    uint8_t *end;                   ///< of the block in use
    struct stoa_arena_block *first; ///< blocks in use, then spare ones
    struct stoa_arena_block *last;  ///< the one in use; NULL before the first piece
} stoa_arena;

STOA_END

#endif

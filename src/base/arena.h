/* An arena: memory that is taken piece by piece, read in the same order, and given back all at
 * once.
 *
 * Pieces never move. Blocks are kept when the arena is emptied, so that filling it again the same
 * way needs no memory. A place tells where a reader is; it stays good while pieces are added. One
 * thread at a time. */
#ifndef STOA_BASE_ARENA_H
#define STOA_BASE_ARENA_H

#include "base/heap.h"
#include "base/inline.h"

/* Blocks begin at a multiple of this, and so do their first pieces. */
#define STOA__ARENA_LINE ((size_t)64)
/* Every piece begins at a multiple of this. */
#define STOA__ARENA_UNIT ((size_t)8)

/* A block; its pieces follow at the next line. */
typedef struct stoa_arena_block {
    struct stoa_arena_block *next;
    size_t size; /* bytes for pieces */
    size_t used; /* of them, once the arena has gone on to the next block */
} stoa__arena_block;

/* A zeroed arena is an empty one. */
typedef stoa_arena stoa__arena;

/* Where a reader is; zeroed it is the start. */
typedef struct stoa__arena_place {
    stoa__arena_block *block;
    uint8_t *at;
} stoa__arena_place;

/* Where the arena ended at some time. */
typedef struct stoa__arena_mark {
    stoa__arena_block *last;
    uint8_t *next;
} stoa__arena_mark;

/* Frees all blocks. */
void stoa__arena_fini(stoa__arena *arena, stoa__heap *heap);

/* Forgets all pieces and keeps the blocks. */
void stoa__arena_clear(stoa__arena *arena);

/* The slow half of stoa__arena_room: goes on to another block. */
uint8_t *stoa__arena_grow(stoa__arena *arena, stoa__heap *heap, size_t size);

STOA__INLINE uint8_t *stoa__arena_data(stoa__arena_block *block) {
    return (uint8_t *)block + STOA__ARENA_LINE;
}

/* Where `size` bytes in a row, at least 1, can be written; NULL on lack of memory. They are taken
 * by stoa__arena_take. */
STOA__INLINE uint8_t *stoa__arena_room(stoa__arena *arena, stoa__heap *heap, size_t size) {
    return STOA_LIKELY((uintptr_t)arena->end - (uintptr_t)arena->next >= size)
               ? arena->next
               : stoa__arena_grow(arena, heap, size);
}

/* Takes the bytes up to `end`, which stoa__arena_room made room for. */
STOA__INLINE void stoa__arena_take(stoa__arena *arena, uint8_t *end) {
    size_t size = (size_t)(end - arena->next);
    arena->next += (size + STOA__ARENA_UNIT - 1) & ~(STOA__ARENA_UNIT - 1);
}

STOA__INLINE stoa__arena_mark stoa__arena_mark_get(const stoa__arena *arena) {
    return (stoa__arena_mark){arena->last, arena->next};
}

/* Forgets the pieces taken since the mark. */
void stoa__arena_rewind(stoa__arena *arena, stoa__arena_mark mark);

/* Where the pieces of a block in use end. */
STOA__INLINE uint8_t *stoa__arena_block_end(const stoa__arena *arena, stoa__arena_block *block) {
    return block == arena->last ? arena->next : stoa__arena_data(block) + block->used;
}

/* The slow half of stoa__arena_peek: steps over the end of a block. */
void *stoa__arena_peek_next(const stoa__arena *arena, stoa__arena_place *place);

/* The piece at a place; NULL after the last. */
STOA__INLINE void *stoa__arena_peek(const stoa__arena *arena, stoa__arena_place *place) {
    return STOA_LIKELY(place->block != NULL &&
                       place->at != stoa__arena_block_end(arena, place->block))
               ? place->at
               : stoa__arena_peek_next(arena, place);
}

/* Moves a place past a piece that ends at `end`. */
STOA__INLINE void stoa__arena_pass(stoa__arena_place *place, uint8_t *end) {
    size_t size = (size_t)(end - place->at);
    place->at += (size + STOA__ARENA_UNIT - 1) & ~(STOA__ARENA_UNIT - 1);
}

#endif

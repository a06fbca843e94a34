/* Arenas.
 *
 * Blocks form one list: those in use up to `last`, then spare ones. A piece that does not fit goes
 * to the first spare block with room, which is put next in the list; only if there is none a new
 * one is made, twice as large as the one before up to a limit. So the blocks of an arena are never
 * more than its fullest time needed. Taking and reading are O(1), and so is clearing. */
#include "base/arena.h"

#define BLOCK_FIRST ((size_t)4 << 10)
#define BLOCK_LAST ((size_t)256 << 10)

void stoa__arena_fini(stoa__arena *arena, stoa__heap *heap) {
    for (stoa__arena_block *block = arena->first; block != NULL;) {
        stoa__arena_block *next = block->next;
        stoa__heap_free(heap, block, STOA__ARENA_LINE + block->size, STOA__ARENA_LINE);
        block = next;
    }
    *arena = (stoa__arena){0};
}

void stoa__arena_clear(stoa__arena *arena) {
    stoa__arena_rewind(arena, (stoa__arena_mark){NULL, NULL});
}

void stoa__arena_rewind(stoa__arena *arena, stoa__arena_mark mark) {
    arena->last = mark.last;
    arena->next = mark.next;
    arena->end = mark.last != NULL ? stoa__arena_data(mark.last) + mark.last->size : NULL;
}

static stoa__arena_block *block_new(const stoa__arena *arena, stoa__heap *heap, size_t size) {
    if (size > SIZE_MAX - 2 * STOA__ARENA_LINE) {
        return NULL;
    }
    size_t want = arena->last == NULL ? BLOCK_FIRST : arena->last->size * 2;
    want = want > BLOCK_LAST ? BLOCK_LAST : want;
    want = want < size ? size : want;
    want = (want + STOA__ARENA_UNIT - 1) & ~(STOA__ARENA_UNIT - 1);
    stoa__arena_block *block = stoa__heap_alloc(heap, STOA__ARENA_LINE + want, STOA__ARENA_LINE);
    if (block != NULL) {
        *block = (stoa__arena_block){NULL, want, 0};
    }
    return block;
}

uint8_t *stoa__arena_grow(stoa__arena *arena, stoa__heap *heap, size_t size) {
    stoa__arena_block **spare = arena->last != NULL ? &arena->last->next : &arena->first;
    stoa__arena_block **link = spare;
    while (*link != NULL && (*link)->size < size) {
        link = &(*link)->next;
    }
    stoa__arena_block *block = *link;
    if (block != NULL) {
        *link = block->next;
    } else {
        block = block_new(arena, heap, size);
        if (block == NULL) {
            return NULL;
        }
    }
    block->next = *spare;
    *spare = block;
    if (arena->last != NULL) {
        arena->last->used = (size_t)(arena->next - stoa__arena_data(arena->last));
    }
    arena->last = block;
    arena->next = stoa__arena_data(block);
    arena->end = arena->next + block->size;
    return arena->next;
}

void *stoa__arena_peek_next(const stoa__arena *arena, stoa__arena_place *place) {
    if (arena->last == NULL) {
        return NULL;
    }
    if (place->block == NULL) {
        *place = (stoa__arena_place){arena->first, stoa__arena_data(arena->first)};
        return stoa__arena_peek(arena, place);
    }
    if (place->block == arena->last) {
        return NULL;
    }
    *place = (stoa__arena_place){place->block->next, stoa__arena_data(place->block->next)};
    return stoa__arena_peek(arena, place);
}

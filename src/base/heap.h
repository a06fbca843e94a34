/* A world's heap: its allocator hooks, with every byte counted.
 *
 * Nothing here sets an error: the caller knows what the memory was for. Freeing never fails. One
 * thread at a time. */
#ifndef STOA_BASE_HEAP_H
#define STOA_BASE_HEAP_H

#include "stoa/allocator.h"

typedef struct stoa__heap {
    stoa_allocator hooks;
    size_t used;   /* bytes handed out and not yet freed */
    size_t blocks; /* how many blocks they are */
} stoa__heap;

/* Takes a copy of the hooks. */
void stoa__heap_init(stoa__heap *heap, const stoa_allocator *hooks);

/* `size` bytes, not zeroed, or NULL. A size of 0 is a mistake of the caller's. */
void *stoa__heap_alloc(stoa__heap *heap, size_t size, size_t alignment);

/* The same, zeroed. */
void *stoa__heap_zalloc(stoa__heap *heap, size_t size, size_t alignment);

/* Gives back a block of that size and alignment; NULL is fine. */
void stoa__heap_free(stoa__heap *heap, void *block, size_t size, size_t alignment);

/* The block with a new size, its bytes kept; NULL leaves it as it was. A NULL block is allocated.
 * Uses the resize hook if there is one, else allocates, copies and frees. */
void *stoa__heap_resize(stoa__heap *heap, void *block, size_t old_size, size_t size,
                        size_t alignment);

/* Makes room for `need` items in a growing array of `item_size` bytes each, doubling (from 8).
 * False on lack of memory or overflow, with the array as it was. `items` points at the array's
 * pointer. */
bool stoa__heap_grow(stoa__heap *heap, void *items, uint32_t *capacity, uint32_t need,
                     size_t item_size);

/* Frees an array that stoa__heap_grow made; NULL is fine. */
static inline void stoa__heap_grow_free(stoa__heap *heap, void *items, uint32_t capacity,
                                        size_t item_size) {
    stoa__heap_free(heap, items, capacity * item_size, _Alignof(max_align_t));
}

/* A copy of a text, or NULL; free it with stoa__heap_text_free. */
char *stoa__heap_text(stoa__heap *heap, const char *text);

/* Frees what stoa__heap_text made; NULL is fine. */
void stoa__heap_text_free(stoa__heap *heap, char *text);

#endif

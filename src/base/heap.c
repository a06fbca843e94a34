/* A world's heap: the allocator hooks with every byte counted.
 *
 * `used` and `blocks` tell of exactly what was handed out and not taken back, which stoa_check
 * compares with what the world can account for. The cost is that of the hooks. One thread at a
 * time. */
#include "base/heap.h"

#include <string.h>

/* Growing arrays are aligned for any type of the language, whatever their items. */
#define ARRAY_ALIGNMENT _Alignof(max_align_t)

#define ARRAY_CAPACITY_MIN 8

void stoa__heap_init(stoa__heap *heap, const stoa_allocator *hooks) {
    heap->hooks = *hooks;
    heap->used = 0;
    heap->blocks = 0;
}

void *stoa__heap_alloc(stoa__heap *heap, size_t size, size_t alignment) {
    if (size == 0) {
        return NULL;
    }
    void *block = heap->hooks.alloc(size, alignment, heap->hooks.user);
    if (block != NULL) {
        heap->used += size;
        heap->blocks++;
    }
    return block;
}

void *stoa__heap_zalloc(stoa__heap *heap, size_t size, size_t alignment) {
    void *block = stoa__heap_alloc(heap, size, alignment);
    if (block != NULL) {
        memset(block, 0, size);
    }
    return block;
}

void stoa__heap_free(stoa__heap *heap, void *block, size_t size, size_t alignment) {
    if (block == NULL) {
        return;
    }
    heap->hooks.free(block, size, alignment, heap->hooks.user);
    heap->used -= size;
    heap->blocks--;
}

void *stoa__heap_resize(stoa__heap *heap, void *block, size_t old_size, size_t size,
                        size_t alignment) {
    if (block == NULL) {
        return stoa__heap_alloc(heap, size, alignment);
    }
    if (size == 0) {
        return NULL;
    }
    if (heap->hooks.resize != NULL) {
        void *resized = heap->hooks.resize(block, old_size, size, alignment, heap->hooks.user);
        if (resized != NULL) {
            heap->used = heap->used - old_size + size;
        }
        return resized;
    }
    void *copy = stoa__heap_alloc(heap, size, alignment);
    if (copy != NULL) {
        memcpy(copy, block, old_size < size ? old_size : size);
        stoa__heap_free(heap, block, old_size, alignment);
    }
    return copy;
}

bool stoa__heap_grow(stoa__heap *heap, void *items, uint32_t *capacity, uint32_t need,
                     size_t item_size) {
    if (need <= *capacity) {
        return true;
    }
    uint64_t grown = *capacity < ARRAY_CAPACITY_MIN ? ARRAY_CAPACITY_MIN : *capacity;
    while (grown < need) {
        grown *= 2;
    }
    if (grown > UINT32_MAX) {
        grown = UINT32_MAX;
    }
    if (grown > SIZE_MAX / item_size) {
        return false;
    }
    /* The pointer's own type is the caller's, so it is read and written as bytes. */
    void *array;
    memcpy(&array, items, sizeof array);
    array = stoa__heap_resize(heap, array, *capacity * item_size, (size_t)grown * item_size,
                              ARRAY_ALIGNMENT);
    if (array == NULL) {
        return false;
    }
    memcpy(items, &array, sizeof array);
    *capacity = (uint32_t)grown;
    return true;
}

char *stoa__heap_text(stoa__heap *heap, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = stoa__heap_alloc(heap, size, 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

void stoa__heap_text_free(stoa__heap *heap, char *text) {
    if (text != NULL) {
        stoa__heap_free(heap, text, strlen(text) + 1, 1);
    }
}

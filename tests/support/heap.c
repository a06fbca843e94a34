/* The counting allocator and the random numbers of the tests; needs nothing of the library.
 *
 * A header lies before each block and says what the block was made with. A mistake ends the program
 * at once: a jump out of the library's middle would only make for failures elsewhere. */
#define _POSIX_C_SOURCE 200809L

#include "support/support.h"

#include <stdlib.h>

#define BLOCK_ALIVE UINT64_C(0x616c697665626c6b)
#define BLOCK_DEAD UINT64_C(0x64656164626c6b21)

/* Fresh memory is written to, so what a hostile call asks for must not be tried. */
#define BLOCK_SIZE_MAX ((size_t)1 << 30)

typedef struct block_header {
    void *start; /* what libc gave */
    support_heap *heap;
    size_t size;
    size_t alignment;
    uint64_t mark; /* last, so that a write just before the block shows */
} block_header;

static void mistake(const char *what, size_t given, size_t expected) {
    fprintf(stderr, "support_heap: %s: given %zu, expected %zu\n", what, given, expected);
    abort();
}

static block_header *block_header_of(void *block) {
    return (block_header *)(void *)((unsigned char *)block - sizeof(block_header));
}

static bool alignment_is_valid(size_t alignment) {
    return alignment != 0 && (alignment & (alignment - 1)) == 0 &&
           alignment <= (size_t)2 * 1024 * 1024;
}

static void heap_lock(support_heap *heap) {
    while (atomic_flag_test_and_set_explicit(&heap->lock, memory_order_acquire)) {
    }
}

static void heap_unlock(support_heap *heap) {
    atomic_flag_clear_explicit(&heap->lock, memory_order_release);
}

/* Counts a block that is made, or is gone. */
static void heap_count(support_heap *heap, size_t size, bool made) {
    heap_lock(heap);
    heap->bytes = made ? heap->bytes + size : heap->bytes - size;
    heap->blocks = made ? heap->blocks + 1 : heap->blocks - 1;
    heap_unlock(heap);
}

static bool allocation_is_refused(support_heap *heap, size_t size) {
    bool refused = size > BLOCK_SIZE_MAX;
    heap_lock(heap);
    heap->allocations++;
    if (heap->fail_at > 0 && --heap->fail_at == 0) {
        refused = true;
        heap->fail_at = heap->fail_forever ? 1 : 0;
    }
    heap->failed += refused ? 1 : 0;
    heap_unlock(heap);
    return refused;
}

static void *block_make(support_heap *heap, size_t size, size_t alignment) {
    size_t step = alignment > _Alignof(max_align_t) ? alignment : _Alignof(max_align_t);
    size_t before = (sizeof(block_header) + step - 1) / step * step;
    void *start;
    if (posix_memalign(&start, step, before + size) != 0) {
        return NULL;
    }
    unsigned char *block = (unsigned char *)start + before;
    *block_header_of(block) = (block_header){
        .start = start, .heap = heap, .size = size, .alignment = alignment, .mark = BLOCK_ALIVE};
    memset(block, 0xcd, size);
    heap_count(heap, size, true);
    return block;
}

static void block_verify(support_heap *heap, void *block, size_t size, size_t alignment) {
    const block_header *header = block_header_of(block);
    if (header->mark != BLOCK_ALIVE) {
        mistake("not a live block, or the bytes before it were overwritten", 0, 0);
    }
    if (header->heap != heap) {
        mistake("block of another heap", 0, 0);
    }
    if (header->size != size) {
        mistake("wrong size for a block", size, header->size);
    }
    if (header->alignment != alignment) {
        mistake("wrong alignment for a block", alignment, header->alignment);
    }
}

static void block_end(support_heap *heap, void *block) {
    block_header *header = block_header_of(block);
    heap_count(heap, header->size, false);
    header->mark = BLOCK_DEAD;
    memset(block, 0xdd, header->size);
    free(header->start);
}

static void request_verify(size_t size, size_t alignment) {
    if (size == 0) {
        mistake("empty block asked for", size, 1);
    }
    if (!alignment_is_valid(alignment)) {
        mistake("alignment is no power of two up to 2 MiB", alignment, 1);
    }
}

static void *heap_alloc(size_t size, size_t alignment, void *user) {
    support_heap *heap = user;
    request_verify(size, alignment);
    if (allocation_is_refused(heap, size)) {
        return NULL;
    }
    return block_make(heap, size, alignment);
}

static void heap_free(void *block, size_t size, size_t alignment, void *user) {
    if (block == NULL) {
        mistake("free of no block", 0, 0);
        return;
    }
    block_verify(user, block, size, alignment);
    block_end(user, block);
}

static void *heap_resize(void *block, size_t old_size, size_t size, size_t alignment, void *user) {
    support_heap *heap = user;
    request_verify(size, alignment);
    if (block == NULL) {
        mistake("resize of no block", 0, 0);
        return NULL;
    }
    block_verify(heap, block, old_size, alignment);
    if (allocation_is_refused(heap, size)) {
        return NULL;
    }
    void *moved = block_make(heap, size, alignment);
    if (moved != NULL) {
        memcpy(moved, block, old_size < size ? old_size : size);
        block_end(heap, block);
    }
    return moved;
}

stoa_allocator support_allocator(support_heap *heap) {
    return (stoa_allocator){
        .alloc = heap_alloc,
        .free = heap_free,
        .resize = heap->no_resize ? NULL : heap_resize,
        .user = heap,
    };
}

uint32_t support_random_next(support_random *random) {
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = random->state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

uint32_t support_random_below(support_random *random, uint32_t n) {
    return (uint32_t)((uint64_t)support_random_next(random) * n >> 32);
}

uint32_t support_random_pick(support_random *random, const uint8_t *weights, uint32_t count) {
    uint32_t sum = 0, pick = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += weights[i];
    }
    uint32_t draw = support_random_below(random, sum);
    while (draw >= weights[pick]) {
        draw -= weights[pick++];
    }
    return pick;
}

/* The default allocator: libc for small blocks, pages of their own for large ones.
 *
 * How a block was made is told by its size alone: from STOA__OS_LARGE on it is a mapping that
 * starts at a 2 MiB boundary and ends with the page its last byte is on. On Linux a large block
 * grows by moving its pages, so growing costs page table entries and not bytes; elsewhere it is
 * copied. No state here, so any thread. */
#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "os/memory.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

static size_t size_min(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t size_round_up(size_t size, size_t alignment) {
    return (size + alignment - 1) & ~(alignment - 1);
}

/* What passes can be rounded up, and added to a boundary, without overflow. */
static bool size_is_sane(size_t size, size_t alignment) {
    return size <= PTRDIFF_MAX / 2 && alignment <= PTRDIFF_MAX / 4;
}

static void *small_alloc(size_t size, size_t alignment) {
    if (alignment <= _Alignof(max_align_t)) {
        return malloc(size);
    }
    return aligned_alloc(alignment, size_round_up(size, alignment));
}

#if defined(__linux__)

static size_t large_length(size_t size) {
    return size_round_up(size, (size_t)sysconf(_SC_PAGESIZE));
}

/* Maps addresses, wherever there are some; NULL if there are none. */
static uint8_t *pages_map(size_t length, int protection) {
    void *mapped = mmap(NULL, length, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mapped == MAP_FAILED ? NULL : mapped;
}

/* Maps addresses that start at a boundary, or NULL. The kernel puts one mapping right below the
 * other, so after the first they mostly start there by themselves, without gaps between them:
 * blocks of 2 MiB that lay 4 MiB apart took three times as long to read a line here and there of.
 * Otherwise a boundary's worth more than is needed is mapped, and what lies before the first
 * boundary and after the end is given back. */
static uint8_t *range_map(size_t length, size_t alignment, int protection) {
    size_t boundary = alignment > STOA__OS_LARGE ? alignment : STOA__OS_LARGE;
    uint8_t *first = pages_map(length, protection);
    if (first == NULL || ((uintptr_t)first & (boundary - 1)) == 0) {
        return first;
    }
    munmap(first, length);
    first = pages_map(length + boundary, protection);
    if (first == NULL) {
        return NULL;
    }
    size_t before = (size_t)(-(uintptr_t)first & (boundary - 1));
    if (before > 0) {
        munmap(first, before);
    }
    munmap(first + before + length, boundary - before);
    return first + before;
}

static void *large_alloc(size_t size, size_t alignment) {
    size_t length = large_length(size);
    void *block = range_map(length, alignment, PROT_READ | PROT_WRITE);
    if (block != NULL) {
        /* Huge pages are a matter of speed, so it is all the same if there are none. */
        madvise(block, length, MADV_HUGEPAGE);
    }
    return block;
}

static void large_free(void *block, size_t size) {
    munmap(block, large_length(size));
}

/* NULL if the pages could not be moved; the block is whole then. */
static void *large_resize(void *block, size_t old_size, size_t size, size_t alignment) {
    size_t old_length = large_length(old_size);
    size_t length = large_length(size);
    if (length < old_length) {
        munmap((uint8_t *)block + length, old_length - length);
    }
    if (length <= old_length || mremap(block, old_length, length, 0) != MAP_FAILED) {
        return block;
    }
    void *target = range_map(length, alignment, PROT_NONE);
    if (target == NULL) {
        return NULL;
    }
    /* Moving and growing in one call keeps the block one mapping, without which it could not be
     * moved again. If it fails the kernel may have unmapped the target already, and another thread
     * may have been given the addresses since: so the target is left alone. It is addresses only
     * and holds no memory. */
    void *moved = mremap(block, old_length, length, MREMAP_MAYMOVE | MREMAP_FIXED, target);
    return moved == MAP_FAILED ? NULL : moved;
}

#else

static void *large_alloc(size_t size, size_t alignment) {
    size_t boundary = alignment > STOA__OS_LARGE ? alignment : STOA__OS_LARGE;
    return aligned_alloc(boundary, size_round_up(size, boundary));
}

static void large_free(void *block, size_t size) {
    (void)size;
    free(block);
}

static void *large_resize(void *block, size_t old_size, size_t size, size_t alignment) {
    (void)block;
    (void)old_size;
    (void)size;
    (void)alignment;
    return NULL;
}

#endif

void *stoa__os_alloc(size_t size, size_t alignment, void *user) {
    (void)user;
    if (!size_is_sane(size, alignment)) {
        return NULL;
    }
    return size >= STOA__OS_LARGE ? large_alloc(size, alignment) : small_alloc(size, alignment);
}

void stoa__os_free(void *block, size_t size, size_t alignment, void *user) {
    (void)alignment;
    (void)user;
    if (size >= STOA__OS_LARGE) {
        large_free(block, size);
    } else {
        free(block);
    }
}

void *stoa__os_resize(void *block, size_t old_size, size_t size, size_t alignment, void *user) {
    if (block == NULL) {
        return stoa__os_alloc(size, alignment, user);
    }
    if (!size_is_sane(size, alignment)) {
        return NULL;
    }
    bool was_large = old_size >= STOA__OS_LARGE;
    bool is_large = size >= STOA__OS_LARGE;
    if (was_large && is_large) {
        void *resized = large_resize(block, old_size, size, alignment);
        if (resized != NULL) {
            return resized;
        }
    } else if (!was_large && !is_large && alignment <= _Alignof(max_align_t)) {
        return realloc(block, size);
    }
    void *copy = stoa__os_alloc(size, alignment, user);
    if (copy != NULL) {
        memcpy(copy, block, size_min(old_size, size));
        stoa__os_free(block, old_size, alignment, user);
    }
    return copy;
}

stoa_allocator stoa_allocator_default(void) {
    stoa_allocator allocator = {
        .alloc = stoa__os_alloc,
        .free = stoa__os_free,
        .resize = stoa__os_resize,
    };
    return allocator;
}

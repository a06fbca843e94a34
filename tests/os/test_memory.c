/* The default allocator keeps alignment and bytes over every size, and gives pages back. */
#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "os/memory.h"
#include "support/support.h"

#if defined(__linux__)
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#define MIB ((size_t)1 << 20)

static const size_t sizes[] = {
    1, 7, 64, 4095, 4096, 100000, 2 * MIB - 1, 2 * MIB, 2 * MIB + 1, 5 * MIB + 123, 9 * MIB,
};
#define SIZE_COUNT (sizeof sizes / sizeof *sizes)

static const size_t alignments[] = {1, 8, 16, 32, 64, 4096, 2 * MIB};
#define ALIGNMENT_COUNT (sizeof alignments / sizeof *alignments)

static unsigned char byte_at(size_t i) {
    return (unsigned char)(i * 31 + (i >> 12) + 1);
}

/* One byte in each page or so, and the last: enough to tell, and quick. */
static void bytes_write(unsigned char *block, size_t size) {
    for (size_t i = 0; i < size; i += i < 256 ? 1 : 1021) {
        block[i] = byte_at(i);
    }
    block[size - 1] = byte_at(size - 1);
}

static void assert_bytes(const unsigned char *block, size_t written, size_t size) {
    size_t kept = written < size ? written : size;
    for (size_t i = 0; i < kept; i += i < 256 ? 1 : 1021) {
        assert_int_equal(block[i], byte_at(i));
    }
    if (written <= size) {
        assert_int_equal(block[written - 1], byte_at(written - 1));
    }
}

static void assert_aligned(const void *block, size_t size, size_t alignment) {
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % alignment, 0);
    if (size >= STOA__OS_LARGE) {
        assert_int_equal((uintptr_t)block % STOA__OS_LARGE, 0);
    }
}

static void blocks_of_every_size_are_aligned_and_writable(void **state) {
    (void)state;
    for (size_t s = 0; s < SIZE_COUNT; s++) {
        for (size_t a = 0; a < ALIGNMENT_COUNT; a++) {
            unsigned char *first = stoa__os_alloc(sizes[s], alignments[a], NULL);
            unsigned char *second = stoa__os_alloc(sizes[s], alignments[a], NULL);
            assert_aligned(first, sizes[s], alignments[a]);
            assert_aligned(second, sizes[s], alignments[a]);
            bytes_write(first, sizes[s]);
            memset(second, 0xee, sizes[s]);
            assert_bytes(first, sizes[s], sizes[s]);
            stoa__os_free(first, sizes[s], alignments[a], NULL);
            stoa__os_free(second, sizes[s], alignments[a], NULL);
        }
    }
}

static void resize_keeps_bytes_from_any_size_to_any(void **state) {
    (void)state;
    for (size_t a = 0; a < ALIGNMENT_COUNT; a++) {
        for (size_t from = 0; from < SIZE_COUNT; from++) {
            for (size_t to = 0; to < SIZE_COUNT; to++) {
                unsigned char *block = stoa__os_alloc(sizes[from], alignments[a], NULL);
                assert_non_null(block);
                bytes_write(block, sizes[from]);
                block = stoa__os_resize(block, sizes[from], sizes[to], alignments[a], NULL);
                assert_aligned(block, sizes[to], alignments[a]);
                assert_bytes(block, sizes[from], sizes[to]);
                bytes_write(block, sizes[to]);
                stoa__os_free(block, sizes[to], alignments[a], NULL);
            }
        }
    }
}

static void block_grows_again_and_again(void **state) {
    (void)state;
    size_t size = 1000;
    unsigned char *block = stoa__os_alloc(size, 64, NULL);
    bytes_write(block, size);
    while (size < 100 * MIB) {
        size_t grown = size * 3 / 2 + 77;
        block = stoa__os_resize(block, size, grown, 64, NULL);
        assert_aligned(block, grown, 64);
        assert_bytes(block, size, grown);
        size = grown;
        bytes_write(block, size);
    }
    while (size > 1000) {
        size_t shrunk = size / 3;
        block = stoa__os_resize(block, size, shrunk, 64, NULL);
        assert_aligned(block, shrunk, 64);
        assert_bytes(block, size, shrunk);
        size = shrunk;
        bytes_write(block, size);
    }
    stoa__os_free(block, size, 64, NULL);
}

/* GEN-04 GEN-05 */
static void impossible_sizes_are_refused(void **state) {
    (void)state;
    const size_t impossible[] = {SIZE_MAX,
                                 SIZE_MAX - 1,
                                 SIZE_MAX - 4095,
                                 SIZE_MAX - MIB,
                                 PTRDIFF_MAX,
                                 (size_t)PTRDIFF_MAX + 1,
                                 PTRDIFF_MAX / 2 - 4 * MIB};
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        for (size_t a = 0; a < ALIGNMENT_COUNT; a++) {
            assert_null(stoa__os_alloc(impossible[i], alignments[a], NULL));
        }
    }
}

/* GEN-04 */
static void refused_resize_leaves_the_block(void **state) {
    (void)state;
    const size_t impossible[] = {SIZE_MAX, PTRDIFF_MAX, PTRDIFF_MAX / 2 - 4 * MIB};
    for (size_t s = 0; s < SIZE_COUNT; s++) {
        unsigned char *block = stoa__os_alloc(sizes[s], 8, NULL);
        bytes_write(block, sizes[s]);
        for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
            assert_null(stoa__os_resize(block, sizes[s], impossible[i], 8, NULL));
            assert_bytes(block, sizes[s], sizes[s]);
        }
        stoa__os_free(block, sizes[s], 8, NULL);
    }
}

static void resize_of_no_block_allocates(void **state) {
    (void)state;
    for (size_t s = 0; s < SIZE_COUNT; s++) {
        unsigned char *block = stoa__os_resize(NULL, 0, sizes[s], 64, NULL);
        assert_aligned(block, sizes[s], 64);
        bytes_write(block, sizes[s]);
        stoa__os_free(block, sizes[s], 64, NULL);
    }
}

static void default_allocator_has_every_hook(void **state) {
    (void)state;
    stoa_allocator hooks = stoa_allocator_default();
    unsigned char *block = hooks.alloc(100, 64, hooks.user);
    assert_aligned(block, 100, 64);
    bytes_write(block, 100);
    block = hooks.resize(block, 100, 3 * MIB, 64, hooks.user);
    assert_aligned(block, 3 * MIB, 64);
    assert_bytes(block, 100, 3 * MIB);
    hooks.free(block, 3 * MIB, 64, hooks.user);
    assert_null(hooks.user_free);
}

#if defined(__linux__)

static size_t page_size(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

static bool page_is_mapped(void *page) {
    return msync(page, page_size(), MS_ASYNC) == 0;
}

/* Takes the page after a block, so that the block cannot grow where it is. */
static void *page_take_after(unsigned char *block, size_t size) {
    void *end = block + (size + page_size() - 1) / page_size() * page_size();
    if (page_is_mapped(end)) {
        return NULL;
    }
    void *taken = mmap(end, page_size(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_equal(taken, end);
    return taken;
}

static void page_give_back(void *page) {
    if (page != NULL) {
        munmap(page, page_size());
    }
}

static size_t pages_resident(unsigned char *block, size_t size) {
    size_t count = (size + page_size() - 1) / page_size();
    unsigned char *resident = malloc(count);
    assert_non_null(resident);
    assert_int_equal(mincore(block, size, resident), 0);
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += resident[i] & 1;
    }
    free(resident);
    return sum;
}

static void freed_large_block_is_unmapped_to_its_last_page(void **state) {
    (void)state;
    const size_t size = 3 * MIB + 5;
    unsigned char *block = stoa__os_alloc(size, 8, NULL);
    unsigned char *last = block + size / page_size() * page_size();
    assert_true(page_is_mapped(block));
    assert_true(page_is_mapped(last));
    stoa__os_free(block, size, 8, NULL);
    assert_false(page_is_mapped(block));
    assert_false(page_is_mapped(last));
}

static void shrunk_large_block_gives_its_end_back(void **state) {
    (void)state;
    unsigned char *block = stoa__os_alloc(8 * MIB, 8, NULL);
    bytes_write(block, 8 * MIB);
    unsigned char *shrunk = stoa__os_resize(block, 8 * MIB, 3 * MIB, 8, NULL);
    assert_bytes(shrunk, 8 * MIB, 3 * MIB);
    assert_true(page_is_mapped(shrunk + 3 * MIB - page_size()));
    assert_false(page_is_mapped(shrunk + 3 * MIB));
    assert_false(page_is_mapped(shrunk + 8 * MIB - page_size()));
    stoa__os_free(shrunk, 3 * MIB, 8, NULL);
}

/* A copy would have touched every page; moved pages that were never touched still are not there. */
static void large_block_that_must_move_takes_its_pages_along(void **state) {
    (void)state;
    size_t size = 64 * MIB;
    unsigned char *block = stoa__os_alloc(size, 8, NULL);
    block[0] = 1;
    block[size / 2] = 2;
    block[size - 1] = 3;
    const size_t huge_pages_touched = 3;
    for (int i = 0; i < 3; i++) {
        void *taken = page_take_after(block, size);
        unsigned char *old = block;
        block = stoa__os_resize(block, size, size + 32 * MIB, 8, NULL);
        assert_aligned(block, size + 32 * MIB, 8);
        assert_ptr_not_equal(block, old);
        assert_int_equal(block[0], 1);
        assert_int_equal(block[32 * MIB], 2);
        assert_int_equal(block[64 * MIB - 1], 3);
        size += 32 * MIB;
        assert_in_range(pages_resident(block, size), 1,
                        huge_pages_touched * STOA__OS_LARGE / page_size());
        assert_false(page_is_mapped(old));
        page_give_back(taken);
    }
    stoa__os_free(block, size, 8, NULL);
}

/* The kernel does not move what has become two mappings. */
static void large_block_that_cannot_be_moved_is_copied(void **state) {
    (void)state;
    const size_t size = 4 * MIB;
    unsigned char *block = stoa__os_alloc(size, 8, NULL);
    bytes_write(block, size);
    assert_int_equal(mprotect(block + 2 * MIB, 2 * MIB, PROT_READ), 0);
    unsigned char *grown = stoa__os_resize(block, size, 8 * MIB, 8, NULL);
    assert_aligned(grown, 8 * MIB, 8);
    assert_bytes(grown, size, 8 * MIB);
    bytes_write(grown, 8 * MIB);
    assert_false(page_is_mapped(block));
    stoa__os_free(grown, 8 * MIB, 8, NULL);
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_every_size_are_aligned_and_writable),
        cmocka_unit_test(resize_keeps_bytes_from_any_size_to_any),
        cmocka_unit_test(block_grows_again_and_again),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(refused_resize_leaves_the_block),
        cmocka_unit_test(resize_of_no_block_allocates),
        cmocka_unit_test(default_allocator_has_every_hook),
#if defined(__linux__)
        cmocka_unit_test(freed_large_block_is_unmapped_to_its_last_page),
        cmocka_unit_test(shrunk_large_block_gives_its_end_back),
        cmocka_unit_test(large_block_that_must_move_takes_its_pages_along),
        cmocka_unit_test(large_block_that_cannot_be_moved_is_copied),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

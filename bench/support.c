/* Memory and random orders for both sides. Failure ends the program: a benchmark has nobody to
 * tell. */
#define _GNU_SOURCE
#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

static size_t pages_size(size_t size) {
    return (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
}

_Noreturn void bench_fail(const char *what) {
    (void)fflush(stdout);
    (void)fprintf(stderr, "stoa_bench: %s\n", what);
    exit(1);
}

void *bench_alloc(size_t count, size_t size) {
    size_t bytes = count * size;
    bool large = bytes >= HUGE_PAGE / 2;
    void *block = large ? aligned_alloc(HUGE_PAGE, pages_size(bytes)) : malloc(bytes);
    if (block == NULL) {
        bench_fail("out of memory");
    }
    if (large) {
        (void)madvise(block, pages_size(bytes), MADV_HUGEPAGE);
    }
    memset(block, 0, bytes);
    return block;
}

void *bench_map(size_t size) {
    size_t whole = pages_size(size);
    uint8_t *raw = mmap(NULL, whole + HUGE_PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) {
        bench_fail("out of memory");
    }
    size_t head = (HUGE_PAGE - (uintptr_t)raw % HUGE_PAGE) % HUGE_PAGE;
    if (head > 0) {
        (void)munmap(raw, head);
    }
    (void)munmap(raw + head + whole, HUGE_PAGE - head);
    (void)madvise(raw + head, whole, MADV_HUGEPAGE);
    return raw + head;
}

void bench_unmap(void *block, size_t size) {
    (void)munmap(block, pages_size(size));
}

static uint64_t random_next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

uint32_t *bench_order(int32_t n) {
    uint32_t *order = bench_alloc((size_t)n, sizeof *order);
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < (uint32_t)n; i++) {
        uint32_t other = (uint32_t)(random_next(&state) % (i + 1));
        order[i] = order[other];
        order[other] = i;
    }
    return order;
}

/* Blobs on a counting allocator, and what it takes to make and apply a delta. */
#ifndef STOA_TESTS_DELTA_FIXTURE_H
#define STOA_TESTS_DELTA_FIXTURE_H

#include <stdlib.h>

#include "persist/delta.h"
#include "support/support.h"

/* A delta, and what comes out of it. */
typedef struct delta_pair {
    support_heap heap;
    stoa_allocator allocator;
    stoa_blob delta;
    stoa_blob target;
} delta_pair;

static inline int delta_setup(void **state) {
    delta_pair *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return 1;
    }
    p->allocator = support_allocator(&p->heap);
    p->delta.allocator = &p->allocator;
    p->target.allocator = &p->allocator;
    *state = p;
    return 0;
}

static inline int delta_teardown(void **state) {
    delta_pair *p = *state;
    stoa_blob_free(&p->delta);
    stoa_blob_free(&p->target);
    assert_int_equal(p->heap.bytes, 0);
    free(p);
    return 0;
}

/* Makes a delta and applies it; the very target must come out. Returns the delta's size. */
static inline size_t delta_trip(delta_pair *p, const void *base, size_t base_size,
                                const void *target, size_t target_size) {
    p->delta.size = 0;
    p->target.size = 0;
    assert_int_equal(stoa_delta_make(base, base_size, target, target_size, &p->delta), STOA_OK);
    stoa_delta_info info;
    assert_int_equal(stoa_delta_verify(p->delta.data, p->delta.size, &info), STOA_OK);
    assert_int_equal(info.version, STOA_DELTA_VERSION);
    assert_int_equal(info.size, p->delta.size);
    assert_int_equal(info.base_size, base_size);
    assert_int_equal(info.target_size, target_size);
    assert_int_equal(info.copied_size + info.literal_size, target_size);
    stoa_status status =
        stoa_delta_apply(base, base_size, p->delta.data, p->delta.size, target_size, &p->target);
    if (status != STOA_OK) {
        support_print_error();
    }
    assert_int_equal(status, STOA_OK);
    assert_int_equal(p->target.size, target_size);
    if (target_size > 0) {
        assert_memory_equal(p->target.data, target, target_size);
    }
    return p->delta.size;
}

/* Bytes that do not repeat. */
static inline uint8_t *bytes_random(size_t size, uint64_t seed) {
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL) {
        abort();
    }
    support_random random = {seed};
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)support_random_next(&random);
    }
    return bytes;
}

#define WITH_PAIR(test) cmocka_unit_test_setup_teardown(test, delta_setup, delta_teardown)

#endif

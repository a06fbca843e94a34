/* A heap of the library on the counting allocator, for tests of what stands on a heap alone. */
#ifndef STOA_TESTS_SUPPORT_HEAP_H
#define STOA_TESTS_SUPPORT_HEAP_H

#include "base/heap.h"
#include "support/support.h"

/* Makes a heap whose blocks the counter counts; both must stay in place while it is in use. */
static inline void support_heap_open(stoa__heap *heap, support_heap *counter) {
    stoa_allocator hooks = support_allocator(counter);
    stoa__heap_init(heap, &hooks);
}

/* No block is left, as the heap sees it and as the counter does. */
static inline void support_heap_close(const stoa__heap *heap, const support_heap *counter) {
    assert_int_equal(heap->used, 0);
    assert_int_equal(counter->bytes, 0);
    assert_int_equal(counter->blocks, 0);
}

#endif

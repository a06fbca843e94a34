/* What every test stands on: a counting allocator that can be told to fail, and a world on it.
 *
 * Threads may share a support_heap. A block given back with a size, alignment or heap other
 * than its own ends the test program with a message. Every resize moves the block, so that a
 * pointer kept from before it shows. Fresh memory reads 0xCD and freed memory is overwritten with
 * 0xDD, so that use of either shows. A block of more than 1 GiB is always refused. */
#ifndef STOA_TESTS_SUPPORT_H
#define STOA_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "stoa.h"

/* What the counting allocator knows and is told; zeroed it counts and never fails. */
typedef struct support_heap {
    size_t bytes;       /* handed out and not yet freed */
    size_t blocks;      /* how many blocks they are */
    size_t allocations; /* alloc and resize calls ever, successful or not */
    size_t fail_at;     /* 0: never; k: the k-th allocation from now fails; counts down to 0 */
    bool fail_forever;  /* after the k-th all fail, and fail_at stays 1; set it to 0 to end that */
    bool no_resize;     /* set before support_allocator: the allocator has no resize hook */
    size_t failed;      /* how many allocations were refused */
    atomic_flag lock;   /* clear when zeroed: a thread counts */
} support_heap;

/* An allocator on the heap, which must stay where it is while the allocator is in use. */
stoa_allocator support_allocator(support_heap *heap);

/* A small deterministic source of numbers; any seed will do. */
typedef struct support_random {
    uint64_t state;
} support_random;

uint32_t support_random_next(support_random *random);

/* A number from 0 to n - 1; 0 if n is 0. */
uint32_t support_random_below(support_random *random, uint32_t n);

/* A number from 0 to `count` - 1, each as often as its weight says. */
uint32_t support_random_pick(support_random *random, const uint8_t *weights, uint32_t count);

/* A world on the counting allocator, with handlers that count, on whatever threads. */
typedef struct support_world {
    stoa_world *world;
    support_heap heap;
    atomic_int asserts;               /* how often on_assert was called */
    atomic_int errors;                /* how often on_error was called */
    _Atomic(stoa_status) last_assert; /* what on_assert was last called with */
    int asserts_seen; /* those that support_assert_misuse or _quiet has accounted for */
} support_world;

/* Opens a world of default settings, or of a chunk size; `s` must stay in place until the close. */
void support_world_open(support_world *s);
void support_world_open_with(support_world *s, uint32_t chunk_size);

/* The world must pass stoa_check; frees it, and no byte may be left. */
void support_world_close(support_world *s);

/* A cmocka fixture: *state is a support_world with an open world. */
int support_setup(void **state);
int support_teardown(void **state);

/* The list of statuses has it as misuse: on_assert is called in a debug build. */
bool support_status_is_misuse(stoa_status status);

/* Prints the calling thread's last error, for a look at a failing test. */
void support_print_error(void);

/* The last error's message contains `part`. */
#define support_assert_message(part) support_assert_message_at((part), __FILE__, __LINE__)
void support_assert_message_at(const char *part, const char *file, int line);

/* `got` is the status expected, and on_assert was called once since this or support_assert_quiet
 * was last called: in a debug build; in a release build it was not called. */
#define support_assert_misuse(s, got, expected)                                                    \
    support_assert_misuse_at((s), (got), (expected), __FILE__, __LINE__)
void support_assert_misuse_at(support_world *s, stoa_status got, stoa_status expected,
                              const char *file, int line);

/* on_assert was not called since this or support_assert_misuse was last called. */
#define support_assert_quiet(s) support_assert_quiet_at((s), __FILE__, __LINE__)
void support_assert_quiet_at(support_world *s, const char *file, int line);

#endif

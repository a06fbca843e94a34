/* The heap counts what the hooks hand out, and takes their refusal without harm. */
#define _POSIX_C_SOURCE 200809L

#include "base/heap.h"
#include "support/heap.h"

#include <sys/wait.h>
#include <unistd.h>

typedef struct fixture {
    support_heap counter;
    stoa__heap heap;
} fixture;

static void fixture_open(fixture *f, bool no_resize) {
    memset(f, 0, sizeof *f);
    f->counter.no_resize = no_resize;
    support_heap_open(&f->heap, &f->counter);
}

static void assert_counts(const fixture *f, size_t bytes, size_t blocks) {
    assert_int_equal(f->heap.used, bytes);
    assert_int_equal(f->heap.blocks, blocks);
    assert_int_equal(f->counter.bytes, bytes);
    assert_int_equal(f->counter.blocks, blocks);
}

static void bytes_number(unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(i * 7 + 1);
    }
}

static void assert_numbered(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(bytes[i], (unsigned char)(i * 7 + 1));
    }
}

/* GEN-04 */
static void alloc_and_free_are_counted_and_reach_the_hooks(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, false);
    void *small = stoa__heap_alloc(&f.heap, 3, 1);
    void *aligned = stoa__heap_alloc(&f.heap, 200, 64);
    assert_non_null(small);
    assert_int_equal((uintptr_t)aligned % 64, 0);
    assert_counts(&f, 203, 2);
    stoa__heap_free(&f.heap, small, 3, 1);
    assert_counts(&f, 200, 1);
    stoa__heap_free(&f.heap, aligned, 200, 64);
    assert_counts(&f, 0, 0);
    assert_int_equal(f.counter.allocations, 2);
}

static void zalloc_gives_zeros(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, false);
    unsigned char *block = stoa__heap_zalloc(&f.heap, 100, 16);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(block[i], 0);
    }
    stoa__heap_free(&f.heap, block, 100, 16);
    assert_counts(&f, 0, 0);
}

static void freeing_null_changes_nothing(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, false);
    stoa__heap_free(&f.heap, NULL, 100, 8);
    stoa__heap_text_free(&f.heap, NULL);
    assert_counts(&f, 0, 0);
}

static void alloc_of_nothing_gives_null(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, false);
    assert_null(stoa__heap_alloc(&f.heap, 0, 8));
    void *block = stoa__heap_alloc(&f.heap, 8, 8);
    assert_null(stoa__heap_resize(&f.heap, block, 8, 0, 8));
    assert_counts(&f, 8, 1);
    stoa__heap_free(&f.heap, block, 8, 8);
    assert_int_equal(f.counter.allocations, 1);
}

static void resize_check(bool no_resize) {
    fixture f;
    fixture_open(&f, no_resize);
    unsigned char *block = stoa__heap_resize(&f.heap, NULL, 0, 50, 32);
    bytes_number(block, 50);
    block = stoa__heap_resize(&f.heap, block, 50, 500, 32);
    assert_int_equal((uintptr_t)block % 32, 0);
    assert_numbered(block, 50);
    assert_counts(&f, 500, 1);
    block = stoa__heap_resize(&f.heap, block, 500, 20, 32);
    assert_numbered(block, 20);
    assert_counts(&f, 20, 1);
    stoa__heap_free(&f.heap, block, 20, 32);
    assert_counts(&f, 0, 0);
}

static void resize_keeps_bytes_with_the_hook(void **state) {
    (void)state;
    resize_check(false);
}

static void resize_keeps_bytes_without_the_hook(void **state) {
    (void)state;
    resize_check(true);
}

static void refusal_check(bool no_resize) {
    fixture f;
    fixture_open(&f, no_resize);
    unsigned char *block = stoa__heap_alloc(&f.heap, 40, 8);
    bytes_number(block, 40);
    f.counter.fail_at = 1;
    f.counter.fail_forever = true;
    assert_null(stoa__heap_alloc(&f.heap, 10, 8));
    assert_null(stoa__heap_zalloc(&f.heap, 10, 8));
    assert_null(stoa__heap_resize(&f.heap, NULL, 0, 10, 8));
    assert_null(stoa__heap_resize(&f.heap, block, 40, 80, 8));
    assert_null(stoa__heap_text(&f.heap, "text"));
    assert_int_equal(f.counter.failed, 5);
    assert_counts(&f, 40, 1);
    assert_numbered(block, 40);
    stoa__heap_free(&f.heap, block, 40, 8);
    assert_counts(&f, 0, 0);
}

/* GEN-04 */
static void refused_memory_leaves_everything_with_the_hook(void **state) {
    (void)state;
    refusal_check(false);
}

/* GEN-04 */
static void refused_memory_leaves_everything_without_the_hook(void **state) {
    (void)state;
    refusal_check(true);
}

static void grow_doubles_from_eight_and_keeps_items(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, false);
    uint32_t *items = NULL;
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(stoa__heap_grow(&f.heap, &items, &capacity, i + 1, sizeof *items));
        items[i] = i;
    }
    assert_int_equal(capacity, 1024);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(items[i], i);
    }
    /* 8, 16, ... 1024 */
    assert_int_equal(f.counter.allocations, 8);
    assert_int_equal((uintptr_t)items % _Alignof(max_align_t), 0);
    assert_counts(&f, 1024 * sizeof *items, 1);
    stoa__heap_grow_free(&f.heap, items, capacity, sizeof *items);
    assert_counts(&f, 0, 0);
}

static void grow_with_room_does_nothing(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, false);
    char *items = NULL;
    uint32_t capacity = 0;
    assert_true(stoa__heap_grow(&f.heap, &items, &capacity, 0, 1));
    assert_null(items);
    assert_true(stoa__heap_grow(&f.heap, &items, &capacity, 9, 1));
    assert_int_equal(capacity, 16);
    char *before = items;
    assert_true(stoa__heap_grow(&f.heap, &items, &capacity, 16, 1));
    assert_ptr_equal(items, before);
    assert_int_equal(f.counter.allocations, 1);
    stoa__heap_grow_free(&f.heap, items, 16, 1);
}

/* GEN-04 */
static void grow_refused_leaves_the_array(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, false);
    uint64_t *items = NULL;
    uint32_t capacity = 0;
    assert_true(stoa__heap_grow(&f.heap, &items, &capacity, 8, sizeof *items));
    items[7] = 77;
    uint64_t *before = items;
    f.counter.fail_at = 1;
    assert_false(stoa__heap_grow(&f.heap, &items, &capacity, 9, sizeof *items));
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, 8);
    assert_int_equal(items[7], 77);
    assert_true(stoa__heap_grow(&f.heap, &items, &capacity, 9, sizeof *items));
    assert_int_equal(items[7], 77);
    stoa__heap_grow_free(&f.heap, items, capacity, sizeof *items);
    assert_counts(&f, 0, 0);
}

static void grow_beyond_any_size_is_refused(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, false);
    void *items = NULL;
    uint32_t capacity = 0;
    assert_false(stoa__heap_grow(&f.heap, &items, &capacity, 9, SIZE_MAX / 15));
    assert_false(stoa__heap_grow(&f.heap, &items, &capacity, 1, SIZE_MAX));
    assert_int_equal(f.counter.allocations, 0);
    /* As many items as there can be: the size is a number, but more than there is. */
    assert_false(stoa__heap_grow(&f.heap, &items, &capacity, UINT32_MAX, SIZE_MAX / UINT32_MAX));
    assert_null(items);
    assert_int_equal(capacity, 0);
    assert_counts(&f, 0, 0);
}

/* Hands out one small block and notes what was asked for, so that sizes can be tried that no
 * machine has. */
static void *pretending_alloc(size_t size, size_t alignment, void *user) {
    static max_align_t block;
    (void)alignment;
    *(size_t *)user = size;
    return &block;
}

static void grow_stops_at_what_a_count_can_say(void **state) {
    (void)state;
    size_t asked = 0;
    stoa_allocator hooks = {.alloc = pretending_alloc, .user = &asked};
    stoa__heap heap;
    stoa__heap_init(&heap, &hooks);
    char *items = NULL;
    uint32_t capacity = 0;
    assert_true(stoa__heap_grow(&heap, &items, &capacity, (UINT32_C(1) << 31) + 1, 1));
    assert_int_equal(capacity, UINT32_MAX);
    assert_int_equal(asked, UINT32_MAX);
    assert_int_equal(heap.used, UINT32_MAX);
}

static void text_is_copied_and_freed(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, false);
    char given[] = "stoa";
    char *copy = stoa__heap_text(&f.heap, given);
    given[0] = 'X';
    assert_string_equal(copy, "stoa");
    assert_counts(&f, 5, 1);
    char *empty = stoa__heap_text(&f.heap, "");
    assert_string_equal(empty, "");
    assert_counts(&f, 6, 2);
    stoa__heap_text_free(&f.heap, copy);
    stoa__heap_text_free(&f.heap, empty);
    assert_counts(&f, 0, 0);
}

typedef enum mistake {
    MISTAKE_NONE,
    MISTAKE_SIZE,
    MISTAKE_ALIGNMENT,
    MISTAKE_HEAP,
    MISTAKE_WRITE_BEFORE,
    MISTAKE_RESIZE_SIZE,
    MISTAKE_COUNT
} mistake;

static void mistake_make(mistake kind) {
    support_heap heap = {0};
    support_heap other = {0};
    stoa_allocator hooks = support_allocator(&heap);
    stoa_allocator other_hooks = support_allocator(&other);
    unsigned char *block = hooks.alloc(24, 8, hooks.user);
    switch (kind) {
    case MISTAKE_SIZE:
        hooks.free(block, 25, 8, hooks.user);
        break;
    case MISTAKE_ALIGNMENT:
        hooks.free(block, 24, 16, hooks.user);
        break;
    case MISTAKE_HEAP:
        other_hooks.free(block, 24, 8, other_hooks.user);
        break;
    case MISTAKE_WRITE_BEFORE:
        block[-1] ^= 1;
        hooks.free(block, 24, 8, hooks.user);
        break;
    case MISTAKE_RESIZE_SIZE:
        block = hooks.resize(block, 23, 48, 8, hooks.user);
        hooks.free(block, 48, 8, hooks.user);
        break;
    default:
        hooks.free(block, 24, 8, hooks.user);
        break;
    }
}

/* The other tests rest on this: a heap that let mistakes pass would prove nothing. */
static void counting_allocator_ends_the_program_on_a_mistake(void **state) {
    (void)state;
    for (int kind = MISTAKE_NONE; kind < MISTAKE_COUNT; kind++) {
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            if (freopen("/dev/null", "w", stderr) == NULL) {
                _exit(1);
            }
            mistake_make((mistake)kind);
            _exit(0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(WIFEXITED(status) && WEXITSTATUS(status) == 0, kind == MISTAKE_NONE);
    }
}

static void counting_allocator_fails_the_chosen_allocation_only(void **state) {
    (void)state;
    support_heap heap = {.fail_at = 3};
    stoa_allocator hooks = support_allocator(&heap);
    void *first = hooks.alloc(8, 8, hooks.user);
    first = hooks.resize(first, 8, 16, 8, hooks.user);
    assert_non_null(first);
    assert_null(hooks.resize(first, 16, 32, 8, hooks.user));
    void *second = hooks.alloc(8, 8, hooks.user);
    assert_non_null(second);
    assert_int_equal(heap.failed, 1);
    assert_int_equal(heap.fail_at, 0);
    assert_int_equal(heap.allocations, 4);
    hooks.free(first, 16, 8, hooks.user);
    hooks.free(second, 8, 8, hooks.user);
    assert_int_equal(heap.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alloc_and_free_are_counted_and_reach_the_hooks),
        cmocka_unit_test(zalloc_gives_zeros),
        cmocka_unit_test(freeing_null_changes_nothing),
        cmocka_unit_test(alloc_of_nothing_gives_null),
        cmocka_unit_test(resize_keeps_bytes_with_the_hook),
        cmocka_unit_test(resize_keeps_bytes_without_the_hook),
        cmocka_unit_test(refused_memory_leaves_everything_with_the_hook),
        cmocka_unit_test(refused_memory_leaves_everything_without_the_hook),
        cmocka_unit_test(grow_doubles_from_eight_and_keeps_items),
        cmocka_unit_test(grow_with_room_does_nothing),
        cmocka_unit_test(grow_refused_leaves_the_array),
        cmocka_unit_test(grow_beyond_any_size_is_refused),
        cmocka_unit_test(grow_stops_at_what_a_count_can_say),
        cmocka_unit_test(text_is_copied_and_freed),
        cmocka_unit_test(counting_allocator_ends_the_program_on_a_mistake),
        cmocka_unit_test(counting_allocator_fails_the_chosen_allocation_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

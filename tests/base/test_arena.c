/* The arena: pieces that stay where they are, read in order, with blocks that are used again. */
#include "base/arena.h"
#include "support/heap.h"

typedef struct fixture {
    support_heap counter;
    stoa__heap heap;
    stoa__arena arena;
} fixture;

/* A piece of a test: its size in bytes, itself included, then as many of its number. */
typedef struct piece {
    uint32_t size;
    uint32_t number;
} piece;

static int arena_setup(void **state) {
    static fixture f;
    memset(&f, 0, sizeof f);
    support_heap_open(&f.heap, &f.counter);
    *state = &f;
    return 0;
}

static int arena_teardown(void **state) {
    fixture *f = *state;
    stoa__arena_fini(&f->arena, &f->heap);
    assert_null(f->arena.first);
    support_heap_close(&f->heap, &f->counter);
    return 0;
}

/* Takes a piece of so many bytes; NULL on lack of memory. */
static piece *piece_take(fixture *f, uint32_t size, uint32_t number) {
    uint8_t *at = stoa__arena_room(&f->arena, &f->heap, size);
    if (at == NULL) {
        return NULL;
    }
    assert_int_equal((uintptr_t)at % STOA__ARENA_UNIT, 0);
    memset(at, (int)number, size);
    piece *p = (piece *)(void *)at;
    *p = (piece){size, number};
    stoa__arena_take(&f->arena, at + size);
    return p;
}

/* The next piece, which must be whole. */
static const piece *piece_read(const fixture *f, stoa__arena_place *place) {
    piece *p = stoa__arena_peek(&f->arena, place);
    if (p == NULL) {
        return NULL;
    }
    for (uint32_t i = sizeof *p; i < p->size; i++) {
        assert_int_equal(((const uint8_t *)p)[i], (uint8_t)p->number);
    }
    stoa__arena_pass(place, (uint8_t *)p + p->size);
    return p;
}

static uint32_t size_of(uint32_t number) {
    return number % 97 == 96 ? 700000 : 8 + number % 61;
}

static void pieces_fill(fixture *f, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        assert_non_null(piece_take(f, size_of(i), i));
    }
}

static void pieces_verify(const fixture *f, uint32_t count) {
    stoa__arena_place place = {0};
    for (uint32_t i = 0; i < count; i++) {
        const piece *p = piece_read(f, &place);
        assert_non_null(p);
        assert_int_equal(p->number, i);
        assert_int_equal(p->size, size_of(i));
    }
    assert_null(piece_read(f, &place));
}

/* CMD-05 */
static void pieces_are_read_in_the_order_they_were_taken(void **state) {
    fixture *f = *state;
    stoa__arena_place place = {0};
    assert_null(stoa__arena_peek(&f->arena, &place));
    pieces_fill(f, 3000);
    pieces_verify(f, 3000);
}

/* CMD-05 */
static void pieces_stay_where_they_are(void **state) {
    fixture *f = *state;
    piece *first = piece_take(f, 40, 7);
    const piece *kept[200];
    for (uint32_t i = 0; i < 200; i++) {
        kept[i] = piece_take(f, 3000, i);
    }
    stoa__arena_place place = {0};
    assert_ptr_equal(piece_read(f, &place), first);
    for (uint32_t i = 0; i < 200; i++) {
        assert_ptr_equal(piece_read(f, &place), kept[i]);
    }
}

/* CMD-05: a reader at the end goes on when there is more. */
static void reader_follows_what_is_added(void **state) {
    fixture *f = *state;
    stoa__arena_place place = {0};
    for (uint32_t i = 0; i < 2000; i++) {
        assert_null(piece_read(f, &place));
        piece_take(f, size_of(i), i);
        assert_int_equal(piece_read(f, &place)->number, i);
    }
}

/* CMD-05: once it was as full before, filling it needs no memory. */
static void cleared_arena_needs_no_memory_to_be_filled_again(void **state) {
    fixture *f = *state;
    pieces_fill(f, 3000);
    size_t allocations = f->counter.allocations;
    for (int round = 0; round < 5; round++) {
        stoa__arena_clear(&f->arena);
        stoa__arena_place place = {0};
        assert_null(stoa__arena_peek(&f->arena, &place));
        pieces_fill(f, 3000);
        pieces_verify(f, 3000);
    }
    assert_int_equal(f->counter.allocations, allocations);
}

/* CMD-05: a large piece takes the spare block that fits, and the small ones are not lost. */
static void spare_blocks_are_used_in_any_order(void **state) {
    fixture *f = *state;
    for (uint32_t i = 0; i < 100; i++) {
        piece_take(f, 1000, i);
    }
    piece_take(f, 1000000, 100);
    size_t allocations = f->counter.allocations;
    stoa__arena_clear(&f->arena);
    piece_take(f, 1000000, 0);
    for (uint32_t i = 1; i <= 100; i++) {
        piece_take(f, 1000, i);
    }
    assert_int_equal(f->counter.allocations, allocations);
    stoa__arena_place place = {0};
    for (uint32_t i = 0; i <= 100; i++) {
        assert_int_equal(piece_read(f, &place)->number, i);
    }
    assert_null(piece_read(f, &place));
}

/* GEN-03: what was taken since a mark can be forgotten, over any number of blocks. */
static void rewound_arena_ends_where_it_did(void **state) {
    fixture *f = *state;
    for (uint32_t start = 0; start < 400; start += 57) {
        stoa__arena_clear(&f->arena);
        pieces_fill(f, start);
        stoa__arena_mark mark = stoa__arena_mark_get(&f->arena);
        for (uint32_t i = 0; i < 300; i++) {
            piece_take(f, 900, 5);
        }
        stoa__arena_rewind(&f->arena, mark);
        pieces_verify(f, start);
        for (uint32_t i = start; i < start + 100; i++) {
            piece_take(f, size_of(i), i);
        }
        pieces_verify(f, start + 100);
    }
}

/* GEN-03 GEN-04 */
static void failed_room_changes_nothing(void **state) {
    fixture *f = *state;
    f->counter.fail_at = 1;
    assert_null(piece_take(f, 16, 0));
    pieces_fill(f, 50);
    f->counter.fail_at = 1;
    assert_null(piece_take(f, 500000, 1));
    assert_null(stoa__arena_room(&f->arena, &f->heap, SIZE_MAX - 8));
    pieces_verify(f, 50);
    assert_non_null(piece_take(f, 16, 50));
}

#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, arena_setup, arena_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(pieces_are_read_in_the_order_they_were_taken),
        WITH_ARENA(pieces_stay_where_they_are),
        WITH_ARENA(reader_follows_what_is_added),
        WITH_ARENA(cleared_arena_needs_no_memory_to_be_filled_again),
        WITH_ARENA(spare_blocks_are_used_in_any_order),
        WITH_ARENA(rewound_arena_ends_where_it_did),
        WITH_ARENA(failed_room_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

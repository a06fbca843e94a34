/* Slabs: blocks against a model, no overlap, slabs given back, slabs closed while they are emptied.
 */
#include "storage/slab.h"
#include "storage_fixture.h"

#define BLOCKS 160

/* A block and the byte that fills it. */
typedef struct block {
    uint8_t *data;
    size_t size;
    uint8_t mark;
} block;

static block block_make(fixture *f, size_t size, uint8_t mark) {
    block b = {stoa__slab_alloc(&f->storage, size), size, mark};
    assert_non_null(b.data);
    assert_int_equal((uintptr_t)b.data % STOA__LINE, 0);
    memset(b.data, mark, size);
    return b;
}

/* Overlap would have changed a byte. */
static void block_verify(const block *b) {
    for (size_t i = 0; i < b->size; i++) {
        if (b->data[i] != b->mark) {
            fail_msg("byte %zu of a block of %zu was overwritten", i, b->size);
        }
    }
}

static void block_end(fixture *f, block *b) {
    block_verify(b);
    stoa__slab_free(&f->storage, b->data, b->size);
    *b = (block){0};
}

/* Sizes in all classes: straight from the heap, from slabs, and too large for one. */
static size_t size_random(support_random *random) {
    switch (support_random_below(random, 8)) {
    case 0:
        return 64 + 64 * (size_t)support_random_below(random, 100);
    case 1:
        return STOA__SLAB_BLOCK_MIN;
    case 2:
        return STOA__SLAB_BLOCK_MAX - support_random_below(random, 3);
    case 3:
        return STOA__SLAB_BLOCK_MAX + 64 * (size_t)support_random_below(random, 100);
    default:
        return STOA__SLAB_BLOCK_MIN + 64 * (size_t)support_random_below(random, 1300);
    }
}

/* STO-02 STO-04 */
static void random_blocks_never_overlap(void **state) {
    fixture *f = *state;
    static block blocks[BLOCKS];
    memset(blocks, 0, sizeof blocks);
    support_random random = {42};
    size_t in_slabs = 0, direct = 0;
    for (int step = 0; step < 3000; step++) {
        block *b = &blocks[support_random_below(&random, BLOCKS)];
        size_t sign = b->data == NULL ? 1 : (size_t)-1;
        size_t size = b->data == NULL ? size_random(&random) : b->size;
        size_t footprint = stoa__slab_footprint(size);
        assert_true(footprint == 0 || (footprint >= size && footprint < size + 1024));
        in_slabs += sign * footprint;
        direct += sign * (footprint == 0 ? size : 0);
        if (b->data == NULL) {
            *b = block_make(f, size, (uint8_t)step);
        } else {
            block_end(f, b);
        }
        if (step % 100 == 0) {
            stoa__slab_trim(&f->storage);
        }
        assert_int_equal(stoa__slab_check(&f->storage, in_slabs), STOA_OK);
        assert_int_equal(f->storage.slabs.direct, direct);
        assert_true(stoa__slab_held(&f->storage) >= in_slabs + direct);
    }
    for (int i = 0; i < BLOCKS; i++) {
        if (blocks[i].data != NULL) {
            block_end(f, &blocks[i]);
        }
    }
    stoa__slab_trim(&f->storage);
    assert_int_equal(stoa__slab_held(&f->storage), 0);
    assert_int_equal(f->storage.slabs.count, 0);
}

/* STO-03: a tiny world stays tiny, a large one gets large slabs. */
static void slabs_start_small_and_grow(void **state) {
    fixture *f = *state;
    block blocks[100];
    blocks[0] = block_make(f, 65536, 0);
    assert_true(stoa__slab_held(&f->storage) <= 256 * 1024);
    for (uint8_t i = 1; i < 100; i++) {
        blocks[i] = block_make(f, 65536, i);
    }
    assert_true(f->storage.slabs.count < 10);
    size_t largest = 0;
    for (uint32_t i = 0; i < f->storage.slabs.count; i++) {
        const stoa__slab *slab = f->storage.slabs.items[i];
        largest = slab->size > largest ? slab->size : largest;
        assert_true(i == 0 || slab->data > f->storage.slabs.items[i - 1]->data);
    }
    assert_int_equal(largest, 2 * 1024 * 1024);
    assert_true(stoa__slab_held(&f->storage) < 100 * 65536 + 2 * 1024 * 1024);
    for (int i = 0; i < 100; i++) {
        block_end(f, &blocks[i]);
    }
}

/* STO-06: freed room is used again before more is taken. */
static void freed_room_is_used_again(void **state) {
    fixture *f = *state;
    block blocks[20];
    for (uint8_t i = 0; i < 20; i++) {
        blocks[i] = block_make(f, 40000, i);
    }
    size_t held = stoa__slab_held(&f->storage);
    size_t allocations = f->heap.allocations;
    for (int round = 0; round < 50; round++) {
        for (uint8_t i = 0; i < 20; i += 2) {
            block_end(f, &blocks[i]);
        }
        for (uint8_t i = 0; i < 20; i += 2) {
            blocks[i] = block_make(f, 40000 - (size_t)round, i);
        }
    }
    assert_int_equal(stoa__slab_held(&f->storage), held);
    assert_int_equal(f->heap.allocations, allocations);
    for (int i = 0; i < 20; i++) {
        block_end(f, &blocks[i]);
    }
}

/* STO-06 */
static void trim_gives_back_only_empty_slabs(void **state) {
    fixture *f = *state;
    block keep = block_make(f, 65536, 1);
    block many[64];
    for (uint8_t i = 0; i < 64; i++) {
        many[i] = block_make(f, 65536, i);
    }
    for (int i = 0; i < 64; i++) {
        block_end(f, &many[i]);
    }
    size_t before = stoa__slab_held(&f->storage);
    stoa__slab_trim(&f->storage);
    assert_int_equal(f->storage.slabs.count, 1);
    assert_true(stoa__slab_held(&f->storage) < before);
    block_verify(&keep);
    assert_int_equal(stoa__slab_check(&f->storage, stoa__slab_footprint(65536)), STOA_OK);
    block_end(f, &keep);
}

/* STO-06: what goes on while chunks are moved out of a slab with room to spare. */
static void closed_slab_gives_out_nothing(void **state) {
    fixture *f = *state;
    block first = block_make(f, 65536, 1), second = block_make(f, 65536, 2);
    stoa__slab_close(&f->storage);
    assert_true(stoa__slab_closed(&f->storage, first.data, first.size));
    uint8_t small[64];
    assert_false(stoa__slab_closed(&f->storage, small, sizeof small));
    const stoa__slab *closed = f->storage.slabs.items[0];
    block third = block_make(f, 65536, 3);
    assert_true(third.data < closed->data || third.data >= closed->data + closed->size);
    assert_false(stoa__slab_closed(&f->storage, third.data, third.size));
    block_end(f, &first);
    block_end(f, &second);
    stoa__slab_open(&f->storage);
    assert_false(stoa__slab_closed(&f->storage, third.data, third.size));
    stoa__slab_trim(&f->storage);
    assert_int_equal(f->storage.slabs.count, 1);
    block_verify(&third);
    block_end(f, &third);
}

/* STO-06: a slab that is full enough is left alone. */
static void full_slab_is_not_closed(void **state) {
    fixture *f = *state;
    block blocks[4];
    for (uint8_t i = 0; i < 4; i++) {
        blocks[i] = block_make(f, 65536, i);
    }
    assert_int_equal(f->storage.slabs.count, 1);
    assert_int_equal(f->storage.slabs.items[0]->free, 0);
    stoa__slab_close(&f->storage);
    assert_false(stoa__slab_closed(&f->storage, blocks[0].data, 65536));
    stoa__slab_open(&f->storage);
    for (int i = 0; i < 4; i++) {
        block_end(f, &blocks[i]);
    }
}

/* GEN-04 GEN-03 */
static void lack_of_memory_gives_no_block_and_changes_nothing(void **state) {
    fixture *f = *state;
    block held = block_make(f, 200 * 1024, 7);
    const size_t sizes[] = {64, 100 * 1024, STOA__SLAB_BLOCK_MAX, STOA__SLAB_BLOCK_MAX + 64};
    for (int i = 0; i < 4; i++) {
        for (size_t k = 1; k <= 3; k++) {
            size_t before = stoa__slab_held(&f->storage);
            f->heap.fail_at = k;
            uint8_t *data = stoa__slab_alloc(&f->storage, sizes[i]);
            f->heap.fail_at = 0;
            if (data != NULL) {
                stoa__slab_free(&f->storage, data, sizes[i]);
                break;
            }
            assert_int_equal(stoa__slab_held(&f->storage), before);
            assert_int_equal(stoa__slab_check(&f->storage, stoa__slab_footprint(held.size)),
                             STOA_OK);
        }
    }
    assert_true(f->heap.failed >= 4);
    block_end(f, &held);
}

/* STO-04 */
static void check_finds_a_wrong_map(void **state) {
    fixture *f = *state;
    block b = block_make(f, 65536, 1);
    size_t used = stoa__slab_footprint(65536);
    stoa__slab *slab = f->storage.slabs.items[0];
    assert_int_equal(stoa__slab_check(&f->storage, used), STOA_OK);
    assert_int_equal(stoa__slab_check(&f->storage, used + 1024), STOA_CORRUPT);
    slab->free--;
    assert_int_equal(stoa__slab_check(&f->storage, used), STOA_CORRUPT);
    slab->free++;
    slab->map[0] ^= 1;
    assert_int_equal(stoa__slab_check(&f->storage, used), STOA_CORRUPT);
    slab->map[0] ^= 1;
    assert_int_equal(stoa__slab_check(&f->storage, used), STOA_OK);
    block_end(f, &b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_BARE(random_blocks_never_overlap),
        WITH_BARE(slabs_start_small_and_grow),
        WITH_BARE(freed_room_is_used_again),
        WITH_BARE(trim_gives_back_only_empty_slabs),
        WITH_BARE(closed_slab_gives_out_nothing),
        WITH_BARE(full_slab_is_not_closed),
        WITH_BARE(lack_of_memory_gives_no_block_and_changes_nothing),
        WITH_BARE(check_finds_a_wrong_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

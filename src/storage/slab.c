/* Slabs.
 *
 * A slab is a large block in granules of 256 bytes, with a bit for each. The first slabs of a world
 * are small, later ones 2 MiB, or a few times that, on a 2 MiB boundary, which the default
 * allocator backs with huge pages. Blocks are runs of granules, first fit in address order of the
 * slabs. A search per chunk of some thousand rows costs nothing that shows. */
#include "storage/slab.h"

#include <string.h>

#define GRANULE 256u
#define SLAB_SIZE ((size_t)STOA__SLAB_SIZE)
#define SLAB_FIRST ((size_t)256 << 10)
/* Granules in front of a slab's first block, at most: few chunks would fit there. */
#define OVER_MOST 256u

static bool size_in_slab(size_t size) {
    return size >= STOA__SLAB_BLOCK_MIN && size <= STOA__SLAB_BLOCK_MAX;
}

static uint32_t granules_of(size_t size) {
    return (uint32_t)((size + GRANULE - 1) / GRANULE);
}

size_t stoa__slab_footprint(size_t size) {
    return size_in_slab(size) ? (size_t)granules_of(size) * GRANULE : 0;
}

static size_t slab_alignment(size_t size) {
    return size >= SLAB_SIZE ? SLAB_SIZE : STOA__LINE;
}

static bool granule_used(const stoa__slab *slab, uint32_t i) {
    return (slab->map[i >> 6] >> (i & 63) & 1) != 0;
}

static void granules_mark(stoa__slab *slab, uint32_t first, uint32_t count, bool used) {
    for (uint32_t at = first, end = first + count; at < end;) {
        uint32_t stop = (at | 63) + 1 < end ? (at | 63) + 1 : end;
        uint64_t bits = UINT64_MAX << (at & 63) & UINT64_MAX >> (63 - (stop - 1) % 64);
        slab->map[at >> 6] = used ? slab->map[at >> 6] | bits : slab->map[at >> 6] & ~bits;
        at = stop;
    }
    slab->free = used ? slab->free - count : slab->free + count;
}

/* The first granule from `at` on that is used, or free, as asked; the slab's end if there is none.
 */
static uint32_t granule_next(const stoa__slab *slab, uint32_t at, bool used) {
    while (at < slab->granules) {
        uint64_t word = used ? slab->map[at >> 6] : ~slab->map[at >> 6];
        word &= UINT64_MAX << (at & 63);
        if (word != 0) {
            at = (at & ~63u) + stoa__bit_lowest(word);
            break;
        }
        at = (at & ~63u) + 64;
    }
    return at < slab->granules ? at : slab->granules;
}

/* The first run of `count` free granules, or STOA__NONE. */
static uint32_t run_find(const stoa__slab *slab, uint32_t count) {
    uint32_t end = 0;
    while (end < slab->granules) {
        uint32_t first = granule_next(slab, end, false);
        end = granule_next(slab, first, true);
        if (end - first >= count) {
            return first;
        }
    }
    return STOA__NONE;
}

/* The longest run of free granules. */
static uint32_t run_longest(const stoa__slab *slab) {
    uint32_t longest = 0;
    for (uint32_t end = 0; end < slab->granules;) {
        uint32_t first = granule_next(slab, end, false);
        end = granule_next(slab, first, true);
        longest = end - first > longest ? end - first : longest;
    }
    return longest;
}

/* Cuts the first block of a new slab. Blocks of one size leave some granules over; the slabs of a
 * world have different parts of some of those in front, or else the same row of every slab's chunks
 * would compete for the same cache sets. */
static uint8_t *slab_cut_first(stoa__slab *slab, uint32_t count, uint32_t number) {
    uint32_t over = slab->granules % count;
    uint32_t first = number * 37 % ((over < OVER_MOST ? over : OVER_MOST) + 1);
    granules_mark(slab, first, count, true);
    return slab->data + (size_t)first * GRANULE;
}

static uint8_t *slab_cut(stoa__slab *slab, uint32_t count) {
    if (slab->closed || slab->free < count || slab->refused <= count) {
        return NULL;
    }
    uint32_t first = run_find(slab, count);
    if (first == STOA__NONE) {
        slab->refused = count;
        return NULL;
    }
    granules_mark(slab, first, count, true);
    return slab->data + (size_t)first * GRANULE;
}

/* The slab that holds the block; the array is sorted by address. */
static uint32_t slab_index(const stoa__slabs *slabs, const uint8_t *block) {
    uint32_t low = 0, high = slabs->count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if ((uintptr_t)slabs->items[middle]->data <= (uintptr_t)block) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Bytes that are still in slabs that are being emptied. */
static size_t slabs_moving(const stoa__slabs *slabs) {
    size_t moving = 0;
    for (uint32_t i = 0; i < slabs->count; i++) {
        const stoa__slab *slab = slabs->items[i];
        moving += slab->closed ? (size_t)(slab->granules - slab->free) * GRANULE : 0;
    }
    return moving;
}

/* Slabs grow with the world; one made while others are being emptied is no larger than what is
 * still in those. One for a large block has no room for others, but is rounded up to full size if
 * that is near, so that huge pages back it. */
static size_t slab_size_next(const stoa__slabs *slabs, size_t block, size_t moving) {
    if (block > STOA__SLAB_BLOCK_PART) {
        size_t whole = (block + SLAB_SIZE - 1) / SLAB_SIZE * SLAB_SIZE;
        return block > whole / 16 * 15 ? whole : (size_t)granules_of(block) * GRANULE;
    }
    size_t size = slabs->size < SLAB_FIRST ? SLAB_FIRST : slabs->size;
    size = moving > 0 ? moving : size;
    size = size > SLAB_SIZE ? SLAB_SIZE : size;
    size = size < block ? block : size;
    return (size_t)granules_of(size) * GRANULE;
}

/* Bytes of what describes a slab of a size. */
static size_t slab_struct_size(size_t size) {
    return sizeof(stoa__slab) + (size / GRANULE + 63) / 64 * sizeof(uint64_t);
}

static stoa__slab *slab_new(stoa__storage *storage, size_t size) {
    stoa__slabs *slabs = &storage->slabs;
    stoa__heap *heap = &storage->heap;
    if (!stoa__heap_grow(heap, &slabs->items, &slabs->capacity, slabs->count + 1,
                         sizeof *slabs->items)) {
        return NULL;
    }
    stoa__slab *slab = stoa__heap_zalloc(heap, slab_struct_size(size), _Alignof(stoa__slab));
    if (slab == NULL) {
        return NULL;
    }
    slab->data = stoa__heap_alloc(heap, size, slab_alignment(size));
    if (slab->data == NULL) {
        stoa__heap_free(heap, slab, slab_struct_size(size), _Alignof(stoa__slab));
        return NULL;
    }
    slab->size = size;
    slab->granules = (uint32_t)(size / GRANULE);
    slab->free = slab->granules;
    slab->refused = STOA__NONE;
    uint32_t at = slabs->count++;
    while (at > 0 && (uintptr_t)slabs->items[at - 1]->data > (uintptr_t)slab->data) {
        slabs->items[at] = slabs->items[at - 1];
        at--;
    }
    slabs->items[at] = slab;
    slabs->size += size;
    slabs->maps += slab_struct_size(size);
    return slab;
}

static void slab_drop(stoa__storage *storage, uint32_t at) {
    stoa__slabs *slabs = &storage->slabs;
    stoa__slab *slab = slabs->items[at];
    slabs->count--;
    memmove(&slabs->items[at], &slabs->items[at + 1], (slabs->count - at) * sizeof *slabs->items);
    slabs->size -= slab->size;
    slabs->maps -= slab_struct_size(slab->size);
    stoa__heap_free(&storage->heap, slab->data, slab->size, slab_alignment(slab->size));
    stoa__heap_free(&storage->heap, slab, slab_struct_size(slab->size), _Alignof(stoa__slab));
}

uint8_t *stoa__slab_alloc(stoa__storage *storage, size_t size) {
    stoa__slabs *slabs = &storage->slabs;
    if (!size_in_slab(size)) {
        uint8_t *block = stoa__heap_alloc(&storage->heap, size, STOA__LINE);
        slabs->direct += block != NULL ? size : 0;
        return block;
    }
    uint32_t count = granules_of(size);
    for (uint32_t i = 0; i < slabs->count; i++) {
        uint8_t *block = slab_cut(slabs->items[i], count);
        if (block != NULL) {
            return block;
        }
    }
    size_t moving = slabs_moving(slabs);
    stoa__slab *slab = slab_new(storage, slab_size_next(slabs, size, moving));
    return slab != NULL ? slab_cut_first(slab, count, moving > 0 ? 0 : slabs->count) : NULL;
}

void stoa__slab_free(stoa__storage *storage, uint8_t *block, size_t size) {
    stoa__slabs *slabs = &storage->slabs;
    if (!size_in_slab(size)) {
        slabs->direct -= size;
        stoa__heap_free(&storage->heap, block, size, STOA__LINE);
        return;
    }
    stoa__slab *slab = slabs->items[slab_index(slabs, block)];
    uint32_t first = (uint32_t)((size_t)(block - slab->data) / GRANULE);
    granules_mark(slab, first, granules_of(size), false);
    slab->refused = STOA__NONE;
}

size_t stoa__slab_gap(stoa__storage *storage, size_t least) {
    uint32_t most = granules_of(least);
    bool found = false;
    for (uint32_t i = 0; i < storage->slabs.count; i++) {
        stoa__slab *slab = storage->slabs.items[i];
        if (slab->closed || slab->free < most || slab->refused <= most) {
            continue;
        }
        uint32_t run = run_longest(slab);
        slab->refused = run + 1;
        if (run >= most) {
            most = run;
            found = true;
        }
    }
    return found ? (size_t)most * GRANULE : 0;
}

void stoa__slab_trim(stoa__storage *storage) {
    for (uint32_t i = storage->slabs.count; i-- > 0;) {
        if (storage->slabs.items[i]->free == storage->slabs.items[i]->granules) {
            slab_drop(storage, i);
        }
    }
}

void stoa__slab_close(stoa__storage *storage) {
    for (uint32_t i = 0; i < storage->slabs.count; i++) {
        stoa__slab *slab = storage->slabs.items[i];
        slab->closed = slab->free > slab->granules / 20;
    }
}

void stoa__slab_open(stoa__storage *storage) {
    for (uint32_t i = 0; i < storage->slabs.count; i++) {
        storage->slabs.items[i]->closed = false;
    }
}

bool stoa__slab_closed(const stoa__storage *storage, const uint8_t *block, size_t size) {
    return size_in_slab(size) && storage->slabs.items[slab_index(&storage->slabs, block)]->closed;
}

void stoa__slab_fini(stoa__storage *storage) {
    stoa__slabs *slabs = &storage->slabs;
    while (slabs->count > 0) {
        slab_drop(storage, slabs->count - 1);
    }
    stoa__heap_grow_free(&storage->heap, slabs->items, slabs->capacity, sizeof *slabs->items);
}

size_t stoa__slab_held(const stoa__storage *storage) {
    return storage->slabs.size + storage->slabs.direct;
}

stoa_status stoa__slab_check(const stoa__storage *storage, size_t used) {
    size_t marked = 0;
    for (uint32_t i = 0; i < storage->slabs.count; i++) {
        const stoa__slab *slab = storage->slabs.items[i];
        uint32_t free = 0;
        for (uint32_t g = 0; g < slab->granules; g++) {
            free += !granule_used(slab, g);
        }
        if (free != slab->free) {
            return stoa__error(STOA_CORRUPT, "slab %u counts %u free granules and has %u", i,
                               slab->free, free);
        }
        marked += (size_t)(slab->granules - free) * GRANULE;
    }
    if (marked != used) {
        return stoa__error(STOA_CORRUPT, "slabs have %zu bytes in use, chunks %zu", marked, used);
    }
    return STOA_OK;
}

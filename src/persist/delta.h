/* Deltas, as the files that make and apply them see them; docs/delta.md says what the bytes mean.
 */
#ifndef STOA_PERSIST_DELTA_H
#define STOA_PERSIST_DELTA_H

#include "base/fold.h"
#include "base/hash.h"
#include "base/heap.h"
#include "stoa/delta.h"

#define STOA__DELTA_MAGIC UINT32_C(0x44534345)
#define STOA__DELTA_HEADER 56
/* Where the checksum is, which covers all but itself. */
#define STOA__DELTA_CHECKSUM 48
/* Bytes of the longest number. */
#define STOA__DELTA_NUMBER_MAX 10

/* The checksum of a delta, header included. */
uint64_t stoa__delta_checksum(const uint8_t *delta, size_t size);

/* STOA_INVALID if some bytes are, or may come to be, in the memory of a blob. */
stoa_status stoa__delta_apart(const stoa_blob *blob, const void *bytes, size_t size);

/* A block that is hashed as it is gone through, a part at a time, so that a part is read from
 * memory once for the hash and for whatever else is done with it. */
typedef struct stoa__delta_walk {
    const uint8_t *bytes;
    size_t size;
    size_t hashed; /* bytes so far */
    stoa__hasher hasher;
} stoa__delta_walk;

/* Bytes of a part: two of them are in the caches at once. */
#define STOA__DELTA_PART ((size_t)8 << 10)

/* Hashes the bytes up to `end`, if they are not yet. */
STOA__INLINE void stoa__delta_walk_to(stoa__delta_walk *walk, size_t end) {
    if (end > walk->hashed) {
        stoa__hasher_add(&walk->hasher, walk->bytes + walk->hashed, end - walk->hashed);
        walk->hashed = end;
    }
}

/* The hash of the whole block. */
STOA__INLINE uint64_t stoa__delta_walk_hash(stoa__delta_walk *walk) {
    stoa__delta_walk_to(walk, walk->size);
    return stoa__hasher_result(&walk->hasher);
}

STOA__INLINE stoa__delta_walk stoa__delta_walk_new(const uint8_t *bytes, size_t size) {
    stoa__delta_walk walk = {.bytes = bytes, .size = size};
    stoa__hasher_init(&walk.hasher);
    return walk;
}

/* Blocks of the base, to be found by their content. */
typedef struct stoa__delta_index {
    stoa__heap *heap;
    const uint8_t *base;
    size_t base_size;
    uint32_t *blocks; /* 1 + the number of a block, by the hash of its bytes; 0 for none */
    uint32_t bits;    /* of a hash; 0 while the index is not built */
} stoa__delta_index;

/* Bytes of a block. */
#define STOA__DELTA_BLOCK 32

stoa_status stoa__delta_index_build(stoa__delta_index *index);
void stoa__delta_index_free(stoa__delta_index *index);

STOA__INLINE void stoa__delta_word_put(uint8_t *bytes, uint64_t number, size_t size) {
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(number >> (8 * i));
    }
}

/* Where a block is in an index that is built. */
STOA__INLINE uint32_t *stoa__delta_index_slot(const stoa__delta_index *index,
                                              const uint8_t *block) {
    uint64_t hash = stoa__word(block) * UINT64_C(0xbb67ae8584caa73b) +
                    stoa__word(block + 8) * UINT64_C(0xa54ff53a5f1d36f1) +
                    stoa__word(block + 16) * UINT64_C(0x3c6ef372fe94f82b) +
                    stoa__word(block + 24) * UINT64_C(0x510e527fade682d1);
    hash ^= hash >> 32;
    return &index->blocks[hash * UINT64_C(0x9b05688c2b3e6c1f) >> (64 - index->bits)];
}

/* Finds a block of the base with these bytes: where it begins. */
STOA__INLINE bool stoa__delta_index_find(const stoa__delta_index *index, const uint8_t *block,
                                         size_t *position) {
    uint32_t number = *stoa__delta_index_slot(index, block);
    if (number == 0) {
        return false;
    }
    *position = (size_t)(number - 1) * STOA__DELTA_BLOCK;
    return memcmp(index->base + *position, block, STOA__DELTA_BLOCK) == 0;
}

#endif

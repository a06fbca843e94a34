/* The limit of hashing a world: one pass of a good 64-bit hash over the same bytes, which lie in
 * one flat array: values, handles and generations.
 *
 * The hash is of the kind that is quickest on a 64-bit processor without instructions of its own
 * for it: four chains, each with one product of 128 bits for 16 bytes. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

typedef struct flat {
    uint8_t *bytes;
    size_t size;
    uint64_t first; /* hash of the first repetition */
    uint64_t hash;
} flat;

static inline uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline uint64_t pair_join(uint64_t state, const uint8_t *bytes, uint64_t key) {
    wide product = (wide)(word_at(bytes) ^ state) * (word_at(bytes + 8) ^ key);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The size is a multiple of 64. */
LIMIT_JOB static uint64_t flat_hash(const uint8_t *bytes, size_t size) {
    uint64_t a = 1, b = 2, c = 3, d = 4;
    for (const uint8_t *end = bytes + size; bytes < end; bytes += 64) {
        a = pair_join(a, bytes, UINT64_C(0x9fb21c651e98df25));
        b = pair_join(b, bytes + 16, UINT64_C(0xd6e8feb86659fd93));
        c = pair_join(c, bytes + 32, UINT64_C(0xc2b2ae3d27d4eb4f));
        d = pair_join(d, bytes + 48, UINT64_C(0xa0761d6478bd642f));
        /* Ahead of its turn, as far as hides the way to memory. */
        __builtin_prefetch((const void *)((uintptr_t)bytes + 2048));
    }
    wide product = (wide)(a ^ b) * (c ^ d ^ UINT64_C(0x8ebc6af09c88c6e3));
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static void *hash_open(bench_size size) {
    flat *f = bench_alloc(1, sizeof *f);
    f->size = ((size_t)size.n * (DATA_BODY_SIZE + 8 + 4) + 63) / 64 * 64;
    f->bytes = bench_alloc(f->size, 1);
    for (size_t i = 0; i < f->size; i++) {
        f->bytes[i] = (uint8_t)(i * 7 + i / 251);
    }
    f->first = flat_hash(f->bytes, f->size);
    return f;
}

static void hash_run(void *side) {
    flat *f = side;
    f->hash = flat_hash(f->bytes, f->size);
}

static double hash_after(void *side) {
    const flat *f = side;
    return f->hash == f->first;
}

static void hash_close(void *side) {
    flat *f = side;
    free(f->bytes);
    free(f);
}

const bench_side limit_side_hash = {hash_open, NULL, hash_run, hash_after, hash_close};

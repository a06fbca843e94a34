/* stoa's side of hashing a world. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

STOA_COMPONENT(Middle, { double x, y, z, turn; });
STOA_COMPONENT(Speed, { float x, y, z, turn; });
STOA_COMPONENT(Life, { uint32_t age, food, kind, seed; });
_Static_assert(sizeof(Middle) + sizeof(Speed) + sizeof(Life) == DATA_BODY_SIZE, "as it says");

typedef struct hashed {
    stoa_world *world;
    uint64_t first; /* hash of the first repetition */
    uint64_t hash;
} hashed;

static void *hash_open(bench_size size) {
    hashed *h = bench_alloc(1, sizeof *h);
    h->world = bench_world_new();
    for (int32_t i = 0; i < size.n; i++) {
        uint32_t n = (uint32_t)i;
        stoa_entity e = stoa_create_with(h->world, STOA_VALUE(Middle, {i, 1, 2, 3}),
                                         STOA_VALUE(Speed, {1, 2, (float)i, 0}),
                                         STOA_VALUE(Life, {n % 100, n % 7, n % 3, n * 7919}));
        if (stoa_entity_is_null(e)) {
            bench_fail(stoa_last_error().message);
        }
    }
    h->first = stoa_hash(h->world);
    return h;
}

static void hash_run(void *side) {
    hashed *h = side;
    h->hash = stoa_hash(h->world);
}

static double hash_after(void *side) {
    const hashed *h = side;
    return h->hash == h->first;
}

static void hash_close(void *side) {
    hashed *h = side;
    stoa_world_free(h->world);
    free(h);
}

const bench_side stoa_side_hash = {hash_open, NULL, hash_run, hash_after, hash_close};

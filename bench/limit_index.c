/* The limit of finding entities by a value: a bare hash table from a value to its entities.
 *
 * Open addressing with linear probing over buckets, as large as it ever has to be and less than
 * half full. A bucket is a cache line with a value and up to seven of its entities, in no order; a
 * value that has more goes on in the next bucket that is its own or free. Only the last bucket of a
 * value is not full, so that one that is not full ends a look-up. A change of a value is a store,
 * an entity out and an entity in. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>

#define BUCKET_MAX 7

typedef struct bucket {
    uint32_t number;
    uint32_t count; /* 0: free */
    limit_entity entities[BUCKET_MAX];
} bucket;

/* From values to entities. */
typedef struct values {
    bucket *buckets;
    uint32_t mask;
    uint32_t shift; /* what is left of 64 bits by a bucket's number */
} values;

typedef struct found {
    limit_index index; /* `place` is the row of the entity's badge */
    Badge *badges;
    values values;
    uint8_t *memory;
    size_t memory_size;
    limit_entity *entities;
    uint32_t *order; /* random */
    uint64_t sum;
    int32_t round; /* how often the values were changed */
    int32_t refused;
    bench_size size;
} found;

static inline uint32_t number_home(const values *v, uint32_t number) {
    return (uint32_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> v->shift);
}

/* The next bucket of a value from `at` on, or the free one where it would stand. */
static inline uint32_t number_seek(const values *v, uint32_t number, uint32_t at) {
    while (v->buckets[at].count != 0 && v->buckets[at].number != number) {
        at = (at + 1) & v->mask;
    }
    return at;
}

static inline void entity_insert(const values *v, uint32_t number, limit_entity e) {
    uint32_t at = number_seek(v, number, number_home(v, number));
    while (v->buckets[at].count == BUCKET_MAX) {
        at = number_seek(v, number, (at + 1) & v->mask);
    }
    bucket *b = &v->buckets[at];
    b->number = number;
    b->entities[b->count++] = e;
}

/* Later buckets move back into the hole as far as they may. */
static void hole_close(const values *v, uint32_t hole) {
    uint32_t mask = v->mask;
    for (uint32_t at = (hole + 1) & mask; v->buckets[at].count != 0; at = (at + 1) & mask) {
        uint32_t from_home = (at - number_home(v, v->buckets[at].number)) & mask;
        if (from_home >= ((at - hole) & mask)) {
            v->buckets[hole] = v->buckets[at];
            hole = at;
        }
    }
    v->buckets[hole].count = 0;
}

/* The last entity of the value takes the place of the one that goes. */
static inline void entity_remove(const values *v, uint32_t number, limit_entity e) {
    limit_entity *place = NULL;
    for (uint32_t at = number_home(v, number);; at = (at + 1) & v->mask) {
        at = number_seek(v, number, at);
        bucket *b = &v->buckets[at];
        for (uint32_t i = 0; i < b->count; i++) {
            place = b->entities[i].index == e.index ? &b->entities[i] : place;
        }
        uint32_t next = at;
        if (b->count == BUCKET_MAX) {
            next = number_seek(v, number, (at + 1) & v->mask);
        }
        if (next == at || v->buckets[next].count == 0) {
            *place = b->entities[--b->count];
            if (b->count == 0) {
                hole_close(v, at);
            }
            return;
        }
    }
}

static inline uint64_t number_sum(const values *v, uint32_t number, uint64_t sum) {
    uint32_t at = number_home(v, number), count;
    do {
        at = number_seek(v, number, at);
        const bucket *b = &v->buckets[at];
        count = b->count;
        for (uint32_t i = 0; i < count; i++) {
            sum = data_found(sum, number, b->entities[i].index);
        }
        at = (at + 1) & v->mask;
    } while (count == BUCKET_MAX);
    return sum;
}

static void *found_open(bench_size size) {
    found *f = bench_alloc(1, sizeof *f);
    size_t n = (size_t)size.n, used = 0;
    *f = (found){.size = size, .order = bench_order(size.n), .values.mask = 1, .values.shift = 63};
    /* Values that have too many for one bucket are few. */
    while (f->values.mask < data_badges(size.n) * 2) {
        f->values.mask = f->values.mask * 2 + 1;
        f->values.shift--;
    }
    size_t buckets = (size_t)f->values.mask + 1;
    f->memory_size = buckets * sizeof(bucket) + (n + 1) * sizeof(limit_record) +
                     n * (sizeof(Badge) + sizeof(limit_entity)) + (size_t)4 * 128;
    f->memory = bench_map(f->memory_size);
    f->values.buckets = limit_carve(f->memory, &used, buckets, sizeof(bucket));
    f->index.records = limit_carve(f->memory, &used, n + 1, sizeof(limit_record));
    f->index.count = 1;
    f->badges = limit_carve(f->memory, &used, n, sizeof(Badge));
    f->entities = limit_carve(f->memory, &used, n, sizeof(limit_entity));
    for (int32_t i = 0; i < size.n; i++) {
        f->badges[i] = data_badge(i, 0, size.n);
        f->entities[i] = limit_index_take(&f->index, (uint32_t)i);
        entity_insert(&f->values, f->badges[i].number, f->entities[i]);
    }
    return f;
}

LIMIT_JOB static uint64_t values_sum(const values *from, int32_t n,
                                     const uint32_t *restrict order) {
    values v = *from;
    uint64_t sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum = number_sum(&v, order[i] % data_badges(n), sum);
    }
    return sum;
}

/* Gives every entity another value; returns how many were dead. */
LIMIT_JOB static int32_t values_change(const found *from) {
    found f = *from;
    int32_t n = f.size.n, refused = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t who = (int32_t)f.order[i];
        limit_entity e = f.entities[who];
        limit_record record = f.index.records[e.index];
        if (record.generation != e.generation) {
            refused++;
            continue;
        }
        Badge badge = data_badge(who, f.round, n);
        entity_remove(&f.values, f.badges[record.place].number, e);
        f.badges[record.place] = badge;
        entity_insert(&f.values, badge.number, e);
    }
    return refused;
}

static void found_run(void *side) {
    found *f = side;
    f->sum = 0;
    for (int32_t pass = 0; pass < f->size.passes; pass++) {
        f->sum += values_sum(&f->values, f->size.n, f->order);
    }
}

static void found_update(void *side) {
    found *f = side;
    f->refused = 0;
    for (int32_t pass = 0; pass < f->size.passes; pass++) {
        f->round++;
        f->refused += values_change(f);
    }
}

static double found_after(void *side) {
    return (double)((const found *)side)->sum;
}

/* Weighs the entities of all values. */
static double found_after_update(void *side) {
    const found *f = side;
    uint64_t sum = 0;
    for (uint32_t number = 0; number < data_badges(f->size.n); number++) {
        sum = number_sum(&f->values, number, sum);
    }
    return (double)sum + f->refused;
}

static void found_close(void *side) {
    found *f = side;
    bench_unmap(f->memory, f->memory_size);
    free(f->order);
    free(f);
}

const bench_side limit_side_index_find = {found_open, NULL, found_run, found_after, found_close};
const bench_side limit_side_index_update = {found_open, NULL, found_update, found_after_update,
                                            found_close};

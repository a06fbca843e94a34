/* The limit of finding entities by a value: a hash table of pairs of value and entity, open
 * addressing, entities of one value in ascending order. Less than half full, as large as it ever
 * has to be. A change of a value is a store, a pair out and a pair in. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>

/* A free pair has no entity. */
typedef struct limit_pairs_cell {
    uint32_t number;
    limit_entity entity;
} limit_pairs_cell;

typedef struct found {
    limit_index index; /* `place` is the row of the entity's badge */
    Badge *badges;
    limit_pairs_cell *cells;
    uint32_t mask;
    limit_entity *entities;
    uint32_t *order; /* random */
    uint64_t sum;
    int32_t round; /* how often the values were changed */
    int32_t refused;
    bench_size size;
} found;

static inline uint32_t number_home(const found *f, uint32_t number) {
    uint64_t mixed = number * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(mixed >> 40) & f->mask;
}

/* Pairs of the same value that come later change places with it on the way. */
static inline void pair_insert(found *f, uint32_t number, limit_entity e) {
    limit_pairs_cell *cells = f->cells;
    uint32_t at = number_home(f, number);
    for (; cells[at].entity.index != 0; at = (at + 1) & f->mask) {
        if (cells[at].number == number && cells[at].entity.index > e.index) {
            limit_entity later = cells[at].entity;
            cells[at].entity = e;
            e = later;
        }
    }
    cells[at] = (limit_pairs_cell){number, e};
}

/* Later pairs move back into the hole as far as they may. */
static inline void pair_remove(found *f, uint32_t number, limit_entity e) {
    limit_pairs_cell *cells = f->cells;
    uint32_t mask = f->mask, hole = number_home(f, number);
    while (cells[hole].entity.index != e.index) {
        hole = (hole + 1) & mask;
    }
    for (uint32_t at = (hole + 1) & mask; cells[at].entity.index != 0; at = (at + 1) & mask) {
        uint32_t from_home = (at - number_home(f, cells[at].number)) & mask;
        if (from_home >= ((at - hole) & mask)) {
            cells[hole] = cells[at];
            hole = at;
        }
    }
    cells[hole].entity.index = 0;
}

static void *found_open(bench_size size) {
    found *f = bench_alloc(1, sizeof *f);
    *f = (found){.size = size, .order = bench_order(size.n), .mask = 1};
    while (f->mask < (uint32_t)size.n * 2) {
        f->mask = f->mask * 2 + 1;
    }
    f->cells = bench_alloc((size_t)f->mask + 1, sizeof *f->cells);
    f->index.records = bench_alloc((size_t)size.n + 1, sizeof *f->index.records);
    f->index.count = 1;
    f->badges = bench_alloc((size_t)size.n, sizeof *f->badges);
    f->entities = bench_alloc((size_t)size.n, sizeof *f->entities);
    for (int32_t i = 0; i < size.n; i++) {
        f->badges[i] = data_badge(i, 0, size.n);
        f->entities[i] = limit_index_take(&f->index, (uint32_t)i);
        pair_insert(f, f->badges[i].number, f->entities[i]);
    }
    return f;
}

LIMIT_JOB static uint64_t values_sum(const found *f, int32_t n, const uint32_t *restrict order) {
    uint64_t sum = 0;
    for (int32_t i = 0; i < n; i++) {
        uint32_t number = order[i] % data_badges(n);
        for (uint32_t at = number_home(f, number); f->cells[at].entity.index != 0;
             at = (at + 1) & f->mask) {
            if (f->cells[at].number == number) {
                sum = data_found(sum, f->cells[at].entity.index);
            }
        }
    }
    return sum;
}

/* Gives every entity another value; returns how many were dead. */
LIMIT_JOB static int32_t values_change(found *f) {
    int32_t n = f->size.n, refused = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t who = (int32_t)f->order[i];
        limit_entity e = f->entities[who];
        limit_record record = f->index.records[e.index];
        if (record.generation != e.generation) {
            refused++;
            continue;
        }
        Badge badge = data_badge(who, f->round, n);
        pair_remove(f, f->badges[record.place].number, e);
        f->badges[record.place] = badge;
        pair_insert(f, badge.number, e);
    }
    return refused;
}

static void found_run(void *side) {
    found *f = side;
    f->sum = 0;
    for (int32_t pass = 0; pass < f->size.passes; pass++) {
        f->sum += values_sum(f, f->size.n, f->order);
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
    const found *f = side;
    return (double)(f->sum >> 16);
}

/* Weighs the entities of all values, in order. */
static double found_after_update(void *side) {
    const found *f = side;
    uint64_t sum = 0;
    for (uint32_t number = 0; number < data_badges(f->size.n); number++) {
        for (uint32_t at = number_home(f, number); f->cells[at].entity.index != 0;
             at = (at + 1) & f->mask) {
            if (f->cells[at].number == number) {
                sum = data_found(sum, f->cells[at].entity.index);
            }
        }
    }
    return (double)(sum >> 16) + f->refused;
}

static void found_close(void *side) {
    found *f = side;
    free(f->cells);
    free(f->index.records);
    free(f->badges);
    free(f->entities);
    free(f->order);
    free(f);
}

const bench_side limit_side_index_find = {found_open, NULL, found_run, found_after, found_close};
const bench_side limit_side_index_update = {found_open, NULL, found_update, found_after_update,
                                            found_close};

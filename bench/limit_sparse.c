/* The limits of sparse components: a set with values one after the other, and pages that lead from
 * a slot to a value.
 *
 * Pages are there beforehand. What the loops change is held in locals. */
#include "limit.h"
#include "sides.h"

#include <stdbool.h>
#include <stdlib.h>

#define PAGE_BITS 12
#define PAGE_SIZE (1u << PAGE_BITS)

typedef struct sparse_set {
    uint32_t **pages;   /* slot to position + 1, or 0 */
    uint32_t *entities; /* position to slot */
    Velocity *values;
    uint32_t count;
} sparse_set;

typedef struct sparse {
    limit_world world; /* of which positions are used */
    sparse_set set;
    uint32_t *positions; /* all pages */
    limit_entity *entities;
    uint64_t *masks; /* of each table, one bit per component */
    bench_size size;
    int32_t refused;
} sparse;

enum { COMPONENT_POSITION };

static inline uint32_t *set_entry(const sparse_set *set, uint32_t slot) {
    return &set->pages[slot >> PAGE_BITS][slot & (PAGE_SIZE - 1)];
}

static inline void set_put(sparse_set *set, uint32_t slot, Velocity value) {
    uint32_t *entry = set_entry(set, slot);
    if (*entry != 0) {
        set->values[*entry - 1] = value;
        return;
    }
    uint32_t position = set->count++;
    set->entities[position] = slot;
    set->values[position] = value;
    *entry = position + 1;
}

static inline void set_erase(sparse_set *set, uint32_t slot) {
    uint32_t *entry = set_entry(set, slot);
    if (*entry == 0) {
        return;
    }
    uint32_t position = *entry - 1;
    uint32_t last = --set->count;
    *entry = 0;
    if (position != last) {
        uint32_t moved = set->entities[last];
        set->entities[position] = moved;
        set->values[position] = set->values[last];
        *set_entry(set, moved) = position + 1;
    }
}

/* Both return how many entities were dead. */
LIMIT_JOB static int32_t values_add(sparse *s) {
    const limit_record *records = s->world.index.records;
    const limit_entity *entities = s->entities;
    sparse_set set = s->set;
    int32_t n = s->size.n;
    int32_t refused = 0;
    for (int32_t i = 0; i < n; i++) {
        if (records[entities[i].index].generation != entities[i].generation) {
            refused++;
            continue;
        }
        set_put(&set, entities[i].index, data_velocity(i));
    }
    s->set = set;
    return refused;
}

LIMIT_JOB static int32_t values_remove(sparse *s) {
    const limit_record *records = s->world.index.records;
    const limit_entity *entities = s->entities;
    sparse_set set = s->set;
    int32_t n = s->size.n;
    int32_t refused = 0;
    for (int32_t i = 0; i < n; i++) {
        if (records[entities[i].index].generation != entities[i].generation) {
            refused++;
            continue;
        }
        set_erase(&set, entities[i].index);
    }
    s->set = set;
    return refused;
}

static inline void position_push(Position *p, const Velocity *v) {
    p->x += v->x;
    p->y += v->y;
    p->z += v->z;
}

/* Goes through the set and looks up the row of each: right where few have a value. */
LIMIT_JOB static void set_walk(const sparse *s) {
    const limit_record *records = s->world.index.records;
    const uint64_t *masks = s->masks;
    Position *restrict positions = s->world.table.positions;
    const uint32_t *restrict entities = s->set.entities;
    const Velocity *restrict values = s->set.values;
    uint32_t count = s->set.count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = records[entities[i]].place;
        if ((masks[place >> LIMIT_ROW_BITS] >> COMPONENT_POSITION & 1) != 0) {
            position_push(&positions[place & LIMIT_ROW_MASK], &values[i]);
        }
    }
}

/* Goes through the rows and looks up the value of each: right where most have one. */
LIMIT_JOB static void rows_walk(const sparse *s) {
    Position *restrict positions = s->world.table.positions;
    const uint32_t *restrict entities = s->world.table.entities;
    const Velocity *restrict values = s->set.values;
    sparse_set set = s->set;
    uint32_t count = s->world.table.count;
    for (uint32_t row = 0; row < count; row++) {
        uint32_t entry = *set_entry(&set, entities[row]);
        if (entry != 0) {
            position_push(&positions[row], &values[entry - 1]);
        }
    }
}

static void *sparse_open(bench_size size) {
    sparse *s = bench_alloc(1, sizeof *s);
    *s = (sparse){.size = size, .world = limit_world_new(size.n)};
    size_t n = (size_t)size.n;
    size_t page_count = n / PAGE_SIZE + 1;
    s->entities = bench_alloc(n, sizeof *s->entities);
    s->positions = bench_alloc(page_count * PAGE_SIZE, sizeof *s->positions);
    s->set.pages = bench_alloc(page_count, sizeof *s->set.pages);
    s->set.entities = bench_alloc(n, sizeof *s->set.entities);
    s->set.values = bench_alloc(n, sizeof *s->set.values);
    s->masks = bench_alloc(16, sizeof *s->masks);
    s->masks[0] = 1u << COMPONENT_POSITION;
    for (size_t i = 0; i < page_count; i++) {
        s->set.pages[i] = s->positions + i * PAGE_SIZE;
    }
    limit_world_create(&s->world, size.n, s->entities);
    return s;
}

static void *sparse_open_share(bench_size size, int32_t percent) {
    sparse *s = sparse_open(size);
    uint8_t *chosen = data_share(size.n, percent);
    for (int32_t i = 0; i < size.n; i++) {
        if (chosen[i] != 0) {
            set_put(&s->set, s->entities[i].index, data_velocity(i));
        }
    }
    free(chosen);
    return s;
}

static void *sparse_open_1(bench_size size) {
    return sparse_open_share(size, 1);
}

static void *sparse_open_10(bench_size size) {
    return sparse_open_share(size, 10);
}

static void *sparse_open_100(bench_size size) {
    return sparse_open_share(size, 100);
}

static void sparse_run_change(void *side) {
    sparse *s = side;
    s->refused = 0;
    for (int32_t pass = 0; pass < s->size.passes; pass++) {
        s->refused += values_add(s) + values_remove(s);
    }
}

static void sparse_run_walk(void *side) {
    const sparse *s = side;
    for (int32_t pass = 0; pass < s->size.passes; pass++) {
        if (s->set.count < s->world.table.count / 2) {
            set_walk(s);
        } else {
            rows_walk(s);
        }
    }
}

/* Weighs what an addition leaves, and counts what the removal after it leaves. */
static double sparse_after_change(void *side) {
    sparse *s = side;
    double sum = s->refused;
    sum += values_add(s);
    for (int32_t i = 0; i < s->size.n; i++) {
        Velocity v = s->set.values[*set_entry(&s->set, s->entities[i].index) - 1];
        sum += data_weigh(i, (Position){v.x, v.y, v.z});
    }
    sum += values_remove(s);
    return sum + s->set.count;
}

static double sparse_after_walk(void *side) {
    const sparse *s = side;
    return limit_world_weigh(&s->world, s->size.n, s->entities);
}

static void sparse_close(void *side) {
    sparse *s = side;
    limit_world_free(&s->world);
    free(s->positions);
    free(s->entities);
    free(s->set.pages);
    free(s->set.entities);
    free(s->set.values);
    free(s->masks);
    free(s);
}

const bench_side limit_side_add_remove_sparse = {sparse_open, NULL, sparse_run_change,
                                                 sparse_after_change, sparse_close};
const bench_side limit_side_sparse_iter_1 = {sparse_open_1, NULL, sparse_run_walk,
                                             sparse_after_walk, sparse_close};
const bench_side limit_side_sparse_iter_10 = {sparse_open_10, NULL, sparse_run_walk,
                                              sparse_after_walk, sparse_close};
const bench_side limit_side_sparse_iter_100 = {sparse_open_100, NULL, sparse_run_walk,
                                               sparse_after_walk, sparse_close};

/* The limits of walking components: over one flat array each, and over many small tables. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>

typedef struct flat {
    limit_world world;
    limit_entity *entities;
    bench_size size;
} flat;

LIMIT_JOB static void flat_shift(limit_table *table) {
    data_shift_long(table->positions, (int32_t)table->count);
}

LIMIT_JOB static void flat_move(limit_table *table) {
    data_move_long(table->positions, table->velocities, (int32_t)table->count);
}

static void *flat_open(bench_size size) {
    flat *f = bench_alloc(1, sizeof *f);
    *f = (flat){.size = size, .world = limit_world_new(size.n)};
    f->entities = bench_alloc((size_t)size.n, sizeof *f->entities);
    limit_world_create(&f->world, size.n, f->entities);
    return f;
}

static void flat_run_shift(void *side) {
    flat *f = side;
    for (int32_t pass = 0; pass < f->size.passes; pass++) {
        flat_shift(&f->world.table);
    }
}

static void flat_run_move(void *side) {
    flat *f = side;
    for (int32_t pass = 0; pass < f->size.passes; pass++) {
        flat_move(&f->world.table);
    }
}

static double flat_after(void *side) {
    const flat *f = side;
    return limit_world_weigh(&f->world, f->size.n, f->entities);
}

static void flat_close(void *side) {
    flat *f = side;
    limit_world_free(&f->world);
    free(f->entities);
    free(f);
}

const bench_side limit_side_iterate_1 = {flat_open, NULL, flat_run_shift, flat_after, flat_close};
const bench_side limit_side_iterate_2 = {flat_open, NULL, flat_run_move, flat_after, flat_close};

/* A small table. Its rows are as many as the job finds there, and no more is known of them. */
typedef struct fragment {
    uint32_t *entities;
    void *column; /* the one that is walked */
    void *beside; /* the one that sets this table apart, if it has data */
    int32_t count;
} fragment;

typedef struct fragments {
    fragment *tables;
    int32_t table_count;
    bench_size size;
    uint8_t *memory;
    size_t memory_size;
} fragments;

LIMIT_JOB static void fragments_double(const fragment *tables, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        data_double(tables[i].column, tables[i].count);
    }
}

LIMIT_JOB static void fragments_shift(const fragment *tables, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        data_shift(tables[i].column, tables[i].count);
    }
}

/* Tables one behind the other, each as large as its rows. */
static fragments *fragments_new(bench_size size, int32_t table_count, size_t column,
                                size_t beside) {
    fragments *f = bench_alloc(1, sizeof *f);
    *f = (fragments){.table_count = table_count, .size = size};
    f->tables = bench_alloc((size_t)table_count, sizeof *f->tables);
    size_t rows = (size_t)(size.n / table_count);
    size_t row = sizeof(uint32_t) + column + beside;
    f->memory_size = (size_t)table_count * (rows * row + (size_t)3 * 128);
    f->memory = bench_map(f->memory_size);
    size_t used = 0;
    for (int32_t i = 0; i < table_count; i++) {
        fragment *table = &f->tables[i];
        table->count = (int32_t)rows;
        table->entities = limit_carve(f->memory, &used, rows, sizeof(uint32_t));
        table->column = limit_carve(f->memory, &used, rows, column);
        table->beside = beside > 0 ? limit_carve(f->memory, &used, rows, beside) : NULL;
    }
    return f;
}

static void *fragments_open_iter(bench_size size) {
    return fragments_new(size, 26, sizeof(float), sizeof(float));
}

static void *fragments_open_1000(bench_size size) {
    fragments *f = fragments_new(size, 1000, sizeof(Position), 0);
    int32_t number = 0;
    for (int32_t i = 0; i < f->table_count; i++) {
        Position *positions = f->tables[i].column;
        for (int32_t row = 0; row < f->tables[i].count; row++) {
            positions[row] = data_position(number++);
        }
    }
    return f;
}

/* Values from 1 up: a hundred doublings stay in a float's range. */
static void fragments_reset(void *side) {
    fragments *f = side;
    int32_t number = 0;
    for (int32_t i = 0; i < f->table_count; i++) {
        float *values = f->tables[i].column;
        for (int32_t row = 0; row < f->tables[i].count; row++) {
            values[row] = (float)++number;
        }
    }
}

static void fragments_run_double(void *side) {
    fragments *f = side;
    for (int32_t pass = 0; pass < f->size.passes; pass++) {
        fragments_double(f->tables, f->table_count);
    }
}

static void fragments_run_shift(void *side) {
    fragments *f = side;
    for (int32_t pass = 0; pass < f->size.passes; pass++) {
        fragments_shift(f->tables, f->table_count);
    }
}

static double fragments_sum_values(void *side) {
    const fragments *f = side;
    double sum = 0;
    for (int32_t i = 0; i < f->table_count; i++) {
        const float *values = f->tables[i].column;
        for (int32_t row = 0; row < f->tables[i].count; row++) {
            sum += (double)values[row];
        }
    }
    return sum;
}

static double fragments_weigh(void *side) {
    const fragments *f = side;
    double sum = f->size.n;
    int32_t number = 0;
    for (int32_t i = 0; i < f->table_count; i++) {
        const Position *positions = f->tables[i].column;
        for (int32_t row = 0; row < f->tables[i].count; row++) {
            sum += data_weigh(number++, positions[row]);
        }
    }
    return sum;
}

static void fragments_close(void *side) {
    fragments *f = side;
    bench_unmap(f->memory, f->memory_size);
    free(f->tables);
    free(f);
}

const bench_side limit_side_frag_iter = {fragments_open_iter, fragments_reset, fragments_run_double,
                                         fragments_sum_values, fragments_close};
const bench_side limit_side_frag_1000 = {fragments_open_1000, NULL, fragments_run_shift,
                                         fragments_weigh, fragments_close};

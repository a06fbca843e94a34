/* The limits of adding a component and taking it away: a row moves from one table to another and
 * back.
 *
 * Two tables, without a velocity and with one. The blocks of a table lie one column after the other
 * at a distance known at compile time, so that one pointer reaches all eight: with a pointer for
 * each the registers run out, 51 ns for
 * 40. What the loops change is held in locals. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>

#define BLOCK_COLUMNS 8
#define ROWS_MAX 100000
/* From one block column to the next: the rows, and a cache line over. */
#define BLOCK_STRIDE (ROWS_MAX + 8)

typedef struct side_table {
    limit_table rows;
    Block *blocks;
} side_table;

typedef struct change {
    limit_index index;
    side_table without;
    side_table with;
    limit_entity *entities;
    bench_size size;
    int32_t refused;
    uint8_t *memory;
} change;

#define PLACE_WITH (1u << LIMIT_ROW_BITS)

static inline void blocks_copy(Block *restrict to, size_t to_row, const Block *restrict from,
                               size_t from_row, int32_t columns) {
    for (int32_t k = 0; k < columns; k++) {
        to[to_row + (size_t)k * BLOCK_STRIDE] = from[from_row + (size_t)k * BLOCK_STRIDE];
    }
}

static inline void blocks_fill(Block *blocks, size_t row, size_t last, int32_t columns) {
    for (int32_t k = 0; k < columns; k++) {
        blocks[row + (size_t)k * BLOCK_STRIDE] = blocks[last + (size_t)k * BLOCK_STRIDE];
    }
}

/* Adds a velocity to each, or overwrites it; returns how many were dead. */
static inline int32_t velocities_add(change *c, int32_t columns) {
    limit_record *records = c->index.records;
    side_table from = c->without;
    side_table to = c->with;
    const limit_entity *entities = c->entities;
    int32_t n = c->size.n;
    int32_t refused = 0;
    for (int32_t i = 0; i < n; i++) {
        limit_entity e = entities[i];
        limit_record record = records[e.index];
        if (record.generation != e.generation) {
            refused++;
            continue;
        }
        if ((record.place & PLACE_WITH) != 0) {
            to.rows.velocities[record.place & LIMIT_ROW_MASK] = data_velocity(i);
            continue;
        }
        uint32_t row = record.place;
        uint32_t last = --from.rows.count;
        uint32_t target = to.rows.count++;
        to.rows.entities[target] = e.index;
        to.rows.positions[target] = from.rows.positions[row];
        to.rows.velocities[target] = data_velocity(i);
        blocks_copy(to.blocks, target, from.blocks, row, columns);
        records[e.index].place = target | PLACE_WITH;
        if (row != last) {
            uint32_t moved = from.rows.entities[last];
            from.rows.entities[row] = moved;
            from.rows.positions[row] = from.rows.positions[last];
            blocks_fill(from.blocks, row, last, columns);
            records[moved].place = row;
        }
    }
    c->without.rows.count = from.rows.count;
    c->with.rows.count = to.rows.count;
    return refused;
}

/* Takes the velocity from each that has one; returns how many were dead. */
static inline int32_t velocities_remove(change *c, int32_t columns) {
    limit_record *records = c->index.records;
    side_table from = c->with;
    side_table to = c->without;
    const limit_entity *entities = c->entities;
    int32_t n = c->size.n;
    int32_t refused = 0;
    for (int32_t i = 0; i < n; i++) {
        limit_entity e = entities[i];
        limit_record record = records[e.index];
        if (record.generation != e.generation) {
            refused++;
            continue;
        }
        if ((record.place & PLACE_WITH) == 0) {
            continue;
        }
        uint32_t row = record.place & LIMIT_ROW_MASK;
        uint32_t last = --from.rows.count;
        uint32_t target = to.rows.count++;
        to.rows.entities[target] = e.index;
        to.rows.positions[target] = from.rows.positions[row];
        blocks_copy(to.blocks, target, from.blocks, row, columns);
        records[e.index].place = target;
        if (row != last) {
            uint32_t moved = from.rows.entities[last];
            from.rows.entities[row] = moved;
            from.rows.positions[row] = from.rows.positions[last];
            from.rows.velocities[row] = from.rows.velocities[last];
            blocks_fill(from.blocks, row, last, columns);
            records[moved].place = row | PLACE_WITH;
        }
    }
    c->with.rows.count = from.rows.count;
    c->without.rows.count = to.rows.count;
    return refused;
}

LIMIT_JOB static int32_t narrow_add(change *c) {
    return velocities_add(c, 0);
}

LIMIT_JOB static int32_t narrow_remove(change *c) {
    return velocities_remove(c, 0);
}

LIMIT_JOB static int32_t wide_add(change *c) {
    return velocities_add(c, BLOCK_COLUMNS);
}

LIMIT_JOB static int32_t wide_remove(change *c) {
    return velocities_remove(c, BLOCK_COLUMNS);
}

static void table_carve(side_table *table, uint8_t *memory, size_t *used) {
    table->rows.entities = limit_carve(memory, used, ROWS_MAX, sizeof(uint32_t));
    table->rows.positions = limit_carve(memory, used, ROWS_MAX, sizeof(Position));
    table->rows.velocities = limit_carve(memory, used, ROWS_MAX, sizeof(Velocity));
    table->blocks = limit_carve(memory, used, (size_t)BLOCK_STRIDE * BLOCK_COLUMNS, sizeof(Block));
}

static void *change_open(bench_size size) {
    if (size.n > ROWS_MAX) {
        bench_fail("too many rows for the limit of changes");
    }
    change *c = bench_alloc(1, sizeof *c);
    *c = (change){.size = size, .index = {.count = 1}};
    c->memory = bench_alloc(1, (size_t)ROWS_MAX * 360);
    size_t used = 0;
    c->index.records = limit_carve(c->memory, &used, ROWS_MAX + 1, sizeof(limit_record));
    table_carve(&c->without, c->memory, &used);
    table_carve(&c->with, c->memory, &used);
    c->entities = bench_alloc((size_t)size.n, sizeof *c->entities);
    for (int32_t i = 0; i < size.n; i++) {
        uint32_t row = c->without.rows.count++;
        c->entities[i] = limit_index_take(&c->index, row);
        c->without.rows.entities[row] = c->entities[i].index;
        c->without.rows.positions[row] = data_position(i);
        for (size_t k = 0; k < BLOCK_COLUMNS; k++) {
            c->without.blocks[row + k * BLOCK_STRIDE] = data_block(i, (int32_t)k);
        }
    }
    return c;
}

static void change_run_narrow(void *side) {
    change *c = side;
    c->refused = 0;
    for (int32_t pass = 0; pass < c->size.passes; pass++) {
        c->refused += narrow_add(c) + narrow_remove(c);
    }
}

static void change_run_wide(void *side) {
    change *c = side;
    c->refused = 0;
    for (int32_t pass = 0; pass < c->size.passes; pass++) {
        c->refused += wide_add(c) + wide_remove(c);
    }
}

/* Weighs what an addition leaves, and what the removal after it leaves. */
static double change_weigh(change *c, int32_t columns) {
    double sum = c->refused;
    sum += velocities_add(c, columns);
    for (int32_t i = 0; i < c->size.n; i++) {
        limit_record record = c->index.records[c->entities[i].index];
        uint32_t row = record.place & LIMIT_ROW_MASK;
        Velocity v = c->with.rows.velocities[row];
        sum += data_weigh(i, (Position){v.x, v.y, v.z});
    }
    sum += velocities_remove(c, columns);
    for (int32_t i = 0; i < c->size.n; i++) {
        limit_record record = c->index.records[c->entities[i].index];
        uint32_t row = record.place & LIMIT_ROW_MASK;
        sum += data_weigh(i, c->without.rows.positions[row]);
        for (int32_t k = 0; k < columns; k++) {
            Block b = c->without.blocks[row + (size_t)k * BLOCK_STRIDE];
            sum += (double)k * data_weigh(i, (Position){b.x, b.y, b.z + b.w});
        }
    }
    return sum;
}

static double change_after_narrow(void *side) {
    return change_weigh(side, 0);
}

static double change_after_wide(void *side) {
    return change_weigh(side, BLOCK_COLUMNS);
}

static void change_close(void *side) {
    change *c = side;
    free(c->memory);
    free(c->entities);
    free(c);
}

const bench_side limit_side_add_remove = {change_open, NULL, change_run_narrow, change_after_narrow,
                                          change_close};
const bench_side limit_side_add_remove_wide = {change_open, NULL, change_run_wide,
                                               change_after_wide, change_close};

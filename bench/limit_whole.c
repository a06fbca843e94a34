/* The limits of giving a component to everything that a query matches.
 *
 * With a value: all rows move from one set of arrays to another. Where the other set is empty, as
 * it is here, the arrays change hands and only the new one is filled; else rows are copied column
 * by column. Either way each record has to learn of it.
 *
 * A tag: rows are kept in blocks, each of which knows its tags, so that one is set for a block at a
 * time and no row is looked at. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>
#include <string.h>

#define PLACE_WITH (1u << LIMIT_ROW_BITS)
/* As many rows as fill 64 KiB with entity, position and velocity. */
#define BLOCK_ROWS 2048
#define FILL_ROWS 1024u

typedef struct wide_table {
    limit_table rows;
    Velocity *extras;
} wide_table;

typedef struct whole {
    limit_index index;
    wide_table without;
    wide_table with;
    uint64_t *tags; /* of each block */
    limit_entity *entities;
    int32_t n;
    uint8_t *memory;
    size_t memory_size;
} whole;

/* What is new stands from row `first` on. */
LIMIT_JOB static void places_note(limit_record *records, const uint32_t *restrict entities,
                                  uint32_t first, uint32_t count, uint32_t table) {
    for (uint32_t row = first; row < count; row++) {
        records[entities[row]].place = table | row;
    }
}

/* Fills some, then copies those: 0.22 ns against 0.37. */
LIMIT_JOB static void extras_fill(Velocity *extras, uint32_t count, Velocity value) {
    uint32_t some = count < FILL_ROWS ? count : FILL_ROWS;
    for (uint32_t i = 0; i < some; i++) {
        extras[i] = value;
    }
    for (uint32_t i = some; i < count; i += some) {
        memcpy(extras + i, extras, (count - i < some ? count - i : some) * sizeof *extras);
    }
}

LIMIT_JOB static void rows_move(limit_table *to, limit_table *from) {
    uint32_t first = to->count;
    uint32_t n = from->count;
    if (first == 0) {
        limit_table empty = *to;
        *to = *from;
        *from = empty;
        return;
    }
    memcpy(to->entities + first, from->entities, n * sizeof *to->entities);
    memcpy(to->positions + first, from->positions, n * sizeof *to->positions);
    memcpy(to->velocities + first, from->velocities, n * sizeof *to->velocities);
    to->count = first + n;
    from->count = 0;
}

static void extras_add(whole *w, Velocity value) {
    uint32_t first = w->with.rows.count;
    rows_move(&w->with.rows, &w->without.rows);
    uint32_t count = w->with.rows.count;
    extras_fill(w->with.extras + first, count - first, value);
    places_note(w->index.records, w->with.rows.entities, first, count, PLACE_WITH);
}

LIMIT_JOB static void tags_add(uint64_t *tags, int32_t blocks, uint32_t tag) {
    for (int32_t i = 0; i < blocks; i++) {
        tags[i] |= (uint64_t)1 << tag;
    }
}

static void table_carve(wide_table *table, uint8_t *memory, size_t *used, size_t n) {
    table->rows.entities = limit_carve(memory, used, n, sizeof(uint32_t));
    table->rows.positions = limit_carve(memory, used, n, sizeof(Position));
    table->rows.velocities = limit_carve(memory, used, n, sizeof(Velocity));
    table->extras = limit_carve(memory, used, n, sizeof(Velocity));
}

static void *whole_open(bench_size size) {
    whole *w = bench_alloc(1, sizeof *w);
    *w = (whole){.n = size.n, .index = {.count = 1}};
    size_t n = (size_t)size.n;
    size_t row = sizeof(uint32_t) + sizeof(Position) + 2 * sizeof(Velocity);
    w->memory_size = (n + 1) * (sizeof(limit_record) + 2 * row) + (size_t)9 * 128;
    w->memory = bench_map(w->memory_size);
    size_t used = 0;
    w->index.records = limit_carve(w->memory, &used, n + 1, sizeof(limit_record));
    table_carve(&w->without, w->memory, &used, n);
    table_carve(&w->with, w->memory, &used, n);
    w->tags = bench_alloc(n / BLOCK_ROWS + 1, sizeof *w->tags);
    w->entities = bench_alloc(n, sizeof *w->entities);
    for (int32_t i = 0; i < size.n; i++) {
        uint32_t place = w->without.rows.count++;
        w->entities[i] = limit_index_take(&w->index, place);
        w->without.rows.entities[place] = w->entities[i].index;
        w->without.rows.positions[place] = data_position(i);
        w->without.rows.velocities[place] = data_velocity(i);
    }
    return w;
}

static void whole_before_value(void *side) {
    whole *w = side;
    rows_move(&w->without.rows, &w->with.rows);
    places_note(w->index.records, w->without.rows.entities, 0, w->without.rows.count, 0);
}

static void whole_before_tag(void *side) {
    whole *w = side;
    memset(w->tags, 0, ((size_t)w->n / BLOCK_ROWS + 1) * sizeof *w->tags);
}

static void whole_run_value(void *side) {
    extras_add(side, data_velocity(DATA_WHOLE));
}

static void whole_run_tag(void *side) {
    whole *w = side;
    tags_add(w->tags, (w->n + BLOCK_ROWS - 1) / BLOCK_ROWS, 3);
}

static double whole_after_value(void *side) {
    const whole *w = side;
    double sum = w->with.rows.count;
    for (int32_t i = 0; i < w->n; i++) {
        uint32_t row = w->index.records[w->entities[i].index].place & LIMIT_ROW_MASK;
        Velocity extra = w->with.extras[row];
        sum += data_weigh(i, w->with.rows.positions[row]);
        sum += data_weigh(i, (Position){extra.x, extra.y, extra.z});
    }
    return sum;
}

static double whole_after_tag(void *side) {
    const whole *w = side;
    double sum = 0;
    for (int32_t i = 0; i < w->n; i++) {
        uint32_t row = w->index.records[w->entities[i].index].place;
        sum += data_weigh(i, w->without.rows.positions[row]);
        sum += (double)(w->tags[row / BLOCK_ROWS] >> 3 & 1);
    }
    return sum;
}

static void whole_close(void *side) {
    whole *w = side;
    bench_unmap(w->memory, w->memory_size);
    free(w->tags);
    free(w->entities);
    free(w);
}

const bench_side limit_side_query_add = {whole_open, whole_before_value, whole_run_value,
                                         whole_after_value, whole_close};
const bench_side limit_side_query_add_tag = {whole_open, whole_before_tag, whole_run_tag,
                                             whole_after_tag, whole_close};

/* The data both sides of a row work on, and the loops over it.
 *
 * A loop over columns is the program's own code, whoever keeps the columns: both sides use the same
 * one, so that a row measures what it costs to get at the columns and how well they lie in memory.
 * Short columns are walked by the inlined loops, long ones by the functions. */
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include <stdint.h>

/* 12 bytes each: the P and V of the rows. */
typedef struct Position {
    float x, y, z;
} Position;

typedef struct Velocity {
    float x, y, z;
} Velocity;

/* 16 bytes: what add_remove_wide carries eight times. */
typedef struct Block {
    float x, y, z, w;
} Block;

/* 16 bytes: an event. */
typedef struct Hit {
    uint32_t from, to;
    int32_t amount;
    uint32_t kind;
} Hit;

/* 4 bytes: what entities are looked up by. */
typedef struct Badge {
    uint32_t number;
} Badge;

#define DATA_DT (1.0f / 64)

/* The values an entity of number i is made with: whole numbers, so that sums are exact. */
static inline Position data_position(int32_t i) {
    return (Position){(float)(i & 0xffff), 1.0f, 2.0f};
}

static inline Velocity data_velocity(int32_t i) {
    return (Velocity){1.0f, (float)(i & 0xff), 3.0f};
}

static inline Block data_block(int32_t i, int32_t column) {
    return (Block){(float)(i & 0x3ff), (float)column, 1.0f, 2.0f};
}

static inline Hit data_hit(int32_t i) {
    return (Hit){(uint32_t)i, (uint32_t)i + 1, i & 0xff, 3};
}

/* Entities that form trees of a thousand: the first ones are roots, the others eight under each. */
static inline int32_t data_tree_roots(int32_t n) {
    return n / 1000;
}

/* The number of the entity that one is under, or -1. */
static inline int32_t data_tree_over(int32_t i, int32_t n) {
    int32_t roots = data_tree_roots(n);
    return i < roots ? -1 : (i - roots) / 8;
}

/* How many values n entities share: about four have the same. */
static inline uint32_t data_badges(int32_t n) {
    return (uint32_t)n / 4;
}

/* The value of entity i, after so many changes. */
static inline Badge data_badge(int32_t i, int32_t round, int32_t n) {
    return (Badge){((uint32_t)i * 7919u + (uint32_t)round * ((uint32_t)i % 101u + 1)) %
                   data_badges(n)};
}

/* Adds an entity that was found by a value to a sum; entities of one value come in any order. */
static inline uint64_t data_found(uint64_t sum, uint32_t number, uint32_t entity) {
    return sum + (uint64_t)(number + 1) * entity;
}

/* What a reader of an event adds up. */
static inline int64_t data_hit_weigh(const Hit *hit) {
    return (int64_t)hit->amount + hit->to;
}

/* Three floats of an entity are three of a flat array: gcc's loop over that is a seventh faster
 * than over the structs. */
static inline void data_shift(Position *restrict positions, int32_t n) {
    float *p = &positions->x;
    for (int32_t i = 0; i < 3 * n; i++) {
        p[i] += 1.0f;
    }
}

static inline void data_move(Position *restrict positions, const Velocity *restrict velocities,
                             int32_t n) {
    float *restrict p = &positions->x;
    const float *restrict v = &velocities->x;
    for (int32_t i = 0; i < 3 * n; i++) {
        p[i] += v[i] * DATA_DT;
    }
}

/* Half of the way to a velocity of 2, so that it goes on for ever. */
static inline void data_slow(Velocity *velocities, int32_t n) {
    float *v = &velocities->x;
    for (int32_t i = 0; i < 3 * n; i++) {
        v[i] = v[i] * 0.5f + 1.0f;
    }
}

/* What entities 0 to n - 1 are made with in bulk, and a random order to end them in. */
typedef struct data_crowd {
    Position *positions;
    Velocity *velocities;
    uint32_t *order;
} data_crowd;

data_crowd data_crowd_new(int32_t n);
void data_crowd_free(data_crowd *crowd);

void data_shift_long(Position *positions, int32_t n);
void data_move_long(Position *positions, const Velocity *velocities, int32_t n);

/* Some 0.4 us for an entity: a chain of square roots, each waiting for the one before. */
void data_grind(Position *positions, const Velocity *velocities, int32_t n);

static inline void data_double(float *restrict value, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        value[i] *= 2.0f;
    }
}

/* The rows on queries: archetype `a` has component c if bit c of `a` is set. These two are asked
 * for. */
#define DATA_TERMS 2
#define DATA_TERM_0 2
#define DATA_TERM_1 7

static inline int32_t data_archetype_count(int32_t a) {
    return 1 + a % 3;
}

static inline int32_t data_archetype_value(int32_t a, int32_t component) {
    return a * 16 + component;
}

/* What everything gets that a query matches is the velocity of this number. */
#define DATA_WHOLE 77

/* Marks exactly so many of n, spread at random, always the same ones; given back by free(). */
uint8_t *data_share(int32_t n, int32_t percent);

/* The row on names: bytes of the longest with its final zero, and the name of entity i. */
#define DATA_NAME_SIZE 24
void data_name(int32_t i, char text[DATA_NAME_SIZE]);

/* All n names in an order that is random and always the same; given back by free(). */
char (*data_names(int32_t n))[DATA_NAME_SIZE];

/* The rows on saved worlds: bytes of an entity's components. */
#define DATA_BODY_SIZE 64

/* The rows on change tracking: entities that change at a time. */
#define DATA_CHANGES 10000

/* The rows on sorting: gives each of n positions a random depth, and says which of two is less. */
#define DATA_SORT_SEED 0x2545f4914f6cdd1du
void data_sort_mix(Position *positions, int32_t n, uint64_t *seed);
int data_sort_compare(const void *a, const void *b, void *user);

/* Weighs what stands in a row, and which row that is. */
static inline double data_sort_weigh(int32_t row, uint32_t index, Position p, Velocity v) {
    return (double)(row % 97 + 1) * ((double)index + (double)p.x + (double)p.z + (double)v.y);
}

/* Weighs entity i's part of a result, so that swapped entities do not go unnoticed. */
static inline double data_weigh(int32_t i, Position p) {
    return ((double)p.x + (double)p.y + (double)p.z) * (double)(i % 7 + 1);
}

#endif

/* The order in which transforms are worked out: level by level, parents before their children.
 *
 * Whoever has a LocalTransform and a WorldTransform has a place in it. Those that start a tree come
 * first. The children of one parent stand side by side, and those of parents that stand side by
 * side do, too: so what is below a range of places is one range on each level. An order knows
 * entities, not rows: it holds as long as the same entities have both components and the same
 * parents, wherever their rows are. */
#ifndef STOA_BUILTIN_LEVELS_H
#define STOA_BUILTIN_LEVELS_H

#include "base/heap.h"
#include "stoa/stream.h"
#include "stoa/transform.h"

/* No place: the parent of those that start a tree. */
#define STOA__LEVELS_NONE UINT32_MAX

/* Places of a block: whether the entities of one follow each other is known. */
#define STOA__LEVELS_BLOCK 64

/* What is known of a place, on one line of memory: whoever comes to a place that was not used for
 * long needs all of it. */
typedef struct stoa__level_item {
    stoa_entity entity;
    uint32_t parent; /* its place */
    uint32_t first;  /* where its children begin; those of the next end them */
} stoa__level_item;

typedef struct stoa__levels {
    uint32_t count;
    stoa__level_item *items; /* by place, and one past the last */
    uint32_t *places;        /* by index of an entity; right only if `items` agrees */
    uint64_t *even;          /* bits by block: of one generation, each with the next index */
    uint32_t capacity;       /* of the first */
    uint32_t place_capacity;
    uint32_t even_capacity;
} stoa__levels;

/* What building an order needs and nobody after it. `slots` number the rows as a query has them. */
typedef struct stoa__levels_scratch {
    stoa_entity *entities; /* by slot */
    uint32_t *parents;     /* by slot: the parent's slot */
    uint32_t *begins;      /* by slot, and one past the last: its children in `children` */
    uint32_t *children;    /* slots, by parent */
    uint32_t *slots;       /* by place */
    uint32_t capacity, parent_capacity, begin_capacity, child_capacity, slot_capacity;
} stoa__levels_scratch;

/* The query's terms, in this order: LocalTransform, WorldTransform, Parent where there is one. */
enum { STOA__LEVELS_LOCAL, STOA__LEVELS_WORLD, STOA__LEVELS_PARENT };

void stoa__levels_fini(stoa__levels *order, stoa__heap *heap);
void stoa__levels_scratch_fini(stoa__levels_scratch *scratch, stoa__heap *heap);

/* Builds the order of the entities that a query matches; false, and an order of nobody, on lack of
 * memory. O(entities). */
bool stoa__levels_build(stoa__levels *order, stoa__levels_scratch *scratch, stoa__heap *heap,
                        stoa_query *query);

/* Writes an order as it is in memory; takes it back. The error is set, not reported; after one it
 * is an order of nobody. */
stoa_status stoa__levels_save(const stoa__levels *order, const stoa_sink *sink);
stoa_status stoa__levels_load(stoa__levels *order, stoa__heap *heap, const void *bytes,
                              size_t size);

/* The place of an entity, or STOA__LEVELS_NONE. */
static inline uint32_t stoa__levels_find(const stoa__levels *order, stoa_entity e) {
    uint32_t place = e.index < order->place_capacity ? order->places[e.index] : order->count;
    return place < order->count && stoa_entity_eq(order->items[place].entity, e)
               ? place
               : STOA__LEVELS_NONE;
}

/* The entity at a place, STOA_NULL for STOA__LEVELS_NONE. */
static inline stoa_entity stoa__levels_at(const stoa__levels *order, uint32_t place) {
    return place != STOA__LEVELS_NONE ? order->items[place].entity : STOA_NULL;
}

/* True if the entities of the block of a place follow each other: those from there to its end are
 * known by the first. */
static inline bool stoa__levels_even(const stoa__levels *order, uint32_t place) {
    uint32_t block = place / STOA__LEVELS_BLOCK;
    return (order->even[block / 64] >> block % 64 & 1) != 0;
}

/* STOA_OK, or STOA_CORRUPT set by stoa__error. */
stoa_status stoa__levels_check(const stoa__levels *order);

#endif

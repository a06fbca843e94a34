/* Runs: rows that stand side by side in the order of places, as those of their parents do.
 *
 * Matrices are worked out run by run. Where the rows of places are is found by the entities, and
 * that takes as much time as a third of the work. So a world that does not change keeps a list of
 * all its runs. */
#ifndef STOA_BUILTIN_RUNS_H
#define STOA_BUILTIN_RUNS_H

#include "builtin/levels.h"

/* The part of a record's place that is the row in its chunk. */
#define STOA__ROW_MASK ((1u << STOA_PLACE_BITS) - 1)

typedef struct stoa__run {
    const Mat4 *local;
    Mat4 *world;
    uint8_t *column;  /* that `world` is in */
    const Mat4 *from; /* the world matrix of the first parent; NULL: they have none */
    const stoa__level_item *parents; /* the first one: they tell where the children of each begin */
    uint32_t place;                  /* of the first row */
    uint32_t count;
} stoa__run;

/* The columns of the chunk that was last used. */
typedef struct stoa__chunk_view {
    const stoa_archetype_head *archetype; /* whose chunk it is, NULL: none */
    uint32_t number;                      /* in the world */
    uint32_t index;                       /* in the archetype, or STOA__VIEW_UNKNOWN */
    uint32_t count;                       /* rows */
    const stoa_entity *entities;
    const Mat4 *locals;
    Mat4 *worlds;
} stoa__chunk_view;

/* The index of a chunk that came out of turn. */
#define STOA__VIEW_UNKNOWN UINT32_MAX

/* Where an archetype keeps the two transforms: indexes of its chunks' columns. */
typedef struct stoa__transform_layout {
    const stoa_archetype_head *archetype; /* NULL: none */
    uint32_t local, global;
} stoa__transform_layout;

/* Looks for the rows of places; made with the first four alone. */
typedef struct stoa__finder {
    const stoa_world_head *world;
    const stoa__levels *order;
    stoa_component local, global;  /* LocalTransform and WorldTransform */
    stoa__transform_layout layout; /* of the archetype that was last met */
    stoa__chunk_view own;          /* of those that are worked out */
    stoa__chunk_view above;        /* of their parents */
    uint32_t row, known;           /* from the next place on: rows that stand side by side */
} stoa__finder;

/* The run that begins at a place and ends before another, or sooner. If it is not the place where
 * the last one ended, `known` has to be 0. */
stoa__run stoa__finder_next(stoa__finder *finder, uint32_t begin, uint32_t end);

/* Where an archetype keeps the two transforms. */
stoa__transform_layout stoa__finder_layout(stoa__finder *finder,
                                           const stoa_archetype_head *archetype);

/* Places of a block as a power of two: it is known which run one begins in. */
#define STOA__RUNS_BLOCK 6

/* The runs of all places, as long as rows are where they were. */
typedef struct stoa__runs {
    stoa__run *items;
    uint32_t *blocks; /* by block of places: the run that its first place is in */
    uint32_t count;   /* 0: not known */
    uint32_t capacity;
    uint32_t block_capacity;
    uint64_t version; /* of the query that finds the rows, when they were last looked at */
    uint64_t order;   /* and of the order */
    uint64_t worked;  /* places that were worked out since */
} stoa__runs;

void stoa__runs_fini(stoa__runs *runs, stoa__heap *heap);

/* Forgets the runs unless rows and order are still those of these versions; or, if as much was
 * worked out meanwhile as there is, looks for all of them once. Then `places` more are going to be
 * worked out. Without memory, or if runs are short, it goes on without. */
void stoa__runs_renew(stoa__runs *runs, stoa__heap *heap, stoa__finder finder, uint64_t version,
                      uint64_t order, uint64_t places);

/* Forgets the runs. */
void stoa__runs_forget(stoa__runs *runs);

/* The run that the block of a place begins in. */
static inline const stoa__run *stoa__runs_near(const stoa__runs *runs, uint32_t place) {
    return &runs->items[runs->blocks[place >> STOA__RUNS_BLOCK]];
}

/* The run that a place is in. O(runs of its block). */
static inline const stoa__run *stoa__runs_find(const stoa__runs *runs, uint32_t place) {
    const stoa__run *run = stoa__runs_near(runs, place);
    while (place - run->place >= run->count) {
        run++;
    }
    return run;
}

/* The part of a run from one place on, which is in it, and before another. */
stoa__run stoa__run_part(const stoa__run *run, const stoa__levels *order, uint32_t begin,
                         uint32_t end);

/* STOA_OK, or STOA_CORRUPT set by stoa__error: runs that are known lead to the rows of their
 * places. */
stoa_status stoa__runs_check(const stoa__runs *runs, stoa__finder finder);

#endif

/* Propagating transforms, as its two files see it: what a world keeps, and the plan of one call. */
#ifndef STOA_BUILTIN_TRANSFORM_H
#define STOA_BUILTIN_TRANSFORM_H

#include "builtin/spread.h"

/* Kinds of hooks. */
#define STOA__TRANSFORM_HOOKS 3

/* No version of rows: any may have come since. */
#define STOA__TRANSFORMS_UNSEEN UINT64_MAX

typedef struct stoa__transforms {
    stoa__heap heap; /* on the world's allocator */
    stoa_query *query;
    stoa_component local, global;
    stoa__levels order;                     /* of the last call */
    stoa__levels next;                      /* of a call under way, if it needs another one */
    stoa__levels_scratch scratch;           /* for building it */
    stoa__runs runs;                        /* of the order */
    uint32_t since;                         /* the tick of the last call */
    uint64_t seen;                          /* the version of the query's rows then */
    uint64_t version;                       /* moves on whenever the order is another one */
    uint64_t calls;                         /* moves on whenever `since` or `moved` may */
    bool whole;                             /* the world has both extensions */
    bool moved;                             /* somebody was given a parent since, or lost it */
    stoa_hook hooks[STOA__TRANSFORM_HOOKS]; /* that tell so */
    uint64_t *marks;                        /* bits by place, all 0 between calls */
    stoa__range *ranges;                    /* to begin with, in order of places */
    stoa__range *below; /* a ring of ranges that others lead to, in order of places */
    uint32_t mark_capacity, range_capacity, below_capacity;
} stoa__transforms;

/* Where a call is to begin. */
typedef struct stoa__transform_plan {
    const stoa__levels *order;
    uint32_t marked; /* places */
    uint32_t first;  /* of these */
    uint32_t last;
    uint32_t ranges; /* to begin with */
    uint64_t total;  /* places that will be worked out */
} stoa__transform_plan;

/* Finds what is to be done. On an error, which is set and not reported, nothing is kept. */
stoa_status stoa__transforms_plan(stoa__transforms *t, stoa__transform_plan *p);

#endif

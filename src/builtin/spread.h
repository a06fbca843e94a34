/* Working out transforms: the parent's world times the local one, from given places downwards. */
#ifndef STOA_BUILTIN_SPREAD_H
#define STOA_BUILTIN_SPREAD_H

#include "builtin/runs.h"
#include "os/thread.h"

/* Places of an order that stand side by side. */
typedef struct stoa__range {
    uint32_t begin, end;
} stoa__range;

/* Places that are worth a thread of their own, together with what is below them. */
#define STOA__SPREAD_GRAIN 512

/* Ranges that lanes may have ready for each other. */
#define STOA__SPREAD_READY 256

/* Work that lanes share. Of the ranges none has a place that is below one of another or its own. */
typedef struct stoa__spread {
    const stoa__levels *order;
    const stoa_world_head *world;
    stoa_component local, global; /* LocalTransform and WorldTransform */
    const stoa__runs *runs;       /* of all places, if they are known */
    const stoa__range *ranges;    /* where to begin; their parents are as they should be */
    uint32_t count;

    /* Of the lanes; behind the mutex. */
    uint32_t lanes; /* how many there are */
    stoa__mutex mutex;
    stoa__condition condition; /* lanes that wait sleep there */
    uint32_t waiting;
    uint32_t next;        /* of `ranges`, to be begun */
    uint32_t busy;        /* lanes that may yet make something ready */
    uint32_t ready_count; /* of the next */
    stoa__range *ready;   /* to be gone on with; room for STOA__SPREAD_READY */
} stoa__spread;

/* What finds the rows of the order. */
static inline stoa__finder stoa__spread_finder(const stoa__spread *spread) {
    return (stoa__finder){.world = spread->world,
                          .order = spread->order,
                          .local = spread->local,
                          .global = spread->global};
}

/* Does the work with so many lanes of a pool, which may be NULL for one. On an error nothing was
 * done. */
stoa_status stoa__spread_run(stoa__spread *spread, stoa_pool *pool, int32_t lanes);

#endif

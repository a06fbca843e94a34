/* A world's content that is being put together, as the files of it see it. */
#ifndef STOA_WORLD_REBUILD_H
#define STOA_WORLD_REBUILD_H

#include "stoa/rebuild.h"
#include "stoa/sort.h"
#include "storage/archetype.h"
#include "storage/sparse.h"
#include "world/world.h"

/* The entity table that the world had. */
typedef struct stoa__table_before {
    stoa_record *records;
    uint32_t capacity;
    uint32_t count;
    uint32_t free_first;
    uint32_t free_count;
    uint32_t retired_count;
} stoa__table_before;

struct stoa_rebuild {
    stoa_world *world;
    stoa__heap heap;            /* of this struct and its lists, on the world's allocator */
    stoa__archetype *archetype; /* that was added last, or NULL */
    stoa__sparse *set;          /* that was added last, if that came later; or NULL */
    uint32_t *made;             /* by lane of the archetype: values that are made; [0] for a set */
    uint32_t made_capacity;
    stoa__archetype **before; /* the archetypes that the world had, in order */
    uint32_t before_count;
    uint32_t before_capacity;
    stoa__table_before table;
    uint32_t tick_before;
    stoa_copy_function copy; /* for handles; NULL: memcpy */
    void *copy_user;
    uint32_t tick; /* that was set, if `old` */
    bool shown;    /* the world can be used, though it can still go back */
    bool old;      /* rows are as old as can be unless told */
};

/* STOA_OK if every slot can be what it is said to be, and the free list has each that is free once;
 * the thread's error is set. */
stoa_status stoa__rebuild_slots_check(stoa_rebuild *rebuild, const stoa_slots *slots);

/* STOA_OK if what was added last is whole, so that something else can be added; the thread's error
 * is set. */
stoa_status stoa__rebuild_next(stoa_rebuild *rebuild);

/* Sets the ticks of rows of one chunk, from a slot on. */
void stoa__rebuild_row_ticks(const stoa__archetype *archetype, stoa_component id,
                             uint8_t *const *columns, int32_t slot, int32_t count,
                             const stoa_column_state *ticks);

#endif

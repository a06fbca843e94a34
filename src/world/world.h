/* The world, as the files of world and query see it. */
#ifndef STOA_WORLD_WORLD_H
#define STOA_WORLD_WORLD_H

#include "base/inline.h"
#include "storage/storage.h"

/* What the query layer brings to a world that has met a query. */
typedef struct stoa__query_ops {
    void (*free_all)(stoa_world *world);
    const char *(*open_name)(const stoa_world *world); /* a query that is being iterated */
    stoa_status (*check)(const stoa_world *world);
    size_t (*bytes)(const stoa_world *world); /* that queries hold of the heap */
} stoa__query_ops;

/* Components in a bundle that is remembered, at most. */
#define STOA__BUNDLE_SHORT 8
/* Bundles remembered, a power of two. */
#define STOA__BUNDLES 16

/* A bundle of described types that entities were created with, and where its values go, in the
 * order they were named. Slots are never used twice, so what is remembered stays true. */
typedef struct stoa__bundle {
    stoa__edge *edge;
    stoa__archetype *target; /* where the edge leads */
    int32_t count;           /* 0: nothing remembered */
    bool words;              /* plain components of up to four words */
    uint32_t epoch;          /* of the storage, when offsets were read */
    uint32_t slots[STOA__BUNDLE_SHORT];
    stoa__put puts[STOA__BUNDLE_SHORT];
} stoa__bundle;

struct stoa_world {
    stoa__storage storage; /* must be first: its head is what the fast paths read */
    uint32_t query_count;
    struct stoa_query *queries; /* all that live, youngest first */
    const stoa__query_ops *query_ops;
    stoa_archetype_head empties; /* entities without components, as queries see them */
    stoa_chunk empties_chunk;    /* their one chunk: a list */
    uint32_t empties_open;       /* iterations that need the list; it is gone with the last */
    stoa_handler on_assert;
    stoa_handler on_error;
    stoa__bundle bundles[STOA__BUNDLES];
};

/* Where a bundle is remembered that starts with `type`. */
STOA__INLINE stoa__bundle *stoa__bundle_at(const stoa_world *world, const stoa_type *type,
                                           int32_t count) {
    uint32_t at = STOA_LOAD(&type->slot) + 5 * (uint32_t)count;
    return (stoa__bundle *)(uintptr_t)&world->bundles[at & (STOA__BUNDLES - 1)];
}

/* Hands a failure that is the thread's last error to the world's handlers; returns `status`. Quiet
 * for STOA_OK. */
stoa_status stoa__world_report(const stoa_world *world, stoa_status status);

/* Fails for a null argument; `what` names it. */
stoa_status stoa__world_null(const stoa_world *world, const char *what);

/* Fails for a dead handle. */
stoa_status stoa__world_dead(const stoa_world *world, stoa_entity e);

/* Fails since an iteration is open; names its query. */
stoa_status stoa__world_iterating(const stoa_world *world);

/* Fails for an id the world did not give out. */
stoa_status stoa__world_unknown(const stoa_world *world, stoa_component id);

/* Fails for a component that an entity does not have. */
stoa_status stoa__world_missing(const stoa_world *world, stoa_entity e, const char *name);

/* STOA_OK if the world is there and may change its structure now; otherwise reported. */
static inline stoa_status stoa__world_may_change(const stoa_world *world) {
    if (STOA_LIKELY(world != NULL && world->storage.head.open == 0)) {
        return STOA_OK;
    }
    return world == NULL ? stoa__world_null(NULL, "world") : stoa__world_iterating(world);
}

#endif

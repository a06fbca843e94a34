/* The world, as the files of world and query see it. */
#ifndef STOA_WORLD_WORLD_H
#define STOA_WORLD_WORLD_H

#include "base/inline.h"
#include "stoa/extension.h"
#include "stoa/frames.h"
#include "storage/storage.h"
#include "world/commands.h"
#include "world/event.h"
#include "world/hook.h"
#include "world/log.h"
#include "world/resource.h"

/* In head.open, beside the number of iterations: hooks are running. */
#define STOA__OPEN_HOOK 0x80000000u
/* Command buffers are being filled by threads. */
#define STOA__OPEN_FORK STOA_OPEN_FORKED
/* The world is being freed. */
#define STOA__OPEN_FREE 0x20000000u
/* A veto is being asked. */
#define STOA__OPEN_ASK STOA_OPEN_ASKED
/* The structure is held; see stoa_hold. */
#define STOA__OPEN_HELD 0x04000000u
/* The world is sealed. */
#define STOA__OPEN_SEAL STOA_OPEN_SEALED
/* The number of iterations. */
#define STOA__OPEN_ITER STOA_OPEN_ITERATIONS

/* When a query ran last. */
typedef struct stoa__run_note {
    uint64_t id;
    uint32_t last_run;
    bool ran;
} stoa__run_note;

/* What the query layer brings to a world that has met a query. */
typedef struct stoa__query_ops {
    void (*free_all)(stoa_world *world);
    const char *(*open_name)(const stoa_world *world); /* a query that is being iterated */
    stoa_status (*check)(const stoa_world *world);
    size_t (*bytes)(const stoa_world *world); /* that queries hold of the heap */
    void (*sweep)(stoa_world *world, uint32_t tick, uint32_t age); /* clamps last runs */
    /* Tells observers, before a change, of an entity that will cease to match. */
    void (*leave)(stoa_world *world, stoa_entity e, const stoa__delta *delta);
    /* Tells observers, after a change, of an entity that now matches. */
    void (*enter)(stoa_world *world, stoa_entity e, const stoa__delta *delta);
    /* Takes the observer of that id away; STOA_NOT_FOUND, set but not reported, if there is none.
     */
    stoa_status (*observer_remove)(stoa_world *world, uint32_t id);
    /* Lets queries that write know that the world was sealed, or is not any more. Before it is,
     * `shared` tells whether threads may come to iterate one of them. */
    void (*seal)(stoa_world *world);
    bool (*shared)(const stoa_world *world);
    /* Takes observers away that lead into code; nothing runs. */
    void (*forget)(stoa_world *world, const stoa_code *code);
    /* Notes when queries ran last, `query_count` of them, the youngest first; takes that back,
     * where queries without a note have never run. */
    void (*runs_save)(const stoa_world *world, stoa__run_note *notes);
    void (*runs_load)(stoa_world *world, const stoa__run_note *notes, uint32_t count);
} stoa__query_ops;

/* Components in a bundle that is remembered, at most. */
#define STOA__BUNDLE_SHORT 8

/* A bundle of described types that entities were created with, and where its values go, in the
 * order they were named. Slots are never used twice, so what is remembered stays true. What
 * stoa_create_with has to know of it is in the storage, under the same number. */
typedef struct stoa__bundle {
    stoa__edge *edge;
    int32_t count;  /* 0: nothing remembered */
    uint32_t epoch; /* of the storage, when the puts were read */
    uint32_t slots[STOA__BUNDLE_SHORT];
    stoa__put puts[STOA__BUNDLE_SHORT];
} stoa__bundle;

/* Types remembered, a power of two. */
#define STOA__TYPES 32
/* Ways of putting them remembered, and of taking them away; a power of two. */
#define STOA__WAYS 16u

/* What a described type is in this world. It is found by where the descriptor is and only then
 * compared with its slot: the processor need not wait for the slot to know where a value will go.
 * Slots are never used twice, so what is remembered stays true; what can change is compared, too.
 */
typedef struct stoa__type_hop {
    _Alignas(STOA__LINE) uint32_t slot;  /* STOA__NONE: nothing remembered */
    stoa_component id;                   /* of the component */
    struct stoa__sparse *set;            /* of a sparse component, else NULL */
    stoa__channel *channel;              /* of its events, or NULL */
    const stoa_archetype_head *switched; /* where it was switched last, or NULL */
    uint32_t version;                    /* of that archetype, when this was noted */
    uint32_t off_at;                     /* the index there of what is off */
    uint32_t column_at;                  /* and of the column */
} stoa__type_hop;

struct stoa_world {
    stoa__storage storage; /* must be first: its head is what the fast paths read */
    uint32_t query_count;
    uint32_t swept;             /* the tick of the last sweep */
    uint64_t query_last;        /* the id that was given last */
    struct stoa_query *queries; /* all that live, youngest first */
    const stoa__query_ops *query_ops;
    struct stoa__observer *observers; /* all that live, in the order they were added */
    stoa__hooks hooks;
    stoa__log log;
    stoa__events events;
    stoa__resources resources;
    stoa__buffers buffers;
    stoa_extension *extensions; /* in the order they were given */
    uint32_t extension_count;
    uint32_t extension_capacity;
    uint32_t pins;                /* by those who run functions that must not free it */
    stoa_frames *frames;          /* all rings of frames, the youngest first */
    uint32_t empties_open;        /* iterations that need the list; it is gone with the last */
    const char *held;             /* what the world is doing while its structure is held, or NULL */
    size_t scratch;               /* bytes of the heap that calls under way hold */
    stoa_archetype_front empties; /* entities without components, as queries see them */
    stoa_chunk empties_chunk;     /* their one chunk: a list */
    stoa_handler on_assert;
    stoa_handler on_error;
    stoa__bundle bundles[STOA_BUNDLES];
    stoa__type_hop types[STOA__TYPES];
    stoa__way puts[STOA__WAYS];  /* how the components of types were put last */
    stoa__way drops[STOA__WAYS]; /* and taken away */
};

/* Forgets all bundles. */
STOA__INLINE void stoa__bundles_clear(stoa_world *world) {
    memset(world->bundles, 0, sizeof world->bundles);
    memset(world->storage.bundles, 0, sizeof world->storage.bundles);
}

/* STOA_CORRUPT if stoa_create_with would make something else of a bundle than a call does. */
stoa_status stoa__bundles_check(const stoa_world *world);

/* Where a type is remembered in an array of a power of two of elements, in bytes from the first one
 * on: what is remembered of one takes a power of two of cache lines. */
#define STOA__TYPE_AT(type, array) ((uintptr_t)(type) & (sizeof(array) - sizeof((array)[0])))

_Static_assert(2 * STOA__WAYS == STOA__TALLIES, "each way has a tally");
_Static_assert((sizeof(stoa__way) & (sizeof(stoa__way) - 1)) == 0, "ways are found by a mask");
_Static_assert((sizeof(stoa__type_hop) & (sizeof(stoa__type_hop) - 1)) == 0,
               "types are found by a mask");

/* Where a type is remembered. */
STOA__INLINE stoa__type_hop *stoa__type_hop_at(const stoa_world *world, const stoa_type *type) {
    return (stoa__type_hop *)((uintptr_t)world->types + STOA__TYPE_AT(type, world->types));
}

/* Where the way of putting it is remembered, or of taking it away. */
STOA__INLINE stoa__way *stoa__type_put_at(const stoa_world *world, const stoa_type *type) {
    return (stoa__way *)((uintptr_t)world->puts + STOA__TYPE_AT(type, world->puts));
}
STOA__INLINE stoa__way *stoa__type_drop_at(const stoa_world *world, const stoa_type *type) {
    return (stoa__way *)((uintptr_t)world->drops + STOA__TYPE_AT(type, world->drops));
}

/* What is remembered of a type, or NULL; neither need be there. */
STOA__INLINE const stoa__type_hop *stoa__type_hop_find(const stoa_world *world,
                                                       const stoa_type *type) {
    if (!STOA_LIKELY(world != NULL && type != NULL)) {
        return NULL;
    }
    const stoa__type_hop *hop = stoa__type_hop_at(world, type);
    return STOA_LIKELY(hop->slot == STOA_LOAD(&type->slot)) ? hop : NULL;
}

/* Remembers a type that the world knows; NULL while there may be other threads. */
stoa__type_hop *stoa__type_remember(stoa_world *world, const stoa_type *type, stoa_component id);

/* The id of a described type, registered and set up if need be; 0 with the thread's error set. Not
 * while threads may read the tables of components. */
stoa_component stoa__world_type(stoa_world *world, stoa_type *type);

/* Hands a failure that is the thread's last error to the world's handlers; returns `status`. Quiet
 * for STOA_OK. */
stoa_status stoa__world_report(const stoa_world *world, stoa_status status);

/* Fails for a null argument; `what` names it. */
stoa_status stoa__world_null(const stoa_world *world, const char *what);

/* Fails for a dead handle. */
stoa_status stoa__world_dead(const stoa_world *world, stoa_entity e);

/* Fails since an iteration is open; names its query. */
stoa_status stoa__world_iterating(const stoa_world *world);

/* Fails since the world is sealed. */
stoa_status stoa__world_read_only(const stoa_world *world);

/* Fails for an id the world did not give out. */
stoa_status stoa__world_unknown(const stoa_world *world, stoa_component id);

/* STOA_OK if the world is there and knows the id; otherwise reported. */
STOA__INLINE stoa_status stoa__world_knows(const stoa_world *world, stoa_component id) {
    if (STOA_LIKELY(world != NULL && stoa__component_known(&world->storage, id))) {
        return STOA_OK;
    }
    return world == NULL ? stoa__world_null(NULL, "world") : stoa__world_unknown(world, id);
}

/* Fails for a component that an entity does not have. */
stoa_status stoa__world_missing(const stoa_world *world, stoa_entity e, const char *name);

/* Why the structure cannot change, reported; STOA_OK if it can, since only hooks are running. */
stoa_status stoa__world_blocked(const stoa_world *world);

/* The same for what changes no structure but cannot be done meanwhile: that the world is sealed
 * does not matter. */
stoa_status stoa__world_busy(const stoa_world *world);

/* Why an entity's structure cannot change, reported; STOA_OK if it can, since only hooks of others
 * are running. */
stoa_status stoa__world_entity_blocked(const stoa_world *world, stoa_entity e);

/* STOA_OK if the world is there and may change its structure now; otherwise reported. */
static inline stoa_status stoa__world_may_change(const stoa_world *world) {
    if (STOA_LIKELY(world != NULL && world->storage.head.open == 0)) {
        return STOA_OK;
    }
    return world == NULL ? stoa__world_null(NULL, "world") : stoa__world_blocked(world);
}

/* The same for what one entity has. */
static inline stoa_status stoa__world_may_touch(const stoa_world *world, stoa_entity e) {
    return STOA_LIKELY(world->storage.head.open == 0) ? STOA_OK
                                                      : stoa__world_entity_blocked(world, e);
}

/* The value of a live entity's component, column or sparse, or NULL; `id` must be known. Marks
 * nothing. Points at something even for a tag. */
void *stoa__world_value(const stoa_world *world, stoa_entity e, stoa_component id);

/* True if a live entity has the component and it is not switched off; `id` must be known. */
bool stoa__world_enabled(const stoa_world *world, stoa_entity e, stoa_component id);

/* stoa__world_may_touch for a component that an extension keeps: hooks of the entity do not matter
 * unless it is losing that, or all it has. */
stoa_status stoa__world_may_keep(const stoa_world *world, stoa_entity e, stoa_component id);

/* Brings a slot that a command buffer holds (see stoa__entities_hold) to life with a bundle, as
 * stoa_create_values would. Reported. On an error the slot is held as before. */
stoa_status stoa__world_birth(stoa_world *world, stoa_entity e, const stoa_value *values,
                              int32_t count);

/* Moves an entity's row to the end of its archetype, as leaving it and coming back would. Needs
 * memory only for components with a move hook; the thread's error is set, not reported. */
stoa_status stoa__world_requeue(stoa_world *world, stoa_entity e);

/* What archetypes and edges know of hooks, observers and the log is read anew. */
void stoa__world_rewatch(stoa_world *world);

/* Memory that a call holds while others are told of what it does, so that a check inside of them
 * finds every byte accounted for; NULL on lack of it. A count of 0 is a mistake of the caller's. */
void *stoa__world_scratch(stoa_world *world, size_t count, size_t size);

/* Gives back what stoa__world_scratch gave; NULL is fine. */
void stoa__world_scratch_free(stoa_world *world, void *items, size_t count, size_t size);

/* Locks an entity while something of it is told: what it has cannot change until the unlock. Needs
 * the room that stoa__hook_room found. Locks nest. */
STOA__INLINE void stoa__hook_lock(stoa_world *world, stoa_entity e) {
    world->hooks.locked[world->hooks.depth++] = e;
    world->storage.head.open |= STOA__OPEN_HOOK;
}

STOA__INLINE void stoa__hook_unlock(stoa_world *world) {
    stoa__hooks *hooks = &world->hooks;
    if (hooks->depth == 1) {
        if (!STOA_LIKELY(!hooks->stale)) {
            stoa__hook_purge(world);
        }
        world->storage.head.open &= ~STOA__OPEN_HOOK;
    }
    hooks->depth--;
}

/* stoa__hook_lock while nothing is under way. `open` is written together with the epoch, as the
 * next change reads them: a processor is slow to read more than was written just before. */
STOA__INLINE void stoa__hook_lock_first(stoa_world *world, stoa_entity e) {
    world->hooks.locked[0] = e;
    world->hooks.depth = 1;
    stoa__gate_write(&world->storage,
                     stoa__gate_now(&world->storage) + stoa__gate_at(STOA__OPEN_HOOK, 0));
}

/* Ends what stoa__hook_lock_first began; iterations may have been opened since. */
STOA__INLINE void stoa__hook_unlock_first(stoa_world *world) {
    if (!STOA_LIKELY(!world->hooks.stale)) {
        stoa__hook_purge(world);
    }
    stoa__gate_write(&world->storage,
                     stoa__gate_now(&world->storage) - stoa__gate_at(STOA__OPEN_HOOK, 0));
    world->hooks.depth = 0;
}

/* Frees the extensions, the youngest first. */
void stoa__extension_free_all(stoa_world *world);

/* STOA_CORRUPT if an extension is not whole; the thread's error is set, not reported. */
stoa_status stoa__extension_check(const stoa_world *world);

/* Bytes that the list of extensions holds of the heap, and those that they hold themselves. */
size_t stoa__extension_bytes(const stoa_world *world);
size_t stoa__extension_held(const stoa_world *world);

/* Tells extensions of a change that failed after vetoes were asked; reports and returns the status.
 */
stoa_status stoa__extension_unmade(stoa_world *world, stoa_status status);

/* Drops all frames that rings keep of the world: what they hold is about to change its form. */
void stoa__frames_clear_all(stoa_world *world);

/* Moves the tick on by `steps`, sweeping as so many single steps would. */
void stoa__world_tick_step(stoa_world *world, uint32_t steps);

#endif

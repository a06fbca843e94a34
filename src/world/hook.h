/* Hooks, as the files that change entities see them. */
#ifndef STOA_WORLD_HOOK_H
#define STOA_WORLD_HOOK_H

#include "stoa/code.h"
#include "stoa/hook.h"
#include "storage/storage.h"

/* In the id of an observer, which hooks do not have. */
#define STOA__HOOK_OBSERVER 0x80000000u
/* The last id without that bit. */
#define STOA__HOOK_ID_MAX 0x7FFFFFFFu

/* One hook. Hooks of a world form one list in the order they were added, and those of one component
 * and kind form a ring. */
typedef struct stoa__hook {
    struct stoa__hook *next;
    struct stoa__hook *previous;
    struct stoa__hook *ring; /* the next of its component and kind, the first after the last */
    union {
        stoa_hook_fn call;
        stoa_veto_fn ask; /* of a veto */
    };
    void *user;
    void (*user_free)(void *user);
    stoa_component component;
    uint32_t id;
    uint32_t kind; /* of stoa_hook_kind, or STOA__HOOK_VETO and on */
    bool removed;  /* not to be called, freed when nothing runs */
} stoa__hook;

/* The hooks of a world, and the entities whose hooks are running. */
typedef struct stoa__hooks {
    stoa__hook *first;
    stoa__hook *last;
    uint32_t count;          /* not yet freed */
    uint32_t observer_count; /* the same, of observers */
    uint32_t id_last;        /* ids given out, of hooks and observers */
    uint32_t depth;          /* entities that are locked, one change inside the other */
    uint64_t dying;          /* bit i: locked[i] is losing all it has; 0 from `depth` on */
    bool refused;            /* the last change that nothing told of was refused by a veto */
    bool stale;              /* some, or observers, are removed but still listed, since one was
                                running */
    void (*observers_purge)(stoa_world *world); /* frees observers of which that is true, else NULL
                                                 */
    stoa_entity locked[STOA_HOOK_DEPTH];
    const struct stoa__delta *told; /* what is being told of, the innermost, or NULL */
} stoa__hooks;

/* What a change does to what an entity has, as far as queries can tell: a component that is
 * switched off counts as absent. */
typedef struct stoa__delta {
    const stoa_component *added;
    const stoa_component *removed;
    uint32_t added_count;
    uint32_t removed_count;
    bool born;                         /* the entity did not exist before */
    bool dies;                         /* it will not exist after */
    bool made;                         /* it is being told after it was made; else before */
    const struct stoa__effect *effect; /* all that it does, or NULL */
    stoa_entity entity;                /* whose change it is, while it is being told */
    const struct stoa__delta *below;   /* what is being told of further out, or NULL */
    const struct stoa__delta *outer;   /* of those, the innermost of the same entity, or NULL */
} stoa__delta;

/* Calls hooks of one ring for a component that the entity has, which must be locked: those from the
 * one after `hook` on, up to `last`. */
void stoa__hook_fire(stoa_world *world, stoa_entity e, const stoa__component *component,
                     const stoa__hook *hook, const stoa__hook *last);

/* Frees the hooks and observers that were removed while something ran; the entity of the outermost
 * change is still locked. */
void stoa__hook_purge(stoa_world *world);

/* STOA_LOCKED, reported, if a hook of the entity is running; STOA_OK otherwise. */
stoa_status stoa__hook_locked(const stoa_world *world, stoa_entity e);

/* The same for a component that an extension keeps: locked is only an entity that is losing all it
 * has, or that very component. */
stoa_status stoa__hook_losing(const stoa_world *world, stoa_entity e, stoa_component id);

/* STOA_LIMIT, with the thread's error set, if hooks cannot go deeper; STOA_OK otherwise. */
stoa_status stoa__hook_room(const stoa_world *world);

/* STOA_OK if hooks and observers can be added, or a log begun, now; otherwise reported. */
stoa_status stoa__hook_may_alter(const stoa_world *world);

/* Observers or the log have come or gone: the storage is told whether all changes are watched. */
void stoa__hook_watch_update(stoa_world *world);

/* Takes hooks and vetoes away that lead into code; nothing runs. */
void stoa__hook_forget(stoa_world *world, const stoa_code *code);

/* Frees all hooks. */
void stoa__hook_free_all(stoa_world *world);

/* STOA_CORRUPT unless all lists agree. */
stoa_status stoa__hook_check(const stoa_world *world);

/* Bytes that hooks hold of the heap. */
size_t stoa__hook_bytes(const stoa_world *world);

#endif

/* Giving components other descriptions while the world lives: see stoa/retype.h.
 *
 * The other side is built beside what is there and then changes places with it; doing that twice
 * brings everything back. */
#ifndef STOA_STORAGE_RETYPE_H
#define STOA_STORAGE_RETYPE_H

#include "stoa/retype.h"
#include "storage/sparse.h"

/* A component that gets another description. */
typedef struct stoa__draft {
    stoa_component id;
    stoa__component *other; /* the description that is not in force */
    bool layout;            /* values are of another form; else only functions differ */
    bool same;              /* both have the same members in the same places */
    stoa_component_info before;
    stoa_component_info after;
    stoa__sparse set; /* room for its values, if it is sparse */
    bool set_made;
} stoa__draft;

/* An archetype that is listed, and the one that takes its place. */
typedef struct stoa__twins {
    stoa__archetype *live;
    stoa__archetype *twin;
} stoa__twins;

typedef struct stoa__redraft {
    stoa__storage *storage;
    stoa__draft *drafts;
    stoa__twins *twins;
    uint32_t draft_count;
    uint32_t draft_capacity;
    uint32_t twin_count;
    uint32_t twin_capacity;
    uint32_t component_count; /* that there were before */
    bool shown;               /* the descriptions of after are in force */
    bool swapped;             /* the values, too */
} stoa__redraft;

/* Called with values of a component as they were, and room for, or values of, what they will be. */
typedef stoa_status (*stoa__draft_fn)(void *user, stoa__draft *draft, void *before, void *after,
                                      int32_t count);

/* Takes a type in: registers it if its name is new, and drafts it if it differs from what is
 * registered; refused unless it is `own`. `*drafted` tells that there is a new draft. The thread's
 * error is set. */
stoa_status stoa__redraft_add(stoa__redraft *r, stoa_type *type, bool own, bool *drafted);

/* The draft of a component, or NULL. */
stoa__draft *stoa__redraft_find(const stoa__redraft *r, stoa_component id);

/* Puts the descriptions of after in force, or those of before, with no values changed: for a look.
 */
void stoa__redraft_show(stoa__redraft *r, bool after);

/* STOA_OK unless components that are not drafted have drafted ones inside. The thread's error is
 * set. */
stoa_status stoa__redraft_inside(const stoa__redraft *r);

/* Makes room for values of another form. The thread's error is set. */
stoa_status stoa__redraft_room(stoa__redraft *r);

/* Calls for all values of components whose layout differs, always in the same order. */
stoa_status stoa__redraft_visit(stoa__redraft *r, stoa__draft_fn call, void *user);

/* Shows the values that entities are about to get of a component of another layout. */
stoa_status stoa__redraft_each(const stoa__redraft *r, const stoa__draft *draft,
                               stoa_retype_fn call, void *user);

/* Puts the other side in force: descriptions and values. Cannot fail. */
void stoa__redraft_swap(stoa__redraft *r);

/* Frees the side that is not in force; its values must have been dropped. */
void stoa__redraft_fini(stoa__redraft *r);

#endif

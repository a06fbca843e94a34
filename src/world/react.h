/* Telling of a change: what it does to an entity, and who is told in which order.
 *
 * Before the change: observers that the entity leaves, on_remove hooks. After it: the log, on_add
 * and on_set hooks in the order the values were given, observers that it enters. The entity is
 * locked while anybody is told, so it cannot change in between; its row may move. */
#ifndef STOA_WORLD_REACT_H
#define STOA_WORLD_REACT_H

#include "world/values.h"

/* What happens to a component: bits by stoa_hook_kind. */
#define STOA__DOES_ADD (1u << STOA_ON_ADD)
#define STOA__DOES_REMOVE (1u << STOA_ON_REMOVE)
#define STOA__DOES_SET (1u << STOA_ON_SET)

/* A change of some components of an entity, in the order they were given. */
typedef struct stoa__effect {
    uint32_t count;
    stoa_component ids[STOA_BUNDLE_MAX];
    uint8_t does[STOA_BUNDLE_MAX]; /* STOA__DOES_... */
    bool told;                     /* somebody wants to know */
    stoa__delta delta;             /* the same as queries see it */
    stoa_component added[STOA_BUNDLE_MAX];
    stoa_component removed[STOA_BUNDLE_MAX];
} stoa__effect;

/* Reads what a change will do to a live entity; `born` tells that it is about to be made with it.
 * `total` elements of `change` are looked at. */
void stoa__effect_read(const stoa_world *world, stoa_entity e, const stoa__values *change,
                       const stoa_value *values, bool born, stoa__effect *effect);

/* An effect on one component alone. */
void stoa__effect_one(const stoa_world *world, stoa_entity e, stoa_component id, uint32_t does,
                      stoa__effect *effect);

/* STOA_LIMIT, set but not reported, if those who are told could not be told. */
stoa_status stoa__effect_room(const stoa_world *world, const stoa__effect *effect);

/* Asks the vetoes of what a change gives to an entity, or takes from it; `count` above 1 for
 * entities about to be made. The thread's error is set by who refuses, not reported. */
stoa_status stoa__react_ask(stoa_world *world, stoa_entity e, const stoa__values *change,
                            const stoa_value *values, int32_t count);

/* Asks the vetoes of an entity that is about to lose all it has. */
stoa_status stoa__react_ask_losing(stoa_world *world, stoa_entity e);

/* Asks the vetoes of an entity that is about to be made as a copy. */
stoa_status stoa__react_ask_clone(stoa_world *world, stoa_entity e);

/* Tells of a change that is about to be made, and of one that was made. No-ops if nobody wants to
 * know. */
void stoa__effect_before(stoa_world *world, stoa_entity e, const stoa__effect *effect);
void stoa__effect_after(stoa_world *world, stoa_entity e, const stoa__effect *effect);

/* Tells observers and on_remove hooks that an entity loses all it has, and its life if it `dies`.
 */
void stoa__react_losing(stoa_world *world, stoa_entity e, const stoa__delta *delta);

/* Notes in the log all that an entity is about to lose. */
void stoa__react_log(stoa_world *world, stoa_entity e, bool dies);

/* Tells of an entity that was made as a copy. */
void stoa__react_cloned(stoa_world *world, stoa_entity e);

/* True if anybody wants to know of what happens to a live entity as a whole. */
bool stoa__react_watched(const stoa_world *world, stoa_entity e);

#endif

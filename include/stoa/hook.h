/* Hooks and observers: being told of components that come and go, and of entities that start or
 * cease to match a query.
 *
 * A hook runs inside the call that caused it. It may read and write everything and change other
 * entities; to change what the observed entity has, to destroy it, or to flush commands is refused
 * with STOA_LOCKED. */
#ifndef STOA_HOOK_H
#define STOA_HOOK_H

#include "stoa/query.h"

STOA_BEGIN

/// Hooks inside of hooks, at most; a change that would go deeper is STOA_LIMIT.
#define STOA_HOOK_DEPTH 64

/// When a hook is called.
typedef enum stoa_hook_kind {
    STOA_ON_ADD,    ///< after an entity was given the component
    STOA_ON_REMOVE, ///< before the component is taken away, or dies with its entity
    STOA_ON_SET     ///< after a caller gave the component a value, after the on_add if it was new
} stoa_hook_kind;

/// Called with the entity and its component, NULL for a tag.
/// `value` is valid until the hook changes the structure of the world.
typedef void (*stoa_hook_fn)(stoa_world *world, stoa_entity e, void *value, void *user);

/// Called with an entity that begins or ceases to match.
typedef void (*stoa_observe_fn)(stoa_world *world, stoa_entity e, void *user);

/// A hook or observer of a world; the id 0 is none.
typedef struct stoa_hook {
    uint32_t id; ///< never used twice in one world
} stoa_hook;

/// How to make a hook.
typedef struct stoa_hook_desc {
    stoa_hook_kind kind;           ///< when to call
    stoa_type *type;               ///< the described type, or NULL to go by `component`
    stoa_component component;      ///< used when `type` is NULL
    stoa_hook_fn call;             ///< what to call
    void *user;                    ///< handed to every call
    void (*user_free)(void *user); ///< called once when the hook is gone; may be NULL
} stoa_hook_desc;

/// Adds a hook; hooks of one component and kind are called in the order they were added.
/// The id is 0 on error. One that is added by a hook is first called for the next cause.
stoa_hook stoa_hook_new(stoa_world *world, const stoa_hook_desc *desc);

/// stoa_hook_new without a free function; called by stoa_on_add and its kin.
stoa_hook stoa_hook_type(stoa_world *world, stoa_hook_kind kind, stoa_type *type, stoa_hook_fn call,
                         void *user);

/// How to make an observer; one of `enter` and `leave` may be NULL.
typedef struct stoa_observer_desc {
    stoa_query_desc query;         ///< what must match; terms `changed` and `added` are refused
    stoa_observe_fn enter;         ///< after an entity began to match
    stoa_observe_fn leave;         ///< before an entity ceases to match
    void *user;                    ///< handed to every call
    void (*user_free)(void *user); ///< called once when the observer is gone; may be NULL
} stoa_observer_desc;

/// Watches for entities that begin or cease to match; those that match already are not told.
/// Entering is told after the hooks of the same change, leaving before them. The id is 0 on error.
stoa_hook stoa_observe(stoa_world *world, const stoa_observer_desc *desc);

/// What a veto is asked about.
typedef enum stoa_veto_kind {
    STOA_VETO_SET,   ///< a caller is about to give the component a value, or to add it zeroed
    STOA_VETO_REMOVE ///< it is about to be taken away, or to die with its entity
} stoa_veto_kind;

/// Says whether a change may be made: STOA_OK, or an error set by stoa_fail, and nothing changes.
/// `values` are `count` values one after the other, or NULL if they are zeroed, of a tag, or about
/// to go. `e` is STOA_NULL for entities that are about to be made; `count` is above 1 only then. It
/// may reserve memory of its own but change nothing in the world.
typedef stoa_status (*stoa_veto_fn)(stoa_world *world, stoa_entity e, const void *values,
                                    int32_t count, void *user);

/// How to make a veto.
typedef struct stoa_veto_desc {
    stoa_veto_kind kind;           ///< what it is asked about
    stoa_type *type;               ///< the described type, or NULL to go by `component`
    stoa_component component;      ///< used when `type` is NULL
    stoa_veto_fn call;             ///< what to ask
    void *user;                    ///< handed to every call
    void (*user_free)(void *user); ///< called once when the veto is gone; may be NULL
} stoa_veto_desc;

/// Adds a veto, asked by every path before anything is told or done; the id is 0 on error.
/// A command that is refused when it is applied is skipped, counted and told to on_error. Freeing
/// the world asks nobody. Take it away with stoa_hook_remove.
stoa_hook stoa_veto_new(stoa_world *world, const stoa_veto_desc *desc);

/// Takes a hook, observer or veto away; it is not called again, even by a change that is under way.
stoa_status stoa_hook_remove(stoa_world *world, stoa_hook hook);

/// How many changes are telling hooks or observers now, one inside the other; 0 outside of them.
/// For extensions: what a call at some depth has begun is over when another begins there.
int32_t stoa_hook_depth(const stoa_world *world);

STOA_END

#endif

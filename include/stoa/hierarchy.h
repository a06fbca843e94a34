/* The hierarchy: entities that belong to a parent.
 *
 * Parent is a component like any other and can be given by every call that gives components: set,
 * create, bulk, commands, clone. Children is the way back, which the library keeps. It is the
 * relation "Parent": nothing can be below itself. */
#ifndef STOA_HIERARCHY_H
#define STOA_HIERARCHY_H

#include "stoa/relation.h"
#include "stoa/typed.h"

STOA_BEGIN

/// Makes the relation of parents and children in a world; called when the world meets Parent.
stoa_status stoa_hierarchy_setup(stoa_world *world);

STOA_END

/// Whom an entity belongs to; it must live when it is given, and must not be below the entity.
STOA_COMPONENT_WITH(Parent,
                    STOA_OPTIONS(0, {0, 0, 0, 0, 0}, STOA_IMMUTABLE, stoa_hierarchy_setup, 0),
                    { stoa_entity entity; });

/// Who belongs to an entity, as stoa_links; only there while there are any. Writing it is refused.
STOA_COMPONENT_WITH(
    Children, STOA_OPTIONS(0, {0, 0, 0, 0, 0}, STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED, 0, 0), {
        const stoa_entity *items;
        int32_t count;
    });

STOA_BEGIN

/// Gives an entity a parent, or another one; no change if it has that one.
/// A dead entity or parent is STOA_DEAD; the entity itself, or one below it, STOA_CYCLE.
stoa_status stoa_set_parent(stoa_world *world, stoa_entity child, stoa_entity parent);

/// Takes the parent from an entity; no change if it has none.
stoa_status stoa_remove_parent(stoa_world *world, stoa_entity child);

/// The parent of an entity; STOA_NULL, with no error, if it has none or is dead.
stoa_entity stoa_parent(const stoa_world *world, stoa_entity e);

/// The children of an entity, in the order they came until one goes: the last takes its place.
/// None, with no error, if it is dead.
stoa_links stoa_children(const stoa_world *world, stoa_entity e);

/// Destroys an entity and all that is below it, whatever the policy; those with no children first.
/// Needs no memory, at any depth. If a hook or veto keeps one from being destroyed it stops there,
/// and what was destroyed stays so. What is below one that dies on the way by other means, such as
/// another relation that cascades, goes by the policy.
stoa_status stoa_destroy_recursive(stoa_world *world, stoa_entity e);

/// Says what happens to children whose parent is destroyed or cleared; STOA_ORPHAN if never called.
stoa_status stoa_hierarchy_policy(stoa_world *world, stoa_relation_policy policy);

STOA_END

#endif

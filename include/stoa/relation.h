/* Relations: components that point at other entities, with the way back kept for them.
 *
 * A relation stands on an immutable component with one target, such as Parent, or on a list of any
 * number of them. Whichever way that component comes, goes or is replaced, the targets know who
 * points at them, and when a target dies its sources are dealt with as the relation says. */
#ifndef STOA_RELATION_H
#define STOA_RELATION_H

#include "stoa/commands.h"
#include "stoa/hook.h"

STOA_BEGIN

/// Entities one after the other: who points at one, or whom one points at.
/// The value of list components, which are described with these two members in this order.
typedef struct stoa_links {
    const stoa_entity *items; ///< valid until one comes or goes
    int32_t count;            ///< how many there are
} stoa_links;

/// What happens to the sources of a relation when their target is destroyed or cleared.
typedef enum stoa_relation_policy {
    STOA_ORPHAN,  ///< they lose the component, or that target out of their list
    STOA_CASCADE, ///< they are destroyed, and those that point at them in turn
    STOA_REFUSE   ///< while there are any, the target cannot be destroyed or cleared
} stoa_relation_policy;

/// How to make a relation.
typedef struct stoa_relation_desc {
    const char *name;            ///< unique in the world; copied. NULL: the component's
    stoa_type *type;             ///< the described type, or NULL to go by `component`
    stoa_component component;    ///< immutable, with a member of kind entity; managed if `many`
    const char *field;           ///< the member that is the target; NULL: the first of kind entity
    stoa_type *reverse;          ///< a managed type as stoa_links, for targets; NULL: a hidden one
    stoa_relation_policy policy; ///< when a target dies
    bool many;    ///< a source has any number of targets; the component is as stoa_links
    bool acyclic; ///< nothing may point at itself, directly or by way of others
} stoa_relation_desc;

/// A relation of a world; the id 0 is none.
typedef struct stoa_relation {
    uint32_t id; ///< never used twice in one world
} stoa_relation;

/// Makes a relation, for good; entities that have the component already become part of it.
/// The id is 0 on error, and for a component that has a relation.
stoa_relation stoa_relation_new(stoa_world *world, const stoa_relation_desc *desc);

/// The relation of that name; id 0, with no error, if there is none.
stoa_relation stoa_relation_find(const stoa_world *world, const char *name);

/// The name of a relation, or NULL with an error.
const char *stoa_relation_name(const stoa_world *world, stoa_relation relation);

/// What a world knows of a relation; the name lives as long as the world.
typedef struct stoa_relation_info {
    const char *name;            ///< unique in the world
    stoa_component component;    ///< what sources have
    stoa_component reverse;      ///< what targets have
    stoa_relation_policy policy; ///< when a target dies
    bool many;                   ///< a source has any number of targets
    bool acyclic;                ///< nothing may point at itself
} stoa_relation_info;

/// Fills in what the world knows of a relation.
stoa_status stoa_relation_info_get(const stoa_world *world, stoa_relation relation,
                                   stoa_relation_info *info);

/// The relation made after another, the first for id 0; id 0, with no error, after the last.
stoa_relation stoa_relation_next(const stoa_world *world, stoa_relation relation);

/// Changes what happens when targets die, from now on.
stoa_status stoa_relation_policy_set(stoa_world *world, stoa_relation relation,
                                     stoa_relation_policy policy);

/// Points a source at a target: replaces its one target, or adds to its list.
/// Pointing at the same target again changes nothing. Other members of the component are kept, and
/// zeroed if it is new. A dead target is STOA_DEAD, a circle where there may be none STOA_CYCLE.
stoa_status stoa_relation_add(stoa_world *world, stoa_relation relation, stoa_entity source,
                              stoa_entity target);

/// Ends that a source points at a target, or at any for STOA_NULL; no change if it does not.
stoa_status stoa_relation_remove(stoa_world *world, stoa_relation relation, stoa_entity source,
                                 stoa_entity target);

/// Records stoa_relation_add.
stoa_status stoa_commands_relation_add(stoa_commands *commands, stoa_relation relation,
                                       stoa_entity source, stoa_entity target);

/// Records stoa_relation_remove.
stoa_status stoa_commands_relation_remove(stoa_commands *commands, stoa_relation relation,
                                          stoa_entity source, stoa_entity target);

/// True if the source points at the target.
bool stoa_relation_has(const stoa_world *world, stoa_relation relation, stoa_entity source,
                       stoa_entity target);

/// Where a source points, the first of several; STOA_NULL, with no error, if nowhere.
stoa_entity stoa_relation_target(const stoa_world *world, stoa_relation relation,
                                 stoa_entity source);

/// Whom a source points at, in the order they were added until one is taken out.
stoa_links stoa_relation_targets(const stoa_world *world, stoa_relation relation,
                                 stoa_entity source);

/// Who points at a target, in the order they came until one goes: the last takes its place.
stoa_links stoa_relation_sources(const stoa_world *world, stoa_relation relation,
                                 stoa_entity target);

/// True if targets of targets lead from one entity to the other. O(entities on the way).
bool stoa_relation_reaches(const stoa_world *world, stoa_relation relation, stoa_entity from,
                           stoa_entity to);

STOA_END

#endif

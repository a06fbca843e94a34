/* Prefabs: default values for a bundle, from which entities are made.
 *
 * A prefab is data: no entity, in no query. It can build on another one, and it can have children,
 * which are instances of other prefabs. Prefabs belong to their world, which frees those left. One
 * thread at a time; recording instances into forked command buffers may be done by many. */
#ifndef STOA_PREFAB_H
#define STOA_PREFAB_H

#include "stoa/mould.h"
#include "stoa/typed.h"

STOA_BEGIN

/// Default values for a bundle, and for those of its children.
typedef struct stoa_prefab stoa_prefab;

/// The most entities that one instance of a prefab is made of.
#define STOA_PREFAB_MAX (1 << 20)

/// The part of a prefab that the fast path reads.
typedef struct stoa_prefab_head {
    stoa_world *world; ///< whose entities are made
    uint32_t open;     ///< 0, as in a world whose structure may change
    uint32_t epoch;    ///< the world's in which instances are made with no call; 0: in none
    stoa_mould mould;  ///< of an instance that is one entity of plain values
} stoa_prefab_head;

/// How to make a prefab; zero is the default of each member.
typedef struct stoa_prefab_desc {
    const char *name;  ///< unique among the world's prefabs; copied. NULL: none
    stoa_prefab *base; ///< what it builds on; NULL: nothing
} stoa_prefab_desc;

/// Makes a prefab with nothing of its own; NULL on error. `desc` may be NULL.
/// It has all that its base has, now and later, but for what it sets or removes itself.
stoa_prefab *stoa_prefab_new(stoa_world *world, const stoa_prefab_desc *desc);

/// Makes a prefab of copies of what an entity has; NULL on error. The name may be NULL.
/// What extensions keep (STOA_MANAGED), such as its name, is left out.
stoa_prefab *stoa_prefab_from(stoa_world *world, stoa_entity e, const char *name);

/// Copies a prefab: its own values and children, on the same base. The name may be NULL.
stoa_prefab *stoa_prefab_copy(const stoa_prefab *prefab, const char *name);

/// Frees a prefab and drops its values; NULL is fine. What was made of it stays.
/// STOA_REFUSED while others build on it or have it as a child.
stoa_status stoa_prefab_free(stoa_prefab *prefab);

/// The prefab of that name; NULL, with no error, if there is none.
stoa_prefab *stoa_prefab_find(const stoa_world *world, const char *name);

/// The prefab made after another, the first for NULL; NULL after the last.
stoa_prefab *stoa_prefab_next(const stoa_world *world, const stoa_prefab *prefab);

/// The name of a prefab, or NULL if it has none.
const char *stoa_prefab_name(const stoa_prefab *prefab);

/// What a prefab builds on, or NULL.
stoa_prefab *stoa_prefab_base(const stoa_prefab *prefab);

/// Sets, zeroes (STOA_ZERO) and removes (STOA_REMOVE) components of a prefab, all or none.
/// Values are moved in; see stoa_value. STOA_NOT_COPYABLE for a component that cannot be copied,
/// STOA_REFUSED for one that an extension keeps. Instances made before stay as they are.
stoa_status stoa_prefab_set_values(stoa_prefab *prefab, const stoa_value *values, int32_t count);

/// Sets one component by its id; `size` must be the component's.
stoa_status stoa_prefab_set_id(stoa_prefab *prefab, stoa_component id, const void *value,
                               size_t size);

/// Adds a component zeroed; no change if the prefab has it.
stoa_status stoa_prefab_add_id(stoa_prefab *prefab, stoa_component id);

/// Takes a component away, and hides that of the base, whatever the base does later.
stoa_status stoa_prefab_remove_id(stoa_prefab *prefab, stoa_component id);

/// Takes back what the prefab itself says of a component: the base is seen again.
stoa_status stoa_prefab_revert_id(stoa_prefab *prefab, stoa_component id);

/// True if instances have the component; of the prefab's own or of its base.
bool stoa_prefab_has_id(const stoa_prefab *prefab, stoa_component id);

/// The value that instances get, or NULL if they have none, or it is a tag.
/// Valid until the prefab or its base changes.
const void *stoa_prefab_get_id(const stoa_prefab *prefab, stoa_component id);

/// How many components an instance has, those of the base included; -1 on error.
int32_t stoa_prefab_count(stoa_prefab *prefab);

/// Component number `index` of an instance, in the order they are told of; 0 on error.
stoa_component stoa_prefab_component(stoa_prefab *prefab, int32_t index);

/// Typed twin of stoa_prefab_set_id; called by stoa_prefab_set_from.
stoa_status stoa_prefab_set_type(stoa_prefab *prefab, stoa_type *type, const void *value);

/// Typed twin of stoa_prefab_add_id; called by stoa_prefab_add.
stoa_status stoa_prefab_add_type(stoa_prefab *prefab, stoa_type *type);

/// Typed twin of stoa_prefab_remove_id; called by stoa_prefab_remove.
stoa_status stoa_prefab_remove_type(stoa_prefab *prefab, stoa_type *type);

/// Typed twin of stoa_prefab_revert_id; called by stoa_prefab_revert.
stoa_status stoa_prefab_revert_type(stoa_prefab *prefab, stoa_type *type);

/// Typed twin of stoa_prefab_has_id; called by stoa_prefab_has.
bool stoa_prefab_has_type(const stoa_prefab *prefab, stoa_type *type);

/// Typed twin of stoa_prefab_get_id; called by stoa_prefab_get.
const void *stoa_prefab_get_type(const stoa_prefab *prefab, stoa_type *type);

/// Adds an instance of another prefab as a child; returns its number, -1 on error.
/// The root is 0, children count from 1, those of the base first. STOA_CYCLE if the child is made
/// of this prefab in turn, STOA_REFUSED if others build on this prefab: their numbers stay.
int32_t stoa_prefab_child(stoa_prefab *prefab, stoa_prefab *child);

/// Stands for an entity of the tree in values of its prefab, such as a child's link to the root.
/// In members of kind entity of a value of the prefab it is replaced, in each instance, by the
/// entity of that number. It is never the handle of an entity.
static inline stoa_entity stoa_prefab_node(int32_t node) {
    stoa_entity e = {(uint32_t)node + 1, 0};
    return e;
}

/// How many numbers a prefab has: the root, and children of its base and its own; 0 on error.
int32_t stoa_prefab_node_count(const stoa_prefab *prefab);

/// The prefab that a child is an instance of; NULL for the root, and on error.
stoa_prefab *stoa_prefab_node_prefab(const stoa_prefab *prefab, int32_t node);

/// stoa_prefab_set_values for what this prefab's instance of a child has.
stoa_status stoa_prefab_node_set_values(stoa_prefab *prefab, int32_t node, const stoa_value *values,
                                        int32_t count);

/// stoa_prefab_revert_id for a child.
stoa_status stoa_prefab_node_revert_id(stoa_prefab *prefab, int32_t node, stoa_component id);

/// stoa_prefab_has_id for a child.
bool stoa_prefab_node_has_id(const stoa_prefab *prefab, int32_t node, stoa_component id);

/// stoa_prefab_get_id for a child.
const void *stoa_prefab_node_get_id(const stoa_prefab *prefab, int32_t node, stoa_component id);

/// Typed twin of stoa_prefab_node_has_id; called by stoa_prefab_node_has.
bool stoa_prefab_node_has_type(const stoa_prefab *prefab, int32_t node, stoa_type *type);

/// Typed twin of stoa_prefab_node_get_id; called by stoa_prefab_node_get.
const void *stoa_prefab_node_get_type(const stoa_prefab *prefab, int32_t node, stoa_type *type);

/// How many entities an instance is made of, children of children included; -1 on error.
int32_t stoa_prefab_entity_count(stoa_prefab *prefab);

/// The slow half of stoa_prefab_instantiate, and the same for any prefab.
stoa_entity stoa_prefab_instantiate_any(stoa_prefab *prefab);

/// Makes an instance and returns its root; STOA_NULL on error.
/// It gets copies of all values, straight in its place; each hook is called once with the final
/// value. Of a tree all entities are made or none.
static inline stoa_entity stoa_prefab_instantiate(stoa_prefab *prefab) {
    stoa_prefab_head *head = (stoa_prefab_head *)(void *)prefab;
    if (!STOA_LIKELY(head != NULL)) {
        return stoa_prefab_instantiate_any(prefab);
    }
    stoa_world_front *w = (stoa_world_front *)(void *)head->world;
    if (!STOA_LIKELY(stoa_bits_read(&head->open) == stoa_bits_read(&w->head.open))) {
        return stoa_prefab_instantiate_any(prefab);
    }
    stoa_cast cast;
    return STOA_LIKELY(stoa_mould_take(w, &head->mould, head->mould.limit, &cast))
               ? stoa_mould_fill(&head->mould, &cast)
               : stoa_create_mould(head->world, &head->mould);
}

/// stoa_prefab_instantiate with values of the caller's for the root.
/// They replace the prefab's, add to them, or with STOA_REMOVE leave them out; they are moved in.
/// Nodes in them are not looked for. See stoa_prefab_instantiate_with.
stoa_entity stoa_prefab_instantiate_values(stoa_prefab *prefab, const stoa_value *values,
                                           int32_t count);

/// Makes `entity_count` instances at once, values for their roots given as columns.
/// `entities` receives the roots and may be NULL. All are made or none.
/// `stoa_prefab_instantiate_bulk(p, 100, NULL, STOA_VALUES(STOA_COLUMN(Position, positions)))`
stoa_status stoa_prefab_instantiate_bulk(stoa_prefab *prefab, int32_t entity_count,
                                         stoa_entity *entities, const stoa_value *columns,
                                         int32_t count);

/// stoa_prefab_instantiate_values that gives the handles of the whole tree.
/// First the root and the children by their numbers, then children of those, level by level. With
/// room for less than stoa_prefab_entity_count nothing is made.
stoa_status stoa_prefab_instantiate_tree(stoa_prefab *prefab, const stoa_value *values,
                                         int32_t count, stoa_entity *entities, int32_t capacity);

/// Records that an instance is made; returns the handle of its root; STOA_NULL on error.
/// It gets the values that the prefab has now. A tree is recorded as a whole or not at all; when it
/// is applied, each of its entities is a command of its own.
stoa_entity stoa_commands_instantiate(stoa_commands *commands, stoa_prefab *prefab,
                                      const stoa_value *values, int32_t count);

/// stoa_commands_instantiate that gives the handles of the whole tree.
stoa_status stoa_commands_instantiate_tree(stoa_commands *commands, stoa_prefab *prefab,
                                           const stoa_value *values, int32_t count,
                                           stoa_entity *entities, int32_t capacity);

STOA_END

/// Sets T of a prefab from a `T *`.
#define stoa_prefab_set_from(prefab, T, pointer)                                                   \
    stoa_prefab_set_type((prefab), STOA_TYPE_OF(T), STOA_POINTER_TO(T, pointer))

/// Adds T zeroed to a prefab, or as a tag; no change if it is there.
#define stoa_prefab_add(prefab, T) stoa_prefab_add_type((prefab), STOA_TYPE_OF(T))

/// Takes T from a prefab, and hides that of its base.
#define stoa_prefab_remove(prefab, T) stoa_prefab_remove_type((prefab), STOA_TYPE_OF(T))

/// Takes back what the prefab itself says of T.
#define stoa_prefab_revert(prefab, T) stoa_prefab_revert_type((prefab), STOA_TYPE_OF(T))

/// True if instances of the prefab have T.
#define stoa_prefab_has(prefab, T) stoa_prefab_has_type((prefab), STOA_TYPE_OF(T))

/// The T that instances get, as `const T *`, or NULL.
#define stoa_prefab_get(prefab, T) ((const T *)stoa_prefab_get_type((prefab), STOA_TYPE_OF(T)))

/// True if instances of a child have T.
#define stoa_prefab_node_has(prefab, node, T)                                                      \
    stoa_prefab_node_has_type((prefab), (node), STOA_TYPE_OF(T))

/// The T that instances of a child get, as `const T *`, or NULL.
#define stoa_prefab_node_get(prefab, node, T)                                                      \
    ((const T *)stoa_prefab_node_get_type((prefab), (node), STOA_TYPE_OF(T)))

#ifndef __cplusplus

/// Sets T of a prefab: `stoa_prefab_set(p, Position, { 1, 2 })`. C only.
#define stoa_prefab_set(prefab, T, ...)                                                            \
    stoa_prefab_set_type((prefab), STOA_TYPE_OF(T), &(T)__VA_ARGS__)

/// Sets T of a child: `stoa_prefab_node_set(p, wheel, Position, { 1, 2 })`. C only.
#define stoa_prefab_node_set(prefab, node, T, ...)                                                 \
    stoa_prefab_node_set_values((prefab), (node), STOA_VALUES(STOA_VALUE(T, __VA_ARGS__)))

/// Makes an instance with other values: `stoa_prefab_instantiate_with(p, STOA_VALUE(...))`. C only.
#define stoa_prefab_instantiate_with(prefab, ...)                                                  \
    stoa_prefab_instantiate_values((prefab), STOA_VALUES(__VA_ARGS__))

/// Records an instance with other values; returns its handle. C only.
#define stoa_commands_instantiate_with(commands, prefab, ...)                                      \
    stoa_commands_instantiate((commands), (prefab), STOA_VALUES(__VA_ARGS__))

#endif

#endif

/* Sorting: putting the rows of a component's entities in order.
 *
 * An entity's components stand in a row; sorting moves whole rows within each archetype, so all
 * columns keep in step. Handles stay good, pointers into columns and sets do not: it is a
 * structural change. Sorting marks nothing as changed, calls no hooks, and is stable: what compares
 * equal keeps its order. Rows of a sparse component are sorted in its own set. */
#ifndef STOA_SORT_H
#define STOA_SORT_H

#include "stoa/world.h"

STOA_BEGIN

/// Which end comes first.
typedef enum stoa_direction {
    STOA_ASCENDING, ///< the least first
    STOA_DESCENDING ///< the greatest first
} stoa_direction;

/// Compares two values: below 0 if `a` comes first, above 0 if `b` does, else 0.
/// It must not write; the world refuses structural changes meanwhile with STOA_ITERATING. One that
/// contradicts itself leaves some order and does no harm.
typedef int (*stoa_compare_fn)(const void *a, const void *b, void *user);

/// One of two entities that are compared.
typedef struct stoa_sort_item {
    stoa_entity entity; ///< whose row it is
    const void *value;  ///< its component; NULL for a tag
} stoa_sort_item;

/// Compares two entities, which both have the component; otherwise as stoa_compare_fn.
typedef int (*stoa_compare_entities_fn)(const stoa_sort_item *a, const stoa_sort_item *b,
                                        void *user);

/// Sorts every archetype that has the component by its values. See stoa_sort.
/// A tag is STOA_INVALID. On an error nothing has moved. O(n log n) calls; n - 1 if sorted already.
stoa_status stoa_sort_id(stoa_world *world, stoa_component id, stoa_compare_fn compare, void *user);

/// Typed twin of stoa_sort_id; called by stoa_sort.
stoa_status stoa_sort_type(stoa_world *world, stoa_type *type, stoa_compare_fn compare, void *user);

/// stoa_sort_id with a comparison that is given the entities, too; tags are fine.
stoa_status stoa_sort_entities_id(stoa_world *world, stoa_component id,
                                  stoa_compare_entities_fn compare, void *user);

/// Typed twin of stoa_sort_entities_id; called by stoa_sort_entities.
stoa_status stoa_sort_entities_type(stoa_world *world, stoa_type *type,
                                    stoa_compare_entities_fn compare, void *user);

/// Sorts every archetype that has the component by one number in it. See stoa_sort_key.
/// `field` is a path such as "z", "at.x" or "v[1]", to a bool, char, integer, float, double, enum
/// or entity; NULL is the component itself, if that is an enum. A radix sort: O(n).
stoa_status stoa_sort_key_id(stoa_world *world, stoa_component id, const char *field,
                             stoa_direction direction);

/// Typed twin of stoa_sort_key_id; called by stoa_sort_key.
stoa_status stoa_sort_key_type(stoa_world *world, stoa_type *type, const char *field,
                               stoa_direction direction);

/// Sorts every archetype that has T by a function that compares two of them.
#define stoa_sort(world, T, compare, user)                                                         \
    stoa_sort_type((world), STOA_TYPE_OF(T), (compare), (user))

/// Sorts every archetype that has T by a function that compares two entities.
#define stoa_sort_entities(world, T, compare, user)                                                \
    stoa_sort_entities_type((world), STOA_TYPE_OF(T), (compare), (user))

/// Sorts every archetype that has T by a number in it: `stoa_sort_key(w, T, "z", STOA_ASCENDING)`
#define stoa_sort_key(world, T, field, direction)                                                  \
    stoa_sort_key_type((world), STOA_TYPE_OF(T), (field), (direction))

/// A new order for the rows of one archetype.
typedef struct stoa_permutation {
    int32_t archetype;    ///< its id; not that of the empty set
    int32_t count;        ///< its rows
    const int32_t *order; ///< row i becomes what was row order[i]; each row is named once
} stoa_permutation;

/// Puts the rows of some archetypes in another order: all, or on an error none.
/// An order that names a row twice, or not all, is STOA_INVALID. Rows take their ticks and switches
/// along. Needs memory for the largest column of the rows that move.
stoa_status stoa_permute(stoa_world *world, const stoa_permutation *permutations, int32_t count);

/// stoa_permute for one archetype: row i becomes what was row order[i].
stoa_status stoa_archetype_permute(stoa_world *world, int32_t archetype, const int32_t *order,
                                   int32_t count);

/// The same for a sparse component: position i becomes what was position order[i].
stoa_status stoa_sparse_permute(stoa_world *world, stoa_component id, const int32_t *order,
                                int32_t count);

/// Refuses structural changes until stoa_release, as an iteration would; for code that calls back.
/// `why` completes "while it is ..." in messages and must outlive the hold. Refused, with nothing
/// held, wherever a structural change is, so also while the world is held already.
stoa_status stoa_hold(stoa_world *world, const char *why);

/// Ends what stoa_hold began.
void stoa_release(stoa_world *world);

STOA_END

#endif

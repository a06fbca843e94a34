/* The typed macros: each adds a descriptor and a cast, then calls one function.
 *
 * T is a type described by STOA_COMPONENT or its kin, visible in this translation unit. Every
 * argument is evaluated once. Those that make a value in place need compound literals and are C
 * only; the functions they call are for both. */
#ifndef STOA_TYPED_H
#define STOA_TYPED_H

#include "stoa/change.h"
#include "stoa/commands.h"
#include "stoa/create.h"
#include "stoa/event.h"
#include "stoa/hook.h"
#include "stoa/query.h"
#include "stoa/resource.h"
#include "stoa/view.h"

/// The id of T in a world, registering it if need be; 0 on error.
#define stoa_id(world, T) stoa_type_register((world), STOA_TYPE_OF(T))

/// True if the entity lives and has T.
#define stoa_has(world, e, T) stoa_has_type((world), (e), STOA_TYPE_OF(T))

/// The entity's T as `const T *`, which must be there; NULL with an error if not.
#define stoa_get(world, e, T)                                                                      \
    ((const T *)stoa_fast_get((world), (e), STOA_TYPE_OF(T), STOA_SIZE_OF(T)))

/// The entity's T as `T *`, which must be there; NULL with an error if not.
#define stoa_get_mut(world, e, T)                                                                  \
    ((T *)stoa_fast_get_mut((world), (e), STOA_TYPE_OF(T), STOA_SIZE_OF(T)))

/// The entity's T as `const T *`, or NULL.
#define stoa_try_get(world, e, T)                                                                  \
    ((const T *)stoa_fast_try((world), (e), STOA_TYPE_OF(T), STOA_SIZE_OF(T)))

/// The entity's T as `T *`, or NULL.
#define stoa_try_get_mut(world, e, T)                                                              \
    ((T *)stoa_fast_try_mut((world), (e), STOA_TYPE_OF(T), STOA_SIZE_OF(T)))

/// Runs the block that follows, with `const T *p`, if the entity has T.
#define stoa_with(world, e, T, p) for (const T *p = stoa_try_get(world, e, T); p; p = NULL)

/// Runs the block that follows, with `T *p`, if the entity has T.
#define stoa_with_mut(world, e, T, p) for (T *p = stoa_try_get_mut(world, e, T); p; p = NULL)

/// Adds T zeroed; no change if it is there.
#define stoa_add(world, e, T) stoa_add_type((world), (e), STOA_TYPE_OF(T))

/// Takes T away; no change if it is not there.
#define stoa_remove(world, e, T) stoa_remove_type((world), (e), STOA_TYPE_OF(T))

/// stoa_set_type of a value that nobody has another pointer to, of a type whose size is known.
static inline stoa_status stoa_set_sized(stoa_world *world, stoa_entity e, stoa_type *type,
                                         const void *value, uint32_t size) {
    return size <= STOA_PARCEL_MAX ? stoa_set_parcel(world, e, type, stoa_parcel_pack(value, size))
                                   : stoa_set_type(world, e, type, value);
}

/// Adds T from a `T *`, or overwrites it in place; any other pointer does not compile.
#define stoa_set_from(world, e, T, pointer)                                                        \
    stoa_set_type((world), (e), STOA_TYPE_OF(T), STOA_POINTER_TO(T, pointer))

/// Switches the entity's T on or off; T must be STOA_SWITCHABLE and be there.
#define stoa_enable(world, e, T, on) stoa_enable_type((world), (e), STOA_TYPE_OF(T), (on))

/// True if the entity lives, has T, and T is not switched off.
#define stoa_enabled(world, e, T) stoa_enabled_type((world), (e), STOA_TYPE_OF(T))

/// Term i's column of these rows as `const T *`; NULL where an optional term has none.
#define stoa_field(it, T, index)                                                                   \
    ((const T *)STOA_FIELD((it), STOA_TYPE_OF(T), STOA_SIZE_OF(T), (index)))

/// Term i's column of these rows as `T *`, marked as changed; the term must be one that writes.
#define stoa_field_mut(it, T, index)                                                               \
    ((T *)STOA_FIELD_MUT((it), STOA_TYPE_OF(T), STOA_SIZE_OF(T), (index)))

/// Term i's T of one row as `const T *`, column or sparse; NULL where the row has none.
#define stoa_field_at(it, T, index, row)                                                           \
    ((const T *)STOA_FIELD_AT((it), STOA_TYPE_OF(T), STOA_SIZE_OF(T), (index), (row)))

/// Term i's T of one row as `T *`; marks that row as changed.
#define stoa_field_at_mut(it, T, index, row)                                                       \
    ((T *)STOA_FIELD_AT_MUT((it), STOA_TYPE_OF(T), STOA_SIZE_OF(T), (index), (row)))

/// Adds T, zeroed, to everything that a query matches.
#define stoa_query_add(query, T) stoa_query_add_type((query), STOA_TYPE_OF(T))

/// Takes T from everything that a query matches.
#define stoa_query_remove(query, T) stoa_query_remove_type((query), STOA_TYPE_OF(T))

/// True if the entity's T may have been written after the tick.
#define stoa_changed(world, e, T, since) stoa_changed_type((world), (e), STOA_TYPE_OF(T), (since))

/// True if the entity may have been given T after the tick.
#define stoa_added(world, e, T, since) stoa_added_type((world), (e), STOA_TYPE_OF(T), (since))

/// Walks the entities that lost T after a tick, as a `stoa_log`.
#define stoa_removed_since(world, T, since) stoa_log_since_type((world), STOA_TYPE_OF(T), (since))

/// Walks the entities that were destroyed after a tick, as a `stoa_log`.
#define stoa_destroyed_since(world, since) stoa_log_since((world), 0, (since))

/// Calls a function after an entity was given T.
#define stoa_on_add(world, T, call, user)                                                          \
    stoa_hook_type((world), STOA_ON_ADD, STOA_TYPE_OF(T), (call), (user))

/// Calls a function before T is taken from an entity, or dies with it.
#define stoa_on_remove(world, T, call, user)                                                       \
    stoa_hook_type((world), STOA_ON_REMOVE, STOA_TYPE_OF(T), (call), (user))

/// Calls a function after a caller gave an entity's T a value.
#define stoa_on_set(world, T, call, user)                                                          \
    stoa_hook_type((world), STOA_ON_SET, STOA_TYPE_OF(T), (call), (user))

/// Records that T is added, zeroed, where it is not there.
#define stoa_commands_add(commands, e, T) stoa_commands_add_type((commands), (e), STOA_TYPE_OF(T))

/// Records that T is taken away.
#define stoa_commands_remove(commands, e, T)                                                       \
    stoa_commands_remove_type((commands), (e), STOA_TYPE_OF(T))

/// Records that T is switched on or off.
#define stoa_commands_enable(commands, e, T, on)                                                   \
    stoa_commands_enable_type((commands), (e), STOA_TYPE_OF(T), (on))

/// Records that T is set from a `T *`.
#define stoa_commands_set_from(commands, e, T, pointer)                                            \
    stoa_commands_set_sized((commands), (e), STOA_TYPE_OF(T), STOA_POINTER_TO(T, pointer),         \
                            STOA_SIZE_OF(T))

/// Calls a function for every event of type T.
#define stoa_event_listen(world, T, call, user)                                                    \
    stoa_listener_type((world), STOA_TYPE_OF(T), (call), (user))

/// Makes a reader of events of type T.
#define stoa_reader_new(world, T) stoa_reader_new_type((world), STOA_TYPE_OF(T))

/// Sets how many unread events of type T are kept.
#define stoa_event_limit(world, T, count) stoa_event_limit_type((world), STOA_TYPE_OF(T), (count))

/// The resource T as `const T *`, which must be there; NULL with an error if not.
#define stoa_resource(world, T) ((const T *)stoa_resource_type((world), STOA_TYPE_OF(T)))

/// The resource T as `T *`, which must be there; NULL with an error if not.
#define stoa_resource_mut(world, T) ((T *)stoa_resource_mut_type((world), STOA_TYPE_OF(T)))

/// The resource T as `const T *`, or NULL.
#define stoa_resource_try(world, T) ((const T *)stoa_resource_try_type((world), STOA_TYPE_OF(T)))

/// The resource T as `T *`, or NULL.
#define stoa_resource_try_mut(world, T) ((T *)stoa_resource_try_mut_type((world), STOA_TYPE_OF(T)))

/// True if there is a resource T.
#define stoa_resource_has(world, T) stoa_resource_has_type((world), STOA_TYPE_OF(T))

/// Takes the resource T away and drops it.
#define stoa_resource_remove(world, T) stoa_resource_remove_type((world), STOA_TYPE_OF(T))

/// True if the resource T is there and was written after the tick.
#define stoa_resource_changed(world, T, since)                                                     \
    stoa_resource_changed_type((world), STOA_TYPE_OF(T), (since))

/// Puts the resource T in from a `T *`.
#define stoa_resource_set_from(world, T, pointer)                                                  \
    stoa_resource_set_type((world), STOA_TYPE_OF(T), STOA_POINTER_TO(T, pointer))

/// A query term that reads T.
#define STOA_READ(T) STOA_TERM(T, STOA_ACCESS_READ, 0)
/// A query term that writes T.
#define STOA_WRITE(T) STOA_TERM(T, STOA_ACCESS_WRITE, 0)
/// A query term for entities that do not have T.
#define STOA_WITHOUT(T) STOA_TERM(T, STOA_ACCESS_WITHOUT, 0)
/// A query term that reads T where there is one.
#define STOA_OPTIONAL(T) STOA_TERM(T, STOA_ACCESS_OPTIONAL, 0)
/// A query term that writes T where there is one.
#define STOA_OPTIONAL_WRITE(T) STOA_TERM(T, STOA_ACCESS_OPTIONAL_WRITE, 0)
/// A query term of a group of which one must be there; reads T where there is one.
#define STOA_ANY(T) STOA_TERM(T, STOA_ACCESS_ANY, 0)
/// STOA_ANY that writes T where there is one.
#define STOA_ANY_WRITE(T) STOA_TERM(T, STOA_ACCESS_ANY_WRITE, 0)
/// STOA_ANY for a query with several groups.
#define STOA_ANY_OF(T, group) STOA_TERM(T, STOA_ACCESS_ANY, group)
/// A query term for entities that have T, without its data.
#define STOA_FILTER(T) STOA_TERM(T, STOA_ACCESS_FILTER, 0)
/// A query term for entities whose T was written since the query's last run.
#define STOA_CHANGED(T) STOA_TERM(T, STOA_ACCESS_CHANGED, 0)
/// A query term for entities that were given T since the query's last run.
#define STOA_ADDED(T) STOA_TERM(T, STOA_ACCESS_ADDED, 0)

/// Short forms for work on one entity; the handle is checked at each use.
typedef struct stoa_ref {
    stoa_world *world;  ///< where it lives
    stoa_entity entity; ///< which it is
} stoa_ref;

/// Pairs a world with one of its entities.
static inline stoa_ref stoa_ref_of(stoa_world *world, stoa_entity e) {
    stoa_ref ref = {world, e};
    return ref;
}

/// True while the entity lives.
static inline bool stoa_ref_alive(stoa_ref ref) {
    return stoa_alive(ref.world, ref.entity);
}

/// stoa_destroy on a ref.
static inline stoa_status stoa_ref_destroy(stoa_ref ref) {
    return stoa_destroy(ref.world, ref.entity);
}

/// stoa_clear on a ref.
static inline stoa_status stoa_ref_clear(stoa_ref ref) {
    return stoa_clear(ref.world, ref.entity);
}

/// stoa_clone on a ref; the ref of STOA_NULL on error.
static inline stoa_ref stoa_ref_clone(stoa_ref ref) {
    return stoa_ref_of(ref.world, stoa_clone(ref.world, ref.entity));
}

/// Looks a component up for a ref; see stoa_ref_get.
static inline const void *stoa_ref_get_type(stoa_ref ref, stoa_type *type, uint32_t size) {
    return stoa_fast_get(ref.world, ref.entity, type, size);
}

/// Looks a component up for a ref, for writing; see stoa_ref_get_mut.
static inline void *stoa_ref_get_mut_type(stoa_ref ref, stoa_type *type, uint32_t size) {
    return stoa_fast_get_mut(ref.world, ref.entity, type, size);
}

/// Looks a component up for a ref, for writing, with no error; see stoa_ref_try_get_mut.
static inline void *stoa_ref_find_mut_type(stoa_ref ref, stoa_type *type, uint32_t size) {
    return stoa_fast_try_mut(ref.world, ref.entity, type, size);
}

/// Looks a component up for a ref, with no error; see stoa_ref_try_get.
static inline const void *stoa_ref_find_type(stoa_ref ref, stoa_type *type, uint32_t size) {
    return stoa_fast_try(ref.world, ref.entity, type, size);
}

/// Tells whether a ref has a component; see stoa_ref_has.
static inline bool stoa_ref_has_type(stoa_ref ref, stoa_type *type) {
    return stoa_has_type(ref.world, ref.entity, type);
}

/// Sets a component of a ref; see stoa_ref_set.
static inline stoa_status stoa_ref_set_type(stoa_ref ref, stoa_type *type, const void *value) {
    return stoa_set_type(ref.world, ref.entity, type, value);
}

/// Adds a component to a ref; see stoa_ref_add.
static inline stoa_status stoa_ref_add_type(stoa_ref ref, stoa_type *type) {
    return stoa_add_type(ref.world, ref.entity, type);
}

/// Takes a component from a ref; see stoa_ref_remove.
static inline stoa_status stoa_ref_remove_type(stoa_ref ref, stoa_type *type) {
    return stoa_remove_type(ref.world, ref.entity, type);
}

/// stoa_has on a ref.
#define stoa_ref_has(ref, T) stoa_ref_has_type((ref), STOA_TYPE_OF(T))
/// stoa_get on a ref.
#define stoa_ref_get(ref, T) ((const T *)stoa_ref_get_type((ref), STOA_TYPE_OF(T), STOA_SIZE_OF(T)))
/// stoa_get_mut on a ref.
#define stoa_ref_get_mut(ref, T)                                                                   \
    ((T *)stoa_ref_get_mut_type((ref), STOA_TYPE_OF(T), STOA_SIZE_OF(T)))
/// stoa_try_get on a ref.
#define stoa_ref_try_get(ref, T)                                                                   \
    ((const T *)stoa_ref_find_type((ref), STOA_TYPE_OF(T), STOA_SIZE_OF(T)))
/// stoa_try_get_mut on a ref.
#define stoa_ref_try_get_mut(ref, T)                                                               \
    ((T *)stoa_ref_find_mut_type((ref), STOA_TYPE_OF(T), STOA_SIZE_OF(T)))
/// stoa_add on a ref.
#define stoa_ref_add(ref, T) stoa_ref_add_type((ref), STOA_TYPE_OF(T))
/// stoa_remove on a ref.
#define stoa_ref_remove(ref, T) stoa_ref_remove_type((ref), STOA_TYPE_OF(T))

#ifdef STOA_DEBUG
/// The column look-up behind stoa_field: checks the type in a debug build.
#define STOA_FIELD(it, type, size, index) stoa_field_type(it, type, index)
/// The column look-up behind stoa_field_mut: checks the type in a debug build.
#define STOA_FIELD_MUT(it, type, size, index) stoa_field_mut_type(it, type, index)
/// The look-up behind stoa_field_at: checks the type in a debug build.
#define STOA_FIELD_AT(it, type, size, index, row) stoa_field_at_type(it, type, index, row)
/// The look-up behind stoa_field_at_mut: checks the type in a debug build.
#define STOA_FIELD_AT_MUT(it, type, size, index, row) stoa_field_at_mut_type(it, type, index, row)
#else
/// The column look-up behind stoa_field: checks the type in a debug build.
#define STOA_FIELD(it, type, size, index) stoa_fast_field(it, type, size, index)
/// The column look-up behind stoa_field_mut: checks the type in a debug build.
#define STOA_FIELD_MUT(it, type, size, index) stoa_fast_field_mut(it, type, size, index)
/// The look-up behind stoa_field_at: checks the type in a debug build.
#define STOA_FIELD_AT(it, type, size, index, row) stoa_fast_field_at(it, type, size, index, row)
/// The look-up behind stoa_field_at_mut: checks the type in a debug build.
#define STOA_FIELD_AT_MUT(it, type, size, index, row)                                              \
    stoa_fast_field_at_mut(it, type, size, index, row)
#endif

/// The rows at hand of an iteration, for a call: the iteration itself stays in registers.
/// Compilers would join words to vectors, and that before they know that there is a call. Entities
/// are given where the call asks for them.
static inline stoa_iter stoa_iter_rows(const stoa_iter *it, const stoa_entity *entities) {
    // clang-format off
    stoa_iter rows = {it->world, entities, it->count, 0, it->fields, it->columns, it->indexes,
                      it->first, it->query, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL, NULL};
    // clang-format on
    STOA_ALONE(rows.entities);
    STOA_ALONE(rows.columns);
    STOA_ALONE(rows.first);
    return rows;
}

/// stoa_field_type without the check of the type; `size` is the type's.
static inline const void *stoa_fast_field(const stoa_iter *it, stoa_type *type, uint32_t size,
                                          int32_t index) {
    if (STOA_LIKELY((uint32_t)index < STOA_TERM_MAX && (it->fields >> index & 1) != 0)) {
        return it->columns[it->indexes[index]] + it->first * size;
    }
    return stoa_field_none(it->world, it->query, type, index);
}

/// stoa_field_mut_type without the check of the type; `size` is the type's.
static inline void *stoa_fast_field_mut(const stoa_iter *it, stoa_type *type, uint32_t size,
                                        int32_t index) {
    if (STOA_LIKELY((uint32_t)index < STOA_TERM_MAX && (it->fields >> (index + 32) & 1) != 0)) {
        uint8_t *column = it->columns[it->indexes[index]];
        stoa_column_mark(column, ((const stoa_world_head *)(const void *)it->world)->tick);
        return column + it->first * size;
    }
    stoa_iter rows = stoa_iter_rows(it, NULL);
    return stoa_field_mut_type(&rows, type, index);
}

/// The set of a sparse term that every row of the run is in, or NULL; `index` is a term's.
static inline const stoa_sparse_head *stoa_fast_set(const stoa_iter *it, int32_t index) {
    return it->walk != NULL ? it->walk->sets[index] : NULL;
}

/// The position of a row in a set that it is in.
static inline size_t stoa_fast_position(const stoa_iter *it, const stoa_sparse_head *set,
                                        int32_t row) {
    if (set == it->walk->driver) {
        return it->walk->positions[it->run - 1 - it->walk->runs] + (size_t)row;
    }
    uint32_t i = it->entities[row].index;
    return set->pages[i >> STOA_PAGE_BITS][i & ((1u << STOA_PAGE_BITS) - 1)] - (size_t)1;
}

/// stoa_field_at_type without the check of the type; `size` is the type's.
static inline const void *stoa_fast_field_at(const stoa_iter *it, stoa_type *type, uint32_t size,
                                             int32_t index, int32_t row) {
    if (STOA_LIKELY((uint32_t)index < STOA_TERM_MAX && (uint32_t)row < (uint32_t)it->count)) {
        if ((it->fields >> index & 1) != 0) {
            return it->columns[it->indexes[index]] + (it->first + (size_t)row) * size;
        }
        const stoa_sparse_head *set = stoa_fast_set(it, index);
        if (STOA_LIKELY(set != NULL)) {
            return set->values + stoa_fast_position(it, set, row) * size;
        }
    }
    stoa_iter rows = stoa_iter_rows(it, it->entities);
    return stoa_field_at_type(&rows, type, index, row);
}

/// stoa_field_at_mut_type without the check of the type; `size` is the type's.
static inline void *stoa_fast_field_at_mut(const stoa_iter *it, stoa_type *type, uint32_t size,
                                           int32_t index, int32_t row) {
    if (STOA_LIKELY((uint32_t)index < STOA_TERM_MAX && (uint32_t)row < (uint32_t)it->count)) {
        uint32_t tick = ((const stoa_world_head *)(const void *)it->world)->tick;
        if ((it->fields >> (index + 32) & 1) != 0) {
            uint8_t *column = it->columns[it->indexes[index]];
            stoa_column_mark(column, tick);
            return column + (it->first + (size_t)row) * size;
        }
        const stoa_sparse_head *set = stoa_fast_set(it, index);
        if (STOA_LIKELY(set != NULL && (it->walk->writes >> index & 1) != 0)) {
            size_t position = stoa_fast_position(it, set, row);
            STOA_STORE(&set->changed[position], tick);
            return set->values + position * size;
        }
    }
    stoa_iter rows = stoa_iter_rows(it, it->entities);
    return stoa_field_at_mut_type(&rows, type, index, row);
}

#ifdef __cplusplus

/// A query term of the given access and group.
#define STOA_TERM(T, access, group) (stoa_term{STOA_TYPE_OF(T), 0, access, group})
/// A pointer that must be one to T.
#define STOA_POINTER_TO(T, pointer) static_cast<const T *>(pointer)

#else

/// A query term of the given access and group.
#define STOA_TERM(T, access, group) ((stoa_term){STOA_TYPE_OF(T), 0, (access), (group)})
/// A pointer that must be one to T.
#define STOA_POINTER_TO(T, pointer) _Generic((pointer), T * : (pointer), const T * : (pointer))

/// A component with a value, for bundles and changes: `STOA_VALUE(Position, { 1, 2 })`. C only.
#define STOA_VALUE(T, ...)                                                                         \
    ((stoa_value){STOA_TYPE_OF(T), &(T)__VA_ARGS__, STOA_SIZE_OF(T), STOA_PUT})

/// A component with a value from a `T *`. C only.
#define STOA_VALUE_FROM(T, pointer)                                                                \
    ((stoa_value){STOA_TYPE_OF(T), STOA_POINTER_TO(T, pointer), STOA_SIZE_OF(T), STOA_PUT})

/// A column of values from an array of T, for stoa_create_bulk. C only.
#define STOA_COLUMN(T, array) STOA_VALUE_FROM(T, &(array)[0])

/// One value for all entities of a stoa_create_bulk: `STOA_SAME(Health, { 100 })`. C only.
#define STOA_SAME(T, ...) ((stoa_value){STOA_TYPE_OF(T), &(T)__VA_ARGS__, 0, STOA_PUT_SAME})

/// A component zeroed, or a tag, for bundles and changes. C only.
#define STOA_ZERO(T) ((stoa_value){STOA_TYPE_OF(T), NULL, STOA_SIZE_OF(T), STOA_PUT})

/// A component to take away, for stoa_change. C only.
#define STOA_REMOVE(T) ((stoa_value){STOA_TYPE_OF(T), NULL, 0, STOA_DROP})

/// A list of values and its length, as two arguments. C only.
#define STOA_VALUES(...)                                                                           \
    (const stoa_value[]){__VA_ARGS__},                                                             \
        (int32_t)(sizeof((const stoa_value[]){__VA_ARGS__}) / sizeof(stoa_value))

/// Makes an entity with a bundle, straight in its place; STOA_NULL on error. C only.
#define stoa_create_with(world, ...) stoa_fast_create((world), STOA_VALUES(__VA_ARGS__))

/// Makes n entities of one bundle, columns given as arrays or zeroed. C only.
#define stoa_create_bulk(world, count, entities, ...)                                              \
    stoa_create_bulk_values((world), (count), (entities), STOA_VALUES(__VA_ARGS__))

/// Prepares for n more entities of a bundle: `stoa_reserve(w, 1000, STOA_ZERO(Position))`. C only.
#define stoa_reserve(world, count, ...)                                                            \
    stoa_reserve_values((world), (count), STOA_VALUES(__VA_ARGS__))

/// Adds T with a value, or overwrites it in place: `stoa_set(w, e, Position, { 1, 2 })`. C only.
#define stoa_set(world, e, T, ...)                                                                 \
    stoa_set_sized((world), (e), STOA_TYPE_OF(T), &(T)__VA_ARGS__, STOA_SIZE_OF(T))

/// Adds, overwrites and removes several components with one move. C only.
#define stoa_change(world, e, ...) stoa_change_values((world), (e), STOA_VALUES(__VA_ARGS__))

/// Records the creation of an entity with a bundle; returns its handle. C only.
#define stoa_commands_create_with(commands, ...)                                                   \
    stoa_commands_create_values((commands), STOA_VALUES(__VA_ARGS__))

/// Records that T is set: `stoa_commands_set(c, e, Position, { 1, 2 })`. C only.
#define stoa_commands_set(commands, e, T, ...)                                                     \
    stoa_commands_set_sized((commands), (e), STOA_TYPE_OF(T), &(T)__VA_ARGS__, STOA_SIZE_OF(T))

/// Records that several components are added, overwritten and removed with one move. C only.
#define stoa_commands_change(commands, e, ...)                                                     \
    stoa_commands_change_values((commands), (e), STOA_VALUES(__VA_ARGS__))

/// Sends an event to the world: `stoa_event_send(w, Hit, { 5 })`. C only.
#define stoa_event_send(world, T, ...)                                                             \
    stoa_event_send_type((world), STOA_NULL, STOA_TYPE_OF(T), &(T)__VA_ARGS__)

/// Sends an event to an entity. C only.
#define stoa_event_send_to(world, e, T, ...)                                                       \
    stoa_event_send_type((world), (e), STOA_TYPE_OF(T), &(T)__VA_ARGS__)

/// Records that an event is sent to the world: `stoa_commands_send(c, Hit, { 5 })`. C only.
#define stoa_commands_send(commands, T, ...)                                                       \
    stoa_commands_send_type((commands), STOA_NULL, STOA_TYPE_OF(T), &(T)__VA_ARGS__)

/// Records that an event is sent to an entity. C only.
#define stoa_commands_send_to(commands, e, T, ...)                                                 \
    stoa_commands_send_type((commands), (e), STOA_TYPE_OF(T), &(T)__VA_ARGS__)

/// Puts the resource T in, or overwrites it. C only.
#define stoa_resource_set(world, T, ...)                                                           \
    stoa_resource_set_type((world), STOA_TYPE_OF(T), &(T)__VA_ARGS__)

/// Gives everything that a query matches a copy of a value of T. C only.
#define stoa_query_set(query, T, ...) stoa_query_set_type((query), STOA_TYPE_OF(T), &(T)__VA_ARGS__)

/// stoa_set on a ref. C only.
#define stoa_ref_set(ref, T, ...) stoa_ref_set_type((ref), STOA_TYPE_OF(T), &(T)__VA_ARGS__)

#endif

#endif

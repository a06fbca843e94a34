/* The typed macros: each adds a descriptor and a cast, then calls one function.
 *
 * T is a type described by STOA_COMPONENT or its kin, visible in this translation unit. Every
 * argument is evaluated once. Those that make a value in place need compound literals and are C
 * only; the functions they call are for both. */
#ifndef STOA_TYPED_H
#define STOA_TYPED_H

#include "stoa/query.h"
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
    ((T *)stoa_fast_try((world), (e), STOA_TYPE_OF(T), STOA_SIZE_OF(T)))

/// Runs the block that follows, with `const T *p`, if the entity has T.
#define stoa_with(world, e, T, p) for (const T *p = stoa_try_get(world, e, T); p; p = NULL)

/// Runs the block that follows, with `T *p`, if the entity has T.
#define stoa_with_mut(world, e, T, p) for (T *p = stoa_try_get_mut(world, e, T); p; p = NULL)

/// Adds T zeroed; no change if it is there.
#define stoa_add(world, e, T) stoa_add_type((world), (e), STOA_TYPE_OF(T))

/// Takes T away; no change if it is not there.
#define stoa_remove(world, e, T) stoa_remove_type((world), (e), STOA_TYPE_OF(T))

/// Adds T from a `T *`, or overwrites it in place; any other pointer does not compile.
#define stoa_set_from(world, e, T, pointer)                                                        \
    stoa_set_type((world), (e), STOA_TYPE_OF(T), STOA_POINTER_TO(T, pointer))

/// Term i's column of this chunk as `const T *`; NULL where an optional term has none.
#define stoa_field(it, T, index) ((const T *)STOA_FIELD((it), STOA_TYPE_OF(T), (index)))

/// Term i's column of this chunk as `T *`; the term must be one that writes.
#define stoa_field_mut(it, T, index) ((T *)STOA_FIELD_MUT((it), STOA_TYPE_OF(T), (index)))

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

/// Looks a component up for a ref, with no error; see stoa_ref_try_get.
static inline void *stoa_ref_find_type(stoa_ref ref, stoa_type *type, uint32_t size) {
    return stoa_fast_try(ref.world, ref.entity, type, size);
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
#define stoa_ref_has(ref, T) (stoa_ref_find_type((ref), STOA_TYPE_OF(T), STOA_SIZE_OF(T)) != NULL)
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
    ((T *)stoa_ref_find_type((ref), STOA_TYPE_OF(T), STOA_SIZE_OF(T)))
/// stoa_add on a ref.
#define stoa_ref_add(ref, T) stoa_ref_add_type((ref), STOA_TYPE_OF(T))
/// stoa_remove on a ref.
#define stoa_ref_remove(ref, T) stoa_ref_remove_type((ref), STOA_TYPE_OF(T))

#ifdef STOA_DEBUG
/// The column look-up behind stoa_field: checks the type in a debug build.
#define STOA_FIELD(it, type, index) stoa_field_type(it, type, index)
/// The column look-up behind stoa_field_mut: checks the type in a debug build.
#define STOA_FIELD_MUT(it, type, index) stoa_field_mut_type(it, type, index)
#else
/// The column look-up behind stoa_field: checks the type in a debug build.
#define STOA_FIELD(it, type, index) stoa_fast_field(it, type, index)
/// The column look-up behind stoa_field_mut: checks the type in a debug build.
#define STOA_FIELD_MUT(it, type, index) stoa_fast_field_mut(it, type, index)
#endif

/// stoa_field_type without the check of the type.
static inline const void *stoa_fast_field(const stoa_iter *it, stoa_type *type, int32_t index) {
    if (STOA_LIKELY((uint32_t)index < STOA_TERM_MAX && (it->fields >> index & 1) != 0)) {
        return it->data + it->offsets[index];
    }
    stoa_iter copy = *it;
    return stoa_field_type(&copy, type, index);
}

/// stoa_field_mut_type without the check of the type.
static inline void *stoa_fast_field_mut(const stoa_iter *it, stoa_type *type, int32_t index) {
    if (STOA_LIKELY((uint32_t)index < STOA_TERM_MAX && (it->fields >> (index + 32) & 1) != 0)) {
        return it->data + it->offsets[index];
    }
    stoa_iter copy = *it;
    return stoa_field_mut_type(&copy, type, index);
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
#define STOA_VALUE(T, ...) ((stoa_value){STOA_TYPE_OF(T), &(T)__VA_ARGS__, 0, STOA_PUT})

/// A component with a value from a `T *`. C only.
#define STOA_VALUE_FROM(T, pointer)                                                                \
    ((stoa_value){STOA_TYPE_OF(T), STOA_POINTER_TO(T, pointer), 0, STOA_PUT})

/// A column of values from an array of T, for stoa_create_bulk. C only.
#define STOA_COLUMN(T, array) STOA_VALUE_FROM(T, &(array)[0])

/// A component zeroed, or a tag, for bundles and changes. C only.
#define STOA_ZERO(T) ((stoa_value){STOA_TYPE_OF(T), NULL, 0, STOA_PUT})

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
#define stoa_set(world, e, T, ...) stoa_set_type((world), (e), STOA_TYPE_OF(T), &(T)__VA_ARGS__)

/// Adds, overwrites and removes several components with one move. C only.
#define stoa_change(world, e, ...) stoa_change_values((world), (e), STOA_VALUES(__VA_ARGS__))

/// stoa_set on a ref. C only.
#define stoa_ref_set(ref, T, ...) stoa_ref_set_type((ref), STOA_TYPE_OF(T), &(T)__VA_ARGS__)

#endif

#endif

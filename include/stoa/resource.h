/* Resources: values of which a world has one, such as settings or the time.
 *
 * A resource is found by its type; a type may be a component and a resource. */
#ifndef STOA_RESOURCE_H
#define STOA_RESOURCE_H

#include "stoa/access.h"

STOA_BEGIN

/// Puts a resource in, or overwrites it and drops the old value. The value is moved in.
stoa_status stoa_resource_set_id(stoa_world *world, stoa_component id, const void *value,
                                 size_t size);

/// The resource, which must be there; NULL with an error if not. Stays where it is until removed.
const void *stoa_resource_id(const stoa_world *world, stoa_component id);

/// stoa_resource_id for writing; marks it as changed.
void *stoa_resource_mut_id(stoa_world *world, stoa_component id);

/// The resource, or NULL with no error.
const void *stoa_resource_try_id(const stoa_world *world, stoa_component id);

/// stoa_resource_try_id for writing; marks it as changed.
void *stoa_resource_try_mut_id(stoa_world *world, stoa_component id);

/// True if there is a resource of that type.
bool stoa_resource_has_id(const stoa_world *world, stoa_component id);

/// The type of the resource of that name; 0, with no error, if there is no such resource now.
stoa_component stoa_resource_find(const stoa_world *world, const char *name);

/// Takes a resource away and drops it; no change if it is not there.
stoa_status stoa_resource_remove_id(stoa_world *world, stoa_component id);

/// True if the resource is there and was written after the tick.
bool stoa_resource_changed_id(const stoa_world *world, stoa_component id, uint32_t since);

/// The resource's type after `id` in order of ids, the first for 0; 0 at the end. For tools.
stoa_component stoa_resource_next(const stoa_world *world, stoa_component id);

/// Typed twin of stoa_resource_set_id.
stoa_status stoa_resource_set_type(stoa_world *world, stoa_type *type, const void *value);

/// Typed twin of stoa_resource_id.
const void *stoa_resource_type(const stoa_world *world, stoa_type *type);

/// Typed twin of stoa_resource_mut_id.
void *stoa_resource_mut_type(stoa_world *world, stoa_type *type);

/// Typed twin of stoa_resource_try_id.
const void *stoa_resource_try_type(const stoa_world *world, stoa_type *type);

/// Typed twin of stoa_resource_try_mut_id.
void *stoa_resource_try_mut_type(stoa_world *world, stoa_type *type);

/// Typed twin of stoa_resource_has_id.
bool stoa_resource_has_type(const stoa_world *world, stoa_type *type);

/// Typed twin of stoa_resource_remove_id.
stoa_status stoa_resource_remove_type(stoa_world *world, stoa_type *type);

/// Typed twin of stoa_resource_changed_id.
bool stoa_resource_changed_type(const stoa_world *world, stoa_type *type, uint32_t since);

STOA_END

#endif

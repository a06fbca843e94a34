/* Access by run-time id and by name: what the typed macros call, and what bindings stand on. */
#ifndef STOA_ACCESS_H
#define STOA_ACCESS_H

#include "stoa/parcel.h"
#include "stoa/world.h"

STOA_BEGIN

/// True if the entity lives and has the component; false otherwise, with no error.
bool stoa_has_id(const stoa_world *world, stoa_entity e, stoa_component id);

/// The component, which must be there; NULL with an error if not.
/// Valid until the next structural change of the world.
const void *stoa_get_id(const stoa_world *world, stoa_entity e, stoa_component id);

/// stoa_get_id for writing.
void *stoa_get_mut_id(stoa_world *world, stoa_entity e, stoa_component id);

/// The component, or NULL with no error if the entity is dead or has none.
const void *stoa_try_get_id(const stoa_world *world, stoa_entity e, stoa_component id);

/// stoa_try_get_id for writing.
void *stoa_try_get_mut_id(stoa_world *world, stoa_entity e, stoa_component id);

/// Adds the component with a value, or overwrites it in place. `size` must be the component's.
/// The value is moved in; see stoa_value.
stoa_status stoa_set_id(stoa_world *world, stoa_entity e, stoa_component id, const void *value,
                        size_t size);

/// Adds the component zeroed; no change if it is there.
stoa_status stoa_add_id(stoa_world *world, stoa_entity e, stoa_component id);

/// Takes the component away; no change if it is not there.
stoa_status stoa_remove_id(stoa_world *world, stoa_entity e, stoa_component id);

/// Adds, overwrites and removes several components with one move. See stoa_change.
stoa_status stoa_change_values(stoa_world *world, stoa_entity e, const stoa_value *values,
                               int32_t count);

/// Switches a component of an entity on or off; queries skip rows in which it is off.
/// The component must be there and be STOA_SWITCHABLE. Its data stays; nothing moves.
stoa_status stoa_enable_id(stoa_world *world, stoa_entity e, stoa_component id, bool on);

/// True if the entity lives and has the component, and it is not switched off.
bool stoa_enabled_id(const stoa_world *world, stoa_entity e, stoa_component id);

/// Typed twin of stoa_enable_id; called by stoa_enable.
stoa_status stoa_enable_type(stoa_world *world, stoa_entity e, stoa_type *type, bool on);

/// Typed twin of stoa_enabled_id; called by stoa_enabled.
bool stoa_enabled_type(const stoa_world *world, stoa_entity e, stoa_type *type);

/// stoa_has_id by name; false for a name the world does not know.
bool stoa_has_named(const stoa_world *world, stoa_entity e, const char *name);

/// stoa_get_id by name.
const void *stoa_get_named(const stoa_world *world, stoa_entity e, const char *name);

/// stoa_get_mut_id by name.
void *stoa_get_mut_named(stoa_world *world, stoa_entity e, const char *name);

/// stoa_set_id by name.
stoa_status stoa_set_named(stoa_world *world, stoa_entity e, const char *name, const void *value,
                           size_t size);

/// stoa_add_id by name.
stoa_status stoa_add_named(stoa_world *world, stoa_entity e, const char *name);

/// stoa_remove_id by name.
stoa_status stoa_remove_named(stoa_world *world, stoa_entity e, const char *name);

/// Typed twin of stoa_get_id; called by stoa_get when the component is not there.
const void *stoa_get_type(const stoa_world *world, stoa_entity e, stoa_type *type);

/// Typed twin of stoa_get_mut_id; called by stoa_get_mut when the component is not there.
void *stoa_get_mut_type(stoa_world *world, stoa_entity e, stoa_type *type);

/// Typed twin of stoa_try_get_id; called by stoa_try_get and stoa_has for a type not met before.
const void *stoa_try_type(const stoa_world *world, stoa_entity e, stoa_type *type);

/// Typed twin of stoa_try_get_mut_id; called by stoa_try_get_mut for a type not met before.
void *stoa_try_mut_type(stoa_world *world, stoa_entity e, stoa_type *type);

/// Typed twin of stoa_set_id; called by stoa_set.
stoa_status stoa_set_type(stoa_world *world, stoa_entity e, stoa_type *type, const void *value);

/// stoa_set_type of a value that was packed; called by stoa_set for small types.
/// STOA_INVALID if the type is larger than a parcel. The value is moved in from where the library
/// unpacks it.
stoa_status stoa_set_parcel(stoa_world *world, stoa_entity e, stoa_type *type, stoa_parcel value);

/// Typed twin of stoa_add_id; called by stoa_add.
stoa_status stoa_add_type(stoa_world *world, stoa_entity e, stoa_type *type);

/// Typed twin of stoa_remove_id; called by stoa_remove.
stoa_status stoa_remove_type(stoa_world *world, stoa_entity e, stoa_type *type);

STOA_END

#endif

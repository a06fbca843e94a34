/* Changing what an entity has by one component of a described type: what comes after what is tried
 * first. A value that is not NULL is what the first call was given. All of it is reported. */
#ifndef STOA_WORLD_CHANGE_TYPE_H
#define STOA_WORLD_CHANGE_TYPE_H

#include "stoa/parcel.h"
#include "world/change.h"

/* Sets a component where no way is remembered, or it is not the right one. */
stoa_status stoa__type_set_hop(stoa_world *world, stoa_entity e, stoa_type *type,
                               const void *value);

/* The same where one is remembered, but it is not one vector that is shifted. */
stoa_status stoa__type_set(stoa_world *world, stoa_entity e, stoa_type *type, const void *value);

/* Sets a sparse component along a way that is open. */
stoa_status stoa__type_set_sparse(stoa_world *world, stoa_entity e, stoa_type *type,
                                  const stoa__way *way, const void *value);

/* Takes a component away, in these three cases. */
stoa_status stoa__type_remove_hop(stoa_world *world, stoa_entity e, stoa_type *type);
stoa_status stoa__type_remove(stoa_world *world, stoa_entity e, stoa_type *type);
stoa_status stoa__type_remove_sparse(stoa_world *world, stoa_entity e, stoa_type *type,
                                     const stoa__way *way);

/* Sets a component along a way that is open, whatever columns there are beside it. */
stoa_status stoa__wide_set(stoa_world *world, stoa_entity e, stoa_type *type, const stoa__way *way,
                           stoa_parcel value);

/* Adds a component so; false, with nothing done, if it could not be gone or somebody is told. */
bool stoa__wide_add(stoa_world *world, stoa_entity e, stoa__way *way);

/* Takes one away so. */
stoa_status stoa__wide_remove(stoa_world *world, stoa_entity e, stoa_type *type,
                              const stoa__way *way);

#endif

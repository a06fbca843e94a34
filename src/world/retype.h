/* What changing descriptions of components needs of a world beside its storage. */
#ifndef STOA_WORLD_RETYPE_H
#define STOA_WORLD_RETYPE_H

#include "storage/storage.h"

/* STOA_OK if nothing runs and nothing is recorded; otherwise reported. */
stoa_status stoa__code_idle(const stoa_world *world);

/* Forgets what is remembered of descriptors and of where bundles go. */
void stoa__code_caches_clear(stoa_world *world);

/* Calls for the values of a component that are no entity's: a resource, and events that are queued.
 */
void stoa__retype_rest(stoa_world *world, stoa_component id,
                       void (*call)(const stoa__component *component, void *values, size_t count));

#endif

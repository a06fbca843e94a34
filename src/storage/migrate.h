/* Migration of whole archetypes: all rows at once, chunk by chunk. */
#ifndef STOA_STORAGE_MIGRATE_H
#define STOA_STORAGE_MIGRATE_H

#include "storage/edge.h"

/* Moves all rows of an archetype along an edge that puts one component it does not have, or drops
 * one that it has. They come behind those of the target, in the order they had: as if they had been
 * moved one by one. Each row is given a copy of `value`, or zeros if that is
 * NULL. `value` must not be in a chunk. On an error, with the thread's error set, the chunks before
 * the one that failed have been moved. Dropping needs no memory if it leaves nothing. */
stoa_status stoa__migrate_rows(stoa__storage *storage, stoa__archetype *source, stoa__edge *edge,
                               const void *value);

/* The same for all entities without components, in order of their indexes; the edge is one of the
 * empty archetype. */
stoa_status stoa__migrate_empty(stoa__storage *storage, stoa__edge *edge, const void *value);

/* Gives each row of an archetype that has the component a copy of `value`, in place. `spare` is raw
 * memory for one component. On an error the rows before the one that failed have been written. */
stoa_status stoa__migrate_set(stoa__storage *storage, stoa__archetype *archetype,
                              const stoa__component *component, const void *value, void *spare);

/* Ends all entities of an archetype in storage order, and drops what they have. */
void stoa__migrate_destroy(stoa__storage *storage, stoa__archetype *archetype);

/* Ends all entities without components, in order of their indexes. */
void stoa__migrate_destroy_empty(stoa__storage *storage);

/* Copies a value into raw memory for `count` of them, one after the other, or writes zeros if it is
 * NULL. False, with the thread's error set and nothing made, if the copy hook fails. */
bool stoa__migrate_fill(const stoa__component *component, void *to, const void *value,
                        int32_t count);

#endif

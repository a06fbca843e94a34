/* Moves: rows of one archetype that take the same edge one after the other. */
#ifndef STOA_STORAGE_MOVES_H
#define STOA_STORAGE_MOVES_H

#include "storage/edge.h"
#include "storage/handles.h"

/* Moves the rows of entities along a quick edge that is ready and has one element, in this order,
 * up to the first that is dead or of another archetype, and at most a block of them or until a
 * chunk is empty or full; returns how many. The source has rows. `value` is where the value to be
 * put stands behind each handle; 0: it is zero. */
uint32_t stoa__moves_run(stoa__storage *storage, stoa__archetype *source, const stoa__edge *edge,
                         stoa__handles handles, size_t value);

#endif

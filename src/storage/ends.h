/* Ends: destroying entities of one archetype one after the other. */
#ifndef STOA_STORAGE_ENDS_H
#define STOA_STORAGE_ENDS_H

#include "storage/handles.h"

/* Destroys entities in this order, up to the first that is dead or of another archetype, and at
 * most a block of them or until a chunk is empty; returns how many, at least one if the first lives
 * in the archetype. Nobody is told, and sparse sets are left alone. */
uint32_t stoa__ends_run(stoa__storage *storage, stoa__archetype *archetype, stoa__handles handles);

#endif

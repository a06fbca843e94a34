/* Ends: destroying entities of one archetype one after the other. */
#ifndef STOA_STORAGE_ENDS_H
#define STOA_STORAGE_ENDS_H

#include "storage/handles.h"

/* Destroys entities in this order, up to the first that is dead or of another archetype, and at
 * most a block of them or until a chunk is empty; returns how many, at least one if the first lives
 * in the archetype. Nobody is told, and sparse sets are left alone. */
uint32_t stoa__ends_run(stoa__storage *storage, stoa__archetype *archetype, stoa__handles handles);

/* The same of a small archetype with two columns, at most until a chunk is empty; 0 if there is no
 * way of its own for columns of these sizes, or the first entity is out of the ordinary. */
uint32_t stoa__ends_pair(stoa__storage *storage, stoa__archetype *archetype, stoa__handles handles);

/* Notes that records were written: those of the dead, and of who has moved. What was the last row
 * when it moved still has its entity. */
void stoa__ends_stamp(const stoa__storage *storage, stoa__handles handles, uint32_t count,
                      stoa__row last);

#endif

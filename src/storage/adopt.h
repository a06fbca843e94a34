/* Adoption: moving rows to another archetype by giving it their chunks. */
#ifndef STOA_STORAGE_ADOPT_H
#define STOA_STORAGE_ADOPT_H

#include "storage/edge.h"

/* True if the chunks of the source can be handed over: they are full-sized, the target's have the
 * same layout, and none of those is partly filled. The archetypes must be those of an edge with one
 * component, which is then a tag. */
bool stoa__adopt_fits(const stoa__archetype *source, const stoa__archetype *target);

/* Hands the chunks of the source over along an edge with one component, behind those of the target;
 * stoa__adopt_fits must hold. On an error, with the thread's error set, no row has moved. */
stoa_status stoa__adopt_chunks(stoa__storage *storage, stoa__archetype *source, stoa__edge *edge);

#endif

/* Permutations: putting the rows of an archetype, or the positions of a sparse set, in another
 * order. Memory and the order are the caller's; nothing here can fail. */
#ifndef STOA_STORAGE_PERMUTE_H
#define STOA_STORAGE_PERMUTE_H

#include "storage/sparse.h"

/* Which rows an order moves: those from `first` to `end` - 1 change places among themselves. */
typedef struct stoa__shuffle {
    const int32_t *order; /* row i becomes what was row order[i] */
    uint32_t first;
    uint32_t end; /* `first` if nothing moves */
} stoa__shuffle;

/* Leaves out the rows at both ends that stay where they are. */
stoa__shuffle stoa__shuffle_of(const int32_t *order, uint32_t count);

/* True if each row that moves is named once; `room` has a byte for each of them. */
bool stoa__shuffle_valid(const stoa__shuffle *shuffle, void *room);

/* Bytes of room that a permutation needs, at least one for each row that moves. */
size_t stoa__permute_rows_room(const stoa__archetype *archetype, const stoa__shuffle *shuffle);
size_t stoa__permute_set_room(const stoa__sparse *set, const stoa__shuffle *shuffle);

/* Moves the rows: columns, entities and records, ticks, switches. `room` is on a 64-byte boundary.
 */
void stoa__permute_rows(stoa__storage *storage, stoa__archetype *archetype,
                        const stoa__shuffle *shuffle, void *room);

/* Moves the positions of a sparse set. */
void stoa__permute_set(stoa__sparse *set, const stoa__shuffle *shuffle, void *room);

#endif

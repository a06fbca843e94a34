/* A hash table from a 64-bit hash to a number that the caller can make sense of, such as an index.
 *
 * Open addressing, linear probing, a power of two of cells, at most 3/4 full. Keys stay with the
 * caller: the table keeps hashes, and a search walks the numbers of equal hash until the caller has
 * found the right key. Order never shows. */
#ifndef STOA_BASE_MAP_H
#define STOA_BASE_MAP_H

#include "base/heap.h"

typedef struct stoa__map_cell {
    uint64_t hash;
    uint32_t value; /* UINT32_MAX in a free cell */
} stoa__map_cell;

typedef struct stoa__map {
    stoa__map_cell *cells; /* NULL while empty */
    uint32_t capacity;     /* cells, a power of two or 0 */
    uint32_t count;
} stoa__map;

/* No value: never stored. */
#define STOA__MAP_NONE UINT32_MAX

/* A zeroed map is an empty one. */
void stoa__map_fini(stoa__map *map, stoa__heap *heap);

/* Takes everything out; the room stays. */
void stoa__map_clear(stoa__map *map);

/* Makes room for one more, so that the next stoa__map_insert cannot fail. */
bool stoa__map_reserve(stoa__map *map, stoa__heap *heap);

/* Inserts; needs the room that stoa__map_reserve made. */
void stoa__map_insert(stoa__map *map, uint64_t hash, uint32_t value);

/* Takes out the entry with that hash and value, if there is one. */
void stoa__map_remove(stoa__map *map, uint64_t hash, uint32_t value);

/* Walks the values of one hash: `cursor` starts at 0; STOA__MAP_NONE after the last. */
uint32_t stoa__map_next(const stoa__map *map, uint64_t hash, uint32_t *cursor);

#endif

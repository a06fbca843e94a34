/* The layout of a chunk: where each column starts for a given number of rows. */
#ifndef STOA_STORAGE_LAYOUT_H
#define STOA_STORAGE_LAYOUT_H

#include "storage/storage.h"

/* The rows of a full-sized chunk for rows of that many bytes: a power of two. */
uint32_t stoa__layout_full(uint32_t chunk_size, uint64_t row_size);

/* The rows of the first, small chunk of an archetype. */
uint32_t stoa__layout_first(const stoa__archetype *archetype);

/* Bytes that the entities of a chunk take, and one of its lanes, with the line of its state. */
uint64_t stoa__layout_entities(uint32_t rows);
uint64_t stoa__layout_lane(uint32_t size, uint32_t rows);

/* Bytes from one tag to the next. */
#define STOA__TAG_STRIDE ((uint32_t)sizeof(stoa_column_state) + 4u)

/* The index of tag number `i` of an archetype. What comes before the tags of a chunk leads to its
 * group. */
static inline uint32_t stoa__layout_tag(uint32_t i) {
    uint32_t before = (uint32_t)sizeof(void *) + (uint32_t)sizeof(stoa_column_state);
    return STOA_INDEX_TAG | (before + i * STOA__TAG_STRIDE);
}

/* Bytes for the tags of a chunk of `rows`, which stand apart. */
uint64_t stoa__layout_tags(const stoa__archetype *archetype, uint32_t rows);

/* Bytes of the entities and lanes of a chunk of `rows`; above UINT32_MAX if it does not fit. */
uint64_t stoa__layout_size(const stoa__archetype *archetype, uint32_t rows);

/* Gives the archetype, which holds no chunks, or one that goes away, chunks of `rows`; moves its
 * version and the epoch on. */
void stoa__layout_apply(stoa__storage *storage, stoa__archetype *archetype, uint32_t rows);

/* How the last row of an archetype is put into a hole, in one word: where memory is far away, what
 * is loaded beside it counts. It is 0 if more has to be done than to move plain rows. The low half
 * is the archetype's index. The other is 0 if there are tags, else 1 if there are many lanes or
 * lanes of different sizes; else it tells how many lanes there are and what size they have. */
#define STOA__FILL_INDEX(fill) ((uint32_t)(fill))
#define STOA__FILL_EVEN(fill) ((fill) >> 63 != 0)
#define STOA__FILL_TAGS(fill) ((fill) >> 32 == 0)
#define STOA__FILL_LANES(fill) ((uint32_t)((fill) >> 60 & 7))
#define STOA__FILL_SIZE(fill) ((size_t)((fill) >> 55 & 0x1F))
/* True if there are two lanes, of vectors. */
#define STOA__FILL_VECTORS(fill) ((fill) >> 55 == (1u << 8 | 2u << 5 | 12u))

/* The word for the current layout. */
uint64_t stoa__layout_fill(const stoa__storage *storage, const stoa__archetype *archetype);

#endif

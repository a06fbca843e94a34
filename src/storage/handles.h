/* Handles that stand at equal distances, as commands have them, and the rows that they lead to.
 *
 * Jobs on many rows of one archetype first put the entity table right and note which rows are to be
 * filled with the last ones, then do one column after the other: loops that are short enough for
 * registers. */
#ifndef STOA_STORAGE_HANDLES_H
#define STOA_STORAGE_HANDLES_H

#include "storage/row.h"

typedef struct stoa__handles {
    const uint8_t *first;
    size_t stride; /* bytes from one to the next */
    uint32_t count;
} stoa__handles;

/* Index and generation are read by a load each, which takes fewer instructions than one and taking
 * it apart. */
STOA__INLINE const stoa_entity *stoa__handle_at(const uint8_t *at) {
    return (const stoa_entity *)(const void *)at;
}

/* Rows that are worked on together. */
#define STOA__HOLES_MAX 128

/* A row that is filled. What fills the first one of a job is the last row of the archetype, what
 * fills the second the one before that, and so on. */
typedef struct stoa__hole {
    uint8_t *const *columns;
    size_t slot;
} stoa__hole;

/* Places of a chunk begin here. */
STOA__INLINE uint64_t stoa__places_of(uint32_t chunk) {
    return (uint64_t)chunk << STOA_PLACE_BITS;
}

/* No chunk: no place is near. */
#define STOA__PLACES_NONE ((uint64_t)1 << 63)

/* A list of handles; nothing else stands between them. */
STOA__INLINE stoa__handles stoa__handles_of(const stoa_entity *entities, uint32_t count) {
    return (stoa__handles){(const uint8_t *)entities, sizeof *entities, count};
}

/* Asks for the record of a handle, which may be of no slot at all. */
STOA__INLINE void stoa__handle_ask(const stoa_record *records, uint32_t index) {
    STOA_PREFETCH((const void *)((uintptr_t)records + index * sizeof *records));
}

/* Asks for the records of the handles that are worked on next, several in a turn of the loop. */
STOA__INLINE void stoa__handles_ask(const stoa_record *records, stoa__handles handles) {
    const uint8_t *at = handles.first;
    size_t stride = handles.stride;
    uint32_t n = handles.count < STOA__HOLES_MAX ? handles.count : STOA__HOLES_MAX;
    for (; n >= 4; n -= 4, at += 4 * stride) {
        stoa__handle_ask(records, stoa__handle_at(at)->index);
        stoa__handle_ask(records, stoa__handle_at(at + stride)->index);
        stoa__handle_ask(records, stoa__handle_at(at + 2 * stride)->index);
        stoa__handle_ask(records, stoa__handle_at(at + 3 * stride)->index);
    }
    for (; n > 0; n--, at += stride) {
        stoa__handle_ask(records, stoa__handle_at(at)->index);
    }
}

#endif

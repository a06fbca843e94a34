/* Sparse sets of vectors, values of three words: how one is put and taken away where nobody is told
 * and nothing is under way.
 *
 * The time goes into loads and stores, so there are as few as can be. The count is read and written
 * together with the room beside it. Where the arrays of a block begin is worked out from its
 * capacity, which is the room as long as there is no limbo. The pages are the caller's copy of the
 * set's table, so that looking an entity up does not wait for the set. Whatever is not as it mostly
 * is ends with false and nothing changed. O(1), no memory. One thread at a time. */
#ifndef STOA_STORAGE_SPARSE_VECTOR_H
#define STOA_STORAGE_SPARSE_VECTOR_H

#include "storage/sparse.h"
#include "storage/vector.h"

/* Bytes of a position before the vectors: its entity and two ticks. */
#define STOA__VECTOR_AT (sizeof(stoa_entity) + 2 * sizeof(uint32_t))

/* The fill of a set is its count and its room as one word; this is one more. */
#define STOA__FILL_ONE STOA_JOIN(1u, 0u)

_Static_assert(offsetof(stoa__sparse, room) == offsetof(stoa__sparse, count) + 4,
               "the fill of a set is one word");

STOA__INLINE uint64_t stoa__sparse_fill(const stoa__sparse *set) {
    return stoa_bits_read((const uint8_t *)set + offsetof(stoa__sparse, count));
}

STOA__INLINE void stoa__sparse_fill_set(stoa__sparse *set, uint64_t fill) {
    memcpy((uint8_t *)set + offsetof(stoa__sparse, count), &fill, sizeof fill);
}

/* Where the position of an entity is noted, or NULL where there is no page. */
STOA__INLINE uint32_t *stoa__sparse_vector_entry(const stoa__sparse *set, uint32_t **pages,
                                                 uint32_t index) {
    uint32_t page = index >> STOA__PAGE_BITS;
    if (!STOA_LIKELY(page < set->page_count)) {
        return NULL;
    }
    uint32_t *entries = pages[page];
    return STOA_LIKELY(entries != NULL) ? &entries[index & (STOA__PAGE_SIZE - 1)] : NULL;
}

/* Copies a vector of the caller's. It is read word by word, as it was written a moment ago: reading
 * more at once would wait for the writes to reach the cache. */
STOA__INLINE void stoa__sparse_vector_write(uint8_t *to, const uint8_t *from) {
    uint32_t x, y, z;
    memcpy(&x, from, 4);
    memcpy(&y, from + 4, 4);
    memcpy(&z, from + 8, 4);
    STOA_ALONE(x);
    STOA_ALONE(y);
    uint64_t xy = STOA_JOIN(x, y);
    memcpy(to, &xy, 8);
    memcpy(to + 8, &z, 4);
}

/* Puts a vector that a live entity does not have. A handle is an entity as one number. */
STOA__INLINE bool stoa__sparse_vector_put(const stoa__storage *storage, stoa__sparse *set,
                                          uint32_t **pages, uint64_t handle, const uint8_t *value) {
    const stoa_world_head *head = &storage->head;
    uint64_t limits =
        stoa_bits_read((const uint8_t *)head + offsetof(stoa_world_head, record_count));
    uint32_t index = STOA_FIRST(handle), tick = STOA_SECOND(limits);
    if (!STOA_LIKELY(index < STOA_FIRST(limits) &&
                     head->records[index].generation == STOA_SECOND(handle) &&
                     (int32_t)STOA_SECOND(handle) > 0)) {
        return false;
    }
    uint32_t *entry = stoa__sparse_vector_entry(set, pages, index);
    if (!STOA_LIKELY(entry != NULL && *entry == 0)) {
        return false;
    }
    uint64_t fill = stoa__sparse_fill(set);
    size_t position = STOA_FIRST(fill), room = STOA_SECOND(fill);
    if (!STOA_LIKELY(position < room)) {
        return false;
    }
    uint8_t *block = (uint8_t *)set->entities;
    fill += STOA__FILL_ONE;
    stoa__sparse_fill_set(set, fill);
    *entry = STOA_FIRST(fill);
    memcpy(block + position * sizeof handle, &handle, sizeof handle);
    stoa_atomic *changed = (stoa_atomic *)(void *)(block + room * sizeof handle);
    STOA_STORE(&changed[position], tick);
    uint32_t *added = (uint32_t *)(void *)(changed + room);
    added[position] = tick;
    stoa__sparse_vector_write(block + room * STOA__VECTOR_AT + position * STOA__VECTOR, value);
    return true;
}

/* Moves the last vector to the position that is noted at an entry as `number`, less one. What is
 * read for the page of the one that moves comes before what is written, since a write whose address
 * is known late holds up what is read after it; more before it would take registers to be saved. */
STOA__INLINE void stoa__sparse_vector_fill(uint32_t **pages, uint8_t *block, uint32_t *entry,
                                           size_t number, uint64_t fill) {
    size_t position = number - 1, last = (size_t)STOA_FIRST(fill) - 1;
    uint64_t moved = stoa_bits_read(block + last * sizeof moved);
    uint32_t *entries = pages[STOA_FIRST(moved) >> STOA__PAGE_BITS];
    STOA_ALONE(entries);
    *entry = 0;
    memcpy(block + position * sizeof moved, &moved, sizeof moved);
    entries[STOA_FIRST(moved) & (STOA__PAGE_SIZE - 1)] = (uint32_t)number;
    STOA_ALONE(fill);
    size_t room = STOA_SECOND(fill);
    stoa_atomic *changed = (stoa_atomic *)(void *)(block + room * sizeof moved);
    STOA_STORE(&changed[position], STOA_LOAD(&changed[last]));
    uint32_t *added = (uint32_t *)(void *)(changed + room);
    added[position] = added[last];
    block += room * STOA__VECTOR_AT;
    memcpy(block + position * STOA__VECTOR, block + last * STOA__VECTOR, STOA__VECTOR);
}

/* Takes the vector of an entity away that has one. Who is in a set lives, so the handle that is
 * noted there is all that is asked. */
STOA__INLINE bool stoa__sparse_vector_take(stoa__sparse *set, uint32_t **pages, uint64_t handle) {
    uint32_t *entry = stoa__sparse_vector_entry(set, pages, STOA_FIRST(handle));
    if (!STOA_LIKELY(entry != NULL)) {
        return false;
    }
    size_t number = *entry;
    uint64_t fill = stoa__sparse_fill(set);
    if (!STOA_LIKELY(number != 0 && stoa_bits_read(&set->entities[number - 1]) == handle)) {
        return false;
    }
    stoa__sparse_fill_set(set, fill - STOA__FILL_ONE);
    if (number != STOA_FIRST(fill)) {
        stoa__sparse_vector_fill(pages, (uint8_t *)set->entities, entry, number, fill);
    } else {
        *entry = 0;
    }
    return true;
}

#endif

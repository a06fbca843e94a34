/* Sparse sets: components that are kept outside of archetypes.
 *
 * Values stand one after the other, in the order they were added; removing moves the last one into
 * the hole. A table of pages leads from an entity's index to its position. Each value has its own
 * ticks. Everything is O(1); only reserving allocates. */
#ifndef STOA_STORAGE_SPARSE_H
#define STOA_STORAGE_SPARSE_H

#include "storage/row.h"

/* Entity indexes that share a page of positions. */
#define STOA__PAGE_BITS 10
#define STOA__PAGE_SIZE (1u << STOA__PAGE_BITS)

typedef struct stoa__sparse {
    uint32_t **pages; /* by index >> STOA__PAGE_BITS, NULL where no entity has it; an entry is a
                         position + 1, or 0 */
    stoa_entity *entities; /* by position; where the block begins */
    uint8_t *values;       /* by position; NULL for a tag */
    stoa_atomic *changed;  /* by position: the tick of the last write */
    uint32_t page_count;
    uint32_t size; /* of one value */
    uint32_t count;
    uint32_t room;    /* positions that can be had by asking: the capacity, or none while there is
                         limbo; read and written with the one before */
    uint32_t **table; /* the pages while there is no limbo, else NULL */
    uint32_t *added;  /* by position: the tick of the addition */
    uint8_t *off;     /* by position: 1 where it is switched off; NULL if not switchable */
    const stoa__component *component;
    bool quick; /* has values, no hooks to move or drop them, and no switches */
    bool swift; /* quick, and nobody wants to know of changes */
    uint32_t capacity;
    uint32_t wanted;    /* positions that the reservation under way asks for */
    uint32_t off_count; /* positions that are switched off */
    uint8_t *limbo;     /* a block that was outgrown: a caller's value may still point into it */
    size_t block_size;
    size_t limbo_size;
} stoa__sparse;

/* The set of a component that is about to be registered as sparse, whose info is complete; NULL on
 * lack of memory. */
stoa__sparse *stoa__sparse_new(stoa__heap *heap, const stoa__component *component);

/* Reads anew whether anybody wants to know of changes. */
void stoa__sparse_rewatch(const stoa__storage *storage, stoa__sparse *set);

/* Frees a set; its values must have been dropped. NULL is fine. */
void stoa__sparse_free(stoa__heap *heap, stoa__sparse *set);

/* Room for what a set holds, as values of what its component is now; false on lack of memory. The
 * twin's values are raw. */
bool stoa__sparse_twin(stoa__heap *heap, const stoa__sparse *set, stoa__sparse *twin);

/* Frees the room of a twin for values of that alignment. */
void stoa__sparse_twin_free(stoa__heap *heap, stoa__sparse *twin, uint32_t alignment);

/* Gives a set the values of its twin, in the same order, and the other way round. The component
 * must still be what it was. */
void stoa__sparse_exchange(stoa__heap *heap, stoa__sparse *set, stoa__sparse *twin);

/* Drops all values, without taking them out: the set is about to be freed. */
void stoa__sparse_drop_all(stoa__sparse *set);

/* The slow half of stoa__sparse_reserve. */
bool stoa__sparse_grow(stoa__heap *heap, stoa__sparse *set, uint32_t index_max, uint32_t count);

/* Gives back room that is not needed. A failure is no harm. */
void stoa__sparse_trim(stoa__heap *heap, stoa__sparse *set);

/* Switches a position on or off. */
void stoa__sparse_switch(stoa__sparse *set, uint32_t position, bool on);

/* Clamps ticks that are older than `age` at `tick` to that age. */
void stoa__sparse_sweep(stoa__sparse *set, uint32_t tick, uint32_t age);

/* Bytes the set holds of the heap. */
size_t stoa__sparse_bytes(const stoa__sparse *set);

/* STOA_CORRUPT unless pages and positions agree and every entity lives. */
stoa_status stoa__sparse_check(const stoa__storage *storage, const stoa__sparse *set);

/* Where the position of an entity is noted; its page must be there. */
STOA__INLINE uint32_t *stoa__sparse_entry(const stoa__sparse *set, uint32_t index) {
    return &set->pages[index >> STOA__PAGE_BITS][index & (STOA__PAGE_SIZE - 1)];
}

/* The same, or NULL where there is no page. */
STOA__INLINE uint32_t *stoa__sparse_entry_find(const stoa__sparse *set, uint32_t index) {
    uint32_t page = index >> STOA__PAGE_BITS;
    if (page >= set->page_count || set->pages[page] == NULL) {
        return NULL;
    }
    return stoa__sparse_entry(set, index);
}

/* The position of a live entity, or STOA__NONE. */
STOA__INLINE uint32_t stoa__sparse_find(const stoa__sparse *set, uint32_t index) {
    const uint32_t *entry = stoa__sparse_entry_find(set, index);
    return entry != NULL ? *entry - 1 : STOA__NONE;
}

/* The value at a position; points at something even for a tag. */
STOA__INLINE void *stoa__sparse_value(const stoa__sparse *set, uint32_t position) {
    return set->size != 0 ? set->values + (size_t)position * set->size
                          : (void *)&set->entities[position];
}

/* Makes room so that `count` more can be inserted: one with the index `index_max`, or several with
 * indexes up to that. Values may move; the bytes of those that move without a hook can be read
 * where they were until the next call. False on lack of memory, with the content as it was. */
STOA__INLINE bool stoa__sparse_reserve(stoa__heap *heap, stoa__sparse *set, uint32_t index_max,
                                       uint32_t count) {
    uint32_t page = index_max >> STOA__PAGE_BITS;
    if (STOA_LIKELY(count == 1 && page < set->page_count && set->pages[page] != NULL &&
                    set->count < set->room)) {
        return true;
    }
    return stoa__sparse_grow(heap, set, index_max, count);
}

/* stoa__sparse_insert for a set without switches, at the entry of the entity's index. */
STOA__INLINE uint32_t stoa__sparse_insert_at(stoa__sparse *set, uint32_t *entry, stoa_entity e,
                                             uint32_t tick) {
    uint32_t position = set->count;
    set->count = position + 1;
    *entry = position + 1;
    memcpy(&set->entities[position], &e, sizeof e);
    STOA_STORE(&set->changed[position], tick);
    set->added[position] = tick;
    return position;
}

/* Appends an entity, which must not be there, marked as added and changed at `tick`, switched on;
 * returns its position. The value is raw. Needs the room that stoa__sparse_reserve made. */
STOA__INLINE uint32_t stoa__sparse_insert(stoa__sparse *set, stoa_entity e, uint32_t tick) {
    uint8_t *off = set->off;
    uint32_t position = stoa__sparse_insert_at(set, stoa__sparse_entry(set, e.index), e, tick);
    if (!STOA_LIKELY(off == NULL)) {
        off[position] = 0;
    }
    return position;
}

/* Copies a value of any size. */
void stoa__sparse_copy(uint8_t *to, const uint8_t *from, size_t size);

/* stoa__sparse_erase for a quick set, of the position that is noted at an entry. */
STOA__INLINE void stoa__sparse_erase_quick(stoa__sparse *set, uint32_t *entry) {
    uint32_t position = *entry - 1;
    uint32_t last = set->count - 1;
    set->count = last;
    *entry = 0;
    if (position != last) {
        size_t size = set->size;
        stoa_entity moved = set->entities[last];
        set->entities[position] = moved;
        *stoa__sparse_entry(set, moved.index) = position + 1;
        set->added[position] = set->added[last];
        STOA_STORE(&set->changed[position], STOA_LOAD(&set->changed[last]));
        uint8_t *values = set->values;
        if (STOA_LIKELY(size >= 8 && size <= 16)) {
            stoa__copy_small(values + position * size, values + last * size, size);
        } else {
            stoa__sparse_copy(values + position * size, values + last * size, size);
        }
    }
}

/* The half of stoa__sparse_erase for sets that are not quick: takes the position out that is noted
 * at an entry. */
void stoa__sparse_erase_any(stoa__sparse *set, uint32_t *entry);

/* stoa__sparse_erase by the entry of the entity there. */
STOA__INLINE void stoa__sparse_erase_at(stoa__sparse *set, uint32_t *entry) {
    if (STOA_LIKELY(set->quick)) {
        stoa__sparse_erase_quick(set, entry);
    } else {
        stoa__sparse_erase_any(set, entry);
    }
}

/* Takes a position out, whose value has been moved or dropped; the last one moves there. */
STOA__INLINE void stoa__sparse_erase(stoa__sparse *set, uint32_t position) {
    stoa__sparse_erase_at(set, stoa__sparse_entry(set, set->entities[position].index));
}

/* Takes an entity out whose position is noted at an entry, and drops its value. */
STOA__INLINE void stoa__sparse_remove_at(stoa__sparse *set, uint32_t *entry) {
    if (!STOA_LIKELY(set->quick) && set->size != 0) {
        stoa__component_drop(set->component, stoa__sparse_value(set, *entry - 1), 1);
    }
    stoa__sparse_erase_at(set, entry);
}

/* The same of several, one after the other. */
void stoa__sparse_remove_many(stoa__sparse *set, uint32_t *const *entries, uint32_t count);

/* The same of an entity; no change if it is not there. */
STOA__INLINE void stoa__sparse_remove(stoa__sparse *set, uint32_t index) {
    uint32_t *entry = stoa__sparse_entry_find(set, index);
    if (entry != NULL && *entry != 0) {
        stoa__sparse_remove_at(set, entry);
    }
}

#endif

/* Indexes, as the files of them see them. */
#ifndef STOA_MODEL_INDEX_H
#define STOA_MODEL_INDEX_H

#include "base/error.h"
#include "model/index_table.h"
#include "stoa/extension.h"
#include "stoa/index.h"

/* What an index keeps for an entity: the key that it has in the table. */
typedef struct stoa__slot {
    uint64_t key;        /* a word, or the address of the bytes that are kept */
    uint32_t generation; /* of the entity, 0 if it is not in the index */
    uint32_t spare;
} stoa__slot;

/* Slots share a page by entity index. */
#define STOA__SLOT_BITS 10
#define STOA__SLOT_PAGE (1u << STOA__SLOT_BITS)

/* An archetype that has the component. */
typedef struct stoa__home {
    int32_t id;
    const stoa_archetype_head *head; /* NULL until it has rows */
} stoa__home;

/* What a world keeps of indexes. */
typedef struct stoa__indexes {
    stoa__heap heap;
    stoa_index *first;
    stoa_index *last;
} stoa__indexes;

struct stoa_index {
    stoa_index_head head; /* must be first */
    bool slow;            /* a look-up may have something to do before */
    stoa_world *world;
    stoa__indexes *owner;
    stoa_index *next; /* in the order they were made */
    stoa_index *previous;
    stoa__heap heap; /* on the world's allocator */
    char *name;
    char *field;        /* or NULL */
    stoa_hook hooks[3]; /* by stoa_hook_kind */
    stoa__table table;  /* from keys to entities */
    stoa__slot **pages; /* from entities to keys, by index >> STOA__SLOT_BITS; NULL: empty */
    uint32_t page_capacity;
    stoa__home *homes; /* archetypes that have the component, unless it is sparse */
    uint32_t home_capacity;
    uint32_t home_count;
    int32_t archetype_count; /* that were looked at for homes */
    stoa__key_plan plan;
    stoa_component component;
    uint32_t size;  /* of the component */
    uint32_t since; /* values written up to this tick are known */
    int32_t count;  /* entities */
    bool ordered;
    bool sparse;
    bool immutable; /* hooks see every change */
    bool stale;     /* memory ran out: it is empty, and to be filled again */
};

/* What is open in the world, of stoa_world_head; a seal keeps no index from catching up. */
static inline uint32_t stoa__index_open(const stoa_index *index) {
    return ((const stoa_world_head *)(const void *)index->world)->open & ~STOA_OPEN_SEALED;
}

/* What is kept for an entity's index, or NULL if its page is empty. */
static inline stoa__slot *stoa__index_slot(const stoa_index *index, uint32_t entity) {
    uint32_t page = entity >> STOA__SLOT_BITS;
    return page < index->page_capacity && index->pages[page] != NULL
               ? &index->pages[page][entity & (STOA__SLOT_PAGE - 1)]
               : NULL;
}

/* The bytes of a key that is no word, by what a slot has of it. */
static inline const stoa__key_bytes *stoa__slot_kept(const stoa__slot *slot) {
    return (const stoa__key_bytes *)(uintptr_t)slot->key;
}

/* Empties an index and has the next look-up fill it. */
void stoa__index_forget(stoa_index *index);

/* Learns of an entity's value, whether it is new or not; false on lack of memory, after which the
 * index must be forgotten. */
bool stoa__index_put(stoa_index *index, stoa_entity e, const void *value);

/* Forgets an entity; one that is not there is fine. */
void stoa__index_take(stoa_index *index, stoa_entity e);

/* Catches up with values written in place; a stale index, or `all`, with every value there is. The
 * thread's error is set, not reported. Not inside of hooks or beside threads. */
stoa_status stoa__index_settle(stoa_index *index, bool all);

/* stoa__index_ready when there may be something to do. */
bool stoa__index_ready_slow(stoa_index *index);

/* Makes ready for a look-up; false if there is nothing to find, with an error, reported, if that is
 * due to lack of memory. */
STOA__INLINE bool stoa__index_ready(stoa_index *index) {
    return STOA_LIKELY(!index->slow && stoa__index_open(index) == 0) ||
           stoa__index_ready_slow(index);
}

/* STOA_CORRUPT, set but not reported, unless index and world agree. */
stoa_status stoa__index_check(const stoa_index *index);

#endif

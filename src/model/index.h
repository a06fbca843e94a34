/* Indexes, as the files of them see them. */
#ifndef STOA_MODEL_INDEX_H
#define STOA_MODEL_INDEX_H

#include "base/error.h"
#include "model/index_table.h"
#include "stoa/extension.h"
#include "stoa/index.h"

/* Entities whose keys share a page, by entity index. */
#define STOA__PAGE_BITS 10
#define STOA__PAGE_SIZE (1u << STOA__PAGE_BITS)

/* What an index keeps for entities: the keys that they have in the table. */
typedef struct stoa__page {
    uint64_t used[STOA__PAGE_SIZE / 64]; /* bit i: entity i of the page is in the index */
    uint64_t keys[]; /* words, or addresses of the bytes that are kept; see stoa__index_key */
} stoa__page;

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
    stoa_world *world;    /* the same as in the head */
    stoa__indexes *owner;
    stoa_index *next; /* in the order they were made */
    stoa_index *previous;
    stoa__heap heap; /* on the world's allocator */
    char *name;
    char *field;             /* or NULL */
    stoa_hook hooks[3];      /* by stoa_hook_kind */
    stoa__table table;       /* from keys to entities */
    const uint64_t *exposed; /* its cells when the head was last written */
    stoa__page **pages;      /* from entities to keys, by index >> STOA__PAGE_BITS; NULL: empty */
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
    bool immutable;    /* hooks see every change */
    bool stale;        /* memory ran out: it is empty, and to be filled again */
    stoa_index *other; /* while its component gets another layout: the side not in force */
    bool slow;         /* a look-up may have something to do before */
};

/* What is open in the world, of stoa_world_head; a seal keeps no index from catching up. */
static inline uint32_t stoa__index_open(const stoa_index *index) {
    return ((const stoa_world_head *)(const void *)index->world)->open & ~STOA_OPEN_SEALED;
}

/* The page of an entity's index, or NULL if it is empty. */
static inline stoa__page *stoa__index_page(const stoa_index *index, uint32_t entity) {
    uint32_t page = entity >> STOA__PAGE_BITS;
    return page < index->page_capacity ? index->pages[page] : NULL;
}

/* True if an entity's index is in use on its page. */
static inline bool stoa__page_used(const stoa__page *page, uint32_t entity) {
    uint32_t at = entity % STOA__PAGE_SIZE;
    return (page->used[at / 64] >> (at % 64) & 1) != 0;
}

/* The key of an entity's index on its page. Those of 32 bits are packed as such, so that there is
 * less memory to wait for. */
static inline uint64_t stoa__index_key(const stoa_index *index, const stoa__page *page,
                                       uint32_t entity) {
    uint32_t at = entity % STOA__PAGE_SIZE;
    return index->plan.quick == 4 ? ((const uint32_t *)(const void *)page->keys)[at]
                                  : page->keys[at];
}

/* The bytes of a key that is no word, by what a page has of it. */
static inline const stoa__key_bytes *stoa__key_kept(uint64_t key) {
    return (const stoa__key_bytes *)(uintptr_t)key;
}

/* Empties an index and has the next look-up fill it. */
void stoa__index_forget(stoa_index *index);

/* Tells look-ups that need no call where the cells are, after those or the state have changed. */
void stoa__index_expose(stoa_index *index);

/* A hook: learns of an entity's value. */
void stoa__index_given(stoa_world *world, stoa_entity e, void *value, void *user);

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

/* Reads the description of an index that is zeroed but for its world and heap; the thread's error
 * is set, not reported. */
stoa_status stoa__index_describe(stoa_index *index, const stoa_index_desc *desc,
                                 const stoa_component_info *info);

/* Frees an index that is in no list and has no hooks. */
void stoa__index_delete(stoa_index *index);

/* Extension: its component gets another layout. */
stoa_status stoa__indexes_retype(stoa_world *world, void *data, stoa_retype *retype,
                                 stoa_retype_step step);

/* STOA_CORRUPT, set but not reported, unless index and world agree. */
stoa_status stoa__index_check(const stoa_index *index);

#endif

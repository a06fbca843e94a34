/* A hash table from keys to sets of entities, each set in ascending order of entity indexes.
 *
 * Open addressing, linear probing, at most 3/4 full. A cell holds a key and its entities: a single
 * one as it is, up to STOA__SMALL_MAX of them in a sorted block, more of them as pairs of a tree
 * that all large sets share. So however many entities have one key, adding and removing one never
 * moves many. Blocks of one size are items of one array, so a cell tells where its entities are and
 * how many before any of them is looked at. Entities are packed as index << 32 | generation; no
 * index has its top bit set. Keys that are no words go by their hash; their bytes are kept, and a
 * block begins with the address of those. */
#ifndef STOA_MODEL_INDEX_TABLE_H
#define STOA_MODEL_INDEX_TABLE_H

#include "base/inline.h"
#include "base/ordered.h"
#include "model/index_key.h"
#include "stoa/entity.h"

/* Sizes of blocks: 4, 8, ... 128 words. */
#define STOA__POOLS 6
#define STOA__SMALL_MAX (4u << (STOA__POOLS - 1))

/* What a cell holds beside a single entity: a pool or STOA__HELD_LARGE, how many, which block. */
#define STOA__HELD_GROUP (UINT64_C(1) << 63)
#define STOA__HELD_LARGE 7u

typedef struct stoa__cell {
    uint64_t key;  /* a word, or the hash of bytes */
    uint64_t held; /* 0 in a free cell */
} stoa__cell;

/* Blocks of one size. Those that are free form a list through their first words. */
typedef struct stoa__pool {
    uint64_t *words;
    uint32_t capacity; /* blocks */
    uint32_t used;     /* blocks ever taken */
    uint32_t free;     /* the first free one + 1, or 0 */
} stoa__pool;

/* More entities of one key than a block holds; its number is their key in the tree. */
typedef struct stoa__large {
    stoa__key_bytes *kept; /* or NULL */
    uint32_t count;        /* 0: free */
    uint32_t next;         /* the next free one + 1, or 0 */
} stoa__large;

/* A zeroed table is an empty one for words. */
typedef struct stoa__table {
    stoa__cell *cells;
    uint32_t capacity; /* a power of two, or 0 */
    uint32_t count;
    uint32_t shift; /* what is left of 64 bits by a cell's number */
    uint32_t lead;  /* words of a block before its entities: 1 if keys are no words */
    uint32_t large_capacity;
    uint32_t large_used;
    uint32_t large_free;
    stoa__large *larges;
    stoa__pool pools[STOA__POOLS];
    stoa__ordered tree; /* the entities of large sets; of an ordered index all, by their words */
} stoa__table;

/* Entities that stand one after the other. */
typedef struct stoa__group {
    const uint64_t *entities; /* NULL: they are in the tree */
    uint32_t count;
    uint32_t number; /* their key there */
} stoa__group;

static inline uint64_t stoa__entity_packed(stoa_entity e) {
    return (uint64_t)e.index << 32 | e.generation;
}

static inline stoa_entity stoa__entity_unpacked(uint64_t packed) {
    return (stoa_entity){(uint32_t)(packed >> 32), (uint32_t)packed};
}

/* The entities of a cell in use. */
STOA__INLINE stoa__group stoa__cell_group(const stoa__table *table, const stoa__cell *cell) {
    uint64_t held = cell->held;
    if ((held & STOA__HELD_GROUP) == 0) {
        return (stoa__group){&cell->held, 1, 0};
    }
    uint32_t pool = (uint32_t)(held >> 60) & 7, number = (uint32_t)held;
    if (pool == STOA__HELD_LARGE) {
        return (stoa__group){NULL, table->larges[number].count, number};
    }
    const uint64_t *block = table->pools[pool].words + ((size_t)number << (pool + 2));
    return (stoa__group){block + table->lead, (uint32_t)(held >> 32) & 0xFFFFu, 0};
}

/* The first 64 bits after the point of the golden ratio. Numbers in a row, multiplied by it, fall
 * as far from each other as can be. */
#define STOA__TABLE_FACTOR UINT64_C(0x9E3779B97F4A7C15)

/* The cell where the search for a key begins; there must be cells. */
STOA__INLINE stoa__cell *stoa__table_home(const stoa__table *table, uint64_t key) {
    return &table->cells[key * STOA__TABLE_FACTOR >> table->shift];
}

/* The cell of a word, or NULL. */
STOA__INLINE stoa__cell *stoa__table_find(const stoa__table *table, uint64_t word) {
    if (table->count == 0) {
        return NULL;
    }
    stoa__cell *cell = stoa__table_home(table, word);
    const stoa__cell *end = table->cells + table->capacity;
    while (cell->held != 0) {
        if (cell->key == word) {
            return cell;
        }
        cell = cell + 1 != end ? cell + 1 : table->cells;
    }
    return NULL;
}

/* Asks for the memory of a word's cell, and of the entities that it holds. */
STOA__INLINE void stoa__table_expect(const stoa__table *table, uint64_t word) {
    if (table->count != 0) {
        STOA_PREFETCH(stoa__table_home(table, word));
    }
}
STOA__INLINE void stoa__table_expect_group(const stoa__table *table, uint64_t word) {
    const stoa__cell *cell = stoa__table_find(table, word);
    if (cell != NULL) {
        STOA_PREFETCH(stoa__cell_group(table, cell).entities);
    }
}

/* The cell of a key that is no word, and of one that is kept; NULL if there is none. */
stoa__cell *stoa__table_find_key(const stoa__table *table, uint64_t hash,
                                 const stoa__key_plan *plan, const void *key);
stoa__cell *stoa__table_find_kept(const stoa__table *table, const stoa__key_bytes *kept);

/* What is kept of the key of a cell; NULL for words. */
stoa__key_bytes *stoa__cell_kept(const stoa__table *table, const stoa__cell *cell);

/* Frees everything; the table is empty after it. */
void stoa__table_fini(stoa__table *table, stoa__heap *heap);

/* Adds an entity that is not there to a word. False on lack of memory: the table can be freed then,
 * and nothing else. */
bool stoa__table_put(stoa__table *table, stoa__heap *heap, uint64_t word, uint64_t packed);

/* The same for a key that is no word; returns what is kept of it, or NULL. */
stoa__key_bytes *stoa__table_put_key(stoa__table *table, stoa__heap *heap,
                                     const stoa__key_plan *plan, const void *key, uint64_t packed);

/* Takes an entity out of a cell, which must hold it; the last one takes the cell along. */
void stoa__table_take(stoa__table *table, stoa__heap *heap, stoa__cell *cell, uint64_t packed);

#endif

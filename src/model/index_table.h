/* A hash table from keys to sets of entities, each set in ascending order of entity indexes.
 *
 * Open addressing, linear probing, at most 3/4 full. A cell holds a key and its entities: a few as
 * they are, up to STOA__SMALL_MAX of them in a sorted block, more of them as pairs of a tree that
 * all large sets share. So however many entities have one key, adding and removing one never moves
 * many. Cells have room for one entity, or, in a table whose keys have several on average, are a
 * cache line with room for seven. Blocks of one size are items of one array, so a cell tells where
 * its entities are and how many before any of them is looked at. Entities are packed as index << 32
 * | generation; no index has its top bit set. Keys that are no words go by their hash; their bytes
 * are kept, and a block begins with the address of those. */
#ifndef STOA_MODEL_INDEX_TABLE_H
#define STOA_MODEL_INDEX_TABLE_H

#include "base/inline.h"
#include "base/ordered.h"
#include "model/index_key.h"
#include "stoa/index.h"

/* Sizes of blocks: 4, 8, ... 128 words. */
#define STOA__POOLS 6
#define STOA__SMALL_MAX (4u << (STOA__POOLS - 1))

/* Words of a cell, as a power of two: narrow ones hold one entity, wide ones fill a cache line. */
#define STOA__CELL_NARROW 1u
#define STOA__CELL_WIDE 3u
#define STOA__LINE_MAX ((1u << STOA__CELL_WIDE) - 1)

/* What a cell holds beside its own entities: a pool or STOA__HELD_LARGE, how many, which block. */
#define STOA__HELD_GROUP (UINT64_C(1) << 63)
#define STOA__HELD_LARGE 7u

typedef struct stoa__cell {
    uint64_t key;    /* a word, or the hash of bytes */
    uint64_t held[]; /* entities, then zeros; or STOA__HELD_GROUP and what else; 0 in a free cell */
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
    uint64_t *cells;   /* see stoa__table_cell */
    uint32_t capacity; /* a power of two, or 0 */
    uint32_t count;    /* keys */
    uint32_t shift;    /* what is left of 64 bits by a cell's number */
    uint32_t span;     /* STOA__CELL_NARROW or STOA__CELL_WIDE, if there are cells */
    uint32_t total;    /* entities */
    uint32_t lead;     /* words of a block before its entities: 1 if keys are no words */
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

STOA__INLINE stoa__cell *stoa__table_cell(const stoa__table *table, uint32_t i) {
    return (stoa__cell *)(void *)(table->cells + ((size_t)i << table->span));
}

/* How many entities stand in a cell itself. Without a branch: the number is hard to foretell. */
STOA__INLINE uint32_t stoa__cell_own(const stoa__table *table, const stoa__cell *cell) {
    uint32_t count = 1;
    if (table->span == STOA__CELL_WIDE) {
        for (uint32_t i = 1; i < STOA__LINE_MAX; i++) {
            count += cell->held[i] != 0;
        }
    }
    return count;
}

/* The entities of a cell in use. */
STOA__INLINE stoa__group stoa__cell_group(const stoa__table *table, const stoa__cell *cell) {
    uint64_t held = cell->held[0];
    if (STOA_LIKELY((held & STOA__HELD_GROUP) == 0)) {
        return (stoa__group){cell->held, stoa__cell_own(table, cell), 0};
    }
    uint32_t pool = (uint32_t)(held >> 60) & 7, number = (uint32_t)held;
    if (pool == STOA__HELD_LARGE) {
        return (stoa__group){NULL, table->larges[number].count, number};
    }
    const uint64_t *block = table->pools[pool].words + ((size_t)number << (pool + 2));
    return (stoa__group){block + table->lead, (uint32_t)(held >> 32) & 0xFFFFu, 0};
}

/* The number of the cell where the search for a key begins; there must be cells. */
STOA__INLINE uint32_t stoa__table_home(const stoa__table *table, uint64_t key) {
    return (uint32_t)(key * STOA_INDEX_FACTOR >> table->shift);
}

/* The cell of a word, or NULL; there must be cells, and the search begin at the word's home. */
STOA__INLINE stoa__cell *stoa__table_seek(const stoa__table *table, uint64_t word, uint32_t home) {
    for (uint32_t i = home;; i = (i + 1) & (table->capacity - 1)) {
        stoa__cell *cell = stoa__table_cell(table, i);
        if (cell->held[0] == 0) {
            return NULL;
        }
        if (STOA_LIKELY(cell->key == word)) {
            return cell;
        }
    }
}

/* The cell of a word, or NULL. */
STOA__INLINE stoa__cell *stoa__table_find(const stoa__table *table, uint64_t word) {
    return STOA_LIKELY(table->cells != NULL)
               ? stoa__table_seek(table, word, stoa__table_home(table, word))
               : NULL;
}

/* The cell of a key that is no word, and of one that is kept; NULL if there is none. */
stoa__cell *stoa__table_find_key(const stoa__table *table, uint64_t hash,
                                 const stoa__key_plan *plan, const void *key);
stoa__cell *stoa__table_find_kept(const stoa__table *table, const stoa__key_bytes *kept);

/* What is kept of the key of a cell; NULL for words. */
stoa__key_bytes *stoa__cell_kept(const stoa__table *table, const stoa__cell *cell);

/* Frees everything; the table is empty after it. */
void stoa__table_fini(stoa__table *table, stoa__heap *heap);

/* Adds an entity to those of a wide cell, of which the last is free. Zeros count as above all
 * entities. No branch hangs on where it comes to stand: that is known late, when the cell has come
 * from memory, and cannot be foretold. */
STOA__INLINE void stoa__line_insert(uint64_t *held, uint64_t packed) {
    for (uint32_t i = STOA__LINE_MAX - 1; i > 0; i--) {
        uint64_t moved = held[i - 1] - 1 < packed - 1 ? packed : held[i - 1];
        held[i] = held[i] - 1 < packed - 1 ? held[i] : moved;
    }
    held[0] = held[0] < packed ? held[0] : packed;
}

/* Takes an entity out of those of a wide cell, without such a branch either. It goes by its index
 * alone. No word of a cell has its top bit set; to compare with a sign is quicker for vectors. */
STOA__INLINE void stoa__line_remove(uint64_t *held, uint64_t packed) {
    int64_t first = (int64_t)(packed >> 32 << 32);
    int64_t last = (int64_t)held[STOA__LINE_MAX - 1];
    for (uint32_t i = 0; i + 1 < STOA__LINE_MAX; i++) {
        uint64_t here = held[i], next = held[i + 1];
        held[i] = (int64_t)here < first ? here : next;
    }
    held[STOA__LINE_MAX - 1] = last < first ? (uint64_t)last : 0;
}

/* True if a cell in use has room for one more entity itself. */
STOA__INLINE bool stoa__cell_room(const stoa__table *table, const stoa__cell *cell) {
    return table->span == STOA__CELL_WIDE && (cell->held[0] & STOA__HELD_GROUP) == 0 &&
           cell->held[STOA__LINE_MAX - 1] == 0;
}

/* Adds an entity that is not there to a word. False on lack of memory: the table can be freed then,
 * and nothing else. */
bool stoa__table_put(stoa__table *table, stoa__heap *heap, uint64_t word, uint64_t packed);

/* The same for a key that is no word; returns what is kept of it, or NULL. */
stoa__key_bytes *stoa__table_put_key(stoa__table *table, stoa__heap *heap,
                                     const stoa__key_plan *plan, const void *key, uint64_t packed);

/* Takes an entity out of a cell, which must hold it; the last one takes the cell along. */
void stoa__table_take(stoa__table *table, stoa__heap *heap, stoa__cell *cell, uint64_t packed);

/* Moves an entity from a word, which must have it, to another. False as for stoa__table_put.
 *
 * Both cells come from memory at the same time. The new one is written first: its word is known
 * before what the caller had to look up. */
STOA__INLINE bool stoa__table_move(stoa__table *table, stoa__heap *heap, uint64_t from, uint64_t to,
                                   uint64_t packed) {
    uint32_t from_home = stoa__table_home(table, from);
    STOA_PREFETCH(stoa__table_cell(table, from_home));
    stoa__cell *cell = stoa__table_seek(table, to, stoa__table_home(table, to));
    if (STOA_LIKELY(cell != NULL && stoa__cell_room(table, cell))) {
        stoa__line_insert(cell->held, packed);
        cell = stoa__table_seek(table, from, from_home);
        if (STOA_LIKELY(cell->held[1] != 0 && (cell->held[0] & STOA__HELD_GROUP) == 0)) {
            stoa__line_remove(cell->held, packed);
            return true;
        }
        table->total++;
    } else if (!stoa__table_put(table, heap, to, packed)) {
        return false;
    }
    stoa__table_take(table, heap, stoa__table_find(table, from), packed);
    return true;
}

#endif

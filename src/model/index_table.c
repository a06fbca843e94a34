/* A hash table from keys to sets of entities.
 *
 * Invariant: every cell in use can be reached from its key's home without passing a free one. A
 * block holds at least one entity. One that is full moves to the next size, one that is a quarter
 * full to the size below, or back into a wide cell; a set that has become large stays in the tree
 * until it is empty. Cells become wide when keys have WIDE_FROM entities on average; when the table
 * grows they stay so if keys have WIDE_KEEP. O(1) on average for small sets, O(log n) for large
 * ones. Taking an entity out needs no memory: a smaller block is used if there is one to be had.
 * Reading is for any number of threads. */
#include "model/index_table.h"

#include <string.h>

#define CAPACITY_MIN_BITS 4u
#define CAPACITY_MIN (1u << CAPACITY_MIN_BITS)
#define CAPACITY_MAX (UINT32_C(1) << (SIZE_MAX > UINT32_MAX ? 31 : 25))

/* Cells start at the start of a cache line. */
#define CELL_ALIGN 64

#define WIDE_FROM 3u
#define WIDE_KEEP 2u

/* Entities that a block keeps when its cell is wide; with less they go back. */
#define BLOCK_KEEP STOA__LINE_MAX

static uint64_t held_block(uint32_t pool, uint32_t count, uint32_t number) {
    return STOA__HELD_GROUP | (uint64_t)pool << 60 | (uint64_t)count << 32 | number;
}

static uint32_t held_pool(uint64_t held) {
    return (uint32_t)(held >> 60) & 7;
}

static uint32_t held_count(uint64_t held) {
    return (uint32_t)(held >> 32) & 0xFFFFu;
}

static uint64_t *block_at(const stoa__table *table, uint32_t pool, uint32_t number) {
    return table->pools[pool].words + ((size_t)number << (pool + 2));
}

static uint32_t block_capacity(const stoa__table *table, uint32_t pool) {
    return (4u << pool) - table->lead;
}

/* Takes a block that is not initialized; UINT32_MAX on lack of memory. */
static uint32_t block_take(stoa__table *table, stoa__heap *heap, uint32_t pool) {
    stoa__pool *p = &table->pools[pool];
    if (p->free != 0) {
        uint32_t number = p->free - 1;
        p->free = (uint32_t)*block_at(table, pool, number);
        return number;
    }
    if (p->used == UINT32_MAX - 1 || !stoa__heap_grow(heap, &p->words, &p->capacity, p->used + 1,
                                                      sizeof(uint64_t) << (pool + 2))) {
        return UINT32_MAX;
    }
    return p->used++;
}

static void block_give(stoa__table *table, uint32_t pool, uint32_t number) {
    *block_at(table, pool, number) = table->pools[pool].free;
    table->pools[pool].free = number + 1;
}

/* Takes a place for a large set; UINT32_MAX on lack of memory. */
static uint32_t large_take(stoa__table *table, stoa__heap *heap) {
    if (table->large_free != 0) {
        uint32_t number = table->large_free - 1;
        table->large_free = table->larges[number].next;
        return number;
    }
    if (!stoa__heap_grow(heap, &table->larges, &table->large_capacity, table->large_used + 1,
                         sizeof *table->larges)) {
        return UINT32_MAX;
    }
    return table->large_used++;
}

static void large_give(stoa__table *table, uint32_t number) {
    table->larges[number] = (stoa__large){.next = table->large_free};
    table->large_free = number + 1;
}

/* Moves the entities of a cell's block to one of another size. */
static bool block_move(stoa__table *table, stoa__heap *heap, stoa__cell *cell, uint32_t pool) {
    uint64_t held = cell->held[0];
    uint32_t from = held_pool(held), count = held_count(held);
    uint32_t to = block_take(table, heap, pool);
    if (to == UINT32_MAX) {
        return false;
    }
    memcpy(block_at(table, pool, to), block_at(table, from, (uint32_t)held),
           (table->lead + count) * sizeof(uint64_t));
    block_give(table, from, (uint32_t)held);
    cell->held[0] = held_block(pool, count, to);
    return true;
}

/* Moves the entities of a cell's block into the tree. */
static bool block_enlarge(stoa__table *table, stoa__heap *heap, stoa__cell *cell) {
    uint64_t held = cell->held[0];
    uint32_t pool = held_pool(held), count = held_count(held);
    uint32_t number = large_take(table, heap);
    if (number == UINT32_MAX) {
        return false;
    }
    const uint64_t *block = block_at(table, pool, (uint32_t)held);
    for (uint32_t i = 0; i < count; i++) {
        if (!stoa__ordered_insert(&table->tree, heap, number, block[table->lead + i])) {
            large_give(table, number);
            return false;
        }
    }
    table->larges[number] = (stoa__large){stoa__cell_kept(table, cell), count, 0};
    block_give(table, pool, (uint32_t)held);
    cell->held[0] = held_block(STOA__HELD_LARGE, 0, number);
    return true;
}

/* Moves the entities of a cell's block into the cell, which is wide and has room for them. */
static void block_return(stoa__table *table, stoa__cell *cell) {
    uint64_t held = cell->held[0];
    const uint64_t *block = block_at(table, held_pool(held), (uint32_t)held);
    for (uint32_t i = 0; i < STOA__LINE_MAX; i++) {
        cell->held[i] = i < held_count(held) ? block[i] : 0;
    }
    block_give(table, held_pool(held), (uint32_t)held);
}

/* Puts entities, of which there is room for one more in the block, into a block for a cell. */
static bool cell_spill(stoa__table *table, stoa__heap *heap, stoa__cell *cell,
                       const uint64_t *entities, uint32_t count) {
    uint32_t pool = 0;
    while (block_capacity(table, pool) <= count) {
        pool++;
    }
    uint32_t number = block_take(table, heap, pool);
    if (number == UINT32_MAX) {
        return false;
    }
    memcpy(block_at(table, pool, number), entities, count * sizeof *entities);
    cell->held[0] = held_block(pool, count, number);
    return true;
}

/* Makes room for one more entity in a cell's block, or moves it into the tree. */
static bool cell_reserve(stoa__table *table, stoa__heap *heap, stoa__cell *cell) {
    uint64_t held = cell->held[0];
    if ((held & STOA__HELD_GROUP) == 0) {
        return cell_spill(table, heap, cell, cell->held, stoa__cell_own(table, cell));
    }
    uint32_t pool = held_pool(held);
    if (pool == STOA__HELD_LARGE || held_count(held) < block_capacity(table, pool)) {
        return true;
    }
    return pool + 1 < STOA__POOLS ? block_move(table, heap, cell, pool + 1)
                                  : block_enlarge(table, heap, cell);
}

/* Adds an entity to a cell in use that has no room for it itself. */
static bool cell_add(stoa__table *table, stoa__heap *heap, stoa__cell *cell, uint64_t packed) {
    if (!cell_reserve(table, heap, cell)) {
        return false;
    }
    uint64_t held = cell->held[0];
    uint32_t pool = held_pool(held), number = (uint32_t)held;
    if (pool == STOA__HELD_LARGE) {
        bool done = stoa__ordered_insert(&table->tree, heap, number, packed);
        table->larges[number].count += done;
        table->total += done;
        return done;
    }
    uint32_t at = held_count(held);
    uint64_t *entities = block_at(table, pool, number) + table->lead;
    for (; at > 0 && entities[at - 1] > packed; at--) {
        entities[at] = entities[at - 1];
    }
    entities[at] = packed;
    cell->held[0] = held + (UINT64_C(1) << 32);
    table->total++;
    return true;
}

/* The free cell where a key that is not in the table goes. */
static stoa__cell *cell_free(const stoa__table *table, uint64_t key) {
    uint32_t i = stoa__table_home(table, key);
    while (stoa__table_cell(table, i)->held[0] != 0) {
        i = (i + 1) & (table->capacity - 1);
    }
    return stoa__table_cell(table, i);
}

static size_t cells_size(const stoa__table *table) {
    return ((size_t)table->capacity << table->span) * sizeof *table->cells;
}

/* Copies a cell in use to a free one of a table that shares blocks with its own; false on lack of
 * memory for a block. */
static bool cell_copy(stoa__table *to, stoa__heap *heap, const stoa__table *from,
                      const stoa__cell *cell) {
    stoa__cell *copy = cell_free(to, cell->key);
    uint64_t held = cell->held[0];
    bool group = (held & STOA__HELD_GROUP) != 0;
    uint32_t own = group ? 1 : stoa__cell_own(from, cell);
    copy->key = cell->key;
    if (own >= 1u << to->span) {
        return cell_spill(to, heap, copy, cell->held, own);
    }
    memcpy(copy->held, cell->held, own * sizeof held);
    if (to->span == STOA__CELL_WIDE && group && held_pool(held) != STOA__HELD_LARGE &&
        held_count(held) < BLOCK_KEEP) {
        block_return(to, copy);
    }
    return true;
}

/* Gives the table so many cells of that span. False on lack of memory: if that was for the cells
 * nothing has changed, and always if they become wide. */
static bool table_rebuild(stoa__table *table, stoa__heap *heap, uint32_t capacity, uint32_t span) {
    stoa__table grown = *table;
    grown.capacity = capacity;
    grown.span = span;
    grown.shift = 64;
    while (capacity >> (64 - grown.shift) > 1) {
        grown.shift--;
    }
    grown.cells = stoa__heap_zalloc(heap, cells_size(&grown), CELL_ALIGN);
    bool done = grown.cells != NULL;
    for (uint32_t i = 0; done && i < table->capacity; i++) {
        const stoa__cell *cell = stoa__table_cell(table, i);
        done = cell->held[0] == 0 || cell_copy(&grown, heap, table, cell);
    }
    memcpy(table->pools, grown.pools, sizeof grown.pools);
    stoa__table *gone = done ? table : &grown;
    stoa__heap_free(heap, gone->cells, cells_size(gone), CELL_ALIGN);
    if (done) {
        *table = grown;
    }
    return done;
}

/* Makes room for one more cell. */
static bool table_reserve(stoa__table *table, stoa__heap *heap) {
    if (STOA_LIKELY(table->count < table->capacity / 4 * 3)) {
        return true;
    }
    if (table->capacity == 0) {
        return table_rebuild(table, heap, CAPACITY_MIN, STOA__CELL_NARROW);
    }
    bool wide =
        table->span == STOA__CELL_WIDE && table->total >= (uint64_t)table->count * WIDE_KEEP;
    return table->capacity < CAPACITY_MAX &&
           table_rebuild(table, heap, table->capacity * 2,
                         wide ? STOA__CELL_WIDE : STOA__CELL_NARROW);
}

/* Makes cells wide, if they should be; without memory they stay as they are. Then no block is left
 * of those that a wide cell can do without. */
static void table_widen(stoa__table *table, stoa__heap *heap) {
    if (table_rebuild(table, heap, table->capacity, STOA__CELL_WIDE)) {
        stoa__pool *pool = &table->pools[0];
        stoa__heap_grow_free(heap, pool->words, pool->capacity, 4 * sizeof(uint64_t));
        *pool = (stoa__pool){.words = NULL};
    }
}

/* Fills the hole with the next cell that may stand there, then the hole that one left, until a free
 * cell is met. A cell may not move to before its home. */
static void hole_close(stoa__table *table, uint32_t hole) {
    uint32_t mask = table->capacity - 1;
    size_t size = sizeof(uint64_t) << table->span;
    for (uint32_t at = (hole + 1) & mask;; at = (at + 1) & mask) {
        const stoa__cell *cell = stoa__table_cell(table, at);
        if (cell->held[0] == 0) {
            break;
        }
        uint32_t from_home = (at - stoa__table_home(table, cell->key)) & mask;
        if (from_home >= ((at - hole) & mask)) {
            memcpy(stoa__table_cell(table, hole), cell, size);
            hole = at;
        }
    }
    memset(stoa__table_cell(table, hole), 0, size);
}

void stoa__table_fini(stoa__table *table, stoa__heap *heap) {
    for (uint32_t i = 0; i < table->capacity; i++) {
        const stoa__cell *cell = stoa__table_cell(table, i);
        if (cell->held[0] != 0) {
            stoa__key_drop(heap, stoa__cell_kept(table, cell));
        }
    }
    for (uint32_t pool = 0; pool < STOA__POOLS; pool++) {
        stoa__heap_grow_free(heap, table->pools[pool].words, table->pools[pool].capacity,
                             sizeof(uint64_t) << (pool + 2));
    }
    stoa__heap_grow_free(heap, table->larges, table->large_capacity, sizeof *table->larges);
    stoa__heap_free(heap, table->cells, cells_size(table), CELL_ALIGN);
    stoa__ordered_fini(&table->tree, heap);
    *table = (stoa__table){.lead = table->lead};
}

stoa__key_bytes *stoa__cell_kept(const stoa__table *table, const stoa__cell *cell) {
    uint32_t pool = held_pool(cell->held[0]), number = (uint32_t)cell->held[0];
    if (table->lead == 0) {
        return NULL;
    }
    return pool == STOA__HELD_LARGE
               ? table->larges[number].kept
               : (stoa__key_bytes *)(uintptr_t)block_at(table, pool, number)[0];
}

/* The cell of a hash whose key is kept there, or is equal to the one given. */
static stoa__cell *hash_find(const stoa__table *table, uint64_t hash, const stoa__key_bytes *kept,
                             const stoa__key_plan *plan, const void *key) {
    if (table->count == 0) {
        return NULL;
    }
    for (uint32_t i = stoa__table_home(table, hash);; i = (i + 1) & (table->capacity - 1)) {
        stoa__cell *cell = stoa__table_cell(table, i);
        if (cell->held[0] == 0) {
            return NULL;
        }
        if (cell->key == hash) {
            const stoa__key_bytes *there = stoa__cell_kept(table, cell);
            if (kept != NULL ? there == kept : stoa__key_equal(plan, key, there)) {
                return cell;
            }
        }
    }
}

stoa__cell *stoa__table_find_key(const stoa__table *table, uint64_t hash,
                                 const stoa__key_plan *plan, const void *key) {
    return hash_find(table, hash, NULL, plan, key);
}

stoa__cell *stoa__table_find_kept(const stoa__table *table, const stoa__key_bytes *kept) {
    return hash_find(table, kept->hash, kept, NULL, NULL);
}

/* Takes a free cell for a key that is not in the table, for which there must be room. */
static void cell_open(stoa__table *table, uint64_t key, uint64_t held) {
    stoa__cell *cell = cell_free(table, key);
    cell->key = key;
    cell->held[0] = held;
    table->count++;
    table->total++;
}

/* True if narrow cells hold fewer entities than is good. */
static bool table_narrow(const stoa__table *table) {
    return table->span == STOA__CELL_NARROW && table->total >= (uint64_t)table->count * WIDE_FROM;
}

bool stoa__table_put(stoa__table *table, stoa__heap *heap, uint64_t word, uint64_t packed) {
    stoa__cell *cell = stoa__table_find(table, word);
    if (cell == NULL) {
        if (!table_reserve(table, heap)) {
            return false;
        }
        cell_open(table, word, packed);
        return true;
    }
    if (table_narrow(table)) {
        table_widen(table, heap);
        cell = stoa__table_find(table, word);
    }
    if (stoa__cell_room(table, cell)) {
        stoa__line_insert(cell->held, packed);
        table->total++;
        return true;
    }
    return cell_add(table, heap, cell, packed);
}

stoa__key_bytes *stoa__table_put_key(stoa__table *table, stoa__heap *heap,
                                     const stoa__key_plan *plan, const void *key, uint64_t packed) {
    uint64_t hash = stoa__key_hash(plan, key);
    stoa__cell *cell = stoa__table_find_key(table, hash, plan, key);
    if (cell != NULL) {
        return cell_add(table, heap, cell, packed) ? stoa__cell_kept(table, cell) : NULL;
    }
    uint32_t number = table_reserve(table, heap) ? block_take(table, heap, 0) : UINT32_MAX;
    if (number == UINT32_MAX) {
        return NULL;
    }
    stoa__key_bytes *kept = stoa__key_keep(plan, heap, key, hash);
    if (kept == NULL) {
        block_give(table, 0, number);
        return NULL;
    }
    uint64_t *block = block_at(table, 0, number);
    block[0] = (uint64_t)(uintptr_t)kept;
    block[1] = packed;
    cell_open(table, hash, held_block(0, 1, number));
    return kept;
}

/* Takes the cell away with what is kept of its key; its entities are gone. */
static void cell_close(stoa__table *table, stoa__heap *heap, const stoa__cell *cell) {
    uint64_t held = cell->held[0];
    stoa__key_drop(heap, stoa__cell_kept(table, cell));
    if ((held & STOA__HELD_GROUP) != 0) {
        if (held_pool(held) == STOA__HELD_LARGE) {
            large_give(table, (uint32_t)held);
        } else {
            block_give(table, held_pool(held), (uint32_t)held);
        }
    }
    size_t word = (size_t)((const uint64_t *)(const void *)cell - table->cells);
    hole_close(table, (uint32_t)(word >> table->span));
    table->count--;
}

/* Takes an entity out of a cell's block; returns how many are left. */
static uint32_t block_remove(stoa__table *table, stoa__heap *heap, stoa__cell *cell,
                             uint64_t packed) {
    uint64_t held = cell->held[0];
    uint32_t pool = held_pool(held), left = held_count(held) - 1;
    uint64_t *entities = block_at(table, pool, (uint32_t)held) + table->lead;
    uint32_t at = 0;
    while (at < left && entities[at] >> 32 != packed >> 32) {
        at++;
    }
    for (; at < left; at++) {
        entities[at] = entities[at + 1];
    }
    cell->held[0] = held - (UINT64_C(1) << 32);
    if (table->span == STOA__CELL_WIDE && left < BLOCK_KEEP) {
        block_return(table, cell);
    } else if (pool > 0 && left > 0 && left * 4 <= block_capacity(table, pool)) {
        /* Without memory it stays where it is. */
        (void)block_move(table, heap, cell, pool - 1);
    }
    return left;
}

/* stoa__table_take from a cell that holds a group. */
static void group_take(stoa__table *table, stoa__heap *heap, stoa__cell *cell, uint64_t packed) {
    uint64_t held = cell->held[0];
    uint32_t left;
    if (held_pool(held) == STOA__HELD_LARGE) {
        stoa__ordered_remove(&table->tree, heap, (uint32_t)held, packed);
        left = --table->larges[(uint32_t)held].count;
    } else {
        left = block_remove(table, heap, cell, packed);
    }
    if (left == 0) {
        cell_close(table, heap, cell);
    }
}

void stoa__table_take(stoa__table *table, stoa__heap *heap, stoa__cell *cell, uint64_t packed) {
    table->total--;
    if ((cell->held[0] & STOA__HELD_GROUP) != 0) {
        group_take(table, heap, cell, packed);
    } else if (table->span == STOA__CELL_WIDE && cell->held[1] != 0) {
        stoa__line_remove(cell->held, packed);
    } else {
        cell_close(table, heap, cell);
    }
}

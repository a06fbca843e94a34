/* A hash table from keys to sets of entities.
 *
 * Invariant: every cell in use can be reached from its key's home without passing a free one. A
 * block holds at least one entity. One that is full moves to the next size, one that is a quarter
 * full to the size below; a set that has become large stays in the tree until it is empty. O(1) on
 * average for small sets, O(log n) for large ones. Taking an entity out needs no memory: a smaller
 * block is used if there is one to be had. Reading is for any number of threads. */
#include "model/index_table.h"

#include <string.h>

#define CAPACITY_MIN_BITS 4u
#define CAPACITY_MIN (1u << CAPACITY_MIN_BITS)
#define CAPACITY_MAX (UINT32_C(1) << (SIZE_MAX > UINT32_MAX ? 31 : 27))

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
    uint32_t from = held_pool(cell->held), count = held_count(cell->held);
    uint32_t to = block_take(table, heap, pool);
    if (to == UINT32_MAX) {
        return false;
    }
    memcpy(block_at(table, pool, to), block_at(table, from, (uint32_t)cell->held),
           (table->lead + count) * sizeof(uint64_t));
    block_give(table, from, (uint32_t)cell->held);
    cell->held = held_block(pool, count, to);
    return true;
}

/* Moves the entities of a cell's block into the tree. */
static bool block_enlarge(stoa__table *table, stoa__heap *heap, stoa__cell *cell) {
    uint32_t pool = held_pool(cell->held), count = held_count(cell->held);
    uint32_t number = large_take(table, heap);
    if (number == UINT32_MAX) {
        return false;
    }
    const uint64_t *block = block_at(table, pool, (uint32_t)cell->held);
    for (uint32_t i = 0; i < count; i++) {
        if (!stoa__ordered_insert(&table->tree, heap, number, block[table->lead + i])) {
            large_give(table, number);
            return false;
        }
    }
    table->larges[number] = (stoa__large){stoa__cell_kept(table, cell), count, 0};
    block_give(table, pool, (uint32_t)cell->held);
    cell->held = held_block(STOA__HELD_LARGE, 0, number);
    return true;
}

/* Puts the single entity of a cell into a block. */
static bool single_move(stoa__table *table, stoa__heap *heap, stoa__cell *cell) {
    uint32_t number = block_take(table, heap, 0);
    if (number == UINT32_MAX) {
        return false;
    }
    block_at(table, 0, number)[0] = cell->held;
    cell->held = held_block(0, 1, number);
    return true;
}

/* Makes room for one more entity in a cell's block, or moves it into the tree. */
static bool cell_reserve(stoa__table *table, stoa__heap *heap, stoa__cell *cell) {
    if ((cell->held & STOA__HELD_GROUP) == 0) {
        return single_move(table, heap, cell);
    }
    uint32_t pool = held_pool(cell->held);
    if (pool == STOA__HELD_LARGE || held_count(cell->held) < block_capacity(table, pool)) {
        return true;
    }
    return pool + 1 < STOA__POOLS ? block_move(table, heap, cell, pool + 1)
                                  : block_enlarge(table, heap, cell);
}

/* Adds an entity to a cell in use. */
static bool cell_add(stoa__table *table, stoa__heap *heap, stoa__cell *cell, uint64_t packed) {
    if (!cell_reserve(table, heap, cell)) {
        return false;
    }
    uint32_t pool = held_pool(cell->held), number = (uint32_t)cell->held;
    if (pool == STOA__HELD_LARGE) {
        bool done = stoa__ordered_insert(&table->tree, heap, number, packed);
        table->larges[number].count += done;
        return done;
    }
    uint32_t at = held_count(cell->held);
    uint64_t *entities = block_at(table, pool, number) + table->lead;
    for (; at > 0 && entities[at - 1] > packed; at--) {
        entities[at] = entities[at - 1];
    }
    entities[at] = packed;
    cell->held += UINT64_C(1) << 32;
    return true;
}

/* The free cell where a key that is not in the table goes. */
static stoa__cell *cell_free(const stoa__table *table, uint64_t key) {
    stoa__cell *cell = stoa__table_home(table, key);
    const stoa__cell *end = table->cells + table->capacity;
    while (cell->held != 0) {
        cell = cell + 1 != end ? cell + 1 : table->cells;
    }
    return cell;
}

/* Makes room for one more cell. */
static bool table_reserve(stoa__table *table, stoa__heap *heap) {
    if (table->count < table->capacity / 4 * 3) {
        return true;
    }
    if (table->capacity == CAPACITY_MAX) {
        return false;
    }
    stoa__table grown = *table;
    grown.capacity = table->capacity == 0 ? CAPACITY_MIN : table->capacity * 2;
    grown.shift = table->capacity == 0 ? 64 - CAPACITY_MIN_BITS : table->shift - 1;
    grown.cells =
        stoa__heap_zalloc(heap, grown.capacity * sizeof *grown.cells, _Alignof(stoa__cell));
    if (grown.cells == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < table->capacity; i++) {
        if (table->cells[i].held != 0) {
            *cell_free(&grown, table->cells[i].key) = table->cells[i];
        }
    }
    stoa__heap_free(heap, table->cells, table->capacity * sizeof *table->cells,
                    _Alignof(stoa__cell));
    *table = grown;
    return true;
}

/* Fills the hole with the next cell that may stand there, then the hole that one left, until a free
 * cell is met. A cell may not move to before its home. */
static void hole_close(stoa__table *table, uint32_t hole) {
    uint32_t mask = table->capacity - 1;
    for (uint32_t at = (hole + 1) & mask; table->cells[at].held != 0; at = (at + 1) & mask) {
        uint32_t home = (uint32_t)(stoa__table_home(table, table->cells[at].key) - table->cells);
        uint32_t from_home = (at - home) & mask, from_hole = (at - hole) & mask;
        if (from_home >= from_hole) {
            table->cells[hole] = table->cells[at];
            hole = at;
        }
    }
    table->cells[hole] = (stoa__cell){.held = 0};
}

void stoa__table_fini(stoa__table *table, stoa__heap *heap) {
    for (uint32_t i = 0; i < table->capacity; i++) {
        if (table->cells[i].held != 0) {
            stoa__key_drop(heap, stoa__cell_kept(table, &table->cells[i]));
        }
    }
    for (uint32_t pool = 0; pool < STOA__POOLS; pool++) {
        stoa__heap_grow_free(heap, table->pools[pool].words, table->pools[pool].capacity,
                             sizeof(uint64_t) << (pool + 2));
    }
    stoa__heap_grow_free(heap, table->larges, table->large_capacity, sizeof *table->larges);
    stoa__heap_free(heap, table->cells, table->capacity * sizeof *table->cells,
                    _Alignof(stoa__cell));
    stoa__ordered_fini(&table->tree, heap);
    *table = (stoa__table){.lead = table->lead};
}

stoa__key_bytes *stoa__cell_kept(const stoa__table *table, const stoa__cell *cell) {
    uint32_t pool = held_pool(cell->held), number = (uint32_t)cell->held;
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
    stoa__cell *cell = stoa__table_home(table, hash);
    const stoa__cell *end = table->cells + table->capacity;
    for (; cell->held != 0; cell = cell + 1 != end ? cell + 1 : table->cells) {
        if (cell->key == hash) {
            const stoa__key_bytes *there = stoa__cell_kept(table, cell);
            if (kept != NULL ? there == kept : stoa__key_equal(plan, key, there)) {
                return cell;
            }
        }
    }
    return NULL;
}

stoa__cell *stoa__table_find_key(const stoa__table *table, uint64_t hash,
                                 const stoa__key_plan *plan, const void *key) {
    return hash_find(table, hash, NULL, plan, key);
}

stoa__cell *stoa__table_find_kept(const stoa__table *table, const stoa__key_bytes *kept) {
    return hash_find(table, kept->hash, kept, NULL, NULL);
}

bool stoa__table_put(stoa__table *table, stoa__heap *heap, uint64_t word, uint64_t packed) {
    stoa__cell *cell = stoa__table_find(table, word);
    if (cell != NULL) {
        return cell_add(table, heap, cell, packed);
    }
    if (!table_reserve(table, heap)) {
        return false;
    }
    *cell_free(table, word) = (stoa__cell){word, packed};
    table->count++;
    return true;
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
    *cell_free(table, hash) = (stoa__cell){hash, held_block(0, 1, number)};
    table->count++;
    return kept;
}

/* Takes the cell away with what is kept of its key; its entities are gone. */
static void cell_close(stoa__table *table, stoa__heap *heap, stoa__cell *cell) {
    uint64_t held = cell->held;
    stoa__key_drop(heap, stoa__cell_kept(table, cell));
    if ((held & STOA__HELD_GROUP) != 0) {
        if (held_pool(held) == STOA__HELD_LARGE) {
            large_give(table, (uint32_t)held);
        } else {
            block_give(table, held_pool(held), (uint32_t)held);
        }
    }
    hole_close(table, (uint32_t)(cell - table->cells));
    table->count--;
}

void stoa__table_take(stoa__table *table, stoa__heap *heap, stoa__cell *cell, uint64_t packed) {
    uint64_t held = cell->held;
    uint32_t pool = held_pool(held), number = (uint32_t)held, left = 0;
    if ((held & STOA__HELD_GROUP) != 0 && pool == STOA__HELD_LARGE) {
        stoa__ordered_remove(&table->tree, heap, number, packed);
        left = --table->larges[number].count;
    } else if ((held & STOA__HELD_GROUP) != 0) {
        left = held_count(held) - 1;
        uint64_t *entities = block_at(table, pool, number) + table->lead;
        uint32_t at = 0;
        while (entities[at] != packed) {
            at++;
        }
        for (; at < left; at++) {
            entities[at] = entities[at + 1];
        }
        cell->held = held - (UINT64_C(1) << 32);
        if (pool > 0 && left > 0 && left * 4 <= block_capacity(table, pool)) {
            /* Without memory it stays where it is. */
            (void)block_move(table, heap, cell, pool - 1);
        }
    }
    if (left == 0) {
        cell_close(table, heap, cell);
    }
}

/* Tables of columns.
 *
 * Each component has a table from chunk number to the address of its column there, NULL where there
 * is none: so a look-up by handle is the record, one entry and the value. A second table, right
 * after it, has the same in the form of stoa_home. All tables are as long as the table of chunks
 * and change whenever a chunk gets a number, a block, a layout or an owner.
 *
 * In a world of many small chunks a table would take more than it is worth: a component whose
 * chunks are too little beside it has none, and neither has one for which there was no memory. The
 * fast paths then call the library, which asks the archetype. So nothing here fails. The epoch
 * moves on when a table comes, goes, or lies elsewhere. Filling is O(components of the chunk),
 * growing O(chunks * components). One thread at a time. */
#include "storage/columns.h"

#include "storage/archetype.h"

#include <string.h>

/* With so few chunks every component has a table, in an archetype or not. */
#define CHUNKS_FIRST 8u
/* Components that may have a table though it does not pay. */
#define TABLES_FREE 3u
/* Otherwise a table takes at most one in so many bytes of the chunks that have the component. */
#define CHUNKS_SHARE 64u

_Static_assert(sizeof(stoa_home) == sizeof(uint8_t *), "both tables have entries of one size");

/* Bytes of both tables of a component. */
static size_t table_size(uint32_t capacity) {
    return capacity * (sizeof(uint8_t *) + sizeof(stoa_home));
}

/* What the second table says of a column. */
static stoa_home home_of(const stoa__storage *storage, stoa_component id, uint32_t number,
                         const uint8_t *column) {
    uint64_t size = stoa__component_at(storage, id)->info.size;
    uint64_t before = ((uint64_t)number << STOA_PLACE_BITS) * size;
    return column != NULL ? (stoa_home)((uintptr_t)column - before + STOA_HOME_SET) : 0;
}

/* Notes where a column of a chunk begins. */
static void entry_set(const stoa__storage *storage, stoa_component id, uint8_t **table,
                      uint32_t number, uint8_t *column) {
    stoa_home *homes = (stoa_home *)(void *)(table + storage->head.column_capacity);
    table[number] = column;
    homes[number] = home_of(storage, id, number, column);
}

void stoa__columns_set(stoa__storage *storage, stoa_component id, uint32_t number,
                       uint8_t *column) {
    if (storage->head.columns[id] != NULL) {
        entry_set(storage, id, storage->head.columns[id], number, column);
    }
}

static void table_free(stoa__storage *storage, stoa_component id) {
    storage->column_tables -= storage->head.columns[id] != NULL;
    stoa__heap_free(&storage->heap, storage->head.columns[id],
                    table_size(storage->head.column_capacity), _Alignof(uint8_t *));
    storage->head.columns[id] = NULL;
    storage->head.epoch++;
}

/* Bytes of the chunks that have a component. */
static uint64_t component_bytes(const stoa__storage *storage, stoa_component id) {
    const stoa__bitset *archetypes = &stoa__component_at(storage, id)->archetypes;
    uint64_t bytes = 0;
    for (uint32_t word = 0; word < archetypes->word_count; word++) {
        for (uint64_t bits = archetypes->words[word]; bits != 0; bits &= bits - 1) {
            const stoa__archetype *archetype =
                storage->archetypes[word * 64 + stoa__bit_lowest(bits)];
            bytes += (uint64_t)archetype->chunk_held * archetype->chunk_bytes;
        }
    }
    return bytes;
}

/* True if a component should have a table of that many chunks, beside so many others. */
static bool table_pays(const stoa__storage *storage, stoa_component id, uint32_t capacity,
                       uint32_t others) {
    uint64_t bytes = component_bytes(storage, id);
    return bytes > 0 && (others < TABLES_FREE || bytes / CHUNKS_SHARE >= table_size(capacity));
}

static void table_make(stoa__storage *storage, stoa_component id) {
    uint8_t **table = stoa__heap_zalloc(&storage->heap, table_size(storage->head.column_capacity),
                                        _Alignof(uint8_t *));
    if (table == NULL) {
        return;
    }
    for (uint32_t i = 1; i < storage->chunk_count; i++) {
        const stoa_chunk_ref *chunk = &storage->head.chunks[i];
        const stoa_column *column =
            chunk->archetype != NULL ? stoa_archetype_column(chunk->archetype, id) : NULL;
        entry_set(storage, id, table, i,
                  column != NULL ? stoa_column_begin(chunk->columns, column->index) : NULL);
    }
    storage->head.columns[id] = table;
    storage->column_tables++;
    storage->head.epoch++;
}

/* Gives a table the length of the table of chunks, or frees it. */
static void table_extend(stoa__storage *storage, stoa_component id, bool keep) {
    uint8_t **table = storage->head.columns[id];
    size_t from = table_size(storage->head.column_capacity),
           to = table_size(storage->chunk_capacity);
    if (keep) {
        table = stoa__heap_resize(&storage->heap, table, from, to, _Alignof(uint8_t *));
        keep = table != NULL;
    }
    if (!keep) {
        table_free(storage, id);
        return;
    }
    uint32_t before = storage->head.column_capacity, capacity = storage->chunk_capacity;
    memmove(table + capacity, table + before, before * sizeof(stoa_home));
    memset(table + before, 0, (capacity - before) * sizeof *table);
    memset(table + capacity + before, 0, (capacity - before) * sizeof(stoa_home));
    storage->head.columns[id] = table;
    storage->head.epoch++;
}

stoa_status stoa__columns_init(stoa__storage *storage) {
    if (!stoa__columns_reserve(storage)) {
        return stoa__error_memory("the list of columns");
    }
    storage->head.columns[0] = NULL;
    return STOA_OK;
}

void stoa__columns_fini(stoa__storage *storage) {
    stoa__heap_grow_free(&storage->heap, storage->head.columns, storage->column_list,
                         sizeof *storage->head.columns);
}

bool stoa__columns_reserve(stoa__storage *storage) {
    return stoa__heap_grow(&storage->heap, &storage->head.columns, &storage->column_list,
                           storage->registry.count + 2, sizeof *storage->head.columns);
}

void stoa__columns_add(stoa__storage *storage) {
    stoa_component id = storage->registry.count;
    storage->head.columns[id] = NULL;
    if (storage->head.column_capacity - 1 < CHUNKS_FIRST &&
        stoa__component_at(storage, id)->set == NULL) {
        table_make(storage, id);
    }
}

void stoa__columns_forget(stoa__storage *storage, stoa_component id) {
    table_free(storage, id);
}

void stoa__columns_extend(stoa__storage *storage) {
    uint32_t capacity = storage->chunk_capacity, kept = 0;
    if (storage->head.column_capacity == capacity) {
        return;
    }
    for (stoa_component id = 1; id <= storage->registry.count; id++) {
        if (storage->head.columns[id] != NULL) {
            table_extend(storage, id, table_pays(storage, id, capacity, kept));
            kept += storage->head.columns[id] != NULL;
        }
    }
    storage->head.column_capacity = capacity;
    for (stoa_component id = 1; id <= storage->registry.count; id++) {
        if (storage->head.columns[id] == NULL &&
            table_pays(storage, id, capacity, storage->column_tables)) {
            table_make(storage, id);
        }
    }
}

/* Makes the table of a component that a chunk of the archetype came to have, if it is worth it.
 * Small chunks do not make it so. */
static void table_want(stoa__storage *storage, const stoa__archetype *archetype,
                       stoa_component id) {
    if (storage->column_tables < TABLES_FREE ||
        ((uint32_t)archetype->head.chunk_capacity == archetype->full_capacity &&
         table_pays(storage, id, storage->head.column_capacity, storage->column_tables))) {
        table_make(storage, id);
    }
}

void stoa__columns_fill(stoa__storage *storage, const stoa__archetype *archetype, uint32_t number) {
    uint8_t *const *columns = storage->head.chunks[number].columns;
    storage->chunk_changes++;
    stoa__rows_moved(storage, archetype->index);
    for (uint32_t i = 0; i < archetype->id_count; i++) {
        stoa_component id = archetype->ids[i];
        uint8_t **table = storage->head.columns[id];
        if (STOA_LIKELY(table != NULL)) {
            entry_set(storage, id, table, number,
                      stoa_column_begin(columns, stoa__archetype_column(archetype, id)->index));
        } else {
            table_want(storage, archetype, id);
        }
    }
}

void stoa__columns_clear(stoa__storage *storage, const stoa__archetype *archetype,
                         uint32_t number) {
    storage->chunk_changes++;
    stoa__rows_moved(storage, archetype->index);
    for (uint32_t i = 0; i < archetype->id_count; i++) {
        stoa__columns_set(storage, archetype->ids[i], number, NULL);
    }
}

size_t stoa__columns_bytes(const stoa__storage *storage) {
    size_t bytes = storage->column_list * sizeof *storage->head.columns;
    for (stoa_component id = 1; id <= storage->registry.count; id++) {
        bytes += storage->head.columns[id] != NULL ? table_size(storage->head.column_capacity) : 0;
    }
    return bytes;
}

/* Where a chunk number leads for a component, by the archetype of its chunk. */
static const uint8_t *column_expected(const stoa__storage *storage, stoa_component id,
                                      uint32_t number) {
    const stoa_chunk_ref *chunk = &storage->head.chunks[number];
    if (number == 0 || number >= storage->chunk_count || chunk->archetype == NULL) {
        return NULL;
    }
    const stoa_column *column = stoa_archetype_column(chunk->archetype, id);
    return column != NULL ? stoa_column_begin(chunk->columns, column->index) : NULL;
}

stoa_status stoa__columns_check(const stoa__storage *storage) {
    if (storage->head.column_capacity != storage->chunk_capacity ||
        storage->head.columns[0] != NULL) {
        return stoa__error(STOA_CORRUPT, "tables of columns are for %u chunks, not %u",
                           storage->head.column_capacity, storage->chunk_capacity);
    }
    for (stoa_component id = 1; id <= storage->registry.count; id++) {
        uint32_t capacity = storage->head.column_capacity;
        uint8_t *const *table = storage->head.columns[id];
        for (uint32_t i = 0; table != NULL && i < capacity; i++) {
            const uint8_t *expected = column_expected(storage, id, i);
            const stoa_home *homes = (const stoa_home *)(const void *)(table + capacity);
            if (table[i] != expected || homes[i] != home_of(storage, id, i, expected)) {
                return stoa__error(STOA_CORRUPT,
                                   "invariant 4: the table of '%s' is wrong about chunk %u",
                                   stoa__component_at(storage, id)->name, i);
            }
        }
    }
    return STOA_OK;
}

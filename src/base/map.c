/* A hash table from a 64-bit hash to a number.
 *
 * Invariant: every entry can be reached from the cell its hash asks for without passing a free one,
 * and at least a quarter of the cells is free. Taking one out moves later entries back instead of
 * leaving a mark, so searches stay short however often entries come and go. O(1) on average if the
 * hashes are well mixed; only stoa__map_reserve allocates. */
#include "base/map.h"

#include <string.h>

#define CAPACITY_MIN 8u

/* The largest power of two of cells whose size in bytes is a size_t. */
#if SIZE_MAX > UINT32_MAX
#define CAPACITY_MAX (UINT32_C(1) << 31)
#else
#define CAPACITY_MAX (UINT32_C(1) << 27)
#endif

static uint32_t cell_home(const stoa__map *map, uint64_t hash) {
    return (uint32_t)hash & (map->capacity - 1);
}

static void cell_place(stoa__map *map, uint64_t hash, uint32_t value) {
    uint32_t mask = map->capacity - 1;
    uint32_t at = cell_home(map, hash);
    while (map->cells[at].value != STOA__MAP_NONE) {
        at = (at + 1) & mask;
    }
    map->cells[at].hash = hash;
    map->cells[at].value = value;
}

/* Fills the hole with the next entry that may stand there, then the hole that one left, until a
 * free cell is met. An entry may not move to before its home. */
static void hole_close(stoa__map *map, uint32_t hole) {
    uint32_t mask = map->capacity - 1;
    for (uint32_t at = (hole + 1) & mask; map->cells[at].value != STOA__MAP_NONE;
         at = (at + 1) & mask) {
        uint32_t from_home = (at - cell_home(map, map->cells[at].hash)) & mask;
        uint32_t from_hole = (at - hole) & mask;
        if (from_home >= from_hole) {
            map->cells[hole] = map->cells[at];
            hole = at;
        }
    }
    map->cells[hole].value = STOA__MAP_NONE;
}

void stoa__map_clear(stoa__map *map) {
    for (uint32_t i = 0; i < map->capacity; i++) {
        map->cells[i].value = STOA__MAP_NONE;
    }
    map->count = 0;
}

void stoa__map_fini(stoa__map *map, stoa__heap *heap) {
    stoa__heap_free(heap, map->cells, map->capacity * sizeof *map->cells, _Alignof(stoa__map_cell));
    memset(map, 0, sizeof *map);
}

bool stoa__map_reserve(stoa__map *map, stoa__heap *heap) {
    if (map->count < map->capacity / 4 * 3) {
        return true;
    }
    if (map->capacity == CAPACITY_MAX) {
        return false;
    }
    stoa__map grown = {.capacity = map->capacity == 0 ? CAPACITY_MIN : map->capacity * 2};
    size_t size = grown.capacity * sizeof *grown.cells;
    grown.cells = stoa__heap_alloc(heap, size, _Alignof(stoa__map_cell));
    if (grown.cells == NULL) {
        return false;
    }
    /* All bits set is a free cell. */
    memset(grown.cells, 0xff, size);
    for (uint32_t i = 0; i < map->capacity; i++) {
        if (map->cells[i].value != STOA__MAP_NONE) {
            cell_place(&grown, map->cells[i].hash, map->cells[i].value);
        }
    }
    grown.count = map->count;
    stoa__map_fini(map, heap);
    *map = grown;
    return true;
}

void stoa__map_insert(stoa__map *map, uint64_t hash, uint32_t value) {
    cell_place(map, hash, value);
    map->count++;
}

void stoa__map_remove(stoa__map *map, uint64_t hash, uint32_t value) {
    if (map->count == 0) {
        return;
    }
    uint32_t mask = map->capacity - 1;
    for (uint32_t at = cell_home(map, hash); map->cells[at].value != STOA__MAP_NONE;
         at = (at + 1) & mask) {
        if (map->cells[at].value == value && map->cells[at].hash == hash) {
            hole_close(map, at);
            map->count--;
            return;
        }
    }
}

/* The cursor is the number of cells walked from the hash's home; at the end it stays on the free
 * cell, so that a further call ends as well. */
uint32_t stoa__map_next(const stoa__map *map, uint64_t hash, uint32_t *cursor) {
    if (map->count == 0) {
        return STOA__MAP_NONE;
    }
    uint32_t mask = map->capacity - 1;
    for (;; (*cursor)++) {
        const stoa__map_cell *cell = &map->cells[((uint32_t)hash + *cursor) & mask];
        if (cell->value == STOA__MAP_NONE) {
            return STOA__MAP_NONE;
        }
        if (cell->hash == hash) {
            (*cursor)++;
            return cell->value;
        }
    }
}

/* Tables by entity index, and pairs by both ends: what a relation remembers of its entities.
 *
 * A table has pages of 256 entries, which never move and are kept until the end. An entity that is
 * about to be made has no index yet, so spare pages are kept ready: as many as such entities could
 * need at worst. Pairs are found by hash. O(1); only reserving allocates. One thread at a time;
 * many may search. */
#include "model/relation.h"

#include "base/hash.h"

#include <string.h>

static size_t page_size(const stoa__paged *table) {
    return (size_t)STOA__PAGED_SIZE * table->item_size;
}

/* Makes the list of pages reach to before `end`. */
static bool pages_reach(stoa__paged *table, stoa__heap *heap, uint64_t end) {
    uint32_t before = table->capacity;
    uint64_t need = (end + STOA__PAGED_SIZE - 1) / STOA__PAGED_SIZE;
    if (need > UINT32_MAX ||
        !stoa__heap_grow(heap, &table->pages, &table->capacity, (uint32_t)need, sizeof(void *))) {
        return false;
    }
    for (uint32_t i = before; i < table->capacity; i++) {
        table->pages[i] = NULL;
    }
    return true;
}

void *stoa__paged_at(stoa__paged *table, uint32_t index) {
    uint32_t page = index / STOA__PAGED_SIZE;
    if (page < table->capacity && table->pages[page] == NULL && table->spares != NULL) {
        void *spare = table->spares;
        memcpy(&table->spares, spare, sizeof(void *));
        memset(spare, 0, sizeof(void *));
        table->pages[page] = spare;
        table->spare_count--;
        table->page_count++;
    }
    return stoa__paged_find(table, index);
}

static bool spare_add(stoa__paged *table, stoa__heap *heap) {
    void *page = stoa__heap_zalloc(heap, page_size(table), _Alignof(max_align_t));
    if (page == NULL) {
        return false;
    }
    memcpy(page, &table->spares, sizeof(void *));
    table->spares = page;
    table->spare_count++;
    return true;
}

bool stoa__paged_reserve(stoa__paged *table, stoa__heap *heap, uint32_t index) {
    if (stoa__paged_find(table, index) != NULL) {
        return true;
    }
    return pages_reach(table, heap, (uint64_t)index + 1) &&
           (table->spare_count > 0 || spare_add(table, heap)) &&
           stoa__paged_at(table, index) != NULL;
}

bool stoa__paged_reserve_any(stoa__paged *table, stoa__heap *heap, uint64_t end, uint32_t count) {
    if (!pages_reach(table, heap, end)) {
        return false;
    }
    /* All pages in place are of indexes below the end, too. */
    uint64_t all = (end + STOA__PAGED_SIZE - 1) / STOA__PAGED_SIZE;
    uint32_t missing = (uint32_t)all - table->page_count;
    uint32_t want = count < missing ? count : missing;
    while (table->spare_count < want) {
        if (!spare_add(table, heap)) {
            return false;
        }
    }
    return true;
}

void stoa__paged_clear(const stoa__paged *table) {
    for (uint32_t i = 0; i < table->capacity; i++) {
        if (table->pages[i] != NULL) {
            memset(table->pages[i], 0, page_size(table));
        }
    }
}

void stoa__paged_fini(stoa__paged *table, stoa__heap *heap) {
    for (uint32_t i = 0; i < table->capacity; i++) {
        stoa__heap_free(heap, table->pages[i], page_size(table), _Alignof(max_align_t));
    }
    while (table->spares != NULL) {
        void *spare = table->spares;
        memcpy(&table->spares, spare, sizeof(void *));
        stoa__heap_free(heap, spare, page_size(table), _Alignof(max_align_t));
    }
    stoa__heap_grow_free(heap, table->pages, table->capacity, sizeof(void *));
}

static uint64_t pair_hash(stoa_entity source, stoa_entity target) {
    return stoa__hash_mix(stoa__hash_mix(stoa_entity_pack(source)) + stoa_entity_pack(target));
}

uint32_t stoa__pairs_find(const stoa__pairs *pairs, stoa_entity source, stoa_entity target) {
    uint64_t hash = pair_hash(source, target);
    uint32_t cursor = 0, place;
    do {
        place = stoa__map_next(&pairs->map, hash, &cursor);
    } while (place != STOA__MAP_NONE &&
             !(stoa_entity_eq(pairs->items[place].ends[STOA__SOURCE], source) &&
               stoa_entity_eq(pairs->items[place].ends[STOA__TARGET], target)));
    return place;
}

bool stoa__pairs_reserve(stoa__pairs *pairs, stoa__heap *heap) {
    bool place =
        pairs->free != STOA__MAP_NONE || (pairs->count < STOA__MAP_NONE - 1 &&
                                          stoa__heap_grow(heap, &pairs->items, &pairs->capacity,
                                                          pairs->count + 1, sizeof *pairs->items));
    return place && stoa__map_reserve(&pairs->map, heap);
}

void stoa__pairs_add(stoa__pairs *pairs, stoa__pair pair) {
    uint32_t place = pairs->free;
    if (place != STOA__MAP_NONE) {
        pairs->free = pairs->items[place].position[0];
    } else {
        place = pairs->count++;
    }
    pairs->items[place] = pair;
    stoa__map_insert(&pairs->map, pair_hash(pair.ends[STOA__SOURCE], pair.ends[STOA__TARGET]),
                     place);
}

void stoa__pairs_remove(stoa__pairs *pairs, uint32_t place) {
    stoa__pair *pair = &pairs->items[place];
    stoa__map_remove(&pairs->map, pair_hash(pair->ends[STOA__SOURCE], pair->ends[STOA__TARGET]),
                     place);
    *pair = (stoa__pair){.position = {pairs->free, 0}};
    pairs->free = place;
}

void stoa__pairs_clear(stoa__pairs *pairs) {
    pairs->count = 0;
    pairs->free = STOA__MAP_NONE;
    stoa__map_clear(&pairs->map);
}

void stoa__pairs_fini(stoa__pairs *pairs, stoa__heap *heap) {
    stoa__heap_grow_free(heap, pairs->items, pairs->capacity, sizeof *pairs->items);
    stoa__map_fini(&pairs->map, heap);
}

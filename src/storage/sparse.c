/* Sparse sets: what is not inlined.
 *
 * Position i holds the same entity in every array, and the entry of an entity's index is its
 * position + 1. The arrays stand in one block, so that growing either happens to all of them or to
 * none. A block doubles, pages stay where they are; both are given back by trimming alone. One
 * thread at a time; ticks may be written by several. */
#include "storage/sparse.h"

#include "storage/entities.h"

/* The bytes of a first block, about: small sets stay small. */
#define BLOCK_BYTES_MIN 512

/* Where the arrays of a block begin; the entities are first. Up to the values it follows from the
 * capacity alone, if they need no more than 16 bytes of alignment: see stoa__sparse_vector_put. */
typedef struct layout {
    uint64_t changed;
    uint64_t added;
    uint64_t values;
    uint64_t off;
    uint64_t size;
} layout;

static bool set_switchable(const stoa__sparse *set) {
    return (set->component->info.flags & STOA_SWITCHABLE) != 0;
}

static layout block_layout(const stoa__sparse *set, uint32_t capacity) {
    uint64_t alignment = set->component->info.alignment;
    layout l;
    l.changed = (uint64_t)capacity * sizeof(stoa_entity);
    l.added = l.changed + (uint64_t)capacity * sizeof(stoa_atomic);
    l.values = l.added + (uint64_t)capacity * sizeof(uint32_t);
    l.values += alignment > 1 ? -l.values & (alignment - 1) : 0;
    l.off = l.values + (uint64_t)capacity * set->size;
    l.size = l.off + (set_switchable(set) ? capacity : 0);
    return l;
}

static size_t block_alignment(const stoa__sparse *set) {
    return set->component->info.alignment > 8 ? set->component->info.alignment : 8;
}

static size_t page_bytes(void) {
    return STOA__PAGE_SIZE * sizeof(uint32_t);
}

/* Shows what can be had by asking: nothing while there is limbo. */
static void set_show(stoa__sparse *set) {
    set->room = set->limbo == NULL ? set->capacity : 0;
    set->table = set->limbo == NULL ? set->pages : NULL;
}

static void limbo_free(stoa__heap *heap, stoa__sparse *set) {
    stoa__heap_free(heap, set->limbo, set->limbo_size, block_alignment(set));
    set->limbo = NULL;
    set->limbo_size = 0;
    set_show(set);
}

/* Puts the content, if any, into the arrays of another block. */
static void block_fill(const stoa__sparse *from, stoa__sparse *to) {
    size_t count = from->count;
    if (count == 0) {
        return;
    }
    if (from->size != 0) {
        stoa__component_move(from->component, to->values, from->values, (int32_t)count);
    }
    memcpy(to->entities, from->entities, count * sizeof *to->entities);
    memcpy(to->added, from->added, count * sizeof *to->added);
    for (size_t i = 0; i < count; i++) {
        atomic_init(&to->changed[i], STOA_LOAD(&from->changed[i]));
    }
    if (to->off != NULL) {
        memcpy(to->off, from->off, count);
    }
}

/* Moves the content to a block of a capacity. The old block stays as limbo. */
static bool block_change(stoa__heap *heap, stoa__sparse *set, uint32_t capacity) {
    layout l = block_layout(set, capacity);
    if (l.size > PTRDIFF_MAX) {
        return false;
    }
    uint8_t *block = stoa__heap_alloc(heap, (size_t)l.size, block_alignment(set));
    if (block == NULL) {
        return false;
    }
    stoa__sparse to = *set;
    to.block_size = (size_t)l.size;
    to.entities = (stoa_entity *)(void *)block;
    to.changed = (stoa_atomic *)(void *)(block + l.changed);
    to.added = (uint32_t *)(void *)(block + l.added);
    to.values = set->size != 0 ? block + l.values : NULL;
    to.off = set_switchable(set) ? block + l.off : NULL;
    to.capacity = capacity;
    block_fill(set, &to);
    limbo_free(heap, set);
    to.limbo = (uint8_t *)set->entities;
    to.limbo_size = set->block_size;
    *set = to;
    set_show(set);
    return true;
}

/* The capacity to grow to for `need`. */
static uint32_t capacity_for(const stoa__sparse *set, uint64_t need) {
    uint64_t grown = (uint64_t)set->capacity * 2;
    if (grown == 0) {
        grown = BLOCK_BYTES_MIN / block_layout(set, 1).size;
    }
    grown = grown > need ? grown : need;
    return grown < STOA__NONE ? (uint32_t)grown : STOA__NONE;
}

static bool block_reserve(stoa__heap *heap, stoa__sparse *set, uint32_t count) {
    uint64_t need = (uint64_t)set->count + count;
    limbo_free(heap, set);
    if (need <= set->capacity) {
        return true;
    }
    if (need >= STOA__NONE || !block_change(heap, set, capacity_for(set, need))) {
        return false;
    }
    /* What a hook moved is dead, so nobody may want to read it. */
    if (set->component->info.hooks.move != NULL) {
        limbo_free(heap, set);
    }
    return true;
}

/* Makes the table of pages reach to `page`. */
static bool table_reserve(stoa__heap *heap, stoa__sparse *set, uint32_t page) {
    if (page < set->page_count) {
        return true;
    }
    uint32_t count = set->page_count < 4 ? 8 : set->page_count * 2;
    count = count > page ? count : page + 1;
    uint32_t **pages = stoa__heap_resize(heap, set->pages, set->page_count * sizeof *pages,
                                         count * sizeof *pages, _Alignof(uint32_t *));
    if (pages == NULL) {
        return false;
    }
    for (uint32_t i = set->page_count; i < count; i++) {
        pages[i] = NULL;
    }
    set->pages = pages;
    set->page_count = count;
    set_show(set);
    return true;
}

static bool pages_reserve(stoa__heap *heap, stoa__sparse *set, uint32_t first, uint32_t last) {
    if (!table_reserve(heap, set, last)) {
        return false;
    }
    for (uint32_t i = first; i <= last; i++) {
        if (set->pages[i] == NULL) {
            set->pages[i] = stoa__heap_zalloc(heap, page_bytes(), _Alignof(uint32_t));
        }
        if (set->pages[i] == NULL) {
            return false;
        }
    }
    return true;
}

STOA__COLD bool stoa__sparse_grow(stoa__heap *heap, stoa__sparse *set, uint32_t index_max,
                                  uint32_t count) {
    if (count == 0) {
        return true;
    }
    uint32_t last = index_max >> STOA__PAGE_BITS;
    return pages_reserve(heap, set, count == 1 ? last : 0, last) && block_reserve(heap, set, count);
}

stoa__sparse *stoa__sparse_new(stoa__heap *heap, const stoa__component *component) {
    stoa__sparse *set = stoa__heap_zalloc(heap, sizeof *set, _Alignof(stoa__sparse));
    if (set != NULL) {
        set->component = component;
        set->size = component->info.size;
        set->quick = set->size != 0 && component->info.hooks.move == NULL &&
                     component->info.hooks.drop == NULL && !set_switchable(set);
    }
    return set;
}

void stoa__sparse_rewatch(const stoa__storage *storage, stoa__sparse *set) {
    set->swift = set->quick && set->component->hooked == 0 && !storage->watch_all;
}

void stoa__sparse_copy(uint8_t *to, const uint8_t *from, size_t size) {
    stoa__copy_bytes(to, from, size);
}

void stoa__sparse_erase_any(stoa__sparse *set, uint32_t *entry) {
    uint32_t position = *entry - 1;
    uint32_t last = --set->count;
    *entry = 0;
    if (set->off != NULL) {
        set->off_count -= set->off[position];
        set->off[position] = set->off[last];
    }
    if (position == last) {
        return;
    }
    *stoa__sparse_entry(set, set->entities[last].index) = position + 1;
    set->entities[position] = set->entities[last];
    STOA_STORE(&set->changed[position], STOA_LOAD(&set->changed[last]));
    set->added[position] = set->added[last];
    if (set->size != 0) {
        stoa__component_move(set->component, stoa__sparse_value(set, position),
                             stoa__sparse_value(set, last), 1);
    }
}

/* stoa__sparse_erase_quick one after the other, for values of `size` bytes, 8 to 16: what is the
 * same for all is read once. */
STOA__INLINE void entries_erase(stoa__sparse *set, uint32_t *const *entries, uint32_t count,
                                size_t size) {
    uint32_t *const *pages = set->pages;
    stoa_entity *entities = set->entities;
    stoa_atomic *changed = set->changed;
    uint32_t *added = set->added;
    uint8_t *values = set->values;
    size_t last = set->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = *entries[i];
        size_t position = number - 1;
        *entries[i] = 0;
        if (position == --last) {
            continue;
        }
        stoa_entity moved = entities[last];
        entities[position] = moved;
        pages[moved.index >> STOA__PAGE_BITS][moved.index & (STOA__PAGE_SIZE - 1)] = number;
        added[position] = added[last];
        STOA_STORE(&changed[position], STOA_LOAD(&changed[last]));
        stoa__copy_small(values + position * size, values + last * size, size);
    }
    set->count = (uint32_t)last;
}

void stoa__sparse_remove_many(stoa__sparse *set, uint32_t *const *entries, uint32_t count) {
    if (set->quick && set->size == 16) {
        entries_erase(set, entries, count, 16);
    } else if (set->quick && set->size >= 8 && set->size < 16) {
        entries_erase(set, entries, count, set->size);
    } else {
        for (uint32_t i = 0; i < count; i++) {
            stoa__sparse_remove_at(set, entries[i]);
        }
    }
}

bool stoa__sparse_twin(stoa__heap *heap, const stoa__sparse *set, stoa__sparse *twin) {
    const stoa__component *component = set->component;
    *twin = (stoa__sparse){.component = component,
                           .size = component->info.size,
                           .quick = component->info.hooks.move == NULL &&
                                    component->info.hooks.drop == NULL && set->off == NULL &&
                                    component->info.size != 0 && !set_switchable(set)};
    return set->capacity == 0 || block_change(heap, twin, set->capacity);
}

void stoa__sparse_twin_free(stoa__heap *heap, stoa__sparse *twin, uint32_t alignment) {
    stoa__heap_free(heap, twin->entities, twin->block_size, alignment > 8 ? alignment : 8);
    twin->entities = NULL;
}

void stoa__sparse_exchange(stoa__heap *heap, stoa__sparse *set, stoa__sparse *twin) {
    limbo_free(heap, set);
    stoa__sparse old = *set;
    for (size_t i = 0; i < set->count; i++) {
        atomic_init(&twin->changed[i], STOA_LOAD(&set->changed[i]));
    }
    if (set->count > 0) {
        memcpy(twin->entities, set->entities, set->count * sizeof *set->entities);
        memcpy(twin->added, set->added, set->count * sizeof *set->added);
    }
    if (set->off != NULL && set->count > 0) {
        memcpy(twin->off, set->off, set->count);
    }
    *set = *twin;
    set->pages = old.pages;
    set->page_count = old.page_count;
    set->count = old.count;
    set->off_count = old.off_count;
    set_show(set);
    set->swift = false;
    *twin = old;
}

static void block_free(stoa__heap *heap, stoa__sparse *set) {
    stoa__heap_free(heap, set->entities, set->block_size, block_alignment(set));
    limbo_free(heap, set);
}

void stoa__sparse_free(stoa__heap *heap, stoa__sparse *set) {
    if (set == NULL) {
        return;
    }
    for (uint32_t i = 0; i < set->page_count; i++) {
        stoa__heap_free(heap, set->pages[i], page_bytes(), _Alignof(uint32_t));
    }
    stoa__heap_free(heap, set->pages, set->page_count * sizeof *set->pages, _Alignof(uint32_t *));
    block_free(heap, set);
    stoa__heap_free(heap, set, sizeof *set, _Alignof(stoa__sparse));
}

void stoa__sparse_drop_all(stoa__sparse *set) {
    if (set->values != NULL && set->count != 0) {
        stoa__component_drop(set->component, set->values, (int32_t)set->count);
    }
}

static bool page_empty(const uint32_t *page) {
    for (uint32_t i = 0; i < STOA__PAGE_SIZE; i++) {
        if (page[i] != 0) {
            return false;
        }
    }
    return true;
}

/* Frees empty pages, and the end of the table that has none. */
static void pages_trim(stoa__heap *heap, stoa__sparse *set) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < set->page_count; i++) {
        if (set->pages[i] != NULL && page_empty(set->pages[i])) {
            stoa__heap_free(heap, set->pages[i], page_bytes(), _Alignof(uint32_t));
            set->pages[i] = NULL;
        }
        used = set->pages[i] != NULL ? i + 1 : used;
    }
    size_t size = set->page_count * sizeof *set->pages;
    if (used == 0) {
        stoa__heap_free(heap, set->pages, size, _Alignof(uint32_t *));
        set->pages = NULL;
        set->page_count = 0;
    } else if (used < set->page_count) {
        uint32_t **pages =
            stoa__heap_resize(heap, set->pages, size, used * sizeof *pages, _Alignof(uint32_t *));
        set->pages = pages != NULL ? pages : set->pages;
        set->page_count = pages != NULL ? used : set->page_count;
    }
    set_show(set);
}

void stoa__sparse_trim(stoa__heap *heap, stoa__sparse *set) {
    limbo_free(heap, set);
    pages_trim(heap, set);
    if (set->count == 0) {
        block_free(heap, set);
        *set = (stoa__sparse){.pages = set->pages,
                              .table = set->pages,
                              .page_count = set->page_count,
                              .size = set->size,
                              .quick = set->quick,
                              .swift = set->swift,
                              .component = set->component};
    } else if (set->count < set->capacity && block_change(heap, set, set->count)) {
        limbo_free(heap, set);
    }
}

void stoa__sparse_switch(stoa__sparse *set, uint32_t position, bool on) {
    if (set->off != NULL) {
        set->off_count -= set->off[position];
        set->off[position] = !on;
        set->off_count += set->off[position];
    }
}

void stoa__sparse_sweep(stoa__sparse *set, uint32_t tick, uint32_t age) {
    for (uint32_t i = 0; i < set->count; i++) {
        if (tick - STOA_LOAD(&set->changed[i]) > age) {
            STOA_STORE(&set->changed[i], tick - age);
        }
        if (tick - set->added[i] > age) {
            set->added[i] = tick - age;
        }
    }
}

size_t stoa__sparse_bytes(const stoa__sparse *set) {
    size_t bytes =
        sizeof *set + set->page_count * sizeof *set->pages + set->block_size + set->limbo_size;
    for (uint32_t i = 0; i < set->page_count; i++) {
        bytes += set->pages[i] != NULL ? page_bytes() : 0;
    }
    return bytes;
}

/* The positions that pages know of. */
static uint32_t entries_count(const stoa__sparse *set) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->page_count; i++) {
        for (uint32_t k = 0; set->pages[i] != NULL && k < STOA__PAGE_SIZE; k++) {
            count += set->pages[i][k] != 0;
        }
    }
    return count;
}

stoa_status stoa__sparse_check(const stoa__storage *storage, const stoa__sparse *set) {
    const char *name = set->component->name;
    uint32_t off = 0;
    if (set->count > set->capacity ||
        set->block_size != (set->capacity != 0 ? block_layout(set, set->capacity).size : 0)) {
        return stoa__error(STOA_CORRUPT, "invariant 1: sparse component '%s' has %u of %u rows",
                           name, set->count, set->capacity);
    }
    if (set->room != (set->limbo == NULL ? set->capacity : 0) ||
        set->table != (set->limbo == NULL ? set->pages : NULL)) {
        return stoa__error(STOA_CORRUPT, "invariant 1: sparse component '%s' shows room it has not",
                           name);
    }
    for (uint32_t i = 0; i < set->count; i++) {
        stoa_entity e = set->entities[i];
        if (stoa__sparse_find(set, e.index) != i || stoa__entities_find(storage, e) == NULL) {
            return stoa__error(STOA_CORRUPT,
                               "invariant 2: row %u of sparse component '%s' is not its entity's",
                               i, name);
        }
        off += set->off != NULL ? set->off[i] : 0;
    }
    uint32_t entries = entries_count(set);
    if (entries != set->count) {
        return stoa__error(STOA_CORRUPT, "invariant 2: sparse component '%s' has %u rows, not %u",
                           name, entries, set->count);
    }
    if (off != set->off_count) {
        return stoa__error(STOA_CORRUPT,
                           "invariant 1: sparse component '%s' has %u rows switched off, not %u",
                           name, off, set->off_count);
    }
    return STOA_OK;
}

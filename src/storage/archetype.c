/* Archetypes.
 *
 * One for each set of components met, never freed or moved while the world lives. When the world
 * goes back in time those that are younger are hidden: out of every list, until they are met again
 * and get the number that a new one would. They stand last in the table. Its struct, ids,
 * lanes and the table from id to column are one block. The table has a power of two of entries,
 * enough that no two of its ids share one, so a look-up is one load and one comparison. Where that
 * would take a large table it is crowded instead, and searched. Finding one by its set is O(ids).
 * archetype_chunk.c has the chunks. One thread at a time. */
#include "storage/archetype.h"

#include "base/hash.h"
#include "storage/columns.h"
#include "storage/edge.h"
#include "storage/layout.h"
#include "storage/slab.h"

#include <string.h>

/* True if all ids differ under the mask. */
static bool mask_separates(const stoa_component *ids, uint32_t count, uint32_t mask) {
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if ((ids[i] & mask) == (ids[k] & mask)) {
                return false;
            }
        }
    }
    return true;
}

_Static_assert(offsetof(stoa_archetype_front, tail) == offsetof(stoa__archetype, tail) &&
                   offsetof(stoa_archetype_front, first) == offsetof(stoa__archetype, first) &&
                   offsetof(stoa_archetype_front, table) == offsetof(stoa__archetype, table) &&
                   offsetof(stoa_archetype_front, columns) == offsetof(stoa__archetype, columns) &&
                   offsetof(stoa_archetype_front, crowded) == offsetof(stoa__archetype, crowded),
               "the fast paths read the beginning of an archetype");
_Static_assert(offsetof(stoa__archetype, columns) <= STOA__LINE, "a walk reads one line of it");

/* The mask of a table of columns: the smallest of a few under which all ids differ, else one for a
 * crowded table, which has free entries for a search to end at. */
static uint32_t mask_for(const stoa_component *ids, uint32_t count, bool *crowded) {
    uint32_t mask = 0;
    while (mask + 1 < count) {
        mask = mask * 2 + 1;
    }
    for (uint32_t tries = 0; tries < 4; tries++, mask = mask * 2 + 1) {
        if (mask_separates(ids, count, mask)) {
            *crowded = false;
            return mask;
        }
    }
    *crowded = true;
    return mask / 8;
}

const stoa_column *stoa_archetype_search(const stoa_archetype_head *archetype, stoa_component id) {
    const stoa_archetype_front *front = stoa_archetype_seen(archetype);
    for (uint32_t at = id;; at++) {
        const stoa_column *column = &front->columns[at & front->column_mask];
        if (column->id == id || column->id == STOA__NONE) {
            return column->id == id ? column : NULL;
        }
    }
}

/* The entry of an id the archetype has, or the free one where it goes. */
static stoa_column *column_entry(const stoa__archetype *archetype, stoa_component id) {
    stoa_column *columns = (stoa_column *)(uintptr_t)archetype->columns;
    uint32_t at = id & archetype->column_mask;
    while (columns[at].id != id && columns[at].id != STOA__NONE) {
        at = (at + 1) & archetype->column_mask;
    }
    return &columns[at];
}

/* Moved and dropped as plain bytes: lanes that hold no values. */
static const stoa__component component_bytes[] = {
    [STOA__LANE_CHANGED] = {.info = {.size = sizeof(uint32_t), .plain = true, .copyable = true}},
    [STOA__LANE_ADDED] = {.info = {.size = sizeof(uint32_t), .plain = true, .copyable = true}},
    [STOA__LANE_OFF] = {.info = {.size = 1, .plain = true, .copyable = true}},
};

/* The columns of entities without components: there are none. */
static uint8_t *const columns_none[2] = {NULL, NULL};

/* Lanes beside its values that a component needs, and the bytes of a row in them. */
static uint32_t lanes_beside(const stoa__component *component, uint32_t *bytes) {
    uint32_t ticks = (component->info.flags & STOA_ROW_TICKS) != 0;
    uint32_t off = (component->info.flags & STOA_SWITCHABLE) != 0;
    *bytes = ticks * 2 * (uint32_t)sizeof(uint32_t) + off;
    return ticks * 2 + off;
}

/* Adds a lane; its index among a chunk's columns is one more than its own, after the entities. */
static uint32_t lane_add(stoa__archetype *archetype, const stoa__component *component,
                         stoa_component id, stoa__lane_kind kind) {
    uint32_t index = archetype->lane_count + 1u;
    archetype->lanes[archetype->lane_count++] = (stoa__lane){.index = index,
                                                             .size = component->info.size,
                                                             .component = component,
                                                             .id = id,
                                                             .kind = (uint16_t)kind};
    return index;
}

static void lane_beside(stoa__archetype *archetype, stoa_component id, stoa__lane_kind kind) {
    lane_add(archetype, &component_bytes[kind], id, kind);
    archetype->rich = true;
}

static void lanes_fill(const stoa__storage *storage, stoa__archetype *archetype) {
    for (uint32_t i = 0; i < archetype->id_count; i++) {
        stoa_component id = archetype->ids[i];
        const stoa__component *component = stoa__component_at(storage, id);
        column_entry(archetype, id)->index =
            component->info.size == 0 ? stoa__layout_tag(archetype->tag_count++)
                                      : lane_add(archetype, component, id, STOA__LANE_DATA);
    }
    archetype->data_lanes = archetype->lane_count;
    for (uint32_t i = 0; i < archetype->id_count; i++) {
        uint32_t flags = stoa__component_at(storage, archetype->ids[i])->info.flags;
        if ((flags & STOA_ROW_TICKS) != 0) {
            lane_beside(archetype, archetype->ids[i], STOA__LANE_CHANGED);
            lane_beside(archetype, archetype->ids[i], STOA__LANE_ADDED);
        }
        if ((flags & STOA_SWITCHABLE) != 0) {
            lane_beside(archetype, archetype->ids[i], STOA__LANE_OFF);
        }
    }
    if (archetype->lane_count > 0) {
        archetype->lanes[archetype->lane_count - 1].last = 1;
    }
}

uint64_t stoa__archetype_ranks(const stoa__archetype *archetype) {
    uint64_t ranks = 1;
    for (uint32_t i = 0; i < archetype->data_lanes; i++) {
        stoa_component id = archetype->lanes[i].id;
        ranks |= id < STOA__RANKS_END ? (uint64_t)1 << id : 0;
    }
    return ranks;
}

void stoa__archetype_rewatch(const stoa__storage *storage, stoa__archetype *archetype) {
    archetype->watched = storage->watch_all;
    for (uint32_t i = 0; i < archetype->id_count; i++) {
        archetype->watched |= stoa__component_at(storage, archetype->ids[i])->hooked != 0;
    }
    archetype->simple = archetype->plain && !archetype->watched && !archetype->rich &&
                        storage->sparse_first == NULL;
    archetype->light = archetype->simple && archetype->small && archetype->index != 0;
    archetype->fill = stoa__layout_fill(storage, archetype);
}

void stoa__archetype_refill(const stoa__storage *storage) {
    for (uint32_t i = 0; i < storage->archetype_count; i++) {
        storage->archetypes[i]->fill = stoa__layout_fill(storage, storage->archetypes[i]);
    }
}

static void columns_fill(stoa__storage *storage, stoa__archetype *archetype) {
    stoa_column *columns = (stoa_column *)(uintptr_t)archetype->columns;
    for (uint32_t i = 0; i <= archetype->column_mask; i++) {
        columns[i] = (stoa_column){.id = STOA__NONE};
    }
    for (uint32_t i = 0; i < archetype->id_count; i++) {
        column_entry(archetype, archetype->ids[i])->id = archetype->ids[i];
    }
    lanes_fill(storage, archetype);
    archetype->plain = true;
    archetype->small = true;
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        const stoa_hooks *hooks = &lane->component->info.hooks;
        archetype->plain = archetype->plain && hooks->drop == NULL && hooks->move == NULL;
        archetype->small = archetype->small && lane->size >= 8 && lane->size <= 16;
    }
    archetype->small = archetype->small && archetype->plain;
    stoa__archetype_rewatch(storage, archetype);
}

/* The struct and its tables, filled in but known to nobody yet. */
static stoa__archetype *archetype_new(stoa__storage *storage, const stoa_component *ids,
                                      uint32_t count, uint64_t row_size, uint32_t lanes) {
    bool crowded;
    uint32_t mask = mask_for(ids, count, &crowded);
    size_t columns_at = sizeof(stoa__archetype);
    size_t lanes_at = columns_at + ((size_t)mask + 1) * sizeof(stoa_column);
    size_t ids_at = lanes_at + lanes * sizeof(stoa__lane);
    size_t size = ids_at + count * sizeof(stoa_component);
    uint8_t *block = stoa__heap_zalloc(&storage->heap, size, STOA__LINE);
    if (block == NULL) {
        return NULL;
    }
    stoa__archetype *archetype = (stoa__archetype *)(void *)block;
    archetype->lanes = (stoa__lane *)(void *)(block + lanes_at);
    archetype->ids = (stoa_component *)(void *)(block + ids_at);
    archetype->id_count = (uint16_t)count;
    archetype->index = storage->archetype_count;
    archetype->row_size = (uint32_t)row_size;
    archetype->full_capacity = (uint16_t)stoa__layout_full(storage->chunk_size, row_size);
    archetype->columns = (stoa_column *)(void *)(block + columns_at);
    archetype->column_mask = mask;
    archetype->crowded = crowded;
    for (uint32_t i = 0; i < count; i++) {
        archetype->ids[i] = ids[i];
    }
    columns_fill(storage, archetype);
    archetype->head.chunks = &archetype->first;
    stoa__archetype_tail(archetype);
    stoa__edge_init(archetype);
    return archetype;
}

static stoa_status tables_reserve(stoa__storage *storage, const stoa_component *ids,
                                  uint32_t count) {
    uint32_t before = storage->rows_capacity;
    bool ok = stoa__heap_grow(&storage->heap, &storage->archetypes, &storage->archetype_capacity,
                              storage->archetype_total + 1, sizeof *storage->archetypes) &&
              stoa__heap_grow(&storage->heap, &storage->rows, &storage->rows_capacity,
                              storage->archetype_total + 1, sizeof *storage->rows) &&
              stoa__heap_grow(&storage->heap, &storage->ranks, &storage->rank_capacity,
                              storage->archetype_total + 1, sizeof *storage->ranks) &&
              stoa__map_reserve(&storage->by_set, &storage->heap);
    if (storage->rows_capacity > before) {
        /* Whoever knows where the rows of an archetype are counted has to look again. */
        storage->head.epoch++;
        memset(storage->rows + before, 0,
               (storage->rows_capacity - before) * sizeof *storage->rows);
    }
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = stoa__bitset_reserve(&stoa__component_at(storage, ids[i])->archetypes, &storage->heap,
                                  storage->archetype_count);
    }
    if (!ok) {
        return stoa__error_memory("the tables of an archetype");
    }
    return storage->watch.prepare != NULL ? storage->watch.prepare(storage->watch.user) : STOA_OK;
}

static uint64_t set_hash(const stoa_component *ids, uint32_t count) {
    return stoa__hash_bytes(ids, count * sizeof *ids);
}

/* Gives an archetype that stands among the hidden ones another place there. */
static void archetype_place(stoa__storage *storage, stoa__archetype *archetype, uint32_t index) {
    uint64_t hash = set_hash(archetype->ids, archetype->id_count);
    stoa__map_remove(&storage->by_set, hash, archetype->index);
    stoa__map_insert(&storage->by_set, hash, index);
    archetype->index = index;
    archetype->fill = stoa__layout_fill(storage, archetype);
    storage->archetypes[index] = archetype;
    storage->ranks[index] = stoa__archetype_ranks(archetype);
}

/* Makes a hidden archetype the last of those that are not; needs the room of tables_reserve. */
static void archetype_enter(stoa__storage *storage, stoa__archetype *archetype) {
    uint32_t index = storage->archetype_count, from = archetype->index;
    if (index != from) {
        stoa__archetype *other = storage->archetypes[index];
        archetype_place(storage, archetype, index);
        archetype_place(storage, other, from);
    }
    for (uint32_t i = 0; i < archetype->id_count; i++) {
        stoa__bitset_set(&stoa__component_at(storage, archetype->ids[i])->archetypes, index);
    }
    stoa__rows_set(storage, index, 0);
    storage->archetype_count++;
    if (storage->watch.added != NULL) {
        storage->watch.added(storage->watch.user, archetype);
    }
}

/* The bytes of a row and the lanes of a set; false, with the thread's error set, if that is too
 * much. */
static bool row_measure(const stoa__storage *storage, const stoa_component *ids, uint32_t count,
                        uint64_t *row_size, uint32_t *lanes) {
    *row_size = sizeof(stoa_entity);
    *lanes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const stoa__component *component = stoa__component_at(storage, ids[i]);
        uint32_t beside, data = component->info.size != 0;
        *lanes += data + lanes_beside(component, &beside);
        *row_size += component->info.size + beside;
    }
    if (*lanes >= STOA__LANE_NONE || count >= STOA__LANE_NONE ||
        *row_size + ((uint64_t)*lanes + 5) * 3 * STOA__LINE > UINT32_MAX) {
        stoa__error(STOA_LIMIT, "a row of %u components and %llu bytes is too large", count,
                    (unsigned long long)*row_size);
        return false;
    }
    return true;
}

stoa__archetype *stoa__archetype_twin(stoa__storage *storage, const stoa__archetype *archetype) {
    uint64_t row_size;
    uint32_t lanes;
    if (!row_measure(storage, archetype->ids, archetype->id_count, &row_size, &lanes)) {
        return NULL;
    }
    stoa__archetype *twin =
        archetype_new(storage, archetype->ids, archetype->id_count, row_size, lanes);
    if (twin == NULL) {
        stoa__error_memory("an archetype");
        return NULL;
    }
    twin->index = archetype->index;
    stoa__layout_apply(storage, twin, stoa__layout_first(twin));
    return twin;
}

void stoa__archetype_discard(stoa__storage *storage, stoa__archetype *archetype) {
    stoa__archetype_chunks_free(storage, archetype);
    stoa__edge_free_all(storage, archetype);
    stoa__heap_free(&storage->heap, archetype, stoa__archetype_size(archetype), STOA__LINE);
}

static stoa__archetype *archetype_add(stoa__storage *storage, const stoa_component *ids,
                                      uint32_t count, uint64_t hash) {
    uint64_t row_size;
    uint32_t lanes;
    if (!row_measure(storage, ids, count, &row_size, &lanes)) {
        return NULL;
    }
    if (storage->archetype_count == INT32_MAX) {
        stoa__error(STOA_LIMIT, "there are too many archetypes");
        return NULL;
    }
    if (tables_reserve(storage, ids, count) != STOA_OK) {
        return NULL;
    }
    stoa__archetype *archetype = archetype_new(storage, ids, count, row_size, lanes);
    if (archetype == NULL) {
        stoa__error_memory("an archetype");
        return NULL;
    }
    stoa__layout_apply(storage, archetype, stoa__layout_first(archetype));
    /* Its place is that of the first hidden one, which goes to the end. */
    archetype->index = storage->archetype_total;
    storage->ranks[storage->archetype_total] = stoa__archetype_ranks(archetype);
    storage->archetypes[storage->archetype_total++] = archetype;
    stoa__map_insert(&storage->by_set, hash, archetype->index);
    archetype_enter(storage, archetype);
    return archetype;
}

/* The archetype of a set, hidden or not, or NULL. */
static stoa__archetype *set_find(const stoa__storage *storage, const stoa_component *ids,
                                 uint32_t count) {
    uint64_t hash = set_hash(ids, count);
    uint32_t cursor = 0;
    for (;;) {
        uint32_t i = stoa__map_next(&storage->by_set, hash, &cursor);
        if (i == STOA__MAP_NONE) {
            return NULL;
        }
        stoa__archetype *archetype = storage->archetypes[i];
        if (archetype->id_count == count &&
            (count == 0 || memcmp(archetype->ids, ids, count * sizeof *ids) == 0)) {
            return archetype;
        }
    }
}

stoa__archetype *stoa__archetype_find(const stoa__storage *storage, const stoa_component *ids,
                                      uint32_t count) {
    stoa__archetype *archetype = set_find(storage, ids, count);
    return archetype != NULL && archetype->index < storage->archetype_count ? archetype : NULL;
}

stoa__archetype *stoa__archetype_get(stoa__storage *storage, const stoa_component *ids,
                                     uint32_t count) {
    stoa__archetype *archetype = set_find(storage, ids, count);
    if (archetype == NULL) {
        return archetype_add(storage, ids, count, set_hash(ids, count));
    }
    return stoa__archetype_show(storage, archetype) == STOA_OK ? archetype : NULL;
}

stoa_status stoa__archetype_show(stoa__storage *storage, stoa__archetype *archetype) {
    if (STOA_LIKELY(archetype->index < storage->archetype_count)) {
        return STOA_OK;
    }
    stoa_status status = tables_reserve(storage, archetype->ids, archetype->id_count);
    if (status == STOA_OK) {
        stoa__archetype_rewatch(storage, archetype);
        stoa__edge_rewatch(storage, archetype);
        archetype_enter(storage, archetype);
    }
    return status;
}

void stoa__archetype_hide(stoa__storage *storage, uint32_t count) {
    if (count >= storage->archetype_count) {
        return;
    }
    stoa__rows_ready(storage);
    for (uint32_t i = count; i < storage->archetype_count; i++) {
        stoa__archetype *archetype = storage->archetypes[i];
        for (uint32_t k = 0; k < archetype->id_count; k++) {
            stoa__bitset_clear(&stoa__component_at(storage, archetype->ids[k])->archetypes, i);
        }
        archetype->chunk_keep = 0;
        stoa__archetype_release(storage, archetype);
        storage->rows_hidden += ((storage->rows[i] >> 32) + 1) << 32;
    }
    storage->archetype_count = count;
    for (uint32_t i = 0; i < storage->archetype_total; i++) {
        stoa__edge_sleep(storage, storage->archetypes[i]);
    }
    for (uint32_t i = 0; i < STOA__HOPS; i++) {
        storage->hops[i] = (stoa__hop){.source = NULL};
    }
    storage->head.epoch++;
    if (storage->watch.hidden != NULL) {
        storage->watch.hidden(storage->watch.user, count);
    }
}

stoa_status stoa__archetype_init(stoa__storage *storage) {
    if (!stoa__heap_grow(&storage->heap, &storage->head.chunks, &storage->chunk_capacity, 1,
                         sizeof *storage->head.chunks)) {
        return stoa__error_memory("the table of chunks");
    }
    if (stoa__columns_init(storage) != STOA_OK) {
        return STOA_NO_MEMORY;
    }
    storage->head.column_capacity = storage->chunk_capacity;
    stoa_component none = 0;
    stoa__archetype *empty = stoa__archetype_get(storage, &none, 0);
    if (empty == NULL) {
        return STOA_NO_MEMORY;
    }
    storage->head.chunks[0] =
        (stoa_chunk_ref){(uint8_t **)(uintptr_t)&columns_none[1], &empty->head};
    storage->chunk_count = 1;
    storage->ended = empty;
    return STOA_OK;
}

void stoa__archetype_fini(stoa__storage *storage) {
    stoa__archetype_limbo_free(storage);
    for (uint32_t i = 0; i < storage->archetype_total; i++) {
        stoa__archetype_discard(storage, storage->archetypes[i]);
    }
    stoa__heap_grow_free(&storage->heap, storage->archetypes, storage->archetype_capacity,
                         sizeof *storage->archetypes);
    stoa__heap_grow_free(&storage->heap, storage->rows, storage->rows_capacity,
                         sizeof *storage->rows);
    stoa__heap_grow_free(&storage->heap, storage->ranks, storage->rank_capacity,
                         sizeof *storage->ranks);
    stoa__heap_grow_free(&storage->heap, storage->head.written, storage->written_capacity,
                         sizeof *storage->head.written);
    stoa__heap_grow_free(&storage->heap, storage->head.chunks, storage->chunk_capacity,
                         sizeof *storage->head.chunks);
    stoa__map_fini(&storage->by_set, &storage->heap);
    stoa__slab_fini(storage);
}

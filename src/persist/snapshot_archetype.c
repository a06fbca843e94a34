/* Building the archetypes of a snapshot.
 *
 * An archetype is built as its section comes. But if components are left out, or are sparse here,
 * archetypes that differed in them come together: then all wait until the last has come, and those
 * with the same components left are built as one, where the first of them stood. O(content). One
 * thread at a time. */
#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "persist/snapshot_load.h"

bool stoa__switches_find(const stoa__rows_view *view, int32_t type, uint8_t *off) {
    stoa__rows_view walk = *view;
    for (uint32_t i = 0; i < view->switch_count; i++) {
        uint32_t place = 0;
        const uint8_t *bits = stoa__switch_take(&walk, &place);
        if (stoa__rows_type(view, place) == type) {
            stoa__bits_spread(off, bits, view->row_count);
            return true;
        }
    }
    return false;
}

/* The next type from a place on that is not left out; `type_count` if there is none. */
static uint32_t type_next(const stoa__loader *loader, const stoa__rows_view *view, uint32_t i) {
    while (i < view->type_count && stoa__loader_stays(loader, stoa__rows_type(view, i)) == 0) {
        i++;
    }
    return i;
}

/* A hash of the components that are not left out. */
static uint64_t set_hash(const stoa__loader *loader, const stoa__rows_view *view) {
    uint64_t hash = 0;
    for (uint32_t i = type_next(loader, view, 0); i < view->type_count;
         i = type_next(loader, view, i + 1)) {
        hash = stoa__hash_mix(hash ^ (uint64_t)stoa__rows_type(view, i));
    }
    return hash;
}

/* True if two archetypes have the same components, but for those left out. */
static bool sets_equal(const stoa__loader *loader, const stoa__rows_view *a,
                       const stoa__rows_view *b) {
    uint32_t i = type_next(loader, a, 0);
    uint32_t j = type_next(loader, b, 0);
    while (i < a->type_count && j < b->type_count &&
           stoa__rows_type(a, i) == stoa__rows_type(b, j)) {
        i = type_next(loader, a, i + 1);
        j = type_next(loader, b, j + 1);
    }
    return i == a->type_count && j == b->type_count;
}

/* The components of rows that are not left out. */
static int32_t ids_gather(const stoa__loader *loader, const stoa__rows_view *view,
                          stoa_component *ids) {
    int32_t count = 0;
    for (uint32_t i = type_next(loader, view, 0); i < view->type_count;
         i = type_next(loader, view, i + 1)) {
        ids[count++] = loader->ids[stoa__rows_type(view, i)];
    }
    return count;
}

/* The entities of rows that come together, one after the other; NULL with the thread's error set.
 */
static const uint32_t *entities_gather(stoa__loader *loader, const stoa__waiting *group) {
    if (group->next == NULL) {
        return stoa__loader_numbers(loader, group->rows.entities,
                                    (size_t)group->rows.row_count * 2);
    }
    size_t at = 0;
    for (const stoa__waiting *w = group; w != NULL; w = w->next) {
        size_t count = (size_t)w->rows.row_count * 2;
        if (!stoa__loader_numbers_copy(loader, w->rows.entities, count, at)) {
            return NULL;
        }
        at += count;
    }
    return loader->numbers;
}

/* Adds the archetype of rows that come together. */
static stoa_status group_begin(stoa__loader *loader, const stoa__waiting *group,
                               int32_t row_count) {
    size_t size = group->rows.type_count * sizeof(stoa_component);
    stoa_component *ids = stoa__heap_alloc(&loader->heap, size, _Alignof(stoa_component));
    if (ids == NULL) {
        return stoa__error_memory("a snapshot");
    }
    int32_t id_count = ids_gather(loader, &group->rows, ids);
    const uint32_t *entities = entities_gather(loader, group);
    stoa_status status =
        entities == NULL
            ? STOA_NO_MEMORY
            : stoa__loader_told(loader,
                                stoa_rebuild_archetype(loader->rebuild, ids, id_count,
                                                       (const stoa_entity *)(const void *)entities,
                                                       row_count));
    stoa__heap_free(&loader->heap, ids, size, _Alignof(stoa_component));
    return status;
}

/* Switches off what is off of one component. */
static stoa_status type_switch(stoa__loader *loader, const stoa__waiting *group, int32_t type,
                               int32_t row_count) {
    uint8_t *off = stoa__loader_bytes(loader, (uint32_t)row_count);
    if (off == NULL) {
        return STOA_NO_MEMORY;
    }
    bool any = false;
    for (const stoa__waiting *w = group; w != NULL; w = w->next) {
        any |= stoa__switches_find(&w->rows, type, off);
        off += w->rows.row_count;
    }
    return any ? stoa__loader_switch(loader, type, off - row_count, (uint32_t)row_count) : STOA_OK;
}

static stoa_status group_switch(stoa__loader *loader, const stoa__waiting *group,
                                int32_t row_count) {
    uint32_t switches = 0;
    for (const stoa__waiting *w = group; w != NULL; w = w->next) {
        switches += w->rows.switch_count;
    }
    const stoa__rows_view *view = &group->rows;
    stoa_status status = STOA_OK;
    for (uint32_t i = type_next(loader, view, 0);
         switches > 0 && i < view->type_count && status == STOA_OK;
         i = type_next(loader, view, i + 1)) {
        status = type_switch(loader, group, stoa__rows_type(view, i), row_count);
    }
    return status;
}

/* Builds one archetype of rows that come to the same components. */
static stoa_status group_build(stoa__loader *loader, const stoa__waiting *group) {
    uint64_t row_count = 0;
    for (const stoa__waiting *w = group; w != NULL; w = w->next) {
        row_count += w->rows.row_count;
    }
    if (row_count > INT32_MAX) {
        return stoa__error(STOA_CORRUPT, "the snapshot has more rows than there can be entities");
    }
    if (stoa__loader_open(loader, &group->rows) == 0) {
        return STOA_OK;
    }
    stoa_status status = group_begin(loader, group, (int32_t)row_count);
    int32_t at = 0;
    for (const stoa__waiting *w = group; w != NULL && status == STOA_OK; w = w->next) {
        status = stoa__loader_fill(loader, &w->rows, at);
        if (status == STOA_OK && w->ticks.body != NULL) {
            stoa__loader_open(loader, &w->rows);
            status = stoa__loader_ticks_set(loader, &w->ticks, w->rows.type_count, at);
        }
        at += (int32_t)w->rows.row_count;
    }
    return status == STOA_OK ? group_switch(loader, group, (int32_t)row_count) : status;
}

/* Links the archetypes that come together, each list behind the first of them. */
static stoa_status groups_link(stoa__loader *loader, stoa__map *map) {
    for (uint32_t i = 0; i < loader->waiting_count; i++) {
        stoa__waiting *w = &loader->waiting[i];
        uint64_t hash = set_hash(loader, &w->rows);
        uint32_t cursor = 0;
        uint32_t found = stoa__map_next(map, hash, &cursor);
        while (found != STOA__MAP_NONE &&
               !sets_equal(loader, &loader->waiting[found].rows, &w->rows)) {
            found = stoa__map_next(map, hash, &cursor);
        }
        if (found != STOA__MAP_NONE) {
            stoa__waiting *first = &loader->waiting[found];
            first->last->next = w;
            first->last = w;
            w->led = true;
            continue;
        }
        if (!stoa__map_reserve(map, &loader->heap)) {
            return stoa__error_memory("a snapshot");
        }
        w->last = w;
        stoa__map_insert(map, hash, i);
    }
    return STOA_OK;
}

stoa_status stoa__loader_flush(stoa__loader *loader) {
    stoa__map map = {0};
    stoa_status status = groups_link(loader, &map);
    for (uint32_t i = 0; i < loader->waiting_count && status == STOA_OK; i++) {
        if (!loader->waiting[i].led) {
            status = group_build(loader, &loader->waiting[i]);
        }
    }
    if (status == STOA_OK) {
        status = stoa__loader_thin(loader);
    }
    loader->waiting_count = 0;
    stoa__map_fini(&map, &loader->heap);
    return status;
}

stoa_status stoa__loader_rows(stoa__loader *loader, const stoa__section *section) {
    stoa_status status = stoa__archetype_parse(&loader->open, section, &loader->schema);
    if (status != STOA_OK) {
        return status;
    }
    stoa__waiting waiting = {.rows = loader->open};
    if (!loader->drops) {
        return group_build(loader, &waiting);
    }
    if (!stoa__heap_grow(&loader->heap, &loader->waiting, &loader->waiting_capacity,
                         loader->waiting_count + 1, sizeof *loader->waiting)) {
        return stoa__error_memory("a snapshot");
    }
    loader->waiting[loader->waiting_count++] = waiting;
    loader->keeps = true;
    return STOA_OK;
}

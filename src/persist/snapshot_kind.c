/* Components that are sparse in a snapshot and columns in the world that loads it, or the other way
 * round.
 *
 * A column that has become sparse is left out of archetypes, which may come together then; its
 * values are gathered from all of them, in the order of the snapshot. A sparse component that has
 * become a column waits until all archetypes are there; then each of its entities moves, once for
 * all such components, and their values are brought to where it is. O(content). One thread at a
 * time. */
#include "base/error.h"
#include "persist/snapshot_load.h"

#include <string.h>

#define PLACE_NONE UINT32_MAX
/* Sets of components that entities may come to by moving: so many, and one for so many bytes. In a
 * file an archetype has a section of its own, but here a few bytes for each of its entities are
 * enough to make one. */
#define SETS_FREE 64
#define SETS_BYTES 1024

stoa_status stoa__loader_kind(stoa__loader *loader, int32_t type) {
    stoa_component_info info;
    stoa_status status = stoa_component_info_get(loader->world, loader->ids[type], &info);
    if (status != STOA_OK) {
        return stoa__loader_told(loader, status);
    }
    bool was = (loader->schema.types[type].flags & STOA_SPARSE) != 0;
    bool is = (info.flags & STOA_SPARSE) != 0;
    loader->moved[type] = was == is ? STOA__STAYS : is ? STOA__TO_SPARSE : STOA__TO_COLUMN;
    loader->drops = loader->drops || loader->moved[type] == STOA__TO_SPARSE;
    if (was != is) {
        stoa__loader_notice(loader, STOA_NOTICE_CONVERTED,
                            is ? "made sparse what was a column, component "
                               : "made a column of what was sparse, component ",
                            info.name);
    }
    return STOA_OK;
}

void stoa__loader_switches_tell(const stoa__loader *loader) {
    for (int32_t i = 0; i < loader->schema.type_count; i++) {
        if (loader->switched[i] > 0) {
            stoa__loader_notice(loader, STOA_NOTICE_LOST,
                                "switched on again, since it cannot be off here, component ",
                                loader->schema.types[i].name);
        }
    }
}

/* The place of a type among those of rows, or PLACE_NONE. */
static uint32_t place_find(const stoa__rows_view *view, int32_t type) {
    for (uint32_t i = 0; i < view->type_count; i++) {
        if (stoa__rows_type(view, i) == type) {
            return i;
        }
    }
    return PLACE_NONE;
}

/* The bytes of a column of rows. */
static stoa_span column_find(const stoa__loader *loader, const stoa__rows_view *view,
                             uint32_t place) {
    stoa__cursor columns = view->columns;
    uint64_t size = 0;
    const uint8_t *bytes = NULL;
    for (uint32_t i = 0; i <= place; i++) {
        bytes = stoa__column_take(&columns, &loader->schema.types[stoa__rows_type(view, i)],
                                  view->row_count, &size);
    }
    return (stoa_span){bytes, bytes + size};
}

/* Gathers the entities that have a component, from all archetypes that wait. */
static stoa_status entities_gather(stoa__loader *loader, int32_t type, size_t *count) {
    for (uint32_t i = 0; i < loader->waiting_count; i++) {
        const stoa__rows_view *view = &loader->waiting[i].rows;
        if (place_find(view, type) == PLACE_NONE) {
            continue;
        }
        if (!stoa__loader_numbers_copy(loader, view->entities, (size_t)view->row_count * 2,
                                       *count * 2)) {
            return STOA_NO_MEMORY;
        }
        *count += view->row_count;
    }
    return *count <= INT32_MAX
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "the snapshot has more rows than there can be entities");
}

/* Brings values and ticks of one archetype to a sparse component, from `first` on. */
static stoa_status thin_fill(stoa__loader *loader, const stoa__waiting *w, int32_t type,
                             uint8_t *values, int32_t first) {
    uint32_t place = place_find(&w->rows, type), size = loader->plans[type]->to_size;
    stoa_component id = loader->ids[type];
    stoa_status status = STOA_OK;
    if (size != 0) {
        stoa_span span = column_find(loader, &w->rows, place);
        int32_t made = 0;
        status = stoa__loader_values(loader, type, &span, values + (size_t)first * size,
                                     (int32_t)w->rows.row_count, &made);
        stoa_rebuild_made(loader->rebuild, id, first + made);
        if (status == STOA_OK && span.at != span.end) {
            status = stoa__loader_surplus(loader, type);
        }
    }
    if (status == STOA_OK && w->ticks.body != NULL) {
        memset(loader->open_ids, 0, w->rows.type_count * sizeof *loader->open_ids);
        loader->open_ids[place] = id;
        status = stoa__loader_ticks_set(loader, &w->ticks, w->rows.type_count, first);
    }
    return status;
}

/* Builds a sparse component of columns. */
static stoa_status thin_build(stoa__loader *loader, int32_t type) {
    size_t count = 0;
    stoa_status status = entities_gather(loader, type, &count);
    if (status != STOA_OK || count == 0) {
        return status;
    }
    void *values =
        stoa_rebuild_sparse(loader->rebuild, loader->ids[type],
                            (const stoa_entity *)(const void *)loader->numbers, (int32_t)count);
    uint8_t *off = values != NULL ? stoa__loader_bytes(loader, (uint32_t)count) : NULL;
    if (off == NULL) {
        return values != NULL ? STOA_NO_MEMORY
                              : stoa__loader_told(loader, stoa_last_error().status);
    }
    bool any = false;
    int32_t first = 0;
    for (uint32_t i = 0; i < loader->waiting_count && status == STOA_OK; i++) {
        const stoa__waiting *w = &loader->waiting[i];
        if (place_find(&w->rows, type) != PLACE_NONE) {
            status = thin_fill(loader, w, type, values, first);
            any |= stoa__switches_find(&w->rows, type, off + first);
            first += (int32_t)w->rows.row_count;
        }
    }
    return status == STOA_OK && any ? stoa__loader_switch(loader, type, off, (uint32_t)count)
                                    : status;
}

stoa_status stoa__loader_thin(stoa__loader *loader) {
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < loader->schema.type_count && status == STOA_OK; i++) {
        if (loader->ids[i] != 0 && loader->moved[i] == STOA__TO_SPARSE) {
            status = thin_build(loader, i);
        }
    }
    return status;
}

stoa_status stoa__loader_thick_add(stoa__loader *loader, const stoa__rows_view *rows) {
    if (!stoa__heap_grow(&loader->heap, &loader->thick, &loader->thick_capacity,
                         loader->thick_count + 1, sizeof *loader->thick)) {
        return stoa__error_memory("a snapshot");
    }
    loader->thick[loader->thick_count++] = (stoa__waiting){.rows = *rows};
    loader->keeps = true;
    return STOA_OK;
}

static stoa_entity entity_at(const stoa__rows_view *view, uint32_t row) {
    const uint8_t *bytes = view->entities + (size_t)row * 8;
    return (stoa_entity){stoa__read_u32(bytes), stoa__read_u32(bytes + 4)};
}

/* An entity of a component that waits, and the next component of that entity. */
typedef struct node {
    uint32_t thick;
    uint32_t next; /* + 1, or 0 */
} node;

/* Who has which of the components that wait. */
typedef struct owners {
    node *nodes;     /* component after component, row after row */
    uint32_t *first; /* by slot: a node + 1, or 0 */
    stoa_component *ids;
    uint32_t node_count;
} owners;

static bool owners_init(stoa__loader *loader, owners *o, uint64_t rows) {
    stoa__heap *heap = &loader->heap;
    o->node_count = (uint32_t)rows;
    o->nodes = stoa__heap_alloc(heap, (size_t)rows * sizeof *o->nodes, _Alignof(node));
    o->first = stoa__heap_zalloc(heap, ((size_t)loader->header.slot_count + 1) * sizeof *o->first,
                                 _Alignof(uint32_t));
    o->ids = stoa__heap_alloc(heap, loader->thick_count * sizeof *o->ids, _Alignof(uint32_t));
    return o->nodes != NULL && o->first != NULL && o->ids != NULL;
}

static void owners_fini(stoa__loader *loader, owners *o) {
    stoa__heap *heap = &loader->heap;
    stoa__heap_free(heap, o->nodes, o->node_count * sizeof *o->nodes, _Alignof(node));
    stoa__heap_free(heap, o->first, ((size_t)loader->header.slot_count + 1) * sizeof *o->first,
                    _Alignof(uint32_t));
    stoa__heap_free(heap, o->ids, loader->thick_count * sizeof *o->ids, _Alignof(uint32_t));
}

/* Lists the components of each entity, in the order they came. */
static stoa_status owners_list(const stoa__loader *loader, owners *o) {
    uint32_t at = o->node_count;
    for (uint32_t i = loader->thick_count; i-- > 0;) {
        const stoa__rows_view *view = &loader->thick[i].rows;
        for (uint32_t row = view->row_count; row-- > 0;) {
            stoa_entity e = entity_at(view, row);
            if (e.index >= loader->header.slot_count) {
                return stoa__error(STOA_CORRUPT, "entity %u.%u does not live", e.index,
                                   e.generation);
            }
            o->nodes[--at] = (node){i, o->first[e.index]};
            o->first[e.index] = at + 1;
        }
    }
    return STOA_OK;
}

/* Gives an entity all components that wait for it, beginning with a node. */
static stoa_status owner_move(stoa__loader *loader, const owners *o, uint32_t at, stoa_entity e) {
    int32_t count = 0;
    for (; at != 0; at = o->nodes[at - 1].next) {
        stoa_component id =
            loader->ids[stoa__rows_type(&loader->thick[o->nodes[at - 1].thick].rows, 0)];
        if (count == (int32_t)loader->thick_count) {
            return stoa__error(STOA_CORRUPT, "entity %u.%u has a component twice", e.index,
                               e.generation);
        }
        int32_t place = count;
        for (; place > 0 && o->ids[place - 1] > id; place--) {
            o->ids[place] = o->ids[place - 1];
        }
        o->ids[place] = id;
        count++;
    }
    return stoa__loader_told(loader, stoa_rebuild_add(loader->rebuild, e, o->ids, count));
}

static stoa_status sets_check(const stoa__loader *loader, int32_t before) {
    int64_t made = (int64_t)stoa_archetype_count(loader->world) - before;
    int64_t most = SETS_FREE + (int64_t)(loader->taken / SETS_BYTES);
    return made <= most ? STOA_OK
                        : stoa__error(STOA_LIMIT,
                                      "components that were sparse come to more than %lld sets of "
                                      "components here, the most for a snapshot of that size",
                                      (long long)most);
}

static stoa_status owners_move(stoa__loader *loader, const owners *o) {
    stoa_status status = STOA_OK;
    uint32_t at = 0;
    int32_t sets = stoa_archetype_count(loader->world);
    for (uint32_t i = 0; i < loader->thick_count; i++) {
        const stoa__rows_view *view = &loader->thick[i].rows;
        for (uint32_t row = 0; row < view->row_count && status == STOA_OK; row++) {
            stoa_entity e = entity_at(view, row);
            if (o->first[e.index] == ++at) {
                status = owner_move(loader, o, at, e);
                status = status == STOA_OK ? sets_check(loader, sets) : status;
            }
        }
    }
    return status;
}

/* Brings the values of a component to its entities, which have it. */
static stoa_status thick_fill(stoa__loader *loader, const stoa__rows_view *view, int32_t type) {
    stoa_span span = column_find(loader, view, 0);
    uint32_t size = loader->plans[type]->to_size;
    stoa_status status = STOA_OK;
    for (uint32_t row = 0; row < view->row_count && size != 0 && status == STOA_OK; row++) {
        void *to = stoa_rebuild_value(loader->rebuild, entity_at(view, row), loader->ids[type]);
        if (to == NULL) {
            return stoa__loader_told(loader, stoa_last_error().status);
        }
        int32_t made = 0;
        status = stoa__loader_values(loader, type, &span, to, 1, &made);
        if (made == 0) {
            memset(to, 0, size);
        }
    }
    return status == STOA_OK && size != 0 && span.at != span.end
               ? stoa__loader_surplus(loader, type)
               : status;
}

static stoa_status thick_ticks(stoa__loader *loader, const stoa__waiting *w, stoa_component id) {
    stoa__cursor cursor = {.at = w->ticks.body, .end = w->ticks.body + w->ticks.body_size};
    uint32_t row = 0;
    for (uint32_t runs = stoa__cursor_u32(&cursor); runs > 0; runs--) {
        uint32_t end = row + stoa__cursor_u32(&cursor);
        uint32_t changed = stoa__cursor_u32(&cursor);
        uint32_t added = stoa__cursor_u32(&cursor);
        for (; row < end; row++) {
            stoa_status status = stoa_rebuild_value_ticks(loader->rebuild, entity_at(&w->rows, row),
                                                          id, changed, added);
            if (status != STOA_OK) {
                return stoa__loader_told(loader, status);
            }
        }
    }
    return STOA_OK;
}

static stoa_status thick_switch(stoa__loader *loader, const stoa__rows_view *view, int32_t type) {
    stoa_component_info info;
    stoa_status status = stoa_component_info_get(loader->world, loader->ids[type], &info);
    bool can = status == STOA_OK && (info.flags & STOA_SWITCHABLE) != 0;
    for (uint32_t row = 0; row < view->row_count && status == STOA_OK; row++) {
        if ((view->switches.at[row / 8] >> (row % 8) & 1) == 0) {
            continue;
        }
        if (can) {
            status = stoa_rebuild_value_off(loader->rebuild, entity_at(view, row), info.id);
        } else {
            loader->switched[type]++;
        }
    }
    return stoa__loader_told(loader, status);
}

/* Gives the entities their components, then these their values. */
static stoa_status thick_build(stoa__loader *loader, owners *o) {
    stoa_status status = owners_list(loader, o);
    if (status == STOA_OK) {
        status = owners_move(loader, o);
    }
    for (uint32_t i = 0; i < loader->thick_count && status == STOA_OK; i++) {
        const stoa__waiting *w = &loader->thick[i];
        int32_t type = stoa__rows_type(&w->rows, 0);
        status = thick_fill(loader, &w->rows, type);
        if (status == STOA_OK && w->ticks.body != NULL) {
            status = thick_ticks(loader, w, loader->ids[type]);
        }
        if (status == STOA_OK && w->rows.switch_count > 0) {
            status = thick_switch(loader, &w->rows, type);
        }
    }
    return status;
}

stoa_status stoa__loader_thick(stoa__loader *loader) {
    uint64_t rows = 0;
    for (uint32_t i = 0; i < loader->thick_count; i++) {
        rows += loader->thick[i].rows.row_count;
    }
    if (rows == 0) {
        return STOA_OK;
    }
    if (rows >= UINT32_MAX) {
        return stoa__error(STOA_LIMIT, "%llu values of components that are not sparse here",
                           (unsigned long long)rows);
    }
    owners o = {.node_count = 0};
    stoa_status status =
        owners_init(loader, &o, rows) ? thick_build(loader, &o) : stoa__error_memory("a snapshot");
    owners_fini(loader, &o);
    loader->thick_count = 0;
    return status;
}

/* Filling archetypes and sparse components out of JSON, by stoa_rebuild.
 *
 * Values are made straight in their places. What owns memory is announced one by one as it is made,
 * so that going back drops just that. */
#include "json/world.h"

#include <string.h>

#include "stoa/access.h"

/* A column that is being filled. */
typedef struct column {
    stoa_component_info info;
    uint8_t *items; /* of the rows from `first` on */
    int32_t first;
    int32_t count;
} column;

/* True if the text says that a component of an entity is off. */
static bool is_off(const stoa__json_loading *l, uint32_t entity, stoa_component id) {
    json_t *list = json_object_get(json_array_get(l->list, entity), "off");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *key = json_string_value(json_array_get(list, i));
        if (key != NULL && stoa__json_component(l->in->world, key) == id) {
            return true;
        }
    }
    return false;
}

/* Where a value goes; NULL with the failure reported. */
static void *cell_of(stoa__json_loading *l, column *c, int32_t row) {
    if (row >= c->first + c->count || c->items == NULL) {
        c->first = row;
        c->items = stoa_rebuild_column(l->rebuild, c->info.id, row, &c->count);
        if (c->items == NULL) {
            return NULL;
        }
    }
    return c->items + (size_t)(row - c->first) * c->info.size;
}

static stoa_status cell_read(stoa__json_loading *l, const stoa__json_path *path, json_t *json,
                             column *c, int32_t row) {
    void *cell = c->info.size > 0 ? cell_of(l, c, row) : NULL;
    if (cell == NULL && c->info.size > 0) {
        return stoa_last_error().status;
    }
    stoa_status status = stoa__json_read_value(l->in, path, &c->info, json, cell, false);
    if (status == STOA_OK && c->info.hooks.drop != NULL && c->info.size > 0) {
        status = stoa_rebuild_made(l->rebuild, c->info.id, row + 1);
    }
    return status;
}

static column *column_find(column *columns, uint32_t count, stoa_component id) {
    uint32_t first = 0;
    while (count > 0) {
        uint32_t half = count / 2;
        if (columns[first + half].info.id < id) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return &columns[first];
}

static stoa_status row_read(stoa__json_loading *l, const stoa__json_path *path, uint32_t entity,
                            column *columns, uint32_t count, int32_t row) {
    json_t *object = json_array_get(l->list, entity);
    uint32_t at = 0;
    stoa_status status = STOA_OK;
    for (void *i = json_object_iter(object); i != NULL && status == STOA_OK;
         i = json_object_iter_next(object, i), at++) {
        stoa__json_path member = {path, object, json_object_iter_key(i), 0};
        const stoa__json_key *key;
        status = stoa__json_key_read(l, &member, at, &key);
        if (status == STOA_OK && key->part == 0 && (key->info.flags & STOA_SPARSE) == 0) {
            status = cell_read(l, &member, json_object_iter_value(i),
                               column_find(columns, count, key->info.id), row);
        }
    }
    return status;
}

/* Checks what an entity has switched off; `*any` becomes true if there is something. */
static stoa_status off_check(stoa__json_loading *l, const stoa__json_path *path, uint32_t entity,
                             bool *any) {
    json_t *object = json_array_get(l->list, entity);
    json_t *list = json_object_get(object, "off");
    stoa__json_path at = {path, object, "off", 0};
    if (list != NULL && !json_is_array(list)) {
        return stoa__json_expected(l->in, &at, list, "a list of components");
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        stoa__json_path item = {&at, list, NULL, i};
        stoa_component_info info;
        json_t *name = json_array_get(list, i);
        stoa_status status = stoa__json_component_item(l->in, &item, name, &info);
        if (status != STOA_OK) {
            return status;
        }
        if ((info.flags & STOA_SWITCHABLE) == 0 || !stoa__json_has(l->in->world, object, info.id)) {
            return stoa__json_fail(l->in, &item, STOA_REFUSED,
                                   "there is no '%s' here that can be switched off", info.name);
        }
        *any = true;
    }
    return STOA_OK;
}

static stoa_status switches_read(stoa__json_loading *l, const stoa__json_group *group,
                                 const column *columns) {
    for (uint32_t c = 0; c < group->id_count; c++) {
        if ((columns[c].info.flags & STOA_SWITCHABLE) == 0) {
            continue;
        }
        for (uint32_t i = 0; i < group->count; i++) {
            l->off[i] = is_off(l, l->order[group->row + i], columns[c].info.id);
        }
        stoa_status status = stoa_rebuild_switches(l->rebuild, columns[c].info.id, l->off);
        if (status != STOA_OK) {
            return status;
        }
    }
    return STOA_OK;
}

static stoa_status group_fill(stoa__json_loading *l, const stoa__json_group *group,
                              column *columns) {
    stoa__json_path path = {NULL, l->in->root, "entities", 0};
    bool off = false;
    stoa_status status = STOA_OK;
    for (uint32_t c = 0; c < group->id_count && status == STOA_OK; c++) {
        columns[c] = (column){.first = 0};
        status = stoa_component_info_get(l->in->world, l->pool[group->first + c], &columns[c].info);
    }
    for (uint32_t i = 0; i < group->count && status == STOA_OK; i++) {
        uint32_t entity = l->order[group->row + i];
        stoa__json_path item = {&path, l->list, NULL, entity};
        status = row_read(l, &item, entity, columns, group->id_count, (int32_t)i);
        if (status == STOA_OK) {
            status = off_check(l, &item, entity, &off);
        }
    }
    return status == STOA_OK && off ? switches_read(l, group, columns) : status;
}

stoa_status stoa__json_rows_read(stoa__json_loading *l) {
    stoa_status status = STOA_OK;
    for (uint32_t g = 0; g < l->group_count && status == STOA_OK; g++) {
        const stoa__json_group *group = &l->groups[g];
        size_t size = group->id_count * sizeof(column);
        column *columns = stoa__heap_alloc(&l->in->heap, size, 8);
        if (columns == NULL) {
            return stoa__error_memory("columns");
        }
        status =
            stoa_rebuild_archetype(l->rebuild, &l->pool[group->first], (int32_t)group->id_count,
                                   &l->rows[group->row], (int32_t)group->count);
        if (status == STOA_OK) {
            status = group_fill(l, group, columns);
        }
        stoa__heap_free(&l->in->heap, columns, size, 8);
    }
    /* Entities without a row may have something off outside of archetypes. */
    stoa__json_path path = {NULL, l->in->root, "entities", 0};
    for (uint32_t i = 0; i < l->names.count && status == STOA_OK; i++) {
        stoa__json_path item = {&path, l->list, NULL, i};
        bool any;
        status = l->group_of[i] == UINT32_MAX ? off_check(l, &item, i, &any) : STOA_OK;
    }
    return status;
}

/* Sorts what is kept outside of archetypes by component; entities keep their order. */
static stoa_status items_sort(stoa__json_loading *l) {
    uint32_t known = (uint32_t)stoa_component_count(l->in->world) + 2;
    size_t counts_size = known * sizeof(uint32_t), items_size = l->item_count * sizeof *l->items;
    uint32_t *starts = stoa__heap_zalloc(&l->in->heap, counts_size, 8);
    stoa__json_set_item *copy = stoa__heap_alloc(&l->in->heap, items_size, 8);
    if (starts != NULL && copy != NULL) {
        memcpy(copy, l->items, items_size);
        for (uint32_t i = 0; i < l->item_count; i++) {
            starts[copy[i].id + 1]++;
        }
        for (uint32_t i = 1; i < known; i++) {
            starts[i] += starts[i - 1];
        }
        for (uint32_t i = 0; i < l->item_count; i++) {
            l->items[starts[copy[i].id]++] = copy[i];
        }
    }
    bool done = starts != NULL && copy != NULL;
    stoa__heap_free(&l->in->heap, starts, counts_size, 8);
    stoa__heap_free(&l->in->heap, copy, items_size, 8);
    return done ? STOA_OK : stoa__error_memory("components outside of archetypes");
}

stoa_status stoa__json_order_read(stoa__json_loading *l, const char *name, json_t **list) {
    json_t *order;
    stoa_status status = stoa__json_section(l->in, "order", JSON_OBJECT, &order);
    stoa__json_path path = {NULL, l->in->root, "order", 0};
    *list = status == STOA_OK ? json_object_get(order, name) : NULL;
    stoa__json_path at = {&path, order, name, 0};
    if (*list == NULL) {
        return status;
    }
    if (!json_is_array(*list)) {
        return stoa__json_expected(l->in, &at, *list, "a list of entities");
    }
    for (size_t i = 0; i < json_array_size(*list) && status == STOA_OK; i++) {
        stoa__json_path item = {&at, *list, NULL, i};
        json_t *json = json_array_get(*list, i);
        uint32_t place;
        status = stoa__json_names_place(l->in, &item, json, &l->names, &place);
        if (status == STOA_OK && i < l->names.count) {
            l->marks[i] = place;
        } else if (status == STOA_OK) {
            status = stoa__json_fail(l->in, &item, STOA_SYNTAX, "more entities than there are");
        }
    }
    return status;
}

/* Puts the items of one component into the order that the text has for it. */
static stoa_status set_order(stoa__json_loading *l, stoa__json_set_item *items, uint32_t count,
                             const char *name) {
    json_t *list;
    stoa_status status = stoa__json_order_read(l, name, &list);
    if (status != STOA_OK || list == NULL) {
        return status;
    }
    stoa__json_path path = {NULL, l->in->root, "order", 0};
    stoa__json_path at = {&path, json_object_get(l->in->root, "order"), name, 0};
    size_t size = l->names.count * sizeof(uint32_t), items_size = count * sizeof *items;
    uint32_t *found = stoa__heap_zalloc(&l->in->heap, size, 8);
    stoa__json_set_item *copy = stoa__heap_alloc(&l->in->heap, items_size, 8);
    if (found == NULL || copy == NULL) {
        status = stoa__error_memory("components outside of archetypes");
    } else if (json_array_size(list) != count) {
        status = stoa__json_fail(l->in, &at, STOA_SYNTAX, "%zu entities are listed, %u have '%s'",
                                 json_array_size(list), (unsigned)count, name);
    } else {
        memcpy(copy, items, items_size);
        for (uint32_t i = 0; i < count; i++) {
            found[copy[i].entity] = i + 1;
        }
        for (uint32_t i = 0; i < count && status == STOA_OK; i++) {
            uint32_t *from = &found[l->marks[i]];
            stoa__json_path item = {&at, list, NULL, i};
            if (*from == 0) {
                status = stoa__json_fail(l->in, &item, STOA_SYNTAX,
                                         "the entity has no '%s', or is listed twice", name);
            } else {
                items[i] = copy[*from - 1];
                *from = 0;
            }
        }
    }
    stoa__heap_free(&l->in->heap, found, size, 8);
    stoa__heap_free(&l->in->heap, copy, items_size, 8);
    return status;
}

static stoa_status set_fill(stoa__json_loading *l, const stoa__json_set_item *items, uint32_t count,
                            const stoa_component_info *info, uint8_t *values) {
    stoa__json_path path = {NULL, l->in->root, "entities", 0};
    stoa_status status = STOA_OK;
    bool off = false;
    for (uint32_t i = 0; i < count && status == STOA_OK; i++) {
        stoa__json_path item = {&path, l->list, NULL, items[i].entity};
        stoa__json_path member = {&item, json_array_get(l->list, items[i].entity), items[i].key, 0};
        status = stoa__json_read_value(l->in, &member, info, items[i].json,
                                       values + (size_t)i * info->size, false);
        if (status == STOA_OK && info->hooks.drop != NULL && info->size > 0) {
            status = stoa_rebuild_made(l->rebuild, info->id, (int32_t)i + 1);
        }
        l->off[i] = (info->flags & STOA_SWITCHABLE) != 0 && is_off(l, items[i].entity, info->id);
        off = off || l->off[i] != 0;
    }
    return status == STOA_OK && off ? stoa_rebuild_switches(l->rebuild, info->id, l->off) : status;
}

/* Makes all of one component. */
static stoa_status set_read(stoa__json_loading *l, stoa__json_set_item *items, uint32_t count) {
    stoa_component_info info;
    stoa_status status = stoa_component_info_get(l->in->world, items[0].id, &info);
    if (status == STOA_OK) {
        status = set_order(l, items, count, info.name);
    }
    if (status != STOA_OK) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        l->rows[i] = l->names.entities[items[i].entity];
    }
    uint8_t *values = stoa_rebuild_sparse(l->rebuild, info.id, l->rows, (int32_t)count);
    return values != NULL ? set_fill(l, items, count, &info, values) : stoa_last_error().status;
}

stoa_status stoa__json_sets_read(stoa__json_loading *l) {
    stoa_status status = l->item_count > 0 ? items_sort(l) : STOA_OK;
    for (uint32_t first = 0, end; first < l->item_count && status == STOA_OK; first = end) {
        end = first + 1;
        while (end < l->item_count && l->items[end].id == l->items[first].id) {
            end++;
        }
        if (end - first > l->names.count) {
            return stoa__error(STOA_SYNTAX, "a component is named twice");
        }
        status = set_read(l, &l->items[first], end - first);
    }
    return status;
}

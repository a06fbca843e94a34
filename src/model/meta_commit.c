/* Making a meta world show what was found.
 *
 * Memory for everything that is new is reserved before the first change. Then what is gone is
 * destroyed, links before what they link; what is new is made, and what differs is set, in order of
 * rows, so that the entities a value has are there before it. O(rows). */
#include "model/meta.h"

#include <stddef.h>
#include <string.h>

static const stoa__meta_shape shapes[STOA_META_KINDS] = {
    [STOA_META_COMPONENT] = {STOA_TYPE_OF(stoa_meta_component), {0}, 0},
    [STOA_META_MEMBER] = {STOA_TYPE_OF(stoa_meta_member),
                          {offsetof(stoa_meta_member, component), offsetof(stoa_meta_member, type)},
                          2},
    [STOA_META_ARCHETYPE] = {STOA_TYPE_OF(stoa_meta_archetype), {0}, 0},
    [STOA_META_QUERY] = {STOA_TYPE_OF(stoa_meta_query), {0}, 0},
    [STOA_META_RESOURCE] = {STOA_TYPE_OF(stoa_meta_resource),
                            {offsetof(stoa_meta_resource, component)},
                            1},
    [STOA_META_STAGE] = {STOA_TYPE_OF(stoa_meta_stage), {0}, 0},
    [STOA_META_SYSTEM] = {STOA_TYPE_OF(stoa_meta_system), {offsetof(stoa_meta_system, stage)}, 1},
    [STOA_META_HAS] = {STOA_TYPE_OF(stoa_meta_has),
                       {offsetof(stoa_meta_has, archetype), offsetof(stoa_meta_has, component)},
                       2},
    [STOA_META_TERM] = {STOA_TYPE_OF(stoa_meta_term),
                        {offsetof(stoa_meta_term, query), offsetof(stoa_meta_term, component)},
                        2},
    [STOA_META_USE] = {STOA_TYPE_OF(stoa_meta_use),
                       {offsetof(stoa_meta_use, system), offsetof(stoa_meta_use, component),
                        offsetof(stoa_meta_use, resource)},
                       3},
};

const stoa__meta_shape *stoa__meta_shape_of(stoa_meta_kind kind) {
    return &shapes[kind];
}

void stoa__meta_list_free(stoa__heap *heap, stoa__meta_list *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (!list->rows[i].name_lent) {
            stoa__heap_text_free(heap, list->rows[i].name);
        }
    }
    stoa__heap_grow_free(heap, list->rows, list->capacity, sizeof *list->rows);
    stoa__map_fini(&list->names, heap);
    memset(list, 0, sizeof *list);
}

/* The components of a new entity; links have no name. */
static int32_t row_values(const stoa__meta_row *row, const stoa_meta_name *name,
                          stoa_value values[2]) {
    values[0] = (stoa_value){.type = shapes[row->kind].type, .data = &row->value, .op = STOA_PUT};
    values[1] = (stoa_value){.type = STOA_TYPE_OF(stoa_meta_name), .data = name, .op = STOA_PUT};
    return row->name != NULL ? 2 : 1;
}

/* Makes sure that every entity that is new can be made. */
static stoa_status rows_reserve(stoa__meta *meta, const stoa__meta_list *list) {
    stoa_value values[STOA_META_KINDS][2];
    stoa_batch batches[STOA_META_KINDS] = {{.values = NULL}};
    for (uint32_t i = 0; i < list->count; i++) {
        const stoa__meta_row *row = &list->rows[i];
        if (stoa_entity_is_null(row->entity)) {
            stoa_batch *batch = &batches[row->kind];
            batch->values = values[row->kind];
            batch->count = row_values(row, NULL, values[row->kind]);
            batch->entity_count++;
        }
    }
    int32_t count = 0;
    for (uint32_t kind = 0; kind < STOA_META_KINDS; kind++) {
        if (batches[kind].entity_count > 0) {
            batches[count++] = batches[kind];
        }
    }
    return stoa_reserve_batches(meta->self, batches, count);
}

/* Destroys what is gone. */
static stoa_status gone_destroy(stoa__meta *meta) {
    for (uint32_t i = meta->list.count; i-- > 0;) {
        const stoa__meta_row *row = &meta->list.rows[i];
        if (!row->kept && stoa_alive(meta->self, row->entity)) {
            stoa_status status = stoa_destroy(meta->self, row->entity);
            if (status != STOA_OK) {
                return status;
            }
        }
    }
    return STOA_OK;
}

/* Fills in the entities that a value has. */
static void row_link(const stoa__meta_list *list, stoa__meta_row *row) {
    const stoa__meta_shape *shape = &shapes[row->kind];
    for (uint32_t i = 0; i < shape->ref_count; i++) {
        stoa_entity e =
            row->refs[i] != STOA__META_NONE ? list->rows[row->refs[i]].entity : STOA_NULL;
        memcpy((uint8_t *)&row->value + shape->refs[i], &e, sizeof e);
    }
}

/* Gives an entity its name back, if a hook took that. */
static stoa_status name_show(const stoa__meta *meta, const stoa__meta_row *row) {
    const stoa_meta_name *shown = stoa_try_get(meta->self, row->entity, stoa_meta_name);
    return shown != NULL && shown->text == row->name
               ? STOA_OK
               : stoa_set(meta->self, row->entity, stoa_meta_name, {row->name});
}

/* Makes an entity show its row; one that a hook destroyed is made anew. Values have no padding, so
 * that their bytes tell whether they differ. */
static stoa_status row_show(stoa__meta *meta, const stoa__meta_list *list, stoa__meta_row *row) {
    stoa_type *type = shapes[row->kind].type;
    row_link(list, row);
    if (!stoa_alive(meta->self, row->entity)) {
        stoa_value values[2];
        const stoa_meta_name name = {row->name};
        int32_t count = row_values(row, &name, values);
        row->entity = stoa_create_values(meta->self, values, count);
        return stoa_entity_is_null(row->entity) ? stoa_last_error().status : STOA_OK;
    }
    const void *shown = stoa_try_type(meta->self, row->entity, type);
    stoa_status status = STOA_OK;
    if (shown == NULL || memcmp(shown, &row->value, type->size) != 0) {
        status = stoa_set_type(meta->self, row->entity, type, &row->value);
    }
    return status == STOA_OK && row->name != NULL ? name_show(meta, row) : status;
}

/* Makes a list the one that is shown; it owns its names from now on. */
static void list_adopt(stoa__meta *meta, stoa__meta_list *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        stoa__meta_row *row = &list->rows[i];
        if (row->name_lent) {
            meta->list.rows[row->before].name_lent = true;
            row->name_lent = false;
        }
        row->before = STOA__META_NONE;
    }
    stoa__meta_list_free(&meta->heap, &meta->list);
    meta->list = *list;
    memset(list, 0, sizeof *list);
}

stoa_status stoa__meta_commit(stoa__meta *meta, stoa__meta_list *list) {
    stoa_status status = stoa_world_seal(meta->self, false);
    if (status != STOA_OK) {
        return status;
    }
    status = rows_reserve(meta, list);
    if (status == STOA_OK) {
        stoa_tick_advance(meta->self);
        status = gone_destroy(meta);
    }
    if (status == STOA_OK) {
        for (uint32_t i = 0; i < list->count; i++) {
            stoa_status shown = row_show(meta, list, &list->rows[i]);
            status = status == STOA_OK ? shown : status;
        }
        list_adopt(meta, list);
        meta->app_new = false;
    }
    stoa_world_seal(meta->self, true);
    return status;
}

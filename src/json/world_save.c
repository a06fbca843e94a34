/* A world as JSON.
 *
 * Entities come in the order of storage: archetype by archetype, row by row, then those without a
 * row by index. So their order tells that of rows and archetypes. What it does not tell is written
 * apart: the free list, archetypes without rows, and sparse components whose order is another one.
 * Costs what is written; memory for the list of entities. */
#include "json/entity.h"
#include "json/labels.h"

#include <string.h>

#include "stoa/commands.h"
#include "stoa/extension.h"
#include "stoa/rebuild.h"
#include "stoa/resource.h"
#include "stoa/view.h"

/* What a world is written by. */
typedef struct saving {
    const stoa_world *world;
    stoa__heap heap;
    bool handles;
    bool tails;                  /* there may be lists, or components that are off */
    stoa_component_info *sparse; /* sparse components that are written */
    uint32_t sparse_count;
    uint32_t sparse_capacity;
    stoa_entity *entities; /* in the order they are written */
    uint32_t count;
    uint32_t capacity;
    stoa__json_labels labels;
} saving;

static stoa_status sparse_gather(saving *s) {
    stoa_component last = (stoa_component)stoa_component_count(s->world);
    for (stoa_component id = 1; id <= last; id++) {
        stoa_component_info info;
        stoa_sparse_info set;
        stoa_status status = stoa_component_info_get(s->world, id, &info);
        if (status != STOA_OK) {
            return status;
        }
        s->tails = s->tails || (info.flags & STOA_SWITCHABLE) != 0;
        if ((info.flags & STOA_SPARSE) == 0 || stoa__json_way_of(&info) == STOA__JSON_LEFT_OUT) {
            continue;
        }
        status = stoa_sparse_info_get(s->world, id, &set);
        if (status != STOA_OK) {
            return status;
        }
        if (set.count == 0) {
            continue;
        }
        if (!stoa__heap_grow(&s->heap, &s->sparse, &s->sparse_capacity, s->sparse_count + 1,
                             sizeof *s->sparse)) {
            return stoa__error_memory("the components to save");
        }
        s->sparse[s->sparse_count++] = info;
    }
    return STOA_OK;
}

static stoa_status entity_add(saving *s, stoa_entity e) {
    if (!stoa__heap_grow(&s->heap, &s->entities, &s->capacity, s->count + 1, sizeof e)) {
        return stoa__error_memory("the entities to save");
    }
    s->entities[s->count++] = e;
    return STOA_OK;
}

/* Lists all entities in the order that they are written. */
static stoa_status entities_gather(saving *s) {
    stoa_status status = STOA_OK;
    for (int32_t a = 1; a < stoa_archetype_count(s->world) && status == STOA_OK; a++) {
        stoa_archetype_info info;
        status = stoa_archetype_info_get(s->world, a, &info);
        for (int32_t c = 0; status == STOA_OK && c < info.chunk_count; c++) {
            stoa_chunk_info chunk;
            status = stoa_chunk_info_get(s->world, a, c, &chunk);
            for (int32_t i = 0; status == STOA_OK && i < chunk.count; i++) {
                status = entity_add(s, chunk.entities[i]);
            }
        }
    }
    if ((int64_t)s->count == stoa_count(s->world)) {
        return status;
    }
    for (stoa_entity e = stoa_entity_next(s->world, STOA_NULL);
         status == STOA_OK && !stoa_entity_is_null(e); e = stoa_entity_next(s->world, e)) {
        if (stoa_archetype_of(s->world, e) == 0) {
            status = entity_add(s, e);
        }
    }
    return status;
}

static void entity_open(const saving *s, stoa__json_out *out, stoa_entity e, uint32_t number) {
    const char *name = stoa_name(s->world, e);
    stoa__json_out_item(out);
    stoa__json_out_open(out, '{', true);
    if (s->handles) {
        stoa__json_out_key(out, "id");
        stoa__json_out_handle(out, "", e);
    } else if (name == NULL) {
        stoa__json_out_key(out, "id");
        stoa__json_out_unsigned(out, number);
    }
    if (name != NULL) {
        stoa__json_out_key(out, "name");
        stoa__json_out_string(out, name);
    }
}

static void entity_close(const saving *s, stoa__json_out *out, stoa_entity e) {
    for (uint32_t i = 0; i < s->sparse_count; i++) {
        const stoa_component_info *info = &s->sparse[i];
        if (stoa_has_id(s->world, e, info->id)) {
            stoa__json_out_component(out, info->name);
            stoa__json_write_value(out, info,
                                   info->size > 0 ? stoa_try_get_id(s->world, e, info->id) : NULL);
        }
    }
    if (s->tails) {
        stoa__json_tail_write(out, e);
    }
    stoa__json_out_close(out, '}');
}

/* The columns of an archetype that is being written. */
typedef struct column {
    stoa_component_info info;
    const uint8_t *items; /* of the chunk */
} column;

static void chunk_write(const saving *s, stoa__json_out *out, const column *columns,
                        int32_t column_count, const stoa_chunk_info *chunk, uint32_t first) {
    for (int32_t row = 0; row < chunk->count && out->status == STOA_OK; row++) {
        entity_open(s, out, chunk->entities[row], first + (uint32_t)row);
        for (int32_t i = 0; i < column_count; i++) {
            const stoa_component_info *info = &columns[i].info;
            stoa__json_out_component(out, info->name);
            stoa__json_write_value(out, info, columns[i].items + (size_t)row * info->size);
        }
        entity_close(s, out, chunk->entities[row]);
    }
}

static stoa_status columns_find(const saving *s, int32_t archetype, int32_t chunk, column *columns,
                                int32_t count) {
    static const uint8_t nothing = 0;
    for (int32_t i = 0; i < count; i++) {
        columns[i].items = &nothing;
        if (columns[i].info.size > 0) {
            columns[i].items = stoa_chunk_column(s->world, archetype, chunk, columns[i].info.id);
            if (columns[i].items == NULL) {
                return stoa_last_error().status;
            }
        }
    }
    return STOA_OK;
}

static void archetype_write(saving *s, stoa__json_out *out, int32_t archetype, uint32_t *number) {
    stoa_archetype_info info;
    stoa_status status = stoa_archetype_info_get(s->world, archetype, &info);
    size_t size = (size_t)info.component_count * sizeof(column);
    column *columns = status == STOA_OK ? stoa__heap_alloc(&s->heap, size, 8) : NULL;
    if (columns == NULL) {
        stoa__json_out_fail(out,
                            status != STOA_OK ? status : stoa__error_memory("the columns to save"));
        return;
    }
    for (int32_t i = 0; i < info.component_count && status == STOA_OK; i++) {
        status = stoa_component_info_get(s->world, info.components[i], &columns[i].info);
    }
    for (int32_t c = 0; c < info.chunk_count && status == STOA_OK; c++) {
        stoa_chunk_info chunk;
        status = stoa_chunk_info_get(s->world, archetype, c, &chunk);
        if (status == STOA_OK) {
            status = columns_find(s, archetype, c, columns, info.component_count);
        }
        if (status == STOA_OK) {
            chunk_write(s, out, columns, info.component_count, &chunk, *number);
            *number += (uint32_t)chunk.count;
        }
    }
    stoa__heap_free(&s->heap, columns, size, 8);
    if (status != STOA_OK) {
        stoa__json_out_fail(out, status);
    }
}

static void entities_write(saving *s, stoa__json_out *out) {
    uint32_t number = 0;
    stoa__json_out_key(out, "entities");
    stoa__json_out_open(out, '[', true);
    for (int32_t a = 1; a < stoa_archetype_count(s->world) && out->status == STOA_OK; a++) {
        archetype_write(s, out, a, &number);
    }
    for (; number < s->count && out->status == STOA_OK; number++) {
        entity_open(s, out, s->entities[number], number);
        entity_close(s, out, s->entities[number]);
    }
    stoa__json_out_close(out, ']');
}

/* The free list, next first, with the generations that will be given out; and retired slots. */
static void slots_write(saving *s, stoa__json_out *out) {
    stoa_slots slots;
    stoa_status status = stoa_slots_get(s->world, NULL, NULL, &slots);
    size_t size = status == STOA_OK ? ((size_t)slots.count + slots.free_count) * 4 : 0;
    uint32_t *block = size > 0 ? stoa__heap_alloc(&s->heap, size, 8) : NULL;
    if (block == NULL) {
        stoa__json_out_fail(out,
                            status != STOA_OK ? status : stoa__error_memory("the slots to save"));
        return;
    }
    (void)stoa_slots_get(s->world, block, block + slots.count, &slots);
    stoa__json_out_key(out, "free");
    stoa__json_out_open(out, '[', false);
    for (uint32_t i = 0; i < slots.free_count; i++) {
        stoa__json_out_item(out);
        stoa__json_out_handle(
            out, "",
            (stoa_entity){slots.free[i], slots.generations[slots.free[i]] & ~STOA_SLOT_DEAD});
    }
    stoa__json_out_close(out, ']');
    bool any = false;
    for (uint32_t i = 1; i < slots.count; i++) {
        if (slots.generations[i] == STOA_SLOT_DEAD) {
            if (!any) {
                stoa__json_out_key(out, "retired");
                stoa__json_out_open(out, '[', false);
                any = true;
            }
            stoa__json_out_item(out);
            stoa__json_out_unsigned(out, i);
        }
    }
    if (any) {
        stoa__json_out_close(out, ']');
    }
    stoa__heap_free(&s->heap, block, size, 8);
}

/* The archetypes in order, if some of them have no rows. */
static void archetypes_write(const saving *s, stoa__json_out *out) {
    stoa_archetype_info info;
    bool empty = false;
    for (int32_t a = 1; a < stoa_archetype_count(s->world); a++) {
        empty = empty ||
                (stoa_archetype_info_get(s->world, a, &info) == STOA_OK && info.row_count == 0);
    }
    if (!empty) {
        return;
    }
    stoa__json_out_key(out, "archetypes");
    stoa__json_out_open(out, '[', true);
    for (int32_t a = 1; a < stoa_archetype_count(s->world); a++) {
        if (stoa_archetype_info_get(s->world, a, &info) != STOA_OK) {
            continue;
        }
        stoa__json_out_item(out);
        stoa__json_out_open(out, '[', false);
        for (int32_t i = 0; i < info.component_count; i++) {
            stoa__json_out_item(out);
            stoa__json_out_component_name(out, stoa_component_name(s->world, info.components[i]));
        }
        stoa__json_out_close(out, ']');
    }
    stoa__json_out_close(out, ']');
}

/* True if the entities of a set come in the order that they are written in. */
static bool set_in_order(const saving *s, const stoa_sparse_info *set) {
    uint32_t last = 0;
    for (int32_t i = 0; i < set->count; i++) {
        uint32_t number = stoa__json_labels_find(&s->labels, set->entities[i]);
        if (i > 0 && number < last) {
            return false;
        }
        last = number;
    }
    return true;
}

/* Begins the order of a component. */
static void order_open(stoa__json_out *out, stoa_component id, bool *any) {
    if (!*any) {
        stoa__json_out_key(out, "order");
        stoa__json_out_open(out, '{', true);
        *any = true;
    }
    stoa__json_out_key(out, stoa_component_name(out->world, id));
    stoa__json_out_open(out, '[', false);
}

static void links_put(stoa__json_out *out, const stoa_entity *entities, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        stoa__json_out_item(out);
        stoa__json_out_entity(out, entities[i]);
    }
}

static void set_order_write(const saving *s, stoa__json_out *out, stoa_component id, bool *any) {
    stoa_sparse_info set;
    if (id == 0 || stoa_sparse_info_get(s->world, id, &set) != STOA_OK || set_in_order(s, &set)) {
        return;
    }
    order_open(out, id, any);
    links_put(out, set.entities, set.count);
    stoa__json_out_close(out, ']');
}

/* Sparse components, names and relations that have an order of their own. */
static void order_write(const saving *s, stoa__json_out *out) {
    bool any = false;
    set_order_write(s, out, stoa_type_find(s->world, STOA_TYPE_OF(Name)), &any);
    for (uint32_t i = 0; i < s->sparse_count; i++) {
        set_order_write(s, out, s->sparse[i].id, &any);
    }
    for (stoa_relation r = stoa_relation_next(s->world, (stoa_relation){0}); r.id != 0;
         r = stoa_relation_next(s->world, r)) {
        stoa_relation_info info;
        if (stoa_relation_info_get(s->world, r, &info) == STOA_OK && info.many) {
            set_order_write(s, out, info.component, &any);
        }
    }
    if (any) {
        stoa__json_out_close(out, '}');
    }
}

static bool indexes_rise(const stoa_entity *entities, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        if (entities[i].index < entities[i - 1].index) {
            return false;
        }
    }
    return true;
}

/* True if the lists of targets are those that a relation makes of the components by itself. */
static bool links_follow(const saving *s, stoa_relation relation, const stoa_relation_info *info,
                         const stoa_sparse_info *targets) {
    bool follow =
        indexes_rise(targets->entities, targets->count) && (!info->many || targets->count == 0);
    for (int32_t i = 0; i < targets->count && follow; i++) {
        stoa_links links = stoa_relation_sources(s->world, relation, targets->entities[i]);
        follow = indexes_rise(links.items, links.count);
    }
    return follow;
}

/* The lists of targets, where they do not follow from the rest: each target with its sources. */
static void links_write(const saving *s, stoa__json_out *out) {
    bool any = false;
    for (stoa_relation r = stoa_relation_next(s->world, (stoa_relation){0}); r.id != 0;
         r = stoa_relation_next(s->world, r)) {
        stoa_relation_info info;
        stoa_sparse_info targets;
        if (stoa_relation_info_get(s->world, r, &info) != STOA_OK ||
            stoa_sparse_info_get(s->world, info.reverse, &targets) != STOA_OK ||
            links_follow(s, r, &info, &targets)) {
            continue;
        }
        if (!any) {
            stoa__json_out_key(out, "links");
            stoa__json_out_open(out, '{', true);
            any = true;
        }
        stoa__json_out_key(out, info.name);
        stoa__json_out_open(out, '[', true);
        for (int32_t i = 0; i < targets.count; i++) {
            stoa_links links = stoa_relation_sources(s->world, r, targets.entities[i]);
            stoa__json_out_item(out);
            stoa__json_out_open(out, '[', false);
            links_put(out, &targets.entities[i], 1);
            links_put(out, links.items, links.count);
            stoa__json_out_close(out, ']');
        }
        stoa__json_out_close(out, ']');
    }
    if (any) {
        stoa__json_out_close(out, '}');
    }
}

/* What extensions of the program save, as bytes. */
static void extensions_write(const saving *s, stoa__json_out *out) {
    bool any = false;
    for (const stoa_extension *e = stoa_extension_next(s->world, NULL);
         e != NULL && out->status == STOA_OK; e = stoa_extension_next(s->world, e)) {
        if (e->save == NULL || e->load == NULL || e->memory || strcmp(e->name, "stoa.names") == 0 ||
            strcmp(e->name, "stoa.relations") == 0) {
            continue;
        }
        if (!any) {
            stoa__json_out_key(out, "extensions");
            stoa__json_out_open(out, '{', true);
            any = true;
        }
        stoa__json_out_key(out, e->name);
        stoa__json_encoder encoder;
        stoa_sink sink = stoa__json_encoder_open(&encoder, out);
        stoa_status status = e->save(s->world, e->data, &sink);
        stoa__json_encoder_close(&encoder);
        if (status != STOA_OK) {
            stoa__json_out_fail(out, status);
        }
    }
    if (any) {
        stoa__json_out_close(out, '}');
    }
}

static void resources_write(const saving *s, stoa__json_out *out) {
    bool any = false;
    for (stoa_component id = stoa_resource_next(s->world, 0); id != 0 && out->status == STOA_OK;
         id = stoa_resource_next(s->world, id)) {
        stoa_component_info info;
        const void *value = stoa_resource_try_id(s->world, id);
        if (stoa_component_info_get(s->world, id, &info) != STOA_OK || value == NULL ||
            stoa__json_way_of(&info) == STOA__JSON_LEFT_OUT) {
            continue;
        }
        if (!any) {
            stoa__json_out_key(out, "resources");
            stoa__json_out_open(out, '{', true);
            any = true;
        }
        stoa__json_out_component(out, info.name);
        stoa__json_write_value(out, &info, value);
    }
    if (any) {
        stoa__json_out_close(out, '}');
    }
}

static stoa_status world_write(saving *s, uint32_t flags, const stoa_sink *sink) {
    stoa__json_out out = stoa__json_out_new(s->world, flags, sink);
    out.labels = s->handles ? NULL : &s->labels;
    stoa__json_out_open(&out, '{', true);
    stoa__json_out_key(&out, "stoa");
    stoa__json_out_signed(&out, STOA__JSON_VERSION);
    if ((flags & STOA_JSON_NO_RESOURCES) == 0) {
        resources_write(s, &out);
    }
    if (s->handles) {
        slots_write(s, &out);
        archetypes_write(s, &out);
        order_write(s, &out);
        links_write(s, &out);
        extensions_write(s, &out);
    }
    entities_write(s, &out);
    stoa__json_out_close(&out, '}');
    return stoa__json_out_end(&out);
}

stoa_status stoa_json_save_world(const stoa_world *world, uint32_t flags, const stoa_sink *sink) {
    stoa_status status = stoa__json_arguments(world, sink);
    if (status == STOA_OK && stoa_commands_pending(world) > 0) {
        status = stoa__error(STOA_INVALID, "the world has commands that are not applied");
    }
    if (status != STOA_OK) {
        return stoa_world_report(world, status);
    }
    saving s = {.world = world, .handles = (flags & STOA_JSON_NO_HANDLES) == 0};
    stoa__heap_init(&s.heap, stoa_world_allocator(world));
    s.tails = stoa_relation_next(world, (stoa_relation){0}).id != 0;
    status = sparse_gather(&s);
    if (status == STOA_OK) {
        status = entities_gather(&s);
    }
    if (status == STOA_OK && (s.sparse_count > 0 || !s.handles || s.tails ||
                              stoa_type_find(world, STOA_TYPE_OF(Name)) != 0)) {
        status = stoa__json_labels_make(&s.labels, &s.heap, s.entities, s.count);
    }
    if (status == STOA_OK) {
        status = world_write(&s, flags, sink);
    }
    stoa__json_labels_free(&s.labels);
    stoa__heap_grow_free(&s.heap, s.sparse, s.sparse_capacity, sizeof *s.sparse);
    stoa__heap_grow_free(&s.heap, s.entities, s.capacity, sizeof *s.entities);
    return stoa_world_report(world, status);
}

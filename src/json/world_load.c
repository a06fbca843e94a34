/* A world out of JSON.
 *
 * Everything that can be wrong with a text is found before the world is touched or while it is put
 * together by stoa_rebuild, which can go back. Resources that are new are put in before that, and
 * taken out again if it fails; those that are replaced come last, which needs no memory. */
#include "json/entity.h"
#include "json/world.h"

#include "stoa/commands.h"
#include "stoa/extension.h"
#include "stoa/resource.h"

#include <string.h>

static void loading_free(stoa__json_loading *l) {
    stoa__heap *heap = &l->in->heap;
    size_t n = l->names.count > 0 ? l->names.count : 1;
    stoa__heap_free(heap, l->group_of, n * sizeof *l->group_of, 8);
    stoa__heap_free(heap, l->order, n * sizeof *l->order, 8);
    stoa__heap_free(heap, l->rows, n * sizeof *l->rows, 8);
    stoa__heap_free(heap, l->off, n, 8);
    stoa__heap_free(heap, l->marks, n * sizeof *l->marks, 8);
    stoa__heap_grow_free(heap, l->generations, l->slot_capacity, sizeof *l->generations);
    stoa__heap_grow_free(heap, l->free, l->free_capacity, sizeof *l->free);
    stoa__heap_grow_free(heap, l->keys, l->key_capacity, sizeof *l->keys);
    stoa__heap_grow_free(heap, l->pool, l->pool_capacity, sizeof *l->pool);
    stoa__heap_grow_free(heap, l->groups, l->group_capacity, sizeof *l->groups);
    stoa__heap_grow_free(heap, l->items, l->item_capacity, sizeof *l->items);
    stoa__map_fini(&l->groups_by_ids, heap);
    stoa_blob_free(&l->name_bytes);
    stoa_blob_free(&l->relation_bytes);
    stoa__json_names_free(&l->names);
}

static stoa_status loading_alloc(stoa__json_loading *l) {
    stoa__heap *heap = &l->in->heap;
    size_t n = l->names.count > 0 ? l->names.count : 1;
    l->group_of = stoa__heap_alloc(heap, n * sizeof *l->group_of, 8);
    l->order = stoa__heap_alloc(heap, n * sizeof *l->order, 8);
    l->rows = stoa__heap_alloc(heap, n * sizeof *l->rows, 8);
    l->off = stoa__heap_zalloc(heap, n, 8);
    l->marks = stoa__heap_zalloc(heap, n * sizeof *l->marks, 8);
    return l->group_of != NULL && l->order != NULL && l->rows != NULL && l->off != NULL &&
                   l->marks != NULL
               ? STOA_OK
               : stoa__error_memory("the entities of a text");
}

/* Reads all resources; they are the values of a bundle. */
static stoa_status resources_read(stoa__json_in *in, stoa__json_bundle *bundle) {
    json_t *section;
    *bundle = (stoa__json_bundle){.heap = &in->heap};
    stoa_status status = stoa__json_section(in, "resources", JSON_OBJECT, &section);
    if (status != STOA_OK || section == NULL) {
        return status;
    }
    stoa__json_path path = {NULL, in->root, "resources", 0};
    return stoa__json_bundle_read(in, &path, section, STOA__JSON_NO_PARTS, STOA_NULL, bundle);
}

/* Puts the resources in that are new, or those that are there already. */
static stoa_status resources_put(stoa_world *world, stoa__json_bundle *bundle, bool there) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < bundle->count && status == STOA_OK; i++) {
        stoa_component id = bundle->values[i].id;
        if (stoa_resource_has_id(world, id) == there && !bundle->items[i].placed) {
            status = stoa_resource_set_id(world, id, bundle->values[i].data, bundle->items[i].size);
            bundle->items[i].placed = status == STOA_OK;
            bundle->items[i].made = bundle->items[i].made && status != STOA_OK;
        }
    }
    return status;
}

static void resources_undo(stoa_world *world, const stoa__json_bundle *bundle) {
    for (uint32_t i = 0; i < bundle->count; i++) {
        if (bundle->items[i].placed) {
            (void)stoa_resource_remove_id(world, bundle->values[i].id);
        }
    }
}

/* Puts the entities together. */
static stoa_status entities_build(stoa__json_loading *l) {
    stoa_slots slots = {l->generations, l->slot_count, l->free, l->free_count};
    l->rebuild = stoa_rebuild_new(l->in->world, &slots);
    if (l->rebuild == NULL) {
        l->in->told = true;
        return stoa_last_error().status;
    }
    stoa_status status = stoa__json_rows_read(l);
    if (status == STOA_OK) {
        status = stoa__json_sets_read(l);
    }
    if (status == STOA_OK) {
        status = stoa_rebuild_show(l->rebuild);
    }
    if (status == STOA_OK) {
        status = stoa__json_extras_give(l);
    }
    if (status != STOA_OK) {
        stoa_rebuild_cancel(l->rebuild);
        return status;
    }
    return stoa_rebuild_end(l->rebuild);
}

/* Checks the lists of relations that entities have. */
static stoa_status relations_check(stoa__json_loading *l) {
    stoa__json_path path = {NULL, l->in->root, "entities", 0};
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < l->names.count && status == STOA_OK; i++) {
        stoa__json_path item = {&path, l->list, NULL, i};
        status = stoa__json_relations_read(l->in, &item, json_array_get(l->list, i), NULL);
    }
    return status;
}

static stoa_status entities_load(stoa__json_loading *l) {
    stoa_status status = stoa__json_section(l->in, "entities", JSON_ARRAY, &l->list);
    if (status == STOA_OK) {
        status = stoa__json_names_read(l->in, l->list, "entities", true, &l->names);
    }
    if (status != STOA_OK) {
        return status;
    }
    status = loading_alloc(l);
    if (status == STOA_OK) {
        status = stoa__json_slots_read(l);
    }
    if (status == STOA_OK) {
        status = stoa__json_groups_make(l);
    }
    if (status == STOA_OK) {
        l->in->resolve = stoa__json_names_resolve;
        l->in->user = &l->names;
        status = relations_check(l);
    }
    if (status == STOA_OK) {
        status = stoa__json_extras_make(l);
    }
    return status == STOA_OK ? entities_build(l) : status;
}

/* Loads an open text into a world that is empty. */
static stoa_status world_load(stoa__json_in *in) {
    static const char *const sections[] = {"stoa",       "resources", "free",  "retired",
                                           "archetypes", "order",     "links", "entities",
                                           "extensions", NULL};
    stoa__json_loading l = {.in = in};
    stoa__json_bundle resources;
    stoa_status status = stoa__json_check_sections(in, sections);
    if (status == STOA_OK) {
        status = resources_read(in, &resources);
    }
    if (status != STOA_OK) {
        return status;
    }
    status = resources_put(in->world, &resources, false);
    in->told = status != STOA_OK;
    if (status == STOA_OK) {
        status = entities_load(&l);
        loading_free(&l);
    }
    if (status == STOA_OK) {
        status = resources_put(in->world, &resources, true);
    } else {
        resources_undo(in->world, &resources);
    }
    stoa__json_bundle_free(&resources);
    return status;
}

stoa_status stoa_json_load_world(stoa_world *world, const char *text, size_t size,
                                 stoa_json_error *error) {
    stoa__json_in in;
    stoa_status status = stoa__json_in_open(&in, world, text, size, false, error);
    if (status == STOA_OK) {
        status = stoa_may_change(world);
        in.told = status != STOA_OK;
    }
    if (status == STOA_OK && (stoa_count(world) > 0 || stoa_commands_pending(world) > 0)) {
        status = stoa__error(STOA_INVALID,
                             "the world is not empty: it has %d entities, or commands that are not "
                             "applied",
                             (int)stoa_count(world));
    }
    if (status == STOA_OK) {
        status = world_load(&in);
    }
    return stoa__json_in_end(&in, status);
}

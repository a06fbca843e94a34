/* Values of components whose layout differs from one version of a module to the next.
 *
 * What a component was made of is noted as a schema, what it will be is shown by the world for a
 * moment; between the two a plan brings values over member by member, straight from memory to
 * memory. Values that own memory go through the functions that save and load them: the old
 * version's `save` and the new one's `load`. */
#include "persist/module.h"
#include "persist/schema.h"

/* How values of one component are brought over. */
typedef struct way {
    stoa_component id;
    bool functions; /* saved by the one and loaded by the other */
    stoa__route plan;
} way;

typedef struct ways {
    stoa_module *module;
    way *items;
    uint32_t count;
    stoa__schema schema;
    stoa_blob blob; /* what functions saved */
} ways;

static way *way_find(const ways *all, stoa_component id) {
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->items[i].id == id) {
            return &all->items[i];
        }
    }
    return NULL;
}

/* Saves values by the functions of before and loads them by those of after. */
static stoa_status functions_convert(ways *all, const stoa_component_info *from,
                                     const stoa_component_info *to, const void *values, void *made,
                                     int32_t count) {
    stoa_sink sink = stoa_blob_sink(&all->blob);
    all->blob.size = 0;
    stoa_status status = from->persist->save(&sink, values, count, from->persist->user);
    if (status != STOA_OK) {
        return status;
    }
    stoa_span span = {all->blob.data, all->blob.data + all->blob.size};
    stoa_source source = stoa_span_source(&span);
    return to->persist->load(&source, made, count, to->persist->user);
}

static stoa_status values_convert(void *user, const stoa_component_info *from,
                                  const stoa_component_info *to, const void *values, void *made,
                                  int32_t count) {
    ways *all = user;
    way *found = way_find(all, from->id);
    if (found == NULL) {
        return stoa__error(STOA_CORRUPT, "component '%s' has no plan", from->name);
    }
    return found->functions ? functions_convert(all, from, to, values, made, count)
                            : stoa__route_apply(&found->plan, values, made, count);
}

/* True if values of a component are saved and loaded by functions. */
static bool info_functions(const stoa_component_info *info) {
    return info->persist != NULL && info->persist->save != NULL && info->persist->load != NULL;
}

/* Whether the values of a component can be brought over at all, as it was. */
static stoa_status before_check(const ways *all, way *w) {
    stoa_component_info info;
    stoa_status status = stoa_component_info_get(all->module->world, w->id, &info);
    if (status == STOA_OK) {
        w->functions = info_functions(&info);
    }
    return status;
}

/* Makes the plan of a component; the world shows what is to come. */
static stoa_status plan_make(ways *all, way *w) {
    const stoa_module *module = all->module;
    stoa_component_info info;
    stoa_status status = stoa_component_info_get(module->world, w->id, &info);
    if (status != STOA_OK) {
        return status;
    }
    if (w->functions != info_functions(&info)) {
        return stoa__error(STOA_REFUSED,
                           "component '%s' is saved by functions before or after, not both",
                           info.name);
    }
    if (w->functions) {
        return STOA_OK;
    }
    stoa__route_options options = {.memory = true,
                                   .loss = module->desc.loss,
                                   .notice = module->desc.notice,
                                   .user = module->desc.user};
    int32_t type = stoa__schema_find_id(&all->schema, w->id);
    return stoa__route_make(&w->plan, &all->schema, type, module->world, w->id, &options);
}

/* Notes what the components are, then plans how they become what they will be. */
static stoa_status ways_make(ways *all, stoa_retype *retype) {
    stoa_component *ids =
        stoa__heap_alloc(&all->module->heap, all->count * sizeof *ids, _Alignof(stoa_component));
    if (ids == NULL) {
        return stoa__error_memory("plans of components");
    }
    stoa_status status = STOA_OK;
    int32_t count = 0;
    for (uint32_t i = 0; i < all->count && status == STOA_OK; i++) {
        all->items[i].id = stoa_retype_at(retype, (int32_t)i);
        status = before_check(all, &all->items[i]);
        if (!all->items[i].functions) {
            ids[count++] = all->items[i].id;
        }
    }
    if (status == STOA_OK) {
        status = stoa__schema_make(&all->schema, all->module->world, ids, count);
    }
    stoa_retype_show(retype, true);
    for (uint32_t i = 0; i < all->count && status == STOA_OK; i++) {
        status = plan_make(all, &all->items[i]);
    }
    stoa_retype_show(retype, false);
    stoa__heap_free(&all->module->heap, ids, all->count * sizeof *ids, _Alignof(stoa_component));
    return status;
}

stoa_status stoa__module_convert(stoa_module *module, stoa_retype *retype) {
    ways all = {.module = module, .count = (uint32_t)stoa_retype_count(retype)};
    stoa_status status = STOA_OK;
    all.blob.allocator = stoa_world_allocator(module->world);
    if (all.count > 0) {
        all.items = stoa__heap_zalloc(&module->heap, all.count * sizeof(way), _Alignof(way));
        status =
            all.items != NULL ? ways_make(&all, retype) : stoa__error_memory("plans of components");
    }
    if (status == STOA_OK) {
        status = stoa_retype_convert(retype, values_convert, &all);
    }
    for (uint32_t i = 0; all.items != NULL && i < all.count; i++) {
        if (status == STOA_OK) {
            stoa__route_tell(&all.items[i].plan);
        }
        stoa__route_fini(&all.items[i].plan);
    }
    stoa__schema_fini(&all.schema);
    stoa_blob_free(&all.blob);
    if (all.items != NULL) {
        stoa__heap_free(&module->heap, all.items, all.count * sizeof(way), _Alignof(way));
    }
    return status;
}

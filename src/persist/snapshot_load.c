/* Loading a snapshot: section after section, then all of it at once.
 *
 * The entities are put together aside. Once all of them are there, the world shows them, so that
 * extensions can load what they saved, and new resources are put in. Whatever fails up to then,
 * everything is taken back, which needs no memory. What is left, resources that the world had
 * already, cannot fail. */
#include "persist/snapshot_load.h"

#include "base/error.h"
#include "stoa/resource.h"

void stoa__loader_init(stoa__loader *loader, stoa_world *world, const stoa_snapshot_load_desc *desc,
                       bool checked) {
    *loader = (stoa__loader){.world = world, .checked = checked, .sparse_last = -1};
    if (desc != NULL) {
        loader->desc = *desc;
    }
    stoa__heap_init(&loader->heap, stoa_world_allocator(world));
}

static size_t resource_room(const stoa_component_info *info) {
    return info->size > 0 ? info->size : 1;
}

static void resources_free(stoa__loader *loader) {
    for (uint32_t i = 0; i < loader->resource_count; i++) {
        stoa__loaded_resource *resource = &loader->resources[i];
        const stoa_hooks *hooks = &resource->info.hooks;
        if (resource->made && hooks->drop != NULL) {
            hooks->drop(resource->value, 1, hooks->user);
        }
        stoa__heap_free(&loader->heap, resource->value, resource_room(&resource->info),
                        resource->info.alignment);
    }
    stoa__heap_grow_free(&loader->heap, loader->resources, loader->resource_capacity,
                         sizeof *loader->resources);
}

void stoa__loader_fini(stoa__loader *loader) {
    stoa__heap *heap = &loader->heap;
    size_t count = (size_t)loader->schema.type_count + 1;
    size_t align = _Alignof(max_align_t);
    stoa_rebuild_cancel(loader->rebuild);
    for (int32_t i = 0; loader->plans != NULL && i < loader->schema.type_count; i++) {
        stoa__loader_plan_free(loader, i);
    }
    resources_free(loader);
    for (uint32_t i = 0; i < loader->block_count; i++) {
        stoa_blob_free(&loader->blocks[i]);
    }
    stoa__heap_free(heap, loader->ids, count * sizeof *loader->ids, align);
    stoa__heap_free(heap, loader->open_ids, count * sizeof *loader->open_ids, align);
    stoa__heap_free(heap, loader->plans, count * sizeof *loader->plans, align);
    stoa__heap_free(heap, loader->switched, count * sizeof *loader->switched, align);
    stoa__heap_free(heap, loader->moved, count, align);
    stoa__heap_grow_free(heap, loader->thick, loader->thick_capacity, sizeof *loader->thick);
    stoa__heap_grow_free(heap, loader->numbers, loader->number_capacity, sizeof *loader->numbers);
    stoa__heap_grow_free(heap, loader->bytes, loader->byte_capacity, 1);
    stoa__heap_grow_free(heap, loader->waiting, loader->waiting_capacity, sizeof *loader->waiting);
    stoa__heap_grow_free(heap, loader->extensions, loader->extension_capacity,
                         sizeof *loader->extensions);
    stoa__heap_grow_free(heap, loader->blocks, loader->block_capacity, sizeof *loader->blocks);
    stoa__loader_log_fini(loader);
    stoa__loader_events_fini(loader);
    stoa__app_systems_fini(&loader->systems, heap);
    stoa__schema_fini(&loader->schema);
}

static stoa_status loader_tick(stoa__loader *loader, const stoa__section *section) {
    uint32_t tick = 0;
    stoa_status status = stoa__tick_parse(section, &tick);
    if (status != STOA_OK) {
        return status;
    }
    return stoa__loader_told(loader, stoa_rebuild_tick(loader->rebuild, tick));
}

static stoa_status section_take(stoa__loader *loader, const stoa__section *section) {
    switch (section->kind) {
    case STOA__SECTION_SCHEMA:
        return stoa__loader_schema(loader, section);
    case STOA__SECTION_SLOTS:
        return stoa__loader_slots(loader, section);
    case STOA__SECTION_TICK:
        return loader_tick(loader, section);
    case STOA__SECTION_ARCHETYPE:
        return stoa__loader_rows(loader, section);
    case STOA__SECTION_SPARSE:
        return stoa__loader_sparse(loader, section);
    case STOA__SECTION_TICKS:
        return stoa__loader_ticks(loader, section);
    case STOA__SECTION_RESOURCES:
        return stoa__loader_resources(loader, section);
    case STOA__SECTION_RESOURCE_TICKS:
        return stoa__loader_resource_ticks(loader, section);
    case STOA__SECTION_LOG:
        return stoa__loader_log(loader, section);
    case STOA__SECTION_EVENTS:
        return stoa__loader_events(loader, section);
    case STOA__SECTION_APP:
        return stoa__loader_app(loader, section);
    case STOA__SECTION_OF_EXTENSION:
        return stoa__loader_extension(loader, section);
    default:
        return STOA_OK;
    }
}

stoa_status stoa__loader_section(stoa__loader *loader, const stoa__section *section) {
    loader->keeps = false;
    stoa_status status = stoa__order_next(&loader->order, section);
    if (status == STOA_OK && loader->waiting_count > 0 &&
        section->kind != STOA__SECTION_ARCHETYPE && section->kind != STOA__SECTION_TICKS &&
        section->kind != STOA__SECTION_OTHER) {
        status = stoa__loader_flush(loader);
    }
    if (status == STOA_OK && loader->thick_count > 0 && section->kind > STOA__SECTION_TICKS &&
        section->kind != STOA__SECTION_OTHER) {
        status = stoa__loader_thick(loader);
    }
    return status == STOA_OK ? section_take(loader, section) : status;
}

/* Makes a resource of its bytes; it waits until everything else is there. */
static stoa_status resource_make(stoa__loader *loader, int32_t type, uint32_t place,
                                 const uint8_t *bytes, uint64_t size) {
    if (!stoa__heap_grow(&loader->heap, &loader->resources, &loader->resource_capacity,
                         loader->resource_count + 1, sizeof *loader->resources)) {
        return stoa__error_memory("a snapshot");
    }
    stoa__loaded_resource *resource = &loader->resources[loader->resource_count];
    *resource = (stoa__loaded_resource){0};
    stoa_status status = stoa_component_info_get(loader->world, loader->ids[type], &resource->info);
    if (status != STOA_OK) {
        return stoa__loader_told(loader, status);
    }
    resource->value =
        stoa__heap_alloc(&loader->heap, resource_room(&resource->info), resource->info.alignment);
    if (resource->value == NULL) {
        return stoa__error_memory("a resource");
    }
    resource->place = place;
    loader->resource_count++;
    if (resource->info.size == 0) {
        return STOA_OK;
    }
    int32_t made = 0;
    stoa_span span = {bytes, bytes + size};
    status = stoa__loader_values(loader, type, &span, resource->value, 1, &made);
    resource->made = made == 1;
    if (status == STOA_OK && span.at != span.end) {
        status = stoa__error(STOA_CORRUPT, "resource '%s' has more bytes than its functions read",
                             resource->info.name);
    }
    return status;
}

stoa_status stoa__loader_resources(stoa__loader *loader, const stoa__section *section) {
    uint32_t count = 0;
    stoa_status status = stoa__resources_parse(section, &loader->schema, &count);
    stoa__cursor cursor = {.at = section->body + 4, .end = section->body + section->body_size};
    loader->resources_saved = count;
    for (uint32_t i = 0; i < count && status == STOA_OK && !loader->desc.no_resources; i++) {
        int32_t type = (int32_t)stoa__cursor_u32(&cursor);
        uint64_t size = 0;
        const uint8_t *bytes = stoa__column_take(&cursor, &loader->schema.types[type], 1, &size);
        if (loader->ids[type] != 0) {
            status = resource_make(loader, type, i, bytes, size);
        }
    }
    return status;
}

stoa_status stoa__loader_resource_ticks(stoa__loader *loader, const stoa__section *section) {
    stoa_status status = stoa__resource_ticks_parse(section, loader->resources_saved);
    for (uint32_t i = 0; i < loader->resource_count && status == STOA_OK; i++) {
        stoa__loaded_resource *resource = &loader->resources[i];
        resource->tick = stoa__read_u32(section->body + (size_t)resource->place * 4);
        loader->timed = true;
    }
    return status;
}

static void resource_ticks_set(stoa__loader *loader) {
    for (uint32_t i = 0; i < loader->resource_count && loader->timed; i++) {
        (void)stoa_resource_tick_set(loader->world, loader->resources[i].info.id,
                                     loader->resources[i].tick);
    }
}

/* Puts resources into the world: those that it had, or those that it had not. */
static stoa_status resources_put(stoa__loader *loader, bool had) {
    for (uint32_t i = 0; i < loader->resource_count; i++) {
        stoa__loaded_resource *resource = &loader->resources[i];
        if (resource->placed || stoa_resource_has_id(loader->world, resource->info.id) != had) {
            continue;
        }
        stoa_status status = stoa_resource_set_id(loader->world, resource->info.id, resource->value,
                                                  resource->info.size);
        if (status != STOA_OK) {
            return stoa__loader_told(loader, status);
        }
        resource->made = false;
        resource->placed = true;
    }
    return STOA_OK;
}

/* Takes the resources away again that the world had not. */
static void resources_back(stoa__loader *loader) {
    for (uint32_t i = 0; i < loader->resource_count; i++) {
        if (loader->resources[i].placed) {
            stoa_resource_remove_id(loader->world, loader->resources[i].info.id);
        }
    }
}

static stoa_status extensions_load(stoa__loader *loader) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < loader->extension_count && status == STOA_OK; i++) {
        const stoa__loaded_extension *loaded = &loader->extensions[i];
        uint32_t errors = stoa__error_count();
        status = loaded->extension.load(loader->world, loaded->extension.data, loaded->bytes,
                                        loaded->size);
        if (status != STOA_OK && stoa__error_count() == errors) {
            stoa__error(status, "extension '%s' could not be loaded: %s", loaded->extension.name,
                        stoa_status_text(status));
        }
    }
    return status;
}

stoa_status stoa__loader_end(stoa__loader *loader) {
    stoa_status status = stoa__order_end(&loader->order, &loader->header);
    if (status == STOA_OK) {
        status = stoa__loader_flush(loader);
    }
    if (status == STOA_OK) {
        status = stoa__loader_thick(loader);
    }
    if (status == STOA_OK) {
        status = stoa__loader_extensions_rest(loader);
    }
    if (status == STOA_OK) {
        status = stoa__loader_told(loader, stoa_rebuild_show(loader->rebuild));
    }
    if (status == STOA_OK && (uint32_t)stoa_count(loader->world) != loader->header.entity_count) {
        status = stoa__error(STOA_CORRUPT, "%d entities live, and %u should",
                             stoa_count(loader->world), loader->header.entity_count);
    }
    if (status == STOA_OK) {
        status = extensions_load(loader);
    }
    if (status == STOA_OK) {
        status = stoa__loader_log_prepare(loader);
    }
    if (status == STOA_OK) {
        status = stoa__loader_events_prepare(loader);
    }
    if (status == STOA_OK) {
        status = stoa__loader_app_prepare(loader);
    }
    if (status == STOA_OK) {
        status = resources_put(loader, false);
        if (status != STOA_OK) {
            resources_back(loader);
        }
    }
    if (status != STOA_OK) {
        return status;
    }
    for (int32_t i = 0; i < loader->schema.type_count; i++) {
        if (loader->plans[i] != NULL) {
            stoa__route_tell(loader->plans[i]);
        }
    }
    stoa__loader_switches_tell(loader);
    (void)stoa_rebuild_end(loader->rebuild);
    loader->rebuild = NULL;
    status = resources_put(loader, true);
    resource_ticks_set(loader);
    stoa__loader_log_commit(loader);
    stoa__loader_events_commit(loader);
    stoa__loader_app_commit(loader);
    return status;
}

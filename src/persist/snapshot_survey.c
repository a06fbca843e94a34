/* What there is to save of a world, and in which order: found out before a byte is written.
 *
 * Components are those that an archetype, a sparse set or a resource of the snapshot uses. An
 * archetype without rows that has a component which nothing tells how to save is left out: it holds
 * nothing, and would keep the world from being saved for ever. O(archetypes + components + slots).
 */
#include "persist/snapshot_write.h"

#include "base/error.h"
#include "stoa/resource.h"

#include <string.h>

/* Room for values that are packed. */
#define SCRATCH_SIZE ((size_t)32 << 10)

#define SKIPPED ((uint32_t)(STOA_TRANSIENT | STOA_MANAGED))

static void *saver_alloc(stoa__saver *saver, size_t size) {
    void *block = stoa__heap_zalloc(&saver->heap, size, _Alignof(max_align_t));
    if (block == NULL) {
        stoa__error_memory("a snapshot");
    }
    return block;
}

static stoa_status section_add(stoa__saver *saver, stoa__section_kind kind, int32_t index) {
    if (!stoa__heap_grow(&saver->heap, &saver->sections, &saver->section_capacity,
                         saver->section_count + 1, sizeof *saver->sections)) {
        return stoa__error_memory("a snapshot");
    }
    saver->sections[saver->section_count++] = (stoa__saved_section){.kind = kind, .index = index};
    return STOA_OK;
}

/* Tells whether an archetype is part of the snapshot. The set of no components never is. */
static stoa_status archetype_counts(const stoa_world *world, const stoa_archetype_info *info,
                                    bool *counts) {
    *counts = info->component_count > 0;
    for (int32_t i = 0; i < info->component_count && info->row_count == 0; i++) {
        stoa__way way;
        bool muted = stoa__error_mute(true);
        stoa_status status = stoa__schema_way(world, info->components[i], &way);
        stoa__error_mute(muted);
        if (status == STOA_NO_MEMORY) {
            return stoa__error_memory("a snapshot");
        }
        *counts = *counts && status == STOA_OK;
    }
    return STOA_OK;
}

/* True if a component is saved as a sparse set; if it is not sparse it has none. */
static bool sparse_counts(const stoa_world *world, const stoa_component_info *info) {
    stoa_sparse_info sparse;
    return (info->flags & STOA_SPARSE) != 0 && (info->flags & SKIPPED) == 0 &&
           stoa_sparse_info_get(world, info->id, &sparse) == STOA_OK && sparse.count > 0;
}

static bool resource_counts(const stoa__saver *saver, stoa_component id) {
    stoa_component_info info;
    return !saver->desc.no_resources && stoa_resource_has_id(saver->world, id) &&
           stoa_component_info_get(saver->world, id, &info) == STOA_OK &&
           (info.flags & SKIPPED) == 0;
}

/* Notes in `used` which components there is something to save of. */
static stoa_status components_find(const stoa__saver *saver, uint8_t *used) {
    const stoa_world *world = saver->world;
    for (int32_t i = 0; i < stoa_archetype_count(world); i++) {
        stoa_archetype_info info;
        bool counts = false;
        stoa_status status = stoa_archetype_info_get(world, i, &info);
        status = status == STOA_OK ? archetype_counts(world, &info, &counts) : status;
        if (status != STOA_OK) {
            return status;
        }
        for (int32_t j = 0; counts && j < info.component_count; j++) {
            used[info.components[j]] = 1;
        }
    }
    for (stoa_component id = 1; id < (stoa_component)saver->id_count; id++) {
        stoa_component_info info;
        stoa_status status = stoa_component_info_get(world, id, &info);
        if (status != STOA_OK) {
            return status;
        }
        if (sparse_counts(world, &info) || resource_counts(saver, id) ||
            stoa__saver_events_of(saver, id)) {
            used[id] = 1;
        }
    }
    return STOA_OK;
}

static stoa_status schema_make(stoa__saver *saver) {
    size_t count = (size_t)saver->id_count;
    uint8_t *used = saver_alloc(saver, count);
    stoa_component *ids = saver_alloc(saver, count * sizeof *ids);
    stoa_status status =
        used != NULL && ids != NULL ? components_find(saver, used) : STOA_NO_MEMORY;
    if (status == STOA_OK) {
        int32_t id_count = 0;
        for (stoa_component id = 1; id < (stoa_component)saver->id_count; id++) {
            if (used[id] != 0) {
                ids[id_count++] = id;
            }
        }
        status = stoa__schema_make(&saver->schema, saver->world, ids, id_count);
    }
    stoa__heap_free(&saver->heap, ids, count * sizeof *ids, _Alignof(max_align_t));
    stoa__heap_free(&saver->heap, used, count, _Alignof(max_align_t));
    return status;
}

/* How values of each type are packed, and the tables by type. */
static stoa_status plans_make(stoa__saver *saver) {
    size_t count = (size_t)saver->schema.type_count + 1;
    saver->plans = saver_alloc(saver, count * sizeof *saver->plans);
    saver->picked = saver_alloc(saver, count * sizeof *saver->picked);
    saver->has = saver_alloc(saver, count);
    saver->type_of = saver_alloc(saver, (size_t)saver->id_count * sizeof *saver->type_of);
    if (saver->plans == NULL || saver->picked == NULL || saver->has == NULL ||
        saver->type_of == NULL) {
        return STOA_NO_MEMORY;
    }
    saver->scratch_size = SCRATCH_SIZE;
    for (int32_t i = 0; i < saver->schema.type_count; i++) {
        const stoa__schema_type *type = &saver->schema.types[i];
        saver->type_of[type->id] = i;
        if (!type->component || type->way == STOA__WAY_FUNCTIONS) {
            continue;
        }
        stoa_status status = stoa__route_pack(&saver->plans[i], &saver->schema, i);
        if (status != STOA_OK) {
            return status;
        }
        if (!saver->plans[i].copy && type->packed_size > saver->scratch_size) {
            saver->scratch_size = type->packed_size;
        }
    }
    saver->scratch = stoa__heap_alloc(&saver->heap, saver->scratch_size, _Alignof(max_align_t));
    return saver->scratch != NULL ? STOA_OK : stoa__error_memory("a snapshot");
}

/* The counts and the free list; generations are read as they are written. */
static stoa_status slots_get(stoa__saver *saver) {
    stoa_status status = stoa_slots_get(saver->world, NULL, NULL, &saver->slots);
    if (status != STOA_OK || saver->slots.free_count == 0) {
        return status;
    }
    saver->free_list = stoa__heap_alloc(
        &saver->heap, (size_t)saver->slots.free_count * sizeof *saver->free_list, sizeof(uint32_t));
    return saver->free_list != NULL
               ? stoa_slots_get(saver->world, NULL, saver->free_list, &saver->slots)
               : stoa__error_memory("a snapshot");
}

/* Extensions that save something, sorted by name; they are few. */
static stoa_status extensions_find(stoa__saver *saver) {
    for (const stoa_extension *e = stoa_extension_next(saver->world, NULL); e != NULL;
         e = stoa_extension_next(saver->world, e)) {
        if (e->save == NULL || e->memory) {
            continue;
        }
        size_t length = strlen(e->name);
        if (length == 0 || length > STOA__SECTION_NAME_MAX) {
            return stoa__error(STOA_LIMIT, "the name of extension '%s' cannot be saved", e->name);
        }
        if (!stoa__heap_grow(&saver->heap, &saver->extensions, &saver->extension_capacity,
                             saver->extension_count + 1, sizeof *saver->extensions)) {
            return stoa__error_memory("a snapshot");
        }
        uint32_t at = saver->extension_count++;
        for (; at > 0 && strcmp(saver->extensions[at - 1]->name, e->name) > 0; at--) {
            saver->extensions[at] = saver->extensions[at - 1];
        }
        saver->extensions[at] = e;
    }
    return STOA_OK;
}

static stoa_status archetypes_list(stoa__saver *saver) {
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < stoa_archetype_count(saver->world) && status == STOA_OK; i++) {
        stoa_archetype_info info;
        bool counts = false;
        status = stoa_archetype_info_get(saver->world, i, &info);
        status = status == STOA_OK ? archetype_counts(saver->world, &info, &counts) : status;
        if (status == STOA_OK && counts) {
            status = section_add(saver, STOA__SECTION_ARCHETYPE, i);
            if (status == STOA_OK && saver->desc.ticks) {
                status = section_add(saver, STOA__SECTION_TICKS, i);
            }
        }
    }
    return status;
}

static stoa_status sparse_list(stoa__saver *saver, int32_t *resource_count) {
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < saver->schema.type_count && status == STOA_OK; i++) {
        const stoa__schema_type *type = &saver->schema.types[i];
        stoa_component_info info;
        status = stoa_component_info_get(saver->world, type->id, &info);
        if (status != STOA_OK || !type->component) {
            continue;
        }
        *resource_count += resource_counts(saver, type->id);
        if (sparse_counts(saver->world, &info)) {
            status = section_add(saver, STOA__SECTION_SPARSE, i);
            if (status == STOA_OK && saver->desc.ticks) {
                status = section_add(saver, STOA__SECTION_TICKS, stoa__ticks_of_sparse(i));
            }
        }
    }
    return status;
}

/* Lists what tells how a run goes on. */
static stoa_status rest_list(stoa__saver *saver, int32_t resource_count) {
    stoa_status status = STOA_OK;
    int32_t queue_count = 0;
    for (int32_t i = 0; i < saver->schema.type_count; i++) {
        const stoa__schema_type *type = &saver->schema.types[i];
        queue_count += type->component && stoa__saver_events_of(saver, type->id);
    }
    if (saver->desc.ticks && resource_count > 0) {
        status = section_add(saver, STOA__SECTION_RESOURCE_TICKS, 0);
    }
    if (status == STOA_OK && saver->log.capacity > 0) {
        status = section_add(saver, STOA__SECTION_LOG, 0);
    }
    if (status == STOA_OK && queue_count > 0) {
        status = section_add(saver, STOA__SECTION_EVENTS, queue_count);
    }
    if (status == STOA_OK && saver->desc.app != NULL) {
        status = section_add(saver, STOA__SECTION_APP, 0);
    }
    return status;
}

/* Lists the sections in order, and counts the bytes of each. */
static stoa_status sections_list(stoa__saver *saver) {
    int32_t resource_count = 0;
    stoa_status status = section_add(saver, STOA__SECTION_SCHEMA, 0);
    status = status == STOA_OK ? section_add(saver, STOA__SECTION_SLOTS, 0) : status;
    if (status == STOA_OK && saver->desc.ticks) {
        status = section_add(saver, STOA__SECTION_TICK, 0);
    }
    status = status == STOA_OK ? archetypes_list(saver) : status;
    status = status == STOA_OK ? sparse_list(saver, &resource_count) : status;
    if (status == STOA_OK && resource_count > 0) {
        status = section_add(saver, STOA__SECTION_RESOURCES, resource_count);
    }
    status = status == STOA_OK ? rest_list(saver, resource_count) : status;
    for (uint32_t i = 0; i < saver->extension_count && status == STOA_OK; i++) {
        status = section_add(saver, STOA__SECTION_OF_EXTENSION, (int32_t)i);
    }
    if (status != STOA_OK) {
        return status;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < saver->section_count; i++) {
        stoa__saved_section section = saver->sections[i];
        stoa__output counter = {0};
        stoa__saver_body(saver, &counter, &section);
        if (counter.status != STOA_OK) {
            return counter.status;
        }
        section.size = counter.size;
        if (section.kind != STOA__SECTION_OF_EXTENSION || section.size > 0) {
            saver->sections[kept++] = section;
        }
    }
    saver->section_count = kept;
    return STOA_OK;
}

stoa_status stoa__saver_init(stoa__saver *saver, const stoa_world *world,
                             const stoa_snapshot_save_desc *desc) {
    *saver = (stoa__saver){.world = world, .id_count = stoa_component_count(world) + 1};
    if (desc != NULL) {
        saver->desc = *desc;
        /* When a system ran last means nothing without ticks. */
        saver->desc.ticks = desc->ticks || desc->app != NULL;
    }
    stoa__heap_init(&saver->heap, stoa_world_allocator(world));
    stoa_status status = slots_get(saver);
    status = status == STOA_OK ? schema_make(saver) : status;
    status = status == STOA_OK ? plans_make(saver) : status;
    status = status == STOA_OK ? extensions_find(saver) : status;
    if (status == STOA_OK && saver->desc.ticks) {
        status = stoa__saver_log_find(saver);
    }
    if (status == STOA_OK && saver->desc.app != NULL &&
        !stoa__app_systems_list(&saver->systems, &saver->heap, saver->desc.app)) {
        status = stoa_last_error().status;
    }
    return status == STOA_OK ? sections_list(saver) : status;
}

void stoa__saver_fini(stoa__saver *saver) {
    stoa__heap *heap = &saver->heap;
    size_t count = (size_t)saver->schema.type_count + 1;
    for (int32_t i = 0; saver->plans != NULL && i < saver->schema.type_count; i++) {
        stoa__route_fini(&saver->plans[i]);
    }
    size_t align = _Alignof(max_align_t);
    stoa__heap_free(heap, saver->plans, count * sizeof *saver->plans, align);
    stoa__heap_free(heap, saver->picked, count * sizeof *saver->picked, align);
    stoa__heap_free(heap, saver->has, count, align);
    stoa__heap_free(heap, saver->type_of, (size_t)saver->id_count * sizeof *saver->type_of, align);
    stoa__heap_free(heap, saver->scratch, saver->scratch_size, align);
    stoa__heap_free(heap, saver->free_list,
                    (size_t)saver->slots.free_count * sizeof *saver->free_list, sizeof(uint32_t));
    stoa__heap_grow_free(heap, saver->sections, saver->section_capacity, sizeof *saver->sections);
    stoa__heap_grow_free(heap, saver->extensions, saver->extension_capacity,
                         sizeof *saver->extensions);
    stoa__saver_log_fini(saver);
    stoa__app_systems_fini(&saver->systems, heap);
    stoa__schema_fini(&saver->schema);
}

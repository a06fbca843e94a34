/* The types of a snapshot and those of the world that loads it.
 *
 * Each component of the schema is found in the world by name, with a plan that brings its values
 * there. What the library itself brings is registered when it is needed; what the world does not
 * know otherwise goes by the choice of the caller. */
#include "base/error.h"
#include "persist/snapshot_load.h"
#include "stoa/app.h"
#include "stoa/hierarchy.h"
#include "stoa/name.h"
#include "stoa/transform.h"

#include <string.h>

/* Types that the library brings; a world that has not met them yet can load them. */
static stoa_type *const builtin_types[] = {
    &Name_stoa, &Parent_stoa, &LocalTransform_stoa, &WorldTransform_stoa, &stoa_time_stoa,
};

static const char *type_name(const stoa_type *type) {
    return type->options.name != NULL ? type->options.name : type->identifier;
}

/* Registers a type of the library's if that is its name and the world does not know it. */
static stoa_status builtin_register(stoa__loader *loader, const char *name) {
    for (size_t i = 0; i < sizeof builtin_types / sizeof *builtin_types; i++) {
        if (strcmp(type_name(builtin_types[i]), name) == 0 &&
            stoa_component_find(loader->world, name) == 0 &&
            stoa_type_register(loader->world, builtin_types[i]) == 0) {
            return stoa__loader_told(loader, stoa_last_error().status);
        }
    }
    return STOA_OK;
}

static void *loader_alloc(stoa__loader *loader, size_t size) {
    void *block = stoa__heap_zalloc(&loader->heap, size, _Alignof(max_align_t));
    if (block == NULL) {
        stoa__error_memory("a snapshot");
    }
    return block;
}

void stoa__loader_notice(const stoa__loader *loader, stoa_notice_kind kind, const char *what,
                         const char *name) {
    if (loader->desc.notice != NULL) {
        char text[256];
        stoa__writer writer = stoa__writer_new(text, sizeof text);
        stoa__writer_put(&writer, what);
        stoa__writer_put(&writer, name);
        const stoa_notice notice = {kind, name, NULL, text};
        loader->desc.notice(&notice, loader->desc.user);
    }
}

/* A component that the world does not know. */
static stoa_status unknown_handle(stoa__loader *loader, int32_t type) {
    const char *name = loader->schema.types[type].name;
    switch (loader->desc.unknown) {
    case STOA_UNKNOWN_DROP:
        stoa__loader_notice(loader, STOA_NOTICE_DROPPED, "left out the unknown component ", name);
        return STOA_OK;
    case STOA_UNKNOWN_KEEP:
        loader->ids[type] = stoa__schema_register(&loader->schema, type, loader->world);
        if (loader->ids[type] == 0) {
            return stoa_last_error().status;
        }
        stoa__loader_notice(loader, STOA_NOTICE_KEPT, "registered the unknown component ", name);
        return STOA_OK;
    default:
        return stoa__error(STOA_REFUSED, "component '%.200s' of the snapshot is not known here",
                           name);
    }
}

/* STOA_OK unless more types are to be kept than may be: what a type costs has nothing to do with
 * the bytes that name it. */
static stoa_status unknown_count(const stoa__loader *loader) {
    int32_t count = 0;
    for (int32_t i = 0; i < loader->schema.type_count; i++) {
        const stoa__schema_type *type = &loader->schema.types[i];
        bool part = !type->component && type->way != STOA__WAY_ENUM;
        count += loader->ids[i] == 0 &&
                 (type->component || (part && stoa_component_find(loader->world, type->name) == 0));
    }
    return loader->desc.unknown != STOA_UNKNOWN_KEEP || count <= STOA_UNKNOWN_MAX
               ? STOA_OK
               : stoa__error(STOA_LIMIT, "%d components are not known here, and %d can be kept",
                             count, STOA_UNKNOWN_MAX);
}

/* Of tags that are tags here, which a snapshot may have any number of. */
static stoa__route plan_of_tags = {.copy = true, .same = true};

static stoa_status plan_make(stoa__loader *loader, int32_t type) {
    stoa_component_info info;
    stoa_status status = stoa_component_info_get(loader->world, loader->ids[type], &info);
    if (status != STOA_OK) {
        return stoa__loader_told(loader, status);
    }
    if (info.size == 0 && loader->schema.types[type].way == STOA__WAY_TAG) {
        loader->plans[type] = &plan_of_tags;
        return STOA_OK;
    }
    loader->plans[type] =
        stoa__heap_zalloc(&loader->heap, sizeof(stoa__route), _Alignof(stoa__route));
    if (loader->plans[type] == NULL) {
        return stoa__error_memory("a snapshot");
    }
    const stoa__route_options options = {
        .loss = loader->desc.loss, .notice = loader->desc.notice, .user = loader->desc.user};
    return stoa__route_make(loader->plans[type], &loader->schema, type, loader->world, info.id,
                            &options);
}

void stoa__loader_plan_free(stoa__loader *loader, int32_t type) {
    stoa__route *plan = loader->plans[type];
    if (plan != NULL && plan != &plan_of_tags) {
        stoa__route_fini(plan);
        stoa__heap_free(&loader->heap, plan, sizeof *plan, _Alignof(stoa__route));
    }
}

/* Finds the component of a type, and how to bring values to it. */
static stoa_status type_resolve(stoa__loader *loader, int32_t type) {
    const stoa__schema_type *t = &loader->schema.types[type];
    if (!t->component) {
        loader->ids[type] = 0;
        return STOA_OK;
    }
    bool transient = loader->ids[type] == STOA__SCHEMA_DROPPED;
    loader->ids[type] = transient ? 0 : loader->ids[type];
    stoa_status status =
        transient || loader->ids[type] != 0 ? STOA_OK : unknown_handle(loader, type);
    if (status == STOA_OK && loader->ids[type] != 0) {
        status = plan_make(loader, type);
    }
    if (status == STOA_OK && loader->ids[type] != 0) {
        status = stoa__loader_kind(loader, type);
    }
    loader->drops = loader->drops || (loader->ids[type] == 0 && (t->flags & STOA_SPARSE) == 0);
    return status;
}

stoa_status stoa__loader_schema(stoa__loader *loader, const stoa__section *section) {
    stoa_status status = stoa__schema_decode(&loader->schema, section->body,
                                             (size_t)section->body_size, &loader->heap.hooks);
    if (status != STOA_OK) {
        return status;
    }
    size_t count = (size_t)loader->schema.type_count + 1;
    loader->ids = loader_alloc(loader, count * sizeof *loader->ids);
    loader->open_ids = loader_alloc(loader, count * sizeof *loader->open_ids);
    loader->plans = loader_alloc(loader, count * sizeof *loader->plans);
    loader->switched = loader_alloc(loader, count * sizeof *loader->switched);
    loader->moved = loader_alloc(loader, count);
    if (loader->ids == NULL || loader->open_ids == NULL || loader->plans == NULL ||
        loader->switched == NULL || loader->moved == NULL) {
        return STOA_NO_MEMORY;
    }
    for (int32_t i = 0; i < loader->schema.type_count && status == STOA_OK; i++) {
        status = builtin_register(loader, loader->schema.types[i].name);
    }
    if (status == STOA_OK) {
        status = stoa__schema_match(&loader->schema, loader->world, loader->ids,
                                    loader->desc.notice, loader->desc.user);
    }
    if (status == STOA_OK) {
        status = unknown_count(loader);
    }
    for (int32_t i = 0; i < loader->schema.type_count && status == STOA_OK; i++) {
        status = type_resolve(loader, i);
    }
    return status;
}

/* Values that a function loads, one at a time, as they were saved. */
static stoa_status functions_load(const stoa__loader *loader, int32_t type, stoa_span *span,
                                  void *to, int32_t count, int32_t *made) {
    stoa_component_info info;
    stoa_status status = stoa_component_info_get(loader->world, loader->ids[type], &info);
    if (status != STOA_OK) {
        return status;
    }
    stoa_source source = stoa_span_source(span);
    uint32_t errors = stoa__error_count();
    for (*made = 0; *made < count && status == STOA_OK; *made += status == STOA_OK) {
        status = info.persist->load(&source, (uint8_t *)to + (size_t)*made * info.size, 1,
                                    info.persist->user);
    }
    if (status != STOA_OK && stoa__error_count() == errors) {
        stoa__error(status, "component '%s' could not be loaded: %s", info.name,
                    stoa_status_text(status));
    }
    return status;
}

stoa_status stoa__loader_values(stoa__loader *loader, int32_t type, stoa_span *span, void *to,
                                int32_t count, int32_t *made) {
    stoa__route *plan = loader->plans[type];
    if (plan->way == STOA__WAY_FUNCTIONS) {
        return functions_load(loader, type, span, to, count, made);
    }
    stoa_status status = STOA_OK;
    size_t size = (size_t)count * plan->from_size;
    if (plan->copy) {
        stoa__loader_copy(loader, to, span->at, size);
        if (plan->settles) {
            stoa__route_settle(plan, to, count);
        }
    } else {
        status = stoa__route_apply(plan, span->at, to, count);
    }
    span->at += size;
    *made = status == STOA_OK ? count : 0;
    return status;
}

/* The extension of a section, if the world has it. */
static const stoa_extension *extension_find(const stoa_world *world, const char *name) {
    for (const stoa_extension *e = stoa_extension_next(world, NULL); e != NULL;
         e = stoa_extension_next(world, e)) {
        if (strcmp(e->name, name) == 0) {
            return e;
        }
    }
    return NULL;
}

/* Lists an extension that is to load so many bytes. */
static stoa_status extension_add(stoa__loader *loader, const stoa_extension *extension,
                                 const uint8_t *bytes, size_t size) {
    if (!stoa__heap_grow(&loader->heap, &loader->extensions, &loader->extension_capacity,
                         loader->extension_count + 1, sizeof *loader->extensions)) {
        return stoa__error_memory("a snapshot");
    }
    loader->extensions[loader->extension_count++] =
        (stoa__loaded_extension){*extension, bytes, size};
    return STOA_OK;
}

stoa_status stoa__loader_extension(stoa__loader *loader, const stoa__section *section) {
    stoa_status status = STOA_OK;
    if (strcmp(section->name, "stoa.names") == 0) {
        status = builtin_register(loader, type_name(&Name_stoa));
    } else if (strcmp(section->name, "stoa.relations") == 0) {
        status = builtin_register(loader, type_name(&Parent_stoa));
    }
    const stoa_extension *extension = extension_find(loader->world, section->name);
    if (status != STOA_OK) {
        return status;
    }
    if (extension == NULL || extension->load == NULL || extension->memory) {
        if (loader->desc.unknown == STOA_UNKNOWN_REFUSE) {
            return stoa__error(STOA_REFUSED,
                               "the world has no extension '%s' that could load "
                               "what the snapshot has of it",
                               section->name);
        }
        stoa__loader_notice(loader, STOA_NOTICE_DROPPED, "left out the unknown extension ",
                            section->name);
        return STOA_OK;
    }
    loader->keeps = true;
    return extension_add(loader, extension, section->body, (size_t)section->body_size);
}

/* True if an extension has a section. */
static bool extension_listed(const stoa__loader *loader, const char *name) {
    for (uint32_t i = 0; i < loader->extension_count; i++) {
        if (strcmp(loader->extensions[i].extension.name, name) == 0) {
            return true;
        }
    }
    return false;
}

stoa_status stoa__loader_extensions_rest(stoa__loader *loader) {
    stoa_status status = STOA_OK;
    for (const stoa_extension *e = stoa_extension_next(loader->world, NULL);
         e != NULL && status == STOA_OK; e = stoa_extension_next(loader->world, e)) {
        if (e->load != NULL && !e->memory && !extension_listed(loader, e->name)) {
            status = extension_add(loader, e, NULL, 0);
        }
    }
    return status;
}

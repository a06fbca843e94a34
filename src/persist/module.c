/* Modules: loading, reloading, watching, unloading.
 *
 * A module is in its app with all its parts or not at all. Its library is a private copy of the
 * file; two versions are loaded side by side only while one takes the place of the other. The list
 * of modules is an extension of the world; a module goes with its app. Between frames only, on the
 * thread that steps the app. */
#include "persist/module.h"

#include "stoa/extension.h"

#include <stdio.h>
#include <string.h>

static const char extension_name[] = "stoa.modules";

static void modules_free(stoa_world *world, void *data) {
    (void)world;
    stoa__modules *all = data;
    stoa__heap heap = all->heap;
    stoa__heap_grow_free(&heap, all->owners, all->owner_capacity, sizeof *all->owners);
    stoa__heap_free(&heap, all, sizeof *all, _Alignof(stoa__modules));
}

static size_t modules_bytes(const stoa_world *world, const void *data) {
    (void)world;
    const stoa__modules *all = data;
    size_t bytes = all->heap.used;
    for (const stoa_module *at = all->first; at != NULL; at = at->next) {
        bytes += at->heap.used;
    }
    return bytes;
}

/* The modules of a world, of which there may be none yet; NULL with the failure reported. */
static stoa__modules *modules_get(stoa_world *world) {
    stoa__modules *all = stoa_extension_find(world, extension_name);
    if (all != NULL) {
        return all;
    }
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    all = stoa__heap_zalloc(&heap, sizeof *all, _Alignof(stoa__modules));
    if (all == NULL) {
        stoa_world_report(world, stoa__error_memory("modules"));
        return NULL;
    }
    all->heap = heap;
    const stoa_extension extension = {
        .name = extension_name, .data = all, .free = modules_free, .bytes = modules_bytes};
    if (stoa_extend(world, &extension) != STOA_OK) {
        modules_free(world, all);
        return NULL;
    }
    return all;
}

/* Frees a module that is not listed; its parts are out of the app. */
static void module_free(stoa_module *module) {
    stoa__version_fini(module, &module->live);
    stoa__heap_text_free(&module->heap, module->name);
    stoa__heap_text_free(&module->heap, module->path);
    stoa__heap_text_free(&module->heap, module->folder);
    stoa__heap_grow_free(&module->heap, module->slots, module->slot_capacity,
                         sizeof *module->slots);
    stoa__heap heap = module->heap;
    stoa__heap_free(&heap, module, sizeof *module, _Alignof(stoa_module));
}

static stoa_module *module_new(stoa_app *app, stoa__modules *all, const char *path,
                               const stoa_module_desc *desc) {
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(stoa_app_world(app)));
    stoa_module *module = stoa__heap_zalloc(&heap, sizeof *module, _Alignof(stoa_module));
    if (module == NULL) {
        stoa__error_memory("a module");
        return NULL;
    }
    module->heap = heap;
    module->app = app;
    module->world = stoa_app_world(app);
    module->all = all;
    module->desc = desc != NULL ? *desc : (stoa_module_desc){.folder = NULL};
    module->path = stoa__heap_text(&module->heap, path);
    const char *folder = module->desc.folder;
    module->folder = folder != NULL ? stoa__heap_text(&module->heap, folder) : NULL;
    if (module->path == NULL || (folder != NULL && module->folder == NULL)) {
        stoa__error_memory("a module");
        module_free(module);
        return NULL;
    }
    return module;
}

/* Whether an entry is one that this host can work with. */
static stoa_status entry_check(const stoa_module *module, const stoa_module_entry *entry) {
    if (entry == NULL) {
        return stoa__error(STOA_IO, "'%s' has no entry point " STOA_MODULE_SYMBOL, module->path);
    }
    if (entry->abi != STOA_MODULE_ABI || entry->layout != STOA_MODULE_LAYOUT) {
        return stoa__error(
            STOA_REFUSED, "'%s' was built against another version of stoa: %u.%08x, not %u.%08x",
            module->path, entry->abi, entry->layout, STOA_MODULE_ABI, STOA_MODULE_LAYOUT);
    }
    if (entry->name == NULL || entry->name[0] == '\0' || entry->load == NULL) {
        return stoa__error(STOA_INVALID, "'%s' has no name or no load function", module->path);
    }
    if (module->name != NULL && strcmp(module->name, entry->name) != 0) {
        return stoa__error(STOA_CONFLICT, "'%s' is module '%s' now, not '%s'", module->path,
                           entry->name, module->name);
    }
    return STOA_OK;
}

/* Has a module name its parts. */
static stoa_status parts_name(stoa_module *module, stoa__version *version) {
    uint32_t errors = stoa__error_count();
    module->loading = version;
    stoa_status status = version->entry->load(module);
    module->loading = NULL;
    status = status == STOA_OK ? version->failed : status;
    if (status != STOA_OK &&
        (stoa__error_count() == errors || stoa_last_error().status != status)) {
        stoa__error(status, "module '%s' cannot be loaded: %s", version->entry->name,
                    stoa_status_text(status));
    }
    return status;
}

/* Loads the library of a module as it is now and has it name its parts; the app is not touched. On
 * an error the version is empty. */
static stoa_status version_open(stoa_module *module, stoa__version *version) {
    *version = (stoa__version){.part_count = 0};
    stoa_status status = stoa__library_open(&module->heap, module->path, module->folder,
                                            &version->library, &version->file);
    if (status == STOA_OK) {
        stoa_module_fn main =
            (stoa_module_fn)stoa__library_find(&version->library, STOA_MODULE_SYMBOL);
        version->entry = main != NULL ? main() : NULL;
        status = entry_check(module, version->entry);
    }
    if (status == STOA_OK) {
        status = parts_name(module, version);
    }
    if (status == STOA_OK) {
        status = stoa__version_types(module, version);
    }
    if (status != STOA_OK) {
        stoa__version_fini(module, version);
    }
    return status;
}

/* Has a version free what it keeps outside of the app, and unloads it. */
static void version_close(stoa_module *module, stoa__version *version) {
    if (version->entry != NULL && version->entry->unload != NULL) {
        version->entry->unload(module->app);
    }
    stoa__version_fini(module, version);
}

static void module_list(stoa_module *module) {
    stoa_module **end = &module->all->first;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = module;
}

static void module_unlist(stoa_module *module) {
    stoa_module **at = &module->all->first;
    while (*at != NULL && *at != module) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = module->next;
    }
}

/* The app is being freed. A library that something of the world leads into for good stays loaded.
 */
static void app_freed(void *user) {
    stoa_module *module = user;
    stoa_code code = stoa__version_code(&module->live);
    bool clear = stoa_code_check(module->world, &code) == STOA_OK;
    if (clear) {
        stoa__module_leave(module, &module->live);
        if (module->live.entry->unload != NULL) {
            module->live.entry->unload(module->app);
        }
    } else {
        module->live.library.handle = NULL;
    }
    module_unlist(module);
    module_free(module);
}

/* STOA_OK if modules of the app can come and go now; otherwise reported. */
static stoa_status app_check(stoa_app *app) {
    return stoa_app_forget(app, NULL);
}

/* Puts a module into its app; its name must be free. */
static stoa_status module_enter(stoa_module *module) {
    stoa__version fresh;
    stoa_status status = version_open(module, &fresh);
    if (status != STOA_OK) {
        return stoa_world_report(module->world, status);
    }
    if (stoa_module_find(module->app, fresh.entry->name) != NULL) {
        status = stoa_world_report(
            module->world,
            stoa__error(STOA_TAKEN, "the app has a module '%s' already", fresh.entry->name));
    }
    if (status == STOA_OK) {
        module->name = stoa__heap_text(&module->heap, fresh.entry->name);
        status = module->name != NULL
                     ? stoa__module_enter(module, &fresh, NULL)
                     : stoa_world_report(module->world, stoa__error_memory("a module"));
    }
    if (status != STOA_OK) {
        stoa__version_fini(module, &fresh);
        return status;
    }
    module->live = fresh;
    module->version = 1;
    module_list(module);
    module->watcher = (stoa_app_watcher){.freed = app_freed, .user = module};
    return stoa_app_watch(module->app, &module->watcher);
}

/* Calls the scene function of a module, if it has one. */
static stoa_status scene_build(stoa_module *module) {
    const stoa_module_entry *entry = module->live.entry;
    if (entry->scene == NULL || module->desc.scene == STOA_SCENE_NEVER) {
        return STOA_OK;
    }
    uint32_t errors = stoa__error_count();
    stoa_status status = entry->scene(module->app);
    if (status == STOA_OK) {
        status = stoa_flush(module->world);
    }
    if (status == STOA_OK) {
        return STOA_OK;
    }
    bool told = stoa__error_count() != errors && stoa_last_error().status == status;
    char why[300];
    snprintf(why, sizeof why, "%s", told ? stoa_last_error().message : stoa_status_text(status));
    return stoa_world_report(
        module->world, stoa__error(status, "the scene of module '%s': %s", module->name, why));
}

/* Destroys the entities that are not among those that lived before, which are in order. */
static void entities_end(stoa_world *world, const stoa_entity *before, uint32_t count) {
    uint32_t i = 0;
    for (stoa_entity e = stoa_entity_next(world, STOA_NULL); !stoa_entity_is_null(e);
         e = stoa_entity_next(world, e)) {
        while (i < count && before[i].index < e.index) {
            i++;
        }
        if (i == count || !stoa_entity_eq(before[i], e)) {
            (void)stoa_destroy(world, e);
        }
    }
}

/* Builds the scene of a module that was just loaded; if that fails the entities it made are gone.
 */
static stoa_status scene_first(stoa_module *module) {
    stoa_world *world = module->world;
    uint32_t count = (uint32_t)stoa_count(world), i = 0;
    if (module->live.entry->scene == NULL || module->desc.scene == STOA_SCENE_NEVER) {
        return STOA_OK;
    }
    size_t size = ((size_t)count + 1) * sizeof(stoa_entity);
    stoa_entity *before = stoa__heap_alloc(&module->heap, size, _Alignof(stoa_entity));
    if (before == NULL) {
        return stoa_world_report(world, stoa__error_memory("a scene"));
    }
    for (stoa_entity e = stoa_entity_next(world, STOA_NULL); !stoa_entity_is_null(e);
         e = stoa_entity_next(world, e)) {
        before[i++] = e;
    }
    stoa_status status = scene_build(module);
    if (status != STOA_OK) {
        stoa__kept_error kept = stoa__error_keep(status);
        (void)stoa_commands_clear(stoa_deferred(world));
        entities_end(world, before, count);
        stoa__error_return(&kept);
    }
    stoa__heap_free(&module->heap, before, size, _Alignof(stoa_entity));
    return status;
}

stoa_module *stoa_module_load(stoa_app *app, const char *path, const stoa_module_desc *desc) {
    if (app == NULL || path == NULL) {
        stoa_world_report(stoa_app_world(app),
                          stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                                      app == NULL ? "app" : "path"));
        return NULL;
    }
    if (app_check(app) != STOA_OK) {
        return NULL;
    }
    stoa__modules *all = modules_get(stoa_app_world(app));
    stoa_module *module = all != NULL ? module_new(app, all, path, desc) : NULL;
    if (module == NULL) {
        if (all != NULL) {
            stoa_world_report(stoa_app_world(app), STOA_NO_MEMORY);
        }
        return NULL;
    }
    if (module_enter(module) != STOA_OK) {
        module_free(module);
        return NULL;
    }
    stoa_status status = scene_first(module);
    if (status != STOA_OK) {
        stoa__kept_error kept = stoa__error_keep(status);
        (void)stoa_module_unload(module);
        stoa__error_return(&kept);
        return NULL;
    }
    return module;
}

/* Notes why a reload failed. */
static stoa_status reload_failed(stoa_module *module, stoa_status status) {
    snprintf(module->error, sizeof module->error, "%s", stoa_last_error().message);
    return status;
}

/* Puts what the file holds now in the place of what is loaded. */
static stoa_status module_replace(stoa_module *module) {
    stoa__version fresh;
    stoa_code code = stoa__version_code(&module->live);
    stoa_status status = stoa_code_check(module->world, &code);
    if (status != STOA_OK) {
        return status;
    }
    status = version_open(module, &fresh);
    if (status != STOA_OK) {
        return stoa_world_report(module->world, status);
    }
    status = stoa__module_enter(module, &fresh, &module->live);
    if (status != STOA_OK) {
        stoa__kept_error kept = stoa__error_keep(status);
        stoa__version_fini(module, &fresh);
        return stoa__error_return(&kept);
    }
    stoa__version old = module->live;
    module->live = fresh;
    module->version++;
    version_close(module, &old);
    return STOA_OK;
}

stoa_status stoa_module_reload(stoa_module *module) {
    if (module == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the module must not be null");
    }
    stoa_status status = app_check(module->app);
    if (status == STOA_OK) {
        status = module_replace(module);
    }
    if (status == STOA_OK && module->desc.scene == STOA_SCENE_ANEW) {
        status = stoa_modules_scene(module->app);
    }
    module->error[0] = '\0';
    return status == STOA_OK ? STOA_OK : reload_failed(module, status);
}

stoa_status stoa_module_poll(stoa_module *module, bool *reloaded) {
    if (reloaded != NULL) {
        *reloaded = false;
    }
    if (module == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the module must not be null");
    }
    stoa__file_id now;
    bool there = stoa__file_identify(module->path, &now);
    if (!there || stoa__file_same(&now, &module->live.file) ||
        (module->failed && stoa__file_same(&now, &module->bad))) {
        module->pending = false;
        return STOA_OK;
    }
    bool same = module->pending && stoa__file_same(&now, &module->seen);
    module->seen = now;
    module->pending = !same;
    if (!same) {
        return STOA_OK;
    }
    uint32_t version = module->version;
    stoa_status status = stoa_module_reload(module);
    module->failed = module->version == version;
    module->bad = now;
    if (reloaded != NULL) {
        *reloaded = module->version != version;
    }
    return status;
}

stoa_status stoa_modules_poll(stoa_app *app, int32_t *reloaded) {
    stoa_status status = STOA_OK;
    int32_t count = 0;
    if (app == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the app must not be null");
    }
    for (stoa_module *at = stoa_module_next(app, NULL); at != NULL;
         at = stoa_module_next(app, at)) {
        bool one = false;
        stoa_status polled = stoa_module_poll(at, &one);
        count += one;
        status = status == STOA_OK ? polled : status;
    }
    if (reloaded != NULL) {
        *reloaded = count;
    }
    return status;
}

stoa_status stoa_module_unload(stoa_module *module) {
    if (module == NULL) {
        return STOA_OK;
    }
    stoa_code code = stoa__version_code(&module->live);
    stoa_status status = app_check(module->app);
    if (status == STOA_OK) {
        status = stoa_code_check(module->world, &code);
    }
    if (status != STOA_OK) {
        return status;
    }
    stoa_app_unwatch(module->app, &module->watcher);
    stoa__module_leave(module, &module->live);
    version_close(module, &module->live);
    module_unlist(module);
    module_free(module);
    return STOA_OK;
}

stoa_status stoa_modules_scene(stoa_app *app) {
    stoa_status status = app_check(app);
    stoa_world *world = stoa_app_world(app);
    stoa_entity e = STOA_NULL;
    while (status == STOA_OK && !stoa_entity_is_null(e = stoa_entity_next(world, e))) {
        status = stoa_destroy(world, e);
    }
    for (stoa_module *at = stoa_module_next(app, NULL); at != NULL && status == STOA_OK;
         at = stoa_module_next(app, at)) {
        status = scene_build(at);
    }
    return status;
}

stoa_module *stoa_module_next(const stoa_app *app, const stoa_module *module) {
    const stoa__modules *all =
        app != NULL ? stoa_extension_find(stoa_app_world(app), extension_name) : NULL;
    stoa_module *at = module != NULL ? module->next : all != NULL ? all->first : NULL;
    while (at != NULL && at->app != app) {
        at = at->next;
    }
    return at;
}

stoa_module *stoa_module_find(const stoa_app *app, const char *name) {
    stoa_module *at = stoa_module_next(app, NULL);
    while (at != NULL && name != NULL && strcmp(at->name, name) != 0) {
        at = stoa_module_next(app, at);
    }
    return name != NULL ? at : NULL;
}

const char *stoa_module_name(const stoa_module *module) {
    return module != NULL ? module->name : NULL;
}

const char *stoa_module_path(const stoa_module *module) {
    return module != NULL ? module->path : NULL;
}

uint32_t stoa_module_version(const stoa_module *module) {
    return module != NULL ? module->version : 0;
}

const char *stoa_module_error(const stoa_module *module) {
    return module != NULL ? module->error : "";
}

stoa_app *stoa_module_app(const stoa_module *module) {
    return module != NULL ? module->app : NULL;
}

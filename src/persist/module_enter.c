/* Putting a version of a module into its app, in the place of another, and taking it out.
 *
 * First components get their new descriptions and values, which can be taken back. Then queries,
 * hooks, observers and listeners are made beside those of the old version. Systems come last, all
 * at once, in the places of the old ones. Nothing can fail after that, and only then the old
 * version is taken out: by what it named, and by every pointer that leads into its library. */
#include "persist/module.h"

#include "stoa/sort.h"

#include <stdio.h>
#include <string.h>

stoa__kept_error stoa__error_keep(stoa_status status) {
    stoa__kept_error kept = {.status = status};
    snprintf(kept.message, sizeof kept.message, "%s", stoa_last_error().message);
    return kept;
}

stoa_status stoa__error_return(const stoa__kept_error *kept) {
    return stoa__error(kept->status, "%s", kept->message);
}

bool stoa__module_owns(const stoa_module *module, stoa_component id) {
    for (uint32_t i = 0; i < module->all->owner_count; i++) {
        const stoa__owner *owner = &module->all->owners[i];
        if (owner->id == id) {
            return owner->module == module || owner->module == NULL;
        }
    }
    return false;
}

static const char *type_name(const stoa_type *type) {
    return type->options.name != NULL ? type->options.name : type->identifier;
}

/* Takes the types of a version in, structs inside of others in whatever order they were named. */
static stoa_status types_add(stoa_module *module, const stoa__version *fresh, stoa_retype *retype) {
    stoa_status status = STOA_OK;
    for (bool again = true; again;) {
        again = false;
        status = STOA_OK;
        for (uint32_t i = 0; i < fresh->type_count; i++) {
            stoa_type *type = fresh->types[i];
            stoa_component id = stoa_component_find(module->world, type_name(type));
            bool news = false;
            stoa_status one = stoa_retype_add(retype, type, stoa__module_owns(module, id), &news);
            if (one == STOA_NO_MEMORY) {
                return one;
            }
            status = status == STOA_OK ? one : status;
            again = again || news;
        }
    }
    return stoa_world_report(module->world, status);
}

/* Makes room to note the owners of all types of a version. */
static stoa_status owners_reserve(stoa_module *module, const stoa__version *fresh) {
    stoa__modules *all = module->all;
    return stoa__heap_grow(&all->heap, &all->owners, &all->owner_capacity,
                           all->owner_count + fresh->type_count, sizeof *all->owners)
               ? STOA_OK
               : stoa__error_memory("the components of a module");
}

/* Notes who owns what is new since there were so many components, and what nobody owns any more. */
static void owners_note(stoa_module *module, const stoa__version *fresh, int32_t known) {
    stoa__modules *all = module->all;
    for (uint32_t i = 0; i < fresh->type_count; i++) {
        stoa_component id = stoa_component_find(module->world, type_name(fresh->types[i]));
        uint32_t at = 0;
        while (at < all->owner_count && all->owners[at].id != id) {
            at++;
        }
        if (at < all->owner_count) {
            all->owners[at].module =
                all->owners[at].module != NULL ? all->owners[at].module : module;
        } else if (id > (stoa_component)known) {
            all->owners[all->owner_count++] = (stoa__owner){id, module};
        }
    }
}

static stoa_status stage_put(const stoa_module *module, stoa__part *part) {
    const stoa_stage_desc *desc = part->desc;
    stoa_stage stage = stoa_stage_find(module->app, desc->name);
    if (stage == UINT32_MAX) {
        stage = stoa_stage_new(module->app, desc);
    }
    if (part->place != NULL) {
        *(stoa_stage *)part->place = stage;
    }
    return stage != UINT32_MAX ? STOA_OK : stoa_last_error().status;
}

static stoa_status query_put(const stoa_module *module, stoa__part *part) {
    part->query = stoa_query_new(module->world, part->desc);
    *(stoa_query **)part->place = part->query;
    return part->query != NULL ? STOA_OK : stoa_last_error().status;
}

/* Makes what a part stands for, unless it is a system or a resource. */
static stoa_status part_put(const stoa_module *module, stoa__part *part) {
    stoa_world *world = module->world;
    switch (part->kind) {
    case STOA__PART_STAGE:
        return stage_put(module, part);
    case STOA__PART_QUERY:
        return query_put(module, part);
    case STOA__PART_HOOK:
        part->id = stoa_hook_new(world, part->desc).id;
        break;
    case STOA__PART_VETO:
        part->id = stoa_veto_new(world, part->desc).id;
        break;
    case STOA__PART_OBSERVER:
        part->id = stoa_observe(world, part->desc).id;
        break;
    case STOA__PART_LISTENER:
        part->id = stoa_listener_new(world, part->desc).id;
        break;
    case STOA__PART_TYPE:
    case STOA__PART_RESOURCE:
    case STOA__PART_SYSTEM:
        return STOA_OK;
    }
    return part->id != 0 ? STOA_OK : stoa_last_error().status;
}

/* Registers the types for good, which sets the world up for them, and makes all but systems. */
static stoa_status parts_put(const stoa_module *module, stoa__version *fresh) {
    stoa_status status = stoa_hold(module->world, "a module is being loaded");
    if (status != STOA_OK) {
        return status;
    }
    for (uint32_t i = 0; i < fresh->type_count && status == STOA_OK; i++) {
        stoa_component id = stoa_type_register(module->world, fresh->types[i]);
        status = id != 0 ? STOA_OK : stoa_last_error().status;
    }
    for (uint32_t i = 0; i < fresh->part_count && status == STOA_OK; i++) {
        status = part_put(module, &fresh->parts[i]);
    }
    for (uint32_t i = 0; i < fresh->part_count && status == STOA_OK; i++) {
        stoa__part *part = &fresh->parts[i];
        if (part->kind == STOA__PART_RESOURCE &&
            !stoa_resource_has_type(module->world, part->type)) {
            status = stoa_resource_set_type(module->world, part->type, part->desc);
            part->put = status == STOA_OK;
        }
    }
    stoa_release(module->world);
    return status;
}

/* The system of a version by its name, or 0. */
static uint32_t system_of(const stoa_module *module, const stoa__version *version,
                          const char *name) {
    stoa_system found = stoa_system_find(module->app, name);
    for (uint32_t i = 0; version != NULL && i < version->part_count; i++) {
        const stoa__part *part = &version->parts[i];
        if (part->kind == STOA__PART_SYSTEM && part->id == found.id) {
            return found.id;
        }
    }
    return 0;
}

static bool change_has(const stoa_system_change *changes, int32_t count, uint32_t id) {
    for (int32_t i = 0; i < count; i++) {
        if (changes[i].system.id == id) {
            return true;
        }
    }
    return false;
}

static int32_t systems_count(const stoa__version *version) {
    int32_t count = 0;
    for (uint32_t i = 0; version != NULL && i < version->part_count; i++) {
        count += version->parts[i].kind == STOA__PART_SYSTEM;
    }
    return count;
}

/* Lists the systems of a version that come or are replaced. */
static int32_t systems_come(const stoa_module *module, const stoa__version *fresh,
                            const stoa__version *old, stoa_system_change *changes,
                            stoa_system_desc *descs) {
    int32_t count = 0;
    for (uint32_t i = 0; i < fresh->part_count; i++) {
        const stoa__part *part = &fresh->parts[i];
        if (part->kind == STOA__PART_SYSTEM) {
            stoa__part_system(part, &descs[count]);
            const char *name = descs[count].name;
            changes[count].system.id = name != NULL ? system_of(module, old, name) : 0;
            changes[count].desc = &descs[count];
            count++;
        }
    }
    return count;
}

static bool system_there(const stoa_app *app, uint32_t id) {
    return id != 0 && stoa_system_next(app, (stoa_system){id - 1}).id == id;
}

/* Lists the systems of a version that go. */
static int32_t systems_go(const stoa_module *module, const stoa__version *old,
                          stoa_system_change *changes, int32_t count) {
    for (uint32_t i = 0; old != NULL && i < old->part_count; i++) {
        const stoa__part *part = &old->parts[i];
        if (part->kind == STOA__PART_SYSTEM && system_there(module->app, part->id) &&
            !change_has(changes, count, part->id)) {
            changes[count++] = (stoa_system_change){.system = {part->id}};
        }
    }
    return count;
}

/* Puts the systems of a version in the places of those of another; all or none. */
static stoa_status systems_put(const stoa_module *module, stoa__version *fresh,
                               const stoa__version *old) {
    size_t come = (size_t)systems_count(fresh), most = come + (size_t)systems_count(old);
    if (most == 0) {
        return STOA_OK;
    }
    stoa__heap heap = module->heap;
    size_t size = most * sizeof(stoa_system_change) + come * sizeof(stoa_system_desc);
    stoa_system_change *changes = stoa__heap_zalloc(&heap, size, _Alignof(max_align_t));
    if (changes == NULL) {
        return stoa_world_report(module->world, stoa__error_memory("the systems of a module"));
    }
    stoa_system_desc *descs = (stoa_system_desc *)(void *)(changes + most);
    int32_t count = systems_come(module, fresh, old, changes, descs);
    count = systems_go(module, old, changes, count);
    stoa_status status = stoa_systems_change(module->app, changes, count);
    uint32_t next = 0;
    for (uint32_t i = 0; i < fresh->part_count && status == STOA_OK; i++) {
        if (fresh->parts[i].kind == STOA__PART_SYSTEM) {
            fresh->parts[i].id = changes[next++].system.id;
        }
    }
    stoa__heap_free(&heap, changes, size, _Alignof(max_align_t));
    return status;
}

/* Takes out what was made of the parts of a version, but for systems. Resources that it put in go
 * only if they are to be taken back. */
static void parts_remove(const stoa_module *module, stoa__version *version, bool back) {
    for (uint32_t i = version->part_count; i-- > 0;) {
        stoa__part *part = &version->parts[i];
        bool muted = stoa__error_mute(true);
        if (part->kind == STOA__PART_QUERY) {
            (void)stoa_query_free(part->query);
            part->query = NULL;
        } else if (part->kind == STOA__PART_LISTENER && part->id != 0) {
            (void)stoa_listener_remove(module->world, (stoa_listener){part->id});
        } else if (part->kind == STOA__PART_RESOURCE && part->put && back) {
            (void)stoa_resource_remove_type(module->world, part->type);
        } else if (part->kind != STOA__PART_SYSTEM && part->id != 0) {
            (void)stoa_hook_remove(module->world, (stoa_hook){part->id});
        }
        stoa__error_mute(muted);
    }
}

/* Takes out all that leads into a library, whoever put it in. */
static void code_purge(const stoa_module *module, const stoa__version *version) {
    stoa_code code = stoa__version_code(version);
    (void)stoa_app_forget(module->app, &code);
    stoa_code_remove(module->world, &code);
    stoa_component id = 0;
    while ((id = stoa_code_component(module->world, &code, id)) != 0) {
        (void)stoa_component_strip(module->world, id);
    }
}

/* Queries that are what they were go on where the old ones have come to. */
static void queries_follow(const stoa__version *fresh, const stoa__version *old) {
    for (uint32_t i = 0; i < fresh->part_count; i++) {
        stoa_query *query = fresh->parts[i].query;
        for (uint32_t k = 0; query != NULL && k < old->part_count; k++) {
            const stoa_query *other = old->parts[k].query;
            if (other != NULL && strcmp(stoa_query_name(query), stoa_query_name(other)) == 0) {
                (void)stoa_query_follow(query, other);
            }
        }
    }
}

/* Takes everything of a version back that could not be put in. */
static void enter_undo(const stoa_module *module, stoa__version *fresh, stoa_retype *retype) {
    stoa_code code = stoa__version_code(fresh);
    parts_remove(module, fresh, true);
    (void)stoa_app_forget(module->app, &code);
    stoa_code_remove(module->world, &code);
    stoa_retype_cancel(retype);
}

stoa_status stoa__module_enter(stoa_module *module, stoa__version *fresh, stoa__version *old) {
    int32_t known = stoa_component_count(module->world);
    stoa_status status = owners_reserve(module, fresh);
    stoa_retype *retype = status == STOA_OK ? stoa_retype_new(module->world) : NULL;
    if (retype == NULL) {
        return status != STOA_OK ? status : stoa_last_error().status;
    }
    status = types_add(module, fresh, retype);
    if (status == STOA_OK) {
        status = stoa__module_convert(module, retype);
    }
    if (status == STOA_OK) {
        status = stoa_retype_swap(retype);
    }
    if (status == STOA_OK) {
        status = parts_put(module, fresh);
    }
    if (status == STOA_OK) {
        status = systems_put(module, fresh, old);
    }
    if (status != STOA_OK) {
        stoa__kept_error kept = stoa__error_keep(status);
        enter_undo(module, fresh, retype);
        return stoa__error_return(&kept);
    }
    stoa_retype_end(retype);
    owners_note(module, fresh, known);
    stoa__version_slots_keep(module, fresh);
    if (old != NULL) {
        queries_follow(fresh, old);
        parts_remove(module, old, false);
        code_purge(module, old);
    }
    return STOA_OK;
}

void stoa__module_leave(stoa_module *module, stoa__version *version) {
    for (uint32_t i = 0; i < version->part_count; i++) {
        const stoa__part *part = &version->parts[i];
        if (part->kind == STOA__PART_SYSTEM && system_there(module->app, part->id)) {
            (void)stoa_system_remove(module->app, (stoa_system){part->id});
        }
    }
    parts_remove(module, version, false);
    code_purge(module, version);
    for (uint32_t i = 0; i < module->all->owner_count; i++) {
        stoa__owner *owner = &module->all->owners[i];
        owner->module = owner->module == module ? NULL : owner->module;
    }
}

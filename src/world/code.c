/* Code that is about to go: what of a world leads there.
 *
 * Every function and user pointer that the world keeps is compared with the addresses of the code,
 * so nothing depends on who registered it, or when. O(hooks, observers, listeners and components).
 * Taking away never needs memory. One thread at a time. */
#include "stoa/code.h"

#include "storage/registry.h"
#include "storage/retype.h"
#include "world/commands_buffer.h"
#include "world/retype.h"
#include "world/world.h"

#include <string.h>

bool stoa_code_has(const stoa_code *code, const void *pointer, size_t size) {
    uintptr_t address = 0;
    /* Functions and data are looked at alike: by the bytes of the pointer. */
    memcpy(&address, pointer, size < sizeof address ? size : sizeof address);
    return address >= code->first && address < code->end;
}

#define LEADS(code, pointer) stoa_code_has((code), &(pointer), sizeof(pointer))

static bool extension_leads(const stoa_extension *x, const stoa_code *code) {
    return LEADS(code, x->name) || LEADS(code, x->data) || LEADS(code, x->free) ||
           LEADS(code, x->check) || LEADS(code, x->settle) || LEADS(code, x->unmade) ||
           LEADS(code, x->bytes) || LEADS(code, x->reset) || LEADS(code, x->save) ||
           LEADS(code, x->load) || LEADS(code, x->version) || LEADS(code, x->retype) ||
           LEADS(code, x->forget);
}

stoa_status stoa__code_idle(const stoa_world *world) {
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    if (world->hooks.depth > 0 || world->events.depth > 0) {
        status = stoa__error(STOA_LOCKED, "hooks or listeners of the world are running");
    } else if (stoa__commands_pending(world)) {
        status = stoa__error(STOA_REFUSED, "commands are recorded; flush or discard them first");
    }
    return stoa__world_report(world, status);
}

stoa_status stoa_code_check(const stoa_world *world, const stoa_code *code) {
    if (world == NULL || code == NULL) {
        return stoa__world_null(world, world == NULL ? "world" : "code");
    }
    stoa_status status = stoa__code_idle(world);
    for (uint32_t i = 0; i < world->extension_count && status == STOA_OK; i++) {
        if (extension_leads(&world->extensions[i], code)) {
            status = stoa__world_report(
                world, stoa__error(STOA_REFUSED,
                                   "extension '%s' of the world leads into the code, for good",
                                   world->extensions[i].name));
        }
    }
    return status;
}

void stoa_code_remove(stoa_world *world, const stoa_code *code) {
    if (world == NULL || code == NULL || stoa__code_idle(world) != STOA_OK) {
        return;
    }
    stoa__hook_forget(world, code);
    stoa__listen_forget(world, code);
    if (world->query_ops != NULL) {
        world->query_ops->forget(world, code);
    }
    for (uint32_t i = 0; i < world->extension_count; i++) {
        if (world->extensions[i].forget != NULL) {
            world->extensions[i].forget(world, world->extensions[i].data, code);
        }
    }
    stoa__commands_forget(world);
    stoa__code_caches_clear(world);
}

void stoa__code_caches_clear(stoa_world *world) {
    stoa__bundles_clear(world);
    for (uint32_t i = 0; i < STOA__TYPES; i++) {
        world->types[i] = (stoa__type_hop){.slot = STOA__NONE};
    }
    for (uint32_t i = 0; i < STOA__WAYS; i++) {
        world->puts[i].slot = world->drops[i].slot = STOA__NONE;
    }
}

static bool component_leads(const stoa__component *component, const stoa_code *code) {
    const stoa_hooks *hooks = &component->info.hooks;
    return LEADS(code, hooks->drop) || LEADS(code, hooks->move) || LEADS(code, hooks->copy) ||
           LEADS(code, hooks->user) || LEADS(code, hooks->user_free) ||
           LEADS(code, component->setup) || LEADS(code, component->info.persist);
}

stoa_component stoa_code_component(const stoa_world *world, const stoa_code *code,
                                   stoa_component after) {
    for (uint32_t i = after; world != NULL && code != NULL && i < world->storage.registry.count;
         i++) {
        if (component_leads(world->storage.registry.items[i], code)) {
            return i + 1;
        }
    }
    return 0;
}

/* Drops values and leaves zeroes. */
static void values_end(const stoa__component *component, void *values, size_t count) {
    if (component->info.size != 0 && count > 0) {
        stoa__component_drop(component, values, (int32_t)count);
        memset(values, 0, count * component->info.size);
    }
}

static void columns_end(stoa_world *world, const stoa__component *component) {
    stoa__storage *storage = &world->storage;
    for (uint32_t i = 0; i < storage->archetype_count; i++) {
        const stoa__archetype *archetype = storage->archetypes[i];
        const stoa_column *column = stoa__bitset_test(&component->archetypes, i)
                                        ? stoa__archetype_column(archetype, component->info.id)
                                        : NULL;
        for (int32_t c = 0; column != NULL && c < archetype->head.chunk_count; c++) {
            const stoa_chunk *chunk = &archetype->head.chunks[c];
            values_end(component, stoa_column_begin(chunk->columns, column->index),
                       (size_t)chunk->count);
        }
    }
    if (component->set != NULL && component->set->values != NULL) {
        values_end(component, component->set->values, component->set->count);
    }
}

stoa_status stoa_component_strip(stoa_world *world, stoa_component id) {
    stoa_status status = stoa__world_knows(world, id);
    if (status == STOA_OK) {
        status = stoa__code_idle(world);
    }
    if (status != STOA_OK) {
        return status;
    }
    stoa__component *component = stoa__component_at(&world->storage, id);
    stoa_hooks hooks = component->info.hooks;
    if (hooks.drop != NULL) {
        stoa__frames_clear_all(world);
        columns_end(world, component);
        stoa__retype_rest(world, id, values_end);
    }
    component->info.hooks = (stoa_hooks){.drop = NULL};
    component->info.persist = NULL;
    component->info.copyable = true;
    component->setup = NULL;
    component->setup_state = STOA__SETUP_DONE;
    stoa__registry_forget_slots(&world->storage, 1);
    stoa__code_caches_clear(world);
    if (hooks.user_free != NULL) {
        hooks.user_free(hooks.user);
    }
    return STOA_OK;
}

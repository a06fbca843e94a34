/* Hooks: functions called when a component comes, goes or is given a value.
 *
 * Hooks of one component and kind form a ring in the order they were added, so that firing finds
 * them at once and new ones go to its end. Firing ends at the one that was last when it began. One
 * that is removed while anything runs is only marked; it leaves the lists when the outermost change
 * ends, so that every firing under way can go on. Firing and removing never allocate. One thread at
 * a time. */
#include "world/hook.h"

#include "storage/registry.h"
#include "world/world.h"

/* The one hook that is told when the component is added with a value; NULL if there is none, or
 * more. */
static stoa__hook *sole_find(const stoa__component *component) {
    stoa__hook *added = component->hooks[STOA_ON_ADD], *set = component->hooks[STOA_ON_SET];
    stoa__hook *hook = added != NULL ? added : set;
    bool alone = hook != NULL && hook->ring == hook && (added == NULL || set == NULL);
    return alone ? hook : NULL;
}

static void ring_append(stoa__component *component, stoa__hook *hook) {
    stoa__hook *last = component->hooks[hook->kind];
    hook->ring = last != NULL ? last->ring : hook;
    if (last != NULL) {
        last->ring = hook;
    }
    component->hooks[hook->kind] = hook;
    component->hooked |= (uint8_t)(1u << hook->kind);
    component->sole = sole_find(component);
}

static void ring_remove(stoa__component *component, const stoa__hook *hook) {
    stoa__hook *before = component->hooks[hook->kind];
    if (hook->ring == hook) {
        component->hooks[hook->kind] = NULL;
        component->hooked &= (uint8_t) ~(1u << hook->kind);
    } else {
        while (before->ring != hook) {
            before = before->ring;
        }
        before->ring = hook->ring;
        if (component->hooks[hook->kind] == hook) {
            component->hooks[hook->kind] = before;
        }
    }
    component->sole = sole_find(component);
}

static void hook_append(stoa_world *world, stoa__hook *hook) {
    stoa__hooks *hooks = &world->hooks;
    hook->previous = hooks->last;
    if (hooks->last != NULL) {
        hooks->last->next = hook;
    } else {
        hooks->first = hook;
    }
    hooks->last = hook;
    hooks->count++;
    stoa__component *component = stoa__component_at(&world->storage, hook->component);
    uint8_t hooked = component->hooked;
    const stoa__hook *sole = component->sole;
    ring_append(component, hook);
    if (component->hooked != hooked || component->sole != sole) {
        stoa__world_rewatch(world);
    }
}

/* Takes a hook off all lists. */
static void hook_unlink(stoa_world *world, stoa__hook *hook) {
    stoa__hooks *hooks = &world->hooks;
    if (hook->previous != NULL) {
        hook->previous->next = hook->next;
    } else {
        hooks->first = hook->next;
    }
    if (hook->next != NULL) {
        hook->next->previous = hook->previous;
    } else {
        hooks->last = hook->previous;
    }
    ring_remove(stoa__component_at(&world->storage, hook->component), hook);
}

/* Frees a hook that is on no list. What the caller gave comes last: it may do anything, even remove
 * other hooks. */
static void hook_delete(stoa_world *world, stoa__hook *hook) {
    void (*user_free)(void *user) = hook->user_free;
    void *user = hook->user;
    world->hooks.count--;
    stoa__heap_free(&world->storage.heap, hook, sizeof *hook, _Alignof(stoa__hook));
    if (user_free != NULL) {
        user_free(user);
    }
}

/* Takes a hook off all lists and frees it. */
static void hook_free(stoa_world *world, stoa__hook *hook) {
    const stoa__component *component = stoa__component_at(&world->storage, hook->component);
    uint8_t hooked = component->hooked;
    const stoa__hook *sole = component->sole;
    hook_unlink(world, hook);
    if (component->hooked != hooked || component->sole != sole) {
        stoa__world_rewatch(world);
    }
    hook_delete(world, hook);
}

/* Frees the hooks that were removed while something ran. The entity of the outermost change is
 * still locked: those that are removed meanwhile, by what the program frees its own with, are only
 * marked, and nothing else leaves the lists. */
static void hooks_purge(stoa_world *world) {
    for (stoa__hook *hook = world->hooks.first, *next; hook != NULL; hook = next) {
        next = hook->next;
        if (hook->removed) {
            hook_free(world, hook);
        }
    }
}

void stoa__hook_purge(stoa_world *world) {
    stoa__hooks *hooks = &world->hooks;
    while (hooks->stale) {
        hooks->stale = false;
        hooks_purge(world);
        if (hooks->observers_purge != NULL) {
            hooks->observers_purge(world);
        }
    }
}

void stoa__hook_fire(stoa_world *world, stoa_entity e, const stoa__component *component,
                     const stoa__hook *hook, const stoa__hook *last) {
    do {
        hook = hook->ring;
        /* Looked up each time: the hook before may have moved rows by changing other entities. */
        void *value = stoa__world_value(world, e, component->info.id);
        if (!hook->removed && value != NULL) {
            hook->call(world, e, component->info.size != 0 ? value : NULL, hook->user);
        }
    } while (hook != last);
}

/* Fails for an entity that is locked. */
static stoa_status entity_locked(const stoa_world *world, stoa_entity e) {
    char text[STOA_ENTITY_TEXT_SIZE];
    return stoa__world_report(
        world, stoa__error(STOA_LOCKED,
                           "entity %s cannot change while one of its hooks or observers is running",
                           stoa_entity_print(e, text, sizeof text)));
}

stoa_status stoa__hook_locked(const stoa_world *world, stoa_entity e) {
    for (uint32_t i = 0; i < world->hooks.depth; i++) {
        if (stoa_entity_eq(world->hooks.locked[i], e)) {
            return entity_locked(world, e);
        }
    }
    return STOA_OK;
}

/* True if a change that is about to be made takes the component away. */
static bool delta_takes(const stoa__delta *delta, stoa_component id) {
    for (uint32_t i = 0; !delta->made && i < delta->removed_count; i++) {
        if (delta->removed[i] == id) {
            return true;
        }
    }
    return false;
}

stoa_status stoa__hook_losing(const stoa_world *world, stoa_entity e, stoa_component id) {
    const stoa__hooks *hooks = &world->hooks;
    bool losing = false;
    for (uint32_t i = 0; i < hooks->depth; i++) {
        losing |= (hooks->dying >> i & 1) != 0 && stoa_entity_eq(hooks->locked[i], e);
    }
    for (const stoa__delta *delta = hooks->told; delta != NULL; delta = delta->below) {
        losing |= stoa_entity_eq(delta->entity, e) && delta_takes(delta, id);
    }
    return losing ? entity_locked(world, e) : STOA_OK;
}

stoa_status stoa__hook_room(const stoa_world *world) {
    return world->hooks.depth < STOA_HOOK_DEPTH
               ? STOA_OK
               : stoa__error(STOA_LIMIT, "%d hooks are running, one inside the other",
                             STOA_HOOK_DEPTH);
}

stoa_status stoa__hook_may_alter(const stoa_world *world) {
    uint32_t open = world->storage.head.open;
    if ((open & STOA__OPEN_FREE) != 0) {
        return stoa__world_report(world, stoa__error(STOA_FREED, "the world is being freed"));
    }
    if ((open & STOA__OPEN_FORK) != 0) {
        return stoa__world_report(
            world, stoa__error(STOA_FORKED, "hooks, observers and the log cannot be altered while "
                                            "command buffers are filled by threads"));
    }
    return STOA_OK;
}

void stoa__hook_watch_update(stoa_world *world) {
    bool all = world->observers != NULL || world->log.capacity != 0;
    if (world->storage.watch_all != all) {
        world->storage.watch_all = all;
        world->storage.heeded = all || world->storage.record_stamps != NULL;
        stoa__world_rewatch(world);
    }
}

void stoa__hook_free_all(stoa_world *world) {
    while (world->hooks.first != NULL) {
        stoa__hook *hook = world->hooks.first;
        hook_unlink(world, hook);
        hook_delete(world, hook);
    }
}

/* How many hooks a ring has, or UINT32_MAX if one does not belong there. */
static uint32_t ring_count(const stoa__component *component, uint32_t kind) {
    uint32_t count = 0;
    const stoa__hook *last = component->hooks[kind];
    for (const stoa__hook *hook = last; hook != NULL;
         hook = hook->ring == last ? NULL : hook->ring) {
        if (hook->component != component->info.id || hook->kind != kind) {
            return UINT32_MAX;
        }
        count++;
    }
    return count;
}

stoa_status stoa__hook_check(const stoa_world *world) {
    const stoa__hooks *hooks = &world->hooks;
    uint32_t listed = 0, ringed = 0;
    for (const stoa__hook *hook = hooks->first; hook != NULL; hook = hook->next) {
        listed += hook->next != NULL ? hook->next->previous == hook : hooks->last == hook;
    }
    for (stoa_component id = 1; id <= world->storage.registry.count; id++) {
        const stoa__component *component = stoa__component_at(&world->storage, id);
        bool right = component->sole == sole_find(component);
        for (uint32_t kind = 0; kind < STOA__HOOK_KINDS; kind++) {
            uint32_t count = ring_count(component, kind);
            right = right && count != UINT32_MAX && (component->hooked >> kind & 1) == (count > 0);
            if (!right) {
                return stoa__error(STOA_CORRUPT, "the hooks of component '%s' are not in order",
                                   component->name);
            }
            ringed += count;
        }
    }
    return listed == hooks->count && ringed == hooks->count
               ? STOA_OK
               : stoa__error(STOA_CORRUPT,
                             "%u hooks are listed by the world and %u by component, "
                             "not %u",
                             listed, ringed, hooks->count);
}

size_t stoa__hook_bytes(const stoa_world *world) {
    return world->hooks.count * sizeof(stoa__hook);
}

/* The component of a description, registered if need be; 0 with the failure reported. */
static stoa_component desc_component(stoa_world *world, stoa_type *type, stoa_component component) {
    if (type != NULL) {
        stoa_component id = stoa__world_type(world, type);
        if (id == 0) {
            stoa__world_report(world, stoa_last_error().status);
        }
        return id;
    }
    if (!stoa__component_known(&world->storage, component)) {
        stoa__world_unknown(world, component);
        return 0;
    }
    return component;
}

/* STOA_OK if a hook can be added; otherwise reported. */
static stoa_status desc_check(const stoa_world *world, const void *desc, bool call, int kind,
                              int kind_last) {
    if (world == NULL || desc == NULL || !call) {
        return stoa__world_null(world, world == NULL  ? "world"
                                       : desc == NULL ? "description"
                                                      : "function to call");
    }
    if (kind < 0 || kind > kind_last) {
        return stoa__world_report(world, stoa__error(STOA_INVALID, "%d is no kind of hook", kind));
    }
    return stoa__hook_may_alter(world);
}

/* Adds a hook as described by one without a place, which is taken over; id 0 with the failure
 * reported. */
static stoa_hook hook_add(stoa_world *world, stoa_type *type, const stoa__hook *as) {
    stoa_hook none = {0};
    stoa_component id = desc_component(world, type, as->component);
    if (id == 0) {
        return none;
    }
    if (world->hooks.id_last == STOA__HOOK_ID_MAX) {
        stoa__world_report(world, stoa__error(STOA_LIMIT, "the world has no more ids for hooks"));
        return none;
    }
    stoa__hook *hook = stoa__heap_alloc(&world->storage.heap, sizeof *hook, _Alignof(stoa__hook));
    if (hook == NULL) {
        stoa__world_report(world, stoa__error_memory("a hook"));
        return none;
    }
    *hook = *as;
    hook->component = id;
    hook->id = ++world->hooks.id_last;
    hook_append(world, hook);
    return (stoa_hook){hook->id};
}

stoa_hook stoa_hook_new(stoa_world *world, const stoa_hook_desc *desc) {
    if (desc_check(world, desc, desc != NULL && desc->call != NULL,
                   desc != NULL ? (int)desc->kind : 0, STOA_ON_SET) != STOA_OK ||
        desc == NULL) {
        return (stoa_hook){0};
    }
    const stoa__hook as = {.call = desc->call,
                           .user = desc->user,
                           .user_free = desc->user_free,
                           .component = desc->component,
                           .kind = (uint32_t)desc->kind};
    return hook_add(world, desc->type, &as);
}

stoa_hook stoa_veto_new(stoa_world *world, const stoa_veto_desc *desc) {
    if (desc_check(world, desc, desc != NULL && desc->call != NULL,
                   desc != NULL ? (int)desc->kind : 0, STOA_VETO_REMOVE) != STOA_OK ||
        desc == NULL) {
        return (stoa_hook){0};
    }
    const stoa__hook as = {.ask = desc->call,
                           .user = desc->user,
                           .user_free = desc->user_free,
                           .component = desc->component,
                           .kind = STOA__HOOK_VETO + (uint32_t)desc->kind};
    return hook_add(world, desc->type, &as);
}

stoa_hook stoa_hook_type(stoa_world *world, stoa_hook_kind kind, stoa_type *type, stoa_hook_fn call,
                         void *user) {
    if (world == NULL || type == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "type");
        return (stoa_hook){0};
    }
    return stoa_hook_new(world,
                         &(stoa_hook_desc){.kind = kind, .type = type, .call = call, .user = user});
}

/* Takes a hook away; STOA_NOT_FOUND, set but not reported, if there is none of that id. */
static stoa_status hook_remove(stoa_world *world, uint32_t id) {
    stoa__hook *hook = world->hooks.first;
    while (hook != NULL && (hook->id != id || hook->removed)) {
        hook = hook->next;
    }
    if (hook == NULL) {
        return stoa__error(STOA_NOT_FOUND, "there is no hook with the id %u", id);
    }
    if (world->hooks.depth > 0) {
        hook->removed = true;
        world->hooks.stale = true;
        return STOA_OK;
    }
    hook_free(world, hook);
    return STOA_OK;
}

void stoa__hook_forget(stoa_world *world, const stoa_code *code) {
    stoa__hook *at = world->hooks.first;
    while (at != NULL) {
        if (stoa_code_has(code, &at->call, sizeof at->call) ||
            stoa_code_has(code, &at->user, sizeof at->user) ||
            stoa_code_has(code, &at->user_free, sizeof at->user_free)) {
            /* What it frees its own with may have removed others. */
            hook_free(world, at);
            at = world->hooks.first;
        } else {
            at = at->next;
        }
    }
}

stoa_status stoa_hook_remove(stoa_world *world, stoa_hook hook) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    if ((world->storage.head.open & STOA__OPEN_FORK) != 0) {
        return stoa__hook_may_alter(world);
    }
    if ((hook.id & STOA__HOOK_OBSERVER) != 0 && world->query_ops != NULL) {
        return stoa__world_report(world, world->query_ops->observer_remove(world, hook.id));
    }
    return stoa__world_report(world, hook_remove(world, hook.id));
}

int32_t stoa_hook_depth(const stoa_world *world) {
    return world != NULL ? (int32_t)world->hooks.depth : 0;
}

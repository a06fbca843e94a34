/* Telling of a change.
 *
 * An effect is read before the change, while what is there can still be seen. Nothing here
 * allocates, so that whoever is told, a change cannot fail for it. */
#include "world/react.h"

#include "storage/entities.h"
#include "storage/sparse.h"

static bool component_has(const stoa_world *world, stoa_entity e, stoa_component id) {
    return stoa__world_value(world, e, id) != NULL;
}

static void effect_note(const stoa_world *world, stoa_entity e, stoa_component id, uint32_t does,
                        stoa__effect *effect) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    effect->ids[effect->count] = id;
    effect->does[effect->count++] = (uint8_t)does;
    effect->told = effect->told || (component->hooked & does) != 0;
    if ((does & STOA__DOES_ADD) != 0) {
        effect->added[effect->delta.added_count++] = id;
    } else if ((does & STOA__DOES_REMOVE) != 0 && stoa__world_enabled(world, e, id)) {
        effect->removed[effect->delta.removed_count++] = id;
    }
}

static void effect_begin(const stoa_world *world, stoa__effect *effect) {
    effect->count = 0;
    effect->told = world->storage.watch_all;
    effect->delta = (stoa__delta){.added = effect->added, .removed = effect->removed};
}

void stoa__effect_one(const stoa_world *world, stoa_entity e, stoa_component id, uint32_t does,
                      stoa__effect *effect) {
    effect_begin(world, effect);
    effect_note(world, e, id, does, effect);
}

/* What one element of a change does. */
static uint32_t element_does(const stoa_world *world, stoa_entity e, uint32_t element,
                             const void *data, bool born) {
    stoa_component id = element & ~STOA__KEY_DROP;
    bool there = !born && component_has(world, e, id);
    if ((element & STOA__KEY_DROP) != 0) {
        return there ? STOA__DOES_REMOVE : 0;
    }
    /* Zeros that replace an immutable value are a change like any other. */
    uint32_t flags = stoa__component_at(&world->storage, id)->info.flags;
    bool sets = data != NULL || (there && (flags & STOA_IMMUTABLE) != 0);
    return (there ? 0 : STOA__DOES_ADD) | (sets ? STOA__DOES_SET : 0);
}

void stoa__effect_read(const stoa_world *world, stoa_entity e, const stoa__values *change,
                       const stoa_value *values, bool born, stoa__effect *effect) {
    effect_begin(world, effect);
    effect->delta.born = born;
    uint32_t total = stoa__values_total(change);
    uint16_t by_source[STOA_BUNDLE_MAX];
    uint32_t sources = 0;
    for (uint32_t i = 0; i < total; i++) {
        for (; sources <= change->source[i]; sources++) {
            by_source[sources] = UINT16_MAX;
        }
    }
    for (uint32_t i = 0; i < total; i++) {
        by_source[change->source[i]] = (uint16_t)i;
    }
    for (uint32_t s = 0; s < sources; s++) {
        if (by_source[s] != UINT16_MAX) {
            uint32_t element = change->key[by_source[s]];
            uint32_t does = element_does(world, e, element, values[s].data, born);
            effect_note(world, e, element & ~STOA__KEY_DROP, does, effect);
        }
    }
}

stoa_status stoa__effect_room(const stoa_world *world, const stoa__effect *effect) {
    return effect->told ? stoa__hook_room(world) : STOA_OK;
}

/* Calls the hooks of one kind, if the component has any. */
static void hooks_call(stoa_world *world, stoa_hook_kind kind, stoa_entity e, stoa_component id) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    const stoa__hook *last = component->hooks[kind];
    if (last != NULL) {
        stoa__hook_fire(world, e, component, last, last);
    }
}

/* Locks an entity while it is told of a change, which stays where it is until the unlock. Hooks may
 * give it and take from it what extensions keep, which is then a change inside of this one. */
static void change_lock(stoa_world *world, stoa_entity e, stoa__delta *delta, bool made) {
    delta->made = made;
    delta->entity = e;
    delta->below = world->hooks.told;
    delta->outer = delta->below;
    while (delta->outer != NULL && !stoa_entity_eq(delta->outer->entity, e)) {
        delta->outer = delta->outer->below;
    }
    world->hooks.told = delta;
    stoa__hook_lock(world, e);
}

static void change_unlock(stoa_world *world, const stoa__delta *delta) {
    stoa__hook_unlock(world);
    world->hooks.told = delta->below;
}

void stoa__effect_before(stoa_world *world, stoa_entity e, const stoa__effect *effect) {
    if (!effect->told) {
        return;
    }
    stoa__delta delta = effect->delta;
    delta.effect = effect;
    change_lock(world, e, &delta, false);
    if (world->observers != NULL) {
        world->query_ops->leave(world, e, &delta);
    }
    for (uint32_t i = 0; i < effect->count; i++) {
        if ((effect->does[i] & STOA__DOES_REMOVE) != 0) {
            hooks_call(world, STOA_ON_REMOVE, e, effect->ids[i]);
        }
    }
    change_unlock(world, &delta);
}

void stoa__effect_after(stoa_world *world, stoa_entity e, const stoa__effect *effect) {
    if (!effect->told) {
        return;
    }
    for (uint32_t i = 0; i < effect->count; i++) {
        if ((effect->does[i] & STOA__DOES_REMOVE) != 0) {
            stoa__log_add(world, e, effect->ids[i]);
        }
    }
    stoa__delta delta = effect->delta;
    change_lock(world, e, &delta, true);
    for (uint32_t i = 0; i < effect->count; i++) {
        if ((effect->does[i] & STOA__DOES_ADD) != 0) {
            hooks_call(world, STOA_ON_ADD, e, effect->ids[i]);
        }
        if ((effect->does[i] & STOA__DOES_SET) != 0) {
            hooks_call(world, STOA_ON_SET, e, effect->ids[i]);
        }
    }
    if (world->observers != NULL) {
        world->query_ops->enter(world, e, &delta);
    }
    change_unlock(world, &delta);
}

/* Calls `call` for each component of a live entity: columns, then sparse ones, in order of ids. The
 * entity must be locked if `call` may change anything. */
static void components_each(stoa_world *world, stoa_entity e,
                            void (*call)(stoa_world *world, stoa_entity e, stoa_component id)) {
    const stoa__storage *storage = &world->storage;
    const stoa__archetype *archetype =
        stoa__row_archetype(storage, stoa__place_of(storage, e.index));
    for (uint32_t i = 0; i < archetype->id_count; i++) {
        call(world, e, archetype->ids[i]);
    }
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        if (stoa__sparse_find(c->set, e.index) != STOA__NONE) {
            call(world, e, c->info.id);
        }
    }
}

static void remove_call(stoa_world *world, stoa_entity e, stoa_component id) {
    hooks_call(world, STOA_ON_REMOVE, e, id);
}

static void clone_call(stoa_world *world, stoa_entity e, stoa_component id) {
    hooks_call(world, STOA_ON_ADD, e, id);
    hooks_call(world, STOA_ON_SET, e, id);
}

/* True if a change that is about to be made takes the component away, switched off or not. */
static bool delta_takes(const stoa__delta *delta, stoa_component id) {
    const stoa__effect *effect = delta->made ? NULL : delta->effect;
    for (uint32_t i = 0; effect != NULL && i < effect->count; i++) {
        if (effect->ids[i] == id && (effect->does[i] & STOA__DOES_REMOVE) != 0) {
            return true;
        }
    }
    return false;
}

bool stoa_losing_id(const stoa_world *world, stoa_entity e, stoa_component id) {
    if (STOA_LIKELY(world == NULL || world->hooks.depth == 0)) {
        return false;
    }
    const stoa__hooks *hooks = &world->hooks;
    bool losing = false;
    for (uint32_t i = 0; i < hooks->depth; i++) {
        losing |= (hooks->dying >> i & 1) != 0 && stoa_entity_eq(hooks->locked[i], e);
    }
    for (const stoa__delta *delta = hooks->told; delta != NULL; delta = delta->below) {
        losing |= stoa_entity_eq(delta->entity, e) && delta_takes(delta, id);
    }
    return losing;
}

void stoa__react_losing(stoa_world *world, stoa_entity e, const stoa__delta *delta) {
    stoa__hook_lock(world, e);
    world->hooks.dying |= (uint64_t)1 << (world->hooks.depth - 1);
    if (world->observers != NULL) {
        world->query_ops->leave(world, e, delta);
    }
    components_each(world, e, remove_call);
    stoa__hook_unlock(world);
    world->hooks.dying &= ~((uint64_t)1 << world->hooks.depth);
}

void stoa__react_log(stoa_world *world, stoa_entity e, bool dies) {
    if (world->log.capacity != 0) {
        components_each(world, e, stoa__log_add);
        if (dies) {
            stoa__log_add(world, e, 0);
        }
    }
}

void stoa__react_cloned(stoa_world *world, stoa_entity e) {
    stoa__delta delta = {.born = true};
    change_lock(world, e, &delta, true);
    components_each(world, e, clone_call);
    if (world->observers != NULL) {
        world->query_ops->enter(world, e, &delta);
    }
    change_unlock(world, &delta);
}

bool stoa__react_watched(const stoa_world *world, stoa_entity e) {
    const stoa__storage *storage = &world->storage;
    if (stoa__row_archetype(storage, stoa__place_of(storage, e.index))->watched) {
        return true;
    }
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        if (c->hooked != 0 && stoa__sparse_find(c->set, e.index) != STOA__NONE) {
            return true;
        }
    }
    return false;
}

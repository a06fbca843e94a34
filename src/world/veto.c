/* Vetoes: asking whether a change may be made, before anything is done or told.
 *
 * While somebody is asked the structure of the world cannot change, so that an answer stays true
 * until the change is made. A refusal of a change that nothing told of is noted: a command that is
 * refused is not applied later. Lack of memory is no refusal, since the call can be repeated. Costs
 * nothing for components without vetoes but a look at each. */
#include "world/react.h"

#include "storage/entities.h"
#include "storage/sparse.h"

/* Asks the vetoes of one component and kind, in the order they were added. */
static stoa_status component_ask(stoa_world *world, stoa_entity e, const stoa__component *component,
                                 stoa_veto_kind kind, const void *values, int32_t count) {
    const stoa__hook *last = component->hooks[STOA__HOOK_VETO + (uint32_t)kind];
    if (STOA_LIKELY(last == NULL)) {
        return STOA_OK;
    }
    const stoa__hook *hook = last;
    stoa_status status = STOA_OK;
    world->storage.head.open |= STOA__OPEN_ASK;
    do {
        hook = hook->ring;
        if (!hook->removed) {
            status =
                hook->ask(world, e, component->info.size != 0 ? values : NULL, count, hook->user);
        }
    } while (hook != last && status == STOA_OK);
    world->storage.head.open &= ~STOA__OPEN_ASK;
    world->hooks.refused = world->hooks.depth == 0 && status != STOA_OK && status != STOA_NO_MEMORY;
    return status;
}

/* Asks about values that are all the same: they are laid out for those who ask. */
static stoa_status same_ask(stoa_world *world, const stoa__component *component, const void *value,
                            int32_t count) {
    size_t size = component->info.size;
    uint8_t *items = stoa__world_scratch(world, (size_t)count, size);
    if (items == NULL) {
        return stoa__error_memory("values to ask about");
    }
    for (int32_t i = 0; i < count; i++) {
        memcpy(items + (size_t)i * size, value, size);
    }
    stoa_status status = component_ask(world, STOA_NULL, component, STOA_VETO_SET, items, count);
    stoa__world_scratch_free(world, items, (size_t)count, size);
    return status;
}

stoa_status stoa__react_ask(stoa_world *world, stoa_entity e, const stoa__values *change,
                            const stoa_value *values, int32_t count) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < stoa__values_total(change) && status == STOA_OK; i++) {
        stoa_component id = change->key[i] & ~STOA__KEY_DROP;
        const stoa__component *component = stoa__component_at(&world->storage, id);
        if (STOA_LIKELY((component->hooked & STOA__HOOKED_VETO) == 0)) {
            continue;
        }
        const stoa_value *value = &values[change->source[i]];
        if (value->op == STOA_PUT_SAME && value->data != NULL && component->info.size != 0) {
            status = same_ask(world, component, value->data, count);
        } else if ((change->key[i] & STOA__KEY_DROP) == 0) {
            status = component_ask(world, e, component, STOA_VETO_SET, value->data, count);
        } else if (stoa__world_value(world, e, id) != NULL) {
            status = component_ask(world, e, component, STOA_VETO_REMOVE, NULL, 1);
        }
    }
    return status;
}

/* Asks the vetoes of one component that an entity has: the removal of it, or setting a copy of it
 * on an entity that is about to be made. */
static stoa_status part_ask(stoa_world *world, stoa_entity e, stoa_component id,
                            stoa_veto_kind kind) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    bool sets = kind == STOA_VETO_SET;
    if (STOA_LIKELY((component->hooked & STOA__HOOKED_VETO) == 0) ||
        (sets && (component->info.flags & STOA_MANAGED) != 0)) {
        return STOA_OK;
    }
    const void *value = stoa__world_value(world, e, id);
    return component_ask(world, sets ? STOA_NULL : e, component, kind, sets ? value : NULL, 1);
}

/* Asks the vetoes of everything that an entity has: columns, then sparse ones, in order of ids. */
static stoa_status entity_ask(stoa_world *world, stoa_entity e, stoa_veto_kind kind) {
    const stoa__storage *storage = &world->storage;
    const stoa__archetype *archetype =
        stoa__row_archetype(storage, stoa__place_of(storage, e.index));
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < archetype->id_count && status == STOA_OK; i++) {
        status = part_ask(world, e, archetype->ids[i], kind);
    }
    for (const stoa__component *c = storage->sparse_first; c != NULL && status == STOA_OK;
         c = c->sparse_next) {
        if (c->hooked != 0 && stoa__sparse_find(c->set, e.index) != STOA__NONE) {
            status = part_ask(world, e, c->info.id, kind);
        }
    }
    return status;
}

stoa_status stoa__react_ask_losing(stoa_world *world, stoa_entity e) {
    return entity_ask(world, e, STOA_VETO_REMOVE);
}

stoa_status stoa__react_ask_clone(stoa_world *world, stoa_entity e) {
    return entity_ask(world, e, STOA_VETO_SET);
}

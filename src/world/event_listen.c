/* Listeners: functions that are called with an event while it is sent.
 *
 * Listeners to all events of a type are a list of its channel; those to one entity, of whatever
 * type, are a list that a map leads to. Both are in the order of ids, which is that of
 * registration, so that telling merges the two. While anything is told no listener leaves its list:
 * one that is removed is only marked, and freed when the outermost event is told. Adding and
 * removing are O(log listeners). Only adding allocates. One thread at a time. */
#include "base/hash.h"
#include "storage/archetype.h"
#include "storage/entities.h"
#include "storage/registry.h"
#include "world/world.h"

struct stoa__listener {
    stoa__listener *previous; /* in its list; of the first: the last */
    stoa__listener *next;
    stoa__listener *next_removed;
    stoa__channel *channel;
    stoa_listen_fn call;
    void *user;
    void (*user_free)(void *user);
    stoa_entity target;
    uint32_t id;
    bool removed;
};

static void list_append(stoa__listener **first, stoa__listener *listener) {
    if (*first == NULL) {
        *first = listener;
    } else {
        listener->previous = (*first)->previous;
        listener->previous->next = listener;
    }
    (*first)->previous = listener;
}

static void list_remove(stoa__listener **first, stoa__listener *listener) {
    if (listener == *first) {
        *first = listener->next;
    } else {
        listener->previous->next = listener->next;
    }
    /* The first leads back to the last. */
    stoa__listener *after = listener->next != NULL ? listener->next : *first;
    if (after != NULL) {
        after->previous = listener->previous;
    }
}

static uint64_t target_hash(stoa_entity target) {
    return stoa__hash_mix(stoa_entity_pack(target));
}

/* The entry of an id that was given out, or NULL. */
static stoa__listener_entry *entry_find(const stoa__events *events, uint32_t id) {
    uint32_t from = 0, to = events->listener_count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (events->listeners[middle].id < id) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    bool found = from < events->listener_count && events->listeners[from].id == id;
    return found ? &events->listeners[from] : NULL;
}

stoa__listener *stoa__listen_find(const stoa__events *events, stoa_entity target) {
    uint32_t cursor = 0;
    for (;;) {
        uint32_t id = stoa__map_next(&events->by_target, target_hash(target), &cursor);
        if (id == STOA__MAP_NONE) {
            return NULL;
        }
        stoa__listener *listener = entry_find(events, id)->item;
        if (stoa_entity_eq(listener->target, target)) {
            return listener;
        }
    }
}

/* Takes entries out that lead nowhere, once they are the most. */
static void entries_pack(stoa__events *events) {
    if (events->gone_count * 2 <= events->listener_count) {
        return;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < events->listener_count; i++) {
        if (events->listeners[i].item != NULL) {
            events->listeners[count++] = events->listeners[i];
        }
    }
    events->listener_count = count;
    events->gone_count = 0;
}

/* Tells the storage whether entities may be destroyed with nobody told. */
static void targets_note(stoa_world *world) {
    bool aimed = world->events.target_count > 0;
    if (world->storage.aimed != aimed) {
        world->storage.aimed = aimed;
        stoa__archetype_refill(&world->storage);
    }
}

/* Takes a listener off its list and frees it. What the program gave comes last: it may call the
 * world. */
static void listener_delete(stoa_world *world, stoa__listener *listener) {
    stoa__events *events = &world->events;
    if (stoa_entity_is_null(listener->target)) {
        list_remove(&listener->channel->first, listener);
    } else {
        uint64_t hash = target_hash(listener->target);
        stoa__listener *first = stoa__listen_first(events, listener->target), *old = first;
        list_remove(&first, listener);
        if (first != old) {
            stoa__map_remove(&events->by_target, hash, old->id);
        }
        if (first != old && first != NULL) {
            stoa__map_insert(&events->by_target, hash, first->id);
        }
        events->target_count--;
        targets_note(world);
    }
    entry_find(events, listener->id)->item = NULL;
    events->gone_count++;
    entries_pack(events);
    void (*user_free)(void *user) = listener->user_free;
    void *user = listener->user;
    stoa__heap_free(&world->storage.heap, listener, sizeof *listener, _Alignof(stoa__listener));
    if (user_free != NULL) {
        user_free(user);
    }
}

/* Frees the listeners that were removed, unless one may be running. */
static void removed_free(stoa_world *world) {
    stoa__events *events = &world->events;
    while (events->depth == 0 && events->removed != NULL) {
        stoa__listener *listener = events->removed;
        events->removed = listener->next_removed;
        listener_delete(world, listener);
    }
}

/* Marks a listener: it is not called again. */
static void listener_remove(stoa_world *world, stoa__listener *listener) {
    if (!listener->removed) {
        stoa__events *events = &world->events;
        listener->removed = true;
        *(events->removed != NULL ? &events->removed_last->next_removed : &events->removed) =
            listener;
        events->removed_last = listener;
    }
}

/* The type of a listener that is asked for, registered if need be; 0 with the thread's error set.
 */
static stoa_component desc_check(stoa_world *world, const stoa_listener_desc *desc) {
    char text[STOA_ENTITY_TEXT_SIZE];
    if (desc->call == NULL) {
        stoa__error(STOA_NULL_ARGUMENT, "the function of a listener must not be null");
        return 0;
    }
    if (!stoa_entity_is_null(desc->target) &&
        stoa__entities_find(&world->storage, desc->target) == NULL) {
        stoa__error(STOA_DEAD, "entity %s is dead",
                    stoa_entity_print(desc->target, text, sizeof text));
        return 0;
    }
    if (desc->type != NULL) {
        return stoa__world_type(world, desc->type);
    }
    if (!stoa__component_known(&world->storage, desc->component)) {
        stoa__error(STOA_UNKNOWN, "there is no component with the id %u", desc->component);
        return 0;
    }
    return desc->component;
}

/* A listener on no list, with room for it on any; NULL with the thread's error set. */
static stoa__listener *listener_make(stoa_world *world, stoa_entity target) {
    stoa__events *events = &world->events;
    stoa__heap *heap = &world->storage.heap;
    if (events->id_last == STOA__MAP_NONE - 1) {
        stoa__error(STOA_LIMIT, "there were too many listeners");
        return NULL;
    }
    stoa__listener *listener = NULL;
    if (stoa__heap_grow(heap, &events->listeners, &events->listener_capacity,
                        events->listener_count + 1, sizeof *events->listeners) &&
        (stoa_entity_is_null(target) || stoa__map_reserve(&events->by_target, heap))) {
        listener = stoa__heap_zalloc(heap, sizeof *listener, _Alignof(stoa__listener));
    }
    if (listener == NULL) {
        stoa__error_memory("a listener");
    }
    return listener;
}

static void listener_link(stoa_world *world, stoa__listener *listener) {
    stoa__events *events = &world->events;
    events->listeners[events->listener_count++] =
        (stoa__listener_entry){.item = listener, .id = listener->id};
    if (stoa_entity_is_null(listener->target)) {
        list_append(&listener->channel->first, listener);
        return;
    }
    stoa__listener *first = stoa__listen_first(events, listener->target);
    if (first == NULL) {
        stoa__map_insert(&events->by_target, target_hash(listener->target), listener->id);
    }
    list_append(&first, listener);
    events->target_count++;
    targets_note(world);
}

stoa_listener stoa_listener_new(stoa_world *world, const stoa_listener_desc *desc) {
    if (world == NULL || desc == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "description");
        return (stoa_listener){0};
    }
    stoa_component id = desc_check(world, desc);
    stoa__channel *channel = id != 0 ? stoa__event_channel(world, id) : NULL;
    stoa__listener *listener = channel != NULL ? listener_make(world, desc->target) : NULL;
    if (listener == NULL) {
        stoa__world_report(world, stoa_last_error().status);
        return (stoa_listener){0};
    }
    *listener = (stoa__listener){.channel = channel,
                                 .call = desc->call,
                                 .user = desc->user,
                                 .user_free = desc->user_free,
                                 .target = desc->target,
                                 .id = ++world->events.id_last};
    listener_link(world, listener);
    return (stoa_listener){listener->id};
}

stoa_listener stoa_listener_type(stoa_world *world, stoa_type *type, stoa_listen_fn call,
                                 void *user) {
    if (type == NULL) {
        stoa__world_null(world, "type");
        return (stoa_listener){0};
    }
    return stoa_listener_new(world,
                             &(stoa_listener_desc){.type = type, .call = call, .user = user});
}

static uint32_t listener_leading(const stoa__events *events, const stoa_code *code) {
    for (uint32_t i = 0; i < events->listener_count; i++) {
        const stoa__listener *at = events->listeners[i].item;
        if (at != NULL && !at->removed &&
            (stoa_code_has(code, &at->call, sizeof at->call) ||
             stoa_code_has(code, &at->user, sizeof at->user) ||
             stoa_code_has(code, &at->user_free, sizeof at->user_free))) {
            return at->id;
        }
    }
    return 0;
}

void stoa__listen_forget(stoa_world *world, const stoa_code *code) {
    uint32_t id;
    while ((id = listener_leading(&world->events, code)) != 0) {
        (void)stoa_listener_remove(world, (stoa_listener){id});
    }
}

stoa_status stoa_listener_remove(stoa_world *world, stoa_listener listener) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    stoa_status status = stoa__event_may(world);
    if (status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    const stoa__listener_entry *entry = entry_find(&world->events, listener.id);
    if (entry == NULL || entry->item == NULL || entry->item->removed) {
        return stoa__world_report(
            world, stoa__error(STOA_NOT_FOUND, "there is no listener with the id %u", listener.id));
    }
    listener_remove(world, entry->item);
    removed_free(world);
    return STOA_OK;
}

void stoa__listen_tell(stoa_world *world, const stoa__channel *channel, stoa__listener *own,
                       const stoa_event *event) {
    stoa__listener *all = channel->first;
    uint32_t last = world->events.id_last;
    world->events.depth++;
    for (;;) {
        while (own != NULL && own->channel != channel) {
            own = own->next;
        }
        stoa__listener **next = own == NULL || (all != NULL && all->id < own->id) ? &all : &own;
        stoa__listener *listener = *next;
        if (listener == NULL || listener->id > last) {
            break;
        }
        if (!listener->removed) {
            listener->call(world, event, listener->user);
        }
        *next = listener->next;
    }
    if (--world->events.depth == 0) {
        removed_free(world);
    }
}

/* Marks all listeners to an entity; true if there were any. */
static bool target_remove(stoa_world *world, stoa_entity target) {
    stoa__listener *listener = stoa__listen_first(&world->events, target);
    for (stoa__listener *l = listener; l != NULL; l = l->next) {
        listener_remove(world, l);
    }
    return listener != NULL;
}

void stoa__event_entity_dies(stoa_world *world, stoa_entity e) {
    if (!target_remove(world, e) || world->hooks.depth == STOA_HOOK_DEPTH) {
        return;
    }
    /* What is freed belongs to the program, which may call the world: not to touch this entity. */
    stoa__hook_lock(world, e);
    removed_free(world);
    stoa__hook_unlock(world);
    target_remove(world, e);
}

void stoa__listen_free_all(stoa_world *world) {
    stoa__events *events = &world->events;
    events->depth = 0;
    for (uint32_t i = 0; i < events->listener_count; i++) {
        if (events->listeners[i].item != NULL) {
            listener_remove(world, events->listeners[i].item);
        }
    }
    removed_free(world);
    stoa__heap_grow_free(&world->storage.heap, events->listeners, events->listener_capacity,
                         sizeof *events->listeners);
    stoa__map_fini(&events->by_target, &world->storage.heap);
}

size_t stoa__listen_bytes(const stoa_world *world) {
    const stoa__events *events = &world->events;
    return events->listener_capacity * sizeof *events->listeners +
           events->by_target.capacity * sizeof(stoa__map_cell) +
           (events->listener_count - events->gone_count) * sizeof(stoa__listener);
}

/* Observers: being told of entities that begin or cease to match a query.
 *
 * An observer keeps terms and no list of entities. Each change asks, for every observer, whether
 * the entity matches on this side of the change and on the other, in O(terms). What an entity has
 * stays as it is while observers are told, since it is locked. One that is removed while anything
 * runs is only marked; it leaves the list when the outermost change ends. Telling and removing
 * never allocate. One thread at a time. */
#include "query/observe.h"

#include "query/query.h"

typedef struct stoa__observer {
    struct stoa__observer *next;
    stoa_observe_fn enter;
    stoa_observe_fn leave;
    void *user;
    void (*user_free)(void *user);
    uint32_t id;
    bool removed; /* not to be called, freed when nothing runs */
    stoa__terms terms;
} stoa__observer;

/* Frees an observer that is not listed. What the caller gave comes last: it may do anything. */
static void observer_delete(stoa_world *world, stoa__observer *observer) {
    void (*user_free)(void *user) = observer->user_free;
    void *user = observer->user;
    world->hooks.observer_count--;
    stoa__heap_free(&world->storage.heap, observer, sizeof *observer, _Alignof(stoa__observer));
    if (user_free != NULL) {
        user_free(user);
    }
}

/* Frees the observers that were removed while something ran. The entity of the outermost change is
 * still locked: those that are removed meanwhile are only marked. */
static void observers_purge(stoa_world *world) {
    world->hooks.observers_purge = NULL;
    for (stoa__observer **at = &world->observers; *at != NULL;) {
        stoa__observer *observer = *at;
        if (observer->removed) {
            *at = observer->next;
            stoa__hook_watch_update(world);
            observer_delete(world, observer);
        } else {
            at = &observer->next;
        }
    }
}

/* True if an observer that is to be called was there when id `last` was the last given out. */
static bool observer_called(const stoa__observer *observer, uint32_t last) {
    return !observer->removed && (observer->id & ~STOA__HOOK_OBSERVER) <= last;
}

/* True if an observer has been told that the entity matches: it does so now, and without the
 * changes that are being told of further out, the innermost of them, two of them, and so on.
 * `delta` as for stoa__terms_entity. */
static bool entity_told(const stoa_world *world, const stoa__observer *observer, stoa_entity e,
                        const stoa__delta *delta, bool reverse, const stoa__delta *outer) {
    const stoa__terms *terms = &observer->terms;
    bool told = stoa__terms_entity(world, terms, e, delta, reverse, NULL, NULL);
    for (const stoa__delta *last = outer; told && last != NULL; last = last->outer) {
        told = stoa__terms_entity(world, terms, e, delta, reverse, outer, last->outer);
    }
    return told;
}

void stoa__observe_leave(stoa_world *world, stoa_entity e, const stoa__delta *delta) {
    uint32_t last = world->hooks.id_last;
    for (stoa__observer *at = world->observers; at != NULL; at = at->next) {
        if (at->leave != NULL && observer_called(at, last) &&
            entity_told(world, at, e, NULL, false, delta->outer) &&
            !entity_told(world, at, e, delta, false, delta->outer)) {
            at->leave(world, e, at->user);
        }
    }
}

void stoa__observe_enter(stoa_world *world, stoa_entity e, const stoa__delta *delta) {
    uint32_t last = world->hooks.id_last;
    for (stoa__observer *at = world->observers; at != NULL; at = at->next) {
        if (at->enter != NULL && observer_called(at, last) &&
            entity_told(world, at, e, NULL, false, delta->outer) &&
            !entity_told(world, at, e, delta, true, delta->outer)) {
            at->enter(world, e, at->user);
        }
    }
}

stoa_status stoa__observe_remove(stoa_world *world, uint32_t id) {
    stoa__observer **at = &world->observers;
    while (*at != NULL && ((*at)->id != id || (*at)->removed)) {
        at = &(*at)->next;
    }
    stoa__observer *observer = *at;
    if (observer == NULL) {
        return stoa__error(STOA_NOT_FOUND, "there is no observer with the id %u", id);
    }
    if (world->hooks.depth > 0) {
        observer->removed = true;
        world->hooks.observers_purge = observers_purge;
        world->hooks.stale = true;
        return STOA_OK;
    }
    *at = observer->next;
    stoa__hook_watch_update(world);
    observer_delete(world, observer);
    return STOA_OK;
}

void stoa__observe_forget(stoa_world *world, const stoa_code *code) {
    stoa__observer *at = world->observers;
    while (at != NULL) {
        if (stoa_code_has(code, &at->enter, sizeof at->enter) ||
            stoa_code_has(code, &at->leave, sizeof at->leave) ||
            stoa_code_has(code, &at->user, sizeof at->user) ||
            stoa_code_has(code, &at->user_free, sizeof at->user_free)) {
            /* What it frees its own with may have removed others. */
            (void)stoa__observe_remove(world, at->id);
            at = world->observers;
        } else {
            at = at->next;
        }
    }
}

void stoa__observe_free_all(stoa_world *world) {
    while (world->observers != NULL) {
        stoa__observer *observer = world->observers;
        world->observers = observer->next;
        observer_delete(world, observer);
    }
}

size_t stoa__observe_bytes(const stoa_world *world) {
    return world->hooks.observer_count * sizeof(stoa__observer);
}

/* STOA_OK if an observer can be made of a description; the thread's error is set, not reported. */
static stoa_status desc_check(const stoa_world *world, const stoa_observer_desc *desc) {
    for (uint32_t i = 0; i < STOA_TERM_MAX && desc->query.terms[i].access != STOA_ACCESS_END; i++) {
        stoa_access access = desc->query.terms[i].access;
        if (access == STOA_ACCESS_CHANGED || access == STOA_ACCESS_ADDED) {
            return stoa__error(STOA_INVALID,
                               "term %u of an observer asks for what changed or was added; an "
                               "observer tells of what entities have",
                               i);
        }
    }
    if (world->hooks.id_last == STOA__HOOK_ID_MAX) {
        return stoa__error(STOA_LIMIT, "the world has no more ids for hooks");
    }
    return STOA_OK;
}

/* Makes an observer and lists it; its id, or 0 with the thread's error set. */
static uint32_t observer_make(stoa_world *world, const stoa_observer_desc *desc) {
    stoa__heap *heap = &world->storage.heap;
    if (desc_check(world, desc) != STOA_OK) {
        return 0;
    }
    stoa__observer *observer = stoa__heap_zalloc(heap, sizeof *observer, _Alignof(stoa__observer));
    if (observer == NULL) {
        stoa__error_memory("an observer");
        return 0;
    }
    if (stoa__terms_read(world, &desc->query, &observer->terms) != STOA_OK) {
        stoa__heap_free(heap, observer, sizeof *observer, _Alignof(stoa__observer));
        return 0;
    }
    observer->enter = desc->enter;
    observer->leave = desc->leave;
    observer->user = desc->user;
    observer->user_free = desc->user_free;
    observer->id = ++world->hooks.id_last | STOA__HOOK_OBSERVER;
    stoa__query_install(world);
    stoa__observer **end = &world->observers;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = observer;
    world->hooks.observer_count++;
    stoa__hook_watch_update(world);
    return observer->id;
}

stoa_hook stoa_observe(stoa_world *world, const stoa_observer_desc *desc) {
    stoa_hook none = {0};
    if (world == NULL || desc == NULL || (desc->enter == NULL && desc->leave == NULL)) {
        stoa__world_null(world, world == NULL  ? "world"
                                : desc == NULL ? "description"
                                               : "function to call");
        return none;
    }
    if (stoa__hook_may_alter(world) != STOA_OK) {
        return none;
    }
    uint32_t id = observer_make(world, desc);
    if (id == 0) {
        stoa__world_report(world, stoa_last_error().status);
    }
    return (stoa_hook){id};
}

/* The registry: named systems, run one after the other in the order they were added.
 *
 * Names are unique. While the registry runs, or is being freed, its list stays as it is: only
 * enabling goes through. A look-up by name is linear in the number of systems. One thread at a
 * time, that of the world. */
#include "base/error.h"
#include "base/heap.h"
#include "stoa/extension.h"
#include "stoa/system.h"

#include <string.h>

typedef struct registry_entry {
    char *name;
    stoa_registry_fn call;
    void *user;
    void (*user_free)(void *user);
    bool enabled;
} registry_entry;

struct stoa_registry {
    stoa_world *world;
    stoa__heap heap;         /* on the world's allocator */
    registry_entry *entries; /* in the order they run */
    uint32_t entry_capacity;
    int32_t entry_count;
    bool running;
};

static stoa_status null_refuse(const stoa_registry *registry, const char *what) {
    return stoa_world_report(registry != NULL ? registry->world : NULL,
                             stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null", what));
}

/* STOA_OK if the list may change now; otherwise reported. */
static stoa_status idle_check(const stoa_registry *registry, const char *what) {
    if (!registry->running) {
        return STOA_OK;
    }
    return stoa_world_report(
        registry->world, stoa__error(STOA_LOCKED, "%s while the registry of systems runs", what));
}

static int32_t entry_find(const stoa_registry *registry, const char *name) {
    for (int32_t i = 0; i < registry->entry_count; i++) {
        if (strcmp(registry->entries[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* The place of a system that must be there, or -1 with the status reported. */
static int32_t entry_named(const stoa_registry *registry, const char *name, stoa_status *status) {
    if (registry == NULL || name == NULL) {
        *status = null_refuse(registry, registry == NULL ? "registry" : "name of a system");
        return -1;
    }
    int32_t index = entry_find(registry, name);
    *status = STOA_OK;
    if (index < 0) {
        *status = stoa_world_report(registry->world,
                                    stoa__error(STOA_NOT_FOUND, "there is no system '%s'", name));
    }
    return index;
}

/* Frees what an entry owns, the user's part last, when nothing here depends on it. */
static void entry_free(stoa__heap *heap, registry_entry old) {
    stoa__heap_text_free(heap, old.name);
    if (old.user_free != NULL) {
        old.user_free(old.user);
    }
}

stoa_registry *stoa_registry_new(stoa_world *world) {
    if (world == NULL) {
        null_refuse(NULL, "world");
        return NULL;
    }
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    stoa_registry *registry = stoa__heap_zalloc(&heap, sizeof *registry, _Alignof(stoa_registry));
    if (registry == NULL) {
        stoa_world_report(world, stoa__error_memory("a registry of systems"));
        return NULL;
    }
    registry->world = world;
    registry->heap = heap;
    return registry;
}

stoa_status stoa_registry_free(stoa_registry *registry) {
    if (registry == NULL) {
        return STOA_OK;
    }
    stoa_status status = idle_check(registry, "a registry cannot be freed");
    if (status != STOA_OK) {
        return status;
    }
    /* A user's function that is called now finds the systems that are left, and cannot change the
     * list. */
    registry->running = true;
    while (registry->entry_count > 0) {
        entry_free(&registry->heap, registry->entries[--registry->entry_count]);
    }
    stoa__heap_grow_free(&registry->heap, registry->entries, registry->entry_capacity,
                         sizeof(registry_entry));
    stoa__heap heap = registry->heap;
    stoa__heap_free(&heap, registry, sizeof *registry, _Alignof(stoa_registry));
    return STOA_OK;
}

/* STOA_OK if a system of that name can be added; otherwise reported. */
static stoa_status add_check(const stoa_registry *registry, const char *name,
                             stoa_registry_fn call) {
    if (registry == NULL || name == NULL || call == NULL) {
        return null_refuse(registry, registry == NULL ? "registry"
                                     : name == NULL   ? "name of a system"
                                                      : "function of a system");
    }
    stoa_status status = idle_check(registry, "a system cannot be added");
    if (status != STOA_OK) {
        return status;
    }
    if (name[0] == '\0') {
        status = stoa__error(STOA_INVALID, "a system needs a name that is not empty");
    } else if (entry_find(registry, name) >= 0) {
        status = stoa__error(STOA_CONFLICT, "there is a system '%s' already", name);
    }
    return stoa_world_report(registry->world, status);
}

stoa_status stoa_registry_add(stoa_registry *registry, const char *name, stoa_registry_fn call,
                              void *user, void (*user_free)(void *user)) {
    stoa_status status = add_check(registry, name, call);
    if (status != STOA_OK) {
        return status;
    }
    uint32_t need = (uint32_t)registry->entry_count + 1;
    char *copy = NULL;
    if (stoa__heap_grow(&registry->heap, &registry->entries, &registry->entry_capacity, need,
                        sizeof(registry_entry))) {
        copy = stoa__heap_text(&registry->heap, name);
    }
    if (copy == NULL) {
        return stoa_world_report(
            registry->world, stoa__error(STOA_NO_MEMORY, "out of memory for system '%s'", name));
    }
    registry->entries[registry->entry_count++] = (registry_entry){
        .name = copy, .call = call, .user = user, .user_free = user_free, .enabled = true};
    return STOA_OK;
}

stoa_status stoa_registry_remove(stoa_registry *registry, const char *name) {
    stoa_status status;
    int32_t index = entry_named(registry, name, &status);
    if (index < 0) {
        return status;
    }
    status = idle_check(registry, "a system cannot be removed");
    if (status != STOA_OK) {
        return status;
    }
    registry_entry *gone = &registry->entries[index];
    registry_entry old = *gone;
    registry->entry_count--;
    memmove(gone, gone + 1, (size_t)(registry->entry_count - index) * sizeof(registry_entry));
    entry_free(&registry->heap, old);
    return STOA_OK;
}

stoa_status stoa_registry_enable(stoa_registry *registry, const char *name, bool on) {
    stoa_status status;
    int32_t index = entry_named(registry, name, &status);
    if (index >= 0) {
        registry->entries[index].enabled = on;
    }
    return status;
}

int32_t stoa_registry_find(const stoa_registry *registry, const char *name) {
    return registry != NULL && name != NULL ? entry_find(registry, name) : -1;
}

int32_t stoa_registry_count(const stoa_registry *registry) {
    return registry != NULL ? registry->entry_count : 0;
}

static const registry_entry *entry_at(const stoa_registry *registry, int32_t index) {
    bool there = registry != NULL && index >= 0 && index < registry->entry_count;
    return there ? &registry->entries[index] : NULL;
}

const char *stoa_registry_name(const stoa_registry *registry, int32_t index) {
    const registry_entry *found = entry_at(registry, index);
    return found != NULL ? found->name : NULL;
}

bool stoa_registry_enabled(const stoa_registry *registry, int32_t index) {
    const registry_entry *found = entry_at(registry, index);
    return found != NULL && found->enabled;
}

stoa_status stoa_registry_run(stoa_registry *registry) {
    if (registry == NULL) {
        return null_refuse(NULL, "registry");
    }
    stoa_status status = idle_check(registry, "a registry cannot be run");
    if (status != STOA_OK) {
        return status;
    }
    registry->running = true;
    stoa_world_pin(registry->world);
    for (int32_t i = 0; i < registry->entry_count && status == STOA_OK; i++) {
        const registry_entry *next = &registry->entries[i];
        if (next->enabled) {
            next->call(registry->world, next->user);
            status = stoa_flush(registry->world);
            if (status != STOA_OK) {
                /* The world's handlers were told by the flush; the message is made to say where. */
                stoa__error(status, "after system '%s': %s", next->name, stoa_last_error().message);
            }
        }
    }
    stoa_world_unpin(registry->world);
    registry->running = false;
    return status;
}

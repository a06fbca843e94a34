/* The log of removed components and destroyed entities.
 *
 * A ring of fixed capacity: entries are numbered from 0 and the oldest gives way to the newest.
 * Ticks never go back, so the entries newer than a tick are the last ones. The newest tick among
 * those that gave way tells whether a question may have missed some. Adding is O(1) and never
 * allocates. One thread at a time. */
#include "world/log.h"

#include "storage/registry.h"
#include "world/world.h"

/* The number of the oldest entry that is still there. */
static uint64_t oldest(const stoa__log *log) {
    return log->next - log->first > log->capacity ? log->next - log->capacity : log->first;
}

static stoa__log_entry *entry_at(const stoa__log *log, uint64_t number) {
    return &log->entries[number % log->capacity];
}

void stoa__log_add(stoa_world *world, stoa_entity e, stoa_component id) {
    stoa__log *log = &world->log;
    if (log->capacity == 0) {
        return;
    }
    stoa__log_entry *entry = entry_at(log, log->next);
    if (log->next - log->first >= log->capacity) {
        log->lost = true;
        log->lost_tick = entry->tick;
    }
    *entry = (stoa__log_entry){e, id, world->storage.head.tick};
    log->next++;
}

static void tick_clamp(uint32_t *tick, uint32_t now, uint32_t age) {
    if (now - *tick > age) {
        *tick = now - age;
    }
}

void stoa__log_sweep(stoa_world *world, uint32_t tick, uint32_t age) {
    stoa__log *log = &world->log;
    for (uint64_t i = oldest(log); i < log->next; i++) {
        tick_clamp(&entry_at(log, i)->tick, tick, age);
    }
    if (log->lost) {
        tick_clamp(&log->lost_tick, tick, age);
    }
}

static void entries_free(stoa_world *world) {
    stoa__log *log = &world->log;
    stoa__heap_free(&world->storage.heap, log->entries, log->capacity * sizeof *log->entries,
                    _Alignof(stoa__log_entry));
}

void stoa__log_free(stoa_world *world) {
    entries_free(world);
    world->log = (stoa__log){0};
}

size_t stoa__log_bytes(const stoa_world *world) {
    return world->log.capacity * sizeof(stoa__log_entry);
}

/* Notes what a log that is about to begin cannot know: the entries of the one before it, or, if
 * none was kept, whatever happened until now. */
static void past_lose(stoa_world *world) {
    stoa__log *log = &world->log;
    const stoa_world_head *head = &world->storage.head;
    if (log->capacity != 0 && log->next > log->first) {
        log->lost = true;
        log->lost_tick = entry_at(log, log->next - 1)->tick;
    } else if (log->capacity == 0 && head->record_count > 1) {
        log->lost = true;
        log->lost_tick = head->tick;
    }
}

stoa_status stoa_log_keep(stoa_world *world, int32_t capacity) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    if (capacity < 0) {
        return stoa__world_report(
            world, stoa__error(STOA_INVALID, "a log cannot keep %d entries", capacity));
    }
    stoa__log *log = &world->log;
    stoa_status status = stoa__hook_may_alter(world);
    if (status != STOA_OK || (uint32_t)capacity == log->capacity) {
        return status;
    }
    stoa__log_entry *entries = NULL;
    if (capacity > 0) {
        entries = stoa__heap_alloc(&world->storage.heap, (size_t)capacity * sizeof *entries,
                                   _Alignof(stoa__log_entry));
        if (entries == NULL) {
            return stoa__world_report(world, stoa__error_memory("a log"));
        }
    }
    past_lose(world);
    entries_free(world);
    log->entries = entries;
    log->capacity = (uint32_t)capacity;
    log->first = log->next;
    stoa__hook_watch_update(world);
    return STOA_OK;
}

/* The number of the first entry newer than a tick. */
static uint64_t entry_after(const stoa__log *log, uint32_t since) {
    uint64_t low = oldest(log), high = log->next;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (stoa_tick_newer(entry_at(log, middle)->tick, since)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static stoa_log walk_begin(const stoa_world *world, stoa_component id, uint32_t since) {
    const stoa__log *log = &world->log;
    stoa_log walk = {.world = world, .component = id, .next = entry_after(log, since)};
    walk.lost = log->capacity == 0 || (log->lost && stoa_tick_newer(log->lost_tick, since));
    return walk;
}

stoa_log stoa_log_since(const stoa_world *world, stoa_component id, uint32_t since) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return (stoa_log){.lost = true};
    }
    if (id != 0 && !stoa__component_known(&world->storage, id)) {
        stoa__world_unknown(world, id);
        return (stoa_log){.lost = true};
    }
    return walk_begin(world, id, since);
}

stoa_log stoa_log_since_type(const stoa_world *world, stoa_type *type, uint32_t since) {
    if (world == NULL || type == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "type");
        return (stoa_log){.lost = true};
    }
    stoa_log walk = walk_begin(world, stoa__registry_find_type(&world->storage, type), since);
    if (walk.component == 0) {
        /* Nobody ever had a component that the world has not met. */
        walk.world = NULL;
        walk.lost = world->log.capacity == 0;
    }
    return walk;
}

bool stoa_log_next(stoa_log *walk) {
    if (walk == NULL || walk->world == NULL) {
        return false;
    }
    const stoa__log *log = &walk->world->log;
    if (log->capacity == 0) {
        walk->lost = true;
        return false;
    }
    if (walk->next < oldest(log)) {
        walk->next = oldest(log);
        walk->lost = true;
    }
    while (walk->next < log->next) {
        const stoa__log_entry *entry = entry_at(log, walk->next++);
        if (entry->component == walk->component) {
            walk->entity = entry->entity;
            walk->tick = entry->tick;
            return true;
        }
    }
    return false;
}

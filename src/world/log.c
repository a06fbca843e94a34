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

static stoa_log_entry *entry_at(const stoa__log *log, uint64_t number) {
    return &log->entries[number % log->capacity];
}

void stoa__log_add(stoa_world *world, stoa_entity e, stoa_component id) {
    stoa__log *log = &world->log;
    if (log->capacity == 0) {
        return;
    }
    stoa_log_entry *entry = entry_at(log, log->next);
    if (log->next - log->first >= log->capacity) {
        log->lost = true;
        log->lost_tick = entry->tick;
    }
    *entry = (stoa_log_entry){e, id, world->storage.head.tick};
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
                    _Alignof(stoa_log_entry));
}

void stoa__log_free(stoa_world *world) {
    entries_free(world);
    world->log = (stoa__log){0};
}

size_t stoa__log_bytes(const stoa_world *world) {
    return world->log.capacity * sizeof(stoa_log_entry);
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

void stoa__log_restart(stoa_world *world) {
    stoa__log *log = &world->log;
    log->first = log->next;
    log->lost = true;
    log->lost_tick = world->storage.head.tick;
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
    stoa_log_entry *entries = NULL;
    if (capacity > 0) {
        entries = stoa__heap_alloc(&world->storage.heap, (size_t)capacity * sizeof *entries,
                                   _Alignof(stoa_log_entry));
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
        const stoa_log_entry *entry = entry_at(log, walk->next++);
        if (entry->component == walk->component) {
            walk->entity = entry->entity;
            walk->tick = entry->tick;
            return true;
        }
    }
    return false;
}

stoa_status stoa_log_get(const stoa_world *world, stoa_log_entry *entries, int32_t capacity,
                         stoa_log_content *content) {
    if (world == NULL || content == NULL || (entries == NULL && capacity > 0)) {
        return stoa__world_null(world, world == NULL     ? "world"
                                       : content == NULL ? "content"
                                                         : "list of entries");
    }
    const stoa__log *log = &world->log;
    uint64_t first = oldest(log);
    for (uint64_t i = first; i < log->next && i - first < (uint64_t)(capacity > 0 ? capacity : 0);
         i++) {
        entries[i - first] = *entry_at(log, i);
    }
    *content = (stoa_log_content){entries, (int32_t)(log->next - first), log->lost, log->lost_tick,
                                  (int32_t)log->capacity};
    return STOA_OK;
}

/* STOA_OK if the ticks of what a log is to hold do not go back; otherwise the thread's error. */
static stoa_status content_check(const stoa_world *world, const stoa_log_content *content) {
    uint32_t age = INT32_MAX;
    uint32_t now = world->storage.head.tick;
    bool good = content->count == 0 || content->entries != NULL;
    if (content->lost) {
        good = good && now - content->lost_tick <= age;
        age = now - content->lost_tick;
    }
    for (int32_t i = 0; i < content->count && good; i++) {
        good = now - content->entries[i].tick <= age;
        age = now - content->entries[i].tick;
    }
    return good && content->count >= 0
               ? STOA_OK
               : stoa__error(STOA_INVALID, "the entries of a log are not in order");
}

stoa_status stoa_log_set(stoa_world *world, const stoa_log_content *content) {
    if (world == NULL || content == NULL) {
        return stoa__world_null(world, world == NULL ? "world" : "content");
    }
    stoa__log *log = &world->log;
    stoa_status status = stoa__hook_may_alter(world);
    if (status == STOA_OK) {
        status = stoa__world_report(world, content_check(world, content));
    }
    if (status != STOA_OK || log->capacity == 0) {
        return status;
    }
    log->first = log->next;
    log->lost = content->lost;
    log->lost_tick = content->lost_tick;
    int32_t room = (int32_t)log->capacity;
    int32_t skipped = content->count > room ? content->count - room : 0;
    if (skipped > 0) {
        log->lost = true;
        log->lost_tick = content->entries[skipped - 1].tick;
    }
    for (int32_t i = skipped; i < content->count; i++) {
        *entry_at(log, log->next++) = content->entries[i];
    }
    return STOA_OK;
}

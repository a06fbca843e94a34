/* The entity table as a list of generations and a list of free slots: taking it down, and checking
 * one that somebody gives. O(slots). */
#include "storage/entities.h"
#include "world/rebuild.h"

/* Generations of slots that are retired. */
#define RETIRED STOA__DEAD

stoa_status stoa_slots_get(const stoa_world *world, uint32_t *generations, uint32_t *free,
                           stoa_slots *slots) {
    if (world == NULL || slots == NULL) {
        return stoa__world_null(world, world == NULL ? "world" : "slots");
    }
    const stoa__storage *storage = &world->storage;
    if (storage->reserved_count > 0) {
        return stoa__world_report(
            world, stoa__error(STOA_INVALID, "command buffers hold %u handles that do not live yet",
                               storage->reserved_count));
    }
    const stoa_record *records = storage->head.records;
    for (uint32_t i = 0; generations != NULL && i < storage->head.record_count; i++) {
        generations[i] = records[i].generation;
    }
    uint32_t at = storage->free_first;
    for (uint32_t i = 0; free != NULL && i < storage->free_count; i++) {
        free[i] = at;
        at = stoa__record_next(&records[at]);
    }
    *slots = (stoa_slots){generations, storage->head.record_count, free, storage->free_count};
    return STOA_OK;
}

static stoa_status free_check(const stoa_slots *slots, uint64_t *seen) {
    for (uint32_t i = 0; i < slots->free_count; i++) {
        uint32_t slot = slots->free[i];
        if (slot == 0 || slot >= slots->count || (slots->generations[slot] & STOA__DEAD) == 0 ||
            slots->generations[slot] == RETIRED || (seen[slot / 64] >> slot % 64 & 1) != 0) {
            return stoa__error(STOA_CORRUPT, "slot %u cannot be entry %u of the free list", slot,
                               i);
        }
        seen[slot / 64] |= (uint64_t)1 << slot % 64;
    }
    return STOA_OK;
}

stoa_status stoa__rebuild_slots_check(stoa_rebuild *rebuild, const stoa_slots *slots) {
    if (slots->count == 0 || slots->count > (uint32_t)STOA_ENTITY_MAX ||
        slots->generations == NULL || (slots->free_count > 0 && slots->free == NULL)) {
        return stoa__error(STOA_CORRUPT, "%u slots cannot be the table of a world", slots->count);
    }
    /* Without a branch, so that several are looked at in one go. */
    uint32_t dead = 0;
    uint32_t unborn = 0;
    for (uint32_t i = 1; i < slots->count; i++) {
        uint32_t generation = slots->generations[i];
        unborn += generation == 0;
        dead += generation > RETIRED;
    }
    if (unborn > 0) {
        return stoa__error(STOA_CORRUPT, "%u slots live and have no generation", unborn);
    }
    if (dead != slots->free_count) {
        return stoa__error(STOA_CORRUPT, "%u slots are free, and %u are in the list", dead,
                           slots->free_count);
    }
    size_t size = ((size_t)slots->count + 63) / 64 * sizeof(uint64_t);
    uint64_t *seen = stoa__heap_zalloc(&rebuild->heap, size, _Alignof(uint64_t));
    if (seen == NULL) {
        return stoa__error_memory("a list of slots");
    }
    stoa_status status = free_check(slots, seen);
    stoa__heap_free(&rebuild->heap, seen, size, _Alignof(uint64_t));
    return status;
}

/* The table of entities out of JSON.
 *
 * A text with handles names every slot: entities, the free list, and slots that are used up. One
 * without the free list, such as a person writes, leaves slots free where it has gaps. A text
 * without handles takes them as new entities of the world would. The table is no larger than a
 * multiple of what the text lists. */
#include "json/world.h"

#include <inttypes.h>
#include <string.h>

/* How far handles may lie apart if the text has no free list. */
#define GAP_FACTOR 16u
#define GAP_FIRST 1024u

/* A handle of the section `key`, which is a list. */
static stoa_status handle_read(stoa__json_loading *l, const char *key, json_t *list, size_t index,
                               stoa_entity *e) {
    stoa__json_path path = {NULL, l->in->root, key, 0};
    stoa__json_path item = {&path, list, NULL, index};
    json_t *json = json_array_get(list, index);
    *e = STOA_NULL;
    if (!json_is_string(json) || !stoa__json_parse_handle(json_string_value(json), e) ||
        e->index == 0 || e->generation == 0 || e->generation >= STOA_SLOT_DEAD) {
        return stoa__json_expected(l->in, &item, json, "a handle, such as \"17v3\"");
    }
    return STOA_OK;
}

static stoa_status number_read(stoa__json_loading *l, const char *key, json_t *list, size_t index,
                               uint32_t *number) {
    stoa__json_path path = {NULL, l->in->root, key, 0};
    stoa__json_path item = {&path, list, NULL, index};
    json_t *json = json_array_get(list, index);
    *number = 0;
    if (!json_is_integer(json) || json_integer_value(json) < 1 ||
        json_integer_value(json) > INT32_MAX) {
        return stoa__json_expected(l->in, &item, json, "the index of a slot");
    }
    *number = (uint32_t)json_integer_value(json);
    return STOA_OK;
}

/* Finds the highest slot that is named. */
static stoa_status slots_measure(stoa__json_loading *l, json_t *free, json_t *retired) {
    uint32_t most = 0, number;
    stoa_entity e;
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < l->names.count; i++) {
        most = l->names.entities[i].index > most ? l->names.entities[i].index : most;
    }
    for (size_t i = 0; i < json_array_size(free) && status == STOA_OK; i++) {
        status = handle_read(l, "free", free, i, &e);
        most = status == STOA_OK && e.index > most ? e.index : most;
    }
    for (size_t i = 0; i < json_array_size(retired) && status == STOA_OK; i++) {
        status = number_read(l, "retired", retired, i, &number);
        most = status == STOA_OK && number > most ? number : most;
    }
    uint64_t named = l->names.count + json_array_size(free) + json_array_size(retired);
    if (status == STOA_OK && free != NULL && most != named) {
        stoa__json_path path = {NULL, l->in->root, "free", 0};
        status =
            stoa__json_fail(l->in, &path, STOA_CORRUPT,
                            "slots go up to %" PRIu32 ", but %" PRIu64 " are named", most, named);
    } else if (status == STOA_OK && most > named * GAP_FACTOR + GAP_FIRST) {
        stoa__json_path path = {NULL, l->in->root, "entities", 0};
        status = stoa__json_fail(l->in, &path, STOA_LIMIT,
                                 "slot %" PRIu32 " is too far off for %" PRIu64 " entities", most,
                                 named);
    }
    l->slot_count = most + 1;
    return status;
}

/* Takes a slot that nothing else has. */
static stoa_status slot_take(stoa__json_loading *l, const char *key, json_t *list, size_t index,
                             uint32_t slot, uint32_t generation) {
    if (l->generations[slot] != 0) {
        stoa__json_path path = {NULL, l->in->root, key, 0};
        stoa__json_path item = {&path, list, NULL, index};
        return stoa__json_fail(l->in, &item, STOA_CORRUPT, "slot %" PRIu32 " is named twice", slot);
    }
    l->generations[slot] = generation;
    return STOA_OK;
}

static stoa_status live_fill(stoa__json_loading *l) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < l->names.count && status == STOA_OK; i++) {
        stoa_entity e = l->names.entities[i];
        if (e.generation == 0 || e.generation >= STOA_SLOT_DEAD) {
            stoa__json_path path = {NULL, l->in->root, "entities", 0};
            stoa__json_path item = {&path, l->list, NULL, i};
            return stoa__json_fail(l->in, &item, STOA_SYNTAX,
                                   "%" PRIu32 " is no generation of a live entity", e.generation);
        }
        status = slot_take(l, "entities", l->list, i, e.index, e.generation);
    }
    return status;
}

static stoa_status dead_fill(stoa__json_loading *l, json_t *free, json_t *retired) {
    stoa_status status = STOA_OK;
    for (size_t i = 0; i < json_array_size(free) && status == STOA_OK; i++) {
        stoa_entity e;
        status = handle_read(l, "free", free, i, &e);
        if (status == STOA_OK) {
            status = slot_take(l, "free", free, i, e.index, e.generation | STOA_SLOT_DEAD);
            l->free[l->free_count++] = e.index;
        }
    }
    for (size_t i = 0; i < json_array_size(retired) && status == STOA_OK; i++) {
        uint32_t slot;
        status = number_read(l, "retired", retired, i, &slot);
        if (status == STOA_OK) {
            status = slot_take(l, "retired", retired, i, slot, STOA_SLOT_DEAD);
        }
    }
    for (uint32_t i = 1; i < l->slot_count && status == STOA_OK && free == NULL; i++) {
        if (l->generations[i] == 0) {
            l->generations[i] = STOA_SLOT_DEAD | 1;
            l->free[l->free_count++] = i;
        }
    }
    return status;
}

/* Room for so many slots, all of which may be free. */
static stoa_status tables_alloc(stoa__json_loading *l, uint32_t count) {
    if (!stoa__heap_grow(&l->in->heap, &l->generations, &l->slot_capacity, count,
                         sizeof *l->generations) ||
        !stoa__heap_grow(&l->in->heap, &l->free, &l->free_capacity, count, sizeof *l->free)) {
        return stoa__error_memory("the table of entities");
    }
    memset(l->generations, 0, count * sizeof *l->generations);
    l->generations[0] = STOA_SLOT_DEAD | 1;
    return STOA_OK;
}

static stoa_status handles_read(stoa__json_loading *l) {
    json_t *free = NULL, *retired = NULL;
    stoa_status status = stoa__json_section(l->in, "free", JSON_ARRAY, &free);
    if (status == STOA_OK) {
        status = stoa__json_section(l->in, "retired", JSON_ARRAY, &retired);
    }
    if (status == STOA_OK) {
        status = slots_measure(l, free, retired);
    }
    if (status == STOA_OK) {
        status = tables_alloc(l, l->slot_count);
    }
    if (status == STOA_OK) {
        status = live_fill(l);
    }
    return status == STOA_OK ? dead_fill(l, free, retired) : status;
}

/* Handles as the world would give them: free slots first. */
static stoa_status handles_draw(stoa__json_loading *l) {
    stoa_slots slots;
    stoa_status status = stoa_slots_get(l->in->world, NULL, NULL, &slots);
    if (status == STOA_OK) {
        if ((uint64_t)slots.count + l->names.count > STOA_ENTITY_MAX) {
            return stoa__error(STOA_LIMIT, "a world holds at most %d entities", STOA_ENTITY_MAX);
        }
        status = tables_alloc(l, slots.count + l->names.count);
    }
    if (status != STOA_OK) {
        return status;
    }
    (void)stoa_slots_get(l->in->world, l->generations, l->free, &slots);
    uint32_t taken = 0;
    l->slot_count = slots.count;
    for (uint32_t i = 0; i < l->names.count; i++) {
        uint32_t slot = taken < slots.free_count ? l->free[taken++] : l->slot_count++;
        uint32_t generation = slot < slots.count ? l->generations[slot] & ~STOA_SLOT_DEAD : 1;
        l->generations[slot] = generation;
        l->names.entities[i] = (stoa_entity){slot, generation};
    }
    l->free_count = slots.free_count - taken;
    memmove(l->free, l->free + taken, l->free_count * sizeof *l->free);
    return STOA_OK;
}

stoa_status stoa__json_slots_read(stoa__json_loading *l) {
    bool named = json_object_get(l->in->root, "free") != NULL;
    return l->names.handles || (named && l->names.count == 0) ? handles_read(l) : handles_draw(l);
}

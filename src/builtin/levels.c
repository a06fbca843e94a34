/* Building the order of transforms.
 *
 * Rows are numbered as a query walks them. Counting sort puts the children of each row side by
 * side, in that numbering; the order is then what a queue makes of it that begins with those that
 * start a tree. A circle, which the relation of parents refuses, would be left out. Everything is
 * linear in the number of entities, memory is reserved first, and one thread works. */
#include "builtin/levels.h"

#include "base/bytes.h"
#include "base/error.h"

#include <string.h>

void stoa__levels_fini(stoa__levels *order, stoa__heap *heap) {
    stoa__heap_grow_free(heap, order->items, order->capacity, sizeof *order->items);
    stoa__heap_grow_free(heap, order->places, order->place_capacity, sizeof *order->places);
    stoa__heap_grow_free(heap, order->even, order->even_capacity, sizeof *order->even);
    *order = (stoa__levels){0};
}

void stoa__levels_scratch_fini(stoa__levels_scratch *scratch, stoa__heap *heap) {
    stoa__levels_scratch *s = scratch;
    stoa__heap_grow_free(heap, s->entities, s->capacity, sizeof *s->entities);
    stoa__heap_grow_free(heap, s->parents, s->parent_capacity, sizeof *s->parents);
    stoa__heap_grow_free(heap, s->begins, s->begin_capacity, sizeof *s->begins);
    stoa__heap_grow_free(heap, s->children, s->child_capacity, sizeof *s->children);
    stoa__heap_grow_free(heap, s->slots, s->slot_capacity, sizeof *s->slots);
    *s = (stoa__levels_scratch){0};
}

/* Room for so many entities with indexes below `indexes`. */
static bool order_reserve(stoa__levels *order, stoa__heap *heap, uint32_t count, uint32_t indexes) {
    uint32_t before = order->place_capacity;
    bool ok =
        stoa__heap_grow(heap, &order->items, &order->capacity, count + 1, sizeof *order->items) &&
        stoa__heap_grow(heap, &order->even, &order->even_capacity,
                        count / (64 * STOA__LEVELS_BLOCK) + 1, sizeof *order->even) &&
        stoa__heap_grow(heap, &order->places, &order->place_capacity, indexes,
                        sizeof *order->places);
    if (order->place_capacity > before) {
        /* Stale numbers do no harm there, but they have to be numbers. */
        memset(order->places + before, 0, (order->place_capacity - before) * sizeof *order->places);
    }
    return ok;
}

static bool scratch_reserve(stoa__levels_scratch *s, stoa__heap *heap, uint32_t count) {
    return stoa__heap_grow(heap, &s->entities, &s->capacity, count, sizeof *s->entities) &&
           stoa__heap_grow(heap, &s->parents, &s->parent_capacity, count, sizeof *s->parents) &&
           stoa__heap_grow(heap, &s->begins, &s->begin_capacity, count + 1, sizeof *s->begins) &&
           stoa__heap_grow(heap, &s->children, &s->child_capacity, count, sizeof *s->children) &&
           stoa__heap_grow(heap, &s->slots, &s->slot_capacity, count, sizeof *s->slots);
}

/* Numbers the rows and notes where each entity is. */
static void slots_number(stoa__levels *order, stoa__levels_scratch *scratch, stoa_query *query) {
    uint32_t slot = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        memcpy(scratch->entities + slot, it.entities, (size_t)it.count * sizeof *it.entities);
        for (int32_t row = 0; row < it.count; row++) {
            order->places[it.entities[row].index] = slot++;
        }
    }
}

/* The slot of a parent, or STOA__LEVELS_NONE. */
static uint32_t slot_find(const stoa__levels *order, const stoa__levels_scratch *scratch,
                          stoa_entity e) {
    uint32_t slot = e.index < order->place_capacity ? order->places[e.index] : order->count;
    return slot < order->count && stoa_entity_eq(scratch->entities[slot], e) ? slot
                                                                             : STOA__LEVELS_NONE;
}

/* Finds the parents; leaves in begins[slot + 1] how many children a slot has. */
static void parents_find(stoa__levels *order, stoa__levels_scratch *scratch, stoa_query *query) {
    uint32_t slot = 0;
    memset(scratch->begins, 0, ((size_t)order->count + 1) * sizeof *scratch->begins);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        const Parent *parents = stoa_field(&it, Parent, STOA__LEVELS_PARENT);
        for (int32_t row = 0; row < it.count; row++, slot++) {
            uint32_t parent = STOA__LEVELS_NONE;
            if (parents != NULL) {
                parent = slot_find(order, scratch, parents[row].entity);
            }
            scratch->parents[slot] = parent;
            if (parent != STOA__LEVELS_NONE) {
                scratch->begins[parent + 1]++;
            }
        }
    }
}

/* Puts the children of each slot side by side, in order of slots. */
static void children_sort(const stoa__levels *order, stoa__levels_scratch *scratch) {
    for (uint32_t slot = 0; slot < order->count; slot++) {
        scratch->begins[slot + 1] += scratch->begins[slot];
    }
    /* Filled from the end, so that the ends become the beginnings. */
    for (uint32_t slot = order->count; slot-- > 0;) {
        uint32_t parent = scratch->parents[slot];
        if (parent != STOA__LEVELS_NONE) {
            scratch->children[--scratch->begins[parent + 1]] = slot;
        }
    }
}

/* True if each entity but the first has the index after that of the one before. */
static bool entities_follow(const stoa__level_item *items, uint32_t count) {
    uint64_t first = stoa_entity_pack(items[0].entity), differ = 0;
    for (uint32_t i = 1; i < count; i++) {
        differ |= stoa_entity_pack(items[i].entity) ^ (first + i);
    }
    return differ == 0;
}

/* Notes what follows from the entities of all places. */
static void entities_note(stoa__levels *order) {
    for (uint32_t place = 0; place < order->count; place++) {
        order->places[order->items[place].entity.index] = place;
    }
    memset(order->even, 0, order->even_capacity * sizeof *order->even);
    for (uint32_t place = 0; place < order->count; place += STOA__LEVELS_BLOCK) {
        uint32_t block = place / STOA__LEVELS_BLOCK, left = order->count - place;
        uint64_t even = entities_follow(order->items + place,
                                        left < STOA__LEVELS_BLOCK ? left : STOA__LEVELS_BLOCK);
        order->even[block / 64] |= even << block % 64;
    }
}

/* Gives everybody a place. begins[slot + 1] is where the children of a slot begin. */
static void places_give(stoa__levels *order, stoa__levels_scratch *scratch) {
    uint32_t end = 0, linked = 0;
    for (uint32_t slot = 0; slot < order->count; slot++) {
        if (scratch->parents[slot] == STOA__LEVELS_NONE) {
            order->items[end].parent = STOA__LEVELS_NONE;
            scratch->slots[end++] = slot;
        }
    }
    linked = order->count - end;
    for (uint32_t place = 0; place < end; place++) {
        uint32_t slot = scratch->slots[place];
        uint32_t child = scratch->begins[slot + 1];
        uint32_t past = slot + 1 < order->count ? scratch->begins[slot + 2] : linked;
        order->items[place].first = end;
        order->items[place].entity = scratch->entities[slot];
        for (; child < past; child++) {
            order->items[end].parent = place;
            scratch->slots[end++] = scratch->children[child];
        }
    }
    order->count = end;
    order->items[end] = (stoa__level_item){STOA_NULL, STOA__LEVELS_NONE, end};
    entities_note(order);
}

bool stoa__levels_build(stoa__levels *order, stoa__levels_scratch *scratch, stoa__heap *heap,
                        stoa_query *query) {
    const stoa_world_head *world = (const stoa_world_head *)(const void *)stoa_query_world(query);
    uint32_t count = (uint32_t)stoa_query_count(query);
    order->count = 0;
    if (!order_reserve(order, heap, count, world->record_count) ||
        !scratch_reserve(scratch, heap, count)) {
        return false;
    }
    order->count = count;
    slots_number(order, scratch, query);
    parents_find(order, scratch, query);
    children_sort(order, scratch);
    places_give(order, scratch);
    return true;
}

stoa_status stoa__levels_save(const stoa__levels *order, const stoa_sink *sink) {
    stoa__encoder output = {sink, STOA_OK};
    stoa__encode_bytes(&output, &order->count, sizeof order->count);
    if (order->count > 0) {
        stoa__encode_bytes(&output, order->items, (order->count + 1) * sizeof *order->items);
    }
    return output.status;
}

stoa_status stoa__levels_load(stoa__levels *order, stoa__heap *heap, const void *bytes,
                              size_t size) {
    uint32_t count, indexes = 0;
    order->count = 0;
    if (size < sizeof count) {
        return stoa__error(STOA_CORRUPT, "transforms: an order of %zu bytes", size);
    }
    const uint8_t *at = bytes;
    memcpy(&count, at, sizeof count);
    at += sizeof count;
    size_t rest = count > 0 ? ((size_t)count + 1) * sizeof *order->items : 0;
    if (size != sizeof count + rest) {
        return stoa__error(STOA_CORRUPT, "transforms: an order of %zu bytes", size);
    }
    for (uint32_t place = 0; place < count; place++) {
        stoa__level_item item;
        memcpy(&item, at + place * sizeof item, sizeof item);
        indexes = item.entity.index >= indexes ? item.entity.index + 1 : indexes;
    }
    if (!order_reserve(order, heap, count, indexes)) {
        return stoa__error_memory("the order of transforms");
    }
    if (count > 0) {
        memcpy(order->items, at, rest);
    }
    order->count = count;
    entities_note(order);
    return STOA_OK;
}

stoa_status stoa__levels_check(const stoa__levels *order) {
    for (uint32_t place = 0; place < order->count; place++) {
        char text[STOA_ENTITY_TEXT_SIZE];
        uint32_t parent = order->items[place].parent;
        bool root = parent == STOA__LEVELS_NONE;
        bool right = order->items[place].first > place &&
                     order->items[place + 1].first <= order->count &&
                     order->items[place].first <= order->items[place + 1].first &&
                     stoa__levels_find(order, order->items[place].entity) == place;
        uint32_t first = place - place % STOA__LEVELS_BLOCK;
        right = right && (!stoa__levels_even(order, place) ||
                          stoa_entity_pack(order->items[place].entity) ==
                              stoa_entity_pack(order->items[first].entity) + (place - first));
        if (!right || (!root && (parent >= place || place < order->items[parent].first ||
                                 place >= order->items[parent + 1].first))) {
            stoa_entity_print(order->items[place].entity, text, sizeof text);
            return stoa__error(STOA_CORRUPT, "transforms: the place of entity %s is wrong", text);
        }
    }
    return STOA_OK;
}

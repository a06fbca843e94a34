/* The reference: plain arrays, linear search, nothing shared between entities.
 *
 * A slot's generations must rise with every handle issued; that is checked as entities are taken
 * in. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

static void *array_grow(void *array, size_t size) {
    void *grown = realloc(array, size);
    if (grown == NULL) {
        abort();
    }
    return grown;
}

void reference_init(reference *r, int32_t op_capacity) {
    memset(r, 0, sizeof *r);
    r->op_capacity = op_capacity;
    r->made_first = array_grow(NULL, (size_t)(op_capacity + 1) * sizeof(int32_t));
    r->made_count = array_grow(NULL, (size_t)(op_capacity + 1) * sizeof(int32_t));
    for (int32_t i = 0; i <= op_capacity; i++) {
        r->made_first[i] = -1;
        r->made_count[i] = 0;
    }
}

void reference_fini(reference *r) {
    free(r->items);
    free(r->live);
    free(r->owners);
    free(r->generations);
    free(r->made_first);
    free(r->made_count);
    memset(r, 0, sizeof *r);
}

static void slots_grow(reference *r, uint32_t index) {
    uint32_t old = r->slot_capacity;
    if (index < old) {
        return;
    }
    r->slot_capacity = index * 2 + 64;
    r->owners = array_grow(r->owners, r->slot_capacity * sizeof(int32_t));
    r->generations = array_grow(r->generations, r->slot_capacity * sizeof(uint32_t));
    for (uint32_t i = old; i < r->slot_capacity; i++) {
        r->owners[i] = -1;
        r->generations[i] = 0;
    }
}

being *reference_add(reference *r, int32_t op_number, stoa_entity handle) {
    if (handle.index == 0 || handle.index > (uint32_t)r->count + 1 || handle.generation == 0) {
        return NULL;
    }
    slots_grow(r, handle.index);
    if (handle.generation <= r->generations[handle.index]) {
        return NULL;
    }
    int32_t owner = r->owners[handle.index];
    if (owner >= 0 && r->items[owner].alive) {
        return NULL;
    }
    if (r->count == r->capacity) {
        r->capacity = r->capacity * 2 + 256;
        r->items = array_grow(r->items, (size_t)r->capacity * sizeof(being));
        r->live = array_grow(r->live, (size_t)r->capacity * sizeof(int32_t));
    }
    being *b = &r->items[r->count];
    memset(b, 0, sizeof *b);
    b->handle = handle;
    b->alive = true;
    b->live_place = r->live_count;
    r->live[r->live_count++] = r->count;
    r->owners[handle.index] = r->count;
    r->generations[handle.index] = handle.generation;
    b->maker = op_number;
    b->maker_item = r->made_count[op_number]++;
    if (b->maker_item == 0) {
        r->made_first[op_number] = r->count;
    }
    r->count++;
    return b;
}

being *reference_of(const reference *r, const op *o) {
    if (o->origin < 0 || o->origin_item >= r->made_count[o->origin]) {
        return NULL;
    }
    return &r->items[r->made_first[o->origin] + o->origin_item];
}

being *reference_find(const reference *r, stoa_entity handle) {
    if (handle.index >= r->slot_capacity || r->owners[handle.index] < 0) {
        return NULL;
    }
    being *b = &r->items[r->owners[handle.index]];
    return b->alive && stoa_entity_eq(b->handle, handle) ? b : NULL;
}

void reference_destroy(reference *r, being *b) {
    for (int type = 0; type < TYPE_COUNT; type++) {
        reference_drop(r, b, type);
    }
    int32_t last = r->live[--r->live_count];
    r->live[b->live_place] = last;
    r->items[last].live_place = b->live_place;
    b->alive = false;
}

void reference_put(reference *r, being *b, int type, const void *value) {
    if (!(b->has >> type & 1)) {
        b->has |= 1u << type;
        r->held[type]++;
    }
    if (value == NULL) {
        memset(reference_value(b, type), 0, model_types[type].size);
    } else {
        memcpy(reference_value(b, type), value, model_types[type].size);
    }
}

void reference_drop(reference *r, being *b, int type) {
    if (b->has >> type & 1) {
        b->has &= ~(1u << type);
        r->held[type]--;
    }
}

uint8_t *reference_value(being *b, int type) {
    return b->values + model_types[type].offset;
}

query_shape reference_shape(const op *query) {
    query_shape shape = {0};
    for (int type = 0; type < TYPE_COUNT; type++) {
        switch (query->access[type]) {
        case STOA_ACCESS_READ:
        case STOA_ACCESS_WRITE:
        case STOA_ACCESS_FILTER:
            shape.required |= 1u << type;
            break;
        case STOA_ACCESS_WITHOUT:
            shape.excluded |= 1u << type;
            break;
        case STOA_ACCESS_ANY:
        case STOA_ACCESS_ANY_WRITE:
            shape.any[query->group[type]] |= 1u << type;
            break;
        default:
            break;
        }
    }
    return shape;
}

bool reference_matches(const reference *r, const query_shape *shape, const being *b) {
    bool matches = (b->has & shape->required) == shape->required && (b->has & shape->excluded) == 0;
    for (int group = 0; group < 3; group++) {
        uint32_t any = shape->any[group];
        bool met = r->fault == FAULT_ANY_IS_ALL ? (b->has & any) == any : (b->has & any) != 0;
        matches = matches && (any == 0 || met);
    }
    return matches;
}

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

void reference_init(reference *r, int32_t op_capacity, const stoa_component *ids, uint32_t tick) {
    memset(r, 0, sizeof *r);
    r->op_capacity = op_capacity;
    r->ids = ids;
    /* Far from zero, so that a tick before the first one is one too. */
    r->tick = (UINT64_C(1) << 40) + tick;
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
    free(r->notes.items);
    free(r->log.items);
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

being *reference_issue(reference *r, int32_t op_number, stoa_entity handle) {
    uint32_t most = (uint32_t)r->count + 1 + r->slots_dealt;
    if (handle.index == 0 || handle.index > most || handle.generation == 0) {
        return NULL;
    }
    slots_grow(r, handle.index);
    if (handle.generation <= r->generations[handle.index]) {
        return NULL;
    }
    int32_t owner = r->owners[handle.index];
    if (owner >= 0 && (r->items[owner].alive || r->items[owner].pending)) {
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

void reference_list(reference *r, being *b) {
    b->alive = true;
    b->pending = false;
    b->live_place = r->live_count;
    r->live[r->live_count++] = (int32_t)(b - r->items);
}

void reference_unlist(reference *r, being *b) {
    int32_t last = r->live[--r->live_count];
    r->live[b->live_place] = last;
    r->items[last].live_place = b->live_place;
    b->alive = false;
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

uint8_t *reference_value(being *b, int type) {
    return b->values + model_types[type].offset;
}

void reference_hold(reference *r, int type, const void *value) {
    if (model_types[type].owner == 0) {
        return;
    }
    if (value == NULL || model_value_instance(type, value) == 0) {
        r->zeros[type]++;
        r->zeros_made++;
        model_lives_zeroed(type, 1);
    } else {
        r->held[type]++;
    }
}

void reference_release(reference *r, int type, const void *value) {
    if (model_types[type].owner == 0) {
        return;
    }
    if (model_value_instance(type, value) == 0) {
        r->zeros[type]--;
    } else {
        r->held[type]--;
    }
}

void reference_mark(reference *r, being *b, int type) {
    b->changed[type] = r->tick;
    r->changed_last[type] = r->tick;
}

void reference_put(reference *r, being *b, int type, const void *value) {
    uint8_t *bytes = reference_value(b, type);
    if (b->has >> type & 1) {
        reference_release(r, type, bytes);
        if (r->fault != FAULT_SET_UNMARKED || !(TYPE_SPARSES >> type & 1)) {
            reference_mark(r, b, type);
        }
    } else {
        b->has |= TYPE_BIT(type);
        b->added[type] = r->tick;
        r->added_last[type] = r->tick;
        reference_mark(r, b, type);
    }
    reference_hold(r, type, value);
    if (value == NULL) {
        memset(bytes, 0, model_types[type].size);
    } else {
        memcpy(bytes, value, model_types[type].size);
    }
}

void reference_drop(reference *r, being *b, int type) {
    if (b->has >> type & 1) {
        reference_release(r, type, reference_value(b, type));
        b->has &= ~TYPE_BIT(type);
        b->off &= ~TYPE_BIT(type);
    }
}

uint32_t reference_visible(const reference *r, const being *b) {
    return r->fault == FAULT_OFF_MATCHES ? b->has : b->has & ~b->off;
}

query_shape reference_shape(const op *query) {
    query_shape shape = {.changed = query->changed, .added = query->added};
    shape.required = shape.changed | shape.added;
    for (int type = 0; type < TYPE_COUNT; type++) {
        switch (query->access[type]) {
        case STOA_ACCESS_READ:
        case STOA_ACCESS_WRITE:
        case STOA_ACCESS_FILTER:
            shape.required |= TYPE_BIT(type);
            break;
        case STOA_ACCESS_WITHOUT:
            shape.excluded |= TYPE_BIT(type);
            break;
        case STOA_ACCESS_ANY:
        case STOA_ACCESS_ANY_WRITE:
            shape.any[query->group[type]] |= TYPE_BIT(type);
            break;
        default:
            break;
        }
    }
    return shape;
}

bool reference_fits(const reference *r, const query_shape *shape, uint32_t set) {
    bool fits = (set & shape->required) == shape->required && (set & shape->excluded) == 0;
    for (int group = 0; group < 3; group++) {
        uint32_t any = shape->any[group];
        bool met = r->fault == FAULT_ANY_IS_ALL ? (set & any) == any : (set & any) != 0;
        fits = fits && (any == 0 || met);
    }
    return fits;
}

/* One filter by ticks: the entity's own tick, and the newest of any entity's. What is older than
 * the world keeps apart may be taken for newer than a last run that is as old. */
static match tick_match(const reference *r, int type, uint64_t own, uint64_t newest,
                        uint64_t since) {
    if (own > since) {
        return MATCH_MUST;
    }
    bool coarse = !(TYPE_EXACTS >> type & 1) && newest > since;
    return coarse || r->tick - since > REFERENCE_AGE ? MATCH_MAY : MATCH_NO;
}

match reference_match(const reference *r, const query_shape *shape, const being *b,
                      uint64_t since) {
    match result = reference_fits(r, shape, reference_visible(r, b)) ? MATCH_MUST : MATCH_NO;
    bool timed = (shape->changed | shape->added) != 0;
    for (int type = 0; timed && type < TYPE_COUNT && result != MATCH_NO; type++) {
        if (shape->changed >> type & 1) {
            match own = tick_match(r, type, b->changed[type], r->changed_last[type], since);
            result = own < result ? own : result;
        }
        if (shape->added >> type & 1) {
            match own = tick_match(r, type, b->added[type], r->added_last[type], since);
            result = own < result ? own : result;
        }
    }
    return result;
}

amount reference_amount(const reference *r, const query_shape *shape, uint64_t since) {
    amount n = {0, 0};
    for (int32_t i = 0; i < r->live_count; i++) {
        match m = reference_match(r, shape, &r->items[r->live[i]], since);
        n.least += m == MATCH_MUST ? 1 : 0;
        n.most += m != MATCH_NO ? 1 : 0;
    }
    return n;
}

being *reference_next(const reference *r, stoa_entity e) {
    for (uint32_t i = e.index + 1; i < r->slot_capacity; i++) {
        if (r->owners[i] >= 0 && r->items[r->owners[i]].alive) {
            return &r->items[r->owners[i]];
        }
    }
    return NULL;
}

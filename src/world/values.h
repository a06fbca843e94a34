/* Bundles and changes as the caller gives them: checked, with ids instead of descriptors. */
#ifndef STOA_WORLD_VALUES_H
#define STOA_WORLD_VALUES_H

#include "storage/edge.h"
#include "storage/registry.h"
#include "world/world.h"

/* A bundle or change, ready to look up its edge: ids in order, so that the order they were named in
 * does not matter. Sparse components, which no edge knows of, come after the others. */
typedef struct stoa__values {
    uint32_t count;                   /* columns and tags */
    uint32_t sparse_count;            /* sparse components, after them */
    uint32_t hash;                    /* of the key, without sparse ones */
    uint32_t key[STOA_BUNDLE_MAX];    /* sorted by id; STOA__KEY_DROP on those to be taken away */
    uint16_t source[STOA_BUNDLE_MAX]; /* which value of the caller's each is */
} stoa__values;

/* What values are read for, which tells what may be done with each. */
typedef enum stoa__values_use {
    STOA__VALUES_CREATE, /* STOA_PUT */
    STOA__VALUES_CHANGE, /* and STOA_DROP */
    STOA__VALUES_BULK    /* STOA_PUT, and STOA_PUT_SAME of what is bytes */
} stoa__values_use;

/* Reads values into a key, registering types. Naming a component twice or an unknown one is an
 * error. The thread's error is set, not reported. */
stoa_status stoa__values_read(stoa_world *world, const stoa_value *values, int32_t count,
                              stoa__values_use use, stoa__values *result);

/* Takes element `at` out of the key, a column's or a sparse one's. */
void stoa__values_omit(stoa__values *values, uint32_t at);

/* Elements in all. */
STOA__INLINE uint32_t stoa__values_total(const stoa__values *values) {
    return values->count + values->sparse_count;
}

/* The id of one value, registering its type if need be; 0 with the thread's error set. */
STOA__INLINE stoa_component stoa__value_id(stoa_world *world, const stoa_value *value) {
    if (value->type == NULL) {
        return value->id;
    }
    stoa_component id = stoa_fast_id(world, value->type) & ~STOA_SPECIAL;
    return STOA_LIKELY(id != 0) ? id : stoa__world_type(world, value->type);
}

/* The slow half of stoa__value_type: registers the type. Nothing is registered for the sake of a
 * dead entity. */
stoa_component stoa__value_type_new(stoa_world *world, stoa_entity e, stoa_type *type);

/* The id of a descriptor, registered if need be; 0 with the failure reported. */
STOA__INLINE stoa_component stoa__value_type(stoa_world *world, stoa_entity e, stoa_type *type) {
    if (STOA_LIKELY(world != NULL && type != NULL)) {
        stoa_component id = stoa_fast_id(world, type) & ~STOA_SPECIAL;
        if (STOA_LIKELY(id != 0)) {
            return id;
        }
    }
    return stoa__value_type_new(world, e, type);
}

/* Reads one word of a caller's value. Values are mostly written a moment ago, member by member:
 * reading them in larger pieces than they were written would wait for the writes to reach the
 * cache. */
STOA__INLINE void stoa__value_word(uint8_t *to, const uint8_t *from, size_t at) {
    uint32_t word;
    memcpy(&word, from + at, 4);
    STOA_ALONE(word);
    memcpy(to + at, &word, 4);
}

/* Copies whole words; three of them, a vector, without a loop. */
STOA__INLINE void stoa__value_words(uint8_t *to, const uint8_t *from, size_t size) {
    if (STOA_LIKELY(size == 12)) {
        stoa__value_word(to, from, 0);
        stoa__value_word(to, from, 4);
        stoa__value_word(to, from, 8);
        return;
    }
    for (size_t at = 0; at < size; at += 4) {
        stoa__value_word(to, from, at);
    }
}

/* Copies a plain value of the caller's, or zeros. */
STOA__INLINE void stoa__value_copy(uint8_t *to, const uint8_t *from, size_t size) {
    if (!STOA_LIKELY(from != NULL)) {
        memset(to, 0, size);
    } else if (STOA_LIKELY(size == 12) || size == 8 || size == 16) {
        stoa__value_words(to, from, size);
    } else {
        stoa__copy_bytes(to, from, size);
    }
}

/* Moves a caller's value, or zeros, into raw memory. */
STOA__INLINE void stoa__value_write(const stoa__component *component, uint8_t *to, const void *data,
                                    size_t size) {
    if (data != NULL && component->info.hooks.move != NULL) {
        stoa__component_move(component, to, (void *)(uintptr_t)data, 1);
    } else {
        stoa__value_copy(to, data, size);
    }
}

/* Writes a value to where an edge puts it in a row of its target. Marks nothing. */
STOA__INLINE void stoa__value_put(const stoa__edge *edge, const stoa__put *put, stoa__row to,
                                  const void *data) {
    if (STOA_LIKELY(put->size != 0)) {
        uint8_t *place = stoa__row_item(to, put->to, put->size);
        if (STOA_LIKELY(edge->plain)) {
            stoa__value_copy(place, data, put->size);
        } else {
            stoa__value_write(edge->target->lanes[put->lane].component, place, data, put->size);
        }
    }
}

#endif

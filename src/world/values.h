/* Bundles and changes as the caller gives them: checked, with ids instead of descriptors. */
#ifndef STOA_WORLD_VALUES_H
#define STOA_WORLD_VALUES_H

#include "storage/edge.h"
#include "storage/registry.h"
#include "world/world.h"

/* A bundle or change, ready to look up its edge. */
typedef struct stoa__values {
    uint32_t count;
    uint32_t key[STOA__BUNDLE_MAX];
} stoa__values;

/* Reads values into a key, registering types; `drops` tells whether STOA_DROP is allowed. On error the thread's error is
 * set, not reported. */
stoa_status stoa__values_read(stoa_world *world, const stoa_value *values, int32_t count,
                              bool drops, stoa__values *result);

/* The id of one value, registering its type if need be; 0 with the thread's error set. */
static inline stoa_component stoa__value_id(stoa_world *world, const stoa_value *value) {
    if (value->type == NULL) {
        return value->id;
    }
    stoa_component id = stoa_fast_id(world, value->type);
    return STOA_LIKELY(id != 0) ? id : stoa__registry_type(&world->storage, value->type);
}

/* Writes a caller's value, moved, or zeros into raw memory. */
static inline void stoa__value_write(const stoa__component *component, uint8_t *to,
                                     const void *data, size_t size) {
    if (data == NULL) {
        memset(to, 0, size);
    } else if (component->info.hooks.move != NULL) {
        stoa__component_move(component, to, (void *)(uintptr_t)data, 1);
    } else {
        stoa__copy_bytes(to, data, size);
    }
}

#endif

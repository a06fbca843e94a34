/* Pointing a source at a target by the component that it may have already: a copy of the value is
 * changed and set.
 *
 * Small values are copied on the stack. A component that owns memory is copied by its hook. */
#include "model/relation.h"

#include "base/error.h"

#include <string.h>

#define VALUE_SMALL 256

typedef union small_value {
    max_align_t alignment;
    uint8_t bytes[VALUE_SMALL];
} small_value;

/* Makes a copy of the source's value, or a zeroed one if it has none. */
static stoa_status value_copy(const stoa_world *world, const stoa_component_info *info,
                              stoa_entity source, void *copy) {
    const void *value = stoa_try_get_id(world, source, info->id);
    if (value == NULL) {
        memset(copy, 0, info->size);
    } else if (!info->copyable) {
        return stoa__error(STOA_NOT_COPYABLE, "component '%s' cannot be copied", info->name);
    } else if (info->hooks.copy == NULL) {
        memcpy(copy, value, info->size);
    } else if (!info->hooks.copy(copy, value, 1, info->hooks.user)) {
        return stoa__error(STOA_NO_MEMORY, "the copy hook of component '%s' failed", info->name);
    }
    return STOA_OK;
}

/* Sets a changed copy of the source's value, made in `copy`. */
static stoa_status value_change(stoa_world *world, const stoa__relation *relation,
                                const stoa_component_info *info, stoa_entity source,
                                stoa_entity target, void *copy) {
    stoa_status status = value_copy(world, info, source, copy);
    if (status != STOA_OK) {
        return stoa_world_report(world, status);
    }
    memcpy((uint8_t *)copy + relation->offset, &target, sizeof target);
    status = stoa_set_id(world, source, info->id, copy, info->size);
    if (status != STOA_OK && info->hooks.drop != NULL) {
        info->hooks.drop(copy, 1, info->hooks.user);
    }
    return status;
}

stoa_status stoa__link_add(stoa_world *world, const stoa__relation *relation, stoa_entity source,
                           stoa_entity target) {
    if (stoa_entity_eq(stoa__link_target(relation, source), target)) {
        return STOA_OK;
    }
    stoa_component_info info;
    stoa_status status = stoa_component_info_get(world, relation->component, &info);
    small_value small;
    if (status == STOA_OK && info.size <= sizeof small && info.alignment <= _Alignof(max_align_t)) {
        return value_change(world, relation, &info, source, target, small.bytes);
    }
    if (status == STOA_OK) {
        stoa__heap *heap = &relation->all->heap;
        void *copy = stoa__heap_alloc(heap, info.size, info.alignment);
        if (copy == NULL) {
            return stoa_world_report(world, stoa__error_memory("a copy of a component"));
        }
        status = value_change(world, relation, &info, source, target, copy);
        stoa__heap_free(heap, copy, info.size, info.alignment);
    }
    return status;
}

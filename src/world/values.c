/* Bundles and changes as the caller gives them. */
#include "world/values.h"

stoa_status stoa__values_read(stoa_world *world, const stoa_value *values, int32_t count,
                              bool drops, stoa__values *result) {
    if (count < 0 || (count > 0 && values == NULL)) {
        return count < 0 ? stoa__error(STOA_INVALID, "a bundle of %d components", count)
                         : stoa__error(STOA_NULL_ARGUMENT, "the values must not be null");
    }
    if (count > STOA__BUNDLE_MAX) {
        return stoa__error(STOA_LIMIT, "a bundle of %d components is over the limit of %d", count,
                           STOA__BUNDLE_MAX);
    }
    result->hash = 0;
    for (int32_t i = 0; i < count; i++) {
        if (values[i].op != STOA_PUT && !(drops && values[i].op == STOA_DROP)) {
            return stoa__error(STOA_INVALID, "value %d of the bundle is not one to put", i);
        }
        stoa_component id = stoa__value_id(world, &values[i]);
        if (values[i].type != NULL && id == 0) {
            return stoa_last_error().status;
        }
        if (!stoa__component_known(&world->storage, id)) {
            return stoa__error(STOA_UNKNOWN, "there is no component with the id %u", id);
        }
        result->key[i] = id | (values[i].op == STOA_DROP ? STOA__KEY_DROP : 0);
        result->hash = stoa__edge_hash(result->hash, result->key[i]);
    }
    result->count = (uint32_t)count;
    return STOA_OK;
}

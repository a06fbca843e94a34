/* Bundles and changes as the caller gives them. */
#include "world/values.h"

/* The id of a value, with what is to be done; 0 with the thread's error set. */
static uint32_t value_key(stoa_world *world, const stoa_value *value, int32_t index, bool drops) {
    if (value->op != STOA_PUT && !(drops && value->op == STOA_DROP)) {
        stoa__error(STOA_INVALID, "value %d of the bundle is not one to put", index);
        return 0;
    }
    stoa_component id = stoa__value_id(world, value);
    if (value->type != NULL && id == 0) {
        return 0;
    }
    if (!stoa__component_known(&world->storage, id)) {
        stoa__error(STOA_UNKNOWN, "there is no component with the id %u", id);
        return 0;
    }
    return id | (value->op == STOA_DROP ? STOA__KEY_DROP : 0);
}

/* Puts an element where it belongs; false if its component is there already. */
static bool key_insert(stoa__values *values, uint32_t element, int32_t source) {
    uint32_t id = element & ~STOA__KEY_DROP, at = values->count;
    while (at > 0 && (values->key[at - 1] & ~STOA__KEY_DROP) > id) {
        at--;
    }
    if (at > 0 && (values->key[at - 1] & ~STOA__KEY_DROP) == id) {
        return false;
    }
    uint32_t after = values->count - at;
    memmove(&values->key[at + 1], &values->key[at], after * sizeof values->key[0]);
    memmove(&values->source[at + 1], &values->source[at], after * sizeof values->source[0]);
    values->key[at] = element;
    values->source[at] = (uint16_t)source;
    values->count++;
    return true;
}

static void key_hash(stoa__values *values) {
    values->hash = 0;
    for (uint32_t i = 0; i < values->count; i++) {
        values->hash = stoa__edge_hash(values->hash, values->key[i]);
    }
}

stoa_status stoa__values_read(stoa_world *world, const stoa_value *values, int32_t count,
                              bool drops, stoa__values *result) {
    if (count < 0 || (count > 0 && values == NULL)) {
        return count < 0 ? stoa__error(STOA_INVALID, "a bundle of %d components", count)
                         : stoa__error(STOA_NULL_ARGUMENT, "the values must not be null");
    }
    if (count > STOA_BUNDLE_MAX) {
        return stoa__error(STOA_LIMIT, "a bundle of %d components is over the limit of %d", count,
                           STOA_BUNDLE_MAX);
    }
    result->count = 0;
    for (int32_t i = 0; i < count; i++) {
        uint32_t element = value_key(world, &values[i], i, drops);
        if (element == 0) {
            return stoa_last_error().status;
        }
        if (!key_insert(result, element, i)) {
            stoa_component id = element & ~STOA__KEY_DROP;
            return stoa__error(STOA_DUPLICATE, "component '%s' is named twice",
                               stoa__component_at(&world->storage, id)->name);
        }
    }
    key_hash(result);
    return STOA_OK;
}

void stoa__values_omit(stoa__values *values, uint32_t at) {
    uint32_t after = --values->count - at;
    memmove(&values->key[at], &values->key[at + 1], after * sizeof values->key[0]);
    memmove(&values->source[at], &values->source[at + 1], after * sizeof values->source[0]);
    key_hash(values);
}

/* Bundles and changes as the caller gives them. */
#include "world/values.h"

#include "storage/entities.h"

/* True if that may be done with a value. */
static bool op_fits(stoa_value_op op, stoa__values_use use) {
    return op == STOA_PUT || (op == STOA_DROP && use == STOA__VALUES_CHANGE) ||
           (op == STOA_PUT_SAME && use == STOA__VALUES_BULK);
}

/* The id of a value, with what is to be done; 0 with the thread's error set. */
static uint32_t value_key(stoa_world *world, const stoa_value *value, int32_t index,
                          stoa__values_use use) {
    if (!op_fits(value->op, use)) {
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
    const stoa_component_info *info = &stoa__component_at(&world->storage, id)->info;
    if (value->op == STOA_PUT_SAME &&
        (info->hooks.drop != NULL || info->hooks.move != NULL || info->hooks.copy != NULL)) {
        stoa__error(STOA_INVALID, "component '%s' is more than bytes: it needs a column",
                    info->name);
        return 0;
    }
    return id | (value->op == STOA_DROP ? STOA__KEY_DROP : 0);
}

/* Elements are sorted within the columns and within the sparse components: the place of one that
 * goes between `from` and `at`. */
static uint32_t key_place(const stoa__values *values, uint32_t from, uint32_t at, uint32_t id) {
    while (at > from && (values->key[at - 1] & ~STOA__KEY_DROP) > id) {
        at--;
    }
    return at;
}

/* Puts an element where it belongs; false if its component is there already. */
static bool key_insert(stoa__values *values, uint32_t element, int32_t source, bool sparse) {
    uint32_t id = element & ~STOA__KEY_DROP, total = stoa__values_total(values);
    uint32_t from = sparse ? values->count : 0;
    uint32_t at = key_place(values, from, sparse ? total : values->count, id);
    if (at > from && (values->key[at - 1] & ~STOA__KEY_DROP) == id) {
        return false;
    }
    uint32_t after = total - at;
    memmove(&values->key[at + 1], &values->key[at], after * sizeof values->key[0]);
    memmove(&values->source[at + 1], &values->source[at], after * sizeof values->source[0]);
    values->key[at] = element;
    values->source[at] = (uint16_t)source;
    values->count += !sparse;
    values->sparse_count += sparse;
    return true;
}

static void key_hash(stoa__values *values) {
    values->hash = 0;
    for (uint32_t i = 0; i < values->count; i++) {
        values->hash = stoa__edge_hash(values->hash, values->key[i]);
    }
}

stoa_status stoa__values_read(stoa_world *world, const stoa_value *values, int32_t count,
                              stoa__values_use use, stoa__values *result) {
    if (count < 0 || (count > 0 && values == NULL)) {
        return count < 0 ? stoa__error(STOA_INVALID, "a bundle of %d components", count)
                         : stoa__error(STOA_NULL_ARGUMENT, "the values must not be null");
    }
    if (count > STOA_BUNDLE_MAX) {
        return stoa__error(STOA_LIMIT, "a bundle of %d components is over the limit of %d", count,
                           STOA_BUNDLE_MAX);
    }
    result->count = 0;
    result->sparse_count = 0;
    for (int32_t i = 0; i < count; i++) {
        uint32_t element = value_key(world, &values[i], i, use);
        if (element == 0) {
            return stoa_last_error().status;
        }
        const stoa__component *component =
            stoa__component_at(&world->storage, element & ~STOA__KEY_DROP);
        if (!key_insert(result, element, i, component->set != NULL)) {
            return stoa__error(STOA_DUPLICATE, "component '%s' is named twice", component->name);
        }
    }
    key_hash(result);
    return STOA_OK;
}

void stoa__values_omit(stoa__values *values, uint32_t at) {
    *(at < values->count ? &values->count : &values->sparse_count) -= 1;
    uint32_t after = stoa__values_total(values) - at;
    memmove(&values->key[at], &values->key[at + 1], after * sizeof values->key[0]);
    memmove(&values->source[at], &values->source[at + 1], after * sizeof values->source[0]);
    key_hash(values);
}

STOA__COLD stoa_component stoa__value_type_new(stoa_world *world, stoa_entity e, stoa_type *type) {
    if (world == NULL || type == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "type");
        return 0;
    }
    if (stoa__entities_find(&world->storage, e) == NULL) {
        stoa__world_dead(world, e);
        return 0;
    }
    stoa_component id = stoa__world_type(world, type);
    if (id == 0) {
        stoa__world_report(world, stoa_last_error().status);
    }
    return id;
}

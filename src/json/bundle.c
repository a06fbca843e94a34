/* The values that an object describes, ready to be given to an entity.
 *
 * Each value has a block of its own with the alignment of its type. A value counts as made once it
 * was read; what is not moved elsewhere is dropped with the bundle. Needs memory of the world's
 * allocator. One thread at a time. */
#include "json/json.h"

#include <string.h>

uint32_t stoa__json_part_of(const char *key) {
    static const struct {
        const char *key;
        uint32_t part;
    } parts[] = {{"name", STOA__JSON_NAME},           {"id", STOA__JSON_ID},
                 {"prefab", STOA__JSON_PREFAB},       {"base", STOA__JSON_BASE},
                 {"remove", STOA__JSON_REMOVE},       {"off", STOA__JSON_OFF},
                 {"relations", STOA__JSON_RELATIONS}, {"children", STOA__JSON_CHILDREN},
                 {"node", STOA__JSON_NODE},           {"nodes", STOA__JSON_NODES}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(parts[i].key, key) == 0) {
            return parts[i].part;
        }
    }
    return 0;
}

static stoa_status component_known(stoa__json_in *in, const stoa__json_path *path, const char *name,
                                   stoa_component_info *info) {
    stoa_component id = stoa__json_component_need(in, name);
    if (id == 0) {
        return stoa__json_fail(in, path, STOA_NOT_FOUND, "there is no component '%.64s'",
                               name[0] == ':' ? name + 1 : name);
    }
    return stoa_component_info_get(in->world, id, info);
}

stoa_status stoa__json_component_item(stoa__json_in *in, const stoa__json_path *path, json_t *item,
                                      stoa_component_info *info) {
    return json_is_string(item) ? component_known(in, path, json_string_value(item), info)
                                : stoa__json_expected(in, path, item, "the name of a component");
}

/* The place of a component in a bundle; its count if it has none. */
static uint32_t bundle_find(const stoa__json_bundle *bundle, stoa_component id) {
    uint32_t i = 0;
    while (i < bundle->count && bundle->values[i].id != id) {
        i++;
    }
    return i;
}

/* Adds a value; its block is raw. */
static stoa_status bundle_add(stoa__json_in *in, const stoa__json_path *path,
                              stoa__json_bundle *bundle, const stoa_component_info *info,
                              stoa_value_op op) {
    if (bundle_find(bundle, info->id) < bundle->count) {
        return stoa__json_fail(in, path, STOA_SYNTAX, "component '%s' is named twice", info->name);
    }
    if (!stoa__heap_grow(bundle->heap, &bundle->values, &bundle->value_capacity, bundle->count + 1,
                         sizeof *bundle->values) ||
        !stoa__heap_grow(bundle->heap, &bundle->items, &bundle->item_capacity, bundle->count + 1,
                         sizeof *bundle->items)) {
        return stoa__error_memory("the values of an entity");
    }
    void *data = NULL;
    if (op == STOA_PUT && info->size > 0) {
        data = stoa__heap_alloc(bundle->heap, info->size, info->alignment);
        if (data == NULL) {
            return stoa__error_memory("a value");
        }
    }
    bundle->items[bundle->count] =
        (stoa__json_item){.size = info->size, .alignment = info->alignment, .hooks = info->hooks};
    bundle->values[bundle->count++] = (stoa_value){.data = data, .id = info->id, .op = op};
    return STOA_OK;
}

static stoa_status component_read(stoa__json_in *in, const stoa__json_path *path, json_t *json,
                                  stoa_entity over, stoa__json_bundle *bundle) {
    stoa_component_info info = {0};
    stoa_status status = component_known(in, path, path->key, &info);
    if (status == STOA_OK) {
        status = bundle_add(in, path, bundle, &info, STOA_PUT);
    }
    if (status != STOA_OK) {
        return status;
    }
    stoa_value *value = &bundle->values[bundle->count - 1];
    const void *there = NULL;
    if (info.size > 0 && stoa__json_way_of(&info) == STOA__JSON_MEMBERS) {
        there = stoa_try_get_id(in->world, over, info.id);
    }
    if (there != NULL && value->data != NULL) {
        memcpy((void *)(uintptr_t)value->data, there, info.size);
    }
    status =
        stoa__json_read_value(in, path, &info, json, (void *)(uintptr_t)value->data, there != NULL);
    bundle->items[bundle->count - 1].made = status == STOA_OK;
    return status;
}

static stoa_status removals_read(stoa__json_in *in, const stoa__json_path *path, json_t *list,
                                 stoa__json_bundle *bundle) {
    if (!json_is_array(list)) {
        return stoa__json_expected(in, path, list, "a list of components");
    }
    stoa_status status = STOA_OK;
    for (size_t i = 0; i < json_array_size(list) && status == STOA_OK; i++) {
        stoa__json_path item = {path, list, NULL, i};
        stoa_component_info info = {0};
        status = stoa__json_component_item(in, &item, json_array_get(list, i), &info);
        if (status == STOA_OK) {
            status = bundle_add(in, &item, bundle, &info, STOA_DROP);
        }
    }
    return status;
}

/* A name, or null for none, as a value. */
static stoa_status name_read(stoa__json_in *in, const stoa__json_path *path, json_t *json,
                             stoa__json_bundle *bundle) {
    stoa_component_info info;
    stoa_component id = stoa_type_register(in->world, STOA_TYPE_OF(Name));
    if (id == 0) {
        return stoa_last_error().status;
    }
    if (!json_is_string(json) && !json_is_null(json)) {
        return stoa__json_expected(in, path, json, "a name");
    }
    stoa_status status = stoa_component_info_get(in->world, id, &info);
    if (status == STOA_OK) {
        info.size = 0;
        info.hooks = (stoa_hooks){0};
        status = bundle_add(in, path, bundle, &info, json_is_null(json) ? STOA_DROP : STOA_PUT);
    }
    if (status == STOA_OK && json_is_string(json)) {
        bundle->name.text = json_string_value(json);
        bundle->values[bundle->count - 1].data = &bundle->name;
    }
    return status;
}

static stoa_status part_read(stoa__json_in *in, const stoa__json_path *path, json_t *json,
                             uint32_t part, uint32_t parts, stoa__json_bundle *bundle) {
    if ((part & parts) == 0) {
        return stoa__json_fail(in, path, STOA_SYNTAX,
                               "'%s' cannot stand here; a component of that name is ':%s'",
                               path->key, path->key);
    }
    if (part == STOA__JSON_REMOVE) {
        return removals_read(in, path, json, bundle);
    }
    /* A new entity has no name that null could take away. */
    bool none = json_is_null(json) && (parts & STOA__JSON_REMOVE) == 0;
    if (part == STOA__JSON_NAME && (parts & STOA__JSON_NAME_VALUE) != 0 && !none) {
        return name_read(in, path, json, bundle);
    }
    return STOA_OK;
}

stoa_status stoa__json_bundle_read(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                                   uint32_t parts, stoa_entity over, stoa__json_bundle *bundle) {
    *bundle = (stoa__json_bundle){.heap = &in->heap};
    if (!json_is_object(object)) {
        return stoa__json_expected(in, path, object, "an object");
    }
    stoa_status status = STOA_OK;
    for (void *i = json_object_iter(object); i != NULL && status == STOA_OK;
         i = json_object_iter_next(object, i)) {
        stoa__json_path member = {path, object, json_object_iter_key(i), 0};
        uint32_t part = parts != STOA__JSON_NO_PARTS ? stoa__json_part_of(member.key) : 0;
        json_t *json = json_object_iter_value(i);
        status = part != 0 ? part_read(in, &member, json, part, parts, bundle)
                           : component_read(in, &member, json, over, bundle);
    }
    if (status != STOA_OK) {
        stoa__json_bundle_free(bundle);
    }
    return status;
}

void stoa__json_bundle_moved(stoa__json_bundle *bundle) {
    for (uint32_t i = 0; i < bundle->count; i++) {
        bundle->items[i].made = false;
    }
}

void stoa__json_bundle_free(stoa__json_bundle *bundle) {
    for (uint32_t i = 0; i < bundle->count; i++) {
        const stoa__json_item *item = &bundle->items[i];
        void *data = (void *)(uintptr_t)bundle->values[i].data;
        if (item->made && item->hooks.drop != NULL) {
            item->hooks.drop(data, 1, item->hooks.user);
        }
        if (item->size > 0) {
            stoa__heap_free(bundle->heap, data, item->size, item->alignment);
        }
    }
    stoa__heap_grow_free(bundle->heap, bundle->values, bundle->value_capacity,
                         sizeof *bundle->values);
    stoa__heap_grow_free(bundle->heap, bundle->items, bundle->item_capacity, sizeof *bundle->items);
    *bundle = (stoa__json_bundle){.heap = bundle->heap};
}

stoa_status stoa__json_off_check(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                                 const stoa__json_bundle *bundle, stoa_entity e) {
    json_t *list = json_object_get(object, "off");
    stoa__json_path at = {path, object, "off", 0};
    if (list != NULL && !json_is_array(list)) {
        return stoa__json_expected(in, &at, list, "a list of components");
    }
    stoa_status status = STOA_OK;
    for (size_t i = 0; i < json_array_size(list) && status == STOA_OK; i++) {
        stoa__json_path item = {&at, list, NULL, i};
        stoa_component_info info = {0};
        status = stoa__json_component_item(in, &item, json_array_get(list, i), &info);
        if (status != STOA_OK) {
            break;
        }
        uint32_t place = bundle_find(bundle, info.id);
        bool there = place < bundle->count ? bundle->values[place].op == STOA_PUT
                                           : stoa_has_id(in->world, e, info.id);
        if (!there) {
            status = stoa__json_fail(in, &item, STOA_NOT_FOUND, "there is no '%s' to switch off",
                                     info.name);
        } else if ((info.flags & STOA_SWITCHABLE) == 0) {
            status = stoa__json_fail(in, &item, STOA_REFUSED, "component '%s' is not switchable",
                                     info.name);
        }
    }
    return status;
}

stoa_status stoa__json_off_apply(stoa__json_in *in, json_t *object, stoa_entity e) {
    json_t *list = json_object_get(object, "off");
    stoa_status status = STOA_OK;
    for (size_t i = 0; i < json_array_size(list) && status == STOA_OK; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        status = stoa_enable_id(in->world, e, stoa__json_component(in->world, name), false);
    }
    return status;
}

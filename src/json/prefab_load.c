/* Prefabs out of JSON.
 *
 * A prefab comes after its base and its children's prefabs, so one pass makes them all: first the
 * prefab with its children, so that its nodes have their numbers, then the values, in which `#2`
 * stands for node 2. What was made is freed again, the last first, if something later fails. */
#include "json/prefabs.h"

#include <inttypes.h>
#include <string.h>

/* References in values of a prefab: `user` is the prefab. */
static stoa_status node_resolve(stoa__json_in *in, const stoa__json_path *path, const char *text,
                                stoa_entity *e) {
    const stoa_prefab *prefab = in->user;
    uint32_t number;
    if (text[0] != '#' || text[1] == '#' || !stoa__json_parse_number(text + 1, &number)) {
        return stoa__json_resolve_world(in, path, text, e);
    }
    if (number >= (uint32_t)stoa_prefab_node_count(prefab)) {
        return stoa__json_fail(in, path, STOA_NOT_FOUND,
                               "there is no node %" PRIu32 ", the prefab has %" PRId32, number,
                               stoa_prefab_node_count(prefab));
    }
    *e = stoa_prefab_node((int32_t)number);
    return STOA_OK;
}

stoa_status stoa__json_node_read(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                                 uint32_t parts, stoa_prefab *prefab, int32_t node) {
    stoa__json_bundle bundle;
    stoa_status status =
        stoa__json_bundle_read(in, path, object, parts | STOA__JSON_REMOVE, STOA_NULL, &bundle);
    if (status != STOA_OK) {
        return status;
    }
    if (bundle.count > 0) {
        status = stoa_prefab_node_set_values(prefab, node, bundle.values, (int32_t)bundle.count);
    }
    if (status == STOA_OK) {
        stoa__json_bundle_moved(&bundle);
    } else {
        status = stoa__json_fail_told(in, path, status);
    }
    stoa__json_bundle_free(&bundle);
    return status;
}

stoa_status stoa__json_prefabs_resolve(stoa__json_in *in, const stoa__json_path *path, json_t *json,
                                       const stoa__json_prefabs *prefabs, stoa_prefab **found) {
    *found = NULL;
    if (!json_is_string(json)) {
        return stoa__json_expected(in, path, json, "the name of a prefab");
    }
    const char *text = json_string_value(json);
    stoa__json_in asking = *in;
    asking.user = (void *)(uintptr_t)&prefabs->names;
    asking.error = NULL;
    stoa_entity place = STOA_NULL;
    bool muted = stoa__error_mute(true);
    bool known = prefabs->names.heap != NULL &&
                 stoa__json_names_resolve(&asking, path, text, &place) == STOA_OK;
    stoa__error_mute(muted);
    if (known && place.index - 1 >= prefabs->count) {
        return stoa__json_fail(in, path, STOA_NOT_FOUND,
                               "prefab '%.64s' comes later in the text, it must come before", text);
    }
    *found = known ? prefabs->items[place.index - 1]
                   : stoa_prefab_find(in->world, text[0] == '#' ? text + 1 : text);
    return *found != NULL
               ? STOA_OK
               : stoa__json_fail(in, path, STOA_NOT_FOUND, "there is no prefab '%.64s'", text);
}

/* The list of objects under a key of a prefab; NULL if there is none. */
static stoa_status list_get(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                            const char *key, json_t **list) {
    *list = json_object_get(object, key);
    stoa__json_path at = {path, object, key, 0};
    if (*list != NULL && !json_is_array(*list)) {
        return stoa__json_expected(in, &at, *list, "a list");
    }
    for (size_t i = 0; i < json_array_size(*list); i++) {
        stoa__json_path item = {&at, *list, NULL, i};
        json_t *member = json_array_get(*list, i);
        if (!json_is_object(member)) {
            return stoa__json_expected(in, &item, member, "an object");
        }
    }
    return STOA_OK;
}

static stoa_status children_make(stoa__json_in *in, const stoa__json_path *path, json_t *list,
                                 const stoa__json_prefabs *prefabs, stoa_prefab *prefab) {
    stoa_status status = STOA_OK;
    for (size_t i = 0; i < json_array_size(list) && status == STOA_OK; i++) {
        json_t *object = json_array_get(list, i);
        stoa__json_path item = {path, list, NULL, i};
        stoa__json_path at = {&item, object, "prefab", 0};
        json_t *name = json_object_get(object, "prefab");
        stoa_prefab *kind;
        if (name == NULL) {
            return stoa__json_fail(in, &item, STOA_SYNTAX, "a child needs a prefab");
        }
        status = stoa__json_prefabs_resolve(in, &at, name, prefabs, &kind);
        if (status == STOA_OK && stoa_prefab_child(prefab, kind) < 0) {
            status = stoa__json_fail_told(in, &at, stoa_last_error().status);
        }
    }
    return status;
}

/* The values of children; with `nodes` each object tells its number. */
static stoa_status children_fill(stoa__json_in *in, const stoa__json_path *path, json_t *list,
                                 stoa_prefab *prefab, int32_t first, bool nodes) {
    stoa_status status = STOA_OK;
    for (size_t i = 0; i < json_array_size(list) && status == STOA_OK; i++) {
        json_t *object = json_array_get(list, i);
        stoa__json_path item = {path, list, NULL, i};
        int64_t node = (int64_t)i + first;
        if (nodes) {
            json_t *number = json_object_get(object, "node");
            stoa__json_path at = {&item, object, "node", 0};
            node = json_is_integer(number) ? json_integer_value(number) : -1;
            if (node < 1 || node >= first) {
                return number == NULL
                           ? stoa__json_fail(in, &item, STOA_SYNTAX, "a node needs its number")
                           : stoa__json_expected(in, &at, number, "the number of a base's child");
            }
        }
        status = stoa__json_node_read(
            in, &item, object, nodes ? STOA__JSON_NODE : STOA__JSON_PREFAB, prefab, (int32_t)node);
    }
    return status;
}

static stoa_status prefab_fill(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                               const stoa__json_prefabs *prefabs, stoa_prefab *prefab) {
    int32_t first = stoa_prefab_node_count(prefab);
    json_t *children = NULL, *nodes = NULL;
    stoa__json_path children_path = {path, object, "children", 0};
    stoa__json_path nodes_path = {path, object, "nodes", 0};
    stoa_status status = list_get(in, path, object, "children", &children);
    if (status == STOA_OK) {
        status = list_get(in, path, object, "nodes", &nodes);
    }
    if (status == STOA_OK) {
        status = children_make(in, &children_path, children, prefabs, prefab);
    }
    in->resolve = node_resolve;
    in->user = prefab;
    if (status == STOA_OK) {
        status = stoa__json_node_read(in, path, object,
                                      STOA__JSON_NAME | STOA__JSON_ID | STOA__JSON_BASE |
                                          STOA__JSON_CHILDREN | STOA__JSON_NODES,
                                      prefab, 0);
    }
    if (status == STOA_OK) {
        status = children_fill(in, &nodes_path, nodes, prefab, first, true);
    }
    if (status == STOA_OK) {
        status = children_fill(in, &children_path, children, prefab, first, false);
    }
    in->resolve = stoa__json_resolve_world;
    in->user = NULL;
    return status;
}

static stoa_status prefab_read(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                               bool own, stoa__json_prefabs *prefabs) {
    uint32_t place = prefabs->count;
    stoa_prefab_desc desc = {.name = own ? NULL : prefabs->names.names[place]};
    json_t *base = json_object_get(object, "base");
    stoa__json_path at = {path, object, "base", 0};
    stoa_status status = STOA_OK;
    if (base != NULL) {
        status = stoa__json_prefabs_resolve(in, &at, base, prefabs, &desc.base);
    }
    if (status == STOA_OK && desc.name != NULL && stoa_prefab_find(in->world, desc.name) != NULL) {
        at.key = "name";
        status = stoa__json_fail(in, &at, STOA_TAKEN, "the world has a prefab '%.64s'", desc.name);
    }
    if (status != STOA_OK) {
        return status;
    }
    stoa_prefab *prefab = stoa_prefab_new(in->world, &desc);
    if (prefab == NULL) {
        return stoa__json_fail_told(in, path, stoa_last_error().status);
    }
    status = prefab_fill(in, path, object, prefabs, prefab);
    if (status != STOA_OK) {
        (void)stoa_prefab_free(prefab);
        return status;
    }
    prefabs->items[prefabs->count++] = prefab;
    return STOA_OK;
}

void stoa__json_prefabs_undo(stoa__json_prefabs *prefabs) {
    while (prefabs->count > 0) {
        (void)stoa_prefab_free(prefabs->items[--prefabs->count]);
    }
}

void stoa__json_prefabs_free(stoa__json_prefabs *prefabs) {
    stoa__json_names_free(&prefabs->names);
    stoa__heap_free(&prefabs->heap, prefabs->items, prefabs->capacity * sizeof(stoa_prefab *), 8);
    prefabs->items = NULL;
    prefabs->capacity = 0;
    prefabs->count = 0;
}

stoa_status stoa__json_prefabs_read(stoa__json_in *in, bool own, stoa__json_prefabs *prefabs) {
    json_t *list;
    *prefabs = (stoa__json_prefabs){.heap = in->heap};
    stoa_status status = stoa__json_section(in, "prefabs", JSON_ARRAY, &list);
    if (status != STOA_OK || json_array_size(list) == 0) {
        return status;
    }
    status = stoa__json_names_read(in, list, "prefabs", false, &prefabs->names);
    if (status != STOA_OK) {
        return status;
    }
    for (uint32_t i = 0; i < prefabs->names.count; i++) {
        prefabs->names.entities[i].index = i + 1;
    }
    prefabs->items =
        stoa__heap_zalloc(&prefabs->heap, prefabs->names.count * sizeof(stoa_prefab *), 8);
    if (prefabs->items == NULL) {
        stoa__json_names_free(&prefabs->names);
        return stoa__error_memory("the prefabs of a text");
    }
    prefabs->capacity = prefabs->names.count;
    stoa__json_path path = {NULL, in->root, "prefabs", 0};
    for (uint32_t i = 0; i < prefabs->capacity && status == STOA_OK; i++) {
        stoa__json_path item = {&path, list, NULL, i};
        status = prefab_read(in, &item, json_array_get(list, i), own, prefabs);
    }
    if (status != STOA_OK) {
        stoa__json_prefabs_undo(prefabs);
        stoa__json_prefabs_free(prefabs);
    }
    return status;
}

stoa_prefab *stoa_json_load_prefabs(stoa_world *world, const char *text, size_t size,
                                    stoa_json_error *error) {
    stoa__json_in in;
    stoa__json_prefabs prefabs;
    stoa_prefab *last = NULL;
    static const char *const sections[] = {"stoa", "prefabs", NULL};
    stoa_status status = stoa__json_in_open(&in, world, text, size, false, error);
    if (status == STOA_OK) {
        status = stoa__json_check_sections(&in, sections);
    }
    if (status == STOA_OK) {
        status = stoa__json_prefabs_read(&in, false, &prefabs);
        if (status == STOA_OK && prefabs.count == 0) {
            status = stoa__json_fail(&in, NULL, STOA_SYNTAX, "the text has no prefabs");
        } else if (status == STOA_OK) {
            last = prefabs.items[prefabs.count - 1];
            stoa__json_prefabs_free(&prefabs);
        }
    }
    (void)stoa__json_in_end(&in, status);
    return last;
}

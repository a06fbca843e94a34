/* Sorting the entities of a text by their components.
 *
 * Entities with the same set of components form a group, which becomes an archetype. Groups come in
 * the order that the text has under `archetypes`, then as their first entities do; entities of a
 * group keep their order. What a key means is remembered from one entity to the next. O(text). */
#include "json/world.h"

#include <string.h>

#include "base/hash.h"

/* What an entity of a world may have beside components. */
#define WORLD_PARTS (STOA__JSON_NAME | STOA__JSON_ID | STOA__JSON_OFF | STOA__JSON_RELATIONS)

stoa_status stoa__json_key_read(stoa__json_loading *l, const stoa__json_path *path, uint32_t at,
                                const stoa__json_key **found) {
    static const stoa__json_key none = {.key = NULL};
    *found = &none;
    if (!stoa__heap_grow(&l->in->heap, &l->keys, &l->key_capacity, at + 1, sizeof *l->keys)) {
        return stoa__error_memory("the keys of a text");
    }
    for (; l->key_count <= at; l->key_count++) {
        l->keys[l->key_count] = none;
    }
    stoa__json_key *key = &l->keys[at];
    if (key->key != NULL && strcmp(key->key, path->key) == 0) {
        *found = key;
        return STOA_OK;
    }
    key->key = NULL;
    key->part = stoa__json_part_of(path->key);
    if (key->part != 0 && (key->part & WORLD_PARTS) == 0) {
        return stoa__json_fail(l->in, path, STOA_SYNTAX,
                               "'%s' cannot stand here; a component of that name is ':%s'",
                               path->key, path->key);
    }
    if (key->part == 0) {
        stoa_component id = stoa__json_component_need(l->in, path->key);
        if (id == 0) {
            return stoa__json_fail(l->in, path, STOA_NOT_FOUND, "there is no component '%.64s'",
                                   path->key[0] == ':' ? path->key + 1 : path->key);
        }
        stoa_status status = stoa_component_info_get(l->in->world, id, &key->info);
        if (status != STOA_OK) {
            return status;
        }
        if (stoa__json_way_of(&key->info) == STOA__JSON_LEFT_OUT) {
            return stoa__json_fail(l->in, path, STOA_REFUSED,
                                   "component '%s' is transient, or kept by an extension",
                                   key->info.name);
        }
    }
    key->key = path->key;
    *found = key;
    return STOA_OK;
}

/* Puts an id into a sorted list at the end of the pool; false if it is there. */
static bool id_insert(stoa__json_loading *l, uint32_t first, stoa_component id) {
    uint32_t at = l->pool_count;
    for (; at > first && l->pool[at - 1] >= id; at--) {
        if (l->pool[at - 1] == id) {
            return false;
        }
    }
    memmove(&l->pool[at + 1], &l->pool[at], (l->pool_count - at) * sizeof *l->pool);
    l->pool[at] = id;
    l->pool_count++;
    return true;
}

/* The group of the ids at the end of the pool, which stay there if it is new. */
static stoa_status group_get(stoa__json_loading *l, uint32_t first, uint32_t *group) {
    uint32_t id_count = l->pool_count - first;
    size_t size = id_count * sizeof *l->pool;
    uint64_t hash = stoa__hash_bytes(&l->pool[first], size);
    uint32_t cursor = 0;
    while ((*group = stoa__map_next(&l->groups_by_ids, hash, &cursor)) != STOA__MAP_NONE) {
        const stoa__json_group *g = &l->groups[*group];
        if (g->id_count == id_count && memcmp(&l->pool[g->first], &l->pool[first], size) == 0) {
            l->pool_count = first;
            return STOA_OK;
        }
    }
    if (!stoa__heap_grow(&l->in->heap, &l->groups, &l->group_capacity, l->group_count + 1,
                         sizeof *l->groups) ||
        !stoa__map_reserve(&l->groups_by_ids, &l->in->heap)) {
        return stoa__error_memory("sets of components");
    }
    *group = l->group_count++;
    l->groups[*group] = (stoa__json_group){.first = first, .id_count = id_count};
    stoa__map_insert(&l->groups_by_ids, hash, *group);
    return STOA_OK;
}

static stoa_status pool_reserve(stoa__json_loading *l) {
    return stoa__heap_grow(&l->in->heap, &l->pool, &l->pool_capacity, l->pool_count + 1,
                           sizeof *l->pool)
               ? STOA_OK
               : stoa__error_memory("sets of components");
}

static stoa_status item_add(stoa__json_loading *l, stoa__json_set_item item) {
    if (!stoa__heap_grow(&l->in->heap, &l->items, &l->item_capacity, l->item_count + 1,
                         sizeof *l->items)) {
        return stoa__error_memory("components outside of archetypes");
    }
    l->items[l->item_count++] = item;
    return STOA_OK;
}

/* Notes one component of an entity. */
static stoa_status component_note(stoa__json_loading *l, const stoa__json_path *path,
                                  const stoa__json_key *key, uint32_t entity, uint32_t first,
                                  json_t *json) {
    if ((key->info.flags & STOA_SPARSE) != 0) {
        return item_add(l, (stoa__json_set_item){key->info.id, entity, path->key, json});
    }
    stoa_status status = pool_reserve(l);
    if (status == STOA_OK && !id_insert(l, first, key->info.id)) {
        status = stoa__json_fail(l->in, path, STOA_SYNTAX, "component '%s' is named twice",
                                 key->info.name);
    }
    return status;
}

static stoa_status entity_sort(stoa__json_loading *l, const stoa__json_path *path,
                               uint32_t entity) {
    json_t *object = json_array_get(l->list, entity);
    uint32_t first = l->pool_count, at = 0;
    for (void *i = json_object_iter(object); i != NULL;
         i = json_object_iter_next(object, i), at++) {
        stoa__json_path member = {path, object, json_object_iter_key(i), 0};
        const stoa__json_key *key;
        stoa_status status = stoa__json_key_read(l, &member, at, &key);
        if (status == STOA_OK && key->part == 0) {
            status = component_note(l, &member, key, entity, first, json_object_iter_value(i));
        }
        if (status != STOA_OK) {
            return status;
        }
    }
    l->group_of[entity] = UINT32_MAX;
    if (l->pool_count == first) {
        return STOA_OK;
    }
    uint32_t group;
    stoa_status status = group_get(l, first, &group);
    if (status == STOA_OK) {
        l->group_of[entity] = group;
        l->groups[group].count++;
    }
    return status;
}

/* Groups in the order that the text asks for. */
static stoa_status archetypes_read(stoa__json_loading *l) {
    json_t *list;
    stoa_status status = stoa__json_section(l->in, "archetypes", JSON_ARRAY, &list);
    stoa__json_path path = {NULL, l->in->root, "archetypes", 0};
    for (size_t i = 0; status == STOA_OK && i < json_array_size(list); i++) {
        stoa__json_path item = {&path, list, NULL, i};
        json_t *names = json_array_get(list, i);
        uint32_t first = l->pool_count, group;
        if (!json_is_array(names) || json_array_size(names) == 0) {
            return stoa__json_expected(l->in, &item, names, "a list of components");
        }
        for (size_t k = 0; k < json_array_size(names) && status == STOA_OK; k++) {
            stoa__json_path at = {&item, names, NULL, k};
            stoa_component_info info = {0};
            status = stoa__json_component_item(l->in, &at, json_array_get(names, k), &info);
            if (status == STOA_OK) {
                status = pool_reserve(l);
            }
            if (status == STOA_OK &&
                ((info.flags & STOA_SPARSE) != 0 || !id_insert(l, first, info.id))) {
                status = stoa__json_fail(l->in, &at, STOA_SYNTAX,
                                         "component '%s' is sparse, or named twice", info.name);
            }
        }
        if (status == STOA_OK) {
            status = group_get(l, first, &group);
        }
    }
    return status;
}

/* Lists entities by group. */
static void groups_order(stoa__json_loading *l) {
    uint32_t row = 0;
    for (uint32_t g = 0; g < l->group_count; g++) {
        l->groups[g].row = row;
        row += l->groups[g].count;
        l->groups[g].count = 0;
    }
    for (uint32_t i = 0; i < l->names.count; i++) {
        if (l->group_of[i] != UINT32_MAX) {
            stoa__json_group *g = &l->groups[l->group_of[i]];
            l->order[g->row + g->count] = i;
            l->rows[g->row + g->count++] = l->names.entities[i];
        }
    }
}

stoa_status stoa__json_groups_make(stoa__json_loading *l) {
    stoa_status status = archetypes_read(l);
    stoa__json_path path = {NULL, l->in->root, "entities", 0};
    for (uint32_t i = 0; i < l->names.count && status == STOA_OK; i++) {
        stoa__json_path item = {&path, l->list, NULL, i};
        status = entity_sort(l, &item, i);
    }
    if (status == STOA_OK) {
        groups_order(l);
    }
    return status;
}

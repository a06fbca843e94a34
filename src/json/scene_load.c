/* Scenes out of JSON.
 *
 * The text becomes one prefab, which is all that is kept of it beside names, lists of relations and
 * what is switched off: entities are made of it as of any prefab, with all that goes with it. Each
 * entity is made a node first, so that every reference finds its number, then it gets its values.
 * One thread at a time. */
#include "json/entity.h"
#include "json/scene.h"

#include <string.h>

/* What an entity of a scene may have beside components. */
#define SCENE_PARTS                                                                                \
    (STOA__JSON_NAME | STOA__JSON_ID | STOA__JSON_PREFAB | STOA__JSON_OFF | STOA__JSON_RELATIONS)

void stoa_scene_free(stoa_scene *scene) {
    if (scene == NULL) {
        return;
    }
    stoa__heap heap = scene->heap;
    (void)stoa_prefab_free(scene->root);
    (void)stoa_prefab_free(scene->empty);
    stoa__json_prefabs_undo(&scene->prefabs);
    stoa__json_prefabs_free(&scene->prefabs);
    for (uint32_t i = 0; scene->names != NULL && i < scene->count; i++) {
        stoa__heap_text_free(&heap, scene->names[i]);
    }
    if (scene->names != NULL) {
        stoa__heap_free(&heap, scene->names, scene->count * sizeof *scene->names, 8);
    }
    stoa__heap_grow_free(&heap, scene->offs, scene->off_capacity, sizeof *scene->offs);
    stoa__heap_grow_free(&heap, scene->links, scene->link_capacity, sizeof *scene->links);
    stoa__heap_free(&heap, scene, sizeof *scene, _Alignof(stoa_scene));
}

/* What an entity is an instance of; NULL if it names no prefab. */
static stoa_status kind_read(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                             const stoa_scene *scene, stoa_prefab **kind) {
    json_t *name = json_object_get(object, "prefab");
    stoa__json_path at = {path, object, "prefab", 0};
    *kind = NULL;
    return name != NULL ? stoa__json_prefabs_resolve(in, &at, name, &scene->prefabs, kind)
                        : STOA_OK;
}

/* Makes an entity a node. */
static stoa_status node_make(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                             stoa_scene *scene, uint32_t entity) {
    stoa_prefab *kind;
    stoa_status status = kind_read(in, path, object, scene, &kind);
    if (status != STOA_OK) {
        return status;
    }
    if (entity == 0) {
        scene->root = stoa_prefab_new(in->world, &(stoa_prefab_desc){.base = kind});
        if (scene->root == NULL) {
            return stoa__json_fail_told(in, path, stoa_last_error().status);
        }
        scene->first = (uint32_t)stoa_prefab_node_count(scene->root);
    } else if (stoa_prefab_child(scene->root, kind != NULL ? kind : scene->empty) < 0) {
        return stoa__json_fail_told(in, path, stoa_last_error().status);
    }
    return STOA_OK;
}

static stoa_status offs_read(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                             stoa_scene *scene, uint32_t entity) {
    json_t *list = json_object_get(object, "off");
    stoa__json_path at = {path, object, "off", 0};
    if (list != NULL && !json_is_array(list)) {
        return stoa__json_expected(in, &at, list, "a list of components");
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        stoa__json_path item = {&at, list, NULL, i};
        stoa_component_info info = {0};
        stoa_status status = stoa__json_component_item(in, &item, json_array_get(list, i), &info);
        if (status != STOA_OK) {
            return status;
        }
        int32_t node = (int32_t)stoa__scene_node(scene, entity);
        if ((info.flags & STOA_SWITCHABLE) == 0 ||
            !stoa_prefab_node_has_id(scene->root, node, info.id)) {
            return stoa__json_fail(in, &item, STOA_REFUSED,
                                   "there is no '%s' here that can be switched off", info.name);
        }
        if (!stoa__heap_grow(&scene->heap, &scene->offs, &scene->off_capacity, scene->off_count + 1,
                             sizeof *scene->offs)) {
            return stoa__error_memory("a scene");
        }
        scene->offs[scene->off_count++] = (stoa__scene_off){entity, info.id};
    }
    return STOA_OK;
}

static stoa_status targets_read(stoa__json_in *in, const stoa__json_path *path, json_t *list,
                                stoa_scene *scene, stoa__scene_link link) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        stoa__json_path item = {path, list, NULL, i};
        stoa_status status =
            in->resolve(in, &item, json_string_value(json_array_get(list, i)), &link.target);
        if (status != STOA_OK) {
            return status;
        }
        if (!stoa__heap_grow(&scene->heap, &scene->links, &scene->link_capacity,
                             scene->link_count + 1, sizeof *scene->links)) {
            return stoa__error_memory("a scene");
        }
        scene->links[scene->link_count++] = link;
    }
    return STOA_OK;
}

/* Keeps the lists of relations, which were checked. */
static stoa_status links_read(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                              stoa_scene *scene, uint32_t entity) {
    stoa_status status = stoa__json_relations_read(in, path, object, NULL);
    json_t *lists = json_object_get(object, "relations");
    stoa__json_path at = {path, object, "relations", 0};
    for (void *i = status == STOA_OK ? json_object_iter(lists) : NULL; i != NULL;
         i = json_object_iter_next(lists, i)) {
        stoa__json_path member = {&at, lists, json_object_iter_key(i), 0};
        stoa__scene_link link = {stoa_relation_find(in->world, member.key), entity, STOA_NULL};
        status = targets_read(in, &member, json_object_iter_value(i), scene, link);
        if (status != STOA_OK) {
            break;
        }
    }
    return status;
}

static stoa_status entity_read(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                               stoa_scene *scene, uint32_t entity) {
    const stoa__json_names *names = in->user;
    if (names->names[entity] != NULL) {
        scene->names[entity] = stoa__heap_text(&scene->heap, names->names[entity]);
        if (scene->names[entity] == NULL) {
            return stoa__error_memory("a scene");
        }
    }
    stoa_status status = stoa__json_node_read(in, path, object, SCENE_PARTS, scene->root,
                                              (int32_t)stoa__scene_node(scene, entity));
    if (status == STOA_OK) {
        status = offs_read(in, path, object, scene, entity);
    }
    if (status == STOA_OK) {
        status = links_read(in, path, object, scene, entity);
    }
    return status;
}

/* Makes all entities nodes, then gives them their values. */
static stoa_status entities_read(stoa__json_in *in, json_t *list, stoa__json_names *names,
                                 stoa_scene *scene) {
    stoa__json_path path = {NULL, in->root, "entities", 0};
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < names->count && status == STOA_OK; i++) {
        stoa__json_path item = {&path, list, NULL, i};
        status = node_make(in, &item, json_array_get(list, i), scene, i);
        names->entities[i] = stoa_prefab_node((int32_t)stoa__scene_node(scene, i));
    }
    names->outside = true;
    in->resolve = stoa__json_names_resolve;
    in->user = names;
    for (uint32_t i = 0; i < names->count && status == STOA_OK; i++) {
        stoa__json_path item = {&path, list, NULL, i};
        status = entity_read(in, &item, json_array_get(list, i), scene, i);
    }
    in->resolve = stoa__json_resolve_world;
    in->user = NULL;
    return status;
}

static stoa_status scene_fill(stoa__json_in *in, json_t *list, stoa_scene *scene) {
    stoa__json_names names;
    stoa_status status = stoa__json_names_read(in, list, "entities", false, &names);
    if (status != STOA_OK || names.count == 0) {
        stoa__json_names_free(&names);
        return status;
    }
    scene->names = stoa__heap_zalloc(&scene->heap, names.count * sizeof *scene->names, 8);
    if (scene->names == NULL) {
        stoa__json_names_free(&names);
        return stoa__error_memory("a scene");
    }
    scene->count = names.count;
    scene->empty = stoa_prefab_new(in->world, NULL);
    status =
        scene->empty != NULL ? entities_read(in, list, &names, scene) : stoa_last_error().status;
    stoa__json_names_free(&names);
    return status;
}

/* Makes a scene of an open text. */
static stoa_status scene_read(stoa__json_in *in, stoa_scene **made) {
    static const char *const sections[] = {"stoa", "prefabs", "entities", NULL};
    json_t *list;
    stoa_status status = stoa__json_check_sections(in, sections);
    if (status == STOA_OK) {
        status = stoa__json_section(in, "entities", JSON_ARRAY, &list);
    }
    if (status != STOA_OK) {
        return status;
    }
    stoa_scene *scene = stoa__heap_zalloc(&in->heap, sizeof *scene, _Alignof(stoa_scene));
    if (scene == NULL) {
        return stoa__error_memory("a scene");
    }
    scene->world = in->world;
    scene->heap = in->heap;
    status = stoa__json_prefabs_read(in, true, &scene->prefabs);
    if (status == STOA_OK) {
        status = scene_fill(in, list, scene);
        stoa__json_names_free(&scene->prefabs.names);
    }
    if (status != STOA_OK) {
        stoa_scene_free(scene);
        return status;
    }
    *made = scene;
    return STOA_OK;
}

stoa_scene *stoa_scene_load(stoa_world *world, const char *text, size_t size,
                            stoa_json_error *error) {
    stoa__json_in in;
    stoa_scene *scene = NULL;
    stoa_status status = stoa__json_in_open(&in, world, text, size, false, error);
    if (status == STOA_OK) {
        status = scene_read(&in, &scene);
    }
    (void)stoa__json_in_end(&in, status);
    return scene;
}

int32_t stoa_scene_count(const stoa_scene *scene) {
    return scene != NULL ? (int32_t)scene->count : 0;
}

const char *stoa_scene_name(const stoa_scene *scene, int32_t index) {
    return scene != NULL && (uint32_t)index < scene->count ? scene->names[index] : NULL;
}

int32_t stoa_scene_find(const stoa_scene *scene, const char *name) {
    int32_t found = -1;
    for (uint32_t i = 0; scene != NULL && name != NULL && found < 0 && i < scene->count; i++) {
        if (scene->names[i] != NULL && strcmp(scene->names[i], name) == 0) {
            found = (int32_t)i;
        }
    }
    return found;
}

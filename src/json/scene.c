/* Making the entities of a scene, and writing entities as one.
 *
 * All names are looked up before anything is made, so that a name that is taken costs nothing. What
 * comes after the instance of the prefab - names, what is off, lists - fails only for lack of
 * memory or by a rule of the world; then the entities are destroyed again. */
#include "json/scene.h"

#include <string.h>

#include "stoa/hierarchy.h"
#include "json/entity.h"

/* Room for the names that are made with a prefix. */
typedef struct naming {
    const stoa_scene *scene;
    const char *prefix;
    char *text;
    size_t size;
    size_t prefix_length;
} naming;

static stoa_status naming_open(naming *n, stoa_scene *scene, const char *prefix) {
    size_t longest = 0;
    for (uint32_t i = 0; i < scene->count; i++) {
        size_t length = scene->names[i] != NULL ? strlen(scene->names[i]) : 0;
        longest = length > longest ? length : longest;
    }
    *n = (naming){.scene = scene, .prefix = prefix, .prefix_length = strlen(prefix)};
    n->size = n->prefix_length + longest + 1;
    n->text = stoa__heap_alloc(&scene->heap, n->size, 1);
    if (n->text == NULL) {
        return stoa__error_memory("the names of a scene");
    }
    memcpy(n->text, prefix, n->prefix_length);
    return STOA_OK;
}

/* The name that an entity gets; NULL if none. */
static const char *naming_of(naming *n, uint32_t entity) {
    const char *name = n->scene->names[entity];
    if (name == NULL) {
        return NULL;
    }
    memcpy(n->text + n->prefix_length, name, strlen(name) + 1);
    return n->text;
}

static stoa_status names_check(naming *n) {
    const stoa_world *world = n->scene->world;
    for (uint32_t i = 0; i < n->scene->count; i++) {
        const char *name = naming_of(n, i);
        stoa_entity other = name != NULL ? stoa_find(world, name) : STOA_NULL;
        if (!stoa_entity_is_null(other)) {
            char text[STOA_ENTITY_TEXT_SIZE];
            return stoa__error(STOA_TAKEN, "entity %s has the name '%.64s'",
                               stoa_entity_print(other, text, sizeof text), name);
        }
    }
    return STOA_OK;
}

/* The entity that a target of a list stands for. */
static stoa_entity target_of(const stoa_entity *made, stoa_entity target) {
    return target.generation == 0 && target.index != 0 ? made[target.index - 1] : target;
}

/* What is not part of a prefab. */
static stoa_status made_complete(stoa_scene *scene, naming *n, const stoa_entity *made) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; n != NULL && i < scene->count && status == STOA_OK; i++) {
        const char *name = naming_of(n, i);
        if (name != NULL) {
            status = stoa_name_set(scene->world, made[stoa__scene_node(scene, i)], name);
        }
    }
    for (uint32_t i = 0; i < scene->off_count && status == STOA_OK; i++) {
        status = stoa_enable_id(scene->world, made[stoa__scene_node(scene, scene->offs[i].entity)],
                                scene->offs[i].id, false);
    }
    for (uint32_t i = 0; i < scene->link_count && status == STOA_OK; i++) {
        const stoa__scene_link *link = &scene->links[i];
        status = stoa_relation_add(scene->world, link->relation,
                                   made[stoa__scene_node(scene, link->source)],
                                   target_of(made, link->target));
    }
    return status;
}

/* Destroys what was made, the last first, as long as rules let one of them go. */
static void made_destroy(stoa_world *world, const stoa_entity *made, int32_t count) {
    bool going = true;
    bool muted = stoa__error_mute(true);
    while (going) {
        going = false;
        for (int32_t i = count; i-- > 0;) {
            going =
                (stoa_alive(world, made[i]) && stoa_destroy(world, made[i]) == STOA_OK) || going;
        }
    }
    stoa__error_mute(muted);
}

/* Makes the tree; the names are known to be free. */
static stoa_status scene_make(stoa_scene *scene, naming *n, stoa_entity *entities) {
    int32_t total = stoa_prefab_entity_count(scene->root);
    if (total < 0) {
        return stoa_last_error().status;
    }
    size_t size = (size_t)total * sizeof(stoa_entity);
    stoa_entity *made = stoa__heap_alloc(&scene->heap, size, 8);
    if (made == NULL) {
        return stoa_world_report(scene->world, stoa__error_memory("the entities of a scene"));
    }
    stoa_status status = stoa_prefab_instantiate_tree(scene->root, NULL, 0, made, total);
    if (status == STOA_OK) {
        status = made_complete(scene, n, made);
        if (status != STOA_OK) {
            made_destroy(scene->world, made, total);
        }
    }
    for (uint32_t i = 0; status == STOA_OK && entities != NULL && i < scene->count; i++) {
        entities[i] = made[stoa__scene_node(scene, i)];
    }
    stoa__heap_free(&scene->heap, made, size, 8);
    return status;
}

stoa_status stoa_scene_instantiate(stoa_scene *scene, const stoa_scene_options *options,
                                   stoa_entity *entities, int32_t capacity) {
    if (scene == NULL) {
        return stoa_world_report(NULL,
                                 stoa__error(STOA_NULL_ARGUMENT, "the scene must not be null"));
    }
    if (entities != NULL && capacity < (int32_t)scene->count) {
        return stoa_world_report(scene->world,
                                 stoa__error(STOA_INVALID, "room for %d of %u entities",
                                             (int)capacity, (unsigned)scene->count));
    }
    if (scene->root == NULL) {
        return STOA_OK;
    }
    if (options != NULL && options->nameless) {
        return scene_make(scene, NULL, entities);
    }
    naming n;
    const char *prefix = options != NULL && options->prefix != NULL ? options->prefix : "";
    stoa_status status = naming_open(&n, scene, prefix);
    if (status == STOA_OK) {
        status = names_check(&n);
    }
    status = status == STOA_OK ? scene_make(scene, &n, entities)
                               : stoa_world_report(scene->world, status);
    stoa__heap_free(&scene->heap, n.text, n.size, 1);
    return status;
}

/* The entities that are saved: roots, and what is below them. */
typedef struct cast {
    stoa__heap heap;
    stoa_entity *entities;
    uint32_t count;
    uint32_t capacity;
    stoa__map places;
} cast;

static bool cast_has(const cast *c, stoa_entity e) {
    stoa__json_labels labels = {.map = c->places, .entities = c->entities, .count = c->count};
    return stoa__json_labels_find(&labels, e) != STOA__MAP_NONE;
}

static bool cast_add(cast *c, stoa_entity e) {
    if (cast_has(c, e)) {
        return true;
    }
    if (!stoa__heap_grow(&c->heap, &c->entities, &c->capacity, c->count + 1, sizeof e) ||
        !stoa__map_reserve(&c->places, &c->heap)) {
        return false;
    }
    stoa__map_insert(&c->places, stoa_entity_hash(e), c->count);
    c->entities[c->count++] = e;
    return true;
}

static stoa_status cast_gather(cast *c, const stoa_world *world, const stoa_entity *roots,
                               int32_t count) {
    bool room = true;
    for (int32_t i = 0; roots != NULL && i < count && room; i++) {
        if (!stoa_alive(world, roots[i])) {
            char text[STOA_ENTITY_TEXT_SIZE];
            return stoa__error(STOA_DEAD, "entity %s is dead",
                               stoa_entity_print(roots[i], text, sizeof text));
        }
        room = cast_add(c, roots[i]);
    }
    for (uint32_t i = 0; i < c->count && room; i++) {
        stoa_links children = stoa_children(world, c->entities[i]);
        for (int32_t k = 0; k < children.count && room; k++) {
            room = cast_add(c, children.items[k]);
        }
    }
    return room ? STOA_OK : stoa__error_memory("the entities of a scene");
}

static void cast_write(const cast *c, stoa__json_out *out) {
    stoa_component parent = stoa_type_find(out->world, STOA_TYPE_OF(Parent));
    for (uint32_t i = 0; i < c->count && out->status == STOA_OK; i++) {
        stoa_entity e = c->entities[i];
        const char *name = stoa_name(out->world, e);
        stoa__json_out_item(out);
        stoa__json_out_open(out, '{', true);
        stoa__json_out_key(out, name != NULL ? "name" : "id");
        if (name != NULL) {
            stoa__json_out_string(out, name);
        } else {
            stoa__json_out_unsigned(out, i);
        }
        bool top = !cast_has(c, stoa_parent(out->world, e));
        stoa__json_entity_write(out, e, top ? parent : 0);
        stoa__json_out_close(out, '}');
    }
}

stoa_status stoa_scene_save(const stoa_world *world, const stoa_entity *roots, int32_t count,
                            uint32_t flags, const stoa_sink *sink) {
    stoa_status status = stoa__json_arguments(world, sink);
    if (status == STOA_OK && (count < 0 || (roots == NULL && count > 0))) {
        status = stoa__error(count < 0 ? STOA_INVALID : STOA_NULL_ARGUMENT,
                             "the roots must not be null, nor fewer than none");
    }
    if (status != STOA_OK) {
        return stoa_world_report(world, status);
    }
    cast c = {0};
    stoa__heap_init(&c.heap, stoa_world_allocator(world));
    status = cast_gather(&c, world, roots, count);
    if (status == STOA_OK) {
        stoa__json_labels labels = {.map = c.places, .entities = c.entities, .count = c.count};
        stoa__json_out out = stoa__json_out_new(world, flags, sink);
        out.labels = &labels;
        stoa__json_out_open(&out, '{', true);
        stoa__json_out_key(&out, "stoa");
        stoa__json_out_signed(&out, STOA__JSON_VERSION);
        stoa__json_out_key(&out, "entities");
        stoa__json_out_open(&out, '[', true);
        cast_write(&c, &out);
        stoa__json_out_close(&out, ']');
        stoa__json_out_close(&out, '}');
        status = stoa__json_out_end(&out);
    }
    stoa__map_fini(&c.places, &c.heap);
    stoa__heap_grow_free(&c.heap, c.entities, c.capacity, sizeof *c.entities);
    return stoa_world_report(world, status);
}

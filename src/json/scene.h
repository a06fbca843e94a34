/* Scenes, as the files that make and use them see them. */
#ifndef STOA_JSON_SCENE_H
#define STOA_JSON_SCENE_H

#include "stoa/relation.h"
#include "json/prefabs.h"

/* A component that is switched off in new entities. */
typedef struct stoa__scene_off {
    uint32_t entity;
    stoa_component id;
} stoa__scene_off;

/* A target that a new entity points at. */
typedef struct stoa__scene_link {
    stoa_relation relation;
    uint32_t source;
    stoa_entity target; /* of generation 0: a node of the prefab */
} stoa__scene_link;

/* The entities of a scene are the tree of one prefab: the first is its root, the others are its
 * children, so that references among them are references among nodes. */
struct stoa_scene {
    stoa_world *world;
    stoa__heap heap;
    stoa__json_prefabs prefabs; /* that the text brought */
    stoa_prefab *empty;         /* what entities without a prefab are instances of */
    stoa_prefab *root;          /* NULL if there are no entities */
    uint32_t count;             /* of entities in the text */
    uint32_t first;             /* the node of the second of them */
    char **names;               /* by entity; NULL: none */
    stoa__scene_off *offs;
    uint32_t off_count;
    uint32_t off_capacity;
    stoa__scene_link *links;
    uint32_t link_count;
    uint32_t link_capacity;
};

/* The node of an entity of the text. */
static inline uint32_t stoa__scene_node(const stoa_scene *scene, uint32_t entity) {
    return entity == 0 ? 0 : scene->first + entity - 1;
}

#endif

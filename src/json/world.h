/* A world that is being loaded from JSON, as the files that do it see it. */
#ifndef STOA_JSON_WORLD_H
#define STOA_JSON_WORLD_H

#include "stoa/rebuild.h"
#include "json/labels.h"

/* A component that is kept outside of archetypes, of one entity. */
typedef struct stoa__json_set_item {
    stoa_component id;
    uint32_t entity; /* its place in the list */
    const char *key;
    json_t *json;
} stoa__json_set_item;

/* Entities of one set of components. */
typedef struct stoa__json_group {
    uint32_t first; /* of its ids in the pool */
    uint32_t id_count;
    uint32_t count; /* of entities */
    uint32_t row;   /* of its first entity in `rows` */
} stoa__json_group;

/* The key that stood at some place of the entity before, and what it means. Entities of one kind
 * have the same keys in the same order as a rule. */
typedef struct stoa__json_key {
    const char *key; /* NULL: none yet */
    uint32_t part;
    stoa_component_info info;
} stoa__json_key;

typedef struct stoa__json_loading {
    stoa__json_in *in;
    json_t *list;
    stoa__json_names names;

    uint32_t *generations; /* of all slots */
    uint32_t slot_count;
    uint32_t slot_capacity;
    uint32_t *free;
    uint32_t free_count;
    uint32_t free_capacity;

    stoa__json_key *keys;
    uint32_t key_count;
    uint32_t key_capacity;

    stoa_component *pool; /* of ids */
    uint32_t pool_count;
    uint32_t pool_capacity;
    stoa__json_group *groups;
    uint32_t group_count;
    uint32_t group_capacity;
    stoa__map groups_by_ids;
    uint32_t *group_of; /* by entity; UINT32_MAX: none, it has no row */
    uint32_t *order;    /* entities by group */
    stoa_entity *rows;  /* the same, as handles */

    stoa__json_set_item *items;
    uint32_t item_count;
    uint32_t item_capacity;
    uint8_t *off;         /* room for a flag for each entity */
    uint32_t *marks;      /* room for a number for each entity */
    stoa_blob name_bytes; /* for the extensions that load them */
    stoa_blob relation_bytes;
    stoa_rebuild *rebuild;
} stoa__json_loading;

/* Fills in the table of slots, and handles for entities that have none. */
stoa_status stoa__json_slots_read(stoa__json_loading *l);

/* What a key of an entity means; `at` is its place in the object. */
stoa_status stoa__json_key_read(stoa__json_loading *l, const stoa__json_path *path, uint32_t at,
                                const stoa__json_key **found);

/* Sorts entities into groups, and lists what is kept outside of archetypes. */
stoa_status stoa__json_groups_make(stoa__json_loading *l);

/* Makes archetypes and fills them. */
stoa_status stoa__json_rows_read(stoa__json_loading *l);

/* Makes what is kept outside of archetypes. */
stoa_status stoa__json_sets_read(stoa__json_loading *l);

/* The list of entities that `order` has for a component as places; `*list` is NULL if it has none.
 */
stoa_status stoa__json_order_read(stoa__json_loading *l, const char *name, json_t **list);

/* Writes down what names and relations are to load. */
stoa_status stoa__json_extras_make(stoa__json_loading *l);

/* Lets all extensions load, once the entities are there. */
stoa_status stoa__json_extras_give(stoa__json_loading *l);

#endif

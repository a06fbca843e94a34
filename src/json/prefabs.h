/* Prefabs out of JSON: what prefab files and scenes share. */
#ifndef STOA_JSON_PREFABS_H
#define STOA_JSON_PREFABS_H

#include "json/labels.h"

/* The prefabs that a text has made, in its order. */
typedef struct stoa__json_prefabs {
    stoa__heap heap; /* on the world's allocator */
    stoa_prefab **items;
    uint32_t count;    /* made so far */
    uint32_t capacity; /* of the text */
    stoa__json_names names;
} stoa__json_prefabs;

/* Makes the prefabs of the section `prefabs`, which may be missing; all or none. With `own` they
 * get no names in the world. The names stay good while the text is open. */
stoa_status stoa__json_prefabs_read(stoa__json_in *in, bool own, stoa__json_prefabs *prefabs);

/* The prefab that a text refers to: one of those, or one of the world's. */
stoa_status stoa__json_prefabs_resolve(stoa__json_in *in, const stoa__json_path *path, json_t *json,
                                       const stoa__json_prefabs *prefabs, stoa_prefab **found);

/* Frees those made, the last first. */
void stoa__json_prefabs_undo(stoa__json_prefabs *prefabs);

/* Frees the list and its names; the prefabs stay. */
void stoa__json_prefabs_free(stoa__json_prefabs *prefabs);

/* Reads the values of a node of a prefab. */
stoa_status stoa__json_node_read(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                                 uint32_t parts, stoa_prefab *prefab, int32_t node);

#endif

/* What entities are called in a text: by name, by a number of the text's own, or by handle.
 *
 * A reference is a text: a name, `#5` for a number, `#17v3` for a handle. A name that begins with
 * `#` has one more in front. */
#ifndef STOA_JSON_LABELS_H
#define STOA_JSON_LABELS_H

#include "json/json.h"

/* For writing: the entities that a text lists, each with its number. */
typedef struct stoa__json_labels {
    stoa__heap *heap;
    stoa__map map; /* numbers by handle */
    const stoa_entity *entities;
    uint32_t count;
} stoa__json_labels;

/* Numbers entities, which must stay where they are. The thread's error is set. */
stoa_status stoa__json_labels_make(stoa__json_labels *labels, stoa__heap *heap,
                                   const stoa_entity *entities, uint32_t count);
void stoa__json_labels_free(stoa__json_labels *labels);

/* The number of an entity; STOA__MAP_NONE if the text does not list it. */
uint32_t stoa__json_labels_find(const stoa__json_labels *labels, stoa_entity e);

/* A reference by name or number; null for a dead entity; a failure for one that is not listed. */
void stoa__json_labels_write(stoa__json_out *out, stoa_entity e);

/* A reference by name or handle. */
void stoa__json_name_write(stoa__json_out *out, stoa_entity e);

/* For reading: what the entities of a list are called, by their places in it. */
typedef struct stoa__json_names {
    stoa__heap *heap;
    json_t *list;
    uint32_t count;
    const char **names;    /* NULL: none */
    int64_t *ids;          /* -1: none */
    stoa_entity *entities; /* what references become */
    stoa__map by_name;
    stoa__map by_id;
    bool handles; /* entities have handles instead of numbers */
    bool outside; /* names that the list has not are looked for in the world */
} stoa__json_names;

/* Reads the names and ids of all entities of a list. Handles, if the text has them, are filled in;
 * with `handles_allowed` false they are refused. */
stoa_status stoa__json_names_read(stoa__json_in *in, json_t *list, const char *key,
                                  bool handles_allowed, stoa__json_names *names);
void stoa__json_names_free(stoa__json_names *names);

/* The place of a name; STOA__MAP_NONE if there is none. */
uint32_t stoa__json_names_find(const stoa__json_names *names, const char *name);

/* The place of the entity that an item of some list refers to. */
stoa_status stoa__json_names_place(stoa__json_in *in, const stoa__json_path *path, json_t *json,
                                   const stoa__json_names *names, uint32_t *place);

/* stoa__json_resolve_fn for the entities of a list: `user` is a stoa__json_names. */
stoa_status stoa__json_names_resolve(stoa__json_in *in, const stoa__json_path *path,
                                     const char *text, stoa_entity *e);

#endif

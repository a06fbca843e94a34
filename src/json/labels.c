/* What entities are called in a text.
 *
 * Writing needs the number of an entity, reading the entity of a name or number: hash tables on the
 * world's allocator, made once for a text. Looking up is O(1). */
#include "json/labels.h"

#include <string.h>

#include "base/hash.h"

stoa_status stoa__json_labels_make(stoa__json_labels *labels, stoa__heap *heap,
                                   const stoa_entity *entities, uint32_t count) {
    *labels = (stoa__json_labels){.heap = heap, .entities = entities, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        if (!stoa__map_reserve(&labels->map, heap)) {
            stoa__json_labels_free(labels);
            return stoa__error_memory("the numbers of entities");
        }
        stoa__map_insert(&labels->map, stoa_entity_hash(entities[i]), i);
    }
    return STOA_OK;
}

void stoa__json_labels_free(stoa__json_labels *labels) {
    if (labels->heap != NULL) {
        stoa__map_fini(&labels->map, labels->heap);
    }
    labels->map = (stoa__map){0};
}

uint32_t stoa__json_labels_find(const stoa__json_labels *labels, stoa_entity e) {
    uint32_t cursor = 0, found;
    uint64_t hash = stoa_entity_hash(e);
    while ((found = stoa__map_next(&labels->map, hash, &cursor)) != STOA__MAP_NONE) {
        if (stoa_entity_eq(labels->entities[found], e)) {
            break;
        }
    }
    return found;
}

/* A name as a reference. */
static void reference_write(stoa__json_out *out, const char *name) {
    if (name[0] != '#') {
        stoa__json_out_string(out, name);
        return;
    }
    /* The first of two signs goes before the quoted text's own. */
    stoa__json_out_bytes(out, "\"#", 2);
    stoa__json_out_escaped(out, name);
    stoa__json_out_bytes(out, "\"", 1);
}

void stoa__json_name_write(stoa__json_out *out, stoa_entity e) {
    const char *name = stoa_name(out->world, e);
    if (name != NULL) {
        reference_write(out, name);
    } else {
        stoa__json_out_handle(out, "#", e);
    }
}

void stoa__json_labels_write(stoa__json_out *out, stoa_entity e) {
    const char *name = stoa_name(out->world, e);
    uint32_t number = stoa__json_labels_find(out->labels, e);
    if (name != NULL) {
        reference_write(out, name);
    } else if (number != STOA__MAP_NONE) {
        stoa__json_out_bytes(out, "\"#", 2);
        stoa__json_out_unsigned(out, number);
        stoa__json_out_bytes(out, "\"", 1);
    } else if (!stoa_alive(out->world, e)) {
        stoa__json_out_put(out, "null");
    } else {
        char text[STOA_ENTITY_TEXT_SIZE];
        stoa__json_out_fail(out, stoa__error(STOA_NOT_FOUND,
                                             "entity %s is referred to, but has no name and is not "
                                             "part of what is saved",
                                             stoa_entity_print(e, text, sizeof text)));
    }
}

static bool names_alloc(stoa__json_names *names) {
    size_t n = names->count > 0 ? names->count : 1;
    names->names = stoa__heap_zalloc(names->heap, n * sizeof *names->names, 8);
    names->ids = stoa__heap_alloc(names->heap, n * sizeof *names->ids, 8);
    names->entities = stoa__heap_zalloc(names->heap, n * sizeof *names->entities, 8);
    return names->names != NULL && names->ids != NULL && names->entities != NULL;
}

void stoa__json_names_free(stoa__json_names *names) {
    size_t n = names->count > 0 ? names->count : 1;
    if (names->heap != NULL) {
        stoa__heap_free(names->heap, names->names, n * sizeof *names->names, 8);
        stoa__heap_free(names->heap, names->ids, n * sizeof *names->ids, 8);
        stoa__heap_free(names->heap, names->entities, n * sizeof *names->entities, 8);
        stoa__map_fini(&names->by_name, names->heap);
        stoa__map_fini(&names->by_id, names->heap);
    }
    *names = (stoa__json_names){0};
}

uint32_t stoa__json_names_find(const stoa__json_names *names, const char *name) {
    uint32_t cursor = 0, found;
    uint64_t hash = stoa__hash_text(name);
    while ((found = stoa__map_next(&names->by_name, hash, &cursor)) != STOA__MAP_NONE) {
        if (strcmp(names->names[found], name) == 0) {
            break;
        }
    }
    return found;
}

/* The place of a number, or of the index of a handle. */
static uint32_t id_find(const stoa__json_names *names, int64_t id) {
    uint32_t cursor = 0, found;
    uint64_t hash = stoa__hash_mix((uint64_t)id);
    while ((found = stoa__map_next(&names->by_id, hash, &cursor)) != STOA__MAP_NONE) {
        if (names->ids[found] == id) {
            break;
        }
    }
    return found;
}

static stoa_status name_add(stoa__json_in *in, const stoa__json_path *path, json_t *json,
                            uint32_t place, stoa__json_names *names) {
    if (json == NULL || json_is_null(json)) {
        return STOA_OK;
    }
    if (!json_is_string(json) || json_string_length(json) == 0 ||
        json_string_length(json) > STOA_NAME_LENGTH) {
        return stoa__json_expected(in, path, json, "a name");
    }
    uint32_t other = stoa__json_names_find(names, json_string_value(json));
    if (other != STOA__MAP_NONE) {
        return stoa__json_fail(in, path, STOA_TAKEN, "entity %u has the name '%.64s', too",
                               (unsigned)other, json_string_value(json));
    }
    if (!stoa__map_reserve(&names->by_name, names->heap)) {
        return stoa__error_memory("the names of a text");
    }
    names->names[place] = json_string_value(json);
    stoa__map_insert(&names->by_name, stoa__hash_text(names->names[place]), place);
    return STOA_OK;
}

static stoa_status id_add(stoa__json_in *in, const stoa__json_path *path, json_t *json,
                          uint32_t place, bool handles_allowed, stoa__json_names *names) {
    names->ids[place] = -1;
    if (json == NULL) {
        return STOA_OK;
    }
    if (json_is_integer(json) && json_integer_value(json) >= 0 &&
        json_integer_value(json) <= INT32_MAX) {
        names->ids[place] = json_integer_value(json);
    } else if (handles_allowed && json_is_string(json) &&
               stoa__json_parse_handle(json_string_value(json), &names->entities[place])) {
        names->ids[place] = names->entities[place].index;
        names->handles = true;
    } else {
        return stoa__json_expected(in, path, json,
                                   handles_allowed ? "a number, or a handle such as \"17v3\""
                                                   : "a number");
    }
    uint32_t other = id_find(names, names->ids[place]);
    if (other != STOA__MAP_NONE && other != place) {
        return stoa__json_fail(in, path, STOA_TAKEN, "entity %u has this id, too", (unsigned)other);
    }
    if (!stoa__map_reserve(&names->by_id, names->heap)) {
        return stoa__error_memory("the ids of a text");
    }
    stoa__map_insert(&names->by_id, stoa__hash_mix((uint64_t)names->ids[place]), place);
    return STOA_OK;
}

/* With handles every entity has one. */
static stoa_status handles_check(stoa__json_in *in, const stoa__json_path *path,
                                 const stoa__json_names *names) {
    for (uint32_t i = 0; names->handles && i < names->count; i++) {
        stoa__json_path item = {path, names->list, NULL, i};
        if (names->entities[i].index == 0) {
            return stoa__json_fail(in, &item, STOA_SYNTAX,
                                   "the entity has no handle, but others have");
        }
    }
    return STOA_OK;
}

stoa_status stoa__json_names_read(stoa__json_in *in, json_t *list, const char *key,
                                  bool handles_allowed, stoa__json_names *names) {
    stoa__json_path path = {NULL, in->root, key, 0};
    *names = (stoa__json_names){
        .heap = &in->heap, .list = list, .count = (uint32_t)json_array_size(list)};
    if (json_array_size(list) > STOA_ENTITY_MAX) {
        return stoa__json_fail(in, &path, STOA_LIMIT, "a world holds at most %d entities",
                               STOA_ENTITY_MAX);
    }
    stoa_status status =
        names_alloc(names) ? STOA_OK : stoa__error_memory("the entities of a text");
    for (uint32_t i = 0; i < names->count && status == STOA_OK; i++) {
        json_t *object = json_array_get(list, i);
        stoa__json_path item = {&path, list, NULL, i};
        if (!json_is_object(object)) {
            status = stoa__json_expected(in, &item, object, "an object");
            break;
        }
        stoa__json_path at = {&item, object, "name", 0};
        status = name_add(in, &at, json_object_get(object, "name"), i, names);
        if (status == STOA_OK) {
            at.key = "id";
            status = id_add(in, &at, json_object_get(object, "id"), i, handles_allowed, names);
        }
    }
    if (status == STOA_OK) {
        status = handles_check(in, &path, names);
    }
    if (status != STOA_OK) {
        stoa__json_names_free(names);
    }
    return status;
}

/* The place that a text refers to; STOA__MAP_NONE if there is none. */
static uint32_t reference_find(const stoa__json_names *names, const char *text) {
    uint32_t number;
    stoa_entity e;
    if (text[0] != '#' || text[1] == '#') {
        return stoa__json_names_find(names, text[0] == '#' ? text + 1 : text);
    }
    if (!names->handles) {
        return stoa__json_parse_number(text + 1, &number) ? id_find(names, number) : STOA__MAP_NONE;
    }
    uint32_t place =
        stoa__json_parse_handle(text + 1, &e) ? id_find(names, e.index) : STOA__MAP_NONE;
    return place != STOA__MAP_NONE && stoa_entity_eq(names->entities[place], e) ? place
                                                                                : STOA__MAP_NONE;
}

stoa_status stoa__json_names_place(stoa__json_in *in, const stoa__json_path *path, json_t *json,
                                   const stoa__json_names *names, uint32_t *place) {
    if (!json_is_string(json)) {
        return stoa__json_expected(in, path, json, "an entity");
    }
    *place = reference_find(names, json_string_value(json));
    return *place != STOA__MAP_NONE
               ? STOA_OK
               : stoa__json_fail(in, path, STOA_NOT_FOUND, "there is no entity '%.64s'",
                                 json_string_value(json));
}

stoa_status stoa__json_names_resolve(stoa__json_in *in, const stoa__json_path *path,
                                     const char *text, stoa_entity *e) {
    const stoa__json_names *names = in->user;
    bool handle = text[0] == '#' && text[1] != '#' && names->handles;
    uint32_t place = handle ? STOA__MAP_NONE : reference_find(names, text);
    if (place != STOA__MAP_NONE) {
        *e = names->entities[place];
        return STOA_OK;
    }
    /* A handle stands for itself, whether its entity lives or not. */
    if (handle || (names->outside && (text[0] != '#' || text[1] == '#'))) {
        return stoa__json_resolve_world(in, path, text, e);
    }
    return stoa__json_fail(in, path, STOA_NOT_FOUND, "there is no entity '%.64s'", text);
}

/* Indexes of components that get another layout.
 *
 * The index as it will be is built beside the one that is there, from the values that entities are
 * about to get. A swap exchanges what both hold, so that whoever has the index finds the new one;
 * hooks, name and place in the list stay. Fields are found by their names, those that were renamed
 * by what the component says of it. O(entities of the component). One thread at a time. */
#include "model/index.h"

#include "model/path.h"

#include <stdio.h>
#include <string.h>

/* The path of a field with its first member called what it is called in the new layout; NULL on
 * lack of memory. */
static char *field_follow(stoa__heap *heap, const stoa_component_info *after, const char *field) {
    size_t length = strcspn(field, ".["), tail = strlen(field + length) + 1;
    const stoa_member *member = stoa__path_follow(after, field, length);
    const char *name = member != NULL ? member->name : field;
    length = member != NULL ? strlen(name) : length;
    char *text = stoa__heap_alloc(heap, length + tail, 1);
    if (text != NULL) {
        memcpy(text, name, length);
        memcpy(text + length, field + strcspn(field, ".["), tail);
    }
    return text;
}

/* Says why an index cannot follow, for whom, unless it is for lack of memory. */
static stoa_status follow_fail(const stoa_index *index, const stoa_component_info *after,
                               stoa_status status) {
    char why[200];
    snprintf(why, sizeof why, "%s", stoa_last_error().message);
    if (status == STOA_NO_MEMORY) {
        return status;
    }
    return index->field != NULL
               ? stoa__error(STOA_REFUSED,
                             "index '%s' is on field '%s' of component '%s', whose layout differs: "
                             "%s",
                             index->name, index->field, after->name, why)
               : stoa__error(STOA_REFUSED,
                             "index '%s' is on component '%s', whose layout differs: %s",
                             index->name, after->name, why);
}

/* Reads how keys will be read; the world tells what is to come meanwhile. */
static stoa_status other_describe(const stoa_index *index, stoa_index *other, stoa_retype *retype,
                                  const stoa_component_info *after) {
    char *field = NULL;
    if (index->field != NULL) {
        field = field_follow(&other->heap, after, index->field);
        if (field == NULL) {
            return stoa__error_memory("an index");
        }
    }
    stoa_index_desc desc = {.field = field, .name = index->name, .ordered = index->ordered};
    stoa_retype_show(retype, true);
    stoa_status status = stoa__index_describe(other, &desc, after);
    stoa_retype_show(retype, false);
    stoa__heap_text_free(&other->heap, field);
    return status == STOA_OK ? STOA_OK : follow_fail(index, after, status);
}

static stoa_status values_put(void *user, const stoa_entity *entities, const void *values,
                              int32_t count) {
    stoa_index *other = user;
    for (int32_t i = 0; i < count; i++) {
        const uint8_t *value = (const uint8_t *)values + (size_t)i * other->size;
        if (!stoa__index_put(other, entities[i], value)) {
            return stoa__error(STOA_NO_MEMORY, "out of memory for index '%s'", other->name);
        }
    }
    return STOA_OK;
}

/* Builds the index as it will be. */
static stoa_status other_make(stoa_index *index, stoa_retype *retype,
                              const stoa_component_info *after) {
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(index->world));
    stoa_index *other = stoa__heap_zalloc(&heap, sizeof *other, _Alignof(stoa_index));
    if (other == NULL) {
        return stoa__error_memory("an index");
    }
    other->heap = heap;
    other->world = index->world;
    other->head.world = index->world;
    other->owner = index->owner;
    other->since = index->since;
    other->stale = index->stale;
    other->slow = index->slow;
    stoa_status status = other_describe(index, other, retype, after);
    if (status == STOA_OK && !index->stale) {
        status = stoa_retype_each(retype, index->component, values_put, other);
    }
    if (status != STOA_OK) {
        stoa__index_delete(other);
        return status;
    }
    index->other = other;
    return STOA_OK;
}

/* Exchanges what an index holds with what it is to hold, or held. */
static void sides_exchange(stoa_index *index) {
    stoa_index *other = index->other, old = *index;
    uint32_t version = index->head.version;
    version = 1 + (version > other->head.version ? version : other->head.version);
    *index = *other;
    *other = old;
    index->next = old.next;
    index->previous = old.previous;
    memcpy(index->hooks, old.hooks, sizeof index->hooks);
    /* Both names are the same, but one of them is known outside. */
    other->name = index->name;
    index->name = old.name;
    index->other = other;
    other->other = NULL;
    index->head.version = other->head.version = version;
    stoa__index_expose(index);
}

static void others_free(const stoa__indexes *indexes) {
    for (stoa_index *index = indexes->first; index != NULL; index = index->next) {
        if (index->other != NULL) {
            stoa__index_delete(index->other);
            index->other = NULL;
        }
    }
}

static stoa_status others_make(const stoa__indexes *indexes, stoa_retype *retype) {
    stoa_status status = STOA_OK;
    for (stoa_index *index = indexes->first; index != NULL && status == STOA_OK;
         index = index->next) {
        stoa_retype_change change;
        if (stoa_retype_change_get(retype, index->component, &change) && change.layout) {
            status = other_make(index, retype, &change.after);
        }
    }
    if (status != STOA_OK) {
        others_free(indexes);
    }
    return status;
}

stoa_status stoa__indexes_retype(stoa_world *world, void *data, stoa_retype *retype,
                                 stoa_retype_step step) {
    const stoa__indexes *indexes = data;
    (void)world;
    switch (step) {
    case STOA_RETYPE_MAKE:
        return others_make(indexes, retype);
    case STOA_RETYPE_SWAP:
        for (stoa_index *index = indexes->first; index != NULL; index = index->next) {
            if (index->other != NULL) {
                sides_exchange(index);
            }
        }
        break;
    case STOA_RETYPE_END:
        others_free(indexes);
        break;
    }
    return STOA_OK;
}

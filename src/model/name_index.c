/* The index of names: from text to entity, and who has which name.
 *
 * A veto promises a text to the call that asks, and a hook of the same call gives it to the entity.
 * A promised name stands in the table by text for nobody, so that nobody else gets it and giving it
 * needs no memory. A name that is taken away leaves the tables at once, but its text stays while
 * hooks may still see it. Both wait in lists, in order of depth: how many changes tell hooks, one
 * inside the other. What was promised at a depth is used deeper; once that call fails, or another
 * that asks begins at that depth, it is over. So the lists hold no more than calls
 * under way have put there, and the last one of each depth. O(1) on average but for the text. Only
 * promising allocates, as a rule. One thread at a time; any number may look up. */
#include "model/name_index.h"

#include "base/error.h"
#include "model/name_text.h"
#include "stoa/hook.h"
#include "stoa/view.h"

#include <string.h>

static void list_push(stoa__name_list *list, stoa__name *name, uint32_t level) {
    name->level = level;
    name->previous = NULL;
    name->next = list->first;
    if (list->first != NULL) {
        list->first->previous = name;
    }
    list->first = name;
    list->count++;
}

static void list_remove(stoa__name_list *list, const stoa__name *name) {
    if (name->previous != NULL) {
        name->previous->next = name->next;
    } else {
        list->first = name->next;
    }
    if (name->next != NULL) {
        name->next->previous = name->previous;
    }
    list->count--;
}

/* The first of a list if nobody at that depth needs it any more, taken off; else NULL. */
static stoa__name *list_pop(stoa__name_list *list, uint32_t depth) {
    stoa__name *name = list->first;
    if (name == NULL || name->level <= depth) {
        return NULL;
    }
    list_remove(list, name);
    return name;
}

stoa__names *stoa__names_new(const stoa_world *world) {
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    stoa__names *names = stoa__heap_zalloc(&heap, sizeof *names, _Alignof(stoa__names));
    if (names == NULL) {
        stoa__error_memory("the index of names");
        return NULL;
    }
    names->heap = heap;
    return names;
}

void stoa__names_clear(stoa__names *names) {
    stoa__names_purge(names, 0);
    for (stoa__name *name = names->gone.first, *next; name != NULL; name = next) {
        next = name->next;
        stoa__name_free(&names->heap, name);
    }
    names->gone = (stoa__name_list){NULL, 0};
    for (uint32_t i = 0; i < names->texts.capacity; i++) {
        if (names->texts.names[i] != NULL) {
            stoa__name_free(&names->heap, names->texts.names[i]);
        }
    }
    stoa__name_texts_clear(&names->texts);
    stoa__name_owners_clear(&names->owners);
    names->version++;
}

void stoa__names_free(stoa__names *names) {
    stoa__names_clear(names);
    stoa__name_texts_fini(&names->texts, &names->heap);
    stoa__name_owners_fini(&names->owners, &names->heap);
    stoa__heap heap = names->heap;
    stoa__heap_free(&heap, names, sizeof *names, _Alignof(stoa__names));
}

/* The cell of a name that is in the table by text. */
static uint32_t name_cell(const stoa__names *names, const stoa__name *name) {
    stoa__name_key key = stoa__name_key_of(name->text, name->length);
    return stoa__name_texts_find(&names->texts, &key);
}

void stoa__names_purge(stoa__names *names, uint32_t depth) {
    stoa__name *name;
    while ((name = list_pop(&names->promised, depth)) != NULL) {
        stoa__name_texts_remove(&names->texts, name_cell(names, name));
        stoa__name_free(&names->heap, name);
    }
    while ((name = list_pop(&names->gone, depth)) != NULL) {
        stoa__name_free(&names->heap, name);
    }
}

static stoa_status name_taken(const stoa__name *name) {
    if (stoa_entity_is_null(name->entity)) {
        return stoa__error(STOA_TAKEN, "the name '%.80s' is being given to another entity",
                           name->text);
    }
    char text[STOA_ENTITY_TEXT_SIZE];
    return stoa__error(STOA_TAKEN, "the name '%.80s' is taken by entity %s", name->text,
                       stoa_entity_print(name->entity, text, sizeof text));
}

stoa_status stoa__names_promise(stoa__names *names, stoa_entity e, const char *text,
                                uint32_t depth) {
    uint32_t length;
    stoa_status status = stoa__name_text_check(text, &length);
    if (status != STOA_OK) {
        return status;
    }
    stoa__name_key key = stoa__name_key_of(text, length);
    uint32_t at = stoa__name_texts_find(&names->texts, &key);
    if (at != STOA__NAME_NONE) {
        const stoa__name *there = names->texts.names[at];
        bool own = !stoa_entity_is_null(e) && stoa_entity_eq(there->entity, e);
        return own ? STOA_OK : name_taken(there);
    }
    uint32_t promised = names->promised.count + 1;
    if (!stoa__name_texts_reserve(&names->texts, &names->heap, names->texts.count + 1) ||
        !stoa__name_owners_reserve(&names->owners, &names->heap, names->owners.count + promised)) {
        return stoa__error_memory("the index of names");
    }
    stoa__name *name = stoa__name_new(&names->heap, text, length);
    if (name == NULL) {
        return stoa__error_memory("a name");
    }
    stoa__name_texts_insert(&names->texts, &key, name);
    list_push(&names->promised, name, depth + 1);
    return STOA_OK;
}

/* Takes a name out of both tables and keeps it for those who still see it. */
static void name_retire(stoa__names *names, stoa__name *name, uint32_t depth) {
    names->version++;
    stoa__name_texts_remove(&names->texts, name_cell(names, name));
    stoa__name_owners_remove(&names->owners, name);
    list_push(&names->gone, name, depth);
}

const stoa__name *stoa__names_give(stoa__names *names, stoa_entity e, const char *text,
                                   uint32_t depth) {
    stoa__names_purge(names, depth);
    stoa__name *held = stoa__name_owners_find(&names->owners, e);
    stoa__name_key key = stoa__name_key_of(text, (uint32_t)strlen(text));
    uint32_t at = stoa__name_texts_find(&names->texts, &key);
    stoa__name *name = at != STOA__NAME_NONE ? names->texts.names[at] : NULL;
    if (name != NULL && name == held) {
        return held;
    }
    if (name == NULL) {
        /* It may have had this name when it was asked about, and have lost it since. */
        if (stoa__names_promise(names, e, text, depth) != STOA_OK) {
            return NULL;
        }
        name = names->promised.first;
    }
    if (!stoa_entity_is_null(name->entity)) {
        name_taken(name);
        return NULL;
    }
    if (held != NULL) {
        name_retire(names, held, depth);
    }
    names->version++;
    list_remove(&names->promised, name);
    name->entity = e;
    names->texts.cells[name_cell(names, name)].entity = e;
    stoa__name_owners_insert(&names->owners, name);
    return name;
}

void stoa__names_take(stoa__names *names, stoa_entity e, uint32_t depth) {
    stoa__names_purge(names, depth);
    stoa__name *held = stoa__name_owners_find(&names->owners, e);
    if (held != NULL) {
        name_retire(names, held, depth);
    }
}

/* STOA_OK if a cell in use of the table by text holds what belongs there. While hooks run the world
 * may be ahead of the index. */
static stoa_status cell_check(const stoa_world *world, const stoa__names *names, uint32_t at,
                              bool settled) {
    const stoa__name *name = names->texts.names[at];
    bool right =
        name_cell(names, name) == at && stoa_entity_eq(names->texts.cells[at].entity, name->entity);
    if (right && !stoa_entity_is_null(name->entity)) {
        right = stoa_alive(world, name->entity) &&
                stoa__name_owners_find(&names->owners, name->entity) == name &&
                (!settled || stoa_name(world, name->entity) == name->text);
    }
    return right
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "the name '%.80s' is not where it belongs", name->text);
}

stoa_status stoa__names_check(const stoa_world *world, const stoa__names *names) {
    bool settled = stoa_hook_depth(world) == 0;
    uint32_t promised = 0;
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < names->texts.capacity && status == STOA_OK; i++) {
        if (names->texts.names[i] != NULL) {
            status = cell_check(world, names, i, settled);
            promised += stoa_entity_is_null(names->texts.names[i]->entity);
        }
    }
    stoa_component id = stoa_type_find(world, STOA_TYPE_OF(Name));
    if (status != STOA_OK || id == 0) {
        return status;
    }
    stoa_sparse_info named = {0};
    stoa_sparse_info_get(world, id, &named);
    uint32_t given = names->owners.count, known = names->texts.count;
    return promised == names->promised.count && given + promised == known &&
                   (!settled || given == (uint32_t)named.count)
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "%d entities have names, and the index has %u of %u",
                             named.count, given, known);
}

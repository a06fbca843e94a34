/* Indexes: their lifecycle, and the hooks that tell them of the world.
 *
 * The indexes of a world are an extension of it, in a list in the order they were made. Each has
 * three hooks on its component. Making one reads every value of the component; freeing one needs no
 * memory. One thread at a time, but see index_find.c. */
#include "model/index.h"

#include <string.h>

static const char extension_name[] = "stoa.index";

static void hook_taken(stoa_world *world, stoa_entity e, void *value, void *user) {
    stoa_index *index = user;
    (void)value;
    if (!index->stale && !stoa_world_ending(world)) {
        stoa__index_take(index, e);
    }
}

void stoa__index_delete(stoa_index *index) {
    if (index->other != NULL) {
        stoa__index_delete(index->other);
    }
    stoa__index_forget(index);
    stoa__heap_grow_free(&index->heap, index->homes, index->home_capacity, sizeof *index->homes);
    stoa__key_plan_fini(&index->plan, &index->heap);
    stoa__heap_text_free(&index->heap, index->name);
    stoa__heap_text_free(&index->heap, index->field);
    stoa__heap heap = index->heap;
    stoa__heap_free(&heap, index, sizeof *index, _Alignof(stoa_index));
}

static void indexes_free(stoa_world *world, void *data) {
    stoa__indexes *indexes = data;
    (void)world;
    for (stoa_index *index = indexes->first, *next; index != NULL; index = next) {
        next = index->next;
        stoa__index_delete(index);
    }
    stoa__heap heap = indexes->heap;
    stoa__heap_free(&heap, indexes, sizeof *indexes, _Alignof(stoa__indexes));
}

static stoa_status indexes_check(const stoa_world *world, const void *data) {
    const stoa__indexes *indexes = data;
    stoa_status status = STOA_OK;
    (void)world;
    for (const stoa_index *index = indexes->first; index != NULL && status == STOA_OK;
         index = index->next) {
        status = stoa__index_check(index);
    }
    return status;
}

/* Indexes that lack memory now say so when they are asked. */
static void indexes_settle(stoa_world *world, void *data) {
    const stoa__indexes *indexes = data;
    (void)world;
    for (stoa_index *index = indexes->first; index != NULL; index = index->next) {
        if (stoa__index_open(index) == 0 && (index->stale || !index->immutable)) {
            stoa_world_report(world, stoa__index_settle(index, false));
        }
    }
}

/* They are filled again when they are asked. Archetypes may have other numbers by then. */
static void indexes_reset(stoa_world *world, void *data) {
    const stoa__indexes *indexes = data;
    (void)world;
    for (stoa_index *index = indexes->first; index != NULL; index = index->next) {
        stoa__index_forget(index);
        index->home_count = 0;
        index->archetype_count = 0;
    }
}

static size_t indexes_bytes(const stoa_world *world, const void *data) {
    const stoa__indexes *indexes = data;
    size_t bytes = indexes->heap.used;
    (void)world;
    for (const stoa_index *index = indexes->first; index != NULL; index = index->next) {
        bytes += index->heap.used;
    }
    return bytes;
}

/* The indexes of a world, made with the first; NULL, with the failure reported, on lack of memory.
 */
static stoa__indexes *indexes_make(stoa_world *world) {
    stoa__indexes *indexes = stoa_extension_find(world, extension_name);
    if (indexes != NULL) {
        return indexes;
    }
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    indexes = stoa__heap_zalloc(&heap, sizeof *indexes, _Alignof(stoa__indexes));
    if (indexes == NULL) {
        stoa_world_report(world, stoa__error_memory("the indexes of a world"));
        return NULL;
    }
    indexes->heap = heap;
    stoa_extension extension = {.name = extension_name,
                                .data = indexes,
                                .free = indexes_free,
                                .check = indexes_check,
                                .settle = indexes_settle,
                                .bytes = indexes_bytes,
                                .reset = indexes_reset,
                                .retype = stoa__indexes_retype};
    if (stoa_extend(world, &extension) != STOA_OK) {
        stoa__heap_free(&heap, indexes, sizeof *indexes, _Alignof(stoa__indexes));
        return NULL;
    }
    return indexes;
}

/* STOA_OK if an index can be made now; otherwise set, not reported. */
static stoa_status new_check(const stoa_world *world, const stoa_index_desc *desc) {
    uint32_t open = ((const stoa_world_head *)(const void *)world)->open;
    if ((open & STOA_OPEN_FORKED) != 0) {
        return stoa__error(STOA_FORKED, "an index cannot be made while threads work");
    }
    if ((open & ~(STOA_OPEN_ITERATIONS | STOA_OPEN_SEALED)) != 0) {
        return stoa__error(STOA_LOCKED, "an index cannot be made in a hook");
    }
    if (desc->name != NULL && desc->name[0] == '\0') {
        return stoa__error(STOA_INVALID, "an index needs a name that is not empty");
    }
    if (desc->name != NULL && stoa_index_by_name(world, desc->name) != NULL) {
        return stoa__error(STOA_TAKEN, "there is an index '%s' already", desc->name);
    }
    return STOA_OK;
}

/* Copies the name, or makes one; false on lack of memory. */
static bool index_name(stoa_index *index, const stoa_index_desc *desc, const char *component) {
    if (desc->field != NULL) {
        index->field = stoa__heap_text(&index->heap, desc->field);
        if (index->field == NULL) {
            return false;
        }
    }
    if (desc->name != NULL || desc->field == NULL) {
        index->name = stoa__heap_text(&index->heap, desc->name != NULL ? desc->name : component);
        return index->name != NULL;
    }
    size_t head = strlen(component), tail = strlen(desc->field) + 1;
    index->name = stoa__heap_alloc(&index->heap, head + 1 + tail, 1);
    if (index->name == NULL) {
        return false;
    }
    memcpy(index->name, component, head);
    index->name[head] = '.';
    memcpy(index->name + head + 1, desc->field, tail);
    return true;
}

stoa_status stoa__index_describe(stoa_index *index, const stoa_index_desc *desc,
                                 const stoa_component_info *info) {
    index->component = info->id;
    index->size = info->size;
    index->ordered = desc->ordered;
    index->sparse = (info->flags & STOA_SPARSE) != 0;
    index->immutable = (info->flags & STOA_IMMUTABLE) != 0;
    if (!index_name(index, desc, info->name)) {
        return stoa__error_memory("an index");
    }
    stoa_status status =
        stoa__key_plan_init(&index->plan, &index->heap, index->world, info, desc->field);
    index->table.lead = !index->plan.word;
    index->head.bias = index->plan.bias;
    if (status == STOA_OK && index->ordered && !index->plan.number) {
        status = stoa__error(STOA_INVALID, "index '%s' cannot be ordered: it is not of one number",
                             index->name);
    }
    return status;
}

/* Adds the hooks, or none; reported. */
static stoa_status index_hook(stoa_index *index) {
    static const stoa_hook_fn calls[] = {[STOA_ON_ADD] = stoa__index_given,
                                         [STOA_ON_REMOVE] = hook_taken,
                                         [STOA_ON_SET] = stoa__index_given};
    for (uint32_t kind = 0; kind < 3; kind++) {
        index->hooks[kind] =
            stoa_hook_new(index->world, &(stoa_hook_desc){.kind = (stoa_hook_kind)kind,
                                                          .component = index->component,
                                                          .call = calls[kind],
                                                          .user = index});
        if (index->hooks[kind].id == 0) {
            stoa_status status = stoa_last_error().status;
            while (kind-- > 0) {
                stoa_hook_remove(index->world, index->hooks[kind]);
            }
            return status;
        }
    }
    return STOA_OK;
}

static void index_enlist(stoa_index *index) {
    stoa__indexes *owner = index->owner;
    index->previous = owner->last;
    if (owner->last != NULL) {
        owner->last->next = index;
    } else {
        owner->first = index;
    }
    owner->last = index;
}

/* Makes an index of a component that is known, in no list yet; NULL with the failure reported. */
static stoa_index *index_make(stoa__indexes *owner, stoa_world *world, const stoa_index_desc *desc,
                              const stoa_component_info *info) {
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    stoa_index *index = stoa__heap_zalloc(&heap, sizeof *index, _Alignof(stoa_index));
    if (index == NULL) {
        stoa_world_report(world, stoa__error_memory("an index"));
        return NULL;
    }
    index->heap = heap;
    index->world = world;
    index->head.world = world;
    index->owner = owner;
    stoa_status status = stoa__index_describe(index, desc, info);
    if (status == STOA_OK) {
        status = stoa__index_settle(index, true);
    }
    stoa_world_report(world, status);
    if (status != STOA_OK || index_hook(index) != STOA_OK) {
        stoa__index_delete(index);
        return NULL;
    }
    return index;
}

stoa_index *stoa_index_new(stoa_world *world, const stoa_index_desc *desc) {
    if (world == NULL || desc == NULL) {
        stoa_world_report(world, stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                                             world == NULL ? "world" : "description"));
        return NULL;
    }
    if (stoa_world_report(world, new_check(world, desc)) != STOA_OK) {
        return NULL;
    }
    stoa_component id =
        desc->type != NULL ? stoa_type_register(world, desc->type) : desc->component;
    stoa_component_info info;
    if ((desc->type != NULL && id == 0) || stoa_component_info_get(world, id, &info) != STOA_OK) {
        return NULL;
    }
    stoa__indexes *owner = indexes_make(world);
    stoa_index *index = owner != NULL ? index_make(owner, world, desc, &info) : NULL;
    if (index != NULL) {
        index_enlist(index);
    }
    return index;
}

stoa_status stoa_index_free(stoa_index *index) {
    if (index == NULL) {
        return STOA_OK;
    }
    for (uint32_t kind = 0; kind < 3; kind++) {
        /* The first one tells whether hooks can be removed now. */
        stoa_status status = stoa_hook_remove(index->world, index->hooks[kind]);
        if (status != STOA_OK) {
            return status;
        }
    }
    stoa__indexes *owner = index->owner;
    *(index->previous != NULL ? &index->previous->next : &owner->first) = index->next;
    *(index->next != NULL ? &index->next->previous : &owner->last) = index->previous;
    stoa__index_delete(index);
    return STOA_OK;
}

stoa_index *stoa_index_by_name(const stoa_world *world, const char *name) {
    stoa_index *index = name != NULL ? stoa_index_next(world, NULL) : NULL;
    while (index != NULL && strcmp(index->name, name) != 0) {
        index = index->next;
    }
    return index;
}

stoa_index *stoa_index_next(const stoa_world *world, const stoa_index *index) {
    if (index != NULL) {
        return index->next;
    }
    const stoa__indexes *indexes = stoa_extension_find(world, extension_name);
    return indexes != NULL ? indexes->first : NULL;
}

stoa_status stoa_index_info_get(const stoa_index *index, stoa_index_info *info) {
    if (index == NULL || info == NULL) {
        return stoa_world_report(index != NULL ? index->world : NULL,
                                 stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                                             index == NULL ? "index" : "info"));
    }
    *info = (stoa_index_info){.name = index->name,
                              .field = index->field,
                              .component = index->component,
                              .ordered = index->ordered,
                              .stale = index->stale,
                              .count = index->count,
                              .bytes = index->heap.used};
    return STOA_OK;
}

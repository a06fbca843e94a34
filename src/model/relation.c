/* Relations: what a program asks of them, and what a world keeps of them.
 *
 * All relations of a world are one extension of it. Each has hooks and vetoes on its components, by
 * which it learns of every change, whoever makes it. Ids are places in a list, from 1; relations
 * are never taken away. Look-ups are O(1) and write nothing, so threads may ask at the same time;
 * changes are for one thread. */
#include "model/relation.h"

#include "base/error.h"

#include <string.h>

static const char extension_name[] = "stoa.relations";

static void relations_free(stoa_world *world, void *data) {
    (void)world;
    stoa__relations *all = data;
    while (all->graveyard != NULL) {
        stoa__list *list = all->graveyard;
        all->graveyard = list->next;
        stoa__list_free(list);
    }
    for (uint32_t i = 0; i < all->count; i++) {
        stoa__relation_free(all, all->items[i]);
    }
    stoa__list_free_all(all);
    stoa__heap_grow_free(&all->heap, all->items, all->capacity, sizeof *all->items);
    stoa__heap heap = all->heap;
    stoa__heap_free(&heap, all, sizeof *all, _Alignof(stoa__relations));
}

static void relations_settle(stoa_world *world, void *data) {
    stoa__list_sweep(world, data);
}

static size_t relations_bytes(const stoa_world *world, const void *data) {
    (void)world;
    return ((const stoa__relations *)data)->heap.used;
}

static uint64_t relations_version(const stoa_world *world, const void *data) {
    (void)world;
    return ((const stoa__relations *)data)->version;
}

stoa__relations *stoa__relations_of(const stoa_world *world) {
    return stoa_extension_find(world, extension_name);
}

stoa__relations *stoa__relations_make(stoa_world *world) {
    stoa__relations *all = stoa__relations_of(world);
    if (all != NULL) {
        return all;
    }
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    all = stoa__heap_zalloc(&heap, sizeof *all, _Alignof(stoa__relations));
    if (all == NULL) {
        stoa_world_report(world, stoa__error_memory("relations"));
        return NULL;
    }
    all->heap = heap;
    const stoa_extension extension = {.name = extension_name,
                                      .data = all,
                                      .free = relations_free,
                                      .check = stoa__relation_check,
                                      .settle = relations_settle,
                                      .bytes = relations_bytes,
                                      .reset = stoa__relations_reset,
                                      .save = stoa__relations_save,
                                      .load = stoa__relations_load,
                                      .version = relations_version,
                                      .retype = stoa__relations_retype};
    if (stoa_extend(world, &extension) != STOA_OK) {
        heap = all->heap;
        stoa__heap_free(&heap, all, sizeof *all, _Alignof(stoa__relations));
        return NULL;
    }
    return all;
}

static void side_free(stoa__side *side, stoa__heap *heap) {
    for (uint32_t page = 0; page < side->lists.capacity; page++) {
        stoa__list **lists = side->lists.pages[page];
        for (uint32_t i = 0; lists != NULL && i < STOA__PAGED_SIZE; i++) {
            stoa__list_free(lists[i]);
        }
    }
    stoa__paged_fini(&side->lists, heap);
}

void stoa__relation_free(stoa__relations *all, stoa__relation *relation) {
    side_free(&relation->sides[STOA__SOURCE], &all->heap);
    side_free(&relation->sides[STOA__TARGET], &all->heap);
    stoa__paged_fini(&relation->links, &all->heap);
    stoa__pairs_fini(&relation->pairs, &all->heap);
    stoa__heap_text_free(&all->heap, relation->name);
    stoa__heap_free(&all->heap, relation, sizeof *relation, _Alignof(stoa__relation));
}

/* The relation of an id, or NULL. */
static stoa__relation *relation_at(const stoa_world *world, stoa_relation relation) {
    const stoa__relations *all = stoa__relations_of(world);
    return all != NULL && relation.id - 1 < all->count ? all->items[relation.id - 1] : NULL;
}

/* The relation of an id that must be there; NULL with the status reported. */
static stoa__relation *relation_get(const stoa_world *world, stoa_relation relation,
                                    stoa_status *status) {
    stoa__relation *found = world != NULL ? relation_at(world, relation) : NULL;
    *status = STOA_OK;
    if (world == NULL) {
        *status =
            stoa_world_report(NULL, stoa__error(STOA_NULL_ARGUMENT, "the world must not be null"));
    } else if (found == NULL) {
        *status = stoa_world_report(
            world, stoa__error(STOA_NOT_FOUND, "there is no relation with the id %u", relation.id));
    }
    return found;
}

stoa_relation stoa_relation_find(const stoa_world *world, const char *name) {
    const stoa__relations *all = stoa__relations_of(world);
    for (uint32_t i = 0; all != NULL && name != NULL && i < all->count; i++) {
        if (strcmp(all->items[i]->name, name) == 0) {
            return (stoa_relation){i + 1};
        }
    }
    return (stoa_relation){0};
}

const char *stoa_relation_name(const stoa_world *world, stoa_relation relation) {
    stoa_status status;
    const stoa__relation *found = relation_get(world, relation, &status);
    return found != NULL ? found->name : NULL;
}

stoa_status stoa_relation_policy_set(stoa_world *world, stoa_relation relation,
                                     stoa_relation_policy policy) {
    stoa_status status;
    stoa__relation *found = relation_get(world, relation, &status);
    if (found == NULL) {
        return status;
    }
    if ((int)policy < 0 || policy > STOA_REFUSE) {
        return stoa_world_report(
            world, stoa__error(STOA_INVALID, "%d is no policy of a relation", (int)policy));
    }
    found->policy = policy;
    return STOA_OK;
}

static stoa_status dead_error(stoa_entity e) {
    char text[STOA_ENTITY_TEXT_SIZE];
    return stoa__error(STOA_DEAD, "entity %s is dead", stoa_entity_print(e, text, sizeof text));
}

stoa_status stoa_relation_add(stoa_world *world, stoa_relation relation, stoa_entity source,
                              stoa_entity target) {
    stoa_status status;
    stoa__relation *found = relation_get(world, relation, &status);
    if (found == NULL) {
        return status;
    }
    if (!stoa_alive(world, source) || !stoa_alive(world, target)) {
        return stoa_world_report(world, dead_error(stoa_alive(world, source) ? target : source));
    }
    return found->many ? stoa__many_add(world, found, source, target)
                       : stoa__link_add(world, found, source, target);
}

stoa_status stoa_relation_remove(stoa_world *world, stoa_relation relation, stoa_entity source,
                                 stoa_entity target) {
    stoa_status status;
    stoa__relation *found = relation_get(world, relation, &status);
    if (found == NULL) {
        return status;
    }
    if (!stoa_alive(world, source)) {
        return stoa_world_report(world, dead_error(source));
    }
    if (found->many && !stoa_entity_is_null(target)) {
        return stoa__many_remove(world, found, source, target);
    }
    return stoa_entity_is_null(target) || stoa_entity_eq(stoa__link_target(found, source), target)
               ? stoa_remove_id(world, source, found->component)
               : STOA_OK;
}

/* What a recorded call needs to know. */
typedef struct relation_call {
    stoa_relation relation;
    stoa_entity source;
    stoa_entity target;
} relation_call;

/* An entity that died before its turn came is nobody's mistake, so handlers are not told. */
static stoa_status add_call(stoa_world *world, const void *data, size_t size) {
    relation_call call;
    memcpy(&call, data, size);
    if (!stoa_alive(world, call.source) || !stoa_alive(world, call.target)) {
        return dead_error(stoa_alive(world, call.source) ? call.target : call.source);
    }
    return stoa_relation_add(world, call.relation, call.source, call.target);
}

static stoa_status remove_call(stoa_world *world, const void *data, size_t size) {
    relation_call call;
    memcpy(&call, data, size);
    if (!stoa_alive(world, call.source)) {
        return dead_error(call.source);
    }
    return stoa_relation_remove(world, call.relation, call.source, call.target);
}

stoa_status stoa_commands_relation_add(stoa_commands *commands, stoa_relation relation,
                                       stoa_entity source, stoa_entity target) {
    const relation_call call = {relation, source, target};
    return stoa_commands_call(commands, add_call, &call, sizeof call);
}

stoa_status stoa_commands_relation_remove(stoa_commands *commands, stoa_relation relation,
                                          stoa_entity source, stoa_entity target) {
    const relation_call call = {relation, source, target};
    return stoa_commands_call(commands, remove_call, &call, sizeof call);
}

bool stoa_relation_has(const stoa_world *world, stoa_relation relation, stoa_entity source,
                       stoa_entity target) {
    const stoa__relation *found = relation_at(world, relation);
    if (found == NULL || !stoa_alive(world, source) || stoa_entity_is_null(target)) {
        return false;
    }
    return found->many ? stoa__pairs_find(&found->pairs, source, target) != STOA__MAP_NONE
                       : stoa_entity_eq(stoa__link_target(found, source), target);
}

stoa_entity stoa_relation_target(const stoa_world *world, stoa_relation relation,
                                 stoa_entity source) {
    stoa_links targets = stoa_relation_targets(world, relation, source);
    return targets.count > 0 ? targets.items[0] : STOA_NULL;
}

stoa_links stoa_relation_targets(const stoa_world *world, stoa_relation relation,
                                 stoa_entity source) {
    stoa_links links = {NULL, 0};
    const stoa__relation *found = relation_at(world, relation);
    if (found == NULL || !stoa_alive(world, source)) {
        return links;
    }
    if (found->many) {
        const stoa__list *list = stoa__list_find(&found->sides[STOA__SOURCE], source);
        return list != NULL ? (stoa_links){list->items, (int32_t)list->count} : links;
    }
    const stoa__link *link = stoa__link_find(found, source);
    return link != NULL && !stoa_entity_is_null(link->target) ? (stoa_links){&link->target, 1}
                                                              : links;
}

stoa_links stoa_relation_sources(const stoa_world *world, stoa_relation relation,
                                 stoa_entity target) {
    const stoa__relation *found = relation_at(world, relation);
    const stoa__list *list = found != NULL && stoa_alive(world, target)
                                 ? stoa__list_find(&found->sides[STOA__TARGET], target)
                                 : NULL;
    return list != NULL ? (stoa_links){list->items, (int32_t)list->count} : (stoa_links){NULL, 0};
}

bool stoa_relation_reaches(const stoa_world *world, stoa_relation relation, stoa_entity from,
                           stoa_entity to) {
    const stoa__relation *found = relation_at(world, relation);
    if (found == NULL || !stoa_alive(world, from) || !stoa_alive(world, to)) {
        return false;
    }
    stoa_status status = STOA_OK;
    bool leads = stoa__relation_leads(found, from, to, &status);
    stoa_world_report(world, status);
    return leads;
}

/* Making relations: reading what is asked for, taking in what is there, putting hooks in place.
 *
 * Everything that can fail is done before the first list is shown; should showing fail after all,
 * because a veto of the program's refuses it, what was shown is taken back. O(entities). One thread
 * at a time. */
#include "model/relation.h"

#include "base/error.h"
#include "stoa/view.h"

#include <stdio.h>
#include <string.h>

/* What a list component must be. */
#define FLAGS_LIST ((uint32_t)(STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED))

/* Room for the name of a hidden component; longer names are cut. */
#define NAME_MAX 512

static bool layout_is_links(const stoa_component_info *info) {
    return info->size == sizeof(stoa_links) && info->member_count == 2 &&
           info->members[0].kind == STOA_KIND_POINTER && !info->members[0].array &&
           info->members[0].offset == offsetof(stoa_links, items) &&
           info->members[1].kind == STOA_KIND_I32 && !info->members[1].array &&
           info->members[1].offset == offsetof(stoa_links, count);
}

/* STOA_OK if a component can show lists; set, not reported. */
static stoa_status list_check(const stoa_world *world, const stoa_component_info *info) {
    if ((info->flags & FLAGS_LIST) != FLAGS_LIST || info->hooks.drop != NULL) {
        return stoa__error(STOA_INVALID,
                           "component '%s' must be sparse, immutable and managed, with no drop "
                           "hook, to show the list of a relation",
                           info->name);
    }
    if (!layout_is_links(info)) {
        return stoa__error(STOA_LAYOUT,
                           "component '%s' must have the members of stoa_links to show the list of "
                           "a relation: const stoa_entity *items; int32_t count",
                           info->name);
    }
    stoa_sparse_info set;
    stoa_status status = stoa_sparse_info_get(world, info->id, &set);
    if (status == STOA_OK && set.count > 0) {
        return stoa__error(STOA_INVALID, "component '%s' cannot show lists: %d entities have it",
                           info->name, set.count);
    }
    return status;
}

/* STOA_OK if no relation has the component; set, not reported. */
static stoa_status component_free_check(const stoa__relations *all,
                                        const stoa_component_info *info) {
    for (uint32_t i = 0; i < all->count; i++) {
        const stoa__relation *other = all->items[i];
        if (other->component == info->id || other->sides[STOA__TARGET].component == info->id) {
            return stoa__error(STOA_TAKEN, "component '%s' belongs to the relation %s", info->name,
                               other->name);
        }
    }
    return STOA_OK;
}

/* Finds the member that is the target. */
static stoa_status target_find(const stoa_component_info *info, const char *field,
                               uint32_t *offset) {
    for (int32_t i = 0; i < info->member_count; i++) {
        const stoa_member *member = &info->members[i];
        bool entity = member->kind == STOA_KIND_ENTITY && !member->array;
        if (field != NULL ? strcmp(member->name, field) == 0 : entity) {
            *offset = member->offset;
            return entity ? STOA_OK
                          : stoa__error(STOA_INVALID, "member '%s' of component '%s' is no entity",
                                        field, info->name);
        }
    }
    return field != NULL
               ? stoa__error(STOA_NOT_FOUND, "component '%s' has no member '%s'", info->name, field)
               : stoa__error(STOA_INVALID, "component '%s' has no member of kind entity",
                             info->name);
}

/* Reads what the description says of the component on sources. */
static stoa_status source_read(const stoa_world *world, const stoa_relation_desc *desc,
                               const stoa_component_info *info, stoa__relation *relation) {
    relation->component = info->id;
    relation->size = info->size;
    relation->policy = desc->policy;
    relation->many = desc->many;
    relation->acyclic = desc->acyclic;
    if ((int)desc->policy < 0 || desc->policy > STOA_REFUSE) {
        return stoa__error(STOA_INVALID, "%d is no policy of a relation", (int)desc->policy);
    }
    if (desc->many) {
        relation->sides[STOA__SOURCE].component = info->id;
        return list_check(world, info);
    }
    if ((info->flags & (STOA_IMMUTABLE | STOA_MANAGED)) != STOA_IMMUTABLE) {
        return stoa__error(STOA_INVALID,
                           "component '%s' must be immutable, and not managed, to have a relation "
                           "with one target",
                           info->name);
    }
    return target_find(info, desc->field, &relation->offset);
}

/* The id of a component that shows the sources; 0 with the failure reported. */
static stoa_component reverse_register(stoa_world *world, const stoa_relation_desc *desc,
                                       const char *name) {
    if (desc->reverse != NULL) {
        return stoa_type_register(world, desc->reverse);
    }
    char text[NAME_MAX];
    if (snprintf(text, sizeof text, "%s.sources", name) >= (int)sizeof text) {
        stoa_world_report(world, stoa__error(STOA_LIMIT, "the name of a relation is too long"));
        return 0;
    }
    const stoa_component_desc hidden = {.name = text,
                                        .fields = "{ const stoa_entity *items; int32_t count; }",
                                        .flags = FLAGS_LIST | STOA_HIDDEN};
    return stoa_component_register(world, &hidden);
}

/* Reads all of a description but the name; reported. */
static stoa_status desc_read(stoa_world *world, const stoa_relation_desc *desc,
                             const stoa__relations *all, const char *name,
                             stoa__relation *relation) {
    stoa_component_info info;
    stoa_status status = stoa_component_info_get(world, relation->component, &info);
    if (status != STOA_OK) {
        return status;
    }
    status = component_free_check(all, &info);
    if (status == STOA_OK) {
        status = source_read(world, desc, &info, relation);
    }
    if (status != STOA_OK) {
        return stoa_world_report(world, status);
    }
    stoa_component reverse = reverse_register(world, desc, name);
    if (reverse == 0) {
        return stoa_last_error().status;
    }
    relation->sides[STOA__TARGET].component = reverse;
    status = stoa_component_info_get(world, reverse, &info);
    if (status != STOA_OK) {
        return status;
    }
    status = reverse == relation->component
                 ? stoa__error(STOA_INVALID, "component '%s' cannot be both ends of a relation",
                               info.name)
                 : component_free_check(all, &info);
    return stoa_world_report(world, status == STOA_OK ? list_check(world, &info) : status);
}

static bool hook_put(stoa__relation *relation, stoa_hook hook) {
    if (hook.id != 0) {
        relation->hooks[relation->hook_count++] = hook;
    }
    return hook.id != 0;
}

static bool hook_add(stoa_world *world, stoa__relation *relation, stoa_hook_kind kind,
                     stoa_component id, stoa_hook_fn call) {
    const stoa_hook_desc desc = {.kind = kind, .component = id, .call = call, .user = relation};
    return hook_put(relation, stoa_hook_new(world, &desc));
}

static bool veto_add(stoa_world *world, stoa__relation *relation, stoa_veto_kind kind,
                     stoa_component id, stoa_veto_fn call, void *user) {
    const stoa_veto_desc desc = {.kind = kind, .component = id, .call = call, .user = user};
    return hook_put(relation, stoa_veto_new(world, &desc));
}

/* Puts hooks and vetoes in place; false with the failure reported. */
static bool hooks_add(stoa_world *world, stoa__relation *relation) {
    stoa__side *source = &relation->sides[STOA__SOURCE], *target = &relation->sides[STOA__TARGET];
    stoa_component id = relation->component, reverse = target->component;
    bool done = relation->many
                    ? veto_add(world, relation, STOA_VETO_SET, id, stoa__side_guard, source) &&
                          hook_add(world, relation, STOA_ON_REMOVE, id, stoa__many_source_leaves)
                    : veto_add(world, relation, STOA_VETO_SET, id, stoa__link_ask, relation) &&
                          hook_add(world, relation, STOA_ON_SET, id, stoa__link_set) &&
                          hook_add(world, relation, STOA_ON_REMOVE, id, stoa__link_leave);
    return done && veto_add(world, relation, STOA_VETO_SET, reverse, stoa__side_guard, target) &&
           veto_add(world, relation, STOA_VETO_REMOVE, reverse, stoa__target_ask, relation) &&
           hook_add(world, relation, STOA_ON_REMOVE, reverse, stoa__target_leaves);
}

/* Shows all lists of targets, or nothing of them if they are `gone`. */
static stoa_status lists_show(stoa_world *world, stoa__relation *relation, bool gone) {
    stoa__side *side = &relation->sides[STOA__TARGET];
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < side->lists.capacity * STOA__PAGED_SIZE && status == STOA_OK; i++) {
        stoa__list **place = stoa__paged_find(&side->lists, i);
        if (place == NULL || *place == NULL) {
            continue;
        }
        if (gone) {
            (*place)->count = 0;
        }
        status = stoa__list_show(world, side, (*place)->owner);
        status = gone ? STOA_OK : status;
    }
    return status;
}

/* Takes in what is there and begins to follow it; reported. */
static stoa_status relation_begin(stoa_world *world, stoa__relation *relation) {
    stoa_status status = relation->many ? STOA_OK : stoa__link_adopt(world, relation);
    if (status != STOA_OK) {
        return status;
    }
    if (!hooks_add(world, relation)) {
        return stoa_last_error().status;
    }
    status = lists_show(world, relation, false);
    if (status != STOA_OK) {
        lists_show(world, relation, true);
    }
    return status;
}

/* The name that a relation is to have, or NULL with the failure reported. */
static const char *name_read(stoa_world *world, const stoa_relation_desc *desc,
                             stoa_component component) {
    const char *name = desc->name != NULL ? desc->name : stoa_component_name(world, component);
    if (name == NULL) {
        return NULL;
    }
    stoa_status status = STOA_OK;
    if (name[0] == '\0') {
        status = stoa__error(STOA_INVALID, "a relation needs a name that is not empty");
    } else if (stoa_relation_find(world, name).id != 0) {
        status = stoa__error(STOA_TAKEN, "there is a relation %s already", name);
    }
    return stoa_world_report(world, status) == STOA_OK ? name : NULL;
}

/* A relation with nothing but a name, with room for it in the list; NULL with the failure reported.
 */
static stoa__relation *relation_alloc(stoa_world *world, stoa__relations *all, const char *name) {
    stoa__relation *relation =
        stoa__heap_zalloc(&all->heap, sizeof *relation, _Alignof(stoa__relation));
    char *copy = relation != NULL ? stoa__heap_text(&all->heap, name) : NULL;
    if (copy == NULL || !stoa__heap_grow(&all->heap, &all->items, &all->capacity, all->count + 1,
                                         sizeof *all->items)) {
        stoa__heap_text_free(&all->heap, copy);
        stoa__heap_free(&all->heap, relation, sizeof *relation, _Alignof(stoa__relation));
        stoa_world_report(world, stoa__error_memory("a relation"));
        return NULL;
    }
    relation->all = all;
    relation->name = copy;
    relation->links.item_size = sizeof(stoa__link);
    relation->pairs.free = STOA__MAP_NONE;
    for (int side = STOA__SOURCE; side <= STOA__TARGET; side++) {
        relation->sides[side].relation = relation;
        relation->sides[side].lists.item_size = sizeof(stoa__list *);
    }
    return relation;
}

/* Makes a relation of a component that is registered. */
static stoa_relation relation_make(stoa_world *world, const stoa_relation_desc *desc,
                                   stoa__relations *all, stoa_component component) {
    const char *name = name_read(world, desc, component);
    stoa__relation *relation = name != NULL ? relation_alloc(world, all, name) : NULL;
    if (relation == NULL) {
        return (stoa_relation){0};
    }
    relation->component = component;
    stoa_status status = desc_read(world, desc, all, name, relation);
    uint32_t place = all->count;
    if (status == STOA_OK) {
        all->items[all->count++] = relation;
        status = relation_begin(world, relation);
    }
    if (status == STOA_OK) {
        return (stoa_relation){place + 1};
    }
    while (relation->hook_count > 0) {
        stoa_hook_remove(world, relation->hooks[--relation->hook_count]);
    }
    all->count = all->count > place ? place : all->count;
    stoa__relation_free(all, relation);
    return (stoa_relation){0};
}

stoa_relation stoa_relation_new(stoa_world *world, const stoa_relation_desc *desc) {
    stoa_relation none = {0};
    if (world == NULL || desc == NULL) {
        stoa_world_report(world, stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                                             world == NULL ? "world" : "description"));
        return none;
    }
    stoa_component component =
        desc->type != NULL ? stoa_type_register(world, desc->type) : desc->component;
    if (desc->type != NULL && component == 0) {
        return none;
    }
    stoa__relations *all = stoa__relations_make(world);
    return all != NULL ? relation_make(world, desc, all, component) : none;
}

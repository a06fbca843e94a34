/* The parts of a prefab as the caller names them: children by number, components by type or id.
 *
 * A reference to a node is a handle of generation 0 in a member of kind entity; where those are is
 * found by reflection, once, when a value is set. A child is refused if it leads back to the prefab
 * it would be a child of, through bases and children: the walk goes by every prefab once and needs
 * no memory. One thread at a time. */
#include <string.h>

#include "model/prefab.h"

/* Where a search for references is in a struct. */
typedef struct level {
    const stoa_member *members;
    int32_t count;
    int32_t at;       /* which member */
    uint32_t element; /* of it, if it is an array of structs */
    uint32_t offset;  /* of the struct in the value */
} level;

typedef struct search {
    stoa__prefabs *owner;
    const uint8_t *value;
    level *levels; /* the struct that is searched, and those it is in */
    uint32_t level_count;
    uint32_t level_capacity;
    stoa__prefab_ref *refs; /* NULL: only count */
    uint32_t ref_count;
} search;

/* Notes the references among the elements of one member. */
static void refs_note(search *s, const stoa_member *member, uint32_t offset) {
    for (uint32_t i = 0; i < member->count; i++) {
        uint32_t at = offset + member->offset + i * member->size;
        stoa_entity e;
        memcpy(&e, s->value + at, sizeof e);
        if (e.generation == 0 && e.index != 0) {
            if (s->refs != NULL) {
                s->refs[s->ref_count] = (stoa__prefab_ref){at, (int32_t)(e.index - 1)};
            }
            s->ref_count++;
        }
    }
}

/* Goes into a struct; false on lack of memory. */
static bool level_enter(search *s, stoa_component type, uint32_t offset) {
    stoa_component_info info;
    if (stoa_component_info_get(s->owner->world, type, &info) != STOA_OK ||
        info.member_count == 0) {
        return true;
    }
    if (!stoa__heap_grow(&s->owner->heap, &s->levels, &s->level_capacity, s->level_count + 1,
                         sizeof *s->levels)) {
        return false;
    }
    s->levels[s->level_count++] =
        (level){.members = info.members, .count = info.member_count, .offset = offset};
    return true;
}

/* Visits every member of a value; false on lack of memory. */
static bool search_run(search *s, stoa_component id) {
    bool going = level_enter(s, id, 0);
    while (going && s->level_count > 0) {
        level *top = &s->levels[s->level_count - 1];
        if (top->at == top->count) {
            s->level_count--;
            continue;
        }
        const stoa_member *member = &top->members[top->at];
        if (member->kind == STOA_KIND_STRUCT && top->element < member->count) {
            uint32_t offset = top->offset + member->offset + top->element++ * member->size;
            going = level_enter(s, member->type, offset);
            continue;
        }
        if (member->kind == STOA_KIND_ENTITY) {
            refs_note(s, member, top->offset);
        }
        top->at++;
        top->element = 0;
    }
    return going;
}

stoa_status stoa__prefab_refs_find(stoa__prefabs *owner, stoa_component id, const void *value,
                                   stoa__prefab_ref **refs, uint32_t *count) {
    search s = {.owner = owner, .value = value};
    bool done = search_run(&s, id);
    uint32_t found = s.ref_count;
    *refs = NULL;
    *count = 0;
    if (done && found > 0) {
        s.ref_count = 0;
        s.refs = stoa__heap_alloc(&owner->heap, found * sizeof *s.refs, _Alignof(stoa__prefab_ref));
        done = s.refs != NULL && search_run(&s, id);
    }
    stoa__heap_grow_free(&owner->heap, s.levels, s.level_capacity, sizeof *s.levels);
    if (!done) {
        stoa__heap_free(&owner->heap, s.refs, found * sizeof *s.refs, _Alignof(stoa__prefab_ref));
        return stoa__error_memory("the references of a prefab");
    }
    *refs = s.refs;
    *count = found;
    return STOA_OK;
}

/* Puts a prefab on the list of those to go by, unless the walk saw it. */
static void walk_add(stoa_prefab *prefab, stoa_prefab **list) {
    if (prefab != NULL && prefab->seen != prefab->owner->walks) {
        prefab->seen = prefab->owner->walks;
        prefab->walk = *list;
        *list = prefab;
    }
}

/* True if `from` is made of `prefab`, by way of bases and children. */
static bool prefab_reaches(stoa_prefab *from, const stoa_prefab *prefab) {
    stoa_prefab *list = NULL;
    from->owner->walks++;
    walk_add(from, &list);
    while (list != NULL) {
        stoa_prefab *next = list;
        list = next->walk;
        if (next == prefab) {
            return true;
        }
        walk_add(next->base, &list);
        for (uint32_t i = 0; i < next->child_count; i++) {
            walk_add(next->children[i], &list);
        }
    }
    return false;
}

/* STOA_OK if a prefab may be given a child; the thread's error is set. */
static stoa_status child_check(const stoa_prefab *prefab, stoa_prefab *child) {
    if (child->head.world != prefab->head.world) {
        return stoa__error(STOA_INVALID, "the child belongs to another world");
    }
    if (prefab->variants > 0) {
        return stoa__error(STOA_REFUSED,
                           "%u prefabs build on this one: it cannot be given another child",
                           prefab->variants);
    }
    if (stoa__prefab_nodes(prefab) >= STOA_PREFAB_MAX) {
        return stoa__error(STOA_LIMIT, "an instance is made of at most %d entities",
                           STOA_PREFAB_MAX);
    }
    return prefab_reaches(child, prefab)
               ? stoa__error(STOA_CYCLE, "the child is made of the prefab that it is to be in")
               : STOA_OK;
}

int32_t stoa_prefab_child(stoa_prefab *prefab, stoa_prefab *child) {
    stoa_status status = stoa__prefab_may_change(prefab);
    if (status == STOA_OK) {
        status = stoa__prefab_usable(child);
    }
    if (status != STOA_OK) {
        return -1;
    }
    status = child_check(prefab, child);
    if (status == STOA_OK &&
        !stoa__heap_grow(&prefab->owner->heap, &prefab->children, &prefab->child_capacity,
                         prefab->child_count + 1, sizeof *prefab->children)) {
        status = stoa__error_memory("a child of a prefab");
    }
    if (status != STOA_OK) {
        stoa_world_report(prefab->head.world, status);
        return -1;
    }
    prefab->children[prefab->child_count++] = child;
    child->uses++;
    stoa__prefab_changed(prefab);
    return (int32_t)stoa__prefab_nodes(prefab) - 1;
}

int32_t stoa_prefab_node_count(const stoa_prefab *prefab) {
    return stoa__prefab_usable(prefab) == STOA_OK ? (int32_t)stoa__prefab_nodes(prefab) : 0;
}

/* STOA_OK if there is such a node; otherwise reported. */
static stoa_status node_check(const stoa_prefab *prefab, int32_t node) {
    stoa_status status = stoa__prefab_usable(prefab);
    if (status == STOA_OK && (uint32_t)node >= stoa__prefab_nodes(prefab)) {
        status = stoa_world_report(
            prefab->head.world, stoa__error(STOA_INVALID, "a prefab with %u nodes has no node %d",
                                            stoa__prefab_nodes(prefab), node));
    }
    return status;
}

stoa_prefab *stoa_prefab_node_prefab(const stoa_prefab *prefab, int32_t node) {
    return node_check(prefab, node) == STOA_OK ? stoa__prefab_kind(prefab, node) : NULL;
}

bool stoa_prefab_node_has_id(const stoa_prefab *prefab, int32_t node, stoa_component id) {
    return node_check(prefab, node) == STOA_OK && stoa__prefab_look(prefab, node, id) != NULL;
}

const void *stoa_prefab_node_get_id(const stoa_prefab *prefab, int32_t node, stoa_component id) {
    const stoa__prefab_entry *entry =
        node_check(prefab, node) == STOA_OK ? stoa__prefab_look(prefab, node, id) : NULL;
    return entry != NULL ? entry->data : NULL;
}

/* The id of a type in the prefab's world; 0 if it is not known there, or there is no prefab. */
static stoa_component type_id(const stoa_prefab *prefab, stoa_type *type) {
    return prefab != NULL && !prefab->freed ? stoa_type_find(prefab->head.world, type) : 0;
}

bool stoa_prefab_node_has_type(const stoa_prefab *prefab, int32_t node, stoa_type *type) {
    return stoa_prefab_node_has_id(prefab, node, type_id(prefab, type));
}

const void *stoa_prefab_node_get_type(const stoa_prefab *prefab, int32_t node, stoa_type *type) {
    return stoa_prefab_node_get_id(prefab, node, type_id(prefab, type));
}

bool stoa_prefab_has_id(const stoa_prefab *prefab, stoa_component id) {
    return stoa_prefab_node_has_id(prefab, 0, id);
}

bool stoa_prefab_has_type(const stoa_prefab *prefab, stoa_type *type) {
    return stoa_prefab_node_has_type(prefab, 0, type);
}

const void *stoa_prefab_get_id(const stoa_prefab *prefab, stoa_component id) {
    return stoa_prefab_node_get_id(prefab, 0, id);
}

const void *stoa_prefab_get_type(const stoa_prefab *prefab, stoa_type *type) {
    return stoa_prefab_node_get_type(prefab, 0, type);
}

stoa_status stoa_prefab_set_values(stoa_prefab *prefab, const stoa_value *values, int32_t count) {
    return stoa_prefab_node_set_values(prefab, 0, values, count);
}

/* Sets the root's component, which needs a value unless it is a tag. */
static stoa_status one_set(stoa_prefab *prefab, const stoa_value *value, size_t size) {
    return value->data == NULL && size != 0
               ? stoa_world_report(prefab->head.world,
                                   stoa__error(STOA_NULL_ARGUMENT, "the value must not be null"))
               : stoa_prefab_node_set_values(prefab, 0, value, 1);
}

stoa_status stoa_prefab_set_id(stoa_prefab *prefab, stoa_component id, const void *value,
                               size_t size) {
    stoa_status status = stoa__prefab_usable(prefab);
    if (status != STOA_OK) {
        return status;
    }
    stoa_component_info info;
    status = stoa_component_info_get(prefab->head.world, id, &info);
    if (status != STOA_OK) {
        return status;
    }
    if (size != info.size) {
        return stoa_world_report(prefab->head.world,
                                 stoa__error(STOA_INVALID,
                                             "component '%s' has %u bytes, the value %zu",
                                             info.name, info.size, size));
    }
    return one_set(prefab, &(stoa_value){.id = id, .data = value}, size);
}

/* Fails for a null prefab or type. */
static stoa_status type_check(const stoa_prefab *prefab, const stoa_type *type) {
    stoa_status status = stoa__prefab_usable(prefab);
    if (status == STOA_OK && type == NULL) {
        status = stoa_world_report(prefab->head.world,
                                   stoa__error(STOA_NULL_ARGUMENT, "the type must not be null"));
    }
    return status;
}

stoa_status stoa_prefab_set_type(stoa_prefab *prefab, stoa_type *type, const void *value) {
    stoa_status status = type_check(prefab, type);
    return status == STOA_OK
               ? one_set(prefab, &(stoa_value){.type = type, .data = value}, type->size)
               : status;
}

stoa_status stoa_prefab_add_id(stoa_prefab *prefab, stoa_component id) {
    stoa_status status = stoa__prefab_may_change(prefab);
    return status != STOA_OK || stoa__prefab_look(prefab, 0, id) != NULL
               ? status
               : stoa_prefab_node_set_values(prefab, 0, &(stoa_value){.id = id}, 1);
}

stoa_status stoa_prefab_add_type(stoa_prefab *prefab, stoa_type *type) {
    stoa_status status = type_check(prefab, type);
    if (status == STOA_OK) {
        status = stoa__prefab_may_change(prefab);
    }
    return status != STOA_OK || stoa_prefab_node_has_type(prefab, 0, type)
               ? status
               : stoa_prefab_node_set_values(prefab, 0, &(stoa_value){.type = type}, 1);
}

stoa_status stoa_prefab_remove_id(stoa_prefab *prefab, stoa_component id) {
    return stoa_prefab_node_set_values(prefab, 0, &(stoa_value){.id = id, .op = STOA_DROP}, 1);
}

stoa_status stoa_prefab_remove_type(stoa_prefab *prefab, stoa_type *type) {
    stoa_status status = type_check(prefab, type);
    return status == STOA_OK ? stoa_prefab_node_set_values(
                                   prefab, 0, &(stoa_value){.type = type, .op = STOA_DROP}, 1)
                             : status;
}

stoa_status stoa_prefab_revert_id(stoa_prefab *prefab, stoa_component id) {
    return stoa_prefab_node_revert_id(prefab, 0, id);
}

stoa_status stoa_prefab_revert_type(stoa_prefab *prefab, stoa_type *type) {
    stoa_status status = type_check(prefab, type);
    return status == STOA_OK
               ? stoa_prefab_node_revert_id(prefab, 0, stoa_type_find(prefab->head.world, type))
               : status;
}

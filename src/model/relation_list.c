/* Lists: who is at the other end of an entity, and the component that shows it.
 *
 * The component has the address of the list's items in it, so they may move only when it is written
 * anew: room for more is made ahead as a spare block, which is taken into use with the next that
 * comes. A list that is taken from its entity stays readable until no component shows it, in the
 * graveyard if need be, which is never longer than hooks are deep. Lists are made in slabs. Adding
 * and taking out are O(1). Only reserving needs memory. One thread at a time. */
#include "model/relation.h"

#include "base/error.h"

#include <string.h>

/* Bytes of a block. */
static size_t block_size(uint32_t doublings) {
    return ((size_t)STOA__LIST_FEW << doublings) * sizeof(stoa_entity);
}

static void block_free(const stoa__list *list, stoa_entity *block, uint32_t doublings) {
    if (block != NULL && block != list->few) {
        stoa__heap_free(&list->side->relation->all->heap, block, block_size(doublings),
                        _Alignof(stoa_entity));
    }
}

void stoa__list_settle(stoa__list *list) {
    block_free(list, list->shown, list->shown_doublings);
    list->shown = NULL;
}

void stoa__list_free(stoa__list *list) {
    if (list != NULL) {
        stoa__relations *all = list->side->relation->all;
        block_free(list, list->spare, list->spare_doublings);
        block_free(list, list->shown, list->shown_doublings);
        if (stoa__list_capacity(list) > STOA__LIST_KEPT) {
            block_free(list, list->items, list->doublings);
            list->items = list->few;
            list->doublings = 0;
        }
        list->next = all->idle;
        all->idle = list;
    }
}

void stoa__list_free_all(stoa__relations *all) {
    for (; all->idle != NULL; all->idle = all->idle->next) {
        if (all->idle->items != all->idle->few) {
            stoa__heap_free(&all->heap, all->idle->items, block_size(all->idle->doublings),
                            _Alignof(stoa_entity));
        }
    }
    while (all->slabs != NULL) {
        stoa__list_slab *slab = all->slabs;
        all->slabs = slab->next;
        stoa__heap_free(&all->heap, slab, sizeof *slab, _Alignof(stoa__list_slab));
    }
}

/* An empty list; NULL on lack of memory. */
static stoa__list *list_take(stoa__side *side) {
    stoa__relations *all = side->relation->all;
    if (all->idle == NULL) {
        stoa__list_slab *slab =
            stoa__heap_alloc(&all->heap, sizeof *slab, _Alignof(stoa__list_slab));
        if (slab == NULL) {
            return NULL;
        }
        slab->next = all->slabs;
        all->slabs = slab;
        for (int i = 0; i < STOA__LIST_SLAB; i++) {
            slab->lists[i].next = all->idle;
            slab->lists[i].items = slab->lists[i].few;
            slab->lists[i].doublings = 0;
            all->idle = &slab->lists[i];
        }
    }
    stoa__list *list = all->idle;
    all->idle = list->next;
    *list = (stoa__list){.items = list->items, .doublings = list->doublings, .side = side};
    return list;
}

/* A spare block that holds `need`, if the list does not. */
static bool spare_reserve(stoa__list *list, uint64_t need) {
    uint32_t doublings = list->doublings;
    if (list->spare != NULL && list->spare_doublings > doublings) {
        doublings = list->spare_doublings;
    }
    if (need <= (uint64_t)STOA__LIST_FEW << doublings) {
        return true;
    }
    /* Twice what there is, since a bundle of several asks for one more again and again. */
    do {
        doublings++;
    } while ((uint64_t)STOA__LIST_FEW << doublings < need);
    if ((uint64_t)STOA__LIST_FEW << doublings > INT32_MAX) {
        return false;
    }
    stoa_entity *spare = stoa__heap_alloc(&list->side->relation->all->heap, block_size(doublings),
                                          _Alignof(stoa_entity));
    if (spare == NULL) {
        return false;
    }
    block_free(list, list->spare, list->spare_doublings);
    list->spare = spare;
    list->spare_doublings = (uint8_t)doublings;
    return true;
}

/* Whoever an entity with a list points at has somebody with a list in its own. */
static void parent_deepen(const stoa__side *side, stoa_entity owner) {
    stoa_entity target = stoa__link_target(side->relation, owner);
    stoa__list *list = stoa_entity_is_null(target) ? NULL : stoa__list_find(side, target);
    if (list != NULL) {
        list->deep = true;
    }
}

stoa__list *stoa__list_make(stoa__side *side, stoa_entity owner) {
    if (!stoa__paged_reserve(&side->lists, &side->relation->all->heap, owner.index)) {
        return NULL;
    }
    stoa__list **place = stoa__paged_find(&side->lists, owner.index);
    if (*place == NULL) {
        *place = list_take(side);
        if (*place == NULL) {
            return NULL;
        }
    }
    /* One that was made ready for an entity that has died since serves the next of its index. */
    if (!stoa_entity_eq((*place)->owner, owner)) {
        (*place)->owner = owner;
        (*place)->deep = false;
        parent_deepen(side, owner);
    }
    return *place;
}

stoa_status stoa__list_reserve(stoa_world *world, stoa__side *side, stoa_entity owner,
                               int32_t *shown) {
    stoa__list *list = stoa__list_make(side, owner);
    if (list == NULL || !spare_reserve(list, (uint64_t)list->count + list->coming + 1)) {
        return stoa__error(STOA_NO_MEMORY, "out of memory for the relation %s",
                           side->relation->name);
    }
    if (list->count + list->coming > 0) {
        return STOA_OK;
    }
    ++*shown;
    return stoa_reserve_sparse_many(world, owner, side->component, *shown);
}

bool stoa__list_append(stoa__list *list, stoa_entity e) {
    if (list->count == stoa__list_capacity(list)) {
        if (!spare_reserve(list, (uint64_t)list->count + 1)) {
            return false;
        }
        memcpy(list->spare, list->items, list->count * sizeof *list->items);
        /* If the component shows a block that was outgrown before, it does not show this one. */
        if (list->shown == NULL) {
            list->shown = list->items;
            list->shown_doublings = list->doublings;
        } else {
            block_free(list, list->items, list->doublings);
        }
        list->items = list->spare;
        list->doublings = list->spare_doublings;
        list->spare = NULL;
    }
    list->items[list->count++] = e;
    list->side->relation->all->version++;
    return true;
}

stoa_entity stoa__list_take(stoa__list *list, uint32_t position) {
    stoa_entity moved = list->items[--list->count];
    list->side->relation->all->version++;
    list->items[position] = moved;
    /* Where the component cannot be written now it shows nobody there, not somebody twice. */
    list->items[list->count] = STOA_NULL;
    return position != list->count ? moved : STOA_NULL;
}

stoa__list *stoa__list_detach(stoa__side *side, stoa_entity owner) {
    stoa__list *list = stoa__list_find(side, owner);
    if (list != NULL) {
        stoa__list **place = stoa__paged_find(&side->lists, owner.index);
        *place = NULL;
        side->relation->all->version++;
    }
    return list;
}

/* Takes the component of an empty list away, and the list with it. */
static stoa_status list_hide(stoa_world *world, stoa__list *list) {
    stoa__list **place = stoa__paged_find(&list->side->lists, list->owner.index);
    /* With a component but no list the entity cannot be joined, until the component is gone. */
    *place = NULL;
    stoa_status status = stoa_remove_id(world, list->owner, list->side->component);
    if (status != STOA_OK) {
        *place = list;
        list->stale = true;
        return status;
    }
    stoa__list_bury(world, list);
    return STOA_OK;
}

/* Writes the component of a list that is not empty. Hooks that are told of it may free the list. */
static stoa_status list_write(stoa_world *world, stoa__list *list) {
    stoa__relation *relation = list->side->relation;
    stoa_links links;
    memset(&links, 0, sizeof links);
    links.items = list->items;
    links.count = (int32_t)list->count;
    stoa_entity *shown = list->shown;
    uint32_t shown_doublings = list->shown_doublings;
    bool block = shown != list->few;
    list->shown = NULL;
    list->stale = false;
    stoa_status status = STOA_OK;
    stoa__side *side = list->side;
    if (!stoa_set_quietly(world, list->owner, side->component, &links, sizeof links, side)) {
        relation->writing = true;
        status = stoa_set_id(world, list->owner, side->component, &links, sizeof links);
        relation->writing = false;
    }
    if (status == STOA_OK && block) {
        stoa__heap_free(&relation->all->heap, shown, block_size(shown_doublings),
                        _Alignof(stoa_entity));
    } else if (status != STOA_OK) {
        list->shown = shown;
        list->stale = true;
    }
    return status;
}

stoa_status stoa__list_show(stoa_world *world, stoa__side *side, stoa_entity owner) {
    stoa__list *list = stoa__list_find(side, owner);
    if (list == NULL) {
        return STOA_OK;
    }
    if (stoa_lock_of(world, owner) == STOA_LOCK_LOSING) {
        list->stale = true;
        return STOA_LOCKED;
    }
    return list->count > 0 ? list_write(world, list) : list_hide(world, list);
}

/* True if the component of a list's entity points into the list. */
static bool list_is_shown(const stoa_world *world, const stoa__list *list) {
    const stoa_links *links = stoa_try_get_id(world, list->owner, list->side->component);
    return links != NULL &&
           (links->items == list->items || (list->shown != NULL && links->items == list->shown));
}

void stoa__list_bury(const stoa_world *world, stoa__list *list) {
    if (!list_is_shown(world, list)) {
        stoa__list_free(list);
        return;
    }
    stoa__relations *all = list->side->relation->all;
    list->next = all->graveyard;
    all->graveyard = list;
}

void stoa__list_sweep(const stoa_world *world, stoa__relations *all) {
    for (stoa__list **at = &all->graveyard; *at != NULL;) {
        stoa__list *list = *at;
        if (list_is_shown(world, list)) {
            at = &list->next;
        } else {
            *at = list->next;
            stoa__list_free(list);
        }
    }
}

bool stoa__list_going(const stoa_world *world, const stoa__side *side, stoa_entity owner) {
    return stoa__list_find(side, owner) == NULL && stoa_has_id(world, owner, side->component);
}

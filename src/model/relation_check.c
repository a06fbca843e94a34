/* Verifying relations: links, pairs, lists and components must agree, both ways.
 *
 * If every link stands in its target's list where it says, and links are as many as all lists have
 * entries, then every entry is of one link. What components show is compared while no hooks run;
 * before their turn comes, hooks of the relation cannot have followed a change. */
#include "model/relation.h"

#include "base/error.h"
#include "stoa/view.h"

static stoa_status corrupt(const stoa__relation *relation, stoa_entity e, const char *what) {
    char text[STOA_ENTITY_TEXT_SIZE];
    return stoa__error(STOA_CORRUPT, "relation %s, entity %s: %s", relation->name,
                       stoa_entity_print(e, text, sizeof text), what);
}

static bool list_has(const stoa__side *side, stoa_entity owner, stoa_entity e, uint32_t position) {
    const stoa__list *list = stoa__list_find(side, owner);
    return list != NULL && position < list->count && stoa_entity_eq(list->items[position], e);
}

/* Checks the link of one entity; `strict` to compare it with the component. */
static stoa_status link_check(const stoa_world *world, const stoa__relation *relation,
                              stoa_entity e, bool strict, uint32_t *linked) {
    static const stoa__link none = {.position = 0};
    const stoa__link *link = stoa__link_find(relation, e);
    link = link != NULL ? link : &none;
    const void *value = stoa_try_get_id(world, e, relation->component);
    stoa_entity named = stoa__link_read(relation, value);
    if (!stoa_entity_is_null(link->target)) {
        ++*linked;
        if (!stoa_alive(world, link->target) ||
            !list_has(&relation->sides[STOA__TARGET], link->target, e, link->position)) {
            return corrupt(relation, e, "its target does not have it in the list");
        }
        const stoa__side *side = &relation->sides[STOA__TARGET];
        if (stoa__list_find(side, e) != NULL && !stoa__list_find(side, link->target)->deep) {
            return corrupt(relation, e, "its target does not know that it has a list");
        }
        return strict && !stoa_entity_eq(link->target, named)
                   ? corrupt(relation, e, "its component names another target")
                   : STOA_OK;
    }
    bool loose = link->position == STOA__LINK_LOOSE;
    if (link->position > STOA__LINK_LOOSE || (loose && value == NULL && strict)) {
        return corrupt(relation, e, "it is loose without a component");
    }
    bool follows = stoa_entity_is_null(named) || loose || relation->lost;
    return strict && !follows ? corrupt(relation, e, "its target is not followed") : STOA_OK;
}

static stoa_status links_check(const stoa_world *world, const stoa__relation *relation,
                               bool strict) {
    uint32_t linked = 0;
    stoa_status status = STOA_OK;
    for (stoa_entity e = stoa_entity_next(world, STOA_NULL);
         status == STOA_OK && !stoa_entity_is_null(e); e = stoa_entity_next(world, e)) {
        status = link_check(world, relation, e, strict, &linked);
    }
    return status == STOA_OK && linked != relation->link_count
               ? corrupt(relation, STOA_NULL, "links are not as many as counted")
               : status;
}

static stoa_status pairs_check(const stoa_world *world, const stoa__relation *relation,
                               bool strict) {
    const stoa__pairs *pairs = &relation->pairs;
    uint32_t count = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const stoa__pair *pair = &pairs->items[i];
        if (stoa_entity_is_null(pair->ends[STOA__SOURCE])) {
            continue;
        }
        count++;
        for (int side = STOA__SOURCE; side <= STOA__TARGET; side++) {
            if (strict && (!stoa_alive(world, pair->ends[side]) ||
                           !list_has(&relation->sides[side], pair->ends[side], pair->ends[1 - side],
                                     pair->position[side]))) {
                return corrupt(relation, pair->ends[side], "a pair is not in its list");
            }
        }
        if (stoa__pairs_find(pairs, pair->ends[STOA__SOURCE], pair->ends[STOA__TARGET]) != i) {
            return corrupt(relation, pair->ends[STOA__SOURCE], "a pair is not found");
        }
    }
    return count == relation->link_count && pairs->map.count == count
               ? STOA_OK
               : corrupt(relation, STOA_NULL, "pairs are not as many as counted");
}

/* Checks one list against the component that shows it. */
static stoa_status list_check(const stoa_world *world, const stoa__list *list) {
    const stoa__relation *relation = list->side->relation;
    const stoa_links *links = stoa_try_get_id(world, list->owner, list->side->component);
    if (list->stale) {
        return STOA_OK;
    }
    if (list->count == 0) {
        return links == NULL ? STOA_OK : corrupt(relation, list->owner, "it shows an empty list");
    }
    return links != NULL && links->items == list->items && links->count == (int32_t)list->count
               ? STOA_OK
               : corrupt(relation, list->owner, "its component does not show its list");
}

static stoa_status side_check(const stoa_world *world, const stoa__side *side, bool strict) {
    const stoa__relation *relation = side->relation;
    uint64_t entries = 0;
    int32_t shown = 0;
    for (uint32_t i = 0; i < side->lists.capacity * STOA__PAGED_SIZE; i++) {
        stoa__list *const *place = stoa__paged_find(&side->lists, i);
        const stoa__list *list = place != NULL ? *place : NULL;
        if (list == NULL) {
            continue;
        }
        if (list->owner.index != i || list->side != side ||
            list->count > stoa__list_capacity(list) || list->coming != 0) {
            return corrupt(relation, list->owner, "its list is not in order");
        }
        entries += list->count;
        shown += stoa_has_id(world, list->owner, side->component);
        stoa_status status = strict ? list_check(world, list) : STOA_OK;
        if (status != STOA_OK) {
            return status;
        }
    }
    stoa_sparse_info set;
    stoa_status status = stoa_sparse_info_get(world, side->component, &set);
    if (status == STOA_OK && strict && set.count != shown) {
        status = corrupt(relation, STOA_NULL, "a component shows no list");
    }
    return status == STOA_OK && strict && entries != relation->link_count
               ? corrupt(relation, STOA_NULL, "lists have not as many entries as there are links")
               : status;
}

static stoa_status relation_check(const stoa_world *world, const stoa__relation *relation,
                                  bool strict) {
    stoa_status status = relation->many ? pairs_check(world, relation, strict)
                                        : links_check(world, relation, strict);
    if (status == STOA_OK && relation->many) {
        status = side_check(world, &relation->sides[STOA__SOURCE], strict);
    }
    return status == STOA_OK ? side_check(world, &relation->sides[STOA__TARGET], strict) : status;
}

stoa_status stoa__relation_check(const stoa_world *world, const void *data) {
    const stoa__relations *all = data;
    bool strict = stoa_lock_of(world, STOA_NULL) == STOA_UNLOCKED;
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < all->count && status == STOA_OK; i++) {
        status = relation_check(world, all->items[i], strict);
    }
    if (status == STOA_OK && strict && all->queue != NULL) {
        status = stoa__error(STOA_CORRUPT, "relations: somebody is left to be destroyed");
    }
    return status;
}

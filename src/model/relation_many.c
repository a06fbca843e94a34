/* Many: sources that point at any number of targets, by a component that the module keeps.
 *
 * A pair has its place in the list of its source and in that of its target; both are remembered
 * with the pair, so that it is taken out of either at once. It is put into the source's list and
 * shown there, then into the target's: hooks that are told of the first may end either entity, and
 * only an entity that shows a list has hooks that clear up after it. O(1), but for circles that
 * must be ruled out. One thread at a time. */
#include "model/relation.h"

#include "base/error.h"

/* In no list. */
#define POSITION_NONE UINT32_MAX

/* The place of the pair of an entity on one side with another. */
static uint32_t pair_of(const stoa__relation *relation, int side, stoa_entity e,
                        stoa_entity other) {
    return side == STOA__SOURCE ? stoa__pairs_find(&relation->pairs, e, other)
                                : stoa__pairs_find(&relation->pairs, other, e);
}

/* Takes a pair out of both lists, as far as they are there; nothing is shown. */
static void pair_end(stoa__relation *relation, uint32_t place) {
    const stoa__pair pair = relation->pairs.items[place];
    for (int side = STOA__SOURCE; side <= STOA__TARGET; side++) {
        stoa__list *list = stoa__list_find(&relation->sides[side], pair.ends[side]);
        bool listed = list != NULL && pair.position[side] != POSITION_NONE;
        stoa_entity moved = listed ? stoa__list_take(list, pair.position[side]) : STOA_NULL;
        if (!stoa_entity_is_null(moved)) {
            uint32_t other = pair_of(relation, side, pair.ends[side], moved);
            relation->pairs.items[other].position[side] = pair.position[side];
        }
    }
    stoa__pairs_remove(&relation->pairs, place);
    relation->link_count--;
}

/* Puts a pair that is in no list yet into the source's. */
static void pair_begin(stoa__relation *relation, stoa_entity source, stoa_entity target) {
    stoa__list *list = stoa__list_find(&relation->sides[STOA__SOURCE], source);
    stoa__list_append(list, target);
    stoa__pairs_add(&relation->pairs, (stoa__pair){.ends = {source, target},
                                                   .position = {list->count - 1, POSITION_NONE}});
    relation->link_count++;
}

/* Puts a pair into the target's list and shows it, if it is still there. */
static stoa_status pair_finish(stoa_world *world, stoa__relation *relation, stoa_entity source,
                               stoa_entity target) {
    stoa__side *side = &relation->sides[STOA__TARGET];
    uint32_t place = stoa__pairs_find(&relation->pairs, source, target);
    if (place == STOA__MAP_NONE) {
        return STOA_OK;
    }
    int32_t shown = 0;
    stoa_status status =
        stoa__side_joinable(world, side, target)
            ? stoa_world_report(world, stoa__list_reserve(world, side, target, &shown))
            : STOA_LOCKED;
    if (status == STOA_OK) {
        stoa__list *list = stoa__list_find(side, target);
        stoa__list_append(list, source);
        relation->pairs.items[place].position[STOA__TARGET] = list->count - 1;
        status = stoa__list_show(world, side, target);
    }
    if (status != STOA_OK) {
        pair_end(relation, place);
        stoa__list_show(world, &relation->sides[STOA__SOURCE], source);
    }
    /* A target that a hook has ended was pointed at, if not for long. */
    return status == STOA_LOCKED ? STOA_OK : status;
}

/* STOA_OK if a pair can be added, with room for it; set, not reported. */
static stoa_status pair_ask(stoa_world *world, stoa__relation *relation, stoa_entity source,
                            stoa_entity target) {
    stoa_status status = stoa__side_ask(world, &relation->sides[STOA__SOURCE], source);
    if (status == STOA_OK) {
        status = stoa__side_ask(world, &relation->sides[STOA__TARGET], target);
    }
    if (status == STOA_OK) {
        status = stoa__relation_cycle_ask(relation, source, target);
    }
    if (status == STOA_OK && !stoa__pairs_reserve(&relation->pairs, &relation->all->heap)) {
        status = stoa__error(STOA_NO_MEMORY, "out of memory for the relation %s", relation->name);
    }
    for (int side = STOA__SOURCE; side <= STOA__TARGET && status == STOA_OK; side++) {
        int32_t shown = 0;
        status = stoa__list_reserve(world, &relation->sides[side],
                                    side == STOA__SOURCE ? source : target, &shown);
    }
    return status;
}

stoa_status stoa__many_add(stoa_world *world, stoa__relation *relation, stoa_entity source,
                           stoa_entity target) {
    stoa_status status = stoa_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    stoa__list_sweep(world, relation->all);
    if (stoa__pairs_find(&relation->pairs, source, target) != STOA__MAP_NONE) {
        return STOA_OK;
    }
    status = pair_ask(world, relation, source, target);
    if (status != STOA_OK) {
        return stoa_world_report(world, status);
    }
    pair_begin(relation, source, target);
    status = stoa__list_show(world, &relation->sides[STOA__SOURCE], source);
    if (status != STOA_OK) {
        pair_end(relation, stoa__pairs_find(&relation->pairs, source, target));
        return status;
    }
    return pair_finish(world, relation, source, target);
}

stoa_status stoa__many_remove(stoa_world *world, stoa__relation *relation, stoa_entity source,
                              stoa_entity target) {
    stoa_status status = stoa_may_change(world);
    uint32_t place = stoa__pairs_find(&relation->pairs, source, target);
    if (status != STOA_OK || place == STOA__MAP_NONE) {
        return status;
    }
    pair_end(relation, place);
    stoa__list_show(world, &relation->sides[STOA__TARGET], target);
    stoa__list_show(world, &relation->sides[STOA__SOURCE], source);
    return STOA_OK;
}

void stoa__many_leave(stoa_world *world, stoa__list *list) {
    stoa__relation *relation = list->side->relation;
    int side = list->side == &relation->sides[STOA__SOURCE] ? STOA__SOURCE : STOA__TARGET;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t place = pair_of(relation, side, list->owner, list->items[i]);
        if (place == STOA__MAP_NONE) {
            list->items[i] = STOA_NULL;
            continue;
        }
        pair_end(relation, place);
        stoa__list_show(world, &relation->sides[1 - side], list->items[i]);
    }
}

void stoa__many_source_leaves(stoa_world *world, stoa_entity source, void *value, void *user) {
    (void)value;
    stoa__relation *relation = user;
    if (stoa_world_ending(world)) {
        return;
    }
    stoa__list_sweep(world, relation->all);
    stoa__list *list = stoa__list_detach(&relation->sides[STOA__SOURCE], source);
    if (list != NULL) {
        stoa__many_leave(world, list);
        stoa__list_bury(world, list);
    }
}

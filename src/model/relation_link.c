/* Links: sources that point at one target each, by an immutable component of the program's own.
 *
 * Hooks see every change of the component. What they need is reserved by a veto before the change,
 * so that they cannot fail; only where a hook of the program's comes in between and uses it up, or
 * ends the target, a source may be left `loose`: it points nowhere, whatever its component says.
 * A target that is remembered is always alive, and has the source in its list at the position that
 * is remembered. O(1), but for circles that must be ruled out. One thread at a time. */
#include "model/relation.h"

#include "base/error.h"
#include "stoa/fast.h"

#include <string.h>

/* Set in what stands for a generation while circles are looked for; generations have no such bit.
 */
#define LINK_MARK 0x80000000u

stoa_entity stoa__link_read(const stoa__relation *relation, const void *value) {
    stoa_entity target = STOA_NULL;
    if (value != NULL) {
        memcpy(&target, (const uint8_t *)value + relation->offset, sizeof target);
    }
    return target;
}

/* Asks for one source, STOA_NULL if it is about to be made. */
static stoa_status target_ask(stoa_world *world, stoa__relation *relation, stoa_entity source,
                              stoa_entity target, int32_t *shown) {
    stoa__side *side = &relation->sides[STOA__TARGET];
    stoa_status status = stoa__side_ask(world, side, target);
    if (status == STOA_OK && !stoa_entity_is_null(source)) {
        status = stoa__relation_cycle_ask(relation, source, target);
    }
    return status == STOA_OK ? stoa__list_reserve(world, side, target, shown) : status;
}

/* Asks for several that are about to be made. */
static stoa_status bulk_ask(stoa_world *world, stoa__relation *relation, const void *values,
                            int32_t count) {
    stoa__side *side = &relation->sides[STOA__TARGET];
    const uint8_t *bytes = values;
    stoa_status status = STOA_OK;
    int32_t shown = 0, asked = 0;
    for (; asked < count && status == STOA_OK; asked++) {
        stoa_entity target = stoa__link_read(relation, bytes + (size_t)asked * relation->size);
        if (!stoa_entity_is_null(target)) {
            status = target_ask(world, relation, STOA_NULL, target, &shown);
            stoa__list *list = stoa__list_find(side, target);
            if (list != NULL) {
                list->coming++;
            }
        }
    }
    while (asked-- > 0) {
        stoa_entity target = stoa__link_read(relation, bytes + (size_t)asked * relation->size);
        stoa__list *list = stoa__list_find(side, target);
        if (list != NULL) {
            list->coming = 0;
        }
    }
    return status;
}

/* Room to remember what sources point at. */
static bool links_reserve(const stoa_world *world, stoa__relation *relation, stoa_entity source,
                          int32_t count) {
    stoa__heap *heap = &relation->all->heap;
    if (!stoa_entity_is_null(source)) {
        return stoa__paged_reserve(&relation->links, heap, source.index);
    }
    const stoa_world_head *head = (const stoa_world_head *)(const void *)world;
    return stoa__paged_reserve_any(&relation->links, heap,
                                   (uint64_t)head->record_count + (uint32_t)count, (uint32_t)count);
}

stoa_status stoa__link_ask(stoa_world *world, stoa_entity e, const void *values, int32_t count,
                           void *user) {
    stoa__relation *relation = user;
    stoa__list_sweep(world, relation->all);
    if (!links_reserve(world, relation, e, count)) {
        return stoa__error(STOA_NO_MEMORY, "out of memory for the relation %s", relation->name);
    }
    if (values == NULL) {
        return STOA_OK;
    }
    if (count > 1) {
        return bulk_ask(world, relation, values, count);
    }
    stoa_entity target = stoa__link_read(relation, values);
    bool same = !stoa_entity_is_null(e) && stoa_entity_eq(stoa__link_target(relation, e), target);
    int32_t shown = 0;
    return same || stoa_entity_is_null(target) ? STOA_OK
                                               : target_ask(world, relation, e, target, &shown);
}

/* Takes a source out of its target's list; nothing is shown. */
static void link_end(stoa__relation *relation, stoa__link *link) {
    stoa__list *list = stoa__list_find(&relation->sides[STOA__TARGET], link->target);
    stoa_entity moved = stoa__list_take(list, link->position);
    if (!stoa_entity_is_null(moved)) {
        stoa__link *other = stoa__paged_find(&relation->links, moved.index);
        other->position = link->position;
    }
    link->target = STOA_NULL;
    link->position = 0;
    relation->link_count--;
}

/* Puts a source into a target's list; nothing is shown. */
static bool link_begin(stoa__relation *relation, stoa__link *link, stoa_entity source,
                       stoa_entity target) {
    stoa__list *list = stoa__list_find(&relation->sides[STOA__TARGET], target);
    if (list == NULL || !stoa__list_append(list, source)) {
        return false;
    }
    list->deep |= stoa__list_find(&relation->sides[STOA__TARGET], source) != NULL;
    link->target = target;
    link->position = list->count - 1;
    relation->link_count++;
    return true;
}

/* Links a source to a target, of which much may have changed since the veto was asked. */
static bool link_make(stoa_world *world, stoa__relation *relation, stoa__link *link,
                      stoa_entity source, stoa_entity target) {
    stoa__side *side = &relation->sides[STOA__TARGET];
    stoa_status status = STOA_OK;
    if (!stoa__side_joinable(world, side, target) ||
        stoa__relation_circles(relation, source, target, &status)) {
        return false;
    }
    int32_t shown = 0;
    if (!link_begin(relation, link, source, target)) {
        /* What was reserved is used up. */
        status = stoa__list_reserve(world, side, target, &shown);
        if (status == STOA_OK) {
            link_begin(relation, link, source, target);
        }
    }
    if (status == STOA_OK && stoa__list_show(world, side, target) != STOA_OK) {
        link_end(relation, link);
        return false;
    }
    return stoa_world_report(world, status) == STOA_OK;
}

/* What is kept of a source from now on, where an entity that is gone may have left something. */
static stoa__link *link_own(stoa__link *link, stoa_entity source) {
    if (link->generation != source.generation) {
        *link = (stoa__link){.generation = source.generation};
    }
    return link;
}

/* Where it is kept what a source points at; NULL on lack of memory. */
static stoa__link *link_at(stoa_world *world, stoa__relation *relation, stoa_entity source) {
    stoa__link *link = stoa__paged_at(&relation->links, source.index);
    if (link == NULL && links_reserve(world, relation, source, 1)) {
        link = stoa__paged_at(&relation->links, source.index);
    }
    if (link == NULL) {
        relation->lost = true;
        stoa_world_report(world, stoa__error(STOA_NO_MEMORY, "out of memory for the relation %s",
                                             relation->name));
    }
    return link != NULL ? link_own(link, source) : NULL;
}

/* A source points nowhere, whatever its component says; unless hooks have seen to that it does. */
static void link_loosen(const stoa__relation *relation, stoa_entity source) {
    stoa__link *link = stoa__link_find(relation, source);
    if (link != NULL && stoa_entity_is_null(link->target)) {
        link->position = STOA__LINK_LOOSE;
    }
}

void stoa__link_set(stoa_world *world, stoa_entity source, void *value, void *user) {
    stoa__relation *relation = user;
    stoa__link *link = stoa_world_ending(world) ? NULL : link_at(world, relation, source);
    if (link == NULL) {
        return;
    }
    stoa_entity target = stoa__link_read(relation, value), old = link->target;
    if (!stoa_entity_is_null(old) && stoa_entity_eq(old, target)) {
        return;
    }
    if (!stoa_entity_is_null(old)) {
        link_end(relation, link);
    }
    link->position = 0;
    if (!stoa_entity_is_null(target) && !link_make(world, relation, link, source, target)) {
        link_loosen(relation, source);
    }
    if (!stoa_entity_is_null(old)) {
        stoa__list_show(world, &relation->sides[STOA__TARGET], old);
    }
}

void stoa__link_leave(stoa_world *world, stoa_entity source, void *value, void *user) {
    (void)value;
    stoa__relation *relation = user;
    stoa__link *link = stoa_world_ending(world) ? NULL : stoa__link_find(relation, source);
    if (link == NULL) {
        return;
    }
    stoa_entity old = link->target;
    if (stoa_entity_is_null(old)) {
        link->position = 0;
    } else {
        link_end(relation, link);
        stoa__list_show(world, &relation->sides[STOA__TARGET], old);
    }
}

/* Walks from a source as far as nobody has been, leaving a mark; true if it meets its own. */
static bool circle_walk(const stoa__relation *relation, stoa_entity source, uint32_t mark) {
    stoa_entity at = source;
    for (stoa__link *link = stoa__link_find(relation, at);
         link != NULL && !stoa_entity_is_null(link->target); link = stoa__link_find(relation, at)) {
        link->generation = mark;
        at = link->target;
    }
    const stoa__link *last = stoa__paged_find(&relation->links, at.index);
    return last != NULL && last->generation == mark;
}

/* Each walk has a mark of its own, made of the index of where it began, so that every link is
 * walked once. A mark stands where the generation of the source does, and is none. */
stoa_status stoa__link_circles(const stoa_world *world, const stoa__relation *relation) {
    stoa_status status = STOA_OK;
    for (stoa_entity e = stoa_entity_next(world, STOA_NULL);
         status == STOA_OK && !stoa_entity_is_null(e); e = stoa_entity_next(world, e)) {
        if (circle_walk(relation, e, LINK_MARK | e.index)) {
            char text[STOA_ENTITY_TEXT_SIZE];
            status = stoa__error(STOA_CYCLE, "entity %s leads to a circle of the relation %s",
                                 stoa_entity_print(e, text, sizeof text), relation->name);
        }
    }
    for (stoa_entity e = stoa_entity_next(world, STOA_NULL); !stoa_entity_is_null(e);
         e = stoa_entity_next(world, e)) {
        stoa__link *link = stoa__paged_find(&relation->links, e.index);
        if (link != NULL && (link->generation & LINK_MARK) != 0) {
            link->generation = e.generation;
        }
    }
    return status;
}

bool stoa__link_restore(stoa__relation *relation, stoa_entity source, stoa_entity target) {
    stoa__heap *heap = &relation->all->heap;
    if (!stoa__paged_reserve(&relation->links, heap, source.index)) {
        return false;
    }
    stoa__link *link = stoa__paged_find(&relation->links, source.index);
    return link_begin(relation, link_own(link, source), source, target);
}

/* Links one source that has the component already; set, not reported. */
static stoa_status source_adopt(stoa_world *world, stoa__relation *relation, stoa_entity source,
                                stoa_entity target, int32_t *shown) {
    stoa__side *side = &relation->sides[STOA__TARGET];
    if (!links_reserve(world, relation, source, 1)) {
        return stoa__error(STOA_NO_MEMORY, "out of memory for the relation %s", relation->name);
    }
    stoa__link *link = link_own(stoa__paged_at(&relation->links, source.index), source);
    if (!stoa__side_joinable(world, side, target)) {
        link->position = STOA__LINK_LOOSE;
        return STOA_OK;
    }
    stoa_status status = stoa__list_reserve(world, side, target, shown);
    if (status == STOA_OK) {
        link_begin(relation, link, source, target);
    }
    return status;
}

stoa_status stoa__link_adopt(stoa_world *world, stoa__relation *relation) {
    stoa_status status = STOA_OK;
    int32_t shown = 0;
    for (stoa_entity e = stoa_entity_next(world, STOA_NULL);
         status == STOA_OK && !stoa_entity_is_null(e); e = stoa_entity_next(world, e)) {
        const void *value = stoa_try_get_id(world, e, relation->component);
        stoa_entity target = stoa__link_read(relation, value);
        if (stoa_entity_is_null(target)) {
            continue;
        }
        /* Only lists that are to be shown change the world. */
        status = stoa_may_change(world);
        if (status != STOA_OK) {
            return status;
        }
        status = source_adopt(world, relation, e, target, &shown);
    }
    if (status == STOA_OK && relation->acyclic) {
        status = stoa__link_circles(world, relation);
    }
    return stoa_world_report(world, status);
}

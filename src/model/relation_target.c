/* Targets: what happens to sources when the entity that they point at goes.
 *
 * Where sources die with their target, the outermost hook does all the work: it takes lists from a
 * queue and destroys who is in them, while the hooks of those add their own lists to the queue. So
 * chains of any length are no deeper than two hooks, and need no memory, since the queue is made of
 * the lists themselves. O(sources). One thread at a time. */
#include "model/relation.h"

#include "base/error.h"

bool stoa__side_joinable(const stoa_world *world, const stoa__side *side, stoa_entity e) {
    return stoa_alive(world, e) && stoa_lock_of(world, e) != STOA_LOCK_LOSING &&
           !stoa__list_going(world, side, e);
}

stoa_status stoa__side_ask(const stoa_world *world, const stoa__side *side, stoa_entity e) {
    if (stoa__side_joinable(world, side, e)) {
        return STOA_OK;
    }
    char text[STOA_ENTITY_TEXT_SIZE];
    stoa_entity_print(e, text, sizeof text);
    const stoa__relation *relation = side->relation;
    const char *role = side == &relation->sides[STOA__SOURCE] ? "source" : "target";
    return stoa_alive(world, e)
               ? stoa__error(STOA_LOCKED,
                             "entity %s cannot be a %s of the relation %s now: it is "
                             "losing what it has",
                             text, role, relation->name)
               : stoa__error(STOA_DEAD, "entity %s, a %s of the relation %s, is dead", text, role,
                             relation->name);
}

stoa_status stoa__side_guard(stoa_world *world, stoa_entity e, const void *values, int32_t count,
                             void *user) {
    (void)e;
    (void)values;
    (void)count;
    const stoa__side *side = user;
    if (side->relation->writing) {
        /* For one change only: hooks that are told of it are nobody special. */
        side->relation->writing = false;
        return STOA_OK;
    }
    return stoa__error(STOA_REFUSED, "component '%s' is kept by the relation %s",
                       stoa_component_name(world, side->component), side->relation->name);
}

stoa_status stoa__target_ask(stoa_world *world, stoa_entity e, const void *values, int32_t count,
                             void *user) {
    (void)world;
    (void)values;
    (void)count;
    const stoa__relation *relation = user;
    const stoa__list *list = stoa__list_find(&relation->sides[STOA__TARGET], e);
    if (relation->policy != STOA_REFUSE || list == NULL || list->count == 0) {
        return STOA_OK;
    }
    char text[STOA_ENTITY_TEXT_SIZE];
    return stoa__error(STOA_REFUSED, "entity %s cannot go: %u point at it by the relation %s",
                       stoa_entity_print(e, text, sizeof text), list->count, relation->name);
}

/* Takes from a source what pointed at its target, unless it has turned elsewhere or cannot change
 * now. */
static void source_release(stoa_world *world, const stoa__relation *relation, stoa_entity source) {
    const stoa__link *link = stoa__paged_find(&relation->links, source.index);
    if (link != NULL && link->loose != 0 && stoa_alive(world, source) &&
        stoa_lock_of(world, source) == STOA_UNLOCKED) {
        stoa_remove_id(world, source, relation->component);
    }
}

static void queue_add(stoa__relations *all, stoa__list *list) {
    list->next = NULL;
    if (all->queue == NULL) {
        all->queue = list;
    } else {
        all->queue_last->next = list;
    }
    all->queue_last = list;
}

/* The sources of a list point nowhere. */
static void links_loosen(stoa__relation *relation, const stoa__list *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        stoa__link *link = stoa__paged_find(&relation->links, list->items[i].index);
        *link = (stoa__link){.target = STOA_NULL, .loose = 1};
    }
    relation->link_count -= list->count;
}

/* Destroys a source whose target is gone; its own sources come to the queue. */
static void source_destroy(stoa_world *world, stoa__relation *relation, stoa_entity source) {
    stoa__link *link = stoa__paged_find(&relation->links, source.index);
    if (!relation->many && (link == NULL || link->loose == 0)) {
        return;
    }
    if (!relation->many && stoa_destroy_quietly(world, source, relation)) {
        link->loose = 0;
        stoa__list *list = stoa__list_detach(&relation->sides[STOA__TARGET], source);
        if (list != NULL) {
            links_loosen(relation, list);
            queue_add(relation->all, list);
        }
    } else if (stoa_alive(world, source) && stoa_lock_of(world, source) == STOA_UNLOCKED &&
               stoa_destroy(world, source) != STOA_OK) {
        source_release(world, relation, source);
    }
}

/* Destroys who is in the queue, and who comes to it meanwhile. */
static void queue_work(stoa_world *world, stoa__relations *all) {
    all->destroying = true;
    while (all->queue != NULL) {
        stoa__list *list = all->queue;
        stoa__relation *relation = list->side->relation;
        for (uint32_t i = 0; i < list->count; i++) {
            source_destroy(world, relation, list->items[i]);
        }
        all->queue = list->next;
        stoa__list_bury(world, list);
    }
    all->destroying = false;
}

void stoa__target_leaves(stoa_world *world, stoa_entity target, void *value, void *user) {
    (void)value;
    stoa__relation *relation = user;
    stoa__relations *all = relation->all;
    if (stoa_world_ending(world)) {
        return;
    }
    stoa__list_sweep(world, all);
    stoa__list *list = stoa__list_detach(&relation->sides[STOA__TARGET], target);
    if (list == NULL) {
        return;
    }
    if (relation->many) {
        stoa__many_leave(world, list);
    } else {
        links_loosen(relation, list);
    }
    if (relation->policy == STOA_CASCADE) {
        queue_add(all, list);
        if (!all->destroying) {
            queue_work(world, all);
        }
        return;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        source_release(world, relation, list->items[i]);
    }
    stoa__list_bury(world, list);
}

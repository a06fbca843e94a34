/* Targets: what happens to sources when the entity that they point at goes.
 *
 * Where sources die with their target, the outermost hook does all the work: it takes lists from a
 * queue and destroys who is in them, while the hooks of those add their own lists to the queue. So
 * chains of any length are no deeper than two hooks, and need no memory, since the queue is made of
 * the lists themselves. O(sources). One thread at a time. */
#include "model/relation.h"

#include "base/error.h"
#include "base/inline.h"

#include <string.h>

/* Sources that are destroyed together, at most, if they are in several lists. With fewer the calls
 * and what is asked once for all of them show; more need room on the stack and bring nothing. */
#define SOURCES_MAX 512

/* Sources that are copied together: there is room for as many wherever there is for one. */
#define SOURCES_STEP STOA__LIST_FEW

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
    if (stoa__link_loose(relation, source) && stoa_alive(world, source) &&
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

/* The sources of a list, from one on, point nowhere. */
static void links_loosen(const stoa__relation *relation, const stoa__list *list, uint32_t from) {
    for (uint32_t i = from; i < list->count; i++) {
        stoa__link *link = stoa__paged_find(&relation->links, list->items[i].index);
        *link = (stoa__link){.position = STOA__LINK_LOOSE, .generation = list->items[i].generation};
    }
}

/* Somebody may look at the links of who is in the queue: of the first list, who is left of it. */
static void queue_loosen(stoa__relations *all, uint32_t from) {
    for (stoa__list *list = all->tight; list != NULL; list = list->next) {
        links_loosen(list->side->relation, list, list == all->queue ? from : 0);
        list->tight = false;
    }
    all->tight = NULL;
}

/* Where the lists of entities are noted; NULL: there is no page. The lists are asked for, since
 * they may be anywhere in memory. */
static void places_find(const stoa__paged *lists, const stoa_entity *owners, uint32_t count,
                        stoa__list ***places) {
    void *const *pages = lists->pages;
    uint32_t capacity = lists->capacity;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = owners[i].index, page = index / STOA__PAGED_SIZE;
        stoa__list **entries = page < capacity ? pages[page] : NULL;
        places[i] = entries != NULL ? &entries[index % STOA__PAGED_SIZE] : NULL;
        if (entries != NULL) {
            STOA__EXPECT(entries[index % STOA__PAGED_SIZE]);
        }
    }
}

/* Takes the lists of entities that are gone away from them, and puts them into the queue. */
static void lists_queue(stoa__relation *relation, const stoa_entity *owners, uint32_t count,
                        stoa__list **const *places) {
    stoa__relations *all = relation->all;
    stoa__list *last = all->queue != NULL ? all->queue_last : NULL;
    stoa__list **next = last != NULL ? &last->next : &all->queue, **first = next;
    uint32_t links = 0, queued = 0;
    for (uint32_t i = 0; i < count; i++) {
        stoa__list *list = places[i] != NULL ? *places[i] : NULL;
        if (list != NULL && stoa_entity_eq(list->owner, owners[i])) {
            STOA__EXPECT(list->items);
            *places[i] = NULL;
            list->tight = true;
            links += list->count;
            queued++;
            *next = last = list;
            next = &list->next;
        }
    }
    *next = NULL;
    all->queue_last = last;
    all->tight = all->tight != NULL ? all->tight : *first;
    all->version += queued;
    relation->link_count -= links;
}

/* Destroys sources whose target is gone, SOURCES_MAX at most, of which nobody is told, and returns
 * how many; if some are `deep`, their own sources come to the queue. Links that they leave tell
 * nothing. Lists are asked for before their owners are destroyed, and there when they are. */
static uint32_t sources_end(stoa_world *world, stoa__relation *relation, const stoa_entity *sources,
                            uint32_t count, bool deep) {
    const stoa__side *side = &relation->sides[STOA__TARGET];
    if (!deep) {
        stoa_owners none = {side->component, NULL, 0};
        return (uint32_t)stoa_destroy_quietly_many(world, sources, (int32_t)count, relation, &none);
    }
    stoa__list **places[SOURCES_MAX];
    places_find(&side->lists, sources, count, places);
    uint32_t ended =
        (uint32_t)stoa_destroy_quietly_many(world, sources, (int32_t)count, relation, NULL);
    lists_queue(relation, sources, ended < count ? ended : count, places);
    return ended;
}

/* Takes the first list, whose sources are all gone, out of the queue. */
static void queue_pop(const stoa_world *world, stoa__relations *all) {
    stoa__list *list = all->queue;
    all->queue = list->next;
    if (list->tight) {
        list->tight = false;
        all->tight = list->next;
        stoa__list_free(list);
    } else {
        stoa__list_bury(world, list);
    }
}

/* Who is in the first lists of the queue, which are tight and alike. */
typedef struct batch {
    stoa__list *last;
    uint32_t list_count;
    uint32_t count;
    bool light; /* no list has blocks that must be freed */
    stoa_entity sources[SOURCES_MAX + SOURCES_STEP];
} batch;

/* Gathers the sources of the first lists, as many as fit. If the first is tight, so are all. */
static void batch_gather(stoa__list *list, batch *b) {
    const stoa__side *side = list->side;
    stoa__list *last = NULL;
    bool deep = list->deep;
    uintptr_t burden = 0;
    uint32_t count = 0, lists = 0;
    for (; list != NULL && list->side == side && list->deep == deep &&
           list->count <= SOURCES_MAX - count;
         list = list->next, lists++) {
        const stoa_entity *items = list->items;
        /* Where the next one most likely has its sources: known before that one has come. */
        STOA_PREFETCH((const void *)((uintptr_t)list->next + offsetof(stoa__list, few)));
        uint32_t end = count + list->count;
        for (; count < end; count += SOURCES_STEP, items += SOURCES_STEP) {
            memcpy(b->sources + count, items, SOURCES_STEP * sizeof *items);
        }
        count = end;
        burden |= stoa__list_burden(list);
        last = list;
    }
    b->last = last;
    b->list_count = lists;
    b->count = count;
    b->light = burden == 0;
}

/* Destroys together who is in the first lists, if they are tight and of one relation. Lists that
 * are done are gone after it; `*gone` tells how many of the next one are, if it returns false: the
 * one after those is out of the ordinary. */
static bool lists_end(stoa_world *world, stoa__relations *all, uint32_t *gone) {
    batch b;
    stoa__list *first = all->queue;
    *gone = 0;
    if (!first->tight || first->count > SOURCES_MAX) {
        return false;
    }
    batch_gather(first, &b);
    uint32_t ended = sources_end(world, first->side->relation, b.sources, b.count, first->deep);
    if (ended == b.count && b.light) {
        all->queue = all->tight = b.last->next;
        b.last->next = all->idle;
        all->idle = first;
        return true;
    }
    for (; b.list_count > 0 && all->queue->count <= ended; b.list_count--) {
        ended -= all->queue->count;
        queue_pop(world, all);
    }
    *gone = ended;
    return b.list_count == 0;
}

/* How many sources of a list, from one on and up to `most`, can be destroyed together as far as the
 * relation knows. */
static uint32_t sources_doomed(const stoa__relation *relation, const stoa__list *list,
                               uint32_t from, uint32_t most) {
    if (relation->many || relation->policy != STOA_CASCADE) {
        return 0;
    }
    uint32_t i = from, end = list->count - from < most ? list->count : from + most;
    while (i < end && (list->tight || stoa__link_loose(relation, list->items[i]))) {
        i++;
    }
    return i - from;
}

/* Destroys a source of which somebody is told, or who may have turned elsewhere. */
static void source_destroy(stoa_world *world, const stoa__relation *relation, stoa_entity source) {
    if ((relation->many || stoa__link_loose(relation, source)) && stoa_alive(world, source) &&
        stoa_lock_of(world, source) == STOA_UNLOCKED && stoa_destroy(world, source) != STOA_OK) {
        source_release(world, relation, source);
    }
}

/* Destroys who is left of the first list, of which so many are gone. Looking further ahead than it
 * went well before would cost more than it brings where most are told of. */
static void list_end(stoa_world *world, stoa__relations *all, uint32_t i) {
    const stoa__list *list = all->queue;
    stoa__relation *relation = list->side->relation;
    uint32_t most = 1;
    while (i < list->count) {
        uint32_t doomed = sources_doomed(relation, list, i, most);
        /* Those of a list that is not tight may have been given lists since it was detached. */
        bool deep = list->deep || !list->tight;
        uint32_t ended =
            doomed > 0 ? sources_end(world, relation, list->items + i, doomed, deep) : 0;
        i += ended;
        if (ended == most) {
            most = most < SOURCES_MAX ? 2 * most : most;
        } else if (i < list->count) {
            most = 1;
            queue_loosen(all, i);
            source_destroy(world, relation, list->items[i++]);
        }
    }
    queue_pop(world, all);
}

/* Destroys who is in the queue, and who comes to it meanwhile. */
static void queue_work(stoa_world *world, stoa__relations *all) {
    all->destroying = true;
    while (all->queue != NULL) {
        uint32_t gone;
        if (!lists_end(world, all, &gone)) {
            list_end(world, all, gone);
        }
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
        links_loosen(relation, list, 0);
        relation->link_count -= list->count;
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

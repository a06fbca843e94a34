/* Relations, as the files of the module see them.
 *
 * A relation has two sides: sources, and targets. A side's lists tell of an entity who is at the
 * other end; the entity's list component shows its list to everybody. Targets always have lists.
 * Sources have them where a relation is `many`; otherwise each has one link, which tells its target
 * and its place in the target's list. */
#ifndef STOA_MODEL_RELATION_H
#define STOA_MODEL_RELATION_H

#include "base/heap.h"
#include "base/map.h"
#include "stoa/extension.h"
#include "stoa/relation.h"

/* Entities of a list that needs no block of its own. Blocks have twice as many, and so on. */
#define STOA__LIST_FEW 8

/* What lists begin on. */
#define STOA__LIST_LINE 64

/* Entities of the largest block that a list keeps when nobody has it. */
#define STOA__LIST_KEPT 16

/* Entities that share a page of a table. */
#define STOA__PAGED_SIZE 256u

/* The sides of a relation. */
#define STOA__SOURCE 0
#define STOA__TARGET 1

/* What is kept for an entity, by its index. Pages never move. */
typedef struct stoa__paged {
    void **pages;      /* by index / STOA__PAGED_SIZE, NULL where nothing is kept */
    void *spares;      /* pages for entities whose indexes are not known yet, by their first word */
    uint32_t capacity; /* of `pages` */
    uint32_t page_count;
    uint32_t spare_count;
    uint32_t item_size; /* zeroed is nothing */
} stoa__paged;

/* The entities at the other end of one entity. What is needed to let them go is on one cache line.
 */
typedef struct stoa__list {
    _Alignas(STOA__LIST_LINE) stoa_entity owner;
    stoa_entity *items; /* `few`, or a block; what the owner's component points at */
    struct stoa__side *side;
    struct stoa__list *next; /* in the queue of what is to be destroyed, or in the graveyard */
    stoa_entity *spare;      /* a larger block for those that come, or NULL */
    stoa_entity *shown;      /* an outgrown block that the owner's component still shows, or NULL */
    uint32_t count;
    uint32_t coming;   /* how many are about to come, while a bundle of several is asked about */
    uint8_t doublings; /* of STOA__LIST_FEW, to make the capacity of `items` */
    uint8_t spare_doublings;
    uint8_t shown_doublings;
    bool stale; /* the owner's component could not be written the last time */
    bool deep;  /* one of them has, or had, a list on this side too; else none, with one target each
                 */
    bool tight; /* in the queue, and links still tell that its sources point at the owner */
    stoa_entity few[STOA__LIST_FEW];
} stoa__list;

/* Lists are made so many at a time. */
#define STOA__LIST_SLAB 31

/* A block of them. */
typedef struct stoa__list_slab {
    stoa__list lists[STOA__LIST_SLAB];
    struct stoa__list_slab *next;
} stoa__list_slab;

/* Where a source points, if it can point at one target only. One of another generation was left by
 * an entity that is gone, and tells nothing. */
typedef struct stoa__link {
    stoa_entity target;  /* STOA_NULL: nowhere */
    uint32_t position;   /* in the target's list; with no target 0 or STOA__LINK_LOOSE */
    uint32_t generation; /* of the source */
} stoa__link;

/* The position of a source whose component may name a target which it is not in the list of. */
#define STOA__LINK_LOOSE 1u

/* A source and one of its targets, if it can have many. */
typedef struct stoa__pair {
    stoa_entity ends[2];  /* by side */
    uint32_t position[2]; /* by side: in the list of the entity there */
} stoa__pair;

/* Pairs, found by both ends. */
typedef struct stoa__pairs {
    stoa__pair *items;
    uint32_t capacity;
    uint32_t count; /* places ever used */
    uint32_t free;  /* a place that is not, and from there on by position[0]; or STOA__MAP_NONE */
    stoa__map map;
} stoa__pairs;

/* One side of a relation. */
typedef struct stoa__side {
    struct stoa__relation *relation;
    stoa_component component; /* what shows the lists; 0 for sources with one target */
    stoa__paged lists;        /* of stoa__list * */
} stoa__side;

typedef struct stoa__relation {
    struct stoa__relations *all;
    char *name;
    stoa_component component; /* on sources */
    uint32_t size;            /* of that */
    uint32_t offset;          /* of the target in it */
    uint32_t other_size;      /* both on the other side, while it gets another layout */
    uint32_t other_offset;
    stoa_relation_policy policy;
    bool many;
    bool acyclic;
    bool writing;        /* the next change of a list component is the module's own */
    bool lost;           /* memory lacked where it cannot: some sources may be in no list */
    uint32_t link_count; /* sources that point somewhere, or pairs */
    stoa__side sides[2]; /* by side */
    stoa__paged links;   /* of stoa__link, unless `many` */
    stoa__pairs pairs;   /* if `many` */
    stoa_hook hooks[6];  /* hooks and vetoes */
    int32_t hook_count;
} stoa__relation;

/* All relations of a world. */
typedef struct stoa__relations {
    stoa__heap heap; /* on the world's allocator */
    stoa__relation **items;
    uint32_t capacity;
    uint32_t count;
    stoa__list *queue;      /* lists of sources that are to be destroyed, the oldest first */
    stoa__list *queue_last; /* the youngest */
    stoa__list *tight;      /* from here on they all are; NULL: none is */
    stoa__list *graveyard;  /* lists that a component may still show */
    stoa__list *idle;       /* lists that nobody has; they keep small blocks */
    stoa__list_slab *slabs; /* what lists are in; kept until the end */
    uint64_t version;       /* moves on whenever a list does */
    bool destroying;        /* somebody works the queue */
} stoa__relations;

/* Tables. */

/* What is kept of an index, or NULL where there is no page. */
static inline void *stoa__paged_find(const stoa__paged *table, uint32_t index) {
    uint32_t page = index / STOA__PAGED_SIZE;
    if (page >= table->capacity || table->pages[page] == NULL) {
        return NULL;
    }
    return (uint8_t *)table->pages[page] + (size_t)(index % STOA__PAGED_SIZE) * table->item_size;
}

/* The same, on a spare page if need be; NULL if there is none. */
void *stoa__paged_at(stoa__paged *table, uint32_t index);

/* Makes sure that stoa__paged_at finds one index. */
bool stoa__paged_reserve(stoa__paged *table, stoa__heap *heap, uint32_t index);

/* The same for `count` indexes, each below `end`. */
bool stoa__paged_reserve_any(stoa__paged *table, stoa__heap *heap, uint64_t end, uint32_t count);

/* Zeroes everything that is kept; the pages stay. */
void stoa__paged_clear(const stoa__paged *table);

void stoa__paged_fini(stoa__paged *table, stoa__heap *heap);

/* Pairs. */

/* The place of a pair, or STOA__MAP_NONE. */
uint32_t stoa__pairs_find(const stoa__pairs *pairs, stoa_entity source, stoa_entity target);

/* Makes sure that one more can be added. */
bool stoa__pairs_reserve(stoa__pairs *pairs, stoa__heap *heap);

/* Adds a pair for which there is room, and which must not be there. */
void stoa__pairs_add(stoa__pairs *pairs, stoa__pair pair);

void stoa__pairs_remove(stoa__pairs *pairs, uint32_t place);

/* Takes all out; the room stays. */
void stoa__pairs_clear(stoa__pairs *pairs);

void stoa__pairs_fini(stoa__pairs *pairs, stoa__heap *heap);

/* Lists. */

/* The list of an entity, or NULL. It may be empty. */
static inline stoa__list *stoa__list_find(const stoa__side *side, stoa_entity owner) {
    stoa__list *const *found = stoa__paged_find(&side->lists, owner.index);
    return found != NULL && *found != NULL && stoa_entity_eq((*found)->owner, owner) ? *found
                                                                                     : NULL;
}

/* Makes sure that `coming` and one more can be added to the list of a live entity, and that it can
 * be shown; `shown` counts the components that will be new. The error is set, not reported. */
stoa_status stoa__list_reserve(stoa_world *world, stoa__side *side, stoa_entity owner,
                               int32_t *shown);

/* The list of an entity, made if it has none; NULL on lack of memory. */
stoa__list *stoa__list_make(stoa__side *side, stoa_entity owner);

/* How many entities a list has room for; always a multiple of STOA__LIST_FEW. */
static inline uint32_t stoa__list_capacity(const stoa__list *list) {
    return (uint32_t)STOA__LIST_FEW << list->doublings;
}

/* Not 0 if a list has blocks that must be freed when nobody has it. Told without branches. */
static inline uintptr_t stoa__list_burden(const stoa__list *list) {
    return (uintptr_t)list->spare | (uintptr_t)list->shown |
           (stoa__list_capacity(list) & ~(2u * STOA__LIST_KEPT - 1));
}

/* Adds to a list; false if that needs memory and there is none. */
bool stoa__list_append(stoa__list *list, stoa_entity e);

/* Frees blocks that a list has outgrown, which no component shows. */
void stoa__list_settle(stoa__list *list);

/* Takes one out; returns the one that has its place now, or STOA_NULL. */
stoa_entity stoa__list_take(stoa__list *list, uint32_t position);

/* Takes an entity's list away from it; NULL if it has none. It must be buried. */
stoa__list *stoa__list_detach(stoa__side *side, stoa_entity owner);

/* Writes the component of an entity that shows its list, or takes it away if the list is empty. If
 * that is impossible now the component stays as it is. */
stoa_status stoa__list_show(stoa_world *world, stoa__side *side, stoa_entity owner);

/* Frees a list that was detached, as soon as no component shows it. */
void stoa__list_bury(const stoa_world *world, stoa__list *list);

/* Frees what lies in the graveyard and is not shown any more. */
void stoa__list_sweep(const stoa_world *world, stoa__relations *all);

/* True if an entity's list is being taken away from it: its component is there, and no list. */
bool stoa__list_going(const stoa_world *world, const stoa__side *side, stoa_entity owner);

/* Gives back a list that nobody has; NULL is fine. */
void stoa__list_free(stoa__list *list);

/* Frees all lists, which must have been given back. */
void stoa__list_free_all(stoa__relations *all);

/* Links. */

/* What is remembered of a source with one target, or NULL. */
static inline stoa__link *stoa__link_find(const stoa__relation *relation, stoa_entity source) {
    stoa__link *link = stoa__paged_find(&relation->links, source.index);
    return link != NULL && link->generation == source.generation ? link : NULL;
}

/* Where it points, or STOA_NULL. */
static inline stoa_entity stoa__link_target(const stoa__relation *relation, stoa_entity source) {
    const stoa__link *link = stoa__link_find(relation, source);
    return link != NULL ? link->target : STOA_NULL;
}

/* True if the component of a live source may name a target which it is not in the list of. */
static inline bool stoa__link_loose(const stoa__relation *relation, stoa_entity source) {
    const stoa__link *link = stoa__link_find(relation, source);
    return link != NULL && stoa_entity_is_null(link->target) && link->position == STOA__LINK_LOOSE;
}

/* The target that a value of the component names. */
stoa_entity stoa__link_read(const stoa__relation *relation, const void *value);

/* Says whether sources can be given values of the component; a veto. */
stoa_status stoa__link_ask(stoa_world *world, stoa_entity e, const void *values, int32_t count,
                           void *user);

/* Hooks of the component. */
void stoa__link_set(stoa_world *world, stoa_entity source, void *value, void *user);
void stoa__link_leave(stoa_world *world, stoa_entity source, void *value, void *user);

/* Points a live source at a live target, keeping what else its component says; reported. */
stoa_status stoa__link_add(stoa_world *world, const stoa__relation *relation, stoa_entity source,
                           stoa_entity target);

/* Links sources that have the component already, when the relation is made; nothing is shown.
 * Reported. */
stoa_status stoa__link_adopt(stoa_world *world, stoa__relation *relation);

/* STOA_CYCLE, set but not reported, if links that were made in any order lead in a circle. */
stoa_status stoa__link_circles(const stoa_world *world, const stoa__relation *relation);

/* Notes that a source, which has no link yet, is the next in a target's list; false on lack of
 * memory. Nothing is shown. */
bool stoa__link_restore(stoa__relation *relation, stoa_entity source, stoa_entity target);

/* Many. */

/* Adds and removes a pair of live entities; reported. */
stoa_status stoa__many_add(stoa_world *world, stoa__relation *relation, stoa_entity source,
                           stoa_entity target);
stoa_status stoa__many_remove(stoa_world *world, stoa__relation *relation, stoa_entity source,
                              stoa_entity target);

/* Ends all pairs of an entity whose list was detached; what was no pair any more reads STOA_NULL in
 * the list after it. */
void stoa__many_leave(stoa_world *world, stoa__list *list);

/* Hook of the component on sources. */
void stoa__many_source_leaves(stoa_world *world, stoa_entity source, void *value, void *user);

/* Targets. */

/* True if an entity can be given an end of a link on that side now. */
bool stoa__side_joinable(const stoa_world *world, const stoa__side *side, stoa_entity e);

/* The same; the error is set, not reported. */
stoa_status stoa__side_ask(const stoa_world *world, const stoa__side *side, stoa_entity e);

/* Says whether a target may go; a veto. */
stoa_status stoa__target_ask(stoa_world *world, stoa_entity e, const void *values, int32_t count,
                             void *user);

/* Lets the sources of a target go as the policy says; the hook of its list component. */
void stoa__target_leaves(stoa_world *world, stoa_entity target, void *value, void *user);

/* Refuses everybody but the module to write a list component; a veto. */
stoa_status stoa__side_guard(stoa_world *world, stoa_entity e, const void *values, int32_t count,
                             void *user);

/* Walking. */

/* True if a link would close a circle that may not be; `status` as below. */
bool stoa__relation_circles(const stoa__relation *relation, stoa_entity source, stoa_entity target,
                            stoa_status *status);

/* STOA_OK, STOA_CYCLE if a target leads to a source, or STOA_NO_MEMORY; set, not reported. */
stoa_status stoa__relation_cycle_ask(const stoa__relation *relation, stoa_entity source,
                                     stoa_entity target);

/* True if `from` leads to `to`; `status` becomes STOA_NO_MEMORY where that cannot be told. */
bool stoa__relation_leads(const stoa__relation *relation, stoa_entity from, stoa_entity to,
                          stoa_status *status);

/* Extension. */

/* Forgets all links and lists, and takes the list components away, past hooks. */
void stoa__relations_reset(stoa_world *world, void *data);

/* Writes who points at whom, in the order of lists; takes it back. */
stoa_status stoa__relations_save(const stoa_world *world, const void *data, const stoa_sink *sink);
stoa_status stoa__relations_load(stoa_world *world, void *data, const void *bytes, size_t size);

/* Follows targets to where they are in other layouts. */
stoa_status stoa__relations_retype(stoa_world *world, void *data, stoa_retype *retype,
                                   stoa_retype_step step);

/* The relations of a world; NULL if it has none yet. */
stoa__relations *stoa__relations_of(const stoa_world *world);

/* The same, made if need be; NULL with the failure reported. */
stoa__relations *stoa__relations_make(stoa_world *world);

void stoa__relation_free(stoa__relations *all, stoa__relation *relation);

stoa_status stoa__relation_check(const stoa_world *world, const void *data);

#endif

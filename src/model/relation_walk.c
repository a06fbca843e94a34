/* Walking a relation: from sources to targets of targets.
 *
 * With one target each the walk is a line, as long as there are links at most. With many it is a
 * search: who was met is marked in a set of bits, who is to be looked at waits on a stack, both in
 * memory of the walk's own. Nothing that the relation keeps is written, so threads may walk at the
 * same time. O(entities and links on the way). */
#include "model/relation.h"

#include "base/bitset.h"
#include "base/error.h"

typedef struct search {
    stoa__heap heap; /* its own counts: threads may search at the same time */
    stoa__bitset met;
    stoa_entity *stack;
    uint32_t capacity;
    uint32_t count;
} search;

/* Puts the targets of an entity on the stack that were not met; false on lack of memory. */
static bool search_push(search *s, const stoa__relation *relation, stoa_entity e) {
    const stoa__list *list = stoa__list_find(&relation->sides[STOA__SOURCE], e);
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        stoa_entity target = list->items[i];
        if (!stoa__bitset_reserve(&s->met, &s->heap, target.index) ||
            !stoa__heap_grow(&s->heap, &s->stack, &s->capacity, s->count + 1, sizeof *s->stack)) {
            return false;
        }
        if (!stoa__bitset_test(&s->met, target.index)) {
            stoa__bitset_set(&s->met, target.index);
            s->stack[s->count++] = target;
        }
    }
    return true;
}

static bool many_leads(const stoa__relation *relation, stoa_entity from, stoa_entity to,
                       stoa_status *status) {
    search s = {.count = 0};
    stoa__heap_init(&s.heap, &relation->all->heap.hooks);
    bool found = false;
    bool going = search_push(&s, relation, from);
    while (going && s.count > 0 && !found) {
        stoa_entity e = s.stack[--s.count];
        found = stoa_entity_eq(e, to);
        going = found || search_push(&s, relation, e);
    }
    stoa__bitset_fini(&s.met, &s.heap);
    stoa__heap_grow_free(&s.heap, s.stack, s.capacity, sizeof *s.stack);
    if (!going) {
        *status = stoa__error(STOA_NO_MEMORY, "out of memory for walking the relation %s",
                              relation->name);
    }
    return found;
}

bool stoa__relation_leads(const stoa__relation *relation, stoa_entity from, stoa_entity to,
                          stoa_status *status) {
    if (relation->many) {
        return many_leads(relation, from, to, status);
    }
    /* A circle that does not come by `to` ends when every link was walked. */
    for (uint32_t i = 0; i < relation->link_count; i++) {
        from = stoa__link_target(relation, from);
        if (stoa_entity_is_null(from) || stoa_entity_eq(from, to)) {
            return !stoa_entity_is_null(from);
        }
    }
    return false;
}

bool stoa__relation_circles(const stoa__relation *relation, stoa_entity source, stoa_entity target,
                            stoa_status *status) {
    if (!relation->acyclic) {
        return false;
    }
    /* Nothing leads to a source that nobody points at. */
    const stoa__list *list = stoa__list_find(&relation->sides[STOA__TARGET], source);
    return stoa_entity_eq(source, target) ||
           (list != NULL && list->count > 0 &&
            stoa__relation_leads(relation, target, source, status));
}

stoa_status stoa__relation_cycle_ask(const stoa__relation *relation, stoa_entity source,
                                     stoa_entity target) {
    stoa_status status = STOA_OK;
    if (!stoa__relation_circles(relation, source, target, &status)) {
        return status;
    }
    char source_text[STOA_ENTITY_TEXT_SIZE], target_text[STOA_ENTITY_TEXT_SIZE];
    return stoa__error(STOA_CYCLE,
                       "entity %s cannot point at %s by the relation %s: that leads to it",
                       stoa_entity_print(source, source_text, sizeof source_text),
                       stoa_entity_print(target, target_text, sizeof target_text), relation->name);
}

/* Whether one entity matches the terms of a query, now or on either side of a change.
 *
 * For observers, which are told of single entities: each component that a term names is looked up,
 * first in the change, then in the world. Reads only; no memory. */
#include "query/query.h"

static bool id_listed(const stoa_component *ids, uint32_t count, stoa_component id) {
    for (uint32_t i = 0; i < count; i++) {
        if (ids[i] == id) {
            return true;
        }
    }
    return false;
}

/* An entity as it is seen: on one side of a change, and of those in whose telling that is made. */
typedef struct sight {
    const stoa_world *world;
    stoa_entity e;
    const stoa__delta *delta;
    bool reverse;
    const stoa__delta *outer;
    const stoa__delta *end; /* the first one of those that does not count */
} sight;

/* True if a change names the component; `*there` is then whether the entity has it on that side. */
static bool delta_tells(const stoa__delta *delta, bool reverse, stoa_component id, bool *there) {
    if (id_listed(delta->added, delta->added_count, id)) {
        *there = !reverse;
        return true;
    }
    *there = reverse;
    return id_listed(delta->removed, delta->removed_count, id);
}

/* True if the entity, as it is seen, has the component, switched on. */
static bool component_there(const sight *s, stoa_component id) {
    bool there;
    if (s->delta != NULL && delta_tells(s->delta, s->reverse, id, &there)) {
        return there;
    }
    for (const stoa__delta *outer = s->outer; outer != s->end; outer = outer->outer) {
        if (delta_tells(outer, outer->made, id, &there)) {
            return there;
        }
    }
    return stoa__world_enabled(s->world, s->e, id);
}

/* True if the entity, as it is seen, exists. */
static bool entity_there(const sight *s) {
    if (s->delta != NULL && (s->reverse ? s->delta->born : s->delta->dies)) {
        return false;
    }
    for (const stoa__delta *outer = s->outer; outer != s->end; outer = outer->outer) {
        if (outer->made ? outer->born : outer->dies) {
            return false;
        }
    }
    return true;
}

static bool group_met(const sight *s, const stoa__terms *terms, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) {
        if (component_there(s, terms->ids[terms->any[i]])) {
            return true;
        }
    }
    return false;
}

bool stoa__terms_entity(const stoa_world *world, const stoa__terms *terms, stoa_entity e,
                        const stoa__delta *delta, bool reverse, const stoa__delta *outer,
                        const stoa__delta *end) {
    sight s = {world, e, delta, reverse, outer, end};
    if (!entity_there(&s)) {
        return false;
    }
    for (uint32_t i = 0; i < terms->count; i++) {
        stoa_access access = terms->items[i].access;
        if (stoa__access_requires(access) || access == STOA_ACCESS_WITHOUT) {
            bool there = component_there(&s, terms->ids[i]);
            if (there == (access == STOA_ACCESS_WITHOUT)) {
                return false;
            }
        }
    }
    for (uint32_t from = 0, to = 0; from < terms->any_count; from = to) {
        to = stoa__terms_group(terms, from);
        if (!group_met(&s, terms, from, to)) {
            return false;
        }
    }
    return true;
}

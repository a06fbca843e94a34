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

/* True if the entity has the component, switched on, on the side of the change that is asked for.
 */
static bool component_there(const stoa_world *world, stoa_entity e, stoa_component id,
                            const stoa__delta *delta, bool reverse) {
    if (delta != NULL && id_listed(delta->added, delta->added_count, id)) {
        return !reverse;
    }
    if (delta != NULL && id_listed(delta->removed, delta->removed_count, id)) {
        return reverse;
    }
    return stoa__world_enabled(world, e, id);
}

static bool group_met(const stoa_world *world, const stoa__terms *terms, uint32_t from, uint32_t to,
                      stoa_entity e, const stoa__delta *delta, bool reverse) {
    for (uint32_t i = from; i < to; i++) {
        if (component_there(world, e, terms->ids[terms->any[i]], delta, reverse)) {
            return true;
        }
    }
    return false;
}

bool stoa__terms_entity(const stoa_world *world, const stoa__terms *terms, stoa_entity e,
                        const stoa__delta *delta, bool reverse) {
    if (delta != NULL && (reverse ? delta->born : delta->dies)) {
        return false;
    }
    for (uint32_t i = 0; i < terms->count; i++) {
        stoa_access access = terms->items[i].access;
        if (stoa__access_requires(access) || access == STOA_ACCESS_WITHOUT) {
            bool there = component_there(world, e, terms->ids[i], delta, reverse);
            if (there == (access == STOA_ACCESS_WITHOUT)) {
                return false;
            }
        }
    }
    for (uint32_t from = 0, to = 0; from < terms->any_count; from = to) {
        to = stoa__terms_group(terms, from);
        if (!group_met(world, terms, from, to, e, delta, reverse)) {
            return false;
        }
    }
    return true;
}

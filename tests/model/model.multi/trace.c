/* What is derived from an operation's numbers.
 *
 * All is a pure function of the operation, so that a run, its replay and the printed calls agree.
 */
#include "trace.h"

int trace_order(const op *o, uint32_t set, int order[TYPE_COUNT]) {
    int count = 0;
    int start = (int)(o->seed >> 8) % TYPE_COUNT;
    bool backward = (o->seed >> 16 & 1) != 0;
    for (int i = 0; i < TYPE_COUNT; i++) {
        int type = (start + (backward ? TYPE_COUNT - i : i)) % TYPE_COUNT;
        if (set >> type & 1) {
            order[count++] = type;
        }
    }
    return count;
}

static uint32_t query_set(const op *o) {
    uint32_t set = 0;
    for (int type = 0; type < TYPE_COUNT; type++) {
        if (o->access[type] != STOA_ACCESS_END) {
            set |= TYPE_BIT(type);
        }
    }
    return set;
}

/* Appends terms of one access for a set of types; `access` END: as the op says for each. */
static int terms_append(const op *o, uint32_t set, stoa_access access, const stoa_component *ids,
                        stoa_query_desc *desc, int types[TRACE_TERMS], int count) {
    int order[TYPE_COUNT];
    int more = trace_order(o, set, order);
    for (int i = 0; i < more && count < TRACE_TERMS; i++, count++) {
        int type = order[i];
        stoa_type *descriptor =
            (o->seed >> (count % 32) & 1) != 0 ? model_types[type].descriptor : NULL;
        stoa_access own = access != STOA_ACCESS_END ? access : (stoa_access)o->access[type];
        types[count] = type;
        desc->terms[count] =
            (stoa_term){descriptor, ids == NULL ? 0 : ids[type], own, o->group[type]};
    }
    return count;
}

int trace_query(const op *o, const stoa_component *ids, stoa_query_desc *desc,
                int types[TRACE_TERMS]) {
    *desc = (stoa_query_desc){.name = NULL};
    int count = terms_append(o, query_set(o), STOA_ACCESS_END, ids, desc, types, 0);
    count = terms_append(o, o->changed, STOA_ACCESS_CHANGED, ids, desc, types, count);
    return terms_append(o, o->added, STOA_ACCESS_ADDED, ids, desc, types, count);
}

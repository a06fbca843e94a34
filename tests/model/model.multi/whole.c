/* Operations on all that a query matches: the same as one call for each, in the order of a walk.
 *
 * A query that may match more than it must is left alone: what it matches depends on the chunks,
 * and the content of two worlds of one trace must not. */
#include "run.h"

#include <stdlib.h>

/* What a query matches, in the order of a walk, as indexes of beings; NULL if that went wrong. It
 * is no run of the query. */
static int32_t *matches_list(run *r, int32_t slot, int32_t *count) {
    int32_t *list = malloc((size_t)(r->ref.live_count + 1) * sizeof(int32_t));
    uint32_t since = stoa_query_last_run(r->queries[slot]);
    *count = 0;
    for (stoa_iter it = stoa_query_iter_since(r->queries[slot], since); stoa_iter_next(&it);) {
        for (int32_t i = 0; list != NULL && i < it.count; i++) {
            const being *b = reference_find(&r->ref, it.entities[i]);
            if (run_check(r, b != NULL && *count < r->ref.live_count, "a walk gives too much")) {
                list[(*count)++] = (int32_t)(b - r->ref.items);
            }
        }
    }
    return list;
}

static stoa_status whole_call(run *r, const op *o, stoa_query *query) {
    const model_type *t = &model_types[o->type];
    stoa_component id = r->ids[o->type];
    bool typed = t->descriptor != NULL && (o->seed >> 20 & 1) != 0;
    switch (o->kind) {
    case OP_WHOLE_ADD:
        return typed ? stoa_query_add_type(query, t->descriptor) : stoa_query_add_id(query, id);
    case OP_WHOLE_SET:
        return typed ? stoa_query_set_type(query, t->descriptor, run_source(o->type))
                     : stoa_query_set_id(query, id, run_source(o->type), t->size);
    case OP_WHOLE_REMOVE:
        return typed ? stoa_query_remove_type(query, t->descriptor)
                     : stoa_query_remove_id(query, id);
    default:
        return stoa_query_destroy(query);
    }
}

static void whole_apply(run *r, const op *o, being *b, const uint8_t *value) {
    bool missed = r->ref.fault == FAULT_WHOLE_MISSES && b->off != 0;
    edit e = {.type = o->type, .value = value, .given = value != NULL};
    if (missed) {
        return;
    }
    if (o->kind == OP_WHOLE_DESTROY) {
        react_destroy(&r->ref, b);
        return;
    }
    e.kind = o->kind == OP_WHOLE_ADD ? EDIT_ADD : o->kind == OP_WHOLE_REMOVE ? EDIT_DROP : EDIT_PUT;
    react_change(&r->ref, b, &e, 1);
}

static void whole_done(run *r, const op *o, const op *single, const query_shape *shape,
                       const int32_t *list, int32_t count, uint32_t instance) {
    edit edits[TYPE_COUNT];
    const uint8_t *value = run_edits(single, edits) > 0 ? edits[0].value : NULL;
    for (int32_t i = 0; i < count && !r->failed; i++) {
        being *b = &r->ref.items[list[i]];
        /* Hooks of those before may have ended it or made it another. */
        if (b->alive && reference_fits(&r->ref, shape, reference_visible(&r->ref, b))) {
            whole_apply(r, o, b, value);
        }
    }
    /* Those that still have what they were given. */
    for (int32_t i = 0; i < count && value != NULL && model_types[o->type].owner != 0; i++) {
        being *b = &r->ref.items[list[i]];
        const uint8_t *own = reference_value(b, o->type);
        if (b->alive && memcmp(own, value, model_types[o->type].size) == 0) {
            run_adopt(r, b, o->type, instance);
        }
    }
    for (int32_t i = 0; i < count && !r->failed; i += i < 3 ? 1 : count / 2 + 1) {
        run_compare_being(r, &r->ref.items[list[i]]);
    }
}

void run_whole(run *r, const op *o) {
    stoa_query *query = r->queries[o->slot];
    stoa_error_clear();
    if (query == NULL) {
        return;
    }
    query_shape shape = reference_shape(&r->query_ops[o->slot]);
    amount expected = reference_amount(&r->ref, &shape, r->query_runs[o->slot]);
    if (expected.least != expected.most) {
        return;
    }
    int32_t count = 0;
    int32_t *list = matches_list(r, o->slot, &count);
    run_check(r, count == expected.most, "a walk meets %d entities, expected %d", (int)count,
              (int)expected.most);
    op single = *o;
    stoa_value values[TYPE_COUNT + 1];
    single.put = o->kind == OP_WHOLE_SET ? TYPE_BIT(o->type) : 0;
    single.zero = single.drop = 0;
    (void)run_values(r, &single, values);
    uint32_t instance = model_lives_next();
    bool refused = o->kind == OP_WHOLE_SET && o->type == TYPE_LEASE;
    if (list != NULL && !r->failed &&
        run_expect(r, whole_call(r, o, query), refused ? STOA_NOT_COPYABLE : STOA_OK,
                   "a call on all that a query matches") &&
        !refused) {
        whole_done(r, o, &single, &shape, list, count, instance);
    }
    run_values_drop(&single);
    free(list);
}

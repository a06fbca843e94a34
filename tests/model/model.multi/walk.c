/* Queries: made, walked, counted and freed, one-off or kept.
 *
 * A walk must meet each entity that matches once, with its components where the terms ask for them.
 * Terms that write are written, on both sides. Where a filter by ticks goes by chunks, entities
 * that need not match may be met too. */
#include "run.h"

/* A query's terms by place: what they are of and what they do; and since when its filters go. */
typedef struct terms {
    int types[TRACE_TERMS];
    stoa_access accesses[TRACE_TERMS];
    int count;
    query_shape shape;
    uint64_t since;
} terms;

static bool access_reads(stoa_access access) {
    return access != STOA_ACCESS_WITHOUT && access < STOA_ACCESS_FILTER;
}

static bool access_writes(stoa_access access) {
    return access == STOA_ACCESS_WRITE || access == STOA_ACCESS_OPTIONAL_WRITE ||
           access == STOA_ACCESS_ANY_WRITE;
}

/* The terms of a query, and the query they make. */
static terms terms_of(const run *r, const op *query, stoa_query_desc *desc, uint64_t since) {
    terms t = {.shape = reference_shape(query), .since = since};
    t.count = trace_query(query, r->ids, desc, t.types);
    for (int i = 0; i < t.count; i++) {
        t.accesses[i] = desc->terms[i].access;
    }
    return t;
}

static amount matches_count(const run *r, const terms *t) {
    return reference_amount(&r->ref, &t->shape, t->since);
}

static void count_check(run *r, const char *call, int32_t count, amount expected) {
    run_check(r, r->failed || (count >= expected.least && count <= expected.most),
              "%s: %d entities, expected %d to %d", call, (int)count, (int)expected.least,
              (int)expected.most);
}

static uint32_t write_seed(uint32_t seed, const being *b) {
    return seed + b->handle.index * 7;
}

/* Checks a being's field, and writes it where the term does. */
static void field_visit(run *r, being *b, int type, stoa_access access, uint32_t seed,
                        uint8_t *bytes) {
    run_check(r, model_value_equal(type, bytes, reference_value(b, type)),
              "a walk gives another %s for %uv%u", model_types[type].name,
              (unsigned)b->handle.index, (unsigned)b->handle.generation);
    if (access_writes(access)) {
        reference_mark(&r->ref, b, type);
    }
    if (access_writes(access) && seed % 3 == 0) {
        model_value_write(type, write_seed(seed, b), bytes);
        if (r->ref.fault != FAULT_WALK_FORGETS) {
            model_value_write(type, write_seed(seed, b), reference_value(b, type));
        }
    }
}

static being *walk_meet(run *r, const terms *t, stoa_entity e) {
    being *b = reference_find(&r->ref, e);
    if (!run_check(r, b != NULL, "a walk gives %uv%u, which does not live", (unsigned)e.index,
                   (unsigned)e.generation)) {
        return NULL;
    }
    run_check(r, reference_match(&r->ref, &t->shape, b, t->since) != MATCH_NO,
              "a walk gives %uv%u, which does not match", (unsigned)e.index,
              (unsigned)e.generation);
    run_check(r, b->seen != r->walk, "a walk gives %uv%u twice", (unsigned)e.index,
              (unsigned)e.generation);
    b->seen = r->walk;
    return b;
}

/* Everything that must match was met; for walks that write nothing, or have no filter by ticks. */
static void walk_missed(run *r, const terms *t) {
    for (int32_t i = 0; i < r->ref.live_count && !r->failed; i++) {
        const being *b = &r->ref.items[r->ref.live[i]];
        bool must = reference_match(&r->ref, &t->shape, b, t->since) == MATCH_MUST;
        run_check(r, !must || b->seen == r->walk, "a walk misses %uv%u", (unsigned)b->handle.index,
                  (unsigned)b->handle.generation);
    }
}

/* One term's column of a chunk, by one of the ways to get it; NULL for those read row by row. */
static uint8_t *column_get(run *r, const stoa_iter *it, int type, int index, stoa_access access,
                           uint32_t seed) {
    stoa_type *descriptor = model_types[type].descriptor;
    bool typed = descriptor != NULL && (seed >> index & 1) != 0;
    if (access_writes(access)) {
        return typed ? STOA_FIELD_MUT(it, descriptor, model_types[type].size, index)
                     : stoa_field_mut_id(it, r->ids[type], index);
    }
    const void *column = typed ? STOA_FIELD(it, descriptor, model_types[type].size, index)
                               : stoa_field_id(it, r->ids[type], index);
    /* Read-only columns share the path of the others here, and are never written. */
    return (uint8_t *)(uintptr_t)column;
}

/* One term's component of one row. */
static uint8_t *field_get(run *r, const stoa_iter *it, int type, int index, int32_t row,
                          stoa_access access, uint32_t seed) {
    stoa_type *descriptor = model_types[type].descriptor;
    bool typed = descriptor != NULL && (seed >> index & 1) != 0;
    if (access_writes(access)) {
        return typed ? STOA_FIELD_AT_MUT(it, descriptor, model_types[type].size, index, row)
                     : stoa_field_at_mut_id(it, r->ids[type], index, row);
    }
    const void *field = typed ? STOA_FIELD_AT(it, descriptor, model_types[type].size, index, row)
                              : stoa_field_at_id(it, r->ids[type], index, row);
    return (uint8_t *)(uintptr_t)field;
}

/* One term of a walk: row by row for sparse components, and for some of the others. */
static void walk_term(run *r, const stoa_iter *it, const terms *t, int index, uint32_t seed) {
    int type = t->types[index];
    stoa_access access = t->accesses[index];
    if (!access_reads(access) || model_types[type].size == 0) {
        return;
    }
    bool by_row = TYPE_SPARSES >> type & 1 || (seed >> (index + 7) & 3) == 0;
    uint8_t *column = by_row ? NULL : column_get(r, it, type, index, access, seed);
    for (int32_t row = 0; row < it->count && !r->failed; row++) {
        being *b = reference_find(&r->ref, it->entities[row]);
        bool expected = b != NULL && (reference_visible(&r->ref, b) >> type & 1) != 0;
        uint8_t *bytes = column == NULL ? NULL : column + (size_t)row * model_types[type].size;
        if (by_row) {
            /* Every other entity is left alone, and must not be marked. */
            if (access_writes(access) && (seed >> 5 & 1) != 0 && it->entities[row].index % 2 == 1) {
                continue;
            }
            bytes = field_get(r, it, type, index, row, access, seed);
        }
        if (run_check(r, (bytes != NULL) == expected, "term %d has %s %s", index,
                      expected ? "no" : "a", model_types[type].name) &&
            expected) {
            field_visit(r, b, type, access, seed, bytes);
        }
    }
}

static void walk_chunk(run *r, const stoa_iter *it, const terms *t, uint32_t seed) {
    for (int32_t row = 0; row < it->count && !r->failed; row++) {
        (void)walk_meet(r, t, it->entities[row]);
    }
    for (int i = 0; i < t->count && !r->failed; i++) {
        walk_term(r, it, t, i, seed);
    }
}

/* Walks to the end and returns how many entities were met; `first` is the first of them. */
static int32_t walk(run *r, stoa_iter it, const terms *t, uint32_t seed, stoa_entity *first) {
    int32_t count = 0;
    r->walk++;
    while (!r->failed && stoa_iter_next(&it)) {
        run_check(r, it.count > 0, "a walk gives an empty chunk");
        if (count == 0) {
            *first = it.entities[0];
        }
        count += it.count;
        walk_chunk(r, &it, t, seed);
    }
    stoa_iter_end(&it);
    run_check(r, !stoa_iter_next(&it), "a walk goes on after its end");
    run_expect(r, STOA_OK, STOA_OK, "walking");
    return count;
}

/* A run of a query with filters by ticks has ended. */
static void run_ended(run *r, const query_shape *shape, uint64_t *last) {
    bool filters = (shape->changed | shape->added) != 0;
    if (r->ref.fault != FAULT_RUN_FORGETS) {
        *last = r->ref.tick;
    }
    r->ref.tick += filters ? 1 : 0;
    run_check(r, stoa_tick(r->s.world) == (uint32_t)r->ref.tick,
              "the tick is %u after a run, expected %u", (unsigned)stoa_tick(r->s.world),
              (unsigned)r->ref.tick);
}

static void query_make(run *r, const op *o) {
    stoa_query_desc desc;
    (void)terms_of(r, o, &desc, 0);
    if (r->queries[o->slot] != NULL) {
        run_expect(r, stoa_query_free(r->queries[o->slot]), STOA_OK, "stoa_query_free");
    }
    r->query_ops[o->slot] = *o;
    r->query_runs[o->slot] = 0;
    r->queries[o->slot] = stoa_query_new(r->s.world, &desc);
    run_expect(r, run_given(r->queries[o->slot] != NULL), STOA_OK, "stoa_query_new");
}

/* What can be asked of a query without a run. */
static void query_ask(run *r, int32_t slot, amount expected) {
    stoa_query *query = r->queries[slot];
    count_check(r, "stoa_query_count", stoa_query_count(query), expected);
    stoa_entity first = stoa_query_first(query);
    run_check(r, !stoa_entity_is_null(first) || expected.least == 0, "stoa_query_first is missing");
    stoa_error_clear();
    stoa_entity single = stoa_query_single(query);
    if (expected.least == expected.most) {
        run_check(r, stoa_entity_eq(single, expected.least == 1 ? first : STOA_NULL),
                  "stoa_query_single is another one");
        run_expect(r, run_given(expected.least == 1),
                   expected.least == 1 ? STOA_OK : STOA_NOT_SINGLE, "stoa_query_single");
    }
    stoa_error_clear();
}

static void query_walk(run *r, const op *o) {
    stoa_query *query = r->queries[o->slot];
    stoa_query_desc desc;
    terms t = terms_of(r, &r->query_ops[o->slot], &desc, r->query_runs[o->slot]);
    amount expected = matches_count(r, &t);
    query_ask(r, o->slot, expected);
    stoa_entity first = stoa_query_first(query);
    stoa_entity met = STOA_NULL;
    /* What is written on the way is for the next run. */
    count_check(r, "a walk", walk(r, stoa_query_iter(query), &t, o->seed, &met), expected);
    run_check(r, stoa_entity_eq(first, met), "stoa_query_first is another one");
    walk_missed(r, &t);
    run_ended(r, &t.shape, &r->query_runs[o->slot]);
}

/* A walk since a tick that is given, which is no run. */
static void query_since(run *r, const op *o) {
    stoa_query *query = r->queries[o->slot];
    stoa_query_desc desc;
    terms t = terms_of(r, &r->query_ops[o->slot], &desc, r->ref.tick - o->age);
    amount expected = matches_count(r, &t);
    stoa_entity met = STOA_NULL;
    uint32_t since = (uint32_t)r->ref.tick - o->age;
    int32_t count = walk(r, stoa_query_iter_since(query, since), &t, o->seed, &met);
    count_check(r, "a walk since a tick", count, expected);
    walk_missed(r, &t);
}

/* A walk that is ended early, which is no run. */
static void query_stop(run *r, const op *o) {
    stoa_query_desc desc;
    terms t = terms_of(r, &r->query_ops[o->slot], &desc, r->query_runs[o->slot]);
    amount expected = matches_count(r, &t);
    r->walk++;
    stoa_iter it = stoa_query_iter(r->queries[o->slot]);
    if (stoa_iter_next(&it)) {
        run_check(r, expected.most > 0, "a walk gives a chunk of nothing");
        walk_chunk(r, &it, &t, o->seed);
        stoa_iter_end(&it);
    } else {
        run_check(r, expected.least == 0, "a walk gives nothing");
        run_ended(r, &t.shape, &r->query_runs[o->slot]);
    }
    run_expect(r, STOA_OK, STOA_OK, "walking a bit");
}

typedef struct each {
    run *r;
    const terms *terms;
    uint32_t seed;
    int32_t count;
} each;

static void each_visit(stoa_entity e, void *const *fields, void *user) {
    each *context = user;
    run *r = context->r;
    const terms *t = context->terms;
    being *b = walk_meet(r, t, e);
    context->count++;
    for (int i = 0; b != NULL && !r->failed && i < t->count; i++) {
        int type = t->types[i];
        stoa_access access = t->accesses[i];
        bool visible = (reference_visible(&r->ref, b) >> type & 1) != 0;
        bool expected = access_reads(access) && visible;
        if (model_types[type].size > 0 &&
            run_check(r, (fields[i] != NULL) == expected, "field %d is wrong", i) && expected) {
            field_visit(r, b, type, access, context->seed, fields[i]);
        }
    }
}

static void each_count(void *const *fields, void *user) {
    (void)fields;
    each *context = user;
    context->count++;
}

/* A call for each entity marks what the terms write, whether it was or not. */
static void each_row_mark(run *r, const terms *t) {
    for (int32_t i = 0; i < r->ref.live_count; i++) {
        being *b = &r->ref.items[r->ref.live[i]];
        if (reference_match(&r->ref, &t->shape, b, t->since) == MATCH_NO) {
            continue;
        }
        for (int k = 0; k < t->count; k++) {
            bool visible = (reference_visible(&r->ref, b) >> t->types[k] & 1) != 0;
            bool data = model_types[t->types[k]].size > 0;
            if (access_writes(t->accesses[k]) && data && visible) {
                reference_mark(&r->ref, b, t->types[k]);
            }
        }
    }
}

static void query_each(run *r, const op *o) {
    stoa_query_desc desc;
    uint64_t *last = &r->query_runs[o->slot];
    terms t = terms_of(r, &r->query_ops[o->slot], &desc, *last);
    each context = {r, &t, o->seed, 0};
    amount expected = matches_count(r, &t);
    r->walk++;
    stoa_status status = stoa_query_each(r->queries[o->slot], each_visit, &context);
    run_expect(r, status, STOA_OK, "stoa_query_each");
    count_check(r, "stoa_query_each", context.count, expected);
    run_ended(r, &t.shape, last);
    t.since = *last;
    expected = matches_count(r, &t);
    context.count = 0;
    status = stoa_query_each_row(r->queries[o->slot], each_count, &context);
    run_expect(r, status, STOA_OK, "stoa_query_each_row");
    count_check(r, "stoa_query_each_row", context.count, expected);
    each_row_mark(r, &t);
    run_ended(r, &t.shape, last);
}

/* A query that has never run: whatever matches at all has changed since. */
static void query_once(run *r, const op *o) {
    stoa_query_desc desc;
    terms t = terms_of(r, o, &desc, 0);
    amount expected = matches_count(r, &t);
    int32_t count;
    if (o->kind == OP_ONCE_COUNT) {
        count = stoa_query_once_count(r->s.world, &desc);
    } else {
        stoa_entity met = STOA_NULL;
        uint64_t last = 0;
        count = walk(r, stoa_query_once(r->s.world, &desc), &t, o->seed, &met);
        run_ended(r, &t.shape, &last);
    }
    run_expect(r, run_given(count >= 0), STOA_OK, "stoa_query_once");
    count_check(r, "a one-off query", count, expected);
}

void run_query(run *r, const op *o) {
    stoa_error_clear();
    if (o->kind == OP_QUERY_NEW) {
        query_make(r, o);
    } else if (o->kind == OP_ONCE_WALK || o->kind == OP_ONCE_COUNT) {
        query_once(r, o);
    } else if (r->queries[o->slot] == NULL) {
        return;
    } else if (o->kind == OP_QUERY_FREE) {
        run_expect(r, stoa_query_free(r->queries[o->slot]), STOA_OK, "stoa_query_free");
        r->queries[o->slot] = NULL;
    } else if (o->kind == OP_QUERY_EACH) {
        query_each(r, o);
    } else if (o->kind == OP_QUERY_SINCE) {
        query_since(r, o);
    } else if (o->kind == OP_QUERY_STOP) {
        query_stop(r, o);
    } else {
        query_walk(r, o);
    }
}

/* Queries: made, walked, counted and freed, one-off or kept.
 *
 * A walk must meet each entity that matches once, with its components where the terms ask for them.
 * Terms that write are written, on both sides. */
#include "run.h"

/* A query's terms by place: what they are of and what they do. */
typedef struct terms {
    int types[TYPE_COUNT];
    int count;
    const op *query;
    query_shape shape;
} terms;

static bool access_reads(stoa_access access) {
    return access != STOA_ACCESS_WITHOUT && access != STOA_ACCESS_FILTER;
}

static bool access_writes(stoa_access access) {
    return access == STOA_ACCESS_WRITE || access == STOA_ACCESS_OPTIONAL_WRITE ||
           access == STOA_ACCESS_ANY_WRITE;
}

/* The terms of a query, and the query they make. */
static terms terms_of(const run *r, const op *query, stoa_query_desc *desc) {
    terms t = {.query = query, .shape = reference_shape(query)};
    trace_query(query, r->ids, desc, t.types, &t.count);
    return t;
}

static int32_t matches_count(const run *r, const terms *t) {
    int32_t count = 0;
    for (int32_t i = 0; i < r->ref.live_count; i++) {
        count += reference_matches(&r->ref, &t->shape, &r->ref.items[r->ref.live[i]]) ? 1 : 0;
    }
    return count;
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
    run_check(r, reference_matches(&r->ref, &t->shape, b),
              "a walk gives %uv%u, which does not match", (unsigned)e.index,
              (unsigned)e.generation);
    run_check(r, b->seen != r->walk, "a walk gives %uv%u twice", (unsigned)e.index,
              (unsigned)e.generation);
    b->seen = r->walk;
    return b;
}

/* One term's column of a chunk, by one of the ways to get it. */
static uint8_t *column_get(run *r, const stoa_iter *it, int type, int index, stoa_access access,
                           uint32_t seed) {
    stoa_type *descriptor = model_types[type].descriptor;
    bool typed = descriptor != NULL && (seed >> index & 1) != 0;
    if (access_writes(access)) {
        return typed ? STOA_FIELD_MUT(it, descriptor, index)
                     : stoa_field_mut_id(it, r->ids[type], index);
    }
    const void *column =
        typed ? STOA_FIELD(it, descriptor, index) : stoa_field_id(it, r->ids[type], index);
    /* Read-only columns share the path of the others here, and are never written. */
    return (uint8_t *)(uintptr_t)column;
}

static void walk_chunk(run *r, const stoa_iter *it, const terms *t, uint32_t seed) {
    uint8_t *columns[TYPE_COUNT] = {NULL};
    for (int i = 0; i < t->count; i++) {
        int type = t->types[i];
        stoa_access access = (stoa_access)t->query->access[type];
        if (access_reads(access) && model_types[type].size > 0) {
            columns[i] = column_get(r, it, type, i, access, seed);
        }
    }
    for (int32_t row = 0; row < it->count && !r->failed; row++) {
        being *b = walk_meet(r, t, it->entities[row]);
        for (int i = 0; b != NULL && i < t->count; i++) {
            int type = t->types[i];
            stoa_access access = (stoa_access)t->query->access[type];
            bool expected = access_reads(access) && (b->has >> type & 1) != 0;
            if (model_types[type].size == 0 ||
                !run_check(r, (columns[i] != NULL) == expected, "term %d has %s column", i,
                           expected ? "no" : "a") ||
                !expected) {
                continue;
            }
            field_visit(r, b, type, access, seed,
                        columns[i] + (size_t)row * model_types[type].size);
        }
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

static void query_make(run *r, const op *o) {
    stoa_query_desc desc;
    (void)terms_of(r, o, &desc);
    if (r->queries[o->slot] != NULL) {
        run_expect(r, stoa_query_free(r->queries[o->slot]), STOA_OK, "stoa_query_free");
    }
    r->query_ops[o->slot] = *o;
    r->queries[o->slot] = stoa_query_new(r->s.world, &desc);
    run_expect(r, run_given(r->queries[o->slot] != NULL), STOA_OK, "stoa_query_new");
}

static void query_walk(run *r, const op *o) {
    stoa_query *query = r->queries[o->slot];
    stoa_query_desc desc;
    terms t = terms_of(r, &r->query_ops[o->slot], &desc);
    int32_t expected = matches_count(r, &t);
    int32_t count = stoa_query_count(query);
    run_check(r, count == expected, "stoa_query_count is %d, expected %d", (int)count,
              (int)expected);
    stoa_entity met = STOA_NULL;
    int32_t walked = walk(r, stoa_query_iter(query), &t, o->seed, &met);
    run_check(r, r->failed || walked == expected, "a walk meets %d entities, expected %d",
              (int)walked, (int)expected);
    run_check(r, stoa_entity_eq(stoa_query_first(query), met), "stoa_query_first is another one");
    stoa_error_clear();
    stoa_entity single = stoa_query_single(query);
    run_check(r, stoa_entity_eq(single, expected == 1 ? met : STOA_NULL),
              "stoa_query_single is another one");
    run_expect(r, run_given(expected == 1), expected == 1 ? STOA_OK : STOA_NOT_SINGLE,
               "stoa_query_single");
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
        stoa_access access = (stoa_access)t->query->access[type];
        bool expected = access_reads(access) && (b->has >> type & 1) != 0;
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

static void query_each(run *r, const op *o) {
    stoa_query_desc desc;
    terms t = terms_of(r, &r->query_ops[o->slot], &desc);
    each context = {r, &t, o->seed, 0};
    int32_t expected = matches_count(r, &t);
    r->walk++;
    stoa_status status = stoa_query_each(r->queries[o->slot], each_visit, &context);
    run_expect(r, status, STOA_OK, "stoa_query_each");
    run_check(r, r->failed || context.count == expected, "stoa_query_each calls %d times of %d",
              (int)context.count, (int)expected);
    context.count = 0;
    status = stoa_query_each_row(r->queries[o->slot], each_count, &context);
    run_expect(r, status, STOA_OK, "stoa_query_each_row");
    run_check(r, context.count == expected, "stoa_query_each_row calls %d times of %d",
              (int)context.count, (int)expected);
}

static void query_once(run *r, const op *o) {
    stoa_query_desc desc;
    terms t = terms_of(r, o, &desc);
    int32_t expected = matches_count(r, &t);
    int32_t count;
    if (o->kind == OP_ONCE_COUNT) {
        count = stoa_query_once_count(r->s.world, &desc);
    } else {
        stoa_entity met = STOA_NULL;
        count = walk(r, stoa_query_once(r->s.world, &desc), &t, o->seed, &met);
    }
    run_expect(r, run_given(count >= 0), STOA_OK, "stoa_query_once");
    run_check(r, count == expected, "a one-off query matches %d entities, expected %d", (int)count,
              (int)expected);
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
    } else {
        query_walk(r, o);
    }
}

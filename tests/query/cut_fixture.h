/* Components of every kind, a world of many archetypes, and lists of what iterations visit. */
#ifndef STOA_TESTS_CUT_FIXTURE_H
#define STOA_TESTS_CUT_FIXTURE_H

#include "support/support.h"

STOA_COMPONENT(Plain, { uint32_t x; });
STOA_COMPONENT(Other, { uint64_t x; });
STOA_COMPONENT_WITH(Exact, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { uint32_t x; });
STOA_COMPONENT_WITH(Switch, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint16_t x; });
STOA_COMPONENT_WITH(Sparse, STOA_OPTIONS(.flags = STOA_SPARSE), { uint32_t x; });
STOA_COMPONENT_WITH(Loose, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { uint32_t x; });
STOA_TAG(Tag);

#define LIST_MAX 60000

/* Entities in the order they were visited. */
typedef struct visit_list {
    stoa_entity items[LIST_MAX];
    int32_t count;
} visit_list;

/* Goes through an iteration to its end. */
static inline void list_iter(visit_list *list, stoa_iter *it) {
    while (stoa_iter_next(it)) {
        assert_true(it->count > 0);
        assert_true(list->count + it->count <= LIST_MAX);
        memcpy(list->items + list->count, it->entities, (size_t)it->count * sizeof *list->items);
        list->count += it->count;
    }
}

/* Goes through all parts in order. */
static inline void list_parts(visit_list *list, stoa_query *query, int32_t parts) {
    list->count = 0;
    for (int32_t i = 0; i < parts; i++) {
        stoa_iter it = stoa_query_part(query, i);
        assert_ptr_equal(it.query, query);
        list_iter(list, &it);
    }
}

static inline void lists_equal(const visit_list *a, const visit_list *b) {
    assert_int_equal(a->count, b->count);
    for (int32_t i = 0; i < a->count; i++) {
        assert_int_equal(a->items[i].index, b->items[i].index);
        assert_int_equal(a->items[i].generation, b->items[i].generation);
    }
}

/* The tick that NULL stands for: everything is newer. */
static inline uint32_t tick_long_ago(const stoa_world *world) {
    return stoa_tick(world) - 0x70000000u;
}

/* Cuts, and checks that the parts visit what an iteration visits, in its order. */
static inline int32_t cut_agrees(stoa_query *query, const uint32_t *since, int32_t rows) {
    static visit_list expected, got;
    stoa_world *world = stoa_query_world(query);
    expected.count = 0;
    stoa_iter it = stoa_query_iter_since(query, since != NULL ? *since : tick_long_ago(world));
    list_iter(&expected, &it);
    uint32_t tick = stoa_tick(world), last = stoa_query_last_run(query);
    int32_t parts = stoa_query_cut(query, since, rows);
    assert_true(parts >= 0);
    for (int again = 0; again < 2; again++) {
        list_parts(&got, query, parts);
        lists_equal(&expected, &got);
    }
    assert_int_equal(stoa_tick(world), tick);
    assert_int_equal(stoa_query_last_run(query), last);
    assert_int_equal(stoa_check(world), STOA_OK);
    return parts;
}

/* Entities of many archetypes with everything that a query can ask for: each of the first five
 * components by a bit of a number, switched off here and there, written at several ticks. Returns a
 * tick in between. */
static inline uint32_t scene_make(stoa_world *w, int32_t count) {
    uint32_t middle = 0;
    for (int32_t i = 0; i < count; i++) {
        stoa_entity e = stoa_create(w);
        uint32_t bits = (uint32_t)(i / 50) % 32 ^ (i % 7 == 0);
        assert_int_equal((bits & 1) ? stoa_set(w, e, Plain, {(uint32_t)i}) : STOA_OK, STOA_OK);
        assert_int_equal((bits & 2) ? stoa_set(w, e, Exact, {(uint32_t)i}) : STOA_OK, STOA_OK);
        assert_int_equal((bits & 4) ? stoa_set(w, e, Switch, {(uint16_t)i}) : STOA_OK, STOA_OK);
        assert_int_equal((bits & 8) ? stoa_set(w, e, Sparse, {(uint32_t)i}) : STOA_OK, STOA_OK);
        assert_int_equal((bits & 16) ? stoa_set(w, e, Loose, {(uint32_t)i}) : STOA_OK, STOA_OK);
        assert_int_equal(i % 11 == 0 ? stoa_add(w, e, Tag) : STOA_OK, STOA_OK);
        if ((bits & 4) != 0 && i % 3 == 0) {
            assert_int_equal(stoa_enable(w, e, Switch, false), STOA_OK);
        }
        if ((bits & 16) != 0 && i % 5 == 0) {
            assert_int_equal(stoa_enable(w, e, Loose, false), STOA_OK);
        }
        if (i % 40 == 0) {
            stoa_tick_advance(w);
        }
        middle = i == count / 2 ? stoa_tick(w) : middle;
    }
    return middle;
}

static inline stoa_query *query_make(stoa_world *w, const stoa_term *terms, int32_t count) {
    stoa_query_desc desc = {.name = NULL};
    memcpy(desc.terms, terms, (size_t)count * sizeof *terms);
    stoa_query *query = stoa_query_new(w, &desc);
    assert_non_null(query);
    return query;
}

#define query_of(w, ...)                                                                           \
    query_make((w), (stoa_term[]){__VA_ARGS__},                                                    \
               (int32_t)(sizeof(stoa_term[]){__VA_ARGS__} / sizeof(stoa_term)))

#endif

/* What tests of relations share: types, relations of every kind, and questions about them. */
#ifndef STOA_TESTS_RELATION_FIXTURE_H
#define STOA_TESTS_RELATION_FIXTURE_H

#include "support/support.h"

#include "stoa/relation.h"

STOA_COMPONENT(Mass, { float kg; });
STOA_COMPONENT_WITH(Inside, STOA_OPTIONS(.flags = STOA_IMMUTABLE), {
    int32_t slot;
    stoa_entity container;
});
STOA_COMPONENT_WITH(Holds, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED), {
    const stoa_entity *items;
    int32_t count;
});
STOA_COMPONENT_WITH(Likes, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED), {
    const stoa_entity *items;
    int32_t count;
});
STOA_COMPONENT_WITH(LikedBy, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED), {
    const stoa_entity *items;
    int32_t count;
});

/* The relation Inside, shown by Holds. */
STOA_UNUSED static stoa_relation inside_new(stoa_world *w, stoa_relation_policy policy,
                                            bool acyclic) {
    stoa_relation relation = stoa_relation_new(w, &(stoa_relation_desc){
                                                      .type = STOA_TYPE_OF(Inside),
                                                      .reverse = STOA_TYPE_OF(Holds),
                                                      .policy = policy,
                                                      .acyclic = acyclic,
                                                  });
    assert_int_not_equal(relation.id, 0);
    return relation;
}

/* The relation Likes, of any number of targets, shown by LikedBy. */
STOA_UNUSED static stoa_relation likes_new(stoa_world *w, stoa_relation_policy policy,
                                           bool acyclic) {
    stoa_relation relation = stoa_relation_new(w, &(stoa_relation_desc){
                                                      .type = STOA_TYPE_OF(Likes),
                                                      .reverse = STOA_TYPE_OF(LikedBy),
                                                      .policy = policy,
                                                      .many = true,
                                                      .acyclic = acyclic,
                                                  });
    assert_int_not_equal(relation.id, 0);
    return relation;
}

/* An entity inside of another. */
STOA_UNUSED static stoa_entity inside_make(stoa_world *w, stoa_entity container) {
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Inside, {.container = container}));
    assert_false(stoa_entity_is_null(e));
    return e;
}

/* The links are these, in this order. */
#define assert_links(links, ...)                                                                   \
    links_compare((links), (const stoa_entity[]){__VA_ARGS__},                                     \
                  (int32_t)(sizeof((const stoa_entity[]){__VA_ARGS__}) / sizeof(stoa_entity)),     \
                  __FILE__, __LINE__)
#define assert_no_links(links) links_compare((links), NULL, 0, __FILE__, __LINE__)

STOA_UNUSED static void links_compare(stoa_links links, const stoa_entity *expected, int32_t count,
                                      const char *file, int line) {
    _assert_int_equal((uint32_t)links.count, (uint32_t)count, file, line);
    for (int32_t i = 0; i < count; i++) {
        if (!stoa_entity_eq(links.items[i], expected[i])) {
            print_error("item %d is %uv%u, not %uv%u\n", i, links.items[i].index,
                        links.items[i].generation, expected[i].index, expected[i].generation);
            _fail(file, line);
        }
    }
}

/* What an entity's component shows. */
#define shown(w, e, T)                                                                             \
    (stoa_has(w, e, T) ? (stoa_links){stoa_get(w, e, T)->items, stoa_get(w, e, T)->count}          \
                       : (stoa_links){NULL, 0})

#define assert_entity(a, b) assert_true(stoa_entity_eq((a), (b)))

#endif

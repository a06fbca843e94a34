/* What the tests of indexes share: types of every kind of storage, and what a look-up found. */
#ifndef STOA_TESTS_INDEX_FIXTURE_H
#define STOA_TESTS_INDEX_FIXTURE_H

#include "support/support.h"

STOA_ENUM(Mood, {CALM, ANGRY = 4, SAD = -2});
STOA_COMPONENT(Cell, { int32_t x, y; });

/* One of every kind of storage, with the same members. */
STOA_COMPONENT(Unit, {
    int32_t team;
    float speed;
});
STOA_COMPONENT_WITH(Rank, STOA_OPTIONS(.flags = STOA_IMMUTABLE), {
    int32_t team;
    float speed;
});
STOA_COMPONENT_WITH(Loose, STOA_OPTIONS(.flags = STOA_SPARSE), {
    int32_t team;
    float speed;
});
STOA_COMPONENT_WITH(Exact, STOA_OPTIONS(.flags = STOA_ROW_TICKS | STOA_SWITCHABLE), {
    int32_t team;
    float speed;
});
STOA_COMPONENT(Other, { double value; });
STOA_TAG(Frozen);

#define FOUND_MAX 64

/* What a walk finds, one after the other. */
typedef struct found_list {
    stoa_entity entities[FOUND_MAX];
    int32_t count;
} found_list;

static inline found_list found_read(stoa_found found) {
    found_list list = {.count = 0};
    while (stoa_found_next(&found)) {
        assert_true(list.count < FOUND_MAX);
        list.entities[list.count++] = found.entity;
    }
    return list;
}

/* The walk finds these, in this order. */
#define expect_found(found, ...)                                                                   \
    expect_list(found_read(found), (const stoa_entity[]){__VA_ARGS__},                             \
                (int32_t)(sizeof((const stoa_entity[]){__VA_ARGS__}) / sizeof(stoa_entity)),       \
                __FILE__, __LINE__)
#define expect_none(found) expect_list(found_read(found), NULL, 0, __FILE__, __LINE__)

static inline void expect_list(found_list list, const stoa_entity *expected, int32_t count,
                               const char *file, int line) {
    bool same = list.count == count;
    for (int32_t i = 0; i < count && same; i++) {
        same = stoa_entity_eq(list.entities[i], expected[i]);
    }
    if (!same) {
        print_error("found:");
        for (int32_t i = 0; i < list.count; i++) {
            print_error(" %uv%u", list.entities[i].index, list.entities[i].generation);
        }
        print_error("\nexpected:");
        for (int32_t i = 0; i < count; i++) {
            print_error(" %uv%u", expected[i].index, expected[i].generation);
        }
        print_error("\n");
        _fail(file, line);
    }
}

#define expect_entity(e, expected) assert_true(stoa_entity_eq((e), (expected)))

#endif

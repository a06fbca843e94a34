/* What tests of transforms share: entities with matrices, and the naive way to work them out. */
#ifndef STOA_TESTS_TRANSFORM_FIXTURE_H
#define STOA_TESTS_TRANSFORM_FIXTURE_H

#include "support/support.h"

#include "stoa/transform.h"

/* A matrix that shows where it came from, of numbers that get rounded when they are multiplied. */
STOA_UNUSED static Mat4 matrix_of(uint32_t number) {
    float angle = (float)(number % 97) * 0.1f;
    Mat4 turn = stoa_mat4_rotation((float)(number % 3), 1, (float)(number % 5), angle);
    turn.m[12] = (float)(number % 89) * 0.3f;
    turn.m[13] = (float)(number % 7) - 0.7f;
    return turn;
}

/* An entity with both transforms, and a parent unless that is STOA_NULL. */
STOA_UNUSED static stoa_entity node_make(stoa_world *w, stoa_entity parent, uint32_t number) {
    stoa_entity e = stoa_create_with(w, STOA_VALUE(LocalTransform, {matrix_of(number)}),
                                     STOA_ZERO(WorldTransform));
    assert_false(stoa_entity_is_null(e));
    if (!stoa_entity_is_null(parent)) {
        assert_int_equal(stoa_set_parent(w, e, parent), STOA_OK);
    }
    return e;
}

STOA_UNUSED static bool node_whole(const stoa_world *w, stoa_entity e) {
    return stoa_has(w, e, LocalTransform) && stoa_has(w, e, WorldTransform);
}

/* The world matrix of an entity with both transforms, by going up to the top of its tree. */
STOA_UNUSED static Mat4 node_expect(const stoa_world *w, stoa_entity e) {
    Mat4 local = stoa_get(w, e, LocalTransform)->matrix;
    stoa_entity parent = stoa_parent(w, e);
    return node_whole(w, parent) ? stoa_mat4_multiply(node_expect(w, parent), local) : local;
}

STOA_UNUSED static bool matrix_same(const Mat4 *a, const Mat4 *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* The first entity whose world matrix is not what it should be; STOA_NULL if all are. */
STOA_UNUSED static stoa_entity nodes_wrong(const stoa_world *w) {
    stoa_entity e = stoa_entity_next(w, STOA_NULL);
    for (; !stoa_entity_is_null(e); e = stoa_entity_next(w, e)) {
        if (node_whole(w, e)) {
            Mat4 expected = node_expect(w, e);
            if (!matrix_same(&stoa_get(w, e, WorldTransform)->matrix, &expected)) {
                return e;
            }
        }
    }
    return STOA_NULL;
}

/* Propagates, after which everything must be right. */
STOA_UNUSED static void propagate_right(stoa_world *w) {
    assert_int_equal(stoa_propagate_transforms(w), STOA_OK);
    stoa_entity wrong = nodes_wrong(w);
    if (!stoa_entity_is_null(wrong)) {
        char text[STOA_ENTITY_TEXT_SIZE];
        fail_msg("the world matrix of %s is wrong", stoa_entity_print(wrong, text, sizeof text));
    }
}

#endif

/* stoa's side of transforms: all of a tree. And both sides of a hundredth of its subtrees, against
 * all: they work on one tree, since it is one program that has the one or the other to do. */
#include "components.h"
#include "hierarchy.h"
#include "sides.h"
#include "stoa/transform.h"

#include <stdlib.h>
#include <string.h>

typedef struct tree {
    stoa_world *world;
    stoa_entity *entities;
    bench_size size;
    int32_t turn;
} tree;

static LocalTransform local_of(int32_t i, int32_t turn) {
    LocalTransform local;
    hierarchy_matrix matrix = hierarchy_local(i, turn);
    memcpy(&local, &matrix, sizeof local);
    return local;
}

static void tree_propagate(const tree *t) {
    if (stoa_propagate_transforms(t->world) != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
}

static void *tree_open(bench_size size) {
    tree *t = bench_alloc(1, sizeof *t);
    *t = (tree){.size = size, .world = bench_world_new()};
    t->entities = bench_alloc((size_t)size.n, sizeof *t->entities);
    for (int32_t i = 0; i < size.n; i++) {
        LocalTransform local = local_of(i, 0);
        WorldTransform world = {0};
        Parent parent = {t->entities[hierarchy_parent(i > 0 ? i : 1)]};
        t->entities[i] = stoa_create_with(t->world, STOA_VALUE_FROM(LocalTransform, &local),
                                          STOA_VALUE_FROM(WorldTransform, &world));
        if (i > 0 && stoa_set_from(t->world, t->entities[i], Parent, &parent) != STOA_OK) {
            bench_fail(stoa_last_error().message);
        }
    }
    tree_propagate(t);
    return t;
}

/* Writes all places. */
static void tree_before_all(void *side) {
    tree *t = side;
    t->turn++;
    for (int32_t i = 0; i < t->size.n; i++) {
        *stoa_get_mut(t->world, t->entities[i], LocalTransform) = local_of(i, t->turn);
    }
}

static void tree_run(void *side) {
    tree_propagate(side);
}

static double tree_after(void *side) {
    const tree *t = side;
    double sum = 0;
    for (int32_t i = 0; i < t->size.n; i++) {
        hierarchy_matrix matrix;
        memcpy(&matrix, stoa_get(t->world, t->entities[i], WorldTransform), sizeof matrix);
        sum += hierarchy_weigh(i, &matrix);
    }
    return sum;
}

static void tree_close(void *side) {
    tree *t = side;
    stoa_world_free(t->world);
    free(t->entities);
    free(t);
}

const bench_side stoa_side_hierarchy = {tree_open, tree_before_all, tree_run, tree_after,
                                        tree_close};

/* The tree that both sides have, and when each of the subtrees of which some change was last moved.
 */
static struct {
    tree *tree;
    int32_t users;
    int32_t turns[HIERARCHY_SUBTREES];
} shared;

static void *shared_open(bench_size size) {
    if (shared.users++ == 0) {
        shared.tree = tree_open(size);
        memset(shared.turns, 0, sizeof shared.turns);
    }
    return shared.tree;
}

static void shared_close(void *side) {
    if (--shared.users == 0) {
        tree_close(side);
    }
}

/* Moves the tops of a hundredth of the subtrees, each time others. */
static void shared_before(void *side) {
    tree *t = side;
    t->turn++;
    for (int32_t i = 0; i < HIERARCHY_CHANGES; i++) {
        int32_t subtree = t->turn + i * (HIERARCHY_SUBTREES / HIERARCHY_CHANGES);
        int32_t top = HIERARCHY_SUBTREE_FIRST + subtree % HIERARCHY_SUBTREES;
        shared.turns[subtree % HIERARCHY_SUBTREES] = t->turn;
        *stoa_get_mut(t->world, t->entities[top], LocalTransform) = local_of(top, t->turn);
    }
}

/* The same, and all others count as written, too. */
static void shared_before_all(void *side) {
    tree *t = side;
    shared_before(side);
    for (int32_t i = 0; i < t->size.n; i++) {
        (void)stoa_get_mut(t->world, t->entities[i], LocalTransform);
    }
}

/* What the transform of an entity must be, below one that is right. */
static Mat4 world_expected(const tree *t, int32_t i) {
    int32_t subtree = i - HIERARCHY_SUBTREE_FIRST;
    bool top = subtree >= 0 && subtree < HIERARCHY_SUBTREES;
    LocalTransform local = local_of(i, top ? shared.turns[subtree] : 0);
    Mat4 own, above;
    memcpy(&own, &local, sizeof own);
    if (i == 0) {
        return own;
    }
    memcpy(&above, stoa_get(t->world, t->entities[hierarchy_parent(i)], WorldTransform),
           sizeof above);
    return stoa_mat4_multiply(above, own);
}

/* How many transforms are not what they must be. */
static double shared_after(void *side) {
    const tree *t = side;
    int32_t wrong = 0;
    for (int32_t i = 0; i < t->size.n; i++) {
        Mat4 expected = world_expected(t, i);
        wrong += memcmp(&expected, stoa_get(t->world, t->entities[i], WorldTransform),
                        sizeof expected) != 0;
    }
    if (wrong > 0) {
        bench_fail("transforms were not worked out");
    }
    return wrong;
}

const bench_side limit_side_hierarchy_static = {shared_open, shared_before_all, tree_run,
                                                shared_after, shared_close};
const bench_side stoa_side_hierarchy_static = {shared_open, shared_before, tree_run, shared_after,
                                               shared_close};

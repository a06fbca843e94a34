/* Propagation on threads: the same bits on any number of them, for trees of any shape. */
#include <stdlib.h>

#include "builtin/transform_fixture.h"

#define NODES 9000
#define ROUNDS 5

/* The shapes of trees: the parent of node i. */
typedef uint32_t (*shape)(uint32_t i, support_random *random);

static uint32_t shape_fan(uint32_t i, support_random *random) {
    (void)random;
    return (i - 1) / 10;
}

static uint32_t shape_chain(uint32_t i, support_random *random) {
    (void)random;
    return i - 1;
}

static uint32_t shape_star(uint32_t i, support_random *random) {
    (void)random;
    (void)i;
    return 0;
}

static uint32_t shape_chains(uint32_t i, support_random *random) {
    (void)random;
    return i <= 1500 ? 0 : i - 1500;
}

static uint32_t shape_broom(uint32_t i, support_random *random) {
    (void)random;
    return i < 2000 ? i - 1 : 1999;
}

static uint32_t shape_random(uint32_t i, support_random *random) {
    return support_random_below(random, i);
}

/* Makes a tree, in rows that are not in order if `mixed`. */
static stoa_entity *tree_make(stoa_world *w, shape parent_of, bool mixed) {
    support_random random = {99};
    stoa_entity *e = malloc(NODES * sizeof *e);
    assert_non_null(e);
    for (uint32_t i = 0; i < NODES; i++) {
        e[mixed ? NODES - 1 - i : i] = node_make(w, STOA_NULL, i);
    }
    for (uint32_t i = 1; i < NODES; i++) {
        stoa_set(w, e[i], Parent, {e[parent_of(i, &random)]});
    }
    return e;
}

/* Changes some of a tree and propagates, round by round; the hashes of all rounds. */
static void tree_run(shape parent_of, bool mixed, stoa_pool *pool, uint64_t *hashes) {
    support_world s;
    support_world_open(&s);
    stoa_entity *e = tree_make(s.world, parent_of, mixed);
    support_random random = {3};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t changes = round * round * 50;
        for (uint32_t i = 0; i < changes; i++) {
            uint32_t who = support_random_below(&random, NODES);
            stoa_get_mut(s.world, e[who], LocalTransform)->matrix = matrix_of(round + i);
        }
        assert_int_equal(stoa_propagate_transforms_with(s.world, pool), STOA_OK);
        hashes[round] = stoa_hash(s.world);
    }
    free(e);
    support_world_close(&s);
}

/* TRF-04, SYS-08 */
static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    static const shape shapes[] = {shape_fan,    shape_chain, shape_star,
                                   shape_chains, shape_broom, shape_random};
    static const int32_t threads[] = {1, 2, 4};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        uint64_t expected[ROUNDS], hashes[ROUNDS];
        bool mixed = k % 2 != 0;
        tree_run(shapes[k], mixed, NULL, expected);
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
            stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = threads[i]});
            assert_non_null(pool);
            tree_run(shapes[k], mixed, pool, hashes);
            assert_memory_equal(hashes, expected, sizeof hashes);
            stoa_pool_free(pool);
        }
    }
}

/* TRF-04 */
static void trees_on_threads_are_right(void **state) {
    (void)state;
    static const shape shapes[] = {shape_fan, shape_chains, shape_star, shape_random};
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 4});
    assert_non_null(pool);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        support_world s;
        support_world_open(&s);
        stoa_entity *e = tree_make(s.world, shapes[k], k % 2 == 0);
        for (uint32_t round = 0; round < 3; round++) {
            assert_int_equal(stoa_propagate_transforms_with(s.world, pool), STOA_OK);
            assert_true(stoa_entity_is_null(nodes_wrong(s.world)));
            for (uint32_t i = round; i < NODES; i += 7) {
                stoa_get_mut(s.world, e[i], LocalTransform)->matrix = matrix_of(i + round);
            }
        }
        free(e);
        support_world_close(&s);
    }
    stoa_pool_free(pool);
}

typedef struct nested {
    stoa_world *world;
    stoa_pool *pool;
    stoa_status status;
} nested;

static void lane_propagates(int32_t lane, void *data) {
    nested *n = data;
    if (lane == 0) {
        n->status = stoa_propagate_transforms_with(n->world, n->pool);
    }
}

/* TRF-04, GEN-03 */
static void pool_that_is_at_work_is_refused(void **state) {
    (void)state;
    support_world s;
    support_world_open(&s);
    stoa_entity *e = tree_make(s.world, shape_fan, false);
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 2});
    nested n = {.world = s.world, .pool = pool};
    uint64_t hash = stoa_hash(s.world);
    assert_int_equal(stoa_pool_run(pool, 2, lane_propagates, &n), STOA_OK);
    support_assert_misuse(&s, n.status, STOA_LOCKED);
    assert_true(stoa_hash(s.world) == hash);
    assert_int_equal(stoa_check(s.world), STOA_OK);
    assert_int_equal(stoa_propagate_transforms_with(s.world, pool), STOA_OK);
    assert_true(stoa_entity_is_null(nodes_wrong(s.world)));
    stoa_pool_free(pool);
    free(e);
    support_world_close(&s);
}

static stoa_status turn(stoa_job *job, stoa_iter *it) {
    LocalTransform *locals = stoa_field_mut(it, LocalTransform, 0);
    Mat4 step = stoa_mat4_rotation(0, 0, 1, (float)job->delta);
    for (int32_t i = 0; i < it->count; i++) {
        locals[i].matrix = stoa_mat4_multiply(locals[i].matrix, step);
    }
    return STOA_OK;
}

/* TRF-04, SYS-10 */
static void system_propagates_after_the_update(void **state) {
    (void)state;
    uint64_t hashes[3];
    for (int32_t threads = 1; threads <= 3; threads++) {
        support_world s;
        support_world_open(&s);
        stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = s.world, .threads = threads});
        stoa_entity *e = tree_make(s.world, shape_fan, false);
        stoa_system system = stoa_transform_system_add(app, STOA_POST_UPDATE);
        assert_int_not_equal(system.id, 0);
        assert_int_equal(stoa_system_find(app, "stoa.transforms").id, system.id);
        assert_int_not_equal(
            stoa_system_new(app, &(stoa_system_desc){.name = "turn",
                                                     .each = turn,
                                                     .terms = {STOA_WRITE(LocalTransform)}})
                .id,
            0);
        for (int i = 0; i < 5; i++) {
            assert_int_equal(stoa_app_step(app, 0.1), STOA_OK);
            assert_true(stoa_entity_is_null(nodes_wrong(s.world)));
        }
        hashes[threads - 1] = stoa_hash(s.world);
        assert_true(hashes[threads - 1] == hashes[0]);
        assert_int_equal(stoa_transform_system_add(app, STOA_POST_UPDATE).id, 0);
        assert_int_equal(stoa_last_error().status, STOA_CONFLICT);
        free(e);
        stoa_app_free(app);
        support_world_close(&s);
    }
    assert_int_equal(stoa_transform_system_add(NULL, STOA_POST_UPDATE).id, 0);
    assert_null(stoa_app_pool(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(trees_on_threads_are_right),
        cmocka_unit_test(pool_that_is_at_work_is_refused),
        cmocka_unit_test(system_propagates_after_the_update),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

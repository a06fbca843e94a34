/* Threads that record instances of the same prefabs, each into its own buffer. */
#include "os/thread.h"
#include "prefab_fixture.h"

#define THREADS 3
#define TREES 40

typedef struct job {
    stoa_commands *commands;
    stoa_prefab *leaf;
    stoa_prefab *root;
    stoa_entity roots[TREES];
} job;

static void job_run(void *data) {
    job *j = data;
    for (int i = 0; i < TREES; i++) {
        j->roots[i] = stoa_commands_instantiate(
            j->commands, j->root, STOA_VALUES(STOA_VALUE(Health, {i}), STOA_ZERO(Velocity)));
        stoa_commands_instantiate(j->commands, j->leaf, NULL, 0);
    }
}

/* PRE-02 PRE-04 CMD-06 GEN-02 */
static void threads_record_instances_of_one_prefab(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *leaf = prefab_of(state), *root = prefab_of(state);
    stoa_prefab_child(root, leaf);
    stoa_prefab_node_set(root, 1, Link, {stoa_prefab_node(0)});
    stoa_prefab_set(root, Link, {stoa_prefab_node(1)});
    stoa_id(w, Velocity);
    stoa_id(w, Health);
    stoa_commands *buffers[THREADS];
    static job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        buffers[i] = stoa_commands_new(w);
    }
    for (int round = 0; round < 4; round++) {
        /* The threads find plans that are to be made anew. */
        stoa_prefab_set(leaf, Position, {(float)round, 0, 0});
        assert_int_equal(stoa_commands_fork(w, buffers, THREADS), STOA_OK);
        stoa__thread threads[THREADS];
        for (int i = 0; i < THREADS; i++) {
            jobs[i] = (job){.commands = buffers[i], .leaf = leaf, .root = root};
            assert_true(stoa__thread_start(&threads[i], job_run, &jobs[i]));
        }
        for (int i = 0; i < THREADS; i++) {
            stoa__thread_join(&threads[i]);
        }
        assert_int_equal(stoa_commands_join(w), STOA_OK);
        int32_t done = 0;
        assert_int_equal(stoa_commands_flush_all(buffers, THREADS, &done), STOA_OK);
        for (int i = 0; i < THREADS; i++) {
            for (int k = 0; k < TREES; k++) {
                stoa_entity e = jobs[i].roots[k], child = stoa_get(w, e, Link)->to;
                assert_int_equal(stoa_get(w, e, Health)->points, k);
                assert_true(stoa_entity_eq(stoa_get(w, child, Link)->to, e));
                assert_float_equal(stoa_get(w, child, Position)->x, round, 0);
            }
        }
        assert_int_equal(stoa_count(w), THREADS * TREES * 3 * (round + 1));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PREFAB_TEST(threads_record_instances_of_one_prefab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

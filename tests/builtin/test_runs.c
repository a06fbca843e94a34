/* Runs of rows that a world keeps for its transforms: used as long as rows are where they were, and
 * never after that. */
#include "builtin/runs.h"
#include "builtin/transform.h"
#include "builtin/transform_fixture.h"
#include "support/seeds.h"

#include "stoa/extension.h"
#include "stoa/frames.h"
#include "stoa/sort.h"

#define FAN 6
#define NODES 2000
#define RANDOM_STEPS 60

STOA_TAG(Apart);
STOA_COMPONENT(Depth, { int32_t value; });

static stoa_entity nodes[NODES];

static void tree_make(stoa_world *w) {
    for (uint32_t i = 0; i < NODES; i++) {
        nodes[i] = node_make(w, i > 0 ? nodes[(i - 1) / FAN] : STOA_NULL, i);
    }
}

static const stoa__runs *runs_of(const stoa_world *w) {
    const stoa__transforms *t = stoa_extension_find(w, "stoa.transforms");
    assert_non_null(t);
    return &t->runs;
}

/* Writes the matrices of some nodes, works them out, and compares all. */
static void turn(stoa_world *w, uint32_t first, uint32_t step, uint32_t number) {
    for (uint32_t i = first; i < NODES; i += step) {
        if (stoa_alive(w, nodes[i])) {
            stoa_get_mut(w, nodes[i], LocalTransform)->matrix = matrix_of(i + number);
        }
    }
    propagate_right(w);
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* Works everything out until runs are known. */
static void runs_settle(stoa_world *w) {
    turn(w, 0, 1, 1);
    turn(w, 0, 1, 2);
    turn(w, 0, 1, 3);
    assert_true(runs_of(w)->count > 0);
}

/* TRF-04 */
static void runs_are_known_once_as_much_was_worked_out_as_there_is(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    tree_make(w);
    propagate_right(w);
    assert_int_equal(runs_of(w)->count, 0);
    for (uint32_t i = 0; i < 400 && runs_of(w)->count == 0; i++) {
        turn(w, 1 + i % 5, 400, i);
    }
    assert_true(runs_of(w)->count > 0);
    assert_true(runs_of(w)->count < NODES / 8);
    for (uint32_t i = 0; i < 30; i++) {
        turn(w, i * 61 % NODES, 97 + i, i);
    }
    turn(w, 0, NODES, 5);
}

/* TRF-04 */
static void runs_are_forgotten_when_rows_change_places(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    tree_make(w);
    runs_settle(w);
    /* Two rows change sides: there are as many as before on both. */
    assert_int_equal(stoa_add(w, nodes[NODES - 1], Apart), STOA_OK);
    runs_settle(w);
    assert_int_equal(stoa_add(w, nodes[NODES / 2], Apart), STOA_OK);
    assert_int_equal(stoa_remove(w, nodes[NODES - 1], Apart), STOA_OK);
    turn(w, NODES / 4, 3, 9);
    runs_settle(w);
    for (uint32_t i = 0; i < NODES; i++) {
        assert_int_equal(stoa_set(w, nodes[i], Depth, {(int32_t)(i * 7 % 31)}), STOA_OK);
    }
    runs_settle(w);
    assert_int_equal(stoa_sort_key(w, Depth, "value", STOA_DESCENDING), STOA_OK);
    turn(w, 0, NODES, 11);
    turn(w, 0, 1, 12);
    turn(w, 0, 1, 13);
}

/* TRF-04: a list of runs of one row each would be larger than what it is about. */
static void runs_that_are_short_are_not_kept(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    tree_make(w);
    for (uint32_t i = 0; i < NODES; i += 2) {
        assert_int_equal(stoa_add(w, nodes[i], Apart), STOA_OK);
    }
    for (uint32_t i = 0; i < 5; i++) {
        turn(w, 0, 1, i);
    }
    assert_int_equal(runs_of(w)->count, 0);
}

/* TRF-04 SNP-08 */
static void runs_are_right_after_going_back(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    tree_make(w);
    runs_settle(w);
    stoa_frames *frames = stoa_frames_new(w, 2);
    bool restored = false;
    assert_int_equal(stoa_frames_save(frames), STOA_OK);
    assert_int_equal(stoa_set_parent(w, nodes[NODES - 1], nodes[1]), STOA_OK);
    assert_int_equal(stoa_add(w, nodes[20], Apart), STOA_OK);
    runs_settle(w);
    assert_int_equal(stoa_frames_restore(frames, 0, &restored), STOA_OK);
    assert_true(restored);
    turn(w, 3, 5, 20);
    runs_settle(w);
    stoa_frames_free(frames);
}

/* TRF-04 GEN-04: without memory for the list all is worked out all the same. */
static void runs_need_no_memory(void **state) {
    support_world *s = *state;
    tree_make(s->world);
    turn(s->world, 0, 1, 1);
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    turn(s->world, 0, 1, 2);
    turn(s->world, 0, 1, 3);
    assert_true(s->heap.failed > 0);
    assert_int_equal(runs_of(s->world)->count, 0);
    s->heap.fail_at = 0;
    s->heap.fail_forever = false;
    runs_settle(s->world);
}

/* STO-04 */
static void wrong_runs_are_found(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    tree_make(w);
    runs_settle(w);
    stoa__runs *runs = (stoa__runs *)(uintptr_t)runs_of(w);
    stoa__run good = runs->items[1];
    runs->items[1].world++;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    support_assert_message("transforms: the rows from place 1 on are wrong");
    runs->items[1] = good;
    runs->count--;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    support_assert_message("transforms: runs end at place");
    runs->count++;
    runs->blocks[1]++;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    support_assert_message("transforms: the run of place 64 is not found");
    runs->blocks[1]--;
    assert_int_equal(stoa_check(w), STOA_OK);
}

static void random_run(uint64_t seed) {
    support_random random = {seed};
    support_world s;
    support_world_open(&s);
    stoa_world *w = s.world;
    tree_make(w);
    for (uint32_t step = 0; step < RANDOM_STEPS; step++) {
        uint32_t what = support_random_below(&random, 12);
        stoa_entity e = nodes[support_random_below(&random, NODES)];
        stoa_entity other = nodes[support_random_below(&random, NODES)];
        if (what == 0 && stoa_alive(w, e)) {
            (void)stoa_add(w, e, Apart);
        } else if (what == 1 && stoa_alive(w, e)) {
            (void)stoa_remove(w, e, Apart);
        } else if (what == 2 && stoa_alive(w, e) && stoa_alive(w, other)) {
            (void)stoa_set_parent(w, e, other);
        } else if (what == 3 && stoa_alive(w, e)) {
            assert_int_equal(stoa_destroy(w, e), STOA_OK);
        } else if (what == 4) {
            (void)stoa_compact(w);
        }
        bool all = support_random_below(&random, 2) == 0;
        turn(w, all ? 0 : support_random_below(&random, NODES),
             all ? 1 : 1 + support_random_below(&random, 300), step);
    }
    support_world_close(&s);
}

/* TRF-04 */
static void runs_go_with_random_changes(void **state) {
    (void)state;
    for (support_seeds s = support_seeds_of(4); support_seeds_next(&s);) {
        random_run(s.seed);
    }
}

#define world_test(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        world_test(runs_are_known_once_as_much_was_worked_out_as_there_is),
        world_test(runs_are_forgotten_when_rows_change_places),
        world_test(runs_that_are_short_are_not_kept),
        world_test(runs_are_right_after_going_back),
        world_test(runs_need_no_memory),
        world_test(wrong_runs_are_found),
        support_seeds_test(runs_go_with_random_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Working out transforms: trees of more ranges than are listed at a time, of levels wider than are
 * looked ahead for, and rows whose parents' rows are elsewhere. */
#include "builtin/spread.h"
#include "builtin/transform_fixture.h"

#define TREES 400
#define WIDE 2500
#define CHILDREN 7

STOA_TAG(Apart);

static void node_write(stoa_world *w, stoa_entity e, uint32_t number) {
    stoa_get_mut(w, e, LocalTransform)->matrix = matrix_of(number);
}

/* TRF-04 */
static void more_trees_than_are_listed_are_all_worked_out(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static stoa_entity e[TREES * 5];
    for (uint32_t i = 0; i < TREES * 5; i++) {
        e[i] = node_make(w, i < TREES ? STOA_NULL : e[i - TREES], i);
    }
    propagate_right(w);
    for (uint32_t step = 1; step < 5; step++) {
        for (uint32_t i = 0; i < TREES; i += step) {
            node_write(w, e[i + step % 3 * TREES], i + step);
        }
        propagate_right(w);
    }
}

/* TRF-04 */
static void levels_too_wide_to_look_ahead_are_worked_out(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity top = node_make(w, STOA_NULL, 1), other = node_make(w, STOA_NULL, 2);
    stoa_entity middle = node_make(w, top, 3), beside = node_make(w, other, 4);
    static stoa_entity e[WIDE];
    for (uint32_t i = 0; i < WIDE; i++) {
        e[i] = node_make(w, i % 5 == 0 ? beside : middle, i);
    }
    for (uint32_t i = 0; i < WIDE; i++) {
        node_make(w, e[i], i + WIDE);
    }
    propagate_right(w);
    node_write(w, top, 5);
    propagate_right(w);
    node_write(w, other, 6);
    node_write(w, e[WIDE / 2], 7);
    propagate_right(w);
    node_write(w, top, 8);
    node_write(w, beside, 9);
    propagate_right(w);
}

/* TRF-04 */
static void rows_and_their_parents_may_be_apart(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity top = node_make(w, STOA_NULL, 1);
    static stoa_entity parents[TREES], children[TREES * CHILDREN];
    for (uint32_t i = 0; i < TREES; i++) {
        parents[i] = node_make(w, top, i);
    }
    for (uint32_t i = 0; i < TREES * CHILDREN; i++) {
        children[i] = node_make(w, parents[i / CHILDREN], i);
    }
    propagate_right(w);
    for (uint32_t i = 0; i < TREES; i += 3) {
        stoa_add(w, parents[i], Apart);
    }
    node_write(w, top, 2);
    propagate_right(w);
    for (uint32_t i = 0; i < TREES * CHILDREN; i += 11) {
        stoa_add(w, children[i], Apart);
    }
    for (uint32_t i = 0; i < TREES; i += 50) {
        node_write(w, parents[i], i);
    }
    propagate_right(w);
    node_write(w, top, 3);
    propagate_right(w);
}

#define world_test(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        world_test(more_trees_than_are_listed_are_all_worked_out),
        world_test(levels_too_wide_to_look_ahead_are_worked_out),
        world_test(rows_and_their_parents_may_be_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

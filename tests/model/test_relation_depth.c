/* Relations: cascades through sources that have sources of their own, however they came to have
 * them, and what entities that died so leave to the next of their slots. */
#include "relation_fixture.h"

#define SOURCES 20

/* REL-01 ENT-09 GEN-05 */
static void entity_in_the_slot_of_a_dead_source_points_nowhere(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation inside = inside_new(w, STOA_CASCADE, true);
    stoa_entity root = stoa_create(w), mid = inside_make(w, root), old[SOURCES], e[SOURCES];
    for (int i = 0; i < SOURCES; i++) {
        old[i] = inside_make(w, mid);
    }
    assert_int_equal(stoa_destroy(w, root), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
    for (int i = 0; i < SOURCES; i++) {
        e[i] = stoa_create(w);
        assert_entity(stoa_relation_target(w, inside, e[i]), STOA_NULL);
        assert_entity(stoa_relation_target(w, inside, old[i]), STOA_NULL);
        assert_no_links(stoa_relation_sources(w, inside, e[i]));
    }
    /* The root was the last to go. */
    assert_int_equal(e[1].index, old[SOURCES - 1].index);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_set(w, e[1], Inside, {.container = STOA_NULL}), STOA_OK);
    assert_int_equal(stoa_set(w, e[2], Inside, {.container = e[3]}), STOA_OK);
    assert_int_equal(stoa_remove(w, e[1], Inside), STOA_OK);
    assert_entity(stoa_relation_target(w, inside, e[2]), e[3]);
    assert_links(stoa_relation_sources(w, inside, e[3]), e[2]);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_destroy(w, e[3]), STOA_OK);
    assert_false(stoa_alive(w, e[2]));
    assert_int_equal(stoa_count(w), SOURCES - 2);
}

/* Ends a root, and with it everybody there is. */
static void root_end(stoa_world *w, stoa_entity root) {
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_destroy(w, root), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* REL-01 ENT-09 */
static void cascade_finds_sources_that_came_before_their_target_was_one(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    inside_new(w, STOA_CASCADE, true);
    stoa_entity root = stoa_create(w), mid = inside_make(w, root), late = stoa_create(w);
    inside_make(w, inside_make(w, late));
    assert_int_equal(stoa_set(w, late, Inside, {.container = mid}), STOA_OK);
    root_end(w, root);
}

/* REL-01 ENT-09 */
static void cascade_finds_sources_that_came_later(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    inside_new(w, STOA_CASCADE, true);
    stoa_entity root = stoa_create(w), mid = inside_make(w, root), leaves[SOURCES];
    for (int i = 0; i < SOURCES; i++) {
        leaves[i] = inside_make(w, mid);
    }
    inside_make(w, leaves[SOURCES - 1]);
    root_end(w, root);
}

/* REL-01 ENT-09 */
static void cascade_finds_sources_that_moved_with_their_target(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    inside_new(w, STOA_CASCADE, true);
    stoa_entity root = stoa_create(w), one = inside_make(w, root), two = inside_make(w, root);
    stoa_entity mover = inside_make(w, one);
    inside_make(w, two);
    inside_make(w, mover);
    assert_int_equal(stoa_set(w, mover, Inside, {.container = two}), STOA_OK);
    root_end(w, root);
}

/* REL-01 ENT-09 */
static void cascade_finds_sources_that_were_there_before_the_relation(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    /* Entities are taken in by their order, so some targets come after their sources. */
    stoa_entity leaf = stoa_create(w), root = stoa_create(w), mid = stoa_create(w);
    stoa_entity below = inside_make(w, mid);
    assert_int_equal(stoa_set(w, mid, Inside, {.container = root}), STOA_OK);
    assert_int_equal(stoa_set(w, leaf, Inside, {.container = below}), STOA_OK);
    inside_make(w, leaf);
    inside_new(w, STOA_CASCADE, true);
    root_end(w, root);
}

static stoa_entity gifted;

static void hook_give(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e, (void)value, (void)user;
    inside_make(w, inside_make(w, gifted));
}

/* REL-01 HOK-04 */
static void cascade_finds_sources_that_a_hook_has_made_meanwhile(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    inside_new(w, STOA_CASCADE, true);
    stoa_on_remove(w, Mass, hook_give, NULL);
    stoa_entity root = stoa_create(w), mid = inside_make(w, root);
    stoa_entity told = inside_make(w, mid);
    inside_make(w, mid);
    gifted = inside_make(w, mid);
    assert_int_equal(stoa_set(w, told, Mass, {1}), STOA_OK);
    root_end(w, root);
}

static stoa_status source_refuse(stoa_world *w, stoa_entity e, const void *values, int32_t count,
                                 void *user) {
    (void)w, (void)e, (void)values, (void)count, (void)user;
    return stoa_fail(STOA_REFUSED, "full");
}

/* REL-01 */
static void block_that_was_made_ready_goes_with_its_list(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_CASCADE, true);
    stoa_entity ship = stoa_create(w), box = inside_make(w, ship), last = STOA_NULL;
    for (int i = 0; i < 8; i++) {
        last = inside_make(w, box);
    }
    stoa_hook veto = stoa_veto_new(w, &(stoa_veto_desc){.kind = STOA_VETO_SET,
                                                        .type = STOA_TYPE_OF(Inside),
                                                        .call = source_refuse});
    /* One more needs a larger block, which is there when it is refused. */
    stoa_entity none = stoa_create_with(w, STOA_VALUE(Inside, {.container = box}));
    assert_true(stoa_entity_is_null(none));
    assert_int_equal(stoa_hook_remove(w, veto), STOA_OK);
    assert_int_equal(stoa_relation_sources(w, r, box).count, 8);
    assert_int_equal(stoa_destroy(w, ship), STOA_OK);
    assert_false(stoa_alive(w, box) || stoa_alive(w, last));
}

#define test(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(entity_in_the_slot_of_a_dead_source_points_nowhere),
        test(cascade_finds_sources_that_came_before_their_target_was_one),
        test(cascade_finds_sources_that_came_later),
        test(cascade_finds_sources_that_moved_with_their_target),
        test(cascade_finds_sources_that_were_there_before_the_relation),
        test(cascade_finds_sources_that_a_hook_has_made_meanwhile),
        test(block_that_was_made_ready_goes_with_its_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

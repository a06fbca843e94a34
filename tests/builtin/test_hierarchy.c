/* The hierarchy: parents and children agree, whichever call brings a parent or takes it. */
#include "support/support.h"

#include "stoa/hierarchy.h"

STOA_COMPONENT(Mass, { float kg; });

static void assert_entity(stoa_entity a, stoa_entity b) {
    assert_int_equal(a.index, b.index);
    assert_int_equal(a.generation, b.generation);
}

static void children_check(const stoa_world *w, stoa_entity e, int32_t count,
                           const stoa_entity *expected) {
    stoa_links links = stoa_children(w, e);
    assert_int_equal(links.count, count);
    for (int32_t i = 0; i < count; i++) {
        assert_entity(links.items[i], expected[i]);
        assert_entity(stoa_parent(w, links.items[i]), e);
    }
    assert_int_equal(stoa_has(w, e, Children), count > 0);
}

#define assert_children(w, e, ...)                                                                 \
    children_check((w), (e),                                                                       \
                   (int32_t)(sizeof((stoa_entity[]){__VA_ARGS__}) / sizeof(stoa_entity)),          \
                   (stoa_entity[]){__VA_ARGS__})

#define assert_childless(w, e) children_check((w), (e), 0, NULL)

/* TRF-02 */
static void both_sides_know_each_other(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity p = stoa_create(w), a = stoa_create(w), b = stoa_create(w);
    assert_entity(stoa_parent(w, a), STOA_NULL);
    assert_childless(w, p);
    assert_int_equal(stoa_set_parent(w, a, p), STOA_OK);
    assert_int_equal(stoa_set_parent(w, b, p), STOA_OK);
    assert_entity(stoa_get(w, a, Parent)->entity, p);
    assert_children(w, p, a, b);
    assert_childless(w, a);
}

/* TRF-02 */
static void re_parenting_moves_a_child(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity p = stoa_create(w), q = stoa_create(w), a = stoa_create(w), b = stoa_create(w);
    stoa_set_parent(w, a, p);
    stoa_set_parent(w, b, p);
    assert_int_equal(stoa_set_parent(w, a, q), STOA_OK);
    assert_children(w, p, b);
    assert_children(w, q, a);
    assert_int_equal(stoa_set_parent(w, a, q), STOA_OK);
    assert_children(w, q, a);
}

/* TRF-02 */
static void remove_parent_of_an_orphan_changes_nothing(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity p = stoa_create(w), a = stoa_create(w);
    stoa_set_parent(w, a, p);
    assert_int_equal(stoa_remove_parent(w, a), STOA_OK);
    assert_childless(w, p);
    assert_false(stoa_has(w, a, Parent));
    uint64_t hash = stoa_hash(w);
    assert_int_equal(stoa_remove_parent(w, a), STOA_OK);
    assert_int_equal(stoa_remove_parent(w, p), STOA_OK);
    assert_true(stoa_hash(w) == hash);
}

/* TRF-05 */
static void parent_by_any_call_keeps_children_right(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity p = stoa_create(w), q = stoa_create(w);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Mass, {1}), STOA_VALUE(Parent, {p}));
    stoa_entity b = stoa_create(w);
    assert_int_equal(stoa_set(w, b, Parent, {p}), STOA_OK);
    stoa_entity c[2];
    assert_int_equal(
        stoa_create_bulk(w, 2, c, STOA_COLUMN(Parent, ((Parent[]){{p}, {q}})), STOA_ZERO(Mass)),
        STOA_OK);
    assert_children(w, p, a, b, c[0]);
    assert_children(w, q, c[1]);
    stoa_entity d = stoa_clone(w, a);
    assert_children(w, p, a, b, c[0], d);
    assert_int_equal(stoa_change(w, a, STOA_REMOVE(Mass), STOA_VALUE(Parent, {q})), STOA_OK);
    assert_children(w, q, c[1], a);
    assert_children(w, p, d, b, c[0]);
    assert_int_equal(stoa_change(w, d, STOA_REMOVE(Parent), STOA_ZERO(Mass)), STOA_OK);
    assert_children(w, p, c[0], b);
    assert_int_equal(stoa_set_named(w, d, "Parent", &q, sizeof q), STOA_OK);
    assert_int_equal(stoa_clear(w, b), STOA_OK);
    assert_int_equal(stoa_destroy(w, c[0]), STOA_OK);
    assert_childless(w, p);
    assert_children(w, q, c[1], a, d);
}

/* TRF-05 */
static void commands_keep_children_right(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_commands *commands = stoa_deferred(w);
    stoa_entity p = stoa_create(w), a = stoa_create(w);
    stoa_entity b = stoa_commands_create_with(commands, STOA_VALUE(Parent, {p}));
    stoa_commands_set(commands, a, Parent, {b});
    stoa_entity c = stoa_commands_create(commands);
    stoa_commands_set(commands, c, Parent, {a});
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_children(w, p, b);
    assert_children(w, b, a);
    assert_children(w, a, c);
    stoa_commands_remove(commands, c, Parent);
    stoa_commands_destroy(commands, b);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_childless(w, a);
    assert_childless(w, p);
    assert_false(stoa_has(w, a, Parent));
}

/* TRF-05 */
static void commands_that_make_a_circle_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity p = stoa_create(w), a = stoa_create(w);
    stoa_commands_set(stoa_deferred(w), a, Parent, {p});
    stoa_commands_set(stoa_deferred(w), p, Parent, {a});
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_commands_refused(stoa_deferred(w)), 1);
    assert_children(w, p, a);
    assert_false(stoa_has(w, p, Parent));
}

/* TRF-05 */
static void children_cannot_be_written(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity p = stoa_create(w), a = stoa_create(w), other = stoa_create(w);
    stoa_set_parent(w, a, p);
    assert_int_not_equal(stoa_set(w, p, Children, {&a, 1}), STOA_OK);
    assert_int_not_equal(stoa_set(w, other, Children, {&a, 1}), STOA_OK);
    assert_int_not_equal(stoa_add(w, other, Children), STOA_OK);
    assert_null(stoa_get_mut(w, p, Children));
    assert_null(stoa_get_mut(w, a, Parent));
    assert_children(w, p, a);
    assert_childless(w, other);
    assert_int_equal(stoa_remove(w, p, Children), STOA_OK);
    assert_childless(w, p);
    assert_entity(stoa_parent(w, a), STOA_NULL);
    s->asserts_seen = s->asserts;
}

/* TRF-05, ENT-11 */
static void clone_of_a_parent_has_no_children(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity top = stoa_create(w), p = stoa_create(w), a = stoa_create(w);
    stoa_set_parent(w, p, top);
    stoa_set_parent(w, a, p);
    stoa_entity twin = stoa_clone(w, p);
    assert_childless(w, twin);
    assert_children(w, top, p, twin);
    assert_children(w, p, a);
}

/* TRF-03 */
static void children_of_the_dead_become_orphans(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity top = stoa_create(w), p = stoa_create(w), a = stoa_create(w), b = stoa_create(w);
    stoa_set_parent(w, p, top);
    stoa_set_parent(w, a, p);
    stoa_set_parent(w, b, a);
    assert_int_equal(stoa_destroy(w, p), STOA_OK);
    assert_childless(w, top);
    assert_true(stoa_alive(w, a));
    assert_false(stoa_has(w, a, Parent));
    assert_children(w, a, b);
}

/* TRF-03 */
static void cascade_takes_all_that_is_below(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity top = stoa_create(w), p = stoa_create(w), a = stoa_create(w), b = stoa_create(w);
    assert_int_equal(stoa_hierarchy_policy(w, STOA_CASCADE), STOA_OK);
    stoa_set_parent(w, p, top);
    stoa_set_parent(w, a, p);
    stoa_set_parent(w, b, a);
    assert_int_equal(stoa_destroy(w, p), STOA_OK);
    assert_int_equal(stoa_count(w), 1);
    assert_childless(w, top);
    stoa_entity c = stoa_create(w);
    stoa_set_parent(w, c, top);
    assert_int_equal(stoa_hierarchy_policy(w, STOA_ORPHAN), STOA_OK);
    assert_int_equal(stoa_destroy(w, top), STOA_OK);
    assert_true(stoa_alive(w, c));
}

/* TRF-03 */
static void refuse_keeps_a_parent_alive(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity p = stoa_create(w), a = stoa_create(w);
    assert_int_equal(stoa_hierarchy_policy(w, STOA_REFUSE), STOA_OK);
    stoa_set_parent(w, a, p);
    assert_int_equal(stoa_destroy(w, p), STOA_REFUSED);
    assert_children(w, p, a);
    assert_int_equal(stoa_destroy_recursive(w, p), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
}

typedef struct witness {
    int32_t count;
    stoa_entity gone[8];
} witness;

static void leaving_note(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)value;
    witness *seen = user;
    if (!stoa_world_ending(w)) {
        assert_int_equal(stoa_children(w, e).count, 0);
        seen->gone[seen->count++] = e;
    }
}

/* TRF-02 */
static void destroy_recursive_takes_leaves_first(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    witness seen = {0};
    stoa_on_remove(w, Mass, leaving_note, &seen);
    stoa_entity e[7];
    for (int i = 0; i < 7; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Mass, {(float)i}));
        if (i > 0) {
            stoa_set_parent(w, e[i], e[(i - 1) / 2]);
        }
    }
    assert_int_equal(stoa_destroy_recursive(w, e[1]), STOA_OK);
    assert_int_equal(seen.count, 3);
    assert_entity(seen.gone[2], e[1]);
    assert_int_equal(stoa_count(w), 4);
    assert_children(w, e[0], e[2]);
    assert_int_equal(stoa_destroy_recursive(w, e[5]), STOA_OK);
    assert_children(w, e[2], e[6]);
    assert_int_equal(stoa_destroy_recursive(w, e[0]), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
    assert_int_equal(seen.count, 7);
}

/* TRF-02 */
static void destroy_recursive_needs_no_hierarchy(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Mass, {1}));
    assert_int_equal(stoa_destroy_recursive(w, e), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
}

#define world_test(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        world_test(both_sides_know_each_other),
        world_test(re_parenting_moves_a_child),
        world_test(remove_parent_of_an_orphan_changes_nothing),
        world_test(parent_by_any_call_keeps_children_right),
        world_test(commands_keep_children_right),
        world_test(commands_that_make_a_circle_are_refused),
        world_test(children_cannot_be_written),
        world_test(clone_of_a_parent_has_no_children),
        world_test(children_of_the_dead_become_orphans),
        world_test(cascade_takes_all_that_is_below),
        world_test(refuse_keeps_a_parent_alive),
        world_test(destroy_recursive_takes_leaves_first),
        world_test(destroy_recursive_needs_no_hierarchy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Immutable components are replaced as a whole and seen by hooks each time; managed ones are kept
 * by extensions, even while hooks of their entity run, and are not cloned. */
#include "support/support.h"

STOA_COMPONENT(Plain, { int32_t value; });
STOA_COMPONENT_WITH(Fixed, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { int32_t value; });
STOA_COMPONENT_WITH(Thin, STOA_OPTIONS(.flags = STOA_IMMUTABLE | STOA_SPARSE), { int32_t value; });
STOA_COMPONENT_WITH(Kept, STOA_OPTIONS(.flags = STOA_IMMUTABLE | STOA_SPARSE | STOA_MANAGED),
                    { int32_t value; });

static support_world *s;
static stoa_world *w;

static int fixture_open(void **state) {
    int result = support_setup(state);
    s = *state;
    w = s->world;
    return result;
}

/* ACC-01, GEN-03 */
static void immutable_components_are_not_written_in_place(void **state) {
    (void)state;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Fixed, {1}), STOA_VALUE(Thin, {2}));
    stoa_type *types[] = {STOA_TYPE_OF(Fixed), STOA_TYPE_OF(Thin)};
    for (int i = 0; i < 2; i++) {
        stoa_component id = stoa_type_find(w, types[i]);
        uint32_t tick = stoa_tick(w);
        stoa_tick_advance(w);
        assert_null(stoa_get_mut_type(w, e, types[i]));
        support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
        support_assert_message(stoa_component_name(w, id));
        assert_null(stoa_try_mut_type(w, e, types[i]));
        support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
        assert_null(stoa_get_mut_id(w, e, id));
        support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
        assert_null(stoa_try_get_mut_id(w, e, id));
        support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
        assert_null(stoa_get_mut_named(w, e, stoa_component_name(w, id)));
        support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
        assert_false(stoa_changed_id(w, e, id, tick));
    }
    assert_null(stoa_get_mut(w, e, Fixed));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    bool entered = false;
    stoa_with_mut(w, e, Fixed, f) {
        entered = f != NULL;
    }
    assert_false(entered);
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    assert_int_equal(stoa_get(w, e, Fixed)->value, 1);
    assert_int_equal(stoa_try_get(w, e, Fixed)->value, 1);
    assert_int_equal(stoa_get(w, e, Thin)->value, 2);
    assert_true(stoa_has(w, e, Fixed));
}

/* QRY-01 */
static void write_terms_of_immutable_components_are_refused(void **state) {
    (void)state;
    stoa_create_with(w, STOA_VALUE(Fixed, {1}), STOA_VALUE(Thin, {2}), STOA_VALUE(Plain, {3}));
    const stoa_access writes[] = {STOA_ACCESS_WRITE, STOA_ACCESS_OPTIONAL_WRITE,
                                  STOA_ACCESS_ANY_WRITE};
    for (int i = 0; i < 3; i++) {
        stoa_query_desc desc = {.terms = {STOA_READ(Plain), STOA_TERM(Fixed, writes[i], 1)}};
        assert_null(stoa_query_new(w, &desc));
        support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
        support_assert_message("Fixed");
        desc.terms[1] = STOA_TERM(Thin, writes[i], 1);
        assert_null(stoa_query_new(w, &desc));
        support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    }
    assert_null(stoa_query_parse(w, "Fixed"));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    stoa_query *q = stoa_query_parse(w, "const Fixed, const Thin, Plain");
    assert_int_equal(stoa_query_count(q), 1);
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        assert_int_equal(stoa_field(&it, Fixed, 0)->value, 1);
        assert_int_equal(stoa_field_at(&it, Thin, 1, 0)->value, 2);
    }
}

/* QRY-06 */
static void replacing_an_immutable_component_is_a_change_of_structure(void **state) {
    (void)state;
    stoa_entity e =
        stoa_create_with(w, STOA_VALUE(Fixed, {1}), STOA_VALUE(Thin, {2}), STOA_VALUE(Plain, {3}));
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Plain)}});
    stoa_iter it = stoa_query_iter(q);
    assert_true(stoa_iter_next(&it));
    support_assert_misuse(s, stoa_set(w, e, Fixed, {5}), STOA_ITERATING);
    support_assert_misuse(s, stoa_set(w, e, Thin, {5}), STOA_ITERATING);
    support_assert_misuse(s, stoa_change(w, e, STOA_VALUE(Plain, {4}), STOA_VALUE(Fixed, {5})),
                          STOA_ITERATING);
    assert_int_equal(stoa_set(w, e, Plain, {4}), STOA_OK);
    stoa_iter_end(&it);
    assert_int_equal(stoa_get(w, e, Fixed)->value, 1);
    assert_int_equal(stoa_set(w, e, Fixed, {5}), STOA_OK);
    assert_int_equal(stoa_set(w, e, Thin, {6}), STOA_OK);
    assert_int_equal(stoa_get(w, e, Fixed)->value, 5);
    assert_int_equal(stoa_get(w, e, Thin)->value, 6);
    stoa_commands_set(stoa_deferred(w), e, Fixed, {7});
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_get(w, e, Fixed)->value, 7);
}

static void count_set(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    *(int *)user += ((const Fixed *)value)->value == 0;
}

/* HOK-01 */
static void zeros_that_replace_an_immutable_component_are_told_of(void **state) {
    (void)state;
    int told = 0;
    stoa_on_set(w, Fixed, count_set, &told);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Fixed, {1}), STOA_VALUE(Plain, {3}));
    assert_int_equal(stoa_change(w, e, STOA_ZERO(Fixed), STOA_REMOVE(Plain)), STOA_OK);
    assert_int_equal(told, 1);
    assert_int_equal(stoa_commands_change(stoa_deferred(w), e, STOA_ZERO(Fixed)), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(told, 2);
    /* Added zeroed, it is told to on_add alone; and what is there is not touched. */
    assert_int_equal(stoa_add(w, e, Fixed), STOA_OK);
    stoa_create_with(w, STOA_ZERO(Fixed));
    assert_int_equal(told, 2);
}

/* CMP-03, GEN-03 */
static void managed_needs_sparse_and_immutable(void **state) {
    (void)state;
    const uint32_t wrong[] = {STOA_MANAGED, STOA_MANAGED | STOA_SPARSE,
                              STOA_MANAGED | STOA_IMMUTABLE};
    for (int i = 0; i < 3; i++) {
        stoa_component_desc desc = {.name = "Wrong", .size = 4, .flags = wrong[i]};
        assert_int_equal(stoa_component_register(w, &desc), 0);
        support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
        support_assert_message("Wrong");
    }
    assert_int_equal(stoa_component_find(w, "Wrong"), 0);
}

/* ENT-11 */
static void managed_components_are_not_cloned(void **state) {
    (void)state;
    stoa_entity e =
        stoa_create_with(w, STOA_VALUE(Fixed, {1}), STOA_VALUE(Thin, {2}), STOA_VALUE(Kept, {3}));
    stoa_entity clone = stoa_clone(w, e);
    assert_int_equal(stoa_get(w, clone, Fixed)->value, 1);
    assert_int_equal(stoa_get(w, clone, Thin)->value, 2);
    assert_false(stoa_has(w, clone, Kept));
    assert_int_equal(stoa_get(w, e, Kept)->value, 3);
}

static stoa_status got[4];

static void kept_change(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value, (void)user;
    got[0] = stoa_set(world, e, Kept, {1});
    got[1] = stoa_set(world, e, Kept, {2});
    got[2] = stoa_set(world, e, Thin, {2});
    got[3] = stoa_change(world, e, STOA_VALUE(Kept, {3}), STOA_VALUE(Thin, {2}));
}

/* HOK-04 */
static void managed_components_change_while_hooks_of_the_entity_run(void **state) {
    (void)state;
    stoa_hook_type(w, STOA_ON_ADD, STOA_TYPE_OF(Plain), kept_change, NULL);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Plain, {1}));
    assert_int_equal(got[0], STOA_OK);
    assert_int_equal(got[1], STOA_OK);
    assert_int_equal(got[2], STOA_LOCKED);
    assert_int_equal(got[3], STOA_LOCKED);
    assert_int_equal(stoa_get(w, e, Kept)->value, 2);
    assert_false(stoa_has(w, e, Thin));
}

/* HOK-04 */
static void managed_components_of_a_dying_entity_are_locked(void **state) {
    (void)state;
    stoa_hook_type(w, STOA_ON_REMOVE, STOA_TYPE_OF(Plain), kept_change, NULL);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Plain, {1}));
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(got[i], STOA_LOCKED);
    }
    e = stoa_create_with(w, STOA_VALUE(Plain, {1}));
    assert_int_equal(stoa_clear(w, e), STOA_OK);
    assert_int_equal(got[0], STOA_LOCKED);
    assert_false(stoa_has(w, e, Kept));
    e = stoa_create_with(w, STOA_VALUE(Plain, {1}));
    assert_int_equal(stoa_remove(w, e, Plain), STOA_OK);
    assert_int_equal(got[0], STOA_OK);
    assert_int_equal(stoa_get(w, e, Kept)->value, 2);
}

static void kept_again(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value, (void)user;
    got[0] = stoa_remove(world, e, Kept);
    got[1] = stoa_set(world, e, Kept, {4});
}

/* HOK-04 */
static void managed_component_that_is_going_is_locked(void **state) {
    (void)state;
    stoa_hook_type(w, STOA_ON_REMOVE, STOA_TYPE_OF(Kept), kept_again, NULL);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Kept, {1}), STOA_VALUE(Plain, {1}));
    assert_int_equal(stoa_remove(w, e, Kept), STOA_OK);
    assert_int_equal(got[0], STOA_LOCKED);
    assert_int_equal(got[1], STOA_LOCKED);
    assert_false(stoa_has(w, e, Kept));
}

static void inner_destroy(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e, (void)value;
    stoa_entity *other = user;
    stoa_entity dying = *other;
    *other = STOA_NULL;
    if (dying.index != 0) {
        stoa_destroy(world, dying);
        got[0] = stoa_set(world, e, Kept, {9});
    }
}

/* HOK-04 */
static void death_inside_a_hook_locks_only_the_one_that_dies(void **state) {
    (void)state;
    stoa_entity other = stoa_create_with(w, STOA_VALUE(Fixed, {1}));
    stoa_hook_type(w, STOA_ON_ADD, STOA_TYPE_OF(Plain), inner_destroy, &other);
    stoa_entity none = STOA_NULL;
    stoa_hook_type(w, STOA_ON_REMOVE, STOA_TYPE_OF(Fixed), inner_destroy, &none);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Plain, {1}));
    assert_int_equal(got[0], STOA_OK);
    assert_int_equal(stoa_get(w, e, Kept)->value, 9);
    assert_int_equal(stoa_count(w), 1);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(immutable_components_are_not_written_in_place),
        TEST(write_terms_of_immutable_components_are_refused),
        TEST(replacing_an_immutable_component_is_a_change_of_structure),
        TEST(zeros_that_replace_an_immutable_component_are_told_of),
        TEST(managed_needs_sparse_and_immutable),
        TEST(managed_components_are_not_cloned),
        TEST(managed_components_change_while_hooks_of_the_entity_run),
        TEST(managed_components_of_a_dying_entity_are_locked),
        TEST(managed_component_that_is_going_is_locked),
        TEST(death_inside_a_hook_locks_only_the_one_that_dies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

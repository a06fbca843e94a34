/* Prefabs: what they hold, what they build on, names, copies, their end. */
#include "prefab_fixture.h"

/* PRE-01 */
static void prefab_is_no_entity_and_in_no_query(void **state) {
    stoa_world *w = world_of(state);
    stoa_prefab *p = prefab_of(state);
    stoa_prefab_set(p, Position, {1, 2, 3});
    stoa_prefab_add(p, Frozen);
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
    assert_int_equal(stoa_count(w), 0);
    assert_int_equal(stoa_query_count(query), 0);
}

/* PRE-01 PRE-03 */
static void value_that_was_set_is_what_is_read(void **state) {
    stoa_prefab *p = prefab_of(state);
    assert_false(stoa_prefab_has(p, Position));
    assert_null(stoa_prefab_get(p, Position));
    assert_int_equal(stoa_prefab_count(p), 0);
    assert_int_equal(stoa_prefab_set(p, Position, {1, 2, 3}), STOA_OK);
    assert_int_equal(stoa_prefab_set(p, Position, {4, 5, 6}), STOA_OK);
    assert_true(stoa_prefab_has(p, Position));
    assert_float_equal(stoa_prefab_get(p, Position)->y, 5, 0);
    assert_int_equal(stoa_prefab_count(p), 1);
    Health health = {7};
    stoa_component id = stoa_id(world_of(state), Health);
    assert_int_equal(stoa_prefab_set_id(p, id, &health, sizeof health), STOA_OK);
    assert_int_equal(((const Health *)stoa_prefab_get_id(p, id))->points, 7);
    assert_true(stoa_prefab_has_id(p, id));
    assert_int_equal(stoa_prefab_count(p), 2);
    assert_int_equal(stoa_prefab_component(p, 1), id);
    support_assert_quiet(*state);
}

/* PRE-01 */
static void added_component_is_zeroed_and_changes_nothing_that_is_there(void **state) {
    stoa_prefab *p = prefab_of(state);
    assert_int_equal(stoa_prefab_add(p, Health), STOA_OK);
    assert_int_equal(stoa_prefab_get(p, Health)->points, 0);
    stoa_prefab_set(p, Health, {9});
    assert_int_equal(stoa_prefab_add(p, Health), STOA_OK);
    assert_int_equal(stoa_prefab_add_id(p, stoa_id(world_of(state), Health)), STOA_OK);
    assert_int_equal(stoa_prefab_get(p, Health)->points, 9);
    assert_int_equal(stoa_prefab_add(p, Frozen), STOA_OK);
    assert_true(stoa_prefab_has(p, Frozen));
    assert_null(stoa_prefab_get(p, Frozen));
    assert_int_equal(stoa_prefab_count(p), 2);
}

/* PRE-01 */
static void removed_component_is_gone(void **state) {
    stoa_prefab *p = prefab_of(state);
    stoa_prefab_set(p, Health, {9});
    owned_set(p, 1);
    assert_int_equal(stoa_prefab_remove(p, Owned), STOA_OK);
    assert_int_equal(owners_alive, 0);
    assert_int_equal(stoa_prefab_remove_id(p, stoa_id(world_of(state), Health)), STOA_OK);
    assert_false(stoa_prefab_has(p, Health));
    assert_int_equal(stoa_prefab_count(p), 0);
    assert_int_equal(stoa_prefab_remove(p, Velocity), STOA_OK);
    stoa_prefab_set(p, Health, {3});
    assert_int_equal(stoa_prefab_get(p, Health)->points, 3);
}

/* PRE-01 GEN-03 */
static void several_values_are_set_or_none(void **state) {
    stoa_prefab *p = prefab_of(state);
    stoa_prefab_set(p, Frozen, {0});
    assert_int_equal(
        stoa_prefab_set_values(
            p, STOA_VALUES(STOA_VALUE(Health, {1}), STOA_ZERO(Velocity), STOA_REMOVE(Frozen))),
        STOA_OK);
    assert_int_equal(stoa_prefab_count(p), 2);
    assert_false(stoa_prefab_has(p, Frozen));
    Owned owned;
    owner_make(&owned, 5);
    support_assert_misuse(
        *state,
        stoa_prefab_set_values(p, STOA_VALUES(STOA_VALUE_FROM(Owned, &owned),
                                              STOA_VALUE(Position, {1, 1, 1}),
                                              STOA_VALUE(Health, {2}), STOA_VALUE(Health, {3}))),
        STOA_DUPLICATE);
    assert_int_equal(stoa_prefab_count(p), 2);
    assert_int_equal(stoa_prefab_get(p, Health)->points, 1);
    assert_false(stoa_prefab_has(p, Owned));
    owner_drop(&owned, 1, NULL);
    /* What the failing call began is not seen in the order. */
    stoa_prefab_set(p, Position, {0, 0, 0});
    owned_set(p, 6);
    assert_int_equal(stoa_prefab_component(p, 2), stoa_id(world_of(state), Position));
    assert_int_equal(stoa_prefab_component(p, 3), stoa_id(world_of(state), Owned));
}

/* PRE-03 CMP-11 */
static void value_with_hooks_is_moved_in_and_dropped_once(void **state) {
    stoa_prefab *p = prefab_of(state);
    Owned value;
    owner_make(&value, 1);
    assert_int_equal(stoa_prefab_set_from(p, Owned, &value), STOA_OK);
    assert_int_equal(value.number, -1);
    assert_int_equal(owners_alive, 1);
    owned_set(p, 2);
    assert_int_equal(owners_alive, 1);
    assert_int_equal(stoa_prefab_get(p, Owned)->number, 2);
    /* Its own value stays where it is. */
    assert_int_equal(stoa_prefab_set_from(p, Owned, stoa_prefab_get(p, Owned)), STOA_OK);
    assert_int_equal(owners_alive, 1);
    assert_int_equal(stoa_prefab_get(p, Owned)->number, 2);
    assert_int_equal(stoa_prefab_free(p), STOA_OK);
    assert_int_equal(owners_alive, 0);
}

/* PRE-03 */
static void component_that_cannot_be_copied_is_refused(void **state) {
    stoa_prefab *p = prefab_of(state);
    Unique value;
    owner_make(&value, 1);
    assert_int_equal(stoa_prefab_set_from(p, Unique, &value), STOA_NOT_COPYABLE);
    support_assert_message("Unique");
    assert_int_equal(value.number, 1);
    assert_false(stoa_prefab_has(p, Unique));
    assert_int_equal(stoa_prefab_add(p, Unique), STOA_NOT_COPYABLE);
    owner_drop(&value, 1, NULL);
}

/* PRE-01 */
static void component_kept_by_an_extension_is_refused(void **state) {
    stoa_prefab *p = prefab_of(state);
    assert_int_equal(stoa_prefab_set(p, Kept, {1}), STOA_REFUSED);
    support_assert_message("Kept");
    assert_int_equal(stoa_prefab_count(p), 0);
}

/* PRE-04 */
static void variant_has_what_its_base_has(void **state) {
    stoa_prefab *base = prefab_of(state), *p = variant_of(state, base);
    assert_ptr_equal(stoa_prefab_base(p), base);
    assert_null(stoa_prefab_base(base));
    stoa_prefab_set(base, Health, {10});
    stoa_prefab_set(base, Position, {1, 2, 3});
    assert_int_equal(stoa_prefab_count(p), 2);
    assert_int_equal(stoa_prefab_get(p, Health)->points, 10);
    stoa_prefab_set(p, Health, {20});
    stoa_prefab_set(p, Velocity, {1, 0, 0});
    assert_int_equal(stoa_prefab_get(p, Health)->points, 20);
    assert_int_equal(stoa_prefab_get(base, Health)->points, 10);
    assert_int_equal(stoa_prefab_count(p), 3);
    assert_int_equal(stoa_prefab_count(base), 2);
    /* An override stays where the base has it in the order. */
    assert_int_equal(stoa_prefab_component(p, 0), stoa_id(world_of(state), Health));
}

/* PRE-04 */
static void change_of_a_base_is_seen_unless_overridden(void **state) {
    stoa_prefab *base = prefab_of(state), *middle = variant_of(state, base),
                *p = variant_of(state, middle);
    stoa_prefab_set(base, Health, {10});
    stoa_prefab_set(middle, Velocity, {1, 1, 1});
    assert_int_equal(stoa_prefab_count(p), 2);
    stoa_prefab_set(base, Health, {11});
    stoa_prefab_set(base, Velocity, {5, 5, 5});
    assert_int_equal(stoa_prefab_get(p, Health)->points, 11);
    assert_float_equal(stoa_prefab_get(p, Velocity)->x, 1, 0);
    stoa_entity e = stoa_prefab_instantiate(p);
    assert_int_equal(stoa_get(world_of(state), e, Health)->points, 11);
    stoa_prefab_set(base, Health, {12});
    stoa_prefab_set(base, Position, {7, 7, 7});
    assert_int_equal(stoa_prefab_count(p), 3);
    e = stoa_prefab_instantiate(p);
    assert_int_equal(stoa_get(world_of(state), e, Health)->points, 12);
    assert_float_equal(stoa_get(world_of(state), e, Velocity)->x, 1, 0);
    assert_float_equal(stoa_get(world_of(state), e, Position)->x, 7, 0);
    stoa_prefab_revert(middle, Velocity);
    assert_float_equal(stoa_prefab_get(p, Velocity)->x, 5, 0);
    assert_float_equal(stoa_get(world_of(state), stoa_prefab_instantiate(p), Velocity)->x, 5, 0);
}

/* PRE-04 */
static void removed_component_of_a_base_stays_hidden(void **state) {
    stoa_prefab *base = prefab_of(state), *p = variant_of(state, base);
    stoa_prefab_set(base, Health, {10});
    stoa_prefab_add(base, Frozen);
    assert_int_equal(stoa_prefab_remove(p, Health), STOA_OK);
    assert_int_equal(stoa_prefab_remove(p, Velocity), STOA_OK);
    assert_false(stoa_prefab_has(p, Health));
    assert_true(stoa_prefab_has(base, Health));
    assert_int_equal(stoa_prefab_count(p), 1);
    stoa_prefab_set(base, Health, {11});
    stoa_prefab_set(base, Velocity, {1, 2, 3});
    assert_int_equal(stoa_prefab_count(p), 1);
    stoa_entity e = stoa_prefab_instantiate(p);
    assert_false(stoa_has(world_of(state), e, Health));
    assert_true(stoa_has(world_of(state), e, Frozen));
    stoa_prefab *top = variant_of(state, p);
    stoa_prefab_set(top, Health, {1});
    assert_int_equal(stoa_prefab_count(top), 2);
    assert_int_equal(stoa_prefab_revert(p, Health), STOA_OK);
    assert_int_equal(stoa_prefab_get(p, Health)->points, 11);
    assert_int_equal(stoa_prefab_get(top, Health)->points, 1);
}

/* PRE-03 PRE-04 */
static void copy_is_a_prefab_of_its_own_on_the_same_base(void **state) {
    stoa_prefab *base = prefab_of(state), *p = variant_of(state, base);
    stoa_prefab_set(base, Health, {10});
    owned_set(p, 4);
    stoa_prefab_add(p, Velocity);
    stoa_prefab *copy = stoa_prefab_copy(p, "copy");
    assert_ptr_equal(stoa_prefab_base(copy), base);
    assert_string_equal(stoa_prefab_name(copy), "copy");
    assert_int_equal(owners_alive, 2);
    assert_int_equal(stoa_prefab_count(copy), 3);
    owned_set(copy, 5);
    stoa_prefab_set(base, Health, {11});
    assert_int_equal(stoa_prefab_get(p, Owned)->number, 4);
    assert_int_equal(stoa_prefab_get(copy, Health)->points, 11);
    assert_int_equal(stoa_prefab_free(p), STOA_OK);
    assert_int_equal(stoa_prefab_get(copy, Owned)->number, 5);
    stoa_entity e = stoa_prefab_instantiate(copy);
    assert_int_equal(stoa_get(world_of(state), e, Owned)->number, 5);
}

/* PRE-03 GEN-03 */
static void copy_whose_hook_fails_makes_nothing(void **state) {
    stoa_prefab *p = prefab_of(state);
    stoa_prefab_set(p, Health, {1});
    owned_set(p, 4);
    owners_copies = 0;
    assert_null(stoa_prefab_copy(p, "copy"));
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    support_assert_message("Owned");
    assert_null(stoa_prefab_find(world_of(state), "copy"));
    assert_int_equal(owners_alive, 1);
}

/* PRE-01 PRE-03 */
static void prefab_of_an_entity_has_copies_of_what_it_has(void **state) {
    stoa_world *w = world_of(state);
    Owned owned;
    Hoard hoard;
    owner_make(&owned, 3);
    owner_make(&hoard, 4);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Health, {5}), STOA_ZERO(Frozen),
                                     STOA_VALUE_FROM(Owned, &owned), STOA_VALUE(Heat, {6}),
                                     STOA_VALUE_FROM(Hoard, &hoard), STOA_VALUE(Kept, {1}));
    stoa_prefab *p = stoa_prefab_from(w, e, "hero");
    assert_non_null(p);
    assert_int_equal(stoa_prefab_count(p), 5);
    assert_false(stoa_prefab_has(p, Kept));
    stoa_destroy(w, e);
    stoa_entity twin = stoa_prefab_instantiate(p);
    assert_int_equal(stoa_get(w, twin, Health)->points, 5);
    assert_int_equal(stoa_get(w, twin, Owned)->number, 3);
    assert_int_equal(stoa_get(w, twin, Heat)->degrees, 6);
    assert_int_equal(stoa_get(w, twin, Hoard)->number, 4);
    assert_true(stoa_has(w, twin, Frozen));
    assert_int_equal(stoa_prefab_count(stoa_prefab_from(w, stoa_create(w), NULL)), 0);
}

/* PRE-03 */
static void prefab_of_an_entity_that_cannot_be_copied_is_refused(void **state) {
    stoa_world *w = world_of(state);
    Owned owned;
    Unique unique;
    owner_make(&owned, 3);
    owner_make(&unique, 4);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Health, {5}), STOA_VALUE_FROM(Owned, &owned),
                                     STOA_VALUE_FROM(Unique, &unique));
    assert_null(stoa_prefab_from(w, e, "hero"));
    assert_int_equal(stoa_last_error().status, STOA_NOT_COPYABLE);
    support_assert_message("Unique");
    assert_null(stoa_prefab_find(w, "hero"));
    assert_int_equal(owners_alive, 2);
    stoa_destroy(w, e);
    assert_null(stoa_prefab_from(w, e, NULL));
    support_assert_misuse(*state, stoa_last_error().status, STOA_DEAD);
}

/* PRE-01 */
static void prefab_is_found_by_its_name(void **state) {
    stoa_world *w = world_of(state);
    assert_null(stoa_prefab_find(w, "orc"));
    stoa_prefab *orc = stoa_prefab_new(w, &(stoa_prefab_desc){.name = "orc"});
    stoa_prefab *elf = stoa_prefab_new(w, &(stoa_prefab_desc){.name = "elf"});
    stoa_prefab *none = prefab_of(state);
    assert_ptr_equal(stoa_prefab_find(w, "orc"), orc);
    assert_ptr_equal(stoa_prefab_find(w, "elf"), elf);
    assert_string_equal(stoa_prefab_name(elf), "elf");
    assert_null(stoa_prefab_name(none));
    assert_null(stoa_prefab_new(w, &(stoa_prefab_desc){.name = "orc"}));
    assert_int_equal(stoa_last_error().status, STOA_TAKEN);
    support_assert_message("orc");
    assert_null(stoa_prefab_new(w, &(stoa_prefab_desc){.name = ""}));
    support_assert_misuse(*state, stoa_last_error().status, STOA_INVALID);
    assert_int_equal(stoa_prefab_free(orc), STOA_OK);
    assert_null(stoa_prefab_find(w, "orc"));
    assert_ptr_equal(stoa_prefab_find(w, "elf"), elf);
    orc = stoa_prefab_new(w, &(stoa_prefab_desc){.name = "orc"});
    assert_ptr_equal(stoa_prefab_find(w, "orc"), orc);
}

/* PRE-01 */
static void prefabs_are_walked_in_the_order_they_were_made(void **state) {
    stoa_world *w = world_of(state);
    assert_null(stoa_prefab_next(w, NULL));
    stoa_prefab *a = prefab_of(state), *b = prefab_of(state), *c = prefab_of(state);
    stoa_prefab_free(b);
    b = prefab_of(state);
    assert_ptr_equal(stoa_prefab_next(w, NULL), a);
    assert_ptr_equal(stoa_prefab_next(w, a), c);
    assert_ptr_equal(stoa_prefab_next(w, c), b);
    assert_null(stoa_prefab_next(w, b));
}

/* PRE-03 PRE-04 */
static void prefab_that_others_build_on_cannot_be_freed(void **state) {
    stoa_prefab *base = prefab_of(state), *p = variant_of(state, base);
    stoa_prefab_set(base, Health, {1});
    assert_int_equal(stoa_prefab_free(base), STOA_REFUSED);
    assert_int_equal(stoa_prefab_get(p, Health)->points, 1);
    assert_int_equal(stoa_prefab_free(p), STOA_OK);
    assert_int_equal(stoa_prefab_free(base), STOA_OK);
    base = prefab_of(state);
    p = prefab_of(state);
    assert_int_equal(stoa_prefab_child(p, base), 1);
    assert_int_equal(stoa_prefab_free(base), STOA_REFUSED);
    assert_int_equal(stoa_prefab_free(p), STOA_OK);
    assert_int_equal(stoa_prefab_free(base), STOA_OK);
    assert_int_equal(stoa_prefab_free(NULL), STOA_OK);
}

/* PRE-03 */
static void world_frees_the_prefabs_that_are_left(void **state) {
    stoa_prefab *base = prefab_of(state), *p = variant_of(state, base);
    owned_set(base, 1);
    owned_set(p, 2);
    stoa_prefab_child(p, base);
    stoa_prefab_instantiate(p);
    assert_int_equal(owners_alive, 4);
}

/* PRE-03 */
static void instance_outlives_its_prefab(void **state) {
    stoa_prefab *p = prefab_of(state);
    owned_set(p, 1);
    stoa_entity e = stoa_prefab_instantiate(p);
    assert_int_equal(stoa_prefab_free(p), STOA_OK);
    assert_int_equal(stoa_get(world_of(state), e, Owned)->number, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PREFAB_TEST(prefab_is_no_entity_and_in_no_query),
        PREFAB_TEST(value_that_was_set_is_what_is_read),
        PREFAB_TEST(added_component_is_zeroed_and_changes_nothing_that_is_there),
        PREFAB_TEST(removed_component_is_gone),
        PREFAB_TEST(several_values_are_set_or_none),
        PREFAB_TEST(value_with_hooks_is_moved_in_and_dropped_once),
        PREFAB_TEST(component_that_cannot_be_copied_is_refused),
        PREFAB_TEST(component_kept_by_an_extension_is_refused),
        PREFAB_TEST(variant_has_what_its_base_has),
        PREFAB_TEST(change_of_a_base_is_seen_unless_overridden),
        PREFAB_TEST(removed_component_of_a_base_stays_hidden),
        PREFAB_TEST(copy_is_a_prefab_of_its_own_on_the_same_base),
        PREFAB_TEST(copy_whose_hook_fails_makes_nothing),
        PREFAB_TEST(prefab_of_an_entity_has_copies_of_what_it_has),
        PREFAB_TEST(prefab_of_an_entity_that_cannot_be_copied_is_refused),
        PREFAB_TEST(prefab_is_found_by_its_name),
        PREFAB_TEST(prefabs_are_walked_in_the_order_they_were_made),
        PREFAB_TEST(prefab_that_others_build_on_cannot_be_freed),
        PREFAB_TEST(world_frees_the_prefabs_that_are_left),
        PREFAB_TEST(instance_outlives_its_prefab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

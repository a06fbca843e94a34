/* What tools ask about relations: all of them in order, and what each was made with. */
#include "model/relation_fixture.h"

/* REL-01 */
static void relations_are_walked_in_the_order_they_were_made(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    const stoa_relation none = {0};
    assert_int_equal(stoa_relation_next(w, none).id, 0);
    stoa_relation inside = inside_new(w, STOA_CASCADE, true);
    stoa_relation likes = stoa_relation_new(
        w, &(stoa_relation_desc){.name = "fond of", .type = STOA_TYPE_OF(Likes), .many = true});
    stoa_relation first = stoa_relation_next(w, none);
    assert_int_equal(first.id, inside.id);
    assert_int_equal(stoa_relation_next(w, first).id, likes.id);
    assert_int_equal(stoa_relation_next(w, likes).id, 0);
    assert_int_equal(stoa_relation_next(w, (stoa_relation){UINT32_MAX}).id, 0);
    assert_int_equal(stoa_relation_next(NULL, none).id, 0);
}

/* REL-01 */
static void relation_tells_what_it_was_made_with(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation_info info;
    stoa_relation inside = inside_new(w, STOA_CASCADE, true);
    stoa_relation likes = stoa_relation_new(
        w, &(stoa_relation_desc){.name = "fond of", .type = STOA_TYPE_OF(Likes), .many = true});
    assert_int_equal(stoa_relation_info_get(w, inside, &info), STOA_OK);
    assert_string_equal(info.name, "Inside");
    assert_int_equal(info.component, stoa_id(w, Inside));
    assert_int_equal(info.reverse, stoa_id(w, Holds));
    assert_true(info.policy == STOA_CASCADE && info.acyclic && !info.many);
    assert_int_equal(stoa_relation_policy_set(w, inside, STOA_REFUSE), STOA_OK);
    assert_int_equal(stoa_relation_info_get(w, inside, &info), STOA_OK);
    assert_true(info.policy == STOA_REFUSE);
    assert_int_equal(stoa_relation_info_get(w, likes, &info), STOA_OK);
    assert_string_equal(info.name, "fond of");
    assert_true(info.component == stoa_id(w, Likes) && info.reverse != 0 && info.many);
}

/* REL-01 GEN-05 */
static void relation_that_is_not_there_is_refused(void **state) {
    support_world *s = *state;
    stoa_relation_info info;
    assert_int_equal(stoa_relation_info_get(s->world, (stoa_relation){1}, &info), STOA_NOT_FOUND);
    support_assert_message("no relation with the id 1");
    support_assert_misuse(s, stoa_relation_info_get(s->world, (stoa_relation){1}, NULL),
                          STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_relation_info_get(NULL, (stoa_relation){1}, &info), STOA_NULL_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(relations_are_walked_in_the_order_they_were_made),
        TEST(relation_tells_what_it_was_made_with),
        TEST(relation_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Queries that go on where others have come to. */
#include "support/support.h"

STOA_COMPONENT(Value, { int32_t n; });

static int rows(stoa_query *query) {
    int count = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        count += it.count;
    }
    return count;
}

/* HOT-01 */
static void follower_finds_what_changed_since(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Value, {1}));
    stoa_query *first = stoa_query_parse(s->world, "changed Value");
    assert_int_equal(rows(first), 1);
    stoa_query *second = stoa_query_parse(s->world, "changed Value");
    assert_int_equal(stoa_query_follow(second, first), STOA_OK);
    assert_int_equal(stoa_query_last_run(second), stoa_query_last_run(first));
    assert_int_equal(rows(second), 0);
    stoa_get_mut(s->world, e, Value)->n = 2;
    assert_int_equal(rows(second), 1);
    /* One that never ran has everything still to come. */
    stoa_query *third = stoa_query_parse(s->world, "changed Value");
    assert_int_equal(stoa_query_follow(second, third), STOA_OK);
    assert_int_equal(rows(second), 1);
}

/* HOT-01 */
static void strangers_and_open_ones_are_refused(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_VALUE(Value, {1}));
    stoa_query *query = stoa_query_parse(s->world, "const Value");
    stoa_world *world = stoa_world_new(NULL);
    assert_int_not_equal(stoa_id(world, Value), 0);
    stoa_query *other = stoa_query_parse(world, "const Value");
    assert_int_equal(stoa_query_follow(query, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, STOA_NULL_ARGUMENT, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_follow(query, other), STOA_INVALID);
    support_assert_misuse(s, STOA_INVALID, STOA_INVALID);
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    assert_int_equal(stoa_query_follow(query, query), STOA_ITERATING);
    support_assert_misuse(s, STOA_ITERATING, STOA_ITERATING);
    stoa_iter_end(&it);
    stoa_world_free(world);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(follower_finds_what_changed_since),
        TEST(strangers_and_open_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Relations whose component gets another layout. */
#include "retype_fixture.h"

#define FLAGS .flags = STOA_IMMUTABLE

STOA_COMPONENT_WITH(Tie0, STOA_OPTIONS(.name = "Tie", FLAGS), {
    int32_t strength;
    stoa_entity whom;
});
STOA_COMPONENT_WITH(Tie1, STOA_OPTIONS(.name = "Tie", FLAGS), {
    stoa_entity other;
    stoa_entity whom;
    int64_t strength;
});
static const stoa_alias friend_alias[] = {{"whom", "friend"}, {NULL, NULL}};
static const stoa_persist friend_persist = {.fields = friend_alias};
STOA_COMPONENT_WITH(TieFriend, STOA_OPTIONS(.name = "Tie", FLAGS, .persist = &friend_persist), {
    int32_t more[5];
    stoa_entity friend;
});
STOA_COMPONENT_WITH(TieGone, STOA_OPTIONS(.name = "Tie", FLAGS), { int32_t strength; });
STOA_COMPONENT_WITH(TieNumber, STOA_OPTIONS(.name = "Tie", FLAGS), { int64_t strength, whom; });
/* The target goes to `old`, and `whom` is somebody else. */
static const stoa_alias old_alias[] = {{"whom", "old"}, {"none", "whom"}, {NULL, NULL}};
static const stoa_persist old_persist = {.fields = old_alias};
STOA_COMPONENT_WITH(TieOld, STOA_OPTIONS(.name = "Tie", FLAGS, .persist = &old_persist), {
    stoa_entity old;
    stoa_entity whom;
});

enum { COUNT = 700 };

static stoa_entity hub[2], sources[COUNT];

static stoa_relation ties_make(stoa_world *world) {
    stoa_relation tie = stoa_relation_new(world, &(stoa_relation_desc){.type = STOA_TYPE_OF(Tie0)});
    assert_int_not_equal(tie.id, 0);
    hub[0] = stoa_create(world);
    hub[1] = stoa_create(world);
    for (int i = 0; i < COUNT; i++) {
        sources[i] = stoa_create_with(world, STOA_VALUE(Tie0, {i, hub[i % 2]}));
    }
    return tie;
}

static void ties_compare(stoa_world *world, stoa_relation tie, int gone) {
    for (int i = gone; i < COUNT; i++) {
        assert_true(stoa_entity_eq(stoa_relation_target(world, tie, sources[i]), hub[i % 2]));
    }
    assert_int_equal(stoa_relation_sources(world, tie, hub[0]).count, (COUNT - gone) / 2);
}

/* HOT-01, REL-01 */
static void targets_are_read_where_they_are_in_the_new_layout(void **state) {
    support_world *s = *state;
    stoa_relation tie = ties_make(s->world);
    assert_true(retype_to(s->world, STOA_TYPE_OF(Tie1)));
    ties_compare(s->world, tie, 0);
    assert_int_equal(stoa_get(s->world, sources[9], Tie1)->strength, 9);
    /* Changes are followed, by value and by the relation. */
    assert_int_equal(stoa_set(s->world, sources[0], Tie1, {.whom = hub[1]}), STOA_OK);
    assert_true(stoa_entity_eq(stoa_relation_target(s->world, tie, sources[0]), hub[1]));
    assert_int_equal(stoa_relation_add(s->world, tie, sources[2], hub[1]), STOA_OK);
    assert_true(stoa_entity_eq(stoa_get(s->world, sources[2], Tie1)->whom, hub[1]));
    assert_int_equal(stoa_destroy(s->world, hub[0]), STOA_OK);
    assert_true(stoa_entity_is_null(stoa_relation_target(s->world, tie, sources[4])));
    assert_int_equal(stoa_check(s->world), STOA_OK);
}

/* HOT-01, REL-01 */
static void renamed_target_is_followed(void **state) {
    support_world *s = *state;
    stoa_relation tie = ties_make(s->world);
    assert_true(retype_to(s->world, STOA_TYPE_OF(TieFriend)));
    ties_compare(s->world, tie, 0);
    assert_true(stoa_entity_eq(stoa_get(s->world, sources[3], TieFriend)->friend, hub[1]));
}

/* HOT-01, REL-01 */
static void layout_without_the_target_is_refused(void **state) {
    static stoa_type *const types[] = {STOA_TYPE_OF(TieGone), STOA_TYPE_OF(TieOld)};
    static const char *const why[] = {"'whom'", "another target"};
    support_world *s = *state;
    stoa_relation tie = ties_make(s->world);
    uint64_t hash = stoa_hash(s->world);
    for (int i = 0; i < 2; i++) {
        assert_false(retype_to(s->world, types[i]));
        assert_int_equal(stoa_last_error().status, STOA_REFUSED);
        support_assert_message("relation 'Tie'");
        support_assert_message(why[i]);
        assert_true(hash == stoa_hash(s->world));
        ties_compare(s->world, tie, 0);
    }
    assert_int_equal(stoa_relation_add(s->world, tie, sources[0], hub[0]), STOA_OK);
}

/* HOT-01, REL-01 */
static void relation_is_what_it_was_after_a_cancel(void **state) {
    support_world *s = *state;
    stoa_relation tie = ties_make(s->world);
    retype_counts counts = {0};
    stoa_retype *retype = retype_begin(s->world, STOA_TYPE_OF(Tie1), &counts);
    assert_non_null(retype);
    stoa_retype_cancel(retype);
    assert_int_equal(stoa_check(s->world), STOA_OK);
    ties_compare(s->world, tie, 0);
    assert_int_equal(stoa_relation_add(s->world, tie, sources[0], hub[1]), STOA_OK);
    assert_true(stoa_entity_eq(stoa_get(s->world, sources[0], Tie0)->whom, hub[1]));
}

/* HOT-01, REL-01 */
static void relation_survives_lack_of_memory(void **state) {
    support_world *s = *state;
    stoa_relation tie = ties_make(s->world);
    retype_short(s, STOA_TYPE_OF(Tie1));
    ties_compare(s->world, tie, 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(targets_are_read_where_they_are_in_the_new_layout),
        TEST(renamed_target_is_followed),
        TEST(layout_without_the_target_is_refused),
        TEST(relation_is_what_it_was_after_a_cancel),
        TEST(relation_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A world that was put together is shown before it is final, and can still go back. */
#include "support/support.h"

#include "stoa/rebuild.h"

STOA_COMPONENT(Position, { float x, y; });

static const uint32_t generations[3] = {STOA_SLOT_DEAD | 1, 1, 1};
static const stoa_slots slots = {.generations = generations, .count = 3};
static const stoa_entity first = {1, 1};
static const stoa_entity second = {2, 1};

/* Two entities, of which the first has a position. */
static stoa_rebuild *rebuild_begin(stoa_world *w) {
    stoa_component id = stoa_id(w, Position);
    stoa_rebuild *rebuild = stoa_rebuild_new(w, &slots);
    assert_non_null(rebuild);
    assert_int_equal(stoa_rebuild_archetype(rebuild, &id, 1, &first, 1), STOA_OK);
    int32_t count = 0;
    Position *values = stoa_rebuild_column(rebuild, id, 0, &count);
    assert_int_equal(count, 1);
    *values = (Position){3, 4};
    return rebuild;
}

/* SNP-01 */
static void shown_world_is_read_and_ends(void **state) {
    support_world *s = *state;
    stoa_rebuild *rebuild = rebuild_begin(s->world);
    assert_int_equal(stoa_rebuild_show(rebuild), STOA_OK);
    assert_int_equal(stoa_rebuild_show(rebuild), STOA_OK);
    assert_true(stoa_get(s->world, first, Position)->x == 3);
    assert_true(stoa_alive(s->world, second));
    assert_int_equal(stoa_check(s->world), STOA_OK);
    assert_int_equal(stoa_stats(s->world).empty, 1);
    assert_int_equal(stoa_rebuild_end(rebuild), STOA_OK);
    assert_int_equal(stoa_count(s->world), 2);
    assert_int_equal(stoa_destroy(s->world, second), STOA_OK);
}

/* GEN-03 SNP-05 */
static void shown_world_goes_back(void **state) {
    support_world *s = *state;
    stoa_destroy(s->world, stoa_create_with(s->world, STOA_VALUE(Position, {1, 2})));
    uint64_t hash = stoa_hash(s->world);
    for (int i = 0; i < 3; i++) {
        stoa_rebuild *rebuild = rebuild_begin(s->world);
        assert_int_equal(stoa_rebuild_show(rebuild), STOA_OK);
        if (i == 2) {
            /* As an extension would. */
            assert_int_equal(stoa_name_set(s->world, second, "two"), STOA_OK);
        }
        stoa_rebuild_cancel(rebuild);
        assert_int_equal(stoa_check(s->world), STOA_OK);
        assert_int_equal(stoa_count(s->world), 0);
        assert_true(stoa_hash(s->world) == hash);
        assert_true(stoa_entity_is_null(stoa_find(s->world, "two")));
    }
    assert_true(stoa_entity_eq(stoa_create(s->world), (stoa_entity){1, 2}));
}

/* GEN-05 */
static void nothing_is_added_to_what_is_shown(void **state) {
    support_world *s = *state;
    stoa_rebuild *rebuild = rebuild_begin(s->world);
    stoa_component id = stoa_id(s->world, Position);
    assert_int_equal(stoa_rebuild_show(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_rebuild_show(rebuild), STOA_OK);
    support_assert_misuse(s, stoa_rebuild_archetype(rebuild, &id, 1, &second, 1), STOA_INVALID);
    support_assert_message("shown");
    stoa_rebuild_cancel(rebuild);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(shown_world_is_read_and_ends),
        TEST(shown_world_goes_back),
        TEST(nothing_is_added_to_what_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

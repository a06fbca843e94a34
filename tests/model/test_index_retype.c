/* Indexes of components that get another layout. */
#include "retype_fixture.h"

STOA_COMPONENT(Place0, { int32_t x, y; });
STOA_COMPONENT_WITH(Unit0, STOA_OPTIONS(.name = "Unit"), {
    int32_t team;
    char tag[12];
    int32_t slots[3];
    float speed;
});
STOA_COMPONENT_WITH(Unit1, STOA_OPTIONS(.name = "Unit"), {
    double speed;
    int32_t slots[3];
    char tag[12];
    int64_t rank;
    int64_t team;
});
STOA_COMPONENT_WITH(UnitGone, STOA_OPTIONS(.name = "Unit"), {
    char tag[12];
    int32_t slots[3];
    float speed;
});
static const stoa_alias side_alias[] = {{"team", "side"}, {NULL, NULL}};
static const stoa_persist side_persist = {.fields = side_alias};
STOA_COMPONENT_WITH(UnitSide, STOA_OPTIONS(.name = "Unit", .persist = &side_persist), {
    float speed;
    char tag[12];
    int32_t slots[3];
    int32_t side;
});
STOA_COMPONENT_WITH(UnitText, STOA_OPTIONS(.name = "Unit"), {
    char team[4];
    int32_t slots[3];
});

STOA_COMPONENT_WITH(Rare0, STOA_OPTIONS(.name = "Rare", .flags = STOA_SPARSE | STOA_IMMUTABLE),
                    { int32_t a, b; });
STOA_COMPONENT_WITH(Rare1, STOA_OPTIONS(.name = "Rare", .flags = STOA_SPARSE | STOA_IMMUTABLE),
                    { int64_t b, a; });

enum { COUNT = 2500 };

static stoa_entity entities[COUNT];

static void units_make(stoa_world *world) {
    for (int i = 0; i < COUNT; i++) {
        Unit0 unit = {.team = i % 10, .slots = {0, i % 3, 0}, .speed = (float)(i % 50)};
        snprintf(unit.tag, sizeof unit.tag, "u%d", i % 20);
        entities[i] = stoa_create_with(world, STOA_VALUE_FROM(Unit0, &unit));
        if (i % 4 == 0) {
            stoa_set(world, entities[i], Place0, {i, i});
        }
        if (i % 5 == 0) {
            stoa_set(world, entities[i], Rare0, {i, i % 7});
        }
    }
}

/* The number of entities found, in ascending order. */
static int found_count(stoa_found found) {
    int count = 0;
    for (uint32_t last = 0; stoa_found_next(&found); count++) {
        assert_true(found.entity.index > last);
        last = found.entity.index;
    }
    return count;
}

/* HOT-01, IDX-01 */
static void index_reads_a_field_where_it_is_in_the_new_layout(void **state) {
    support_world *s = *state;
    units_make(s->world);
    stoa_index *team = stoa_index_on(s->world, Unit0, team);
    stoa_index *tag = stoa_index_on(s->world, Unit0, tag);
    stoa_index *slot = stoa_index_on(s->world, Unit0, slots[1]);
    stoa_index *speed = stoa_index_ordered_on(s->world, Unit0, speed);
    stoa_index_info info;
    assert_int_equal(stoa_index_info_get(team, &info), STOA_OK);
    const char *name = info.name;
    /* What is written in place and not yet seen is carried over, too. */
    stoa_get_mut(s->world, entities[3], Unit0)->team = 77;
    assert_true(retype_to(s->world, STOA_TYPE_OF(Unit1)));
    assert_int_equal(found_count(stoa_index_find(team, STOA_KEY(int64_t, 3))), COUNT / 10 - 1);
    assert_true(stoa_entity_eq(stoa_index_first(team, STOA_KEY(int64_t, 77)), entities[3]));
    assert_int_equal(found_count(stoa_index_find(tag, "u7")), COUNT / 20);
    assert_int_equal(stoa_index_count(slot, STOA_KEY(int32_t, 2)), COUNT / 3);
    stoa_found range = stoa_index_range(speed, STOA_KEY(double, 10), STOA_KEY(double, 19));
    int count = 0;
    for (double last = 0; stoa_found_next(&range); count++) {
        double now = stoa_get(s->world, range.entity, Unit1)->speed;
        assert_true(now >= last);
        last = now;
    }
    assert_int_equal(count, COUNT / 5);
    assert_int_equal(stoa_index_info_get(team, &info), STOA_OK);
    assert_ptr_equal(info.name, name);
    assert_string_equal(info.field, "team");
    assert_int_equal(info.count, COUNT);
    assert_false(info.stale);
    /* Hooks and writes in place are followed as before. */
    stoa_get_mut(s->world, entities[5], Unit1)->team = 78;
    assert_int_equal(stoa_set(s->world, entities[6], Unit1, {.team = 78}), STOA_OK);
    assert_int_equal(stoa_destroy(s->world, entities[15]), STOA_OK);
    assert_int_equal(stoa_index_count(team, STOA_KEY(int64_t, 78)), 2);
    assert_int_equal(stoa_index_count(team, STOA_KEY(int64_t, 5)), COUNT / 10 - 2);
    assert_int_equal(stoa_check(s->world), STOA_OK);
    assert_int_equal(stoa_index_free(tag), STOA_OK);
}

/* HOT-01, IDX-01 */
static void index_of_a_whole_sparse_value_follows(void **state) {
    support_world *s = *state;
    units_make(s->world);
    stoa_index *whole = stoa_index_new(s->world, &(stoa_index_desc){.type = STOA_TYPE_OF(Rare0)});
    stoa_index *field = stoa_index_on(s->world, Rare0, b);
    assert_non_null(whole);
    assert_true(retype_to(s->world, STOA_TYPE_OF(Rare1)));
    Rare1 key = {.a = 10, .b = 10 % 7};
    assert_true(stoa_entity_eq(stoa_index_first(whole, &key), entities[10]));
    assert_int_equal(stoa_index_count(field, STOA_KEY(int64_t, 0)), 72);
    assert_true(retype_to(s->world, STOA_TYPE_OF(Rare0)));
    assert_true(stoa_entity_eq(stoa_index_first(whole, STOA_KEY(Rare0, 10, 3)), entities[10]));
}

/* HOT-01, IDX-01 */
static void index_follows_a_field_that_was_renamed(void **state) {
    support_world *s = *state;
    units_make(s->world);
    stoa_index *team = stoa_index_on(s->world, Unit0, team);
    assert_true(retype_to(s->world, STOA_TYPE_OF(UnitSide)));
    assert_int_equal(stoa_index_count(team, STOA_KEY(int32_t, 4)), COUNT / 10);
    stoa_index_info info;
    assert_int_equal(stoa_index_info_get(team, &info), STOA_OK);
    assert_string_equal(info.field, "side");
    assert_string_equal(info.name, "Unit.team");
}

/* HOT-01, IDX-01 */
static void layout_without_the_field_is_refused(void **state) {
    support_world *s = *state;
    units_make(s->world);
    stoa_index *speed = stoa_index_ordered_on(s->world, Unit0, speed);
    stoa_index *team = stoa_index_ordered_on(s->world, Unit0, team);
    uint64_t hash = stoa_hash(s->world);
    /* Blocks for chunks are kept for the next one. */
    assert_false(retype_to(s->world, STOA_TYPE_OF(UnitGone)));
    size_t bytes = s->heap.bytes;
    assert_false(retype_to(s->world, STOA_TYPE_OF(UnitGone)));
    assert_int_equal(stoa_last_error().status, STOA_REFUSED);
    support_assert_message("'Unit.team'");
    support_assert_message("field 'team'");
    assert_int_equal(s->heap.bytes, bytes);
    assert_true(hash == stoa_hash(s->world));
    assert_int_equal(found_count(stoa_index_find(team, STOA_KEY(int32_t, 3))), COUNT / 10);
    assert_int_equal(stoa_index_count(speed, STOA_KEY(float, 3)), COUNT / 50);
    assert_int_equal(stoa_index_free(speed), STOA_OK);
    /* A text has no order that an index keeps. */
    assert_false(retype_to(s->world, STOA_TYPE_OF(UnitText)));
    support_assert_message("ordered");
    assert_int_equal(stoa_index_free(team), STOA_OK);
    assert_true(retype_to(s->world, STOA_TYPE_OF(UnitGone)));
}

/* HOT-01, IDX-01 */
static void index_is_what_it_was_after_a_cancel(void **state) {
    support_world *s = *state;
    units_make(s->world);
    stoa_index *team = stoa_index_on(s->world, Unit0, team);
    stoa_found old = stoa_index_find(team, STOA_KEY(int32_t, 3));
    assert_true(stoa_found_next(&old));
    retype_counts counts = {0};
    stoa_retype *retype = retype_begin(s->world, STOA_TYPE_OF(Unit1), &counts);
    assert_non_null(retype);
    assert_int_equal(stoa_index_count(team, STOA_KEY(int64_t, 3)), COUNT / 10);
    stoa_retype_cancel(retype);
    assert_int_equal(stoa_check(s->world), STOA_OK);
    assert_false(stoa_found_next(&old));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_int_equal(found_count(stoa_index_find(team, STOA_KEY(int32_t, 3))), COUNT / 10);
    /* One that is freed half way takes its other side along. */
    retype = retype_begin(s->world, STOA_TYPE_OF(Unit1), &counts);
    assert_non_null(retype);
    assert_int_equal(stoa_index_free(team), STOA_OK);
    stoa_retype_cancel(retype);
}

/* HOT-01, IDX-01 */
static void index_survives_lack_of_memory(void **state) {
    support_world *s = *state;
    units_make(s->world);
    stoa_index *team = stoa_index_on(s->world, Unit0, team);
    stoa_index *tag = stoa_index_on(s->world, Unit0, tag);
    stoa_index *speed = stoa_index_ordered_on(s->world, Unit0, speed);
    retype_short(s, STOA_TYPE_OF(Unit1));
    assert_int_equal(stoa_index_count(team, STOA_KEY(int64_t, 3)), COUNT / 10);
    assert_int_equal(stoa_index_count(tag, "u3"), COUNT / 20);
    assert_int_equal(stoa_index_count(speed, STOA_KEY(double, 3)), COUNT / 50);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(index_reads_a_field_where_it_is_in_the_new_layout),
        TEST(index_of_a_whole_sparse_value_follows),
        TEST(index_follows_a_field_that_was_renamed),
        TEST(layout_without_the_field_is_refused),
        TEST(index_is_what_it_was_after_a_cancel),
        TEST(index_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Indexes under strain: all values equal, keys that fall together, huge and odd texts, types that
 * nest deeply, many indexes. */
#include <stdlib.h>

#include "index_fixture.h"

#define MANY 100000

STOA_COMPONENT_WITH(Serial, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { uint64_t number; });
STOA_COMPONENT(Named, { const char *name; });

/* Those found are in ascending order; returns how many. */
static int32_t found_ascend(stoa_found f) {
    int32_t count = 0;
    uint32_t last = 0;
    while (stoa_found_next(&f)) {
        assert_true(f.entity.index > last);
        last = f.entity.index;
        count++;
    }
    return count;
}

/* IDX-01 */
static void all_values_equal_is_a_value_like_any(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        support_world s;
        support_world_open(&s);
        stoa_world *w = s.world;
        stoa_type *type = i < 2 ? STOA_TYPE_OF(Rank) : STOA_TYPE_OF(Unit);
        stoa_index *index = stoa_index_new(
            w, &(stoa_index_desc){.type = type, .field = "team", .ordered = i % 2 == 1});
        stoa_entity *e = malloc(MANY * sizeof *e);
        Unit *units = calloc(MANY, sizeof *units), two = {2, 0};
        assert_true(e != NULL && units != NULL);
        assert_int_equal(
            stoa_create_bulk_values(w, MANY, e, &(stoa_value){.type = type, .data = units}, 1),
            STOA_OK);
        assert_int_equal(found_ascend(stoa_index_find(index, STOA_KEY(int32_t, 0))), MANY);
        /* Every third one changes, from the end on. */
        for (int k = MANY - 1; k >= 0; k -= 3) {
            assert_int_equal(stoa_set_type(w, e[k], type, &two), STOA_OK);
        }
        assert_int_equal(found_ascend(stoa_index_find(index, STOA_KEY(int32_t, 2))), MANY / 3 + 1);
        assert_int_equal(stoa_index_count(index, STOA_KEY(int32_t, 0)), MANY - MANY / 3 - 1);
        assert_int_equal(stoa_check(w), STOA_OK);
        for (int k = 0; k < MANY; k++) {
            assert_int_equal(stoa_destroy(w, e[k]), STOA_OK);
        }
        assert_int_equal(stoa_index_count(index, STOA_KEY(int32_t, 2)), 0);
        free(e);
        free(units);
        support_world_close(&s);
    }
}

/* IDX-01 */
static void keys_that_fall_together_are_told_apart(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Serial, number);
    /* Multiples of the inverse of the table's factor have neighbouring homes, and those that differ
     * in their low bits alone have the same one. */
    uint64_t inverse = 0xF1DE83E19937733Du;
    assert_int_equal(inverse * 0x9E3779B97F4A7C15u, 1);
    stoa_entity e[1500];
    for (uint64_t i = 0; i < 1500; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Serial, {i * inverse}));
    }
    for (uint64_t i = 0; i < 1500; i++) {
        expect_entity(stoa_index_first(index, STOA_KEY(uint64_t, i * inverse)), e[i]);
    }
    for (uint64_t i = 0; i < 1500; i += 2) {
        assert_int_equal(stoa_destroy(w, e[i]), STOA_OK);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    for (uint64_t i = 0; i < 1500; i++) {
        expect_entity(stoa_index_first(index, STOA_KEY(uint64_t, i * inverse)),
                      i % 2 == 0 ? STOA_NULL : e[i]);
    }
}

/* IDX-01 GEN-05 */
static void texts_of_any_length_and_bytes_are_keys(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Named, name);
    size_t size = 1 << 20;
    char *huge = malloc(size + 1), *same = malloc(size + 1);
    assert_true(huge != NULL && same != NULL);
    memset(huge, 'x', size);
    memset(same, 'x', size);
    huge[size] = same[size] = '\0';
    const char *odd = "\xff\xfe\x80 no UTF-8", *key = same;
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Named, {huge}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Named, {odd}));
    stoa_entity c = stoa_create_with(w, STOA_VALUE(Named, {""}));
    expect_found(stoa_index_find(index, &key), a);
    same[size - 1] = 'y';
    expect_none(stoa_index_find(index, &key));
    key = "\xff\xfe\x80 no UTF-8";
    expect_found(stoa_index_find(index, &key), b);
    key = "";
    expect_found(stoa_index_find(index, &key), c);
    assert_int_equal(stoa_index_free(index), STOA_OK);
    free(huge);
    free(same);
}

/* IDX-01 */
static void wide_keys_of_many_entities_share_what_is_kept(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Named, name);
    const char *names[] = {"wolf", "bear"};
    for (int i = 0; i < 1000; i++) {
        stoa_create_with(w, STOA_VALUE(Named, {names[i % 2]}));
    }
    assert_int_equal(found_ascend(stoa_index_find(index, &names[0])), 500);
    assert_int_equal(stoa_check(w), STOA_OK);
    for (stoa_entity e = stoa_entity_next(w, STOA_NULL); e.index != 0; e = stoa_entity_next(w, e)) {
        if (e.index % 3 == 0) {
            assert_int_equal(stoa_set(w, e, Named, {"wolf"}), STOA_OK);
        } else if (e.index % 5 == 0) {
            assert_int_equal(stoa_remove(w, e, Named), STOA_OK);
        }
    }
    assert_int_equal(found_ascend(stoa_index_find(index, &names[0])) +
                         stoa_index_count(index, &names[1]),
                     1000 - 1000 / 5 + 1000 / 15);
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* IDX-01 */
static void types_of_any_depth_and_few_parts_are_keys(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    char name[32], fields[64];
    stoa_component id = 0;
    for (int i = 0; i < STOA_NEST_MAX; i++) {
        snprintf(name, sizeof name, "Level%d", i);
        snprintf(fields, sizeof fields, i == 0 ? "{ int32_t x; }" : "{ Level%d inner; }", i - 1);
        id = stoa_component_register(w, &(stoa_component_desc){.name = name, .fields = fields});
        assert_int_not_equal(id, 0);
    }
    stoa_index *deepest = stoa_index_new(w, &(stoa_index_desc){.component = id});
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_set_id(w, e, id, &(int32_t){7}, sizeof(int32_t)), STOA_OK);
    expect_found(stoa_index_find(deepest, STOA_KEY(int32_t, 7)), e);
    (void)stoa_id(w, Cell);
    id = stoa_component_register(
        w, &(stoa_component_desc){.name = "Board", .fields = "{ Cell cells[40000]; }"});
    assert_null(stoa_index_new(w, &(stoa_index_desc){.component = id}));
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    assert_null(stoa_index_new(w, &(stoa_index_desc){.component = id, .field = "cells"}));
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    assert_non_null(
        stoa_index_new(w, &(stoa_index_desc){.component = id, .field = "cells[39999].y"}));
}

/* IDX-01 */
static void many_indexes_follow_one_component(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *indexes[300];
    for (int i = 0; i < 300; i++) {
        indexes[i] = stoa_index_on(w, Unit, team);
        assert_non_null(indexes[i]);
    }
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Unit, {1, 1}));
    stoa_get_mut(w, a, Unit)->team = 2;
    for (int i = 0; i < 300; i++) {
        expect_found(stoa_index_find(indexes[i], STOA_KEY(int32_t, 2)), a);
        if (i % 2 == 0) {
            assert_int_equal(stoa_index_free(indexes[i]), STOA_OK);
        }
    }
    assert_int_equal(stoa_destroy(w, a), STOA_OK);
    expect_none(stoa_index_find(indexes[1], STOA_KEY(int32_t, 2)));
}

/* IDX-01 */
static void entities_far_apart_have_slots_of_their_own(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Rank, team);
    stoa_entity first = stoa_create(w), last = first;
    for (int i = 0; i < 30000; i++) {
        last = stoa_create(w);
    }
    stoa_set(w, last, Rank, {1, 1});
    stoa_set(w, first, Rank, {1, 1});
    expect_found(stoa_index_find(index, STOA_KEY(int32_t, 1)), first, last);
    stoa_index_info info;
    assert_int_equal(stoa_index_info_get(index, &info), STOA_OK);
    assert_true(info.bytes < 64 * 1024);
}

/* STO-06 */
static void values_that_were_crowded_give_memory_back(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Rank, team);
    stoa_entity crowd[100];
    for (int i = 0; i < 100; i++) {
        crowd[i] = stoa_create(w);
    }
    /* The crowd goes from value to value, and leaves one behind at each. */
    for (int32_t team = 0; team < 1000; team++) {
        for (int i = 0; i < 100; i++) {
            assert_int_equal(stoa_set(w, crowd[i], Rank, {team, 0}), STOA_OK);
        }
        crowd[team % 100] = stoa_create(w);
    }
    stoa_index_info info;
    assert_int_equal(stoa_index_info_get(index, &info), STOA_OK);
    assert_true(info.bytes < 256 * 1024);
    assert_int_equal(stoa_index_count(index, STOA_KEY(int32_t, 500)), 1);
    assert_int_equal(stoa_index_count(index, STOA_KEY(int32_t, 999)), 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(all_values_equal_is_a_value_like_any),
        TEST(keys_that_fall_together_are_told_apart),
        TEST(texts_of_any_length_and_bytes_are_keys),
        TEST(wide_keys_of_many_entities_share_what_is_kept),
        TEST(types_of_any_depth_and_few_parts_are_keys),
        TEST(many_indexes_follow_one_component),
        TEST(entities_far_apart_have_slots_of_their_own),
        TEST(values_that_were_crowded_give_memory_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

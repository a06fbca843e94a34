/* Indexes without memory: what fails changes nothing, what cannot fail leaves an index that is made
 * anew by the next look-up. */
#include <stdlib.h>

#include "index_fixture.h"

#define ENTITIES 200

static int32_t team_count(stoa_index *index, int32_t team) {
    return stoa_index_count(index, &team);
}

static void units_create(stoa_world *w, stoa_type *type, int count) {
    for (int i = 0; i < count; i++) {
        Unit unit = {i % 5, 0};
        assert_int_not_equal(stoa_create_one(w, type, &unit).index, 0);
    }
}

/* GEN-03 GEN-04 IDX-01 */
static void index_that_cannot_be_made_leaves_nothing(void **state) {
    (void)state;
    static const char *const fields[] = {"team", "speed", NULL};
    for (int i = 0; i < 6; i++) {
        support_world s;
        support_world_open(&s);
        units_create(s.world, STOA_TYPE_OF(Unit), ENTITIES);
        uint64_t hash = stoa_hash(s.world);
        stoa_index_desc desc = {.type = STOA_TYPE_OF(Unit),
                                .field = fields[i / 2],
                                .name = i % 2 == 0 ? "named" : NULL};
        stoa_index *index = NULL;
        size_t kept = 0;
        for (size_t k = 1; index == NULL; k++) {
            assert_true(k < 200);
            s.heap.fail_at = k;
            index = stoa_index_new(s.world, &desc);
            s.heap.fail_at = 0;
            if (index == NULL) {
                assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
                assert_null(stoa_index_next(s.world, NULL));
                /* The list of indexes may stay, but only once. */
                assert_true(kept == 0 || k < 5 || s.heap.bytes == kept);
                kept = s.heap.bytes;
            }
            assert_int_equal(stoa_hash(s.world), hash);
            assert_int_equal(stoa_check(s.world), STOA_OK);
        }
        assert_true(s.heap.failed > 4);
        assert_int_equal(stoa_index_free(index), STOA_OK);
        support_world_close(&s);
    }
}

/* Changes of every kind; stops at the first that fails. */
static stoa_status changes_make(stoa_world *w, stoa_type *type, stoa_entity *e) {
    Unit units[40], seven = {7, 1};
    for (int i = 0; i < 40; i++) {
        units[i] = (Unit){i % 3, (float)i};
    }
    stoa_status status =
        stoa_create_bulk_values(w, 40, e, &(stoa_value){.type = type, .data = units}, 1);
    for (int i = 0; i < 40 && status == STOA_OK; i += 3) {
        status = stoa_set_type(w, e[i], type, &seven);
    }
    for (int i = 0; i < 40 && status == STOA_OK; i += 4) {
        status = stoa_remove_type(w, e[i], type);
    }
    return status;
}

/* GEN-04 IDX-01 */
static void index_is_right_after_any_allocation_failed(void **state) {
    (void)state;
    stoa_type *const types[] = {STOA_TYPE_OF(Unit), STOA_TYPE_OF(Rank), STOA_TYPE_OF(Loose)};
    for (int i = 0; i < 9; i++) {
        bool done = false;
        for (size_t k = 1; !done; k++) {
            support_world s;
            support_world_open(&s);
            stoa_type *type = types[i / 3];
            stoa_index *index =
                stoa_index_new(s.world, &(stoa_index_desc){.type = type,
                                                           .field = i % 3 == 2 ? NULL : "team",
                                                           .ordered = i % 3 == 1});
            stoa_entity e[40];
            s.heap.fail_at = k;
            stoa_status status = changes_make(s.world, type, e);
            done = s.heap.fail_at != 0;
            s.heap.fail_at = 0;
            assert_true(status == STOA_OK || (status == STOA_NO_MEMORY && !done));
            assert_int_equal(stoa_check(s.world), STOA_OK);
            int32_t sevens = 0, found = 0;
            for (stoa_entity x = stoa_entity_next(s.world, STOA_NULL); x.index != 0;
                 x = stoa_entity_next(s.world, x)) {
                const Unit *unit = stoa_try_type(s.world, x, type);
                sevens += unit != NULL && unit->team == 7;
            }
            for (stoa_found f = stoa_index_find(index, &(Unit){7, 1}); stoa_found_next(&f);) {
                found++;
            }
            assert_int_equal(found, sevens);
            assert_int_equal(stoa_check(s.world), STOA_OK);
            support_world_close(&s);
        }
    }
}

static void stale_look_up(stoa_world *w, stoa_entity e, void *value, void *user) {
    stoa_index *index = user;
    (void)w;
    (void)e;
    (void)value;
    assert_int_equal(team_count(index, 1), 0);
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
}

static bool index_stale(const stoa_index *index) {
    stoa_index_info info;
    assert_int_equal(stoa_index_info_get(index, &info), STOA_OK);
    return info.stale;
}

/* GEN-04 IDX-01 */
static void stale_index_tells_until_there_is_memory(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Rank, team);
    stoa_entity a = stoa_create(w), b = stoa_create_with(w, STOA_VALUE(Rank, {5, 0}));
    /* The world needs none for this; a new value is one more than the index has room for. */
    for (int32_t i = 0; !index_stale(index); i++) {
        stoa_entity e = stoa_create_with(w, STOA_VALUE(Rank, {100 + i, 0}));
        s->heap.fail_at = 1;
        s->heap.fail_forever = true;
        assert_int_equal(stoa_set(w, e, Rank, {1000 + i, 0}), STOA_OK);
        assert_int_equal(stoa_set(w, b, Rank, {1, 0}), STOA_OK);
        assert_int_equal(stoa_set(w, b, Rank, {1000 + i, 0}), STOA_OK);
        s->heap.fail_at = 0;
    }
    s->heap.fail_at = 1;
    assert_int_equal(team_count(index, 1), 0);
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    expect_none(stoa_index_find(index, STOA_KEY(int32_t, 5)));
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    /* The world goes on, and so does its check. */
    assert_int_equal(stoa_set(w, b, Rank, {1, 0}), STOA_OK);
    s->heap.fail_at = 0;
    assert_int_equal(stoa_check(w), STOA_OK);
    /* In a hook it cannot be made anew, though there is memory. */
    stoa_hook hook = stoa_on_add(w, Unit, stale_look_up, index);
    stoa_set(w, a, Unit, {1, 1});
    stoa_hook_remove(w, hook);
    assert_true(index_stale(index));
    stoa_commands *buffer = stoa_commands_new(w);
    assert_int_equal(stoa_commands_fork(w, &buffer, 1), STOA_OK);
    assert_int_equal(team_count(index, 1), 0);
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    /* In an iteration it can. */
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Unit)}});
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        assert_int_equal(team_count(index, 1), 1);
    }
    assert_false(index_stale(index));
    expect_found(stoa_index_find(index, STOA_KEY(int32_t, 1)), b);
}

/* GEN-03 IDX-01 */
static void taking_away_needs_no_memory(void **state) {
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        support_world s;
        support_world_open(&s);
        stoa_index *teams = stoa_index_new(s.world, &(stoa_index_desc){.type = STOA_TYPE_OF(Rank),
                                                                       .field = "team",
                                                                       .ordered = ordered == 1});
        units_create(s.world, STOA_TYPE_OF(Rank), 1000);
        assert_int_equal(team_count(teams, 2), 200);
        s.heap.fail_at = 1;
        s.heap.fail_forever = true;
        int32_t left = 1000;
        for (stoa_entity e = stoa_entity_next(s.world, STOA_NULL); e.index != 0;
             e = stoa_entity_next(s.world, e)) {
            assert_int_equal(stoa_destroy(s.world, e), STOA_OK);
            left--;
            if (left % 5 == 0) {
                assert_int_equal(team_count(teams, 2), left / 5);
                assert_false(index_stale(teams));
            }
        }
        assert_int_equal(stoa_index_free(teams), STOA_OK);
        s.heap.fail_at = 0;
        support_world_close(&s);
    }
}

/* IDX-01 STO-07 */
static void bytes_of_indexes_are_accounted_for(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    units_create(w, STOA_TYPE_OF(Unit), 300);
    stoa_index *index = stoa_index_on(w, Unit, team);
    stoa_index_info info;
    assert_int_equal(stoa_index_info_get(index, &info), STOA_OK);
    assert_true(info.bytes > 300 * sizeof(uint64_t));
    assert_int_equal(info.count, 300);
    assert_int_equal(stoa_stats(w).bytes_reserved, s->heap.bytes);
    assert_int_equal(stoa_stats(w).queries, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(index_that_cannot_be_made_leaves_nothing),
        TEST(index_is_right_after_any_allocation_failed),
        TEST(stale_index_tells_until_there_is_memory),
        TEST(taking_away_needs_no_memory),
        TEST(bytes_of_indexes_are_accounted_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

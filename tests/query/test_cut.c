/* Cutting queries into parts. */
#include "query/cut_fixture.h"

static const int32_t sizes[] = {0, 1, 16, 17, 64, 100, 1000, 100000, INT32_MAX};
#define SIZES ((int32_t)(sizeof sizes / sizeof *sizes))

/* Queries of all kinds over the scene. */
#define KINDS 20
static stoa_query *query_of_kind(stoa_world *w, int kind) {
    const stoa_term kinds[KINDS][3] = {
        {STOA_READ(Plain)},
        {STOA_WRITE(Plain), STOA_READ(Exact), STOA_WITHOUT(Tag)},
        {STOA_CHANGED(Exact)},
        {STOA_ADDED(Exact), STOA_READ(Plain)},
        {STOA_CHANGED(Plain)},
        {STOA_READ(Switch)},
        {STOA_WITHOUT(Switch)},
        {STOA_OPTIONAL(Switch), STOA_READ(Plain)},
        {STOA_READ(Sparse)},
        {STOA_READ(Sparse), STOA_READ(Plain), STOA_READ(Exact)},
        {STOA_WITHOUT(Sparse)},
        {STOA_CHANGED(Loose), STOA_OPTIONAL(Plain)},
        {STOA_ANY(Plain), STOA_ANY(Exact)},
        {STOA_ANY(Switch), STOA_ANY(Sparse), STOA_READ(Plain)},
        {STOA_OPTIONAL(Plain)},
        {STOA_WITHOUT(Plain)},
        {STOA_FILTER(Tag)},
        {STOA_ADDED(Sparse), STOA_CHANGED(Exact), STOA_WITHOUT(Loose)},
        {STOA_READ(Other)},
        {STOA_READ(Other), STOA_READ(Sparse)},
    };
    return query_make(w, kinds[kind], 3);
}

/* SYS-06 QRY-02 */
static void parts_visit_what_an_iteration_visits(void **state) {
    support_world *s = *state;
    uint32_t middle = scene_make(s->world, 6000);
    int32_t most = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        stoa_query *query = query_of_kind(s->world, kind);
        for (int32_t i = 0; i < SIZES; i++) {
            int32_t parts = cut_agrees(query, NULL, sizes[i]);
            most = parts > most ? parts : most;
            cut_agrees(query, &middle, sizes[i]);
            uint32_t now = stoa_tick(s->world);
            cut_agrees(query, &now, sizes[i]);
        }
        if (kind % 2 == 0) {
            assert_int_equal(stoa_query_free(query), STOA_OK);
        }
    }
    assert_true(most > 100);
}

/* SYS-06 */
static void parts_of_many_chunks_visit_the_same(void **state) {
    support_world s;
    static stoa_entity made[8000];
    uint32_t middle = 0;
    (void)state;
    support_world_open_with(&s, 16384);
    for (int round = 0; round < 3; round++) {
        stoa_value values[] = {STOA_ZERO(Plain), STOA_ZERO(Exact), STOA_ZERO(Switch),
                               STOA_ZERO(Loose)};
        int32_t count = 8000 - round * 777;
        assert_int_equal(stoa_create_bulk_values(s.world, count, made, values, 2 + round), STOA_OK);
        middle = round == 1 ? stoa_tick(s.world) : middle;
        stoa_tick_advance(s.world);
        for (int32_t i = 0; i < count; i += 1 + i % 37) {
            assert_int_equal(stoa_set(s.world, made[i], Exact, {1}), STOA_OK);
            if (round > 0) {
                assert_int_equal(stoa_enable(s.world, made[i], Switch, i % 2 == 0), STOA_OK);
            }
            if (i % 8 == 0) {
                assert_int_equal(stoa_set(s.world, made[i], Sparse, {1}), STOA_OK);
            }
        }
    }
    for (int kind = 0; kind < KINDS; kind++) {
        stoa_query *query = query_of_kind(s.world, kind);
        for (int32_t i = 0; i < SIZES; i++) {
            cut_agrees(query, NULL, sizes[i]);
            cut_agrees(query, &middle, sizes[i]);
        }
    }
    support_world_close(&s);
}

/* SYS-06 */
static void query_without_matches_has_no_parts(void **state) {
    support_world *s = *state;
    for (int kind = 0; kind < KINDS; kind++) {
        stoa_query *query = query_of_kind(s->world, kind);
        assert_int_equal(cut_agrees(query, NULL, 0), 0);
        support_assert_quiet(s);
        stoa_iter it = stoa_query_part(query, 0);
        assert_null(it.query);
        assert_false(stoa_iter_next(&it));
        support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    }
}

/* SYS-06 */
static void rows_are_cut_at_multiples_of_16(void **state) {
    support_world *s = *state;
    static const int32_t counts[] = {1, 33, 7, 1000, 5000, 15, 16, 17, 2000};
    static stoa_entity made[5000];
    int32_t total = 0;
    for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        stoa_value values[] = {STOA_ZERO(Plain), {NULL, NULL, 0, STOA_PUT}};
        char name[16];
        snprintf(name, sizeof name, "tag%u", i);
        values[1].id = stoa_component_register(s->world, &(stoa_component_desc){.name = name});
        assert_int_not_equal(values[1].id, 0);
        assert_int_equal(stoa_create_bulk_values(s->world, counts[i], made, values, 2), STOA_OK);
        total += counts[i];
    }
    stoa_query *query = query_of(s->world, STOA_WRITE(Plain));
    for (int32_t rows = 1; rows < 3000; rows = rows * 2 + 5) {
        int32_t parts = cut_agrees(query, NULL, rows), seen = 0;
        int32_t round = (rows + 15) / 16 * 16;
        for (int32_t i = 0; i < parts; i++) {
            int32_t own = 0;
            stoa_iter it = stoa_query_part(query, i);
            while (stoa_iter_next(&it)) {
                assert_int_equal(it.first % 16, 0);
                own += it.count;
            }
            seen += own;
            assert_true(own < round + 16 && own > 0);
            assert_true(own >= round || i == parts - 1);
        }
        assert_int_equal(seen, total);
    }
}

/* SYS-06 */
static void number_of_rows_decides_the_parts(void **state) {
    support_world *s = *state;
    static stoa_entity made[50000];
    stoa_query *light = query_of(s->world, STOA_READ(Plain));
    stoa_query *heavy = query_of(s->world, STOA_READ(Sparse));
    stoa_value values[] = {STOA_ZERO(Plain), STOA_ZERO(Sparse)};
    assert_int_equal(stoa_create_bulk_values(s->world, 256, made, values, 2), STOA_OK);
    assert_int_equal(cut_agrees(light, NULL, 0), 1);
    assert_int_equal(cut_agrees(heavy, NULL, 0), 1);
    assert_int_equal(stoa_create_bulk_values(s->world, 1, made, values, 2), STOA_OK);
    assert_int_equal(cut_agrees(light, NULL, 0), 2);
    assert_int_equal(stoa_create_bulk_values(s->world, 50000, made, values, 2), STOA_OK);
    assert_in_range(cut_agrees(light, NULL, 0), 100, 128);
    assert_in_range(cut_agrees(heavy, NULL, 0), 12, 128);
    assert_int_equal(cut_agrees(light, NULL, 100000), 1);
    assert_int_equal(cut_agrees(light, NULL, INT32_MAX), 1);
    /* Parts with a walk of their own are not made by the thousand. */
    assert_int_equal(stoa_create_bulk_values(s->world, 50000, made, values, 2), STOA_OK);
    assert_in_range(stoa_query_cut(heavy, NULL, 1), 500, 1025);
}

/* SYS-06 */
static void entities_without_components_are_a_part(void **state) {
    support_world *s = *state;
    stoa_query *light = query_of(s->world, STOA_OPTIONAL_WRITE(Plain));
    stoa_query *heavy = query_of(s->world, STOA_WITHOUT(Loose));
    for (int i = 0; i < 1000; i++) {
        assert_int_not_equal(stoa_create(s->world).index, 0);
    }
    assert_int_equal(cut_agrees(light, NULL, 16), 1);
    assert_int_equal(cut_agrees(heavy, NULL, 16), 1);
    assert_int_not_equal(stoa_create_with(s->world, STOA_VALUE(Plain, {3})).index, 0);
    assert_int_equal(cut_agrees(light, NULL, 16), 2);
    assert_int_equal(cut_agrees(heavy, NULL, 16), 2);
    stoa_query_cut(light, NULL, 0);
    stoa_iter it = stoa_query_part(light, 0);
    int32_t rows = 0;
    while (stoa_iter_next(&it)) {
        assert_null(stoa_field(&it, Plain, 0));
        assert_null(stoa_field_at_mut(&it, Plain, 0, it.count - 1));
        rows += it.count;
    }
    assert_int_equal(rows, 1000);
    it = stoa_query_part(light, 1);
    assert_true(stoa_iter_next(&it));
    assert_int_equal(stoa_field(&it, Plain, 0)->x, 3);
    stoa_iter_end(&it);
    assert_int_equal(stoa_check(s->world), STOA_OK);
}

/* SYS-06 */
static void cut_follows_the_world(void **state) {
    support_world *s = *state;
    static visit_list list;
    stoa_query *light = query_of(s->world, STOA_READ(Plain));
    stoa_query *heavy = query_of(s->world, STOA_CHANGED(Plain));
    support_random random = {7};
    for (int round = 0; round < 60; round++) {
        for (uint32_t n = support_random_below(&random, 400); n > 0; n--) {
            stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Plain, {n}));
            assert_int_equal(stoa_add_id(s->world, e, stoa_id(s->world, Tag)), STOA_OK);
        }
        if (round < 20) {
            char name[16];
            snprintf(name, sizeof name, "new%d", round);
            stoa_component id =
                stoa_component_register(s->world, &(stoa_component_desc){.name = name});
            stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Plain, {1}));
            assert_int_equal(stoa_add_id(s->world, e, id), STOA_OK);
        }
        if (round % 10 == 9) {
            list.count = 0;
            stoa_iter it = stoa_query_iter(light);
            list_iter(&list, &it);
            for (int32_t i = 0; i < list.count; i += 1 + (round % 20 == 19)) {
                assert_int_equal(stoa_destroy(s->world, list.items[i]), STOA_OK);
            }
        }
        uint32_t since = stoa_tick(s->world) - 2;
        cut_agrees(light, NULL, 16 * (int32_t)support_random_below(&random, 20));
        cut_agrees(heavy, NULL, 16 * (int32_t)support_random_below(&random, 20));
        cut_agrees(heavy, &since, 0);
        stoa_tick_advance(s->world);
    }
}

/* The rows of all parts, each of which must have a 7. */
static int32_t sevens_count(stoa_query *query) {
    int32_t rows = 0, parts = stoa_query_cut(query, NULL, 0);
    for (int32_t i = 0; i < parts; i++) {
        for (stoa_iter it = stoa_query_part(query, i); stoa_iter_next(&it); rows += it.count) {
            const Plain *plain = stoa_field(&it, Plain, 0);
            for (int32_t row = 0; row < it.count; row++) {
                assert_int_equal(plain[row].x, 7);
            }
        }
    }
    return rows;
}

/* SYS-06 QRY-02 */
static void parts_read_their_columns_after_matches_have_moved(void **state) {
    support_world *s = *state;
    stoa_query *query = query_of(s->world, STOA_READ(Plain));
    for (int i = 0; i < 100; i++) {
        assert_int_not_equal(stoa_create_with(s->world, STOA_VALUE(Plain, {7})).index, 0);
    }
    for (int32_t round = 0; round < 40; round++) {
        assert_int_equal(sevens_count(query), 100 + round);
        char name[16];
        snprintf(name, sizeof name, "new%d", round);
        stoa_component id = stoa_component_register(s->world, &(stoa_component_desc){.name = name});
        stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Plain, {7}));
        assert_int_equal(stoa_add_id(s->world, e, id), STOA_OK);
    }
}

/* SYS-06 */
static void warm_cuts_allocate_nothing(void **state) {
    support_world *s = *state;
    scene_make(s->world, 5000);
    for (int kind = 0; kind < KINDS; kind++) {
        stoa_query *query = query_of_kind(s->world, kind);
        assert_true(stoa_query_cut(query, NULL, 16) >= 0);
        size_t before = s->heap.allocations;
        for (int i = 0; i < 5; i++) {
            int32_t parts = stoa_query_cut(query, NULL, 16 + i * 16);
            for (int32_t k = 0; k < parts; k++) {
                stoa_iter it = stoa_query_part(query, k);
                while (stoa_iter_next(&it)) {
                }
            }
        }
        assert_int_equal(s->heap.allocations, before);
    }
}

/* GEN-03 */
static void cut_without_memory_has_no_parts(void **state) {
    support_world *s = *state;
    static visit_list list;
    scene_make(s->world, 3000);
    for (int kind = 0; kind < KINDS; kind++) {
        int32_t parts = -1;
        stoa_query *query = query_of_kind(s->world, kind);
        bool cut_before = kind % 2 == 0;
        if (cut_before) {
            assert_true(stoa_query_cut(query, NULL, 1000) >= 0);
        }
        for (size_t k = 1; parts < 0; k++) {
            assert_true(k < 200);
            s->heap.fail_at = k;
            parts = stoa_query_cut(query, NULL, 256);
            s->heap.fail_at = 0;
            if (parts < 0) {
                assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
                assert_null(stoa_query_part(query, 0).query);
                support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
                list.count = 0;
                stoa_iter it = stoa_query_iter(query);
                list_iter(&list, &it);
                assert_int_equal(stoa_check(s->world), STOA_OK);
            }
        }
        list_parts(&list, query, parts);
        cut_agrees(query, NULL, 256);
    }
}

/* SYS-06 */
static void parts_that_do_not_exist_are_refused(void **state) {
    support_world *s = *state;
    stoa_query *query = query_of(s->world, STOA_READ(Plain));
    assert_int_not_equal(stoa_create_with(s->world, STOA_VALUE(Plain, {3})).index, 0);
    assert_null(stoa_query_part(query, 0).query);
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    support_assert_message("Plain");
    assert_int_equal(stoa_query_cut(query, NULL, 0), 1);
    static const int32_t none[] = {-1, 1, 2, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 5; i++) {
        stoa_iter it = stoa_query_part(query, none[i]);
        assert_false(stoa_iter_next(&it));
        support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
        stoa_iter_end(&it);
    }
    assert_int_equal(stoa_query_cut(query, NULL, -1), -1);
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    support_assert_message("-1 rows");
    assert_int_equal(stoa_query_cut(NULL, NULL, 0), -1);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_null(stoa_query_part(NULL, 0).query);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
}

/* SYS-06 */
static void part_locks_nothing(void **state) {
    support_world *s = *state;
    scene_make(s->world, 2000);
    for (int kind = 0; kind < 18; kind++) {
        stoa_query *query = query_of_kind(s->world, kind);
        assert_true(stoa_query_cut(query, NULL, 128) > 1);
        stoa_iter early = stoa_query_part(query, 0), open = stoa_query_part(query, 1);
        assert_true(stoa_iter_next(&early) && stoa_iter_next(&open));
        stoa_entity first = early.entities[0];
        stoa_iter_end(&early);
        assert_null(early.query);
        assert_int_equal(early.count, 0);
        assert_false(stoa_iter_next(&early));
        stoa_iter_end(&early);
        stoa_iter again = stoa_query_part(query, 0);
        assert_true(stoa_iter_next(&again));
        assert_int_equal(again.entities[0].index, first.index);
        assert_int_equal(stoa_check(s->world), STOA_OK);
        assert_int_not_equal(stoa_create(s->world).index, 0);
        assert_int_equal(stoa_query_free(query), STOA_OK);
    }
    support_assert_quiet(s);
}

/* SYS-06 */
static void world_is_freed_with_queries_that_are_cut(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        support_world s;
        support_world_open(&s);
        scene_make(s.world, 1000);
        stoa_query *query = query_of_kind(s.world, kind);
        int32_t parts = stoa_query_cut(query, NULL, 64);
        if (parts > 0) {
            stoa_iter it = stoa_query_part(query, parts - 1);
            assert_true(stoa_iter_next(&it));
        }
        support_world_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parts_visit_what_an_iteration_visits, support_setup,
                                        support_teardown),
        cmocka_unit_test(parts_of_many_chunks_visit_the_same),
        cmocka_unit_test_setup_teardown(query_without_matches_has_no_parts, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(rows_are_cut_at_multiples_of_16, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(number_of_rows_decides_the_parts, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(entities_without_components_are_a_part, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(cut_follows_the_world, support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(parts_read_their_columns_after_matches_have_moved,
                                        support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(warm_cuts_allocate_nothing, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(cut_without_memory_has_no_parts, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(parts_that_do_not_exist_are_refused, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(part_locks_nothing, support_setup, support_teardown),
        cmocka_unit_test(world_is_freed_with_queries_that_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

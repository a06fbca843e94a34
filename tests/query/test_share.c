/* Sharing queries: what threads may do meanwhile, and what counts as a run. */
#include "query/cut_fixture.h"

#define COUNT 600

/* A world with one buffer that can be forked. */
typedef struct share_fixture {
    support_world s;
    stoa_commands *commands;
} share_fixture;

static int share_setup(void **state) {
    static share_fixture f;
    support_world_open(&f.s);
    scene_make(f.s.world, COUNT);
    f.commands = stoa_commands_new(f.s.world);
    assert_non_null(f.commands);
    *state = &f;
    return 0;
}

static int share_teardown(void **state) {
    share_fixture *f = *state;
    support_world_close(&f->s);
    return 0;
}

static void share_fork(share_fixture *f) {
    assert_int_equal(stoa_commands_fork(f->s.world, &f->commands, 1), STOA_OK);
}

static void share_join(share_fixture *f) {
    assert_int_equal(stoa_commands_join(f->s.world), STOA_OK);
    assert_int_equal(stoa_commands_flush(f->commands), STOA_OK);
    assert_int_equal(stoa_check(f->s.world), STOA_OK);
}

/* A light query, a heavy one by chunks, one by a set, one with filters, two that match entities
 * without components. */
#define KINDS 6
static stoa_query *query_of_kind(stoa_world *w, int kind) {
    const stoa_term kinds[KINDS][2] = {
        {STOA_READ(Plain)},     {STOA_READ(Switch), STOA_OPTIONAL(Plain)},
        {STOA_READ(Sparse)},    {STOA_CHANGED(Exact)},
        {STOA_OPTIONAL(Plain)}, {STOA_WITHOUT(Loose)},
    };
    return query_make(w, kinds[kind], 2);
}
#define HEAVY(kind) ((kind) != 0 && (kind) != 4)

/* SYS-06 SYS-14: it would be counted by several threads at the same time. */
static void query_that_is_not_shared_is_refused_while_forked(void **state) {
    static visit_list got;
    share_fixture *f = *state;
    for (int kind = 0; kind < KINDS; kind++) {
        stoa_query *query = query_of_kind(f->s.world, kind);
        const stoa_query_head *head = (const stoa_query_head *)(const void *)query;
        stoa_iter it = stoa_query_iter(query); /* from here on the quick way is open to it */
        list_iter(&got, &it);
        share_fork(f);
        it = stoa_query_iter(query);
        support_assert_misuse(&f->s, stoa_last_error().status, STOA_FORKED);
        support_assert_message("not shared");
        assert_false(stoa_iter_next(&it));
        it = stoa_query_iter_since(query, 0);
        support_assert_misuse(&f->s, stoa_last_error().status, STOA_FORKED);
        assert_false(stoa_iter_next(&it));
        assert_int_equal(head->open, 0);
        share_join(f);
        assert_int_equal(stoa_query_free(query), STOA_OK);
    }
}

/* SYS-06 */
static void shared_query_visits_the_same(void **state) {
    static visit_list expected, got;
    share_fixture *f = *state;
    for (int kind = 0; kind < KINDS; kind++) {
        stoa_query *query = query_of_kind(f->s.world, kind);
        const stoa_query_head *head = (const stoa_query_head *)(const void *)query;
        assert_int_equal(stoa_query_share(query, 2), STOA_OK);
        expected.count = 0;
        stoa_iter it = stoa_query_iter_since(query, tick_long_ago(f->s.world));
        list_iter(&expected, &it);
        assert_true(expected.count > 100);
        share_fork(f);
        size_t before = f->s.heap.allocations;
        stoa_iter two[2] = {stoa_query_iter(query), stoa_query_iter(query)};
        for (int i = 0; i < 2; i++) {
            got.count = 0;
            list_iter(&got, &two[i]);
            lists_equal(&expected, &got);
        }
        /* Ended early, it can begin again. */
        for (int i = 0; i < 5; i++) {
            stoa_iter early = stoa_query_iter(query);
            assert_true(stoa_iter_next(&early));
            stoa_iter_end(&early);
            stoa_iter_end(&early);
        }
        assert_int_equal(f->s.heap.allocations, before);
        share_join(f);
        stoa_query_unshare(query, false);
        /* Where iterations need no call they are without one again. */
        assert_int_equal(head->light == STOA_QUERY_LIGHT, kind == 0);
        got.count = 0;
        it = stoa_query_iter(query);
        list_iter(&got, &it);
        lists_equal(&expected, &got);
        assert_int_equal(stoa_check(f->s.world), STOA_OK);
    }
    support_assert_quiet(&f->s);
}

/* SYS-06 */
static void more_iterations_than_shared_are_refused(void **state) {
    share_fixture *f = *state;
    for (int kind = 0; kind < KINDS; kind++) {
        stoa_query *query = query_of_kind(f->s.world, kind);
        /* Two shares add up. */
        assert_int_equal(stoa_query_share(query, 2), STOA_OK);
        assert_int_equal(stoa_query_share(query, 1), STOA_OK);
        share_fork(f);
        stoa_iter open[4];
        for (int i = 0; i < 4; i++) {
            open[i] = stoa_query_iter(query);
            bool refused = i == 3 && HEAVY(kind);
            assert_int_equal(open[i].query == NULL, refused);
            assert_int_equal(stoa_iter_next(&open[i]), !refused);
            if (refused) {
                assert_int_equal(stoa_last_error().status, STOA_LIMIT);
                support_assert_message(stoa_query_name(query));
            }
        }
        stoa_iter_end(&open[0]);
        stoa_iter again = stoa_query_iter(query);
        assert_true(stoa_iter_next(&again));
        stoa_iter_end(&again);
        for (int i = 1; i < 4; i++) {
            stoa_iter_end(&open[i]);
        }
        stoa_query_unshare(query, false);
        stoa_query_unshare(query, false);
        share_join(f);
    }
}

/* SYS-06 */
static void iterations_left_open_end_with_the_share(void **state) {
    share_fixture *f = *state;
    size_t bytes = 0;
    stoa_query *query = query_of(f->s.world, STOA_READ(Switch));
    for (int round = 0; round < 10; round++) {
        assert_int_equal(stoa_query_share(query, 3), STOA_OK);
        share_fork(f);
        for (int i = 0; i < 3; i++) {
            stoa_iter left = stoa_query_iter(query);
            assert_true(stoa_iter_next(&left));
        }
        stoa_query_unshare(query, true);
        share_join(f);
        bytes = round == 0 ? f->s.heap.bytes : bytes;
        assert_int_equal(f->s.heap.bytes, bytes);
    }
}

/* SYS-06 */
static void cut_leaves_what_is_shared_to_the_threads(void **state) {
    share_fixture *f = *state;
    stoa_query *query = query_of(f->s.world, STOA_READ(Switch));
    assert_int_equal(stoa_query_share(query, 2), STOA_OK);
    assert_true(stoa_query_cut(query, NULL, 16) > 4);
    share_fork(f);
    stoa_iter first = stoa_query_iter(query), second = stoa_query_iter(query);
    assert_true(stoa_iter_next(&first) && stoa_iter_next(&second));
    stoa_iter_end(&first);
    stoa_iter_end(&second);
    stoa_query_unshare(query, true);
    share_join(f);
}

/* SYS-06 CHG-03 */
static void unshare_tells_whether_it_was_a_run(void **state) {
    share_fixture *f = *state;
    stoa_entity e = stoa_create_with(f->s.world, STOA_VALUE(Exact, {1}));
    stoa_query *query = query_of(f->s.world, STOA_CHANGED(Exact));
    uint32_t never = stoa_query_last_run(query);
    for (int ran = 0; ran < 2; ran++) {
        assert_int_equal(stoa_query_share(query, 1), STOA_OK);
        share_fork(f);
        stoa_iter it = stoa_query_iter(query);
        int32_t rows = 0;
        while (stoa_iter_next(&it)) {
            rows += it.count;
        }
        /* It never ran: everything is new. */
        assert_true(rows > 100);
        assert_int_equal(stoa_query_last_run(query), never);
        uint32_t tick = stoa_tick(f->s.world);
        stoa_query_unshare(query, ran == 1);
        share_join(f);
        assert_int_equal(stoa_query_last_run(query), ran == 1 ? tick : never);
        assert_int_equal(stoa_tick(f->s.world) != tick, ran);
    }
    assert_int_equal(stoa_query_count(query), 0);
    /* What comes after a run is news, with no need to advance the tick. */
    assert_int_equal(stoa_set(f->s.world, e, Exact, {2}), STOA_OK);
    assert_int_equal(stoa_query_count(query), 1);
    stoa_query_unshare(query, true);
    assert_int_equal(stoa_query_count(query), 1);
}

/* SYS-06 */
static void run_without_filters_leaves_the_tick(void **state) {
    share_fixture *f = *state;
    for (int kind = 0; kind < 3; kind++) {
        stoa_query *query = query_of_kind(f->s.world, kind);
        stoa_tick_advance(f->s.world);
        uint32_t tick = stoa_tick(f->s.world);
        assert_int_equal(stoa_query_share(query, 1), STOA_OK);
        stoa_query_unshare(query, true);
        assert_int_equal(stoa_query_last_run(query), tick);
        assert_int_equal(stoa_tick(f->s.world), tick);
    }
}

/* SYS-06 */
static void shared_query_without_a_fork_is_as_always(void **state) {
    static visit_list list;
    share_fixture *f = *state;
    for (int kind = 0; kind < KINDS; kind++) {
        stoa_query *query = query_of_kind(f->s.world, kind);
        assert_int_equal(stoa_query_share(query, 1), STOA_OK);
        stoa_iter one = stoa_query_iter(query), two = stoa_query_iter(query);
        assert_true(stoa_iter_next(&one) && stoa_iter_next(&two));
        assert_int_equal(stoa_create(f->s.world).index, 0);
        support_assert_misuse(&f->s, stoa_last_error().status, STOA_ITERATING);
        stoa_iter_end(&one);
        list.count = 0;
        list_iter(&list, &two);
        assert_int_equal(stoa_check(f->s.world), STOA_OK);
        assert_int_not_equal(stoa_create(f->s.world).index, 0);
        stoa_query_unshare(query, false);
        assert_int_equal(stoa_query_free(query), STOA_OK);
    }
}

/* SYS-06 */
static void iteration_may_outlast_a_share(void **state) {
    share_fixture *f = *state;
    for (int kind = 0; kind < KINDS; kind++) {
        stoa_query *query = query_of_kind(f->s.world, kind);
        stoa_iter before = stoa_query_iter(query);
        assert_int_equal(stoa_query_share(query, 1), STOA_OK);
        stoa_iter between = stoa_query_iter(query);
        while (stoa_iter_next(&before)) {
        }
        stoa_query_unshare(query, false);
        while (stoa_iter_next(&between)) {
        }
        assert_int_equal(stoa_check(f->s.world), STOA_OK);
        assert_int_equal(stoa_query_free(query), STOA_OK);
    }
}

/* SYS-06 */
static void list_of_entities_without_components_stays_right(void **state) {
    share_fixture *f = *state;
    stoa_query *query = query_of(f->s.world, STOA_OPTIONAL(Plain));
    stoa_query *other = query_of(f->s.world, STOA_WITHOUT(Other));
    int32_t count = stoa_query_count(query);
    assert_int_equal(stoa_query_share(query, 1), STOA_OK);
    for (int i = 0; i < 3; i++) {
        stoa_entity e = stoa_create(f->s.world);
        stoa_query *asked = i % 2 == 0 ? other : query;
        int32_t seen = 0;
        for (stoa_iter it = stoa_query_iter(asked); stoa_iter_next(&it);) {
            seen += it.count;
        }
        assert_int_equal(seen, count + 1);
        assert_int_equal(stoa_destroy(f->s.world, e), STOA_OK);
    }
    f->s.heap.fail_at = 1;
    stoa_iter none = stoa_query_iter(other);
    assert_null(none.query);
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    stoa_query_unshare(query, false);
    assert_int_equal(stoa_check(f->s.world), STOA_OK);
}

/* SYS-06 */
static void impossible_shares_are_refused(void **state) {
    share_fixture *f = *state;
    stoa_query *query = query_of(f->s.world, STOA_READ(Switch));
    support_assert_misuse(&f->s, stoa_query_share(query, 0), STOA_INVALID);
    support_assert_misuse(&f->s, stoa_query_share(query, -3), STOA_INVALID);
    support_assert_message("-3");
    assert_int_equal(stoa_query_share(query, INT32_MAX), STOA_LIMIT);
    assert_int_equal(stoa_query_share(NULL, 1), STOA_NULL_ARGUMENT);
    stoa_query_unshare(NULL, true);
    stoa_query_unshare(query, true);
    assert_int_equal(stoa_query_share(query, 1), STOA_OK);
    assert_int_equal(stoa_query_free(query), STOA_ITERATING);
    support_assert_message("shared");
    stoa_query_unshare(query, false);
    assert_int_equal(stoa_query_free(query), STOA_OK);
    f->s.asserts_seen = f->s.asserts;
}

/* GEN-03 */
static void share_without_memory_shares_nothing(void **state) {
    share_fixture *f = *state;
    for (int kind = 0; kind < KINDS; kind++) {
        stoa_query *query = query_of_kind(f->s.world, kind);
        stoa_status status = STOA_NO_MEMORY;
        for (size_t k = 1; status != STOA_OK; k++) {
            assert_true(k < 20);
            f->s.heap.fail_at = k;
            status = stoa_query_share(query, 4);
            f->s.heap.fail_at = 0;
            if (status != STOA_OK) {
                assert_int_equal(status, STOA_NO_MEMORY);
                assert_int_equal(stoa_check(f->s.world), STOA_OK);
                stoa_query_unshare(query, true);
            }
        }
        stoa_query_unshare(query, false);
        assert_int_equal(stoa_query_free(query), STOA_OK);
    }
}

/* SYS-06 */
static void world_is_freed_with_queries_that_are_shared(void **state) {
    share_fixture *f = *state;
    for (int kind = 0; kind < KINDS; kind++) {
        assert_int_equal(stoa_query_share(query_of_kind(f->s.world, kind), 3), STOA_OK);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, share_setup, share_teardown)
    const struct CMUnitTest tests[] = {
        TEST(query_that_is_not_shared_is_refused_while_forked),
        TEST(shared_query_visits_the_same),
        TEST(more_iterations_than_shared_are_refused),
        TEST(iterations_left_open_end_with_the_share),
        TEST(cut_leaves_what_is_shared_to_the_threads),
        TEST(unshare_tells_whether_it_was_a_run),
        TEST(run_without_filters_leaves_the_tick),
        TEST(shared_query_without_a_fork_is_as_always),
        TEST(iteration_may_outlast_a_share),
        TEST(list_of_entities_without_components_stays_right),
        TEST(impossible_shares_are_refused),
        TEST(share_without_memory_shares_nothing),
        TEST(world_is_freed_with_queries_that_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

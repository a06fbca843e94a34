/* Indexes and systems: look-ups by many threads at once, and what they see of other systems. */
#include "index_fixture.h"

#define UNITS 3000
#define TEAMS 7

typedef struct battle {
    support_world s;
    stoa_app *app;
    stoa_index *teams;
    stoa_index *ranks;
    stoa_index *speeds;
    int32_t counts[TEAMS];
} battle;

/* Writes a column: who is of which team changes every frame. */
static stoa_status teams_change(stoa_job *job, stoa_iter *it) {
    (void)job;
    Unit *units = stoa_field_mut(it, Unit, 0);
    for (int32_t i = 0; i < it->count; i++) {
        units[i].team = (units[i].team * 3 + (int32_t)it->entities[i].index) % TEAMS;
        units[i].speed += 1;
    }
    return STOA_OK;
}

/* On many threads: each row looks its own number up. */
static stoa_status others_look(stoa_job *job, stoa_iter *it) {
    battle *b = job->user;
    Other *others = stoa_field_mut(it, Other, 0);
    for (int32_t i = 0; i < it->count; i++) {
        int32_t team = (int32_t)it->entities[i].index % TEAMS;
        float speed = 3;
        double sum = 0;
        for (stoa_found f = stoa_index_find(b->teams, &team); stoa_found_next(&f);) {
            sum += f.entity.index;
        }
        sum += stoa_index_count(b->ranks, &team);
        sum += stoa_index_nearest(b->speeds, &speed).index;
        others[i].value = others[i].value * 0.5 + sum;
    }
    return STOA_OK;
}

/* Records what it found; seen by the next batch. */
static stoa_status ranks_change(stoa_job *job, stoa_iter *it) {
    battle *b = job->user;
    (void)it;
    for (int32_t team = 0; team < TEAMS; team++) {
        b->counts[team] = stoa_index_count(b->teams, &team);
        stoa_entity first = stoa_index_first(b->ranks, &team);
        if (!stoa_entity_is_null(first)) {
            stoa_commands_set(job->commands, first, Rank, {(team + 1) % TEAMS, 1});
        }
    }
    return STOA_OK;
}

static void battle_open(battle *b, int32_t threads) {
    memset(b, 0, sizeof *b);
    support_world_open_with(&b->s, 16384);
    stoa_world *w = b->s.world;
    b->app = stoa_app_new(&(stoa_app_desc){.world = w, .threads = threads});
    assert_non_null(b->app);
    b->teams = stoa_index_on(w, Unit, team);
    b->ranks = stoa_index_on(w, Rank, team);
    b->speeds = stoa_index_ordered_on(w, Unit, speed);
    for (int32_t i = 0; i < UNITS; i++) {
        stoa_entity e =
            stoa_create_with(w, STOA_VALUE(Unit, {i % TEAMS, (float)i}), STOA_VALUE(Other, {0}));
        if (i % 10 == 0) {
            stoa_set(w, e, Rank, {i % TEAMS, 0});
        }
    }
    stoa_system_desc systems[] = {
        {.name = "change", .each = teams_change, .terms = {STOA_WRITE(Unit)}},
        {.name = "look", .each = others_look, .terms = {STOA_WRITE(Other)}, .after = {"change"}},
        {.name = "ranks", .run = ranks_change, .after = {"change"}},
    };
    for (int i = 0; i < 3; i++) {
        systems[i].user = b;
        assert_int_not_equal(stoa_system_new(b->app, &systems[i]).id, 0);
    }
}

/* IDX-01 SYS-06 SYS-08 */
static void look_ups_of_systems_are_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    uint64_t hashes[6] = {0};
    for (int32_t threads = 1; threads <= 4; threads *= 2) {
        battle b;
        battle_open(&b, threads);
        for (int frame = 0; frame < 6; frame++) {
            assert_int_equal(stoa_app_step(b.app, 0.25), STOA_OK);
            int32_t total = 0, expected[TEAMS] = {0};
            for (stoa_entity e = stoa_entity_next(b.s.world, STOA_NULL); e.index != 0;
                 e = stoa_entity_next(b.s.world, e)) {
                expected[stoa_get(b.s.world, e, Unit)->team]++;
            }
            for (int32_t team = 0; team < TEAMS; team++) {
                /* The batch after the one that wrote saw what was written. */
                assert_int_equal(b.counts[team], expected[team]);
                total += b.counts[team];
            }
            assert_int_equal(total, UNITS);
            hashes[frame] = threads == 1 ? stoa_hash(b.s.world) : hashes[frame];
            assert_true(stoa_hash(b.s.world) == hashes[frame]);
        }
        assert_int_equal(stoa_app_free(b.app), STOA_OK);
        support_world_close(&b.s);
        assert_int_equal(b.s.asserts, 0);
    }
}

typedef struct parallel_sum {
    stoa_index *ranks;
    atomic_int found;
} parallel_sum;

static void row_look(stoa_entity e, void *const *fields, void *user) {
    parallel_sum *sum = user;
    (void)fields;
    int32_t team = (int32_t)e.index % TEAMS;
    sum->found += stoa_index_count(sum->ranks, &team);
}

/* IDX-01 SYS-15 */
static void parallel_iteration_may_look_up(void **state) {
    (void)state;
    battle b;
    battle_open(&b, 1);
    parallel_sum sum = {.ranks = b.ranks};
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 4});
    stoa_query *q = stoa_query_new(b.s.world, &(stoa_query_desc){.terms = {STOA_READ(Other)}});
    assert_non_null(pool);
    assert_int_equal(stoa_query_each_parallel(q, pool, row_look, &sum), STOA_OK);
    int32_t expected = 0;
    for (uint32_t i = 1; i <= UNITS; i++) {
        expected += stoa_index_count(b.ranks, STOA_KEY(int32_t, (int32_t)i % TEAMS));
    }
    assert_int_equal(sum.found, expected);
    stoa_pool_free(pool);
    assert_int_equal(stoa_app_free(b.app), STOA_OK);
    support_world_close(&b.s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look_ups_of_systems_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(parallel_iteration_may_look_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

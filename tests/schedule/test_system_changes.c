/* Filters of systems: what changed and was added since a system's own last run. */
#include "schedule/app_fixture.h"
#include "world/world.h"

STOA_COMPONENT(Place, { int32_t x; });
STOA_COMPONENT_WITH(Exact, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t x; });

#define QUARTER 0x40000000u

/* A system that counts rows of chunks, jobs and runs, and may write them. */
typedef struct watch {
    int32_t rows;
    bool writes;
    bool sets;
} watch;

static stoa_status watch_each(stoa_job *job, stoa_iter *it) {
    watch *w = job->user;
    w->rows += it->count;
    for (int32_t i = 0; i < it->count; i++) {
        if (w->writes) {
            stoa_field_at_mut(it, Exact, 0, i)->x++;
        }
        if (w->sets) {
            stoa_commands_set(job->commands, it->entities[i], Exact, {7});
        }
    }
    return STOA_OK;
}

static stoa_status watch_run(stoa_job *job, stoa_iter *it) {
    while (stoa_iter_next(it)) {
        (void)watch_each(job, it);
    }
    return STOA_OK;
}

static int32_t seen(app_fixture *f, watch *w) {
    w->rows = 0;
    app_step(f);
    return w->rows;
}

/* The ways in which a system walks its query. */
static stoa_system_desc watcher(int way, watch *w, stoa_access access) {
    stoa_system_desc desc = {.name = "watch", .user = w, .rule = STOA_THREAD_ANY_ONE};
    desc.terms[0] = STOA_WRITE(Exact);
    desc.terms[1] = (stoa_term){STOA_TYPE_OF(Exact), 0, access, 0};
    desc.each = way != 1 ? watch_each : NULL;
    desc.run = way == 1 ? watch_run : NULL;
    desc.rule = way == 2 ? STOA_THREAD_EXCLUSIVE : way == 3 ? STOA_THREAD_MAIN : STOA_THREAD_ANY;
    return desc;
}

#define WAYS 4

/* CHG-06 CHG-04 QRY-08: what others wrote since is news, once; what it wrote itself through fields
 * is not, what its own commands did is. */
static void changes_are_news_since_the_systems_own_run(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        app_fixture f;
        watch w = {0};
        app_open(&f, (stoa_app_desc){.threads = 1});
        stoa_entity list[10];
        for (int i = 0; i < 10; i++) {
            list[i] = stoa_create_with(f.world, STOA_VALUE(Exact, {i}));
        }
        app_add(&f, watcher(way, &w, STOA_ACCESS_CHANGED));
        assert_int_equal(seen(&f, &w), 10);
        assert_int_equal(seen(&f, &w), 0);
        stoa_get_mut(f.world, list[3], Exact)->x = 5;
        w.writes = true;
        assert_int_equal(seen(&f, &w), 1);
        assert_int_equal(seen(&f, &w), 0);
        stoa_get_mut(f.world, list[3], Exact)->x = 5;
        stoa_get_mut(f.world, list[4], Exact)->x = 5;
        w.sets = true;
        assert_int_equal(seen(&f, &w), 2);
        assert_int_equal(seen(&f, &w), 2);
        w.sets = false;
        assert_int_equal(seen(&f, &w), 2);
        assert_int_equal(seen(&f, &w), 0);
        app_close(&f);
    }
}

/* CHG-06 CHG-04 QRY-08 */
static void additions_are_news_since_the_systems_own_run(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        app_fixture f;
        watch w = {.writes = true};
        app_open(&f, (stoa_app_desc){.threads = 1});
        stoa_entity e = stoa_create_with(f.world, STOA_ZERO(Exact));
        app_add(&f, watcher(way, &w, STOA_ACCESS_ADDED));
        assert_int_equal(seen(&f, &w), 1);
        stoa_get_mut(f.world, e, Exact)->x = 5;
        assert_int_equal(seen(&f, &w), 0);
        stoa_create_with(f.world, STOA_ZERO(Exact));
        stoa_create_with(f.world, STOA_ZERO(Exact), STOA_ZERO(Place));
        assert_int_equal(seen(&f, &w), 2);
        assert_int_equal(seen(&f, &w), 0);
        app_close(&f);
    }
}

static stoa_status exact_write(stoa_job *job, stoa_iter *it) {
    int32_t limit = *(const int32_t *)job->user;
    for (int32_t i = 0; i < it->count && i < limit; i++) {
        stoa_field_at_mut(it, Exact, 0, i)->x++;
    }
    return STOA_OK;
}

static stoa_status exact_spawn(stoa_job *job, stoa_iter *it) {
    (void)it;
    for (int32_t i = 0; i < *(const int32_t *)job->user; i++) {
        stoa_commands_create_with(job->commands, STOA_ZERO(Exact));
    }
    return STOA_OK;
}

/* CHG-06 SYS-07: a writer that comes later in the frame is news in the next, one that comes earlier
 * in this one; commands of the same batch in the next. */
static void writes_of_other_systems_are_news_once(void **state) {
    (void)state;
    app_fixture f;
    watch w = {0};
    int32_t early = 0, late = 0, spawns = 0;
    app_open(&f, (stoa_app_desc){.threads = 1});
    for (int i = 0; i < 20; i++) {
        stoa_create_with(f.world, STOA_ZERO(Exact));
    }
    stoa_system_desc write = {
        .name = "early", .each = exact_write, .terms = {STOA_WRITE(Exact)}, .user = &early};
    app_add(&f, write);
    app_add(&f, watcher(0, &w, STOA_ACCESS_CHANGED));
    app_add(&f, (stoa_system_desc){
                    .name = "spawn", .run = exact_spawn, .user = &spawns, .after = {"early"}});
    write.name = "late", write.user = &late;
    app_add(&f, write);
    app_step(&f);
    assert_int_equal(seen(&f, &w), 0);
    early = 3;
    assert_int_equal(seen(&f, &w), 3);
    early = 0, late = 4;
    assert_int_equal(seen(&f, &w), 0);
    late = 0;
    assert_int_equal(seen(&f, &w), 4);
    assert_int_equal(seen(&f, &w), 0);
    spawns = 5;
    assert_int_equal(seen(&f, &w), 0);
    spawns = 0;
    assert_int_equal(seen(&f, &w), 5);
    assert_int_equal(seen(&f, &w), 0);
    app_close(&f);
}

/* SYS-06: from the first frame on; it counts as a run, and what comes later is seen. */
static void system_that_matches_nothing_is_not_called(void **state) {
    (void)state;
    app_fixture f;
    watch w = {0};
    app_open(&f, (stoa_app_desc){.threads = 1});
    stoa_system made = app_add(&f, watcher(0, &w, STOA_ACCESS_CHANGED));
    app_step(&f);
    app_step(&f);
    stoa_system_info info;
    stoa_system_info_get(f.app, made, &info);
    assert_int_equal(info.runs, 2);
    assert_int_equal(w.rows, 0);
    stoa_create_with(f.world, STOA_ZERO(Exact));
    assert_int_equal(seen(&f, &w), 1);
    app_close(&f);
}

typedef struct runs {
    uint32_t last[8];
    bool first[8];
    int count;
} runs;

static stoa_status run_note(stoa_job *job, stoa_iter *it) {
    (void)it;
    runs *r = job->user;
    r->last[r->count] = job->last_run;
    r->first[r->count++] = job->first_run;
    return STOA_OK;
}

/* CHG-06: the tick moves on before each batch; last_run is that of the run before. */
static void job_is_told_of_the_run_before(void **state) {
    (void)state;
    static const stoa_thread_rule rules[] = {STOA_THREAD_ANY, STOA_THREAD_EXCLUSIVE};
    for (int i = 0; i < 2; i++) {
        app_fixture f;
        runs r = {.count = 0};
        app_open(&f, (stoa_app_desc){.threads = 1});
        stoa_system made = app_add(
            &f, (stoa_system_desc){.name = "note", .run = run_note, .user = &r, .rule = rules[i]});
        stoa_system_info info = {.runs = 0};
        for (int k = 0; k < 4; k++) {
            uint32_t before = stoa_tick(f.world);
            app_step(&f);
            assert_int_equal(r.first[k], k == 0);
            assert_true(k == 0 || r.last[k] == info.last_run);
            assert_int_equal(stoa_system_info_get(f.app, made, &info), STOA_OK);
            assert_true(stoa_tick_newer(info.last_run, before));
            assert_true(stoa_tick_newer(stoa_tick(f.world), info.last_run));
            assert_int_equal(info.runs, k + 1);
        }
        app_close(&f);
    }
}

typedef struct query_user {
    stoa_query *query;
    stoa_entity touched;
    int32_t rows;
} query_user;

static stoa_status alone_write(stoa_job *job, stoa_iter *it) {
    (void)it;
    query_user *u = job->user;
    u->rows = 0;
    for (stoa_iter own = stoa_query_iter(u->query); stoa_iter_next(&own);) {
        u->rows += own.count;
    }
    stoa_get_mut(job->world, u->touched, Exact)->x++;
    if (job->first_run) {
        return STOA_OK;
    }
    return stoa_changed(job->world, u->touched, Exact, job->last_run) ? STOA_OK : STOA_FAILED;
}

/* CHG-06: what an exclusive system writes at once is no news to it, though ticks go by in it. */
static void direct_writes_of_an_exclusive_system_are_no_news(void **state) {
    (void)state;
    app_fixture f;
    query_user u = {.rows = 0};
    watch w = {0};
    app_open(&f, (stoa_app_desc){.threads = 1});
    u.touched = stoa_create_with(f.world, STOA_ZERO(Exact));
    u.query = stoa_query_new(f.world, &(stoa_query_desc){.terms = {STOA_CHANGED(Exact)}});
    stoa_system made = app_add(
        &f, (stoa_system_desc){
                .name = "alone", .run = alone_write, .user = &u, .rule = STOA_THREAD_EXCLUSIVE});
    app_add(&f, watcher(0, &w, STOA_ACCESS_CHANGED));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(seen(&f, &w), 1);
        stoa_system_info info;
        stoa_system_info_get(f.app, made, &info);
        assert_false(stoa_changed(f.world, u.touched, Exact, info.last_run));
    }
    app_close(&f);
}

/* Goes through very many ticks, with a frame now and then. */
static void ages_pass(app_fixture *f, int quarters) {
    for (int i = 0; i < quarters * 16; i++) {
        stoa__world_tick_step(f->world, QUARTER / 16 + 3);
        app_step(f);
    }
}

/* CHG-01 CHG-06: a change after the last run is never missed, however long ago, and a system that
 * runs sees it once. */
static void systems_disabled_for_ages_miss_nothing(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        for (int quarters = 1; quarters < 12; quarters++) {
            app_fixture f;
            watch w = {0};
            app_open(&f, (stoa_app_desc){.threads = 1});
            stoa_entity e = stoa_create_with(f.world, STOA_ZERO(Exact));
            stoa_system made = app_add(&f, watcher(way, &w, STOA_ACCESS_CHANGED));
            assert_int_equal(seen(&f, &w), 1);
            assert_int_equal(stoa_system_enable(f.app, made, false), STOA_OK);
            stoa__world_tick_step(f.world, (uint32_t)quarters);
            stoa_get_mut(f.world, e, Exact)->x = 1;
            ages_pass(&f, quarters);
            assert_int_equal(w.rows, 1);
            assert_int_equal(stoa_system_enable(f.app, made, true), STOA_OK);
            assert_int_equal(seen(&f, &w), 1);
            assert_int_equal(seen(&f, &w), 0);
            app_close(&f);
        }
    }
}

/* CHG-01 CHG-06: old changes are no news to one that runs, where ticks wrap and later. */
static void running_systems_see_no_old_news(void **state) {
    (void)state;
    support_heap heap = {0};
    stoa_allocator allocator = support_allocator(&heap);
    for (uint32_t before = 0; before < 12; before++) {
        stoa_world_desc as = {.allocator = &allocator, .first_tick = UINT32_MAX - before};
        app_fixture f = {.app = stoa_app_new(&(stoa_app_desc){.world_as = &as, .threads = 1})};
        watch w = {0};
        f.world = stoa_app_world(f.app);
        stoa_entity e = stoa_create_with(f.world, STOA_ZERO(Exact));
        app_add(&f, watcher((int)before % WAYS, &w, STOA_ACCESS_CHANGED));
        assert_int_equal(seen(&f, &w), 1);
        for (int i = 0; i < 8; i++) {
            assert_int_equal(seen(&f, &w), 0);
            stoa_get_mut(f.world, e, Exact)->x = 1;
            assert_int_equal(seen(&f, &w), 1);
        }
        w.rows = 0;
        ages_pass(&f, 9);
        assert_int_equal(w.rows, 0);
        assert_int_equal(stoa_check(f.world), STOA_OK);
        assert_int_equal(stoa_app_free(f.app), STOA_OK);
        assert_int_equal(heap.bytes, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_news_since_the_systems_own_run),
        cmocka_unit_test(additions_are_news_since_the_systems_own_run),
        cmocka_unit_test(writes_of_other_systems_are_news_once),
        cmocka_unit_test(system_that_matches_nothing_is_not_called),
        cmocka_unit_test(job_is_told_of_the_run_before),
        cmocka_unit_test(direct_writes_of_an_exclusive_system_are_no_news),
        cmocka_unit_test(systems_disabled_for_ages_miss_nothing),
        cmocka_unit_test(running_systems_see_no_old_news),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

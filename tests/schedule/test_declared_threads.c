/* What systems declare beside their terms: queries that several iterate at once, components by
 * handle, resources, and events that are sent and read in jobs. */
#include "schedule/app_fixture.h"

#include <stdatomic.h>

STOA_COMPONENT(Place, { int32_t x; });
STOA_COMPONENT(Speed, { int32_t x; });
STOA_COMPONENT(Target, { stoa_entity entity; });
STOA_COMPONENT(Found, { int64_t sum; });
STOA_COMPONENT_WITH(Loose, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t x; });
STOA_COMPONENT_WITH(Exact, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t x; });
STOA_COMPONENT(Rules, { int32_t factor; });
STOA_COMPONENT(Score, { int64_t sum; });
STOA_COMPONENT(Hit, {
    stoa_entity by;
    int32_t number;
});
STOA_TAG(Odd);

#define ROWS 1500

static void rows_make(stoa_world *w) {
    stoa_entity last = STOA_NULL;
    for (int i = 0; i < ROWS; i++) {
        stoa_entity e = stoa_create_with(w, STOA_VALUE(Place, {i}), STOA_VALUE(Target, {last}),
                                         STOA_ZERO(Found));
        assert_int_equal(i % 2 == 0 ? stoa_set(w, e, Speed, {i}) : STOA_OK, STOA_OK);
        assert_int_equal(i % 3 == 0 ? stoa_set(w, e, Loose, {i}) : STOA_OK, STOA_OK);
        assert_int_equal(i % 5 == 0 ? stoa_set(w, e, Exact, {i}) : STOA_OK, STOA_OK);
        assert_int_equal(i % 7 == 0 ? stoa_add(w, e, Odd) : STOA_OK, STOA_OK);
        last = e;
    }
}

static const stoa_app_desc ways[] = {
    {.threads = 1},
    {.threads = 4, .eager = true},
    {.threads = 4, .eager = true, .shuffle = 5},
};
#define WAYS (sizeof ways / sizeof *ways)

/* Queries of all weights: by columns only, with sparse sets, with change filters, and of those
 * without components. */
#define QUERIES 4

typedef struct library {
    stoa_query *queries[QUERIES];
    atomic_int wrong;
    int32_t expected[QUERIES];
} library;

static int32_t rows_count(stoa_query *query) {
    int32_t count = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        count += it.count;
    }
    return count;
}

/* Iterates every query once, and one inside of another. */
static stoa_status read_once(stoa_job *job, stoa_iter *it) {
    (void)it;
    library *l = job->user;
    for (int i = 0; i < QUERIES; i++) {
        l->wrong += rows_count(l->queries[i]) != l->expected[i];
    }
    for (stoa_iter own = stoa_query_iter(l->queries[0]); stoa_iter_next(&own);) {
        l->wrong += rows_count(l->queries[1]) != l->expected[1];
        l->wrong += rows_count(l->queries[0]) != l->expected[0];
        /* Left early, and ended as it should be. */
        stoa_iter early = stoa_query_iter(l->queries[2]);
        (void)stoa_iter_next(&early);
        stoa_iter_end(&early);
    }
    int32_t left = 3;
    for (stoa_iter own = stoa_query_iter(l->queries[1]); left > 0 && stoa_iter_next(&own); left--) {
        l->wrong += rows_count(l->queries[1]) != l->expected[1];
        if (left == 1) {
            stoa_iter_end(&own);
        }
    }
    return STOA_OK;
}

/* The same in each of its jobs, for every chunk. */
static stoa_status read_each(stoa_job *job, stoa_iter *it) {
    Found *found = stoa_field_mut(it, Found, 0);
    int64_t sum = rows_count(((library *)job->user)->queries[1]);
    for (int32_t i = 0; i < it->count; i++) {
        found[i].sum = sum;
    }
    return read_once(job, it);
}

/* SYS-06 SYS-02: in several systems and jobs at once. */
static void declared_queries_are_iterated_side_by_side(void **state) {
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        app_fixture f;
        library l = {.wrong = 0};
        app_open(&f, ways[way]);
        rows_make(f.world);
        for (int i = 0; i < 40; i++) {
            stoa_create(f.world);
        }
        const stoa_query_desc descs[QUERIES] = {
            {.terms = {STOA_READ(Place), STOA_READ(Speed)}},
            {.terms = {STOA_READ(Loose), STOA_READ(Place)}},
            {.terms = {STOA_READ(Exact), STOA_OPTIONAL(Speed)}},
            {.terms = {STOA_WITHOUT(Place)}},
        };
        for (int i = 0; i < QUERIES; i++) {
            l.queries[i] = stoa_query_new(f.world, &descs[i]);
            l.expected[i] = stoa_query_count(l.queries[i]);
        }
        stoa_system_desc desc = {.run = read_once, .user = &l};
        memcpy(desc.queries, l.queries, sizeof l.queries);
        static const char *const names[] = {"a", "b", "c"};
        for (int i = 0; i < 3; i++) {
            desc.name = names[i];
            app_add(&f, desc);
        }
        desc.name = "each", desc.run = NULL, desc.each = read_each, desc.grain = 200;
        desc.terms[0] = STOA_WRITE(Found);
        app_add(&f, desc);
        desc.name = "main", desc.run = read_once, desc.each = NULL;
        desc.terms[0].access = STOA_ACCESS_END, desc.rule = STOA_THREAD_MAIN;
        app_add(&f, desc);
        assert_int_equal(stoa_schedule_batches(f.app, STOA_UPDATE), 1);
        for (int i = 0; i < 10; i++) {
            app_step(&f);
        }
        assert_int_equal(l.wrong, 0);
        support_assert_quiet(&f.s);
        /* Between frames they are as they were. */
        for (int i = 0; i < QUERIES; i++) {
            assert_int_equal(rows_count(l.queries[i]), l.expected[i]);
        }
        app_close(&f);
    }
}

/* Iterations inside of each other, to a depth; how many rows the innermost ones saw. */
static int64_t rows_nested(stoa_query *query, int depth) {
    int64_t count = 0;
    int left = 2;
    stoa_iter it = stoa_query_iter(query);
    while (left-- > 0 && stoa_iter_next(&it)) {
        count += depth > 1 ? rows_nested(query, depth - 1) : it.count;
    }
    stoa_iter_end(&it);
    return count;
}

static stoa_status pairs(stoa_job *job, stoa_iter *it) {
    (void)it;
    library *l = job->user;
    l->wrong += rows_nested(l->queries[0], 4) != 8 * rows_nested(l->queries[0], 1);
    return STOA_OK;
}

/* SYS-06 SYS-08: on one thread as on many. */
static void declared_query_is_iterated_inside_of_itself(void **state) {
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        app_fixture f;
        library l = {.wrong = 0};
        app_open(&f, ways[way]);
        rows_make(f.world);
        l.queries[0] = stoa_query_new(
            f.world, &(stoa_query_desc){.terms = {STOA_READ(Loose), STOA_READ(Place)}});
        app_add(&f, (stoa_system_desc){
                        .name = "pairs", .run = pairs, .queries = {l.queries[0]}, .user = &l});
        app_step(&f);
        app_step(&f);
        assert_int_equal(l.wrong, 0);
        support_assert_quiet(&f.s);
        assert_int_equal(f.s.errors, 0);
        app_close(&f);
    }
}

/* A system that watches through a query it declares. */
typedef struct watcher {
    stoa_query *query;
    int32_t rows;
} watcher;

static stoa_status watch(stoa_job *job, stoa_iter *it) {
    (void)it;
    watcher *w = job->user;
    w->rows = rows_count(w->query) * 1000 + rows_count(w->query);
    return STOA_OK;
}

/* CHG-06 QRY-08: it is a run of the query when the batch is over, however often it is iterated. */
static void filters_of_a_declared_query_go_by_the_batch(void **state) {
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        app_fixture f;
        watcher w = {.rows = 0};
        app_open(&f, ways[way]);
        rows_make(f.world);
        w.query = stoa_query_new(f.world, &(stoa_query_desc){.terms = {STOA_CHANGED(Exact)}});
        stoa_system made = app_add(
            &f,
            (stoa_system_desc){.name = "watch", .run = watch, .queries = {w.query}, .user = &w});
        app_step(&f);
        assert_int_equal(w.rows, ROWS / 5 * 1001);
        app_step(&f);
        assert_int_equal(w.rows, 0);
        stoa_query *all = stoa_query_new(f.world, &(stoa_query_desc){.terms = {STOA_READ(Exact)}});
        stoa_entity e = stoa_query_first(all);
        stoa_get_mut(f.world, e, Exact)->x++;
        app_step(&f);
        assert_int_equal(w.rows, 1001);
        stoa_get_mut(f.world, e, Exact)->x++;
        assert_int_equal(stoa_system_enable(f.app, made, false), STOA_OK);
        app_step(&f);
        assert_int_equal(stoa_system_enable(f.app, made, true), STOA_OK);
        app_step(&f);
        assert_int_equal(w.rows, 1001);
        app_close(&f);
    }
}

/* Reads by handle what another entity has, of three kinds of storage. */
static stoa_status chase(stoa_job *job, stoa_iter *it) {
    const Target *target = stoa_field(it, Target, 0);
    Found *found = stoa_field_mut(it, Found, 1);
    for (int32_t i = 0; i < it->count; i++) {
        stoa_entity to = target[i].entity;
        const Place *place = stoa_try_get(job->world, to, Place);
        const Loose *loose = stoa_try_get(job->world, to, Loose);
        found[i].sum += place != NULL ? place->x : -1;
        found[i].sum += loose != NULL ? loose->x * 10 : -1;
        found[i].sum += stoa_has(job->world, to, Odd) ? 7 : 0;
        if (!stoa_alive(job->world, to)) {
            found[i].sum -= 1000;
        }
        /* Written by handle: its own rows only. */
        Exact *exact = stoa_try_get_mut(job->world, it->entities[i], Exact);
        if (exact != NULL) {
            exact->x += (int32_t)(found[i].sum & 7);
        }
        if (found[i].sum % 64 == 0) {
            (void)stoa_commands_destroy(job->commands, to);
        }
    }
    return STOA_OK;
}

static stoa_status look(stoa_job *job, stoa_iter *it) {
    const Place *place = stoa_field(it, Place, 0);
    for (int32_t i = 0; i < it->count; i++) {
        if (stoa_get(job->world, it->entities[i], Place) != &place[i]) {
            return stoa_job_fail(job, "a handle leads elsewhere");
        }
    }
    return STOA_OK;
}

/* SYS-02 SYS-08 */
static void components_are_reached_by_handle(void **state) {
    (void)state;
    uint64_t expected[20];
    for (size_t way = 0; way < WAYS; way++) {
        app_fixture f;
        app_open(&f, ways[way]);
        rows_make(f.world);
        app_add(&f, (stoa_system_desc){.name = "chase",
                                       .each = chase,
                                       .terms = {STOA_READ(Target), STOA_WRITE(Found)},
                                       .access = {STOA_READ(Place), STOA_READ(Loose),
                                                  STOA_READ(Odd), STOA_WRITE(Exact)},
                                       .grain = 100});
        app_add(&f, (stoa_system_desc){.name = "look",
                                       .each = look,
                                       .terms = {STOA_READ(Place)},
                                       .access = {STOA_READ(Place)},
                                       .grain = 100});
        assert_int_equal(stoa_schedule_batches(f.app, STOA_UPDATE), 1);
        for (int i = 0; i < 20; i++) {
            app_step(&f);
            uint64_t hash = stoa_hash(f.world);
            expected[i] = way == 0 ? hash : expected[i];
            assert_true(hash == expected[i]);
        }
        assert_true(stoa_count(f.world) < ROWS);
        support_assert_quiet(&f.s);
        app_close(&f);
    }
}

static stoa_status scale(stoa_job *job, stoa_iter *it) {
    const Rules *rules = stoa_resource(job->world, Rules);
    Place *place = stoa_field_mut(it, Place, 0);
    for (int32_t i = 0; i < it->count; i++) {
        place[i].x = (place[i].x * rules->factor) & 0xffff;
    }
    return STOA_OK;
}

static stoa_status sum(stoa_job *job, stoa_iter *it) {
    Score *score = stoa_resource_mut(job->world, Score);
    score->sum += stoa_resource(job->world, Rules)->factor;
    while (stoa_iter_next(it)) {
        const Speed *speed = stoa_field(it, Speed, 0);
        for (int32_t i = 0; i < it->count; i++) {
            score->sum += speed[i].x;
        }
    }
    return STOA_OK;
}

static stoa_status rules_change(stoa_job *job, stoa_iter *it) {
    (void)it;
    stoa_resource_mut(job->world, Rules)->factor += 2;
    return STOA_OK;
}

/* SYS-04 SYS-02: readers side by side, a writer apart, and the writer's mark. */
static void resources_are_shared_by_readers(void **state) {
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        app_fixture f;
        app_open(&f, ways[way]);
        rows_make(f.world);
        assert_int_equal(stoa_resource_set(f.world, Rules, {1}), STOA_OK);
        assert_int_equal(stoa_resource_set(f.world, Score, {0}), STOA_OK);
        app_add(&f, (stoa_system_desc){.name = "scale",
                                       .each = scale,
                                       .terms = {STOA_WRITE(Place)},
                                       .resources = {STOA_READ(Rules)},
                                       .grain = 100});
        app_add(&f, (stoa_system_desc){.name = "sum",
                                       .run = sum,
                                       .terms = {STOA_READ(Speed)},
                                       .resources = {STOA_READ(Rules), STOA_WRITE(Score)}});
        app_add(&f, (stoa_system_desc){
                        .name = "change", .run = rules_change, .resources = {STOA_WRITE(Rules)}});
        assert_int_equal(stoa_schedule_batches(f.app, STOA_UPDATE), 2);
        uint32_t tick = stoa_tick(f.world);
        stoa_tick_advance(f.world);
        int64_t expected = 0;
        for (int i = 0; i < 10; i++) {
            app_step(&f);
            expected += 1 + 2 * i + (int64_t)(ROWS / 2) * (ROWS / 2 - 1);
            assert_int_equal(stoa_resource(f.world, Score)->sum, expected);
        }
        assert_true(stoa_resource_changed(f.world, Rules, tick));
        app_close(&f);
    }
}

/* Events are sent by many jobs and read by systems of the next batch, or of the next frame. */
typedef struct post {
    stoa_reader *reader;
    int64_t mixed;
    int32_t count;
} post;

static stoa_status send(stoa_job *job, stoa_iter *it) {
    for (int32_t i = 0; i < it->count; i++) {
        if (it->entities[i].index % 4 == 0) {
            (void)stoa_commands_send(job->commands, Hit, {it->entities[i], job->index});
        }
        if (it->entities[i].index % 9 == 0) {
            (void)stoa_commands_send_to(job->commands, it->entities[i], Hit, {it->entities[i], -1});
        }
    }
    return STOA_OK;
}

static stoa_status receive(stoa_job *job, stoa_iter *it) {
    (void)it;
    post *p = job->user;
    stoa_event event;
    while (stoa_event_read(p->reader, &event)) {
        const Hit *hit = event.data;
        p->mixed = (p->mixed * 31 + hit->by.index + hit->number) & 0xffffffffffff;
        p->count++;
    }
    return STOA_OK;
}

/* EVT-01 CMD-06 SYS-08: each reader sees all of them once, in the order of systems and jobs. */
static void events_are_sent_and_read_in_jobs(void **state) {
    (void)state;
    enum { READERS = 3, FRAMES = 10 };
    int64_t expected[READERS][FRAMES];
    int32_t counts[FRAMES];
    for (size_t way = 0; way < WAYS; way++) {
        app_fixture f;
        post posts[READERS];
        app_open(&f, ways[way]);
        rows_make(f.world);
        static const char *const names[READERS] = {"before", "beside", "after"};
        for (int i = 0; i < READERS; i++) {
            posts[i] = (post){.reader = stoa_reader_new(f.world, Hit)};
            app_add(&f, (stoa_system_desc){.name = names[i],
                                           .run = receive,
                                           .after = {i == 2 ? "send" : NULL},
                                           .user = &posts[i]});
        }
        stoa_system_desc desc = {
            .name = "send", .each = send, .terms = {STOA_READ(Place)}, .grain = 64};
        app_add(&f, desc);
        desc.name = "send too";
        app_add(&f, desc);
        for (int frame = 0; frame < FRAMES; frame++) {
            app_step(&f);
            assert_int_equal(posts[0].count, posts[1].count);
            assert_true(posts[0].mixed == posts[1].mixed);
            if (way == 0) {
                counts[frame] = posts[2].count;
            }
            assert_int_equal(posts[2].count, counts[frame]);
            assert_int_equal(posts[0].count, frame > 0 ? counts[frame - 1] : 0);
            for (int i = 0; i < READERS; i++) {
                expected[i][frame] = way == 0 ? posts[i].mixed : expected[i][frame];
                assert_true(posts[i].mixed == expected[i][frame]);
                assert_int_equal(stoa_reader_lost(posts[i].reader), 0);
            }
        }
        assert_int_equal(counts[0], 2 * (ROWS / 4 + ROWS / 9));
        app_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declared_queries_are_iterated_side_by_side),
        cmocka_unit_test(declared_query_is_iterated_inside_of_itself),
        cmocka_unit_test(filters_of_a_declared_query_go_by_the_batch),
        cmocka_unit_test(components_are_reached_by_handle),
        cmocka_unit_test(resources_are_shared_by_readers),
        cmocka_unit_test(events_are_sent_and_read_in_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

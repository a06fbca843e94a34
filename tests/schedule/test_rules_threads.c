/* Which threads run what: the rules of systems, jobs that share rows out, an engine's threads. */
#include "os/thread.h"
#include "schedule/app_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

STOA_COMPONENT(Place, { int32_t x; });
STOA_COMPONENT(Speed, { int32_t x; });
STOA_COMPONENT(Visits, { int32_t count, job, jobs; });
STOA_COMPONENT(Score, { int64_t sum; });
STOA_TAG(Odd);

#define ROWS 3000

static void rows_make(stoa_world *w) {
    for (int i = 0; i < ROWS; i++) {
        stoa_entity e = stoa_create_with(w, STOA_VALUE(Place, {i}), STOA_ZERO(Visits));
        if (i % 3 == 0) {
            assert_int_equal(stoa_set(w, e, Speed, {i}), STOA_OK);
        }
        if (i % 2 == 1) {
            assert_int_equal(stoa_add(w, e, Odd), STOA_OK);
        }
    }
}

/* What a system saw of the threads that ran it. */
typedef struct witness {
    uintptr_t main;
    atomic_int calls;
    atomic_int elsewhere; /* calls on other threads than the main one */
    atomic_int inside;    /* calls under way */
    atomic_int together;  /* calls while others were under way */
    int32_t last;         /* the row seen last, for one job */
    int unordered;
} witness;

static void witness_enter(witness *w) {
    w->together += atomic_fetch_add(&w->inside, 1) > 0;
    w->calls++;
    w->elsewhere += stoa__thread_self() != w->main;
}

static stoa_status visit(stoa_job *job, stoa_iter *it) {
    witness *w = job->user;
    witness_enter(w);
    Visits *visits = stoa_field_mut(it, Visits, 0);
    for (int32_t i = 0; i < it->count; i++) {
        visits[i].count++;
        visits[i].job = job->index;
        visits[i].jobs = job->count;
    }
    w->inside--;
    return STOA_OK;
}

/* Sees that one job walks everything in the order of storage. */
static stoa_status walk(stoa_job *job, stoa_iter *it) {
    witness *w = job->user;
    witness_enter(w);
    w->unordered += job->index != 0 || job->count != 1;
    for (int32_t i = 0; i < it->count; i++) {
        stoa_commands_set(job->commands, it->entities[i], Speed, {w->last++});
    }
    w->inside--;
    return STOA_OK;
}

static stoa_status linger(stoa_job *job, stoa_iter *it) {
    (void)it;
    witness_enter(job->user);
    for (int i = 0; i < 50; i++) {
        stoa__thread_yield();
    }
    ((witness *)job->user)->inside--;
    return STOA_OK;
}

/* SYS-06: by about the rows that are asked for; each row once, in one job, jobs in order. */
static void chunks_of_a_system_are_shared_out(void **state) {
    (void)state;
    static const int32_t grains[] = {1, 64, 1000, 1000000, 0};
    for (size_t g = 0; g < sizeof grains / sizeof *grains; g++) {
        app_fixture f;
        witness w = {.main = stoa__thread_self()};
        app_open(&f, (stoa_app_desc){.threads = 4, .eager = true});
        rows_make(f.world);
        app_add(&f, (stoa_system_desc){.name = "visit",
                                       .each = visit,
                                       .terms = {STOA_WRITE(Visits)},
                                       .grain = grains[g],
                                       .user = &w});
        app_step(&f);
        app_step(&f);
        int32_t last = 0, jobs = 0;
        stoa_iter it = stoa_query_once(f.world, &(stoa_query_desc){.terms = {STOA_READ(Visits)}});
        while (stoa_iter_next(&it)) {
            const Visits *visits = stoa_field(&it, Visits, 0);
            for (int32_t i = 0; i < it.count; i++) {
                assert_int_equal(visits[i].count, 2);
                assert_true(visits[i].job == last || visits[i].job == last + 1);
                last = visits[i].job;
                jobs = visits[i].jobs;
            }
        }
        assert_int_equal(last + 1, jobs);
        assert_true(g != 1 || jobs >= ROWS / 128);
        assert_true(g != 3 || jobs == 1);
        assert_int_equal(w.inside, 0);
        app_close(&f);
    }
}

/* SYS-02 SYS-06: one job that walks all chunks in order, on whatever thread. */
static void system_of_one_thread_is_one_job(void **state) {
    (void)state;
    static const stoa_thread_rule rules[] = {STOA_THREAD_ANY_ONE, STOA_THREAD_MAIN};
    for (int i = 0; i < 2; i++) {
        app_fixture f;
        witness w = {.main = stoa__thread_self()}, other = w;
        app_open(&f, (stoa_app_desc){.threads = 4, .eager = true, .shuffle = 5});
        rows_make(f.world);
        app_add(&f, (stoa_system_desc){.name = "linger", .run = linger, .user = &other});
        app_add(&f, (stoa_system_desc){.name = "walk",
                                       .each = walk,
                                       .terms = {STOA_READ(Place)},
                                       .rule = rules[i],
                                       .grain = 10,
                                       .user = &w});
        app_step(&f);
        assert_int_equal(w.last, ROWS);
        assert_int_equal(w.unordered, 0);
        assert_int_equal(w.together, 0);
        assert_true(rules[i] != STOA_THREAD_MAIN || w.elsewhere == 0);
        app_close(&f);
    }
}

/* SYS-02: main-thread systems on the thread that steps, side by side with others, and conditions
 * too. */
static bool condition_main(const stoa_world *world, void *user) {
    (void)world;
    witness *w = user;
    w->elsewhere += stoa__thread_self() != w->main;
    return true;
}

static void main_systems_run_on_the_main_thread(void **state) {
    (void)state;
    app_fixture f;
    witness mine = {.main = stoa__thread_self()}, any = mine;
    app_open(&f, (stoa_app_desc){.threads = 4, .eager = true});
    rows_make(f.world);
    static const char *const names[] = {"m0", "m1", "a0", "a1", "a2", "a3"};
    for (int i = 0; i < 6; i++) {
        app_add(&f, (stoa_system_desc){.name = names[i],
                                       .run = linger,
                                       .rule = i < 2 ? STOA_THREAD_MAIN : STOA_THREAD_ANY,
                                       .condition = i < 2 ? condition_main : NULL,
                                       .user = i < 2 ? &mine : &any});
    }
    assert_int_equal(stoa_schedule_batches(f.app, STOA_UPDATE), 1);
    for (int i = 0; i < 100; i++) {
        app_step(&f);
    }
    assert_int_equal(mine.calls, 200);
    assert_int_equal(mine.elsewhere, 0);
    assert_int_equal(mine.together, 0);
    assert_int_equal(any.calls, 400);
    app_close(&f);
}

static stoa_status alone(stoa_job *job, stoa_iter *it) {
    (void)it;
    witness *w = job->user;
    witness_enter(w);
    stoa_entity e = stoa_create_with(job->world, STOA_VALUE(Place, {-1}));
    bool good = stoa_alive(job->world, e) && stoa_set(job->world, e, Speed, {1}) == STOA_OK;
    stoa_entity later = stoa_commands_create_with(job->commands, STOA_VALUE(Place, {-2}));
    good = good && !stoa_alive(job->world, later) && !stoa_entity_eq(e, later);
    stoa_resource_mut(job->world, Score)->sum++;
    w->inside--;
    return good ? STOA_OK : stoa_job_fail(job, "changes are not made");
}

static int32_t places_count(stoa_world *w, int32_t x) {
    int32_t count = 0;
    stoa_iter it = stoa_query_once(w, &(stoa_query_desc){.terms = {STOA_READ(Place)}});
    while (stoa_iter_next(&it)) {
        const Place *place = stoa_field(&it, Place, 0);
        for (int32_t i = 0; i < it.count; i++) {
            count += place[i].x == x;
        }
    }
    return count;
}

/* SYS-02 SYS-04: on the main thread, with nobody beside; changes at once, commands after. */
static void exclusive_system_has_the_world_to_itself(void **state) {
    (void)state;
    app_fixture f;
    witness w = {.main = stoa__thread_self()}, any = w;
    app_open(&f, (stoa_app_desc){.threads = 4, .eager = true});
    assert_int_equal(stoa_resource_set(f.world, Score, {0}), STOA_OK);
    stoa_system_desc other = {.name = "a", .run = linger, .user = &w};
    app_add(&f, other);
    app_add(&f, (stoa_system_desc){
                    .name = "alone", .run = alone, .rule = STOA_THREAD_EXCLUSIVE, .user = &any});
    other.name = "b";
    app_add(&f, other);
    assert_int_equal(stoa_schedule_batches(f.app, STOA_UPDATE), 3);
    for (int i = 1; i <= 20; i++) {
        app_step(&f);
        assert_int_equal(places_count(f.world, -1), i);
        assert_int_equal(places_count(f.world, -2), i);
        assert_int_equal(stoa_resource(f.world, Score)->sum, i);
    }
    assert_int_equal(any.elsewhere, 0);
    app_close(&f);
}

static stoa_status alone_each(stoa_job *job, stoa_iter *it) {
    witness *w = job->user;
    w->calls++;
    Place *place = stoa_field_mut(it, Place, 0);
    for (int32_t i = 0; i < it->count; i++) {
        place[i].x += 1;
        if (place[i].x % 2 == 0) {
            stoa_commands_destroy(job->commands, it->entities[i]);
        }
    }
    bool refused =
        stoa_entity_is_null(stoa_create(job->world)) && stoa_last_error().status == STOA_ITERATING;
    return refused && job->count == 1 ? STOA_OK : stoa_job_fail(job, "it could change");
}

/* SYS-02: called for each chunk it is iterated as by hand, so the structure changes after it. */
static void exclusive_system_is_called_for_each_chunk(void **state) {
    (void)state;
    app_fixture f;
    witness w = {.main = stoa__thread_self()};
    app_open(&f, (stoa_app_desc){.threads = 2});
    rows_make(f.world);
    app_add(&f, (stoa_system_desc){.name = "alone",
                                   .each = alone_each,
                                   .terms = {STOA_WRITE(Place)},
                                   .rule = STOA_THREAD_EXCLUSIVE,
                                   .user = &w});
    app_step(&f);
    assert_true(w.calls >= 4);
    assert_int_equal(stoa_count(f.world), ROWS / 2);
    app_step(&f);
    assert_int_equal(stoa_count(f.world), 0);
    app_step(&f);
    app_close(&f);
}

/* An engine's job system that works when it is asked to, on the caller's thread. */
typedef struct engine {
    int starts, waits, ended;
    int32_t lanes;
    pthread_t threads[8];
    struct lane {
        stoa_pool_fn work;
        void *data;
        int32_t number;
    } lane[8];
} engine;

static void inline_start(stoa_pool_fn work, void *data, int32_t lanes, void *user) {
    engine *e = user;
    e->starts++;
    for (int32_t i = lanes - 1; i > 0; i--) {
        work(i, data);
    }
}

static void inline_wait(void *user) {
    ((engine *)user)->waits++;
}

static void *lane_main(void *data) {
    struct lane *lane = data;
    lane->work(lane->number, lane->data);
    return NULL;
}

static void threads_start(stoa_pool_fn work, void *data, int32_t lanes, void *user) {
    engine *e = user;
    e->starts++;
    e->lanes = lanes;
    for (int32_t i = 1; i < lanes; i++) {
        e->lane[i] = (struct lane){work, data, i};
        assert_int_equal(pthread_create(&e->threads[i], NULL, lane_main, &e->lane[i]), 0);
    }
}

static void threads_wait(void *user) {
    engine *e = user;
    e->waits++;
    for (int32_t i = 1; i < e->lanes; i++) {
        pthread_join(e->threads[i], NULL);
    }
}

static void engine_end(void *user) {
    ((engine *)user)->ended++;
}

static stoa_status place_move(stoa_job *job, stoa_iter *it) {
    Place *place = stoa_field_mut(it, Place, 0);
    const Speed *speed = stoa_field(it, Speed, 1);
    for (int32_t i = 0; i < it->count; i++) {
        place[i].x +=
            (speed != NULL ? speed[i].x : 1) + (int32_t)stoa_random_below(&job->random, 9);
        if (place[i].x % 16 == 0) {
            stoa_commands_create_with(job->commands, STOA_VALUE(Place, {place[i].x + 1}));
            stoa_commands_destroy(job->commands, it->entities[i]);
        }
    }
    return STOA_OK;
}

/* The hash after some frames of a small program, by the pool that a description asks for. */
static uint64_t program_hash(stoa_app_desc desc, int frames) {
    app_fixture f;
    witness w = {.main = stoa__thread_self()}, mine = w;
    desc.eager = true;
    app_open(&f, desc);
    rows_make(f.world);
    app_add(&f, (stoa_system_desc){.name = "move",
                                   .each = place_move,
                                   .terms = {STOA_WRITE(Place), STOA_OPTIONAL(Speed)},
                                   .grain = 100});
    app_add(&f, (stoa_system_desc){.name = "visit",
                                   .each = visit,
                                   .terms = {STOA_WRITE(Visits)},
                                   .grain = 100,
                                   .user = &w});
    app_add(&f, (stoa_system_desc){
                    .name = "mine", .run = linger, .rule = STOA_THREAD_MAIN, .user = &mine});
    for (int i = 0; i < frames; i++) {
        app_step(&f);
    }
    assert_int_equal(mine.elsewhere, 0);
    uint64_t hash = stoa_hash(f.world);
    app_close(&f);
    return hash;
}

/* SYS-06 SYS-08: whoever runs the lanes, the same comes out. */
static void engine_lends_its_threads(void **state) {
    (void)state;
    enum { FRAMES = 12 };
    uint64_t hash = program_hash((stoa_app_desc){.threads = 1}, FRAMES);
    engine e = {.starts = 0};
    stoa_pool_hooks hooks = {inline_start, inline_wait, &e, engine_end};
    assert_true(program_hash((stoa_app_desc){.hooks = &hooks, .threads = 4}, FRAMES) == hash);
    assert_int_equal(e.starts, FRAMES);
    assert_int_equal(e.waits, FRAMES);
    assert_int_equal(e.ended, 1);
    hooks.start = threads_start;
    hooks.wait = threads_wait;
    assert_true(program_hash((stoa_app_desc){.hooks = &hooks, .threads = 4}, FRAMES) == hash);
    assert_int_equal(e.starts, 2 * FRAMES);
    assert_int_equal(e.waits, 2 * FRAMES);
    assert_int_equal(e.ended, 2);
    assert_true(program_hash((stoa_app_desc){.hooks = &hooks, .threads = 1}, FRAMES) == hash);
    assert_int_equal(e.starts, 2 * FRAMES);
    assert_int_equal(e.ended, 3);
    assert_true(program_hash((stoa_app_desc){.threads = 3, .shuffle = 8}, FRAMES) == hash);
}

/* Quits from another thread, as a window's would. */
static void *quit_main(void *user) {
    stoa_app *app = user;
    stoa_app_quit(app);
    return NULL;
}

static stoa_status quitter_start(stoa_job *job, stoa_iter *it) {
    (void)it;
    if (job->frame == 3) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, quit_main, job->user), 0);
        pthread_join(thread, NULL);
    }
    return STOA_OK;
}

/* SYS-11 */
static void any_thread_may_quit(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 2, .eager = true});
    app_add(&f, (stoa_system_desc){.name = "quit", .run = quitter_start, .user = f.app});
    assert_int_equal(stoa_app_run(f.app, NULL), STOA_OK);
    assert_int_equal(stoa_app_frame(f.app), 4);
    app_close(&f);
}

/* SYS-06: systems that take long are worth threads; nothing depends on it. */
static void long_batches_are_spread_without_being_asked(void **state) {
    (void)state;
    app_fixture f;
    witness w = {.main = stoa__thread_self()};
    app_open(&f, (stoa_app_desc){.threads = 3});
    app_add(&f, (stoa_system_desc){.name = "a", .run = linger, .user = &w});
    app_add(&f, (stoa_system_desc){.name = "b", .run = linger, .user = &w});
    app_add(&f, (stoa_system_desc){.name = "c", .run = linger, .user = &w});
    for (int i = 0; i < 200; i++) {
        app_step(&f);
    }
    assert_int_equal(w.calls, 600);
    assert_int_equal(w.inside, 0);
    app_close(&f);
}

static stoa_status nest(stoa_job *job, stoa_iter *it) {
    (void)it;
    stoa_status status = stoa_app_step(job->user, 0);
    stoa_entity e = stoa_entity_next(job->world, STOA_NULL);
    bool seen = stoa_try_get(job->world, e, Place) != NULL;
#ifdef STOA_DEBUG
    bool expected = false;
#else
    bool expected = true;
#endif
    return status == STOA_OK && seen != expected ? stoa_job_fail(job, "not guarded") : status;
}

/* SYS-14 SYS-11: a system that steps another app is held to what it declared when that is done. */
static void system_stays_guarded_when_it_steps_another_app(void **state) {
    (void)state;
    app_fixture f, g;
    witness w = {.main = stoa__thread_self()};
    app_open(&f, (stoa_app_desc){.threads = 1});
    app_open(&g, (stoa_app_desc){.threads = 1});
    stoa_create_with(f.world, STOA_ZERO(Place));
    app_add(&g, (stoa_system_desc){.name = "inner", .run = linger, .user = &w});
    app_add(&f, (stoa_system_desc){.name = "nest", .run = nest, .user = g.app});
    app_step(&f);
    assert_int_equal(w.calls, 1);
    app_close(&f);
    app_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_of_a_system_are_shared_out),
        cmocka_unit_test(system_of_one_thread_is_one_job),
        cmocka_unit_test(main_systems_run_on_the_main_thread),
        cmocka_unit_test(exclusive_system_has_the_world_to_itself),
        cmocka_unit_test(exclusive_system_is_called_for_each_chunk),
        cmocka_unit_test(engine_lends_its_threads),
        cmocka_unit_test(system_stays_guarded_when_it_steps_another_app),
        cmocka_unit_test(any_thread_may_quit),
        cmocka_unit_test(long_batches_are_spread_without_being_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

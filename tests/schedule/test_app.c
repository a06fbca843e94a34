/* The app's life: how it is made and freed, its frames, running and quitting. */
#include "os/thread.h"
#include "schedule/app_fixture.h"

#include <math.h>

STOA_COMPONENT(Health, { int32_t left; });
STOA_COMPONENT(Mark, { int32_t value; });

static stoa_status nothing(stoa_job *job, stoa_iter *it) {
    (void)job;
    (void)it;
    return STOA_OK;
}

static stoa_status health_drop(stoa_job *job, stoa_iter *it) {
    (void)job;
    Health *health = stoa_field_mut(it, Health, 0);
    for (int32_t i = 0; i < it->count; i++) {
        health[i].left--;
    }
    return STOA_OK;
}

/* SYS-11 GEN-04 */
static void app_makes_a_world_and_frees_it(void **state) {
    (void)state;
    support_heap heap = {0};
    stoa_allocator allocator = support_allocator(&heap);
    stoa_world_desc world = {.allocator = &allocator, .chunk_size = 16384, .first_tick = 77};
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world_as = &world, .threads = 2});
    assert_non_null(app);
    assert_non_null(stoa_app_world(app));
    assert_true(stoa_tick(stoa_app_world(app)) >= 77);
    assert_int_equal(stoa_app_threads(app), 2);
    assert_int_equal(stoa_app_frame(app), 0);
    assert_int_equal(stoa_app_step(app, 0.5), STOA_OK);
    assert_int_equal(stoa_app_frame(app), 1);
    assert_int_equal(stoa_check(stoa_app_world(app)), STOA_OK);
    assert_int_equal(stoa_app_free(app), STOA_OK);
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(heap.blocks, 0);
}

/* SYS-11 */
static void app_leaves_the_world_it_was_given(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Health, {3}));
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = s->world, .threads = 1});
    assert_ptr_equal(stoa_app_world(app), s->world);
    stoa_system_new(app, &(stoa_system_desc){
                             .name = "drop", .each = health_drop, .terms = {STOA_WRITE(Health)}});
    assert_int_equal(stoa_app_step(app, 0), STOA_OK);
    assert_int_equal(stoa_app_free(app), STOA_OK);
    assert_int_equal(stoa_get(s->world, e, Health)->left, 2);
    assert_non_null(stoa_resource_try(s->world, stoa_time));
    assert_int_equal(stoa_count(s->world), 1);
    support_assert_quiet(s);
}

/* SYS-11: and the defaults are as many threads as there are cores. */
static void app_of_no_description_works(void **state) {
    (void)state;
    stoa_app *app = stoa_app_new(NULL);
    assert_non_null(app);
    assert_true(stoa_app_threads(app) >= 1);
    int32_t cores = stoa__thread_cores();
    assert_int_equal(stoa_app_threads(app), cores < STOA_THREAD_MAX ? cores : STOA_THREAD_MAX);
    assert_int_equal(stoa_app_step(app, 0), STOA_OK);
    assert_int_equal(stoa_app_free(app), STOA_OK);
}

/* An app of a wrong description, on a world that must stay as it is. */
static void assert_refused(support_world *s, stoa_app_desc desc, stoa_status status) {
    size_t blocks = s->heap.blocks;
    uint64_t hash = stoa_hash(s->world);
    desc.world = s->world;
    assert_null(stoa_app_new(&desc));
    support_assert_misuse(s, stoa_last_error().status, status);
    assert_int_equal(s->heap.blocks, blocks);
    assert_true(stoa_hash(s->world) == hash);
}

static void pool_start_never(stoa_pool_fn work, void *data, int32_t lanes, void *user) {
    (void)work;
    (void)data;
    (void)lanes;
    (void)user;
}

static void count_up(void *user) {
    ++*(int *)user;
}

/* SYS-11 GEN-03 */
static void wrong_descriptions_are_refused(void **state) {
    support_world *s = *state;
    int ended = 0;
    stoa_pool_hooks half = {.start = pool_start_never, .user = &ended, .user_free = count_up};
    stoa_world_desc as = {.chunk_size = 0};
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 1});
    assert_refused(s, (stoa_app_desc){.fixed_step = -1}, STOA_INVALID);
    assert_refused(s, (stoa_app_desc){.fixed_step = (double)NAN}, STOA_INVALID);
    assert_refused(s, (stoa_app_desc){.fixed_step = (double)INFINITY}, STOA_INVALID);
    assert_refused(s, (stoa_app_desc){.step_max = -1}, STOA_INVALID);
    assert_refused(s, (stoa_app_desc){.threads = -1}, STOA_INVALID);
    assert_refused(s, (stoa_app_desc){.threads = STOA_THREAD_MAX + 1}, STOA_INVALID);
    assert_refused(s, (stoa_app_desc){.world_as = &as}, STOA_INVALID);
    assert_refused(s, (stoa_app_desc){.hooks = &half}, STOA_NULL_ARGUMENT);
    assert_refused(s, (stoa_app_desc){.hooks = &half, .pool = pool}, STOA_INVALID);
    assert_int_equal(ended, 0);
    stoa_pool_free(pool);
    as.chunk_size = 5;
    assert_null(stoa_app_new(&(stoa_app_desc){.world_as = &as}));
    assert_int_equal(stoa_last_error().status, STOA_INVALID);
    assert_null(stoa_app_new(&(stoa_app_desc){.fixed_step = -1}));
    assert_int_equal(stoa_last_error().status, STOA_INVALID);
}

/* GEN-05 GEN-03 */
static void null_apps_are_refused_or_told(void **state) {
    (void)state;
    assert_int_equal(stoa_app_free(NULL), STOA_OK);
    assert_null(stoa_app_world(NULL));
    assert_int_equal(stoa_app_threads(NULL), 0);
    assert_int_equal(stoa_app_frame(NULL), 0);
    stoa_app_quit(NULL);
    assert_false(stoa_app_quitting(NULL));
    assert_int_equal(stoa_app_step(NULL, 0), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_app_run(NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_schedule_plan(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_stage_new(NULL, NULL), UINT32_MAX);
    assert_int_equal(stoa_stage_find(NULL, "Update"), UINT32_MAX);
    assert_int_equal(stoa_stage_at(NULL, 0), UINT32_MAX);
    assert_null(stoa_stage_name(NULL, STOA_UPDATE));
}

/* What an allocator and handlers are ended in. */
typedef struct ends {
    support_heap heap;
    stoa_allocator inner;
    int handlers, allocator, pool;
    int late; /* calls of the allocator after its end */
} ends;

static void *ends_alloc(size_t size, size_t alignment, void *user) {
    ends *e = user;
    e->late += e->allocator > 0;
    return e->inner.alloc(size, alignment, e->inner.user);
}

static void ends_free(void *block, size_t size, size_t alignment, void *user) {
    ends *e = user;
    e->late += e->allocator > 0;
    e->inner.free(block, size, alignment, e->inner.user);
}

static void ends_allocator(void *user) {
    ends *e = user;
    e->allocator++;
    e->late += e->heap.blocks > 0;
}

static void ends_handler(void *user) {
    ends *e = user;
    e->handlers++;
    e->late += e->allocator > 0;
}

static void ends_pool(void *user) {
    ends *e = user;
    e->pool++;
    e->late += e->allocator > 0;
}

static void error_ignore(const stoa_error *error, void *user) {
    (void)error;
    (void)user;
}

static void pool_wait_never(void *user) {
    (void)user;
}

/* Makes an app that brings four functions to be called at its end; allocation `fail_at` fails. */
static stoa_app *ends_open(ends *e, size_t fail_at) {
    *e = (ends){.late = 0};
    e->inner = support_allocator(&e->heap);
    e->heap.fail_at = fail_at;
    stoa_allocator allocator = {
        .alloc = ends_alloc, .free = ends_free, .user = e, .user_free = ends_allocator};
    stoa_world_desc world = {.allocator = &allocator,
                             .on_assert = {error_ignore, e, ends_handler},
                             .on_error = {error_ignore, e, ends_handler}};
    stoa_pool_hooks hooks = {pool_start_never, pool_wait_never, e, ends_pool};
    return stoa_app_new(&(stoa_app_desc){.world_as = &world, .hooks = &hooks, .threads = 1});
}

/* GEN-06 GEN-04 GEN-03: the allocator last of all; nothing is called if the app could not be made.
 */
static void what_an_app_brought_is_ended_once_with_it(void **state) {
    (void)state;
    ends e;
    stoa_app *app = NULL;
    for (size_t k = 1; app == NULL; k++) {
        app = ends_open(&e, k);
        if (app == NULL) {
            assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
            assert_int_equal(e.heap.bytes, 0);
        }
        assert_int_equal(e.handlers + e.allocator + e.pool, 0);
        assert_true(k < 200);
    }
    e.heap.fail_at = 0;
    assert_int_equal(stoa_app_step(app, 0), STOA_OK);
    assert_int_equal(stoa_app_free(app), STOA_OK);
    assert_int_equal(e.handlers, 2);
    assert_int_equal(e.pool, 1);
    assert_int_equal(e.allocator, 1);
    assert_int_equal(e.late, 0);
    assert_int_equal(e.heap.bytes, 0);
}

/* SYS-06 GEN-03: at each of the threads. */
static void refused_thread_is_an_error_and_leaves_nothing(void **state) {
    support_world *s = *state;
    size_t blocks = s->heap.blocks;
    uint64_t hash = stoa_hash(s->world);
    for (int32_t k = 0; k < 3; k++) {
        stoa__thread_refuse_after(k);
        stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = s->world, .threads = 4});
        assert_null(app);
        assert_int_equal(stoa_last_error().status, STOA_LIMIT);
        support_assert_message("refused to start thread");
        assert_int_equal(s->heap.blocks, blocks);
        stoa__thread_refuse_after(k);
        assert_null(stoa_app_new(&(stoa_app_desc){.threads = 4}));
        assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    }
    stoa__thread_refuse_after(-1);
    assert_true(stoa_hash(s->world) == hash);
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = s->world, .threads = 4});
    assert_non_null(app);
    assert_int_equal(stoa_app_free(app), STOA_OK);
    support_assert_quiet(s);
}

/* SYS-11 GEN-04 */
static void a_thousand_apps_leave_nothing(void **state) {
    (void)state;
    support_heap heap = {0};
    stoa_allocator allocator = support_allocator(&heap);
    stoa_world_desc world = {.allocator = &allocator, .chunk_size = 16384};
    for (int i = 0; i < 1000; i++) {
        stoa_app *app = stoa_app_new(
            &(stoa_app_desc){.world_as = &world, .threads = 1 + i % 3, .eager = i % 2 == 0});
        assert_non_null(app);
        stoa_create_with(stoa_app_world(app), STOA_VALUE(Health, {i}));
        stoa_system made = stoa_system_new(app, &(stoa_system_desc){.name = "drop",
                                                                    .each = health_drop,
                                                                    .terms = {STOA_WRITE(Health)}});
        assert_int_not_equal(made.id, 0);
        assert_int_not_equal(
            stoa_system_new(app, &(stoa_system_desc){.name = "idle", .run = nothing}).id, 0);
        assert_int_equal(i % 4 != 0 ? stoa_app_step(app, 0) : STOA_OK, STOA_OK);
        assert_int_equal(stoa_app_free(app), STOA_OK);
        assert_int_equal(heap.bytes, 0);
    }
}

/* Tries what is refused while an app steps. */
typedef struct inside {
    app_fixture *f;
    int refused;
} inside;

static stoa_status step_inside(stoa_job *job, stoa_iter *it) {
    (void)it;
    inside *in = job->user;
    stoa_app *app = in->f->app;
    stoa_system self = stoa_system_find(app, job->system);
    in->refused += stoa_app_step(app, 0) == STOA_LOCKED;
    in->refused += stoa_app_run(app, NULL) == STOA_LOCKED;
    in->refused += stoa_app_free(app) == STOA_LOCKED;
    in->refused += stoa_system_remove(app, self) == STOA_LOCKED;
    in->refused += stoa_system_new(app, &(stoa_system_desc){.name = "new", .run = nothing}).id == 0;
    in->refused +=
        stoa_stage_new(app, &(stoa_stage_desc){.name = "New", .after = "Update"}) == UINT32_MAX;
    return stoa_app_frame(app) == job->frame ? STOA_OK : STOA_FAILED;
}

/* SYS-11 */
static void steps_and_changes_inside_a_step_are_refused(void **state) {
    (void)state;
    static const stoa_thread_rule rules[] = {STOA_THREAD_ANY, STOA_THREAD_MAIN,
                                             STOA_THREAD_EXCLUSIVE};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        app_fixture f;
        inside in = {&f, 0};
        app_open(&f, (stoa_app_desc){.threads = 1});
        app_add(&f, (stoa_system_desc){
                        .name = "inside", .run = step_inside, .user = &in, .rule = rules[i]});
        app_step(&f);
        assert_int_equal(in.refused, 6);
        assert_int_equal(f.s.errors, 6);
        assert_int_equal(stoa_app_frame(f.app), 1);
        assert_int_equal(stoa_stage_find(f.app, "New"), UINT32_MAX);
        app_step(&f);
        app_close(&f);
    }
}

/* SYS-11 GEN-03 */
static void a_frame_of_no_length_of_time_is_refused(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.fixed_step = 0});
    const double wrong[] = {-0.5, (double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        support_assert_misuse(&f.s, stoa_app_step(f.app, wrong[i]), STOA_INVALID);
        support_assert_misuse(&f.s,
                              stoa_app_run(f.app, &(stoa_run_desc){.delta = wrong[i], .frames = 1}),
                              STOA_INVALID);
        support_assert_misuse(&f.s,
                              stoa_app_run(f.app, &(stoa_run_desc){.rate = wrong[i], .frames = 1}),
                              STOA_INVALID);
    }
    assert_int_equal(stoa_app_frame(f.app), 0);
    assert_int_equal(stoa_app_step(f.app, -0.0), STOA_OK);
    assert_int_equal(stoa_app_step(f.app, 1e300), STOA_OK);
    app_close(&f);
}

static stoa_status quit_at_five(stoa_job *job, stoa_iter *it) {
    (void)it;
    if (job->frame == 5) {
        stoa_app_quit(job->user);
    }
    return job->frame < 8 ? STOA_OK : stoa_job_fail(job, "too late");
}

/* SYS-11: from a system, by the number of frames, by a failure; each run begins anew. */
static void run_ends_by_quit_frames_or_failure(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 2, .eager = true});
    app_add(&f, (stoa_system_desc){.name = "quit", .run = quit_at_five, .user = f.app});
    app_add(&f, (stoa_system_desc){.name = "idle", .run = nothing});
    assert_int_equal(stoa_app_run(f.app, &(stoa_run_desc){.frames = 2, .delta = 0.5}), STOA_OK);
    assert_int_equal(stoa_app_frame(f.app), 2);
    assert_true(stoa_resource(f.world, stoa_time)->elapsed == 1.0);
    assert_false(stoa_app_quitting(f.app));
    stoa_app_quit(f.app);
    assert_true(stoa_app_quitting(f.app));
    assert_int_equal(stoa_app_run(f.app, &(stoa_run_desc){.rate = 1e6}), STOA_OK);
    assert_int_equal(stoa_app_frame(f.app), 6);
    assert_true(stoa_app_quitting(f.app));
    assert_int_equal(stoa_app_run(f.app, NULL), STOA_FAILED);
    assert_false(stoa_app_quitting(f.app));
    support_assert_message("system 'quit': too late");
    assert_int_equal(stoa_app_frame(f.app), 9);
    app_close(&f);
}

/* SYS-11: nobody waits for a frame that does not come, however slow the rate is. */
static void rate_is_waited_for_between_frames_only(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 1});
    app_add(&f, (stoa_system_desc){.name = "quit", .run = quit_at_five, .user = f.app});
    stoa_run_desc slow = {.frames = 1, .rate = 1e-300};
    assert_int_equal(stoa_app_run(f.app, &slow), STOA_OK);
    assert_int_equal(stoa_app_run(f.app, &(stoa_run_desc){.frames = 4}), STOA_OK);
    slow.frames = 0;
    assert_int_equal(stoa_app_run(f.app, &slow), STOA_OK);
    assert_int_equal(stoa_app_frame(f.app), 6);
    app_close(&f);
}

static stoa_status time_look(stoa_job *job, stoa_iter *it) {
    (void)it;
    const stoa_time *time = stoa_resource(job->world, stoa_time);
    bool good = time->delta >= 0 && time->delta == job->delta && time->frame == job->frame;
    *(double *)job->user += time->delta;
    return good ? STOA_OK : stoa_job_fail(job, "a frame of %g seconds", time->delta);
}

/* SYS-11: by the clock, what frames stand for is what has passed. */
static void run_by_the_clock_tells_the_time(void **state) {
    (void)state;
    app_fixture f;
    double sum = 0;
    app_open(&f, (stoa_app_desc){.threads = 1});
    app_add(&f, (stoa_system_desc){.name = "look",
                                   .run = time_look,
                                   .resources = {STOA_READ(stoa_time)},
                                   .user = &sum});
    assert_int_equal(stoa_app_run(f.app, &(stoa_run_desc){.frames = 20, .rate = 20000}), STOA_OK);
    assert_true(sum > 0);
    assert_true(stoa_resource(f.world, stoa_time)->elapsed == sum);
    app_close(&f);
}

static stoa_status mark_set(stoa_job *job, stoa_iter *it) {
    for (int32_t i = 0; i < it->count; i++) {
        stoa_commands_set(job->commands, it->entities[i], Mark, {job->index});
    }
    return STOA_OK;
}

static void marks_add(app_fixture *f) {
    for (int i = 0; i < 900; i++) {
        stoa_create_with(f->world, STOA_VALUE(Health, {i}));
    }
    app_add(f, (stoa_system_desc){
                   .name = "mark", .each = mark_set, .terms = {STOA_READ(Health)}, .grain = 64});
    app_add(f,
            (stoa_system_desc){
                .name = "drop", .each = health_drop, .terms = {STOA_WRITE(Health)}, .grain = 64});
}

/* SYS-06 SYS-08: two apps that share a pool and take turns. */
static void apps_share_a_pool_by_turns(void **state) {
    (void)state;
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 3});
    app_fixture f, g;
    app_open(&f, (stoa_app_desc){.pool = pool, .eager = true});
    app_open(&g, (stoa_app_desc){.pool = pool});
    assert_int_equal(stoa_app_threads(f.app), 3);
    marks_add(&f);
    marks_add(&g);
    for (int i = 0; i < 10; i++) {
        app_step(&f);
        app_step(&g);
        assert_true(stoa_hash(f.world) == stoa_hash(g.world));
    }
    app_close(&f);
    app_step(&g);
    app_close(&g);
    assert_int_equal(stoa_pool_threads(pool), 3);
    stoa_pool_free(pool);
}

static stoa_status other_step(stoa_job *job, stoa_iter *it) {
    (void)it;
    app_fixture *other = job->user;
    return stoa_app_step(other->app, 0);
}

/* SYS-06 GEN-03: a pool that is at work is an error of the step, and its systems did not run. */
static void pool_at_work_is_refused(void **state) {
    (void)state;
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 2});
    app_fixture f, g;
    app_open(&f, (stoa_app_desc){.pool = pool, .eager = true});
    app_open(&g, (stoa_app_desc){.pool = pool, .eager = true});
    marks_add(&g);
    app_add(&f, (stoa_system_desc){.name = "nest", .run = other_step, .user = &g});
    app_add(&f, (stoa_system_desc){.name = "idle", .run = nothing});
    uint64_t marks = stoa_hash(g.world);
    assert_int_equal(stoa_app_step(f.app, 0), STOA_LOCKED);
    support_assert_message("system 'nest': the pool of threads is at work");
    stoa_system_info info;
    assert_int_equal(stoa_system_info_get(g.app, stoa_system_find(g.app, "mark"), &info), STOA_OK);
    assert_int_equal(info.runs, 0);
    assert_int_equal(stoa_query_once_count(g.world, &(stoa_query_desc){.terms = {STOA_READ(Mark)}}),
                     0);
    assert_true(marks == stoa_hash(g.world));
    app_step(&g);
    assert_int_equal(stoa_query_once_count(g.world, &(stoa_query_desc){.terms = {STOA_READ(Mark)}}),
                     900);
    app_close(&f);
    app_close(&g);
    stoa_pool_free(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(app_makes_a_world_and_frees_it),
        cmocka_unit_test_setup_teardown(app_leaves_the_world_it_was_given, support_setup,
                                        support_teardown),
        cmocka_unit_test(app_of_no_description_works),
        cmocka_unit_test_setup_teardown(wrong_descriptions_are_refused, support_setup,
                                        support_teardown),
        cmocka_unit_test(null_apps_are_refused_or_told),
        cmocka_unit_test(what_an_app_brought_is_ended_once_with_it),
        cmocka_unit_test_setup_teardown(refused_thread_is_an_error_and_leaves_nothing,
                                        support_setup, support_teardown),
        cmocka_unit_test(a_thousand_apps_leave_nothing),
        cmocka_unit_test(steps_and_changes_inside_a_step_are_refused),
        cmocka_unit_test(a_frame_of_no_length_of_time_is_refused),
        cmocka_unit_test(run_ends_by_quit_frames_or_failure),
        cmocka_unit_test(rate_is_waited_for_between_frames_only),
        cmocka_unit_test(run_by_the_clock_tells_the_time),
        cmocka_unit_test(apps_share_a_pool_by_turns),
        cmocka_unit_test(pool_at_work_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

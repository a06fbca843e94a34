/* Lack of memory at every point of an app's life: an error, the world in order, and it goes on. */
#include "schedule/ticket_fixture.h"

STOA_COMPONENT(Place, { int32_t x; });
STOA_COMPONENT(Speed, { int32_t x; });
STOA_COMPONENT(Late, { int32_t x; });
STOA_COMPONENT(Score, { int64_t sum; });
STOA_COMPONENT(News, { int32_t x; });
STOA_COMPONENT_WITH(Loose, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t x; });

/* Recording fails if there is no memory, and the system with it. */
static stoa_status spawn(stoa_job *job, stoa_iter *it) {
    (void)it;
    for (int i = 0; i < 70; i++) {
        stoa_entity e = stoa_commands_create_with(job->commands, STOA_VALUE(Place, {i}),
                                                  STOA_VALUE(Speed, {i % 3}));
        if (stoa_entity_is_null(e) || (i % 10 == 0 && ticket_set(job->commands, e) != STOA_OK)) {
            return stoa_last_error().status;
        }
    }
    return STOA_OK;
}

static stoa_status change(stoa_job *job, stoa_iter *it) {
    stoa_status status = STOA_OK;
    const Place *place = stoa_field(it, Place, 0);
    for (int32_t i = 0; i < it->count && status == STOA_OK; i++) {
        stoa_entity e = it->entities[i];
        switch ((place[i].x + (int32_t)job->frame) % 6) {
        case 0:
            status = stoa_commands_destroy(job->commands, e);
            break;
        case 1:
            status = stoa_commands_remove(job->commands, e, Speed);
            break;
        case 2:
            status = stoa_commands_set(job->commands, e, Loose, {place[i].x});
            break;
        case 3:
            status = stoa_commands_send(job->commands, News, {place[i].x});
            break;
        case 4:
            status = stoa_commands_set(job->commands, e, Late, {1});
            break;
        default:
            status = ticket_set(job->commands, e);
            break;
        }
    }
    return status;
}

static stoa_status move(stoa_job *job, stoa_iter *it) {
    (void)job;
    Speed *speed = stoa_field_mut(it, Speed, 0);
    for (int32_t i = 0; i < it->count; i++) {
        speed[i].x++;
    }
    return STOA_OK;
}

static stoa_status look(stoa_job *job, stoa_iter *it) {
    (void)it;
    int64_t sum = 0;
    for (stoa_iter own = stoa_query_iter(job->user); stoa_iter_next(&own);) {
        sum += own.count;
    }
    stoa_resource_mut(job->world, Score)->sum += sum;
    return STOA_OK;
}

static stoa_status alone(stoa_job *job, stoa_iter *it) {
    (void)it;
    stoa_entity e = stoa_create_with(job->world, STOA_VALUE(Place, {5}));
    if (stoa_entity_is_null(e)) {
        return stoa_last_error().status;
    }
    return ticket_set(job->commands, e);
}

typedef struct oom {
    app_fixture f;
    stoa_query *query;
    int freed;
} oom;

static void count_up(void *user) {
    ++*(int *)user;
}

/* A program of one batch, or of several with an exclusive system. */
static void program_add(oom *o, bool batches) {
    app_fixture *f = &o->f;
    assert_int_equal(stoa_resource_set(f->world, Score, {0}), STOA_OK);
    assert_non_null(stoa_reader_new(f->world, News));
    o->query = stoa_query_new(
        f->world, &(stoa_query_desc){.terms = {STOA_READ(Place), STOA_OPTIONAL(Loose)}});
    for (int i = 0; i < 90; i++) {
        stoa_create_with(f->world, STOA_VALUE(Place, {i}), STOA_VALUE(Speed, {i}));
    }
    app_add(f, (stoa_system_desc){.name = "spawn", .run = spawn});
    app_add(f, (stoa_system_desc){
                   .name = "change", .each = change, .terms = {STOA_READ(Place)}, .grain = 16});
    app_add(f, (stoa_system_desc){
                   .name = "move", .each = move, .terms = {STOA_WRITE(Speed)}, .grain = 16});
    app_add(f, (stoa_system_desc){.name = "look",
                                  .run = look,
                                  .resources = {STOA_WRITE(Score)},
                                  .queries = {o->query},
                                  .user = o->query});
    if (batches) {
        app_add(f,
                (stoa_system_desc){.name = "alone", .run = alone, .rule = STOA_THREAD_EXCLUSIVE});
        app_add(f, (stoa_system_desc){.name = "again", .run = spawn, .after = {"alone"}});
    }
}

/* Alone, with threads that all tests share, and with own ones. */
static stoa_app_desc ways[] = {{.threads = 1}, {.eager = true}, {.threads = 3, .eager = true}};

static int pool_open(void **state) {
    (void)state;
    ways[1].pool = stoa_pool_new(&(stoa_pool_desc){.threads = 3});
    return ways[1].pool != NULL ? 0 : -1;
}

static int pool_close(void **state) {
    (void)state;
    stoa_pool_free(ways[1].pool);
    return 0;
}

static void oom_open(oom *o, int way, bool batches) {
    o->freed = 0;
    app_open(&o->f, ways[way]);
    program_add(o, batches);
}

static void oom_close(oom *o) {
    o->f.s.heap.fail_at = 0;
    app_close(&o->f);
    tickets_assert_gone();
}

/* GEN-04 GEN-03 */
static void making_an_app_fails_cleanly(void **state) {
    (void)state;
    for (int way = 0; way < 3; way++) {
        stoa_app *app = NULL;
        for (size_t k = 1; app == NULL; k++) {
            support_world s;
            support_world_open(&s);
            uint64_t hash = stoa_hash(s.world);
            stoa_app_desc desc = ways[way];
            desc.world = s.world;
            s.heap.fail_at = k;
            app = stoa_app_new(&desc);
            s.heap.fail_at = 0;
            if (app == NULL) {
                assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
                assert_true(stoa_hash(s.world) == hash);
                assert_true(s.errors > 0);
            }
            assert_int_equal(stoa_app_free(app), STOA_OK);
            support_world_close(&s);
            assert_true(k < 100);
        }
    }
}

static stoa_system system_full(oom *o) {
    return stoa_system_new(o->f.app, &(stoa_system_desc){.name = "full",
                                                         .each = change,
                                                         .terms = {STOA_READ(Place)},
                                                         .access = {STOA_WRITE(Late)},
                                                         .resources = {STOA_WRITE(Score)},
                                                         .queries = {o->query},
                                                         .labels = {"one", "two"},
                                                         .before = {"spawn"},
                                                         .after = {"move", "look"},
                                                         .user = &o->freed,
                                                         .user_free = count_up});
}

/* GEN-04 GEN-03 SYS-02 SYS-10: systems and stages. */
static void making_a_system_fails_cleanly(void **state) {
    (void)state;
    bool made = false;
    for (size_t k = 1; !made; k++) {
        oom o;
        oom_open(&o, 0, true);
        o.f.s.heap.fail_at = k;
        stoa_system system = system_full(&o);
        o.f.s.heap.fail_at = 0;
        made = system.id != 0;
        if (!made) {
            assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
            assert_int_equal(stoa_system_find(o.f.app, "full").id, 0);
            assert_int_equal(o.freed, 0);
            assert_int_not_equal(system_full(&o).id, 0);
        }
        stoa_stage stage = UINT32_MAX;
        for (size_t m = 1; stage == UINT32_MAX; m++) {
            o.f.s.heap.fail_at = m;
            stage = stoa_stage_new(o.f.app, &(stoa_stage_desc){.name = "Own", .after = "Update"});
            assert_int_equal(stoa_stage_at(o.f.app, 9), UINT32_MAX);
        }
        o.f.s.heap.fail_at = 0;
        assert_int_equal(stoa_app_step(o.f.app, 0), STOA_OK);
        oom_close(&o);
        assert_int_equal(o.freed, 1);
        assert_true(k < 100);
    }
}

/* GEN-04 GEN-03 SYS-05: the plan, and the step that makes it: nothing has run. */
static void planning_fails_cleanly(void **state) {
    (void)state;
    bool done = false;
    for (size_t k = 1; !done; k++) {
        oom o;
        oom_open(&o, 0, true);
        uint64_t hash = stoa_hash(o.f.world);
        o.f.s.heap.fail_at = k;
        done = stoa_schedule_plan(o.f.app) == STOA_OK;
        o.f.s.heap.fail_at = done ? 0 : k;
        if (!done) {
            assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
            assert_int_equal(stoa_app_step(o.f.app, 0), STOA_NO_MEMORY);
            assert_int_equal(stoa_app_frame(o.f.app), 0);
            assert_true(stoa_hash(o.f.world) == hash);
        }
        o.f.s.heap.fail_at = 0;
        app_step(&o.f);
        oom_close(&o);
        assert_true(k < 200);
    }
}

/* How a failing frame left its batch. */
typedef struct leavings {
    int idle, forked, flushing;
} leavings;

static void leavings_note(leavings *l, const app_fixture *f) {
    l->idle += f->app->work->state == STOA__WORK_IDLE;
    l->forked += f->app->work->state == STOA__WORK_FORKED;
    l->flushing += f->app->work->state == STOA__WORK_FLUSHING;
}

/* GEN-04 GEN-03 SYS-11: in a frame with everything, cold and warm, once and for good. */
static void frames_fail_and_go_on(void **state) {
    (void)state;
    for (int round = 0; round < 8; round++) {
        int way = round & 1, warm = round >> 1 & 1;
        bool forever = (round & 4) != 0, done = false;
        leavings l = {0};
        for (size_t k = 1; !done; k += k < 30 ? 1 : 13) {
            oom o;
            oom_open(&o, way, true);
            for (int i = 0; i < warm; i++) {
                app_step(&o.f);
            }
            support_heap *heap = &o.f.s.heap;
            size_t failed = heap->failed;
            heap->fail_forever = forever;
            heap->fail_at = k;
            stoa_status status = stoa_app_step(o.f.app, 0.25);
            done = heap->failed == failed;
            assert_status(status, done);
            if (!done) {
                leavings_note(&l, &o.f);
                assert_int_equal(stoa_check(o.f.world), STOA_OK);
                if (forever && stoa_app_step(o.f.app, 0.25) != STOA_OK) {
                    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
                }
            }
            heap->fail_at = 0;
            heap->fail_forever = false;
            app_step(&o.f);
            assert_int_equal(o.f.app->work->state, STOA__WORK_IDLE);
            assert_int_equal(stoa_check(o.f.world), STOA_OK);
            app_step(&o.f);
            oom_close(&o);
            assert_true(k < 5000);
        }
        assert_true(l.idle > 0 && l.flushing > 0);
    }
}

#define FRAMES 4

/* Runs frames, in one of which the k-th allocation fails. Where commands are left to be applied,
 * the frames after it are to be as `expected`. False if nothing failed. */
static bool flush_fail(int way, int failing, size_t k, const uint64_t *expected, leavings *l) {
    oom o;
    bool refused = false;
    oom_open(&o, way, false);
    for (int i = 0; i < FRAMES; i++) {
        size_t failed = o.f.s.heap.failed;
        o.f.s.heap.fail_at = i == failing ? k : 0;
        stoa_status status = stoa_app_step(o.f.app, 0.25);
        o.f.s.heap.fail_at = 0;
        refused = refused || o.f.s.heap.failed > failed;
        if (status == STOA_OK) {
            assert_true(stoa_hash(o.f.world) == expected[i]);
            continue;
        }
        assert_int_equal(i, failing);
        leavings_note(l, &o.f);
        if (o.f.app->work->dropping || o.f.app->work->state == STOA__WORK_IDLE) {
            break;
        }
    }
    oom_close(&o);
    return refused;
}

/* GEN-04 SYS-07 SYS-08: what could not be applied is applied by the next step, as if nothing had
 * been. */
static void flush_goes_on_where_it_failed(void **state) {
    (void)state;
    leavings l = {0};
    for (int round = 0; round < 4; round++) {
        int way = round & 1, failing = round & 2;
        uint64_t expected[FRAMES];
        oom o;
        oom_open(&o, way, false);
        for (int i = 0; i < FRAMES; i++) {
            app_step(&o.f);
            expected[i] = stoa_hash(o.f.world);
        }
        oom_close(&o);
        for (size_t k = 1; flush_fail(way, failing, k, expected, &l); k++) {
            assert_true(k < 2000);
        }
    }
    assert_true(l.forked > 0);
    assert_true(l.flushing > 0);
    assert_true(l.idle > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(making_an_app_fails_cleanly, tickets_reset),
        cmocka_unit_test_setup(making_a_system_fails_cleanly, tickets_reset),
        cmocka_unit_test_setup(planning_fails_cleanly, tickets_reset),
        cmocka_unit_test_setup(frames_fail_and_go_on, tickets_reset),
        cmocka_unit_test_setup(flush_goes_on_where_it_failed, tickets_reset),
    };
    return cmocka_run_group_tests(tests, pool_open, pool_close);
}

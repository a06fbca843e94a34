/* What jobs record is applied with the help of the threads that ran them, and comes to the same
 * world in every frame as on one thread. */
#include "schedule/app_fixture.h"

#include <stdatomic.h>

STOA_COMPONENT(Nest, { int32_t left; });
STOA_COMPONENT(Spot, { float x, y, z; });
STOA_COMPONENT(Child, {
    stoa_entity nest;
    int32_t left;
});
STOA_COMPONENT(Egg, { int32_t left; });

#define NESTS 3000
#define CYCLE 8
#define FRAMES 30

/* Jobs of the first half make children, the others eggs. */
static stoa_status spawn(stoa_job *job, stoa_iter *it) {
    Nest *nests = stoa_field_mut(it, Nest, 0);
    const Spot *spots = stoa_field(it, Spot, 1);
    for (int32_t i = 0; i < it->count; i++) {
        if (--nests[i].left > 0) {
            continue;
        }
        nests[i].left = CYCLE;
        stoa_entity made = job->index < job->count / 2
                               ? stoa_commands_create_with(
                                     job->commands, STOA_VALUE(Child, {it->entities[i], CYCLE}),
                                     STOA_VALUE_FROM(Spot, &spots[i]))
                               : stoa_commands_create_with(job->commands, STOA_VALUE(Egg, {CYCLE}),
                                                           STOA_VALUE_FROM(Spot, &spots[i]));
        if (stoa_entity_is_null(made)) {
            return stoa_last_error().status;
        }
    }
    return STOA_OK;
}

static stoa_status perish(stoa_job *job, stoa_iter *it) {
    Child *children = stoa_field_mut(it, Child, 0);
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < it->count && status == STOA_OK; i++) {
        if (--children[i].left == 0) {
            status = stoa_commands_destroy(job->commands, it->entities[i]);
        }
    }
    return status;
}

static stoa_status hatch(stoa_job *job, stoa_iter *it) {
    Egg *eggs = stoa_field_mut(it, Egg, 0);
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < it->count && status == STOA_OK; i++) {
        if (--eggs[i].left == 0) {
            status = stoa_commands_destroy(job->commands, it->entities[i]);
        }
    }
    return status;
}

static void nests_open(app_fixture *f, stoa_app_desc desc) {
    app_open(f, desc);
    for (int32_t i = 0; i < NESTS; i++) {
        Spot spot = {(float)i, 1, 2};
        stoa_entity e = stoa_create_with(f->world, STOA_VALUE_FROM(Spot, &spot),
                                         STOA_VALUE(Nest, {1 + i % CYCLE}));
        assert_false(stoa_entity_is_null(e));
    }
    app_add(f, (stoa_system_desc){.name = "spawn",
                                  .each = spawn,
                                  .terms = {STOA_WRITE(Nest), STOA_READ(Spot)},
                                  .grain = 150});
    app_add(f, (stoa_system_desc){
                   .name = "perish", .each = perish, .terms = {STOA_WRITE(Child)}, .grain = 150});
    app_add(f, (stoa_system_desc){
                   .name = "hatch", .each = hatch, .terms = {STOA_WRITE(Egg)}, .grain = 150});
}

static uint64_t expected[FRAMES];

static int expected_make(void **state) {
    (void)state;
    app_fixture f;
    nests_open(&f, (stoa_app_desc){.threads = 1});
    for (int frame = 0; frame < FRAMES; frame++) {
        app_step(&f);
        expected[frame] = stoa_hash(f.world);
    }
    assert_true(stoa_count(f.world) > NESTS + NESTS / 2);
    app_close(&f);
    return 0;
}

/* CMD-06 SYS-08 */
static void threads_that_help_make_no_difference(void **state) {
    (void)state;
    static const int32_t threads[] = {2, 3, 8, 20};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        app_fixture f;
        nests_open(&f, (stoa_app_desc){.threads = threads[i], .eager = true, .shuffle = i});
        for (int frame = 0; frame < FRAMES; frame++) {
            app_step(&f);
            assert_true(stoa_hash(f.world) == expected[frame]);
        }
        app_close(&f);
    }
}

/* An engine's threads: lanes are worked at once, and counted by what they are for. */
typedef struct engine {
    int starts;
} engine;

static void engine_start(stoa_pool_fn work, void *data, int32_t lane_count, void *user) {
    engine *e = user;
    e->starts++;
    for (int32_t lane = 1; lane < lane_count; lane++) {
        work(lane, data);
    }
}

static void engine_wait(void *user) {
    (void)user;
}

/* SYS-06 CMD-06: they are asked for help, too. */
static void threads_of_an_engine_help(void **state) {
    (void)state;
    engine e = {0};
    app_fixture f;
    nests_open(&f,
               (stoa_app_desc){.threads = 3,
                               .eager = true,
                               .hooks = &(stoa_pool_hooks){engine_start, engine_wait, &e, NULL}});
    for (int frame = 0; frame < FRAMES; frame++) {
        app_step(&f);
        assert_true(stoa_hash(f.world) == expected[frame]);
    }
    /* One for the jobs of a frame; two for the children, and two for the eggs. */
    assert_true(e.starts > FRAMES * 4);
    app_close(&f);
}

/* SYS-06: nobody is woken to apply what one thread ran. */
static void one_thread_applies_what_it_ran_alone(void **state) {
    (void)state;
    engine e = {0};
    app_fixture f;
    nests_open(&f,
               (stoa_app_desc){.threads = 1,
                               .eager = true,
                               .hooks = &(stoa_pool_hooks){engine_start, engine_wait, &e, NULL}});
    for (int frame = 0; frame < 3; frame++) {
        app_step(&f);
        assert_true(stoa_hash(f.world) == expected[frame]);
    }
    assert_int_equal(e.starts, 0);
    app_close(&f);
}

/* GEN-04 CMD-02: the frame that fails goes on with the next step. */
static void lack_of_memory_leaves_a_world_that_goes_on(void **state) {
    (void)state;
    for (size_t at = 1; at < 40; at += 3) {
        app_fixture f;
        nests_open(&f, (stoa_app_desc){.threads = 3, .eager = true});
        app_step(&f);
        f.s.heap.fail_at = at;
        f.s.heap.fail_forever = true;
        stoa_status status = stoa_app_step(f.app, 0.25);
        assert_true(status == STOA_OK || status == STOA_NO_MEMORY);
        f.s.heap.fail_at = 0;
        f.s.heap.fail_forever = false;
        assert_int_equal(stoa_check(f.world), STOA_OK);
        app_step(&f);
        app_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_help_make_no_difference),
        cmocka_unit_test(threads_of_an_engine_help),
        cmocka_unit_test(one_thread_applies_what_it_ran_alone),
        cmocka_unit_test(lack_of_memory_leaves_a_world_that_goes_on),
    };
    return cmocka_run_group_tests(tests, expected_make, NULL);
}

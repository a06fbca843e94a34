/* An app with some of everything that it goes on by: systems that run or not, queries that filter
 * by changes, jobs that create, unread events, a log, and resources. */
#ifndef STOA_TESTS_SNAPSHOT_APP_FIXTURE_H
#define STOA_TESTS_SNAPSHOT_APP_FIXTURE_H

#include "persist/snapshot_fixture.h"

STOA_COMPONENT(Bang, { int32_t loud; });
STOA_TAG(Knock);
STOA_COMPONENT(Seen, {
    uint64_t positions;
    uint64_t random;
    int32_t starts;
});

typedef struct run {
    support_world s;
    stoa_world *world;
    stoa_app *app;
    stoa_reader *bangs[2];
    stoa_reader *knocks;
    stoa_reader *texts;
    stoa_query *fresh; /* positions that changed; declared by `look` */
} run;

static inline stoa_status begin_run(stoa_job *job, stoa_iter *it) {
    (void)it;
    stoa_resource_mut(job->world, Seen)->starts++;
    return STOA_OK;
}

/* Counts positions that changed, and sends what nobody has read by the end of the frame. */
static inline stoa_status look_run(stoa_job *job, stoa_iter *it) {
    (void)it;
    const run *r = job->user;
    Seen *seen = stoa_resource_mut(job->world, Seen);
    for (stoa_iter i = stoa_query_iter(r->fresh); stoa_iter_next(&i);) {
        seen->positions = seen->positions * 3 + (uint64_t)i.count;
    }
    seen->random = stoa_random_bits(&job->random);
    return stoa_commands_send(job->commands, Bang, {(int32_t)(seen->random % 1000)});
}

/* Creates now and then, so that it holds handles. */
static inline stoa_status breed_each(stoa_job *job, stoa_iter *it) {
    for (int32_t i = 0; i < it->count; i++) {
        if (stoa_random_below(&job->random, 3) == 0) {
            (void)stoa_commands_create_with(job->commands, STOA_VALUE(Position, {1, 2}));
        } else if (stoa_random_below(&job->random, 3) == 0) {
            (void)stoa_commands_destroy(job->commands, it->entities[i]);
        }
    }
    return STOA_OK;
}

static inline stoa_status touch_each(stoa_job *job, stoa_iter *it) {
    if (job->frame % 3 != 0) {
        return STOA_OK;
    }
    Position *at = stoa_field_mut(it, Position, 0);
    at[0].x += 1;
    return STOA_OK;
}

/* Adds the systems, in an order that `turned` turns around. */
static inline void run_systems(run *r, bool turned) {
    stoa_system_desc descs[] = {
        {.name = "begin", .run = begin_run, .stage = STOA_STARTUP, .resources = {STOA_WRITE(Seen)}},
        {.name = "look",
         .run = look_run,
         .stage = STOA_POST_UPDATE,
         .queries = {r->fresh},
         .resources = {STOA_WRITE(Seen)},
         .user = r},
        {.name = "breed", .each = breed_each, .terms = {STOA_READ(Position)}, .grain = 16},
        {.name = "touch",
         .each = touch_each,
         .stage = STOA_PRE_UPDATE,
         .terms = {STOA_WRITE(Position), STOA_CHANGED(Position)}},
        {.name = "asleep", .run = begin_run, .resources = {STOA_WRITE(Seen)}, .disabled = true},
    };
    int count = (int)(sizeof descs / sizeof *descs);
    for (int i = 0; i < count; i++) {
        assert_true(stoa_system_new(r->app, &descs[turned ? count - 1 - i : i]).id != 0);
    }
}

/* Opens a run with nothing in its world. */
static inline void run_open(run *r, bool turned) {
    memset(r, 0, sizeof *r);
    support_world_open_with(&r->s, 16384);
    r->world = r->s.world;
    types_register(r->world, turned);
    assert_int_equal(stoa_log_keep(r->world, 64), STOA_OK);
    r->app = stoa_app_new(
        &(stoa_app_desc){.world = r->world, .threads = 1, .seed = 5, .fixed_step = 0.1});
    assert_non_null(r->app);
    for (int i = 0; i < 2; i++) {
        r->bangs[i] = stoa_reader_new(r->world, Bang);
    }
    r->knocks = stoa_reader_new(r->world, Knock);
    r->texts = stoa_reader_new(r->world, Text);
    r->fresh = stoa_query_new(
        r->world,
        &(stoa_query_desc){.terms = {STOA_READ(Position), STOA_CHANGED(Position)}, .name = "f"});
    assert_int_equal(stoa_resource_set(r->world, Seen, {0, 0, 0}), STOA_OK);
    run_systems(r, turned);
}

static inline void run_fill(run *r) {
    for (int i = 0; i < 40; i++) {
        stoa_create_with(r->world, STOA_VALUE(Position, {(float)i, 0}));
    }
}

static inline void run_step(run *r, int frames) {
    for (int i = 0; i < frames; i++) {
        if (stoa_app_step(r->app, 0.16) != STOA_OK) {
            support_print_error();
            fail();
        }
    }
}

static inline void run_close(run *r) {
    assert_int_equal(stoa_check(r->world), STOA_OK);
    assert_int_equal(stoa_app_free(r->app), STOA_OK);
    support_world_close(&r->s);
}

static inline void run_save(run *r, stoa_blob *blob) {
    blob->size = 0;
    if (stoa_snapshot_save_memory(r->world, &(stoa_snapshot_save_desc){.app = r->app}, blob) !=
            STOA_OK ||
        stoa_snapshot_verify(blob->data, blob->size, NULL) != STOA_OK) {
        support_print_error();
        fail();
    }
}

static inline stoa_status run_load(run *r, const stoa_blob *blob) {
    return stoa_snapshot_load_memory(r->world, &(stoa_snapshot_load_desc){.app = r->app},
                                     blob->data, blob->size);
}

/* Events that are still there after the last frame: of a plain type, a tag, one with functions. */
static inline void run_send(run *r) {
    stoa_entity e = stoa_entity_next(r->world, STOA_NULL);
    stoa_event event;
    assert_int_equal(stoa_event_send_to(r->world, e, Bang, {1}), STOA_OK);
    assert_int_equal(stoa_event_send(r->world, Bang, {2}), STOA_OK);
    assert_int_equal(stoa_event_send_id(r->world, e, stoa_id(r->world, Knock), NULL, 0), STOA_OK);
    Text text = text_make("unread");
    assert_int_equal(
        stoa_event_send_id(r->world, STOA_NULL, stoa_id(r->world, Text), &text, sizeof text),
        STOA_OK);
    assert_true(stoa_event_read(r->bangs[1], &event));
}

#endif

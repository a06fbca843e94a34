/* Stages: those that every app has, own ones anywhere between, and the order of a frame. */
#include "schedule/app_fixture.h"

/* What ran, in order: a letter for each system. */
typedef struct tale {
    char text[256];
} tale;

static void tale_add(tale *t, char letter) {
    size_t length = strlen(t->text);
    assert_true(length + 1 < sizeof t->text);
    t->text[length] = letter;
    t->text[length + 1] = '\0';
}

static stoa_status tell(stoa_job *job, stoa_iter *it) {
    (void)it;
    tale_add(job->user, job->system[0]);
    return STOA_OK;
}

static stoa_system teller(app_fixture *f, tale *t, const char *name, stoa_stage stage) {
    return app_add(f, (stoa_system_desc){.name = name, .run = tell, .stage = stage, .user = t});
}

static void assert_tale(tale *t, const char *expected) {
    assert_string_equal(t->text, expected);
    t->text[0] = '\0';
}

/* SYS-10 */
static void every_app_has_eight_stages_in_order(void **state) {
    (void)state;
    static const char *const names[] = {"Startup",   "PreUpdate", "Update",     "PostUpdate",
                                        "PreRender", "Render",    "PostRender", "Cleanup"};
    static const stoa_stage ids[] = {STOA_STARTUP,     STOA_PRE_UPDATE, STOA_UPDATE,
                                     STOA_POST_UPDATE, STOA_PRE_RENDER, STOA_RENDER,
                                     STOA_POST_RENDER, STOA_CLEANUP};
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 1});
    for (int32_t i = 0; i < 8; i++) {
        assert_int_equal(stoa_stage_at(f.app, i), ids[i]);
        assert_string_equal(stoa_stage_name(f.app, ids[i]), names[i]);
        assert_int_equal(stoa_stage_find(f.app, names[i]), ids[i]);
    }
    assert_int_equal(stoa_stage_at(f.app, 8), UINT32_MAX);
    assert_int_equal(stoa_stage_at(f.app, -1), UINT32_MAX);
    assert_int_equal(stoa_stage_find(f.app, "update"), UINT32_MAX);
    assert_int_equal(stoa_stage_find(f.app, NULL), UINT32_MAX);
    assert_null(stoa_stage_name(f.app, STOA_STAGE_OWN));
    assert_null(stoa_stage_name(f.app, UINT32_MAX));
    support_assert_quiet(&f.s);
    app_close(&f);
}

/* SYS-10: whatever the order of registration; Startup once. */
static void systems_run_stage_by_stage(void **state) {
    (void)state;
    app_fixture f;
    tale t = {""};
    app_open(&f, (stoa_app_desc){.threads = 1});
    teller(&f, &t, "c", STOA_CLEANUP);
    teller(&f, &t, "r", STOA_RENDER);
    teller(&f, &t, "q", STOA_POST_RENDER);
    teller(&f, &t, "p", STOA_PRE_RENDER);
    teller(&f, &t, "z", STOA_POST_UPDATE);
    teller(&f, &t, "u", STOA_UPDATE);
    teller(&f, &t, "a", STOA_PRE_UPDATE);
    teller(&f, &t, "s", STOA_STARTUP);
    app_step(&f);
    assert_tale(&t, "sauzprqc");
    app_step(&f);
    assert_tale(&t, "auzprqc");
    app_close(&f);
}

static stoa_stage stage_add(app_fixture *f, stoa_stage_desc desc) {
    stoa_stage made = stoa_stage_new(f->app, &desc);
    assert_int_not_equal(made, UINT32_MAX);
    assert_int_equal(stoa_stage_find(f->app, desc.name), made);
    assert_string_equal(stoa_stage_name(f->app, made), desc.name);
    return made;
}

/* SYS-10: right before or after the stage that is named, own ones too, first and last too. */
static void own_stages_go_anywhere(void **state) {
    (void)state;
    app_fixture f;
    tale t = {""};
    app_open(&f, (stoa_app_desc){.threads = 1});
    char name[] = "Physics";
    stoa_stage physics =
        stage_add(&f, (stoa_stage_desc){.name = name, .after = "Update", .fixed = true});
    name[0] = 'X'; /* it was copied */
    assert_string_equal(stoa_stage_name(f.app, physics), "Physics");
    assert_int_equal(physics, STOA_STAGE_OWN);
    stoa_stage first = stage_add(&f, (stoa_stage_desc){.name = "First", .before = "Startup"});
    stoa_stage last = stage_add(&f, (stoa_stage_desc){.name = "Last", .after = "Cleanup"});
    stoa_stage between = stage_add(&f, (stoa_stage_desc){.name = "Between", .after = "Update"});
    stoa_stage before = stage_add(&f, (stoa_stage_desc){.name = "Before", .before = "Between"});
    const stoa_stage order[] = {
        first,   STOA_STARTUP,     STOA_PRE_UPDATE, STOA_UPDATE, before,           between,
        physics, STOA_POST_UPDATE, STOA_PRE_RENDER, STOA_RENDER, STOA_POST_RENDER, STOA_CLEANUP,
        last};
    for (int32_t i = 0; i < 13; i++) {
        assert_int_equal(stoa_stage_at(f.app, i), order[i]);
    }
    teller(&f, &t, "l", last);
    teller(&f, &t, "p", physics);
    teller(&f, &t, "b", between);
    teller(&f, &t, "u", STOA_UPDATE);
    teller(&f, &t, "w", before);
    teller(&f, &t, "f", first);
    app_step(&f);
    assert_tale(&t, "fuwbpl");
    app_step(&f);
    assert_tale(&t, "fuwbpl");
    app_close(&f);
}

/* SYS-10: an own stage that comes between two frames has its turn in the next. */
static void stage_made_between_frames_takes_its_place(void **state) {
    (void)state;
    app_fixture f;
    tale t = {""};
    app_open(&f, (stoa_app_desc){.threads = 1});
    teller(&f, &t, "u", STOA_UPDATE);
    teller(&f, &t, "r", STOA_RENDER);
    app_step(&f);
    stoa_stage own = stage_add(&f, (stoa_stage_desc){.name = "Own", .before = "Render"});
    app_step(&f);
    teller(&f, &t, "o", own);
    app_step(&f);
    assert_tale(&t, "ururuor");
    app_close(&f);
}

static void assert_refused(app_fixture *f, const stoa_stage_desc *desc, stoa_status status,
                           const char *part) {
    int errors = f->s.errors;
    assert_int_equal(stoa_stage_new(f->app, desc), UINT32_MAX);
    assert_int_equal(stoa_last_error().status, status);
    support_assert_message(part);
    assert_int_equal(f->s.errors, errors + 1);
    assert_int_equal(stoa_stage_at(f->app, 8), UINT32_MAX);
}

/* SYS-10 GEN-03 */
static void wrong_stages_are_refused(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 1});
    assert_refused(&f, NULL, STOA_NULL_ARGUMENT, "description");
    assert_refused(&f, &(stoa_stage_desc){.after = "Update"}, STOA_NULL_ARGUMENT, "name");
    assert_refused(&f, &(stoa_stage_desc){.name = "", .after = "Update"}, STOA_INVALID, "name");
    assert_refused(&f, &(stoa_stage_desc){.name = "Own"}, STOA_INVALID, "Own");
    assert_refused(&f, &(stoa_stage_desc){.name = "Own", .after = "Update", .before = "Render"},
                   STOA_INVALID, "Own");
    assert_refused(&f, &(stoa_stage_desc){.name = "Render", .after = "Update"}, STOA_CONFLICT,
                   "'Render'");
    assert_refused(&f, &(stoa_stage_desc){.name = "Own", .after = "Nowhere"}, STOA_NOT_FOUND,
                   "'Nowhere'");
    assert_refused(&f, &(stoa_stage_desc){.name = "Own", .before = "Own"}, STOA_NOT_FOUND, "'Own'");
    app_step(&f);
    app_close(&f);
}

/* SYS-10: in the first frame after they were added, each once, whatever else there is. */
static void startup_is_once_for_each_system(void **state) {
    (void)state;
    app_fixture f;
    tale t = {""};
    app_open(&f, (stoa_app_desc){.threads = 1});
    teller(&f, &t, "u", STOA_UPDATE);
    teller(&f, &t, "s", STOA_STARTUP);
    app_step(&f);
    assert_tale(&t, "su");
    stoa_system late = teller(&f, &t, "t", STOA_STARTUP);
    app_step(&f);
    assert_tale(&t, "tu");
    app_step(&f);
    assert_tale(&t, "u");
    assert_int_equal(stoa_system_enable(f.app, late, false), STOA_OK);
    assert_int_equal(stoa_system_enable(f.app, late, true), STOA_OK);
    app_step(&f);
    assert_tale(&t, "u");
    stoa_system_desc desc = {.name = "d", .run = tell, .stage = STOA_STARTUP, .user = &t};
    desc.disabled = true;
    stoa_system off = app_add(&f, desc);
    app_step(&f);
    assert_tale(&t, "u");
    assert_int_equal(stoa_system_enable(f.app, off, true), STOA_OK);
    app_step(&f);
    assert_tale(&t, "du");
    app_step(&f);
    assert_tale(&t, "u");
    app_close(&f);
}

typedef struct gate {
    tale told;
    bool open;
} gate;

static bool gate_open(const stoa_world *world, void *user) {
    (void)world;
    return ((const gate *)user)->open;
}

static stoa_status gate_tell(stoa_job *job, stoa_iter *it) {
    (void)it;
    tale_add(&((gate *)job->user)->told, job->system[0]);
    return STOA_OK;
}

/* SYS-10 SYS-02: one whose condition does not hold yet runs when it does, once. */
static void startup_waits_for_its_condition(void **state) {
    (void)state;
    app_fixture f;
    gate g = {.open = false};
    app_open(&f, (stoa_app_desc){.threads = 1});
    app_add(&f, (stoa_system_desc){.name = "s",
                                   .run = gate_tell,
                                   .stage = STOA_STARTUP,
                                   .condition = gate_open,
                                   .user = &g});
    app_step(&f);
    app_step(&f);
    assert_tale(&g.told, "");
    g.open = true;
    app_step(&f);
    app_step(&f);
    assert_tale(&g.told, "s");
    app_close(&f);
}

static stoa_status fail_first(stoa_job *job, stoa_iter *it) {
    (void)it;
    tale_add(job->user, job->system[0]);
    return job->frame == 0 ? stoa_job_fail(job, "not yet") : STOA_OK;
}

/* SYS-10: what a failure left out of Startup is made up for; what ran does not run again. */
static void startup_goes_on_after_a_failure(void **state) {
    (void)state;
    app_fixture f;
    tale t = {""};
    app_open(&f, (stoa_app_desc){.threads = 1});
    app_add(&f,
            (stoa_system_desc){.name = "a", .run = fail_first, .stage = STOA_STARTUP, .user = &t});
    app_add(&f, (stoa_system_desc){
                    .name = "b", .run = tell, .stage = STOA_STARTUP, .after = {"a"}, .user = &t});
    teller(&f, &t, "u", STOA_UPDATE);
    assert_int_equal(stoa_app_step(f.app, 0), STOA_FAILED);
    assert_tale(&t, "a");
    app_step(&f);
    assert_tale(&t, "bu");
    app_step(&f);
    assert_tale(&t, "u");
    app_close(&f);
}

/* SYS-10: many of them, in an order that is made at random and told beside. */
static void a_hundred_own_stages_keep_their_order(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 1});
    stoa_stage order[128] = {STOA_STARTUP,    STOA_PRE_UPDATE, STOA_UPDATE,      STOA_POST_UPDATE,
                             STOA_PRE_RENDER, STOA_RENDER,     STOA_POST_RENDER, STOA_CLEANUP};
    uint32_t count = 8;
    support_random random = {5};
    for (int i = 0; i < 100; i++) {
        uint32_t at = support_random_below(&random, count);
        bool after = support_random_below(&random, 2) == 0;
        char name[16];
        snprintf(name, sizeof name, "own %d", i);
        const char *other = stoa_stage_name(f.app, order[at]);
        stoa_stage made = stage_add(&f, (stoa_stage_desc){.name = name,
                                                          .after = after ? other : NULL,
                                                          .before = after ? NULL : other});
        at += after;
        memmove(order + at + 1, order + at, (count - at) * sizeof *order);
        order[at] = made;
        count++;
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(stoa_stage_at(f.app, (int32_t)i), order[i]);
    }
    app_step(&f);
    app_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_app_has_eight_stages_in_order),
        cmocka_unit_test(systems_run_stage_by_stage),
        cmocka_unit_test(own_stages_go_anywhere),
        cmocka_unit_test(stage_made_between_frames_takes_its_place),
        cmocka_unit_test(wrong_stages_are_refused),
        cmocka_unit_test(startup_is_once_for_each_system),
        cmocka_unit_test(startup_waits_for_its_condition),
        cmocka_unit_test(startup_goes_on_after_a_failure),
        cmocka_unit_test(a_hundred_own_stages_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

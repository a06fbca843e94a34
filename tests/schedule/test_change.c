/* Systems that are added, replaced and removed together. */
#include "schedule/app_fixture.h"

static char trace[200];
static int freed;

static stoa_status letter_run(stoa_job *job, stoa_iter *it) {
    (void)it;
    strncat(trace, job->user != NULL ? job->user : job->system, 20);
    return STOA_OK;
}

static void letter_free(void *user) {
    (void)user;
    freed++;
}

static stoa_system_desc letter(const char *name, const char *user) {
    return (stoa_system_desc){.name = name,
                              .run = letter_run,
                              .rule = STOA_THREAD_EXCLUSIVE,
                              .user = (void *)(uintptr_t)user,
                              .user_free = letter_free};
}

static void fixture_abc(app_fixture *f, stoa_system *ids) {
    app_open(f, (stoa_app_desc){.threads = 1});
    trace[0] = '\0';
    freed = 0;
    ids[0] = app_add(f, letter("a", NULL));
    ids[1] = app_add(f, letter("b", NULL));
    ids[2] = app_add(f, letter("c", NULL));
}

/* HOT-01 */
static void replaced_system_keeps_its_place_and_its_past(void **state) {
    (void)state;
    app_fixture f;
    stoa_system ids[3];
    stoa_system_info before, after;
    fixture_abc(&f, ids);
    app_step(&f);
    app_step(&f);
    assert_int_equal(stoa_system_info_get(f.app, ids[1], &before), STOA_OK);
    stoa_system_desc desc = letter("b", "B");
    assert_int_equal(stoa_system_replace(f.app, ids[1], &desc), STOA_OK);
    assert_int_equal(freed, 1);
    assert_int_equal(stoa_system_info_get(f.app, ids[1], &after), STOA_OK);
    assert_int_equal(after.last_run, before.last_run);
    assert_int_equal(after.runs, 2);
    trace[0] = '\0';
    app_step(&f);
    assert_string_equal(trace, "aBc");
    assert_int_equal(stoa_system_enable(f.app, ids[1], false), STOA_OK);
    desc = letter("b2", "X");
    assert_int_equal(stoa_system_replace(f.app, ids[1], &desc), STOA_OK);
    trace[0] = '\0';
    app_step(&f);
    assert_string_equal(trace, "ac");
    assert_int_equal(stoa_system_find(f.app, "b2").id, ids[1].id);
    assert_int_equal(stoa_system_find(f.app, "b").id, 0);
    app_close(&f);
}

/* HOT-01 */
static void changes_are_made_together(void **state) {
    (void)state;
    app_fixture f;
    stoa_system ids[3];
    fixture_abc(&f, ids);
    app_step(&f);
    /* Two systems exchange their names, one goes, two come. */
    stoa_system_desc descs[4] = {letter("b", "1"), letter("a", "2"), letter("d", "3"),
                                 letter("c", "4")};
    stoa_system_change changes[5] = {{ids[0], &descs[0]},
                                     {ids[1], &descs[1]},
                                     {ids[2], NULL},
                                     {{0}, &descs[2]},
                                     {{0}, &descs[3]}};
    assert_int_equal(stoa_systems_change(f.app, changes, 5), STOA_OK);
    assert_int_equal(freed, 3);
    assert_int_equal(changes[2].system.id, 0);
    assert_int_equal(changes[3].system.id, stoa_system_find(f.app, "d").id);
    assert_int_equal(changes[0].system.id, ids[0].id);
    trace[0] = '\0';
    app_step(&f);
    assert_string_equal(trace, "1234");
    assert_int_equal(stoa_systems_change(f.app, NULL, 0), STOA_OK);
    app_close(&f);
    assert_int_equal(freed, 7);
}

/* HOT-01 */
static void change_that_fails_changes_nothing(void **state) {
    (void)state;
    app_fixture f;
    stoa_system ids[3];
    fixture_abc(&f, ids);
    stoa_system_desc good = letter("x", "x"), taken = letter("b", "x"), bad = letter("y", "y"),
                     nameless = letter(NULL, "x");
    bad.stage = 999;
    const struct {
        stoa_system_change changes[2];
        stoa_status status;
    } cases[] = {
        {{{ids[0], &good}, {{0}, &taken}}, STOA_CONFLICT},
        {{{ids[0], &good}, {{0}, &good}}, STOA_CONFLICT},
        {{{ids[0], &good}, {{0}, &bad}}, STOA_NOT_FOUND},
        {{{ids[0], &good}, {{0}, &nameless}}, STOA_NULL_ARGUMENT},
        {{{ids[0], &good}, {ids[0], NULL}}, STOA_DUPLICATE},
        {{{ids[0], &good}, {{77}, NULL}}, STOA_NOT_FOUND},
        {{{ids[0], &good}, {{0}, NULL}}, STOA_NOT_FOUND},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stoa_system_change changes[2] = {cases[i].changes[0], cases[i].changes[1]};
        assert_int_equal(stoa_systems_change(f.app, changes, 2), cases[i].status);
        trace[0] = '\0';
        app_step(&f);
        assert_string_equal(trace, "abc");
        assert_int_equal(freed, 0);
    }
    f.s.asserts_seen = f.s.asserts;
    app_close(&f);
}

/* HOT-01 */
static void lack_of_memory_changes_nothing(void **state) {
    (void)state;
    app_fixture f;
    stoa_system ids[3];
    fixture_abc(&f, ids);
    stoa_system_desc b = letter("b", "B"), d = letter("d", "D");
    stoa_status status = STOA_NO_MEMORY;
    size_t k = 0;
    while (status != STOA_OK) {
        stoa_system_change changes[3] = {{ids[1], &b}, {{0}, &d}, {ids[2], NULL}};
        f.s.heap.fail_at = ++k;
        status = stoa_systems_change(f.app, changes, 3);
        f.s.heap.fail_at = 0;
        trace[0] = '\0';
        app_step(&f);
        assert_string_equal(trace, status == STOA_OK ? "aBD" : "abc");
    }
    assert_true(k > 4);
    app_close(&f);
}

static app_fixture *inside;
static stoa_status status_inside;

static stoa_status change_run(stoa_job *job, stoa_iter *it) {
    (void)job, (void)it;
    stoa_system_desc desc = letter("z", "z");
    status_inside = stoa_systems_change(inside->app, &(stoa_system_change){.desc = &desc}, 1);
    return STOA_OK;
}

/* HOT-01 */
static void misuse_is_refused(void **state) {
    (void)state;
    app_fixture f;
    stoa_system ids[3];
    fixture_abc(&f, ids);
    stoa_system_desc desc = letter("z", "z");
    assert_int_equal(stoa_systems_change(NULL, NULL, 0), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_systems_change(f.app, NULL, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_systems_change(f.app, NULL, -1), STOA_INVALID);
    assert_int_equal(stoa_system_replace(f.app, ids[0], NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_system_replace(f.app, (stoa_system){0}, &desc), STOA_NOT_FOUND);
    assert_int_equal(stoa_app_forget(NULL, NULL), STOA_NULL_ARGUMENT);
    inside = &f;
    app_add(&f,
            (stoa_system_desc){.name = "change", .run = change_run, .rule = STOA_THREAD_EXCLUSIVE});
    app_step(&f);
    assert_int_equal(status_inside, STOA_LOCKED);
    f.s.asserts_seen = f.s.asserts;
    app_close(&f);
}

static void watcher_freed(void *user) {
    strcat(trace, user);
}

/* HOT-01 */
static void systems_and_watchers_in_code_that_goes_are_taken_away(void **state) {
    (void)state;
    app_fixture f;
    stoa_system ids[3];
    fixture_abc(&f, ids);
    static char library[2];
    app_add(&f, letter("d", library));
    static stoa_app_watcher there, elsewhere;
    there = (stoa_app_watcher){.freed = watcher_freed, .user = "w"};
    elsewhere = (stoa_app_watcher){.freed = watcher_freed, .user = "e"};
    assert_int_equal(stoa_app_watch(f.app, &there), STOA_OK);
    assert_int_equal(stoa_app_watch(f.app, &elsewhere), STOA_OK);
    stoa_code code = {(uintptr_t)library, (uintptr_t)library + sizeof library};
    assert_int_equal(stoa_app_forget(f.app, &code), STOA_OK);
    code = (stoa_code){(uintptr_t)&there, (uintptr_t)(&there + 1)};
    assert_int_equal(stoa_app_forget(f.app, &code), STOA_OK);
    trace[0] = '\0';
    app_step(&f);
    assert_string_equal(trace, "abc");
    trace[0] = '\0';
    app_close(&f);
    assert_string_equal(trace, "e");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaced_system_keeps_its_place_and_its_past),
        cmocka_unit_test(changes_are_made_together),
        cmocka_unit_test(change_that_fails_changes_nothing),
        cmocka_unit_test(lack_of_memory_changes_nothing),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(systems_and_watchers_in_code_that_goes_are_taken_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

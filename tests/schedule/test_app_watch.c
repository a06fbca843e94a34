/* Watchers of an app: told once when it is freed, and not after they were let go of. */
#include "support/support.h"

typedef struct note {
    int count;
    stoa_app *app;
    stoa_app_watcher *other; /* to let go of when told */
    uint64_t frame;          /* of the app when told */
} note;

static void freed(void *user) {
    note *n = user;
    n->count++;
    n->frame = stoa_app_frame(n->app);
    stoa_app_unwatch(n->app, n->other);
}

/* MET-01, GEN-06 */
static void watcher_is_told_once_while_the_app_is_whole(void **state) {
    support_world *s = *state;
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = s->world, .threads = 1});
    note notes[4] = {{.app = app}, {.app = app}, {.app = app}, {.app = app}};
    stoa_app_watcher watchers[4];
    for (int i = 0; i < 4; i++) {
        watchers[i] = (stoa_app_watcher){.freed = freed, .user = &notes[i]};
        assert_int_equal(stoa_app_watch(app, &watchers[i]), STOA_OK);
    }
    assert_int_equal(stoa_app_watch(app, &watchers[2]), STOA_OK);
    stoa_app_unwatch(app, &watchers[1]);
    stoa_app_unwatch(app, &watchers[1]);
    notes[2].other = &watchers[0];
    assert_int_equal(stoa_app_step(app, 0.1), STOA_OK);
    assert_int_equal(stoa_app_free(app), STOA_OK);
    assert_int_equal(notes[0].count, 0);
    assert_int_equal(notes[1].count, 0);
    assert_int_equal(notes[2].count, 1);
    assert_int_equal(notes[2].frame, 1);
    assert_int_equal(notes[3].count, 1);
}

/* GEN-05 */
static void watching_with_nulls_is_refused(void **state) {
    support_world *s = *state;
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = s->world, .threads = 1});
    stoa_app_watcher none = {.freed = NULL}, watcher = {.freed = freed};
    support_assert_misuse(s, stoa_app_watch(app, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_app_watch(app, &none), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_app_watch(NULL, &watcher), STOA_NULL_ARGUMENT);
    stoa_app_unwatch(NULL, &watcher);
    stoa_app_unwatch(app, NULL);
    assert_int_equal(stoa_app_free(app), STOA_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(watcher_is_told_once_while_the_app_is_whole),
        TEST(watching_with_nulls_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

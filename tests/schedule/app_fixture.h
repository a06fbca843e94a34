/* An app on a world of the counting allocator, and what tests of apps share. */
#ifndef STOA_TESTS_APP_FIXTURE_H
#define STOA_TESTS_APP_FIXTURE_H

#include "support/support.h"

typedef struct app_fixture {
    support_world s;
    stoa_world *world;
    stoa_app *app;
} app_fixture;

/* Opens a world and an app on it; the world of the description is that one. */
static inline void app_open(app_fixture *f, stoa_app_desc desc) {
    support_world_open_with(&f->s, 16384);
    f->world = desc.world = f->s.world;
    desc.threads = desc.threads == 0 && desc.pool == NULL ? 1 : desc.threads;
    f->app = stoa_app_new(&desc);
    if (f->app == NULL) {
        support_print_error();
    }
    assert_non_null(f->app);
}

/* Frees both; the world must be in order, and no byte may be left. */
static inline void app_close(app_fixture *f) {
    assert_int_equal(stoa_check(f->world), STOA_OK);
    assert_int_equal(stoa_app_free(f->app), STOA_OK);
    support_world_close(&f->s);
}

/* Adds a system that must be fine. */
static inline stoa_system app_add(app_fixture *f, stoa_system_desc desc) {
    stoa_system made = stoa_system_new(f->app, &desc);
    if (made.id == 0) {
        support_print_error();
    }
    assert_int_not_equal(made.id, 0);
    return made;
}

/* Steps, which must go well. */
static inline void app_step(app_fixture *f) {
    stoa_status status = stoa_app_step(f->app, 0.25);
    if (status != STOA_OK) {
        support_print_error();
    }
    assert_int_equal(status, STOA_OK);
}

#endif

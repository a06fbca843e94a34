/* What the tests of meta worlds share: types, an app with systems, and meta worlds that pass their
 * check. */
#ifndef STOA_TESTS_META_FIXTURE_H
#define STOA_TESTS_META_FIXTURE_H

#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Rules, { int64_t speed; });
STOA_TAG(Seen);

static inline stoa_status idle(stoa_job *job, stoa_iter *it) {
    (void)job, (void)it;
    return STOA_OK;
}

static inline stoa_app *app_open(support_world *s) {
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = s->world, .threads = 1});
    assert_non_null(app);
    return app;
}

static inline void system_add(stoa_app *app, const char *name) {
    stoa_system system = stoa_system_new(app, &(stoa_system_desc){.name = name,
                                                                  .each = idle,
                                                                  .terms = {STOA_WRITE(Position)},
                                                                  .resources = {STOA_READ(Rules)}});
    assert_int_not_equal(system.id, 0);
}

static inline stoa_world *meta_open(support_world *s, stoa_app *app) {
    stoa_world *meta = stoa_meta_new(s->world, app);
    assert_non_null(meta);
    assert_int_equal(stoa_check(meta), STOA_OK);
    return meta;
}

static inline void meta_close(stoa_world *meta) {
    assert_int_equal(stoa_check(meta), STOA_OK);
    stoa_world_free(meta);
}

#endif

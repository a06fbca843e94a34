/* An app whose plan is looked at and never run, on a world with some components. Systems are
 * described as in programs; their functions do nothing. */
#ifndef STOA_TESTS_PLAN_FIXTURE_H
#define STOA_TESTS_PLAN_FIXTURE_H

#include "schedule/app.h"
#include "support/support.h"

#include <stdlib.h>

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_COMPONENT(Target, { stoa_entity entity; });
STOA_COMPONENT(Clock, { double now; });
STOA_COMPONENT(Score, { int32_t points; });
STOA_COMPONENT_WITH(Secret, STOA_OPTIONS(.flags = STOA_HIDDEN), { int32_t number; });
STOA_COMPONENT_WITH(Shield, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { int32_t strength; });

typedef struct plan_fixture {
    support_world s;
    stoa_app *app;
} plan_fixture;

/* Ids are in the order of the list above, after those that an app brings. */
STOA_UNUSED static int plan_setup(void **state) {
    plan_fixture *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return -1;
    }
    support_world_open(&f->s);
    f->app = stoa_app_new(&(stoa_app_desc){.world = f->s.world, .threads = 1});
    assert_non_null(f->app);
    stoa_type *types[] = {STOA_TYPE_OF(Position), STOA_TYPE_OF(Velocity), STOA_TYPE_OF(Health),
                          STOA_TYPE_OF(Target),   STOA_TYPE_OF(Clock),    STOA_TYPE_OF(Score),
                          STOA_TYPE_OF(Secret),   STOA_TYPE_OF(Shield)};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        assert_int_not_equal(stoa_type_register(f->s.world, types[i]), 0);
    }
    *state = f;
    return 0;
}

STOA_UNUSED static int plan_teardown(void **state) {
    plan_fixture *f = *state;
    assert_int_equal(stoa_app_free(f->app), STOA_OK);
    support_world_close(&f->s);
    free(f);
    return 0;
}

STOA_UNUSED static stoa_status plan_nothing(stoa_job *job, stoa_iter *it) {
    (void)job;
    (void)it;
    return STOA_OK;
}

/* Adds a system that does nothing. */
STOA_UNUSED static stoa_system plan_add_desc(plan_fixture *f, stoa_system_desc desc) {
    stoa_system system = stoa_system_new(f->app, &desc);
    if (system.id == 0) {
        support_print_error();
    }
    assert_int_not_equal(system.id, 0);
    return system;
}

#define plan_add(f, ...)                                                                           \
    plan_add_desc((f), (stoa_system_desc){.run = plan_nothing, .name = __VA_ARGS__})

STOA_UNUSED static void plan_switch(plan_fixture *f, const char *name, bool on) {
    assert_int_equal(stoa_system_enable_name(f->app, name, on), STOA_OK);
}

/* Plans, and writes the batches of a stage as "a b | c". */
STOA_UNUSED static const char *plan_batches(plan_fixture *f, stoa_stage stage) {
    static char text[1024];
    text[0] = '\0';
    stoa_status status = stoa_schedule_plan(f->app);
    if (status != STOA_OK) {
        support_print_error();
        return "no plan";
    }
    int32_t count = stoa_schedule_batches(f->app, stage);
    for (int32_t b = 0; b < count; b++) {
        stoa_system system;
        for (int32_t i = 0; (system = stoa_schedule_system(f->app, stage, b, i)).id != 0; i++) {
            stoa_system_info info;
            assert_int_equal(stoa_system_info_get(f->app, system, &info), STOA_OK);
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%s",
                     i > 0   ? " "
                     : b > 0 ? " | "
                             : "",
                     info.name);
        }
    }
    return text;
}

#define plan_assert_batches(f, stage, text) assert_string_equal(plan_batches((f), (stage)), (text))

/* Planning must fail so, with this in the message. */
#define plan_assert_fails(f, status, message)                                                      \
    do {                                                                                           \
        plan_assert_status(&(f)->s, stoa_schedule_plan((f)->app), (status));                       \
        support_assert_message(message);                                                           \
    } while (0)

/* The status is the one expected, and was told to on_assert if it tells of misuse. */
STOA_UNUSED static void plan_assert_status(support_world *s, stoa_status got,
                                           stoa_status expected) {
    if (support_status_is_misuse(expected)) {
        support_assert_misuse(s, got, expected);
    } else {
        assert_int_equal(got, expected);
        support_assert_quiet(s);
    }
}

/* Why the last plan has a system where it is; the system must be in it. */
STOA_UNUSED static stoa__reason plan_reason(const plan_fixture *f, const char *name) {
    const stoa__plan *plan = &f->app->plan;
    for (uint32_t i = 0; i < plan->system_count; i++) {
        if (strcmp(plan->systems[i].system->name, name) == 0) {
            return plan->systems[i].reason;
        }
    }
    fail_msg("'%s' is not in the plan", name);
    return (stoa__reason){.kind = STOA__REASON_NONE};
}

#endif

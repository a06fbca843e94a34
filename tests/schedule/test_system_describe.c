/* Systems described at file scope, the types that they bring, and lists that are full. */
#include "schedule/app_fixture.h"

STOA_COMPONENT(Place, { int32_t x; });
STOA_COMPONENT(Speed, { int32_t x; });
STOA_COMPONENT(Health, { int32_t left; });
STOA_COMPONENT(Gravity, { int32_t pull; });
STOA_COMPONENT(Score, { int32_t points; });
STOA_COMPONENT(Unmet, { int32_t x; });
STOA_TAG(Frozen);

static stoa_status nothing(stoa_job *job, stoa_iter *it) {
    (void)job;
    (void)it;
    return STOA_OK;
}

STOA_SYSTEM(grow, .terms = {STOA_WRITE(Health), STOA_WITHOUT(Frozen)}, .stage = STOA_PRE_UPDATE,
            .labels = {"life"}, .grain = 32) {
    Health *health = stoa_field_mut(it, Health, 0);
    for (int32_t i = 0; i < it->count; i++) {
        health[i].left += *(const int32_t *)job->user;
    }
    return STOA_OK;
}

STOA_SYSTEM_ONCE(sum, .terms = {STOA_READ(Health)}, .resources = {STOA_WRITE(Score)},
                 .rule = STOA_THREAD_MAIN) {
    Score *score = stoa_resource_mut(job->world, Score);
    score->points = 0;
    while (stoa_iter_next(it)) {
        const Health *health = stoa_field(it, Health, 0);
        for (int32_t i = 0; i < it->count; i++) {
            score->points += health[i].left;
        }
    }
    return STOA_OK;
}

STOA_SYSTEM_ONCE(idle) {
    return STOA_OK;
}

/* SYS-16 */
static void systems_are_described_at_file_scope(void **state) {
    (void)state;
    app_fixture f;
    int32_t by = 5;
    app_open(&f, (stoa_app_desc){.threads = 1});
    stoa_resource_set(f.world, Score, {0});
    for (int i = 0; i < 10; i++) {
        stoa_create_with(f.world, STOA_VALUE(Health, {i}));
    }
    stoa_entity cold = stoa_create_with(f.world, STOA_VALUE(Health, {1}), STOA_ZERO(Frozen));
    stoa_system a = stoa_system_add(f.app, grow, &by);
    stoa_system b = stoa_system_add(f.app, sum, NULL);
    stoa_system c = stoa_system_add(f.app, idle, NULL);
    assert_true(a.id != 0 && b.id != 0 && c.id != 0);
    assert_int_equal(stoa_system_add(f.app, idle, NULL).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_CONFLICT);
    stoa_system_info info;
    stoa_system_info_get(f.app, a, &info);
    assert_string_equal(info.name, "grow");
    assert_int_equal(info.stage, STOA_PRE_UPDATE);
    stoa_system_info_get(f.app, b, &info);
    assert_string_equal(info.name, "sum");
    assert_int_equal(info.rule, STOA_THREAD_MAIN);
    app_step(&f);
    assert_int_equal(stoa_resource(f.world, Score)->points, 45 + 10 * 5 + 1);
    assert_int_equal(stoa_get(f.world, cold, Health)->left, 1);
    /* A description can be changed before it is used. */
    stoa_system_desc desc;
    grow_stoa_system(&desc);
    assert_int_equal(desc.grain, 32);
    assert_string_equal(desc.labels[0], "life");
    desc.name = "grow again";
    desc.user = &by;
    app_add(&f, desc);
    app_step(&f);
    assert_int_equal(stoa_resource(f.world, Score)->points, 45 + 30 * 5 + 1);
    app_close(&f);
}

/* CMP-01: the types that a system names are registered along with it. */
static void types_are_registered_with_their_system(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 1});
    assert_int_equal(stoa_component_find(f.world, "Place"), 0);
    app_add(&f, (stoa_system_desc){.name = "s",
                                   .run = nothing,
                                   .terms = {STOA_READ(Place), STOA_WITHOUT(Frozen)},
                                   .access = {STOA_WRITE(Speed)},
                                   .resources = {STOA_READ(Gravity)}});
    static const char *const names[] = {"Place", "Frozen", "Speed", "Gravity"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_not_equal(stoa_component_find(f.world, names[i]), 0);
    }
    app_close(&f);
}

static stoa_status unmet_meet(stoa_job *job, stoa_iter *it) {
    (void)it;
    bool refused = stoa_id(job->world, Unmet) == 0 && stoa_last_error().status == STOA_FORKED;
    stoa_component_desc desc = {.name = "Unmet too", .size = 4};
    refused = refused && stoa_component_register(job->world, &desc) == 0 &&
              stoa_last_error().status == STOA_FORKED;
    stoa_query_desc query = {.terms = {STOA_READ(Unmet)}};
    refused = refused && stoa_query_new(job->world, &query) == NULL &&
              stoa_last_error().status == STOA_FORKED;
    /* One that is known is told. */
    refused = refused && stoa_id(job->world, Place) != 0;
    stoa_entity e = stoa_commands_create(job->commands);
    stoa_commands_set(job->commands, e, Unmet, {7});
    return refused ? STOA_OK : stoa_job_fail(job, "it was registered");
}

/* CMP-01: one that the world has not met is refused inside a job, but commands may carry it. */
static void registration_in_a_job_is_refused(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 1});
    app_add(&f, (stoa_system_desc){.name = "s",
                                   .run = unmet_meet,
                                   .stage = STOA_STARTUP,
                                   .access = {STOA_READ(Place)}});
    app_step(&f);
    assert_int_not_equal(stoa_component_find(f.world, "Unmet"), 0);
    stoa_entity e = stoa_entity_next(f.world, STOA_NULL);
    assert_int_equal(stoa_get(f.world, e, Unmet)->x, 7);
    app_close(&f);
}

/* SYS-02: as many of each list as there is room for. */
static void full_lists_are_taken_to_the_last(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 1});
    stoa_system_desc desc = {.name = "s", .run = nothing};
    char names[STOA_NAME_MAX + STOA_DECLARE_MAX][16];
    for (int i = 0; i < STOA_NAME_MAX + STOA_DECLARE_MAX; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
    }
    for (int i = 0; i < STOA_DECLARE_MAX; i++) {
        stoa_component_desc made = {.name = names[i], .size = 4};
        desc.access[i].id = stoa_component_register(f.world, &made);
        desc.access[i].access = STOA_ACCESS_READ;
        desc.resources[i] = desc.access[i];
        desc.resources[i].access = STOA_ACCESS_WRITE;
        desc.queries[i] = stoa_query_new(f.world, &(stoa_query_desc){.terms = {desc.access[i]}});
    }
    for (int i = 0; i < STOA_NAME_MAX; i++) {
        desc.labels[i] = names[i];
    }
    stoa_system made = app_add(&f, desc);
    stoa_system_info info;
    stoa_system_info_get(f.app, made, &info);
    assert_int_equal(info.access_count, 2 * STOA_DECLARE_MAX);
    stoa_system_desc other = {.name = "t", .run = nothing, .after = {names[STOA_NAME_MAX - 1]}};
    app_add(&f, other);
    app_step(&f);
    assert_int_equal(stoa_schedule_batches(f.app, STOA_UPDATE), 2);
    app_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_are_described_at_file_scope),
        cmocka_unit_test(types_are_registered_with_their_system),
        cmocka_unit_test(registration_in_a_job_is_refused),
        cmocka_unit_test(full_lists_are_taken_to_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

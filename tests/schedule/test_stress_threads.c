/* Systems come, go and are switched at random between frames, on four threads and on one: the
 * worlds are the same after every frame. */
#include "schedule/app_fixture.h"

STOA_COMPONENT(A, { int32_t x; });
STOA_COMPONENT(B, { int32_t x; });
STOA_COMPONENT_WITH(C, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int64_t x; });
STOA_COMPONENT_WITH(D, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t x; });
STOA_COMPONENT(Life, { int32_t left; });
STOA_COMPONENT(Score, { uint64_t sum; });
STOA_COMPONENT(Total, { int64_t sum; });

static stoa_type *const types[] = {&A_stoa, &B_stoa, &D_stoa};

/* Mixes what it sees into what it may write, row by row. */
static stoa_status mix(stoa_job *job, stoa_iter *it) {
    Life *life = stoa_field_mut(it, Life, 0);
    const A *a = stoa_field(it, A, 1);
    for (int32_t i = 0; i < it->count; i++) {
        life[i].left += (a != NULL ? a[i].x & 1 : 0) - 1;
        if (life[i].left < 0) {
            (void)stoa_commands_destroy(job->commands, it->entities[i]);
        }
    }
    return STOA_OK;
}

static stoa_status write_a(stoa_job *job, stoa_iter *it) {
    A *a = stoa_field_mut(it, A, 0);
    for (int32_t i = 0; i < it->count; i++) {
        a[i].x = a[i].x * 3 + (int32_t)stoa_random_below(&job->random, 100);
        a[i].x &= 0xffff;
    }
    return STOA_OK;
}

static stoa_status spread(stoa_job *job, stoa_iter *it) {
    for (int32_t i = 0; i < it->count; i++) {
        uint32_t roll = stoa_random_below(&job->random, 20);
        stoa_type *type = types[roll % 3];
        int32_t value[1] = {(int32_t)roll};
        if (roll < 3) {
            (void)stoa_commands_set_type(job->commands, it->entities[i], type, value);
        } else if (roll < 6) {
            (void)stoa_commands_remove_type(job->commands, it->entities[i], type);
        }
    }
    return STOA_OK;
}

static stoa_status spawn(stoa_job *job, stoa_iter *it) {
    (void)it;
    int32_t count = stoa_count(job->world);
    for (int32_t i = 0; i < (700 - count) / 20; i++) {
        int32_t x = (int32_t)stoa_random_below(&job->random, 1000);
        stoa_entity e =
            stoa_commands_create_with(job->commands, STOA_VALUE(Life, {x % 60}), STOA_ZERO(C));
        (void)(x % 2 == 0 ? stoa_commands_set(job->commands, e, A, {x}) : STOA_OK);
    }
    return STOA_OK;
}

static stoa_status watch(stoa_job *job, stoa_iter *it) {
    (void)job;
    for (int32_t i = 0; i < it->count; i++) {
        stoa_field_at_mut(it, C, 1, i)->x++;
    }
    return STOA_OK;
}

static stoa_status score(stoa_job *job, stoa_iter *it) {
    Score *s = stoa_resource_mut(job->world, Score);
    while (stoa_iter_next(it)) {
        const B *b = stoa_field(it, B, 0);
        for (int32_t i = 0; i < it->count; i++) {
            s->sum = s->sum * 7 + (uint32_t)b[i].x;
        }
    }
    return STOA_OK;
}

static stoa_status alone(stoa_job *job, stoa_iter *it) {
    (void)it;
    Total *total = stoa_resource_mut(job->world, Total);
    total->sum += stoa_count(job->world) + (int64_t)stoa_random_below(&job->random, 5);
    stoa_entity e = stoa_create_with(job->world, STOA_VALUE(Life, {9}), STOA_VALUE(B, {3}));
    return stoa_entity_is_null(e) ? stoa_last_error().status : STOA_OK;
}

static stoa_status fails(stoa_job *job, stoa_iter *it) {
    (void)it;
    (void)stoa_commands_create(job->commands);
    return stoa_random_below(&job->random, 3) == 0 ? stoa_job_fail(job, "by chance") : STOA_OK;
}

static bool even(const stoa_world *world, void *user) {
    (void)user;
    return stoa_resource(world, stoa_time)->frame % 2 == 0;
}

/* What systems there may be; each may be there several times. */
static const stoa_system_desc kinds[] = {
    {.each = mix,
     .terms = {{&Life_stoa, 0, STOA_ACCESS_WRITE, 0}, {&A_stoa, 0, STOA_ACCESS_OPTIONAL, 0}},
     .grain = 40},
    {.each = write_a, .terms = {{&A_stoa, 0, STOA_ACCESS_WRITE, 0}}, .grain = 30},
    {.each = spread, .terms = {{&Life_stoa, 0, STOA_ACCESS_FILTER, 0}}, .grain = 50},
    {.run = spawn},
    {.each = watch,
     .terms = {{&C_stoa, 0, STOA_ACCESS_CHANGED, 0}, {&C_stoa, 0, STOA_ACCESS_WRITE, 0}}},
    {.run = score,
     .terms = {{&B_stoa, 0, STOA_ACCESS_READ, 0}},
     .resources = {{&Score_stoa, 0, STOA_ACCESS_WRITE, 0}}},
    {.run = alone, .rule = STOA_THREAD_EXCLUSIVE},
    {.run = fails, .rule = STOA_THREAD_MAIN},
    {.each = write_a,
     .terms = {{&A_stoa, 0, STOA_ACCESS_WRITE, 0}},
     .rule = STOA_THREAD_ANY_ONE,
     .condition = even},
};
#define KINDS ((uint32_t)(sizeof kinds / sizeof *kinds))
#define SYSTEMS_MAX 24

typedef struct side {
    app_fixture f;
    stoa_system systems[SYSTEMS_MAX];
    uint32_t count;
    uint32_t names;
    support_random random;
    int freed;
} side;

static void count_up(void *user) {
    ++*(int *)user;
}

static void side_open(side *s, stoa_app_desc desc, uint64_t seed) {
    *s = (side){.count = 0, .random = {seed}};
    desc.seed = seed;
    desc.fixed_step = seed % 2 == 0 ? 0.25 : 0;
    app_open(&s->f, desc);
    assert_int_equal(stoa_resource_set(s->f.world, Score, {0}), STOA_OK);
    assert_int_equal(stoa_resource_set(s->f.world, Total, {0}), STOA_OK);
    for (int i = 0; i < 500; i++) {
        stoa_entity e = stoa_create_with(s->f.world, STOA_VALUE(Life, {i % 90}), STOA_ZERO(C));
        assert_int_equal(i % 3 == 0 ? stoa_set(s->f.world, e, A, {i}) : STOA_OK, STOA_OK);
        assert_int_equal(i % 4 == 0 ? stoa_set(s->f.world, e, B, {i}) : STOA_OK, STOA_OK);
    }
}

static void system_add(side *s) {
    static const stoa_stage stages[] = {STOA_UPDATE, STOA_UPDATE, STOA_PRE_UPDATE, STOA_CLEANUP};
    stoa_system_desc desc = kinds[support_random_below(&s->random, KINDS)];
    char name[16], other[16];
    snprintf(name, sizeof name, "s%u", s->names++);
    desc.name = name;
    desc.stage = stages[support_random_below(&s->random, 4)];
    desc.disabled = support_random_below(&s->random, 5) == 0;
    desc.user = &s->freed;
    desc.user_free = count_up;
    desc.labels[0] = support_random_below(&s->random, 2) == 0 ? "some" : "others";
    if (s->count > 0 && support_random_below(&s->random, 3) == 0) {
        stoa_system_info info;
        stoa_system at = s->systems[support_random_below(&s->random, s->count)];
        assert_int_equal(stoa_system_info_get(s->f.app, at, &info), STOA_OK);
        if (info.stage == desc.stage) {
            snprintf(other, sizeof other, "%s", info.name);
            desc.after[0] = other;
        }
    }
    s->systems[s->count++] = app_add(&s->f, desc);
}

/* Does something to the systems; what, depends on the random numbers only. A plan that cannot be
 * made because a name is gone is mended by removing who asks for it. */
static void systems_meddle(side *s) {
    uint32_t roll = support_random_below(&s->random, 10);
    if (s->count < 3 || (roll < 3 && s->count < SYSTEMS_MAX)) {
        system_add(s);
        return;
    }
    uint32_t at = support_random_below(&s->random, s->count);
    if (roll < 5) {
        assert_int_equal(stoa_system_remove(s->f.app, s->systems[at]), STOA_OK);
        s->systems[at] = s->systems[--s->count];
    } else {
        stoa_system_info info;
        assert_int_equal(stoa_system_info_get(s->f.app, s->systems[at], &info), STOA_OK);
        assert_int_equal(stoa_system_enable(s->f.app, s->systems[at], roll < 8), STOA_OK);
    }
    while (stoa_schedule_plan(s->f.app) == STOA_NOT_FOUND) {
        s->count--;
        assert_int_equal(stoa_system_remove(s->f.app, s->systems[s->count]), STOA_OK);
    }
}

static void side_close(side *s) {
    uint32_t made = s->names;
    app_close(&s->f);
    assert_int_equal(s->freed, made);
}

static void sides_compare(stoa_app_desc other, uint64_t seed, int frames) {
    side one, many;
    int failures = 0;
    side_open(&one, (stoa_app_desc){.threads = 1}, seed);
    side_open(&many, other, seed);
    for (int frame = 0; frame < frames; frame++) {
        for (int i = 0; i < frame % 3; i++) {
            systems_meddle(&one);
            systems_meddle(&many);
        }
        stoa_status a = stoa_app_step(one.f.app, 0.3);
        stoa_status b = stoa_app_step(many.f.app, 0.3);
        assert_int_equal(a, b);
        assert_true(a == STOA_OK || a == STOA_FAILED);
        failures += a != STOA_OK;
        assert_true(stoa_hash(one.f.world) == stoa_hash(many.f.world));
        assert_int_equal(stoa_tick(one.f.world), stoa_tick(many.f.world));
        if (frame % 32 == 0) {
            assert_int_equal(stoa_check(many.f.world), STOA_OK);
        }
    }
    assert_true(failures > 0 && failures < frames);
    side_close(&one);
    side_close(&many);
}

/* SYS-03 SYS-05 SYS-08 */
static void systems_come_and_go_while_threads_run(void **state) {
    (void)state;
    sides_compare((stoa_app_desc){.threads = 4, .eager = true}, 1, 200);
    sides_compare((stoa_app_desc){.threads = 4, .eager = true, .shuffle = 77}, 2, 200);
    sides_compare((stoa_app_desc){.threads = 2}, 3, 80);
}

/* SYS-08 */
static void shuffled_jobs_make_the_same_world_on_one_thread(void **state) {
    (void)state;
    for (uint64_t seed = 10; seed < 13; seed++) {
        sides_compare((stoa_app_desc){.threads = 1, .shuffle = seed}, seed, 60);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_come_and_go_while_threads_run),
        cmocka_unit_test(shuffled_jobs_make_the_same_world_on_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

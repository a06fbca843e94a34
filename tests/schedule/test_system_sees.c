/* What systems see of each other: the order of batches and of commands, conditions, and random
 * numbers. */
#include "schedule/app_fixture.h"

STOA_COMPONENT(Place, { int32_t x; });
STOA_COMPONENT_WITH(Exact, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t x; });
STOA_COMPONENT(Owner, { int32_t system, job; });

/* What a counting system saw in its last run. */
typedef struct sight {
    int32_t rows;
    int runs;
} sight;

static stoa_status rows_count(stoa_job *job, stoa_iter *it) {
    sight *s = job->user;
    s->rows = 0;
    s->runs++;
    while (stoa_iter_next(it)) {
        s->rows += it->count;
    }
    return STOA_OK;
}

static stoa_status spawn(stoa_job *job, stoa_iter *it) {
    (void)it;
    stoa_entity e = stoa_commands_create_with(job->commands, STOA_ZERO(Place), STOA_ZERO(Exact));
    return stoa_alive(job->world, e) ? stoa_job_fail(job, "too early") : STOA_OK;
}

/* SYS-07 CMD-06: not what is recorded in the same batch, whatever the order of registration. */
static void commands_are_seen_by_later_batches(void **state) {
    (void)state;
    app_fixture f;
    sight before = {0}, beside = {0}, after = {0}, late = {0};
    app_open(&f, (stoa_app_desc){.threads = 1});
    stoa_system_desc count = {.run = rows_count, .terms = {STOA_READ(Place)}};
    count.name = "before", count.user = &before;
    app_add(&f, count);
    app_add(&f, (stoa_system_desc){.name = "spawn", .run = spawn});
    count.name = "beside", count.user = &beside;
    app_add(&f, count);
    count.name = "after", count.user = &after, count.after[0] = "spawn";
    app_add(&f, count);
    count.name = "late", count.user = &late, count.after[0] = NULL, count.stage = STOA_CLEANUP;
    app_add(&f, count);
    for (int i = 0; i < 5; i++) {
        app_step(&f);
        assert_int_equal(before.rows, i);
        assert_int_equal(beside.rows, i);
        assert_int_equal(after.rows, i + 1);
        assert_int_equal(late.rows, i + 1);
    }
    app_close(&f);
}

static stoa_status place_add(stoa_job *job, stoa_iter *it) {
    (void)job;
    Place *place = stoa_field_mut(it, Place, 0);
    for (int32_t i = 0; i < it->count; i++) {
        place[i].x = place[i].x * 2 + 1;
    }
    return STOA_OK;
}

static stoa_status place_double(stoa_job *job, stoa_iter *it) {
    (void)job;
    Place *place = stoa_field_mut(it, Place, 0);
    for (int32_t i = 0; i < it->count; i++) {
        place[i].x *= 10;
    }
    return STOA_OK;
}

/* SYS-05 SYS-07: writers of one component run one after the other, by rule or as registered. */
static void writes_are_seen_in_order(void **state) {
    (void)state;
    app_fixture f;
    app_open(&f, (stoa_app_desc){.threads = 1});
    stoa_entity e = stoa_create_with(f.world, STOA_VALUE(Place, {1}));
    stoa_system_desc add = {.name = "add", .each = place_add, .terms = {STOA_WRITE(Place)}};
    stoa_system_desc ten = {.name = "ten", .each = place_double, .terms = {STOA_WRITE(Place)}};
    stoa_system first = app_add(&f, add);
    app_add(&f, ten);
    app_step(&f);
    assert_int_equal(stoa_get(f.world, e, Place)->x, 30);
    assert_int_equal(stoa_system_remove(f.app, first), STOA_OK);
    add.after[0] = "ten";
    app_add(&f, add);
    app_step(&f);
    assert_int_equal(stoa_get(f.world, e, Place)->x, 601);
    app_close(&f);
}

static stoa_status owner_set(stoa_job *job, stoa_iter *it) {
    for (int32_t i = 0; i < it->count; i++) {
        stoa_commands_set(job->commands, it->entities[i], Owner,
                          {*(const int32_t *)job->user, job->index});
    }
    stoa_commands_create_with(job->commands,
                              STOA_VALUE(Owner, {*(const int32_t *)job->user, job->index}));
    return STOA_OK;
}

/* SYS-07 CMD-06: by systems as registered, then by jobs, though jobs start in any order. */
static void commands_apply_in_order_of_systems_and_jobs(void **state) {
    (void)state;
    app_fixture f;
    int32_t numbers[] = {0, 1, 2};
    app_open(&f, (stoa_app_desc){.threads = 1, .shuffle = 99});
    for (int i = 0; i < 500; i++) {
        stoa_create_with(f.world, STOA_VALUE(Place, {i}));
    }
    stoa_system_desc desc = {.each = owner_set, .terms = {STOA_READ(Place)}, .grain = 50};
    static const char *const names[] = {"z", "m", "a"};
    for (int i = 0; i < 3; i++) {
        desc.name = names[i];
        desc.user = &numbers[i];
        app_add(&f, desc);
    }
    app_step(&f);
    assert_int_equal(stoa_schedule_batches(f.app, STOA_UPDATE), 1);
    stoa_iter it = stoa_query_once(
        f.world, &(stoa_query_desc){.terms = {STOA_READ(Owner), STOA_WITHOUT(Place)}});
    int32_t last = -1, count = 0;
    while (stoa_iter_next(&it)) {
        const Owner *owner = stoa_field(&it, Owner, 0);
        for (int32_t i = 0; i < it.count; i++) {
            int32_t place = owner[i].system * 1000 + owner[i].job;
            assert_true(place >= last);
            last = place;
            count++;
        }
    }
    assert_true(count >= 3 * 8);
    it =
        stoa_query_once(f.world, &(stoa_query_desc){.terms = {STOA_READ(Owner), STOA_READ(Place)}});
    while (stoa_iter_next(&it)) {
        const Owner *owner = stoa_field(&it, Owner, 0);
        for (int32_t i = 0; i < it.count; i++) {
            assert_int_equal(owner[i].system, 2);
        }
    }
    app_close(&f);
}

/* SYS-11 QRY-06 GEN-03: nothing runs while the program iterates the world. */
static void step_while_the_world_is_iterated_is_refused(void **state) {
    (void)state;
    app_fixture f;
    sight s = {0};
    app_open(&f, (stoa_app_desc){.threads = 1});
    stoa_create_with(f.world, STOA_ZERO(Place));
    app_add(&f, (stoa_system_desc){
                    .name = "count", .run = rows_count, .terms = {STOA_READ(Place)}, .user = &s});
    app_add(&f, (stoa_system_desc){.name = "spawn", .run = spawn});
    stoa_iter it = stoa_query_once(f.world, &(stoa_query_desc){.terms = {STOA_READ(Place)}});
    assert_true(stoa_iter_next(&it));
    assert_int_equal(stoa_app_step(f.app, 0), STOA_ITERATING);
    stoa_iter_end(&it);
    assert_int_equal(s.runs, 0);
    assert_int_equal(stoa_count(f.world), 1);
    app_step(&f);
    assert_int_equal(s.runs, 1);
    assert_int_equal(stoa_count(f.world), 2);
    app_close(&f);
}

/* What a condition was asked, and says. */
typedef struct asked {
    sight seen;
    int count;
    int32_t places; /* that there were */
    bool says;
} asked;

static bool condition_ask(const stoa_world *world, void *user) {
    asked *a = user;
    a->count++;
    a->places = stoa_count(world);
    return a->says;
}

/* SYS-02: asked once before each batch that the system is in, when earlier batches are applied; one
 * that does not run misses nothing. */
static void condition_decides_each_run(void **state) {
    (void)state;
    app_fixture f;
    asked a = {.says = false};
    app_open(&f, (stoa_app_desc){.threads = 1});
    app_add(&f, (stoa_system_desc){.name = "spawn", .run = spawn});
    app_add(&f, (stoa_system_desc){.name = "count",
                                   .run = rows_count,
                                   .terms = {STOA_READ(Place), STOA_ADDED(Exact)},
                                   .after = {"spawn"},
                                   .condition = condition_ask,
                                   .user = &a});
    app_step(&f);
    app_step(&f);
    assert_int_equal(a.count, 2);
    assert_int_equal(a.places, 2);
    assert_int_equal(a.seen.runs, 0);
    stoa_system_info info;
    stoa_system_info_get(f.app, stoa_system_find(f.app, "count"), &info);
    assert_int_equal(info.runs, 0);
    a.says = true;
    app_step(&f);
    assert_int_equal(a.seen.rows, 3);
    a.says = false;
    app_step(&f);
    app_step(&f);
    a.says = true;
    app_step(&f);
    assert_int_equal(a.seen.runs, 2);
    assert_int_equal(a.seen.rows, 3);
    assert_int_equal(a.count, 6);
    assert_int_equal(stoa_system_enable_name(f.app, "count", false), STOA_OK);
    app_step(&f);
    assert_int_equal(a.count, 6);
    app_close(&f);
}

typedef struct draws {
    uint64_t numbers[16];
    int count;
} draws;

static stoa_status draw(stoa_job *job, stoa_iter *it) {
    (void)it;
    draws *d = job->user;
    d->numbers[d->count++] = stoa_random_bits(&job->random);
    return STOA_OK;
}

/* Draws in four frames of two steps each, with another system beside or not. */
static draws draws_make(uint64_t seed, bool other) {
    app_fixture f;
    draws d = {.count = 0}, e = {.count = 0};
    app_open(&f, (stoa_app_desc){.threads = 1, .seed = seed, .fixed_step = 0.125});
    app_add(&f, (stoa_system_desc){.name = "draw", .run = draw, .user = &d});
    if (other) {
        app_add(&f,
                (stoa_system_desc){.name = "other", .run = draw, .user = &e, .before = {"draw"}});
    }
    for (int i = 0; i < 4; i++) {
        app_step(&f);
    }
    assert_int_equal(d.count, 8);
    for (int i = 0; i < d.count; i++) {
        for (int k = 0; k < i; k++) {
            assert_true(d.numbers[i] != d.numbers[k]);
        }
        assert_true(!other || d.numbers[i] != e.numbers[i]);
    }
    app_close(&f);
    return d;
}

/* SYS-08: they differ by seed, frame, step and system, and do not depend on other systems. */
static void random_numbers_depend_on_what_they_should(void **state) {
    (void)state;
    draws a = draws_make(1, false), b = draws_make(1, true), c = draws_make(2, false);
    assert_memory_equal(a.numbers, b.numbers, sizeof *a.numbers * 8);
    for (int i = 0; i < 8; i++) {
        assert_true(a.numbers[i] != c.numbers[i]);
    }
}

static stoa_status draw_each(stoa_job *job, stoa_iter *it) {
    (void)it;
    draws *d = job->user;
    d->numbers[job->index] = stoa_random_bits(&job->random);
    d->count = job->count;
    return STOA_OK;
}

/* SYS-08: and by job. */
static void jobs_draw_numbers_of_their_own(void **state) {
    (void)state;
    app_fixture f;
    draws d = {.count = 0};
    app_open(&f, (stoa_app_desc){.threads = 1});
    for (int i = 0; i < 64; i++) {
        stoa_create_with(f.world, STOA_ZERO(Place));
    }
    app_add(&f, (stoa_system_desc){.name = "draw",
                                   .each = draw_each,
                                   .terms = {STOA_READ(Place)},
                                   .grain = 8,
                                   .user = &d});
    app_step(&f);
    assert_in_range(d.count, 4, 16);
    for (int i = 0; i < d.count; i++) {
        for (int k = 0; k < i; k++) {
            assert_true(d.numbers[i] != d.numbers[k]);
        }
    }
    app_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_seen_by_later_batches),
        cmocka_unit_test(writes_are_seen_in_order),
        cmocka_unit_test(commands_apply_in_order_of_systems_and_jobs),
        cmocka_unit_test(step_while_the_world_is_iterated_is_refused),
        cmocka_unit_test(condition_decides_each_run),
        cmocka_unit_test(random_numbers_depend_on_what_they_should),
        cmocka_unit_test(jobs_draw_numbers_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

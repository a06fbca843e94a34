/* Systems that fail: what is told, what is dropped, what stays, and that the next frame is fine.
 *
 * Each test runs on one thread and on several. */
#include "schedule/app_fixture.h"

#include <stdatomic.h>

/* Values that are given out and must each be dropped once. */
#define TICKETS 4096
static atomic_int tickets_taken;
static atomic_int tickets_dropped[TICKETS];

static void ticket_drop(void *items, int32_t count, void *user);

STOA_COMPONENT_WITH(Ticket, STOA_OPTIONS(.hooks = {.drop = ticket_drop}), { int32_t number; });
STOA_COMPONENT(Place, { int32_t x; });
STOA_COMPONENT(Score, { int32_t points; });
STOA_COMPONENT(News, { int32_t x; });

static void ticket_drop(void *items, int32_t count, void *user) {
    (void)user;
    const Ticket *list = items;
    for (int32_t i = 0; i < count; i++) {
        tickets_dropped[list[i].number]++;
    }
}

static Ticket ticket_take(void) {
    Ticket t = {atomic_fetch_add(&tickets_taken, 1)};
    return t;
}

static void tickets_reset(void) {
    tickets_taken = 0;
    for (int i = 0; i < TICKETS; i++) {
        tickets_dropped[i] = 0;
    }
}

static int tickets_alive(void) {
    int alive = 0;
    for (int i = 0; i < tickets_taken; i++) {
        assert_true(tickets_dropped[i] <= 1);
        alive += tickets_dropped[i] == 0;
    }
    return alive;
}

#define ROWS 400

/* What a system is to do; changed between frames. */
typedef struct orders {
    stoa_status status;  /* what it returns */
    const char *message; /* what it says; NULL: nothing */
    int32_t at;          /* the number of the job that fails; -1: all */
    atomic_int calls;
} orders;

static stoa_status orders_obey(const stoa_job *job, orders *o) {
    o->calls++;
    if (o->status == STOA_OK || (o->at >= 0 && o->at != job->index)) {
        return STOA_OK;
    }
    if (o->message != NULL) {
        (void)stoa_job_fail(job, "%s %d", o->message, job->index);
    }
    return o->status;
}

/* Records all kinds of commands with values that are owned. */
static stoa_status record(stoa_job *job, stoa_iter *it) {
    stoa_commands *c = job->commands;
    Ticket one = ticket_take(), two = ticket_take(), three = ticket_take();
    stoa_entity made = stoa_commands_create(c);
    (void)stoa_commands_set_from(c, made, Ticket, &one);
    (void)stoa_commands_set_from(c, it->entities[0], Ticket, &two);
    (void)stoa_commands_create_values(c, (stoa_value[]){STOA_VALUE_FROM(Ticket, &three)}, 1);
    (void)stoa_commands_send(c, News, {job->index});
    (void)stoa_commands_destroy(c, it->entities[it->count - 1]);
    return orders_obey(job, job->user);
}

static stoa_status obey(stoa_job *job, stoa_iter *it) {
    (void)it;
    return orders_obey(job, job->user);
}

static void rows_make(stoa_world *w) {
    for (int i = 0; i < ROWS; i++) {
        stoa_create_with(w, STOA_VALUE(Place, {i}));
    }
}

static const stoa_app_desc ways[] = {
    {.threads = 1},
    {.threads = 1, .shuffle = 3},
    {.threads = 4, .eager = true},
    {.threads = 4, .eager = true, .shuffle = 12},
};
#define WAYS (sizeof ways / sizeof *ways)

/* A failing step, its status and its message in full. */
static void assert_fails(app_fixture *f, stoa_status status, const char *message) {
    int errors = f->s.errors;
    assert_int_equal(stoa_app_step(f->app, 0.25), status);
    assert_int_equal(stoa_last_error().status, status);
    assert_string_equal(stoa_last_error().message, message);
    assert_int_equal(f->s.errors, errors + 1);
    assert_int_equal(stoa_check(f->world), STOA_OK);
}

/* SYS-11: the status that the function returned, and what it said. */
static void failure_tells_system_and_message(void **state) {
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        for (int rule = STOA_THREAD_ANY; rule <= STOA_THREAD_EXCLUSIVE; rule++) {
            app_fixture f;
            orders o = {.status = STOA_FAILED, .message = "no fuel", .at = -1};
            app_open(&f, ways[i]);
            app_add(&f,
                    (stoa_system_desc){
                        .name = "engine", .run = obey, .rule = (stoa_thread_rule)rule, .user = &o});
            assert_fails(&f, STOA_FAILED, "system 'engine': no fuel 0");
            o.message = NULL;
            assert_fails(&f, STOA_FAILED, "system 'engine': a system failed");
            o.status = STOA_LIMIT;
            assert_fails(&f, STOA_LIMIT, "system 'engine': a limit of the library is reached");
            o.status = STOA_OK;
            app_step(&f);
            assert_int_equal(stoa_app_frame(f.app), 4);
            assert_int_equal(o.calls, 4);
            app_close(&f);
        }
    }
}

/* SYS-11: in order of systems, then of jobs, whichever was first by the clock. */
static void first_failure_in_order_is_told(void **state) {
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        app_fixture f;
        orders a = {.at = -1}, b = {.at = -1}, c = {.at = -1}, d = {.at = -1};
        app_open(&f, ways[i]);
        rows_make(f.world);
        stoa_system_desc each = {.each = obey, .terms = {STOA_READ(Place)}, .grain = 16};
        each.name = "a", each.user = &a;
        app_add(&f, each);
        app_add(&f,
                (stoa_system_desc){.name = "b", .run = obey, .rule = STOA_THREAD_MAIN, .user = &b});
        each.name = "c", each.user = &c;
        app_add(&f, each);
        app_add(&f, (stoa_system_desc){.name = "d", .run = obey, .user = &d});
        assert_int_equal(stoa_schedule_batches(f.app, STOA_UPDATE), 1);
        for (int round = 0; round < 10; round++) {
            a.status = b.status = STOA_OK;
            c = (orders){.status = STOA_FAILED, .message = "c", .at = -1};
            d = (orders){.status = STOA_FAILED, .message = "d", .at = -1};
            assert_fails(&f, STOA_FAILED, "system 'c': c 0");
            c.at = 7;
            assert_fails(&f, STOA_FAILED, "system 'c': c 7");
            b = (orders){.status = STOA_INVALID, .at = -1};
            assert_int_equal(stoa_app_step(f.app, 0), STOA_INVALID);
            support_assert_message("system 'b': ");
            a = (orders){.status = STOA_FAILED, .message = "a", .at = 5};
            assert_fails(&f, STOA_FAILED, "system 'a': a 5");
        }
        app_close(&f);
    }
}

/* SYS-07 SYS-11 CMD-05: the batch's commands go, values and all; earlier batches stay, later ones
 * do not run. */
static void commands_of_a_failing_batch_are_dropped(void **state) {
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        app_fixture f;
        orders early = {.at = -1}, beside = {.at = -1}, fails = {.at = -1}, late = {.at = -1};
        tickets_reset();
        app_open(&f, ways[i]);
        rows_make(f.world);
        stoa_reader *reader = stoa_reader_new(f.world, News);
        stoa_system_desc each = {.each = record, .terms = {STOA_READ(Place)}, .grain = 100};
        each.name = "early", each.user = &early, each.stage = STOA_PRE_UPDATE;
        app_add(&f, each);
        each.name = "beside", each.user = &beside, each.stage = STOA_UPDATE;
        app_add(&f, each);
        each.name = "fails", each.user = &fails;
        app_add(&f, each);
        each.name = "late", each.user = &late, each.after[0] = "fails";
        app_add(&f, each);
        fails.status = STOA_FAILED;
        fails.at = 1;
        assert_int_equal(stoa_app_step(f.app, 0), STOA_FAILED);
        int jobs = early.calls;
        assert_true(jobs >= 3);
        assert_int_equal(late.calls, 0);
        assert_true(beside.calls >= 3 && fails.calls >= 3);
        /* Each early job made two with tickets, gave one away and ended one. */
        assert_int_equal(stoa_count(f.world), ROWS + jobs);
        assert_int_equal(tickets_alive(), 3 * jobs);
        assert_int_equal(stoa_reader_count(reader), jobs);
        assert_int_equal(
            stoa_query_once_count(f.world, &(stoa_query_desc){.terms = {STOA_READ(Ticket)}}),
            3 * jobs);
        fails.status = STOA_OK;
        app_step(&f);
        assert_true(late.calls > 0);
        assert_int_equal(
            tickets_alive(),
            stoa_query_once_count(f.world, &(stoa_query_desc){.terms = {STOA_READ(Ticket)}}));
        app_close(&f);
        assert_int_equal(tickets_alive(), 0);
    }
}

static stoa_status score_write(stoa_job *job, stoa_iter *it) {
    orders *o = job->user;
    Place *place = stoa_field_mut(it, Place, 0);
    for (int32_t i = 0; i < it->count; i++) {
        place[i].x++;
    }
    return orders_obey(job, o);
}

/* SYS-11: what is written at once is not undone, and counts as a run. */
static void writes_of_a_failing_system_stay(void **state) {
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        app_fixture f;
        orders o = {.status = STOA_FAILED, .at = 2};
        app_open(&f, ways[i]);
        rows_make(f.world);
        stoa_system made = app_add(&f, (stoa_system_desc){.name = "write",
                                                          .each = score_write,
                                                          .terms = {STOA_WRITE(Place)},
                                                          .grain = 50,
                                                          .user = &o});
        assert_int_equal(stoa_app_step(f.app, 0), STOA_FAILED);
        stoa_system_info info;
        stoa_system_info_get(f.app, made, &info);
        assert_int_equal(info.runs, 1);
        stoa_iter it = stoa_query_once(f.world, &(stoa_query_desc){.terms = {STOA_READ(Place)}});
        int32_t sum = 0;
        while (stoa_iter_next(&it)) {
            const Place *place = stoa_field(&it, Place, 0);
            for (int32_t k = 0; k < it.count; k++) {
                sum += place[k].x;
            }
        }
        assert_int_equal(sum, ROWS * (ROWS - 1) / 2 + ROWS);
        app_close(&f);
    }
}

static stoa_status alone(stoa_job *job, stoa_iter *it) {
    (void)it;
    orders *o = job->user;
    Ticket at_once = ticket_take(), later = ticket_take();
    stoa_create_values(job->world, (stoa_value[]){STOA_VALUE_FROM(Ticket, &at_once)}, 1);
    stoa_commands_create_values(job->commands, (stoa_value[]){STOA_VALUE_FROM(Ticket, &later)}, 1);
    return orders_obey(job, o);
}

/* SYS-02 SYS-11: an exclusive system's direct changes stay, its commands go. */
static void failing_exclusive_system_loses_its_commands(void **state) {
    (void)state;
    app_fixture f;
    orders o = {.status = STOA_FAILED, .message = "alone", .at = -1};
    tickets_reset();
    app_open(&f, (stoa_app_desc){.threads = 2});
    app_add(&f, (stoa_system_desc){
                    .name = "alone", .run = alone, .rule = STOA_THREAD_EXCLUSIVE, .user = &o});
    assert_fails(&f, STOA_FAILED, "system 'alone': alone 0");
    assert_int_equal(stoa_count(f.world), 1);
    assert_int_equal(tickets_alive(), 1);
    o.status = STOA_OK;
    app_step(&f);
    assert_int_equal(stoa_count(f.world), 3);
    assert_int_equal(tickets_alive(), 3);
    app_close(&f);
    assert_int_equal(tickets_alive(), 0);
}

static stoa_status chunk_fail(stoa_job *job, stoa_iter *it) {
    orders *o = job->user;
    o->calls++;
    (void)it;
    return o->calls == 2 ? stoa_job_fail(job, "chunk %d", o->calls) : STOA_OK;
}

/* SYS-11: a job that fails is not called for its other chunks. */
static void failing_job_ends_at_its_chunk(void **state) {
    (void)state;
    static const stoa_thread_rule rules[] = {STOA_THREAD_ANY_ONE, STOA_THREAD_EXCLUSIVE};
    for (int i = 0; i < 2; i++) {
        app_fixture f;
        orders o = {.status = STOA_OK};
        app_open(&f, (stoa_app_desc){.threads = 1});
        rows_make(f.world);
        stoa_create_with(f.world, STOA_ZERO(Place), STOA_ZERO(Score));
        stoa_create_with(f.world, STOA_ZERO(Place), STOA_ZERO(News));
        stoa_create_with(f.world, STOA_ZERO(Place), STOA_ZERO(News), STOA_ZERO(Score));
        app_add(&f, (stoa_system_desc){.name = "chunks",
                                       .each = chunk_fail,
                                       .terms = {STOA_READ(Place)},
                                       .rule = rules[i],
                                       .user = &o});
        assert_fails(&f, STOA_FAILED, "system 'chunks': chunk 2");
        assert_int_equal(o.calls, 2);
        /* The world is not left as iterated. */
        assert_false(stoa_entity_is_null(stoa_create(f.world)));
        app_step(&f);
        assert_int_equal(o.calls, 6);
        app_close(&f);
    }
}

static stoa_status error_aside(stoa_job *job, stoa_iter *it) {
    (void)it;
    (void)stoa_job_fail(job, "of no matter");
    return STOA_OK;
}

/* SYS-11: an error of the thread's that is older than the system is not told as the system's. */
static void old_errors_are_not_told_as_new(void **state) {
    (void)state;
    app_fixture f;
    orders o = {.status = STOA_FAILED, .at = -1};
    app_open(&f, (stoa_app_desc){.threads = 1});
    app_add(&f, (stoa_system_desc){.name = "aside", .run = error_aside});
    app_add(&f, (stoa_system_desc){.name = "fails", .run = obey, .user = &o});
    assert_fails(&f, STOA_FAILED, "system 'fails': a system failed");
    assert_fails(&f, STOA_FAILED, "system 'fails': a system failed");
    app_close(&f);
}

/* SYS-11: names and messages of any length are told as far as there is room. */
static void long_messages_are_cut(void **state) {
    (void)state;
    app_fixture f;
    char name[600], message[600];
    memset(name, 'n', sizeof name);
    memset(message, 'm', sizeof message);
    name[599] = message[599] = '\0';
    orders o = {.status = STOA_FAILED, .message = message, .at = -1};
    app_open(&f, (stoa_app_desc){.threads = 1});
    app_add(&f, (stoa_system_desc){.name = "short", .run = obey, .user = &o});
    assert_int_equal(stoa_app_step(f.app, 0), STOA_FAILED);
    support_assert_message("system 'short': mmmmmmmmmmmmmmmmmmmmm");
    assert_int_equal(stoa_system_remove(f.app, stoa_system_find(f.app, "short")), STOA_OK);
    app_add(&f, (stoa_system_desc){.name = name, .run = obey, .user = &o});
    assert_int_equal(stoa_app_step(f.app, 0), STOA_FAILED);
    support_assert_message("system 'nnnnnnnnnnnnnnnnnnnn");
    app_close(&f);
}

/* SYS-07: hashes of frames, some of which fail, are those of one thread. */
static void failures_are_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    uint64_t expected[24];
    for (size_t way = 0; way < WAYS; way++) {
        app_fixture f;
        orders list[3] = {{.at = -1}, {.at = -1}, {.at = -1}};
        tickets_reset();
        app_open(&f, ways[way]);
        rows_make(f.world);
        static const char *const names[] = {"a", "b", "c"};
        for (int i = 0; i < 3; i++) {
            app_add(&f, (stoa_system_desc){.name = names[i],
                                           .each = record,
                                           .terms = {STOA_READ(Place)},
                                           .grain = 64,
                                           .user = &list[i],
                                           .after = {i == 2 ? "a" : NULL}});
        }
        for (int frame = 0; frame < 24; frame++) {
            for (int i = 0; i < 3; i++) {
                list[i].status = (frame + i) % 4 == 0 ? STOA_FAILED : STOA_OK;
                list[i].at = frame % 3;
            }
            (void)stoa_app_step(f.app, 0.25);
            /* Numbers of tickets depend on timing; what has them does not. */
            uint64_t hash = (uint64_t)stoa_count(f.world) << 32;
            for (stoa_entity e = stoa_entity_next(f.world, STOA_NULL); !stoa_entity_is_null(e);
                 e = stoa_entity_next(f.world, e)) {
                hash = (hash ^ stoa_entity_pack(e) ^ stoa_has(f.world, e, Ticket)) *
                       UINT64_C(0x9e3779b97f4a7c15);
            }
            expected[frame] = way == 0 ? hash : expected[frame];
            assert_true(hash == expected[frame]);
        }
        app_close(&f);
        assert_int_equal(tickets_alive(), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failure_tells_system_and_message),
        cmocka_unit_test(first_failure_in_order_is_told),
        cmocka_unit_test(commands_of_a_failing_batch_are_dropped),
        cmocka_unit_test(writes_of_a_failing_system_stay),
        cmocka_unit_test(failing_exclusive_system_loses_its_commands),
        cmocka_unit_test(failing_job_ends_at_its_chunk),
        cmocka_unit_test(old_errors_are_not_told_as_new),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(failures_are_the_same_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

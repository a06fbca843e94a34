/* Threads start, wait for each other and end; a start that is refused leaves nothing behind. */
#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "os/thread.h"
#include "support/support.h"

#if defined(__linux__)
#include <sched.h>
#endif

static void number_raise(void *data) {
    ++*(int *)data;
}

static void started_thread_has_run_when_it_is_joined(void **state) {
    (void)state;
    int numbers[8] = {0};
    stoa__thread threads[8];
    for (int i = 0; i < 8; i++) {
        assert_true(stoa__thread_start(&threads[i], number_raise, &numbers[i]));
    }
    for (int i = 0; i < 8; i++) {
        stoa__thread_join(&threads[i]);
        assert_int_equal(numbers[i], 1);
    }
}

/* GEN-03 */
static void refused_start_runs_nothing(void **state) {
    (void)state;
    int number = 0;
    stoa__thread thread;
    stoa__thread_refuse_after(1);
    assert_true(stoa__thread_start(&thread, number_raise, &number));
    stoa__thread_join(&thread);
    for (int i = 0; i < 3; i++) {
        assert_false(stoa__thread_start(&thread, number_raise, &number));
    }
    stoa__thread_refuse_after(0);
    assert_false(stoa__thread_start(&thread, number_raise, &number));
    assert_int_equal(number, 1);
    stoa__thread_refuse_after(-1);
    assert_true(stoa__thread_start(&thread, number_raise, &number));
    stoa__thread_join(&thread);
    assert_int_equal(number, 2);
}

/* What the threads of a test share. */
typedef struct room {
    stoa__mutex mutex;
    stoa__condition condition;
    int turn;
    int64_t sum;
} room;

static void room_init(room *r) {
    *r = (room){0};
    stoa__mutex_init(&r->mutex);
    stoa__condition_init(&r->condition);
}

static void room_fini(room *r) {
    stoa__condition_fini(&r->condition);
    stoa__mutex_fini(&r->mutex);
}

/* Sleeps until it is that turn; the mutex is locked. */
static void turn_await(room *r, int turn) {
    while (r->turn != turn) {
        stoa__condition_wait(&r->condition, &r->mutex);
    }
}

static void turn_give(room *r, int turn) {
    r->turn = turn;
    stoa__condition_wake(&r->condition);
}

static void start_from_elsewhere(void *data) {
    room *r = data;
    stoa__thread thread;
    int number = 0;
    stoa__mutex_lock(&r->mutex);
    turn_await(r, 1);
    if (stoa__thread_start(&thread, number_raise, &number)) {
        stoa__thread_join(&thread);
    }
    r->sum = number;
    stoa__mutex_unlock(&r->mutex);
}

/* GEN-02 */
static void refusal_concerns_no_other_thread(void **state) {
    (void)state;
    room r;
    room_init(&r);
    stoa__thread thread;
    assert_true(stoa__thread_start(&thread, start_from_elsewhere, &r));
    stoa__thread_refuse_after(0);
    stoa__mutex_lock(&r.mutex);
    turn_give(&r, 1);
    stoa__mutex_unlock(&r.mutex);
    stoa__thread_join(&thread);
    stoa__thread_refuse_after(-1);
    assert_int_equal(r.sum, 1);
    room_fini(&r);
}

#define RAISES 5000

static void sum_raise(void *data) {
    room *r = data;
    for (int i = 0; i < RAISES; i++) {
        stoa__mutex_lock(&r->mutex);
        int64_t sum = r->sum;
        if (i % 64 == 0) {
            stoa__thread_yield();
        }
        stoa__thread_pause();
        r->sum = sum + 1;
        stoa__mutex_unlock(&r->mutex);
    }
}

static void mutex_lets_one_thread_in_at_a_time(void **state) {
    (void)state;
    room r;
    room_init(&r);
    stoa__thread threads[4];
    for (int i = 0; i < 4; i++) {
        assert_true(stoa__thread_start(&threads[i], sum_raise, &r));
    }
    for (int i = 0; i < 4; i++) {
        stoa__thread_join(&threads[i]);
    }
    assert_int_equal(r.sum, 4 * RAISES);
    room_fini(&r);
}

#define TURNS 2000

static void turns_take(void *data) {
    room *r = data;
    stoa__mutex_lock(&r->mutex);
    for (int i = 0; i < TURNS; i++) {
        turn_await(r, 1);
        r->sum = r->sum * 3 + 1;
        turn_give(r, 0);
    }
    stoa__mutex_unlock(&r->mutex);
}

static void condition_wakes_who_sleeps(void **state) {
    (void)state;
    room r;
    room_init(&r);
    stoa__thread thread;
    assert_true(stoa__thread_start(&thread, turns_take, &r));
    int64_t expected = 0;
    stoa__mutex_lock(&r.mutex);
    for (int i = 0; i < TURNS; i++) {
        expected = (expected * 3 + 1) % 1000003;
        turn_give(&r, 1);
        turn_await(&r, 0);
        r.sum %= 1000003;
    }
    stoa__mutex_unlock(&r.mutex);
    stoa__thread_join(&thread);
    assert_int_equal(r.sum, expected);
    room_fini(&r);
}

static void self_tell(void *data) {
    *(uintptr_t *)data = stoa__thread_self();
}

static void threads_have_numbers_of_their_own(void **state) {
    (void)state;
    uintptr_t other = 0;
    stoa__thread thread;
    assert_true(stoa__thread_start(&thread, self_tell, &other));
    stoa__thread_join(&thread);
    assert_true(stoa__thread_self() != 0);
    assert_true(stoa__thread_self() == stoa__thread_self());
    assert_true(other != 0);
    assert_true(other != stoa__thread_self());
}

static void process_has_a_core(void **state) {
    (void)state;
    assert_true(stoa__thread_cores() >= 1);
}

#if defined(__linux__)
static void cores_are_those_that_the_process_may_use(void **state) {
    (void)state;
    cpu_set_t all;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(stoa__thread_cores(), CPU_COUNT(&all));
    cpu_set_t one;
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
        }
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    int32_t cores = stoa__thread_cores();
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(cores, 1);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(started_thread_has_run_when_it_is_joined),
        cmocka_unit_test(refused_start_runs_nothing),
        cmocka_unit_test(refusal_concerns_no_other_thread),
        cmocka_unit_test(mutex_lets_one_thread_in_at_a_time),
        cmocka_unit_test(condition_wakes_who_sleeps),
        cmocka_unit_test(threads_have_numbers_of_their_own),
        cmocka_unit_test(process_has_a_core),
#if defined(__linux__)
        cmocka_unit_test(cores_are_those_that_the_process_may_use),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

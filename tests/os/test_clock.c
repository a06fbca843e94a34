/* The clock never goes back, and a sleep lasts until its time whatever happens meanwhile. */
#define _GNU_SOURCE

#include "os/clock.h"
#include "support/support.h"

#include <signal.h>
#include <sys/time.h>

#define MILLISECOND UINT64_C(1000000)

static void clock_never_goes_back(void **state) {
    (void)state;
    uint64_t first = stoa__clock_now();
    uint64_t last = first;
    for (int i = 0; i < 10000 || last == first; i++) {
        uint64_t now = stoa__clock_now();
        assert_true(now >= last);
        last = now;
    }
}

static void sleep_lasts_until_its_time(void **state) {
    (void)state;
    for (uint64_t length = 1; length < 4 * MILLISECOND; length *= 7) {
        uint64_t when = stoa__clock_now() + length;
        stoa__clock_sleep_until(when);
        assert_true(stoa__clock_now() >= when);
    }
}

static void sleep_until_the_past_returns(void **state) {
    (void)state;
    stoa__clock_sleep_until(0);
    stoa__clock_sleep_until(stoa__clock_now());
    stoa__clock_sleep_until(stoa__clock_now() - 1);
}

static volatile sig_atomic_t signals;

static void signal_count(int number) {
    (void)number;
    signals = signals + 1;
}

static void signal_does_not_end_a_sleep(void **state) {
    (void)state;
    struct sigaction action = {.sa_handler = signal_count};
    struct sigaction before;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    struct itimerval often = {.it_interval = {.tv_usec = 2000}, .it_value = {.tv_usec = 2000}};
    struct itimerval never = {.it_value = {0}};
    signals = 0;
    uint64_t when = stoa__clock_now() + 20 * MILLISECOND;
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    stoa__clock_sleep_until(when);
    uint64_t now = stoa__clock_now();
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    assert_true(now >= when);
    assert_true(signals > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_never_goes_back),
        cmocka_unit_test(sleep_lasts_until_its_time),
        cmocka_unit_test(sleep_until_the_past_returns),
        cmocka_unit_test(signal_does_not_end_a_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A pool's own threads work each lane once for each start, whether they spin, sleep or come late.
 *
 * What lanes write is not atomic where the pool is to make it visible: ThreadSanitizer tells if it
 * does not. A wake-up that is lost hangs a round in which lanes wait for each other; the alarm ends
 * the program then. */
#define _GNU_SOURCE

#include "os/thread.h"
#include "schedule/pool.h"
#include "support/support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define LANES_MAX 8

/* How the lanes of a round behave. */
typedef enum round_way {
    ROUND_QUICK, /* return at once */
    ROUND_SLOW,  /* take a while, each another one */
    ROUND_MEET   /* return when all have begun */
} round_way;

typedef struct stress {
    support_heap heap;
    stoa_pool *pool;
    int32_t lanes;
    round_way way;
    uint32_t chance;
    int counts[LANES_MAX];
    int expected[LANES_MAX];
    uintptr_t threads[LANES_MAX]; /* that worked a lane last */
    atomic_int begun;
    atomic_int wrong;
} stress;

static void stress_open(stress *s, int32_t threads) {
    memset(s, 0, sizeof *s);
    stoa_allocator allocator = support_allocator(&s->heap);
    s->pool = stoa_pool_new(&(stoa_pool_desc){.threads = threads, .allocator = &allocator});
    assert_non_null(s->pool);
    assert_int_equal(stoa_pool_threads(s->pool), threads);
}

static void stress_close(stress *s) {
    stoa_pool_free(s->pool);
    assert_int_equal(s->wrong, 0);
    assert_int_equal(s->heap.bytes, 0);
    assert_int_equal(s->heap.blocks, 0);
}

static void dawdle(uint32_t length) {
    for (uint32_t i = 0; i < length; i++) {
        stoa__thread_pause();
    }
    if (length % 5 == 0) {
        stoa__thread_yield();
    }
}

static void lane_work(int32_t lane, void *data) {
    stress *s = data;
    if (lane < 0 || lane >= s->lanes) {
        s->wrong++;
        return;
    }
    s->counts[lane]++;
    s->threads[lane] = stoa__thread_self();
    if (s->way == ROUND_MEET) {
        s->begun++;
        while (s->begun < s->lanes) {
            stoa__thread_yield();
        }
    } else if (s->way == ROUND_SLOW) {
        dawdle((s->chance >> lane) % 128);
    }
}

static void counts_verify(stress *s) {
    for (int32_t i = 0; i < s->lanes; i++) {
        s->expected[i]++;
    }
    assert_memory_equal(s->counts, s->expected, sizeof s->counts);
}

/* Starts so often, with lane counts and behaviour that follow from a seed. */
static void rounds_run(stress *s, uint64_t seed, int rounds) {
    support_random random = {seed};
    uint32_t threads = (uint32_t)stoa_pool_threads(s->pool);
    for (int i = 0; i < rounds; i++) {
        s->lanes = 1 + (int32_t)support_random_below(&random, threads);
        s->chance = support_random_next(&random);
        s->way = s->chance % 64 == 0 ? ROUND_MEET : s->chance % 8 == 1 ? ROUND_SLOW : ROUND_QUICK;
        s->begun = 0;
        if (s->chance % 256 == 2) {
            /* Long enough for workers that spin to fall asleep. */
            usleep(30);
        }
        stoa__pool_expect(s->pool, s->chance >> 9 & 1);
        assert_int_equal(stoa_pool_start(s->pool, s->lanes, lane_work, s), STOA_OK);
        lane_work(0, s);
        stoa_pool_wait(s->pool);
        counts_verify(s);
    }
}

static int rounds_wanted(int usual) {
    const char *rounds = getenv("STOA_ROUNDS");
    return rounds != NULL ? atoi(rounds) * 1000 : usual;
}

/* SYS-06 */
static void each_lane_is_worked_once_for_each_start(void **state) {
    (void)state;
    static const struct {
        int32_t threads;
        int rounds;
    } cases[] = {{2, 80000}, {3, 17000}, {LANES_MAX, 3000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stress s;
        stress_open(&s, cases[i].threads);
        size_t allocations = s.heap.allocations;
        rounds_run(&s, 11 + i, rounds_wanted(cases[i].rounds));
        assert_int_equal(s.heap.allocations, allocations);
        stress_close(&s);
    }
}

/* SYS-06: nobody comes late, since all wait for the last. */
static void lanes_run_side_by_side_on_threads_of_their_own(void **state) {
    (void)state;
    stress s;
    stress_open(&s, LANES_MAX);
    for (int round = 0; round < 300; round++) {
        s.lanes = 1 + round % LANES_MAX;
        s.way = ROUND_MEET;
        s.begun = 0;
        assert_int_equal(stoa_pool_run(s.pool, s.lanes, lane_work, &s), STOA_OK);
        counts_verify(&s);
        assert_true(s.threads[0] == stoa__thread_self());
        for (int32_t a = 0; a < s.lanes; a++) {
            for (int32_t b = 0; b < a; b++) {
                assert_true(s.threads[a] != s.threads[b]);
            }
        }
    }
    stress_close(&s);
}

/* SYS-06: lanes are called at all moments of their threads' way to sleep, and each call is needed.
 */
static void no_call_is_slept_through(void **state) {
    (void)state;
    for (int32_t threads = 2; threads <= 3; threads++) {
        stress s;
        stress_open(&s, threads);
        support_random random = {(uint64_t)threads};
        for (int round = rounds_wanted(6000); round > 0; round--) {
            s.lanes = 2;
            s.way = ROUND_MEET;
            s.begun = 0;
            for (uint32_t i = support_random_below(&random, round % 4 == 0 ? 64 : 8); i > 0; i--) {
                stoa__thread_pause();
            }
            assert_int_equal(stoa_pool_run(s.pool, s.lanes, lane_work, &s), STOA_OK);
            counts_verify(&s);
        }
        stress_close(&s);
    }
}

/* The caller may work one of the lanes that wait for each other, but not take all from the others.
 */
static void lanes_that_meet_without_the_first_all_begin(void **state) {
    (void)state;
    stress s;
    stress_open(&s, 4);
    for (int round = 0; round < 300; round++) {
        s.lanes = 4;
        s.way = ROUND_MEET;
        s.begun = 1;
        assert_int_equal(stoa_pool_start(s.pool, s.lanes, lane_work, &s), STOA_OK);
        s.counts[0]++;
        stoa_pool_wait(s.pool);
        counts_verify(&s);
    }
    stress_close(&s);
}

/* GEN-03 GEN-04: those that were started end, and nothing is left. */
static void refused_thread_makes_no_pool(void **state) {
    (void)state;
    for (int32_t started = 0; started < 7; started++) {
        support_heap heap = {0};
        stoa_allocator allocator = support_allocator(&heap);
        stoa__thread_refuse_after(started);
        stoa_error_clear();
        assert_null(stoa_pool_new(&(stoa_pool_desc){.threads = 8, .allocator = &allocator}));
        stoa__thread_refuse_after(-1);
        assert_int_equal(stoa_last_error().status, STOA_LIMIT);
        char part[64];
        snprintf(part, sizeof part, "thread %d of a pool of 8", (int)started + 2);
        support_assert_message(part);
        assert_int_equal(heap.allocations, 1);
        assert_int_equal(heap.blocks, 0);
    }
    stress s;
    stoa__thread_refuse_after(7);
    stress_open(&s, 8);
    stoa__thread_refuse_after(-1);
    rounds_run(&s, 5, 100);
    stress_close(&s);
}

static void pools_come_and_go(void **state) {
    (void)state;
    for (int i = 0; i < 64; i++) {
        stress s;
        stress_open(&s, 1 + i % LANES_MAX);
        rounds_run(&s, (uint64_t)i, i % 3);
        stress_close(&s);
    }
}

static void pool_of_the_most_threads_works(void **state) {
    (void)state;
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = STOA_THREAD_MAX});
    assert_non_null(pool);
    assert_int_equal(stoa_pool_threads(pool), STOA_THREAD_MAX);
    stoa_pool_free(pool);
}

static void lane_meddle(int32_t lane, void *data) {
    stress *s = data;
    s->wrong += stoa_pool_start(s->pool, 2, lane_work, s) != STOA_LOCKED;
    stoa_error_clear();
    stoa_pool_wait(s->pool);
    s->wrong += lane > 0 && stoa_last_error().status != STOA_INVALID;
    stoa_error_clear();
    stoa_pool_free(s->pool);
    s->wrong += lane > 0 && stoa_last_error().status != STOA_LOCKED;
    s->counts[lane]++;
}

/* GEN-03 GEN-05: a lane that starts, waits for or frees its own pool is refused, on any thread. */
static void lane_cannot_use_its_own_pool(void **state) {
    (void)state;
    stress s;
    stress_open(&s, 4);
    for (int round = 0; round < 100; round++) {
        s.lanes = 4;
        assert_int_equal(stoa_pool_start(s.pool, s.lanes, lane_meddle, &s), STOA_OK);
        s.counts[0]++;
        if (round % 2 == 0) {
            dawdle(50);
        }
        stoa_pool_wait(s.pool);
        counts_verify(&s);
    }
    stress_close(&s);
}

/* One of several threads that want the same pool. */
typedef struct rival {
    stoa_pool *pool;
    int *shared; /* guarded by the pool: only who may start touches it */
    int done;
    int wrong;
} rival;

static void lane_rival(int32_t lane, void *data) {
    rival *r = data;
    if (lane == 0) {
        ++*r->shared;
        r->done++;
    }
}

static void rival_run(void *data) {
    rival *r = data;
    while (r->done < 500) {
        stoa_status status = stoa_pool_run(r->pool, 2, lane_rival, r);
        r->wrong += status != STOA_OK && status != STOA_LOCKED;
        if (status != STOA_OK) {
            stoa__thread_yield();
        }
    }
}

/* GEN-03 */
static void threads_that_share_a_pool_take_turns(void **state) {
    (void)state;
    stress s;
    stress_open(&s, 2);
    int shared = 0;
    rival rivals[3];
    stoa__thread threads[3];
    for (int i = 0; i < 3; i++) {
        rivals[i] = (rival){.pool = s.pool, .shared = &shared};
        assert_true(stoa__thread_start(&threads[i], rival_run, &rivals[i]));
    }
    for (int i = 0; i < 3; i++) {
        stoa__thread_join(&threads[i]);
        assert_int_equal(rivals[i].wrong, 0);
    }
    assert_int_equal(shared, 1500);
    stress_close(&s);
}

int main(void) {
    alarm(600);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_lane_is_worked_once_for_each_start),
        cmocka_unit_test(lanes_run_side_by_side_on_threads_of_their_own),
        cmocka_unit_test(no_call_is_slept_through),
        cmocka_unit_test(lanes_that_meet_without_the_first_all_begin),
        cmocka_unit_test(refused_thread_makes_no_pool),
        cmocka_unit_test(pools_come_and_go),
        cmocka_unit_test(pool_of_the_most_threads_works),
        cmocka_unit_test(lane_cannot_use_its_own_pool),
        cmocka_unit_test(threads_that_share_a_pool_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

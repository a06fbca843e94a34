/* A pool is made as described, hands work to an engine's threads, and refuses what it cannot do. */
#include "os/thread.h"
#include "support/support.h"

#define LANES_MAX 8

/* An engine's job system of one thread, which keeps what it is given until it is waited for. */
typedef struct engine {
    stoa_pool_fn work;
    void *data;
    int32_t lanes;
    int starts;
    int waits;
    int freed;
} engine;

static void engine_start(stoa_pool_fn work, void *data, int32_t lane_count, void *user) {
    engine *e = user;
    e->work = work;
    e->data = data;
    e->lanes = lane_count;
    e->starts++;
}

static void engine_wait(void *user) {
    engine *e = user;
    for (int32_t lane = e->lanes - 1; lane >= 1; lane--) {
        e->work(lane, e->data);
    }
    e->waits++;
}

static void engine_free(void *user) {
    engine *e = user;
    e->freed++;
}

/* A pool on an engine, on the counting allocator. */
typedef struct setting {
    support_heap heap;
    engine engine;
    stoa_pool *pool;
    int counts[LANES_MAX];
    stoa_status status; /* what a call from inside a lane came to */
} setting;

static void setting_open(setting *s, int32_t threads) {
    memset(s, 0, sizeof *s);
    stoa_allocator allocator = support_allocator(&s->heap);
    stoa_pool_hooks hooks = {engine_start, engine_wait, &s->engine, engine_free};
    s->pool = stoa_pool_new(&(stoa_pool_desc){threads, &hooks, &allocator});
    assert_non_null(s->pool);
    stoa_error_clear();
}

static void setting_close(setting *s) {
    stoa_pool_free(s->pool);
    assert_int_equal(s->engine.freed, 1);
    assert_int_equal(s->heap.bytes, 0);
    assert_int_equal(s->heap.blocks, 0);
}

static void lane_count(int32_t lane, void *data) {
    setting *s = data;
    s->counts[lane]++;
}

/* SYS-06 */
static void engine_works_every_lane_but_the_first(void **state) {
    (void)state;
    setting s;
    setting_open(&s, 4);
    assert_int_equal(stoa_pool_threads(s.pool), 4);
    assert_int_equal(stoa_pool_start(s.pool, 3, lane_count, &s), STOA_OK);
    assert_int_equal(s.engine.starts, 1);
    assert_int_equal(s.engine.lanes, 3);
    assert_int_equal(s.engine.waits, 0);
    assert_int_equal(s.counts[0] + s.counts[1] + s.counts[2], 0);
    stoa_pool_wait(s.pool);
    assert_int_equal(s.engine.waits, 1);
    const int after_wait[LANES_MAX] = {0, 1, 1};
    assert_memory_equal(s.counts, after_wait, sizeof after_wait);
    assert_int_equal(stoa_pool_run(s.pool, 4, lane_count, &s), STOA_OK);
    const int after_run[LANES_MAX] = {1, 2, 2, 1};
    assert_memory_equal(s.counts, after_run, sizeof after_run);
    assert_int_equal(stoa_last_error().status, STOA_OK);
    setting_close(&s);
}

static void one_lane_troubles_no_engine(void **state) {
    (void)state;
    setting s;
    setting_open(&s, 4);
    assert_int_equal(stoa_pool_run(s.pool, 1, lane_count, &s), STOA_OK);
    assert_int_equal(s.counts[0], 1);
    assert_int_equal(s.engine.starts, 0);
    assert_int_equal(s.engine.waits, 0);
    setting_close(&s);
}

static void engine_pool_starts_no_threads(void **state) {
    (void)state;
    setting s;
    stoa__thread_refuse_after(0);
    setting_open(&s, 8);
    stoa__thread_refuse_after(-1);
    assert_int_equal(stoa_pool_run(s.pool, 8, lane_count, &s), STOA_OK);
    setting_close(&s);
}

static void threads_default_to_the_cores(void **state) {
    (void)state;
    int32_t cores = stoa__thread_cores();
    int32_t expected = cores < STOA_THREAD_MAX ? cores : STOA_THREAD_MAX;
    setting s;
    setting_open(&s, 0);
    assert_int_equal(stoa_pool_threads(s.pool), expected);
    setting_close(&s);
    stoa_pool *pool = stoa_pool_new(NULL);
    assert_int_equal(stoa_pool_threads(pool), expected);
    stoa_pool_free(pool);
}

static void pool_of_one_thread_is_the_callers(void **state) {
    (void)state;
    setting s = {.counts = {0}};
    stoa__thread_refuse_after(0);
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 1});
    stoa__thread_refuse_after(-1);
    assert_non_null(pool);
    assert_int_equal(stoa_pool_threads(pool), 1);
    assert_int_equal(stoa_pool_run(pool, 1, lane_count, &s), STOA_OK);
    assert_int_equal(s.counts[0], 1);
    assert_int_equal(stoa_pool_run(pool, 2, lane_count, &s), STOA_INVALID);
    stoa_pool_free(pool);
}

static void user_count(void *user) {
    ++*(int *)user;
}

static void *libc_alloc(size_t size, size_t alignment, void *user) {
    (void)user;
    stoa_allocator libc = stoa_allocator_default();
    return libc.alloc(size, alignment, libc.user);
}

static void libc_free(void *block, size_t size, size_t alignment, void *user) {
    (void)user;
    stoa_allocator libc = stoa_allocator_default();
    libc.free(block, size, alignment, libc.user);
}

/* GEN-06 */
static void allocator_ends_with_the_pool(void **state) {
    (void)state;
    int freed = 0;
    stoa_allocator allocator = {libc_alloc, libc_free, NULL, &freed, user_count};
    stoa__thread_refuse_after(1);
    assert_null(stoa_pool_new(&(stoa_pool_desc){.threads = 3, .allocator = &allocator}));
    stoa__thread_refuse_after(-1);
    assert_int_equal(freed, 0);
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 3, .allocator = &allocator});
    assert_non_null(pool);
    stoa_pool_free(pool);
    assert_int_equal(freed, 1);
}

/* GEN-03 GEN-06 */
static void impossible_pools_are_refused(void **state) {
    (void)state;
    engine e = {0};
    stoa_allocator whole = stoa_allocator_default();
    stoa_allocator no_alloc = {.free = whole.free};
    stoa_allocator no_free = {.alloc = whole.alloc};
    stoa_pool_hooks no_start = {.wait = engine_wait, .user = &e, .user_free = engine_free};
    stoa_pool_hooks no_wait = {.start = engine_start, .user = &e, .user_free = engine_free};
    const struct {
        stoa_pool_desc desc;
        stoa_status status;
        const char *message;
    } cases[] = {
        {{.threads = -1}, STOA_INVALID, "-1"},
        {{.threads = INT32_MIN}, STOA_INVALID, "2147483648"},
        {{.threads = STOA_THREAD_MAX + 1}, STOA_INVALID, "257"},
        {{.hooks = &no_start}, STOA_NULL_ARGUMENT, "start and wait"},
        {{.hooks = &no_wait}, STOA_NULL_ARGUMENT, "start and wait"},
        {{.allocator = &no_alloc}, STOA_NULL_ARGUMENT, "alloc and free"},
        {{.allocator = &no_free}, STOA_NULL_ARGUMENT, "alloc and free"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stoa_error_clear();
        assert_null(stoa_pool_new(&cases[i].desc));
        assert_int_equal(stoa_last_error().status, cases[i].status);
        support_assert_message(cases[i].message);
    }
    assert_int_equal(e.freed, 0);
}

/* GEN-04 */
static void lack_of_memory_makes_no_pool(void **state) {
    (void)state;
    setting s = {.heap = {.fail_at = 1}};
    stoa_allocator allocator = support_allocator(&s.heap);
    stoa_pool_hooks hooks = {engine_start, engine_wait, &s.engine, engine_free};
    assert_null(stoa_pool_new(&(stoa_pool_desc){2, &hooks, &allocator}));
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    assert_int_equal(s.engine.freed, 0);
    assert_int_equal(s.heap.blocks, 0);
}

/* GEN-03 GEN-05 */
static void impossible_starts_are_refused(void **state) {
    (void)state;
    setting s;
    setting_open(&s, 4);
    assert_int_equal(stoa_pool_start(NULL, 1, lane_count, &s), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_pool_start(s.pool, 1, NULL, &s), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_pool_run(NULL, 1, lane_count, &s), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_pool_run(s.pool, 1, NULL, &s), STOA_NULL_ARGUMENT);
    const int32_t lanes[] = {0, -1, INT32_MIN, 5, INT32_MAX};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        assert_int_equal(stoa_pool_start(s.pool, lanes[i], lane_count, &s), STOA_INVALID);
        assert_int_equal(stoa_pool_run(s.pool, lanes[i], lane_count, &s), STOA_INVALID);
        assert_int_equal(stoa_last_error().status, STOA_INVALID);
    }
    const int nothing[LANES_MAX] = {0};
    assert_memory_equal(s.counts, nothing, sizeof nothing);
    assert_int_equal(s.engine.starts, 0);
    assert_int_equal(stoa_pool_run(s.pool, 4, lane_count, &s), STOA_OK);
    setting_close(&s);
}

/* GEN-05 */
static void missing_pool_is_harmless(void **state) {
    (void)state;
    stoa_error_clear();
    assert_int_equal(stoa_pool_threads(NULL), 0);
    stoa_pool_free(NULL);
    assert_int_equal(stoa_last_error().status, STOA_OK);
    stoa_pool_wait(NULL);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
}

static void lane_start_again(int32_t lane, void *data) {
    setting *s = data;
    s->counts[lane]++;
    s->status = stoa_pool_run(s->pool, 2, lane_count, s);
    assert_int_equal(s->status, STOA_LOCKED);
    stoa_error_clear();
    stoa_pool_free(s->pool);
    assert_int_equal(stoa_last_error().status, STOA_LOCKED);
}

/* GEN-03 */
static void pool_at_work_takes_no_other(void **state) {
    (void)state;
    setting s;
    setting_open(&s, 4);
    assert_int_equal(stoa_pool_run(s.pool, 3, lane_start_again, &s), STOA_OK);
    const int once[LANES_MAX] = {1, 1, 1};
    assert_memory_equal(s.counts, once, sizeof once);
    for (int32_t lanes = 1; lanes <= 2; lanes++) {
        assert_int_equal(stoa_pool_start(s.pool, lanes, lane_count, &s), STOA_OK);
        assert_int_equal(stoa_pool_start(s.pool, 2, lane_count, &s), STOA_LOCKED);
        stoa_error_clear();
        stoa_pool_free(s.pool);
        assert_int_equal(stoa_last_error().status, STOA_LOCKED);
        assert_int_equal(s.engine.freed, 0);
        stoa_pool_wait(s.pool);
    }
    setting_close(&s);
}

static void lane_wait(int32_t lane, void *data) {
    setting *s = data;
    s->counts[lane]++;
    stoa_error_clear();
    stoa_pool_wait(s->pool);
    assert_int_equal(stoa_last_error().status, STOA_INVALID);
}

/* GEN-05 */
static void wait_without_a_start_returns(void **state) {
    (void)state;
    setting s;
    setting_open(&s, 4);
    stoa_pool_wait(s.pool);
    assert_int_equal(stoa_last_error().status, STOA_INVALID);
    assert_int_equal(stoa_pool_start(s.pool, 3, lane_wait, &s), STOA_OK);
    stoa_pool_wait(s.pool);
    assert_int_equal(s.engine.waits, 1);
    assert_int_equal(s.counts[1], 1);
    stoa_error_clear();
    stoa_pool_wait(s.pool);
    assert_int_equal(stoa_last_error().status, STOA_INVALID);
    assert_int_equal(s.engine.waits, 1);
    setting_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_works_every_lane_but_the_first),
        cmocka_unit_test(one_lane_troubles_no_engine),
        cmocka_unit_test(engine_pool_starts_no_threads),
        cmocka_unit_test(threads_default_to_the_cores),
        cmocka_unit_test(pool_of_one_thread_is_the_callers),
        cmocka_unit_test(allocator_ends_with_the_pool),
        cmocka_unit_test(impossible_pools_are_refused),
        cmocka_unit_test(lack_of_memory_makes_no_pool),
        cmocka_unit_test(impossible_starts_are_refused),
        cmocka_unit_test(missing_pool_is_harmless),
        cmocka_unit_test(pool_at_work_takes_no_other),
        cmocka_unit_test(wait_without_a_start_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

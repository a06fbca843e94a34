/* stoa_query_each_parallel calls for each entity once, with the fields stoa_query_each gives, and
 * leaves the world unlocked whatever happens. */
#include "os/thread.h"
#include "support/support.h"

#include <stdatomic.h>

STOA_COMPONENT(Position, { float x, y, z; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_COMPONENT_WITH(Exact, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int64_t value; });
STOA_COMPONENT_WITH(Mood, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t value; });
STOA_COMPONENT_WITH(Shield, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { int32_t value; });
STOA_TAG(Frozen);

#define ENTITIES 6000

/* Entities of many kinds, by number; every eleventh has nothing. */
static void world_fill(stoa_world *w) {
    for (int32_t i = 0; i < ENTITIES; i++) {
        stoa_entity e = stoa_create(w);
        if (i % 11 == 0) {
            continue;
        }
        assert_int_equal(stoa_set(w, e, Health, {i}), STOA_OK);
        if (i % 2 == 0) {
            assert_int_equal(stoa_set(w, e, Position, {(float)i, 0, 1}), STOA_OK);
        }
        if (i % 3 == 0) {
            assert_int_equal(stoa_set(w, e, Mood, {i}), STOA_OK);
        }
        if (i % 5 == 0) {
            assert_int_equal(stoa_set(w, e, Exact, {i}), STOA_OK);
        }
        if (i % 7 == 0) {
            assert_int_equal(stoa_add(w, e, Frozen), STOA_OK);
        }
        if (i % 13 == 0) {
            assert_int_equal(stoa_set(w, e, Shield, {i}), STOA_OK);
            assert_int_equal(stoa_enable(w, e, Shield, i % 2 == 0), STOA_OK);
        }
    }
}

/* What a call saw, by entity index; each element is written by one thread. */
typedef struct sight {
    int32_t calls;
    void *fields[6];
} sight;

typedef struct seen {
    sight sights[ENTITIES + 1];
    uint32_t terms;
    atomic_int calls;
    atomic_int wrong;
} seen;

static seen one, many;

static void entity_see(stoa_entity e, void *const *fields, void *user) {
    seen *s = user;
    sight *at = &s->sights[e.index];
    at->calls++;
    memcpy(at->fields, fields, s->terms * sizeof *fields);
    s->calls++;
}

/* Sees with one thread and with a pool, and compares. */
static int32_t assert_sees_alike(stoa_query *query, uint32_t terms, stoa_pool *pool) {
    memset(&one, 0, sizeof one);
    memset(&many, 0, sizeof many);
    one.terms = many.terms = terms;
    assert_int_equal(stoa_query_each(query, entity_see, &one), STOA_OK);
    assert_int_equal(stoa_query_each_parallel(query, pool, entity_see, &many), STOA_OK);
    assert_int_equal(one.calls, many.calls);
    assert_memory_equal(one.sights, many.sights, sizeof one.sights);
    return many.calls;
}

/* SYS-15 */
static void every_entity_is_seen_once_with_its_fields(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    world_fill(w);
    const stoa_query_desc descs[] = {
        {.terms = {STOA_WRITE(Position), STOA_READ(Health)}},
        {.terms = {STOA_READ(Health), STOA_OPTIONAL(Position), STOA_OPTIONAL_WRITE(Exact)}},
        {.terms = {STOA_WRITE(Mood), STOA_READ(Health), STOA_READ(Frozen)}},
        {.terms = {STOA_READ(Health), STOA_OPTIONAL_WRITE(Mood), STOA_WITHOUT(Frozen)}},
        {.terms = {STOA_ANY(Position), STOA_ANY_WRITE(Exact), STOA_FILTER(Health)}},
        {.terms = {STOA_OPTIONAL(Health), STOA_OPTIONAL(Mood)}},
        {.terms = {STOA_WRITE(Shield), STOA_READ(Health)}},
        {.terms = {STOA_OPTIONAL(Shield), STOA_READ(Health)}},
        {.terms = {STOA_WITHOUT(Health)}},
    };
    const uint32_t terms[] = {2, 3, 3, 3, 3, 2, 2, 2, 1};
    stoa_pool *pools[] = {stoa_pool_new(&(stoa_pool_desc){.threads = 1}),
                          stoa_pool_new(&(stoa_pool_desc){.threads = 3}), NULL};
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++) {
        stoa_query *query = stoa_query_new(w, &descs[i]);
        assert_non_null(query);
        for (size_t p = 0; p < sizeof pools / sizeof *pools; p++) {
            assert_true(assert_sees_alike(query, terms[i], pools[p]) > 0);
        }
        assert_int_equal(stoa_query_free(query), STOA_OK);
    }
    stoa_pool_free(pools[0]);
    stoa_pool_free(pools[1]);
    support_assert_quiet(s);
}

static void nothing_that_matches_is_no_call(void **state) {
    support_world *s = *state;
    stoa_query *query = stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    memset(&many, 0, sizeof many);
    assert_int_equal(stoa_query_each_parallel(query, NULL, entity_see, &many), STOA_OK);
    assert_int_equal(many.calls, 0);
    support_assert_quiet(s);
}

static void entity_hurt(stoa_entity e, void *const *fields, void *user) {
    (void)e;
    (void)user;
    Health *health = fields[0];
    const Mood *mood = fields[1];
    health->points = health->points * 2 + (mood != NULL ? mood->value : 1);
}

static void entity_hurt_alone(stoa_entity e, void *const *fields, void *user) {
    (void)e;
    (void)user;
    Health *health = fields[0];
    health->points--;
}

/* SYS-15: threads or not, the same world comes out. */
static void what_is_written_is_what_one_thread_writes(void **state) {
    support_world *s = *state;
    support_world other;
    support_world_open(&other);
    world_fill(s->world);
    world_fill(other.world);
    const stoa_query_desc desc = {.terms = {STOA_WRITE(Health), STOA_OPTIONAL(Mood)}};
    stoa_query *query = stoa_query_new(s->world, &desc);
    stoa_query *twin = stoa_query_new(other.world, &desc);
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 4});
    for (int i = 0; i < 5; i++) {
        assert_int_equal(stoa_query_each_parallel(query, pool, entity_hurt, NULL), STOA_OK);
        assert_int_equal(stoa_query_each(twin, entity_hurt, NULL), STOA_OK);
        assert_true(stoa_hash(s->world) == stoa_hash(other.world));
    }
    stoa_pool_free(pool);
    support_world_close(&other);
}

/* CHG-02 SYS-15: what is handed out for writing is marked, by row where rows have ticks. */
static void writes_are_marked_and_reads_are_not(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    world_fill(w);
    uint32_t before = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_query *query = stoa_query_new(
        w, &(stoa_query_desc){.terms = {STOA_READ(Health), STOA_OPTIONAL_WRITE(Exact),
                                        STOA_OPTIONAL_WRITE(Mood), STOA_READ(Position)}});
    memset(&many, 0, sizeof many);
    many.terms = 4;
    assert_int_equal(stoa_query_each_parallel(query, NULL, entity_see, &many), STOA_OK);
    for (stoa_entity e = stoa_entity_next(w, STOA_NULL); !stoa_entity_is_null(e);
         e = stoa_entity_next(w, e)) {
        bool seen_now = many.sights[e.index].calls > 0;
        assert_false(stoa_changed(w, e, Health, before));
        assert_false(stoa_changed(w, e, Position, before));
        assert_int_equal(stoa_changed(w, e, Exact, before), seen_now && stoa_has(w, e, Exact));
        assert_int_equal(stoa_changed(w, e, Mood, before), seen_now && stoa_has(w, e, Mood));
    }
}

/* QRY-08 CHG-06 SYS-15: it is a run of the query, and what it wrote is no news to the next. */
static void filters_go_by_the_last_run(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    world_fill(w);
    stoa_query *query =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Exact), STOA_CHANGED(Exact)}});
    memset(&many, 0, sizeof many);
    many.terms = 2;
    assert_int_equal(stoa_query_each_parallel(query, NULL, entity_see, &many), STOA_OK);
    int32_t all = many.calls;
    assert_int_equal(all,
                     stoa_query_once_count(w, &(stoa_query_desc){.terms = {STOA_READ(Exact)}}));
    assert_int_equal(stoa_query_each_parallel(query, NULL, entity_see, &many), STOA_OK);
    assert_int_equal(many.calls, all);
    stoa_entity e = stoa_query_first(query);
    assert_true(stoa_entity_is_null(e));
    for (e = stoa_entity_next(w, STOA_NULL); !stoa_has(w, e, Exact); e = stoa_entity_next(w, e)) {
    }
    stoa_get_mut(w, e, Exact)->value = 1;
    assert_int_equal(stoa_query_each_parallel(query, NULL, entity_see, &many), STOA_OK);
    assert_int_equal(many.calls, all + 1);
    assert_int_equal(many.sights[e.index].calls, 2);
}

/* A function that tries what it must not. */
typedef struct meddler {
    stoa_world *world;
    stoa_query *query;
    stoa_pool *pool;
    atomic_int wrong;
} meddler;

static void error_ignore(const stoa_error *error, void *user) {
    meddler *m = user;
    m->wrong += error->status != STOA_FORKED;
}

static void entity_meddle(stoa_entity e, void *const *fields, void *user) {
    meddler *m = user;
    (void)fields;
    m->wrong += !stoa_entity_is_null(stoa_create(m->world));
    m->wrong += stoa_destroy(m->world, e) != STOA_FORKED;
    m->wrong += stoa_query_each_parallel(m->query, m->pool, entity_meddle, user) != STOA_FORKED;
}

/* SYS-15 QRY-06 GEN-03: on any thread, the query that is under way included. */
static void structure_stays_while_threads_look(void **state) {
    (void)state;
    support_heap heap = {.no_resize = true};
    stoa_allocator allocator = support_allocator(&heap);
    meddler m = {.pool = stoa_pool_new(&(stoa_pool_desc){.threads = 3})};
    stoa_handler handler = {.call = error_ignore, .user = &m};
    m.world = stoa_world_new(
        &(stoa_world_desc){.allocator = &allocator, .on_assert = handler, .on_error = handler});
    world_fill(m.world);
    m.query = stoa_query_new(m.world, &(stoa_query_desc){.terms = {STOA_WRITE(Health)}});
    uint64_t hash = stoa_hash(m.world);
    assert_int_equal(stoa_query_each_parallel(m.query, m.pool, entity_meddle, &m), STOA_OK);
    assert_int_equal(m.wrong, 0);
    assert_true(stoa_hash(m.world) == hash);
    assert_int_equal(stoa_check(m.world), STOA_OK);
    stoa_world_free(m.world);
    stoa_pool_free(m.pool);
    assert_int_equal(heap.bytes, 0);
}

static void entity_look(stoa_entity e, void *const *fields, void *user) {
    (void)user;
    assert_false(stoa_entity_is_null(e));
    assert_non_null(fields[0]);
}

static void user_count(void *user) {
    ((support_heap *)user)->failed++;
}

/* GEN-06: the pool of one call is no end of the world's allocator. */
static void own_pool_leaves_the_allocator_to_the_world(void **state) {
    (void)state;
    support_heap heap = {0};
    stoa_allocator allocator = support_allocator(&heap);
    allocator.user_free = user_count;
    stoa_world *w = stoa_world_new(&(stoa_world_desc){.allocator = &allocator});
    world_fill(w);
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    assert_int_equal(stoa_query_each_parallel(query, NULL, entity_look, NULL), STOA_OK);
    assert_int_equal(heap.failed, 0);
    stoa_world_free(w);
    assert_int_equal(heap.failed, 1);
    assert_int_equal(heap.bytes, 0);
}

/* GEN-03 */
static void world_under_iteration_is_refused(void **state) {
    support_world *s = *state;
    world_fill(s->world);
    stoa_query *query = stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    memset(&many, 0, sizeof many);
    many.terms = 1;
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    support_assert_misuse(s, stoa_query_each_parallel(query, NULL, entity_see, &many),
                          STOA_ITERATING);
    stoa_iter_end(&it);
    assert_int_equal(stoa_commands_fork(s->world, NULL, 0), STOA_OK);
    support_assert_misuse(s, stoa_query_each_parallel(query, NULL, entity_see, &many), STOA_FORKED);
    assert_int_equal(stoa_commands_join(s->world), STOA_OK);
    assert_int_equal(many.calls, 0);
}

/* GEN-05 */
static void missing_arguments_are_refused(void **state) {
    support_world *s = *state;
    stoa_query *query = stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    assert_int_equal(stoa_query_each_parallel(NULL, NULL, entity_see, NULL), STOA_NULL_ARGUMENT);
    support_assert_quiet(s);
    support_assert_misuse(s, stoa_query_each_parallel(query, NULL, NULL, NULL), STOA_NULL_ARGUMENT);
}

/* The world can be changed, and the query goes by the same run as before. */
static void assert_untouched(support_world *s, const stoa_query *query, uint32_t last_run) {
    assert_int_equal(many.calls, 0);
    assert_int_equal(stoa_query_last_run(query), last_run);
    stoa_entity e = stoa_create(s->world);
    assert_false(stoa_entity_is_null(e));
    assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
}

static void lane_idle(int32_t lane, void *data) {
    (void)lane;
    (void)data;
}

/* GEN-03 SYS-15 */
static void busy_pool_leaves_the_world_unlocked(void **state) {
    support_world *s = *state;
    world_fill(s->world);
    stoa_query *query = stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 2});
    assert_int_equal(assert_sees_alike(query, 1, pool), stoa_query_count(query));
    memset(&many, 0, sizeof many);
    uint32_t last_run = stoa_query_last_run(query);
    stoa_tick_advance(s->world);
    assert_int_equal(stoa_pool_start(pool, 1, lane_idle, NULL), STOA_OK);
    support_assert_misuse(s, stoa_query_each_parallel(query, pool, entity_see, &many), STOA_LOCKED);
    stoa_pool_wait(pool);
    assert_untouched(s, query, last_run);
    assert_int_equal(assert_sees_alike(query, 1, pool), stoa_query_count(query));
    stoa_pool_free(pool);
}

/* GEN-03: threads that cannot be started. */
static void refused_thread_leaves_the_world_unlocked(void **state) {
    support_world *s = *state;
    if (stoa__thread_cores() < 2) {
        skip();
    }
    world_fill(s->world);
    stoa_query *query = stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    memset(&many, 0, sizeof many);
    many.terms = 1;
    uint32_t last_run = stoa_query_last_run(query);
    stoa_tick_advance(s->world);
    stoa__thread_refuse_after(0);
    stoa_status status = stoa_query_each_parallel(query, NULL, entity_see, &many);
    stoa__thread_refuse_after(-1);
    assert_int_equal(status, STOA_LIMIT);
    assert_int_equal(s->errors, 1);
    assert_untouched(s, query, last_run);
}

/* GEN-04 SYS-15: wherever memory runs out, nothing was called, and the next call works. */
static void lack_of_memory_leaves_the_world_unlocked(void **state) {
    support_world *s = *state;
    world_fill(s->world);
    const stoa_query_desc descs[] = {
        {.terms = {STOA_WRITE(Health)}},
        {.terms = {STOA_OPTIONAL(Health)}},
        {.terms = {STOA_READ(Health), STOA_WRITE(Mood)}},
        {.terms = {STOA_READ(Health), STOA_WRITE(Exact), STOA_CHANGED(Exact)}},
    };
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++) {
        stoa_query *query = stoa_query_new(s->world, &descs[i]);
        uint32_t last_run = stoa_query_last_run(query);
        stoa_status status = STOA_NO_MEMORY;
        memset(&many, 0, sizeof many);
        many.terms = 1;
        size_t k = 1;
        for (; status != STOA_OK; k++) {
            s->heap.fail_at = k;
            status = stoa_query_each_parallel(query, NULL, entity_see, &many);
            s->heap.fail_at = 0;
            if (status != STOA_OK) {
                assert_int_equal(status, STOA_NO_MEMORY);
                assert_untouched(s, query, last_run);
            }
        }
        assert_true(k > 2);
        assert_true(many.calls > 0);
    }
}

/* What a call needs is kept for the next, but for the pool. */
static void second_call_needs_no_memory(void **state) {
    support_world *s = *state;
    world_fill(s->world);
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 2});
    stoa_query *query = stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_WRITE(Health)}});
    assert_int_equal(stoa_query_each_parallel(query, pool, entity_hurt_alone, NULL), STOA_OK);
    size_t allocations = s->heap.allocations;
    assert_int_equal(stoa_query_each_parallel(query, pool, entity_hurt_alone, NULL), STOA_OK);
    assert_int_equal(s->heap.allocations, allocations);
    stoa_pool_free(pool);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_entity_is_seen_once_with_its_fields),
        TEST(nothing_that_matches_is_no_call),
        TEST(what_is_written_is_what_one_thread_writes),
        TEST(writes_are_marked_and_reads_are_not),
        TEST(filters_go_by_the_last_run),
        cmocka_unit_test(structure_stays_while_threads_look),
        cmocka_unit_test(own_pool_leaves_the_allocator_to_the_world),
        TEST(world_under_iteration_is_refused),
        TEST(missing_arguments_are_refused),
        TEST(busy_pool_leaves_the_world_unlocked),
        TEST(refused_thread_leaves_the_world_unlocked),
        TEST(lack_of_memory_leaves_the_world_unlocked),
        TEST(second_call_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

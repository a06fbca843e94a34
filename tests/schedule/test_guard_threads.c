/* Guards on threads: what the systems of an app are refused in a debug build, on whichever thread
 * they run. In a release build everything works. Threads note what they meet; the test looks at it
 * when they are done. */
#include "world/guard_fixture.h"

#include <stdatomic.h>

STOA_COMPONENT_WITH(Secret, STOA_OPTIONS(.flags = STOA_HIDDEN), { int32_t value; });

/* What calls came to, over all threads. */
typedef struct guard_notes {
    atomic_int worked;
    atomic_int refused; /* with STOA_ACCESS, naming system and component */
    atomic_int wrong;   /* anything else */
    atomic_int told;    /* errors the world's handler was told of */
} guard_notes;

static guard_notes notes;

typedef struct guard_app {
    support_heap heap;
    stoa_world *world;
    stoa_app *app;
    stoa_entity e;
} guard_app;

static void error_note(const stoa_error *error, void *user) {
    (void)user;
    notes.told += error->status == STOA_ACCESS;
}

static void assert_note(const stoa_error *error, void *user) {
    (void)error, (void)user;
}

static stoa_world *world_make(support_heap *heap) {
    stoa_allocator allocator = support_allocator(heap);
    notes.worked = notes.refused = notes.wrong = notes.told = 0;
    stoa_world *w = stoa_world_new(&(stoa_world_desc){.allocator = &allocator,
                                                      .chunk_size = 16384,
                                                      .on_assert = {.call = assert_note},
                                                      .on_error = {.call = error_note}});
    assert_non_null(w);
    stoa_id(w, Secret);
    stoa_id(w, Settings);
    return w;
}

static void app_open(guard_app *g, int32_t threads) {
    *g = (guard_app){.app = NULL};
    g->world = world_make(&g->heap);
    g->app = stoa_app_new(&(stoa_app_desc){.world = g->world, .threads = threads, .eager = true});
    assert_non_null(g->app);
    g->e = stoa_create_with(g->world, STOA_VALUE(Place, {1}), STOA_VALUE(Mood, {2}),
                            STOA_VALUE(Secret, {3}), STOA_VALUE(Seen, {4}));
    assert_int_equal(stoa_create_bulk(g->world, 6000, NULL, STOA_ZERO(Place), STOA_ZERO(Fixed)),
                     STOA_OK);
    assert_int_equal(stoa_resource_set(g->world, Settings, {5}), STOA_OK);
}

static void app_close(guard_app *g) {
    assert_int_equal(stoa_check(g->world), STOA_OK);
    assert_int_equal(stoa_app_free(g->app), STOA_OK);
    stoa_world_free(g->world);
    assert_int_equal(g->heap.bytes, 0);
}

static void app_add(guard_app *g, stoa_system_desc desc) {
    desc.user = g;
    stoa_system made = stoa_system_new(g->app, &desc);
    if (made.id == 0) {
        support_print_error();
    }
    assert_int_not_equal(made.id, 0);
}

/* Notes what a call came to that a system is not allowed. */
static void call_note(const stoa_job *job, bool worked, const char *what) {
    const char *message = stoa_last_error().message;
    if (worked) {
        notes.worked++;
    } else if (stoa_last_error().status == STOA_ACCESS && strstr(message, job->system) != NULL &&
               strstr(message, what) != NULL) {
        notes.refused++;
    } else {
        notes.wrong++;
    }
}

/* So many calls were refused in a debug build; otherwise they worked. */
static void calls_verify(int count) {
    assert_int_equal(notes.wrong, 0);
    assert_int_equal(notes.refused, GUARDS ? count : 0);
    assert_int_equal(notes.worked, GUARDS ? 0 : count);
    assert_int_equal(notes.told, GUARDS ? count : 0);
}

/* Touches all that there is and was not declared. */
static stoa_status touch_all(stoa_job *job, stoa_iter *it) {
    (void)it;
    guard_app *g = job->user;
    stoa_world *w = job->world;
    call_note(job, stoa_get(w, g->e, Place) != NULL, "reads component 'Place'");
    call_note(job, stoa_get_mut(w, g->e, Place) != NULL, "writes component 'Place'");
    call_note(job, stoa_try_get(w, g->e, Mood) != NULL, "reads component 'Mood'");
    call_note(job, stoa_set(w, g->e, Place, {9}) == STOA_OK, "writes component 'Place'");
    call_note(job, stoa_set(w, g->e, Mood, {9}) == STOA_OK, "writes component 'Mood'");
    call_note(job, stoa_change(w, g->e, STOA_VALUE(Mood, {9})) == STOA_OK,
              "writes component 'Mood'");
    call_note(job, stoa_resource(w, Settings) != NULL, "reads resource 'Settings'");
    call_note(job, stoa_resource_mut(w, Settings) != NULL, "writes resource 'Settings'");
    return STOA_OK;
}

/* SYS-14: on any thread, and on the thread that steps. */
static void systems_cannot_touch_what_they_do_not_declare(void **state) {
    (void)state;
    static const stoa_thread_rule rules[] = {STOA_THREAD_ANY, STOA_THREAD_ANY_ONE,
                                             STOA_THREAD_MAIN};
    for (int32_t i = 0; i < 3; i++) {
        guard_app g;
        app_open(&g, 2);
        app_add(&g, (stoa_system_desc){.name = "toucher", .run = touch_all, .rule = rules[i]});
        assert_int_equal(stoa_app_step(g.app, 0.1), STOA_OK);
        calls_verify(8);
        /* The thread that steps is not guarded after it. */
        assert_int_equal(stoa_get(g.world, g.e, Place)->x, GUARDS ? 1 : 9);
        stoa_resource_mut(g.world, Settings)->level = 6;
        calls_verify(8);
        app_close(&g);
    }
}

static stoa_status touch_declared(stoa_job *job, stoa_iter *it) {
    (void)it;
    guard_app *g = job->user;
    stoa_world *w = job->world;
    notes.wrong += stoa_get(w, g->e, Place) == NULL;
    notes.wrong += stoa_get_mut(w, g->e, Mood) == NULL;
    notes.wrong += stoa_get(w, g->e, Mood) == NULL;
    notes.wrong += stoa_set(w, g->e, Mood, {4}) != STOA_OK;
    notes.wrong += stoa_resource_mut(w, Settings) == NULL;
    notes.wrong += !stoa_has(w, g->e, Secret) || !stoa_alive(w, g->e);
    notes.wrong += stoa_commands_set(job->commands, g->e, Secret, {8}) != STOA_OK;
    call_note(job, stoa_get(w, g->e, Secret) != NULL, "reads component 'Secret'");
    call_note(job, stoa_get_mut(w, g->e, Place) != NULL, "writes component 'Place'");
    return STOA_OK;
}

/* SYS-14 SYS-02 */
static void systems_can_touch_what_they_declare(void **state) {
    (void)state;
    guard_app g;
    app_open(&g, 2);
    app_add(&g, (stoa_system_desc){.name = "honest",
                                   .run = touch_declared,
                                   .access = {STOA_READ(Place), STOA_WRITE(Mood)},
                                   .resources = {STOA_WRITE(Settings)}});
    assert_int_equal(stoa_app_step(g.app, 0.1), STOA_OK);
    calls_verify(2);
    assert_int_equal(stoa_get(g.world, g.e, Secret)->value, 8);
    app_close(&g);
}

static stoa_status touch_from_rows(stoa_job *job, stoa_iter *it) {
    const Place *places = stoa_field(it, Place, 0);
    notes.wrong += places == NULL;
    call_note(job, stoa_get_mut(job->world, it->entities[0], Place) != NULL,
              "writes component 'Place'");
    return STOA_OK;
}

/* SYS-14 SYS-06: each share of a system, on whatever thread it is worked. */
static void every_job_is_guarded(void **state) {
    (void)state;
    guard_app g;
    app_open(&g, 3);
    int32_t chunks = 0;
    stoa_query *q = stoa_query_new(g.world, &(stoa_query_desc){.terms = {STOA_READ(Place)}});
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        chunks++;
    }
    app_add(&g, (stoa_system_desc){.name = "rows",
                                   .each = touch_from_rows,
                                   .terms = {STOA_READ(Place)},
                                   .grain = 1 << 20});
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(stoa_app_step(g.app, 0.1), STOA_OK);
        calls_verify(i * chunks);
    }
    app_close(&g);
}

static stoa_status script_run(stoa_job *job, stoa_iter *it) {
    (void)it;
    guard_app *g = job->user;
    stoa_world *w = job->world;
    notes.wrong += stoa_get(w, g->e, Place) == NULL || stoa_get(w, g->e, Mood) == NULL;
    call_note(job, stoa_get(w, g->e, Secret) != NULL, "reads component 'Secret'");
    call_note(job, stoa_get_mut(w, g->e, Place) != NULL, "writes component 'Place'");
    call_note(job, stoa_resource(w, Settings) != NULL, "reads resource 'Settings'");
    return STOA_OK;
}

/* SYS-14 SYS-04 */
static void scripts_read_what_is_not_hidden(void **state) {
    (void)state;
    guard_app g;
    app_open(&g, 2);
    app_add(&g, (stoa_system_desc){.name = "script", .run = script_run, .script = true});
    assert_int_equal(stoa_app_step(g.app, 0.1), STOA_OK);
    calls_verify(3);
    app_close(&g);
}

static stoa_status exclusive_run(stoa_job *job, stoa_iter *it) {
    (void)it;
    guard_app *g = job->user;
    stoa_world *w = job->world;
    notes.wrong += stoa_get_mut(w, g->e, Place) == NULL || stoa_get(w, g->e, Secret) == NULL;
    notes.wrong += stoa_resource_mut(w, Settings) == NULL || stoa_hash(w) == 0;
    notes.wrong += stoa_remove(w, g->e, Secret) != STOA_OK;
    notes.wrong += stoa_resource_remove(w, Settings) != STOA_OK;
    return STOA_OK;
}

/* SYS-14 */
static void exclusive_systems_touch_everything(void **state) {
    (void)state;
    guard_app g;
    app_open(&g, 2);
    app_add(&g,
            (stoa_system_desc){.name = "all", .run = exclusive_run, .rule = STOA_THREAD_EXCLUSIVE});
    assert_int_equal(stoa_app_step(g.app, 0.1), STOA_OK);
    calls_verify(0);
    assert_false(stoa_has(g.world, g.e, Secret));
    app_close(&g);
}

/* A world for calls by one's own threads. */
typedef struct lanes_world {
    guarded_world allowed;
    stoa_world *world;
    stoa_entity e;
} lanes_world;

static void lane_touch(int32_t lane, void *data) {
    const lanes_world *l = data;
    stoa_guard guard = {l->world, "lane", guarded_allows, &l->allowed};
    const stoa_job job = {.system = "lane"};
    if (lane == 1) {
        stoa_guard_set(&guard);
        call_note(&job, stoa_get(l->world, l->e, Place) != NULL, "reads component 'Place'");
        stoa_guard_set(NULL);
    } else {
        notes.wrong += stoa_get(l->world, l->e, Place) == NULL;
    }
}

/* SYS-14: a guard is of its thread. */
static void guard_of_a_thread_is_none_of_another(void **state) {
    (void)state;
    support_heap heap = {0};
    lanes_world l = {.world = world_make(&heap)};
    l.e = stoa_create_with(l.world, STOA_VALUE(Place, {1}));
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 2});
    assert_non_null(pool);
    for (int i = 1; i <= 20; i++) {
        assert_int_equal(stoa_pool_run(pool, 2, lane_touch, &l), STOA_OK);
        calls_verify(i);
    }
    stoa_pool_free(pool);
    stoa_world_free(l.world);
    assert_int_equal(heap.bytes, 0);
}

static void row_touch(stoa_entity e, void *const *fields, void *user) {
    const lanes_world *l = user;
    const stoa_job job = {.system = "caller"};
    notes.wrong += fields[0] == NULL;
    call_note(&job, stoa_get_mut(l->world, e, Place) != NULL, "writes component 'Place'");
}

/* SYS-14 SYS-15: the threads that a guarded one calls in are guarded, too. */
static void threads_of_a_guarded_one_are_guarded(void **state) {
    (void)state;
    enum { ROWS = 5000 };
    support_heap heap = {0};
    lanes_world l = {.world = world_make(&heap)};
    assert_int_equal(stoa_create_bulk(l.world, ROWS, NULL, STOA_ZERO(Place)), STOA_OK);
    stoa_query *q = stoa_query_new(l.world, &(stoa_query_desc){.terms = {STOA_READ(Place)}});
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 2});
    l.allowed.reads = ~0ull;
    stoa_guard guard = {l.world, "caller", guarded_allows, &l.allowed};
    stoa_guard_set(&guard);
    assert_int_equal(stoa_query_each_parallel(q, pool, row_touch, &l), STOA_OK);
    assert_ptr_equal(stoa_guard_set(NULL), GUARDS ? &guard : NULL);
    calls_verify(ROWS);
    /* Not to be walked at all: nothing is called. */
    l.allowed.reads = 0;
    stoa_guard_set(&guard);
    stoa_status status = stoa_query_each_parallel(q, pool, row_touch, &l);
    stoa_guard_set(NULL);
    assert_int_equal(status, GUARDS ? STOA_ACCESS : STOA_OK);
    assert_int_equal(notes.refused + notes.worked, GUARDS ? ROWS : 2 * ROWS);
    assert_int_equal(stoa_check(l.world), STOA_OK);
    stoa_pool_free(pool);
    stoa_world_free(l.world);
    assert_int_equal(heap.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_cannot_touch_what_they_do_not_declare),
        cmocka_unit_test(systems_can_touch_what_they_declare),
        cmocka_unit_test(every_job_is_guarded),
        cmocka_unit_test(scripts_read_what_is_not_hidden),
        cmocka_unit_test(exclusive_systems_touch_everything),
        cmocka_unit_test(guard_of_a_thread_is_none_of_another),
        cmocka_unit_test(threads_of_a_guarded_one_are_guarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

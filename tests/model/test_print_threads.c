/* Printing on several threads at once, of one world that nobody changes and of worlds of their
 * own. Threads note what they see; the test looks at it when they are done. */
#include <pthread.h>

#include "model/print_fixture.h"

#define THREADS 4
#define ROUNDS 300

STOA_COMPONENT(Pair, {
    Position at;
    stoa_entity other;
});

/* Has the rest printed by description, so that the calls under way are looked at. */
static size_t position_print(const stoa_world *w, const void *value, char *buffer, size_t size,
                             void *user) {
    (void)user;
    char text[64];
    stoa_print_value(w, stoa_type_find(w, STOA_TYPE_OF(Position)), value, text, sizeof text);
    return (size_t)snprintf(buffer, size, "at %s", text);
}

static const stoa_printer_desc printer = {.type = STOA_TYPE_OF(Position), .call = position_print};

typedef struct watcher {
    const stoa_world *world;
    stoa_entity e;
    int wrong;
} watcher;

static const char *const whole = "1v1\n  Position at {x: 0.1, y: 2}\n"
                                 "  Pair {at: at {x: 1, y: 0.2}, other: 1v1}";

static stoa_entity world_fill(stoa_world *w) {
    stoa_printer_set(w, &printer);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {0.1f, 2}));
    stoa_set(w, e, Pair, {{1, 0.2f}, e});
    return e;
}

static void *shared_print(void *user) {
    watcher *s = user;
    char text[128];
    for (int i = 0; i < ROUNDS; i++) {
        s->wrong += stoa_describe(s->world, s->e, text, sizeof text) != strlen(whole);
        s->wrong += strcmp(text, whole) != 0;
    }
    return NULL;
}

static void *own_print(void *user) {
    watcher *s = user;
    stoa_world *w = stoa_world_new(NULL);
    s->world = w;
    s->e = world_fill(w);
    shared_print(s);
    s->wrong += stoa_printer_set(w, &printer) != STOA_OK;
    stoa_world_free(w);
    return NULL;
}

static void threads_run(void *(*work)(void *), watcher *watchers) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, &watchers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(watchers[i].wrong, 0);
    }
}

/* NAM-03 NAM-04 */
static void threads_print_one_world_side_by_side(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    watcher watchers[THREADS] = {{0}};
    stoa_entity e = world_fill(w);
    for (int i = 0; i < THREADS; i++) {
        watchers[i] = (watcher){.world = w, .e = e};
    }
    threads_run(shared_print, watchers);
    assert_int_equal(stoa_commands_fork(w, NULL, 0), STOA_OK);
    threads_run(shared_print, watchers);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
}

/* NAM-03 GEN-02 */
static void threads_print_worlds_of_their_own(void **state) {
    (void)state;
    watcher watchers[THREADS] = {{0}};
    threads_run(own_print, watchers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(threads_print_one_world_side_by_side),
        TEST(threads_print_worlds_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Misuse with nobody to tell: calls without a world, and a world without handlers.
 *
 * Without a world only the thread's last error tells. A world without on_assert stops a debug build
 * with a message. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });

static const stoa_entity live = {4, 1};
static const Position value = {1, 2};

/* The status of a call that gives something or nothing. */
static stoa_status given(bool something) {
    return something ? STOA_OK : stoa_last_error().status;
}

static stoa_status made(stoa_entity e) {
    return given(!stoa_entity_is_null(e));
}

#define NO_WORLD(name, expression)                                                                 \
    static stoa_status name(void) {                                                                \
        stoa_world *n = NULL;                                                                      \
        return expression;                                                                         \
    }

NO_WORLD(no_create, made(stoa_create(n)))
NO_WORLD(no_create_with, made(stoa_create_with(n, STOA_ZERO(Position))))
NO_WORLD(no_bulk, stoa_create_bulk(n, 2, NULL, STOA_ZERO(Position)))
NO_WORLD(no_destroy, stoa_destroy(n, live))
NO_WORLD(no_clear, stoa_clear(n, live))
NO_WORLD(no_clone, made(stoa_clone(n, live)))
NO_WORLD(no_reserve, stoa_reserve(n, 2, STOA_ZERO(Position)))
NO_WORLD(no_compact, stoa_compact(n))
NO_WORLD(no_check, stoa_check(n))
NO_WORLD(no_get, given(stoa_get(n, live, Position) != NULL))
NO_WORLD(no_get_mut, given(stoa_get_mut(n, live, Position) != NULL))
NO_WORLD(no_get_id, given(stoa_get_id(n, live, 1) != NULL))
NO_WORLD(no_get_mut_id, given(stoa_get_mut_id(n, live, 1) != NULL))
NO_WORLD(no_get_named, given(stoa_get_named(n, live, "Position") != NULL))
NO_WORLD(no_set, stoa_set(n, live, Position, {1, 2}))
NO_WORLD(no_set_id, stoa_set_id(n, live, 1, &value, sizeof value))
NO_WORLD(no_set_named, stoa_set_named(n, live, "Position", &value, sizeof value))
NO_WORLD(no_add, stoa_add(n, live, Position))
NO_WORLD(no_add_id, stoa_add_id(n, live, 1))
NO_WORLD(no_add_named, stoa_add_named(n, live, "Position"))
NO_WORLD(no_remove, stoa_remove(n, live, Position))
NO_WORLD(no_remove_id, stoa_remove_id(n, live, 1))
NO_WORLD(no_remove_named, stoa_remove_named(n, live, "Position"))
NO_WORLD(no_change, stoa_change(n, live, STOA_ZERO(Position)))
NO_WORLD(no_register, given(stoa_component_register(n, &(stoa_component_desc){0}) != 0))
NO_WORLD(no_id, given(stoa_id(n, Position) != 0))
NO_WORLD(no_name, given(stoa_component_name(n, 1) != NULL))
NO_WORLD(no_info, stoa_component_info_get(n, 1, &(stoa_component_info){0}))
NO_WORLD(no_enum, given(stoa_component_enum(n, 1, NULL) != NULL))
NO_WORLD(no_archetypes, stoa_archetype_info_get(n, 0, &(stoa_archetype_info){0}))
NO_WORLD(no_archetype_of, given(stoa_archetype_of(n, live) >= 0))
NO_WORLD(no_chunks, stoa_chunk_info_get(n, 0, 0, &(stoa_chunk_info){0}))
NO_WORLD(no_column, given(stoa_chunk_column(n, 0, 0, 1) != NULL))
NO_WORLD(no_query, given(stoa_query_new(n, &(stoa_query_desc){0}) != NULL))
NO_WORLD(no_parse, given(stoa_query_parse(n, "Position") != NULL))
NO_WORLD(no_once_count, given(stoa_query_once_count(n, &(stoa_query_desc){0}) >= 0))
NO_WORLD(no_ref, stoa_ref_set(stoa_ref_of(n, live), Position, {1, 2}))

/* GEN-05 GEN-03 */
static void null_world_is_refused_by_every_call(void **state) {
    (void)state;
    static stoa_status (*const calls[])(void) = {
        no_create,       no_create_with, no_bulk,   no_destroy,   no_clear,        no_clone,
        no_reserve,      no_compact,     no_check,  no_get,       no_get_mut,      no_get_id,
        no_get_mut_id,   no_get_named,   no_set,    no_set_id,    no_set_named,    no_add,
        no_add_id,       no_add_named,   no_remove, no_remove_id, no_remove_named, no_change,
        no_register,     no_id,          no_name,   no_info,      no_enum,         no_archetypes,
        no_archetype_of, no_chunks,      no_column, no_query,     no_parse,        no_once_count,
        no_ref,
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        stoa_error_clear();
        stoa_status status = calls[i]();
        if (status != STOA_NULL_ARGUMENT || stoa_last_error().status != STOA_NULL_ARGUMENT) {
            fail_msg("call %zu: status %d", i, (int)status);
        }
        support_assert_message("world");
    }
    stoa_error_clear();
    assert_false(stoa_alive(NULL, live));
    assert_false(stoa_has(NULL, live, Position));
    assert_false(stoa_has_id(NULL, live, 1));
    assert_false(stoa_has_named(NULL, live, "Position"));
    assert_null(stoa_try_get(NULL, live, Position));
    assert_null(stoa_try_get_id(NULL, live, 1));
    assert_int_equal(stoa_count(NULL), 0);
    assert_true(stoa_entity_is_null(stoa_entity_next(NULL, live)));
    assert_int_equal(stoa_component_count(NULL), 0);
    assert_int_equal(stoa_component_find(NULL, "Position"), 0);
    assert_int_equal(stoa_type_find(NULL, STOA_TYPE_OF(Position)), 0);
    assert_int_equal(stoa_archetype_count(NULL), 0);
    assert_int_equal(stoa_stats(NULL).entities, 0);
    assert_int_equal(stoa_last_error().status, STOA_OK);
}

/* Runs in a process of its own: misuses a world that has no handlers. */
static void child_misuse(void) {
    int sink = open("/dev/null", O_WRONLY);
    if (sink >= 0) {
        dup2(sink, STDERR_FILENO);
    }
    stoa_world *w = stoa_world_new(NULL);
    stoa_status status = stoa_destroy(w, live);
    stoa_world_free(w);
    _exit(status == STOA_DEAD ? 7 : 8);
}

/* GEN-03 */
static void misuse_without_a_handler_stops_a_debug_build(void **state) {
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        child_misuse();
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
#ifdef STOA_DEBUG
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
#else
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
#endif
}

/* GEN-03: circumstance is no misuse, and stops nothing. */
static void circumstance_without_a_handler_is_only_a_status(void **state) {
    (void)state;
    support_heap heap = {.bytes = 0};
    stoa_allocator allocator = support_allocator(&heap);
    stoa_world *w = stoa_world_new(&(stoa_world_desc){.allocator = &allocator});
    assert_int_equal(stoa_add_named(w, stoa_create(w), "Nobody"), STOA_NOT_FOUND);
    heap.fail_at = 1;
    assert_true(stoa_entity_is_null(stoa_create_with(w, STOA_ZERO(Position))));
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    stoa_world_free(w);
    assert_int_equal(heap.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_world_is_refused_by_every_call),
        cmocka_unit_test(misuse_without_a_handler_stops_a_debug_build),
        cmocka_unit_test(circumstance_without_a_handler_is_only_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Lists of buffers: forking them over and over, lists with something wrong in them, and flushing
 * all of a list. */
#include "commands_types.h"
#include "world/commands_buffer.h"

#define BUFFERS 6

static void buffers_make(stoa_world *w, stoa_commands **buffers) {
    for (int i = 0; i < BUFFERS; i++) {
        buffers[i] = stoa_commands_new(w);
        assert_non_null(buffers[i]);
    }
}

/* One frame: every buffer creates so many, in a world that is forked. */
static void frame_run(stoa_world *w, stoa_commands **buffers, int32_t count, int creations) {
    assert_int_equal(stoa_commands_fork(w, buffers, count), STOA_OK);
    for (int32_t i = 0; i < count; i++) {
        for (int k = 0; k < creations; k++) {
            stoa_entity e = stoa_commands_create_with(buffers[i], STOA_VALUE(Health, {k}));
            assert_int_equal(stoa_commands_destroy(buffers[i], e), STOA_OK);
        }
    }
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    int32_t done = 0;
    assert_int_equal(stoa_commands_flush_all(buffers, count, &done), STOA_OK);
    assert_int_equal(done, count);
}

/* CMD-05 CMD-06: nor does a frame with fewer buffers. */
static void forking_needs_no_memory_once_warm(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[BUFFERS];
    buffers_make(w, buffers);
    for (int i = 0; i < 3; i++) {
        frame_run(w, buffers, BUFFERS, 100);
    }
    size_t allocations = s->heap.allocations, bytes = s->heap.bytes;
    for (int i = 0; i < 5; i++) {
        frame_run(w, buffers, BUFFERS, 100);
        frame_run(w, buffers, 2, 100);
        frame_run(w, buffers, 0, 0);
    }
    assert_int_equal(s->heap.allocations, allocations);
    assert_int_equal(s->heap.bytes, bytes);
    assert_int_equal(w->storage.reserved_count, 0);
    /* A list that is longer than any before. */
    stoa_commands *more[BUFFERS + 1];
    memcpy(more, buffers, sizeof buffers);
    more[BUFFERS] = stoa_deferred(w);
    frame_run(w, more, BUFFERS + 1, 1);
}

/* CMD-06 ENT-04: a buffer that creates now and then does not extend the table each time. */
static void table_stays_as_it_is_for_now_and_then(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[BUFFERS];
    buffers_make(w, buffers);
    uint32_t before = 0;
    for (int i = 0; i < 600; i++) {
        frame_run(w, buffers, BUFFERS, i % 3 == 0 ? 20 + i % 7 : 0);
        if (i == 300) {
            before = w->storage.head.record_count;
        }
    }
    assert_int_equal(w->storage.head.record_count, before);
    assert_true(before < 20000);
    assert_int_equal(stoa_count(w), 0);
}

/* A refused fork has marked no buffer and holds no handle. */
static void refused_verify(support_world *s, stoa_commands **list, int32_t count,
                           stoa_commands **all) {
    stoa_world *w = s->world;
    assert_int_not_equal(stoa_commands_fork(w, list, count), STOA_OK);
    s->asserts_seen = s->asserts;
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(w->storage.reserved_count, 0);
    assert_int_equal(w->storage.head.open, 0);
    for (int i = 0; i < BUFFERS; i++) {
        if (all[i] != NULL) {
            assert_false(stoa__commands_forked(all[i]));
            assert_int_equal(all[i]->handle_count, 0);
        }
    }
}

/* CMD-06 GEN-03 GEN-05: wherever in the list it is. */
static void refused_forks_leave_nothing_behind(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    support_world foreign;
    support_world_open(&foreign);
    stoa_commands *buffers[BUFFERS], *list[BUFFERS];
    buffers_make(w, buffers);
    /* So that they want handles. */
    frame_run(w, buffers, BUFFERS, 70);
    for (int at = 0; at < BUFFERS; at++) {
        memcpy(list, buffers, sizeof list);
        list[at] = NULL;
        refused_verify(s, list, BUFFERS, buffers);
        list[at] = stoa_deferred(foreign.world);
        refused_verify(s, list, BUFFERS, buffers);
        assert_false(stoa__commands_forked(stoa_deferred(foreign.world)));
        list[at] = buffers[(at + 1) % BUFFERS];
        refused_verify(s, list, BUFFERS, buffers);
    }
#ifdef STOA_DEBUG
    stoa_commands *gone = buffers[2];
    assert_int_equal(stoa_commands_free(gone), STOA_OK);
    memcpy(list, buffers, sizeof list);
    buffers[2] = NULL;
    refused_verify(s, list, BUFFERS, buffers);
    assert_int_equal(stoa_last_error().status, STOA_FREED);
    memmove(&buffers[2], &buffers[3], 3 * sizeof *buffers);
    frame_run(w, buffers, BUFFERS - 1, 70);
#else
    frame_run(w, buffers, BUFFERS, 70);
#endif
    support_world_close(&foreign);
}

/* GEN-03 GEN-04: whichever allocation fails. */
static void forks_out_of_memory_leave_nothing_behind(void **state) {
    (void)state;
    int failures = 0;
    for (size_t fail = 1; fail < 12; fail++) {
        support_world s;
        support_world_open(&s);
        stoa_commands *buffers[BUFFERS];
        buffers_make(s.world, buffers);
        frame_run(s.world, buffers, 3, 40);
        stoa_compact(s.world);
        uint32_t held = s.world->storage.reserved_count;
        s.heap.fail_at = fail;
        stoa_status status = stoa_commands_fork(s.world, buffers, BUFFERS);
        s.heap.fail_at = 0;
        if (status != STOA_OK) {
            failures++;
            assert_int_equal(status, STOA_NO_MEMORY);
            assert_int_equal(stoa_check(s.world), STOA_OK);
            assert_int_equal(s.world->storage.reserved_count, held);
            for (int i = 0; i < BUFFERS; i++) {
                assert_false(stoa__commands_forked(buffers[i]));
            }
            assert_int_equal(stoa_destroy(s.world, stoa_create(s.world)), STOA_OK);
        } else {
            assert_int_equal(stoa_commands_join(s.world), STOA_OK);
        }
        frame_run(s.world, buffers, BUFFERS, 40);
        support_world_close(&s);
    }
    assert_true(failures >= 2);
}

static void hook_fork(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e, (void)value;
    assert_int_equal(stoa_commands_fork(w, user, BUFFERS), STOA_LOCKED);
    int32_t done = 0;
    stoa_commands_add(((stoa_commands **)user)[0], e, Frozen);
    assert_int_equal(stoa_commands_flush_all(user, BUFFERS, &done), STOA_LOCKED);
    assert_int_equal(done, 0);
}

/* CMD-06 HOK-03 */
static void hooks_cannot_fork_or_flush(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[BUFFERS];
    buffers_make(w, buffers);
    stoa_on_add(w, Health, hook_fork, buffers);
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Health));
    s->asserts_seen = s->asserts;
    assert_int_equal(stoa_commands_count(buffers[0]), 1);
    int32_t done = 0;
    assert_int_equal(stoa_commands_flush_all(buffers, BUFFERS, &done), STOA_OK);
    assert_true(stoa_has(w, e, Frozen));
}

/* CMD-02: in the order of the list, also what is listed twice. */
static void buffers_are_flushed_in_order(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[BUFFERS];
    buffers_make(w, buffers);
    stoa_entity e = stoa_create(w);
    for (int i = 0; i < BUFFERS; i++) {
        stoa_commands_set(buffers[i], e, Health, {i});
    }
    stoa_commands *order[] = {buffers[4], buffers[0], buffers[4], buffers[3]};
    int32_t done = 0;
    assert_int_equal(stoa_commands_flush_all(order, 4, &done), STOA_OK);
    assert_int_equal(done, 4);
    assert_int_equal(stoa_get(w, e, Health)->points, 3);
    assert_int_equal(stoa_commands_count(buffers[1]), 1);
    /* From the middle on; past the end there is nothing. */
    done = 2;
    assert_int_equal(stoa_commands_flush_all(buffers, BUFFERS, &done), STOA_OK);
    assert_int_equal(stoa_get(w, e, Health)->points, 5);
    assert_int_equal(stoa_commands_count(buffers[1]), 1);
    done = 9;
    assert_int_equal(stoa_commands_flush_all(buffers, BUFFERS, &done), STOA_OK);
    assert_int_equal(done, 9);
    assert_int_equal(stoa_commands_count(buffers[1]), 1);
    support_assert_quiet(s);
}

/* GEN-03 GEN-04: the first that fails stays the next to be done. */
static void failed_flush_of_a_list_can_go_on(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[BUFFERS];
    buffers_make(w, buffers);
    stoa_entity e = stoa_create(w);
    stoa_commands_set(buffers[0], e, Health, {1});
    stoa_commands_set(buffers[2], e, Mood, {2});
    stoa_commands_set(buffers[3], e, Health, {3});
    stoa_id(w, Mood);
    stoa_set(w, e, Health, {0});
    int32_t done = 0;
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_int_equal(stoa_commands_flush_all(buffers, BUFFERS, &done), STOA_NO_MEMORY);
    s->heap.fail_at = 0;
    s->heap.fail_forever = false;
    assert_int_equal(done, 2);
    assert_int_equal(stoa_get(w, e, Health)->points, 1);
    assert_int_equal(stoa_commands_count(buffers[2]), 1);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_commands_flush_all(buffers, BUFFERS, &done), STOA_OK);
    assert_int_equal(done, BUFFERS);
    assert_int_equal(stoa_get(w, e, Health)->points, 3);
    assert_int_equal(stoa_get(w, e, Mood)->value, 2);
}

/* GEN-05 */
static void bad_lists_are_not_flushed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[BUFFERS], *none = NULL;
    buffers_make(w, buffers);
    int32_t done = 0;
    assert_int_equal(stoa_commands_flush_all(buffers, 1, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_flush_all(NULL, 1, &done), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_flush_all(NULL, 0, &done), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_flush_all(&none, 1, &done), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_flush_all(buffers, -1, &done), STOA_INVALID);
    assert_int_equal(done, 0);
    done = -1;
    assert_int_equal(stoa_commands_flush_all(buffers, BUFFERS, &done), STOA_INVALID);
    assert_int_equal(done, -1);
    done = 0;
    /* A forked buffer is refused, though there is nothing in it. */
    assert_int_equal(stoa_commands_fork(w, &buffers[1], 1), STOA_OK);
    support_assert_misuse(s, stoa_commands_flush_all(buffers, BUFFERS, &done), STOA_FORKED);
    assert_int_equal(done, 1);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
#ifdef STOA_DEBUG
    assert_int_equal(stoa_commands_free(buffers[3]), STOA_OK);
    support_assert_misuse(s, stoa_commands_flush_all(buffers, BUFFERS, &done), STOA_FREED);
    assert_int_equal(done, 3);
#endif
}

int main(void) {
#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        WITH_WORLD(forking_needs_no_memory_once_warm),
        WITH_WORLD(table_stays_as_it_is_for_now_and_then),
        WITH_WORLD(refused_forks_leave_nothing_behind),
        cmocka_unit_test(forks_out_of_memory_leave_nothing_behind),
        WITH_WORLD(hooks_cannot_fork_or_flush),
        WITH_WORLD(buffers_are_flushed_in_order),
        WITH_WORLD(failed_flush_of_a_list_can_go_on),
        WITH_WORLD(bad_lists_are_not_flushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

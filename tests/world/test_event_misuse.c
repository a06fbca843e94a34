/* Events, misused and without memory. */
#include "world/event_fixture.h"

static void nothing_hear(stoa_world *world, const stoa_event *event, void *user) {
    (void)world;
    (void)event;
    if (user != NULL) {
        ++*(int *)user;
    }
}

static stoa_status listener_status(stoa_listener listener) {
    return listener.id == 0 ? stoa_last_error().status : STOA_OK;
}

static stoa_status reader_status(const stoa_reader *reader) {
    return reader == NULL ? stoa_last_error().status : STOA_OK;
}

/* EVT-01 GEN-03 */
static void dead_target_gets_nothing(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create(s->world);
    stoa_destroy(s->world, e);
    assert_int_equal(stoa_event_send_to(s->world, e, Hit, {1}), STOA_DEAD);
    assert_int_equal(stoa_type_find(s->world, STOA_TYPE_OF(Hit)), 0);
    s->asserts_seen = s->asserts;
    int calls = 0;
    stoa_event_listen(s->world, Box, nothing_hear, &calls);
    stoa_reader *reader = stoa_reader_new(s->world, Box);
    const stoa_entity dead[] = {e, {e.index, e.generation + 1}, {0, 1}, {UINT32_MAX, 1}};
    for (int i = 0; i < 4; i++) {
        support_assert_misuse(s, box_send(s->world, dead[i], 1), STOA_DEAD);
    }
    assert_int_equal(calls, 0);
    assert_int_equal(stoa_reader_count(reader), 0);
    stoa_listener_desc desc = {.type = STOA_TYPE_OF(Hit), .target = e, .call = nothing_hear};
    support_assert_misuse(s, listener_status(stoa_listener_new(s->world, &desc)), STOA_DEAD);
    support_assert_message("entity 1v1 is dead");
}

/* GEN-05 */
static void bad_arguments_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Hit);
    Hit hit = {1};
    support_assert_misuse(s, stoa_event_send_id(w, STOA_NULL, id, &hit, 8), STOA_INVALID);
    support_assert_message("event 'Hit' has 4 bytes, the value 8");
    support_assert_misuse(s, stoa_event_send_id(w, STOA_NULL, id, NULL, 4), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_event_send_type(w, STOA_NULL, STOA_TYPE_OF(Hit), NULL),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_event_send_type(w, STOA_NULL, NULL, &hit), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, listener_status(stoa_listener_new(w, NULL)), STOA_NULL_ARGUMENT);
    stoa_listener_desc desc = {.component = id};
    support_assert_misuse(s, listener_status(stoa_listener_new(w, &desc)), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, listener_status(stoa_listener_type(w, NULL, nothing_hear, NULL)),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, reader_status(stoa_reader_new_type(w, NULL)), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_event_limit(w, Hit, 0), STOA_INVALID);
    support_assert_misuse(s, stoa_event_limit(w, Hit, -3), STOA_INVALID);
    support_assert_message("a limit of -3 events of 'Hit'");
    const stoa_component unknown[] = {0, id + 1, UINT32_MAX};
    for (int i = 0; i < 3; i++) {
        desc = (stoa_listener_desc){.component = unknown[i], .call = nothing_hear};
        support_assert_misuse(s, stoa_event_send_id(w, STOA_NULL, unknown[i], &hit, 4),
                              STOA_UNKNOWN);
        support_assert_misuse(s, listener_status(stoa_listener_new(w, &desc)), STOA_UNKNOWN);
        support_assert_misuse(s, reader_status(stoa_reader_new_id(w, unknown[i])), STOA_UNKNOWN);
        support_assert_misuse(s, stoa_event_limit_id(w, unknown[i], 5), STOA_UNKNOWN);
    }
    assert_int_equal(stoa_event_send_id(NULL, STOA_NULL, id, &hit, 4), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_event_send(NULL, Hit, {1}), STOA_NULL_ARGUMENT);
    assert_int_equal(listener_status(stoa_event_listen(NULL, Hit, nothing_hear, NULL)),
                     STOA_NULL_ARGUMENT);
    assert_int_equal(reader_status(stoa_reader_new(NULL, Hit)), STOA_NULL_ARGUMENT);
    assert_int_equal(reader_status(stoa_reader_new_id(NULL, id)), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_event_limit(NULL, Hit, 5), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_event_limit_id(NULL, id, 5), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_listener_remove(NULL, (stoa_listener){1}), STOA_NULL_ARGUMENT);
}

/* GEN-05 */
static void null_reader_has_nothing(void **state) {
    support_world *s = *state;
    stoa_event event;
    assert_false(stoa_event_read(NULL, &event));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_reader_count(NULL), 0);
    assert_int_equal(stoa_reader_lost(NULL), 0);
    assert_int_equal(stoa_reader_free(NULL), STOA_OK);
    stoa_reader *reader = stoa_reader_new(s->world, Hit);
    stoa_event_send(s->world, Hit, {1});
    support_assert_misuse(s, stoa_event_read(reader, NULL) ? STOA_OK : stoa_last_error().status,
                          STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_reader_count(reader), 1);
}

/* EVT-01 */
static void listener_that_is_not_there_is_not_found(void **state) {
    support_world *s = *state;
    assert_int_equal(stoa_listener_remove(s->world, (stoa_listener){1}), STOA_NOT_FOUND);
    stoa_listener a = stoa_event_listen(s->world, Hit, nothing_hear, NULL);
    stoa_listener b = stoa_event_listen(s->world, Hit, nothing_hear, NULL);
    assert_int_not_equal(a.id, b.id);
    assert_int_equal(stoa_listener_remove(s->world, (stoa_listener){0}), STOA_NOT_FOUND);
    assert_int_equal(stoa_listener_remove(s->world, (stoa_listener){b.id + 1}), STOA_NOT_FOUND);
    support_assert_message("there is no listener with the id 3");
    assert_int_equal(stoa_listener_remove(s->world, a), STOA_OK);
    assert_int_equal(stoa_listener_remove(s->world, a), STOA_NOT_FOUND);
    assert_int_equal(stoa_listener_remove(s->world, b), STOA_OK);
    stoa_listener c = stoa_event_listen(s->world, Hit, nothing_hear, NULL);
    assert_true(c.id > b.id);
    support_assert_quiet(s);
}

/* CMP-04 */
static void name_of_another_description_is_a_conflict(void **state) {
    support_world *s = *state;
    stoa_component_register(s->world, &(stoa_component_desc){.name = "Hit", .size = 64});
    assert_int_equal(stoa_event_send(s->world, Hit, {1}), STOA_CONFLICT);
    assert_int_equal(listener_status(stoa_event_listen(s->world, Hit, nothing_hear, NULL)),
                     STOA_CONFLICT);
    assert_int_equal(reader_status(stoa_reader_new(s->world, Hit)), STOA_CONFLICT);
    assert_int_equal(stoa_event_limit(s->world, Hit, 5), STOA_CONFLICT);
}

/* An event whose hooks call the world. */
typedef struct meddler {
    support_world *s;
    stoa_component id;
    stoa_reader *reader;
    int drops;
} meddler;

static void meddler_call(meddler *m) {
    support_world *s = m->s;
    stoa_event event;
    uint64_t value = 1;
    support_assert_misuse(s, stoa_event_send_id(s->world, STOA_NULL, m->id, &value, sizeof value),
                          STOA_LOCKED);
    support_assert_message("a value of event 'Meddler' is being moved or dropped");
    support_assert_misuse(s, reader_status(stoa_reader_new_id(s->world, m->id)), STOA_LOCKED);
    support_assert_misuse(s, stoa_event_limit_id(s->world, m->id, 1), STOA_LOCKED);
    if (m->reader != NULL) {
        support_assert_misuse(s, stoa_reader_free(m->reader), STOA_LOCKED);
        support_assert_misuse(
            s, stoa_event_read(m->reader, &event) ? STOA_OK : stoa_last_error().status,
            STOA_LOCKED);
    }
}

static void meddler_drop(void *items, int32_t count, void *user) {
    (void)items;
    (void)count;
    meddler *m = user;
    m->drops++;
    meddler_call(m);
}

static void meddler_move(void *to, void *from, int32_t count, void *user) {
    memcpy(to, from, (size_t)count * sizeof(uint64_t));
    meddler_call(user);
}

/* GEN-05 */
static void hooks_of_a_value_cannot_touch_its_queue(void **state) {
    support_world *s = *state;
    meddler m = {.s = s};
    stoa_component_desc desc = {.name = "Meddler",
                                .size = sizeof(uint64_t),
                                .alignment = _Alignof(uint64_t),
                                .hooks = {.drop = meddler_drop, .move = meddler_move, .user = &m}};
    m.id = stoa_component_register(s->world, &desc);
    stoa_reader *reader = m.reader = stoa_reader_new_id(s->world, m.id);
    for (uint64_t i = 0; i < 20; i++) {
        assert_int_equal(stoa_event_send_id(s->world, STOA_NULL, m.id, &i, sizeof i), STOA_OK);
    }
    stoa_event event;
    for (uint64_t i = 0; i < 10; i++) {
        assert_true(stoa_event_read(reader, &event));
        assert_int_equal(*(const uint64_t *)event.data, i);
    }
    assert_int_equal(m.drops, 9);
    m.reader = NULL; /* gone while its last events are dropped */
    assert_int_equal(stoa_reader_free(reader), STOA_OK);
    assert_int_equal(m.drops, 20);
}

static stoa_status late_statuses[3];

static void late_free(void *user) {
    stoa_world *w = ((support_world *)user)->world;
    late_statuses[0] = listener_status(stoa_event_listen(w, Hit, nothing_hear, NULL));
    late_statuses[1] = reader_status(stoa_reader_new(w, Hit));
    late_statuses[2] = stoa_event_limit(w, Hit, 3);
    box_send(w, STOA_NULL, 1);
}

/* GEN-05 GEN-06 */
static void world_that_is_freed_takes_nothing_new(void **state) {
    (void)state;
    support_world s;
    support_world_open(&s);
    stoa_reader_new(s.world, Box);
    stoa_listener_desc desc = {
        .type = STOA_TYPE_OF(Hit), .call = nothing_hear, .user = &s, .user_free = late_free};
    assert_int_not_equal(stoa_listener_new(s.world, &desc).id, 0);
    support_world_close(&s);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(late_statuses[i], STOA_FREED);
    }
    assert_int_equal(boxes, 0);
}

/* CMD-06 */
static void events_rest_while_threads_record(void **state) {
    support_world *s = *state;
    stoa_reader *reader = stoa_reader_new(s->world, Hit);
    stoa_listener l = stoa_event_listen(s->world, Hit, nothing_hear, NULL);
    stoa_event_send(s->world, Hit, {1});
    stoa_reader *alarms = stoa_reader_new(s->world, Alarm); /* with nobody who listens */
    stoa_event_send(s->world, Alarm, {0});
    stoa_commands *buffer = stoa_commands_new(s->world);
    assert_int_equal(stoa_commands_fork(s->world, &buffer, 1), STOA_OK);
    stoa_event event;
    support_assert_misuse(s, stoa_event_send(s->world, Hit, {2}), STOA_FORKED);
    support_assert_misuse(s, stoa_event_send(s->world, Alarm, {0}), STOA_FORKED);
    support_assert_misuse(s, stoa_listener_remove(s->world, l), STOA_FORKED);
    support_assert_misuse(s, reader_status(stoa_reader_new(s->world, Hit)), STOA_FORKED);
    support_assert_misuse(s, stoa_reader_free(reader), STOA_FORKED);
    support_assert_misuse(s, stoa_event_limit(s->world, Hit, 1), STOA_FORKED);
    support_assert_misuse(s, listener_status(stoa_event_listen(s->world, Hit, nothing_hear, NULL)),
                          STOA_FORKED);
    /* Reading is left to them, each with a reader of its own. */
    assert_true(stoa_event_read(reader, &event));
    assert_int_equal(((const Hit *)event.data)->damage, 1);
    assert_false(stoa_event_read(reader, &event));
    assert_int_equal(stoa_commands_join(s->world), STOA_OK);
    assert_false(stoa_event_read(reader, &event));
    assert_int_equal(stoa_reader_count(alarms), 1);
    assert_int_equal(stoa_listener_remove(s->world, l), STOA_OK);
}

/* GEN-03 GEN-04 */
static void send_without_memory_changes_nothing(void **state) {
    support_world *s = *state;
    int calls = 0;
    stoa_event_listen(s->world, Box, nothing_hear, &calls);
    stoa_reader *reader = stoa_reader_new(s->world, Box);
    uint32_t failures = 0;
    for (int32_t i = 0; i < 100; i++) {
        for (size_t at = 1;; at++) {
            s->heap.fail_at = at;
            stoa_status status = box_send(s->world, STOA_NULL, i);
            s->heap.fail_at = 0;
            if (status == STOA_OK) {
                break;
            }
            failures++;
            assert_int_equal(status, STOA_NO_MEMORY);
            assert_int_equal(calls, i);
            assert_int_equal(stoa_reader_count(reader), i);
            assert_int_equal(boxes, i);
            assert_int_equal(stoa_check(s->world), STOA_OK);
        }
    }
    assert_true(failures >= 6);
    for (int32_t i = 0; i < 100; i++) {
        assert_int_equal(box_read(reader), i);
    }
    support_assert_quiet(s);
}

/* GEN-03 GEN-04 */
static void listeners_and_readers_without_memory_are_not_made(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create(s->world);
    const stoa_entity targets[] = {STOA_NULL, e};
    uint32_t failures = 0;
    for (int i = 0; i < 60; i++) {
        stoa_listener_desc desc = {.type = i < 30 ? STOA_TYPE_OF(Hit) : STOA_TYPE_OF(Box),
                                   .target = targets[i % 2],
                                   .call = nothing_hear};
        for (size_t at = 1;; at++) {
            uint32_t count = s->world->events.listener_count;
            s->heap.fail_at = at;
            stoa_listener listener = stoa_listener_new(s->world, &desc);
            s->heap.fail_at = 0;
            if (listener.id != 0) {
                break;
            }
            failures++;
            assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
            assert_int_equal(s->world->events.listener_count, count);
            assert_int_equal(stoa_check(s->world), STOA_OK);
        }
    }
    assert_true(failures > 60);
    for (size_t at = 1; at < 10; at++) {
        s->heap.fail_at = at;
        stoa_reader *reader = stoa_reader_new(s->world, Large);
        bool refused = s->heap.fail_at == 0;
        s->heap.fail_at = 0;
        /* What only makes look-ups quicker may be missing. */
        assert_true(reader != NULL || refused);
        assert_int_equal(stoa_check(s->world), STOA_OK);
    }
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
    s->heap.fail_at = 0;
    assert_int_equal(s->world->events.target_count, 0);
    support_assert_quiet(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_EVENTS(dead_target_gets_nothing),
        WITH_EVENTS(bad_arguments_are_refused),
        WITH_EVENTS(null_reader_has_nothing),
        WITH_EVENTS(listener_that_is_not_there_is_not_found),
        WITH_EVENTS(name_of_another_description_is_a_conflict),
        WITH_EVENTS(hooks_of_a_value_cannot_touch_its_queue),
        WITH_EVENTS(world_that_is_freed_takes_nothing_new),
        WITH_EVENTS(events_rest_while_threads_record),
        WITH_EVENTS(send_without_memory_changes_nothing),
        WITH_EVENTS(listeners_and_readers_without_memory_are_not_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

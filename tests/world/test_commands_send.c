/* Events that are sent by commands: when they come, to whom, and what becomes of their values. */
#include "event_fixture.h"

#include "world/commands_buffer.h"

STOA_COMPONENT(Health, { int32_t points; });
STOA_COMPONENT(Late, { int32_t number; });

/* Records that a box is sent; one that is refused is still the caller's. */
static stoa_status box_record(stoa_commands *c, stoa_entity target, int32_t number) {
    Box box;
    box_fill(&box, number);
    stoa_status status = stoa_commands_send_type(c, target, STOA_TYPE_OF(Box), &box);
    if (status != STOA_OK) {
        assert_int_equal(*box.number, number);
        box_drop(&box, 1, NULL);
    }
    assert_null(box.self);
    return status;
}

/* What a listener saw of its target when it was called. */
typedef struct sight {
    int calls;
    int32_t points[16]; /* of the target, -1 without, -2 for the world, -3 for the dead */
    int32_t damage[16];
} sight;

static void sight_hear(stoa_world *w, const stoa_event *event, void *user) {
    sight *seen = user;
    assert_true(seen->calls < 16);
    const Health *health = stoa_try_get(w, event->target, Health);
    seen->points[seen->calls] = health != NULL                       ? health->points
                                : stoa_entity_is_null(event->target) ? -2
                                : stoa_alive(w, event->target)       ? -1
                                                                     : -3;
    seen->damage[seen->calls++] = ((const Hit *)event->data)->damage;
}

/* CMD-02 CMD-07 EVT-01: between the commands before and those after, merged or not. */
static void events_come_in_the_order_of_commands(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    for (int merge = 0; merge < 2; merge++) {
        stoa__commands_merge(w, merge == 1);
        sight seen = {0};
        stoa_listener ear = stoa_event_listen(w, Hit, sight_hear, &seen);
        stoa_commands *c = stoa_deferred(w);
        stoa_entity e = stoa_create(w);
        stoa_commands_set(c, e, Health, {1});
        stoa_commands_set(c, e, Health, {2});
        stoa_commands_send_to(c, e, Hit, {10});
        stoa_commands_set(c, e, Health, {3});
        stoa_commands_send_to(c, e, Hit, {11});
        stoa_commands_send(c, Hit, {12});
        stoa_commands_remove(c, e, Health);
        stoa_commands_send_to(c, e, Hit, {13});
        stoa_entity made = stoa_commands_create_with(c, STOA_VALUE(Health, {7}));
        stoa_commands_send_to(c, made, Hit, {14});
        stoa_commands_destroy(c, made);
        stoa_commands_send_to(c, made, Hit, {15});
        assert_int_equal(stoa_commands_count(c), 12);
        assert_int_equal(seen.calls, 0);
        int64_t skipped = stoa_commands_skipped(c);
        assert_int_equal(stoa_flush(w), STOA_OK);
        assert_int_equal(stoa_commands_skipped(c) - skipped, 1);
        static const int32_t points[] = {2, 3, -2, -1, 7};
        assert_int_equal(seen.calls, 5);
        for (int i = 0; i < 5; i++) {
            assert_int_equal(seen.points[i], points[i]);
            assert_int_equal(seen.damage[i], 10 + i);
        }
        assert_int_equal(stoa_listener_remove(w, ear), STOA_OK);
    }
    support_assert_quiet(s);
}

/* EVT-01: to one entity, by type and by id. */
static void events_reach_their_target_alone(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity a = stoa_create(w), b = stoa_create(w);
    notes heard = {0};
    hearer at_a = ear_make(&heard, 'a'), at_b = ear_make(&heard, 'b'), all = ear_make(&heard, '.');
    ear_open(w, &at_a, a);
    ear_open(w, &at_b, b);
    ear_open(w, &all, STOA_NULL);
    stoa_commands *c = stoa_commands_new(w);
    const Hit hit = {4};
    assert_int_equal(stoa_commands_send_to(c, b, Hit, {3}), STOA_OK);
    assert_int_equal(stoa_commands_send_id(c, a, stoa_id(w, Hit), &hit, sizeof hit), STOA_OK);
    assert_int_equal(stoa_commands_send_id(c, STOA_NULL, stoa_id(w, Hit), &hit, sizeof hit),
                     STOA_OK);
    heard_verify(&heard, "");
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    heard_verify(&heard, "b.a..");
    assert_int_equal(heard.last, 4);
    events_end(s);
}

/* CMD-02 CMP-11: skipped and counted, the value dropped once. */
static void event_to_the_dead_is_skipped(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_reader *reader = stoa_reader_new(w, Box);
    stoa_commands *c = stoa_commands_new(w);
    stoa_entity e = stoa_create(w), never = {5000, 1};
    assert_int_equal(box_record(c, e, 1), STOA_OK);
    assert_int_equal(box_record(c, e, 2), STOA_OK);
    assert_int_equal(box_record(c, never, 3), STOA_OK);
    assert_int_equal(box_record(c, STOA_NULL, 4), STOA_OK);
    stoa_destroy(w, e);
    assert_int_equal(boxes, 4);
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_equal(stoa_commands_skipped(c), 3);
    assert_int_equal(box_drops, 3);
    assert_int_equal(box_read(reader), 4);
    assert_int_equal(box_read(reader), -1);
    assert_int_equal(boxes, 0);
    support_assert_quiet(s);
}

/* CMP-11 CMD-08: with nobody to hear, cleared, with the buffer freed, with the world freed. */
static void values_are_dropped_once_whatever_happens(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_commands_new(w);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(box_record(c, STOA_NULL, i), STOA_OK);
    }
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_equal(box_drops, 5);
    assert_int_equal(box_record(c, STOA_NULL, 6), STOA_OK);
    assert_int_equal(stoa_commands_clear(c), STOA_OK);
    assert_int_equal(box_drops, 6);
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_equal(box_record(c, STOA_NULL, 7), STOA_OK);
    assert_int_equal(stoa_commands_free(c), STOA_OK);
    assert_int_equal(box_drops, 7);
    assert_int_equal(box_record(stoa_deferred(w), STOA_NULL, 8), STOA_OK);
    stoa_reader_new(w, Box);
    assert_int_equal(box_record(stoa_deferred(w), STOA_NULL, 9), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(box_record(stoa_deferred(w), STOA_NULL, 10), STOA_OK);
    /* One is queued, one is recorded. */
    assert_int_equal(boxes, 3);
    events_end(s);
    assert_int_equal(boxes, 0);
    assert_int_equal(box_drops, 10);
}

static void box_relay(stoa_world *w, const stoa_event *event, void *user) {
    (void)event;
    int *left = user;
    if (--*left >= 0) {
        assert_int_equal(box_record(stoa_deferred(w), STOA_NULL, *left), STOA_OK);
        assert_int_equal(box_record(stoa_deferred(w), event->target, 100), STOA_OK);
        stoa_entity e = stoa_commands_create_with(stoa_deferred(w), STOA_VALUE(Health, {*left}));
        assert_false(stoa_entity_is_null(e));
        assert_int_equal(stoa_flush(w), STOA_LOCKED);
    }
}

/* CMD-02 EVT-01: what listeners record is sent by the same flush. */
static void listeners_may_record_more(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    int left = 5;
    stoa_event_listen(w, Box, box_relay, &left);
    stoa_reader *reader = stoa_reader_new(w, Box);
    assert_int_equal(box_record(stoa_deferred(w), STOA_NULL, 50), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_true(stoa_commands_empty(stoa_deferred(w)));
    assert_int_equal(stoa_reader_count(reader), 11);
    assert_int_equal(box_read(reader), 50);
    assert_int_equal(box_read(reader), 4);
    assert_int_equal(box_read(reader), 100);
    assert_int_equal(stoa_count(w), 5);
    s->asserts_seen = s->asserts;
    events_end(s);
}

/* CMP-01: a type that the world has not met is registered at the flush. */
static void types_are_registered_at_the_flush(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_commands_new(w);
    assert_int_equal(stoa_commands_send(c, Late, {1}), STOA_OK);
    assert_int_equal(stoa_type_find(w, STOA_TYPE_OF(Late)), 0);
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_not_equal(stoa_type_find(w, STOA_TYPE_OF(Late)), 0);
    stoa_reader *reader = stoa_reader_new(w, Late);
    stoa_event event;
    assert_int_equal(stoa_commands_send(c, Late, {2}), STOA_OK);
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_true(stoa_event_read(reader, &event));
    assert_int_equal(((const Late *)event.data)->number, 2);
}

/* EVT-01: a tag has no value; whatever is given for one is not looked at. */
static void tags_are_sent_without_a_value(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_reader *reader = stoa_reader_new(w, Alarm);
    stoa_commands *c = stoa_commands_new(w);
    stoa_entity e = stoa_create(w);
    stoa_event event;
    assert_int_equal(stoa_commands_send_type(c, e, STOA_TYPE_OF(Alarm), NULL), STOA_OK);
    assert_int_equal(stoa_commands_send_id(c, STOA_NULL, stoa_id(w, Alarm), NULL, 0), STOA_OK);
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_true(stoa_event_read(reader, &event));
    assert_true(stoa_entity_eq(event.target, e));
    assert_null(event.data);
    assert_true(stoa_event_read(reader, &event));
    assert_true(stoa_entity_is_null(event.target));
    assert_false(stoa_event_read(reader, &event));
}

/* EVT-01: values larger than a header can tell, and larger than a block of the arena. */
static void large_values_are_sent(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_reader *reader = stoa_reader_new(w, Large);
    stoa_commands *c = stoa_commands_new(w);
    static Large large;
    for (int i = 0; i < 40; i++) {
        large.number = i;
        memset(large.bytes, i, sizeof large.bytes);
        assert_int_equal(stoa_commands_send_type(c, STOA_NULL, STOA_TYPE_OF(Large), &large),
                         STOA_OK);
        assert_int_equal(stoa_commands_send(c, Hit, {i}), STOA_OK);
    }
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    stoa_event event;
    for (int i = 0; i < 40; i++) {
        assert_true(stoa_event_read(reader, &event));
        const Large *got = event.data;
        assert_int_equal(got->number, i);
        assert_int_equal(got->bytes[0], i);
        assert_int_equal(got->bytes[sizeof got->bytes - 1], i);
    }
}

/* GEN-05: nothing is recorded. */
static void misuse_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_commands_new(w);
    const Hit hit = {4};
    stoa_component id = stoa_id(w, Hit);
    assert_int_equal(stoa_commands_send_id(NULL, STOA_NULL, id, &hit, sizeof hit),
                     STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_send_type(NULL, STOA_NULL, STOA_TYPE_OF(Hit), &hit),
                     STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_send_type(c, STOA_NULL, NULL, &hit), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_send_type(c, STOA_NULL, STOA_TYPE_OF(Hit), NULL),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_send_id(c, STOA_NULL, id, NULL, sizeof hit),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_send_id(c, STOA_NULL, id, &hit, sizeof hit + 1),
                          STOA_INVALID);
    support_assert_message("'Hit' has 4 bytes, the value 5");
    support_assert_misuse(s, stoa_commands_send_id(c, STOA_NULL, id, &hit, 0), STOA_INVALID);
    support_assert_misuse(s, stoa_commands_send_id(c, STOA_NULL, 0, &hit, sizeof hit),
                          STOA_UNKNOWN);
    support_assert_misuse(s, stoa_commands_send_id(c, STOA_NULL, id + 50, &hit, sizeof hit),
                          STOA_UNKNOWN);
    assert_int_equal(stoa_commands_count(c), 0);
    assert_int_equal(stoa_commands_free(c), STOA_OK);
#ifdef STOA_DEBUG
    support_assert_misuse(s, stoa_commands_send_type(c, STOA_NULL, STOA_TYPE_OF(Hit), &hit),
                          STOA_FREED);
    support_assert_misuse(s, stoa_commands_send_id(c, STOA_NULL, id, &hit, sizeof hit), STOA_FREED);
#endif
}

/* GEN-03 GEN-04 CMP-11: recording that fails leaves the value; a flush that fails goes on later,
 * and each value is heard once. */
static void sending_out_of_memory_can_be_repeated(void **state) {
    (void)state;
    enum { COUNT = 30 };
    for (size_t fail = 1; fail < 14; fail++) {
        support_world s;
        boxes = box_drops = 0;
        support_world_open(&s);
        stoa_world *w = s.world;
        notes heard = {0};
        hearer ear = ear_make(&heard, '.');
        ear.listener = stoa_event_listen(w, Box, ear_hear, &ear);
        stoa_commands *c = stoa_commands_new(w);
        stoa_reader *reader = stoa_reader_new(w, Box);
        stoa_entity e = stoa_create(w);
        for (int i = 0; i < COUNT; i++) {
            s.heap.fail_at = fail;
            stoa_status status = box_record(c, i % 2 == 0 ? e : STOA_NULL, i);
            s.heap.fail_at = 0;
            assert_true(status == STOA_OK || status == STOA_NO_MEMORY);
            if (status != STOA_OK) {
                assert_int_equal(stoa_commands_count(c), i);
                assert_int_equal(box_record(c, i % 2 == 0 ? e : STOA_NULL, i), STOA_OK);
            }
        }
        int failures = 0;
        stoa_status status;
        do {
            s.heap.fail_at = failures == 0 ? fail : 0;
            status = stoa_commands_flush(c);
            s.heap.fail_at = 0;
            assert_true(status == STOA_OK || status == STOA_NO_MEMORY);
            assert_int_equal(stoa_check(w), STOA_OK);
            assert_int_equal((int)heard.length + stoa_commands_count(c), COUNT);
            failures += status != STOA_OK;
        } while (status != STOA_OK && failures < 2);
        assert_int_equal(stoa_commands_count(c), 0);
        for (int i = 0; i < COUNT; i++) {
            assert_int_equal(box_read(reader), i);
        }
        assert_int_equal(failures > 0, fail <= 4);
        support_world_close(&s);
        assert_int_equal(boxes, 0);
    }
}

static void fork_hear(stoa_world *w, const stoa_event *event, void *user) {
    (void)event;
    stoa_commands *c = user;
    assert_int_equal(stoa_commands_fork(w, &c, 1), STOA_OK);
}

/* CMD-06 GEN-05: a listener that leaves buffers forked stops the flush, and nothing is lost. */
static void flush_stops_at_a_fork(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_commands_new(w);
    stoa_listener ear = stoa_event_listen(w, Hit, fork_hear, c);
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_commands_send(c, Hit, {1}), STOA_OK);
    assert_int_equal(stoa_commands_set(c, e, Health, {1}), STOA_OK);
    assert_int_equal(stoa_commands_add(c, e, Alarm), STOA_OK);
    assert_int_equal(stoa_commands_send_type(c, STOA_NULL, STOA_TYPE_OF(Alarm), NULL), STOA_OK);
    support_assert_misuse(s, stoa_commands_flush(c), STOA_FORKED);
    assert_int_equal(stoa_commands_count(c), 3);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(stoa_listener_remove(w, ear), STOA_OK);
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_equal(stoa_get(w, e, Health)->points, 1);
    assert_true(stoa_has(w, e, Alarm));
    support_assert_quiet(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_EVENTS(events_come_in_the_order_of_commands),
        WITH_EVENTS(events_reach_their_target_alone),
        WITH_EVENTS(event_to_the_dead_is_skipped),
        WITH_EVENTS(values_are_dropped_once_whatever_happens),
        WITH_EVENTS(listeners_may_record_more),
        WITH_EVENTS(types_are_registered_at_the_flush),
        WITH_EVENTS(tags_are_sent_without_a_value),
        WITH_EVENTS(large_values_are_sent),
        WITH_EVENTS(misuse_is_refused),
        cmocka_unit_test(sending_out_of_memory_can_be_repeated),
        WITH_EVENTS(flush_stops_at_a_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

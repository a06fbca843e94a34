/* Event queues: readers that each consume at their own pace, what is kept for them, and when it
 * goes. */
#include "world/event_fixture.h"

static void hits_send(stoa_world *world, int32_t from, int32_t to) {
    for (int32_t i = from; i < to; i++) {
        assert_int_equal(stoa_event_send(world, Hit, {i}), STOA_OK);
    }
}

/* EVT-01 */
static void readers_read_each_event_once_in_order(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_reader *a = stoa_reader_new(w, Hit), *b = stoa_reader_new_id(w, stoa_id(w, Hit));
    hits_send(w, 0, 20);
    for (int32_t i = 0; i < 20; i++) {
        assert_int_equal(stoa_reader_count(a), 20 - i);
        assert_int_equal(hit_read(a), i);
    }
    assert_int_equal(hit_read(a), -1);
    assert_int_equal(stoa_reader_count(b), 20);
    hits_send(w, 20, 30);
    for (int32_t i = 0; i < 30; i++) {
        assert_int_equal(hit_read(b), i);
    }
    assert_int_equal(hit_read(b), -1);
    for (int32_t i = 20; i < 30; i++) {
        assert_int_equal(hit_read(a), i);
    }
    assert_int_equal(hit_read(a), -1);
    assert_int_equal(hit_read(a), -1);
    assert_int_equal(stoa_reader_lost(a) + stoa_reader_lost(b), 0);
}

/* EVT-01 */
static void reader_sees_what_is_sent_after_it_was_made(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    hits_send(w, 0, 3);
    stoa_reader *a = stoa_reader_new(w, Hit);
    assert_int_equal(hit_read(a), -1);
    hits_send(w, 3, 5);
    stoa_reader *b = stoa_reader_new(w, Hit);
    assert_int_equal(stoa_reader_count(b), 0);
    hits_send(w, 5, 6);
    assert_int_equal(stoa_reader_count(a), 3);
    assert_int_equal(hit_read(b), 5);
    assert_int_equal(hit_read(a), 3);
}

/* EVT-01 */
static void event_keeps_its_target_and_type(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_reader *hits = stoa_reader_new(w, Hit), *alarms = stoa_reader_new(w, Alarm);
    stoa_entity e = stoa_create(w);
    stoa_event_send_to(w, e, Hit, {1});
    stoa_event_send_to(w, e, Alarm, {0});
    stoa_event_send(w, Alarm, {0});
    stoa_destroy(w, e);
    stoa_event event;
    assert_true(stoa_event_read(hits, &event));
    assert_true(stoa_entity_eq(event.target, e));
    assert_int_equal(event.type, stoa_id(w, Hit));
    assert_true(stoa_event_read(alarms, &event));
    assert_true(stoa_entity_eq(event.target, e));
    assert_int_equal(event.type, stoa_id(w, Alarm));
    assert_null(event.data);
    assert_true(stoa_event_read(alarms, &event));
    assert_true(stoa_entity_is_null(event.target));
    assert_false(stoa_event_read(alarms, &event));
}

/* EVT-01 CMP-11: dropped when all have read it, but not under the eyes of the last. */
static void value_is_dropped_when_all_have_read_it(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_reader *a = stoa_reader_new(w, Box), *b = stoa_reader_new(w, Box);
    for (int32_t i = 0; i < 4; i++) {
        assert_int_equal(box_send(w, STOA_NULL, i), STOA_OK);
    }
    assert_int_equal(box_read(a), 0);
    assert_int_equal(box_read(a), 1);
    assert_int_equal(box_drops, 0);
    stoa_event event;
    assert_true(stoa_event_read(b, &event));
    const Box *box = event.data;
    assert_int_equal(*box->number, 0);
    assert_int_equal(box_drops, 0);
    assert_int_equal(box_read(b), 1);
    assert_int_equal(box_drops, 1);
    assert_int_equal(box_send(w, STOA_NULL, 4), STOA_OK);
    assert_int_equal(box_drops, 2);
    assert_int_equal(stoa_reader_free(b), STOA_OK);
    assert_int_equal(box_read(a), 2);
    assert_int_equal(box_read(a), 3);
    assert_int_equal(box_drops, 3);
    assert_int_equal(stoa_reader_free(a), STOA_OK);
    assert_int_equal(box_drops, 5);
    assert_int_equal(boxes, 0);
}

/* EVT-01 */
static void slow_reader_that_is_freed_holds_nothing_back(void **state) {
    support_world *s = *state;
    stoa_reader *slow = stoa_reader_new(s->world, Box), *quick = stoa_reader_new(s->world, Box);
    for (int32_t i = 0; i < 100; i++) {
        box_send(s->world, STOA_NULL, i);
        assert_int_equal(box_read(quick), i);
    }
    assert_int_equal(boxes, 100);
    assert_int_equal(box_read(slow), 0);
    stoa_reader_free(slow);
    assert_int_equal(box_read(quick), -1);
    assert_int_equal(boxes, 0);
    box_send(s->world, STOA_NULL, 100);
    assert_int_equal(box_read(quick), 100);
}

/* EVT-01 */
static void freed_reader_leaves_the_events_of_others(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_event_limit(w, Box, 8);
    stoa_reader *idle = stoa_reader_new(w, Box), *other = stoa_reader_new(w, Box);
    for (int32_t i = 0; i < 20; i++) {
        box_send(w, STOA_NULL, i);
    }
    assert_int_equal(stoa_reader_free(idle), STOA_OK);
    for (int32_t i = 12; i < 20; i++) {
        assert_int_equal(boxes, i == 12 ? 8 : 21 - i);
        assert_int_equal(box_read(other), i);
    }
    assert_int_equal(box_read(other), -1);
    assert_int_equal(boxes, 0);
}

/* EVT-01 */
static void nothing_is_kept_without_readers(void **state) {
    support_world *s = *state;
    stoa_reader *reader = stoa_reader_new(s->world, Large);
    stoa_reader_free(reader);
    size_t bytes = s->heap.bytes;
    reader = stoa_reader_new(s->world, Large);
    static Large large;
    for (int i = 0; i < 50; i++) {
        stoa_event_send_type(s->world, STOA_NULL, STOA_TYPE_OF(Large), &large);
    }
    assert_true(s->heap.bytes > bytes + 50 * sizeof large);
    stoa_reader_free(reader);
    assert_int_equal(s->heap.bytes, bytes);
    stoa_event_send_type(s->world, STOA_NULL, STOA_TYPE_OF(Large), &large);
    assert_int_equal(s->heap.bytes, bytes);
}

/* EVT-01 */
static void oldest_event_goes_beyond_the_limit(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_int_equal(stoa_event_limit(w, Box, 5), STOA_OK);
    stoa_reader *a = stoa_reader_new(w, Box), *b = stoa_reader_new(w, Box);
    for (int32_t i = 0; i < 8; i++) {
        box_send(w, STOA_NULL, i);
        if (i < 2) {
            assert_int_equal(box_read(a), i);
        }
    }
    assert_int_equal(boxes, 5);
    assert_int_equal(box_drops, 3);
    assert_int_equal(stoa_reader_lost(a), 1);
    assert_int_equal(stoa_reader_lost(b), 3);
    assert_int_equal(stoa_reader_count(a), 5);
    assert_int_equal(stoa_reader_count(b), 5);
    assert_int_equal(box_read(a), 3);
    assert_int_equal(box_read(b), 3);
    assert_int_equal(stoa_reader_lost(a), 1);
    assert_int_equal(stoa_reader_lost(b), 3);

    assert_int_equal(stoa_event_limit(w, Box, 2), STOA_OK);
    assert_int_equal(boxes, 2);
    assert_int_equal(stoa_reader_lost(a), 3);
    assert_int_equal(stoa_reader_count(a), 2);
    assert_int_equal(box_read(a), 6);
    assert_int_equal(box_read(a), 7);
    stoa_reader_free(a);
    assert_int_equal(box_read(b), 6);
    assert_int_equal(stoa_reader_lost(b), 5);
    assert_int_equal(stoa_event_limit(w, Box, 1), STOA_OK);
    for (int32_t i = 8; i < 20; i++) {
        box_send(w, STOA_NULL, i);
    }
    assert_int_equal(stoa_reader_lost(b), 17);
    assert_int_equal(box_read(b), 19);
    assert_int_equal(box_read(b), -1);
}

/* EVT-01: what was read does not count as kept. */
static void limit_is_of_what_is_unread(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_event_limit(w, Hit, 3);
    stoa_reader *reader = stoa_reader_new(w, Hit);
    for (int32_t i = 0; i < 30; i += 3) {
        hits_send(w, i, i + 3);
        for (int32_t k = 0; k < 3; k++) {
            assert_int_equal(hit_read(reader), i + k);
        }
    }
    assert_int_equal(stoa_reader_lost(reader), 0);
}

/* EVT-01 */
static void limit_is_some_thousands_by_default(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_reader *reader = stoa_reader_new(w, Hit);
    hits_send(w, 0, STOA_EVENT_LIMIT);
    assert_int_equal(stoa_reader_lost(reader), 0);
    hits_send(w, STOA_EVENT_LIMIT, STOA_EVENT_LIMIT + 10);
    assert_int_equal(stoa_reader_lost(reader), 10);
    assert_int_equal(stoa_reader_count(reader), STOA_EVENT_LIMIT);
    assert_int_equal(hit_read(reader), 10);
}

static void large_hear(stoa_world *world, const stoa_event *event, void *user) {
    *(int32_t *)user += ((const Large *)event->data)->number;
    if (stoa_entity_is_null(event->target)) {
        stoa_event_send_type(world, stoa_entity_next(world, STOA_NULL), STOA_TYPE_OF(Large),
                             event->data);
    }
}

/* EVT-01 */
static void steady_flow_needs_no_memory_once_warm(void **state) {
    support_world *s = *state;
    int32_t sum = 0;
    stoa_create(s->world);
    stoa_event_listen(s->world, Large, large_hear, &sum);
    stoa_reader *hits = stoa_reader_new(s->world, Hit), *larges = stoa_reader_new(s->world, Large);
    static Large large = {.number = 3};
    stoa_event event;
    size_t allocations = 0;
    for (int32_t frame = 0; frame < 300; frame++) {
        hits_send(s->world, frame * 100, frame * 100 + 100);
        for (int32_t i = 0; i < 100; i++) {
            assert_int_equal(hit_read(hits), frame * 100 + i);
        }
        assert_int_equal(stoa_event_send_type(s->world, STOA_NULL, STOA_TYPE_OF(Large), &large),
                         STOA_OK);
        for (int i = 0; i < 2; i++) {
            assert_true(stoa_event_read(larges, &event));
            assert_int_equal(((const Large *)event.data)->number, 3);
        }
        allocations = frame == 2 ? s->heap.allocations : allocations;
    }
    assert_int_equal(s->heap.allocations, allocations);
    assert_int_equal(sum, 300 * 2 * 3);
}

/* STO-08 */
static void queued_value_stands_at_its_alignment(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (uint32_t alignment = 1; alignment <= 64; alignment *= 2) {
        char name[16];
        snprintf(name, sizeof name, "A%u", alignment);
        stoa_component id = stoa_component_register(
            w, &(stoa_component_desc){.name = name, .size = alignment, .alignment = alignment});
        stoa_reader *reader = stoa_reader_new_id(w, id);
        for (uint8_t i = 0; i < 20; i++) {
            uint8_t value[64] = {i};
            assert_int_equal(stoa_event_send_id(w, STOA_NULL, id, value, alignment), STOA_OK);
        }
        stoa_event event;
        for (uint8_t i = 0; i < 20; i++) {
            assert_true(stoa_event_read(reader, &event));
            assert_int_equal((uintptr_t)event.data % alignment, 0);
            assert_int_equal(*(const uint8_t *)event.data, i);
        }
    }
}

/* EVT-01: plain values may be sent on from where they were read, whatever the queue does. */
static void reader_sends_on_what_it_reads(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_reader *reader = stoa_reader_new(w, Hit);
    hits_send(w, 0, 8); /* the ring is full */
    stoa_event event;
    for (int32_t i = 0; i < 200; i++) {
        assert_true(stoa_event_read(reader, &event));
        assert_int_equal(((const Hit *)event.data)->damage, i % 8);
        stoa_event_send_id(w, STOA_NULL, event.type, event.data, sizeof(Hit));
    }
    stoa_reader *slow = stoa_reader_new(w, Hit); /* for which all is kept: the ring has to grow */
    for (int32_t i = 0; i < 100; i++) {
        assert_true(stoa_event_read(reader, &event));
        assert_int_equal(((const Hit *)event.data)->damage, i % 8);
        stoa_event_send_id(w, STOA_NULL, event.type, event.data, sizeof(Hit));
    }
    assert_int_equal(stoa_reader_count(slow), 100);
    assert_int_equal(stoa_event_limit(w, Hit, 1), STOA_OK);
    for (int32_t i = 0; i < 10; i++) {
        assert_true(stoa_event_read(reader, &event));
        assert_int_equal(((const Hit *)event.data)->damage, 3);
        stoa_event_send_id(w, STOA_NULL, event.type, event.data, sizeof(Hit));
    }
    stoa_reader *box_reader = stoa_reader_new(w, Box);
    box_send(w, STOA_NULL, 5);
    assert_true(stoa_event_read(box_reader, &event));
    support_assert_misuse(s, stoa_event_send_id(w, STOA_NULL, event.type, event.data, sizeof(Box)),
                          STOA_INVALID);
    assert_int_equal(boxes, 1);
}

/* What one reader should see. */
typedef struct expectation {
    stoa_reader *reader;
    int32_t next; /* the number of the next event */
    int64_t lost;
} expectation;

/* EVT-01 CMP-11: any number of readers, sends, limits, in any order. */
static void random_flow_is_read_as_sent(void **state) {
    enum { READERS = 4 };
    stoa_world *w = ((support_world *)*state)->world;
    expectation readers[READERS] = {{0}};
    support_random random = {11};
    int32_t sent = 0, limit = 20, first = 0; /* the oldest event that can be there */
    stoa_event_limit(w, Box, limit);
    for (int step = 0; step < 20000; step++) {
        expectation *r = &readers[support_random_below(&random, READERS)];
        uint32_t what = support_random_below(&random, 100);
        if (what < 2) {
            assert_int_equal(stoa_reader_free(r->reader), STOA_OK);
            *r = (expectation){stoa_reader_new(w, Box), sent, 0};
        } else if (what < 3) {
            limit = 1 + (int32_t)support_random_below(&random, 40);
            assert_int_equal(stoa_event_limit(w, Box, limit), STOA_OK);
        } else if (what < 50) {
            assert_int_equal(box_send(w, STOA_NULL, sent++), STOA_OK);
        } else if (r->reader != NULL) {
            assert_int_equal(box_read(r->reader), r->next < sent ? r->next : -1);
            r->next += r->next < sent;
        }
        first = first > sent - limit ? first : sent - limit;
        int32_t oldest = sent;
        for (int i = 0; i < READERS; i++) {
            if (readers[i].reader == NULL) {
                continue;
            }
            int32_t missed = readers[i].next < first ? first - readers[i].next : 0;
            readers[i].next += missed;
            readers[i].lost += missed;
            assert_int_equal(stoa_reader_count(readers[i].reader), sent - readers[i].next);
            assert_int_equal(stoa_reader_lost(readers[i].reader), readers[i].lost);
            oldest = readers[i].next < oldest ? readers[i].next : oldest;
        }
        /* What a reader freed or read last may still be there. */
        assert_in_range(boxes, sent - oldest, limit);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* A listener that reads, sends and frees while it is called. */
typedef struct busybody {
    stoa_reader *reader;
    stoa_reader *others[4];
    int32_t heard;
    int32_t sends; /* how many more to send in each call */
    int32_t read;  /* what it read */
    bool frees;
} busybody;

static void busybody_hear(stoa_world *world, const stoa_event *event, void *user) {
    busybody *b = user;
    int32_t number = *((const Box *)event->data)->number;
    b->heard++;
    if (number >= 1000) {
        return;
    }
    for (int32_t i = 0; i < b->sends; i++) {
        assert_int_equal(box_send(world, STOA_NULL, 1000 + i), STOA_OK);
    }
    for (int i = 0; i < 4 && b->others[i] != NULL; i++) {
        b->read = box_read(b->others[i]);
    }
    if (b->frees) {
        assert_int_equal(stoa_reader_free(b->reader), STOA_OK);
        b->reader = stoa_reader_new(world, Box);
    }
    assert_int_equal(*((const Box *)event->data)->number, number);
    assert_ptr_equal(((const Box *)event->data)->self, event->data);
}

/* EVT-01: what a listener sends comes after what it hears, also where the ring has to grow. */
static void events_of_listeners_come_after_their_cause(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    busybody b = {.reader = stoa_reader_new(w, Box), .sends = 50};
    stoa_event_listen(w, Box, busybody_hear, &b);
    box_send(w, STOA_NULL, 1);
    box_send(w, STOA_NULL, 2);
    assert_int_equal(b.heard, 102);
    for (int32_t cause = 1; cause <= 2; cause++) {
        assert_int_equal(box_read(b.reader), cause);
        for (int32_t i = 0; i < 50; i++) {
            assert_int_equal(box_read(b.reader), 1000 + i);
        }
    }
    assert_int_equal(box_read(b.reader), -1);
}

/* EVT-01 */
static void listener_reads_what_is_being_told(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    busybody b = {.reader = stoa_reader_new(w, Box)};
    b.others[0] = b.reader;
    stoa_event_listen(w, Box, busybody_hear, &b);
    for (int32_t i = 0; i < 20; i++) {
        box_send(w, STOA_NULL, i);
        assert_int_equal(b.read, i);
        assert_int_equal(stoa_reader_count(b.reader), 0);
        assert_in_range(boxes, 0, 1);
    }
    b.others[1] = stoa_reader_new(w, Box);
    b.sends = 3;
    box_send(w, STOA_NULL, 20);
    assert_int_equal(b.read, 20);
    assert_int_equal(stoa_reader_count(b.others[0]), 3);
    assert_int_equal(box_read(b.others[1]), 1000);
}

/* EVT-01 CMP-11 */
static void told_event_may_go_from_the_queue(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    busybody b = {.reader = stoa_reader_new(w, Box), .sends = 3};
    stoa_event_listen(w, Box, busybody_hear, &b);
    stoa_event_limit(w, Box, 1);
    box_send(w, STOA_NULL, 1);
    assert_int_equal(boxes, 1);
    assert_int_equal(stoa_reader_lost(b.reader), 3);
    assert_int_equal(box_read(b.reader), 1002);
    stoa_event_limit(w, Box, 10);
    b.frees = true;
    box_send(w, STOA_NULL, 2);
    assert_int_equal(boxes, 0);
    assert_int_equal(stoa_reader_count(b.reader), 0);
    b.sends = 0;
    box_send(w, STOA_NULL, 3);
    assert_int_equal(stoa_reader_count(b.reader), 0);
    b.frees = false;
    box_send(w, STOA_NULL, 4);
    assert_int_equal(box_read(b.reader), 4);
}

/* EVT-01 CMP-11 QRY-10 */
static void world_frees_readers_and_what_they_have_not_read(void **state) {
    (void)state;
    support_world s;
    support_world_open(&s);
    stoa_reader *reader = stoa_reader_new(s.world, Box);
    (void)stoa_reader_new(s.world, Box);
    for (int32_t i = 0; i < 30; i++) {
        box_send(s.world, STOA_NULL, i);
    }
    assert_int_equal(box_read(reader), 0);
    assert_int_equal(boxes, 30);
    support_world_close(&s);
    assert_int_equal(boxes, 0);
    assert_int_equal(box_drops, 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_EVENTS(readers_read_each_event_once_in_order),
        WITH_EVENTS(reader_sees_what_is_sent_after_it_was_made),
        WITH_EVENTS(event_keeps_its_target_and_type),
        WITH_EVENTS(value_is_dropped_when_all_have_read_it),
        WITH_EVENTS(slow_reader_that_is_freed_holds_nothing_back),
        WITH_EVENTS(freed_reader_leaves_the_events_of_others),
        WITH_EVENTS(nothing_is_kept_without_readers),
        WITH_EVENTS(oldest_event_goes_beyond_the_limit),
        WITH_EVENTS(limit_is_of_what_is_unread),
        WITH_EVENTS(limit_is_some_thousands_by_default),
        WITH_EVENTS(steady_flow_needs_no_memory_once_warm),
        WITH_EVENTS(queued_value_stands_at_its_alignment),
        WITH_EVENTS(reader_sends_on_what_it_reads),
        WITH_EVENTS(random_flow_is_read_as_sent),
        WITH_EVENTS(events_of_listeners_come_after_their_cause),
        WITH_EVENTS(listener_reads_what_is_being_told),
        WITH_EVENTS(told_event_may_go_from_the_queue),
        WITH_EVENTS(world_frees_readers_and_what_they_have_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

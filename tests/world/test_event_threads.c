/* Events and threads: readers that read side by side while buffers are forked, and events that
 * threads record. Threads note what they see; the test looks at it when they are done. */
#include "event_fixture.h"

#include <pthread.h>

#define THREADS 4
#define EVENTS 3000

/* One thread's reader and what it read. */
typedef struct reading {
    stoa_reader *reader;
    int32_t most; /* events to read */
    int32_t count;
    int64_t sum;
    int32_t wrong; /* events out of order */
} reading;

static void *hits_read(void *user) {
    reading *r = user;
    stoa_event event;
    int32_t last = -1;
    while (r->count < r->most && stoa_event_read(r->reader, &event)) {
        int32_t damage = ((const Hit *)event.data)->damage;
        r->wrong += damage <= last;
        r->sum += damage;
        r->count++;
        last = damage;
    }
    return NULL;
}

static void *boxes_read(void *user) {
    reading *r = user;
    stoa_event event;
    while (r->count < r->most && stoa_event_read(r->reader, &event)) {
        const Box *box = event.data;
        r->wrong += box->self != box || *box->number != r->count;
        r->count++;
    }
    return NULL;
}

static void threads_run(void *(*work)(void *), reading *readings) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, &readings[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(readings[i].wrong, 0);
    }
}

/* EVT-01 SYS-06: each reads all, at its own pace; what all have read goes after the join. */
static void readers_read_side_by_side(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    reading readings[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) {
        readings[i].reader = stoa_reader_new(w, Hit);
        readings[i].most = i == 0 ? EVENTS / 2 : EVENTS;
    }
    for (int i = 0; i < EVENTS; i++) {
        assert_int_equal(stoa_event_send(w, Hit, {i}), STOA_OK);
    }
    const stoa__channel *channel = w->events.channels[stoa_id(w, Hit) - 1];
    assert_int_equal(stoa_commands_fork(w, NULL, 0), STOA_OK);
    threads_run(hits_read, readings);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(channel->head, 0);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    for (int i = 0; i < THREADS; i++) {
        int64_t n = readings[i].most;
        assert_int_equal(readings[i].count, n);
        assert_int_equal(readings[i].sum, n * (n - 1) / 2);
        assert_int_equal(stoa_reader_count(readings[i].reader), EVENTS - n);
        assert_int_equal(stoa_reader_lost(readings[i].reader), 0);
    }
    /* The slow one goes on where it was. */
    assert_int_equal(hit_read(readings[0].reader), EVENTS / 2);
    assert_int_equal(hit_read(readings[1].reader), -1);
    assert_int_equal(channel->head, EVENTS / 2 + 1);
    assert_int_equal(stoa_reader_free(readings[0].reader), STOA_OK);
    assert_int_equal(hit_read(readings[1].reader), -1);
    assert_int_equal(channel->head, EVENTS);
    support_assert_quiet(s);
}

/* EVT-01: what was read while forked makes room for what is sent after, and the ring stays. */
static void queue_does_not_grow_by_what_threads_read(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    reading readings[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) {
        readings[i].reader = stoa_reader_new(w, Hit);
    }
    size_t bytes = 0;
    for (int frame = 0; frame < 12; frame++) {
        for (int i = 0; i < 100; i++) {
            assert_int_equal(stoa_event_send(w, Hit, {i}), STOA_OK);
        }
        for (int i = 0; i < THREADS; i++) {
            readings[i] = (reading){.reader = readings[i].reader, .most = 1000};
        }
        assert_int_equal(stoa_commands_fork(w, NULL, 0), STOA_OK);
        threads_run(hits_read, readings);
        assert_int_equal(stoa_commands_join(w), STOA_OK);
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(readings[i].count, 100);
            assert_int_equal(stoa_reader_count(readings[i].reader), 0);
        }
        bytes = frame == 0 ? s->heap.bytes : bytes;
        assert_int_equal(s->heap.bytes, bytes);
    }
}

/* EVT-01 CMP-11: values with hooks stay where they are while threads look at them. */
static void owned_values_are_dropped_after_the_join(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    reading readings[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) {
        readings[i] = (reading){.reader = stoa_reader_new(w, Box), .most = 1000};
    }
    for (int i = 0; i < 50; i++) {
        assert_int_equal(box_send(w, STOA_NULL, i), STOA_OK);
    }
    assert_int_equal(stoa_commands_fork(w, NULL, 0), STOA_OK);
    threads_run(boxes_read, readings);
    assert_int_equal(box_drops, 0);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(boxes, 50);
    assert_int_equal(box_read(readings[2].reader), -1);
    assert_int_equal(boxes, 0);
    assert_int_equal(box_drops, 50);
}

/* EVT-01 GEN-05: nothing else can be done to a queue meanwhile. */
static void forked_queue_can_only_be_read(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_reader *reader = stoa_reader_new(w, Hit);
    stoa_event_send(w, Hit, {1});
    stoa_event_send(w, Hit, {2});
    assert_int_equal(hit_read(reader), 1);
    assert_int_equal(stoa_commands_fork(w, NULL, 0), STOA_OK);
    support_assert_misuse(s, stoa_event_send(w, Hit, {3}), STOA_FORKED);
    support_assert_misuse(s, stoa_event_send_id(w, STOA_NULL, stoa_id(w, Hit), &(Hit){3}, 4),
                          STOA_FORKED);
    assert_null(stoa_reader_new(w, Hit));
    support_assert_misuse(s, stoa_last_error().status, STOA_FORKED);
    support_assert_misuse(s, stoa_reader_free(reader), STOA_FORKED);
    support_assert_misuse(s, stoa_event_limit(w, Hit, 3), STOA_FORKED);
    assert_int_equal(hit_read(reader), 2);
    assert_int_equal(hit_read(reader), -1);
    assert_int_equal(stoa_reader_count(reader), 0);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    support_assert_quiet(s);
}

/* A thread's buffer and what it records. */
typedef struct recording {
    stoa_commands *commands;
    int32_t number;
    int32_t wrong;
} recording;

static void *events_record(void *user) {
    recording *r = user;
    for (int32_t i = 0; i < 200; i++) {
        int32_t value = r->number * 1000 + i;
        stoa_entity e = STOA_NULL;
        if (i % 3 == 0) {
            e = stoa_commands_create(r->commands);
        }
        r->wrong += stoa_commands_send_to(r->commands, e, Hit, {value}) != STOA_OK;
        r->wrong += i % 5 == 0 &&
                    stoa_commands_send_type(r->commands, e, STOA_TYPE_OF(Alarm), NULL) != STOA_OK;
        r->wrong += i % 6 == 0 && stoa_commands_destroy(r->commands, e) != STOA_OK;
        r->wrong += i % 12 == 0 && stoa_commands_send_to(r->commands, e, Hit, {-1}) != STOA_OK;
    }
    return NULL;
}

/* CMD-06 EVT-01: in the order of buffers, whatever the threads did first; twice, as a type that is
 * not known is registered at the flush. */
static void events_of_threads_come_in_order(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[THREADS];
    recording records[THREADS];
    pthread_t threads[THREADS];
    stoa_reader *reader = stoa_reader_new(w, Hit);
    for (int32_t i = 0; i < THREADS; i++) {
        buffers[i] = stoa_commands_new(w);
        records[i] = (recording){buffers[i], i, 0};
    }
    for (int frame = 0; frame < 2; frame++) {
        assert_int_equal(stoa_commands_fork(w, buffers, THREADS), STOA_OK);
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, events_record, &records[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_int_equal(records[i].wrong, 0);
        }
        assert_int_equal(stoa_commands_join(w), STOA_OK);
        int32_t done = 0;
        assert_int_equal(stoa_commands_flush_all(buffers, THREADS, &done), STOA_OK);
        for (int32_t i = 0; i < THREADS * 200; i++) {
            stoa_event event;
            assert_true(stoa_event_read(reader, &event));
            assert_int_equal(((const Hit *)event.data)->damage, i / 200 * 1000 + i % 200);
            assert_int_equal(stoa_entity_is_null(event.target), i % 200 % 3 != 0);
        }
        assert_int_equal(hit_read(reader), -1);
        assert_int_equal(stoa_commands_skipped(buffers[0]), 17 * (frame + 1));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_EVENTS(readers_read_side_by_side),
        WITH_EVENTS(queue_does_not_grow_by_what_threads_read),
        WITH_EVENTS(owned_values_are_dropped_after_the_join),
        WITH_EVENTS(forked_queue_can_only_be_read),
        WITH_EVENTS(events_of_threads_come_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

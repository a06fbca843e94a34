/* What the tests of events share: types of events, some of which own memory, and a note of what was
 * heard. */
#ifndef STOA_TESTS_EVENT_FIXTURE_H
#define STOA_TESTS_EVENT_FIXTURE_H

#include "support/support.h"
#include "world/world.h"

#include <stdlib.h>

STOA_COMPONENT(Hit, { int32_t damage; });
STOA_COMPONENT(Large, {
    int32_t number;
    uint8_t bytes[4000];
});
STOA_TAG(Alarm);

static int boxes;     /* boxes that live */
static int box_drops; /* how many were dropped */

/* A value that owns memory and knows its own address, so that moving it as bytes, or dropping it
 * twice, shows. */
static inline void box_drop(void *items, int32_t count, void *user);
static inline void box_move(void *to, void *from, int32_t count, void *user);

STOA_COMPONENT_WITH(Box, STOA_OPTIONS(.hooks = {.drop = box_drop, .move = box_move}), {
    int32_t *number;
    void *self;
});

static inline void box_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (Box *box = items; count > 0; box++, count--) {
        assert_ptr_equal(box->self, box);
        free(box->number);
        *box = (Box){NULL, NULL};
        boxes--;
        box_drops++;
    }
}

static inline void box_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    for (Box *a = to, *b = from; count > 0; a++, b++, count--) {
        assert_ptr_equal(b->self, b);
        *a = (Box){b->number, a};
        *b = (Box){NULL, NULL};
    }
}

static inline void box_fill(Box *box, int32_t number) {
    *box = (Box){malloc(sizeof(int32_t)), box};
    assert_non_null(box->number);
    *box->number = number;
    boxes++;
}

/* Sends a box; one that is refused is still the caller's. */
static inline stoa_status box_send(stoa_world *world, stoa_entity target, int32_t number) {
    Box box;
    box_fill(&box, number);
    stoa_status status = stoa_event_send_type(world, target, STOA_TYPE_OF(Box), &box);
    if (status != STOA_OK) {
        assert_int_equal(*box.number, number);
        box_drop(&box, 1, NULL);
    }
    assert_null(box.self);
    return status;
}

/* The number of the next box a reader reads, or -1. */
static inline int32_t box_read(stoa_reader *reader) {
    stoa_event event;
    if (!stoa_event_read(reader, &event)) {
        return -1;
    }
    const Box *box = event.data;
    assert_ptr_equal(box->self, box);
    return *box->number;
}

/* The damage of the next hit a reader reads, or -1. */
static inline int32_t hit_read(stoa_reader *reader) {
    stoa_event event;
    return stoa_event_read(reader, &event) ? ((const Hit *)event.data)->damage : -1;
}

/* What was heard, a letter for each call. */
typedef struct notes {
    char text[256];
    size_t length;
    int32_t last; /* the number in the last hit */
    stoa_event event;
} notes;

/* A listener: notes its letter in what it shares with others. */
typedef struct hearer {
    notes *heard;
    char letter;
    stoa_listener listener;
    int frees;
    bool running;
} hearer;

static inline void ear_hear(stoa_world *world, const stoa_event *event, void *user) {
    (void)world;
    hearer *ear = user;
    assert_true(ear->heard->length + 1 < sizeof ear->heard->text);
    ear->heard->text[ear->heard->length++] = ear->letter;
    ear->heard->event = *event;
    if (event->type == stoa_type_find(world, STOA_TYPE_OF(Hit))) {
        ear->heard->last = ((const Hit *)event->data)->damage;
    }
}

static inline void ear_free(void *user) {
    hearer *ear = user;
    assert_false(ear->running);
    ear->frees++;
}

static inline hearer ear_make(notes *heard, char letter) {
    return (hearer){.heard = heard, .letter = letter};
}

/* Makes an ear listen to hits, all or those of one entity. */
static inline void ear_open(stoa_world *world, hearer *ear, stoa_entity target) {
    ear->listener = stoa_listener_new(world, &(stoa_listener_desc){.type = STOA_TYPE_OF(Hit),
                                                                   .target = target,
                                                                   .call = ear_hear,
                                                                   .user = ear,
                                                                   .user_free = ear_free});
    assert_int_not_equal(ear->listener.id, 0);
}

/* What was heard since this was last called. */
static inline void heard_verify(notes *heard, const char *expected) {
    assert_string_equal(heard->text, expected);
    memset(heard->text, 0, sizeof heard->text);
    heard->length = 0;
}

/* Ends the world of a test whose listeners belong to the test's own frame. */
static inline void events_end(support_world *s) {
    assert_int_equal(stoa_check(s->world), STOA_OK);
    stoa_world_free(s->world);
    s->world = NULL;
}

static inline int events_setup(void **state) {
    boxes = box_drops = 0;
    return support_setup(state);
}

static inline int events_teardown(void **state) {
    int result = support_teardown(state);
    assert_int_equal(boxes, 0);
    return result;
}

#define WITH_EVENTS(test) cmocka_unit_test_setup_teardown(test, events_setup, events_teardown)

#endif

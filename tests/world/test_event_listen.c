/* Listeners that come, go and act while events are told, and what goes with them. */
#include "world/event_fixture.h"

/* A listener that does something to others when it is called. */
typedef struct actor {
    hearer self;
    hearer other;
    stoa_entity victim;
    int32_t sends;
    stoa_status status;
} actor;

static void actor_add(stoa_world *world, const stoa_event *event, void *user) {
    actor *a = user;
    ear_hear(world, event, &a->self);
    if (a->other.listener.id == 0) {
        ear_open(world, &a->other, a->victim);
    }
}

static void actor_remove(stoa_world *world, const stoa_event *event, void *user) {
    actor *a = user;
    int frees = a->self.frees + a->other.frees;
    a->self.running = true;
    ear_hear(world, event, &a->self);
    a->status = stoa_listener_remove(world, a->other.listener);
    assert_int_equal(a->self.frees + a->other.frees, frees);
    a->self.running = false;
}

static void actor_destroy(stoa_world *world, const stoa_event *event, void *user) {
    actor *a = user;
    ear_hear(world, event, &a->self);
    a->status = stoa_destroy(world, a->victim);
}

static stoa_listener actor_open(stoa_world *world, actor *a, stoa_listen_fn call,
                                stoa_entity target) {
    return stoa_listener_new(world, &(stoa_listener_desc){.type = STOA_TYPE_OF(Hit),
                                                          .target = target,
                                                          .call = call,
                                                          .user = a,
                                                          .user_free = ear_free});
}

/* EVT-01 */
static void listener_added_meanwhile_hears_the_next(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    notes heard = {0};
    stoa_entity e = stoa_create(w);
    const stoa_entity targets[] = {STOA_NULL, e};
    actor actors[2];
    for (int i = 0; i < 2; i++) {
        actors[i] = (actor){.self = ear_make(&heard, 'a'), .other = ear_make(&heard, 'b')};
        actors[i].victim = targets[i];
        stoa_listener l = actor_open(w, &actors[i], actor_add, STOA_NULL);
        stoa_event_send_to(w, e, Hit, {1});
        heard_verify(&heard, "a");
        stoa_event_send_to(w, e, Hit, {1});
        heard_verify(&heard, "ab");
        stoa_listener_remove(w, l);
        stoa_listener_remove(w, actors[i].other.listener);
        assert_int_equal(actors[i].other.frees, 1);
    }
    events_end(*state);
}

/* EVT-01 GEN-06 */
static void listener_removed_meanwhile_is_not_called(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    notes heard = {0};
    stoa_entity e = stoa_create(w);
    const stoa_entity targets[] = {STOA_NULL, e};
    for (int i = 0; i < 2; i++) {
        hearer first = ear_make(&heard, 'f'), last = ear_make(&heard, 'l');
        actor a = {.self = ear_make(&heard, 'a'), .other = ear_make(&heard, 'b')};
        ear_open(w, &first, targets[i]);
        stoa_listener l = actor_open(w, &a, actor_remove, e);
        ear_open(w, &a.other, targets[i]);
        ear_open(w, &last, STOA_NULL);
        stoa_event_send_to(w, e, Hit, {1});
        heard_verify(&heard, "fal");
        assert_int_equal(a.status, STOA_OK);
        assert_int_equal(a.other.frees, 1);
        stoa_event_send_to(w, e, Hit, {1});
        heard_verify(&heard, "fal");
        assert_int_equal(a.status, STOA_NOT_FOUND);
        assert_int_equal(a.other.frees, 1);
        stoa_listener_remove(w, first.listener);
        stoa_listener_remove(w, last.listener);
        stoa_listener_remove(w, l);
        assert_int_equal(a.self.frees, 1);
    }
    events_end(*state);
}

/* EVT-01 GEN-06 */
static void listener_removes_itself(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    notes heard = {0};
    hearer last = ear_make(&heard, 'l');
    actor a = {.self = ear_make(&heard, 'a')};
    a.other.listener = actor_open(w, &a, actor_remove, STOA_NULL);
    ear_open(w, &last, STOA_NULL);
    stoa_event_send(w, Hit, {1});
    stoa_event_send(w, Hit, {1});
    heard_verify(&heard, "all");
    assert_int_equal(a.self.frees, 1);
    events_end(*state);
}

/* EVT-01 */
static void destroyed_target_is_told_to_the_others(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    notes heard = {0};
    actor a = {.self = ear_make(&heard, 'a'), .victim = stoa_create(w)};
    hearer own = ear_make(&heard, 'o'), all = ear_make(&heard, 'w');
    stoa_listener l = actor_open(w, &a, actor_destroy, a.victim);
    ear_open(w, &own, a.victim);
    ear_open(w, &all, STOA_NULL);
    stoa_event_send_to(w, a.victim, Hit, {1});
    heard_verify(&heard, "aw");
    assert_int_equal(a.status, STOA_OK);
    assert_false(stoa_alive(w, a.victim));
    assert_int_equal(own.frees, 1);
    assert_int_equal(a.self.frees, 1);
    assert_int_equal(stoa_listener_remove(w, l), STOA_NOT_FOUND);
    assert_int_equal(w->events.target_count, 0);
    events_end(*state);
}

/* EVT-01 GEN-06 */
static void listeners_go_with_their_entity(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    notes heard = {0};
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Hit, {1})), other = stoa_create(w);
    hearer a = ear_make(&heard, 'a'), b = ear_make(&heard, 'b'), c = ear_make(&heard, 'c');
    ear_open(w, &a, e);
    ear_open(w, &b, other);
    ear_open(w, &c, e);
    assert_int_equal(stoa_clear(w, e), STOA_OK);
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    assert_int_equal(a.frees + c.frees, 2);
    assert_int_equal(b.frees, 0);
    stoa_entity next = stoa_create(w);
    assert_int_equal(next.index, e.index);
    stoa_event_send_to(w, next, Hit, {1});
    heard_verify(&heard, "");
    stoa_event_send_to(w, other, Hit, {1});
    heard_verify(&heard, "b");
    assert_int_equal(stoa_destroy(w, other), STOA_OK);
    assert_int_equal(b.frees, 1);
    events_end(*state);
}

/* EVT-01 */
static void each_of_many_hears_its_own(void **state) {
    enum { COUNT = 3000 };
    stoa_world *w = ((support_world *)*state)->world;
    static hearer ears[COUNT];
    static stoa_entity entities[COUNT];
    notes heard = {0};
    for (int i = 0; i < COUNT; i++) {
        entities[i] = stoa_create(w);
        ears[i] = ear_make(&heard, (char)('a' + i % 26));
        ear_open(w, &ears[i], entities[i]);
    }
    support_random random = {5};
    for (int i = 0; i < COUNT; i++) {
        int k = (int)support_random_below(&random, COUNT);
        char expected[2] = {(char)('a' + k % 26), '\0'};
        if (!stoa_alive(w, entities[k])) {
            continue;
        }
        stoa_event_send_to(w, entities[k], Hit, {k});
        heard_verify(&heard, ears[k].frees == 0 ? expected : "");
        if (i % 3 == 0) {
            assert_int_equal(stoa_destroy(w, entities[k]), STOA_OK);
        } else if (ears[k].frees == 0) {
            assert_int_equal(stoa_listener_remove(w, ears[k].listener), STOA_OK);
        }
        assert_int_equal(ears[k].frees, 1);
    }
    events_end(*state);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(ears[i].frees, 1);
    }
}

/* EVT-01: their number is bounded by those that are there, not by those that ever were. */
static void listeners_that_went_take_no_memory(void **state) {
    support_world *s = *state;
    notes heard = {0};
    hearer ear = ear_make(&heard, 'a');
    stoa_entity e = stoa_create(s->world);
    size_t bytes = 0;
    for (int i = 0; i < 1000; i++) {
        ear_open(s->world, &ear, i % 2 == 0 ? e : STOA_NULL);
        stoa_listener_remove(s->world, ear.listener);
        bytes = i == 20 ? s->heap.bytes : bytes;
    }
    assert_int_equal(s->heap.bytes, bytes);
    assert_int_equal(ear.frees, 1000);
}

static void actor_send(stoa_world *world, const stoa_event *event, void *user) {
    actor *a = user;
    const Hit *hit = event->data;
    int32_t damage = hit->damage;
    a->sends++;
    stoa_status status = stoa_event_send(world, Hit, {damage + 1});
    a->status = status != STOA_OK ? status : a->status;
    assert_int_equal(hit->damage, damage);
}

/* EVT-01 */
static void sends_within_sends_are_bounded(void **state) {
    support_world *s = *state;
    actor a = {0};
    stoa_event_listen(s->world, Hit, actor_send, &a);
    for (int i = 0; i < 2; i++) {
        a.sends = 0;
        assert_int_equal(stoa_event_send(s->world, Hit, {1}), STOA_OK);
        assert_int_equal(a.sends, STOA__EVENT_DEPTH);
        assert_int_equal(a.status, STOA_LIMIT);
        support_assert_message("event 'Hit' is sent by listeners more than 64 deep");
    }
    assert_int_equal(stoa_event_send(s->world, Alarm, {0}), STOA_OK);
}

static void actor_spoil(stoa_world *world, const stoa_event *event, void *user) {
    actor *a = user;
    a->status = stoa_destroy(world, a->victim);
    for (int i = 0; i < 100; i++) {
        stoa_create_with(world, STOA_VALUE(Hit, {-1}));
    }
    assert_int_equal(((const Hit *)event->data)->damage, 77);
}

/* EVT-01: a value that is in the world may go from there while it is told. */
static void value_taken_from_a_component_outlives_it(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    notes heard = {0};
    actor a = {.victim = stoa_create_with(w, STOA_VALUE(Hit, {77}))};
    hearer last = ear_make(&heard, 'l');
    stoa_event_listen(w, Hit, actor_spoil, &a);
    ear_open(w, &last, STOA_NULL);
    stoa_reader *reader = stoa_reader_new(w, Hit);
    const Hit *hit = stoa_get(w, a.victim, Hit);
    assert_int_equal(stoa_event_send_type(w, STOA_NULL, STOA_TYPE_OF(Hit), hit), STOA_OK);
    heard_verify(&heard, "l");
    assert_int_equal(heard.last, 77);
    assert_int_equal(hit_read(reader), 77);
    events_end(*state);
}

static void value_forward(stoa_world *world, const stoa_event *event, void *user) {
    stoa_component_info info;
    assert_int_equal(stoa_component_info_get(world, event->type, &info), STOA_OK);
    if (stoa_entity_is_null(event->target)) {
        stoa_entity to = *(const stoa_entity *)user;
        stoa_status status = stoa_event_send_id(world, to, event->type, event->data, info.size);
        assert_int_equal(status, info.hooks.drop != NULL ? STOA_INVALID : STOA_OK);
    }
}

/* EVT-01 CMP-11: what owns memory cannot be sent twice. */
static void listener_sends_on_what_it_hears(void **state) {
    support_world *s = *state;
    notes heard = {0};
    stoa_entity e = stoa_create(s->world);
    hearer own = ear_make(&heard, 'o');
    ear_open(s->world, &own, e);
    stoa_event_listen(s->world, Hit, value_forward, &e);
    stoa_event_listen(s->world, Box, value_forward, &e);
    assert_int_equal(stoa_event_send(s->world, Hit, {31}), STOA_OK);
    heard_verify(&heard, "o");
    assert_int_equal(heard.last, 31);
    assert_int_equal(box_send(s->world, STOA_NULL, 1), STOA_OK);
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    support_assert_message("another event 'Box', which owns it");
    assert_int_equal(box_drops, 1);
    events_end(*state);
}

/* A world and an entity that something is done to when a listener is freed. */
typedef struct testament {
    stoa_world *world;
    stoa_entity e;
    stoa_status status;
    int frees;
} testament;

static void will_hear(stoa_world *world, const stoa_event *event, void *user) {
    (void)world;
    (void)event;
    (void)user;
}

static void will_free(void *user) {
    testament *will = user;
    will->frees++;
    will->status = stoa_destroy(will->world, will->e);
    stoa_event_send(will->world, Hit, {1});
    if (will->frees < 3) {
        stoa_listener_new(will->world, &(stoa_listener_desc){.type = STOA_TYPE_OF(Hit),
                                                             .target = will->e,
                                                             .call = will_hear,
                                                             .user = will,
                                                             .user_free = will_free});
    }
}

/* GEN-05 GEN-06: what is freed with a listener may call the world, but not touch who dies. */
static void freed_listener_cannot_touch_who_dies(void **state) {
    support_world *s = *state;
    testament will = {s->world, stoa_create(s->world), STOA_OK, 0};
    stoa_listener_new(s->world, &(stoa_listener_desc){.type = STOA_TYPE_OF(Hit),
                                                      .target = will.e,
                                                      .call = will_hear,
                                                      .user = &will,
                                                      .user_free = will_free});
    assert_int_equal(stoa_destroy(s->world, will.e), STOA_OK);
    support_assert_misuse(s, will.status, STOA_LOCKED);
    assert_int_equal(will.frees, 1);
    assert_false(stoa_alive(s->world, will.e));
    stoa_listener l = stoa_event_listen(s->world, Hit, will_hear, NULL);
    assert_int_equal(stoa_listener_remove(s->world, l), STOA_OK);
    assert_int_equal(will.frees, 2);
    assert_int_equal(will.status, STOA_DEAD);
    s->asserts_seen = s->asserts;
    events_end(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_EVENTS(listener_added_meanwhile_hears_the_next),
        WITH_EVENTS(listener_removed_meanwhile_is_not_called),
        WITH_EVENTS(listener_removes_itself),
        WITH_EVENTS(destroyed_target_is_told_to_the_others),
        WITH_EVENTS(listeners_go_with_their_entity),
        WITH_EVENTS(each_of_many_hears_its_own),
        WITH_EVENTS(listeners_that_went_take_no_memory),
        WITH_EVENTS(sends_within_sends_are_bounded),
        WITH_EVENTS(value_taken_from_a_component_outlives_it),
        WITH_EVENTS(listener_sends_on_what_it_hears),
        WITH_EVENTS(freed_listener_cannot_touch_who_dies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Events: sending them, and the listeners that hear them at once. */
#include "world/event_fixture.h"

/* EVT-01 */
static void listeners_are_called_in_the_order_they_came(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    notes heard = {0};
    stoa_entity e = stoa_create(w), other = stoa_create(w);
    hearer a = ear_make(&heard, 'a'), b = ear_make(&heard, 'b'), c = ear_make(&heard, 'c'),
           d = ear_make(&heard, 'd'), x = ear_make(&heard, 'x');
    ear_open(w, &a, e);
    ear_open(w, &b, STOA_NULL);
    ear_open(w, &x, other);
    ear_open(w, &c, e);
    ear_open(w, &d, STOA_NULL);
    assert_int_equal(stoa_event_send_to(w, e, Hit, {5}), STOA_OK);
    heard_verify(&heard, "abcd");
    assert_int_equal(heard.last, 5);
    assert_int_equal(stoa_event_send_to(w, other, Hit, {6}), STOA_OK);
    heard_verify(&heard, "bxd");
    assert_int_equal(stoa_event_send(w, Hit, {7}), STOA_OK);
    heard_verify(&heard, "bd");
    assert_int_equal(heard.last, 7);
    assert_int_equal(stoa_event_send(w, Alarm, {0}), STOA_OK);
    heard_verify(&heard, "");
    events_end(*state);
}

/* EVT-01 */
static void order_holds_when_listeners_come_and_go(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    notes heard = {0};
    stoa_entity e = stoa_create(w);
    const stoa_entity targets[] = {STOA_NULL, e};
    for (int i = 0; i < 2; i++) {
        hearer a = ear_make(&heard, 'a'), b = ear_make(&heard, 'b'), c = ear_make(&heard, 'c'),
               d = ear_make(&heard, 'd'), x = ear_make(&heard, 'x');
        ear_open(w, &a, targets[i]);
        ear_open(w, &b, targets[i]);
        stoa_listener alarm = stoa_listener_new(
            w, &(stoa_listener_desc){
                   .type = STOA_TYPE_OF(Alarm), .target = e, .call = ear_hear, .user = &x});
        ear_open(w, &c, targets[i]);
        stoa_listener_remove(w, c.listener);
        ear_open(w, &d, targets[i]);
        stoa_event_send_to(w, e, Hit, {1});
        heard_verify(&heard, "abd");
        stoa_listener_remove(w, b.listener);
        ear_open(w, &c, targets[i]);
        stoa_event_send_to(w, e, Hit, {1});
        heard_verify(&heard, "adc");
        stoa_event_send_to(w, e, Alarm, {0});
        heard_verify(&heard, "x");
        stoa_listener_remove(w, a.listener);
        ear_open(w, &b, targets[i]);
        stoa_event_send_to(w, e, Hit, {1});
        heard_verify(&heard, "dcb");
        stoa_listener_remove(w, alarm);
        stoa_listener_remove(w, b.listener);
        stoa_listener_remove(w, c.listener);
        stoa_listener_remove(w, d.listener);
        stoa_event_send_to(w, e, Hit, {1});
        heard_verify(&heard, "");
    }
}

/* EVT-01 */
static void event_tells_value_target_and_type(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    notes heard = {0};
    hearer a = ear_make(&heard, 'a'), b = ear_make(&heard, 'b');
    ear_open(w, &a, STOA_NULL);
    stoa_component alarm = stoa_id(w, Alarm);
    stoa_listener_new(w, &(stoa_listener_desc){.component = alarm, .call = ear_hear, .user = &b});
    stoa_entity e = stoa_create(w);
    stoa_event_send_to(w, e, Hit, {3});
    assert_true(stoa_entity_eq(heard.event.target, e));
    assert_int_equal(heard.event.type, stoa_id(w, Hit));
    assert_non_null(heard.event.data);
    stoa_event_send(w, Alarm, {0});
    heard_verify(&heard, "ab");
    assert_true(stoa_entity_is_null(heard.event.target));
    assert_int_equal(heard.event.type, alarm);
    assert_null(heard.event.data);
    Hit hit = {8};
    assert_int_equal(stoa_event_send_id(w, e, stoa_id(w, Hit), &hit, sizeof hit), STOA_OK);
    assert_int_equal(stoa_event_send_id(w, e, alarm, NULL, 0), STOA_OK);
    heard_verify(&heard, "ab");
    assert_int_equal(heard.last, 8);
    assert_true(stoa_entity_eq(heard.event.target, e));
    events_end(*state);
}

/* EVT-01 CMP-11 */
static void event_that_nobody_hears_is_dropped(void **state) {
    support_world *s = *state;
    (void)stoa_id(s->world, Box);
    size_t bytes = s->heap.bytes, allocations = s->heap.allocations;
    for (int32_t i = 1; i <= 10; i++) {
        assert_int_equal(box_send(s->world, STOA_NULL, i), STOA_OK);
        assert_int_equal(box_drops, i);
    }
    assert_int_equal(s->heap.bytes, bytes);
    assert_int_equal(s->heap.allocations, allocations);
}

static void box_hear(stoa_world *world, const stoa_event *event, void *user) {
    (void)world;
    const Box *box = event->data;
    assert_ptr_equal(box->self, box);
    *(int32_t *)user += *box->number;
    assert_int_equal(box_drops, 0);
}

/* EVT-01 CMP-11 */
static void value_lives_until_all_have_heard_it(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    int32_t sum = 0;
    for (int i = 0; i < 3; i++) {
        stoa_event_listen(w, Box, box_hear, &sum);
    }
    assert_int_equal(box_send(w, STOA_NULL, 7), STOA_OK);
    assert_int_equal(sum, 21);
    assert_int_equal(box_drops, 1);
    assert_int_equal(boxes, 0);
}

static void hook_send(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)user;
    stoa_event_send_type(world, e, STOA_TYPE_OF(Hit), value);
}

/* EVT-01: not structural, so neither iterations nor hooks stand in the way. */
static void events_are_sent_under_iteration_and_by_hooks(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    notes heard = {0};
    hearer a = ear_make(&heard, 'a');
    ear_open(w, &a, STOA_NULL);
    stoa_on_set(w, Hit, hook_send, NULL);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Hit, {9}));
    heard_verify(&heard, "a");
    assert_int_equal(heard.last, 9);
    stoa_query *query = stoa_query_parse(w, "const Hit");
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        assert_int_equal(stoa_event_send_to(w, it.entities[0], Hit, {10}), STOA_OK);
        assert_int_not_equal(stoa_event_listen(w, Alarm, ear_hear, &a).id, 0);
    }
    heard_verify(&heard, "a");
    assert_true(stoa_entity_eq(heard.event.target, e));
    events_end(*state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_EVENTS(listeners_are_called_in_the_order_they_came),
        WITH_EVENTS(order_holds_when_listeners_come_and_go),
        WITH_EVENTS(event_tells_value_target_and_type),
        WITH_EVENTS(event_that_nobody_hears_is_dropped),
        WITH_EVENTS(value_lives_until_all_have_heard_it),
        WITH_EVENTS(events_are_sent_under_iteration_and_by_hooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

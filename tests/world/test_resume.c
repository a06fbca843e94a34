/* What a world goes on by: the log, queues of events, last runs of queries, ticks of resources;
 * taken down, set, and refused. */
#include "support/support.h"

#include "stoa/resume.h"

STOA_COMPONENT(Ring, { int32_t loud; });

/* CHG-01 */
static void log_is_taken_down_and_set(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_log_content content;
    stoa_log_entry entries[4];
    assert_int_equal(stoa_log_get(w, NULL, 0, &content), STOA_OK);
    assert_int_equal(content.capacity, 0);
    assert_int_equal(stoa_log_keep(w, 3), STOA_OK);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Ring, {1}));
    stoa_remove(w, e, Ring);
    uint32_t first = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_destroy(w, e);
    assert_int_equal(stoa_log_get(w, entries, 4, &content), STOA_OK);
    assert_int_equal(content.count, 2);
    assert_int_equal(content.capacity, 3);
    assert_int_equal(entries[0].component, stoa_id(w, Ring));
    assert_int_equal(entries[0].tick, first);
    assert_int_equal(entries[1].component, 0);
    /* Only as many as there is room for. */
    entries[1].tick = 77;
    assert_int_equal(stoa_log_get(w, entries, 1, &content), STOA_OK);
    assert_int_equal(content.count, 2);
    assert_int_equal(entries[1].tick, 77);
    /* More than the log has room for: the oldest are lost. */
    stoa_log_entry more[4];
    for (uint32_t i = 0; i < 4; i++) {
        more[i] = (stoa_log_entry){e, 0, first + (i > 0)};
    }
    assert_int_equal(stoa_log_set(w, &(stoa_log_content){.entries = more, .count = 4}), STOA_OK);
    assert_int_equal(stoa_log_get(w, entries, 4, &content), STOA_OK);
    assert_int_equal(content.count, 3);
    assert_true(content.lost && content.lost_tick == first);
    stoa_log log = stoa_destroyed_since(w, first);
    assert_true(stoa_log_next(&log) && !log.lost);
    assert_true(stoa_destroyed_since(w, first - 1).lost);
}

/* CHG-01 GEN-05 */
static void bad_logs_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_log_content content = {.count = 0};
    stoa_log_entry entries[2] = {{STOA_NULL, 0, stoa_tick(w)}, {STOA_NULL, 0, stoa_tick(w) - 1}};
    assert_int_equal(stoa_log_get(NULL, NULL, 0, &content), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_log_get(w, NULL, 0, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_log_get(w, NULL, 2, &content), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_log_set(NULL, &content), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_log_set(w, NULL), STOA_NULL_ARGUMENT);
    content = (stoa_log_content){.entries = entries, .count = 2};
    support_assert_misuse(s, stoa_log_set(w, &content), STOA_INVALID);
    content.count = -1;
    support_assert_misuse(s, stoa_log_set(w, &content), STOA_INVALID);
    content = (stoa_log_content){.count = 1};
    support_assert_misuse(s, stoa_log_set(w, &content), STOA_INVALID);
    entries[0].tick = stoa_tick(w) + 1;
    content = (stoa_log_content){.entries = entries, .count = 1};
    support_assert_misuse(s, stoa_log_set(w, &content), STOA_INVALID);
    content = (stoa_log_content){.lost = true, .lost_tick = stoa_tick(w) + 1};
    support_assert_misuse(s, stoa_log_set(w, &content), STOA_INVALID);
    /* Where none is kept there is nothing to set. */
    content = (stoa_log_content){.entries = entries + 1, .count = 1};
    assert_int_equal(stoa_log_set(w, &content), STOA_OK);
    assert_int_equal(stoa_log_get(w, NULL, 0, &content), STOA_OK);
    assert_int_equal(content.count, 0);
}

/* EVT-01 */
static void queue_is_taken_down_and_set(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Ring);
    stoa_event event;
    assert_int_equal(stoa_event_queue_get(w, id).reader_count, 0);
    stoa_reader *first = stoa_reader_new(w, Ring);
    stoa_reader *second = stoa_reader_new(w, Ring);
    stoa_event_send(w, Ring, {1});
    stoa_event_send(w, Ring, {2});
    stoa_event_send(w, Ring, {3});
    assert_true(stoa_event_read(first, &event) && stoa_event_read(second, &event));
    assert_true(stoa_event_read(second, &event));
    assert_int_equal(stoa_event_queue_get(w, id).count, 2);
    assert_int_equal(stoa_event_reader_at(w, id, 0).unread, 2);
    assert_int_equal(stoa_event_reader_at(w, id, 1).unread, 1);
    assert_int_equal(stoa_event_reader_at(w, id, 2).unread, 0);
    assert_true(stoa_event_queue_at(w, id, 1, &event));
    assert_int_equal(((const Ring *)event.data)->loud, 3);
    assert_false(stoa_event_queue_at(w, id, 2, &event));

    Ring values[3] = {{7}, {8}, {9}};
    const stoa_entity targets[3] = {{0, 0}, {5, 1}, {0, 0}};
    const stoa_reader_state readers[] = {{1, 4}, {3, 0}};
    assert_int_equal(stoa_event_queue_reserve(w, id, 3), STOA_OK);
    assert_int_equal(stoa_event_queue_set(w, id, targets, values, 3, readers, 2), STOA_OK);
    assert_int_equal(stoa_reader_count(first), 1);
    assert_int_equal(stoa_reader_lost(first), 4);
    assert_int_equal(stoa_reader_count(second), 3);
    assert_true(stoa_event_read(second, &event) && stoa_event_read(second, &event));
    assert_true(((const Ring *)event.data)->loud == 8 && event.target.index == 5);
    stoa_event_send(w, Ring, {10});
    assert_int_equal(stoa_reader_count(first), 2);

    /* Beyond the limit the oldest are lost, for those who had not read them. */
    assert_int_equal(stoa_event_limit(w, Ring, 2), STOA_OK);
    assert_int_equal(stoa_event_queue_set(w, id, targets, values, 3, readers, 2), STOA_OK);
    assert_int_equal(stoa_reader_count(first), 1);
    assert_int_equal(stoa_reader_lost(first), 4);
    assert_int_equal(stoa_reader_count(second), 2);
    assert_int_equal(stoa_reader_lost(second), 1);
    assert_true(stoa_event_read(second, &event));
    assert_int_equal(((const Ring *)event.data)->loud, 8);
    /* Without states they have read everything. */
    assert_int_equal(stoa_event_queue_set(w, id, NULL, NULL, 0, NULL, 0), STOA_OK);
    assert_int_equal(stoa_reader_count(first) + stoa_reader_count(second), 0);
}

/* EVT-01 GEN-05 */
static void bad_queues_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Ring);
    const stoa_entity target = STOA_NULL;
    Ring value = {1};
    assert_int_equal(stoa_event_queue_get(NULL, id).count, 0);
    assert_int_equal(stoa_event_queue_reserve(NULL, id, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_event_queue_reserve(w, id, 1), STOA_NOT_FOUND);
    assert_int_equal(stoa_event_queue_set(w, 99, &target, &value, 1, NULL, 0), STOA_NOT_FOUND);
    assert_non_null(stoa_reader_new(w, Ring));
    support_assert_misuse(s, stoa_event_queue_set(w, id, &target, &value, 1, NULL, 0),
                          STOA_INVALID);
    assert_int_equal(stoa_event_queue_reserve(w, id, 1), STOA_OK);
    support_assert_misuse(s, stoa_event_queue_set(w, id, NULL, &value, 1, NULL, 0), STOA_INVALID);
    support_assert_misuse(s, stoa_event_queue_set(w, id, &target, NULL, 1, NULL, 0), STOA_INVALID);
    support_assert_misuse(s, stoa_event_queue_set(w, id, &target, &value, 1, NULL, 1),
                          STOA_INVALID);
    support_assert_misuse(s, stoa_event_queue_set(w, id, &target, &value, -1, NULL, 0),
                          STOA_INVALID);
    s->heap.fail_at = 1;
    assert_int_equal(stoa_event_queue_reserve(w, id, 1000), STOA_NO_MEMORY);
    s->heap.fail_at = 0;
    assert_int_equal(stoa_event_queue_get(w, id).count, 0);
}

/* QRY-08 RES-01 */
static void runs_and_ticks_are_taken_down_and_set(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_query *q =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Ring), STOA_CHANGED(Ring)}});
    stoa_query_run run;
    stoa_create_with(w, STOA_VALUE(Ring, {1}));
    assert_int_equal(stoa_query_run_get(q, &run), STOA_OK);
    assert_false(run.ran);
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        support_assert_misuse(s, stoa_query_run_set(q, run), STOA_ITERATING);
    }
    assert_int_equal(stoa_query_count(q), 0);
    assert_int_equal(stoa_query_run_set(q, run), STOA_OK);
    assert_int_equal(stoa_query_count(q), 1);
    assert_int_equal(stoa_query_run_get(NULL, &run), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_run_get(q, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_run_set(NULL, run), STOA_NULL_ARGUMENT);

    stoa_component id = stoa_id(w, Ring);
    assert_int_equal(stoa_resource_tick(w, id), 0);
    assert_int_equal(stoa_resource_tick_set(w, id, 5), STOA_MISSING);
    stoa_resource_set(w, Ring, {1});
    assert_int_equal(stoa_resource_tick(w, id), stoa_tick(w));
    assert_int_equal(stoa_resource_tick_set(w, id, stoa_tick(w) - 1), STOA_OK);
    assert_false(stoa_resource_changed(w, Ring, stoa_tick(w) - 1));
    assert_int_equal(stoa_resource_tick_set(NULL, id, 5), STOA_NULL_ARGUMENT);
    s->asserts_seen = s->asserts;
}

int main(void) {
#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        WITH_WORLD(log_is_taken_down_and_set),
        WITH_WORLD(bad_logs_are_refused),
        WITH_WORLD(queue_is_taken_down_and_set),
        WITH_WORLD(bad_queues_are_refused),
        WITH_WORLD(runs_and_ticks_are_taken_down_and_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Components of entities, resources and whole entities as text; cut texts; misuse. */
#include "model/print_fixture.h"

STOA_COMPONENT_WITH(Burning, STOA_OPTIONS(.flags = STOA_SPARSE), { float seconds; });
STOA_COMPONENT_WITH(Lamp, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { int32_t oil; });
STOA_COMPONENT_WITH(Glow, STOA_OPTIONS(.flags = STOA_SWITCHABLE | STOA_SPARSE), { int32_t power; });
STOA_TAG_WITH(Seen, STOA_OPTIONS(.flags = STOA_SPARSE));
STOA_TAG_WITH(Awake, STOA_OPTIONS(.flags = STOA_SWITCHABLE));
STOA_COMPONENT_WITH(Secret, STOA_OPTIONS(.flags = STOA_HIDDEN), { int32_t code; });

/* NAM-03 */
static void component_of_an_entity_prints(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2.5f}), STOA_ZERO(Frozen),
                                     STOA_VALUE(Burning, {3}), STOA_VALUE(Secret, {4}));
    char text[64];
    assert_int_equal(stoa_print(w, e, Position, text, sizeof text), 23);
    assert_string_equal(text, "Position {x: 1, y: 2.5}");
    assert_string_equal(PRINTED(stoa_print_component, w, e, stoa_id(w, Burning)),
                        "Burning {seconds: 3}");
    assert_string_equal(PRINTED(stoa_print_component, w, e, stoa_id(w, Frozen)), "Frozen");
    assert_string_equal(PRINTED(stoa_print_component, w, e, stoa_id(w, Secret)),
                        "Secret {code: 4}");
}

/* NAM-03 */
static void absent_component_prints_as_a_dash(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2})), gone = stoa_create(w);
    stoa_component health = stoa_id(w, Health);
    assert_int_equal(stoa_destroy(w, gone), STOA_OK);
    char text[8] = "";
    stoa_error_clear();
    assert_string_equal(PRINTED(stoa_print_component, w, e, health), "-");
    assert_string_equal(PRINTED(stoa_print_component, w, e, stoa_id(w, Burning)), "-");
    assert_string_equal(PRINTED(stoa_print_component, w, e, stoa_id(w, Frozen)), "-");
    assert_string_equal(PRINTED(stoa_print_component, w, gone, health), "-");
    assert_string_equal(PRINTED(stoa_print_component, w, STOA_NULL, health), "-");
    assert_string_equal(PRINTED(stoa_print_component, w, ((stoa_entity){99, 99}), health), "-");
    assert_string_equal(PRINTED(stoa_print_component, w, e, 0), "-");
    assert_string_equal(PRINTED(stoa_print_component, w, e, 4711), "-");
    assert_string_equal(PRINTED(stoa_print_id, w, health, NULL), "-");
    assert_string_equal(PRINTED(stoa_print_value, w, health, NULL), "-");
    assert_string_equal(PRINTED(stoa_print_id, w, 0, "x"), "-");
    assert_string_equal(PRINTED(stoa_print_id, w, UINT32_MAX, "x"), "-");
    /* A type that the world has never met. */
    assert_int_equal(stoa_print(w, e, Glow, text, sizeof text), 1);
    assert_string_equal(text, "-");
    assert_int_equal(stoa_print_type(w, e, NULL, text, sizeof text), 1);
    assert_int_equal(stoa_type_find(w, STOA_TYPE_OF(Glow)), 0);
    assert_int_equal(stoa_last_error().status, STOA_OK);
    assert_int_equal(s->errors, 0);
    support_assert_quiet(s);
}

/* NAM-03 CMP-08 */
static void tag_prints_as_its_name(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_component id = stoa_id(w, Frozen);
    assert_string_equal(PRINTED(stoa_print_id, w, id, NULL), "Frozen");
    assert_string_equal(PRINTED(stoa_print_id, w, id, "x"), "Frozen");
    assert_string_equal(PRINTED(stoa_print_value, w, id, "x"), "");
}

/* NAM-03 RES-01 */
static void resource_prints(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component health = stoa_id(w, Health), frozen = stoa_id(w, Frozen);
    assert_string_equal(PRINTED(stoa_print_resource, w, health), "-");
    assert_string_equal(PRINTED(stoa_print_resource, w, frozen), "-");
    assert_string_equal(PRINTED(stoa_print_resource, w, 0), "-");
    assert_string_equal(PRINTED(stoa_print_resource, w, 99), "-");
    assert_int_equal(stoa_resource_set(w, Health, {3}), STOA_OK);
    assert_int_equal(stoa_resource_set_id(w, frozen, NULL, 0), STOA_OK);
    assert_string_equal(PRINTED(stoa_print_resource, w, health), "Health {points: 3}");
    assert_string_equal(PRINTED(stoa_print_resource, w, frozen), "Frozen");
    assert_int_equal(s->errors, 0);
}

/* NAM-04 */
static void entity_is_described_in_order_of_ids(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_id(w, Burning);
    stoa_id(w, Position);
    stoa_id(w, Seen);
    stoa_id(w, Frozen);
    stoa_id(w, Lamp);
    stoa_id(w, Health);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Health, {5}), STOA_ZERO(Frozen),
                                     STOA_VALUE(Position, {1, 2.5f}), STOA_VALUE(Lamp, {6}),
                                     STOA_ZERO(Seen), STOA_VALUE(Burning, {0.5f}));
    assert_string_equal(PRINTED(stoa_describe, w, e), "1v1\n"
                                                      "  Burning {seconds: 0.5}\n"
                                                      "  Position {x: 1, y: 2.5}\n"
                                                      "  Seen\n"
                                                      "  Frozen\n"
                                                      "  Lamp {oil: 6}\n"
                                                      "  Health {points: 5}");
}

/* NAM-04 CMP-12 CMP-14 */
static void switched_off_is_marked_and_hidden_left_out(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_id(w, Lamp);
    stoa_id(w, Glow);
    stoa_id(w, Awake);
    stoa_entity e =
        stoa_create_with(w, STOA_VALUE(Lamp, {1}), STOA_VALUE(Glow, {2}), STOA_ZERO(Awake),
                         STOA_VALUE(Secret, {3}), STOA_VALUE(Health, {4}));
    assert_int_equal(stoa_enable(w, e, Lamp, false), STOA_OK);
    assert_int_equal(stoa_enable(w, e, Glow, false), STOA_OK);
    assert_int_equal(stoa_enable(w, e, Awake, false), STOA_OK);
    assert_string_equal(PRINTED(stoa_describe, w, e),
                        "1v1\n  Lamp {oil: 1} (off)\n  Glow {power: 2} (off)\n  Awake (off)\n"
                        "  Health {points: 4}");
    assert_int_equal(stoa_enable(w, e, Glow, true), STOA_OK);
    assert_string_equal(PRINTED(stoa_describe, w, e),
                        "1v1\n  Lamp {oil: 1} (off)\n  Glow {power: 2}\n  Awake (off)\n"
                        "  Health {points: 4}");
}

/* NAM-01 NAM-04 */
static void name_is_listed_as_any_component(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Health, {1}));
    assert_int_equal(stoa_name_set(w, e, "the \"first\""), STOA_OK);
    assert_string_equal(PRINTED(stoa_describe, w, e),
                        "1v1\n  Health {points: 1}\n  Name {text: \"the \\\"first\\\"\"}");
}

/* NAM-04 */
static void empty_and_dead_entities_are_described(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    stoa_error_clear();
    assert_string_equal(PRINTED(stoa_describe, w, e), "1v1");
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    assert_string_equal(PRINTED(stoa_describe, w, e), "1v1 dead");
    assert_string_equal(PRINTED(stoa_describe, w, ((stoa_entity){4000000000u, 7})),
                        "4000000000v7 dead");
    assert_string_equal(PRINTED(stoa_describe, w, STOA_NULL), "null");
    assert_int_equal(stoa_last_error().status, STOA_OK);
    assert_int_equal(s->errors, 0);
    support_assert_quiet(s);
}

/* NAM-03 NAM-04: what is cut is told by the length, and nothing is written past the size. */
static void text_is_cut_at_the_size_and_counted(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2.5f}), STOA_VALUE(Lamp, {7}));
    char whole[128], text[128];
    size_t length = stoa_describe(w, e, whole, sizeof whole);
    assert_string_equal(whole, "1v1\n  Position {x: 1, y: 2.5}\n  Lamp {oil: 7}");
    assert_int_equal(stoa_describe(w, e, NULL, 0), length);
    for (size_t size = 0; size <= length + 2; size++) {
        memset(text, '#', sizeof text);
        assert_int_equal(stoa_describe(w, e, text, size), length);
        size_t kept = size == 0 ? 0 : size - 1 < length ? size - 1 : length;
        assert_memory_equal(text, whole, kept);
        assert_int_equal(text[kept], size == 0 ? '#' : '\0');
        assert_int_equal(text[size > kept + 1 ? kept + 1 : size], '#');
    }
    assert_int_equal(stoa_print_component(w, e, stoa_id(w, Lamp), text, 5), 13);
    assert_string_equal(text, "Lamp");
    assert_int_equal(stoa_print_component(w, STOA_NULL, 1, text, 1), 1);
    assert_string_equal(text, "");
    assert_int_equal(stoa_print_resource(w, stoa_id(w, Lamp), NULL, 0), 1);
}

/* NAM-03 GEN-05 */
static void null_world_or_buffer_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Health);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Health, {1}));
    int32_t value = 5;
    char text[4] = "abc";
    assert_int_equal(stoa_print_id(w, id, &value, NULL, 5), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    support_assert_message("buffer");
    assert_int_equal(stoa_print_value(w, id, &value, NULL, 5), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_print_component(w, e, id, NULL, 5), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_print_resource(w, id, NULL, 5), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_describe(w, e, NULL, 5), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(s->errors, 5);
    stoa_error_clear();
    assert_int_equal(stoa_describe(NULL, e, text, sizeof text), 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    support_assert_message("world");
    assert_string_equal(text, "");
    assert_int_equal(stoa_print_id(NULL, id, &value, text, sizeof text), 0);
    assert_int_equal(stoa_print_type(NULL, e, STOA_TYPE_OF(Health), NULL, 0), 0);
    assert_int_equal(stoa_print_resource(NULL, id, text, sizeof text), 0);
}

/* NAM-03 NAM-04 CHG-02 */
static void printing_needs_no_memory_and_marks_nothing(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Burning, {1}));
    assert_int_equal(stoa_resource_set(w, Health, {3}), STOA_OK);
    uint32_t tick = stoa_tick(w);
    stoa_tick_advance(w);
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    size_t allocations = s->heap.allocations;
    assert_string_equal(PRINTED(stoa_describe, w, e),
                        "1v1\n  Position {x: 1, y: 2}\n  Burning {seconds: 1}");
    assert_string_equal(PRINTED(stoa_print_resource, w, stoa_id(w, Health)), "Health {points: 3}");
    assert_int_equal(s->heap.allocations, allocations);
    s->heap.fail_at = 0;
    assert_false(stoa_changed(w, e, Position, tick));
    assert_false(stoa_changed(w, e, Burning, tick));
    assert_false(stoa_resource_changed(w, Health, tick));
}

static bool allow_health(const stoa_guard *guard, stoa_component id, bool resource, bool write) {
    (void)resource;
    return !write && id == *(const stoa_component *)guard->user;
}

/* NAM-03 NAM-04 SYS-14: what a system did not declare is not shown to it, in a debug build. */
static void guard_is_asked_before_a_value_is_read(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Health, {3}),
                                     STOA_ZERO(Frozen), STOA_VALUE(Burning, {4}));
    stoa_component position = stoa_id(w, Position), health = stoa_id(w, Health);
    assert_int_equal(stoa_resource_set(w, Position, {5, 6}), STOA_OK);
    assert_int_equal(stoa_resource_set_id(w, stoa_id(w, Frozen), NULL, 0), STOA_OK);
    stoa_guard guard = {w, "viewer", allow_health, &health};
    char open[128], closed[128], resource[64];
    assert_true(stoa_describe(w, e, open, sizeof open) < sizeof open);
    stoa_guard_set(&guard);
    assert_true(stoa_describe(w, e, closed, sizeof closed) < sizeof closed);
    stoa_print_resource(w, position, resource, sizeof resource);
    assert_string_equal(PRINTED(stoa_print_component, w, e, health), "Health {points: 3}");
    assert_string_equal(PRINTED(stoa_print_resource, w, stoa_id(w, Frozen)), "Frozen");
    stoa_guard_set(NULL);
#ifdef STOA_DEBUG
    assert_string_equal(closed, "1v1\n  Position <refused>\n  Health {points: 3}\n  Frozen\n"
                                "  Burning <refused>");
    assert_string_equal(resource, "Position <refused>");
    assert_int_equal(s->errors, 3);
    assert_int_equal(stoa_last_error().status, STOA_ACCESS);
#else
    assert_string_equal(closed, open);
    assert_string_equal(resource, "Position {x: 5, y: 6}");
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(component_of_an_entity_prints),
        TEST(absent_component_prints_as_a_dash),
        TEST(tag_prints_as_its_name),
        TEST(resource_prints),
        TEST(entity_is_described_in_order_of_ids),
        TEST(switched_off_is_marked_and_hidden_left_out),
        TEST(name_is_listed_as_any_component),
        TEST(empty_and_dead_entities_are_described),
        TEST(text_is_cut_at_the_size_and_counted),
        TEST(null_world_or_buffer_is_refused),
        TEST(printing_needs_no_memory_and_marks_nothing),
        TEST(guard_is_asked_before_a_value_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

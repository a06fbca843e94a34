/* Hostile calls to what reacts to changes and puts them off: dead and forged handles, unknown ids,
 * null pointers, buffers in the wrong place.
 *
 * Each is refused with a status that fits and leaves the world as it was. */
#include <stdlib.h>

#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { float degrees; });
STOA_COMPONENT_WITH(Shield, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint32_t points; });
STOA_COMPONENT_WITH(Health, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t points; });

/* The status of a call that gives something or nothing. */
static stoa_status given(bool something) {
    return something ? STOA_OK : stoa_last_error().status;
}

static void nothing_hook(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)value;
    (void)user;
}

static void nothing_observe(stoa_world *world, stoa_entity e, void *user) {
    (void)world;
    (void)e;
    (void)user;
}

static void nothing_hear(stoa_world *world, const stoa_event *event, void *user) {
    (void)world;
    (void)event;
    (void)user;
}

/* An entity with everything, a query, a reader and a log; for calls that must change nothing. */
static stoa_entity world_fill(support_world *s) {
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Heat, {3}),
                                     STOA_VALUE(Shield, {4}), STOA_VALUE(Health, {5}));
    assert_int_equal(stoa_log_keep(w, 8), STOA_OK);
    assert_int_equal(stoa_resource_set(w, Position, {1, 1}), STOA_OK);
    assert_false(stoa_entity_is_null(e));
    return e;
}

/* Every call on one entity treats the handle as that of a dead one. */
static void handle_is_refused(support_world *s, stoa_entity e) {
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Heat);
    Position value = {1, 2};
    uint64_t hash = stoa_hash(w);
    assert_false(stoa_enabled(w, e, Heat));
    assert_false(stoa_enabled_id(w, e, id));
    assert_false(stoa_changed(w, e, Heat, 0));
    assert_false(stoa_changed_id(w, e, id, stoa_tick(w) - 5));
    assert_false(stoa_added(w, e, Health, 0));
    assert_false(stoa_added_id(w, e, id, stoa_tick(w) - 5));
    support_assert_quiet(s);
    support_assert_misuse(s, stoa_enable(w, e, Heat, false), STOA_DEAD);
    support_assert_misuse(s, stoa_enable_id(w, e, id, true), STOA_DEAD);
    if (!stoa_entity_is_null(e)) {
        stoa_listener_desc desc = {
            .type = STOA_TYPE_OF(Position), .target = e, .call = nothing_hear};
        support_assert_misuse(s, stoa_event_send_to(w, e, Position, {1, 2}), STOA_DEAD);
        support_assert_misuse(
            s, stoa_event_send_id(w, e, stoa_id(w, Position), &value, sizeof value), STOA_DEAD);
        support_assert_misuse(s, given(stoa_listener_new(w, &desc).id != 0), STOA_DEAD);
        /* A handle that means nothing now may mean something by the flush: it is only skipped. */
        stoa_commands *c = stoa_deferred(w);
        int64_t skipped = stoa_commands_skipped(c);
        assert_int_equal(stoa_commands_destroy(c, e), STOA_OK);
        assert_int_equal(stoa_commands_set(c, e, Position, {1, 2}), STOA_OK);
        assert_int_equal(stoa_commands_add(c, e, Heat), STOA_OK);
        assert_int_equal(stoa_commands_remove(c, e, Position), STOA_OK);
        assert_int_equal(stoa_commands_enable(c, e, Shield, false), STOA_OK);
        assert_int_equal(stoa_commands_change(c, e, STOA_ZERO(Health), STOA_REMOVE(Heat)), STOA_OK);
        assert_int_equal(stoa_flush(w), STOA_OK);
        assert_int_equal(stoa_commands_skipped(c), skipped + 6);
        support_assert_quiet(s);
    }
    assert_int_equal(stoa_hash(w), hash);
}

/* GEN-05 ENT-02 ENT-03 CMP-12 CHG-04 CMD-02 EVT-01 */
static void forged_handle_is_refused_by_every_call(void **state) {
    support_world *s = *state;
    stoa_entity alive = world_fill(s);
    stoa_entity dead = stoa_create_with(s->world, STOA_VALUE(Heat, {3}));
    stoa_entity pending = stoa_commands_create(stoa_commands_new(s->world));
    assert_int_equal(stoa_destroy(s->world, dead), STOA_OK);
    const stoa_entity forged[] = {
        STOA_NULL,
        dead,
        pending,
        {0, 1},
        {alive.index, 0},
        {alive.index, alive.generation + 1},
        {alive.index, alive.generation | 0x80000000u},
        {dead.index, dead.generation + 1},
        {dead.index, dead.generation | 0x80000000u},
        {pending.index, pending.generation + 1},
        {pending.index, pending.generation | 0x80000000u},
        {pending.index + 1, 1},
        {0x7FFFFFFF, 1},
        {UINT32_MAX, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        handle_is_refused(s, forged[i]);
    }
    assert_int_equal(stoa_count(s->world), 1);
}

/* Every call by id refuses one that the world did not give out. */
static void id_is_refused(support_world *s, stoa_entity e, stoa_query *q, stoa_component id) {
    stoa_world *w = s->world;
    Position value = {1, 2};
    stoa_hook_desc hook = {.component = id, .call = nothing_hook};
    stoa_listener_desc listener = {.component = id, .call = nothing_hear};
    stoa_observer_desc observer = {.query = {.terms = {{.id = id, .access = STOA_ACCESS_READ}}},
                                   .enter = nothing_observe};
    assert_false(stoa_enabled_id(w, e, id));
    assert_false(stoa_changed_id(w, e, id, 0));
    assert_false(stoa_added_id(w, e, id, 0));
    assert_null(stoa_resource_try_id(w, id));
    assert_null(stoa_resource_try_mut_id(w, id));
    assert_false(stoa_resource_has_id(w, id));
    assert_false(stoa_resource_changed_id(w, id, 0));
    support_assert_quiet(s);
    support_assert_misuse(s, stoa_enable_id(w, e, id, true), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_resource_set_id(w, id, &value, sizeof value), STOA_UNKNOWN);
    support_assert_misuse(s, given(stoa_resource_id(w, id) != NULL), STOA_UNKNOWN);
    support_assert_misuse(s, given(stoa_resource_mut_id(w, id) != NULL), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_resource_remove_id(w, id), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_event_send_id(w, STOA_NULL, id, &value, sizeof value),
                          STOA_UNKNOWN);
    support_assert_misuse(s, stoa_event_limit_id(w, id, 4), STOA_UNKNOWN);
    support_assert_misuse(s, given(stoa_reader_new_id(w, id) != NULL), STOA_UNKNOWN);
    support_assert_misuse(s, given(stoa_listener_new(w, &listener).id != 0), STOA_UNKNOWN);
    support_assert_misuse(s, given(stoa_hook_new(w, &hook).id != 0), STOA_UNKNOWN);
    support_assert_misuse(s, given(stoa_observe(w, &observer).id != 0), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_query_add_id(q, id), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_query_set_id(q, id, &value, sizeof value), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_query_remove_id(q, id), STOA_UNKNOWN);
    if (id != 0) {
        stoa_log log = stoa_log_since(w, id, 0);
        support_assert_misuse(s, stoa_last_error().status, STOA_UNKNOWN);
        assert_false(stoa_log_next(&log));
        assert_true(log.lost);
    }
}

/* GEN-05 CMP-05 */
static void unknown_id_is_refused_by_every_call(void **state) {
    support_world *s = *state;
    stoa_entity e = world_fill(s);
    stoa_query *q = stoa_query_parse(s->world, "Position");
    uint32_t count = (uint32_t)stoa_component_count(s->world);
    uint32_t known = stoa_id(s->world, Position);
    const uint32_t ids[] = {0,           count + 1,           count + 64, 0x7FFFFFFF,
                            0x80000000u, 0x80000000u | known, UINT32_MAX};
    uint64_t hash = stoa_hash(s->world);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        id_is_refused(s, e, q, ids[i]);
        assert_int_equal(stoa_hash(s->world), hash);
    }
}

/* GEN-05: without a world only the thread's error tells. */
static void null_world_is_refused(void **state) {
    (void)state;
    stoa_world *n = NULL;
    const stoa_entity e = {4, 1};
    const Position value = {1, 2};
    stoa_hook_desc hook = {.component = 1, .call = nothing_hook};
    stoa_listener_desc listener = {.component = 1, .call = nothing_hear};
    stoa_observer_desc observer = {.query = {.terms = {STOA_READ(Position)}},
                                   .enter = nothing_observe};
    const stoa_status statuses[] = {
        stoa_enable(n, e, Heat, true),
        stoa_enable_id(n, e, 1, true),
        stoa_log_keep(n, 4),
        stoa_resource_set(n, Position, {1, 2}),
        stoa_resource_set_id(n, 1, &value, sizeof value),
        given(stoa_resource(n, Position) != NULL),
        given(stoa_resource_mut(n, Position) != NULL),
        given(stoa_resource_id(n, 1) != NULL),
        given(stoa_resource_mut_id(n, 1) != NULL),
        stoa_resource_remove(n, Position),
        stoa_resource_remove_id(n, 1),
        stoa_event_send(n, Position, {1, 2}),
        stoa_event_send_id(n, e, 1, &value, sizeof value),
        stoa_event_limit(n, Position, 3),
        stoa_event_limit_id(n, 1, 3),
        given(stoa_reader_new(n, Position) != NULL),
        given(stoa_reader_new_id(n, 1) != NULL),
        given(stoa_listener_new(n, &listener).id != 0),
        stoa_listener_remove(n, (stoa_listener){1}),
        given(stoa_hook_new(n, &hook).id != 0),
        given(stoa_observe(n, &observer).id != 0),
        stoa_hook_remove(n, (stoa_hook){1}),
        stoa_query_add(NULL, Position),
        stoa_query_set(NULL, Position, {1, 2}),
        stoa_query_remove(NULL, Position),
        stoa_query_add_id(NULL, 1),
        stoa_query_set_id(NULL, 1, &value, sizeof value),
        stoa_query_remove_id(NULL, 1),
        stoa_query_destroy(NULL),
    };
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        if (statuses[i] != STOA_NULL_ARGUMENT) {
            fail_msg("call %zu: %s", i, stoa_status_text(statuses[i]));
        }
    }
}

/* GEN-05 ACC-10: what is asked quietly has a quiet answer. */
static void question_to_a_null_world_is_answered(void **state) {
    (void)state;
    stoa_world *n = NULL;
    const stoa_entity e = {4, 1};
    assert_false(stoa_enabled(n, e, Heat));
    assert_false(stoa_changed(n, e, Heat, 0));
    assert_false(stoa_added_id(n, e, 1, 0));
    assert_null(stoa_resource_try(n, Position));
    assert_null(stoa_resource_try_mut(n, Position));
    assert_false(stoa_resource_has(n, Position));
    assert_false(stoa_resource_changed(n, Position, 0));
    assert_int_equal(stoa_resource_next(n, 0), 0);
    assert_int_equal(stoa_tick(n), 0);
    assert_int_equal(stoa_tick_advance(n), 0);
    stoa_log log = stoa_log_since(n, 0, 0);
    assert_false(stoa_log_next(&log));
    assert_false(stoa_log_next(NULL));
    assert_int_equal(stoa_query_last_run(NULL), 0);
    stoa_iter it = stoa_query_iter_since(NULL, 0);
    assert_false(stoa_iter_next(&it));
}

/* GEN-05: a world, and nothing else that is needed. */
static void null_argument_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = world_fill(s);
    stoa_query *q = stoa_query_parse(w, "Position");
    stoa_component id = stoa_id(w, Position);
    uint64_t hash = stoa_hash(w);
    stoa_hook_desc hook = {.component = id};
    stoa_listener_desc listener = {.component = id};
    stoa_observer_desc observer = {.query = {.terms = {STOA_READ(Position)}}};
    support_assert_misuse(s, stoa_enable_type(w, e, NULL, true), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_resource_set_type(w, NULL, &e), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_resource_set_type(w, STOA_TYPE_OF(Heat), NULL),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_resource_set_id(w, id, NULL, 8), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, given(stoa_resource_type(w, NULL) != NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, given(stoa_resource_mut_type(w, NULL) != NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_resource_remove_type(w, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_event_send_type(w, e, NULL, &e), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_event_send_type(w, e, STOA_TYPE_OF(Heat), NULL),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_event_send_id(w, e, id, NULL, 8), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_event_limit_type(w, NULL, 3), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, given(stoa_reader_new_type(w, NULL) != NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, given(stoa_listener_new(w, NULL).id != 0), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, given(stoa_listener_new(w, &listener).id != 0), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, given(stoa_hook_new(w, NULL).id != 0), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, given(stoa_hook_new(w, &hook).id != 0), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, given(stoa_observe(w, NULL).id != 0), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, given(stoa_observe(w, &observer).id != 0), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_add_type(q, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_remove_type(q, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_set_type(q, NULL, &e), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_set_type(q, STOA_TYPE_OF(Heat), NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_set_id(q, id, NULL, 8), STOA_NULL_ARGUMENT);
    assert_false(stoa_enabled_type(w, e, NULL));
    assert_false(stoa_changed_type(w, e, NULL, 0));
    assert_null(stoa_resource_try_type(w, NULL));
    assert_int_equal(stoa_reader_free(NULL), STOA_OK);
    assert_int_equal(stoa_reader_count(NULL), 0);
    assert_int_equal(stoa_reader_lost(NULL), 0);
    assert_false(stoa_event_read(NULL, NULL));
    s->asserts_seen = s->asserts;
    assert_int_equal(stoa_hash(w), hash);
}

/* GEN-05: counts, sizes and kinds that cannot be. */
static void impossible_number_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = world_fill(s);
    stoa_query *q = stoa_query_parse(w, "Position");
    stoa_component id = stoa_id(w, Position);
    uint64_t hash = stoa_hash(w);
    const Position value = {1, 2};
    stoa_hook_desc hook = {
        .kind = (stoa_hook_kind)7, .type = STOA_TYPE_OF(Position), .call = nothing_hook};
    support_assert_misuse(s, stoa_log_keep(w, -1), STOA_INVALID);
    support_assert_misuse(s, stoa_log_keep(w, INT32_MIN), STOA_INVALID);
    support_assert_misuse(s, stoa_event_limit(w, Position, -1), STOA_INVALID);
    support_assert_misuse(s, stoa_event_send_id(w, e, id, &value, 7), STOA_INVALID);
    support_assert_misuse(s, stoa_resource_set_id(w, id, &value, 9), STOA_INVALID);
    support_assert_misuse(s, stoa_query_set_id(q, id, &value, 0), STOA_INVALID);
    support_assert_misuse(s, given(stoa_hook_new(w, &hook).id != 0), STOA_INVALID);
    support_assert_misuse(s, stoa_enable_id(w, e, id, false), STOA_INVALID);
    support_assert_message("Position");
    assert_int_equal(stoa_log_keep(w, INT32_MAX), STOA_NO_MEMORY);
    assert_int_equal(stoa_hook_remove(w, (stoa_hook){77}), STOA_NOT_FOUND);
    assert_int_equal(stoa_hook_remove(w, (stoa_hook){0}), STOA_NOT_FOUND);
    assert_int_equal(stoa_listener_remove(w, (stoa_listener){77}), STOA_NOT_FOUND);
    support_assert_quiet(s);
    assert_int_equal(stoa_hash(w), hash);
}

/* QRY-03 CMP-10 GEN-05: fields by row, of terms and rows that are not there. */
static void field_out_of_its_range_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    (void)world_fill(s);
    stoa_query_desc desc = {
        .terms = {STOA_READ(Heat), STOA_WRITE(Position), STOA_FILTER(Health), STOA_CHANGED(Heat)}};
    stoa_iter it = stoa_query_once(w, &desc);
    assert_true(stoa_iter_next(&it));
    const int32_t rows[] = {-1, 1, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 4; i++) {
        support_assert_misuse(s, given(stoa_field_at(&it, Heat, 0, rows[i]) != NULL), STOA_INVALID);
        support_assert_misuse(s, given(stoa_field_at_mut(&it, Position, 1, rows[i]) != NULL),
                              STOA_INVALID);
    }
    const int32_t terms[] = {-1, 4, 31, 32, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 6; i++) {
        support_assert_misuse(s, given(stoa_field_at(&it, Heat, terms[i], 0) != NULL), STOA_ACCESS);
    }
    support_assert_misuse(s, given(stoa_field_at_mut(&it, Heat, 0, 0) != NULL), STOA_ACCESS);
    support_assert_misuse(s, given(stoa_field_at(&it, Health, 2, 0) != NULL), STOA_ACCESS);
    support_assert_misuse(s, given(stoa_field_at(&it, Heat, 3, 0) != NULL), STOA_ACCESS);
    support_assert_misuse(s, given(stoa_field_at_type(&it, STOA_TYPE_OF(Position), 0, 0) != NULL),
                          STOA_ACCESS);
    support_assert_misuse(s, given(stoa_field_at_id(&it, 99, 0, 0) != NULL), STOA_ACCESS);
    support_assert_misuse(s, given(stoa_field_at_type(&it, NULL, 0, 0) != NULL), STOA_ACCESS);
    assert_true(stoa_field_at(&it, Heat, 0, 0)->degrees == 3);
    stoa_iter_end(&it);
    (void)stoa_field_at(&it, Heat, 0, 0);
    (void)stoa_field_at_id(NULL, 1, 0, 0);
    s->asserts_seen = s->asserts;
}

/* GEN-02 GEN-05 CMD-01 CMD-06 */
static void buffer_in_the_wrong_world_does_nothing(void **state) {
    support_world *s = *state;
    support_world other;
    support_world_open(&other);
    stoa_entity foreign = STOA_NULL;
    for (int i = 0; i < 5; i++) {
        foreign = stoa_create_with(other.world, STOA_VALUE(Position, {1, 2}));
    }
    (void)world_fill(s);
    uint64_t hash = stoa_hash(s->world);
    stoa_commands *own = stoa_commands_new(s->world);
    stoa_commands *theirs = stoa_commands_new(other.world);
    /* Handles of another world: dead here. */
    assert_int_equal(stoa_commands_destroy(own, foreign), STOA_OK);
    assert_int_equal(stoa_commands_set(own, foreign, Heat, {1}), STOA_OK);
    assert_int_equal(stoa_commands_flush(own), STOA_OK);
    assert_int_equal(stoa_commands_skipped(own), 2);
    /* A buffer goes to the world it was made for, and can be forked by no other. */
    stoa_commands *both[2] = {own, theirs};
    support_assert_misuse(s, stoa_commands_fork(s->world, both, 2), STOA_INVALID);
    support_assert_message("another world");
    stoa_commands *twice[2] = {own, own};
    support_assert_misuse(s, stoa_commands_fork(s->world, twice, 2), STOA_INVALID);
    support_assert_misuse(s, stoa_commands_fork(s->world, both, -1), STOA_INVALID);
    stoa_commands *none[2] = {own, NULL};
    (void)stoa_commands_fork(s->world, none, 2);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    s->asserts_seen = s->asserts;
    assert_int_equal(stoa_commands_destroy(theirs, foreign), STOA_OK);
    assert_int_equal(stoa_commands_flush(theirs), STOA_OK);
    assert_false(stoa_alive(other.world, foreign));
    /* None of the refused forks is left. */
    assert_int_equal(stoa_commands_set(own, foreign, Heat, {1}), STOA_OK);
    assert_int_equal(stoa_commands_flush(own), STOA_OK);
    assert_int_equal(stoa_hash(s->world), hash);
    support_world_close(&other);
}

/* CMD-06 GEN-05 */
static void join_and_fork_out_of_turn_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    (void)world_fill(s);
    stoa_commands *c = stoa_commands_new(w);
    stoa_status status = stoa_commands_join(w);
    assert_int_not_equal(status, STOA_OK);
    s->asserts_seen = s->asserts;
    assert_int_equal(stoa_commands_fork(w, &c, 1), STOA_OK);
    support_assert_misuse(s, stoa_commands_fork(w, &c, 1), STOA_FORKED);
    support_assert_misuse(s, stoa_commands_flush(c), STOA_FORKED);
    support_assert_misuse(s, stoa_flush(w), STOA_FORKED);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
#ifdef STOA_DEBUG
    assert_int_equal(stoa_commands_free(c), STOA_OK);
    support_assert_misuse(s, stoa_commands_flush(c), STOA_FREED);
    support_assert_misuse(s, stoa_commands_fork(w, &c, 1), STOA_FREED);
    support_assert_misuse(s, stoa_commands_free(c), STOA_FREED);
    support_assert_misuse(s, given(!stoa_entity_is_null(stoa_commands_create(c))), STOA_FREED);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(forged_handle_is_refused_by_every_call, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(unknown_id_is_refused_by_every_call, support_setup,
                                        support_teardown),
        cmocka_unit_test(null_world_is_refused),
        cmocka_unit_test(question_to_a_null_world_is_answered),
        cmocka_unit_test_setup_teardown(null_argument_is_refused, support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(impossible_number_is_refused, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(field_out_of_its_range_is_refused, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(buffer_in_the_wrong_world_does_nothing, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(join_and_fork_out_of_turn_are_refused, support_setup,
                                        support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

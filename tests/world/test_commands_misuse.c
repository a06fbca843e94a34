/* Commands used wrongly: nothing is recorded, nothing is taken, and the error says why. */
#include "commands_types.h"
#include "storage/entities.h"
#include "world/commands_buffer.h"

/* GEN-03 GEN-05 */
static void null_arguments_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_create(w);
    assert_null(stoa_deferred(NULL));
    assert_null(stoa_commands_new(NULL));
    assert_int_equal(stoa_flush(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_join(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_fork(NULL, &c, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_free(NULL), STOA_OK);
    assert_int_equal(stoa_commands_flush(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_clear(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_count(NULL), 0);
    assert_true(stoa_commands_empty(NULL));
    assert_int_equal(stoa_commands_skipped(NULL), 0);
    assert_true(stoa_entity_is_null(stoa_commands_create(NULL)));
    assert_true(stoa_entity_is_null(stoa_commands_create_with(NULL, STOA_ZERO(Health))));
    assert_int_equal(stoa_commands_destroy(NULL, e), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_add(NULL, e, Health), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_change_values(NULL, e, NULL, 0), STOA_NULL_ARGUMENT);
    support_assert_message("commands");
    support_assert_misuse(s, stoa_commands_fork(w, NULL, 1), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_set_type(c, e, NULL, &e), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_set_sized(c, e, NULL, &e, sizeof e), STOA_NULL_ARGUMENT);
    support_assert_misuse(s,
                          stoa_commands_set_sized(c, e, STOA_TYPE_OF(Health), NULL, sizeof(Health)),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_set_type(c, e, STOA_TYPE_OF(Health), NULL),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_set_id(c, e, stoa_id(w, Health), NULL, 4),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_add_type(c, e, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_remove_type(c, e, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_enable_type(c, e, NULL, true), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_change_values(c, e, NULL, 2), STOA_NULL_ARGUMENT);
    assert_true(stoa_commands_empty(c));
}

/* ENT-01 GEN-05 */
static void null_entity_is_refused(void **state) {
    support_world *s = *state;
    stoa_commands *c = stoa_deferred(s->world);
    stoa_component health = stoa_id(s->world, Health), shield = stoa_id(s->world, Shield);
    const stoa_entity none = STOA_NULL;
    int32_t one = 1;
    support_assert_misuse(s, stoa_commands_destroy(c, none), STOA_DEAD);
    support_assert_misuse(s, stoa_commands_set(c, none, Health, {1}), STOA_DEAD);
    support_assert_misuse(s, stoa_commands_set_id(c, none, health, &one, 4), STOA_DEAD);
    support_assert_misuse(s, stoa_commands_add(c, none, Health), STOA_DEAD);
    support_assert_misuse(s, stoa_commands_add_id(c, none, health), STOA_DEAD);
    support_assert_misuse(s, stoa_commands_remove(c, none, Health), STOA_DEAD);
    support_assert_misuse(s, stoa_commands_remove_id(c, none, health), STOA_DEAD);
    support_assert_misuse(s, stoa_commands_enable(c, none, Shield, true), STOA_DEAD);
    support_assert_misuse(s, stoa_commands_enable_id(c, none, shield, true), STOA_DEAD);
    support_assert_misuse(s, stoa_commands_change(c, none, STOA_ZERO(Health)), STOA_DEAD);
    assert_true(stoa_commands_empty(c));
}

/* GEN-05 */
static void unknown_ids_and_wrong_sizes_are_refused(void **state) {
    support_world *s = *state;
    stoa_commands *c = stoa_deferred(s->world);
    stoa_entity e = stoa_create(s->world);
    stoa_component health = stoa_id(s->world, Health);
    int64_t value = 1;
    const stoa_component unknown[] = {0, health + 1, 0x80000000u, UINT32_MAX};
    for (int i = 0; i < 4; i++) {
        support_assert_misuse(s, stoa_commands_set_id(c, e, unknown[i], &value, 4), STOA_UNKNOWN);
        support_assert_misuse(s, stoa_commands_add_id(c, e, unknown[i]), STOA_UNKNOWN);
        support_assert_misuse(s, stoa_commands_remove_id(c, e, unknown[i]), STOA_UNKNOWN);
        support_assert_misuse(s, stoa_commands_enable_id(c, e, unknown[i], true), STOA_UNKNOWN);
        stoa_value v = {.id = unknown[i]};
        support_assert_misuse(s, stoa_commands_change_values(c, e, &v, 1), STOA_UNKNOWN);
        assert_true(stoa_entity_is_null(stoa_commands_create_values(c, &v, 1)));
        support_assert_misuse(s, stoa_last_error().status, STOA_UNKNOWN);
    }
    support_assert_misuse(s, stoa_commands_set_id(c, e, health, &value, 8), STOA_INVALID);
    support_assert_message("'Health' has 4 bytes, the value 8");
    support_assert_misuse(s, stoa_commands_set_id(c, e, health, &value, 0), STOA_INVALID);
    support_assert_misuse(s, stoa_commands_enable(c, e, Health, false), STOA_INVALID);
    support_assert_message("'Health' cannot be switched off");
    assert_true(stoa_commands_empty(c));
}

/* GEN-05 */
static void bad_bundles_are_refused(void **state) {
    support_world *s = *state;
    stoa_commands *c = stoa_deferred(s->world);
    stoa_entity e = stoa_create(s->world);
    stoa_component health = stoa_id(s->world, Health);
    static stoa_value many[STOA_BUNDLE_MAX + 1];
    support_assert_misuse(s, stoa_commands_change_values(c, e, many, -1), STOA_INVALID);
    assert_int_equal(stoa_commands_change_values(c, e, many, STOA_BUNDLE_MAX + 1), STOA_LIMIT);
    assert_true(stoa_entity_is_null(stoa_commands_create_values(c, many, -1)));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_true(stoa_entity_is_null(stoa_commands_create_with(c, STOA_REMOVE(Health))));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    support_assert_misuse(
        s, stoa_commands_change(c, e, STOA_ZERO(Health), STOA_ZERO(Frozen), STOA_REMOVE(Health)),
        STOA_DUPLICATE);
    support_assert_message("'Health' is named twice");
    /* One by its id, the other by its type; and two descriptors of one name. */
    stoa_value pair[2] = {{.id = health}, {.type = STOA_TYPE_OF(Health)}};
    support_assert_misuse(s, stoa_commands_change_values(c, e, pair, 2), STOA_DUPLICATE);
    stoa_type twin = Health_stoa;
    pair[0] = (stoa_value){.type = &twin};
    support_assert_misuse(s, stoa_commands_change_values(c, e, pair, 2), STOA_DUPLICATE);
    pair[0] = (stoa_value){.id = health, .op = (stoa_value_op)7};
    support_assert_misuse(s, stoa_commands_change_values(c, e, pair, 1), STOA_INVALID);
    assert_true(stoa_commands_empty(c));
    /* The same again in the next one is fine. */
    assert_int_equal(stoa_commands_change_values(c, e, &pair[1], 1), STOA_OK);
    assert_int_equal(stoa_commands_change_values(c, e, &pair[1], 1), STOA_OK);
    assert_int_equal(stoa_commands_change_values(c, e, NULL, 0), STOA_OK);
    assert_int_equal(stoa_flush(s->world), STOA_OK);
    assert_true(stoa_has(s->world, e, Health));
}

/* GEN-05: stamps of bundles wrap, and a name is not taken for a second one. */
static void wrapped_stamps_tell_names_apart(void **state) {
    support_world *s = *state;
    stoa_commands *c = stoa_deferred(s->world);
    stoa_entity e = stoa_create(s->world);
    stoa_commands_change(c, e, STOA_ZERO(Health));
    c->stamp = UINT32_MAX;
    stoa_commands_add(c, e, Frozen);
    assert_int_equal(stoa_commands_change(c, e, STOA_ZERO(Health), STOA_ZERO(Frozen)), STOA_OK);
    support_assert_misuse(s, stoa_commands_change(c, e, STOA_ZERO(Health), STOA_ZERO(Health)),
                          STOA_DUPLICATE);
}

/* GEN-05: descriptors that no world would take. */
static void hostile_descriptors_are_refused(void **state) {
    support_world *s = *state;
    stoa_commands *c = stoa_deferred(s->world);
    stoa_entity e = stoa_create(s->world);
    stoa_type bad[] = {
        {.identifier = "Crooked", .size = 12, .alignment = 12},
        {.identifier = "Vast", .size = 256, .alignment = 128},
        {.identifier = "", .size = 4, .alignment = 4},
        {.identifier = NULL, .size = 4, .alignment = 4},
    };
    for (int i = 0; i < 4; i++) {
        support_assert_misuse(s, stoa_commands_set_type(c, e, &bad[i], &bad), STOA_INVALID);
        support_assert_misuse(s, stoa_commands_add_type(c, e, &bad[i]), STOA_INVALID);
    }
    stoa_type huge = {.identifier = "Huge", .size = STOA_SIZE_MAX + 64, .alignment = 4};
    assert_int_equal(stoa_commands_set_type(c, e, &huge, &bad), STOA_LIMIT);
    /* The text tells of more bytes than the descriptor: found out at the flush. */
    stoa_type small = {.form = STOA_FORM_OWN,
                       .identifier = "Small",
                       .text = "{ int32_t a, b; }",
                       .size = 4,
                       .alignment = 4};
    int32_t value = 1;
    assert_int_equal(stoa_commands_set_type(c, e, &small, &value), STOA_OK);
    assert_int_equal(stoa_flush(s->world), STOA_LAYOUT);
    assert_int_equal(stoa_commands_clear(c), STOA_OK);
    /* An alignment that is left open is that of the fields. */
    stoa_type loose = {
        .form = STOA_FORM_OWN, .identifier = "Loose", .text = "{ int32_t a; }", .size = 4};
    assert_int_equal(stoa_commands_set_type(c, e, &loose, &value), STOA_OK);
    assert_int_equal(stoa_flush(s->world), STOA_OK);
    assert_int_equal(*(const int32_t *)stoa_get_type(s->world, e, &loose), 1);
}

/* CMD-01 */
static void own_buffer_cannot_be_freed(void **state) {
    support_world *s = *state;
    stoa_commands *c = stoa_deferred(s->world);
    stoa_entity e = stoa_commands_create(c);
    support_assert_misuse(s, stoa_commands_free(c), STOA_INVALID);
    assert_int_equal(stoa_commands_count(c), 1);
    assert_int_equal(stoa_flush(s->world), STOA_OK);
    assert_true(stoa_alive(s->world, e));
}

/* GEN-05 QRY-10: in a debug build a freed buffer is known for one. */
static void freed_buffer_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    stoa_commands *c = stoa_commands_new(w), *other = stoa_commands_new(w);
    stoa_commands_add(c, e, Health);
    assert_int_equal(stoa_commands_free(c), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
#ifdef STOA_DEBUG
    support_assert_misuse(s, stoa_commands_free(c), STOA_FREED);
    support_assert_misuse(s, stoa_commands_flush(c), STOA_FREED);
    support_assert_misuse(s, stoa_commands_clear(c), STOA_FREED);
    support_assert_misuse(s, stoa_commands_add(c, e, Health), STOA_FREED);
    support_assert_misuse(s, stoa_commands_destroy(c, e), STOA_FREED);
    support_assert_misuse(s, stoa_commands_change(c, e, STOA_ZERO(Health)), STOA_FREED);
    support_assert_misuse(s, stoa_commands_fork(w, &c, 1), STOA_FREED);
    support_assert_message("freed");
    assert_true(stoa_entity_is_null(stoa_commands_create(c)));
    support_assert_misuse(s, stoa_last_error().status, STOA_FREED);
    assert_int_equal(stoa_commands_count(c), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_FREED);
#endif
    assert_int_equal(stoa_commands_add(other, e, Health), STOA_OK);
    assert_int_equal(stoa_commands_flush(other), STOA_OK);
    assert_int_equal(stoa_commands_free(other), STOA_OK);
}

/* CMD-02 GEN-05: a handle of another world, or of nobody, is dead or somebody else; no more. */
static void forged_handles_do_no_harm(void **state) {
    support_world *s = *state;
    stoa_commands *c = stoa_deferred(s->world);
    stoa_entity held = stoa_commands_create(stoa_commands_new(s->world));
    const stoa_entity forged[] = {{0, 1},          {1, 0},          {UINT32_MAX, 1},
                                  {5, UINT32_MAX}, {1, 0x80000001}, held};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(stoa_commands_set(c, forged[i], Health, {1}), STOA_OK);
        assert_int_equal(stoa_commands_destroy(c, forged[i]), STOA_OK);
        assert_int_equal(stoa_commands_change(c, forged[i], STOA_ZERO(Health)), STOA_OK);
    }
    assert_int_equal(stoa_flush(s->world), STOA_OK);
    assert_int_equal(stoa_commands_skipped(c), 18);
    assert_int_equal(stoa_count(s->world), 0);
    support_assert_quiet(s);
}

/* GEN-03 GEN-04: each allocation of recording fails once; the value stays with the caller. */
static void failed_recording_records_nothing(void **state) {
    (void)state;
    for (size_t fail = 1; fail < 30; fail++) {
        support_world s;
        support_world_open(&s);
        stoa_commands *c = stoa_commands_new(s.world);
        stoa_entity e = stoa_create(s.world);
        Owned values[3];
        for (int32_t i = 0; i < 3; i++) {
            owner_make(&values[i], i);
        }
        s.heap.fail_at = fail;
        int32_t recorded = 0;
        static Wide wide[40];
        for (int i = 0; i < 40; i++) {
            recorded += stoa_commands_set_from(c, e, Wide, &wide[i]) == STOA_OK;
        }
        bool set = stoa_commands_set_from(c, e, Owned, &values[0]) == STOA_OK;
        bool changed = stoa_commands_change(c, e, STOA_VALUE_FROM(Owned, &values[1]),
                                            STOA_ZERO(Health)) == STOA_OK;
        uint32_t held = s.world->storage.reserved_count;
        stoa_entity made = stoa_commands_create_with(c, STOA_ZERO(Position), STOA_ZERO(Seen),
                                                     STOA_VALUE_FROM(Owned, &values[2]));
        assert_int_equal(s.world->storage.reserved_count, held + (made.index != 0));
        s.heap.fail_at = 0;
        recorded += set + changed + (made.index != 0);
        assert_int_equal(stoa_commands_count(c), recorded);
        bool moved[3] = {set, changed, made.index != 0};
        for (int i = 0; i < 3; i++) {
            assert_ptr_equal(values[i].self, moved[i] ? NULL : &values[i]);
            if (!moved[i]) {
                owner_drop(&values[i], 1, NULL);
            }
        }
        assert_int_equal(stoa_check(s.world), STOA_OK);
        assert_int_equal(stoa_commands_flush(c), STOA_OK);
        support_world_close(&s);
        assert_int_equal(owned_alive, 0);
    }
}

/* GEN-04: the table of entities cannot grow for a creation. */
static void failed_handle_records_nothing(void **state) {
    support_world *s = *state;
    stoa_commands *c = stoa_deferred(s->world);
    stoa_commands_create(c);
    int32_t made = 1;
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    while (stoa_commands_create(c).index != 0) {
        made++;
    }
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    assert_int_equal(stoa_commands_count(c), made);
    s->heap.fail_at = 0;
    s->heap.fail_forever = false;
    assert_int_equal(stoa_check(s->world), STOA_OK);
    assert_int_equal(stoa_flush(s->world), STOA_OK);
    assert_int_equal(stoa_count(s->world), made);
}

/* GEN-04 */
static void buffer_without_memory_is_not_made(void **state) {
    support_world *s = *state;
    s->heap.fail_at = 1;
    assert_null(stoa_commands_new(s->world));
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    support_assert_message("command buffer");
}

/* GEN-05: as many commands as can be counted. */
static void full_buffer_is_a_limit(void **state) {
    support_world *s = *state;
    stoa_commands *c = stoa_deferred(s->world);
    stoa_entity e = stoa_create(s->world);
    c->count = INT32_MAX;
    assert_int_equal(stoa_commands_destroy(c, e), STOA_LIMIT);
    assert_int_equal(stoa_commands_add(c, e, Health), STOA_LIMIT);
    assert_int_equal(stoa_commands_change(c, e, STOA_ZERO(Health)), STOA_LIMIT);
    assert_true(stoa_entity_is_null(stoa_commands_create(c)));
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    c->count = 0;
    assert_int_equal(stoa_flush(s->world), STOA_OK);
    assert_true(stoa_alive(s->world, e));
}

/* STO-04: the check finds a slot that a buffer lost, and commands that are not counted. */
static void check_finds_slots_and_commands_that_are_lost(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_commands_create(c);
    assert_int_equal(stoa_check(w), STOA_OK);
    c->count++;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    c->count--;
    w->storage.head.records[e.index].mixed = STOA_UNPLACED;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    support_assert_message("not held");
    w->storage.head.records[e.index].mixed = STOA__HELD;
    w->storage.reserved_count++;
    assert_int_equal(stoa__commands_check(w), STOA_CORRUPT);
    support_assert_message("hold 1 slots, not 2");
    w->storage.reserved_count--;
    assert_int_equal(stoa_check(w), STOA_OK);
}

int main(void) {
#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        WITH_WORLD(null_arguments_are_refused),
        WITH_WORLD(null_entity_is_refused),
        WITH_WORLD(unknown_ids_and_wrong_sizes_are_refused),
        WITH_WORLD(bad_bundles_are_refused),
        WITH_WORLD(wrapped_stamps_tell_names_apart),
        WITH_WORLD(hostile_descriptors_are_refused),
        WITH_WORLD(own_buffer_cannot_be_freed),
        WITH_WORLD(freed_buffer_is_refused),
        WITH_WORLD(forged_handles_do_no_harm),
        cmocka_unit_test(failed_recording_records_nothing),
        WITH_WORLD(failed_handle_records_nothing),
        WITH_WORLD(buffer_without_memory_is_not_made),
        WITH_WORLD(full_buffer_is_a_limit),
        WITH_WORLD(check_finds_slots_and_commands_that_are_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

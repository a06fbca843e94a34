/* What extensions ask of the core: destroying quietly, locks, and room for sparse components. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE), { float degrees; });

static int calls;
static stoa_lock lock_seen, lock_other_seen;
static stoa_entity other;
static bool quiet_seen;

static void hook_count(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)value;
    (void)user;
    calls++;
    lock_seen = stoa_lock_of(w, e);
    lock_other_seen = stoa_lock_of(w, other);
    assert_int_equal(stoa_lock_of(w, STOA_NULL), STOA_LOCK_HOOKS);
    quiet_seen = stoa_destroy_quietly(w, e, &calls);
}

static stoa_status veto_allow(stoa_world *w, stoa_entity e, const void *values, int32_t count,
                              void *user) {
    (void)e;
    (void)values;
    (void)count;
    (void)user;
    assert_false(stoa_destroy_quietly(w, other, &calls));
    return STOA_OK;
}

static stoa_hook watch(stoa_world *w, stoa_type *type, void *user) {
    stoa_hook hook = stoa_hook_type(w, STOA_ON_REMOVE, type, hook_count, user);
    assert_int_not_equal(hook.id, 0);
    return hook;
}

/* HOK-02 ENT-08 */
static void own_hooks_are_not_told_of_a_quiet_death(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    calls = 0;
    watch(w, STOA_TYPE_OF(Position), &calls);
    watch(w, STOA_TYPE_OF(Heat), &calls);
    stoa_entity last = stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {3, 4}), STOA_VALUE(Heat, {5}));
    stoa_entity empty = stoa_create(w);
    assert_true(stoa_destroy_quietly(w, e, &calls));
    assert_false(stoa_alive(w, e));
    assert_false(stoa_destroy_quietly(w, e, &calls));
    assert_true(stoa_destroy_quietly(w, empty, &calls));
    assert_true(stoa_get(w, last, Position)->y == 2);
    assert_int_equal(calls, 0);
    assert_int_equal(stoa_count(w), 1);
    assert_int_equal(stoa_destroy(w, last), STOA_OK);
    assert_int_equal(calls, 1);
}

/* HOK-02 HOK-06 CHG-05 */
static void nobody_else_is_passed_over(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static int someone;
    watch(w, STOA_TYPE_OF(Position), &calls);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {3, 4}), STOA_VALUE(Heat, {5}),
                                     STOA_ZERO(Velocity));
    stoa_type *const types[] = {STOA_TYPE_OF(Position), STOA_TYPE_OF(Velocity), STOA_TYPE_OF(Heat)};
    for (int i = 0; i < 3; i++) {
        stoa_hook hook = watch(w, types[i], &someone);
        assert_false(stoa_destroy_quietly(w, e, &calls));
        assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
        hook = stoa_veto_new(
            w, &(stoa_veto_desc){.kind = STOA_VETO_REMOVE, .type = types[i], .call = veto_allow});
        assert_false(stoa_destroy_quietly(w, e, &calls));
        assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    }
    assert_int_equal(stoa_log_keep(w, 8), STOA_OK);
    assert_false(stoa_destroy_quietly(w, e, &calls));
    assert_int_equal(stoa_log_keep(w, 0), STOA_OK);
    stoa_query *q = stoa_query_parse(w, "Position");
    stoa_iter it = stoa_query_iter(q);
    assert_true(stoa_iter_next(&it));
    assert_false(stoa_destroy_quietly(w, e, &calls));
    stoa_iter_end(&it);
    assert_false(stoa_destroy_quietly(NULL, e, &calls));
    assert_true(stoa_alive(w, e));
    assert_true(stoa_destroy_quietly(w, e, &calls));
}

/* HOK-04 */
static void locks_tell_who_can_change(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    watch(w, STOA_TYPE_OF(Position), NULL);
    other = stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    stoa_entity e = stoa_clone(w, other);
    assert_int_equal(stoa_lock_of(w, e), STOA_UNLOCKED);
    assert_int_equal(stoa_lock_of(w, STOA_NULL), STOA_UNLOCKED);
    assert_int_equal(stoa_lock_of(NULL, e), STOA_UNLOCKED);
    assert_int_equal(stoa_remove(w, e, Position), STOA_OK);
    assert_int_equal(lock_seen, STOA_LOCK_HOOKS);
    assert_int_equal(lock_other_seen, STOA_UNLOCKED);
    assert_false(quiet_seen);
    assert_int_equal(stoa_set(w, e, Position, {1, 1}), STOA_OK);
    assert_int_equal(stoa_clear(w, e), STOA_OK);
    assert_int_equal(lock_seen, STOA_LOCK_LOSING);
    assert_int_equal(stoa_destroy(w, other), STOA_OK);
    assert_int_equal(lock_seen, STOA_LOCK_LOSING);
    assert_int_equal(lock_other_seen, STOA_LOCK_LOSING);
    assert_false(quiet_seen);
}

/* CMP-10 GEN-04 */
static void room_for_several_is_there_when_it_is_needed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    static stoa_entity e[3000];
    stoa_component id = stoa_id(w, Heat);
    for (int32_t i = 0; i < 3000; i++) {
        e[i] = stoa_create(w);
    }
    for (int32_t i = 0; i < 300; i++) {
        assert_int_equal(stoa_reserve_sparse_many(w, e[i * 10], id, i + 1), STOA_OK);
    }
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    for (int32_t i = 0; i < 300; i++) {
        assert_int_equal(stoa_set(w, e[i * 10], Heat, {1}), STOA_OK);
    }
    assert_int_equal(stoa_reserve_sparse_many(w, e[1], id, 1000), STOA_NO_MEMORY);
    s->heap.fail_at = 0;
    assert_int_equal(stoa_destroy(w, e[5]), STOA_OK);
    support_assert_misuse(s, stoa_reserve_sparse_many(w, e[5], id, 2), STOA_DEAD);
    support_assert_misuse(s, stoa_reserve_sparse_many(w, e[6], 999, 2), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_reserve_sparse_many(w, e[6], stoa_id(w, Position), 2),
                          STOA_INVALID);
}

/* QRY-06 */
static void changes_are_refused_while_somebody_iterates(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    assert_int_equal(stoa_may_change(w), STOA_OK);
    stoa_query *q = stoa_query_parse(w, "Position");
    stoa_iter it = stoa_query_iter(q);
    assert_true(stoa_iter_next(&it));
    support_assert_misuse(s, stoa_may_change(w), STOA_ITERATING);
    stoa_iter_end(&it);
    assert_int_equal(stoa_may_change(w), STOA_OK);
    assert_int_equal(stoa_may_change(NULL), STOA_NULL_ARGUMENT);
}

STOA_COMPONENT_WITH(Kept, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED),
                    { int32_t number; });

/* HOK-01 CMP-10 CHG-01 */
static void managed_component_is_set_quietly(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    static int someone;
    stoa_component id = stoa_id(w, Kept);
    const stoa_hook_kind kinds[] = {STOA_ON_ADD, STOA_ON_SET};
    calls = 0;
    for (int i = 0; i < 2; i++) {
        stoa_hook_type(w, kinds[i], STOA_TYPE_OF(Kept), hook_count, &calls);
    }
    stoa_entity e = stoa_create(w), dead = stoa_create(w);
    assert_int_equal(stoa_destroy(w, dead), STOA_OK);
    Kept value = {7};
    assert_true(stoa_set_quietly(w, e, id, &value, sizeof value, &calls));
    assert_int_equal(stoa_get(w, e, Kept)->number, 7);
    uint32_t tick = stoa_tick(w);
    stoa_tick_advance(w);
    value.number = 8;
    assert_true(stoa_set_quietly(w, e, id, &value, sizeof value, &calls));
    assert_int_equal(stoa_get(w, e, Kept)->number, 8);
    assert_true(stoa_changed(w, e, Kept, tick));
    assert_false(stoa_added(w, e, Kept, tick));
    assert_int_equal(calls, 0);
    value.number = 9;
    for (int i = 0; i < 2; i++) {
        stoa_hook hook = stoa_hook_type(w, kinds[i], STOA_TYPE_OF(Kept), hook_count, &someone);
        assert_false(stoa_set_quietly(w, e, id, &value, sizeof value, &calls));
        assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    }
    stoa_hook veto = stoa_veto_new(
        w, &(stoa_veto_desc){.kind = STOA_VETO_SET, .component = id, .call = veto_allow});
    assert_false(stoa_set_quietly(w, e, id, &value, sizeof value, &calls));
    assert_int_equal(stoa_hook_remove(w, veto), STOA_OK);
    assert_int_equal(stoa_log_keep(w, 8), STOA_OK);
    assert_false(stoa_set_quietly(w, e, id, &value, sizeof value, &calls));
    assert_int_equal(stoa_log_keep(w, 0), STOA_OK);
    assert_false(stoa_set_quietly(w, dead, id, &value, sizeof value, &calls));
    assert_false(stoa_set_quietly(w, e, id, &value, 3, &calls));
    assert_false(stoa_set_quietly(w, e, id, NULL, sizeof value, &calls));
    assert_false(stoa_set_quietly(w, e, 0, &value, sizeof value, &calls));
    assert_false(stoa_set_quietly(w, e, stoa_id(w, Heat), &value, sizeof value, &calls));
    assert_false(stoa_set_quietly(w, e, stoa_id(w, Velocity), &value, sizeof value, &calls));
    assert_false(stoa_set_quietly(NULL, e, id, &value, sizeof value, &calls));
    assert_int_equal(stoa_get(w, e, Kept)->number, 8);
    stoa_entity other_one = stoa_create(w);
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    for (int i = 0; i < 2000 && stoa_set_quietly(w, other_one, id, &value, sizeof value, &calls);
         i++) {
        s->heap.fail_at = 0;
        other_one = stoa_create(w);
        s->heap.fail_at = 1;
    }
    s->heap.fail_at = 0;
    assert_false(stoa_has(w, other_one, Kept));
    support_assert_quiet(s);
}

#define test(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(own_hooks_are_not_told_of_a_quiet_death),
        test(nobody_else_is_passed_over),
        test(managed_component_is_set_quietly),
        test(locks_tell_who_can_change),
        test(room_for_several_is_there_when_it_is_needed),
        test(changes_are_refused_while_somebody_iterates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

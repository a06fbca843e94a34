/* Switching components off and on by handle: nothing moves, data stays, counts stay right. */
#include "support/support.h"

#include "storage/archetype.h"
#include "storage/storage.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT_WITH(Brain, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { int32_t mood; });
STOA_COMPONENT_WITH(Voice, STOA_OPTIONS(.flags = STOA_SWITCHABLE | STOA_ROW_TICKS), { double x; });
STOA_TAG_WITH(Seen, STOA_OPTIONS(.flags = STOA_SWITCHABLE));
STOA_COMPONENT_WITH(Fire, STOA_OPTIONS(.flags = STOA_SWITCHABLE | STOA_SPARSE), { int32_t heat; });

/* CMP-12 */
static void switched_component_keeps_its_data_and_place(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e =
        stoa_create_with(w, STOA_VALUE(Brain, {5}), STOA_VALUE(Fire, {6}), STOA_ZERO(Seen));
    const Brain *before = stoa_get(w, e, Brain);
    assert_true(stoa_enabled(w, e, Brain));
    assert_true(stoa_enabled(w, e, Fire));
    assert_true(stoa_enabled(w, e, Seen));
    assert_int_equal(stoa_enable(w, e, Brain, false), STOA_OK);
    assert_int_equal(stoa_enable(w, e, Brain, false), STOA_OK);
    assert_int_equal(stoa_enable(w, e, Fire, false), STOA_OK);
    assert_int_equal(stoa_enable(w, e, Seen, false), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_false(stoa_enabled(w, e, Brain));
    assert_false(stoa_enabled(w, e, Fire));
    assert_false(stoa_enabled(w, e, Seen));
    assert_true(stoa_has(w, e, Brain));
    assert_true(stoa_has(w, e, Seen));
    assert_ptr_equal(stoa_get(w, e, Brain), before);
    assert_int_equal(before->mood, 5);
    assert_int_equal(stoa_get(w, e, Fire)->heat, 6);
    /* A new value does not switch it on. */
    assert_int_equal(stoa_set(w, e, Brain, {7}), STOA_OK);
    assert_false(stoa_enabled(w, e, Brain));
    assert_int_equal(stoa_enable(w, e, Brain, true), STOA_OK);
    assert_true(stoa_enabled(w, e, Brain));
    assert_int_equal(stoa_get(w, e, Brain)->mood, 7);
    assert_int_equal(stoa_enable_id(w, e, stoa_id(w, Fire), true), STOA_OK);
    assert_true(stoa_enabled_id(w, e, stoa_id(w, Fire)));
}

/* CMP-12: each way a row can go takes the switch along. */
static void switch_goes_with_its_entity(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[600];
    for (int32_t i = 0; i < 600; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Brain, {i}), STOA_VALUE(Voice, {i}), STOA_ZERO(Seen));
        if (i % 3 == 0) {
            assert_int_equal(stoa_enable(w, e[i], Brain, false), STOA_OK);
        }
        if (i % 5 == 0) {
            assert_int_equal(stoa_enable(w, e[i], Seen, false), STOA_OK);
        }
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    for (int32_t i = 0; i < 600; i += 4) {
        assert_int_equal(stoa_add(w, e[i], Position), STOA_OK);
    }
    for (int32_t i = 1; i < 600; i += 4) {
        assert_int_equal(stoa_destroy(w, e[i]), STOA_OK);
    }
    for (int32_t i = 2; i < 600; i += 4) {
        assert_int_equal(stoa_change(w, e[i], STOA_VALUE(Brain, {i + 1000}), STOA_REMOVE(Voice)),
                         STOA_OK);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_compact(w), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    for (int32_t i = 0; i < 600; i++) {
        if (i % 4 == 1) {
            continue;
        }
        assert_int_equal(stoa_get(w, e[i], Brain)->mood, i % 4 == 2 ? i + 1000 : i);
        assert_int_equal(stoa_enabled(w, e[i], Brain), i % 3 != 0);
        assert_int_equal(stoa_enabled(w, e[i], Seen), i % 5 != 0);
        stoa_entity copy = stoa_clone(w, e[i]);
        assert_int_equal(stoa_enabled(w, copy, Brain), i % 3 != 0);
        assert_int_equal(stoa_enabled(w, copy, Seen), i % 5 != 0);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* CMP-12: what is removed and added again is on. */
static void component_that_comes_back_is_on(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Brain), STOA_ZERO(Fire), STOA_ZERO(Position));
    assert_int_equal(stoa_enable(w, e, Brain, false), STOA_OK);
    assert_int_equal(stoa_enable(w, e, Fire, false), STOA_OK);
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Brain), STOA_REMOVE(Fire)), STOA_OK);
    assert_false(stoa_enabled(w, e, Brain));
    assert_int_equal(stoa_add(w, e, Brain), STOA_OK);
    assert_int_equal(stoa_add(w, e, Fire), STOA_OK);
    assert_true(stoa_enabled(w, e, Brain));
    assert_true(stoa_enabled(w, e, Fire));
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* CMP-12 CHG-02: filters do not see what is off, so what was written meanwhile shows when it is on
 * again. */
static void switching_on_counts_as_a_write(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Brain), STOA_ZERO(Voice), STOA_ZERO(Fire));
    stoa_query *q[3] = {
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_CHANGED(Brain)}}),
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_CHANGED(Voice)}}),
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_CHANGED(Fire)}}),
    };
    const stoa_component ids[3] = {stoa_id(w, Brain), stoa_id(w, Voice), stoa_id(w, Fire)};
    for (int i = 0; i < 3; i++) {
        uint32_t before = stoa_tick(w);
        stoa_tick_advance(w);
        assert_int_equal(stoa_enable_id(w, e, ids[i], false), STOA_OK);
        assert_false(stoa_changed_id(w, e, ids[i], before));
        assert_non_null(stoa_get_mut_id(w, e, ids[i]));
        for (stoa_iter it = stoa_query_iter(q[i]); stoa_iter_next(&it);) {
            fail();
        }
        assert_int_equal(stoa_enable_id(w, e, ids[i], true), STOA_OK);
        assert_int_equal(stoa_query_count(q[i]), 1);
        uint32_t after = stoa_tick(w);
        stoa_tick_advance(w);
        assert_int_equal(stoa_enable_id(w, e, ids[i], true), STOA_OK);
        assert_false(stoa_changed_id(w, e, ids[i], after));
    }
}

/* CMP-12 STO-11 */
static void hash_knows_what_is_off(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Brain), STOA_ZERO(Fire));
    uint64_t on = stoa_hash(w);
    assert_int_equal(stoa_enable(w, e, Brain, false), STOA_OK);
    uint64_t brain_off = stoa_hash(w);
    assert_int_not_equal(brain_off, on);
    assert_int_equal(stoa_enable(w, e, Brain, true), STOA_OK);
    assert_int_equal(stoa_hash(w), on);
    assert_int_equal(stoa_enable(w, e, Fire, false), STOA_OK);
    assert_int_not_equal(stoa_hash(w), on);
    assert_int_not_equal(stoa_hash(w), brain_off);
}

/* CMP-12 STO-04: a count that is wrong is found. */
static void check_finds_a_wrong_count_of_what_is_off(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Brain));
    const stoa__archetype *archetype =
        ((stoa__storage *)(void *)w)->archetypes[stoa_archetype_of(w, e)];
    uint32_t index = stoa__archetype_column(archetype, stoa_id(w, Brain))->index;
    stoa_column_state *column = stoa__state_of(archetype->head.chunks[0].columns, index);
    column->off = 1;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    support_assert_message("rows off");
    column->off = 0;
}

/* CMP-12 GEN-05 */
static void misuse_of_switches_is_told(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Brain));
    support_assert_misuse(s, stoa_enable(w, e, Position, false), STOA_INVALID);
    support_assert_message("'Position' cannot be switched off");
    support_assert_misuse(s, stoa_enable(w, e, Fire, false), STOA_MISSING);
    support_assert_misuse(s, stoa_enable_id(w, e, 99, false), STOA_UNKNOWN);
    assert_int_equal(stoa_enable_id(NULL, e, 1, false), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    support_assert_misuse(s, stoa_enable(w, e, Brain, true), STOA_DEAD);
    assert_false(stoa_enabled(w, e, Brain));
    assert_false(stoa_enabled_id(w, e, 99));
    assert_false(stoa_enabled_id(NULL, e, 1));
    support_assert_quiet(s);
    stoa_component_desc wrong = {.name = "Wrong", .size = 4, .flags = 1u << 30};
    assert_int_equal(stoa_component_register(w, &wrong), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
}

static void switches_follow_growing_chunks_and_other_archetypes(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    enum { N = 500 };
    stoa_entity e[N];
    for (int32_t i = 0; i < N; i++) {
        e[i] = i % 3 != 0 ? stoa_create_with(w, STOA_ZERO(Brain))
                          : stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Brain));
        assert_int_equal(stoa_enable(w, e[i], Brain, false), STOA_OK);
        assert_int_equal(stoa_enable(w, e[i / 2], Brain, i % 2 != 0), STOA_OK);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    for (int32_t i = 0; i < N; i++) {
        assert_int_equal(stoa_enabled(w, e[i], Brain), i < N / 2);
    }
}

/* CMP-12 CMD-06: threads may be looking; by the remembered way, by id, sparse or not. */
static void switching_while_forked_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Brain), STOA_ZERO(Fire), STOA_ZERO(Seen));
    stoa_entity other = stoa_create_with(w, STOA_ZERO(Brain));
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(stoa_commands_fork(w, NULL, 0), STOA_OK);
        support_assert_misuse(s, stoa_enable(w, e, Brain, false), STOA_FORKED);
        support_assert_message("stoa_commands_enable");
        support_assert_misuse(s, stoa_enable(w, e, Seen, false), STOA_FORKED);
        support_assert_misuse(s, stoa_enable(w, e, Fire, false), STOA_FORKED);
        support_assert_misuse(s, stoa_enable_id(w, e, stoa_id(w, Brain), false), STOA_FORKED);
        support_assert_misuse(s, stoa_enable_id(w, e, stoa_id(w, Fire), false), STOA_FORKED);
        /* Nor is it remembered where, for the next one. */
        support_assert_misuse(s, stoa_enable(w, other, Brain, false), STOA_FORKED);
        assert_true(stoa_enabled(w, e, Brain) && stoa_enabled(w, e, Fire));
        assert_true(stoa_enabled(w, e, Seen) && stoa_enabled(w, other, Brain));
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_int_equal(stoa_commands_join(w), STOA_OK);
        /* The second time the ways are remembered. */
        for (int on = 0; on < 2; on++) {
            assert_int_equal(stoa_enable(w, e, Brain, on), STOA_OK);
            assert_int_equal(stoa_enable(w, e, Seen, on), STOA_OK);
            assert_int_equal(stoa_enable(w, e, Fire, on), STOA_OK);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(switched_component_keeps_its_data_and_place),
        TEST(switch_goes_with_its_entity),
        TEST(component_that_comes_back_is_on),
        TEST(switching_on_counts_as_a_write),
        TEST(hash_knows_what_is_off),
        TEST(check_finds_a_wrong_count_of_what_is_off),
        TEST(misuse_of_switches_is_told),
        TEST(switching_while_forked_is_refused),
        TEST(switches_follow_growing_chunks_and_other_archetypes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Applying commands: merging those on one entity, hooks during a flush, errors half way. */
#include "commands_types.h"
#include "world/commands.h"

/* A component whose moves are counted. */
STOA_COMPONENT(Weight, { int32_t grams; });
static int32_t weight_moves;

static void weight_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    weight_moves += count;
    memcpy(to, from, (size_t)count * sizeof(Weight));
}

static stoa_component weight_register(stoa_world *w) {
    return stoa_component_register(w, &(stoa_component_desc){.name = "Load",
                                                             .size = sizeof(Weight),
                                                             .alignment = 4,
                                                             .hooks = {.move = weight_move}});
}

/* CMD-07 ACC-06: a component that is not named is moved as often as the entity is. */
static void commands_on_one_entity_move_it_once(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component load = weight_register(w);
    for (int merge = 0; merge < 2; merge++) {
        stoa__commands_merge(w, merge == 1);
        stoa_commands *c = stoa_deferred(w);
        stoa_entity e = stoa_create(w), f = stoa_commands_create(c);
        Weight five = {5};
        stoa_set_id(w, e, load, &five, sizeof five);
        stoa_commands_set_id(c, f, load, &five, sizeof five);
        stoa_commands_add(c, f, Health);
        stoa_commands_set(c, f, Position, {1, 1, 1});
        stoa_commands_set(c, e, Position, {1, 2, 3});
        stoa_commands_set(c, e, Health, {4});
        stoa_commands_add(c, e, Frozen);
        stoa_commands_remove(c, e, Health);
        stoa_commands_change(c, e, STOA_VALUE(Shield, {8}), STOA_ZERO(Seen));
        weight_moves = 0;
        assert_int_equal(stoa_flush(w), STOA_OK);
        /* Once out of the buffer, and once for each move. */
        assert_int_equal(weight_moves, merge == 1 ? 2 : 8);
        assert_int_equal(((const Weight *)stoa_get_id(w, e, load))->grams, 5);
        assert_int_equal(((const Weight *)stoa_get_id(w, f, load))->grams, 5);
        assert_int_equal(stoa_get(w, e, Shield)->power, 8);
        assert_false(stoa_has(w, e, Health));
        stoa_destroy(w, e);
        stoa_destroy(w, f);
    }
}

/* CMD-07: away and back is no move, but the row is the last of its archetype. */
static void entity_that_comes_back_is_the_last_of_its_archetype(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[4];
    for (int32_t i = 0; i < 4; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Health, {i}));
    }
    stoa_commands *c = stoa_deferred(w);
    stoa_commands_add(c, e[1], Frozen);
    stoa_commands_remove(c, e[1], Frozen);
    stoa_commands_set(c, e[1], Health, {7});
    assert_int_equal(stoa_flush(w), STOA_OK);
    const int32_t order[] = {0, 3, 2, 7};
    stoa_query_desc desc = {.terms = {STOA_READ(Health)}};
    for (stoa_iter it = stoa_query_once(w, &desc); stoa_iter_next(&it);) {
        assert_int_equal(it.count, 4);
        for (int32_t i = 0; i < 4; i++) {
            assert_int_equal(stoa_field(&it, Health, 0)[i].points, order[i]);
        }
    }
    /* The archetype that it would have been in was never made. */
    assert_int_equal(stoa_stats(w).archetypes, 2);
}

/* CMD-07 CHG-02 CMP-12: what came back is new, and switched on. */
static void component_that_comes_back_is_new(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Shield, {1}), STOA_VALUE(Seen, {1}),
                                     STOA_VALUE(Mood, {1}), STOA_VALUE(Health, {1}));
    stoa_enable(w, e, Shield, false);
    stoa_enable(w, e, Mood, false);
    uint32_t tick = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_commands_remove(c, e, Shield);
    stoa_commands_remove(c, e, Mood);
    stoa_commands_add(c, e, Position);
    stoa_commands_remove(c, e, Seen);
    stoa_commands_add(c, e, Shield);
    stoa_commands_set(c, e, Mood, {2});
    stoa_commands_set(c, e, Seen, {2});
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_true(stoa_enabled(w, e, Shield) && stoa_enabled(w, e, Mood));
    assert_int_equal(stoa_get(w, e, Shield)->power, 0);
    assert_int_equal(stoa_get(w, e, Mood)->value, 2);
    assert_true(stoa_added(w, e, Shield, tick) && stoa_changed(w, e, Shield, tick));
    assert_true(stoa_added(w, e, Mood, tick) && stoa_added(w, e, Seen, tick));
    assert_true(stoa_added(w, e, Position, tick));
    assert_false(stoa_added(w, e, Health, tick) || stoa_changed(w, e, Health, tick));
}

/* CMD-07 CHG-02: a set that is merged is seen as a change where the entity ends up. */
static void merged_set_marks_the_column(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Health, {1}), STOA_VALUE(Seen, {1}));
    uint32_t tick = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_commands_set(c, e, Health, {2});
    stoa_commands_set(c, e, Seen, {2});
    stoa_commands_add(c, e, Frozen);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_true(stoa_changed(w, e, Health, tick) && stoa_changed(w, e, Seen, tick));
    assert_false(stoa_added(w, e, Seen, tick));
    tick = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_commands_add(c, e, Health);
    stoa_commands_add(c, e, Seen);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_false(stoa_changed(w, e, Health, tick) || stoa_changed(w, e, Seen, tick));
}

/* CMD-07 ENT-04: one that is created and destroyed lived, as far as its handle goes. */
static void created_and_destroyed_entity_used_its_generation(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_commands_create_with(c, STOA_VALUE(Health, {1}));
    owned_set(c, e, 1);
    owned_set(c, e, 2);
    stoa_commands_destroy(c, e);
    stoa_commands_set(c, e, Health, {3});
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_commands_skipped(c), 1);
    assert_int_equal(owned_alive, 0);
    assert_int_equal(stoa_count(w), 0);
    stoa_entity next = stoa_create(w);
    assert_int_equal(next.index, e.index);
    assert_int_equal(next.generation, e.generation + 1);
}

/* CMD-07: more components than one change can name. */
static void group_of_more_than_a_bundle_is_applied_in_parts(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    static stoa_component ids[STOA_BUNDLE_MAX + 100];
    stoa_entity e = stoa_create(w);
    for (int32_t i = 0; i < STOA_BUNDLE_MAX + 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "C%d", i);
        ids[i] = stoa_component_register(w, &(stoa_component_desc){.name = name, .size = 4});
        assert_int_equal(stoa_commands_set_id(c, e, ids[i], &i, sizeof i), STOA_OK);
    }
    stoa_value values[STOA_BUNDLE_MAX];
    for (int32_t i = 0; i < STOA_BUNDLE_MAX; i++) {
        values[i] = (stoa_value){.id = ids[i + 100], .op = i % 2 == 0 ? STOA_DROP : STOA_PUT};
    }
    assert_int_equal(stoa_commands_change_values(c, e, values, STOA_BUNDLE_MAX), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    for (int32_t i = 0; i < STOA_BUNDLE_MAX + 100; i++) {
        const int32_t *value = stoa_try_get_id(w, e, ids[i]);
        assert_int_equal(value != NULL, i < 100 || i % 2 == 1);
        if (value != NULL) {
            assert_int_equal(*value, i < 100 ? i : 0);
        }
    }
}

static float seen_x;

static void hook_see(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)value;
    (void)user;
    const Position *p = stoa_try_get(w, e, Position);
    seen_x = p != NULL ? p->x : -1;
}

/* CMD-07 HOK-01: a hook of a component that is not named sees the changes before the end. */
static void hooks_of_the_destroyed_see_what_was_set_before(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_on_remove(w, Health, hook_see, NULL);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Health, {1}));
    stoa_commands_set(c, e, Position, {1, 0, 0});
    stoa_commands_set(c, e, Position, {2, 0, 0});
    stoa_commands_destroy(c, e);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_true(seen_x == 2);
    assert_false(stoa_alive(w, e));
}

static stoa_status in_hook;
static stoa_commands *hook_buffer;

static void hook_record(stoa_world *w, stoa_entity e, void *value, void *user) {
    const Health *health = value;
    stoa_commands *c = hook_buffer;
    (void)user;
    if (health->points > 0) {
        stoa_commands_set(c, e, Health, {health->points - 1});
        stoa_entity made = stoa_commands_create(c);
        stoa_commands_set(c, made, Position, {(float)health->points, 0, 0});
        assert_int_equal(stoa_check(w), STOA_OK);
    }
}

/* CMD-02 HOK-04: what hooks record during a flush is applied by it, after what was there. */
static void hooks_record_into_the_buffer_that_is_flushed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = hook_buffer = stoa_deferred(w);
    stoa_on_set(w, Health, hook_record, NULL);
    stoa_entity e = stoa_create(w), f = stoa_create(w);
    stoa_commands_set(c, e, Health, {2000});
    stoa_commands_add(c, f, Position);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_get(w, e, Health)->points, 0);
    assert_int_equal(stoa_count(w), 2002);
    assert_true(stoa_commands_empty(c));
    int32_t row = 0;
    stoa_query_desc desc = {.terms = {STOA_READ(Position)}};
    for (stoa_iter it = stoa_query_once(w, &desc); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++, row++) {
            float want = row == 0 ? 0 : (float)(2001 - row);
            assert_true(stoa_field(&it, Position, 0)[i].x == want);
        }
    }
    assert_int_equal(row, 2001);
}

static stoa_iter hook_iter;

static void hook_iterate(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w;
    (void)e;
    (void)value;
    hook_iter = stoa_query_iter(user);
    assert_true(stoa_iter_next(&hook_iter));
}

/* QRY-06 CMD-04: a hook that leaves an iteration open stops the flush, however commands go on. */
static void iteration_left_open_by_a_hook_stops_the_flush(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
    stoa_on_set(w, Health, hook_iterate, query);
    for (int way = 0; way < 4; way++) {
        stoa_entity e[3];
        for (int i = 0; i < 3; i++) {
            e[i] = stoa_create_with(w, STOA_ZERO(Position));
        }
        stoa_commands_set(c, e[0], Health, {1});
        for (int i = 0; i < 3; i++) {
            if (way == 0) {
                stoa_commands_destroy(c, e[i]);
            } else if (way == 1) {
                stoa_commands_add(c, e[i], Frozen);
            } else if (way == 2) {
                stoa_commands_add(c, e[1], Frozen);
            } else {
                stoa_commands_create_with(c, STOA_ZERO(Position));
            }
        }
        uint64_t before = stoa_hash(w);
        support_assert_misuse(s, stoa_flush(w), STOA_ITERATING);
        assert_int_equal(stoa_commands_count(c), 3);
        assert_false(stoa_has(w, e[1], Frozen));
        assert_true(stoa_alive(w, e[1]) && stoa_hash(w) != before);
        stoa_iter_end(&hook_iter);
        assert_int_equal(stoa_flush(w), STOA_OK);
        assert_int_equal(stoa_alive(w, e[1]), way != 0);
        assert_int_equal(stoa_check(w), STOA_OK);
    }
}

static void hook_misuse(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    support_world *s = user;
    stoa_commands *other = stoa_commands_new(w);
    support_assert_misuse(s, stoa_commands_flush(hook_buffer), STOA_LOCKED);
    support_assert_message("inside a hook");
    support_assert_misuse(s, stoa_commands_flush(other), STOA_LOCKED);
    support_assert_misuse(s, stoa_commands_clear(hook_buffer), STOA_LOCKED);
    support_assert_message("flushed");
    support_assert_misuse(s, stoa_commands_free(hook_buffer), STOA_LOCKED);
    support_assert_misuse(s, stoa_commands_fork(w, &other, 1), STOA_LOCKED);
    stoa_commands_create(other);
    assert_int_equal(stoa_commands_free(other), STOA_OK);
    in_hook = STOA_LOCKED;
}

/* CMD-04 HOK-04: flushing, clearing, freeing and forking inside a hook. */
static void hook_cannot_flush_or_discard_what_is_flushed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = hook_buffer = stoa_commands_new(w);
    stoa_on_add(w, Health, hook_misuse, s);
    stoa_entity e = stoa_commands_create(c);
    stoa_commands_set(c, e, Health, {3});
    stoa_commands_set(c, e, Position, {3, 3, 3});
    in_hook = STOA_OK;
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_equal(in_hook, STOA_LOCKED);
    assert_int_equal(stoa_get(w, e, Health)->points, 3);
    assert_true(stoa_has(w, e, Position));
}

/* GEN-03 GEN-04: out of memory in the middle; what is left is applied later, each value once. */
static void failed_flush_can_be_repeated(void **state) {
    (void)state;
    for (size_t fail = 1; fail < 60; fail++) {
        support_world s;
        support_world_open_with(&s, 16384);
        stoa_commands *c = stoa_deferred(s.world);
        stoa_entity e[60];
        for (int32_t i = 0; i < 60; i++) {
            e[i] = stoa_commands_create(c);
            stoa_commands_set(c, e[i], Wide, {.id = i});
            owned_set(c, e[i], i);
            if (i % 3 == 0) {
                stoa_commands_add(c, e[i], Mood);
            }
            owned_set(c, e[i % 7], 100 + i);
        }
        s.heap.fail_at = fail;
        s.heap.fail_forever = true;
        stoa_status status = stoa_flush(s.world);
        s.heap.fail_at = 0;
        if (status != STOA_OK) {
            assert_int_equal(status, STOA_NO_MEMORY);
            assert_false(stoa_commands_empty(c));
        }
        assert_int_equal(stoa_check(s.world), STOA_OK);
        assert_int_equal(stoa_flush(s.world), STOA_OK);
        assert_int_equal(stoa_count(s.world), 60);
        assert_int_equal(owned_alive, 60);
        for (int32_t i = 0; i < 60; i++) {
            assert_int_equal(stoa_get(s.world, e[i], Wide)->id, i);
            assert_int_equal(stoa_get(s.world, e[i], Owned)->serial,
                             i < 7 ? 100 + i + (59 - i) / 7 * 7 : i);
            assert_int_equal(stoa_has(s.world, e[i], Mood), i % 3 == 0);
        }
        support_world_close(&s);
        assert_int_equal(owned_alive, 0);
    }
}

/* GEN-03 GEN-04: not even the order of rows changes if there is no room for a sparse component. */
static void failed_group_leaves_its_row_where_it_was(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Health, {1}));
    stoa_create_with(w, STOA_VALUE(Health, {2}));
    stoa_id(w, Mood);
    stoa_id(w, Frozen);
    stoa_commands_add(c, e, Frozen);
    stoa_commands_set(c, e, Mood, {5});
    stoa_commands_remove(c, e, Frozen);
    uint64_t hash = stoa_hash(w);
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_int_equal(stoa_flush(w), STOA_NO_MEMORY);
    s->heap.fail_at = 0;
    s->heap.fail_forever = false;
    assert_true(stoa_hash(w) == hash);
    assert_int_equal(stoa_commands_count(c), 3);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_get(w, e, Mood)->value, 5);
    assert_true(stoa_hash(w) != hash);
}

/* GEN-03 CMP-04: a descriptor that conflicts is told at the flush, and stays until it is cleared.
 */
static void conflicting_type_stops_the_flush(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_component_register(w, &(stoa_component_desc){.name = "Position", .size = 4});
    stoa_entity e = stoa_create(w), f = stoa_commands_create(c);
    assert_int_equal(stoa_commands_set(c, e, Health, {1}), STOA_OK);
    assert_int_equal(stoa_commands_set(c, e, Position, {1, 2, 3}), STOA_OK);
    assert_int_equal(stoa_commands_set(c, e, Health, {2}), STOA_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stoa_flush(w), STOA_CONFLICT);
        support_assert_message("'Position'");
        assert_int_equal(stoa_commands_count(c), 2);
        assert_int_equal(stoa_get(w, e, Health)->points, 1);
        assert_true(stoa_alive(w, f));
    }
    f = stoa_commands_create_with(c, STOA_ZERO(Position));
    assert_int_equal(stoa_commands_clear(c), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_get(w, e, Health)->points, 1);
    assert_false(stoa_alive(w, f));
    f = stoa_commands_create_with(c, STOA_ZERO(Health), STOA_ZERO(Position));
    assert_int_equal(stoa_flush(w), STOA_CONFLICT);
    assert_int_equal(stoa_commands_count(c), 1);
    assert_false(stoa_alive(w, f));
}

/* CMP-12: switching a component that is not there is no error; it is skipped only for the dead. */
static void enable_of_a_missing_component_does_nothing(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Mood, {1}));
    stoa_commands_enable(c, e, Shield, false);
    stoa_commands_enable(c, e, Mood, false);
    stoa_commands_set(c, e, Shield, {2});
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_true(stoa_enabled(w, e, Shield));
    assert_false(stoa_enabled(w, e, Mood));
    assert_int_equal(stoa_commands_skipped(c), 0);
    support_assert_quiet(s);
}

int main(void) {
#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        WITH_WORLD(commands_on_one_entity_move_it_once),
        WITH_WORLD(entity_that_comes_back_is_the_last_of_its_archetype),
        WITH_WORLD(component_that_comes_back_is_new),
        WITH_WORLD(merged_set_marks_the_column),
        WITH_WORLD(created_and_destroyed_entity_used_its_generation),
        WITH_WORLD(group_of_more_than_a_bundle_is_applied_in_parts),
        WITH_WORLD(hooks_of_the_destroyed_see_what_was_set_before),
        WITH_WORLD(hooks_record_into_the_buffer_that_is_flushed),
        WITH_WORLD(iteration_left_open_by_a_hook_stops_the_flush),
        WITH_WORLD(hook_cannot_flush_or_discard_what_is_flushed),
        cmocka_unit_test(failed_flush_can_be_repeated),
        WITH_WORLD(failed_group_leaves_its_row_where_it_was),
        WITH_WORLD(conflicting_type_stops_the_flush),
        WITH_WORLD(enable_of_a_missing_component_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

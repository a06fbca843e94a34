/* The log of removed components and destroyed entities: what enters it, what a walk finds, when it
 * says that entries are lost. */
#include "support/support.h"
#include "world/world.h"

STOA_COMPONENT(A, { int32_t value; });
STOA_COMPONENT(B, { int32_t value; });
STOA_COMPONENT_WITH(S, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t value; });
STOA_COMPONENT(Unmet, { int32_t value; });
STOA_TAG(T);
STOA_TAG_WITH(U, STOA_OPTIONS(.flags = STOA_SPARSE));

/* The walk finds entities with these indexes, in this order. */
static void walk_finds(stoa_log log, const char *expected) {
    char text[512] = "";
    size_t size = 0;
    while (stoa_log_next(&log)) {
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%u", size > 0 ? " " : "",
                                 log.entity.index);
        assert_true(size < sizeof text);
    }
    assert_string_equal(text, expected);
}

/* CHG-05 */
static void removed_components_are_found_since_a_tick(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_log_keep(w, 100);
    stoa_entity e[3];
    stoa_create_bulk(w, 3, e, STOA_ZERO(A), STOA_ZERO(B), STOA_ZERO(T), STOA_ZERO(S), STOA_ZERO(U));
    uint32_t start = stoa_tick(w) - 1;
    stoa_remove(w, e[0], A);
    uint32_t first = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_remove(w, e[2], A);
    stoa_remove(w, e[1], T);
    stoa_remove(w, e[1], S);
    stoa_remove(w, e[2], U);
    walk_finds(stoa_removed_since(w, A, start), "1 3");
    walk_finds(stoa_removed_since(w, A, first), "3");
    walk_finds(stoa_removed_since(w, A, stoa_tick(w)), "");
    walk_finds(stoa_removed_since(w, B, start), "");
    walk_finds(stoa_removed_since(w, T, start), "2");
    walk_finds(stoa_removed_since(w, S, start), "2");
    walk_finds(stoa_removed_since(w, U, start), "3");
    walk_finds(stoa_log_since(w, stoa_id(w, A), start), "1 3");
    walk_finds(stoa_destroyed_since(w, start), "");
    stoa_log log = stoa_removed_since(w, A, start);
    assert_false(log.lost);
    assert_true(stoa_log_next(&log) && stoa_entity_eq(log.entity, e[0]));
    assert_int_equal(log.tick, first);
    assert_true(stoa_log_next(&log) && stoa_entity_eq(log.entity, e[2]));
    assert_int_equal(log.tick, stoa_tick(w));
    assert_false(stoa_log_next(&log));
    assert_false(stoa_log_next(&log));
}

/* CHG-05: an entity that dies loses each component, and its life. */
static void destroyed_entities_are_found_since_a_tick(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_log_keep(w, 100);
    stoa_entity plain = stoa_create_with(w, STOA_ZERO(A), STOA_ZERO(T), STOA_ZERO(S));
    stoa_entity empty = stoa_create(w);
    stoa_entity sparse = stoa_create_with(w, STOA_ZERO(S));
    uint32_t since = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_destroy(w, empty);
    stoa_destroy(w, plain);
    stoa_destroy(w, sparse);
    walk_finds(stoa_destroyed_since(w, since), "2 1 3");
    walk_finds(stoa_removed_since(w, A, since), "1");
    walk_finds(stoa_removed_since(w, T, since), "1");
    walk_finds(stoa_removed_since(w, S, since), "1 3");
    stoa_log log = stoa_destroyed_since(w, since);
    assert_true(stoa_log_next(&log));
    assert_false(stoa_alive(w, log.entity));
    assert_true(stoa_entity_eq(log.entity, empty));
}

/* CHG-05: on every path on which components go. */
static void every_way_to_lose_a_component_is_logged(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_log_keep(w, 100);
    stoa_entity e[6];
    stoa_create_bulk(w, 6, e, STOA_ZERO(A), STOA_ZERO(S));
    uint32_t since = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_change(w, e[0], STOA_REMOVE(A), STOA_REMOVE(S), STOA_ZERO(B));
    stoa_clear(w, e[1]);
    stoa_remove_named(w, e[2], "A");
    stoa_commands_remove(stoa_deferred(w), e[3], S);
    stoa_commands_destroy(stoa_deferred(w), e[3]);
    assert_int_equal(stoa_flush(w), STOA_OK);
    walk_finds(stoa_removed_since(w, A, since), "1 2 3 4");
    walk_finds(stoa_removed_since(w, S, since), "1 2 4");
    walk_finds(stoa_destroyed_since(w, since), "4");
    since = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_query *query = stoa_query_parse(w, "A");
    assert_int_equal(stoa_query_remove(query, S), STOA_OK);
    assert_int_equal(stoa_query_destroy(query), STOA_OK);
    walk_finds(stoa_removed_since(w, S, since), "6 5");
    walk_finds(stoa_removed_since(w, A, since), "6 5");
    walk_finds(stoa_destroyed_since(w, since), "6 5");
}

/* CHG-05 GEN-03: adding, overwriting, switching and what is refused or does nothing leave no trace.
 */
static void what_takes_nothing_away_is_not_logged(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_log_keep(w, 100);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(A, {1}));
    stoa_set(w, e, A, {2});
    stoa_set(w, e, S, {2});
    stoa_add(w, e, T);
    stoa_change(w, e, STOA_VALUE(A, {3}), STOA_REMOVE(B), STOA_ZERO(U));
    stoa_remove(w, e, B);
    stoa_clone(w, e);
    stoa_clear(w, stoa_create(w));
    stoa_query *query = stoa_query_parse(w, "A");
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        support_assert_misuse(s, stoa_remove(w, e, A), STOA_ITERATING);
    }
    assert_int_equal(w->log.next, 0);
    s->heap.fail_at = 1;
    assert_int_equal(stoa_remove(w, e, T), STOA_NO_MEMORY);
    assert_int_equal(w->log.next, 0);
}

/* Destroys entities that have nothing, so that each is one entry. */
static void entities_end(stoa_world *w, int count) {
    for (int i = 0; i < count; i++) {
        assert_int_equal(stoa_destroy(w, stoa_create(w)), STOA_OK);
    }
}

/* CHG-05: `lost` is exact to the tick. */
static void oldest_entries_give_way_and_are_missed(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_log_keep(w, 6);
    uint32_t start = stoa_tick(w) - 1, ticks[5];
    for (int i = 0; i < 5; i++) {
        ticks[i] = stoa_tick(w);
        entities_end(w, 2);
        stoa_tick_advance(w);
        stoa_log log = stoa_destroyed_since(w, start);
        assert_int_equal(log.lost, i > 2);
    }
    /* The entries of ticks 0 and 1 gave way. */
    assert_true(stoa_destroyed_since(w, ticks[0]).lost);
    assert_false(stoa_destroyed_since(w, ticks[1]).lost);
    walk_finds(stoa_destroyed_since(w, start), "1 1 1 1 1 1");
    walk_finds(stoa_destroyed_since(w, ticks[1]), "1 1 1 1 1 1");
    walk_finds(stoa_destroyed_since(w, ticks[3]), "1 1");
    entities_end(w, 1);
    /* One of tick 2 gave way too. */
    assert_true(stoa_destroyed_since(w, ticks[1]).lost);
    assert_false(stoa_destroyed_since(w, ticks[2]).lost);
    walk_finds(stoa_destroyed_since(w, ticks[1]), "1 1 1 1 1 1");
}

/* CHG-05: of any component: which one gave way is not known. */
static void entries_of_others_that_gave_way_count_as_lost(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_log_keep(w, 1);
    uint32_t since = stoa_tick(w) - 1;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(A), STOA_ZERO(B));
    stoa_remove(w, e, A);
    assert_false(stoa_removed_since(w, B, since).lost);
    stoa_remove(w, e, B);
    assert_true(stoa_removed_since(w, B, since).lost);
    walk_finds(stoa_removed_since(w, B, since), "1");
    walk_finds(stoa_removed_since(w, A, since), "");
}

/* CHG-05 */
static void world_without_a_log_says_so(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_destroy(w, stoa_create_with(w, STOA_ZERO(A)));
    stoa_log log = stoa_removed_since(w, A, 0);
    assert_true(log.lost);
    assert_false(stoa_log_next(&log));
    log = stoa_destroyed_since(w, stoa_tick(w));
    assert_true(log.lost);
    log = stoa_removed_since(w, Unmet, 0);
    assert_true(log.lost);
    assert_false(stoa_log_next(&log));
}

/* CHG-05: a log that was begun late, or anew, does not claim to know what was before. */
static void log_knows_what_it_cannot_know(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    uint32_t before = stoa_tick(w);
    stoa_tick_advance(w);
    entities_end(w, 1);
    stoa_log_keep(w, 4);
    assert_true(stoa_destroyed_since(w, before).lost);
    assert_false(stoa_destroyed_since(w, stoa_tick(w)).lost);
    uint32_t begun = stoa_tick(w);
    stoa_tick_advance(w);
    entities_end(w, 2);
    uint32_t full = stoa_tick(w);
    stoa_log_keep(w, 4);
    walk_finds(stoa_destroyed_since(w, begun), "1 1");
    assert_false(stoa_destroyed_since(w, begun).lost);
    stoa_log_keep(w, 8);
    assert_int_equal(w->log.first, w->log.next);
    walk_finds(stoa_destroyed_since(w, begun), "");
    assert_true(stoa_destroyed_since(w, begun).lost);
    assert_false(stoa_destroyed_since(w, full).lost);
    stoa_log_keep(w, 0);
    stoa_tick_advance(w);
    entities_end(w, 1);
    stoa_log_keep(w, 8);
    assert_true(stoa_destroyed_since(w, full).lost);
    entities_end(w, 1);
    walk_finds(stoa_destroyed_since(w, full), "1");
    walk_finds(stoa_destroyed_since(w, stoa_tick(w) - 1), "1");
}

/* CHG-05: a log kept from the start has missed nothing, whatever tick is asked for. */
static void log_from_the_start_has_missed_nothing(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_log_keep(w, 4);
    stoa_tick_advance(w);
    entities_end(w, 1);
    assert_false(stoa_destroyed_since(w, 0).lost);
    walk_finds(stoa_destroyed_since(w, 0), "1");
}

/* CHG-05: a walk sees what is logged meanwhile, and notices what gives way before its eyes. */
static void walk_goes_on_while_the_log_is_written(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_log_keep(w, 4);
    uint32_t since = stoa_tick(w) - 1;
    entities_end(w, 2);
    stoa_log log = stoa_destroyed_since(w, since);
    assert_true(stoa_log_next(&log));
    entities_end(w, 1);
    assert_true(stoa_log_next(&log));
    assert_true(stoa_log_next(&log));
    assert_false(stoa_log_next(&log) || log.lost);
    log = stoa_destroyed_since(w, since);
    assert_true(stoa_log_next(&log));
    entities_end(w, 3);
    int count = 0;
    for (; stoa_log_next(&log); count++) {
    }
    assert_int_equal(count, 4);
    assert_true(log.lost);
    log = stoa_destroyed_since(w, since);
    stoa_log_keep(w, 9);
    assert_false(stoa_log_next(&log));
    assert_true(log.lost);
    log = stoa_destroyed_since(w, stoa_tick(w));
    stoa_log_keep(w, 0);
    assert_false(stoa_log_next(&log));
    assert_true(log.lost);
}

/* CHG-01 CHG-05 */
static void log_is_right_across_the_wrap(void **state) {
    (void)state;
    support_world s = {.world = NULL};
    stoa_allocator allocator = support_allocator(&s.heap);
    stoa_world *w =
        stoa_world_new(&(stoa_world_desc){.allocator = &allocator, .first_tick = UINT32_MAX - 1});
    assert_int_equal(stoa_tick(w), UINT32_MAX - 1);
    stoa_log_keep(w, 3);
    uint32_t ticks[5];
    for (int i = 0; i < 5; i++) {
        ticks[i] = stoa_tick(w);
        entities_end(w, 1);
        stoa_tick_advance(w);
    }
    assert_true(ticks[4] < ticks[0]);
    assert_true(stoa_destroyed_since(w, ticks[0]).lost);
    assert_false(stoa_destroyed_since(w, ticks[1]).lost);
    walk_finds(stoa_destroyed_since(w, ticks[1]), "1 1 1");
    walk_finds(stoa_destroyed_since(w, ticks[2]), "1 1");
    walk_finds(stoa_destroyed_since(w, ticks[4]), "");
    s.world = w;
    support_world_close(&s);
}

/* CHG-01 CHG-05: entries that are older than half of all ticks do not come back as new ones. */
static void old_entries_stay_old(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_log_keep(w, 3);
    entities_end(w, 5);
    for (int i = 0; i < 6; i++) {
        stoa__world_tick_step(w, 0x60000000u);
        uint32_t since = stoa_tick(w) - 1000;
        assert_false(stoa_destroyed_since(w, since).lost);
        walk_finds(stoa_destroyed_since(w, since), "");
    }
    uint32_t since = stoa_tick(w);
    stoa_tick_advance(w);
    entities_end(w, 1);
    walk_finds(stoa_destroyed_since(w, since), "1");
    assert_false(stoa_destroyed_since(w, since).lost);
}

/* CHG-05 GEN-04: only beginning a log needs memory. */
static void logging_needs_no_memory(void **state) {
    support_world *s = *state;
    stoa_entity e[100];
    stoa_create_bulk(s->world, 100, e, STOA_ZERO(A), STOA_ZERO(S));
    assert_int_equal(stoa_log_keep(s->world, 10), STOA_OK);
    assert_int_equal(stoa_stats(s->world).bytes_reserved, s->heap.bytes);
    size_t before = s->heap.allocations;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(stoa_destroy(s->world, e[i]), STOA_OK);
    }
    assert_int_equal(s->heap.allocations, before);
    size_t bytes = s->heap.bytes;
    assert_int_equal(stoa_log_keep(s->world, 0), STOA_OK);
    assert_int_equal(bytes - s->heap.bytes, 10 * sizeof(stoa_log_entry));
    assert_int_equal(s->heap.allocations, before);
}

/* CHG-05 GEN-03 GEN-04 */
static void log_without_memory_leaves_the_old_one(void **state) {
    support_world *s = *state;
    stoa_log_keep(s->world, 4);
    uint32_t since = stoa_tick(s->world) - 1;
    entities_end(s->world, 2);
    s->heap.fail_at = 1;
    assert_int_equal(stoa_log_keep(s->world, 100), STOA_NO_MEMORY);
    walk_finds(stoa_destroyed_since(s->world, since), "1 1");
    assert_false(stoa_destroyed_since(s->world, since).lost);
    entities_end(s->world, 3);
    walk_finds(stoa_destroyed_since(s->world, since), "1 1 1 1");
}

/* CHG-05 GEN-05 */
static void mistakes_with_the_log_are_refused(void **state) {
    support_world *s = *state;
    assert_int_equal(stoa_log_keep(NULL, 1), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_log_keep(s->world, -1), STOA_INVALID);
    stoa_log_keep(s->world, 4);
    entities_end(s->world, 1);
    stoa_log log = stoa_log_since(NULL, 0, 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_true(log.lost && !stoa_log_next(&log));
    log = stoa_log_since(s->world, 1000, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_UNKNOWN);
    assert_true(log.lost && !stoa_log_next(&log));
    log = stoa_log_since_type(s->world, NULL, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_true(log.lost && !stoa_log_next(&log));
    log = stoa_log_since_type(NULL, STOA_TYPE_OF(A), 0);
    assert_true(log.lost && !stoa_log_next(&log));
    assert_false(stoa_log_next(NULL));
    log = stoa_removed_since(s->world, Unmet, 0);
    assert_false(log.lost || stoa_log_next(&log));
    assert_int_equal(stoa_component_find(s->world, "Unmet"), 0);
    support_assert_quiet(s);
}

static void log_change(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    assert_int_equal(stoa_log_keep(world, *(int32_t *)user), STOA_OK);
}

/* CHG-05 HOK-05: begun and ended by a hook of the very change that is logged. */
static void log_is_begun_and_ended_by_hooks(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static int32_t capacity;
    capacity = 5;
    stoa_hook hook = stoa_on_remove(w, A, log_change, &capacity);
    stoa_entity e = stoa_create_with(w, STOA_ZERO(A), STOA_ZERO(B));
    uint32_t since = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_remove(w, e, A);
    walk_finds(stoa_removed_since(w, A, since), "1");
    capacity = 0;
    stoa_add(w, e, A);
    stoa_destroy(w, e);
    assert_int_equal(w->log.capacity, 0);
    assert_false(w->storage.watch_all);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
}

#define test(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(removed_components_are_found_since_a_tick),
        test(destroyed_entities_are_found_since_a_tick),
        test(every_way_to_lose_a_component_is_logged),
        test(what_takes_nothing_away_is_not_logged),
        test(oldest_entries_give_way_and_are_missed),
        test(entries_of_others_that_gave_way_count_as_lost),
        test(world_without_a_log_says_so),
        test(log_knows_what_it_cannot_know),
        test(log_from_the_start_has_missed_nothing),
        test(walk_goes_on_while_the_log_is_written),
        cmocka_unit_test(log_is_right_across_the_wrap),
        test(old_entries_stay_old),
        test(logging_needs_no_memory),
        test(log_without_memory_leaves_the_old_one),
        test(mistakes_with_the_log_are_refused),
        test(log_is_begun_and_ended_by_hooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Guards: every call that reads or writes the data of a component or resource is refused to a
 * thread that may not, in a debug build; in a release build the same calls work. Queries are in
 * query/test_guard.c, systems in schedule/test_guard_threads.c. */
#include "guard_fixture.h"

/* SYS-14: by handle, for reading. */
static void reads_by_handle_are_refused(void **state) {
    support_world *s = *state;
    guarded_world g = guarded_open(s, 0, 0);
    stoa_world *w = s->world;
    stoa_entity e = g.e;
    stoa_ref ref = stoa_ref_of(w, e);
    uint32_t old = stoa_tick(w) - 1;
    guard_on(&g);
    REFUSED(s, "reads component 'Place'", stoa_get(w, e, Place) != NULL);
    REFUSED(s, "reads component 'Place'", stoa_try_get(w, e, Place) != NULL);
    REFUSED(s, "reads component 'Place'", stoa_get_id(w, e, g.place) != NULL);
    REFUSED(s, "reads component 'Place'", stoa_try_get_id(w, e, g.place) != NULL);
    REFUSED(s, "reads component 'Place'", stoa_get_named(w, e, "Place") != NULL);
    REFUSED(s, "reads component 'Place'", stoa_get_type(w, e, STOA_TYPE_OF(Place)) != NULL);
    REFUSED(s, "reads component 'Place'", stoa_try_type(w, e, STOA_TYPE_OF(Place)) != NULL);
    REFUSED(s, "reads component 'Place'", stoa_ref_get(ref, Place) != NULL);
    REFUSED(s, "reads component 'Place'", stoa_ref_try_get(ref, Place) != NULL);
    REFUSED(s, "reads component 'Place'", with_runs(w, e));
    REFUSED(s, "reads component 'Place'", stoa_changed(w, e, Place, old));
    REFUSED(s, "reads component 'Place'", stoa_changed_id(w, e, g.place, old));
    REFUSED(s, "reads component 'Place'", stoa_added(w, e, Place, old));
    REFUSED(s, "reads component 'Place'", stoa_added_id(w, e, g.place, old));
    REFUSED(s, "reads component 'Mood'", stoa_get(w, e, Mood) != NULL);
    REFUSED(s, "reads component 'Mood'", stoa_try_get(w, e, Mood) != NULL);
    REFUSED(s, "reads component 'Mood'", stoa_get_id(w, e, g.mood) != NULL);
    REFUSED(s, "reads component 'Mood'", stoa_get_named(w, e, "Mood") != NULL);
    REFUSED(s, "reads component 'Mood'", stoa_changed(w, e, Mood, old));
    REFUSED(s, "reads component 'Mood'", stoa_added(w, e, Mood, old));
    REFUSED(s, "reads component 'Seen'", stoa_get(w, e, Seen) != NULL);
    guarded_close(&g);
}

/* SYS-14: by handle, for writing; nothing is marked as written. */
static void writes_by_handle_are_refused(void **state) {
    support_world *s = *state;
    guarded_world g = guarded_open(s, ~0ull, 0);
    stoa_world *w = s->world;
    stoa_entity e = g.e;
    stoa_ref ref = stoa_ref_of(w, e);
    uint32_t before = stoa_tick(w);
    stoa_tick_advance(w);
    guard_on(&g);
    REFUSED(s, "writes component 'Place'", stoa_get_mut(w, e, Place) != NULL);
    REFUSED(s, "writes component 'Place'", stoa_try_get_mut(w, e, Place) != NULL);
    REFUSED(s, "writes component 'Place'", stoa_get_mut_id(w, e, g.place) != NULL);
    REFUSED(s, "writes component 'Place'", stoa_try_get_mut_id(w, e, g.place) != NULL);
    REFUSED(s, "writes component 'Place'", stoa_get_mut_named(w, e, "Place") != NULL);
    REFUSED(s, "writes component 'Place'", stoa_get_mut_type(w, e, STOA_TYPE_OF(Place)) != NULL);
    REFUSED(s, "writes component 'Place'", stoa_try_mut_type(w, e, STOA_TYPE_OF(Place)) != NULL);
    REFUSED(s, "writes component 'Place'", stoa_ref_get_mut(ref, Place) != NULL);
    REFUSED(s, "writes component 'Place'", stoa_ref_try_get_mut(ref, Place) != NULL);
    REFUSED(s, "writes component 'Place'", with_mut_runs(w, e));
    REFUSED(s, "writes component 'Mood'", stoa_get_mut(w, e, Mood) != NULL);
    REFUSED(s, "writes component 'Mood'", stoa_try_get_mut(w, e, Mood) != NULL);
    REFUSED(s, "writes component 'Mood'", stoa_try_get_mut_id(w, e, g.mood) != NULL);
    REFUSED(s, "writes component 'Seen'", stoa_get_mut(w, e, Seen) != NULL);
    guard_off();
    assert_int_equal(stoa_changed(w, e, Place, before), !GUARDS);
    assert_int_equal(stoa_changed(w, e, Mood, before), !GUARDS);
    assert_int_equal(stoa_changed(w, e, Seen, before), !GUARDS);
    guarded_close(&g);
}

/* SYS-14: values that are overwritten in place, which needs no change of structure. */
static void overwriting_is_refused(void **state) {
    support_world *s = *state;
    guarded_world g = guarded_open(s, ~0ull, 0);
    stoa_world *w = s->world;
    stoa_entity e = g.e;
    stoa_ref ref = stoa_ref_of(w, e);
    const Place place = {5};
    const Mood mood = {5};
    const stoa_value zero = {.id = g.place};
    guard_on(&g);
    REFUSED(s, "writes component 'Place'", stoa_set(w, e, Place, {5}) == STOA_OK);
    REFUSED(s, "writes component 'Place'", stoa_set_from(w, e, Place, &place) == STOA_OK);
    REFUSED(s, "writes component 'Place'",
            stoa_set_id(w, e, g.place, &place, sizeof place) == STOA_OK);
    REFUSED(s, "writes component 'Place'",
            stoa_set_named(w, e, "Place", &place, sizeof place) == STOA_OK);
    REFUSED(s, "writes component 'Place'", stoa_ref_set(ref, Place, {5}) == STOA_OK);
    REFUSED(s, "writes component 'Mood'", stoa_set(w, e, Mood, {5}) == STOA_OK);
    REFUSED(s, "writes component 'Mood'", stoa_set_id(w, e, g.mood, &mood, sizeof mood) == STOA_OK);
    REFUSED(s, "writes component 'Seen'", stoa_set(w, e, Seen, {5}) == STOA_OK);
    REFUSED(s, "writes component 'Place'",
            stoa_change(w, e, STOA_VALUE(Place, {5}), STOA_VALUE(Mood, {5})) == STOA_OK);
    REFUSED(s, "writes component 'Mood'", stoa_change(w, e, STOA_VALUE(Mood, {5})) == STOA_OK);
    REFUSED(s, "writes component 'Place'", stoa_change_values(w, e, &zero, 1) == STOA_OK);
    guard_off();
    assert_int_equal(stoa_get(w, e, Place)->x, GUARDS ? 1 : 0);
    assert_int_equal(stoa_get(w, e, Mood)->value, GUARDS ? 2 : 5);
    assert_int_equal(stoa_get(w, e, Seen)->count, GUARDS ? 3 : 5);
    guarded_close(&g);
}

/* SYS-14: what a watched component takes, which goes another way. */
static void overwriting_what_is_watched_is_refused(void **state) {
    support_world *s = *state;
    guarded_world g = guarded_open(s, ~0ull, 0);
    stoa_world *w = s->world;
    int calls = 0;
    assert_int_not_equal(stoa_on_set(w, Place, hook_count, &calls).id, 0);
    assert_int_not_equal(stoa_on_set(w, Mood, hook_count, &calls).id, 0);
    guard_on(&g);
    REFUSED(s, "writes component 'Place'", stoa_set(w, g.e, Place, {5}) == STOA_OK);
    REFUSED(s, "writes component 'Mood'", stoa_set(w, g.e, Mood, {5}) == STOA_OK);
    guard_off();
    assert_int_equal(calls, GUARDS ? 0 : 2);
    guarded_close(&g);
}

/* SYS-14: the storage as it stands. */
static void views_of_data_are_refused(void **state) {
    support_world *s = *state;
    guarded_world g = guarded_open(s, 0, 0);
    stoa_world *w = s->world;
    int32_t archetype = stoa_archetype_of(w, g.e);
    stoa_sparse_info info = {0};
    stoa_archetype_info a;
    stoa_chunk_info c;
    guard_on(&g);
    REFUSED(s, "reads component 'Place'", stoa_chunk_column(w, archetype, 0, g.place) != NULL);
    REFUSED(s, "reads component 'Mood'", stoa_sparse_info_get(w, g.mood, &info) == STOA_OK);
    assert_int_equal(info.values == NULL, GUARDS);
    /* Who has something is no secret. */
    assert_int_equal(stoa_sparse_info_get(w, g.marked, &info), STOA_OK);
    assert_int_equal(info.count, 1);
    assert_int_equal(stoa_archetype_info_get(w, archetype, &a), STOA_OK);
    assert_int_equal(stoa_chunk_info_get(w, archetype, 0, &c), STOA_OK);
    guarded_close(&g);
}

/* SYS-14: a hash reads everything, resources too. */
static void hash_needs_all_that_is_there(void **state) {
    support_world *s = *state;
    guarded_world g = guarded_open(s, ~0ull, 0);
    stoa_world *w = s->world;
    uint64_t hash = stoa_hash(w);
    guard_on(&g);
    assert_true(stoa_hash(w) == hash);
    g.reads = ~(1ull << g.mood);
    REFUSED(s, "reads component 'Mood'", stoa_hash(w) == hash);
    g.reads = ~0ull;
    g.resource_reads = ~(1ull << g.settings);
    REFUSED(s, "reads resource 'Settings'", stoa_hash(w) == hash);
    guarded_close(&g);
}

/* SYS-14 RES-01: all that there is for resources. */
static void resources_are_refused(void **state) {
    support_world *s = *state;
    guarded_world g = guarded_open(s, ~0ull, ~0ull);
    stoa_world *w = s->world;
    const Settings value = {7};
    uint32_t old = stoa_tick(w) - 1;
    g.resource_reads = g.resource_writes = 0;
    guard_on(&g);
    REFUSED(s, "reads resource 'Settings'", stoa_resource(w, Settings) != NULL);
    REFUSED(s, "reads resource 'Settings'", stoa_resource_try(w, Settings) != NULL);
    REFUSED(s, "reads resource 'Settings'", stoa_resource_id(w, g.settings) != NULL);
    REFUSED(s, "reads resource 'Settings'", stoa_resource_try_id(w, g.settings) != NULL);
    REFUSED(s, "reads resource 'Settings'", stoa_resource_changed(w, Settings, old));
    REFUSED(s, "reads resource 'Settings'", stoa_resource_changed_id(w, g.settings, old));
    g.resource_reads = ~0ull;
    REFUSED(s, "writes resource 'Settings'", stoa_resource_mut(w, Settings) != NULL);
    REFUSED(s, "writes resource 'Settings'", stoa_resource_try_mut(w, Settings) != NULL);
    REFUSED(s, "writes resource 'Settings'", stoa_resource_mut_id(w, g.settings) != NULL);
    REFUSED(s, "writes resource 'Settings'", stoa_resource_try_mut_id(w, g.settings) != NULL);
    REFUSED(s, "writes resource 'Settings'", stoa_resource_set(w, Settings, {7}) == STOA_OK);
    REFUSED(s, "writes resource 'Settings'",
            stoa_resource_set_from(w, Settings, &value) == STOA_OK);
    REFUSED(s, "writes resource 'Settings'",
            stoa_resource_set_id(w, g.settings, &value, sizeof value) == STOA_OK);
    REFUSED(s, "writes resource 'Settings'", stoa_resource_remove(w, Settings) == STOA_OK);
    assert_int_equal(stoa_resource_has(w, Settings), GUARDS);
    assert_int_equal(stoa_resource_next(w, 0), GUARDS ? g.settings : 0);
    guard_off();
    assert_true(!GUARDS || stoa_resource(w, Settings)->level == 4);
    guarded_close(&g);
}

/* SYS-14: asking, commands, events, structure and the like are not data. */
static void what_is_no_data_is_allowed(void **state) {
    support_world *s = *state;
    guarded_world g = guarded_open(s, 0, 0);
    stoa_world *w = s->world;
    stoa_entity e = g.e;
    stoa_commands *c = stoa_commands_new(w);
    stoa_reader *reader = stoa_reader_new(w, Place);
    stoa_event event;
    guard_on(&g);
    assert_true(stoa_has(w, e, Place) && stoa_has(w, e, Mood) && stoa_has(w, e, Fixed));
    assert_true(stoa_has_id(w, e, g.place) && stoa_has_named(w, e, "Place"));
    assert_true(stoa_ref_has(stoa_ref_of(w, e), Place) && stoa_ref_has(stoa_ref_of(w, e), Mood));
    assert_true(stoa_enabled(w, e, Mood) && stoa_enabled_id(w, e, g.place));
    assert_true(stoa_alive(w, e) && stoa_ref_alive(stoa_ref_of(w, e)));
    assert_int_equal(stoa_count(w), 2);
    assert_true(stoa_entity_eq(stoa_entity_next(w, STOA_NULL), e));
    assert_true(stoa_resource_has(w, Settings) && stoa_resource_has_id(w, g.settings));
    assert_int_equal(stoa_commands_set(c, e, Place, {9}), STOA_OK);
    assert_int_equal(stoa_commands_send(c, Place, {8}), STOA_OK);
    assert_int_equal(stoa_event_send(w, Place, {7}), STOA_OK);
    assert_true(stoa_event_read(reader, &event));
    assert_int_equal(stoa_check(w), STOA_OK);
    /* What is not there has no data. */
    assert_false(stoa_changed(w, STOA_NULL, Place, 0));
    assert_null(stoa_try_get_id(w, e, 0));
    assert_int_equal(s->errors, 0);
    guard_off();
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_equal(stoa_get(w, e, Place)->x, 9);
    guarded_close(&g);
}

/* SYS-14 CMD-06: while threads record, a buffer that is no job's may be another thread's, too. */
static void recording_beside_the_job_is_refused(void **state) {
    support_world *s = *state;
    guarded_world g = guarded_open(s, 0, 0);
    stoa_world *w = s->world;
    stoa_commands *own = stoa_commands_new(w), *c = stoa_deferred(w);
    assert_int_equal(stoa_commands_set(c, g.e, Place, {1}), STOA_OK); /* there is room in it */
    assert_int_equal(stoa_commands_fork(w, &own, 1), STOA_OK);
    guard_on(&g);
    stoa_status got[] = {
        stoa_commands_set(c, g.e, Place, {9}),
        stoa_commands_set_id(c, g.e, g.place, &(Place){9}, sizeof(Place)),
        stoa_commands_add(c, g.e, Settings),
        stoa_commands_remove(c, g.e, Seen),
        stoa_commands_enable(c, g.e, Mood, false),
        stoa_commands_change(c, g.e, STOA_VALUE(Place, {9})),
        stoa_commands_send(c, Place, {8}),
        stoa_commands_send_id(c, STOA_NULL, g.place, &(Place){8}, sizeof(Place)),
        stoa_commands_destroy(c, g.other),
    };
    int count = (int)(sizeof got / sizeof *got);
    for (int i = 0; i < count; i++) {
        assert_int_equal(got[i], GUARDS ? STOA_ACCESS : STOA_OK);
    }
    assert_int_equal(stoa_commands_count(c), GUARDS ? 1 : 1 + count);
    assert_int_equal(s->errors, GUARDS ? count : 0);
    if (GUARDS) {
        support_assert_message("system 'mover' records into a buffer that is not its job's");
    }
    assert_true(stoa_entity_is_null(stoa_commands_create(c)));
    assert_int_equal(stoa_commands_set(own, g.e, Place, {5}), STOA_OK);
    /* Nor can a buffer be made now: the list of them is the world's. */
    assert_null(stoa_commands_new(w));
    assert_int_equal(stoa_last_error().status, STOA_FORKED);
    guard_off();
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(stoa_commands_flush(own), STOA_OK);
    assert_int_equal(stoa_get(w, g.e, Place)->x, 5);
    guarded_close(&g);
}

/* SYS-14: what is declared can be used; to write is to read as well. */
static void what_is_declared_is_allowed(void **state) {
    support_world *s = *state;
    guarded_world g = guarded_open(s, 0, 0);
    stoa_world *w = s->world;
    g.reads = 1ull << g.place;
    g.writes = 1ull << g.mood;
    g.resource_writes = 1ull << g.settings;
    guard_on(&g);
    assert_int_equal(stoa_get(w, g.e, Place)->x, 1);
    stoa_get_mut(w, g.e, Mood)->value = 6;
    assert_int_equal(stoa_set(w, g.e, Mood, {7}), STOA_OK);
    assert_int_equal(stoa_change(w, g.e, STOA_VALUE(Mood, {8})), STOA_OK);
    assert_int_equal(stoa_try_get(w, g.e, Mood)->value, 8);
    stoa_resource_mut(w, Settings)->level = 5;
    assert_int_equal(stoa_resource(w, Settings)->level, 5);
    /* A component and a resource of one type are two things. */
    REFUSED(s, "reads component 'Settings'", stoa_get(w, g.other, Settings) != NULL);
    guarded_close(&g);
}

/* SYS-14: a guard is of one world and one thread, and ends. */
static void other_worlds_are_not_guarded(void **state) {
    support_world *s = *state;
    guarded_world g = guarded_open(s, 0, 0);
    support_world other;
    support_world_open(&other);
    stoa_entity e = stoa_create_with(other.world, STOA_VALUE(Place, {3}));
    guard_on(&g);
    assert_int_equal(stoa_get(other.world, e, Place)->x, 3);
    stoa_get_mut(other.world, e, Place)->x = 4;
    /* Its ids are the same; also by calls that ask. */
    stoa_component place = stoa_id(other.world, Place);
    assert_non_null(stoa_get_id(other.world, e, place));
    assert_non_null(stoa_get_mut_id(other.world, e, place));
    assert_int_equal(stoa_set(other.world, e, Place, {5}), STOA_OK);
    REFUSED(s, "reads component 'Place'", stoa_get(s->world, g.e, Place) != NULL);
    guard_off();
    assert_int_equal(stoa_get(s->world, g.e, Place)->x, 1);
    support_world_close(&other);
    guarded_close(&g);
}

/* SYS-14: the guard before is told, so that guards nest. */
static void guards_nest(void **state) {
    support_world *s = *state;
    guarded_world g = guarded_open(s, 0, 0);
    guarded_world inner = g;
    inner.reads = ~0ull;
    guard_on(&g);
    stoa_guard second = {s->world, "inner", guarded_allows, &inner};
    const stoa_guard *before = stoa_guard_set(&second);
    assert_ptr_equal(before, GUARDS ? &g.guard : NULL);
    assert_int_equal(stoa_get(s->world, g.e, Place)->x, 1);
    assert_ptr_equal(stoa_guard_set(before), GUARDS ? &second : NULL);
    REFUSED(s, "reads component 'Place'", stoa_get(s->world, g.e, Place) != NULL);
    guarded_close(&g);
    assert_null(stoa_guard_set(NULL));
}

/* SYS-14: a guard with no name is one all the same. */
static void guard_without_a_name_can_refuse(void **state) {
    support_world *s = *state;
    guarded_world g = guarded_open(s, 0, 0);
    stoa_guard unnamed = {s->world, NULL, guarded_allows, &g};
    stoa_guard_set(&unnamed);
    assert_int_equal(stoa_get(s->world, g.e, Place) == NULL, GUARDS);
    guarded_close(&g);
}

int main(void) {
#define WITH_WORLD(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        WITH_WORLD(reads_by_handle_are_refused),
        WITH_WORLD(writes_by_handle_are_refused),
        WITH_WORLD(overwriting_is_refused),
        WITH_WORLD(overwriting_what_is_watched_is_refused),
        WITH_WORLD(views_of_data_are_refused),
        WITH_WORLD(hash_needs_all_that_is_there),
        WITH_WORLD(resources_are_refused),
        WITH_WORLD(what_is_no_data_is_allowed),
        WITH_WORLD(recording_beside_the_job_is_refused),
        WITH_WORLD(what_is_declared_is_allowed),
        WITH_WORLD(other_worlds_are_not_guarded),
        WITH_WORLD(guards_nest),
        WITH_WORLD(guard_without_a_name_can_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

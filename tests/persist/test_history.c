/* History: what comes back and what stays, what is shared, what costs memory. */
#include "history_fixture.h"

typedef struct fixture {
    support_world s;
    stoa_world *w;
    stoa_history *h;
} fixture;

static void fixture_open(fixture *f, int32_t frames) {
    support_world_open(&f->s);
    f->w = f->s.world;
    f->h = stoa_history_new(f->w, &(stoa_history_desc){.frames = frames});
    assert_non_null(f->h);
}

static void fixture_close(fixture *f) {
    stoa_history_free(f->h);
    support_world_close(&f->s);
    assert_int_equal(owned_alive, 0);
}

/* SNP-08 */
static void restored_world_is_what_it_was(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 4);
    stoa_entity e[3];
    for (int32_t i = 0; i < 3; i++) {
        e[i] = stoa_create_with(f.w, STOA_VALUE(Health, {i}), STOA_VALUE(Position, {1, 2, 3}));
    }
    uint64_t hash = stoa_hash(f.w);
    assert_int_equal(stoa_history_save(f.h), 0);
    stoa_destroy(f.w, e[0]);
    stoa_set(f.w, e[1], Health, {77});
    stoa_remove(f.w, e[2], Position);
    stoa_entity late = stoa_create(f.w);
    assert_true(stoa_hash(f.w) != hash);
    assert_int_equal(stoa_history_restore(f.h, 0), STOA_OK);
    assert_true(stoa_hash(f.w) == hash);
    assert_true(stoa_alive(f.w, e[0]) && !stoa_alive(f.w, late));
    assert_int_equal(stoa_get(f.w, e[1], Health)->points, 1);
    assert_true(stoa_has(f.w, e[2], Position));
    /* The next one has the handle that it would have had. */
    assert_true(stoa_entity_eq(stoa_create(f.w), (stoa_entity){4, 1}));
    fixture_close(&f);
}

/* SNP-08 */
static void ring_keeps_the_newest_frames(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 3);
    assert_int_equal(stoa_history_first(f.h), -1);
    assert_int_equal(stoa_history_last(f.h), -1);
    stoa_entity e = stoa_create_with(f.w, STOA_VALUE(Health, {0}));
    for (int32_t i = 0; i < 10; i++) {
        stoa_set(f.w, e, Health, {i});
        assert_int_equal(stoa_history_save(f.h), i);
    }
    assert_int_equal(stoa_history_count(f.h), 3);
    assert_int_equal(stoa_history_first(f.h), 7);
    assert_int_equal(stoa_history_last(f.h), 9);
    assert_int_equal(stoa_history_restore(f.h, 8), STOA_OK);
    assert_int_equal(stoa_get(f.w, e, Health)->points, 8);
    assert_int_equal(stoa_history_count(f.h), 2);
    /* Numbers count on from the frame restored. */
    assert_int_equal(stoa_history_save(f.h), 9);
    assert_int_equal(stoa_history_restore(f.h, 7), STOA_OK);
    assert_int_equal(stoa_get(f.w, e, Health)->points, 7);
    assert_int_equal(stoa_history_clear(f.h, 100), STOA_OK);
    assert_int_equal(stoa_history_count(f.h), 0);
    assert_int_equal(stoa_history_save(f.h), 100);
    fixture_close(&f);
}

/* SNP-08: archetypes that came later are gone, and come again where they would have come. */
static void younger_archetypes_are_hidden(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 4);
    stoa_entity e = stoa_create_with(f.w, STOA_VALUE(Health, {1}));
    int32_t count = stoa_archetype_count(f.w);
    stoa_history_save(f.h);
    stoa_query *all = stoa_query_new(f.w, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    stoa_add(f.w, e, Frozen);
    stoa_add(f.w, e, Position);
    stoa_create_with(f.w, STOA_ZERO(Wide), STOA_ZERO(Health));
    assert_int_equal(stoa_query_count(all), 2);
    stoa_history_restore(f.h, 0);
    assert_int_equal(stoa_archetype_count(f.w), count);
    assert_int_equal(stoa_query_count(all), 1);
    stoa_entity other = stoa_create_with(f.w, STOA_ZERO(Health), STOA_ZERO(Wide));
    assert_int_equal(stoa_archetype_of(f.w, other), count);
    stoa_add(f.w, e, Frozen);
    assert_int_equal(stoa_archetype_of(f.w, e), count + 1);
    fixture_close(&f);
}

static int32_t changed_count(stoa_query *query) {
    int32_t count = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        count += it.count;
    }
    return count;
}

/* SNP-08 CHG-01 */
static void change_filters_see_what_they_would_have_seen(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 4);
    stoa_entity e = stoa_create_with(f.w, STOA_VALUE(Health, {1}), STOA_VALUE(Seen, {1}));
    stoa_create_with(f.w, STOA_VALUE(Health, {1}), STOA_VALUE(Seen, {1}));
    stoa_query *q = stoa_query_new(f.w, &(stoa_query_desc){.terms = {STOA_CHANGED(Seen)}});
    assert_int_equal(changed_count(q), 2);
    stoa_history_save(f.h);
    uint32_t tick = stoa_tick(f.w);
    stoa_set(f.w, e, Seen, {2});
    assert_int_equal(changed_count(q), 1);
    stoa_history_restore(f.h, 0);
    assert_int_equal(stoa_tick(f.w), tick);
    assert_int_equal(changed_count(q), 0);
    stoa_set(f.w, e, Seen, {3});
    assert_int_equal(changed_count(q), 1);
    /* One that came later has seen nothing yet. */
    stoa_history_save(f.h);
    stoa_query *late = stoa_query_new(f.w, &(stoa_query_desc){.terms = {STOA_CHANGED(Seen)}});
    assert_int_equal(changed_count(late), 2);
    stoa_history_restore(f.h, 1);
    assert_int_equal(changed_count(late), 2);
    fixture_close(&f);
}

/* SNP-08 */
static void resources_and_queues_come_back(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 4);
    stoa_reader *reader = stoa_reader_new(f.w, Health);
    stoa_resource_set(f.w, Health, {5});
    stoa_event_send(f.w, Health, {1});
    stoa_event_send(f.w, Health, {2});
    stoa_history_save(f.h);
    stoa_event event;
    while (stoa_event_read(reader, &event)) {
    }
    stoa_event_send(f.w, Health, {3});
    stoa_resource_mut(f.w, Health)->points = 6;
    stoa_resource_set(f.w, Position, {0, 0, 0});
    stoa_reader *late = stoa_reader_new(f.w, Health);
    stoa_history_restore(f.h, 0);
    assert_int_equal(stoa_resource(f.w, Health)->points, 5);
    assert_false(stoa_resource_has(f.w, Position));
    assert_int_equal(stoa_reader_count(reader), 2);
    assert_int_equal(stoa_reader_count(late), 0);
    assert_true(stoa_event_read(reader, &event));
    assert_int_equal(((const Health *)event.data)->points, 1);
    stoa_event_send(f.w, Health, {4});
    assert_true(stoa_event_read(late, &event));
    assert_int_equal(((const Health *)event.data)->points, 4);
    /* A resource that went comes back. */
    stoa_history_save(f.h);
    stoa_resource_remove_id(f.w, stoa_id(f.w, Health));
    stoa_history_restore(f.h, 1);
    assert_int_equal(stoa_resource(f.w, Health)->points, 5);
    fixture_close(&f);
}

/* SNP-10 */
static void transient_values_stay_with_those_who_live(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 4);
    stoa_entity e = stoa_create(f.w);
    stoa_set(f.w, e, Fleeting, {1});
    stoa_resource_set(f.w, Fleeting, {1});
    stoa_history_save(f.h);
    stoa_entity late = stoa_create(f.w);
    stoa_set(f.w, late, Fleeting, {9});
    stoa_set(f.w, e, Fleeting, {2});
    stoa_resource_set(f.w, Fleeting, {2});
    stoa_history_restore(f.h, 0);
    assert_int_equal(stoa_get(f.w, e, Fleeting)->value, 2);
    assert_int_equal(stoa_resource(f.w, Fleeting)->value, 2);
    stoa_entity again = stoa_create(f.w);
    assert_true(stoa_entity_eq(again, late));
    assert_false(stoa_has(f.w, again, Fleeting));
    fixture_close(&f);
}

static void hook_count(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)value;
    ++*(int *)user;
}

static void listen_count(stoa_world *world, const stoa_event *event, void *user) {
    (void)world;
    (void)event;
    ++*(int *)user;
}

/* SNP-08 SNP-11 HOK-02: nobody is told, listeners to what does not live any more go. */
static void hooks_are_not_told_of_a_restore(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 4);
    int told = 0, heard = 0;
    stoa_entity e = stoa_create_with(f.w, STOA_VALUE(Health, {1}));
    stoa_hook_type(f.w, STOA_ON_ADD, STOA_TYPE_OF(Health), hook_count, &told);
    stoa_hook_type(f.w, STOA_ON_REMOVE, STOA_TYPE_OF(Health), hook_count, &told);
    stoa_history_save(f.h);
    stoa_entity late = stoa_create_with(f.w, STOA_VALUE(Health, {1}));
    stoa_listener_new(f.w, &(stoa_listener_desc){.type = STOA_TYPE_OF(Health),
                                                 .target = late,
                                                 .call = listen_count,
                                                 .user = &heard});
    stoa_listener_new(
        f.w, &(stoa_listener_desc){
                 .type = STOA_TYPE_OF(Health), .target = e, .call = listen_count, .user = &heard});
    stoa_destroy(f.w, e);
    assert_int_equal(told, 2);
    stoa_history_restore(f.h, 0);
    assert_int_equal(told, 2);
    assert_true(stoa_entity_eq(stoa_create(f.w), late));
    stoa_event_send_to(f.w, late, Health, {1});
    stoa_event_send_to(f.w, e, Health, {1});
    assert_int_equal(heard, 0);
    stoa_remove(f.w, e, Health);
    assert_int_equal(told, 3);
    fixture_close(&f);
}

static stoa_entity owned_new(stoa_world *w, int32_t serial) {
    Owned o;
    Hoard h;
    Written t;
    owner_make(&o, serial);
    owner_make(&h, serial + 1);
    owner_make(&t, serial + 2);
    return stoa_create_with(w, STOA_VALUE_FROM(Owned, &o), STOA_VALUE_FROM(Hoard, &h),
                            STOA_VALUE_FROM(Written, &t));
}

/* SNP-08 SNP-03 */
static void values_with_hooks_are_copied_or_saved(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 4);
    stoa_entity a = owned_new(f.w, 10), b = owned_new(f.w, 20);
    stoa_history_save(f.h);
    /* Two copies; those of the third are bytes. */
    assert_int_equal(owned_alive, 10);
    stoa_destroy(f.w, a);
    Owned other;
    owner_make(&other, 99);
    stoa_set_from(f.w, b, Owned, &other);
    stoa_history_restore(f.h, 0);
    assert_int_equal(owned_alive, 10);
    assert_int_equal(stoa_get(f.w, a, Owned)->serial, 10);
    assert_int_equal(stoa_get(f.w, a, Hoard)->serial, 11);
    assert_int_equal(stoa_get(f.w, a, Written)->serial, 12);
    assert_int_equal(stoa_get(f.w, b, Owned)->serial, 20);
    /* What did not change is shared. */
    stoa_tick_advance(f.w);
    stoa_history_save(f.h);
    stoa_tick_advance(f.w);
    int32_t alive = owned_alive;
    stoa_history_save(f.h);
    assert_int_equal(owned_alive, alive);
    fixture_close(&f);
}

/* SNP-08: an entity with a large world around it that does not change costs little. */
static void saving_costs_what_changed(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 100);
    stoa_entity e[10000];
    stoa_create_bulk(f.w, 10000, e, STOA_ZERO(Wide));
    stoa_history_save(f.h);
    stoa_tick_advance(f.w);
    size_t first = stoa_history_bytes(f.h);
    assert_true(first > 10000 * sizeof(Wide));
    for (int32_t i = 0; i < 20; i++) {
        stoa_get_mut(f.w, e[i], Wide)->last = i;
        stoa_tick_advance(f.w);
        assert_true(stoa_history_save(f.h) > 0);
    }
    /* A chunk of 64 KiB for each, not the whole. */
    assert_true(stoa_history_bytes(f.h) - first < (size_t)20 * 3 * 65536);
    for (int64_t i = 20; i > 0; i -= 3) {
        assert_int_equal(stoa_history_restore(f.h, i), STOA_OK);
        assert_int_equal(stoa_get(f.w, e[i - 1], Wide)->last, i - 1);
        assert_int_equal(stoa_get(f.w, e[i], Wide)->last, 0);
    }
    fixture_close(&f);
}

/* One turn of a small game. */
static void world_stir(stoa_world *w, support_random *random, stoa_entity *e, int32_t count) {
    for (int32_t i = 0; i < 30; i++) {
        int32_t at = (int32_t)support_random_below(random, (uint32_t)count);
        switch (i % 5) {
        case 0:
            stoa_destroy(w, e[at]);
            e[at] = stoa_create_with(w, STOA_VALUE(Health, {at}), STOA_VALUE(Purse, {at}));
            break;
        case 1:
            stoa_set(w, e[at], Position, {1, 2, (float)at});
            break;
        case 2:
            stoa_remove(w, e[at], Position);
            break;
        case 3:
            stoa_set(w, e[at], Mood, {at});
            break;
        default:
            stoa_event_send_to(w, e[at], Health, {at});
            break;
        }
    }
    stoa_tick_advance(w);
}

/* SNP-08 */
static void saving_and_restoring_need_no_memory_once_warm(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 6);
    support_random random = {5};
    stoa_entity e[500], kept[500];
    stoa_reader *reader = stoa_reader_new(f.w, Health);
    stoa_event event;
    stoa_create_bulk(f.w, 500, e, STOA_ZERO(Health), STOA_ZERO(Purse));
    size_t before = 0;
    for (int32_t turn = 0; turn < 400; turn++) {
        if (turn == 200) {
            before = f.s.heap.allocations;
        }
        memcpy(kept, e, sizeof kept);
        stoa_history_save(f.h);
        world_stir(f.w, &random, e, 500);
        if (turn % 3 == 0) {
            stoa_history_restore(f.h, stoa_history_last(f.h));
            memcpy(e, kept, sizeof kept);
        }
        while (stoa_event_read(reader, &event)) {
        }
    }
    assert_int_equal(f.s.heap.allocations, before);
    assert_int_equal(stoa_check(f.w), STOA_OK);
    fixture_close(&f);
}

/* SNP-08: rings of the same world do not disturb each other. */
static void two_histories_of_a_world_go_their_ways(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 4);
    stoa_history *other = stoa_history_new(f.w, NULL);
    stoa_entity e = stoa_create_with(f.w, STOA_VALUE(Health, {1}));
    stoa_history_save(f.h);
    dump one = dump_of(f.w);
    stoa_set(f.w, e, Health, {2});
    stoa_create_with(f.w, STOA_VALUE(Health, {2}));
    stoa_history_save(other);
    dump two = dump_of(f.w);
    stoa_history_restore(f.h, 0);
    dump_holds(f.w, &one);
    assert_int_equal(stoa_history_save(other), 1);
    stoa_history_restore(other, 0);
    dump_holds(f.w, &two);
    stoa_history_restore(f.h, 0);
    dump_holds(f.w, &one);
    dump_free(&one);
    dump_free(&two);
    stoa_history_free(other);
    fixture_close(&f);
}

/* SNP-08 CHG-06: a sweep of old ticks in between changes nothing. */
static void restore_goes_back_over_a_sweep(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 4);
    stoa_entity e = stoa_create_with(f.w, STOA_VALUE(Seen, {1}), STOA_VALUE(Purse, {1}));
    stoa_resource_set(f.w, Health, {1});
    stoa_history_save(f.h);
    dump before = dump_of(f.w);
    for (int32_t i = 0; i < 4; i++) {
        stoa__world_tick_step(f.w, STOA__TICK_AGE / 2);
    }
    stoa_history_save(f.h);
    dump after = dump_of(f.w);
    stoa_set(f.w, e, Seen, {2});
    stoa_history_restore(f.h, 1);
    dump_holds(f.w, &after);
    stoa_history_restore(f.h, 0);
    dump_holds(f.w, &before);
    dump_free(&before);
    dump_free(&after);
    fixture_close(&f);
}

/* SNP-08 CHG-01: a row that leaves and comes back brings the ticks of those it was with. */
static void ticks_come_back_where_no_row_changed(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 4);
    stoa_entity e = stoa_create_with(f.w, STOA_ZERO(Position));
    stoa_entity other = stoa_create_with(f.w, STOA_ZERO(Position), STOA_ZERO(Speed));
    stoa_tick_advance(f.w);
    stoa_set(f.w, other, Position, {1, 1, 1});
    stoa_tick_advance(f.w);
    stoa_history_save(f.h);
    dump before = dump_of(f.w);
    stoa_tick_advance(f.w);
    stoa_add(f.w, e, Speed);
    stoa_remove(f.w, e, Speed);
    dump after = dump_of(f.w);
    assert_non_null(dump_differ(&after, &before));
    stoa_history_restore(f.h, 0);
    dump_holds(f.w, &before);
    dump_free(&before);
    dump_free(&after);
    fixture_close(&f);
}

/* SNP-08 CHG-01: the same of additions alone, on the way back and in a frame saved since. */
static void additions_come_back_where_no_row_changed(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 4);
    stoa_entity e = stoa_create_with(f.w, STOA_ZERO(Position));
    stoa_tick_advance(f.w);
    stoa_create_with(f.w, STOA_ZERO(Position), STOA_ZERO(Speed));
    stoa_tick_advance(f.w);
    stoa_set(f.w, e, Position, {1, 1, 1});
    stoa_tick_advance(f.w);
    stoa_history_save(f.h);
    dump before = dump_of(f.w);
    stoa_tick_advance(f.w);
    stoa_add(f.w, e, Speed);
    stoa_remove(f.w, e, Speed);
    stoa_history_save(f.h);
    dump after = dump_of(f.w);
    assert_non_null(dump_differ(&after, &before));
    stoa_set(f.w, e, Position, {2, 2, 2});
    stoa_history_restore(f.h, 1);
    dump_holds(f.w, &after);
    stoa_history_restore(f.h, 0);
    dump_holds(f.w, &before);
    dump_free(&before);
    dump_free(&after);
    fixture_close(&f);
}

/* SNP-08: entities without components are in a frame, whoever has listened in the meantime. */
static void created_entities_come_back_after_a_log_came_and_went(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 4);
    stoa_entity first = stoa_create(f.w), gone[3];
    stoa_create_bulk_values(f.w, 3, gone, NULL, 0);
    for (int32_t i = 0; i < 3; i++) {
        stoa_destroy(f.w, gone[i]);
    }
    stoa_history_save(f.h);
    for (int32_t i = 0; i < 3; i++) {
        if (i > 0) {
            assert_int_equal(stoa_log_keep(f.w, i == 1 ? 10 : 0), STOA_OK);
        }
        stoa_entity e = stoa_create(f.w);
        stoa_history_save(f.h);
        stoa_destroy(f.w, first);
        stoa_history_restore(f.h, i + 1);
        assert_true(stoa_alive(f.w, e) && stoa_alive(f.w, first));
    }
    assert_int_equal(stoa_count(f.w), 4);
    fixture_close(&f);
}

/* SNP-08: nothing marks a switch, and as many are off as before. */
static void switches_that_change_places_come_back(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f, 4);
    stoa_entity e[2];
    stoa_create_bulk(f.w, 2, e, STOA_ZERO(Shield), STOA_ZERO(Mood));
    dump kept[2];
    for (int32_t i = 0; i < 2; i++) {
        for (int32_t k = 0; k < 2; k++) {
            stoa_enable_id(f.w, e[k], stoa_id(f.w, Shield), k == i);
            stoa_enable_id(f.w, e[k], stoa_id(f.w, Mood), k == i);
        }
        stoa_tick_advance(f.w);
        stoa_history_save(f.h);
        kept[i] = dump_of(f.w);
    }
    assert_non_null(dump_differ(&kept[0], &kept[1]));
    stoa_history_restore(f.h, 0);
    dump_holds(f.w, &kept[0]);
    stoa_history_save(f.h);
    stoa_enable_id(f.w, e[0], stoa_id(f.w, Shield), false);
    stoa_enable_id(f.w, e[1], stoa_id(f.w, Shield), true);
    stoa_history_save(f.h);
    stoa_history_restore(f.h, 2);
    assert_false(stoa_enabled_id(f.w, e[0], stoa_id(f.w, Shield)));
    stoa_history_restore(f.h, 0);
    dump_holds(f.w, &kept[0]);
    dump_free(&kept[0]);
    dump_free(&kept[1]);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restored_world_is_what_it_was),
        cmocka_unit_test(ring_keeps_the_newest_frames),
        cmocka_unit_test(younger_archetypes_are_hidden),
        cmocka_unit_test(change_filters_see_what_they_would_have_seen),
        cmocka_unit_test(resources_and_queues_come_back),
        cmocka_unit_test(transient_values_stay_with_those_who_live),
        cmocka_unit_test(hooks_are_not_told_of_a_restore),
        cmocka_unit_test(values_with_hooks_are_copied_or_saved),
        cmocka_unit_test(saving_costs_what_changed),
        cmocka_unit_test(saving_and_restoring_need_no_memory_once_warm),
        cmocka_unit_test(two_histories_of_a_world_go_their_ways),
        cmocka_unit_test(restore_goes_back_over_a_sweep),
        cmocka_unit_test(ticks_come_back_where_no_row_changed),
        cmocka_unit_test(additions_come_back_where_no_row_changed),
        cmocka_unit_test(created_entities_come_back_after_a_log_came_and_went),
        cmocka_unit_test(switches_that_change_places_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

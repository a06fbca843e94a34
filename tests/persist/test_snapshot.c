/* A world that is saved and loaded is the same world. */
#include "persist/snapshot_fixture.h"
#include "world/testing.h"

/* SNP-01 */
static void empty_world_comes_back_empty(void **state) {
    pair *p = *state;
    pair_save(p, NULL);
    pair_load(p, NULL);
    assert_int_equal(stoa_count(p->to.world), 0);
}

/* SNP-01 SNP-03 */
static void components_of_every_kind_come_back(void **state) {
    pair *p = *state;
    world_fill(p->from.world, 40);
    types_register(p->to.world, true);
    pair_save(p, NULL);
    pair_load(p, NULL);
}

/* SNP-01 */
static void values_come_back_field_by_field(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    types_register(w, false);
    stoa_entity other = stoa_create(w);
    stoa_entity e = stoa_create_with(
        w, STOA_VALUE(Nested, {{1.5f, -2.5f}, TEAM_BLUE, {1, -2, 3}, other, 'z'}),
        STOA_VALUE(Gappy, {200, 4000000000u, true, 0.1, 65535}), STOA_VALUE(Blob3, {{7, 8, 9}}));
    stoa_set(w, e, Mark, {INT64_MIN});
    types_register(p->to.world, true);
    pair_save(p, NULL);
    pair_load(p, NULL);
    const Nested *nested = stoa_get(p->to.world, e, Nested);
    assert_true(nested->at.x == 1.5f && nested->at.y == -2.5f);
    assert_int_equal(nested->team, TEAM_BLUE);
    assert_int_equal(nested->list[0], 1);
    assert_int_equal(nested->list[1], -2);
    assert_int_equal(nested->list[2], 3);
    assert_true(stoa_entity_eq(nested->target, other));
    assert_int_equal(nested->letter, 'z');
    const Gappy *gappy = stoa_get(p->to.world, e, Gappy);
    assert_int_equal(gappy->small, 200);
    assert_true(gappy->large == 4000000000u && gappy->flag && gappy->number == 0.1);
    assert_int_equal(gappy->last, 65535);
    assert_memory_equal(stoa_get(p->to.world, e, Blob3)->bytes, ((uint8_t[]){7, 8, 9}), 3);
    assert_true(stoa_get(p->to.world, e, Mark)->value == INT64_MIN);
}

/* SNP-03 */
static void values_with_functions_come_back(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_entity e[300];
    for (int i = 0; i < 300; i++) {
        char letters[16];
        snprintf(letters, sizeof letters, "%d", i * i);
        Text text = text_make(letters);
        e[i] = stoa_create(w);
        assert_int_equal(stoa_set_id(w, e[i], stoa_id(w, Text), &text, sizeof text), STOA_OK);
    }
    stoa_id(p->to.world, Text);
    pair_save(p, NULL);
    pair_load(p, NULL);
    for (int i = 0; i < 300; i++) {
        assert_int_equal(atoi(stoa_get(p->to.world, e[i], Text)->text), i * i);
    }
    assert_int_equal(text_count, 600);
}

/* SNP-01: dead slots keep their generations, and handles come in the same order afterwards. */
static void dead_slots_and_free_list_come_back(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_entity e[64];
    for (int i = 0; i < 64; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    }
    for (int i = 0; i < 64; i += 3) {
        stoa_destroy(w, e[(i * 7) % 64]);
    }
    for (int i = 0; i < 5; i++) {
        stoa_create(w);
    }
    stoa_id(p->to.world, Position);
    pair_save(p, NULL);
    pair_load(p, NULL);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(stoa_alive(w, e[i]), stoa_alive(p->to.world, e[i]));
    }
    for (int i = 0; i < 40; i++) {
        assert_true(stoa_entity_eq(stoa_create(w), stoa_create(p->to.world)));
    }
    worlds_assert_equal(w, p->to.world);
}

/* SNP-01, ENT-04: a slot whose generations are used up is never given out again, wherever it is
 * loaded; one at its last generation is given out once more. */
static void retired_slots_come_back_retired(void **state) {
    enum { LAST = 0x7FFFFFFF };
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_entity e[8];
    for (int i = 0; i < 8; i++) {
        e[i] = stoa_create(w);
    }
    for (int i = 0; i < 8; i++) {
        stoa_destroy(w, e[i]);
        stoa__testing_set_generation(w, e[i].index, LAST);
    }
    /* Of three that are alive in their last generation one is left to live; two are retired. Five
     * have it before them. */
    stoa_entity last[3];
    for (int i = 0; i < 3; i++) {
        last[i] = stoa_create_with(w, STOA_VALUE(Position, {(float)i, 2}));
        assert_int_equal(last[i].generation, LAST);
    }
    stoa_destroy(w, last[0]);
    stoa_destroy(w, last[2]);
    stoa_id(p->to.world, Position);
    for (int ticks = 0; ticks < 2; ticks++) {
        support_world s;
        support_world_open(&s);
        stoa_id(s.world, Position);
        pair_save(p, &(stoa_snapshot_save_desc){.ticks = ticks == 1});
        stoa_status status = stoa_snapshot_load_memory(s.world, NULL, p->blob.data, p->blob.size);
        assert_int_equal(status, STOA_OK);
        worlds_assert_equal(w, s.world);
        support_world_close(&s);
    }
    pair_save(p, NULL);
    pair_load(p, NULL);
    assert_true(stoa_get(p->to.world, last[1], Position)->x == 1);
    assert_int_equal(stoa_destroy(p->to.world, last[1]), STOA_OK);
    stoa_destroy(w, last[1]);
    for (int i = 0; i < 12; i++) {
        stoa_entity one = stoa_create(w), other = stoa_create(p->to.world);
        assert_true(stoa_entity_eq(one, other));
        assert_int_equal(one.generation, i < 5 ? LAST : 1);
        for (int k = 0; k < 3; k++) {
            assert_int_not_equal(other.index, last[k].index);
        }
        stoa_destroy(w, one);
        stoa_destroy(p->to.world, other);
        if (i >= 5) {
            stoa_create(w);
            stoa_create(p->to.world);
        }
    }
    worlds_assert_equal(w, p->to.world);
    pair_save(p, NULL);
}

/* SNP-01: iteration goes by archetypes, also those that were empty when the world was saved. */
static void order_of_iteration_comes_back(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Velocity, {0, 0}), STOA_VALUE(Position, {1, 0}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Position, {2, 0}));
    stoa_entity c = stoa_create_with(w, STOA_VALUE(Position, {3, 0}), STOA_VALUE(Lamp, {1}));
    stoa_remove(w, a, Velocity);
    stoa_create_with(p->to.world, STOA_VALUE(Position, {0, 0}), STOA_VALUE(Lamp, {1}));
    stoa_destroy(p->to.world, stoa_entity_next(p->to.world, STOA_NULL));
    stoa_id(p->to.world, Velocity);
    pair_save(p, NULL);
    pair_load(p, NULL);
    stoa_entity seen[2][3];
    for (int side = 0; side < 2; side++) {
        stoa_world *world = side == 0 ? w : p->to.world;
        stoa_set(world, a, Velocity, {0, 0});
        stoa_query *query = stoa_query_parse(world, "const Position");
        stoa_iter it = stoa_query_iter(query);
        int count = 0;
        while (stoa_iter_next(&it)) {
            for (int32_t i = 0; i < it.count; i++) {
                seen[side][count++] = it.entities[i];
            }
        }
        assert_int_equal(count, 3);
    }
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
    assert_true(stoa_entity_eq(seen[1][0], a) && stoa_entity_eq(seen[1][1], b) &&
                stoa_entity_eq(seen[1][2], c));
}

/* SNP-01 */
static void switched_off_components_come_back(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_entity e[5000];
    for (int i = 0; i < 5000; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Lamp, {(uint8_t)i}), STOA_VALUE(Position, {0, 0}));
        stoa_set(w, e[i], Mark, {i});
        stoa_enable(w, e[i], Lamp, i % 5 != 0 || i < 2500);
        stoa_enable(w, e[i], Mark, i % 3 != 0);
    }
    types_register(p->to.world, true);
    pair_save(p, NULL);
    pair_load(p, NULL);
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(stoa_enabled(p->to.world, e[i], Lamp), i % 5 != 0 || i < 2500);
        assert_int_equal(stoa_enabled(p->to.world, e[i], Mark), i % 3 != 0);
    }
}

/* SNP-10 */
static void transient_data_is_left_out(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Ghost, {3}));
    stoa_resource_set(w, Cache, {4});
    pair_save(p, NULL);
    uint64_t hash = stoa_hash(w);
    types_register(p->to.world, true);
    pair_load(p, NULL);
    assert_true(stoa_has(p->to.world, e, Position));
    assert_false(stoa_has(p->to.world, e, Ghost));
    assert_false(stoa_resource_has(p->to.world, Cache));
    stoa_remove(w, e, Ghost);
    assert_true(stoa_hash(w) == hash);
}

/* SNP-01 */
static void resources_come_back_or_are_left_out(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    types_register(w, false);
    types_register(p->to.world, true);
    stoa_resource_set(w, Settings, {3, 0.25});
    Text text = text_make("a resource");
    assert_int_equal(stoa_resource_set_id(w, stoa_id(w, Text), &text, sizeof text), STOA_OK);
    stoa_resource_set_id(w, stoa_id(w, Frozen), NULL, 0);
    /* One that the world has is replaced, another stays. */
    stoa_resource_set(p->to.world, Settings, {1, 1});
    stoa_resource_set(p->to.world, Position, {5, 6});
    pair_save(p, &(stoa_snapshot_save_desc){.no_resources = true});
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                     STOA_OK);
    assert_int_equal(stoa_resource(p->to.world, Settings)->level, 1);
    assert_false(stoa_resource_has(p->to.world, Text));
    pair_save(p, NULL);
    assert_int_equal(stoa_snapshot_load_memory(p->to.world,
                                               &(stoa_snapshot_load_desc){.no_resources = true},
                                               p->blob.data, p->blob.size),
                     STOA_OK);
    assert_int_equal(stoa_resource(p->to.world, Settings)->level, 1);
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                     STOA_OK);
    assert_int_equal(stoa_resource(p->to.world, Settings)->level, 3);
    assert_true(stoa_resource(p->to.world, Settings)->speed == 0.25);
    assert_string_equal(stoa_resource(p->to.world, Text)->text, "a resource");
    assert_true(stoa_resource_has(p->to.world, Frozen));
    assert_true(stoa_resource(p->to.world, Position)->x == 5);
}

/* SNP-01 */
static void ticks_come_back_if_they_are_saved(void **state) {
    pair *p = *state;
    const stoa_snapshot_save_desc desc = {.ticks = true};
    stoa_world *w = p->from.world;
    world_fill(w, 30);
    for (int i = 0; i < 50; i++) {
        stoa_tick_advance(w);
    }
    uint32_t since = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_entity timed = STOA_NULL;
    stoa_entity e = stoa_entity_next(w, STOA_NULL);
    for (int i = 0; !stoa_entity_is_null(e); e = stoa_entity_next(w, e)) {
        if (stoa_has(w, e, Timed) && i++ == 7) {
            timed = e;
        }
    }
    stoa_set(w, timed, Timed, {99});
    types_register(p->to.world, true);
    pair_save(p, &desc);
    pair_load(p, &desc);
    assert_int_equal(stoa_tick(p->to.world), stoa_tick(w));
    e = stoa_entity_next(w, STOA_NULL);
    for (; !stoa_entity_is_null(e); e = stoa_entity_next(w, e)) {
        assert_int_equal(stoa_changed(p->to.world, e, Timed, since), stoa_entity_eq(e, timed));
        for (uint32_t tick = since - 90; tick <= since; tick += 9) {
            assert_int_equal(stoa_changed(w, e, Mark, tick),
                             stoa_changed(p->to.world, e, Mark, tick));
            assert_int_equal(stoa_added(w, e, Timed, tick),
                             stoa_added(p->to.world, e, Timed, tick));
        }
    }
}

/* CHG-02: what is loaded without ticks counts as new. */
static void everything_is_new_without_ticks(void **state) {
    pair *p = *state;
    stoa_entity e = stoa_create_with(p->from.world, STOA_VALUE(Position, {1, 2}));
    stoa_set(p->from.world, e, Mark, {1});
    types_register(p->to.world, false);
    uint32_t since = stoa_tick(p->to.world);
    stoa_tick_advance(p->to.world);
    pair_save(p, NULL);
    pair_load(p, NULL);
    assert_true(stoa_changed(p->to.world, e, Position, since));
    assert_true(stoa_added(p->to.world, e, Position, since));
    assert_true(stoa_changed(p->to.world, e, Mark, since));
}

/* SNP-02: the same bytes whatever the numbers of components, sizes of chunks and what was where
 * before. */
static void same_world_gives_same_bytes(void **state) {
    pair *p = *state;
    world_fill(p->from.world, 100);
    pair_save(p, NULL);
    support_world small;
    support_world_open_with(&small, 16 << 10);
    types_register(small.world, true);
    stoa_create_with(small.world, STOA_VALUE(Lamp, {1}), STOA_VALUE(Velocity, {2, 3}));
    stoa_destroy(small.world, stoa_entity_next(small.world, STOA_NULL));
    assert_int_equal(stoa_snapshot_load_memory(small.world, NULL, p->blob.data, p->blob.size),
                     STOA_OK);
    worlds_assert_equal(p->from.world, small.world);
    stoa_blob again = {.allocator = &p->blob_allocator};
    assert_int_equal(stoa_snapshot_save_memory(small.world, NULL, &again), STOA_OK);
    assert_int_equal(again.size, p->blob.size);
    assert_memory_equal(again.data, p->blob.data, again.size);
    stoa_blob_free(&again);
    support_world_close(&small);
}

/* SNP-02: values that are equal are saved equal, whatever stands in their gaps. */
static void padding_is_not_saved(void **state) {
    pair *p = *state;
    Gappy values[2];
    stoa_blob blobs[2] = {{.allocator = &p->blob_allocator}, {.allocator = &p->blob_allocator}};
    for (int i = 0; i < 2; i++) {
        stoa_world *w = i == 0 ? p->from.world : p->to.world;
        memset(&values[i], i == 0 ? 0x55 : 0xAA, sizeof values[i]);
        values[i].small = 1;
        values[i].large = 2;
        values[i].flag = true;
        values[i].number = 3;
        values[i].last = 4;
        stoa_entity e = stoa_create(w);
        stoa_set_id(w, e, stoa_id(w, Gappy), &values[i], sizeof values[i]);
        assert_int_equal(stoa_snapshot_save_memory(w, NULL, &blobs[i]), STOA_OK);
    }
    assert_int_equal(blobs[0].size, blobs[1].size);
    assert_memory_equal(blobs[0].data, blobs[1].data, blobs[0].size);
    stoa_blob_free(&blobs[0]);
    stoa_blob_free(&blobs[1]);
}

/* SNP-01 */
static void snapshot_tells_what_it_holds(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    world_fill(w, 4);
    pair_save(p, &(stoa_snapshot_save_desc){.ticks = true});
    stoa_snapshot_info info;
    assert_int_equal(stoa_snapshot_verify(p->blob.data, p->blob.size, &info), STOA_OK);
    assert_int_equal(info.version, STOA_SNAPSHOT_VERSION);
    assert_int_equal(info.size, p->blob.size);
    assert_int_equal(info.archetype_count, stoa_archetype_count(w) - 1);
    assert_int_equal(info.sparse_count, 2);
    assert_int_equal(info.resource_count, 1);
    assert_int_equal(info.extension_count, 0);
    assert_int_equal(info.entity_count, stoa_count(w));
    assert_true(info.slot_count > info.entity_count);
    assert_true(info.ticks);
    assert_int_equal(info.tick, stoa_tick(w));
    assert_int_equal(info.component_count, 13);
    /* Schema, slots, tick, ticks of archetypes and sparse components, resources and their ticks. */
    assert_int_equal(info.section_count, 3 + 2 * info.archetype_count + 2 * 2 + 2);
    assert_false(info.app);
}

/* SNP-01 */
static void blob_is_appended_to(void **state) {
    pair *p = *state;
    const stoa_sink sink = stoa_blob_sink(&p->blob);
    assert_int_equal(stoa_sink_write(&sink, "head", 4), STOA_OK);
    stoa_create_with(p->from.world, STOA_VALUE(Position, {1, 2}));
    assert_int_equal(stoa_snapshot_save_memory(p->from.world, NULL, &p->blob), STOA_OK);
    assert_memory_equal(p->blob.data, "head", 4);
    stoa_id(p->to.world, Position);
    /* Read where it is, at an address that no number is aligned to. */
    assert_int_equal(
        stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data + 4, p->blob.size - 4), STOA_OK);
    worlds_assert_equal(p->from.world, p->to.world);
    memmove(p->blob.data + 1, p->blob.data + 4, p->blob.size - 4);
    stoa_destroy(p->to.world, stoa_entity_next(p->to.world, STOA_NULL));
    assert_int_equal(
        stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data + 1, p->blob.size - 4), STOA_OK);
    worlds_assert_equal(p->from.world, p->to.world);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)
    const struct CMUnitTest tests[] = {
        TEST(empty_world_comes_back_empty),       TEST(components_of_every_kind_come_back),
        TEST(values_come_back_field_by_field),    TEST(values_with_functions_come_back),
        TEST(dead_slots_and_free_list_come_back), TEST(retired_slots_come_back_retired),
        TEST(order_of_iteration_comes_back),      TEST(switched_off_components_come_back),
        TEST(transient_data_is_left_out),         TEST(resources_come_back_or_are_left_out),
        TEST(ticks_come_back_if_they_are_saved),  TEST(everything_is_new_without_ticks),
        TEST(same_world_gives_same_bytes),        TEST(padding_is_not_saved),
        TEST(snapshot_tells_what_it_holds),       TEST(blob_is_appended_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

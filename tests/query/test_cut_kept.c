/* Cuts of a query whose rows are as many as they were at the cut before. */
#include "query/cut_fixture.h"

#define MANY 20000

typedef struct kept_scene {
    support_world s;
    stoa_query *query;
    stoa_entity made[MANY];
} kept_scene;

static kept_scene scene;

static void rows_create(int32_t first, int32_t count) {
    stoa_value values[] = {STOA_ZERO(Plain), STOA_ZERO(Other)};
    assert_int_equal(stoa_create_bulk_values(scene.s.world, count, scene.made + first, values, 2),
                     STOA_OK);
}

static int kept_open(void **state) {
    (void)state;
    support_world_open_with(&scene.s, 16384);
    rows_create(0, MANY);
    scene.query = query_of(scene.s.world, STOA_WRITE(Plain), STOA_READ(Other));
    assert_true(cut_agrees(scene.query, NULL, 300) > 10);
    return 0;
}

static int kept_close(void **state) {
    (void)state;
    support_world_close(&scene.s);
    return 0;
}

/* SYS-06 */
static void cut_that_stands_needs_no_memory(void **state) {
    (void)state;
    int32_t parts = stoa_query_cut(scene.query, NULL, 300);
    size_t before = scene.s.heap.allocations;
    assert_int_equal(stoa_query_cut(scene.query, NULL, 300), parts);
    assert_int_equal(scene.s.heap.allocations, before);
    cut_agrees(scene.query, NULL, 300);
}

/* SYS-06 */
static void parts_are_of_the_rows_asked_for(void **state) {
    (void)state;
    int32_t small = cut_agrees(scene.query, NULL, 300), large = cut_agrees(scene.query, NULL, 3000);
    assert_true(large < small);
    assert_int_equal(cut_agrees(scene.query, NULL, 300), small);
}

/* SYS-06 STO-06 */
static void parts_follow_chunks_that_went_and_came(void **state) {
    (void)state;
    stoa_world *w = scene.s.world;
    static stoa_entity others[MANY];
    stoa_value other[] = {STOA_ZERO(Plain), STOA_ZERO(Other), STOA_ZERO(Tag)};
    assert_int_equal(stoa_create_bulk_values(w, MANY / 2, others, other, 3), STOA_OK);
    stoa_query *bare = query_of(w, STOA_WRITE(Plain), STOA_WITHOUT(Tag));
    cut_agrees(bare, NULL, 300);
    for (int32_t i = MANY / 2; i < MANY; i++) {
        assert_int_equal(stoa_destroy(w, scene.made[i]), STOA_OK);
    }
    /* The memory that became free is taken by others first. */
    assert_int_equal(stoa_create_bulk_values(w, MANY / 2, others + MANY / 2, other, 3), STOA_OK);
    rows_create(MANY / 2, MANY - MANY / 2);
    cut_agrees(bare, NULL, 300);
}

/* SYS-06 STO-06 */
static void parts_follow_chunks_that_moved(void **state) {
    (void)state;
    stoa_world *w = scene.s.world;
    static stoa_entity others[MANY];
    stoa_value other[] = {STOA_ZERO(Plain), STOA_ZERO(Other), STOA_ZERO(Exact)};
    assert_int_equal(stoa_create_bulk_values(w, MANY, others, other, 3), STOA_OK);
    stoa_query *one = query_of(w, STOA_READ(Plain), STOA_WITHOUT(Exact));
    cut_agrees(one, NULL, 300);
    for (int32_t i = 0; i < MANY - 1; i++) {
        assert_int_equal(stoa_destroy(w, others[i]), STOA_OK);
        if (i % 3000 == 0) {
            assert_int_equal(stoa_compact(w), STOA_OK);
            cut_agrees(one, NULL, 300);
        }
    }
    assert_int_equal(stoa_compact(w), STOA_OK);
    cut_agrees(one, NULL, 300);
    cut_agrees(scene.query, NULL, 300);
}

/* SYS-06 QRY-02 */
static void parts_follow_rows_to_other_archetypes(void **state) {
    (void)state;
    stoa_world *w = scene.s.world;
    stoa_query *tagged = query_of(w, STOA_READ(Plain), STOA_FILTER(Tag));
    stoa_query *bare = query_of(w, STOA_READ(Plain), STOA_WITHOUT(Tag));
    stoa_query *wide = query_of(w, STOA_READ(Plain), STOA_READ(Exact));
    for (int round = 0; round < 3; round++) {
        stoa_query *const all[] = {scene.query, tagged, bare, wide};
        for (int i = 0; i < 4; i++) {
            cut_agrees(all[i], NULL, 300);
        }
        assert_int_equal(stoa_query_add_id(bare, stoa_id(w, Tag)), STOA_OK);
        cut_agrees(tagged, NULL, 300);
        cut_agrees(scene.query, NULL, 300);
        assert_int_equal(stoa_query_remove_id(tagged, stoa_id(w, Tag)), STOA_OK);
        cut_agrees(bare, NULL, 300);
        assert_int_equal(stoa_query_add_id(scene.query, stoa_id(w, Exact)), STOA_OK);
        cut_agrees(wide, NULL, 300);
        cut_agrees(scene.query, NULL, 300);
        assert_int_equal(stoa_query_remove_id(wide, stoa_id(w, Exact)), STOA_OK);
    }
}

/* SYS-06 */
static void parts_follow_rows_that_change_places(void **state) {
    (void)state;
    stoa_world *w = scene.s.world;
    /* As many go to another archetype as come from there. */
    for (int32_t i = 0; i < 100; i++) {
        assert_int_equal(stoa_add(w, scene.made[i], Tag), STOA_OK);
    }
    cut_agrees(scene.query, NULL, 300);
    for (int32_t i = 0; i < 100; i++) {
        assert_int_equal(stoa_remove(w, scene.made[i], Tag), STOA_OK);
        assert_int_equal(stoa_add(w, scene.made[1000 + i], Tag), STOA_OK);
    }
    cut_agrees(scene.query, NULL, 300);
    /* A match comes, with the rows of others. */
    for (int32_t i = 0; i < 40; i++) {
        assert_int_equal(stoa_set(w, scene.made[i], Exact, {1}), STOA_OK);
        cut_agrees(scene.query, NULL, 300);
    }
}

/* SYS-06 GEN-04 */
static void parts_stand_where_an_archetype_could_not_be_made(void **state) {
    (void)state;
    stoa_world *w = scene.s.world;
    for (int n = 0; n < 12; n++) {
        char name[16];
        snprintf(name, sizeof name, "mark%d", n);
        stoa_component id = stoa_component_register(w, &(stoa_component_desc){.name = name});
        stoa_status status = STOA_NO_MEMORY;
        for (size_t k = 1; status == STOA_NO_MEMORY; k++) {
            scene.s.heap.fail_at = k;
            status = stoa_add_id(w, scene.made[n], id);
            scene.s.heap.fail_at = 0;
            cut_agrees(scene.query, NULL, 3000);
        }
        assert_int_equal(status, STOA_OK);
    }
}

/* SYS-06 SNP-08 */
static void parts_follow_a_world_that_went_back(void **state) {
    (void)state;
    stoa_world *w = scene.s.world;
    stoa_frames *frames = stoa_frames_new(w, 2);
    bool restored = false;
    assert_int_equal(stoa_frames_save(frames), STOA_OK);
    assert_int_equal(stoa_set(w, scene.made[5], Exact, {1}), STOA_OK);
    cut_agrees(scene.query, NULL, 300);
    assert_int_equal(stoa_frames_restore(frames, 0, &restored), STOA_OK);
    assert_true(restored);
    assert_int_equal(stoa_set(w, scene.made[7], Switch, {1}), STOA_OK);
    cut_agrees(scene.query, NULL, 300);
    stoa_frames_free(frames);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cut_that_stands_needs_no_memory, kept_open, kept_close),
        cmocka_unit_test_setup_teardown(parts_are_of_the_rows_asked_for, kept_open, kept_close),
        cmocka_unit_test_setup_teardown(parts_follow_chunks_that_went_and_came, kept_open,
                                        kept_close),
        cmocka_unit_test_setup_teardown(parts_follow_chunks_that_moved, kept_open, kept_close),
        cmocka_unit_test_setup_teardown(parts_follow_rows_to_other_archetypes, kept_open,
                                        kept_close),
        cmocka_unit_test_setup_teardown(parts_follow_rows_that_change_places, kept_open,
                                        kept_close),
        cmocka_unit_test_setup_teardown(parts_stand_where_an_archetype_could_not_be_made, kept_open,
                                        kept_close),
        cmocka_unit_test_setup_teardown(parts_follow_a_world_that_went_back, kept_open, kept_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

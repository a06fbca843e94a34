/* The version of a query: another one whenever rows that it matches came, went or changed places,
 * and none of the numbers it had before. */
#include "query/cut_fixture.h"

#include "stoa/frames.h"
#include "stoa/sort.h"

#define ROWS 3000
#define SEEN_MAX 4096

STOA_COMPONENT(Key, { float z; });
STOA_TAG(Aside);

typedef struct version_scene {
    support_world s;
    stoa_query *query;
    stoa_entity made[ROWS];
    uint64_t seen[SEEN_MAX];
    int32_t count;
} version_scene;

static version_scene scene;

/* The version is one that there was not before. */
static void version_is_new(void) {
    uint64_t version = stoa_query_version(scene.query);
    for (int32_t i = 0; i < scene.count; i++) {
        assert_true(scene.seen[i] != version);
    }
    assert_true(scene.count < SEEN_MAX);
    scene.seen[scene.count++] = version;
}

static void version_is_same(void) {
    assert_true(stoa_query_version(scene.query) == scene.seen[scene.count - 1]);
}

static int version_open(void **state) {
    (void)state;
    scene.count = 0;
    support_world_open_with(&scene.s, 16384);
    stoa_world *w = scene.s.world;
    scene.query = query_of(w, STOA_READ(Key), STOA_OPTIONAL(Plain));
    for (int32_t i = 0; i < ROWS; i++) {
        scene.made[i] = stoa_create_with(w, STOA_VALUE(Key, {(float)(i * 7 % ROWS)}));
        version_is_new();
    }
    return 0;
}

static int version_close(void **state) {
    (void)state;
    support_world_close(&scene.s);
    return 0;
}

/* QRY-02 */
static void version_stands_while_values_are_written(void **state) {
    (void)state;
    stoa_world *w = scene.s.world;
    assert_int_equal(stoa_set(w, scene.made[5], Key, {1}), STOA_OK);
    stoa_get_mut(w, scene.made[7], Key)->z = 2;
    for (stoa_iter it = stoa_query_iter(scene.query); stoa_iter_next(&it);) {
        version_is_same();
    }
    assert_int_equal(stoa_set(w, scene.made[5], Sparse, {1}), STOA_OK);
    stoa_tick_advance(w);
    version_is_same();
    /* What the query does not match. */
    stoa_entity other = stoa_create_with(w, STOA_ZERO(Other));
    assert_int_equal(stoa_destroy(w, other), STOA_OK);
    stoa_create(w);
    version_is_same();
}

/* QRY-02 */
static void version_tells_rows_that_come_and_go(void **state) {
    (void)state;
    stoa_world *w = scene.s.world;
    assert_int_equal(stoa_destroy(w, scene.made[ROWS - 1]), STOA_OK);
    version_is_new();
    scene.made[ROWS - 1] = stoa_create_with(w, STOA_VALUE(Key, {3}));
    version_is_new();
    assert_int_equal(stoa_remove(w, scene.made[9], Key), STOA_OK);
    version_is_new();
    assert_int_equal(stoa_set(w, scene.made[9], Key, {3}), STOA_OK);
    version_is_new();
    stoa_value value = STOA_ZERO(Key);
    stoa_entity more[100];
    assert_int_equal(stoa_create_bulk_values(w, 100, more, &value, 1), STOA_OK);
    version_is_new();
    for (int32_t i = 0; i < 100; i++) {
        assert_int_equal(stoa_destroy(w, more[i]), STOA_OK);
        version_is_new();
    }
    stoa_entity twin = stoa_clone(w, scene.made[11]);
    version_is_new();
    stoa_commands *deferred = stoa_deferred(w);
    assert_int_equal(stoa_commands_destroy(deferred, twin), STOA_OK);
    version_is_same();
    assert_int_equal(stoa_flush(w), STOA_OK);
    version_is_new();
}

/* QRY-02: two rows that change sides leave as many behind as there were. */
static void version_tells_rows_that_change_archetypes(void **state) {
    (void)state;
    stoa_world *w = scene.s.world;
    assert_int_equal(stoa_add(w, scene.made[3], Aside), STOA_OK);
    version_is_new();
    for (int32_t i = 4; i < 40; i++) {
        assert_int_equal(stoa_add(w, scene.made[i], Aside), STOA_OK);
        assert_int_equal(stoa_remove(w, scene.made[i - 1], Aside), STOA_OK);
        version_is_new();
        assert_int_equal(stoa_set(w, scene.made[i], Plain, {(uint32_t)i}), STOA_OK);
        version_is_new();
        assert_int_equal(stoa_remove(w, scene.made[i], Plain), STOA_OK);
        version_is_new();
    }
    assert_int_equal(stoa_query_add(scene.query, Aside), STOA_OK);
    version_is_new();
    assert_int_equal(stoa_query_remove(scene.query, Aside), STOA_OK);
    version_is_new();
    assert_int_equal(stoa_query_add(scene.query, Other), STOA_OK);
    version_is_new();
}

/* QRY-02 SRT-02 STO-06 */
static void version_tells_rows_that_change_places(void **state) {
    (void)state;
    stoa_world *w = scene.s.world;
    assert_int_equal(stoa_sort_key(w, Key, "z", STOA_ASCENDING), STOA_OK);
    version_is_new();
    /* What is destroyed first leaves a gap that compacting closes. */
    stoa_entity others[ROWS];
    stoa_value other[] = {STOA_ZERO(Other), STOA_ZERO(Exact)};
    assert_int_equal(stoa_create_bulk_values(w, ROWS, others, other, 2), STOA_OK);
    for (int32_t i = 0; i < ROWS; i += 20) {
        stoa_create_with(w, STOA_VALUE(Key, {1}), STOA_ZERO(Plain));
        version_is_new();
    }
    for (int32_t i = 0; i < ROWS; i++) {
        assert_int_equal(stoa_destroy(w, others[i]), STOA_OK);
    }
    version_is_same();
    const void *before = stoa_get(w, scene.made[ROWS - 1], Key);
    assert_int_equal(stoa_compact(w), STOA_OK);
    assert_ptr_not_equal(stoa_get(w, scene.made[ROWS - 1], Key), before);
    version_is_new();
    assert_int_equal(stoa_reserve_values(w, 10 * ROWS, other, 2), STOA_OK);
    assert_int_equal(stoa_query_destroy(scene.query), STOA_OK);
    version_is_new();
}

/* QRY-02 SNP-08: archetypes that a world gives up by going back do not make it come to a number
 * again. */
static void version_tells_that_a_world_went_back(void **state) {
    (void)state;
    stoa_world *w = scene.s.world;
    stoa_frames *frames = stoa_frames_new(w, 2);
    assert_int_equal(stoa_frames_save(frames), STOA_OK);
    for (int32_t turn = 0; turn < 20; turn++) {
        bool restored = false;
        for (int32_t i = 0; i <= turn; i++) {
            assert_int_equal(stoa_add(w, scene.made[i], Aside), STOA_OK);
            version_is_new();
        }
        assert_int_equal(stoa_frames_restore(frames, 0, &restored), STOA_OK);
        assert_true(restored);
        version_is_new();
    }
    stoa_frames_free(frames);
}

/* QRY-02 GEN-05 */
static void version_of_nothing_is_an_error(void **state) {
    (void)state;
    assert_true(stoa_query_version(NULL) == 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
}

#define version_test(test) cmocka_unit_test_setup_teardown(test, version_open, version_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        version_test(version_stands_while_values_are_written),
        version_test(version_tells_rows_that_come_and_go),
        version_test(version_tells_rows_that_change_archetypes),
        version_test(version_tells_rows_that_change_places),
        version_test(version_tells_that_a_world_went_back),
        cmocka_unit_test(version_of_nothing_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

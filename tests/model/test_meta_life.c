/* Meta worlds beside the worlds and apps they are about: who is freed first, and who comes next. */
#include "model/meta_fixture.h"

/* MET-01 */
static void app_of_another_world_is_refused(void **state) {
    support_world *s = *state;
    support_world other;
    support_world_open(&other);
    stoa_app *app = app_open(&other);
    assert_null(stoa_meta_new(s->world, app));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    stoa_world *meta = stoa_meta_new(s->world, NULL);
    support_assert_misuse(s, stoa_meta_watch(meta, app), STOA_INVALID);
    assert_null(stoa_meta_app(meta));
    meta_close(meta);
    assert_int_equal(stoa_app_free(app), STOA_OK);
    support_world_close(&other);
}

/* MET-01 */
static void meta_world_outlives_its_world(void **state) {
    support_world *s = *state;
    support_world other;
    support_world_open(&other);
    stoa_create_with(other.world, STOA_ZERO(Position));
    stoa_world *first = stoa_meta_new(other.world, NULL);
    stoa_world *second = stoa_meta_new(other.world, NULL);
    stoa_world *third = stoa_meta_new(other.world, NULL);
    meta_close(second);
    stoa_world_free(other.world);
    other.world = NULL;
    uint64_t hash = stoa_hash(first);
    assert_null(stoa_meta_of(first));
    assert_int_equal(stoa_meta_refresh(first), STOA_FREED);
    assert_int_equal(stoa_hash(first), hash);
    stoa_entity e = stoa_meta_find(first, STOA_META_COMPONENT, "Position");
    assert_string_equal(stoa_get(first, e, stoa_meta_name)->text, "Position");
    assert_int_equal(stoa_destroy(first, e), STOA_ACCESS);
    assert_int_equal(stoa_meta_watch(first, NULL), STOA_OK);
    stoa_app *app = app_open(s);
    assert_int_equal(stoa_meta_watch(first, app), STOA_FREED);
    assert_int_equal(stoa_app_free(app), STOA_OK);
    meta_close(first);
    meta_close(third);
    assert_int_equal(other.heap.bytes, 0);
}

/* MET-01 */
static void app_that_is_freed_is_let_go_of(void **state) {
    support_world *s = *state;
    stoa_app *app = app_open(s);
    system_add(app, "one");
    stoa_world *meta = stoa_meta_new(s->world, app);
    stoa_world *gone = stoa_meta_new(s->world, app);
    stoa_entity e = stoa_meta_find(meta, STOA_META_SYSTEM, "one");
    assert_true(stoa_alive(meta, e));
    meta_close(gone);
    assert_int_equal(stoa_app_free(app), STOA_OK);
    assert_null(stoa_meta_app(meta));
    assert_true(stoa_alive(meta, e));
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_false(stoa_alive(meta, e));
    assert_true(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_STAGE, "Update")));
    app = app_open(s);
    system_add(app, "two");
    assert_int_equal(stoa_meta_watch(meta, app), STOA_OK);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_false(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_SYSTEM, "two")));
    meta_close(meta);
    assert_int_equal(stoa_app_free(app), STOA_OK);
}

/* MET-01: what two apps have under one id are two things. */
static void systems_of_another_app_get_entities_of_their_own(void **state) {
    support_world *s = *state;
    stoa_app *one = app_open(s), *two = app_open(s);
    system_add(one, "one");
    system_add(two, "two");
    stoa_world *meta = stoa_meta_new(s->world, one);
    stoa_entity e = stoa_meta_find(meta, STOA_META_SYSTEM, "one");
    assert_int_equal(stoa_meta_watch(meta, one), STOA_OK);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_true(stoa_alive(meta, e));
    assert_int_equal(stoa_meta_watch(meta, two), STOA_OK);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_false(stoa_alive(meta, e));
    e = stoa_meta_find(meta, STOA_META_SYSTEM, "two");
    assert_false(stoa_entity_is_null(e));
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_true(stoa_alive(meta, e));
    /* Another app, perhaps where the old one was. */
    assert_int_equal(stoa_app_free(two), STOA_OK);
    two = app_open(s);
    system_add(two, "three");
    assert_int_equal(stoa_meta_watch(meta, two), STOA_OK);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_false(stoa_alive(meta, e));
    assert_false(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_SYSTEM, "three")));
    assert_int_equal(stoa_app_free(one), STOA_OK);
    assert_int_equal(stoa_app_free(two), STOA_OK);
    meta_close(meta);
}

/* MET-01: an app that owns its world takes both along. */
static void app_with_its_world_is_let_go_of(void **state) {
    (void)state;
    support_heap heap = {0};
    stoa_allocator allocator = support_allocator(&heap);
    stoa_app *app = stoa_app_new(
        &(stoa_app_desc){.threads = 1, .world_as = &(stoa_world_desc){.allocator = &allocator}});
    stoa_world *meta = stoa_meta_new(stoa_app_world(app), app);
    assert_int_equal(stoa_app_free(app), STOA_OK);
    assert_null(stoa_meta_of(meta));
    assert_null(stoa_meta_app(meta));
    assert_int_equal(stoa_meta_refresh(meta), STOA_FREED);
    meta_close(meta);
    assert_int_equal(heap.bytes, 0);
}

static void user_count(void *user) {
    ++*(int *)user;
}

/* MET-01, GEN-06 */
static void allocator_is_ended_by_its_world_alone(void **state) {
    (void)state;
    int ended = 0;
    stoa_allocator allocator = stoa_allocator_default();
    allocator.user = &ended;
    allocator.user_free = user_count;
    stoa_world *w = stoa_world_new(&(stoa_world_desc){.allocator = &allocator});
    stoa_world *meta = stoa_meta_new(w, NULL);
    meta_close(meta);
    assert_int_equal(ended, 0);
    stoa_world_free(w);
    assert_int_equal(ended, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(app_of_another_world_is_refused),
        TEST(meta_world_outlives_its_world),
        TEST(app_that_is_freed_is_let_go_of),
        TEST(systems_of_another_app_get_entities_of_their_own),
        TEST(app_with_its_world_is_let_go_of),
        TEST(allocator_is_ended_by_its_world_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

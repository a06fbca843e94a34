/* What a change does around its hooks: ticks that come along, and a world that is whole inside. */
#include "support/support.h"

STOA_COMPONENT(Place, { double x; });
STOA_COMPONENT(Speed, { double x; });
STOA_COMPONENT(Mass, { double x; });

/* CHG-02 ACC-06: a component that a change overwrites on the way was not added by it, and what was
 * added lately is not forgotten. */
static void overwritten_component_keeps_its_addition(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity old = stoa_create_with(w, STOA_ZERO(Place), STOA_ZERO(Speed));
    uint32_t first = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_entity young = stoa_create_with(w, STOA_ZERO(Place));
    uint32_t second = stoa_tick(w);
    stoa_tick_advance(w);
    assert_int_equal(stoa_change(w, young, STOA_VALUE(Speed, {1}), STOA_VALUE(Place, {2})),
                     STOA_OK);
    assert_true(stoa_added(w, young, Place, second - 1));
    assert_false(stoa_added(w, young, Place, second));
    assert_true(stoa_added(w, young, Speed, second));
    assert_true(stoa_changed(w, young, Place, second));
    assert_true(stoa_added(w, old, Place, first - 1));
    assert_true(stoa_get(w, young, Place)->x == 2);
}

typedef struct inside {
    int calls;
    int whole; /* times that the world passed its check */
} inside;

static void inside_check(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    inside *seen = user;
    seen->calls++;
    seen->whole += stoa_check(w) == STOA_OK;
}

static void inside_observe(stoa_world *w, stoa_entity e, void *user) {
    inside_check(w, e, NULL, user);
}

/* HOK-04 STO-04: lists that a call keeps meanwhile are accounted for. */
static void world_is_whole_inside_of_hooks(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    inside seen = {0, 0};
    stoa_on_add(w, Place, inside_check, &seen);
    stoa_on_set(w, Place, inside_check, &seen);
    stoa_on_remove(w, Place, inside_check, &seen);
    stoa_observe(w, &(stoa_observer_desc){.query = {.terms = {STOA_READ(Place)}},
                                          .enter = inside_observe,
                                          .leave = inside_observe,
                                          .user = &seen});
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_FILTER(Mass)}});
    stoa_entity e[10];
    const Place places[10] = {{1}, {2}};
    assert_int_equal(stoa_create_bulk(w, 10, e, STOA_COLUMN(Place, places), STOA_ZERO(Mass)),
                     STOA_OK);
    assert_int_equal(seen.calls, 30);
    assert_int_equal(stoa_clear(w, e[0]), STOA_OK);
    assert_int_equal(stoa_change(w, e[1], STOA_REMOVE(Place), STOA_ZERO(Speed)), STOA_OK);
    assert_int_equal(stoa_query_set(q, Place, {3}), STOA_OK);
    assert_int_equal(stoa_query_remove(q, Place), STOA_OK);
    assert_int_equal(stoa_query_add(q, Place), STOA_OK);
    stoa_entity copy = stoa_clone(w, e[2]);
    assert_false(stoa_entity_is_null(copy));
    assert_int_equal(stoa_query_destroy(q), STOA_OK);
    assert_true(seen.calls > 30);
    assert_int_equal(seen.whole, seen.calls);
}

static void inside_free(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    stoa_world_free(w);
    *(stoa_status *)user = stoa_last_error().status;
}

/* HOK-04 GEN-05 */
static void world_is_not_freed_by_its_own_hook(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    static stoa_status status; /* the last hook is called when the world is freed */
    stoa_hook hook = stoa_on_add(w, Place, inside_free, &status);
    assert_int_equal(stoa_hook_remove(w, stoa_on_remove(w, Place, inside_free, &status)), STOA_OK);
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Place));
    support_assert_misuse(s, status, STOA_LOCKED);
    assert_true(stoa_alive(w, e));
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    stoa_on_remove(w, Place, inside_free, &status);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(overwritten_component_keeps_its_addition),
        TEST(world_is_whole_inside_of_hooks),
        TEST(world_is_not_freed_by_its_own_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

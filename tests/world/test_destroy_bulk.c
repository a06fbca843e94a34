/* Destroying a list of entities by one call: that it is as one call after the other is a matter of
 * test_quiet_many.c; here is who is told, what is refused, and what is left of the list. */
#include "support/support.h"

#include "world/world.h"

STOA_COMPONENT(Place, { float x, y, z; });
STOA_COMPONENT(Speed, { float x, y, z; });
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE), { float degrees; });
STOA_COMPONENT(Hit, { int32_t damage; });
STOA_TAG(Mark);

enum { MANY = 3000 };

static stoa_entity e[MANY];

static void many_make(stoa_world *w) {
    for (int32_t i = 0; i < MANY; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Place, {(float)i, 0, 0}), STOA_ZERO(Speed));
    }
}

/* In an order in which none is near the one before. */
static void many_mix(void) {
    support_random random = {3};
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t n = i + support_random_below(&random, MANY - i);
        stoa_entity other = e[n];
        e[n] = e[i];
        e[i] = other;
    }
}

static void told_count(stoa_world *w, stoa_entity who, void *value, void *user) {
    int32_t *told = user;
    assert_true(stoa_entity_eq(who, e[*told]));
    assert_true(stoa_alive(w, who));
    assert_non_null(value);
    ++*told;
}

/* ENT-08 */
static void list_is_destroyed_in_any_order(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int round = 0; round < 2; round++) {
        many_make(w);
        if (round == 1) {
            many_mix();
        }
        int32_t done = -1;
        assert_int_equal(stoa_destroy_bulk(w, MANY / 3, e, &done), STOA_OK);
        assert_int_equal(done, MANY / 3);
        assert_int_equal(stoa_count(w), MANY - MANY / 3);
        for (int32_t i = 0; i < MANY; i++) {
            assert_int_equal(stoa_alive(w, e[i]), i >= MANY / 3);
        }
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_int_equal(stoa_destroy_bulk(w, MANY - MANY / 3, e + MANY / 3, NULL), STOA_OK);
        assert_int_equal(stoa_count(w), 0);
    }
}

/* HOK-02: in the order of the list. */
static void hooks_are_told_of_each(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    many_make(w);
    many_mix();
    int32_t told = 0;
    stoa_on_remove(w, Speed, told_count, &told);
    assert_int_equal(stoa_destroy_bulk(w, MANY, e, NULL), STOA_OK);
    assert_int_equal(told, MANY);
    assert_int_equal(stoa_count(w), 0);
}

/* ENT-09: entities of all kinds of storage, and some without components. */
static void list_reaches_every_kind_of_storage(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int32_t i = 0; i < MANY; i++) {
        e[i] = i % 3 == 0 ? stoa_create(w) : stoa_create_with(w, STOA_ZERO(Place));
        if (i % 5 == 0) {
            assert_int_equal(stoa_set(w, e[i], Heat, {(float)i}), STOA_OK);
        }
    }
    assert_int_equal(stoa_destroy_bulk(w, MANY, e, NULL), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
    stoa_query_desc desc = {.terms = {STOA_READ(Heat)}};
    assert_int_equal(stoa_query_once_count(w, &desc), 0);
}

/* GEN-03 ENT-08: what comes before is gone, what comes after is not, and the call can go on. */
static void list_ends_before_who_is_dead(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    many_make(w);
    many_mix();
    stoa_entity dead = e[700];
    assert_int_equal(stoa_destroy(w, dead), STOA_OK);
    int32_t done = -1;
    assert_int_equal(stoa_destroy_bulk(w, MANY, e, &done), STOA_DEAD);
    assert_int_equal(done, 700);
    char text[STOA_ENTITY_TEXT_SIZE];
    assert_non_null(strstr(stoa_last_error().message, stoa_entity_print(dead, text, sizeof text)));
    assert_false(stoa_alive(w, e[699]));
    assert_true(stoa_alive(w, e[701]));
    assert_int_equal(stoa_destroy_bulk(w, MANY - done - 1, e + done + 1, &done), STOA_OK);
    assert_int_equal(done, MANY - 701);
    assert_int_equal(stoa_count(w), 0);
}

/* GEN-05 */
static void list_of_no_handles_is_refused(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity made = stoa_create_with(w, STOA_ZERO(Place));
    const stoa_entity wrong[] = {STOA_NULL, {0, 1}, {9, 1}, {UINT32_MAX, UINT32_MAX}};
    for (int i = 0; i < 4; i++) {
        int32_t done = -1;
        assert_int_equal(stoa_destroy_bulk(w, 1, &wrong[i], &done), STOA_DEAD);
        assert_int_equal(done, 0);
    }
    int32_t done = -1;
    assert_int_equal(stoa_destroy_bulk(NULL, 1, &made, &done), STOA_NULL_ARGUMENT);
    assert_int_equal(done, 0);
    assert_int_equal(stoa_destroy_bulk(w, 1, NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_destroy_bulk(w, -1, &made, NULL), STOA_INVALID);
    assert_int_equal(stoa_destroy_bulk(w, 0, NULL, &done), STOA_OK);
    assert_int_equal(done, 0);
    const stoa_entity twice[] = {made, made};
    assert_int_equal(stoa_destroy_bulk(w, 2, twice, &done), STOA_DEAD);
    assert_int_equal(done, 1);
}

/* QRY-06 */
static void list_is_left_alone_while_the_world_is_iterated(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    many_make(w);
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Place)}});
    stoa_iter it = stoa_query_iter(query);
    int32_t done = -1;
    assert_int_equal(stoa_destroy_bulk(w, MANY, e, &done), STOA_ITERATING);
    assert_int_equal(done, 0);
    stoa_iter_end(&it);
    assert_int_equal(stoa_count(w), MANY);
}

static void others_destroy(stoa_world *w, stoa_entity who, void *value, void *user) {
    (void)value;
    int32_t *done = user;
    assert_true(stoa_entity_eq(who, e[5]));
    const stoa_entity list[] = {e[6], e[7], who, e[8]};
    assert_int_equal(stoa_destroy_bulk(w, 4, list, done), STOA_LOCKED);
}

/* HOK-04: from inside of a hook others can be destroyed, but not whom it is about. */
static void hook_destroys_a_list_of_others(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    many_make(w);
    assert_int_equal(stoa_add(w, e[5], Mark), STOA_OK);
    int32_t done = -1;
    stoa_on_remove(w, Mark, others_destroy, &done);
    assert_int_equal(stoa_remove(w, e[5], Mark), STOA_OK);
    assert_int_equal(done, 2);
    assert_true(stoa_alive(w, e[5]) && stoa_alive(w, e[8]));
    assert_false(stoa_alive(w, e[6]) || stoa_alive(w, e[7]));
}

static void ear(stoa_world *w, const stoa_event *event, void *user) {
    (void)w, (void)event, (void)user;
}

/* EVT-01: those who listen to one that goes are forgotten. */
static void listeners_of_who_goes_are_gone(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    many_make(w);
    for (int32_t i = 0; i < 3; i++) {
        stoa_listener_desc desc = {.type = STOA_TYPE_OF(Hit), .target = e[i * 50], .call = ear};
        assert_int_not_equal(stoa_listener_new(w, &desc).id, 0);
    }
    assert_int_equal(stoa_destroy_bulk(w, MANY, e, NULL), STOA_OK);
    assert_int_equal(w->events.target_count, 0);
}

/* GEN-04: destroying needs no memory. */
static void list_is_destroyed_without_memory(void **state) {
    support_world *s = *state;
    many_make(s->world);
    many_mix();
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_int_equal(stoa_destroy_bulk(s->world, MANY, e, NULL), STOA_OK);
    s->heap.fail_at = 0;
    s->heap.fail_forever = false;
    assert_int_equal(stoa_count(s->world), 0);
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(list_is_destroyed_in_any_order),
        WITH_WORLD(hooks_are_told_of_each),
        WITH_WORLD(list_reaches_every_kind_of_storage),
        WITH_WORLD(list_ends_before_who_is_dead),
        WITH_WORLD(list_of_no_handles_is_refused),
        WITH_WORLD(list_is_left_alone_while_the_world_is_iterated),
        WITH_WORLD(hook_destroys_a_list_of_others),
        WITH_WORLD(listeners_of_who_goes_are_gone),
        WITH_WORLD(list_is_destroyed_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

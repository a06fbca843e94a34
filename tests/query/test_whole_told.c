/* Whole-query operations entity by entity: where somebody is told of each, and where rows of one
 * archetype differ. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y, z; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_COMPONENT_WITH(Burning, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t left; });
STOA_COMPONENT_WITH(Shield, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { int32_t power; });
STOA_COMPONENT_WITH(Exact, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t value; });
STOA_TAG(Marked);
STOA_TAG(Other);

#define QUERY(world, ...) stoa_query_new((world), &(stoa_query_desc){.terms = {__VA_ARGS__}})

enum { COUNT = 40 };

/* What hooks and observers were told. */
typedef struct diary {
    stoa_entity entities[1000];
    char kinds[1000];
    int count;
    stoa_query *query; /* for those that act */
    stoa_status status;
} diary;

static diary told;

static void told_note(char kind, stoa_entity e) {
    told.kinds[told.count] = kind;
    told.entities[told.count++] = e;
}

static void on_add(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world, (void)value, (void)user;
    told_note('+', e);
}

static void on_set(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world, (void)user;
    assert_int_equal(((const Health *)value)->points, 7);
    told_note('=', e);
}

static void on_remove(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world, (void)value, (void)user;
    told_note('-', e);
}

/* Makes entities with a Position, of which every second has a Health of 1. */
static void army_make(stoa_world *w, stoa_entity *army) {
    for (int i = 0; i < COUNT; i++) {
        army[i] = stoa_create_with(w, STOA_VALUE(Position, {(float)i, 0, 0}));
    }
    for (int i = 1; i < COUNT; i += 2) {
        assert_int_equal(stoa_set(w, army[i], Health, {1}), STOA_OK);
    }
    memset(&told, 0, sizeof told);
}

/* ACC-09 HOK-02 HOK-03 */
static void hooks_hear_of_each_entity_in_storage_order(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity army[COUNT], order[COUNT];
    army_make(w, army);
    stoa_on_add(w, Health, on_add, NULL);
    stoa_on_set(w, Health, on_set, NULL);
    stoa_on_remove(w, Health, on_remove, NULL);
    stoa_query *query = QUERY(w, STOA_READ(Position));
    int at = 0, bare = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        memcpy(order + at, it.entities, (size_t)it.count * sizeof *order);
        at += it.count;
    }
    uint32_t run = stoa_query_last_run(query);
    stoa_tick_advance(w);
    assert_int_equal(stoa_query_set(query, Health, {7}), STOA_OK);
    assert_int_equal(stoa_query_last_run(query), run);
    for (int i = 0; i < COUNT; i++) {
        bool fresh = order[i].index % 2 == army[0].index % 2;
        if (fresh) {
            assert_int_equal(told.kinds[i + bare], '+');
            assert_true(stoa_entity_eq(told.entities[i + bare++], order[i]));
        }
        assert_int_equal(told.kinds[i + bare], '=');
        assert_true(stoa_entity_eq(told.entities[i + bare], order[i]));
    }
    assert_true(bare == COUNT / 2 && told.count == COUNT + bare);
    assert_int_equal(stoa_query_add(query, Health), STOA_OK);
    assert_int_equal(told.count, COUNT + bare);
    assert_int_equal(stoa_query_remove(query, Health), STOA_OK);
    assert_int_equal(told.count, 2 * COUNT + bare);
    assert_int_equal(told.kinds[2 * COUNT], '-');
    assert_int_equal(stoa_query_add(query, Health), STOA_OK);
    assert_int_equal(told.count, 3 * COUNT + bare);
    assert_int_equal(stoa_query_destroy(query), STOA_OK);
    assert_int_equal(told.count, 4 * COUNT + bare);
    assert_int_equal(stoa_count(w), 0);
}

/* The first entity it hears of ends the next two and takes the position of a third. */
static void on_add_act(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value;
    const stoa_entity *army = user;
    if (told.count == 0) {
        assert_int_equal(stoa_destroy(world, army[5]), STOA_OK);
        assert_int_equal(stoa_destroy(world, army[6]), STOA_OK);
        assert_int_equal(stoa_remove(world, army[8], Position), STOA_OK);
        assert_false(stoa_entity_is_null(stoa_create_with(world, STOA_ZERO(Position))));
        assert_int_equal(stoa_query_free(told.query), STOA_OK);
    }
    told_note('+', e);
}

/* ACC-09 HOK-04: what a hook ends or changes is passed over, and it may free the query. */
static void hooks_may_change_what_is_listed(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity army[COUNT];
    army_make(w, army);
    told.query = QUERY(w, STOA_READ(Position));
    stoa_on_add(w, Marked, on_add_act, army);
    assert_int_equal(stoa_query_add(told.query, Marked), STOA_OK);
    assert_int_equal(told.count, COUNT - 3);
    assert_int_equal(stoa_count(w), COUNT - 1);
    assert_true(stoa_alive(w, army[8]) && !stoa_has(w, army[8], Marked));
    assert_true(stoa_has(w, army[9], Marked));
    assert_int_equal(stoa_query_count(QUERY(w, STOA_READ(Position), STOA_WITHOUT(Marked))), 1);
}

static void entered(stoa_world *world, stoa_entity e, void *user) {
    (void)world, (void)user;
    told_note('>', e);
}

static void left(stoa_world *world, stoa_entity e, void *user) {
    (void)world, (void)user;
    told_note('<', e);
}

/* ACC-09 HOK-06 */
static void observers_hear_of_each_entity(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity army[COUNT];
    army_make(w, army);
    stoa_hook watch =
        stoa_observe(w, &(stoa_observer_desc){
                            .query = {.terms = {STOA_READ(Position), STOA_WITHOUT(Health)}},
                            .enter = entered,
                            .leave = left,
                        });
    stoa_query *query = QUERY(w, STOA_READ(Position));
    assert_int_equal(stoa_query_add(query, Health), STOA_OK);
    assert_int_equal(told.count, COUNT / 2);
    assert_int_equal(told.kinds[0], '<');
    assert_int_equal(stoa_query_remove(query, Health), STOA_OK);
    assert_int_equal(told.count, COUNT / 2 + COUNT);
    assert_int_equal(told.kinds[COUNT], '>');
    assert_int_equal(stoa_query_destroy(query), STOA_OK);
    assert_int_equal(told.count, COUNT / 2 + 2 * COUNT);
    assert_int_equal(stoa_hook_remove(w, watch), STOA_OK);
}

/* ACC-09 CHG-05 */
static void log_has_an_entry_for_each_entity(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity army[COUNT];
    army_make(w, army);
    assert_int_equal(stoa_log_keep(w, 1000), STOA_OK);
    uint32_t since = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_query *query = QUERY(w, STOA_READ(Position));
    assert_int_equal(stoa_query_remove(query, Health), STOA_OK);
    int removed = 0, destroyed = 0;
    for (stoa_log log = stoa_removed_since(w, Health, since); stoa_log_next(&log);) {
        assert_true(stoa_entity_eq(log.entity, army[2 * removed++ + 1]));
    }
    assert_int_equal(stoa_query_destroy(query), STOA_OK);
    for (stoa_log log = stoa_destroyed_since(w, since); stoa_log_next(&log);) {
        destroyed++;
    }
    assert_true(removed == COUNT / 2 && destroyed == COUNT);
}

/* ACC-09 CMP-10 */
static void sparse_components_take_part(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity army[COUNT];
    army_make(w, army);
    stoa_query *query = QUERY(w, STOA_READ(Position), STOA_READ(Health));
    assert_int_equal(stoa_query_set(query, Burning, {3}), STOA_OK);
    stoa_query *burning = QUERY(w, STOA_READ(Burning));
    assert_int_equal(stoa_query_count(burning), COUNT / 2);
    assert_int_equal(stoa_get(w, army[1], Burning)->left, 3);
    assert_int_equal(stoa_remove(w, army[3], Burning), STOA_OK);
    assert_int_equal(stoa_query_add(burning, Marked), STOA_OK);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(stoa_has(w, army[i], Marked), i % 2 == 1 && i != 3);
    }
    assert_int_equal(stoa_query_add(query, Burning), STOA_OK);
    assert_int_equal(stoa_get(w, army[1], Burning)->left, 3);
    assert_int_equal(stoa_get(w, army[3], Burning)->left, 0);
    stoa_query *calm = QUERY(w, STOA_READ(Position), STOA_WITHOUT(Burning));
    assert_int_equal(stoa_query_set(calm, Health, {50}), STOA_OK);
    assert_int_equal(stoa_get(w, army[0], Health)->points, 50);
    assert_int_equal(stoa_get(w, army[1], Health)->points, 1);
    assert_int_equal(stoa_query_remove(QUERY(w, STOA_FILTER(Marked)), Burning), STOA_OK);
    assert_int_equal(stoa_query_count(burning), 1);
    /* Columns know nothing of sparse components: they are dropped all the same. */
    assert_int_equal(stoa_query_destroy(QUERY(w, STOA_FILTER(Health))), STOA_OK);
    assert_int_equal(stoa_query_count(burning), 0);
    assert_int_equal(stoa_count(w), 0);
}

/* ACC-09 CMP-12 */
static void rows_that_are_switched_off_are_passed_over(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity army[COUNT];
    army_make(w, army);
    stoa_query *query = QUERY(w, STOA_READ(Position));
    assert_int_equal(stoa_query_set(query, Shield, {9}), STOA_OK);
    for (int i = 0; i < COUNT; i += 4) {
        assert_int_equal(stoa_enable(w, army[i], Shield, false), STOA_OK);
    }
    stoa_query *safe = QUERY(w, STOA_READ(Shield));
    assert_int_equal(stoa_query_add(safe, Marked), STOA_OK);
    assert_int_equal(
        stoa_query_set(QUERY(w, STOA_READ(Position), STOA_WITHOUT(Shield)), Other, {0}), STOA_OK);
    assert_int_equal(
        stoa_query_set(QUERY(w, STOA_READ(Position), STOA_OPTIONAL(Shield)), Health, {4}), STOA_OK);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(stoa_has(w, army[i], Marked), i % 4 != 0);
        assert_int_equal(stoa_has(w, army[i], Other), i % 4 == 0);
        assert_int_equal(stoa_get(w, army[i], Health)->points, 4);
        assert_int_equal(stoa_enabled(w, army[i], Shield), i % 4 != 0);
        assert_int_equal(stoa_get(w, army[i], Shield)->power, 9);
    }
    /* To set what is off does not switch it on. */
    assert_int_equal(stoa_query_set(query, Shield, {10}), STOA_OK);
    assert_false(stoa_enabled(w, army[4], Shield));
    assert_int_equal(stoa_get(w, army[4], Shield)->power, 10);
}

/* ACC-09 QRY-08 CHG-06 */
static void filters_by_tick_choose_rows_and_do_not_run(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity army[COUNT];
    army_make(w, army);
    stoa_query *all = QUERY(w, STOA_READ(Position));
    assert_int_equal(stoa_query_set(all, Exact, {1}), STOA_OK);
    stoa_query *changed = QUERY(w, STOA_CHANGED(Exact));
    for (stoa_iter it = stoa_query_iter(changed); stoa_iter_next(&it);) {
    }
    uint32_t run = stoa_query_last_run(changed);
    stoa_tick_advance(w);
    for (int i = 0; i < COUNT; i += 5) {
        stoa_get_mut(w, army[i], Exact)->value = 2;
    }
    assert_int_equal(stoa_query_add(changed, Marked), STOA_OK);
    assert_int_equal(stoa_query_last_run(changed), run);
    assert_int_equal(stoa_query_set(changed, Health, {33}), STOA_OK);
    assert_int_equal(stoa_query_last_run(changed), run);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(stoa_has(w, army[i], Marked), i % 5 == 0);
        const Health *health = stoa_try_get(w, army[i], Health);
        assert_int_equal(health != NULL && health->points == 33, i % 5 == 0);
        assert_int_equal(stoa_changed(w, army[i], Exact, run), i % 5 == 0);
    }
}

/* Tries whole-query operations from inside a hook. */
static void on_add_try(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value;
    support_world *s = user;
    stoa_query *mine = QUERY(world, STOA_READ(Position), STOA_FILTER(Marked));
    stoa_query *others = QUERY(world, STOA_READ(Position), STOA_WITHOUT(Marked));
    int32_t count = stoa_query_count(others);
    support_assert_misuse(s, stoa_query_add(mine, Other), STOA_LOCKED);
    support_assert_misuse(s, stoa_query_remove(mine, Position), STOA_LOCKED);
    support_assert_misuse(s, stoa_query_destroy(mine), STOA_LOCKED);
    support_assert_misuse(s, stoa_query_set(mine, Burning, {1}), STOA_LOCKED);
    /* Not even those that could be changed are. */
    stoa_query *all = QUERY(world, STOA_READ(Position));
    support_assert_misuse(s, stoa_query_add(all, Other), STOA_LOCKED);
    support_assert_misuse(s, stoa_query_set(all, Burning, {1}), STOA_LOCKED);
    support_assert_misuse(s, stoa_query_destroy(all), STOA_LOCKED);
    assert_int_equal(stoa_query_count(QUERY(world, STOA_ANY(Other), STOA_ANY(Burning))), 0);
    assert_int_equal(stoa_query_count(all), COUNT);
    assert_int_equal(stoa_query_remove(mine, Other), STOA_OK);
    assert_int_equal(stoa_query_set(mine, Position, {9, 9, 9}), STOA_OK);
    assert_true(stoa_get(world, e, Position)->x == 9);
    assert_int_equal(stoa_query_add(others, Other), STOA_OK);
    assert_int_equal(stoa_query_count(QUERY(world, STOA_FILTER(Other))), count);
    assert_int_equal(stoa_query_destroy(others), STOA_OK);
    assert_int_equal(stoa_query_count(mine), 1);
    told_note('+', e);
}

/* ACC-09 HOK-04 GEN-03 */
static void locked_entity_refuses_the_whole_call(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity army[COUNT];
    army_make(w, army);
    stoa_on_add(w, Marked, on_add_try, s);
    assert_int_equal(stoa_add(w, army[7], Marked), STOA_OK);
    assert_int_equal(told.count, 1);
    assert_int_equal(stoa_count(w), 1);
    assert_true(stoa_alive(w, army[7]));
}

static void on_add_touch(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value, (void)user;
    stoa_query *all = QUERY(world, STOA_OPTIONAL(Position));
    told.status = stoa_query_add(all, Other);
    told_note('+', e);
}

/* ACC-09 HOK-04: an entity that has nothing but what its hook is told of is found as well. */
static void locked_entity_among_the_bare_refuses_too(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    memset(&told, 0, sizeof told);
    stoa_on_add(w, Burning, on_add_touch, NULL);
    assert_int_equal(stoa_add(w, e, Burning), STOA_OK);
    support_assert_misuse(s, told.status, STOA_LOCKED);
    assert_false(stoa_has(w, e, Other));
}

static void heard(stoa_world *world, const stoa_event *event, void *user) {
    (void)world, (void)event, (void)user;
}

static void listener_freed(void *user) {
    (*(int *)user)++;
}

/* ACC-09 EVT-01 */
static void listener_goes_with_its_entity(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity army[COUNT];
    int freed = 0;
    army_make(w, army);
    stoa_listener listener =
        stoa_listener_new(w, &(stoa_listener_desc){.type = STOA_TYPE_OF(Health),
                                                   .target = army[3],
                                                   .call = heard,
                                                   .user = &freed,
                                                   .user_free = listener_freed});
    assert_int_not_equal(listener.id, 0);
    assert_int_equal(stoa_query_destroy(QUERY(w, STOA_FILTER(Position))), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
    assert_int_equal(freed, 1);
}

static int copies_left, texts;

static void text_drop(void *items, int32_t count, void *user) {
    (void)items, (void)user;
    texts -= count;
}

static bool text_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    if (copies_left > 0 && --copies_left == 0) {
        return false;
    }
    memcpy(to, from, (size_t)count * sizeof(uint64_t));
    texts += count;
    return true;
}

STOA_COMPONENT_WITH(Text, STOA_OPTIONS(.hooks = {.drop = text_drop, .copy = text_copy}),
                    { uint64_t id; });

/* ACC-09 GEN-03 CMP-11 */
static void failing_copy_leaves_the_rest_for_the_next_call(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity army[COUNT];
    army_make(w, army);
    texts = 0;
    stoa_on_add(w, Text, on_add, NULL);
    stoa_query *query = QUERY(w, STOA_READ(Position));
    copies_left = 12;
    assert_int_equal(stoa_query_set(query, Text, {5}), STOA_NO_MEMORY);
    support_assert_message("'Text'");
    assert_int_equal(told.count, 10);
    assert_int_equal(texts, 10);
    assert_int_equal(stoa_query_set(query, Text, {5}), STOA_OK);
    assert_int_equal(told.count, COUNT);
    assert_int_equal(texts, COUNT);
    assert_int_equal(stoa_query_remove(query, Text), STOA_OK);
    assert_int_equal(texts, 0);
}

/* ACC-09 GEN-03 GEN-04 CMP-11 */
static void lack_of_memory_drops_the_copy_that_was_made(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity army[COUNT];
    army_make(w, army);
    texts = copies_left = 0;
    stoa_on_add(w, Text, on_add, NULL);
    stoa_query *query = QUERY(w, STOA_READ(Position));
    stoa_status status = STOA_NO_MEMORY;
    for (size_t at = 1; status != STOA_OK; at++) {
        s->heap.fail_at = at;
        status = stoa_query_set(query, Text, {5});
        s->heap.fail_at = 0;
        assert_int_equal(texts, told.count);
        assert_int_equal(stoa_query_count(QUERY(w, STOA_FILTER(Text))), told.count);
        assert_int_equal(stoa_query_remove(query, Text), STOA_OK);
        assert_int_equal(texts, 0);
        told.count = 0;
    }
}

/* ACC-09 GEN-03 GEN-04 */
static void lack_of_memory_stops_and_can_be_repeated(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity army[COUNT];
    army_make(w, army);
    stoa_on_add(w, Marked, on_add, NULL);
    stoa_on_remove(w, Position, on_remove, NULL);
    stoa_query *query = QUERY(w, STOA_READ(Position));
    stoa_status status = STOA_NO_MEMORY;
    int failures = -1;
    for (size_t at = 1; status != STOA_OK; at++, failures++) {
        s->heap.fail_at = at;
        status = stoa_query_add(query, Marked);
        s->heap.fail_at = 0;
        assert_true(status == STOA_OK || status == STOA_NO_MEMORY);
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_int_equal(stoa_query_count(QUERY(w, STOA_FILTER(Marked))), told.count);
    }
    assert_true(failures > 0);
    assert_int_equal(told.count, COUNT);
    s->heap.fail_at = 1;
    assert_int_equal(stoa_query_destroy(query), STOA_NO_MEMORY);
    assert_int_equal(stoa_count(w), COUNT);
    assert_int_equal(stoa_query_destroy(query), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(hooks_hear_of_each_entity_in_storage_order),
        TEST(hooks_may_change_what_is_listed),
        TEST(observers_hear_of_each_entity),
        TEST(log_has_an_entry_for_each_entity),
        TEST(sparse_components_take_part),
        TEST(rows_that_are_switched_off_are_passed_over),
        TEST(filters_by_tick_choose_rows_and_do_not_run),
        TEST(locked_entity_refuses_the_whole_call),
        TEST(locked_entity_among_the_bare_refuses_too),
        TEST(failing_copy_leaves_the_rest_for_the_next_call),
        TEST(lack_of_memory_drops_the_copy_that_was_made),
        TEST(listener_goes_with_its_entity),
        TEST(lack_of_memory_stops_and_can_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Whole-query operations where nobody watches: chunks and columns move as they are. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y, z; });
STOA_COMPONENT(Velocity, { float x, y, z; });
STOA_COMPONENT(Small, { uint8_t value; });
STOA_TAG(Frozen);
STOA_TAG(Marked);

#define QUERY(world, ...) stoa_query_new((world), &(stoa_query_desc){.terms = {__VA_ARGS__}})

/* Some entities of each of five sets; entity i is at x = i. */
enum { KINDS = 5, EACH = 3000 };

static stoa_entity crowd[KINDS][EACH];

static void crowd_make(stoa_world *w) {
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < EACH; i++) {
            const float x = (float)(kind * EACH + i);
            stoa_entity e = stoa_create(w);
            crowd[kind][i] = e;
            if (kind > 0) {
                assert_int_equal(stoa_set(w, e, Position, {x, 1, 2}), STOA_OK);
            }
            if (kind > 1) {
                assert_int_equal(stoa_set(w, e, Velocity, {x, 3, 4}), STOA_OK);
            }
            if (kind > 2) {
                assert_int_equal(stoa_add(w, e, Frozen), STOA_OK);
            }
            if (kind > 3) {
                assert_int_equal(stoa_set(w, e, Small, {(uint8_t)i}), STOA_OK);
            }
        }
    }
}

/* What crowd_make gave is still there. */
static void crowd_verify(stoa_world *w) {
    for (int kind = 1; kind < KINDS; kind++) {
        for (int i = 0; i < EACH; i++) {
            const float x = (float)(kind * EACH + i);
            const Position *p = stoa_get(w, crowd[kind][i], Position);
            assert_true(p != NULL && p->x == x && p->y == 1 && p->z == 2);
            if (kind > 1) {
                const Velocity *v = stoa_get(w, crowd[kind][i], Velocity);
                assert_true(v != NULL && v->x == x && v->y == 3 && v->z == 4);
            }
            if (kind > 3) {
                assert_int_equal(stoa_get(w, crowd[kind][i], Small)->value, (uint8_t)i);
            }
            assert_int_equal(stoa_has(w, crowd[kind][i], Frozen), kind > 2);
        }
    }
}

/* ACC-09 */
static void value_reaches_what_matches_and_nothing_else(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    crowd_make(w);
    stoa_query *query = QUERY(w, STOA_READ(Position), STOA_WITHOUT(Frozen));
    assert_int_equal(stoa_query_set(query, Small, {77}), STOA_OK);
    crowd_verify(w);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < EACH; i++) {
            const Small *small = stoa_try_get(w, crowd[kind][i], Small);
            if (kind == 1 || kind == 2) {
                assert_true(small != NULL && small->value == 77);
            } else {
                assert_int_equal(small != NULL, kind == 4);
            }
        }
    }
    assert_int_equal(stoa_query_count(query), 2 * EACH);
    assert_int_equal(stoa_query_remove(query, Small), STOA_OK);
    crowd_verify(w);
    stoa_query *small = QUERY(w, STOA_FILTER(Small));
    assert_int_equal(stoa_query_count(small), EACH);
    assert_int_equal(stoa_query_remove(query, Small), STOA_OK);
    assert_int_equal(stoa_query_count(small), EACH);
}

/* ACC-09 ACC-03 */
static void add_leaves_what_is_there_and_set_overwrites_it(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    crowd_make(w);
    stoa_query *query = QUERY(w, STOA_READ(Position), STOA_OPTIONAL(Velocity));
    assert_int_equal(stoa_query_add(query, Velocity), STOA_OK);
    crowd_verify(w);
    for (int i = 0; i < EACH; i++) {
        const Velocity *v = stoa_get(w, crowd[1][i], Velocity);
        assert_true(v->x == 0 && v->y == 0 && v->z == 0);
        assert_false(stoa_has(w, crowd[0][i], Velocity));
    }
    assert_int_equal(stoa_query_set(query, Velocity, {9, 8, 7}), STOA_OK);
    for (int kind = 1; kind < KINDS; kind++) {
        for (int i = 0; i < EACH; i++) {
            const Velocity *v = stoa_get(w, crowd[kind][i], Velocity);
            assert_true(v->x == 9 && v->y == 8 && v->z == 7);
        }
    }
    assert_int_equal(stoa_query_set(query, Frozen, {0}), STOA_OK);
    assert_int_equal(stoa_query_count(QUERY(w, STOA_FILTER(Frozen))), 4 * EACH);
}

/* ACC-09: rows with a tag or without one are in the same place. */
static void tag_comes_and_goes_without_moving_rows(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static const Position *places[EACH];
    crowd_make(w);
    for (int i = 0; i < EACH; i++) {
        places[i] = stoa_get(w, crowd[2][i], Position);
    }
    stoa_query *query = QUERY(w, STOA_READ(Velocity), STOA_WITHOUT(Small), STOA_WITHOUT(Marked));
    assert_int_equal(stoa_query_count(query), 2 * EACH);
    assert_int_equal(stoa_query_add(query, Marked), STOA_OK);
    assert_int_equal(stoa_query_count(query), 0);
    stoa_query *marked = QUERY(w, STOA_FILTER(Marked));
    assert_int_equal(stoa_query_count(marked), 2 * EACH);
    crowd_verify(w);
    for (int i = 0; i < EACH; i++) {
        assert_ptr_equal(places[i], stoa_get(w, crowd[2][i], Position));
    }
    assert_int_equal(stoa_query_remove(marked, Marked), STOA_OK);
    assert_int_equal(stoa_query_count(query), 2 * EACH);
    crowd_verify(w);
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* ACC-09 */
static void entities_without_components_match_too(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    crowd_make(w);
    stoa_query *still = QUERY(w, STOA_WITHOUT(Velocity));
    assert_int_equal(stoa_query_count(still), 2 * EACH);
    assert_int_equal(stoa_query_remove(still, Velocity), STOA_OK);
    assert_int_equal(stoa_query_set(still, Small, {5}), STOA_OK);
    crowd_verify(w);
    stoa_query *only = QUERY(w, STOA_READ(Small), STOA_WITHOUT(Position));
    int32_t at = 0;
    for (stoa_iter it = stoa_query_iter(only); stoa_iter_next(&it);) {
        const Small *small = stoa_field(&it, Small, 0);
        for (int32_t i = 0; i < it.count; i++, at++) {
            assert_true(stoa_entity_eq(it.entities[i], crowd[0][at]));
            assert_int_equal(small[i].value, 5);
        }
    }
    assert_int_equal(at, EACH);
    assert_int_equal(stoa_query_remove(only, Small), STOA_OK);
    assert_int_equal(stoa_stats(w).empty, EACH);
    stoa_query *all = QUERY(w, STOA_OPTIONAL(Position));
    assert_int_equal(stoa_query_add(all, Marked), STOA_OK);
    assert_int_equal(stoa_query_count(QUERY(w, STOA_FILTER(Marked))), KINDS * EACH);
    assert_int_equal(stoa_stats(w).empty, 0);
    crowd_verify(w);
}

/* ACC-09 ENT-03 */
static void destroy_ends_what_matches_and_nothing_else(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    crowd_make(w);
    assert_int_equal(stoa_query_destroy(QUERY(w, STOA_FILTER(Frozen))), STOA_OK);
    assert_int_equal(stoa_count(w), 3 * EACH);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < EACH; i++) {
            assert_int_equal(stoa_alive(w, crowd[kind][i]), kind < 3);
        }
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    /* Slots come back as if entities had been destroyed one by one: the last first. */
    stoa_entity again = stoa_create_with(w, STOA_VALUE(Position, {1, 2, 3}));
    assert_int_equal(again.index, crowd[4][EACH - 1].index);
    assert_int_equal(again.generation, crowd[4][EACH - 1].generation + 1);
    stoa_query *all = QUERY(w, STOA_OPTIONAL(Position));
    assert_int_equal(stoa_query_destroy(all), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
    assert_int_equal(stoa_query_destroy(all), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_true(stoa_alive(w, stoa_create_with(w, STOA_ZERO(Velocity))));
}

/* ACC-09 CHG-02 */
static void change_is_marked_and_what_is_kept_is_not(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    crowd_make(w);
    stoa_query *query = QUERY(w, STOA_READ(Velocity), STOA_WITHOUT(Frozen));
    uint32_t before = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_entity e = crowd[2][1234];
    assert_int_equal(stoa_query_add(query, Marked), STOA_OK);
    assert_int_equal(stoa_query_set(query, Small, {1}), STOA_OK);
    assert_true(stoa_added(w, e, Marked, before) && stoa_changed(w, e, Marked, before));
    assert_true(stoa_added(w, e, Small, before) && stoa_changed(w, e, Small, before));
    assert_false(stoa_changed(w, e, Position, before) || stoa_added(w, e, Position, before));
    uint32_t between = stoa_tick(w);
    stoa_tick_advance(w);
    assert_int_equal(stoa_query_set(query, Velocity, {1, 1, 1}), STOA_OK);
    assert_int_equal(stoa_query_set(query, Marked, {0}), STOA_OK);
    assert_true(stoa_changed(w, e, Velocity, between) && stoa_changed(w, e, Marked, between));
    assert_false(stoa_added(w, e, Velocity, between) || stoa_added(w, e, Marked, between));
    assert_int_equal(stoa_query_remove(query, Small), STOA_OK);
    assert_false(stoa_changed(w, e, Position, before));
    assert_true(stoa_changed(w, e, Velocity, between));
}

/* ACC-09: a value may point into the world. */
static void value_may_be_a_component(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    crowd_make(w);
    stoa_query *query = QUERY(w, STOA_WITHOUT(Frozen));
    const Position *there = stoa_get(w, crowd[2][EACH - 1], Position);
    const float x = there->x;
    assert_int_equal(stoa_query_set_type(query, STOA_TYPE_OF(Position), there), STOA_OK);
    const Velocity *moves = stoa_get(w, crowd[2][1], Velocity);
    const float speed = moves->x;
    assert_int_equal(stoa_query_set_type(query, STOA_TYPE_OF(Velocity), moves), STOA_OK);
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < EACH; i++) {
            assert_true(stoa_get(w, crowd[kind][i], Position)->x == x);
            assert_true(stoa_get(w, crowd[kind][i], Velocity)->x == speed);
        }
    }
}

/* Components that own something. */
typedef struct tally {
    int live;
    int copies_left; /* 0: no copy fails; 1: the next one does */
} tally;

static tally texts;

static void text_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (uint64_t *item = items; count > 0; count--, item++) {
        /* One that was added zeroed owns nothing. */
        assert_true(*item >> 32 == 0xFACEu || *item == 0);
        texts.live -= *item != 0;
        *item = 0xDEAD;
    }
}

static bool text_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    if (texts.copies_left > 0 && --texts.copies_left == 0) {
        return false;
    }
    memcpy(to, from, (size_t)count * sizeof(uint64_t));
    texts.live += count;
    return true;
}

STOA_COMPONENT_WITH(Text, STOA_OPTIONS(.hooks = {.drop = text_drop, .copy = text_copy}),
                    { uint64_t id; });
STOA_COMPONENT_WITH(Unique, STOA_OPTIONS(.hooks = {.drop = text_drop}), { uint64_t id; });

#define TEXT(number) ((uint64_t)0xFACE << 32 | (number))

/* ACC-09 CMP-11 GEN-03 */
static void owned_values_are_copied_and_dropped_once(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    Text value = {TEXT(1)};
    crowd_make(w);
    texts = (tally){1, 0};
    stoa_query *query = QUERY(w, STOA_READ(Position), STOA_OPTIONAL(Text));
    assert_int_equal(stoa_query_set_type(query, STOA_TYPE_OF(Text), &value), STOA_OK);
    assert_int_equal(texts.live, 1 + 4 * EACH);
    assert_int_equal(stoa_query_set(query, Text, {TEXT(2)}), STOA_OK);
    assert_int_equal(texts.live, 1 + 4 * EACH);
    crowd_verify(w);
    for (int i = 0; i < EACH; i++) {
        assert_true(stoa_get(w, crowd[3][i], Text)->id == TEXT(2));
    }
    /* A copy that fails is the end; the call can be repeated. */
    texts.copies_left = 5000;
    assert_int_equal(stoa_query_set(query, Text, {TEXT(3)}), STOA_NO_MEMORY);
    support_assert_message("copy hook of component 'Text'");
    assert_int_equal(texts.live, 1 + 4 * EACH);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_query_set(query, Text, {TEXT(3)}), STOA_OK);
    assert_true(stoa_get(w, crowd[4][EACH - 1], Text)->id == TEXT(3));
    assert_int_equal(stoa_query_remove(QUERY(w, STOA_FILTER(Small)), Text), STOA_OK);
    assert_int_equal(texts.live, 1 + 3 * EACH);
    texts.copies_left = 1;
    assert_int_equal(stoa_query_set(query, Text, {TEXT(4)}), STOA_NO_MEMORY);
    assert_int_equal(texts.live, 1 + 3 * EACH);
    assert_int_equal(stoa_query_destroy(QUERY(w, STOA_FILTER(Frozen))), STOA_OK);
    assert_int_equal(texts.live, 1 + 2 * EACH);
    assert_int_equal(stoa_query_add(query, Unique), STOA_OK);
    assert_int_equal(stoa_query_set(query, Unique, {TEXT(1)}), STOA_NOT_COPYABLE);
    support_assert_message("'Unique'");
    assert_int_equal(stoa_query_remove(query, Unique), STOA_OK);
    assert_int_equal(texts.live, 1 + 2 * EACH);
}

/* ACC-09 GEN-03 GEN-05 */
static void misuse_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Position);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2, 3}));
    stoa_query *query = QUERY(w, STOA_READ(Position));
    const Position value = {4, 5, 6};
    assert_int_equal(stoa_query_add_id(NULL, id), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_set_id(NULL, id, &value, sizeof value), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_remove_id(NULL, id), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_destroy(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_add(NULL, Position), STOA_NULL_ARGUMENT);
    support_assert_quiet(s);
    support_assert_misuse(s, stoa_query_add_type(query, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_remove_type(query, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_set_type(query, NULL, &value), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_set_type(query, STOA_TYPE_OF(Position), NULL),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_set_id(query, id, NULL, sizeof value), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_set_id(query, id, &value, 8), STOA_INVALID);
    support_assert_message("'Position' has 12 bytes, the value 8");
    support_assert_misuse(s, stoa_query_set_id(query, 999, &value, 12), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_query_add_id(query, 0), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_query_remove_id(query, UINT32_MAX), STOA_UNKNOWN);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        support_assert_misuse(s, stoa_query_add(query, Marked), STOA_ITERATING);
        support_assert_misuse(s, stoa_query_set(query, Position, {0}), STOA_ITERATING);
        support_assert_misuse(s, stoa_query_remove_id(query, id), STOA_ITERATING);
        support_assert_misuse(s, stoa_query_destroy(query), STOA_ITERATING);
        support_assert_message("const Position");
    }
    assert_true(stoa_get(w, e, Position)->x == 1 && !stoa_has(w, e, Marked));
    assert_int_equal(stoa_query_set_id(query, stoa_id(w, Marked), NULL, 0), STOA_OK);
    assert_true(stoa_has(w, e, Marked));
}

/* ACC-09 GEN-03 GEN-04 */
static void lack_of_memory_stops_and_can_be_repeated(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    crowd_make(w);
    stoa_query *query = QUERY(w, STOA_WITHOUT(Small));
    stoa_query *frozen = QUERY(w, STOA_FILTER(Frozen));
    for (int step = 0; step < 3; step++) {
        stoa_status status = STOA_NO_MEMORY;
        for (size_t at = 1; status != STOA_OK; at++) {
            s->heap.fail_at = at;
            status = step == 0   ? stoa_query_set(query, Velocity, {1, 2, 3})
                     : step == 1 ? stoa_query_add(query, Marked)
                                 : stoa_query_remove(query, Velocity);
            s->heap.fail_at = 0;
            assert_true(status == STOA_OK || status == STOA_NO_MEMORY);
            assert_int_equal(stoa_check(w), STOA_OK);
            assert_int_equal(stoa_count(w), KINDS * EACH);
            assert_true(stoa_get(w, crowd[2][7], Position)->x == 2 * EACH + 7);
        }
        for (int i = 0; i < EACH; i++) {
            assert_int_equal(stoa_has(w, crowd[0][i], Velocity), step < 2);
            assert_int_equal(stoa_has(w, crowd[3][i], Marked), step > 0);
            assert_false(stoa_has(w, crowd[4][i], Marked));
        }
    }
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_int_equal(stoa_query_destroy(frozen), STOA_OK);
    assert_int_equal(stoa_count(w), 3 * EACH);
    s->heap.fail_at = 0;
}

STOA_TAG(Early);
STOA_TAG_WITH(Watched, STOA_OPTIONS(.flags = STOA_ROW_TICKS));

/* ACC-09 CHG-04: a tag with ticks of its rows still finds them in a chunk that changed hands. */
static void tag_keeps_its_ticks_when_chunks_change_hands(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_true(stoa_id(w, Early) < stoa_id(w, Watched));
    static stoa_entity e[9000]; /* more than a chunk: only full-sized ones change hands */
    assert_int_equal(stoa_create_bulk(w, 9000, e, STOA_ZERO(Watched)), STOA_OK);
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_FILTER(Watched)}});
    assert_int_equal(stoa_query_add(q, Early), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    uint32_t before = stoa_tick(w);
    stoa_tick_advance(w);
    assert_non_null(stoa_get_mut(w, e[1], Watched));
    assert_true(stoa_changed(w, e[1], Watched, before));
    assert_false(stoa_changed(w, e[0], Watched, before));
    assert_false(stoa_changed(w, e[2], Watched, before));
    assert_int_equal(stoa_query_remove(q, Early), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(value_reaches_what_matches_and_nothing_else),
        TEST(add_leaves_what_is_there_and_set_overwrites_it),
        TEST(tag_comes_and_goes_without_moving_rows),
        TEST(entities_without_components_match_too),
        TEST(destroy_ends_what_matches_and_nothing_else),
        TEST(change_is_marked_and_what_is_kept_is_not),
        TEST(value_may_be_a_component),
        TEST(owned_values_are_copied_and_dropped_once),
        TEST(misuse_is_refused),
        TEST(lack_of_memory_stops_and_can_be_repeated),
        cmocka_unit_test_setup_teardown(tag_keeps_its_ticks_when_chunks_change_hands, support_setup,
                                        support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

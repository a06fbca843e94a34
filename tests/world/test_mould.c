/* Moulds: what they make is what stoa_create_values makes. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y, z; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_COMPONENT(Pair, { int32_t a, b; });
STOA_COMPONENT(Quad, { int32_t a, b, c, d; });
STOA_COMPONENT(Odd, { uint8_t bytes[11]; });
STOA_COMPONENT(Wide, { int32_t numbers[25]; });
STOA_COMPONENT(Byte, { uint8_t byte; });
STOA_TAG(Frozen);
STOA_TAG(Cold);
STOA_TAG(Wet);
STOA_TAG(Dark);
STOA_TAG(Loud);
STOA_TAG(Near);
STOA_TAG(Far);
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t degrees; });
STOA_COMPONENT_WITH(Seen, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t count; });

/* Makes entities of one bundle in two worlds, of a mould and without: the worlds must be equal at
 * every step. */
static void twins_compare(const stoa_value *values, int32_t count, bool quick) {
    support_world with, without;
    support_world_open_with(&with, 16384);
    support_world_open_with(&without, 16384);
    stoa_world *a = with.world, *b = without.world;
    stoa_mould mould = {.values = values, .count = count};
    for (int32_t i = 0; i < 1200; i++) {
        stoa_entity e = stoa_create_mould(a, &mould), f = stoa_create_values(b, values, count);
        assert_int_not_equal(e.index, 0);
        assert_true(stoa_entity_eq(e, f));
        if (i % 3 == 0) {
            assert_int_equal(stoa_destroy(a, e), STOA_OK);
            assert_int_equal(stoa_destroy(b, f), STOA_OK);
        }
        if (i % 100 == 0) {
            assert_int_equal(stoa_tick_advance(a), stoa_tick_advance(b));
            assert_int_equal(stoa_check(a), STOA_OK);
        }
        if (i == 700) {
            assert_int_equal(stoa_compact(a), STOA_OK);
            assert_int_equal(stoa_compact(b), STOA_OK);
        }
        for (int32_t k = 0; k < count; k++) {
            assert_int_equal(stoa_changed_type(a, e, values[k].type, stoa_tick(a) - 1),
                             stoa_changed_type(b, f, values[k].type, stoa_tick(b) - 1));
            assert_int_equal(stoa_added_type(a, e, values[k].type, stoa_tick(a) - 1),
                             stoa_added_type(b, f, values[k].type, stoa_tick(b) - 1));
        }
    }
    assert_int_equal(mould.target != NULL, quick);
    assert_int_equal(stoa_hash(a), stoa_hash(b));
    support_world_close(&with);
    support_world_close(&without);
}

/* ENT-06 */
static void mould_makes_what_its_bundle_makes(void **state) {
    (void)state;
    twins_compare(STOA_VALUES(STOA_VALUE(Position, {1, 2, 3})), true);
    twins_compare(STOA_VALUES(STOA_VALUE(Quad, {1, 2, 3, 4}), STOA_VALUE(Health, {5}),
                              STOA_VALUE(Frozen, {0}), STOA_VALUE(Pair, {6, 7}),
                              STOA_VALUE(Odd, {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}})),
                  true);
    twins_compare(STOA_VALUES(STOA_ZERO(Position), STOA_ZERO(Health), STOA_ZERO(Frozen)), true);
    twins_compare(STOA_VALUES(STOA_ZERO(Frozen)), false);
    twins_compare(STOA_VALUES(STOA_ZERO(Frozen), STOA_ZERO(Cold), STOA_ZERO(Wet),
                              STOA_VALUE(Position, {1, 2, 3}), STOA_ZERO(Dark), STOA_ZERO(Loud),
                              STOA_ZERO(Near), STOA_ZERO(Far)),
                  true);
    twins_compare(STOA_VALUES(STOA_ZERO(Frozen), STOA_VALUE(Byte, {7})), true);
    twins_compare(NULL, 0, false);
    twins_compare(STOA_VALUES(STOA_VALUE(Health, {5}), STOA_VALUE(Wide, {{1, 2, 3}})), false);
    twins_compare(STOA_VALUES(STOA_VALUE(Byte, {5})), true);
    twins_compare(STOA_VALUES(STOA_VALUE(Byte, {5}), STOA_VALUE(Odd, {{9}}),
                              STOA_VALUE(Pair, {1, 2}), STOA_VALUE(Quad, {3, 4, 5, 6})),
                  true);
    twins_compare(STOA_VALUES(STOA_VALUE(Health, {5}), STOA_VALUE(Heat, {6})), false);
    twins_compare(STOA_VALUES(STOA_VALUE(Health, {5}), STOA_VALUE(Seen, {6})), false);
}

static void called(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w;
    (void)e;
    *(int32_t *)user += ((const Health *)value)->points;
}

/* ENT-06 HOK-01 */
static void mould_that_is_ready_tells_hooks_that_come_later(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    const stoa_value values[] = {STOA_VALUE(Health, {5}), STOA_VALUE(Pair, {6, 7})};
    stoa_mould mould = {.values = values, .count = 2};
    int32_t sum = 0;
    stoa_create_mould(w, &mould);
    stoa_create_mould(w, &mould);
    assert_non_null(mould.target);
    stoa_hook hook = stoa_on_set(w, Health, called, &sum);
    stoa_create_mould(w, &mould);
    stoa_create_mould(w, &mould);
    assert_int_equal(sum, 10);
    stoa_hook_remove(w, hook);
    stoa_create_mould(w, &mould);
    stoa_create_mould(w, &mould);
    assert_int_equal(sum, 10);
    assert_non_null(mould.target);
    assert_int_equal(stoa_count(w), 6);
}

/* ENT-06 GEN-03 GEN-05 */
static void mould_fails_as_its_bundle_does(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    const stoa_value values[] = {STOA_VALUE(Health, {5}), STOA_VALUE(Health, {6})};
    stoa_mould mould = {.values = values, .count = 2};
    assert_int_equal(stoa_create_mould(w, &mould).index, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_DUPLICATE);
    assert_int_equal(stoa_create_mould(w, NULL).index, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    mould.count = 1;
    assert_int_equal(stoa_create_mould(NULL, &mould).index, 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    stoa_create_mould(w, &mould);
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        assert_int_equal(stoa_create_mould(w, &mould).index, 0);
        support_assert_misuse(s, stoa_last_error().status, STOA_ITERATING);
    }
    assert_int_equal(stoa_count(w), 1);
}

/* ENT-06 SNP-08 */
static void mould_goes_on_in_a_world_that_keeps_frames(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    const stoa_value values[] = {STOA_VALUE(Health, {5}), STOA_VALUE(Pair, {6, 7})};
    stoa_mould mould = {.values = values, .count = 2};
    for (int32_t i = 0; i < 40; i++) {
        stoa_create_mould(w, &mould);
    }
    stoa_frames *frames = stoa_frames_new(w, 4);
    assert_non_null(frames);
    assert_int_equal(stoa_frames_save(frames), STOA_OK);
    uint64_t hash = stoa_hash(w);
    for (int32_t i = 0; i < 40; i++) {
        stoa_entity e = stoa_create_mould(w, &mould);
        assert_int_equal(stoa_get(w, e, Pair)->b, 7);
        assert_int_equal(i % 2 == 0 ? stoa_destroy(w, e) : STOA_OK, STOA_OK);
    }
    assert_null(mould.target);
    assert_non_null(mould.stamped);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_frames_restore(frames, 0, NULL), STOA_OK);
    assert_int_equal(stoa_hash(w), hash);
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_frames_free(frames);
}

#define CROWD (5 * 2048)

/* PRE-02 STO-06: chunks that went and come back, with columns elsewhere, are not taken for those
 * that a mould knows. */
static void mould_notices_a_chunk_that_comes_back_elsewhere(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static stoa_entity e[CROWD];
    const stoa_value values[] = {STOA_VALUE(Health, {7}), STOA_VALUE(Position, {1, 2, 3}),
                                 STOA_ZERO(Cold)};
    stoa_mould mould = {.values = values, .count = 3};
    for (int round = 0; round < 3; round++) {
        for (int32_t i = 0; i < CROWD; i++) {
            e[i] = stoa_create_mould(w, &mould);
            assert_int_not_equal(e[i].index, 0);
        }
        assert_int_equal(stoa_check(w), STOA_OK);
        for (int32_t i = 0; i < CROWD; i++) {
            assert_true(stoa_get(w, e[i], Position)->z == 3);
        }
        for (int32_t i = CROWD; i-- > 0;) {
            assert_int_equal(stoa_destroy(w, e[i]), STOA_OK);
        }
        if (round > 0) {
            assert_int_equal(stoa_compact(w), STOA_OK);
        }
        assert_int_equal(stoa_create_bulk(w, 20000, NULL, STOA_ZERO(Quad)), STOA_OK);
    }
}

#define TAG_SETS 128

/* Makes entities of a bundle that is kept ready, and of one that the caller knows. */
static void few_make(stoa_world *w, stoa_mould *mould, int32_t *made) {
    assert_int_not_equal(stoa_create_mould(w, mould).index, 0);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Pair, {1, 2}), STOA_VALUE(Quad, {1, 2, 3, 4}));
    assert_int_not_equal(e.index, 0);
    assert_int_equal(stoa_check(w), STOA_OK);
    ++*made;
}

/* PRE-02 GEN-04: the counts of all archetypes are moved to make room for more of them, also where
 * the archetype is then not made for lack of memory. */
static void rows_are_counted_where_the_counts_are(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    const stoa_value values[] = {STOA_VALUE(Health, {7}), STOA_VALUE(Position, {1, 2, 3})};
    stoa_mould mould = {.values = values, .count = 2};
    stoa_type *const tags[] = {STOA_TYPE_OF(Frozen), STOA_TYPE_OF(Cold), STOA_TYPE_OF(Wet),
                               STOA_TYPE_OF(Dark),   STOA_TYPE_OF(Loud), STOA_TYPE_OF(Near),
                               STOA_TYPE_OF(Far)};
    int32_t made = 0;
    for (int32_t i = 0; i < 600; i++) {
        few_make(w, &mould, &made);
    }
    for (uint32_t set = 1; set < TAG_SETS; set++) {
        stoa_value some[7];
        int32_t count = 0;
        for (uint32_t i = 0; i < 7; i++) {
            if ((set >> i & 1) != 0) {
                some[count++] = (stoa_value){.type = tags[i]};
            }
        }
        stoa_entity e = STOA_NULL;
        for (size_t k = 1; e.index == 0; k++) {
            s->heap.fail_at = k;
            e = stoa_create_values(w, some, count);
            s->heap.fail_at = 0;
            few_make(w, &mould, &made);
        }
    }
    assert_int_equal(stoa_query_once_count(w, &(stoa_query_desc){.terms = {STOA_READ(Pair)}}),
                     made);
    assert_int_equal(stoa_query_once_count(w, &(stoa_query_desc){.terms = {STOA_READ(Health)}}),
                     made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_counted_where_the_counts_are, support_setup,
                                        support_teardown),
        cmocka_unit_test(mould_makes_what_its_bundle_makes),
        cmocka_unit_test_setup_teardown(mould_that_is_ready_tells_hooks_that_come_later,
                                        support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(mould_goes_on_in_a_world_that_keeps_frames, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(mould_fails_as_its_bundle_does, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(mould_notices_a_chunk_that_comes_back_elsewhere,
                                        support_setup, support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

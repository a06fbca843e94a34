/* Creating with small bundles, which is compiled into the caller: what stoa_create_with makes is
 * what stoa_create_values makes. */
#include "support/support.h"

STOA_COMPONENT(Word, { int32_t a; });
STOA_COMPONENT(Pair, { int32_t a, b; });
STOA_COMPONENT(Range, { int32_t from, to; });
STOA_COMPONENT(Vector, { float x, y, z; });
STOA_COMPONENT(Quad, { int32_t a, b, c, d; });
STOA_COMPONENT(Wide, { int32_t numbers[5]; });
STOA_COMPONENT(Odd, { uint8_t bytes[7]; });
STOA_TAG(Frozen);
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t degrees; });
STOA_COMPONENT_WITH(Seen, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t count; });

#define KINDS 13

/* Makes an entity of one of the bundles, in the caller or by a call. */
#define MADE(quick, w, ...)                                                                        \
    ((quick) ? stoa_create_with((w), __VA_ARGS__)                                                  \
             : stoa_create_values((w), STOA_VALUES(__VA_ARGS__)))

static stoa_entity kind_make(stoa_world *w, int32_t kind, int32_t i, bool quick) {
    const Vector vector = {(float)i, 1, 2};
    const Vector *none = i % 2 == 0 ? NULL : &vector;
    switch (kind) {
    case 0:
        return MADE(quick, w, STOA_VALUE(Word, {i}));
    case 1:
        return MADE(quick, w, STOA_VALUE_FROM(Vector, &vector), STOA_VALUE(Pair, {i, 3}));
    case 2:
        return MADE(quick, w, STOA_VALUE(Quad, {i, 4, 5, 6}), STOA_ZERO(Vector),
                    STOA_VALUE(Word, {i}));
    case 3:
        return MADE(quick, w, STOA_ZERO(Frozen), STOA_VALUE(Word, {i}));
    case 4:
        return MADE(quick, w, STOA_ZERO(Frozen));
    case 5:
        return MADE(quick, w, STOA_VALUE_FROM(Vector, none), STOA_ZERO(Quad));
    case 6:
        return MADE(quick, w, STOA_VALUE(Wide, {{i}}), STOA_VALUE(Word, {i}));
    case 7:
        return MADE(quick, w, STOA_VALUE(Odd, {{(uint8_t)i}}), STOA_VALUE(Word, {i}));
    case 8:
        return MADE(quick, w, STOA_VALUE(Heat, {i}), STOA_VALUE(Word, {i}));
    case 9:
        return MADE(quick, w, STOA_VALUE(Seen, {i}), STOA_VALUE(Word, {i}));
    case 10:
        return MADE(quick, w, STOA_VALUE(Word, {i}), STOA_VALUE(Pair, {i, 7}), STOA_ZERO(Vector),
                    STOA_ZERO(Quad));
    case 11:
        return MADE(quick, w, STOA_VALUE_FROM(Vector, &vector), STOA_VALUE(Range, {i, 9}));
    default:
        return MADE(quick, w, STOA_VALUE(Pair, {i, 8}), STOA_VALUE_FROM(Vector, &vector));
    }
}

/* Does the same in two worlds, step by step; only how entities are made differs. */
static void worlds_compare(int32_t first, int32_t kinds, bool framed) {
    support_world with, without;
    support_world_open_with(&with, 16384);
    support_world_open_with(&without, 16384);
    stoa_world *a = with.world, *b = without.world;
    stoa_frames *frames = NULL;
    for (int32_t i = 0; i < 1500; i++) {
        int32_t kind = first + i % kinds;
        stoa_entity e = kind_make(a, kind, i, true), f = kind_make(b, kind, i, false);
        assert_int_not_equal(e.index, 0);
        assert_true(stoa_entity_eq(e, f));
        assert_int_equal(stoa_changed(a, e, Word, stoa_tick(a) - 1),
                         stoa_changed(b, f, Word, stoa_tick(b) - 1));
        assert_int_equal(stoa_added(a, e, Vector, stoa_tick(a) - 1),
                         stoa_added(b, f, Vector, stoa_tick(b) - 1));
        if (i % 3 == 0) {
            assert_int_equal(stoa_destroy(a, e), STOA_OK);
            assert_int_equal(stoa_destroy(b, f), STOA_OK);
        }
        if (i % 100 == 0) {
            assert_int_equal(stoa_tick_advance(a), stoa_tick_advance(b));
            assert_int_equal(stoa_check(a), STOA_OK);
            assert_int_equal(stoa_hash(a), stoa_hash(b));
        }
        if (i == 700) {
            assert_int_equal(stoa_compact(a), STOA_OK);
            assert_int_equal(stoa_compact(b), STOA_OK);
        }
        if (framed && i == 800) {
            frames = stoa_frames_new(a, 2);
            assert_int_equal(stoa_frames_save(frames), STOA_OK);
        }
    }
    assert_int_equal(stoa_hash(a), stoa_hash(b));
    stoa_frames_free(frames);
    support_world_close(&with);
    support_world_close(&without);
}

/* ENT-06 CMP-11 */
static void bundle_in_the_caller_makes_what_a_call_makes(void **state) {
    (void)state;
    for (int32_t kind = 0; kind < KINDS; kind++) {
        worlds_compare(kind, 1, false);
    }
    worlds_compare(0, KINDS, false);
    worlds_compare(1, 2, true);
}

/* ENT-06 */
static void bundles_that_begin_alike_are_told_apart(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int32_t i = 0; i < 12; i++) {
        int32_t kind = i / 4 % 2 == 0 ? 1 : 11;
        stoa_entity e = kind_make(w, kind, i, true);
        assert_int_equal(stoa_has(w, e, Pair), kind == 1);
        assert_int_equal(stoa_has(w, e, Range), kind == 11);
    }
}

/* ENT-06 SNP-08 */
static void restored_frame_has_no_trace_of_what_was_made_after(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    for (int32_t i = 0; i < 60; i++) {
        kind_make(w, 1, i, true);
    }
    stoa_frames *frames = stoa_frames_new(w, 2);
    assert_int_equal(stoa_frames_save(frames), STOA_OK);
    uint64_t hash = stoa_hash(w);
    for (int32_t i = 0; i < 60; i++) {
        kind_make(w, 1, i, true);
        kind_make(w, 2, i, true);
    }
    assert_int_equal(stoa_frames_restore(frames, 0, NULL), STOA_OK);
    assert_int_equal(stoa_hash(w), hash);
    for (int32_t i = 0; i < 60; i++) {
        kind_make(w, 2, i, true);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_frames_free(frames);
}

static void called(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w;
    (void)e;
    (void)value;
    ++*(int32_t *)user;
}

/* ENT-06 HOK-01 */
static void hook_that_comes_later_is_told_of_a_bundle_in_the_caller(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    int32_t calls = 0;
    for (int32_t i = 0; i < 5; i++) {
        kind_make(w, 1, i, true);
    }
    stoa_hook hook = stoa_on_add(w, Pair, called, &calls);
    for (int32_t i = 0; i < 5; i++) {
        kind_make(w, 1, i, true);
        assert_int_equal(calls, i + 1);
    }
    stoa_hook_remove(w, hook);
    for (int32_t i = 0; i < 5; i++) {
        kind_make(w, 1, i, true);
    }
    assert_int_equal(calls, 5);
}

/* GEN-05 QRY-06 */
static void bundle_in_the_caller_is_refused_as_a_call_is(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    for (int32_t i = 0; i < 5; i++) {
        kind_make(w, 1, i, true);
    }
    uint64_t hash = stoa_hash(w);
    assert_int_equal(stoa_create_with(NULL, STOA_VALUE(Word, {1})).index, 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Vector)}});
    stoa_iter it = stoa_query_iter(q);
    assert_int_equal(kind_make(w, 1, 0, true).index, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_ITERATING);
    stoa_iter_end(&it);
    assert_int_equal(stoa_world_seal(w, true), STOA_OK);
    assert_int_equal(kind_make(w, 1, 0, true).index, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    assert_int_equal(stoa_world_seal(w, false), STOA_OK);
    assert_int_equal(stoa_hash(w), hash);
}

/* ENT-06: a size that is told wrong is not believed. */
static void value_with_a_wrong_size_takes_the_call(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    const Quad quad = {1, 2, 3, 4};
    for (uint32_t size = 0; size <= 16; size += 4) {
        for (int32_t i = 0; i < 3; i++) {
            const stoa_value value = {STOA_TYPE_OF(Quad), &quad, size, STOA_PUT};
            stoa_entity e = stoa_create_with(w, value);
            assert_int_equal(stoa_get(w, e, Quad)->d, 4);
        }
    }
    assert_int_equal(stoa_count(w), 15);
}

/* STO-04: a remembered bundle that lies is found. */
static void check_finds_a_bundle_that_is_not_as_remembered(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_world_front *front = (stoa_world_front *)(void *)w;
    stoa_bundle *bundle = NULL;
    for (int32_t i = 0; i < 3; i++) {
        kind_make(w, 0, i, true);
    }
    for (int32_t i = 0; i < STOA_BUNDLES; i++) {
        bundle = front->bundles[i].sizes != 0 ? &front->bundles[i] : bundle;
    }
    assert_non_null(bundle);
    const stoa_bundle good = *bundle;
    uint8_t **const places[] = {&bundle->columns[0], &bundle->entities};
    for (int i = 0; i < 2; i++) {
        *places[i] += 4;
        assert_int_equal(stoa_check(w), STOA_CORRUPT);
        *bundle = good;
    }
    bundle->capacity++;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    *bundle = good;
    assert_int_equal(stoa_check(w), STOA_OK);
}

#define CHUNK_ROWS 2048
#define CHUNKS_MADE 9

/* Makes entities up to a number, each with that of its own. */
static void crowd_make(stoa_world *w, stoa_entity *e, int32_t from, int32_t to) {
    for (int32_t i = from; i < to; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Vector, {(float)i, 1, 2}), STOA_VALUE(Pair, {i, -i}));
        assert_int_not_equal(e[i].index, 0);
    }
}

/* STO-02 STO-06 ENT-06: chunks that went and come back, at the same place of their list but with
 * columns elsewhere, are not taken for those that are remembered. */
static void chunk_that_comes_back_elsewhere_is_noticed(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static stoa_entity e[CHUNK_ROWS * CHUNKS_MADE];
    const int32_t all = CHUNK_ROWS * CHUNKS_MADE;
    crowd_make(w, e, 0, all);
    for (int32_t round = 0; round < 3; round++) {
        int32_t left = round == 0 ? 5 : round == 1 ? CHUNK_ROWS + 5 : 0;
        for (int32_t i = all; i-- > left;) {
            assert_int_equal(stoa_destroy(w, e[i]), STOA_OK);
        }
        if (round > 0) {
            assert_int_equal(stoa_compact(w), STOA_OK);
        }
        /* Others take the memory that was given back. */
        assert_int_equal(stoa_create_bulk(w, 20000, NULL, STOA_ZERO(Quad)), STOA_OK);
        crowd_make(w, e, left, all);
        assert_int_equal(stoa_check(w), STOA_OK);
        for (int32_t i = 0; i < all; i++) {
            assert_int_equal((int32_t)stoa_get(w, e[i], Vector)->x, i);
            assert_int_equal(stoa_get(w, e[i], Pair)->b, -i);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundle_in_the_caller_makes_what_a_call_makes),
        cmocka_unit_test_setup_teardown(bundles_that_begin_alike_are_told_apart, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(restored_frame_has_no_trace_of_what_was_made_after,
                                        support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(hook_that_comes_later_is_told_of_a_bundle_in_the_caller,
                                        support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(bundle_in_the_caller_is_refused_as_a_call_is, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(value_with_a_wrong_size_takes_the_call, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(chunk_that_comes_back_elsewhere_is_noticed, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(check_finds_a_bundle_that_is_not_as_remembered,
                                        support_setup, support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

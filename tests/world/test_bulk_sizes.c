/* Bulk creation and moves of whole queries of sizes around those that they go in steps of, and
 * around the ends of chunks: every row must be there once, with its own values. */
#include "support/support.h"

#include "world/world.h"

STOA_COMPONENT(Small, { int32_t x; });
STOA_COMPONENT(Three, { int32_t a, b, c; });
STOA_COMPONENT(Odd, { uint8_t bytes[37]; });
STOA_COMPONENT(More, { int64_t n; });
STOA_TAG(Mark);
STOA_COMPONENT_WITH(Spot, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t at; });
STOA_COMPONENT_WITH(Turn, STOA_OPTIONS(.flags = STOA_SWITCHABLE | STOA_ROW_TICKS), { int32_t n; });

#define MOST 3000

static Small smalls[MOST];
static Three threes[MOST];
static Odd odds[MOST];
static Spot spots[MOST];
static Turn turns[MOST];
static stoa_entity made[MOST];

static void columns_make(void) {
    for (int32_t i = 0; i < MOST; i++) {
        smalls[i] = (Small){i};
        threes[i] = (Three){i, 2 * i, 3 * i};
        spots[i] = (Spot){5 * i};
        turns[i] = (Turn){7 * i};
        memset(odds[i].bytes, i % 251, sizeof odds[i].bytes);
    }
}

static void row_verify(stoa_world *w, stoa_entity e, int32_t i) {
    assert_true(stoa_alive(w, e));
    assert_int_equal(stoa_get(w, e, Small)->x, i);
    const Three *three = stoa_try_get(w, e, Three);
    if (three != NULL) {
        assert_int_equal(three->a, i);
        assert_int_equal(three->b, 2 * i);
        assert_int_equal(three->c, 3 * i);
    }
    const Odd *odd = stoa_try_get(w, e, Odd);
    for (size_t k = 0; odd != NULL && k < sizeof odd->bytes; k++) {
        assert_int_equal(odd->bytes[k], i % 251);
    }
    const Spot *spot = stoa_try_get(w, e, Spot);
    assert_true(spot == NULL || spot->at == 5 * i);
    const Turn *turn = stoa_try_get(w, e, Turn);
    assert_true(turn == NULL || turn->n == 7 * i);
}

/* Rows of the entity's archetype in one chunk. */
static int32_t capacity_of(stoa_world *w, stoa_entity e) {
    stoa_archetype_info info;
    assert_int_equal(stoa_archetype_info_get(w, stoa_archetype_of(w, e), &info), STOA_OK);
    return info.chunk_capacity;
}

/* The capacity of a full chunk of the archetype of `smalls` and `threes`. */
static int32_t chunk_rows(void) {
    support_world s;
    support_world_open_with(&s, 16384);
    assert_int_equal(stoa_create_bulk(s.world, MOST, made, STOA_COLUMN(Small, smalls),
                                      STOA_COLUMN(Three, threes)),
                     STOA_OK);
    int32_t rows = capacity_of(s.world, made[0]);
    support_world_close(&s);
    assert_true(rows > 100 && rows < MOST / 2);
    return rows;
}

static int32_t sizes_list(int32_t *sizes) {
    int32_t full = chunk_rows();
    const int32_t list[] = {0,         1,        31,          32,       33,        63,
                            64,        65,       95,          96,       97,        full - 33,
                            full - 32, full - 1, full,        full + 1, full + 31, full + 32,
                            full + 33, 2 * full, 2 * full + 1};
    memcpy(sizes, list, sizeof list);
    return (int32_t)(sizeof list / sizeof *list);
}

/* Makes so many after `first` that are there already, through slots that were free before. */
static void bulk_verify(int32_t first, int32_t count, int32_t freed) {
    support_world s;
    support_world_open_with(&s, 16384);
    stoa_world *w = s.world;
    for (int32_t i = 0; i < freed; i++) {
        made[i] = stoa_create(w);
    }
    for (int32_t i = 0; i < freed; i++) {
        assert_int_equal(stoa_destroy(w, made[freed - 1 - i]), STOA_OK);
    }
    for (int32_t i = 0; i < first; i++) {
        stoa_create_with(w, STOA_VALUE(Small, {-1}), STOA_VALUE(Three, {-1, -1, -1}));
    }
    uint32_t before = stoa_tick(w);
    stoa_tick_advance(w);
    memset(made, 0xEE, sizeof made);
    assert_int_equal(
        stoa_create_bulk(w, count, made, STOA_COLUMN(Small, smalls), STOA_COLUMN(Three, threes)),
        STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_count(w), first + count);
    for (int32_t i = 0; i < count; i++) {
        row_verify(w, made[i], i);
        assert_true(stoa_added(w, made[i], Small, before));
        assert_true(i == 0 || !stoa_entity_eq(made[i], made[i - 1]));
    }
    stoa_entity next;
    memset(&next, 0xEE, sizeof next);
    assert_true(stoa_entity_eq(made[count], next));
    /* In storage order they come in order. */
    int32_t seen = 0;
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Small)}});
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        const Small *small = stoa_field(&it, Small, 0);
        for (int32_t i = 0; i < it.count; i++, seen++) {
            assert_int_equal(small[i].x, seen < first ? -1 : seen - first);
            assert_true(seen < first || stoa_entity_eq(it.entities[i], made[seen - first]));
        }
    }
    assert_int_equal(seen, first + count);
    support_world_close(&s);
}

/* ENT-07 */
static void bulk_of_any_size_is_whole(void **state) {
    (void)state;
    int32_t sizes[32], full = chunk_rows();
    columns_make();
    int32_t count = sizes_list(sizes);
    for (int32_t i = 0; i < count; i++) {
        bulk_verify(0, sizes[i], 0);
        bulk_verify(full - 40, sizes[i], 40);
    }
    for (int32_t first = 1; first < 70; first += 17) {
        bulk_verify(first, 33, 20 + first);
        bulk_verify(first, full, 20);
    }
}

/* ENT-07: columns of every sort, zeroed ones among them. */
static void bulk_fills_all_sorts_of_columns(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    columns_make();
    static const int32_t sizes[] = {31, 32, 33, 65, 700};
    int32_t total = 0;
    for (int k = 0; k < 5; k++) {
        int32_t n = sizes[k];
        assert_int_equal(stoa_create_bulk(w, n, made, STOA_COLUMN(Odd, odds), STOA_ZERO(Mark),
                                          STOA_COLUMN(Spot, spots), STOA_COLUMN(Turn, turns),
                                          STOA_COLUMN(Small, smalls), STOA_ZERO(More)),
                         STOA_OK);
        total += n;
        for (int32_t i = 0; i < n; i++) {
            row_verify(w, made[i], i);
            assert_int_equal(stoa_get(w, made[i], More)->n, 0);
            assert_int_equal(stoa_get(w, made[i], Spot)->at, 5 * i);
            assert_true(stoa_has(w, made[i], Mark) && stoa_enabled(w, made[i], Turn));
        }
        assert_int_equal(stoa_check(w), STOA_OK);
    }
    assert_int_equal(stoa_count(w), total);
}

/* ENT-07: values may point into the world, even at rows that have to move to make room. */
static void bulk_values_may_be_components(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    columns_make();
    assert_int_equal(stoa_create_bulk(w, 100, made, STOA_COLUMN(Small, smalls)), STOA_OK);
    for (int32_t total = 100; total < 1500; total += 100) {
        const Small *from = stoa_get(w, made[0], Small);
        assert_int_equal(stoa_create_bulk(w, 100, made + total, STOA_COLUMN(Small, from)), STOA_OK);
        for (int32_t i = 0; i < 100; i++) {
            assert_int_equal(stoa_get(w, made[total + i], Small)->x, i);
        }
    }
}

/* Moves so many rows there and back by whole queries, beside rows that are there already. */
static void whole_verify(int32_t count, int32_t there) {
    support_world s;
    support_world_open_with(&s, 16384);
    stoa_world *w = s.world;
    assert_int_equal(stoa_create_bulk(w, there, NULL, STOA_ZERO(Small), STOA_ZERO(Three),
                                      STOA_ZERO(Odd), STOA_ZERO(More)),
                     STOA_OK);
    assert_int_equal(
        stoa_create_bulk(w, count, made, STOA_COLUMN(Small, smalls), STOA_COLUMN(Three, threes)),
        STOA_OK);
    stoa_query *q =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_FILTER(Three), STOA_WITHOUT(Odd)}});
    stoa_query *back = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_FILTER(Odd)}});
    uint32_t before = stoa_tick(w);
    stoa_tick_advance(w);
    assert_int_equal(stoa_query_set(q, More, {11}), STOA_OK);
    assert_int_equal(stoa_query_add(q, Odd), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_query_count(q), 0);
    for (int32_t i = 0; i < count; i++) {
        assert_int_equal(stoa_get(w, made[i], Small)->x, i);
        assert_int_equal(stoa_get(w, made[i], Three)->c, 3 * i);
        assert_int_equal(stoa_get(w, made[i], More)->n, 11);
        assert_int_equal(stoa_get(w, made[i], Odd)->bytes[36], 0);
        assert_true(stoa_added(w, made[i], More, before));
    }
    assert_int_equal(stoa_query_remove(back, Three), STOA_OK);
    assert_int_equal(stoa_query_remove(back, More), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    for (int32_t i = 0; i < count; i++) {
        assert_int_equal(stoa_get(w, made[i], Small)->x, i);
        assert_false(stoa_has(w, made[i], Three));
    }
    /* Those that were there come first, the others behind them in order. */
    int32_t seen = 0;
    for (stoa_iter it = stoa_query_iter(back); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++, seen++) {
            assert_true(seen < there || stoa_entity_eq(it.entities[i], made[seen - there]));
        }
    }
    assert_int_equal(seen, there + count);
    support_world_close(&s);
}

/* ACC-09 */
static void whole_queries_of_any_size_move_every_row(void **state) {
    (void)state;
    int32_t sizes[32];
    columns_make();
    int32_t count = sizes_list(sizes);
    for (int32_t i = 0; i < count; i++) {
        whole_verify(sizes[i], 0);
        whole_verify(sizes[i], i % 2 == 0 ? 33 : 200);
    }
}

int main(void) {
#define WITH_WORLD(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bulk_of_any_size_is_whole),
        WITH_WORLD(bulk_fills_all_sorts_of_columns),
        WITH_WORLD(bulk_values_may_be_components),
        cmocka_unit_test(whole_queries_of_any_size_move_every_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

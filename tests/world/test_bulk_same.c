/* Bulk creation with one value for all, and room for several bundles at once. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y, z; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_COMPONENT(Odd, { uint8_t bytes[5]; });
STOA_COMPONENT(Wide, { int32_t numbers[25]; });
STOA_TAG(Frozen);
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t degrees; });
STOA_COMPONENT_WITH(Seen, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t count; });

static void drop_nothing(void *items, int32_t count, void *user) {
    (void)items;
    (void)count;
    (void)user;
}

STOA_COMPONENT_WITH(Rich, STOA_OPTIONS(.hooks = {.drop = drop_nothing}), { int32_t number; });

static stoa_world *world_of(void **state) {
    return ((support_world *)*state)->world;
}

/* ENT-07 */
static void one_value_is_given_to_all(void **state) {
    enum { MANY = 3000 };
    static stoa_entity e[MANY];
    static Health healths[MANY];
    stoa_world *w = world_of(state);
    for (int32_t i = 0; i < MANY; i++) {
        healths[i].points = i;
    }
    for (int32_t count = 0; count < MANY; count = count * 2 + 1) {
        assert_int_equal(
            stoa_create_bulk(w, count, e, STOA_SAME(Position, {1, 2, 3}),
                             STOA_COLUMN(Health, healths), STOA_SAME(Odd, {{1, 2, 3, 4, 5}}),
                             STOA_SAME(Wide, {.numbers = {[0] = 7, [24] = 8}}),
                             STOA_SAME(Frozen, {0}), STOA_SAME(Heat, {9}), STOA_SAME(Seen, {6})),
            STOA_OK);
        for (int32_t i = 0; i < count; i++) {
            assert_float_equal(stoa_get(w, e[i], Position)->x, 1, 0);
            assert_float_equal(stoa_get(w, e[i], Position)->z, 3, 0);
            assert_int_equal(stoa_get(w, e[i], Health)->points, i);
            assert_int_equal(stoa_get(w, e[i], Odd)->bytes[0], 1);
            assert_int_equal(stoa_get(w, e[i], Odd)->bytes[4], 5);
            assert_int_equal(stoa_get(w, e[i], Wide)->numbers[0], 7);
            assert_int_equal(stoa_get(w, e[i], Wide)->numbers[24], 8);
            assert_int_equal(stoa_get(w, e[i], Heat)->degrees, 9);
            assert_int_equal(stoa_get(w, e[i], Seen)->count, 6);
            assert_true(stoa_has(w, e[i], Frozen));
        }
    }
    assert_int_equal(stoa_create_bulk_values(
                         w, 1, e, &(stoa_value){STOA_TYPE_OF(Health), NULL, 0, STOA_PUT_SAME}, 1),
                     STOA_OK);
    assert_int_equal(stoa_get(w, e[0], Health)->points, 0);
}

/* ENT-07 */
static void one_value_for_all_is_for_bytes_and_for_bulk_only(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    support_assert_misuse(s, stoa_create_bulk(w, 2, NULL, STOA_SAME(Rich, {1})), STOA_INVALID);
    support_assert_message("Rich");
    assert_int_equal(stoa_create_with(w, STOA_SAME(Health, {1})).index, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    stoa_entity e = stoa_create(w);
    support_assert_misuse(s, stoa_change(w, e, STOA_SAME(Health, {1})), STOA_INVALID);
    support_assert_misuse(s, stoa_commands_change(stoa_deferred(w), e, STOA_SAME(Health, {1})),
                          STOA_INVALID);
    assert_int_equal(stoa_count(w), 1);
}

typedef struct question {
    int32_t count;
    int64_t sum;
} question;

static stoa_status question_ask(stoa_world *w, stoa_entity e, const void *values, int32_t count,
                                void *user) {
    (void)w;
    assert_true(stoa_entity_is_null(e));
    question *q = user;
    q->count += count;
    for (int32_t i = 0; i < count; i++) {
        q->sum += ((const Health *)values)[i].points;
    }
    return q->sum > 100 ? stoa_fail(STOA_REFUSED, "too much") : STOA_OK;
}

/* ENT-07 HOK-01 */
static void veto_is_asked_about_every_value(void **state) {
    stoa_world *w = world_of(state);
    question q = {0, 0};
    stoa_veto_new(w, &(stoa_veto_desc){.kind = STOA_VETO_SET,
                                       .type = STOA_TYPE_OF(Health),
                                       .call = question_ask,
                                       .user = &q});
    assert_int_equal(stoa_create_bulk(w, 10, NULL, STOA_SAME(Health, {7})), STOA_OK);
    assert_int_equal(q.count, 10);
    assert_int_equal(q.sum, 70);
    assert_int_equal(stoa_create_bulk(w, 10, NULL, STOA_SAME(Health, {7})), STOA_REFUSED);
    assert_int_equal(stoa_count(w), 10);
}

/* ENT-07 GEN-04 */
static void entities_of_reserved_batches_need_no_memory(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    const stoa_value columns[] = {STOA_ZERO(Position), STOA_ZERO(Wide)};
    const stoa_value mixed[] = {STOA_ZERO(Wide), STOA_ZERO(Heat), STOA_ZERO(Position)};
    const stoa_value sparse[] = {STOA_ZERO(Heat)};
    const stoa_batch batches[] = {
        {columns, 2, 700}, {mixed, 3, 600}, {sparse, 1, 5}, {NULL, 0, 9}, {columns, 2, 0}};
    stoa_create_bulk(w, 5000, NULL, STOA_ZERO(Health));
    assert_int_equal(stoa_reserve_batches(w, batches, 5), STOA_OK);
    size_t allocations = s->heap.allocations;
    for (int32_t i = 0; i < 700; i++) {
        assert_int_not_equal(stoa_create_values(w, columns, 2).index, 0);
        if (i < 600) {
            assert_int_not_equal(stoa_create_values(w, mixed, 3).index, 0);
        }
        if (i < 5) {
            assert_int_not_equal(stoa_create_values(w, sparse, 1).index, 0);
        }
        if (i < 9) {
            assert_int_not_equal(stoa_create(w).index, 0);
        }
    }
    assert_int_equal(s->heap.allocations, allocations);
    /* A second reservation starts from nothing. */
    assert_int_equal(stoa_reserve_batches(w, batches, 1), STOA_OK);
}

/* ENT-07 GEN-03 */
static void reservation_of_nonsense_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    const stoa_value twice[] = {STOA_ZERO(Health), STOA_ZERO(Health)};
    const stoa_batch bad[] = {{twice, 2, 1}, {twice, 1, -1}, {NULL, 1, 1}};
    const stoa_batch huge[] = {{twice, 1, INT32_MAX}, {twice, 1, INT32_MAX}};
    support_assert_misuse(s, stoa_reserve_batches(w, bad, 1), STOA_DUPLICATE);
    support_assert_misuse(s, stoa_reserve_batches(w, bad + 1, 1), STOA_INVALID);
    support_assert_misuse(s, stoa_reserve_batches(w, bad + 2, 1), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_reserve_batches(w, NULL, 1), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_reserve_batches(w, bad, -1), STOA_INVALID);
    assert_int_equal(stoa_reserve_batches(NULL, NULL, 0), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_reserve_batches(w, huge, 2), STOA_LIMIT);
    assert_int_equal(stoa_reserve_batches(w, NULL, 0), STOA_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_value_is_given_to_all, support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(one_value_for_all_is_for_bytes_and_for_bulk_only,
                                        support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(veto_is_asked_about_every_value, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(entities_of_reserved_batches_need_no_memory, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(reservation_of_nonsense_is_refused, support_setup,
                                        support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

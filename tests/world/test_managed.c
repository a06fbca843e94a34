/* Managed components past hooks: how an extension takes back what it saved. */
#include "support/support.h"

#define FLAGS (STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED)

STOA_COMPONENT_WITH(Badge, STOA_OPTIONS(.flags = FLAGS), { int32_t n; });
STOA_COMPONENT_WITH(Seal, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t n; });
STOA_TAG_WITH(Mark, STOA_OPTIONS(.flags = FLAGS));

static int32_t dropped;

static void held_drop(void *items, int32_t count, void *user) {
    (void)items;
    (void)user;
    dropped += count;
}

STOA_COMPONENT_WITH(Held, STOA_OPTIONS(.flags = FLAGS, .hooks = {.drop = held_drop}),
                    { int32_t n; });

static int told;

static void hook_told(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)value;
    (void)user;
    told++;
}

/* SNP-08 SNP-11 */
static void entities_get_it_in_order_and_nobody_is_told(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    told = 0;
    stoa_on_add(w, Badge, hook_told, NULL);
    stoa_on_set(w, Badge, hook_told, NULL);
    stoa_on_remove(w, Badge, hook_told, NULL);
    stoa_component id = stoa_id(w, Badge);
    stoa_entity e[5], order[3];
    for (int i = 0; i < 5; i++) {
        e[i] = stoa_create(w);
    }
    order[0] = e[4];
    order[1] = e[0];
    order[2] = e[2];
    const Badge values[3] = {{40}, {0}, {20}};
    assert_int_equal(stoa_managed_fill(w, id, order, values, 3), STOA_OK);
    stoa_sparse_info info;
    stoa_sparse_info_get(w, id, &info);
    assert_int_equal(info.count, 3);
    assert_memory_equal(info.entities, order, sizeof order);
    assert_memory_equal(info.values, values, sizeof values);
    assert_int_equal(stoa_get(w, e[4], Badge)->n, 40);
    assert_false(stoa_has(w, e[1], Badge));
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_managed_clear(w, id);
    assert_false(stoa_has(w, e[4], Badge));
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(told, 0);
    assert_int_equal(stoa_managed_fill(w, id, NULL, NULL, 0), STOA_OK);
    assert_int_equal(stoa_managed_fill(w, stoa_id(w, Mark), order, NULL, 3), STOA_OK);
    assert_true(stoa_has(w, e[2], Mark));
    assert_int_equal(stoa_set(w, e[1], Badge, {7}), STOA_OK);
    assert_true(told > 0);
}

/* SNP-05 GEN-05 */
static void what_cannot_be_given_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Badge);
    stoa_entity e = stoa_create(w), dead = stoa_create(w);
    stoa_destroy(w, dead);
    const Badge values[2] = {{1}, {2}};
    stoa_entity both[2] = {e, dead}, twice[2] = {e, e}, forged[2] = {e, {9999999, 1}};
    assert_int_equal(stoa_managed_fill(w, id, both, values, 2), STOA_CORRUPT);
    assert_int_equal(stoa_managed_fill(w, id, twice, values, 2), STOA_CORRUPT);
    assert_int_equal(stoa_managed_fill(w, id, forged, values, 2), STOA_CORRUPT);
    assert_false(stoa_has(w, e, Badge));
    assert_int_equal(stoa_check(w), STOA_OK);
    support_assert_misuse(s, stoa_managed_fill(w, stoa_id(w, Seal), &e, values, 1), STOA_INVALID);
    support_assert_misuse(s, stoa_managed_fill(w, 999, &e, values, 1), STOA_INVALID);
    support_assert_misuse(s, stoa_managed_fill(w, id, &e, values, -1), STOA_INVALID);
    support_assert_misuse(s, stoa_managed_fill(w, id, NULL, values, 1), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_managed_fill(w, id, &e, NULL, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_managed_fill(NULL, id, &e, values, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_managed_fill(w, id, &e, values, 1), STOA_OK);
    support_assert_misuse(s, stoa_managed_fill(w, id, &e, values, 1), STOA_INVALID);
    stoa_managed_clear(w, stoa_id(w, Seal));
    stoa_managed_clear(w, 999);
    stoa_managed_clear(NULL, id);
    stoa_managed_clear(w, id);
    stoa_hold(w, "a test");
    support_assert_misuse(s, stoa_managed_fill(w, id, &e, values, 1), STOA_ITERATING);
    stoa_release(w);
}

/* GEN-03 GEN-04 */
static void lack_of_memory_gives_nothing(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Held);
    stoa_entity e[40];
    Held values[40] = {{0}};
    for (int i = 0; i < 40; i++) {
        e[i] = stoa_create(w);
    }
    for (size_t k = 1;; k++) {
        s->heap.fail_at = k;
        stoa_status status = stoa_managed_fill(w, id, e, values, 40);
        bool failed = s->heap.fail_at == 0;
        s->heap.fail_at = 0;
        assert_int_equal(status, failed ? STOA_NO_MEMORY : STOA_OK);
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_int_equal(stoa_has(w, e[0], Held), !failed);
        if (!failed) {
            break;
        }
    }
    dropped = 0;
    stoa_managed_clear(w, id);
    assert_int_equal(dropped, 40);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(entities_get_it_in_order_and_nobody_is_told),
        TEST(what_cannot_be_given_is_refused),
        TEST(lack_of_memory_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

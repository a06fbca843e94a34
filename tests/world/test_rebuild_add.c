/* Putting the content of a world together: components that come when the rows are there. */
#include "support/support.h"

STOA_COMPONENT(Spot, { int32_t x, y; });
STOA_COMPONENT_WITH(Lamp, STOA_OPTIONS(.flags = STOA_SWITCHABLE | STOA_ROW_TICKS), { int32_t n; });
STOA_TAG(Marked);
STOA_COMPONENT_WITH(Note, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t n; });

static int32_t owned_alive;

static void owned_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        owned_alive -= ((const int32_t *)items)[i] != 0;
    }
}

STOA_COMPONENT_WITH(Owned, STOA_OPTIONS(.hooks = {.drop = owned_drop}), { int32_t n; });

enum { COUNT = 900 };

static stoa_entity entities[COUNT];

/* Begins a world with slots for all, where every other has a Spot. */
static stoa_rebuild *rebuild_begin(stoa_world *w) {
    static uint32_t generations[COUNT + 1];
    stoa_entity spots[COUNT / 2];
    generations[0] = STOA_SLOT_DEAD | 1;
    for (uint32_t i = 0; i < COUNT; i++) {
        generations[i + 1] = 1;
        entities[i] = (stoa_entity){i + 1, 1};
        if (i % 2 == 0) {
            spots[i / 2] = entities[i];
        }
    }
    stoa_rebuild *r =
        stoa_rebuild_new(w, &(stoa_slots){.generations = generations, .count = COUNT + 1});
    assert_non_null(r);
    assert_int_equal(stoa_rebuild_tick(r, 50), STOA_OK);
    stoa_component spot = stoa_id(w, Spot);
    assert_int_equal(stoa_rebuild_archetype(r, &spot, 1, spots, COUNT / 2), STOA_OK);
    for (int32_t row = 0, count; row < COUNT / 2; row += count) {
        Spot *values = stoa_rebuild_column(r, spot, row, &count);
        for (int32_t i = 0; i < count; i++) {
            values[i] = (Spot){(row + i) * 2, 7};
        }
    }
    return r;
}

static void types_register(stoa_world *w) {
    stoa_id(w, Spot);
    stoa_id(w, Lamp);
    stoa_id(w, Marked);
    stoa_id(w, Owned);
    stoa_id(w, Note);
}

/* Gives every third Lamp and Marked, and every fifth Owned. */
static void components_add(stoa_rebuild *r, stoa_world *w) {
    const stoa_component lamp[] = {stoa_id(w, Lamp), stoa_id(w, Marked)}, owned = stoa_id(w, Owned);
    for (int i = 0; i < COUNT; i++) {
        if (i % 3 == 0) {
            assert_int_equal(stoa_rebuild_add(r, entities[i], lamp, 2), STOA_OK);
        }
        if (i % 5 == 0) {
            assert_int_equal(stoa_rebuild_add(r, entities[i], &owned, 1), STOA_OK);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        if (i % 3 == 0) {
            *(int32_t *)stoa_rebuild_value(r, entities[i], lamp[0]) = i;
            assert_int_equal(stoa_rebuild_value_ticks(r, entities[i], lamp[0], (uint32_t)i % 40, 3),
                             STOA_OK);
        }
        if (i % 6 == 0) {
            assert_int_equal(stoa_rebuild_value_off(r, entities[i], lamp[0]), STOA_OK);
        }
        if (i % 5 == 0) {
            *(int32_t *)stoa_rebuild_value(r, entities[i], owned) = i + 1;
            owned_alive++;
        }
    }
}

/* SNP-01 */
static void components_come_to_rows_that_are_there(void **state) {
    support_world *s = *state;
    types_register(s->world);
    stoa_rebuild *r = rebuild_begin(s->world);
    components_add(r, s->world);
    assert_int_equal(stoa_rebuild_end(r), STOA_OK);
    assert_int_equal(stoa_check(s->world), STOA_OK);
    for (int i = 0; i < COUNT; i++) {
        stoa_entity e = entities[i];
        assert_true(i % 2 != 0 || stoa_get(s->world, e, Spot)->x == i);
        assert_int_equal(stoa_has(s->world, e, Marked), i % 3 == 0);
        /* What is not told is as old as can be. */
        assert_false(stoa_changed_id(s->world, e, stoa_id(s->world, Marked), 1));
        assert_false(stoa_changed_id(s->world, e, stoa_id(s->world, Owned), 1));
        assert_int_equal(stoa_enabled(s->world, e, Lamp), i % 3 == 0 && i % 6 != 0);
        assert_true(i % 5 != 0 || stoa_get(s->world, e, Owned)->n == i + 1);
        if (i % 3 == 0) {
            assert_int_equal(stoa_get(s->world, e, Lamp)->n, i);
            assert_true(
                stoa_changed_id(s->world, e, stoa_id(s->world, Lamp), (uint32_t)i % 40 - 1));
            assert_false(stoa_changed_id(s->world, e, stoa_id(s->world, Lamp), (uint32_t)i % 40));
        }
    }
}

/* SNP-05 */
static void cancel_drops_what_came(void **state) {
    support_world *s = *state;
    types_register(s->world);
    uint64_t hash = stoa_hash(s->world);
    for (int i = 0; i < 3; i++) {
        stoa_rebuild *r = rebuild_begin(s->world);
        components_add(r, s->world);
        assert_int_equal(owned_alive, COUNT / 5);
        stoa_rebuild_cancel(r);
        assert_int_equal(owned_alive, 0);
        assert_true(hash == stoa_hash(s->world));
        assert_int_equal(stoa_check(s->world), STOA_OK);
    }
}

/* SNP-05 */
static void rows_that_own_memory_move(void **state) {
    static const uint32_t generations[] = {STOA_SLOT_DEAD | 1, 1, 1, 1};
    static const stoa_entity all[] = {{1, 1}, {2, 1}, {3, 1}};
    support_world *s = *state;
    types_register(s->world);
    stoa_component owned = stoa_id(s->world, Owned), marked = stoa_id(s->world, Marked);
    for (int ends = 0; ends < 2; ends++) {
        int32_t count;
        stoa_rebuild *r =
            stoa_rebuild_new(s->world, &(stoa_slots){.generations = generations, .count = 4});
        assert_int_equal(stoa_rebuild_archetype(r, &owned, 1, all, 3), STOA_OK);
        int32_t *values = stoa_rebuild_column(r, owned, 0, &count);
        values[0] = values[1] = values[2] = 9;
        owned_alive += 3;
        assert_int_equal(stoa_rebuild_made(r, owned, 3), STOA_OK);
        assert_int_equal(stoa_rebuild_add(r, all[0], &marked, 1), STOA_OK);
        assert_int_equal(stoa_rebuild_add(r, all[2], &marked, 1), STOA_OK);
        if (ends == 0) {
            stoa_rebuild_cancel(r);
            assert_int_equal(owned_alive, 0);
        } else {
            assert_int_equal(stoa_rebuild_end(r), STOA_OK);
            assert_int_equal(stoa_get(s->world, all[2], Owned)->n, 9);
        }
    }
}

/* SNP-05 */
static void what_does_not_fit_is_refused(void **state) {
    support_world *s = *state;
    types_register(s->world);
    stoa_rebuild *r = rebuild_begin(s->world);
    stoa_component spot = stoa_id(s->world, Spot), lamp = stoa_id(s->world, Lamp);
    stoa_component note = stoa_id(s->world, Note), twice[] = {lamp, lamp}, unknown = 999;
    stoa_entity dead = {1, 2}, e = entities[0];
    assert_int_equal(stoa_rebuild_add(r, dead, &lamp, 1), STOA_CORRUPT);
    assert_int_equal(stoa_rebuild_add(r, e, &spot, 1), STOA_CORRUPT);
    assert_int_equal(stoa_rebuild_add(r, e, &note, 1), STOA_CORRUPT);
    assert_int_equal(stoa_rebuild_add(r, e, twice, 2), STOA_CORRUPT);
    assert_int_equal(stoa_rebuild_add(r, e, &unknown, 1), STOA_CORRUPT);
    support_assert_misuse(s, stoa_rebuild_add(r, e, &lamp, 0), STOA_INVALID);
    assert_int_equal(stoa_rebuild_add(NULL, e, &lamp, 1), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_rebuild_add(r, e, NULL, 1), STOA_NULL_ARGUMENT);
    assert_null(stoa_rebuild_value(NULL, e, lamp));
    assert_null(stoa_rebuild_value(r, e, lamp));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_null(stoa_rebuild_value(r, dead, spot));
    assert_null(stoa_rebuild_value(r, entities[1], spot));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    support_assert_misuse(s, stoa_rebuild_value_off(r, e, spot), STOA_INVALID);
    assert_int_equal(stoa_rebuild_value_off(NULL, e, spot), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_rebuild_value_ticks(NULL, e, spot, 1, 1), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_rebuild_value_ticks(r, e, lamp, 1, 1), STOA_INVALID);
    assert_int_equal(stoa_rebuild_show(r), STOA_OK);
    support_assert_misuse(s, stoa_rebuild_add(r, e, &lamp, 1), STOA_INVALID);
    assert_null(stoa_rebuild_value(r, e, spot));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_int_equal(stoa_rebuild_end(r), STOA_OK);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(components_come_to_rows_that_are_there),
        TEST(cancel_drops_what_came),
        TEST(rows_that_own_memory_move),
        TEST(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

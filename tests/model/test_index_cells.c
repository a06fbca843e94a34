/* Indexes as keys come to have more or fewer entities: cells that hold one, that are a cache line,
 * blocks, the tree, and all ways between them, against a reference that looks at every entity.
 * Whether memory fails on the way or not. */
#include <stdlib.h>

#include "index_fixture.h"

#define ENTITIES 1200

/* The kinds of keys that are words: looked up with no call, and with one. */
STOA_COMPONENT_WITH(Badge, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { uint32_t number; });
STOA_COMPONENT_WITH(Debt, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { int32_t number; });
STOA_COMPONENT_WITH(Serial, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { uint64_t number; });
STOA_COMPONENT_WITH(Tiny, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { uint16_t number; });

static stoa_type *const types[] = {STOA_TYPE_OF(Badge), STOA_TYPE_OF(Debt), STOA_TYPE_OF(Serial),
                                   STOA_TYPE_OF(Tiny)};

typedef struct cells {
    support_world s;
    stoa_index *index;
    stoa_type *type;
    stoa_entity e[ENTITIES]; /* in order of their indexes */
    uint32_t number[ENTITIES];
    bool has[ENTITIES];
    support_random random;
} cells;

/* Room for the value of any type. */
typedef union any_value {
    Badge badge;
    Debt debt;
    Serial serial;
    Tiny tiny;
} any_value;

static any_value value_of(const cells *c, uint32_t number) {
    any_value v = {.serial = {0}};
    if (c->type == STOA_TYPE_OF(Badge)) {
        v.badge.number = number;
    } else if (c->type == STOA_TYPE_OF(Debt)) {
        v.debt.number = 300 - (int32_t)number;
    } else if (c->type == STOA_TYPE_OF(Serial)) {
        v.serial.number = number * UINT64_C(0x100000001);
    } else {
        v.tiny.number = (uint16_t)number;
    }
    return v;
}

static void cells_open(cells *c, stoa_type *type) {
    memset(c, 0, sizeof *c);
    support_world_open(&c->s);
    c->type = type;
    c->random = (support_random){7};
    c->index = stoa_index_new(c->s.world, &(stoa_index_desc){.type = type, .field = "number"});
    assert_non_null(c->index);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        c->e[i] = stoa_create(c->s.world);
        assert_true(i == 0 || c->e[i].index > c->e[i - 1].index);
    }
}

/* What is found for a number are the entities that have it, in order. */
static void number_compare(cells *c, uint32_t number) {
    any_value v = value_of(c, number);
    stoa_found f = stoa_index_find(c->index, &v);
    stoa_found same = stoa_index_find_any(c->index, &v);
    stoa_entity first = stoa_index_first(c->index, &v);
    int32_t count = 0;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        if (c->has[i] && c->number[i] == number) {
            assert_true(stoa_found_next(&f));
            assert_true(stoa_found_next(&same));
            expect_entity(f.entity, c->e[i]);
            expect_entity(same.entity, c->e[i]);
            if (count++ == 0) {
                expect_entity(first, c->e[i]);
            }
        }
    }
    assert_false(stoa_found_next(&f));
    assert_false(stoa_found_next(&same));
    assert_int_equal(stoa_index_count(c->index, &v), count);
    assert_true(count != 0 || (f.index == NULL && stoa_entity_is_null(first)));
}

static void cells_compare(cells *c, uint32_t numbers) {
    assert_int_equal(stoa_check(c->s.world), STOA_OK);
    for (uint32_t number = 0; number <= numbers; number += 1 + numbers / 64) {
        number_compare(c, number);
    }
}

/* Gives random entities one of so many numbers, and takes some away. With `faults` allocations
 * fail. */
static void cells_stir(cells *c, uint32_t steps, uint32_t numbers, bool faults) {
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t i = support_random_below(&c->random, ENTITIES);
        uint32_t number = support_random_below(&c->random, numbers);
        any_value v = value_of(c, number);
        c->s.heap.fail_at = faults ? support_random_below(&c->random, 9) : 0;
        if (support_random_below(&c->random, 16) == 0) {
            assert_int_equal(stoa_remove_type(c->s.world, c->e[i], c->type), STOA_OK);
            c->has[i] = false;
        } else if (stoa_set_type(c->s.world, c->e[i], c->type, &v) == STOA_OK) {
            c->has[i] = true;
            c->number[i] = number;
        } else {
            assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
        }
        c->s.heap.fail_at = 0;
    }
}

static size_t index_bytes(const cells *c) {
    stoa_index_info info;
    assert_int_equal(stoa_index_info_get(c->index, &info), STOA_OK);
    return info.bytes;
}

/* IDX-01 */
static void keys_of_any_crowd_are_found_in_order(void **state) {
    (void)state;
    static const uint32_t numbers[] = {4000, 300, 120, 60, 300, 3, 120, 5000, 1, 250, 30000};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        cells *c = malloc(sizeof *c);
        assert_non_null(c);
        cells_open(c, types[i]);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            cells_stir(c, 3 * ENTITIES, numbers[k], false);
            cells_compare(c, numbers[k]);
        }
        support_world_close(&c->s);
        free(c);
    }
}

/* GEN-04 IDX-01 */
static void keys_of_any_crowd_are_found_though_memory_failed(void **state) {
    (void)state;
    static const uint32_t numbers[] = {900, 300, 60, 300, 2, 4000};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        cells *c = malloc(sizeof *c);
        assert_non_null(c);
        cells_open(c, types[i]);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            for (int round = 0; round < 12; round++) {
                cells_stir(c, ENTITIES / 3, numbers[k], true);
                cells_compare(c, numbers[k]);
            }
        }
        support_world_close(&c->s);
        free(c);
    }
}

/* IDX-01 STO-06 */
static void cells_are_as_large_as_their_keys_need(void **state) {
    (void)state;
    cells *c = malloc(sizeof *c);
    assert_non_null(c);
    cells_open(c, STOA_TYPE_OF(Badge));
    for (uint32_t i = 0; i < ENTITIES; i++) {
        assert_int_equal(stoa_set(c->s.world, c->e[i], Badge, {i}), STOA_OK);
    }
    /* 2,048 cells of two words, beside what is known of each entity. */
    size_t singles = index_bytes(c);
    assert_true(singles < 2048 * 16 + 16 * 1024);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        assert_int_equal(stoa_set(c->s.world, c->e[i], Badge, {i / 4}), STOA_OK);
    }
    /* As many of eight words, and next to no blocks. */
    size_t fours = index_bytes(c);
    assert_true(fours > 2048 * 64 && fours < 2048 * 64 + 32 * 1024);
    /* When the table grows with one entity to a key its cells are narrow again. */
    for (uint32_t i = 0; i < 1700; i++) {
        Badge badge = {1000 + i};
        stoa_create_one(c->s.world, STOA_TYPE_OF(Badge), &badge);
    }
    assert_true(index_bytes(c) < 4096 * 64);
    assert_int_equal(stoa_index_count(c->index, STOA_KEY(uint32_t, 7)), 4);
    assert_int_equal(stoa_index_count(c->index, STOA_KEY(uint32_t, 2000)), 1);
    support_world_close(&c->s);
    free(c);
}

/* IDX-01 */
static void walk_that_is_at_its_end_does_not_mind_a_change(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Badge, number);
    for (uint32_t i = 0; i < 24; i++) {
        stoa_create_with(w, STOA_VALUE(Badge, {i / 4}));
    }
    stoa_found f = stoa_index_find(index, STOA_KEY(uint32_t, 2));
    for (int i = 0; i < 4; i++) {
        assert_true(stoa_found_next(&f));
    }
    assert_int_equal(stoa_set(w, f.entity, Badge, {3}), STOA_OK);
    assert_false(stoa_found_next(&f));
    f = stoa_index_find(index, STOA_KEY(uint32_t, 3));
    assert_true(stoa_found_next(&f));
    assert_int_equal(stoa_set(w, f.entity, Badge, {2}), STOA_OK);
    assert_false(stoa_found_next(&f));
    assert_int_equal(stoa_last_error().status, STOA_INVALID);
}

/* IDX-01 */
static void index_is_found_out_of_date_before_it_is_asked(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Unit, team);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Unit, {1, 0}));
    expect_found(stoa_index_find(index, STOA_KEY(int32_t, 1)), e);
    stoa_get_mut(w, e, Unit)->team = 2;
    expect_found(stoa_index_find(index, STOA_KEY(int32_t, 2)), e);
    /* One that is immutable is found with no call, also after it was emptied and filled anew. */
    stoa_index *badges = stoa_index_on(w, Badge, number);
    expect_none(stoa_index_find(badges, STOA_KEY(uint32_t, 5)));
    assert_int_equal(stoa_set(w, e, Badge, {5}), STOA_OK);
    expect_found(stoa_index_find(badges, STOA_KEY(uint32_t, 5)), e);
    stoa_extensions_reset(w);
    expect_found(stoa_index_find(badges, STOA_KEY(uint32_t, 5)), e);
    expect_none(stoa_index_find(badges, STOA_KEY(uint32_t, 6)));
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    expect_none(stoa_index_find(badges, STOA_KEY(uint32_t, 5)));
}

static void unit_set(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value;
    (void)user;
    assert_int_equal(stoa_set(world, e, Exact, {9, 0}), STOA_OK);
}

/* HOK-02 IDX-01 */
static void value_given_to_what_is_being_lost_is_not_found(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        support_world s;
        support_world_open(&s);
        stoa_world *w = s.world;
        stoa_index *index = stoa_index_new(w, &(stoa_index_desc){.type = STOA_TYPE_OF(Exact),
                                                                 .field = "team",
                                                                 .ordered = i % 2 == 1});
        assert_int_not_equal(stoa_on_remove(w, Exact, unit_set, NULL).id, 0);
        stoa_entity e[12];
        for (int k = 0; k < 12; k++) {
            e[k] = stoa_create_with(w, STOA_VALUE(Exact, {9, 0}));
        }
        assert_int_equal(stoa_enable(w, e[5], Exact, i / 4 == 0), STOA_OK);
        assert_int_equal(i / 2 % 2 == 0 ? stoa_remove(w, e[5], Exact) : stoa_destroy(w, e[5]),
                         STOA_OK);
        assert_int_equal(stoa_index_count(index, STOA_KEY(int32_t, 9)), 11);
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_false(stoa_losing_id(w, e[5], stoa_id(w, Exact)));
        /* Another one with the same index is an entity like any. */
        stoa_entity other = stoa_create_with(w, STOA_VALUE(Exact, {3, 0}));
        assert_int_equal(stoa_set(w, other, Exact, {4, 0}), STOA_OK);
        expect_found(stoa_index_find(index, STOA_KEY(int32_t, 4)), other);
        assert_int_equal(stoa_index_count(index, STOA_KEY(int32_t, 9)), 11);
        support_world_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(keys_of_any_crowd_are_found_in_order),
        TEST(keys_of_any_crowd_are_found_though_memory_failed),
        TEST(cells_are_as_large_as_their_keys_need),
        TEST(walk_that_is_at_its_end_does_not_mind_a_change),
        TEST(index_is_found_out_of_date_before_it_is_asked),
        TEST(value_given_to_what_is_being_lost_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Queries over thousands of archetypes, and over archetypes whose columns are hard to find: listed
 * all at once, and kept right as columns move. */
#include "support/support.h"

#include <stdio.h>

#define KINDS 12
#define SETS (1 << KINDS)
/* The component that tells the set of its entity; the others have the ids after it. */
#define TELLER 1u

static uint32_t value_of(uint32_t set, uint32_t kind) {
    return set * KINDS + kind;
}

/* Registers components with numbers as values, every third a tag. */
static void kinds_register(stoa_world *w) {
    for (uint32_t i = 0; i <= KINDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "K%u", i);
        stoa_component_desc desc = {.name = name,
                                    .fields = i > 0 && i % 3 == 0 ? "{ }" : "{ uint32_t n; }"};
        assert_int_equal(stoa_component_register(w, &desc), i + TELLER);
    }
}

/* An entity of a set: bit k is the component k places after the one that tells. */
static void set_make(stoa_world *w, uint32_t set) {
    uint32_t numbers[KINDS + 1] = {set};
    stoa_value values[KINDS + 1] = {{.id = TELLER, .data = numbers}};
    int32_t count = 1;
    for (uint32_t k = 0; k < KINDS; k++) {
        if ((set >> k & 1) != 0) {
            numbers[count] = value_of(set, k);
            bool tag = (k + 1) % 3 == 0;
            values[count] =
                (stoa_value){.id = TELLER + 1 + k, .data = tag ? NULL : &numbers[count]};
            count++;
        }
    }
    assert_false(stoa_entity_is_null(stoa_create_values(w, values, count)));
}

/* True if a set has what the terms ask for; they are in one any-of group at most. */
static bool set_agrees(uint32_t set, const stoa_term *terms) {
    bool any = false, grouped = false;
    for (int32_t i = 1; terms[i].access != STOA_ACCESS_END; i++) {
        bool has = (set >> (terms[i].id - TELLER - 1) & 1) != 0;
        switch (terms[i].access) {
        case STOA_ACCESS_WITHOUT:
            has = !has;
            break;
        case STOA_ACCESS_ANY:
            any |= has;
            grouped = true;
            continue;
        case STOA_ACCESS_OPTIONAL:
            continue;
        default:
            break;
        }
        if (!has) {
            return false;
        }
    }
    return any || !grouped;
}

/* Every field has the values of its rows. */
static void fields_agree(stoa_iter *it, const stoa_term *terms) {
    const uint32_t *sets = stoa_field_id(it, TELLER, 0);
    for (int32_t i = 1; terms[i].access != STOA_ACCESS_END; i++) {
        uint32_t kind = terms[i].id - TELLER - 1;
        bool data = terms[i].access != STOA_ACCESS_WITHOUT && terms[i].access != STOA_ACCESS_FILTER;
        if (!data || (kind + 1) % 3 == 0) {
            continue;
        }
        const uint32_t *numbers = stoa_field_id(it, terms[i].id, i);
        for (int32_t row = 0; row < it->count; row++) {
            assert_int_equal(numbers != NULL, sets[row] >> kind & 1);
            assert_true(numbers == NULL || numbers[row] == value_of(sets[row], kind));
        }
    }
}

/* The query meets every set that agrees, in order, `rows` times. */
static void query_agrees(stoa_query *query, const stoa_term *terms, int32_t rows) {
    int32_t expected = 0, met = 0;
    for (uint32_t set = 0; set < SETS; set++) {
        expected += set_agrees(set, terms) ? rows : 0;
    }
    assert_int_equal(stoa_query_count(query), expected);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it); met += it.count) {
        const uint32_t *sets = stoa_field_id(&it, TELLER, 0);
        for (int32_t row = 0; row < it.count; row++) {
            assert_true(set_agrees(sets[row], terms));
        }
        fields_agree(&it, terms);
    }
    assert_int_equal(met, expected);
}

/* QRY-01 QRY-02 QRY-03 STO-05 */
static void thousands_of_archetypes_match_by_every_kind_of_term(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static const stoa_query_desc descs[] = {
        {.terms = {{.id = TELLER, .access = STOA_ACCESS_READ}}},
        {.terms = {{.id = TELLER, .access = STOA_ACCESS_READ},
                   {.id = 2, .access = STOA_ACCESS_READ}}},
        {.terms = {{.id = TELLER, .access = STOA_ACCESS_READ},
                   {.id = 13, .access = STOA_ACCESS_WITHOUT}}},
        {.terms = {{.id = TELLER, .access = STOA_ACCESS_READ},
                   {.id = 3, .access = STOA_ACCESS_OPTIONAL}}},
        {.terms = {{.id = TELLER, .access = STOA_ACCESS_READ},
                   {.id = 9, .access = STOA_ACCESS_WRITE},
                   {.id = 4, .access = STOA_ACCESS_WITHOUT},
                   {.id = 12, .access = STOA_ACCESS_FILTER}}},
        {.terms = {{.id = TELLER, .access = STOA_ACCESS_READ},
                   {.id = 5, .access = STOA_ACCESS_ANY, .group = 1},
                   {.id = 11, .access = STOA_ACCESS_ANY, .group = 1}}},
    };
    enum { QUERIES = sizeof descs / sizeof *descs };
    stoa_query *queries[QUERIES];
    kinds_register(w);
    for (uint32_t set = 0; set < SETS; set++) {
        set_make(w, set);
    }
    assert_int_equal(stoa_archetype_count(w), SETS + 1);
    for (int32_t i = 0; i < QUERIES; i++) {
        queries[i] = stoa_query_new(w, &descs[i]);
        assert_non_null(queries[i]);
        query_agrees(queries[i], descs[i].terms, 1);
    }
    /* The first chunks have room for few rows, so columns move. */
    for (int32_t rows = 2; rows <= 20; rows++) {
        for (uint32_t set = 0; set < SETS; set++) {
            set_make(w, set);
        }
    }
    for (int32_t i = 0; i < QUERIES; i++) {
        query_agrees(queries[i], descs[i].terms, 20);
    }
    support_assert_quiet(*state);
}

/* QRY-02 STO-01: ids that differ in high bits only. */
static void crowded_archetypes_give_the_right_columns(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    enum { COUNT = 2048, STRIDE = 512 };
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%u", i);
        stoa_component_desc desc = {.name = name, .fields = "{ uint32_t n; }"};
        assert_int_equal(stoa_component_register(w, &desc), i + 1);
    }
    uint32_t data[4] = {10, 20, 30, 40};
    stoa_value values[4];
    for (uint32_t i = 0; i < 4; i++) {
        values[i] = (stoa_value){.id = 7 + i * STRIDE, .data = &data[i]};
    }
    stoa_query_desc desc = {.terms = {{.id = 7 + 3 * STRIDE, .access = STOA_ACCESS_READ},
                                      {.id = 7 + STRIDE, .access = STOA_ACCESS_READ}}};
    for (int32_t rows = 1; rows <= 40; rows++) {
        assert_false(stoa_entity_is_null(stoa_create_values(w, values, 4)));
        stoa_query *query = stoa_query_new(w, &desc);
        int32_t met = 0;
        for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it); met += it.count) {
            const uint32_t *last = stoa_field_id(&it, 7 + 3 * STRIDE, 0);
            const uint32_t *second = stoa_field_id(&it, 7 + STRIDE, 1);
            for (int32_t row = 0; row < it.count; row++) {
                assert_int_equal(last[row], 40);
                assert_int_equal(second[row], 20);
            }
        }
        assert_int_equal(met, rows);
        assert_int_equal(stoa_query_free(query), STOA_OK);
    }
    support_assert_quiet(*state);
}

/* Both columns of a query of two components have the ids as values. */
static void pair_agrees(stoa_world *w, uint32_t first, uint32_t second) {
    stoa_query_desc desc = {.terms = {{.id = first, .access = STOA_ACCESS_READ},
                                      {.id = second, .access = STOA_ACCESS_READ}}};
    stoa_query *query = stoa_query_new(w, &desc);
    int32_t met = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it); met += it.count) {
        assert_int_equal(*(const uint32_t *)stoa_field_id(&it, first, 0), first);
        assert_int_equal(*(const uint32_t *)stoa_field_id(&it, second, 1), second);
    }
    assert_int_equal(met, 2);
    assert_int_equal(stoa_query_free(query), STOA_OK);
}

/* QRY-02 STO-01: ids on both sides of those whose columns are found by counting, tags among them.
 */
static void columns_are_found_whatever_the_ids(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    enum { COUNT = 70, FIRST = 55 };
    uint32_t data[COUNT + 1];
    stoa_value values[COUNT];
    for (uint32_t id = 1; id <= COUNT; id++) {
        char name[16];
        snprintf(name, sizeof name, "T%u", id);
        bool tag = id % 5 == 0;
        stoa_component_desc desc = {.name = name, .fields = tag ? "{ }" : "{ uint32_t n; }"};
        assert_int_equal(stoa_component_register(w, &desc), id);
        data[id] = id;
        values[id - 1] = (stoa_value){.id = id, .data = tag ? NULL : &data[id]};
    }
    assert_false(stoa_entity_is_null(stoa_create_values(w, values, COUNT)));
    assert_false(stoa_entity_is_null(stoa_create_values(w, &values[FIRST - 1], COUNT - FIRST + 1)));
    for (uint32_t first = FIRST; first <= COUNT; first++) {
        for (uint32_t second = FIRST; second <= COUNT; second++) {
            if (first != second && first % 5 != 0 && second % 5 != 0) {
                pair_agrees(w, first, second);
            }
        }
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    support_assert_quiet(*state);
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(thousands_of_archetypes_match_by_every_kind_of_term),
        WITH_WORLD(crowded_archetypes_give_the_right_columns),
        WITH_WORLD(columns_are_found_whatever_the_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Fields of parts: the right rows, and the right marks. */
#include "query/cut_fixture.h"

#define COUNT 1000

typedef struct fields_fixture {
    support_world s;
    stoa_entity made[COUNT];
} fields_fixture;

/* Entities that know their number, in two archetypes. */
static void fields_open(fields_fixture *f) {
    support_world_open(&f->s);
    for (uint32_t i = 0; i < COUNT; i++) {
        f->made[i] = stoa_create_with(f->s.world, STOA_VALUE(Plain, {i}), STOA_VALUE(Exact, {i}));
        assert_int_not_equal(f->made[i].index, 0);
        if (i % 4 == 0) {
            assert_int_equal(stoa_set(f->s.world, f->made[i], Sparse, {i}), STOA_OK);
        }
        if (i >= COUNT / 2) {
            assert_int_equal(stoa_set(f->s.world, f->made[i], Other, {i}), STOA_OK);
        }
    }
    stoa_tick_advance(f->s.world);
}

/* The number that an entity was made with. */
static uint32_t number_of(const fields_fixture *f, stoa_entity e) {
    for (uint32_t i = 0; i < COUNT; i++) {
        if (f->made[i].index == e.index) {
            return i;
        }
    }
    fail_msg("unknown entity %u", e.index);
    return 0;
}

/* The fields of a run are the components of its rows. */
static void run_check(fields_fixture *f, const stoa_iter *it, bool sparse_too) {
    const Plain *plain = stoa_field(it, Plain, 0);
    const Exact *exact = stoa_field(it, Exact, 1);
    const Other *other = stoa_field(it, Other, 2);
    for (int32_t row = 0; row < it->count; row++) {
        uint32_t number = number_of(f, it->entities[row]);
        assert_int_equal(plain[row].x, number);
        assert_int_equal(exact[row].x, number);
        assert_int_equal(other != NULL, number >= COUNT / 2);
        assert_int_equal(stoa_field_at(it, Exact, 1, row)->x, number);
        const Sparse *sparse = sparse_too ? stoa_field_at(it, Sparse, 3, row) : NULL;
        assert_int_equal(sparse != NULL, sparse_too && number % 4 == 0);
        assert_int_equal(sparse != NULL ? sparse->x : number, number);
    }
    assert_null(stoa_field_at(it, Plain, 0, it->count));
    support_assert_misuse(&f->s, stoa_last_error().status, STOA_INVALID);
}

/* SYS-06 */
static void fields_of_parts_are_those_of_their_rows(void **state) {
    fields_fixture f;
    (void)state;
    fields_open(&f);
    stoa_query *queries[] = {
        query_of(f.s.world, STOA_READ(Plain), STOA_READ(Exact), STOA_OPTIONAL(Other)),
        query_of(f.s.world, STOA_READ(Plain), STOA_READ(Exact), STOA_OPTIONAL(Other),
                 STOA_OPTIONAL(Sparse)),
    };
    for (int q = 0; q < 2; q++) {
        int32_t parts = stoa_query_cut(queries[q], NULL, 48), rows = 0;
        assert_true(parts >= (q == 0 ? 20 : 2));
        for (int32_t i = 0; i < parts; i++) {
            stoa_iter it = stoa_query_part(queries[q], i);
            while (stoa_iter_next(&it)) {
                run_check(&f, &it, q == 1);
                rows += it.count;
            }
        }
        assert_int_equal(rows, COUNT);
    }
    support_world_close(&f.s);
}

/* SYS-06 CHG-01 */
static void field_mut_marks_the_rows_of_its_part(void **state) {
    fields_fixture f;
    bool written[COUNT] = {false};
    (void)state;
    fields_open(&f);
    stoa_query *query = query_of(f.s.world, STOA_WRITE(Exact));
    uint32_t before = stoa_tick(f.s.world);
    int32_t parts = stoa_query_cut(query, NULL, 100);
    stoa_tick_advance(f.s.world);
    for (int32_t i = 0; i < parts; i += 3) {
        stoa_iter it = stoa_query_part(query, i);
        while (stoa_iter_next(&it)) {
            Exact *exact = stoa_field_mut(&it, Exact, 0);
            for (int32_t row = 0; row < it.count; row++) {
                uint32_t number = number_of(&f, it.entities[row]);
                written[number] = true;
                assert_int_equal(exact[row].x, number);
                exact[row].x = number + 1;
            }
        }
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(stoa_get(f.s.world, f.made[i], Exact)->x, i + written[i]);
        assert_int_equal(stoa_changed(f.s.world, f.made[i], Exact, before), written[i]);
        assert_false(stoa_changed(f.s.world, f.made[i], Plain, before));
    }
    support_world_close(&f.s);
}

/* SYS-06 CHG-01 */
static void field_at_mut_marks_one_row(void **state) {
    fields_fixture f;
    (void)state;
    fields_open(&f);
    stoa_query *columns = query_of(f.s.world, STOA_WRITE(Exact));
    stoa_query *sparse = query_of(f.s.world, STOA_WRITE(Sparse), STOA_OPTIONAL_WRITE(Other));
    uint32_t before = stoa_tick(f.s.world);
    stoa_tick_advance(f.s.world);
    int32_t parts = stoa_query_cut(columns, NULL, 64);
    for (int32_t i = 0; i < parts; i++) {
        stoa_iter it = stoa_query_part(columns, i);
        while (stoa_iter_next(&it)) {
            for (int32_t row = 0; row < it.count; row++) {
                if (number_of(&f, it.entities[row]) % 10 == 0) {
                    stoa_field_at_mut(&it, Exact, 0, row)->x = 7;
                }
            }
        }
    }
    /* A walk by a set is cut at multiples of 64. */
    parts = stoa_query_cut(sparse, NULL, 48);
    assert_int_equal(parts, 4);
    for (int32_t i = 0; i < parts; i++) {
        stoa_iter it = stoa_query_part(sparse, i);
        while (stoa_iter_next(&it)) {
            for (int32_t row = 0; row < it.count; row++) {
                uint32_t number = number_of(&f, it.entities[row]);
                assert_int_equal(stoa_field_at(&it, Sparse, 0, row)->x, number);
                if (number % 10 == 0) {
                    stoa_field_at_mut(&it, Sparse, 0, row)->x = 7;
                }
            }
        }
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        stoa_entity e = f.made[i];
        assert_int_equal(stoa_get(f.s.world, e, Exact)->x, i % 10 == 0 ? 7 : i);
        assert_int_equal(stoa_changed(f.s.world, e, Exact, before), i % 10 == 0);
        if (i % 4 == 0) {
            assert_int_equal(stoa_get(f.s.world, e, Sparse)->x, i % 10 == 0 ? 7 : i);
            assert_int_equal(stoa_changed(f.s.world, e, Sparse, before), i % 10 == 0);
        }
    }
    support_world_close(&f.s);
}

/* SYS-06 */
static void fields_of_parts_are_checked(void **state) {
    fields_fixture f;
    (void)state;
    fields_open(&f);
    stoa_query *queries[] = {query_of(f.s.world, STOA_READ(Plain)),
                             query_of(f.s.world, STOA_READ(Plain), STOA_FILTER(Sparse))};
    for (int i = 0; i < 2; i++) {
        assert_true(stoa_query_cut(queries[i], NULL, 0) > 0);
        stoa_iter it = stoa_query_part(queries[i], 0);
        assert_true(stoa_iter_next(&it));
        assert_null(stoa_field_mut(&it, Plain, 0));
        support_assert_misuse(&f.s, stoa_last_error().status, STOA_ACCESS);
        assert_null(stoa_field_at_mut(&it, Plain, 0, 0));
        support_assert_misuse(&f.s, stoa_last_error().status, STOA_ACCESS);
        assert_null(stoa_field(&it, Plain, 2));
        support_assert_misuse(&f.s, stoa_last_error().status, STOA_ACCESS);
        stoa_iter_end(&it);
        assert_null(stoa_field(&it, Plain, 0));
        support_assert_misuse(&f.s, stoa_last_error().status, STOA_ACCESS);
    }
    support_world_close(&f.s);
}

/* SYS-02 */
static void query_tells_its_terms_and_world(void **state) {
    support_world *s = *state;
    stoa_query *query = query_of(s->world, STOA_WRITE(Plain), STOA_WITHOUT(Tag),
                                 STOA_ANY_OF(Sparse, 3), STOA_CHANGED(Exact));
    stoa_term terms[6];
    memset(terms, 0xAB, sizeof terms);
    assert_int_equal(stoa_query_terms(query, terms, 6), 4);
    static const stoa_access access[] = {STOA_ACCESS_WRITE, STOA_ACCESS_WITHOUT, STOA_ACCESS_ANY,
                                         STOA_ACCESS_CHANGED};
    stoa_component ids[] = {stoa_id(s->world, Plain), stoa_id(s->world, Tag),
                            stoa_id(s->world, Sparse), stoa_id(s->world, Exact)};
    for (int i = 0; i < 4; i++) {
        assert_null(terms[i].type);
        assert_int_equal(terms[i].id, ids[i]);
        assert_int_equal(terms[i].access, access[i]);
    }
    assert_int_equal(terms[2].group, 3);
    memset(terms, 0, sizeof terms);
    assert_int_equal(stoa_query_terms(query, terms, 1), 4);
    assert_int_equal(terms[0].id, ids[0]);
    assert_int_equal(terms[1].id, 0);
    assert_int_equal(stoa_query_terms(query, NULL, 0), 4);
    assert_int_equal(stoa_query_terms(query, terms, -1), 4);
    support_assert_quiet(s);
    assert_int_equal(stoa_query_terms(query, NULL, 1), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_query_terms(NULL, terms, 1), 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_ptr_equal(stoa_query_world(query), s->world);
    assert_null(stoa_query_world(NULL));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    /* What it tells makes the same query again. */
    stoa_query_desc desc = {.name = "again"};
    stoa_query_terms(query, desc.terms, STOA_TERM_MAX);
    stoa_query *again = stoa_query_new(s->world, &desc);
    assert_non_null(again);
    assert_int_equal(stoa_query_terms(again, terms, 6), 4);
    assert_memory_equal(terms, desc.terms, 4 * sizeof *terms);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_parts_are_those_of_their_rows),
        cmocka_unit_test(field_mut_marks_the_rows_of_its_part),
        cmocka_unit_test(field_at_mut_marks_one_row),
        cmocka_unit_test(fields_of_parts_are_checked),
        cmocka_unit_test_setup_teardown(query_tells_its_terms_and_world, support_setup,
                                        support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

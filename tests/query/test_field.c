/* Fields of an iteration: columns as their terms allow, and no others. */
#include "query/iter_fixture.h"

/* QRY-01 QRY-03 */
static void optional_field_is_null_where_there_is_none(void **state) {
    support_world *s = *state;
    stoa_entity without = stoa_create_with(s->world, STOA_ZERO(Position));
    stoa_create_with(s->world, STOA_ZERO(Position), STOA_VALUE(Velocity, {7, 7}));
    stoa_query *query = QUERY(s->world, STOA_READ(Position), STOA_OPTIONAL_WRITE(Velocity));
    stoa_error_clear();
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        bool none = stoa_entity_eq(it.entities[0], without);
        assert_int_equal(stoa_field(&it, Velocity, 1) == NULL, none);
        Velocity *v = stoa_field_mut(&it, Velocity, 1);
        assert_int_equal(v == NULL, none);
        assert_true(none || v->x == 7);
    }
    assert_int_equal(stoa_last_error().status, STOA_OK);
    support_assert_quiet(s);
}

/* QRY-03 GEN-01 */
static void field_of_a_read_term_is_const(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Position));
    stoa_query *query = QUERY(s->world, STOA_READ(Position));
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    assert_int_equal(_Generic(stoa_field(&it, Position, 0), const Position * : 1, default : 0), 1);
    assert_int_equal(_Generic(it.entities, const stoa_entity * : 1, default : 0), 1);
    support_assert_quiet(s);
    support_assert_misuse(s, refused(stoa_field_mut(&it, Position, 0) != NULL), STOA_ACCESS);
    support_assert_message("only reads");
    support_assert_misuse(s, refused(stoa_field_mut_type(&it, &Position_stoa, 0) != NULL),
                          STOA_ACCESS);
    stoa_component id = stoa_id(s->world, Position);
    support_assert_misuse(s, refused(stoa_field_mut_id(&it, id, 0) != NULL), STOA_ACCESS);
    assert_non_null(stoa_field_id(&it, id, 0));
    stoa_iter_end(&it);
}

/* QRY-01 QRY-03 CMP-08 */
static void terms_without_data_have_no_field(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Position), STOA_ZERO(Frozen));
    stoa_query *query = QUERY(s->world, STOA_FILTER(Position), STOA_WRITE(Frozen),
                              STOA_WITHOUT(Velocity), STOA_OPTIONAL(Odd));
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    support_assert_misuse(s, refused(stoa_field(&it, Position, 0) != NULL), STOA_ACCESS);
    support_assert_message("no data");
    support_assert_misuse(s, refused(stoa_field(&it, Frozen, 1) != NULL), STOA_ACCESS);
    support_assert_misuse(s, refused(stoa_field_mut(&it, Frozen, 1) != NULL), STOA_ACCESS);
    support_assert_misuse(s, refused(stoa_field(&it, Velocity, 2) != NULL), STOA_ACCESS);
    stoa_iter_end(&it);
    support_assert_quiet(s);
}

/* QRY-03 GEN-05 */
static void field_of_another_type_or_term_is_refused(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Position), STOA_ZERO(Velocity));
    stoa_query *query = QUERY(s->world, STOA_WRITE(Position), STOA_READ(Velocity));
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    support_assert_misuse(s, refused(stoa_field_type(&it, &Velocity_stoa, 0) != NULL), STOA_ACCESS);
    support_assert_message("another component");
    support_assert_misuse(s, refused(stoa_field_mut_type(&it, &Odd_stoa, 0) != NULL), STOA_ACCESS);
    support_assert_misuse(s, refused(stoa_field_id(&it, 0, 1) != NULL), STOA_ACCESS);
    const int32_t indexes[] = {2, -1, 31, 32, 33, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof indexes / sizeof indexes[0]; i++) {
        support_assert_misuse(s, refused(stoa_field(&it, Position, indexes[i]) != NULL),
                              STOA_ACCESS);
        support_assert_misuse(s, refused(stoa_field_mut(&it, Position, indexes[i]) != NULL),
                              STOA_ACCESS);
        support_assert_message("no such term");
    }
#ifdef STOA_DEBUG
    support_assert_misuse(s, refused(stoa_field(&it, Position, 1) != NULL), STOA_ACCESS);
#endif
    stoa_iter_end(&it);
    support_assert_misuse(s, refused(stoa_field(&it, Position, 0) != NULL), STOA_ACCESS);
    support_assert_message("ended");
    support_assert_misuse(s, refused(stoa_field_mut(&it, Position, 0) != NULL), STOA_ACCESS);
    assert_null(stoa_field_id(NULL, 1, 0));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(optional_field_is_null_where_there_is_none),
        WITH_WORLD(field_of_a_read_term_is_const),
        WITH_WORLD(terms_without_data_have_no_field),
        WITH_WORLD(field_of_another_type_or_term_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

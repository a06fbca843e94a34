/* Values that come and go: bundles that are read and refused, values that are overwritten, taken
 * away, and dropped with their world. */
#include "world/values_book.h"

/* CMP-11 ACC-03 */
static void overwrite_drops_the_old_value_and_stays_in_place(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = owned_create(w);
    const Owned *place = stoa_get(w, e, Owned);
    Owned fresh = {0}, third = {0};
    TOKEN_FOR(fresh);
    TOKEN_FOR(third);
    book_restart();
    assert_int_equal(stoa_set_from(w, e, Owned, &fresh), STOA_OK);
    book_counts(1, 1, 0);
    assert_ptr_equal(stoa_get(w, e, Owned), place);
    assert_int_equal(place->token, 2);
    assert_int_equal(stoa_set_id(w, e, stoa_id(w, Owned), &third, sizeof third), STOA_OK);
    book_counts(2, 2, 0);
    assert_int_equal(place->token, 3);
    assert_int_equal(stoa_change(w, e, STOA_ZERO(Owned)), STOA_OK);
    book_counts(3, 2, 0);
    assert_int_equal(place->token, 0);
}

/* CMP-11 ACC-03: what is there already is not touched. */
static void add_of_a_present_value_calls_no_hook(void **state) {
    support_world *s = *state;
    stoa_entity e = owned_create(s->world);
    book_restart();
    assert_int_equal(stoa_add(s->world, e, Owned), STOA_OK);
    assert_int_equal(stoa_remove(s->world, e, Second), STOA_OK);
    assert_int_equal(stoa_change(s->world, e, STOA_REMOVE(Second)), STOA_OK);
    assert_int_equal(book.calls, 0);
    assert_int_equal(stoa_get(s->world, e, Owned)->token, 1);
}

/* CMP-11 ACC-03: the value that is there may be the value that is given. */
static void value_set_onto_itself_in_place_is_kept(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = owned_create(w);
    assert_int_equal(stoa_set_from(w, e, Owned, stoa_get(w, e, Owned)), STOA_OK);
    assert_int_equal(stoa_change(w, e, STOA_VALUE_FROM(Owned, stoa_get(w, e, Owned))), STOA_OK);
    book_counts(0, 1, 0);
    assert_int_equal(stoa_get(w, e, Owned)->token, 1);
}

/* CMP-11 ACC-06: the same when the row moves on the way. */
static void value_set_onto_itself_along_a_move_is_kept(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = owned_create(w);
    stoa_value change[] = {STOA_VALUE_FROM(Owned, stoa_get(w, e, Owned)), STOA_ZERO(Plain)};
    assert_int_equal(stoa_change_values(w, e, change, 2), STOA_OK);
    book_is_right();
    assert_int_equal(book.drops, 0);
    assert_int_equal(stoa_get(w, e, Owned)->token, 1);
}

/* CMP-11 ENT-08 ENT-09 ACC-04 */
static void removal_drops_one_value_and_fills_the_hole(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[6];
    for (int i = 0; i < 6; i++) {
        e[i] = owned_create(w);
    }
    book_restart();
    assert_int_equal(stoa_destroy(w, e[0]), STOA_OK);
    book_counts(1, 1, 0);
    assert_int_equal(stoa_destroy(w, e[4]), STOA_OK);
    book_counts(2, 1, 0);
    assert_int_equal(stoa_clear(w, e[1]), STOA_OK);
    book_counts(3, 2, 0);
    assert_int_equal(stoa_remove(w, e[5], Owned), STOA_OK);
    book_counts(4, 3, 0);
    assert_int_equal(stoa_get(w, e[2], Owned)->token, 3);
    assert_int_equal(stoa_get(w, e[3], Owned)->token, 4);
    assert_ptr_equal(book.where[3], stoa_get(w, e[2], Owned));
    assert_ptr_equal(book.where[4], stoa_get(w, e[3], Owned));
    assert_true(stoa_alive(w, e[1]) && stoa_alive(w, e[5]));
}

/* CMP-11: zeroed values are values too: one drop each. */
static void zeroed_values_are_dropped_as_well(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_add(w, e, Owned), STOA_OK);
    assert_int_equal(stoa_create_bulk(w, 10, NULL, STOA_ZERO(Owned), STOA_ZERO(Bytes)), STOA_OK);
    assert_int_equal(stoa_remove(w, e, Owned), STOA_OK);
    assert_int_equal(book.zero_drops, 1);
    stoa_entity next = stoa_entity_next(w, e);
    assert_int_equal(stoa_destroy(w, next), STOA_OK);
    assert_int_equal(book.zero_drops, 3);
    book_is_right();
}

/* CMP-11 GEN-03: freeing the world drops everything, in every archetype, once. */
static void freed_world_drops_every_value(void **state) {
    (void)state;
    support_world s;
    support_world_open_with(&s, 16384);
    for (int i = 0; i < 2000; i++) {
        stoa_entity e = owned_create(s.world);
        if (i % 2 == 0) {
            assert_int_equal(stoa_add(s.world, e, Marked), STOA_OK);
        }
    }
    book_restart();
    support_world_close(&s);
    book_counts(2000, 0, 0);
}

/* GEN-03 CMP-11: after an error the caller's values are still the caller's. */
static void refused_values_stay_with_the_caller(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity dead = stoa_create(w), e = stoa_create(w);
    assert_int_equal(stoa_destroy(w, dead), STOA_OK);
    (void)stoa_id(w, Owned);
    Owned value = {0};
    TOKEN_FOR(value);
    stoa_value twice[] = {STOA_VALUE_FROM(Owned, &value), STOA_ZERO(Owned)};
    assert_true(stoa_entity_is_null(stoa_create_values(w, twice, 2)));
    support_assert_misuse(s, stoa_last_error().status, STOA_DUPLICATE);
    support_assert_message("'Owned'");
    support_assert_misuse(s, stoa_change_values(w, e, twice, 2), STOA_DUPLICATE);
    support_assert_misuse(s, stoa_create_bulk_values(w, 1, NULL, twice, 2), STOA_DUPLICATE);
    support_assert_misuse(s, stoa_set_from(w, dead, Owned, &value), STOA_DEAD);
    support_assert_misuse(s, stoa_change_values(w, dead, twice, 1), STOA_DEAD);
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_true(stoa_entity_is_null(stoa_create_values(w, twice, 1)));
    assert_int_equal(stoa_set_from(w, e, Owned, &value), STOA_NO_MEMORY);
    assert_int_equal(stoa_create_bulk_values(w, 1, NULL, twice, 1), STOA_NO_MEMORY);
    s->heap.fail_at = 0;
    assert_int_equal(book.calls, 0);
    assert_int_equal(value.token, 1);
    assert_int_equal(stoa_set_from(w, e, Owned, &value), STOA_OK);
    book_counts(0, 1, 0);
}

/* GEN-05: what a bundle may not hold. */
static void bundle_that_makes_no_sense_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_value drop = STOA_REMOVE(Plain);
    stoa_value strange = {.type = STOA_TYPE_OF(Plain), .op = (stoa_value_op)7};
    stoa_entity e = stoa_create(w);
    uint64_t hash = stoa_hash(w);
    assert_true(stoa_entity_is_null(stoa_create_values(w, &drop, 1)));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    support_assert_misuse(s, stoa_create_bulk_values(w, 2, NULL, &drop, 1), STOA_INVALID);
    support_assert_misuse(s, stoa_reserve_values(w, 2, &drop, 1), STOA_INVALID);
    support_assert_misuse(s, stoa_change_values(w, e, &strange, 1), STOA_INVALID);
    support_assert_misuse(s, stoa_change_values(w, e, NULL, 1), STOA_NULL_ARGUMENT);
    assert_true(stoa_entity_is_null(stoa_create_values(w, NULL, 3)));
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    stoa_value both[] = {STOA_ZERO(Plain), STOA_REMOVE(Plain)};
    support_assert_misuse(s, stoa_change_values(w, e, both, 2), STOA_DUPLICATE);
    support_assert_message("'Plain'");
    static stoa_value many[STOA_BUNDLE_MAX + 1];
    assert_int_equal(stoa_change_values(w, e, many, STOA_BUNDLE_MAX + 1), STOA_LIMIT);
    support_assert_quiet(s);
    assert_int_equal(stoa_hash(w), hash);
}

/* ACC-08 ENT-06: a bundle names its components by descriptor or by id, mixed as one likes. */
static void bundle_takes_ids_and_descriptors(void **state) {
    support_world *s = *state;
    double number = 4.5;
    stoa_value values[] = {{.id = stoa_id(s->world, Plain), .data = &number},
                           STOA_VALUE(Other, {9}),
                           {.id = stoa_id(s->world, Marked)}};
    stoa_entity e = stoa_create_values(s->world, values, 3);
    assert_true(stoa_get(s->world, e, Plain)->value == 4.5);
    assert_int_equal(stoa_get(s->world, e, Other)->value, 9);
    assert_true(stoa_has(s->world, e, Marked));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_BOOK(overwrite_drops_the_old_value_and_stays_in_place),
        WITH_BOOK(add_of_a_present_value_calls_no_hook),
        WITH_BOOK(value_set_onto_itself_in_place_is_kept),
        WITH_BOOK(value_set_onto_itself_along_a_move_is_kept),
        WITH_BOOK(removal_drops_one_value_and_fills_the_hole),
        WITH_BOOK(zeroed_values_are_dropped_as_well),
        WITH_BOOK(freed_world_drops_every_value),
        WITH_BOOK(refused_values_stay_with_the_caller),
        WITH_BOOK(bundle_that_makes_no_sense_is_refused),
        WITH_BOOK(bundle_takes_ids_and_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

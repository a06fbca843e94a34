/* Values on their way: into rows, from row to row and chunk to chunk, and copied. */
#include "world/values_book.h"

#include "storage/storage.h"

/* CMP-11 ENT-06: the value goes from the caller to its row, nowhere between. */
static void created_value_is_moved_in_once(void **state) {
    support_world *s = *state;
    stoa_entity e = owned_create(s->world);
    book_counts(0, 1, 0);
    assert_ptr_equal(book.where[1], stoa_get(s->world, e, Owned));
    assert_int_equal(stoa_get(s->world, e, Owned)->token, 1);
}

/* CMP-11: the first chunk grows several times, then chunks are added. */
static void growth_moves_each_value_and_drops_none(void **state) {
    support_world *s = *state;
    for (uint32_t i = 1; i <= 5000; i++) {
        stoa_entity e = owned_create(s->world);
        assert_ptr_equal(book.where[i], stoa_get(s->world, e, Owned));
    }
    book_is_right();
    assert_int_equal(book.drops, 0);
    assert_true(book.moves > 5000);
    stoa_statistics stats = stoa_stats(s->world);
    assert_true(stats.chunks > 1);
}

/* CMP-11: a chunk without rows grows and shrinks with nothing to move. */
static void chunk_without_rows_calls_no_hook(void **state) {
    support_world *s = *state;
    assert_int_equal(stoa_destroy(s->world, owned_create(s->world)), STOA_OK);
    book_restart();
    assert_int_equal(stoa_reserve(s->world, 500, STOA_ZERO(Owned)), STOA_OK);
    assert_int_equal(stoa_compact(s->world), STOA_OK);
    assert_int_equal(book.calls, 0);
}

/* CMP-11 ACC-05: one move for the row that goes, one for the row that fills the hole. */
static void migration_moves_each_value_once(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity first = owned_create(w), last = owned_create(w);
    book_restart();
    assert_int_equal(stoa_set(w, first, Plain, {1}), STOA_OK);
    book_counts(0, 2, 0);
    book_restart();
    assert_int_equal(stoa_set(w, last, Plain, {1}), STOA_OK);
    book_counts(0, 1, 0);
    book_restart();
    assert_int_equal(stoa_remove(w, last, Plain), STOA_OK);
    book_counts(0, 1, 0);
    assert_int_equal(stoa_get(w, first, Owned)->token, 1);
    assert_int_equal(stoa_get(w, last, Owned)->token, 2);
    assert_ptr_equal(book.where[1], stoa_get(w, first, Owned));
    assert_ptr_equal(book.where[2], stoa_get(w, last, Owned));
}

/* ACC-06 CMP-11: the moves are those of one migration, however much changes. */
static void change_of_several_moves_each_kept_value_once(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    Owned owned = {0};
    Second second = {0};
    Bytes bytes = {0};
    TOKEN_FOR(owned);
    TOKEN_FOR(second);
    TOKEN_FOR(bytes);
    stoa_entity e = stoa_create_with(w, STOA_VALUE_FROM(Owned, &owned), STOA_ZERO(Plain),
                                     STOA_VALUE_FROM(Second, &second));
    int32_t archetypes = stoa_archetype_count(w);
    book_restart();
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Plain), STOA_VALUE(Other, {7}),
                                 STOA_VALUE_FROM(Bytes, &bytes), STOA_ZERO(Marked)),
                     STOA_OK);
    book_counts(0, 2, 0);
    assert_int_equal(stoa_archetype_count(w), archetypes + 1);
    assert_int_equal(stoa_get(w, e, Bytes)->token, 3);
    book_restart();
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Owned), STOA_REMOVE(Bytes), STOA_ZERO(Plain)),
                     STOA_OK);
    book_counts(2, 1, 0);
    assert_int_equal(stoa_get(w, e, Second)->token, 2);
}

/* CMP-11 ACC-06: a value that is replaced on the way is dropped, not carried. */
static void change_that_replaces_while_moving_drops_the_old_value(void **state) {
    support_world *s = *state;
    stoa_entity e = owned_create(s->world);
    Owned fresh = {0};
    TOKEN_FOR(fresh);
    book_restart();
    assert_int_equal(stoa_change(s->world, e, STOA_VALUE_FROM(Owned, &fresh), STOA_ZERO(Plain)),
                     STOA_OK);
    book_counts(1, 1, 0);
    assert_int_equal(stoa_get(s->world, e, Owned)->token, 2);
    book_restart();
    assert_int_equal(stoa_change(s->world, e, STOA_ZERO(Owned), STOA_REMOVE(Plain)), STOA_OK);
    book_counts(1, 0, 0);
    assert_int_equal(stoa_get(s->world, e, Owned)->token, 0);
}

/* CMP-03 CMP-11: with a drop and no move a value travels as bytes and is dropped once. */
static void value_without_move_hook_travels_as_bytes(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[40];
    for (int i = 0; i < 40; i++) {
        Bytes value = {0};
        TOKEN_FOR(value);
        e[i] = stoa_create_with(w, STOA_VALUE_FROM(Bytes, &value));
    }
    for (int i = 0; i < 40; i += 2) {
        assert_int_equal(stoa_add(w, e[i], Plain), STOA_OK);
    }
    assert_int_equal(book.drops, 0);
    for (uint32_t i = 0; i < 40; i++) {
        assert_int_equal(stoa_get(w, e[i], Bytes)->token, i + 1);
    }
    assert_int_equal(stoa_destroy(w, e[3]), STOA_OK);
    Bytes fresh = {0};
    TOKEN_FOR(fresh);
    assert_int_equal(stoa_set_from(w, e[4], Bytes, &fresh), STOA_OK);
    assert_int_equal(stoa_compact(w), STOA_OK);
    book_counts(2, 0, 0);
    assert_true(stoa_entity_is_null(stoa_clone(w, e[4])));
    assert_int_equal(stoa_last_error().status, STOA_NOT_COPYABLE);
    support_assert_message("'Bytes'");
    book_counts(2, 0, 0);
}

/* ENT-11 CMP-11 */
static void clone_copies_by_the_hook(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity first = owned_create(w);
    assert_int_equal(stoa_set(w, first, Plain, {2.5}), STOA_OK);
    book_restart();
    stoa_entity copy = stoa_clone(w, first);
    book_counts(0, 0, 1);
    assert_int_equal(stoa_get(w, first, Owned)->token, 1);
    assert_int_equal(stoa_get(w, copy, Owned)->token, 2);
    assert_true(stoa_get(w, copy, Plain)->value == 2.5);
    for (int i = 0; i < 500; i++) {
        copy = stoa_clone(w, first);
        assert_ptr_equal(book.where[book.issued], stoa_get(w, copy, Owned));
    }
    book_is_right();
    assert_int_equal(book.copies, 501);
    assert_int_equal(book.drops, 0);
}

/* ENT-11 GEN-03: what was copied before the failure is dropped again, and nothing else happened. */
static void failing_copy_leaves_nothing_behind(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    Second second = {0};
    stoa_entity e = owned_create(w);
    TOKEN_FOR(second);
    assert_int_equal(stoa_set_from(w, e, Second, &second), STOA_OK);
    uint64_t hash = stoa_hash(w);
    book_restart();
    book.copies_allowed = 1;
    assert_true(stoa_entity_is_null(stoa_clone(w, e)));
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    support_assert_message("'Second'");
    book_counts(1, 0, 1);
    assert_int_equal(stoa_hash(w), hash);
    assert_int_equal(stoa_count(w), 1);
    book.copies_allowed = 2;
    assert_false(stoa_entity_is_null(stoa_clone(w, e)));
    book_counts(1, 0, 3);
}

/* ENT-07 CMP-11: whole columns move in with a call for each chunk, not for each value. */
static void bulk_moves_columns_in(void **state) {
    support_world *s = *state;
    static Owned values[3000];
    static stoa_entity entities[3000];
    for (int i = 0; i < 3000; i++) {
        TOKEN_FOR(values[i]);
    }
    stoa_entity before = owned_create(s->world);
    book_restart();
    assert_int_equal(stoa_create_bulk(s->world, 3000, entities, STOA_COLUMN(Owned, values)),
                     STOA_OK);
    book_is_right();
    assert_int_equal(book.drops, 0);
    assert_int_equal(book.moves, 3000 + 1);
    assert_true(book.calls <= stoa_stats(s->world).chunks + 1);
    for (uint32_t i = 0; i < 3000; i++) {
        assert_int_equal(stoa_get(s->world, entities[i], Owned)->token, i + 1);
    }
    assert_int_equal(stoa_get(s->world, before, Owned)->token, 3001);
}

/* CMP-11 STO-06: shrinking a chunk and moving chunks to other slabs take the values along. */
static void compaction_moves_values_and_drops_none(void **state) {
    support_world *s = *state;
    static stoa_entity e[6000];
    for (int i = 0; i < 6000; i++) {
        e[i] = owned_create(s->world);
        if (i % 3 == 0) {
            assert_int_equal(stoa_add(s->world, e[i], Plain), STOA_OK);
        }
    }
    for (int i = 0; i < 6000; i++) {
        if (i % 50 != 0) {
            assert_int_equal(stoa_destroy(s->world, e[i]), STOA_OK);
        }
    }
    book_restart();
    assert_int_equal(stoa_compact(s->world), STOA_OK);
    book_is_right();
    assert_int_equal(book.drops, 0);
    assert_true(book.moves > 0);
    for (uint32_t i = 0; i < 6000; i += 50) {
        const Owned *value = stoa_get(s->world, e[i], Owned);
        assert_int_equal(value->token, i + 1);
        assert_ptr_equal(book.where[i + 1], value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_BOOK(created_value_is_moved_in_once),
        WITH_BOOK(growth_moves_each_value_and_drops_none),
        WITH_BOOK(chunk_without_rows_calls_no_hook),
        WITH_BOOK(migration_moves_each_value_once),
        WITH_BOOK(change_of_several_moves_each_kept_value_once),
        WITH_BOOK(change_that_replaces_while_moving_drops_the_old_value),
        WITH_BOOK(value_without_move_hook_travels_as_bytes),
        WITH_BOOK(clone_copies_by_the_hook),
        WITH_BOOK(failing_copy_leaves_nothing_behind),
        WITH_BOOK(bulk_moves_columns_in),
        WITH_BOOK(compaction_moves_values_and_drops_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

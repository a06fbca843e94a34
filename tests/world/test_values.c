/* Values on their way: bundles that are read and refused, and values that own something.
 *
 * A ledger stands in for owned memory. Each value holds a token, and the ledger knows where each
 * token lives, so a value moved from the wrong place, dropped twice or forgotten shows. Hooks note
 * what is wrong and the tests look after the call, since a jump out of a hook would leave the world
 * half done. */
#include "support/support.h"

#include "storage/storage.h"

#define TOKENS 8192

typedef struct ledger {
    uint32_t issued; /* tokens run from 1; 0 is the zeroed value */
    const void *where[TOKENS];
    int drops, moves, copies, calls, zero_drops;
    int copies_allowed; /* after so many a copy fails */
    const char *wrong;
} ledger;

static ledger book;

static void book_note(bool right, const char *wrong) {
    if (!right && book.wrong == NULL) {
        book.wrong = wrong;
    }
}

static uint32_t token_read(const void *item) {
    uint32_t token;
    memcpy(&token, item, sizeof token);
    book_note(token <= book.issued, "a hook was given something that is no value");
    return token <= book.issued ? token : 0;
}

static uint32_t token_issue(const void *where) {
    assert_true(book.issued + 1 < TOKENS);
    book.where[++book.issued] = where;
    return book.issued;
}

static void owned_drop(void *items, int32_t count, void *user) {
    book_note(user == &book && count > 0, "drop was called in a wrong way");
    book.calls++;
    for (int32_t i = 0; i < count; i++) {
        unsigned char *item = (unsigned char *)items + 8 * i;
        uint32_t token = token_read(item);
        book.zero_drops += token == 0;
        book.drops += token != 0;
        book_note(token == 0 || book.where[token] == item, "a value was dropped where it is not");
        book.where[token] = NULL;
        memset(item, 0xee, 8);
    }
}

static void owned_move(void *to, void *from, int32_t count, void *user) {
    book_note(user == &book && count > 0, "move was called in a wrong way");
    book.calls++;
    for (int32_t i = 0; i < count; i++) {
        unsigned char *source = (unsigned char *)from + 8 * i;
        unsigned char *target = (unsigned char *)to + 8 * i;
        uint32_t token = token_read(source);
        book.moves++;
        book_note(token == 0 || book.where[token] == source, "a value was moved that is not there");
        book.where[token] = target;
        memcpy(target, source, 8);
        memset(source, 0xee, 8);
    }
}

static bool owned_copy(void *to, const void *from, int32_t count, void *user) {
    book_note(user == &book && count == 1, "copy was called in a wrong way");
    book.calls++;
    if (book.copies_allowed == 0) {
        return false;
    }
    book.copies_allowed--;
    book.copies++;
    uint32_t token = token_read(from);
    book_note(token == 0 || book.where[token] == from, "a value was copied that is not there");
    memset(to, 0, 8);
    token = token != 0 ? token_issue(to) : 0;
    memcpy(to, &token, sizeof token);
    return true;
}

/* A value moved as bytes has no address to go by: only that it is dropped once can be told. */
static void bytes_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        unsigned char *item = (unsigned char *)items + 8 * i;
        uint32_t token = token_read(item);
        book.zero_drops += token == 0;
        book.drops += token != 0;
        book_note(token == 0 || book.where[token] != NULL, "a value was dropped twice");
        book.where[token] = NULL;
        memset(item, 0xee, 8);
    }
}

#define OWNED_HOOKS STOA_OPTIONS(.hooks = {owned_drop, owned_move, owned_copy, &book, NULL})
STOA_COMPONENT_WITH(Owned, OWNED_HOOKS, { uint32_t token, spare; });
STOA_COMPONENT_WITH(Second, OWNED_HOOKS, { uint32_t token, spare; });
STOA_COMPONENT_WITH(Bytes, STOA_OPTIONS(.hooks = {.drop = bytes_drop}), { uint32_t token, spare; });
STOA_COMPONENT(Plain, { double value; });
STOA_COMPONENT(Other, { uint8_t value; });
STOA_TAG(Marked);

/* Gives a caller's variable a value of its own. */
#define TOKEN_FOR(variable) ((variable).token = token_issue(&(variable)))

static int book_setup(void **state) {
    memset(&book, 0, sizeof book);
    book.copies_allowed = TOKENS;
    return support_setup(state);
}

/* After the world is gone no value may be left. */
static int book_teardown(void **state) {
    int failed = support_teardown(state);
    for (uint32_t token = 1; token <= book.issued; token++) {
        book_note(book.where[token] == NULL, "a value was never dropped");
    }
    if (book.wrong != NULL) {
        print_error("%s\n", book.wrong);
    }
    return failed != 0 || book.wrong != NULL ? -1 : 0;
}

static void book_is_right(void) {
    if (book.wrong != NULL) {
        fail_msg("%s", book.wrong);
    }
}

static stoa_entity owned_create(stoa_world *w) {
    Owned value = {0};
    TOKEN_FOR(value);
    stoa_entity e = stoa_create_with(w, STOA_VALUE_FROM(Owned, &value));
    assert_false(stoa_entity_is_null(e));
    return e;
}

/* Calls of hooks from here on are counted from 0. */
static void book_restart(void) {
    book.drops = book.moves = book.copies = book.calls = book.zero_drops = 0;
}

static void book_counts(int drops, int moves, int copies) {
    book_is_right();
    assert_int_equal(book.drops, drops);
    assert_int_equal(book.moves, moves);
    assert_int_equal(book.copies, copies);
}

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

#define WITH_BOOK(test) cmocka_unit_test_setup_teardown(test, book_setup, book_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_BOOK(created_value_is_moved_in_once),
        WITH_BOOK(growth_moves_each_value_and_drops_none),
        WITH_BOOK(chunk_without_rows_calls_no_hook),
        WITH_BOOK(migration_moves_each_value_once),
        WITH_BOOK(change_of_several_moves_each_kept_value_once),
        WITH_BOOK(change_that_replaces_while_moving_drops_the_old_value),
        WITH_BOOK(overwrite_drops_the_old_value_and_stays_in_place),
        WITH_BOOK(add_of_a_present_value_calls_no_hook),
        WITH_BOOK(value_set_onto_itself_in_place_is_kept),
        WITH_BOOK(value_set_onto_itself_along_a_move_is_kept),
        WITH_BOOK(removal_drops_one_value_and_fills_the_hole),
        WITH_BOOK(value_without_move_hook_travels_as_bytes),
        WITH_BOOK(clone_copies_by_the_hook),
        WITH_BOOK(failing_copy_leaves_nothing_behind),
        WITH_BOOK(bulk_moves_columns_in),
        WITH_BOOK(compaction_moves_values_and_drops_none),
        WITH_BOOK(zeroed_values_are_dropped_as_well),
        WITH_BOOK(freed_world_drops_every_value),
        WITH_BOOK(refused_values_stay_with_the_caller),
        WITH_BOOK(bundle_that_makes_no_sense_is_refused),
        WITH_BOOK(bundle_takes_ids_and_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

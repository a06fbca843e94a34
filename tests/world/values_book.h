/* Values that own something, for tests of what becomes of values.
 *
 * A ledger stands in for owned memory. Each value holds a token, and the ledger knows where each
 * token lives, so a value moved from the wrong place, dropped twice or forgotten shows. Hooks note
 * what is wrong and the tests look after the call, since a jump out of a hook would leave the world
 * half done. */
#ifndef STOA_TESTS_VALUES_BOOK_H
#define STOA_TESTS_VALUES_BOOK_H

#include "support/support.h"

#define TOKENS 8192

typedef struct ledger {
    uint32_t issued; /* tokens run from 1; 0 is the zeroed value */
    const void *where[TOKENS];
    int drops, moves, copies, calls, zero_drops;
    int copies_allowed; /* after so many a copy fails */
    const char *wrong;
} ledger;

static ledger book;

static inline void book_note(bool right, const char *wrong) {
    if (!right && book.wrong == NULL) {
        book.wrong = wrong;
    }
}

static inline uint32_t token_read(const void *item) {
    uint32_t token;
    memcpy(&token, item, sizeof token);
    book_note(token <= book.issued, "a hook was given something that is no value");
    return token <= book.issued ? token : 0;
}

static inline uint32_t token_issue(const void *where) {
    assert_true(book.issued + 1 < TOKENS);
    book.where[++book.issued] = where;
    return book.issued;
}

static inline void owned_drop(void *items, int32_t count, void *user) {
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

static inline void owned_move(void *to, void *from, int32_t count, void *user) {
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

static inline bool owned_copy(void *to, const void *from, int32_t count, void *user) {
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
static inline void bytes_drop(void *items, int32_t count, void *user) {
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

static inline int book_setup(void **state) {
    memset(&book, 0, sizeof book);
    book.copies_allowed = TOKENS;
    return support_setup(state);
}

/* After the world is gone no value may be left. */
static inline int book_teardown(void **state) {
    int failed = support_teardown(state);
    for (uint32_t token = 1; token <= book.issued; token++) {
        book_note(book.where[token] == NULL, "a value was never dropped");
    }
    if (book.wrong != NULL) {
        print_error("%s\n", book.wrong);
    }
    return failed != 0 || book.wrong != NULL ? -1 : 0;
}

static inline void book_is_right(void) {
    if (book.wrong != NULL) {
        fail_msg("%s", book.wrong);
    }
}

static inline stoa_entity owned_create(stoa_world *w) {
    Owned value = {0};
    TOKEN_FOR(value);
    stoa_entity e = stoa_create_with(w, STOA_VALUE_FROM(Owned, &value));
    assert_false(stoa_entity_is_null(e));
    return e;
}

/* Calls of hooks from here on are counted from 0. */
static inline void book_restart(void) {
    book.drops = book.moves = book.copies = book.calls = book.zero_drops = 0;
}

static inline void book_counts(int drops, int moves, int copies) {
    book_is_right();
    assert_int_equal(book.drops, drops);
    assert_int_equal(book.moves, moves);
    assert_int_equal(book.copies, copies);
}

#define WITH_BOOK(test) cmocka_unit_test_setup_teardown(test, book_setup, book_teardown)

#endif

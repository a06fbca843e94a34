/* Names that cannot be: bad texts, bad handles, bad moments; and hostile amounts. */
#include <stdlib.h>

#include "name_fixture.h"

/* NAM-01 GEN-05 */
static void empty_and_null_texts_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_require(w, "ship");
    support_assert_misuse(s, stoa_name_set(w, e, ""), STOA_INVALID);
    support_assert_misuse(s, stoa_set(w, e, Name, {""}), STOA_INVALID);
    support_assert_misuse(s, stoa_set(w, e, Name, {NULL}), STOA_INVALID);
    support_assert_misuse(s, stoa_add(w, stoa_create(w), Name), STOA_INVALID);
    stoa_destroy(w, stoa_entity_next(w, e));
    assert_none(stoa_require(w, ""));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_none(stoa_require(w, NULL));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_none(stoa_create_with(w, STOA_ZERO(Name)));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_named(w, e, "ship");
    assert_int_equal(stoa_count(w), 1);
    /* To add what is there is no change. */
    assert_int_equal(stoa_add(w, e, Name), STOA_OK);
    assert_named(w, e, "ship");
}

/* NAM-01 GEN-05: the error tells where. */
static void texts_that_are_no_utf8_are_refused(void **state) {
    static const struct {
        const char *text;
        int at; /* -1: it is good */
    } cases[] = {
        {"plain", -1},
        {"\x01\x7F", -1},
        {"na\xC3\xAFve", -1},          /* two bytes */
        {"\xE2\x82\xAC", -1},          /* three */
        {"\xF0\x9F\x9A\x80", -1},      /* four */
        {"\xC2\x80", -1},              /* the least of two */
        {"\xDF\xBF", -1},              /* the most */
        {"\xE0\xA0\x80", -1},          /* the least of three */
        {"\xED\x9F\xBF", -1},          /* the last before the surrogates */
        {"\xEE\x80\x80", -1},          /* the first after them */
        {"\xEF\xBF\xBF", -1},          /* the most of three */
        {"\xF0\x90\x80\x80", -1},      /* the least of four */
        {"\xF4\x8F\xBF\xBF", -1},      /* U+10FFFF */
        {"\x80", 0},                   /* continues nothing */
        {"abc\xBF", 3},                /* nor does this */
        {"ab\xC3", 2},                 /* cut short */
        {"ab\xC3z", 2},                /* not continued */
        {"\xE2\x82", 0},               /* cut short */
        {"\xE2\x82z", 0},              /* not continued */
        {"\xF0\x9F\x9A", 0},           /* cut short */
        {"\xF0\x9F\x9A\xC0", 0},       /* not continued */
        {"\xC0\x80", 0},               /* a zero in two bytes */
        {"\xC1\xBF", 0},               /* longer than need be */
        {"\xE0\x9F\xBF", 0},           /* the same in three */
        {"\xF0\x8F\xBF\xBF", 0},       /* and in four */
        {"\xED\xA0\x80", 0},           /* a surrogate */
        {"\xED\xBF\xBF", 0},           /* the last of them */
        {"\xF4\x90\x80\x80", 0},       /* beyond U+10FFFF */
        {"\xF5\x80\x80\x80", 0},       /* no such byte */
        {"\xFF", 0},                   /* nor this */
        {"\xE2\x82\xAC\xE2\x82", 3},   /* good, then cut short */
        {"\xF0\x9F\x9A\x80 \xFE!", 5}, /* good, then bad */
    };
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (cases[i].at < 0) {
            assert_int_equal(stoa_name_set(w, e, cases[i].text), STOA_OK);
            assert_named(w, e, cases[i].text);
            continue;
        }
        char where[32];
        snprintf(where, sizeof where, "at byte %d", cases[i].at);
        support_assert_misuse(s, stoa_name_set(w, e, cases[i].text), STOA_INVALID);
        support_assert_message(where);
        assert_none(stoa_find(w, cases[i].text));
    }
}

/* NAM-01 GEN-05: a name of 1 MiB works, a longer one does not. */
static void longest_name_is_the_limit(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    char *text = malloc((size_t)STOA_NAME_LENGTH + 2);
    assert_non_null(text);
    memset(text, 'n', (size_t)STOA_NAME_LENGTH + 1);
    text[STOA_NAME_LENGTH + 1] = '\0';
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_name_set(w, e, text), STOA_LIMIT);
    assert_none(stoa_find(w, text));
    text[STOA_NAME_LENGTH] = '\0';
    assert_int_equal(stoa_name_set(w, e, text), STOA_OK);
    assert_named(w, e, text);
    assert_int_equal(stoa_name_set(w, stoa_create(w), text), STOA_TAKEN);
    text[STOA_NAME_LENGTH - 1] = 'm';
    assert_none(stoa_find(w, text));
    assert_int_equal(stoa_name_set(w, e, text), STOA_OK);
    assert_named(w, e, text);
    size_t with = s->heap.bytes;
    assert_int_equal(stoa_name_set(w, e, "short"), STOA_OK);
    assert_true(s->heap.bytes + STOA_NAME_LENGTH < with + 64);

    /* A command takes less. */
    stoa_commands *c = stoa_deferred(w);
    assert_int_equal(stoa_commands_name_set(c, e, text), STOA_LIMIT);
    text[STOA_CALL_MAX - sizeof e - 1] = '\0';
    assert_int_equal(stoa_commands_name_set(c, e, text), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_named(w, e, text);
    text[STOA_CALL_MAX - sizeof e - 1] = 'n';
    text[STOA_CALL_MAX - sizeof e] = '\0';
    assert_int_equal(stoa_commands_name_set(c, e, text), STOA_LIMIT);
    free(text);
}

/* NAM-01 ACC-10: dead and forged handles. */
static void dead_entities_have_no_names(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity dead = stoa_create(w), forged = {dead.index, dead.generation + 5};
    stoa_destroy(w, dead);
    support_assert_misuse(s, stoa_name_set(w, dead, "ship"), STOA_DEAD);
    support_assert_misuse(s, stoa_name_set(w, dead, NULL), STOA_DEAD);
    support_assert_misuse(s, stoa_name_set(w, forged, "ship"), STOA_DEAD);
    support_assert_misuse(s, stoa_name_set(w, STOA_NULL, "ship"), STOA_DEAD);
    assert_int_equal(stoa_component_find(w, "Name"), 0);
    stoa_error_clear();
    assert_null(stoa_name(w, dead));
    assert_null(stoa_name(w, forged));
    assert_null(stoa_name(w, (stoa_entity){UINT32_MAX, UINT32_MAX}));
    assert_int_equal(stoa_last_error().status, STOA_OK);
    assert_none(stoa_find(w, "ship"));
    assert_int_equal(stoa_name_set(w, stoa_create(w), "ship"), STOA_OK);
}

/* NAM-01 GEN-05 */
static void null_arguments_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_require(w, "ship");
    assert_int_equal(stoa_name_set(NULL, e, "boat"), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_name_set(NULL, e, NULL), STOA_NULL_ARGUMENT);
    assert_null(stoa_name(NULL, e));
    assert_none(stoa_find(NULL, "ship"));
    assert_none(stoa_find(w, NULL));
    assert_none(stoa_require(NULL, "ship"));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_name_setup(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_name_set(NULL, e, "boat"), STOA_NULL_ARGUMENT);
    assert_null(stoa_commands_world(NULL));
    assert_ptr_equal(stoa_commands_world(stoa_deferred(w)), w);
    support_assert_quiet(s);
    support_assert_misuse(s, stoa_commands_name_set(stoa_deferred(w), STOA_NULL, "boat"),
                          STOA_DEAD);
    assert_true(stoa_commands_empty(stoa_deferred(w)));
}

/* NAM-01: setting up by hand does no harm, before and after. */
static void setup_by_hand_is_idempotent(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_int_equal(stoa_name_setup(w), STOA_OK);
    size_t bytes = s->heap.bytes;
    assert_int_equal(stoa_name_setup(w), STOA_OK);
    assert_int_equal(s->heap.bytes, bytes);
    stoa_entity e = stoa_require(w, "ship");
    assert_int_equal(stoa_name_setup(w), STOA_OK);
    assert_named(w, e, "ship");
    stoa_destroy(w, e);
    assert_none(stoa_find(w, "ship"));
}

/* NAM-01 CMP-04: a program that has described another `Name` has no names, and is told so. */
static void other_component_of_that_name_is_a_conflict(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component other =
        stoa_component_register(w, &(stoa_component_desc){.name = "Name", .fields = "{ int id; }"});
    assert_int_not_equal(other, 0);
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_name_set(w, e, "ship"), STOA_CONFLICT);
    assert_int_equal(stoa_add_id(w, e, other), STOA_OK);
    assert_null(stoa_name(w, e));
    assert_none(stoa_find(w, "ship"));
    assert_none(stoa_require(w, "ship"));
}

/* NAM-01 QRY-04: a name is part of the structure. */
static void names_do_not_change_while_iterating(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Position), STOA_VALUE(Name, {"ship"}));
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    uint64_t before = stoa_hash(w);
    support_assert_misuse(s, stoa_name_set(w, e, "boat"), STOA_ITERATING);
    support_assert_misuse(s, stoa_name_set(w, e, "ship"), STOA_ITERATING);
    support_assert_misuse(s, stoa_name_set(w, e, NULL), STOA_ITERATING);
    assert_none(stoa_require(w, "boat"));
    support_assert_misuse(s, stoa_last_error().status, STOA_ITERATING);
    assert_entity(stoa_require(w, "ship"), e);
    assert_entity(stoa_find(w, "ship"), e);
    assert_int_equal(stoa_commands_name_set(stoa_deferred(w), e, "boat"), STOA_OK);
    assert_true(stoa_hash(w) == before);
    stoa_iter_end(&it);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_named(w, e, "boat");
}

/* NAM-01 CMD-04 */
static void names_do_not_change_while_forked(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_commands_new(w);
    stoa_entity e = stoa_create(w), f = stoa_require(w, "ship");
    assert_int_equal(stoa_commands_fork(w, &c, 1), STOA_OK);
    support_assert_misuse(s, stoa_name_set(w, e, "boat"), STOA_FORKED);
    support_assert_misuse(s, stoa_name_set(w, f, NULL), STOA_FORKED);
    assert_entity(stoa_find(w, "ship"), f);
    assert_string_equal(stoa_name(w, f), "ship");
    assert_int_equal(stoa_commands_join(w), STOA_OK);
}

/* NAM-01 ENT-09: as many names as there are, all found, all gone, by one and by all. */
static void hundred_thousand_names_come_and_go(void **state) {
    enum { COUNT = 100000 };
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity *all = malloc(COUNT * sizeof *all);
    assert_non_null(all);
    char text[32];
    size_t bytes = 0;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COUNT; i++) {
            snprintf(text, sizeof text, "entity %d", i);
            all[i] = stoa_create_with(w, STOA_VALUE(Name, {text}));
        }
        for (int i = 0; i < COUNT; i += 7) {
            snprintf(text, sizeof text, "entity %d", i);
            assert_named(w, all[i], text);
        }
        assert_int_equal(stoa_check(w), STOA_OK);
        if (round == 0) {
            for (int i = 0; i < COUNT; i++) {
                assert_int_equal(stoa_destroy(w, all[(i * 7919) % COUNT]), STOA_OK);
            }
        } else {
            stoa_query *query = stoa_query_parse(w, "const Name");
            assert_int_equal(stoa_query_destroy(query), STOA_OK);
        }
        assert_int_equal(stoa_count(w), 0);
        assert_none(stoa_find(w, "entity 0"));
        /* The texts of those that are gone go with the next name. */
        stoa_destroy(w, stoa_require(w, "last"));
        assert_int_equal(stoa_check(w), STOA_OK);
        if (round == 0) {
            bytes = s->heap.bytes;
        } else {
            assert_true(s->heap.bytes <= bytes + 65536);
        }
    }
    free(all);
}

/* NAM-01 GEN-04: however often names come and go, and are refused, no more memory is held. */
static void turnover_holds_no_memory(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_require(w, "name 0");
    stoa_destroy(w, stoa_require(w, "other"));
    size_t most = 0, bytes = s->heap.bytes;
    char text[32];
    for (int i = 1; i < 20000; i++) {
        snprintf(text, sizeof text, "name %d", i);
        assert_int_equal(stoa_set(w, e, Name, {text}), STOA_OK);
        assert_none(stoa_create_with(w, STOA_ZERO(Frozen), STOA_VALUE(Name, {text})));
        stoa_entity other = stoa_create_with(w, STOA_VALUE(Name, {"other"}));
        Name names[] = {{"new"}, {"newer"}, {"other"}};
        assert_int_equal(stoa_create_bulk(w, 3, NULL, STOA_COLUMN(Name, names)), STOA_TAKEN);
        assert_int_equal(stoa_destroy(w, other), STOA_OK);
        most = s->heap.bytes > most ? s->heap.bytes : most;
    }
    assert_true(most < bytes + 1024);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(empty_and_null_texts_are_refused),
        TEST(texts_that_are_no_utf8_are_refused),
        TEST(longest_name_is_the_limit),
        TEST(dead_entities_have_no_names),
        TEST(null_arguments_are_refused),
        TEST(setup_by_hand_is_idempotent),
        TEST(other_component_of_that_name_is_a_conflict),
        TEST(names_do_not_change_while_iterating),
        TEST(names_do_not_change_while_forked),
        TEST(hundred_thousand_names_come_and_go),
        TEST(turnover_holds_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

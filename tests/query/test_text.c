/* Query text: parses to the same query as terms do, and tells the column of a mistake. */
#include "query/text.h"

#include "support/support.h"

/* A name with bytes beyond ASCII. */
#define UMLAUT "Gr\xC3\xB6\xC3\x9F"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT_WITH(Mesh, STOA_OPTIONS(.name = "gfx.mesh:v2-b"), { int32_t handle; });
STOA_TAG(Frozen);
STOA_TAG(Alive);

static int text_setup(void **state) {
    if (support_setup(state) != 0) {
        return -1;
    }
    stoa_world *w = ((support_world *)*state)->world;
    static const char *const tags[] = {"const", "with", "changed", "added", UMLAUT, "A", "B", "C"};
    for (size_t i = 0; i < COUNT_OF(tags); i++) {
        stoa_component_desc desc = {.name = tags[i]};
        assert_int_not_equal(stoa_component_register(w, &desc), 0);
    }
    assert_int_not_equal(stoa_id(w, Position), 0);
    assert_int_not_equal(stoa_id(w, Velocity), 0);
    assert_int_not_equal(stoa_id(w, Mesh), 0);
    assert_int_not_equal(stoa_id(w, Frozen), 0);
    assert_int_not_equal(stoa_id(w, Alive), 0);
    return 0;
}

typedef struct expected_term {
    const char *name;
    stoa_access access;
    int32_t group;
} expected_term;

static void terms_are(void **state, const char *text, const expected_term *expected, size_t count) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_query_desc desc;
    memset(&desc, 0x5A, sizeof desc);
    desc.name = "kept";
    assert_int_equal(stoa__query_text(w, text, &desc), STOA_OK);
    assert_string_equal(desc.name, "kept");
    for (size_t i = 0; i < STOA_TERM_MAX; i++) {
        const stoa_term *term = &desc.terms[i];
        assert_null(term->type);
        if (i < count) {
            assert_string_equal(stoa_component_name(w, term->id), expected[i].name);
            assert_int_equal(term->access, expected[i].access);
            assert_int_equal(term->group, expected[i].group);
        } else {
            assert_int_equal(term->id, 0);
            assert_int_equal(term->access, STOA_ACCESS_END);
            assert_int_equal(term->group, 0);
        }
    }
}

/* Parses the text, whose terms must be those given as { name, access, group }. */
#define TERMS(text, ...)                                                                           \
    terms_are(state, (text), (const expected_term[]){__VA_ARGS__},                                 \
              COUNT_OF(((const expected_term[]){__VA_ARGS__})))

/* QRY-07 */
static void each_sign_and_keyword_gives_its_access(void **state) {
    TERMS("Position", {"Position", STOA_ACCESS_WRITE, 0});
    TERMS("const Position", {"Position", STOA_ACCESS_READ, 0});
    TERMS("!Frozen", {"Frozen", STOA_ACCESS_WITHOUT, 0});
    TERMS("?Velocity", {"Velocity", STOA_ACCESS_OPTIONAL_WRITE, 0});
    TERMS("?const Velocity", {"Velocity", STOA_ACCESS_OPTIONAL, 0});
    TERMS("with Alive", {"Alive", STOA_ACCESS_FILTER, 0});
    TERMS("changed Velocity, const Velocity, added Alive", {"Velocity", STOA_ACCESS_CHANGED, 0},
          {"Velocity", STOA_ACCESS_READ, 0}, {"Alive", STOA_ACCESS_ADDED, 0});
    TERMS("\t Position ,const\nVelocity,! Frozen , ? const Alive,with\r\nA ",
          {"Position", STOA_ACCESS_WRITE, 0}, {"Velocity", STOA_ACCESS_READ, 0},
          {"Frozen", STOA_ACCESS_WITHOUT, 0}, {"Alive", STOA_ACCESS_OPTIONAL, 0},
          {"A", STOA_ACCESS_FILTER, 0});
}

/* QRY-07 */
static void bars_join_names_to_groups(void **state) {
    TERMS("Position | const Velocity", {"Position", STOA_ACCESS_ANY_WRITE, 1},
          {"Velocity", STOA_ACCESS_ANY, 1});
    TERMS("A|B, const Position, const C|const Alive|Frozen", {"A", STOA_ACCESS_ANY_WRITE, 1},
          {"B", STOA_ACCESS_ANY_WRITE, 1}, {"Position", STOA_ACCESS_READ, 0},
          {"C", STOA_ACCESS_ANY, 2}, {"Alive", STOA_ACCESS_ANY, 2},
          {"Frozen", STOA_ACCESS_ANY_WRITE, 2});
}

/* QRY-07, CMP-13 */
static void names_are_taken_as_registered(void **state) {
    TERMS("gfx.mesh:v2-b, !" UMLAUT, {"gfx.mesh:v2-b", STOA_ACCESS_WRITE, 0},
          {UMLAUT, STOA_ACCESS_WITHOUT, 0});
}

/* QRY-07 */
static void keyword_without_a_name_after_it_is_a_name(void **state) {
    TERMS("const", {"const", STOA_ACCESS_WRITE, 0});
    TERMS("const const", {"const", STOA_ACCESS_READ, 0});
    TERMS("const with", {"with", STOA_ACCESS_READ, 0});
    TERMS("with with", {"with", STOA_ACCESS_FILTER, 0});
    TERMS("with const", {"const", STOA_ACCESS_FILTER, 0});
    TERMS("!with, ?const", {"with", STOA_ACCESS_WITHOUT, 0},
          {"const", STOA_ACCESS_OPTIONAL_WRITE, 0});
    TERMS("changed, added", {"changed", STOA_ACCESS_WRITE, 0}, {"added", STOA_ACCESS_WRITE, 0});
    TERMS("changed changed, added added, with changed", {"changed", STOA_ACCESS_CHANGED, 0},
          {"added", STOA_ACCESS_ADDED, 0}, {"changed", STOA_ACCESS_FILTER, 0});
    TERMS("!added, added | changed", {"added", STOA_ACCESS_WITHOUT, 0},
          {"added", STOA_ACCESS_ANY_WRITE, 1}, {"changed", STOA_ACCESS_ANY_WRITE, 1});
    TERMS("with | const", {"with", STOA_ACCESS_ANY_WRITE, 1}, {"const", STOA_ACCESS_ANY_WRITE, 1});
}

/* QRY-07 */
static void mistake_is_told_with_its_column(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static const struct {
        const char *text;
        stoa_status status;
        int32_t column;
        const char *message;
    } cases[] = {
        {"", STOA_SYNTAX, 1, "column 1: the text is empty"},
        {" \n\t", STOA_SYNTAX, 1, "column 1: the text is empty"},
        {"Position, Velocty", STOA_NOT_FOUND, 11, "column 11: no component is named 'Velocty'"},
        {"A,,B", STOA_SYNTAX, 3, "column 3: expected a component name, got ','"},
        {",A", STOA_SYNTAX, 1, "column 1: expected a component name, got ','"},
        {"A,", STOA_SYNTAX, 3, "column 3: expected a component name, got the end of the text"},
        {"A , ", STOA_SYNTAX, 5, "column 5: expected a component name, got the end of the text"},
        {"A B", STOA_SYNTAX, 3, "column 3: expected ',' or '|', got 'B'"},
        {"A; B", STOA_SYNTAX, 2, "column 2: expected ',' or '|', got ';'"},
        {"A |", STOA_SYNTAX, 4, "column 4: expected a component name, got the end of the text"},
        {"| A", STOA_SYNTAX, 1, "column 1: expected a component name, got '|'"},
        {"A || B", STOA_SYNTAX, 4, "column 4: expected a component name, got '|'"},
        {"A | !B", STOA_SYNTAX, 5, "column 5: expected a component name, got '!'"},
        {"A | with B", STOA_SYNTAX, 5, "column 5: 'with' cannot stand after '|'"},
        {"!A | B", STOA_SYNTAX, 4, "column 4: '|' cannot join a term with '!'"},
        {"?A | B", STOA_SYNTAX, 4, "column 4: '|' cannot join a term with '?'"},
        {"with A | B", STOA_SYNTAX, 8, "column 8: '|' cannot join a term with 'with'"},
        {"!", STOA_SYNTAX, 2, "column 2: expected a component name, got the end of the text"},
        {"!!A", STOA_SYNTAX, 2, "column 2: expected a component name, got '!'"},
        {"? ?A", STOA_SYNTAX, 3, "column 3: expected a component name, got '?'"},
        {"?!A", STOA_SYNTAX, 2, "column 2: expected a component name, got '!'"},
        {"!const A", STOA_SYNTAX, 2, "column 2: 'const' cannot stand after '!'"},
        {"!with A", STOA_SYNTAX, 2, "column 2: 'with' cannot stand after '!'"},
        {"?with A", STOA_SYNTAX, 2, "column 2: 'with' cannot stand after '?'"},
        {"?const with A", STOA_SYNTAX, 8, "column 8: 'with' cannot stand after 'const'"},
        {"with const A", STOA_SYNTAX, 6, "column 6: 'const' cannot stand after 'with'"},
        {"changed const A", STOA_SYNTAX, 9, "column 9: 'const' cannot stand after 'changed'"},
        {"added changed A", STOA_SYNTAX, 7, "column 7: 'changed' cannot stand after 'added'"},
        {"with added A", STOA_SYNTAX, 6, "column 6: 'added' cannot stand after 'with'"},
        {"?changed A", STOA_SYNTAX, 2, "column 2: 'changed' cannot stand after '?'"},
        {"!added A", STOA_SYNTAX, 2, "column 2: 'added' cannot stand after '!'"},
        {"changed A | B", STOA_SYNTAX, 11, "column 11: '|' cannot join a term with 'changed'"},
        {"A | added B", STOA_SYNTAX, 5, "column 5: 'added' cannot stand after '|'"},
        {"changed !A", STOA_SYNTAX, 9, "column 9: expected ',' or '|', got '!'"},
        {"changed X", STOA_NOT_FOUND, 9, "column 9: no component is named 'X'"},
        {"const !A", STOA_SYNTAX, 7, "column 7: expected ',' or '|', got '!'"},
        {"const with A", STOA_SYNTAX, 12, "column 12: expected ',' or '|', got 'A'"},
        {"A, \x01", STOA_SYNTAX, 4, "column 4: expected a component name, got a byte"},
        {"A /* B */", STOA_SYNTAX, 3, "column 3: expected ',' or '|', got '/'"},
        {"position", STOA_NOT_FOUND, 1, "column 1: no component is named 'position'"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        stoa_query_desc desc, before;
        memset(&desc, 0x5A, sizeof desc);
        before = desc;
        stoa_status status = stoa__query_text(w, cases[i].text, &desc);
        stoa_error error = stoa_last_error();
        if (status != cases[i].status || error.status != status ||
            error.column != cases[i].column || strstr(error.message, cases[i].message) == NULL) {
            fail_msg("\"%s\": %d at %d \"%s\", expected %d at %d \"%s\"", cases[i].text,
                     (int)status, (int)error.column, error.message, (int)cases[i].status,
                     (int)cases[i].column, cases[i].message);
        }
        assert_memory_equal(&desc, &before, sizeof desc);
        assert_null(stoa_query_parse(w, cases[i].text));
        assert_int_equal(stoa_last_error().status, cases[i].status);
        assert_int_equal(stoa_last_error().column, cases[i].column);
    }
}

/* QRY-07 */
static void number_of_terms_has_a_limit(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    char text[4 * (STOA_TERM_MAX + 1)];
    size_t length = 0;
    for (int i = 0; i < STOA_TERM_MAX; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, i == 0 ? "!A" : ",!A");
    }
    stoa_query_desc desc = {0};
    assert_int_equal(stoa__query_text(w, text, &desc), STOA_OK);
    assert_int_equal(desc.terms[STOA_TERM_MAX - 1].access, STOA_ACCESS_WITHOUT);
    int32_t column = (int32_t)length + 3;
    snprintf(text + length, sizeof text - length, ",!A");
    assert_int_equal(stoa__query_text(w, text, &desc), STOA_LIMIT);
    assert_int_equal(stoa_last_error().column, column);
    support_assert_message("a query has at most 32 terms");
}

/* QRY-07 */
static void name_of_any_length_is_found(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static char name[1001];
    memset(name, 'n', sizeof name - 1);
    stoa_component_desc desc = {.name = name};
    stoa_component id = stoa_component_register(w, &desc);
    assert_int_not_equal(id, 0);
    stoa_query_desc query = {0};
    assert_int_equal(stoa__query_text(w, name, &query), STOA_OK);
    assert_int_equal(query.terms[0].id, id);
    name[999] = '\0';
    assert_int_equal(stoa__query_text(w, name, &query), STOA_NOT_FOUND);
    assert_true(strlen(stoa_last_error().message) < 128);
}

/* QRY-07 */
static void null_is_refused(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_query_desc desc = {0};
    assert_int_equal(stoa__query_text(NULL, "A", &desc), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa__query_text(w, NULL, &desc), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa__query_text(w, "A", NULL), STOA_NULL_ARGUMENT);
}

/* QRY-07 */
static void text_makes_the_query_that_terms_make(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int i = 0; i < 16; i++) {
        stoa_entity e = stoa_create(w);
        if (i & 1) {
            assert_int_equal(stoa_set(w, e, Position, {(float)i, 0}), STOA_OK);
        }
        if (i & 2) {
            assert_int_equal(stoa_set(w, e, Velocity, {1, 2}), STOA_OK);
        }
        if (i & 4) {
            assert_int_equal(stoa_add(w, e, Frozen), STOA_OK);
        }
        if (i & 8) {
            assert_int_equal(stoa_add(w, e, Alive), STOA_OK);
        }
    }
    static const struct {
        const char *text;
        int32_t count;
    } cases[] = {
        {"Position", 8},
        {"Position, const Velocity, !Frozen", 2},
        {"const Position, ?Velocity", 8},
        {"with Position, with Alive", 4},
        {"Position | const Velocity, !Frozen", 6},
        {"with Alive, Position | Velocity", 6},
        {"!Position, !Velocity, !Frozen, with Alive", 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        stoa_query *query = stoa_query_parse(w, cases[i].text);
        assert_non_null(query);
        assert_int_equal(stoa_query_count(query), cases[i].count);
        assert_int_equal(stoa_query_free(query), STOA_OK);
    }
    stoa_query *parsed = stoa_query_parse(w, "Position, const Velocity");
    stoa_query *made =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Position), STOA_READ(Velocity)}});
    stoa_iter a = stoa_query_iter(parsed), b = stoa_query_iter(made);
    while (stoa_iter_next(&a)) {
        assert_true(stoa_iter_next(&b));
        assert_int_equal(a.count, b.count);
        assert_ptr_equal(stoa_field_mut(&a, Position, 0), stoa_field_mut(&b, Position, 0));
        assert_ptr_equal(stoa_field(&a, Velocity, 1), stoa_field(&b, Velocity, 1));
    }
    assert_false(stoa_iter_next(&b));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, text_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(each_sign_and_keyword_gives_its_access),
        TEST(bars_join_names_to_groups),
        TEST(names_are_taken_as_registered),
        TEST(keyword_without_a_name_after_it_is_a_name),
        TEST(mistake_is_told_with_its_column),
        TEST(number_of_terms_has_a_limit),
        TEST(name_of_any_length_is_found),
        TEST(null_is_refused),
        TEST(text_makes_the_query_that_terms_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

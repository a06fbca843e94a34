/* Enums by their text, and the constant expressions their values are. */
#include "storage/reflect_fixture.h"

#include <stdlib.h>

STOA_ENUM(Color, {
                     WHITE,
                     BLACK = 7,
                     GREY,
                     DARK = -BLACK,
                     PINK = WHITE + 'a',
                     LAST_COLOR,
                 });
STOA_ENUM(Flags, {NONE = 0, A = 1 << 0, B = 1 << 1, BOTH = (A | B), ALL = ~0});

static void value_is(const fixture *f, int32_t index, const char *name, int64_t value) {
    assert_true(index < f->result.value_count);
    assert_string_equal(f->result.values[index].name, name);
    assert_int_equal(f->result.values[index].value, value);
}

/* CMP-06 */
static void enum_is_one_member_and_its_values(void **state) {
    fixture *f = *state;
    TYPE(Color);
    assert_int_equal(f->result.member_count, 1);
    member_is(f, "value", STOA_KIND_ENUM, 0, sizeof(Color), false);
    assert_int_equal(member_named(f, "value")->type, 0);
    assert_int_equal(f->result.value_count, 6);
    value_is(f, 0, "WHITE", WHITE);
    value_is(f, 1, "BLACK", BLACK);
    value_is(f, 2, "GREY", GREY);
    value_is(f, 3, "DARK", DARK);
    value_is(f, 4, "PINK", PINK);
    value_is(f, 5, "LAST_COLOR", LAST_COLOR);
    TYPE(Flags);
    value_is(f, 3, "BOTH", BOTH);
    value_is(f, 4, "ALL", ALL);
    TYPE(Team);
    value_is(f, 2, "BLUE", BLUE);
    value_is(f, 3, "LAST", LAST);
}

/* CMP-06 */
static void enum_has_the_size_it_is_given(void **state) {
    fixture *f = *state;
    static const struct {
        uint32_t size;
        const char *text;
        stoa_status status;
    } cases[] = {
        {0, "{ A = 0xFFFFFFFF }", STOA_OK},
        {1, "{ A = 255, B = 0 }", STOA_OK},
        {1, "{ A = 256 }", STOA_LAYOUT},
        {1, "{ A = -128, B = 127 }", STOA_OK},
        {1, "{ A = -1, B = 128 }", STOA_LAYOUT},
        {1, "{ A = -129 }", STOA_LAYOUT},
        {2, "{ A = 65535 }", STOA_OK},
        {2, "{ A = 65536 }", STOA_LAYOUT},
        {4, "{ A = -1, B = 0x80000000 }", STOA_LAYOUT},
        {4, "{ A = 0xFFFFFFFF, B }", STOA_LAYOUT},
        {8, "{ A = 0xFFFFFFFF, B, C = B - 1 }", STOA_OK},
        {8, "{ A = 0x7FFFFFFFFFFFFFFF, B = -A - 1 }", STOA_OK},
        {3, "{ A }", STOA_LAYOUT},
        {16, "{ A }", STOA_LAYOUT},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        stoa__reflect_source source = {
            .name = "E", .form = STOA_FORM_ENUM, .text = cases[i].text, .size = cases[i].size};
        stoa_status status = reflect_source(f, source);
        if (status != cases[i].status) {
            fail_msg("%s: %d", cases[i].text, (int)status);
        }
        if (status == STOA_OK) {
            uint32_t size = cases[i].size != 0 ? cases[i].size : 4;
            assert_int_equal(f->result.size, size);
            assert_int_equal(f->result.alignment, size);
            member_is(f, "value", STOA_KIND_ENUM, 0, size, false);
        }
    }
}

/* CMP-06 */
static void mistakes_in_an_enum_have_a_column(void **state) {
    static const error_case cases[] = {
        {"", STOA_SYNTAX, 1, "type 'T': expected '{', got the end of the text"},
        {"{ }", STOA_SYNTAX, 3, "expected the name of a value, got '}'"},
        {"{ A B }", STOA_SYNTAX, 5, "expected ',' or '}', got 'B'"},
        {"{ A, , }", STOA_SYNTAX, 6, "expected the name of a value, got ','"},
        {"{ A, A }", STOA_SYNTAX, 6, "'A' is declared twice"},
        {"{ A.B }", STOA_SYNTAX, 3, "expected the name of a value, got 'A.B'"},
        {"{ A = }", STOA_SYNTAX, 7, "expected a number, got '}'"},
        {"{ A = B, B }", STOA_SYNTAX, 7, "the value of 'A' is not a number"},
        {"{ A = A }", STOA_SYNTAX, 7, "the value of 'A' is not a number"},
        {"{ A = sizeof(int) }", STOA_SYNTAX, 7, "the value of 'A' is not a number"},
        {"{ A } x", STOA_SYNTAX, 7, "expected the end after '}', got 'x'"},
        {"{ A } __attribute__((packed))", STOA_LAYOUT, 7, "'__attribute__'"},
        {"__attribute__((packed)) { A }", STOA_LAYOUT, 1, "'__attribute__'"},
        {"{ A __attribute__((x)) }", STOA_LAYOUT, 5, "'__attribute__'"},
        {"{ A = 0x7FFFFFFFFFFFFFFF, B }", STOA_SYNTAX, 29, "no value comes after the largest"},
    };
    errors_are(*state, STOA_FORM_ENUM, cases, COUNT_OF(cases));
}

/* An expression as text and as the compiler's number. */
#define NUMBER(expression)                                                                         \
    { #expression, (int64_t)(expression) }

/* CMP-06 */
static void numbers_are_those_of_the_compiler(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        NUMBER(0),
        NUMBER(42),
        NUMBER(0x1F),
        NUMBER(017),
        NUMBER(1 + 2 * 3),
        NUMBER((1 + 2) * 3),
        NUMBER(10 - 4 - 3),
        NUMBER(100 / 10 / 5),
        NUMBER(-7 / 2),
        NUMBER(-7 % 3),
        NUMBER(7 % -3),
        NUMBER(-3 * -4),
        NUMBER(-3 * 4),
        NUMBER(3 * -4),
        NUMBER(0 * -4),
        NUMBER(1 << 4 << 2),
        NUMBER(256 >> 3),
        NUMBER(1u << 31),
        NUMBER(3u << 31),
        NUMBER(1l << 40),
        NUMBER(1ull << 62),
        NUMBER(~0),
        NUMBER(~0u),
        NUMBER(~5L),
        NUMBER(+5),
        NUMBER(- -5),
        NUMBER(-(5)),
        NUMBER(0u - 1),
        NUMBER(-1 + 0l),
        NUMBER(1u - 2l),
        NUMBER(-5u),
        NUMBER(4294967295),
        NUMBER(4294967295 + 1),
        NUMBER(0xFFFFFFFF + 1),
        NUMBER(0xFFFFFFFFl + 1),
        NUMBER(0x100000000),
        NUMBER(040000000000),
        NUMBER(2147483647),
        NUMBER(-2147483648),
        NUMBER(-2147483647 - 1),
        NUMBER(9223372036854775807),
        NUMBER(-9223372036854775807 - 1),
        NUMBER(5u % 3),
        NUMBER(3UL),
        NUMBER(2LLU),
        NUMBER(2ull),
        NUMBER(2Lu),
        NUMBER((6 & 3)),
        NUMBER((6 ^ 3)),
        NUMBER((6 | 3)),
        NUMBER('a'),
        NUMBER('\n'),
        NUMBER('\0'),
        NUMBER('\\'),
        NUMBER('\''),
        NUMBER('"'),
        NUMBER('\x7f'),
        NUMBER('\xff'),
        NUMBER('\101'),
        NUMBER('\7'),
        NUMBER('}' - ','),
        {"-1 + 2u", 1},
        {"-1 + 0u", UINT32_MAX},
        {"-1 & 0xFFu", 255},
        {"0b101", 5},
        {"1 | 6 & 3 ^ 8", 1 | ((6 & 3) ^ 8)},
        {"1 + 2 << 3", 24},
        {"1 << 31", INT32_MIN},
        {"1ll << 63", INT64_MIN},
        {"3 << 30", INT32_MIN / 2},
        {"((((((((((1))))))))))", 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[128];
        snprintf(text, sizeof text, "{ V = %s }", cases[i].text);
        stoa__reflect_source source = {
            .name = "E", .form = STOA_FORM_ENUM, .text = text, .size = 8};
        stoa_status status = reflect_source(f, source);
        if (status != STOA_OK || f->result.values[0].value != cases[i].value) {
            fail_msg("%s: status %d (%s)", cases[i].text, (int)status, stoa_last_error().message);
        }
    }
}

/* CMP-06 */
static void numbers_without_a_meaning_are_refused(void **state) {
    static const char *const cases[] = {
        "08",
        "0x",
        "0xg",
        "1.5",
        "1e3",
        "1f",
        "1uu",
        "1lll",
        "1lL",
        "1lul",
        "0b2",
        "0b",
        "1_000",
        "''",
        "'ab'",
        "'\\q'",
        "'\\x'",
        "'\\x100'",
        "'\\1234'",
        "'\\400'",
        "1 / 0",
        "1 % 0",
        "1 << 32",
        "1 << -1",
        "-1 << 1",
        "-1 >> 1",
        "3 << 31",
        "1ll << 64",
        "5ll << 62",
        "1ull << 63",
        "~0ull",
        "0ull - 1",
        "-1 + 0ull",
        "2147483647 + 1",
        "-2147483647 - 2",
        "65536 * 65536",
        "9223372036854775808",
        "9223372036854775807 + 1",
        "-9223372036854775807 - 2",
        "(-9223372036854775807 - 1) / -1",
        "(-9223372036854775807 - 1) % -1",
        "-(-9223372036854775807 - 1)",
        "0 - (-9223372036854775807 - 1)",
        "4611686018427387904 * 2",
        "-4611686018427387905 * 2",
        "2 * -4611686018427387905",
        "-4611686018427387905 * -2",
        "99999999999999999999999999",
        "1 == 1",
        "!1",
        "1 ? 2 : 3",
        "1 && 1",
        "(int)1",
        "()",
        "",
        "\"a\"",
        "L'a'",
        "1 2",
    };
    fixture *f = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[128];
        snprintf(text, sizeof text, "{ V = %s }", cases[i]);
        stoa__reflect_source source = {
            .name = "E", .form = STOA_FORM_ENUM, .text = text, .size = 8};
        if (reflect_source(f, source) != STOA_SYNTAX) {
            fail_msg("%s was taken for a number", cases[i]);
        }
        assert_in_range(stoa_last_error().column, 7, strlen(text));
    }
}

/* CMP-06 */
static void nesting_of_an_expression_has_a_limit(void **state) {
    fixture *f = *state;
    enum { DEEP = 60000 };
    static const char openers[] = "(-~+";
    for (size_t i = 0; i < sizeof openers - 1; i++) {
        char *text = malloc(DEEP + 16);
        assert_non_null(text);
        memcpy(text, "{ V = ", 6);
        memset(text + 6, openers[i], DEEP);
        memcpy(text + 6 + DEEP, "1 }", 4);
        assert_int_equal(reflect_text(f, STOA_FORM_ENUM, text), STOA_SYNTAX);
        support_assert_message("the value of 'V' is nested too deeply");
        assert_int_equal(stoa_last_error().column, 7 + 64);
        free(text);
    }
}

/* CMP-06 */
static void lack_of_memory_leaves_nothing(void **state) {
    fixture *f = *state;
    size_t refused = 0;
    for (size_t k = 1;; k++) {
        f->counter.fail_at = k;
        stoa_status status = reflect_text(f, STOA_FORM_ENUM, "{ A, B = 4 }");
        if (status == STOA_OK) {
            break;
        }
        assert_int_equal(status, STOA_NO_MEMORY);
        assert_int_equal(f->counter.bytes, 0);
        refused++;
    }
    f->counter.fail_at = 0;
    assert_true(refused >= 3);
    assert_int_equal(f->result.value_count, 2);
}

/* CMP-06 */
static void enum_without_text_is_opaque(void **state) {
    fixture *f = *state;
    assert_int_equal(reflect_text(f, STOA_FORM_ENUM, NULL), STOA_OK);
    assert_int_equal(f->result.value_count, 0);
    assert_int_equal(f->result.member_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(enum_is_one_member_and_its_values),     TEST(enum_has_the_size_it_is_given),
        TEST(mistakes_in_an_enum_have_a_column),     TEST(numbers_are_those_of_the_compiler),
        TEST(numbers_without_a_meaning_are_refused), TEST(nesting_of_an_expression_has_a_limit),
        TEST(lack_of_memory_leaves_nothing),         TEST(enum_without_text_is_opaque),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

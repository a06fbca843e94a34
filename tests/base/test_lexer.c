/* The tokenizer that struct texts and query texts share. */
#include "support/support.h"

#include "base/lexer.h"

static void token_is(const stoa__lexer *lexer, stoa__token_kind kind, const char *spelling,
                     int32_t column) {
    char got[64] = "";
    assert_true(lexer->token.length < sizeof got);
    memcpy(got, lexer->token.start, lexer->token.length);
    assert_int_equal(lexer->token.kind, kind);
    assert_string_equal(got, spelling);
    assert_int_equal(stoa__lexer_column(lexer), column);
}

/* CMP-06 */
static void c_mode_splits_names_numbers_and_signs(void **state) {
    (void)state;
    stoa__lexer lexer;
    stoa__lexer_init(&lexer, STOA__LEXER_C, "gfx.Vec3 *_p1[0x1Fu<<2]; 'a' '\\'' <", NULL);
    static const struct {
        stoa__token_kind kind;
        const char *spelling;
        int32_t column;
    } expected[] = {
        {STOA__TOKEN_NAME, "gfx.Vec3", 1},
        {STOA__TOKEN_SIGN, "*", 10},
        {STOA__TOKEN_NAME, "_p1", 11},
        {STOA__TOKEN_SIGN, "[", 14},
        {STOA__TOKEN_NUMBER, "0x1Fu", 15},
        {STOA__TOKEN_SIGN, "<<", 20},
        {STOA__TOKEN_NUMBER, "2", 22},
        {STOA__TOKEN_SIGN, "]", 23},
        {STOA__TOKEN_SIGN, ";", 24},
        {STOA__TOKEN_CHARACTER, "'a'", 26},
        {STOA__TOKEN_CHARACTER, "'\\''", 30},
        {STOA__TOKEN_SIGN, "<", 35},
        {STOA__TOKEN_END, "", 36},
        {STOA__TOKEN_END, "", 36},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        token_is(&lexer, expected[i].kind, expected[i].spelling, expected[i].column);
        stoa__lexer_next(&lexer);
    }
}

/* CMP-06 */
static void c_mode_skips_comments_and_space(void **state) {
    (void)state;
    stoa__lexer lexer;
    stoa__lexer_init(&lexer, STOA__LEXER_C, " /* a * / */ x // y\n\t/ z//", NULL);
    token_is(&lexer, STOA__TOKEN_NAME, "x", 14);
    stoa__lexer_next(&lexer);
    token_is(&lexer, STOA__TOKEN_SIGN, "/", 22);
    stoa__lexer_next(&lexer);
    token_is(&lexer, STOA__TOKEN_NAME, "z", 24);
    stoa__lexer_next(&lexer);
    token_is(&lexer, STOA__TOKEN_END, "", 27);
}

/* QRY-07 */
static void words_mode_takes_registered_names_whole(void **state) {
    (void)state;
    stoa__lexer lexer;
    stoa__lexer_init(&lexer, STOA__LEXER_WORDS, "?a.b:c-2,\xC3\xA4|9", NULL);
    token_is(&lexer, STOA__TOKEN_SIGN, "?", 1);
    stoa__lexer_next(&lexer);
    token_is(&lexer, STOA__TOKEN_NAME, "a.b:c-2", 2);
    stoa__lexer_next(&lexer);
    assert_true(stoa__lexer_accept(&lexer, ","));
    token_is(&lexer, STOA__TOKEN_NAME, "\xC3\xA4", 10);
    stoa__lexer_next(&lexer);
    assert_false(stoa__lexer_accept(&lexer, ","));
    assert_true(stoa__lexer_accept(&lexer, "|"));
    token_is(&lexer, STOA__TOKEN_NAME, "9", 13);
}

/* CMP-06 */
static void bad_bytes_become_one_token_to_the_end(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *problem;
    } cases[] = {
        {"\x01 x", "expected a type, got a byte that has no place here"},
        {"\xC3\xA4", "expected a type, got a byte that has no place here"},
        {"/* x", "expected a type, got a comment that is not closed"},
        {"/*/", "expected a type, got a comment that is not closed"},
        {"'a", "expected a type, got a character constant that is not closed"},
        {"'\\'", "expected a type, got a character constant that is not closed"},
        {"'\n'", "expected a type, got a character constant that is not closed"},
        {"'\\", "expected a type, got a character constant that is not closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stoa__lexer lexer;
        stoa__lexer_init(&lexer, STOA__LEXER_C, cases[i].text, NULL);
        assert_int_equal(lexer.token.kind, STOA__TOKEN_BAD);
        assert_int_equal(stoa__lexer_expected(&lexer, "a type"), STOA_SYNTAX);
        support_assert_message(cases[i].problem);
        stoa__lexer_next(&lexer);
        assert_int_equal(lexer.token.kind, STOA__TOKEN_END);
    }
}

/* CMP-06, QRY-07 */
static void failure_tells_column_subject_and_token(void **state) {
    (void)state;
    stoa__lexer lexer;
    stoa__lexer_init(&lexer, STOA__LEXER_C, "  x", "Line");
    assert_int_equal(stoa__lexer_expected(&lexer, "'{'"), STOA_SYNTAX);
    assert_string_equal(stoa_last_error().message, "column 3: type 'Line': expected '{', got 'x'");
    assert_int_equal(stoa_last_error().column, 3);
    stoa__lexer_init(&lexer, STOA__LEXER_WORDS, "", NULL);
    assert_int_equal(stoa__lexer_expected(&lexer, "a name"), STOA_SYNTAX);
    assert_string_equal(stoa_last_error().message,
                        "column 1: expected a name, got the end of the text");
    assert_int_equal(stoa__lexer_fail(&lexer, STOA_LIMIT, 7, "%d too many", 2), STOA_LIMIT);
    assert_string_equal(stoa_last_error().message, "column 7: 2 too many");
}

/* CMP-06 */
static void long_token_is_cut_in_messages(void **state) {
    (void)state;
    char text[2000];
    memset(text, 'n', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    stoa__lexer lexer;
    stoa__lexer_init(&lexer, STOA__LEXER_C, text, NULL);
    assert_int_equal(lexer.token.length, sizeof text - 1);
    assert_int_equal(stoa__token_shown(&lexer.token), 64);
    stoa__lexer_expected(&lexer, "a type");
    assert_true(strlen(stoa_last_error().message) < 128);
}

/* CMP-06 */
static void identifier_has_no_dots(void **state) {
    (void)state;
    stoa__lexer lexer;
    stoa__lexer_init(&lexer, STOA__LEXER_C, "a b.c 1", NULL);
    assert_true(stoa__lexer_is_identifier(&lexer));
    stoa__lexer_next(&lexer);
    assert_false(stoa__lexer_is_identifier(&lexer));
    stoa__lexer_next(&lexer);
    assert_false(stoa__lexer_is_identifier(&lexer));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c_mode_splits_names_numbers_and_signs),
        cmocka_unit_test(c_mode_skips_comments_and_space),
        cmocka_unit_test(words_mode_takes_registered_names_whole),
        cmocka_unit_test(bad_bytes_become_one_token_to_the_end),
        cmocka_unit_test(failure_tells_column_subject_and_token),
        cmocka_unit_test(long_token_is_cut_in_messages),
        cmocka_unit_test(identifier_has_no_dots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

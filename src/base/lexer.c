/* A tokenizer for struct declarations and queries.
 *
 * Invariant: `token` lies inside the text, and its end is where the next one starts to be looked
 * for. Bytes that fit nowhere become tokens too, so that the parser alone decides what an error is.
 * Linear in the text; no memory of its own; any number of lexers on any threads. */
#include "base/lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* Longest part of a token that a message shows. */
#define SHOWN_MAX 64

static bool byte_is_letter(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static bool byte_is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

static bool byte_is_space(char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static bool byte_is_word(char byte) {
    return byte_is_letter(byte) || byte_is_digit(byte) || byte == '.' || byte == ':' ||
           byte == '-' || (unsigned char)byte >= 0x80;
}

static void token_set(stoa__lexer *lexer, stoa__token_kind kind, const char *start,
                      const char *end) {
    lexer->token = (stoa__token){kind, start, (size_t)(end - start), NULL};
}

static void token_set_bad(stoa__lexer *lexer, const char *start, const char *problem) {
    token_set(lexer, STOA__TOKEN_BAD, start, start + strlen(start));
    lexer->token.problem = problem;
}

/* The first byte that is neither space nor comment; NULL, with a bad token, for a comment without
 * end. */
static const char *space_skip(stoa__lexer *lexer, const char *at) {
    for (;;) {
        while (byte_is_space(*at)) {
            at++;
        }
        if (lexer->mode != STOA__LEXER_C || at[0] != '/') {
            return at;
        }
        if (at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            if (end == NULL) {
                token_set_bad(lexer, at, "a comment that is not closed");
                return NULL;
            }
            at = end + 2;
        } else {
            return at;
        }
    }
}

static void character_read(stoa__lexer *lexer, const char *start) {
    const char *at = start + 1;
    while (*at != '\'' && *at != '\0' && *at != '\n') {
        at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
    }
    if (*at != '\'') {
        token_set_bad(lexer, start, "a character constant that is not closed");
        return;
    }
    token_set(lexer, STOA__TOKEN_CHARACTER, start, at + 1);
}

static void name_read(stoa__lexer *lexer, const char *start) {
    const char *at = start;
    while (byte_is_letter(*at) || byte_is_digit(*at) || (*at == '.' && byte_is_letter(at[1]))) {
        at++;
    }
    token_set(lexer, STOA__TOKEN_NAME, start, at);
}

static void number_read(stoa__lexer *lexer, const char *start) {
    const char *at = start;
    while (byte_is_letter(*at) || byte_is_digit(*at) || *at == '.') {
        at++;
    }
    token_set(lexer, STOA__TOKEN_NUMBER, start, at);
}

static void sign_read(stoa__lexer *lexer, const char *start) {
    if (*start < ' ' || *start > '~') {
        token_set_bad(lexer, start, "a byte that has no place here");
        return;
    }
    bool shift = lexer->mode == STOA__LEXER_C && (*start == '<' || *start == '>');
    token_set(lexer, STOA__TOKEN_SIGN, start, start + (shift && start[1] == start[0] ? 2 : 1));
}

static void token_read(stoa__lexer *lexer, const char *at) {
    at = space_skip(lexer, at);
    if (at == NULL) {
        return;
    }
    if (*at == '\0') {
        token_set(lexer, STOA__TOKEN_END, at, at);
    } else if (lexer->mode == STOA__LEXER_WORDS && byte_is_word(*at)) {
        const char *end = at;
        while (byte_is_word(*end)) {
            end++;
        }
        token_set(lexer, STOA__TOKEN_NAME, at, end);
    } else if (lexer->mode == STOA__LEXER_C && byte_is_letter(*at)) {
        name_read(lexer, at);
    } else if (lexer->mode == STOA__LEXER_C && byte_is_digit(*at)) {
        number_read(lexer, at);
    } else if (lexer->mode == STOA__LEXER_C && *at == '\'') {
        character_read(lexer, at);
    } else {
        sign_read(lexer, at);
    }
}

void stoa__lexer_init(stoa__lexer *lexer, stoa__lexer_mode mode, const char *text,
                      const char *subject) {
    lexer->text = text;
    lexer->subject = subject;
    lexer->mode = mode;
    token_read(lexer, text);
}

void stoa__lexer_next(stoa__lexer *lexer) {
    token_read(lexer, lexer->token.start + lexer->token.length);
}

bool stoa__lexer_is(const stoa__lexer *lexer, const char *spelling) {
    const stoa__token *token = &lexer->token;
    return (token->kind == STOA__TOKEN_NAME || token->kind == STOA__TOKEN_SIGN) &&
           strlen(spelling) == token->length && memcmp(spelling, token->start, token->length) == 0;
}

bool stoa__lexer_accept(stoa__lexer *lexer, const char *spelling) {
    if (!stoa__lexer_is(lexer, spelling)) {
        return false;
    }
    stoa__lexer_next(lexer);
    return true;
}

bool stoa__lexer_is_identifier(const stoa__lexer *lexer) {
    return lexer->token.kind == STOA__TOKEN_NAME &&
           memchr(lexer->token.start, '.', lexer->token.length) == NULL;
}

int stoa__token_shown(const stoa__token *token) {
    return token->length < SHOWN_MAX ? (int)token->length : SHOWN_MAX;
}

int32_t stoa__lexer_column(const stoa__lexer *lexer) {
    ptrdiff_t offset = lexer->token.start - lexer->text;
    return offset < INT32_MAX ? (int32_t)offset + 1 : INT32_MAX;
}

stoa_status stoa__lexer_fail(const stoa__lexer *lexer, stoa_status status, int32_t column,
                             const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (lexer->subject == NULL) {
        return stoa__error_at(status, column, "%s", message);
    }
    return stoa__error_at(status, column, "type '%s': %s", lexer->subject, message);
}

stoa_status stoa__lexer_expected(const stoa__lexer *lexer, const char *what) {
    const stoa__token *token = &lexer->token;
    int32_t column = stoa__lexer_column(lexer);
    if (token->kind == STOA__TOKEN_END) {
        return stoa__lexer_fail(lexer, STOA_SYNTAX, column, "expected %s, got the end of the text",
                                what);
    }
    if (token->kind == STOA__TOKEN_BAD) {
        return stoa__lexer_fail(lexer, STOA_SYNTAX, column, "expected %s, got %s", what,
                                token->problem);
    }
    return stoa__lexer_fail(lexer, STOA_SYNTAX, column, "expected %s, got '%.*s'", what,
                            stoa__token_shown(token), token->start);
}

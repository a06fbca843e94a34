/* A tokenizer for the short texts people write: struct declarations and queries.
 *
 * It reads a zero-terminated text of any bytes, one token ahead, allocates nothing and copies
 * nothing: tokens point into the text. A lexer is a plain value; a copy of it is a look further
 * ahead. */
#ifndef STOA_BASE_LEXER_H
#define STOA_BASE_LEXER_H

#include "stoa/status.h"

/* What counts as a name, and what is skipped. */
typedef enum stoa__lexer_mode {
    STOA__LEXER_C,    /* names as in C, joined by dots; numbers; character constants; comments */
    STOA__LEXER_WORDS /* names of letters, digits, `_ . : -` and bytes from 0x80; nothing else */
} stoa__lexer_mode;

typedef enum stoa__token_kind {
    STOA__TOKEN_END,
    STOA__TOKEN_NAME,
    STOA__TOKEN_NUMBER,    /* a digit and the letters and digits after it, not yet looked at */
    STOA__TOKEN_CHARACTER, /* with its quotes */
    STOA__TOKEN_SIGN,      /* one character, or `<<` or `>>` */
    STOA__TOKEN_BAD        /* what no text may have; `problem` says what it is */
} stoa__token_kind;

typedef struct stoa__token {
    stoa__token_kind kind;
    const char *start;
    size_t length;
    const char *problem;
} stoa__token;

typedef struct stoa__lexer {
    const char *text;
    const char *subject; /* the type whose text this is, named in messages; may be NULL */
    stoa__lexer_mode mode;
    stoa__token token; /* the one to be looked at */
} stoa__lexer;

/* Starts at the first token. */
void stoa__lexer_init(stoa__lexer *lexer, stoa__lexer_mode mode, const char *text,
                      const char *subject);

/* Goes on to the next token; stays at the end. */
void stoa__lexer_next(stoa__lexer *lexer);

/* True if the token is a name or sign of that spelling. */
bool stoa__lexer_is(const stoa__lexer *lexer, const char *spelling);

/* Steps over the token if it is of that spelling. */
bool stoa__lexer_accept(stoa__lexer *lexer, const char *spelling);

/* True if the token is a name that C would take, with no dots. */
bool stoa__lexer_is_identifier(const stoa__lexer *lexer);

/* How many of a token's bytes a message shows, for `%.*s`. */
int stoa__token_shown(const stoa__token *token);

/* The column of the token, from 1. */
int32_t stoa__lexer_column(const stoa__lexer *lexer);

/* Fails at a column, naming the subject. */
stoa_status stoa__lexer_fail(const stoa__lexer *lexer, stoa_status status, int32_t column,
                             const char *format, ...) STOA_PRINTF(4, 5);

/* Fails at the token: "expected <what>, got <the token>". */
stoa_status stoa__lexer_expected(const stoa__lexer *lexer, const char *what);

#endif

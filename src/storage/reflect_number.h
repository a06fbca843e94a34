/* Integer constant expressions, as array sizes and enum values are written. */
#ifndef STOA_STORAGE_REFLECT_NUMBER_H
#define STOA_STORAGE_REFLECT_NUMBER_H

#include "base/lexer.h"

/* A number and the C type it has: `~0u` and `~0` are not the same. */
typedef struct stoa__number {
    int64_t value;
    bool wide;        /* 64 bits, else 32 */
    bool is_unsigned; /* a wide one above INT64_MAX is refused */
} stoa__number;

/* Finds an earlier number by name; false if there is none. */
typedef bool (*stoa__number_find)(const stoa__token *name, stoa__number *number, void *user);

/* What is being read, for messages: the `role` ("size", "value") of `name`. */
typedef struct stoa__number_context {
    const char *role;
    stoa__token name;
    stoa__number_find find; /* NULL: no names may be used */
    void *user;
} stoa__number_context;

/* Reads an expression of literals, names, brackets and `+ - ~ * / % << >> & ^ |`. What C leaves
 * undefined, and what does not fit, is an error: STOA_SYNTAX, with the column. */
stoa_status stoa__number_parse(stoa__lexer *lexer, const stoa__number_context *context,
                               stoa__number *result);

/* True if the number is one of C's int. */
bool stoa__number_is_int(int64_t value);

#endif

/* The C types that members may have: from text to kind, size and alignment. */
#ifndef STOA_STORAGE_REFLECT_TYPE_H
#define STOA_STORAGE_REFLECT_TYPE_H

#include "base/lexer.h"
#include "storage/reflect.h"

/* What one element of a member is. */
typedef struct stoa__element {
    stoa_kind kind;
    uint32_t size;
    uint32_t alignment;
    stoa_component type; /* the described struct or enum, or 0 */
} stoa__element;

/* A type as it was written, before the stars of a declarator. A name is looked up only when it is
 * needed: a pointer may be to anything. */
typedef struct stoa__spelling {
    stoa__element element; /* kind NONE for a type that goes by name */
    stoa__token name;      /* or the first word, for messages */
    int32_t column;
    bool is_enum;   /* written `enum Name` */
    bool is_struct; /* written `struct Name` */
} stoa__spelling;

/* Reads a type up to the first star or name of a member. */
stoa_status stoa__spelling_parse(stoa__lexer *lexer, const stoa__reflect_source *source,
                                 stoa__spelling *spelling);

/* Reads the stars of a declarator with their qualifiers and tells what that makes of the type. */
stoa_status stoa__spelling_element(stoa__lexer *lexer, const stoa__reflect_source *source,
                                   const stoa__spelling *spelling, stoa__element *element);

/* True if the token is a word of the language that starts a type, and so no name. */
bool stoa__reflect_is_reserved(const stoa__lexer *lexer);

/* Fails for what the text of a type cannot tell, naming it and the way out. */
stoa_status stoa__reflect_refuse(const stoa__lexer *lexer, const stoa__reflect_source *source,
                                 int32_t column, const char *format, ...) STOA_PRINTF(4, 5);

/* Fails if the token is a word that changes a layout or hides it, such as `union` or
 * `__attribute__`. */
stoa_status stoa__reflect_refuse_word(const stoa__lexer *lexer, const stoa__reflect_source *source);

#endif

/* The C types of members.
 *
 * Sizes and alignments are those of this build, as is the layout they are used for. A type is
 * either one of the language, by counting its words; or one of the tables; or a described one, by
 * name. Linear in the text; no memory; any thread that may call the source's `find`. */
#include "storage/reflect_type.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stoa/entity.h"

/* The words of the language's own types, two bits each to count them: `long` may come twice. */
enum {
    WORD_BOOL = 1 << 0,
    WORD_CHAR = 1 << 2,
    WORD_SHORT = 1 << 4,
    WORD_INT = 1 << 6,
    WORD_LONG = 1 << 8,
    WORD_FLOAT = 1 << 10,
    WORD_DOUBLE = 1 << 12,
    WORD_SIGNED = 1 << 14,
    WORD_UNSIGNED = 1 << 16
};

static const struct {
    const char *spelling;
    int32_t word;
} words[] = {
    {"bool", WORD_BOOL},         {"_Bool", WORD_BOOL},    {"char", WORD_CHAR},
    {"short", WORD_SHORT},       {"int", WORD_INT},       {"long", WORD_LONG},
    {"float", WORD_FLOAT},       {"double", WORD_DOUBLE}, {"signed", WORD_SIGNED},
    {"unsigned", WORD_UNSIGNED},
};

#define ELEMENT(kind, T)                                                                           \
    { STOA_KIND_##kind, (uint32_t)sizeof(T), (uint32_t) _Alignof(T), 0 }

/* What the words come to once signed and unsigned are taken off. */
static const struct {
    int32_t words;
    bool is_integer; /* kind NONE, set from the size and the sign */
    stoa__element element;
} basics[] = {
    {WORD_BOOL, false, ELEMENT(BOOL, bool)},
    {WORD_CHAR, false, ELEMENT(CHAR, char)},
    {WORD_FLOAT, false, ELEMENT(F32, float)},
    {WORD_DOUBLE, false, ELEMENT(F64, double)},
    {WORD_SHORT, true, ELEMENT(NONE, short)},
    {WORD_SHORT + WORD_INT, true, ELEMENT(NONE, short)},
    {WORD_INT, true, ELEMENT(NONE, int)},
    {0, true, ELEMENT(NONE, int)},
    {WORD_LONG, true, ELEMENT(NONE, long)},
    {WORD_LONG + WORD_INT, true, ELEMENT(NONE, long)},
    {2 * WORD_LONG, true, ELEMENT(NONE, long long)},
    {2 * WORD_LONG + WORD_INT, true, ELEMENT(NONE, long long)},
};

/* Names that every program may use without describing them. */
static const struct {
    const char *name;
    stoa__element element;
    bool is_size; /* kind NONE, set from the size */
    bool is_unsigned;
} aliases[] = {
    {"int8_t", ELEMENT(I8, int8_t), false, false},
    {"int16_t", ELEMENT(I16, int16_t), false, false},
    {"int32_t", ELEMENT(I32, int32_t), false, false},
    {"int64_t", ELEMENT(I64, int64_t), false, false},
    {"uint8_t", ELEMENT(U8, uint8_t), false, false},
    {"uint16_t", ELEMENT(U16, uint16_t), false, false},
    {"uint32_t", ELEMENT(U32, uint32_t), false, false},
    {"uint64_t", ELEMENT(U64, uint64_t), false, false},
    {"stoa_entity", ELEMENT(ENTITY, stoa_entity), false, false},
    {"size_t", ELEMENT(NONE, size_t), true, true},
    {"ssize_t", ELEMENT(NONE, size_t), true, false},
    {"ptrdiff_t", ELEMENT(NONE, ptrdiff_t), true, false},
    {"intptr_t", ELEMENT(NONE, intptr_t), true, false},
    {"uintptr_t", ELEMENT(NONE, uintptr_t), true, true},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static stoa_kind integer_kind(uint32_t size, bool is_unsigned) {
    switch (size) {
    case 1:
        return is_unsigned ? STOA_KIND_U8 : STOA_KIND_I8;
    case 2:
        return is_unsigned ? STOA_KIND_U16 : STOA_KIND_I16;
    case 4:
        return is_unsigned ? STOA_KIND_U32 : STOA_KIND_I32;
    default:
        return is_unsigned ? STOA_KIND_U64 : STOA_KIND_I64;
    }
}

static uint32_t integer_alignment(uint32_t size) {
    switch (size) {
    case 1:
        return 1;
    case 2:
        return (uint32_t) _Alignof(int16_t);
    case 4:
        return (uint32_t) _Alignof(int32_t);
    default:
        return (uint32_t) _Alignof(int64_t);
    }
}

static bool qualifier_accept(stoa__lexer *lexer) {
    static const char *const qualifiers[] = {"const",      "volatile",     "restrict",
                                             "__restrict", "__restrict__", "__const"};
    for (size_t i = 0; i < COUNT_OF(qualifiers); i++) {
        if (stoa__lexer_accept(lexer, qualifiers[i])) {
            return true;
        }
    }
    return false;
}

stoa_status stoa__reflect_refuse(const stoa__lexer *lexer, const stoa__reflect_source *source,
                                 int32_t column, const char *format, ...) {
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (source->form == STOA_FORM_MEMBERS) {
        return stoa__lexer_fail(lexer, STOA_LAYOUT, column,
                                "%s cannot be a described member; leave it out", what);
    }
    return stoa__lexer_fail(lexer, STOA_LAYOUT, column,
                            "%s cannot be told from text; describe it with STOA_TYPE_MEMBERS, or "
                            "without fields as STOA_TYPE(%s)",
                            what, source->name);
}

stoa_status stoa__reflect_refuse_word(const stoa__lexer *lexer,
                                      const stoa__reflect_source *source) {
    static const char *const refused[] = {
        "union",       "_Atomic",  "_Alignas",   "alignas",       "__attribute__",  "__attribute",
        "__declspec",  "_Complex", "_Imaginary", "__extension__", "_Static_assert", "static_assert",
        "__complex__", "typeof",   "__typeof__", "decltype",
    };
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        if (stoa__lexer_is(lexer, refused[i])) {
            return stoa__reflect_refuse(lexer, source, stoa__lexer_column(lexer), "'%s'",
                                        refused[i]);
        }
    }
    stoa__lexer after = *lexer;
    if (stoa__lexer_accept(&after, "[") && stoa__lexer_is(&after, "[")) {
        return stoa__reflect_refuse(lexer, source, stoa__lexer_column(lexer), "an attribute");
    }
    return STOA_OK;
}

static int32_t word_find(const stoa__lexer *lexer) {
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (stoa__lexer_is(lexer, words[i].spelling)) {
            return words[i].word;
        }
    }
    return 0;
}

bool stoa__reflect_is_reserved(const stoa__lexer *lexer) {
    stoa__lexer after = *lexer;
    return word_find(lexer) != 0 || qualifier_accept(&after) || stoa__lexer_is(lexer, "struct") ||
           stoa__lexer_is(lexer, "enum");
}

/* Makes a type of the words that were counted; false if C knows no such type. */
static bool basic_find(int32_t counted, stoa__element *element) {
    int32_t sign = counted & 3 * (WORD_SIGNED | WORD_UNSIGNED);
    bool is_unsigned = sign == WORD_UNSIGNED;
    if (counted == 0 || (sign != 0 && sign != WORD_SIGNED && !is_unsigned)) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(basics); i++) {
        if (basics[i].words != counted - sign) {
            continue;
        }
        *element = basics[i].element;
        if (basics[i].is_integer || (element->kind == STOA_KIND_CHAR && sign != 0)) {
            element->kind = integer_kind(element->size, is_unsigned);
            return true;
        }
        return sign == 0;
    }
    return false;
}

static void alias_find(const stoa__lexer *lexer, stoa__element *element) {
    for (size_t i = 0; i < COUNT_OF(aliases); i++) {
        if (stoa__lexer_is(lexer, aliases[i].name)) {
            *element = aliases[i].element;
            if (aliases[i].is_size) {
                element->kind = integer_kind(element->size, aliases[i].is_unsigned);
            }
        }
    }
}

/* Reads the name of a type, with `struct` or `enum` before it. */
static stoa_status name_parse(stoa__lexer *lexer, const stoa__reflect_source *source,
                              stoa__spelling *spelling) {
    const char *tag = stoa__lexer_is(lexer, "enum") ? "enum" : "struct";
    int32_t column = stoa__lexer_column(lexer);
    spelling->is_enum = stoa__lexer_accept(lexer, "enum");
    spelling->is_struct = !spelling->is_enum && stoa__lexer_accept(lexer, "struct");
    bool tagged = spelling->is_enum || spelling->is_struct;
    if (tagged && stoa__lexer_is(lexer, "{")) {
        return stoa__reflect_refuse(lexer, source, column, "a nameless %s", tag);
    }
    stoa_status status = stoa__reflect_refuse_word(lexer, source);
    if (status != STOA_OK) {
        return status;
    }
    if (lexer->token.kind != STOA__TOKEN_NAME || stoa__reflect_is_reserved(lexer)) {
        return stoa__lexer_expected(lexer, tagged ? "the name of a type" : "a type");
    }
    spelling->name = lexer->token;
    if (!tagged || stoa__lexer_is(lexer, "stoa_entity")) {
        alias_find(lexer, &spelling->element);
    }
    stoa__lexer_next(lexer);
    if (tagged && stoa__lexer_is(lexer, "{")) {
        return stoa__reflect_refuse(lexer, source, column, "%s '%.*s' declared inside", tag,
                                    stoa__token_shown(&spelling->name), spelling->name.start);
    }
    return STOA_OK;
}

stoa_status stoa__spelling_parse(stoa__lexer *lexer, const stoa__reflect_source *source,
                                 stoa__spelling *spelling) {
    *spelling = (stoa__spelling){.column = stoa__lexer_column(lexer), .name = lexer->token};
    int32_t counted = 0;
    bool named = false;
    for (;;) {
        stoa_status status = stoa__reflect_refuse_word(lexer, source);
        if (status != STOA_OK) {
            return status;
        }
        int32_t word = word_find(lexer);
        if (word != 0) {
            if (named || (counted & 3 * word) == 2 * word) {
                return stoa__lexer_expected(lexer, "the name of a member");
            }
            counted += word;
            stoa__lexer_next(lexer);
        } else if (qualifier_accept(lexer)) {
            continue;
        } else if (!named && counted == 0) {
            spelling->column = stoa__lexer_column(lexer);
            status = name_parse(lexer, source, spelling);
            if (status != STOA_OK) {
                return status;
            }
            named = true;
        } else {
            break;
        }
    }
    if (counted == WORD_LONG + WORD_DOUBLE) {
        return stoa__reflect_refuse(lexer, source, spelling->column, "'long double'");
    }
    if (!named && !basic_find(counted, &spelling->element)) {
        return stoa__lexer_fail(lexer, STOA_SYNTAX, spelling->column, "these words are no C type");
    }
    return STOA_OK;
}

/* An enum that nobody described: known by its size only. */
static stoa_status enum_element(const stoa__lexer *lexer, const stoa__reflect_source *source,
                                const stoa__spelling *spelling, stoa__element *element) {
    uint32_t size = source->enum_size != 0 ? source->enum_size : (uint32_t)sizeof(stoa_enum_probe);
    bool short_enums = size < sizeof(int) && source->form != STOA_FORM_MEMBERS;
    if (short_enums || (size != 1 && size != 2 && size != 4 && size != 8)) {
        return stoa__reflect_refuse(lexer, source, spelling->column, "the size of 'enum %.*s'",
                                    stoa__token_shown(&spelling->name), spelling->name.start);
    }
    *element = (stoa__element){STOA_KIND_ENUM, size, integer_alignment(size), 0};
    return STOA_OK;
}

/* Looks a described type up by its name. */
static stoa_status named_element(const stoa__lexer *lexer, const stoa__reflect_source *source,
                                 const stoa__spelling *spelling, stoa__element *element) {
    char name[256];
    size_t length = spelling->name.length;
    stoa_component_info info = {0};
    bool is_enum = false;
    bool found = false;
    if (source->find != NULL && length < sizeof name) {
        memcpy(name, spelling->name.start, length);
        name[length] = '\0';
        found = source->find(name, &info, &is_enum, source->user) && info.size != 0;
        found = found && !(spelling->is_enum && !is_enum) && !(spelling->is_struct && is_enum);
    }
    if (found) {
        uint32_t alignment = info.alignment != 0 ? info.alignment : 1;
        stoa_kind kind = is_enum ? STOA_KIND_ENUM : STOA_KIND_STRUCT;
        *element = (stoa__element){kind, info.size, alignment, info.id};
        return STOA_OK;
    }
    if (spelling->is_enum) {
        return enum_element(lexer, source, spelling, element);
    }
    int shown = stoa__token_shown(&spelling->name);
    if (source->form == STOA_FORM_MEMBERS) {
        return stoa__lexer_fail(lexer, STOA_LAYOUT, spelling->column,
                                "member type '%.*s' is not described; register it first, or leave "
                                "the member out",
                                shown, spelling->name.start);
    }
    return stoa__lexer_fail(lexer, STOA_LAYOUT, spelling->column,
                            "member type '%.*s' is not described; register it first, or describe "
                            "'%s' with STOA_TYPE_MEMBERS",
                            shown, spelling->name.start, source->name);
}

stoa_status stoa__spelling_element(stoa__lexer *lexer, const stoa__reflect_source *source,
                                   const stoa__spelling *spelling, stoa__element *element) {
    int stars = 0;
    while (stoa__lexer_accept(lexer, "*")) {
        stars = stars < 2 ? stars + 1 : stars;
        while (qualifier_accept(lexer)) {
        }
    }
    stoa_status status = stoa__reflect_refuse_word(lexer, source);
    if (status != STOA_OK) {
        return status;
    }
    if (stoa__lexer_is(lexer, "(")) {
        return stoa__reflect_refuse(lexer, source, stoa__lexer_column(lexer), "a function pointer");
    }
    if (stars == 0) {
        *element = spelling->element;
        return spelling->element.kind != STOA_KIND_NONE
                   ? STOA_OK
                   : named_element(lexer, source, spelling, element);
    }
    bool is_text = stars == 1 && spelling->element.kind == STOA_KIND_CHAR;
    *element = (stoa__element)ELEMENT(POINTER, void *);
    element->kind = is_text ? STOA_KIND_STRING : STOA_KIND_POINTER;
    return STOA_OK;
}

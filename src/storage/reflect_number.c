/* Integer constant expressions.
 *
 * Every number carries its C type, so that the usual conversions give what the compiler gives;
 * arithmetic is checked, and what overflows is refused. Brackets and signs nest up to a fixed
 * depth, so no text can exhaust the stack. Linear in the text; no memory; any thread. */
#include "storage/reflect_number.h"

#include <string.h>

#define DEPTH_MAX 64

typedef struct expression {
    stoa__lexer *lexer;
    const stoa__number_context *context;
    int depth;
} expression;

static stoa_status binary_parse(expression *x, int least, stoa__number *result);

bool stoa__number_is_int(int64_t value) {
    return value >= INT32_MIN && value <= INT32_MAX;
}

static stoa_status number_fail(const expression *x, int32_t column, const char *why) {
    const stoa__token *name = &x->context->name;
    return stoa__lexer_fail(x->lexer, STOA_SYNTAX, column, "the %s of '%.*s' %s", x->context->role,
                            stoa__token_shown(name), name->start, why);
}

/* Brings a number into the range of its type as C does; false where it cannot be held. */
static bool number_fit(stoa__number *number) {
    if (number->wide) {
        return !number->is_unsigned || number->value >= 0;
    }
    if (number->is_unsigned) {
        number->value = (int64_t)((uint64_t)number->value & UINT32_MAX);
        return true;
    }
    return stoa__number_is_int(number->value);
}

/* The type both operands of an operator are brought to. */
static bool numbers_convert(stoa__number *a, stoa__number *b) {
    bool is_unsigned = a->wide == b->wide ? a->is_unsigned || b->is_unsigned
                                          : (a->wide ? a->is_unsigned : b->is_unsigned);
    a->wide = b->wide = a->wide || b->wide;
    a->is_unsigned = b->is_unsigned = is_unsigned;
    return number_fit(a) && number_fit(b);
}

static bool value_add(int64_t a, int64_t b, int64_t *sum) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) {
        return false;
    }
    *sum = a + b;
    return true;
}

static bool value_multiply(int64_t a, int64_t b, int64_t *product) {
    if (a == 0 || b == 0) {
        *product = 0;
        return true;
    }
    bool over = a > 0 ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
                      : (b > 0 ? a < INT64_MIN / b : b < INT64_MAX / a);
    if (!over) {
        *product = a * b;
    }
    return !over;
}

/* A shift has the type of its left side. `1 << 31` reaches the sign, as compilers let it. */
static bool number_shift(char sign, stoa__number *a, const stoa__number *b) {
    int bits = a->wide ? 64 : 32;
    if (a->value < 0 || b->value < 0 || b->value >= bits) {
        return false;
    }
    uint64_t value = (uint64_t)a->value;
    if (sign == '>') {
        a->value = (int64_t)(value >> b->value);
        return true;
    }
    uint64_t shifted = value << b->value;
    if (shifted >> b->value != value || (!a->wide && !a->is_unsigned && shifted > UINT32_MAX)) {
        return false;
    }
    if (!a->wide && !a->is_unsigned && shifted > INT32_MAX) {
        a->value = (int64_t)shifted - ((int64_t)1 << 32);
        return true;
    }
    if (a->wide && shifted > INT64_MAX) {
        a->value = INT64_MIN + (int64_t)(shifted - ((uint64_t)1 << 63));
        return number_fit(a);
    }
    a->value = (int64_t)shifted;
    return number_fit(a);
}

/* a = a sign b; false where C has no result or none that fits. */
static bool number_apply(char sign, stoa__number *a, stoa__number b) {
    if (sign == '<' || sign == '>') {
        return number_shift(sign, a, &b);
    }
    if (!numbers_convert(a, &b)) {
        return false;
    }
    bool fits = true;
    switch (sign) {
    case '+':
        fits = value_add(a->value, b.value, &a->value);
        break;
    case '-':
        fits = b.value != INT64_MIN && value_add(a->value, -b.value, &a->value);
        break;
    case '*':
        fits = value_multiply(a->value, b.value, &a->value);
        break;
    case '/':
    case '%':
        fits = b.value != 0 && (a->value != INT64_MIN || b.value != -1);
        if (fits) {
            a->value = sign == '/' ? a->value / b.value : a->value % b.value;
        }
        break;
    case '&':
        a->value &= b.value;
        break;
    case '^':
        a->value ^= b.value;
        break;
    default:
        a->value |= b.value;
        break;
    }
    return fits && number_fit(a);
}

/* How strongly an operator binds, 0 if the token is none. */
static int operator_strength(const stoa__lexer *lexer) {
    static const char *const levels[] = {"|", "^", "&", "<< >>", "+ -", "* / %"};
    if (lexer->token.kind != STOA__TOKEN_SIGN) {
        return 0;
    }
    for (int i = 0; i < 6; i++) {
        const char *at = levels[i];
        while (*at != '\0') {
            size_t length = strcspn(at, " ");
            if (length == lexer->token.length && memcmp(at, lexer->token.start, length) == 0) {
                return i + 1;
            }
            at += length + (at[length] == ' ');
        }
    }
    return 0;
}

static int digit_value(char digit) {
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    char lower = (char)(digit | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

/* Reads what may stand after the digits: u and l or ll, in any case and order. */
static bool suffix_read(const char *at, const char *end, stoa__number *number) {
    bool has_long = false;
    while (at < end) {
        char lower = (char)(*at | 0x20);
        if (lower == 'u' && !number->is_unsigned) {
            number->is_unsigned = true;
            at++;
        } else if (lower == 'l' && !has_long) {
            bool twice = at + 1 < end && at[1] == at[0];
            has_long = true;
            number->wide = twice || sizeof(long) == 8;
            at += twice ? 2 : 1;
        } else {
            return false;
        }
    }
    return true;
}

/* A literal's type is the first of int, unsigned, 64 bits that holds it; unsigned is left out for
 * decimal ones. */
static bool literal_read(const stoa__token *token, stoa__number *number) {
    const char *at = token->start, *end = at + token->length;
    int base = 10;
    if (at[0] == '0' && token->length > 2 && (at[1] | 0x20) == 'x') {
        base = 16;
    } else if (at[0] == '0' && token->length > 2 && (at[1] | 0x20) == 'b') {
        base = 2;
    } else if (at[0] == '0') {
        base = 8;
    }
    at += base == 16 || base == 2 ? 2 : 0;
    const char *digits = at;
    uint64_t value = 0;
    while (at < end && digit_value(*at) < base) {
        if (value > (INT64_MAX - (uint64_t)digit_value(*at)) / (uint64_t)base) {
            return false;
        }
        value = value * (uint64_t)base + (uint64_t)digit_value(*at++);
    }
    *number = (stoa__number){.value = (int64_t)value};
    if (at == digits || !suffix_read(at, end, number)) {
        return false;
    }
    if (!number->wide && !number->is_unsigned && value > INT32_MAX) {
        number->is_unsigned = base != 10 && value <= UINT32_MAX;
        number->wide = !number->is_unsigned;
    }
    number->wide = number->wide || value > UINT32_MAX;
    return true;
}

/* Reads a character constant, which is an int of the value its char has. */
static bool character_read(const stoa__token *token, stoa__number *number) {
    static const char letters[] = "abfnrtv0\\'\"?";
    static const char codes[] = "\a\b\f\n\r\t\v\0\\'\"?";
    const char *at = token->start + 1, *end = token->start + token->length - 1;
    unsigned value = 0;
    if (at == end) {
        return false;
    }
    if (*at != '\\') {
        value = (unsigned char)*at++;
    } else if (end - at == 2 && strchr(letters, at[1]) != NULL) {
        value = (unsigned char)codes[strchr(letters, at[1]) - letters];
        at += 2;
    } else {
        bool hex = at[1] == 'x';
        at += hex ? 2 : 1;
        if (at == end || (!hex && end - at > 3)) {
            return false;
        }
        for (; at < end && digit_value(*at) < (hex ? 16 : 8) && value <= UINT8_MAX; at++) {
            value = value * (hex ? 16 : 8) + (unsigned)digit_value(*at);
        }
    }
    *number = (stoa__number){.value = (char)(unsigned char)value};
    return at == end && value <= UINT8_MAX;
}

static stoa_status primary_parse(expression *x, stoa__number *result) {
    stoa__lexer *lexer = x->lexer;
    const stoa__token *token = &lexer->token;
    int32_t column = stoa__lexer_column(lexer);
    if (stoa__lexer_accept(lexer, "(")) {
        stoa_status status = binary_parse(x, 1, result);
        if (status == STOA_OK && !stoa__lexer_accept(lexer, ")")) {
            status = stoa__lexer_expected(lexer, "')'");
        }
        return status;
    }
    if (token->kind == STOA__TOKEN_NUMBER) {
        if (!literal_read(token, result)) {
            return number_fail(x, column, "is not a whole number, or is too large");
        }
    } else if (token->kind == STOA__TOKEN_CHARACTER) {
        if (!character_read(token, result)) {
            return number_fail(x, column, "is not a character that is known here");
        }
    } else if (token->kind != STOA__TOKEN_NAME) {
        return stoa__lexer_expected(lexer, "a number");
    } else if (x->context->find == NULL || !x->context->find(token, result, x->context->user)) {
        return number_fail(x, column,
                           "is not a number; use literals, or macros that stand for them");
    }
    stoa__lexer_next(lexer);
    return STOA_OK;
}

static stoa_status unary_parse(expression *x, stoa__number *result) {
    int32_t column = stoa__lexer_column(x->lexer);
    if (++x->depth > DEPTH_MAX) {
        return number_fail(x, column, "is nested too deeply");
    }
    stoa_status status;
    if (stoa__lexer_accept(x->lexer, "+")) {
        status = unary_parse(x, result);
    } else if (stoa__lexer_accept(x->lexer, "-")) {
        status = unary_parse(x, result);
        stoa__number zero = {.wide = result->wide, .is_unsigned = result->is_unsigned};
        if (status == STOA_OK && !number_apply('-', &zero, *result)) {
            status = number_fail(x, column, "does not fit");
        }
        *result = zero;
    } else if (stoa__lexer_accept(x->lexer, "~")) {
        status = unary_parse(x, result);
        result->value = ~result->value;
        if (status == STOA_OK && !number_fit(result)) {
            status = number_fail(x, column, "does not fit");
        }
    } else {
        status = primary_parse(x, result);
    }
    x->depth--;
    return status;
}

static stoa_status binary_parse(expression *x, int least, stoa__number *result) {
    stoa_status status = unary_parse(x, result);
    while (status == STOA_OK) {
        int strength = operator_strength(x->lexer);
        if (strength < least || strength == 0) {
            break;
        }
        char sign = *x->lexer->token.start;
        int32_t column = stoa__lexer_column(x->lexer);
        stoa__lexer_next(x->lexer);
        stoa__number right = {0};
        status = binary_parse(x, strength + 1, &right);
        if (status == STOA_OK && !number_apply(sign, result, right)) {
            status = number_fail(x, column, "does not fit, or has no meaning in C");
        }
    }
    return status;
}

stoa_status stoa__number_parse(stoa__lexer *lexer, const stoa__number_context *context,
                               stoa__number *result) {
    expression x = {lexer, context, 0};
    *result = (stoa__number){0};
    return binary_parse(&x, 1, result);
}

/* Numbers of one kind made into another by the book, in long double, which holds all of them
 * exactly where it has 64 bits of mantissa. */
#ifndef STOA_TESTS_SCHEMA_REFERENCE_H
#define STOA_TESTS_SCHEMA_REFERENCE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define KINDS 12

static const char *const names[KINDS] = {"bool",     "char",     "int8_t",  "int16_t",
                                         "int32_t",  "int64_t",  "uint8_t", "uint16_t",
                                         "uint32_t", "uint64_t", "float",   "double"};

typedef enum kind { BOOL, CHAR, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64 } kind;

static const size_t sizes[KINDS] = {1, 1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
static const long double lows[KINDS] = {0, 0, INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN,
                                        0, 0, 0,        0,         0,         0};
static const long double highs[KINDS] = {1,          UINT8_MAX,  INT8_MAX,  INT16_MAX,
                                         INT32_MAX,  INT64_MAX,  UINT8_MAX, UINT16_MAX,
                                         UINT32_MAX, UINT64_MAX, 0,         0};

#define EACH_KIND(X)                                                                               \
    X(BOOL, bool)                                                                                  \
    X(CHAR, unsigned char)                                                                         \
    X(I8, int8_t)                                                                                  \
    X(I16, int16_t)                                                                                \
    X(I32, int32_t)                                                                                \
    X(I64, int64_t)                                                                                \
    X(U8, uint8_t)                                                                                 \
    X(U16, uint16_t)                                                                               \
    X(U32, uint32_t)                                                                               \
    X(U64, uint64_t)                                                                               \
    X(F32, float)                                                                                  \
    X(F64, double)

static inline long double value_read(kind k, const void *from) {
    switch (k) {
#define CASE(KIND, type)                                                                           \
    case KIND: {                                                                                   \
        type value;                                                                                \
        memcpy(&value, from, sizeof value);                                                        \
        return (long double)value;                                                                 \
    }
        EACH_KIND(CASE)
#undef CASE
    }
    return 0;
}

/* Only values that the kind holds, or that a float or double rounds. */
static inline void value_write(kind k, long double value, void *to) {
    switch (k) {
#define CASE(KIND, type)                                                                           \
    case KIND: {                                                                                   \
        type narrow = (type)value;                                                                 \
        memcpy(to, &narrow, sizeof narrow);                                                        \
        break;                                                                                     \
    }
        EACH_KIND(CASE)
#undef CASE
    }
}

static inline bool kind_is_real(kind k) {
    return k >= F32;
}

/* What should come out, and whether nothing is lost. */
static inline bool reference(kind from, kind to, long double value, long double *result) {
    bool byte = from == I8 || from == U8 || from == CHAR;
    if (to == BOOL) {
        *result = value != 0;
        return value == 0 || value == 1;
    }
    if ((from == CHAR || to == CHAR) && byte && (to == I8 || to == U8 || to == CHAR)) {
        unsigned char bits = value < 0 ? (unsigned char)(value + 256) : (unsigned char)value;
        *result = to == I8 && bits > 127 ? (long double)bits - 256 : (long double)bits;
        return true;
    }
    if (kind_is_real(to)) {
        bool over = to == F32 && isfinite(value) && fabsl(value) > (long double)FLT_MAX;
        long double rounded = to == F32 ? (long double)(float)value : (long double)(double)value;
        *result = over ? copysignl((long double)FLT_MAX, value) : rounded;
        return !over && (kind_is_real(from) || *result == value);
    }
    if (isnan(value)) {
        *result = 0;
        return false;
    }
    long double whole = rintl(value);
    *result = whole < lows[to] ? lows[to] : whole > highs[to] ? highs[to] : whole;
    return *result == value;
}

#endif

/* Numbers of one kind made into those of another.
 *
 * Every number goes through a form that holds all of them: a sign and 64 bits, or a double. No
 * conversion leaves what C defines: ranges are checked before it. O(1), no memory, any thread. */
#include "persist/schema_number.h"

#include "base/decimal.h"
#include "base/number.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

/* 2 to the power of 64. */
#define WHOLE_END 18446744073709551616.0

static const struct {
    uint8_t size;
    bool is_signed;
    uint64_t most; /* the largest */
} integers[] = {
    [STOA_KIND_BOOL] = {1, false, 1},         [STOA_KIND_CHAR] = {1, false, UINT8_MAX},
    [STOA_KIND_I8] = {1, true, INT8_MAX},     [STOA_KIND_I16] = {2, true, INT16_MAX},
    [STOA_KIND_I32] = {4, true, INT32_MAX},   [STOA_KIND_I64] = {8, true, INT64_MAX},
    [STOA_KIND_U8] = {1, false, UINT8_MAX},   [STOA_KIND_U16] = {2, false, UINT16_MAX},
    [STOA_KIND_U32] = {4, false, UINT32_MAX}, [STOA_KIND_U64] = {8, false, UINT64_MAX},
};

bool stoa__wide_is_kind(stoa_kind kind) {
    return kind >= STOA_KIND_BOOL && kind <= STOA_KIND_F64;
}

stoa_kind stoa__wide_integer(uint32_t size, bool is_signed) {
    switch (size) {
    case 1:
        return is_signed ? STOA_KIND_I8 : STOA_KIND_U8;
    case 2:
        return is_signed ? STOA_KIND_I16 : STOA_KIND_U16;
    case 4:
        return is_signed ? STOA_KIND_I32 : STOA_KIND_U32;
    default:
        return is_signed ? STOA_KIND_I64 : STOA_KIND_U64;
    }
}

stoa__wide stoa__wide_of(int64_t number) {
    bool negative = number < 0;
    uint64_t bits = (uint64_t)number;
    return (stoa__wide){.negative = negative, .magnitude = negative ? 0 - bits : bits};
}

stoa__wide stoa__wide_read(stoa_kind kind, const void *from) {
    if (kind == STOA_KIND_F32) {
        float number;
        memcpy(&number, from, sizeof number);
        return (stoa__wide){.real = true, .value = (double)number};
    }
    if (kind == STOA_KIND_F64) {
        stoa__wide wide = {.real = true};
        memcpy(&wide.value, from, sizeof wide.value);
        return wide;
    }
    uint32_t size = integers[kind].size;
    uint64_t bits = stoa__number_read(from, size);
    if (integers[kind].is_signed) {
        return stoa__wide_of(stoa__number_signed(bits, size));
    }
    return (stoa__wide){.magnitude = kind == STOA_KIND_BOOL ? bits != 0 : bits};
}

/* Stores the low bytes of an integer. */
static void bits_write(uint64_t bits, uint32_t size, void *to) {
    uint8_t one = (uint8_t)bits;
    uint16_t two = (uint16_t)bits;
    uint32_t four = (uint32_t)bits;
    switch (size) {
    case 1:
        memcpy(to, &one, sizeof one);
        break;
    case 2:
        memcpy(to, &two, sizeof two);
        break;
    case 4:
        memcpy(to, &four, sizeof four);
        break;
    default:
        memcpy(to, &bits, sizeof bits);
    }
}

/* The integer nearest to a real number, the even one of two; false if it is not the same. What is
 * beyond 64 bits becomes the largest, what is no number 0. */
static bool real_round(double value, stoa__wide *whole) {
    double size = value < 0 ? -value : value;
    *whole = (stoa__wide){0};
    if (!(size < WHOLE_END)) {
        whole->magnitude = value != value ? 0 : UINT64_MAX;
        whole->negative = value < 0;
        return false;
    }
    whole->magnitude = (uint64_t)size;
    double rest = size - (double)whole->magnitude;
    whole->magnitude += rest > 0.5 || (rest == 0.5 && (whole->magnitude & 1) != 0);
    whole->negative = value < 0 && whole->magnitude != 0;
    return rest == 0;
}

static bool integer_write(stoa_kind kind, stoa__wide number, void *to) {
    bool exact = true;
    if (number.real && kind == STOA_KIND_BOOL) {
        /* Anything but zero is true, also what would be rounded to zero. */
        bool is_true = number.value != 0;
        bits_write(is_true, 1, to);
        return !is_true || number.value == 1;
    }
    if (number.real) {
        exact = real_round(number.value, &number);
    }
    uint64_t most = integers[kind].most;
    if (number.negative) {
        most = integers[kind].is_signed ? most + 1 : 0;
        if (kind == STOA_KIND_BOOL) {
            most = 1;
            exact = false;
        }
    }
    if (number.magnitude > most) {
        number.magnitude = most;
        exact = false;
    }
    bool flips = number.negative && kind != STOA_KIND_BOOL;
    bits_write(flips ? 0 - number.magnitude : number.magnitude, integers[kind].size, to);
    return exact;
}

/* A double as a float: rounded, or the largest there is. */
static bool real_narrow(double value, float *to) {
    bool finite = value - value == 0;
    bool over = finite && (value > (double)FLT_MAX || value < -(double)FLT_MAX);
    *to = over ? (value > 0 ? FLT_MAX : -FLT_MAX) : (float)value;
    return !over;
}

static bool f32_write(stoa__wide number, void *to) {
    float value;
    bool exact = true;
    if (number.real) {
        exact = real_narrow(number.value, &value);
    } else {
        value = (float)number.magnitude;
        exact = (double)value < WHOLE_END && (uint64_t)value == number.magnitude;
        value = number.negative ? -value : value;
    }
    memcpy(to, &value, sizeof value);
    return exact;
}

static bool f64_write(stoa__wide number, void *to) {
    double value = number.value;
    bool exact = true;
    if (!number.real) {
        value = (double)number.magnitude;
        exact = value < WHOLE_END && (uint64_t)value == number.magnitude;
        value = number.negative ? -value : value;
    }
    memcpy(to, &value, sizeof value);
    return exact;
}

bool stoa__wide_write(stoa_kind kind, stoa__wide number, void *to) {
    switch (kind) {
    case STOA_KIND_F32:
        return f32_write(number, to);
    case STOA_KIND_F64:
        return f64_write(number, to);
    default:
        return integer_write(kind, number, to);
    }
}

void stoa__wide_print(stoa_kind kind, stoa__wide number, stoa__writer *out) {
    if (!number.real) {
        stoa__writer_format(out, "%s%" PRIu64, number.negative ? "-" : "", number.magnitude);
    } else if (kind == STOA_KIND_F32) {
        stoa__writer_f32(out, (float)number.value);
    } else {
        stoa__writer_f64(out, number.value);
    }
}

/* Numbers as JSON: the fewest digits that are read back as the same number.
 *
 * A reader of JSON makes a double of a number with a point or an exponent, and of a `float` only
 * then a float: the text has to come out right by that way, too. Most numbers are found by a
 * multiplication and a division, which are exact where it matters; the others by base/decimal.h.
 * JSON has no text for what is no number: that is a string, `"nan"`, `"inf"`. No memory; any
 * thread.
 */
#include "base/decimal.h"
#include "json/json.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 64
/* Powers of ten that a double holds exactly. */
#define POWER_MAX 22
/* Powers of ten outside of these are written as an exponent, as base/decimal.h does. */
#define POINT_FIRST (-4)
#define POINT_LAST 15

static const double powers[POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Writes a number up to the end of `text`; returns where it begins. */
static char *digits_put(char *end, uint64_t number) {
    do {
        *--end = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return end;
}

void stoa__json_out_unsigned(stoa__json_out *out, uint64_t number) {
    char text[TEXT_SIZE];
    char *end = text + sizeof text;
    char *start = digits_put(end, number);
    if (number > INT64_MAX) {
        /* Beyond what readers take for an integer. */
        *--start = '"';
        stoa__json_out_bytes(out, start, (size_t)(end - start));
        stoa__json_out_bytes(out, "\"", 1);
        return;
    }
    stoa__json_out_bytes(out, start, (size_t)(end - start));
}

void stoa__json_out_signed(stoa__json_out *out, int64_t number) {
    if (number < 0) {
        stoa__json_out_bytes(out, "-", 1);
    }
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    char text[TEXT_SIZE];
    char *start = digits_put(text + sizeof text, size);
    stoa__json_out_bytes(out, start, (size_t)(text + sizeof text - start));
}

/* Writes digits, of which the first is worth so many powers of ten. */
static void decimal_put(stoa__json_out *out, const char *digits, int count, int exponent) {
    static const char zeros[] = "0000000000000000";
    bool plain = exponent >= POINT_FIRST && exponent <= POINT_LAST;
    int whole = plain ? exponent + 1 : 1; /* digits before the point */
    if (whole <= 0) {
        stoa__json_out_put(out, "0.");
        stoa__json_out_bytes(out, zeros, (size_t)-whole);
        stoa__json_out_bytes(out, digits, (size_t)count);
    } else if (whole >= count) {
        stoa__json_out_bytes(out, digits, (size_t)count);
        stoa__json_out_bytes(out, zeros, (size_t)(whole - count));
    } else {
        stoa__json_out_bytes(out, digits, (size_t)whole);
        stoa__json_out_bytes(out, ".", 1);
        stoa__json_out_bytes(out, digits + whole, (size_t)(count - whole));
    }
    if (!plain) {
        stoa__json_out_bytes(out, "e", 1);
        stoa__json_out_signed(out, exponent);
    }
}

/* The power of ten that a number is at least; one less where that is a close thing. */
static int power_of(double number) {
    int binary;
    (void)frexp(number, &binary);
    int power = (int)floor((binary - 1) * 0.30102999566398114);
    return power < POWER_MAX && power >= -1 && number >= powers[power + 1] ? power + 1 : power;
}

/* Writes a number as so many digits, if that is exact and can be told by numbers that a
 * double holds: a product or quotient of those is rounded just as the text is when it is read. */
static bool digits_try(stoa__json_out *out, double signed_number, int count, int power,
                       bool single) {
    double number = fabs(signed_number);
    int shift = count - 1 - power;
    if (shift > POWER_MAX || shift < -POWER_MAX) {
        return false;
    }
    double whole = nearbyint(shift >= 0 ? number * powers[shift] : number / powers[-shift]);
    double back = shift >= 0 ? whole / powers[shift] : whole * powers[-shift];
    if ((single ? (float)back != (float)number : back != number) || whole >= 1e15) {
        return false;
    }
    char text[TEXT_SIZE];
    const char *end = text + sizeof text;
    const char *start = digits_put(text + sizeof text, (uint64_t)whole);
    int exponent = (int)(end - start) - 1 - shift;
    while (end - start > 1 && end[-1] == '0') {
        end--;
    }
    if (signed_number < 0) {
        stoa__json_out_bytes(out, "-", 1);
    }
    decimal_put(out, start, (int)(end - start), exponent);
    return true;
}

/* Writes a finite number by the quick way; false if that does not do. Rounding to as many digits as
 * any text can have that is told apart finds every shorter one, too. */
static bool quick_put(stoa__json_out *out, double number, bool single) {
    double size = fabs(number);
    if (size == 0) {
        stoa__json_out_put(out, "0");
        return true;
    }
    int least = single ? FLT_DIG : DBL_DIG;
    int most = single ? FLT_DECIMAL_DIG : DBL_DIG;
    int power = power_of(size);
    if (size < (single ? (double)FLT_MIN : DBL_MIN) || power > POWER_MAX + least - 1) {
        return false;
    }
    for (int count = least; count <= most; count++) {
        if (digits_try(out, number, count, power, single)) {
            return true;
        }
    }
    return false;
}

/* Texts of what is no finite number, and of the zero that integers have not. */
static bool special_put(stoa__json_out *out, double number, uint64_t bits, uint64_t nan_bits) {
    if (isnan(number)) {
        char text[TEXT_SIZE];
        snprintf(text, sizeof text, bits == nan_bits ? "\"nan\"" : "\"nan:%" PRIx64 "\"", bits);
        stoa__json_out_put(out, text);
        return true;
    }
    if (isinf(number)) {
        stoa__json_out_put(out, number < 0 ? "\"-inf\"" : "\"inf\"");
        return true;
    }
    if (number == 0 && signbit(number)) {
        stoa__json_out_put(out, "-0.0");
        return true;
    }
    return false;
}

/* Numbers without a point would be read as integers, which end at 2^63. */
static void finite_put(stoa__json_out *out, const char *text) {
    stoa__json_out_put(out, text);
    if (strpbrk(text, ".e") == NULL) {
        stoa__json_out_put(out, ".0");
    }
}

/* What the text is read as by way of a double; the point is left out, since the C library's depends
 * on the locale. */
static double text_value(const char *text) {
    char plain[TEXT_SIZE];
    size_t length = 0;
    int places = 0;
    bool after = false;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text == '.') {
            after = true;
        } else {
            plain[length++] = *text;
            places += after ? 1 : 0;
        }
    }
    long exponent = *text == 'e' ? strtol(text + 1, NULL, 10) : 0;
    snprintf(plain + length, sizeof plain - length, "e%ld", exponent - places);
    return strtod(plain, NULL);
}

void stoa__json_out_f32(stoa__json_out *out, float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (special_put(out, (double)number, bits, 0x7FC00000u) ||
        quick_put(out, (double)number, true)) {
        return;
    }
    char text[TEXT_SIZE];
    stoa__writer writer = stoa__writer_new(text, sizeof text);
    stoa__writer_f32(&writer, number);
    if ((float)text_value(text) != number) {
        writer = stoa__writer_new(text, sizeof text);
        stoa__writer_f64(&writer, (double)number);
    }
    finite_put(out, text);
}

void stoa__json_out_f64(stoa__json_out *out, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (special_put(out, number, bits, 0x7FF8000000000000u) || quick_put(out, number, false)) {
        return;
    }
    char text[TEXT_SIZE];
    stoa__writer writer = stoa__writer_new(text, sizeof text);
    stoa__writer_f64(&writer, number);
    finite_put(out, text);
}

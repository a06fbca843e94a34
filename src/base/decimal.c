/* Floating point numbers as text.
 *
 * The C library rounds to so many digits, and what it wrote is read back to see whether that was
 * enough. Only the digits and the exponent are taken from its text, since the decimal point in it
 * depends on the locale. A normal number takes at most four rounds: each one that some text of
 * DIG digits or fewer stands for comes back from rounding to DIG digits as that very text. Any
 * thread. */
#include "base/decimal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Digits that tell any two doubles apart. */
#define DIGITS_MAX 17

/* Powers of ten outside of these are written as an exponent. */
#define POINT_FIRST (-4)
#define POINT_LAST 15

/* The number d.ddd times ten to the exponent. */
typedef struct decimal {
    char digits[DIGITS_MAX + 1];
    int count;
    int exponent;
} decimal;

/* Rounds a positive number to so many digits; true if it reads back the same. */
static bool decimal_round(decimal *d, double number, int count, bool single) {
    char text[64];
    snprintf(text, sizeof text, "%.*e", count - 1, number);
    const char *at = text;
    for (d->count = 0; *at != 'e' && *at != '\0'; at++) {
        if (*at >= '0' && *at <= '9' && d->count < DIGITS_MAX) {
            d->digits[d->count++] = *at;
        }
    }
    d->exponent = *at == 'e' ? (int)strtol(at + 1, NULL, 10) : 0;
    return single ? strtof(text, NULL) == (float)number : strtod(text, NULL) == number;
}

/* The shortest text of a positive number, as digits. */
static void decimal_find(decimal *d, double number, bool single) {
    int most = single ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
    int count = single ? FLT_DIG : DBL_DIG;
    if (number < (single ? (double)FLT_MIN : DBL_MIN)) {
        count = 1;
    }
    while (!decimal_round(d, number, count, single) && count < most) {
        count++;
    }
    while (d->count > 1 && d->digits[d->count - 1] == '0') {
        d->count--;
    }
}

static void zeros_put(stoa__writer *writer, int count) {
    for (int i = 0; i < count; i++) {
        stoa__writer_put(writer, "0");
    }
}

/* The first `whole` digits, a point, the others; zeros stand in for digits that are not there. */
static void point_put(stoa__writer *writer, const decimal *d, int whole) {
    int before = whole < 0 ? 0 : whole < d->count ? whole : d->count;
    stoa__writer_bytes(writer, d->digits, (size_t)before);
    zeros_put(writer, whole > 0 ? whole - before : 1);
    if (before < d->count) {
        stoa__writer_put(writer, ".");
        zeros_put(writer, whole < 0 ? -whole : 0);
        stoa__writer_bytes(writer, d->digits + before, (size_t)(d->count - before));
    }
}

static void number_put(stoa__writer *writer, double number, bool single) {
    if (isnan(number)) {
        stoa__writer_put(writer, "nan");
        return;
    }
    stoa__writer_put(writer, signbit(number) ? "-" : "");
    number = signbit(number) ? -number : number;
    if (isinf(number) || number == 0) {
        stoa__writer_put(writer, number == 0 ? "0" : "inf");
        return;
    }
    decimal d;
    decimal_find(&d, number, single);
    if (d.exponent >= POINT_FIRST && d.exponent <= POINT_LAST) {
        point_put(writer, &d, d.exponent + 1);
    } else {
        point_put(writer, &d, 1);
        stoa__writer_format(writer, "e%d", d.exponent);
    }
}

void stoa__writer_f32(stoa__writer *writer, float number) {
    number_put(writer, (double)number, true);
}

void stoa__writer_f64(stoa__writer *writer, double number) {
    number_put(writer, number, false);
}

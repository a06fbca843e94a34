/* Numbers of one kind made into those of another.
 *
 * Kinds are bool, char, the integers, float and double; enums count as integers. A char is a number
 * from 0 to 255. Whole numbers are held exactly or not at all; from double to float a number is
 * rounded, which is no loss, unless it is too large. */
#ifndef STOA_PERSIST_SCHEMA_NUMBER_H
#define STOA_PERSIST_SCHEMA_NUMBER_H

#include "base/writer.h"
#include "stoa/type.h"

/* A number of any kind. */
typedef struct stoa__wide {
    bool real;          /* `value` counts, else the two others */
    bool negative;      /* never of 0 */
    uint64_t magnitude; /* without the sign */
    double value;
} stoa__wide;

/* True for kinds that hold one number, enums not among them. */
bool stoa__wide_is_kind(stoa_kind kind);

/* The integer kind of so many bytes. */
stoa_kind stoa__wide_integer(uint32_t size, bool is_signed);

/* Reads a number in the order of bytes of this machine; it need not be aligned. */
stoa__wide stoa__wide_read(stoa_kind kind, const void *from);

/* The integer. */
stoa__wide stoa__wide_of(int64_t number);

/* Writes a number, or the nearest that the kind can hold: the even one of two, 0 for what is no
 * number. False if that is not the same. */
bool stoa__wide_write(stoa_kind kind, stoa__wide number, void *to);

/* Writes a number as text. */
void stoa__wide_print(stoa_kind kind, stoa__wide number, stoa__writer *out);

#endif

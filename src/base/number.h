/* Integers of any size, read from where they are, aligned or not. */
#ifndef STOA_BASE_NUMBER_H
#define STOA_BASE_NUMBER_H

#include "base/inline.h"
#include "stoa/compiler.h"

#include <string.h>

/* The bits of an integer of 1, 2, 4 or 8 bytes, as an unsigned one. */
STOA__INLINE uint64_t stoa__number_read(const void *from, uint32_t size) {
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 1:
        memcpy(&one, from, sizeof one);
        return one;
    case 2:
        memcpy(&two, from, sizeof two);
        return two;
    case 4:
        memcpy(&four, from, sizeof four);
        return four;
    default:
        memcpy(&eight, from, sizeof eight);
        return eight;
    }
}

/* The number whose low `size` bytes those are, by the sign in the highest bit of them. */
STOA__INLINE int64_t stoa__number_signed(uint64_t number, uint32_t size) {
    uint64_t sign = (uint64_t)1 << (size * 8 - 1);
    return (int64_t)((number ^ sign) - sign);
}

#endif

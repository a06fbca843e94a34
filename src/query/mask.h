/* Rows as bits: 64 ticks or switches at a time.
 *
 * A loop over a fixed number of rows is one that the compiler turns into vector operations. */
#ifndef STOA_QUERY_MASK_H
#define STOA_QUERY_MASK_H

#include "base/inline.h"
#include "stoa/change.h"

#include <string.h>

/* The lowest `count` bits, up to 64. */
STOA__INLINE uint64_t stoa__mask_first(uint32_t count) {
    return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

/* Eight bytes that are 0 or 1 as eight bits. */
STOA__INLINE uint64_t stoa__mask_eight(const uint8_t *flags) {
    uint64_t word = (uint64_t)flags[0] | (uint64_t)flags[1] << 8 | (uint64_t)flags[2] << 16 |
                    (uint64_t)flags[3] << 24 | (uint64_t)flags[4] << 32 | (uint64_t)flags[5] << 40 |
                    (uint64_t)flags[6] << 48 | (uint64_t)flags[7] << 56;
    /* Byte i, at bit 8 * i, is wanted at bit 56 + i: no two products meet in one bit. */
    return word * 0x0102040810204080u >> 56;
}

/* 64 bytes that are 0 or 1. */
STOA__INLINE uint64_t stoa__mask_flags_64(const uint8_t *flags) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < 64; i += 8) {
        bits |= stoa__mask_eight(flags + i) << i;
    }
    return bits;
}

/* The first `count` bytes, up to 64. */
STOA__INLINE uint64_t stoa__mask_flags(const uint8_t *flags, uint32_t count) {
    if (STOA_LIKELY(count >= 64)) {
        return stoa__mask_flags_64(flags);
    }
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++) {
        bits |= (uint64_t)flags[i] << i;
    }
    return bits;
}

/* Bit i at i. */
static const uint32_t stoa__mask_bits[32] = {
    0x1u,        0x2u,        0x4u,        0x8u,       0x10u,      0x20u,      0x40u,
    0x80u,       0x100u,      0x200u,      0x400u,     0x800u,     0x1000u,    0x2000u,
    0x4000u,     0x8000u,     0x10000u,    0x20000u,   0x40000u,   0x80000u,   0x100000u,
    0x200000u,   0x400000u,   0x800000u,   0x1000000u, 0x2000000u, 0x4000000u, 0x8000000u,
    0x10000000u, 0x20000000u, 0x40000000u, 0x80000000u};

/* Which of 32 ticks are newer than `since`. A table and no shift, which would keep the loop from
 * becoming one of vectors; and no branch, since most of the time some tick of 64 is new. */
STOA__INLINE uint32_t stoa__mask_newer_32(const uint32_t *ticks, uint32_t since) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 32; i++) {
        bits |= (int32_t)(ticks[i] - since) > 0 ? stoa__mask_bits[i] : 0;
    }
    return bits;
}

/* Which of 64. */
STOA__INLINE uint64_t stoa__mask_newer_64(const uint32_t *ticks, uint32_t since) {
    uint64_t high = stoa__mask_newer_32(ticks + 32, since);
    return stoa__mask_newer_32(ticks, since) | high << 32;
}

/* The same for the first `count` ticks, up to 64. */
STOA__INLINE uint64_t stoa__mask_newer(const uint32_t *ticks, uint32_t count, uint32_t since) {
    if (STOA_LIKELY(count >= 64)) {
        return stoa__mask_newer_64(ticks, since);
    }
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++) {
        bits |= (uint64_t)stoa_tick_newer(ticks[i], since) << i;
    }
    return bits;
}

#endif

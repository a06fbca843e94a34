/* Rows as bits: 64 ticks or switches at a time.
 *
 * There is no branch for a row or for 64 of them: whether there are some new ones is a question
 * that the processor would guess wrong. */
#ifndef STOA_QUERY_MASK_H
#define STOA_QUERY_MASK_H

#include "base/inline.h"
#include "stoa/change.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

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

#if defined(__AVX2__)

/* Which of 32 ticks are newer than `since`. How much newer each is loses all but its sign, and
 * whether it is 0, where it is packed into a byte. */
STOA__INLINE uint32_t stoa__mask_newer_32(const uint32_t *ticks, uint32_t since) {
    const __m256i *from = (const __m256i *)(const void *)ticks;
    __m256i minus = _mm256_set1_epi32((int32_t)(0u - since));
    __m256i a = _mm256_add_epi32(minus, _mm256_loadu_si256(from));
    __m256i b = _mm256_add_epi32(minus, _mm256_loadu_si256(from + 1));
    __m256i c = _mm256_add_epi32(minus, _mm256_loadu_si256(from + 2));
    __m256i d = _mm256_add_epi32(minus, _mm256_loadu_si256(from + 3));
    __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    /* Packing went half by half: the first four of each vector, then the last four. */
    __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    packed = _mm256_permutevar8x32_epi32(packed, order);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(packed, _mm256_setzero_si256()));
}

#elif defined(__SSE2__)

/* Which of 16 ticks are newer than `since`. How much newer each is loses all but its sign, and
 * whether it is 0, where it is packed into a byte. */
STOA__INLINE uint32_t stoa__mask_newer_16(const uint32_t *ticks, uint32_t since) {
    const __m128i *from = (const __m128i *)(const void *)ticks;
    __m128i minus = _mm_set1_epi32((int32_t)(0u - since));
    __m128i a = _mm_add_epi32(minus, _mm_loadu_si128(from));
    __m128i b = _mm_add_epi32(minus, _mm_loadu_si128(from + 1));
    __m128i c = _mm_add_epi32(minus, _mm_loadu_si128(from + 2));
    __m128i d = _mm_add_epi32(minus, _mm_loadu_si128(from + 3));
    __m128i packed = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
    return (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(packed, _mm_setzero_si128()));
}

STOA__INLINE uint32_t stoa__mask_newer_32(const uint32_t *ticks, uint32_t since) {
    return stoa__mask_newer_16(ticks, since) | stoa__mask_newer_16(ticks + 16, since) << 16;
}

#else

/* Which of 32 ticks are newer than `since`. */
STOA__INLINE uint32_t stoa__mask_newer_32(const uint32_t *ticks, uint32_t since) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 32; i++) {
        bits |= (uint32_t)stoa_tick_newer(ticks[i], since) << i;
    }
    return bits;
}

#endif

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

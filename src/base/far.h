/* Copying past the caches, for what is not read again soon: the caches keep what they have, and
 * memory that is overwritten is not read first. A plain copy where the processor is not known. Any
 * thread; another one sees the bytes once whatever both synchronize by says so. */
#ifndef STOA_BASE_FAR_H
#define STOA_BASE_FAR_H

#include "base/inline.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Bytes that are copied at once, to a multiple of as many. */
#define STOA__FAR_LINE ((size_t)64)

/* Copies a line; stoa__far_end comes after the last. */
STOA__INLINE void stoa__far_line(uint8_t *to, const uint8_t *from) {
#if defined(__SSE2__)
    for (size_t i = 0; i < STOA__FAR_LINE; i += sizeof(__m128i)) {
        __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        _mm_stream_si128((__m128i *)(void *)(to + i), part);
    }
#else
    memcpy(to, from, STOA__FAR_LINE);
#endif
}

/* Makes lines that were copied as visible as what is written after them. */
STOA__INLINE void stoa__far_end(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* Copies bytes to the beginning of a line; stoa__far_end comes after the last of many such copies,
 * since each wait takes as long as a tenth of 32 KiB. */
static inline void stoa__far_copy(uint8_t *to, const uint8_t *from, size_t size) {
    size_t whole = size / STOA__FAR_LINE * STOA__FAR_LINE;
    for (size_t i = 0; i < whole; i += STOA__FAR_LINE) {
        stoa__far_line(to + i, from + i);
    }
    memcpy(to + whole, from + whole, size - whole);
}

#endif

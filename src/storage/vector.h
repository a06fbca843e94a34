/* Vectors: values of 12 bytes, in one register where there is one that large.
 *
 * Reading one touches the four bytes after it, so does spilling one: there are always so many, see
 * stoa__group_new. */
#ifndef STOA_STORAGE_VECTOR_H
#define STOA_STORAGE_VECTOR_H

#include "base/inline.h"
#include "stoa/parcel.h"

#ifdef STOA_PARCEL_VECTOR
#ifdef __SSE4_1__
#include <smmintrin.h>
#else
#include <emmintrin.h>
#endif
#endif

#include <string.h>

/* Bytes of a vector, and those that are touched after it. */
#define STOA__VECTOR 12u
#define STOA__VECTOR_SPILL 4u

#ifdef STOA_PARCEL_VECTOR
typedef __m128i stoa__vector;
#else
typedef stoa_parcel stoa__vector;
#endif

STOA__INLINE stoa__vector stoa__vector_of(stoa_parcel parcel) {
#ifdef STOA_PARCEL_VECTOR
    return _mm_castps_si128(parcel);
#else
    return parcel;
#endif
}

STOA__INLINE stoa__vector stoa__vector_read(const uint8_t *from) {
#ifdef STOA_PARCEL_VECTOR
    return _mm_loadu_si128((const __m128i *)(const void *)from);
#else
    stoa__vector vector = {0, 0};
    memcpy(&vector, from, STOA__VECTOR);
    return vector;
#endif
}

/* Writes a vector to a row that has neighbours. */
STOA__INLINE void stoa__vector_write(uint8_t *to, stoa__vector vector) {
#ifdef STOA_PARCEL_VECTOR
#ifdef __SSE4_1__
    int32_t last = _mm_extract_epi32(vector, 2);
#else
    int32_t last = _mm_cvtsi128_si32(_mm_unpackhi_epi64(vector, vector));
#endif
    _mm_storel_epi64((__m128i *)(void *)to, vector);
    memcpy(to + 8, &last, sizeof last);
#else
    memcpy(to, &vector, STOA__VECTOR);
#endif
}

/* Writes a vector to a row after which there is none. */
STOA__INLINE void stoa__vector_spill(uint8_t *to, stoa__vector vector) {
#ifdef STOA_PARCEL_VECTOR
    _mm_storeu_si128((__m128i *)(void *)to, vector);
#else
    memcpy(to, &vector, STOA__VECTOR);
#endif
}

/* Writes a number twice, side by side, by one store. */
STOA__INLINE void stoa__twice_write(void *to, uint32_t number) {
#ifdef STOA_PARCEL_VECTOR
    _mm_storel_epi64((__m128i *)to, _mm_set1_epi32((int32_t)number));
#else
    uint64_t twice = (uint64_t)number << 32 | number;
    memcpy(to, &twice, sizeof twice);
#endif
}

#endif

/* A value of up to 16 bytes on its way to a function of the library in registers.
 *
 * A program mostly makes such a value right where it is set. Passed by its address it would have to
 * be written to memory first and be read from there again, which takes longer than the move of the
 * row that it is for. */
#ifndef STOA_PARCEL_H
#define STOA_PARCEL_H

#include "stoa/compiler.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
/// Defined if a parcel is one vector register.
#define STOA_PARCEL_VECTOR
#include <xmmintrin.h>
#endif

STOA_BEGIN

/// Bytes of a value that fits a parcel, at most.
#define STOA_PARCEL_MAX 16u

#ifdef STOA_PARCEL_VECTOR
/// The bytes of a value, followed by zeros.
typedef __m128 stoa_parcel;
#else
/// The bytes of a value, followed by zeros.
typedef struct stoa_parcel {
    uint64_t low;  ///< the first eight
    uint64_t high; ///< the others
} stoa_parcel;
#endif

#ifdef STOA_PARCEL_VECTOR
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
/// Four bytes of a value, from byte `at` on; 0 for those it does not have.
/// They are read as a number with a fraction, which such registers are for, and only ever copied.
/// They may be padding, which nobody has written.
static inline float stoa_parcel_part(const void *value, uint32_t size, uint32_t at) {
    float part = 0;
    if (at < size) {
        memcpy(&part, (const uint8_t *)value + at, size - at < 4 ? size - at : 4);
    }
    return part;
}
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif

/// Packs a value; `size` is at most STOA_PARCEL_MAX.
/// It is read in pieces of four bytes, as members mostly were written: a larger piece would have to
/// wait until they are in the cache.
static inline stoa_parcel stoa_parcel_pack(const void *value, uint32_t size) {
#ifdef STOA_PARCEL_VECTOR
    return _mm_set_ps(stoa_parcel_part(value, size, 12), stoa_parcel_part(value, size, 8),
                      stoa_parcel_part(value, size, 4), stoa_parcel_part(value, size, 0));
#else
    stoa_parcel parcel = {0, 0};
    if (size > 0) {
        memcpy(&parcel, value, size);
    }
    return parcel;
#endif
}

/// Writes all 16 bytes of a parcel.
static inline void stoa_parcel_unpack(void *to, stoa_parcel parcel) {
    memcpy(to, &parcel, sizeof parcel);
}

STOA_END

#endif

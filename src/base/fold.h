/* Words of 8 bytes, their folded product, and the step of the hash that is made of both.
 *
 * For the files that hash, see base/hash.h, and for those that compare by words. */
#ifndef STOA_BASE_FOLD_H
#define STOA_BASE_FOLD_H

#include "base/hash.h"
#include "base/inline.h"

#include <string.h>

/* What the second word is changed by: a word that makes the product zero would hide what was before
 * it. This one is none that data holds: not all zeros, no small number, no constant of others. */
#define STOA__FOLD_KEY UINT64_C(0x8c1f6a39d57be2e5)

/* How far before its turn memory is asked for; it may be past the end, where asking does no harm.
 */
#define STOA__FOLD_AHEAD 2048u

/* A word, least byte first on any machine. */
STOA__INLINE uint64_t stoa__word(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Both halves of a product of 128 bits in one, of products of 64. */
STOA__INLINE uint64_t stoa__fold_halves(uint64_t a, uint64_t b) {
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
    uint64_t other = a_low * b_high + (uint32_t)middle;
    return a * b ^ (a_high * b_high + (middle >> 32) + (other >> 32));
}

/* The same, as the machine does it best. */
#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 stoa__wide;
STOA__INLINE uint64_t stoa__fold(uint64_t a, uint64_t b) {
    stoa__wide product = (stoa__wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}
#else
STOA__INLINE uint64_t stoa__fold(uint64_t a, uint64_t b) {
    return stoa__fold_halves(a, b);
}
#endif

STOA__INLINE uint64_t stoa__fold_step(uint64_t state, uint64_t first, uint64_t second) {
    return stoa__fold(state ^ first, second ^ STOA__FOLD_KEY);
}

/* Takes a stripe in. In a loop the lanes are to be locals of the caller's, which the compiler need
 * not write back each time. */
STOA__INLINE void stoa__fold_stripe(uint64_t lane[4], const uint8_t *bytes) {
    lane[0] = stoa__fold_step(lane[0], stoa__word(bytes), stoa__word(bytes + 8));
    lane[1] = stoa__fold_step(lane[1], stoa__word(bytes + 16), stoa__word(bytes + 24));
    lane[2] = stoa__fold_step(lane[2], stoa__word(bytes + 32), stoa__word(bytes + 40));
    lane[3] = stoa__fold_step(lane[3], stoa__word(bytes + 48), stoa__word(bytes + 56));
    STOA_PREFETCH((const void *)((uintptr_t)bytes + STOA__FOLD_AHEAD));
}

#endif

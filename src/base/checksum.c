/* The checksum of what is saved.
 *
 * Eight lanes take in a stripe of 64 bytes, a word each: eight multiplications that do not wait for
 * each other, which is as fast as memory can be read. A lane is turned before it is multiplied, so
 * that the top bit of a word spreads like any other. Each step can be undone, so what changes one
 * word of a lane always shows; changes of several words can cancel out, by a rare chance. Linear in
 * the size. Any thread. */
#include "base/checksum.h"

#include "base/inline.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define STRIPE ((size_t)STOA__CHECKSUM_STRIPE)
/* What is not larger is not worth copying past the caches. */
#define FAR_LEAST ((size_t)1024)
/* How far before its turn memory is asked for; it may be past the end, where asking does no harm.
 */
#define AHEAD 2048u
#define FACTOR UINT64_C(0xa54ff53a5f1d36f1)

static const uint64_t lane_start[8] = {
    UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b),
    UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f), UINT64_C(0x1f83d9abfb41bd6b),
    UINT64_C(0x5be0cd19137e2179), UINT64_C(0xcbbb9d5dc1059ed8),
};

STOA__INLINE uint64_t word_read(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

STOA__INLINE uint64_t state_step(uint64_t state, uint64_t word) {
    state ^= word;
    return (state << 29 | state >> 35) * FACTOR;
}

/* A stripe is copied as it is taken in, or not at all, or later ones than those taken in are copied
 * past the caches. */
typedef enum copy_kind { COPY_NONE, COPY_NEAR, COPY_FAR } copy_kind;

/* Copies a stripe to a multiple of its size, past the caches if that can be. */
STOA__INLINE void stripe_stream(uint8_t *to, const uint8_t *from) {
#if defined(__SSE2__)
    for (size_t i = 0; i < STRIPE; i += sizeof(__m128i)) {
        __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        _mm_stream_si128((__m128i *)(void *)(to + i), part);
    }
#else
    memcpy(to, from, STRIPE);
#endif
}

/* Takes stripes in, and copies as many. What is copied may be other stripes than those taken in.
 * The lanes are kept in locals, which the compiler need not write back at each stripe. */
STOA__INLINE void stripes_take(uint64_t lane[8], const uint8_t *bytes, size_t count, copy_kind kind,
                               uint8_t *to, const uint8_t *from) {
    uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
    uint64_t e = lane[4], f = lane[5], g = lane[6], h = lane[7];
    for (; count > 0; count--) {
        a = state_step(a, word_read(bytes));
        b = state_step(b, word_read(bytes + 8));
        c = state_step(c, word_read(bytes + 16));
        d = state_step(d, word_read(bytes + 24));
        e = state_step(e, word_read(bytes + 32));
        f = state_step(f, word_read(bytes + 40));
        g = state_step(g, word_read(bytes + 48));
        h = state_step(h, word_read(bytes + 56));
        STOA_PREFETCH((const void *)((uintptr_t)bytes + AHEAD));
        bytes += STRIPE;
        if (kind == COPY_NEAR) {
            memcpy(to, from, STRIPE);
        } else if (kind == COPY_FAR) {
            stripe_stream(to, from);
        }
        if (kind != COPY_NONE) {
            to += STRIPE;
            from += STRIPE;
        }
    }
    lane[0] = a, lane[1] = b, lane[2] = c, lane[3] = d;
    lane[4] = e, lane[5] = f, lane[6] = g, lane[7] = h;
}

/* Takes stripes in and copies them past the caches, which needs aligned places: the bytes up to the
 * first and from the last of those on are copied by themselves. */
static void stripes_far(uint64_t lane[8], uint8_t *to, const uint8_t *from, size_t count) {
    size_t head = (size_t)(-(uintptr_t)to % STRIPE);
    memcpy(to, from, head);
    stripes_take(lane, from, count - 1, COPY_FAR, to + head, from + head);
    size_t done = head + (count - 1) * STRIPE;
    memcpy(to + done, from + done, STRIPE - head);
    stripes_take(lane, from + (count - 1) * STRIPE, 1, COPY_NONE, NULL, NULL);
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* Fills up the stripe that was begun, with up to `size` bytes; returns how many. */
static size_t tail_take(stoa__checksum *checksum, const uint8_t *from, size_t size) {
    size_t filled = (size_t)(checksum->size % STRIPE);
    if (filled == 0) {
        return 0;
    }
    size_t part = size < STRIPE - filled ? size : STRIPE - filled;
    memcpy(checksum->tail + filled, from, part);
    if (filled + part == STRIPE) {
        stripes_take(checksum->lane, checksum->tail, 1, COPY_NONE, NULL, NULL);
    }
    checksum->size += part;
    return part;
}

void stoa__checksum_init(stoa__checksum *checksum) {
    memcpy(checksum->lane, lane_start, sizeof checksum->lane);
    memset(checksum->tail, 0, sizeof checksum->tail);
    checksum->size = 0;
}

void stoa__checksum_add(stoa__checksum *checksum, const void *bytes, size_t size) {
    const uint8_t *from = bytes;
    size_t part = tail_take(checksum, from, size);
    size -= part;
    if (size > 0) {
        size_t whole = size / STRIPE * STRIPE;
        stripes_take(checksum->lane, from + part, size / STRIPE, COPY_NONE, NULL, NULL);
        memcpy(checksum->tail, from + part + whole, size - whole);
        checksum->size += size;
    }
}

void stoa__checksum_copy(stoa__checksum *checksum, void *to, const void *from, size_t size,
                         bool far) {
    const uint8_t *at = from;
    uint8_t *out = to;
    size_t part = tail_take(checksum, at, size);
    size -= part;
    if (part > 0) {
        memcpy(out, at, part);
    }
    if (size == 0) {
        return;
    }
    at += part;
    out += part;
    size_t whole = size / STRIPE * STRIPE;
    if (far && size >= FAR_LEAST) {
        stripes_far(checksum->lane, out, at, size / STRIPE);
    } else {
        stripes_take(checksum->lane, at, size / STRIPE, COPY_NEAR, out, at);
    }
    memcpy(out + whole, at + whole, size - whole);
    memcpy(checksum->tail, at + whole, size - whole);
    checksum->size += size;
}

uint64_t stoa__checksum_result(const stoa__checksum *checksum) {
    uint64_t lane[8];
    uint8_t last[STRIPE];
    size_t filled = (size_t)(checksum->size % STRIPE);
    memcpy(lane, checksum->lane, sizeof lane);
    memcpy(last, checksum->tail, filled);
    memset(last + filled, 0, STRIPE - filled);
    stripes_take(lane, last, 1, COPY_NONE, NULL, NULL);
    uint64_t state = checksum->size;
    for (int i = 0; i < 8; i++) {
        state = state_step(state, lane[i]);
    }
    state = (state ^ state >> 32) * FACTOR;
    return state ^ state >> 29;
}

uint64_t stoa__checksum_of(const void *bytes, size_t size) {
    stoa__checksum checksum;
    stoa__checksum_init(&checksum);
    stoa__checksum_add(&checksum, bytes, size);
    return stoa__checksum_result(&checksum);
}

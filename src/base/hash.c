/* Hashing: a mixer for table keys and a 64-bit streaming hash for content.
 *
 * Four lanes take in a stripe of 64 bytes at a time, two words each, so that the processor works on
 * four chains at once. The two words and the lane meet in one product of 128 bits, whose halves are
 * folded into one: so the top bit of a word spreads as far as the lowest, and no flip of a few bits
 * in one stripe can be undone by a flip of a few bits in the next. Words are read least byte first
 * on any machine. Linear in the size. Any thread. */
#include "base/hash.h"

#include "base/fold.h"

#include <string.h>

#define STRIPE_SIZE ((size_t)STOA__HASH_STRIPE)

/* The first 64 bits after the point of the square roots of 3 and 7; both are odd. */
#define FACTOR_WORD UINT64_C(0xbb67ae8584caa73b)
#define FACTOR_STATE UINT64_C(0xa54ff53a5f1d36f1)

/* The same of 2, 5, 11, 13, and of 17 for inputs that fill no stripe. */
static const uint64_t lane_start[4] = {
    UINT64_C(0x6a09e667f3bcc908),
    UINT64_C(0x3c6ef372fe94f82b),
    UINT64_C(0x510e527fade682d1),
    UINT64_C(0x9b05688c2b3e6c1f),
};
#define SHORT_START UINT64_C(0x1f83d9abfb41bd6b)

/* A word of the bytes that are there, fewer than eight, and zeros. */
STOA__INLINE uint64_t word_part(const uint8_t *bytes, size_t size) {
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++) {
        word |= (uint64_t)bytes[i] << (8 * i);
    }
    return word;
}

static const uint8_t *stripes_take(uint64_t lane[4], const uint8_t *bytes, size_t stripe_count) {
    uint64_t local[4];
    memcpy(local, lane, sizeof local);
    for (const uint8_t *end = bytes + stripe_count * STRIPE_SIZE; bytes < end;) {
        stoa__fold_stripe(local, bytes);
        bytes += STRIPE_SIZE;
    }
    memcpy(lane, local, sizeof local);
    return bytes;
}

/* Joins the lanes, the bytes that fill no stripe, and the size, which tells padding from zeros
 * given. */
static uint64_t result_join(const uint64_t lane[4], const uint8_t *tail, uint64_t size) {
    uint64_t state = SHORT_START;
    if (size >= STRIPE_SIZE) {
        state = stoa__fold_step(state, lane[0], lane[1]);
        state = stoa__fold_step(state, lane[2], lane[3]);
    }
    size_t left = (size_t)(size % STRIPE_SIZE);
    for (; left >= 16; left -= 16) {
        state = stoa__fold_step(state, stoa__word(tail), stoa__word(tail + 8));
        tail += 16;
    }
    if (left >= 8) {
        state = stoa__fold_step(state, stoa__word(tail), word_part(tail + 8, left - 8));
    } else if (left > 0) {
        state = stoa__fold_step(state, word_part(tail, left), 0);
    }
    return stoa__hash_mix(state ^ size);
}

/* Worlds are hashed field by field where there is padding, so a number has a way of its own: its
 * size is known to the compiler, and only one that crosses the end of a stripe takes the general
 * way. */
static inline void number_add(stoa__hasher *hasher, const uint8_t *bytes, size_t size) {
    size_t filled = (size_t)(hasher->size % STRIPE_SIZE);
    if (filled + size >= STRIPE_SIZE) {
        stoa__hasher_add(hasher, bytes, size);
        return;
    }
    memcpy(hasher->tail + filled, bytes, size);
    hasher->size += size;
}

uint64_t stoa__hash_mix(uint64_t number) {
    number += UINT64_C(0x5be0cd19137e2179);
    number = (number ^ number >> 32) * FACTOR_STATE;
    number = (number ^ number >> 29) * FACTOR_WORD;
    return number ^ number >> 32;
}

uint64_t stoa__hash_bytes(const void *bytes, size_t size) {
    uint64_t lane[4];
    memcpy(lane, lane_start, sizeof lane);
    const uint8_t *tail = bytes;
    if (size >= STRIPE_SIZE) {
        tail = stripes_take(lane, tail, size / STRIPE_SIZE);
    }
    return result_join(lane, tail, size);
}

uint64_t stoa__hash_text(const char *text) {
    return stoa__hash_bytes(text, strlen(text));
}

void stoa__hasher_init(stoa__hasher *hasher) {
    memcpy(hasher->lane, lane_start, sizeof hasher->lane);
    memset(hasher->tail, 0, sizeof hasher->tail);
    hasher->size = 0;
}

/* Fewer bytes than a stripe: a call of memcpy takes longer than to copy them. */
STOA__INLINE void part_copy(uint8_t *to, const uint8_t *from, size_t size) {
    for (; size >= 16; size -= 16, to += 16, from += 16) {
        memcpy(to, from, 16);
    }
    for (; size >= 4; size -= 4, to += 4, from += 4) {
        memcpy(to, from, 4);
    }
    for (; size > 0; size--) {
        *to++ = *from++;
    }
}

/* The pieces of columns are short, so what happens at their ends counts. */
void stoa__hasher_add(stoa__hasher *hasher, const void *bytes, size_t size) {
    if (size == 0) {
        return;
    }
    const uint8_t *from = bytes;
    size_t filled = (size_t)(hasher->size % STRIPE_SIZE);
    hasher->size += size;
    if (filled > 0) {
        size_t missing = STRIPE_SIZE - filled;
        if (size < missing) {
            part_copy(hasher->tail + filled, from, size);
            return;
        }
        if (size >= STRIPE_SIZE) {
            memcpy(hasher->tail + filled, from, STRIPE_SIZE);
        } else {
            part_copy(hasher->tail + filled, from, missing);
        }
        stripes_take(hasher->lane, hasher->tail, 1);
        from += missing;
        size -= missing;
    }
    from = stripes_take(hasher->lane, from, size / STRIPE_SIZE);
    part_copy(hasher->tail, from, size % STRIPE_SIZE);
}

void stoa__hasher_add_u32(stoa__hasher *hasher, uint32_t number) {
    uint8_t bytes[4];
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(number >> (8 * i));
    }
    number_add(hasher, bytes, sizeof bytes);
}

void stoa__hasher_add_u64(stoa__hasher *hasher, uint64_t number) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(number >> (8 * i));
    }
    number_add(hasher, bytes, sizeof bytes);
}

void stoa__hasher_add_text(stoa__hasher *hasher, const char *text) {
    /* No text in UTF-8 holds this byte. */
    const char *given = text != NULL ? text : "\xff";
    stoa__hasher_add(hasher, given, strlen(given) + 1);
}

uint64_t stoa__hasher_result(const stoa__hasher *hasher) {
    return result_join(hasher->lane, hasher->tail, hasher->size);
}

/* Hashing bytes on their way to somewhere else.
 *
 * A stripe is copied as it is taken in, so memory is read once for both. What is large is written
 * past the caches: nothing is read only to be written over, and what the caches hold stays there.
 * Linear in the size. Any thread. */
#include "base/far.h"
#include "base/fold.h"

#define STRIPE ((size_t)STOA__HASH_STRIPE)
_Static_assert(STOA__HASH_STRIPE == STOA__FAR_LINE, "a stripe is copied as a line");
/* What is not larger is not worth copying past the caches. */
#define FAR_LEAST ((size_t)1024)

static void stripes_near(uint64_t lane[4], uint8_t *to, const uint8_t *from, size_t count) {
    uint64_t local[4];
    memcpy(local, lane, sizeof local);
    for (; count > 0; count--) {
        stoa__fold_stripe(local, from);
        memcpy(to, from, STRIPE);
        from += STRIPE;
        to += STRIPE;
    }
    memcpy(lane, local, sizeof local);
}

/* Stores past the caches need aligned places, which those of the stripes need not be: so the bytes
 * up to the first aligned place and from the last on are copied by themselves, and what is copied
 * with a stripe begins as much later. */
static void stripes_far(uint64_t lane[4], uint8_t *to, const uint8_t *from, size_t count) {
    uint64_t local[4];
    size_t head = (size_t)(-(uintptr_t)to % STRIPE);
    memcpy(local, lane, sizeof local);
    memcpy(to, from, head);
    to += head;
    for (; count > 1; count--) {
        stoa__fold_stripe(local, from);
        stoa__far_line(to, from + head);
        from += STRIPE;
        to += STRIPE;
    }
    stoa__fold_stripe(local, from);
    memcpy(to, from + head, STRIPE - head);
    memcpy(lane, local, sizeof local);
}

/* Bytes that fill no stripe by themselves. */
static void part_take(stoa__hasher *hasher, uint8_t *to, const uint8_t *from, size_t size) {
    if (size > 0) {
        memcpy(to, from, size);
        stoa__hasher_add(hasher, from, size);
    }
}

void stoa__hasher_copy(stoa__hasher *hasher, void *to, const void *from, size_t size, bool far) {
    if (size == 0) {
        return;
    }
    const uint8_t *at = from;
    uint8_t *out = to;
    size_t part = (size_t)(-hasher->size % STRIPE);
    part = part < size ? part : size;
    part_take(hasher, out, at, part);
    size_t count = (size - part) / STRIPE;
    if (far && count >= FAR_LEAST / STRIPE) {
        stripes_far(hasher->lane, out + part, at + part, count);
    } else if (count > 0) {
        stripes_near(hasher->lane, out + part, at + part, count);
    }
    hasher->size += count * STRIPE;
    part += count * STRIPE;
    part_take(hasher, out + part, at + part, size - part);
}

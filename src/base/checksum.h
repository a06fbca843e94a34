/* The checksum of what is saved: made for speed, and to show any accident.
 *
 * The result depends on the bytes only, not on the machine or on how they were cut into calls; it
 * is part of the snapshot format. Not meant to withstand an attacker. */
#ifndef STOA_BASE_CHECKSUM_H
#define STOA_BASE_CHECKSUM_H

#include "stoa/compiler.h"

/* Bytes that the lanes take in at once. */
#define STOA__CHECKSUM_STRIPE 64

/* A checksum under way. */
typedef struct stoa__checksum {
    uint64_t lane[8];
    uint8_t tail[STOA__CHECKSUM_STRIPE]; /* bytes that do not fill a stripe yet */
    uint64_t size;                       /* bytes taken in so far */
} stoa__checksum;

void stoa__checksum_init(stoa__checksum *checksum);
void stoa__checksum_add(stoa__checksum *checksum, const void *bytes, size_t size);

/* Adds the bytes and copies them in the same pass; the two places do not overlap. `far`: past the
 * caches, for a part of something so large that it would not stay there. */
void stoa__checksum_copy(stoa__checksum *checksum, void *to, const void *from, size_t size,
                         bool far);

/* The checksum of all that was added; it may go on after that. */
uint64_t stoa__checksum_result(const stoa__checksum *checksum);

/* The checksum of a block. */
uint64_t stoa__checksum_of(const void *bytes, size_t size);

#endif

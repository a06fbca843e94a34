/* Hashing: a mixer for table keys and a 64-bit streaming hash for content, which is also the
 * checksum of what is saved; docs/snapshot-format.md says what it is.
 *
 * Results are the same on every machine and never seeded by chance. The stream's result depends on
 * the bytes only, not on how they were cut into calls. Not meant to withstand an attacker. */
#ifndef STOA_BASE_HASH_H
#define STOA_BASE_HASH_H

#include "stoa/compiler.h"

/* A number whose every bit depends on every bit of the input; 0 does not stay 0. */
uint64_t stoa__hash_mix(uint64_t number);

/* Hash of a block of bytes. */
uint64_t stoa__hash_bytes(const void *bytes, size_t size);

/* Hash of a zero-terminated text. */
uint64_t stoa__hash_text(const char *text);

/* Bytes that the lanes take in at once. */
#define STOA__HASH_STRIPE 64

/* A hash under way: four lanes over stripes. */
typedef struct stoa__hasher {
    uint64_t lane[4];
    uint8_t tail[2 * STOA__HASH_STRIPE]; /* bytes that do not fill a stripe yet, and room */
    uint64_t size;                       /* bytes taken in so far */
} stoa__hasher;

void stoa__hasher_init(stoa__hasher *hasher);
void stoa__hasher_add(stoa__hasher *hasher, const void *bytes, size_t size);

/* Adds the bytes and copies them in the same pass; the two places do not overlap. `far`: past the
 * caches, for a part of something so large that it would not stay there; stoa__far_end comes after
 * the last part. */
void stoa__hasher_copy(stoa__hasher *hasher, void *to, const void *from, size_t size, bool far);

/* Adds a number as its 4 or 8 bytes, least first. */
void stoa__hasher_add_u32(stoa__hasher *hasher, uint32_t number);
void stoa__hasher_add_u64(stoa__hasher *hasher, uint64_t number);

/* Adds a text with its final zero; NULL differs from "". */
void stoa__hasher_add_text(stoa__hasher *hasher, const char *text);

/* The hash of all that was added; the hasher may go on after it. */
uint64_t stoa__hasher_result(const stoa__hasher *hasher);

#endif

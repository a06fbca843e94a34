/* Many numbers at once made into those of another kind, where nothing can be lost. */
#ifndef STOA_PERSIST_SCHEMA_BLOCK_H
#define STOA_PERSIST_SCHEMA_BLOCK_H

#include "stoa/type.h"

/* Numbers that are looked at together. */
#define STOA__BLOCK_COUNT 128

/* A row of numbers of one kind, each so many bytes after the one before; none need be aligned. */
typedef struct stoa__block_from {
    const uint8_t *at;
    size_t stride;
    stoa_kind kind;
} stoa__block_from;

typedef struct stoa__block_to {
    uint8_t *at;
    size_t stride;
    stoa_kind kind;
} stoa__block_to;

/* Converts up to STOA__BLOCK_COUNT numbers. False, with nothing written, if there is no quick way,
 * or some number does not fit: they are to be converted one by one. */
bool stoa__block_convert(stoa__block_from from, stoa__block_to to, int32_t count);

#endif

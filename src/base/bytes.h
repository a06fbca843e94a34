/* Numbers and texts as bytes, least byte first on every machine: writing them to a sink, and
 * reading them from a span that may end too early.
 *
 * Both go on after a failure, which the caller asks for at the end. */
#ifndef STOA_BASE_BYTES_H
#define STOA_BASE_BYTES_H

#include "stoa/stream.h"

#include <string.h>

/* Where bytes go, and how that went so far. */
typedef struct stoa__encoder {
    const stoa_sink *sink;
    stoa_status status; /* of the first write that failed */
} stoa__encoder;

static inline void stoa__encode_bytes(stoa__encoder *output, const void *bytes, size_t size) {
    if (output->status == STOA_OK) {
        output->status = stoa_sink_write(output->sink, bytes, size);
    }
}

/* The `size` low bytes of a number. */
static inline void stoa__encode_number(stoa__encoder *output, uint64_t number, size_t size) {
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(number >> (8 * i));
    }
    stoa__encode_bytes(output, bytes, size);
}

static inline void stoa__encode_u32(stoa__encoder *output, uint32_t number) {
    stoa__encode_number(output, number, 4);
}

/* The length in 32 bits, then the bytes. */
static inline void stoa__encode_text(stoa__encoder *output, const char *text) {
    size_t length = strlen(text);
    stoa__encode_u32(output, (uint32_t)length);
    stoa__encode_bytes(output, text, length);
}

/* What is left to be read; `short_of` is set where something was not there, and 0 read instead. */
typedef struct stoa__decoder {
    stoa_span span;
    bool short_of;
} stoa__decoder;

static inline size_t stoa__decode_left(const stoa__decoder *input) {
    return (size_t)(input->span.end - input->span.at);
}

/* The next bytes, in place; NULL if there are not so many. */
static inline const uint8_t *stoa__decode_bytes(stoa__decoder *input, size_t size) {
    if (stoa__decode_left(input) < size) {
        input->short_of = true;
        return NULL;
    }
    const uint8_t *bytes = input->span.at;
    input->span.at += size;
    return bytes;
}

static inline uint64_t stoa__decode_number(stoa__decoder *input, size_t size) {
    const uint8_t *bytes = stoa__decode_bytes(input, size);
    uint64_t number = 0;
    for (size_t i = 0; bytes != NULL && i < size; i++) {
        number |= (uint64_t)bytes[i] << (8 * i);
    }
    return number;
}

static inline uint32_t stoa__decode_u32(stoa__decoder *input) {
    return (uint32_t)stoa__decode_number(input, 4);
}

/* A count of things that take at least `size` bytes each: 0 if so many cannot follow. */
static inline uint32_t stoa__decode_count(stoa__decoder *input, size_t size) {
    uint32_t count = stoa__decode_u32(input);
    if (count > stoa__decode_left(input) / size) {
        input->short_of = true;
        return 0;
    }
    return count;
}

#endif

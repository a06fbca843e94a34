/* A reader of printed values: each function reads one, and is true if it is the one expected. */
#ifndef STOA_TESTS_PRINT_READER_H
#define STOA_TESTS_PRINT_READER_H

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stoa/entity.h"

/* Where the reader is; every function moves it on, or is false at the first difference. */
typedef const char *reader;

static inline bool word_read(reader *r, const char *word) {
    size_t length = strlen(word);
    bool same = strncmp(*r, word, length) == 0;
    *r += same ? length : 0;
    return same;
}

static inline bool quoted_read(reader *r, char quote, const uint8_t *bytes, size_t count) {
    if (*(*r)++ != quote) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t byte = (uint8_t) * (*r)++;
        if (byte < 0x20 || byte == (uint8_t)quote) {
            return false;
        }
        if (byte == '\\') {
            char kind = *(*r)++;
            byte = kind == 'n' ? '\n' : kind == 't' ? '\t' : kind == 'r' ? '\r' : (uint8_t)kind;
            if (kind == 'x') {
                char hex[3] = {(*r)[0], (*r)[1], '\0'};
                byte = (uint8_t)strtoul(hex, NULL, 16);
                *r += 2;
            }
        }
        if (byte != bytes[i]) {
            return false;
        }
    }
    return *(*r)++ == quote;
}

static inline bool bytes_read(reader *r, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char hex[3] = {(*r)[1], (*r)[1] != '\0' ? (*r)[2] : '\0', '\0'};
        if (**r != (i == 0 ? '<' : ' ') || strtoul(hex, NULL, 16) != bytes[i]) {
            return false;
        }
        *r += 3;
    }
    return word_read(r, ">");
}

static inline bool integer_read(reader *r, const uint8_t *item, size_t size, bool is_signed) {
    char *end;
    uint64_t number = **r == '-' ? (uint64_t)strtoll(*r, &end, 10) : strtoull(*r, &end, 10);
    bool digits = isdigit((unsigned char)(*r)[**r == '-']) != 0, minus = **r == '-';
    uint64_t whole = 0;
    uint8_t one;
    uint16_t two;
    uint32_t four;
    switch (size) {
    case 1:
        memcpy(&one, item, size);
        whole = is_signed ? (uint64_t)(int8_t)one : one;
        break;
    case 2:
        memcpy(&two, item, size);
        whole = is_signed ? (uint64_t)(int16_t)two : two;
        break;
    case 4:
        memcpy(&four, item, size);
        whole = is_signed ? (uint64_t)(int32_t)four : four;
        break;
    default:
        memcpy(&whole, item, size);
    }
    *r = end;
    return digits && number == whole && minus == (is_signed && (int64_t)whole < 0);
}

static inline bool real_read(reader *r, const uint8_t *item, bool is_single) {
    char *end;
    float single, read_single = strtof(*r, &end);
    double real, read = strtod(*r, &end);
    bool moved = end != *r;
    *r = end;
    memcpy(&single, item, sizeof single);
    if (is_single) {
        return moved && (isnan(single) ? isnan(read_single)
                                       : memcmp(&single, &read_single, sizeof single) == 0);
    }
    memcpy(&real, item, sizeof real);
    return moved && (isnan(real) ? isnan(read) : memcmp(&real, &read, sizeof real) == 0);
}

static inline bool entity_read(reader *r, const uint8_t *item) {
    stoa_entity e;
    memcpy(&e, item, sizeof e);
    if (e.index == 0 && e.generation == 0) {
        return word_read(r, "null");
    }
    char *end;
    bool same = strtoul(*r, &end, 10) == e.index && *end == 'v';
    same = same && strtoul(end + 1, &end, 10) == e.generation;
    *r = end;
    return same;
}

static inline bool string_read(reader *r, const uint8_t *item) {
    const char *text;
    memcpy(&text, item, sizeof text);
    return text == NULL ? word_read(r, "null")
                        : quoted_read(r, '"', (const uint8_t *)text, strlen(text));
}

#endif

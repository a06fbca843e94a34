/* Text written into a buffer that may be too small.
 *
 * The buffer is terminated at the text's end, or at its own if that comes first. Each call costs
 * what it writes. */
#include "base/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FORMAT_SIZE 256

/* From here on a character is taken to be two columns wide, which is at worst too much. */
#define WIDE_FIRST 0x1100

stoa__writer stoa__writer_new(char *buffer, size_t size) {
    if (size > 0) {
        buffer[0] = '\0';
    }
    return (stoa__writer){buffer, size, 0};
}

void stoa__writer_bytes(stoa__writer *writer, const char *bytes, size_t count) {
    if (writer->length + 1 < writer->size) {
        size_t room = writer->size - 1 - writer->length;
        size_t fits = count < room ? count : room;
        memcpy(writer->buffer + writer->length, bytes, fits);
        writer->buffer[writer->length + fits] = '\0';
    }
    writer->length += count;
}

void stoa__writer_put(stoa__writer *writer, const char *text) {
    stoa__writer_bytes(writer, text, strlen(text));
}

void stoa__writer_format(stoa__writer *writer, const char *format, ...) {
    char text[FORMAT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    stoa__writer_put(writer, text);
}

/* The bytes that a lead byte announces, 0 if it is none. */
static uint32_t sequence_size(unsigned char lead) {
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead < 0xE0) {
        return 2;
    }
    if (lead >= 0xE0 && lead < 0xF0) {
        return 3;
    }
    return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

/* Characters that XML has no way to write, and those that would break a line. */
static bool character_stands(uint32_t character) {
    return character >= 0x20 && (character < 0x7F || character > 0x9F) &&
           (character < 0xD800 || character > 0xDFFF) && (character & 0xFFFE) != 0xFFFE &&
           character <= 0x10FFFF;
}

/* The character at `text`, of which `limit` bytes may be read if no zero comes first, and how many
 * bytes it has; '?' for one byte that cannot stand. */
static uint32_t character_read(const char *text, size_t limit, uint32_t *size) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t count = sequence_size(bytes[0]);
    uint32_t character = count < 2 ? bytes[0] : bytes[0] & (0x7Fu >> count);
    *size = 1;
    for (uint32_t i = 1; i < count; i++) {
        if (i >= limit || (bytes[i] & 0xC0) != 0x80) {
            return '?';
        }
        character = character << 6 | (bytes[i] & 0x3F);
    }
    if (count == 0 || character < least[count] || !character_stands(character)) {
        return '?';
    }
    *size = count;
    return character;
}

/* Writes a character that stands for itself, or '?' in its place. */
static void character_put(stoa__writer *writer, const char *text, uint32_t size,
                          uint32_t character) {
    if (character == '?') {
        stoa__writer_put(writer, "?");
    } else {
        stoa__writer_bytes(writer, text, size);
    }
}

void stoa__writer_xml(stoa__writer *writer, const char *text) {
    uint32_t size;
    for (; *text != '\0'; text += size) {
        uint32_t character = character_read(text, SIZE_MAX, &size);
        switch (character) {
        case '&':
            stoa__writer_put(writer, "&amp;");
            break;
        case '<':
            stoa__writer_put(writer, "&lt;");
            break;
        case '>':
            stoa__writer_put(writer, "&gt;");
            break;
        case '"':
            stoa__writer_put(writer, "&quot;");
            break;
        case '\'':
            stoa__writer_put(writer, "&apos;");
            break;
        default:
            character_put(writer, text, size, character);
        }
    }
}

void stoa__writer_dot(stoa__writer *writer, const char *text) {
    uint32_t size;
    for (; *text != '\0'; text += size) {
        uint32_t character = character_read(text, SIZE_MAX, &size);
        if (character == '"' || character == '\\') {
            stoa__writer_put(writer, "\\");
        }
        character_put(writer, text, size, character);
    }
}

/* Writes a byte that cannot stand in a quoted text. */
static void byte_escape(stoa__writer *writer, unsigned char byte) {
    switch (byte) {
    case '\n':
        stoa__writer_put(writer, "\\n");
        break;
    case '\r':
        stoa__writer_put(writer, "\\r");
        break;
    case '\t':
        stoa__writer_put(writer, "\\t");
        break;
    default:
        stoa__writer_format(writer, "\\x%02x", byte);
    }
}

void stoa__writer_quoted(stoa__writer *writer, char quote, const char *bytes, size_t count) {
    uint32_t size = 0;
    stoa__writer_bytes(writer, &quote, 1);
    for (size_t i = 0; i < count; i += size) {
        uint32_t character = character_read(bytes + i, count - i, &size);
        if (character == '?' && bytes[i] != '?') {
            byte_escape(writer, (unsigned char)bytes[i]);
            continue;
        }
        if (character == (unsigned char)quote || character == '\\') {
            stoa__writer_put(writer, "\\");
        }
        stoa__writer_bytes(writer, bytes + i, size);
    }
    stoa__writer_bytes(writer, &quote, 1);
}

uint32_t stoa__writer_columns(const char *text) {
    uint32_t columns = 0;
    uint32_t size;
    for (; *text != '\0'; text += size) {
        columns += character_read(text, SIZE_MAX, &size) < WIDE_FIRST ? 1 : 2;
    }
    return columns;
}

/* A JSON text under way: punctuation, lines, texts, and bytes in base 64.
 *
 * What is written is gathered in a small buffer and handed to the sink when that is full. The
 * first failure is kept, and nothing is written after it, so that callers need not look after each
 * piece. The text depends on what is written only. No memory. One thread at a time. */
#include "json/json.h"

#include <string.h>

#define INDENT 2

stoa__json_out stoa__json_out_new(const stoa_world *world, uint32_t flags, const stoa_sink *sink) {
    return (stoa__json_out){
        .world = world, .sink = sink, .compact = (flags & STOA_JSON_COMPACT) != 0, .first = true};
}

void stoa__json_out_fail(stoa__json_out *out, stoa_status status) {
    if (out->status == STOA_OK) {
        out->status = status;
    }
}

static void out_flush(stoa__json_out *out) {
    if (out->status == STOA_OK && out->used > 0) {
        out->status = stoa_sink_write(out->sink, out->buffer, out->used);
    }
    out->used = 0;
}

stoa_status stoa__json_out_end(stoa__json_out *out) {
    if (!out->compact) {
        stoa__json_out_bytes(out, "\n", 1);
    }
    out_flush(out);
    return out->status;
}

void stoa__json_out_bytes(stoa__json_out *out, const char *bytes, size_t size) {
    while (size > STOA__JSON_BUFFER - out->used) {
        size_t part = STOA__JSON_BUFFER - out->used;
        memcpy(out->buffer + out->used, bytes, part);
        out->used += part;
        bytes += part;
        size -= part;
        out_flush(out);
    }
    memcpy(out->buffer + out->used, bytes, size);
    out->used += size;
}

void stoa__json_out_put(stoa__json_out *out, const char *text) {
    stoa__json_out_bytes(out, text, strlen(text));
}

/* Goes on to the place of the next member. */
static void out_next(stoa__json_out *out) {
    static const char spaces[] = "                ";
    if (!out->first) {
        stoa__json_out_bytes(out, ",", 1);
    }
    if (!out->compact && out->inline_depth == 0) {
        stoa__json_out_bytes(out, "\n", 1);
        size_t left = (size_t)out->depth * INDENT;
        while (left > 0) {
            size_t part = left < sizeof spaces - 1 ? left : sizeof spaces - 1;
            stoa__json_out_bytes(out, spaces, part);
            left -= part;
        }
    } else if (!out->compact && !out->first) {
        stoa__json_out_bytes(out, " ", 1);
    }
    out->first = false;
}

void stoa__json_out_open(stoa__json_out *out, char bracket, bool tall) {
    stoa__json_out_bytes(out, &bracket, 1);
    if (tall && out->inline_depth == 0) {
        out->depth++;
    } else {
        out->inline_depth++;
    }
    out->first = true;
}

void stoa__json_out_close(stoa__json_out *out, char bracket) {
    bool empty = out->first;
    if (out->inline_depth > 0) {
        out->inline_depth--;
    } else {
        out->depth--;
        if (!empty) {
            out->first = true; /* no comma */
            out_next(out);
        }
    }
    stoa__json_out_bytes(out, &bracket, 1);
    out->first = false;
}

void stoa__json_out_key(stoa__json_out *out, const char *key) {
    out_next(out);
    stoa__json_out_string(out, key);
    stoa__json_out_put(out, out->compact ? ":" : ": ");
}

void stoa__json_out_item(stoa__json_out *out) {
    out_next(out);
}

/* The bytes of the character at `text`, 0 if there is none in so many bytes. */
static size_t character_size(const unsigned char *text, size_t left) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = text[0];
    size_t size = lead < 0x80   ? 1
                  : lead < 0xC2 ? 0
                  : lead < 0xE0 ? 2
                  : lead < 0xF0 ? 3
                  : lead < 0xF5 ? 4
                                : 0;
    if (size > left) {
        return 0;
    }
    uint32_t character = size < 2 ? lead : lead & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
        character = character << 6 | (text[i] & 0x3Fu);
    }
    bool stands = size < 2 || (character >= least[size] && character <= 0x10FFFF &&
                               (character < 0xD800 || character > 0xDFFF));
    return stands ? size : 0;
}

bool stoa__json_is_utf8(const char *text, size_t size) {
    while (size > 0) {
        size_t part = character_size((const unsigned char *)text, size);
        if (part == 0) {
            return false;
        }
        text += part;
        size -= part;
    }
    return true;
}

static void character_escape(stoa__json_out *out, unsigned char byte) {
    static const char digits[] = "0123456789abcdef";
    char text[7] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15], 0};
    const char *name = byte == '\n'   ? "\\n"
                       : byte == '\t' ? "\\t"
                       : byte == '\r' ? "\\r"
                       : byte == '"'  ? "\\\""
                       : byte == '\\' ? "\\\\"
                                      : text;
    stoa__json_out_put(out, name);
}

static bool byte_stands(unsigned char byte) {
    return byte >= 0x20 && byte != '"' && byte != '\\';
}

/* The text without its quotes. */
static void text_body(stoa__json_out *out, const char *text, size_t size) {
    size_t start = 0;
    for (size_t i = 0; i < size; i++) {
        if (!byte_stands((unsigned char)text[i])) {
            stoa__json_out_bytes(out, text + start, i - start);
            character_escape(out, (unsigned char)text[i]);
            start = i + 1;
        }
    }
    stoa__json_out_bytes(out, text + start, size - start);
}

void stoa__json_out_text(stoa__json_out *out, const char *text, size_t size) {
    if (!stoa__json_is_utf8(text, size)) {
        stoa__json_out_fail(
            out, stoa__error(STOA_INVALID, "'%.*s' is no UTF-8", size < 64 ? (int)size : 64, text));
        return;
    }
    stoa__json_out_bytes(out, "\"", 1);
    text_body(out, text, size);
    stoa__json_out_bytes(out, "\"", 1);
}

void stoa__json_out_string(stoa__json_out *out, const char *text) {
    stoa__json_out_text(out, text, strlen(text));
}

void stoa__json_out_escaped(stoa__json_out *out, const char *text) {
    text_body(out, text, strlen(text));
}

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Writes what up to three bytes stand for. */
static void encoder_put(stoa__json_encoder *encoder) {
    uint32_t bits = encoder->bits << (8 * (3 - encoder->count));
    char text[4];
    for (uint32_t i = 0; i < 4; i++) {
        text[i] = '=';
        if (i <= encoder->count) {
            text[i] = base64_digits[bits >> (18 - 6 * i) & 63];
        }
    }
    stoa__json_out_bytes(encoder->out, text, sizeof text);
    encoder->bits = 0;
    encoder->count = 0;
}

static stoa_status encoder_write(void *user, const void *bytes, size_t size) {
    stoa__json_encoder *encoder = user;
    const uint8_t *from = bytes;
    for (size_t i = 0; i < size; i++) {
        encoder->bits = encoder->bits << 8 | from[i];
        if (++encoder->count == 3) {
            encoder_put(encoder);
        }
    }
    return encoder->out->status;
}

stoa_sink stoa__json_encoder_open(stoa__json_encoder *encoder, stoa__json_out *out) {
    *encoder = (stoa__json_encoder){out, 0, 0};
    stoa__json_out_bytes(out, "\"", 1);
    return (stoa_sink){encoder_write, encoder};
}

void stoa__json_encoder_close(stoa__json_encoder *encoder) {
    if (encoder->count > 0) {
        encoder_put(encoder);
    }
    stoa__json_out_bytes(encoder->out, "\"", 1);
}

bool stoa__json_decode(const char *text, size_t length, uint8_t *bytes, size_t *size) {
    *size = 0;
    size_t pads = length < 2 ? 0 : text[length - 2] == '=' ? 2 : text[length - 1] == '=' ? 1 : 0;
    if (length % 4 != 0) {
        return false;
    }
    uint32_t bits = 0;
    for (size_t i = 0; i < length - pads; i++) {
        const char *digit = memchr(base64_digits, text[i], sizeof base64_digits - 1);
        if (digit == NULL) {
            return false;
        }
        bits = bits << 6 | (uint32_t)(digit - base64_digits);
        if (i % 4 != 0) {
            bytes[(*size)++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
        }
    }
    /* What is left of the last digit is zero, so that bytes have one text only. */
    return pads == 0 || (bits & (pads == 2 ? 15u : 3u)) == 0;
}

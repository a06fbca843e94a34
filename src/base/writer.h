/* Text written into a buffer that may be too small: what fits is kept, and all of it is counted.
 *
 * Nothing is allocated. The buffer holds a terminated text after every call. */
#ifndef STOA_BASE_WRITER_H
#define STOA_BASE_WRITER_H

#include "stoa/compiler.h"

typedef struct stoa__writer {
    char *buffer;  /* may be NULL if `size` is 0 */
    size_t size;   /* of the buffer, the final zero included */
    size_t length; /* of all that was written, whether it fit or not */
} stoa__writer;

/* A writer that begins an empty text. */
stoa__writer stoa__writer_new(char *buffer, size_t size);

void stoa__writer_bytes(stoa__writer *writer, const char *bytes, size_t count);
void stoa__writer_put(stoa__writer *writer, const char *text);

/* For short texts without user's content: at most 255 bytes are written. */
void stoa__writer_format(stoa__writer *writer, const char *format, ...) STOA_PRINTF(2, 3);

/* The text for XML, outside of tags or in an attribute; for a string of a DOT file. What cannot
 * stand there, such as control characters and bytes that are no UTF-8, is written as '?'. */
void stoa__writer_xml(stoa__writer *writer, const char *text);
void stoa__writer_dot(stoa__writer *writer, const char *text);

/* The bytes between quotes, `"` or `'`, with a backslash before quotes and backslashes. Control
 * characters and bytes that are no UTF-8 are written as `\n`, `\r`, `\t` or `\x1b`. */
void stoa__writer_quoted(stoa__writer *writer, char quote, const char *bytes, size_t count);

/* How many columns the text takes in a font of fixed width, as the two above write it. */
uint32_t stoa__writer_columns(const char *text);

#endif

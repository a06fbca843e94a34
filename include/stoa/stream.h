/* Streams of bytes: where what is saved goes, and where what is loaded comes from. */
#ifndef STOA_STREAM_H
#define STOA_STREAM_H

#include "stoa/allocator.h"
#include "stoa/status.h"

STOA_BEGIN

/// Takes `size` bytes; anything but STOA_OK ends the writing.
typedef stoa_status (*stoa_write_fn)(void *user, const void *bytes, size_t size);

/// Where bytes go.
typedef struct stoa_sink {
    stoa_write_fn write; ///< what is called with them
    void *user;          ///< handed to every call
} stoa_sink;

/// Fills in up to `size` bytes and tells how many they are: at least one, or 0 at the end.
typedef stoa_status (*stoa_read_fn)(void *user, void *bytes, size_t size, size_t *got);

/// Where bytes come from.
typedef struct stoa_source {
    stoa_read_fn read; ///< what is asked for them
    void *user;        ///< handed to every call
} stoa_source;

/// Writes all bytes to a sink.
stoa_status stoa_sink_write(const stoa_sink *sink, const void *bytes, size_t size);

/// Reads just so many bytes, by as many calls as it takes; STOA_CORRUPT if they end before.
stoa_status stoa_source_read(const stoa_source *source, void *bytes, size_t size);

/// Bytes in memory that grow as they are written; zeroed it is empty.
typedef struct stoa_blob {
    uint8_t *data;                   ///< the bytes; NULL while there are none
    size_t size;                     ///< how many there are
    size_t capacity;                 ///< how many there is room for
    const stoa_allocator *allocator; ///< NULL: stoa_allocator_default. Must outlive the blob
} stoa_blob;

/// A sink that appends to a blob; STOA_NO_MEMORY leaves the blob as it was.
stoa_sink stoa_blob_sink(stoa_blob *blob);

/// Makes room for so many bytes in all.
stoa_status stoa_blob_reserve(stoa_blob *blob, size_t capacity);

/// Frees the memory of a blob, which is empty then; NULL is fine.
void stoa_blob_free(stoa_blob *blob);

/// Bytes in memory that are read one after the other.
typedef struct stoa_span {
    const uint8_t *at;  ///< the next one
    const uint8_t *end; ///< past the last
} stoa_span;

/// A source that reads from a span, which moves on.
stoa_source stoa_span_source(stoa_span *span);

STOA_END

#endif

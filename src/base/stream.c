/* Streams: sinks, sources, and those on memory.
 *
 * A blob grows by doubling, so that writing piece by piece costs O(size) in all. */
#include "stoa/stream.h"

#include "base/error.h"
#include "base/heap.h"

#include <string.h>

/* The least room that a blob is given. */
#define BLOB_FIRST 256u
/* Blobs are aligned so that what is saved in them may be read in place. */
#define BLOB_ALIGNMENT 64u

stoa_status stoa_sink_write(const stoa_sink *sink, const void *bytes, size_t size) {
    if (sink == NULL || sink->write == NULL || (bytes == NULL && size > 0)) {
        return stoa__error(STOA_NULL_ARGUMENT, "a sink and bytes are needed");
    }
    return size > 0 ? sink->write(sink->user, bytes, size) : STOA_OK;
}

stoa_status stoa_source_read(const stoa_source *source, void *bytes, size_t size) {
    if (source == NULL || source->read == NULL || (bytes == NULL && size > 0)) {
        return stoa__error(STOA_NULL_ARGUMENT, "a source and room for bytes are needed");
    }
    uint8_t *to = bytes;
    while (size > 0) {
        size_t got = 0;
        stoa_status status = source->read(source->user, to, size, &got);
        if (status != STOA_OK) {
            return status;
        }
        if (got == 0 || got > size) {
            return stoa__error(STOA_CORRUPT, "the data ends where %zu more bytes should be", size);
        }
        to += got;
        size -= got;
    }
    return STOA_OK;
}

static stoa__heap blob_heap(const stoa_blob *blob) {
    stoa_allocator plain = stoa_allocator_default();
    stoa__heap heap;
    stoa__heap_init(&heap, blob->allocator != NULL ? blob->allocator : &plain);
    return heap;
}

stoa_status stoa_blob_reserve(stoa_blob *blob, size_t capacity) {
    if (blob == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the blob must not be null");
    }
    if (capacity <= blob->capacity) {
        return STOA_OK;
    }
    stoa__heap heap = blob_heap(blob);
    uint8_t *data = stoa__heap_resize(&heap, blob->data, blob->capacity, capacity, BLOB_ALIGNMENT);
    if (data == NULL) {
        return stoa__error_memory("what is saved");
    }
    blob->data = data;
    blob->capacity = capacity;
    return STOA_OK;
}

static stoa_status blob_write(void *user, const void *bytes, size_t size) {
    stoa_blob *blob = user;
    if (size > SIZE_MAX / 2 - blob->size) {
        return stoa__error_memory("what is saved");
    }
    size_t need = blob->size + size;
    if (need > blob->capacity) {
        size_t want = blob->capacity < BLOB_FIRST ? BLOB_FIRST : blob->capacity;
        while (want < need) {
            want *= 2;
        }
        stoa_status status = stoa_blob_reserve(blob, want);
        if (status != STOA_OK) {
            return status;
        }
    }
    memcpy(blob->data + blob->size, bytes, size);
    blob->size = need;
    return STOA_OK;
}

stoa_sink stoa_blob_sink(stoa_blob *blob) {
    return (stoa_sink){blob != NULL ? blob_write : NULL, blob};
}

void stoa_blob_free(stoa_blob *blob) {
    if (blob != NULL) {
        stoa__heap heap = blob_heap(blob);
        stoa__heap_free(&heap, blob->data, blob->capacity, BLOB_ALIGNMENT);
        blob->data = NULL;
        blob->size = 0;
        blob->capacity = 0;
    }
}

static stoa_status span_read(void *user, void *bytes, size_t size, size_t *got) {
    stoa_span *span = user;
    size_t left = (size_t)(span->end - span->at);
    *got = size < left ? size : left;
    if (*got > 0) {
        memcpy(bytes, span->at, *got);
        span->at += *got;
    }
    return STOA_OK;
}

stoa_source stoa_span_source(stoa_span *span) {
    return (stoa_source){span != NULL ? span_read : NULL, span};
}

/* Putting the bytes of a snapshot somewhere.
 *
 * Bytes are copied and their checksum is taken in the same pass. An output that has failed takes
 * no more bytes and keeps the first failure, so that callers need not look after each. One thread
 * at a time. */
#include "base/error.h"
#include "persist/snapshot.h"

#include <string.h>

const char *const stoa__section_names[STOA__SECTION_OF_EXTENSION] = {
    "schema",    "slots",          "tick", "archetype", "sparse", "ticks",
    "resources", "resource-ticks", "log",  "events",    "app",
};

void stoa__output_put(stoa__output *output, const void *bytes, size_t size) {
    if (output->status != STOA_OK) {
        return;
    }
    output->size += size;
    const uint8_t *from = bytes;
    while (output->begin != NULL && size > 0 && output->status == STOA_OK) {
        size_t room = (size_t)(output->end - output->at);
        size_t part = size < room ? size : room;
        stoa__hasher_copy(&output->checksum, output->at, from, part, output->far);
        output->at += part;
        from += part;
        size -= part;
        if (output->at == output->end && output->sink != NULL) {
            stoa__output_flush(output);
        } else if (size > 0) {
            output->status = stoa__error(STOA_FAILED, "what is saved has grown while it was saved");
        }
    }
}

void stoa__output_u8(stoa__output *output, uint8_t number) {
    stoa__output_put(output, &number, 1);
}

void stoa__output_u32(stoa__output *output, uint32_t number) {
    uint8_t bytes[4];
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(number >> (8 * i));
    }
    stoa__output_put(output, bytes, sizeof bytes);
}

void stoa__output_u64(stoa__output *output, uint64_t number) {
    stoa__output_u32(output, (uint32_t)number);
    stoa__output_u32(output, (uint32_t)(number >> 32));
}

void stoa__output_u32s(stoa__output *output, const uint32_t *numbers, size_t count) {
    if (STOA__LITTLE || output->begin == NULL) {
        stoa__output_put(output, numbers, count * sizeof *numbers);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        stoa__output_u32(output, numbers[i]);
    }
}

void stoa__output_zeros(stoa__output *output, uint32_t count) {
    static const uint8_t zeros[STOA__SNAPSHOT_UNIT];
    stoa__output_put(output, zeros, count);
}

stoa_status stoa__output_flush(stoa__output *output) {
    if (output->status == STOA_OK && output->sink != NULL && output->at != output->begin) {
        output->status =
            stoa_sink_write(output->sink, output->begin, (size_t)(output->at - output->begin));
        output->at = output->begin;
    }
    return output->status;
}

static stoa_status sink_put(void *user, const void *bytes, size_t size) {
    stoa__output *output = user;
    if (bytes == NULL && size > 0) {
        return stoa__error(STOA_NULL_ARGUMENT, "bytes are needed and null was given");
    }
    stoa__output_put(output, bytes, size);
    return output->status;
}

stoa_sink stoa__output_sink(stoa__output *output) {
    return (stoa_sink){sink_put, output};
}

void stoa__output_section(stoa__output *output, const char *name, uint32_t flags,
                          uint64_t body_size) {
    size_t length = strlen(name);
    stoa__hasher_init(&output->checksum);
    stoa__output_u64(output, body_size);
    stoa__output_u32(output, flags);
    stoa__output_u32(output, (uint32_t)length);
    stoa__output_put(output, name, length);
    stoa__output_zeros(output, stoa__snapshot_padding(length));
}

void stoa__output_section_end(stoa__output *output, uint64_t body_size) {
    stoa__output_zeros(output, stoa__snapshot_padding(body_size));
    stoa__output_u64(output, stoa__hasher_result(&output->checksum));
}

void stoa__output_header(stoa__output *output, const stoa__snapshot_header *header) {
    stoa__hasher_init(&output->checksum);
    stoa__output_u32(output, STOA__SNAPSHOT_MAGIC);
    stoa__output_u32(output, header->version);
    stoa__output_u32(output, header->section_count);
    stoa__output_u32(output, header->archetype_count);
    stoa__output_u32(output, header->slot_count);
    stoa__output_u32(output, header->entity_count);
    stoa__output_u64(output, header->size);
    stoa__output_u64(output, stoa__hasher_result(&output->checksum));
}

/* Where a snapshot is loaded from: memory, a stream, a file; and checking one without a world.
 *
 * In memory sections are read where they are. A stream is read section by section, into a buffer
 * that grows as bytes come, never by what they promise. A file is read as a whole. */
#include "base/error.h"
#include "base/far.h"
#include "os/file.h"
#include "persist/snapshot_load.h"
#include "stoa/commands.h"

#include <string.h>

/* What a buffer is grown by at first. */
#define READ_FIRST ((size_t)64 << 10)

/* STOA_OK if a snapshot can be loaded into the world now; otherwise reported. */
static stoa_status world_is_empty(const stoa_world *world, const stoa_snapshot_load_desc *desc) {
    stoa_status status = stoa__app_check(world, desc != NULL ? desc->app : NULL);
    if (status == STOA_OK) {
        status = stoa_may_change(world);
    }
    if (status != STOA_OK) {
        return status;
    }
    if (stoa_lock_of(world, STOA_NULL) != STOA_UNLOCKED) {
        status = stoa__error(STOA_LOCKED, "a snapshot cannot be loaded inside a hook");
    } else if (stoa_count(world) > 0) {
        status = stoa__error(STOA_INVALID,
                             "a snapshot is loaded into an empty world, and this has %d entities",
                             stoa_count(world));
    } else if (stoa_commands_pending(world) > 0) {
        status = stoa__error(STOA_INVALID, "a snapshot cannot be loaded while commands are "
                                           "recorded: flush or clear them first");
    }
    return stoa_world_report(world, status);
}

static stoa_status header_take(stoa__loader *loader, const uint8_t *bytes) {
    stoa_status status = stoa__snapshot_header_read(&loader->header, bytes, loader->checked);
    if (status == STOA_OK && loader->desc.size_max != 0 &&
        loader->header.size > loader->desc.size_max) {
        status = stoa__error(STOA_LIMIT, "the snapshot has %llu bytes, and may have %llu",
                             (unsigned long long)loader->header.size,
                             (unsigned long long)loader->desc.size_max);
    }
    loader->taken = STOA__SNAPSHOT_HEADER;
    return status;
}

static stoa_status size_check(const stoa__snapshot_header *header, size_t size) {
    return header->size == size
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "the snapshot has %zu bytes, and should have %llu", size,
                             (unsigned long long)header->size);
}

static stoa_status bytes_short(size_t size) {
    return stoa__error(STOA_CORRUPT, "this is no snapshot: it has %zu bytes", size);
}

/* Hands a section over whose bytes are there. The checksum of rows is taken as their handles and
 * values are copied, that of other sections before they are used. */
static stoa_status section_load(stoa__loader *loader, stoa__section *section, const uint8_t *bytes,
                                uint64_t size) {
    stoa_status status = stoa__section_read(section, bytes);
    if (!loader->checked) {
        return status == STOA_OK ? stoa__loader_section(loader, section) : status;
    }
    if (status != STOA_OK || section->kind != STOA__SECTION_ARCHETYPE || loader->drops) {
        if (!stoa__section_sound(bytes, size)) {
            return stoa__section_damaged(section);
        }
        return status == STOA_OK ? stoa__loader_section(loader, section) : status;
    }
    stoa__hasher_init(&loader->checksum);
    loader->summed = bytes;
    status = stoa__loader_section(loader, section);
    stoa__far_end();
    stoa__loader_sum(loader, bytes + size - 8);
    loader->summed = NULL;
    return stoa__hasher_result(&loader->checksum) == stoa__read_u64(bytes + size - 8)
               ? status
               : stoa__section_damaged(section);
}

static stoa_status bytes_load(stoa__loader *loader, const uint8_t *bytes, size_t size) {
    if (size < STOA__SNAPSHOT_HEADER) {
        return bytes_short(size);
    }
    stoa_status status = header_take(loader, bytes);
    if (status == STOA_OK) {
        status = size_check(&loader->header, size);
    }
    while (status == STOA_OK && loader->taken < size) {
        stoa__section section;
        uint64_t whole = 0;
        const uint8_t *at = bytes + loader->taken;
        status = stoa__section_head_read(&section, at, size - loader->taken, &whole);
        if (status == STOA_OK) {
            status = section_load(loader, &section, at, whole);
        }
        loader->taken += whole;
    }
    return status == STOA_OK ? stoa__loader_end(loader) : status;
}

/* Reads more bytes to the end of a blob; the room grows with what has come. */
static stoa_status stream_read(const stoa_source *source, stoa_blob *blob, uint64_t size) {
    stoa_status status = STOA_OK;
    while (size > 0 && status == STOA_OK) {
        if (blob->size == blob->capacity) {
            size_t more = blob->size < READ_FIRST ? READ_FIRST : blob->size;
            more = size < more ? (size_t)size : more;
            status = stoa_blob_reserve(blob, blob->size + more);
        }
        if (status == STOA_OK) {
            size_t room = blob->capacity - blob->size;
            size_t part = size < room ? (size_t)size : room;
            status = stoa_source_read(source, blob->data + blob->size, part);
            blob->size += status == STOA_OK ? part : 0;
            size -= part;
        }
    }
    return status;
}

/* Reads one section and hands it over. The blob is the loader's if it must stay. */
static stoa_status stream_section(stoa__loader *loader, const stoa_source *source,
                                  stoa_blob *blob) {
    stoa__section section;
    uint64_t whole = 0;
    uint64_t left = loader->header.size - loader->taken;
    blob->size = 0;
    if (!stoa__heap_grow(&loader->heap, &loader->blocks, &loader->block_capacity,
                         loader->block_count + 1, sizeof *loader->blocks)) {
        return stoa__error_memory("a snapshot");
    }
    stoa_status status =
        stream_read(source, blob, left < STOA__SECTION_HEAD ? left : STOA__SECTION_HEAD);
    if (status == STOA_OK) {
        status = stoa__section_head_read(&section, blob->data, left, &whole);
    }
    if (status == STOA_OK) {
        status = stream_read(source, blob, whole - STOA__SECTION_HEAD);
    }
    if (status == STOA_OK) {
        status = section_load(loader, &section, blob->data, whole);
    }
    if (status == STOA_OK && loader->keeps) {
        loader->blocks[loader->block_count++] = *blob;
        *blob = (stoa_blob){.allocator = blob->allocator};
    }
    loader->taken += whole;
    return status;
}

static stoa_status stream_load(stoa__loader *loader, const stoa_source *source) {
    uint8_t bytes[STOA__SNAPSHOT_HEADER];
    stoa_blob blob = {.allocator = stoa_world_allocator(loader->world)};
    stoa_status status = stoa_source_read(source, bytes, sizeof bytes);
    if (status == STOA_OK) {
        status = header_take(loader, bytes);
    }
    while (status == STOA_OK && loader->taken < loader->header.size) {
        status = stream_section(loader, source, &blob);
    }
    if (status == STOA_OK) {
        status = stoa__loader_end(loader);
    }
    stoa_blob_free(&blob);
    return status;
}

/* Ends a load: tells of its failure, unless that was done. */
static stoa_status load_finish(stoa__loader *loader, stoa_status status, uint32_t errors) {
    stoa_world *world = loader->world;
    bool told = loader->told;
    if (status != STOA_OK && stoa__error_count() == errors) {
        stoa__error(status, "the snapshot could not be loaded: %s", stoa_status_text(status));
    }
    stoa__loader_fini(loader);
    return told ? status : stoa_world_report(world, status);
}

stoa_status stoa__snapshot_load_bytes(stoa_world *world, const stoa_snapshot_load_desc *desc,
                                      const void *bytes, size_t size, bool checked) {
    stoa_status status = world_is_empty(world, desc);
    if (status != STOA_OK) {
        return status;
    }
    uint32_t errors = stoa__error_count();
    stoa__loader loader;
    stoa__loader_init(&loader, world, desc, checked);
    return load_finish(&loader, bytes_load(&loader, bytes, size), errors);
}

stoa_status stoa__snapshot_load_stream(stoa_world *world, const stoa_snapshot_load_desc *desc,
                                       const stoa_source *source, bool checked) {
    stoa_status status = world_is_empty(world, desc);
    if (status != STOA_OK) {
        return status;
    }
    uint32_t errors = stoa__error_count();
    stoa__loader loader;
    stoa__loader_init(&loader, world, desc, checked);
    return load_finish(&loader, stream_load(&loader, source), errors);
}

static stoa_status null_report(const stoa_world *world, const char *what) {
    return stoa_world_report(
        world, stoa__error(STOA_NULL_ARGUMENT, "%s is needed and null was given", what));
}

stoa_status stoa_snapshot_load(stoa_world *world, const stoa_snapshot_load_desc *desc,
                               const stoa_source *source) {
    if (world == NULL || source == NULL || source->read == NULL) {
        return null_report(world, world == NULL ? "a world" : "a source");
    }
    return stoa__snapshot_load_stream(world, desc, source, true);
}

stoa_status stoa_snapshot_load_memory(stoa_world *world, const stoa_snapshot_load_desc *desc,
                                      const void *bytes, size_t size) {
    if (world == NULL || (bytes == NULL && size > 0)) {
        return null_report(world, world == NULL ? "a world" : "the snapshot");
    }
    return stoa__snapshot_load_bytes(world, desc, bytes, size, true);
}

stoa_status stoa_snapshot_load_file(stoa_world *world, const stoa_snapshot_load_desc *desc,
                                    const char *path) {
    if (world == NULL || path == NULL) {
        return null_report(world, world == NULL ? "a world" : "a path");
    }
    stoa_status status = world_is_empty(world, desc);
    if (status != STOA_OK) {
        return status;
    }
    stoa_blob blob = {.allocator = stoa_world_allocator(world)};
    uint64_t most = desc != NULL && desc->size_max != 0 ? desc->size_max : UINT64_MAX;
    status = stoa__file_read(path, most, &blob);
    if (status == STOA_OK) {
        status = stoa__snapshot_load_bytes(world, desc, blob.data, blob.size, true);
    } else {
        stoa_world_report(world, status);
    }
    stoa_blob_free(&blob);
    return status;
}

/* Saving a world as a snapshot.
 *
 * The whole is surveyed first: sections, their sizes and what can go wrong with what the world
 * holds are known before a byte is written. Memory is taken for the table of entities, the tables
 * of components and a buffer, not for what is saved. O(content). One thread at a time. */
#include "base/error.h"
#include "base/far.h"
#include "os/file.h"
#include "persist/snapshot_write.h"
#include "stoa/commands.h"
#include "stoa/fast.h"

#include <string.h>

/* What a sink is given at once, at most. */
#define BUFFER_SIZE ((size_t)64 << 10)

/* STOA_OK if the world can be saved as it stands; otherwise reported. */
static stoa_status world_is_still(const stoa_world *world, const stoa_snapshot_save_desc *desc) {
    stoa_status status = stoa__app_check(world, desc != NULL ? desc->app : NULL);
    if (status == STOA_OK) {
        /* Reported by itself. A sealed world cannot change, which does no harm here. */
        status = stoa_world_sealed(world) ? STOA_OK : stoa_may_change(world);
    }
    if (status != STOA_OK) {
        return status;
    }
    if ((((const stoa_world_head *)(const void *)world)->open & STOA_OPEN_FORKED) != 0) {
        status = stoa__error(STOA_FORKED, "a world cannot be saved while command buffers are "
                                          "filled by threads");
    } else if (stoa_lock_of(world, STOA_NULL) != STOA_UNLOCKED) {
        status = stoa__error(STOA_LOCKED, "a world cannot be saved inside a hook");
    } else if (stoa_commands_pending(world) > 0) {
        status = stoa__error(STOA_INVALID, "a world cannot be saved while commands are recorded: "
                                           "flush or clear them first");
    }
    return stoa_world_report(world, status);
}

static const char *section_name(const stoa__saver *saver, const stoa__saved_section *section) {
    return section->kind == STOA__SECTION_OF_EXTENSION ? saver->extensions[section->index]->name
                                                       : stoa__section_names[section->kind];
}

/* What the header says; its size is that of the whole. */
static stoa__snapshot_header header_make(const stoa__saver *saver) {
    stoa__snapshot_header header = {.version = STOA_SNAPSHOT_VERSION,
                                    .section_count = saver->section_count,
                                    .slot_count = saver->slots.count,
                                    .entity_count = (uint32_t)stoa_count(saver->world),
                                    .size = STOA__SNAPSHOT_HEADER};
    for (uint32_t i = 0; i < saver->section_count; i++) {
        const stoa__saved_section *section = &saver->sections[i];
        header.archetype_count += section->kind == STOA__SECTION_ARCHETYPE;
        header.size +=
            stoa__section_size((uint32_t)strlen(section_name(saver, section)), section->size);
    }
    return header;
}

static void section_put(stoa__saver *saver, stoa__output *output,
                        const stoa__saved_section *section) {
    uint32_t flags = STOA__SECTION_REQUIRED;
    if (section->kind == STOA__SECTION_OF_EXTENSION) {
        flags |= STOA__SECTION_EXTENSION;
    } else if (section->kind == STOA__SECTION_TICK || section->kind >= STOA__SECTION_TICKS) {
        flags = 0;
    }
    stoa__output_section(output, section_name(saver, section), flags, section->size);
    uint64_t before = output->size;
    stoa__saver_body(saver, output, section);
    if (output->status == STOA_OK && output->size - before != section->size) {
        output->status =
            stoa__error(STOA_FAILED, "section '%s' was not saved twice in the same way",
                        section_name(saver, section));
    }
    stoa__output_section_end(output, section->size);
}

static stoa_status world_put(stoa__saver *saver, const stoa__snapshot_header *header,
                             stoa__output *output) {
    stoa__output_header(output, header);
    for (uint32_t i = 0; i < saver->section_count && output->status == STOA_OK; i++) {
        section_put(saver, output, &saver->sections[i]);
    }
    return stoa__output_flush(output);
}

/* Saves to a sink, through a buffer. */
static stoa_status sink_save(const stoa_world *world, const stoa_snapshot_save_desc *desc,
                             const stoa_sink *sink) {
    stoa__saver saver;
    stoa_status status = stoa__saver_init(&saver, world, desc);
    if (status == STOA_OK) {
        stoa__snapshot_header header = header_make(&saver);
        uint8_t *buffer = stoa__heap_alloc(&saver.heap, BUFFER_SIZE, STOA__HASH_STRIPE);
        if (buffer != NULL) {
            stoa__output output = {
                .begin = buffer, .at = buffer, .end = buffer + BUFFER_SIZE, .sink = sink};
            status = world_put(&saver, &header, &output);
        } else {
            status = stoa__error_memory("a snapshot");
        }
        stoa__heap_free(&saver.heap, buffer, BUFFER_SIZE, STOA__HASH_STRIPE);
    }
    stoa__saver_fini(&saver);
    return status;
}

/* Saves to memory, where the bytes go straight to their place. */
static stoa_status blob_save(const stoa_world *world, const stoa_snapshot_save_desc *desc,
                             stoa_blob *blob) {
    stoa__saver saver;
    stoa_status status = stoa__saver_init(&saver, world, desc);
    if (status == STOA_OK) {
        stoa__snapshot_header header = header_make(&saver);
        if (header.size > SIZE_MAX / 2 - blob->size) {
            status = stoa__error_memory("a snapshot");
        } else {
            status = stoa_blob_reserve(blob, blob->size + (size_t)header.size);
        }
        if (status == STOA_OK) {
            uint8_t *begin = blob->data + blob->size;
            stoa__output output = {.begin = begin,
                                   .at = begin,
                                   .end = begin + header.size,
                                   .far = header.size >= STOA__SNAPSHOT_FAR};
            status = world_put(&saver, &header, &output);
            stoa__far_end();
        }
        blob->size += status == STOA_OK ? (size_t)header.size : 0;
    }
    stoa__saver_fini(&saver);
    return status;
}

/* Whoever fails may leave it to us to say so. */
static stoa_status failure_tell(const stoa_world *world, stoa_status status, uint32_t errors) {
    if (status != STOA_OK && stoa__error_count() == errors) {
        stoa__error(status, "the world could not be saved: %s", stoa_status_text(status));
    }
    return stoa_world_report(world, status);
}

static stoa_status null_report(const stoa_world *world, const char *what) {
    return stoa_world_report(
        world, stoa__error(STOA_NULL_ARGUMENT, "%s is needed and null was given", what));
}

stoa_status stoa_snapshot_save(const stoa_world *world, const stoa_snapshot_save_desc *desc,
                               const stoa_sink *sink) {
    if (world == NULL || sink == NULL || sink->write == NULL) {
        return null_report(world, world == NULL ? "a world" : "a sink");
    }
    stoa_status status = world_is_still(world, desc);
    if (status != STOA_OK) {
        return status;
    }
    uint32_t errors = stoa__error_count();
    return failure_tell(world, sink_save(world, desc, sink), errors);
}

static stoa_status file_put(void *user, const void *bytes, size_t size) {
    return stoa__file_write(user, bytes, size);
}

stoa_status stoa_snapshot_save_file(const stoa_world *world, const stoa_snapshot_save_desc *desc,
                                    const char *path) {
    if (world == NULL || path == NULL) {
        return null_report(world, world == NULL ? "a world" : "a path");
    }
    stoa_status status = world_is_still(world, desc);
    if (status != STOA_OK) {
        return status;
    }
    uint32_t errors = stoa__error_count();
    stoa__file file;
    status = stoa__file_begin(&file, path, stoa_world_allocator(world));
    if (status == STOA_OK) {
        const stoa_sink sink = {file_put, &file};
        status = sink_save(world, desc, &sink);
        if (status == STOA_OK) {
            status = stoa__file_commit(&file);
        } else {
            stoa__file_cancel(&file);
        }
    }
    return failure_tell(world, status, errors);
}

stoa_status stoa_snapshot_save_memory(const stoa_world *world, const stoa_snapshot_save_desc *desc,
                                      stoa_blob *blob) {
    if (world == NULL || blob == NULL) {
        return null_report(world, world == NULL ? "a world" : "a blob");
    }
    stoa_status status = world_is_still(world, desc);
    if (status != STOA_OK) {
        return status;
    }
    uint32_t errors = stoa__error_count();
    return failure_tell(world, blob_save(world, desc, blob), errors);
}

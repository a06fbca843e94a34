/* Frames: counters and ticks, the log, when queries ran, what command buffers want, extensions.
 *
 * An extension is asked for its bytes only if its version moved on since the base; on the way back
 * it is left alone if it holds what the frame has. One without a save forgets what it knows.
 * Queries and buffers that came later are as if they were new. */
#include "world/frames.h"

#include "world/commands_buffer.h"

#include <string.h>

/* The entries that a log has. */
static size_t log_length(const stoa__log *log) {
    uint64_t count = log->next - log->first;
    return count < log->capacity ? (size_t)count : log->capacity;
}

/* True if a log is what the base has. */
static bool log_same(const stoa_frames *frames, const stoa__log *log) {
    const stoa__frame *base = frames->base;
    return base != NULL && base->log.next == log->next && base->log.first == log->first &&
           base->log.capacity == log->capacity;
}

/* Copies the entries of a log, in order, between its ring and a page. */
static void entries_copy(const stoa__log *log, stoa__page *page, bool back) {
    size_t count = log_length(log);
    stoa_log_entry *kept = (stoa_log_entry *)(void *)stoa__page_data(page);
    for (size_t i = 0; i < count; i++) {
        stoa_log_entry *entry = &log->entries[(log->next - count + i) % log->capacity];
        *(back ? entry : &kept[i]) = *(back ? &kept[i] : entry);
    }
}

static stoa_status log_save(stoa_frames *frames, stoa__frame *frame) {
    const stoa__log *log = &frames->world->log;
    frame->log = *log;
    if (log_length(log) == 0) {
        return STOA_OK;
    }
    if (log_same(frames, log)) {
        frame->log_entries = stoa__page_share(frames->base->log_entries);
        return STOA_OK;
    }
    frame->log_entries = stoa__page_new(&frames->pages, log_length(log) * sizeof(stoa_log_entry));
    if (frame->log_entries == NULL) {
        return STOA_NO_MEMORY;
    }
    entries_copy(log, frame->log_entries, false);
    return STOA_OK;
}

/* A log whose capacity is another one now cannot be had back: it begins anew, and says so. */
static void log_restore(stoa_frames *frames, const stoa__frame *frame) {
    stoa__log *log = &frames->world->log;
    if (log->capacity != frame->log.capacity) {
        log->first = log->next;
        log->lost = true;
        log->lost_tick = frame->tick;
        return;
    }
    stoa_log_entry *entries = log->entries;
    *log = frame->log;
    log->entries = entries;
    if (frame->log_entries != NULL) {
        entries_copy(log, frame->log_entries, true);
    }
}

static stoa_status buffers_save(stoa_frames *frames, stoa__frame *frame) {
    const stoa__buffers *buffers = &frames->world->buffers;
    uint32_t count = 1;
    for (const stoa_commands *c = buffers->first; c != NULL; c = c->next) {
        count++;
    }
    if (!STOA__NOTES_RESERVE(frames, frame, buffers, count)) {
        return stoa__error_memory("a frame");
    }
    const stoa_commands *c = buffers->deferred;
    for (; c != NULL; c = c == buffers->deferred ? buffers->first : c->next) {
        frame->buffers[frame->buffers_count++] = (stoa__buffer_note){c, c->wanted, c->peak};
    }
    return STOA_OK;
}

/* Buffers are listed the youngest first, so those of the frame are the last, in the same order, but
 * for those that went. */
static void buffers_restore(stoa_frames *frames, const stoa__frame *frame) {
    stoa__buffers *buffers = &frames->world->buffers;
    uint32_t from = 0;
    stoa_commands *c = buffers->deferred;
    for (; c != NULL; c = c == buffers->deferred ? buffers->first : c->next) {
        uint32_t i = from;
        while (i < frame->buffers_count && frame->buffers[i].buffer != c) {
            i++;
        }
        bool known = i < frame->buffers_count;
        c->wanted = known ? frame->buffers[i].wanted : 0;
        c->peak = known ? frame->buffers[i].peak : 0;
        from = known ? i + 1 : from;
    }
}

static stoa_status runs_save(stoa_frames *frames, stoa__frame *frame) {
    const stoa_world *world = frames->world;
    if (world->query_ops == NULL || world->query_count == 0) {
        return STOA_OK;
    }
    if (!STOA__NOTES_RESERVE(frames, frame, runs, world->query_count)) {
        return stoa__error_memory("a frame");
    }
    world->query_ops->runs_save(world, frame->runs);
    frame->runs_count = world->query_count;
    return STOA_OK;
}

/* The note of an extension in a frame, or NULL; neither need be there. */
static stoa__extension_note *extension_note(const stoa__frame *frame, const char *name) {
    for (uint32_t i = 0; frame != NULL && i < frame->extensions_count; i++) {
        if (frame->extensions[i].name == name) {
            return &frame->extensions[i];
        }
    }
    return NULL;
}

static bool extension_saves(const stoa_extension *extension) {
    return extension->save != NULL && extension->load != NULL;
}

static uint64_t extension_version(const stoa_world *world, const stoa_extension *extension) {
    return extension->version != NULL ? extension->version(world, extension->data) : 0;
}

/* True if an extension holds what a note says. */
static bool extension_same(const stoa_frames *frames, const stoa_extension *extension,
                           const stoa__extension_note *note) {
    if (note == NULL || extension->version == NULL || frames->base == NULL) {
        return false;
    }
    uint64_t version = extension_version(frames->world, extension);
    const stoa__extension_note *base = extension_note(frames->base, extension->name);
    return note->version == version ||
           (base != NULL && base->bytes == note->bytes && base->version == version);
}

static stoa_status extension_save(stoa_frames *frames, stoa__frame *frame,
                                  const stoa_extension *extension) {
    const stoa_world *world = frames->world;
    const stoa__extension_note *base = extension_note(frames->base, extension->name);
    stoa__extension_note note = {extension->name, NULL, extension_version(world, extension)};
    if (extension_same(frames, extension, base)) {
        note.bytes = stoa__page_share(base->bytes);
    } else {
        stoa_blob *blob = &frames->pages.scratch;
        stoa_sink sink = stoa_blob_sink(blob);
        blob->size = 0;
        stoa_status status = extension->save(world, extension->data, &sink);
        if (status != STOA_OK) {
            return status;
        }
        note.bytes = stoa__page_bytes(&frames->pages, blob->data, blob->size);
        if (note.bytes == NULL) {
            return STOA_NO_MEMORY;
        }
    }
    frame->extensions[frame->extensions_count++] = note;
    return STOA_OK;
}

static stoa_status extensions_save(stoa_frames *frames, stoa__frame *frame) {
    const stoa_world *world = frames->world;
    if (!STOA__NOTES_RESERVE(frames, frame, extensions, world->extension_count)) {
        return stoa__error_memory("a frame");
    }
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < world->extension_count && status == STOA_OK; i++) {
        if (extension_saves(&world->extensions[i])) {
            status = extension_save(frames, frame, &world->extensions[i]);
        }
    }
    return status;
}

stoa_status stoa__frame_rest_save(stoa_frames *frames, stoa__frame *frame) {
    const stoa__storage *storage = &frames->world->storage;
    frame->tick = storage->head.tick;
    frame->swept = frames->world->swept;
    frame->record_count = storage->head.record_count;
    frame->free_first = storage->free_first;
    frame->free_count = storage->free_count;
    frame->retired_count = storage->retired_count;
    frame->empty_count = storage->empty_count;
    stoa_status status = log_save(frames, frame);
    if (status == STOA_OK) {
        status = buffers_save(frames, frame);
    }
    if (status == STOA_OK) {
        status = runs_save(frames, frame);
    }
    return status == STOA_OK ? extensions_save(frames, frame) : status;
}

void stoa__frame_rest_free(stoa_frames *frames, stoa__frame *frame) {
    stoa__page_leave(&frames->pages, frame->log_entries);
    for (uint32_t i = 0; i < frame->extensions_count; i++) {
        stoa__page_leave(&frames->pages, frame->extensions[i].bytes);
    }
    frame->log_entries = NULL;
    frame->buffers_count = frame->runs_count = frame->extensions_count = 0;
}

void stoa__frame_rest_restore(stoa_frames *frames, const stoa__frame *frame) {
    stoa_world *world = frames->world;
    world->storage.head.tick = frame->tick;
    world->swept = frame->swept;
    log_restore(frames, frame);
    buffers_restore(frames, frame);
    if (world->query_ops != NULL) {
        world->query_ops->runs_load(world, frame->runs, frame->runs_count);
    }
}

stoa_status stoa__frame_extensions_reserve(stoa_frames *frames) {
    return STOA__NOTES_RESERVE(frames, frames, due, frames->world->extension_count)
               ? STOA_OK
               : stoa__error_memory("the extensions to be restored");
}

void stoa__frame_extensions_reset(stoa_frames *frames, const stoa__frame *frame) {
    stoa_world *world = frames->world;
    frames->due_count = world->extension_count;
    for (uint32_t i = 0; i < frames->due_count; i++) {
        const stoa_extension *extension = &world->extensions[i];
        const stoa__extension_note *note = extension_note(frame, extension->name);
        bool same = extension_saves(extension) && extension_same(frames, extension, note);
        frames->due[i] = !same && note != NULL && extension_saves(extension);
        if (!same && extension->reset != NULL) {
            extension->reset(world, extension->data);
        }
    }
}

stoa_status stoa__frame_extensions_load(stoa_frames *frames, stoa__frame *frame) {
    stoa_world *world = frames->world;
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < frames->due_count; i++) {
        const stoa_extension *extension = &world->extensions[i];
        stoa__extension_note *note = extension_note(frame, extension->name);
        if (note == NULL) {
            continue;
        }
        stoa_status loaded = STOA_OK;
        if (frames->due[i] != 0) {
            loaded = extension->load(world, extension->data, stoa__page_data(note->bytes),
                                     note->bytes->size);
        }
        if (loaded == STOA_OK) {
            /* It holds what the frame has, whatever it did to come there. */
            note->version = extension_version(world, extension);
        } else {
            status = status == STOA_OK ? loaded : status;
        }
    }
    return status;
}

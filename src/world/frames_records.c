/* Frames: saving the entity table.
 *
 * A page of the table is shared with the base unless its stamp has moved on, and a folder of pages
 * unless one of theirs has. Those that have are compared record by record: one that differs tells
 * that the rows of its chunk, the one that it was in and the one that it is in, are not those of
 * the base. O(pages of records + bytes that changed). One thread at a time. */
#include "world/frames.h"

#include <string.h>

#define FOLDER (1u << STOA__FOLDER_BITS)

/* Records of page `p` that are in use. */
static uint32_t records_of(uint32_t record_count, uint32_t p) {
    uint32_t left = record_count - (p << STOA__STAMP_BITS);
    return left < STOA__FRAME_RECORDS ? left : STOA__FRAME_RECORDS;
}

/* Folders that so many pages take. */
static uint32_t folders_of(uint32_t pages) {
    return (pages + FOLDER - 1) >> STOA__FOLDER_BITS;
}

/* Pages of folder `f` among so many. */
static uint32_t folder_size(uint32_t pages, uint32_t f) {
    uint32_t left = pages - (f << STOA__FOLDER_BITS);
    return left < FOLDER ? left : FOLDER;
}

bool stoa__frame_records_same(const stoa_frames *frames, uint32_t p) {
    const stoa__storage *storage = &frames->world->storage;
    return frames->base != NULL && p < stoa__record_pages(frames->base->record_count) &&
           (int32_t)(storage->record_stamps[p] - frames->base_stamp) < 0;
}

/* True if the base has folder `f`, which has so many pages, and none of them has moved on. */
static bool folder_same(const stoa_frames *frames, uint32_t f, uint32_t size) {
    const stoa__frame *base = frames->base;
    if (base == NULL || f >= base->records_count ||
        base->records[f]->size != size * sizeof(stoa__page *)) {
        return false;
    }
    const uint32_t *stamps = frames->world->storage.record_stamps + (f << STOA__FOLDER_BITS);
    uint32_t newer = 0;
    for (uint32_t i = 0; i < size; i++) {
        newer |= ~(stamps[i] - frames->base_stamp);
    }
    return newer >> 31 == 0;
}

/* The dead lead to no chunk. */
static void place_touch(const stoa_frames *frames, const stoa_record *record, uint32_t index) {
    uint32_t number = (record->mixed ^ index) >> STOA_PLACE_BITS;
    if (number < frames->touched_count) {
        frames->touched[number] = 1;
    }
}

static void page_touch(const stoa_frames *frames, uint32_t p) {
    const stoa__storage *storage = &frames->world->storage;
    const stoa_record *now = &storage->head.records[(size_t)p << STOA__STAMP_BITS];
    uint32_t count = records_of(storage->head.record_count, p), known = 0;
    const stoa_record *then = NULL;
    if (p < stoa__record_pages(frames->base->record_count)) {
        then = (const stoa_record *)(void *)stoa__page_data(stoa__frame_records(frames->base, p));
        known = records_of(frames->base->record_count, p);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i >= known || memcmp(&now[i], &then[i], sizeof *now) != 0) {
            place_touch(frames, &now[i], (p << STOA__STAMP_BITS) + i);
        }
        if (i < known && memcmp(&now[i], &then[i], sizeof *now) != 0) {
            place_touch(frames, &then[i], (p << STOA__STAMP_BITS) + i);
        }
    }
}

stoa_status stoa__frame_touch(stoa_frames *frames) {
    const stoa__storage *storage = &frames->world->storage;
    if (frames->base == NULL) {
        return STOA_OK;
    }
    if (!stoa__heap_grow(&frames->heap, &frames->touched, &frames->touched_capacity,
                         storage->chunk_count, sizeof *frames->touched)) {
        return stoa__error_memory("a frame");
    }
    frames->touched_count = storage->chunk_count;
    memset(frames->touched, 0, frames->touched_count);
    uint32_t pages = stoa__record_pages(storage->head.record_count);
    for (uint32_t f = 0; f < folders_of(pages); f++) {
        uint32_t first = f << STOA__FOLDER_BITS, size = folder_size(pages, f);
        if (folder_same(frames, f, size)) {
            continue;
        }
        for (uint32_t p = first; p < first + size; p++) {
            if (!stoa__frame_records_same(frames, p)) {
                page_touch(frames, p);
            }
        }
    }
    return STOA_OK;
}

/* Fills a folder that is not the base's, as far as there is memory. */
static bool folder_fill(stoa_frames *frames, stoa__page **pages, uint32_t first, uint32_t size) {
    const stoa__storage *storage = &frames->world->storage;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t p = first + i;
        pages[i] = stoa__frame_records_same(frames, p)
                       ? stoa__frame_records(frames->base, p)
                       : stoa__page_bytes(
                             &frames->pages, &storage->head.records[(size_t)p << STOA__STAMP_BITS],
                             records_of(storage->head.record_count, p) * sizeof(stoa_record));
        if (pages[i] == NULL) {
            return false;
        }
    }
    return true;
}

stoa_status stoa__frame_records_save(stoa_frames *frames, stoa__frame *frame) {
    uint32_t pages = stoa__record_pages(frames->world->storage.head.record_count);
    uint32_t folders = folders_of(pages);
    if (!STOA__NOTES_RESERVE(frames, frame, records, folders)) {
        return stoa__error_memory("a frame");
    }
    for (uint32_t f = 0; f < folders; f++) {
        uint32_t size = folder_size(pages, f);
        if (folder_same(frames, f, size)) {
            frame->records[frame->records_count++] = frames->base->records[f];
            continue;
        }
        stoa__page *folder = stoa__page_new(&frames->pages, size * sizeof(stoa__page *));
        if (folder == NULL) {
            return STOA_NO_MEMORY;
        }
        memset(stoa__page_data(folder), 0, folder->size);
        frame->records[frame->records_count++] = folder;
        if (!folder_fill(frames, stoa__folder_pages(folder), f << STOA__FOLDER_BITS, size)) {
            return STOA_NO_MEMORY;
        }
    }
    return STOA_OK;
}

void stoa__frame_pages_leave(stoa_frames *frames, stoa__page *const *pages, size_t count,
                             stoa__page *const *beside, size_t beside_count) {
    for (size_t i = 0; i < count; i++) {
        if (i >= beside_count || beside[i] != pages[i]) {
            stoa__page_leave(&frames->pages, pages[i]);
        }
    }
}

void stoa__frame_records_free(stoa_frames *frames, stoa__frame *frame, const stoa__frame *beside) {
    for (uint32_t f = 0; f < frame->records_count; f++) {
        stoa__page *folder = frame->records[f];
        const stoa__page *other =
            beside != NULL && f < beside->records_count ? beside->records[f] : NULL;
        if (folder == other) {
            continue;
        }
        stoa__frame_pages_leave(frames, stoa__folder_pages(folder),
                                folder->size / sizeof(stoa__page *),
                                other != NULL ? stoa__folder_pages(other) : NULL,
                                other != NULL ? other->size / sizeof(stoa__page *) : 0);
        stoa__page_leave(&frames->pages, folder);
    }
    frame->records_count = 0;
}

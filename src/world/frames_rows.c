/* Frames: saving the entity table and the rows of archetypes.
 *
 * A page of the table is shared with the base unless its stamp has moved on. Those that have are
 * compared record by record: one that differs tells that the rows of its chunk, the one that it was
 * in and the one that it is in, are not those of the base. A lane of any other chunk is shared
 * unless its column was marked at or after the tick of the base; what was marked at that very tick
 * may have been there already, and is compared. Switches are always compared, since nothing marks
 * them. O(chunks + pages of records + bytes that changed). One thread at a time. */
#include "world/frames.h"

#include "storage/archetype.h"

#include <string.h>

/* Chunks ahead of their turn that are asked for. */
#define AHEAD 12

/* Records of page `p` that are in use. */
static uint32_t records_of(uint32_t record_count, uint32_t p) {
    uint32_t left = record_count - (p << STOA__STAMP_BITS);
    return left < STOA__FRAME_RECORDS ? left : STOA__FRAME_RECORDS;
}

static uint32_t record_pages(uint32_t record_count) {
    return (record_count + STOA__FRAME_RECORDS - 1) >> STOA__STAMP_BITS;
}

/* True if a page of records may not be the base's. */
static bool records_stamped(const stoa_frames *frames, uint32_t p) {
    const stoa__storage *storage = &frames->world->storage;
    return p >= frames->base->records_count ||
           (int32_t)(storage->record_stamps[p] - frames->base_stamp) >= 0;
}

static void place_touch(const stoa_frames *frames, const stoa_record *record) {
    uint32_t number = record->place >> STOA_PLACE_BITS;
    if ((record->generation & STOA__DEAD) == 0 && number < frames->touched_count) {
        frames->touched[number] = 1;
    }
}

static void page_touch(const stoa_frames *frames, uint32_t p) {
    const stoa__storage *storage = &frames->world->storage;
    const stoa_record *now = &storage->head.records[(size_t)p << STOA__STAMP_BITS];
    uint32_t count = records_of(storage->head.record_count, p), known = 0;
    const stoa_record *then = NULL;
    if (p < frames->base->records_count) {
        then = (const stoa_record *)(void *)stoa__page_data(frames->base->records[p]);
        known = records_of(frames->base->record_count, p);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i >= known || memcmp(&now[i], &then[i], sizeof *now) != 0) {
            place_touch(frames, &now[i]);
        }
        if (i < known && memcmp(&now[i], &then[i], sizeof *now) != 0) {
            place_touch(frames, &then[i]);
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
    uint32_t pages = record_pages(storage->head.record_count);
    for (uint32_t p = 0; p < pages; p++) {
        if (records_stamped(frames, p)) {
            page_touch(frames, p);
        }
    }
    return STOA_OK;
}

stoa_status stoa__frame_records_save(stoa_frames *frames, stoa__frame *frame) {
    const stoa__storage *storage = &frames->world->storage;
    uint32_t pages = record_pages(storage->head.record_count);
    if (!STOA__NOTES_RESERVE(frames, frame, records, pages)) {
        return stoa__error_memory("a frame");
    }
    for (uint32_t p = 0; p < pages; p++) {
        stoa__page *page;
        if (frames->base != NULL && !records_stamped(frames, p)) {
            page = frames->base->records[p];
        } else {
            page = stoa__page_bytes(
                &frames->pages, &storage->head.records[(size_t)p << STOA__STAMP_BITS],
                records_of(storage->head.record_count, p) * sizeof(stoa_record));
        }
        if (page == NULL) {
            return STOA_NO_MEMORY;
        }
        frame->records[frame->records_count++] = page;
    }
    return STOA_OK;
}

stoa__chunk_since stoa__frame_since(const stoa_frames *frames, uint32_t archetype, int32_t c) {
    const stoa__storage *storage = &frames->world->storage;
    const stoa__archetype *owner = storage->archetypes[archetype];
    stoa__chunk_since since = {owner, &owner->head.chunks[c], NULL, NULL};
    const stoa__frame *base = frames->base;
    if (base == NULL || archetype >= base->archetypes_count ||
        base->archetypes[archetype].archetype != owner ||
        (uint32_t)c >= base->archetypes[archetype].chunk_count) {
        return since;
    }
    const stoa__chunk_note *note = stoa__frame_chunk(base, archetype, (uint32_t)c);
    if (note->number == since.chunk->number && note->count == since.chunk->count &&
        frames->touched[note->number] == 0) {
        since.base = note;
        since.states = stoa__frame_states(base, archetype, (uint32_t)c);
    }
    return since;
}

/* The state of the column that a lane belongs to. */
static const stoa_column_state *lane_state(const stoa__archetype *archetype, uint8_t *data,
                                           const stoa__lane *lane) {
    uint32_t offset = lane->kind == STOA__LANE_DATA
                          ? lane->offset
                          : stoa__archetype_column(archetype, lane->id)->offset;
    return stoa__state_of(data, offset);
}

bool stoa__frame_lane_same(const stoa_frames *frames, const stoa__chunk_since *since,
                           uint32_t lane) {
    if (since->base == NULL) {
        return false;
    }
    const stoa__lane *l = &since->archetype->lanes[lane];
    const uint8_t *live = since->chunk->data + l->offset;
    const stoa__page *page = stoa__rows_pages(stoa__rows_of(since->base->page))[lane];
    size_t size = (size_t)since->chunk->count * l->size;
    if (l->kind == STOA__LANE_OFF) {
        return memcmp(live, stoa__page_data(page), size) == 0;
    }
    const stoa_column_state *state = lane_state(since->archetype, since->chunk->data, l);
    uint32_t changed = STOA_LOAD(&state->changed), added = STOA_LOAD(&state->added);
    if (stoa__frame_older(frames, changed) && stoa__frame_older(frames, added)) {
        return true;
    }
    uint32_t tick = frames->base->tick;
    return (int32_t)(changed - tick) <= 0 && (int32_t)(added - tick) <= 0 &&
           stoa__keep_of(l->component) == STOA__KEEP_BYTES &&
           memcmp(live, stoa__page_data(page), size) == 0;
}

/* Notes a state; true if it is `base` and nothing can have been marked since. */
STOA__INLINE bool state_note(const stoa_column_state *state, stoa__state_note *note,
                             const stoa__state_note *base, uint32_t tick) {
    uint32_t changed = STOA_LOAD(&state->changed), added = STOA_LOAD(&state->added);
    *note = (stoa__state_note){state->off, changed, added};
    return (changed == base->changed) & (added == base->added) & (state->off == base->off) &
           ((int32_t)(tick - changed) > 0) & ((int32_t)(tick - added) > 0);
}

/* Notes the states of a chunk; true if all of them are those of the base, and of old. */
STOA__INLINE bool states_note(const stoa_frames *frames, const stoa__chunk_since *since,
                              stoa__state_note *notes) {
    const stoa__archetype *archetype = since->archetype;
    /* Without a base the notes are compared with themselves, and that does not matter. */
    const stoa__state_note *base = since->base != NULL ? since->states : notes;
    uint32_t tick = since->base != NULL ? frames->base->tick : 0;
    uint8_t *data = since->chunk->data;
    bool same = since->base != NULL;
    for (uint32_t i = 0; i < archetype->data_lanes; i++) {
        same &= state_note(stoa__state_of(data, archetype->lanes[i].offset), notes++, base++, tick);
    }
    for (uint32_t i = 0; i < archetype->tag_count; i++) {
        uint32_t offset = stoa__layout_tag(archetype, i);
        same &= state_note(stoa__state_of(data, offset), notes++, base++, tick);
    }
    return same;
}

/* True if the switches of a chunk are those of the base. */
static bool switches_same(const stoa_frames *frames, const stoa__chunk_since *since) {
    const stoa__archetype *archetype = since->archetype;
    for (uint32_t i = archetype->data_lanes; i < archetype->lane_count; i++) {
        if (archetype->lanes[i].kind == STOA__LANE_OFF &&
            !stoa__frame_lane_same(frames, since, i)) {
            return false;
        }
    }
    return true;
}

bool stoa__frame_chunk_same(const stoa_frames *frames, const stoa__chunk_since *since) {
    const stoa__archetype *archetype = since->archetype;
    const stoa__state_note *base = since->states;
    if (since->base == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++) {
        stoa__state_note note;
        if (!state_note(stoa__state_number(archetype, since->chunk->data, i), &note, base++,
                        frames->base->tick)) {
            return false;
        }
    }
    return !archetype->rich || switches_same(frames, since);
}

/* Gives up the lanes of a chunk. */
static void rows_leave(stoa_frames *frames, stoa__page *page) {
    stoa__rows_note *rows = stoa__rows_of(page);
    stoa__page_leave(&frames->pages, rows->entities);
    for (uint32_t i = 0; i < rows->lanes; i++) {
        stoa__page_leave(&frames->pages, stoa__rows_pages(rows)[i]);
    }
    stoa__page_leave(&frames->pages, page);
}

/* The pages of a chunk that is not the base's, as far as there is memory. */
static bool rows_fill(stoa_frames *frames, const stoa__chunk_since *since, stoa__rows_note *rows) {
    const stoa_chunk *chunk = since->chunk;
    stoa__rows_note *base = since->base != NULL ? stoa__rows_of(since->base->page) : NULL;
    rows->entities = base != NULL ? stoa__page_share(base->entities)
                                  : stoa__page_bytes(&frames->pages, chunk->data,
                                                     (size_t)chunk->count * sizeof(stoa_entity));
    bool ok = rows->entities != NULL;
    for (uint32_t i = 0; i < rows->lanes && ok; i++) {
        const stoa__lane *lane = &since->archetype->lanes[i];
        stoa__page *page =
            stoa__frame_lane_same(frames, since, i)
                ? stoa__page_share(stoa__rows_pages(base)[i])
                : stoa__page_keep(&frames->pages, lane->component,
                                  stoa__items_dense(chunk->data + lane->offset, lane->size),
                                  chunk->count);
        stoa__rows_pages(rows)[i] = page;
        ok = page != NULL;
    }
    return ok;
}

/* The lanes of a chunk; NULL with the thread's error set. */
static stoa__page *rows_save(stoa_frames *frames, const stoa__chunk_since *since) {
    uint32_t lanes = since->archetype->lane_count;
    size_t size = sizeof(stoa__rows_note) + lanes * sizeof(stoa__page *);
    stoa__page *page = stoa__page_new(&frames->pages, size);
    if (page == NULL) {
        return NULL;
    }
    stoa__rows_note *rows = stoa__rows_of(page);
    memset(rows, 0, size);
    rows->lanes = lanes;
    if (!rows_fill(frames, since, rows)) {
        rows_leave(frames, page);
        return NULL;
    }
    return page;
}

/* Notes an archetype, for whose chunks and states there is room now. */
static stoa__archetype_note *archetype_note(stoa_frames *frames, stoa__frame *frame,
                                            uint32_t index) {
    stoa__archetype *archetype = frames->world->storage.archetypes[index];
    uint32_t count = (uint32_t)archetype->head.chunk_count;
    uint32_t states = archetype->data_lanes + archetype->tag_count;
    if (!STOA__NOTES_RESERVE(frames, frame, chunks, frame->chunks_count + count) ||
        !STOA__NOTES_RESERVE(frames, frame, states, frame->states_count + count * states)) {
        stoa__error_memory("a frame");
        return NULL;
    }
    stoa__archetype_note *note = &frame->archetypes[frame->archetypes_count++];
    *note = (stoa__archetype_note){.archetype = archetype,
                                   .first = frame->chunks_count,
                                   .rows = frames->world->storage.rows[index],
                                   .first_state = frame->states_count,
                                   .state_count = states};
    return note;
}

/* The state that is looked at first of a chunk that comes up soon is asked for. */
static void chunk_await(const stoa__archetype *archetype, int32_t c) {
    if (c < archetype->head.chunk_count && archetype->lane_count > 0) {
        STOA_PREFETCH(stoa__state_number(archetype, archetype->head.chunks[c].data, 0));
    }
}

static stoa_status archetype_save(stoa_frames *frames, stoa__frame *frame, uint32_t index) {
    stoa__archetype_note *note = archetype_note(frames, frame, index);
    if (note == NULL) {
        return STOA_NO_MEMORY;
    }
    const stoa__archetype *archetype = note->archetype;
    for (int32_t c = 0; c < AHEAD; c++) {
        chunk_await(archetype, c);
    }
    for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
        chunk_await(archetype, c + AHEAD);
        stoa__chunk_since since = stoa__frame_since(frames, index, c);
        bool same = states_note(frames, &since, &frame->states[frame->states_count]) &&
                    (!archetype->rich || switches_same(frames, &since));
        stoa__page *page = same ? since.base->page : rows_save(frames, &since);
        if (page == NULL) {
            return stoa_last_error().status;
        }
        frame->states_count += note->state_count;
        frame->chunks[frame->chunks_count++] =
            (stoa__chunk_note){page, since.chunk->number, since.chunk->count};
        note->chunk_count++;
    }
    return STOA_OK;
}

stoa_status stoa__frame_rows_save(stoa_frames *frames, stoa__frame *frame) {
    const stoa__storage *storage = &frames->world->storage;
    if (!STOA__NOTES_RESERVE(frames, frame, archetypes, storage->archetype_count)) {
        return stoa__error_memory("a frame");
    }
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < storage->archetype_count && status == STOA_OK; i++) {
        status = archetype_save(frames, frame, i);
    }
    return status;
}

/* True if the frame beside has the same lanes of a chunk. */
static bool chunk_stays(const stoa__frame *frame, const stoa__frame *beside, uint32_t index,
                        uint32_t c) {
    return beside != NULL && index < beside->archetypes_count &&
           beside->archetypes[index].archetype == frame->archetypes[index].archetype &&
           c < beside->archetypes[index].chunk_count &&
           stoa__frame_chunk(beside, index, c)->page == stoa__frame_chunk(frame, index, c)->page;
}

void stoa__frame_rows_free(stoa_frames *frames, stoa__frame *frame, const stoa__frame *beside) {
    for (uint32_t p = 0; p < frame->records_count; p++) {
        if (beside == NULL || p >= beside->records_count ||
            beside->records[p] != frame->records[p]) {
            stoa__page_leave(&frames->pages, frame->records[p]);
        }
    }
    for (uint32_t i = 0; i < frame->archetypes_count; i++) {
        for (uint32_t c = 0; c < frame->archetypes[i].chunk_count; c++) {
            if (!chunk_stays(frame, beside, i, c)) {
                rows_leave(frames, stoa__frame_chunk(frame, i, c)->page);
            }
        }
    }
    frame->records_count = frame->archetypes_count = 0;
    frame->chunks_count = frame->states_count = 0;
}

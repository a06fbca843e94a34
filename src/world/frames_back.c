/* Frames: the way back for the entity table and the rows of archetypes.
 *
 * What is still in place is found as a save finds it: a lane is left alone if it is what the base
 * has and the frame has the same page. Memory comes first: rows for what the frame has more, and
 * objects for values that are not bytes. The rest cannot fail. The numbers of chunks need not be
 * those of the frame, since blocks may have come and gone: then places are written anew. Costs what
 * differs. */
#include "world/frames.h"

#include "storage/archetype.h"
#include "storage/entities.h"
#include "storage/row.h"

/* A chunk of the frame, and the live one where its rows go. */
typedef struct way {
    const stoa__chunk_note *note;
    const stoa__state_note *states;
    stoa__page *const *pages;
    stoa__chunk_since since; /* without a chunk if the archetype has fewer */
} way;

static way way_of(const stoa_frames *frames, const stoa__frame *frame, uint32_t index, uint32_t c) {
    const stoa__span *span = stoa__frame_span(frame, index, c);
    uint32_t i = c % STOA__FRAME_SPAN;
    way w = {.note = stoa__span_note(span, i),
             .states = stoa__span_states(span, i),
             .pages = stoa__span_pages(span, i),
             .since.archetype = frame->archetypes[index].archetype};
    if ((int32_t)c < w.since.archetype->head.chunk_count) {
        w.since = stoa__frame_since(frames, index, (int32_t)c);
    }
    return w;
}

/* True if the whole chunk is in place. */
static bool way_done(const stoa_frames *frames, const way *w) {
    const stoa__chunk_since *since = &w->since;
    return since->pages != NULL &&
           memcmp(since->pages, w->pages, (since->archetype->lane_count + 1u) * sizeof *w->pages) ==
               0 &&
           memcmp(since->states, w->states,
                  (since->archetype->data_lanes + since->archetype->tag_count) *
                      sizeof *w->states) == 0 &&
           stoa__frame_chunk_same(frames, since);
}

/* True if the entities of the chunk are in place. */
static bool entities_done(const way *w) {
    return w->since.pages != NULL && w->since.pages[0] == w->pages[0];
}

/* True if a lane is in place. */
static bool lane_done(const stoa_frames *frames, const way *w, uint32_t lane) {
    return entities_done(w) && w->since.pages[lane + 1] == w->pages[lane + 1] &&
           stoa__frame_lane_same(frames, &w->since, lane);
}

/* Makes the values of a chunk that are more than bytes. */
static stoa_status chunk_stage(stoa_frames *frames, const way *w) {
    stoa_status status = STOA_OK;
    if (way_done(frames, w)) {
        return STOA_OK;
    }
    const stoa__archetype *archetype = w->since.archetype;
    for (uint32_t i = 0; i < archetype->data_lanes && status == STOA_OK; i++) {
        if (!lane_done(frames, w, i)) {
            status = stoa__page_stage(&frames->pages, w->pages[i + 1],
                                      archetype->lanes[i].component, w->note->count);
        }
    }
    return status;
}

/* True if all that an archetype has is kept as bytes. */
static bool archetype_bytes(const stoa__archetype *archetype) {
    for (uint32_t i = 0; i < archetype->data_lanes; i++) {
        if (stoa__keep_of(archetype->lanes[i].component) != STOA__KEEP_BYTES) {
            return false;
        }
    }
    return true;
}

/* Room for the rows of an archetype, which must be the one that the frame knows. */
static stoa_status archetype_reserve(stoa_frames *frames, const stoa__archetype_note *note,
                                     uint32_t index) {
    stoa__storage *storage = &frames->world->storage;
    if (index >= storage->archetype_count || storage->archetypes[index] != note->archetype) {
        return stoa__error(STOA_INVALID, "the frame is of a time that the world was taken back "
                                         "from, or of content that was replaced as a whole");
    }
    uint32_t rows = stoa__archetype_rows(note->archetype);
    return note->rows > rows ? stoa__archetype_reserve(storage, note->archetype, note->rows - rows)
                             : STOA_OK;
}

stoa_status stoa__frame_rows_reserve(stoa_frames *frames, const stoa__frame *frame) {
    stoa__storage *storage = &frames->world->storage;
    stoa_status status = stoa__frame_touch(frames);
    if (status == STOA_OK) {
        status = stoa__entities_room(storage, frame->record_count);
    }
    for (uint32_t i = 0; i < frame->archetypes_count && status == STOA_OK; i++) {
        status = archetype_reserve(frames, &frame->archetypes[i], i);
    }
    for (uint32_t i = 0; i < frame->archetypes_count && status == STOA_OK; i++) {
        bool bytes = archetype_bytes(frame->archetypes[i].archetype);
        uint32_t count = bytes ? 0 : frame->archetypes[i].chunk_count;
        for (uint32_t c = 0; c < count && status == STOA_OK; c++) {
            way w = way_of(frames, frame, i, c);
            status = chunk_stage(frames, &w);
        }
    }
    return status;
}

/* Drops the values of a live lane. */
static void lane_drop(const stoa_chunk *chunk, const stoa__lane *lane) {
    if (chunk->count > 0) {
        stoa__component_drop(lane->component, chunk->columns[lane->index], chunk->count);
    }
}

/* Drops the rows of a chunk that the frame does not have. */
static void chunk_clear(const stoa__archetype *archetype, stoa_chunk *chunk) {
    for (uint32_t i = 0; i < archetype->data_lanes && !archetype->plain; i++) {
        lane_drop(chunk, &archetype->lanes[i]);
    }
    chunk->count = 0;
}

static void states_put(const stoa__archetype *archetype, const stoa_chunk *chunk,
                       const stoa__state_note *note) {
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++, note++) {
        stoa_column_state *state = stoa__state_number(archetype, chunk->columns, i);
        state->off = note->off;
        STOA_STORE(&state->changed, note->changed);
        STOA_STORE(&state->added, note->added);
    }
}

static void chunk_put(stoa_frames *frames, const way *w, stoa_chunk *chunk) {
    const stoa__archetype *archetype = w->since.archetype;
    if (way_done(frames, w)) {
        return;
    }
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        if (!lane_done(frames, w, i)) {
            lane_drop(chunk, lane);
            stoa__page_put(&frames->pages, w->pages[i + 1], lane->component,
                           stoa__items_dense(chunk->columns[lane->index], lane->size),
                           w->note->count);
        }
    }
    if (!entities_done(w)) {
        memcpy(chunk->columns[0], stoa__page_data(w->pages[0]),
               (size_t)w->note->count * sizeof(stoa_entity));
    }
    states_put(archetype, chunk, w->states);
    chunk->count = w->note->count;
}

/* Takes the chunks from `c` on away. */
static void chunks_cut(stoa__storage *storage, stoa__archetype *archetype, int32_t c) {
    for (int32_t i = c; i < archetype->head.chunk_count; i++) {
        chunk_clear(archetype, &archetype->head.chunks[i]);
    }
    if (c < archetype->head.chunk_count) {
        archetype->head.chunk_count = c;
        stoa__archetype_release(storage, archetype);
    }
}

static void archetype_put(stoa_frames *frames, const stoa__frame *frame, uint32_t index) {
    stoa__storage *storage = &frames->world->storage;
    stoa__archetype *archetype = frame->archetypes[index].archetype;
    uint32_t count = frame->archetypes[index].chunk_count;
    for (uint32_t c = 0; c < count; c++) {
        way w = way_of(frames, frame, index, c);
        if (w.since.chunk == NULL) {
            stoa__archetype_extend(storage, archetype);
        }
        chunk_put(frames, &w, &archetype->head.chunks[c]);
    }
    chunks_cut(storage, archetype, (int32_t)count);
    stoa__rows_set(storage, index, frame->archetypes[index].rows);
}

static const stoa_record *records_of(const stoa__frame *frame, uint32_t p) {
    return (const stoa_record *)(void *)stoa__page_data(stoa__frame_records(frame, p));
}

/* True if a page of records is in place. */
static bool records_done(const stoa_frames *frames, const stoa__frame *frame, uint32_t p) {
    return stoa__frame_records_same(frames, p) &&
           stoa__frame_records(frames->base, p) == stoa__frame_records(frame, p);
}

/* Listeners to entities that do not live in the frame go. */
static void listeners_drop(stoa_frames *frames, const stoa__frame *frame) {
    stoa_world *world = frames->world;
    const stoa_world_head *head = &world->storage.head;
    for (uint32_t i = 1; i < head->record_count && world->events.target_count > 0; i++) {
        uint32_t p = i >> STOA__STAMP_BITS, generation = head->records[i].generation;
        bool lives = i < frame->record_count &&
                     records_of(frame, p)[i & (STOA__FRAME_RECORDS - 1)].generation == generation;
        if ((generation & STOA__DEAD) == 0 && !lives) {
            stoa__event_entity_dies(world, (stoa_entity){i, generation});
        }
    }
}

static void records_put(stoa_frames *frames, const stoa__frame *frame) {
    stoa__storage *storage = &frames->world->storage;
    for (uint32_t p = 0; p < stoa__record_pages(frame->record_count); p++) {
        if (!records_done(frames, frame, p)) {
            memcpy(&storage->head.records[(size_t)p << STOA__STAMP_BITS], records_of(frame, p),
                   stoa__frame_records(frame, p)->size);
        }
    }
    storage->head.record_count = frame->record_count;
    storage->free_first = frame->free_first;
    storage->free_count = frame->free_count;
    storage->retired_count = frame->retired_count;
    storage->empty_count = frame->empty_count;
}

/* Writes the places of rows whose chunk has another number than it had in the frame. */
static void places_put(stoa_frames *frames, const stoa__frame *frame, uint32_t index) {
    stoa__storage *storage = &frames->world->storage;
    const stoa__archetype_note *note = &frame->archetypes[index];
    for (uint32_t c = 0; c < note->chunk_count; c++) {
        const stoa_chunk *chunk = &note->archetype->head.chunks[c];
        if (stoa__span_note(stoa__frame_span(frame, index, c), c % STOA__FRAME_SPAN)->number ==
            chunk->number) {
            continue;
        }
        const stoa_entity *entities = stoa_columns_entities(chunk->columns);
        for (int32_t i = 0; i < chunk->count; i++) {
            stoa__place_set(storage->head.records, entities[i].index,
                            chunk->number << STOA_PLACE_BITS | (uint32_t)i);
            stoa__record_stamp(storage, entities[i].index);
        }
    }
}

void stoa__frame_rows_restore(stoa_frames *frames, const stoa__frame *frame) {
    stoa__storage *storage = &frames->world->storage;
    listeners_drop(frames, frame);
    for (uint32_t i = 0; i < frame->archetypes_count; i++) {
        archetype_put(frames, frame, i);
    }
    for (uint32_t i = frame->archetypes_count; i < storage->archetype_count; i++) {
        chunks_cut(storage, storage->archetypes[i], 0);
        stoa__rows_set(storage, i, 0);
    }
    if (frame->archetypes_count < storage->archetype_count) {
        /* What is remembered of bundles may lead there. */
        stoa__archetype_hide(storage, frame->archetypes_count);
        stoa__bundles_clear(frames->world);
    }
    records_put(frames, frame);
    /* What is written from here on is not what the frame has. */
    frames->base_stamp = ++storage->stamp;
    for (uint32_t i = 0; i < frame->archetypes_count; i++) {
        places_put(frames, frame, i);
    }
}

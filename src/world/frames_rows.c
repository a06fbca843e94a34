/* Frames: saving the rows of archetypes.
 *
 * A chunk whose rows are the same entities as in the base shares its lanes with it, but for those
 * whose column was marked at or after the tick of the base; what was marked at that very tick may
 * have been there already, and is compared. Switches are always compared, since nothing marks them.
 * A span of which all chunks are the base's is the base's. To find that out the states of all
 * columns are read, each of which is a line of memory of its own: that is most of what a frame
 * costs if little has changed, so nothing waits for one of them before it asks for the next.
 * O(chunks + bytes that changed). One thread at a time. */
#include "world/frames.h"

#include "storage/archetype.h"

#include <string.h>

/* Fills in what a span of the base has of chunk `i`, if its rows are the same entities. */
static void since_find(const stoa_frames *frames, const stoa__span *base, uint32_t i,
                       stoa__chunk_since *since) {
    const stoa__chunk_note *note = stoa__span_note(base, i);
    if (note->number == since->chunk->number && note->count == since->chunk->count &&
        frames->touched[note->number] == 0) {
        since->pages = stoa__span_pages(base, i);
        since->states = stoa__span_states(base, i);
    }
}

/* The page with the span of the base where chunk `c` of an archetype is, or would be; NULL if it
 * has none. */
static stoa__page *base_span(const stoa_frames *frames, uint32_t archetype, uint32_t c) {
    const stoa__frame *base = frames->base;
    if (base == NULL || archetype >= base->archetypes_count) {
        return NULL;
    }
    const stoa__archetype_note *note = &base->archetypes[archetype];
    uint32_t span = c / STOA__FRAME_SPAN;
    return note->archetype == frames->world->storage.archetypes[archetype] &&
                   span * STOA__FRAME_SPAN < note->chunk_count
               ? base->spans[note->first + span]
               : NULL;
}

stoa__chunk_since stoa__frame_since(const stoa_frames *frames, uint32_t archetype, int32_t c) {
    const stoa__archetype *owner = frames->world->storage.archetypes[archetype];
    stoa__chunk_since since = {owner, &owner->head.chunks[c], NULL, NULL};
    const stoa__page *base = base_span(frames, archetype, (uint32_t)c);
    uint32_t i = (uint32_t)c % STOA__FRAME_SPAN;
    if (base != NULL && i < stoa__span_of(base)->count) {
        since_find(frames, stoa__span_of(base), i, &since);
    }
    return since;
}

/* The state of the column that a lane belongs to. */
static const stoa_column_state *lane_state(const stoa__archetype *archetype,
                                           uint8_t *const *columns, const stoa__lane *lane) {
    uint32_t index = lane->kind == STOA__LANE_DATA
                         ? lane->index
                         : stoa__archetype_column(archetype, lane->id)->index;
    return stoa__state_of(columns, index);
}

bool stoa__frame_lane_same(const stoa_frames *frames, const stoa__chunk_since *since,
                           uint32_t lane) {
    const stoa__lane *l = &since->archetype->lanes[lane];
    const uint8_t *live = since->chunk->columns[l->index];
    const stoa__page *page = since->pages[lane + 1];
    size_t size = (size_t)since->chunk->count * l->size;
    if (l->kind == STOA__LANE_OFF) {
        return memcmp(live, stoa__page_data(page), size) == 0;
    }
    const stoa_column_state *state = lane_state(since->archetype, since->chunk->columns, l);
    uint32_t changed = STOA_LOAD(&state->changed), added = STOA_LOAD(&state->added);
    if (stoa__frame_older(frames, changed) && stoa__frame_older(frames, added)) {
        return true;
    }
    uint32_t tick = frames->base->tick;
    return (int32_t)(changed - tick) <= 0 && (int32_t)(added - tick) <= 0 &&
           stoa__keep_of(l->component) == STOA__KEEP_BYTES &&
           memcmp(live, stoa__page_data(page), size) == 0;
}

/* Notes a state. */
STOA__INLINE stoa__state_note state_note(const stoa_column_state *state) {
    return (stoa__state_note){state->off, STOA_LOAD(&state->changed), STOA_LOAD(&state->added)};
}

/* 0 if a state is the one noted, and nothing can have been marked since the tick of the base. There
 * is no branch, so that the processor goes on to the next state while it waits for this one. */
STOA__INLINE uint32_t state_differs(const stoa_column_state *state, const stoa__state_note *base,
                                    uint32_t tick) {
    stoa__state_note now = state_note(state);
    uint32_t newer = ~(now.changed - tick) | ~(now.added - tick);
    return (now.off ^ base->off) | (now.changed ^ base->changed) | (now.added ^ base->added) |
           newer >> 31;
}

/* 0 if all states of a chunk are those noted, and of old. */
STOA__INLINE uint32_t states_differ(const stoa__archetype *archetype, uint8_t *const *columns,
                                    const stoa__state_note *base, uint32_t tick) {
    uint32_t differ = 0;
    for (uint32_t i = 0; i < archetype->data_lanes; i++) {
        differ |= state_differs(stoa__column_state(columns[i + 1]), base++, tick);
    }
    for (uint32_t i = 0; i < archetype->tag_count; i++) {
        differ |= state_differs(stoa__state_of(columns, stoa__layout_tag(i)), base++, tick);
    }
    return differ;
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
    return since->pages != NULL &&
           states_differ(since->archetype, since->chunk->columns, since->states,
                         frames->base->tick) == 0 &&
           (!since->archetype->rich || switches_same(frames, since));
}

/* Chunks of an archetype that are to be a span of a frame. */
typedef struct stretch {
    const stoa__archetype *archetype;
    const stoa_chunk *chunks;
    uint32_t count;
    stoa__page *page;       /* with the span of the base, or NULL */
    const stoa__span *base; /* which may have another number of chunks */
} stretch;

/* Chunk `i` of a stretch beside the base. */
static stoa__chunk_since stretch_since(const stoa_frames *frames, const stretch *s, uint32_t i) {
    stoa__chunk_since since = {s->archetype, &s->chunks[i], NULL, NULL};
    if (s->base != NULL && i < s->base->count) {
        since_find(frames, s->base, i, &since);
    }
    return since;
}

/* The chunks of a stretch that are not all that the base has: bit i for chunk i. */
static uint32_t stretch_compare(const stoa_frames *frames, const stretch *s) {
    const stoa__span *base = s->base;
    uint32_t count = base == NULL ? 0 : base->count < s->count ? base->count : s->count;
    uint32_t differ = count < STOA__FRAME_SPAN ? ~(uint32_t)0 << count : 0;
    const stoa__chunk_note *note = count > 0 ? stoa__span_note(base, 0) : NULL;
    const stoa__state_note *states = count > 0 ? stoa__span_states(base, 0) : NULL;
    uint32_t tick = count > 0 ? frames->base->tick : 0;
    for (uint32_t i = 0; i < count; i++) {
        const stoa_chunk *chunk = &s->chunks[i];
        uint32_t other = (note[i].number ^ chunk->number) |
                         ((uint32_t)note[i].count ^ (uint32_t)chunk->count) |
                         frames->touched[chunk->number] |
                         states_differ(s->archetype, chunk->columns, states, tick);
        states += base->states;
        differ |= (uint32_t)(other != 0) << i;
    }
    for (uint32_t i = 0; i < count && s->archetype->rich; i++) {
        stoa__chunk_since since = stretch_since(frames, s, i);
        differ |= (uint32_t)(since.pages == NULL || !switches_same(frames, &since)) << i;
    }
    return differ;
}

/* The pages of a chunk that is not the base's, as far as there is memory. */
static bool pages_fill(stoa_frames *frames, const stoa__chunk_since *since, stoa__page **pages) {
    const stoa_chunk *chunk = since->chunk;
    const stoa__archetype *archetype = since->archetype;
    pages[0] = since->pages != NULL ? since->pages[0]
                                    : stoa__page_bytes(&frames->pages, chunk->columns[0],
                                                       (size_t)chunk->count * sizeof(stoa_entity));
    bool ok = pages[0] != NULL;
    for (uint32_t i = 0; i < archetype->lane_count && ok; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        pages[i + 1] =
            since->pages != NULL && stoa__frame_lane_same(frames, since, i)
                ? since->pages[i + 1]
                : stoa__page_keep(&frames->pages, lane->component,
                                  stoa__items_dense(chunk->columns[lane->index], lane->size),
                                  chunk->count);
        ok = pages[i + 1] != NULL;
    }
    return ok;
}

/* Begins a span with what the base has of its chunks. Those are not given up with it unless other
 * pages take their place. */
static void span_begin(const stretch *s, stoa__span *span) {
    const stoa__span *base = s->base;
    uint32_t count = base == NULL ? 0 : base->count < s->count ? base->count : s->count;
    if (count > 0) {
        memcpy(stoa__span_pages(span, 0), stoa__span_pages(base, 0),
               (size_t)count * (span->lanes + 1) * sizeof(stoa__page *));
        memcpy(stoa__span_note(span, 0), stoa__span_note(base, 0),
               count * sizeof(stoa__chunk_note));
        memcpy(stoa__span_states(span, 0), stoa__span_states(base, 0),
               (size_t)count * span->states * sizeof(stoa__state_note));
    }
}

/* Fills in the chunks of a span whose bit is set, which are not the base's. False on an error. */
static bool span_fill(stoa_frames *frames, const stretch *s, stoa__span *span, uint32_t differ) {
    const stoa__archetype *archetype = s->archetype;
    for (; differ != 0; differ &= differ - 1) {
        uint32_t i = stoa__bit_lowest(differ);
        const stoa_chunk *chunk = &s->chunks[i];
        *stoa__span_note(span, i) = (stoa__chunk_note){chunk->number, chunk->count};
        for (uint32_t k = 0; k < span->states; k++) {
            stoa__span_states(span, i)[k] =
                state_note(stoa__state_number(archetype, chunk->columns, k));
        }
        stoa__chunk_since since = stretch_since(frames, s, i);
        if (!pages_fill(frames, &since, stoa__span_pages(span, i))) {
            return false;
        }
    }
    return true;
}

/* Notes a stretch of chunks; there is room in the list of spans. */
static stoa_status stretch_save(stoa_frames *frames, stoa__frame *frame, const stretch *s) {
    uint32_t differ = stretch_compare(frames, s) & UINT32_MAX >> (STOA__FRAME_SPAN - s->count);
    uint32_t lanes = s->archetype->lane_count;
    uint32_t states = (uint32_t)s->archetype->data_lanes + s->archetype->tag_count;
    if (s->base != NULL && s->base->count == s->count && differ == 0) {
        frame->spans[frame->spans_count++] = s->page;
        return STOA_OK;
    }
    size_t size = sizeof(stoa__span) +
                  (size_t)s->count * ((lanes + 1) * sizeof(stoa__page *) +
                                      sizeof(stoa__chunk_note) + states * sizeof(stoa__state_note));
    stoa__page *page = stoa__page_new(&frames->pages, size);
    if (page == NULL) {
        return STOA_NO_MEMORY;
    }
    stoa__span *span = stoa__span_of(page);
    memset(span, 0, size);
    *span = (stoa__span){s->count, lanes, states, 0};
    span_begin(s, span);
    frame->spans[frame->spans_count++] = page;
    return span_fill(frames, s, span, differ) ? STOA_OK : stoa_last_error().status;
}

static stoa_status archetype_save(stoa_frames *frames, stoa__frame *frame, uint32_t index) {
    stoa__archetype *archetype = frames->world->storage.archetypes[index];
    uint32_t count = (uint32_t)archetype->head.chunk_count;
    uint32_t spans = (count + STOA__FRAME_SPAN - 1) / STOA__FRAME_SPAN;
    if (!STOA__NOTES_RESERVE(frames, frame, spans, frame->spans_count + spans)) {
        return stoa__error_memory("a frame");
    }
    stoa__archetype_note *note = &frame->archetypes[frame->archetypes_count++];
    *note = (stoa__archetype_note){.archetype = archetype,
                                   .first = frame->spans_count,
                                   .chunk_count = count,
                                   .rows = stoa__archetype_rows(archetype)};
    stoa_status status = STOA_OK;
    for (uint32_t c = 0; c < count && status == STOA_OK; c += STOA__FRAME_SPAN) {
        uint32_t left = count - c;
        stretch s = {archetype, &archetype->head.chunks[c],
                     left < STOA__FRAME_SPAN ? left : STOA__FRAME_SPAN, base_span(frames, index, c),
                     NULL};
        s.base = s.page != NULL ? stoa__span_of(s.page) : NULL;
        status = stretch_save(frames, frame, &s);
    }
    return status;
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

/* Past the last span of an archetype in a frame, which may not be complete. */
static uint32_t spans_end(const stoa__frame *frame, uint32_t index) {
    return index + 1 < frame->archetypes_count ? frame->archetypes[index + 1].first
                                               : frame->spans_count;
}

/* What the frame beside has at the place of a span of an archetype, or NULL. */
static const stoa__page *span_beside(const stoa__frame *frame, const stoa__frame *beside,
                                     uint32_t index, uint32_t span) {
    if (beside == NULL || index >= beside->archetypes_count ||
        beside->archetypes[index].archetype != frame->archetypes[index].archetype) {
        return NULL;
    }
    uint32_t at = beside->archetypes[index].first + (span - frame->archetypes[index].first);
    return at < spans_end(beside, index) ? beside->spans[at] : NULL;
}

static void span_leave(stoa_frames *frames, stoa__page *page, const stoa__page *other) {
    const stoa__span *span = stoa__span_of(page);
    size_t each = (size_t)span->lanes + 1;
    stoa__page *const *beside = NULL;
    size_t beside_count = 0;
    if (other != NULL) {
        beside = stoa__span_pages(stoa__span_of(other), 0);
        beside_count = stoa__span_of(other)->count * each;
    }
    stoa__frame_pages_leave(frames, stoa__span_pages(span, 0), span->count * each, beside,
                            beside_count);
    stoa__page_leave(&frames->pages, page);
}

void stoa__frame_rows_free(stoa_frames *frames, stoa__frame *frame, const stoa__frame *beside) {
    for (uint32_t i = 0; i < frame->archetypes_count; i++) {
        for (uint32_t k = frame->archetypes[i].first; k < spans_end(frame, i); k++) {
            const stoa__page *other = span_beside(frame, beside, i, k);
            if (frame->spans[k] != other) {
                span_leave(frames, frame->spans[k], other);
            }
        }
    }
    frame->archetypes_count = frame->spans_count = 0;
}

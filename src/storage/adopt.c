/* Chunks that change hands.
 *
 * Two archetypes that differ in a tag have the same lanes, and room for a few tags is in every
 * chunk, so their full-sized chunks mostly have the same layout: the whole chunk goes over with its
 * rows in place. Rows come behind those of the target, and only its last chunk may be partly
 * filled: so there must be none before. A few stores for each chunk. Everything that can fail comes
 * first.
 */
#include "storage/adopt.h"

#include "storage/columns.h"
#include "storage/layout.h"

/* Prepares the target to take over the chunks of the source: an array for them, and full-sized
 * chunks. */
static stoa_status adopt_reserve(stoa__storage *storage, const stoa__archetype *source,
                                 stoa__archetype *target) {
    uint32_t rows = (uint32_t)source->head.chunk_capacity;
    bool small = (uint32_t)target->head.chunk_capacity < rows;
    stoa_status status = STOA_OK;
    if (small && target->chunk_held > 0) {
        status = stoa__archetype_reserve(storage, target, rows);
    }
    if (status == STOA_OK) {
        status = stoa__archetype_chunks_reserve(storage, target, source->head.chunk_count);
    }
    if (status == STOA_OK && small && target->chunk_held == 0) {
        stoa__layout_apply(storage, target, rows);
    }
    return status;
}

/* Moves the state of a tag; the lane of its ticks stays where it is. */
static void state_move(uint8_t *const *columns, const stoa__copy *copy) {
    stoa_column_state *state = stoa__state_of(columns, copy->to);
    memmove(state, stoa__state_of(columns, copy->from), sizeof *state);
    if (state->ticks != 0) {
        state->ticks += (int32_t)copy->from - (int32_t)copy->to;
    }
}

/* Makes a chunk of the source one of the target. The states of tags move by one place, up if the
 * edge adds one and down if it drops one: in the order in which none is overwritten. */
static void chunk_hand_over(stoa__storage *storage, const stoa__edge *edge,
                            const stoa_chunk *chunk) {
    const stoa__put *put = edge->puts;
    storage->head.chunks[chunk->number].archetype = &edge->target->head;
    if (put->to == 0) {
        for (uint32_t i = 0; i < edge->tag_count; i++) {
            state_move(chunk->columns, &edge->tags[i]);
        }
        return;
    }
    for (uint32_t i = edge->tag_count; i-- > 0;) {
        state_move(chunk->columns, &edge->tags[i]);
    }
    stoa_column_state *state = stoa__state_of(chunk->columns, put->to);
    state->number = chunk->number;
    state->off = 0;
    state->ticks = 0;
    stoa__state_mark(state, storage->head.tick, true);
}

/* Notes where the tags of chunks are that the target took over. If the tag that the edge is about
 * stands alone no other column is elsewhere. */
static void columns_hand_over(stoa__storage *storage, const stoa__edge *edge,
                              const stoa_chunk *chunks, int32_t count) {
    stoa_component id = edge->key[0] & ~STOA__KEY_DROP;
    bool drops = (edge->key[0] & STOA__KEY_DROP) != 0;
    bool alone = edge->tag_count == 0 && (drops || storage->head.columns[id] != NULL);
    for (int32_t i = 0; i < count; i++) {
        const stoa_chunk *chunk = &chunks[i];
        uint8_t *tag = drops ? NULL : stoa_column_begin(chunk->columns, edge->puts->to);
        stoa__columns_set(storage, id, chunk->number, tag);
        if (!alone) {
            stoa__columns_fill(storage, edge->target, chunk->number);
        }
    }
}

/* Puts the chunks of the source behind those of the target, before its spare ones. */
static void chunks_hand_over(stoa__storage *storage, stoa__archetype *source,
                             const stoa__edge *edge) {
    stoa__archetype *target = edge->target;
    int32_t count = source->head.chunk_count, at = target->head.chunk_count;
    uint32_t rows = stoa__archetype_rows(source);
    stoa_chunk *to = &target->head.chunks[at], *from = source->head.chunks;
    memmove(&to[count], to, (size_t)(target->chunk_held - at) * sizeof *to);
    for (int32_t i = 0; i < count; i++) {
        to[i] = from[i];
        chunk_hand_over(storage, edge, &from[i]);
    }
    memmove(from, &from[count], (size_t)(source->chunk_held - count) * sizeof *from);
    target->chunk_held += count;
    target->head.chunk_count += count;
    source->chunk_held -= count;
    source->head.chunk_count = 0;
    storage->chunk_changes++;
    storage->head.epoch++;
    stoa__rows_came(storage, target->index, rows);
    stoa__rows_set(storage, source->index, 0);
    columns_hand_over(storage, edge, to, count);
    stoa__archetype_release(storage, target);
    stoa__archetype_release(storage, source);
}

bool stoa__adopt_fits(const stoa__archetype *source, const stoa__archetype *target) {
    uint32_t rows = (uint32_t)source->head.chunk_capacity;
    bool whole =
        target->head.chunk_count == 0 || ((uint32_t)target->head.chunk_capacity == rows &&
                                          target->tail->count == target->head.chunk_capacity);
    return whole && rows == target->full_capacity && source->lane_count == target->lane_count &&
           stoa__layout_size(target, rows) == source->chunk_bytes &&
           stoa__layout_tags(target, rows) == stoa__layout_tags(source, rows);
}

stoa_status stoa__adopt_chunks(stoa__storage *storage, stoa__archetype *source, stoa__edge *edge) {
    stoa_status status = adopt_reserve(storage, source, edge->target);
    if (status == STOA_OK) {
        stoa__edge_ready(storage, edge);
        chunks_hand_over(storage, source, edge);
    }
    return status;
}

/* Shifting: what is not inlined.
 *
 * An edge is open for the epoch it was read in: whatever could shut it moves the epoch on. */
#include "storage/shift.h"

#include "storage/entities.h"

/* True if every copy belongs to a run, and so does the component that is put. */
static bool edge_worded(const stoa__edge *edge) {
    for (uint32_t i = 0; i < edge->lanes; i++) {
        if (stoa__shift_run(edge->copies[i].size) == STOA__RUNS) {
            return false;
        }
    }
    return edge->puts->size == 0 || stoa__shift_run(edge->puts->size) != STOA__RUNS;
}

static bool edge_drops(const stoa__edge *edge) {
    return (edge->single & STOA__KEY_DROP) != 0;
}

/* True if a vector is kept, and another one put or dropped. */
static bool edge_lead(const stoa__edge *edge) {
    return (uint8_t)edge->runs > 0 &&
           (edge_drops(edge)
                ? edge->lanes > edge->kept && edge->copies[edge->kept].size == STOA__VECTOR
                : edge->puts->size == STOA__VECTOR);
}

void stoa__shift_regate(const stoa__storage *storage, stoa__edge *edge, bool straight, bool told) {
    edge->open = straight && (!edge->watched || told) && storage->record_stamps == NULL &&
                 edge->kept <= UINT8_MAX && edge_worded(edge);
    edge->lead = edge->open && edge_lead(edge);
    edge->vector = edge->lead && edge->kept == 1 && edge->source->tag_count == 0;
    edge->follow = edge->lead && !edge->vector && !edge->watched;
    edge->hook =
        edge->vector && edge->watched ? stoa__component_at(storage, edge->single)->sole : NULL;
}

/* The state of a tag, by where the tags of a chunk are and its index among the columns. */
static stoa_column_state *tag_state(uint8_t *tags, uint32_t index) {
    return stoa__column_state(tags + (index & ~STOA_INDEX_TAG));
}

STOA__COLD stoa_status stoa__shift_tags(const stoa__way *way) {
    const stoa__edge *edge = way->edge;
    const stoa__trio *tags = stoa__edge_trios(edge) + edge->kept;
    for (uint32_t i = 0; i < edge->tag_count; i++) {
        const stoa__copy *copy = &edge->tags[i];
        stoa__state_merge(tag_state(tags->end, copy->to), tag_state(tags->hole, copy->from));
    }
    for (uint32_t i = 0; i < edge->source->tag_count; i++) {
        uint32_t index = stoa__layout_tag(i);
        stoa__state_merge(tag_state(tags->hole, index), tag_state(tags->tail, index));
    }
    return STOA_OK;
}

/* The gate of a way along an edge. */
static uint64_t edge_gate(const stoa__edge *edge) {
    bool straight = edge->vector && (!edge->watched || edge->hook != NULL);
    uint32_t kind = !straight ? STOA__GATE_ANY : edge->watched ? STOA__GATE_TOLD : 0;
    return edge->open ? stoa__gate_at(kind, edge->epoch) : 0;
}

/* Where a column of a chunk is, if it is one; -1: the tags. */
static uint8_t *column_of(const stoa_chunk *chunk, int64_t index) {
    return chunk->columns != NULL ? chunk->columns[index] : NULL;
}

/* The columns of a chunk, if it is one. */
static stoa__way_columns columns_of(const stoa_chunk *chunk, uint32_t kept) {
    return (stoa__way_columns){column_of(chunk, 0), column_of(chunk, kept)};
}

/* Where the first column that is kept is in chunks of the source, and where the one that is left
 * behind; the entities if there is none. */
static uint32_t kept_from(const stoa__edge *edge) {
    return edge->kept > 0 ? edge->copies->from : 0;
}

static uint32_t side_from(const stoa__edge *edge) {
    return edge->lanes > edge->kept ? edge->copies[edge->kept].from : 0;
}

/* What is known of the columns of a trio, or of the tags, which come last. `hole` has those of the
 * chunk that rows leave, or is NULL. */
static stoa__trio trio_of(const stoa__way *way, uint8_t *const *hole, uint32_t number) {
    const stoa__edge *edge = way->edge;
    int64_t from = number < edge->kept ? (int64_t)edge->copies[number].from : -1;
    int64_t to = number < edge->kept ? (int64_t)edge->copies[number].to : -1;
    return (stoa__trio){.hole = hole != NULL ? hole[from] : NULL,
                        .end = column_of(way->end, to),
                        .tail = column_of(way->tail, from)};
}

/* The trios of an edge, and one for its tags. */
static uint32_t trio_count(const stoa__edge *edge) {
    return edge->kept + (edge->source->tag_count > 0 ? 1u : 0u);
}

/* Notes the columns of the last chunks. */
static void ends_fill(stoa__way *way) {
    const stoa__edge *edge = way->edge;
    way->tail_columns = columns_of(way->tail, kept_from(edge));
    way->end_columns = columns_of(way->end, edge->kept > 0 ? edge->copies->to : 0);
    if (edge_drops(edge)) {
        way->tail_side = column_of(way->tail, side_from(edge));
    } else {
        way->put_size = edge->puts->size;
        way->side =
            way->end->columns != NULL ? stoa_column_begin(way->end->columns, edge->puts->to) : NULL;
    }
}

/* Notes those of a chunk that rows leave. */
static void hole_fill(stoa__way *way, uint32_t number, uint8_t *const *columns) {
    const stoa__edge *edge = way->edge;
    way->first = (uint64_t)number << STOA_PLACE_BITS;
    way->hole = (stoa__way_columns){columns[0], columns[kept_from(edge)]};
    if (edge_drops(edge)) {
        way->side = columns[side_from(edge)];
    }
}

/* Notes the columns that are kept, `hole` being those of the chunk that rows leave. */
static void trios_fill(const stoa__way *way, uint8_t *const *hole) {
    stoa__trio *trios = stoa__edge_trios(way->edge);
    for (uint32_t i = 0; i < trio_count(way->edge); i++) {
        trios[i] = trio_of(way, hole, i);
    }
}

/* The columns of the chunk that a way is turned to, or NULL. */
static uint8_t *const *hole_columns(const stoa__storage *storage, const stoa__way *way) {
    return way->first != STOA__NOWHERE ? storage->head.chunks[way->first >> STOA_PLACE_BITS].columns
                                       : NULL;
}

/* What is known of a way along an edge before it was gone. */
static stoa__way way_of(const stoa__storage *storage, const stoa__edge *edge, uint32_t slot,
                        uint32_t tally) {
    const stoa__archetype *source = edge->source, *target = edge->target;
    int32_t leaving = source->head.chunk_capacity;
    stoa__way way = {.gate = edge_gate(edge),
                     .edge = edge,
                     .slot = slot,
                     .base = target->tail->number << STOA_PLACE_BITS,
                     .end_room = (uint32_t)target->head.chunk_capacity - 1,
                     .tail_room = leaving > 2 ? (uint32_t)leaving - 2 : 0,
                     .first = STOA__NOWHERE,
                     .tail = source->tail,
                     .end = target->tail,
                     .shifted = (uint8_t *)(uintptr_t)&storage->shifted[tally]};
    ends_fill(&way);
    return way;
}

/* Asks for what a shift needs of a chunk before its rows, which are read in order: without it the
 * first rows of each chunk wait, with eight columns of 16 bytes more than a nanosecond for each row
 * on average. */
static void columns_expect(const stoa__archetype *archetype, uint8_t *const *columns) {
    STOA_PREFETCH(columns[0]);
    for (uint32_t i = 1; i <= archetype->data_lanes; i++) {
        STOA_PREFETCH(columns[i]);
        STOA_PREFETCH(stoa__column_state(columns[i]));
    }
}

/* Asks for the chunks that will probably be the last ones after these. */
static void ends_expect(const stoa__way *way) {
    const stoa__archetype *source = way->edge->source, *target = way->edge->target;
    int32_t tail = source->head.chunk_count - 2, end = target->head.chunk_count;
    if (tail >= 0) {
        columns_expect(source, source->head.chunks[tail].columns);
    }
    if (end < target->chunk_held) {
        columns_expect(target, target->head.chunks[end].columns);
    }
}

/* Asks for the chunk that rows will probably leave after this one. */
static void hole_expect(const stoa__storage *storage, const stoa__way *way, uint32_t number) {
    const stoa__archetype *source = way->edge->source;
    if (++number < storage->chunk_count &&
        storage->head.chunks[number].archetype == &source->head) {
        columns_expect(source, storage->head.chunks[number].columns);
    }
}

void stoa__way_fill(stoa__storage *storage, stoa__way *ways, uint32_t number,
                    const stoa__edge *edge, uint32_t slot, uint32_t tally) {
    if (storage->shifted[tally] != 0) {
        stoa__rows_settle(storage);
    }
    storage->tallies[tally] = (stoa__tally){edge->source, edge->target};
    for (uint32_t i = 0; i < STOA__TALLIES / 2; i++) {
        if (ways[i].edge == edge) {
            ways[i].slot = STOA__NONE;
        }
    }
    ways[number] = way_of(storage, edge, slot, tally);
    trios_fill(&ways[number], NULL);
    ends_expect(&ways[number]);
}

/* Counts the rows of an archetype anew. The higher half moves on by two: taking rows from a number
 * that was behind may have borrowed one from it. */
static void rows_recount(const stoa__storage *storage, const stoa__archetype *archetype) {
    uint64_t *rows = &storage->rows[archetype->index];
    *rows = ((*rows >> 32) + 2) << 32 | stoa__archetype_rows(archetype);
}

STOA__COLD void stoa__rows_settle(stoa__storage *storage) {
    for (uint32_t i = 0; i < STOA__TALLIES; i++) {
        if (storage->shifted[i] != 0) {
            storage->shifted[i] = 0;
            rows_recount(storage, storage->tallies[i].source);
            rows_recount(storage, storage->tallies[i].target);
        }
    }
}

bool stoa__way_turn(const stoa__storage *storage, stoa__way *way, stoa_entity e) {
    const stoa_record *record = stoa__entities_find(storage, e);
    uint32_t place = record != NULL ? stoa__place_of(storage, e.index) : 0;
    uint32_t number = place >> STOA_PLACE_BITS;
    if (place - way->first < STOA__ROWS_MAX ||
        stoa__row_archetype(storage, place) != way->edge->source) {
        return false;
    }
    hole_fill(way, number, storage->head.chunks[number].columns);
    trios_fill(way, storage->head.chunks[number].columns);
    hole_expect(storage, way, number);
    return true;
}

/* Notes what the last chunks are now. */
static void ends_renew(const stoa__storage *storage, stoa__way *way) {
    const stoa__archetype *target = way->edge->target;
    way->base = target->tail->number << STOA_PLACE_BITS;
    way->tail = way->edge->source->tail;
    way->end = target->tail;
    ends_fill(way);
    trios_fill(way, hole_columns(storage, way));
    ends_expect(way);
}

bool stoa__way_begin(stoa__storage *storage, stoa__way *way) {
    stoa__archetype *target = way->edge->target;
    if (way->tail != way->edge->source->tail || way->end != target->tail) {
        return false;
    }
    if (way->end->count < target->head.chunk_capacity) {
        return true;
    }
    if (stoa__row_room(storage, target) != STOA_OK) {
        return false;
    }
    ends_renew(storage, way);
    return true;
}

void stoa__way_end(stoa__storage *storage, stoa__way *way) {
    uint32_t epoch = storage->head.epoch;
    if (way->tail->count == 0) {
        stoa__row_chunk_emptied(storage, way->edge->source);
        if (epoch == storage->head.epoch) {
            ends_renew(storage, way);
        }
    }
}

/* True if a chunk is one that an archetype has, or none. */
static bool chunk_right(const stoa__archetype *archetype, const stoa_chunk *chunk) {
    for (int32_t i = 0; i < archetype->chunk_held; i++) {
        if (&archetype->head.chunks[i] == chunk) {
            return true;
        }
    }
    return chunk->columns == NULL;
}

/* True if what is noted of the columns of a way is so. */
static bool columns_right(const stoa__storage *storage, const stoa__way *way) {
    stoa__way is = *way;
    ends_fill(&is);
    if (way->first != STOA__NOWHERE) {
        uint32_t number = (uint32_t)(way->first >> STOA_PLACE_BITS);
        if (number >= storage->chunk_count ||
            storage->head.chunks[number].archetype != &way->edge->source->head) {
            return false;
        }
        hole_fill(&is, number, storage->head.chunks[number].columns);
    }
    return memcmp(&is, way, sizeof is) == 0;
}

/* The same of the columns that are kept. */
static bool trios_right(const stoa__storage *storage, const stoa__way *way) {
    for (uint32_t i = 0; i < trio_count(way->edge); i++) {
        stoa__trio is = trio_of(way, hole_columns(storage, way), i);
        stoa__trio noted = stoa__edge_trios(way->edge)[i];
        if (is.hole != noted.hole || is.end != noted.end || is.tail != noted.tail) {
            return false;
        }
    }
    return true;
}

bool stoa__way_right(const stoa__storage *storage, const stoa__way *way) {
    uint64_t told = stoa__gate_at(STOA__GATE_TOLD, 0), sparse = stoa__gate_at(STOA__GATE_SPARSE, 0);
    if (way->slot == STOA__NONE || (way->gate & ~sparse) != stoa__gate_of(storage->head.epoch)) {
        return true;
    }
    if ((way->gate & sparse) == sparse) {
        return way->set != NULL && way->edge == NULL;
    }
    uint32_t tally = (uint32_t)(way->shifted - storage->shifted);
    const stoa__archetype *source = way->edge->source, *target = way->edge->target;
    if (tally >= STOA__TALLIES || storage->tallies[tally].source != source ||
        storage->tallies[tally].target != target) {
        return false;
    }
    stoa__way is = way_of(storage, way->edge, way->slot, tally);
    bool heard = (way->gate & told) == 0 ||
                 way->edge->hook == stoa__component_at(storage, way->edge->single)->sole;
    return is.gate == way->gate && heard && is.end_room == way->end_room &&
           is.tail_room == way->tail_room && way->base == way->end->number << STOA_PLACE_BITS &&
           chunk_right(source, way->tail) && chunk_right(target, way->end) &&
           storage->archetypes[source->index] == source &&
           stoa__edge_find(source, way->edge->key, 1, way->edge->hash) == way->edge &&
           columns_right(storage, way) && trios_right(storage, way);
}

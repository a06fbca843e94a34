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

/* True if one column is kept, has 12 bytes, and so has what is put or dropped; no tags. */
static bool edge_vector(const stoa__edge *edge) {
    bool drops = (edge->single & STOA__KEY_DROP) != 0;
    return edge->runs[1] == 1 && edge->kept == 1 && edge->tag_count == 0 &&
           (drops ? edge->lanes == 2 && edge->copies[1].size == 12 : edge->puts->size == 12);
}

void stoa__shift_regate(const stoa__storage *storage, stoa__edge *edge, bool straight, bool told) {
    edge->open = straight && (!edge->watched || told) && storage->record_stamps == NULL &&
                 edge->kept <= UINT8_MAX && edge_worded(edge);
    edge->vector = edge->open && edge_vector(edge);
    edge->hook =
        edge->vector && edge->watched ? stoa__component_at(storage, edge->single)->sole : NULL;
}

STOA__COLD stoa_status stoa__shift_merge(const stoa__edge *edge, uint8_t *const *from,
                                         uint8_t *const *to, uint8_t *const *last) {
    for (uint32_t i = 0; i < edge->kept; i++) {
        const stoa__copy *copy = &edge->copies[i];
        stoa__state_merge(stoa__state_of(to, copy->to), stoa__state_of(from, copy->from));
    }
    stoa__edge_tags(edge, to, from);
    if (last != from) {
        stoa__row_states_merge(edge->source, from, last);
    }
    return STOA_OK;
}

/* The gate of a way along an edge. */
static uint64_t edge_gate(const stoa__edge *edge) {
    bool straight = edge->vector && (!edge->watched || edge->hook != NULL);
    uint32_t kind = !straight ? STOA__GATE_ANY : edge->watched ? STOA__GATE_TOLD : 0;
    return edge->open ? stoa__gate_at(kind, edge->epoch) : 0;
}

/* The columns of a chunk, if it is one. */
static stoa__way_columns columns_of(const stoa_chunk *chunk, uint32_t kept) {
    uint8_t *const *columns = chunk->columns;
    return columns == NULL ? (stoa__way_columns){NULL, NULL}
                           : (stoa__way_columns){columns[0], columns[kept]};
}

static uint8_t *column_of(const stoa_chunk *chunk, uint32_t index) {
    return chunk->columns != NULL ? chunk->columns[index] : NULL;
}

static bool edge_drops(const stoa__edge *edge) {
    return (edge->single & STOA__KEY_DROP) != 0;
}

/* Notes what a shift of one vector needs of the last chunks. */
static void vector_fill(stoa__way *way) {
    const stoa__edge *edge = way->edge;
    way->tail_columns = columns_of(way->tail, edge->copies->from);
    way->end_columns = columns_of(way->end, edge->copies->to);
    if (edge_drops(edge)) {
        way->tail_side = column_of(way->tail, edge->copies[1].from);
    } else {
        way->side = column_of(way->end, edge->puts->to);
    }
}

/* Notes a chunk that rows leave. */
static void hole_fill(const stoa__storage *storage, stoa__way *way, uint32_t number) {
    const stoa__edge *edge = way->edge;
    uint8_t *const *columns = storage->head.chunks[number].columns;
    way->first = (uint64_t)number << STOA_PLACE_BITS;
    way->hole = (stoa__way_columns){columns[0], columns[edge->copies->from]};
    if (edge_drops(edge)) {
        way->side = columns[edge->copies[1].from];
    }
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
    if (edge->vector) {
        vector_fill(&way);
    }
    return way;
}

void stoa__way_fill(stoa__storage *storage, stoa__way *way, const stoa__edge *edge, uint32_t slot,
                    uint32_t tally) {
    if (storage->shifted[tally] != 0) {
        stoa__rows_settle(storage);
    }
    storage->tallies[tally] = (stoa__tally){edge->source, edge->target};
    *way = way_of(storage, edge, slot, tally);
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
    hole_fill(storage, way, number);
    return true;
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

/* True if what is noted of the chunks of a way along a vector is so. */
static bool vector_right(const stoa__storage *storage, const stoa__way *way) {
    stoa__way is = *way;
    vector_fill(&is);
    if (way->first != STOA__NOWHERE) {
        uint32_t number = (uint32_t)(way->first >> STOA_PLACE_BITS);
        if (number >= storage->chunk_count ||
            storage->head.chunks[number].archetype != &way->edge->source->head) {
            return false;
        }
        hole_fill(storage, &is, number);
    }
    return memcmp(&is, way, sizeof is) == 0;
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
           (!way->edge->vector || vector_right(storage, way));
}

/* Shifting: what is not inlined.
 *
 * An edge is open for the epoch it was read in: whatever could shut it moves the epoch on. */
#include "storage/shift.h"

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
static stoa__way_columns columns_of(const stoa_chunk *chunk, uint32_t kept, uint32_t side) {
    uint8_t *const *columns = chunk->columns;
    return columns == NULL
               ? (stoa__way_columns){NULL, NULL, NULL}
               : (stoa__way_columns){columns[0], columns[kept], side != 0 ? columns[side] : NULL};
}

void stoa__way_fill(const stoa__storage *storage, stoa__way *way, const stoa__edge *edge,
                    uint32_t slot) {
    bool drops = (edge->single & STOA__KEY_DROP) != 0;
    *way = (stoa__way){.gate = edge_gate(edge),
                       .edge = edge,
                       .slot = slot,
                       .source = edge->source,
                       .tail = edge->source->tail,
                       .end = edge->target->tail,
                       .indexes = {edge->source->index, edge->target->index}};
    if (edge->vector) {
        way->side = drops ? edge->copies[1].from : edge->puts->to;
        way->kept[0] = edge->copies->from;
        way->kept[1] = edge->copies->to;
        way->tail_columns = columns_of(way->tail, way->kept[0], drops ? way->side : 0);
        way->end_columns = columns_of(way->end, way->kept[1], drops ? 0 : way->side);
        const stoa__lane *lanes = edge->source->lanes;
        way->kept_table = storage->head.columns[lanes[way->kept[0] - 1].id];
        way->side_table = drops ? storage->head.columns[lanes[way->side - 1].id] : NULL;
        if (way->kept_table == NULL || (drops && way->side_table == NULL)) {
            way->gate = edge->open ? stoa__gate_at(STOA__GATE_ANY, edge->epoch) : 0;
        }
    }
}

bool stoa__way_right(const stoa__storage *storage, const stoa__way *way) {
    uint64_t told = stoa__gate_at(STOA__GATE_TOLD, 0), sparse = stoa__gate_at(STOA__GATE_SPARSE, 0);
    if (way->slot == STOA__NONE || (way->gate & ~sparse) != stoa__gate_of(storage->head.epoch)) {
        return true;
    }
    if ((way->gate & sparse) == sparse) {
        return way->set != NULL && way->edge == NULL;
    }
    stoa__way is;
    stoa__way_fill(storage, &is, way->edge, way->slot);
    bool heard = (way->gate & told) == 0 ||
                 way->edge->hook == stoa__component_at(storage, way->edge->single)->sole;
    const stoa__archetype *source = way->source;
    if ((is.tail == way->tail &&
         memcmp(&is.tail_columns, &way->tail_columns, sizeof is.tail_columns) != 0) ||
        (is.end == way->end &&
         memcmp(&is.end_columns, &way->end_columns, sizeof is.end_columns) != 0)) {
        return false;
    }
    return is.gate == way->gate && is.source == source && is.side == way->side &&
           memcmp(is.kept, way->kept, sizeof is.kept) == 0 &&
           memcmp(is.indexes, way->indexes, sizeof is.indexes) == 0 && heard &&
           is.kept_table == way->kept_table && is.side_table == way->side_table &&
           storage->archetypes[is.indexes[0]] == source &&
           stoa__edge_find(source, way->edge->key, 1, way->edge->hash) == way->edge;
}

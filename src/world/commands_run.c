/* Runs: commands that do the same to one entity after the other.
 *
 * Setting, adding or removing one component, and destroying, are mostly recorded for many entities
 * of one archetype in a row. What has to be found out for each is then the same for all: the edge,
 * the offsets, that nobody is told. It is found out once, and what is left is to move rows. A run
 * ends where anything is out of the ordinary: that command is applied as any other is.
 *
 * Chunks know how new their columns are. A chunk that a row came from has told the chunk it went to
 * once for all rows, as long as nothing came to it meanwhile. */
#include "storage/edge.h"
#include "storage/entities.h"
#include "world/commands_buffer.h"
#include "world/values.h"

/* A run: commands of one size in one block of the arena. */
typedef struct run {
    stoa_commands *commands;
    stoa__storage *storage;
    stoa__archetype *source;
    const stoa__edge *edge;
    uint32_t op;
    uint32_t kind;
    const uint8_t *end; /* of the block */
    size_t stride;      /* from one command to the next */
} run;

/* True if a command is followed by one that is for another entity. */
STOA__INLINE bool command_is_apart(const uint8_t *at, size_t stride, const uint8_t *end) {
    uint64_t e, next;
    if (!STOA_LIKELY(at + stride != end)) {
        return false;
    }
    memcpy(&e, at, sizeof e);
    memcpy(&next, at + stride, sizeof next);
    return STOA_LIKELY(e != next);
}

/* True if two commands do the same: their headers are equal but for the entity. */
STOA__INLINE bool command_is_like(const uint8_t *a, const uint8_t *b) {
    uint64_t x, y;
    memcpy(&x, a + sizeof(stoa_entity), sizeof x);
    memcpy(&y, b + sizeof(stoa_entity), sizeof y);
    return STOA_LIKELY(x == y);
}

/* The place of an entity of the run's archetype, or STOA__NONE. */
STOA__INLINE uint32_t entity_place(const stoa_record *records, uint32_t record_count,
                                   const stoa_chunk_ref *chunks, const stoa__archetype *source,
                                   stoa_entity e) {
    if (!STOA_LIKELY(e.index < record_count && records[e.index].generation == e.generation &&
                     (int32_t)e.generation > 0)) {
        return STOA__NONE;
    }
    uint32_t place = records[e.index].place;
    return STOA_LIKELY(chunks[place >> STOA_PLACE_BITS].archetype == &source->head) ? place
                                                                                    : STOA__NONE;
}

/* No chunk: none has told of its ticks yet. */
static const uint8_t nobody;

/* A row is moved to a chunk of the target, which learns how new it is. */
STOA__APART static void move_tell(const run *r, uint8_t *to, uint8_t *from) {
    const stoa__edge *edge = r->edge;
    for (uint32_t i = 0; i < edge->kept; i++) {
        const stoa__copy *copy = &edge->copies[i];
        stoa__state_merge(stoa__state_of(to, copy->to), stoa__state_of(from, copy->from));
    }
    stoa__edge_tags(edge, to, from);
    if (r->op != STOA__COMMAND_REMOVE) {
        stoa__state_mark(stoa__state_of(to, edge->puts->to), r->storage->head.tick, true);
    }
}

/* Moves the columns of one row along an edge, and those of the last one into its place, even if
 * they are the same. */
STOA__INLINE void columns_move(const stoa__edge *edge, stoa__row from, stoa__row to,
                               stoa__row last) {
    const stoa__copy *copy = edge->copies;
    const stoa__copy *kept = copy + edge->kept, *end = copy + edge->lanes;
    for (; copy != kept; copy++) {
        size_t size = copy->size;
        uint8_t *hole = from.data + copy->from + from.slot * size;
        stoa__copy_small(to.data + copy->to + to.slot * size, hole, size);
        stoa__copy_small(hole, last.data + copy->from + last.slot * size, size);
    }
    for (; copy != end; copy++) {
        size_t size = copy->size;
        stoa__copy_small(from.data + copy->from + from.slot * size,
                         last.data + copy->from + last.slot * size, size);
    }
}

/* Rows were taken from the end of an archetype's last chunk, which has so many left. */
static void rows_shrink(stoa__storage *storage, stoa__archetype *archetype, uint32_t left) {
    storage->rows[archetype->index] -= (uint32_t)archetype->tail->count - left;
    archetype->tail->count = (int32_t)left;
    if (left == 0) {
        stoa__row_chunk_emptied(storage, archetype);
    }
}

/* Applies a run of changes to one component, at most until the chunk that is filled is full, or the
 * one that is emptied empty; returns how many. What changes with each command is kept in locals:
 * writing columns could change anything else, as far as the compiler knows. */
static uint32_t changes_run(const run *r, const uint8_t *at) {
    /* Chunks of the source: the one that has told the target's, and the one that the last one has
     * told. */
    const uint8_t *told = &nobody, *filled = &nobody;
    stoa__storage *storage = r->storage;
    const stoa__edge *edge = r->edge;
    stoa_record *records = storage->head.records;
    const stoa_chunk_ref *chunks = storage->head.chunks;
    const uint8_t *first = at, *end = r->end;
    uint32_t record_count = storage->head.record_count;
    stoa_chunk *target = edge->target->tail;
    stoa__row to = {target->data, (size_t)target->count, target->number << STOA_PLACE_BITS};
    stoa__row last = stoa__row_last(r->source);
    uint32_t left = (uint32_t)last.slot + 1;
    size_t capacity = (size_t)edge->target->head.chunk_capacity, stride = r->stride;
    size_t put = r->op != STOA__COMMAND_REMOVE ? edge->puts->size : 0;
    uint8_t *put_to = to.data + edge->puts->to;
    bool values = r->op == STOA__COMMAND_SET;
    while (to.slot < capacity && left > 0 && command_is_like(at, first) &&
           command_is_apart(at, stride, end)) {
        stoa_entity e = ((const stoa__command *)(const void *)at)->entity;
        uint32_t place = entity_place(records, record_count, chunks, r->source, e);
        if (!STOA_LIKELY(place != STOA__NONE)) {
            break;
        }
        stoa__row from = {chunks[place >> STOA_PLACE_BITS].data, place & (STOA__ROWS_MAX - 1),
                          place};
        last.slot = --left;
        if (!STOA_LIKELY(told == from.data)) {
            move_tell(r, to.data, from.data);
            told = from.data;
        }
        if (STOA_LIKELY(put != 0)) {
            stoa__value_copy(put_to + to.slot * put, values ? at + sizeof(stoa__command) : NULL,
                             put);
        }
        columns_move(edge, from, to, last);
        if (last.data != from.data && !STOA_LIKELY(filled == from.data)) {
            stoa__row_states_merge(r->source, from.data, last.data);
            filled = from.data;
            told = &nobody;
        }
        *stoa__row_entity(to) = e;
        stoa_entity moved = *stoa__row_entity(last);
        *stoa__row_entity(from) = moved;
        records[moved.index].place = from.place;
        records[e.index].place = to.place | (uint32_t)to.slot;
        to.slot++;
        at += stride;
    }
    uint32_t count = (uint32_t)to.slot - (uint32_t)target->count;
    storage->rows[edge->target->index] += count;
    target->count = (int32_t)to.slot;
    rows_shrink(storage, r->source, left);
    return count;
}

/* Applies a run of destructions, at most until a chunk is empty; returns how many. */
static uint32_t ends_run(const run *r, const uint8_t *at) {
    const uint8_t *filled = &nobody; /* the chunk that the last one has told */
    stoa__storage *storage = r->storage;
    stoa_record *records = storage->head.records;
    const stoa_chunk_ref *chunks = storage->head.chunks;
    const uint8_t *first = at, *end = r->end;
    uint32_t record_count = storage->head.record_count, free_first = storage->free_first;
    const stoa__lane *lanes = r->source->lanes, *lanes_end = lanes + r->source->lane_count;
    stoa__row last = stoa__row_last(r->source);
    uint32_t rows = (uint32_t)last.slot + 1, left = rows;
    while (left > 0 && command_is_like(at, first) &&
           command_is_apart(at, sizeof(stoa__command), end)) {
        stoa_entity e = ((const stoa__command *)(const void *)at)->entity;
        uint32_t place = entity_place(records, record_count, chunks, r->source, e);
        if (!STOA_LIKELY(place != STOA__NONE && e.generation != STOA__GENERATION_MAX)) {
            break;
        }
        stoa__row hole = {chunks[place >> STOA_PLACE_BITS].data, place & (STOA__ROWS_MAX - 1),
                          place};
        last.slot = --left;
        if (last.data != hole.data && !STOA_LIKELY(filled == hole.data)) {
            stoa__row_states_merge(r->source, hole.data, last.data);
            filled = hole.data;
        }
        for (const stoa__lane *lane = lanes; lane != lanes_end; lane++) {
            size_t size = lane->size;
            stoa__copy_small(hole.data + lane->offset + hole.slot * size,
                             last.data + lane->offset + last.slot * size, size);
        }
        stoa_entity moved = *stoa__row_entity(last);
        *stoa__row_entity(hole) = moved;
        records[moved.index].place = hole.place;
        records[e.index] = (stoa_record){(e.generation + 1) | STOA__DEAD, free_first};
        free_first = e.index;
        at += sizeof(stoa__command);
    }
    storage->free_first = free_first;
    storage->free_count += rows - left;
    storage->live_count -= rows - left;
    rows_shrink(storage, r->source, left);
    return rows - left;
}

/* Finds the edge of a run of changes; false if its commands are no matter of moving plain rows, or
 * there is no room for one. */
static bool edge_find(run *r) {
    stoa_component id = stoa__kind_id(r->commands, r->kind);
    if (id == 0 || r->stride == 0 || stoa__component_at(r->storage, id)->set != NULL ||
        (r->op == STOA__COMMAND_SET && r->commands->kinds[r->kind].alignment > STOA__ARENA_UNIT)) {
        return false;
    }
    bool drops = r->op == STOA__COMMAND_REMOVE;
    if ((stoa__archetype_column(r->source, id) != NULL) != drops) {
        return false;
    }
    stoa__edge *edge = stoa__edge_hop(r->storage, r->source, drops ? id | STOA__KEY_DROP : id);
    if (edge == NULL || !edge->quick) {
        return false;
    }
    stoa__edge_ready(r->storage, edge, r->source);
    r->edge = edge;
    return edge->target->tail->count < edge->target->head.chunk_capacity;
}

bool stoa__commands_run(stoa_commands *commands, const stoa__command *command) {
    stoa_world *world = commands->world;
    const stoa_record *record = stoa__entities_find(&world->storage, command->entity);
    if (record == NULL || record->place >> STOA_PLACE_BITS == 0) {
        return false;
    }
    const stoa__arena_place *place = &commands->place;
    run r = {
        .commands = commands,
        .storage = &world->storage,
        .source = stoa__row_archetype(&world->storage, record->place),
        .op = command->op,
        .kind = command->kind,
        .end = stoa__arena_block_end(&commands->arena, place->block),
        .stride = command->extent * STOA__ARENA_UNIT,
    };
    uint32_t count = 0;
    if (r.op == STOA__COMMAND_DESTROY) {
        if (r.source->simple && r.source->small && world->events.target_count == 0) {
            count = ends_run(&r, place->at);
        }
    } else if (edge_find(&r)) {
        count = changes_run(&r, place->at);
    }
    commands->place.at += count * r.stride;
    commands->count -= (int32_t)count;
    return count > 0;
}

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
#include "storage/ends.h"
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

/* Destructions that are applied together. */
#define ENDS_MAX 256

/* One half of a command's header: its entity, or what it does. */
STOA__INLINE uint64_t command_half(const uint8_t *at, size_t half) {
    uint64_t bits;
    memcpy(&bits, at + half * sizeof bits, sizeof bits);
    return bits;
}

/* How many commands from `at` on, up to `most`, do the same and are each followed by one that is
 * for another entity. */
static uint32_t commands_alike(const run *r, const uint8_t *at, uint32_t most) {
    size_t stride = r->stride;
    const uint8_t *end = r->end;
    uint64_t e = command_half(at, 0), does = command_half(at, 1);
    uint32_t count = 0;
    while (count < most && command_half(at, 1) == does) {
        at += stride;
        if (at == end || command_half(at, 0) == e) {
            break;
        }
        e = command_half(at, 0);
        count++;
    }
    return count;
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

/* A row is moved from a chunk to one of the target, which learns how new it is, and is filled with
 * one of the chunk `last`. Returns the chunk if it need not tell of its next row: it has to once
 * more if it learned something itself. `*filled` is the chunk that the last one has told. */
STOA__APART static const uint8_t *move_tell(const run *r, uint8_t *to, uint8_t *from, uint8_t *last,
                                            const uint8_t **filled) {
    const stoa__edge *edge = r->edge;
    for (uint32_t i = 0; i < edge->kept; i++) {
        const stoa__copy *copy = &edge->copies[i];
        stoa__state_merge(stoa__state_of(to, copy->to), stoa__state_of(from, copy->from));
    }
    stoa__edge_tags(edge, to, from);
    if (r->op != STOA__COMMAND_REMOVE) {
        stoa__state_mark(stoa__state_of(to, edge->puts->to), r->storage->head.tick, true);
    }
    if (last == from || *filled == from) {
        return from;
    }
    stoa__row_states_merge(r->source, from, last);
    *filled = from;
    return &nobody;
}

/* Moves the columns of one row along an edge, and those of the last one into its place. */
STOA__INLINE void columns_move(const stoa__edge *edge, stoa__row from, stoa__row to, stoa__row last,
                               bool fill) {
    const stoa__copy *copy = edge->copies;
    const stoa__copy *kept = copy + edge->kept, *end = copy + edge->lanes;
    for (; copy != kept; copy++) {
        size_t size = copy->size;
        uint32_t out = copy->from;
        uint8_t *hole = from.data + out + from.slot * size;
        stoa__copy_small(to.data + copy->to + to.slot * size, hole, size);
        if (fill) {
            stoa__copy_small(hole, last.data + out + last.slot * size, size);
        }
    }
    for (; fill && copy != end; copy++) {
        size_t size = copy->size;
        uint32_t out = copy->from;
        stoa__copy_small(from.data + out + from.slot * size, last.data + out + last.slot * size,
                         size);
    }
}

/* Applies a run of changes to one component, at most until the chunk that is filled is full, or the
 * one that is emptied empty; returns how many. What changes with each command is kept in locals:
 * writing columns could change anything else, as far as the compiler knows. */
STOA__INLINE uint32_t changes_apply(const run *r, const uint8_t *at, bool stamped) {
    const uint8_t *told = &nobody, *filled = &nobody;
    stoa__storage *storage = r->storage;
    const stoa__edge *edge = r->edge;
    const stoa__archetype *source = r->source;
    stoa_record *records = storage->head.records;
    uint32_t *stamps = storage->record_stamps, stamp = storage->stamp;
    const stoa_chunk_ref *chunks = storage->head.chunks;
    uint32_t record_count = storage->head.record_count;
    stoa_chunk *target = edge->target->tail;
    stoa__row to = {target->data, (size_t)target->count, target->number << STOA_PLACE_BITS};
    stoa__row last = stoa__row_last(source);
    uint32_t left = (uint32_t)last.slot + 1;
    uint32_t room = (uint32_t)edge->target->head.chunk_capacity - (uint32_t)to.slot;
    const uint8_t *end = at + r->stride * commands_alike(r, at, room < left ? room : left);
    size_t put = r->op != STOA__COMMAND_REMOVE ? edge->puts->size : 0;
    uint8_t *put_to = to.data + edge->puts->to;
    for (; at != end; at += r->stride) {
        stoa_entity e = ((const stoa__command *)(const void *)at)->entity;
        uint32_t place = entity_place(records, record_count, chunks, source, e);
        if (!STOA_LIKELY(place != STOA__NONE)) {
            break;
        }
        stoa__row from = {chunks[place >> STOA_PLACE_BITS].data, place & (STOA__ROWS_MAX - 1),
                          place};
        last.slot = --left;
        if (!STOA_LIKELY(told == from.data)) {
            told = move_tell(r, to.data, from.data, last.data, &filled);
        }
        if (STOA_LIKELY(put != 0)) {
            stoa__value_copy(put_to + to.slot * put,
                             r->op == STOA__COMMAND_SET ? at + sizeof(stoa__command) : NULL, put);
        }
        *stoa__row_entity(to) = e;
        if (from.slot == last.slot && from.data == last.data) {
            columns_move(edge, from, to, last, false);
        } else {
            columns_move(edge, from, to, last, true);
            stoa_entity moved = *stoa__row_entity(last);
            *stoa__row_entity(from) = moved;
            records[moved.index].place = place;
            if (stamped) {
                stamps[moved.index >> STOA__STAMP_BITS] = stamp;
            }
        }
        records[e.index].place = to.place | (uint32_t)to.slot;
        if (stamped) {
            stamps[e.index >> STOA__STAMP_BITS] = stamp;
        }
        to.slot++;
    }
    uint32_t count = (uint32_t)to.slot - (uint32_t)target->count;
    storage->rows[edge->target->index] += count;
    target->count = (int32_t)to.slot;
    stoa__row_pop_many(storage, r->source, count);
    return count;
}

/* Each is compiled twice, so that records are not stamped at a cost where nobody wants to know. */
STOA__APART static uint32_t changes_run_stamped(const run *r, const uint8_t *at) {
    return changes_apply(r, at, true);
}

static uint32_t changes_run(const run *r, const uint8_t *at) {
    return r->storage->record_stamps == NULL ? changes_apply(r, at, false)
                                             : changes_run_stamped(r, at);
}

/* Applies a run of destructions, at most so many as fit a list of their entities; returns how many.
 */
static uint32_t ends_run(const run *r, const uint8_t *at) {
    stoa_entity entities[ENDS_MAX];
    uint32_t count = 0, alike = commands_alike(r, at, ENDS_MAX);
    for (; count < alike; count++) {
        memcpy(&entities[count], at + count * sizeof(stoa__command), sizeof *entities);
    }
    return stoa__ends_run(r->storage, r->source, entities, count);
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
        if (r.source->simple && world->events.target_count == 0) {
            count = ends_run(&r, place->at);
        }
    } else if (edge_find(&r)) {
        count = changes_run(&r, place->at);
    }
    commands->place.at += count * r.stride;
    commands->count -= (int32_t)count;
    return count > 0;
}

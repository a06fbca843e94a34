/* Runs: commands that do the same to one entity after the other.
 *
 * Setting, adding or removing one component, and destroying, are mostly recorded for many entities
 * of one archetype in a row. What has to be found out for each is then the same for all: the edge,
 * the columns, that nobody is told. It is found out once, and what is left is to move rows. A run
 * ends where anything is out of the ordinary: that command is applied as any other is. */
#include "storage/ends.h"
#include "storage/entities.h"
#include "storage/moves.h"
#include "world/commands_buffer.h"

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

/* How many commands from `at` on, up to a block of rows, do the same and are each followed by one
 * that is for another entity. Their records are asked for, since they may be anywhere. */
static uint32_t commands_alike(const run *r, const uint8_t *at) {
    size_t stride = r->stride;
    const uint8_t *first = at;
    const stoa_record *records = r->storage->head.records;
    uint64_t e = stoa_bits_read(at), does = stoa__command_word(at);
    /* The last of the block is left: what follows it is not looked at. */
    size_t rest = (size_t)(r->end - at) - stride, most = STOA__HOLES_MAX * stride;
    const uint8_t *end = at + (rest < most ? rest : most);
    while (at < end && stoa__command_word(at) == does) {
        uint64_t next = stoa_bits_read(at + stride);
        if (next == e) {
            break;
        }
        stoa__handle_ask(records, STOA_FIRST(e));
        e = next;
        at += stride;
    }
    return (uint32_t)((size_t)(at - first) / stride);
}

/* Applies a run of changes to one component, at most so many as are moved together; returns how
 * many. */
static uint32_t changes_run(const run *r, const uint8_t *at) {
    stoa__handles handles = {at, r->stride, commands_alike(r, at)};
    return stoa__moves_run(r->storage, r->source, r->edge, handles,
                           r->op == STOA__COMMAND_SET ? sizeof(stoa__command) : 0);
}

/* Applies a run of destructions, at most so many as are ended together; returns how many. Who is
 * destroyed twice is dead the second time, which ends the run. */
static uint32_t ends_run(const run *r, const uint8_t *at) {
    const uint8_t *first = at, *end = r->end;
    const stoa_record *records = r->storage->head.records;
    uint64_t does = stoa__command_word(at);
    if ((size_t)(end - at) > STOA__HOLES_MAX * sizeof(stoa__command)) {
        end = at + STOA__HOLES_MAX * sizeof(stoa__command);
    }
    for (; at != end && stoa__command_word(at) == does; at += sizeof(stoa__command)) {
        stoa__handle_ask(records, STOA_FIRST(stoa_bits_read(at)));
    }
    stoa__handles handles = {first, sizeof(stoa__command),
                             (uint32_t)((size_t)(at - first) / sizeof(stoa__command))};
    return stoa__ends_run(r->storage, r->source, handles);
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
    stoa__edge_ready(r->storage, edge);
    r->edge = edge;
    return edge->target->tail->count < edge->target->head.chunk_capacity;
}

bool stoa__commands_run(stoa_commands *commands, const stoa__command *command) {
    stoa_world *world = commands->world;
    uint32_t index = command->entity.index;
    if (stoa__entities_find(&world->storage, command->entity) == NULL ||
        stoa__record_empty(world->storage.head.records, index)) {
        return false;
    }
    const stoa__arena_place *place = &commands->place;
    run r = {
        .commands = commands,
        .storage = &world->storage,
        .source = stoa__row_archetype(&world->storage, stoa__place_of(&world->storage, index)),
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

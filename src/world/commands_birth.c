/* Creations that follow each other and have the same bundle.
 *
 * A spawner records the same bundle over and over. What is put where is then the same for all and
 * is found out once; what is left is to append rows. The last creation of a row of them is applied
 * as any other command is, since what follows may concern it and can be merged with it. So is one
 * with anything out of the ordinary: hooks, sparse components, values that are more than bytes. */
#include "storage/edge.h"
#include "storage/entities.h"
#include "world/commands_buffer.h"
#include "world/values.h"

/* Components of a bundle that is taken this way, at most. */
#define PARTS_MAX 16u

/* One component: how its part is told, and where its value goes from and to. */
typedef struct birth_part {
    uint64_t does; /* the second half of the part's header */
    size_t at;     /* of the part, from the creation on */
    stoa_component id;
    bool zero;
    stoa__put put;
} birth_part;

typedef struct births {
    stoa__storage *storage;
    const stoa__edge *edge;
    const uint8_t *end; /* of the block */
    uint64_t does;      /* the second half of a creation's header */
    size_t stride;      /* from one creation to the next */
    uint32_t count;     /* of parts */
    birth_part parts[PARTS_MAX];
} births;

/* What a command does, without its entity. */
STOA__INLINE uint64_t command_does(const uint8_t *at) {
    uint64_t bits;
    memcpy(&bits, at + sizeof bits, sizeof bits);
    return bits;
}

/* Learns the parts of the creation at `at`; false if it is not of this sort, or another one does
 * not follow. */
static bool births_read(births *b, stoa_commands *commands, const uint8_t *at) {
    const stoa__command *first = (const stoa__command *)(const void *)at;
    b->count = first->extent;
    b->does = command_does(at);
    b->stride = sizeof *first;
    if (b->count == 0 || b->count > PARTS_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        if (at + b->stride == b->end) {
            return false;
        }
        const stoa__command *part = (const stoa__command *)(const void *)(at + b->stride);
        const stoa__kind *kind = &commands->kinds[part->kind];
        bool zero = part->op == STOA__COMMAND_ZERO;
        if (part->extent == 0 || (!zero && kind->extent == 0)) {
            return false;
        }
        b->parts[i] = (birth_part){
            .does = command_does(at + b->stride), .at = b->stride, .id = kind->id, .zero = zero};
        b->stride += part->extent * STOA__ARENA_UNIT;
    }
    return at + b->stride != b->end && command_does(at + b->stride) == b->does;
}

/* Finds where the values go; false if somebody wants to know, or the chunk is full. */
static bool births_aim(births *b) {
    stoa__storage *storage = b->storage;
    uint32_t key[PARTS_MAX], order[PARTS_MAX], hash = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        stoa_component id = b->parts[i].id;
        uint32_t at = i;
        if (id == 0 || stoa__component_at(storage, id)->set != NULL ||
            stoa__component_at(storage, id)->hooked != 0) {
            return false;
        }
        for (; at > 0 && key[at - 1] > id; at--) {
            key[at] = key[at - 1];
            order[at] = order[at - 1];
        }
        key[at] = id;
        order[at] = i;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        hash = stoa__edge_hash(hash, key[i]);
    }
    stoa__archetype *none = storage->archetypes[0];
    stoa__edge *edge = stoa__edge_get(storage, none, key, b->count, hash);
    if (edge == NULL || edge->watched || !edge->plain || edge->rich || edge->target->index == 0) {
        return false;
    }
    stoa__edge_ready(storage, edge, none);
    b->edge = edge;
    for (uint32_t i = 0; i < b->count; i++) {
        b->parts[order[i]].put = edge->puts[i];
    }
    return edge->target->tail->count < edge->target->head.chunk_capacity;
}

/* True if the creation at `at` is like the first, and so is the one that follows. */
STOA__INLINE bool birth_alike(const births *b, const uint8_t *at) {
    for (uint32_t i = 0; i < b->count; i++) {
        const uint8_t *part = at + b->parts[i].at;
        if (part == b->end || command_does(part) != b->parts[i].does) {
            return false;
        }
    }
    return at + b->stride != b->end && command_does(at + b->stride) == b->does;
}

/* Makes entities until the chunk is full, at most; returns how many. */
static uint32_t births_run(const births *b, const uint8_t *at) {
    stoa__storage *storage = b->storage;
    stoa_record *records = storage->head.records;
    stoa__archetype *target = b->edge->target;
    stoa_chunk *chunk = target->tail;
    uint8_t *data = chunk->data;
    uint32_t first = (uint32_t)chunk->count, slot = first;
    uint32_t room = (uint32_t)target->head.chunk_capacity;
    const birth_part *parts = b->parts, *end = parts + b->count;
    for (; slot < room && birth_alike(b, at); at += b->stride, slot++) {
        stoa_entity e = ((const stoa__command *)(const void *)at)->entity;
        for (const birth_part *part = parts; part != end; part++) {
            size_t size = part->put.size;
            if (STOA_LIKELY(size != 0)) {
                const uint8_t *value = part->zero ? NULL : at + part->at + sizeof(stoa__command);
                stoa__value_copy(data + part->put.to + slot * size, value, size);
            }
        }
        ((stoa_entity *)(void *)data)[slot] = e;
        records[e.index] = (stoa_record){e.generation, chunk->number << STOA_PLACE_BITS | slot};
    }
    for (const birth_part *part = parts; part != end; part++) {
        stoa__state_mark(stoa__state_of(data, part->put.to), storage->head.tick, true);
    }
    for (uint32_t i = first; storage->record_stamps != NULL && i < slot; i++) {
        stoa__record_stamp(storage, ((const stoa_entity *)(void *)data)[i].index);
    }
    chunk->count = (int32_t)slot;
    storage->rows[target->index] += slot - first;
    storage->reserved_count -= slot - first;
    return slot - first;
}

bool stoa__commands_births(stoa_commands *commands) {
    stoa__arena_place *place = &commands->place;
    births b;
    b.storage = &commands->world->storage;
    b.end = stoa__arena_block_end(&commands->arena, place->block);
    if (b.storage->watch_all || !births_read(&b, commands, place->at) || !births_aim(&b)) {
        return false;
    }
    uint32_t count = births_run(&b, place->at);
    place->at += count * b.stride;
    commands->count -= (int32_t)count;
    commands->creations -= count;
    return count > 0;
}

/* Creations that follow each other and have the same bundle.
 *
 * A spawner records the same bundle over and over. What is put where is then the same for all and
 * is found out once; what is left is to append rows. The last creation of a row of them is applied
 * as any other command is, since what follows may concern it and can be merged with it. So is one
 * with anything out of the ordinary: hooks, sparse components, values that are more than bytes. */
#include "world/commands_birth.h"

#include "storage/entities.h"
#include "world/values.h"

bool stoa__births_read(stoa__births *b, const stoa_commands *commands, const uint8_t *at) {
    const stoa__command *first = (const stoa__command *)(const void *)at;
    b->count = first->extent;
    b->does = stoa__command_word(at);
    b->stride = sizeof *first;
    if (b->count == 0 || b->count > STOA__BIRTH_PARTS) {
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
        b->parts[i] = (stoa__birth_part){.does = stoa__command_word(at + b->stride),
                                         .at = b->stride,
                                         .id = kind->id,
                                         .zero = zero};
        b->stride += part->extent * STOA__ARENA_UNIT;
    }
    return true;
}

bool stoa__births_aim(stoa__births *b) {
    stoa__storage *storage = b->storage;
    uint32_t key[STOA__BIRTH_PARTS], order[STOA__BIRTH_PARTS], hash = 0;
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
    stoa__edge_ready(storage, edge);
    b->edge = edge;
    for (uint32_t i = 0; i < b->count; i++) {
        b->parts[order[i]].put = edge->puts[i];
    }
    return true;
}

/* True if the creation at `at` is followed by one with as many parts. */
STOA__INLINE bool birth_follows(const stoa__births *b, const uint8_t *at) {
    return at + b->stride != b->end && stoa__command_word(at + b->stride) == b->does;
}

/* True if the creation at `at` is like the first, and so is the one that follows. */
STOA__INLINE bool birth_alike(const stoa__births *b, const uint8_t *at) {
    for (uint32_t i = 0; i < b->count; i++) {
        const uint8_t *part = at + b->parts[i].at;
        if (part == b->end || stoa__command_word(part) != b->parts[i].does) {
            return false;
        }
    }
    return birth_follows(b, at);
}

/* How many creations from `at` on, up to `most`, are like the first. */
static uint32_t births_count(const stoa__births *b, const uint8_t *at, uint32_t most) {
    uint32_t count = 0;
    for (; count < most && birth_alike(b, at); at += b->stride) {
        count++;
    }
    return count;
}

/* Fills one column, of items of a known size. */
STOA__INLINE void column_fill(uint8_t *to, const uint8_t *value, size_t stride, size_t size,
                              uint32_t count) {
    for (; count > 0; count--, to += size, value += stride) {
        stoa__copy_bytes(to, value, size);
    }
}

static void part_fill(const stoa__birth_part *part, uint8_t *to, const uint8_t *value,
                      size_t stride, uint32_t count) {
    switch (part->put.size) {
    case 4:
        column_fill(to, value, stride, 4, count);
        break;
    case 8:
        column_fill(to, value, stride, 8, count);
        break;
    case 12:
        column_fill(to, value, stride, 12, count);
        break;
    case 16:
        column_fill(to, value, stride, 16, count);
        break;
    default:
        column_fill(to, value, stride, part->put.size, count);
    }
}

void stoa__births_fill(const stoa__births *b, const stoa_chunk *chunk, uint32_t slot,
                       const uint8_t *at, uint32_t count) {
    for (const stoa__birth_part *part = b->parts, *end = part + b->count; part != end; part++) {
        size_t size = part->put.size;
        uint8_t *to = stoa_column_begin(chunk->columns, part->put.to) + slot * size;
        if (part->zero) {
            memset(to, 0, count * size);
        } else if (size != 0) {
            part_fill(part, to, at + part->at + sizeof(stoa__command), b->stride, count);
        }
    }
    stoa_entity *entities = stoa_columns_entities(chunk->columns) + slot;
    stoa_record *records = b->storage->head.records;
    uint32_t place = chunk->number << STOA_PLACE_BITS | slot;
    size_t stride = b->stride;
    for (uint32_t i = 0; i < count; i++, at += stride) {
        stoa_entity e = ((const stoa__command *)(const void *)at)->entity;
        entities[i] = e;
        records[e.index] = (stoa_record){(place + i) ^ e.index, e.generation};
    }
}

void stoa__births_note(const stoa__births *b, stoa_chunk *chunk, uint32_t count) {
    stoa__storage *storage = b->storage;
    uint32_t first = (uint32_t)chunk->count;
    for (uint32_t i = 0; i < b->count; i++) {
        stoa__state_mark(stoa__state_of(chunk->columns, b->parts[i].put.to), storage->head.tick,
                         true);
    }
    for (uint32_t i = first; storage->record_stamps != NULL && i < count; i++) {
        stoa__record_stamp(storage, stoa_columns_entities(chunk->columns)[i].index);
    }
    chunk->count = (int32_t)count;
    stoa__rows_came(storage, b->edge->target->index, count - first);
    storage->reserved_count -= count - first;
}

bool stoa__commands_births(stoa_commands *commands) {
    stoa__arena_place *place = &commands->place;
    stoa__births b;
    b.storage = &commands->world->storage;
    b.end = stoa__arena_block_end(&commands->arena, place->block);
    if (b.storage->watch_all || !stoa__births_read(&b, commands, place->at) ||
        !birth_follows(&b, place->at) || !stoa__births_aim(&b) ||
        b.edge->target->tail->count >= b.edge->target->head.chunk_capacity) {
        return false;
    }
    stoa_chunk *chunk = b.edge->target->tail;
    uint32_t slot = (uint32_t)chunk->count;
    uint32_t count =
        births_count(&b, place->at, (uint32_t)b.edge->target->head.chunk_capacity - slot);
    stoa__births_fill(&b, chunk, slot, place->at, count);
    stoa__births_note(&b, chunk, slot + count);
    place->at += count * b.stride;
    commands->count -= (int32_t)count;
    commands->creations -= count;
    return count > 0;
}

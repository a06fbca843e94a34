/* The hash of a world's content.
 *
 * What counts: every slot's generation and whether it lives, the order of the free list, and for
 * each archetype with rows its entities and columns in storage order. Columns count under their
 * component's name, member by member; ids, padding, pointers, chunk sizes and the order of
 * archetypes do not. A component without described members counts by its bytes, or, if it has
 * hooks, by being there. Columns whose members leave no gap go through as one block. O(content). */
#include "base/hash.h"
#include "storage/archetype.h"
#include "world/world.h"

#include <string.h>

static bool machine_is_little(void) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* One number, least byte first on every machine. */
static void scalar_add(stoa__hasher *hasher, const uint8_t *bytes, uint32_t size, bool little) {
    if (little) {
        stoa__hasher_add(hasher, bytes, size);
        return;
    }
    for (uint32_t i = size; i-- > 0;) {
        stoa__hasher_add(hasher, bytes + i, 1);
    }
}

static void members_add(const stoa__storage *storage, stoa__hasher *hasher,
                        const stoa__component *component, const uint8_t *item, bool little);

static void member_add(const stoa__storage *storage, stoa__hasher *hasher, const stoa_member *m,
                       const uint8_t *item, bool little) {
    for (uint32_t i = 0; i < m->count; i++, item += m->size) {
        if (m->kind == STOA_KIND_STRUCT) {
            members_add(storage, hasher, stoa__component_at(storage, m->type), item, little);
        } else if (m->kind == STOA_KIND_STRING) {
            const char *text;
            memcpy(&text, item, sizeof text);
            stoa__hasher_add_text(hasher, text);
        } else if (m->kind == STOA_KIND_ENTITY) {
            scalar_add(hasher, item, 4, little);
            scalar_add(hasher, item + 4, 4, little);
        } else if (m->kind != STOA_KIND_POINTER) {
            scalar_add(hasher, item, m->size, little);
        }
    }
}

static void members_add(const stoa__storage *storage, stoa__hasher *hasher,
                        const stoa__component *component, const uint8_t *item, bool little) {
    for (int32_t i = 0; i < component->info.member_count; i++) {
        const stoa_member *m = &component->info.members[i];
        member_add(storage, hasher, m, item + m->offset, little);
    }
    if (component->info.member_count == 0 && component->info.plain) {
        stoa__hasher_add(hasher, item, component->info.size);
    }
}

static void column_add(const stoa__storage *storage, stoa__hasher *hasher,
                       const stoa__component *component, const uint8_t *items, int32_t count) {
    bool little = machine_is_little();
    bool opaque = component->info.member_count == 0 && component->info.plain;
    uint32_t size = component->info.size;
    if (opaque || (component->dense && little)) {
        stoa__hasher_add(hasher, items, (size_t)count * size);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        members_add(storage, hasher, component, items + (size_t)i * size, little);
    }
}

/* Columns are added up, so that the order of ids does not matter. */
static uint64_t columns_hash(const stoa__storage *storage, const stoa__archetype *archetype) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < archetype->id_count; i++) {
        const stoa__component *component = stoa__component_at(storage, archetype->ids[i]);
        const stoa_column *column = stoa__archetype_column(archetype, archetype->ids[i]);
        stoa__hasher hasher;
        stoa__hasher_init(&hasher);
        stoa__hasher_add_text(&hasher, component->name);
        for (int32_t c = 0; component->info.size != 0 && c < archetype->head.chunk_count; c++) {
            const stoa_chunk *chunk = &archetype->head.chunks[c];
            column_add(storage, &hasher, component, chunk->data + column->offset, chunk->count);
        }
        sum += stoa__hash_mix(stoa__hasher_result(&hasher));
    }
    return sum;
}

static uint64_t archetype_hash(const stoa__storage *storage, const stoa__archetype *archetype) {
    stoa__hasher hasher;
    stoa__hasher_init(&hasher);
    for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
        const stoa_chunk *chunk = &archetype->head.chunks[c];
        const stoa_entity *entities = (const stoa_entity *)(const void *)chunk->data;
        if (machine_is_little()) {
            stoa__hasher_add(&hasher, entities, (size_t)chunk->count * sizeof *entities);
            continue;
        }
        for (int32_t i = 0; i < chunk->count; i++) {
            stoa__hasher_add_u32(&hasher, entities[i].index);
            stoa__hasher_add_u32(&hasher, entities[i].generation);
        }
    }
    stoa__hasher_add_u64(&hasher, columns_hash(storage, archetype));
    return stoa__hash_mix(stoa__hasher_result(&hasher));
}

static uint64_t entities_hash(const stoa__storage *storage) {
    stoa__hasher hasher;
    stoa__hasher_init(&hasher);
    const stoa_record *records = storage->head.records;
    for (uint32_t i = 0; i < storage->head.record_count; i++) {
        stoa__hasher_add_u32(&hasher, records[i].generation);
    }
    for (uint32_t i = storage->free_first; i != 0; i = records[i].place) {
        stoa__hasher_add_u32(&hasher, i);
    }
    return stoa__hasher_result(&hasher);
}

uint64_t stoa_hash(const stoa_world *world) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return 0;
    }
    const stoa__storage *storage = &world->storage;
    uint64_t sum = entities_hash(storage);
    for (uint32_t i = 1; i < storage->archetype_count; i++) {
        if (storage->archetypes[i]->head.chunk_count > 0) {
            sum += archetype_hash(storage, storage->archetypes[i]);
        }
    }
    return stoa__hash_mix(sum);
}

/* The hash of a world's content.
 *
 * What counts: every slot's generation and whether it lives, the order of the free list, for each
 * archetype with rows its entities, columns and what is switched off, in storage order, sparse
 * sets, and resources. Columns count under their
 * component's name, member by member; ids, padding, pointers, chunk sizes and the order of
 * archetypes do not. A component without described members counts by its bytes, or, if it has
 * hooks, by being there. What is transient does not count. Columns whose members leave no gap go
 * through as one block. O(content). */
#include "base/hash.h"
#include "storage/archetype.h"
#include "storage/entities.h"
#include "storage/sparse.h"
#include "world/guard.h"
#include "world/world.h"

#include <string.h>

/* A component and a resource of one type, or a sparse one, must not cancel each other out. */
#define OFF_SALT 0xA0761D6478BD642Fu
#define SPARSE_SALT 0x9E3779B97F4A7C15u
#define RESOURCE_SALT 0xD1B54A32D192ED03u

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

/* Handles, index first. */
static void handles_add(stoa__hasher *hasher, const stoa_entity *entities, uint32_t count) {
    if (machine_is_little()) {
        stoa__hasher_add(hasher, entities, count * sizeof *entities);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        stoa__hasher_add_u32(hasher, entities[i].index);
        stoa__hasher_add_u32(hasher, entities[i].generation);
    }
}

/* Columns that are hashed at once: chunks are gone through one after the other, though each column
 * has a hash of its own. */
#define COLUMNS_AT_ONCE 16u

/* The hash of some columns from `first` on. They are added up, so that the order of ids does not
 * matter. The first ones take the handles along. */
static uint64_t columns_hash(const stoa__storage *storage, const stoa__archetype *archetype,
                             uint32_t first, stoa__hasher *handles) {
    uint32_t count = archetype->id_count - first;
    count = count < COLUMNS_AT_ONCE ? count : COLUMNS_AT_ONCE;
    const stoa_component *ids = archetype->ids + first;
    stoa__hasher hashers[COLUMNS_AT_ONCE];
    for (uint32_t i = 0; i < count; i++) {
        stoa__hasher_init(&hashers[i]);
    }
    for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
        const stoa_chunk *chunk = &archetype->head.chunks[c];
        if (first == 0) {
            handles_add(handles, stoa_columns_entities(chunk->columns), (uint32_t)chunk->count);
        }
        for (uint32_t i = 0; i < count; i++) {
            const stoa__component *component = stoa__component_at(storage, ids[i]);
            if (component->info.size != 0) {
                const stoa_column *column = stoa__archetype_column(archetype, ids[i]);
                column_add(storage, &hashers[i], component, chunk->columns[column->index],
                           chunk->count);
            }
        }
    }
    /* Names come last: a full chunk's column is whole stripes, and goes through without being cut.
     */
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t name = stoa__hash_mix(stoa__hash_text(stoa__component_at(storage, ids[i])->name));
        sum += stoa__hash_mix(stoa__hasher_result(&hashers[i]) ^ name);
    }
    return sum;
}

/* Where components are switched off, under their names. */
static uint64_t off_hash(const stoa__storage *storage, const stoa__archetype *archetype) {
    uint64_t sum = 0;
    for (uint32_t i = archetype->data_lanes; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        if (lane->kind == STOA__LANE_OFF) {
            stoa__hasher hasher;
            stoa__hasher_init(&hasher);
            stoa__hasher_add_text(&hasher, stoa__component_at(storage, lane->id)->name);
            for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
                const stoa_chunk *chunk = &archetype->head.chunks[c];
                stoa__hasher_add(&hasher, chunk->columns[lane->index], (size_t)chunk->count);
            }
            sum += stoa__hash_mix(stoa__hasher_result(&hasher) ^ OFF_SALT);
        }
    }
    return sum;
}

static uint64_t archetype_hash(const stoa__storage *storage, const stoa__archetype *archetype) {
    stoa__hasher hasher;
    stoa__hasher_init(&hasher);
    uint64_t sum = off_hash(storage, archetype);
    for (uint32_t first = 0; first < archetype->id_count; first += COLUMNS_AT_ONCE) {
        sum += columns_hash(storage, archetype, first, &hasher);
    }
    stoa__hasher_add_u64(&hasher, sum);
    return stoa__hash_mix(stoa__hasher_result(&hasher));
}

/* A sparse set in its own order. */
static uint64_t sparse_hash(const stoa__storage *storage, const stoa__sparse *set) {
    stoa__hasher hasher;
    stoa__hasher_init(&hasher);
    stoa__hasher_add_text(&hasher, set->component->name);
    handles_add(&hasher, set->entities, set->count);
    if (set->component->info.size != 0) {
        column_add(storage, &hasher, set->component, set->values, (int32_t)set->count);
    }
    if (set->off != NULL) {
        stoa__hasher_add(&hasher, set->off, set->count);
    }
    return stoa__hash_mix(stoa__hasher_result(&hasher) ^ SPARSE_SALT);
}

/* A resource under its name. One that cannot be saved, being neither plain nor described, does not
 * count. */
static uint64_t resource_hash(const stoa_world *world, stoa_component id) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    if ((!component->info.plain && component->info.member_count == 0) ||
        (component->info.flags & STOA_TRANSIENT) != 0) {
        return 0;
    }
    stoa__hasher hasher;
    stoa__hasher_init(&hasher);
    stoa__hasher_add_text(&hasher, component->name);
    if (component->info.size != 0) {
        column_add(&world->storage, &hasher, component, stoa_resource_try_id(world, id), 1);
    }
    return stoa__hash_mix(stoa__hasher_result(&hasher) ^ RESOURCE_SALT);
}

/* The bytes of a number, least first, as a number of this machine. */
STOA__INLINE uint32_t number_little(uint32_t number) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    number = __builtin_bswap32(number);
#endif
    return number;
}

/* Slots that are hashed at once: their generations and, if one of them is dead, what follows each
 * in the free list. That and where the list begins tell its order, and nobody has to walk along it
 * through memory. What lives, is held or retired has nothing that follows. */
#define SLOTS_BLOCK 256u

static void slots_add(stoa__hasher *hasher, const stoa_record *records, uint32_t count) {
    uint32_t numbers[SLOTS_BLOCK];
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++) {
        any |= records[i].generation;
        numbers[i] = number_little(records[i].generation);
    }
    stoa__hasher_add(hasher, numbers, count * sizeof *numbers);
    if ((any & STOA__DEAD) == 0) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool free = (records[i].generation & STOA__DEAD) != 0 && records[i].mixed != STOA__HELD;
        numbers[i] = number_little(free ? stoa__record_next(&records[i]) : 0);
    }
    stoa__hasher_add(hasher, numbers, count * sizeof *numbers);
}

static uint64_t entities_hash(const stoa__storage *storage) {
    stoa__hasher hasher;
    stoa__hasher_init(&hasher);
    for (uint32_t i = 0; i < storage->head.record_count; i += SLOTS_BLOCK) {
        uint32_t left = storage->head.record_count - i;
        slots_add(&hasher, storage->head.records + i, left < SLOTS_BLOCK ? left : SLOTS_BLOCK);
    }
    stoa__hasher_add_u32(&hasher, storage->head.record_count);
    stoa__hasher_add_u32(&hasher, storage->free_first);
    return stoa__hasher_result(&hasher);
}

/* True if the calling thread may read all that is hashed; otherwise the failure is reported. */
static bool hash_allowed(const stoa_world *world) {
    bool allowed = true;
#ifdef STOA_DEBUG
    for (stoa_component id = 1; id <= world->storage.registry.count && allowed; id++) {
        allowed = stoa__guard_allows(world, id, false);
    }
    for (stoa_component id = stoa_resource_next(world, 0); id != 0 && allowed;
         id = stoa_resource_next(world, id)) {
        allowed = stoa__guard_allows_resource(world, id, false);
    }
#else
    (void)world;
#endif
    return allowed;
}

uint64_t stoa_hash(const stoa_world *world) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return 0;
    }
    if (!hash_allowed(world)) {
        return 0;
    }
    const stoa__storage *storage = &world->storage;
    uint64_t sum = entities_hash(storage);
    for (uint32_t i = 1; i < storage->archetype_count; i++) {
        if (storage->archetypes[i]->head.chunk_count > 0) {
            sum += archetype_hash(storage, storage->archetypes[i]);
        }
    }
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        bool counts = c->set->count > 0 && (c->info.flags & STOA_TRANSIENT) == 0;
        sum += counts ? sparse_hash(storage, c->set) : 0;
    }
    for (stoa_component id = stoa_resource_next(world, 0); id != 0;
         id = stoa_resource_next(world, id)) {
        sum += resource_hash(world, id);
    }
    return stoa__hash_mix(sum);
}

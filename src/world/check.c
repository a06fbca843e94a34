/* Verifying a world: the six invariants, the tables behind them, and where every byte went.
 *
 * 1 entities and columns have the same rows; 2 records and rows point at each other; 3 generations
 * and the free list; 4 archetypes are where everybody thinks they are; 5 sets of ids are sorted,
 * without duplicates, and unique; 6 slot 0 is reserved. Reads everything, changes nothing, needs no
 * memory. */
#include "storage/archetype.h"
#include "storage/columns.h"
#include "storage/edge.h"
#include "storage/entities.h"
#include "storage/group.h"
#include "storage/row.h"
#include "storage/shift.h"
#include "storage/slab.h"
#include "storage/sparse.h"
#include "world/world.h"

/* True if bytes lie in the block of a group. */
static bool group_has(const stoa__group *group, const uint8_t *bytes, uint64_t size) {
    uintptr_t begin = (uintptr_t)stoa__group_block(group), at = (uintptr_t)bytes;
    return at >= begin && at - begin <= group->size && size <= group->size - (at - begin);
}

/* True if one kind of column of a chunk is in the block of its group and ends before the same one
 * of the next chunk begins; `lead` is what belongs to it before its first row. */
static bool column_right(const stoa__group *group, uint8_t *const *columns, uint8_t *const *next,
                         uint32_t index, uint64_t size, uint32_t lead) {
    const uint8_t *column = columns[index];
    return (uintptr_t)column % STOA__LINE == 0 && group_has(group, column - lead, lead + size) &&
           (next == NULL || (uintptr_t)column + size <= (uintptr_t)next[index] - lead);
}

/* True if the columns of a chunk are some of its group, or the archetype's copy of them, and each
 * is where it may be. */
static bool columns_right(const stoa__archetype *archetype, uint8_t **columns) {
    stoa__group *group = stoa__group_of(columns);
    if (columns == archetype->table + 1) {
        size_t size = stoa__group_stride(archetype->lane_count) * sizeof *columns;
        columns = stoa__group_own(columns);
        if (group->count != 1 || size > sizeof archetype->table ||
            memcmp(columns - 1, archetype->table, size) != 0) {
            return false;
        }
    }
    ptrdiff_t at = columns - stoa__group_columns(group, 0);
    ptrdiff_t stride = stoa__group_stride(archetype->lane_count);
    if (group->lanes != archetype->lane_count || at < 0 || at % stride != 0 ||
        at / stride >= group->count || !stoa__group_lives(group, (uint32_t)(at / stride))) {
        return false;
    }
    uint64_t rows = (uint32_t)archetype->head.chunk_capacity;
    uint8_t *const *next = at / stride + 1 < group->count ? columns + stride : NULL;
    bool right = column_right(group, columns, next, 0, rows * sizeof(stoa_entity), 0);
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        uint64_t size = rows * archetype->lanes[i].size;
        right = right && column_right(group, columns, next, i + 1, size, STOA__LINE);
    }
    uint64_t tags = sizeof group + (uint64_t)archetype->tag_count * STOA__TAG_STRIDE;
    return right && group_has(group, columns[-1], tags) &&
           (next == NULL || (uintptr_t)columns[-1] + tags <= (uintptr_t)next[-1]);
}

static stoa_status chunk_check(const stoa__storage *storage, const stoa__archetype *archetype,
                               int32_t index) {
    const stoa_chunk *chunk = &archetype->head.chunks[index];
    const stoa_chunk_ref *ref = &storage->head.chunks[chunk->number];
    if (chunk->number == 0 || chunk->number >= storage->chunk_count ||
        ref->columns != chunk->columns || ref->archetype != &archetype->head) {
        return stoa__error(STOA_CORRUPT,
                           "invariant 4: chunk %d of archetype %u is not in the table", index,
                           archetype->index);
    }
    if (!columns_right(archetype, chunk->columns)) {
        return stoa__error(STOA_CORRUPT,
                           "invariant 1: columns of chunk %d of archetype %u are lost", index,
                           archetype->index);
    }
    bool used = index < archetype->head.chunk_count;
    bool last = index == archetype->head.chunk_count - 1;
    if (used && (chunk->count < 1 || chunk->count > archetype->head.chunk_capacity ||
                 (!last && chunk->count != archetype->head.chunk_capacity))) {
        return stoa__error(STOA_CORRUPT, "invariant 1: chunk %d of archetype %u has %d rows of %d",
                           index, archetype->index, chunk->count, archetype->head.chunk_capacity);
    }
    for (int32_t i = 0; used && i < chunk->count; i++) {
        stoa_entity e = stoa_columns_entities(chunk->columns)[i];
        uint32_t place = chunk->number << STOA_PLACE_BITS | (uint32_t)i;
        if (stoa__entities_find(storage, e) == NULL || stoa__place_of(storage, e.index) != place) {
            return stoa__error(STOA_CORRUPT,
                               "invariant 2: row %d of chunk %d of archetype %u is not where the "
                               "record of its entity says",
                               i, index, archetype->index);
        }
    }
    return STOA_OK;
}

/* Lanes that an archetype's components ask for beside their values. */
static uint32_t beside_count(const stoa__storage *storage, const stoa__archetype *archetype) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < archetype->id_count; i++) {
        uint32_t flags = stoa__component_at(storage, archetype->ids[i])->info.flags;
        count += (flags & STOA_ROW_TICKS) != 0 ? 2 : 0;
        count += (flags & STOA_SWITCHABLE) != 0;
    }
    return count;
}

static stoa_status set_check(const stoa__storage *storage, const stoa__archetype *archetype) {
    uint32_t lanes = 0, tags = 0;
    for (uint32_t i = 0; i < archetype->id_count; i++) {
        stoa_component id = archetype->ids[i];
        if (!stoa__component_known(storage, id) || (i > 0 && archetype->ids[i - 1] >= id)) {
            return stoa__error(STOA_CORRUPT, "invariant 5: the set of archetype %u is not sorted",
                               archetype->index);
        }
        const stoa__component *component = stoa__component_at(storage, id);
        const stoa_column *column = stoa__archetype_column(archetype, id);
        if (column == NULL || !stoa__bitset_test(&component->archetypes, archetype->index)) {
            return stoa__error(STOA_CORRUPT,
                               "invariant 4: column '%s' of archetype %u is not found",
                               component->name, archetype->index);
        }
        bool right;
        if (component->info.size == 0) {
            right = column->index == stoa__layout_tag(tags++);
        } else {
            const stoa__lane *lane = &archetype->lanes[lanes++];
            right = column->index == lanes && lane->component == component && lane->id == id;
        }
        if (!right) {
            return stoa__error(STOA_CORRUPT,
                               "invariant 1: column '%s' of archetype %u is misplaced",
                               component->name, archetype->index);
        }
    }
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        if (archetype->lanes[i].index != i + 1) {
            return stoa__error(STOA_CORRUPT, "invariant 1: lane %u of archetype %u is misplaced", i,
                               archetype->index);
        }
    }
    uint32_t beside = archetype->lane_count - archetype->data_lanes;
    return lanes == archetype->data_lanes && tags == archetype->tag_count &&
                   storage->ranks[archetype->index] == stoa__archetype_ranks(archetype) &&
                   beside == beside_count(storage, archetype)
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "invariant 1: archetype %u has %u columns for %u",
                             archetype->index, archetype->lane_count, lanes);
}

/* The column, or the tag, that a lane belongs to. */
static uint8_t *column_of(const stoa__archetype *archetype, const stoa_chunk *chunk,
                          const stoa__lane *lane) {
    return stoa_column_begin(chunk->columns, stoa__archetype_column(archetype, lane->id)->index);
}

/* True if a state leads to the lane. */
static bool ticks_right(const stoa__archetype *archetype, const stoa_chunk *chunk,
                        const stoa__lane *lane) {
    uint8_t *column = column_of(archetype, chunk, lane);
    return (const uint8_t *)stoa_column_ticks(column) == chunk->columns[lane->index];
}

/* True if the states of all columns and tags know their chunk, and whether writes are noted. */
static bool states_right(const stoa__archetype *archetype, const stoa_chunk *chunk) {
    bool right = true;
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++) {
        const stoa_column_state *state = stoa__state_number(archetype, chunk->columns, i);
        bool noted = i < archetype->data_lanes &&
                     (archetype->lanes[i].component->info.flags & STOA_NOTED) != 0;
        right = right && state->number == chunk->number && (state->ticks < 0) == noted;
    }
    return right;
}

/* Lanes that hold no values, and what states know of them. */
static stoa_status beside_check(const stoa__archetype *archetype, const stoa_chunk *chunk) {
    if (!states_right(archetype, chunk)) {
        return stoa__error(STOA_CORRUPT, "a column of chunk %u does not know its chunk",
                           chunk->number);
    }
    for (uint32_t i = archetype->data_lanes; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        uint32_t off = 0;
        if (lane->kind == STOA__LANE_CHANGED && !ticks_right(archetype, chunk, lane)) {
            return stoa__error(STOA_CORRUPT, "a chunk of archetype %u does not know its ticks",
                               archetype->index);
        }
        if (lane->kind != STOA__LANE_OFF) {
            continue;
        }
        const uint8_t *items = chunk->columns[lane->index];
        for (int32_t row = 0; row < chunk->count; row++) {
            off += items[row];
        }
        uint32_t noted = stoa__column_state(column_of(archetype, chunk, lane))->off;
        if (noted != off) {
            return stoa__error(STOA_CORRUPT, "a chunk of archetype %u has %u rows off, not %u",
                               archetype->index, off, noted);
        }
    }
    return STOA_OK;
}

static stoa_status archetype_check(const stoa__storage *storage, uint32_t index) {
    const stoa__archetype *archetype = storage->archetypes[index];
    if (archetype->fill != stoa__layout_fill(storage, archetype)) {
        return stoa__error(STOA_CORRUPT, "archetype %u does not know how its rows are moved",
                           index);
    }
    if (archetype->index != index ||
        stoa__archetype_find(storage, archetype->ids, archetype->id_count) != archetype) {
        return stoa__error(STOA_CORRUPT, "invariant 5: archetype %u is not the only one of its set",
                           index);
    }
    stoa_status status = set_check(storage, archetype);
    int32_t used = archetype->head.chunk_count;
    if (status == STOA_OK && (archetype->chunk_held < used ||
                              (used > 0 && archetype->tail != &archetype->head.chunks[used - 1]) ||
                              (used == 0 && archetype->tail->count != INT32_MAX))) {
        status =
            stoa__error(STOA_CORRUPT, "invariant 4: archetype %u has rows without chunks", index);
    }
    uint32_t rows = 0;
    for (int32_t i = 0; i < archetype->chunk_held && status == STOA_OK; i++) {
        status = chunk_check(storage, archetype, i);
        if (status == STOA_OK && i < used) {
            status = beside_check(archetype, &archetype->head.chunks[i]);
        }
        if (status == STOA_OK && i >= used && archetype->head.chunks[i].count != 0) {
            status = stoa__error(STOA_CORRUPT,
                                 "invariant 4: a spare chunk of archetype %u has rows", index);
        }
        rows += (uint32_t)archetype->head.chunks[i].count;
    }
    if (status == STOA_OK && rows != stoa__rows_at(storage, index)) {
        status = stoa__error(STOA_CORRUPT, "invariant 1: archetype %u has %u rows, not %u", index,
                             rows, stoa__rows_at(storage, index));
    }
    return status;
}

/* True if the place of a live slot is a row that could be its. */
static bool place_right(const stoa__storage *storage, uint32_t index) {
    uint32_t place = stoa__place_of(storage, index);
    uint32_t number = place >> STOA_PLACE_BITS;
    if (number >= storage->chunk_count || storage->head.chunks[number].archetype == NULL) {
        return false;
    }
    stoa__row row = stoa__row_at(storage, place);
    return row.slot < (size_t)stoa__row_archetype(storage, place)->head.chunk_capacity &&
           stoa__row_entity(row)->index == index;
}

/* Free chunk numbers form a list; number 0 is the empty archetype's. */
static stoa_status numbers_check(const stoa__storage *storage) {
    uint32_t count = 0, held = 0;
    const stoa_chunk_ref *chunks = storage->head.chunks;
    for (uint32_t i = storage->chunk_free_first; i != 0;
         i = (uint32_t)(uintptr_t)chunks[i].columns) {
        if (i >= storage->chunk_count || chunks[i].archetype != NULL ||
            ++count > storage->chunk_free_count) {
            return stoa__error(STOA_CORRUPT, "the list of free chunks is broken at %u", i);
        }
    }
    for (uint32_t i = 0; i < storage->archetype_total; i++) {
        held += (uint32_t)storage->archetypes[i]->chunk_held;
    }
    if (count != storage->chunk_free_count || 1 + count + held != storage->chunk_count ||
        chunks[0].archetype != &storage->archetypes[0]->head) {
        return stoa__error(STOA_CORRUPT, "the table of chunks has %u free and %u held, not %u",
                           count, held, storage->chunk_count);
    }
    return STOA_OK;
}

/* What is remembered of the last destruction is an archetype that there is. */
static stoa_status ended_check(const stoa__storage *storage) {
    for (uint32_t i = 0; i < storage->archetype_total; i++) {
        if (storage->archetypes[i] == storage->ended) {
            return STOA_OK;
        }
    }
    return stoa__error(STOA_CORRUPT, "the archetype of the last destruction is none");
}

/* Live records by place, and how many there are of each kind. */
static stoa_status records_check(const stoa__storage *storage) {
    uint32_t live = 0, empty = 0, retired = 0;
    const stoa_record *records = storage->head.records;
    if ((records[0].generation & STOA__DEAD) == 0 || (records[0].mixed & STOA_UNPLACED) == 0) {
        return stoa__error(STOA_CORRUPT, "invariant 6: slot 0 is alive");
    }
    for (uint32_t i = 1; i < storage->head.record_count; i++) {
        if ((records[i].generation & STOA__DEAD) != 0) {
            if ((records[i].mixed & STOA_UNPLACED) == 0) {
                return stoa__error(STOA_CORRUPT, "invariant 2: slot %u is dead and has a place", i);
            }
            retired += records[i].generation == STOA__DEAD;
            continue;
        }
        live++;
        if (stoa__record_empty(records, i)) {
            empty++;
        } else if (!place_right(storage, i)) {
            return stoa__error(STOA_CORRUPT, "invariant 2: entity %uv%u has a row that is not its",
                               i, records[i].generation);
        }
    }
    uint32_t alive = stoa__entities_count(storage);
    if (live != alive || empty != storage->empty_count || retired != storage->retired_count) {
        return stoa__error(
            STOA_CORRUPT, "invariant 2: %u live, %u empty, %u retired counted, not %u, %u, %u",
            live, empty, retired, alive, storage->empty_count, storage->retired_count);
    }
    return STOA_OK;
}

static stoa_status free_list_check(const stoa__storage *storage) {
    uint32_t count = 0;
    const stoa_record *records = storage->head.records;
    for (uint32_t i = storage->free_first; i != 0; i = stoa__record_next(&records[i])) {
        if (i >= storage->head.record_count || (records[i].generation & STOA__DEAD) == 0 ||
            ++count > storage->free_count) {
            return stoa__error(STOA_CORRUPT, "invariant 3: the free list is broken at slot %u", i);
        }
    }
    return count == storage->free_count
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "invariant 3: %u free slots counted, not %u", count,
                             storage->free_count);
}

/* Bytes of the registry and its components. */
static size_t registry_bytes(const stoa__storage *storage) {
    const stoa__registry *registry = &storage->registry;
    size_t bytes = registry->capacity * sizeof *registry->items +
                   registry->by_name.capacity * sizeof(stoa__map_cell) +
                   storage->registry.slot_count * sizeof(stoa_atomic);
    for (uint32_t i = 0; i < registry->count; i++) {
        const stoa__component *component = registry->items[i];
        bytes += component->identifier != NULL ? strlen(component->identifier) + 1 : 0;
        bytes += sizeof *component + strlen(component->name) + 1 +
                 component->reflection.members_size + component->reflection.values_size +
                 component->archetypes.word_count * sizeof(uint64_t);
        bytes += component->set != NULL ? stoa__sparse_bytes(component->set) : 0;
    }
    return bytes;
}

static size_t archetype_bytes(const stoa__archetype *archetype) {
    return stoa__archetype_size(archetype) + archetype->chunk_slots * sizeof(stoa_chunk) +
           stoa__edge_bytes(archetype);
}

/* What blocks take. */
typedef struct block_sum {
    size_t in_slabs; /* of slabs */
    size_t direct;   /* outside of them */
} block_sum;

static void group_add(block_sum *sum, const stoa__group *group) {
    size_t footprint = stoa__slab_footprint(group->size);
    sum->in_slabs += footprint;
    sum->direct += footprint == 0 ? group->size : 0;
}

/* What the groups of all chunks take. The chunks of one may be of several archetypes; it counts for
 * one of them. */
static block_sum groups_sum(const stoa__storage *storage) {
    block_sum sum = {0, 0};
    if (storage->limbo != NULL) {
        group_add(&sum, storage->limbo);
    }
    for (uint32_t i = 0; i < storage->archetype_total; i++) {
        const stoa__archetype *archetype = storage->archetypes[i];
        for (int32_t c = 0; c < archetype->chunk_held; c++) {
            uint8_t *const *columns = archetype->head.chunks[c].columns;
            if (stoa__group_counts(columns)) {
                group_add(&sum, stoa__group_of(columns));
            }
        }
    }
    return sum;
}

/* Every byte the world has from its allocator must be accounted for. */
static stoa_status bytes_check(const stoa_world *world) {
    const stoa__storage *storage = &world->storage;
    size_t bytes = sizeof *world + registry_bytes(storage) + stoa__columns_bytes(storage) +
                   storage->record_capacity * sizeof(stoa_record) +
                   storage->stamp_count * sizeof *storage->record_stamps +
                   storage->archetype_capacity * sizeof *storage->archetypes +
                   storage->rows_capacity * sizeof *storage->rows +
                   storage->rank_capacity * sizeof *storage->ranks +
                   storage->by_set.capacity * sizeof(stoa__map_cell) +
                   storage->chunk_capacity * sizeof(stoa_chunk_ref) +
                   storage->written_capacity * sizeof *storage->head.written +
                   storage->slabs.capacity * sizeof *storage->slabs.items + storage->slabs.maps +
                   stoa__slab_held(storage);
    for (uint32_t i = 0; i < storage->archetype_total; i++) {
        bytes += archetype_bytes(storage->archetypes[i]);
    }
    bytes += stoa__edge_asleep_bytes(storage);
    block_sum blocks = groups_sum(storage);
    if (blocks.direct != storage->slabs.direct) {
        return stoa__error(STOA_CORRUPT, "chunks outside slabs take %zu bytes, not %zu",
                           blocks.direct, storage->slabs.direct);
    }
    bytes += world->query_ops != NULL ? world->query_ops->bytes(world) : 0;
    bytes += stoa__hook_bytes(world) + stoa__log_bytes(world) + stoa__event_bytes(world) +
             stoa__resource_bytes(world) + stoa__commands_bytes(world) +
             stoa__extension_bytes(world) + world->scratch;
    if (bytes != storage->heap.used) {
        return stoa__error(STOA_CORRUPT, "%zu bytes are accounted for, %zu are held", bytes,
                           storage->heap.used);
    }
    return stoa__slab_check(storage, blocks.in_slabs);
}

/* What is remembered of how types were put and taken away. */
static stoa_status ways_check(const stoa_world *world) {
    for (uint32_t i = 0; i < STOA__WAYS; i++) {
        if (!stoa__way_right(&world->storage, &world->puts[i]) ||
            !stoa__way_right(&world->storage, &world->drops[i])) {
            return stoa__error(STOA_CORRUPT, "a way that is remembered leads to a wrong place");
        }
    }
    return STOA_OK;
}

stoa_status stoa_check(const stoa_world *world) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    stoa__rows_ready(&world->storage);
    stoa_status status = free_list_check(&world->storage);
    if (status == STOA_OK) {
        status = records_check(&world->storage);
    }
    for (uint32_t i = 0; i < world->storage.archetype_count && status == STOA_OK; i++) {
        status = archetype_check(&world->storage, i);
    }
    for (uint32_t i = 0; i < world->storage.archetype_count && status == STOA_OK; i++) {
        status = stoa__edge_check(&world->storage, world->storage.archetypes[i]);
    }
    if (status == STOA_OK) {
        status = numbers_check(&world->storage);
    }
    if (status == STOA_OK) {
        status = ended_check(&world->storage);
    }
    if (status == STOA_OK) {
        status = stoa__columns_check(&world->storage);
    }
    for (uint32_t i = 0; i < world->storage.registry.count && status == STOA_OK; i++) {
        const stoa__sparse *set = world->storage.registry.items[i]->set;
        status = set != NULL ? stoa__sparse_check(&world->storage, set) : STOA_OK;
    }
    if (status == STOA_OK) {
        status = stoa__commands_check(world);
    }
    if (status == STOA_OK) {
        status = stoa__bundles_check(world);
    }
    if (status == STOA_OK) {
        status = stoa__hook_check(world);
    }
    if (status == STOA_OK) {
        status = ways_check(world);
    }
    if (status == STOA_OK) {
        status = bytes_check(world);
    }
    if (status == STOA_OK && world->query_ops != NULL) {
        status = world->query_ops->check(world);
    }
    if (status == STOA_OK) {
        status = stoa__extension_check(world);
    }
    return stoa__world_report(world, status);
}

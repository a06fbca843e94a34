/* Putting the content of a world together: beginning, ending, going back.
 *
 * The rows are built in the world itself, which is empty: its table of entities is put aside and
 * its archetypes are hidden, so that they come in the order they are given. Going back drops what
 * was built and puts both in place again, which needs no memory. Meanwhile the structure of the
 * world is held. Costs what the content is large. One thread at a time. */
#include "world/rebuild.h"

#include "storage/entities.h"
#include "world/commands_buffer.h"

#include <string.h>

/* STOA_OK if the world can be filled now; otherwise reported. */
static stoa_status world_ready(const stoa_world *world) {
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    const stoa__storage *storage = &world->storage;
    if (stoa__entities_count(storage) > 0) {
        status = stoa__error(STOA_INVALID, "the world is not empty: it has %u entities",
                             stoa__entities_count(storage));
    } else if (stoa_commands_pending(world) > 0 || storage->reserved_count > 0) {
        status = stoa__error(STOA_INVALID, "the world has commands that are not applied");
    }
    return stoa__world_report(world, status);
}

/* Gives the world a table with these slots; the one it has is put aside. */
static stoa_status table_begin(stoa_rebuild *rebuild, const stoa_slots *slots) {
    stoa__storage *storage = &rebuild->world->storage;
    rebuild->table = (stoa__table_before){storage->head.records,      storage->record_capacity,
                                          storage->head.record_count, storage->free_first,
                                          storage->free_count,        storage->retired_count};
    rebuild->world->scratch += storage->record_capacity * sizeof(stoa_record);
    storage->head.records = NULL;
    storage->record_capacity = 0;
    storage->head.record_count = 0;
    storage->free_count = 0;
    stoa_status status = stoa__entities_reserve(storage, slots->count);
    if (status != STOA_OK) {
        return status;
    }
    stoa_record *records = storage->head.records;
    uint32_t retired = 0;
    for (uint32_t i = 1; i < slots->count; i++) {
        uint32_t generation = slots->generations[i];
        records[i] = (stoa_record){(generation & STOA__DEAD) != 0 ? STOA_UNPLACED : i, generation};
        retired += generation == STOA__DEAD;
    }
    storage->retired_count = retired;
    records[0] = (stoa_record){STOA_UNPLACED, STOA__DEAD | 1};
    storage->head.record_count = slots->count;
    storage->free_first = 0;
    for (uint32_t i = slots->free_count; i-- > 0;) {
        records[slots->free[i]].mixed = storage->free_first | STOA_UNPLACED;
        storage->free_first = slots->free[i];
    }
    storage->free_count = slots->free_count;
    return STOA_OK;
}

static void table_back(stoa_rebuild *rebuild) {
    stoa__storage *storage = &rebuild->world->storage;
    stoa__entities_fini(storage);
    rebuild->world->scratch -= rebuild->table.capacity * sizeof(stoa_record);
    storage->head.records = rebuild->table.records;
    storage->record_capacity = rebuild->table.capacity;
    storage->head.record_count = rebuild->table.count;
    storage->free_first = rebuild->table.free_first;
    storage->free_count = rebuild->table.free_count;
    storage->retired_count = rebuild->table.retired_count;
}

/* Notes the archetypes and hides them. */
static stoa_status archetypes_begin(stoa_rebuild *rebuild) {
    stoa__storage *storage = &rebuild->world->storage;
    if (!stoa__heap_grow(&rebuild->heap, &rebuild->before, &rebuild->before_capacity,
                         storage->archetype_count, sizeof(stoa__archetype *))) {
        return stoa__error_memory("the order of archetypes");
    }
    rebuild->before_count = storage->archetype_count;
    memcpy(rebuild->before, storage->archetypes,
           storage->archetype_count * sizeof *storage->archetypes);
    stoa__archetype_hide(storage, 1);
    return STOA_OK;
}

/* Ends that the world is held. What is remembered of bundles may lead to archetypes that are
 * hidden. */
static void world_forget(const stoa_rebuild *rebuild) {
    stoa__bundles_clear(rebuild->world);
    stoa_release(rebuild->world);
}

static void rebuild_delete(stoa_rebuild *rebuild) {
    if (!rebuild->shown) {
        world_forget(rebuild);
    }
    stoa__heap heap = rebuild->heap;
    stoa__heap_grow_free(&heap, rebuild->before, rebuild->before_capacity, sizeof *rebuild->before);
    stoa__heap_grow_free(&heap, rebuild->made, rebuild->made_capacity, sizeof *rebuild->made);
    stoa__heap_free(&heap, rebuild, sizeof *rebuild, _Alignof(stoa_rebuild));
}

static stoa_status rebuild_begin(stoa_rebuild *rebuild, const stoa_slots *slots) {
    stoa_status status = stoa__rebuild_slots_check(rebuild, slots);
    if (status == STOA_OK) {
        status = table_begin(rebuild, slots);
        if (status == STOA_OK) {
            status = archetypes_begin(rebuild);
        }
        if (status != STOA_OK) {
            table_back(rebuild);
        }
    }
    return status;
}

stoa_rebuild *stoa_rebuild_new(stoa_world *world, const stoa_slots *slots) {
    if (world == NULL || slots == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "slots");
        return NULL;
    }
    if (world_ready(world) != STOA_OK) {
        return NULL;
    }
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    stoa_rebuild *rebuild = stoa__heap_zalloc(&heap, sizeof *rebuild, _Alignof(stoa_rebuild));
    if (rebuild == NULL) {
        stoa__world_report(world, stoa__error_memory("the loading of a world"));
        return NULL;
    }
    rebuild->world = world;
    rebuild->heap = heap;
    rebuild->tick_before = world->storage.head.tick;
    stoa_hold(world, "its content is being put together");
    stoa_status status = rebuild_begin(rebuild, slots);
    if (status != STOA_OK) {
        rebuild_delete(rebuild);
        stoa__world_report(world, status);
        return NULL;
    }
    return rebuild;
}

stoa_status stoa_rebuild_tick(stoa_rebuild *rebuild, uint32_t tick) {
    if (rebuild == NULL) {
        return stoa__world_null(NULL, "rebuild");
    }
    if (rebuild->archetype != NULL || rebuild->set != NULL) {
        return stoa__world_report(rebuild->world,
                                  stoa__error(STOA_INVALID, "the tick comes before the content"));
    }
    rebuild->world->storage.head.tick = rebuild->tick = tick;
    rebuild->old = true;
    return STOA_OK;
}

/* Drops `made[lane]` values of each lane of the archetype that is being filled, all of others. */
static void rows_drop(const stoa_rebuild *rebuild, stoa__archetype *archetype) {
    bool open = archetype == rebuild->archetype && rebuild->set == NULL;
    for (uint32_t i = 0; !archetype->plain && i < archetype->data_lanes; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        uint32_t left = open ? rebuild->made[i] : STOA__NONE;
        for (int32_t c = 0; c < archetype->head.chunk_count && left > 0; c++) {
            const stoa_chunk *chunk = &archetype->head.chunks[c];
            uint32_t n = (uint32_t)chunk->count < left ? (uint32_t)chunk->count : left;
            stoa__component_drop(lane->component, chunk->columns[lane->index], (int32_t)n);
            left -= n;
        }
    }
}

static void archetype_empty(const stoa_rebuild *rebuild, stoa__archetype *archetype) {
    stoa__storage *storage = &rebuild->world->storage;
    rows_drop(rebuild, archetype);
    for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
        archetype->head.chunks[c].count = 0;
    }
    archetype->head.chunk_count = 0;
    stoa__rows_set(storage, archetype->index, 0);
    stoa__archetype_release(storage, archetype);
}

static void set_empty(const stoa_rebuild *rebuild, stoa__sparse *set) {
    bool open = set == rebuild->set && rebuild->made != NULL;
    uint32_t made = open ? rebuild->made[0] : set->count;
    if (set->size != 0 && made > 0) {
        stoa__component_drop(set->component, set->values, (int32_t)made);
    }
    for (uint32_t i = 0; i < set->count; i++) {
        *stoa__sparse_entry(set, set->entities[i].index) = 0;
    }
    set->count = 0;
    set->off_count = 0;
}

void stoa_rebuild_cancel(stoa_rebuild *rebuild) {
    if (rebuild == NULL) {
        return;
    }
    stoa__storage *storage = &rebuild->world->storage;
    if (rebuild->shown) {
        stoa_extensions_reset(rebuild->world);
        storage->empty_count = 0;
        stoa__bundles_clear(rebuild->world);
    }
    for (uint32_t i = 1; i < storage->archetype_count; i++) {
        archetype_empty(rebuild, storage->archetypes[i]);
    }
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        if (c->set != NULL) {
            set_empty(rebuild, c->set);
        }
    }
    stoa__archetype_hide(storage, 1);
    for (uint32_t i = 1; i < rebuild->before_count; i++) {
        /* There is room for it, since it was there. */
        (void)stoa__archetype_show(storage, rebuild->before[i]);
    }
    table_back(rebuild);
    storage->head.tick = rebuild->tick_before;
    rebuild_delete(rebuild);
}

/* True if every value that would have to be dropped is made. */
static bool rebuild_whole(const stoa_rebuild *rebuild) {
    if (rebuild->set != NULL) {
        return rebuild->set->component->info.hooks.drop == NULL || rebuild->set->size == 0 ||
               rebuild->made[0] == rebuild->set->count;
    }
    const stoa__archetype *archetype = rebuild->archetype;
    for (uint32_t i = 0; archetype != NULL && i < archetype->data_lanes; i++) {
        if (archetype->lanes[i].component->info.hooks.drop != NULL &&
            rebuild->made[i] != stoa__archetype_rows(archetype)) {
            return false;
        }
    }
    return true;
}

stoa_status stoa__rebuild_next(stoa_rebuild *rebuild) {
    if (rebuild->shown) {
        return stoa__error(STOA_INVALID, "nothing can be added to a world that is shown");
    }
    return rebuild_whole(rebuild)
               ? STOA_OK
               : stoa__error(STOA_INVALID, "values that were announced are not made");
}

stoa_status stoa_rebuild_show(stoa_rebuild *rebuild) {
    if (rebuild == NULL) {
        return stoa__world_null(NULL, "rebuild");
    }
    stoa_world *world = rebuild->world;
    stoa__storage *storage = &world->storage;
    if (rebuild->shown) {
        return STOA_OK;
    }
    stoa_status status = stoa__rebuild_next(rebuild);
    if (status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    storage->empty_count = stoa__entities_count(storage);
    for (uint32_t i = 1; i < storage->archetype_count; i++) {
        storage->empty_count -= stoa__archetype_rows(storage->archetypes[i]);
    }
    rebuild->shown = true;
    world_forget(rebuild);
    stoa_extensions_reset(world);
    return STOA_OK;
}

/* Which handles come next is told by the table alone, not by what buffers were used to. */
static void habits_forget(const stoa_world *world) {
    stoa_commands *c = world->buffers.deferred;
    for (; c != NULL; c = c == world->buffers.deferred ? world->buffers.first : c->next) {
        c->wanted = c->peak = 0;
    }
}

/* The world has another tick: what was noted by the one before means nothing. What extensions did
 * to load may have moved it on. */
static void ticks_restart(stoa_world *world, uint32_t tick) {
    world->storage.head.tick = tick;
    world->swept = world->storage.head.tick;
    stoa__log_restart(world);
    if (world->query_ops != NULL) {
        world->query_ops->runs_load(world, NULL, 0);
    }
}

stoa_status stoa_rebuild_end(stoa_rebuild *rebuild) {
    if (rebuild == NULL) {
        return stoa__world_null(NULL, "rebuild");
    }
    stoa_world *world = rebuild->world;
    if (!rebuild_whole(rebuild)) {
        stoa_rebuild_cancel(rebuild);
        return stoa__world_report(
            world, stoa__error(STOA_CORRUPT, "values that were announced are not made"));
    }
    /* Cannot fail, since all is made. */
    (void)stoa_rebuild_show(rebuild);
    size_t before = rebuild->table.capacity * sizeof(stoa_record);
    stoa__heap_free(&world->storage.heap, rebuild->table.records, before, STOA__LINE);
    world->scratch -= before;
    world->storage.upheavals++;
    habits_forget(world);
    if (rebuild->old) {
        ticks_restart(world, rebuild->tick);
    }
    rebuild_delete(rebuild);
    return STOA_OK;
}

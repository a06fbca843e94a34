/* What a world's content costs, and giving back what it does not need. */
#include "stoa/view.h"
#include "storage/archetype.h"
#include "storage/entities.h"
#include "storage/group.h"
#include "storage/slab.h"
#include "storage/sparse.h"
#include "world/world.h"

/* Moves the chunks out of slabs with room to spare into fewer. */
static stoa_status slabs_pack(stoa__storage *storage) {
    stoa_status status = STOA_OK;
    stoa__slab_close(storage);
    for (uint32_t i = 0; i < storage->archetype_total; i++) {
        stoa__archetype *archetype = storage->archetypes[i];
        for (int32_t c = 0, n; c < archetype->chunk_held && status == STOA_OK; c += n) {
            const stoa__group *group = stoa__group_of(archetype->head.chunks[c].columns);
            n = 1;
            if (stoa__slab_closed(storage, stoa__group_block(group), group->size)) {
                n = stoa__archetype_relocate(storage, archetype, c);
                status = n > 0 ? STOA_OK : stoa_last_error().status;
            }
        }
    }
    stoa__slab_open(storage);
    stoa__slab_trim(storage);
    return status;
}

stoa_status stoa_compact(stoa_world *world) {
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    stoa__storage *storage = &world->storage;
    for (uint32_t i = 0; i < storage->archetype_total && status == STOA_OK; i++) {
        status = stoa__archetype_trim(storage, storage->archetypes[i]);
    }
    stoa__archetype_limbo_free(storage);
    stoa__slab_trim(storage);
    if (status == STOA_OK) {
        status = slabs_pack(storage);
    }
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        stoa__sparse_trim(&storage->heap, c->set);
    }
    stoa__entities_trim(storage);
    stoa__commands_trim(world);
    return stoa__world_report(world, status);
}

stoa_statistics stoa_stats(const stoa_world *world) {
    stoa_statistics stats = {0};
    if (world == NULL) {
        return stats;
    }
    const stoa__storage *storage = &world->storage;
    for (uint32_t i = 0; i < storage->archetype_count; i++) {
        const stoa__archetype *archetype = storage->archetypes[i];
        uint32_t rows = stoa__archetype_rows(archetype);
        stats.chunks += archetype->chunk_held;
        stats.rows += rows;
        stats.chunk_used += stoa__archetype_used(archetype);
    }
    stats.entities = (int32_t)stoa__entities_count(storage);
    stats.empty = (int32_t)storage->empty_count;
    stats.components = (int32_t)storage->registry.count;
    stats.archetypes = (int32_t)storage->archetype_count;
    stats.queries = (int32_t)world->query_count;
    stats.chunk_reserved = stoa__slab_held(storage);
    stats.bytes_used = stats.chunk_used + storage->head.record_count * sizeof(stoa_record);
    stats.bytes_reserved =
        storage->heap.used + stoa__commands_reserved(world) + stoa__extension_held(world);
    return stats;
}

/* Sealing a world: nothing in it can change until that is lifted.
 *
 * The seal is a bit of `open`, which every change of structure looks at already. Writes in place do
 * not; for them every component counts as fixed, as immutable ones always do, so that the fast
 * paths do not find it and the slow ones refuse. Queries that write are told. Reading single
 * components by type costs a call meanwhile. O(components + queries), no memory. */
#include "storage/storage.h"
#include "world/world.h"

stoa_status stoa__world_read_only(const stoa_world *world) {
    return stoa__world_report(
        world, stoa__error(STOA_ACCESS, "the world is read only; see stoa_world_seal"));
}

/* STOA_OK if nothing is under way that would see the world half sealed; otherwise reported. */
static stoa_status seal_check(const stoa_world *world) {
    uint32_t open = world->storage.head.open & ~STOA__OPEN_SEAL;
    stoa_status status = open != 0 ? stoa__world_busy(world) : STOA_OK;
    if (status != STOA_OK) {
        return status;
    }
    if (open != 0) {
        return stoa__world_report(
            world, stoa__error(STOA_LOCKED, "a world cannot be sealed or unsealed inside a hook"));
    }
    if (world->query_ops != NULL && world->query_ops->shared(world)) {
        return stoa__world_report(
            world, stoa__error(STOA_FORKED, "a world cannot be sealed while a query that writes is "
                                            "shared with threads; see stoa_query_unshare"));
    }
    return STOA_OK;
}

stoa_status stoa_world_seal(stoa_world *world, bool sealed) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    stoa_status status = seal_check(world);
    if (status != STOA_OK || stoa_world_sealed(world) == sealed) {
        return status;
    }
    stoa__storage *storage = &world->storage;
    stoa__rows_ready(storage);
    storage->head.open ^= STOA__OPEN_SEAL;
    for (uint32_t i = 0; i < storage->registry.count; i++) {
        stoa__component *component = storage->registry.items[i];
        component->fixed = stoa__component_fixed(storage, component);
    }
    /* What the fast paths know of types is learned anew. */
    for (uint32_t i = 0; i < STOA_SLOTS; i++) {
        atomic_store_explicit(&storage->head.slots[i], 0, memory_order_relaxed);
    }
    if (world->query_ops != NULL) {
        world->query_ops->seal(world);
    }
    return STOA_OK;
}

bool stoa_world_sealed(const stoa_world *world) {
    return world != NULL && (world->storage.head.open & STOA__OPEN_SEAL) != 0;
}

/* Forgetting what the registry knows: descriptors whose meaning may have changed, and components
 * that were registered and are not wanted after all.
 *
 * Needs no memory. O(slots, and components that go). One thread at a time. */
#include "base/hash.h"
#include "storage/columns.h"
#include "storage/registry.h"

void stoa__registry_forget_slots(stoa__storage *storage, stoa_component first) {
    stoa__registry *registry = &storage->registry;
    for (uint32_t i = 0; i < registry->slot_count; i++) {
        if (STOA_LOAD(&registry->slot_ids[i]) >= first) {
            STOA_STORE(&registry->slot_ids[i], 0);
        }
    }
    for (uint32_t i = 0; i < STOA_SLOTS; i++) {
        STOA_STORE(&storage->head.slots[i], 0);
    }
}

/* Takes a sparse component off the list. */
static void sparse_unlist(stoa__storage *storage, const stoa__component *component) {
    stoa__component **at = &storage->sparse_first;
    while (*at != NULL && *at != component) {
        at = &(*at)->sparse_next;
    }
    if (*at != NULL) {
        *at = component->sparse_next;
    }
}

void stoa__registry_truncate(stoa__storage *storage, uint32_t count) {
    stoa__registry *registry = &storage->registry;
    while (registry->count > count) {
        stoa__columns_forget(storage, registry->count);
        stoa__component *component = registry->items[--registry->count];
        stoa__map_remove(&registry->by_name, stoa__hash_text(component->name), registry->count);
        sparse_unlist(storage, component);
        stoa__registry_discard(storage, component);
    }
    stoa__registry_forget_slots(storage, count + 1);
}
